/*
 * vec_recording.h - vectors whose operations are recorded, for the headers of lib/stages: what they round is counted, not done.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A lane holds the number of a record, in the payload of a NaN, so that loads, stores and shuffles move records.  A record is a
 * constant, or a number that depends on the inputs: its coefficients on all inputs, as a real map.  It is linear in them if one
 * factor of each product is a constant.  Products by 0 and powers of two, and signs, are exact; all else is rounded.
 *
 * record_fused: vec_fma is one rounding; else a product and a sum.
 */
#ifndef GFMUL_VEC_RECORDING_H
#define GFMUL_VEC_RECORDING_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "test.h"

#define VEC_WIDTH     4
#define VEC_HAS_FMA   1
#define VEC_MAX_RADIX 8
#define VEC_HALVES    1
#define VEC_RADIX4    1
typedef double vec_real;
typedef struct {
    double lane[VEC_WIDTH];
} vec;

enum { RECORDS_MAX = 8192, RECORD_INPUTS_MAX = 128 };
enum record_kind { RECORD_CONSTANT, RECORD_INPUT, RECORD_EXACT, RECORD_MUL, RECORD_ADD, RECORD_FMA, RECORD_KINDS };

struct record {
    enum record_kind kind;
    bool product;     /* of two that are not constant: no coefficients */
    double value;     /* of a constant */
    double depth;     /* operations on the way from an input, whose longest it is; the product of an fma in two is a half less */
    unsigned from[2]; /* what it is made of, and .. */
    long double times[2]; /* .. with which factor */
    long double row[RECORD_INPUTS_MAX];
};

static struct record *record_list;
static unsigned record_n, record_inputs, record_counts[RECORD_KINDS];
static bool record_fused = true;

static void record_begin(bool fused)
{
    if (record_list == NULL)
        record_list = test_alloc_zeroed(RECORDS_MAX, sizeof *record_list);
    record_fused = fused;
    record_n = record_inputs = 0;
    memset(record_counts, 0, sizeof record_counts);
}

