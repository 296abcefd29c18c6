/*
 * fft_ocl.h - the library's own transform on an OpenCL device: passes, their shapes, and the transform of one length.
 *
 * A transform of a smooth length (2^a 3^b 5^c 7^d) is one or several passes over global memory: kernels/fft_transform.cl.  The
 * lengths of the passes and the work-groups' parameters are a shape.  fft_ocl_shapes_plan chooses it, and bench/b-fft device
 * measures others.
 */
#ifndef GFMUL_FFT_OCL_H
#define GFMUL_FFT_OCL_H

#include "fft/fft.h"
#include "ocl/ocl.h"

enum { FFT_OCL_PASSES = 4, FFT_OCL_STAGES = 5 };

/* One pass, by the kernel's parameters POINTS, ITEMS, COLUMNS, radices, SPLIT_EXCHANGE. */
struct fft_ocl_shape {
    unsigned points, items, columns;
    unsigned n_stages, radix[FFT_OCL_STAGES];
    bool split;
};

struct fft_ocl_shapes {
    unsigned n_passes;
    struct fft_ocl_shape pass[FFT_OCL_PASSES];
};

/* The limits of a device. */
struct fft_ocl_limits {
    size_t local_bytes, group_items;
};

/*
 * fft_ocl_shapes_plan - choose the passes of a smooth length; false if there are none (not smooth, too long).
 *
 *   s  out;   n  in  >= 1;   real_bytes  in  8, 4, 16;   permuted  in  the last pass works on rows
 * Cost: microseconds; about a millisecond for the longest lengths.
 */
bool fft_ocl_shapes_plan(struct fft_ocl_shapes *s, size_t n, size_t real_bytes, const struct fft_ocl_limits *limits,
                         bool permuted);

/* fft_ocl_shape_local_bytes - local memory of a pass, as the kernel's COLUMN_SLOTS has it. */
size_t fft_ocl_shape_local_bytes(const struct fft_ocl_shape *s, size_t real_bytes, bool rows);

/* fft_ocl_shapes_parse - "16.16/16/8/s,4.16.8/32/8": radices, items, columns, /s to exchange parts apart.  false: invalid. */
bool fft_ocl_shapes_parse(struct fft_ocl_shapes *s, const char *text);

/* fft_ocl_shapes_print - write the same text into n characters; fft_ocl_shapes_points - the length of these passes. */
void fft_ocl_shapes_print(char *text, size_t n, const struct fft_ocl_shapes *s);
size_t fft_ocl_shapes_points(const struct fft_ocl_shapes *s);

#ifdef HAVE_OPENCL
struct fft_ocl;

/*
 * fft_ocl_create - a complex transform of n points on a device: programs and tables.
 *
 *   n           in  a smooth length
 *   real_bytes  in  8, 4; 16: double-double, a number is two doubles, the second is the rest
 *   permuted    in  forward leaves the order of fft_ocl_frequency, backward expects it
 *   shapes      in  NULL: as fft_ocl_shapes_plan chooses; else passes whose points make n
 * The device has to stay open until fft_ocl_destroy.   Errors: UNSUPPORTED (no passes for this length), DEVICE, MEMORY.
 */
enum gfmul_status fft_ocl_create(const struct ocl_call *on, struct fft_ocl **t, size_t n, size_t real_bytes, bool permuted,
                                 const struct fft_ocl_shapes *shapes);
void fft_ocl_destroy(struct fft_ocl *t);

/* fft_ocl_frequency - the frequency k at a place of the spectrum; in natural order, the place itself. */
size_t fft_ocl_frequency(const struct fft_ocl *t, size_t place);

/* fft_ocl_shapes_of - the forward passes;  fft_ocl_needs_work - does a transform in place need extra memory? */
const struct fft_ocl_shapes *fft_ocl_shapes_of(const struct fft_ocl *t);
bool fft_ocl_needs_work(const struct fft_ocl *t);

/* A batch in device memory, whose transforms are in_dist and out_dist points apart. */
struct fft_ocl_call {
    cl_mem out, in; /* may be one buffer if the distances are equal */
    size_t out_dist, in_dist, batch;
    bool backward;
    double scale;      /* of the result */
    double scale_rest; /* double-double: scale + scale_rest */
    cl_mem work;       /* needed if out == in and fft_ocl_needs_work: batch * n points */
};

/*
 * fft_ocl_enqueue - enqueue it without waiting for anything.   Between ocl_device_lock and unlock.
 *
 *   on  in  its profile gets lines "pass 1", ..
 * Errors: SIZE, ocl_launch's.
 */
enum gfmul_status fft_ocl_enqueue(const struct ocl_call *on, const struct fft_ocl *t, const struct fft_ocl_call *call);

/*
 * fft_ocl_constants - bounds of the rounding errors of the passes, in double: relative errors, in units of u.
 *
 *   forward   out  of a spectrum, in the Euclidean norm
 *   backward  out  of a result, the scale included, against the sum of the moduli of the spectrum
 * Source: doc/error-bound.md, section 17.1.
 */
