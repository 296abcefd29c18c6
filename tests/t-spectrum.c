/* t-spectrum.c - the transforms against a DFT by its definition, and against one another. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "operands.h"
#include "reference.h"
#include "shapes.h"

static const double unit = 0x1p-53;

/* The lengths visited: first the short ones, which the DFT is taken of; of every odd factor some of both. */
static struct shape_sizes sizes;
static size_t n_short;

static void list_sizes(void)
{
    for (unsigned o = 0; plan_odd_factor(o); o++)
        for (unsigned odd = plan_odd_factor(o), log2_n = 6; log2_n == 6 || odd << log2_n <= 3072; log2_n++)
            shape_sizes_add(&sizes, odd, log2_n);
    n_short = sizes.n;
    /* with passes on columns and several rows for each thread */
    for (unsigned log2_n = 12; log2_n <= 18; log2_n++)
        shape_sizes_add(&sizes, 1, log2_n);
    for (unsigned o = 1; plan_odd_factor(o); o++) {
        const unsigned odd = plan_odd_factor(o), log2_n = shape_log2(odd, (size_t)1 << 18);
        shape_sizes_add(&sizes, odd, shape_log2(odd, (size_t)1 << 14));
        shape_sizes_add(&sizes, odd, log2_n < 15 ? log2_n : 15);
    }
}

static unsigned quarter_of(enum gfmul_packing packing)
{
    return packing == GFMUL_PACKING_RIGHT_ANGLE ? 1 : 0;
}

/* Random points, small integers or full doubles; points from used on are zero. */
static void fill_points(const struct plan *plan, double *x, size_t used, unsigned kind, uint64_t seed)
{
    for (size_t p = 0; p < plan->shape.transform.n_points; p++)
        for (unsigned part = 0; part < 2; part++) {
            double v;
            size_t j = 2 * p + part;
            if (p >= used)
                v = 0;
            else if (kind == 0)
                v = ((double)(int64_t)test_u64()) * 0x1p-40;
            else if (kind == 1)
                v = (double)operand_digit(OPERAND_DIGITS_WAVE, 1 << 12, j, 2 * plan->shape.transform.n_points, seed);
            else if (kind == 2)
                v = (double)operand_digit(OPERAND_DIGITS_MIN, 1 << 12, j, 2 * plan->shape.transform.n_points, seed);
            else
                v = (double)((int64_t)test_below(8193) - 4096);
            x[shape_point(plan, p) + 8 * part] = v;
        }
}

/* Points that differ, a zero being equal to the other zero. */
static size_t points_differ(const struct plan *plan, const double *x, const double *y, size_t *first)
{
    size_t different = 0;
    for (size_t p = plan->shape.transform.n_points; p-- > 0;) {
        size_t at = shape_point(plan, p);
        if (!(x[at] == y[at] && x[at + 8] == y[at + 8])) {
            *first = p;
            different++;
        }
    }
    return different;
}

static bool check_same_points(const struct plan *plan, const double *x, const double *y, const char *what)
{
    size_t first = 0, different = points_differ(plan, x, y, &first), at = shape_point(plan, first);
    return TEST_CHECK_MSG(different == 0, "%s: %zu of %zu points differ, the first is %zu: (%.17g, %.17g) and (%.17g, %.17g)",
                          what, different, plan->shape.transform.n_points, first, x[at], x[at + 8], y[at], y[at + 8]);
}

static double *copy(const struct plan *plan, const double *x)
{
    double *y = shape_buffer(plan);
    memcpy(y, x, plan_buffer_doubles(&plan->shape) * sizeof *x);
    return y;
}

/*
 * What the rounding of a forward or inverse transform may reach in the 2-norm, relatively: 3.95 u a level for radix 2 without
 * FMA, 8 u for an odd pass (doc/error-bound.md); random data stay far below, and a wrong or careless twiddle does not.
 */
static double norm_limit(const struct plan *plan, bool random)
{
    double levels = plan->shape.transform.log2_n + (plan->shape.transform.odd > 15  ? 5
                                                    : plan->shape.transform.odd > 5 ? 3
                                                    : plan->shape.transform.odd > 1 ? 2
                                                                                    : 0);
    return unit * (random ? 1.2 * sqrt(levels) + 0.1 * levels : 3.95 * levels + 0.2);
}

