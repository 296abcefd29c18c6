/*
 * spectrum_call.c - the public functions of spectra.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A spectrum's sum is guarded by the lock of the context.  A call copies the sums that it needs, works on the copies, and stores
 * its result at the end, so that results may be operands, and a failed call changes nothing.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/try.h"
#include "limbs/limb_range.h"
#include "mul/call_run.h"
#include "mul/mul.h"
#include "space/space_device.h"
#include "space/spectrum.h"

/* ---- reading and storing ---- */

/* spectrum_copy - a copy of x's sum, with references of its own.   Errors: MEMORY. */
static enum gfmul_status spectrum_copy(struct call *call, struct sum *s, struct gfmul_spectrum *x, bool minus)
{
    pthread_mutex_lock(&call->ctx->lock);
    *s = (struct sum){.integer = {natural_get(x->sum.integer.x), x->sum.integer.negative != minus}};
    const enum gfmul_status status = sum_terms(call, s, &x->sum, minus);
    pthread_mutex_unlock(&call->ctx->lock);
    if (status != GFMUL_OK)
        sum_clear(s);
    return status;
}

/* natural_hold - one spectrum more has the value x, or one less. */
static void natural_hold(struct natural *x, int change)
{
    if (x)
        atomic_fetch_add(&x->holders, (size_t)change);
}

/* spectrum_store - z becomes s, which is 0 afterwards. */
static void spectrum_store(struct call *call, struct gfmul_spectrum *z, struct sum *s)
{
    natural_hold(s->integer.x, 1);
    pthread_mutex_lock(&call->ctx->lock);
    struct sum before = z->sum;
    z->sum = *s;
    pthread_mutex_unlock(&call->ctx->lock);
    natural_hold(before.integer.x, -1);
    sum_clear(&before);
    *s = (struct sum){.n = 0};
}

/* sum_settle - evaluate s, which becomes an integer. */
static enum gfmul_status sum_settle(struct call *call, struct gfmul_space *space, struct sum *s)
{
    struct integer z;
    if (s->n == 0)
        return GFMUL_OK;
    TRY(sum_evaluate(call, space, &z, s));
    sum_clear(s);
    s->integer = z;
    return GFMUL_OK;
}

/*
 * spectrum_value - the value of x, a new reference.  x keeps it in place of its sum.
 * Threads: several may read x at once; each stores the same value.
 */
static enum gfmul_status spectrum_value(struct call *call, struct integer *z, struct gfmul_spectrum *x)
{
    struct sum s;
    z->x = NULL;
    TRY(spectrum_copy(call, &s, x, false));
    const bool settles = s.n > 0;
    const enum gfmul_status status = sum_settle(call, x->space, &s);
    if (status != GFMUL_OK) {
        sum_clear(&s);
        return status;
    }
    *z = s.integer;
    if (settles) {
        natural_get(z->x);
        spectrum_store(call, x, &s);
    }
    return GFMUL_OK;
}

/* ---- operations ---- */

enum operation { OPERATION_COPY, OPERATION_NEG, OPERATION_ADD, OPERATION_SUB, OPERATION_MUL, OPERATION_ADDMUL, OPERATION_SUBMUL };

struct operation_arguments {
    enum operation operation;
    struct gfmul_spectrum *z, *x, *y; /* y NULL: there is none */
};

/* sums_add - s += t; both are evaluated if the sum has too many terms. */
static enum gfmul_status sums_add(struct call *call, struct gfmul_space *space, struct sum *s, struct sum *t)
{
    struct integer z;
    if (s->n + t->n > space->max_products)
        TRY(sum_settle(call, space, s->n >= t->n ? s : t));
    if (s->n + t->n > space->max_products)
        TRY(sum_settle(call, space, s));
    TRY(sum_terms(call, s, t, false));
    TRY(integer_add(call, &z, &s->integer, &t->integer));
    natural_put(s->integer.x);
    s->integer = z;
    return GFMUL_OK;
}

