/*
 * convolve.h - the pipeline on the CPU (convolve.c, convolve_primes.c) and the memory that it works in.
 */
#ifndef GFMUL_CONVOLVE_H
#define GFMUL_CONVOLVE_H

#include "mul/engine.h"
#include "prime/prime_ops.h"

/* The memory of one product, from the context's pool; a member that the plan does not need is NULL. */
struct workspace {
    double *x;                   /* a buffer of the plan */
    double *y;                   /* one for each cell of b */
    bool together;               /* y follows x in one block of the pool */
    double *a;                   /* one for each cell of a, if b has several cells; NULL for a square, which uses y */
    double *scratch;             /* of all threads: see struct stage_ops */
    mp_limb_t *tail_limbs;       /* the limbs in which a sum of a grid overlaps the next one; NULL if there is only one */
    int64_t *tail_in, *tail_out; /* text: coefficients that overlap the next sum; in double-double they have 128 bits */
};

/* workspace_get - take all of it.  *work is zero before; call workspace_put in any case, after an error too.   Errors: MEMORY. */
enum gfmul_status workspace_get(struct call *call, const struct plan_shape *s, const struct product *p, struct workspace *work);
void workspace_put(struct call *call, struct workspace *work);

/* scratch_get - the scratch memory of all threads; NULL if the plan needs none. */
enum gfmul_status scratch_get(struct call *call, const struct plan_shape *s, double **scratch);

/* grid_set - set how many cells the operands of p fill.  It is one if they are no longer than the plan's operands. */
void grid_set(struct plan_shape *s, const struct product *p);

/* The memory of a product modulo primes, from the context's pool; a member that the plan does not need is NULL. */
struct prime_workspace {
    void *x[PRIME_COUNT]; /* for each prime: one operand, then the residues of the product */
    /* the other operand modulo the current prime.  NULL for a square, or if the product lends its limbs for it.  If the product
       is made in halves, also the product modulo x^n + 1 */
    void *y;
    void *scratch, *tables, *tails;
};

/* All that a product on the CPU holds. */
struct cpu_lease {
    const struct cpu_pipeline *pipeline; /* the pipeline that took the lease and gives it back */
    struct plan_lease tables; /* with the monitor of this call, which its stages report to.  Primes: a plan without an entry */
    struct workspace work;
    struct prime_workspace residues;
    void *quotient; /* mul_wrap's, if the product wraps around */
};

/*
 * The pipeline of a field on the CPU.
 *
 *   take      take all memory of the attempt's product, as the plan counted it; the members of l are zero.   Errors: MEMORY
 *   convolve  make the product, or the product modulo 2^K + plan_field's wraps; sets the outcome.   Errors: INTERRUPTED, MEMORY
 *   give      give the lease back, after errors as well
 *   keep      get the tables and the memory of a spectrum, and transform b into it; its lease has the shape, the rest is zero.
 *             Errors: INTERRUPTED, MEMORY; what was taken until then is in x
 */
struct cpu_spectrum;
struct cpu_pipeline {
    enum gfmul_status (*take)(struct attempt *t, struct cpu_lease *l);
    enum gfmul_status (*convolve)(struct attempt *t, struct cpu_lease *l);
    void (*give)(struct attempt *t, struct cpu_lease *l);
    enum gfmul_status (*keep)(struct call *call, struct cpu_spectrum *x, const struct number *b);
};

extern const struct cpu_pipeline cpu_pipeline_primes; /* convolve_primes.c */

/*
 * residues_to_limbs - join the residues modulo a plan's primes into limbs part by part, then add the carries between parts.
 *
 *   x      in   for each prime: residues scaled by prime_scale_join
 *   tails  out  prime_join_parts() * PRIME_TAIL_LIMBS limbs
 *   z      out  all limbs.  Only if they exceed the digits by PRIME_TAIL_LIMBS, they have what lies above the digits
 *
 * residues_to_ring - the same of a product modulo x^n - 1 or, if the plan is turned, x^n + 1: modulo 2^K - 1 or 2^K + 1.
 *
 *   z      out  prime_ring_limbs() limbs, 0 to 2^K - 1; turned: one more, 0 to 2^K
 */
void residues_to_limbs(struct call *call, const struct plan *plan, double *const *x, void *tails, const struct number *z);
void residues_to_ring(struct call *call, const struct plan *plan, double *const *x, void *tails, mp_limb_t *z);

/* A kept spectrum of engine cpu. */
struct cpu_spectrum {
    struct spectrum head;
    struct plan_lease lease;    /* primes: a plan without an entry */
    struct idle_buffer points;  /* doubles.  Primes: a buffer for each prime, then the tables of each */
    struct digit_norms norms;   /* of the operand's digits */
    struct prime_tables *table; /* of each prime; else NULL */
};

/* mul_add_signed - z += the signed number of xn limbs, modulo 2^(64 zn). */
void mul_add_signed(mp_limb_t *z, size_t zn, const mp_limb_t *x, size_t xn);

/*
 * spectrum_keep - make the spectrum of an operand that many others will be multiplied with.
 *
 *   work   i/o  its scratch is used, its y is the spectrum out
 *   norms  out  the operand's energies
 * Errors: INTERRUPTED.
 */
enum gfmul_status spectrum_keep(struct call *call, const struct plan *plan, struct workspace *work, const struct number *b,
                                struct digit_norms *norms);

/*
 * convolve - z = a b by one plan: in one transform, or cell by cell of its grid; b's spectrum may be kept.
 *
 *   fits  out  false: the measured figures are too large, and z has no meaning.   The report has the bound
 * Errors: INTERRUPTED, MEMORY.
 */
enum gfmul_status convolve(struct call *call, const struct plan *plan, struct workspace *work, const struct product *p,
                           bool *fits);

#endif
