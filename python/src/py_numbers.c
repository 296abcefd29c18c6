/*
 * py_numbers.c - operands of products and their results: int, mpz, bytes, buffers of limbs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "py_gfmul.h"

#include <string.h>

enum { LIMB_BYTES = sizeof(mp_limb_t) };

/* Where there are no limbs: the library takes no NULL. */
static mp_limb_t no_limb;

/* --- buffers ------------------------------------------------------------------------------------------------------------- */

/*
 * Py_buffer is in the limited API from 3.11 on only.  These two are in the stable ABI of all versions, if no longer in every
 * header.  They give the address alone; the memoryview keeps the memory in place.
 */
extern int PyObject_AsReadBuffer(PyObject *object, const void **p, Py_ssize_t *bytes);
extern int PyObject_AsWriteBuffer(PyObject *object, void **p, Py_ssize_t *bytes);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#ifndef PyBUF_READ /* likewise of the header alone */
#define PyBUF_READ 0x100
#endif

/* size_attribute - an attribute that is a size or a truth value; -1 with an exception. */
static Py_ssize_t size_attribute(PyObject *object, const char *name)
{
    PyObject *value = PyObject_GetAttrString(object, name);
    const Py_ssize_t n = value ? PyNumber_AsSsize_t(value, PyExc_OverflowError) : -1;
    Py_XDECREF(value);
    return n;
}

/* format_char - the one character of a format, behind its mark of the native order; 0 if it is anything else. */
static bool format_char(PyObject *memory, char *format)
{
    Py_ssize_t length = 0;
    PyObject *value = PyObject_GetAttrString(memory, "format");
    const char *text = value ? PyUnicode_AsUTF8AndSize(value, &length) : NULL;
    if (text) {
        const char *native = text + (text[0] == '@' || text[0] == '=' || text[0] == '<' ? 1 : 0);
        *format = '\0';
        if (native[0] != '\0' && native[1] == '\0')
            *format = native[0];
    }
    Py_XDECREF(value);
    return text != NULL;
}

/* items_copy - hold the items of a memoryview with gaps one behind another instead, in bytes.  false: an exception is set. */
static bool items_copy(struct bytes_view *view)
{
    PyObject *bytes = PyObject_CallMethod(view->held, "tobytes", NULL);
    if (!bytes)
        return false;
    Py_DECREF(view->held);
    view->held = bytes;
    return true;
}

bool bytes_view_get(struct bytes_view *view, PyObject *object, bool writable)
{
    Py_ssize_t bytes = 0;
    memset(view, 0, sizeof *view);
    if (PyBytes_CheckExact(object) && !writable) { /* the usual case, without a memoryview */
        view->p = PyBytes_AsString(object);
        view->bytes = (size_t)PyBytes_Size(object);
        view->item_bytes = 1;
        view->n_dims = 1;
        view->format = 'B';
        view->held = object;
        Py_INCREF(object);
        return true;
    }
    view->held = PyMemoryView_FromObject(object);
    if (!view->held)
        return false;
    const Py_ssize_t contiguous = size_attribute(view->held, "c_contiguous"), readonly = size_attribute(view->held, "readonly");
    const Py_ssize_t item_bytes = size_attribute(view->held, "itemsize"), n_dims = size_attribute(view->held, "ndim");
    if (contiguous < 0 || readonly < 0 || item_bytes < 0 || n_dims < 0 || !format_char(view->held, &view->format))
        goto failed;
    if (writable && (readonly || !contiguous)) {
        PyErr_SetString(PyExc_TypeError, readonly ? "the buffer is read-only" : "the buffer is not contiguous");
        goto failed;
    }
    if (!contiguous && !items_copy(view))
        goto failed;
    if (writable ? PyObject_AsWriteBuffer(view->held, &view->p, &bytes) < 0
                 : PyObject_AsReadBuffer(view->held, (const void **)&view->p, &bytes) < 0)
        goto failed;
    view->bytes = (size_t)bytes;
    view->item_bytes = (size_t)item_bytes;
    view->n_dims = (int)n_dims;
    return true;
failed:
    bytes_view_drop(view);
    return false;
}

void bytes_view_drop(struct bytes_view *view)
{
    Py_CLEAR(view->held);
}

/* is_limbs - one row of words of 64 bits without a sign. */
static bool is_limbs(const struct bytes_view *view)
{
    return view->n_dims == 1 && view->item_bytes == LIMB_BYTES && (view->format == 'Q' || view->format == 'L');
}

static bool aligned(const void *p)
{
    return (uintptr_t)p % _Alignof(mp_limb_t) == 0;
}

/* --- gmpy2 --------------------------------------------------------------------------------------------------------------- */

