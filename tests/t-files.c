/*
 * t-files.c - products of numbers in files: against GMP, the bytes that they move, and refusals.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "files_test.h"

/* ---- operands ---- */

/* number_put - random digits, or runs of 0 and 9, in the forms that a file may have.   text out: digits + 80 characters */
static size_t number_put(char *text, size_t digits)
{
    static const char *const before[] = {"", "", "-", "+", " \n\t- ", "000", "-0000000"}, *const after[] = {"", "\n", " \r\n\n"};
    size_t n = (size_t)sprintf(text, "%s", before[test_below(7)]);
    const unsigned kind = (unsigned)test_below(4);
    char run = '9';
    for (size_t i = 0; i < digits; i++) {
        if (kind == 0 && test_below(50) == 0)
            run = "09"[test_below(2)];
        text[n++] = kind == 0 ? run : (char)('0' + test_below(10));
    }
    return n + (size_t)sprintf(text + n, "%s", after[test_below(3)]);
}

/* product_check - multiply two texts by files, and compare.   b in: NULL: the square of a */
static bool product_check(const char *a, const char *b, const struct gfmul_files_options *opt, struct gfmul_files_report *report)
{
    const int fa = file_of(a, strlen(a)), fb = b != NULL ? file_of(b, strlen(b)) : dup(fa), fz = file_make();
    const bool done = TEST_OK(gfmul_files_mul(fz, fa, fb, opt, report));
    if (!done)
        fprintf(stderr, "  detail: %s\n", report->detail);
    size_t len;
    char *const got = file_text(fz, &len), *const want = product_text(a, b);
    const bool good = done && TEST_CHECK_MSG(len == strlen(want), "%zu characters, should be %zu", len, strlen(want)) &&
                      test_equal_text(got, want, len);
    free(got);
    free(want);
    close(fa);
    close(fb);
    close(fz);
    return good;
}

/* ---- products ---- */

static void test_products(void)
{
    const size_t most = test_tier(200000, 2000000, 20000000);
    uint64_t rows = 0, blocks = 0;
    for (size_t i = 0, n = test_tier(40, 400, 1000); i < n; i++) {
        const bool square = test_below(5) == 0;
        const size_t a_digits = test_size(1, most), b_digits = square ? a_digits : test_size(1, most);
        char *const a = test_alloc(a_digits + 80), *const b = test_alloc(b_digits + 80);
        a[number_put(a, a_digits)] = '\0';
        b[number_put(b, b_digits)] = '\0';
        const uint64_t least = memory_least(a_digits, b_digits, square, 2);
        struct gfmul_files_options opt = options_of(least * (1 + test_below(3)), 1 + test_below(3));
        opt.threads = 1 + (unsigned)test_below(2);
        struct gfmul_files_report r;
        test_note("%zu times %zu digits, square %d, %llu bytes", a_digits, b_digits, square,
                  (unsigned long long)opt.memory_limit);
        product_check(a, square ? NULL : b, &opt, &r);
        TEST_CHECK(r.needs.memory_bytes <= opt.memory_limit);
        rows = r.needs.rows > rows ? r.needs.rows : rows;
        if (r.needs.rows > 1)
            blocks = r.needs.row_points / r.needs.block_points > blocks ? r.needs.row_points / r.needs.block_points : blocks;
        free(a);
        free(b);
    }
    test_note("in all products");
    TEST_CHECK_MSG(rows >= 4 && blocks >= 8, "at most %llu rows and %llu blocks", (unsigned long long)rows,
                   (unsigned long long)blocks); /* else the products were too small for a test */
}

/* special_put - 10^n + add, add in -1 .. 1. */
static void special_put(char *text, size_t n, int add)
{
    if (add < 0) {
        memset(text, '9', n);
        text[n] = '\0';
        return;
    }
    memset(text, '0', n + 1);
    text[0] = '1';
    text[n] = (char)(text[n] + add);
    text[n + 1] = '\0';
}

