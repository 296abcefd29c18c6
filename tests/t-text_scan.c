/*
 * t-text_scan.c - reading numbers: every kind of good and bad text.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/alloc.h"
#include "test.h"
#include "text/text.h"

static const char digits_upper[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char digits_lower[] = "0123456789abcdefghijklmnopqrstuvwxyz";

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (p == NULL)
        abort();
    return p;
}

static const struct text_means alone = {SIZE_MAX, 1, NULL};

/* Scan a copy that ends where the text ends, so that reads beyond it are seen by the sanitizers. */
static enum gfmul_status scan_copy(struct text_number *num, char **copy, const char *text, size_t len, int base,
                                   struct text_error *err, unsigned threads)
{
    *copy = allocate(len);
    memcpy(*copy, text, len);
    return text_scan(num, *copy, len, base, err, &(struct text_means){SIZE_MAX, threads, NULL});
}

struct good {
    const char *text;
    int base;
    const char *digits;
    unsigned radix;
    bool negative, contiguous;
};

static void test_good(void)
{
    static const struct good table[] = {
        {"0", 0, "", 10, false, true},
        {"-0", 0, "", 10, false, true},
        {"+000", 10, "", 10, false, true},
        {"0 0_0\n0", 10, "", 10, false, true},
        {"7", 0, "7", 10, false, true},
        {"-7", 0, "7", 10, true, true},
        {"+7\n", 0, "7", 10, false, true},
        {"  \t\r\n\v\f-0012\r\n ", 0, "12", 10, true, true},
        {"0755", 0, "755", 10, false, true},
        {"1 2", 10, "12", 10, false, false},
        {"1_000_000", 0, "1000000", 10, false, false},
        {"1__2", 10, "12", 10, false, false},
        {"12_\n34\r\n56\r78", 10, "12345678", 10, false, false},
        {"00_\n0\n12", 10, "12", 10, false, true},
        {"0x1f", 0, "1f", 16, false, true},
        {"0XFf", 0, "Ff", 16, false, true},
        {"-0x0", 0, "", 16, false, true},
        {"0x00a", 0, "a", 16, false, true},
        {"0o17", 0, "17", 8, false, true},
        {"0O17", 0, "17", 8, false, true},
        {"0b101", 0, "101", 2, false, true},
        {"-0B1", 0, "1", 2, true, true},
        {"0x1f", 16, "1f", 16, false, true},
        {"1f", 16, "1f", 16, false, true},
        {"0b1", 16, "b1", 16, false, true},
        {"0b1", 2, "1", 2, false, true},
        {"0o7", 8, "7", 8, false, true},
        {"0b1", 12, "b1", 12, false, true},
        {"0x1", 36, "x1", 36, false, true},
        {"0x1", 34, "x1", 34, false, true},
        {"0o1", 25, "o1", 25, false, true},
        {"0b", 12, "b", 12, false, true},
        {"0b", 16, "b", 16, false, true},
        {"0x", 36, "x", 36, false, true},
        {"zZ", 36, "zZ", 36, false, true},
        {"0x1 2\n3", 0, "123", 16, false, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct good *g = &table[i];
        struct text_number num;
        struct text_error err;
        char *copy;
        test_note("\"%s\" base %d", g->text, g->base);
        enum gfmul_status status = scan_copy(&num, &copy, g->text, strlen(g->text), g->base, &err, 1);
        if (TEST_CHECK_MSG(status == GFMUL_OK, "status %d: %s", (int)status, err.reason)) {
            TEST_CHECK(num.negative == g->negative);
            TEST_CHECK(num.base == g->radix);
            TEST_CHECK_MSG(num.n_digits == strlen(g->digits) && memcmp(num.digits, g->digits, num.n_digits) == 0,
                           "digits \"%.*s\"", (int)num.n_digits, num.digits);
            TEST_CHECK((num.owned == NULL) == g->contiguous);
            TEST_CHECK(num.owned == NULL || num.digits == num.owned);
        }
        text_number_free(&num);
        TEST_CHECK(num.owned == NULL && num.n_digits == 0);
        free(copy);
    }
}

struct bad {
    const char *text;
    size_t len; /* 0: strlen */
    int base;
    enum gfmul_status status;
    size_t offset, line, column;
    const char *reason;
};

static void test_bad(void)
{
    static const struct bad table[] = {
        {"", 0, 0, GFMUL_ERR_EMPTY, 0, 1, 1, "no digits"},
        {" \n ", 0, 0, GFMUL_ERR_EMPTY, 3, 2, 2, "no digits"},
        {"-", 0, 0, GFMUL_ERR_EMPTY, 1, 1, 2, "a sign without digits"},
        {"\n+ \n", 0, 10, GFMUL_ERR_EMPTY, 2, 2, 2, "a sign without digits"},
        {"- 5", 0, 10, GFMUL_ERR_SYNTAX, 1, 1, 2, "white space between the sign and the digits"},
        {"0x", 0, 0, GFMUL_ERR_SYNTAX, 2, 1, 3, "prefix 0x without digits"},
        {"-0B\n", 0, 0, GFMUL_ERR_SYNTAX, 3, 1, 4, "prefix 0B without digits"},
        {"0o_7", 0, 8, GFMUL_ERR_SYNTAX, 2, 1, 3, "prefix 0o without digits"},
        {"0x 1", 0, 16, GFMUL_ERR_SYNTAX, 2, 1, 3, "prefix 0x without digits"},
        {"0xg", 0, 0, GFMUL_ERR_SYNTAX, 2, 1, 3, "stray character 'g' in a number of base 16"},
        {"0b2", 0, 0, GFMUL_ERR_SYNTAX, 2, 1, 3, "stray character '2' in a number of base 2"},
        {"0x-1", 0, 0, GFMUL_ERR_SYNTAX, 2, 1, 3, "second sign '-'"},
        {"00x1", 0, 0, GFMUL_ERR_SYNTAX, 2, 1, 3, "stray character 'x' in a number of base 10"},
        {"0x1", 0, 10, GFMUL_ERR_SYNTAX, 1, 1, 2, "stray character 'x' in a number of base 10"},
        {"0x1", 0, 33, GFMUL_ERR_SYNTAX, 1, 1, 2, "stray character 'x' in a number of base 33"},
        {"0b1", 0, 8, GFMUL_ERR_SYNTAX, 1, 1, 2, "stray character 'b' in a number of base 8"},
        {"--5", 0, 10, GFMUL_ERR_SYNTAX, 1, 1, 2, "second sign '-'"},
        {"-+5", 0, 10, GFMUL_ERR_SYNTAX, 1, 1, 2, "second sign '+'"},
        {"5-", 0, 10, GFMUL_ERR_SYNTAX, 1, 1, 2, "sign '-' after the first digit"},
        {"12\n34 g", 0, 10, GFMUL_ERR_SYNTAX, 6, 2, 4, "stray character 'g' in a number of base 10"},
        {"1\r\n2\r\n\r\n3.", 0, 10, GFMUL_ERR_SYNTAX, 9, 4, 2, "stray character '.' in a number of base 10"},
        {"1\r2\r\r3 4!", 0, 10, GFMUL_ERR_SYNTAX, 8, 4, 4, "stray character '!' in a number of base 10"},
        {"1\n\r\n2\v\f*", 0, 10, GFMUL_ERR_SYNTAX, 7, 3, 4, "stray character '*' in a number of base 10"},
        {"_1", 0, 10, GFMUL_ERR_SYNTAX, 0, 1, 1, "'_' before the first digit"},
        {"-_1", 0, 10, GFMUL_ERR_SYNTAX, 1, 1, 2, "'_' before the first digit"},
        {"1_", 0, 10, GFMUL_ERR_SYNTAX, 1, 1, 2, "'_' after the last digit"},
        {"0_", 0, 10, GFMUL_ERR_SYNTAX, 1, 1, 2, "'_' after the last digit"},
        {"12 _\n", 0, 10, GFMUL_ERR_SYNTAX, 3, 1, 4, "'_' after the last digit"},
        {"1\0002", 3, 10, GFMUL_ERR_SYNTAX, 1, 1, 2, "byte 0x00 in a number of base 10"},
        {"\000", 1, 0, GFMUL_ERR_SYNTAX, 0, 1, 1, "byte 0x00 in a number of base 10"},
        {"1\x7f", 0, 10, GFMUL_ERR_SYNTAX, 1, 1, 2, "byte 0x7f in a number of base 10"},
        {"1\xc2\xa0", 0, 10, GFMUL_ERR_SYNTAX, 1, 1, 2, "byte 0xc2 in a number of base 10"},
        {"\xef\xbb\xbf"
         "12",
         0, 0, GFMUL_ERR_SYNTAX, 0, 1, 1, "UTF-8 byte order mark; the number must be plain ASCII text"},
        {"12\n\xef\xbb\xbf"
         "12",
         0, 0, GFMUL_ERR_SYNTAX, 3, 2, 1, "UTF-8 byte order mark; the number must be plain ASCII text"},
        {"\xff\xfe"
         "1\0",
         4, 0, GFMUL_ERR_SYNTAX, 0, 1, 1, "UTF-16 byte order mark; the number must be plain ASCII text"},
        {"\xfe\xff"
         "\0001",
         4, 0, GFMUL_ERR_SYNTAX, 0, 1, 1, "UTF-16 byte order mark; the number must be plain ASCII text"},
        {"\xff"
         "1",
         0, 0, GFMUL_ERR_SYNTAX, 0, 1, 1, "byte 0xff in a number of base 10"},
        {"\xfe"
         "1",
         0, 0, GFMUL_ERR_SYNTAX, 0, 1, 1, "byte 0xfe in a number of base 10"},
        {"1\xff\xfe", 0, 0, GFMUL_ERR_SYNTAX, 1, 1, 2, "byte 0xff in a number of base 10"},
        {"\xef\xbb", 0, 0, GFMUL_ERR_SYNTAX, 0, 1, 1, "byte 0xef in a number of base 10"},
        {"`1", 0, 36, GFMUL_ERR_SYNTAX, 0, 1, 1, "stray character '`' in a number of base 36"},
        {"1@", 0, 36, GFMUL_ERR_SYNTAX, 1, 1, 2, "stray character '@' in a number of base 36"},
        {"1[", 0, 36, GFMUL_ERR_SYNTAX, 1, 1, 2, "stray character '[' in a number of base 36"},
        {"1{", 0, 36, GFMUL_ERR_SYNTAX, 1, 1, 2, "stray character '{' in a number of base 36"},
        {"1/", 0, 36, GFMUL_ERR_SYNTAX, 1, 1, 2, "stray character '/' in a number of base 36"},
        {"1:", 0, 36, GFMUL_ERR_SYNTAX, 1, 1, 2, "stray character ':' in a number of base 36"},
        {"8", 0, 8, GFMUL_ERR_SYNTAX, 0, 1, 1, "stray character '8' in a number of base 8"},
        {"1 0G", 0, 16, GFMUL_ERR_SYNTAX, 3, 1, 4, "stray character 'G' in a number of base 16"},
        {"3.14159", 0, 0, GFMUL_ERR_SYNTAX, 1, 1, 2, "stray character '.' in a number of base 10"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct bad *b = &table[i];
        struct text_number num;
        struct text_error err = {0, 0, 0, ""};
        char *copy;
        size_t len = b->len != 0 ? b->len : strlen(b->text);
        test_note("case %zu \"%s\" base %d", i, b->text, b->base);
        enum gfmul_status status = scan_copy(&num, &copy, b->text, len, b->base, &err, 1);
        TEST_CHECK_MSG(status == b->status, "status %d", (int)status);
        TEST_CHECK_MSG(err.offset == b->offset && err.line == b->line && err.column == b->column, "at %zu, line %zu, column %zu",
                       err.offset, err.line, err.column);
        TEST_CHECK_MSG(strcmp(err.reason, b->reason) == 0, "reason \"%s\"", err.reason);
        TEST_CHECK(num.owned == NULL && num.n_digits == 0);
        TEST_CHECK(text_scan(&num, copy, len, b->base, NULL, &alone) == b->status);
        text_number_free(&num);
        free(copy);
    }
}

static void test_arguments(void)
{
    struct text_number num;
    struct text_error err;
    TEST_CHECK(text_scan(NULL, "1", 1, 10, &err, &alone) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(text_scan(&num, NULL, 1, 10, &err, &alone) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(text_scan(&num, "1", 1, 1, &err, &alone) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(text_scan(&num, "1", 1, -2, &err, &alone) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(text_scan(&num, "1", 1, 37, &err, &alone) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(text_scan(&num, NULL, 0, 10, &err, &alone) == GFMUL_ERR_EMPTY);
    text_number_free(NULL);
    alloc_fail_after(1);
    enum gfmul_status status = text_scan(&num, "1 2", 3, 10, &err, &alone);
    alloc_fail_after(-1);
    TEST_CHECK(status == GFMUL_ERR_MEMORY && num.owned == NULL && num.n_digits == 0);
}

/* Is c a digit of the base, or a filler: written apart from the library's way. */
static int kind_of(unsigned char c, unsigned base)
{
    const char *p;
    if (c != '\0' && strchr(" \t\r\n\v\f_", c) != NULL)
        return 1;
    if (c != '\0' && ((p = strchr(digits_lower, c)) != NULL))
        return p - digits_lower < (long)base ? 0 : 2;
    if (c != '\0' && ((p = strchr(digits_upper, c)) != NULL))
        return p - digits_upper < (long)base ? 0 : 2;
    return 2;
}

/* Every byte at every place of a text that spans a few blocks of the scanner. */
static void test_every_byte(void)
{
    char text[150];
    for (unsigned base = 2; base <= 36; base++) {
        for (size_t place = 1; place < sizeof text - 1; place += base == 10 || base == 16 ? 1 : 13) {
            for (unsigned c = 0; c < 256; c++) {
                for (size_t i = 0; i < sizeof text; i++)
                    text[i] = i == 0 ? '1' : digits_lower[i % base];
                text[place] = (char)c;
                int kind = kind_of((unsigned char)c, base);
                struct text_number num;
                struct text_error err = {0, 0, 0, ""};
                test_note("base %u byte 0x%02x at %zu", base, c, place);
                enum gfmul_status status = text_scan(&num, text, sizeof text, (int)base, &err, &alone);
                TEST_CHECK(status == (kind == 2 ? GFMUL_ERR_SYNTAX : GFMUL_OK));
                if (kind == 2) {
                    TEST_CHECK(err.offset == place && err.line == 1 && err.column == place + 1);
                } else {
                    TEST_CHECK(num.n_digits == sizeof text - (size_t)kind && (num.owned != NULL) == (kind == 1));
                    if (kind == 1)
                        TEST_CHECK(memcmp(num.digits, text, place) == 0 &&
                                   memcmp(num.digits + place, text + place + 1, sizeof text - place - 1) == 0);
                }
                text_number_free(&num);
            }
        }
    }
}

/* Long texts, wrapped or not, with at most one stray character, on 1 to 4 threads. */
static void test_long_texts(void)
{
    static const char fillers[] = " \t\r\n\v\f_";
    for (int round = 0; round < (test_longest_tier() ? 2000 : 200); round++) {
        unsigned base = round % 3 == 0 ? 2 + (unsigned)test_below(35) : 10;
        size_t n = test_size(1, 700000), wrap = test_below(3) == 0 ? 0 : test_size(1, 300),
               zeros = test_below(4) == 0 ? test_size(1, 9000) : 0;
        char *text = allocate(2 * (n + zeros) + 60), *digits = allocate(n);
        size_t len = 0, line = 1, column = 1, start = 0;
        bool negative = test_below(2) == 0;
        for (size_t i = test_below(20); i > 0; i--)
            text[len++] = "\n "[test_below(2)];
        if (negative)
            text[len++] = '-';
        for (size_t i = 0; i < zeros + n; i++) {
            char c = '0';
            if (i >= zeros) {
                c = digits_upper[i == zeros ? 1 + test_below(base - 1) : test_below(base)];
                if (test_u64() & 1 && c >= 'A')
                    c = (char)(c + 32);
                digits[i - zeros] = c;
            }
            text[len++] = c;
            if (wrap != 0 && i + 1 < zeros + n && i % wrap == wrap - 1)
                text[len++] = test_below(4) == 0 ? fillers[test_below(7)] : '\n';
        }
        for (size_t i = test_below(200); i > 0 && len < 2 * (n + zeros) + 60; i--)
            text[len++] = '\n';
        unsigned threads = 1 + (unsigned)test_below(4);
        const struct text_means means = {SIZE_MAX, threads, NULL};
        struct text_number num;
        struct text_error err = {0, 0, 0, ""};
        test_note("base %u n %zu wrap %zu zeros %zu threads %u", base, n, wrap, zeros, threads);
        if (TEST_CHECK(text_scan(&num, text, len, (int)base, &err, &means) == GFMUL_OK)) {
            TEST_CHECK(num.negative == negative && num.n_digits == n);
            test_equal_text(num.digits, digits, num.n_digits < n ? num.n_digits : n);
        }
        text_number_free(&num);

        /* one or two stray characters after the first digit: the first is the one reported */
        size_t first = 0;
        while (kind_of((unsigned char)text[first], 36) != 0)
            first++;
        if (len - first > 1) {
            size_t bad = test_between(first + 1, len - 1), second = test_between(first + 1, len - 1);
            text[bad] = '#';
            text[second] = '#';
            bad = bad < second ? bad : second;
            for (size_t i = 0; i < bad; i++) {
                if (text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n')) {
                    line++;
                    start = i + 1;
                }
            }
            column = bad - start + 1;
            TEST_CHECK(text_scan(&num, text, len, (int)base, &err, &means) == GFMUL_ERR_SYNTAX);
            TEST_CHECK_MSG(err.offset == bad && err.line == line && err.column == column,
                           "at %zu, line %zu, column %zu; want %zu %zu %zu", err.offset, err.line, err.column, bad, line, column);
        }
        free(text);
        free(digits);
    }
}

/* One stray character, or one filler, at each place of a few thousand digits. */
static void test_one_among_many(void)
{
    static const char odd[] = "/:_ -9\xb9";
    const size_t len = 3300;
    char *text = allocate(len);
    for (size_t at = 1; at + 1 < len; at += 1 + (at % 1024 > 3 && at % 1024 < 1020 ? test_below(7) : 0)) {
        const unsigned base = test_below(4) == 0 ? 2 + (unsigned)test_below(8) : 10;
        const char c = odd[test_below(sizeof odd - 1)];
        struct text_number num;
        struct text_error err;
        char *copy;
        for (size_t i = 0; i < len; i++)
            text[i] = (char)('0' + (i == 0 || test_u64() & 1 ? base - 1 : test_below(base)));
        text[at] = c;
        test_note("base %u, 0x%02x at %zu", base, (unsigned char)c, at);
        enum gfmul_status status = scan_copy(&num, &copy, text, len, (int)base, &err, 1);
        if (c == '_' || c == ' ' || (c == '9' && base == 10)) {
            TEST_OK(status);
            TEST_CHECK(num.n_digits == len - (c != '9'));
            TEST_CHECK(memcmp(num.digits, text, at) == 0 &&
                       memcmp(num.digits + at + (c == '9'), text + at + 1, len - at - 1) == 0);
        } else {
            TEST_CHECK_MSG(status == GFMUL_ERR_SYNTAX && err.offset == at, "status %d, offset %zu", (int)status, err.offset);
        }
        text_number_free(&num);
        free(copy);
    }
    free(text);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_good);
    TEST_RUN(test_bad);
    TEST_RUN(test_arguments);
    TEST_RUN(test_every_byte);
    TEST_RUN(test_long_texts);
    TEST_RUN(test_one_among_many);
    return test_end();
}
