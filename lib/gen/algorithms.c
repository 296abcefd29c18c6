/*
 * algorithms.c - radix 2, 4, 8, split radix, conjugate pair, tangent, and odd factors, as graphs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * All decimate in time: the transform of n points is put together from transforms of the points j, j+r, j+2r, ...
 * A recursion sees its points through a struct points: point j is x[(first + j * step) mod size].  The conjugate-pair
 * algorithms take the points -1, 3, 7, ...: the index wraps around.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "gen/algorithms.h"
#include "plan/plan_twiddle.h"

struct points {
    const struct gen_complex *x;
    uint32_t size, first, step;
};

static struct gen_complex point(const struct points *p, uint32_t j)
{
    return p->x[(uint32_t)((p->first + (uint64_t)j * p->step) % p->size)];
}

/* Points first, first + step, ... of the points p; first may be -1. */
static struct points part(const struct points *p, int64_t first, uint32_t step)
{
    struct points q = *p;
    int64_t at = ((int64_t)p->first + first * (int64_t)p->step) % (int64_t)p->size;
    q.first = (uint32_t)(at < 0 ? at + p->size : at);
    q.step = (uint32_t)((uint64_t)p->step * step % p->size);
    return q;
}

void gen_root(uint32_t k, uint32_t n, gen_number *re, gen_number *im)
{
    uint64_t e = (uint64_t)(k % n) * 4, quadrant = e / n, rest = e % n; /* rest / 4n of a turn after the quadrant */
    bool swap = 2 * rest > n;
    uint64_t c = swap ? n - rest : rest; /* at most half a quadrant */
    struct dd_complex w = dd_root(c, 4 * (uint64_t)n);
    gen_number x = (gen_number)w.re + w.re_lo, y = 2 * c == n ? x : (gen_number)w.im + w.im_lo;

    if (swap) {
        gen_number t = x;
        x = y;
        y = t;
    }
    switch (quadrant) {
    case 0:
        *re = x, *im = -y;
        break;
    case 1:
        *re = -y, *im = -x;
        break;
    case 2:
        *re = -x, *im = y;
        break;
    default:
        *re = y, *im = x;
        break;
    }
}

/* The scale s_{n,k} of the tangent algorithm. */
static gen_number tangent_scale(uint32_t n, uint32_t k)
{
    gen_number s = 1, re, im;
    for (; n > 4; n /= 4) {
        k %= n / 4;
        gen_root(k, n, &re, &im);
        s *= k <= n / 8 ? re : -im;
    }
    return s;
}

static void transform(struct gen_graph *g, uint32_t n, char algorithm, const struct points *p, struct gen_complex *y,
                      struct gen_complex *work);

/* y of r odd points x, r = 3, 5, 7: sums and differences of the points j and r-j. */
static void odd_codelet(struct gen_graph *g, uint32_t r, const struct gen_complex *x, struct gen_complex *y)
{
    struct gen_complex sum[4], difference[4];
    gen_number re, im;
    uint32_t half = r / 2;

    y[0] = x[0];
    for (uint32_t j = 1; j <= half; j++) {
        sum[j] = gen_cadd(g, x[j], x[r - j]);
        difference[j] = gen_csub(g, x[j], x[r - j]);
        y[0] = gen_cadd(g, y[0], sum[j]);
    }
    for (uint32_t k = 1; k <= half; k++) {
        struct gen_complex even = x[0], odd = {GEN_ZERO, GEN_ZERO};
        for (uint32_t j = 1; j <= half; j++) {
            gen_root(j * k, r, &re, &im);
            even = gen_cadd(g, even, gen_cscale(g, re, sum[j]));
            odd = gen_cadd(g, odd, gen_cscale(g, im, difference[j]));
        }
        odd = gen_mul_i(odd);
        y[k] = gen_cadd(g, even, odd);
        y[r - k] = gen_csub(g, even, odd);
    }
}

/* Radix r: r transforms of n/r points, twiddles, n/r codelets of r points. */
static void radix(struct gen_graph *g, uint32_t n, uint32_t r, char algorithm, const struct points *p, struct gen_complex *y,
                  struct gen_complex *work)
{
    struct gen_complex a[8], b[8];
    uint32_t m = n / r;
    gen_number re, im;

    for (uint32_t j = 0; j < r; j++) {
        struct points q = part(p, j, r);
        transform(g, m, algorithm, &q, work + (size_t)j * m, work + n);
    }
    for (uint32_t k = 0; k < m; k++) {
        for (uint32_t j = 0; j < r; j++) {
            gen_root(j * k, n, &re, &im);
            a[j] = gen_cmul(g, re, im, work[(size_t)j * m + k]);
        }
        if (r % 2)
            odd_codelet(g, r, a, b);
        else {
            /* a codelet of two, four or eight points is the same by any name: split radix */
            struct points q = {a, r, 0, 1};
            struct gen_complex small[64];
            transform(g, r, 'S', &q, b, small);
        }
        for (uint32_t j = 0; j < r; j++)
            y[(size_t)j * m + k] = b[j];
    }
}

/* u of n/2 points at k and k + n/4, and the two parts a and b of n/4 points, twiddles done, to four results. */
static void split_butterfly(struct gen_graph *g, uint32_t n, uint32_t k, const struct gen_complex *u, struct gen_complex a,
                            struct gen_complex b, gen_number scale0, gen_number scale1, struct gen_complex *y)
{
    struct gen_complex sum = gen_cscale(g, scale0, gen_cadd(g, a, b));
    struct gen_complex difference = gen_cscale(g, scale1, gen_mul_i(gen_csub(g, a, b)));
    y[k] = gen_cadd(g, u[k], sum);
    y[k + n / 2] = gen_csub(g, u[k], sum);
    y[k + n / 4] = gen_csub(g, u[k + n / 4], difference);
    y[k + 3 * (n / 4)] = gen_cadd(g, u[k + n / 4], difference);
}

