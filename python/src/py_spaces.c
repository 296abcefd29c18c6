/*
 * py_spaces.c - the types Space and Spectrum: sums of products with transforms that are kept.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A Spectrum never changes once Python has seen it, so that threads may share it.  The library may replace its sum by the value
 * of the sum, which counts as reading there.  Each Spectrum holds its Space, which holds its Context.
 */
#include "py_gfmul.h"

#include <gfmul_arith.h>
#include <string.h>

struct space {
    PyObject_HEAD struct gfmul_space *space;
    PyObject *context;
    double sum_limbs; /* limbs of all products of the longest sum */
};

struct spectrum {
    PyObject_HEAD struct gfmul_spectrum *x;
    PyObject *space;
};

static struct context *space_context(PyObject *space)
{
    return (struct context *)((struct space *)space)->context;
}

/* spectra_run - a call of the library on spectra of a space.   sums in: so many at most.  false: an exception is set. */
static bool spectra_run(PyObject *space, struct library_call *call, size_t sums)
{
    const struct core_state *state = core_state(Py_TYPE(space));
    struct context *const context = space_context(space);
    const bool is_long = ((struct space *)space)->sum_limbs * (double)sums >= CONTEXT_LONG_LIMBS / 4 ||
                         (call->a_text && call->an >= CONTEXT_LONG_CHARACTERS / 4);
    enum gfmul_status status;

    if (!call_run(call, is_long, context->progress, &status))
        return false;
    if (status != GFMUL_OK)
        core_raise(state, status, context->ctx);
    return status == GFMUL_OK;
}

/* ---- spectra ---- */

/* spectrum_new - a new spectrum of value 0, or NULL with an exception. */
static struct spectrum *spectrum_new(PyObject *space)
{
    const struct core_state *state = core_state(Py_TYPE(space));
    PyTypeObject *type = (PyTypeObject *)state->spectrum_type;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct spectrum *made = (struct spectrum *)alloc(type, 0);

    if (!made)
        return NULL;
    made->space = space;
    Py_INCREF(space);
    const enum gfmul_status status = gfmul_spectrum_create(((struct space *)space)->space, &made->x);
    if (status != GFMUL_OK) {
        core_raise(state, status, NULL);
        Py_CLEAR(made);
    }
    return made;
}

static enum gfmul_status run_set(struct library_call *c)
{
    enum gfmul_status status = gfmul_spectrum_set(c->spectrum[0], c->a, c->an);

    if (status == GFMUL_OK && c->negative)
        status = gfmul_spectrum_neg(c->spectrum[0], c->spectrum[0]);
    return status;
}

/* spectrum_of - an integer as a spectrum, or NULL with an exception. */
static PyObject *spectrum_of(PyObject *space, PyObject *integer)
{
    struct number a;

    if (!integer_get(&a, core_state(Py_TYPE(space)), integer))
        return NULL;
    struct spectrum *made = spectrum_new(space);
    if (made) {
        struct library_call call = {
            .run = run_set, .ctx = space_context(space)->ctx, .spectrum = {made->x}, .a = a.limb, .an = a.n};
        call.negative = a.negative;
        if (!spectra_run(space, &call, 1))
            Py_CLEAR(made);
    }
    number_drop(&a);
    return (PyObject *)made;
}

/* operand_get - a spectrum of this space, or an integer as one: a new reference, or NULL with an exception. */
static PyObject *operand_get(PyObject *space, PyObject *object)
{
    const struct core_state *state = core_state(Py_TYPE(space));

    if (!PyObject_TypeCheck(object, (PyTypeObject *)state->spectrum_type))
        return spectrum_of(space, object);
    if (((struct spectrum *)object)->space != space) {
        PyErr_SetString(PyExc_ValueError, "the spectra belong to two spaces");
        return NULL;
    }
    Py_INCREF(object);
    return object;
}

static struct gfmul_spectrum *spectrum_x(PyObject *object)
{
    return ((struct spectrum *)object)->x;
}

