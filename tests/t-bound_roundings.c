/*
 * t-bound_roundings.c - the constants of the bound, from the operations that the stages perform.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The headers of lib/stages themselves run on vec_recording.h, which records each operation that rounds.  From the records
 * come the constants of a pass as doc/error-bound.md derives them by hand:
 *
 *   forwards    layer by layer (sections 4 and 15): an error of at most u |v_i| of each value v = A r reaches the outputs by a
 *               matrix J.  The layer adds the norm of diag(|J_i|) A times that of the columns of J, scaled to norm 1
 *   backwards   the moduli of all ways from an input to an output, added up (section 15)
 *
 * What constants and twiddles are off by is added.  The sums have to be those that plan_pass_constants has, but for the last
 * digit: an operation more or less, or another constant, fails.
 */
#include "vec_recording.h"

#include "bound_seen.h"
#include "base/rounding.h"
#include "plan/plan_twiddle.h"

#define PI_LONG 3.141592653589793238462643383279502884L

#define VECS_PER_BLOCK (PLAN_BLOCK / VEC_WIDTH)
#define BLOCK_DOUBLES  (2 * PLAN_BLOCK)
#define STAGE_INLINE   TEST_UNUSED static inline
#pragma GCC diagnostic ignored "-Wunused-function"
#include "stages/butterfly.h"
#include "stages/odd_dft.h"
#include "stages/halves.h"
#include "stages/pass.h"
#include "stages/radix4.h"

/* What beta, the error of a stored twiddle, is: sections 3 and 4. */
#define BETA_GENTLE 0.6709
#define BETA_ANY    1.0001
#define BETA_ENTRY  0.7072

/* Outputs of what was recorded, real parts first, then imaginary ones. */
struct outputs {
    unsigned n, at[RECORD_INPUTS_MAX];
};

static long double *ways; /* [record][output]: the factor with which an error of the record reaches it */
static long double *way(const struct outputs *out, unsigned record, unsigned o)
{
    return &ways[(size_t)record * out->n + o];
}

static void ways_find(const struct outputs *out)
{
    free(ways);
    ways = test_alloc_zeroed((size_t)record_n * out->n, sizeof *ways);
    for (unsigned o = 0; o < out->n; o++) {
        *way(out, out->at[o], o) += 1;
        for (unsigned k = record_n; k-- > 0;)
            for (unsigned i = 0; i < 2 && record_list[k].kind > RECORD_INPUT; i++)
                *way(out, record_list[k].from[i], o) += record_list[k].times[i] * *way(out, k, o);
    }
}

static bool rounds(unsigned k)
{
    return record_list[k].kind >= RECORD_MUL;
}

/* norm_of - the spectral norm of m, rows by columns: powers of m' m. */
static double norm_of(const double *m, unsigned rows, unsigned columns)
{
    double x[RECORD_INPUTS_MAX], y[RECORD_INPUTS_MAX], norm = 0;
    for (unsigned c = 0; c < columns; c++)
        x[c] = 1 + 0.37 * c - 0.11 * (c % 3) * c;
    for (unsigned pass = 0; pass < 60; pass++) {
        double sum = 0;
        memset(y, 0, sizeof y);
        for (unsigned r = 0; r < rows; r++) {
            double v = 0;
            for (unsigned c = 0; c < columns; c++)
                v += m[r * columns + c] * x[c];
            for (unsigned c = 0; c < columns; c++)
                y[c] += v * m[r * columns + c];
        }
        for (unsigned c = 0; c < columns; c++)
            sum += y[c] * y[c];
        norm = sqrt(sqrt(sum));
        for (unsigned c = 0; c < columns; c++)
            x[c] = sum > 0 ? y[c] / sqrt(sum) : 0;
    }
    return norm;
}

