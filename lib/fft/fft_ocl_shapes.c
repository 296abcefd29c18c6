/*
 * fft_ocl_shapes.c - plain transforms on a device: how a length is divided into passes, and a pass into stages.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fft/fft_ocl.h"

enum { MAX_POINTS = 4096, MAX_DIVISORS = 512, MAX_ITEMS = 512, GROUP_ITEMS = 256 };

static bool is_dd(size_t real_bytes)
{
    return real_bytes > sizeof(double);
}

/* item_values - the most values of an item that fit into registers. */
static unsigned item_values(size_t real_bytes)
{
    return is_dd(real_bytes) ? 8 : 16;
}

/* radices_of - choose the stages of a pass of n points; false if they are too many, or n is not smooth. */
static bool radices_of(struct fft_ocl_shape *s, unsigned n, size_t real_bytes)
{
    static const unsigned odd[] = {7, 5, 3};
    /* stages of 2^0 .. 2^12, the short radices first: the last stage stores */
    static const unsigned char even[13][4] = {{0},     {2},      {4},        {8},        {4, 4},      {4, 8},      {8, 8},
                                              {8, 16}, {16, 16}, {16, 4, 8}, {16, 8, 8}, {8, 16, 16}, {16, 16, 16}};
    /* double-double is bound by arithmetic, and a radix of 8 needs too many registers: doc/decisions/double-double.md */
    static const unsigned char even_dd[11][5] = {
        {0}, {2}, {4}, {2, 4}, {4, 4}, {2, 4, 4}, {4, 4, 4}, {2, 4, 4, 4}, {4, 4, 4, 4}, {2, 4, 4, 4, 4}, {4, 4, 4, 4, 4}};
    unsigned twos = 0;
    s->points = n;
    s->n_stages = 0;
    while (n % 2 == 0) {
        n /= 2;
        twos++;
    }
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++)
        for (; n % odd[i] == 0; n /= odd[i]) {
            if (s->n_stages == FFT_OCL_STAGES)
                return false;
            s->radix[s->n_stages++] = odd[i];
        }
    if (n != 1 || twos > (is_dd(real_bytes) ? 10 : 12))
        return false;
    for (unsigned i = 0; i < (is_dd(real_bytes) ? 5 : 4); i++) {
        const unsigned radix = is_dd(real_bytes) ? even_dd[twos][i] : even[twos][i];
        if (radix != 0 && s->n_stages == FFT_OCL_STAGES)
            return false;
        if (radix != 0)
            s->radix[s->n_stages++] = radix;
    }
    for (unsigned i = s->n_stages; i < FFT_OCL_STAGES; i++)
        s->radix[i] = 1;
    s->n_stages += s->n_stages == 0; /* one point: a stage of radix 1 copies it */
    return true;
}

/* items_of - items per transform: at most item_values values each, then the fewest idle items, then the fewest items. */
static unsigned items_of(const struct fft_ocl_shape *s, size_t real_bytes)
{
    const unsigned most = item_values(real_bytes);
    unsigned best = 0, best_idle = 0;
    for (unsigned items = (s->points + most - 1) / most; items <= s->points && items <= MAX_ITEMS; items++) {
        unsigned idle = 0;
        bool fits = true;
        for (unsigned i = 0; i < s->n_stages; i++) {
            const unsigned butterflies = s->points / s->radix[i], rounds = (butterflies + items - 1) / items;
            fits = fits && rounds * s->radix[i] <= most;
            idle += (rounds * items - butterflies) * s->radix[i];
        }
        if (fits && (best == 0 || idle < best_idle)) {
            best = items;
            best_idle = idle;
        }
        if (best != 0 && best_idle == 0)
            break;
    }
    return best;
}

size_t fft_ocl_shape_local_bytes(const struct fft_ocl_shape *s, size_t real_bytes, bool rows)
{
    const size_t value_bytes = s->split ? real_bytes : 2 * real_bytes, banks = 128 / value_bytes;
    const size_t places = s->points + s->points / banks, near = rows ? s->items : banks / s->columns;
    const size_t spread = near < 1 ? 1 : near >= banks ? 0 : near;
    return s->n_stages < 2 ? 0 : ((places + banks - 1) / banks * banks + spread) * s->columns * value_bytes;
}

