/*
 * stage_ops.h - the stages of the pipeline that are compiled once per instruction set.
 *
 * Data.  A buffer holds n complex points in rows of shape.row_points, row r at x + r * shape.row_stride.  Within a row,
 * points lie in blocks of 8: eight real parts, then eight imaginary parts; point p of a row has its real part at
 * 16 * (p / 8) + p % 8 and its imaginary part 8 further on.  All buffers are 64-byte aligned, plan_buffer_doubles() long.
 *
 * Digits.  Digit j of the product's N lies, by packing, in
 *     right-angle   the real part of point j (j < n), the imaginary part of point j - n (j >= n)
 *     one-for-half  the real (j even) or imaginary (j odd) part of point j / 2
 *     two-for-one   the real part of point j (operand a and the product), the imaginary part (operand b)
 *
 * Spectrum.  Leaf k of the tree (plan.h) lies in row k / row_points; within the row its group of 64 leaves g = k' / 64,
 * k' = k mod row_points, keeps its place, and leaf 8 s + v of the group lies in block v of the group, lane s.
 */
#ifndef GFMUL_STAGE_OPS_H
#define GFMUL_STAGE_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rounding.h"
#include "base/work_share.h"
#include "plan/plan.h"
#include "stages/stage_monitor.h"

enum { MAX_QUAD_BITS = 24, QUAD_DIGITS = 2 * PLAN_BLOCK };

/* Which operand a buffer is packed with: it matters to two-for-one alone, where both go into the same buffer. */
enum digit_part { DIGIT_PART_A, DIGIT_PART_B };

/* A digit that has been put aside, in memory that is another's: limbs of the product. */
typedef int16_t __attribute__((__may_alias__)) aside_digit;

/*
 * digit_source - an operand that balanced digits can be cut from at any place: limbs or text.
 *
 *   cut  writes digits first .. first + count - 1 of the operand, zeros beyond its end; first is a multiple of 8;
 *        |digit| <= ceil(B/2).  Made by limbs_source or text_source; reentrant.
 */
struct digit_source {
    void (*cut)(const struct digit_source *source, int32_t *d, size_t first, size_t count);
    void (*prefetch)(const struct digit_source *source, size_t first); /* digits first .. first + 63 will be cut soon */
    const struct plan_shape *shape;
    const struct stage_ops *ops;
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

/* Strips that one thread carried through one behind the other: 0 .. count - 1, end[g] the strip behind the last one of g. */
struct strip_segments {
    size_t room; /* for so many */
    atomic_size_t count;
    size_t *end;
};

/*
 * What is seen while coefficients are rounded: more coefficients raise it, none lower it.  NaN and infinity among them make all
 * of it infinite.
 */
struct round_stats {
    double max_error;                   /* largest |x - nearest integer|, x scaled */
    double max_value;                   /* largest |x| */
    double energy[PLAN_ENERGY_CLASSES]; /* right-angle: sums of x^2, by the indices of the points that they are in, modulo
                                           PLAN_ENERGY_CLASSES; double-double: infinite */
};

struct dd_ops;

struct stage_ops {
    const char *isa;
    unsigned isa_bit; /* CPU_ISA_... of base/cpu.h */
    bool fma;
    unsigned max_radix;
    const struct dd_ops *dd; /* the same in double-double: dd_ops.h */

    /* twiddle_build - fill the tables of one pass; threads is a limit.  See stages/twiddle.h. */
    void (*twiddle_build)(const struct plan *plan, unsigned pass, double *table, const double *lo, const double *hi,
                          unsigned h_bits, unsigned threads);

    /*
     * digits_pack - store count balanced digits as doubles at digit positions first .. first + count - 1.
     * first and count are multiples of 16.  Adds their energies to norms.
     */
    void (*digits_pack)(const struct plan *plan, double *x, enum digit_part part, size_t first, const int32_t *d, size_t count,
                        struct digit_norms *norms);

    /*
     * limbs_cut - as source->cut of limbs, whole groups of 8 digits, as far as eight bytes can be read around each digit; returns
     * how many were cut.  first is a multiple of 8, not 0.  NULL where the instruction set has no gather.
     */
    size_t (*limbs_cut)(const struct digit_source *source, int32_t *d, size_t first, size_t count);

    /* digits_to_spectrum - forward transform in place; used_points: points from there on are zero (n: none known). */
    void (*digits_to_spectrum)(const struct plan *plan, double *x, size_t used_points, unsigned threads);

    /* spectrum_mul - x = spectrum of the product; y is the other operand (two-for-one: unused, x holds both). */
    void (*spectrum_mul)(const struct plan *plan, double *x, const double *y, unsigned threads);
    void (*spectrum_sqr)(const struct plan *plan, double *x, unsigned threads);

