/*
 * fuzz_binary.c - fuzz target: numbers in the binary format, altered, cut off, or something else.  What is read is what the bytes
 * say, or nothing.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#include "gfmul_files.h"

enum { LIMBS = 40, HEAD = 64, FILE_BYTES = HEAD + 16 * LIMBS };

static uint64_t word_get(const uint8_t *p)
{
    uint64_t w = 0;
    for (unsigned i = 8; i-- > 0;)
        w = w << 8 | p[i];
    return w;
}

/* sum_put - the checksum of some bytes, a multiple of 8, and of a block's number. */
static void sum_put(uint8_t *to, const uint8_t *bytes, size_t n, uint64_t number)
{
    uint64_t sum = number + 1;
    for (size_t i = n; i > 0; i -= 8)
        sum = (uint64_t)(((unsigned __int128)sum << 64 | word_get(bytes + i - 8)) % ((UINT64_C(1) << 52) - 473));
    for (unsigned i = 0; i < 8; i++, sum >>= 8)
        to[i] = (uint8_t)sum;
}

/* file_alter - alter the file as the input says; its new length. */
static size_t file_alter(struct fuzz_input *in, uint8_t *file, size_t n)
{
    for (unsigned changes = (unsigned)fuzz_below(in, 4); changes > 0; changes--) {
        switch (fuzz_below(in, 6)) {
        case 0: /* bytes of the input over some of it */
            for (size_t i = fuzz_below(in, n), k = fuzz_below(in, 16); i < n && k > 0; i++, k--)
                file[i] = fuzz_u8(in);
            break;
        case 1: /* a bit */
            file[fuzz_below(in, n)] ^= (uint8_t)(1 << fuzz_below(in, 8));
            break;
        case 2: /* shorter or longer */
            n = 1 + fuzz_below(in, FILE_BYTES);
            break;
        case 3: /* a field of the head, most of them small */
            for (size_t at = 8 * fuzz_below(in, 7), i = 0, k = fuzz_below(in, 9); i < 8; i++)
                file[at + i] = i < k ? fuzz_u8(in) : 0;
            break;
        case 4: /* blocks of another length, whose checksums are right */
            if (n >= HEAD && word_get(file + 24) <= LIMBS) {
                const size_t limbs = word_get(file + 24), block = (size_t)1 << fuzz_below(in, 7);
                for (unsigned i = 0; i < 8; i++)
                    file[32 + i] = (uint8_t)((uint64_t)block >> 8 * i);
                n = HEAD + 8 * limbs;
                for (size_t first = 0, j = 1; first < limbs; first += block, j++, n += 8)
                    sum_put(file + n, file + HEAD + 8 * first, 8 * (limbs - first < block ? limbs - first : block), j);
            }
            break;
        default: /* a head whose checksum is right */
            sum_put(file + 56, file, 56, 0);
        }
    }
    return n;
}

void fuzz_binary(struct fuzz_input *in)
{
    static const uint8_t magic[] = {0x89, 'G', 'F', 'M', '\r', '\n', 0x1a, '\n'};
    uint8_t file[2 * FILE_BYTES] = {0}, before[FILE_BYTES], sum[8];
    const size_t an = fuzz_below(in, LIMBS + 1);
    mp_limb_t *const a = fuzz_limbs(in, an);
    size_t len = 0, zn = SIZE_MAX;
    int negative = -1;
    FUZZ_CHECK(gfmul_binary_export(file, FILE_BYTES, &len, a, an, (int)fuzz_below(in, 2)) == GFMUL_OK, "%zu limbs", an);
    memcpy(before, file, sizeof before);
    const size_t old = len;
    len = file_alter(in, file, len);
    uint8_t *const exact = fuzz_alloc(len);
    memcpy(exact, file, len);
    const size_t room = len / 8;
    mp_limb_t *const z = fuzz_alloc(room * sizeof *z);
    struct gfmul_files_report r;
    const enum gfmul_status status = gfmul_binary_import(z, room, &zn, &negative, exact, len, &r);
    FUZZ_CHECK(status == r.status && (status == GFMUL_OK) == (r.detail[0] == '\0'), "status %d", (int)status);
    if (len == old && memcmp(before, file, len) == 0)
        FUZZ_CHECK(status == GFMUL_OK, "%s", r.detail);
    if (status == GFMUL_OK) {
        const uint64_t limbs = word_get(file + 24), block = word_get(file + 32), sign = word_get(file + 16);
        FUZZ_CHECK(memcmp(file, magic, sizeof magic) == 0 && word_get(file + 8) == 1 && word_get(file + 40) == 0 &&
                       word_get(file + 48) == 0,
                   "a head that is none");
        FUZZ_CHECK(zn == limbs && sign == (uint64_t)negative && sign <= (limbs > 0) && (limbs == 0 || z[limbs - 1] != 0),
                   "%zu limbs, sign %d", zn, negative);
        FUZZ_CHECK(block > 0 && (block & (block - 1)) == 0 && len == HEAD + 8 * (limbs + (limbs + block - 1) / block),
                   "%zu bytes", len);
        sum_put(sum, file, 56, 0);
        FUZZ_CHECK(memcmp(sum, file + 56, 8) == 0, "the head's checksum");
        for (size_t i = 0; i < limbs; i++)
            FUZZ_CHECK(z[i] == word_get(file + HEAD + 8 * i), "limb %zu", i);
        for (size_t first = 0, j = 1; first < limbs; first += block, j++) {
            sum_put(sum, file + HEAD + 8 * first, 8 * (limbs - first < block ? limbs - first : block), j);
            FUZZ_CHECK(memcmp(sum, file + HEAD + 8 * (limbs + j - 1), 8) == 0, "checksum %zu", j);
        }
    } else {
        FUZZ_CHECK((status == GFMUL_ERR_SYNTAX || status == GFMUL_ERR_UNSUPPORTED) && r.error_operand == 0 &&
                       r.error_offset <= len + 8 * (LIMBS + 64),
                   "status %d: %s", (int)status, r.detail);
    }
    free(exact);
    free(z);
    free(a);
}
