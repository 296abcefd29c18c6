/*
 * py_module.c - the module gfmul._core: its state, its functions, its errors.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "py_gfmul.h"

static struct PyModuleDef module_def;

struct core_state *core_state(PyTypeObject *type)
{
    PyObject *module = NULL;
    /* Subclasses are made outside of the module. */
    for (PyTypeObject *t = type; t && !module; t = PyType_GetSlot(t, Py_tp_base)) {
        if (!(PyType_GetFlags(t) & Py_TPFLAGS_HEAPTYPE))
            break;
        module = PyType_GetModule(t);
        if (!module || PyModule_GetDef(module) != &module_def) {
            PyErr_Clear();
            module = NULL;
        }
    }
    return module ? PyModule_GetState(module) : NULL;
}

/* report_raise - the exception of a status with a report, which is taken over; NULL: an error that is set stays. */
static void report_raise(const struct core_state *state, enum gfmul_status status, PyObject *report)
{
    PyObject *error = report ? PyObject_CallFunction(state->error, "isO", (int)status, gfmul_strerror(status), report) : NULL;
    if (error)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    Py_XDECREF(report);
}

void core_raise_detail(const struct core_state *state, enum gfmul_status status, const char *detail)
{
    report_raise(state, status, Py_BuildValue("{s:s}", "detail", detail));
}

void core_raise(const struct core_state *state, enum gfmul_status status, struct gfmul_ctx *ctx)
{
    if (PyErr_Occurred())
        return;
    PyObject *report = Py_None;
    Py_INCREF(report);
    if (ctx) {
        struct gfmul_report r;
        gfmul_ctx_report(ctx, &r);
        if (r.status == status) { /* else another thread's call ended after this one */
            Py_DECREF(report);
            report = report_dict(&r);
        }
    }
    report_raise(state, status, report);
}

PyDoc_STRVAR(devices_doc, "devices()\n--\n\n"
                          "The OpenCL devices of this machine, as dictionaries.");