/* forward == DFT at the angles of the tree; inverse(forward) == n times the points */
static void test_forward_is_dft(void)
{
    double worst = 0;
    for (size_t k = 0; k < n_short; k++)
        for (unsigned quarter = 0; quarter < 2; quarter++)
            for (unsigned kind = 0; kind < 3; kind++) {
                size_t n = (size_t)sizes.size[k].odd << sizes.size[k].log2_n;
                if (kind > 0 && n > 1024 && !test_longest_tier())
                    continue;
                double *re = malloc(n * sizeof *re), *im = malloc(n * sizeof *im);
                long double *out_re = malloc(n * sizeof *out_re), *out_im = malloc(n * sizeof *out_im);
                if (re == NULL || im == NULL || out_re == NULL || out_im == NULL)
                    exit(1);
                bool have = false;
                uint64_t seed = test_u64(), state = test_state.state;
                for (size_t i = 0; isa_ops_list(i) != NULL; i++)
                    for (unsigned p = 0; p < 3; p++)
                        for (unsigned max_radix = 4; max_radix <= isa_ops_list(i)->max_radix; max_radix += 4) {
                            if (quarter_of(shape_packings[p]) != quarter)
                                continue;
                            const struct isa_ops *ops = isa_ops_list(i);
                            struct plan *plan =
                                shape_plan(ops, shape_packings[p], sizes.size[k].odd, sizes.size[k].log2_n, 2, 10, 0, max_radix);
                            double *x = shape_buffer(plan);
                            test_state.state = state; /* the same points for everyone */
                            fill_points(plan, x, n, kind, seed);
                            if (!have) {
                                for (size_t j = 0; j < n; j++) {
                                    re[j] = x[shape_point(plan, j)];
                                    im[j] = x[shape_point(plan, j) + 8];
                                }
                                ref_spectrum(out_re, out_im, re, im, sizes.size[k].odd, sizes.size[k].log2_n, quarter);
                                have = true;
                            }
                            shape_note(plan, "kind", kind);
                            plan->ops->digits_to_spectrum(plan, x, n, 1);
                            long double error = 0, norm = 0, largest = 0;
                            size_t where = 0;
                            for (size_t j = 0; j < n; j++) {
                                size_t at = shape_leaf(plan, j);
                                long double dr = x[at] - out_re[j], di = x[at + 8] - out_im[j], e = dr * dr + di * di;
                                error += e;
                                norm += out_re[j] * out_re[j] + out_im[j] * out_im[j];
                                if (!(e <= largest)) {
                                    largest = e;
                                    where = j;
                                }
                            }
                            double ratio = (double)sqrtl(error / norm);
                            TEST_CHECK_MSG(ratio <= norm_limit(plan, kind == 0),
                                           "forward: relative error %.3g u in the 2-norm, at most %.3g u is allowed; leaf %zu is "
                                           "(%.17g, %.17g), should be (%.17Lg, %.17Lg)",
                                           ratio / unit, norm_limit(plan, kind == 0) / unit, where, x[shape_leaf(plan, where)],
                                           x[shape_leaf(plan, where) + 8], out_re[where], out_im[where]);
                            if (ratio / unit > worst)
                                worst = ratio / unit;
                            plan->ops->spectrum_to_digits(plan, x, 1);
                            error = norm = 0;
                            for (size_t j = 0; j < n; j++) {
                                size_t at = shape_point(plan, j);
                                long double dr = x[at] / (long double)n - re[j], di = x[at + 8] / (long double)n - im[j];
                                error += dr * dr + di * di;
                                norm += (long double)re[j] * re[j] + (long double)im[j] * im[j];
                            }
                            ratio = (double)sqrtl(error / norm);
                            TEST_CHECK_MSG(ratio <= 2 * norm_limit(plan, kind == 0),
                                           "inverse of forward: relative error %.3g u in the 2-norm, at most %.3g u is allowed",
                                           ratio / unit, 2 * norm_limit(plan, kind == 0) / unit);
                            alloc_free(x);
                            plan_destroy(plan);
                        }
                test_state.state = state + seed;
                free(re);
                free(im);
                free(out_re);
                free(out_im);
            }
    printf("worst relative error of a forward transform: %.3g u\n", worst);
}

