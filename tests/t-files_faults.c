/*
 * t-files_faults.c - products of numbers in files: every read, write and allocation failed in turn.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/alloc.h"
#include "files_test.h"

/* Each read and write failed in turn, in each way: a clear error, or the right product. */
static void faults_check(bool binary)
{
    const size_t digits = 20000, limbs = 1040; /* 20000 digits have at most 1039 */
    char *const a = test_alloc(digits + 1), *const b = test_alloc(digits + 1);
    for (size_t j = 0; j < digits; j++) {
        a[j] = (char)('1' + test_below(9));
        b[j] = (char)('1' + test_below(9));
    }
    a[0] = '-';
    a[1] = '1';          /* a bit from 0 */
    b[digits - 1] = '0'; /* a bit from a space */
    a[digits] = b[digits] = '\0';
    const struct gfmul_files_options opt =
        options_of(binary ? memory_least_binary(limbs, limbs, false, 1) : memory_least(digits, digits, false, 1), 2);
    const int fa = binary ? binary_file_of(a, 128) : file_of(a, digits),
              fb = binary ? binary_file_of(b, 256) : file_of(b, digits);
    size_t want_len;
    char *const want = binary ? binary_product(a, b, &want_len) : product_text(a, b);
    want_len = binary ? want_len : strlen(want);
    struct gfmul_files_report r;
    const size_t descriptors = entries_of("/proc/self/fd"), names = entries_of(folder);
    size_t remade = 0, failed = 0, right = 0;
    calls_begin(FAULT_NONE, false, 0);
    int fz = file_make();
    if (!TEST_OK(gfmul_files_mul(fz, fa, fb, &opt, &r)))
        return;
    close(fz);
    const long all[2] = {calls.reads, calls.writes};
    for (int of_writes = 0; of_writes < 2; of_writes++)
        for (enum fault fault = FAULT_EIO; fault < FAULTS; fault++) {
            if (!of_writes && (fault == FAULT_SPACE || fault == FAULT_DAMAGE))
                continue;
            const long step = all[of_writes] / (long)test_tier(150, 1000000, 1000000) + 1;
            for (long at = 1 + (long)test_below((uint64_t)step); at <= all[of_writes]; at += step) {
                test_note("fault %d of %s %ld, binary %d", (int)fault, of_writes ? "write" : "read", at, binary);
                fz = file_make();
                calls_begin(fault, of_writes, at);
                const enum gfmul_status status = gfmul_files_mul(fz, fa, fb, &opt, &r);
                scratch_calls = real;
                size_t len;
                char *const got = file_text(fz, &len);
                TEST_CHECK(status == r.status);
                if (status == GFMUL_OK) {
                    right++;
                    remade += r.remade_blocks > 0;
                    TEST_CHECK(r.remade_blocks <= 1 && (strstr(r.remade, "scratch block") != NULL) == (r.remade_blocks == 1));
                    TEST_CHECK(len == want_len && memcmp(got, want, len) == 0);
                } else {
                    failed++;
                    TEST_CHECK_MSG(len == 0, "%zu bytes are left", len);
                    TEST_CHECK_MSG(r.detail[0] != '\0', "no reason for status %d", (int)status);
                    TEST_CHECK(status == GFMUL_ERR_FILE || status == GFMUL_ERR_SPACE || status == GFMUL_ERR_VERIFY ||
                               status == GFMUL_ERR_SYNTAX || status == GFMUL_ERR_EMPTY ||
                               (binary && status == GFMUL_ERR_UNSUPPORTED)); /* the version was misread, or one operand's kind */
                    TEST_CHECK(strstr(r.detail, "scratch block") == NULL);   /* these are made again */
                }
                if (fault == FAULT_EIO || fault == FAULT_END || fault == FAULT_EINVAL)
                    TEST_CHECK_MSG(status == GFMUL_ERR_FILE || status == GFMUL_ERR_SPACE, "status %d", (int)status);
                if (fault == FAULT_SHORT || fault == FAULT_EINTR)
                    TEST_CHECK_MSG(status == GFMUL_OK, "status %d: %s", (int)status, r.detail);
                free(got);
                close(fz);
                TEST_CHECK(entries_of("/proc/self/fd") == descriptors);
                TEST_CHECK(entries_of(folder) == names);
            }
        }
    test_note("all faults");
    TEST_CHECK_MSG(remade > 20 && failed > 20 && right > remade, "%zu made again, %zu failed, %zu right", remade, failed, right);
    close(fa);
    close(fb);
    free(a);
    free(b);
    free(want);
}

static void test_faults(void)
{
    faults_check(false);
}

