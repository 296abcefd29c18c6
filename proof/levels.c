/*
 * levels.c - the passes in double-double, traced from dd_pass.h, dd_odd.h and dd_root.h over whole operations: levels.h.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * dd_number.h's operations are replaced: each is exact, and has errors behind it, which pairs.c has proved of the code's own.
 * A sum that is rounded once has errors relative to what has been added up.  `rest` is that list: what bounds its second part.
 */
#include "levels.h"

#include <math.h>
#include <stdlib.h>

#include "prove.h"

#define GFMUL_DD_NUMBER_H /* in its place */

static const struct bound_constants *bound;
static bool with_fma;
static double constant_error; /* of the constants of an odd radix, relative, in u^2 */

static void give_up(const char *what)
{
    fprintf(stderr, "levels: %s\n", what);
    exit(1);
}

/* |l| <= u times the sum of `weight` |size|; those of one step have one tag. */
struct group {
    unsigned n, tag;
    double weight;
    vec size[16];
};
struct rest {
    unsigned n;
    struct group group[6];
    bool pending; /* a sum of rests was rounded: as much is off */
    vec done;     /* the number with that error, once it has been read */
};
enum { REST = 1 << 20, RESTS = 1024, NEW_TAG = 99 };
static struct rest rests[RESTS];
static unsigned n_rests;

static vec rest_new(struct rest r)
{
    if (n_rests == RESTS)
        give_up("too many sums");
    rests[n_rests] = r;
    return REST + n_rests++;
}

static struct rest rest_one(vec z, unsigned tag, double weight)
{
    return (struct rest){.n = 1, .group = {{.n = 1, .tag = tag, .weight = weight, .size = {z}}}};
}

static struct rest rest_join(struct rest a, struct rest b)
{
    for (unsigned g = 0; g < b.n; g++) {
        unsigned at = 0;
        while (at < a.n && (a.group[at].tag != b.group[g].tag || a.group[at].weight != b.group[g].weight))
            at++;
        if (at == a.n)
            a.group[a.n++] = b.group[g];
        else
            for (unsigned i = 0; i < b.group[g].n; i++)
                a.group[at].size[a.group[at].n++] = b.group[g].size[i];
    }
    return a;
}

static unsigned next_tag(const struct rest *r)
{
    unsigned tag = 0;
    for (unsigned g = 0; g < r->n; g++)
        tag = r->group[g].tag != NEW_TAG && r->group[g].tag >= tag ? r->group[g].tag + 1 : tag;
    return tag;
}

static vec lose(vec z, const struct rest *r)
{
    for (unsigned g = 0; g < r->n; g++)
        z = trace_errors(z, r->group[g].size, r->group[g].n, r->group[g].weight);
    return z;
}

/* Sums of rests, in the code itself. */
static vec rest_add(vec a, vec b)
{
    struct rest r = rest_join(rests[(int)b - REST], rests[(int)a - REST]);
    const unsigned tag = next_tag(&r);
    for (unsigned g = 0; g < r.n; g++)
        r.group[g].tag = r.group[g].tag == NEW_TAG ? tag : r.group[g].tag;
    r.pending = true;
    r.done = 0;
    return rest_new(r);
}
static vec add_either(vec a, vec b)
{
    return a >= REST ? rest_add(a, b) : vec_add(a, b);
}
#define vec_add add_either

/* An entry of a table is a node, ENTRY above.  Rests of constants are not used: they are exact but for constant_error. */
enum { ENTRY = 1 << 24 };
static vec first_part(double x)
{
    return x >= ENTRY ? x - ENTRY : fabs(x) < 0x1p-50 ? trace_known(poly_number(0)) : vec_set1(x);
}
#define vec_set1 first_part

static vec vec_load(const double *p)
{
    return *p;
}
static void vec_store(double *p, vec a)
{
    *p = a;
}
static void vec_transpose(vec *m)
{
    (void)m;
}

struct ddv {
    vec h, l; /* l: nothing, or what bounds it */
};
struct ddc {
    struct ddv re, im;
};

static vec exact(enum op op, vec a, vec b)
{
    const bool before = trace_exact;
    trace_exact = true;
    const vec z = trace_op(op, a, b, 0);
    trace_exact = before;
    return z;
}

static struct ddv behind(vec z, double error)
{
    return (struct ddv){trace_errors(z, &z, 1, error), 0};
}

static struct ddv dd_add(struct ddv a, struct ddv b)
{
    return behind(exact(OP_ADD, a.h, b.h), bound->dd_sum);
}
static struct ddv dd_sub(struct ddv a, struct ddv b)
{
    return behind(exact(OP_SUB, a.h, b.h), bound->dd_sum);
}
static struct ddv dd_add_double(struct ddv a, vec b)
{
    return behind(exact(OP_ADD, a.h, b), 2);
}
static struct ddv dd_mul_double(struct ddv a, vec b)
{
    return behind(exact(OP_MUL, a.h, b), (with_fma ? 2 : 3) + constant_error);
}
static struct ddv dd_mul(struct ddv a, struct ddv b)
{
    return behind(exact(OP_MUL, a.h, b.h), bound->dd_number_product[with_fma] + constant_error);
}
static struct ddv dd_neg(struct ddv a)
{
    return (struct ddv){vec_neg(a.h), 0};
}

