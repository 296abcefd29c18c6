/*
 * bigcalc_evaluate.c - the value of an expression.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A number is freed after its last use, so that a long expression takes no more memory than its longest part.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>
#include <string.h>

#include "bigcalc.h"
#include "gfmul_arith.h"

int evaluation_begin(struct evaluation *e, struct gfmul_ctx *ctx, const struct expression *expression)
{
    const size_t n = expression->n, n_files = expression->n_files;

    *e = (struct evaluation){.ctx = ctx, .expression = expression};
    e->file = calloc(n_files + 1, sizeof *e->file);
    e->left = calloc(n_files + 1, sizeof *e->left);
    e->value = calloc(n + 1, sizeof *e->value);
    e->step = calloc(n + 1, sizeof *e->step);
    for (size_t i = 0; e->file && i < n_files; i++)
        mpz_init(e->file[i]);
    for (size_t i = 0; e->value && i < n; i++)
        mpz_init(e->value[i].z);
    if (!e->file || !e->left || !e->value || !e->step) {
        complain("not enough memory for the expression");
        return EXIT_COMPUTE;
    }
    for (size_t i = 0; i < n_files; i++)
        e->left[i] = expression->file[i].uses;
    return EXIT_DONE;
}

void evaluation_end(struct evaluation *e)
{
    if (!e->expression)
        return;
    for (size_t i = 0; e->value && i < e->expression->n; i++)
        if (!e->value[i].is_view)
            mpz_clear(e->value[i].z);
    for (size_t i = 0; e->file && i < e->expression->n_files; i++)
        mpz_clear(e->file[i]);
    free(e->file);
    free(e->left);
    free(e->value);
    free(e->step);
    *e = (struct evaluation){.ctx = NULL};
}

mpz_ptr value_of(const struct evaluation *e, int node)
{
    return e->value[node].z;
}

/* A number that is not needed any more: 0, without memory. */
static void number_drop(mpz_ptr z)
{
    mpz_clear(z);
    mpz_init(z);
}

void value_end(struct evaluation *e, int node)
{
    struct value *const v = &e->value[node];

    if (!v->is_view) {
        number_drop(v->z);
        return;
    }
    v->is_view = false;
    mpz_init(v->z);
    if (--e->left[v->file] == 0)
        number_drop(e->file[v->file]);
}

/* view - make a value one of a file's number.   sign in: -1: of its negative */
static void view(struct evaluation *e, struct value *v, size_t file, int sign)
{
    mpz_srcptr const z = e->file[file];
    const mp_size_t n = (mp_size_t)mpz_size(z);

    if (!v->is_view)
        mpz_clear(v->z);
    v->is_view = true;
    v->file = file;
    (void)mpz_roinit_n(v->z, mpz_limbs_read(z), sign * mpz_sgn(z) < 0 ? -n : n);
}

/* negate - the value of NODE_NEGATIVE takes over that of its operand. */
static void negate(struct evaluation *e, const struct node *node, struct value *v)
{
    struct value *const a = &e->value[node->arg[0]];
    const struct value kept = *v;

    *v = *a;
    *a = kept;
    if (v->is_view)
        view(e, v, v->file, mpz_sgn(v->z) == mpz_sgn(e->file[v->file]) ? -1 : 1);
    else
        mpz_neg(v->z, v->z);
}

int evaluation_error(const struct evaluation *e, const struct node *node, enum gfmul_status status)
{
    struct gfmul_report report;

    gfmul_ctx_report(e->ctx, &report);
    complain("expression:%zu: %s: %s", expression_column(e->expression, node->offset), expression_name(node->kind),
             report.status == status && report.detail[0] ? report.detail : gfmul_strerror(status));
    return EXIT_COMPUTE;
}

/* no_value - report that an operation has none for these operands. */
static int no_value(const struct evaluation *e, const struct node *node, const char *why)
{
    complain("expression:%zu: %s", expression_column(e->expression, node->offset), why);
    return EXIT_INPUT;
}

/* z = the quotient or the remainder, which has the sign of the divisor.   remainder in: that, not the quotient */
static enum gfmul_status divide(struct evaluation *e, mpz_ptr z, mpz_srcptr a, mpz_srcptr d, bool remainder)
{
    mpz_t other;
    mpz_init(other);
    mpz_ptr const q = remainder ? other : z, r = remainder ? z : other;
    const enum gfmul_status status = gfmul_mpz_tdiv_qr(e->ctx, q, r, a, d);
    if (status == GFMUL_OK && mpz_sgn(r) * mpz_sgn(d) < 0) {
        mpz_sub_ui(q, q, 1);
        mpz_add(r, r, d);
    }
    mpz_clear(other);
    return status;
}