/* term_add - s += a b, or s -= a b; if s has too many terms, it is evaluated first. */
static enum gfmul_status term_add(struct call *call, struct gfmul_space *space, struct sum *s, const struct integer *a,
                                  const struct integer *b, bool minus)
{
    if (s->n >= space->max_products)
        TRY(sum_settle(call, space, s));
    return sum_term(call, space, s, a, b, minus, 0);
}

/* product_add - s += x y, or s -= x y. */
static enum gfmul_status product_add(struct call *call, struct gfmul_space *space, struct sum *s, struct gfmul_spectrum *x,
                                     struct gfmul_spectrum *y, bool minus)
{
    struct integer a, b;
    TRY(spectrum_value(call, &a, x));
    enum gfmul_status status = spectrum_value(call, &b, y);
    if (status == GFMUL_OK) {
        status = term_add(call, space, s, &a, &b, minus);
        natural_put(b.x);
    }
    natural_put(a.x);
    return status;
}

static enum gfmul_status operate(struct call *call, const struct operation_arguments *of, struct sum *s)
{
    struct gfmul_space *space = of->z->space;
    const enum operation op = of->operation;
    if (op >= OPERATION_MUL) {
        if (op != OPERATION_MUL)
            TRY(spectrum_copy(call, s, of->z, false));
        return product_add(call, space, s, of->x, of->y, op == OPERATION_SUBMUL);
    }
    TRY(spectrum_copy(call, s, of->x, op == OPERATION_NEG));
    if (!of->y)
        return GFMUL_OK;
    struct sum t;
    TRY(spectrum_copy(call, &t, of->y, op == OPERATION_SUB));
    const enum gfmul_status status = sums_add(call, space, s, &t);
    sum_clear(&t);
    return status;
}

static enum gfmul_status spaces_differ(struct call *call)
{
    return call_fail(call, GFMUL_ERR_ARGUMENT, "the spectra belong to two spaces");
}

/* store_or_clear - z becomes s if the status is OK.   Value: the status. */
static enum gfmul_status store_or_clear(struct call *call, struct gfmul_spectrum *z, struct sum *s, enum gfmul_status status)
{
    if (status == GFMUL_OK)
        spectrum_store(call, z, s);
    else
        sum_clear(s);
    return status;
}

static enum gfmul_status operation_checked(struct call *call, const void *arguments)
{
    const struct operation_arguments *of = arguments;
    struct sum s = {.n = 0};
    if (of->x->space != of->z->space || (of->y && of->y->space != of->z->space))
        return spaces_differ(call);
    TRY(space_begin(call, of->z->space));
    return store_or_clear(call, of->z, &s, operate(call, of, &s));
}

size_t spectrum_terms(struct gfmul_spectrum *x)
{
    pthread_mutex_lock(&x->space->ctx->lock);
    const size_t terms = x->sum.n;
    pthread_mutex_unlock(&x->space->ctx->lock);
    return terms;
}

size_t terms_limbs(const struct gfmul_space *space, size_t terms)
{
    size_t limbs;
    return size_mul(&limbs, space->limbs, terms) ? limbs : SIZE_MAX;
}

static enum gfmul_status operation_run(const struct operation_arguments *of)
{
    if (!of->z || !of->x)
        return GFMUL_ERR_ARGUMENT;
    const size_t terms = spectrum_terms(of->z) + spectrum_terms(of->x) + (of->y ? spectrum_terms(of->y) : 0);
    return call_run(of->z->space->ctx, &(struct call_work)CALL_WORK(operation_checked, of, terms_limbs(of->z->space, terms)));
}

enum gfmul_status gfmul_spectrum_copy(struct gfmul_spectrum *z, struct gfmul_spectrum *x)
{
    return operation_run(&(struct operation_arguments){OPERATION_COPY, z, x, NULL});
}

enum gfmul_status gfmul_spectrum_neg(struct gfmul_spectrum *z, struct gfmul_spectrum *x)
{
    return operation_run(&(struct operation_arguments){OPERATION_NEG, z, x, NULL});
}