/* One impulse: every leaf has modulus 1, and leaf k is the root of its angle: finds a wrong twiddle at once. */
static void test_impulse(void)
{
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (unsigned p = 0; p < 3; p++)
            for (size_t k = 0; k < sizes.n; k++) {
                const unsigned odd = sizes.size[k].odd, log2_n = sizes.size[k].log2_n;
                size_t n = (size_t)odd << log2_n;
                if (n > 20000 && !test_longest_tier() && i > 0)
                    continue;
                const struct isa_ops *ops = isa_ops_list(i);
                struct plan *plan = shape_plan(ops, shape_packings[p], odd, log2_n, 2, 10, 0, ops->max_radix);
                double *x = shape_buffer(plan);
                size_t j = test_below(n);
                fill_points(plan, x, 0, 3, 0);
                x[shape_point(plan, j)] = 1;
                shape_note(plan, "impulse at", j);
                plan->ops->digits_to_spectrum(plan, x, n, 1 + (unsigned)test_below(3));
                double worst = 0;
                size_t where = 0;
                for (size_t leaf = 0; leaf<n; leaf += n> 4096 ? n / 1024 + 1 : 1) {
                    struct ref_angle a = ref_node_angle(odd, log2_n, leaf, quarter_of(shape_packings[p]));
                    ref_quad c, s;
                    ref_cos_sin(&c, &s, (uint64_t)((unsigned __int128)a.p * j % a.q), a.q);
                    size_t at = shape_leaf(plan, leaf);
                    double e = hypot((double)(x[at] - c), (double)(x[at + 8] - s));
                    if (!(e <= worst)) {
                        worst = e;
                        where = leaf;
                    }
                }
                double limit = unit * (4 * (log2_n + 2.0) + 2);
                TEST_CHECK_MSG(worst <= limit, "leaf %zu is off by %.3g u, at most %.3g u is allowed", where, worst / unit,
                               limit / unit);
                alloc_free(x);
                plan_destroy(plan);
            }
}

/*
 * test_zero_half - an upper half that is zero is not read by the first pass of a cyclic length, if that is a power of two or has
 * one odd pass: it is poison here.  The points are the same.  A root that is a leaf, and one of 64 odd points, is read whole.
 */
static void test_zero_half(void)
{
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (size_t k = 0; k < 2 * sizes.n; k++) {
            const unsigned odd = sizes.size[k / 2].odd, log2_n = sizes.size[k / 2].log2_n;
            const size_t n = (size_t)odd << log2_n;
            if (n > 20000 && !test_longest_tier() && i > 0)
                continue;
            const struct isa_ops *ops = isa_ops_list(i);
            const enum gfmul_packing packing = k % 2 ? GFMUL_PACKING_TWO_FOR_ONE : GFMUL_PACKING_ONE_FOR_HALF;
            struct plan *plan = shape_plan(ops, packing, odd, log2_n, 2, 10, 0, ops->max_radix);
            const bool skips = log2_n > 6 && (odd == 1 || plan->shape.transform.pass[0].radix == odd);
            const size_t used = test_below(2) ? n / 2 : test_between(1, n / 2);
            double *x = shape_buffer(plan);
            fill_points(plan, x, used, 3, 0);
            double *y = copy(plan, x);
            for (size_t p = n / 2; p < n && skips; p++)
                y[shape_point(plan, p)] = y[shape_point(plan, p) + 8] = NAN;
            shape_note(plan, "the upper half is poison, used", used);
            plan->ops->digits_to_spectrum(plan, x, n, 1);
            plan->ops->digits_to_spectrum(plan, y, used, 1 + (unsigned)test_below(3));
            check_same_points(plan, x, y, "all points, and those of the lower half");
            alloc_free(x);
            alloc_free(y);
            plan_destroy(plan);
        }
}

/* Points known to be zero change nothing; neither do threads. */
static void test_used_points_and_threads(void)
{
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (unsigned p = 0; p < 3; p++)
            for (size_t k = 0; k < sizes.n; k++) {
                const unsigned odd = sizes.size[k].odd, log2_n = sizes.size[k].log2_n;
                size_t n = (size_t)odd << log2_n;
                if (n > 20000 && !test_longest_tier() && (i > 0 || p == 0))
                    continue;
                const struct isa_ops *ops = isa_ops_list(i);
                struct plan *plan = shape_plan(ops, shape_packings[p], odd, log2_n, 2, 10, 0, ops->max_radix);
                const size_t used[] = {n / 2, n / 2 + 1, n / 3, 1, n, n / 2 - 1, n / 4, n / 8, 17, test_between(1, n)};
                const size_t most = sizeof used / sizeof *used, n_used = n > 20000 ? test_tier(3, most, most) : most;
                for (size_t u = 0; u < n_used; u++) {
                    double *x = shape_buffer(plan);
                    fill_points(plan, x, used[u], 3, 0);
                    double *y = copy(plan, x);
                    unsigned threads = 1 + (unsigned)test_below(3);
                    char what[64];
                    snprintf(what, sizeof what, "threads=%u used", threads);
                    shape_note(plan, what, used[u]);
                    plan->ops->digits_to_spectrum(plan, x, n, 1);
                    plan->ops->digits_to_spectrum(plan, y, used[u], threads);
                    check_same_points(plan, x, y, "forward, all points and used points");
                    plan->ops->spectrum_to_digits(plan, x, 1);
                    plan->ops->spectrum_to_digits(plan, y, threads);
                    check_same_points(plan, x, y, "inverse, one thread and more");
                    alloc_free(x);
                    alloc_free(y);
                }
                plan_destroy(plan);
            }
}

