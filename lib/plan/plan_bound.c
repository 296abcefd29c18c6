/*
 * plan_bound.c - the proved bound of the rounding error, from the passes of a shape.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Every constant is in units of u = 2^-53 (double-double: of u^2) and is derived in doc/error-bound.md, whose section numbers
 * stand beside it.
 * Sums are evaluated in double and rounded up at the end: some hundred operations err by less than 2^-44 of the result.
 */
#include <math.h>

#include "plan/plan_dd.h"
#include "plan/plan_field.h"

#define UNIT_ROUNDOFF 0x1p-53
#define ROUND_UP      (1.0 + 0x1p-40)     /* this file's own arithmetic */
#define SQRT_HALF     0.70710678118654757 /* rounded up */
#define SQRT_TWO      1.4142135623730952
#define TWO_PI        6.2831853071795872 /* rounded up */

#define MODEL_FMA    1.0 /* plan_error_model; measured in section 16 */
#define MODEL_PLAIN  1.1
#define MODEL_CYCLIC 1.3 /* extra factor of two-for-one */

/* The range of twiddle angles of a level. */
enum twiddle_range {
    TWIDDLE_ONE,    /* w = 1 in every node: exact */
    TWIDDLE_GENTLE, /* |arg w| <= 45 degrees */
    TWIDDLE_ANY,
    TWIDDLE_RANGES
};

/* The table of constants: [0] without FMA, [1] with FMA. */

/* Section 4.1: error of t = c (1 + i tau) b before it is added to a: rounding and twiddle, as a multiple of |b|. */
static const double forward_twiddle[2][TWIDDLE_RANGES] = {{0, 2 + 0.7072 + 0.6709, 2 + 1.0 + 1.0001},
                                                          {0, 1 + 0.6709, 1 + 1.0001}};
/* Section 4.2: error of conj(w) p after the subtraction p = a - b, as a multiple of |p|. */
static const double inverse_twiddle[2][TWIDDLE_RANGES] = {{0, 2 + 0.7072 + 0.6709, 2 + 1.0 + 1.0001},
                                                          {0, 2 + 0.6709, 2 + 1.0001}};
/* Section 3: a complex product by MUL and FMA, and one with a rounded table entry (plus sqrt(1/2)). */
static const double product[2] = {2.2361, 2.0};
static const double table_product[2] = {2.2361 + 0.7072, 2.0 + 0.7072};
/* Section 4.3: a product with a twiddle that is itself a product of two rounded entries, with FMA. */
static const double made_product = 2.0 + 2.9956;
/* Sections 5 and 15: the kernels of the odd radices. */
static const struct odd_constants {
    unsigned radix;
    double forward[2], inverse[2];
} odd_constants[] = {
#define ODD_RADIX(radix, turned, forward, forward_fma, inverse, inverse_fma) \
    {radix, {forward, forward_fma}, {inverse, inverse_fma}},
#include "plan/odd_factors.def"
};
/* Section 8: scale by 1/n if n is no power of two. */
static const double inexact_scale[2] = {2.0, 1.0};

static enum twiddle_range level_range(const struct plan_shape *shape, const struct plan_pass *pass, unsigned level)
{
    if (pass->depth == 0 && shape->transform.odd == 1) {
        /* one node: e(theta / 2), e(theta / 4), .. with theta = 1/4 (all within 45 degrees) or 0 (the first two exact) */
        if (shape->transform.packing == GFMUL_PACKING_RIGHT_ANGLE)
            return TWIDDLE_GENTLE;
        return level < 2 ? TWIDDLE_ONE : TWIDDLE_GENTLE;
    }
    return level < 2 ? TWIDDLE_ANY : TWIDDLE_GENTLE; /* e(theta / 2), e(theta / 4); e(theta / 8), e(theta / 8 - 1 / 8) */
}

static void add_odd(struct plan_constants *sum, unsigned radix, int fma)
{
    const struct odd_constants *odd = odd_constants;
    while (odd->radix != radix)
        odd++;
    sum->plain += odd->forward[fma];
    sum->inverse += odd->inverse[fma];
}

static void add_level(struct plan_constants *sum, enum twiddle_range range, int fma)
{
    const double t = forward_twiddle[fma][range];
    sum->plain += 1.0;
    sum->twiddle += t;
    sum->twiddle_sq += t * t;
    sum->inverse += 1.0 + inverse_twiddle[fma][range];
}

void plan_constants_odd(struct plan_constants *sum, unsigned radix)
{
    add_odd(sum, radix, 1);
}

