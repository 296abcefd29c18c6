/*
 * t-faults.c - calls of all kinds while the system fails at random: memory, threads, locks, files, random numbers, devices.
 *
 * Each call gives the right result or an error that its contract has.  Nothing is left behind, and what comes next is right.  The
 * linker puts the functions of this file in place of the system's in the library's own objects, not in those of GMP and
 * drivers, which end the process for want of memory.  Faults one after the other, each at every place, are in the tests of each
 * part (alloc_fail_after, ocl_fault.h).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "any_call.h"
#include "base/alloc.h"
#include "base/idle.h"
#include "device_test.h"
#include "gfmul_fft.h"

/* ---- the system, as it fails ---- */

static atomic_uint rate; /* one of so many calls fails; 0: none */
static atomic_ullong fault_state;
static atomic_long live; /* blocks that were given and not given back */
static atomic_ulong faults, chances;
static atomic_bool no_threads; /* the system has none */

/* fails - whether the next call fails; threads draw from one generator. */
static bool fails(void)
{
    const unsigned r = atomic_load(&rate);
    if (r == 0)
        return false;
    uint64_t x = atomic_fetch_add(&fault_state, UINT64_C(0x9e3779b97f4a7c15));
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    atomic_fetch_add(&chances, 1);
    if ((x ^ (x >> 31)) % r != 0)
        return false;
    atomic_fetch_add(&faults, 1);
    return true;
}

static void *counted(void *p)
{
    if (p != NULL)
        atomic_fetch_add(&live, 1);
    return p;
}

/* The compiler and the linker know these names: what the library calls `name` is __wrap_name, the system's is __real_name. */
#define WRAP(result, name, parameters, arguments, failure)    \
    result __real_##name parameters;                          \
    result __wrap_##name parameters;                          \
    result __wrap_##name parameters                           \
    {                                                         \
        return fails() ? (failure) : __real_##name arguments; \
    }
static int failed(int code) /* with errno */
{
    errno = code;
    return -1;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
int __real_posix_memalign(void **p, size_t alignment, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
int __wrap_posix_memalign(void **p, size_t alignment, size_t n);
void __wrap_free(void *p);

void *__wrap_malloc(size_t n)
{
    return fails() ? NULL : counted(__real_malloc(n));
}
void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__real_calloc(n, size));
}
void *__wrap_realloc(void *p, size_t n)
{
    return fails() ? NULL : p != NULL ? __real_realloc(p, n) : counted(__real_realloc(p, n));
}
char *__wrap_strdup(const char *s)
{
    return fails() ? NULL : counted(__real_strdup(s));
}
int __wrap_posix_memalign(void **p, size_t alignment, size_t n)
{
    const int code = fails() ? ENOMEM : __real_posix_memalign(p, alignment, n);
    if (code == 0)
        counted(*p);
    return code;
}
void __wrap_free(void *p)
{
    if (p != NULL)
        atomic_fetch_sub(&live, 1);
    __real_free(p);
}

int __real_pthread_create(pthread_t *t, const pthread_attr_t *how, void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *how, void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *how, void *(*run)(void *), void *arg)
{
    return atomic_load(&no_threads) || fails() ? EAGAIN : __real_pthread_create(t, how, run, arg);
}
WRAP(int, pthread_mutex_init, (pthread_mutex_t * m, const pthread_mutexattr_t *how), (m, how), ENOMEM)
WRAP(int, pthread_cond_init, (pthread_cond_t * c, const pthread_condattr_t *how), (c, how), ENOMEM)
WRAP(int, getentropy, (void *p, size_t n), (p, n), failed(ENOSYS))
WRAP(locale_t, newlocale, (int mask, const char *name, locale_t base), (mask, name, base), (locale_t)0)
WRAP(FILE *, fopen, (const char *path, const char *how), (path, how), (errno = EMFILE, (FILE *)NULL))
WRAP(FILE *, fdopen, (int fd, const char *how), (fd, how), (errno = ENOMEM, (FILE *)NULL))
WRAP(size_t, fread, (void *p, size_t size, size_t n, FILE *f), (p, size, n, f), 0)
WRAP(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *f), (p, size, n, f), 0)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), failed(EACCES))
WRAP(int, rename, (const char *from, const char *to), (from, to), failed(ENOSPC))

/* ---- calls ---- */

static struct any_caller caller;

static void *take(size_t bytes)
{
    void *p = __real_malloc(bytes > 0 ? bytes : 1);
    if (p == NULL)
        exit(1);
    return p;
}