/* layer_constant - of the records `list`, over the factor of the whole map. */
static double layer_constant(const struct outputs *out, const unsigned *list, unsigned n, double factor)
{
    double *a = test_alloc_zeroed((size_t)n * record_inputs, sizeof *a), *j = test_alloc_zeroed((size_t)n * out->n, sizeof *j);
    for (unsigned i = 0; i < n; i++) {
        double sum = 0;
        for (unsigned o = 0; o < out->n; o++)
            sum += (double)(*way(out, list[i], o) * *way(out, list[i], o));
        for (unsigned o = 0; o < out->n && sum > 0; o++)
            j[o * n + i] = (double)*way(out, list[i], o) / sqrt(sum);
        for (unsigned k = 0; k < record_inputs; k++)
            a[i * record_inputs + k] = (double)record_list[list[i]].row[k] * sqrt(sum);
    }
    const double constant = norm_of(a, n, record_inputs) / factor * (n <= RECORD_INPUTS_MAX ? norm_of(j, out->n, n) : HUGE_VAL);
    free(a);
    free(j);
    return constant;
}

/* forward_constant - the sum over the layers.  Outputs are the last one. */
static double forward_constant(const struct outputs *out, double factor)
{
    double sum = 0;
    unsigned list[RECORDS_MAX];
    ways_find(out);
    for (double depth = 0.5; depth <= 40; depth += 0.5) {
        unsigned n = 0;
        for (unsigned k = 0; k < record_n; k++) {
            bool last = false, used = false;
            for (unsigned o = 0; o < out->n; o++) {
                last = last || out->at[o] == k;
                used = used || *way(out, k, o) != 0;
            }
            if (rounds(k) && used && (last ? depth == 40 : record_list[k].depth == depth))
                list[n++] = k;
        }
        if (n > 0)
            sum += layer_constant(out, list, n, factor);
    }
    return sum;
}

/* A map of complex numbers: m[o][j]. */
struct map {
    unsigned n;
    long double re[64][64], im[64][64];
};

/*
 * map_check - that the recorded coefficients are this map to so many u.
 *
 *   pair_off  out  of each output and input: the modulus of what the coefficient is off by, in u
 * Returns the norm of what they are off by, over the factor.
 */
static double pair_off[64][64];
static double map_check(const struct outputs *out, const struct map *m, double factor, double tolerance)
{
    double *off = test_alloc_zeroed((size_t)out->n * record_inputs, sizeof *off);
    double most = 0;
    for (unsigned o = 0; o < m->n; o++)
        for (unsigned j = 0; j < m->n; j++) {
            double part[4];
            const long double want[4] = {m->re[o][j], -m->im[o][j], m->im[o][j], m->re[o][j]};
            for (unsigned k = 0; k < 4; k++) {
                const unsigned row = o + (k / 2) * m->n, column = j + (k % 2) * m->n;
                const double d = (double)((record_list[out->at[row]].row[column] - want[k]) * 0x1p53L);
                off[row * record_inputs + column] = part[k] = d;
            }
            pair_off[o][j] = fmax(hypot(part[0], part[2]), hypot(part[1], part[3]));
            most = fmax(most, pair_off[o][j]);
        }
    TEST_CHECK_MSG(most <= tolerance, "the operations are not the map: %g u", most);
    const double norm = norm_of(off, out->n, record_inputs) / factor;
    free(off);
    return norm;
}

/* backward_constant - the worst pair of an input and an output, which are pairs of real numbers, and so is each rounding.
 * with_constants: pair_off is added. */
static double backward_constant(const struct outputs *out, bool with_constants)
{
    double worst = 0;
    const unsigned ins = record_inputs / 2, outs = out->n / 2;
    ways_find(out);
    for (unsigned o = 0; o < outs; o++) {
        for (unsigned j = 0; j < ins; j++) {
            long double sum = 0;
            for (unsigned k = 0; k < record_n; k++)
                if (rounds(k))
                    sum += hypotl(*way(out, k, o), *way(out, k, outs + o)) *
                           hypotl(record_list[k].row[j], record_list[k].row[ins + j]);
            worst = test_worse(worst, (double)sum / 2 + (with_constants ? pair_off[o][j] : 0));
        }
    }
    return worst;
}

