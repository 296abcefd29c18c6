/*
 * plan.h - the plan: sizes, digit base, passes, twiddle tables and proof of one convolution.
 *
 * A shape is the result of a pure search (plan_size.c) and of the bound (plan_bound.c): no allocation, no tables.
 * A plan adds the tables to a shape (plan_create.c, plan_twiddle.c); it is read-only after creation and shared by threads.
 *
 * Vocabulary, used by every comment below lib/:
 *   n        complex points of one transform, n = odd * 2^log2_n, a multiple of 64
 *   N        real digits that the convolution can hold (capacity): 2n for right-angle and one-for-half, n for two-for-one
 *   B        digit base, base^exponent; balanced digits satisfy |digit| <= ceil(B/2)
 *   tree     x^n - e(theta0), e(t) = exp(2 pi i t); theta0 = 1/4 for right-angle (modulus x^n - i), 0 for the cyclic packings.
 *            A node x^m - e(theta), theta in [0, 1), splits into x^(m/2) - e(theta/2) and x^(m/2) + e(theta/2), so that
 *            the children's angles are theta/2 and theta/2 + 1/2.  An odd factor splits the root first, into nodes
 *            x^(n/odd) - e((theta0 + t) / odd), t = 0 .. odd-1, in one pass or in two of coprime radices.
 *   level    2^s nodes under each t.  Node t * 2^s + k has theta = theta_t / 2^s + rev_s(k) / 2^s, rev_s reversing s bits
 *   spectrum the leaves in tree order; stage_ops.h alone says where they lie in memory
 */
#ifndef GFMUL_PLAN_H
#define GFMUL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "gfmul.h"
#include "plan/plan_shape.h"

/*
 * Whether a product of limbs may wrap around.  It is then made modulo 2^K + 1, K = N log2 B, and the limbs beyond K follow from
 * the lowest limbs of the operands (mul_wrap.c).  In double such a product is right-angle and in one cell; modulo primes it is
 * made modulo 2^K - 1.  ALWAYS is for tests: it wraps at every length that admits it, at any cost.
 */
enum plan_wrap { PLAN_WRAP_NEVER, PLAN_WRAP_CHEAPER, PLAN_WRAP_ALWAYS };

/*
 * What a processor takes for the work that the tables of costs are about, divided by what the tables say: for transforms in
 * double and double-double, for those modulo primes, and for first touches of memory.   0 counts as 1.
 */
struct plan_rates {
    double points, primes, touch;
};

static inline double plan_rate(double rate)
{
    return rate > 0 ? rate : 1.0;
}

/* The request that a shape is chosen for. */
struct plan_request {
    enum gfmul_rule rule;
    enum gfmul_packing packing;     /* AUTO: right-angle */
    enum gfmul_precision precision;
    bool primes;                    /* CPU, precision AUTO: primes may be chosen */
    bool ifma;                      /* primes: the processor has AVX-512's 52-bit products */
    bool certify;                   /* primes: the product will have a certificate */
    bool full_precision;            /* double-double at every level, even if narrower types suffice */
    unsigned base;                  /* 2 for limbs; 2..36 for text */
    size_t an, bn;                  /* bits (base 2) or significant text digits of the operands; both >= 1 */
    bool square;                    /* the operands are the same number */
    bool kept;                      /* b's spectrum is kept for many products, so it costs nothing; b is never cut */
    bool worst_case;                /* true: proved for every operand; false: measured norms may be expected */
    bool fma;                       /* the instruction set has a fused multiply-add: decides the constants of the bound */
    unsigned max_radix;             /* 4 or 8: the largest binary radix of the instruction set */
    unsigned isa;                   /* cpu_tuning of an instruction set, for plan_length; 0: none */
    enum plan_butterfly butterfly;  /* for radix 4, right-angle: plan_butterfly */
    size_t memory_limit;            /* bytes; 0: none */
    unsigned max_exponent;          /* the largest digit exponent allowed, for plans that are remade; 0: no limit */
    bool cold;                      /* no memory of earlier products is there, so first touches count */
    bool limit_physical;            /* the limit is the machine's, not the caller's */
    unsigned threads;               /* of the product; 0: one */
    enum plan_wrap wrap;            /* an and bn are whole limbs, unless NEVER */
    size_t ring;                    /* limbs: the product is wanted modulo 2^(64 ring) + 1, right-angle; 0: the whole one .. */
    bool ring_or_more;              /* .. or in the cheapest ring that is not smaller; spaces: primes make it modulo 2^K - 1 */
    bool ring_minus;                /* modulo 2^(64 ring) - 1 instead, which only primes make */
    size_t products;                /* the sum of so many products goes back at once (spaces); 0: one product */
    bool cells;                     /* devices, rule knuth: operands may be cut into cells, whose products are added */
    size_t a_cells, b_cells;        /* devices: an and bn are sizes of such cells; 0: of whole operands */
    struct plan_rates rates;        /* all 0: the tables' own */
};