static double record_boxed(unsigned k)
{
    const uint64_t bits = UINT64_C(0x7ff8000000000000) | k;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double record_new(enum record_kind kind)
{
    struct record *r = &record_list[record_n];
    if (record_n + 1 >= RECORDS_MAX) {
        fprintf(stderr, "too many records\n");
        exit(1);
    }
    memset(r, 0, sizeof *r);
    r->kind = kind;
    record_counts[kind]++;
    return record_boxed(record_n++);
}

/* record_of - what a lane holds; a number stands for the constant. */
static unsigned record_of(double x)
{
    uint64_t bits;
    if (!isnan(x)) {
        const double boxed = record_new(RECORD_CONSTANT);
        record_list[record_n - 1].value = x;
        memcpy(&bits, &boxed, sizeof bits);
    } else
        memcpy(&bits, &x, sizeof bits);
    return (unsigned)(bits & 0xffffffffu);
}

static double record_input(void)
{
    const double boxed = record_new(RECORD_INPUT);
    record_list[record_n - 1].row[record_inputs++] = 1;
    return boxed;
}

static bool record_constant(unsigned k)
{
    return record_list[k].kind == RECORD_CONSTANT;
}

/* record_sum - s x + t y, rounded as `kind` says. */
static double record_sum(enum record_kind kind, unsigned x, long double s, unsigned y, long double t)
{
    if (record_constant(x) && record_constant(y)) /* of twiddles that are made */
        return record_boxed(record_of((double)(s * record_list[x].value + t * record_list[y].value)));
    const double boxed = record_new(kind);
    struct record *r = &record_list[record_n - 1];
    const struct record *from[2] = {&record_list[x], &record_list[y]};
    r->product = from[0]->product || from[1]->product;
    r->from[0] = x;
    r->from[1] = y;
    r->times[0] = s;
    r->times[1] = t;
    for (unsigned i = 0; i < 2; i++)
        r->depth = r->times[i] != 0 && from[i]->depth > r->depth ? from[i]->depth : r->depth;
    r->depth += kind == RECORD_EXACT ? 0 : 1;
    for (unsigned k = 0; k < record_inputs; k++)
        r->row[k] = s * from[0]->row[k] + t * from[1]->row[k];
    return boxed;
}

static bool record_power_of_two(double x)
{
    int e;
    return x == 0 || fabs(frexp(x, &e)) == 0.5;
}

/* record_product - s x y; the product of an fma in two: half of an operation, so that it stands before the sum it belongs to. */
static double record_product(double a, double b, long double s, bool half)
{
    unsigned x = record_of(a), y = record_of(b);
    if (record_constant(y)) {
        const unsigned z = x;
        x = y;
        y = z;
    }
    if (!record_constant(x)) {
        const double boxed = record_new(RECORD_MUL);
        record_list[record_n - 1].product = true;
        return boxed;
    }
    if (record_constant(y))
        return record_boxed(record_of((double)s * record_list[x].value * record_list[y].value));
    const double c = record_list[x].value, z = record_sum(record_power_of_two(c) ? RECORD_EXACT : RECORD_MUL, y, s * c, y, 0);
    record_list[record_n - 1].depth -= half && !record_power_of_two(c) ? 0.5 : 0;
    return z;
}

/* record_fma - s a b + t c. */
static double record_fma(double a, double b, double c, long double s, long double t)
{
    unsigned x = record_of(a), y = record_of(b);
    const unsigned z = record_of(c);
    if (record_constant(y)) {
        const unsigned swap = x;
        x = y;
        y = swap;
    }
    if (!record_fused) {
        const double p = record_product(a, b, s, true);
        const unsigned k = record_of(p);
        if (record_list[z].depth + 0.5 > record_list[k].depth && record_list[k].kind == RECORD_MUL)
            record_list[k].depth = record_list[z].depth + 0.5; /* beside the sum that it is made for */
        const double sum = record_sum(RECORD_ADD, k, 1, z, t);
        record_list[record_n - 1].depth = ceil(record_list[record_n - 1].depth - 1) + (record_list[k].kind == RECORD_MUL ? 0 : 1);
        return sum;
    }
    if (!record_constant(x)) {
        const double boxed = record_new(RECORD_FMA);
        record_list[record_n - 1].product = true;
        return boxed;
    }
    return record_sum(RECORD_FMA, y, s * record_list[x].value, z, t);
}

#define LANES(expression)                    \
    vec z_;                                  \
    for (unsigned l = 0; l < VEC_WIDTH; l++) \
        z_.lane[l] = (expression);           \
    return z_

TEST_UNUSED static vec vec_load(const double *p)
{
    LANES(p[l]);
}
TEST_UNUSED static void vec_store(double *p, vec a)
{
    for (unsigned l = 0; l < VEC_WIDTH; l++)
        p[l] = a.lane[l];
}
TEST_UNUSED static void vec_stream(double *p, vec a)
{
    vec_store(p, a);
}
TEST_UNUSED static vec vec_set1(double a)
{
    LANES(a);
}
TEST_UNUSED static vec vec_add(vec a, vec b)
{
    LANES(record_sum(RECORD_ADD, record_of(a.lane[l]), 1, record_of(b.lane[l]), 1));
}
TEST_UNUSED static vec vec_sub(vec a, vec b)
{
    LANES(record_sum(RECORD_ADD, record_of(a.lane[l]), 1, record_of(b.lane[l]), -1));
}
TEST_UNUSED static vec vec_neg(vec a)
{
    LANES(record_product(a.lane[l], -1.0, 1, false));
}
TEST_UNUSED static vec vec_mul(vec a, vec b)
{
    LANES(record_product(a.lane[l], b.lane[l], 1, false));
}
TEST_UNUSED static vec vec_fma(vec a, vec b, vec c)
{
    LANES(record_fma(a.lane[l], b.lane[l], c.lane[l], 1, 1));
}
TEST_UNUSED static vec vec_fms(vec a, vec b, vec c)
{
    LANES(record_fma(a.lane[l], b.lane[l], c.lane[l], 1, -1));
}
TEST_UNUSED static vec vec_fnma(vec a, vec b, vec c)
{
    LANES(record_fma(a.lane[l], b.lane[l], c.lane[l], -1, 1));
}
TEST_UNUSED static void vec_transpose(vec *r)
{
    for (unsigned i = 0; i < VEC_WIDTH; i++)
        for (unsigned j = 0; j < i; j++) {
            const double x = r[i].lane[j];
            r[i].lane[j] = r[j].lane[i];
            r[j].lane[i] = x;
        }
}
TEST_UNUSED static void vec_load_columns(vec *r, const double *p, size_t stride)
{
    for (unsigned c = 0; c < 2; c++)
        for (unsigned l = 0; l < VEC_WIDTH; l++)
            r[c].lane[l] = p[l * stride + c];
}
#endif
