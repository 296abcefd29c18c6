/*
 * mul_verify.h - is a product right: residues modulo random primes, or GMP's product.
 */
#ifndef GFMUL_MUL_VERIFY_H
#define GFMUL_MUL_VERIFY_H

#include "mul/ctx.h"
#include "mul/product.h"

/*
 * mul_verify.c: product_verify_room - whether the check of a product will have room, beside so many bytes that will have been
 * allocated.   Errors: MEMORY.
 */
enum gfmul_status product_verify_room(struct call *call, const struct product *p, size_t held);
/* product_verify - VERIFY when the product is wrong.  Reads ctx->opt.verify.  Text: leading zeros of z are allowed. */
enum gfmul_status product_verify(struct call *call, const struct product *p);
/* product_residues - the residue check alone, whatever the options say, by the primes that call_moduli has chosen. */
enum gfmul_status product_residues(struct call *call, const struct product *p);

/*
 * mul_residues_agree - whether z = a b modulo each prime of the call; all go into the report.
 * Value: the first prime's number where they differ; call->n_moduli: they agree.
 */
unsigned mul_residues_agree(struct call *call, const uint64_t *z, const uint64_t *a, const uint64_t *b);
/* mul_residues_compare - the same.   Errors: VERIFY, with a detail. */
enum gfmul_status mul_residues_compare(struct call *call, const uint64_t *z, const uint64_t *a, const uint64_t *b);

/* A number whose residues are taken part by part. */
struct beside_number {
    const mp_limb_t *p;
    size_t n, taken; /* limbs; the residues are those of the first `taken` */
    uint64_t residue[RESIDUE_PRIMES_MAX];
};
/* A product whose check runs beside it. */
struct mul_beside {
    struct beside_number z, a, b;
    bool square; /* b's residues are a's */
};

/*
 * mul_beside.c: the same check beside a device's work.  begin, with the operands; work, a part of their residues, whenever there
 * is time; operands, what is left of them; arrived, as parts of the product do; check, when it is there.  Its end is that
 * call->beside becomes NULL, whatever came of it.
 *
 *   p          in   of limbs in host memory, as long as the call; call_moduli has chosen the primes
 *   arg        in   the call.  words: words of 32 bits of z that are in host memory, from its start on; 0: a product begins, and
 *                   what came before counts no more, as after mul_beside_forget
 * Returns, work: false where nothing is left.   Threads: of the call.   Errors of check: VERIFY, with a detail.
 */
void mul_beside_begin(struct call *call, struct mul_beside *r, const struct product *p);
bool mul_beside_work(void *arg);
void mul_beside_operands(struct call *call);
void mul_beside_forget(struct call *call);
void mul_beside_arrived(void *arg, size_t words);
enum gfmul_status mul_beside_check(struct call *call);

/* Products of this many limbs find their numbers in memory, no longer in a cache, when they are checked. */
enum { MUL_MEMORY_LIMBS = 1 << 18 };

/* mul_residues - a number of an limbs modulo the primes of the call.   r out: one each; in_memory as residue_limbs. */
void mul_residues(struct call *call, uint64_t *r, const mp_limb_t *a, size_t an, bool in_memory);

#endif