static void test_faults_binary(void)
{
    faults_check(true);
}

/* ---- damage ---- */

/* Operands in files, and a product whose scratch blocks are written by calls 1 .. scratch_writes. */
static struct {
    char *a, *b, *want;
    int fa, fb;
    long scratch_writes;
    struct gfmul_files_options opt;
} damaged;

static void damaged_make(bool square)
{
    const size_t digits = test_between(20000, 30000), others = square ? digits : test_between(10000, 30000);
    damaged.a = test_alloc(digits + 1);
    damaged.b = test_alloc(others + 1);
    for (size_t j = 0; j < digits; j++)
        damaged.a[j] = (char)('1' + test_below(9));
    for (size_t j = 0; j < others; j++)
        damaged.b[j] = (char)('1' + test_below(9));
    damaged.a[digits] = damaged.b[others] = '\0';
    damaged.want = product_text(damaged.a, square ? NULL : damaged.b);
    damaged.fa = file_of(damaged.a, digits);
    damaged.fb = square ? dup(damaged.fa) : file_of(damaged.b, others);
    damaged.opt = options_of(memory_least(digits, others, square, 1), 1 + test_below(3));
    struct gfmul_files_report r;
    const int fz = file_make();
    TEST_OK(gfmul_files_plan(-1, damaged.fa, damaged.fb, &damaged.opt, &r));
    TEST_CHECK(r.needs.rows > 1);
    const long row_blocks = (long)(r.needs.row_points / r.needs.block_points), all = (long)(3 * r.needs.rows) * row_blocks;
    damaged.scratch_writes = (square ? 2 : 3) * all;
    close(fz);
}

static void damaged_free(void)
{
    close(damaged.fa);
    close(damaged.fb);
    free(damaged.a);
    free(damaged.b);
    free(damaged.want);
}

/* One scratch block is damaged after it has been written: the same product, and the block is named. */
static void test_damage(void)
{
    for (unsigned round = 0; round < 20; round++) {
        struct gfmul_files_report r;
        char place[64];
        damaged_make(round % 5 == 4);
        const long at = 1 + (long)test_below((uint64_t)damaged.scratch_writes);
        test_note("write %ld of %ld, square %d", at, damaged.scratch_writes, round % 5 == 4);
        const int fz = file_make();
        calls_begin(FAULT_DAMAGE, true, at);
        TEST_OK(gfmul_files_mul(fz, damaged.fa, damaged.fb, &damaged.opt, &r));
        scratch_calls = real;
        size_t len;
        char *const got = file_text(fz, &len);
        TEST_CHECK(len == strlen(damaged.want) && memcmp(got, damaged.want, len) == 0);
        TEST_CHECK_MSG(r.remade_blocks == 1, "%llu blocks were made again", (unsigned long long)r.remade_blocks);
        snprintf(place, sizeof place, ": bytes %lld to ", (long long)calls.damaged);
        TEST_CHECK_MSG(strstr(r.remade, "scratch block") != NULL && strstr(r.remade, place) != NULL, "\"%s\", should have \"%s\"",
                       r.remade, place);
        free(got);
        close(fz);
        damaged_free();
    }
}

/* Every block of a pass is damaged. */
static long damage_from, damage_end;
static ssize_t damaging_write(int fd, const void *from, size_t bytes, off_t at)
{
    const ssize_t n = pwrite(fd, from, bytes, at);
    pthread_mutex_lock(&door);
    if (n > 0 && ++calls.writes >= damage_from && calls.writes < damage_end)
        damage(fd, (size_t)n, at);
    pthread_mutex_unlock(&door);
    return n;
}

static void test_much_damage(void)
{
    for (long pass = 0; pass < 3; pass++) {
        struct gfmul_files_report r;
        damaged_make(false);
        damage_from = 1 + pass * damaged.scratch_writes / 3;
        damage_end = 1 + (pass + 1) * damaged.scratch_writes / 3;
        test_note("writes %ld to %ld", damage_from, damage_end - 1);
        const int fz = file_make();
        calls_begin(FAULT_NONE, true, 0);
        scratch_calls.write = damaging_write;
        TEST_OK(gfmul_files_mul(fz, damaged.fa, damaged.fb, &damaged.opt, &r));
        scratch_calls = real;
        size_t len;
        char *const got = file_text(fz, &len);
        TEST_CHECK(len == strlen(damaged.want) && memcmp(got, damaged.want, len) == 0);
        TEST_CHECK_MSG((long)r.remade_blocks >= damage_end - damage_from, "%llu blocks were made again of %ld",
                       (unsigned long long)r.remade_blocks, damage_end - damage_from);
        free(got);
        close(fz);
        damaged_free();
    }
}

