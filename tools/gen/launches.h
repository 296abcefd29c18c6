/* launches.h - a transform as a list of kernel launches, each a list of steps. */
#ifndef GFMUL_GEN_LAUNCHES_H
#define GFMUL_GEN_LAUNCHES_H

#include "gen/gen_table.h"
#include "gen/params.h"

enum { GEN_MAX_LAUNCHES = 32, GEN_MAX_STEPS = 16, GEN_MAX_RADIX = 16 };

/* A codelet of radix points in registers, applied throughout the block of a work-group. */
struct gen_step {
    uint32_t radix;
    uint32_t nonzero; /* bit j: point j of a codelet can differ from zero, in the forward transform */
    /* Recursion (recursion.h): distance of a codelet's points (0: it reads the input); points of the node that it makes. */
    uint32_t unit, length;
    unsigned types; /* bit t: nodes of type t occur */
    uint32_t at[5]; /* T: the first of its numbers, for each type */
};

/*
 * One launch.  The forward transform sees its points as
 *
 *     x[g][j][i]    g < before, j < length, i < after;   points = before * length * after
 *
 * and replaces them by   y[g][k][i] = w_(length*after)^(k i) * sum over j of x[g][j][i] w_length^(j k),   w_n = exp(-2 pi i/n).
 *
 * A column is a pair (g, i); a work-group takes `columns` of them.
 */
struct gen_launch {
    uint32_t before, length, after;
    uint32_t columns;        /* of a work-group; divides points / length */
    uint32_t work_items;     /* of a work-group */
    uint32_t groups, rounds; /* a work-group does `rounds` blocks of columns, one after the other */
    bool spread;             /* local memory is addressed so that bank conflicts are avoided */
    /*
     * Points that a work-item keeps in registers from the first step to the last.  If a step's codelets are shorter, it does
     * several of them.  Real and imaginary parts are exchanged one after the other, which halves the local memory.  0: points
     * stay in local memory; each step reads them there and writes them back.
     */
    uint32_t values;
    int n_steps;
    struct gen_step steps[GEN_MAX_STEPS];
};

struct gen_launches {
    uint32_t points;
    int n;
    /*
     * true: the recursion of the algorithm; false: dimensions.  In a recursion the first launch reads the input and makes
     * `before` nodes of `length` points.  Later ones make nodes of length * after points, from the points k + j * after.
     */
    bool recursion;
    struct gen_launch launch[GEN_MAX_LAUNCHES];
    uint32_t done; /* product of the lengths: points, or 2^STOPLEVEL */
    struct gen_table table;
    bool any_zeros;
    bool exact_start; /* the first codelet of the transform, which reads the input, can begin in float */
    bool float_end;   /* the last codelet is computed in float */
};

/* gen_launches_find - p in: checked parameters;  l out. */
void gen_launches_find(const struct gen_params *p, struct gen_launches *l);

/* gen_launches_in_dimensions - the same, never as a recursion. */
void gen_launches_in_dimensions(const struct gen_params *p, struct gen_launches *l);

/* gen_rounds_find - groups and rounds of a launch of this many blocks: as many rounds as KERNELWIDTH asks for. */
void gen_rounds_find(const struct gen_params *p, struct gen_launch *a, uint32_t blocks);

/* gen_precisions_find - whether codelets at the beginning and at the end use the narrower type. */
void gen_precisions_find(const struct gen_params *p, struct gen_launches *l);

/* gen_place - the place of frequency k, or of block k of STOPLEVEL, in the order of the algorithm; as fft_ID_index(). */
uint32_t gen_place(const struct gen_params *p, const struct gen_launches *l, uint32_t k);

/* gen_levels - log2 of n, rounded up if n is no power of two. */
static inline int gen_levels(uint32_t n)
{
    return n <= 1 ? 0 : 32 - __builtin_clz(n - 1);
}

/* gen_launch_elements - points that a work-group handles at once. */
static inline uint32_t gen_launch_elements(const struct gen_launch *a)
{
    return a->length * a->columns;
}

static inline uint32_t gen_size_of_point(const struct gen_params *p)
{
    return p->fftdata == 'q' ? 32 : p->fftdata == 'd' ? 16 : 8;
}

/* gen_table_bytes - bytes of the twiddle table; 0: there is none. */
static inline uint64_t gen_table_bytes(const struct gen_params *p, const struct gen_table *table)
{
    return (uint64_t)table->all * (gen_size_of_point(p) / 2);
}

/* gen_bits - the approximate bits of a number. */
static inline int gen_bits(const struct gen_params *p)
{
    return p->fftdata == 'q' ? 106 : p->fftdata == 'd' ? 53 : 24;
}

/* gen_part_type, gen_part - the type and the names of a point's real and imaginary part. */
static inline const char *gen_part_type(const struct gen_params *p)
{
    return p->fftdata == 'q' ? "double2" : p->fftdata == 'd' ? "double" : "float";
}
static inline const char *gen_part(const struct gen_params *p, int imaginary)
{
    return p->fftdata == 'q' ? (imaginary ? "hi" : "lo") : imaginary ? "y" : "x";
}

/* gen_local_bytes - local memory of a launch's work-group. */
static inline uint32_t gen_local_bytes(const struct gen_params *p, const struct gen_launch *a)
{
    return a->n_steps == 1 ? 0 : gen_launch_elements(a) * gen_size_of_point(p) / (a->values > 0 ? 2 : 1);
}

/* gen_point_type, gen_swap - the type of a complex number in OpenCL C, and the swizzle that exchanges its parts. */
static inline const char *gen_point_type(const struct gen_params *p)
{
    return p->fftdata == 'q' ? "double4" : p->fftdata == 'd' ? "double2" : "float2";
}
static inline const char *gen_swap(const struct gen_params *p)
{
    return p->fftdata == 'q' ? ".zwxy" : ".yx";
}

/*
 * gen_low_twiddles - how many twiddles a codelet between launches looks up; the others are products with every fourth one.
 * With three products it looks up all of them, because a product of two factors is not a factor.
 */
static inline uint32_t gen_low_twiddles(const struct gen_params *p, uint32_t radix)
{
    return !gen_factors(p) && radix >= 8 && radix % 4 == 0 ? 4 : radix;
}

/* gen_points_first - should neighbouring work-items take neighbouring points of a column, rather than neighbouring columns? */
static inline bool gen_points_first(const struct gen_params *p, const struct gen_launch *a, bool results)
{
    return !p->bitrev ? a->after < a->columns : results && a->before < a->columns;
}

#endif
