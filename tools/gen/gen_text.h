/* gen_text.h - text that grows: the generator's output and its messages. */
#ifndef GFMUL_GEN_TEXT_H
#define GFMUL_GEN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A text that ends with NUL, or NULL while empty; starts as all zero.  failed: memory ran out, so the text is incomplete. */
struct gen_text {
    char *s;
    size_t len, size;
    bool failed;
};

/*
 * gen_printf - append formatted text.
 *
 * Errors: if memory runs out, t->failed is set and later text is ignored.
 */
void gen_printf(struct gen_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* gen_expand - append a template; each @ stands for the ID. */
void gen_expand(struct gen_text *t, const char *id, const char *format);

/* gen_first - whether a name is new to a list of names kept between semicolons; a new name is added. */
bool gen_first(struct gen_text *names, const char *name);

/* gen_text_free - give the memory back; the text is empty again. */
void gen_text_free(struct gen_text *t);

#endif