/* operate - a new spectrum of x and y, which may be NULL. */
static PyObject *operate(PyObject *space, enum gfmul_status (*run)(struct library_call *), PyObject *x, PyObject *y)
{
    struct spectrum *made = spectrum_new(space);

    if (!made)
        return NULL;
    struct library_call call = {.run = run, .ctx = space_context(space)->ctx, .spectrum = {made->x, spectrum_x(x)}};
    call.spectrum[2] = y ? spectrum_x(y) : NULL;
    if (!spectra_run(space, &call, 1))
        Py_CLEAR(made);
    return (PyObject *)made;
}

/* binary - an operator of two operands, at least one of which is a spectrum. */
static PyObject *binary(PyObject *a, PyObject *b, enum gfmul_status (*run)(struct library_call *))
{
    const struct core_state *state = core_state(Py_TYPE(a)); /* NULL of other modules' types */
    const bool own = state && PyObject_TypeCheck(a, (PyTypeObject *)state->spectrum_type);
    PyObject *const space = ((struct spectrum *)(own ? a : b))->space, *const other = own ? b : a;

    if (!PyObject_TypeCheck(other, Py_TYPE(own ? a : b)) && !PyIndex_Check(other))
        Py_RETURN_NOTIMPLEMENTED;
    PyObject *x = operand_get(space, a), *y = x ? operand_get(space, b) : NULL;
    PyObject *z = y ? operate(space, run, x, y) : NULL;
    Py_XDECREF(x);
    Py_XDECREF(y);
    return z;
}

static enum gfmul_status run_add(struct library_call *c)
{
    return gfmul_spectrum_add(c->spectrum[0], c->spectrum[1], c->spectrum[2]);
}

static enum gfmul_status run_sub(struct library_call *c)
{
    return gfmul_spectrum_sub(c->spectrum[0], c->spectrum[1], c->spectrum[2]);
}

static enum gfmul_status run_mul(struct library_call *c)
{
    return gfmul_spectrum_mul(c->spectrum[0], c->spectrum[1], c->spectrum[2]);
}

static enum gfmul_status run_neg(struct library_call *c)
{
    return gfmul_spectrum_neg(c->spectrum[0], c->spectrum[1]);
}

static PyObject *spectrum_add(PyObject *a, PyObject *b)
{
    return binary(a, b, run_add);
}

static PyObject *spectrum_subtract(PyObject *a, PyObject *b)
{
    return binary(a, b, run_sub);
}

static PyObject *spectrum_multiply(PyObject *a, PyObject *b)
{
    return binary(a, b, run_mul);
}

static PyObject *spectrum_negative(PyObject *a)
{
    return operate(((struct spectrum *)a)->space, run_neg, a, NULL);
}

static PyObject *spectrum_positive(PyObject *a)
{
    Py_INCREF(a);
    return a;
}

static enum gfmul_status run_get(struct library_call *c)
{
    return gfmul_spectrum_get(c->spectrum[0], c->z, c->zn, &c->negative);
}

static PyObject *spectrum_int(PyObject *self)
{
    PyObject *const space = ((struct spectrum *)self)->space, *result = NULL;
    const struct core_state *state = core_state(Py_TYPE(self));
    const size_t n = gfmul_space_limbs(((struct space *)space)->space);
    const struct number like = {.kind = NUMBER_INT, .n = n}, none = {.kind = NUMBER_INT};
    struct product z;

    if (!product_get(&z, state, &like, &none, NULL, NULL))
        return NULL;
    struct library_call call = {
        .run = run_get, .ctx = space_context(space)->ctx, .spectrum = {spectrum_x(self)}, .z = z.z, .zn = n};
    if (spectra_run(space, &call, 1)) {
        z.negative = call.negative;
        result = product_finish(&z, state);
    }
    product_drop(&z);
    return result;
}

static enum gfmul_status run_to_text(struct library_call *c)
{
    return gfmul_spectrum_get_str(c->spectrum[0], c->z_text, c->z_size, &c->zn, c->z_base);
}

