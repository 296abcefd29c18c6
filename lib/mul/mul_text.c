/*
 * mul_text.c - products of numbers written in text.
 *
 * Where all three bases agree the convolution works on digits cut from the text; power-of-two bases, short operands and
 * mixed bases go through limbs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/overlap.h"
#include "mul/ctx.h"
#include "text/text_chars.h"

static const size_t digits_per_limb = 16; /* about, in any base that is cut from text */

static bool base_is_valid(int base)
{
    return base >= 2 && base <= 36;
}

static bool base_is_power_of_2(unsigned base)
{
    return (base & (base - 1)) == 0;
}

/*
 * converted_digits - how many digits of base `to` always hold n digits of base `from`: n log(from) / log(to), upwards.
 * The logarithms are scaled by 2^32 and, where one may be rounded, moved apart by more than their error.   False where it
 * overflows.
 */
static bool converted_digits(size_t *digits, size_t n, unsigned from, unsigned to)
{
    if (from == to) {
        *digits = n;
        return true;
    }
    const unsigned error = base_is_power_of_2(from) && base_is_power_of_2(to) ? 0 : 2;
    uint64_t up = (uint64_t)(log2(from) * 4294967296.0) + error, down = (uint64_t)(log2(to) * 4294967296.0) - error;
    unsigned __int128 d = ((unsigned __int128)n * up + down - 1) / down;
    *digits = (size_t)d;
    return d <= SIZE_MAX;
}

/* product_digits - how many digits of base z_base always hold the product. */
static bool product_digits(size_t *digits, size_t an, unsigned a_base, size_t bn, unsigned b_base, unsigned z_base)
{
    size_t a, b;
    return converted_digits(&a, an, a_base, z_base) && converted_digits(&b, bn, b_base, z_base) && size_add(digits, a, b);
}

size_t gfmul_str_mul_size(size_t a_len, int a_base, size_t b_len, int b_base, int z_base)
{
    static const int prefixed[] = {2, 8, 10, 16};
    size_t largest = 0;
    ROUND_TO_NEAREST;
    if ((a_base != 0 && !base_is_valid(a_base)) || (b_base != 0 && !base_is_valid(b_base)) ||
        (z_base != 0 && !base_is_valid(z_base)))
        return 0;
    /* base 0 is any of those that a prefix can name; b's largest is the worst for every z */
    for (size_t i = 0; i < sizeof prefixed / sizeof prefixed[0]; i++) {
        int a = a_base ? a_base : prefixed[i], b = b_base ? b_base : 16, z = z_base ? z_base : a;
        size_t digits;
        if (!product_digits(&digits, a_len, (unsigned)a, b_len, (unsigned)b, (unsigned)z))
            return 0;
        if (digits > largest)
            largest = digits;
    }
    if (largest == 0)
        largest = 1; /* "0" */
    return size_add(&largest, largest, 2) ? largest : 0;
}

/* scan - text_scan, with its error put into the report. */
static enum gfmul_status scan(struct call *call, struct text_number *num, int operand, const struct text_argument *argument)
{
    struct text_error err;
    memset(&err, 0, sizeof err);
    const size_t limit = call->ctx->opt.memory_limit;
    const size_t room = limit == 0 ? SIZE_MAX : limit > call->reserved ? limit - call->reserved : 0;
    enum gfmul_status status = text_scan(num, argument->text, argument->len, argument->base, &err, room, call->threads);
    if (status == GFMUL_OK && num->owned)
        call->reserved += num->n_digits;
    if (status == GFMUL_ERR_SYNTAX || status == GFMUL_ERR_EMPTY) {
        struct gfmul_report *report = &call->report;
        report->error_operand = operand;
        report->error_offset = err.offset;
        report->error_line = err.line;
        report->error_column = err.column;
        call_detail(call, "operand %d: line %zu, column %zu: %s", operand + 1, err.line, err.column, err.reason);
    } else if (status != GFMUL_OK) {
        call_detail(call, "operand %d: %s", operand + 1, gfmul_strerror(status));
    }
    return status;
}

