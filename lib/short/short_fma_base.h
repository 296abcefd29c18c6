/*
 * short_fma_base.h - schoolbook products and squares of up to BASE_DIGITS digits, by fused multiply-adds.
 *
 * A number is a row of digits, one per word; its radix is 2^r, r <= 51.  The product of digits i and j adds its lower part to
 * column i + j, and its higher part, times 2^(51 - r), to the next one.  Four columns form a vector.  The sums of two vectors
 * stay in registers.  Their products are made tile by tile: a tile is four digits of b, each times a vector of digits of a.
 *
 * Included by isa/short_fma.c alone.
 */
#ifndef GFMUL_SHORT_FMA_BASE_H
#define GFMUL_SHORT_FMA_BASE_H

#include "short/short_fma_vec.h"
#include "short/short_sizes.h"

enum { BASE_DIGITS = 64, BASE_VECTORS = BASE_DIGITS / LANES, ROW_MARGIN = 0 };

/* The lower and higher sums of a vector of columns. */
struct sums {
    vec low, high;
};

/* tile_add - add the four digits of b times the digits of a: those that end at `a`, and at the next three places. */
SHORT_INLINE void tile_add(const struct fma_offsets *o, struct sums *z, const uint64_t *a, const uint64_t *b)
{
#pragma GCC unroll 4
    for (int s = 0; s < LANES; s++)
        products_add(o, &z->low, &z->high, load_anywhere(a - s), digit_all(b[s]));
}

/* tiles_add - add the tiles of two vectors of columns with the same digits of b. */
SHORT_INLINE void tiles_add(const struct fma_offsets *o, struct sums *z, const uint64_t *a, const uint64_t *b)
{
#pragma GCC unroll 4
    for (int s = 0; s < LANES; s++) {
        const vec y = digit_all(b[s]);
        products_add(o, &z[0].low, &z[0].high, load_anywhere(a - s), y);
        products_add(o, &z[1].low, &z[1].high, load_anywhere(a + LANES - s), y);
    }
}

/* tile_add_times - tile_add, each digit of b being multiplied by the number of its row. */
SHORT_INLINE void tile_add_times(const struct fma_offsets *o, struct sums *z, const uint64_t *a, const uint64_t *b,
                                 const double times[LANES][LANES])
{
#pragma GCC unroll 4
    for (int s = 0; s < LANES; s++)
        products_add(o, &z->low, &z->high, load_anywhere(a - s), digits_times(digit_all(b[s]), times[s]));
}

/* columns_store - store a vector of columns: the lower sums, plus the higher ones of the column before, times 2^up. */
SHORT_INLINE void columns_store(uint64_t *c, const struct sums *z, vec *before, unsigned up)
{
    store(c, columns_sum(z->low, columns_scaled(columns_moved(z->high, *before), up)));
    *before = z->high;
}

/* row_pad - the digits of a, in n vectors, with a vector of zeros on each side.   x  out  n + 2 vectors */
SHORT_INLINE void row_pad(uint64_t *x, const uint64_t *a, size_t n)
{
    store(x, columns_zero());
    for (size_t v = 0; v < n; v++)
        store(x + LANES * (v + 1), load(a + LANES * v));
    store(x + LANES * (n + 1), columns_zero());
}

/* Which schoolbook: there is one alone, NULL. */
typedef const void *base_set;

