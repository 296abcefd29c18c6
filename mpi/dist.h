/*
 * dist.h - what the files of libgfmul_mpi share.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A product has N = rows * columns points.  Digit j = r columns + c is in row r and column c.  Columns are transformed first.
 * Then place s of column c is multiplied by w^(c f(s)), w of order N, and rows are transformed.  f is the frequency at a place.
 *
 *   blocks   the caller's limbs                          dist_spread
 *   columns  each rank has all rows of some columns      dist_columns_forward
 *   rows     each rank has all columns of some rows      dist_rows
 *   columns                                              dist_columns_back, dist_join
 *   blocks   the product's                               dist_gather, dist_carry
 *
 * A run is the stretch of a row that one rank's columns have.  Its bytes of the number begin at (r columns + c0) digit_bytes.
 * The carry out of a run stands in tail_bytes behind its digits, and is added to the run behind it.  If the number has words of
 * another base than 2^64, a digit is a word, and that carry is two words.
 */
#ifndef GFMUL_DIST_H
#define GFMUL_DIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gfmul_fft.h"
#include "limbs/word_primes.h"
#include "mpi/gfmul_mpi.h"

#if !defined __BYTE_ORDER__ || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "limbs are taken for bytes, the least significant first"
#endif

enum {
    DIST_TILE = 8,       /* columns of a rank are whole tiles: a cache line of residues, and runs longer than a tail */
    DIST_TAIL_BYTES = 16,
    DIST_DIGIT_MAX = 10, /* bytes: a digit is cut in 64 and 16 bits */
    DIST_THREADS_MAX = 1024,
    DIST_MOVES = 3,      /* under way at once, at most: a's and b's columns to rows, and the product's rows to columns */
};

/* A constant factor w < p, with floor(2^64 w / p). */
struct dist_factor {
    uint64_t w, quotient;
};

struct dist_prime {
    uint64_t p, montgomery;          /* p; - 1 / p modulo 2^64 */
    struct dist_factor two64;        /* 2^64 modulo p */
    struct gfmul_ntt *column, *row;  /* transforms, one at a time */
    struct dist_factor *step[2];     /* w^(+- f(s)) for each place s of a column; 1: back */
    uint64_t *start[2];              /* for each thread and place: w^(+- c f(s)) 2^64, c its first column; 1: and 1 / N */
};

struct dist_shape {
    size_t rows, columns;
    unsigned digit_bytes, tail_bytes;
    uint64_t modulus; /* of a convolution; 0: a product */
    uint64_t base;    /* of its words; 0: 2^64, they are limbs */
};

struct gfmul_mpi_ctx {
    MPI_Comm comm;
    MPI_Op compose;
    int size, rank;
    unsigned threads, digit_bytes;
    bool verify;
    size_t rows, columns; /* of the tables; 0: none */
    struct dist_prime prime[WORD_PRIMES];
    struct dist_factor inverse[WORD_PRIMES]; /* 1 / p0 modulo p1, 1 / p0 modulo p2, 1 / p1 modulo p2 */
    void *memory;
};

/* One call on one rank. */
struct dist_call {
    struct gfmul_mpi_ctx *ctx;
    struct dist_shape shape;
    size_t width, height;      /* its columns, its rows */
    uint64_t *column[WORD_PRIMES], *other[2]; /* width * rows words */
    uint64_t *row[2], *row_other[2];          /* height * columns words */
    unsigned char *digits[2];  /* of an operand: [tile][row][DIST_TILE digit_bytes] */
    size_t digit_rows[2];      /* how many rows of digits there are */
    unsigned char *runs;       /* of the product: [row][width digit_bytes + tail_bytes] */
    size_t run_rows;           /* rows that reach into the product */
    uint64_t *work;            /* of threads */
    size_t work_words;         /* of each */
    int *counts;               /* four times `size`, for exchanges */
    MPI_Request request[DIST_MOVES];
    bool square;
};

/* dist_first_column, dist_first_row - of a rank, 0 .. size. */
static inline size_t dist_share(size_t n, int size, int rank)
{
    return (size_t)((unsigned __int128)n * (unsigned)rank / (unsigned)size);
}
static inline size_t dist_first_column(const struct dist_shape *s, int size, int rank)
{
    return dist_share(s->columns / DIST_TILE, size, rank) * DIST_TILE;
}
static inline size_t dist_first_row(const struct dist_shape *s, int size, int rank)
{
    return dist_share(s->rows, size, rank);
}