/* Products beside powers of ten: their length is known only at the end, and carries run far. */
static void test_powers_of_ten(void)
{
    static const size_t sizes[] = {1, 18, 19, 24, 25, 5000, 70000};
    char *const a = test_alloc(70002), *const b = test_alloc(70002);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int add = -1; add <= 1; add++)
            for (int other = -1; other <= 1; other++) {
                struct gfmul_files_report r;
                special_put(a, sizes[i], add);
                special_put(b, sizes[i], other);
                const struct gfmul_files_options opt = options_of(memory_least(sizes[i] + 1, sizes[i] + 1, false, 1), 1);
                test_note("(10^%zu%+d) (10^%zu%+d)", sizes[i], add, sizes[i], other);
                product_check(a, b, &opt, &r);
                if (add == other)
                    product_check(a, NULL, &opt, &r);
            }
    free(a);
    free(b);
}

static void test_zero(void)
{
    static const char *const texts[] = {"0", "-0\n", "  000000 ", "7", "-12345678901234567890"};
    const struct gfmul_files_options opt = options_of(1 << 20, 1);
    struct gfmul_files_report r;
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++) {
            test_note("\"%s\" \"%s\"", texts[i], texts[j]);
            product_check(texts[i], texts[j], &opt, &r);
        }
}

/* ---- columns, for all radices ---- */

static void test_columns(void)
{
    static const size_t all_rows[] = {1, 2, 3, 4, 5, 6, 7, 15, 21, 35, 105, 64, 210};
    for (size_t n = 0; n < sizeof all_rows / sizeof *all_rows; n++) {
        const size_t rows = all_rows[n], width = SCRATCH_TILE, row_points = 1024, k = 22 + n % 3, block = test_below(16);
        const struct scratch_plan plan = {
            .threads = 2, .k = k, .rows = rows, .row_points = row_points, .block_points = width, .levels = 10, .blocks = 16};
        struct columns c;
        test_note("%zu rows, block %zu", rows, block);
        if (!TEST_OK(columns_create(&c, &plan)))
            return;
        const size_t chars = rows * width * k, words = WORD_PRIMES * rows * width, used = 1 + test_below(rows);
        char *const text = test_alloc(chars), *const back = test_alloc(chars);
        uint64_t *const x = test_alloc(words * sizeof *x);
        unsigned __int128 *const carry = test_alloc_zeroed(rows * (SCRATCH_RUNS + 1), sizeof *carry);
        for (size_t i = 0; i < chars; i++)
            text[i] = i < used * width * k ? (char)('0' + test_below(10)) : '0';
        TEST_OK(columns_forward(&c, x, text, block, used));
        for (size_t i = 0; i < 12; i++) { /* one value by its definition */
            const size_t prime = test_below(WORD_PRIMES), place = test_below(rows), column = test_below(width);
            const uint64_t p = word_primes[prime].p, w = prime_root(&word_primes[prime], rows * row_points);
            uint64_t f = 0, sum = 0; /* the row of a place: its step is w^f */
            while (f < rows && residue_power(w, f, p) != c.prime[prime].step[0][place])
                f++;
            TEST_CHECK(f < rows);
            for (size_t r = 0; r < used; r++) {
                const char *const s = text + ((r + 1) * width - column - 1) * k;
                uint64_t v = 0;
                for (size_t d = 0; d < k; d++)
                    v = (residue_mul(v, 10, p) + (uint64_t)(s[d] - '0')) % p;
                sum = (sum + residue_mul(v, residue_power(w, f * r * row_points, p), p)) % p;
            }
            sum = residue_mul(sum, residue_power(w, f * (block * width + column), p), p);
            TEST_CHECK(x[(prime * rows + place) * width + column] == sum);
        }
        TEST_OK(columns_back(&c, x, block));
        columns_carry(&c, back, carry, x);
        test_equal_text(back, text, chars);
        for (size_t r = 0; r < rows; r++)
            TEST_CHECK(carry[r * (SCRATCH_RUNS + 1)] == 0);
        free(text);
        free(back);
        free(x);
        free(carry);
        columns_destroy(&c);
    }
}

