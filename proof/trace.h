/*
 * trace.h - vectors whose operations are written down: stages/butterfly.h and stages/odd_dft.h, compiled over them, leave a
 * program of nodes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A vec is the number of a node.  A node is an input, a known number (a constant or a twiddle's part: a polynomial in symbols),
 * or an operation.  Every operation's value is linear in the inputs; its coefficients are polynomials in the symbols.
 */
#ifndef GFMUL_TRACE_H
#define GFMUL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "poly.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_NODES = 2048, MAX_INPUTS = 32, MAX_OUTPUTS = 32, MAX_SYMBOLS = 40, MAX_TERMS = 400 };

/* ---- symbols ---- */

enum symbol_kind {
    SYMBOL_CONSTANT, /* of an odd radix: a cosine or a sine, rounded */
    SYMBOL_ERROR,    /* the error of such a constant, over u */
    SYMBOL_C,        /* of a twiddle c (1 + i tau), or c + i s */
    SYMBOL_TAU,
    SYMBOL_SINE,
    SYMBOL_SHARE,  /* square of a twiddle's imaginary part */
    SYMBOL_MODULUS /* square of its modulus: the symbol behind the share's */
};
struct symbol {
    enum symbol_kind kind;
    char name[24];
    double value;      /* of a constant, or one that is met, for choosing weights */
    unsigned other;    /* constant: its error; c: tau or s; tau, s: the share */
    unsigned m, order; /* constant: cos or sin of 2 pi m / order */
    bool sine;
};
extern struct symbol symbols[MAX_SYMBOLS];
extern unsigned n_symbols;

/* ---- programs ---- */

/* OP_ERROR: a, with an error of at most `weight` u times the value of b. */
enum op { OP_INPUT, OP_KNOWN, OP_NEG, OP_ADD, OP_SUB, OP_MUL, OP_FMA, OP_FMS, OP_FNMA, OP_ERROR };

struct node {
    enum op op;
    int a, b, c;
    unsigned input;
    bool inner;        /* the product of an FMA in two roundings */
    bool exact;        /* what is rounded stands behind it, as an OP_ERROR */
    double weight;     /* OP_ERROR */
    int together;      /* OP_ERROR: the first one of its layer */
    struct poly known; /* OP_KNOWN */
};
struct program {
    unsigned n_nodes, n_inputs, n_outputs;
    struct node node[MAX_NODES];
    int output[MAX_OUTPUTS];
};

extern struct program trace;
extern bool trace_fused, trace_exact; /* trace_exact: operations do not round; trace_errors says what they lose */

/* trace_begin - forget program and symbols. */
void trace_begin(bool fused);

/* node_rounds - whether the result of a node is rounded.   node_known - whether it is a known number. */
bool node_rounds(const struct program *p, int node);
bool node_known(const struct program *p, int node);

/* ---- the vector header ---- */

typedef double vec;

vec trace_input(void);
vec trace_known(struct poly p);
vec trace_op(enum op op, vec a, vec b, vec c);
void trace_output(vec a);

/* trace_errors - a, with errors of at most weight u times the values of n nodes, which are of one layer. */
vec trace_errors(vec a, const vec *size, unsigned n, double weight);

/* A twiddle's parts: as c (1 + i tau), or as c + i s. */
void trace_twiddle(vec *c, vec *other, const char *name, bool ratio);

vec vec_set1(double a);

static inline vec vec_add(vec a, vec b)
{
    return trace_op(OP_ADD, a, b, 0);
}
static inline vec vec_sub(vec a, vec b)
{
    return trace_op(OP_SUB, a, b, 0);
}
static inline vec vec_neg(vec a)
{
    return trace_op(OP_NEG, a, 0, 0);
}
static inline vec vec_mul(vec a, vec b)
{
    return trace_op(OP_MUL, a, b, 0);
}
static inline vec vec_fma(vec a, vec b, vec c)
{
    return trace_op(OP_FMA, a, b, c);
}
static inline vec vec_fms(vec a, vec b, vec c)
{
    return trace_op(OP_FMS, a, b, c);
}
static inline vec vec_fnma(vec a, vec b, vec c)
{
    return trace_op(OP_FNMA, a, b, c);
}

#ifdef __cplusplus
}
#endif

#endif
