/*
 * t-ocl_alloc.c - no memory: each allocation of the library in turn fails while a device is opened and makes a product.
 *
 * The program's own malloc stands before the system's.  It fails calls from this program's code, where the library is, and none
 * from a driver's.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl_test.h"

#if defined(HAVE_OPENCL) && defined(__GLIBC__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#include <stdatomic.h>

#include "device_test.h"
#include "base/disk_cache.h"
#include "ocl/ocl_state.h"

extern void *__libc_malloc(size_t bytes), *__libc_calloc(size_t n, size_t bytes), *__libc_realloc(void *p, size_t bytes);
extern char __executable_start, etext;

static atomic_long left = -1; /* allocations until one fails; below 0: none does */
static atomic_ulong met;

/* fails - whether a call from here is the one. */
static bool fails(const void *from)
{
    if ((const char *)from < &__executable_start || (const char *)from >= &etext)
        return false;
    atomic_fetch_add(&met, 1);
    return atomic_load(&left) >= 0 && atomic_fetch_sub(&left, 1) == 0;
}

__attribute__((visibility("default"))) void *malloc(size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

__attribute__((visibility("default"))) void *calloc(size_t n, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, bytes);
}

__attribute__((visibility("default"))) void *realloc(void *p, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, bytes);
}

/* once - a device, opened anew, and a product; the status is that of the first that fails. */
static enum gfmul_status once(const char *device)
{
    struct gfmul_options opt;
    struct gfmul_ctx *ctx;
    gfmul_options_init(&opt);
    opt.device = device;
    opt.threads = 1;
    enum gfmul_status status = gfmul_ctx_create(&ctx, &opt);
    if (status != GFMUL_OK)
        return status;
    if (!device)
        ctx_device_limits(ctx, 1, 1);
    memset(z, 0x5a, sizeof z);
    status = gfmul_mul(ctx, z, a, AN, b, BN);
    gfmul_ctx_destroy(ctx);
    return status;
}

static char trial[512]; /* the file with the verdict on the device's arithmetic */

/* trial_forget - the device's arithmetic is tried again when it is opened. */
static void trial_forget(void)
{
    ocl_arithmetic_forget();
    unlink(trial);
}

/* One allocation fails, wherever it is: the product is right, or the status says so; the next one is right. */
static void test_each(void)
{
    const unsigned long step = (unsigned long)test_tier(4, 1, 1);
    struct ocl_device *d = ocl_test_open();
    TEST_CHECK(disk_cache_path(&(struct disk_cache_key){d->identity, OCL_FACT_ARITHMETIC, ""}, trial, sizeof trial));
    ocl_device_close(d);
    operands_draw();
    ocl_test_gpu(true);
    for (unsigned named = 0; named < 2; named++) {
        const char *const device = named ? "gpu" : NULL;
        TEST_OK(once(device)); /* programs are on disk */
        trial_forget();
        atomic_store(&met, 0);
        TEST_OK(once(device));
        const unsigned long n = atomic_load(&met);
        TEST_CHECK_MSG(n > 20, "%lu allocations", n);
        for (unsigned long i = test_below(step); i < n; i += step) {
            test_note("%s, allocation %lu of %lu", named ? "by name" : "auto", i, n);
            trial_forget();
            atomic_store(&left, (long)i);
            const enum gfmul_status status = once(device);
            atomic_store(&left, -1);
            TEST_CHECK_MSG(status == GFMUL_OK || status == GFMUL_ERR_MEMORY || (named && status == GFMUL_ERR_DEVICE), "%s",
                           gfmul_strerror(status));
            if (status == GFMUL_OK)
                test_equal_limbs(z, want, ZN);
        }
        TEST_OK(once(device));
        test_equal_limbs(z, want, ZN);
    }
    ocl_test_gpu(false);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    test_begin(argc, argv);
    TEST_RUN(test_each);
    return ocl_test_end();
}

#else

int main(void)
{
    puts("skipped: not this system");
    return 77;
}
#endif
