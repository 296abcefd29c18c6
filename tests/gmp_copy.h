/*
 * gmp_copy.h - what the tests of the drop-in for GMP share: copies of libgmp, and a start with libgfmul_gmp.so preloaded.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_GMP_COPY_H
#define GFMUL_GMP_COPY_H

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/wait.h>

#include "test.h"

/* GMP's own functions that gmp.h does not declare. */
#define GMP_ENTRIES                                                                                       \
    GMP_ENTRY(void, mul_basecase, (mp_ptr, mp_srcptr, mp_size_t, mp_srcptr, mp_size_t))                   \
    GMP_ENTRY(void, sqr_basecase, (mp_ptr, mp_srcptr, mp_size_t))                                         \
    GMP_ENTRY(mp_limb_t, redc_1, (mp_ptr, mp_ptr, mp_srcptr, mp_size_t, mp_limb_t))                       \
    GMP_ENTRY(mp_limb_t, redc_2, (mp_ptr, mp_ptr, mp_srcptr, mp_size_t, mp_srcptr))                       \
    GMP_ENTRY(void, redc_n, (mp_ptr, mp_ptr, mp_srcptr, mp_size_t, mp_srcptr))                            \
    GMP_ENTRY(mp_limb_t, mul_fft, (mp_ptr, mp_size_t, mp_srcptr, mp_size_t, mp_srcptr, mp_size_t, int))   \
    GMP_ENTRY(void, mulmod_bnm1, (mp_ptr, mp_size_t, mp_srcptr, mp_size_t, mp_srcptr, mp_size_t, mp_ptr)) \
    GMP_ENTRY(void, sqrmod_bnm1, (mp_ptr, mp_size_t, mp_srcptr, mp_size_t, mp_ptr))                       \
    GMP_ENTRY(void, tdiv_qr, (mp_ptr, mp_ptr, mp_size_t, mp_srcptr, mp_size_t, mp_srcptr, mp_size_t))     \
    GMP_ENTRY(void, div_q, (mp_ptr, mp_srcptr, mp_size_t, mp_srcptr, mp_size_t, mp_ptr))                  \
    GMP_ENTRY(mp_size_t, fft_next_size, (mp_size_t, int))                                                 \
    GMP_ENTRY(int, fft_best_k, (mp_size_t, int))
#define GMP_ENTRY(result, name, parameters) result __MPN(name) parameters;
GMP_ENTRIES
#undef GMP_ENTRY

/* A libgmp of its own. */
struct gmp_copy {
    void *handle;
    mp_limb_t (*mul)(mp_ptr, mp_srcptr, mp_size_t, mp_srcptr, mp_size_t);
    void (*mul_n)(mp_ptr, mp_srcptr, mp_srcptr, mp_size_t);
    void (*sqr)(mp_ptr, mp_srcptr, mp_size_t);
    void (*set_memory)(void *(*)(size_t), void *(*)(void *, size_t, size_t), void (*)(void *, size_t));
    const char *const *version;
#define GMP_ENTRY(result, name, parameters) result(*name) parameters;
    GMP_ENTRIES
#undef GMP_ENTRY
};

/* plain_realloc, plain_free - beside a counting function for a copy's set_memory. */
TEST_UNUSED static void *plain_realloc(void *p, size_t old, size_t n)
{
    (void)old;
    return realloc(p, n);
}

TEST_UNUSED static void plain_free(void *p, size_t n)
{
    (void)n;
    free(p);
}

/* gmp_symbol - a symbol of a copy into the pointer `pointer`; the test is skipped if it is not there. */
TEST_UNUSED static void gmp_symbol(void *pointer, void *handle, const char *name)
{
    void *p = dlsym(handle, name);
    if (!p) {
        fprintf(stderr, "libgmp has no %s: skipped\n", name);
        exit(77);
    }
    memcpy(pointer, &p, sizeof p);
}

/* gmp_path - the file of the system's libgmp, which is loaded if need be.   path  out  4096 bytes. */
TEST_UNUSED static const char *gmp_path(char *path)
{
    struct link_map *map;
    void *handle = dlopen("libgmp.so.10", RTLD_LAZY | RTLD_LOCAL);
    if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
        fprintf(stderr, "there is no libgmp.so.10: skipped\n");
        exit(77);
    }
    snprintf(path, 4096, "%s", map->l_name);
    dlclose(handle);
    return path;
}

/* What opens a copy: dlopen, which the preloaded library has, too, or what this library does not see. */
static void *seen_open(const char *file, int flags)
{
    return dlopen(file, flags);
}

TEST_UNUSED static void *unseen_open(const char *file, int flags)
{
    return dlmopen(LM_ID_BASE, file, flags);
}

