/*
 * script.h - a Gappa script in the making.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_SCRIPT_H
#define GFMUL_SCRIPT_H

#include "prove.h"

/* A script in the making: definitions, hints, hypotheses, goals. */
struct script {
    char *text[4];
    size_t size[4], used[4];
    unsigned names, goals;
    struct poly *named;
};
enum { DEFINE, HINT, HYPOTHESIS, GOAL };

/* put - more text of one part.   put_poly - a polynomial. */
void put(struct script *s, int part, const char *format, ...);
void put_poly(struct script *s, int part, struct poly p);

/* script_write - into its file, with the operations of the traced program and the hypotheses on its symbols. */
void script_write(struct script *s, const char *name, struct twiddles w);

/* constant_error - of a rounded cosine or sine, over u. */
double constant_error(const struct symbol *x);

void give_up(const char *what);

#endif
