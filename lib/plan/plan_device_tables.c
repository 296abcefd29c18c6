/*
 * plan_device_tables.c - the twiddle tables of a plan on a device: the number of entries, and the value of each.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "plan/plan_device.h"

static unsigned stage_nodes(const struct device_pass *pass, unsigned i)
{
    unsigned nodes = 1;
    while (i-- > 0)
        nodes *= device_pass_coprime(pass) ? 1u << device_radix_log2(pass->radix[i]) : pass->radix[i];
    return nodes;
}

static unsigned stage_twiddles(const struct device_pass *pass, unsigned i)
{
    const unsigned even = 1u << device_radix_log2(pass->radix[i]);
    return even / 2 + (pass->dd && even == 4);
}

static unsigned stage_entries(const struct device_pass *pass, unsigned i)
{
    return stage_nodes(pass, i) * stage_twiddles(pass, i);
}

unsigned device_node_entries(const struct device_pass *pass)
{
    unsigned n = 0;
    for (unsigned i = 0; i < pass->n_stages; i++)
        n += i < pass->direct_stages ? stage_entries(pass, i) : device_radix_log2(pass->radix[i]);
    return n;
}

unsigned device_shared_entries(const struct device_pass *pass)
{
    unsigned n = 0;
    for (unsigned i = pass->direct_stages; i < pass->n_stages; i++)
        n += stage_entries(pass, i);
    return n;
}

size_t device_primes_tree(const struct plan_shape *shape)
{
    const size_t rows = shape->transform.n_rows, points = shape->device.forward[shape->device.n_passes - 1].points;
    return (rows > points ? rows : points) / 2;
}

unsigned device_primes_low_bits(const struct plan_shape *shape)
{
    return shape->transform.log2_n / 2;
}

size_t device_primes_stride(const struct plan_shape *shape)
{
    const unsigned low = device_primes_low_bits(shape);
    return DEVICE_PRIME_CONSTANTS + 2 * device_primes_tree(shape) + ((size_t)1 << (shape->transform.log2_n - low)) +
           ((size_t)1 << low);
}

size_t device_tables_bytes(const struct plan_shape *shape)
{
    size_t entries = 0, nodes = 1;
    if (shape->field == PLAN_PRIME)
        return 8 * shape->transform.n_primes * device_primes_stride(shape);
    for (unsigned p = 0; p < shape->device.n_passes; p++) {
        const struct device_pass *pass = &shape->device.forward[p];
        entries += (p == 0 ? 1 : nodes) * device_node_entries(pass) + device_shared_entries(pass);
        nodes *= pass->points;
    }
    return entries * device_point_bytes(shape);
}

uint64_t device_angle_den(const struct plan_shape *shape)
{
    return (uint64_t)4 * shape->transform.odd << (shape->transform.log2_n + 4);
}

uint64_t device_branch_angle(enum gfmul_packing packing, unsigned odd, unsigned t)
{
    /* branch 0 has the angle u / 4, see kernels/fft_radix.cl */
    const unsigned u = packing != GFMUL_PACKING_RIGHT_ANGLE ? 0 : odd % 4 == 1 ? 1 : 3;
    return ((uint64_t)u * odd + 4 * (uint64_t)t) % (4 * odd);
}

static uint64_t reversed(uint64_t k, unsigned bits)
{
    uint64_t r = 0;
    for (unsigned b = 0; b < bits; b++)
        r |= (k >> b & 1) << (bits - 1 - b);
    return r;
}

/* twiddle_at - twiddle j of a node: its level, and the offset of its angle from theta / 2^level, in sixteenths. */
static void twiddle_at(unsigned j, unsigned *level, int *sixteenths)
{
    static const unsigned char levels[8] = {1, 2, 3, 3, 4, 4, 4, 4};
    static const signed char offsets[8] = {0, 0, 0, -2, 0, -2, 1, -1};
    *level = levels[j];
    *sixteenths = offsets[j];
}

void device_entries(const struct plan_shape *shape, const struct device_pass *pass, bool first, struct device_entry *entry)
{
    const uint64_t den = device_angle_den(shape);
    const unsigned odd = first && !device_pass_coprime(pass) ? shape->transform.odd : 1; /* branches with nodes of their own */
    struct device_entry *direct = entry, *factor = entry, *shared = entry + device_node_entries(pass);
    unsigned depth = 0; /* binary levels of this pass above the stage */
    for (unsigned i = 0; i < pass->direct_stages; i++)
        factor += stage_entries(pass, i);
    for (unsigned i = 0; i < pass->n_stages; i++) {
        for (unsigned j = 0; j < stage_twiddles(pass, i); j++) {
            unsigned level;
            int sixteenths;
            const bool third = device_radix_log2(pass->radix[i]) == 2 && j == 2; /* e(3 theta / 4) */
            const unsigned times = third ? 3 : 1;
            twiddle_at(third ? 1 : j, &level, &sixteenths);
            for (unsigned node = 0; node < stage_nodes(pass, i); node++) {
                const unsigned t = node >> depth;
                const uint64_t k = node - ((uint64_t)t << depth);
                uint64_t offset = (den >> (depth + level)) * reversed(k, depth) + (uint64_t)(16 + sixteenths) * (den / 16);
                if (first) /* theta = branch / (4 odd), divided by 2^(depth + level) */
                    offset += device_branch_angle(shape->transform.packing, odd, t) * (den / (4 * odd) >> (depth + level));
                struct device_entry e = {times * offset % den,
                                         first || i >= pass->direct_stages ? DEVICE_ENTRY_FIXED : depth + level, times,
                                         i < pass->direct_stages && !pass->dd};
                *(i < pass->direct_stages ? direct++ : shared++) = e;
            }
        }
        for (unsigned v = 0; i >= pass->direct_stages && v < device_radix_log2(pass->radix[i]); v++)
            *factor++ = (struct device_entry){0, depth + v + 1, 1, 0};
        depth += device_radix_log2(pass->radix[i]);
    }
}