/* spectrum_text - the value as a str, or NULL with an exception. */
static PyObject *spectrum_text(PyObject *self, int base)
{
    PyObject *const space = ((struct spectrum *)self)->space, *result = NULL;
    const size_t size = gfmul_get_str_size(gfmul_space_limbs(((struct space *)space)->space), base);
    char *text = size > 0 && size < PY_SSIZE_T_MAX ? PyMem_Malloc(size) : NULL;

    if (!text) {
        if (size == 0)
            core_raise(core_state(Py_TYPE(self)), GFMUL_ERR_ARGUMENT, NULL);
        else
            PyErr_NoMemory();
        return NULL;
    }
    struct library_call call = {
        .run = run_to_text, .ctx = space_context(space)->ctx, .spectrum = {spectrum_x(self)}, .z_text = text, .z_size = size};
    call.z_base = base;
    if (spectra_run(space, &call, 1))
        result = PyUnicode_DecodeASCII(text, (Py_ssize_t)call.zn, "strict");
    PyMem_Free(text);
    return result;
}

static PyObject *spectrum_str(PyObject *self)
{
    return spectrum_text(self, 10);
}

static PyObject *spectrum_to_str(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"base", NULL};
    int base = 10;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|i:to_str", names, &base))
        return NULL;
    if (base < 2 || base > 36) {
        PyErr_SetString(PyExc_ValueError, "bases are 2 to 36");
        return NULL;
    }
    return spectrum_text(self, base);
}

static PyObject *spectrum_space(PyObject *self, void *unused)
{
    (void)unused;
    Py_INCREF(((struct spectrum *)self)->space);
    return ((struct spectrum *)self)->space;
}

static int spectrum_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((struct spectrum *)self)->space);
    return 0;
}

static void spectrum_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    struct spectrum *const s = (struct spectrum *)self;

    PyObject_GC_UnTrack(self);
    Py_BEGIN_ALLOW_THREADS; /* a call that was stopped may have to end first */
    gfmul_spectrum_destroy(s->x);
    Py_END_ALLOW_THREADS;
    Py_CLEAR(s->space);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

PyDoc_STRVAR(spectrum_doc, "A number or a sum of products in a space. Use gfmul.Space.");

PyDoc_STRVAR(spectrum_space_doc, "The space that it belongs to.");
PyDoc_STRVAR(to_str_doc, "to_str($self, /, base=10)\n--\n\n"
                         "The value as text, without the limit of sys.set_int_max_str_digits. str(x) is the same in base 10.\n\n"
                         ">>> import gfmul\n"
                         ">>> x = gfmul.Space(100)(-3)\n"
                         ">>> (x * 85).to_str(16), str(x * x)\n"
                         "('-ff', '9')\n");