/* The largest coefficients that there may be, and the largest carries. */
static void carries_check(size_t k)
{
    const size_t width = SCRATCH_TILE;
    const struct scratch_plan plan = {
        .threads = 1, .k = k, .rows = 1, .row_points = 1024, .block_points = width, .levels = 10, .blocks = 16};
    struct columns c;
    char text[SCRATCH_TILE * 24 + 1];
    uint64_t x[WORD_PRIMES * SCRATCH_TILE];
    unsigned __int128 carry[SCRATCH_RUNS + 1];
    mpz_t sum, v, p, all, base;
    mpz_inits(sum, v, p, all, base, NULL);
    mpz_ui_pow_ui(base, 10, k);
    mpz_set_ui(all, 1);
    for (unsigned i = 0; i < WORD_PRIMES; i++) {
        mpz_import(p, 1, -1, 8, 0, 0, &word_primes[i].p);
        mpz_mul(all, all, p);
    }
    test_note("k %zu", k);
    if (!TEST_OK(columns_create(&c, &plan)))
        return;
    gmp_randstate_t random;
    gmp_randinit_default(random);
    gmp_randseed_ui(random, (unsigned long)test_u64());
    for (unsigned round = 0; round < 50; round++) {
        mpz_set_ui(sum, 0);
        for (size_t i = width; i-- > 0;) {
            mpz_urandomm(v, random, all);
            if (round < 2 || test_below(4) == 0)
                mpz_sub_ui(v, all, 1 + (round < 2 ? 0 : test_below(3)));
            else if (test_below(4) == 0) { /* beside a multiple of 10^k */
                mpz_fdiv_q(v, v, base);
                mpz_mul(v, v, base);
                mpz_sub_ui(v, v, test_below(2));
            }
            for (unsigned j = 0; j < WORD_PRIMES; j++)
                x[j * width + i] = mpz_fdiv_ui(v, word_primes[j].p);
            mpz_mul(sum, sum, base);
            mpz_add(sum, sum, v);
        }
        mpz_set_ui(v, test_u64());
        mpz_mul_2exp(v, v, 48);
        mpz_add(sum, sum, v);
        carry[0] = (unsigned __int128)mpz_get_ui(v);
        mpz_fdiv_q_2exp(v, v, 64);
        carry[0] += (unsigned __int128)mpz_get_ui(v) << 64;
        columns_carry(&c, text, carry, x);
        text[width * k] = '\0';
        mpz_set_str(v, text, 10);
        mpz_ui_pow_ui(p, 10, width * k);
        mpz_sub(sum, sum, v);
        TEST_CHECK(mpz_divisible_p(sum, p));
        mpz_divexact(sum, sum, p);
        mpz_set_ui(v, (unsigned long)(carry[0] >> 64));
        mpz_mul_2exp(v, v, 64);
        mpz_add_ui(v, v, (unsigned long)carry[0]);
        TEST_CHECK(mpz_cmp(sum, v) == 0);
    }
    gmp_randclear(random);
    mpz_clears(sum, v, p, all, base, NULL);
    columns_destroy(&c);
}

static void test_carries(void)
{
    for (size_t k = 22; k <= 24; k++)
        carries_check(k);
}

/* Where blocks lie: every file has one of each group, and rows and columns of blocks use all files alike. */
static void test_folders(void)
{
    enum { ROWS = 12, PARTS = 2 * WORD_PRIMES };
    for (unsigned n = 1; n <= SCRATCH_FOLDERS; n++)
        for (size_t blocks = 16; blocks <= 256; blocks *= 2) {
            const struct scratch_disk d = {.folders = n, .rows = ROWS, .blocks = blocks, .block_points = SCRATCH_TILE};
            const uint64_t all = PARTS * ROWS * blocks;
            test_note("%u folders, %zu blocks", n, blocks);
            for (uint64_t first = 0; first < all; first += n) {
                unsigned seen = 0;
                for (uint64_t id = first; id < first + n; id++)
                    seen |= 1u << block_file(&d, id);
                TEST_CHECK(seen == (1u << n) - 1);
            }
            for (size_t at = n; at < blocks; at++) { /* behind a row's first group */
                size_t most = 0, count[SCRATCH_FOLDERS] = {0};
                const struct scratch_run run = {.at = at, .count = WORD_PRIMES * ROWS};
                for (size_t j = 0; j < run.count; j++) {
                    const unsigned file = block_file(&d, place_id(&d, run_place(&d, &run, j)));
                    most = ++count[file] > most ? count[file] : most;
                }
                TEST_CHECK_MSG(most == (run.count + n - 1) / n, "%zu of %zu blocks in one file", most, run.count);
            }
            for (size_t row = 0; row < ROWS; row++) {
                size_t most = 0, count[SCRATCH_FOLDERS] = {0};
                const struct scratch_run run = {.row = true, .prime = 1, .at = row, .count = blocks};
                for (size_t j = 0; j < run.count; j++) {
                    const unsigned file = block_file(&d, place_id(&d, run_place(&d, &run, j)));
                    most = ++count[file] > most ? count[file] : most;
                }
                TEST_CHECK_MSG(most <= (blocks + n - 1) / n + 1, "%zu of %zu blocks in one file", most, blocks);
            }
        }
}

