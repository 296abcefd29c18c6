/*
 * t-files_binary.c - numbers in the binary format: against a slow writer, damage of every byte, products against GMP.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "files_test.h"

/* ---- numbers ---- */

/* number_random - limbs that are random, or runs of 0 and of ones; the highest one is not 0. */
static void number_random(mpz_ptr x, size_t limbs)
{
    if (limbs == 0) {
        mpz_set_ui(x, 0);
        return;
    }
    mp_limb_t *const z = mpz_limbs_write(x, (mp_size_t)limbs);
    const unsigned kind = (unsigned)test_below(4);
    mp_limb_t run = 0;
    for (size_t i = 0; i < limbs; i++) {
        if (kind == 0 && test_below(50) == 0)
            run = ~run;
        z[i] = kind == 0 ? run : kind == 1 ? ~(mp_limb_t)0 : test_u64();
    }
    if (z[limbs - 1] == 0 || test_below(3) == 0)
        z[limbs - 1] = (mp_limb_t)1 << test_below(64);
    mpz_limbs_finish(x, test_below(2) ? -(mp_size_t)limbs : (mp_size_t)limbs);
}

/* same - whether limbs and a sign are a number. */
static bool same(mpz_srcptr x, const mp_limb_t *z, size_t zn, int negative)
{
    return zn == mpz_size(x) && negative == (mpz_sgn(x) < 0) && (zn == 0 || memcmp(z, mpz_limbs_read(x), zn * sizeof *z) == 0);
}

/* ---- files ---- */

static void trip_check(mpz_srcptr x, size_t block_limbs)
{
    size_t len, got_len = 0, zn = SIZE_MAX;
    int negative = -1;
    const size_t n = mpz_size(x);
    char *const file = binary_of(x, block_limbs, &len), *const own = test_alloc(gfmul_binary_bytes(n + 3) + 1);
    mp_limb_t *const z = test_alloc((n + 4) * sizeof *z);
    struct gfmul_files_report r;
    test_note("%zu limbs in blocks of %zu", n, block_limbs);
    TEST_OK(gfmul_binary_import(z, n, &zn, &negative, file, len, &r));
    TEST_CHECK(same(x, z, zn, negative));
    const int fd = file_of(file, len);
    struct gfmul_binary head;
    TEST_OK(gfmul_binary_open(fd, &head, &r));
    TEST_CHECK(head.limbs == n && head.block_limbs == block_limbs && head.file_bytes == len && head.negative == (mpz_sgn(x) < 0));
    const struct gfmul_binary whole = head;
    memset(&head, 7, sizeof head);
    TEST_OK(gfmul_binary_head(&head, file, 64, &r));
    TEST_CHECK(head.limbs == whole.limbs && head.block_limbs == whole.block_limbs && head.file_bytes == whole.file_bytes &&
               head.negative == whole.negative);
    memset(z, 7, (n + 4) * sizeof *z);
    TEST_OK(gfmul_binary_read(fd, z, n, &zn, &negative, NULL));
    TEST_CHECK(same(x, z, zn, negative));
    close(fd);

    /* the library's own file; limbs at the top that are 0 are left out */
    memset(z + n, 0, 3 * sizeof *z);
    char *const want = binary_of(x, BINARY_BLOCK_LIMBS, &len);
    const size_t above = test_below(4);
    TEST_OK(gfmul_binary_export(own, gfmul_binary_bytes(n + above), &got_len, z, n + above, mpz_sgn(x) < 0));
    TEST_CHECK(got_len == len && gfmul_binary_bytes(n) == len && memcmp(own, want, len) == 0);
    const int fz = file_make();
    TEST_OK(gfmul_binary_write(fz, z, n + above, mpz_sgn(x) < 0, &r));
    char *const written = file_text(fz, &got_len);
    TEST_CHECK(got_len == len && memcmp(written, want, len) == 0);
    TEST_CHECK(gfmul_binary_begins(written, got_len));
    close(fz);
    free(written);
    free(want);
    free(z);
    free(own);
    free(file);
}

