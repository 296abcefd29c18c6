/*
 * py_many.c - the methods of Context modulo numbers: powers, remainders modulo many, batch GCD.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "py_gfmul.h"

#include <gfmul_arith.h>
#include <limits.h>
#include <string.h>

/* is_zero - whether n limbs are 0. */
static bool is_zero(const mp_limb_t *z, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (z[i] != 0)
            return false;
    return true;
}

/* complement - r = m - r, of n limbs; r <= m. */
static void complement(mp_limb_t *r, const mp_limb_t *m, size_t n)
{
    mp_limb_t borrow = 0;
    for (size_t i = 0; i < n; i++) {
        const mp_limb_t x = m[i] - r[i], y = x - borrow;
        borrow = (x > m[i]) | (y > x);
        r[i] = y;
    }
}

/* sign_set - from a number modulo |m| to Python's, which has the sign of m.   negative in: it is to be negated modulo m first */
static void sign_set(struct product *r, const struct number *m, bool negative)
{
    r->negative = m->negative;
    if (negative != m->negative && !is_zero(r->z, m->n))
        complement(r->z, m->limb, m->n);
}

/* integer_like - room for a number modulo m, of the kind of a and m.  false: an exception is set. */
static bool integer_like(struct product *r, const struct core_state *state, const struct number *a, const struct number *m)
{
    const struct number like = {.kind = m->kind == NUMBER_INT && a ? a->kind : m->kind, .n = m->n}, none = {.kind = like.kind};
    return product_get(r, state, &like, &none, NULL, NULL);
}

/* ---- powers ---- */

static enum gfmul_status run_power(struct library_call *call)
{
    return gfmul_powm(call->ctx, call->z, call->a, call->an, call->b, call->bn, call->m, call->mn);
}

static PyObject *power(struct context *self, const struct core_state *state, const struct number *a, const struct number *e,
                       const struct number *m)
{
    struct product z;
    enum gfmul_status status;
    PyObject *result = NULL;
    if (!integer_like(&z, state, a, m))
        return NULL;
    struct library_call call = {.run = run_power, .ctx = self->ctx, .z = z.z, .a = a->limb, .an = a->n, .b = e->limb, .bn = e->n,
                                .m = m->limb, .mn = m->n};
    if (call_run(&call, e->n >= CONTEXT_LONG_LIMBS / 64 / (m->n + 1), self->progress, &status)) {
        if (status == GFMUL_OK) {
            sign_set(&z, m, a->negative && (e->n > 0 && e->limb[0] & 1));
            result = product_finish(&z, state);
        } else {
            core_raise(state, status, self->ctx);
        }
    }
    product_drop(&z);
    return result;
}

PyObject *context_powmod(PyObject *object, PyObject *args)
{
    const struct core_state *state = core_state(Py_TYPE(object));
    PyObject *a_object, *e_object, *m_object, *result = NULL;
    struct number a, e, m;
    if (!PyArg_ParseTuple(args, "OOO:_powmod", &a_object, &e_object, &m_object) || !integer_get(&a, state, a_object))
        return NULL;
    if (integer_get(&e, state, e_object)) {
        if (integer_get(&m, state, m_object)) {
            if (m.n == 0)
                PyErr_SetString(PyExc_ValueError, "powmod() 3rd argument cannot be 0");
            else
                result = power((struct context *)object, state, &a, &e, &m);
            number_drop(&m);
        }
        number_drop(&e);
    }
    number_drop(&a);
    return result;
}

/* ---- many moduli ---- */

/* Moduli, and room for a result of each. */
struct many {
    PyObject *list; /* a list or tuple, which holds the objects */
    size_t n, got, rooms;
    struct number *m;
    struct product *z;
    __mpz_struct *integer, *result; /* the same numbers as GMP has them */
};

static void many_drop(struct many *x)
{
    for (size_t i = 0; i < x->got; i++)
        number_drop(&x->m[i]);
    for (size_t i = 0; i < x->rooms; i++)
        product_drop(&x->z[i]);
    PyMem_Free(x->m);
    PyMem_Free(x->z);
    PyMem_Free(x->integer);
    PyMem_Free(x->result);
    Py_CLEAR(x->list);
}

/* integer_set - an mpz_t of limbs that are elsewhere.   room: of a result, which the library writes there without a new one */
static void integer_set(mpz_ptr z, const mp_limb_t *p, size_t n, size_t room)
{
    z->_mp_alloc = (int)room;
    z->_mp_size = (int)n;
    z->_mp_d = (mp_limb_t *)(uintptr_t)p;
}

