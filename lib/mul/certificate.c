/*
 * certificate.c - print what the proof of a product rests on, which call_proof.c has recorded (doc/certificate.md).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/c_locale.h"
#include "base/rounding.h"
#include "mul/ctx.h"
#include "plan/plan_dd.h"
#include "plan/plan_field.h"
#include "plan/plan_names.h"
#include "plan/prime_table.h"

/* The text so far: `length` characters, of which buf holds as many as fit, and their 64-bit FNV-1a checksum. */
struct text {
    char *buf;
    size_t size, length;
    uint64_t checksum;
};

/* put - append a line or a part of a line, less than 512 characters. */
__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    char part[512];
    va_list args;
    va_start(args, format);
    vsnprintf(part, sizeof part, format, args);
    va_end(args);
    for (const char *p = part; *p; p++) {
        t->checksum = (t->checksum ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
        if (t->length + 1 < t->size)
            t->buf[t->length] = *p;
        t->length++;
    }
    if (t->size > 0)
        t->buf[t->length < t->size ? t->length : t->size - 1] = '\0';
}

static const char *kind_name(enum dd_kind kind)
{
    return kind == DD_LIGHT ? "light" : kind == DD_DOUBLE ? "double" : "full";
}

static void put_pass(struct text *t, const struct plan_shape *s, unsigned p)
{
    struct plan_pass_constants c;
    plan_pass_constants(&c, s, p);
    put(t, "pass: %u", s->transform.pass[p].radix);
    if (s->field != PLAN_DD) {
        const enum plan_butterfly kind = s->transform.pass[p].butterfly;
        put(t, kind == BUTTERFLY_MIXED ? " mixed" : kind == BUTTERFLY_RADIX4 ? " whole" : " nested");
    } else {
        put(t, " %s %s", kind_name(dd_forward_kind(s, p)), kind_name(dd_inverse_kind(s, p)));
        put(t, " %s", p < s->transform.n_column_passes ? "column" : "row");
    }
    put(t, " forward");
    for (unsigned i = 0; i < c.n_forward; i++)
        put(t, " %a", c.forward[i]);
    put(t, " inverse");
    for (unsigned i = 0; i < c.n_inverse; i++)
        put(t, " %a", c.inverse[i]);
    put(t, "\n");
}

/* put_primes - print a transform modulo primes; nothing is rounded there, so the sizes alone are the proof. */
static void put_primes(struct text *t, const struct plan_shape *s)
{
    put(t, "field: prime\n");
    put(t, "points: %u * 2^%u\n", s->transform.odd, s->transform.log2_n);
    put(t, "digit_base: %u^%u\n", s->digits.base, s->digits.exponent);
    put(t, "digits: %zu %zu\n", s->digits.an, s->digits.bn);
    put(t, "halves: %d\n", s->transform.n_digits > s->transform.n_points);
    put(t, "moduli:");
    for (unsigned i = 0; i < s->transform.n_primes; i++)
        put(t, " %" PRIu64, prime_table[i].p);
    put(t, "\n");
}

static void put_transform(struct text *t, const struct proof_transform *x)
{
    const struct plan_shape *s = &x->shape;
    if (s->field == PLAN_PRIME) {
        put_primes(t, s);
        return;
    }
    const struct plan_figures *f = &x->figures;
    double bound, k;
    plan_judge(s, f, &bound, &k);
    put(t, "field: %s\n", plan_precision_name(plan_field(s)->precision));
    put(t, "fma: %d\n", s->bound.fma);
    put(t, "packing: %s\n", plan_packing_name(s->transform.packing));
    put(t, "points: %u * 2^%u\n", s->transform.odd, s->transform.log2_n);
    put(t, "digit_base: %u^%u\n", s->digits.base, s->digits.exponent);
    put(t, "digits: %zu %zu\n", s->digits.an, s->digits.bn);
    put(t, "cells: %zu %zu, %zu digits\n", s->grid.a_cells, s->grid.b_cells, s->grid.cell_digits);
    put(t, "wraps: %d, %zu limbs\n", s->grid.wraps, s->grid.wraps ? s->grid.wrap_limbs : 0);
    put(t, "balance: %d\n", s->digits.balance_exp);
    put(t, "narrow: %d\n", s->digits.narrow);
    for (unsigned p = 0; p < s->transform.n_passes; p++)
        put_pass(t, s, p);
    put(t, "product: %a\n", plan_product_constant(s));
    put(t, "scale: %a\n", plan_scale_constant(s));
    put(t, "method: %s\n", s->bound.inverse_measured ? "coefficients" : s->bound.norms_measured ? "norms" : "any");
    put(t, "norm_a: %a %a\n", f->a.sum_sq, f->a.sum_pop);
    put(t, "norm_b: %a %a\n", f->b.sum_sq, f->b.sum_pop);
    put(t, "largest: %a\n", f->max_value);
    put(t, "energy: %a\n", f->max_energy);
    put(t, "distance: %a\n", f->max_error);
    put(t, "k: %a\n", k);
    put(t, "bound: %a\n", bound);
}

