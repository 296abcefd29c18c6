/*
 * stages_lengths.c - the time of one convolution at every transform length, and the step from each length to the next.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 *   b-stages lengths [--table | --times] [FIRST] [LAST] [ROUNDS]     log2 of shortest and longest length (10, 18), rounds (31)
 *
 * Right-angle, full operands of n digits each, l the largest that is expected to be proved: cut, column passes, rows with the
 * product, inverse column passes and carry, by the stages themselves.  One thread, its processor time; the lengths take turns,
 * round after round, and each has its lower decile; the step is the median of the ratios to the length before in the same
 * round.  GFMUL_DISABLE chooses the instruction set.  A line of TSV a length.
 *
 * --table: first, length by length, every sensible number of levels over columns, written past the cache or not, in turns; one
 * that is faster than the planned one by more than TABLE_GAIN takes its place.  Then as above, with medians, and lines that
 * bench/lengths.awk makes the rows of lib/plan/thresholds/lengths.h of.   --times: the same without looking for other ways.
 */
#include "bench_parts.h"

#include <math.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "bench_stages.h"
#include "median.h"

enum { MAX_LENGTHS = 400, MAX_WAYS = 40, LEAST_NS = 400000, WARM_POINTS = 1 << 21 };
#define TABLE_GAIN 0.015

struct length {
    struct plan *plan;
    double *ns;
    double time; /* lower decile; --table: median */
    double step; /* median over the rounds of the ratio to the length before */
};

static double *buffer[3];
static mp_limb_t *limbs[3];

static void convolve(const struct plan *plan)
{
    const struct plan_shape *s = &plan->shape;
    struct digit_source source;
    struct digit_norms norms;
    const size_t n = s->transform.n_points, words = n * s->digits.exponent / 64;
    struct round_stats stats;
    for (unsigned k = 0; k < 2; k++) {
        limbs_source(&source, plan, limbs[k], words);
        plan->ops->source_to_columns(plan, buffer[k], buffer[2], &(struct digit_cell){&source, 0, n, DIGIT_PART_A}, &norms, 1);
    }
    plan->ops->columns_mul(plan, buffer[0], buffer[1], NULL, n, n, 1);
    if (columns_to_limbs(plan, limbs[2], 2 * words, buffer[0], buffer[2], &stats, 1) != GFMUL_OK || !(stats.max_error < 0.4)) {
        fprintf(stderr, "b-stages lengths: error %g\n", stats.max_error);
        exit(1);
    }
}

/* sample - nanoseconds of a convolution, after one that warms the caches where it can. */
static double sample(const struct plan *plan)
{
    unsigned count = 0;
    double start, now;
    if (plan->shape.transform.n_points <= WARM_POINTS)
        convolve(plan);
    start = cpu_ns();
    do {
        convolve(plan);
        count++;
        now = cpu_ns();
    } while (now - start < LEAST_NS);
    return (now - start) / count;
}

static int by_points(const void *a, const void *b)
{
    const struct length *x = a, *y = b;
    return (x->plan->shape.transform.n_points > y->plan->shape.transform.n_points) -
           (x->plan->shape.transform.n_points < y->plan->shape.transform.n_points);
}

static size_t make_lengths(struct length *length, const struct isa_ops *ops, unsigned first, unsigned last)
{
    size_t n = 0;
    for (unsigned i = 0; plan_odd_factor(i); i++)
        for (unsigned log2_n = 6; log2_n <= last; log2_n++) {
            const unsigned odd = plan_odd_factor(i);
            const size_t points = (size_t)odd << log2_n;
            if (points >= (size_t)1 << first && points <= (size_t)1 << last && n < MAX_LENGTHS)
                length[n++].plan = full_plan(ops, odd, log2_n);
        }
    qsort(length, n, sizeof *length, by_points);
    return n;
}

/* ---- the fastest way to do a length ---- */

static bool sensible(unsigned odd, unsigned log2_n, unsigned columns)
{
    const size_t points = (size_t)odd << log2_n, rows = (size_t)odd << columns;
    const unsigned row_levels = log2_n - columns;
    const unsigned least = points >= (size_t)1 << 22 ? 13 : points >= (size_t)1 << 17 ? 11 : 8;
    return rows <= 1024 && row_levels >= least && row_levels <= (rows == 1 ? 15 : 16);
}