/* gmpy2's structure of an mpz, as its public header gmpy2.h has it. */
struct mpz_object {
    PyObject_HEAD mpz_t z;
    Py_hash_t hash;
};

/* mpz_type - a new reference to the type gmpy2.mpz if that package is in use, else NULL without an exception. */
static PyObject *mpz_type(void)
{
    PyObject *name = PyUnicode_FromString("gmpy2"), *module = name ? PyImport_GetModule(name) : NULL;
    PyObject *type = module ? PyObject_GetAttrString(module, "mpz") : NULL;
    Py_XDECREF(module);
    Py_XDECREF(name);
    PyErr_Clear();
    return type;
}

/*
 * mpz_room - a new mpz whose memory has n >= 1 limbs, or NULL with an exception.
 *
 * The package has allocated it by its own GMP.  No other reference exists, and its hash was not taken.
 */
static struct mpz_object *mpz_room(size_t n)
{
    PyObject *type = mpz_type();
    PyObject *zero = type ? PyObject_CallFunction(type, "i", 0) : NULL;
    PyObject *room = zero ? PyObject_CallMethod(zero, "bit_set", "n", (Py_ssize_t)(64 * n - 1)) : NULL;
    Py_XDECREF(zero);
    Py_XDECREF(type);
    if (!room && !PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "gfmul: gmpy2 has gone");
    return (struct mpz_object *)room;
}

/* mpz_known - whether gmpy2's structure is the one above: a value that it would show otherwise. */
static bool mpz_known(PyObject *type)
{
    const Py_ssize_t bytes = size_attribute(type, "__basicsize__");
    bool known = bytes >= (Py_ssize_t)sizeof(struct mpz_object);
    PyObject *value = known ? PyObject_CallFunction(type, "si", "-500000000000000000000000000000007", 16) : NULL;
    if (value) {
        const struct mpz_object *m = (const struct mpz_object *)value;
        known = m->z->_mp_size == -3 && m->z->_mp_alloc >= 3 && m->z->_mp_d[0] == 7 && m->z->_mp_d[1] == 0 && m->z->_mp_d[2] == 5;
    }
    known = known && value;
    Py_XDECREF(value);
    PyErr_Clear();
    return known;
}

/* --- operands ------------------------------------------------------------------------------------------------------------ */

/* limbs_of_int - the limbs of a magnitude of so many bits: from its digits, or else by to_bytes. */
static bool limbs_of_int(struct number *number, const struct core_state *state, PyObject *magnitude, size_t n_bits)
{
    number->n = n_bits / 64 + (n_bits % 64 != 0);
    if (state->digits_offset && number->n > 0) {
        number->copy = PyMem_Malloc(number->n * LIMB_BYTES);
        if (!number->copy) {
            PyErr_NoMemory();
            return false;
        }
        int_to_limbs(state->digits_offset, magnitude, n_bits, number->copy, number->n);
        number->limb = number->copy;
        return true;
    }
    PyObject *bytes = PyObject_CallMethod(magnitude, "to_bytes", "ns", (Py_ssize_t)(number->n * LIMB_BYTES), "little");
    const bool got = bytes && bytes_view_get(&number->view, bytes, false);
    number->limb = number->view.p;
    Py_XDECREF(bytes);
    return got;
}

static bool get_int(struct number *number, const struct core_state *state, PyObject *object)
{
    int sign = 0;
    const long long small = PyLong_AsLongLongAndOverflow(object, &sign);
    if (small == -1 && sign == 0 && PyErr_Occurred())
        return false;
    number->kind = NUMBER_INT;
    number->negative = sign < 0 || (sign == 0 && small < 0);
    PyObject *bits = PyObject_CallMethod(object, "bit_length", NULL);
    const Py_ssize_t n_bits = bits ? PyNumber_AsSsize_t(bits, PyExc_OverflowError) : -1;
    /* The digits of a number and of its negative are the same. */
    PyObject *magnitude = number->negative && !state->digits_offset ? PyNumber_Absolute(object) : object;
    const bool got = n_bits >= 0 && magnitude && limbs_of_int(number, state, magnitude, (size_t)n_bits);
    if (magnitude != object)
        Py_XDECREF(magnitude);
    Py_XDECREF(bits);
    return got;
}

/* get_mpz - limbs of an mpz where they lie; false, without an exception, if its structure is not known. */
static bool get_mpz(struct number *number, PyObject *object, PyObject *type)
{
    if (!mpz_known(type))
        return false;
    const struct mpz_object *m = (const struct mpz_object *)object;
    number->kind = NUMBER_MPZ;
    number->negative = m->z->_mp_size < 0;
    number->n = (size_t)(number->negative ? -(long)m->z->_mp_size : m->z->_mp_size);
    number->limb = m->z->_mp_d;
    number->view.held = object;
    Py_INCREF(object);
    return true;
}

