/*
 * text_numbers.h - numbers that are hard to convert between limbs and text.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_TEST_TEXT_NUMBERS_H
#define GFMUL_TEST_TEXT_NUMBERS_H

#include <stdlib.h>

#include "operands.h"
#include "test.h"

/* number_make - random limbs, or digits that are hard for fractions: near powers of the base, runs of zeros and nines. */
TEST_UNUSED static void number_make(mpz_ptr x, size_t limbs, int base)
{
    mpz_t y;
    mp_limb_t *a = test_alloc(limbs * sizeof *a);
    operand_fill(a, limbs, (enum operand_kind)(test_u64() % OPERAND_KINDS), 16, test_u64());
    mpz_import(x, limbs, -1, sizeof *a, 0, 0, a);
    free(a);
    const size_t digits = mpz_sgn(x) == 0 ? 1 : mpz_sizeinbase(x, base);
    mpz_init(y);
    switch (test_u64() % 6) {
    case 0: /* 10..0, 9..9, or near */
        mpz_ui_pow_ui(x, (unsigned long)base, digits);
        mpz_set_si(y, (long)(test_u64() % 5) - 2);
        mpz_add(x, x, y);
        mpz_abs(x, x);
        break;
    case 1: /* a run of zeros or of the highest digit in the middle */
        mpz_ui_pow_ui(y, (unsigned long)base, test_u64() % (digits + 1));
        mpz_fdiv_q(x, x, y);
        mpz_mul(x, x, y);
        mpz_add_ui(x, x, test_u64() % 3);
        if (test_u64() % 2 && mpz_sgn(x) > 0)
            mpz_sub_ui(x, x, 2);
        mpz_abs(x, x);
        break;
    case 2: { /* blocks of text */
        char *text = test_alloc(digits + 1);
        const enum text_kind kind = (enum text_kind)(test_u64() % TEXT_KINDS);
        text_fill(text, digits, kind, (unsigned)base, (unsigned)test_between(1, 400), test_u64());
        text[digits] = '\0';
        mpz_set_str(x, text, base);
        free(text);
        break;
    }
    default:
        break;
    }
    mpz_clear(y);
    if (test_u64() % 4 == 0)
        mpz_neg(x, x);
}

#endif