/* shape_of - the shape of a pass, which is the only one (rows) or at its place; false if the device cannot run it. */
static bool shape_of(struct fft_ocl_shape *s, unsigned points, bool rows, unsigned place, size_t real_bytes,
                     const struct fft_ocl_limits *limits)
{
    memset(s, 0, sizeof *s);
    if (!radices_of(s, points, real_bytes) || (!rows && place == 0 && s->n_stages < 2))
        return false;
    if (!rows && place > 1 && points == 512 && !is_dd(real_bytes)) /* pairs of factors: 16.4.8 takes too many registers */
        s->radix[0] = s->radix[1] = s->radix[2] = 8;
    if ((s->items = items_of(s, real_bytes)) == 0)
        return false;
    const size_t most = limits->group_items < GROUP_ITEMS ? limits->group_items : GROUP_ITEMS;
    if (rows) {
        s->columns = s->items < 128 ? 128 / s->items : 1;
        s->split = points > (is_dd(real_bytes) ? 256 : 1024);
    } else {
        /* runs of 256 bytes, if local memory then still holds several work-groups */
        s->columns = points > 256 && real_bytes == sizeof(double) ? 8 : 16;
        if (is_dd(real_bytes))
            s->columns = points > 64 ? 4 : 8;
        s->split = true;
    }
    while (s->columns > 1 && ((rows && s->items * s->columns > most) || s->items * s->columns > limits->group_items ||
                              fft_ocl_shape_local_bytes(s, real_bytes, rows) > limits->local_bytes))
        s->columns /= 2;
    return s->items * s->columns <= limits->group_items &&
           fft_ocl_shape_local_bytes(s, real_bytes, rows) <= limits->local_bytes &&
           (rows || s->columns * real_bytes >= 16); /* runs of 32 bytes at least */
}

static const double LEAST_COST = 1.0;

/*
 * cost_of - the cost of a pass, in passes at the speed of a copy; place: 0 first, 1 second, later.   NVIDIA H200, double
 * precision, lengths of 2^22 to 2^28 (bench/results/h200/2026-11-22-transforms.tsv).
 * rows_cost_of - for rows with factors, the last pass of the permuted order: the cost of rows without them, and a little more.
 */
static double rows_cost_of(unsigned points)
{
    return points <= 32 ? 1.3 : points <= 127 ? 1.15 : points <= 256 ? 1.08 : points <= 2048 ? 1.06 : 1.08;
}

static double cost_of(unsigned points, unsigned place)
{
    static const struct {
        unsigned points; /* at most */
        double cost[3];
    } passes[] = {{32, {1.3, 1.25, 1.3}},     {127, {1.15, 1.1, 1.12}},   {128, {1.1, 1.0, 1.07}}, {256, {1.08, 1.03, 1.09}},
                  {512, {1.14, 1.055, 1.22}}, {1024, {1.17, 1.55, 1.55}}, {2048, {2.2, 2.2, 2.2}}, {4096, {3.2, 3.2, 3.2}}};
    unsigned i = 0;
    while (points > passes[i].points)
        i++;
    return passes[i].cost[place < 2 ? place : 2];
}

/* columns_cost_of - for a pass over columns in the permuted order, which works in place. */
static double columns_cost_of(unsigned points)
{
    return points > 256 && points <= 512 ? 1.1 : cost_of(points, 1);
}

struct search {
    unsigned divisor[MAX_DIVISORS], n_divisors;                          /* possible passes, ascending */
    bool first[MAX_DIVISORS], columns[MAX_DIVISORS], rows[MAX_DIVISORS]; /* can it be the first one, columns, rows? */
    bool permuted;
    unsigned chosen[FFT_OCL_PASSES], best[FFT_OCL_PASSES], best_passes;
    double best_cost;
};

/* passes_search - the cheapest n = product of more divisors, descending except for the first (permuted: except for the rows). */
static void passes_search(struct search *s, size_t n, unsigned depth, double cost)
{
    if (cost >= s->best_cost)
        return;
    if (n == 1) {
        s->best_cost = cost;
        s->best_passes = depth;
        memcpy(s->best, s->chosen, sizeof s->best);
        return;
    }
    for (unsigned i = s->n_divisors; i-- > 0 && depth < FFT_OCL_PASSES;) {
        const unsigned d = s->divisor[i];
        const bool rows = s->permuted && d == n, first = depth == 0 && !s->permuted;
        const double next = cost + (rows ? rows_cost_of(d) : s->permuted ? columns_cost_of(d) : cost_of(d, depth));
        if (next + (d == n ? 0 : (size_t)d * MAX_POINTS >= n ? LEAST_COST : 2 * LEAST_COST) >= s->best_cost)
            continue;
        if (n % d != 0 || (first && !s->first[i]) || (rows ? depth == 0 || !s->rows[i] : !s->columns[i]) ||
            (!rows && depth > !s->permuted && d > s->chosen[depth - 1]))
            continue;
        s->chosen[depth] = d;
        /* long runs suit the first pass, short ones the others: a small difference decides ties */
        passes_search(s, n / d, depth + 1, next + 1e-3 * d / MAX_POINTS * (first ? -1 : 1));
    }
}

