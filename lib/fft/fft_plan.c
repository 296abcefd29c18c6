/*
 * fft_plan.c - plans of complex transforms: factors, passes, tables.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "fft/fft.h"
#include "limbs/word_primes.h"
#include "plan/plan_twiddle.h"

/* From this length on, four steps are used if two divisors allow them. */
static const size_t four_steps_points = 64;

/* Workspaces above this size are allocated on trial before tables are made for them. */
static const size_t tried_bytes = (size_t)1 << 30;

/* Columns of eight points up to the first length; the levels' tables hold the twiddles of four steps up to the second. */
static const size_t short_points = (size_t)1 << 11, wide_points = (size_t)1 << 14;

/* Roots e(-e/n) of one order, as products of two table entries in long double; without long double, one more rounding. */
struct roots {
    size_t n, mask;
    unsigned bits;
    long double *low, *high;
};

static enum gfmul_status roots_create(struct roots *r, size_t n)
{
    unsigned log2 = 0;
    size_t low, high;
    while (log2 < 63 && (size_t)1 << log2 < n)
        log2++;
    r->n = n;
    r->bits = (log2 + 1) / 2;
    r->mask = ((size_t)1 << r->bits) - 1;
    low = r->mask + 1;
    high = (n >> r->bits) + 1;
    r->low = malloc(2 * (low + high) * sizeof *r->low);
    if (r->low == NULL)
        return GFMUL_ERR_MEMORY;
    r->high = r->low + 2 * low;
    for (size_t i = 0; i < low + high; i++) {
        uint64_t e = i < low ? i : (i - low) << r->bits;
        struct dd_complex w = dd_root(e % n, n);
        r->low[2 * i] = (long double)w.re + w.re_lo;
        r->low[2 * i + 1] = -((long double)w.im + w.im_lo);
    }
    return GFMUL_OK;
}

static void roots_destroy(struct roots *r)
{
    free(r->low);
}

/* roots_get - cosine and sine of -2 pi e / n, e < n; exact if they are 0 or 1. */
static void roots_get(const struct roots *r, size_t e, long double w[2])
{
    const long double *a = r->low + 2 * (e & r->mask), *b = r->high + 2 * (e >> r->bits);
    w[0] = a[0] * b[0] - a[1] * b[1];
    w[1] = a[0] * b[1] + a[1] * b[0];
    if (r->n % 4 == 0 && e % (r->n / 4) == 0) {
        size_t quarter = e / (r->n / 4);
        w[0] = quarter == 0 ? 1 : quarter == 2 ? -1 : 0;
        w[1] = quarter == 1 ? -1 : quarter == 3 ? 1 : 0;
    }
}

static void number_store(void *table, size_t real_bytes, size_t i, long double x)
{
    if (real_bytes == sizeof(double))
        ((double *)table)[i] = (double)x;
    else
        ((float *)table)[i] = (float)x;
}

enum gfmul_status fft_roots_fill(void *table, size_t real_bytes, size_t n, size_t step, size_t count)
{
    struct roots r;
    TRY(roots_create(&r, n));
    for (size_t j = 0; j < count; j++) {
        long double w[2];
        roots_get(&r, (size_t)((unsigned __int128)j * step % n), w);
        number_store(table, real_bytes, 2 * j, w[0]);
        number_store(table, real_bytes, 2 * j + 1, w[1]);
    }
    roots_destroy(&r);
    return GFMUL_OK;
}

enum gfmul_status fft_real_roots(void **roots, size_t n, size_t real_bytes)
{
    /* vectors are read from multiples of their width: leave room for the last one */
    const size_t count = n / 4 + 1, low = count <= FFT_REAL_LOW ? count + 15 : FFT_REAL_LOW;
    const size_t high = count <= FFT_REAL_LOW ? 0 : count / FFT_REAL_LOW + 1;
    char *table = *roots = alloc_aligned(2 * (low + high) * real_bytes);
    if (table == NULL)
        return GFMUL_ERR_MEMORY;
    TRY(fft_roots_fill(table, real_bytes, n, 1, low));
    return high > 0 ? fft_roots_fill(table + 2 * low * real_bytes, real_bytes, n, FFT_REAL_LOW, high) : GFMUL_OK;
}

