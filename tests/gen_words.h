/*
 * gen_words.h - parameters of the generator from words, for its tests.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_GEN_WORDS_H
#define GFMUL_GEN_WORDS_H

#include "gen/params.h"
#include "test.h"

/* gen_words - set from words separated by blanks, check; the number of problems, their text in *text (the caller frees it). */
TEST_UNUSED static unsigned gen_words(struct gen_params *p, const char *words, struct gen_text *text)
{
    struct gen_problems problems = {0};
    gen_params_default(p);
    while (*words) {
        size_t len = strcspn(words, " ");
        gen_params_set(p, words, len, 1, "", &problems);
        words += len + (words[len] == ' ');
    }
    gen_params_check(p, &problems);
    *text = problems.text;
    return problems.count;
}

#endif
