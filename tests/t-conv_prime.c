/* t-conv_prime.c - products of polynomials in one walk against their steps, and what long convolutions leave for the next one. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "fft/conv.h"
#include "prime/prime_ring.h"
#include "resident.h"
#include "test.h"

enum { LONG = 60000, PATIENCE_MS = 20000 };

static void words_fill(uint64_t *x, size_t n, unsigned how)
{
    for (size_t i = 0; i < n; i++)
        x[i] = how == 0 ? test_u64() : how == 1 ? UINT64_MAX : how == 2 ? (uint64_t)1 << 63 : test_below(2) - 1;
}

/* product_check - ring_product of two operands against the sequence that it equals, bit by bit. */
static void product_check(const struct prime_ring *r, const struct ring_words *a, const struct ring_words *b, unsigned threads)
{
    const size_t bytes = r->n_points * sizeof(double);
    double *x = alloc_aligned(bytes), *y = alloc_aligned(bytes), *z = alloc_aligned(bytes), *w = alloc_aligned(bytes);
    if (!x || !y || !z || !w)
        exit(1);
    r->ops->ring_cut(r, x, a, threads);
    r->ops->ring_forward(r, x, threads);
    r->ops->ring_cut(r, y, b, threads);
    r->ops->ring_forward(r, y, threads);
    r->ops->ring_finish(r, y, threads);
    r->ops->ring_multiply(r, x, y, threads);
    r->ops->ring_back(r, x, threads);
    memset(z, 0xff, bytes); /* no numbers: all is written */
    memset(w, 0xff, bytes);
    r->ops->ring_product(r, z, a, w, b, threads);
    size_t wrong = 0;
    for (size_t i = 0; i < r->n_points; i++)
        wrong += !(z[i] == x[i]);
    TEST_CHECK_MSG(wrong == 0, "%zu of %zu points differ", wrong, r->n_points);
    memset(z, 0xff, bytes);
    r->ops->ring_product(r, z, a, y, NULL, threads);
    for (size_t i = 0; i < r->n_points; i++)
        wrong += !(z[i] == x[i]);
    TEST_CHECK_MSG(wrong == 0, "%zu of %zu points differ by a factor", wrong, r->n_points);
    alloc_free(x);
    alloc_free(y);
    alloc_free(z);
    alloc_free(w);
}

/* word_residue - a word of 64 bits modulo p. */
static uint64_t word_residue(uint64_t word, bool is_signed, uint64_t p)
{
    const bool minus = is_signed && word >> 63;
    const uint64_t r = (minus ? 0 - word : word) % p;
    return minus && r > 0 ? p - r : r;
}

/* integers_check - ring_product of rings of integers against transforms in words. */
static void integers_check(const struct prime *prime, const struct prime_ops *ops, unsigned levels, bool negacyclic,
                           const struct ring_words *a, const struct ring_words *b, unsigned threads)
{
    const size_t n = (size_t)1 << levels;
    const uint64_t p = prime->p;
    const struct prime_ops *words = prime_word_ops(isa_ops_list(0), 0, p, NULL); /* one at a time */
    struct prime_ring *r, *word;
    if (!TEST_OK(prime_ring_create(&r, prime, 1, levels, negacyclic, ops)) ||
        !TEST_OK(prime_ring_create(&word, prime, 1, levels, negacyclic, words)))
        return;
    double *x = alloc_aligned(n * sizeof *x), *y = alloc_aligned(n * sizeof *y);
    uint64_t *u = test_alloc_zeroed(n, sizeof *u), *v = test_alloc_zeroed(n, sizeof *v);
    for (size_t i = 0; i < a->count; i++)
        u[i] = word_residue(((const uint64_t *)a->words)[i], a->is_signed, p);
    for (size_t i = 0; i < b->count; i++)
        v[i] = word_residue(((const uint64_t *)b->words)[i], b->is_signed, p);
    words->ring_words_forward(word, u, u, 1);
    words->ring_words_forward(word, v, v, 1);
    words->ring_words_mul(word, u, u, v, n);
    words->ring_words_back(word, u, u, u, true, 1);
    for (unsigned factor = 0; x && y && factor < 2; factor++) {
        memset(x, 0xff, n * sizeof *x);
        memset(y, 0xff, n * sizeof *y);
        if (factor)
            ops->ring_factor(r, y, b, threads);
        ops->ring_product(r, x, a, y, factor ? NULL : b, threads);
        size_t wrong = 0;
        for (size_t i = 0; i < n; i++)
            wrong += !(x[i] == (double)u[i]);
        TEST_CHECK_MSG(wrong == 0, "%zu of %zu points differ%s", wrong, n, factor ? " by a factor" : "");
    }
    prime_ring_destroy(r);
    prime_ring_destroy(word);
    alloc_free(x);
    alloc_free(y);
    free(u);
    free(v);
}

