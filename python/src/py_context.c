/*
 * py_context.c - the type Context: options, products.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "py_gfmul.h"

#include <string.h>

/* --- options ------------------------------------------------------------------------------------------------------------- */

static int unsigned_option(PyObject *value, unsigned *to, const char *name)
{
    const unsigned long n = PyLong_AsUnsignedLong(value);
    if (n == (unsigned long)-1 && PyErr_Occurred())
        return -1;
    if (n > 1000000) {
        PyErr_Format(PyExc_ValueError, "%s is too large", name);
        return -1;
    }
    *to = (unsigned)n;
    return 0;
}

PyDoc_STRVAR(context_doc, "A context: options, and what products share. Use gfmul.Context.");

static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"engine",       "rule",   "precision", "packing",       "verify",  "threads",
                            "memory_limit", "device", "progress",  "verify_primes", "certify", NULL};
    const struct core_state *state = core_state(type);
    int engine, rule, precision, packing, verify, certify;
    PyObject *threads, *memory_limit, *progress, *verify_primes;
    const char *device;
    if (!state || !PyArg_ParseTupleAndKeywords(args, kwargs, "iiiiiOOzOOp", names, &engine, &rule, &precision, &packing, &verify,
                                               &threads, &memory_limit, &device, &progress, &verify_primes, &certify))
        return NULL;
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.engine = (enum gfmul_engine)engine;
    opt.rule = (enum gfmul_rule)rule;
    opt.precision = (enum gfmul_precision)precision;
    opt.packing = (enum gfmul_packing)packing;
    opt.verify = (enum gfmul_verify)verify;
    opt.certify = certify;
    opt.device = device;
    opt.memory_limit = PyLong_AsSize_t(memory_limit);
    if (PyErr_Occurred() || unsigned_option(threads, &opt.threads, "threads") < 0 ||
        unsigned_option(verify_primes, &opt.verify_primes, "verify_primes") < 0)
        return NULL;
    if (progress != Py_None && !PyCallable_Check(progress)) {
        PyErr_SetString(PyExc_TypeError, "progress has to be callable");
        return NULL;
    }
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct context *self = (struct context *)alloc(type, 0);
    if (!self)
        return NULL;
    if (progress != Py_None) {
        self->progress = progress;
        Py_INCREF(progress);
    }
    opt.progress = call_progress;
    enum gfmul_status status;
    Py_BEGIN_ALLOW_THREADS; /* a named device is opened */
    status = gfmul_ctx_create(&self->ctx, &opt);
    Py_END_ALLOW_THREADS;
    if (status != GFMUL_OK) {
        char detail[256] = "";
        if (status == GFMUL_ERR_DEVICE || (status == GFMUL_ERR_ARGUMENT && device)) /* or a list that is none */
            (void)gfmul_device_find(NULL, device ? device : "gpu", detail, sizeof detail); /* engine opencl takes any */
        core_raise_detail(state, status, detail);
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static int context_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((struct context *)self)->progress);
    return 0;
}

static int context_clear(PyObject *self)
{
    Py_CLEAR(((struct context *)self)->progress);
    return 0;
}

static void context_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    struct gfmul_ctx *ctx = ((struct context *)self)->ctx;
    PyObject_GC_UnTrack(self);
    context_clear(self);
    Py_BEGIN_ALLOW_THREADS; /* a device may have to end first */
    gfmul_ctx_destroy(ctx);
    Py_END_ALLOW_THREADS;
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* --- products ------------------------------------------------------------------------------------------------------------ */

/*
 * Shorter integers are multiplied by Python itself.  Zen 3, gcc 12.2, CPython 3.11, 2026-11-24: bench/bench_python.py --short.
 */
enum { SHORT_BITS = 3000 };

static enum gfmul_status run_limbs(struct library_call *c)
{
    return c->b ? gfmul_mul(c->ctx, c->z, c->a, c->an, c->b, c->bn) : gfmul_sqr(c->ctx, c->z, c->a, c->an);
}

static enum gfmul_status run_text(struct library_call *c)
{
    return gfmul_str_mul(c->ctx, c->z_text, c->z_size, &c->zn, c->z_base, c->a_text, c->an, c->a_base, c->b_text, c->bn,
                         c->b_base);
}

/* is_short - whether both are ints, and one of them is so short that Python's product is as fast. */
static int is_short(PyObject *a, PyObject *b)
{
    PyObject *operand[] = {a, b};
    int found = 0;
    if (!PyLong_CheckExact(a) || !PyLong_CheckExact(b))
        return 0;
    for (int i = 0; i < 2 && found == 0; i++) {
        PyObject *bits = PyObject_CallMethod(operand[i], "bit_length", NULL);
        const long long n = bits ? PyLong_AsLongLong(bits) : -1;
        found = n < 0 ? -1 : n < SHORT_BITS;
        Py_XDECREF(bits);
    }
    return found;
}

