/*
 * py_gfmul.h - the extension module gfmul._core: what its files share.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The module keeps to the limited API of Python 3.10.  The package in python/src/gfmul/ is written on top of it.
 *
 *   py_module      the module, its state, errors
 *   py_digits      the digits of Python's int
 *   py_numbers     operands of products: int, mpz, bytes, buffers of limbs; results likewise
 *   py_watch       long calls, which signals stop, and whose progress is told
 *   py_context     the type Context: options, products
 *   py_arith       its methods above a product: text, quotients, roots
 *   py_many        its methods modulo numbers: powers, remainders modulo many, batch GCD
 *   py_spaces      the types Space and Spectrum
 *   py_report      plans and reports as dictionaries
 *   py_transforms  the types Transform, Ntt and Kernel
 */
#ifndef GFMUL_PY_GFMUL_H
#define GFMUL_PY_GFMUL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <gfmul_fft.h>
#include <stdbool.h>

/* The state of a module. */
struct core_state {
    PyObject *context_type;   /* Context */
    PyObject *transform_type; /* Transform */
    PyObject *ntt_type;       /* Ntt */
    PyObject *kernel_type;    /* Kernel */
    PyObject *space_type;     /* Space */
    PyObject *spectrum_type;  /* Spectrum */
    PyObject *error;          /* a function of the package: (status, detail, report or None) to an exception */
    PyObject *new_limbs;      /* a function of the package: (like, n) to a buffer of n limbs */
    PyObject *from_bytes;     /* int.from_bytes */
    size_t digits_offset;     /* int_digits_offset */
};

/* core_state - the state of the module that a type belongs to; never NULL for the types of this module. */
struct core_state *core_state(PyTypeObject *type);

/*
 * core_raise - set the exception of a status.
 *
 *   ctx  in  the context whose report has the details; NULL: there is none
 *
 * An exception that is set already stays: that of the progress callback or of a signal.
 */
void core_raise(const struct core_state *state, enum gfmul_status status, struct gfmul_ctx *ctx);

/* core_raise_detail - the same for a call without a context.   detail  in  one line of English, or "". */
void core_raise_detail(const struct core_state *state, enum gfmul_status status, const char *detail);

/* --- py_digits ----------------------------------------------------------------------------------------------------------- */

/*
 * int_digits_offset - where the digits of an int lie within it; 0 if they are not found there, or are not of 30 bits.
 *
 *   from_bytes  in  int.from_bytes
 *
 * Numbers of 2 to 37 limbs are read and made by the functions below, and compared.
 */
size_t int_digits_offset(PyObject *from_bytes);

/*
 * int_to_limbs - the limbs of an int.
 *
 *   offset     in   int_digits_offset, not 0
 *   magnitude  in   an int > 0 of n_bits bits
 *   z          out  zn = ceil(n_bits / 64) limbs
 */
void int_to_limbs(size_t offset, PyObject *magnitude, size_t n_bits, mp_limb_t *z, size_t zn);

/* int_of_limbs - a new int of zn limbs, or NULL with an exception. */
PyObject *int_of_limbs(size_t offset, const mp_limb_t *z, size_t zn);

/* --- py_numbers ---------------------------------------------------------------------------------------------------------- */

/* The buffer of another object, held until bytes_view_drop. */
struct bytes_view {
    PyObject *held; /* a memoryview, the bytes object itself, or a copy of items with gaps between them */
    void *p;
    size_t bytes, item_bytes;
    int n_dims;
    char format; /* 'B' where it has none; 0: of several characters */
};

/*
 * bytes_view_get - the contiguous memory of an object, or a contiguous copy.  false: an exception is set.
 *
 *   writable  in  true: the object must be writable and contiguous; it is not copied
 *
 * Errors:   TypeError: no buffer, or not writable, or not contiguous.
 */
bool bytes_view_get(struct bytes_view *view, PyObject *object, bool writable);
void bytes_view_drop(struct bytes_view *view);

enum number_kind { NUMBER_INT, NUMBER_MPZ, NUMBER_BYTES, NUMBER_LIMBS }; /* int and mpz may be mixed */

/* An operand: |value| = sum of limb[i] 2^(64 i). */
struct number {
    enum number_kind kind;
    bool negative;
    const mp_limb_t *limb;
    size_t n;
    size_t bytes;           /* kind BYTES: its length */
    struct bytes_view view; /* holds the limbs, if they are another object's */
    mp_limb_t *copy;        /* else these */
};

/* number_get - the limbs of an operand, copied only if they do not lie in memory as limbs.  false: an exception is set. */
bool number_get(struct number *number, const struct core_state *state, PyObject *object);
void number_drop(struct number *number);

/* integer_get - number_get of an int or mpz, or of another integer (py_arith).  false: an exception is set. */
bool integer_get(struct number *x, const struct core_state *state, PyObject *object);

/* The product of two operands. */
struct product {
    enum number_kind kind;
    bool negative;
    mp_limb_t *z;
    size_t zn, bytes;       /* kind BYTES: bytes of the result */
    PyObject *object;       /* holds z, if that is an object's memory */
    struct bytes_view view; /* of it, or of the caller's buffer */
    mp_limb_t *copy;        /* else this is z */
};

