/*
 * plan_device.h - plans of products on an OpenCL device: which passes a product runs, by which kernels, and what they prove.
 *
 * Right-angle packing.  The points of x^n - i are a matrix that passes over columns split into nodes, block by block, until
 * rows of row_points points side by side are left:
 *
 *     source_to_columns_fused     n = POINTS * n_columns          root -> POINTS blocks of n_columns points
 *     columns_forward (0 to 2)    each block the same again
 *     columns_mul_fused           blocks that are rows -> leaves, product, and back
 *     columns_inverse (0 to 2), columns_to_runs_fused, runs_to_limbs, chunks_compose (0 or 1), chunks_carry
 *
 * The shape's part `device` is the passes.  It is pure: no table, no device.  ocl/ocl_pipeline.h runs it.
 */
#ifndef GFMUL_PLAN_DEVICE_H
#define GFMUL_PLAN_DEVICE_H

#include "plan/plan.h"

enum { DEVICE_LIMB_BITS_MAX = 20, DEVICE_DECIMAL_MAX = 6, DEVICE_DD_LIMB_BITS_MAX = 46, DEVICE_DD_DECIMAL_MAX = 12 };

/* How fast a device is, in a nanosecond: fma of doubles, products modulo a prime of 31 bits, bytes copied.  0: not known. */
struct device_rates {
    double fma, product, copy;
};

/* Where a pass stands: first and last; between; on rows. */
enum device_place { DEVICE_FIRST, DEVICE_MIDDLE, DEVICE_ROWS };

/* What a device allows. */
struct device_limits {
    size_t local_bytes;      /* static local memory of a work-group */
    unsigned max_work_group; /* work-items */
    size_t memory_bytes;     /* for buffers; 0: no limit */
    size_t buffer_bytes;     /* of one buffer, a transform's points being the largest; 0: no limit */
    size_t points_most;      /* of a transform, for tests; 0: no limit */
    struct device_rates rates;
};

/*
 * plan_device_size - choose digit base and passes for a product of limbs or of text.
 *
 *   shape    out  complete, bound included
 *   request  in   base 2 with sizes in bits, or base 10 with sizes in characters; packing right-angle or auto.
 *                 Precision auto is double, under rule knuth double-double.  Prime: any base that is no power of two, too.
 *                 Rule checked needs double, rule knuth double-double.
 *   detail   out  detail_bytes characters, on failure
 * Threads: pure.   Errors: UNSUPPORTED (not for devices), SIZE (no transform is long enough), MEMORY, PRECISION.
 */
enum gfmul_status plan_device_size(struct plan_shape *shape, const struct plan_request *request,
                                   const struct device_limits *limits, char *detail, size_t detail_bytes);

/*
 * plan_device_pieces - the same; limbs under rule knuth may be cut into pieces (plan_device_pieces.c), if no transform holds
 * their product or if pieces cost less.
 *
 *   request  in   an, bn: bits of whole limbs
 *   shape    out  shape.a_cells > 1: of sums of products of pieces, cell_limbs each, for ocl_pipeline_mul_add; a_cells are
 *                 those of the longer operand.  Else as plan_device_size leaves it
 * Errors: those of plan_device_size.
 */
enum gfmul_status plan_device_pieces(struct plan_shape *shape, const struct plan_request *request,
                                     const struct device_limits *limits, char *detail, size_t detail_bytes);

/*
 * plan_device_parse - passes from text, for tuning: "PASS,PASS,..." in the order of the pipeline, the last inverse pass the last.
 *
 *   PASS  RADIX.RADIX...[:dSTAGES]/ITEMS/COLUMNS[/s][/p][/rREGISTERS][/mLEAF]     e.g. 16.8.4/32/8/s; the first pass first
 *   Two passes: first, rows, last; three: first, middle, rows, middle back, last; without the passes back they are as forward.
 *   exponent  in   bits or characters of a digit
 * The bound is that of the request's sizes, measured norms being expected unless request->worst_case.
 * Precision double-double if the request says so, else double.
 * Errors: ARGUMENT, PRECISION (a bound that is not below plan_bound_limit), SIZE (does not hold the product).
 */
