/*
 * devices.cc - kernels/fft_radix.cl and prelude.cl, compiled over opencl.h: points of doubles, devices.h.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "devices.h"

static const bool record_fnma = true;
#include "opencl.h"

static int record(record_op op, int a, int b, int c)
{
    static const enum op ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_FMA, OP_FMS, OP_FNMA};
    return (int)trace_op(ops[op], a, b, c);
}

static int record_number(double x)
{
    for (unsigned k = 0; k < trace.n_nodes; k++) { /* the one that is there */
        const struct poly p = trace.node[k].known;
        if (trace.node[k].op == OP_KNOWN && p.n == 1 && p.t[0].degree == 0 && p.t[0].k == x)
            return (int)k;
    }
    return (int)vec_set1(x);
}

#define double double_is_fp
typedef fp double_is_fp;
typedef fp2 double_is_fp2, double2;
struct fp4 {};
typedef fp4 double4;
#include "fft_radix.cl"
#undef double

static point point_of(struct device_point a)
{
    return point(fp_node((int)a.re, a.minus_re), fp_node((int)a.im, a.minus_im));
}

static struct device_point of_point(point a)
{
    const struct device_point z = {(vec)fp_record(a.x), (vec)fp_record(a.y), a.x.minus, a.y.minus};
    return z;
}

static twiddle twiddle_of(vec c, vec s)
{
    return twiddle(fp_node((int)c, false), fp_node((int)s, false));
}

enum { MOST = 16 };

static void load(point *p, const struct device_point *x, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        p[i] = point_of(x[i]);
}

static void store(struct device_point *x, const point *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        x[i] = of_point(p[i]);
}

void device_split(struct device_point *x, vec c, vec s, int turn, enum device_form form)
{
    point p[2];
    load(p, x, 2);
    split(p, p + 1, twiddle_of(c, s), turn, form);
    store(x, p, 2);
}

void device_split_real(struct device_point *x, vec c, vec s)
{
    point p[2];
    load(p, x, 2);
    split_real(p, p + 1, twiddle_of(c, s));
    store(x, p, 2);
}

void device_join(struct device_point *x, vec c, vec s, int turn, enum device_form form)
{
    point p[2];
    load(p, x, 2);
    join(p, p + 1, twiddle_of(c, s), turn, form);
    store(x, p, 2);
}

void device_node(struct device_point *x, const vec *c, const vec *s, unsigned radix, enum device_form form, bool inverse)
{
    point p[MOST];
    twiddle w[MOST / 2];
    load(p, x, radix);
    for (unsigned i = 0; i < radix / 2; i++)
        w[i] = twiddle_of(c[i], s[i]);
    if (inverse)
        join_node(p, w, (int)radix, form);
    else
        split_node(p, w, (int)radix, form, 0);
    store(x, p, radix);
}

void device_dft(struct device_point *x, unsigned radix, double sign)
{
    point p[MOST];
    load(p, x, radix);
    dft_odd(p, (int)radix, fp(sign));
    store(x, p, radix);
}

void device_leaf(struct device_point *x, vec c, vec s, unsigned leaf, enum device_form form)
{
    const twiddle w[2] = {twiddle_of(vec_set1(0), vec_set1(0)), twiddle_of(c, s)};
    point p;
    load(&p, x, 1);
    p = times_leaf(p, w, 4, (int)leaf, form);
    store(x, &p, 1);
}

void device_product(struct device_point *x, vec c, vec s)
{
    point p;
    load(&p, x, 1);
    p = complex_mul(p, twiddle_of(c, s));
    store(x, &p, 1);
}