/* is_allowed - what a call may say for want of memory, of a thread, or of random numbers. */
static bool is_allowed(enum gfmul_status status)
{
    return status == GFMUL_OK || status == GFMUL_ERR_MEMORY || status == GFMUL_ERR_UNSUPPORTED;
}

/* round_run - a context, some calls on it, and its end; faults come at this rate, 0: never. */
static void round_run(unsigned one_of, unsigned calls)
{
    struct gfmul_options opt;
    any_options(&caller, &opt);
    test_note("faults: 1 of %u; engine %d, rule %d, precision %d, packing %d, verify %d, certify %d, threads %u", one_of,
              (int)opt.engine, (int)opt.rule, (int)opt.precision, (int)opt.packing, (int)opt.verify, opt.certify, opt.threads);
    atomic_store(&rate, one_of);
    const enum gfmul_status created = gfmul_ctx_create(&caller.ctx, &opt);
    atomic_store(&rate, 0);
    TEST_CHECK_MSG(is_allowed(created) && (created == GFMUL_OK) == (caller.ctx != NULL), "%s", gfmul_strerror(created));
    for (unsigned i = 0; i < calls && caller.ctx != NULL; i++) {
        const enum any_kind kind = (enum any_kind)any_below(&caller, ANY_KINDS);
        enum gfmul_status status;
        atomic_store(&rate, one_of);
        const char *wrong = any_call(&caller, kind, &status);
        atomic_store(&rate, 0);
        TEST_CHECK_MSG(wrong == NULL && is_allowed(status), "%s: %s; %s", any_kind_name(kind), gfmul_strerror(status),
                       wrong != NULL ? wrong : "no result");
        wrong = any_call(&caller, kind, &status);
        TEST_CHECK_MSG(wrong == NULL && status == GFMUL_OK, "%s afterwards: %s; %s", any_kind_name(kind), gfmul_strerror(status),
                       wrong != NULL ? wrong : "no result");
    }
    gfmul_ctx_destroy(caller.ctx);
    caller.ctx = NULL;
}

/* wait_briefly - what is kept for a next call goes back at once (idle.h). */
static bool wait_briefly(void)
{
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    return false;
}