/* ways_of - the planned way first.   Returns how many. */
static unsigned ways_of(struct plan *way[MAX_WAYS], struct plan *planned, const struct isa_ops *ops)
{
    const struct plan_shape *s = &planned->shape;
    const size_t mib = s->transform.n_points * 2 * sizeof(double) >> 20;
    unsigned n = 0;
    way[n++] = planned;
    for (unsigned columns = 0; columns + 6 <= s->transform.log2_n; columns++)
        for (unsigned streams = 0; streams < 2 && n < MAX_WAYS; streams++) {
            const struct plan_length as = {(uint8_t)columns, streams, 0};
            if (!sensible(s->transform.odd, s->transform.log2_n, columns) || (streams ? mib < 2 : mib > 128) ||
                ((size_t)s->transform.odd << columns == s->transform.n_rows && streams == s->transform.streams))
                continue;
            way[n] = full_plan_as(ops, s->transform.odd, s->transform.log2_n, &as);
            if (way[n]->shape.transform.streams == streams)
                n++;
            else
                plan_destroy(way[n]); /* cannot be streamed */
        }
    return n;
}

/* fastest - the planned way, or a better one; the others are destroyed. */
static struct plan *fastest(struct plan *planned, const struct isa_ops *ops, unsigned rounds)
{
    struct plan *way[MAX_WAYS];
    const unsigned n = ways_of(way, planned, ops);
    double *ratio[MAX_WAYS], least = 1.0 - TABLE_GAIN;
    unsigned best = 0;
    for (unsigned k = 0; k < n; k++)
        ratio[k] = need(calloc(rounds, sizeof(double)));
    for (unsigned r = 0; r < rounds && n > 1; r++) {
        for (unsigned k = 0; k < n; k++)
            ratio[(k + r) % n][r] = sample(way[(k + r) % n]);
        for (unsigned k = n; k-- > 0;)
            ratio[k][r] /= ratio[0][r];
    }
    for (unsigned k = 1; k < n; k++) {
        const double x = median_of(ratio[k], rounds);
        if (x < least) {
            least = x;
            best = k;
        }
    }
    for (unsigned k = 0; k < n; k++) {
        free(ratio[k]);
        if (k != best)
            plan_destroy(way[k]);
    }
    return way[best];
}

/* ---- all lengths ---- */

static void measure(struct length *length, size_t n, unsigned rounds, bool table)
{
    for (size_t k = 0; k < n; k++)
        length[k].ns = need(calloc(rounds, sizeof(double)));
    for (unsigned r = 0; r < rounds; r++)
        for (size_t k = 0; k < n; k++)
            length[k].ns[r] = sample(length[k].plan);
    double *ratio = need(calloc(rounds, sizeof *ratio));
    for (size_t k = 0; k < n; k++) {
        for (unsigned r = 0; r < rounds; r++)
            ratio[r] = k ? length[k].ns[r] / length[k - 1].ns[r] : 1.0;
        length[k].step = median_of(ratio, rounds);
    }
    free(ratio);
    for (size_t k = 0; k < n; k++) {
        qsort(length[k].ns, rounds, sizeof(double), by_value);
        length[k].time = length[k].ns[table ? rounds / 2 : rounds / 10];
    }
}

