/*
 * dist_moves.c - bytes between blocks of a number and runs of columns, and carries between blocks.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A message has the bytes that a block and the runs of some columns share, row by row.  Both sides count them by the same loop.
 * It is filled up to whole words, because MPI counts in an int.
 */
#include <string.h>

#include "mpi/dist.h"

/* What a block and the columns of a rank share. */
struct overlap {
    size_t row_bytes;       /* of a row of all ranks */
    size_t run, run_end;    /* the run of row 0, with its tail */
    size_t block, block_end;
    size_t rows;
};

static struct overlap overlap_of(const struct dist_call *c, int columns_of, size_t n, int block_of, unsigned tail)
{
    const struct gfmul_mpi_ctx *ctx = c->ctx;
    const struct dist_shape *s = &c->shape;
    struct overlap o = {.row_bytes = s->columns * s->digit_bytes, .rows = s->rows};
    o.run = dist_first_column(s, ctx->size, columns_of) * s->digit_bytes;
    o.run_end = dist_first_column(s, ctx->size, columns_of + 1) * s->digit_bytes;
    if (o.run == o.run_end)
        o.rows = 0;
    o.run_end += tail;
    o.block = gfmul_mpi_first(n, ctx->size, block_of) * 8;
    o.block_end = gfmul_mpi_first(n, ctx->size, block_of + 1) * 8;
    return o;
}

/* overlap_next - the next row at or after *row whose run has bytes of the block;  false: there is none.   from, to out: bytes */
static bool overlap_next(const struct overlap *o, size_t *row, size_t *from, size_t *to)
{
    if (o->block == o->block_end)
        return false;
    if (*row * o->row_bytes + o->run_end <= o->block) /* skip what lies before the block */
        *row = (o->block - o->run_end) / o->row_bytes + (o->block >= o->run_end);
    const size_t at = *row * o->row_bytes;
    if (*row >= o->rows || at + o->run >= o->block_end)
        return false;
    *from = at + o->run > o->block ? at + o->run : o->block;
    *to = at + o->run_end < o->block_end ? at + o->run_end : o->block_end;
    return true;
}

static size_t overlap_words(const struct overlap *o)
{
    size_t bytes = 0, from, to;
    for (size_t row = 0; overlap_next(o, &row, &from, &to); row++)
        bytes += to - from;
    return (bytes + 7) / 8;
}

/* exchange - the messages of all ranks.   counts in: words to send, and to receive */
static enum gfmul_status exchange(const struct dist_call *c, const uint64_t *send, uint64_t *receive)
{
    const int size = c->ctx->size;
    int *const to = c->counts, *const to_at = to + size, *const from = to_at + size, *const from_at = from + size;
    to_at[0] = from_at[0] = 0;
    for (int i = 1; i < size; i++) {
        to_at[i] = to_at[i - 1] + to[i - 1];
        from_at[i] = from_at[i - 1] + from[i - 1];
    }
    const int code = MPI_Alltoallv(send, to, to_at, MPI_UINT64_T, receive, from, from_at, MPI_UINT64_T, c->ctx->comm);
    return code == MPI_SUCCESS ? GFMUL_OK : GFMUL_ERR_DEVICE;
}

/* message_begin - the counts of the messages to a rank, which is returned, and from it; the last word's end may stay unused. */
static size_t message_begin(struct dist_call *c, int rank, const struct overlap *out, const struct overlap *in, uint64_t *word)
{
    const size_t words = overlap_words(out);
    if (words > 0)
        word[words - 1] = 0;
    c->counts[rank] = (int)words;
    c->counts[2 * c->ctx->size + rank] = (int)overlap_words(in);
    return words;
}

/* ---- operands ---- */

size_t dist_spread_words(const struct dist_call *c, size_t n)
{
    size_t words = gfmul_mpi_count(n, c->ctx->size, c->ctx->rank) + (size_t)c->ctx->size;
    for (int i = 0; i < c->ctx->size; i++) {
        const struct overlap in = overlap_of(c, c->ctx->rank, n, i, 0);
        words += overlap_words(&in);
    }
    return words;
}

