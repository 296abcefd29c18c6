/*
 * gfmul_mpi.h - exact products and convolutions of numbers that are distributed over the ranks of MPI.
 *
 * Copyright (C) 2026 the gfmul authors.  SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A number of n limbs lies in blocks.  Rank r of `size` has the limbs from floor(n r / size) to floor(n (r + 1) / size) - 1, the
 * least significant first.  So blocks differ by at most one limb, and are empty if there are more ranks than limbs.  Words of
 * another base than 2^64 lie in the same way.
 *
 * Products are transforms modulo three primes of 62 bits, which are exact.  Residues modulo a random prime check each product.
 *
 *   collective  All ranks of the communicator make each call, with the same lengths, options and modulus.
 *   errors      All ranks return the same status, and no output is written unless it is OK.  A status is agreed on before data
 *               is sent, so a rank that lacks memory or has a wrong argument does not leave others waiting.
 *               Exception: if MPI itself fails, its error handler decides.  By default that ends all ranks.  If the handler
 *               of the communicator returns, the call returns DEVICE; then call MPI_Abort, because other ranks may be waiting.
 *               The library never prints, exits or aborts.
 *   threads     Only the thread that calls makes calls of MPI.  Two calls on one context must not run at once.
 */
#ifndef GFMUL_MPI_H
#define GFMUL_MPI_H

#include <gfmul.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gfmul_mpi_ctx;

/*
 * gfmul_mpi_options - the options of a context.  Fill it with gfmul_mpi_options_init, then change fields.
 *
 *   threads      of each rank, 1 .. 1024.  0: one.  Several need MPI_THREAD_FUNNELED; without it, each rank has one.
 *   verify       MOD (the default): check each product modulo a random prime of 58 bits.  NONE: do not.  Other values are
 *                ARGUMENT.  Convolutions are never checked.
 *   digit_bytes  of digits in transforms of limbs, 2 .. 10.  0: as many as the primes allow; others are for tests.
 */
struct gfmul_mpi_options {
    size_t struct_bytes; /* set by gfmul_mpi_options_init; allows new fields */
    unsigned threads;
    enum gfmul_verify verify;
    unsigned digit_bytes;
};

/* gfmul_mpi_options_init - set the defaults: one thread, checks.   opt  out. */
GFMUL_API void gfmul_mpi_options_init(struct gfmul_mpi_options *opt);

/*
 * gfmul_mpi_ctx_create - make a context.  Collective.
 *
 *   ctx   out  the context, NULL on failure; end it with gfmul_mpi_ctx_destroy
 *   comm  in   an intracommunicator, which is duplicated with its error handler.  MPI is initialised
 *   opt   in   options, or NULL for the defaults
 *
 * Errors:   ARGUMENT: also more than 2^20 ranks.  MEMORY, DEVICE.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mpi_ctx_create(struct gfmul_mpi_ctx **ctx, MPI_Comm comm,
                                                                  const struct gfmul_mpi_options *opt);

/* gfmul_mpi_ctx_destroy - free a context, before MPI_Finalize.  Collective.  NULL is allowed, on all ranks. */
GFMUL_API void gfmul_mpi_ctx_destroy(struct gfmul_mpi_ctx *ctx);

/*
 * gfmul_mpi_first, gfmul_mpi_count - a rank's block of n limbs.
 *
 *   n     in   limbs, or numbers of a convolution
 *   size  in   ranks, at least 1
 *   rank  in   0 .. size - 1;  gfmul_mpi_first also takes size, and then returns n
 *
 * Value:    the index of its first limb, and how many it has.
 */
GFMUL_API size_t gfmul_mpi_first(size_t n, int size, int rank);
GFMUL_API size_t gfmul_mpi_count(size_t n, int size, int rank);

/*
 * gfmul_mpi_mul - z = a b.  Collective.
 *
 *   z   out  this rank's block of an + bn limbs
 *   a   in   this rank's block of an limbs, an >= 0
 *   b   in   this rank's block of bn limbs, bn >= 0
 *
 * Cost:     If a and b are the same block on all ranks, b is not transformed.  Tables are kept for the next product of a similar
 *           size.  The transform moves each operand's limbs once, its residues once, and those of the product once.
 * Aliasing: a may be b.  z overlaps neither.  A pointer to an empty block may be NULL.
 * Errors:   ARGUMENT: also lengths that differ between ranks.  OVERLAP, SIZE, MEMORY, VERIFY, DEVICE, INTERNAL.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mpi_mul(struct gfmul_mpi_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an,
                                                           const mp_limb_t *b, size_t bn);

/*
 * gfmul_mpi_mul_words - z = a b for numbers in words of another base, such as 10^18.  Collective.
 *
 *   z     out  this rank's block of an + bn words below base
 *   a     in   this rank's block of an words below base, an >= 0
 *   b     in   this rank's block of bn words below base, bn >= 0
 *   base  in   2^32 .. 2^63
 *
 * So text of a base B is multiplied without being converted: a word is some digits of it, and its base is a power of B.
 * Cost, aliasing, errors: as above.  ARGUMENT: also a word that is not below base.  SIZE: also if both have `base` words or more.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mpi_mul_words(struct gfmul_mpi_ctx *ctx, uint64_t *z, const uint64_t *a,
                                                                 size_t an, const uint64_t *b, size_t bn, uint64_t base);

/*
 * gfmul_mpi_convolve - z_k = the sum of x_i y_(k - i) modulo m.  Collective.
 *
 *   z   out  this rank's block of xn + yn - 1 numbers below m
 *   x   in   this rank's block of xn numbers below m, xn >= 1
 *   y   in   this rank's block of yn numbers below m, yn >= 1
 *   m   in   the modulus, 1 .. 2^63
 *
 * Cost, aliasing, errors: as above.  ARGUMENT: also a number that is not below m.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_mpi_convolve(struct gfmul_mpi_ctx *ctx, uint64_t *z, const uint64_t *x,
                                                                size_t xn, const uint64_t *y, size_t yn, uint64_t m);

#ifdef __cplusplus
}
#endif

#endif