/* All lengths, with a first pass of its own or not; numbers up to the half, the end, and in between. */
static void test_product(void)
{
    const unsigned most = (unsigned)test_tier(10, 16, 18);
    for (unsigned set = 0; isa_ops_list(set) != NULL; set++)
        for (unsigned i = 0; prime_odd(i) != 0; i++)
            for (unsigned levels = RING_LEVELS_MIN; levels <= (i == 0 && most < 15 ? 15 : most); levels++) {
                if (levels > most && levels < 14)
                    continue; /* shorter than a first pass of its own */
                const size_t n = (size_t)prime_odd(i) << levels;
                const bool negacyclic = test_below(2);
                struct prime_ring *r;
                uint64_t *a = test_alloc(n * sizeof *a), *b = test_alloc(n * sizeof *b);
                if (!TEST_OK(prime_ring_create(&r, &prime_table[test_below(PRIME_COUNT)], prime_odd(i), levels, negacyclic,
                                               prime_ops_of(isa_ops_list(set)))))
                    return;
                for (unsigned how = 0; how < 3; how++) {
                    const size_t count = how == 0 ? n : how == 1 ? n / 2 : test_size(1, n);
                    const struct ring_words x = {a, count, test_below(2)}, y = {b, test_below(2) ? count : n / 2, x.is_signed};
                    const unsigned threads = 1 + (unsigned)test_below(3);
                    test_note("%s n=%zu numbers=%zu, %zu negacyclic=%d threads=%u", isa_ops_list(set)->name, n, x.count, y.count,
                              negacyclic, threads);
                    words_fill(a, n, (unsigned)test_below(4));
                    words_fill(b, n, (unsigned)test_below(4));
                    product_check(r, &x, &y, threads);
                    if (prime_ring_ops(isa_ops_list(set), prime_odd(i), r->prime.p, NULL) != r->ops)
                        integers_check(&r->prime, prime_ring_ops(isa_ops_list(set), 1, r->prime.p, NULL), levels, test_below(2),
                                       &x, &y, threads);
                }
                prime_ring_destroy(r);
                free(a);
                free(b);
            }
}

/* Operands, and their convolution by a kernel, which keeps its own memory. */
struct task {
    struct gfmul_conv_options opt;
    size_t an, bn, z_words;
    uint64_t *a, *b, *want, *z;
};

static void task_create(struct task *t, size_t an, size_t bn, enum gfmul_conv_kind kind, enum gfmul_conv_number number)
{
    struct gfmul_conv *conv;
    gfmul_conv_options_init(&t->opt);
    t->opt.kind = kind;
    t->opt.number = number;
    t->opt.words = 1 + (unsigned)test_below(3);
    t->opt.modulus = UINT64_MAX - 58;
    t->opt.threads = 1 + (unsigned)test_below(2);
    t->an = an;
    t->bn = bn;
    t->z_words = (kind == GFMUL_CONV_LINEAR ? an + bn - 1 : bn) * (number == GFMUL_CONV_MOD ? 1 : t->opt.words);
    t->a = test_alloc(an * sizeof *t->a);
    t->b = test_alloc(bn * sizeof *t->b);
    t->z = test_alloc(t->z_words * sizeof *t->z);
    t->want = test_alloc(t->z_words * sizeof *t->want);
    words_fill(t->a, an, 0);
    words_fill(t->b, bn, 0);
    for (size_t i = 0; number == GFMUL_CONV_MOD && i < an + bn; i++)
        *(i < an ? t->a + i : t->b + i - an) %= t->opt.modulus;
    if (TEST_OK(gfmul_conv_create(&conv, t->b, bn, an, &t->opt)))
        TEST_OK(gfmul_conv_run(conv, t->want, t->a, an));
    gfmul_conv_destroy(conv);
}

