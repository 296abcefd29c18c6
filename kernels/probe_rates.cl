/*
 * probe_rates.cl - the rates of a device: doc/decisions/device-primes.md.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * probe_fma, probe_product   each work-item: CHAINS chains of `rounds` fma; of products modulo a prime of 31 bits
 *   out     out  never written to, but compilers cannot know that
 *   rounds  in
 * probe_copy   work-item i reads 16 bytes and writes them, changed
 *   x  i/o  global, 16 bytes for each work-item
 * Local bytes: none.   Barriers: none.   Options: none.
 */
#include "prelude.cl"

#define CHAINS 8

__kernel void probe_fma(__global uint *out, const uint rounds)
{
    fp z[CHAINS], sum = 0;
    const fp x = 0.5 + 0x1p-30 * get_local_id(0);
    UNROLL
    for (uint k = 0; k < CHAINS; k++)
        z[k] = k;
    for (uint r = 0; r < rounds; r++) {
        UNROLL
        for (uint k = 0; k < CHAINS; k++)
            z[k] = fma(z[k], x, x); /* to x / (1 - x), which is above 0 */
    }
    UNROLL
    for (uint k = 0; k < CHAINS; k++)
        sum += z[k];
    if (sum == 0)
        *out = 1;
}

__kernel void probe_product(__global uint *out, const uint rounds)
{
    const uint p = 2113929217, w = 1751732407 + get_local_id(0), q = (uint)(((ulong)w << 32) / p);
    uint z[CHAINS], sum = 0;
    UNROLL
    for (uint k = 0; k < CHAINS; k++)
        z[k] = k + 1;
    for (uint r = 0; r < rounds; r++) {
        UNROLL
        for (uint k = 0; k < CHAINS; k++) { /* as residue_mul of residue_passes.cl */
            const uint y = z[k] * w - mul_hi(z[k], q) * p;
            z[k] = min(y, y - p); /* 1 to p - 1 */
        }
    }
    UNROLL
    for (uint k = 0; k < CHAINS; k++)
        sum |= z[k];
    if (sum == 0)
        *out = 1;
}

__kernel void probe_copy(__global uint4 *x)
{
    x[get_global_id(0)] ^= 1;
}