static PyMethodDef spectrum_methods[] = {
    {"to_str", (PyCFunction)(void (*)(void))spectrum_to_str, METH_VARARGS | METH_KEYWORDS, to_str_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef spectrum_getset[] = {
    {"space", spectrum_space, NULL, spectrum_space_doc, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot spectrum_slots[] = {
    {Py_tp_doc, (void *)spectrum_doc},           {Py_tp_dealloc, (void *)spectrum_dealloc},
    {Py_tp_traverse, (void *)spectrum_traverse}, {Py_tp_getset, spectrum_getset},
    {Py_nb_add, (void *)spectrum_add},           {Py_nb_subtract, (void *)spectrum_subtract},
    {Py_nb_multiply, (void *)spectrum_multiply}, {Py_nb_negative, (void *)spectrum_negative},
    {Py_nb_positive, (void *)spectrum_positive}, {Py_nb_int, (void *)spectrum_int},
    {Py_nb_index, (void *)spectrum_int},         {Py_tp_methods, spectrum_methods},
    {Py_tp_str, (void *)spectrum_str},           {0, NULL},
};

PyType_Spec spectrum_spec = {
    .name = "gfmul._core.Spectrum",
    .basicsize = sizeof(struct spectrum),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = spectrum_slots,
};

/* ---- spaces ---- */

PyDoc_STRVAR(space_doc, "A space of sums of products. Use gfmul.Space.");

/* What a space is asked for by. */
struct space_request {
    PyObject *context;
    Py_ssize_t limbs, max_products;
    int wraps;
};

/* request_parse - read and check the arguments of a space.   false: with an exception */
static int request_parse(struct space_request *r, const struct core_state *state, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"context", "limbs", "max_products", "wraps", NULL};

    if (!state || !PyArg_ParseTupleAndKeywords(args, kwargs, "O!nni", names, state->context_type, &r->context, &r->limbs,
                                               &r->max_products, &r->wraps))
        return 0;
    if (r->wraps < -1 || r->wraps > 1) {
        PyErr_SetString(PyExc_ValueError, "wraps is 0, 1 or -1");
        return 0;
    }
    if (r->limbs < 1 || r->max_products < 1) {
        PyErr_SetString(PyExc_ValueError, "limbs and max_products are at least 1");
        return 0;
    }
    return 1;
}

static PyObject *space_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const struct core_state *state = core_state(type);
    struct space_request r;
    enum gfmul_status status;

    if (!request_parse(&r, state, args, kwargs))
        return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct space *self = (struct space *)alloc(type, 0);
    if (!self)
        return NULL;
    self->context = r.context;
    self->sum_limbs = (double)r.limbs * (double)r.max_products;
    Py_INCREF(r.context);
    struct gfmul_ctx *const ctx = ((struct context *)r.context)->ctx;
    Py_BEGIN_ALLOW_THREADS;
    status = (r.wraps == 0  ? gfmul_space_create
              : r.wraps > 0 ? gfmul_space_create_bnp1
                            : gfmul_space_create_bnm1)(ctx, &self->space, (size_t)r.limbs, (size_t)r.max_products);
    Py_END_ALLOW_THREADS;
    if (status != GFMUL_OK) {
        core_raise(state, status, ctx);
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static int space_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((struct space *)self)->context);
    return 0;
}

static void space_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    struct space *const s = (struct space *)self;

    PyObject_GC_UnTrack(self);
    Py_BEGIN_ALLOW_THREADS;
    gfmul_space_destroy(s->space);
    Py_END_ALLOW_THREADS;
    Py_CLEAR(s->context);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *space_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *number;

    if (kwargs && PyDict_Size(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "a space takes no keyword arguments");
        return NULL;
    }
    return PyArg_ParseTuple(args, "O:Space", &number) ? operand_get(self, number) : NULL;
}

static enum gfmul_status run_from_text(struct library_call *c)
{
    return gfmul_spectrum_set_str(c->spectrum[0], c->a_text, c->an, c->a_base);
}

static PyObject *space_from_str(PyObject *self, PyObject *args)
{
    struct bytes_view view;
    size_t n;
    int base;
    const char *text = text_arguments(args, &view, &n, &base);
    if (!text)
        return NULL;
    struct spectrum *made = spectrum_new(self);
    if (made) {
        struct library_call call = {.run = run_from_text,
                                    .ctx = space_context(self)->ctx,
                                    .spectrum = {made->x},
                                    .a_text = text,
                                    .an = n,
                                    .a_base = base};
        if (!spectra_run(self, &call, 1))
            Py_CLEAR(made);
    }
    bytes_view_drop(&view);
    return (PyObject *)made;
}

/* Spectra in a row. */
struct row {
    PyObject *list; /* holds them */
    struct gfmul_spectrum **x;
    size_t n;
};

static void row_drop(struct row *r)
{
    Py_CLEAR(r->list);
    PyMem_Free(r->x);
    r->x = NULL;
}

/* row_get - the spectra of an iterable; integers become spectra.  false: an exception is set. */
static bool row_get(struct row *r, PyObject *space, PyObject *iterable)
{
    memset(r, 0, sizeof *r);
    if (!(r->list = PySequence_List(iterable)))
        return false;
    r->n = (size_t)PyList_Size(r->list);
    if (!(r->x = PyMem_Calloc(r->n + 1, sizeof *r->x))) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < r->n; i++) {
        PyObject *x = operand_get(space, PyList_GetItem(r->list, (Py_ssize_t)i));
        if (!x)
            return false;
        r->x[i] = spectrum_x(x);
        if (PyList_SetItem(r->list, (Py_ssize_t)i, x) < 0)
            return false;
    }
    return true;
}