/* Inputs that are gone: an operand has other digits, or is shorter. */
static void digits_change(void)
{
    for (size_t i = 0; i < strlen(damaged.a); i++) {
        const char other = (char)('1' + (damaged.a[i] - '0') % 9);
        if (pwrite(damaged.fa, &other, 1, (off_t)i) != 1)
            abort();
    }
}

static void digits_cut(void)
{
    if (ftruncate(damaged.fa, 10) != 0)
        abort();
}

static void test_no_inputs(void)
{
    for (unsigned round = 0; round < 10; round++) {
        struct gfmul_files_report r;
        damaged_make(true);
        /* of the second half of the writes: all of the operand has been read */
        const long half = damaged.scratch_writes / 2, at = half + 1 + (long)test_below((uint64_t)half);
        test_note("write %ld of %ld", at, damaged.scratch_writes);
        const int fz = file_make();
        calls_begin(FAULT_DAMAGE, true, at);
        calls.then = round % 2 == 0 ? digits_change : digits_cut;
        const enum gfmul_status status = gfmul_files_mul(fz, damaged.fa, damaged.fb, &damaged.opt, &r);
        scratch_calls = real;
        TEST_CHECK_MSG(status == (round % 2 == 0 ? GFMUL_ERR_VERIFY : GFMUL_ERR_FILE), "status %d", (int)status);
        TEST_CHECK_MSG(strstr(r.remade, "scratch block") != NULL, "\"%s\"", r.remade);
        TEST_CHECK_MSG(strstr(r.detail, round % 2 == 0 ? "scratch block" : "the first operand") != NULL, "\"%s\"", r.detail);
        TEST_CHECK(file_bytes(fz) == 0);
        close(fz);
        damaged_free();
    }
}

/* ---- several blocks at once ---- */

static _Thread_local bool counted;
static unsigned movers;

static ssize_t mover_read(int fd, void *to, size_t bytes, off_t at)
{
    if (!counted)
        __atomic_add_fetch(&movers, 1, __ATOMIC_RELAXED);
    counted = true;
    return pread(fd, to, bytes, at);
}

/* Threads share the blocks of a folder: all are moved, and of damaged ones the first is named. */
static void test_lanes(void)
{
    enum { BLOCKS = 64, POINTS = 1024 };
    const struct scratch_plan plan = {.needs = {.scratch_bytes = WORD_PRIMES * 2 * BLOCKS * POINTS * sizeof(uint64_t)},
                                      .square = true,
                                      .rows = 2,
                                      .row_points = BLOCKS * POINTS,
                                      .block_points = POINTS,
                                      .blocks = BLOCKS};
    const size_t words = BLOCKS * POINTS;
    uint64_t *const x = test_alloc(words * sizeof *x), *const y = test_alloc(words * sizeof *y), prime;
    for (size_t n_folders = 1; n_folders <= 3; n_folders += 2) {
        const struct gfmul_files_options opt = options_of(0, n_folders);
        struct scratch_moved moved = {0};
        struct scratch_disk d;
        struct scratch_error e;
        TEST_OK(scratch_disk_prime(&prime, &e));
        TEST_OK(scratch_disk_open(&d, &plan, &opt, SCRATCH_NAMELESS, prime, &moved, &e));
        for (size_t i = 0; i < words; i++)
            x[i] = test_u64();
        const struct scratch_run run = {.row = true, .prime = 1, .at = 1, .count = BLOCKS};
        TEST_OK(run_write(&d, &run, x, true, &e));
        TEST_CHECK(moved.write_bytes == words * sizeof *x);
        movers = 0;
        counted = false;
        scratch_calls.read = mover_read;
        TEST_OK(run_read(&d, &run, y, &e));
        scratch_calls = real;
        test_note("%zu folders", n_folders);
        TEST_CHECK(moved.read_bytes == words * sizeof *x && memcmp(x, y, words * sizeof *x) == 0);
        TEST_CHECK_MSG(movers > n_folders && movers <= SCRATCH_FOLDERS, "%u threads", movers);
        const size_t first = test_below(BLOCKS - 9);
        for (size_t j = first; j < first + 9; j += 1 + test_below(3)) {
            const uint64_t id = place_id(&d, run_place(&d, &run, j));
            const off_t at = (off_t)(id / d.folders * POINTS * sizeof *x);
            const uint64_t other = x[j * POINTS] + 1;
            const int fd = d.fd[block_file(&d, id)];
#ifdef O_DIRECT
            TEST_CHECK(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_DIRECT) == 0); /* for a few bytes */
#endif
            TEST_CHECK(pwrite(fd, &other, sizeof other, at) == sizeof other);
        }
        test_note("block %zu is damaged, and others behind it", first);
        TEST_CHECK(run_read(&d, &run, y, &e) == GFMUL_ERR_VERIFY && e.damaged && e.place.block == first);
        scratch_disk_close(&d);
    }
    free(x);
    free(y);
}

