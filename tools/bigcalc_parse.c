/*
 * bigcalc_parse.c - the expression.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 *   sum     = product { ("+" | "-") product }
 *   product = signed { ("*" | "//" | "%") signed }
 *   signed  = { "+" | "-" } power
 *   power   = atom [ "^" signed ]
 *   atom    = number | name | quoted path | function "(" sum { "," sum } ")" | "(" sum ")"
 *
 * As in Python, -a^2 is -(a^2), and a^b^c is a^(b^c).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bigcalc.h"

/* Nested parentheses, powers and signs; the parser takes less than 1 KiB of stack for each. */
enum { DEPTH_MOST = 1000, NODES_MOST = 1 << 20 };

struct parser {
    struct expression *e;
    struct binding *binding;
    size_t n_bindings;
    size_t at; /* the next character */
    int depth;
    bool failed;
};

static const struct function {
    const char *name;
    enum node_kind kind;
    int n;
} functions[] = {{"isqrt", NODE_ROOT, 1}, {"powmod", NODE_POWM, 3}, {"gcd", NODE_GCD, 2}};

static int sum_parse(struct parser *p);
static int signed_parse(struct parser *p);

const char *expression_name(enum node_kind kind)
{
    static const char *const names[] = {"file", "number", "-", "sum", "*", "//", "%", "^", "isqrt", "powmod", "gcd"};

    _Static_assert(sizeof names / sizeof *names == NODE_GCD + 1, "a name for each kind");
    return names[kind];
}

size_t expression_column(const struct expression *e, size_t offset)
{
    size_t column = 1;

    for (size_t i = 0; i < offset; i++)
        column += ((unsigned char)e->text[i] & 0xc0) != 0x80;
    return column;
}