/* plan_strip_doubles - double: one thread's scratch for a strip of columns. */
static inline size_t plan_strip_doubles(const struct plan_shape *shape)
{
    return shape->transform.n_rows * 2 * PLAN_STRIP_POINTS;
}

/* plan_grid_sums - the most products of cells that one transform sums up. */
static inline size_t plan_grid_sums(const struct plan_shape *shape)
{
    const size_t sums = shape->grid.a_cells < shape->grid.b_cells ? shape->grid.a_cells : shape->grid.b_cells;
    return sums > 1 ? sums : 1;
}

/*
 * plan_tail_limbs - limbs by which the product of a cell overlaps the next one.  There is room for a sign and for sums of less
 * than 2^60 products.
 */
static inline size_t plan_tail_limbs(const struct plan_shape *shape)
{
    return (shape->digits.bn + 1) * shape->digits.exponent / 64 + 2;
}

/* Twiddle tables.  See plan_twiddle.h for the layout. */
struct plan;
struct stage_ops;
struct isa_ops;
struct stage_monitor;

struct plan {
    struct plan_shape shape;
    const struct isa_ops *isa;
    const struct stage_ops *ops;            /* the operations of isa for this field and packing */
    const double *twiddle[PLAN_MAX_PASSES]; /* per pass; NULL for an odd pass, and for the leaf's if they are made */
    struct plan_short_tables {
        unsigned lo_bits;
        const double *lo, *hi[2]; /* hi: of the last pass but one, and of the last; see stages/twiddle.h */
    } leaf;
    /*
     * BUTTERFLY_RADIX4: a unit is a node of 2^unit_levels points.  twiddle[] of the last two passes has the nodes of one unit;
     * each is multiplied by the factors of the unit in which a node lies.
     */
    unsigned unit_levels;
    const double *unit;     /* per unit: cosines and sines for w, w^2, w^3 of the last pass but one, then of the last */
    struct plan_dd_tables { /* double-double, see plan_dd.c; twiddles use the block layout: re, im, and their rests */
        const double *root; /* per t: w of the first level, w^1 .. w^7 of its two children; scalars */
        const double *column[PLAN_MAX_PASSES];   /* per node, a block for each twiddle */
        const double *row;                       /* per row, per pass: a block for each twiddle of the row's first node */
        const double *row_node[PLAN_MAX_PASSES]; /* per node in a row: the factor on the first node's twiddles; scalars */
    } dd;
    const double *leaf_angle;      /* one-for-half: e(theta) of each leaf, in the spectrum's memory order; else NULL */
    double *tables;                /* owned: all of the above */
    double scale;                  /* 1/n, times 2^-balance_exp: applied by digits_round */
    double scale_rest;             /* double-double: scale + scale_rest is 1/n to 106 bits */
    bool scale_exact;              /* scale is a power of two */
    struct stage_monitor *monitor; /* of the call that runs this copy of the plan (stages/stage_monitor.h); NULL: none */
};

/* Energies of one operand's balanced digits x_j, which the bound needs, from digits_pack. */
struct digit_norms {
    double sum_sq;  /* sum x_j^2 */
    double sum_pop; /* sum popcount(j' mod 2^log2_n) x_j^2, where digit j belongs to point j' */
};

