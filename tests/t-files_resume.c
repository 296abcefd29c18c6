/*
 * t-files_resume.c - products of numbers in files that go on after a kill or an error, and what is refused.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <signal.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "files_test.h"
#include "scratch/scratch_resume.h"

/* What a child tells. */
static struct told {
    struct gfmul_files_report report;
    long calls;
} * told;

static char *text[2], *want;
static size_t want_len;
static bool binary; /* operands and products */
static int operand[2];
static struct gfmul_files_options opt;
static struct gfmul_files_needs needs;

/* ---- a child that is killed, or whose call fails ---- */

static long calls_left;
static bool calls_fail; /* instead of a kill */

/* now - whether this call is the one. */
static bool now(void)
{
    pthread_mutex_lock(&door);
    told->calls++;
    const bool it_is = --calls_left == 0;
    pthread_mutex_unlock(&door);
    return it_is;
}

static ssize_t ending_read(int fd, void *to, size_t bytes, off_t at)
{
    if (now()) {
        if (!calls_fail)
            raise(SIGKILL);
        errno = EIO;
        return -1;
    }
    return pread(fd, to, bytes, at);
}

static ssize_t ending_write(int fd, const void *from, size_t bytes, off_t at)
{
    if (now()) {
        if (calls_fail) {
            errno = EIO;
            return -1;
        }
        if (test_below(4) > 0 && pwrite(fd, from, test_below(bytes) + 1, at) < 0) /* a part, or all of it */
            abort();
        raise(SIGKILL);
    }
    return pwrite(fd, from, bytes, at);
}

/*
 * child_run - multiply in a child, which ends at a call.
 *
 *   left  in  the number of that read or write; 0: none
 * Value: GFMUL_OK or an error; -1: killed.   z out: the product's file
 */
static int child_run(int *z, long left, bool fail)
{
    int how;
    *z = file_make();
    memset(told, 0, sizeof *told);
    fflush(NULL);
    const uint64_t skip = test_below(1000);
    const pid_t pid = fork();
    if (pid == 0) {
        for (uint64_t i = 0; i < skip; i++)
            (void)test_u64();
        calls_left = left;
        calls_fail = fail;
        scratch_calls.read = ending_read;
        scratch_calls.write = ending_write;
        _exit((int)gfmul_files_mul(*z, operand[0], operand[1], &opt, &told->report));
    }
    if (pid < 0 || waitpid(pid, &how, 0) != pid)
        abort();
    if (WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL)
        return -1;
    TEST_CHECK_MSG(WIFEXITED(how), "the child ended by signal %d", WTERMSIG(how));
    return WIFEXITED(how) ? WEXITSTATUS(how) : GFMUL_ERR_INTERNAL;
}

/* ---- products ---- */

static void numbers_make(bool of_text, bool square, size_t least)
{
    size_t digits[2] = {test_between(least, 2 * least), test_between(least / 2, 2 * least)};
    digits[1] = square ? digits[0] : digits[1];
    for (unsigned i = 0; i < 2; i++) {
        text[i] = test_alloc(digits[i] + 1);
        for (size_t j = 0; j < digits[i]; j++)
            text[i][j] = (char)('1' + test_below(9));
        text[i][digits[i]] = '\0';
        text[i][0] = test_below(2) ? '-' : '5';
    }
    binary = !of_text && test_below(2);
    const char *const other = square ? NULL : text[1];
    uint64_t memory;
    if (binary) {
        const size_t block = (size_t)1 << test_below(12);
        operand[0] = binary_file_of(text[0], block);
        operand[1] = square ? dup(operand[0]) : binary_file_of(text[1], block);
        want = binary_product(text[0], other, &want_len);
        memory = memory_least_binary(digits[0] * 10 / 192, digits[1] * 10 / 192, square, 1) + 4096; /* one limb more or less */
    } else {
        operand[0] = file_of(text[0], digits[0]);
        operand[1] = square ? dup(operand[0]) : file_of(text[1], digits[1]);
        want = product_text(text[0], other);
        want_len = strlen(want);
        memory = memory_least(digits[0], digits[1], square, 1);
    }
    opt = options_of(memory, 1 + test_below(3));
    opt.resume = 1;
    struct gfmul_files_report r;
    TEST_OK(gfmul_files_plan(-1, operand[0], operand[1], &opt, &r));
    TEST_CHECK(r.needs.binary == binary);
    needs = r.needs;
    TEST_CHECK(needs.rows > 1);
}

static void numbers_free(void)
{
    for (unsigned i = 0; i < 2; i++) {
        close(operand[i]);
        free(text[i]);
    }
    free(want);
}

/* product_check - the right product, and nothing else in the folder. */
static void product_check(int status, int z)
{
    size_t len;
    char *const got = file_text(z, &len);
    TEST_CHECK_MSG(status == GFMUL_OK, "status %d: %s", status, told->report.detail);
    TEST_CHECK_MSG(len == want_len && memcmp(got, want, len) == 0, "another product, of %zu bytes, binary %d", len, binary);
    TEST_CHECK_MSG(entries_of(folder) == 2, "%zu names are left", entries_of(folder) - 2);
    free(got);
    close(z);
}

