/*
 * stage_ops.h - the stages of the pipeline: tables of those that are compiled once per instruction set, and the others.
 *
 * Data.  This is for double; plan_dd.h has the same for double-double.  A buffer holds n complex points in rows of
 * shape.row_points, row r at x + r * shape.row_stride.  Within a row, points lie in blocks of 8: eight real parts, then eight
 * imaginary parts; point p of a row has its real part at 16 * (p / 8) + p % 8 and its imaginary part 8 further on.
 * All buffers are 64-byte aligned, plan_buffer_doubles() long.
 *
 * Digits.  Digit j of the product's N lies, by packing, in
 *     right-angle   the real part of point j (j < n), the imaginary part of point j - n (j >= n)
 *     one-for-half  the real (j even) or imaginary (j odd) part of point j / 2
 *     two-for-one   the real part of point j (operand a and the product), the imaginary part (operand b)
 *
 * Spectrum.  Leaf k of the tree (plan.h) lies in row k / row_points; within the row its group of 64 leaves g = k' / 64,
 * k' = k mod row_points, keeps its place, and leaf 8 s + v of the group lies in block v of the group, lane s.  With
 * BUTTERFLY_RADIX4 groups have 16 leaves, two blocks, and leaf 4 d + e lies at point 4 e + d of the group.
 */
#ifndef GFMUL_STAGE_OPS_H
#define GFMUL_STAGE_OPS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parallel.h"
#include "base/rounding.h"
#include "base/work_share.h"
#include "plan/plan.h"
#include "stages/stage_monitor.h"

enum { MAX_QUAD_BITS = 24, QUAD_DIGITS = 2 * PLAN_BLOCK };

/* The operand that a buffer is packed with.  It matters only to two-for-one, where both go into the same buffer. */
enum digit_part { DIGIT_PART_A, DIGIT_PART_B };

/* A digit that was put aside in borrowed memory: limbs of the product. */
typedef int16_t __attribute__((__may_alias__)) aside_digit;

/*
 * digit_source - an operand that balanced digits can be cut from at any place: limbs or text.
 *
 *   cut       writes digits first .. first + count - 1 of the operand, zeros beyond its end; |digit| <= ceil(B/2), B <= 2^30;
 *             first is a multiple of 8
 *   cut_wide  the same as doubles, for B <= 2^46
 *   prefetch  digits first .. first + 63 will be cut soon; NULL: the number is in the cache, or read in its order
 *
 * Made by limbs_source or text_source; reentrant.
 */
struct digit_source {
    void (*cut)(const struct digit_source *source, int32_t *d, size_t first, size_t count);
    void (*cut_wide)(const struct digit_source *source, double *d, size_t first, size_t count);
    void (*prefetch)(const struct digit_source *source, size_t first);
    const struct plan_shape *shape;
    const struct isa_ops *isa;
    const mp_limb_t *limbs;
    size_t n_limbs;
    /* limbs: where in a group of 8 digits the bytes of each lie, and how they are shifted; see digits.h */
    _Alignas(64) int64_t byte_offset[PLAN_BLOCK], shift_left[PLAN_BLOCK];
    /* the same for l <= MAX_QUAD_BITS, when four digits are in 16 bytes: where these begin, four bytes of each digit therein */
    _Alignas(64) uint8_t quad_bytes[4 * QUAD_DIGITS];
    int32_t quad_left[QUAD_DIGITS], quad_at[QUAD_DIGITS / 4];
    const struct text_number *text;
    const aside_digit *digits; /* that have been put aside, and how many */
    size_t n_digits;
};

/*
 * Digits first .. first + count - 1 of a source, which become digits 0 .. count - 1 of a transform.
 *
 * They are those of the whole operand, so that cells add up to it: a cell is without its own last carry, which the next cell
 * begins with.
 */
struct digit_cell {
    const struct digit_source *source;
    size_t first, count;
    enum digit_part part;
};

/* Coefficients first .. first + count - 1 of a product's buffer, multiples of 64. */
struct coefficient_range {
    const double *x;
    size_t first, count;
};

/*
 * Segments: strips that one thread carried through one behind the other, and the carries that they leave.
 * A carry belongs where row q's part of strip end[g] begins: at the real parts of row q, or the imaginary ones of row q - n_rows.
 */
