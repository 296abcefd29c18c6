/*
 * fuzz_text.c - fuzz target: products of numbers in text, with a reader of its own and GMP's conversions as reference.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#include "../operands.h"

enum { CHARS = 600, MANY_CHARS = 20000 };

/* A number in text as the contract of gfmul_str_mul has it. */
struct number {
    char *text;
    size_t len;
    int base; /* as given: 0 or 2..36, or none of these */
    enum gfmul_status status;
    size_t offset; /* of the error */
    unsigned radix;
    mpz_t value; /* set where status is OK */
};

static unsigned digit_value(unsigned char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'Z' ? c - 'A' + 10u : 99;
}

static bool is_space(char c)
{
    return c != '\0' && strchr(" \t\n\v\f\r", c) != NULL;
}

static void refused(struct number *x, enum gfmul_status status, size_t offset)
{
    x->status = status;
    x->offset = offset;
}

/* number_read - one character after the other. */
static void number_read(struct number *x)
{
    const char *s = x->text;
    size_t i = 0, end = x->len, n = 0;
    bool negative = false;
    x->status = GFMUL_OK;
    while (i < end && is_space(s[i]))
        i++;
    if (i == end) {
        refused(x, GFMUL_ERR_EMPTY, end);
        return;
    }
    if (s[i] == '-' || s[i] == '+') {
        negative = s[i++] == '-';
        size_t j = i;
        while (j < end && is_space(s[j]))
            j++;
        if (j == end || j > i) {
            refused(x, j == end ? GFMUL_ERR_EMPTY : GFMUL_ERR_SYNTAX, i);
            return;
        }
    }
    x->radix = x->base == 0 ? 10 : (unsigned)x->base;
    if (end - i >= 2 && s[i] == '0') {
        const char c = s[i + 1];
        const unsigned named = c == 'x' || c == 'X' ? 16 : c == 'o' || c == 'O' ? 8 : c == 'b' || c == 'B' ? 2 : 0;
        if (named != 0 && (x->base == 0 || x->base == (int)named)) {
            x->radix = named;
            i += 2;
        }
    }
    if (i == end || digit_value((unsigned char)s[i]) >= x->radix) {
        refused(x, GFMUL_ERR_SYNTAX, i);
        return;
    }
    char *digits = fuzz_alloc(end - i + 1);
    size_t last = i, line = SIZE_MAX; /* line: the first '_' behind the last digit */
    for (; i < end; i++) {
        if (digit_value((unsigned char)s[i]) < x->radix) {
            digits[n++] = s[i];
            last = i;
            line = SIZE_MAX;
        } else if (s[i] == '_') {
            line = line == SIZE_MAX ? i : line;
        } else if (!is_space(s[i])) {
            refused(x, GFMUL_ERR_SYNTAX, i);
            free(digits);
            return;
        }
    }
    (void)last;
    digits[n] = '\0';
    if (line != SIZE_MAX) {
        refused(x, GFMUL_ERR_SYNTAX, line);
    } else {
        FUZZ_CHECK(mpz_set_str(x->value, digits, (int)x->radix) == 0, "GMP does not read \"%.60s\"", digits);
        if (negative)
            mpz_neg(x->value, x->value);
    }
    free(digits);
}

/* number_make - bytes of the input, or a number with what may stand around and between its digits. */
static void number_make(struct fuzz_input *in, struct number *x, size_t most)
{
    static const char fillers[] = " _\n\r\t\v\f_";
    mpz_init(x->value);
    const unsigned kind = (unsigned)fuzz_below(in, TEXT_KINDS + 6);
    const unsigned b = fuzz_u8(in);
    x->base = b < 37 ? (int)b : b < 160 ? 10 : b < 240 ? (int)(b % 37) : (int)b - 245;
    if (kind >= TEXT_KINDS) {
        x->len = fuzz_below(in, 256);
        x->len = x->len < in->left ? x->len : in->left;
        x->text = fuzz_alloc(x->len);
        for (size_t i = 0; i < x->len; i++)
            x->text[i] = (char)fuzz_u8(in);
        return;
    }
    const unsigned radix = x->base >= 2 && x->base <= 36 ? (unsigned)x->base : 10;
    const size_t n = fuzz_size(in, most), around = fuzz_below(in, 4);
    uint64_t state = fuzz_below(in, 1 << 16);
    const unsigned every = fuzz_u8(in); /* one of so many places has a filler; 0: none */
    char *digits = fuzz_alloc(n);
    text_fill(digits, n, (enum text_kind)kind, radix, 1 + (unsigned)fuzz_below(in, 10), state);
    x->text = fuzz_alloc(2 * n + 8);
    size_t len = 0;
    for (size_t i = 0; i < around; i++)
        x->text[len++] = fillers[fuzz_u8(in) % 8];
    if (fuzz_below(in, 3) == 0)
        x->text[len++] = '-';
    const unsigned upper = fuzz_u8(in) & 1;
    for (size_t i = 0; i < n; i++) {
        if (every != 0 && i > 0 && fuzz_next(&state) % every == 0)
            x->text[len++] = fillers[fuzz_next(&state) % 8];
        x->text[len++] = (char)(upper && digits[i] >= 'a' ? digits[i] - 32 : digits[i]);
    }
    for (size_t i = 0; i < around; i++)
        x->text[len++] = fillers[fuzz_u8(in) % 8];
    free(digits);
    x->len = len;
    char *exact = fuzz_alloc(len);
    memcpy(exact, x->text, len);
    free(x->text);
    x->text = exact;
}

