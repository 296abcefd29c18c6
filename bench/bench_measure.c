/*
 * bench_measure.c - interleaved rounds, medians; operands.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { MAX_ROUNDS = 100000, LONG_CALL_NS = 30000000 };

static double time_ns(clockid_t id)
{
    struct timespec t;
    if (clock_gettime(id, &t) != 0)
        bench_fail("the clock cannot be read");
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double wall_ns(void)
{
    return time_ns(CLOCK_MONOTONIC);
}

double now_seconds(void)
{
    return 1e-9 * wall_ns();
}

double clock_read_ns(const struct bench_settings *s)
{
    return time_ns(s->clock == BENCH_CLOCK_CPU ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
}

/* sample - time of one call, over as many as the contestant makes in a sample. */
static double sample(const struct bench_settings *s, struct contestant *c, size_t calls)
{
    double start = clock_read_ns(s);
    if (!c->run(c->arg, calls))
        exit(1); /* it has said why */
    return (clock_read_ns(s) - start) / (double)calls;
}

/* calls_choose - calls in a sample, doubled until they last; this is the warm-up too. */
static void calls_choose(const struct bench_settings *s, struct contestant *c)
{
    c->calls = 1;
    sample(s, c, 1);
    double ns;
    while ((ns = sample(s, c, c->calls) * (double)c->calls) < s->sample_ns && c->calls < ((size_t)1 << 40))
        c->calls *= ns * 16 < s->sample_ns ? 8 : 2;
    c->gives_back = c->gives_back && c->calls == 1 && ns >= LONG_CALL_NS;
}

static void samples_grow(struct contestant *c, size_t n, size_t capacity)
{
    for (size_t i = 0; i < n; i++) {
        double *grown = realloc(c[i].samples, capacity * sizeof *grown);
        if (!grown)
            bench_fail("out of memory");
        c[i].samples = grown;
    }
}

void bench_measure(struct contestant *c, size_t n, const struct bench_settings *s, double seconds, unsigned rounds)
{
    size_t round = 0, capacity = 0;

    for (size_t i = 0; i < n; i++) {
        free(c[i].samples);
        c[i].samples = NULL;
        calls_choose(s, &c[i]);
    }
    const double end = wall_ns() + seconds * 1e9;
    for (; round < rounds || (wall_ns() < end && round < MAX_ROUNDS); round++) {
        if (round == capacity)
            samples_grow(c, n, capacity = capacity ? 2 * capacity : 64);
        for (size_t i = 0; i < n; i++) {
            struct contestant *turn = &c[(i + round) % n];
            if (turn->gives_back) /* else what the others take since its last turn decides */
                sample(s, turn, 1);
            turn->samples[round] = sample(s, turn, turn->calls);
        }
    }
    double *sorted = bench_alloc(round, sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
        for (size_t r = 0; r < round; r++)
            sorted[r] = c[i].samples[r] / c[0].samples[r];
        c[i].ratio = median_of(sorted, round);
        memcpy(sorted, c[i].samples, round * sizeof *sorted);
        c[i].median_ns = median_of(sorted, round);
        c[i].min_ns = sorted[0];
        c[i].rounds = round;
    }
    free(sorted);
}

void contestants_free(struct contestant *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(c[i].samples);
        c[i].samples = NULL;
    }
}

/* next_random - SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

mp_limb_t *operand_make(const struct bench_settings *s, size_t n, unsigned index)
{
    mp_limb_t *a = bench_alloc(n, sizeof *a);
    uint64_t state = s->seed * 1000003u + index;
    for (size_t i = 0; i < n; i++)
        switch (s->operands) {
        case BENCH_OPERANDS_RANDOM:
            a[i] = next_random(&state);
            break;
        case BENCH_OPERANDS_ONES:
            a[i] = ~(mp_limb_t)0;
            break;
        case BENCH_OPERANDS_SEVENS:
            a[i] = 0x7777777777777777u;
            break;
        }
    if (n > 0 && a[n - 1] == 0)
        a[n - 1] = 1;
    return a;
}

char *digits_make(size_t n, uint64_t seed)
{
    char *const text = bench_alloc(n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        text[i] = (char)('0' + (i == 0) + (int)((seed >> 33) % 9));
    }
    return text;
}

struct bench_thread {
    void (*run)(void *arg, unsigned t);
    void *arg;
    unsigned t;
    pthread_t thread;
};

static void *bench_thread_run(void *arg)
{
    const struct bench_thread *const b = arg;
    b->run(b->arg, b->t);
    return NULL;
}

void bench_threads(unsigned threads, void (*run)(void *arg, unsigned t), void *arg)
{
    struct bench_thread *const b = bench_alloc(threads, sizeof *b);
    for (unsigned t = 1; t < threads; t++) {
        b[t] = (struct bench_thread){.run = run, .arg = arg, .t = t};
        if (pthread_create(&b[t].thread, NULL, bench_thread_run, &b[t]) != 0)
            bench_fail("no thread could be started");
    }
    run(arg, 0);
    for (unsigned t = 1; t < threads; t++)
        pthread_join(b[t].thread, NULL);
    free(b);
}
