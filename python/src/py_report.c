/*
 * py_report.c - plans and reports of the library as dictionaries.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "py_gfmul.h"

#include <stddef.h>
#include <string.h>

enum field_type { FIELD_STRING, FIELD_CHARS, FIELD_INT, FIELD_UNSIGNED, FIELD_SIZE, FIELD_DOUBLE, FIELD_U64 };

struct field {
    const char *name;
    enum field_type type;
    size_t offset;
};

#define PLAN(name, type)                                            \
    {                                                               \
#name, FIELD_##type, offsetof(struct gfmul_plan_info, name) \
    }
static const struct field plan_fields[] = {
    PLAN(engine, STRING),
    PLAN(isa, STRING),
    PLAN(device, STRING),
    PLAN(rule, STRING),
    PLAN(precision, STRING),
    PLAN(packing, STRING),
    PLAN(threads, UNSIGNED),
    PLAN(mu, UNSIGNED),
    PLAN(m, DOUBLE),
    PLAN(l, DOUBLE),
    PLAN(base, UNSIGNED),
    PLAN(exponent, UNSIGNED),
    PLAN(n_points, SIZE),
    PLAN(a_digits, SIZE),
    PLAN(b_digits, SIZE),
    PLAN(n_slices, SIZE),
    PLAN(n_branches, SIZE),
    PLAN(k, DOUBLE),
    PLAN(bound, DOUBLE),
    PLAN(norms_measured, INT),
    PLAN(inverse_measured, INT),
    PLAN(proved, INT),
    PLAN(knuth, INT),
    PLAN(memory_bytes, SIZE),
    PLAN(a_pieces, SIZE),
    PLAN(b_pieces, SIZE),
    PLAN(narrow_levels, UNSIGNED),
    PLAN(double_levels, UNSIGNED),
    PLAN(light_levels, UNSIGNED),
    PLAN(wraps, INT),
    PLAN(wrap_limbs, SIZE),
    PLAN(passes, CHARS),
    PLAN(residue_primes, UNSIGNED),
};

#define REPORT(name, type)                                       \
    {                                                            \
#name, FIELD_##type, offsetof(struct gfmul_report, name) \
    }
static const struct field report_fields[] = {
    REPORT(detail, CHARS),        REPORT(error_operand, INT),    REPORT(error_offset, SIZE),
    REPORT(error_line, SIZE),     REPORT(error_column, SIZE),    REPORT(parse_ns, U64),
    REPORT(plan_ns, U64),         REPORT(transform_ns, U64),     REPORT(carry_ns, U64),
    REPORT(verify_ns, U64),       REPORT(print_ns, U64),         REPORT(total_ns, U64),
    REPORT(device_start_ns, U64), REPORT(upload_ns, U64),        REPORT(download_ns, U64),
    REPORT(max_error, DOUBLE),    REPORT(n_fallbacks, UNSIGNED), REPORT(n_device_errors, UNSIGNED),
    REPORT(residue_prime, U64),   REPORT(error_reason, CHARS),   REPORT(n_residues, UNSIGNED),
    REPORT(residues_drawn, INT),  REPORT(device_place, UNSIGNED), REPORT(n_devices, UNSIGNED),
};

/* field_value - the field as an object, or NULL with an exception. */
static PyObject *field_value(const void *from, const struct field *f)
{
    const void *p = (const char *)from + f->offset;
    switch (f->type) {
    case FIELD_STRING: {
        const char *text = *(const char *const *)p;
        return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    }
    case FIELD_CHARS:
        return PyUnicode_DecodeUTF8(p, (Py_ssize_t)strlen(p), "replace");
    case FIELD_INT:
        return PyLong_FromLong(*(const int *)p);
    case FIELD_UNSIGNED:
        return PyLong_FromUnsignedLong(*(const unsigned *)p);
    case FIELD_SIZE:
        return PyLong_FromSize_t(*(const size_t *)p);
    case FIELD_DOUBLE:
        return PyFloat_FromDouble(*(const double *)p);
    case FIELD_U64:
        return PyLong_FromUnsignedLongLong(*(const uint64_t *)p);
    }
    PyErr_SetString(PyExc_SystemError, "gfmul: a field of an unknown type");
    return NULL;
}

/* item_add - put a value into a dictionary, and drop it.  false: an exception is set; value may be NULL for that. */
static bool item_add(PyObject *dict, const char *name, PyObject *value)
{
    const bool added = value && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return added;
}

static PyObject *fields_dict(const void *from, const struct field *f, size_t n)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < n; i++) {
        if (!item_add(dict, f[i].name, field_value(from, &f[i])))
            Py_CLEAR(dict);
    }
    return dict;
}

PyObject *plan_dict(const struct gfmul_plan_info *plan)
{
    char text[4096];
    PyObject *dict = fields_dict(plan, plan_fields, sizeof plan_fields / sizeof plan_fields[0]);
    gfmul_plan_print(plan, text, sizeof text);
    if (dict && !item_add(dict, "text", PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace")))
        Py_CLEAR(dict);
    return dict;
}

PyObject *report_dict(const struct gfmul_report *report)
{
    PyObject *dict = fields_dict(report, report_fields, sizeof report_fields / sizeof report_fields[0]);
    PyObject *residues = PyList_New(0);
    for (unsigned i = 0; residues && i < report->n_residues && i < GFMUL_RESIDUES_MAX; i++) {
        const struct gfmul_residue *r = &report->residue[i];
        PyObject *entry = Py_BuildValue("(KKKK)", (unsigned long long)r->prime, (unsigned long long)r->a,
                                        (unsigned long long)r->b, (unsigned long long)r->z);
        if (!entry || PyList_Append(residues, entry) < 0)
            Py_CLEAR(residues);
        Py_XDECREF(entry);
    }
    const bool complete = dict && item_add(dict, "residues", residues) &&
                          item_add(dict, "status", PyLong_FromLong((long)report->status)) &&
                          item_add(dict, "plan", plan_dict(&report->plan));
    if (!dict)
        Py_XDECREF(residues);
    if (dict && !complete)
        Py_CLEAR(dict);
    return dict;
}
