/*
 * algorithms.c - radix 2, 4, 8, split radix, conjugate pair, tangent, and odd factors, as graphs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * All algorithms decimate in time: a transform of n points is assembled from transforms of the points j, j+r, j+2r, ...
 * A recursion sees its points through a struct points: point j is x[(first + j * step) mod size].  The index wraps around
 * because the conjugate-pair algorithms take the points -1, 3, 7, ...
 *
 * A cut recursion does only the upper levels of a transform.  There, a point stands for a unit of points, and the code works on
 * point k of each unit.  The smallest parts are already transformed: point j of a part is x[at + j].
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "gen/algorithms.h"
#include "plan/plan_twiddle.h"

struct points {
    const struct gen_complex *x;
    uint32_t size, first, step;
    struct gen_cut *cut; /* NULL: none */
    uint32_t at;         /* cut recursion: where the part begins */
};

/* A number that belongs to a twiddle: a constant, or computed when the code runs. */
struct factor {
    bool fixed;
    gen_number value;
    gen_ref ref;
};

static bool is_cut(const struct points *p)
{
    return p->cut && p->cut->unit > 0;
}

static struct gen_complex point(const struct points *p, uint32_t j)
{
    return is_cut(p) ? p->x[p->at + j] : p->x[(uint32_t)((p->first + (uint64_t)j * p->step) % p->size)];
}

/* The points first, first + step, ... of the points p; first may be -1.   before: number of points in the parts before it. */
static struct points part(const struct points *p, int64_t first, uint32_t step, uint32_t before)
{
    struct points q = *p;
    q.at += before;
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

enum gfmul_status gen_scales_create(struct gen_scales *scales, uint32_t n)
{
    gen_number re, im;

    *scales = (struct gen_scales){{NULL}};
    for (int lg = 2; lg < 32 && n >> lg != 0; lg++) {
        const uint32_t quarter = UINT32_C(1) << (lg - 2);
        gen_number *s = malloc(quarter * sizeof *s);
        if (!s) {
            gen_scales_destroy(scales);
            return GFMUL_ERR_MEMORY;
        }
        for (uint32_t k = 0; k < quarter; k++) {
            gen_root(k, 4 * quarter, &re, &im);
            s[k] = (k <= quarter / 2 ? re : -im) * (lg > 4 ? scales->s[lg - 2][k % (quarter / 4)] : 1);
            if (lg == 2)
                s[k] = 1;
        }
        scales->s[lg] = s;
    }
    return GFMUL_OK;
}

void gen_scales_destroy(struct gen_scales *scales)
{
    for (int lg = 0; lg < 32; lg++) {
        free(scales->s[lg]);
        scales->s[lg] = NULL;
    }
}

static gen_number scale_of(const struct gen_scales *scales, uint32_t n, uint32_t k)
{
    if (!scales || n < 4)
        return tangent_scale(n, k);
    return scales->s[31 - __builtin_clz(n)][k % (n / 4)];
}

void gen_parameter_value(const struct gen_parameter *parameter, uint32_t k, const struct gen_scales *scales, gen_number value[2])
{
    const uint32_t n = parameter->n, at = k + parameter->from;
    gen_number s;

    value[0] = value[1] = 0;
    switch (parameter->kind) {
    case GEN_ROOT:
        gen_root((uint32_t)(((uint64_t)parameter->angle * k + parameter->from) % n), n, &value[0], &value[1]);
        break;
    case GEN_ROOT_3:
        gen_root((uint32_t)((uint64_t)3 * at % n), n, &value[0], &value[1]);
        break;
    case GEN_SCALED:
        gen_root(at, n, &value[0], &value[1]);
        s = scale_of(scales, n / 4, at);
        value[0] *= s;
        value[1] *= s;
        break;
    case GEN_TANGENT:
        gen_root(at, n, &value[0], &value[1]);
        value[0] = at <= n / 8 ? -value[1] / value[0] : value[0] / -value[1];
        break;
    case GEN_SUM_2:
        value[0] = scale_of(scales, n, at) / scale_of(scales, 2 * n, at);
        break;
    case GEN_DIFFERENCE:
        value[0] = scale_of(scales, n, at) / scale_of(scales, 2 * n, at + n / 4);
        break;
    case GEN_SCALE_4:
        value[0] = scale_of(scales, n, at) / scale_of(scales, 4 * n, at + parameter->angle * (n / 4));
        break;
    }
}

/* The numbers of a parameter at index k of n.  In a cut recursion, k and n are in units. */
static void factors(struct gen_graph *g, const struct points *p, struct gen_parameter parameter, struct factor f[3])
{
    struct gen_cut *cut = p->cut;
    gen_number value[2];
    int i = 0, n_numbers = gen_parameter_numbers(parameter.kind, g->three_products);
    int32_t number;

    if (!is_cut(p) || cut->quarter >= 0) {
        const uint32_t unit = is_cut(p) ? cut->unit : 1, k = is_cut(p) ? (uint32_t)cut->quarter * unit / 4 : 0;
        parameter.n *= unit;
        parameter.from *= unit;
        gen_parameter_value(&parameter, k, NULL, value);
        f[0] = (struct factor){true, value[0], GEN_ZERO};
        f[1] = (struct factor){true, value[1], GEN_ZERO};
        f[2] = (struct factor){true, 0, GEN_ZERO};
        return;
    }
    number = cut->first;
    while (i < cut->n_parameters && !(cut->parameters[i].kind == parameter.kind && cut->parameters[i].n == parameter.n &&
                                      cut->parameters[i].from == parameter.from && cut->parameters[i].angle == parameter.angle))
        number += gen_parameter_numbers(cut->parameters[i++].kind, g->three_products);
    if (i == GEN_MAX_PARAMETERS) {
        g->failed = true;
        return;
    }
    if (i == cut->n_parameters)
        cut->parameters[cut->n_parameters++] = parameter;
    for (int k = 0; k < 3; k++)
        f[k] = (struct factor){false, 0, k < n_numbers ? gen_input(g, number + k) : GEN_ZERO};
}

static gen_ref times(struct gen_graph *g, const struct factor *f, gen_ref a)
{
    return f->fixed ? gen_scale(g, f->value, a) : gen_mul(g, f->ref, a);
}

/* a times re + i im, or times its conjugate.   f: re, im; for three products: re, re + im, im - re. */
static struct gen_complex turned(struct gen_graph *g, const struct factor f[3], bool conjugate, struct gen_complex a)
{
    struct gen_complex z;

