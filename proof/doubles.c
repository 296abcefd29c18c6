/*
 * doubles.c - the inverse passes in double of products in double-double, traced: doubles.h.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "prove.h"

#include <math.h>
#include <stdlib.h>

#include "doubles.h"

/* Rests of constants are not used here. */
static vec first_part(double x)
{
    return fabs(x) < 0x1p-50 ? trace_known(poly_number(0)) : vec_set1(x);
}
#define vec_set1 first_part

/* What only double-double does, and memory. */
static vec vec_product_error(vec a, vec b, vec p)
{
    (void)a, (void)b;
    return p;
}
static vec vec_load(const double *p)
{
    return *p;
}
static void vec_store(double *p, vec a)
{
    *p = a;
}

enum { PLAN_BLOCK = 8, VEC_WIDTH = 8, DD_BLOCK_DOUBLES = 32, GROUP_DOUBLES = 256 };
enum dd_kind { DD_FULL, DD_LIGHT, DD_DOUBLE };
struct plan_pass {
    unsigned radix;
};
struct dd_digits {
    double re[PLAN_BLOCK][PLAN_BLOCK], im[PLAN_BLOCK][PLAN_BLOCK];
    bool has_im;
};
#define STAGE_INLINE static inline __attribute__((unused))
#include "dd/dd_number.h"
#include "dd/dd_odd.h"
#include "dd/dd_pass.h"

static struct dc input(void)
{
    const vec re = trace_input();
    return (struct dc){re, trace_input()};
}

static void output(struct dc a)
{
    trace_output(a.re);
    trace_output(a.im);
}

static struct dc entry(const char *name)
{
    struct dc w;
    trace_twiddle(&w.re, &w.im, name, false);
    return w;
}

void prove_doubles(bool fma, const struct bound_constants *bound)
{
    char name[64];
    const char *const kind = fma ? "fma" : "plain";
    const struct twiddles with = {1.0, bound->double_entry, false};
    trace_begin(fma);
    const struct dc w = entry("w");
    output(dc_mul_conj(input(), w));
    if (!fma)
        check_plain_product();
    snprintf(name, sizeof name, "double_product_%s", kind);
    prove_inverse(name, bound->double_product[fma] + bound->double_entry, (struct twiddles){1.0, bound->double_entry, !fma});

    /* radix 4; without FMA its products are those above */
    trace_begin(fma);
    const struct dc u = entry("u"), v = entry("v"), x = entry("x");
    struct dc f[4];
    for (unsigned s = 0; s < 4; s++)
        f[s] = input();
    dc_join_4(f, u, v, x);
    for (unsigned s = 0; s < 4; s++)
        output(f[s]);
    if (fma)
        prove_inverse("double_radix4_fma", 2 + bound->double_product[1] + bound->double_entry, with);

    /* that it is the inverse of the tree's step: with w = 1 a DFT, of children in the order 0, 2, 1, 3 */
    trace_begin(fma);
    const struct dc one = {vec_set1(1.0), vec_set1(0.0)};
    f[0] = input();
    f[2] = input();
    f[1] = input();
    f[3] = input();
    dc_join_4(f, one, one, one);
    for (unsigned s = 0; s < 4; s++)
        output(f[s]);
    check_dft(4, -1.0);

    for (unsigned odd = 3; odd <= 7; odd += 2) {
        struct dc d[ODD_MAX], y[ODD_MAX];
        trace_begin(fma);
        for (unsigned s = 0; s < odd; s++)
            d[s] = input();
        odd_inverse_double(y, d, odd);
        for (unsigned s = 0; s < odd; s++)
            output(y[s]);
        check_dft(odd, -1.0);
        snprintf(name, sizeof name, "double_odd%u_%s", odd, kind);
        prove_inverse(name, bound->double_odd[odd], (struct twiddles){.error = 0});
    }
}
