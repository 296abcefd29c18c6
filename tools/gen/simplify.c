/*
 * simplify.c - values made of values, in the simplest form: zeros and ones vanish, constants fold, signs move outwards.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "gen/graph.h"

static gen_ref ref_of(int32_t node, bool negative)
{
    return node < 0 ? GEN_BAD : 2 * node + negative;
}

static bool is_constant(const struct gen_graph *g, gen_ref a)
{
    return g->nodes[gen_node_of(a)].op == GEN_OP_CONST;
}

static gen_number constant_of(const struct gen_graph *g, gen_ref a)
{
    gen_number value = g->constants[g->nodes[gen_node_of(a)].c];
    return gen_negative(a) ? -value : value;
}

/* gen_input - input number n, a variable. */
gen_ref gen_input(struct gen_graph *g, int32_t number)
{
    return ref_of(gen_graph_node(g, GEN_OP_INPUT, 0, 0, number), false);
}

/* gen_constant - a number. */
gen_ref gen_constant(struct gen_graph *g, gen_number value)
{
    if (value == 0)
        return GEN_ZERO;
    int32_t c = gen_graph_constant(g, value < 0 ? -value : value);
    return c < 0 ? GEN_BAD : ref_of(gen_graph_node(g, GEN_OP_CONST, 0, 0, c), value < 0);
}

/* gen_add - a + b; the first operand of the node is the older one, and positive. */
gen_ref gen_add(struct gen_graph *g, gen_ref a, gen_ref b)
{
    if (a == GEN_BAD || b == GEN_BAD)
        return GEN_BAD;
    if (a == GEN_ZERO)
        return b;
    if (b == GEN_ZERO)
        return a;
    if (a == gen_neg(b))
        return GEN_ZERO;
    if (is_constant(g, a) && is_constant(g, b))
        return gen_constant(g, constant_of(g, a) + constant_of(g, b));
    if (a == b)
        return gen_scale(g, 2, a);
    if (gen_node_of(a) > gen_node_of(b)) {
        gen_ref t = a;
        a = b;
        b = t;
    }
    bool negative = gen_negative(a);
    enum gen_op op = negative == gen_negative(b) ? GEN_OP_ADD : GEN_OP_SUB;
    return ref_of(gen_graph_node(g, op, gen_node_of(a), gen_node_of(b), 0), negative);
}

/* gen_sub - a - b. */
gen_ref gen_sub(struct gen_graph *g, gen_ref a, gen_ref b)
{
    return gen_add(g, a, gen_neg(b));
}

/* gen_scale - factor * a. */
gen_ref gen_scale(struct gen_graph *g, gen_number factor, gen_ref a)
{
    if (a == GEN_BAD || a == GEN_ZERO || factor == 1)
        return a;
    if (factor == 0)
        return GEN_ZERO;
    if (factor == -1)
        return gen_neg(a);
    if (is_constant(g, a))
        return gen_constant(g, factor * constant_of(g, a));
    int32_t c = gen_graph_constant(g, factor < 0 ? -factor : factor);
    return c < 0 ? GEN_BAD : ref_of(gen_graph_node(g, GEN_OP_SCALE, gen_node_of(a), 0, c), gen_negative(a) != (factor < 0));
}

/* gen_mul - a * b, both known only when the code runs. */
gen_ref gen_mul(struct gen_graph *g, gen_ref a, gen_ref b)
{
    if (a == GEN_BAD || b == GEN_BAD)
        return GEN_BAD;
    if (is_constant(g, a))
        return gen_scale(g, constant_of(g, a), b);
    if (is_constant(g, b))
        return gen_scale(g, constant_of(g, b), a);
    const int32_t x = gen_node_of(a), y = gen_node_of(b);
    return ref_of(gen_graph_node(g, GEN_OP_MUL, x < y ? x : y, x < y ? y : x, 0), gen_negative(a) != gen_negative(b));
}

/* gen_cadd - a + b, complex. */
struct gen_complex gen_cadd(struct gen_graph *g, struct gen_complex a, struct gen_complex b)
{
    return (struct gen_complex){gen_add(g, a.re, b.re), gen_add(g, a.im, b.im)};
}

/* gen_csub - a - b, complex. */
struct gen_complex gen_csub(struct gen_graph *g, struct gen_complex a, struct gen_complex b)
{
    return (struct gen_complex){gen_sub(g, a.re, b.re), gen_sub(g, a.im, b.im)};
}

/* gen_cscale - factor * a, a complex. */
struct gen_complex gen_cscale(struct gen_graph *g, gen_number factor, struct gen_complex a)
{
    return (struct gen_complex){gen_scale(g, factor, a.re), gen_scale(g, factor, a.im)};
}

struct gen_complex gen_cmul(struct gen_graph *g, gen_number re, gen_number im, struct gen_complex a)
{
    struct gen_complex z;

    if (re == im || re == -im) {
        /* re (1 +- i) (x + i y) = re ((x -+ y) + i (y +- x)) */
        if (re == im)
            z = (struct gen_complex){gen_sub(g, a.re, a.im), gen_add(g, a.im, a.re)};
        else
            z = (struct gen_complex){gen_add(g, a.re, a.im), gen_sub(g, a.im, a.re)};
        return gen_cscale(g, re, z);
    }
    if (g->three_products && re != 0 && im != 0) {
        const gen_ref both = gen_scale(g, re, gen_add(g, a.re, a.im));
        z.re = gen_sub(g, both, gen_scale(g, re + im, a.im));
        z.im = gen_add(g, both, gen_scale(g, im - re, a.re));
        return z;
    }
    z.re = gen_sub(g, gen_scale(g, re, a.re), gen_scale(g, im, a.im));
    z.im = gen_add(g, gen_scale(g, re, a.im), gen_scale(g, im, a.re));
    return z;
}