/*
 * plan_size - choose field, digit base, points, packing, passes and cells for a request to the CPU.
 *
 * It takes the cheapest admissible shape, by a model of the cost of its passes.  A shape is admissible if its bound is < 1/2.  If
 * norms are measured, the expected bound must be < PLAN_BOUND_EXPECTED.  Under the classical rule mu >= 4m + 2l must hold.
 * Shapes modulo primes are exact, so the rules norm and checked admit them.
 *
 *   shape   out  complete, bound included
 *   detail  out  detail_bytes characters: on failure one line that says why, with the precision that would be needed
 * Threads: pure.   Errors: SIZE, PRECISION, UNSUPPORTED, MEMORY.
 */
enum gfmul_status plan_size(struct plan_shape *shape, const struct plan_request *request, char *detail, size_t detail_bytes);

/*
 * plan_candidates - call visit with every candidate that the request admits and its memory limit leaves, in no order.
 *
 *   visit  in  reads the shape, which is complete, cost_ps included, and gone when it returns
 * Threads: pure.   Errors: as plan_size, which takes one of them that costs least.
 */
typedef void plan_visit(void *arg, const struct plan_shape *shape);
enum gfmul_status plan_candidates(const struct plan_request *request, plan_visit *visit, void *arg, char *detail,
                                  size_t detail_bytes);

/* plan_memory_bytes - memory of a product by a shape, within the library: buffers, tables, scratch, overlaps of cells. */
double plan_memory_bytes(const struct plan_shape *shape, unsigned threads);

/* plan_pass_add - append a pass to a shape with n_points set.   depth i/o: levels before the pass; after it. */
void plan_pass_add(struct plan_shape *shape, unsigned radix, unsigned levels, unsigned *depth);

/*
 * plan_shape_points - fill the passes, rows and capacity of a shape from packing, row_threads, isa, butterfly, odd, log2_n and
 * max_radix.
 *
 * Right-angle shapes take the passes of plan_length if it knows the length and each thread gets a row.  All others go by rules.
 */
void plan_shape_points(struct plan_shape *shape, unsigned odd, unsigned log2_n, unsigned max_radix);

/*
 * plan_shape_columns - the same with a given number of binary levels over columns.  The other levels make rows of at least 64
 * points.
 *
 * If plan_can_stream allows it, `streams` is set by the bytes of a buffer.
 */
void plan_shape_columns(struct plan_shape *shape, unsigned odd, unsigned log2_n, unsigned max_radix, unsigned columns);

/* plan_can_stream - whether there is a last pass over columns and it is binary: only such a pass writes past the cache. */
bool plan_can_stream(const struct plan_shape *shape);

/* The fastest way found by measurement to transform a length, and the time of a convolution. */
struct plan_length {
    uint8_t columns; /* binary levels over columns */
    bool streams;
    unsigned ps; /* per point, for two transforms, the product and one transform back; 0: not known */
};

/* plan_length - the measured row of plan/thresholds/lengths.h, or NULL.   isa  in  cpu_tuning of an instruction set, or 0 */
const struct plan_length *plan_length(unsigned isa, unsigned odd, unsigned log2_n);

/*
 * plan_butterfly - the fastest kind of radix-4 pass (plan/thresholds/default.h).
 *
 *   isa  in  cpu_tuning of an instruction set
 *   has  in  the butterflies that it has besides the nested steps
 */
enum plan_butterfly plan_butterfly(unsigned isa, enum plan_butterfly has);

/*
 * plan_branches - choice number i of the number of branches in which an operand's columns can be made.
 *
 * Choices increase; choice 0 is 1 branch.  0 after the last.
 */
unsigned plan_branches(const struct plan_shape *shape, unsigned i);

/* The odd factors that a length may have, in the order of plan/odd_factors.def: PLAN_ODD_1 and so on. */
enum {
#define ODD_FACTOR(factor, ...) PLAN_ODD_##factor,
#include "plan/odd_factors.def"
    PLAN_ODD_FACTORS
};