/* constant_check - computed <= claimed, and no less than `slack` below.  References in long double are off by some 1e-4 u. */
static void constant_check(const char *what, double computed, double claimed, double slack)
{
    TEST_CHECK_MSG(computed <= claimed + 4e-4 && computed >= claimed - slack, "%s: the operations make %.5f, the code has %.5f",
                   what, computed, claimed);
}

/* ---- binary passes ---- */

static struct twiddle twiddle_of(long double angle, bool ratio)
{
    const double c = (double)cosl(2 * PI_LONG * angle), s = (double)sinl(2 * PI_LONG * angle);
    return (struct twiddle){vec_set1(c), vec_set1(ratio ? (double)(sinl(2 * PI_LONG * angle) / c) : s)};
}

/* inputs - n complex numbers, one lane each: real parts first. */
static void inputs(vec *r, vec *i, unsigned n)
{
    for (unsigned part = 0; part < 2; part++)
        for (unsigned s = 0; s < n; s++)
            (part ? i : r)[s] = vec_set1(record_input());
}

static void outputs_take(struct outputs *out, const vec *r, const vec *i, unsigned n)
{
    out->n = 2 * n;
    for (unsigned s = 0; s < n; s++) {
        out->at[s] = record_of(r[s].lane[0]);
        out->at[n + s] = record_of(i[s].lane[0]);
    }
}

/* tree_map - radix nested steps at a node of angle theta: child k of X^radix - e(theta) has the root in the tree's order. */
static void tree_map(struct map *m, unsigned radix, long double theta, bool back)
{
    m->n = radix;
    for (unsigned child = 0; child < radix; child++) {
        unsigned turned = 0;
        for (unsigned b = 1, t = radix / 2; b < radix; b *= 2, t /= 2)
            turned += child & b ? t : 0;
        for (unsigned s = 0; s < radix; s++) {
            const long double angle = 2 * PI_LONG * (theta + turned) / radix * s;
            m->re[back ? s : child][back ? child : s] = cosl(angle);
            m->im[back ? s : child][back ? child : s] = back ? -sinl(angle) : sinl(angle);
        }
    }
}

/* binary_constants - of a pass of the code: forwards, 1 + T each nested level, 2 + T for two by true radix 4; backwards. */
static void binary_constants(double *forward, double *inverse, unsigned radix, bool fused, bool root, enum plan_butterfly kind)
{
    struct plan_shape s = {.transform = {.packing = GFMUL_PACKING_RIGHT_ANGLE, .odd = 1, .n_passes = 1, .n_points = 1 << 20},
                           .bound.fma = fused};
    struct plan_pass_constants c;
    s.transform.pass[0] = (struct plan_pass){.radix = radix,
                                             .levels = radix == 8   ? 3
                                                       : radix == 4 ? 2
                                                                    : 1,
                                             .butterfly = kind,
                                             .depth = root ? 0 : 6,
                                             .n_nodes = 1,
                                             .node_points = 1 << 20};
    plan_pass_constants(&c, &s, 0);
    *forward = *inverse = 0;
    for (unsigned i = 0; i < c.n_forward; i++)
        *forward += c.forward[i] + (kind != BUTTERFLY_NESTED && i == 0 ? 2 : 1);
    for (unsigned i = 0; i < c.n_inverse; i++)
        *inverse += c.inverse[i];
}