struct strip_segments {
    unsigned threads; /* at most one for each strip */
    size_t room;      /* for so many segments, at least `threads` */
    atomic_size_t count;
    size_t *end; /* end[g], g < count: the strip behind the last one of segment g */
    void *carry; /* carry[g * 2 n_rows + q]: int64_t; decimal text: double, an integer */
};

/*
 * Figures of the coefficients that were rounded.  More coefficients only raise them, and a NaN or infinity among them makes them
 * infinite.
 */
struct round_stats {
    double max_error;                   /* largest |x - nearest integer|, x scaled */
    double max_value;                   /* largest |x| */
    double energy[PLAN_ENERGY_CLASSES]; /* right-angle: sums of x^2, by the indices of the points that they are in, modulo
                                           PLAN_ENERGY_CLASSES; double-double: infinite */
};

/* A coefficient in double-double that has been rounded: high 2^48 + low, |high| <= 2^50, |low| < 2^49. */
struct dd_rounded {
    int64_t high, low;
};

/*
 * A part of a sum of products of spectra: n products a b, or -a b, n >= 1.
 * Buffers in `columns` are as source_to_columns left them; they become spectra on the way.
 */
struct spectra_sum {
    double *z; /* buffer of the sum, none of the others */
    const struct spectra_product {
        const double *a, *b;
        bool minus;
    } * product;
    size_t n;
    const struct spectra_columns {
        double *x;
        size_t used_points;
    } * columns;
    size_t n_columns;
    bool more; /* not the first part: add to what is there */
    bool last; /* the last one: go back over the rows */
};

/*
 * Sums that are the entries of a matrix product, row by row: entry (i, j) is the sum of n products of row i's factors a with
 * column j's factors b, n >= 1.  They have no new factors nor other parts, and no lists of products.
 */
struct spectra_grid {
    size_t rows, columns, n;
    const struct spectra_factor {
        const double *x; /* NULL: 0 */
        bool minus;      /* -x */
    } * a, *b;           /* row by row, and column by column */
    double *panels;      /* SPECTRA_GRID_DOUBLES for each thread */
};

/* Products whose factors are in the panels at once, and doubles of these, with tiles that are not full. */
enum { SPECTRA_GRID_PRODUCTS = 32, SPECTRA_GRID_TILE = 4 };
#define SPECTRA_GRID_DOUBLES(rows, columns) \
    (((rows) + (columns) + 2 * (SPECTRA_GRID_TILE - 1)) * SPECTRA_GRID_PRODUCTS * (2 * (size_t)PLAN_LEAF_POINTS))

/*
 * stage_ops - the stages of one field (plan_field.h), compiled for one instruction set.
 *
 * A plan has the table of its field and its packing: right-angle in double, the cyclic packings in double, or double-double.
 * Drivers call its functions, and never ask which table it is.
 *
 *   scratch  out  threads * plan_scratch_doubles() doubles, aligned; NULL if that is 0
 *   threads  in   a limit
 */
struct stage_ops {
    /* ---- the pipeline: every table has all of these ---- */

    /*
     * source_to_columns - cut digits and do the forward column passes, strip by strip.
     * Right-angle: equals digits_from_source and the column passes of digits_to_spectrum, bit for bit.
     * The cyclic packings: digits_from_source alone.  Their column passes are done by columns_to_spectrum.
     *   x      out  buffer
     *   norms  out  energies; double-double: sum_sq alone
     */
    void (*source_to_columns)(const struct plan *plan, double *x, double *scratch, const struct digit_cell *cell,
                              struct digit_norms *norms, unsigned threads);

    /* columns_to_spectrum - the rest of the forward passes.   used_points: points from there on are zero (n: none known). */
    void (*columns_to_spectrum)(const struct plan *plan, double *x, double *scratch, size_t used_points, unsigned threads);

    /*
     * columns_mul - x, y as source_to_columns left them; x becomes the product before its inverse column passes.
     * Equals columns_to_spectrum of both, spectrum_mul and spectrum_to_columns, bit for bit.
     *   y  i/o  destroyed; y == x squares.  Two-for-one: x holds both operands, and y is NULL unless it squares
     */
    void (*columns_mul)(const struct plan *plan, double *x, double *y, double *scratch, size_t x_used, size_t y_used,
                        unsigned threads);

