/*
 * fft.h - internal declarations of the plain FFT: the smooth kernel's passes, plans, the functions of each instruction set.
 *
 * A kernel is a Stockham transform of a smooth length n (2^a 3^b 5^c 7^d) on split arrays.  A pass of radix r at stride s,
 * s r m = n, is
 *
 *     y[q + s (r p + k)] = e(-p k / (r m)) sum over j < r of e(-j k / r) x[q + s (p + m j)],   q < s, p < m, k < r,
 *
 * and the next pass has stride s r.  So the result is in natural order without any permutation.
 *
 * A length is transformed
 *     directly       one kernel: interleaved input, passes between two split buffers, interleaved output;
 *     in four steps  n = n1 n2: columns in blocks of n1 rows, as many columns at a time as fill FFT_LANE_BYTES; twiddles; then
 *                    rows, in blocks of n2 (fft_block.h);
 *     by Bluestein   a chirp, a cyclic convolution of a smooth length >= 2n - 1, a chirp;
 *     by Rader       n prime, n - 1 smooth: a cyclic convolution of n - 1 points, ordered by powers of a primitive root.
 * The backward transform is the forward one with real and imaginary parts swapped on input and output.
 */
#ifndef GFMUL_FFT_INSIDE_H
#define GFMUL_FFT_INSIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gfmul_fft.h"

enum { FFT_MAX_PASSES = 64, FFT_LANE_BYTES = 64, FFT_FEW_ROWS = 64, FFT_REAL_LOW = 4096, FFT_FETCH_BYTES = 1 << 19 };

struct fft_pass {
    unsigned radix;
    size_t s, m;
    const void *twiddle; /* m (r - 1) pairs (cos, sin) of e(-pk/(rm)), k = 1 .. r-1 inside p; NULL for m = 1 */
    const void *columns; /* the first pass: the same numbers as cosines, then sines of each k, over all p; else NULL */
};

/* A smooth kernel: passes and their tables, in the precision of the plan. */
struct fft_kernel {
    size_t n;
    unsigned n_passes;
    struct fft_pass pass[FFT_MAX_PASSES];
    void *tables; /* owned */
};

/* A level of a transform on blocks: radix points, after l points are transformed, n = l radix m; see fft_block.h. */
struct fft_level {
    unsigned radix, n_roots; /* n_roots: numbers for each k */
    bool paired;             /* runs together with the next level */
    size_t l, m;
    const void *roots; /* l times: c and tau of e(-k / 2l); of e(-2 k / 4l), e(-k / 4l); of e(-4 k / 8l), e(-2 k / 8l),
                          e(-k / 8l), e(-k / 8l - 1/8); odd radices: cosine and sine of e(-i k / (l radix)), 0 < i < radix */
};

struct fft_block {
    size_t n;
    bool wide;    /* after the n1 points of the lanes: n1 l in place of l, k1 + n1 k in place of k, in vectors of lanes */
    size_t group; /* numbers of the tables of one group of lanes */
    unsigned n_levels;
    struct fft_level level[FFT_MAX_PASSES];
    void *tables; /* owned */
};

enum fft_method { FFT_DIRECT, FFT_FOUR_STEPS, FFT_BLUESTEIN, FFT_RADER, FFT_N_METHODS };

/* A complex transform of any length. */
struct fft_complex {
    size_t n;
    enum fft_method method;
    struct fft_kernel kernel;        /* direct */
    struct fft_block a, b;           /* four steps: columns of n1 by a, rows of n2 by b */
    size_t block_bytes, c_step;      /* bytes of a block; numbers from one block of columns to the next */
    size_t root_bits;                /* e(-e / n) = high[e >> root_bits] low[e mod 2^root_bits] */
    void *low, *high, *lane_roots;   /* lane_roots: e(-k l / n), l < L: cosines then sines for each k < n1 */
    bool permuted;                   /* four steps: forward leaves the order of fft_complex_frequency, backward expects it */
    struct fft_complex *back;        /* and the plan of backward, with n1 and n2 exchanged; NULL if they are equal */
    struct fft_complex *inner;       /* Bluestein, Rader: the cyclic convolution */
    void *chirp, *chirp_spectrum;    /* Bluestein: n, both: inner->n complex numbers; the spectrum is divided by inner->n */
    uint32_t *powers;                /* Rader: g^q modulo n, q < n - 1, g a primitive root */
    size_t work_bytes, thread_bytes; /* of one transform: work_bytes are shared, and each thread has thread_bytes */
};

/* The functions of one instruction set in one precision; all pointers are to numbers of that precision. */
struct fft_ops {
    /*
     * complex_run - one transform; scale: 1 forwards; in == out allowed, but no other overlap; work: work_bytes + threads *
     * thread_bytes, aligned.
     */
    void (*complex_run)(const struct fft_complex *t, void *out, const void *in, bool backward, double scale, void *work,
                        unsigned threads);
    /*
     * real_split, real_join - convert between h points of the packed transform and h + 1 of the real one, n = 2h; in place is
     * allowed.  roots: fft_real_roots(2 h).
     */
    void (*real_split)(size_t h, const void *roots, void *z);
    void (*real_join)(size_t h, const void *roots, void *z, const void *x);
    /* multiply - complex numbers: x_j times y_j, or times its conjugate. */
    void (*multiply)(void *x, const void *y, size_t count, bool conjugate);
    size_t real_bytes;
};

struct fft_isa {
    const char *name;
    const struct fft_ops *of_double, *of_float;
};

/* fft_isa_select - the best instruction set of this CPU that GFMUL_DISABLE allows; never NULL. */
const struct fft_isa *fft_isa_select(void);

