/*
 * fft_plan.c - plans of complex transforms: factors, passes, tables.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "fft/fft.h"
#include "plan/plan_twiddle.h"

/* Direct up to here in double precision: a split buffer lies in a cache of 2 MiB beside what is read or written. */
static const size_t direct_points = (size_t)1 << 16;

/* Roots e(-e/n) of one order, as products of two table entries in long double; without it, one more rounding. */
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

/* roots_get - cosine and sine of -2 pi e / n, e < n; exact where they are 0 or 1. */
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
    enum gfmul_status status = roots_create(&r, n);
    if (status != GFMUL_OK)
        return status;
    for (size_t j = 0; j < count; j++) {
        long double w[2];
        roots_get(&r, (size_t)((unsigned __int128)j * step % n), w);
        number_store(table, real_bytes, 2 * j, w[0]);
        number_store(table, real_bytes, 2 * j + 1, w[1]);
    }
    roots_destroy(&r);
    return GFMUL_OK;
}

/* factors - the radices of n in the order of passes; 0 where n is not smooth. */
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
    /* the first and the last pass have forms of their own for radix 8 and 4 */
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

static enum gfmul_status kernel_create(struct fft_kernel *k, size_t n, size_t lanes, size_t real_bytes)
{
    unsigned radix[FFT_MAX_PASSES], count = factors(radix, n);
    size_t numbers = 0, length = n;
    struct roots r;
    k->n = n;
    k->lanes = lanes;
    k->n_passes = count;
    for (unsigned i = 0; i < count; i++) {
        length /= radix[i];
        k->pass[i] = (struct fft_pass){.radix = radix[i], .m = length, .s = n / (length * radix[i]) * lanes};
        numbers += (i == 0 && lanes == 1 ? 2 : 1) * (length > 1 ? 2 * length * (radix[i] - 1) : 0) + 16;
    }
    if (count == 0)
        return GFMUL_OK;
    k->tables = alloc_aligned(numbers * real_bytes);
    if (k->tables == NULL)
        return GFMUL_ERR_MEMORY;
    enum gfmul_status status = roots_create(&r, n);
    if (status != GFMUL_OK)
        return status;
    char *place = k->tables;
    for (unsigned i = 0; i < count; i++) {
        struct fft_pass *ps = &k->pass[i];
        size_t m = ps->m, step = n / (m * ps->radix);
        if (m == 1)
            continue;
        bool columns = i == 0 && lanes == 1;
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

/* half_bytes - half a split buffer, as fft_run.h lays it out. */
static size_t half_bytes(size_t points, size_t real_bytes)
{
    return (points + 63) / 64 * 64 * real_bytes + 192;
}

static enum gfmul_status direct_create(struct fft_complex *t, size_t real_bytes)
{
    t->work_bytes = 4 * half_bytes(t->n, real_bytes);
    return kernel_create(&t->a, t->n, 1, real_bytes);
}

/* The divisor of a smooth n next below its root, at least FFT_LANES as its cofactor is; 0 where there is none. */
static size_t middle_divisor(size_t n)
{
    size_t best = 0;
    for (size_t d2 = 1; n % d2 == 0; d2 *= 2)
        for (size_t d3 = d2; n % d3 == 0; d3 *= 3)
            for (size_t d5 = d3; n % d5 == 0; d5 *= 5)
                for (size_t d = d5; n % d == 0; d *= 7)
                    if (d >= FFT_LANES && n / d >= d && d > best)
                        best = d;
    return best;
}

static enum gfmul_status four_steps_create(struct fft_complex *t, size_t real_bytes)
{
    enum { L = FFT_LANES };
    struct roots r;
    size_t n = t->n, n1 = middle_divisor(n), n2 = n1 > 0 ? n / n1 : 0;
    if (n1 == 0)
        return GFMUL_ERR_UNSUPPORTED;
    enum gfmul_status status = kernel_create(&t->a, n1, L, real_bytes);
    if (status == GFMUL_OK)
        status = kernel_create(&t->b, n2, L, real_bytes);
    if (status == GFMUL_OK)
        status = roots_create(&r, n);
    if (status != GFMUL_OK)
        return status;
    size_t n_low = r.mask + 1, n_high = (n >> r.bits) + 1;
    t->root_bits = r.bits;
    t->low = alloc_aligned(2 * n_low * real_bytes);
    t->high = alloc_aligned(2 * n_high * real_bytes);
    t->lane_roots = alloc_aligned(2 * L * n1 * real_bytes);
    if (t->low != NULL && t->high != NULL && t->lane_roots != NULL) {
        for (size_t i = 0; i < 2 * n_low; i++)
            number_store(t->low, real_bytes, i, r.low[i]);
        for (size_t i = 0; i < 2 * n_high; i++)
            number_store(t->high, real_bytes, i, r.high[i]);
        for (size_t k = 0; k < n1; k++)
            for (size_t l = 0; l < L; l++) {
                long double w[2];
                roots_get(&r, k * l, w); /* k l < 16 n1 <= n */
                number_store(t->lane_roots, real_bytes, 2 * L * k + l, w[0]);
                number_store(t->lane_roots, real_bytes, 2 * L * k + L + l, w[1]);
            }
    } else {
        status = GFMUL_ERR_MEMORY;
    }
    roots_destroy(&r);
    t->work_bytes = 2 * half_bytes(n, real_bytes);
    t->thread_bytes = 4 * half_bytes(n2 * L, real_bytes);
    return status;
}

static enum gfmul_status bluestein_create(struct fft_complex *t, size_t real_bytes, const struct fft_ops *ops)
{
    size_t n = t->n, m = n <= SIZE_MAX / 64 ? fft_smooth_above(2 * n - 1) : 0, bytes;
    struct roots r;
    void *work = NULL;
    if (m == 0 || !size_mul(&bytes, m, 8 * real_bytes))
        return GFMUL_ERR_SIZE;
    enum gfmul_status status = fft_complex_create(&t->inner, m, real_bytes, ops);
    if (status != GFMUL_OK)
        return status;
    t->chirp = alloc_aligned(2 * n * real_bytes);
    t->chirp_spectrum = alloc_aligned(2 * m * real_bytes);
    t->work_bytes = (2 * m * real_bytes + 63) / 64 * 64 + t->inner->work_bytes;
    t->thread_bytes = t->inner->thread_bytes;
    work = alloc_aligned(t->inner->work_bytes + t->inner->thread_bytes);
    if (t->chirp == NULL || t->chirp_spectrum == NULL || work == NULL) {
        alloc_free(work);
        return GFMUL_ERR_MEMORY;
    }
    status = roots_create(&r, 2 * n);
    if (status == GFMUL_OK) {
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
        ops->complex_run(t->inner, t->chirp_spectrum, t->chirp_spectrum, false, 1, work, 1);
    }
    alloc_free(work);
    return status;
}

enum gfmul_status fft_complex_create_method(struct fft_complex **result, size_t n, size_t real_bytes, const struct fft_ops *ops,
                                            enum fft_method method)
{
    size_t bytes;
    *result = NULL;
    if (!size_mul(&bytes, n, 64 * real_bytes) || bytes > SIZE_MAX / 4)
        return GFMUL_ERR_SIZE;
    if (method != FFT_BLUESTEIN && !fft_is_smooth(n))
        return GFMUL_ERR_UNSUPPORTED;
    struct fft_complex *t = calloc(1, sizeof *t);
    if (t == NULL)
        return GFMUL_ERR_MEMORY;
    t->n = n;
    t->method = method;
    enum gfmul_status status = method == FFT_DIRECT       ? direct_create(t, real_bytes)
                               : method == FFT_FOUR_STEPS ? four_steps_create(t, real_bytes)
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
    enum fft_method method = !fft_is_smooth(n)                                               ? FFT_BLUESTEIN
                             : n * real_bytes <= direct_points * 8 || middle_divisor(n) == 0 ? FFT_DIRECT
                                                                                             : FFT_FOUR_STEPS;
    return fft_complex_create_method(t, n, real_bytes, ops, method);
}

void fft_complex_destroy(struct fft_complex *t)
{
    if (t == NULL)
        return;
    fft_complex_destroy(t->inner);
    alloc_free(t->a.tables);
    alloc_free(t->b.tables);
    alloc_free(t->low);
    alloc_free(t->high);
    alloc_free(t->lane_roots);
    alloc_free(t->chirp);
    alloc_free(t->chirp_spectrum);
    free(t);
}

extern const struct fft_isa fft_isa_scalar, fft_isa_sse2, fft_isa_avx2, fft_isa_avx512, fft_isa_neon;

static const struct fft_isa *const built[] = {
#ifdef GFMUL_HAVE_AVX512
    &fft_isa_avx512,
#endif
#ifdef GFMUL_HAVE_AVX2
    &fft_isa_avx2,
#endif
#ifdef GFMUL_HAVE_NEON
    &fft_isa_neon,
#endif
#ifdef GFMUL_HAVE_SSE2
    &fft_isa_sse2,
#endif
    &fft_isa_scalar,
};

const struct fft_isa *fft_isa_list(size_t i)
{
    unsigned mask = cpu_isa_mask(getenv("GFMUL_DISABLE"));
    for (size_t j = 0; j < sizeof built / sizeof *built; j++)
        if (built[j]->isa_bit & mask && i-- == 0)
            return built[j];
    return NULL;
}

const struct fft_isa *fft_isa_select(void)
{
    const struct fft_isa *isa = fft_isa_list(0);
    return isa != NULL ? isa : &fft_isa_scalar;
}