/*
 * product_get - room for a product of two operands of one kind, or of int and mpz.  false: an exception is set.
 *
 *   like  in  the first operand: a result of limbs is of its type
 *   out   in  a buffer for the limbs, or NULL
 */
bool product_get(struct product *product, const struct core_state *state, const struct number *a, const struct number *b,
                 PyObject *like, PyObject *out);

/* product_finish - the result as an object, or NULL with an exception. */
PyObject *product_finish(struct product *product, const struct core_state *state);
void product_drop(struct product *product);

/* --- py_watch ------------------------------------------------------------------------------------------------------------ */

/* A call of the library: run and what it needs. */
struct library_call {
    enum gfmul_status (*run)(struct library_call *call); /* touches nothing of Python */
    struct gfmul_ctx *ctx;
    size_t an, bn;
    mp_limb_t *z; /* limbs: as for gfmul_mul; b NULL: a square */
    const mp_limb_t *a, *b;
    char *z_text; /* text: as for gfmul_str_mul */
    size_t z_size, zn;
    const char *a_text, *b_text;
    int z_base, a_base, b_base;
    mp_limb_t *rest; /* of quotients and roots: as for gfmul_tdiv_qr and gfmul_sqrtrem */
    int negative;    /* of a number from text, or of the number whose remainders are wanted */
    const mp_limb_t *m; /* of powers: the modulus; b is the exponent */
    size_t mn;
    mpz_srcptr moduli; /* of remainders and batch GCD: arrays of n_moduli integers; the results have room */
    mpz_ptr results;
    size_t n_moduli;
    struct gfmul_spectrum *spectrum[3]; /* of operations on spectra: the result, x and y */
    struct gfmul_spectrum **spectra[3]; /* of dot (rows 0) and matmul: likewise */
    size_t rows, inner, columns;
};

/*
 * call_run - make a call of the library, with the GIL released.
 *
 *   call      i/o  its memory belongs to objects that the caller holds
 *   is_long   in   true: look for signals while it runs
 *   progress  in   a callable, or NULL.  It is called with 0, with the share done while the call runs, and with 1 after it,
 *                  in this thread.  If it returns true, the call stops.
 *   status    out  of the call; INTERRUPTED also if the callable asked for that
 *
 * false: an exception of the callable or of a signal's handler is set.
 */
bool call_run(struct library_call *call, bool is_long, PyObject *progress, enum gfmul_status *status);

/* call_progress - the library's progress callback for contexts whose calls go through call_run.  It needs no argument. */
int call_progress(void *unused, double done);

/* --- py_context ---------------------------------------------------------------------------------------------------------- */

struct context {
    PyObject_HEAD struct gfmul_ctx *ctx;
    PyObject *progress; /* a callable, or NULL */
};

/* Sizes of both operands together from which signals are looked for: 10 ms on one core of a Zen 3, 15 times that at worst. */
enum { CONTEXT_LONG_LIMBS = 1 << 17, CONTEXT_LONG_CHARACTERS = 1 << 21 };

/* text_get - characters of a str, or of a buffer of bytes.  view holds the latter.  NULL: an exception is set. */
const char *text_get(PyObject *object, struct bytes_view *view, size_t *length);

/* text_arguments - text_get for the arguments of _from_str: a text and its base. */
const char *text_arguments(PyObject *args, struct bytes_view *view, size_t *length, int *base);

/* --- py_arith ------------------------------------------------------------------------------------------------------------ */

/* Methods of Context: _to_str(n, base), _from_str(text, base), divmod(a, b), isqrt(n). */
PyObject *context_to_str(PyObject *self, PyObject *args);
PyObject *context_from_str(PyObject *self, PyObject *args);
PyObject *context_divmod(PyObject *self, PyObject *args);
PyObject *context_isqrt(PyObject *self, PyObject *number);

/* --- py_many ------------------------------------------------------------------------------------------------------------- */

/* Methods of Context: _powmod(a, e, m), remainders(a, moduli), batch_gcd(moduli). */
PyObject *context_powmod(PyObject *self, PyObject *args);
PyObject *context_remainders(PyObject *self, PyObject *args);
PyObject *context_batch_gcd(PyObject *self, PyObject *moduli);

/* --- py_report ----------------------------------------------------------------------------------------------------------- */

/* plan_dict, report_dict - all fields by their names in gfmul.h; NULL with an exception. */
PyObject *plan_dict(const struct gfmul_plan_info *plan);
PyObject *report_dict(const struct gfmul_report *report);

/* --- types --------------------------------------------------------------------------------------------------------------- */

extern PyType_Spec context_spec, transform_spec, ntt_spec, kernel_spec, space_spec, spectrum_spec;

/* convolve_once - the module's function convolve: two sequences whose sizes are looked at.  Kernels know only one's. */
PyObject *convolve_once(PyObject *module, PyObject *args);

#endif