/* multiply - a b, or a^2 if b is NULL. */
static PyObject *multiply(struct context *self, PyObject *a, PyObject *b, PyObject *out)
{
    const struct core_state *state = core_state(Py_TYPE(self));
    struct number x, y;
    struct product z;
    PyObject *result = NULL;
    if (out == Py_None)
        out = NULL;
    const bool is_square = !b || a == b;
    if (!out) {
        const int is_python = is_short(a, is_square ? a : b);
        if (is_python != 0)
            return is_python < 0 ? NULL : PyNumber_Multiply(a, is_square ? a : b);
    }
    if (!number_get(&x, state, a))
        return NULL;
    if (is_square)
        y = x;
    else if (!number_get(&y, state, b))
        goto drop_x;
    if (product_get(&z, state, &x, &y, a, out)) {
        struct library_call call = {.run = run_limbs, .ctx = self->ctx, .z = z.z, .a = x.limb, .an = x.n};
        call.b = is_square ? NULL : y.limb;
        call.bn = y.n;
        enum gfmul_status status;
        if (call_run(&call, x.n + y.n >= CONTEXT_LONG_LIMBS, self->progress, &status)) {
            if (status == GFMUL_OK)
                result = product_finish(&z, state);
            else
                core_raise(state, status, self->ctx);
        }
        product_drop(&z);
    }
    if (!is_square)
        number_drop(&y);
drop_x:
    number_drop(&x);
    return result;
}

PyDoc_STRVAR(mul_doc, "mul($self, a, b, /, *, out=None)\n--\n\n"
                      "The product of two integers.\n\n"
                      "Integers are int, gmpy2.mpz, or bytes: a number without a sign, least significant\n"
                      "byte first. Buffers of unsigned words of 64 bits, such as array.array('Q') and\n"
                      "numpy's uint64, are numbers, too: least significant word first. The result is of\n"
                      "the same kind. For bytes and words it is as long as both operands together.\n"
                      "No copy is made of words, nor of an mpz.\n\n"
                      "out is a buffer for a product of words. The GIL is released.\n\n"
                      ">>> import gfmul\n"
                      ">>> gfmul.mul(3**1000, -7) == -7 * 3**1000\n"
                      "True\n"
                      ">>> gfmul.mul(bytes([0, 1]), bytes([5]))\n"
                      "b'\\x00\\x05\\x00'\n"
                      ">>> from array import array\n"
                      ">>> gfmul.mul(array('Q', [2**63, 1]), array('Q', [2]))\n"
                      "array('Q', [0, 3, 0])\n");

static PyObject *context_mul(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"", "", "out", NULL};
    PyObject *a, *b, *out = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$O:mul", names, &a, &b, &out))
        return NULL;
    return multiply((struct context *)self, a, b, out);
}

PyDoc_STRVAR(sqr_doc, "sqr($self, a, /, *, out=None)\n--\n\n"
                      "The square of an integer; a and out are as for mul.\n\n"
                      ">>> import gfmul\n"
                      ">>> gfmul.sqr(10**500) == 10**1000\n"
                      "True\n");

static PyObject *context_sqr(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"", "out", NULL};
    PyObject *a, *out = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O:sqr", names, &a, &out))
        return NULL;
    return multiply((struct context *)self, a, NULL, out);
}

/* --- text ---------------------------------------------------------------------------------------------------------------- */

const char *text_get(PyObject *object, struct bytes_view *view, size_t *length)
{
    memset(view, 0, sizeof *view);
    if (PyUnicode_Check(object)) {
        Py_ssize_t n;
        const char *text = PyUnicode_AsUTF8AndSize(object, &n);
        *length = text ? (size_t)n : 0;
        return text;
    }
    if (!bytes_view_get(view, object, false))
        return NULL;
    if (view->item_bytes != 1) {
        PyErr_SetString(PyExc_TypeError, "a text has to be str or bytes");
        bytes_view_drop(view);
        return NULL;
    }
    *length = view->bytes;
    return view->p ? view->p : "";
}

const char *text_arguments(PyObject *args, struct bytes_view *view, size_t *length, int *base)
{
    PyObject *text;
    return PyArg_ParseTuple(args, "Oi:_from_str", &text, base) ? text_get(text, view, length) : NULL;
}

