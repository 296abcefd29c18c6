/*
 * conv.h - internal declarations of the convolutions.
 *
 * Every kind is a linear convolution of blocks of a with b, whose results are added at their places.  Cyclic and negacyclic
 * convolutions fold places beyond n back, with their sign.  If numbers are real or complex and the length is smooth, they are
 * instead the convolution of a single transform.
 */
#ifndef GFMUL_CONV_H
#define GFMUL_CONV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gfmul_fft.h"
#include "stages/stage_ops.h"

enum conv_form { CONV_REAL, CONV_PLAIN, CONV_TURNED, CONV_ANGLE }; /* conv_float.c */

struct gfmul_conv {
    struct gfmul_conv_options opt;
    size_t bn, block; /* block: numbers of a in one transform */

    /* real, complex: spectrum of b, in the precision of the numbers */
    struct gfmul_fft *fft;
    enum conv_form form;
    size_t n; /* of the transform */
    void *spectrum, *weights;

    /* integers: a_pieces and b_pieces pieces of `bits` bits; spectra of b's pieces one after the other */
    struct plan *plan;
    unsigned bits, a_pieces, b_pieces;
    double bound; /* proved bound of the rounding error of one sum of products */
    double *spectra;

    struct conv_primes *primes; /* integers modulo primes: conv_prime.c */

    struct conv_device *device; /* NULL: the CPU; else fft is a transform on this device, for integers, too */
};

/* conv_real_bytes - bytes of one part of a real or complex number; 0: integers. */
static inline size_t conv_real_bytes(const struct gfmul_conv_options *opt)
{
    switch (opt->number) {
    case GFMUL_CONV_REAL:
    case GFMUL_CONV_COMPLEX:
        return sizeof(double);
    case GFMUL_CONV_REAL_FLOAT:
    case GFMUL_CONV_COMPLEX_FLOAT:
        return sizeof(float);
    case GFMUL_CONV_REAL_DD:
    case GFMUL_CONV_COMPLEX_DD:
        return 2 * sizeof(double);
    default:
        return 0;
    }
}

static inline bool conv_is_complex(const struct gfmul_conv_options *opt)
{
    return opt->number == GFMUL_CONV_COMPLEX || opt->number == GFMUL_CONV_COMPLEX_FLOAT || opt->number == GFMUL_CONV_COMPLEX_DD;
}

static inline bool conv_is_turned(const struct gfmul_conv *c)
{
    return c->form == CONV_TURNED || c->form == CONV_ANGLE;
}

/* conv_points - points of the spectrum, and of the memory that holds the data before and after the transform. */
static inline size_t conv_points(const struct gfmul_conv *c)
{
    return c->form == CONV_REAL ? c->n / 2 + 1 : c->n;
}

/* conv_has_words - whether results are integers of opt->words words. */
static inline bool conv_has_words(const struct gfmul_conv_options *opt)
{
    return opt->number == GFMUL_CONV_INT32 || opt->number == GFMUL_CONV_INT64 || opt->number == GFMUL_CONV_UINT64;
}

/* conv_alignment - alignment of the numbers in a sequence, and in a result. */
static inline size_t conv_alignment(const struct gfmul_conv_options *opt)
{
    return opt->number == GFMUL_CONV_INT32 || conv_real_bytes(opt) == sizeof(float) ? 4 : 8;
}

/* conv_number_bytes, conv_result_bytes - bytes of one number, and of one coefficient of the result. */
static inline size_t conv_number_bytes(const struct gfmul_conv_options *opt)
{
    const size_t real_bytes = conv_real_bytes(opt);
    return conv_is_complex(opt) ? 2 * real_bytes : real_bytes != 0 ? real_bytes : conv_alignment(opt);
}

static inline size_t conv_result_bytes(const struct gfmul_conv_options *opt)
{
    return conv_has_words(opt) ? opt->words * sizeof(uint64_t) : conv_number_bytes(opt);
}

