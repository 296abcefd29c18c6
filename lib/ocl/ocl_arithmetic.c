/*
 * ocl_arithmetic.c - check that a device rounds as the proof assumes, by comparing a trial kernel with the host's arithmetic.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/disk_cache.h"
#include "base/rounding.h"
#include "base/try.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"
#include "ocl/ocl_state.h"

enum { ITEMS = 512, NUMBERS = 3, RESULTS = 8 };

static const char *const result_names[RESULTS] = {"fma",   "a * b + c",         "c - a * b",     "a / b",
                                                  "a sum", "the rest of a sum", "a dot product", "the rest of a dot product"};

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

/* signed_number - a number in +-[1, 2), all bits of its significand random. */
static double signed_number(uint64_t *state)
{
    const double x = 1.0 + floor((double)next(state) * 0x1p-1) * 0x1p-52;
    return next(state) & 1 ? -x : x;
}

/* The functions below compute what probe_arithmetic.cl computes.  In every other item c is close to - a b, which reveals an fma
   that rounds twice and a product that is not rounded. */
static void two_sum(double *z, double a, double b)
{
    const double s = a + b, t = s - a;
    z[0] = s;
    z[1] = (a - (s - t)) + (b - t);
}
static void numbers(double *x)
{
    uint64_t state = 20261124;
    for (unsigned i = 0; i < ITEMS; i++, x += NUMBERS) {
        x[0] = signed_number(&state);
        x[1] = signed_number(&state);
        x[2] = signed_number(&state);
        if (i % 2 == 0)
            x[2] = -(x[0] * x[1]) * (1.0 + (double)(i % 6) * 0x1p-52);
    }
}
static void results(double *z, const double *x)
{
    for (unsigned i = 0; i < ITEMS; i++, x += NUMBERS, z += RESULTS) {
        const double a = x[0], b = x[1], c = x[2], tiny = 0x1p-60, p = a * b, q = c * a;
        const double al = b * tiny, bl = c * tiny, cl = a * tiny, dl = b * tiny;
        double s[2];
        z[0] = fma(a, b, c);
        z[1] = p + c;
        z[2] = c - p;
        z[3] = a / b;
        two_sum(z + 4, p, c);
        two_sum(s, p, q);
        const double rest = (fma(al, b, fma(a, bl, fma(a, b, -p))) + fma(cl, a, fma(c, dl, fma(c, a, -q)))) + s[1];
        z[6] = s[0] + rest;
        z[7] = rest - (z[6] - s[0]);
    }
}

/* run - run the kernel and read its results. */
static enum gfmul_status run(const struct ocl_call *on, void *x, void *z)
{
    struct ocl_device *d = on->device;
    const size_t items = ITEMS, bytes = sizeof(double);
    cl_int code, code_out;
    cl_kernel k = NULL;
    TRY(ocl_kernel_get(on, "probe_arithmetic.cl", "probe_arithmetic", "-DDOUBLE_DOUBLE=1", &k));
    /* own buffers, so that the trial leaves the device's pool alone */
    cl_mem in = clCreateBuffer(d->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, NUMBERS * ITEMS * bytes, x, &code);
    cl_mem out = clCreateBuffer(d->context, CL_MEM_READ_WRITE, RESULTS * ITEMS * bytes, NULL, &code_out);
    code = code != CL_SUCCESS ? code : code_out;
    enum gfmul_status status = ocl_status(on, code, "clCreateBuffer");
    if (status == GFMUL_OK)
        status = ocl_args(on, k, OCL_ARG(out), OCL_ARG(in), OCL_END);
    if (status == GFMUL_OK)
        status = ocl_status(on, clEnqueueNDRangeKernel(d->queue, k, 1, NULL, &items, NULL, 0, NULL, NULL), "probe_arithmetic");
    if (status == GFMUL_OK)
        status = ocl_status(on, clEnqueueReadBuffer(d->queue, out, CL_TRUE, 0, RESULTS * ITEMS * bytes, z, 0, NULL, NULL),
                            "clEnqueueReadBuffer");
    if (in)
        clReleaseMemObject(in);
    if (out)
        clReleaseMemObject(out);
    ocl_kernel_put(d, k);
    return status;
}

/* probe - compare the results.   verdict out: RESULTS if all agree, else the index of the first result that differs */
static enum gfmul_status probe(const struct ocl_call *on, uint8_t *verdict)
{
    const size_t bytes = sizeof(double);
    char *x = calloc((NUMBERS + 2 * RESULTS) * ITEMS, bytes);
    if (!x)
        return ocl_fail(on->detail, GFMUL_ERR_MEMORY, "out of memory for a trial of the device's arithmetic");
    char *z = x + NUMBERS * ITEMS * bytes, *want = z + RESULTS * ITEMS * bytes;
    ROUND_TO_NEAREST;
    numbers((double *)(void *)x);
    results((double *)(void *)want, (double *)(void *)x);
    const enum gfmul_status status = run(on, x, z);
    *verdict = RESULTS;
    if (ocl_fault(OCL_FAULT_ARITHMETIC) != 0)
        z[bytes * RESULTS * (ITEMS - 1) + bytes] ^= 1;
    for (size_t k = 0; k < RESULTS * ITEMS && *verdict == RESULTS; k++)
        if (memcmp(z + k * bytes, want + k * bytes, bytes) != 0)
            *verdict = (uint8_t)(k % RESULTS);
    free(x);
    return status;
}

/* The identities of devices that this process has found right.  If there are more, only the cache on disk has them. */
enum { RIGHT_MOST = 16 };
static pthread_mutex_t right_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned right_n;
static char right[RIGHT_MOST][sizeof((struct ocl_device *)0)->identity];

void ocl_arithmetic_forget(void)
{
    pthread_mutex_lock(&right_lock);
    right_n = 0;
    pthread_mutex_unlock(&right_lock);
}

/* right_known - whether a device is one of them.   add in: true: add it to them */
static bool right_known(const struct ocl_device *d, bool add)
{
    bool known = false;
    pthread_mutex_lock(&right_lock);
    for (unsigned i = 0; i < right_n; i++)
        known = known || strcmp(right[i], d->identity) == 0;
    if (add && !known && right_n < RIGHT_MOST)
        memcpy(right[right_n++], d->identity, sizeof d->identity);
    pthread_mutex_unlock(&right_lock);
    return known;
}

enum gfmul_status ocl_arithmetic_check(const struct ocl_call *on)
{
    struct ocl_device *d = on->device;
    const struct disk_cache_key key = {d->identity, OCL_FACT_ARITHMETIC, ""};
    uint8_t verdict = 0;
    void *data = NULL;
    size_t n = 0;

    if (right_known(d, false))
        return GFMUL_OK;
    if (disk_cache_load(&key, &data, &n) == DISK_CACHE_FOUND && n == sizeof verdict)
        memcpy(&verdict, data, sizeof verdict);
    free(data);
    if (verdict != RESULTS) { /* a bad verdict is not kept, because the device may work again at the next trial */
        TRY(probe(on, &verdict));
        if (verdict == RESULTS)
            disk_cache_store(&key, &verdict, sizeof verdict);
    }
    if (verdict != RESULTS)
        return ocl_fail(on->detail, GFMUL_ERR_DEVICE, "%.100s: its doubles are not those of IEEE 754: %s differs", d->info.name,
                        verdict < RESULTS ? result_names[verdict] : "something");
    right_known(d, true);
    return GFMUL_OK;
}