    /* spectrum_to_digits - inverse transform in place, not yet scaled by 1/n. */
    void (*spectrum_to_digits)(const struct plan *plan, double *x, unsigned threads);

    /*
     * source_to_columns_fused - right-angle: cut digits first .. first + count - 1 and do the column passes, strip by strip.
     * Equals digits_from_source and the column passes of digits_to_spectrum, bit for bit.
     *   scratch  out  threads * plan_strip_doubles() doubles, aligned; unused without column passes
     */
    void (*source_to_columns_fused)(const struct plan *plan, double *x, double *scratch, const struct digit_source *source,
                                    size_t first, size_t count, struct digit_norms *norms, unsigned threads);

    /*
     * source_to_branch_fused - right-angle, shape.n_branches > 1: the columns of one branch of the root.
     * Equals source_to_columns_fused of digits 0 .. count - 1, bit for bit, but that y holds the rows of that branch alone.
     *   y        out  plan_buffer_doubles() / n_branches doubles
     *   scratch  out  threads * plan_strip_doubles() doubles, aligned
     *   count    in   at most n_points
     *   branch   in   less than n_branches
     *   norms    out  energies of all digits, or NULL
     */
    void (*source_to_branch_fused)(const struct plan *plan, double *y, double *scratch, const struct digit_source *source,
                                   size_t count, unsigned branch, struct digit_norms *norms, unsigned threads);

    /*
     * branch_mul_fused - columns_mul_fused on the rows of one branch.   x inout the whole buffer; y in, destroyed, the branch.
     * All branches in turn equal columns_mul_fused, bit for bit.
     */
    void (*branch_mul_fused)(const struct plan *plan, double *x, double *y, unsigned branch, unsigned threads);

    /* columns_to_spectrum - the row passes of digits_to_spectrum, where the column passes have been done. */
    void (*columns_to_spectrum)(const struct plan *plan, double *x, size_t used_points, unsigned threads);

    /*
     * columns_mul_fused - right-angle: x, y behind their column passes; x becomes the product before its inverse column passes,
     * y is destroyed; y == x squares.
     * Equals columns_to_spectrum of both, spectrum_mul and spectrum_to_columns, bit for bit.
     */
    void (*columns_mul_fused)(const struct plan *plan, double *x, double *y, size_t x_used, size_t y_used, unsigned threads);

    /*
     * columns_mul_kept_fused - columns_mul_fused against a spectrum y, which is only read.
     * Equals columns_to_spectrum of x, spectrum_mul and spectrum_to_columns, bit for bit.
     */
    void (*columns_mul_kept_fused)(const struct plan *plan, double *x, const double *y, size_t x_used, unsigned threads);

    /* spectrum_to_columns, columns_to_digits - the row and the column passes of spectrum_to_digits. */
    void (*spectrum_to_columns)(const struct plan *plan, double *x, unsigned threads);
    void (*columns_to_digits)(const struct plan *plan, double *x, unsigned threads);

    /*
     * columns_to_limbs_fused - right-angle: the inverse column passes, rounding and carry, strip by strip.
     * Equals columns_to_digits and digits_to_limbs but for the carries left at the end of each row and segment of strips:
     * carry[g * 2 n_rows + q] belongs at the limb where row q's part of strip segments->end[g] begins.  See digits_to_limbs.c.
     *   scratch   out  as above
     *   carry     out  segments->room * 2 n_rows, those of the segments that there are
     *   segments  i/o  room at least threads in; the others out
     */
    void (*columns_to_limbs_fused)(const struct plan *plan, mp_limb_t *z, size_t zn, double *x, double *scratch, int64_t *carry,
                                   struct strip_segments *segments, unsigned threads, struct round_stats *stats);

    /*
     * digits_to_limbs_run - round and carry digits first .. first + count - 1 (multiples of 64) into z, at most zn limbs.
     * *carry comes in and goes out; stats are raised.
     */
    void (*digits_to_limbs_run)(const struct plan *plan, mp_limb_t *z, size_t zn, const double *x, size_t first, size_t count,
                                int64_t *carry, struct round_stats *stats);

    /*
     * columns_to_decimal_fused - right-angle, B = 10^e, e <= 8: inverse column passes, rounding, carry in base B and printing,
     * strip by strip.  Equals columns_to_digits and digits_to_text into zn characters at z, but for the carries left, integers,
     * as columns_to_limbs_fused leaves them.  See columns_to_text.c.
     * Where stats->max_value is no less than ROUND_VALUE_LIMIT, z and the carries have no meaning.
     *   scratch, carry, segments  as there
     */
    void (*columns_to_decimal_fused)(const struct plan *plan, char *z, size_t zn, double *x, double *scratch, double *carry,
                                     struct strip_segments *segments, unsigned threads, struct round_stats *stats);

