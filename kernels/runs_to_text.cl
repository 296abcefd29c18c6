/*
 * runs_to_text.cl - from the runs of columns_to_runs_fused.cl to decimal text.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * As runs_to_limbs.cl, which see: a block is BLOCK_DIGITS digits of base 10^DECIMAL, BLOCK_CHARS characters; a chunk is
 * CHUNK_BLOCKS blocks.
 * The text has its most significant character first, so that chunk c is written to characters z_chars - (c + 1) CHUNK_CHARS on.
 * A group makes the same chunk of TILE_ROWS rows.
 *
 * Equals:    with text_chunks_carry.cl: the carry and the printing of digits_to_text.
 * Tunables:  POINTS, COLUMNS, DIGIT_BITS, DECIMAL as in columns_to_runs_fused.cl; BLOCK_DIGITS, CHUNK_BLOCKS, TILE_ROWS,
 *            SCAN_ITEMS, GROUP_MAPS as in runs_to_limbs.cl.
 */
#include "carry_map.cl"
#include "digit_carry.cl"
#include "status.cl"

#define RUN_BITS     (COLUMNS * DIGIT_BITS)
#define RUN_WORDS    ((RUN_BITS + 31) / 32)
#define BLOCK_RUNS   (BLOCK_DIGITS / COLUMNS)
#define BLOCK_WORDS  (BLOCK_RUNS * RUN_WORDS)
#define BLOCK_STRIDE (BLOCK_WORDS | 1)
#define BLOCK_CHARS  (BLOCK_DIGITS * DECIMAL)
#define TEXT_STRIDE  (BLOCK_CHARS + 4)
#define CHUNK_RUNS   (CHUNK_BLOCKS * BLOCK_RUNS)
#define CHUNK_CHARS  (CHUNK_BLOCKS * BLOCK_CHARS)
#define TILE_ITEMS   (TILE_ROWS * CHUNK_BLOCKS)
#define CARRIES_OF(row, block) (((row) * CHUNK_BLOCKS + (block)) * (BLOCK_RUNS + 1))

#if DECIMAL > 9
typedef ulong digit;
#else
typedef uint digit;
#endif

/* print_block - the runs of a block, with the carries into each run added, as characters.   Returns the block's map. */
INLINE uint print_block(__local uchar *text, __local const uint *words, __local const long *carry_in)
{
    long carry = 0;
    int nines = 1, zeros = 1, end = BLOCK_CHARS;
    for (int run = 0; run < BLOCK_RUNS; run++) {
        carry += carry_in[run];
        for (int k = 0; k < COLUMNS; k++) {
            const int bit = k * DIGIT_BITS, word = run * RUN_WORDS + bit / 32, shift = bit % 32;
            ulong bits = words[word] >> shift;
            if (shift + DIGIT_BITS > 32)
                bits |= (ulong)words[word + 1] << (32 - shift);
            if (shift + DIGIT_BITS > 64)
                bits |= (ulong)words[word + 2] << (64 - shift);
            const long v = (long)(bits & ((1UL << DIGIT_BITS) - 1)) + carry;
            carry = digit_carry(v);
            digit d = (digit)(v - carry * DIGIT_BASE);
            nines &= d == DIGIT_BASE - 1;
            zeros &= d == 0;
            UNROLL for (int i = 0; i < DECIMAL; i++)
            {
                text[--end] = (uchar)('0' + d % 10);
                d /= 10;
            }
        }
    }
    return map_make((int)carry, nines, zeros);
}

/* ripple - add a carry of -1 or 1 to the last character of a block, until it ends. */
INLINE void ripple(__local uchar *text, int carry)
{
    for (int i = BLOCK_CHARS - 1; i >= 0 && carry != 0; i--) {
        const int v = text[i] + carry;
        carry = v > '9' ? 1 : v < '0' ? -1 : 0;
        text[i] = (uchar)(v - 10 * carry);
    }
}

/*
 * ND-range:  NUMBER_HALVES POINTS / TILE_ROWS * chunks of a row groups of TILE_ITEMS items.
 *   runs, carries, maps, n_groups  as in runs_to_limbs.cl
 *   z                              out  z_chars characters; what is before them is zero and not written
 * Local:     TILE_ITEMS (4 BLOCK_STRIDE + TEXT_STRIDE + 4) + 8 TILE_ITEMS (BLOCK_RUNS + 1) bytes.   Barriers: 3.
 */
