/*
 * plan_device.h - plans of products on an OpenCL device: the passes of a product, their kernels, and their proof.
 *
 * Packing right-angle, or in double two-for-one or one-for-half.  The points of x^n - i, or x^n - 1, are a matrix.  Passes over
 * columns split it into nodes, block by block, until only rows of row_points contiguous points are left:
 *
 *     source_to_columns_fused     n = POINTS * n_columns          root -> POINTS blocks of n_columns points
 *     columns_forward (0 to 2)    each block the same again
 *     columns_mul_fused           blocks that are rows -> leaves, product, and back; two-for-one: columns_mul_paired_fused;
 *                                 one-for-half: columns_mul_halves_fused
 *     columns_inverse (0 to 2), columns_to_runs_fused, runs_to_limbs, chunks_compose (0 or 1), chunks_carry
 *
 * The member `device` of the shape has the passes.  It is pure: no table, no device.  ocl/ocl_pipeline.h runs it.
 */
#ifndef GFMUL_PLAN_DEVICE_H
#define GFMUL_PLAN_DEVICE_H

#include "plan/plan.h"

enum { DEVICE_LIMB_BITS_MAX = 20, DEVICE_DECIMAL_MAX = 6, DEVICE_DD_LIMB_BITS_MAX = 46, DEVICE_DD_DECIMAL_MAX = 12 };

/* The speed of a device, per nanosecond: fma of doubles, products modulo a prime of 31 bits, bytes copied.  0: not known. */
struct device_rates {
    double fma, product, copy;
};

/* The place of a pass: first and last; between; on rows. */
enum device_place { DEVICE_FIRST, DEVICE_MIDDLE, DEVICE_ROWS };

/* The limits of a device. */
struct device_limits {
    size_t local_bytes;      /* static local memory of a work-group */
    unsigned max_work_group; /* work-items */
    size_t memory_bytes;     /* for buffers; 0: no limit */
    size_t buffer_bytes;     /* of one buffer; the largest holds a transform's points; 0: no limit */
    size_t points_most;      /* of a transform, for tests; 0: no limit */
    struct device_rates rates;
};

/*
 * plan_device_size - choose digit base and passes for a product of limbs or of text.
 *
 *   shape    out  complete, bound included
 *   request  in   base 2 with sizes in bits, or base 10 with sizes in characters.  Packing right-angle, which is auto; or in
 *                 double one-for-half, except for cells, or two-for-one, except for kept spectra and cells.
 *                 Precision auto is double, under rule knuth double-double.  Prime: any base that is no power of two, too.
 *                 Rule checked needs double, rule knuth double-double.
 *   detail   out  detail_bytes characters, on failure
 * Threads: pure.   Errors: UNSUPPORTED (not for devices), SIZE (no transform is long enough), MEMORY, PRECISION.
 */
enum gfmul_status plan_device_size(struct plan_shape *shape, const struct plan_request *request,
                                   const struct device_limits *limits, char *detail, size_t detail_bytes);

/*
 * plan_device_cells - the same, but limbs under rule knuth may be cut into cells (plan_device_cells.c).  This is done if no
 * transform holds their product, or if cells cost less.
 *
 *   request  in   an, bn: bits of whole limbs
 *   shape    out  shape.a_cells > 1: for sums of products of cells, cell_limbs each, by ocl_pipeline_mul_add; a_cells counts the
 *                 cells of the longer operand.  Else as plan_device_size leaves it
 * Errors: those of plan_device_size.
 */
enum gfmul_status plan_device_cells(struct plan_shape *shape, const struct plan_request *request,
                                    const struct device_limits *limits, char *detail, size_t detail_bytes);

/*
 * plan_device_parse - passes from text, for tuning: "PASS,PASS,..." in the order of the pipeline, the last inverse pass the last.
 *
 *   PASS  RADIX.RADIX...[:dSTAGES]/ITEMS/COLUMNS[/s][/p][/rREGISTERS][/mLEAF]     e.g. 16.8.4/32/8/s; the first pass first
 *   Two passes: first, rows, last; three: first, middle, rows, middle back, last.  Passes back may be omitted: then as forward.
 *   exponent  in   bits or characters of a digit
 * The bound is that of the request's sizes; measured norms are expected unless request->worst_case.
 * Precision double-double if the request says so, else double.
 * Errors: ARGUMENT, UNSUPPORTED (the packing), PRECISION (a bound that is not below plan_bound_limit), SIZE (does not hold the
 * product).
 */