static void test_round_trip(void)
{
    mpz_t x;
    mpz_init(x);
    for (size_t n = 0; n < 20; n++) {
        number_random(x, n);
        trip_check(x, (size_t)1 << test_below(6));
    }
    for (size_t i = 0; i < 30; i++) {
        const size_t block = (size_t)1 << test_below(12);
        number_random(x, block * (1 + test_below(9)) + test_below(3) - (block > 1));
        trip_check(x, block);
    }
    for (size_t i = 0; i < 3; i++) { /* beside two whole blocks of the library's own */
        number_random(x, 2 * BINARY_BLOCK_LIMBS - 1 + i);
        trip_check(x, BINARY_BLOCK_LIMBS);
    }
    mpz_clear(x);
}

/* The example of doc/binary.md. */
static void test_example(void)
{
    static const unsigned char want[] = {
        0x89, 0x47, 0x46, 0x4d, 0x0d, 0x0a, 0x1a, 0x0a, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* */
        0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* */
        0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* */
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x3d, 0x11, 0xa2, 0x30, 0xfb, 0x86, 0x08, 0x00, /* */
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* */
        0x81, 0xfe, 0xad, 0x0e, 0xda, 0x0c, 0x07, 0x00,
    };
    const mp_limb_t a[2] = {UINT64_C(0x0807060504030201), 0x0a09};
    char file[sizeof want];
    size_t len;
    TEST_OK(gfmul_binary_export(file, sizeof file, &len, a, 2, 1));
    TEST_CHECK(len == sizeof want && memcmp(file, want, sizeof want) == 0);
}

/* ---- what is refused ---- */

/* zero_file - a binary 0. */
static int zero_file(void)
{
    char head[64];
    size_t len;
    TEST_OK(gfmul_binary_export(head, sizeof head, &len, NULL, 0, 0));
    return file_of(head, len);
}

/* refused - by all readers, with a reason and an operand. */
static void refused(const char *file, size_t len, enum gfmul_status want, const char *why)
{
    struct gfmul_files_report r;
    struct gfmul_binary head;
    mp_limb_t *const z = test_alloc(len + 8);
    size_t zn;
    int negative;
    const int fd = file_of(file, len), fz = file_make(), f0 = zero_file();
    const struct gfmul_files_options opt = options_of(UINT64_C(1) << 30, 1);
    for (int how = 0; how < 5; how++) {
        const enum gfmul_status status = how == 0   ? gfmul_binary_import(z, len / 8 + 1, &zn, &negative, file, len, &r)
                                         : how == 1 ? gfmul_binary_read(fd, z, len / 8 + 1, &zn, &negative, &r)
                                         : how == 2 ? gfmul_binary_open(fd, &head, &r)
                                                    : gfmul_files_mul(fz, fd, how == 3 ? fd : f0, &opt, &r);
        const bool block = strstr(why, "block ") == why;
        if (how == 2 && block) { /* which does not read them */
            TEST_CHECK_MSG(status == GFMUL_OK, "status %d: %s", (int)status, r.detail);
            continue;
        }
        const bool text = how >= 3 && !gfmul_binary_begins(file, len);
        TEST_CHECK_MSG(status == (text && len == 0 ? GFMUL_ERR_EMPTY : want), "status %d by %d: %s", (int)status, how, r.detail);
        TEST_CHECK_MSG(text || strstr(r.error_reason, why) != NULL, "\"%s\", should have \"%s\"", r.error_reason, why);
        TEST_CHECK(r.status == status && r.error_operand == 0 && r.detail[0] != '\0' && file_bytes(fz) == 0);
        TEST_CHECK(text || r.error_line == 0);
    }
    close(fd);
    close(f0);
    close(fz);
    free(z);
}

/* Every byte of a small file changed in turn. */
static void test_every_byte(void)
{
    mpz_t x;
    size_t len;
    mpz_init(x);
    number_random(x, 11);
    mpz_limbs_modify(x, 11)[10] |= UINT64_C(0x0101010101010101); /* it is not 0 without one of its bytes */
    char *const file = binary_of(x, 4, &len);                    /* blocks of 4, 4 and 3 limbs */
    TEST_CHECK(len == 64 + 8 * (11 + 3));
    for (size_t i = 0; i < len; i++)
        for (unsigned round = 0; round < 4; round++) {
            const char before = file[i];
            const size_t block = i < 64 ? 0 : i < 64 + 88 ? (i - 64) / 32 + 1 : (i - 64 - 88) / 8 + 1;
            char why[40] = "";
            file[i] = (char)(before ^ (char)(round < 3 ? 1 << test_below(8) : 1 + (int)test_below(255)));
            test_note("byte %zu, %02x for %02x", i, (unsigned char)file[i], (unsigned char)before);
            if (block > 0)
                snprintf(why, sizeof why, "block %zu is damaged", block);
            refused(file, len, i >= 8 && i < 16 ? GFMUL_ERR_UNSUPPORTED : GFMUL_ERR_SYNTAX, why);
            file[i] = before;
        }
    free(file);
    mpz_clear(x);
}

