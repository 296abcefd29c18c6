/*
 * devices_pairs.cc - the operations of kernels/complex_dd.cl, traced for pairs.c.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tools/check_proof.sh cuts the file in two: dd_operations.cl ends before its steps.
 */
#include "pairs.h"

static const bool record_fnma = false;
#include "opencl.h"

static int record(record_op op, int a, int b, int c)
{
    return pair_record((int)op, a, b, c);
}

static int record_number(double x)
{
    fprintf(stderr, "devices_pairs: a number, %g\n", x);
    exit(1);
}

struct fp4 {};
#include "dd_operations.cl"

static dd dd_of(struct pair_number a)
{
    return dd(fp_node(a.h, false), fp_node(a.l, false));
}

static struct pair_number of_dd(dd a)
{
    const struct pair_number z = {fp_record(a.x), fp_record(a.y)};
    if (a.x.minus || a.y.minus)
        exit(1);
    return z;
}

struct pair_number device_pair_add(struct pair_number a, struct pair_number b)
{
    return of_dd(dd_add(dd_of(a), dd_of(b)));
}
struct pair_number device_pair_sub(struct pair_number a, struct pair_number b)
{
    return of_dd(dd_add(dd_of(a), -dd_of(b)));
}
struct pair_number device_pair_add_double(struct pair_number a, int b)
{
    return of_dd(dd_add_double(dd_of(a), fp_node(b, false)));
}
struct pair_number device_pair_mul(struct pair_number a, struct pair_number b)
{
    return of_dd(dd_mul(dd_of(a), dd_of(b)));
}
struct pair_number device_pair_mul_double(struct pair_number a, int b)
{
    return of_dd(dd_mul_double(dd_of(a), fp_node(b, false)));
}
struct pair_number device_pair_dot(struct pair_number a, struct pair_number b, struct pair_number c, struct pair_number d)
{
    return of_dd(dd_dot(dd_of(a), dd_of(b), dd_of(c), dd_of(d)));
}
struct pair_number device_pair_dot_doubles(struct pair_number a, int b, struct pair_number c, int d)
{
    return of_dd(dd_dot_doubles(dd_of(a), fp_node(b, false), dd_of(c), fp_node(d, false)));
}
struct pair_number device_pair_cross_doubles(struct pair_number a, int b, struct pair_number c, int d)
{
    return of_dd(dd_dot_doubles(dd_of(a), fp_node(b, false), dd_of(c), fp_node(d, true)));
}
struct pair_number device_pair_cross(struct pair_number a, struct pair_number b, struct pair_number c, struct pair_number d)
{
    return of_dd(dd_dot(dd_of(a), dd_of(b), dd_of(c), -dd_of(d)));
}