__kernel __attribute__((reqd_work_group_size(TILE_ITEMS, 1, 1)))
void runs_to_text(__global const uint *restrict runs, __global const long *restrict carries, __global uchar *restrict z,
                  __global uchar *restrict maps, uint n_groups, ulong z_chars)
{
    __local uint words[TILE_ITEMS * BLOCK_STRIDE];
    __local uchar text[TILE_ITEMS * TEXT_STRIDE];
    __local long carry_in[CARRIES_OF(TILE_ROWS, 0)];
    __local uint block_map[TILE_ITEMS];
    const uint t = get_local_id(0), row_chunks = n_groups / CHUNK_RUNS;
    const uint group = (uint)get_global_id(0) / TILE_ITEMS; /* an offset of the range counts */
    const uint tile = group / row_chunks, chunk = group - tile * row_chunks;
    const uint upper = tile * TILE_ROWS / POINTS, first_row = tile * TILE_ROWS - upper * POINTS, first_group = chunk * CHUNK_RUNS;

    UNROLL_SOME for (uint round = 0; round < BLOCK_WORDS; round++)
    {
        const uint i = t + round * TILE_ITEMS;
        const uint row = i % TILE_ROWS, k = i / TILE_ROWS % RUN_WORDS, run = i / (TILE_ROWS * RUN_WORDS);
        const size_t run_half = (size_t)(first_group + run) * NUMBER_HALVES + upper;
        const size_t from = (run_half * POINTS + first_row) * RUN_WORDS + k * TILE_ROWS + row;
        words[(row * CHUNK_BLOCKS + run / BLOCK_RUNS) * BLOCK_STRIDE + run % BLOCK_RUNS * RUN_WORDS + k] = runs[from];
    }
    UNROLL_SOME for (uint round = 0; round < BLOCK_RUNS; round++)
    {
        const uint i = t + round * TILE_ITEMS;
        const uint row = i % TILE_ROWS, run = i / TILE_ROWS;
        long carry = 0;
        if (first_group + run > 0)
            carry = carries[(size_t)((first_group + run - 1) * NUMBER_HALVES + upper) * POINTS + (first_row + row)];
        else if (tile * TILE_ROWS + row > 0) {
            const uint before = tile * TILE_ROWS + row - 1, before_upper = before / POINTS;
            const size_t before_half = (size_t)(n_groups - 1) * NUMBER_HALVES + before_upper;
            carry = carries[before_half * POINTS + (before - before_upper * POINTS)];
        }
        carry_in[CARRIES_OF(row, run / BLOCK_RUNS) + run % BLOCK_RUNS] = carry;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint row = t / CHUNK_BLOCKS, block = t % CHUNK_BLOCKS;
    __local const long *into = carry_in + CARRIES_OF(row, block);
    block_map[t] = print_block(text + t * TEXT_STRIDE, words + t * BLOCK_STRIDE, into);
    barrier(CLK_LOCAL_MEM_FENCE);

    int carry = 0;
    for (uint i = 0; i < block; i++)
        carry = map_apply(block_map[row * CHUNK_BLOCKS + i], carry);
    ripple(text + t * TEXT_STRIDE, carry);
    if (block == 0) {
        uint map = block_map[t];
        for (uint i = 1; i < CHUNK_BLOCKS; i++)
            map = map_then(map, block_map[t + i]);
        maps[(size_t)(tile * TILE_ROWS + row) * row_chunks + chunk] = (uchar)map;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    UNROLL_SOME for (uint round = 0; round < BLOCK_CHARS; round++)
    {
        const uint i = t + round * TILE_ITEMS;
        const uint r = i / CHUNK_CHARS, c = i % CHUNK_CHARS; /* the chunk's first character is in its last block */
        const long at = (long)z_chars - ((long)(tile * TILE_ROWS + r) * row_chunks + chunk + 1) * CHUNK_CHARS + c;
        if (at >= 0)
            z[at] = text[(r * CHUNK_BLOCKS + (CHUNK_BLOCKS - 1 - c / BLOCK_CHARS)) * TEXT_STRIDE + c % BLOCK_CHARS];
    }
}
