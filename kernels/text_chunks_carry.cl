/*
 * text_chunks_carry.cl - the carries from chunk to chunk of a product in text.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * As chunks_carry.cl, which see.  The text has its most significant character first, so that chunk c is characters z_chars -
 * (c + 1) CHUNK_CHARS on.  Chunks that a carry runs through are overwritten by the whole group.
 * Tunables: CHUNK_CHARS and TEXT_BASE, or what runs_to_text.cl has them of: BLOCK_DIGITS, CHUNK_BLOCKS, DECIMAL; SCAN_ITEMS,
 *           GROUP_MAPS as in carry_map.cl.
 */
#ifndef TEXT_BASE
#define TEXT_BASE 10
#endif
#ifndef CHUNK_CHARS
#define CHUNK_CHARS (CHUNK_BLOCKS * BLOCK_DIGITS * DECIMAL)
#endif
#include "carry_map.cl"
#include "text_chars.cl"

#define AHEAD_CHARS 16 /* that are read together if a carry runs far */

/* chars_ripple - add a carry of -1 or 1 to the characters from `last` down to `first`, until it ends. */
INLINE void chars_ripple(__global uchar *restrict z, long first, long last, int carry)
{
    for (long i = last; i >= first && carry != 0; i -= AHEAD_CHARS) {
        ulong chars[2] = {0, 0};
        UNROLL for (int k = 0; k < AHEAD_CHARS; k++) chars[k / 8] |= (ulong)z[max(i - k, first)] << (8 * (k % 8));
        ROLLED for (long k = i; k > i - AHEAD_CHARS && k >= first && carry != 0; k--)
        {
            z[k] = char_carry((uchar)chars[0], &carry);
            chars[0] = chars[0] >> 8 | chars[1] << 56;
            chars[1] >>= 8;
        }
    }
}

/*
 * ND-range:  as chunks_carry of chunks_carry.cl.
 *   z i/o z_chars characters;   maps, next_status, groups_at as in chunks_carry.cl
 * Local:     8 SCAN_ITEMS + 4 SCAN_ITEMS / SCAN_MAPS + 8 bytes.   Barriers: those of chunk_carry.
 */
__kernel __attribute__((reqd_work_group_size(SCAN_ITEMS, 1, 1)))
void text_chunks_carry(__global uchar *restrict z, __global const uchar *restrict maps, uint n_chunks, ulong z_chars,
                       __global uint *restrict next_status, uint groups_at)
{
    __local struct chunk_carries c;
    const uint t = get_local_id(0), chunk = get_global_id(0), part = get_group_id(1), parts = get_num_groups(1);
    int carry = chunk_carry(&c, maps, groups_at, n_chunks, next_status, t);
    const long last = (long)z_chars - (long)chunk * CHUNK_CHARS - 1, first = max(last - (CHUNK_CHARS - 1), 0L);
    if (part == 0 && carry != 0 && last >= 0) {
        z[last] = char_carry(z[last], &carry); /* mostly it ends here */
        chars_ripple(z, first, last - 1, carry);
    }
    for (uint k = c.any_fill ? part : SCAN_ITEMS; k < SCAN_ITEMS; k += parts) {
        if (c.fill[k] != 0) {
            const long begin = (long)z_chars - (long)(chunk - t + k + 1) * CHUNK_CHARS;
            for (int i = t; i < CHUNK_CHARS; i += SCAN_ITEMS)
                if (begin + i >= 0)
                    z[begin + i] = c.fill[k] > 0 ? '0' : CHAR_LAST;
        }
    }
}
