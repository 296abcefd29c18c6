/*
 * fuzz_options.c - fuzz target: structures of options with any values.  What is accepted multiplies; all else is refused.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "gfmul_fft.h"

#include "../reference.h"

enum { LIMBS = 60, DEVICE_CHARS = 24, PRINTED = 4096 };

/* stops - a callback: at once if it has an argument. */
static int stops(void *arg, double done)
{
    FUZZ_CHECK(done >= 0 && done <= 1, "progress %g", done);
    return arg != NULL;
}

/* number - a field's value: mostly a small one. */
static uint64_t number(struct fuzz_input *in)
{
    const uint8_t v = fuzz_u8(in);
    return v < 240 ? v % 8 : v < 250 ? v : fuzz_u64(in);
}

/* device - NULL or a text, from fuzz_alloc; "opencl" engines find no driver here (fuzz_entry.c). */
static char *device(struct fuzz_input *in)
{
    static const char *const names[] = {"cpu", "auto", "0", "gpu", "", "1"};
    const unsigned which = (unsigned)fuzz_below(in, 16);
    const size_t len = which < 6 ? strlen(names[which]) : which == 6 ? fuzz_below(in, DEVICE_CHARS) : 0;
    if (which > 6)
        return NULL;
    char *s = fuzz_alloc(len + 1);
    for (size_t i = 0; i < len; i++)
        s[i] = (char)(which < 6 ? names[which][i] : fuzz_u8(in));
    s[len] = '\0';
    return s;
}

/* plans_check - what a plan and its text say. */
static void plans_check(struct gfmul_ctx *ctx, size_t an, size_t bn, unsigned base)
{
    struct gfmul_plan_info info;
    char text[PRINTED], part[PRINTED];
    const enum gfmul_status status = base == 0 ? gfmul_plan_limbs(ctx, &info, an, bn)
                                     : base == 1 ? gfmul_plan_limbs_sqr(ctx, &info, an)
                                                 : gfmul_plan_text(ctx, &info, (int)base, an, bn);
    if (status != GFMUL_OK) {
        FUZZ_CHECK(status == GFMUL_ERR_SIZE || status == GFMUL_ERR_MEMORY || status == GFMUL_ERR_PRECISION ||
                       (status == GFMUL_ERR_ARGUMENT && base > 36),
                   "%s: %zu by %zu, base %u", gfmul_strerror(status), an, bn, base);
        return;
    }
    const size_t len = gfmul_plan_print(&info, text, sizeof text), size = an % (len + 2);
    memset(part, 1, sizeof part);
    FUZZ_CHECK(len < sizeof text && strlen(text) == len, "a plan of %zu bytes", len);
    FUZZ_CHECK(gfmul_plan_print(&info, part, size) == len, "cut off at %zu", size);
    const size_t kept = size == 0 ? 0 : size <= len ? size - 1 : len;
    FUZZ_CHECK(memcmp(part, text, kept) == 0 && (size == 0 || part[kept] == '\0') && part[size] == 1, "cut off at %zu", size);
    FUZZ_CHECK(info.norms_measured || !info.proved || info.bound < 0.5, "bound %g", info.bound);
}

static void product_check(struct fuzz_input *in, struct gfmul_ctx *ctx, const struct gfmul_options *opt)
{
    const size_t an = fuzz_size(in, LIMBS), bn = fuzz_size(in, LIMBS);
    mp_limb_t *a = fuzz_limbs(in, an), *b = fuzz_limbs(in, bn), *z = fuzz_alloc((an + bn) * sizeof *z);
    mp_limb_t *want = fuzz_alloc((an + bn) * sizeof *want);
    const enum gfmul_status status = gfmul_mul(ctx, z, a, an, b, bn);
    struct gfmul_report r;
    gfmul_ctx_report(ctx, &r);
    ref_mul_gmp(want, a, an, b, bn);
    if (status == GFMUL_OK)
        FUZZ_CHECK(memcmp(z, want, (an + bn) * sizeof *z) == 0, "%zu by %zu", an, bn);
    else
        FUZZ_CHECK((opt->progress != NULL && opt->progress_arg != NULL && status == GFMUL_ERR_INTERRUPTED) ||
                       (opt->memory_limit != 0 && status == GFMUL_ERR_MEMORY) ||
                       (opt->rule == GFMUL_RULE_KNUTH && status == GFMUL_ERR_PRECISION),
                   "%s: %s", gfmul_strerror(status), r.detail);
    FUZZ_CHECK(r.status == status, "the report says %s", gfmul_strerror(r.status));
    free(want);
    free(z);
    free(b);
    free(a);
}