PyDoc_STRVAR(mul_text_doc, "_mul_text($self, a, a_base, b, b_base, base, as_str, /)\n--\n\n"
                           "The product of two numbers in text, as str or bytes.");

static PyObject *context_mul_text(PyObject *object, PyObject *args)
{
    struct context *self = (struct context *)object;
    const struct core_state *state = core_state(Py_TYPE(object));
    PyObject *a_object, *b_object, *result = NULL;
    struct bytes_view a_view, b_view;
    int a_base, b_base, z_base, as_str;
    size_t an, bn;
    if (!PyArg_ParseTuple(args, "OiOiip:_mul_text", &a_object, &a_base, &b_object, &b_base, &z_base, &as_str))
        return NULL;
    const char *a = text_get(a_object, &a_view, &an);
    if (!a)
        return NULL;
    const char *b = text_get(b_object, &b_view, &bn);
    if (!b)
        goto drop_a;
    const size_t size = gfmul_str_mul_size(an, a_base, bn, b_base, z_base);
    char *z = size > 0 && size <= PY_SSIZE_T_MAX ? PyMem_Malloc(size) : NULL;
    if (!z) {
        if (size == 0)
            core_raise(state, GFMUL_ERR_SIZE, NULL);
        else
            PyErr_NoMemory();
        goto drop_b;
    }
    struct library_call call = {
        .run = run_text, .ctx = self->ctx, .an = an, .bn = bn, .a_text = a, .b_text = b, .a_base = a_base, .b_base = b_base};
    call.z_text = z;
    call.z_size = size;
    call.z_base = z_base;
    enum gfmul_status status;
    if (call_run(&call, an + bn >= CONTEXT_LONG_CHARACTERS, self->progress, &status)) {
        const Py_ssize_t zn = (Py_ssize_t)call.zn;
        if (status != GFMUL_OK)
            core_raise(state, status, self->ctx);
        else
            result = as_str ? PyUnicode_DecodeASCII(z, zn, "strict") : PyBytes_FromStringAndSize(z, zn);
    }
    PyMem_Free(z);
drop_b:
    bytes_view_drop(&b_view);
drop_a:
    bytes_view_drop(&a_view);
    return result;
}

/* --- plans and reports --------------------------------------------------------------------------------------------------- */

PyDoc_STRVAR(plan_doc, "_plan($self, base, an, bn, /)\n--\n\n"
                       "A plan as a dictionary; base 0: of limbs; bn -1: of a square.");

