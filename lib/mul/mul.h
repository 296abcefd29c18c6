/*
 * mul.h - products of limbs and text within a call: what the public functions end in.
 */
#ifndef GFMUL_MUL_H
#define GFMUL_MUL_H

#include "mul/engine.h"

/* An operand as a caller gives it in text. */
struct text_argument {
    const char *text;
    size_t len;
    int base; /* 0: as its prefix says */
};

/* mul_text_scan - text_scan of operand 0 or 1, with its error put into the report.   num out: end it with text_number_free. */
enum gfmul_status mul_text_scan(struct call *call, struct text_number *num, int operand, const struct text_argument *argument);

/* Where a product in text goes. */
struct text_result {
    char *z;
    size_t size;
    size_t *len; /* may be NULL */
    int base;    /* 0: that of a */
};

/*
 * mul_text_short - gfmul_str_mul of short numbers in plain form, where the product is GMP's.
 *
 * Arguments as there, sound, bases in 2..36.   False: nothing is stored, and the long way finds out what is the matter.
 */
bool mul_text_short(struct gfmul_ctx *ctx, const struct text_result *to, const struct text_argument *a,
                    const struct text_argument *b);

/*
 * mul_limbs - z = a * b by the engine that takes it: what every public function of limbs ends in.
 *
 *   z       out  an + bn limbs, all written; overlaps neither a nor b
 *   verify  in   as product_make
 * Any sizes, 0 included, and high limbs that are zero; a == b with an == bn is a square.
 * Errors: those of gfmul_mul but ARGUMENT and OVERLAP.
 */
enum gfmul_status mul_limbs(struct call *call, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn,
                            bool verify);

/* mul_is_unplanned - whether a product of so many limbs is left to the context's short_ops or to GMP. */
bool mul_is_unplanned(const struct gfmul_ctx *ctx, size_t an, size_t bn, bool square);

/* mul_is_by_vectors - which of them, if it is: whether its shorter operand, of n limbs, is long enough for short_ops. */
static inline bool mul_is_by_vectors(const struct gfmul_ctx *ctx, size_t n, bool square)
{
    return n >= (square ? ctx->vector_sqr_limbs : ctx->vector_mul_limbs);
}

/*
 * mul_unplanned - z = a * b by the one of the two that makes it; an, bn >= 1, in any order.   Value: which one it was.
 *
 * Only where mul_is_unplanned.   Aliasing: z must not overlap a or b.
 */
enum unreported mul_unplanned(const struct gfmul_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                              size_t bn);

/* Limbs as a caller of gfmul_mul gives them. */
struct limb_arguments {
    mp_limb_t *z;
    const mp_limb_t *a, *b;
    size_t an, bn;
};

/* limb_arguments_check - whether they make a product.   Errors: SIZE, ARGUMENT, OVERLAP. */
enum gfmul_status limb_arguments_check(struct call *call, const struct limb_arguments *of);

/*
 * mul_with_report - gfmul_mul by at most so many threads, whatever OpenMP has for the calling one, with the report of that very
 * call, whatever others do.   report out.
 */
void mul_with_report(struct gfmul_ctx *ctx, const struct limb_arguments *of, unsigned threads, struct gfmul_report *report);

/* base_is_valid - of numbers in text. */
static inline bool base_is_valid(int base)
{
    return base >= 2 && base <= 36;
}

/* A product that is foreseen: sizes in any order.   base 0: in limbs, 0 allowed; else in digits of text. */
struct foreseen {
    unsigned base;
    size_t an, bn;
    bool square; /* an == bn, one operand */
    struct foresight also;
};

/* mul_foresee_limbs - what mul_limbs would run, and perhaps what it takes.   mul_foresee_text - the same of gfmul_str_mul. */
enum gfmul_status mul_foresee_limbs(struct call *call, struct gfmul_plan_info *info, const struct foreseen *of);
enum gfmul_status mul_foresee_text(struct call *call, struct gfmul_plan_info *info, const struct foreseen *of);

/*
 * mul_mpz_begin - an integer of zn >= 1 limbs for a product to be written to by mpz_limbs_write.
 *
 *   product  out  made where the status is OK, and then ended by mul_mpz_end
 * The limbs come from GMP's allocator, as those of every mpz_t must; GMP ends the process where that fails, so memory is
 * tried for before it is asked.
 * Errors: SIZE, MEMORY.
 */
enum gfmul_status mul_mpz_begin(struct call *call, mpz_ptr product, size_t zn);

/* mul_mpz_end - where the status is OK, z becomes the product, with its sign; else z keeps its value. */
void mul_mpz_end(struct call *call, mpz_ptr z, mpz_ptr product, size_t zn, bool negative, enum gfmul_status status);

#endif