/* binary - an operation that needs y. */
static enum gfmul_status binary(enum operation operation, struct gfmul_spectrum *z, struct gfmul_spectrum *x,
                                struct gfmul_spectrum *y)
{
    return y ? operation_run(&(struct operation_arguments){operation, z, x, y}) : GFMUL_ERR_ARGUMENT;
}

enum gfmul_status gfmul_spectrum_add(struct gfmul_spectrum *z, struct gfmul_spectrum *x, struct gfmul_spectrum *y)
{
    return binary(OPERATION_ADD, z, x, y);
}

enum gfmul_status gfmul_spectrum_sub(struct gfmul_spectrum *z, struct gfmul_spectrum *x, struct gfmul_spectrum *y)
{
    return binary(OPERATION_SUB, z, x, y);
}

enum gfmul_status gfmul_spectrum_mul(struct gfmul_spectrum *z, struct gfmul_spectrum *x, struct gfmul_spectrum *y)
{
    return binary(OPERATION_MUL, z, x, y);
}

enum gfmul_status gfmul_spectrum_sqr(struct gfmul_spectrum *z, struct gfmul_spectrum *x)
{
    return binary(OPERATION_MUL, z, x, x);
}

enum gfmul_status gfmul_spectrum_addmul(struct gfmul_spectrum *z, struct gfmul_spectrum *x, struct gfmul_spectrum *y)
{
    return binary(OPERATION_ADDMUL, z, x, y);
}

enum gfmul_status gfmul_spectrum_submul(struct gfmul_spectrum *z, struct gfmul_spectrum *x, struct gfmul_spectrum *y)
{
    return binary(OPERATION_SUBMUL, z, x, y);
}

/* ---- sums of many products, and matrices ---- */

/* A matrix product; a dot product has one row and one column. */
struct matrix_arguments {
    struct gfmul_spectrum *const *z, *const *x, *const *y;
    size_t rows, inner, columns;
};

/* The caller's arrays, copied: they may be gone once a step has returned INTERRUPTED. */
struct matrices {
    struct gfmul_space *space;
    size_t rows, inner, columns, n_z, n_x, n_y;
    struct gfmul_spectrum **z, **x, **y;
    struct sum *sum;                   /* n_z */
    struct integer *x_value, *y_value; /* of x and y, with references of their own */
};

/* entries_check - n entries of an array, which are copied.   Errors: ARGUMENT. */
static enum gfmul_status entries_check(struct call *call, struct gfmul_space *space, struct gfmul_spectrum **to,
                                       struct gfmul_spectrum *const *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!from[i])
            return call_fail(call, GFMUL_ERR_ARGUMENT, "a spectrum is NULL");
        if (from[i]->space != space)
            return spaces_differ(call);
        to[i] = from[i];
    }
    return GFMUL_OK;
}

/*
 * Entries of so many rows and columns are made side by side: their factors come from memory once.  Large matrices have larger
 * blocks, whose sums take up to this part of the memory of the factors' transforms if all factors differ, unless memory is
 * limited.  No more terms are in a large block, because lists of all of them would take memory, too.
 */
enum { MATRIX_BLOCK = 8, MATRIX_BLOCK_MOST = 32, MATRIX_BLOCK_PART = 8, MATRIX_BLOCK_TERMS = 1 << 17 };

/* Terms that are noted between two looks at the progress callback. */
enum { TERMS_NOTED = 1 << 12 };

/* The share of a block's time in which its entries are made side by side, if they are. */
static const double matrix_together = 0.9;

/* share_set - the next value is this share of the call. */
static void share_set(struct call *call, double from, double span)
{
    call->share_from = from;
    call->share_span = span;
}

/* entry_note - the products first .. end - 1 of entry (i, j), as terms of its sum. */
static enum gfmul_status entry_note(struct call *call, const struct matrices *m, size_t i, size_t j, size_t first, size_t end)
{
    struct sum *const s = &m->sum[i * m->columns + j];
    TRY(sum_reserve(call, s, end - first));
    for (size_t k = first; k < end; k++) {
        if ((k - first) % TERMS_NOTED == 0)
            TRY(call_progress(call, 0));
        TRY(sum_term(call, m->space, s, &m->x_value[i * m->inner + k], &m->y_value[k * m->columns + j], false, k - first));
    }
    return GFMUL_OK;
}

