/*
 * b-alone.c - the share of a product's time in which one thread works alone.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A thread beside looks into /proc/self/task again and again, and counts the threads that run or wait for a processor.  A thread
 * that waits for others sleeps after some 50 us.  So the count hardly depends on how many processors are free.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

enum { LOOK_NS = 200000, TASK_NAME = 300, STAT_BYTES = 512 };

static struct size_options range = {.from = 100000, .to = 10000000, .per_decade = 1, .balance_a = 1, .balance_b = 1};

static const struct option own_options[] = {BENCH_SIZE_OPTIONS, {NULL, 0, NULL, 0}};

static const char usage[] = "Usage: b-alone [OPTION]...\n"
                            "Measure in which share of a product's time one thread works alone.\n"
                            "\n"
                            "      --from N           products of N limbs, and of 19 N digits (default 1e5)\n"
                            "      --to N             to N (default 1e7)\n"
                            "      --per-decade X     X sizes for each factor 10 (default 1)\n"
                            "      --balance A:B      the proportion of the operands\n"
                            "      --sizes LIST       these sizes instead\n";

static void option_take(int value, const char *arg)
{
    size_options_take(&range, value, arg);
}

/* What a thread beside has seen: how often, and how often one thread or none was at work. */
struct looks {
    atomic_bool ends;
    long all, alone, none;
};

/* works - whether a thread of this process runs, waits for a processor, or for a disk. */
static bool works(const char *task)
{
    char name[TASK_NAME], stat[STAT_BYTES];
    snprintf(name, sizeof name, "/proc/self/task/%s/stat", task);
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false; /* it has ended */
    const ssize_t n = read(fd, stat, sizeof stat - 1);
    close(fd);
    if (n <= 0)
        return false;
    stat[n] = 0;
    const char *const state = strrchr(stat, ')'); /* the name before it may have spaces */
    return state && (state[2] == 'R' || state[2] == 'D');
}

static unsigned working(DIR *tasks, long self)
{
    unsigned n = 0;
    rewinddir(tasks);
    for (const struct dirent *d; (d = readdir(tasks)) != NULL;)
        n += d->d_name[0] != '.' && atol(d->d_name) != self && works(d->d_name);
    return n;
}

static void *look(void *arg)
{
    struct looks *const l = arg;
    const long self = syscall(SYS_gettid);
    DIR *const tasks = opendir("/proc/self/task");
    if (!tasks)
        bench_fail("/proc/self/task: %s", strerror(errno));
    while (!l->ends) {
        const unsigned n = working(tasks, self);
        l->all++;
        l->alone += n == 1;
        l->none += n == 0;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    closedir(tasks);
    return NULL;
}

struct work {
    struct gfmul_ctx *ctx;
    mp_limb_t *a, *b, *z;
    char *x, *y, *text; /* decimal numbers and their product */
    size_t an, bn, xn, yn;
};

static enum gfmul_status limbs_mul(const struct work *w)
{
    return gfmul_mul(w->ctx, w->z, w->a, w->an, w->b, w->bn);
}

static enum gfmul_status text_mul(const struct work *w)
{
    size_t len;
    return gfmul_str_mul(w->ctx, w->text, w->xn + w->yn + 2, &len, 10, w->x, w->xn, 10, w->y, w->yn, 10);
}

/* measure - products for so many seconds, behind a first one that finds the plan and touches the memory. */
static void measure(const struct bench_settings *s, const char *kind, size_t n, enum gfmul_status (*mul)(const struct work *),
                    const struct work *w)
{
    struct looks l = {0};
    pthread_t beside;
    size_t products = 0;
    if (mul(w) != GFMUL_OK)
        bench_fail("no product");
    if (pthread_create(&beside, NULL, look, &l) != 0)
        bench_fail("no thread");
    const double start = wall_ns();
    for (; wall_ns() - start < s->seconds * 1e9; products++)
        if (mul(w) != GFMUL_OK)
            bench_fail("no product");
    const double ms = (wall_ns() - start) * 1e-6 / (double)products;
    l.ends = true;
    pthread_join(beside, NULL);
    printf("%s\t%zu\t%u\t%.3f\t%ld\t%.4f\t%.4f\n", kind, n, s->library.threads, ms, l.all, (double)l.alone / (double)l.all,
           (double)l.none / (double)l.all);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "b-alone", .usage = usage, .own = own_options, .take = option_take, .seconds = 3, .rounds = 1};
    struct bench_settings s;
    enum { DIGITS = 19 }; /* of a limb */

    bench_options_parse(&s, &program, argc, argv);
    size_options_finish(&range);
    if (s.library.threads < 2)
        usage_fail("one thread is always alone: --threads 2 or more");
    provenance_print(&s, argc, argv);
    printf("# what: products of n limbs, and of 19 n decimal digits: ms; how often a thread beside has looked, and in which\n"
           "# share of these looks one thread was at work, and none was\n"
           "kind\tn\tthreads\tms\tlooks\talone\tnone\n");
    for (size_t i = 0; i < range.sizes.count; i++) {
        struct work w = {.ctx = context_make(&s.library, NULL)};
        size_options_pair(&range, range.sizes.n[i], &w.an, &w.bn);
        w.a = operand_make(&s, w.an, 0), w.b = operand_make(&s, w.bn, 1);
        w.z = bench_alloc(w.an + w.bn, sizeof *w.z);
        measure(&s, "limbs", range.sizes.n[i], limbs_mul, &w);
        free(w.a), free(w.b), free(w.z);
        w.xn = DIGITS * w.an, w.yn = DIGITS * w.bn;
        w.x = digits_make(w.xn, s.seed), w.y = digits_make(w.yn, s.seed + 1);
        w.text = bench_alloc(w.xn + w.yn + 2, 1);
        measure(&s, "text", range.sizes.n[i], text_mul, &w);
        free(w.x), free(w.y), free(w.text);
        gfmul_ctx_destroy(w.ctx);
    }
    free(range.sizes.n);
    return fclose(stdout) == 0 ? 0 : 1;
}
