/*
 * any_call.h - one call of the library, of any kind, with random data and sizes; what it returns is compared with GMP's result or
 * with the definition's.
 */
#ifndef GFMUL_ANY_CALL_H
#define GFMUL_ANY_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "gfmul.h"

/* Who calls.  A thread has its own; contexts may be shared. */
struct any_caller {
    uint64_t state;        /* of its generator; any value */
    struct gfmul_ctx *ctx; /* for products; NULL: the default context */
    size_t most_limbs;     /* of an operand */
    bool with_threads;     /* transforms and convolutions may use two threads, and products jobs */
};

/* The kinds of calls. */
enum any_kind {
    ANY_MUL,
    ANY_SQR,
    ANY_MPZ,
    ANY_TEXT,
    ANY_OPERAND,
    ANY_JOB,
    ANY_QUOTIENT,
    ANY_ROOT,
    ANY_POWER,
    ANY_TREE,
    ANY_RADIX,
    ANY_SPACE,
    ANY_CONVOLVE,
    ANY_CONV,
    ANY_FFT,
    ANY_NTT,
    ANY_PLAN,
    ANY_CERTIFICATE,
    ANY_TRIM,
    ANY_KINDS
};

const char *any_kind_name(enum any_kind kind);

/* any_next, any_below - random numbers: 64 bits, and 0 .. n-1. */
uint64_t any_next(struct any_caller *c);
size_t any_below(struct any_caller *c, size_t n);

/* any_options - random options of the CPU that fit together; threads 1 or 2. */
void any_options(struct any_caller *c, struct gfmul_options *opt);

/*
 * any_call - one call of this kind.
 *
 *   status  out  what it returned: GFMUL_OK also where a function has no status
 *
 * Value: NULL, or what is wrong: a result that was said to be right and is not.  The text is static.
 * The memory that it takes itself comes from `take`, which must not fail; all is given back by `give`.
 */
const char *any_call(struct any_caller *c, enum any_kind kind, enum gfmul_status *status);

extern void *(*any_take)(size_t bytes);
extern void (*any_give)(void *p);

#endif
