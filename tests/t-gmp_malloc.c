/*
 * t-gmp_malloc.c - the drop-in for GMP in programs that have a malloc of their own.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * This malloc crashes if it is called before main, when it is not ready.  Here it is a whole replacement, and gfmul multiplies.
 * In t-gmp_malloc_odd.c it lacks posix_memalign, and leaves GMP by a long jump, as that of GNU Common Lisp: nothing may allocate
 * amid a call of GMP, so that all products are GMP's, and a line of the statistics says so.
 */
#include <setjmp.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "gmp_copy.h"

#ifndef ODD_MALLOC
#define ODD_MALLOC 0
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1 /* malloc is the sanitizer's */
#elif defined __has_feature
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

enum { LIMBS = 20000, SHORT_LIMBS = 3 };
#define ARENA_BYTES ((size_t)1 << 34)

/* ---- the malloc ---- */

static bool in_main;
static volatile bool in_gmp; /* amid a call */
static jmp_buf before_gmp;
static char *arena;
static atomic_size_t used;

static void *arena_get(size_t align, size_t bytes)
{
    size_t *block;
    if (!in_main)
        __builtin_trap();
    if (ODD_MALLOC && in_gmp)
        longjmp(before_gmp, 1);
    const size_t at = (atomic_fetch_add(&used, bytes + 2 * align + 64) + 64 + align - 1) / align * align;
    block = (size_t *)(void *)(arena + at);
    block[-1] = bytes;
    return block;
}

#if !SANITIZED
#pragma GCC visibility push(default)

void *malloc(size_t bytes)
{
    return arena_get(64, bytes);
}

void *calloc(size_t n, size_t bytes)
{
    return malloc(n * bytes); /* the arena is used once */
}

void free(void *p)
{
    (void)p;
}

void *realloc(void *p, size_t bytes)
{
    void *q = malloc(bytes);
    if (p)
        memcpy(q, p, bytes < ((size_t *)p)[-1] ? bytes : ((size_t *)p)[-1]);
    return q;
}

#if !ODD_MALLOC
void *aligned_alloc(size_t align, size_t bytes)
{
    return arena_get(align < 64 ? 64 : align, bytes);
}

int posix_memalign(void **p, size_t align, size_t bytes)
{
    *p = aligned_alloc(align, bytes);
    return 0;
}
#endif

#pragma GCC visibility pop
#endif

/* ---- the program ---- */

/* GMP has memory of its own: what it takes is not malloc's. */
static void *gmp_alloc(size_t bytes)
{
    return arena + (atomic_fetch_add(&used, (bytes + 63) / 64 * 64 + 128) + 127) / 64 * 64;
}

static void gmp_free(void *p, size_t bytes)
{
    (void)p, (void)bytes;
}

static mp_limb_t a[LIMBS], b[LIMBS], z[2 * LIMBS], want[2 * LIMBS];

static void test_products(void)
{
    struct gmp_copy reference;
    char path[4096];
    static volatile unsigned n_jumps;
    gmp_open_reference(&reference, gmp_path(path));
    mp_set_memory_functions(gmp_alloc, NULL, gmp_free);
    for (size_t i = 0; i < LIMBS; i++) {
        a[i] = test_u64();
        b[i] = test_u64();
    }
    for (volatile int round = 0; round < 3; round++) {
        const volatile mp_size_t n = round == 0 ? SHORT_LIMBS : LIMBS - round;
        if (setjmp(before_gmp) != 0)
            n_jumps++;
        in_gmp = n_jumps < 10; /* else it would never end */
        mpn_mul_n(z, a, b, n);
        in_gmp = false;
        reference.mul_n(want, a, b, n);
        test_equal_limbs(z, want, 2 * (size_t)n);
    }
    TEST_CHECK_MSG(n_jumps == 0, "%u allocations amid a product", n_jumps);
}

int main(int argc, char **argv)
{
    arena = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    in_main = true;
    if (SANITIZED || arena == MAP_FAILED) {
        fprintf(stderr, "no malloc of our own: skipped\n");
        return 77;
    }
    if (!is_preloaded()) {
        char stats[4096];
        const int status = run_counted(argv, 4, stats, sizeof stats);
        const unsigned long made = strncmp(stats, "gfmul-gmp: ", 11) == 0 ? strtoul(stats + 11, NULL, 10) : 0;
        const bool told = strstr(stats, "all long products were GMP's: the program has a malloc of its own\n") != NULL;
        if (status == 0 && ((made > 0) == ODD_MALLOC || told != ODD_MALLOC)) {
            fprintf(stderr, "FAILED: %s\n", stats);
            return 1;
        }
        return status;
    }
    join_streams();
    test_begin(argc, argv);
    TEST_RUN(test_products);
    return test_end();
}