void plan_constants_sum(struct plan_constants *sum)
{
    add_level(sum, TWIDDLE_ONE, 1);
}

void plan_constants_level(struct plan_constants *sum, bool within_45_degrees)
{
    add_level(sum, within_45_degrees ? TWIDDLE_GENTLE : TWIDDLE_ANY, 1);
}

void plan_constants_product(struct plan_constants *sum, double angle)
{
    const double small_part = angle < 0.25 ? sin(TWO_PI * angle) : 1.0;
    double power = 1.0;
    while (power / 2.0 > small_part)
        power /= 2.0;
    const double factor = 0.5 * sqrt(1.0 + power * power) + 1e-4; /* the error of the entry of small angle */
    const double t = factor + 0.7072 + 1.0001 + small_part;       /* section 18.1 */
    sum->plain += 3.0324;                                         /* section 18.2: sqrt 2 + (1 + sqrt 5) / 2 */
    sum->twiddle += t;
    sum->twiddle_sq += t * t;
    sum->inverse += 3.0 + t;
}

/* Adds T; the last two passes make their twiddles if they are of radix 4. */
static double radix4_twiddle(const struct plan_pass *pass)
{
    const bool made = pass->butterfly == BUTTERFLY_RADIX4 && pass->node_points <= PLAN_MADE_POINTS;
    return made ? made_product : table_product[1];
}

/* Section 4.3: one step whose twiddles act on a share of up to 3/4 instead of 1/2. */
static void add_radix4(struct plan_constants *sum, const struct plan_pass *pass)
{
    const double t = radix4_twiddle(pass);
    sum->plain += 2.0;
    sum->twiddle += 1.2247449 * t; /* the root of 3/2 */
    sum->twiddle_sq += t * t;
    sum->inverse += 2.0 + t;
}

/* Section 4.3: true radix 4, then a step within 45 degrees. */
static void add_mixed(struct plan_constants *sum, const struct plan_pass *pass, int fma)
{
    add_radix4(sum, pass);
    add_level(sum, TWIDDLE_GENTLE, fma);
}

void plan_pass_constants(struct plan_pass_constants *c, const struct plan_shape *shape, unsigned p)
{
    const struct plan_pass *pass = &shape->transform.pass[p];
    const int f = shape->bound.fma;
    *c = (struct plan_pass_constants){.n_forward = 1, .n_inverse = 1};
    if (plan_field(shape)->pairs) {
        plan_dd_pass_constants(shape, p, &c->forward[0], &c->inverse[0]);
    } else if (pass->levels == 0) {
        struct plan_constants sum = {.plain = 0};
        add_odd(&sum, pass->radix, f);
        c->forward[0] = sum.plain;
        c->inverse[0] = sum.inverse;
    } else if (pass->butterfly == BUTTERFLY_RADIX4) {
        c->n_inverse = pass->levels;
        c->forward[0] = radix4_twiddle(pass);
        c->inverse[0] = 1.0 + c->forward[0];
        c->inverse[1] = 1.0;
    } else if (pass->butterfly == BUTTERFLY_MIXED) {
        c->n_forward = 2;
        c->n_inverse = pass->levels;
        c->forward[0] = radix4_twiddle(pass);
        c->forward[1] = forward_twiddle[f][TWIDDLE_GENTLE];
        c->inverse[0] = 1.0 + c->forward[0];
        c->inverse[1] = 1.0;
        c->inverse[2] = 1.0 + inverse_twiddle[f][TWIDDLE_GENTLE];
    } else {
        c->n_forward = c->n_inverse = pass->levels;
        for (unsigned level = 0; level < pass->levels; level++) {
            const enum twiddle_range range = level_range(shape, pass, level);
            c->forward[level] = forward_twiddle[f][range];
            c->inverse[level] = 1.0 + inverse_twiddle[f][range];
        }
    }
}

static struct plan_constants sum_passes(const struct plan_shape *shape)
{
    struct plan_constants sum = {.plain = 0};
    if (shape->device.used || plan_field(shape)->pairs)
        return shape->bound.constants;
    for (unsigned p = 0; p < shape->transform.n_passes; p++) {
        const struct plan_pass *pass = &shape->transform.pass[p];
        if (pass->levels == 0)
            add_odd(&sum, pass->radix, shape->bound.fma);
        else if (pass->butterfly == BUTTERFLY_RADIX4)
            add_radix4(&sum, pass);
        else if (pass->butterfly == BUTTERFLY_MIXED)
            add_mixed(&sum, pass, shape->bound.fma);
        for (unsigned level = 0; pass->butterfly == BUTTERFLY_NESTED && level < pass->levels; level++)
            add_level(&sum, level_range(shape, pass, level), shape->bound.fma);
    }
    return sum;
}