/* allocate - buffers and operands for the longest length, strips for as many rows as there may be. */
static void allocate(unsigned last)
{
    const size_t n = (size_t)1 << last, doubles = 2 * n + n / 8 + (1 << 16), strip = (size_t)4096 * 2 * PLAN_STRIP_POINTS;
    for (unsigned k = 0; k < 3; k++) {
        const size_t words = (k < 2 ? 1 : 2) * (n * 24 / 64 + 64), size = k < 2 ? doubles : strip;
        buffer[k] = need(alloc_aligned(size * sizeof(double)));
        limbs[k] = need(alloc_aligned(words * sizeof(mp_limb_t)));
        memset(buffer[k], 0, size * sizeof(double));
        for (size_t i = 0; i < words; i++)
            limbs[k][i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (i * UINT64_C(0xbf58476d1ce4e5b9) >> (7 + k));
    }
}

static void print_lines(const struct length *length, size_t n, const struct isa_ops *ops)
{
    printf("isa\todd\tlog2_n\tpoints\tl\tns\tns_per_point\tmodel\tns_per_model\tstep\tmodel_step\trows\tstreams\n");
    double before = 0;
    for (size_t k = 0; k < n; k++) {
        const struct plan_shape *s = &length[k].plan->shape;
        const double model = 3.0 * plan_transform_cost(s->transform.odd, s->transform.log2_n, ops->max_radix, s->isa);
        printf("%s\t%u\t%u\t%zu\t%u\t%.0f\t%.3f\t%.0f\t%.5f\t%.3f\t%.3f\t%zu\t%d\n", ops->name, s->transform.odd,
               s->transform.log2_n, s->transform.n_points, s->digits.exponent, length[k].time,
               length[k].time / (double)s->transform.n_points, model, length[k].time / model, length[k].step,
               k ? model / before : 1.0, s->transform.n_rows, s->transform.streams);
        before = model;
    }
}

static void print_row(const struct isa_ops *ops, unsigned odd, unsigned log2_n, unsigned columns, bool streams, double ps,
                      const char *how)
{
    const double model = 3.0 * plan_model_cost(odd, log2_n, ops->max_radix) / ldexp(odd, (int)log2_n);
    const unsigned tuning = cpu_tuning(ops->isa_bit);
    const char *family = tuning & CPU_PATHS512 ? "_amd512" : tuning & CPU_AMD ? "_amd" : "";
    printf("%s%s\t%u\t%u\t%u\t%d\t%.0f\t%.2f\t%s\n", ops->name, family, odd, log2_n, columns, streams, ps, ps / model, how);
}

/*
 * print_table - instruction set, odd factor, log2 of the points over it, levels over columns, past the cache, picoseconds a
 * point, the same for a unit of plan_model_cost, and how they are known: what is longer than LAST is as in the table of this
 * build, if that has it, scaled as the lengths of the last octave are.
 */
static void print_table(const struct length *length, size_t n, const struct isa_ops *ops)
{
    double seen = 0, known = 0;
    printf("isa\todd\tlog2_n\tcolumns\tstreams\tps_per_point\tps_per_unit\thow\n");
    for (size_t k = 0; k < n; k++) {
        const struct plan_shape *s = &length[k].plan->shape;
        const struct plan_length *old = plan_length(s->isa, s->transform.odd, s->transform.log2_n);
        const double ps = 1000.0 * length[k].time / (double)s->transform.n_points;
        print_row(ops, s->transform.odd, s->transform.log2_n,
                  (unsigned)lround(log2((double)(s->transform.n_rows / s->transform.odd))), s->transform.streams, ps, "measured");
        if (old && 2 * s->transform.n_points > length[n - 1].plan->shape.transform.n_points) {
            seen += ps;
            known += old->ps;
        }
    }
    for (unsigned i = 0; plan_odd_factor(i) && known > 0; i++)
        for (unsigned log2_n = 6; log2_n <= 26; log2_n++) {
            const struct plan_length *old = plan_length(cpu_tuning(ops->isa_bit), plan_odd_factor(i), log2_n);
            if (old && (size_t)plan_odd_factor(i) << log2_n > length[n - 1].plan->shape.transform.n_points)
                print_row(ops, plan_odd_factor(i), log2_n, old->columns, old->streams, old->ps * seen / known, "scaled");
        }
}

int stages_lengths(int argc, char **argv)
{
    static struct length length[MAX_LENGTHS];
    const bool search = argc > 1 && strcmp(argv[1], "--table") == 0;
    const bool table = search || (argc > 1 && strcmp(argv[1], "--times") == 0);
    if (table)
        argv++, argc--;
    const unsigned first = argc > 1 ? (unsigned)atoi(argv[1]) : 10, last = argc > 2 ? (unsigned)atoi(argv[2]) : 18;
    const unsigned rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 31;
    if (first < 6 || last < first || last > 26 || rounds == 0) {
        fprintf(stderr, "usage: b-stages lengths [--table | --times] [FIRST] [LAST] [ROUNDS]\n");
        return 2;
    }
    const struct isa_ops *ops = isa_ops_select(cpu_isa_mask(getenv("GFMUL_DISABLE")));
    allocate(last);
    const size_t n = make_lengths(length, ops, first, last);
    for (size_t k = 0; k < n && search; k++)
        length[k].plan = fastest(length[k].plan, ops, rounds);
    measure(length, n, rounds, table);
    (table ? print_table : print_lines)(length, n, ops);
    for (unsigned k = 0; k < 3; k++) {
        alloc_free(buffer[k]);
        alloc_free(limbs[k]);
    }
    for (size_t k = 0; k < n; k++) {
        free(length[k].ns);
        plan_destroy(length[k].plan);
    }
    return 0;
}