    /* columns_mul_kept - columns_mul against a spectrum y, which is only read.   Not for two-for-one. */
    void (*columns_mul_kept)(const struct plan *plan, double *x, const double *y, double *scratch, size_t x_used,
                             unsigned threads);

    /* spectrum_to_columns, columns_to_digits - the row and the column passes back; not yet scaled by 1/n. */
    void (*spectrum_to_columns)(const struct plan *plan, double *x, double *scratch, unsigned threads);
    void (*columns_to_digits)(const struct plan *plan, double *x, unsigned threads);

    /*
     * digits_to_limbs_run - round and carry digits into z, at most zn limbs.
     * *carry comes in and goes out; stats are raised.
     */
    void (*digits_to_limbs_run)(const struct plan *plan, mp_limb_t *z, size_t zn, const struct coefficient_range *from,
                                int64_t *carry, struct round_stats *stats);

    /* ---- optional: may be NULL ---- */

    /* twiddle_build - double: fill the tables of one pass.   See stages/twiddle.h. */
    void (*twiddle_build)(const struct plan *plan, unsigned pass, double *table, const double *lo, const double *hi,
                          unsigned h_bits, unsigned threads);

    /* spectrum_mul_add - double-double: x = (add ? x : 0) + a b, spectra.   x may be none of the others. */
    void (*spectrum_mul_add)(const struct plan *plan, double *x, const double *a, const double *b, bool add, unsigned threads);

    /*
     * spectra_sums_fused - right-angle: for n sums, z = the part of the sum, or z = z + it; then, if it is the last one, as
     * spectrum_to_columns leaves it.  plan_sum_constant has the rounding errors.  Sums go side by side, leaf by leaf, so that
     * factors which they share come from memory once.
     * Equals columns_to_spectrum of the buffers in columns, the sum, and spectrum_to_columns, sum by sum.
     *   grid  in  the products of all sums, or NULL.  The same bits as from lists, in which zeros have their places, but sooner
     */
    void (*spectra_sums_fused)(const struct plan *plan, const struct spectra_sum *sum, size_t n, const struct spectra_grid *grid,
                               unsigned threads);

    /* spectra_add - right-angle: z = a + b, or a - b, of spectra.   Value: the sum of |z_j|^2, not yet rounded up. */
    double (*spectra_add)(const struct plan *plan, double *z, const double *a, const double *b, bool minus, unsigned threads);

    /*
     * source_to_branch_fused - right-angle, shape.n_branches > 1: the columns of one branch of the root.
     * Equals source_to_columns of the cell, bit for bit, but that y holds the rows of that branch alone.
     *   y        out  plan_buffer_doubles() / n_branches doubles
     *   cell     in   at most n_points digits, from digit 0 on
     *   branch   in   less than n_branches
     *   norms    out  energies of all digits, or NULL
     */
    void (*source_to_branch_fused)(const struct plan *plan, double *y, double *scratch, const struct digit_cell *cell,
                                   unsigned branch, struct digit_norms *norms, unsigned threads);

    /*
     * branch_mul_fused - columns_mul on the rows of one branch.   x inout the whole buffer; y in, destroyed, the branch.
     * All branches in turn equal columns_mul, bit for bit.
     */
    void (*branch_mul_fused)(const struct plan *plan, double *x, double *y, unsigned branch, unsigned threads);

    /*
     * columns_to_limbs_fused - right-angle: the inverse column passes, rounding and carry, strip by strip.
     * Equals columns_to_digits and digits_to_limbs, except for the carries left at the end of each row and segment of strips.
     *   segments  i/o  of strip_segments_create; then ready for strip_segments_add
     */
    void (*columns_to_limbs_fused)(const struct plan *plan, mp_limb_t *z, size_t zn, double *x, double *scratch,
                                   struct strip_segments *segments, struct round_stats *stats);

    /*
     * columns_to_decimal_fused - right-angle, B = 10^e, e <= 8: inverse column passes, rounding, carry in base B and printing,
     * strip by strip.  Equals columns_to_digits and digits_to_text into zn characters at z, but for the carries left, as
     * columns_to_limbs_fused leaves them.
     * If stats->max_value is not below ROUND_VALUE_LIMIT, z and the carries have no meaning.
     */
    void (*columns_to_decimal_fused)(const struct plan *plan, char *z, size_t zn, double *x, double *scratch,
                                     struct strip_segments *segments, struct round_stats *stats);

