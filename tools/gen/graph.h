/* graph.h - expressions of real operations, each stored once: the generator's form of a codelet. */
#ifndef GFMUL_GEN_GRAPH_H
#define GFMUL_GEN_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gfmul.h"

/*
 * A value is a reference to a node with a sign: 2 * node + (1 if it is negated).  Signs move into the sums that use a value, so
 * there is no node for negation.  Node 0 is the constant 0.
 */
typedef int32_t gen_ref;

/* A constant, with enough digits for double-double if the compiler has such a type. */
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 gen_number;
#else
typedef long double gen_number;
#endif

enum { GEN_ZERO = 0, GEN_BAD = -2 };

enum gen_op {
    GEN_OP_CONST, /* constants[c] */
    GEN_OP_INPUT, /* input number c */
    GEN_OP_ADD,   /* a + b */
    GEN_OP_SUB,   /* a - b */
    GEN_OP_SCALE, /* constants[c] * a */
    GEN_OP_MUL    /* a * b */
};

struct gen_node {
    uint8_t op;
    int32_t a, b; /* nodes, without sign; b may come before a */
    int32_t c;
};

/* Each node comes after those that it uses.  failed: memory ran out, and every further value is GEN_BAD. */
struct gen_graph {
    struct gen_node *nodes;
    int32_t n_nodes, node_size;
    int32_t *slots; /* hash table of nodes */
    int32_t n_slots;
    gen_number *constants; /* all positive, except constants[0] = 0 */
    int32_t n_constants, constant_size;
    int32_t *constant_slots;
    int32_t n_constant_slots;
    bool failed;
    bool three_products; /* a complex product takes three real ones and three sums */
};

struct gen_complex {
    gen_ref re, im;
};

static inline int32_t gen_node_of(gen_ref r)
{
    return r >> 1;
}
static inline bool gen_negative(gen_ref r)
{
    return r & 1;
}
static inline gen_ref gen_neg(gen_ref r)
{
    return r == GEN_ZERO || r == GEN_BAD ? r : r ^ 1;
}

/* gen_graph_create - g out: the empty graph.  Errors: GFMUL_ERR_MEMORY. */
enum gfmul_status gen_graph_create(struct gen_graph *g);
void gen_graph_destroy(struct gen_graph *g);

/* gen_graph_node - the node with these contents, made if it does not exist yet; -1: no memory. */
int32_t gen_graph_node(struct gen_graph *g, enum gen_op op, int32_t a, int32_t b, int32_t c);

/* gen_graph_constant - index of a positive constant; -1: no memory. */
int32_t gen_graph_constant(struct gen_graph *g, gen_number value);

/*
 * gen_graph_mark - mark the nodes that the values need.
 *
 *   refs  in   n values
 *   used  out  g->n_nodes flags
 */
void gen_graph_mark(const struct gen_graph *g, const gen_ref *refs, size_t n, unsigned char *used);

/*
 * gen_graph_evaluate - run the graph.
 *
 *   inputs in   one value for each input number
 *   values out  g->n_nodes values; gen_value_of() gives that of a reference
 */
void gen_graph_evaluate(const struct gen_graph *g, const long double *inputs, long double *values);

static inline long double gen_value_of(const long double *values, gen_ref r)
{
    return gen_negative(r) ? -values[gen_node_of(r)] : values[gen_node_of(r)];
}

/* --- simplify.c: values made of values, each in the simplest known form ------------------------------------------------ */

gen_ref gen_input(struct gen_graph *g, int32_t number);
gen_ref gen_constant(struct gen_graph *g, gen_number value);
gen_ref gen_add(struct gen_graph *g, gen_ref a, gen_ref b);
gen_ref gen_sub(struct gen_graph *g, gen_ref a, gen_ref b);
gen_ref gen_scale(struct gen_graph *g, gen_number factor, gen_ref a);
gen_ref gen_mul(struct gen_graph *g, gen_ref a, gen_ref b);

struct gen_complex gen_cadd(struct gen_graph *g, struct gen_complex a, struct gen_complex b);
struct gen_complex gen_csub(struct gen_graph *g, struct gen_complex a, struct gen_complex b);
struct gen_complex gen_cscale(struct gen_graph *g, gen_number factor, struct gen_complex a);
/* gen_cmul - a * (re + i im); products by +-1, +-i are free, those with |re| = |im| take two additions and two products. */
struct gen_complex gen_cmul(struct gen_graph *g, gen_number re, gen_number im, struct gen_complex a);
/* gen_mul_i - a * i, free. */
static inline struct gen_complex gen_mul_i(struct gen_complex a)
{
    return (struct gen_complex){gen_neg(a.im), a.re};
}

/* --- transpose.c ------------------------------------------------------------------------------------------------------- */

/*
 * gen_graph_transpose - the transpose of a linear graph, with the same number of operations.
 *
 *   from  in      makes y of n complex inputs; 2j and 2j+1 are the parts of number j; other inputs are factors of products
 *   x     in      n values of `to`
 *   to    in/out  another graph; inputs that are factors keep their numbers
 *   z     out     n values of `to`
 *
 * Value:    with y[k] = sum over j of A[k][j] (input j):   z[j] = sum over k of A[k][j] x[k].
 * Aliasing: none allowed.   Errors: GFMUL_ERR_MEMORY.
 */
enum gfmul_status gen_graph_transpose(const struct gen_graph *from, const struct gen_complex *y, uint32_t n,
                                      const struct gen_complex *x, struct gen_graph *to, struct gen_complex *z);

/* --- count.c ----------------------------------------------------------------------------------------------------------- */

struct gen_count {
    uint64_t additions, products; /* real; a subtraction is an addition, a change of sign is free */
    uint64_t constants;           /* distinct ones */
};

/* gen_graph_count - the operations that n values need, each counted once.  Errors: GFMUL_ERR_MEMORY. */
enum gfmul_status gen_graph_count(const struct gen_graph *g, const gen_ref *refs, size_t n, struct gen_count *count);

/*
 * gen_count_formula - real additions and products of the transform of N = 2^lg complex points, by the published formula.
 *
 *   algorithm in 2; 4 if lg is even; 8 if 3 divides lg; S, C; T
 *
 * Value:  the count, or -1 if there is no formula.   Source: [JF07] for T and S.
 */
int64_t gen_count_formula(char algorithm, int lg);

/* --- schedule.c -------------------------------------------------------------------------------------------------------- */

/*
 * gen_schedule - an order in which the nodes that n values need can be computed with few values alive at once.
 *
 *   order    out  g->n_nodes nodes at most: sums and products only, each after those it uses
 *   n_order  out  how many
 *   max_live out  most values alive at once, inputs and results included
 *
 * Cost: quadratic in the nodes needed.   Errors: GFMUL_ERR_MEMORY.
 */
enum gfmul_status gen_schedule(const struct gen_graph *g, const gen_ref *refs, size_t n, int32_t *order, size_t *n_order,
                               size_t *max_live);

#endif