/* digits_put - bytes of a row's run into the tiles.   at in: of the run */
static void digits_put(struct dist_call *c, unsigned operand, size_t row, size_t at, const unsigned char *from, size_t bytes)
{
    const size_t tile_bytes = DIST_TILE * c->shape.digit_bytes, rows = c->digit_rows[operand];
    while (bytes > 0) {
        const size_t tile = at / tile_bytes, within = at % tile_bytes, left = tile_bytes - within,
                     part = bytes < left ? bytes : left;
        memcpy(c->digits[operand] + (tile * rows + row) * tile_bytes + within, from, part);
        at += part;
        from += part;
        bytes -= part;
    }
}

enum gfmul_status dist_spread(struct dist_call *c, unsigned operand, const void *block, size_t n, uint64_t *buffer)
{
    const struct gfmul_mpi_ctx *ctx = c->ctx;
    uint64_t *word = buffer;
    size_t from, to;
    for (int i = 0; i < ctx->size; i++) {
        const struct overlap out = overlap_of(c, i, n, ctx->rank, 0), in = overlap_of(c, ctx->rank, n, i, 0);
        const size_t words = message_begin(c, i, &out, &in, word);
        unsigned char *at = (unsigned char *)word;
        for (size_t row = 0; overlap_next(&out, &row, &from, &to); row++, at += to - from)
            memcpy(at, (const unsigned char *)block + (from - out.block), to - from);
        word += words;
    }
    const enum gfmul_status status = exchange(c, buffer, word);
    if (status != GFMUL_OK)
        return status;
    memset(c->digits[operand], 0, c->width * c->digit_rows[operand] * c->shape.digit_bytes);
    for (int i = 0; i < ctx->size; i++) {
        const struct overlap in = overlap_of(c, ctx->rank, n, i, 0);
        const unsigned char *at = (const unsigned char *)word;
        for (size_t row = 0; overlap_next(&in, &row, &from, &to); row++, at += to - from)
            digits_put(c, operand, row, from - row * in.row_bytes - in.run, at, to - from);
        word += c->counts[2 * ctx->size + i];
    }
    return GFMUL_OK;
}

/* ---- the product ---- */

size_t dist_gather_words(const struct dist_call *c, size_t n)
{
    size_t words = 0;
    for (int i = 0; i < c->ctx->size; i++) {
        const struct overlap out = overlap_of(c, c->ctx->rank, n, i, c->shape.tail_bytes),
                             in = overlap_of(c, i, n, c->ctx->rank, c->shape.tail_bytes);
        words += overlap_words(&out) + overlap_words(&in);
    }
    return words;
}

/* words_add - add one or two words of a base to a block, from byte `at` on.   Returns the carry out of it. */
static unsigned words_add(uint64_t *block, size_t count, size_t at, const unsigned char *tail, size_t bytes, uint64_t base)
{
    uint64_t part[2] = {0, 0};
    unsigned carry = 0;
    memcpy(part, tail, bytes);
    for (size_t i = at / 8, k = 0; i < count && (k < 2 || carry > 0); i++, k++) {
        const uint64_t sum = block[i] + (k < 2 ? part[k] : 0) + carry; /* at most 2 base - 1 */
        carry = sum >= base;
        block[i] = sum - (carry > 0 ? base : 0);
    }
    return carry;
}

/* tail_add - the same for limbs: add at most 16 bytes, at any byte. */
static unsigned tail_add(uint64_t *block, size_t count, size_t at, const unsigned char *tail, size_t bytes)
{
    unsigned __int128 value = 0;
    memcpy(&value, tail, bytes);
    const unsigned shift = at % 8 * 8;
    const uint64_t part[3] = {(uint64_t)(value << shift), (uint64_t)(value << shift >> 64),
                              shift > 0 ? (uint64_t)(value >> (128 - shift)) : 0};
    unsigned carry = 0;
    size_t i = at / 8;
    for (unsigned k = 0; i < count && (k < 3 || carry > 0); i++, k++) {
        const unsigned __int128 sum = (unsigned __int128)block[i] + (k < 3 ? part[k] : 0) + carry;
        block[i] = (uint64_t)sum;
        carry = (unsigned)(sum >> 64);
    }
    return carry; /* parts behind the block are 0 */
}