    /*
     * digits_to_decimal_runs - double, B and values as above: round, carry and print digits of the number of zn characters at z,
     * each run of 64 for itself: what it leaves goes to carry[0 .. count / 64 - 1].   stats are raised.
     */
    void (*digits_to_decimal_runs)(const struct plan *plan, char *z, size_t zn, const struct coefficient_range *from,
                                   double *carry, struct round_stats *stats);

    /*
     * digits_round - double: scale and round digits first .. first + count - 1 of the product to integers.
     * first and count are multiples of 16.  If |scaled value| >= 2^51, as stats->max_value tells, v has no meaning.
     */
    void (*digits_round)(const struct plan *plan, int64_t *v, const double *x, size_t first, size_t count,
                         struct round_stats *stats);

    /* digits_round_dd - double-double: the same, multiples of 8, all within one row's points. */
    void (*digits_round_dd)(const struct plan *plan, struct dd_rounded *v, const double *x, size_t first, size_t count,
                            struct round_stats *stats);

    /* ---- double: single steps, of which convolutions of integers are made and which tests compare with the above ---- */

    /*
     * digits_pack - store count balanced digits as doubles at digit positions first .. first + count - 1.
     * first and count are multiples of 16.  Adds their energies to norms.
     */
    void (*digits_pack)(const struct plan *plan, double *x, enum digit_part part, size_t first, const int32_t *d, size_t count,
                        struct digit_norms *norms);

    /* digits_to_spectrum - forward transform in place. */
    void (*digits_to_spectrum)(const struct plan *plan, double *x, size_t used_points, unsigned threads);

    /* spectrum_mul - x = spectrum of the product; y is the other operand (two-for-one: unused, x holds both). */
    void (*spectrum_mul)(const struct plan *plan, double *x, const double *y, unsigned threads);
    void (*spectrum_sqr)(const struct plan *plan, double *x, unsigned threads);

    /* spectrum_to_digits - inverse transform in place, not yet scaled by 1/n. */
    void (*spectrum_to_digits)(const struct plan *plan, double *x, unsigned threads);
};

/* isa_ops - the functions that are compiled for one instruction set. */
struct dd_fft_ops;

struct isa_ops {
    const char *name;
    unsigned isa_bit; /* CPU_ISA_... of base/cpu.h */
    bool fma;
    unsigned max_radix;
    enum plan_butterfly butterfly;                        /* of radix 4: BUTTERFLY_NESTED, or what it has beside */
    const struct stage_ops *stages[PLAN_POINT_FIELDS][2]; /* by shape.field; [1]: of the cyclic packings */
    const struct dd_fft_ops *dd_fft;                      /* dd/dd_fft.h */

    /*
     * rounds_right - whether its operations round as the bound counts them: to nearest, once in an FMA, twice in a product and a
     * sum, and with gradual underflow.   False if the compiler's flags, the processor or its mode do not allow that.
     */
    bool (*rounds_right)(void);

    /*
     * limbs_cut - as source->cut of limbs, whole groups of 8 digits, as far as eight bytes can be read around each digit.
     * Returns the number of digits cut.  first is a multiple of 8, not 0.  NULL if the instruction set has no gather.
     */
    size_t (*limbs_cut)(const struct digit_source *source, int32_t *d, size_t first, size_t count);
};

/* round_stats_raise - to = what is seen of both: the larger maxima, the sums of the energies. */
static inline void round_stats_raise(struct round_stats *to, const struct round_stats *by)
{
    to->max_error = by->max_error > to->max_error ? by->max_error : to->max_error;
    to->max_value = by->max_value > to->max_value ? by->max_value : to->max_value;
    for (unsigned c = 0; c < PLAN_ENERGY_CLASSES; c++)
        to->energy[c] += by->energy[c];
}

/* round_stats_energy - the largest of the energies. */
static inline double round_stats_energy(const struct round_stats *stats)
{
    double energy = 0;
    for (unsigned c = 0; c < PLAN_ENERGY_CLASSES; c++)
        energy = stats->energy[c] > energy ? stats->energy[c] : energy;
    return energy;
}