/* factors - the radices of n in the order of passes; 0: n is not smooth. */
static unsigned factors(unsigned *radix, size_t n)
{
    static const unsigned odd[] = {7, 5, 3};
    unsigned count = 0, twos = 0, n8, n4, n2, last = 0;
    while (n % 2 == 0) {
        n /= 2;
        twos++;
    }
    n2 = twos == 1;
    n4 = twos == 1 ? 0 : twos % 3 == 1 ? 2 : twos % 3 == 2;
    n8 = (twos - n2 - 2 * n4) / 3;
    /* the first and the last pass have special code for radix 8 and 4 */
    if (n8 > 0) {
        radix[count++] = 8;
        n8--;
    } else if (n4 > 1) {
        radix[count++] = 4;
        n4--;
    }
    if (n4 > 0) {
        last = 4;
        n4--;
    } else if (n8 > 0) {
        last = 8;
        n8--;
    }
    for (; n8 > 0; n8--)
        radix[count++] = 8;
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++)
        for (; n % odd[i] == 0; n /= odd[i])
            radix[count++] = odd[i];
    for (; n4 > 0; n4--)
        radix[count++] = 4;
    if (n2)
        radix[count++] = 2;
    if (last)
        radix[count++] = last;
    return n == 1 ? count : 0;
}

bool fft_is_smooth(size_t n)
{
    unsigned radix[FFT_MAX_PASSES];
    return n == 1 || factors(radix, n) > 0;
}

size_t fft_smooth_above(size_t n)
{
    static const size_t odd[] = {1, 9, 5, 3, 7};
    size_t best = 0;
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++) {
        size_t m = odd[i];
        while (m < n && m <= SIZE_MAX / 2)
            m *= 2;
        if (m >= n && (best == 0 || m < best))
            best = m;
    }
    return best;
}

static enum gfmul_status kernel_create(struct fft_kernel *k, size_t n, size_t real_bytes)
{
    unsigned radix[FFT_MAX_PASSES], count = factors(radix, n);
    size_t numbers = 0, length = n;
    struct roots r;
    k->n = n;
    k->n_passes = count;
    for (unsigned i = 0; i < count; i++) {
        length /= radix[i];
        k->pass[i] = (struct fft_pass){.radix = radix[i], .m = length, .s = n / (length * radix[i])};
        numbers += (i == 0 ? 2 : 1) * (length > 1 ? 2 * length * (radix[i] - 1) : 0) + 16;
    }
    if (count == 0)
        return GFMUL_OK;
    k->tables = alloc_aligned(numbers * real_bytes);
    if (k->tables == NULL)
        return GFMUL_ERR_MEMORY;
    TRY(roots_create(&r, n));
    char *place = k->tables;
    for (unsigned i = 0; i < count; i++) {
        struct fft_pass *ps = &k->pass[i];
        size_t m = ps->m, step = n / (m * ps->radix);
        if (m == 1)
            continue;
        bool columns = i == 0;
        size_t half = 2 * m * (ps->radix - 1);
        char *split = place + half * real_bytes;
        ps->twiddle = place;
        ps->columns = columns ? split : NULL;
        for (size_t p = 0; p < m; p++)
            for (unsigned j = 1; j < ps->radix; j++) {
                long double w[2];
                roots_get(&r, p * j * step, w);
                for (unsigned part = 0; part < 2; part++) {
                    number_store(place, real_bytes, 2 * (p * (ps->radix - 1) + j - 1) + part, w[part]);
                    if (columns)
                        number_store(split, real_bytes, 2 * m * (j - 1) + part * m + p, w[part]);
                }
            }
        place += (columns ? 2 : 1) * half * real_bytes;
    }
    roots_destroy(&r);
    return GFMUL_OK;
}

/* half_bytes - bytes of half a split buffer, in the layout of fft_run.h. */
static size_t half_bytes(size_t points, size_t real_bytes)
{
    return (points + 63) / 64 * 64 * real_bytes + 192;
}

/* workspace_try - MEMORY if no call of this plan could get its workspace; checked before long tables are made. */
static enum gfmul_status workspace_try(const struct fft_complex *t)
{
    if (t->work_bytes <= tried_bytes)
        return GFMUL_OK;
    void *work = alloc_aligned(t->work_bytes);
    alloc_free(work);
    return work != NULL ? GFMUL_OK : GFMUL_ERR_MEMORY;
}

static enum gfmul_status direct_create(struct fft_complex *t, size_t real_bytes)
{
    t->work_bytes = 4 * half_bytes(t->n, real_bytes);
    TRY(workspace_try(t));
    return kernel_create(&t->kernel, t->n, real_bytes);
}

