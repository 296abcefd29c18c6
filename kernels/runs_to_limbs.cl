/*
 * runs_to_limbs.cl - from the runs of columns_to_runs_fused.cl to limbs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Digits are in order row by row, first the rows of the real half, then those of the imaginary one: ROWS = 2 POINTS rows of
 * n_columns digits.  BLOCK_DIGITS digits are a block, CHUNK_BLOCKS blocks a chunk, a whole number of chunks a row.
 *
 * runs_to_limbs    A work-group takes the same chunk of TILE_ROWS rows, so that it reads the runs of TILE_ROWS rows side by side;
 *                each of its items makes one block: carries of the runs added, bits packed.  Then carries go from block to block
 *                of a chunk, and the chunk's map (carry_map.cl) is left for the next kernel.
 * chunks_carry   The carry into each chunk, by composing the maps of those before it: mostly one of them is enough; where it is
 *                not, 16 SCAN_ITEMS at a time; where GROUP_MAPS, those of whole groups of chunks (chunks_compose.cl).  Chunks
 *                that a carry runs through are overwritten by several groups.
 * Equals:        the carry of digits_to_limbs.
 * Tunables:      POINTS, COLUMNS, DIGIT_BITS as in columns_to_runs_fused.cl; TILE_ROWS as there; BLOCK_DIGITS (32, 64;
 *                a multiple of COLUMNS); CHUNK_BLOCKS; SCAN_ITEMS, GROUP_MAPS as in carry_map.cl.
 */
#include "carry_map.cl"
#include "status.cl"

#define RUN_BITS     (COLUMNS * DIGIT_BITS)
#define RUN_WORDS    ((RUN_BITS + 31) / 32)
#define LAST_BITS    (RUN_BITS - 32 * (RUN_WORDS - 1)) /* of a run's last word */
#define BLOCK_RUNS   (BLOCK_DIGITS / COLUMNS)
#define BLOCK_WORDS  (BLOCK_DIGITS / 32 * DIGIT_BITS)
#define BLOCK_STRIDE (BLOCK_WORDS | 1)
#define CHUNK_RUNS   (CHUNK_BLOCKS * BLOCK_RUNS)
#define CHUNK_WORDS  (CHUNK_BLOCKS * BLOCK_WORDS)
#define TILE_ITEMS   (TILE_ROWS * CHUNK_BLOCKS)
#define AHEAD_WORDS  16 /* that are read together where a carry goes on and on */
#define LONG_CARRIES 16 /* that a group adds together; what is more each item adds by itself, all of them side by side */
#define STORE_ITEMS  (TILE_ITEMS < 32 ? TILE_ITEMS : 32) /* that store a row's words side by side */
/* Where a block's words begin in local memory: items of all rows, then of the next block, are in different banks. */
#define ROW_SHARE            (TILE_ROWS < 32 ? 32 / TILE_ROWS : 1)
#define ROW_STRIDE           (CHUNK_BLOCKS * BLOCK_STRIDE + (ROW_SHARE + 31 * CHUNK_BLOCKS) * BLOCK_STRIDE % 32)
#define WORDS_OF(row, block) ((row) * ROW_STRIDE + (block) * BLOCK_STRIDE)

/* pack_block - BLOCK_RUNS runs into BLOCK_WORDS words, with the carries into each run added.   Returns the block's map. */
INLINE uint pack_block(const uint *run_words, const long *carry_in, __local uint *words)
{
    long carry = 0;
    ulong bits = 0;
    uint ones = 0xffffffffu, zeros = 0;
    int fill = 0, out = 0;
    UNROLL for (int run = 0; run < BLOCK_RUNS; run++)
    {
        carry += carry_in[run];
        UNROLL for (int k = 0; k < RUN_WORDS; k++)
        {
            const int n_bits = k + 1 < RUN_WORDS ? 32 : LAST_BITS;
            const long v = carry + (long)run_words[run * RUN_WORDS + k];
            carry = v >> n_bits;
            bits |= ((ulong)v & (0xffffffffUL >> (32 - n_bits))) << fill;
            fill += n_bits;
            if (fill >= 32) {
                words[out++] = (uint)bits;
                ones &= (uint)bits;
                zeros |= (uint)bits;
                bits >>= 32;
                fill -= 32;
            }
        }
    }
    return map_make((int)carry, ones == 0xffffffffu, zeros == 0);
}

/* word_carry - a word plus a carry of -1 or 1, which becomes the next one. */
INLINE uint word_carry(uint word, int *carry)
{
    const uint v = word + (uint)*carry;
    *carry = *carry > 0 ? v == 0 : -(v == 0xffffffffu);
    return v;
}

