/*
 * plan_field.h - properties of each field: its name, its precision, and how the CPU transforms in it.
 *
 * The stages of a field are in struct stage_ops.  shape.field chooses both, once, when a plan is made.
 */
#ifndef GFMUL_PLAN_FIELD_H
#define GFMUL_PLAN_FIELD_H

#include "plan/plan.h"

struct plan_field {
    enum gfmul_precision precision;
    const char *name;   /* in messages */
    unsigned mu;        /* bits of the significand that the classical rule counts */
    double unit;        /* of K */
    double round_up;    /* factor on a bound, for what its constants leave out */
    double value_limit; /* not all stages round coefficients of this size or larger, so their results are then meaningless.  All
                           that is proved is below it (doc/error-bound.md, section 8) */
    bool pairs;         /* parts of points are pairs of numbers; bound.constants then has all constants, even on the CPU */

    /* On the CPU.  False, 0 or NULL if a field does not support it. */

    /* odd - whether a length may have this factor. */
    bool (*odd)(unsigned odd);

    int wraps; /* products wrap around modulo 2^K + wraps */

    /* describe - set the levels made in less than the field's precision; primes: the passes.   info i/o */
    void (*describe)(struct gfmul_plan_info *info, const struct plan_shape *shape);

    /* The members below are for fields with complex points. */
    bool cyclic;             /* supports packings that are not right-angle, and rule checked */
    bool saves_memory;       /* can transform an operand in branches, and make a leaf's twiddles from short tables */
    bool sums_energies;      /* sums the energies of the product's coefficients, for the bound a posteriori */
    unsigned tail_doubles;   /* doubles of a coefficient shared by sums of a grid, in text */
    unsigned levels_min;     /* the shortest length is odd 2^levels_min */
    unsigned digit_bits_max; /* B <= 2^digit_bits_max */

    /* cost - the cost of a transform, in the unit of plan_transform_cost. */
    double (*cost)(const struct plan_request *request, unsigned odd, unsigned log2_n);

    /* passes - fill the passes, rows and capacity of a shape.   Returns false if coefficients may be too large for the carry. */
    bool (*passes)(struct plan_shape *shape, const struct plan_request *request, unsigned odd, unsigned log2_n);

    /* schedule - run the last passes in less than the field's precision while bound() stays below a limit.   shape i/o */
    void (*schedule)(struct plan_shape *shape, double (*bound)(const struct plan_shape *shape, double *k));

    /* lighten - choose cheaper passes while bound() stays below the limit; returns their share.   shape i/o */
    double (*lighten)(struct plan_shape *shape, double (*bound)(const struct plan_shape *shape, double *k), double limit);

    /* table_doubles - doubles in all tables of a plan; tables_build - fill them.   Errors: MEMORY. */
    size_t (*table_doubles)(const struct plan_shape *shape);
    enum gfmul_status (*tables_build)(struct plan *plan, unsigned threads);

    /* scratch_doubles - scratch of one thread. */
    size_t (*scratch_doubles)(const struct plan_shape *shape);
};

extern const struct plan_field plan_fields[PLAN_FIELDS];

/* plan_field_of - the field of a precision other than auto; double if no field has it. */
static inline enum plan_field_id plan_field_of(enum gfmul_precision precision)
{
    return precision == GFMUL_PRECISION_DD ? PLAN_DD : precision == GFMUL_PRECISION_PRIME ? PLAN_PRIME : PLAN_DOUBLE;
}

/* plan_field - the field of a shape. */
static inline const struct plan_field *plan_field(const struct plan_shape *shape)
{
    return &plan_fields[shape->field];
}

#endif
