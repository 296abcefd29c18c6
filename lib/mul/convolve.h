/*
 * convolve.h - the pipeline on the CPU, within memory that has been taken: convolve.c.
 */
#ifndef GFMUL_CONVOLVE_H
#define GFMUL_CONVOLVE_H

#include "mul/engine.h"
#include "plan/prime_table.h"

/* The memory of one product, from the context's pool; a member that the plan does not need is NULL. */
struct workspace {
    double *x;                   /* a buffer of the plan */
    double *y;                   /* one for each cell of b */
    bool together;               /* y is behind x, in its block */
    double *a;                   /* one for each cell of a, where b has several cells and is not a: else b's are a's */
    double *scratch;             /* of all threads: see struct stage_ops */
    mp_limb_t *tail_limbs;       /* what a sum of a grid has in common with the next one, where there are several */
    int64_t *tail_in, *tail_out; /* text: coefficients that overlap the next sum; double-double: of 128 bits */
};

/* workspace_get - all of it, or an error; *work was zero; end it with workspace_put in either case.   Errors: MEMORY. */
enum gfmul_status workspace_get(struct call *call, const struct plan_shape *s, const struct product *p, struct workspace *work);
void workspace_put(struct call *call, struct workspace *work);

/* scratch_get - of all threads; NULL where the plan needs none. */
enum gfmul_status scratch_get(struct call *call, const struct plan_shape *s, double **scratch);

/* grid_set - as many cells as the operands of p fill: one where they are no longer than those that the plan is made for. */
void grid_set(struct plan_shape *s, const struct product *p);

/* The memory of a product modulo primes, from the context's pool; a member that the plan does not need is NULL. */
struct prime_workspace {
    void *x[PRIME_COUNT]; /* what becomes the residues of the product, for each prime */
    /* for the other operand, modulo the prime under way; of a square, or where the product lends it: NULL.  In halves, for the
       product modulo x^n + 1 as well */
    void *y;
    void *scratch, *tables, *tails;
};

/* What a product on the CPU holds. */
struct cpu_lease {
    const struct cpu_pipeline *pipeline; /* that took it */
    struct plan_lease tables; /* the stages of this call announce their parts to its callback.  Primes: the plan alone */
    struct workspace work;
    struct prime_workspace residues;
    void *quotient; /* of a product that wraps around: mul_wrap's */
};

/*
 * The pipeline of a field on the CPU.
 *
 *   take      all memory of the attempt's product, whose sizes the plan has counted; the members of l are zero.   Errors: MEMORY
 *   convolve  the product, or what it is modulo 2^K + plan_field's wraps; sets t->proved.   Errors: INTERRUPTED, MEMORY
 *   give      the lease back, after errors as well
 */
struct cpu_pipeline {
    enum gfmul_status (*take)(struct attempt *t, struct cpu_lease *l);
    enum gfmul_status (*convolve)(struct attempt *t, struct cpu_lease *l);
    void (*give)(struct attempt *t, struct cpu_lease *l);
};

extern const struct cpu_pipeline cpu_pipeline_primes; /* convolve_primes.c */

/* A kept spectrum of engine cpu. */
struct cpu_spectrum {
    struct spectrum head;
    struct plan_lease lease;
    double *points;
    struct digit_norms norms; /* of the operand's digits */
};

/* mul_add_slice - z += the signed number of sn limbs, modulo 2^(64 zn). */
void mul_add_slice(mp_limb_t *z, size_t zn, const mp_limb_t *slice, size_t sn);

/*
 * spectrum_keep - the spectrum of an operand that others are multiplied with.
 *
 *   work   i/o  its scratch is used, its y is the spectrum out
 *   norms  out  the operand's energies
 * Errors: INTERRUPTED.
 */
enum gfmul_status spectrum_keep(struct call *call, const struct plan *plan, struct workspace *work, const struct number *b,
                                struct digit_norms *norms);

/*
 * convolve - z = a b by one plan: whole, or by the cells of its grid; b's spectrum may be kept.
 *
 *   fits  out  false where what was measured is too large; then z has no meaning.   The report has the bound
 * Errors: INTERRUPTED, MEMORY.
 */
enum gfmul_status convolve(struct call *call, const struct plan *plan, struct workspace *work, const struct product *p,
                           bool *fits);

#endif
