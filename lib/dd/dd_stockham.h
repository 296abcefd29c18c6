/*
 * dd_stockham.h - one pass of a plain transform in double-double (fft/fft_dd.c): radix r at stride s, r s m = n,
 *
 *     y[q + s (r p + k)] = e(-p k s / n) sum over j < r of e(-j k / r) x[q + s (p + m j)],   q < s, p < m, k < r.
 *
 * Four arrays of n doubles each: real parts, imaginary parts, their rests.  Lanes are neighbours among the n / r pairs (p, q).
 */
#ifndef GFMUL_DD_STOCKHAM_H
#define GFMUL_DD_STOCKHAM_H

enum { STOCKHAM_MAX_RADIX = 7, STOCKHAM_PARTS = 4 };

/* Lanes on their way between memory and vectors: [part][lane]. */
struct lanes {
    _Alignas(64) double part[STOCKHAM_PARTS][VEC_WIDTH];
};

STAGE_INLINE struct ddc lanes_load(const struct lanes *t)
{
    return (struct ddc){{vec_load(t->part[0]), vec_load(t->part[2])}, {vec_load(t->part[1]), vec_load(t->part[3])}};
}

STAGE_INLINE void lanes_store(struct lanes *t, struct ddc a)
{
    vec_store(t->part[0], a.re.h);
    vec_store(t->part[1], a.im.h);
    vec_store(t->part[2], a.re.l);
    vec_store(t->part[3], a.im.l);
}

/* dft_r - f[k] = sum over j of e(-j k / r) f[j]; roots: of n. */
STAGE_INLINE void dft_r(struct ddc *f, unsigned r, const double *roots, size_t n)
{
    struct ddc g[STOCKHAM_MAX_RADIX];
    if (r == 2) {
        g[0] = f[0];
        f[0] = ddc_add(g[0], f[1]);
        f[1] = ddc_sub(g[0], f[1]);
    } else if (r == 4) {
        const struct ddc a = ddc_add(f[0], f[2]), b = ddc_sub(f[0], f[2]), c = ddc_add(f[1], f[3]), d = ddc_sub(f[1], f[3]);
        f[0] = ddc_add(a, c);
        f[1] = ddc_sub_i(b, d);
        f[2] = ddc_sub(a, c);
        f[3] = ddc_add_i(b, d);
    } else {
        for (unsigned k = 0; k < r; k++) {
            g[k] = f[0];
            for (unsigned j = 1; j < r; j++)
                g[k] = ddc_add(g[k], k == 0 ? f[j] : ddc_mul(f[j], ddc_set1(roots + 4 * (n / r * (j * k % r)))));
        }
        for (unsigned k = 0; k < r; k++)
            f[k] = g[k];
    }
}

STAGE_INLINE void stockham_lanes(double *y, const double *x, size_t n, unsigned r, size_t s, const double *roots, size_t at)
{
    const size_t step = n / r, count = step - at < VEC_WIDTH ? step - at : VEC_WIDTH;
    struct ddc f[STOCKHAM_MAX_RADIX];
    struct lanes t;
    memset(&t, 0, sizeof t); /* lanes beyond the end: zeros, and written nowhere */
    for (unsigned j = 0; j < r; j++) {
        for (unsigned part = 0; part < STOCKHAM_PARTS; part++)
            memcpy(t.part[part], x + part * n + at + j * step, count * sizeof *x);
        f[j] = lanes_load(&t);
    }
    dft_r(f, r, roots, n);
    for (unsigned k = 0; k < r; k++) {
        if (k > 0 && s * r < n) { /* else p = 0 alone */
            for (size_t i = 0; i < count; i++)
                for (unsigned part = 0; part < STOCKHAM_PARTS; part++)
                    t.part[part][i] = roots[4 * ((at + i) / s * k * s) + part];
            f[k] = ddc_mul(f[k], lanes_load(&t));
        }
        lanes_store(&t, f[k]);
        for (unsigned part = 0; part < STOCKHAM_PARTS; part++) {
            double *out = y + part * n + s * k;
            if (at / s == (at + count - 1) / s)
                memcpy(out + at % s + at / s * s * r, t.part[part], count * sizeof *out);
            else
                for (size_t i = 0; i < count; i++)
                    out[(at + i) % s + (at + i) / s * s * r] = t.part[part][i];
        }
    }
}

enum { STOCKHAM_VECTORS = 64 }; /* a part: some microseconds */

struct stockham_work {
    double *y;
    const double *x;
    size_t n;
    unsigned radix;
    size_t s;
    const double *roots;
};

static void stockham_vectors(void *arg, unsigned t, size_t first, size_t end)
{
    const struct stockham_work *const w = arg;
    double *y = w->y;
    const double *x = w->x, *roots = w->roots;
    const size_t n = w->n, s = w->s;
    (void)t;
    for (size_t v = first; v < end; v++) {
        const size_t at = v * VEC_WIDTH;
        switch (w->radix) { /* a copy for each radix */
        case 2:
            stockham_lanes(y, x, n, 2, s, roots, at);
            break;
        case 3:
            stockham_lanes(y, x, n, 3, s, roots, at);
            break;
        case 4:
            stockham_lanes(y, x, n, 4, s, roots, at);
            break;
        case 5:
            stockham_lanes(y, x, n, 5, s, roots, at);
            break;
        default:
            stockham_lanes(y, x, n, 7, s, roots, at);
            break;
        }
    }
}

static void stockham_pass(double *y, const double *x, size_t n, unsigned radix, size_t s, const double *roots, unsigned threads)
{
    struct stockham_work w = {y, x, n, radix, s, roots};
    parallel_for(threads, (n / radix + VEC_WIDTH - 1) / VEC_WIDTH, STOCKHAM_VECTORS, stockham_vectors, &w);
}

/* points_scale - x times h + l, parts of n doubles. */
static void points_scale(double *x, size_t n, double h, double l)
{
    const struct ddv scale = {vec_set1(h), vec_set1(l)};
    const struct ddv zero = {vec_set1(0.0), vec_set1(0.0)};
    for (unsigned part = 0; part < 2; part++) {
        for (size_t i = 0; i < n; i += VEC_WIDTH) {
            const size_t count = n - i < VEC_WIDTH ? n - i : VEC_WIDTH;
            struct lanes t;
            memset(&t, 0, sizeof t);
            memcpy(t.part[0], x + part * n + i, count * sizeof *x);
            memcpy(t.part[2], x + (part + 2) * n + i, count * sizeof *x);
            const struct ddv a = {vec_load(t.part[0]), vec_load(t.part[2])}, b = dd_dot(a, scale, zero, zero);
            vec_store(t.part[0], b.h);
            vec_store(t.part[2], b.l);
            memcpy(x + part * n + i, t.part[0], count * sizeof *x);
            memcpy(x + (part + 2) * n + i, t.part[2], count * sizeof *x);
        }
    }
}

#endif
