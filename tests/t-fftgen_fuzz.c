/*
 * t-fftgen_fuzz.c - the program fftgen on parameter files of nonsense: it ends, with status 0 or 2, and writes nothing but files
 * of its folder.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The program is compiled into this test.  Children run it, hundreds of files each; every way that it has to write is watched.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

enum { BATCH = 500, MAX_FILE_BYTES = 1500, SECONDS = 120 };

/* What children tell. */
static struct shared {
    volatile unsigned at, valid, outside;
    char text[MAX_FILE_BYTES];
    size_t len;
} * shared;
static char out_folder[256], input[256];

/* A file of the folder, by a plain name; everything else is outside. */
static int watched_openat(int fd, const char *name, int flags, int mode)
{
    shared->outside += name[0] == '/' || strstr(name, "..") == name || strstr(name, "/.") != NULL || !(flags & O_NOFOLLOW);
    return openat(fd, name, flags, mode);
}
static int watched_mkdir(const char *name, mode_t mode)
{
    shared->outside += strcmp(name, out_folder) != 0;
    return mkdir(name, mode);
}
static FILE *watched_fopen(const char *name, const char *mode)
{
    shared->outside += strcmp(name, input) != 0 || mode[0] != 'r';
    return fopen(name, mode);
}

#define openat watched_openat
#define mkdir  watched_mkdir
#define fopen  watched_fopen
#define main   fftgen_main
#define usage  fftgen_usage
#include "../tools/fftgen.c"
#include "../tools/fftgen_files.c"
#include "../tools/fftgen_serve.c"
#include "../tools/fftgen_tune.c"
#undef openat
#undef mkdir
#undef fopen
#undef main

static const char *const words[] = {"DATA", "FFTDATA", "LOGN", "N", "BITREV", "DIRECTION", "ID", "NONEZ", "SCALING",
                                    "INPRECISION", "OUTPRECISION", "ALGORITHM", "TWIDDLE", "DIM", "STOPLEVEL", "USECONSTANTS",
                                    "KERNELHEIGHT", "KERNELWIDTH", "KERNELSIZE", "KERNELNUM", "PRODUCTS", "STRUCTURE", "TABLE",
                                    /* values */
                                    "C", "R", "I", "float", "double", "dd", "A", "F", "B", "Y", "N", "X", "X0", "0X0", "X000",
                                    "0,7", "3,9", "8;3", "YES", "ONFLY", "x.tw", "fft_a.c", "Makefile", ".", "0", "1", "2", "3",
                                    "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "16", "20", "21", "40", "53",
                                    "256", "720", "1024", "1680", "65536", "16,16", "4,8,8", "32,32", "4294967296", "-1", "S",
                                    "T", "=", "\n", "#", " ", ";", ","};
enum { N_KEYS = 23, N_WORDS = sizeof words / sizeof *words };

/* The values that a key may have, for files that are right more often. */
static const char *const values[N_KEYS][8] = {{"C", "R", "I", "R2"},
                                              {"float", "double", "dd"},
                                              {"3", "8", "11", "14", "17", "20", "23"},
                                              {"720", "1680", "24", "100800", "2520"},
                                              {"Y", "N"},
                                              {"A", "F", "B"},
                                              {"a", "A_1", "id"},
                                              {"X", "X0", "X000", "0,5", "8;3", "XX0X"},
                                              {"Y", "N"},
                                              {"0", "12", "40"},
                                              {"0", "12", "40"},
                                              {"2", "4", "8", "S", "C", "T"},
                                              {"YES", "ONFLY", "t.bin", "roots"},
                                              {"0", "16,16", "4,8,8", "32,32"},
                                              {"0", "3", "5"},
                                              {"Y", "N"},
                                              {"0", "3", "5", "8", "10"},
                                              {"0", "8", "10", "16"},
                                              {"65536", "512"},
                                              {"1", "3", "100"},
                                              {"3", "4"},
                                              {"DIMENSIONS", "RECURSION"},
                                              {"AUTO", "ALL", "REDUCED", "PAIR"}};

