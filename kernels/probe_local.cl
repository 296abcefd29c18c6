/*
 * probe_local.cl - whether a work-group can have so much static local memory.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * probe_local   one work-group of 64 work-items: fills PROBE_BYTES of local memory, reads each word by another work-item, adds.
 *   sum   out  global, 1 uint: sum of 2654435761 (i + 1) over i < PROBE_BYTES / 4, modulo 2^32
 * Local bytes: PROBE_BYTES.   Barriers: 3.   Options: PROBE_BYTES, a multiple of 256.
 */
#ifndef PROBE_BYTES
#error "PROBE_BYTES is missing"
#endif
#define PROBE_WORDS (PROBE_BYTES / 4)

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void probe_local(__global uint *sum)
{
    __local uint word[PROBE_WORDS];
    const uint me = get_local_id(0);

    for (uint i = me; i < PROBE_WORDS; i += 64)
        word[i] = 2654435761u * (i + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint part = 0;
    for (uint i = me; i < PROBE_WORDS; i += 64)
        part += word[i ^ 33]; /* another work-item's, of the same 64 */
    barrier(CLK_LOCAL_MEM_FENCE);
    word[me] = part;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me == 0) {
        uint all = 0;
        for (uint i = 0; i < 64; i++)
            all += word[i];
        *sum = all;
    }
}