/* A carry through many windows of nines. */
static void test_long_carry(void)
{
    const size_t n = 3 * SCRATCH_WINDOW + 17, at = 100;
    char *const text = test_alloc(n + 1);
    memset(text, '9', n);
    text[0] = '3';
    const int fd = file_of(text, n);
    const struct scratch_number t = {.fd = fd, .name = "a test", .digits = n, .end = n};
    struct scratch_moved moved = {0};
    struct scratch_error e;
    TEST_OK(number_carry(&t, at, 1, &moved, &e));
    size_t len;
    char *const got = file_text(fd, &len);
    memset(text + 1, '0', n - at - 1);
    text[0] = '4';
    test_equal_text(got, text, n);
    TEST_CHECK(moved.read_bytes == n - at && moved.write_bytes == n - at);
    TEST_CHECK(number_carry(&t, n - 1, 6, &moved, &e) == GFMUL_ERR_VERIFY); /* out of the number */
    free(got);
    free(text);
    close(fd);
}

/* The statement is the truth: bytes are counted below the library. */
static void test_bytes(void)
{
    for (size_t i = 0; i < 12; i++) {
        const bool square = i % 3 == 2;
        const size_t a_digits = test_between(1000, 400000), b_digits = square ? a_digits : test_between(1000, 400000);
        char *const a = test_alloc(a_digits + 2), *const b = test_alloc(b_digits + 2);
        for (size_t j = 0; j < a_digits; j++)
            a[j] = (char)(j == 0 ? '1' : '0' + (char)test_below(10));
        for (size_t j = 0; j < b_digits; j++)
            b[j] = (char)(j == 0 ? '1' : '0' + (char)test_below(10));
        a[a_digits] = b[b_digits] = '\0';
        a[0] = i % 2 ? '-' : a[0];
        struct gfmul_files_report r;
        const struct gfmul_files_options opt = options_of(memory_least(a_digits, b_digits, square, 1) * (1 + i % 2), 1 + i % 3);
        test_note("%zu times %zu digits, square %d", a_digits, b_digits, square);
        calls_begin(FAULT_NONE, false, 0);
        product_check(a, square ? NULL : b, &opt, &r);
        TEST_CHECK_MSG(calls.read_bytes == r.read_bytes && calls.write_bytes == r.write_bytes,
                       "%llu bytes read and %llu written, reported are %llu and %llu", (unsigned long long)calls.read_bytes,
                       (unsigned long long)calls.write_bytes, (unsigned long long)r.read_bytes,
                       (unsigned long long)r.write_bytes);
        TEST_CHECK_MSG(r.needs.read_bytes == r.read_bytes && r.needs.write_bytes == r.write_bytes,
                       "%llu bytes read and %llu written, stated were %llu and %llu", (unsigned long long)r.read_bytes,
                       (unsigned long long)r.write_bytes, (unsigned long long)r.needs.read_bytes,
                       (unsigned long long)r.needs.write_bytes);
        free(a);
        free(b);
    }
    scratch_calls = real;
    /* The goal: at most 12 bytes a digit of the product, at every size of a product that is out of memory. */
    double worst = 0;
    for (size_t i = 0; i < 20000; i++) {
        const uint64_t a = test_size(1000000, (size_t)1 << 45), b = a / (1 + test_below(20)) + 1;
        const struct scratch_task task = {
            .digits = {a, b}, .product_digits = a + b, .extra = 1, .threads = 2, .memory = UINT64_C(1) << 40, .opened = 30000};
        struct scratch_plan plan;
        struct scratch_error e;
        if (scratch_plan_set(&plan, &task, &e) != GFMUL_OK)
            continue;
        const double each = (double)(plan.needs.read_bytes + plan.needs.write_bytes) / (double)(a + b);
        worst = each > worst ? each : worst;
    }
    test_note("all sizes");
    TEST_CHECK_MSG(worst > 8 && worst <= 12, "%g bytes a digit", worst);
    printf("at most %.2f bytes a digit of the product\n", worst);
}

