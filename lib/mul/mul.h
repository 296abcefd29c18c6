/*
 * mul.h - products of limbs and text within a call: the functions that the public ones end in.
 */
#ifndef GFMUL_MUL_H
#define GFMUL_MUL_H

#include "mul/engine.h"

/* An operand in text, as the caller gives it. */
struct text_argument {
    const char *text;
    size_t len;
    int base; /* 0: as its prefix says */
};

enum { TEXT_LIMB_CHARS = 16 }; /* about so many characters of text make a limb */

/* mul_text_scan - text_scan operand 0 or 1, and put its error into the report.   num out: end it with text_number_free */
enum gfmul_status mul_text_scan(struct call *call, struct text_number *num, int operand, const struct text_argument *argument);

/* Where a product in text goes. */
struct text_result {
    char *z;
    size_t size;
    size_t *len; /* may be NULL */
    int base;    /* 0: that of a */
};

/*
 * mul_text_short - gfmul_str_mul for short numbers in plain form whose product needs no plan.
 *
 * Arguments as there, sound, bases in 2..36.   False: nothing is stored; the general path makes the product or reports the error.
 */
bool mul_text_short(struct gfmul_ctx *ctx, const struct text_result *to, const struct text_argument *a,
                    const struct text_argument *b);

/*
 * mul_limbs - z = a * b by the engine that takes it.  Every public function of limbs ends here.
 *
 *   z       out  an + bn limbs, all written; overlaps neither a nor b
 *   verify  in   as product_make
 * Any sizes, including 0; high limbs may be zero; a == b with an == bn is a square.
 * Errors: those of gfmul_mul but ARGUMENT and OVERLAP.
 */
enum gfmul_status mul_limbs(struct call *call, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn,
                            bool verify);

/* mul_is_unplanned - whether a product of so many limbs needs no plan, but goes to the context's short_ops or to GMP. */
bool mul_is_unplanned(const struct gfmul_ctx *ctx, size_t an, size_t bn, bool square);

/* mul_is_by_vectors - whether an unplanned product, with n limbs in its shorter operand, goes to short_ops rather than GMP. */
static inline bool mul_is_by_vectors(const struct gfmul_ctx *ctx, size_t n, bool square)
{
    return n >= (square ? ctx->vector_sqr_limbs : ctx->vector_mul_limbs);
}

/*
 * mul_unplanned - z = a * b by short_ops or GMP; an, bn >= 1, in any order.   Value: who made it.
 *
 * Needs mul_is_unplanned.   Aliasing: z must not overlap a or b.
 */
enum unreported mul_unplanned(const struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                              size_t bn);

/* The arguments of gfmul_mul. */
struct limb_arguments {
    mp_limb_t *z;
    const mp_limb_t *a, *b;
    size_t an, bn;
};

/* limb_arguments_check - whether they are sound.   Errors: SIZE, ARGUMENT, OVERLAP. */
enum gfmul_status limb_arguments_check(struct call *call, const struct limb_arguments *of);

/*
 * mul_with_report - gfmul_mul with at most so many threads, and on one device.   report out: that of this very call, even if
 * other calls on the context end meanwhile.
 */
void mul_with_report(struct gfmul_ctx *ctx, const struct limb_arguments *of, unsigned threads, struct gfmul_report *report);

/* base_is_valid - whether numbers in text may have this base. */
static inline bool base_is_valid(int base)
{
    return base >= 2 && base <= 36;
}

/* A product to be foreseen.  Sizes are in any order: in limbs for base 0, and 0 is allowed; else in digits of text. */
struct foreseen {
    unsigned base;
    size_t an, bn;
    bool square; /* an == bn, one operand */
    struct foresight also;
};

/* mul_foresee_limbs - plan what mul_limbs would run, and perhaps prepare it.   mul_foresee_text - the same for gfmul_str_mul. */
enum gfmul_status mul_foresee_limbs(struct call *call, struct gfmul_plan_info *info, const struct foreseen *of);
enum gfmul_status mul_foresee_text(struct call *call, struct gfmul_plan_info *info, const struct foreseen *of);

/*
 * mul_mpz_begin - make an integer of zn >= 1 limbs, into which mpz_limbs_write lets a product be written.
 *
 *   product  out  made if the status is OK; end it with mul_mpz_end then
 * The limbs of an mpz_t must come from GMP's allocator, and GMP ends the process if that fails.  So this function first tries to
 * allocate as much memory itself.
 * Errors: SIZE, MEMORY.
 */
enum gfmul_status mul_mpz_begin(struct call *call, mpz_ptr product, size_t zn);

/* mul_mpz_end - if the status is OK, z becomes the product with its sign; else z keeps its value. */
void mul_mpz_end(struct call *call, mpz_ptr z, mpz_ptr product, size_t zn, bool negative, enum gfmul_status status);

#endif
