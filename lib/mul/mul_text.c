/*
 * mul_text.c - products of numbers written in text.
 *
 * If all three bases agree, the convolution works on digits cut from the text.  Power-of-two bases, short operands and mixed
 * bases go through limbs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/overlap.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/call_run.h"
#include "mul/engine.h"
#include "mul/mul.h"
#include "mul/mul_verify.h"
#include "text/text_chars.h"

static bool base_is_power_of_2(unsigned base)
{
    return (base & (base - 1)) == 0;
}

/*
 * converted_digits - how many digits of base `to` always hold n digits of base `from`: n log(from) / log(to), rounded up.
 * The logarithms are scaled by 2^32; if one may be rounded, they are moved apart by more than their error.   False: overflow.
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
    /* base 0 means any base that a prefix can name; for b the largest of them is the worst case, whatever z's base */
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

enum gfmul_status mul_text_scan(struct call *call, struct text_number *num, int operand, const struct text_argument *argument)
{
    struct text_error err;
    memset(&err, 0, sizeof err);
    const size_t limit = call->ctx->opt.memory_limit;
    const size_t room = limit == 0 ? SIZE_MAX : limit > call->reserved ? limit - call->reserved : 0;
    const struct text_means means = {room, call->threads, call->monitor};
    enum gfmul_status status = text_scan(num, argument->text, argument->len, argument->base, &err, &means);
    if (status == GFMUL_OK && num->owned)
        call->reserved += num->n_digits;
    if (status == GFMUL_ERR_SYNTAX || status == GFMUL_ERR_EMPTY) {
        struct gfmul_report *report = &call->report;
        report->error_operand = operand;
        report->error_offset = err.offset;
        report->error_line = err.line;
        report->error_column = err.column;
        memcpy(report->error_reason, err.reason, sizeof err.reason);
        return call_fail(call, status, "operand %d: line %zu, column %zu: %s", operand + 1, err.line, err.column, err.reason);
    }
    return status == GFMUL_OK ? status : call_fail(call, status, "operand %d: %s", operand + 1, gfmul_strerror(status));
}

/* limbs_buffer - convert a number to limbs, in a buffer of the pool. */
static enum gfmul_status limbs_buffer(struct call *call, mp_limb_t **z, size_t *zn, const struct text_number *num)
{
    void *p = NULL;
    size_t limbs = text_limbs_max(num->n_digits, num->base), bytes;
    *z = NULL;
    if (limbs == 0 || !size_mul(&bytes, limbs, sizeof **z))
        return GFMUL_ERR_SIZE;
    TRY(ctx_buffer_get(call, bytes, &p));
    *z = p;
    if (!base_is_power_of_2(num->base))
        TRY(ctx_memory_room(call, num->n_digits)); /* the conversion makes a copy of the digits */
    return text_to_limbs(*z, zn, num);
}

/* A product in text while it is made: in the caller's room or, if that is too short, in a buffer of the pool. */
struct text_product {
    unsigned base;
    const struct text_number *a, *b; /* equal for a square */
    char *room;
    size_t room_size;
    char *digits; /* the product, without leading zeros */
    size_t n;
    void *owned; /* the buffer; NULL: digits are in the caller's room */
};

/* product_room - find room for n characters: the caller's or, if that is too short, a buffer. */
static enum gfmul_status product_room(struct call *call, struct text_product *t, size_t n)
{
    t->digits = t->room;
    if (n <= t->room_size)
        return GFMUL_OK;
    TRY(ctx_buffer_get(call, n, &t->owned));
    t->digits = t->owned;
    return GFMUL_OK;
}

/* print_room - whether there will be room to print a product of zn limbs: its characters, and the memory that GMP asks for. */
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
 * product_is_short - true if the product surely has one digit less than both operands together.  Let u and v be the numbers that
 * their first k digits make: then the product is below (u + 1) (v + 1) base^(an + bn - 2k).
 */
