/*
 * mul_verify.h - check a product: by residues modulo random primes, or against GMP's product.
 */
#ifndef GFMUL_MUL_VERIFY_H
#define GFMUL_MUL_VERIFY_H

#include "mul/ctx.h"
#include "mul/product.h"

/*
 * mul_verify.c: product_verify_room - whether the check of a product will have room, in addition to `held` bytes that will be
 * allocated by then.   Errors: MEMORY.
 */
enum gfmul_status product_verify_room(struct call *call, const struct product *p, size_t held);
/* product_verify - check the product as ctx->opt.verify says; z in text may have leading zeros.   Errors: VERIFY if wrong. */
enum gfmul_status product_verify(struct call *call, const struct product *p);
/* product_residues - the residue check alone, whatever the options say, with the primes that call_moduli has chosen. */
enum gfmul_status product_residues(struct call *call, const struct product *p);

/*
 * mul_residues_agree - whether z = a b modulo each of n primes, those of the call or others; all residues go into the report.
 * Value: the index of the first prime modulo which they differ; n: they agree.
 */
unsigned mul_residues_agree(struct call *call, const struct residue_modulus *moduli, unsigned n, const uint64_t *z,
                            const uint64_t *a, const uint64_t *b);
/* mul_residues_compare - the same.   Errors: VERIFY, with a detail. */
enum gfmul_status mul_residues_compare(struct call *call, const struct residue_modulus *moduli, unsigned n, const uint64_t *z,
                                       const uint64_t *a, const uint64_t *b);

/* A number whose residues are computed part by part. */
struct beside_number {
    const mp_limb_t *p;
    size_t n, taken; /* limbs; the residues are those of the first `taken` */
    uint64_t residue[RESIDUE_PRIMES_MAX];
};
/* A product whose residue check runs while a device makes it. */
struct mul_beside {
    struct beside_number z, a, b;
    bool square; /* b's residues are a's */
};

/*
 * mul_beside.c: the same check while a device works.
 *   begin     start with the operands; the caller ends it by setting call->beside to NULL, even after an error
 *   work      compute a part of the operands' residues, whenever there is time; false: nothing is left
 *   operands  compute the rest of them
 *   arrived   extend the product's residues as parts of it arrive;  forget: drop them
 *   check     compare, once the product is complete
 *
 *   p          in   of limbs in host memory that lives as long as the call; call_moduli has chosen the primes
 *   arg        in   the call.  words: words of 32 bits of z that are in host memory, from its start on; 0: a new product begins,
 *                   as after mul_beside_forget
 * Threads: those of the call.   Errors of check: VERIFY, with a detail.
 */
void mul_beside_begin(struct call *call, struct mul_beside *r, const struct product *p);
bool mul_beside_work(void *arg);
void mul_beside_operands(struct call *call);
void mul_beside_forget(struct call *call);
void mul_beside_arrived(void *arg, size_t words);
enum gfmul_status mul_beside_check(struct call *call);

/* From this many limbs on, a product's numbers have left the cache by the time they are checked. */
enum { MUL_MEMORY_LIMBS = 1 << 18 };

/* mul_residues - reduce a number of an limbs modulo the primes of the call.   r out: one for each; in_memory as residue_limbs */
void mul_residues(struct call *call, uint64_t *r, const mp_limb_t *a, size_t an, bool in_memory);

#endif
