/*
 * plan_print.c - a shape as public information, and that information as text.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/rounding.h"
#include "plan/plan_device.h"
#include "plan/plan_field.h"
#include "plan/plan_names.h"

/*
 * radices_print - the radices of the passes on the CPU, "15.8.4t.4t", t: true radix 4.   It avoids printf, because every product
 * has its plan in its report.
 */
static void radices_print(char *p, const struct plan_transform *t)
{
    for (unsigned i = 0; i < t->n_passes; i++) {
        const unsigned radix = t->pass[i].radix;
        if (i > 0)
            *p++ = '.';
        if (radix >= 10)
            *p++ = (char)('0' + radix / 10);
        *p++ = (char)('0' + radix % 10);
        if (t->pass[i].butterfly != BUTTERFLY_NESTED)
            *p++ = t->pass[i].butterfly == BUTTERFLY_MIXED ? 'm' : 't';
    }
    *p = '\0';
}

void plan_info_from_shape(struct gfmul_plan_info *info, const struct plan_shape *shape, const char *isa)
{
    const bool pieces =
        shape->grid.b_cells > 1 || shape->grid.cell_limbs > 0; /* of both operands; else slices of the longer one */
    memset(info, 0, sizeof *info);
    info->engine = "cpu";
    info->isa = isa;
    info->device = "cpu";
    info->rule = plan_rule_name(shape->rule);
    info->precision = plan_precision_name(plan_field(shape)->precision);
    info->packing = plan_packing_name(shape->transform.packing);
    info->threads = 1;
    info->mu = shape->field == PLAN_PRIME && shape->device.used ? DEVICE_PRIME_BITS - device_primes_set(shape)->lazy
                                                                : plan_field(shape)->mu;
    info->m = log2((double)shape->transform.n_digits);
    info->l = shape->digits.bits;
    info->base = shape->digits.base;
    info->exponent = shape->digits.exponent;
    info->n_points = shape->transform.n_points;
    info->a_digits = shape->digits.an;
    info->b_digits = shape->digits.bn;
    info->n_slices = pieces ? 1 : shape->grid.a_cells;
    info->a_pieces = pieces ? shape->grid.a_cells : 1;
    info->b_pieces = pieces ? shape->grid.b_cells : 1;
    info->n_branches = shape->grid.n_branches;
    info->k = shape->bound.k;
    info->bound = shape->bound.value;
    info->norms_measured = shape->bound.norms_measured;
    info->inverse_measured = shape->bound.inverse_measured;
    info->proved = shape->rule != GFMUL_RULE_CHECKED;
    info->memory_bytes = shape->memory_bytes;
    info->wraps = shape->grid.wraps;
    info->wrap_limbs = shape->grid.wraps ? shape->grid.wrap_limbs : 0;
    _Static_assert(sizeof info->passes == sizeof shape->device.text, "the passes of a device");
    if (shape->device.used)
        memcpy(info->passes, shape->device.text, sizeof info->passes);
    else
        radices_print(info->passes, &shape->transform);
    if (shape->device.used && shape->field == PLAN_DD)
        info->narrow_levels = device_narrow_levels(shape);
    else if (!shape->device.used && plan_field(shape)->describe)
        plan_field(shape)->describe(info, shape);
    info->knuth = plan_knuth_holds(shape) && info->double_levels == 0; /* levels in double have a smaller mu */
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

/* As an integer if possible (powers of two), else with the significant digits. */
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
    ROUND_LONG_DOUBLE; /* glibc's printf uses the x87 rounding mode for all types */
    C_LOCALE;
    if (t.size > 0)
        buf[0] = '\0';
    if (!info)
        return 0;
    put_word(&t, "engine", info->engine);
    put_word(&t, "device", info->device);
    put_word(&t, "isa", info->isa);
    put(&t, "threads: %u\n", info->threads);
    if (info->n_points == 0) { /* engine gmp: no transform, so no more lines */
        put(&t, "memory_bytes: %zu\n", info->memory_bytes);
        return t.length;
    }
    put_word(&t, "rule", info->rule);
    put(&t, "mu: %u\n", info->mu);
    put_bits(&t, "m", info->m);
    put_bits(&t, "l", info->l);
    put(&t, "digit_base: %u^%u\n", info->base, info->exponent);
    put(&t, "points: %zu\n", info->n_points);
    put_word(&t, "passes", info->passes);
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
        put(&t, "expected_error: %.4f\n", info->bound); /* engine fftw: by its own model */
    }
    put(&t, "residue_primes: %u\n", info->residue_primes);
    const double needed = 4 * ceil(info->m) + 2 * ceil(info->l);
    put(&t, "knuth: %s, mu = %u, 4 m + 2 l = %.0f", (double)info->mu >= needed ? "holds" : "does not hold", info->mu, needed);
    if (info->double_levels > 0)
        put(&t, "; %s, mu = 53, in %u levels", 53 >= needed ? "holds" : "does not hold", info->double_levels);
    const size_t products = info->a_pieces < info->b_pieces ? info->a_pieces : info->b_pieces;
    if (products > 1)
        put(&t, "; sums of %zu products: 2 (m + l) + m + log2 m + 3.5 + log2 %zu = %.1f", products, products,
            plan_knuth_bits(ceil(info->m), ceil(info->l), (double)products));
    put(&t, "\n");
    put(&t, "memory_bytes: %zu\n", info->memory_bytes);
    return t.length;
}