enum gfmul_status plan_device_parse(struct plan_shape *shape, const struct plan_request *request, const char *text,
                                    unsigned exponent, char *detail, size_t detail_bytes);

/*
 * Modulo primes (plan_device_primes.c), exact.  Digits are not balanced and have up to DEVICE_PRIME_UNIT_BITS bits for each prime
 * but one.  A shape of plan_device_parse takes the first set of primes that holds them, and after "31:" no lazy set.  A digit of
 * text is the largest power of its base that these bits hold; the plan's digits.digit_base is 0, because that may not fit.
 * Lengths are LEAF times a power of two, LEAF 1 to 8: doc/decisions/device-primes.md.  transform.log2_n is log2 of that power.
 *
 * device_primes_size, device_primes_parse - plan_device_size and plan_device_parse for precision prime.  A shape has two or three
 * passes, and its inverse passes have as many points.
 * device_primes_tree - factors in the table of a tree; device_primes_low_bits - log2 of the entries in the shorter table of
 * roots; device_primes_stride - entries in all tables of one prime (kernels/residue_passes.cl).
 * device_primes_base - the base of the digits of text; device_primes_pieces - the pieces into which kernels cut them
 * (kernels/text_chars.cl).
 */
enum { DEVICE_PRIMES_MIN = 3, DEVICE_PRIMES_MAX = 6, DEVICE_PRIME_UNIT_BITS = 16 };
enum { DEVICE_PRIME_BITS = 31, DEVICE_PRIME_CONSTANTS = 24 }; /* of a prime that is not lazy; factors */
enum { DEVICE_PIECE_BITS = 27, DEVICE_PIECES_MAX = 4 };       /* bits of a piece; pieces of a digit, in any base */
enum { DEVICE_PRIME_LIMBS = 500000 }; /* device_primes_least_limbs, if doubles are as fast as in the tables */
enum { DEVICE_PRIME_QUAD = 4, DEVICE_PRIME_JOIN_ITEMS = 64 }; /* of kernels/residues_to_limbs_fused.cl */

/* Sets of primes, increasing.  Lazy primes are below 2^30: kernels leave residues below 2 p, which saves operations. */
enum { DEVICE_PRIME_SETS = 2 };
struct device_prime_set {
    unsigned lazy, levels, levels_all; /* levels of lengths modulo all primes but the last, and modulo all */
    uint32_t p[DEVICE_PRIMES_MAX];
};
extern const struct device_prime_set device_prime_sets[DEVICE_PRIME_SETS];

/* device_primes_of - the n primes that a plan with n of them uses: the largest of a set that have its lengths. */
const uint32_t *device_primes_of(const struct device_prime_set *set, unsigned n);
static inline const struct device_prime_set *device_primes_set(const struct plan_shape *shape)
{
    return &device_prime_sets[shape->device.prime_set];
}

enum gfmul_status device_primes_size(struct plan_shape *shape, const struct plan_request *request,
                                     const struct device_limits *limits, char *detail, size_t detail_bytes);
enum gfmul_status device_primes_parse(struct plan_shape *shape, const struct plan_request *request, const char *text,
                                      unsigned exponent, char *detail, size_t detail_bytes);
size_t device_primes_tree(const struct plan_shape *shape);
unsigned device_primes_low_bits(const struct plan_shape *shape);
size_t device_primes_stride(const struct plan_shape *shape);
unsigned __int128 device_primes_base(const struct plan_shape *shape);

struct device_pieces {
    unsigned n, chars; /* pieces of a digit; characters of each but the highest */
    uint32_t base, top_base;
};
struct device_pieces device_primes_pieces(const struct plan_shape *shape);