static void task_destroy(struct task *t)
{
    free(t->a);
    free(t->b);
    free(t->z);
    free(t->want);
}

/* task_run - by one call. */
static bool task_run(struct task *t)
{
    memset(t->z, 0xa5, t->z_words * sizeof *t->z);
    return gfmul_convolve(t->z, t->a, t->an, t->b, t->bn, &t->opt) == GFMUL_OK &&
           memcmp(t->z, t->want, t->z_words * sizeof *t->z) == 0;
}

enum { TASKS = 9 };

static void tasks_create(struct task *tasks)
{
    task_create(&tasks[0], LONG, LONG, GFMUL_CONV_LINEAR, GFMUL_CONV_UINT64);
    task_create(&tasks[1], LONG, LONG - 9, GFMUL_CONV_LINEAR, GFMUL_CONV_INT64); /* fewer primes at the same length */
    task_create(&tasks[2], LONG, LONG, GFMUL_CONV_LINEAR, GFMUL_CONV_MOD);
    task_create(&tasks[3], 1 << 17, 1 << 17, GFMUL_CONV_CYCLIC, GFMUL_CONV_INT64);
    task_create(&tasks[4], 1 << 17, 1 << 17, GFMUL_CONV_NEGACYCLIC, GFMUL_CONV_INT64);
    task_create(&tasks[5], LONG + 1, LONG + 1, GFMUL_CONV_NEGACYCLIC, GFMUL_CONV_UINT64); /* folded */
    task_create(&tasks[6], 50, 50, GFMUL_CONV_LINEAR, GFMUL_CONV_UINT64);
    task_create(&tasks[7], 500, 500, GFMUL_CONV_LINEAR, GFMUL_CONV_MOD);
    task_create(&tasks[8], 3000, 2000, GFMUL_CONV_LINEAR, GFMUL_CONV_INT64);
    for (size_t i = 0; i < tasks[1].an; i++)
        tasks[1].a[i] = (uint64_t)((int64_t)tasks[1].a[i] >> 40);
    struct gfmul_conv *conv;
    if (TEST_OK(gfmul_conv_create(&conv, tasks[1].b, tasks[1].bn, tasks[1].an, &tasks[1].opt)))
        TEST_OK(gfmul_conv_run(conv, tasks[1].want, tasks[1].a, tasks[1].an));
    gfmul_conv_destroy(conv);
}

/* What one convolution leaves serves the next, of whatever kind and numbers. */
static void test_kept(void)
{
    struct task tasks[TASKS];
    tasks_create(tasks);
    for (unsigned i = 0; i < (unsigned)test_tier(20, 60, 200); i++) {
        const unsigned k = (unsigned)test_below(TASKS);
        TEST_CHECK_MSG(task_run(&tasks[k]), "task %u", k);
        if (test_below(2))
            TEST_CHECK_MSG(task_run(&tasks[k]), "task %u once more", k);
    }
    for (unsigned k = 0; k < TASKS; k++)
        task_destroy(&tasks[k]);
}

static void *caller_run(void *arg)
{
    bool right = true;
    for (unsigned i = 0; i < 6; i++)
        right = task_run(arg) && right;
    return right ? arg : NULL;
}

/* Threads take it from each other. */
static void test_callers(void)
{
    struct task tasks[TASKS];
    pthread_t thread[TASKS];
    tasks_create(tasks);
    for (unsigned i = 0; i < TASKS; i++)
        if (pthread_create(&thread[i], NULL, caller_run, &tasks[i]) != 0)
            exit(1);
    for (unsigned i = 0; i < TASKS; i++) {
        void *result;
        pthread_join(thread[i], &result);
        TEST_CHECK_MSG(result != NULL, "task %u", i);
    }
    for (unsigned k = 0; k < TASKS; k++)
        task_destroy(&tasks[k]);
}