/* One pass at a node of angle theta; what its twiddles are off by is for the caller to add. */
enum body { BODY_PLAIN, BODY_HALVES, BODY_REAL, BODY_UPPER_ZERO, BODY_WHOLE, BODY_MIXED };
static double binary_recorded(unsigned radix, long double theta, bool back, bool fused, enum body body)
{
    struct outputs out;
    struct twiddle w[PLAN_MAX_TWIDDLES];
    vec r[8], i[8];
    const bool ratio = body != BODY_WHOLE && body != BODY_MIXED;
    record_begin(fused);
    if (ratio) {
        w[0] = twiddle_of(theta / 2, true);
        w[1] = twiddle_of(theta / 4, true);
        w[2] = twiddle_of(theta / 8, true);
        w[3] = twiddle_of(theta / 8 - 0.125L, true);
    } else
        for (unsigned q = 0; q < 3; q++)
            w[q] = twiddle_of(theta / 4 * (q + 1), false);
    if (body == BODY_MIXED) {
        w[3] = twiddle_of(theta / 8, true);
        w[4] = twiddle_of(theta / 8 - 0.125L, true);
    }
    inputs(r, i, radix);
    if (body == BODY_HALVES) {
        _Alignas(64) double x[8 * 2 * PLAN_BLOCK];
        const struct slots in = {x, BLOCK_DOUBLES, false};
        for (unsigned s = 0; s < 8; s++) {
            vec_store(x + s * BLOCK_DOUBLES, r[s]);
            vec_store(x + s * BLOCK_DOUBLES + PLAN_BLOCK, i[s]);
        }
        if (back)
            halves_inverse(x, BLOCK_DOUBLES, &in, w);
        else
            halves_forward(x, BLOCK_DOUBLES, &in, NULL, w);
        for (unsigned s = 0; s < 8; s++) {
            r[s] = vec_load(x + s * BLOCK_DOUBLES);
            i[s] = vec_load(x + s * BLOCK_DOUBLES + PLAN_BLOCK);
        }
    } else if (body == BODY_MIXED)
        (back ? mixed_inverse : mixed_forward)(r, i, w);
    else if (body == BODY_WHOLE)
        (back ? radix4_inverse : radix4_forward)(r, i, w);
    else if (back)
        radix_inverse(radix, r, i, w);
    else if (body == BODY_REAL)
        radix_forward_real(radix, r, i, w, false, NULL);
    else
        radix_forward(radix, r, i, w, body == BODY_UPPER_ZERO);
    outputs_take(&out, r, i, radix);
    const double factor = sqrt((double)radix);
    if (body != BODY_REAL && body != BODY_UPPER_ZERO) {
        struct map m;
        tree_map(&m, radix, theta, back);
        map_check(&out, &m, factor, 8);
    }
    return back ? backward_constant(&out, false) : forward_constant(&out, factor);
}

/* The worst node: at the root 1/4, else next to 1, where the angles are the largest ones. */
static void test_binary(void)
{
    for (unsigned fused = 0; fused < 2; fused++)
        for (unsigned root = 0; root < 2; root++)
            for (unsigned radix = 2; radix <= 8; radix *= 2) {
                double forward, inverse, there = 0, back = 0, off = 0;
                binary_constants(&forward, &inverse, radix, fused, root, BUTTERFLY_NESTED);
                for (unsigned level = 0; 1u << level < radix; level++)
                    off += root || level == 2 ? BETA_GENTLE : BETA_ANY;
                for (unsigned t = 0; t < (root ? 1 : 40); t++) {
                    const long double theta = root ? 0.25L : (t * 25 + 1) / 1000.0L;
                    test_note("radix %u, theta %.4f, fused %u", radix, (double)theta, fused);
                    there = fmax(there, binary_recorded(radix, theta, false, fused, BODY_PLAIN));
                    back = fmax(back, binary_recorded(radix, theta, true, fused, BODY_PLAIN));
                    if (t % 8 == 0) {
                        TEST_CHECK(binary_recorded(radix, theta, false, fused, BODY_REAL) <= forward - off);
                        TEST_CHECK(binary_recorded(radix, theta, false, fused, BODY_UPPER_ZERO) <= forward - off);
                    }
                }
                /* without FMA the sine of an angle is counted as 1 or 0.7072 in each level, whatever the others have */
                const double slack = fused ? 1e-3 : radix == 2 ? 2e-3 : 0.75;
                test_note("radix %u, fused %u, root %u", radix, fused, root);
                constant_check("forwards", there, forward - off + 1e-9, slack);
                constant_check("backwards", back, inverse - off + 1e-9, slack);
            }
}