/*
 * The cost of passes on other devices (plan_device_costs.c).  A table's cost is that of the device on which it was measured.
 * Memory time scales with the rate of a copy, the rest with that of arithmetic; no pass takes less than its arithmetic.
 *
 * device_scale_of   - how much longer memory, arithmetic and the rest of a field take on a device of these rates.  A rate near
 *                     that of the table's device, or unknown, counts as equal: then costs are the table's, bit for bit.
 * device_cost_of    - scale a cost whose part for memory is `memory`, and for arithmetic at least `arithmetic`; one unit for all.
 * device_pass_cost  - scale the cost of a pass at its place.
 * device_ways_of    - what is made for a product: by itself (products 0), or as one of a sum of so many with one side kept.
 * device_ways_cost  - the cost of a point beside its passes; what ends a way back costs `back`.
 * device_ways_launches - the cost of all launches.
 * device_is_tabled  - whether the tables were measured on such a device.   A smaller one of that name, or a part of it, is not.
 * device_primes_least_limbs - the smallest products that precision auto may make modulo primes.
 */
struct device_scale {
    enum plan_field_id field;
    double memory, arithmetic, rest;
};
struct device_ways {
    double share;            /* of the passes' costs, which are those of three transforms */
    double back, moves;      /* ways back; how often all points are read or written beside the passes */
    double passes, launches; /* launches: of each pass; others */
};
struct device_scale device_scale_of(const struct device_rates *rates, enum plan_field_id field);
double device_cost_of(const struct device_scale *s, double cost, double memory, double arithmetic);
double device_pass_cost(const struct device_scale *s, const struct device_pass *pass, enum device_place place, double cost);
struct device_ways device_ways_of(size_t products);
double device_ways_cost(const struct device_ways *w, const struct device_scale *s, double back);
double device_ways_launches(const struct device_ways *w, unsigned n_passes);
bool device_is_tabled(const char *name, unsigned compute_units);
size_t device_primes_least_limbs(const struct device_rates *rates);

/* device_pass_parse - parse one pass, up to `end`; false if the text is no pass (struct device_pass). */
bool device_pass_parse(struct device_pass *pass, const char *text, bool dd, const char **end);

/* device_pass_print - a pass in the notation of plan_device_parse; returns what snprintf returns. */
int device_pass_print(char *buf, size_t size, const struct device_pass *pass);
/* device_passes_print - set the text of a plan's passes.  Done once per plan, because reports copy it. */
void device_passes_print(struct plan_device *d);

/* device_radix_log2 - log2 of the power of two in a radix.   device_radix_odd - the rest of it. */
unsigned device_radix_log2(unsigned radix);
unsigned device_radix_odd(unsigned radix);

enum { DEVICE_RUN_DIGITS = 64 }; /* of the longest run: the columns of a pass divide it */

/*
 * device_pass_coprime - whether a pass has two stages, each with an odd factor, and their powers of two make 2 to 8
 * (kernels/fft_stages.cl).
 */
bool device_pass_coprime(const struct device_pass *pass);

/* device_pass_local_bytes - static local memory of the largest kernel that runs this pass. */
size_t device_pass_local_bytes(const struct device_pass *pass);

/* device_shape_columns - row length, in points, of the blocks that pass p splits: n / (points of the passes up to p). */
size_t device_shape_columns(const struct plan_shape *shape, unsigned p);

/*
 * device_narrow_levels - double-double: how many first levels read digits as doubles (doc/error-bound.md, section 18.4).  An odd
 * radix counts as one level; pairs of them, 9 and 15 have none.
 */
unsigned device_narrow_levels(const struct plan_shape *shape);

/* device_row_digits - digits of a row of columns: one for each point, in packing one-for-half two. */
size_t device_row_digits(const struct plan_shape *shape);

/* device_is_shared - whether both operands share one transform (two-for-one). */
static inline bool device_is_shared(const struct plan_shape *shape)
{
    return shape->transform.packing == GFMUL_PACKING_TWO_FOR_ONE && !shape->square;
}