enum grid_signs { GRID_PLUS, GRID_MINUS, GRID_MIXED, GRID_SIGNS };

static bool sign_draw(enum grid_signs signs)
{
    return signs == GRID_MINUS || (signs == GRID_MIXED && test_below(2) == 1);
}

/*
 * Sums of a grid: the same bits as each of them alone, with tiles that are not full, for any number of threads.  Some factors are
 * zero; some of these the grid knows to be.  Signs are those of the factors a, times those of the factors b; with GRID_MINUS
 * those of b are plus.
 */
static void grid_check(const struct plan *plan, size_t rows, size_t columns, size_t n, enum grid_signs signs, unsigned threads)
{
    const size_t factors = (rows + columns) * n, sums = rows * columns, doubles = plan_buffer_doubles(&plan->shape);
    struct spectra_sum *one = calloc(2 * sums, sizeof *one), *all = one + sums;
    struct spectra_product *product = calloc(sums * n, sizeof *product);
    double *x = alloc_aligned((factors + 2 * sums) * doubles * sizeof *x);
    double *panels = alloc_aligned(threads * SPECTRA_GRID_DOUBLES(rows, columns) * sizeof *panels);
    struct spectra_factor *const factor = calloc(factors, sizeof *factor);
    for (size_t i = 0; i < factors; i++) {
        const bool zero = test_below(8) == 0;
        fill_points(plan, x + i * doubles, zero ? 0 : plan->shape.transform.n_points, 0, 0);
        factor[i].x = zero && test_below(4) > 0 ? NULL : x + i * doubles;
        factor[i].minus = sign_draw(i < rows * n || signs == GRID_MIXED ? signs : GRID_PLUS);
    }
    for (size_t s = 0; s < sums; s++) {
        for (size_t k = 0; k < n; k++) {
            const size_t a = s / columns * n + k, b = (rows + s % columns) * n + k;
            product[s * n + k] = (struct spectra_product){x + a * doubles, x + b * doubles, factor[a].minus != factor[b].minus};
        }
        one[s] = (struct spectra_sum){.z = x + (factors + s) * doubles, .product = product + s * n, .n = n, .last = true};
        all[s] = (struct spectra_sum){.z = one[s].z + sums * doubles, .last = true};
        plan->ops->spectra_sums_fused(plan, &one[s], 1, NULL, 1);
    }
    const struct spectra_grid grid = {rows, columns, n, factor, factor + rows * n, panels};
    plan->ops->spectra_sums_fused(plan, all, sums, &grid, threads);
    char what[80];
    snprintf(what, sizeof what, "threads=%u, signs %d, %zu x %zu x", threads, (int)signs, rows, columns);
    shape_note(plan, what, n);
    for (size_t s = 0; s < sums; s++)
        check_same_points(plan, one[s].z, all[s].z, "sums alone and in a grid");
    alloc_free(panels);
    alloc_free(x);
    free(factor);
    free(product);
    free(one);
}

static void test_grids(void)
{
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (size_t k = 0; k < sizes.n; k++) {
            const unsigned odd = sizes.size[k].odd, log2_n = sizes.size[k].log2_n;
            const size_t n = (size_t)odd << log2_n;
            const struct isa_ops *ops = isa_ops_list(i);
            if (n > 1000 && (n > 20000 || test_below(4) > 0))
                continue;
            struct plan *plan = shape_plan(ops, GFMUL_PACKING_RIGHT_ANGLE, odd, log2_n, 2, 10, 0, ops->max_radix);
            const size_t most = n > 1000 ? 3 : 9;
            const unsigned threads = 1 + (unsigned)test_below(5);
            const enum grid_signs signs = (enum grid_signs)(k % GRID_SIGNS);
            grid_check(plan, test_between(1, most), test_between(1, most), test_between(1, most), signs, threads);
            if (n < 200) /* several panels one after the other */
                grid_check(plan, test_between(2, most), test_between(2, most),
                           test_between(SPECTRA_GRID_PRODUCTS, 2 * SPECTRA_GRID_PRODUCTS + 6), GRID_MIXED, threads);
            plan_destroy(plan);
        }
}

