/*
 * stages_floor.c - the stages of one convolution against the limits of the machine.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 *   b-stages floor [THREADSx] [[ODD*]LOG2_N]...      points of the transforms, ODD 2^LOG2_N, 2^9 .. 2^26 (12 16 20 24)
 *
 * Right-angle, operands of n digits each, by THREADS threads (1).  The stages of a product are "cut" (digits from limbs and the
 * column passes, both operands), "rows" (the row passes of both, product, inverse rows), "carry" (inverse columns, rounding,
 * carry, limbs).  For each the cycles per point, and two floors:
 *
 *   fma    the additions and multiplications of its butterflies, six for a radix-2 butterfly of two vectors, eight backwards,
 *          over two vector units (avx512, avx2; one for each lane of sse2 and scalar code) of each thread's processor
 *   port   the same operations, the passes' stores, and the leaves' shuffles where they share the pipes, over the pipes that can
 *          do them (struct ports): the busiest one; loads, cutting and carrying are not counted
 *   bytes  what it moves between the caches and the memory, over the bandwidth that a loop of the same kind reaches on a
 *          buffer of the same size in the same run, with as many threads: reads for rows, streaming stores for cut; 0 where
 *          buffers are below 4 MiB
 *
 * Cycles are those of a chain of dependent additions of one cycle each, timed between the rounds.  Medians of interleaved rounds.
 *
 * With several threads, what their processors give where nothing is shared: each makes convolutions of its own, short enough for
 * its second-level cache, once alone and once beside all others.  No product can gain more by its threads.
 */
#include "bench_parts.h"

#include <math.h>
#include <pthread.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "bench.h"
#include "bench_stages.h"
#include "median.h"

enum { ROUNDS = 9, LEAST_NS = 20000000, MAX_SIZES = 16 };
enum { CUT, ROWS, CARRY, READ, WRITE, CYCLE, SAMPLES };

static const char *const stage_name[] = {"cut", "rows", "carry"};

struct workload {
    struct plan *plan;
    double *x, *y, *scratch;
    mp_limb_t *a, *z;
    size_t words;
    double ns[SAMPLES][ROUNDS]; /* per point; READ and WRITE: per byte; CYCLE: per cycle */
};

static unsigned threads = 1;

static double now_ns(void)
{
    return threads > 1 ? (double)clock_ns() : cpu_ns();
}

static double cycle_ns(void)
{
    enum { LINKS = 4000000 };
    uint64_t v = 1;
    const double start = cpu_ns();
    for (unsigned i = 0; i < LINKS; i++) {
        v += LINKS; /* waits for the last one */
        __asm__ volatile("" : "+r"(v));
    }
    return (cpu_ns() - start) / LINKS;
}

/* Vectors of the compiler's: this file is built for any processor, and a core's loads are not the limit of its bandwidth. */
typedef uint64_t words_8 __attribute__((vector_size(64)));

/* Several streams side by side, each prefetched well ahead: one stream alone does not keep enough lines in flight. */
static void read_part(const double *x, size_t doubles)
{
    enum { STREAMS = 8, AHEAD = 64 };
    const words_8 *p = (const words_8 *)(const void *)x;
    const size_t part = doubles / 8 / STREAMS;
    words_8 sum = {0};
    for (size_t i = 0; i < part; i++)
        for (unsigned k = 0; k < STREAMS; k++) {
            __builtin_prefetch(p + k * part + (i + AHEAD < part ? i + AHEAD : i), 0, 2);
            sum ^= p[k * part + i];
        }
    __asm__ volatile("" ::"m"(sum));
}

/* By whole lines: an Emerald Rapids guest writes 22 GB/s in pieces of 64 bytes, 6 to 9 in pieces of 16. */
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
__attribute__((target("avx512f"))) static void write_lines(double *x, size_t doubles)
{
    typedef long long line __attribute__((vector_size(64)));
    line *p = (line *)(void *)x;
    for (size_t i = 0; i < doubles / 8; i++)
        __builtin_ia32_movntdq512(p + i, (line){(long long)i, 1});
    __builtin_ia32_sfence();
}
#endif

static void write_part(double *x, size_t doubles)
{
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
    if (cpu_isa_mask(NULL) & CPU_ISA_AVX512) {
        write_lines(x, doubles);
        return;
    }
#endif
#ifdef __SSE2__
    typedef long long pair __attribute__((vector_size(16)));
    pair *p = (pair *)(void *)x;
    for (size_t i = 0; i < doubles / 2; i++)
        __builtin_ia32_movntdq(p + i, (pair){(long long)i, 1});
    __builtin_ia32_sfence();
#else
    memset(x, 1, doubles * sizeof *x);
#endif
}

