/*
 * residue.c - numbers modulo a word-sized prime.
 *
 * mpn_mod_1 runs at about one full multiplication a limb; an inner product with powers of 2^64, reduced rarely, was no
 * faster, so it does the work, in pieces for the threads.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "limbs/residue.h"

#include <assert.h>

enum {
    PIECE_LIMBS = 1 << 14, /* least work for a thread */
    MAX_PIECES = 64
};

/* power_of_limb - 2^(64 n) mod p. */
static uint64_t power_of_limb(size_t n, uint64_t p)
{
    uint64_t r = 1 % p, square = (uint64_t)(((unsigned __int128)1 << 64) % p);
    for (; n > 0; n >>= 1) {
        if (n & 1)
            r = residue_mul(r, square, p);
        square = residue_mul(square, square, p);
    }
    return r;
}

uint64_t residue_limbs(const mp_limb_t *a, size_t an, uint64_t p, unsigned threads)
{
    assert(p > 0 && p < UINT64_C(1) << 62);
    if (an == 0)
        return 0;
    size_t pieces = an / PIECE_LIMBS;
    if (pieces > threads)
        pieces = threads;
    if (pieces > MAX_PIECES)
        pieces = MAX_PIECES;
    if (pieces <= 1)
        return mpn_mod_1(a, (mp_size_t)an, p);

    uint64_t part[MAX_PIECES];
    size_t piece = (an + pieces - 1) / pieces;
    pieces = (an + piece - 1) / piece; /* none is empty */
#ifdef _OPENMP
#pragma omp parallel for num_threads((int)pieces) schedule(static)
#endif
    for (size_t i = 0; i < pieces; i++) {
        size_t first = i * piece;
        part[i] = mpn_mod_1(a + first, (mp_size_t)(first + piece < an ? piece : an - first), p);
    }
    uint64_t step = power_of_limb(piece, p), r = 0;
    for (size_t i = pieces; i-- > 0;) {
        r = residue_mul(r, step, p) + part[i]; /* < 2p < 2^63 */
        r = r >= p ? r - p : r;
    }
    return r;
}