/* A block of entries: its first one, how many each way, and its share of the call. */
struct matrix_block {
    size_t i, j, rows, columns;
    double from, span;
};

/* block_note - the products first .. end - 1 of a block's entries.   entry out: their sums */
static enum gfmul_status block_note(struct call *call, const struct matrices *m, const struct matrix_block *b, size_t first,
                                    size_t end, struct sum **entry)
{
    for (size_t i = b->i; i < b->i + b->rows; i++)
        for (size_t j = b->j; j < b->j + b->columns; j++) {
            TRY(entry_note(call, m, i, j, first, end));
            *entry++ = &m->sum[i * m->columns + j];
        }
    return GFMUL_OK;
}

/* block_evaluate - the values of the sums of a block.   from, span in: the share of the call */
static enum gfmul_status block_evaluate(struct call *call, const struct matrices *m, const struct matrix_block *b,
                                        struct sum *const *entry, double from, double span)
{
    const size_t n = b->rows * b->columns;
    const double together = sums_together(m->space, n) ? matrix_together * span : 0, apart = (span - together) / (double)n;
    share_set(call, from, together);
    TRY(sums_evaluate(call, m->space, entry, n, b->columns));
    for (size_t k = 0; k < n; k++) { /* what has not been proved, or what memory is too short for */
        share_set(call, from + together + apart * (double)k, apart);
        TRY(sum_settle(call, m->space, entry[k]));
    }
    return GFMUL_OK;
}

/*
 * block_make - the entries of a block, of as many products at once as a sum may have.  The last ones of a single entry stay
 * terms, to which others may be added.
 */
static enum gfmul_status block_make(struct call *call, const struct matrices *m, const struct matrix_block *b)
{
    struct sum *entry[MATRIX_BLOCK_MOST * MATRIX_BLOCK_MOST];
    const size_t most = m->space->max_products;
    for (size_t k = 0; k < m->inner; k += most) {
        const size_t end = m->inner - k < most ? m->inner : k + most;
        const double from = b->from + b->span * (double)k / (double)m->inner,
                     span = b->span * (double)(end - k) / (double)m->inner;
        share_set(call, from, span);
        TRY(block_note(call, m, b, k, end, entry));
        if (m->n_z > 1 || end < m->inner)
            TRY(block_evaluate(call, m, b, entry, from, span));
    }
    return GFMUL_OK;
}

/* block_edge - rows and columns of a block. */
static size_t block_edge(const struct call *call, const struct matrices *m)
{
    const size_t entries = (m->n_x + m->n_y) / MATRIX_BLOCK_PART, by_terms = MATRIX_BLOCK_TERMS / (m->inner > 0 ? m->inner : 1);
    const size_t most = call->ctx->opt.memory_limit > 0 ? 0 : entries < by_terms ? entries : by_terms;
    size_t edge = MATRIX_BLOCK;
    while (edge < MATRIX_BLOCK_MOST && 4 * edge * edge <= most)
        edge *= 2;
    return edge;
}

/* blocks_make - all entries.   done in: the share of the call that has been done before */
static enum gfmul_status blocks_make(struct call *call, const struct matrices *m, double done)
{
    const size_t edge = block_edge(call, m);
    for (size_t i = 0; i < m->rows; i += edge)
        for (size_t j = 0; j < m->columns; j += edge) {
            struct matrix_block b = {i, j, m->rows - i < edge ? m->rows - i : edge, m->columns - j < edge ? m->columns - j : edge,
                                     0, 0};
            const double share = (1.0 - done) / (double)m->n_z;
            b.from = done + share * (double)(i * m->columns + b.rows * j);
            b.span = share * (double)(b.rows * b.columns);
            TRY(block_make(call, m, &b));
        }
    return GFMUL_OK;
}

