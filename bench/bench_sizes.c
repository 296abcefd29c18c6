/*
 * bench_sizes.c - which sizes a benchmark measures, and the options that say so.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

void sizes_add(struct bench_sizes *sizes, size_t n)
{
    size_t *grown = realloc(sizes->n, (sizes->count + 1) * sizeof *grown);
    if (!grown)
        bench_fail("out of memory");
    sizes->n = grown;
    sizes->n[sizes->count++] = n;
}

static void sizes_list(struct bench_sizes *sizes, const char *arg)
{
    char *copy = bench_alloc(strlen(arg) + 1, 1), *rest = copy, *word;
    strcpy(copy, arg);
    while ((word = strsep(&rest, ",")))
        sizes_add(sizes, size_parse("size", word));
    free(copy);
}

void sizes_range(struct bench_sizes *sizes, size_t from, size_t to, double per_decade)
{
    size_t last = 0;
    for (unsigned i = 0;; i++) {
        double x = round((double)from * pow(10, i / per_decade));
        if (x > (double)to)
            break;
        if ((size_t)x != last)
            sizes_add(sizes, last = (size_t)x);
    }
}

void balance_parse(const char *arg, size_t *a, size_t *b)
{
    const char *colon = strchr(arg, ':');
    char first[32];
    if (!colon || (size_t)(colon - arg) >= sizeof first)
        usage_fail("balance '%s': two numbers as 10:1 are needed", arg);
    memcpy(first, arg, (size_t)(colon - arg));
    first[colon - arg] = '\0';
    *a = size_parse("balance", first);
    *b = size_parse("balance", colon + 1);
    if (*a > 1000000 || *b > 1000000)
        usage_fail("balance '%s': at most 1000000", arg);
}

bool size_options_take(struct size_options *o, int value, const char *arg)
{
    switch (value) {
    case BENCH_OPT_FROM:
        o->from = size_parse("size", arg);
        o->ranged = true;
        return true;
    case BENCH_OPT_TO:
        o->to = size_parse("size", arg);
        o->ranged = true;
        return true;
    case BENCH_OPT_PER_DECADE:
        o->per_decade = real_parse("sizes per decade", arg, 0.01, 10000);
        o->ranged = true;
        return true;
    case BENCH_OPT_SIZES:
        sizes_list(&o->sizes, arg);
        return true;
    case BENCH_OPT_BALANCE:
        balance_parse(arg, &o->balance_a, &o->balance_b);
        return true;
    default:
        return false;
    }
}

void size_options_finish(struct size_options *o)
{
    if (o->sizes.count && o->ranged)
        usage_fail("--sizes, or --from, --to and --per-decade, not both");
    if (!o->sizes.count)
        sizes_range(&o->sizes, o->from, o->to, o->per_decade);
    if (!o->sizes.count)
        usage_fail("no size from %zu to %zu", o->from, o->to);
}

void size_options_pair(const struct size_options *o, size_t n, size_t *an, size_t *bn)
{
    const double other = (double)n * (double)o->balance_b / (double)o->balance_a;
    const size_t m = other < 1 ? 1 : (size_t)other;
    *an = n < m ? m : n;
    *bn = n < m ? n : m;
}
