/*
 * runs_to_limbs.cl - from the runs of columns_to_runs_fused.cl to limbs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Digits are in order row by row; right-angle: first the rows of the real half, then those of the imaginary one.  So there are
 * ROWS = NUMBER_HALVES POINTS rows of n_columns digits; one-for-half: of 2 n_columns digits, and what is a group here is one of
 * the two runs of a group.  BLOCK_DIGITS digits are a block, CHUNK_BLOCKS blocks a chunk, a whole number of chunks a row.
 *
 * runs_to_limbs    A work-group takes the same chunk of TILE_ROWS rows, so that it reads the runs of TILE_ROWS rows side by side;
 *                each of its items makes one block: carries of the runs added, bits packed.  Then carries go from block to block
 *                of a chunk, and the chunk's map (carry_map.cl) is left for the next kernel.
 * Equals:        with chunks_carry.cl, the carry of digits_to_limbs.
 * Tunables:      POINTS, COLUMNS, DIGIT_BITS as in columns_to_runs_fused.cl; TILE_ROWS as there; BLOCK_DIGITS (32, 64;
 *                a multiple of COLUMNS); CHUNK_BLOCKS.
 */
#include "carry_map.cl"
#include "status.cl"

#define RUN_BITS     (COLUMNS * DIGIT_BITS)
#define RUN_WORDS    ((RUN_BITS + 31) / 32)
#define HALVES_ROWS  (NUMBER_HALVES * POINTS)
#define LAST_BITS    (RUN_BITS - 32 * (RUN_WORDS - 1)) /* of a run's last word */
#define BLOCK_RUNS   (BLOCK_DIGITS / COLUMNS)
#define BLOCK_WORDS  (BLOCK_DIGITS / 32 * DIGIT_BITS)
#define BLOCK_STRIDE (BLOCK_WORDS | 1)
#define CHUNK_RUNS   (CHUNK_BLOCKS * BLOCK_RUNS)
#define CHUNK_WORDS  (CHUNK_BLOCKS * BLOCK_WORDS)
#define TILE_ITEMS   (TILE_ROWS * CHUNK_BLOCKS)
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

/* ripple - add a carry of -1 or 1 to words of local memory, until it ends. */
INLINE void ripple(__local uint *words, int carry)
{
    for (uint i = 0; i < BLOCK_WORDS && carry != 0; i++)
        words[i] = word_carry(words[i], &carry);
}

/*
 * ND-range:  ROWS / TILE_ROWS * chunks of a row groups of TILE_ITEMS items, the chunks of one tile of rows side by side.
 *   runs, carries  in   from columns_to_runs_fused
 *   z              out  z_words words of 32 bits; what is beyond is zero and not written
 *   maps           out  the map of each chunk, in the order of the number
 *   n_groups       in   groups of columns_to_runs_fused: n_columns / COLUMNS; one-for-half: twice as many
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
        const size_t before_half = (size_t)before_group * NUMBER_HALVES + before_upper;
        const long first = carries[before_half * POINTS + (before_row - before_upper * POINTS)];
        carry_in[0] = run > 0 || number_row > 0 ? first : 0;
        const size_t at = (size_t)(run * NUMBER_HALVES + upper) * POINTS + first_row;
        UNROLL for (int j = 1; j < BLOCK_RUNS; j++) carry_in[j] = carries[at + row + (j - 1) * HALVES_ROWS];
        UNROLL for (int j = 0; j < BLOCK_RUNS; j++)
        {
            UNROLL for (int k = 0; k < RUN_WORDS; k++)
                run_words[j * RUN_WORDS + k] = runs[at * RUN_WORDS + row + (j * HALVES_ROWS * RUN_WORDS + k * TILE_ROWS)];
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