/* What the threads of a region have seen, all together.  Each adds its own with the lock. */
struct stats_sum {
    struct round_stats all;
    pthread_mutex_t lock;
};

#define STATS_SUM ((struct stats_sum){.lock = PTHREAD_MUTEX_INITIALIZER})

static inline void stats_sum_add(struct stats_sum *sum, const struct round_stats *by)
{
    pthread_mutex_lock(&sum->lock);
    round_stats_raise(&sum->all, by);
    pthread_mutex_unlock(&sum->lock);
}

struct norms_sum {
    struct digit_norms all;
    pthread_mutex_t lock;
};

#define NORMS_SUM ((struct norms_sum){.lock = PTHREAD_MUTEX_INITIALIZER})

static inline void norms_sum_add(struct norms_sum *sum, const struct digit_norms *by)
{
    pthread_mutex_lock(&sum->lock);
    sum->all.sum_sq += by->sum_sq;
    sum->all.sum_pop += by->sum_pop;
    pthread_mutex_unlock(&sum->lock);
}

/* isa_ops_select - the best instruction set of this CPU among those in mask (CPU_ISA_... bits); never NULL. */
const struct isa_ops *isa_ops_select(unsigned mask);

/* isa_ops_list - the i-th instruction set built and usable here, best first; NULL after the last. */
const struct isa_ops *isa_ops_list(size_t i);

/* plan_buffer_doubles - length of a buffer. */
static inline size_t plan_buffer_doubles(const struct plan_shape *s)
{
    return s->transform.n_rows * s->transform.row_stride;
}

/* plan_point_offset - where the real part of point p lies, in doubles from the buffer's start. */
static inline size_t plan_point_offset(const struct plan_shape *s, size_t p)
{
    size_t q = p & (s->transform.row_points - 1); /* a power of two */
    return (p >> __builtin_ctzll(s->transform.row_points)) * s->transform.row_stride + q / PLAN_BLOCK * 2 * PLAN_BLOCK +
           q % PLAN_BLOCK;
}

/* The stages that are the same for every instruction set. */

/* limbs_source - an operand of an limbs, least significant first; B = 2^exponent. */
void limbs_source(struct digit_source *source, const struct plan *plan, const mp_limb_t *a, size_t an);

/*
 * digits_put_aside - cut the digits of an operand once, in the order in which the column passes of a branch read them.
 *
 *   aside     out  n_points digits, of which those from n_digits on are not written
 *   n_digits  in   at most n_points
 * Right-angle, with column passes; the base is 2^exponent, exponent <= PLAN_ASIDE_BITS.
 * Threads: parallel inside.   Cost: a pass over the operand.
 */
void digits_put_aside(aside_digit *aside, const struct plan *plan, const struct digit_source *source, size_t n_digits,
                      unsigned threads);

/* aside_source - the operand whose digits were put aside; cut from multiples of 64 on. */
void aside_source(struct digit_source *source, const struct plan *plan, const aside_digit *aside, size_t n_digits);

/*
 * digits_from_source - cut digits and pack them at positions 0 .. count - 1.
 *
 *   x      out  buffer; digits count .. N - 1 are set to zero (two-for-one: in this operand's part alone)
 *   norms  out  energies
 * Threads: parallel inside.   Cost: one pass over x.   Source: [Booth51] recoding.
 */
void digits_from_source(const struct plan *plan, double *x, const struct digit_cell *cell, struct digit_norms *norms,
                        unsigned threads);

/*
 * digits_to_limbs - round the convolution, carry, pack into limbs.
 *
 *   z    out  zn limbs, all written: sum of round(x_j) B^j mod 2^(64 zn)
 *   x    in   product buffer
 *   stats  out  of all n_digits coefficients
 * Threads: parallel inside.   Errors: MEMORY.
 */
enum gfmul_status digits_to_limbs(const struct plan *plan, mp_limb_t *z, size_t zn, const double *x, struct round_stats *stats,
                                  unsigned threads);

/* columns_to_limbs - columns_to_digits and digits_to_limbs in one; x is destroyed; scratch as in struct stage_ops. */
enum gfmul_status columns_to_limbs(const struct plan *plan, mp_limb_t *z, size_t zn, double *x, double *scratch,
                                   struct round_stats *stats, unsigned threads);

#endif