static bool product_is_short(const struct text_number *a, const struct text_number *b)
{
    const size_t k = 10, least = 64; /* 36^10 < 2^52; room for the extra digit of a cell */
    unsigned __int128 limit = 1;
    if (a->n_digits < least || b->n_digits < least)
        return false;
    for (size_t i = 0; i < 2 * k - 1; i++)
        limit *= a->base;
    return (unsigned __int128)(leading(a, k) + 1) * (leading(b, k) + 1) <= limit;
}

/* Text longer than this goes through limbs under the classical rule. */
enum { KNUTH_TEXT_DIGITS = 1 << 20 };

/* Converting a number of so many times gmp_text_digits takes longer than multiplying it by one of a few digits. */
enum { TEXT_LONG = 8 };

/* cut_from_text - whether a product of these sizes and bases is made from digits of text. */
static bool cut_from_text(const struct gfmul_ctx *ctx, unsigned a_base, size_t an, unsigned b_base, size_t bn, unsigned z_base)
{
    if (ctx->opt.rule == GFMUL_RULE_KNUTH && (an > bn ? an : bn) > KNUTH_TEXT_DIGITS) /* cells are of limbs */
        return false;
    const bool longer = (an < bn ? an : bn) >= ctx->gmp_text_digits || (an < bn ? bn : an) / TEXT_LONG >= ctx->gmp_text_digits;
    return a_base == b_base && a_base == z_base && !base_is_power_of_2(z_base) && longer;
}

/* by_digits - multiply numbers of one base by digits cut from their text, and check the product. */
static enum gfmul_status by_digits(struct call *call, void *of, enum outcome *outcome)
{
    struct text_product *t = of;
    const struct text_number *a = t->a, *b = t->b;
    size_t zn, zeros = 0;
    if (!cut_from_text(call->ctx, a->base, a->n_digits, b->base, b->n_digits, t->base)) {
        *outcome = OUTCOME_UNFIT;
        return GFMUL_OK;
    }
    if (!size_add(&zn, a->n_digits, b->n_digits))
        return GFMUL_ERR_SIZE;
    if (t->room_size < zn - 1) /* it cannot fit: refuse before the work, not after it */
        return GFMUL_ERR_ARGUMENT;
    if (product_is_short(a, b)) /* saves moving the text at the end */
        zn--;
    TRY(product_room(call, t, zn));
    const struct product p = product_text(number_digits(t->digits, zn, t->base), a, b);
    TRY(product_make(call, &p, true, outcome));
    /* the product of numbers of an and bn digits has an + bn or an + bn - 1; few leave a zero here */
    while (zeros + 1 < zn && t->digits[zeros] == '0')
        zeros++;
    t->digits += zeros;
    t->n = zn - zeros;
    return GFMUL_OK;
}

/* check_room - whether the check of a product by limbs will have room; by then the limbs are freed, and the text is there. */
static enum gfmul_status check_room(struct call *call, const struct text_product *t)
{
    const size_t an = text_limbs_max(t->a->n_digits, t->a->base), bn = text_limbs_max(t->b->n_digits, t->b->base);
    const size_t chars = an == 0 || bn == 0 ? 0 : limbs_text_max(an + bn, t->base);
    const struct product p = product_text(number_digits(NULL, chars, t->base), t->a, t->b);
    return chars == 0 ? GFMUL_ERR_SIZE : product_verify_room(call, &p, chars > t->room_size ? chars : 0);
}

/* limbs_print - convert zn limbs to text. */
static enum gfmul_status limbs_print(struct call *call, struct text_product *t, mp_limb_t *z, size_t zn)
{
    const size_t used = limbs_normal_size(z, zn), chars = limbs_text_max(used, t->base);
    phase_enter(&call->clock, PHASE_PRINT);
    if (chars == 0)
        return GFMUL_ERR_SIZE;
    TRY(product_room(call, t, chars));
    if (!base_is_power_of_2(t->base))
        TRY(ctx_memory_room(call, (used + 1) * sizeof(mp_limb_t))); /* the conversion makes a copy of the limbs */
    return limbs_to_text(t->digits, &t->n, z, used, t->base);
}