enum gfmul_status plan_device_parse(struct plan_shape *shape, const struct plan_request *request, const char *text,
                                    unsigned exponent, char *detail, size_t detail_bytes);

/*
 * Modulo primes (plan_device_primes.c), exact: digits of up to DEVICE_PRIME_UNIT_BITS bits for each prime but one, not balanced;
 * a shape of plan_device_parse takes the first set of primes that holds them, behind "31:" none that is lazy.  Digits
 * of text are the largest power of its base that these bits hold; the plan's digits.digit_base is 0: it may not fit.
 * Lengths are LEAF times a power of two, LEAF 1 to 8: doc/decisions/device-primes.md.  transform.log2_n is that power's.
 *
 * device_primes_size, device_primes_parse - what plan_device_size and plan_device_parse call for precision prime.  A shape has
 * two or three passes, with inverses of as many points.   device_primes_tree - factors of a tree's table; device_primes_low_bits
 * - log2 of those of the shorter of the tables of roots; device_primes_stride - of all tables of one prime
 * (kernels/residue_passes.cl).   device_primes_base - the base of the digits of text;
 * device_primes_pieces - the pieces that kernels make of them (kernels/text_chars.cl).
 */
enum { DEVICE_PRIMES_MIN = 3, DEVICE_PRIMES_MAX = 6, DEVICE_PRIME_UNIT_BITS = 16 };
enum { DEVICE_PRIME_BITS = 31, DEVICE_PRIME_CONSTANTS = 24 }; /* of a prime that is not lazy; factors */
enum { DEVICE_PIECE_BITS = 27, DEVICE_PIECES_MAX = 4 };       /* of a piece; of a digit: of any base and number of primes */
enum { DEVICE_PRIME_LIMBS = 500000 }; /* device_primes_least_limbs if doubles are as fast as the tables say */
enum { DEVICE_PRIME_QUAD = 4, DEVICE_PRIME_JOIN_ITEMS = 64 }; /* of kernels/residues_to_limbs_fused.cl */

/* Sets of primes, rising.  Those that are lazy are below 2^30: kernels leave residues below 2 p, and take fewer operations. */
enum { DEVICE_PRIME_SETS = 2 };
struct device_prime_set {
    unsigned lazy, levels, levels_all; /* that lengths have modulo all but the last of them, and modulo all */
    uint32_t p[DEVICE_PRIMES_MAX];
};
extern const struct device_prime_set device_prime_sets[DEVICE_PRIME_SETS];

/* device_primes_of - the n primes of a set that a plan with so many has: the largest ones that have its lengths. */
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
size_t device_primes_stride(const struct plan_shape *shape);
unsigned __int128 device_primes_base(const struct plan_shape *shape);

struct device_pieces {
    unsigned n, chars; /* of a digit; of each but the highest */
    uint32_t base, top_base;
};
struct device_pieces device_primes_pieces(const struct plan_shape *shape);
static inline unsigned device_primes_low_bits(const struct plan_shape *shape)
{
    return shape->transform.log2_n / 2;
}

/*
 * What passes cost elsewhere (plan_device_costs.c).  A table's cost is that of its device.  The time for memory goes with the
 * rate of a copy, the rest with that of arithmetic; no pass takes less than its arithmetic.
 *
 * device_scale_of   - how much longer memory, arithmetic and the rest of a field take on a device of these rates.  Rates near
 *                     to the table's device, or not known, are that device's: then costs are the table's, bit for bit.
 * device_cost_of    - a cost of which `memory` is for memory, and `arithmetic` the least for arithmetic: all in the same unit.
 * device_pass_cost  - that of a pass at its place.
 * device_is_tabled - whether the tables were measured on such a device.   A smaller one of its name, or a part, is another.
 * device_primes_least_limbs - of the least products that precision auto may make modulo primes.
 */
struct device_scale {
    enum plan_field_id field;
    double memory, arithmetic, rest;
};
struct device_scale device_scale_of(const struct device_rates *rates, enum plan_field_id field);
double device_cost_of(const struct device_scale *s, double cost, double memory, double arithmetic);
double device_pass_cost(const struct device_scale *s, const struct device_pass *pass, enum device_place place, double cost);
bool device_is_tabled(const char *name, unsigned compute_units);
size_t device_primes_least_limbs(const struct device_rates *rates);