static enum gfmul_status run_matrix(struct library_call *c)
{
    const bool is_dot = c->rows == 0;

    return is_dot ? gfmul_spectrum_dot(c->spectra[0][0], c->spectra[1], c->spectra[2], c->inner)
                  : gfmul_spectrum_matmul(c->spectra[0], c->spectra[1], c->spectra[2], c->rows, c->inner, c->columns);
}

/* row_new - n new spectra.  false: an exception is set. */
static bool row_new(struct row *r, PyObject *space, size_t n)
{
    memset(r, 0, sizeof *r);
    r->list = PyList_New((Py_ssize_t)n);
    r->x = PyMem_Calloc(n + 1, sizeof *r->x);
    if (!r->list || !r->x) {
        if (!PyErr_Occurred())
            PyErr_NoMemory();
        return false;
    }
    for (; r->n < n; r->n++) {
        struct spectrum *x = spectrum_new(space);
        if (!x)
            return false;
        r->x[r->n] = x->x;
        if (PyList_SetItem(r->list, (Py_ssize_t)r->n, (PyObject *)x) < 0)
            return false;
    }
    return true;
}

static PyObject *space_dot(PyObject *self, PyObject *args)
{
    PyObject *xs, *ys, *result = NULL;
    struct row x = {.list = NULL}, y = {.list = NULL}, z = {.list = NULL};

    if (!PyArg_ParseTuple(args, "OO:dot", &xs, &ys))
        return NULL;
    if (row_get(&x, self, xs) && row_get(&y, self, ys)) {
        if (x.n != y.n) {
            PyErr_SetString(PyExc_ValueError, "both rows have the same length");
        } else if (row_new(&z, self, 1)) {
            struct library_call call = {
                .run = run_matrix, .ctx = space_context(self)->ctx, .spectra = {z.x, x.x, y.x}, .inner = x.n};
            if (spectra_run(self, &call, x.n + 1)) {
                result = PyList_GetItem(z.list, 0);
                Py_XINCREF(result);
            }
        }
    }
    row_drop(&x);
    row_drop(&y);
    row_drop(&z);
    return result;
}

static PyObject *space_matmul(PyObject *self, PyObject *args)
{
    PyObject *xs, *ys, *result = NULL;
    struct row x = {.list = NULL}, y = {.list = NULL}, z = {.list = NULL};
    Py_ssize_t rows, inner, columns;

    if (!PyArg_ParseTuple(args, "OOnnn:_matmul", &xs, &ys, &rows, &inner, &columns))
        return NULL;
    if (rows < 1 || inner < 0 || columns < 1 || rows > PY_SSIZE_T_MAX / columns) {
        PyErr_SetString(PyExc_ValueError, "a matrix has at least one row and one column");
        return NULL;
    }
    if (row_get(&x, self, xs) && row_get(&y, self, ys)) {
        if (x.n != (size_t)rows * (size_t)inner || y.n != (size_t)inner * (size_t)columns) {
            PyErr_SetString(PyExc_ValueError, "the shapes of the matrices do not fit together");
        } else if (row_new(&z, self, (size_t)rows * (size_t)columns)) {
            struct library_call call = {.run = run_matrix, .ctx = space_context(self)->ctx, .spectra = {z.x, x.x, y.x}};
            call.rows = (size_t)rows;
            call.inner = (size_t)inner;
            call.columns = (size_t)columns;
            if (spectra_run(self, &call, z.n * (call.inner + 1))) {
                result = z.list;
                Py_INCREF(result);
            }
        }
    }
    row_drop(&x);
    row_drop(&y);
    row_drop(&z);
    return result;
}