/* plan_odd_factor - the i-th of these, smallest first; 0 after the last. */
unsigned plan_odd_factor(unsigned i);

/* plan_wrap_bytes - a lower bound of the memory for the product of the low limbs, if a product wraps around. */
double plan_wrap_bytes(const struct plan_shape *shape);

/*
 * plan_wrap_cost - the cost of a product that wraps around, without its transforms, in units of plan_transform_cost.
 *
 *   shape        in  its digits.an, digits.bn, grid.wrap_limbs, square, isa and ifma are used
 *   odd, log2_n  in  its length
 *   transforms   in  of one product: 2 or 3
 */
double plan_wrap_cost(const struct plan_shape *shape, unsigned odd, unsigned log2_n, double transforms, unsigned max_radix);

/* plan_wrap_ring - K in limbs, for a product that is made modulo 2^K + 1. */
static inline size_t plan_wrap_ring(const struct plan_shape *shape)
{
    return shape->transform.n_digits / 64 * shape->digits.exponent;
}

/*
 * plan_transform_cost - the cost of one transform.  The unit is a third of a radix-8 pass over one point.
 *
 * It is the measured one if plan_length knows it.  Otherwise the model of plan/thresholds is scaled to measured shorter lengths.
 */
double plan_transform_cost(unsigned odd, unsigned log2_n, unsigned max_radix, unsigned isa);

/* plan_cost_unit_ps - the same unit in picoseconds of one thread; an estimate if no length has been measured. */
double plan_cost_unit_ps(const struct plan_request *request);

/* plan_touch_ps - picoseconds of one thread for the first touch of a block of so many bytes, more than SIZE_MAX included. */
double plan_touch_ps(const struct plan_request *request, double bytes);

/*
 * plan_is_tabled - whether the tables of an instruction set were measured on processors of this model, or by make tune.
 *
 *   isa  in  cpu_tuning of an instruction set
 */
bool plan_is_tabled(unsigned isa, const struct cpu_model *model);

/*
 * plan_column_levels - binary levels of the column passes, by rules (plan_columns.c).
 *
 * A first pass fused with cutting, if the packing is right-angle and each thread still gets a row.  Else they are as few as rows
 * of at most some length need, or a few more if that saves a pass and a strip of columns still fits the second-level cache.
 */
unsigned plan_column_levels(unsigned odd, unsigned log2_n, unsigned max_radix, bool right_angle, unsigned threads);

/* plan_odd_cost - cost of an odd factor's passes per point, by the model. */
double plan_odd_cost(unsigned odd);

/* plan_model_cost - plan_transform_cost, always by the model. */
double plan_model_cost(unsigned odd, unsigned log2_n, unsigned max_radix);

/*
 * plan_bound_worst - proved bound of the rounding error over all digits |x| <= ceil(B/2), digits.an and digits.bn of them.
 * Also stores the constant K.  Rounded upwards.   Source: doc/error-bound.md.
 */
double plan_bound_worst(const struct plan_shape *shape, double *k);

/* plan_bound_sums - the same for sums of products, if the shape has a grid: as many as cells of the operand with fewer cells. */
double plan_bound_sums(const struct plan_shape *shape, double *k);

/* plan_balance - two-for-one: balance_exp for operands of so many digits, the longer one first. */
int plan_balance(size_t a_digits, size_t b_digits);

/* plan_bound_expected - the likely bound by measured norms: the same for uniformly random digits, with a margin. */
double plan_bound_expected(const struct plan_shape *shape, double *k);

/* plan_bound_measured - proved bound for measured norms. */
double plan_bound_measured(const struct plan_shape *shape, const struct digit_norms *a, const struct digit_norms *b, double *k);

/*
 * plan_constants_odd, plan_constants_sum, plan_constants_level, plan_constants_product - add the constants of one pass, all with
 * FMA:
 * - a pass of an odd radix,
 * - a binary level whose twiddles are 1,
 * - a binary level with rounded twiddles c (1 + i tau),
 * - a binary level in the steps of kernels/fft_radix.cl.  Its twiddles are products of two rounded entries, one of which has an
 *   angle of at most 2 pi `angle`.
 */
