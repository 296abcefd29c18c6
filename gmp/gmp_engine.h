/*
 * gmp_engine.h - between libgfmul_gmp.so, which GMP calls, and gmp_engine.so, which has the library in it.
 *
 * The engine is a module.  It is loaded when the first long product comes, and stays loaded.  It does not need libgmp: each call
 * names the functions of the GMP whose product it makes.
 */
#ifndef GFMUL_GMP_ENGINE_H
#define GFMUL_GMP_ENGINE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "gmp/gmp_thresholds.h"

/* The functions of one GMP. */
struct gmp_functions {
#define GMP_CALL(result, name, parameters, arguments) result(*name) parameters;
#include "gmp/gmp_calls.def"
};

/* The least sizes in limbs that are the engine's; SIZE_MAX: none are. */
struct gmp_limits {
    size_t mul;    /* of the shorter operand */
    size_t sqr;    /* of the operand */
    size_t mulmod; /* of n: products modulo B^n - 1 and B^n + 1; their shorter operand has `mul` limbs, too */
    size_t sqrmod; /* of n: squares likewise; their operand has `sqr` limbs, too */
    size_t divide; /* of quotient and divisor */
};

struct gmp_engine_options {
    unsigned threads;    /* as in gfmul_options */
    size_t memory_limit; /* likewise */
    size_t threshold;    /* all limits; 0: as tuned */
    int (*progress)(void *arg, double done);
};

struct gmp_engine {
    /*
     * start - make the context of all products.
     *
     *   gmp      in   used during the call
     *   options  in   copied
     *   limits   out  written on success
     *
     * It may be called again in a child process: the former context is left as it is.   Value: whether there is a context.
     */
    bool (*start)(const struct gmp_functions *gmp, const struct gmp_engine_options *options, struct gmp_limits *limits);

    /*
     * mul - z = a b, an + bn limbs.   an, bn >= 1.   Aliasing: a and b may be the same, a square.
     * minus - {z, min(n, an + bn)} = a b modulo B^n - 1; n >= an >= bn >= 1.  A multiple of it is B^n - 1, not 0, unless a or b
     * is 0.   scratch  out  an + bn limbs.
     * plus - {z, n} = a b modulo B^n + 1, and *top, 0 or 1, times B^n; n >= 2, 1 <= an, bn <= n + 1.
     *
     * Value: GFMUL_OK, or why there is no product; then z and scratch are undefined.
     * Threads: any, after start.   Errors: those of gfmul_mul.
     */
    int (*mul)(const struct gmp_functions *gmp, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);
    int (*minus)(const struct gmp_functions *gmp, mp_limb_t *z, size_t n, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                 size_t bn, mp_limb_t *scratch);
    int (*plus)(const struct gmp_functions *gmp, mp_limb_t *z, mp_limb_t *top, size_t n, const mp_limb_t *a, size_t an,
                const mp_limb_t *b, size_t bn);

    /* divide - gfmul_tdiv_qr; r NULL: not wanted; r may be a. */
    int (*divide)(const struct gmp_functions *gmp, mp_limb_t *q, mp_limb_t *r, const mp_limb_t *a, size_t an, const mp_limb_t *d,
                  size_t dn);

    int interrupted; /* the value after the progress callback has stopped a product */
};

/* The module's one exported object.  A change of this header changes its number. */
#define GMP_ENGINE_SYMBOL "gfmul_gmp_engine_3"
extern const struct gmp_engine gfmul_gmp_engine_3 __attribute__((visibility("default")));

#endif
