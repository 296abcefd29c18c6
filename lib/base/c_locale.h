/*
 * c_locale.h - print and read numbers with a decimal point, whatever locale the program has set.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_C_LOCALE_H
#define GFMUL_C_LOCALE_H

#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

struct c_locale {
    locale_t own, before;
};

/* If there is no memory for it, the locale stays as it is.  glibc and musl need no memory. */
static inline struct c_locale c_locale_enter(void)
{
    struct c_locale l = {newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), (locale_t)0};
    if (l.own)
        l.before = uselocale(l.own);
    return l;
}

static inline void c_locale_leave(const struct c_locale *l)
{
    if (l->own) {
        uselocale(l->before);
        freelocale(l->own);
    }
}

/* C_LOCALE - a declaration: the thread uses C's own locale for numbers until the end of the block, and then the former one. */
#define C_LOCALE __attribute__((cleanup(c_locale_leave), unused)) const struct c_locale c_locale_before = c_locale_enter()

#endif