static PyObject *context_plan(PyObject *object, PyObject *args)
{
    struct context *self = (struct context *)object;
    struct gfmul_plan_info info;
    enum gfmul_status status;
    int base;
    Py_ssize_t an, bn;
    if (!PyArg_ParseTuple(args, "inn:_plan", &base, &an, &bn))
        return NULL;
    if (an < 0 || bn < -1) {
        PyErr_SetString(PyExc_ValueError, "a size is negative");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    if (base == 0)
        status = bn < 0 ? gfmul_plan_limbs_sqr(self->ctx, &info, (size_t)an)
                        : gfmul_plan_limbs(self->ctx, &info, (size_t)an, (size_t)bn);
    else
        status = bn < 0 ? gfmul_plan_text_sqr(self->ctx, &info, base, (size_t)an)
                        : gfmul_plan_text(self->ctx, &info, base, (size_t)an, (size_t)bn);
    Py_END_ALLOW_THREADS;
    if (status != GFMUL_OK) {
        core_raise(core_state(Py_TYPE(object)), status, NULL);
        return NULL;
    }
    return plan_dict(&info);
}

PyDoc_STRVAR(report_doc, "_report($self, /)\n--\n\n"
                         "The report of the call that ended last, as a dictionary.");

static PyObject *context_report(PyObject *object, PyObject *unused)
{
    (void)unused;
    struct gfmul_report report;
    gfmul_ctx_report(((struct context *)object)->ctx, &report);
    return report_dict(&report);
}

PyDoc_STRVAR(certificate_doc, "certificate($self, /)\n--\n\n"
                              "The certificate of the product that ended last, or None; needs the option certify.");

static PyObject *context_certificate(PyObject *object, PyObject *unused)
{
    (void)unused;
    struct gfmul_ctx *ctx = ((struct context *)object)->ctx;
    char *text = NULL;
    PyObject *result = NULL;
    for (size_t size = 1 << 12;;) {
        char *longer = PyMem_Realloc(text, size);
        if (!longer) {
            PyErr_NoMemory();
            break;
        }
        text = longer;
        const size_t length = gfmul_ctx_certificate(ctx, text, size);
        if (length >= size) { /* another thread may make it longer in the meantime */
            size = length + 1;
            continue;
        }
        result = length > 0 ? PyUnicode_DecodeASCII(text, (Py_ssize_t)length, "replace") : Py_None;
        if (length == 0)
            Py_INCREF(result);
        break;
    }
    PyMem_Free(text);
    return result;
}

PyDoc_STRVAR(trim_doc, "trim($self, /)\n--\n\n"
                       "Free the memory that is kept for later products.");

static PyObject *context_trim(PyObject *object, PyObject *unused)
{
    (void)unused;
    Py_BEGIN_ALLOW_THREADS;
    gfmul_ctx_trim(((struct context *)object)->ctx);
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(to_str_doc, "_to_str($self, n, base, /)\n--\n\n"
                         "An integer as text.");

PyDoc_STRVAR(from_str_doc, "_from_str($self, text, base, /)\n--\n\n"
                           "An int from text, a str or bytes.");

PyDoc_STRVAR(divmod_doc, "divmod($self, a, b, /)\n--\n\n"
                         "The pair (a // b, a % b) of two integers, int or gmpy2.mpz. The GIL is released.\n\n"
                         ">>> import gfmul\n"
                         ">>> gfmul.divmod(-7**5000, 11**1000) == divmod(-7**5000, 11**1000)\n"
                         "True\n");

PyDoc_STRVAR(isqrt_doc, "isqrt($self, n, /)\n--\n\n"
                        "The square root of an integer, rounded down. The GIL is released.\n\n"
                        ">>> import gfmul\n"
                        ">>> gfmul.isqrt(10**5000 + 1) == 10**2500\n"
                        "True\n");

PyDoc_STRVAR(powmod_doc, "_powmod($self, a, e, m, /)\n--\n\n"
                         "a ** e % m for e >= 0.");

PyDoc_STRVAR(remainders_doc, "remainders($self, a, moduli, /)\n--\n\n"
                             "The list of a % m for all moduli m, by one tree of products. The GIL is released.\n\n"
                             "Integers are int or gmpy2.mpz; a result is an mpz if a or its modulus is.\n\n"
                             ">>> import gfmul\n"
                             ">>> gfmul.remainders(10**100, [7, 11, 13]) == [10**100 % m for m in (7, 11, 13)]\n"
                             "True\n");

PyDoc_STRVAR(batch_gcd_doc, "batch_gcd($self, moduli, /)\n--\n\n"
                            "For each modulus, its greatest common divisor with the product of all others.\n\n"
                            "It finds RSA keys that share a prime: a result above 1 is a factor. The GIL is released.\n\n"
                            ">>> import gfmul\n"
                            ">>> gfmul.batch_gcd([3 * 5, 7 * 11, 5 * 13])\n"
                            "[5, 1, 5]\n");

static PyMethodDef context_methods[] = {
    {"mul", (PyCFunction)(void (*)(void))context_mul, METH_VARARGS | METH_KEYWORDS, mul_doc},
    {"sqr", (PyCFunction)(void (*)(void))context_sqr, METH_VARARGS | METH_KEYWORDS, sqr_doc},
    {"_to_str", context_to_str, METH_VARARGS, to_str_doc},
    {"_from_str", context_from_str, METH_VARARGS, from_str_doc},
    {"divmod", context_divmod, METH_VARARGS, divmod_doc},
    {"isqrt", context_isqrt, METH_O, isqrt_doc},
    {"_powmod", context_powmod, METH_VARARGS, powmod_doc},
    {"remainders", context_remainders, METH_VARARGS, remainders_doc},
    {"batch_gcd", context_batch_gcd, METH_O, batch_gcd_doc},
    {"_mul_text", context_mul_text, METH_VARARGS, mul_text_doc},
    {"_plan", context_plan, METH_VARARGS, plan_doc},
    {"_report", context_report, METH_NOARGS, report_doc},
    {"certificate", context_certificate, METH_NOARGS, certificate_doc},
    {"trim", context_trim, METH_NOARGS, trim_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot context_slots[] = {
    {Py_tp_doc, (void *)context_doc},
    {Py_tp_new, (void *)context_new},
    {Py_tp_dealloc, (void *)context_dealloc},
    {Py_tp_traverse, (void *)context_traverse},
    {Py_tp_clear, (void *)context_clear},
    {Py_tp_methods, context_methods},
    {0, NULL},
};

PyType_Spec context_spec = {
    .name = "gfmul._core.Context",
    .basicsize = sizeof(struct context),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = context_slots,
};