/* A buffer of which each thread reads or writes a part. */
struct pass_work {
    double *x;
    size_t part;
    bool write;
};

static void pass_parts(void *arg, unsigned thread, size_t first, size_t end)
{
    const struct pass_work *const w = arg;
    (void)thread;
    for (size_t t = first; t < end; t++) {
        if (w->write)
            write_part(w->x + t * w->part, w->part);
        else
            read_part(w->x + t * w->part, w->part);
    }
}

/* pass_ns_per_byte - of all threads together, each on its part of x. */
static double pass_ns_per_byte(double *x, size_t doubles, bool write)
{
    const size_t part = doubles / threads / 64 * 64;
    const double start = now_ns();
    parallel_for(threads, threads, 1, pass_parts, &(struct pass_work){x, part, write});
    return (now_ns() - start) / (double)(part * threads * sizeof *x);
}

static struct workload *workload_make(const struct isa_ops *ops, unsigned odd, unsigned log2_n)
{
    struct workload *w = need(calloc(1, sizeof *w));
    w->plan = full_plan(ops, odd, log2_n);
    const struct plan_shape *s = &w->plan->shape;
    w->words = s->transform.n_points * s->digits.exponent / 64;
    w->x = need(alloc_aligned(plan_buffer_doubles(s) * sizeof(double)));
    w->y = need(alloc_aligned(plan_buffer_doubles(s) * sizeof(double)));
    w->scratch = need(alloc_aligned(threads * plan_strip_doubles(s) * sizeof(double)));
    w->a = need(alloc_aligned(w->words * sizeof *w->a));
    w->z = need(alloc_aligned(2 * w->words * sizeof *w->z));
    for (size_t i = 0; i < w->words; i++)
        w->a[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (i * UINT64_C(0xbf58476d1ce4e5b9) >> 7);
    return w;
}

static void workload_free(struct workload *w)
{
    plan_destroy(w->plan);
    alloc_free(w->x);
    alloc_free(w->y);
    alloc_free(w->scratch);
    alloc_free(w->a);
    alloc_free(w->z);
    free(w);
}

/* A product, the time of each of its stages added to ns. */
static void product(struct workload *w, double ns[3])
{
    const struct plan *plan = w->plan;
    const size_t n = plan->shape.transform.n_points;
    struct digit_source source;
    struct digit_norms norms;
    struct round_stats stats;
    double start = now_ns(), end;
    limbs_source(&source, plan, w->a, w->words);
    plan->ops->source_to_columns(plan, w->x, w->scratch, &(struct digit_cell){&source, 0, n, DIGIT_PART_A}, &norms, threads);
    plan->ops->source_to_columns(plan, w->y, w->scratch, &(struct digit_cell){&source, 0, n, DIGIT_PART_A}, &norms, threads);
    ns[CUT] += (end = now_ns()) - start;
    plan->ops->columns_mul(plan, w->x, w->y, NULL, n, n, threads);
    ns[ROWS] += (start = now_ns()) - end;
    if (columns_to_limbs(plan, w->z, 2 * w->words, w->x, w->scratch, &stats, threads) != GFMUL_OK || !(stats.max_error < 0.4)) {
        fprintf(stderr, "b-stages floor: error %g\n", stats.max_error);
        exit(1);
    }
    ns[CARRY] += now_ns() - start;
}

static void measure(struct workload *w, unsigned round)
{
    const struct plan_shape *s = &w->plan->shape;
    const size_t doubles = plan_buffer_doubles(s);
    double ns[3] = {0, 0, 0}, warm[3] = {0, 0, 0};
    unsigned count = 0;
    product(w, warm);
    do {
        product(w, ns);
        count++;
    } while (ns[CUT] + ns[ROWS] + ns[CARRY] < LEAST_NS);
    for (unsigned i = CUT; i <= CARRY; i++)
        w->ns[i][round] = ns[i] / count / (double)s->transform.n_points;
    w->ns[READ][round] = pass_ns_per_byte(w->x, doubles, false);
    w->ns[WRITE][round] = pass_ns_per_byte(w->x, doubles, true);
    w->ns[CYCLE][round] = cycle_ns();
}

static bool is_odd_factor(unsigned odd)
{
    unsigned i = 0;
    while (plan_odd_factor(i) != 0 && plan_odd_factor(i) != odd)
        i++;
    return odd > 0 && plan_odd_factor(i) == odd;
}

enum { ALONE_LOG2_N = 12, ALONE_COUNT = 400 };

/* Threads that each make products of their own. */
struct alone_work {
    struct workload **w;
    double *rate;
    pthread_barrier_t ready;
};

static void alone_run(void *arg, unsigned t)
{
    struct alone_work *const all = arg;
    struct workload *const own = all->w[t];
    double ns[3] = {0, 0, 0};
    product(own, ns);
    pthread_barrier_wait(&all->ready);
    const uint64_t start = clock_ns();
    for (unsigned i = 0; i < ALONE_COUNT; i++)
        product(own, ns);
    all->rate[t] = ALONE_COUNT * (double)own->plan->shape.transform.n_points / (double)(clock_ns() - start);
}

/* alone_points_per_ns - all threads together, each with convolutions of its own. */
static double alone_points_per_ns(const struct isa_ops *ops, unsigned team)
{
    struct workload **w = need(calloc(team, sizeof *w));
    struct alone_work all = {.w = w, .rate = need(calloc(team, sizeof *all.rate))};
    const unsigned kept = threads;
    threads = 1;
    for (unsigned t = 0; t < team; t++)
        w[t] = workload_make(ops, 1, ALONE_LOG2_N);
    pthread_barrier_init(&all.ready, NULL, team);
    bench_threads(team, alone_run, &all);
    pthread_barrier_destroy(&all.ready);
    double rate = 0;
    for (unsigned t = 0; t < team; t++) {
        rate += all.rate[t];
        workload_free(w[t]);
    }
    free(all.rate);
    free(w);
    threads = kept;
    return rate;
}

/* levels - radix-2 levels of the column passes, or of the others. */
static unsigned levels(const struct plan_shape *s, bool columns)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < s->transform.n_passes; i++)
        sum += (i < s->transform.n_column_passes) == columns ? s->transform.pass[i].levels : 0;
    return sum;
}

