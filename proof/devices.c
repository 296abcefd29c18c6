/*
 * devices.c - Gappa scripts of the passes of OpenCL devices: devices.h.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "devices.h"

#include <math.h>
#include <stdlib.h>

#include "pairs.h"
#include "prove.h"

static const struct bound_constants *bound;

static void give_up(const char *what)
{
    fprintf(stderr, "devices: %s\n", what);
    exit(1);
}

static void device_inputs(struct device_point *x, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        x[i] = (struct device_point){.re = trace_input()};
        x[i].im = trace_input();
    }
}

static void device_outputs(const struct device_point *x, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        trace_output(x[i].minus_re ? vec_neg(x[i].re) : x[i].re);
        trace_output(x[i].minus_im ? vec_neg(x[i].im) : x[i].im);
    }
}

static struct device_point zero(void)
{
    const vec nothing = vec_set1(0);
    return (struct device_point){.re = nothing, .im = nothing};
}

/* turned - a times w, exactly: as large as a, so that it may stand for a where norms are asked for. */
static struct device_point turned(struct device_point a, vec c, vec s)
{
    trace_exact = true;
    const struct device_point z = {.re = vec_sub(vec_mul(c, a.re), vec_mul(s, a.im)),
                                   .im = vec_add(vec_mul(s, a.re), vec_mul(c, a.im))};
    trace_exact = false;
    return z;
}

/* ---- points of doubles: 18, 18.2 ---- */

static void prove_steps(enum device_form form, bool any)
{
    const bool ratio = form == DEVICE_RATIO;
    const double error = ratio ? (any ? 1.0001 : 0.6709) : bound->made_twiddle[2];
    const struct twiddles with = {any ? 1.0 : 0.5, error, .joint = !ratio};
    char name[64];
    for (int turn = 0; turn < 4; turn++) {
        struct device_point x[2];
        vec c, s;
        trace_begin(true);
        trace_twiddle(&c, &s, "w", ratio);
        device_inputs(x, 2);
        if (!ratio)
            x[0] = turned(x[0], c, s);
        device_split(x, c, s, turn, form);
        device_outputs(x, 2);
        snprintf(name, sizeof name, "device_%s_forward%d%s", ratio ? "step" : "made_step", turn, any ? "_any" : "");
        if (ratio)
            prove_forward(name, 2, 0xc, bound->level_plain, bound->forward_twiddle[1][any], with);
        else
            prove_forward(name, 2, 0, bound->made_step, 0, with); /* the twiddle's error is that of made twiddles */

        trace_begin(true);
        trace_twiddle(&c, &s, "w", ratio);
        device_inputs(x, 2);
        device_join(x, c, s, turn, form);
        device_outputs(x, 1);
        snprintf(name, sizeof name, "device_%s_sum%d%s", ratio ? "step" : "made_step", turn, any ? "_any" : "");
        prove_inverse(name, bound->level_inverse_one, (struct twiddles){.largest_share = with.largest_share});

        trace_begin(true);
        trace_twiddle(&c, &s, "w", ratio);
        device_inputs(x, 1);
        x[1] = zero();
        device_join(x, c, s, turn, form);
        device_outputs(x + 1, 1);
        snprintf(name, sizeof name, "device_%s_difference%d%s", ratio ? "step" : "made_step", turn, any ? "_any" : "");
        prove_inverse(name, ratio ? bound->level_plain + bound->inverse_twiddle[1][any] : bound->made_inverse[2], with);

        trace_begin(true); /* 18.7: the same without the sum */
        trace_twiddle(&c, &s, "w", ratio);
        device_inputs(x, 1);
        device_leaf(x, c, s, (unsigned)turn, form);
        device_outputs(x, 1);
        snprintf(name, sizeof name, "device_%s_leaf%d%s", ratio ? "step" : "made_step", turn, any ? "_any" : "");
        prove_inverse(name, ratio ? bound->inverse_twiddle[1][any] : bound->made_inverse[2] - bound->level_plain, with);
    }
    if (!ratio)
        return;
    struct device_point x[2];
    vec c, s;
    trace_begin(true);
    trace_twiddle(&c, &s, "w", ratio);
    for (unsigned i = 0; i < 2; i++)
        x[i] = (struct device_point){.re = trace_input()};
    device_split_real(x, c, s);
    device_outputs(x, 2);
    prove_forward(any ? "device_step_real_any" : "device_step_real", 2, 0x2, bound->level_plain, bound->forward_twiddle[1][any],
                  with);
}