/* One lane of a table of roots: numbers from one place on, at this distance. */
struct lane {
    void *table;
    size_t real_bytes, at, step;
};

static void lane_store(const struct lane *t, unsigned i, long double x)
{
    number_store(t->table, t->real_bytes, t->at + i * t->step, x);
}

/* pair_store - c and tau of e(-num / den), w = c (1 + i tau), as numbers i and i + 1; w = i, -i: see fft_block.h. */
static void pair_store(const struct lane *t, unsigned i, const struct roots *r, size_t num, size_t den)
{
    long double w[2], c;
    roots_get(r, num * (r->n / den) % r->n, w);
    if (t->real_bytes == sizeof(double))
        c = w[0] == 0 ? 0x1p-54 : (double)w[0];
    else
        c = w[0] == 0 ? 0x1p-26 : (float)w[0];
    lane_store(t, i, c);
    lane_store(t, i + 1, w[1] / c); /* by the rounded c, so that their product is the sine */
}

static unsigned level_roots(unsigned radix) /* numbers per k */
{
    return radix == 8 ? 8 : radix % 2 ? 2 * (radix - 1) : radix;
}

/* The roots of a level for k, the number of this block among l transformed points: see fft_level. */
static void level_fill(const struct lane *t, const struct roots *r, unsigned radix, size_t k, size_t l)
{
    const size_t whole = l * radix;
    unsigned place = 0;
    if (radix % 2) {
        for (unsigned j = 1; j < radix; j++, place += 2) {
            long double w[2];
            roots_get(r, (size_t)((unsigned __int128)k * j % whole) * (r->n / whole), w);
            lane_store(t, place, w[0]);
            lane_store(t, place + 1, w[1]);
        }
        return;
    }
    for (unsigned power = radix / 2; power > 0; power /= 2, place += 2)
        pair_store(t, place, r, power * k, whole);
    if (radix == 8)
        pair_store(t, place, r, k + l, whole);
}

/*
 * A transform of n rows, its numbers being of this size, and its tables.  n1 = 1: the same roots for all lanes.  Else the roots
 * follow a transform of n1 points, of which the lanes hold L at a time.
 */
static enum gfmul_status block_create(struct fft_block *b, size_t n, size_t n1, size_t real_bytes)
{
    unsigned radix[FFT_MAX_PASSES], count = factors(radix, n);
    const size_t lanes = n1 > 1 ? FFT_LANE_BYTES / real_bytes : 1, groups = (n1 + lanes - 1) / lanes, whole = n * n1;
    size_t l = 1, bytes;
    struct roots r;
    if (count == 1) { /* because no level is both the first and the last */
        radix[0] = 4;
        radix[1] = (unsigned)n / 4;
        count = 2;
    }
    b->n = n;
    b->wide = n1 > 1;
    b->n_levels = count;
    b->group = 0;
    for (unsigned i = 0; i < count; i++) {
        const bool second = i > 0 && b->level[i - 1].paired;
        b->level[i] = (struct fft_level){.radix = radix[i], .l = l, .m = n / l / radix[i]};
        b->level[i].n_roots = (unsigned)lanes * level_roots(radix[i]);
        b->level[i].paired =
            !second && i + 1 < count && (radix[i] == 8 || radix[i] == 4) && (radix[i + 1] == radix[i] || radix[i + 1] == 4);
        b->group += l * b->level[i].n_roots;
        l *= radix[i];
    }
    if (!size_mul(&bytes, b->group * real_bytes, groups))
        return GFMUL_ERR_SIZE;
    b->tables = alloc_aligned(bytes);
    if (b->tables == NULL)
        return GFMUL_ERR_MEMORY;
    TRY(roots_create(&r, whole % 8 == 0 ? whole : 8 * whole));
    size_t at = 0;
    for (size_t g = 0; g < groups; g++) {
        const size_t first = g * lanes + lanes <= n1 ? g * lanes : n1 - lanes; /* 0 for n1 = 1 */
        for (unsigned i = 0; i < count; i++) {
            struct fft_level *v = &b->level[i];
            if (g == 0)
                v->roots = (char *)b->tables + at * real_bytes;
            for (size_t k = 0; k < v->l; k++, at += v->n_roots)
                for (size_t lane = 0; lane < lanes; lane++)
                    level_fill(&(struct lane){b->tables, real_bytes, at + lane, lanes}, &r, v->radix, first + lane + n1 * k,
                               n1 * v->l);
        }
    }
    roots_destroy(&r);
    return GFMUL_OK;
}

