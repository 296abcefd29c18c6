/*
 * ocl_residue.c - reduce numbers on a device modulo primes, by kernels/number_residue.cl.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_residue.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/try.h"
#include "limbs/residue.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"
#include "ocl/ocl_staging.h"

/* RESIDUE_ITEMS of the kernel and its levels; units of an item, if there are enough; the most groups; characters of a unit. */
enum { ITEMS = 256, LEVELS = 8, ITEM_UNITS = 16, GROUPS_MAX = 1024, TEXT_UNIT = 8 };

/* quotient_of - floor(m 2^64 / p). */
static uint64_t quotient_of(uint64_t m, uint64_t p)
{
    return (uint64_t)(((unsigned __int128)m << 64) / p);
}

/* The kernel and its buffers. */
struct work {
    cl_kernel k;
    cl_mem table;    /* struct constants for each prime */
    cl_mem part;     /* for each group its residues modulo each prime */
    cl_ulong *value; /* .. in host memory */
    unsigned n_primes;
    const uint64_t *prime;
};

/* The constants of a prime, in the kernel's layout. */
struct constants {
    cl_ulong prime, power[2], step[LEVELS], quotient[LEVELS];
};

static void constants_set(struct constants *c, uint64_t prime, uint64_t base, size_t items)
{
    c->prime = prime;
    c->power[0] = residue_power(base, items, prime);
    c->power[1] = quotient_of(c->power[0], prime);
    for (unsigned i = 0; i < LEVELS; i++) {
        c->step[i] = residue_power(base, (uint64_t)1 << i, prime);
        c->quotient[i] = quotient_of(c->step[i], prime);
    }
}

/* times - r m modulo p, below 2 p; quotient is m's, and r any number below 2^64.   Source: [Har14]. */
static uint64_t times(uint64_t r, uint64_t m, uint64_t quotient, uint64_t p)
{
    return r * m - (uint64_t)(((unsigned __int128)r * quotient) >> 64) * p;
}

/* fold - combine the residues of a number's groups: the value of group g stands for value base^g. */
static void fold(uint64_t *residue, const cl_ulong *value, size_t groups, const uint64_t *base, unsigned n_primes,
                 const uint64_t *prime)
{
    uint64_t r[RESIDUE_PRIMES_MAX] = {0}, quotient[RESIDUE_PRIMES_MAX];
    for (unsigned k = 0; k < n_primes; k++)
        quotient[k] = quotient_of(base[k], prime[k]);
    for (size_t g = groups; g-- > 0;) {
        for (unsigned k = 0; k < n_primes; k++) /* r < 2 p + 2^63 < 2^64 */
            r[k] = times(r[k], base[k], quotient[k], prime[k]) + value[g * n_primes + k];
    }
    for (unsigned k = 0; k < n_primes; k++)
        residue[k] = r[k] % prime[k];
}

static enum gfmul_status residues(const struct ocl_call *on, struct work *w, const struct ocl_residue_number *number,
                                  unsigned count, bool text, uint64_t (*residue)[RESIDUE_PRIMES_MAX])
{
    const unsigned n_primes = w->n_primes;
    const uint64_t *prime = w->prime;
    const uint64_t base = text ? 100000000 : (uint64_t)1 << 32;
    uint64_t group_base[RESIDUE_PRIMES_MAX];
    struct constants table[RESIDUE_PRIMES_MAX];
    char options[40];
    size_t most = 0;

    for (unsigned i = 0; i < count; i++)
        most = number[i].n > most ? number[i].n : most;
    const size_t units = text ? (most + TEXT_UNIT - 1) / TEXT_UNIT : most;
    size_t groups = (units + ITEMS * ITEM_UNITS - 1) / (ITEMS * ITEM_UNITS); /* for each number, because all share the table */
    groups = groups < 1 ? 1 : groups > GROUPS_MAX ? GROUPS_MAX : groups;
    for (unsigned k = 0; k < n_primes; k++) {
        constants_set(&table[k], prime[k], base, groups * ITEMS);
        group_base[k] = residue_power(base, ITEMS, prime[k]);
    }
    snprintf(options, sizeof options, "-DTEXT=%d -DPRIMES=%u", text, n_primes);
    const size_t values = groups * n_primes, bytes = count * values * sizeof *w->value;
    if (!(w->value = alloc_aligned(bytes)))
        return GFMUL_ERR_MEMORY;
    TRY(ocl_kernel_get(on, "number_residue.cl", "number_residue", options, &w->k));
    TRY(ocl_buffer_get(on, n_primes * sizeof table[0], &w->table));
    TRY(ocl_upload(on, (struct ocl_span){w->table, 0, n_primes * sizeof table[0]}, table, 1, OCL_AFTER_QUEUE));
    TRY(ocl_buffer_get(on, bytes, &w->part));
    for (unsigned i = 0; i < count; i++) {
        const cl_ulong n = number[i].n, first = i * groups;
        TRY(ocl_args(on, w->k, OCL_ARG(number[i].words), OCL_ARG(n), OCL_ARG(w->table), OCL_ARG(w->part), OCL_ARG(first),
                     OCL_END));
        TRY(ocl_launch(on, w->k, "number_residue", ocl_items(groups * ITEMS, ITEMS), (text ? 1.0 : 4.0) * (double)n));
    }
    TRY(ocl_download(on, w->value, (struct ocl_span){w->part, 0, bytes}, 1, OCL_AFTER_QUEUE));
    for (unsigned i = 0; i < count; i++) {
        fold(residue[i], w->value + i * values, groups, group_base, n_primes, prime);
        if (ocl_fault(OCL_FAULT_RESIDUE))
            residue[i][n_primes - 1] = (residue[i][n_primes - 1] + 1) % prime[n_primes - 1];
    }
    return GFMUL_OK;
}

enum gfmul_status ocl_residues(const struct ocl_call *on, const struct ocl_residue_number *number, unsigned count, bool text,
                               unsigned n_primes, const uint64_t *prime, uint64_t (*residue)[RESIDUE_PRIMES_MAX])
{
    struct work w = {.n_primes = n_primes, .prime = prime};
    const enum gfmul_status status = residues(on, &w, number, count, text, residue);
    if (status != GFMUL_OK)
        ocl_drain(on->device); /* the kernel may still run, so nobody may get its buffers yet */
    ocl_buffer_put(on->device, w.part);
    ocl_buffer_put(on->device, w.table);
    ocl_kernel_put(on->device, w.k);
    alloc_free(w.value);
    return status;
}
