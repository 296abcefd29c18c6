/*
 * gen_text.c - text that grows.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/c_locale.h"
#include "gen/gen_text.h"

/* text_room - make room for n more characters and the NUL; false: no memory. */
static bool text_room(struct gen_text *t, size_t n)
{
    size_t need, size;
    if (!size_add(&need, t->len, n + 1))
        return false;
    if (need <= t->size)
        return true;
    char *s = size_mul(&size, need, 2) ? realloc(t->s, size) : NULL;
    if (!s)
        return false;
    t->s = s;
    t->size = size;
    return true;
}

void gen_printf(struct gen_text *t, const char *format, ...)
{
    va_list ap;

    if (t->failed)
        return;
    C_LOCALE;
    va_start(ap, format);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    t->failed = n < 0 || !text_room(t, (size_t)n);
    if (t->failed)
        return;
    va_start(ap, format);
    vsnprintf(t->s + t->len, t->size - t->len, format, ap);
    va_end(ap);
    t->len += (size_t)n;
}

void gen_text_free(struct gen_text *t)
{
    free(t->s);
    *t = (struct gen_text){0};
}

bool gen_first(struct gen_text *names, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = names->s; at && (at = strstr(at, name)) != NULL; at += n)
        if (at > names->s && at[-1] == ';' && at[n] == ';')
            return false;
    gen_printf(names, ";%s;", name);
    return true;
}

void gen_expand(struct gen_text *t, const char *id, const char *format)
{
    for (const char *s = format; *s;) {
        size_t n = strcspn(s, "@");
        gen_printf(t, "%.*s", (int)n, s);
        s += n;
        if (*s == '@') {
            gen_printf(t, "%s", id);
            s++;
        }
    }
}