/* ripple - add a carry of -1 or 1 to words of local memory, until it ends. */
INLINE void ripple(__local uint *words, int carry)
{
    for (uint i = 0; i < BLOCK_WORDS && carry != 0; i++)
        words[i] = word_carry(words[i], &carry);
}

/*
 * ND-range:  2 POINTS / TILE_ROWS * chunks of a row groups of TILE_ITEMS items, the chunks of one tile of rows side by side.
 *   runs, carries  in   from columns_to_runs_fused
 *   z              out  z_words words of 32 bits; what is beyond is zero and not written
 *   maps           out  the map of each chunk, in the order of the number
 *   n_groups       in   groups of columns_to_runs_fused: n_columns / COLUMNS
 * Local:     4 TILE_ITEMS (BLOCK_STRIDE + 1) + 128 TILE_ROWS bytes at most.   Barriers: 2.
 */
__kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1)))
void runs_to_limbs(__global const uint *restrict runs, __global const long *restrict carries, __global uint *restrict z,
                 __global uchar *restrict maps, uint n_groups, ulong z_words)
{
    __local uint words[WORDS_OF(TILE_ROWS, 0)];
    __local uint block_map[TILE_ITEMS];
    const uint t = get_local_id(0), row_chunks = n_groups / CHUNK_RUNS;
    const uint group = (uint)get_global_id(0) / TILE_ITEMS; /* an offset of the range counts */
    const uint tile = group / row_chunks, chunk = group - tile * row_chunks;
    const uint upper = tile * TILE_ROWS / POINTS, first_row = tile * TILE_ROWS - upper * POINTS, first_group = chunk * CHUNK_RUNS;

    /* an item loads its block's words and carries: all from one place on by constants, and side by side */
    const uint row = t % TILE_ROWS, block = t / TILE_ROWS, number_row = tile * TILE_ROWS + row;
    const uint run = first_group + block * BLOCK_RUNS; /* of those of the row */
    uint run_words[BLOCK_RUNS * RUN_WORDS];
    long carry_in[BLOCK_RUNS];
    {
        /* the carry into the first run: out of the group before, or of the last group in the row before */
        const uint before_row = run > 0 || number_row == 0 ? number_row : number_row - 1, before_upper = before_row / POINTS;
        const uint before_group = (run > 0 ? run : n_groups) - 1;
        const long first = carries[(size_t)(before_group * 2 + before_upper) * POINTS + (before_row - before_upper * POINTS)];
        carry_in[0] = run > 0 || number_row > 0 ? first : 0;
        const size_t at = (size_t)(run * 2 + upper) * POINTS + first_row;
        UNROLL for (int j = 1; j < BLOCK_RUNS; j++) carry_in[j] = carries[at + row + (j - 1) * 2 * POINTS];
        UNROLL for (int j = 0; j < BLOCK_RUNS; j++)
        {
            UNROLL for (int k = 0; k < RUN_WORDS; k++)
                run_words[j * RUN_WORDS + k] = runs[at * RUN_WORDS + row + (j * 2 * POINTS * RUN_WORDS + k * TILE_ROWS)];
        }
    }
    block_map[t] = pack_block(run_words, carry_in, words + WORDS_OF(row, block));
    barrier(CLK_LOCAL_MEM_FENCE);

    int carry = 0;
    for (uint i = 0; i < block; i++)
        carry = map_apply(block_map[i * TILE_ROWS + row], carry);
    ripple(words + WORDS_OF(row, block), carry);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint r = t / STORE_ITEMS; r < TILE_ROWS; r += TILE_ITEMS / STORE_ITEMS) {
        const ulong first = ((ulong)(tile * TILE_ROWS + r) * row_chunks + chunk) * CHUNK_WORDS;
        const uint count = first < z_words ? (uint)min(z_words - first, (ulong)CHUNK_WORDS) : 0;
        UNROLL for (uint round = 0; round < (CHUNK_WORDS + STORE_ITEMS - 1) / STORE_ITEMS; round++)
        {
            const uint w = t % STORE_ITEMS + round * STORE_ITEMS;
            if (w < count)
                z[first + w] = words[WORDS_OF(r, w / BLOCK_WORDS) + w % BLOCK_WORDS];
        }
    }
    if (block == 0) { /* while the others store */
        uint map = block_map[t];
        for (uint i = 1; i < CHUNK_BLOCKS; i++)
            map = map_then(map, block_map[i * TILE_ROWS + row]);
        maps[(size_t)number_row * row_chunks + chunk] = (uchar)map;
    }
}

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