/* The points of columns_..., by way of the stages that are not fused. */
static void unfused(const struct plan *plan, double *x, double *y, size_t x_used, size_t y_used)
{
    plan->ops->digits_to_spectrum(plan, x, x_used, 1);
    if (y == x) {
        plan->ops->spectrum_sqr(plan, x, 1);
    } else {
        plan->ops->digits_to_spectrum(plan, y, y_used, 1);
        plan->ops->spectrum_mul(plan, x, y, 1);
    }
    plan->ops->spectrum_to_digits(plan, x, 1);
}

/*
 * source_to_columns_fused, columns_to_spectrum == digits_from_source, digits_to_spectrum;
 * columns_mul_fused == columns_to_spectrum twice, spectrum_mul, spectrum_to_columns, and so columns_mul_kept_fused against y's
 * spectrum, which stays as it is;
 * spectrum_to_columns, columns_to_digits == spectrum_to_digits.   Bit for bit, squares too, any threads.
 */
static void test_fused_equals_unfused(void)
{
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (size_t k = 0; k < sizes.n; k++) {
            const unsigned odd = sizes.size[k].odd, log2_n = sizes.size[k].log2_n;
            size_t n = (size_t)odd << log2_n;
            if (n > 20000 && !test_longest_tier() && i > 0)
                continue;
            const struct isa_ops *ops = isa_ops_list(i);
            unsigned l = (unsigned)test_between(1, 20);
            struct plan *plan = shape_plan(ops, GFMUL_PACKING_RIGHT_ANGLE, odd, log2_n, 2, l, 0, ops->max_radix);
            const size_t digits = plan->shape.transform.n_digits, limbs = digits * l / 64 + 2;
            mp_limb_t *a = malloc(limbs * sizeof *a), *b = malloc(limbs * sizeof *b);
            if (a == NULL || b == NULL)
                exit(1);
            operand_fill(a, limbs, OPERAND_RANDOM, l, test_u64());
            operand_fill(b, limbs, OPERAND_DIGITS_NEAR, l, test_u64());
            for (unsigned round = 0; round < 4; round++) {
                bool square = test_u64() & 1;
                unsigned threads = 1 + (unsigned)test_below(3);
                size_t a_count = round == 0 ? digits : round == 1 ? n + test_between(1, n / 8) : test_between(1, digits);
                size_t b_count = round == 0 ? digits / 2 : round == 1 ? n + 1 : test_between(1, digits);
                size_t a_first = round < 2 ? 0 : test_below(digits / 64 + 1) * 64, a_used = a_count < n ? a_count : n;
                size_t b_used = b_count < n ? b_count : n;
                double *x = shape_buffer(plan), *y = shape_buffer(plan), *xf = shape_buffer(plan), *yf = shape_buffer(plan);
                double *scratch = shape_scratch(plan, threads);
                struct digit_norms norms, norms_f;
                struct digit_source source;
                char what[128];
                snprintf(what, sizeof what, "square=%d threads=%u a_first=%zu b_count=%zu a_count", square, threads, a_first,
                         b_count);
                shape_note(plan, what, a_count);

                limbs_source(&source, plan, a, limbs);
                digits_from_source(plan, x, &(struct digit_cell){&source, a_first, a_count, DIGIT_PART_A}, &norms, 1);
                plan->ops->source_to_columns(plan, xf, scratch, &(struct digit_cell){&source, a_first, a_count, DIGIT_PART_A},
                                             &norms_f, threads);
                TEST_CHECK_MSG(fabs(norms.sum_sq - norms_f.sum_sq) <= 1e-9 * norms.sum_sq &&
                                   fabs(norms.sum_pop - norms_f.sum_pop) <= 1e-9 * norms.sum_pop,
                               "norms %.17g %.17g, and fused %.17g %.17g", norms.sum_sq, norms.sum_pop, norms_f.sum_sq,
                               norms_f.sum_pop);
                double *spectrum = copy(plan, x), *spectrum_f = copy(plan, xf);
                plan->ops->digits_to_spectrum(plan, spectrum, a_used, 1);
                plan->ops->columns_to_spectrum(plan, spectrum_f, NULL, a_used, threads);
                check_same_points(plan, spectrum, spectrum_f, "spectrum, unfused and fused");
                plan->ops->spectrum_to_digits(plan, spectrum, 1);
                plan->ops->spectrum_to_columns(plan, spectrum_f, NULL, threads);
                plan->ops->columns_to_digits(plan, spectrum_f, threads);
                check_same_points(plan, spectrum, spectrum_f, "inverse, whole and in two");

                limbs_source(&source, plan, b, limbs);
                digits_from_source(plan, y, &(struct digit_cell){&source, 0, b_count, DIGIT_PART_B}, &norms, 1);
                plan->ops->source_to_columns(plan, yf, scratch, &(struct digit_cell){&source, 0, b_count, DIGIT_PART_A}, &norms_f,
                                             threads);
                memcpy(spectrum, xf, plan_buffer_doubles(&plan->shape) * sizeof *xf);
                memcpy(spectrum_f, square ? xf : yf, plan_buffer_doubles(&plan->shape) * sizeof *xf);
                plan->ops->columns_to_spectrum(plan, spectrum_f, NULL, square ? a_used : b_used, threads);
                double *kept = copy(plan, spectrum_f);
                plan->ops->columns_mul_kept(plan, spectrum, kept, NULL, a_used, threads);
                check_same_points(plan, spectrum_f, kept, "a kept spectrum before and after");
                plan->ops->columns_to_digits(plan, spectrum, threads);
                unfused(plan, x, square ? x : y, a_used, b_used);
                check_same_points(plan, x, spectrum, "product, unfused and fused against a kept spectrum");
                plan->ops->columns_mul(plan, xf, square ? xf : yf, NULL, a_used, square ? a_used : b_used, threads);
                plan->ops->columns_to_digits(plan, xf, threads);
                check_same_points(plan, x, xf, "product, unfused and fused");
                alloc_free(scratch);
                alloc_free(x);
                alloc_free(y);
                alloc_free(xf);
                alloc_free(yf);
                alloc_free(spectrum);
                alloc_free(spectrum_f);
                alloc_free(kept);
            }
            free(a);
            free(b);
            plan_destroy(plan);
        }
}