void fft_ocl_constants(const struct fft_ocl *t, double *forward, double *backward);
double fft_ocl_root_constant(void); /* error of a root from fft_ocl_roots */

/* fft_ocl_real_option - the option of kernels/fft_butterfly.cl for reals of this many bytes. */
const char *fft_ocl_real_option(size_t real_bytes);

/* fft_ocl_reciprocal - 1 / n as scale and, in double-double, its rest. */
void fft_ocl_reciprocal(struct fft_ocl_call *call, size_t n, size_t real_bytes);

/* fft_ocl_roots_fill - fft_roots_fill, or fft_dd_roots_fill for 16 bytes. */
enum gfmul_status fft_ocl_roots_fill(void *table, size_t real_bytes, size_t n, size_t step, size_t count);

/* Roots of unity in two tables: e(-e / n) = high[e >> low_bits] low[e mod 2^low_bits], e < count. */
struct fft_ocl_roots {
    cl_mem high, low;
    cl_uint low_bits;
};
enum gfmul_status fft_ocl_roots_create(const struct ocl_call *on, struct fft_ocl_roots *roots, size_t real_bytes, size_t n,
                                       size_t count);
void fft_ocl_roots_destroy(struct fft_ocl_roots *roots);

/*
 * A call's memory on the device, by enum gfmul_fft_memory.  `from` holds the batch at the beginning, `to` the result; both
 * without gaps.  Start with all zero; some memory may be kept between calls.
 */
struct fft_ocl_io {
    cl_mem from, to;
    cl_mem kept[2]; /* ALLOC_HOST */
    size_t kept_bytes[2];
    bool from_pool;
};

/* One side of a call: host memory, bytes of a transform, and bytes from one transform to the next. */
struct fft_ocl_side {
    void *p;
    size_t bytes, step;
};

void fft_ocl_io_free(struct fft_ocl_io *io);

/* The beginning of the state of a row on a device. */
struct fft_ocl_state {
    struct ocl_call on; /* the device; NULL if it could not be opened.  Without times and detail */
    struct fft_ocl_io io;
};

/* The transform of a row between buffers without gaps; the device is locked. */
typedef enum gfmul_status fft_ocl_transform(const struct gfmul_fft *plan, cl_mem out, cl_mem in, bool backward);

/*
 * fft_ocl_open - open the device that a plan's options name; "auto" names none.
 *
 * Errors: UNSUPPORTED if it lacks the plan's number type; ocl_device_open's.
 */
enum gfmul_status fft_ocl_open(struct ocl_device **d, const struct gfmul_fft *plan);

/*
 * fft_ocl_buffers_check - can a plan run on these buffers of a caller?   fft_ocl_spans_check - are they at least this long?
 *
 * Errors: ARGUMENT if one is too small, no buffer, or of another context; OVERLAP if they are different buffers that share
 *         memory of one buffer; DEVICE.
 */
enum gfmul_status fft_ocl_spans_check(const struct ocl_call *on, cl_mem out, size_t out_bytes, cl_mem in, size_t in_bytes);
enum gfmul_status fft_ocl_buffers_check(const struct gfmul_fft *plan, bool backward, cl_mem out, cl_mem in);

/*
 * fft_ocl_run, fft_ocl_finish, fft_ocl_queue - for run_batch (with the row's transform), finish and queue of struct fft_row.
 * plan->state begins with a struct fft_ocl_state.
 */
enum gfmul_status fft_ocl_run(const struct gfmul_fft *plan, void *out, size_t out_step, const void *in, size_t in_step,
                              bool backward, fft_ocl_transform *transform);
enum gfmul_status fft_ocl_finish(const struct gfmul_fft *plan);
/* fft_ocl_drain - wait before a plan frees memory that enqueued commands still use.  A state without a device is allowed. */
void fft_ocl_drain(const struct fft_ocl_state *s);
void *fft_ocl_queue(const struct gfmul_fft *plan);

/*
 * fft_ocl_in_place - enqueue `batch` transforms of a plan of row "opencl" in place, `points` points apart; for real ones points
 * is n/2 + 1.   Between ocl_device_lock and unlock.
 * fft_ocl_passes - its passes; not for real transforms, nor for lengths that are not smooth.
 */
enum gfmul_status fft_ocl_in_place(const struct gfmul_fft *plan, cl_mem x, size_t points, size_t batch, bool backward);
const struct fft_ocl *fft_ocl_passes(const struct gfmul_fft *plan);

/* fft_ocl_memory - grow a plan's own memory, which has `has` bytes, to at least this size.   Between lock and unlock. */
enum gfmul_status fft_ocl_memory(const struct ocl_call *on, cl_mem *m, size_t *has, size_t bytes);

/* fft_ocl_table - copy a table of the host to device memory. */
enum gfmul_status fft_ocl_table(const struct ocl_call *on, cl_mem *m, const void *table, size_t bytes);
#endif

#endif