/* Files that are cut off at every length, or too long. */
static void test_every_length(void)
{
    mpz_t x;
    size_t len;
    mpz_init(x);
    number_random(x, 9);
    char *const file = binary_of(x, 4, &len), *const longer = test_alloc_zeroed(len + 100, 1);
    memcpy(longer, file, len);
    for (size_t n = 0; n < len; n++) {
        test_note("%zu of %zu bytes", n, len);
        refused(file, n, GFMUL_ERR_SYNTAX, n < 8 ? "not a number" : n < 64 ? "the head" : "cut off");
    }
    for (size_t n = len + 1; n <= len + 100; n++) {
        test_note("%zu bytes, not %zu", n, len);
        refused(longer, n, GFMUL_ERR_SYNTAX, "too long");
    }
    free(file);
    free(longer);
    mpz_clear(x);
}

/* Fields that no writer writes, in a head whose checksum is right. */
static void test_fields(void)
{
    static const struct {
        size_t at;
        uint64_t word;
        enum gfmul_status status;
        const char *why;
    } cases[] = {{8, 0, GFMUL_ERR_UNSUPPORTED, "version 0 "},
                 {8, 2, GFMUL_ERR_UNSUPPORTED, "version 2 "},
                 {8, UINT64_C(0x100000001), GFMUL_ERR_UNSUPPORTED, "version 4294967297 "},
                 {16, 2, GFMUL_ERR_SYNTAX, "the sign"},
                 {16, UINT64_MAX, GFMUL_ERR_SYNTAX, "the sign"},
                 {24, 0, GFMUL_ERR_SYNTAX, "too long"},
                 {24, 1, GFMUL_ERR_SYNTAX, "too long"},
                 {24, 3, GFMUL_ERR_SYNTAX, "cut off"},
                 {24, UINT64_C(1) << 58, GFMUL_ERR_SYNTAX, "cut off"},
                 {24, (UINT64_C(1) << 58) + 1, GFMUL_ERR_SYNTAX, "more limbs"},
                 {24, (UINT64_C(1) << 61) + 2, GFMUL_ERR_SYNTAX, "more limbs"}, /* 8 n would be 16 modulo 2^64 */
                 {24, UINT64_MAX, GFMUL_ERR_SYNTAX, "more limbs"},
                 {32, 0, GFMUL_ERR_SYNTAX, "the limbs of a block"},
                 {32, 3, GFMUL_ERR_SYNTAX, "the limbs of a block"},
                 {32, 1, GFMUL_ERR_SYNTAX, "cut off"},
                 {32, UINT64_C(1) << 33, GFMUL_ERR_SYNTAX, "the limbs of a block"},
                 {32, UINT64_C(1) << 63, GFMUL_ERR_SYNTAX, "the limbs of a block"},
                 {40, 1, GFMUL_ERR_SYNTAX, "bytes 40 to 55"},
                 {48, UINT64_C(1) << 56, GFMUL_ERR_SYNTAX, "bytes 40 to 55"}};
    mpz_t x;
    size_t len;
    mpz_init(x);
    mpz_ui_pow_ui(x, 2, 100);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *const file = binary_of(x, 2, &len);
        test_note("byte %zu: %llx", cases[i].at, (unsigned long long)cases[i].word);
        word_put((unsigned char *)file + cases[i].at, cases[i].word);
        head_seal((unsigned char *)file);
        refused(file, len, cases[i].status, cases[i].why);
        free(file);
    }
    /* as many limbs as a block has at most are no error of the head */
    char *const file = binary_of(x, (size_t)1 << 32, &len);
    size_t zn;
    int negative;
    mp_limb_t z[2];
    TEST_OK(gfmul_binary_import(z, 2, &zn, &negative, file, len, NULL));
    TEST_CHECK(same(x, z, zn, negative));
    /* a highest limb that is 0, and a zero below zero */
    memset(file + 72, 0, 8);
    word_put((unsigned char *)file + 80, sum_reference((unsigned char *)file + 64, 16, 1));
    test_note("a highest limb of 0");
    struct gfmul_files_report r;
    struct gfmul_binary head;
    const int fd = file_of(file, len);
    TEST_CHECK(gfmul_binary_import(z, 2, &zn, &negative, file, len, &r) == GFMUL_ERR_SYNTAX &&
               strstr(r.error_reason, "highest limb") != NULL && r.error_offset == 72);
    TEST_CHECK(gfmul_binary_open(fd, &head, &r) == GFMUL_ERR_SYNTAX && strstr(r.error_reason, "highest limb") != NULL);
    close(fd);
    free(file);
    mpz_set_ui(x, 0);
    char *const zero = binary_of(x, 1, &len);
    TEST_CHECK(len == 64);
    word_put((unsigned char *)zero + 16, 1);
    head_seal((unsigned char *)zero);
    refused(zero, len, GFMUL_ERR_SYNTAX, "the sign");
    free(zero);
    mpz_clear(x);
}