/* Split radix: the odd points 1, 5, 9, ... and 3, 7, 11, ..., or with conjugate pairs -1, 3, 7, .... */
static void split(struct gen_graph *g, uint32_t n, bool pair, const struct points *p, struct gen_complex *y,
                  struct gen_complex *work)
{
    struct gen_complex *u = work, *v = work + n / 2, *w = v + n / 4;
    struct points even = part(p, 0, 2), odd = part(p, 1, 4), other = part(p, pair ? -1 : 3, 4);
    char algorithm = pair ? 'C' : 'S';
    gen_number re, im, re3, im3;

    transform(g, n / 2, algorithm, &even, u, work + n);
    transform(g, n / 4, algorithm, &odd, v, work + n);
    transform(g, n / 4, algorithm, &other, w, work + n);
    for (uint32_t k = 0; k < n / 4; k++) {
        gen_root(k, n, &re, &im);
        gen_root(3 * k, n, &re3, &im3);
        if (pair)
            re3 = re, im3 = -im;
        split_butterfly(g, n, k, u, gen_cmul(g, re, im, v[k]), gen_cmul(g, re3, im3, w[k]), 1, 1, y);
    }
}

/*
 * The tangent algorithm: y[k] / s_{scale*n,k}, scale = 0 (no division), 1, 2, 4.  Its twiddles have a part that is +-1:
 * t = w s_{n/4,k} / s_{n,k} = 1 - i tan or cot - i.
 */
static void tangent(struct gen_graph *g, uint32_t n, unsigned scale, const struct points *p, struct gen_complex *y,
                    struct gen_complex *work)
{
    if (n == 1) {
        y[0] = point(p, 0); /* s_{n,0} = 1 */
        return;
    }
    if (n == 2) {
        struct gen_complex a = point(p, 0), b = point(p, 1);
        y[0] = gen_cadd(g, a, b);
        y[1] = gen_cscale(g, scale == 4 ? 1 / tangent_scale(8, 1) : 1, gen_csub(g, a, b));
        return;
    }
    struct gen_complex *u = work, *v = work + n / 2, *w = v + n / 4;
    struct points even = part(p, 0, 2), odd = part(p, 1, 4), other = part(p, -1, 4);
    static const unsigned next[5] = {0, 2, 4, 0, 2};

    tangent(g, n / 2, next[scale], &even, u, work + n);
    tangent(g, n / 4, 1, &odd, v, work + n);
    tangent(g, n / 4, 1, &other, w, work + n);
    for (uint32_t k = 0; k < n / 4; k++) {
        gen_number re, im, s0 = 1, s1 = 1;
        gen_root(k, n, &re, &im);
        if (scale == 0) {
            gen_number s = tangent_scale(n / 4, k);
            re *= s, im *= s;
        } else if (k <= n / 8) {
            im = im / re, re = 1;
        } else {
            re = re / -im, im = -1;
        }
        struct gen_complex a = gen_cmul(g, re, im, v[k]), b = gen_cmul(g, re, -im, w[k]);
        if (scale == 2) {
            s0 = tangent_scale(n, k) / tangent_scale(2 * n, k);
            s1 = tangent_scale(n, k) / tangent_scale(2 * n, k + n / 4);
        }
        split_butterfly(g, n, k, u, a, b, s0, s1, y);
        if (scale == 4)
            for (uint32_t j = 0; j < 4; j++) {
                uint32_t at = k + j * (n / 4);
                y[at] = gen_cscale(g, tangent_scale(n, k) / tangent_scale(4 * n, at), y[at]);
            }
    }
}

/* work has room for 2n values: n here, and those of the parts behind them. */
static void transform(struct gen_graph *g, uint32_t n, char algorithm, const struct points *p, struct gen_complex *y,
                      struct gen_complex *work)
{
    for (uint32_t r = 7; r >= 3; r -= 2)
        if (n % r == 0) {
            if (n > r) {
                radix(g, n, r, algorithm, p, y, work);
                return;
            }
            for (uint32_t j = 0; j < r; j++)
                work[j] = point(p, j);
            odd_codelet(g, r, work, y);
            return;
        }
    if (n == 1) {
        y[0] = point(p, 0);
    } else if (n == 2) {
        y[0] = gen_cadd(g, point(p, 0), point(p, 1));
        y[1] = gen_csub(g, point(p, 0), point(p, 1));
    } else if (algorithm == 'T') {
        tangent(g, n, 0, p, y, work);
    } else if (algorithm == 'S' || algorithm == 'C') {
        split(g, n, algorithm == 'C', p, y, work);
    } else if (n <= (uint32_t)(algorithm - '0')) {
        split(g, n, false, p, y, work); /* one codelet */
    } else {
        /* the odd levels go to the smallest codelets, at the other end of the recursion */
        radix(g, n, (uint32_t)(algorithm - '0'), algorithm, p, y, work);
    }
}

enum gfmul_status gen_transform(struct gen_graph *g, uint32_t n, char algorithm, const struct gen_complex *x,
                                struct gen_complex *y)
{
    size_t bytes;
    if (g->failed || !size_mul(&bytes, (size_t)n + 8, 2 * sizeof *y))
        return GFMUL_ERR_MEMORY;
    struct gen_complex *work = malloc(bytes);
    if (!work)
        return GFMUL_ERR_MEMORY;
    struct points p = {x, n, 0, 1};
    transform(g, n, algorithm, &p, y, work);
    free(work);
    return g->failed ? GFMUL_ERR_MEMORY : GFMUL_OK;
}