/* ---- past the page cache ---- */

/* Blocks of whole pages go past the page cache if the file system does that, and else, or after a short write, through it. */
static void test_direct(void)
{
    const size_t digits = 3120000; /* 2^18 points: 4 rows, blocks of 4096 points, of which each folder moves several at once */
    char *const a = test_alloc(digits + 1);
    for (size_t j = 0; j < digits; j++)
        a[j] = (char)('1' + test_below(9));
    a[digits] = '\0';
    char *const want = product_text(a, NULL);
    const int fa = file_of(a, digits), probe = file_make();
    const struct gfmul_files_options opt = options_of(UINT64_C(1) << 30, 2);
    bool able = false;
#ifdef O_DIRECT
    able = fcntl(probe, F_SETFL, fcntl(probe, F_GETFL) | O_DIRECT) == 0;
#endif
    long writes = 0, all = 0;
    for (unsigned round = 0; round < 12; round++) {
        struct gfmul_files_report r;
        const enum fault fault = round == 0 ? FAULT_NONE : round % 3 == 0 ? FAULT_SHORT : FAULT_EINVAL;
        const bool of_writes = round % 2;
        const int fz = file_make();
        test_note("round %u, fault %d", round, (int)fault);
        /* of the first half of all calls of one kind: these are of scratch blocks, but for the operand's reading */
        calls_begin(fault, of_writes, round == 0 ? 0 : of_writes ? 1 + (long)test_below((uint64_t)writes / 2) : all / 2);
        const enum gfmul_status status = gfmul_files_mul(fz, fa, fa, &opt, &r);
        scratch_calls = real;
        size_t len;
        char *const got = file_text(fz, &len);
        if (round == 0) {
            writes = calls.writes;
            all = calls.reads;
            TEST_CHECK_MSG((calls.direct > 0) == able, "%ld direct calls", calls.direct);
            TEST_CHECK(r.needs.block_points * sizeof(uint64_t) % SCRATCH_PAGE == 0);
        }
        if (able || fault != FAULT_EINVAL) {
            TEST_CHECK_MSG(status == GFMUL_OK, "status %d: %s", (int)status, r.detail);
            TEST_CHECK(len == strlen(want) && memcmp(got, want, len) == 0);
        } else
            TEST_CHECK(status == GFMUL_ERR_FILE && len == 0);
        free(got);
        close(fz);
    }
    close(fa);
    close(probe);
    free(a);
    free(want);
}

/* ---- memory ---- */

/* Each allocation failed in turn. */
static void test_memory(void)
{
    static const char a[] = "-31415926535897932384626433832795", b[] = "27182818284590452353602874713526";
    const int fa = file_of(a, sizeof a - 1), fb = file_of(b, sizeof b - 1), fz = file_make();
    const struct gfmul_files_options opt = options_of(memory_least(32, 32, false, 1), 1);
    const size_t descriptors = entries_of("/proc/self/fd");
    struct gfmul_files_report r;
    long n = 0;
    for (enum gfmul_status status = GFMUL_ERR_MEMORY; status != GFMUL_OK;) {
        test_note("allocation %ld", ++n);
        alloc_fail_after(n);
        status = gfmul_files_mul(fz, fa, fb, &opt, &r);
        alloc_fail_after(-1);
        if (!TEST_CHECK_MSG(status == GFMUL_OK || (status == GFMUL_ERR_MEMORY && file_bytes(fz) == 0), "status %d", (int)status))
            break;
        TEST_CHECK(entries_of("/proc/self/fd") == descriptors);
        TEST_CHECK((r.detail[0] != '\0') == (status != GFMUL_OK));
    }
    TEST_CHECK(n > 6 && file_bytes(fz) == 65);
    close(fa);
    close(fb);
    close(fz);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    folder_make();
    TEST_RUN(test_faults);
    TEST_RUN(test_faults_binary);
    TEST_RUN(test_damage);
    TEST_RUN(test_much_damage);
    TEST_RUN(test_no_inputs);
    TEST_RUN(test_lanes);
    TEST_RUN(test_direct);
    TEST_RUN(test_memory);
    (void)rmdir(folder);
    return test_end();
}