/* dist_add, dist_less - a + b and a - b modulo p; a, b < p < 2^62. */
static inline uint64_t dist_add(uint64_t a, uint64_t b, uint64_t p)
{
    const uint64_t s = a + b;
    return s >= p ? s - p : s;
}
static inline uint64_t dist_less(uint64_t a, uint64_t b, uint64_t p)
{
    return a >= b ? a - b : a + p - b;
}

/* dist_times - a f.w mod p for any word a. */
static inline uint64_t dist_times(uint64_t a, struct dist_factor f, uint64_t p)
{
    const uint64_t q = (uint64_t)((unsigned __int128)a * f.quotient >> 64);
    const uint64_t r = a * f.w - q * p; /* below 2 p */
    return r >= p ? r - p : r;
}

/* dist_montgomery - a b / 2^64 mod p; a, b < p. */
static inline uint64_t dist_montgomery(uint64_t a, uint64_t b, const struct dist_prime *f)
{
    const unsigned __int128 ab = (unsigned __int128)a * b;
    const uint64_t q = (uint64_t)ab * f->montgomery; /* ab + q p = 0 modulo 2^64, and below 2^127 */
    const uint64_t r = (uint64_t)((ab + (unsigned __int128)q * f->p) >> 64);
    return r >= f->p ? r - f->p : r;
}

/*
 * dist_shape_set - choose digits and points.
 *
 *   s        out  but for modulus and base, which are in
 *   an, bn   in   words, or numbers of a convolution; at least 1
 *   size     in   ranks
 *   digit    in   bytes, or 0
 * Errors: SIZE.
 */
enum gfmul_status dist_shape_set(struct dist_shape *s, size_t an, size_t bn, int size, unsigned digit);

/* dist_tables_make - tables of a context for a shape, unless it has them.   Errors: MEMORY, INTERNAL; then it has none. */
enum gfmul_status dist_tables_make(struct gfmul_mpi_ctx *ctx, const struct dist_shape *s);
void dist_tables_free(struct gfmul_mpi_ctx *ctx);

/* dist_alloc - count * size bytes on a cache line of their own; NULL: no memory, or too many.   free() gives them back. */
void *dist_alloc(size_t count, size_t size);

/* dist_test - let MPI move what is under way.  Only on the thread that called. */
void dist_test(struct dist_call *c);

/*
 * dist_spread - send an operand's blocks to the ranks that have its columns.  Collective.
 *
 *   operand  in   0 or 1: c->digits[operand] is set, and cleared
 *   block    in   this rank's block of n units of 8 bytes
 *   buffer   work dist_spread_words(c, n) words
 * Errors: DEVICE.
 */
size_t dist_spread_words(const struct dist_call *c, size_t n);
enum gfmul_status dist_spread(struct dist_call *c, unsigned operand, const void *block, size_t n, uint64_t *buffer);

/*
 * dist_gather - send the product's runs to the ranks that have its blocks, and add them there.  Collective.
 *
 *   block    out  this rank's block of n units of 8 bytes
 *   over     out  the carry out of it
 *   buffer   work dist_gather_words(c, n) words
 * Errors: DEVICE.
 */
size_t dist_gather_words(const struct dist_call *c, size_t n);
enum gfmul_status dist_gather(struct dist_call *c, uint64_t *block, size_t n, unsigned *over, uint64_t *buffer);

/* dist_carry - add the carries between blocks.  Collective.   block i/o: count words; over in.   Errors: DEVICE. */
enum gfmul_status dist_carry(struct dist_call *c, uint64_t *block, size_t count, unsigned over);

/* dist_compose - the MPI operation behind it: carry maps, the lower ranks' first. */
void dist_compose(void *in, void *inout, int *count, MPI_Datatype *type);

/*
 * dist_columns_forward - transform the columns of an operand, in the order in which rows are sent.
 * dist_columns_back    - the inverse, from the order in which rows arrive: [column][row].
 * dist_rows            - transform rows of both operands, multiply, and transform back.
 *
 *   x      out  width * rows words: for each rank [column][its rows];  of dist_rows i/o [column][row of this rank]
 *   y      in   likewise, the other operand; may be x
 *   prime  in   0 .. WORD_PRIMES - 1
 * false: a defect; residues that are not reduced.
 */
bool dist_columns_forward(struct dist_call *c, unsigned prime, unsigned operand, uint64_t *x);
bool dist_columns_back(struct dist_call *c, unsigned prime, uint64_t *x, const uint64_t *from);
bool dist_rows(struct dist_call *c, unsigned prime, uint64_t *x, const uint64_t *y);
size_t dist_work_words(const struct dist_call *c);

/* dist_join - recover coefficients from c->column, and carry them in runs. */
void dist_join(struct dist_call *c);

#endif