/*
 * 18.1: A B, |Im A| <= 2^-k of a turn's sine, below the power p of two; each part of B off by u/2, Re A by u/2, Im A by p u/2.
 * Then the roundings of the product: parts up to 1, or one a little above, and the other one small.
 */
static void prove_made(unsigned k)
{
    static const struct {
        const char *name, *re, *im;
    } cases[] = {
        {"", "[-1, 1]", "[-1, 1]"}, {"_re", "[1, 1.0001]", "[-1b-24, 1b-24]"}, {"_im", "[-1b-24, 1b-24]", "[1, 1.0001]"}};
    const double sine = k < 3 ? 1 : nextafter(sin(0x1.921fb54442d18p2 * ldexp(1, -(int)k)) * (1 + 0x1p-40), 2);
    double p = 1;
    while (p / 2 > sine)
        p /= 2;
    for (unsigned i = 0; i < 3; i++) {
        char name[64];
        struct device_point a;
        vec c, s;
        trace_begin(true);
        trace_twiddle(&c, &s, "w", false);
        device_inputs(&a, 1);
        const int re = (int)a.re, im = (int)a.im;
        device_product(&a, c, s);
        const int zr = (int)a.re, zi = (int)a.im;
        if (a.minus_re || a.minus_im)
            give_up("a product with a sign");
        snprintf(name, sizeof name, "device_made_twiddle%u%s", k, cases[i].name);
        FILE *f = script_open(name);
        fprintf(f,
                "# %s: the roundings of a product of two entries, the first one's imaginary part small.\n"
                "@rnd = float<ieee_64, ne>;\nentry = rnd(S) - S;\n",
                name);
        print_code(f);
        fprintf(f, "re = x%d - (x%d * wc - x%d * ws);\nim = x%d - (x%d * ws + x%d * wc);\n", zr, re, im, zi, re, im);
        fprintf(
            f,
            "{\n  |x%d| <= 1 /\\ |x%d| <= %.17g /\\ |S| <= %.17g /\\ |wc| <= 1 /\\ |ws| <= 1 /\\ a%d in %s /\\ a%d in %s\n->\n",
            re, im, sine, p, zr, cases[i].re, zi, cases[i].im);
        fprintf(f, "  |entry| * 1b53 <= %.17g /\\\n", p / 2);
        fprintf(f, "  sqrt(re * re + im * im) * 1b53 + sqrt(0.5) + sqrt(0.25 + %.17g) + 1b-20 <= %.17g /\\\n", p * p / 4,
                bound->made_twiddle[k]);
        fprintf(f, "  0.7072 + sqrt(1 + %.17g) / 2 + 0.0001 + %.17g + 1.0001 - %.17g in [-1b-40, 1b-40]\n}\n", p * p, sine,
                bound->made_twiddle[k]); /* the page's sum */
        fprintf(f, "re -> (x%d - a%d) - (x%d - a%d);\nim -> (x%d - a%d) + (x%d - a%d);\n", zr, zr, trace.node[zr].c,
                trace.node[zr].c, zi, zi, trace.node[zi].c, trace.node[zi].c);
        script_close(f);
    }
}

static unsigned roundings(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < trace.n_nodes; i++)
        n += node_rounds(&trace, (int)i);
    return n;
}

static const struct bound_odd *odd_of(unsigned radix)
{
    const struct bound_odd *odd = bound->odd;
    while (odd->radix != radix)
        odd++;
    return odd;
}

static void prove_dfts(void)
{
    unsigned count[16];
    for (int inverse = 0; inverse < 2; inverse++) {
        for (unsigned radix = 3; radix <= 15; radix += radix == 9 ? 6 : 2) {
            char name[64];
            struct device_point x[15];
            trace_begin(true);
            device_inputs(x, radix);
            device_dft(x, radix, inverse ? -1 : 1);
            device_outputs(x, radix);
            check_dft(radix, inverse ? -1 : 1);
            count[radix] = roundings();
            snprintf(name, sizeof name, "device_odd%u_%s", radix, inverse ? "inverse" : "forward");
            if (radix > 7)
                continue;
            if (inverse)
                prove_inverse(name, odd_of(radix)->inverse[1], (struct twiddles){.error = 0});
            else
                prove_forward(name, radix, 0, odd_of(radix)->forward[1], 0, (struct twiddles){.error = 0});
        }
        /* of kernels above, and four products of points with four roundings */
        if (count[9] != 6 * count[3] + 4 * 4 || count[15] != 5 * count[3] + 3 * count[5])
            give_up("a radix 9 or 15 that is not made of radices 3 and 5");
    }
}

