/*
 * py_digits.c - limbs from the digits of an int, and an int of limbs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * to_bytes and from_bytes go byte by byte: 1.5 ns a byte (doc/decisions/python-package.md).  The limited API has no other
 * way to the digits, 30 bits each.  They are read and written where they lie if a test at import finds them there.
 */
#include "py_gfmul.h"

#include <string.h>

enum { DIGIT_BITS = 30, PAIR_BITS = 2 * DIGIT_BITS, BLOCK_PAIRS = 16, BLOCK_LIMBS = 15 };
#define DIGIT_MASK ((UINT64_C(1) << DIGIT_BITS) - 1)
#define PAIR_MASK  ((UINT64_C(1) << PAIR_BITS) - 1)

static uint64_t pair_load(const uint32_t *d)
{
    return d[0] | (uint64_t)d[1] << DIGIT_BITS;
}

static void pair_store(uint32_t *d, uint64_t pair)
{
    d[0] = (uint32_t)(pair & DIGIT_MASK);
    d[1] = (uint32_t)(pair >> DIGIT_BITS & DIGIT_MASK);
}

/* limbs_of_digits - zn = ceil(30 dn / 64) limbs at most are written: as many as z has. */
static void limbs_of_digits(uint64_t *z, size_t zn, const uint32_t *d, size_t dn)
{
    size_t i = 0, k = 0;
    for (; dn - k >= 2 * BLOCK_PAIRS && zn - i >= BLOCK_LIMBS; i += BLOCK_LIMBS, k += 2 * BLOCK_PAIRS) {
        for (unsigned j = 0; j < BLOCK_LIMBS; j++)
            z[i + j] = pair_load(d + k + 2 * j) >> 4 * j | pair_load(d + k + 2 * j + 2) << (PAIR_BITS - 4 * j);
    }
    uint64_t low = 0;
    unsigned fill = 0;
    for (; k < dn && i < zn; k++) {
        low |= (uint64_t)d[k] << fill;
        fill += DIGIT_BITS;
        if (fill >= 64) {
            z[i++] = low;
            fill -= 64;
            low = d[k] >> (DIGIT_BITS - fill);
        }
    }
    if (i < zn)
        z[i] = low;
}

/* digits_of_limbs - the dn lowest digits. */
static void digits_of_limbs(uint32_t *d, size_t dn, const uint64_t *z, size_t zn)
{
    size_t i = 0, k = 0;
    for (; dn - k >= 2 * BLOCK_PAIRS && zn - i >= BLOCK_LIMBS; i += BLOCK_LIMBS, k += 2 * BLOCK_PAIRS) {
        pair_store(d + k, z[i] & PAIR_MASK);
        for (unsigned j = 1; j < BLOCK_LIMBS; j++)
            pair_store(d + k + 2 * j, (z[i + j - 1] >> (64 - 4 * j) | z[i + j] << 4 * j) & PAIR_MASK);
        pair_store(d + k + 2 * BLOCK_LIMBS, z[i + BLOCK_LIMBS - 1] >> 4);
    }
    for (size_t at = 64 * i; k < dn; k++, at += DIGIT_BITS) {
        const size_t limb = at / 64;
        const unsigned shift = at % 64;
        uint64_t bits = limb < zn ? z[limb] >> shift : 0;
        if (shift > 64 - DIGIT_BITS && limb + 1 < zn)
            bits |= z[limb + 1] << (64 - shift);
        d[k] = (uint32_t)(bits & DIGIT_MASK);
    }
}

static uint32_t *digits(PyObject *object, size_t offset)
{
    return (uint32_t *)(void *)((char *)object + offset);
}

void int_to_limbs(size_t offset, PyObject *magnitude, size_t n_bits, mp_limb_t *z, size_t zn)
{
    limbs_of_digits((uint64_t *)z, zn, digits(magnitude, offset), n_bits / DIGIT_BITS + (n_bits % DIGIT_BITS != 0));
}

PyObject *int_of_limbs(size_t offset, const mp_limb_t *z, size_t zn)
{
    while (zn > 0 && z[zn - 1] == 0)
        zn--;
    if (zn < 2)
        return PyLong_FromUnsignedLongLong(zn > 0 ? z[0] : 0);
    const size_t n_bits = 64 * zn - (size_t)__builtin_clzll(z[zn - 1]);
    /* An int of the same digits' count that nobody else has: 2^(n_bits - 1). */
    PyObject *one = PyLong_FromLong(1), *shift = PyLong_FromSize_t(n_bits - 1);
    PyObject *room = one && shift ? PyNumber_Lshift(one, shift) : NULL;
    Py_XDECREF(shift);
    Py_XDECREF(one);
    if (room)
        digits_of_limbs(digits(room, offset), (n_bits - 1) / DIGIT_BITS + 1, (const uint64_t *)z, zn);
    return room;
}

/* whole_attribute - an attribute that is a small number; -1 without an exception if there is none. */
static long whole_attribute(PyObject *object, const char *name)
{
    PyObject *value = object ? PyObject_GetAttrString(object, name) : NULL;
    const long n = value ? PyLong_AsLong(value) : -1;
    Py_XDECREF(value);
    PyErr_Clear();
    return n;
}

/* round_trip - whether limbs are found in an int, and an int is made of them that equals it. */
static bool round_trip(PyObject *value, const mp_limb_t *limb, size_t n, size_t n_bits, size_t offset)
{
    mp_limb_t found[40] = {0};
    bool same = false;
    if (value) {
        int_to_limbs(offset, value, n_bits, found, n);
        same = memcmp(found, limb, n * sizeof *limb) == 0;
    }
    PyObject *made = same ? int_of_limbs(offset, limb, n) : NULL;
    same = made && PyObject_RichCompareBool(made, value, Py_EQ) == 1;
    Py_XDECREF(made);
    PyErr_Clear();
    return same;
}

size_t int_digits_offset(PyObject *from_bytes)
{
    enum { TRIED = 37 };
    PyObject *info = PySys_GetObject("int_info"); /* borrowed */
    const long offset = whole_attribute((PyObject *)&PyLong_Type, "__basicsize__");
    if (whole_attribute(info, "bits_per_digit") != DIGIT_BITS || whole_attribute(info, "sizeof_digit") != sizeof(uint32_t) ||
        whole_attribute((PyObject *)&PyLong_Type, "__itemsize__") != sizeof(uint32_t) ||
        offset < (long)sizeof(PyObject) + (long)sizeof(size_t) || offset > 64)
        return 0;
    mp_limb_t limb[TRIED];
    for (size_t i = 0; i < TRIED; i++)
        limb[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) | UINT64_C(1) << 63;
    for (size_t n = 2; n <= TRIED; n++) {
        PyObject *value = PyObject_CallFunction(from_bytes, "y#s", (const char *)limb, (Py_ssize_t)(n * sizeof *limb), "little");
        const bool same = round_trip(value, limb, n, 64 * n, (size_t)offset);
        Py_XDECREF(value);
        PyErr_Clear();
        if (!same)
            return 0;
    }
    return (size_t)offset;
}
