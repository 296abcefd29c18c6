/*
 * ranges_field.h - Gappa scripts of prime_field.h, whose operations print themselves; included by ranges_field_fma.c and
 * ranges_field_plain.c.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * For each prime: that every result is exact, and how large it is.  field_difference, without FMA, is in integers modulo 2^64: it
 * is taken at its word, for a quotient within 1/2 of the estimate.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define VEC_WIDTH    1
#define STAGE_INLINE static inline __attribute__((unused))

typedef double vec; /* the number of a node */

static FILE *script;
static int n_nodes, quotient, magic, before_magic, stored[4], n_stored;

static vec print_op(const char *format, vec a, vec b, vec c)
{
    const int k = n_nodes++;
    fprintf(script, "y%d = ", k);
    fprintf(script, format, (int)a, (int)b, (int)c);
    fprintf(script, ";\nx%d = rnd(y%d);\n", k, k);
    return k;
}

static vec vec_set1(double a)
{
    if (a == 0x1.8p52)
        magic = n_nodes;
    fprintf(script, "x%d = %a;\n", n_nodes, a);
    return n_nodes++;
}
static vec vec_add(vec a, vec b)
{
    return print_op("x%d + x%d", a, b, 0);
}
static vec vec_sub(vec a, vec b)
{
    const vec x = print_op("x%d - x%d", a, b, 0);
    if ((int)b == magic) {
        quotient = (int)x;
        before_magic = (int)a;
    }
    return x;
}
static vec vec_mul(vec a, vec b)
{
    return print_op("x%d * x%d", a, b, 0);
}
#if VEC_HAS_FMA
static vec vec_fma(vec a, vec b, vec c)
{
    return print_op("x%d * x%d + x%d", a, b, c);
}
static vec vec_fms(vec a, vec b, vec c)
{
    return print_op("x%d * x%d - x%d", a, b, c);
}
static vec vec_fnma(vec a, vec b, vec c)
{
    return print_op("x%3$d - x%1$d * x%2$d", a, b, c);
}
#else
static vec vec_fma(vec a, vec b, vec c)
{
    return vec_add(vec_mul(a, b), c);
}
static vec vec_fnma(vec a, vec b, vec c)
{
    return vec_sub(c, vec_mul(a, b));
}
#endif
static vec vec_load(const double *p)
{
    return *p;
}
static void vec_store(double *p, vec a)
{
    *p = a;
}
/* field_difference begins with these four, x, w, the estimate and p, and ends with vec_loadu. */
static void vec_storeu(double *p, vec a)
{
    if (n_stored < 4)
        stored[n_stored++] = (int)a;
    *p = 0;
}
static vec vec_loadu(const double *p)
{
    (void)p;
    fprintf(script, "q = x%d + half;\nx%d = x%d * x%d - q * x%d;\n", stored[2], n_nodes, stored[0], stored[1], stored[3]);
    return n_nodes++;
}

#include "prime/prime_field.h"

static struct field field;
static double prime;

static void begin(const char *name, unsigned i)
{
    char path[80];
    snprintf(path, sizeof path, "prime_%s_%u_%s.g", name, i + 1, VEC_HAS_FMA ? "fma" : "plain");
    script = fopen(path, "w");
    if (!script)
        exit(1);
    fprintf(script, "# %s: written by proof/ranges_field.h.\n@rnd = float<ieee_64, ne>;\n", path);
    n_nodes = n_stored = 0;
    prime = (double)prime_table[i].p;
    field = field_of(&prime_table[i]); /* x0, x1 */
}

static vec input(void)
{
    return n_nodes++;
}

static void end(void)
{
    if (fclose(script) != 0)
        exit(1);
}

static void prove_reduce(unsigned i)
{
    begin("reduce", i);
    const int x = (int)input(), r = (int)field_reduce(&field, x), q = quotient, m = before_magic;
    fprintf(script, "{\n  @FIX(x%d, 0) /\\ |x%d| <= %.17g\n->\n", x, x, 10 * prime);
    fprintf(script, "  x%d - (x%d - x%d * x0) in [0, 0] /\\ |x%d| <= %.17g /\\ |x%d| <= 10\n}\n", r, x, q, r,
            0.5 * (1 + 0x1p-40) * prime, q);
    fprintf(script, "x%d - x%d * x0 -> x%d * (1 - x0 * x1) - x0 * ((x%d - (x%d * x1 + x%d)) + (x%d - (x%d - x%d)));\n", x, q, x,
            m, x, magic, q, m, magic);
#if VEC_HAS_FMA
    fprintf(script, "x%d -> (x%d - (x%d - x%d * x0)) + (x%d - x%d * x0);\n", r, r, x, q, x, q);
#else
    const int t = m - 1, product = r - 1; /* the products */
    fprintf(script, "x%d - (x%d * x1 + x%d) -> (x%d - y%d) + (x%d - y%d);\n", m, x, magic, m, m, t, t);
    fprintf(script, "x%d - (x%d - x%d * x0) -> (x%d - y%d) - (x%d - y%d);\n", r, x, q, r, r, product, product);
    fprintf(script, "y%d -> (x%d - x%d * x0) - (x%d - y%d);\n", r, x, q, product, product);
    fprintf(script, "x%d -> (x%d - (x%d - x%d * x0)) + (x%d - x%d * x0);\n", r, r, x, q, x, q);
#endif
    end();
}