/* Each operation of a step: 6 with FMA; those of radix 8 in halves are the same ones. */
static void test_counts(void)
{
    for (unsigned back = 0; back < 2; back++)
        for (unsigned radix = 2; radix <= 8; radix *= 2) {
            const unsigned levels = radix == 8 ? 3 : radix == 4 ? 2 : 1, steps = radix / 2 * levels * VEC_WIDTH;
            const double plain = binary_recorded(radix, 0.3L, back, true, BODY_PLAIN);
            test_note("radix %u, back %u", radix, back);
            TEST_CHECK(record_counts[RECORD_FMA] == steps * (back ? 2 : 6) &&
                       record_counts[RECORD_ADD] == steps * (back ? 4 : 0) &&
                       record_counts[RECORD_MUL] == steps * (back ? 2 : 0));
            if (radix == 8) {
                const unsigned before[3] = {record_counts[RECORD_FMA], record_counts[RECORD_ADD], record_counts[RECORD_MUL]};
                const double halves = binary_recorded(8, 0.3L, back, true, BODY_HALVES);
                TEST_CHECK(fabs(halves - plain) < 1e-9 && record_counts[RECORD_FMA] == before[0] &&
                           record_counts[RECORD_ADD] == before[1] && record_counts[RECORD_MUL] == before[2]);
            }
        }
    /* true radix 4: 12 multiplications and FMAs, 16 additions */
    for (unsigned back = 0; back < 2; back++) {
        binary_recorded(4, 0.3L, back, true, BODY_WHOLE);
        TEST_CHECK(record_counts[RECORD_FMA] == 6 * VEC_WIDTH && record_counts[RECORD_MUL] == 6 * VEC_WIDTH &&
                   record_counts[RECORD_ADD] == 16 * VEC_WIDTH);
        /* mixed: twice that, and four steps */
        binary_recorded(8, 0.3L, back, true, BODY_MIXED);
        TEST_CHECK(record_counts[RECORD_FMA] == (12 + (back ? 8 : 24)) * VEC_WIDTH &&
                   record_counts[RECORD_MUL] == (12 + (back ? 8 : 0)) * VEC_WIDTH &&
                   record_counts[RECORD_ADD] == (32 + (back ? 16 : 0)) * VEC_WIDTH);
    }
    /* a twiddle that is made is a product of two entries, as section 4.3 has it */
    record_begin(true);
    struct twiddle entry = {vec_set1(record_input()), vec_set1(record_input())};
    entry = twiddle_product(entry, vec_set1(record_input()), vec_set1(record_input()));
    TEST_CHECK(record_counts[RECORD_FMA] == 2 * VEC_WIDTH && record_counts[RECORD_MUL] == 2 * VEC_WIDTH &&
               record_counts[RECORD_ADD] == 0);
}

/* True radix 4: section 4.3, with rounded entries. */
static void test_whole(void)
{
    double forward, inverse, there = 0, back = 0;
    binary_constants(&forward, &inverse, 4, true, false, BUTTERFLY_RADIX4);
    for (unsigned t = 0; t < 60; t++) {
        const long double theta = (t * 16 + 1) / 1000.0L;
        there = fmax(there, binary_recorded(4, theta, false, true, BODY_WHOLE));
        back = fmax(back, binary_recorded(4, theta, true, true, BODY_WHOLE));
    }
    constant_check("forwards", there, forward - BETA_ENTRY + 1e-9, 2e-3);
    constant_check("backwards", back, inverse - BETA_ENTRY + 1e-9, 2e-3);
}

