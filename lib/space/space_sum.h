/*
 * space_sum.h - the long products of a sum while they are made: their factors, in the order in which these are transformed.
 */
#ifndef GFMUL_SPACE_SUM_H
#define GFMUL_SPACE_SUM_H

#include "space/space.h"

/* Shares of the work that are done after all parts of the sum, and after the columns back. */
#define SHARE_SUM   0.8
#define SHARE_CARRY 0.95

/* A factor of the long products, and its spectrum under the plan that is tried. */
struct use {
    struct natural *x;
    size_t count; /* of its places in the sum */
    struct transform *t;
    bool passing; /* no spectrum has this value: its transform is not kept, so that it need not leave the cache */
    bool columns; /* t is not whole yet, and is not x's */
};

/* Terms are made in parts of up to PLAN_SUM_BLOCK with factors that pass, then all others together. */
struct long_sum {
    struct call *call;
    struct gfmul_space *space;
    unsigned plan;
    double *scratch;
    const struct term **term; /* the long ones; those with a factor that passes first, each kind by its sign */
    size_t n, n_passing;      /* of them, and of those with a factor that passes */
    struct use *use;          /* in the order of their addresses */
    size_t n_uses, n_noted;   /* n_noted: behind them, in no order yet */
    struct use *fresh;        /* behind the room of the list: for the noted ones that are new */
    struct spectra_product *product;
    struct spectra_columns *columns;
    struct transform spare[2 * PLAN_SUM_BLOCK]; /* of factors that pass, in double */
    size_t n_spare;                             /* in use */
    struct plan_sum sum;
};

/*
 * term_is_long - whether transforms of the space's length pay for a product.   Threads: pure.
 * term_is_multiple - whether it is a small multiple of a number on the space's device, made there without transforms:
 * natural_is_small is true of one factor, and natural_stays of the other, so long that it should not leave the device for this.
 */
bool natural_is_small(const struct natural *x);
bool natural_stays(const struct gfmul_space *space, const struct natural *x);
bool term_is_long(const struct gfmul_space *space, const struct term *t);
bool term_is_multiple(const struct gfmul_space *space, const struct term *t);

/*
 * sum_uses_bytes - of the list of the factors of so many products.   sum_uses_begin - an empty list in that memory.
 * sum_use_add - note a factor.   sum_uses_add - note those of the long products of s.   Errors: INTERRUPTED.
 * sum_uses_end - make the list of all that were noted.
 * sum_report_plan - the plan that is tried, into the report.
 */
size_t sum_uses_bytes(size_t terms);
void sum_uses_begin(struct long_sum *l, void *list, size_t terms);
enum gfmul_status sum_use_add(struct long_sum *l, struct natural *x);
enum gfmul_status sum_uses_add(struct long_sum *l, const struct sum *s);
void sum_uses_end(struct long_sum *l);
void sum_report_plan(const struct long_sum *l);

/* sum_judge - whether these figures prove the sum, in double; stats all zero: whether they may. */
bool sum_judge(const struct long_sum *l, const struct round_stats *stats);

/* use_of - the factor x of the sum.   Threads: pure. */
struct use *use_of(const struct long_sum *l, struct natural *x);

/* use_done - the transform is whole now, and kept unless it passes.   factors_forget - free transforms that are not whole. */
void use_done(const struct long_sum *l, struct use *use);
void factors_forget(struct long_sum *l);

/*
 * sum_room_limbs - room for the value of a sum, and for what comes back from a transform.
 * sum_value_sign - v from what came back under l's plan, in double: its magnitude and its sign.
 * sum_value_finish - add the rest of s to v, the value of its long products, and check it.   z out: a new reference
 * Errors: those of gfmul_mul; SIZE: the value is too long.
 */
size_t sum_room_limbs(const struct gfmul_space *space);
void sum_value_sign(const struct long_sum *l, struct value *v);
enum gfmul_status sum_value_finish(struct call *call, struct gfmul_space *space, struct integer *z, const struct sum *s,
                                   struct value *v);

/* value_add - add an integer of n limbs, high ones may be 0. */
void value_add(struct value *v, const mp_limb_t *a, size_t n, bool negative);

/*
 * products_add - add products of s one by one: the long ones, or the others.   Errors: those of gfmul_mul.
 * products_pay - whether that is faster for the long ones, of which there are some: if no transform of theirs would be kept.
 */
enum gfmul_status products_add(struct call *call, const struct gfmul_space *space, const struct sum *s, bool are_long,
                               struct value *v);
bool products_pay(const struct long_sum *l, const struct sum *s);

/*
 * The steps of sum_evaluate and sums_evaluate in a space without halves.
 *
 * sum_on_device - sum_evaluate on the space's device, if some of the sum is there or is better made there: the value stays there.
 *                 there out: false: it is for the host, or the device has no memory for it
 * sum_long_products - add up the long products of s on the host; v is 0 before.
 * sums_block - one try of sums_evaluate, for sums that sums_together admits.   Errors: MEMORY: fewer sums may be possible.
 * Errors: those of sum_evaluate and sums_evaluate.
 */
enum gfmul_status sum_on_device(struct call *call, struct gfmul_space *space, struct integer *z, const struct sum *s,
                                bool *there);
enum gfmul_status sum_long_products(struct call *call, struct gfmul_space *space, const struct sum *s, struct value *v);
enum gfmul_status sums_block(struct call *call, struct gfmul_space *space, struct sum *const *s, size_t n, size_t columns);

/*
 * prime_sum_make - the long products of a sum modulo primes (space_primes.c).   Transforms of factors that do not pass are kept.
 *
 *   z         out  the magnitude: plan_wrap_ring() limbs, with room for one more
 *   negative  out  its sign
 * Errors: INTERRUPTED, MEMORY.
 */
enum gfmul_status prime_sum_make(struct long_sum *l, mp_limb_t *z, bool *negative);

/*
 * prime_sums_make - the long products of n sums side by side, modulo primes.   Transforms of their factors are kept.
 *
 *   l     i/o  the factors of all sums; none passes
 *   x     out  space_doubles() for each sum
 *   z     out  as for prime_sum_make, for one sum after the other
 *   take  in   called with the number of the sum whose magnitude is in z, and its sign; its error ends the call
 * Errors: INTERRUPTED, MEMORY, those of take.
 */
typedef enum gfmul_status prime_value(void *arg, size_t k, bool negative);
enum gfmul_status prime_sums_make(struct long_sum *l, struct sum *const *s, size_t n, double *x, mp_limb_t *z, prime_value *take,
                                  void *arg);

#endif