/* A while after the last one, the system may take the memory; on request it has it. */
static void test_given_back(void)
{
    struct task task;
    const struct timespec pause = {0, 50000000};
    task_create(&task, 4 * LONG, 4 * LONG, GFMUL_CONV_LINEAR, GFMUL_CONV_UINT64);
    for (unsigned turn = 0; turn < 2; turn++) {
        TEST_CHECK(task_run(&task));
        const size_t with = held_bytes(0), least = 3 * sizeof(double) * 8 * LONG;
        size_t left = with;
        for (long ms = 0; ms < PATIENCE_MS && left + least > with; ms += 50) {
            nanosleep(&pause, NULL);
            left = held_bytes(0);
        }
        TEST_CHECK_MSG(with == 0 || left + least <= with, "%zu bytes, then %zu", with, left);
        if (turn == 1)
            gfmul_ctx_trim(NULL);
        left = turn == 1 ? resident_bytes(0) : left;
        TEST_CHECK_MSG(with == 0 || left + least <= with, "%zu bytes, then %zu when trimmed", with, left);
    }
    task_destroy(&task);
}

/* Tables are given back, as they cannot be lent, if they are large for the machine.  Then nothing stays. */
static void test_tables(void)
{
    struct task task;
    const struct timespec pause = {0, 50000000};
    task_create(&task, 4 * LONG, 4 * LONG, GFMUL_CONV_LINEAR, GFMUL_CONV_UINT64);
    memory_usable_set((size_t)512 << 20); /* an eighth is more than it keeps, a 256th less than its tables */
    TEST_CHECK(task_run(&task));
    const size_t with = resident_bytes(0), least = 4 * sizeof(double) * 8 * LONG + 3 * sizeof(double) * 4 * LONG;
    size_t left = with;
    for (long ms = 0; ms < PATIENCE_MS && left + least > with; ms += 50) {
        nanosleep(&pause, NULL);
        left = resident_bytes(0);
    }
    TEST_CHECK_MSG(with == 0 || left + least <= with, "%zu bytes, then %zu", with, left);
    memory_usable_set(0);
    task_destroy(&task);
}

/* kept - whether the last convolution left all that the same one needs: then that one allocates nothing. */
static bool kept(struct task *t)
{
    alloc_fail_after(0);
    const bool made = task_run(t);
    alloc_fail_after(-1);
    return made;
}

/* What takes more than an eighth of the machine's memory, with its tables and the buffers of all primes, is not kept. */
static void test_kept_share(void)
{
    struct task three, one;
    const size_t row = (size_t)1 << 20; /* bytes of 2^17 points; a ring's tables are about as long */
    task_create(&three, LONG, LONG, GFMUL_CONV_LINEAR, GFMUL_CONV_UINT64);
    task_create(&one, LONG, LONG, GFMUL_CONV_LINEAR, GFMUL_CONV_UINT64);
    memset(one.a, 0, LONG * sizeof *one.a);
    memset(one.want, 0, one.z_words * sizeof *one.want);
    gfmul_ctx_trim(NULL);
    memory_usable_set(4096 * row); /* whatever this machine has */
    TEST_CHECK(task_run(&three) && kept(&three) && task_run(&one) && kept(&three));
    memory_usable_set(8 * 5 * row);
    TEST_CHECK(task_run(&three) && !kept(&three)); /* four rows, and three tables */
    memory_usable_set(4096 * row);
    TEST_CHECK(task_run(&three) && kept(&three));
    memory_usable_set(8 * 5 * row);
    TEST_CHECK(task_run(&one) && !kept(&one)); /* its own two rows, and two of the other's */
    memory_usable_set(0);
    task_destroy(&three);
    task_destroy(&one);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_product);
    TEST_RUN(test_kept);
    TEST_RUN(test_callers);
    TEST_RUN(test_given_back);
    TEST_RUN(test_tables);
    TEST_RUN(test_kept_share);
    return test_end();
}
