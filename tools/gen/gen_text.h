/* gen_text.h - text that grows: what the generator writes, and what it complains of. */
#ifndef GFMUL_GEN_TEXT_H
#define GFMUL_GEN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A text that ends with NUL (or NULL while empty); all zero to begin with.  failed: memory ran out, the text is not whole. */
struct gen_text {
    char *s;
    size_t len, size;
    bool failed;
};

/*
 * gen_printf - append formatted text.
 *
 * Errors: memory that ran out sets t->failed; what follows is ignored.
 */
void gen_printf(struct gen_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* gen_expand - append a template; each @ stands for the ID. */
void gen_expand(struct gen_text *t, const char *id, const char *format);

/* gen_first - whether a name is met for the first time, of those that are kept between semicolons; it is kept then. */
bool gen_first(struct gen_text *names, const char *name);

/* gen_text_free - give the memory back; the text is empty again. */
void gen_text_free(struct gen_text *t);

#endif