/*
 * Cycles a vector, of multiplications and FMAs, of additions, of both together, and of stores.  AMD: two pipes for the first, two
 * others for the second, one store; to Zen 4 of 256 bits; one of each two shuffles.  Others: two pipes for both, two stores of
 * 256 bits or one of 512; of 512 bits one of the two shuffles.   shuffles: count them to both
 */
struct ports {
    double fma, add, both, store;
    bool shuffles;
};

static struct ports ports_of(unsigned lanes)
{
    double halves = 1;
    if (cpu_tuning(0) == 0)
        return (struct ports){0.5, 0.5, 0.5, lanes == 8 ? 1 : 0.5, lanes == 8};
#if defined __x86_64__ && defined __GNUC__
    halves = lanes == 8 && __builtin_cpu_is("amdfam19h") ? 2 : 1;
#endif
    return (struct ports){0.5 * halves, 0.5 * halves, 0.25 * halves, halves, true};
}

/* port_floor - of the passes over columns, or of the others and the product; forwards and backwards times over them. */
static double port_floor(const struct plan_shape *s, unsigned lanes, bool columns, unsigned forwards, unsigned backwards)
{
    const struct ports ports = ports_of(lanes);
    double fma = columns ? 0 : 4, add = 0, store = 0, shuffle = 0; /* vectors a vector of points */
    for (unsigned i = 0; i < s->transform.n_passes; i++) {
        const struct plan_pass *p = &s->transform.pass[i];
        if ((i < s->transform.n_column_passes) != columns || p->levels == 0)
            continue;
        const bool radix4 = p->butterfly == BUTTERFLY_RADIX4, leaf = i + 2 >= s->transform.n_passes;
        const bool mixed = p->butterfly == BUTTERFLY_MIXED;
        const unsigned steps = radix4 ? 0 : mixed ? 1 : p->levels;
        fma += (radix4 || mixed ? 3.0 * (forwards + backwards) : 0) + steps * (3.0 * forwards + 2.0 * backwards);
        add += (radix4 || mixed ? 4.0 * (forwards + backwards) : 0) + steps * 2.0 * backwards;
        if (leaf && ports.shuffles) /* a transposition of LANES vectors, real and imaginary, for both of its passes */
            shuffle += (lanes == 8 ? 3.0 : 2.0) * (forwards + backwards);
        store += leaf ? 0 : 2.0 * (forwards + backwards);
    }
    if (!columns)
        store += 2; /* the leaves, once */
    const double busiest =
        fmax(fmax(fma * ports.fma, add * ports.add), fmax((fma + add + shuffle) * ports.both, store * ports.store));
    return busiest / lanes / threads;
}