/* base_mul - the columns of a product, b.n <= a.n <= BASE_DIGITS, in whole vectors.   up in: DIGIT_BITS - r */
SHORT_NOINLINE void base_mul(base_set set, uint64_t *c, struct digit_row a, struct digit_row b, unsigned up)
{
    (void)set;
    const size_t an = (a.n + LANES - 1) / LANES, bn = (b.n + LANES - 1) / LANES;
    uint64_t padded[LANES * (BASE_VECTORS + 2)] __attribute__((aligned(64))), *x = padded + LANES;
    const struct fma_offsets o = fma_offsets();
    vec before = columns_zero();
    row_pad(padded, a.digit, an);
    for (size_t v = 0; v < an + bn; v += 2) {
        /* tile w has digits 4 w .. of b; vector v needs tiles v - an .. v, vector v + 1 one more and one less */
        const size_t from = v > an ? v - an : 0, from_1 = v + 1 > an ? v + 1 - an : 0;
        const size_t to = v < bn ? v + 1 : bn, to_1 = v + 1 < bn ? v + 2 : bn;
        struct sums z[2];
        sums_begin(&z[0].low, &z[0].high, LANES * (to - from));
        sums_begin(&z[1].low, &z[1].high, LANES * (to_1 - from_1));
        if (from < from_1)
            tile_add(&o, &z[0], x + LANES * (v - from), b.digit + LANES * from);
        const uint64_t *at = x + LANES * (v - from_1), *digits = b.digit + LANES * from_1;
        for (const uint64_t *end = b.digit + LANES * to; digits < end; digits += LANES, at -= LANES) {
            __asm__("" : "+r"(at)); /* else GCC keeps the loads for the next step, and runs out of registers */
            tiles_add(&o, z, at, digits);
        }
        columns_store(c + LANES * v, &z[0], &before, up);
        if (v + 1 == an + bn)
            return;
        if (to < to_1)
            tile_add(&o, &z[1], x + LANES * (v + 1 - to), b.digit + LANES * to);
        columns_store(c + LANES * (v + 1), &z[1], &before, up);
    }
}

/*
 * base_sqr - the same for a square: digits above digit j times its double, and that digit times itself.
 *
 * Vector v needs only a part of its tile v / 2.  Digit s of the tile meets digits 2 s below lane 0 of a vector with the same tile
 * if v is even, and 2 s - 4 below if v is odd.
 */
SHORT_NOINLINE void base_sqr(base_set set, uint64_t *c, struct digit_row row, unsigned up)
{
    (void)set;
    const uint64_t *const a = row.digit;
    static const double even[LANES][LANES] = {{1, 2, 2, 2}, {0, 0, 1, 2}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    static const double odd[LANES][LANES] = {{2, 2, 2, 2}, {2, 2, 2, 2}, {1, 2, 2, 2}, {0, 0, 1, 2}};
    const size_t an = (row.n + LANES - 1) / LANES;
    uint64_t padded[LANES * (BASE_VECTORS + 2)] __attribute__((aligned(64))), *x = padded + LANES;
    uint64_t twice[BASE_DIGITS] __attribute__((aligned(64)));
    const struct fma_offsets o = fma_offsets();
    vec before = columns_zero();
    row_pad(padded, a, an);
    for (size_t v = 0; v < an; v++)
        store(twice + LANES * v, digits_sum(load(a + LANES * v), load(a + LANES * v)));
    for (size_t v = 0; v < 2 * an; v += 2) {
        const size_t middle = v / 2, from = v > an ? v - an : 0, from_1 = v + 1 > an ? v + 1 - an : 0;
        struct sums z[2];
        sums_begin(&z[0].low, &z[0].high, LANES * (middle - from + 1));
        sums_begin(&z[1].low, &z[1].high, LANES * (middle - from_1 + 1));
        if (from < from_1 && from < middle)
            tile_add(&o, &z[0], x + LANES * (v - from), twice + LANES * from);
        const uint64_t *at = x + LANES * (v - from_1), *digits = twice + LANES * from_1;
        for (const uint64_t *end = twice + LANES * middle; digits < end; digits += LANES, at -= LANES) {
            __asm__("" : "+r"(at));
            tiles_add(&o, z, at, digits);
        }
        tile_add_times(&o, &z[0], x + LANES * middle, a + LANES * middle, even);
        tile_add_times(&o, &z[1], x + LANES * (middle + 1), a + LANES * middle, odd);
        columns_store(c + LANES * v, &z[0], &before, up);
        columns_store(c + LANES * (v + 1), &z[1], &before, up);
    }
}

/* base_sqr_bits - the bits of a square's digits before Karatsuba's steps; its products double digits. */
SHORT_INLINE unsigned base_sqr_bits(base_set set)
{
    (void)set;
    return DIGIT_BITS - 1;
}

#endif
