/*
 * cyclic.c - the products of spectra of the cyclic packings, section 14: their operations, counted, and norms.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * spectrum_mul.h's functions of points, cut out by tools/check_proof.sh, are compiled over doubles that count operations.
 */
#include "bounds.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "prove.h"

static struct count {
    unsigned sums, products, fused, halvings;
} count;

static double counted(double x, unsigned *of)
{
    ++*of;
    return x;
}
#define vec_add(a, b)     counted((a) + (b), &count.sums)
#define vec_sub(a, b)     counted((a) - (b), &count.sums)
#define vec_mul(a, b)     counted((a) * (b), (a) == 0.5 ? &count.halvings : &count.products)
#define vec_fma(a, b, c)  counted(fma(a, b, c), &count.fused)
#define vec_fms(a, b, c)  counted(fma(a, b, -(c)), &count.fused)
#define vec_fnma(a, b, c) counted(fma(-(a), b, c), &count.fused)
#define vec_neg(a)        (-(a))
#define vec_set1(a)       (a)
#define vec_load(p)       (*(p))
#define STAGE_INLINE      static inline __attribute__((unused))
enum { PLAN_BLOCK = 8 };
#include "stages/butterfly.h"

#include "spectrum_points.h"

typedef double _Complex point;

static struct complex_vec of_point(point a)
{
    return (struct complex_vec){creal(a), cimag(a)};
}

static void check(const char *what, struct complex_vec z, point exact, unsigned parts, unsigned products, unsigned sums)
{
    /* a part, a sum and a product of points: two sums; two sums; two products and two FMAs */
    if (cabs(z.r + I * z.i - exact) > 1e-12 || count.sums != 2 * (parts + sums) || count.halvings != 2 * parts ||
        count.products != 2 * products || count.fused != 2 * products) {
        fprintf(stderr, "cyclic: %s is not made as it was\n", what);
        exit(1);
    }
    count = (struct count){0};
}

/*
 * What 14.2 adds up, for the leaves k and -k: e, o, f, q are |Ea|, |Oa|, |Eb|, |Ob|, the same for both; v, w the moduli of Vb.
 */
static void prove_norms(void)
{
    FILE *f = script_open("cyclic_norms");
    fprintf(f, "s = e + o;\nt = f + q;\nv = vk + vn;\n"
               "{\n  e * e + o * o in [1, 1] /\\ f * f + q * q in [1, 1] /\\ vk * vk + vn * vn in [2, 2] /\\\n"
               "  e in [0, 1] /\\ o in [0, 1] /\\ f in [0, 1] /\\ q in [0, 1] /\\ vk in [0, 2] /\\ vn in [0, 2]\n->\n"
               "  s * s <= 2 /\\ v * v <= 4 /\\ (s * t) * (s * t) <= 4 /\\ (s * v) * (s * v) <= 8\n}\n"
               "s * s -> 2 * (e * e + o * o) - (e - o) * (e - o);\n"
               "t * t -> 2 * (f * f + q * q) - (f - q) * (f - q);\n"
               "v * v -> 2 * (vk * vk + vn * vn) - (vk - vn) * (vk - vn);\n"
               "(s * t) * (s * t) -> (s * s) * (t * t);\n(s * v) * (s * v) -> (s * s) * (v * v);\n");
    script_close(f);
}

void prove_cyclic_points(void)
{
    const point v = 0.3 + 0.7 * I, vn = -0.6 + 0.2 * I, w = 0.9 - 0.4 * I, wn = 0.1 + 0.8 * I, zeta = 0.6 + 0.8 * I;
    const point ea = (v + conj(vn)) / 2, oa = (v - conj(vn)) / (2 * I), eb = (w + conj(wn)) / 2, ob = (w - conj(wn)) / (2 * I);
    check("two-for-one", two_for_one_point(of_point(v), of_point(vn)), ea * oa, 2, 1, 0);
    check("one-for-half", one_for_half_point(of_point(v), of_point(vn), of_point(w), of_point(wn), of_point(zeta)),
          ea * eb + zeta * oa * ob + I * (ea * ob + oa * eb), 4, 5, 3);
    prove_norms();
}