/* by_limbs - multiply two numbers in any bases through limbs, and check the product.   On failure call_end frees the buffers. */
static enum gfmul_status by_limbs(struct call *call, void *of, enum outcome *outcome)
{
    struct text_product *t = of;
    mp_limb_t *x, *y;
    void *z;
    size_t xn, yn;
    (void)outcome;
    ctx_buffer_put(call, t->owned); /* of a product of digits that failed */
    t->owned = NULL;
    phase_enter(&call->clock, PHASE_PARSE);
    TRY(check_room(call, t));
    TRY(limbs_buffer(call, &x, &xn, t->a));
    y = x;
    yn = xn;
    if (t->a != t->b)
        TRY(limbs_buffer(call, &y, &yn, t->b));
    phase_enter(&call->clock, PHASE_OTHER);
    TRY(ctx_buffer_get(call, (xn + yn) * sizeof(mp_limb_t), &z));
    TRY(print_room(call, xn + yn, t->room_size, t->base));
    TRY(mul_limbs(call, z, x, xn, y, yn, false));
    TRY(limbs_print(call, t, z, xn + yn));
    phase_enter(&call->clock, PHASE_OTHER);
    ctx_buffer_put(call, z);
    if (y != x)
        ctx_buffer_put(call, y);
    ctx_buffer_put(call, x);
    const struct product p = product_text(number_digits(t->digits, t->n, t->base), t->a, t->b);
    return product_verify(call, &p);
}

/* product_print - put sign, digits and terminating zero where the caller wants them. */
static void product_print(struct call *call, const struct text_product *t, char *z, bool sign, size_t *z_len)
{
    phase_enter(&call->clock, PHASE_PRINT);
    if (t->digits != z + sign)
        memmove(z + sign, t->digits, t->n);
    if (sign)
        z[0] = '-';
    z[sign + t->n] = '\0';
    if (z_len)
        *z_len = sign + t->n;
    phase_enter(&call->clock, PHASE_OTHER);
}

/* text_multiply - multiply numbers that have been read.   Errors: ARGUMENT if there is too little room. */
static enum gfmul_status text_multiply(struct call *call, const struct text_result *to, const struct text_number *a,
                                       const struct text_number *b)
{
    static product_way *const ways[] = {by_digits, by_limbs, NULL};
    const bool zero = a->n_digits == 0 || b->n_digits == 0, sign = !zero && a->negative != b->negative;
    struct text_product t = {.base = to->base ? (unsigned)to->base : a->base, .a = a, .b = b};
    if (to->size < sign + 2u)
        return GFMUL_ERR_ARGUMENT;
    t.digits = t.room = to->z + sign;
    t.room_size = to->size - sign - 1;
    if (zero) {
        t.digits[0] = '0';
        t.n = 1;
    } else {
        TRY(product_by_ways(call, ways, &t));
    }
    if (t.n > t.room_size)
        return GFMUL_ERR_ARGUMENT;
    product_print(call, &t, to->z, sign, to->len);
    ctx_buffer_put(call, t.owned);
    return GFMUL_OK;
}

/* str_mul - read both operands and multiply them; the arguments are sound. */
static enum gfmul_status str_mul(struct call *call, const struct text_result *to, const struct text_argument *a,
                                 const struct text_argument *b)
{
    const bool square = a->text == b->text && a->len == b->len && a->base == b->base;
    struct text_number x = {.owned = NULL}, y = x;
    phase_enter(&call->clock, PHASE_PARSE);
    enum gfmul_status status = mul_text_scan(call, &x, 0, a);
    if (status == GFMUL_OK && !square)
        status = mul_text_scan(call, &y, 1, b);
    phase_enter(&call->clock, PHASE_OTHER);
    if (status == GFMUL_OK && (status = text_multiply(call, to, &x, square ? &x : &y)) == GFMUL_ERR_ARGUMENT)
        call_fail(call, status, "%zu bytes are too few for the product", to->size);
    text_number_free(&x);
    text_number_free(&y);
    return status;
}