/* limbs_buffer - the limbs of a number, in a buffer of the pool. */
static enum gfmul_status limbs_buffer(struct call *call, mp_limb_t **z, size_t *zn, const struct text_number *num)
{
    void *p = NULL;
    size_t limbs = text_limbs_max(num->n_digits, num->base), bytes;
    *z = NULL;
    if (limbs == 0 || !size_mul(&bytes, limbs, sizeof **z))
        return GFMUL_ERR_SIZE;
    enum gfmul_status status = ctx_buffer_get(call, bytes, &p);
    if (status == GFMUL_OK && !base_is_power_of_2(num->base))
        status = ctx_memory_room(call, num->n_digits); /* a copy while they are converted */
    *z = p;
    return status == GFMUL_OK ? text_to_limbs(*z, zn, num) : status;
}

/* What a product of text is made into: room characters of the caller's, or a buffer of the pool where that is too short. */
struct text_product {
    char *digits; /* no leading zero */
    size_t n;
    void *owned;
    bool checked; /* it has been verified */
};

/* product_room - room for n characters: the caller's, or a buffer. */
static enum gfmul_status product_room(struct call *call, struct text_product *t, char *room, size_t room_size, size_t n)
{
    t->digits = room;
    t->owned = NULL;
    if (n <= room_size)
        return GFMUL_OK;
    enum gfmul_status status = ctx_buffer_get(call, n, &t->owned);
    t->digits = t->owned;
    return status;
}

/* print_room - whether a product of zn limbs can be printed, before it is made: characters, and what GMP asks for. */
static enum gfmul_status print_room(struct call *call, size_t zn, size_t room_size, unsigned base)
{
    const size_t chars = limbs_text_max(zn, base), own = chars > room_size ? chars : 0;
    if (chars == 0)
        return GFMUL_ERR_SIZE;
    return ctx_memory_check(call, own + (base_is_power_of_2(base) ? 0 : (zn + 1) * sizeof(mp_limb_t)));
}

/* leading - the number that the first k digits make. */
static uint64_t leading(const struct text_number *a, size_t k)
{
    uint64_t v = 0;
    for (size_t i = 0; i < k; i++)
        v = v * a->base + char_value(a->digits[i]);
    return v;
}

/*
 * product_is_short - true where the product surely has one digit less than the operands together.  With u, v the numbers that
 * their first k digits make, the product is below (u + 1) (v + 1) base^(an + bn - 2k).
 */
static bool product_is_short(const struct text_number *a, const struct text_number *b)
{
    const size_t k = 10, least = 64; /* 36^10 < 2^52; room for the extra digit of a slice */
    unsigned __int128 limit = 1;
    if (a->n_digits < least || b->n_digits < least)
        return false;
    for (size_t i = 0; i < 2 * k - 1; i++)
        limit *= a->base;
    return (unsigned __int128)(leading(a, k) + 1) * (leading(b, k) + 1) <= limit;
}

/* by_text - the product of numbers of one base, by digits cut from their text. */
static enum gfmul_status by_text(struct call *call, struct text_product *t, char *room, size_t room_size,
                                 const struct text_number *a, const struct text_number *b)
{
    size_t zn;
    if (!size_add(&zn, a->n_digits, b->n_digits))
        return GFMUL_ERR_SIZE;
    if (product_is_short(a, b)) /* else the text would have to be moved in the end */
        zn--;
    enum gfmul_status status = product_room(call, t, room, room_size, zn);
    const struct product p = product_text(number_digits(t->digits, zn, a->base), a, b);
    if (status != GFMUL_OK || (status = product_verify_room(call, &p, 0)) != GFMUL_OK)
        return status;
    const unsigned threads = call_threads_limit(call, zn / digits_per_limb);
    status = mul_device(call, &p, zn / digits_per_limb, &t->checked);
    if (!t->checked)
        status = mul_cpu(call, &p);
    call->threads = threads;
    if (status != GFMUL_OK)
        return status;
    /* the product of numbers of an and bn digits has an + bn or an + bn - 1; few leave a zero here */
    size_t zeros = 0;
    while (zeros + 1 < zn && t->digits[zeros] == '0')
        zeros++;
    t->digits += zeros;
    t->n = zn - zeros;
    return GFMUL_OK;
}