static PyObject *space_trim(PyObject *self, PyObject *unused)
{
    (void)unused;
    gfmul_space_trim(((struct space *)self)->space);
    Py_RETURN_NONE;
}

static PyObject *space_limbs(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(gfmul_space_limbs(((struct space *)self)->space));
}

static PyObject *space_next_size(PyObject *type, PyObject *args)
{
    struct space_request r;
    size_t n;

    if (!request_parse(&r, core_state((PyTypeObject *)type), args, NULL))
        return NULL;
    struct gfmul_ctx *const ctx = ((struct context *)r.context)->ctx;
    Py_BEGIN_ALLOW_THREADS;
    n = (size_t)r.limbs;
    if (r.wraps != 0)
        n = (r.wraps > 0 ? gfmul_space_bnp1_next_size : gfmul_space_bnm1_next_size)(ctx, n, (size_t)r.max_products);
    Py_END_ALLOW_THREADS;
    return PyLong_FromSize_t(n);
}

static PyObject *space_bytes(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(gfmul_space_bytes(((struct space *)self)->space));
}

PyDoc_STRVAR(dot_doc, "dot($self, x, y, /)\n--\n\n"
                      "The sum of the products x[0] y[0] + x[1] y[1] + .., as a spectrum. Entries are spectra or integers.\n\n"
                      ">>> import gfmul\n"
                      ">>> space = gfmul.Space(100)\n"
                      ">>> int(space.dot([3**50, 5], [7**60, -1])) == 3**50 * 7**60 - 5\n"
                      "True\n");
PyDoc_STRVAR(matmul_doc, "_matmul($self, x, y, rows, inner, columns, /)\n--\n\n"
                         "The product of two matrices, row by row.");
PyDoc_STRVAR(from_str_doc, "_from_str($self, text, base, /)\n--\n\n"
                           "A number from text, str or bytes, as a spectrum.");
PyDoc_STRVAR(next_size_doc, "_next_size($type, context, limbs, max_products, wraps, /)\n--\n\n"
                            "The size, not below limbs, whose spaces cost least.");
PyDoc_STRVAR(space_trim_doc, "trim($self, /)\n--\n\n"
                             "Free the memory of transforms that no spectrum uses.");
PyDoc_STRVAR(space_limbs_doc,
             "Limbs of 64 bits: all values are below 2 ** (64 * limbs). With wraps=1 that is one more than was asked for.");
PyDoc_STRVAR(space_bytes_doc, "The memory of all its numbers and transforms now.");

static PyMethodDef space_methods[] = {
    {"dot", space_dot, METH_VARARGS, dot_doc},
    {"_matmul", space_matmul, METH_VARARGS, matmul_doc},
    {"_from_str", space_from_str, METH_VARARGS, from_str_doc},
    {"_next_size", space_next_size, METH_VARARGS | METH_CLASS, next_size_doc},
    {"trim", space_trim, METH_NOARGS, space_trim_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef space_getset[] = {
    {"limbs", space_limbs, NULL, space_limbs_doc, NULL},
    {"bytes", space_bytes, NULL, space_bytes_doc, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot space_slots[] = {
    {Py_tp_doc, (void *)space_doc},
    {Py_tp_new, (void *)space_new},
    {Py_tp_call, (void *)space_call},
    {Py_tp_dealloc, (void *)space_dealloc},
    {Py_tp_traverse, (void *)space_traverse},
    {Py_tp_methods, space_methods},
    {Py_tp_getset, space_getset},
    {0, NULL},
};

PyType_Spec space_spec = {
    .name = "gfmul._core.Space",
    .basicsize = sizeof(struct space),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = space_slots,
};