/* fft_isa_list - the i-th instruction set that is built and usable here, best first; NULL after the last. */
const struct fft_isa *fft_isa_list(size_t i);

/* fft_complex_create - plan a complex transform of n points.   Errors: MEMORY, SIZE. */
enum gfmul_status fft_complex_create(struct fft_complex **t, size_t n, size_t real_bytes, const struct fft_ops *ops);

/* fft_complex_create_method - the same by a given method; UNSUPPORTED if the method cannot do this length. */
enum gfmul_status fft_complex_create_method(struct fft_complex **t, size_t n, size_t real_bytes, const struct fft_ops *ops,
                                            enum fft_method method);

/*
 * fft_complex_create_permuted - the same with a spectrum in the order of fft_complex_frequency if that is faster; else in natural
 * order.  In four steps, n = n1 n2, with L lanes, k = g L + l + n1 k2, l < L, k2 < n2, has the place (g n2 + k2) L + l.
 */
enum gfmul_status fft_complex_create_permuted(struct fft_complex **t, size_t n, size_t real_bytes, const struct fft_ops *ops);
size_t fft_complex_frequency(const struct fft_complex *t, size_t real_bytes, size_t place);
void fft_complex_destroy(struct fft_complex *t);

/* fft_is_smooth - is n = 2^a 3^b 5^c 7^d? */
bool fft_is_smooth(size_t n);

/* fft_smooth_above - the cheapest 2^a 3^b 5^c 7^d >= n (a power of two times at most 9); 0 if there is none in size_t. */
size_t fft_smooth_above(size_t n);

/*
 * fft_roots_fill - table[2 j], table[2 j + 1] = cos, sin of -2 pi j step / n, j < count, each rounded once.   real_bytes: 8, 4.
 * fft_dd_roots_fill - the same in double-double: cos, its rest, sin, its rest.
 */
enum gfmul_status fft_roots_fill(void *table, size_t real_bytes, size_t n, size_t step, size_t count);
enum gfmul_status fft_dd_roots_fill(double *table, size_t n, size_t step, size_t count);

/*
 * fft_real_roots - the factors of real_split and real_join: e(-j/n) for j <= n/4.  If these are more than FFT_REAL_LOW, only
 * so many of them, then e(-j FFT_REAL_LOW / n).   n is even.   Errors: MEMORY.
 */
enum gfmul_status fft_real_roots(void **roots, size_t n, size_t real_bytes);

/* fft_names_device - does this choice require a device, whatever the machine has? */
bool fft_names_device(const char *device);

struct fft_row;

struct fft_workspace {
    _Alignas(64) size_t bytes; /* of memory */
    _Alignas(64) char memory[];
};

struct gfmul_fft {
    size_t n, batch, in_dist, out_dist; /* distances in elements of that side */
    enum gfmul_fft_type type;
    size_t real_bytes; /* bytes per real: 8 or 4; 16 in double-double */
    double scale;      /* of a backward transform */
    bool permuted;     /* the permuted order was asked for */
    unsigned threads;
    const struct fft_row *row;
    const char *device; /* the caller's string; valid until create returns */
    void *cl_context, *cl_queue;
    enum gfmul_fft_memory memory;
    enum gfmul_fft_twiddles twiddles;
    const struct fft_isa *isa;
    const struct fft_ops *ops;
    void (*multiply)(void *x, const void *y, size_t count, bool conjugate); /* like that of ops, in the plan's precision */
    struct fft_complex *complex; /* rows of the library's own transform: of n points, or n / 2 for even real ones */
    void *roots;                 /* even real transforms: fft_real_roots; others: their own */
    void *state;                 /* of rows that need more */
    size_t work_bytes;
    _Atomic(struct fft_workspace *) spare; /* one workspace, kept between calls */
};

/*
 * fft_row - one algorithm.
 *
 *   create     fills plan->state or plan->complex; n, type, precision are set.  UNSUPPORTED if it cannot do them
 *   run        one transform of the batch; in == out allowed.  work: plan->work_bytes
 *   run_batch  replaces run: the whole batch, steps in bytes
 *   enqueue, finish, queue
 *              gfmul_fft_enqueue, _finish, _queue; NULL if the row has no device, or does not support them
 *   frequency  gfmul_fft_frequency; NULL if the row has only natural order
 */
struct fft_row {
    struct gfmul_fft_algorithm about;
    bool twiddles; /* accepts the option `twiddles` */
    enum gfmul_status (*create)(struct gfmul_fft *plan);
    enum gfmul_status (*run)(const struct gfmul_fft *plan, void *out, const void *in, bool backward, void *work,
                             unsigned threads);
    enum gfmul_status (*run_batch)(const struct gfmul_fft *plan, void *out, size_t out_step, const void *in, size_t in_step,
                                   bool backward);
    enum gfmul_status (*enqueue)(const struct gfmul_fft *plan, void *out, void *in, bool backward);
    enum gfmul_status (*finish)(const struct gfmul_fft *plan);
    void *(*queue)(const struct gfmul_fft *plan);
    size_t (*frequency)(const struct gfmul_fft *plan, size_t place);
    void (*destroy)(struct gfmul_fft *plan);
};

extern const struct fft_row fft_row_dd; /* "auto" in double-double */
extern const struct fft_row fft_row_auto, fft_row_fftw, fft_row_opencl;

/* fft_rows - the algorithms that a plan can name, "auto" first, NULL after the last: in fft_rows.c, or the gallery's. */
extern const struct fft_row *const fft_rows[];

#endif
