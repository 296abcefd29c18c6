/*
 * py_transforms.c - the types Transform, Ntt and Kernel: plans of plain transforms, those modulo a prime, and convolutions.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "py_gfmul.h"

#include <stdio.h>
#include <string.h>

/* sized_view - the memory of a contiguous buffer of so many bytes, aligned to its numbers. */
static bool sized_view(struct bytes_view *view, PyObject *object, bool writable, size_t bytes)
{
    if (!bytes_view_get(view, object, writable))
        return false;
    if (view->bytes != bytes || (uintptr_t)view->p % 8 != 0) {
        PyErr_Format(PyExc_ValueError, "a buffer has to have %zu bytes, aligned; it has %zu", bytes, view->bytes);
        bytes_view_drop(view);
        return false;
    }
    return true;
}

/* The buffers of a transform. */
struct buffers {
    struct bytes_view out, in;
};

/* buffers_get - from the arguments of a method: out and in.  false: an exception is set. */
static bool buffers_get(struct buffers *io, PyObject *args, size_t out_bytes, size_t in_bytes)
{
    PyObject *out, *in;
    if (!PyArg_ParseTuple(args, "OO", &out, &in) || !sized_view(&io->out, out, true, out_bytes))
        return false;
    if (sized_view(&io->in, in, false, in_bytes))
        return true;
    bytes_view_drop(&io->out);
    return false;
}

/* buffers_drop - after a transform: None, or NULL with the exception of its status. */
static PyObject *buffers_drop(struct buffers *io, PyObject *plan, enum gfmul_status status)
{
    bytes_view_drop(&io->in);
    bytes_view_drop(&io->out);
    if (status != GFMUL_OK) {
        core_raise(core_state(Py_TYPE(plan)), status, NULL);
        return NULL;
    }
    Py_RETURN_NONE;
}

/* --- transforms ---------------------------------------------------------------------------------------------------------- */

struct transform {
    PyObject_HEAD struct gfmul_fft *plan;
    size_t time_bytes, frequency_bytes; /* of a whole batch */
};

PyDoc_STRVAR(transform_doc, "Transform(n, is_real, precision, batch, scale, threads, algorithm, device, /)\n--\n\n"
                            "A plan of plain Fourier transforms of contiguous rows.");

