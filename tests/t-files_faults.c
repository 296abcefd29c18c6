/*
 * t-files_faults.c - products of numbers in files: every read, write and allocation failed in turn.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/alloc.h"
#include "files_test.h"

/* Each read and write failed in turn, in each way: a clear error, or the right product. */
static void test_faults(void)
{
    const size_t digits = 20000;
    char *const a = test_alloc(digits + 1), *const b = test_alloc(digits + 1);
    for (size_t j = 0; j < digits; j++) {
        a[j] = (char)('1' + test_below(9));
        b[j] = (char)('1' + test_below(9));
    }
    a[0] = '-';
    a[1] = '1';          /* a bit from 0 */
    b[digits - 1] = '0'; /* a bit from a space */
    a[digits] = b[digits] = '\0';
    const struct gfmul_files_options opt = options_of(memory_least(digits, digits, false, 1), 2);
    const int fa = file_of(a, digits), fb = file_of(b, digits);
    char *const want = product_text(a, b);
    struct gfmul_files_report r;
    const size_t descriptors = entries_of("/proc/self/fd"), names = entries_of(folder);
    size_t named = 0, failed = 0, right = 0;
    calls_begin(FAULT_NONE, false, 0);
    int fz = file_make();
    if (!TEST_OK(gfmul_files_mul(fz, fa, fb, &opt, &r)))
        return;
    close(fz);
    const long all[2] = {calls.reads, calls.writes};
    for (int of_writes = 0; of_writes < 2; of_writes++)
        for (enum fault fault = FAULT_EIO; fault < FAULTS; fault++) {
            if (!of_writes && fault == FAULT_SPACE)
                continue;
            const long step = all[of_writes] / (long)test_tier(150, 1000000, 1000000) + 1;
            for (long at = 1 + (long)test_below((uint64_t)step); at <= all[of_writes]; at += step) {
                test_note("fault %d of %s %ld", (int)fault, of_writes ? "write" : "read", at);
                fz = file_make();
                calls_begin(fault, of_writes, at);
                const enum gfmul_status status = gfmul_files_mul(fz, fa, fb, &opt, &r);
                scratch_calls = real;
                size_t len;
                char *const got = file_text(fz, &len);
                TEST_CHECK(status == r.status);
                if (status == GFMUL_OK) {
                    right++;
                    TEST_CHECK(len == strlen(want) && memcmp(got, want, len) == 0);
                } else {
                    failed++;
                    TEST_CHECK_MSG(len == 0, "%zu bytes are left", len);
                    TEST_CHECK_MSG(r.detail[0] != '\0', "no reason for status %d", (int)status);
                    TEST_CHECK(status == GFMUL_ERR_FILE || status == GFMUL_ERR_SPACE || status == GFMUL_ERR_VERIFY ||
                               status == GFMUL_ERR_SYNTAX || status == GFMUL_ERR_EMPTY);
                    named += strstr(r.detail, "scratch block") != NULL;
                }
                if (fault == FAULT_EIO || fault == FAULT_END)
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
    TEST_CHECK_MSG(named > 20 && failed > named && right > 0, "%zu named, %zu failed, %zu right", named, failed, right);
    close(fa);
    close(fb);
    free(a);
    free(b);
    free(want);
}

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
    TEST_RUN(test_memory);
    (void)rmdir(folder);
    return test_end();
}