/* The largest divisor of a smooth n up to its root that is a multiple of `multiple`; it and its cofactor >= lanes; 0: none. */
static size_t middle_divisor(size_t n, size_t lanes, size_t multiple)
{
    size_t best = 0;
    for (size_t d2 = 1; n % d2 == 0; d2 *= 2)
        for (size_t d3 = d2; n % d3 == 0; d3 *= 3)
            for (size_t d5 = d3; n % d5 == 0; d5 *= 5)
                for (size_t d = d5; n % d == 0; d *= 7)
                    if (d >= lanes && n / d >= d && d > best && d % multiple == 0)
                        best = d;
    return best;
}

/* The roots between columns and rows: one block of them, and two tables for the other factors.   r: of order n. */
static enum gfmul_status twiddles_fill(struct fft_complex *t, size_t real_bytes, const struct roots *r)
{
    const size_t n1 = t->a.n, lanes = FFT_LANE_BYTES / real_bytes, n_low = r->mask + 1, n_high = (t->n >> r->bits) + 1;
    t->root_bits = r->bits;
    t->lane_roots = alloc_aligned(2 * lanes * n1 * real_bytes);
    t->low = alloc_aligned(2 * n_low * real_bytes);
    t->high = alloc_aligned(2 * n_high * real_bytes);
    if (t->lane_roots == NULL || t->low == NULL || t->high == NULL)
        return GFMUL_ERR_MEMORY;
    for (size_t i = 0; i < 2 * n_low; i++)
        number_store(t->low, real_bytes, i, r->low[i]);
    for (size_t i = 0; i < 2 * n_high; i++)
        number_store(t->high, real_bytes, i, r->high[i]);
    for (size_t k = 0; k < n1; k++)
        for (size_t l = 0; l < lanes; l++) {
            long double w[2];
            roots_get(r, k * l, w); /* < n1 n2 */
            number_store(t->lane_roots, real_bytes, 2 * lanes * k + l, w[0]);
            number_store(t->lane_roots, real_bytes, 2 * lanes * k + lanes + l, w[1]);
        }
    return GFMUL_OK;
}

static enum gfmul_status twiddles_create(struct fft_complex *t, size_t real_bytes)
{
    struct roots r;
    TRY(roots_create(&r, t->n));
    const enum gfmul_status status = twiddles_fill(t, real_bytes, &r);
    roots_destroy(&r);
    return status;
}

/* is_short - columns of eight points, kept in registers. */
static bool is_short(size_t n, size_t lanes)
{
    return lanes == 8 && n <= short_points && n % 8 == 0 && n >= 64;
}

/* four_steps_create - n = n1 n2; n1 = 0: choose the best. */
static enum gfmul_status four_steps_create(struct fft_complex *t, size_t n1, size_t real_bytes)
{
    const size_t n = t->n, lanes = FFT_LANE_BYTES / real_bytes;
    const bool in_registers = n1 == 0 && is_short(n, lanes), wide = n <= wide_points;
    if (n1 == 0)
        n1 = in_registers ? 8 : middle_divisor(n, lanes, 1);
    if (n1 == 0)
        return GFMUL_ERR_UNSUPPORTED;
    const size_t n2 = n / n1;
    t->a.n = n1;
    /* blocks do not begin at equal addresses modulo a page or a cache, to avoid conflicts */
    t->c_step = 2 * lanes * (n1 + 9);
    t->block_bytes = 2 * FFT_LANE_BYTES * ((n1 > n2 ? n1 : n2) + 9);
    t->work_bytes = in_registers ? 0 : (n2 + lanes - 1) / lanes * t->c_step * real_bytes;
    t->thread_bytes = 2 * t->block_bytes + 2 * FFT_LANE_BYTES * FFT_FEW_ROWS + (2 * n1 + 64 + 31) / 32 * 32 * real_bytes;
    TRY(workspace_try(t));
    if (!in_registers)
        TRY(block_create(&t->a, n1, 1, real_bytes));
    TRY(block_create(&t->b, n2, wide ? n1 : 1, real_bytes));
    return wide ? GFMUL_OK : twiddles_create(t, real_bytes);
}

