/*
 * devices_dd.cc - the steps and odd kernels of kernels/complex_dd.cl, over its operations: each is exact, an error behind it.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tools/check_proof.sh cuts the file in two: dd_steps.cl is what stands behind its operations.  These are in devices_pairs.cc.
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
    return (int)vec_set1(x);
}

static const struct device_errors *errors;

/* A double-double: x is both parts; of a constant, its first one. */
typedef fp2 dd;
struct fp4 {
    dd re, im;
    fp x, y, z, w; /* digits: re, -, im, - */
    fp4() = default;
    fp4(dd a, dd b) : re(a), im(b), x(a.x), z(b.x)
    {
    }
    dd xy() const
    {
        return re;
    }
    dd zw() const
    {
        return im;
    }
};
typedef fp4 point, twiddle;

static fp4 operator-(fp4 a)
{
    return fp4(-a.re, -a.im);
}
static fp4 operator*(fp a, fp4 b)
{
    return fp4(a * b.re, a * b.im);
}

/* CONSTANT - its first part stands for the cosine or sine itself; an error of its own is counted with its products. */
static dd constant(double first, double rest)
{
    device_constant(first, rest);
    return dd(fp(first), fp(0.0));
}
#define CONSTANT(first, rest) constant(first, rest)

static dd behind(fp z, double error)
{
    const bool minus = z.minus;
    trace_exact = false;
    const vec at = fp_record(z);
    return dd(fp_node((int)trace_errors(at, &at, 1, error), minus), fp(0.0));
}

static dd dd_add(dd a, dd b)
{
    trace_exact = true;
    return behind(a.x + b.x, errors->sum);
}
static dd dd_add_double(dd a, fp b)
{
    trace_exact = true;
    return behind(a.x + b, errors->double_sum);
}
static dd dd_mul(dd a, dd b)
{
    trace_exact = true;
    return behind(a.x * b.x, errors->number_product);
}
static dd dd_mul_double(dd a, fp b)
{
    trace_exact = true;
    return behind(a.x * b, errors->double_product);
}
/* Of points' products, whose two parts together have the error of a product. */
static dd dd_dot(dd a, dd b, dd c, dd d)
{
    trace_exact = true;
    return behind(a.x * b.x + c.x * d.x, errors->product);
}

/* The same of digits. */
static dd dd_dot_doubles(dd a, fp b, dd c, fp d)
{
    trace_exact = true;
    return behind(a.x * b + c.x * d, errors->digits_product);
}
static fp digit_sum(fp a, fp b)
{
    trace_exact = true;
    const fp z = a + b;
    trace_exact = false;
    return z;
}
#define POINT(re, im) fp4(dd(re, fp(0.0)), dd(im, fp(0.0)))

#include "dd_steps.cl"

enum { RATIO, PRODUCT };
#define PRELUDE_CL
#undef DOUBLE_DOUBLE
#define DOUBLE_DOUBLE 1
#include "fft_radix.cl"

static point point_of(struct device_point a)
{
    return point(dd(fp_node((int)a.re, a.minus_re), fp(0.0)), dd(fp_node((int)a.im, a.minus_im), fp(0.0)));
}

static struct device_point of_point(point a)
{
    const struct device_point z = {(vec)fp_record(a.re.x), (vec)fp_record(a.im.x), a.re.x.minus, a.im.x.minus};
    return z;
}

static twiddle twiddle_of(vec c, vec s)
{
    return twiddle(dd(fp_node((int)c, false), fp(0.0)), dd(fp_node((int)s, false), fp(0.0)));
}

enum { MOST = 16 };

static void load(point *p, const struct device_point *x, unsigned n, const struct device_errors *e)
{
    errors = e;
    for (unsigned i = 0; i < n; i++)
        p[i] = point_of(x[i]);
}

static void store(struct device_point *x, const point *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        x[i] = of_point(p[i]);
}

void device_dd_split(struct device_point *x, vec c, vec s, const struct device_errors *e)
{
    point p[2];
    load(p, x, 2, e);
    split(p, p + 1, twiddle_of(c, s), 0, 0);
    store(x, p, 2);
}

void device_dd_join(struct device_point *x, vec c, vec s, const struct device_errors *e)
{
    point p[2];
    load(p, x, 2, e);
    join(p, p + 1, twiddle_of(c, s), 0, 0);
    store(x, p, 2);
}

void device_dd_split_real(struct device_point *x, vec c, vec s, const struct device_errors *e)
{
    point p[2];
    load(p, x, 2, e);
    split_real(p, p + 1, twiddle_of(c, s));
    store(x, p, 2);
}

static void twiddles_of(twiddle *w, const vec *c, const vec *s)
{
    for (unsigned i = 0; i < 3; i++)
        w[i] = twiddle_of(c[i], s[i]);
}

void device_dd_split_digits(struct device_point *x, vec c, bool real, const struct device_errors *e)
{
    point p[2];
    load(p, x, 2, e);
    split_digits(p, p + 1, twiddle_of(c, c), real ? REAL_DIGITS : DIGITS);
    store(x, p, 2);
}

void device_dd_split_4_digits(struct device_point *x, const vec *c, const vec *s, bool real, const struct device_errors *e)
{
    point p[4];
    twiddle w[3];
    load(p, x, 4, e);
    twiddles_of(w, c, s);
    split_4(p, w, 0, real ? REAL_DIGITS : DIGITS);
    store(x, p, 4);
}

void device_dd_digits_dft(struct device_point *x, unsigned radix, const struct device_errors *e)
{
    point p[MOST];
    load(p, x, radix, e);
    digits_dft(p, (int)radix);
    store(x, p, radix);
}

void device_dd_split_4(struct device_point *x, const vec *c, const vec *s, const struct device_errors *e)
{
    point p[4];
    twiddle w[3];
    load(p, x, 4, e);
    twiddles_of(w, c, s);
    split_4(p, w, 0, 0);
    store(x, p, 4);
}

void device_dd_join_4(struct device_point *x, const vec *c, const vec *s, const struct device_errors *e)
{
    point p[4];
    twiddle w[3];
    load(p, x, 4, e);
    twiddles_of(w, c, s);
    join_4(p, w, 0);
    store(x, p, 4);
}

void device_dd_dft(struct device_point *x, unsigned radix, double sign, const struct device_errors *e)
{
    point p[MOST];
    load(p, x, radix, e);
    dft_odd(p, (int)radix, fp(sign));
    store(x, p, radix);
}