/* ---- nested radices are steps ---- */

struct step_kinds {
    unsigned n;
    struct program kind[64];
};

/* One operand of a step, and what stands for it: as in kernels.c, but for the signs of inputs. */
static bool match(const struct program *step, int x, const struct program *p, int y, int base, int first, int *of)
{
    if (step->node[x].op == OP_INPUT || step->node[x].op == OP_KNOWN) {
        if (of[x] < 0 && (step->node[x].op == OP_KNOWN) == node_known(p, y) && (node_known(p, y) || y < base))
            of[x] = y;
        return of[x] == y;
    }
    return y == base + x - first;
}

enum { STEP_FIRST = 7 }; /* two parts of the twiddle, 2, four inputs */

static bool step_at(const struct program *step, const struct program *p, int base, int *of)
{
    for (unsigned i = 0; i < STEP_FIRST; i++)
        of[i] = -1;
    if (base + (int)step->n_nodes - STEP_FIRST > (int)p->n_nodes)
        return false;
    for (int x = STEP_FIRST; x < (int)step->n_nodes; x++) {
        const struct node *a = step->node + x, *b = p->node + base + x - STEP_FIRST;
        const bool three = a->op == OP_FMA || a->op == OP_FMS || a->op == OP_FNMA;
        if (a->op != b->op || !match(step, a->a, p, b->a, base, STEP_FIRST, of) ||
            !match(step, a->b, p, b->b, base, STEP_FIRST, of) || (three && !match(step, a->c, p, b->c, base, STEP_FIRST, of)))
            return false;
    }
    return true;
}

/*
 * Each level has radix / 2 steps, which read points that no other step of the level reads; from the third level on, twiddles are
 * those behind the first two: within 45 degrees.
 */
static void check_node(unsigned radix, enum device_form form, bool inverse)
{
    static struct step_kinds kinds;
    static struct program p;
    kinds.n = 0;
    for (int turn = 0; turn < 4; turn++) {
        for (unsigned signs = 0; signs < 16; signs++) {
            struct device_point x[2];
            vec c, s;
            trace_begin(true);
            trace_twiddle(&c, &s, "w", form == DEVICE_RATIO);
            vec_set1(2);
            device_inputs(x, 2);
            x[0].minus_re = signs & 1;
            x[0].minus_im = signs & 2;
            x[1].minus_re = signs & 4;
            x[1].minus_im = signs & 8;
            if (inverse)
                device_join(x, c, s, turn, form);
            else
                device_split(x, c, s, turn, form);
            kinds.kind[kinds.n++] = trace;
        }
    }
    struct device_point x[16];
    vec c[8], s[8];
    trace_begin(true);
    for (unsigned q = 0; q < radix / 2; q++) {
        const char twiddle[2] = {(char)('p' + q), 0};
        trace_twiddle(c + q, s + q, twiddle, form == DEVICE_RATIO);
    }
    vec_set1(2);
    device_inputs(x, radix);
    int base = (int)trace.n_nodes, first = base;
    device_node(x, c, s, radix, form, inverse);
    p = trace;
    unsigned levels = 0;
    while (1u << levels < radix)
        levels++;
    for (unsigned level = 0; level < levels; level++) {
        const unsigned down = inverse ? levels - 1 - level : level; /* of the tree */
        bool read[MAX_NODES] = {false};
        const int start = base;
        for (unsigned k = 0; k < radix / 2; k++) {
            int of[STEP_FIRST];
            unsigned kind = 0;
            while (kind < kinds.n && !step_at(kinds.kind + kind, &p, base, of))
                kind++;
            if (kind == kinds.n)
                give_up("a radix that is not made of steps");
            for (unsigned i = 3; i < STEP_FIRST; i++) {
                if (of[i] >= start || read[of[i]] || (level > 0 && of[i] < first))
                    give_up("steps of a level that read the same point, or one of another level");
                read[of[i]] = true;
            }
            for (unsigned i = 0; i < 2; i++) {
                const unsigned from = down == 0 ? 0 : 1u << (down - 1), end = 1u << down;
                if (of[i] < (int)(2 * from) || of[i] >= (int)(2 * (down == 0 ? 1 : end)))
                    give_up("a twiddle of another level");
            }
            base += (int)kinds.kind[kind].n_nodes - STEP_FIRST;
        }
        first = start;
    }
    if (base != (int)p.n_nodes)
        give_up("a radix that has more than its steps");
    static const double t = TREE_ANGLE / 16,
                        angles[] = {8 * t, 4 * t, 2 * t, 2 * t - 0.125, t, t - 0.125, t + 0.0625, t - 0.0625};
    device_outputs(x, radix);
    check_tree(radix, inverse, angles);
}