/* Report an error at a byte of the expression; always NODE_NONE.  Only the first one is printed. */
static int wrong(struct parser *p, size_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int wrong(struct parser *p, size_t offset, const char *format, ...)
{
    char reason[256];
    va_list args;

    if (p->failed)
        return NODE_NONE;
    p->failed = true;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    complain("expression:%zu: %s", expression_column(p->e, offset), reason);
    return NODE_NONE;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

size_t name_length(const char *text)
{
    size_t n = 0;

    if (is_letter(text[0]))
        while (is_letter(text[n]) || is_digit(text[n]) || text[n] == '.')
            n++;
    return n;
}

static char peek(struct parser *p)
{
    const char *const text = p->e->text;

    while (text[p->at] == ' ' || (text[p->at] >= '\t' && text[p->at] <= '\r'))
        p->at++;
    return text[p->at];
}

/* What stands at a byte, for messages. */
static const char *seen(const struct parser *p, size_t offset, char room[16])
{
    const unsigned char *const text = (const unsigned char *)p->e->text + offset;
    int n = 1;

    if (!*text)
        return "the end";
    while (n < 4 && *text >= 0xc0 && (text[n] & 0xc0) == 0x80)
        n++;
    if (*text < ' ' || *text == 0x7f)
        snprintf(room, 16, "byte %u", (unsigned)*text);
    else
        snprintf(room, 16, "'%.*s'", n, (const char *)text);
    return room;
}

/* A new node; NODE_NONE after a message. */
static int node_add(struct parser *p, enum node_kind kind, size_t offset)
{
    struct expression *const e = p->e;

    if (e->n == NODES_MOST)
        return wrong(p, offset, "the expression is too long");
    if (e->n == e->room) {
        const size_t room = 2 * e->room + 16;
        struct node *const larger = realloc(e->node, room * sizeof *larger);
        if (!larger)
            return wrong(p, offset, "not enough memory for the expression");
        e->node = larger;
        e->room = room;
    }
    e->node[e->n] = (struct node){.kind = kind, .offset = offset, .arg = {NODE_NONE, NODE_NONE, NODE_NONE}, .next = NODE_NONE};
    return (int)e->n++;
}

/* A node of one or two operands, which may have failed. */
static int operation_add(struct parser *p, enum node_kind kind, size_t offset, int a, int b)
{
    const int node = p->failed ? NODE_NONE : node_add(p, kind, offset);

    if (node != NODE_NONE) {
        p->e->node[node].arg[0] = a;
        p->e->node[node].arg[1] = b;
    }
    return node;
}

/* The node of a file.   own in: the path's copy, or NULL; the expression takes it */
static int file_add(struct parser *p, size_t offset, const char *path, char *own)
{
    struct expression *const e = p->e;
    size_t i = 0;

    while (i < e->n_files && strcmp(e->file[i].path, path) != 0)
        i++;
    if (i < e->n_files) {
        free(own);
    } else {
        struct file *const larger = realloc(e->file, (i + 1) * sizeof *larger);
        if (!larger) {
            free(own);
            return wrong(p, offset, "not enough memory for the expression");
        }
        e->file = larger;
        e->file[e->n_files++] = (struct file){.path = path, .own = own};
    }
    e->file[i].uses++;
    const int node = node_add(p, NODE_FILE, offset);
    if (node != NODE_NONE)
        e->node[node].file = i;
    return node;
}

static int path_copy(struct parser *p, size_t offset, const char *path, size_t len)
{
    char *const own = strndup(path, len);

    return own ? file_add(p, offset, own, own) : wrong(p, offset, "not enough memory for the expression");
}

/* '...' or "..." */
static int quoted_parse(struct parser *p)
{
    const size_t start = p->at;
    const char *const text = p->e->text + start, *const end = strchr(text + 1, *text);

    if (!end)
        return wrong(p, start, "the quote has no end");
    if (end == text + 1)
        return wrong(p, start, "the path is empty");
    p->at += (size_t)(end - text) + 1;
    return path_copy(p, start, text + 1, (size_t)(end - text) - 1);
}

/* A number: decimal digits, or 0x, 0o, 0b and digits. */
static int literal_parse(struct parser *p)
{
    const char *const text = p->e->text;
    const size_t start = p->at;
    char room[16];
    size_t end = start;

    while (is_digit(text[end]) || is_letter(text[end]) || text[end] == '.')
        end++;
    const int base = number_base(text + start, end - start);
    const size_t stray = start + number_stray(text + start, end - start, 0, 0);
    if (stray < end)
        return wrong(p, stray, "%s in a number", seen(p, stray, room));
    if (base != 10 && end - start == 2)
        return wrong(p, end, "a number without digits");
    p->at = end;
    const int node = node_add(p, NODE_LITERAL, start);
    if (node != NODE_NONE)
        p->e->node[node].len = end - start;
    return node;
}

/* The arguments of a function, behind its name. */
static int call_parse(struct parser *p, const struct function *f, size_t start)
{
    int arg[ARGUMENTS_MOST] = {NODE_NONE, NODE_NONE, NODE_NONE}, n = 0;
    char room[16], c;

    p->at++; /* "(" */
    do {
        if (n == f->n)
            return wrong(p, p->at - 1, "%s takes %d argument%s", f->name, f->n, f->n == 1 ? "" : "s");
        arg[n++] = sum_parse(p);
        if (p->failed)
            return NODE_NONE;
        c = peek(p);
        p->at += c == ',';
    } while (c == ',');
    if (c != ')')
        return wrong(p, p->at, "%s instead of ')' or an operator", seen(p, p->at, room));
    if (n < f->n)
        return wrong(p, p->at, "%s takes %d arguments", f->name, f->n);
    p->at++;
    const int node = operation_add(p, f->kind, start, arg[0], arg[1]);
    if (node != NODE_NONE)
        p->e->node[node].arg[2] = arg[2];
    return node;
}

/* A file by its name or a binding, or a function. */
static int name_parse(struct parser *p)
{
    const size_t start = p->at;
    const char *const name = p->e->text + start;
    const size_t len = name_length(name);

    p->at += len;
    if (peek(p) == '(') {
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            if (strlen(functions[i].name) == len && strncmp(functions[i].name, name, len) == 0)
                return call_parse(p, &functions[i], start);
        return wrong(p, start, "no function '%.*s'; there are: isqrt, powmod, gcd", len < 100 ? (int)len : 100, name);
    }
    for (size_t i = 0; i < p->n_bindings; i++)
        if (p->binding[i].len == len && strncmp(p->binding[i].name, name, len) == 0) {
            p->binding[i].used = true;
            return file_add(p, start, p->binding[i].path, NULL);
        }
    return path_copy(p, start, name, len);
}

static int atom_parse(struct parser *p)
{
    const char c = peek(p);
    char room[16];

    if (is_digit(c))
        return literal_parse(p);
    if (c == '"' || c == '\'')
        return quoted_parse(p);
    if (is_letter(c))
        return name_parse(p);
    if (c == '.' || c == '/')
        return wrong(p, p->at, "%s instead of an operand; a path with '/' or a first '.' needs quotes", seen(p, p->at, room));
    if (c != '(')
        return wrong(p, p->at, "%s instead of an operand", seen(p, p->at, room));
    const size_t start = p->at++;
    const int node = sum_parse(p);
    if (!p->failed && peek(p) != ')')
        return p->e->text[p->at] ? wrong(p, p->at, "%s instead of ')' or an operator", seen(p, p->at, room))
                                 : wrong(p, start, "'(' without ')'");
    p->at++;
    return p->failed ? NODE_NONE : node;
}

static int power_parse(struct parser *p)
{
    const int a = atom_parse(p);

    if (p->failed || peek(p) != '^')
        return a;
    const size_t start = p->at++;
    const int b = signed_parse(p);
    const struct node *const exponent = p->failed ? NULL : &p->e->node[b];
    if (exponent && exponent->kind == NODE_LITERAL && exponent->len == 1 && p->e->text[exponent->offset] == '2') {
        p->e->n--; /* a square, which may be a term of a sum of products */
        return operation_add(p, NODE_PRODUCT, start, a, a);
    }
    return operation_add(p, NODE_POWER, start, a, b);
}

static int signed_parse(struct parser *p)
{
    const char c = peek(p);
    const size_t start = p->at;

    if (p->depth == DEPTH_MOST)
        return wrong(p, start, "nested more than %d times", DEPTH_MOST);
    p->depth++;
    int node;
    if (c == '-' || c == '+') {
        p->at++;
        node = signed_parse(p);
        if (c == '-')
            node = operation_add(p, NODE_NEGATIVE, start, node, NODE_NONE);
    } else {
        node = power_parse(p);
    }
    p->depth--;
    return p->failed ? NODE_NONE : node;
}

static int product_parse(struct parser *p)
{
    int a = signed_parse(p);

    while (!p->failed) {
        const char c = peek(p);
        const char *const text = p->e->text + p->at;
        const size_t start = p->at;
        enum node_kind kind;
        if (c == '*' && text[1] == '*')
            return wrong(p, start, "'**': a power is a^b");
        else if (c == '*')
            kind = NODE_PRODUCT;
        else if (c == '%')
            kind = NODE_REMAINDER;
        else if (c == '/' && text[1] == '/')
            kind = NODE_QUOTIENT;
        else if (c == '/')
            return wrong(p, start, "'/': a quotient is a // b; a path needs quotes");
        else
            return a;
        p->at += kind == NODE_QUOTIENT ? 2 : 1;
        a = operation_add(p, kind, start, a, signed_parse(p));
    }
    return NODE_NONE;
}

static int sum_parse(struct parser *p)
{
    int first = product_parse(p), last = first, sum = NODE_NONE;
    size_t start = 0;
    char c;

    for (; !p->failed && ((c = peek(p)) == '+' || c == '-'); last = p->e->node[last].next) {
        if (last == first)
            start = p->at;
        p->at++;
        const int term = product_parse(p);
        if (p->failed)
            return NODE_NONE;
        p->e->node[term].subtracted = c == '-';
        p->e->node[last].next = term;
    }
    if (p->failed || last == first)
        return first;
    sum = operation_add(p, NODE_SUM, start, first, NODE_NONE);
    for (int i = first; sum != NODE_NONE && i != NODE_NONE; i = p->e->node[i].next)
        p->e->node[i].is_term = true;
    return sum;
}

int expression_parse(struct expression *e, const char *text, struct binding *binding, size_t n_bindings)
{
    struct parser p = {.e = e, .binding = binding, .n_bindings = n_bindings};
    char room[16];

    *e = (struct expression){.text = text};
    (void)sum_parse(&p);
    if (!p.failed && peek(&p))
        wrong(&p, p.at, "%s instead of an operator", seen(&p, p.at, room));
    for (size_t i = 0; i < n_bindings && !p.failed; i++)
        if (!binding[i].used) {
            complain("the expression has no '%.*s' for --name=%s", (int)binding[i].len, binding[i].name, binding[i].name);
            p.failed = true;
        }
    return p.failed ? usage_error() : EXIT_DONE;
}

void expression_free(struct expression *e)
{
    for (size_t i = 0; i < e->n_files; i++)
        free(e->file[i].own);
    free(e->file);
    free(e->node);
    *e = (struct expression){.text = NULL};
}