bool fft_ocl_shapes_plan(struct fft_ocl_shapes *s, size_t n, size_t real_bytes, const struct fft_ocl_limits *limits,
                         bool permuted)
{
    struct fft_ocl_shape shape;
    memset(s, 0, sizeof *s);
    if (!fft_is_smooth(n))
        return false;
    if (n <= MAX_POINTS && shape_of(&s->pass[0], (unsigned)n, true, 0, real_bytes, limits)) {
        s->n_passes = 1;
        return true;
    }
    struct search search = {.best_cost = 1e9, .permuted = permuted};
    for (unsigned d = 2; d <= MAX_POINTS && search.n_divisors < MAX_DIVISORS; d++)
        if (n % d == 0) {
            const bool rows = permuted && shape_of(&shape, d, true, 0, real_bytes, limits);
            const bool columns = shape_of(&shape, d, false, 1, real_bytes, limits);
            search.first[search.n_divisors] = columns && shape.n_stages > 1;
            search.columns[search.n_divisors] = columns;
            search.rows[search.n_divisors] = rows;
            search.divisor[search.n_divisors] = d;
            search.n_divisors += rows || columns;
        }
    passes_search(&search, n, 0, 0);
    s->n_passes = search.best_passes;
    for (unsigned i = 0; i < s->n_passes; i++)
        if (!shape_of(&s->pass[i], search.best[i], permuted && i + 1 == s->n_passes, permuted ? 1 : i, real_bytes, limits))
            return false;
    return s->n_passes > 0;
}

size_t fft_ocl_shapes_points(const struct fft_ocl_shapes *s)
{
    size_t n = 1;
    for (unsigned i = 0; i < s->n_passes; i++)
        n *= s->pass[i].points;
    return n;
}

/* number - read a positive number of at most 4 digits at *p, and advance *p; 0 if there is none. */
static unsigned number(const char **p)
{
    unsigned v = 0;
    for (unsigned i = 0; i < 4 && **p >= '0' && **p <= '9'; i++)
        v = 10 * v + (unsigned)(*(*p)++ - '0');
    return v;
}

bool fft_ocl_shapes_parse(struct fft_ocl_shapes *s, const char *text)
{
    memset(s, 0, sizeof *s);
    for (const char *p = text;; p++) {
        if (s->n_passes == FFT_OCL_PASSES)
            return false;
        struct fft_ocl_shape *shape = &s->pass[s->n_passes++];
        shape->points = 1;
        do {
            const unsigned r = number(&p);
            if (shape->n_stages == FFT_OCL_STAGES || !(r == 2 || r == 4 || r == 8 || r == 16 || r == 3 || r == 5 || r == 7))
                return false;
            shape->radix[shape->n_stages++] = r;
            shape->points *= r;
        } while (*p++ == '.');
        for (unsigned i = shape->n_stages; i < FFT_OCL_STAGES; i++)
            shape->radix[i] = 1;
        if (p[-1] != '/' || (shape->items = number(&p)) == 0 || *p++ != '/' || (shape->columns = number(&p)) == 0)
            return false;
        if (p[0] == '/' && p[1] == 's') {
            shape->split = true;
            p += 2;
        }
        if (*p == '\0')
            return true;
        if (*p != ',')
            return false;
    }
}

void fft_ocl_shapes_print(char *text, size_t n, const struct fft_ocl_shapes *s)
{
    size_t at = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < s->n_passes; i++) {
        const struct fft_ocl_shape *shape = &s->pass[i];
        char one[64];
        int length = 0;
        for (unsigned k = 0; k < shape->n_stages; k++)
            length += snprintf(one + length, sizeof one - (size_t)length, k ? ".%u" : "%u", shape->radix[k]);
        snprintf(one + length, sizeof one - (size_t)length, "/%u/%u%s", shape->items, shape->columns, shape->split ? "/s" : "");
        at += (size_t)snprintf(text + at, n - at, i ? ",%s" : "%s", one);
        if (at >= n)
            return;
    }
}