/* pending_of - terms of n spectra. */
static double pending_of(struct gfmul_spectrum **x, size_t n)
{
    double terms = 0;
    for (size_t e = 0; e < n; e++)
        terms += (double)spectrum_terms(x[e]);
    return terms;
}

/* values_make - the values of n spectra.   work in: the terms of the call; done i/o: those that have been made */
static enum gfmul_status values_make(struct call *call, struct integer *value, struct gfmul_spectrum **x, size_t n, double work,
                                     double *done)
{
    for (size_t e = 0; e < n; e++) {
        const double terms = (double)spectrum_terms(x[e]);
        share_set(call, *done / work, terms / work);
        TRY(spectrum_value(call, &value[e], x[e]));
        *done += terms;
    }
    return GFMUL_OK;
}

/* entries_make - the values of the factors, then all entries. */
static enum gfmul_status entries_make(struct call *call, const struct matrices *m)
{
    const double work = pending_of(m->x, m->n_x) + pending_of(m->y, m->n_y) + (double)m->n_z * (double)m->inner + 1.0;
    double done = 0;
    TRY(values_make(call, m->x_value, m->x, m->n_x, work, &done));
    TRY(values_make(call, m->y_value, m->y, m->n_y, work, &done));
    return blocks_make(call, m, done / work);
}

static enum gfmul_status matrix_make(struct call *call, struct matrices *m, const struct matrix_arguments *of)
{
    enum gfmul_status status = entries_check(call, m->space, m->z, of->z, m->n_z);
    if (status == GFMUL_OK)
        status = entries_check(call, m->space, m->x, of->x, m->n_x);
    if (status == GFMUL_OK)
        status = entries_check(call, m->space, m->y, of->y, m->n_y);
    if (status == GFMUL_OK)
        status = entries_make(call, m);
    for (size_t e = 0; e < m->n_x + m->n_y; e++) /* those of y lie behind those of x */
        natural_put(m->x_value[e].x);
    for (size_t e = 0; e < m->n_z; e++)
        store_or_clear(call, m->z[e], &m->sum[e], status);
    return status;
}

static enum gfmul_status matrix_checked(struct call *call, const void *arguments)
{
    const struct matrix_arguments *of = arguments;
    struct matrices m = {.space = of->z[0]->space, .rows = of->rows, .inner = of->inner, .columns = of->columns};
    size_t entries, bytes;
    if (!size_mul(&m.n_z, m.rows, m.columns) || !size_mul(&m.n_x, m.rows, m.inner) || !size_mul(&m.n_y, m.inner, m.columns) ||
        !size_add(&entries, m.n_x, m.n_y) || !size_add(&entries, entries, m.n_z) ||
        !size_mul(&bytes, entries, sizeof *m.z + sizeof *m.sum + sizeof *m.x_value))
        return call_fail(call, GFMUL_ERR_SIZE, "the matrices have too many entries");
    TRY(space_begin(call, m.space));
    m.sum = alloc_zeroed(bytes);
    if (!m.sum)
        return call_fail(call, GFMUL_ERR_MEMORY, "out of memory for %zu entries", entries);
    m.z = (struct gfmul_spectrum **)(m.sum + m.n_z);
    m.x = m.z + m.n_z;
    m.y = m.x + m.n_x;
    m.x_value = (struct integer *)(m.y + m.n_y);
    m.y_value = m.x_value + m.n_x;
    const enum gfmul_status status = matrix_make(call, &m, of);
    alloc_free(m.sum);
    return status;
}

enum gfmul_status gfmul_spectrum_matmul(struct gfmul_spectrum *const *z, struct gfmul_spectrum *const *x,
                                        struct gfmul_spectrum *const *y, size_t rows, size_t inner, size_t columns)
{
    const struct matrix_arguments of = {z, x, y, rows, inner, columns};
    if (!z || rows == 0 || columns == 0 || !z[0] || ((!x || !y) && inner > 0))
        return GFMUL_ERR_ARGUMENT;
    size_t terms;
    if (!size_mul(&terms, rows, columns) || !size_mul(&terms, terms, inner + (inner == 0)))
        terms = SIZE_MAX;
    return call_run(z[0]->space->ctx, &(struct call_work)CALL_WORK(matrix_checked, &of, terms_limbs(z[0]->space, terms)));
}