/* many_get - the moduli of an iterable; a: the number that is divided, or NULL.  false: an exception is set. */
static bool many_get(struct many *x, const struct core_state *state, PyObject *iterable, const struct number *a)
{
    memset(x, 0, sizeof *x);
    if (!(x->list = PySequence_List(iterable)))
        return false;
    x->n = (size_t)PyList_Size(x->list);
    x->m = PyMem_Calloc(x->n + 1, sizeof *x->m);
    x->z = PyMem_Calloc(x->n + 1, sizeof *x->z);
    x->integer = PyMem_Calloc(x->n + 1, sizeof *x->integer);
    x->result = PyMem_Calloc(x->n + 1, sizeof *x->result);
    if (!x->m || !x->z || !x->integer || !x->result) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < x->n; i++) {
        struct number *m = &x->m[i];
        if (!integer_get(m, state, PyList_GetItem(x->list, (Py_ssize_t)i)))
            return false;
        x->got++;
        if (m->n == 0 || m->n > INT_MAX) {
            PyErr_SetString(m->n == 0 ? PyExc_ZeroDivisionError : PyExc_OverflowError,
                            m->n == 0 ? "a modulus is 0" : "a modulus is too long");
            return false;
        }
        if (!integer_like(&x->z[i], state, a, m))
            return false;
        x->rooms++;
        integer_set(&x->integer[i], m->limb, m->n, 0);
        integer_set(&x->result[i], x->z[i].z, 0, m->n);
    }
    return true;
}

/* many_finish - the results as a list.   a: as for many_get */
static PyObject *many_finish(struct many *x, const struct core_state *state, const struct number *a)
{
    PyObject *list = PyList_New((Py_ssize_t)x->n);
    for (size_t i = 0; list && i < x->n; i++) {
        const size_t used = (size_t)x->result[i]._mp_size;
        memset(x->z[i].z + used, 0, (x->m[i].n - used) * sizeof *x->z[i].z);
        x->z[i].negative = false;
        if (a)
            sign_set(&x->z[i], &x->m[i], false); /* the library has looked at the sign of a */
        PyObject *z = product_finish(&x->z[i], state);
        if (!z || PyList_SetItem(list, (Py_ssize_t)i, z) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static enum gfmul_status run_remainders(struct library_call *call)
{
    struct gfmul_tree *tree;
    __mpz_struct a;
    integer_set(&a, call->a, call->an, 0);
    if (call->negative)
        a._mp_size = -a._mp_size;
    enum gfmul_status status = gfmul_product_tree(call->ctx, &tree, call->moduli, call->n_moduli);
    if (status == GFMUL_OK)
        status = gfmul_remainder_tree(tree, call->results, &a);
    gfmul_tree_destroy(tree);
    return status;
}

static enum gfmul_status run_gcds(struct library_call *call)
{
    return gfmul_batch_gcd(call->ctx, call->results, call->moduli, call->n_moduli);
}

/* many_run - make a call over all moduli.   a: as for many_get */
static PyObject *many_run(struct context *self, const struct core_state *state, PyObject *iterable, const struct number *a)
{
    struct many x;
    enum gfmul_status status;
    PyObject *result = NULL;
    if (many_get(&x, state, iterable, a)) {
        struct library_call call = {.run = a ? run_remainders : run_gcds, .ctx = self->ctx, .moduli = x.integer,
                                    .results = x.result, .n_moduli = x.n};
        size_t limbs = a ? a->n : 0;
        for (size_t i = 0; i < x.n; i++)
            limbs += x.m[i].n;
        if (a) {
            call.a = a->limb;
            call.an = a->n;
            call.negative = a->negative;
        }
        if (x.n == 0)
            result = PyList_New(0);
        else if (call_run(&call, limbs >= CONTEXT_LONG_LIMBS / 32, self->progress, &status)) {
            if (status == GFMUL_OK)
                result = many_finish(&x, state, a);
            else
                core_raise(state, status, self->ctx);
        }
    }
    many_drop(&x);
    return result;
}

PyObject *context_remainders(PyObject *object, PyObject *args)
{
    const struct core_state *state = core_state(Py_TYPE(object));
    PyObject *a_object, *moduli, *result = NULL;
    struct number a;
    if (!PyArg_ParseTuple(args, "OO:remainders", &a_object, &moduli) || !integer_get(&a, state, a_object))
        return NULL;
    if (a.n > INT_MAX)
        PyErr_SetString(PyExc_OverflowError, "the number is too long");
    else
        result = many_run((struct context *)object, state, moduli, &a);
    number_drop(&a);
    return result;
}

PyObject *context_batch_gcd(PyObject *object, PyObject *moduli)
{
    return many_run((struct context *)object, core_state(Py_TYPE(object)), moduli, NULL);
}