/* Energies of one operand: its norm, and the energy that the twiddles of all binary levels can act on. */
struct energy {
    double norm;
    double behind_sq; /* sum over levels of E_s; negative: only E_s <= norm^2 / 2 is known for each */
};

/* Section 6: the error of a forward transform divided by sqrt(n) u. */
static double forward_error(const struct plan_constants *sum, struct energy e)
{
    double full = sum->twiddle * e.norm;
    double behind = e.behind_sq < 0 ? full * SQRT_HALF : sqrt(sum->twiddle_sq * e.behind_sq);
    return sum->plain * e.norm + (behind < full ? behind : full);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* Section 11: bounds of the points w_j of the exact inverse of the computed spectrum. */
struct points_seen {
    double largest;     /* |w_j| */
    double root_energy; /* root of the largest sum of |w_j|^2 over one class of j */
};

/* points_norm - root of the sum of |w_j|^2 over the j that are equal modulo n_points / nodes; at most xy. */
static double points_norm(const struct plan_shape *shape, const struct points_seen *seen, double xy, double nodes)
{
    const double classes = PLAN_ENERGY_CLASSES * nodes / (double)shape->transform.n_points; /* how many classes these j fill */
    const double norm = least(sqrt(nodes) * seen->largest, sqrt(classes > 1.0 ? classes : 1.0) * seen->root_energy);
    return least(xy, norm);
}

/* Sections 3 and 8: the pointwise product, and a scale by 1/n that is no power of two. */
double plan_product_constant(const struct plan_shape *shape)
{
    return plan_field(shape)->pairs ? shape->bound.constants.product : product[shape->bound.fma];
}

double plan_scale_constant(const struct plan_shape *shape)
{
    return shape->transform.odd == 1  ? 0.0
           : plan_field(shape)->pairs ? shape->bound.constants.scale
                                      : inexact_scale[shape->bound.fma];
}

/*
 * Section 11: replaces the term (D_i + s) ||x|| ||y|| if points have been measured.  Results of M nodes are bounded by the points
 * that they end in.  For a level of a pass these are the nodes that it completes, for an odd kernel those that it reads.
 */
static double inverse_from_points(const struct plan_shape *shape, double xy, const struct points_seen *seen)
{
    double sum = plan_scale_constant(shape) * least(xy, seen->largest);
    if (shape->device.used) {
        const struct plan_constants *c = &shape->bound.constants;
        sum += c->inverse_odd * points_norm(shape, seen, xy, shape->transform.odd);
        for (unsigned level = 0; level < PLAN_MAX_LEVELS; level++)
            sum += c->inverse_level[level] * points_norm(shape, seen, xy, ldexp(shape->transform.odd, (int)level));
        return sum;
    }
    for (unsigned p = 0; p < shape->transform.n_passes; p++) {
        const struct plan_pass *pass = &shape->transform.pass[p];
        const double nodes = (double)pass->n_nodes;
        struct plan_pass_constants c;
        plan_pass_constants(&c, shape, p);
        if (pass->levels == 0)
            sum += c.inverse[0] * points_norm(shape, seen, xy, nodes * pass->radix);
        for (unsigned level = 0; level < pass->levels; level++)
            sum += c.inverse[level] * points_norm(shape, seen, xy, ldexp(nodes, (int)level));
    }
    return sum;
}

/* The three parts of the bound that depend on the operands: see struct plan_sum; rest: the constants on `norms`. */
struct first_order {
    double norms, forward, pointwise, passes;
};

/* Section 7, the end; section 11 if seen is not NULL. */
static double bound_from_parts(const struct plan_shape *shape, double inverse, const struct first_order *of, double rest,
                               const struct points_seen *seen, double *k)
{
    const double scale = plan_scale_constant(shape), unit = plan_field(shape)->unit, xy = of->norms;
    double first_order = of->forward + rest * xy;
    if (seen && shape->transform.packing == GFMUL_PACKING_RIGHT_ANGLE) {
        const double d = inverse + scale;
        first_order += inverse_from_points(shape, xy, seen) + d * d * unit * xy;
    }
    /* elementary relative errors that every value meets in full */
    const double all = 2.0 * of->passes + of->pointwise + inverse + scale + 1.0;
    if (k)
        *k = xy > 0 ? first_order / xy * plan_field(shape)->round_up : 0.0;
    return first_order * unit / (1.0 - all * unit) * plan_field(shape)->round_up;
}

/* sum_size - how many products a plan adds up. */
static double sum_size(const struct plan_shape *shape)
{
    return shape->bound.products > 1 ? (double)shape->bound.products : 1.0;
}

/* Section 7: the theorem; section 11 if seen is not NULL; section 23 for a plan of sums, whose products are all as large. */
static double bound_from_sums(const struct plan_shape *shape, const struct plan_constants *passes, struct energy a,
                              struct energy b, const struct points_seen *seen, double *k)
{
    const struct plan_constants sum = *passes;
    const int f = shape->bound.fma;
    const double scale = plan_scale_constant(shape), products = sum_size(shape);
    struct first_order of = {.norms = a.norm * b.norm * products, .passes = sum.plain + sum.twiddle};
    double rest; /* constants on ||x|| ||y||: pointwise work, inverse, scale */

    if (shape->transform.packing == GFMUL_PACKING_TWO_FOR_ONE) {
        double w = ldexp(1.0, shape->digits.balance_exp);
        struct energy v;
        v.norm = sqrt(a.norm * a.norm + w * w * (b.norm * b.norm));
        v.behind_sq = a.behind_sq < 0 || b.behind_sq < 0 ? -1.0 : a.behind_sq + w * w * b.behind_sq;
        of.forward = v.norm * forward_error(&sum, v) / w;
        of.pointwise = 2.0 + product[f];
        rest = of.pointwise + sum.inverse + scale;
    } else {
        of.forward = (forward_error(&sum, a) * b.norm + a.norm * forward_error(&sum, b)) * products;
        if (shape->transform.packing == GFMUL_PACKING_ONE_FOR_HALF) {
            const double angle = shape->device.used ? sum.leaf : table_product[f];
            of.pointwise = 3.0 * SQRT_TWO + angle + 2.0 * product[f] + 2.0;
            rest = of.pointwise + SQRT_TWO * sum.inverse + scale;
        } else {
            of.pointwise = shape->bound.products > 0 ? plan_sum_constant(shape, shape->bound.products)
                                                     : plan_product_constant(shape);
            rest = of.pointwise + (seen ? 0.0 : sum.inverse + scale);
        }
    }
    return bound_from_parts(shape, sum.inverse, &of, rest, seen, k);
}

static double bound_from_energies(const struct plan_shape *shape, struct energy a, struct energy b, double *k)
{
    const struct plan_constants sum = sum_passes(shape);
    return bound_from_sums(shape, &sum, a, b, NULL, k);
}

/* Largest |digit|: ceil(B / 2). */
static double digit_max(const struct plan_shape *shape)
{
    return (double)((shape->digits.digit_base + 1) / 2);
}

double plan_bound_worst(const struct plan_shape *shape, double *k)
{
    const double d = digit_max(shape);
    struct energy a = {sqrt((double)shape->digits.an) * d * ROUND_UP, -1.0};
    struct energy b = {sqrt((double)shape->digits.bn) * d * ROUND_UP, -1.0};
    return bound_from_energies(shape, a, b, k);
}

double plan_bound_sums(const struct plan_shape *shape, double *k)
{
    const double sums = (double)plan_grid_sums(shape);
    double constant, bound = plan_bound_worst(shape, &constant);
    if (k)
        *k = constant;
    return sums <= 1.0 ? bound : bound * sums * (1.0 + 3.0 * (sums - 1.0) / constant) * (1.0 + 0x1p-30);
}

/* Uniform balanced digits: E x^2 <= (B^2 + 5) / 12, and x^2 deviates by at most 0.9 times that; add 2 % and 4 deviations. */
static struct energy expected_energy(const struct plan_shape *shape, size_t digits)
{
    const double base = (double)shape->digits.digit_base, count = (double)digits, d = digit_max(shape);
    double sq = (base * base + 5.0) / 12.0 * (1.02 + 3.6 / sqrt(count));
    if (sq > d * d)
        sq = d * d;
    struct energy e = {sqrt(count * sq), count * sq * 0.5 * shape->transform.log2_n};
    return e;
}

double plan_bound_expected(const struct plan_shape *shape, double *k)
{
    const struct energy a = expected_energy(shape, shape->digits.an), b = expected_energy(shape, shape->digits.bn);
    return bound_from_energies(shape, a, b, k);
}

/* sum_raised - an upper bound of a sum of this many positive terms, whose additions and products may have been rounded. */
static double sum_raised(double sum, double terms)
{
    double allowance = 0x1p-20 > 4.0 * terms * UNIT_ROUNDOFF ? 0x1p-20 : 4.0 * terms * UNIT_ROUNDOFF;
    return sum * (1.0 + allowance);
}

/* A sum of the energies of digits is exact below 2^53. */
static double sum_up(double sum, double digits)
{
    return sum < 0x1p53 ? sum : sum_raised(sum, digits);
}

static struct energy measured_energy(const struct plan_shape *shape, const struct digit_norms *x)
{
    const double digits = (double)shape->transform.n_digits;
    struct energy e = {sqrt(sum_up(x->sum_sq, digits)) * ROUND_UP, sum_up(x->sum_pop, digits) * ROUND_UP};
    return e;
}

double plan_bound_measured(const struct plan_shape *shape, const struct digit_norms *a, const struct digit_norms *b, double *k)
{
    return bound_from_energies(shape, measured_energy(shape, a), measured_energy(shape, b), k);
}

/* points_of - section 11: from the computed coefficients to the exact inverse of the computed spectrum. */
static struct points_seen points_of(const struct plan_shape *shape, double max_value, double max_energy, double prior)
{
    const double n = (double)shape->transform.n_points;
    struct points_seen seen;
    seen.largest = SQRT_TWO * max_value * ROUND_UP + prior; /* a point has two coefficients */
    seen.root_energy = sqrt(sum_raised(max_energy, 2.0 * n)) * ROUND_UP + sqrt(n / PLAN_ENERGY_CLASSES) * prior;
    return seen;
}

static double posterior(const struct plan_shape *shape, struct energy a, struct energy b, double max_value, double max_energy,
                        double *k)
{
    const struct plan_constants sum = sum_passes(shape);
    const double prior = bound_from_sums(shape, &sum, a, b, NULL, k);
    if (shape->transform.packing != GFMUL_PACKING_RIGHT_ANGLE)
        return prior;
    if (!(max_value < HUGE_VAL))
        return HUGE_VAL;
    const struct points_seen seen = points_of(shape, max_value, max_energy, prior);
    return bound_from_sums(shape, &sum, a, b, &seen, k);
}

double plan_bound_posterior(const struct plan_shape *shape, const struct digit_norms *a, const struct digit_norms *b,
                            double max_value, double max_energy, double *k)
{
    return posterior(shape, measured_energy(shape, a), measured_energy(shape, b), max_value, max_energy, k);
}

/*
 * A coefficient is a sum of products x_i y_(j-i).  For given y it is sub-Gaussian.  Its variance is at most that of one x_i times
 * ||y||^2; for a square it is twice that, because each product occurs twice.  It exceeds t deviations with a probability of
 * 2 exp(-t^2/2), and there are 2n coefficients.
 *
 * If the spectra are those of noise, the energies of all points add up to the energy of x times that of y (a square: twice that).
 * They are means of n products, each of which deviates by the root of 3 (of 5) of its size; the bound allows six deviations of an
 * eighth of them.  Balanced digits of an even base have the mean -1/2, which adds up in each coefficient.
 */
double plan_bound_expected_posterior(const struct plan_shape *shape, double *k)
{
    const struct energy a = expected_energy(shape, shape->digits.an), b = expected_energy(shape, shape->digits.bn);
    const double products = sum_size(shape);
    const double deviations =
        sqrt(2.0 * log(4e6 * (double)shape->transform.n_points) * products) * (shape->square ? SQRT_TWO : 1.0);
    const double digit = a.norm / sqrt((double)shape->digits.an); /* of the longer operand */
    const double xy = a.norm * b.norm, part = (double)shape->transform.n_points / PLAN_ENERGY_CLASSES;
    const double spread = 1.0 + 6.0 * sqrt((shape->square ? 5.0 : 3.0) / part);
    const double mean = 0.25 * (double)shape->digits.bn * products;
    const double energy = products * xy * xy / PLAN_ENERGY_CLASSES * (shape->square ? 2.0 : 1.0) * spread + part * mean * mean;
    return posterior(shape, a, b, deviations * digit * b.norm, shape->device.used || plan_field(shape)->pairs ? HUGE_VAL : energy,
                     k);
}

/* ---- sums of products: section 23 ---- */

double plan_sum_constant(const struct plan_shape *shape, size_t products)
{
    const double plain = shape->bound.fma ? 0.0 : SQRT_TWO;
    if (products <= PLAN_SUM_BLOCK)
        return 2.0 * (double)products + plain;
    return 2.0 * PLAN_SUM_BLOCK + ceil((double)products / PLAN_SUM_BLOCK) + plain;
}

struct plan_factor plan_factor_digits(const struct plan_shape *shape, const struct digit_norms *x)
{
    const struct plan_constants sum = sum_passes(shape);
    const struct energy e = measured_energy(shape, x);
    return (struct plan_factor){e.norm, forward_error(&sum, e) * ROUND_UP, sum.plain + sum.twiddle};
}

struct plan_factor plan_factor_add(const struct plan_shape *shape, const struct plan_factor *a, const struct plan_factor *b,
                                   double energy)
{
    const double n = (double)shape->transform.n_points, norm = sqrt(sum_raised(energy, 2.0 * n) / n) * ROUND_UP;
    struct plan_factor x = {.passes = (a->passes > b->passes ? a->passes : b->passes) + 1.0};
    x.error = (a->error + b->error + norm) * ROUND_UP;
    x.norm = (norm + x.error * UNIT_ROUNDOFF) * ROUND_UP;
    return x;
}

void plan_sum_add(struct plan_sum *sum, const struct plan_factor *a, const struct plan_factor *b)
{
    const double passes = a->passes > b->passes ? a->passes : b->passes;
    sum->norms = (sum->norms + a->norm * b->norm) * ROUND_UP;
    sum->forward = (sum->forward + a->error * b->norm + a->norm * b->error) * ROUND_UP;
    sum->passes = passes > sum->passes ? passes : sum->passes;
    sum->products++;
}

double plan_bound_sum(const struct plan_shape *shape, const struct plan_sum *x, double max_value, double max_energy, double *k)
{
    const struct plan_constants sum = sum_passes(shape);
    const struct first_order of = {x->norms, x->forward, plan_sum_constant(shape, x->products), x->passes};
    const double rest = of.pointwise + sum.inverse + plan_scale_constant(shape);
    const double prior = bound_from_parts(shape, sum.inverse, &of, rest, NULL, k);
    if (!(max_value < HUGE_VAL))
        return HUGE_VAL;
    const struct points_seen seen = points_of(shape, max_value, max_energy, prior);
    return bound_from_parts(shape, sum.inverse, &of, of.pointwise, &seen, k);
}

/*
 * Rounding errors of random digits behave like noise of relative size u in each level, spread evenly over the coefficients.  The
 * largest of 2n errors is some deviations above it.  The factor has been measured: doc/error-bound.md, section 16.
 */
double plan_error_model(const struct plan_shape *shape, const struct digit_norms *a, const struct digit_norms *b)
{
    const double n = (double)shape->transform.n_points, measured[2] = {MODEL_PLAIN, MODEL_FMA};
    const double x = a ? sqrt(a->sum_sq) : expected_energy(shape, shape->digits.an).norm;
    const double y = b ? sqrt(b->sum_sq) : expected_energy(shape, shape->digits.bn).norm;
    double xy = x * y;
    if (shape->square) { /* each product of two digits occurs twice, with the same error */
        xy *= SQRT_TWO;
    } else if (shape->transform.packing == GFMUL_PACKING_TWO_FOR_ONE && xy > 0) { /* section 14.1 */
        const double r = x / ldexp(y, shape->digits.balance_exp);
        xy *= MODEL_CYCLIC * 0.5 * (r + 1.0 / r);
    }
    return measured[shape->bound.fma] * UNIT_ROUNDOFF * sqrt(log2(n) * 2.0 * log(2.0 * n)) * xy / sqrt(n);
}

static unsigned ceil_log2(uint64_t x)
{
    unsigned r = 0;
    while (r < 63 && ((uint64_t)1 << r) < x)
        r++;
    return r;
}

bool plan_knuth_holds(const struct plan_shape *shape)
{
    const unsigned m = ceil_log2(shape->transform.n_digits), l = ceil_log2(shape->digits.digit_base);
    return 4 * m + 2 * l <= plan_field(shape)->mu &&
           plan_knuth_bits(m, l, (double)plan_grid_sums(shape)) <= plan_field(shape)->mu;
}

double plan_knuth_bits(double m, double l, double products)
{
    return 2.0 * (m + l) + m + log2(m) + 3.5 + log2(products);
}