void plan_constants_odd(struct plan_constants *sum, unsigned radix);
void plan_constants_sum(struct plan_constants *sum);
void plan_constants_level(struct plan_constants *sum, bool within_45_degrees);
void plan_constants_product(struct plan_constants *sum, double angle);

/* The constants of one pass, in the unit of the field. */
struct plan_pass_constants {
    unsigned n_forward, n_inverse; /* one for each nested step; true radix 4: 1 forwards, 2 backwards; odd: 1 */
    /* binary passes in double: T_s, and 1 + .. backwards (section 4); all others: the pass's part of `plain` and `inverse` */
    double forward[3], inverse[3];
};

/* plan_pass_constants - what pass p of a shape on the CPU adds to the constants of the bound. */
void plan_pass_constants(struct plan_pass_constants *c, const struct plan_shape *shape, unsigned p);

/* plan_product_constant, plan_scale_constant - constants of the pointwise product (right-angle), and of the scale by 1/n. */
double plan_product_constant(const struct plan_shape *shape);
double plan_scale_constant(const struct plan_shape *shape);

/*
 * plan_bound_posterior - the bound after the inverse has run: proved for the coefficients z' that it delivered.
 *
 *   max_value   in  of struct round_stats, over all n_digits coefficients; if it is NaN or infinite, so is the bound
 *   max_energy  in  round_stats_energy of them, or infinite if that is not known
 * Zeros give the smallest bound that any measured values can give.
 * Right-angle; the cyclic packings get plan_bound_measured.   Source: doc/error-bound.md, section 11.
 */
double plan_bound_posterior(const struct plan_shape *shape, const struct digit_norms *a, const struct digit_norms *b,
                            double max_value, double max_energy, double *k);

/* plan_bound_expected_posterior - the same for uniformly random digits: only 1e-6 of random products exceed it. */
double plan_bound_expected_posterior(const struct plan_shape *shape, double *k);

/* A sum of products is made in blocks of up to so many; each is then added to those before (stages/spectra_sum_fused.h). */
enum { PLAN_SUM_BLOCK = 4 };

/*
 * A factor in the bound of a sum of products: bounds of its norm, of its spectrum's error divided by sqrt(n) u, and the relative
 * error F_f of all that has made the spectrum.   Source: doc/error-bound.md, section 23.
 */
struct plan_factor {
    double norm, error, passes;
};

/* A sum of products of factors: over all of them ||x|| ||y||, and D(x) ||y|| + ||x|| D(y); the largest F_f. */
struct plan_sum {
    double norms, forward, passes;
    size_t products;
};

/*
 * plan_factor_digits - a factor whose spectrum was made from digits.
 * plan_factor_add - one that is the sum or the difference of two spectra.   energy in: of spectra_add
 * plan_sum_add - one product more.   sum i/o, zero at first
 */
struct plan_factor plan_factor_digits(const struct plan_shape *shape, const struct digit_norms *x);
struct plan_factor plan_factor_add(const struct plan_shape *shape, const struct plan_factor *a, const struct plan_factor *b,
                                   double energy);
void plan_sum_add(struct plan_sum *sum, const struct plan_factor *a, const struct plan_factor *b);

/* plan_sum_constant - the constant of the pointwise sum of so many products, if no two blocks could be one. */
double plan_sum_constant(const struct plan_shape *shape, size_t products);

/* plan_bound_sum - plan_bound_posterior for a sum of products, right-angle in double. */
double plan_bound_sum(const struct plan_shape *shape, const struct plan_sum *sum, double max_value, double max_energy, double *k);

/*
 * plan_bound_decides - whether the integers are proved to which coefficients were rounded, each at most max_error away.  Two
 * candidates for one coefficient would be 1 apart.  Source: doc/error-bound.md, section 8.
 */