enum gfmul_status dist_gather(struct dist_call *c, uint64_t *block, size_t n, unsigned *over, uint64_t *buffer)
{
    const struct gfmul_mpi_ctx *ctx = c->ctx;
    const unsigned tail = c->shape.tail_bytes;
    const uint64_t base = c->shape.base;
    const size_t run_bytes = c->width * c->shape.digit_bytes + tail, count = gfmul_mpi_count(n, ctx->size, ctx->rank);
    uint64_t *word = buffer;
    size_t from, to;
    for (int i = 0; i < ctx->size; i++) {
        const struct overlap out = overlap_of(c, ctx->rank, n, i, tail), in = overlap_of(c, i, n, ctx->rank, tail);
        const size_t words = message_begin(c, i, &out, &in, word);
        unsigned char *at = (unsigned char *)word;
        for (size_t row = 0; overlap_next(&out, &row, &from, &to); row++, at += to - from)
            memcpy(at, c->runs + row * run_bytes + (from - row * out.row_bytes - out.run), to - from);
        word += words;
    }
    const enum gfmul_status status = exchange(c, buffer, word);
    if (status != GFMUL_OK)
        return status;
    *over = 0;
    for (unsigned tails = 0; tails < 2; tails++) { /* all digits, then what is added to them */
        const uint64_t *message = word;
        for (int i = 0; i < ctx->size; message += c->counts[2 * ctx->size + i++]) {
            const struct overlap in = overlap_of(c, i, n, ctx->rank, tail);
            const unsigned char *at = (const unsigned char *)message;
            for (size_t row = 0; overlap_next(&in, &row, &from, &to); row++, at += to - from) {
                const size_t digits_end = row * in.row_bytes + in.run_end - tail,
                             middle = digits_end < from ? from : digits_end > to ? to : digits_end;
                if (tails == 0)
                    memcpy((unsigned char *)block + (from - in.block), at, middle - from);
                else if (middle < to)
                    *over += base == 0 ? tail_add(block, count, middle - in.block, at + (middle - from), to - middle)
                                       : words_add(block, count, middle - in.block, at + (middle - from), to - middle, base);
            }
        }
    }
    return GFMUL_OK;
}

/* ---- carries between blocks ---- */

/*
 * A carry map has the carry out of a stretch of words for each carry into it: bit x is the carry out for x.  Both are 0 or 1,
 * because digits and tails below a place are less than twice its weight.
 */
static unsigned char map_then(unsigned char low, unsigned char high)
{
    return (unsigned char)((high >> (low & 1) & 1) | (high >> (low >> 1 & 1) & 1) << 1);
}

void dist_compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const unsigned char *const low = in;
    unsigned char *const high = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        high[i] = map_then(low[i], high[i]);
}

enum gfmul_status dist_carry(struct dist_call *c, uint64_t *block, size_t count, unsigned over)
{
    const uint64_t base = c->shape.base;
    size_t full = 0;
    while (full < count && block[full] == base - 1) /* of limbs: 0 - 1 is all ones */
        full++;
    const unsigned char map = (unsigned char)(over | (over + (full == count)) << 1);
    unsigned char below = 0;
    if (MPI_Exscan(&map, &below, 1, MPI_UNSIGNED_CHAR, c->ctx->compose, c->ctx->comm) != MPI_SUCCESS)
        return GFMUL_ERR_DEVICE;
    if (c->ctx->rank == 0 || (below & 1) == 0)
        return GFMUL_OK;
    for (size_t i = 0; i < count && ++block[i] == base; i++)
        block[i] = 0;
    return GFMUL_OK;
}