/* ---- points of double-doubles: 18.4 ---- */

static void prove_dd_steps(const struct device_errors *e)
{
    const struct twiddles with = {1.0, bound->device_entry, false};
    struct device_point x[4];
    vec c[3], s[3];
#define BEGIN(points, twiddles)                       \
    trace_begin(true);                                \
    for (unsigned q = 0; q < (twiddles); q++) {       \
        const char twiddle[2] = {(char)('u' + q), 0}; \
        trace_twiddle(c + q, s + q, twiddle, false);  \
    }                                                 \
    device_inputs(x, points)
    BEGIN(2, 1);
    device_dd_split(x, c[0], s[0], e);
    device_outputs(x, 2);
    const double half[] = {TREE_ANGLE / 2};
    check_tree(2, false, half);
    prove_forward("device_dd_step_forward", 2, 0xc, bound->device_level_plain, bound->device_level_twiddle, with);

    trace_begin(true);
    trace_twiddle(c, s, "w", false);
    for (unsigned i = 0; i < 2; i++)
        x[i] = (struct device_point){.re = trace_input()};
    x[0].im = x[1].im = x[0].re; /* not read */
    device_dd_split_real(x, c[0], s[0], e);
    device_outputs(x, 2);
    prove_forward("device_dd_step_real", 2, 0x2, bound->device_level_plain, bound->device_level_twiddle, with);

    BEGIN(2, 1);
    device_dd_join(x, c[0], s[0], e);
    device_outputs(x, 1);
    prove_inverse("device_dd_step_sum", bound->device_level_plain, (struct twiddles){.largest_share = 1});
    BEGIN(1, 1);
    x[1] = zero();
    device_dd_join(x, c[0], s[0], e);
    device_outputs(x + 1, 1);
    prove_inverse("device_dd_step_difference", bound->device_level_inverse, with);

    BEGIN(4, 3);
    device_dd_split_4(x, c, s, e);
    device_outputs(x, 4);
    const double powers[] = {TREE_ANGLE / 2, TREE_ANGLE / 4, 3 * TREE_ANGLE / 4};
    check_tree(4, false, powers);
    prove_forward("device_dd_radix4_forward", 4, 0xfc, bound->device_four_plain, bound->device_level_twiddle, with);
    BEGIN(4, 3);
    device_dd_join_4(x, c, s, e);
    device_outputs(x, 4);
    check_tree(4, true, powers);
    prove_inverse("device_dd_radix4_inverse", bound->device_four_inverse, with);
#undef BEGIN
    FILE *f = script_open("device_dd_radix4_share");
    fprintf(f, "{ sqrt(1.5) * %.17g <= %.17g }\n", bound->device_level_twiddle, bound->device_four_twiddle);
    script_close(f);
}

/* The first stage on digits, whose first twiddle is e(1/8). */
static void prove_digits_steps(const struct device_errors *e)
{
    const struct twiddles with = {.largest_share = 1.0, .error = bound->device_entry, .exact_constants = true};
    for (int real = 0; real < 2; real++) {
        for (unsigned radix = 2; radix <= 4; radix += 2) {
            struct device_point x[4];
            vec c[3], s[3];
            char name[64];
            trace_begin(true);
            for (unsigned q = 1; q < radix - 1; q++) {
                const char twiddle[2] = {(char)('u' + q), 0};
                trace_twiddle(c + q, s + q, twiddle, false);
            }
            c[0] = s[0] = vec_set1(0.70710678118654752440);
            device_inputs(x, radix);
            for (unsigned i = 0; real && i < radix; i++)
                x[i].im = zero().re;
            if (radix == 2)
                device_dd_split_digits(x, c[0], real, e);
            else
                device_dd_split_4_digits(x, c, s, real, e);
            device_outputs(x, radix);
            snprintf(name, sizeof name, "device_dd_radix%u_%s", radix, real ? "real_digits" : "digits");
            prove_forward(name, radix, radix == 2 ? 0xc : 0xfc, radix == 2 ? bound->device_level_plain : bound->device_four_plain,
                          bound->device_digits_twiddle[radix / 4], with);
        }
    }
}

