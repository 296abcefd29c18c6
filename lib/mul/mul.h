/*
 * mul.h - the multiplication: context, routing, and the drivers of the engines.
 */
#ifndef GFMUL_MUL_H
#define GFMUL_MUL_H

#include <pthread.h>

#include "gfmul.h"
#include "stages/stage_ops.h"
#include "text/text.h"

enum { CTX_PLANS = 16, CTX_BUFFERS = 16 };

struct gfmul_ctx {
    struct gfmul_options opt;
    char *device; /* owned copy of opt.device */
    const struct stage_ops *ops;
    pthread_mutex_t lock; /* guards everything below */
    struct plan_entry *plans[CTX_PLANS]; /* counted references; most recently used first */
    struct { void *p; size_t bytes; } buffer[CTX_BUFFERS]; /* idle buffers of the pool */
    uint64_t prime; /* of the residue check; 0 until first used */
    struct gfmul_report report;
};

/* One call under way: what the drivers share.  Copied into the context's report at the end. */
struct call {
    struct gfmul_ctx *ctx;
    struct gfmul_report report;
    unsigned threads;
    uint64_t start_ns;
    size_t allocated; /* bytes taken so far, against memory_limit */
};

/* mul_cpu.c: the pipeline over one plan (or, where measured norms are too large, the worst-case plan that replaces it). */
enum gfmul_status mul_cpu_limbs(struct call *call, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);
/* z: exactly zn characters, '0'-padded at the front. */
enum gfmul_status mul_cpu_text(struct call *call, char *z, size_t zn, const struct text_number *a, const struct text_number *b);

/* mul_fftw.c: the same by FFTW3, limbs only. */
enum gfmul_status mul_fftw_limbs(struct call *call, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);

/* mul_verify.c: VERIFY when the product is wrong.  Reads ctx->opt.verify. */
enum gfmul_status mul_verify_limbs(struct call *call, const mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                                   size_t bn);
enum gfmul_status mul_verify_text(struct call *call, const char *z, size_t zn, const struct text_number *a,
                                  const struct text_number *b);

#endif