/* device_is_paired - whether the product takes rows by pairs of opposite angles. */
static inline bool device_is_paired(const struct plan_shape *shape)
{
    return device_is_shared(shape) || shape->transform.packing == GFMUL_PACKING_ONE_FOR_HALF;
}

/* device_shape_operands - how many buffers of points a product needs: 1 or 2. */
unsigned device_shape_operands(const struct plan_shape *shape);

/* device_run_words - words of 32 bits of a run of digits (kernels/columns_to_runs_fused.cl). */
unsigned device_run_words(const struct plan_shape *shape);

/* device_point_bytes - bytes of a point: 16; 32 in double-double; half of that if floats replace doubles. */
unsigned device_point_bytes(const struct plan_shape *shape);
double device_points_bytes(const struct plan_shape *shape); /* bytes of all n points */

/* device_norm_shift - norms count digits divided by 2^shift and rounded away from zero (kernels/source_to_columns_fused.cl). */
unsigned device_norm_shift(const struct plan_shape *shape);

/*
 * device_shape_carry - change how the carries of a shape of limbs are divided; for tuning.
 *
 *   chunk_blocks  in  blocks of a chunk, a power of two; 0: the default
 *   tile_items    in  items that carry side by side, a power of two; 0: the default
 *
 * It sets group_maps by the number of chunks.  To change group_maps, set it after this call.
 */
void device_shape_carry(struct plan_shape *shape, unsigned chunk_blocks, unsigned tile_items);

/* Buffers of one product, in bytes. */
struct device_buffers {
    size_t points;              /* x, and as much again for y, if there are two (device_shape_operands) */
    size_t runs, carries, maps; /* modulo primes, text: digits of a and of b in the first two; limbs need neither */
    size_t chunks, groups_at;   /* of maps: the number of chunks; where the maps of groups begin, if there are groups */
};
void device_shape_buffers(const struct plan_shape *shape, struct device_buffers *buffers);

/* device_number_tiles - tiles of rows in a product that is no product modulo primes: kernels/runs_to_limbs.cl. */
size_t device_number_tiles(const struct plan_shape *shape);

/*
 * device_part_tile - the first tile of rows of part `part`, if a product is packed in `parts`; with part == parts, the end
 * of the last one.  The chunks of a part begin with their own group of chunks_carry.
 * device_shape_parts - the number of parts in which it can be packed.
 */
size_t device_part_tile(const struct plan_shape *shape, unsigned part, unsigned parts);
unsigned device_shape_parts(const struct plan_shape *shape);

/*
 * device_entry - an entry of the twiddle tables: e(times theta_b / 2^shift + offset / den), theta_b the angle of the table's
 * node.
 * A pass's table begins with device_node_entries entries for each node; the entries that all nodes share follow.
 */
struct device_entry {
    uint64_t offset;
    unsigned shift; /* DEVICE_ENTRY_FIXED: the angle is the offset alone */
    unsigned times;
    unsigned ratio; /* 1: c, tau; 0: re, im (pairs: always) */
};
enum { DEVICE_ENTRY_FIXED = 63 };

unsigned device_node_entries(const struct device_pass *pass);
unsigned device_shared_entries(const struct device_pass *pass);

/* device_tables_bytes - of all passes.  A pass back shares the forward tables if its radices are equal, as in long rows. */
size_t device_tables_bytes(const struct plan_shape *shape);

/* device_angle_den - den of the entries' angles: 4 * odd * 2^(log2_n + 4). */
uint64_t device_angle_den(const struct plan_shape *shape);

/*
 * device_entries - describe the tables of a pass.
 *
 *   first   in   the pass begins at the root, so the offsets include the angle of its single node
 *   entry   out  first device_node_entries, then device_shared_entries
 */
void device_entries(const struct plan_shape *shape, const struct device_pass *pass, bool first, struct device_entry *entry);

/*
 * device_branch_angle - the angle of branch t after the odd stage, as a numerator: theta = numerator / (4 odd).
 *
 *   packing  in   of the root: its angle is 1/4 if right-angle, else 0
 */
uint64_t device_branch_angle(enum gfmul_packing packing, unsigned odd, unsigned t);

#endif