/* device_pass_parse - one pass from text, up to `end`; false if it is none of these parts (struct device_pass). */
bool device_pass_parse(struct device_pass *pass, const char *text, bool dd, const char **end);

/* device_pass_print - a pass in the notation of plan_device_parse; returns what snprintf returns. */
int device_pass_print(char *buf, size_t size, const struct device_pass *pass);
/* device_passes_print - the text of a plan's passes, from them (plan_print.c).  Once for a plan: reports copy it. */
void device_passes_print(struct plan_device *d);

/* device_radix_log2 - levels of a radix: of its power of two. */
unsigned device_radix_log2(unsigned radix);

/*
 * device_pass_coprime - whether a pass has two stages with an odd factor each, and powers of two that make 2 to 8:
 * kernels/fft_stages.cl.
 */
bool device_pass_coprime(const struct device_pass *pass);

/* device_pass_local_bytes - static local memory of the largest kernel that runs this pass. */
size_t device_pass_local_bytes(const struct device_pass *pass);

/* device_shape_columns - points of a row of the blocks that pass p splits: n / (points of the passes up to p). */
size_t device_shape_columns(const struct plan_shape *shape, unsigned p);

/* device_run_words - words of 32 bits of a run of digits (kernels/columns_to_runs_fused.cl). */
unsigned device_run_words(const struct plan_shape *shape);

/* device_point_bytes - of a point: 16; 32 in double-double; half of that where floats stand in place of doubles. */
unsigned device_point_bytes(const struct plan_shape *shape);
double device_points_bytes(const struct plan_shape *shape); /* of all n */

/* device_norm_shift - norms count digits divided by 2 to this and rounded away from zero (kernels/source_to_columns_fused.cl). */
unsigned device_norm_shift(const struct plan_shape *shape);

/*
 * device_shape_carry - cut the carries of a shape of limbs otherwise, for tuning.
 *
 *   chunk_blocks  in  blocks of a chunk, a power of two; 0: the default
 *   tile_items    in  items that carry side by side, a power of two; 0: the default
 *
 * group_maps is set by the number of chunks.  To change it, set it after this call.
 */
void device_shape_carry(struct plan_shape *shape, unsigned chunk_blocks, unsigned tile_items);

/* Buffers of one product, in bytes. */
struct device_buffers {
    size_t points;              /* x, and as much again for y unless a square */
    size_t runs, carries, maps; /* modulo primes: digits of text of a and of b; of limbs there are no runs, no carries */
    size_t chunks, groups_at;   /* of maps: those of so many chunks; where those of groups of them begin, if there are any */
};
void device_shape_buffers(const struct plan_shape *shape, struct device_buffers *buffers);

/*
 * device_slice_tile - the tile of rows that slice `slice` of a product in `slices` slices begins with; the last one ends with
 * slice == slices.  Its chunks begin with a group of chunks_carry of their own.
 * device_shape_slices - into how many it can be cut.
 */
size_t device_slice_tile(const struct plan_shape *shape, unsigned slice, unsigned slices);
unsigned device_shape_slices(const struct plan_shape *shape);

/*
 * device_entry - an entry of the twiddle tables: e(times theta_b / 2^shift + offset / den), theta_b the angle of the table's
 * node.
 * Entries of a pass's table come first (device_node_entries of them for each node), then those that all nodes share.
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

/* device_tables_bytes - of all passes; the way back has the same tables where its radices are the same: as for long rows. */
size_t device_tables_bytes(const struct plan_shape *shape);

/* device_angle_den - den of the entries' angles: 4 * odd * 2^(log2_n + 4). */
uint64_t device_angle_den(const struct plan_shape *shape);

/*
 * device_entries - describe the tables of a pass.
 *
 *   first   in   the pass begins at the root: its one node's angle is in the offsets
 *   entry   out  device_node_entries, then device_shared_entries of them
 */
void device_entries(const struct plan_shape *shape, const struct device_pass *pass, bool first, struct device_entry *entry);

/* device_branch_angle - the angle's numerator of branch t behind the odd stage: theta = numerator / (4 odd). */
uint64_t device_branch_angle(unsigned odd, unsigned t);

#endif
