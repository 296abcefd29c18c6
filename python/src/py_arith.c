/*
 * py_arith.c - the methods of Context above a product: text, quotients, roots.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "py_gfmul.h"

#include <gfmul_arith.h>
#include <string.h>

bool integer_get(struct number *x, const struct core_state *state, PyObject *object)
{
    if (!number_get(x, state, object))
        return false;
    if (x->kind == NUMBER_INT || x->kind == NUMBER_MPZ)
        return true;
    number_drop(x);
    PyErr_SetString(PyExc_TypeError, "an integer is needed, not a buffer");
    return false;
}

/* room_get - room for n limbs of a result of the kind of x.  false: an exception is set. */
static bool room_get(struct product *z, const struct core_state *state, const struct number *x, size_t n)
{
    const struct number as = {.kind = x->kind, .n = n}, none = {.kind = x->kind};
    return product_get(z, state, &as, &none, NULL, NULL);
}

/* ---- text ---- */

static enum gfmul_status run_to_text(struct library_call *call)
{
    return gfmul_get_str(call->ctx, call->z_text, call->z_size, &call->zn, call->z_base, call->a, call->an);
}

static enum gfmul_status run_from_text(struct library_call *call)
{
    return gfmul_set_str(call->ctx, call->z, call->z_size, &call->zn, &call->negative, call->a_text, call->an, call->a_base);
}

PyObject *context_to_str(PyObject *object, PyObject *args)
{
    struct context *self = (struct context *)object;
    const struct core_state *state = core_state(Py_TYPE(object));
    PyObject *number, *result = NULL;
    struct number x;
    enum gfmul_status status;
    int base;
    if (!PyArg_ParseTuple(args, "Oi:_to_str", &number, &base) || !integer_get(&x, state, number))
        return NULL;
    const size_t size = gfmul_get_str_size(x.n, base);
    char *text = size > 0 && size < PY_SSIZE_T_MAX ? PyMem_Malloc(size + 1) : NULL;
    if (!text) {
        if (size == 0)
            core_raise(state, GFMUL_ERR_ARGUMENT, NULL);
        else
            PyErr_NoMemory();
        number_drop(&x);
        return NULL;
    }
    text[0] = '-';
    struct library_call call = {.run = run_to_text, .ctx = self->ctx, .a = x.limb, .an = x.n, .z_size = size, .z_base = base};
    call.z_text = text + x.negative;
    if (call_run(&call, x.n >= CONTEXT_LONG_LIMBS / 4, self->progress, &status)) {
        if (status != GFMUL_OK)
            core_raise(state, status, self->ctx);
        else
            result = PyUnicode_DecodeASCII(text, (Py_ssize_t)(call.zn + x.negative), "strict");
    }
    PyMem_Free(text);
    number_drop(&x);
    return result;
}

PyObject *context_from_str(PyObject *object, PyObject *args)
{
    struct context *self = (struct context *)object;
    const struct core_state *state = core_state(Py_TYPE(object));
    const struct number as_int = {.kind = NUMBER_INT};
    PyObject *result = NULL;
    struct bytes_view view;
    struct product z;
    enum gfmul_status status;
    size_t n;
    int base;
    const char *text = text_arguments(args, &view, &n, &base);
    if (!text)
        return NULL;
    const size_t limbs = gfmul_set_str_limbs(n, base);
    if (limbs == 0) {
        core_raise(state, GFMUL_ERR_ARGUMENT, NULL);
    } else if (room_get(&z, state, &as_int, limbs)) {
        struct library_call call = {.run = run_from_text, .ctx = self->ctx, .a_text = text, .an = n, .a_base = base, .z = z.z};
        call.z_size = limbs;
        if (call_run(&call, n >= CONTEXT_LONG_CHARACTERS / 4, self->progress, &status)) {
            if (status == GFMUL_OK) {
                memset(z.z + call.zn, 0, (limbs - call.zn) * sizeof *z.z);
                z.negative = call.negative;
                result = product_finish(&z, state);
            } else {
                core_raise(state, status, self->ctx);
            }
        }
        product_drop(&z);
    }
    bytes_view_drop(&view);
    return result;
}

/* ---- quotients and roots ---- */

static enum gfmul_status run_quotient(struct library_call *call)
{
    return gfmul_tdiv_qr(call->ctx, call->z, call->rest, call->a, call->an, call->b, call->bn);
}

static enum gfmul_status run_root(struct library_call *call)
{
    return gfmul_sqrtrem(call->ctx, call->z, call->rest, call->a, call->an);
}

/* is_zero - whether n limbs are 0. */
static bool is_zero(const mp_limb_t *z, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (z[i] != 0)
            return false;
    return true;
}

