/*
 * ocl_residue.c - numbers on a device modulo a prime, by kernels/number_residue.cl.
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

/* RESIDUE_ITEMS of the kernel and its levels; units of an item where there are enough; groups at most. */
enum { ITEMS = 256, LEVELS = 8, ITEM_UNITS = 16, GROUPS_MAX = 1024, TEXT_UNIT = 8 };

/* quotient_of - floor(m 2^64 / p). */
static uint64_t quotient_of(uint64_t m, uint64_t p)
{
    return (uint64_t)(((unsigned __int128)m << 64) / p);
}

/* What the kernel works with. */
struct work {
    cl_kernel k;
    cl_mem table;    /* of each prime: struct constants */
    cl_mem part;     /* of each group: residues by each prime */
    cl_ulong *value; /* .. in host memory */
};

/* As the kernel reads them. */
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

static enum gfmul_status residues(const struct ocl_call *on, struct work *w, cl_mem number, size_t n, bool text,
                                  unsigned n_primes, const uint64_t *prime, uint64_t *result)
{
    const size_t units = text ? (n + TEXT_UNIT - 1) / TEXT_UNIT : n;
    const uint64_t base = text ? 100000000 : (uint64_t)1 << 32;
    size_t groups = (units + ITEMS * ITEM_UNITS - 1) / (ITEMS * ITEM_UNITS);
    struct constants table[RESIDUE_PRIMES_MAX];
    const cl_ulong count = n;
    char options[40];

    groups = groups < 1 ? 1 : groups > GROUPS_MAX ? GROUPS_MAX : groups;
    for (unsigned k = 0; k < n_primes; k++)
        constants_set(&table[k], prime[k], base, groups * ITEMS);
    snprintf(options, sizeof options, "-DTEXT=%d -DPRIMES=%u", text, n_primes);
    const size_t bytes = groups * n_primes * sizeof *w->value;
    if (!(w->value = alloc_aligned(bytes)))
        return GFMUL_ERR_MEMORY;
    TRY(ocl_kernel_get(on, "number_residue.cl", "number_residue", options, &w->k));
    TRY(ocl_buffer_get(on, n_primes * sizeof table[0], &w->table));
    TRY(ocl_upload(on, (struct ocl_span){w->table, 0, n_primes * sizeof table[0]}, table, 1, OCL_AFTER_QUEUE));
    TRY(ocl_buffer_get(on, bytes, &w->part));
    TRY(ocl_args(on, w->k, OCL_ARG(number), OCL_ARG(count), OCL_ARG(w->table), OCL_ARG(w->part), OCL_END));
    TRY(ocl_launch(on, w->k, "number_residue", ocl_items(groups * ITEMS, ITEMS), (text ? 1.0 : 4.0) * (double)n));
    TRY(ocl_download(on, w->value, (struct ocl_span){w->part, 0, bytes}, 1, OCL_AFTER_QUEUE));
    for (unsigned k = 0; k < n_primes; k++) {
        const uint64_t p = prime[k], group_base = residue_power(base, ITEMS, p);
        uint64_t r = 0;
        for (size_t g = groups; g-- > 0;)
            r = (residue_mul(r, group_base, p) + w->value[g * n_primes + k] % p) % p;
        result[k] = r;
    }
    if (ocl_fault(OCL_FAULT_RESIDUE))
        result[n_primes - 1] = (result[n_primes - 1] + 1) % prime[n_primes - 1];
    return GFMUL_OK;
}

enum gfmul_status ocl_residues(const struct ocl_call *on, cl_mem number, size_t n, bool text, unsigned n_primes,
                               const uint64_t *prime, uint64_t *result)
{
    struct work w = {NULL, NULL, NULL, NULL};
    const enum gfmul_status status = residues(on, &w, number, n, text, n_primes, prime, result);
    if (status != GFMUL_OK)
        ocl_drain(on->device); /* the kernel may not have run: nobody else gets what it writes before */
    ocl_buffer_put(on->device, w.part);
    ocl_buffer_put(on->device, w.table);
    ocl_kernel_put(on->device, w.k);
    alloc_free(w.value);
    return status;
}
