/*
 * ocl_arithmetic.c - whether a device rounds as the proof assumes: a trial kernel against the same operations here.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rounding.h"
#include "base/try.h"
#include "ocl/ocl_cache.h"
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

/* signed_number - +-1 to +-2, all bits of its significand random. */
static double signed_number(uint64_t *state, double bits)
{
    const double x = 1.0 + floor((double)next(state) * 0x1p-53 * bits) / bits;
    return next(state) & 1 ? -x : x;
}

/*
 * What probe_arithmetic.cl computes, in double and in float.  c is near to - a b in every other item, so that an fma that rounds
 * twice and a product that is not rounded show.
 */
#define DEFINE_ARITHMETIC(real, fma_)                                                                                       \
    static void two_sum_##real(real *z, real a, real b)                                                                     \
    {                                                                                                                       \
        const real s = a + b, t = s - a;                                                                                    \
        z[0] = s;                                                                                                           \
        z[1] = (a - (s - t)) + (b - t);                                                                                     \
    }                                                                                                                       \
    static void numbers_##real(real *x, double bits)                                                                        \
    {                                                                                                                       \
        uint64_t state = 20261124;                                                                                          \
        for (unsigned i = 0; i < ITEMS; i++, x += NUMBERS) {                                                                \
            x[0] = (real)signed_number(&state, bits);                                                                       \
            x[1] = (real)signed_number(&state, bits);                                                                       \
            x[2] = (real)signed_number(&state, bits);                                                                       \
            if (i % 2 == 0)                                                                                                 \
                x[2] = -(x[0] * x[1]) * (real)(1.0 + (double)(i % 6) / bits);                                               \
        }                                                                                                                   \
    }                                                                                                                       \
    static void results_##real(real *z, const real *x)                                                                      \
    {                                                                                                                       \
        for (unsigned i = 0; i < ITEMS; i++, x += NUMBERS, z += RESULTS) {                                                  \
            const real a = x[0], b = x[1], c = x[2], tiny = (real)0x1p-60, p = a * b, q = c * a;                            \
            const real al = b * tiny, bl = c * tiny, cl = a * tiny, dl = b * tiny;                                          \
            real s[2];                                                                                                      \
            z[0] = fma_(a, b, c);                                                                                           \
            z[1] = p + c;                                                                                                   \
            z[2] = c - p;                                                                                                   \
            z[3] = sizeof a == sizeof(double) ? a / b : 0;                                                                  \
            two_sum_##real(z + 4, p, c);                                                                                    \
            two_sum_##real(s, p, q);                                                                                        \
            const real rest = (fma_(al, b, fma_(a, bl, fma_(a, b, -p))) + fma_(cl, a, fma_(c, dl, fma_(c, a, -q)))) + s[1]; \
            z[6] = s[0] + rest;                                                                                             \
            z[7] = rest - (z[6] - s[0]);                                                                                    \
        }                                                                                                                   \
    }
DEFINE_ARITHMETIC(double, fma)
DEFINE_ARITHMETIC(float, fmaf)

/* run - the kernel's results. */
static enum gfmul_status run(const struct ocl_call *on, bool floats, void *x, void *z, size_t bytes)
{
    struct ocl_device *d = on->device;
    const char *options = floats ? "-DDOUBLE_DOUBLE=1 -DFLOAT_PARTS=1 -cl-single-precision-constant" : "-DDOUBLE_DOUBLE=1";
    const size_t items = ITEMS;
    cl_int code, code_out;
    cl_kernel k = NULL;
    TRY(ocl_kernel_get(on, "probe_arithmetic.cl", "probe_arithmetic", options, &k));
    /* memory of its own: the pool of the device stays as it is */
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

/* probe - verdict out: RESULTS if all agree, else which result differs first. */
static enum gfmul_status probe(const struct ocl_call *on, bool floats, uint8_t *verdict)
{
    static const size_t most = sizeof(double);
    const size_t bytes = floats ? sizeof(float) : sizeof(double);
    char *x = calloc((NUMBERS + 2 * RESULTS) * ITEMS, most), *z = x + NUMBERS * ITEMS * most, *want = z + RESULTS * ITEMS * most;
    if (!x)
        return ocl_fail(on->detail, GFMUL_ERR_MEMORY, "out of memory for a trial of the device's arithmetic");
    ROUND_TO_NEAREST;
    if (floats) {
        numbers_float((float *)(void *)x, 0x1p23);
        results_float((float *)(void *)want, (float *)(void *)x);
    } else {
        numbers_double((double *)(void *)x, 0x1p52);
        results_double((double *)(void *)want, (double *)(void *)x);
    }
    const enum gfmul_status status = run(on, floats, x, z, bytes);
    *verdict = RESULTS;
    if (ocl_fault(OCL_FAULT_ARITHMETIC) != 0)
        z[bytes * RESULTS * (ITEMS - 1) + bytes] ^= 1;
    for (size_t k = 0; k < RESULTS * ITEMS && *verdict == RESULTS; k++)
        if (memcmp(z + k * bytes, want + k * bytes, bytes) != 0)
            *verdict = (uint8_t)(k % RESULTS);
    free(x);
    return status;
}

/* Devices that this process has found right, by their identities; of more than these the disk knows. */
enum { RIGHT_MOST = 16 };
static pthread_mutex_t right_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned right_n;
static struct right {
    char identity[sizeof((struct ocl_device *)0)->identity];
    bool floats;
} right[RIGHT_MOST];

void ocl_arithmetic_forget(void)
{
    pthread_mutex_lock(&right_lock);
    right_n = 0;
    pthread_mutex_unlock(&right_lock);
}

/* right_known - whether a device is one of them; add: from now on it is. */
static bool right_known(const struct ocl_device *d, bool floats, bool add)
{
    bool known = false;
    pthread_mutex_lock(&right_lock);
    for (unsigned i = 0; i < right_n; i++)
        known = known || (right[i].floats == floats && strcmp(right[i].identity, d->identity) == 0);
    if (add && !known && right_n < RIGHT_MOST) {
        memcpy(right[right_n].identity, d->identity, sizeof d->identity);
        right[right_n++].floats = floats;
    }
    pthread_mutex_unlock(&right_lock);
    return known;
}

enum gfmul_status ocl_arithmetic_check(const struct ocl_call *on, bool floats)
{
    struct ocl_device *d = on->device;
    const struct ocl_cache_key key = {d->identity, floats ? "arithmetic of floats, 1" : "arithmetic of doubles, 1", ""};
    uint8_t verdict = 0;
    void *data = NULL;
    size_t n = 0;

    if (right_known(d, floats, false))
        return GFMUL_OK;
    if (ocl_cache_load(&key, &data, &n) == OCL_CACHE_FOUND && n == sizeof verdict)
        memcpy(&verdict, data, sizeof verdict);
    free(data);
    if (verdict != RESULTS) { /* a bad verdict is not kept: the next trial may be of a device in order again */
        TRY(probe(on, floats, &verdict));
        if (verdict == RESULTS)
            ocl_cache_store(&key, &verdict, sizeof verdict);
    }
    if (verdict != RESULTS)
        return ocl_fail(on->detail, GFMUL_ERR_DEVICE, "%.100s: its %s are not those of IEEE 754: %s differs", d->info.name,
                        floats ? "floats" : "doubles", verdict < RESULTS ? result_names[verdict] : "something");
    right_known(d, floats, true);
    return GFMUL_OK;
}