struct str_arguments {
    struct text_result z;
    struct text_argument a, b;
    bool bases, pointers, apart; /* whether they are sound */
};

/* str_mul_checked - a product of text within a call. */
static enum gfmul_status str_mul_checked(struct call *call, const void *arguments)
{
    const struct str_arguments *of = arguments;
    if (!of->bases)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "bases are 2 to 36, or 0");
    if (!of->pointers)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a pointer to text is NULL");
    if (!of->apart)
        return call_fail(call, GFMUL_ERR_OVERLAP, "the product overlaps an operand");
    return str_mul(call, &of->z, &of->a, &of->b);
}

enum gfmul_status gfmul_str_mul(struct gfmul_ctx *ctx, char *z, size_t z_size, size_t *z_len, int z_base, const char *a,
                                size_t a_len, int a_base, const char *b, size_t b_len, int b_base)
{
    enum gfmul_status status;
    if (!(ctx = ctx_resolve(ctx, &status)))
        return status;
    const bool bases = (a_base == 0 || base_is_valid(a_base)) && (b_base == 0 || base_is_valid(b_base)) &&
                       (z_base == 0 || base_is_valid(z_base));
    const bool pointers = z && (a || a_len == 0) && (b || b_len == 0);
    const bool apart = !bytes_overlap(z, z_size, a, a_len) && !bytes_overlap(z, z_size, b, b_len);
    const struct str_arguments of = {{z, z_size, z_len, z_base}, {a, a_len, a_base}, {b, b_len, b_base}, bases, pointers, apart};
    if (bases && pointers && apart && mul_text_short(ctx, &of.z, &of.a, &of.b))
        return GFMUL_OK;
    return call_run(ctx,
                    &(struct call_work)CALL_WORK(str_mul_checked, &of, a_len / TEXT_LIMB_CHARS + b_len / TEXT_LIMB_CHARS + 1));
}

/* digits_limbs - how many limbs n significant digits need; 0 digits need none.   False: overflow. */
static bool digits_limbs(size_t *limbs, size_t n, unsigned base)
{
    size_t bits;
    if (!converted_digits(&bits, n, base, 2))
        return false;
    *limbs = bits / 64 + (bits % 64 != 0);
    return true;
}

/* A product of text that is planned. */
struct text_foreseen {
    struct gfmul_plan_info *info;
    const struct foreseen *of;
};

static enum gfmul_status foresee_digits(struct call *call, void *arguments, enum outcome *outcome)
{
    const struct text_foreseen *x = arguments;
    const struct foreseen *of = x->of;
    const size_t longer = of->an > of->bn ? of->an : of->bn, shorter = of->an > of->bn ? of->bn : of->an;
    if (shorter == 0 || !cut_from_text(call->ctx, of->base, of->an, of->base, of->bn, of->base)) {
        *outcome = OUTCOME_UNFIT;
        return GFMUL_OK;
    }
    const struct product p = {.z = number_digits(NULL, of->an + of->bn, of->base),
                              .a = number_digits(NULL, longer, of->base),
                              .b = number_digits(NULL, shorter, of->base),
                              .square = of->square};
    return product_foresee(call, &p, &of->also, x->info, outcome);
}

static enum gfmul_status foresee_limbs(struct call *call, void *arguments, enum outcome *outcome)
{
    const struct text_foreseen *x = arguments;
    const struct foreseen *of = x->of;
    struct foreseen limbs = *of;
    (void)outcome;
    if (!digits_limbs(&limbs.an, of->an, of->base) || !digits_limbs(&limbs.bn, of->bn, of->base))
        return call_fail(call, GFMUL_ERR_SIZE, "%zu and %zu digits are too many", of->an, of->bn);
    return mul_foresee_limbs(call, x->info, &limbs);
}

enum gfmul_status mul_foresee_text(struct call *call, struct gfmul_plan_info *info, const struct foreseen *of)
{
    static product_way *const ways[] = {foresee_digits, foresee_limbs, NULL};
    struct text_foreseen x = {info, of};
    return product_by_ways(call, ways, &x);
}