/* Mixed: that, and a step within 45 degrees. */
static void test_mixed(void)
{
    double forward, inverse, there = 0, back = 0;
    binary_constants(&forward, &inverse, 8, true, false, BUTTERFLY_MIXED);
    for (unsigned t = 0; t < 60; t++) {
        const long double theta = (t * 16 + 1) / 1000.0L;
        there = fmax(there, binary_recorded(8, theta, false, true, BODY_MIXED));
        back = fmax(back, binary_recorded(8, theta, true, true, BODY_MIXED));
    }
    constant_check("forwards", there, forward - BETA_ENTRY - BETA_GENTLE + 1e-9, 2e-3);
    constant_check("backwards", back, inverse - BETA_ENTRY - BETA_GENTLE + 1e-9, 2e-3);
}

/* The leaf of 16 points, two such steps behind each other: its operations are theirs. */
static void test_leaf16(void)
{
    for (unsigned back = 0; back < 2; back++) {
        struct leaf16 z;
        struct leaf16_twiddles w;
        record_begin(true);
        for (unsigned q = 0; q < PLAN_RADIX4_TWIDDLES; q++) {
            w.leaf[q] = twiddle_of(0.6L / 4 * (q + 1), false);
            for (unsigned l = 0; l < 4; l++) {
                const long double theta = (0.6L + (l == 1 ? 2 : l == 2 ? 1 : l)) / 4; /* child l, in the tree's order */
                w.children[q].c.lane[l] = (double)cosl(2 * PI_LONG * theta / 4 * (q + 1));
                w.children[q].tau.lane[l] = (double)sinl(2 * PI_LONG * theta / 4 * (q + 1));
            }
        }
        for (unsigned part = 0; part < 2; part++)
            for (unsigned k = 0; k < 16; k++)
                (part ? z.i : z.r)[k / 4].lane[k % 4] = record_input();
        (back ? leaf16_inverse : leaf16_forward)(&z, &w);
        TEST_CHECK(record_counts[RECORD_FMA] == 2 * 24 && record_counts[RECORD_MUL] == 2 * 24 &&
                   record_counts[RECORD_ADD] == 2 * 64);
        struct outputs out = {.n = 32};
        for (unsigned k = 0; k < 16; k++) { /* forwards output (child d, its child e) is lane d of vector e: 4 d + e */
            out.at[k] = record_of(back ? z.r[k / 4].lane[k % 4] : z.r[k % 4].lane[k / 4]);
            out.at[16 + k] = record_of(back ? z.i[k / 4].lane[k % 4] : z.i[k % 4].lane[k / 4]);
        }
        if (!back) {
            struct map m;
            tree_map(&m, 16, 0.6L, false);
            map_check(&out, &m, 4, 16);
        }
    }
}

/* ---- odd passes ---- */

/* What an odd kernel does to a lane, with FMA: section 15. */
static const struct odd_kernel {
    unsigned radix, mul, add, fma;
} odd_kernels[] = {{3, 0, 6, 6}, {5, 4, 20, 12}, {7, 6, 30, 30}, {9, 8, 36, 44}, {15, 12, 90, 66}};

/* odd_recorded - a pass of an odd radix.   Returns map_check of it. */
static double odd_recorded(struct outputs *out, unsigned radix, bool fused, bool back)
{
    _Alignas(64) double x[15 * BLOCK_DOUBLES];
    struct odd_io io = {.in = x, .out = x, .n_blocks = 1};
    struct map m = {.n = radix};
    record_begin(fused);
    for (unsigned part = 0; part < 2; part++)
        for (unsigned s = 0; s < radix; s++)
            vec_store(x + s * BLOCK_DOUBLES + part * PLAN_BLOCK, vec_set1(record_input()));
    for (unsigned s = 0; s < radix; s++)
        io.in_at[s] = io.out_at[s] = s * BLOCK_DOUBLES;
    odd_vector(radix, back, ODD_RIGHT_ANGLE, &io, 0, NULL, NULL);
    out->n = 2 * radix;
    for (unsigned s = 0; s < radix; s++) {
        out->at[s] = record_of(x[s * BLOCK_DOUBLES]);
        out->at[radix + s] = record_of(x[s * BLOCK_DOUBLES + PLAN_BLOCK]);
        for (unsigned t = 0; t < radix; t++) {
            const long double angle = 2 * PI_LONG * s * (0.25L + t) / radix;
            m.re[back ? s : t][back ? t : s] = cosl(angle);
            m.im[back ? s : t][back ? t : s] = back ? -sinl(angle) : sinl(angle);
        }
    }
    return map_check(out, &m, sqrt((double)radix), 4);
}