static size_t text_make(char *text)
{
    size_t len = 0, shape = test_below(4), n = test_below(24);

    if (shape == 0) { /* words in any order */
        for (size_t k = 0; k < n; k++)
            len += (size_t)snprintf(text + len, 24, "%s", words[test_below(N_WORDS)]);
    } else if (shape < 3) { /* lines of a key and a value, of its own or any; length 8 to 17 most often */
        for (size_t k = 0; k < n / 4 + 1; k++) {
            size_t key = test_below(N_KEYS), choices = 0;
            while (choices < 8 && values[key][choices])
                choices++;
            const char *value =
                test_below(shape == 1 ? 30 : 3) ? values[key][test_below(choices)] : words[N_KEYS + test_below(N_WORDS - N_KEYS)];
            len += (size_t)snprintf(text + len, 40, "%s=%s\n", words[key], value);
        }
    } else {
        len = test_below(300);
        for (size_t k = 0; k < len; k++)
            text[k] = (char)test_u64();
    }
    for (size_t k = test_below(8); k < 3 && len > 0 && shape != 1; k++)
        text[test_below(len)] = (char)test_u64();
    for (size_t k = 0; k < len; k++) /* a path of TWIDDLE may lead anywhere: t-fftgen.sh has some */
        text[k] = text[k] == '/' ? '_' : text[k];
    return len;
}

/* In a child: some files, one after the other. */
static void child(unsigned count)
{
#ifndef __SANITIZE_ADDRESS__ /* whose shadow is larger */
    const struct rlimit memory = {(rlim_t)3 << 30, (rlim_t)3 << 30};
    setrlimit(RLIMIT_AS, &memory);
#endif
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    dup2(null, 2);
    const struct rlimit processors = {SECONDS, SECONDS}; /* a machine may be busy with other work */
    setrlimit(RLIMIT_CPU, &processors);
    for (unsigned i = 0; i < count; i++) {
        shared->len = text_make(shared->text);
        shared->at = i;
        int fd = open(input, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd < 0 || write(fd, shared->text, shared->len) != (ssize_t)shared->len || close(fd) != 0)
            _exit(100);
        char *argv[] = {"fftgen", "-o", out_folder, "-f", input, test_below(8) == 0 ? "--analyze" : NULL, NULL};
        int status = fftgen_main(argv[5] ? 6 : 5, argv);
        if (status != EXIT_DONE && status != EXIT_USAGE)
            _exit(101);
        shared->valid += status == EXIT_DONE;
        if (shared->outside > 0)
            _exit(102);
    }
    _exit(0);
}

/* The names in a folder other than those of the test. */
static unsigned strangers(const char *path, const char *known1, const char *known2)
{
    unsigned n = 0;
    DIR *d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && strcmp(e->d_name, known1) != 0 &&
             strcmp(e->d_name, known2) != 0;
    if (d)
        closedir(d);
    return n;
}

static void folder_remove(const char *path)
{
    char name[1024];
    DIR *d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;) {
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && unlink(name) != 0)
            folder_remove(name); /* tables can be in folders */
    }
    if (d)
        closedir(d);
    rmdir(path);
}

static void test_files(void)
{
    const char *tmp = getenv("TMPDIR");
    char top[128], cwd[160];
    size_t n = test_tier(2000, 10000, 120000), valid = 0;

    snprintf(top, sizeof top, "%.80s/fftgen-fuzz-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!TEST_CHECK(mkdtemp(top) != NULL))
        return;
    snprintf(out_folder, sizeof out_folder, "%s/out", top);
    snprintf(input, sizeof input, "%s/in", top);
    snprintf(cwd, sizeof cwd, "%s/cwd", top);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!TEST_CHECK(shared != MAP_FAILED && mkdir(cwd, 0700) == 0))
        return;
    for (size_t done = 0; done < n; done += BATCH) {
        int status = 0;
        test_u64(); /* a child's numbers begin where the parent is */
        fflush(NULL);
        uint64_t seed = test_u64();
        pid_t pid = fork();
        if (pid == 0) {
            for (uint64_t skip = seed % 1000; skip > 0; skip--)
                test_u64();
            if (chdir(cwd) == 0)
                child(BATCH);
            _exit(103);
        }
        bool ended = pid > 0 && waitpid(pid, &status, 0) == pid;
        if (!TEST_CHECK_MSG(ended && WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x at file %u of a batch: %.*s",
                            (unsigned)status, shared->at, (int)shared->len, shared->text))
            break;
        TEST_CHECK(strangers(cwd, "", "") == 0);
    }
    valid = shared->valid;
    TEST_CHECK_MSG(strangers(top, "in", "out") == 1, "files beside the folder"); /* cwd */
    TEST_CHECK_MSG(valid > n / 20 && valid < n, "%zu of %zu are valid", valid, n);
    printf("%zu files, %zu of them transforms\n", n, valid);
    folder_remove(out_folder);
    unlink(input);
    rmdir(cwd);
    rmdir(top);
    munmap(shared, sizeof *shared);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_files);
    return test_end();
}