/* The workspace of a convolution of m points, and the transform of its second factor, which is made there in place. */
static enum gfmul_status inner_finish(struct fft_complex *t, size_t real_bytes, const struct fft_ops *ops)
{
    t->work_bytes = (2 * t->inner->n * real_bytes + 63) / 64 * 64 + t->inner->work_bytes;
    t->thread_bytes = t->inner->thread_bytes;
    void *work = alloc_aligned(t->inner->work_bytes + t->inner->thread_bytes);
    if (work == NULL)
        return GFMUL_ERR_MEMORY;
    ops->complex_run(t->inner, t->chirp_spectrum, t->chirp_spectrum, false, 1, work, 1);
    alloc_free(work);
    return GFMUL_OK;
}

static enum gfmul_status bluestein_create(struct fft_complex *t, size_t real_bytes, const struct fft_ops *ops)
{
    size_t n = t->n, m = n <= SIZE_MAX / 64 ? fft_smooth_above(2 * n - 1) : 0, bytes;
    struct roots r;
    if (m == 0 || !size_mul(&bytes, m, 8 * real_bytes))
        return GFMUL_ERR_SIZE;
    TRY(fft_complex_create_permuted(&t->inner, m, real_bytes, ops));
    t->chirp = alloc_aligned(2 * n * real_bytes);
    t->chirp_spectrum = alloc_aligned(2 * m * real_bytes);
    if (t->chirp == NULL || t->chirp_spectrum == NULL)
        return GFMUL_ERR_MEMORY;
    TRY(roots_create(&r, 2 * n));
    memset(t->chirp_spectrum, 0, 2 * m * real_bytes);
    for (size_t j = 0; j < n; j++) {
        long double w[2];
        roots_get(&r, (size_t)((unsigned __int128)j * j % (2 * n)), w);
        for (unsigned part = 0; part < 2; part++) {
            number_store(t->chirp, real_bytes, 2 * j + part, w[part]);
            long double b = (part ? -w[part] : w[part]) / (long double)m;
            number_store(t->chirp_spectrum, real_bytes, 2 * j + part, b);
            if (j > 0)
                number_store(t->chirp_spectrum, real_bytes, 2 * (m - j) + part, b);
        }
    }
    roots_destroy(&r);
    return inner_finish(t, real_bytes, ops);
}

static bool is_prime(size_t n)
{
    for (size_t d = 2; d * d <= n; d++)
        if (n % d == 0)
            return false;
    return n >= 2;
}

/* Rader's method takes primes; here, those below 2^32 whose n - 1 is smooth. */
static bool rader_fits(size_t n)
{
    return n > 2 && n <= UINT32_MAX && fft_is_smooth(n - 1) && is_prime(n);
}

static uint64_t primitive_root(uint64_t n) /* n prime, n - 1 smooth */
{
    static const unsigned primes[] = {2, 3, 5, 7};
    for (uint64_t g = 2;; g++) {
        bool found = true;
        for (unsigned i = 0; i < 4; i++)
            found &= (n - 1) % primes[i] != 0 || residue_power(g, (n - 1) / primes[i], n) != 1;
        if (found)
            return g;
    }
}

static enum gfmul_status rader_create(struct fft_complex *t, size_t real_bytes, const struct fft_ops *ops)
{
    const size_t n = t->n, m = n - 1;
    struct roots r;
    if (!rader_fits(n))
        return GFMUL_ERR_UNSUPPORTED;
    TRY(fft_complex_create_permuted(&t->inner, m, real_bytes, ops));
    t->powers = alloc_aligned(m * sizeof *t->powers);
    t->chirp_spectrum = alloc_aligned(2 * m * real_bytes);
    if (t->powers == NULL || t->chirp_spectrum == NULL)
        return GFMUL_ERR_MEMORY;
    TRY(roots_create(&r, n));
    const uint64_t g = primitive_root(n);
    uint64_t x = 1;
    for (size_t q = 0; q < m; q++, x = x * g % n)
        t->powers[q] = (uint32_t)x;
    for (size_t q = 0; q < m; q++) {
        long double w[2];
        roots_get(&r, t->powers[q == 0 ? 0 : m - q], w);
        for (unsigned part = 0; part < 2; part++)
            number_store(t->chirp_spectrum, real_bytes, 2 * q + part, w[part] / (long double)m);
    }
    roots_destroy(&r);
    return inner_finish(t, real_bytes, ops);
}