/* get_buffer - bytes, least significant first, or limbs; copied if they are not aligned. */
static bool get_buffer(struct number *number, PyObject *object)
{
    struct bytes_view *view = &number->view;
    if (!bytes_view_get(view, object, false))
        return false;
    if (!is_limbs(view) && (view->n_dims != 1 || view->item_bytes != 1 || view->format != 'B')) {
        PyErr_SetString(PyExc_TypeError, "a buffer has to be bytes, or one row of unsigned words of 64 bits");
        return false;
    }
    number->kind = is_limbs(view) ? NUMBER_LIMBS : NUMBER_BYTES;
    number->bytes = view->bytes;
    number->n = view->bytes / LIMB_BYTES + (view->bytes % LIMB_BYTES != 0);
    number->limb = view->p;
    if (number->n == 0 || (view->bytes % LIMB_BYTES == 0 && aligned(view->p)))
        return true;
    number->copy = PyMem_Malloc(number->n * LIMB_BYTES);
    if (!number->copy) {
        PyErr_NoMemory();
        return false;
    }
    number->copy[number->n - 1] = 0;
    memcpy(number->copy, view->p, view->bytes);
    number->limb = number->copy;
    return true;
}

/* is_buffer - whether an object has a buffer of at least one dimension: numpy's scalars are integers. */
static bool is_buffer(PyObject *object)
{
    PyObject *memory = PyMemoryView_FromObject(object);
    const Py_ssize_t n_dims = memory ? size_attribute(memory, "ndim") : 0;
    Py_XDECREF(memory);
    PyErr_Clear();
    return n_dims > 0;
}

bool number_get(struct number *number, const struct core_state *state, PyObject *object)
{
    bool got;
    memset(number, 0, sizeof *number);
    if (PyLong_Check(object)) {
        got = get_int(number, state, object);
    } else if (PyUnicode_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "a str is no integer: mul_decimal multiplies numbers in text and in files");
        got = false;
    } else if (PyBytes_Check(object) || is_buffer(object)) {
        got = get_buffer(number, object);
    } else {
        PyObject *type = mpz_type(), *index = NULL;
        const bool is_mpz = type && (PyObject *)Py_TYPE(object) == type;
        got = is_mpz && get_mpz(number, object, type);
        if (!got) {
            index = PyNumber_Index(object);
            got = index && get_int(number, state, index);
        }
        Py_XDECREF(index);
        Py_XDECREF(type);
    }
    if (!got)
        number_drop(number);
    else if (number->n == 0)
        number->limb = &no_limb;
    return got;
}

void number_drop(struct number *number)
{
    bytes_view_drop(&number->view);
    PyMem_Free(number->copy);
    number->copy = NULL;
}

/* --- results ------------------------------------------------------------------------------------------------------------- */

/* room_copy - z is memory of our own. */
static bool room_copy(struct product *product)
{
    product->z = product->copy = PyMem_Malloc(product->zn ? product->zn * LIMB_BYTES : 1);
    if (!product->copy)
        PyErr_NoMemory();
    return product->copy != NULL;
}

/* room_bytes - z is the memory of a bytes object of whole limbs, or a copy if the result ends within a limb. */
static bool room_bytes(struct product *product)
{
    if (product->bytes == product->zn * LIMB_BYTES) {
        product->object = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)product->bytes);
        product->z = product->object ? (mp_limb_t *)(void *)PyBytes_AsString(product->object) : NULL;
        if (!product->object || aligned(product->z))
            return product->object != NULL;
        Py_CLEAR(product->object);
    }
    return room_copy(product);
}

/* is_contiguous - 1, 0, or -1 with an exception, if it has no buffer or is read-only. */
static int is_contiguous(PyObject *out)
{
    PyObject *memory = PyMemoryView_FromObject(out);
    const Py_ssize_t contiguous = memory ? size_attribute(memory, "c_contiguous") : -1;
    const Py_ssize_t readonly = contiguous < 0 ? -1 : size_attribute(memory, "readonly");
    Py_XDECREF(memory);
    if (readonly > 0)
        PyErr_SetString(PyExc_TypeError, "out is read-only");
    return readonly != 0 ? -1 : contiguous != 0;
}

/*
 * room_limbs - z is in the caller's buffer, or in a new one of the first operand's type.
 *
 * If the caller's buffer has gaps or is not aligned, z is a copy, which out_write writes there in the end.
 */
