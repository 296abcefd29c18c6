/* algorithms.h - transforms as graphs, by the published algorithms. */
#ifndef GFMUL_GEN_ALGORITHMS_H
#define GFMUL_GEN_ALGORITHMS_H

#include "gen/graph.h"

/* gen_root - exp(-2 pi i k / n), each part to about 2^-100.  Parts of equal magnitude are bit-identical. */
void gen_root(uint32_t k, uint32_t n, gen_number *re, gen_number *im);

/*
 * gen_transform - the forward transform of n points.
 *
 *   g          in/out
 *   n          in   2^a 3^b 5^c 7^d
 *   algorithm  in   2, 4, 8: radix; S: split radix [DH84]; C: conjugate-pair split radix [KE89]; T: tangent [JF07].  It
 *                   builds the power-of-two part; odd factors are split off first and have their own codelets
 *   x          in   n values, natural order
 *   y          out  n values, natural order; may be GEN_BAD if g->failed
 *
 * Value:    y[k] = sum over j of x[j] exp(-2 pi i j k / n).
 * Aliasing: none allowed.   Errors: GFMUL_ERR_MEMORY.
 */
enum gfmul_status gen_transform(struct gen_graph *g, uint32_t n, char algorithm, const struct gen_complex *x,
                                struct gen_complex *y);

/* --- parts of a long transform ----------------------------------------------------------------------------------------- */

/* A number of a twiddle that depends on k, the point within the unit, so that it is known only when the code runs. */
enum gen_parameter_kind {
    GEN_ROOT,       /* exp(-2 pi i (angle k + from) / n): two numbers, or three in a graph with three products */
    GEN_ROOT_3,     /* the same for three times k + from: exp(-2 pi i 3 (k + from) / n) */
    GEN_SCALED,     /* w s_(n/4), w = exp(-2 pi i (k + from) / n), two numbers; below, k means k + from, too */
    GEN_TANGENT,    /* -im/re of w up to n/8, re/-im beyond */
    GEN_SUM_2,      /* s_n(k) / s_2n(k) */
    GEN_DIFFERENCE, /* s_n(k) / s_2n(k + n/4) */
    GEN_SCALE_4     /* s_n(k) / s_4n(k + angle n/4), angle = 0 .. 3 */
};

/* n and from are in units: distances between the points that a codelet takes. */
struct gen_parameter {
    enum gen_parameter_kind kind;
    uint32_t n, from, angle;
};

enum { GEN_MAX_PARAMETERS = 320 };

/*
 * A piece of an algorithm's recursion.  It starts from sub-transforms of 1 point, or (S, C, T) of 1 and 2 points, and makes the
 * transform of n points.  Neighbouring points are a unit apart, and the piece works on point k of each unit.
 */
struct gen_cut {
    uint32_t unit;    /* points; 0: a whole transform that begins with its input */
    unsigned scale;   /* T: y is divided by s_(scale n), scale = 0 (not divided), 1, 2 or 4 */
    int quarter;      /* k = quarter * unit / 4, quarter = 0 .. 3: all twiddles are constants; -1: any other k */
    bool upper;       /* quarter = -1, T: k > unit / 2 */
    int32_t first;    /* index of the first parameter among the inputs of the graph */
    int n_parameters; /* out, if quarter = -1 */
    struct gen_parameter parameters[GEN_MAX_PARAMETERS];
};

/*
 * gen_transform_part - a piece of a transform of n points.
 *
 *   cut  in/out  which piece; NULL: the whole
 *   x    in      n values.  unit = 0: points in natural order; else the results of the parts, each in natural order: the even
 *                part, then the two odd ones (S, C, T), or the parts j = 0 .. radix-1
 *   others as gen_transform; n is a power of the radix if unit > 0
 */
enum gfmul_status gen_transform_part(struct gen_graph *g, uint32_t n, char algorithm, struct gen_cut *cut,
                                     const struct gen_complex *x, struct gen_complex *y);

/* gen_parameter_numbers - how many numbers a parameter has.   three: the graph makes complex products of three real ones. */
static inline int gen_parameter_numbers(enum gen_parameter_kind kind, bool three)
{
    return kind > GEN_SCALED ? 1 : kind < GEN_SCALED && three ? 3 : 2;
}

/* The scales s_{2^lg,k} of the tangent algorithm for all lengths up to a limit: s[lg][k], k < 2^lg / 4. */
struct gen_scales {
    gen_number *s[32];
};

/* gen_scales_create - the scales of all powers of two up to n; scales out.   Errors: GFMUL_ERR_MEMORY. */
enum gfmul_status gen_scales_create(struct gen_scales *scales, uint32_t n);
void gen_scales_destroy(struct gen_scales *scales);

/*
 * gen_parameter_value - the numbers of a parameter.
 *
 *   parameter in  n and from in points
 *   k         in  points
 *   scales    in  up to 4 n; NULL: each scale is computed when needed
 */
void gen_parameter_value(const struct gen_parameter *parameter, uint32_t k, const struct gen_scales *scales, gen_number value[2]);

#endif