static void print(struct workload *w, unsigned lanes)
{
    const struct plan_shape *s = &w->plan->shape;
    const double cycle = median_of(w->ns[CYCLE], ROUNDS), n = (double)s->transform.n_points;
    const bool cached = plan_buffer_doubles(s) * sizeof(double) < (size_t)4 << 20;
    const double read = cached ? 0 : median_of(w->ns[READ], ROUNDS) / cycle,
                 write = cached ? 0 : median_of(w->ns[WRITE], ROUNDS) / cycle;
    const double limbs = (double)w->words * 8 / n;
    double tables = 0; /* bytes a point of the twiddles that the rows read */
    for (unsigned i = s->transform.n_column_passes; i < s->transform.n_passes; i++)
        tables += (double)s->transform.pass[i].n_nodes * 8 * (s->transform.pass[i].radix - 1) * 2 / n;
    /* 6 fused operations for a butterfly of two vectors of complex points, 8 operations backwards, two units */
    const double level = 6.0 / (2 * lanes) / 2 / threads, back = 8.0 / (2 * lanes) / 2 / threads;
    const double fma[3] = {2 * levels(s, true) * level, levels(s, false) * (2 * level + back) + 6.0 / lanes / 2 / threads,
                           levels(s, true) * back};
    const double bytes[3] = {2 * (16 * write + limbs * read), (32 + tables) * read + 16 * write, 16 * read + 2 * limbs * write};
    const double port[3] = {port_floor(s, lanes, true, 2, 0), port_floor(s, lanes, false, 2, 1),
                            port_floor(s, lanes, true, 0, 1)};
    double sum = 0, sum_fma = 0, sum_port = 0, sum_bytes = 0;
    for (unsigned i = CUT; i <= CARRY; i++) {
        const double cycles = median_of(w->ns[i], ROUNDS) / cycle;
        printf("%s\t%.0f\t%s\t%.2f\t%.2f\t%.2f\t%.2f\n", w->plan->isa->name, n, stage_name[i], cycles, fma[i], port[i], bytes[i]);
        sum += cycles;
        sum_fma += fma[i];
        sum_port += port[i];
        sum_bytes += bytes[i];
    }
    printf("%s\t%.0f\tall\t%.2f\t%.2f\t%.2f\t%.2f\n", w->plan->isa->name, n, sum, sum_fma, sum_port, sum_bytes);
    printf("# %s %u*2^%u: %.3f ns a cycle, l = %u, read %.1f GB/s, streaming stores %.1f GB/s\n", w->plan->isa->name,
           s->transform.odd, s->transform.log2_n, cycle, s->digits.exponent, 1 / median_of(w->ns[READ], ROUNDS),
           1 / median_of(w->ns[WRITE], ROUNDS));
}

int stages_floor(int argc, char **argv)
{
    static const unsigned usual[] = {12, 16, 20, 24};
    const struct isa_ops *ops = isa_ops_select(cpu_isa_mask(getenv("GFMUL_DISABLE")));
    const unsigned lanes = strcmp(ops->name, "avx512") == 0 ? 8
                           : strcmp(ops->name, "avx2") == 0 ? 4
                           : strcmp(ops->name, "scalar")    ? 2
                                                            : 1;
    const char *x = argc > 1 ? strchr(argv[1], 'x') : NULL;
    if (x && x[1] == '\0' && atoi(argv[1]) > 0) {
        threads = (unsigned)atoi(argv[1]);
        argc--;
        argv++;
    }
    const int count = argc > 1 ? argc - 1 : (int)(sizeof usual / sizeof usual[0]);
    struct workload *w[MAX_SIZES];
    for (int i = 0; i < count; i++) {
        const char *star = argc > 1 ? strchr(argv[1 + i], '*') : NULL;
        const unsigned odd = star ? (unsigned)atoi(argv[1 + i]) : 1;
        const unsigned log2_n = argc > 1 ? (unsigned)atoi(star ? star + 1 : argv[1 + i]) : usual[i];
        if (!is_odd_factor(odd) || log2_n < 9 || log2_n > 26 || count > MAX_SIZES) {
            fprintf(stderr, "usage: b-stages floor [THREADSx] [[ODD*]LOG2_N]...   9 .. 26\n");
            return 2;
        }
        w[i] = workload_make(ops, odd, log2_n);
    }
    double gain[ROUNDS] = {0}; /* of as many threads that share nothing */
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < count; i++)
            measure(w[i], round);
        if (threads > 1) {
            const double one = alone_points_per_ns(ops, 1);
            gain[round] = alone_points_per_ns(ops, threads) / one;
        }
    }
    printf("# cycles per point, %u threads; floors by the fused operations, by the ports and by the bytes moved\n", threads);
    if (threads > 1)
        printf("# %u threads, each with convolutions of its own of 2^12 points: %.2f times one\n", threads,
               median_of(gain, ROUNDS));
    printf("isa\tpoints\tstage\tcycles\tfma_floor\tport_floor\tbytes_floor\n");
    for (int i = 0; i < count; i++) {
        print(w[i], lanes);
        workload_free(w[i]);
    }
    return 0;
}
