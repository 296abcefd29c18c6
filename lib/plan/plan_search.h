/*
 * plan_search.h - the search for a plan on the CPU: what a candidate is, and what a field has to say about it.
 *
 * A candidate is a shape: a field, digits, a length with its passes, cells, threads, and what it costs in picoseconds.  The one
 * loop of plan_size.c walks over all families of candidates, over their digits and lengths, and keeps the cheapest candidate that
 * the rule admits and the memory limit leaves.  A rule is a filter, so a rule that admits more is never slower by plan.
 *
 * A family is one way in which a field makes products: plan_points.c has that of complex points, plan_cells.c that of the
 * classical rule beyond one transform, plan_prime.c that modulo primes.
 */
#ifndef GFMUL_PLAN_SEARCH_H
#define GFMUL_PLAN_SEARCH_H

#include "plan/plan_field.h"

/* Whether a length can make the product.   COVER_NOT: with smaller digits neither. */
enum plan_cover { COVER_NOT, COVER_OTHER_DIGITS, COVER };

/* What the rule says about a candidate.   VERDICT_SMALLER: it is admitted, but smaller digits may be cheaper at its length. */
enum plan_verdict { VERDICT_REFUSED, VERDICT_SMALLER, VERDICT_ADMITTED };

struct plan_search {
    const struct plan_request *request;
    const struct plan_field *field;
    const struct plan_family *family;
    size_t long_size, short_size; /* bits or text digits; the longer operand first, or the operand that is not kept */
    bool wraps;                   /* only candidates that wrap around */
    double dear_ps;               /* a candidate has to cost less than this to count */
    bool found;                   /* best is a candidate */

    /* What is common to the candidates of a family: set by `begin`. */
    bool measured;                      /* points: decide by expected norms, not by the worst case */
    bool halved;                        /* primes: in halves */
    double unit_ps;                     /* of the family's costs, on one thread */
    bool binary;                        /* only lengths without an odd factor */
    unsigned levels_first, levels_last; /* log2 of the shortest and of the longest length over its odd factor */

    /* .. with the same digits: set by `digits`. */
    size_t whole_points; /* the first length of at least so many points is the last one that is tried */
    size_t a, b, a_raw;  /* digits of the operands; a_raw: without the digit for the carry of the recoding */
    bool cuts;           /* the longer operand may be cut */
    double transforms;   /* of a product in one piece */

    /* .. of this length: set by `cover`. */
    double cost_ps; /* at least this much; `admit` sets the cost */
    double bytes;   /* of memory, set by `admit` */

    /* For messages if nothing is found. */
    const struct plan_field *widest; /* of those searched, the one with the longest significand */
    bool covered;                    /* some length held the product */
    unsigned needed_bits;            /* classical rule: least 4m + 2l seen, and its m and l */
    unsigned needed_m, needed_l;
    double needed_memory; /* least memory of a candidate that was refused only for its memory; HUGE_VAL: none */

    /* size - plan_size, for a product that a candidate needs besides its own */
    enum gfmul_status (*size)(struct plan_shape *shape, const struct plan_request *request, char *detail, size_t detail_bytes);
    plan_visit *visit; /* called with every candidate, none of which is too dear; NULL: only the cheapest counts */
    void *visit_arg;

    struct plan_shape shape; /* the candidate */
    struct plan_shape best;  /* the cheapest one so far */
};

/* One way in which a field makes products.   The search calls these in turn. */
struct plan_family {
    bool shrinks; /* digits shrink from choice to choice, so a length that is too dear, or admitted, is done with */

    /* begin - set what is common to all candidates.   false: there are none for this request. */
    bool (*begin)(struct plan_search *s);

    /* digits - set the digits of choice i = 0, 1, ..   false: there are no more. */
    bool (*digits)(struct plan_search *s, unsigned i);

    /* cover - make the product by transforms of this length: set the cells, and the least that this may cost. */
    enum plan_cover (*cover)(struct plan_search *s, unsigned odd, unsigned log2_n);

    /* admit - whether the rule admits the candidate; if so, complete the shape, and set its cost and its memory. */
    enum plan_verdict (*admit)(struct plan_search *s, unsigned odd, unsigned log2_n);
};

/* The families of a field. */
enum { PLAN_FAMILIES = 3 };
struct plan_families {
    const struct plan_family *family[PLAN_FAMILIES]; /* NULL ends them */

    /* refuses - why the field has no candidates for this request, or NULL.   NULL: it may have some for any. */
    const char *(*refuses)(const struct plan_request *request);

    /* least_ps - a lower bound of what its candidates cost, in a few operations.   NULL: not known. */
    double (*least_ps)(const struct plan_request *request);
};
extern const struct plan_family plan_points_worst,
    plan_points_expected; /* complex points: for any norms, and for expected ones */
extern const struct plan_family plan_cells;
extern const struct plan_family plan_prime_whole, plan_prime_halves;

#endif