/* round_down - from the quotient towards zero to the floor, if the signs differ: q + 1 and d - r of the magnitudes. */
static void round_down(mp_limb_t *q, size_t qn, mp_limb_t *r, const mp_limb_t *d, size_t dn)
{
    mp_limb_t borrow = 0;
    if (is_zero(r, dn))
        return;
    for (size_t i = 0; i < qn && ++q[i] == 0; i++)
        continue;
    for (size_t i = 0; i < dn; i++) {
        const mp_limb_t x = d[i] - r[i], y = x - borrow;
        borrow = (x > d[i]) | (y > x);
        r[i] = y;
    }
}

/* pair_finish - a tuple of both results, or NULL with an exception. */
static PyObject *pair_finish(struct product *z, struct product *rest, const struct core_state *state)
{
    PyObject *first = product_finish(z, state), *second = first ? product_finish(rest, state) : NULL;
    PyObject *pair = second ? PyTuple_Pack(2, first, second) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return pair;
}

/* divided - floor and remainder of a by d, a.n >= d.n >= 1. */
static PyObject *divided(struct context *self, const struct core_state *state, const struct number *a, const struct number *d)
{
    struct product q, r;
    enum gfmul_status status;
    PyObject *result = NULL;
    const struct number like = {.kind = a->kind == NUMBER_INT ? d->kind : a->kind};
    const size_t qn = a->n - d->n + 1;
    if (!room_get(&q, state, &like, qn + 1)) /* the floor may have a limb more */
        return NULL;
    if (room_get(&r, state, &like, d->n)) {
        struct library_call call = {.run = run_quotient, .ctx = self->ctx, .z = q.z, .a = a->limb, .an = a->n, .b = d->limb};
        call.bn = d->n;
        call.rest = r.z;
        q.z[qn] = 0;
        if (call_run(&call, a->n >= CONTEXT_LONG_LIMBS / 4, self->progress, &status)) {
            if (status == GFMUL_OK) {
                q.negative = a->negative != d->negative;
                r.negative = d->negative;
                if (q.negative)
                    round_down(q.z, qn + 1, r.z, d->limb, d->n);
                result = pair_finish(&q, &r, state);
            } else {
                core_raise(state, status, self->ctx);
            }
        }
        product_drop(&r);
    }
    product_drop(&q);
    return result;
}

/* python_divided - floor and remainder of a shorter by a longer one, by Python: of ints, also if they came as other integers. */
static PyObject *python_divided(PyObject *a_object, const struct number *a, PyObject *d_object, const struct number *d)
{
    PyObject *x = a->kind == NUMBER_INT ? PyNumber_Index(a_object) : a_object;
    PyObject *y = x && d->kind == NUMBER_INT ? PyNumber_Index(d_object) : d_object;
    PyObject *result = x && y ? PyNumber_Divmod(x, y) : NULL;
    if (x != a_object)
        Py_XDECREF(x);
    if (y != d_object)
        Py_XDECREF(y);
    return result;
}

PyObject *context_divmod(PyObject *object, PyObject *args)
{
    const struct core_state *state = core_state(Py_TYPE(object));
    PyObject *a_object, *d_object, *result = NULL;
    struct number a, d;
    if (!PyArg_ParseTuple(args, "OO:divmod", &a_object, &d_object) || !integer_get(&a, state, a_object))
        return NULL;
    if (integer_get(&d, state, d_object)) {
        if (d.n == 0)
            PyErr_SetString(PyExc_ZeroDivisionError, "division by zero");
        else
            result = a.n < d.n ? python_divided(a_object, &a, d_object, &d) : divided((struct context *)object, state, &a, &d);
        number_drop(&d);
    }
    number_drop(&a);
    return result;
}

PyObject *context_isqrt(PyObject *object, PyObject *number)
{
    struct context *self = (struct context *)object;
    const struct core_state *state = core_state(Py_TYPE(object));
    struct number a;
    struct product s, r;
    enum gfmul_status status;
    PyObject *result = NULL;
    if (!integer_get(&a, state, number))
        return NULL;
    const size_t n = (a.n + 1) / 2;
    if (a.negative) {
        PyErr_SetString(PyExc_ValueError, "isqrt() argument must be nonnegative");
    } else if (a.n == 0) {
        result = PyLong_FromLong(0);
    } else if (room_get(&s, state, &a, n)) {
        const struct number as_int = {.kind = NUMBER_INT};
        if (room_get(&r, state, &as_int, n + 1)) {
            struct library_call call = {.run = run_root, .ctx = self->ctx, .z = s.z, .rest = r.z, .a = a.limb, .an = a.n};
            if (call_run(&call, a.n >= CONTEXT_LONG_LIMBS / 4, self->progress, &status)) {
                if (status == GFMUL_OK)
                    result = product_finish(&s, state);
                else
                    core_raise(state, status, self->ctx);
            }
            product_drop(&r);
        }
        product_drop(&s);
    }
    number_drop(&a);
    return result;
}