/* live_now - blocks that are left when all has gone back; not more than `most`, if that can be. */
static long live_now(long most)
{
    gfmul_ctx_trim(NULL);
    for (int i = 0; i < 400 && atomic_load(&live) > most; i++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    return atomic_load(&live);
}

/* Contexts of the CPU: right or an error, at rates from one of 3 to one of 600, and no block is left behind. */
static void test_cpu(void)
{
    static const unsigned rates[] = {3, 8, 20, 50, 150, 600};
    caller = (struct any_caller){.state = test_u64(), .most_limbs = 3000, .with_threads = true};
    idle_wait_by(wait_briefly);
    any_take = take;
    any_give = __real_free;
    atomic_store(&fault_state, test_u64());
    for (unsigned i = 0; i < 25; i++) /* what is kept for the process is there */
        round_run(0, 20);
    enum gfmul_status status;
    (void)any_call(&caller, ANY_MUL, &status); /* the default context is there */
    nanosleep(&(struct timespec){0, 100000000}, NULL);
    const long before = live_now(LONG_MAX);
    const double seconds = (double)test_tier(5, 20, 600), begin = test_seconds();
    unsigned rounds = 0;
    while ((rounds < 32 || test_seconds() - begin < seconds) && test_state.property_failures == 0) {
        round_run(rates[test_below(6)], 8);
        rounds++;
        if (rounds % 16 == 0)
            TEST_CHECK_MSG(live_now(before) <= before, "%ld blocks, %ld before", atomic_load(&live), before);
    }
    printf("%u rounds, %lu of %lu calls of the system failed\n", rounds, atomic_load(&faults), atomic_load(&chances));
    TEST_CHECK_MSG(atomic_load(&faults) > 20, "%lu faults: the linker did not put them in", atomic_load(&faults));
}

/* What a convolution keeps without a thread to give it back: it goes on request, or once another call finds a thread. */
static void test_no_thread(void)
{
    enum { N = 1000 };
    static uint64_t x[N], y[2 * N];
    struct gfmul_conv_options opt;
    gfmul_conv_options_init(&opt);
    opt.number = GFMUL_CONV_INT64;
    opt.words = 1;
    idle_wait_by(wait_briefly);
    alloc_lend_refuse(true); /* what is lent is still a block */
    const long before = live_now(LONG_MAX);
    for (unsigned later = 0; later < 2; later++) {
        atomic_store(&no_threads, true);
        TEST_OK(gfmul_convolve(y, x, N, x, N, &opt));
        atomic_store(&no_threads, false);
        nanosleep(&(struct timespec){0, 50000000}, NULL);
        TEST_CHECK_MSG(atomic_load(&live) > before, "nothing is kept: the test sees nothing");
        if (later == 0) {
            gfmul_ctx_trim(NULL);
        } else {
            TEST_OK(gfmul_convolve(y, x, N, x, N, &opt));
            for (int i = 0; i < 400 && atomic_load(&live) > before; i++)
                nanosleep(&(struct timespec){0, 10000000}, NULL);
        }
        TEST_CHECK_MSG(atomic_load(&live) == before, "%ld blocks, %ld before", atomic_load(&live), before);
    }
    alloc_lend_refuse(false);
}

#ifdef HAVE_OPENCL
static bool device_ready;

/* faults_set - some places fail, after any number of calls, some times. */
static void faults_set(void)
{
    static const int codes[] = {-4, -5, -6, -9999, -36, -14}; /* memory, resources, the host, an unknown one, a queue, an event */
    ocl_fault_clear();
    for (int place = OCL_FAULT_CONTEXT; place < OCL_FAULT_PLACES; place++) {
        if (test_below(3) != 0 || place == OCL_FAULT_DISTANCE)
            continue;
        const int code = place == OCL_FAULT_DATA ? 1 + (int)test_below(1000) : codes[test_below(6)];
        const unsigned first = (unsigned)test_below(test_below(2) ? 5 : 60), times = 1 + (unsigned)test_below(3);
        ocl_fault_set((enum ocl_fault_place)place, first, times, code);
    }
}

/*
 * Contexts with a device, whose driver, memory and cache fail: "auto" makes each product, by the CPU if need be; a named device
 * makes it or says that it cannot.
 */
static void test_device(void)
{
    if (!device_ready) {
        TEST_SKIP("no device\n");
        return;
    }
    const double seconds = (double)test_tier(3, 20, 600), begin = test_seconds();
    const bool files = test_level() > 0; /* a program that cannot be read is built, which takes a processor many seconds */
    unsigned rounds = 0, made = 0, refused = 0;
    atomic_store(&fault_state, test_u64());
    while (rounds < 8 || (test_seconds() - begin < seconds && test_state.property_failures == 0)) {
        const bool named = test_below(2), memory = files && rounds > 0 && test_below(2);
        const unsigned one_of = memory ? 1 + 20 * (1 + (unsigned)test_below(20)) : 0;
        struct gfmul_ctx *ctx = ctx_of(named ? "gpu" : NULL);
        for (unsigned i = 0; i < 4; i++) {
            operands_draw();
            if (rounds > 0)
                faults_set();
            test_note("%s device, memory fails once in %u, round %u", named ? "named" : "automatic", one_of, rounds);
            atomic_store(&rate, one_of);
            const enum gfmul_status status = gfmul_mul(ctx, z, a, AN, b, BN);
            atomic_store(&rate, 0);
            struct gfmul_report r;
            gfmul_ctx_report(ctx, &r);
            if (status == GFMUL_OK)
                test_equal_limbs(z, want, ZN);
            else
                TEST_CHECK_MSG(((status == GFMUL_ERR_DEVICE || status == GFMUL_ERR_VERIFY) && named) ||
                                   (status == GFMUL_ERR_UNSUPPORTED && memory) || status == GFMUL_ERR_MEMORY,
                               "%s: %s", gfmul_strerror(status), r.detail);
            TEST_CHECK_MSG(status == GFMUL_OK || r.detail[0] != '\0', "%s without a reason", gfmul_strerror(status));
            made += status == GFMUL_OK;
            refused += status != GFMUL_OK;
        }
        ocl_fault_clear();
        test_note("after faults, round %u", rounds);
        const struct gfmul_report report = product(ctx);
        TEST_CHECK_MSG(report.status == GFMUL_OK || named, "%s: %s", gfmul_strerror(report.status), report.detail);
        gfmul_ctx_destroy(ctx);
        rounds++;
    }
    printf("%u rounds, %u products, %u errors\n", rounds, made, refused);
}
#endif

int main(int argc, char **argv)
{
    test_begin(argc, argv);
#ifdef HAVE_OPENCL
    device_ready = ocl_test_begin();
    ocl_test_keep();
    ocl_test_gpu(true);
#endif
    TEST_RUN(test_no_thread);
    TEST_RUN(test_cpu);
#ifdef HAVE_OPENCL
    TEST_RUN(test_device);
    return ocl_test_end();
#else
    return test_end();
#endif
}