static void odd_constants_of(double *forward, double *inverse, unsigned radix, bool fused)
{
    struct plan_shape s = {.transform = {.packing = GFMUL_PACKING_RIGHT_ANGLE, .odd = radix}, .bound.fma = fused};
    struct plan_pass_constants c;
    s.transform.pass[0] = (struct plan_pass){.radix = radix, .n_nodes = 1};
    plan_pass_constants(&c, &s, 0);
    *forward = c.forward[0];
    *inverse = c.inverse[0];
}

static void test_odd(void)
{
    for (unsigned k = 0; k < 5; k++)
        for (unsigned fused = 0; fused < 2; fused++)
            for (unsigned back = 0; back < 2; back++) {
                const struct odd_kernel *kernel = &odd_kernels[k];
                struct outputs out;
                double forward, inverse;
                test_note("radix %u, fused %u, back %u", kernel->radix, fused, back);
                const double off = odd_recorded(&out, kernel->radix, fused, back);
                odd_constants_of(&forward, &inverse, kernel->radix, fused);
                if (fused)
                    TEST_CHECK_MSG(record_counts[RECORD_MUL] == kernel->mul * VEC_WIDTH &&
                                       record_counts[RECORD_ADD] == kernel->add * VEC_WIDTH &&
                                       record_counts[RECORD_FMA] == kernel->fma * VEC_WIDTH,
                                   "%u multiplications, %u additions, %u FMAs of four lanes", record_counts[RECORD_MUL],
                                   record_counts[RECORD_ADD], record_counts[RECORD_FMA]);
                /* a product of complex numbers is sqrt 5 without FMA [BPZ07], and 3 by its layers */
                const double product = kernel->radix == 9 && !fused ? 3 - 2.2361 : 0;
                if (back)
                    constant_check("backwards", backward_constant(&out, true), inverse + product, kernel->radix < 9 ? 0.25 : 2);
                else if (kernel->radix < 9)
                    constant_check("forwards", forward_constant(&out, sqrt((double)kernel->radix)) + off, forward,
                                   fused ? 2e-3 : 0.25);
            }
}

/* Radix 9 and 15 are two of those layers, with a product by a table entry in between or without: sections 15.4 and 15.5. */
static void test_odd_layers(void)
{
    for (unsigned fused = 0; fused < 2; fused++) {
        double f3, i3, f5, i5, f9, i9, f15, i15;
        odd_constants_of(&f3, &i3, 3, fused);
        odd_constants_of(&f5, &i5, 5, fused);
        odd_constants_of(&f9, &i9, 9, fused);
        odd_constants_of(&f15, &i15, 15, fused);
        const double product = (fused ? 2.0 : 2.2361) + 0.4347; /* the largest error of the three entries */
        TEST_CHECK(f9 >= 2 * f3 + product && f9 < 2 * f3 + product + 2e-3);
        TEST_CHECK(i9 >= 2 * i3 + product - 1e-9 && i9 < 2 * i3 + product + 2e-3);
        TEST_CHECK(fabs(f15 - f3 - f5) < 1e-9 && fabs(i15 - i3 - i5) < 1e-9);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_binary);
    TEST_RUN(test_counts);
    TEST_RUN(test_whole);
    TEST_RUN(test_mixed);
    TEST_RUN(test_leaf16);
    TEST_RUN(test_odd);
    TEST_RUN(test_odd_layers);
    return test_end();
}