static PyObject *transform_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    struct gfmul_fft_options opt;
    Py_ssize_t n, batch;
    int is_real, precision;
    gfmul_fft_options_init(&opt);
    if (!PyArg_ParseTuple(args, "npinpIzz:Transform", &n, &is_real, &precision, &batch, &opt.scale, &opt.threads, &opt.algorithm,
                          &opt.device))
        return NULL;
    if (n < 1 || batch < 1) {
        PyErr_SetString(PyExc_ValueError, "a transform needs a length and a batch of at least 1");
        return NULL;
    }
    const size_t part = precision == GFMUL_PRECISION_FLOAT ? sizeof(float)
                        : precision == GFMUL_PRECISION_DD  ? 2 * sizeof(double)
                                                           : sizeof(double);
    const size_t points = (size_t)n, times = is_real ? points : 2 * points, frequencies = is_real ? 2 * (points / 2 + 1) : times;
    if (points > SIZE_MAX / 64 / (size_t)batch) {
        PyErr_SetString(PyExc_OverflowError, "a transform is too long");
        return NULL;
    }
    opt.type = is_real ? GFMUL_FFT_REAL : GFMUL_FFT_COMPLEX;
    opt.precision = (enum gfmul_precision)precision;
    opt.batch = (size_t)batch;
    struct transform *self = (struct transform *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self)
        return NULL;
    self->time_bytes = (size_t)batch * times * part;
    self->frequency_bytes = (size_t)batch * frequencies * part;
    enum gfmul_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = gfmul_fft_create(&self->plan, points, &opt);
    Py_END_ALLOW_THREADS;
    if (status != GFMUL_OK) {
        core_raise(core_state(type), status, NULL);
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static void transform_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    gfmul_fft_destroy(((struct transform *)self)->plan);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *transform_run(PyObject *object, PyObject *args, bool backward)
{
    const struct transform *self = (const struct transform *)object;
    struct buffers io;
    enum gfmul_status status;
    if (!buffers_get(&io, args, backward ? self->time_bytes : self->frequency_bytes,
                     backward ? self->frequency_bytes : self->time_bytes))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = backward ? gfmul_fft_backward(self->plan, io.out.p, io.in.p) : gfmul_fft_forward(self->plan, io.out.p, io.in.p);
    Py_END_ALLOW_THREADS;
    return buffers_drop(&io, object, status);
}

PyDoc_STRVAR(forward_doc, "forward($self, out, x, /)\n--\n\n"
                          "Transform all rows of the buffer x into the buffer out.");

static PyObject *transform_forward(PyObject *self, PyObject *args)
{
    return transform_run(self, args, false);
}

PyDoc_STRVAR(backward_doc, "backward($self, out, x, /)\n--\n\n"
                           "Transform all rows of the buffer x back, into the buffer out.");

static PyObject *transform_backward(PyObject *self, PyObject *args)
{
    return transform_run(self, args, true);
}

static PyMethodDef transform_methods[] = {
    {"forward", transform_forward, METH_VARARGS, forward_doc},
    {"backward", transform_backward, METH_VARARGS, backward_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot transform_slots[] = {
    {Py_tp_doc, (void *)transform_doc},
    {Py_tp_new, (void *)transform_new},
    {Py_tp_dealloc, (void *)transform_dealloc},
    {Py_tp_methods, transform_methods},
    {0, NULL},
};

PyType_Spec transform_spec = {
    .name = "gfmul._core.Transform",
    .basicsize = sizeof(struct transform),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = transform_slots,
};

/* --- transforms modulo a prime -------------------------------------------------------------------------------------------- */

struct ntt {
    PyObject_HEAD struct gfmul_ntt *plan;
    size_t bytes; /* of a whole batch */
};

PyDoc_STRVAR(ntt_doc, "Ntt(n, modulus, negacyclic, root, batch, threads, /)\n--\n\n"
                      "A plan of transforms of contiguous rows of uint64 modulo a prime.");

static PyObject *ntt_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    struct gfmul_ntt_options opt;
    Py_ssize_t n, batch;
    unsigned long long modulus, root;
    gfmul_ntt_options_init(&opt);
    if (!PyArg_ParseTuple(args, "nKpKnI:Ntt", &n, &modulus, &opt.negacyclic, &root, &batch, &opt.threads))
        return NULL;
    if (n < 1 || batch < 1 || (size_t)n > SIZE_MAX / sizeof(uint64_t) / (size_t)batch) {
        PyErr_SetString(PyExc_ValueError, "a transform needs a length and a batch of at least 1, and has to fit into memory");
        return NULL;
    }
    opt.scale = 1;
    opt.root = root;
    opt.batch = (size_t)batch;
    struct ntt *self = (struct ntt *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self)
        return NULL;
    self->bytes = (size_t)n * (size_t)batch * sizeof(uint64_t);
    enum gfmul_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = gfmul_ntt_create(&self->plan, (size_t)n, modulus, &opt);
    Py_END_ALLOW_THREADS;
    if (status != GFMUL_OK) {
        char detail[200];
        snprintf(detail, sizeof detail,
                 "a transform of %zd numbers modulo %llu needs a prime, a length 2^a, 3 2^a, 5 2^a or 7 2^a that divides it less "
                 "1%s, and a root of that order",
                 n, modulus, opt.negacyclic ? ", as does twice the length" : "");
        const bool arguments = status == GFMUL_ERR_ARGUMENT || status == GFMUL_ERR_UNSUPPORTED;
        core_raise_detail(core_state(type), status, arguments ? detail : "");
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static void ntt_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    gfmul_ntt_destroy(((struct ntt *)self)->plan);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *ntt_run(PyObject *object, PyObject *args, bool backward)
{
    const struct ntt *self = (const struct ntt *)object;
    struct buffers io;
    enum gfmul_status status;
    if (!buffers_get(&io, args, self->bytes, self->bytes))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = backward ? gfmul_ntt_backward(self->plan, io.out.p, io.in.p) : gfmul_ntt_forward(self->plan, io.out.p, io.in.p);
    Py_END_ALLOW_THREADS;
    return buffers_drop(&io, object, status);
}

static PyObject *ntt_forward(PyObject *self, PyObject *args)
{
    return ntt_run(self, args, false);
}

static PyObject *ntt_backward(PyObject *self, PyObject *args)
{
    return ntt_run(self, args, true);
}

static PyObject *ntt_root(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(gfmul_ntt_root(((struct ntt *)self)->plan));
}

static PyMethodDef ntt_methods[] = {
    {"forward", ntt_forward, METH_VARARGS, forward_doc},
    {"backward", ntt_backward, METH_VARARGS, backward_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef ntt_getset[] = {
    {"root", ntt_root, NULL, "The root of unity.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot ntt_slots[] = {
    {Py_tp_doc, (void *)ntt_doc},         {Py_tp_new, (void *)ntt_new},       {Py_tp_dealloc, (void *)ntt_dealloc},
    {Py_tp_methods, (void *)ntt_methods}, {Py_tp_getset, (void *)ntt_getset}, {0, NULL},
};

PyType_Spec ntt_spec = {
    .name = "gfmul._core.Ntt",
    .basicsize = sizeof(struct ntt),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = ntt_slots,
};

/* --- convolutions -------------------------------------------------------------------------------------------------------- */

struct kernel {
    PyObject_HEAD struct gfmul_conv *conv;
    size_t bn, number_bytes, result_bytes;
    bool linear;
};

/* number_bytes - of a number of a convolution; 0: there is none such. */
static size_t number_bytes(enum gfmul_conv_number number)
{
    switch (number) {
    case GFMUL_CONV_REAL_FLOAT:
    case GFMUL_CONV_INT32:
        return 4;
    case GFMUL_CONV_REAL:
    case GFMUL_CONV_INT64:
    case GFMUL_CONV_UINT64:
    case GFMUL_CONV_MOD:
    case GFMUL_CONV_COMPLEX_FLOAT:
        return 8;
    case GFMUL_CONV_COMPLEX:
    case GFMUL_CONV_REAL_DD:
        return 16;
    case GFMUL_CONV_COMPLEX_DD:
        return 32;
    }
    return 0;
}

/* result_bytes - of a number of the result. */
static size_t result_bytes(const struct gfmul_conv_options *opt)
{
    const bool words = opt->number == GFMUL_CONV_INT32 || opt->number == GFMUL_CONV_INT64 || opt->number == GFMUL_CONV_UINT64;
    return words ? 8 * (size_t)opt->words : number_bytes(opt->number);
}

PyDoc_STRVAR(kernel_doc, "Kernel(b, max_an, kind, number, words, modulus, threads, device, /)\n--\n\n"
                         "A sequence b that others are convolved with.");

static PyObject *kernel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    struct gfmul_conv_options opt;
    struct bytes_view b;
    PyObject *b_object;
    Py_ssize_t max_an;
    int kind, number;
    unsigned long long modulus;
    gfmul_conv_options_init(&opt);
    if (!PyArg_ParseTuple(args, "OniiIKIz:Kernel", &b_object, &max_an, &kind, &number, &opt.words, &modulus, &opt.threads,
                          &opt.device))
        return NULL;
    opt.kind = (enum gfmul_conv_kind)kind;
    opt.number = (enum gfmul_conv_number)number;
    opt.modulus = modulus;
    const size_t bytes = number_bytes(opt.number);
    if (bytes == 0 || max_an < 1) {
        PyErr_SetString(PyExc_ValueError, "no such number, or no number at all");
        return NULL;
    }
    if (!bytes_view_get(&b, b_object, false))
        return NULL;
    struct kernel *self = (struct kernel *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self) {
        self->bn = b.bytes / bytes;
        self->number_bytes = bytes;
        self->result_bytes = result_bytes(&opt);
        self->linear = opt.kind == GFMUL_CONV_LINEAR;
        enum gfmul_status status;
        Py_BEGIN_ALLOW_THREADS;
        status = gfmul_conv_create(&self->conv, b.p, self->bn, (size_t)max_an, &opt);
        Py_END_ALLOW_THREADS;
        if (status != GFMUL_OK) {
            core_raise(core_state(type), status, NULL);
            Py_CLEAR(self);
        }
    }
    bytes_view_drop(&b);
    return (PyObject *)self;
}

static void kernel_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    gfmul_conv_destroy(((struct kernel *)self)->conv);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

PyDoc_STRVAR(run_doc, "run($self, out, a, /)\n--\n\n"
                      "Convolve the sequence in the buffer a with the kernel, into the buffer out.");

static PyObject *kernel_run(PyObject *object, PyObject *args)
{
    const struct kernel *self = (const struct kernel *)object;
    struct bytes_view a, out;
    PyObject *out_object, *a_object;
    enum gfmul_status status;
    if (!PyArg_ParseTuple(args, "OO:run", &out_object, &a_object) || !bytes_view_get(&a, a_object, false))
        return NULL;
    const size_t an = a.bytes / self->number_bytes;
    const size_t zn = self->linear && an > 0 ? an + self->bn - 1 : self->bn;
    if (!sized_view(&out, out_object, true, zn * self->result_bytes)) {
        bytes_view_drop(&a);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = gfmul_conv_run(self->conv, out.p, a.p, an);
    Py_END_ALLOW_THREADS;
    bytes_view_drop(&out);
    bytes_view_drop(&a);
    if (status != GFMUL_OK) {
        core_raise(core_state(Py_TYPE(object)), status, NULL);
        return NULL;
    }
    Py_RETURN_NONE;
}

PyObject *convolve_once(PyObject *module, PyObject *args)
{
    struct gfmul_conv_options opt;
    struct bytes_view out, a, b;
    PyObject *out_object, *a_object, *b_object;
    int kind, number;
    unsigned long long modulus;
    enum gfmul_status status = GFMUL_OK;
    gfmul_conv_options_init(&opt);
    if (!PyArg_ParseTuple(args, "OOOiiIKIz:convolve", &out_object, &a_object, &b_object, &kind, &number, &opt.words, &modulus,
                          &opt.threads, &opt.device))
        return NULL;
    opt.kind = (enum gfmul_conv_kind)kind;
    opt.number = (enum gfmul_conv_number)number;
    opt.modulus = modulus;
    const size_t bytes = number_bytes(opt.number);
    if (bytes == 0) {
        PyErr_SetString(PyExc_ValueError, "no such number");
        return NULL;
    }
    if (!bytes_view_get(&a, a_object, false))
        return NULL;
    if (!bytes_view_get(&b, b_object, false)) {
        bytes_view_drop(&a);
        return NULL;
    }
    const size_t an = a.bytes / bytes, bn = b.bytes / bytes;
    const size_t zn = opt.kind == GFMUL_CONV_LINEAR && an > 0 && bn > 0 ? an + bn - 1 : bn;
    const bool ready = sized_view(&out, out_object, true, zn * result_bytes(&opt));
    if (ready) {
        Py_BEGIN_ALLOW_THREADS;
        status = gfmul_convolve(out.p, a.p, an, b.p, bn, &opt);
        Py_END_ALLOW_THREADS;
        bytes_view_drop(&out);
    }
    bytes_view_drop(&b);
    bytes_view_drop(&a);
    if (!ready)
        return NULL;
    if (status != GFMUL_OK) {
        core_raise(PyModule_GetState(module), status, NULL);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef kernel_methods[] = {
    {"run", kernel_run, METH_VARARGS, run_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot kernel_slots[] = {
    {Py_tp_doc, (void *)kernel_doc},
    {Py_tp_new, (void *)kernel_new},
    {Py_tp_dealloc, (void *)kernel_dealloc},
    {Py_tp_methods, kernel_methods},
    {0, NULL},
};

PyType_Spec kernel_spec = {
    .name = "gfmul._core.Kernel",
    .basicsize = sizeof(struct kernel),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = kernel_slots,
};
