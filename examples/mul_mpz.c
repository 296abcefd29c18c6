/*
 * mul_mpz.c - multiply two integers with gfmul_mpz_mul, and say how it was done.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Build:  cc mul_mpz.c -o mul_mpz $(pkg-config --cflags --libs gfmul)
 */
#include <gfmul.h>
#include <stdio.h>

int main(void)
{
    mpz_t a, b, z;
    mpz_inits(a, b, z, NULL);
    mpz_ui_pow_ui(a, 7, 500000); /* 422,550 digits */
    mpz_ui_pow_ui(b, 11, 400000);

    struct gfmul_ctx *ctx;
    enum gfmul_status status = gfmul_ctx_create(&ctx, NULL);
    if (status == GFMUL_OK)
        status = gfmul_mpz_mul(ctx, z, a, b);
    if (status == GFMUL_OK) {
        struct gfmul_report report;
        gfmul_ctx_report(ctx, &report);
        /* precision "prime": nothing is rounded, and the bound is 0 */
        printf("%zu bits, engine %s, precision %s, %.1f ms, error bound %.3g\n", mpz_sizeinbase(z, 2), report.plan.engine,
               report.plan.precision, 1e-6 * (double)report.total_ns, report.plan.bound);
    } else {
        fprintf(stderr, "mul_mpz: %s\n", gfmul_strerror(status));
    }
    gfmul_ctx_destroy(ctx);
    mpz_clears(a, b, z, NULL);
    return status == GFMUL_OK ? 0 : 1;
}