    if (f[0].fixed && f[1].fixed)
        return gen_cmul(g, f[0].value, conjugate ? -f[1].value : f[1].value, a);
    if (f[2].ref != GEN_ZERO) { /* the conjugate exchanges the sum and the difference, with a change of sign */
        const gen_ref sum = conjugate ? gen_neg(f[2].ref) : f[1].ref, difference = conjugate ? gen_neg(f[1].ref) : f[2].ref;
        const gen_ref both = gen_mul(g, f[0].ref, gen_add(g, a.re, a.im));
        z.re = gen_sub(g, both, gen_mul(g, sum, a.im));
        z.im = gen_add(g, both, gen_mul(g, difference, a.re));
        return z;
    }
    const gen_ref x = times(g, &f[1], a.im), y = times(g, &f[1], a.re);
    z.re = gen_add(g, times(g, &f[0], a.re), conjugate ? x : gen_neg(x));
    z.im = gen_add(g, times(g, &f[0], a.im), conjugate ? gen_neg(y) : y);
    return z;
}

/* a times w_n^(angle k) or its conjugate, w_n = exp(-2 pi i / n).  In a cut recursion, n and k are in units. */
static struct gen_complex by_root(struct gen_graph *g, const struct points *p, const struct gen_parameter *w, bool conjugate,
                                  struct gen_complex a)
{
    struct factor f[3] = {{true, 1, GEN_ZERO}, {true, 0, GEN_ZERO}, {true, 0, GEN_ZERO}};
    struct gen_parameter rest = *w;
    uint32_t quadrant = 0;

    if (w->angle == 0)
        return a;
    rest.from = w->from % w->n;
    if (w->kind == GEN_ROOT && is_cut(p) && p->cut->quarter < 0 && w->n % 4 == 0) {
        quadrant = rest.from / (w->n / 4); /* quarter turns are free, and using them leaves fewer distinct twiddles */
        rest.from %= w->n / 4;
    }
    factors(g, p, rest, f);
    a = turned(g, f, conjugate, a);
    for (; quadrant > 0; quadrant--)
        a = (struct gen_complex){a.im, gen_neg(a.re)};
    return a;
}

static void transform(struct gen_graph *g, uint32_t n, char algorithm, const struct points *p, struct gen_complex *y,
                      struct gen_complex *work);

/* Transform of an odd number r = 3, 5, 7 of points x: uses sums and differences of the points j and r-j. */
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

