/*
 * c_locale.h - numbers in text have a decimal point, whatever locale the program has set.
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

/* Without memory for it the locale stays as it is.  glibc and musl need none. */
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

/* C_LOCALE - a declaration: to the end of its block the thread prints and reads numbers as in C's own locale, then as before. */
#define C_LOCALE __attribute__((cleanup(c_locale_leave), unused)) const struct c_locale c_locale_before = c_locale_enter()

#endif
