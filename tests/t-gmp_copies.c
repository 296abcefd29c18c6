/*
 * t-gmp_copies.c - the drop-in for GMP in a process without a libgmp of its own: copies that dlopen brings, as with Python's
 * wheels.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The program is not linked with GMP.  Else the copies' own calls would reach the program's.  It runs itself again with the
 * library preloaded: with a threshold of a few limbs, then with one that leaves all to GMP.
 */
#include "gmp_copy.h"

enum { COPIES = 3, LIMBS = 20000, LOW_THRESHOLD = 3, HIGH_THRESHOLD = 1000000 };

static char path[4096];
static mp_limb_t x[LIMBS], got[2 * LIMBS], want[2 * LIMBS];

/* ---- allocations, counted by copy ---- */

static unsigned long n_allocated[COPIES];

#define COUNTING_ALLOC(i)                     \
    static void *counting_alloc_##i(size_t n) \
    {                                         \
        n_allocated[i]++;                     \
        return malloc(n);                     \
    }
COUNTING_ALLOC(0)
COUNTING_ALLOC(1)
COUNTING_ALLOC(2)

static void counts_reset(void)
{
    memset(n_allocated, 0, sizeof n_allocated);
}

static void fill(void)
{
    for (size_t i = 0; i < LIMBS; i++)
        x[i] = test_u64();
}

/* Each copy goes on by itself: copy 2 binds to itself, and is the reference; the calls of 0 and 1 go through the library. */
static void test_each_its_own(void)
{
    struct gmp_copy copy[COPIES];
    gmp_open(&copy[0], path, 0);
    gmp_open(&copy[1], path, 0);
    gmp_open_reference(&copy[2], path);
    copy[0].set_memory(counting_alloc_0, plain_realloc, plain_free);
    copy[1].set_memory(counting_alloc_1, plain_realloc, plain_free);
    copy[2].set_memory(counting_alloc_2, plain_realloc, plain_free);
    for (unsigned round = 0; round < 3; round++) {
        fill();
        counts_reset();
        copy[2].sqr(want, x, LIMBS);
        const unsigned long n_reference = n_allocated[2];
        for (unsigned i = 0; i < 2; i++) {
            counts_reset();
            memset(got, 0, sizeof got);
            copy[i].sqr(got, x, LIMBS); /* what it calls goes through the library */
            test_equal_limbs(got, want, 2 * LIMBS);
            TEST_CHECK_MSG(n_allocated[1 - i] == 0 && n_allocated[2] == 0, "copy %u: others allocate", i);
            if (!gmp_is_gfmuls(LIMBS))
                TEST_CHECK_MSG(n_allocated[i] == n_reference && n_reference > 1, "copy %u: %lu allocations, not %lu", i,
                               n_allocated[i], n_reference);
            else
                TEST_CHECK_MSG(n_allocated[i] < n_reference, "copy %u: %lu allocations", i, n_allocated[i]);
        }
    }
    for (unsigned i = 0; i < COPIES; i++)
        dlclose(copy[i].handle);
}

/* Copies that are opened so that they bind to themselves, as PHP's modules are: their calls come to the library all the same. */
static void test_deep(void)
{
    struct gmp_copy reference, copy;
    gmp_open_reference(&reference, path);
    for (unsigned round = 0; round < 2; round++) {
        gmp_open(&copy, path, RTLD_DEEPBIND);
        copy.set_memory(counting_alloc_0, plain_realloc, plain_free);
        reference.set_memory(counting_alloc_1, plain_realloc, plain_free);
        counts_reset();
        fill();
        copy.sqr(got, x, 200); /* short ones find the way first */
        copy.sqr(got, x, LIMBS);
        reference.sqr(want, x, LIMBS);
        test_equal_limbs(got, want, 2 * LIMBS);
        if (gmp_is_gfmuls(LIMBS))
            TEST_CHECK_MSG(n_allocated[0] < n_allocated[1], "%lu allocations, not below %lu", n_allocated[0], n_allocated[1]);
        dlclose(copy.handle);
    }
    dlclose(reference.handle);
}

/* Errors of dlopen are those that the program would have met. */
static void test_deep_errors(void)
{
    TEST_CHECK(dlopen("/nowhere/libgmp.so", RTLD_NOW | RTLD_DEEPBIND) == NULL);
    const char *error = dlerror();
    TEST_CHECK_MSG(error && strstr(error, "/nowhere/libgmp.so"), "%s", error);
    TEST_CHECK(dlopen("libnowhere.so", RTLD_NOW | RTLD_DEEPBIND) == NULL && dlerror() != NULL);
    TEST_CHECK(dlopen(path, RTLD_DEEPBIND) == NULL && dlerror() != NULL); /* neither lazy nor now */
    void *self = dlopen(NULL, RTLD_NOW | RTLD_DEEPBIND);
    TEST_CHECK(self != NULL && dlclose(self) == 0);
}

/* Copies come and go: the ways to those that went lead nowhere wrong. */
static void test_come_and_go(void)
{
    struct gmp_copy reference;
    gmp_open_reference(&reference, path);
    for (unsigned round = 0; round < 8; round++) {
        struct gmp_copy copy;
        gmp_open(&copy, path, 0);
        TEST_CHECK(strcmp(*copy.version, *reference.version) == 0);
        fill();
        copy.sqr(got, x, LIMBS);
        reference.sqr(want, x, LIMBS);
        test_equal_limbs(got, want, 2 * LIMBS);
        TEST_CHECK(dlclose(copy.handle) == 0);
    }
    dlclose(reference.handle);
}

/* The library and its engine have not brought a libgmp: each one that is there was opened here. */
static int count_gmp(struct dl_phdr_info *info, size_t size, void *n)
{
    (void)size;
    *(unsigned *)n += strstr(info->dlpi_name, "/libgmp.so") != NULL;
    return 0;
}

static void test_nothing_brought(void)
{
    unsigned n = 0;
    dl_iterate_phdr(count_gmp, &n);
    TEST_CHECK_MSG(n == 0, "%u", n);
    TEST_CHECK(dlsym(RTLD_DEFAULT, "__gmpz_mul") == NULL);
    TEST_CHECK(dlsym(RTLD_DEFAULT, "gfmul_mul") == NULL);
    TEST_CHECK(dlsym(RTLD_DEFAULT, "__gmpn_mul") != NULL); /* the library's own */
}

int main(int argc, char **argv)
{
    if (!is_preloaded()) {
        char stats[8192];
        const int status = run_counted(argv, LOW_THRESHOLD, stats, sizeof stats);
        if (status != 0)
            return status;
        /* The last copy is left open, for what is said of it. */
        if (!strstr(stats, "libgmp-copy-") || !strstr(stats, " binds to itself: its products were not seen\n")) {
            fprintf(stderr, "FAILED: nothing is said of a GMP that binds to itself: %s\n", stats);
            return 1;
        }
        run_preloaded(argv, HIGH_THRESHOLD);
    }
    join_streams();
    gmp_path(path);
    test_begin(argc, argv);
    TEST_RUN(test_each_its_own);
    TEST_RUN(test_come_and_go);
    TEST_RUN(test_deep);
    TEST_RUN(test_deep_errors);
    TEST_RUN(test_nothing_brought);
    struct gmp_copy unseen;
    gmp_open_reference(&unseen, path);
    return test_end();
}
