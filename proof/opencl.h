/*
 * opencl.h - OpenCL C for a C++ compiler, whose floating-point operations are written down: numbers, pairs and fours of them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Vector literals are constructors, (point)(x, y) being point(x, y): tools/check_proof.sh writes them so.  Negation is exact: a
 * sign is taken along to the next operation, as rounding is symmetric.  What includes this says how operations are recorded:
 *
 *   record(op, a, b, c)    the node of ADD a + b, SUB a - b, MUL a b, FMA a b + c, FMS a b - c, FNMA c - a b
 *   record_number(x)       the node of a number
 *   record_fnma            false: there is no FNMA, but minus an FMS
 */
#ifndef GFMUL_PROOF_OPENCL_H
#define GFMUL_PROOF_OPENCL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define INLINE static inline
#define UNROLL
#define DOUBLE_DOUBLE 0
#define FP64          1
#define PACKING       3

enum record_op { RECORD_ADD, RECORD_SUB, RECORD_MUL, RECORD_FMA, RECORD_FMS, RECORD_FNMA };
static int record(record_op op, int a, int b, int c);
static int record_number(double x);

/* A number that is a node, or a literal; `minus`: what is meant is minus the node. */
struct fp {
    int node;
    bool minus, literal;
    double number;
    fp() = default;
    fp(double x) : node(0), minus(false), literal(true), number(x)
    {
    }
};

static fp fp_node(int node, bool minus)
{
    fp a(0.0);
    a.node = node;
    a.minus = minus;
    a.literal = false;
    return a;
}

static int fp_record(fp a)
{
    return a.literal ? record_number(a.number) : a.node;
}

static fp operator-(fp a)
{
    if (a.literal)
        return fp(-a.number);
    a.minus = !a.minus;
    return a;
}

static fp operator+(fp a, fp b)
{
    if (a.literal || b.literal) {
        fprintf(stderr, "opencl: a sum of constants\n");
        exit(1);
    }
    if (a.minus == b.minus)
        return fp_node(record(RECORD_ADD, a.node, b.node, 0), a.minus);
    return a.minus ? fp_node(record(RECORD_SUB, b.node, a.node, 0), false)
                   : fp_node(record(RECORD_SUB, a.node, b.node, 0), false);
}

/* As it is written: a - b first of a. */
static fp operator-(fp a, fp b)
{
    if (a.literal || b.literal)
        return a + -b;
    if (a.minus != b.minus)
        return fp_node(record(RECORD_ADD, a.node, b.node, 0), a.minus);
    return fp_node(record(RECORD_SUB, a.node, b.node, 0), a.minus);
}

static fp operator*(fp a, fp b)
{
    if (a.literal && b.literal) {
        if (fabs(a.number) != 1 && fabs(b.number) != 1 && b.number != 0) {
            fprintf(stderr, "opencl: a product of constants\n");
            exit(1);
        }
        return fp(a.number * b.number);
    }
    return fp_node(record(RECORD_MUL, fp_record(a), fp_record(b), 0), a.minus != b.minus);
}

static fp fma(fp a, fp b, fp c)
{
    const bool minus = a.minus != b.minus;
    if (record_fnma && minus && !c.minus)
        return fp_node(record(RECORD_FNMA, fp_record(a), fp_record(b), fp_record(c)), false);
    return fp_node(record(minus == c.minus ? RECORD_FMA : RECORD_FMS, fp_record(a), fp_record(b), fp_record(c)), minus);
}

struct fp2 {
    fp x, y;
    fp2() = default;
    fp2(fp a, fp b) : x(a), y(b)
    {
    }
};

static fp2 operator-(fp2 a)
{
    return fp2(-a.x, -a.y);
}
static fp2 operator+(fp2 a, fp2 b)
{
    return fp2(a.x + b.x, a.y + b.y);
}
static fp2 operator-(fp2 a, fp2 b)
{
    return fp2(a.x - b.x, a.y - b.y);
}
static fp2 operator*(fp a, fp2 b)
{
    return fp2(a * b.x, a * b.y);
}

#endif