enum gfmul_status fft_complex_create_method(struct fft_complex **result, size_t n, size_t real_bytes, const struct fft_ops *ops,
                                            enum fft_method method)
{
    size_t bytes;
    *result = NULL;
    if (!size_mul(&bytes, n, 64 * real_bytes) || bytes > SIZE_MAX / 4)
        return GFMUL_ERR_SIZE;
    if (method < FFT_BLUESTEIN && !fft_is_smooth(n))
        return GFMUL_ERR_UNSUPPORTED;
    struct fft_complex *t = calloc(1, sizeof *t);
    if (t == NULL)
        return GFMUL_ERR_MEMORY;
    t->n = n;
    t->method = method;
    enum gfmul_status status = method == FFT_DIRECT       ? direct_create(t, real_bytes)
                               : method == FFT_FOUR_STEPS ? four_steps_create(t, 0, real_bytes)
                               : method == FFT_RADER      ? rader_create(t, real_bytes, ops)
                                                          : bluestein_create(t, real_bytes, ops);
    if (status != GFMUL_OK) {
        fft_complex_destroy(t);
        return status;
    }
    *result = t;
    return GFMUL_OK;
}

enum gfmul_status fft_complex_create(struct fft_complex **t, size_t n, size_t real_bytes, const struct fft_ops *ops)
{
    enum fft_method method = FFT_DIRECT;
    if (!fft_is_smooth(n)) /* Rader's convolution has less than half as many points */
        method = rader_fits(n) ? FFT_RADER : FFT_BLUESTEIN;
    else if (n >= four_steps_points && middle_divisor(n, FFT_LANE_BYTES / real_bytes, 1) != 0)
        method = FFT_FOUR_STEPS;
    return fft_complex_create_method(t, n, real_bytes, ops, method);
}

/* four_steps_make - make permuted four steps of n1 n2 points. */
static enum gfmul_status four_steps_make(struct fft_complex **result, size_t n1, size_t n2, size_t real_bytes)
{
    struct fft_complex *t = *result = calloc(1, sizeof *t);
    if (t == NULL)
        return GFMUL_ERR_MEMORY;
    t->n = n1 * n2;
    t->method = FFT_FOUR_STEPS;
    t->permuted = true;
    return four_steps_create(t, n1, real_bytes);
}

static void larger(size_t *a, size_t *b) /* both */
{
    *a = *b = *a > *b ? *a : *b;
}

/* both_ways_make - make the forward plan, and the backward one if it differs; *t must be destroyed in any case. */
static enum gfmul_status both_ways_make(struct fft_complex **t, size_t n1, size_t n2, size_t real_bytes)
{
    TRY(four_steps_make(t, n1, n2, real_bytes));
    if (n1 == n2)
        return GFMUL_OK;
    struct fft_complex **back = &(*t)->back;
    TRY(four_steps_make(back, n2, n1, real_bytes));
    larger(&(*t)->work_bytes, &(*back)->work_bytes);
    larger(&(*t)->thread_bytes, &(*back)->thread_bytes);
    return GFMUL_OK;
}

enum gfmul_status fft_complex_create_permuted(struct fft_complex **result, size_t n, size_t real_bytes, const struct fft_ops *ops)
{
    const size_t lanes = FFT_LANE_BYTES / real_bytes;
    const bool possible = n <= SIZE_MAX / 256 / real_bytes && n >= four_steps_points && fft_is_smooth(n) && !is_short(n, lanes);
    const size_t n1 = possible ? middle_divisor(n, lanes, lanes) : 0, n2 = n1 > 0 ? n / n1 : 0;
    *result = NULL;
    if (n1 <= lanes) /* one group of lanes is in natural order */
        return fft_complex_create(result, n, real_bytes, ops);
    struct fft_complex *t = NULL;
    const enum gfmul_status status = both_ways_make(&t, n1, n2, real_bytes);
    if (status == GFMUL_OK)
        *result = t;
    else
        fft_complex_destroy(t);
    return status;
}

size_t fft_complex_frequency(const struct fft_complex *t, size_t real_bytes, size_t place)
{
    const size_t lanes = FFT_LANE_BYTES / real_bytes;
    if (!t->permuted)
        return place;
    const size_t group = place / lanes / t->b.n, k2 = place / lanes % t->b.n;
    return group * lanes + place % lanes + t->a.n * k2;
}

void fft_complex_destroy(struct fft_complex *t)
{
    if (t == NULL)
        return;
    fft_complex_destroy(t->back);
    fft_complex_destroy(t->inner);
    alloc_free(t->kernel.tables);
    alloc_free(t->a.tables);
    alloc_free(t->b.tables);
    alloc_free(t->low);
    alloc_free(t->high);
    alloc_free(t->lane_roots);
    alloc_free(t->chirp);
    alloc_free(t->chirp_spectrum);
    alloc_free(t->powers);
    free(t);
}