/*
 * The branches of an operand, one after the other, are its columns, also where its digits have been put aside; products branch by
 * branch are products.   Bit for bit.
 */
static void test_branches(void)
{
    /* numbers of branches; behind bit 32 those that are half a pass of radix 4 or 8 */
    uint64_t seen = 0, most = (uint64_t)1 << 2 | (uint64_t)1 << 4 | (uint64_t)1 << 8 | (uint64_t)1 << (32 + 4);
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (size_t k = 0; k < sizes.n; k++)
            for (unsigned max_radix = 4; max_radix <= isa_ops_list(i)->max_radix; max_radix += 4) {
                const unsigned odd = sizes.size[k].odd, log2_n = sizes.size[k].log2_n;
                const struct isa_ops *ops = isa_ops_list(i);
                size_t n = (size_t)odd << log2_n;
                if (n > 20000 && !test_longest_tier() && (i > 0 || max_radix == 4))
                    continue;
                unsigned l = (unsigned)test_between(1, 20);
                struct plan *plan = shape_plan(ops, GFMUL_PACKING_RIGHT_ANGLE, odd, log2_n, 2, l, 0, max_radix);
                const struct plan_shape *s = &plan->shape;
                const unsigned choice = 1 + (unsigned)test_below(2), threads = 1 + (unsigned)test_below(3);
                const unsigned branches = plan_branches(s, plan_branches(s, choice) ? choice : 1);
                if (branches == 0) {
                    TEST_CHECK(s->transform.n_column_passes == 0);
                    plan_destroy(plan);
                    continue;
                }
                const bool halves = odd == 1 && branches < s->transform.pass[0].radix;
                seen |= (uint64_t)1 << (halves ? 32 + branches : branches);
                most |= (uint64_t)(odd > 1) << s->transform.pass[0].radix;
                plan->shape.grid.n_branches = branches;
                const size_t limbs = n * l / 64 + 2, count = test_below(2) ? n : test_between(1, n);
                mp_limb_t *a = malloc(limbs * sizeof *a);
                if (a == NULL)
                    exit(1);
                operand_fill(a, limbs, test_below(2) ? OPERAND_RANDOM : OPERAND_DIGITS_NEAR, l, test_u64());
                double *x = shape_buffer(plan), *y = shape_buffer(plan), *whole = shape_buffer(plan), *part = shape_buffer(plan);
                double *scratch = shape_scratch(plan, threads);
                struct digit_norms norms, norms_branch;
                struct digit_source source;
                char what[64];
                snprintf(what, sizeof what, "branches=%u threads=%u count", branches, threads);
                shape_note(plan, what, count);
                limbs_source(&source, plan, a, limbs);
                plan->ops->source_to_columns(plan, whole, scratch, &(struct digit_cell){&source, 0, count, DIGIT_PART_A}, &norms,
                                             threads);
                aside_digit *aside = malloc(n * sizeof *aside);
                if (aside == NULL)
                    exit(1);
                if (l <= PLAN_ASIDE_BITS && test_below(4) > 0) { /* what is beyond the digits must not be read */
                    memset(aside, 0x55, n * sizeof *aside);
                    digits_put_aside(aside, plan, &source, count, threads);
                    aside_source(&source, plan, aside, count);
                }
                fill_points(plan, x, n, 0, 0);
                memcpy(y, x, plan_buffer_doubles(s) * sizeof *x);
                const size_t part_doubles = plan_buffer_doubles(s) / branches;
                TEST_CHECK(part_doubles * branches == plan_buffer_doubles(s) && s->transform.n_rows % branches == 0);
                for (unsigned b = 0; b < branches; b++) {
                    for (size_t at = 0; at < plan_buffer_doubles(s); at++)
                        part[at] = NAN;
                    plan->ops->source_to_branch_fused(plan, part, scratch, &(struct digit_cell){&source, 0, count, DIGIT_PART_A},
                                                      b, b == 1 ? &norms_branch : NULL, threads);
                    size_t beyond = 0;
                    for (size_t at = part_doubles; at < plan_buffer_doubles(s); at++)
                        beyond += !isnan(part[at]);
                    TEST_CHECK_MSG(beyond == 0, "branch %u writes %zu doubles beyond its end", b, beyond);
                    plan->ops->branch_mul_fused(plan, x, part, b, threads);
                }
                TEST_CHECK_MSG(fabs(norms.sum_sq - norms_branch.sum_sq) <= 1e-9 * norms.sum_sq &&
                                   fabs(norms.sum_pop - norms_branch.sum_pop) <= 1e-9 * norms.sum_pop,
                               "norms %.17g %.17g, and of a branch %.17g %.17g", norms.sum_sq, norms.sum_pop, norms_branch.sum_sq,
                               norms_branch.sum_pop);
                plan->ops->columns_mul(plan, y, whole, NULL, n, n, 1);
                check_same_points(plan, y, x, "product, whole and in branches");
                alloc_free(scratch);
                alloc_free(x);
                alloc_free(y);
                alloc_free(whole);
                alloc_free(part);
                free(aside);
                free(a);
                plan_destroy(plan);
            }
    TEST_CHECK_MSG((seen & most) == most || !test_longest_tier(), "numbers of branches seen: %#" PRIx64, seen);
}

