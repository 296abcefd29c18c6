/*
 * fft_roots.cl - the plain transform's tables that are too long for the host.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * ND-range:  roots_fill: items.
 *   table           out  e(-step i / n)
 *   high, low_roots in   e(-e 2^low_bits / n), e(-e / n), e < 2^low_bits;   step i < 2^32
 * Value:     off by two units in the last place of a double, or as many of a float.
 */
#include "fft_butterfly.cl"

__kernel void roots_fill(__global point *table, ulong offset, uint step, __global const point *high,
                         __global const point *low_roots, uint low_bits)
{
    const uint i = get_global_id(0);
    table[offset + i] = root_at(high, low_roots, low_bits, step * i);
}