    for (uint32_t j = 0; j < r; j++) {
        struct points q = part(p, j, r, j * m);
        transform(g, m, algorithm, &q, work + (size_t)j * m, work + n);
    }
    for (uint32_t k = 0; k < m; k++) {
        for (uint32_t j = 0; j < r; j++) {
            const struct gen_parameter w = {GEN_ROOT, n, j * k, j};
            a[j] = by_root(g, p, &w, false, work[(size_t)j * m + k]);
        }
        if (r % 2)
            odd_codelet(g, r, a, b);
        else {
            /* codelets of two, four or eight points are the same in all algorithms: split radix makes them */
            struct points q = {a, r, 0, 1, NULL, 0};
            struct gen_complex small[64];
            transform(g, r, 'S', &q, b, small);
        }
        for (uint32_t j = 0; j < r; j++)
            y[(size_t)j * m + k] = b[j];
    }
}

/* Points k of the two parts of n/4 points, times their twiddles, and the factors that scale their sum and their difference. */
struct quarters {
    struct gen_complex a, b;
    struct factor sum_scale, difference_scale;
};

static struct gen_complex scaled(struct gen_graph *g, const struct factor *f, struct gen_complex a)
{
    return (struct gen_complex){times(g, f, a.re), times(g, f, a.im)};
}

/* Four results from u (points k and k + n/4 of the part of n/2 points) and the two parts of n/4 points. */
static void split_butterfly(struct gen_graph *g, uint32_t n, uint32_t k, const struct gen_complex *u, const struct quarters *q,
                            struct gen_complex *y)
{
    struct gen_complex sum = scaled(g, &q->sum_scale, gen_cadd(g, q->a, q->b));
    struct gen_complex difference = scaled(g, &q->difference_scale, gen_mul_i(gen_csub(g, q->a, q->b)));
    y[k] = gen_cadd(g, u[k], sum);
    y[k + n / 2] = gen_csub(g, u[k], sum);
    y[k + n / 4] = gen_csub(g, u[k + n / 4], difference);
    y[k + 3 * (n / 4)] = gen_cadd(g, u[k + n / 4], difference);
}

static const struct factor one = {true, 1, GEN_ZERO};

/* Split radix: odd points 1, 5, 9, ... and 3, 7, 11, ...; with conjugate pairs the latter are -1, 3, 7, ... */
static void split(struct gen_graph *g, uint32_t n, bool pair, const struct points *p, struct gen_complex *y,
                  struct gen_complex *work)
{
    struct gen_complex *u = work, *v = work + n / 2, *w = v + n / 4;
    struct points even = part(p, 0, 2, 0), odd = part(p, 1, 4, n / 2), other = part(p, pair ? -1 : 3, 4, 3 * (n / 4));
    char algorithm = pair ? 'C' : 'S';

    transform(g, n / 2, algorithm, &even, u, work + n);
    transform(g, n / 4, algorithm, &odd, v, work + n);
    transform(g, n / 4, algorithm, &other, w, work + n);
    for (uint32_t k = 0; k < n / 4; k++) {
        const struct gen_parameter w1 = {GEN_ROOT, n, k, 1}, w3 = {GEN_ROOT_3, n, k, 3};
        struct quarters q = {.sum_scale = one, .difference_scale = one};
        q.b = by_root(g, p, pair ? &w1 : &w3, pair, w[k]);
        q.a = by_root(g, p, &w1, false, v[k]);
        split_butterfly(g, n, k, u, &q, y);
    }
}

/* At index k of n of the tangent algorithm: is the twiddle 1 - i tan (and not cot - i)? */
static bool is_low(const struct points *p, uint32_t n, uint32_t k)
{
    if (!is_cut(p))
        return k <= n / 8;
    if (p->cut->quarter >= 0)
        return 4 * k + (uint32_t)p->cut->quarter <= n / 2;
    return n == 4 ? !p->cut->upper : k < n / 8;
}

/* a (1 - i t) or a (t - i), or with the conjugate. */
static struct gen_complex by_tangent(struct gen_graph *g, const struct factor *t, bool low, bool conjugate, struct gen_complex a)
{
    const struct factor minus = {true, -1, GEN_ZERO}, none = {true, 0, GEN_ZERO};
    const struct factor f[3] = {low ? one : *t, low ? *t : minus, none};
    if (low && !t->fixed)
        return turned(g, f, !conjugate, a); /* 1 + i t and its conjugate */
    const struct factor exact[3] = {f[0], {true, low ? -t->value : -1, GEN_ZERO}, none};
    return turned(g, exact, conjugate, a);
}

/*
 * The tangent algorithm: y[k] / s_{scale*n,k} with scale = 0 (no division), 1, 2, 4.  One part of each twiddle is +-1:
 * t = w s_{n/4,k} / s_{n,k} = 1 - i tan or cot - i.
 */
