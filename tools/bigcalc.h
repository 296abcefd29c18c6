/*
 * bigcalc.h - the parts of the program bigcalc.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What it shares with bigmul is in tool.h, whose rules hold here, too.
 *
 * An expression is an array of nodes.  The operands of a node stand before it, so they are evaluated in the array's order.
 */
#ifndef BIGCALC_H
#define BIGCALC_H

#include "tool.h"

/* ---- bigcalc_parse.c: the expression ---- */

enum node_kind {
    NODE_FILE,
    NODE_LITERAL,
    NODE_NEGATIVE,
    NODE_SUM,
    NODE_PRODUCT,
    NODE_QUOTIENT,
    NODE_REMAINDER,
    NODE_POWER,
    NODE_ROOT,
    NODE_POWM,
    NODE_GCD
};

enum { NODE_NONE = -1, ARGUMENTS_MOST = 3 };

struct node {
    enum node_kind kind;
    size_t offset;           /* of its operator, or of its first character, in the expression */
    int arg[ARGUMENTS_MOST]; /* its operands, twice the same one for a square; NODE_SUM: arg[0] is the first of a list of terms */
    int next;                /* the term after this one; NODE_NONE: the last one, or no term */
    bool subtracted;         /* as a term */
    bool is_term;            /* of a sum.  Such a product is not evaluated, its factors are kept for the sum */
    size_t file;             /* NODE_FILE: its index */
    size_t len;              /* NODE_LITERAL: its digits in the expression, with a prefix */
};

/* A file of the expression. */
struct file {
    const char *path;
    char *own;    /* the path, if it was copied from the expression */
    size_t uses;  /* in the expression */
    size_t bytes; /* for --stats, after it was read, as are base and limbs */
    int base;     /* 0: binary */
    size_t limbs;
};

/* A name on the command line that stands for a file, "NAME=FILE". */
struct binding {
    const char *name; /* len characters */
    size_t len;
    const char *path;
    bool used;
};

struct expression {
    const char *text;
    struct node *node;
    size_t n, room;
    struct file *file; /* in the order of the expression, each path once */
    size_t n_files;
};

/* expression_parse - read an expression.   binding i/o: the names in it become used.   e out: end it with expression_free. */
int expression_parse(struct expression *e, const char *text, struct binding *binding, size_t n_bindings);
void expression_free(struct expression *e);

/* expression_column - the column of a byte, counted from 1.  Bytes that continue a character of UTF-8 are not counted. */
size_t expression_column(const struct expression *e, size_t offset);

/* expression_name - what a node is called in messages and statistics. */
const char *expression_name(enum node_kind kind);

/* name_length - characters of the name that a text begins with, without quotes; 0: none. */
size_t name_length(const char *text);

/* ---- bigcalc_options.c: the command line ---- */

struct settings {
    struct gfmul_options library;
    struct expression expression;
    const char *output; /* NULL: standard output */
    bool lenient;
    int base, output_base; /* 0: auto; 0: as the first file's */
    enum number_format output_format;
    enum stats_form stats;
    enum progress_when progress;
};

/*
 * options_parse - read the command line, and the expression.
 *
 *   settings  out  complete where *done is false; end it with settings_free in every case
 *   done      out  true: nothing is left to do (--help, --version, or an error)
 */
int options_parse(struct settings *settings, bool *done, int argc, char **argv);
void settings_free(struct settings *settings);

/* ---- bigcalc_evaluate.c: the value of an expression ---- */

/* A number of its own, or a view of the limbs of a file's number, perhaps with the other sign, which is read alone. */
struct value {
    mpz_t z;
    bool is_view;
    size_t file; /* of a view */
};

/* An operation that was done, for --stats. */
struct step {
    const struct node *node;
    size_t limbs, spectra; /* limbs of its result; products of a sum that were made in a space */
    uint64_t ns;
};

struct evaluation {
    struct gfmul_ctx *ctx;
    const struct expression *expression;
    mpz_t *file;         /* the numbers of the files, until their last uses */
    size_t *left;        /* uses of each file that are still to come */
    struct value *value; /* of each node, until it has been used */
    struct step *step;   /* n_steps of them, with room for all */
    size_t n_steps;
};

/* evaluation_begin - with room for all values.   e out: end it with evaluation_end, also after an error. */
int evaluation_begin(struct evaluation *e, struct gfmul_ctx *ctx, const struct expression *expression);
void evaluation_end(struct evaluation *e);

/*
 * evaluate - compute the expression; its value is that of the last node.   e i/o: the files' numbers are there
 *   from, share  in  as progress_part takes them
 */
int evaluate(struct evaluation *e, double from, double share);

/* evaluation_error - report that the library failed at a node; returns the exit status. */
int evaluation_error(const struct evaluation *e, const struct node *node, enum gfmul_status status);

/* value_of - the value of a node that was evaluated.   value_end - it is not needed any more. */
mpz_ptr value_of(const struct evaluation *e, int node);
void value_end(struct evaluation *e, int node);

/* ---- bigcalc_sum.c ---- */

/* node_sum - z = the value of a sum.   z i/o: 0 at first.   step i/o.   from, share in: as progress_part takes them */
enum gfmul_status node_sum(struct evaluation *e, const struct node *node, mpz_ptr z, struct step *step, double from,
                          double share);

/* ---- bigcalc_power.c ---- */

/*
 * power_evaluate - z = a^exponent.
 *
 *   z            i/o  0 at first
 *   why          out  if there is no such integer: the reason; else NULL
 *   from, share  in   as progress_part takes them
 */
enum gfmul_status power_evaluate(struct evaluation *e, mpz_ptr z, mpz_srcptr a, mpz_srcptr exponent, const char **why,
                                 double from, double share);

/* ---- bigcalc_stats.c: --stats ---- */

struct run_stats {
    uint64_t read_ns, parse_ns, compute_ns, print_ns, write_ns, wall_ns;
    size_t output_bytes;
    int output_base;
};

/* stats_print - print the figures of a run on standard error; false if that failed. */
bool stats_print(enum stats_form form, const struct evaluation *e, const struct run_stats *run);

#endif