static void number_free(struct number *x)
{
    mpz_clear(x->value);
    free(x->text);
}

static bool base_is_known(int base)
{
    return base == 0 || (base >= 2 && base <= 36);
}

/* refusal_check - what is refused is, for the reason and at the place that the reference has. */
static void refusal_check(struct gfmul_ctx *ctx, enum gfmul_status status, const struct number *x, int operand, bool small)
{
    struct gfmul_report r;
    gfmul_ctx_report(ctx, &r);
    FUZZ_CHECK(status == x->status || (small && status == GFMUL_ERR_ARGUMENT), "%s instead of %s, operand %d: \"%.*s\"",
               gfmul_strerror(status), gfmul_strerror(x->status), operand, (int)x->len, x->text);
    if (status == x->status)
        FUZZ_CHECK(r.error_operand == operand && r.error_offset == x->offset && r.error_line >= 1 && r.error_column >= 1 &&
                       r.error_reason[0] != '\0',
                   "operand %d at %zu instead of %d at %zu", r.error_operand, r.error_offset, operand, x->offset);
}

/* product_check - z against GMP's text. */
static void product_check(const char *z, size_t z_len, const struct number *a, const struct number *b, int base)
{
    mpz_t want;
    mpz_init(want);
    mpz_mul(want, a->value, b->value);
    const unsigned radix = base == 0 ? a->radix : (unsigned)base;
    char *text = fuzz_alloc(mpz_sizeinbase(want, (int)radix) + 2);
    mpz_get_str(text, (int)radix, want);
    FUZZ_CHECK(z_len == strlen(text), "%zu characters instead of %zu", z_len, strlen(text));
    FUZZ_CHECK(memcmp(z, text, z_len + 1) == 0, "another product than \"%.60s\"", text);
    free(text);
    mpz_clear(want);
}

void fuzz_text(struct fuzz_input *in)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    static struct gfmul_ctx *plain; /* of most inputs: making one takes longer than a short product */
    const unsigned how = fuzz_u8(in);
    opt.rule = GFMUL_RULE_NORM;
    if (how < 64) {
        fuzz_choices(in, &opt);
        if (gfmul_ctx_create(&ctx, &opt) != GFMUL_OK)
            return;
    } else if (plain == NULL) {
        gfmul_options_init(&opt);
        opt.device = "cpu";
        opt.engine = GFMUL_ENGINE_CPU;
        opt.threads = 1;
        FUZZ_CHECK(gfmul_ctx_create(&plain, &opt) == GFMUL_OK, "no context");
    }
    if (how >= 64)
        ctx = plain;
    struct number x, y, *a = &x, *b = &y;
    const size_t most = how % 64 == 63 ? MANY_CHARS : CHARS;
    number_make(in, a, most);
    number_make(in, b, most);
    if (how % 16 == 1 && a->base == b->base) { /* a square, of one text */
        number_free(b);
        *b = *a;
        b->text = NULL;
        mpz_init(b->value);
    }
    const unsigned zb = fuzz_u8(in);
    const int base = zb < 100 ? a->base : zb < 200 ? (int)(zb % 37) : (int)zb - 210;
    const char *b_text = b->text == NULL ? a->text : b->text;
    const size_t size = gfmul_str_mul_size(a->len, a->base, b->len, b->base, base);
    const bool bases = base_is_known(a->base) && base_is_known(b->base) && base_is_known(base);
    FUZZ_CHECK((size > 0) == bases, "size %zu", size);
    const unsigned less = fuzz_u8(in);
    const size_t room = less < 200 || size == 0 ? size : (size_t)less * size / 256;
    char *z = fuzz_alloc(room + (size == 0));
    size_t z_len = SIZE_MAX;
    const enum gfmul_status status =
        gfmul_str_mul(ctx, z, size == 0 ? 1 : room, &z_len, base, a->text, a->len, a->base, b_text, b->len, b->base);
    if (!bases) {
        FUZZ_CHECK(status == GFMUL_ERR_ARGUMENT || status == GFMUL_ERR_SYNTAX || status == GFMUL_ERR_EMPTY, "%s",
                   gfmul_strerror(status));
    } else {
        number_read(a);
        b->text = (char *)(uintptr_t)b_text;
        number_read(b);
        if (b_text == a->text)
            b->text = NULL;
        if (a->status != GFMUL_OK)
            refusal_check(ctx, status, a, 0, room < size);
        else if (b->status != GFMUL_OK)
            refusal_check(ctx, status, b, 1, room < size);
        else if (status == GFMUL_ERR_PRECISION)
            FUZZ_CHECK(opt.rule == GFMUL_RULE_KNUTH, "%s", gfmul_strerror(status));
        else if (room == size || status == GFMUL_OK)
            FUZZ_CHECK(status == GFMUL_OK, "%s", gfmul_strerror(status));
        else
            FUZZ_CHECK(status == GFMUL_ERR_ARGUMENT, "%s", gfmul_strerror(status));
        if (status == GFMUL_OK)
            product_check(z, z_len, a, b, base);
    }
    free(z);
    number_free(a);
    number_free(b);
    if (ctx != plain)
        gfmul_ctx_destroy(ctx);
}