enum gfmul_status gfmul_spectrum_dot(struct gfmul_spectrum *z, struct gfmul_spectrum *const *x, struct gfmul_spectrum *const *y,
                                     size_t n)
{
    return z ? gfmul_spectrum_matmul(&z, x, y, 1, n, 1) : GFMUL_ERR_ARGUMENT;
}

/* ---- in and out ---- */

struct set_arguments {
    struct gfmul_spectrum *x;
    const mp_limb_t *a;
    size_t an;
    bool negative;
};

enum gfmul_status spectrum_write(struct call *call, struct gfmul_spectrum *x, const mp_limb_t *a, size_t an, bool negative)
{
    struct sum s = {.n = 0};
    return store_or_clear(call, x, &s, integer_from_limbs(call, x->space, &s.integer, a, an, negative));
}

static enum gfmul_status set_checked(struct call *call, const void *arguments)
{
    const struct set_arguments *of = arguments;
    if (!of->a && of->an > 0)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a pointer to limbs is NULL");
    TRY(space_begin(call, of->x->space));
    return spectrum_write(call, of->x, of->a, of->an, of->negative);
}

static enum gfmul_status set_run(const struct set_arguments *of)
{
    return of->x ? call_run(of->x->space->ctx, &(struct call_work)CALL_WORK(set_checked, of, 0)) : GFMUL_ERR_ARGUMENT;
}

enum gfmul_status gfmul_spectrum_set(struct gfmul_spectrum *x, const mp_limb_t *a, size_t an)
{
    return set_run(&(struct set_arguments){x, a, an, false});
}

enum gfmul_status gfmul_spectrum_set_mpz(struct gfmul_spectrum *x, mpz_srcptr a)
{
    return a ? set_run(&(struct set_arguments){x, mpz_limbs_read(a), mpz_size(a), mpz_sgn(a) < 0}) : GFMUL_ERR_ARGUMENT;
}

struct get_arguments {
    struct gfmul_spectrum *x;
    mp_limb_t *z;
    size_t zn;
    int *negative;
    mpz_ptr integer; /* or NULL: into limbs */
};

/* integer_to_limbs - v into zn limbs at z. */
static enum gfmul_status integer_to_limbs(struct call *call, const struct get_arguments *of, const struct integer *v)
{
    const size_t n = v->x ? v->x->n : 0;
    if (n > of->zn)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "the value has %zu limbs, but there is room for %zu", n, of->zn);
    if (n > 0)
        memcpy(of->z, v->x->limbs, n * sizeof *of->z);
    if (of->zn > n)
        memset(of->z + n, 0, (of->zn - n) * sizeof *of->z);
    if (of->negative)
        *of->negative = n > 0 && v->negative;
    return GFMUL_OK;
}

static enum gfmul_status integer_to_mpz(struct call *call, mpz_ptr z, const struct integer *v)
{
    mpz_t made;
    if (!v->x) {
        mpz_set_ui(z, 0);
        return GFMUL_OK;
    }
    TRY(mul_mpz_begin(call, made, v->x->n));
    memcpy(mpz_limbs_write(made, (mp_size_t)v->x->n), v->x->limbs, v->x->n * sizeof(mp_limb_t));
    mul_mpz_end(call, z, made, v->x->n, v->negative, GFMUL_OK);
    return GFMUL_OK;
}

enum gfmul_status spectrum_read(struct call *call, struct integer *v, struct gfmul_spectrum *x)
{
    TRY(spectrum_value(call, v, x));
    enum gfmul_status status = integer_least(call, x->space, v);
    if (status == GFMUL_OK)
        status = natural_fetch(call, v->x);
    if (status != GFMUL_OK)
        natural_put(v->x);
    return status;
}

