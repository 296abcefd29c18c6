/*
 * fuzz_certificate.c - fuzz target: certificates of products.  Their form, their lines against the report, their residues
 * against GMP's, and what is left of them in a buffer that is too small.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#include "../operands.h"
#include "../reference.h"

enum { LIMBS = 120, MANY_LIMBS = 3000, CHARS = 400, TEXT_BYTES = 1 << 15 };

/* line_find - the value of the first line with a key behind `from`, or NULL. */
static const char *line_find(const char *from, const char *key)
{
    const size_t n = strlen(key);
    for (const char *line = from; line != NULL && *line != '\0';) {
        if (strncmp(line, key, n) == 0 && line[n] == ':')
            return line + n + 2;
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return NULL;
}

static bool line_is(const char *text, const char *key, const char *value)
{
    const char *line = line_find(text, key);
    return line != NULL && strncmp(line, value, strlen(value)) == 0 && line[strlen(value)] == '\n';
}

/* form_check - printable lines, the first and the last one, and the checksum. */
static void form_check(const char *text, size_t len)
{
    static const char first[] = "gfmul certificate 1\n";
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    char last[64];
    FUZZ_CHECK(len > 0 && strlen(text) == len && strncmp(text, first, sizeof first - 1) == 0, "\"%.40s\"", text);
    const char *checksum = line_find(text, "checksum");
    FUZZ_CHECK(checksum != NULL, "no checksum");
    for (const char *p = text; p < checksum - strlen("checksum: "); p++) {
        FUZZ_CHECK(*p == '\n' || (*p >= ' ' && *p <= '~'), "byte %d", *p);
        h = (h ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    }
    snprintf(last, sizeof last, "%016" PRIx64 "\n", h);
    FUZZ_CHECK(strcmp(checksum, last) == 0, "checksum %s", checksum);
}

/* residues_check - of all lines: those of the numbers, modulo primes that are distinct. */
static void residues_check(const char *text, const struct gfmul_report *r, const mpz_t a, const mpz_t b, const mpz_t z)
{
    const char *line = text;
    uint64_t seen[GFMUL_RESIDUES_MAX];
    unsigned n = 0;
    while ((line = line_find(line, "residues")) != NULL) {
        unsigned long x, y, product, p;
        const int words = sscanf(line, "%lu %lu %lu modulo %lu\n", &x, &y, &product, &p);
        FUZZ_CHECK(n < GFMUL_RESIDUES_MAX && words == 4, "line %s", line);
        FUZZ_CHECK(p == r->residue[n].prime && mpz_fdiv_ui(a, p) == x && mpz_fdiv_ui(b, p) == y && mpz_fdiv_ui(z, p) == product,
                   "residues modulo %lu", p);
        mpz_t prime;
        mpz_init_set_ui(prime, p);
        FUZZ_CHECK(mpz_probab_prime_p(prime, 20) != 0, "%lu is no prime", p);
        mpz_clear(prime);
        for (unsigned i = 0; i < n; i++)
            FUZZ_CHECK(seen[i] != p, "one prime twice");
        seen[n++] = p;
    }
    FUZZ_CHECK(n == r->n_residues && n >= 2, "%u residues, the report has %u", n, r->n_residues);
}

/* cut_check - in a buffer of any size the text begins as it does in a large one. */
static void cut_check(struct fuzz_input *in, struct gfmul_ctx *ctx, const char *text, size_t len)
{
    const size_t size = fuzz_below(in, len + 3), kept = size == 0 ? 0 : size <= len ? size - 1 : len;
    char *part = fuzz_alloc(size);
    FUZZ_CHECK(gfmul_ctx_certificate(ctx, part, size) == len, "the length of a text that is cut off at %zu", size);
    FUZZ_CHECK(size == 0 || (memcmp(part, text, kept) == 0 && part[kept] == '\0'), "cut off at %zu", size);
    free(part);
}

static void certificate_check(struct fuzz_input *in, struct gfmul_ctx *ctx, const mpz_t a, const mpz_t b, bool square)
{
    static char text[TEXT_BYTES];
    struct gfmul_report r;
    mpz_t z;
    mpz_init(z);
    mpz_mul(z, a, b);
    gfmul_ctx_report(ctx, &r);
    const size_t len = gfmul_ctx_certificate(ctx, text, sizeof text);
    FUZZ_CHECK(len < sizeof text, "%zu bytes", len);
    form_check(text, len);
    if (mpz_sgn(z) == 0) {
        FUZZ_CHECK(line_is(text, "claim", "zero"), "%s", text);
    } else {
        const bool proved = line_is(text, "claim", "proved");
        FUZZ_CHECK(proved || line_is(text, "claim", "probable"), "%s", text);
        FUZZ_CHECK(!proved || strcmp(r.plan.rule, "checked") != 0, "rule %s", r.plan.rule);
        FUZZ_CHECK(proved || strcmp(r.plan.rule, "checked") == 0 || strcmp(r.plan.engine, "fftw") == 0, "not proved: %s", text);
        FUZZ_CHECK(line_is(text, "square", square ? "1" : "0"), "%s", text);
        FUZZ_CHECK(proved == !line_is(text, "transforms", "0"), "%s", text);
        residues_check(text, &r, a, b, z);
    }
    cut_check(in, ctx, text, len);
    mpz_clear(z);
}

/* order - a report has the longer operand first, without the zeros above it; of the same length either may be. */
static void order(struct gfmul_ctx *ctx, mpz_t a, mpz_t b)
{
    struct gfmul_report r;
    gfmul_ctx_report(ctx, &r);
    if (r.n_residues > 0 && mpz_size(a) <= mpz_size(b) && mpz_fdiv_ui(a, r.residue[0].prime) != r.residue[0].a)
        mpz_swap(a, b);
}

/* by_limbs - a product of limbs, its longer operand first. */
static void by_limbs(struct fuzz_input *in, struct gfmul_ctx *ctx, size_t most)
{
    const size_t an = fuzz_size(in, most);
    size_t bn = fuzz_size(in, an);
    const bool square = fuzz_below(in, 8) == 0;
    mp_limb_t *a = fuzz_limbs(in, an), *b = square ? a : fuzz_limbs(in, bn);
    bn = square ? an : bn;
    mp_limb_t *z = fuzz_alloc((an + bn) * sizeof *z), *want = fuzz_alloc((an + bn) * sizeof *want);
    const enum gfmul_status status = gfmul_mul(ctx, z, a, an, b, bn);
    FUZZ_CHECK(status == GFMUL_OK || status == GFMUL_ERR_PRECISION, "%s", gfmul_strerror(status));
    if (status == GFMUL_OK) {
        mpz_t x, y;
        mpz_inits(x, y, NULL);
        ref_mul_gmp(want, a, an, b, bn);
        FUZZ_CHECK(memcmp(z, want, (an + bn) * sizeof *z) == 0, "%zu by %zu", an, bn);
        mpz_import(x, an, -1, sizeof *a, 0, 0, a);
        mpz_import(y, bn, -1, sizeof *b, 0, 0, b);
        order(ctx, x, y);
        certificate_check(in, ctx, x, y, square);
        mpz_clears(x, y, NULL);
    }
    free(want);
    free(z);
    if (!square)
        free(b);
    free(a);
}

/* by_text - a product of text of one base, the longer one first. */
static void by_text(struct fuzz_input *in, struct gfmul_ctx *ctx)
{
    const unsigned base = 2 + (unsigned)fuzz_below(in, 35);
    const size_t an = fuzz_size(in, CHARS), bn = fuzz_size(in, an);
    const unsigned kinds = (unsigned)fuzz_below(in, TEXT_KINDS * TEXT_KINDS);
    char *a = fuzz_alloc(an + 1), *b = fuzz_alloc(bn + 1);
    text_fill(a, an, (enum text_kind)(kinds % TEXT_KINDS), base, 1 + (unsigned)fuzz_below(in, 9), fuzz_below(in, 1 << 16));
    text_fill(b, bn, (enum text_kind)(kinds / TEXT_KINDS), base, 1 + (unsigned)fuzz_below(in, 9), fuzz_below(in, 1 << 16));
    const size_t size = gfmul_str_mul_size(an, (int)base, bn, (int)base, (int)base);
    a[an] = b[bn] = '\0';
    char *z = fuzz_alloc(size);
    size_t len;
    const enum gfmul_status status = gfmul_str_mul(ctx, z, size, &len, (int)base, a, an, (int)base, b, bn, (int)base);
    FUZZ_CHECK(status == GFMUL_OK || status == GFMUL_ERR_PRECISION, "%s", gfmul_strerror(status));
    if (status == GFMUL_OK) {
        mpz_t x, y;
        mpz_inits(x, y, NULL);
        FUZZ_CHECK(mpz_set_str(x, a, (int)base) == 0 && mpz_set_str(y, b, (int)base) == 0, "%s", a);
        order(ctx, x, y);
        certificate_check(in, ctx, x, y, false);
        mpz_clears(x, y, NULL);
    }
    free(z);
    free(b);
    free(a);
}

void fuzz_certificate(struct fuzz_input *in)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    fuzz_choices(in, &opt);
    opt.certify = 1;
    const unsigned how = fuzz_u8(in);
    enum gfmul_status status = gfmul_ctx_create(&ctx, &opt);
    FUZZ_CHECK(status == GFMUL_OK || status == GFMUL_ERR_UNSUPPORTED, "%s", gfmul_strerror(status));
    if (ctx == NULL)
        return;
    FUZZ_CHECK(gfmul_ctx_certificate(ctx, NULL, 0) == 0, "a certificate of no product");
    if (how & 1)
        by_text(in, ctx);
    else
        by_limbs(in, ctx, how == 254 ? MANY_LIMBS : LIMBS);
    if (how & 2) { /* an error has none */
        mp_limb_t a[1] = {1};
        status = gfmul_mul(ctx, NULL, a, 1, a, 1);
        FUZZ_CHECK(status == GFMUL_ERR_ARGUMENT && gfmul_ctx_certificate(ctx, NULL, 0) == 0, "%s", gfmul_strerror(status));
    }
    gfmul_ctx_destroy(ctx);
}