static int room_reserve(int fd, off_t bytes)
{
    (void)fd;
    (void)bytes;
    return ENOSPC;
}

static int room_small(const char *name, int fd, uint64_t *bytes)
{
    (void)name;
    (void)fd;
    *bytes = 1000;
    return 0;
}

/* ---- refusals ---- */

static int stop_at(void *arg, double done)
{
    double *const state = arg; /* the calls left, and the last share */
    TEST_CHECK(done >= state[1] && done <= 1);
    state[1] = done;
    return state[0]-- <= 0;
}

static void test_refusals(void)
{
    char digits[20001];
    memset(digits, '7', 20000);
    digits[20000] = '\0';
    const int fa = file_of(digits, 20000), fb = file_of(digits, 19999), fz = file_make();
    struct gfmul_files_options opt = options_of(UINT64_C(1) << 24, 1);
    struct gfmul_files_report r;

    TEST_CHECK(gfmul_files_mul(fz, fa, fb, NULL, &r) == GFMUL_ERR_ARGUMENT);
    opt.n_scratch = 0;
    TEST_CHECK(gfmul_files_mul(fz, fa, fb, &opt, &r) == GFMUL_ERR_ARGUMENT && r.detail[0] != '\0');
    opt.n_scratch = 1;
    opt.struct_bytes = sizeof opt + 1;
    TEST_CHECK(gfmul_files_mul(fz, fa, fb, &opt, &r) == GFMUL_ERR_ARGUMENT);
    opt.struct_bytes = sizeof opt;
    TEST_CHECK(gfmul_files_mul(fa, fa, fb, &opt, &r) == GFMUL_ERR_ARGUMENT); /* not empty */
    TEST_CHECK(gfmul_files_mul(-1, fa, fb, &opt, &r) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_files_mul(fz, fa, fz, &opt, &r) == GFMUL_ERR_OVERLAP && r.detail[0] != '\0');
    TEST_CHECK(gfmul_files_mul(fz, fa, -1, &opt, &r) == GFMUL_ERR_FILE && r.detail[0] != '\0');
    const int directory = open(folder, O_RDONLY);
    TEST_CHECK(gfmul_files_mul(fz, fa, directory, &opt, &r) == GFMUL_ERR_FILE);
    close(directory);

    opt.memory_limit = 50000;
    TEST_CHECK(gfmul_files_plan(fz, fa, fb, &opt, &r) == GFMUL_ERR_MEMORY && r.needs.memory_bytes > 50000);
    opt.memory_limit = r.needs.memory_bytes; /* the least that would do does */
    TEST_OK(gfmul_files_plan(-1, fa, fb, &opt, &r));
    TEST_CHECK(r.needs.a_digits == 20000 && r.needs.b_digits == 19999 && r.needs.product_digits == 39999);
    TEST_CHECK(r.needs.rows * r.needs.row_points == r.needs.n_points && r.needs.primes == WORD_PRIMES);
    TEST_CHECK(r.needs.scratch_bytes == 2 * WORD_PRIMES * 8 * r.needs.n_points && r.needs.product_bytes == 40000);

    const char *const missing[] = {"/nonexistent/folder"};
    opt.scratch = missing;
    TEST_CHECK(gfmul_files_mul(fz, fa, fb, &opt, &r) == GFMUL_ERR_FILE && strstr(r.detail, missing[0]) != NULL);
    opt.scratch = folders;
    scratch_calls.room = room_small;
    TEST_CHECK(gfmul_files_plan(fz, fa, fb, &opt, &r) == GFMUL_ERR_SPACE && strstr(r.detail, folder) != NULL);
    TEST_CHECK(gfmul_files_mul(fz, fa, fb, &opt, &r) == GFMUL_ERR_SPACE);
    scratch_calls = real;
    scratch_calls.reserve = room_reserve;
    TEST_CHECK(gfmul_files_mul(fz, fa, fb, &opt, &r) == GFMUL_ERR_SPACE && file_bytes(fz) == 0);
    scratch_calls = real;

    double state[2] = {0, 0};
    opt.progress = stop_at;
    opt.progress_arg = state;
    size_t stopped = 0;
    for (int left = 0;; left++) { /* stopped after each block in turn */
        state[0] = left;
        state[1] = 0;
        const enum gfmul_status status = gfmul_files_mul(fz, fa, fb, &opt, &r);
        if (status == GFMUL_OK)
            break;
        stopped++;
        TEST_CHECK(status == GFMUL_ERR_INTERRUPTED && file_bytes(fz) == 0);
    }
    TEST_CHECK(stopped > 20 && file_bytes(fz) == 40000);
    close(fa);
    close(fb);
    close(fz);
}