/* any: two values, |x y| <= 2.5 p^2, whose quotient is the rounded product's; else a constant w, |w| <= p / 2, and w / p. */
static void prove_mul(unsigned i, bool any)
{
    begin(any ? "mul_any" : "mul", i);
    const int x = (int)input(), w = (int)input();
    int ratio = 0, r;
    if (any) {
        r = (int)field_mul_any(&field, x, w);
    } else {
        ratio = n_nodes++;
        fprintf(script, "x%d = rnd(x%d / x0);\n", ratio, w);
        r = (int)field_mul(&field, x, (struct field_factor){w, ratio});
    }
    const double most = any ? 5 : FIELD_MUL_MOST,
                 result = 0.5 + (any ? (VEC_HAS_FMA ? 0.20 : 0.30) * 2.5 : (VEC_HAS_FMA ? 0.05 : 0.10) * most);
    fprintf(script, "{\n  @FIX(x%d, 0) /\\ @FIX(x%d, 0) /\\ |x%d| <= %.17g /\\ |x%d| <= %.17g", x, w, x, most * prime, w,
            (any ? 5 : 0.5) * prime);
    if (any)
        fprintf(script, " /\\ |x%d * x%d| <= %.17g", x, w, 2.5 * prime * prime);
    if (!VEC_HAS_FMA)
        fprintf(script, " /\\ |half| <= 0x1.0000000000001p-1");
    fprintf(script, "\n->\n  |x%d| <= %.17g", r, result * prime);
    if (!any)
        fprintf(script, " /\\ |x0 * (x%d / x0 - x%d)| <= 0.0495", w, ratio);
#if VEC_HAS_FMA
    const int q = quotient, m = before_magic, low = q + 1, part = q + 2,
              h = any ? w + 1 : ratio + 2; /* behind the magic number */
    fprintf(script, " /\\ x%d - (x%d * x%d - x%d * x0) in [0, 0] /\\ |x%d| <= 1b51\n}\n", r, x, w, q, q);
    if (any)
        fprintf(script,
                "x%d * x%d - x%d * x0 -> (x%d * x%d - x%d) + x%d * (1 - x0 * x1) - x0 * ((x%d - y%d) + (x%d - (x%d - x%d)));\n",
                x, w, q, x, w, h, h, m, m, q, m, magic);
    else
        fprintf(script,
                "x%d * x%d - x%d * x0 -> x0 * (x%d * (x%d / x0 - x%d) - ((x%d - y%d) + (x%d - (x%d - x%d)))) { x0 <> 0 };\n", x,
                w, q, x, w, ratio, m, m, q, m, magic);
    fprintf(script, "x%d * x%d - x%d -> - (x%d - y%d);\n", x, w, h, h, h);
    fprintf(script, "y%d -> (x%d * x%d - x%d * x0) - (x%d * x%d - x%d);\n", part, x, w, q, x, w, h);
    fprintf(script, "y%d -> (x%d - y%d) + (x%d - y%d) + (x%d * x%d - x%d * x0);\n", r, part, part, low, low, x, w, q);
    fprintf(script, "x%d - (x%d * x%d - x%d * x0) -> (x%d - y%d) + (x%d - y%d) + (x%d - y%d);\n", r, x, w, q, r, r, part, part,
            low, low);
    fprintf(script, "x%d -> (x%d - (x%d * x%d - x%d * x0)) + (x%d * x%d - x%d * x0);\n", r, r, x, w, q, x, w, q);
#else
    const int e = stored[2];
    fprintf(script, "\n}\n");
    if (any)
        fprintf(script, "x%d -> (y%d - x%d) + x%d * (1 - x0 * x1) - x0 * ((x%d - y%d) + half);\n", r, w + 1, w + 1, w + 1, e, e);
    else
        fprintf(script, "x%d -> x0 * (x%d * (x%d / x0 - x%d) - ((x%d - y%d) + half)) { x0 <> 0 };\n", r, x, w, ratio, e, e);
#endif
    end();
}

static void prove_field(void)
{
    for (unsigned i = 0; i < PRIME_COUNT; i++) {
        prove_reduce(i);
        prove_mul(i, false);
        prove_mul(i, true);
    }
}