static enum gfmul_status get_checked(struct call *call, const void *arguments)
{
    const struct get_arguments *of = arguments;
    struct integer v;
    if (!of->integer && !of->z && of->zn > 0)
        return call_fail(call, GFMUL_ERR_ARGUMENT, "a pointer to limbs is NULL");
    TRY(space_begin(call, of->x->space));
    TRY(spectrum_read(call, &v, of->x));
    const enum gfmul_status status = of->integer ? integer_to_mpz(call, of->integer, &v) : integer_to_limbs(call, of, &v);
    natural_put(v.x);
    return status;
}

static enum gfmul_status get_run(const struct get_arguments *of)
{
    if (!of->x)
        return GFMUL_ERR_ARGUMENT;
    return call_run(of->x->space->ctx,
                    &(struct call_work)CALL_WORK(get_checked, of, terms_limbs(of->x->space, spectrum_terms(of->x))));
}

enum gfmul_status gfmul_spectrum_get(struct gfmul_spectrum *x, mp_limb_t *z, size_t zn, int *negative)
{
    return get_run(&(struct get_arguments){x, z, zn, negative, NULL});
}

enum gfmul_status gfmul_spectrum_get_mpz(struct gfmul_spectrum *x, mpz_ptr z)
{
    return z ? get_run(&(struct get_arguments){x, NULL, 0, NULL, z}) : GFMUL_ERR_ARGUMENT;
}

/* ---- numbers on a device ---- */

struct number_arguments {
    struct gfmul_spectrum *x;
    const struct gfmul_device_operand *from;
    struct gfmul_device_operand *to;
    int *negative;
};

static enum gfmul_status number_set_checked(struct call *call, const void *arguments)
{
    const struct number_arguments *of = arguments;
    struct sum s = {.n = 0};
    TRY(space_begin(call, of->x->space));
    return store_or_clear(call, of->x, &s, device_number_set(call, of->x->space, &s.integer, of->from));
}

enum gfmul_status gfmul_spectrum_set_device(struct gfmul_spectrum *x, const struct gfmul_device_operand *a)
{
    const struct number_arguments of = {.x = x, .from = a};
    if (!x || !a)
        return GFMUL_ERR_ARGUMENT;
    return call_run(x->space->ctx, &(struct call_work)CALL_WORK(number_set_checked, &of, 0));
}

static enum gfmul_status number_get_checked(struct call *call, const void *arguments)
{
    const struct number_arguments *of = arguments;
    struct integer v;
    TRY(space_begin(call, of->x->space));
    TRY(spectrum_value(call, &v, of->x));
    const enum gfmul_status status = device_number_get(call, of->x->space, &v, of->to);
    if (status == GFMUL_OK && of->negative)
        *of->negative = v.x && v.negative;
    natural_put(v.x);
    return status;
}

enum gfmul_status gfmul_spectrum_get_device(struct gfmul_spectrum *x, struct gfmul_device_operand *z, int *negative)
{
    const struct number_arguments of = {.x = x, .to = z, .negative = negative};
    if (!x || !z)
        return GFMUL_ERR_ARGUMENT;
    return call_run(x->space->ctx,
                    &(struct call_work)CALL_WORK(number_get_checked, &of, terms_limbs(x->space, spectrum_terms(x))));
}

/* ---- begin and end ---- */

enum gfmul_status gfmul_spectrum_create(struct gfmul_space *space, struct gfmul_spectrum **x)
{
    if (x)
        *x = NULL;
    if (!space || !x)
        return GFMUL_ERR_ARGUMENT;
    struct gfmul_spectrum *made = alloc_zeroed(sizeof *made);
    if (!made)
        return GFMUL_ERR_MEMORY;
    made->space = space;
    *x = made;
    return GFMUL_OK;
}

void gfmul_spectrum_destroy(struct gfmul_spectrum *x)
{
    if (!x)
        return;
    ctx_runners_settle(x->space->ctx); /* an abandoned call may use it */
    natural_hold(x->sum.integer.x, -1);
    sum_clear(&x->sum);
    alloc_free(x);
}