/* gmp_open - a copy of the file `from` by a name of its own, loaded for itself alone, with more flags for `open_file`. */
TEST_UNUSED static void gmp_open_by(void *(*open_file)(const char *file, int flags), struct gmp_copy *gmp, const char *from,
                                    int flags)
{
    char to[] = "/tmp/libgmp-copy-XXXXXX", buf[1 << 16];
    ssize_t n = -1;
    const int in = open(from, O_RDONLY), out = mkstemp(to);
    while (in >= 0 && out >= 0 && (n = read(in, buf, sizeof buf)) > 0) {
        if (write(out, buf, (size_t)n) != n)
            break;
    }
    if (n != 0) {
        fprintf(stderr, "%s cannot be copied: skipped\n", from);
        exit(77);
    }
    close(in);
    close(out);
    gmp->handle = open_file(to, RTLD_NOW | RTLD_LOCAL | flags);
    unlink(to);
    if (!gmp->handle) {
        fprintf(stderr, "%s: skipped\n", dlerror());
        exit(77);
    }
    gmp_symbol(&gmp->mul, gmp->handle, "__gmpn_mul");
    gmp_symbol(&gmp->mul_n, gmp->handle, "__gmpn_mul_n");
    gmp_symbol(&gmp->sqr, gmp->handle, "__gmpn_sqr");
    gmp_symbol(&gmp->set_memory, gmp->handle, "__gmp_set_memory_functions");
    gmp_symbol(&gmp->version, gmp->handle, "__gmp_version");
#define GMP_ENTRY(result, name, parameters) gmp_symbol(&gmp->name, gmp->handle, "__gmpn_" #name);
    GMP_ENTRIES
#undef GMP_ENTRY
}

TEST_UNUSED static void gmp_open(struct gmp_copy *gmp, const char *from, int flags)
{
    gmp_open_by(seen_open, gmp, from, flags);
}

/* gmp_open_reference - a copy that the preloaded library does not reach. */
TEST_UNUSED static void gmp_open_reference(struct gmp_copy *gmp, const char *from)
{
    gmp_open_by(unseen_open, gmp, from, RTLD_DEEPBIND);
}

/* is_preloaded - whether this process was started by run_preloaded. */
TEST_UNUSED static bool is_preloaded(void)
{
    return getenv("T_GMP_PRELOADED") != NULL;
}

/* run_preloaded - start the program again with the library and this threshold, or that of the environment; no return. */
TEST_UNUSED static void run_preloaded(char **argv, size_t threshold)
{
    const char *folder = getenv("BUILDDIR");
    char library[4096], text[32];
    snprintf(library, sizeof library, "%s/.libs/libgfmul_gmp.so", folder ? folder : ".");
    if (access(library, R_OK) != 0) {
        fprintf(stderr, "%s is not there: skipped\n", library);
        exit(77);
    }
    snprintf(text, sizeof text, "%zu", threshold);
    setenv("LD_PRELOAD", library, 1);
    setenv("GFMUL_GMP_THRESHOLD", text, 0);
    setenv("T_GMP_PRELOADED", "1", 1);
    execv("/proc/self/exe", argv);
    perror("/proc/self/exe");
    exit(1);
}

/*
 * run_counted - run_preloaded in a child process; its exit status, 1 for a signal.   stats  out  the lines of its end.
 *
 * Its standard error at the start is a file, which those lines have to reach: it then calls join_streams.
 */
TEST_UNUSED static int run_counted(char **argv, size_t threshold, char *stats, size_t bytes)
{
    char file[] = "/tmp/t-gmp-stats-XXXXXX";
    int status = 1;
    const int fd = mkstemp(file);
    const pid_t pid = fork();
    if (pid == 0) {
        setenv("GFMUL_GMP_STATS", "1", 1);
        dup2(fd, STDERR_FILENO);
        run_preloaded(argv, threshold);
    }
    if (fd < 0 || pid < 0 || waitpid(pid, &status, 0) != pid)
        status = 1;
    const ssize_t n = pread(fd, stats, bytes - 1, 0);
    stats[n > 0 ? n : 0] = '\0';
    close(fd);
    unlink(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* join_streams - from here on standard error is standard output, as Singular has it. */
TEST_UNUSED static void join_streams(void)
{
    dup2(STDOUT_FILENO, STDERR_FILENO);
}

/* gmp_is_gfmuls - whether the threshold has products of n limbs made by gfmul. */
TEST_UNUSED static bool gmp_is_gfmuls(size_t n)
{
    return n >= strtoul(getenv("GFMUL_GMP_THRESHOLD"), NULL, 10);
}

#endif