/* The errors of constants, relative, in u^2: their products have those on top.   Those of radix 9 are parts of an entry. */
static const double constant_error_of[] = {[3] = 0.1, [5] = 0.35, [7] = 0.35, [9] = 0.5, [15] = 0.5};
static unsigned radix_now, n_constants;

void device_constant(double first, double rest)
{
    char name[64];
    snprintf(name, sizeof name, "device_dd_constant_%u_%u", radix_now, n_constants++);
    prove_constant(name, first, rest, constant_error_of[radix_now]);
}

static void prove_dd_dfts(struct device_errors e)
{
    const double product = e.number_product, double_product = e.double_product;
    unsigned count[16];
    for (unsigned radix = 3; radix <= 7; radix += 2) {
        e.number_product = product + constant_error_of[radix];
        e.double_product = double_product + constant_error_of[radix];
        for (int way = 0; way < 3; way++) {
            const bool inverse = way == 1, digits = way == 2;
            char name[64];
            struct device_point x[7];
            trace_begin(true);
            device_inputs(x, radix);
            radix_now = radix;
            n_constants = 0;
            if (digits)
                device_dd_digits_dft(x, radix, &e);
            else
                device_dd_dft(x, radix, inverse ? -1 : 1, &e);
            device_outputs(x, radix);
            check_dft(radix, inverse ? -1 : 1);
            if (!digits)
                count[radix] = roundings();
            snprintf(name, sizeof name, "device_dd_odd%u_%s", radix, inverse ? "inverse" : digits ? "digits" : "forward");
            const struct twiddles exact = {.exact_constants = true};
            if (inverse)
                prove_inverse(name, bound->device_odd_inverse[radix], exact);
            else
                prove_forward(name, radix, 0, bound->device_odd_forward[radix], 0, exact);
        }
    }
    for (unsigned radix = 9; radix <= 15; radix += 6) { /* made of them, and of four products of points */
        struct device_point x[15];
        trace_begin(true);
        device_inputs(x, radix);
        radix_now = radix;
        n_constants = 0;
        device_dd_dft(x, radix, 1, &e);
        device_outputs(x, radix);
        check_dft(radix, 1);
        count[radix] = roundings();
    }
    if (count[9] != 6 * count[3] + 4 * 2 || count[15] != 5 * count[3] + 3 * count[5])
        give_up("a radix 9 or 15 that is not made of radices 3 and 5");
    for (int inverse = 0; inverse < 2; inverse++) {
        const double *odd = inverse ? bound->device_odd_inverse : bound->device_odd_forward;
        const double nine[] = {odd[3], bound->device_product, bound->device_entry, odd[3]}, fifteen[] = {odd[3], odd[5]};
        prove_sum(inverse ? "device_dd_odd9_inverse" : "device_dd_odd9_forward", nine, 4, odd[9]);
        prove_sum(inverse ? "device_dd_odd15_inverse" : "device_dd_odd15_forward", fifteen, 2, odd[15]);
    }
}

void prove_devices(const struct bound_constants *constants)
{
    bound = constants;
    for (int any = 0; any < 2; any++)
        prove_steps(DEVICE_RATIO, any);
    prove_steps(DEVICE_PRODUCT, true);
    for (unsigned k = 2; k < 12; k++)
        prove_made(k);
    prove_dfts();
    for (unsigned radix = 2; radix <= 16; radix *= 2)
        for (int inverse = 0; inverse < 2; inverse++)
            for (enum device_form form = DEVICE_RATIO; form <= DEVICE_PRODUCT; form++)
                check_node(radix, form, inverse);

    const struct device_errors e = {
        .sum = bound->device_sum, .double_sum = 2, .number_product = 5, .double_product = 2, .product = bound->device_product,
        .digits_product = bound->device_digits_product};
    const struct device_pair_errors pairs = {
        .dot = 12, .dot_doubles = 6, .number_product = e.number_product, .double_product = e.double_product, .sum = e.sum,
        .sum_double = 2};
    prove_device_pairs(&pairs);
    prove_dd_steps(&e);
    prove_digits_steps(&e);
    prove_dd_dfts(e);
    FILE *f = script_open("device_dd_numbers");
    fprintf(f, "{ 12 * sqrt(2) + 1 <= %.17g /\\ sqrt(0.5) <= %.17g /\\ 1 + 5 <= %.17g /\\ 6 * sqrt(2) + 1 <= %.17g }\n",
            bound->device_product, bound->device_entry, bound->device_scale, bound->device_digits_product);
    script_close(f);
}
