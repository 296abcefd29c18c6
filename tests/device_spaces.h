/*
 * device_spaces.h - spaces on an OpenCL device, and numbers there.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_TEST_DEVICE_SPACES_H
#define GFMUL_TEST_DEVICE_SPACES_H

#include <pthread.h>

#include "ocl/ocl_buffer.h"
#include "ocl/ocl_state.h"
#include "spaces.h"

/* Few lengths, because the kernels of each take seconds to compile on a processor. */
enum { SHORT_LIMBS = 2500, FAR_LIMBS = 9000 };

static bool device_primes; /* whether spaces are modulo primes */

/* device_spaces_begin - the beginning of a test program; whether there is a device that has spaces in both fields. */
TEST_UNUSED static bool device_spaces_begin(int argc, char **argv)
{
    const bool device = ocl_test_begin();
    test_begin(argc, argv);
    ocl_test_keep();
    return device && ocl_device_info(ocl_test_open())->fp64;
}

/* ctx_on_device - a context whose spaces are on a device. */
TEST_UNUSED static struct gfmul_ctx *ctx_on_device(enum gfmul_verify verify, int (*progress)(void *, double), void *arg)
{
    struct gfmul_ctx *ctx = TEST_CTX(.device = "gpu", .precision = device_primes ? GFMUL_PRECISION_PRIME : GFMUL_PRECISION_DOUBLE,
                                     .verify = verify, .threads = 2, .progress = progress, .progress_arg = arg);
    if (progress) {
        ctx->apart_limbs = 0; /* as ctx_stopped_by */
        ctx->tell_ns = 0;
    }
    ctx->planned_kept_limbs = 300; /* of the CPU's instruction set; which products a test has must not depend on that */
    if (test_tier(0, 1, 1) == 0) /* products without transforms are GMP's: the kernels of each length take seconds to compile */
        ctx->planned_mul_limbs = ctx->planned_sqr_limbs = ctx->vector_mul_limbs = ctx->vector_sqr_limbs = SIZE_MAX;
    return ctx;
}

/* device_machine - a space on the device, with places. */
TEST_UNUSED static struct machine device_machine(struct gfmul_ctx *ctx, size_t limbs, size_t max_products)
{
    struct machine m = machine_create(ctx, limbs, max_products);
    if (!TEST_CHECK_MSG(m.space->device, "the space is not on the device"))
        exit(1);
    test_note("%zu limbs, %zu products, %u bits", limbs, max_products, space_digit_bits(m.space));
    return m;
}

/* is_long - whether x y is made by the transforms of the space. */
TEST_UNUSED static bool is_long(const struct machine *m, const struct place *x, const struct place *y)
{
    const size_t a = mpz_size(x->want), b = mpz_size(y->want), most = m->limbs / 2 + 1, least = m->space->least_limbs;
    return a >= least && b >= least && a <= most && b <= most && a + b >= m->limbs / SPACE_SHORT_PART;
}

/* operand_of - a number on the device, with some zero limbs above it. */
TEST_UNUSED static struct gfmul_device_operand *operand_of(struct gfmul_ctx *ctx, mpz_srcptr a, size_t zeros)
{
    const size_t n = mpz_size(a);
    mp_limb_t *p = test_alloc((n + zeros + 1) * sizeof *p);
    struct gfmul_device_operand *op;
    memcpy(p, mpz_limbs_read(a), n * sizeof *p);
    memset(p + n, 0, zeros * sizeof *p);
    if (!TEST_OK(gfmul_device_operand_create(ctx, &op, n + zeros + 1)) || !TEST_OK(gfmul_device_operand_set(op, p, n + zeros)))
        exit(1);
    free(p);
    return op;
}

/* operand_is - whether a number on the device has this magnitude. */
TEST_UNUSED static void operand_is(const struct gfmul_device_operand *op, mpz_srcptr want)
{
    const size_t n = gfmul_device_operand_limbs(op);
    mp_limb_t *p = test_alloc((n + 1) * sizeof *p);
    mpz_t z;
    TEST_OK(gfmul_device_operand_get(op, p, n));
    TEST_CHECK(mpz_cmpabs(mpz_roinit_n(z, p, (mp_size_t)n), want) == 0);
    free(p);
}

/* memory_leave - the device has only so many bytes left.   Value: what it had. */
TEST_UNUSED static uint64_t memory_leave(struct ocl_device *d, size_t left)
{
    const uint64_t before = d->info.global_bytes, used = before - before / 16 - ocl_buffer_room(d);
    d->info.global_bytes = (used + left) / 15 * 16 + 64;
    return before;
}

#endif
