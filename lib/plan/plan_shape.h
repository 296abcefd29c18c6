/*
 * plan_shape.h - the shape of a product: digits, transform, bound, grid, and the passes of a device.
 *
 * A shape is the result of a pure search (plan_size.c, plan_device.c) and of the bound (plan_bound.c).  It has no tables and
 * owns nothing: it is copied by assignment.  plan.h has the vocabulary.
 */
#ifndef GFMUL_PLAN_SHAPE_H
#define GFMUL_PLAN_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gfmul.h"

enum { PLAN_MAX_PASSES = 32, PLAN_MAX_LEVELS = 40, PLAN_LEAF_POINTS = 64, PLAN_BLOCK = 8 };
enum {
    PLAN_RADIX4_TWIDDLES = 3,
    PLAN_MAX_TWIDDLES = 5, /* of a node: BUTTERFLY_MIXED */
    PLAN_MADE_POINTS = 16, /* fewest nodes for which twiddles are made, see plan_twiddle.h */
    PLAN_UNIT_FACTORS = 6,
    PLAN_UNIT_LEVELS_MAX = 10,
    PLAN_SHORT_TABLES = 4
};
enum { PLAN_STRIP_POINTS = 64 }; /* points of each row that the column passes gather at a time */

/* Number of classes of points, by index modulo this, whose energies are summed: a power of two, at most 64. */
enum { PLAN_ENERGY_CLASSES = 8 };
enum { PLAN_ASIDE_BITS = 15 }; /* balanced digits of up to this many bits can be stored as 16-bit integers */

/*
 * The fields: the arithmetic of points and spectra.  plan_field.h has their properties; devices support all of them.  Fields
 * before PLAN_POINT_FIELDS have complex points, and their stages are in struct stage_ops.  The stages of PLAN_PRIME on the CPU
 * are in lib/prime, with other primes than on devices.
 */
enum plan_field_id { PLAN_DOUBLE, PLAN_DD, PLAN_PRIME, PLAN_FIELDS, PLAN_POINT_FIELDS = PLAN_PRIME };

/* The digits that the operands are cut into: base B = base^exponent. */
struct plan_digits {
    unsigned base, exponent;
    uint64_t digit_base; /* B, at most 2^30; double-double: 2^46 */
    double bits;         /* log2 B, the l of the formulas */
    size_t an, bn;       /* digits of one cell of a and b, including the extra balanced digit; a is the longer one */
    int balance_exp;     /* two-for-one: b is scaled by 2^balance_exp before packing */
    bool narrow;         /* double-double: the first levels may read digits as doubles */
};

/*
 * How a pass splits: by nested radix-2 steps (stages/butterfly.h), or in radix 4 by three products and a DFT of four points.
 * BUTTERFLY_MIXED, only for passes of radix 8: first the latter, then a nested step.
 * BUTTERFLY_ABOVE, only for shapes and instruction sets: true radix 4 above leaves of 64 points.  These leaves, odd levels, and
 * each six levels of the others are mixed.
 */
enum plan_butterfly { BUTTERFLY_NESTED, BUTTERFLY_RADIX4, BUTTERFLY_ABOVE, BUTTERFLY_MIXED };

/* A pass splits every node at its level into `radix` children by nested radix-2 steps, or by DFTs of 4 points or of odd radix. */
struct plan_pass {
    unsigned radix;  /* 2, 4, 8; an odd one (first passes only) */
    unsigned levels; /* log2 radix; 0 for an odd radix */
    enum plan_butterfly butterfly;
    unsigned depth;     /* binary levels above this pass: odd * 2^depth nodes */
    size_t n_nodes;     /* nodes that the pass splits */
    size_t node_points; /* points per node */
};

/* The transform, its passes on the CPU and where its points lie in memory. */
struct plan_transform {
    enum gfmul_packing packing;
    unsigned odd, log2_n; /* n = odd * 2^log2_n; odd one of plan/odd_factors.def, log2_n >= 6 */
    size_t n_points;      /* n */
    size_t n_digits;      /* N */
    unsigned n_passes;    /* the last two passes are the leaf; both have radix 8, or BUTTERFLY_RADIX4 */
    struct plan_pass pass[PLAN_MAX_PASSES];
    size_t n_rows, row_points; /* n = n_rows * row_points; the first n_column_passes passes work on columns */
    unsigned n_column_passes;
    unsigned row_threads; /* number of threads for which the rows were chosen; 0: one */
    size_t row_stride;    /* doubles from row to row: 2 * row_points and a padding against cache conflicts */
    bool streams;         /* the columns bypass the cache when written: double, and the last pass over them is binary */
    bool leaf_short;      /* the leaf's twiddles are made leaf by leaf from short tables; see plan_twiddle.h */
    /* primes on the CPU: see plan_prime.h.  Their row_stride leads from one group of rows to the next */
    unsigned n_primes;      /* primes of the product; else 0 */
    unsigned column_levels; /* n_rows = odd 2^column_levels */
    bool turned;            /* products are made modulo x^n + 1 alone, in a ring */
    /* double-double on the CPU: see plan_dd.h */
    unsigned light_passes;  /* this many last passes, forwards and backwards, round their sums once */
    unsigned double_passes; /* this many of the last inverse passes run in double */
};