/* tables_aligned - whole vectors are read from tables; what some compilers make of that faults where these are not aligned. */
static bool tables_aligned(const struct plan *plan)
{
    uintptr_t all = (uintptr_t)plan->leaf_angle;
    for (unsigned p = 0; p < plan->shape.transform.n_passes; p++)
        all |= (uintptr_t)plan->twiddle[p];
    return all % 64 == 0;
}

/* A convolution of integers through each packing against its definition, exactly. */
static void test_convolution(void)
{
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (unsigned p = 0; p < 3; p++)
            for (size_t k = 0; k < n_short; k++)
                for (unsigned square = 0; square < 2; square++) {
                    const struct isa_ops *ops = isa_ops_list(i);
                    int balance = (int)test_below(7) - 3;
                    struct plan *plan = shape_plan(ops, shape_packings[p], sizes.size[k].odd, sizes.size[k].log2_n, 2, 10,
                                                   balance, ops->max_radix);
                    const size_t digits = plan->shape.transform.n_digits, n = plan->shape.transform.n_points;
                    TEST_CHECK(tables_aligned(plan));
                    if (digits > 2048 && !test_longest_tier()) {
                        plan_destroy(plan);
                        continue;
                    }
                    bool two = shape_packings[p] == GFMUL_PACKING_TWO_FOR_ONE;
                    size_t an = test_between(1, digits), bn = square ? an : test_between(1, digits + 1 - an);
                    if (square && an > digits / 2)
                        an = bn = digits / 2;
                    int32_t *a = calloc(digits, sizeof *a), *b = calloc(digits, sizeof *b);
                    int64_t *want = calloc(digits, sizeof *want), *got = calloc(digits, sizeof *got);
                    if (a == NULL || b == NULL || want == NULL || got == NULL)
                        exit(1);
                    uint64_t seed = test_u64();
                    enum operand_kind kind =
                        (enum operand_kind)test_between(OPERAND_DIGITS_MAX, OPERAND_KINDS); /* the last: random */
                    for (size_t j = 0; j < an; j++)
                        a[j] = (int32_t)operand_digit(kind, 1024, j, an, seed);
                    for (size_t j = 0; j < bn; j++)
                        b[j] = square ? a[j] : (int32_t)operand_digit(kind, 1024, j, bn, ~seed);
                    for (size_t r = 0; r < an; r++)
                        for (size_t c = 0; c < bn; c++)
                            want[r + c] += (int64_t)a[r] * b[c];
                    double *x = shape_buffer(plan), *y = shape_buffer(plan);
                    struct digit_norms norms = {0, 0};
                    plan->ops->digits_pack(plan, x, DIGIT_PART_A, 0, a, digits, &norms);
                    if (two)
                        plan->ops->digits_pack(plan, x, DIGIT_PART_B, 0, b, digits, &norms);
                    else
                        plan->ops->digits_pack(plan, y, DIGIT_PART_B, 0, b, digits, &norms);
                    char what[128];
                    snprintf(what, sizeof what, "balance=%d square=%u %s seed=%" PRIu64 " an=%zu bn",
                             plan->shape.digits.balance_exp, square, operand_name(kind), seed, an);
                    shape_note(plan, what, bn);
                    unsigned threads = 1 + (unsigned)test_below(3);
                    plan->ops->digits_to_spectrum(plan, x, n, threads);
                    if (square && !two) {
                        plan->ops->spectrum_sqr(plan, x, threads);
                    } else {
                        if (!two)
                            plan->ops->digits_to_spectrum(plan, y, n, threads);
                        plan->ops->spectrum_mul(plan, x, y, threads);
                    }
                    plan->ops->spectrum_to_digits(plan, x, threads);
                    struct round_stats stats = {.max_error = 0};
                    plan->ops->digits_round(plan, got, x, 0, digits, &stats);
                    const double error = stats.max_error;
                    for (size_t j = 0; j < digits; j++)
                        if (!TEST_CHECK_MSG(got[j] == want[j], "coefficient %zu is %" PRId64 ", should be %" PRId64 ", error %g",
                                            j, got[j], want[j], error))
                            break;
                    TEST_CHECK_MSG(error < 0.01, "error %g", error);
                    alloc_free(x);
                    alloc_free(y);
                    free(a);
                    free(b);
                    free(want);
                    free(got);
                    plan_destroy(plan);
                }
}

