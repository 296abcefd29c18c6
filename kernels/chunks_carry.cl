/*
 * chunks_carry.cl - the carries from chunk to chunk of a product in limbs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The carry into each chunk comes from the composed maps of the chunks before it.  Usually one of them is enough; if not, 16
 * SCAN_ITEMS are composed at a time, or with GROUP_MAPS those of whole groups of chunks (chunks_compose.cl).  Several groups
 * overwrite chunks that a carry runs through.
 * Tunables: CHUNK_WORDS, of a chunk, or what runs_to_limbs.cl has them of: BLOCK_DIGITS, CHUNK_BLOCKS, DIGIT_BITS;
 *           SCAN_ITEMS, GROUP_MAPS as in carry_map.cl.
 */
#include "carry_map.cl"

#ifndef CHUNK_WORDS
#define CHUNK_WORDS (CHUNK_BLOCKS * (BLOCK_DIGITS / 32 * DIGIT_BITS))
#endif
#define AHEAD_WORDS  16 /* that are read together if a carry runs far */
#define LONG_CARRIES 16 /* that a group adds together; what is more each item adds by itself, all of them side by side */

/* ripple_alone - add a carry of -1 or 1 to words `first` to `end` by one item, until it ends. */
INLINE void ripple_alone(__global uint *restrict z, ulong first, ulong end, int carry)
{
    for (ulong i = first; i < end && carry != 0; i += AHEAD_WORDS) {
        uint words[AHEAD_WORDS];
        UNROLL for (int k = 0; k < AHEAD_WORDS; k++) words[k] = z[min(i + k, end - 1)];
        UNROLL for (int k = 0; k < AHEAD_WORDS; k++)
        {
            if (carry != 0 && i + k < end)
                z[i + k] = word_carry(words[k], &carry);
        }
    }
}

/* Chunks in which a carry goes beyond the first word and ends: the first LONG_CARRIES that a group finds. */
struct long_carries {
    uint n, chunk[LONG_CARRIES], stop[LONG_CARRIES]; /* stop: the word behind the first that it ends with; CHUNK_WORDS before */
    int carry[LONG_CARRIES];
};

/* ripple_together - add these carries to the words behind the first of their chunks, by the whole group.   Barriers: 1. */
INLINE void ripple_together(__global uint *restrict z, ulong z_words, __local struct long_carries *far, uint t)
{
    const uint n = min(far->n, (uint)LONG_CARRIES);
    for (uint k = 0; k < n; k++) {
        const uint passed = far->carry[k] > 0 ? 0xffffffffu : 0u; /* words that it runs through */
        const ulong first = (ulong)far->chunk[k] * CHUNK_WORDS + 1;
        for (uint i = t; i < CHUNK_WORDS - 1 && first + i < z_words; i += SCAN_ITEMS)
            if (z[first + i] != passed)
                atomic_min(&far->stop[k], i);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < n; k++) {
        const ulong first = (ulong)far->chunk[k] * CHUNK_WORDS + 1;
        const uint stop = far->stop[k], end = min(stop + 1, (uint)(CHUNK_WORDS - 1));
        for (uint i = t; i < end && first + i < z_words; i += SCAN_ITEMS)
            z[first + i] = i < stop ? (far->carry[k] > 0 ? 0u : 0xffffffffu) : z[first + i] + (uint)far->carry[k];
    }
}

/*
 * ND-range:  dimension 0: ceil(n_chunks / SCAN_ITEMS) groups of SCAN_ITEMS items, an item for each chunk; 1: any number of
 *            groups of 1 item, which share the work on chunks that a carry runs through.
 *   z            i/o  z_words words
 *   maps         in   n_chunks; GROUP_MAPS: from groups_at on those of the groups of SCAN_ITEMS chunks, but the last one's
 *   next_status  out  zeros, for the next product (status.cl)
 * Local:     8 SCAN_ITEMS + 4 SCAN_ITEMS / SCAN_MAPS + 12 LONG_CARRIES + 12 bytes.   Barriers: those of chunk_carry, and 2.
 */
__kernel __attribute__((reqd_work_group_size(SCAN_ITEMS, 1, 1)))
void chunks_carry(__global uint *restrict z, __global const uchar *restrict maps, uint n_chunks, ulong z_words,
                  __global uint *restrict next_status, uint groups_at)
{
    __local struct chunk_carries c;
    __local struct long_carries far;
    const uint t = get_local_id(0), chunk = get_global_id(0), part = get_group_id(1), parts = get_num_groups(1);
    if (t == 0)
        far.n = 0;
    if (t < LONG_CARRIES)
        far.stop[t] = CHUNK_WORDS;
    int carry = chunk_carry(&c, maps, groups_at, n_chunks, next_status, t); /* behind its barriers `far` is set */
    if (part == 0) {
        const ulong first = (ulong)chunk * CHUNK_WORDS, end = min(first + CHUNK_WORDS, z_words);
        if (carry != 0 && first < end)
            z[first] = word_carry(z[first], &carry); /* mostly it ends here */
        if (carry != 0 && first + 1 < end) {
            const uint place = atomic_inc(&far.n);
            if (place < LONG_CARRIES) {
                far.chunk[place] = chunk;
                far.carry[place] = carry;
            } else {
                ripple_alone(z, first + 1, end, carry);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    ripple_together(z, z_words, &far, t);
    const ulong begin = (ulong)(chunk - t) * CHUNK_WORDS;
    UNROLL_SOME for (uint i = c.any_fill ? t + part * SCAN_ITEMS : SCAN_ITEMS * CHUNK_WORDS; i < SCAN_ITEMS * CHUNK_WORDS;
                     i += SCAN_ITEMS * parts)
    {
        const int turned = c.fill[i / CHUNK_WORDS];
        if (turned != 0 && begin + i < z_words)
            z[begin + i] = turned > 0 ? 0u : 0xffffffffu;
    }
}
