/*
 * difference.c - products modulo primes without a fused multiply-add, in integers modulo 2^64: the code itself, against 128 bits.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * That the difference is exact if it is below 2^63 is a theorem (integers.v).  Here prime_field.h's operations are tried, with
 * the largest operands and with random ones: that they are those that the theorem is about.
 */
#include <stdio.h>
#include <stdlib.h>

#define VEC_HAS_FMA  0
#define VEC_WIDTH    1
#define STAGE_INLINE static inline __attribute__((unused))

typedef double vec;
#define vec_set1(a)       (a)
#define vec_add(a, b)     ((a) + (b))
#define vec_sub(a, b)     ((a) - (b))
#define vec_mul(a, b)     ((a) * (b))
#define vec_fma(a, b, c)  ((a) * (b) + (c))
#define vec_fnma(a, b, c) ((c) - (a) * (b))
#define vec_load(p)       (*(p))
#define vec_loadu(p)      (*(p))
#define vec_store(p, a)   (*(p) = (a))
#define vec_storeu(p, a)  (*(p) = (a))
#include "prime/prime_field.h"

#include "primes.h"

enum { TRIES = 20000 };

static uint64_t state = 1;

/* An integer of at most `most` in size; now and then the largest one, or one next to it. */
static double number(double most)
{
    state = state * 6364136223846793005 + 1442695040888963407;
    const double t = (double)(int64_t)state * 0x1p-63;
    const unsigned kind = (unsigned)(state >> 20) % 8;
    return kind == 0 ? trunc(most) : kind == 1 ? -trunc(most) : kind == 2 ? trunc(t * 4) : trunc(t * most);
}

static void check(double x, double y, double r, double p, double most)
{
    const __int128 left = (__int128)x * (__int128)y - (__int128)r;
    if (r != rint(r) || !(fabs(r) <= most * p) || left % (__int128)p != 0) {
        fprintf(stderr, "difference: %.0f * %.0f - %.0f\n", x, y, r);
        exit(1);
    }
}

void check_difference(void)
{
    for (unsigned i = 0; i < PRIME_COUNT; i++) {
        const double p = (double)prime_table[i].p;
        const struct field f = field_of(&prime_table[i]);
        for (unsigned k = 0; k < TRIES; k++) {
            const double x = number(10 * p), w = number(p / 2), y = number(p / 2), z = number(5 * p);
            check(x, w, field_mul(&f, x, (struct field_factor){w, w / p}), p, 0.5 + 0.10 * fabs(x / p));
            check(y, z, field_mul_any(&f, y, z), p, 0.5 + 0.30 * fabs(y / p * (z / p)));
            check(x, 1, field_reduce(&f, x), p, 0.5 * (1 + 0x1p-40));
        }
    }
}