/* products - of a context whose options are any. */
static void products(struct fuzz_input *in)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    gfmul_options_init(&opt);
    if (fuzz_below(in, 8) == 0)
        opt.struct_bytes = number(in) * 16;
    opt.engine = (enum gfmul_engine)number(in);
    opt.rule = (enum gfmul_rule)(number(in) % 5);
    opt.precision = (enum gfmul_precision)number(in);
    opt.packing = (enum gfmul_packing)(number(in) % 6);
    opt.verify = (enum gfmul_verify)(number(in) % 4);
    opt.threads = (unsigned)number(in);
    if (opt.threads > 2 && opt.threads <= 1024)
        opt.threads = 2; /* no more: they would only wait for each other */
    if (fuzz_below(in, 8) == 0)
        opt.memory_limit = (size_t)(fuzz_u64(in) >> fuzz_below(in, 64));
    char *name = device(in);
    opt.device = name;
    const unsigned more = fuzz_u8(in);
    opt.progress = more & 1 ? stops : NULL;
    opt.progress_arg = more & 2 ? &opt : NULL;
    opt.profile = (int)(more >> 2 & 1);
    opt.cl_context = more & 8 && more & 16 ? &opt : NULL; /* one without the other: both would be used */
    opt.verify_primes = (unsigned)number(in);
    opt.certify = (int)number(in) & 1;
    opt.adaptive = (int)number(in);
    const enum gfmul_status status = gfmul_ctx_create(&ctx, &opt);
    FUZZ_CHECK((status == GFMUL_OK) == (ctx != NULL), "status and context");
    if (status == GFMUL_OK && opt.struct_bytes == sizeof opt) /* a shorter structure has not all of them */
        FUZZ_CHECK(opt.threads <= 1024 && opt.verify_primes <= GFMUL_RESIDUES_MAX && opt.cl_context == NULL,
                   "%u threads, %u primes, or a context of OpenCL without a queue", opt.threads, opt.verify_primes);
    if (ctx != NULL) {
        if (name != NULL) /* it is the context's own now */
            memset(name, 'x', strlen(name));
        product_check(in, ctx, &opt);
        const unsigned base = fuzz_u8(in) % 40;
        plans_check(ctx, (size_t)fuzz_u64(in) >> fuzz_below(in, 64), (size_t)fuzz_u64(in) >> fuzz_below(in, 64), base);
        if (more & 32)
            gfmul_ctx_trim(ctx);
    } else {
        FUZZ_CHECK(status == GFMUL_ERR_ARGUMENT || status == GFMUL_ERR_UNSUPPORTED || status == GFMUL_ERR_DEVICE, "%s",
                   gfmul_strerror(status));
    }
    gfmul_ctx_destroy(ctx);
    free(name);
}