/* power_modulo - z = a^b modulo m, in [0, |m|).   why out: as for power_evaluate */
static enum gfmul_status power_modulo(struct evaluation *e, mpz_ptr z, mpz_srcptr a, mpz_srcptr b, mpz_srcptr m, const char **why)
{
    if (mpz_sgn(m) == 0)
        *why = "powmod modulo zero";
    else if (mpz_sgn(b) < 0) {
        mpz_gcd(z, a, m);
        if (mpz_cmp_ui(z, 1) != 0)
            *why = "powmod: the base has no inverse, which a negative exponent needs";
    }
    return *why ? GFMUL_OK : gfmul_mpz_powm(e->ctx, z, a, b, m);
}

/* The operation of a node, for which its operands are there.   step i/o */
static int operate(struct evaluation *e, const struct node *node, struct step *step, double from, double share)
{
    mpz_ptr const z = e->value[node - e->expression->node].z;
    mpz_srcptr x[ARGUMENTS_MOST] = {NULL, NULL, NULL};
    enum gfmul_status status = GFMUL_OK;
    const char *why = NULL;

    for (int i = 0; i < ARGUMENTS_MOST && node->kind != NODE_SUM; i++)
        x[i] = node->arg[i] == NODE_NONE ? NULL : value_of(e, node->arg[i]);
    switch (node->kind) {
    case NODE_SUM:
        status = node_sum(e, node, z, step, from, share);
        break;
    case NODE_PRODUCT:
        status = gfmul_mpz_mul(e->ctx, z, x[0], x[1]);
        break;
    case NODE_QUOTIENT:
    case NODE_REMAINDER:
        if (mpz_sgn(x[1]) == 0)
            why = "division by zero";
        else
            status = divide(e, z, x[0], x[1], node->kind == NODE_REMAINDER);
        break;
    case NODE_POWER:
        status = power_evaluate(e, z, x[0], x[1], &why, from, share);
        break;
    case NODE_ROOT:
        if (mpz_sgn(x[0]) < 0)
            why = "isqrt of a negative number";
        else
            status = gfmul_mpz_sqrtrem(e->ctx, z, NULL, x[0]);
        break;
    case NODE_POWM:
        status = power_modulo(e, z, x[0], x[1], x[2], &why);
        break;
    default: /* NODE_GCD */
        mpz_gcd(z, x[0], x[1]);
        break;
    }
    if (why)
        return no_value(e, node, why);
    if (status != GFMUL_OK)
        return evaluation_error(e, node, status);
    for (int i = 0; i < ARGUMENTS_MOST && node->kind != NODE_SUM; i++)
        if (node->arg[i] != NODE_NONE && (i == 0 || node->arg[i] != node->arg[0]))
            value_end(e, node->arg[i]);
    return EXIT_DONE;
}

/* Whether a node is an operation, which is a step of the work. */
static bool is_step(const struct node *node)
{
    return node->kind != NODE_FILE && node->kind != NODE_LITERAL && node->kind != NODE_NEGATIVE &&
           !(node->kind == NODE_PRODUCT && node->is_term);
}

static int step_do(struct evaluation *e, const struct node *node, double from, double share)
{
    struct step *const step = &e->step[e->n_steps];
    const uint64_t start = time_ns();

    step->node = node;
    const int status = operate(e, node, step, from, share);
    step->ns = time_ns() - start;
    step->limbs = mpz_size(e->value[node - e->expression->node].z);
    e->n_steps++;
    return status;
}

int evaluate(struct evaluation *e, double from, double share)
{
    const struct expression *const x = e->expression;
    size_t all = 0;
    int status = EXIT_DONE;

    for (size_t i = 0; i < x->n; i++)
        all += is_step(&x->node[i]);
    if (all > 0)
        share /= (double)all;
    for (size_t i = 0; i < x->n && status == EXIT_DONE; i++) {
        const struct node *const node = &x->node[i];
        struct value *const v = &e->value[i];
        if (node->kind == NODE_FILE) {
            view(e, v, node->file, 1);
        } else if (node->kind == NODE_LITERAL) {
            const enum gfmul_status read = gfmul_mpz_set_str(e->ctx, v->z, x->text + node->offset, node->len, 0);
            status = read == GFMUL_OK ? EXIT_DONE : evaluation_error(e, node, read);
        } else if (node->kind == NODE_NEGATIVE) {
            negate(e, node, v);
        } else if (is_step(node)) {
            const double begun = from + share * (double)e->n_steps;
            progress_part(begun, share);
            status = step_do(e, node, begun, share);
        }
    }
    return status;
}