static inline bool plan_bound_decides(double bound, double max_error)
{
    return bound + max_error < 1.0 - 0x1p-16; /* recorded distances are rounded */
}

/* Plans with measured norms are made for bounds below this, which leaves room for max_error. */
#define PLAN_BOUND_EXPECTED 0.96875

/* plan_bound_limit - the bound of a plan must be below it: before any measurement, or as expected after measuring. */
static inline double plan_bound_limit(bool measured)
{
    return measured ? PLAN_BOUND_EXPECTED : 0.5;
}

/* Measured figures of a product's digits and coefficients; zero if not known yet. */
struct plan_figures {
    struct digit_norms a, b; /* of a square, both are the same */
    double max_error;        /* largest |x - nearest integer| */
    double max_value;        /* largest |x|; infinite if there was a NaN */
    double max_energy;       /* as plan_bound_posterior */
};

/*
 * plan_judge - whether these figures prove the product, or (rule checked) make it credible.
 *
 *   bound, k  out  the figures that decided, for gfmul_plan_info.   If the digits alone give false, that is final
 */
bool plan_judge(const struct plan_shape *shape, const struct plan_figures *figures, double *bound, double *k);

/* The value_limit of doubles; see plan_field.h. */
#define ROUND_VALUE_LIMIT 0x1p50

/*
 * plan_error_model - the largest rounding error that random digits are likely to show: a fit, not a theorem (rule checked).
 *
 *   a, b  in  measured energies, or both NULL: expected ones
 */
double plan_error_model(const struct plan_shape *shape, const struct digit_norms *a, const struct digit_norms *b);

/* Rule checked: plans are made for the first limit; a product whose rounding error exceeds the second is refused. */
#define CHECKED_ERROR_TARGET 0.35
#define CHECKED_ERROR_LIMIT  0.45

/* Rule checked: bits taken off the digits of a plan that failed.  Constant digits break an unproved size 3 to 5 bits early. */
#define CHECKED_RETRY_BITS 4.0

/* plan_request_worst - ask for a plan that needs no measurement.   request i/o. */
void plan_request_worst(struct plan_request *request);

/*
 * plan_request_next - the request to try after a plan that failed: once with smaller digits (rule checked), then the worst case.
 *
 *   request  i/o  what the plan was made for;  failed  in  that plan
 */
void plan_request_next(struct plan_request *request, const struct plan_shape *failed);

/*
 * plan_knuth_holds - mu >= 4m + 2l, literally, with m = ceil(log2 N) and l = ceil(log2 B); and mu >= plan_knuth_bits.
 *
 * plan_knuth_bits - bits that the long form demands if so many products of cells are added before one transform back.
 * Source: [TAOCP2, 4.3.3], doc/error-bound.md, section 13.
 */
bool plan_knuth_holds(const struct plan_shape *shape);
double plan_knuth_bits(double m, double l, double products);

/*
 * plan_create - build the tables of a shape.
 *
 *   plan  out  owned by the caller, end with plan_destroy
 *   isa   in   the instruction set; must agree with shape->bound.fma, and have the butterflies of all passes
 * Errors: MEMORY; INTERNAL if isa and shape disagree, or if isa's operations round in another way (rounds_right).
 */
enum gfmul_status plan_create(struct plan **plan, const struct plan_shape *shape, const struct isa_ops *isa, unsigned threads);

/*
 * plan_create_in - the same, with memory for the tables from the caller.
 *
 *   tables  in  plan_table_bytes from alloc_aligned.  The plan owns them now; they are freed on failure, too.  NULL: MEMORY
 */
enum gfmul_status plan_create_in(struct plan **plan, void *tables, const struct plan_shape *shape, const struct isa_ops *isa,
                                 unsigned threads);
void plan_destroy(struct plan *plan);

/* plan_table_bytes - bytes of the tables that plan_create makes. */
size_t plan_table_bytes(const struct plan_shape *shape);

/* plan_info_from_shape - fill the public description; engine and threads are set by the caller. */
void plan_info_from_shape(struct gfmul_plan_info *info, const struct plan_shape *shape, const char *isa);

#endif