static PyObject *devices(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    struct gfmul_device_info info[32];
    unsigned n;
    Py_BEGIN_ALLOW_THREADS;
    n = gfmul_device_list(info, 32);
    Py_END_ALLOW_THREADS;
    PyObject *list = PyList_New(0);
    for (unsigned i = 0; list && i < n && i < 32; i++) {
        const struct gfmul_device_info *d = &info[i];
        PyObject *entry = Py_BuildValue(
            "{sI ss ss ss si si si ss sK sK sK sI sI sd sd sd}", "index", i + 1, "name", d->name, "platform", d->platform,
            "driver", d->driver, "gpu", d->gpu, "fp64", d->fp64, "usable", d->usable, "why_not", d->why_not, "global_bytes",
            (unsigned long long)d->global_bytes, "max_alloc_bytes", (unsigned long long)d->max_alloc_bytes, "local_bytes",
            (unsigned long long)d->local_bytes, "compute_units", d->compute_units, "max_work_group", d->max_work_group,
            "fma_rate", d->fma_rate, "product_rate", d->product_rate, "copy_rate", d->copy_rate);
        if (!entry || PyList_Append(list, entry) < 0)
            Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

PyDoc_STRVAR(has_engine_doc, "has_engine(engine, /)\n--\n\n"
                             "Whether this build can run an engine, by its number.");

static PyObject *has_engine(PyObject *module, PyObject *arg)
{
    (void)module;
    const long engine = PyLong_AsLong(arg);
    if (engine == -1 && PyErr_Occurred())
        return NULL;
    return PyBool_FromLong(gfmul_has_engine((enum gfmul_engine)engine));
}

PyDoc_STRVAR(algorithms_doc, "algorithms()\n--\n\n"
                             "The algorithms of plain transforms: tuples of name, device, summary, lengths, types, precisions.");

static PyObject *algorithms(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    const struct gfmul_fft_algorithm *a;
    for (size_t i = 0; list && (a = gfmul_fft_algorithm(i)) != NULL; i++) {
        PyObject *entry = Py_BuildValue("(ssssss)", a->name, a->device, a->summary, a->lengths, a->types, a->precisions);
        if (!entry || PyList_Append(list, entry) < 0)
            Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

/* type_add - make a type, add it to the module, and keep it in the state. */
static int type_add(PyObject *module, PyObject **type, PyType_Spec *spec, const char *name)
{
    *type = PyType_FromModuleAndSpec(module, spec, NULL);
    return *type ? PyModule_AddObjectRef(module, name, *type) : -1;
}

/* helper - a function of the package's module gfmul._helpers. */
static PyObject *helper(const char *name)
{
    PyObject *module = PyImport_ImportModule("gfmul._helpers");
    PyObject *function = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return function;
}

static int module_exec(PyObject *module)
{
    struct core_state *s = PyModule_GetState(module);
    if (type_add(module, &s->context_type, &context_spec, "Context") < 0 ||
        type_add(module, &s->transform_type, &transform_spec, "Transform") < 0 ||
        type_add(module, &s->ntt_type, &ntt_spec, "Ntt") < 0 ||
        type_add(module, &s->kernel_type, &kernel_spec, "Kernel") < 0 ||
        type_add(module, &s->space_type, &space_spec, "Space") < 0 ||
        type_add(module, &s->spectrum_type, &spectrum_spec, "Spectrum") < 0)
        return -1;
    s->error = helper("make_error");
    s->new_limbs = helper("new_limbs");
    s->from_bytes = PyObject_GetAttrString((PyObject *)&PyLong_Type, "from_bytes");
    if (!s->error || !s->new_limbs || !s->from_bytes)
        return -1;
    s->digits_offset = int_digits_offset(s->from_bytes);
    return PyModule_AddStringConstant(module, "version", gfmul_version());
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    const struct core_state *s = PyModule_GetState(module);
    Py_VISIT(s->context_type);
    Py_VISIT(s->transform_type);
    Py_VISIT(s->ntt_type);
    Py_VISIT(s->kernel_type);
    Py_VISIT(s->space_type);
    Py_VISIT(s->spectrum_type);
    Py_VISIT(s->error);
    Py_VISIT(s->new_limbs);
    Py_VISIT(s->from_bytes);
    return 0;
}

static int module_clear(PyObject *module)
{
    struct core_state *s = PyModule_GetState(module);
    Py_CLEAR(s->context_type);
    Py_CLEAR(s->transform_type);
    Py_CLEAR(s->ntt_type);
    Py_CLEAR(s->kernel_type);
    Py_CLEAR(s->space_type);
    Py_CLEAR(s->spectrum_type);
    Py_CLEAR(s->error);
    Py_CLEAR(s->new_limbs);
    Py_CLEAR(s->from_bytes);
    return 0;
}

static void module_free(void *module)
{
    module_clear(module);
}

PyDoc_STRVAR(digits_read_doc, "digits_read(allowed, /)\n--\n\n"
                              "Whether the digits of int are read where they lie. False forbids it from now on; for tests.");

static PyObject *digits_read(PyObject *module, PyObject *arg)
{
    struct core_state *s = PyModule_GetState(module);
    const int allowed = PyObject_IsTrue(arg);
    if (allowed < 0)
        return NULL;
    s->digits_offset = allowed ? int_digits_offset(s->from_bytes) : 0;
    return PyBool_FromLong(s->digits_offset != 0);
}

PyDoc_STRVAR(convolve_doc, "convolve(out, a, b, kind, number, words, modulus, threads, device, /)\n--\n\n"
                           "Convolve the sequences in the buffers a and b, once, into the buffer out.");

static PyMethodDef module_methods[] = {
    {"convolve", convolve_once, METH_VARARGS, convolve_doc}, {"digits_read", digits_read, METH_O, digits_read_doc},
    {"devices", devices, METH_NOARGS, devices_doc},          {"has_engine", has_engine, METH_O, has_engine_doc},
    {"algorithms", algorithms, METH_NOARGS, algorithms_doc}, {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)module_exec},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef module_def = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "gfmul._core",
    .m_doc = "The part of gfmul that is written in C; use the package gfmul.",
    .m_size = sizeof(struct core_state),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&module_def);
}