/* Texts that are no numbers, times a number and times 0: the operand, and the place. */
static void test_syntax(void)
{
    static const struct {
        const char *text;
        enum gfmul_status status;
        uint64_t offset;
    } cases[] = {{"", GFMUL_ERR_EMPTY, 0},
                 {" \n ", GFMUL_ERR_EMPTY, 3},
                 {"-", GFMUL_ERR_EMPTY, 1},
                 {"\n\n 12-\n", GFMUL_ERR_SYNTAX, 5},
                 {"x", GFMUL_ERR_SYNTAX, 0},
                 {"--1", GFMUL_ERR_SYNTAX, 1},
                 {"0x12", GFMUL_ERR_SYNTAX, 1},
                 {"12 34", GFMUL_ERR_SYNTAX, 2},
                 {"00 0", GFMUL_ERR_SYNTAX, 2},
                 {"1234567890123456789012345z7", GFMUL_ERR_SYNTAX, 25},
                 {"\037\213\b", GFMUL_ERR_SYNTAX, 0},
                 {"1_000", GFMUL_ERR_SYNTAX, 1},
                 {"12345678901234567890\f-", GFMUL_ERR_SYNTAX, 20}};
    const struct gfmul_files_options opt = options_of(UINT64_C(1) << 24, 1);
    const int goods[2] = {file_of("12345", 5), file_of("-00", 3)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 4; k++) {
            const int second = k % 2, good = goods[k / 2];
            const int bad = file_of(cases[i].text, strlen(cases[i].text)), fz = file_make();
            struct gfmul_files_report r;
            test_note("\"%s\", %d", cases[i].text, k);
            const enum gfmul_status status = gfmul_files_mul(fz, second ? good : bad, second ? bad : good, &opt, &r);
            TEST_CHECK_MSG(status == cases[i].status, "status %d", (int)status);
            TEST_CHECK(r.error_operand == second && file_bytes(fz) == 0);
            uint64_t line = 1, column = 1;
            for (uint64_t at = 0; at < cases[i].offset; at++) {
                column = cases[i].text[at] == '\n' ? 1 : column + 1;
                line += cases[i].text[at] == '\n';
            }
            TEST_CHECK_MSG(r.error_offset == cases[i].offset && r.error_line == line && r.error_column == column,
                           "offset %llu, line %llu, column %llu", (unsigned long long)r.error_offset,
                           (unsigned long long)r.error_line, (unsigned long long)r.error_column);
            TEST_CHECK(r.error_reason[0] != '\0' && strstr(r.detail, r.error_reason) != NULL);
            close(bad);
            close(fz);
        }
    close(goods[0]);
    close(goods[1]);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    folder_make();
    TEST_RUN(test_columns);
    TEST_RUN(test_carries);
    TEST_RUN(test_folders);
    TEST_RUN(test_long_carry);
    TEST_RUN(test_zero);
    TEST_RUN(test_products);
    TEST_RUN(test_powers_of_ten);
    TEST_RUN(test_bytes);
    TEST_RUN(test_refusals);
    TEST_RUN(test_syntax);
    (void)rmdir(folder);
    return test_end();
}