/* is_proved - whether the text proves all transforms.  It does not for devices, because their passes have other forms. */
static bool is_proved(const struct proof *proof)
{
    const struct proof_transform *t = proof->transform;
    for (unsigned i = 0; i < 2; i++) {
        double bound, k;
        if (t[i].used && (t[i].shape.rule == GFMUL_RULE_CHECKED || t[i].shape.device.used ||
                          !plan_judge(&t[i].shape, &t[i].figures, &bound, &k)))
            return false;
    }
    return t[0].used;
}

/* is_adaptive - whether some transform under the classical rule computes levels in double. */
static bool is_adaptive(const struct proof *proof)
{
    bool found = false;
    for (unsigned i = 0; i < 2; i++) {
        const struct plan_shape *s = &proof->transform[i].shape;
        found = found || (proof->transform[i].used && s->rule == GFMUL_RULE_KNUTH && s->field == PLAN_DD &&
                          (s->transform.double_passes > 0 || s->digits.narrow));
    }
    return found;
}

static void put_number(struct text *t, const char *name, size_t n, unsigned base)
{
    if (base == 2)
        put(t, "%s: %zu limbs\n", name, n);
    else
        put(t, "%s: %zu digits of base %u\n", name, n, base);
}

static void put_all(struct text *t, const struct proof *proof, const struct gfmul_report *report)
{
    const bool proved = is_proved(proof);
    const unsigned n = !proved ? 0 : proof->transform[1].used ? 2 : 1;
    put(t, "gfmul certificate 1\n");
    put(t, "version: %s\n", gfmul_version());
    put(t, "claim: %s\n", !proof->made ? "zero" : proved ? "proved" : "probable");
    if (proof->made) {
        put(t, "engine: %s\n", report->plan.engine);
        put(t, "rule: %s%s\n", report->plan.rule, is_adaptive(proof) ? ", adaptive" : "");
        put_number(t, "a", proof->an, proof->base);
        put_number(t, "b", proof->bn, proof->base);
        put(t, "square: %d\n", proof->square);
        put(t, "transforms: %u\n", n);
        for (unsigned i = 0; i < n; i++)
            put_transform(t, &proof->transform[i]);
        put(t, "primes: %u, %s\n", report->n_residues, report->residues_drawn ? "drawn for this product" : "of the context");
        for (unsigned i = 0; i < report->n_residues; i++) {
            const struct gfmul_residue *r = &report->residue[i];
            put(t, "residues: %" PRIu64 " %" PRIu64 " %" PRIu64 " modulo %" PRIu64 "\n", r->a, r->b, r->z, r->prime);
        }
    }
    put(t, "checksum: %016" PRIx64 "\n", t->checksum);
}

size_t gfmul_ctx_certificate(struct gfmul_ctx *ctx, char *buf, size_t size)
{
    struct text t = {buf, buf ? size : 0, 0, UINT64_C(0xcbf29ce484222325)};
    enum gfmul_status status;
    ROUND_TO_NEAREST;
    C_LOCALE;
    if (t.size > 0)
        buf[0] = '\0';
    if (!(ctx = ctx_resolve(ctx, &status)))
        return 0;
    pthread_mutex_lock(&ctx->lock);
    if (ctx->proof && ctx->report.status == GFMUL_OK)
        put_all(&t, ctx->proof, &ctx->report);
    pthread_mutex_unlock(&ctx->lock);
    return t.length;
}