/* conv_place - the place of coefficient k of the linear convolution, and whether it is subtracted there. */
static inline size_t conv_place(const struct gfmul_conv *c, size_t k, bool *minus)
{
    bool folded = c->opt.kind != GFMUL_CONV_LINEAR && k >= c->bn;
    *minus = folded && c->opt.kind == GFMUL_CONV_NEGACYCLIC;
    return folded ? k - c->bn : k;
}

/* conv_form_choose - set form, n (0: there is none) and block.  A transform holds 2 n numbers in form ANGLE, else n. */
void conv_form_choose(struct gfmul_conv *c);

/* conv_fft_options - the options of the transform that form and numbers need. */
void conv_fft_options(const struct gfmul_conv *c, struct gfmul_fft_options *opt);

/* conv_float_create, conv_float_run - for real and complex numbers; block is set.  z: must be zero; results are added. */
enum gfmul_status conv_float_create(struct gfmul_conv *c, const void *b);
enum gfmul_status conv_float_run(const struct gfmul_conv *c, void *z, const void *a, size_t an);

/*
 * conv_int_create, conv_int_run - for integers, exact.
 *
 *   a_bits  in   |a_i| <= 2^a_bits for all sequences to come; conv_int_bits of them, or of their type
 * Source: doc/error-bound.md, section 17.
 */
enum gfmul_status conv_int_create(struct gfmul_conv *c, const void *b, unsigned a_bits);
enum gfmul_status conv_int_run(const struct gfmul_conv *c, uint64_t *z, const void *a, size_t an);

/*
 * conv_int_pieces - set bits, a_pieces, b_pieces and bound to the widest pieces for which `bound` is below 1/2.
 *
 *   bound  in  computes c->bound from the other three;   arg is passed to it
 * Errors: PRECISION; those of conv_int_bits for b.
 */
typedef double conv_bound(const struct gfmul_conv *c, void *arg);
enum gfmul_status conv_int_pieces(struct gfmul_conv *c, const void *b, unsigned a_bits, conv_bound *bound, void *arg);

/* conv_int_bits - least bits with |a_i| <= 2^bits; those of the type if a is NULL.  ARGUMENT: a number not below the modulus. */
enum gfmul_status conv_int_bits(const struct gfmul_conv_options *opt, const void *a, size_t an, unsigned *bits);

/* conv_int_bound - bound of the rounding error for pieces of this many bits; see conv_int_create. */
double conv_int_bound(struct plan_shape *shape, unsigned bits, unsigned a_pieces, unsigned b_pieces, size_t an, size_t bn);

/*
 * conv_prime_create, conv_prime_run, conv_prime_destroy - for int64, uint64 and residues, exact.
 *
 *   a_bits  in   |a_i| <= 2^a_bits for all sequences to come; conv_prime_bits of them, or of their type if a is NULL
 *   once    in   a single sequence of at most c->block numbers will be convolved, while b stays valid
 * Errors: ARGUMENT: a number not below the modulus.  SIZE, MEMORY, PRECISION.   Source: doc/error-bound.md, section 22.
 */
enum gfmul_status conv_prime_create(struct gfmul_conv *c, const void *b, unsigned a_bits, bool once);
enum gfmul_status conv_prime_run(const struct gfmul_conv *c, uint64_t *z, const uint64_t *a, size_t an);
void conv_prime_destroy(struct gfmul_conv *c);
enum gfmul_status conv_prime_bits(const struct gfmul_conv_options *opt, const uint64_t *a, size_t an, unsigned *bits);

/*
 * conv_ocl_create, conv_ocl_run, conv_ocl_enqueue, conv_ocl_finish, conv_ocl_destroy - for all numbers but uint64, on a
 * device: see conv_int_create, gfmul_conv_run, gfmul_conv_enqueue.   block is set to the size that fills a transform.
 */
enum gfmul_status conv_ocl_create(struct gfmul_conv *c, const void *b, unsigned a_bits);
enum gfmul_status conv_ocl_run(const struct gfmul_conv *c, void *z, const void *a, size_t an);
enum gfmul_status conv_ocl_enqueue(const struct gfmul_conv *c, void *z, void *a, size_t an);
enum gfmul_status conv_ocl_finish(const struct gfmul_conv *c);
void conv_ocl_destroy(struct gfmul_conv *c);

#endif