/*
 * Sums of the constants of doc/error-bound.md over the passes of a transform, in the unit of the field.
 */
struct plan_constants {
    double plain;      /* forward constants that act on the whole energy */
    double twiddle;    /* sum of T_s over the binary levels: they act on the share behind the twiddle, which is a half .. */
                       /* .. of it at most; of radix 4 three quarters: sqrt(3/2) T */
    double twiddle_sq; /* sum of T_s^2 */
    double inverse;
    /* of a device, what `inverse` is the sum of: the odd pass, and level i, which joins into odd * 2^i nodes */
    double inverse_odd, inverse_level[PLAN_MAX_LEVELS];
    double product, scale; /* double-double: of the pointwise product, and of 1/n if that is no power of two */
    double leaf;           /* devices, modulo x^n - 1: of a product with e(theta) of a leaf */
};

/* What proves the product. */
struct plan_bound {
    bool fma;              /* the instruction set has a fused multiply-add */
    bool norms_measured;   /* the bound holds for measured norms, and decides together with the distances from integers: .. */
    bool inverse_measured; /* .. plan_bound_measured, or, by the coefficients as well, plan_bound_posterior; plan_bound_decides */
    size_t products;       /* spaces: the bound holds for sums of so many products; else 0 */
    double k, value;       /* see gfmul_plan_info; rule checked: by plan_error_model */
    struct plan_constants constants; /* double-double and devices; else unused, because pass[] has them */
};

/*
 * How several transforms make one product.
 *
 * a is cut into a_cells, b into b_cells; each is transformed once.  Products of cells i and j with the same i + j are added.
 * If only the longer operand is cut, b is one cell; rule knuth may cut both.
 */
struct plan_grid {
    size_t a_cells, b_cells;
    size_t cell_digits;  /* CPU: of each cell but the last, a multiple of 64; 0 if each operand has one cell */
    size_t cell_limbs;   /* devices: the same, in limbs */
    bool wraps;          /* the product is made modulo 2^K + 1, K = N log2 B (primes: 2^K - 1), and is .. */
    size_t wrap_limbs;   /* .. this many limbs longer than K */
    unsigned n_branches; /* right-angle: parts in which b is transformed, each 1 or 2 children of the first pass; 1: b whole */
};

enum { DEVICE_STAGES = 5, DEVICE_PASSES = 4, DEVICE_SCAN_ITEMS = 256 };

/* One transform of a pass by a work-group: the tunables of kernels/fft_stages.cl. */
struct device_pass {
    unsigned points, n_stages,
        radix[DEVICE_STAGES]; /* 2, 4, 8, 16; the first may be 3, 5, 7, 9, 15, or the first two 3 7, 9 5, 15 7; or two alone */
                              /* with such factors in any order, times powers of two that make 2 to 8: 18 20 */
    unsigned direct_stages;   /* stages with rounded twiddles from a table; n_stages: all */
    unsigned items, columns;  /* work-items of a transform; transforms in a work-group */
    unsigned pad;             /* one slot of local memory stays free after every `pad` slots */
    unsigned registers;       /* limit per work-item, if the compiler has such an option; 0: it decides */
    unsigned leaf;            /* modulo primes, rows: coefficients of the polynomials at the ends of a row, 1 to 8; else 1 */
    bool split;               /* a point's doubles are exchanged one by one, not in pairs */
    bool park;                /* rows: one operand waits in local memory for the other */
    bool dd;                  /* points and twiddles are double-doubles */
};

/* The passes on a device, and how it carries. */
struct plan_device {
    bool used;                                                         /* the product runs there: transform.pass is unused */
    unsigned n_passes;                                                 /* 2 to DEVICE_PASSES; the last one is the rows' */
    struct device_pass forward[DEVICE_PASSES], inverse[DEVICE_PASSES]; /* rows: the same both ways */
    unsigned halves;                                                   /* 1: no operand has more than half of n_digits */
    unsigned prime_set;                                                /* modulo primes: which of device_prime_sets */
    unsigned field_bits;                 /* width of a digit in a run: l, or the bits of 10^exponent - 1 */
    unsigned block_digits, chunk_blocks; /* digits of a block, blocks of a chunk, see kernels/runs_to_limbs.cl */
    unsigned tile_rows;
    bool group_maps; /* long products: carries look back over the maps of whole groups of chunks, see kernels/chunks_compose.cl */
    double cost;     /* of a product of two operands, by the table of passes and the device's rates, in picoseconds */
    char text[192];  /* the passes forward and back, as plan_device_parse reads them */
};

struct plan_shape {
    enum gfmul_rule rule;
    enum plan_field_id field;
    bool square;
    unsigned isa;                  /* the instruction set for which the rows were chosen, as in plan_request */
    enum plan_butterfly butterfly; /* its kind of radix 4, right-angle, besides the nested steps */
    bool ifma;                     /* primes: as in plan_request */
    size_t memory_bytes;
    double cost_ps; /* estimate for the product on one CPU thread, in picoseconds; HUGE_VAL: not known; devices: 0 */
    struct plan_digits digits;
    struct plan_transform transform;
    struct plan_bound bound;
    struct plan_grid grid;
    struct plan_device device;
};

#endif