static bool room_limbs(struct product *product, const struct core_state *state, PyObject *like, PyObject *out)
{
    product->object = out;
    if (out)
        Py_INCREF(out);
    else
        product->object = PyObject_CallFunction(state->new_limbs, "On", like, (Py_ssize_t)product->zn);
    const int contiguous = product->object ? is_contiguous(product->object) : -1;
    if (contiguous < 0 || !bytes_view_get(&product->view, product->object, contiguous))
        return false;
    if (!is_limbs(&product->view)) {
        PyErr_SetString(PyExc_TypeError, "out has to be one row of unsigned words of 64 bits");
        return false;
    }
    if (product->view.bytes != product->zn * LIMB_BYTES) {
        PyErr_Format(PyExc_ValueError, "out has to have %zu words; it has %zu", product->zn, product->view.bytes / LIMB_BYTES);
        return false;
    }
    if (product->zn > 0 && (!contiguous || !aligned(product->view.p)))
        return room_copy(product);
    product->z = product->view.p;
    return true;
}

bool product_get(struct product *product, const struct core_state *state, const struct number *a, const struct number *b,
                 PyObject *like, PyObject *out)
{
    bool got = false;
    memset(product, 0, sizeof *product);
    product->kind = a->kind == NUMBER_INT ? b->kind : a->kind;
    product->negative = a->negative != b->negative;
    product->zn = a->n + b->n;
    const bool mixed = a->kind <= NUMBER_MPZ && b->kind <= NUMBER_MPZ;
    if (a->kind != b->kind && !mixed) {
        PyErr_SetString(PyExc_TypeError, "the operands have to be of one kind: integers, bytes, or words of 64 bits");
    } else if (out && product->kind != NUMBER_LIMBS) {
        PyErr_SetString(PyExc_TypeError, "out is for operands that are words of 64 bits");
    } else if (product->kind == NUMBER_LIMBS) {
        got = room_limbs(product, state, like, out);
    } else if (product->kind == NUMBER_MPZ) {
        struct mpz_object *m = mpz_room(product->zn > 0 ? product->zn : 1);
        product->object = (PyObject *)m;
        product->z = m ? m->z->_mp_d : NULL;
        got = m != NULL;
    } else if (product->kind == NUMBER_INT && state->digits_offset) {
        got = room_copy(product);
    } else {
        product->bytes = product->kind == NUMBER_BYTES ? a->bytes + b->bytes : product->zn * LIMB_BYTES;
        got = room_bytes(product);
    }
    if (!got)
        product_drop(product);
    else if (product->zn == 0)
        product->z = &no_limb;
    return got;
}

/* negated - the negative of a number, which is dropped; NULL with an exception, also for NULL. */
static PyObject *negated(PyObject *number)
{
    PyObject *z = number ? PyNumber_Negative(number) : NULL;
    Py_XDECREF(number);
    return z;
}

/* bytes_of - the bytes object that has the product, or a copy. */
static PyObject *bytes_of(const struct product *product)
{
    if (!product->object)
        return PyBytes_FromStringAndSize((const char *)product->copy, (Py_ssize_t)product->bytes);
    Py_INCREF(product->object);
    return product->object;
}

/* out_write - the limbs into the caller's buffer, by its own assignment.  false: an exception is set. */
static bool out_write(const struct product *product)
{
    const char format[] = {product->view.format, '\0'};
    PyObject *limbs = PyMemoryView_FromMemory((char *)product->copy, (Py_ssize_t)(product->zn * LIMB_BYTES), PyBUF_READ);
    PyObject *words = limbs ? PyObject_CallMethod(limbs, "cast", "s", format) : NULL;
    PyObject *all = words ? PySlice_New(NULL, NULL, NULL) : NULL;
    const bool written = all && PyObject_SetItem(product->object, all, words) == 0;
    Py_XDECREF(all);
    Py_XDECREF(words);
    Py_XDECREF(limbs);
    return written;
}

PyObject *product_finish(struct product *product, const struct core_state *state)
{
    PyObject *bytes, *z;
    switch (product->kind) {
    case NUMBER_MPZ:
        while (product->zn > 0 && product->z[product->zn - 1] == 0)
            product->zn--;
        ((struct mpz_object *)product->object)->z->_mp_size = product->negative ? -(int)product->zn : (int)product->zn;
        Py_INCREF(product->object);
        return product->object;
    case NUMBER_LIMBS:
        if (product->copy && !out_write(product))
            return NULL;
        Py_INCREF(product->object);
        return product->object;
    case NUMBER_INT:
        if (state->digits_offset) {
            z = int_of_limbs(state->digits_offset, product->z, product->zn);
        } else {
            bytes = bytes_of(product);
            z = bytes ? PyObject_CallFunction(state->from_bytes, "Os", bytes, "little") : NULL;
            Py_XDECREF(bytes);
        }
        return product->negative ? negated(z) : z;
    default:
        return bytes_of(product);
    }
}

void product_drop(struct product *product)
{
    bytes_view_drop(&product->view);
    Py_CLEAR(product->object);
    PyMem_Free(product->copy);
    product->copy = NULL;
}