/* check_room - whether the check of a product by limbs will have room, when these are gone and its text is there. */
static enum gfmul_status check_room(struct call *call, size_t room_size, unsigned z_base, const struct text_number *a,
                                    const struct text_number *b)
{
    const size_t an = text_limbs_max(a->n_digits, a->base), bn = text_limbs_max(b->n_digits, b->base);
    const size_t chars = an == 0 || bn == 0 ? 0 : limbs_text_max(an + bn, z_base);
    const struct product p = product_text(number_digits(NULL, chars, z_base), a, b);
    return chars == 0 ? GFMUL_ERR_SIZE : product_verify_room(call, &p, chars > room_size ? chars : 0);
}

/* by_limbs - the product of any two numbers, in base z_base. */
static enum gfmul_status by_limbs(struct call *call, struct text_product *t, char *room, size_t room_size, unsigned z_base,
                                  const struct text_number *a, const struct text_number *b)
{
    mp_limb_t *x = NULL, *y = NULL;
    void *z = NULL;
    size_t xn = 0, yn = 0, zn, chars;
    uint64_t start = clock_ns();
    enum gfmul_status status = check_room(call, room_size, z_base, a, b);
    if (status == GFMUL_OK)
        status = limbs_buffer(call, &x, &xn, a);
    if (status == GFMUL_OK && a == b)
        y = x, yn = xn;
    else if (status == GFMUL_OK)
        status = limbs_buffer(call, &y, &yn, b);
    call->report.parse_ns += clock_ns() - start;
    if (status != GFMUL_OK || (status = ctx_buffer_get(call, (xn + yn) * sizeof(mp_limb_t), &z)) != GFMUL_OK ||
        (status = print_room(call, xn + yn, room_size, z_base)) != GFMUL_OK ||
        (status = mul_route_limbs(call, z, x, xn, y, yn, false)) != GFMUL_OK)
        goto done;

    start = clock_ns();
    zn = xn + yn;
    while (zn > 0 && ((mp_limb_t *)z)[zn - 1] == 0)
        zn--;
    chars = limbs_text_max(zn, z_base);
    status = chars == 0 ? GFMUL_ERR_SIZE : product_room(call, t, room, room_size, chars);
    if (status == GFMUL_OK && !base_is_power_of_2(z_base))
        status = ctx_memory_room(call, (zn + 1) * sizeof(mp_limb_t)); /* likewise */
    if (status == GFMUL_OK)
        status = limbs_to_text(t->digits, &t->n, z, zn, z_base);
    call->report.print_ns += clock_ns() - start;
done:
    ctx_buffer_put(call, z);
    if (y != x)
        ctx_buffer_put(call, y);
    ctx_buffer_put(call, x);
    return status;
}

/* Text longer than this goes through limbs under the classical rule. */
enum { KNUTH_TEXT_DIGITS = 1 << 20 };

/* A number of so many times gmp_text_digits takes longer to convert than to multiply by one of a few digits. */
enum { TEXT_LONG = 8 };

/* cut_from_text - whether the product of these is made from digits of text. */
static bool cut_from_text(const struct gfmul_ctx *ctx, unsigned a_base, size_t an, unsigned b_base, size_t bn, unsigned z_base)
{
    if (ctx->opt.rule == GFMUL_RULE_KNUTH && (an > bn ? an : bn) > KNUTH_TEXT_DIGITS) /* pieces are of limbs */
        return false;
    const bool longer = (an < bn ? an : bn) >= ctx->gmp_text_digits || (an < bn ? bn : an) / TEXT_LONG >= ctx->gmp_text_digits;
    return a_base == b_base && a_base == z_base && !base_is_power_of_2(z_base) && longer;
}