/* The two parts of a point's product have the error together. */
static struct ddv dd_dot(struct ddv a, struct ddv b, struct ddv c, struct ddv d)
{
    return behind(exact(OP_ADD, exact(OP_MUL, a.h, b.h), exact(OP_MUL, c.h, d.h)), bound->dd_product[with_fma]);
}
static struct ddv dd_cross(struct ddv a, struct ddv b, struct ddv c, struct ddv d)
{
    return behind(exact(OP_SUB, exact(OP_MUL, a.h, b.h), exact(OP_MUL, c.h, d.h)), bound->dd_product[with_fma]);
}

static struct rest rest_of(struct ddv a)
{
    return a.l >= REST ? rests[(int)a.l - REST] : rest_one(a.h, 0, 1);
}

static vec settled(struct ddv a)
{
    struct rest *r = a.l >= REST ? &rests[(int)a.l - REST] : NULL;
    if (!r || !r->pending)
        return a.h;
    if (r->done == 0)
        r->done = lose(a.h, r);
    return r->done;
}

static struct ddv loose(enum op op, struct ddv a, struct ddv b)
{
    const vec z = exact(op, settled(a), settled(b));
    struct rest r = rest_join(rest_of(a), rest_of(b));
    const vec t = lose(z, &r); /* the rests' sum */
    r = rest_join(r, rest_one(z, next_tag(&r), 1));
    r.pending = false;
    r.done = 0;
    return (struct ddv){lose(t, &r), rest_new(r)};
}
static struct ddv loose_add(struct ddv a, struct ddv b)
{
    return loose(OP_ADD, a, b);
}
static struct ddv loose_sub(struct ddv a, struct ddv b)
{
    return loose(OP_SUB, a, b);
}
static struct ddv loose_product(struct ddv w, vec d)
{
    const vec z = exact(OP_MUL, w.h, d);
    return (struct ddv){trace_errors(z, &z, 1, with_fma ? 2 : 3), rest_new(rest_one(z, 0, 2))};
}
static bool last_exact; /* the last Fast2Sum of a loose sum loses nothing: 19.4 */
static struct ddv loose_settle(struct ddv a)
{
    const struct rest r = rest_of(a);
    return (struct ddv){last_exact ? settled(a) : lose(settled(a), &r), 0};
}
static struct ddv two_sum(vec a, vec b)
{
    const vec z = exact(OP_ADD, a, b);
    return (struct ddv){z, rest_new(rest_one(z, NEW_TAG, 1))};
}

enum { PLAN_BLOCK = 8, VEC_WIDTH = 8, DD_BLOCK_DOUBLES = 32, DD_ROOT_ENTRIES = 15 };
enum dd_kind { DD_FULL, DD_LIGHT, DD_DOUBLE };
struct plan_pass {
    unsigned radix;
};
struct plan {
    struct {
        double *root;
    } dd;
    struct {
        struct {
            bool narrow;
        } digits;
    } shape;
};
#define STAGE_INLINE static inline __attribute__((unused))
#include "dd_number_points.h"

#include "dd/dd_pass.h"
#include "dd/dd_root.h"

#include "dd/dd_odd.h"

static const char *kind(void)
{
    return with_fma ? "fma" : "plain";
}

static void begin(void)
{
    trace_begin(with_fma);
    n_rests = 0;
    constant_error = 0;
    last_exact = false;
}

static struct ddc input(void)
{
    struct ddc z = {{trace_input(), 0}, {0, 0}};
    z.im.h = trace_input();
    return z;
}

static struct ddc entry(const char *name)
{
    struct ddc w = {{0, 0}, {0, 0}};
    trace_twiddle(&w.re.h, &w.im.h, name, false);
    return w;
}

static void outputs(const struct ddc *x, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        trace_output(x[i].re.h);
        trace_output(x[i].im.h);
    }
}