/* Arguments that are none; files that cannot be written. */
static int reserve_nothing(int fd, off_t bytes)
{
    (void)fd;
    (void)bytes;
    return ENOSPC;
}

static void test_arguments(void)
{
    mp_limb_t a[3] = {1, 2, 3};
    char file[128];
    size_t len, zn;
    int negative;
    struct gfmul_files_report r;
    struct gfmul_binary head;
    const size_t bytes = gfmul_binary_bytes(3);
    TEST_CHECK(bytes == 64 + 24 + 8 && gfmul_binary_bytes(0) == 64 && gfmul_binary_bytes(SIZE_MAX) == 0);
    TEST_CHECK(gfmul_binary_bytes((size_t)1 << 58) == 64 + ((size_t)1 << 61) + ((size_t)1 << 45));
    TEST_CHECK(gfmul_binary_bytes(((size_t)1 << 58) + 1) == 0);
    TEST_CHECK(gfmul_binary_export(file, bytes - 1, &len, a, 3, 0) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_binary_export(NULL, bytes, &len, a, 3, 0) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_binary_export(file, bytes, NULL, a, 3, 0) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_binary_export(file, bytes, &len, NULL, 3, 0) == GFMUL_ERR_ARGUMENT);
    TEST_OK(gfmul_binary_export(file, bytes, &len, a, 3, 5));
    TEST_CHECK(gfmul_binary_import(a, 2, &zn, &negative, file, len, &r) == GFMUL_ERR_ARGUMENT && r.status == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_binary_import(NULL, 3, &zn, &negative, file, len, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_binary_import(a, 3, NULL, &negative, file, len, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_binary_import(a, 3, &zn, NULL, file, len, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_binary_import(a, 3, &zn, &negative, NULL, len, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_OK(gfmul_binary_import(a, 3, &zn, &negative, file, len, NULL));
    TEST_CHECK(zn == 3 && negative == 1);
    TEST_CHECK(gfmul_binary_head(NULL, file, len, &r) == GFMUL_ERR_ARGUMENT && r.status == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_binary_head(&head, NULL, len, NULL) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_binary_head(&head, file, 63, &r) == GFMUL_ERR_SYNTAX && r.status == GFMUL_ERR_SYNTAX);
    TEST_CHECK(!gfmul_binary_begins(NULL, 9) && !gfmul_binary_begins(file, 7) && gfmul_binary_begins(file, 8));

    const int fd = file_of(file, len), fz = file_make(), directory = open(folder, O_RDONLY);
    TEST_CHECK(gfmul_binary_open(fd, NULL, &r) == GFMUL_ERR_ARGUMENT && gfmul_binary_open(-1, &head, &r) == GFMUL_ERR_FILE);
    TEST_CHECK(gfmul_binary_open(directory, &head, &r) == GFMUL_ERR_FILE && r.error_operand == -1);
    TEST_CHECK(gfmul_binary_read(fd, a, 2, &zn, &negative, &r) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_binary_read(fd, a, 3, NULL, &negative, &r) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_binary_write(fd, a, 3, 0, &r) == GFMUL_ERR_ARGUMENT && file_bytes(fd) == len); /* not empty */
    TEST_CHECK(gfmul_binary_write(directory, a, 3, 0, &r) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_binary_write(fz, NULL, 3, 0, &r) == GFMUL_ERR_ARGUMENT);
    scratch_calls.reserve = reserve_nothing;
    TEST_CHECK(gfmul_binary_write(fz, a, 3, 0, &r) == GFMUL_ERR_SPACE && file_bytes(fz) == 0 && r.detail[0] != '\0');
    scratch_calls = real;
    for (enum fault fault = FAULT_EIO; fault <= FAULT_SPACE; fault++)
        for (long at = 1; at <= 3; at++) {
            calls_begin(fault, true, at);
            const enum gfmul_status status = gfmul_binary_write(fz, a, 3, 0, &r);
            scratch_calls = real;
            const bool harmless = fault == FAULT_SHORT || fault == FAULT_EINTR;
            test_note("fault %d of write %ld", (int)fault, at);
            TEST_CHECK_MSG((status == GFMUL_OK) == harmless && file_bytes(fz) == (harmless ? bytes : 0), "status %d",
                           (int)status);
            if (ftruncate(fz, 0) != 0)
                abort();
            if (fault == FAULT_SPACE)
                continue;
            calls_begin(fault, false, at);
            const enum gfmul_status read = gfmul_binary_read(fd, a, 3, &zn, &negative, &r);
            scratch_calls = real;
            TEST_CHECK_MSG(harmless ? read == GFMUL_OK : read == GFMUL_ERR_FILE && r.detail[0] != '\0', "status %d", (int)read);
        }
    close(fd);
    close(fz);
    close(directory);
}

/* ---- products ---- */

/* product_check - multiply by files, and compare.   b in: NULL: the square of a.   blocks in: of the operands' files */
static void product_check(mpz_srcptr a, mpz_srcptr b, const size_t *blocks, const struct gfmul_files_options *opt,
                          struct gfmul_files_report *r)
{
    size_t len, want_len;
    mpz_t z;
    mpz_init(z);
    mpz_mul(z, a, b != NULL ? b : a);
    char *const file_a = binary_of(a, blocks[0], &len);
    const int fa = file_of(file_a, len);
    char *const file_b = binary_of(b != NULL ? b : a, blocks[1], &len);
    const int fb = b != NULL ? file_of(file_b, len) : dup(fa), fz = file_make();
    if (!TEST_OK(gfmul_files_mul(fz, fa, fb, opt, r)))
        fprintf(stderr, "  detail: %s\n", r->detail);
    char *const got = file_text(fz, &len), *const want = binary_of(z, BINARY_BLOCK_LIMBS, &want_len);
    TEST_CHECK_MSG(len == want_len && memcmp(got, want, len) == 0, "another product, of %zu bytes, not %zu", len, want_len);
    TEST_CHECK(r->needs.binary && r->needs.product_bytes >= len && r->needs.product_bytes <= len + 16);
    free(got);
    free(want);
    free(file_a);
    free(file_b);
    close(fa);
    close(fb);
    close(fz);
    mpz_clear(z);
}

static void test_products(void)
{
    const size_t most = test_tier(30000, 200000, 2000000);
    uint64_t rows = 0;
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    for (size_t i = 0, n = test_tier(40, 400, 1000); i < n; i++) {
        const bool square = test_below(5) == 0;
        const size_t an = i == 0 ? 100000 : test_size(1, most), bn = square ? an : i == 0 ? 70000 : test_size(1, most);
        const size_t blocks[2] = {(size_t)1 << test_below(17), (size_t)1 << test_below(17)};
        number_random(a, an);
        number_random(b, bn);
        struct gfmul_files_options opt =
            options_of(memory_least_binary(an, bn, square, 2) * (1 + test_below(3)), 1 + test_below(3));
        opt.threads = 1 + (unsigned)test_below(2);
        struct gfmul_files_report r;
        test_note("%zu times %zu limbs, square %d, %llu bytes, blocks of %zu and %zu", an, bn, square,
                  (unsigned long long)opt.memory_limit, blocks[0], blocks[1]);
        calls_begin(FAULT_NONE, false, 0);
        product_check(a, square ? NULL : b, blocks, &opt, &r);
        TEST_CHECK_MSG(calls.read_bytes == r.read_bytes && calls.write_bytes == r.write_bytes,
                       "%llu bytes read and %llu written, reported are %llu and %llu", (unsigned long long)calls.read_bytes,
                       (unsigned long long)calls.write_bytes, (unsigned long long)r.read_bytes,
                       (unsigned long long)r.write_bytes);
        /* more may be moved by a carry through 255s, and if a limb is dropped */
        TEST_CHECK_MSG(r.needs.read_bytes <= r.read_bytes + 8 && r.needs.write_bytes <= r.write_bytes + 8 &&
                           r.needs.read_bytes + 16 * r.needs.product_digits >= r.read_bytes &&
                           r.needs.write_bytes + 16 * r.needs.product_digits >= r.write_bytes,
                       "stated were %llu and %llu", (unsigned long long)r.needs.read_bytes,
                       (unsigned long long)r.needs.write_bytes);
        scratch_calls = real;
        TEST_CHECK(r.needs.memory_bytes <= opt.memory_limit);
        rows = r.needs.rows > rows ? r.needs.rows : rows;
    }
    test_note("in all products");
    TEST_CHECK_MSG(rows >= 4, "at most %llu rows", (unsigned long long)rows); /* else they were too small for a test */
    mpz_clears(a, b, NULL);
}

/* 2^e + add, whose product's length is known only at its end; and zero. */
static void test_powers_of_two(void)
{
    static const unsigned exponents[] = {0, 1, 63, 64, 65, 128, 40000, 640000};
    static const size_t blocks[2] = {64, 1};
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++)
        for (int add = -1; add <= 1; add++)
            for (int other = -1; other <= 1; other++) {
                struct gfmul_files_report r;
                mpz_ui_pow_ui(a, 2, exponents[i]);
                mpz_ui_pow_ui(b, 2, exponents[test_below(8)]);
                add < 0 ? mpz_sub_ui(a, a, 1) : mpz_add_ui(a, a, (unsigned)add);
                other < 0 ? mpz_ui_sub(b, 1, b) : mpz_add_ui(b, b, (unsigned)other);
                const struct gfmul_files_options opt = options_of(UINT64_C(1) << 26, 1);
                test_note("2^%u%+d times %zu limbs", exponents[i], add, mpz_size(b));
                product_check(a, b, blocks, &opt, &r);
                product_check(b, NULL, blocks, &opt, &r);
            }
    mpz_clears(a, b, NULL);
}

/* The statement is the truth for random numbers; and at every size it is at most 23 bytes a byte of the product. */
static void test_bytes(void)
{
    double worst = 0;
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    for (size_t i = 0; i < 6; i++) {
        const size_t an = test_between(5000, 30000), bn = i % 2 ? an : test_between(5000, 90000), blocks[2] = {1 << 16, 1 << i};
        for (int which = 0; which < 2; which++) {
            const size_t n = which ? bn : an;
            mp_limb_t *const z = mpz_limbs_write(which ? b : a, (mp_size_t)n);
            for (size_t j = 0; j < n; j++)
                z[j] = test_u64();
            z[n - 1] |= (mp_limb_t)3 << 62;
            mpz_limbs_finish(which ? b : a, (mp_size_t)n);
        }
        struct gfmul_files_report r;
        const struct gfmul_files_options opt = options_of(memory_least_binary(an, bn, false, 1), 1 + i % 3);
        test_note("%zu times %zu limbs", an, bn);
        product_check(a, b, blocks, &opt, &r);
        TEST_CHECK_MSG(r.needs.read_bytes == r.read_bytes && r.needs.write_bytes == r.write_bytes,
                       "%llu bytes read and %llu written, stated were %llu and %llu", (unsigned long long)r.read_bytes,
                       (unsigned long long)r.write_bytes, (unsigned long long)r.needs.read_bytes,
                       (unsigned long long)r.needs.write_bytes);
    }
    mpz_clears(a, b, NULL);
    for (size_t i = 0; i < 20000; i++) {
        const uint64_t an = 8 * test_size(100000, (size_t)1 << 39), bn = an / (1 + test_below(20)) / 8 * 8 + 8;
        const struct scratch_task task = {.digits = {an, bn},
                                          .product_digits = an + bn,
                                          .extra = 64 + (an + bn) / (8 * BINARY_BLOCK_LIMBS) * 8,
                                          .sums = (an + bn) / (8 * BINARY_BLOCK_LIMBS) * 8,
                                          .binary = true,
                                          .threads = 2,
                                          .memory = UINT64_C(1) << 40,
                                          .opened = 300};
        struct scratch_plan plan;
        struct scratch_error e;
        if (scratch_plan_set(&plan, &task, &e) != GFMUL_OK)
            continue;
        const double each = (double)(plan.needs.read_bytes + plan.needs.write_bytes) / (double)(an + bn);
        worst = each > worst ? each : worst;
        TEST_CHECK(plan.k == 9 || plan.k == 10);
    }
    test_note("all sizes");
    TEST_CHECK_MSG(worst > 15 && worst <= 23, "%g bytes a byte", worst);
    printf("at most %.2f bytes a byte of the product\n", worst);
}

/* Text and binary do not go together; nor does a number's damage, wherever it is. */
static void test_refusals(void)
{
    const struct gfmul_files_options opt = options_of(UINT64_C(1) << 26, 1);
    const int text = file_of("12345", 5), binary = binary_file_of("-98765432109876543210", 1), fz = file_make();
    struct gfmul_files_report r;
    for (int i = 0; i < 2; i++) {
        TEST_CHECK(gfmul_files_mul(fz, i ? text : binary, i ? binary : text, &opt, &r) == GFMUL_ERR_UNSUPPORTED);
        TEST_CHECK(strstr(r.detail, "text") != NULL && strstr(r.detail, "binary") != NULL && r.error_operand == -1);
        TEST_CHECK(file_bytes(fz) == 0);
    }
    close(text);
    mpz_t x;
    mpz_init(x);
    for (size_t round = 0; round < 30; round++) {
        size_t len;
        char why[40];
        const size_t block = (size_t)1 << test_below(15);
        number_random(x, test_between(3000, 100000));
        mpz_limbs_modify(x, (mp_size_t)mpz_size(x))[mpz_size(x) - 1] |= 257; /* it is not 0 without one of its bytes */
        const size_t limbs = mpz_size(x), which = test_below((limbs + block - 1) / block);
        const size_t at = which * block + test_below(limbs - which * block < block ? limbs - which * block : block);
        char *const file = binary_of(x, block, &len);
        file[round % 3 == 0 ? 64 + 8 * limbs + 8 * which : 64 + 8 * at + test_below(7)] ^= (char)(1 << test_below(8));
        const int bad = file_of(file, len), second = (int)test_below(2);
        snprintf(why, sizeof why, "block %zu is damaged", which + 1);
        test_note("limb %zu of %zu, blocks of %zu", at, limbs, block);
        TEST_CHECK(gfmul_files_mul(fz, second ? binary : bad, second ? bad : binary, &opt, &r) == GFMUL_ERR_SYNTAX);
        TEST_CHECK_MSG(strstr(r.detail, why) != NULL && strstr(r.detail, second ? "second operand" : "first operand") != NULL,
                       "\"%s\", should have \"%s\"", r.detail, why);
        TEST_CHECK(r.error_operand == second && r.error_offset == 64 + 8 * (uint64_t)(which * block) && file_bytes(fz) == 0);
        close(bad);
        free(file);
    }
    close(binary);
    close(fz);
    mpz_clear(x);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    folder_make();
    TEST_RUN(test_round_trip);
    TEST_RUN(test_example);
    TEST_RUN(test_every_byte);
    TEST_RUN(test_every_length);
    TEST_RUN(test_fields);
    TEST_RUN(test_arguments);
    TEST_RUN(test_products);
    TEST_RUN(test_powers_of_two);
    TEST_RUN(test_bytes);
    TEST_RUN(test_refusals);
    (void)rmdir(folder);
    return test_end();
}