/* str_mul - the product, once the arguments are known to be sound. */
static enum gfmul_status str_mul(struct call *call, char *z, size_t z_size, size_t *z_len, int z_base,
                                 const struct text_argument *a_text, const struct text_argument *b_text)
{
    struct text_number number_a, number_b;
    const struct text_number *a = &number_a, *b = &number_b;
    struct text_product product = {NULL, 0, NULL, false};
    enum gfmul_status status;

    memset(&number_a, 0, sizeof number_a);
    memset(&number_b, 0, sizeof number_b);
    uint64_t start = clock_ns();
    status = scan(call, &number_a, 0, a_text);
    if (status == GFMUL_OK && a_text->text == b_text->text && a_text->len == b_text->len && a_text->base == b_text->base)
        b = a; /* a square */
    else if (status == GFMUL_OK)
        status = scan(call, &number_b, 1, b_text);
    call->report.parse_ns += clock_ns() - start;
    if (status != GFMUL_OK)
        goto done;

    unsigned base = z_base ? (unsigned)z_base : a->base;
    bool zero = a->n_digits == 0 || b->n_digits == 0;
    size_t sign = !zero && a->negative != b->negative ? 1 : 0;
    if (z_size < sign + 2) {
        status = GFMUL_ERR_ARGUMENT;
    } else if (zero) {
        product.digits = z;
        product.digits[0] = '0';
        product.n = 1;
    } else if (cut_from_text(call->ctx, a->base, a->n_digits, b->base, b->n_digits, base)) {
        /* refuse what cannot fit before the work, not after it */
        if (z_size - sign - 1 < a->n_digits - 1 + b->n_digits)
            status = GFMUL_ERR_ARGUMENT;
        else
            status = by_text(call, &product, z + sign, z_size - sign - 1, a, b);
        /* rule checked has taken the residues already */
        product.checked =
            product.checked || (call->ctx->opt.rule == GFMUL_RULE_CHECKED && call->ctx->opt.verify == GFMUL_VERIFY_MOD);
        if (status == GFMUL_ERR_UNSUPPORTED && ctx_device_named(call->ctx)) { /* that device has limbs alone */
            ctx_buffer_put(call, product.owned);
            product.checked = false;
            status = by_limbs(call, &product, z + sign, z_size - sign - 1, base, a, b);
        }
    } else {
        status = by_limbs(call, &product, z + sign, z_size - sign - 1, base, a, b);
    }
    if (status == GFMUL_OK && !zero && !product.checked) {
        const struct product p = product_text(number_digits(product.digits, product.n, base), a, b);
        status = product_verify(call, &p);
    }
    if (status == GFMUL_OK && product.n > z_size - sign - 1)
        status = GFMUL_ERR_ARGUMENT;
    if (status == GFMUL_ERR_ARGUMENT)
        call_detail(call, "%zu bytes are too few for the product", z_size);
    if (status == GFMUL_OK) {
        start = clock_ns();
        if (product.digits != z + sign)
            memmove(z + sign, product.digits, product.n);
        if (sign)
            z[0] = '-';
        z[sign + product.n] = '\0';
        if (z_len)
            *z_len = sign + product.n;
        call->report.print_ns += clock_ns() - start;
    }
done:
    ctx_buffer_put(call, product.owned);
    text_number_free(&number_a);
    text_number_free(&number_b);
    return status;
}