/* Instruction sets that have FMA do the same operations on the same passes, and give the same bits; those without, likewise. */
static void test_isas_agree(void)
{
    shape_nested = true;
    for (unsigned p = 0; p < 3; p++)
        for (size_t k = 0; k < sizes.n; k++) {
            const unsigned odd = sizes.size[k].odd, log2_n = sizes.size[k].log2_n;
            size_t n = (size_t)odd << log2_n;
            double *result[2] = {NULL, NULL};
            struct plan *first[2] = {NULL, NULL};
            uint64_t state = test_u64();
            if (n > 40000 && !test_longest_tier())
                continue;
            for (size_t i = 0; isa_ops_list(i) != NULL; i++) {
                const struct isa_ops *ops = isa_ops_list(i);
                unsigned fma = ops->fma;
                struct plan *plan = shape_plan(ops, shape_packings[p], odd, log2_n, 2, 10, 1, 4);
                double *x = shape_buffer(plan), *y = shape_buffer(plan);
                test_state.state = state;
                fill_points(plan, x, n, 3, 0);
                fill_points(plan, y, n, 3, 0);
                plan->ops->digits_to_spectrum(plan, x, n, 1);
                plan->ops->digits_to_spectrum(plan, y, n, 1);
                plan->ops->spectrum_mul(plan, x, y, 1);
                plan->ops->spectrum_to_digits(plan, x, 1);
                alloc_free(y);
                if (first[fma] == NULL) {
                    first[fma] = plan;
                    result[fma] = x;
                    continue;
                }
                shape_note(plan, fma ? "with FMA" : "without FMA", 0);
                bool same_layout = first[fma]->shape.transform.row_points == plan->shape.transform.row_points &&
                                   first[fma]->shape.transform.row_stride == plan->shape.transform.row_stride &&
                                   first[fma]->shape.transform.n_passes == plan->shape.transform.n_passes;
                if (TEST_CHECK_MSG(same_layout, "the same request gives %s and %s different passes or rows",
                                   first[fma]->isa->name, ops->name))
                    check_same_points(plan, result[fma], x, "two instruction sets");
                alloc_free(x);
                plan_destroy(plan);
            }
            for (unsigned fma = 0; fma < 2; fma++) {
                alloc_free(result[fma]);
                plan_destroy(first[fma]);
            }
        }
    shape_nested = false;
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    shape_any_rows = true;
    list_sizes();
    TEST_RUN(test_impulse);
    TEST_RUN(test_forward_is_dft);
    TEST_RUN(test_branches);
    TEST_RUN(test_convolution);
    TEST_RUN(test_zero_half);
    TEST_RUN(test_used_points_and_threads);
    TEST_RUN(test_fused_equals_unfused);
    TEST_RUN(test_grids);
    shape_any_rows = false; /* all the same ones */
    TEST_RUN(test_isas_agree);
    return test_end();
}
