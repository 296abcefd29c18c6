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

void gen_printf(struct gen_text *t, const char *format, ...)
{
    va_list ap;
    size_t need;

    if (t->failed)
        return;
    C_LOCALE;
    va_start(ap, format);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (n < 0 || !size_add(&need, t->len, (size_t)n + 1))
        goto fail;
    if (need > t->size) {
        size_t size;
        if (!size_mul(&size, need, 2))
            goto fail;
        char *s = realloc(t->s, size);
        if (!s)
            goto fail;
        t->s = s;
        t->size = size;
    }
    va_start(ap, format);
    vsnprintf(t->s + t->len, t->size - t->len, format, ap);
    va_end(ap);
    t->len += (size_t)n;
    return;
fail:
    t->failed = true;
}

void gen_text_free(struct gen_text *t)
{
    free(t->s);
    *t = (struct gen_text){0};
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