enum gfmul_status gfmul_str_mul(struct gfmul_ctx *ctx, char *z, size_t z_size, size_t *z_len, int z_base, const char *a,
                                size_t a_len, int a_base, const char *b, size_t b_len, int b_base)
{
    struct call call;
    enum gfmul_status status;
    if (!(ctx = ctx_resolve(ctx, &status)))
        return status;
    const bool bases = (a_base == 0 || base_is_valid(a_base)) && (b_base == 0 || base_is_valid(b_base)) &&
                       (z_base == 0 || base_is_valid(z_base));
    const bool pointers = z && (a || a_len == 0) && (b || b_len == 0);
    const bool apart = !bytes_overlap(z, z_size, a, a_len) && !bytes_overlap(z, z_size, b, b_len);
    const struct text_argument x = {a, a_len, a_base}, y = {b, b_len, b_base};
    if (bases && pointers && apart && mul_text_short(ctx, z, z_size, z_len, z_base ? z_base : a_base, &x, &y))
        return GFMUL_OK;
    call_begin(&call, ctx);
    if (!bases) {
        call_detail(&call, "bases are 2 to 36, or 0");
        status = GFMUL_ERR_ARGUMENT;
    } else if (!pointers) {
        call_detail(&call, "a pointer to text is NULL");
        status = GFMUL_ERR_ARGUMENT;
    } else if (!apart) {
        call_detail(&call, "the product overlaps an operand");
        status = GFMUL_ERR_OVERLAP;
    } else {
        status = str_mul(&call, z, z_size, z_len, z_base, &x, &y);
    }
    return call_end(&call, status);
}

/* digits_limbs - limbs of n significant digits. */
static bool digits_limbs(size_t *limbs, size_t n, unsigned base)
{
    size_t bits;
    if (n == 0) {
        *limbs = 0;
        return true;
    }
    if (!converted_digits(&bits, n, base, 2))
        return false;
    *limbs = bits / 64 + (bits % 64 != 0);
    return true;
}

static enum gfmul_status plan_text(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, int base, size_t an, size_t bn,
                                   bool square)
{
    struct call call;
    enum gfmul_status status;
    size_t a_limbs, b_limbs;
    if (!(ctx = ctx_resolve(ctx, &status)))
        return status;
    call_begin(&call, ctx);
    if (!info || !base_is_valid(base)) {
        call_detail(&call, info ? "bases are 2 to 36" : "the plan to fill is NULL");
        return call_end(&call, GFMUL_ERR_ARGUMENT);
    }
    struct gfmul_plan_info plan;
    bool done = false;
    if (an > 0 && bn > 0 && cut_from_text(ctx, (unsigned)base, an, (unsigned)base, bn, (unsigned)base)) {
        const size_t limbs = an / digits_per_limb + bn / digits_per_limb;
        const unsigned threads = call_threads_limit(&call, limbs);
        const struct number x = number_digits(NULL, an > bn ? an : bn, (unsigned)base);
        const struct number y = number_digits(NULL, an > bn ? bn : an, (unsigned)base);
        const struct product p = {.z = number_digits(NULL, an + bn, (unsigned)base), .a = x, .b = y, .square = square};
        status = mul_device_plan(&call, &p, limbs, &plan, &done);
        if (!done)
            status = mul_plan_cpu(&call, &p, &plan);
        done = status != GFMUL_ERR_UNSUPPORTED || !ctx_device_named(ctx);
        call.threads = done ? call.threads : threads;
    }
    if (done) {
        ; /* the digits are cut from text */
    } else if (digits_limbs(&a_limbs, an, (unsigned)base) && digits_limbs(&b_limbs, bn, (unsigned)base)) {
        status = mul_plan_limbs(&call, &plan, a_limbs, b_limbs, square);
    } else {
        call_detail(&call, "%zu and %zu digits are too many", an, bn);
        status = GFMUL_ERR_SIZE;
    }
    if (status == GFMUL_OK)
        *info = call.report.plan = plan;
    return call_end(&call, status);
}

enum gfmul_status gfmul_plan_text(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, int base, size_t an, size_t bn)
{
    return plan_text(ctx, info, base, an, bn, false);
}

enum gfmul_status gfmul_plan_text_sqr(struct gfmul_ctx *ctx, struct gfmul_plan_info *info, int base, size_t an)
{
    return plan_text(ctx, info, base, an, an, true);
}
