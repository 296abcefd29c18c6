/*
 * plan_print.c - a shape as public information, and that as text.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/rounding.h"
#include "plan/plan_dd.h"
#include "plan/plan_names.h"

void plan_info_from_shape(struct gfmul_plan_info *info, const struct plan_shape *shape, const char *isa)
{
    memset(info, 0, sizeof *info);
    info->engine = "cpu";
    info->isa = isa;
    info->device = "cpu";
    info->rule = plan_rule_name(shape->rule);
    info->precision = plan_precision_name(shape->precision);
    info->packing = plan_packing_name(shape->transform.packing);
    info->threads = 1;
    info->mu = plan_mu(shape->precision, shape->float_pairs);
    info->m = log2((double)shape->transform.n_digits);
    info->l = shape->digits.bits;
    info->base = shape->digits.base;
    info->exponent = shape->digits.exponent;
    info->n_points = shape->transform.n_points;
    info->a_digits = shape->digits.an;
    info->b_digits = shape->digits.bn;
    info->n_slices = shape->grid.n_slices;
    info->n_branches = shape->grid.n_branches;
    info->k = shape->bound.k;
    info->bound = shape->bound.value;
    info->norms_measured = shape->bound.norms_measured;
    info->inverse_measured = shape->bound.inverse_measured;
    info->proved = shape->rule != GFMUL_RULE_CHECKED;
    info->knuth = plan_knuth_holds(shape);
    info->memory_bytes = shape->memory_bytes;
    info->wraps = shape->grid.wraps;
    info->wrap_limbs = shape->grid.wraps ? shape->grid.wrap_limbs : 0;
    info->a_pieces = shape->grid.a_pieces > 1 ? shape->grid.a_pieces : 1;
    info->b_pieces = shape->grid.b_pieces > 1 ? shape->grid.b_pieces : 1;
    if (plan_is_dd(shape) && !shape->device.used) {
        if (shape->digits.narrow && shape->transform.odd == 1)
            info->narrow_levels = shape->digits.an > shape->transform.n_points ? 1 : 3; /* the root's, see dd_root.h */
        for (unsigned p = 0; p < shape->transform.double_passes; p++)
            info->double_levels += shape->transform.pass[p].levels;
        for (unsigned p = 0; p < shape->transform.n_passes; p++) {
            info->light_levels += dd_forward_kind(shape, p) == DD_LIGHT ? shape->transform.pass[p].levels : 0;
            info->light_levels += dd_inverse_kind(shape, p) == DD_LIGHT ? shape->transform.pass[p].levels : 0;
        }
    }
}

struct text {
    char *buf;
    size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list args;
    const size_t room = t->length < t->size ? t->size - t->length : 0;
    va_start(args, format);
    int n = vsnprintf(room ? t->buf + t->length : NULL, room, format, args);
    va_end(args);
    if (n > 0)
        t->length += (size_t)n;
}

static void put_word(struct text *t, const char *key, const char *value)
{
    if (value && *value)
        put(t, "%s: %s\n", key, value);
}

/* Whole where it is whole (powers of two), else with the digits that tell. */
static void put_bits(struct text *t, const char *key, double value)
{
    if (value == floor(value))
        put(t, "%s: %.0f\n", key, value);
    else
        put(t, "%s: %.4f\n", key, value);
}

size_t gfmul_plan_print(const struct gfmul_plan_info *info, char *buf, size_t size)
{
    struct text t = {buf, buf ? size : 0, 0};
    ROUND_TO_NEAREST;
    ROUND_LONG_DOUBLE; /* glibc's printf takes the mode of the x87 for that of all */
    C_LOCALE;
    if (t.size > 0)
        buf[0] = '\0';
    if (!info)
        return 0;
    put_word(&t, "engine", info->engine);
    put_word(&t, "device", info->device);
    put_word(&t, "isa", info->isa);
    put(&t, "threads: %u\n", info->threads);
    if (info->n_points == 0) { /* engine gmp: no transform, nothing more to say */
        put(&t, "memory_bytes: %zu\n", info->memory_bytes);
        return t.length;
    }
    put_word(&t, "rule", info->rule);
    put(&t, "mu: %u\n", info->mu);
    put_bits(&t, "m", info->m);
    put_bits(&t, "l", info->l);
    put(&t, "digit_base: %u^%u\n", info->base, info->exponent);
    put(&t, "points: %zu\n", info->n_points);
    put_word(&t, "packing", info->packing);
    put_word(&t, "precision", info->precision);
    put(&t, "digits: %zu x %zu\n", info->a_digits, info->b_digits);
    put(&t, "slices: %zu\n", info->n_slices);
    put(&t, "branches: %zu\n", info->n_branches);
    if (info->wraps)
        put(&t, "wraps: %zu limbs\n", info->wrap_limbs);
    if (info->a_pieces > 1)
        put(&t, "pieces: %zu x %zu, each transform for itself under the rule\n", info->a_pieces, info->b_pieces);
    if (strcmp(info->precision, "dd") == 0) {
        put(&t, "narrow_levels: %u\nlight_levels: %u\ndouble_levels: %u\n", info->narrow_levels, info->light_levels,
            info->double_levels);
    }
    if (info->proved) {
        put(&t, "k: %.2f\n", info->k);
        double up = ceil(info->bound * 1e6) / 1e6;
        put(&t, up < 0.5 || info->bound >= 0.5 ? "bound: %.6f\n" : "bound: %.17g\n",
            up < 0.5 || info->bound >= 0.5 ? up : info->bound);
        put(&t, "norms: %s\n", info->norms_measured ? "measured" : "worst-case");
        put(&t, "inverse: %s\n", info->inverse_measured ? "a posteriori" : "a priori");
    } else {
        put(&t, "bound: not proved\n");
        put(&t, "expected_error: %.4f\n", info->bound); /* engine fftw: of its own model */
    }
    put(&t, "knuth: %s, mu = %u, 4 m + 2 l = %.0f\n", info->knuth ? "holds" : "does not hold", info->mu,
        4 * ceil(info->m) + 2 * ceil(info->l));
    put(&t, "memory_bytes: %zu\n", info->memory_bytes);
    return t.length;
}