/* name_in - a name in the folder; one at a time. */
static const char *name_in(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool is_there(const char *name)
{
    return access(name_in(name), F_OK) == 0;
}

/* Killed at a random call, gone on, killed again, .. */
static void test_kills(void)
{
    unsigned kills = 0;
    for (unsigned round = 0; round < 20; round++) {
        int z, status = -1;
        numbers_make(false, round % 4 == 3, 20000);
        status = child_run(&z, 0, false);
        const long all = told->calls;
        product_check(status, z);
        const unsigned most = 1 + (unsigned)test_below(4);
        for (unsigned times = 0; times < most; times++) {
            const long at = 1 + (long)test_below((uint64_t)all);
            test_note("%zu and %zu digits, kill %u at call %ld of %ld", strlen(text[0]), strlen(text[1]), times + 1, at, all);
            status = child_run(&z, at, false);
            if (status != -1)
                break;
            kills++;
            close(z);
        }
        if (status == -1)
            status = child_run(&z, 0, false);
        product_check(status, z);
        numbers_free();
    }
    test_note("all rounds");
    TEST_CHECK_MSG(kills >= 20, "%u kills", kills);
}

/* What has been done is not done again. */
static void test_goes_on(void)
{
    for (unsigned round = 0; round < 8; round++) {
        int z;
        numbers_make(false, round % 2 == 1, 20000);
        TEST_CHECK(child_run(&z, 0, false) == GFMUL_OK);
        const long all = told->calls;
        close(z);
        long least = 0; /* of the bytes written: the later the kill, the fewer are left */
        for (unsigned part = 1; part <= 9; part += 2) {
            test_note("killed after %u / 10 of the calls", part);
            if (!TEST_CHECK(child_run(&z, all * part / 10, false) == -1))
                break;
            close(z);
            const int status = child_run(&z, 0, false);
            const long written = (long)told->report.write_bytes;
            product_check(status, z);
            const long row = 8 * (long)needs.row_points; /* one that was being replaced is mended first */
            TEST_CHECK_MSG(part == 1 || written <= least + row, "%ld bytes written, before %ld", written, least);
            least = written;
        }
        test_note("at the end");
        TEST_CHECK_MSG((uint64_t)least < needs.write_bytes / 2, "%ld bytes of %llu", least,
                       (unsigned long long)needs.write_bytes);
        numbers_free();
    }
}

/* An error keeps what has been done, with resume alone. */
static void test_errors(void)
{
    for (unsigned round = 0; round < 30; round++) {
        int z;
        numbers_make(false, false, 20000);
        opt.resume = round % 3 > 0;
        TEST_CHECK(child_run(&z, 0, false) == GFMUL_OK);
        const long at = 1 + (long)test_below((uint64_t)told->calls);
        test_note("an error of call %ld of %ld, resume %d", at, told->calls, opt.resume);
        close(z);
        TEST_CHECK(child_run(&z, at, true) == GFMUL_ERR_FILE);
        TEST_CHECK(told->report.detail[0] != '\0' && file_bytes(z) == 0);
        close(z);
        TEST_CHECK(opt.resume || entries_of(folder) == 2);
        TEST_CHECK(is_there("gfmul-manifest") == is_there("gfmul-scratch-0"));
        const int status = child_run(&z, 0, false);
        product_check(status, z);
        numbers_free();
    }
}

/* Files that are damaged between the calls. */
static void test_damage(void)
{
    for (unsigned round = 0; round < 20; round++) {
        int z;
        numbers_make(false, round % 4 == 3, 20000);
        opt.n_scratch = 1;
        TEST_CHECK(child_run(&z, 0, false) == GFMUL_OK);
        const long all = told->calls;
        close(z);
        const long at = all / 3 + (long)test_below((uint64_t)all / 2);
        test_note("killed at call %ld of %ld", at, all);
        if (!TEST_CHECK(child_run(&z, at, false) == -1))
            break;
        close(z);
        const int fd = open(name_in("gfmul-scratch-0"), O_RDWR);
        for (unsigned i = 0; i < 3; i++) {
            char c;
            const off_t place = (off_t)test_below(needs.scratch_bytes);
            if (pread(fd, &c, 1, place) != 1)
                abort();
            c = (char)(c + 1);
            if (pwrite(fd, &c, 1, place) != 1)
                abort();
        }
        close(fd);
        const int status = child_run(&z, 0, false);
        TEST_CHECK(told->report.remade_blocks == 0 || strstr(told->report.remade, "scratch block") != NULL);
        product_check(status, z);
        numbers_free();
    }
}

/* ---- refusals ---- */

/* refused - the call fails, says why, and leaves all names as they were. */
static void refused(const char *why)
{
    int z;
    const size_t names = entries_of(folder);
    const int status = child_run(&z, 0, false);
    test_note("refused: %s", why);
    TEST_CHECK_MSG(status == GFMUL_ERR_FILE && strstr(told->report.detail, why) != NULL, "status %d: %s", status,
                   told->report.detail);
    TEST_CHECK(entries_of(folder) == names && file_bytes(z) == 0);
    close(z);
}

/* byte_change - change a byte of a file in the folder, or change it back. */
static void byte_change(int fd, off_t at, int by)
{
    unsigned char c;
    if (pread(fd, &c, 1, at) != 1)
        abort();
    c = (unsigned char)(c + by);
    if (pwrite(fd, &c, 1, at) != 1)
        abort();
}

/* memory_other - more memory, which gives another plan.   0: there is none */
static uint64_t memory_other(void)
{
    struct gfmul_files_options more = opt;
    for (unsigned i = 0; i < 6; i++) {
        struct gfmul_files_report r;
        more.memory_limit *= 2;
        if (!TEST_OK(gfmul_files_plan(-1, operand[0], operand[1], &more, &r)))
            break;
        if (r.needs.rows != needs.rows || r.needs.row_points != needs.row_points)
            return more.memory_limit;
    }
    return 0;
}

static void test_refusals(void)
{
    int z;
    uint64_t more;
    for (unsigned tries = 0;; tries++) {
        numbers_make(true, false, 200000);
        if ((more = memory_other()) != 0 || !TEST_CHECK(tries < 50))
            break;
        numbers_free();
    }
    opt.n_scratch = 2;
    TEST_CHECK(child_run(&z, 0, false) == GFMUL_OK);
    const long half = told->calls / 2;
    close(z);
    struct timespec times[2] = {{.tv_sec = 1000000000, .tv_nsec = 5}, {.tv_sec = 1000000000, .tv_nsec = 6}};
    const struct timespec later[2] = {{.tv_sec = 1000000001}, {.tv_sec = 1000000001}};
    for (unsigned i = 0; i < 2; i++)
        TEST_CHECK(futimens(operand[i], times) == 0);
    TEST_CHECK(child_run(&z, half, false) == -1);
    close(z);

    for (unsigned i = 0; i < 2; i++) {
        const char *const which = i == 0 ? "first operand" : "second operand";
        const off_t at = 1 + (off_t)test_below(strlen(text[i]) - 1);
        const int by = text[i][at] == '9' ? -1 : 1;
        TEST_CHECK(futimens(operand[i], later) == 0);
        refused(which); /* another time */
        byte_change(operand[i], at, by);
        TEST_CHECK(futimens(operand[i], times) == 0);
        refused(which); /* another digit */
        byte_change(operand[i], at, -by);
        TEST_CHECK(pwrite(operand[i], "\n", 1, (off_t)strlen(text[i])) == 1 && futimens(operand[i], times) == 0);
        refused(which); /* another size */
        TEST_CHECK(ftruncate(operand[i], (off_t)strlen(text[i])) == 0 && futimens(operand[i], times) == 0);
    }
    const uint64_t memory = opt.memory_limit;
    opt.memory_limit = more;
    refused("another plan");
    opt.memory_limit = memory;
    opt.n_scratch = 1;
    refused("folders");
    opt.n_scratch = 2;
    const int fd = open(name_in("gfmul-manifest"), O_RDWR);
    byte_change(fd, offsetof(struct resume_head, version), 1);
    refused("another version");
    byte_change(fd, offsetof(struct resume_head, version), -1);
    byte_change(fd, offsetof(struct resume_head, prime), 1);
    refused("is damaged");
    byte_change(fd, offsetof(struct resume_head, prime), -1);
    TEST_CHECK(flock(fd, LOCK_EX) == 0);
    refused("in use");
    close(fd);
    char moved[140];
    snprintf(moved, sizeof moved, "%s", name_in("gfmul-scratch-1"));
    TEST_CHECK(rename(moved, name_in("elsewhere")) == 0);
    refused("No such file");
    TEST_CHECK(rename(name_in("elsewhere"), moved) == 0);

    const int status = child_run(&z, 0, false); /* all of this has changed nothing */
    TEST_CHECK(told->report.write_bytes < needs.write_bytes);
    product_check(status, z);

    /* a file of that name that is not the library's */
    const int foreign = open(name_in("gfmul-scratch-1"), O_RDWR | O_CREAT | O_EXCL, 0600);
    TEST_CHECK(foreign >= 0 && write(foreign, "mine", 4) == 4);
    refused("File exists");
    TEST_CHECK(file_bytes(foreign) == 4 && unlink(name_in("gfmul-scratch-1")) == 0);
    close(foreign);
    numbers_free();
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    folder_make();
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        return 1;
    TEST_RUN(test_kills);
    TEST_RUN(test_goes_on);
    TEST_RUN(test_errors);
    TEST_RUN(test_damage);
    TEST_RUN(test_refusals);
    (void)rmdir(folder);
    return test_end();
}