    /*
     * digits_to_decimal_runs - B and values as above: round, carry and print digits first .. first + count - 1 (multiples of
     * 64) of the number of zn characters at z, each run of 64 for itself: what it leaves goes to carry[0 .. count / 64 - 1].
     * stats are raised.
     */
    void (*digits_to_decimal_runs)(const struct plan *plan, char *z, size_t zn, const double *x, size_t first, size_t count,
                                   double *carry, struct round_stats *stats);

    /*
     * digits_round - scale and round digits first .. first + count - 1 of the product to integers.
     * first and count are multiples of 16.  Where |scaled value| >= 2^51, which stats->max_value tells, v has no meaning.
     */
    void (*digits_round)(const struct plan *plan, int64_t *v, const double *x, size_t first, size_t count,
                         struct round_stats *stats);
};

/*
 * Coefficients of which one is no smaller than this are not rounded by all stages, and what those write then has no meaning.  All
 * that is proved is below (section 8 of doc/error-bound.md).
 */
#define ROUND_VALUE_LIMIT 0x1p50

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

/* reduction(round_stats : stats) - of the threads' own. */
#ifdef _OPENMP
#pragma omp declare reduction(round_stats                             \
                              : struct round_stats                    \
                              : round_stats_raise(&omp_out, &omp_in)) \
    initializer(omp_priv = (struct round_stats){.max_error = 0})
#endif

/* stage_ops_select - the best instruction set of this CPU among those in mask (CPU_ISA_... bits); never NULL. */
const struct stage_ops *stage_ops_select(unsigned mask);

/* stage_ops_list - the i-th instruction set built and usable here, best first; NULL after the last. */
const struct stage_ops *stage_ops_list(size_t i);

/* plan_buffer_doubles - length of a buffer. */
static inline size_t plan_buffer_doubles(const struct plan_shape *s)
{
    return s->transform.n_rows * s->transform.row_stride;
}

/* plan_strip_doubles - scratch of one thread for a strip of columns. */
static inline size_t plan_strip_doubles(const struct plan_shape *s)
{
    return s->transform.n_rows * 2 * PLAN_STRIP_POINTS;
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
 *   aside     out  n_points digits, of which those from n_digits on are left
 *   n_digits  in   at most n_points
 * Right-angle, with column passes; the base is 2^exponent, exponent <= PLAN_ASIDE_BITS.
 * Threads: parallel inside.   Cost: a pass over the operand.
 */
void digits_put_aside(aside_digit *aside, const struct plan *plan, const struct digit_source *source, size_t n_digits,
                      unsigned threads);

/* aside_source - the operand whose digits have been put aside; cut from multiples of 64 on. */
void aside_source(struct digit_source *source, const struct plan *plan, const aside_digit *aside, size_t n_digits);

/*
 * digits_from_source - cut digits first .. first + count - 1 and pack them at positions 0 .. count - 1.
 *
 *   x      out  buffer; digits count .. N - 1 are set to zero (two-for-one: in this operand's part alone)
 *   norms  out  energies
 * The digits are those of the whole operand, so that slices add up to it: a slice is without its own last carry, which the
 * next slice begins with.
 * Threads: parallel inside.   Cost: one pass over x.
 */
void digits_from_source(const struct plan *plan, double *x, enum digit_part part, const struct digit_source *source, size_t first,
                        size_t count, struct digit_norms *norms, unsigned threads);

/* limbs_to_digits - digits_from_source of limbs.   Source: [Booth51] recoding. */
void limbs_to_digits(const struct plan *plan, double *x, enum digit_part part, const mp_limb_t *a, size_t an, size_t first,
                     size_t count, struct digit_norms *norms, unsigned threads);

/*
 * digits_to_limbs - round the convolution, carry, pack into limbs; in double-double, too.
 *
 *   z    out  zn limbs, all written: sum of round(x_j) B^j mod 2^(64 zn)
 *   x    in   product buffer
 *   stats  out  of all n_digits coefficients
 * Threads: parallel inside.   Errors: MEMORY.
 */
enum gfmul_status digits_to_limbs(const struct plan *plan, mp_limb_t *z, size_t zn, const double *x, struct round_stats *stats,
                                  unsigned threads);

/* columns_to_limbs - columns_to_digits and digits_to_limbs in one; x is destroyed; scratch as columns_to_limbs_fused. */
enum gfmul_status columns_to_limbs(const struct plan *plan, mp_limb_t *z, size_t zn, double *x, double *scratch,
                                   struct round_stats *stats, unsigned threads);

#endif