static void tangent(struct gen_graph *g, uint32_t n, unsigned scale, const struct points *p, struct gen_complex *y,
                    struct gen_complex *work)
{
    if (n == 1 || (n == 2 && is_cut(p))) {
        for (uint32_t j = 0; j < n; j++)
            y[j] = point(p, j); /* s_{1,0} = 1 */
        return;
    }
    if (n == 2) {
        struct gen_complex a = point(p, 0), b = point(p, 1);
        y[0] = gen_cadd(g, a, b);
        y[1] = gen_cscale(g, scale == 4 ? 1 / tangent_scale(8, 1) : 1, gen_csub(g, a, b));
        return;
    }
    struct gen_complex *u = work, *v = work + n / 2, *w = v + n / 4;
    struct points even = part(p, 0, 2, 0), odd = part(p, 1, 4, n / 2), other = part(p, -1, 4, 3 * (n / 4));
    static const unsigned next[5] = {0, 2, 4, 0, 2};

    tangent(g, n / 2, next[scale], &even, u, work + n);
    tangent(g, n / 4, 1, &odd, v, work + n);
    tangent(g, n / 4, 1, &other, w, work + n);
    for (uint32_t k = 0; k < n / 4; k++) {
        struct quarters q = {.sum_scale = one, .difference_scale = one};
        struct factor f[3];
        if (scale == 0) {
            factors(g, p, (struct gen_parameter){GEN_SCALED, n, k, 1}, f);
            q.a = turned(g, f, false, v[k]);
            q.b = turned(g, f, true, w[k]);
        } else {
            factors(g, p, (struct gen_parameter){GEN_TANGENT, n, k, 1}, f);
            q.a = by_tangent(g, &f[0], is_low(p, n, k), false, v[k]);
            q.b = by_tangent(g, &f[0], is_low(p, n, k), true, w[k]);
        }
        if (scale == 2) {
            factors(g, p, (struct gen_parameter){GEN_SUM_2, n, k, 0}, f);
            q.sum_scale = f[0];
            factors(g, p, (struct gen_parameter){GEN_DIFFERENCE, n, k, 0}, f);
            q.difference_scale = f[0];
        }
        split_butterfly(g, n, k, u, &q, y);
        if (scale == 4)
            for (uint32_t j = 0; j < 4; j++) {
                uint32_t at = k + j * (n / 4);
                factors(g, p, (struct gen_parameter){GEN_SCALE_4, n, k, j}, f);
                y[at] = scaled(g, &f[0], y[at]);
            }
    }
}

/* work has room for 2n values: n for this level, n for the levels below. */
static void transform(struct gen_graph *g, uint32_t n, char algorithm, const struct points *p, struct gen_complex *y,
                      struct gen_complex *work)
{
    if (is_cut(p) && n <= (algorithm <= '8' ? 1u : 2u)) {
        for (uint32_t j = 0; j < n; j++)
            y[j] = point(p, j);
        return;
    }
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
    if (algorithm == 'T' && (n > 2 || p->cut)) {
        tangent(g, n, p->cut ? p->cut->scale : 0, p, y, work);
    } else if (n == 1) {
        y[0] = point(p, 0);
    } else if (n == 2 && !is_cut(p)) {
        y[0] = gen_cadd(g, point(p, 0), point(p, 1));
        y[1] = gen_csub(g, point(p, 0), point(p, 1));
    } else if (algorithm == 'S' || algorithm == 'C') {
        split(g, n, algorithm == 'C', p, y, work);
    } else if (n <= (uint32_t)(algorithm - '0') && !is_cut(p)) {
        split(g, n, false, p, y, work); /* one codelet */
    } else {
        /* the smallest codelets, at the bottom of the recursion, take the odd levels */
        radix(g, n, (uint32_t)(algorithm - '0'), algorithm, p, y, work);
    }
}

enum gfmul_status gen_transform_part(struct gen_graph *g, uint32_t n, char algorithm, struct gen_cut *cut,
                                     const struct gen_complex *x, struct gen_complex *y)
{
    size_t bytes;
    if (g->failed || !size_mul(&bytes, (size_t)n + 8, 2 * sizeof *y))
        return GFMUL_ERR_MEMORY;
    struct gen_complex *work = malloc(bytes);
    if (!work)
        return GFMUL_ERR_MEMORY;
    struct points p = {x, n, 0, 1, cut, 0};
    if (cut)
        cut->n_parameters = 0;
    transform(g, n, algorithm, &p, y, work);
    free(work);
    return g->failed ? GFMUL_ERR_MEMORY : GFMUL_OK;
}

enum gfmul_status gen_transform(struct gen_graph *g, uint32_t n, char algorithm, const struct gen_complex *x,
                                struct gen_complex *y)
{
    return gen_transform_part(g, n, algorithm, NULL, x, y);
}