/* Full passes, in columns: their twiddles are entries.  In rows entries are twice as far off, and a product more: T is a sum. */
static void prove_passes(void)
{
    char name[64];
    const double product = bound->dd_product[with_fma], entry_error = bound->dd_entry;
    const struct twiddles with = {1.0, entry_error, false};
    struct ddc f[4], w[3];
    begin();
    w[0] = entry("w");
    f[0] = input();
    f[1] = input();
    ddc_split_2(f, f + 1, w[0]);
    outputs(f, 2);
    snprintf(name, sizeof name, "dd_split2_%s", kind());
    prove_forward(name, 2, 0xc, bound->dd_pass[with_fma][0][0] - (product + entry_error), product + entry_error, with);

    begin();
    w[0] = entry("w");
    f[0] = input();
    f[1] = input();
    ddc_join_2(f, f + 1, w[0]);
    outputs(f, 2);
    snprintf(name, sizeof name, "dd_join2_%s", kind());
    prove_inverse(name, bound->dd_pass[with_fma][0][1], with);

    for (int back = 0; back < 2; back++) {
        begin();
        for (unsigned q = 0; q < 3; q++)
            w[q] = entry(q == 0 ? "u" : q == 1 ? "v" : "x");
        for (unsigned s = 0; s < 4; s++)
            f[s] = input();
        (back ? ddc_join_4 : ddc_split_4)(f, w[0], w[1], w[2], false);
        outputs(f, 4);
        snprintf(name, sizeof name, "dd_%s4_%s", back ? "join" : "split", kind());
        const double w1 = TREE_ANGLE / 4, powers[] = {w1, 2 * w1, 3 * w1};
        check_tree(4, back, powers);
        if (back)
            prove_inverse(name, bound->dd_pass[with_fma][1][1], with);
        else
            prove_forward(name, 4, 0xfc, bound->dd_pass[with_fma][1][0] - (product + entry_error), product + entry_error, with);
    }
}

/* The sums of a light radix 4 forwards; backwards pairs.c has them. */
static void prove_light_forward(void)
{
    struct ddc f[4], g[4];
    begin();
    for (unsigned s = 0; s < 4; s++)
        f[s] = input();
    ddc_sums_4(g, f[0], f[1], f[2], f[3], 1, true);
    outputs(g, 4);
    prove_forward("dd_light_forward_sums", 4, 0, bound->dd_light_forward, 0, (struct twiddles){.largest_share = 1});
}

/*
 * The root on digits.  All norms that are asked for are those of sums and differences of both children, which have
 * w^(s+4) = w^s w^4 and -w^s w^4: phases do not show in them.  So 1 stands for w^s.
 */
static void prove_root(void)
{
    char name[64];
    double table[4 * DD_ROOT_ENTRIES] = {0};
    static struct dd_digits d;
    struct ddc f[8];
    begin();
    last_exact = true;
    const double one = ENTRY + trace_known(poly_number(1)), minus = ENTRY + trace_known(poly_number(-1)),
                 nothing = ENTRY + trace_known(poly_number(0));
    for (unsigned child = 0; child < 2; child++) {
        for (unsigned q = 1; q <= 7; q++) {
            double *at = ROOT_POWER(table, child, q);
            at[0] = child && q >= 4 ? minus : one;
            at[1] = nothing;
        }
    }
    for (unsigned s = 0; s < 8; s++)
        d.re[s][0] = trace_input();
    for (unsigned child = 0; child < 2; child++)
        digits_split_8(f + 4 * child, ROOT_POWER(table, child, 1), &d, 0);
    outputs(f, 8);
    snprintf(name, sizeof name, "dd_root_digits_%s", kind());
    prove_forward(name, 8, 0, bound->dd_root[with_fma] - bound->dd_entry * 4 / sqrt(8), 0, (struct twiddles){.largest_share = 1});
}

/* The odd radices, and the relative errors of their constants. */
static void prove_odd_passes(void)
{
    static const double off[] = {[3] = 0.1, [5] = 0.35, [7] = 0.35};
    const struct twiddles as_they_are = {.exact_constants = true};
    for (unsigned odd = 3; odd <= 7; odd += 2) {
        char name[64];
        for (unsigned k = 0; k < odd / 2; k++) {
            snprintf(name, sizeof name, "dd_cosine_%u_%u", odd, k);
            if (odd > 3)
                prove_constant(name, odd_roots[odd].c[k][0], odd_roots[odd].c[k][1], off[odd]);
            snprintf(name, sizeof name, "dd_sine_%u_%u", odd, k);
            prove_constant(name, odd_roots[odd].k[k][0], odd_roots[odd].k[k][1], off[odd]);
        }
        struct dc d[ODD_MAX];
        struct ddc x[ODD_MAX], y[ODD_MAX];
        begin();
        constant_error = off[odd];
        for (unsigned s = 0; s < odd; s++) {
            d[s].re = trace_input();
            d[s].im = trace_input();
        }
        trace_exact = true;
        odd_forward(x, d, odd);
        trace_exact = false;
        outputs(x, odd);
        check_dft(odd, 1.0);
        snprintf(name, sizeof name, "dd_odd%u_from_digits_%s", odd, kind());
        prove_forward(name, odd, 0, bound->dd_odd_forward[odd], 0, as_they_are);

        begin();
        constant_error = off[odd];
        for (unsigned s = 0; s < odd; s++)
            y[s] = input();
        odd_inverse(x, y, odd);
        outputs(x, odd);
        check_dft(odd, -1.0);
        snprintf(name, sizeof name, "dd_odd%u_inverse_%s", odd, kind());
        prove_inverse(name, bound->double_odd[odd] * bound->dd_number_product[with_fma], as_they_are);
    }
}

void prove_levels(bool fma, const struct bound_constants *constants)
{
    bound = constants;
    with_fma = fma;
    prove_passes();
    prove_root();
    prove_odd_passes();
    if (fma)
        prove_light_forward();
}