/* transforms - plans whose options are any, of a length that is any. */
static void transforms(struct fuzz_input *in)
{
    struct gfmul_fft_options opt;
    struct gfmul_fft *plan;
    gfmul_fft_options_init(&opt);
    if (fuzz_below(in, 8) == 0)
        opt.struct_bytes = number(in) * 16;
    opt.type = (enum gfmul_fft_type)(number(in) % 3);
    opt.precision = (enum gfmul_precision)number(in);
    opt.batch = (size_t)number(in);
    opt.time_dist = (size_t)number(in);
    opt.frequency_dist = (size_t)number(in);
    opt.scale = (int)number(in);
    opt.threads = (unsigned)number(in);
    opt.order = (enum gfmul_fft_order)(number(in) % 3);
    opt.memory = (enum gfmul_fft_memory)(number(in) % 4);
    opt.twiddles = (enum gfmul_fft_twiddles)(number(in) % 5);
    const unsigned more = fuzz_u8(in);
    char *algorithm = more & 1 ? device(in) : NULL, *name = more & 2 ? device(in) : NULL;
    opt.algorithm = algorithm;
    opt.device = name;
    opt.cl_queue = (more & 12) == 12 ? &opt : NULL;
    const size_t n = more & 16 ? 0 : more & 32 && more & 64 ? SIZE_MAX - (size_t)number(in) : 1 + (size_t)number(in) % 3000;
    const enum gfmul_status status = gfmul_fft_create(&plan, n, &opt);
    FUZZ_CHECK((status == GFMUL_OK) == (plan != NULL), "status and plan");
    FUZZ_CHECK(status != GFMUL_ERR_INTERNAL && (n > 0 || status == GFMUL_ERR_ARGUMENT), "%s", gfmul_strerror(status));
    if (plan != NULL)
        FUZZ_CHECK(gfmul_fft_forward(plan, NULL, &opt) == GFMUL_ERR_ARGUMENT && gfmul_fft_frequency(plan, 0) == 0, "NULL");
    gfmul_fft_destroy(plan);
    free(algorithm);
    free(name);
}

/* convolutions - options that are any, of two numbers. */
static void convolutions(struct fuzz_input *in)
{
    struct gfmul_conv_options opt;
    uint64_t a[16] = {0}, b[16] = {0}, z[3 * 16] = {0};
    gfmul_conv_options_init(&opt);
    opt.kind = (enum gfmul_conv_kind)(number(in) % 4);
    opt.number = (enum gfmul_conv_number)(fuzz_u8(in) % 12);
    opt.words = (unsigned)number(in);
    opt.modulus = number(in);
    opt.threads = (unsigned)number(in);
    opt.batch = fuzz_u8(in) & 1 ? 1 : (size_t)number(in);
    char *name = device(in);
    opt.device = name;
    if (opt.batch == 1 && fuzz_below(in, 8) == 0)
        opt.struct_bytes = number(in) * 16;
    a[0] = b[0] = opt.modulus > 2 || opt.number != GFMUL_CONV_MOD;
    const size_t an = opt.batch <= 1 ? fuzz_below(in, 4) : SIZE_MAX / 4096 - fuzz_below(in, 2), bn = fuzz_below(in, 4);
    const enum gfmul_status status = gfmul_convolve(z, a, an, b, bn, &opt);
    FUZZ_CHECK(status != GFMUL_ERR_INTERNAL, "%s", gfmul_strerror(status));
    FUZZ_CHECK(status != GFMUL_OK || (an >= 1 && bn >= 1 && opt.batch == 1), "%zu by %zu", an, bn);
    if (status == GFMUL_OK && opt.number != GFMUL_CONV_MOD &&
        (opt.number == GFMUL_CONV_INT32 || opt.number == GFMUL_CONV_INT64 || opt.number == GFMUL_CONV_UINT64))
        FUZZ_CHECK(z[0] == 1, "1 times 1 is %llu", (unsigned long long)z[0]);
    free(name);
}

void fuzz_options(struct fuzz_input *in)
{
    static const char *const disables[] = {"", "avx512", "avx512,avx2", "ifma", ",,avx2", "avx512,avx2,sse2,neon"};
    const unsigned which = (unsigned)fuzz_below(in, 8);
    if (fuzz_below(in, 4) == 0)
        setenv("GFMUL_DISABLE", disables[fuzz_below(in, 6)], 1);
    else
        unsetenv("GFMUL_DISABLE");
    if (which < 6)
        products(in);
    else if (which == 6)
        transforms(in);
    else
        convolutions(in);
    unsetenv("GFMUL_DISABLE");
}
