/*
 * ocl_pipeline_primes.c - products modulo primes on one device: tables and launches.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "ocl/ocl_arguments.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_chunks.h"
#include "ocl/ocl_pipeline_state.h"

/* ---- tables ---- */

/* A constant factor and its precomputed quotient; below, the words of a prime's constants.   kernels/residue_passes.cl */
struct factor {
    cl_uint w, quotient;
};
enum { WORD_P_INVERSE, WORD_DIGIT, WORD_RECIPROCAL = WORD_DIGIT + 3, WORD_INVERSES = 16, WORD_PLACES = 32 };
enum { PLACES = 2 * DEVICE_PIECES_MAX + 1 }; /* pieces: of two digits of text, and one piece above them */
_Static_assert(WORD_INVERSES + 2 * (DEVICE_PRIMES_MAX - 1) <= WORD_PLACES && WORD_PLACES + PLACES <= 2 * DEVICE_PRIME_CONSTANTS,
               "room for the constants");

static uint32_t mul(uint32_t a, uint32_t b, uint32_t p)
{
    return (uint32_t)((uint64_t)a * b % p);
}

static uint32_t power(uint32_t a, uint64_t e, uint32_t p)
{
    uint32_t r = 1;
    for (; e > 0; e >>= 1, a = mul(a, a, p))
        if (e & 1)
            r = mul(r, a, p);
    return r;
}

static uint32_t inverse(uint32_t a, uint32_t p)
{
    return power(a, p - 2, p);
}

static struct factor factor_of(uint32_t w, uint32_t p)
{
    return (struct factor){w, (cl_uint)(((uint64_t)w << 32) / p)};
}

static void factor_put(cl_uint *words, uint32_t w, uint32_t p)
{
    const struct factor f = factor_of(w, p);
    words[0] = f.w;
    words[1] = f.quotient;
}

/* root_of - e(1 / 2^levels), computed as a power of the least number that is no square. */
static uint32_t root_of(uint32_t p, unsigned levels)
{
    uint32_t g = 2;
    while (power(g, (p - 1) / 2, p) == 1)
        g++;
    return power(g, (p - 1) >> levels, p);
}

/* scale_of - s with s^2 = 2^32 / 2^levels, because products of residues leave a factor 1 / 2^32, and transforms 2^levels.  It
   uses (e + 1 / e)^2 = 2 for e^8 = 1. */
static uint32_t scale_of(uint32_t p, unsigned levels)
{
    const uint32_t e = root_of(p, 3), root_two = (uint32_t)(((uint64_t)e + inverse(e, p)) % p);
    return mul(power(2, 16, p), inverse(power(root_two, levels, p), p), p);
}

/* constants_fill - set the constants of prime i, for 2^levels nodes. */
static void constants_fill(cl_uint *words, const uint32_t *primes, unsigned i, unsigned levels)
{
    const uint32_t p = primes[i], two_32 = (uint32_t)(((uint64_t)1 << 32) % p), scale = scale_of(p, levels);
    cl_uint p_inverse = 1;
    for (unsigned k = 0; k < 5; k++) /* each step doubles the number of right bits */
        p_inverse *= 2 - p * p_inverse;
    words[WORD_P_INVERSE] = p_inverse;
    words[WORD_RECIPROCAL] = (cl_uint)(UINT64_MAX / p); /* floor(2^64 / p), p odd */
    words[WORD_RECIPROCAL + 1] = (cl_uint)(UINT64_MAX / p >> 32);
    for (unsigned k = 0; k < 3; k++)
        words[WORD_DIGIT + k] = mul(scale, power(two_32, k + 1, p), p);
    for (unsigned j = 0; j < i; j++)
        factor_put(words + WORD_INVERSES + 2 * j, inverse(primes[j], p), p);
}

/* places_fill - cut the product of the primes before prime i into pieces of digits of text. */
static void places_fill(cl_uint *words, const uint32_t *primes, unsigned i, const struct device_pieces *p)
{
    cl_uint *piece = words + WORD_PLACES;
    piece[0] = 1;
    for (unsigned j = 0; j < i; j++) {
        uint64_t carry = 0;
        for (unsigned k = 0; k <= 2 * p->n; k++) {
            const uint32_t base = k % p->n + 1 == p->n ? p->top_base : p->base;
            carry += (uint64_t)piece[k] * primes[j]; /* below 2^59 */
            piece[k] = (cl_uint)(carry % base);
            carry /= base;
        }
    }
}

/* tree_fill - set w_k of the first `count` nodes: w_(2^b + i) = w_i e(1 / 2^(b + 2)).   root in: e(1 / 2^levels) */
static void tree_fill(struct factor *tree, size_t count, uint32_t root, unsigned levels, uint32_t p)
{
    tree[0] = factor_of(1, p);
    for (unsigned b = 0; (size_t)1 << b < count; b++) {
        const uint32_t turn = power(root, (uint64_t)1 << (levels - b - 2), p);
        for (size_t i = 0; i < (size_t)1 << b; i++)
            tree[((size_t)1 << b) + i] = factor_of(mul(tree[i].w, turn, p), p);
    }
}

static void powers_fill(struct factor *to, size_t count, uint32_t w, uint32_t p)
{
    uint32_t one = 1;
    for (size_t i = 0; i < count; i++, one = mul(one, w, p))
        to[i] = factor_of(one, p);
}

/* tables_fill - fill all tables of prime i. */
static void tables_fill(const struct plan_shape *s, struct factor *t, unsigned i)
{
    const unsigned levels = s->transform.log2_n, low = device_primes_low_bits(s);
    const uint32_t *primes = device_primes_of(device_primes_set(s), s->transform.n_primes), p = primes[i],
                   root = root_of(p, levels);
    const size_t tree = device_primes_tree(s);
    constants_fill((cl_uint *)t, primes, i, levels);
    if (s->digits.base != 2) {
        const struct device_pieces pieces = device_primes_pieces(s);
        places_fill((cl_uint *)t, primes, i, &pieces);
    }
    t += DEVICE_PRIME_CONSTANTS;
    tree_fill(t, tree, root, levels, p);
    tree_fill(t + tree, tree, inverse(root, p), levels, p);
    t += 2 * tree;
    powers_fill(t, (size_t)1 << (levels - low), power(root, (uint64_t)1 << low, p), p);
    powers_fill(t + ((size_t)1 << (levels - low)), (size_t)1 << low, root, p);
}

static enum gfmul_status primes_tables(const struct ocl_call *on, struct ocl_pipeline *p)
{
    const struct plan_shape *s = &p->shape;
    const size_t bytes = device_tables_bytes(s), stride = device_primes_stride(s);
    struct factor *all = calloc(s->transform.n_primes * stride, sizeof *all);
    if (!all)
        return GFMUL_ERR_MEMORY;
    for (unsigned i = 0; i < s->transform.n_primes; i++)
        tables_fill(s, all + i * stride, i);
    enum gfmul_status status = ocl_buffer_get(on, bytes, &p->primes);
    if (status == GFMUL_OK)
        status = ocl_upload(on, (struct ocl_span){p->primes, 0, bytes}, all, 1, OCL_AFTER_QUEUE);
    free(all);
    return status;
}

/* ---- launches ---- */

/* layout_of - the offsets of the parts of a prime's tables. */
static cl_uint4 layout_of(const struct plan_shape *s)
{
    return (cl_uint4){
        {(cl_uint)device_primes_stride(s), (cl_uint)device_primes_tree(s), device_primes_low_bits(s), s->transform.log2_n}};
}

/* groups_range - the range of `groups` groups of a pass for each prime, from its group `first` on. */
static struct ocl_range groups_range(const struct ocl_pipeline *p, const struct device_pass *pass, size_t first, size_t groups,
                                     const size_t operands[2])
{
    const size_t group = (size_t)pass->items * pass->columns * pass->leaf, items = group * p->shape.transform.n_primes;
    return (struct ocl_range){2, {first * items, operands[0]}, {groups * items, operands[1]}, {group, 1}};
}

static enum gfmul_status launch(const struct ocl_call *on, const struct ocl_pipeline *p, enum pipeline_kernel k,
                                struct ocl_range range, double bytes)
{
    return ocl_launch(on, p->kernel[k], pipeline_kernel_name(k), range, bytes);
}

/* digits_of - the words, in a buffer, that replace the limbs of a number in text; none if there is no number. */
static struct ocl_number digits_of(const struct plan_shape *s, struct ocl_number text, cl_mem words)
{
    const size_t pair = 2 * (size_t)s->digits.exponent, pairs = (text.n_words + pair - 1) / pair;
    return (struct ocl_number){text.words ? words : NULL,
                               text.words ? (uint32_t)(pairs * (s->device.field_bits / DEVICE_PRIME_UNIT_BITS)) : 0};
}

/* digits_make - convert the given operands from text to digits; a and b become the words of these. */
static enum gfmul_status digits_make(const struct ocl_call *on, const struct ocl_pipeline *p, const struct ocl_work *work,
                                     struct ocl_number *a, struct ocl_number *b)
{
    const struct plan_shape *s = &p->shape;
    const struct ocl_number a_digits = digits_of(s, *a, work->runs), b_digits = digits_of(s, *b, work->carries);
    const struct ocl_number x = a->words ? *a : *b, y = b->words ? *b : *a; /* if there is only one operand, both are that one */
    const struct ocl_number x_digits = a->words ? a_digits : b_digits, y_digits = b->words ? b_digits : a_digits;
    const struct text_to_digits_arguments size = {x.n_words, y.n_words, x_digits.n_words, y_digits.n_words};
    const cl_ulong longer = size.a_chars > size.b_chars ? size.a_chars : size.b_chars;
    const size_t group = 2 * (size_t)s->digits.exponent * PIPELINE_DIGIT_ITEMS, groups = (longer + group - 1) / group;
    const struct ocl_range range = {2,
                                    {0, a->words == NULL},
                                    {groups * PIPELINE_DIGIT_ITEMS, (size_t)(a->words != NULL) + (b->words != NULL)},
                                    {PIPELINE_DIGIT_ITEMS, 1}};
    TRY(ocl_args(on, p->kernel[KERNEL_PRIMES_DIGITS], OCL_ARG(x.words), OCL_ARG(x_digits.words),
                 OCL_ARG(y.words), OCL_ARG(y_digits.words), OCL_ARG(size), OCL_END));
    const double bytes = (double)a->n_words + b->n_words + 4.0 * ((double)a_digits.n_words + b_digits.n_words);
    *a = a_digits;
    *b = b_digits;
    return launch(on, p, KERNEL_PRIMES_DIGITS, range, bytes);
}

static enum gfmul_status primes_source(const struct ocl_call *on, struct ocl_pipeline *p, const struct ocl_work *work,
                                       struct ocl_number a, struct ocl_number b, size_t first, size_t end)
{
    const struct plan_shape *s = &p->shape;
    const struct device_pass *pass = &s->device.forward[0];
    if (s->digits.base != 2) /* text is never uploaded in blocks */
        TRY(digits_make(on, p, work, &a, &b));
    const struct ocl_number x = a.words ? a : b, y = b.words ? b : a;
    const size_t operands[2] = {a.words == NULL, (size_t)(a.words != NULL) + (b.words != NULL)};
    const struct source_arguments size = {x.n_words, y.n_words, (cl_uint)device_shape_columns(s, 0), 0};
    const cl_uint4 layout = layout_of(s);
    const double words = 4.0 * ((a.words ? a.n_words : 0) + (double)(b.words ? b.n_words : 0));
    cl_mem y_points = work->y ? work->y : work->x;
    TRY(ocl_args(on, p->kernel[KERNEL_PRIMES_FIRST], OCL_ARG(x.words), OCL_ARG(work->x), OCL_ARG(y.words), OCL_ARG(y_points),
                 OCL_ARG(p->primes), OCL_ARG(layout), OCL_ARG(size), OCL_END));
    return launch(on, p, KERNEL_PRIMES_FIRST,
                  groups_range(p, pass, first / pass->columns, (end - first) / pass->columns, operands),
                  (device_points_bytes(s) * (double)operands[1] + words) * (double)(end - first) / size.n_columns);
}

static enum gfmul_status primes_middle(const struct ocl_call *on, struct ocl_pipeline *p, cl_mem x, cl_mem y, size_t n)
{
    const struct plan_shape *s = &p->shape;
    const struct device_pass *pass = &s->device.forward[1];
    const size_t operands[2] = {0, n};
    const cl_uint4 layout = layout_of(s);
    if (s->device.n_passes < 3)
        return GFMUL_OK;
    const cl_uint columns = (cl_uint)device_shape_columns(s, 1), blocks = s->device.forward[0].points;
    TRY(ocl_args(on, p->kernel[KERNEL_PRIMES_MIDDLE], OCL_ARG(x), OCL_ARG(y), OCL_ARG(p->primes), OCL_ARG(layout),
                 OCL_ARG(columns), OCL_ARG(blocks), OCL_END));
    return launch(on, p, KERNEL_PRIMES_MIDDLE, groups_range(p, pass, 0, (size_t)blocks * columns / pass->columns, operands),
                  2 * device_points_bytes(s) * (double)n);
}

/* columns_back - launch pass i of the inverse transform over columns. */
static enum gfmul_status columns_back(const struct ocl_call *on, struct ocl_pipeline *p, cl_mem x, unsigned i)
{
    static const size_t operand[2] = {0, 1};
    const struct plan_shape *s = &p->shape;
    const struct device_pass *pass = &s->device.inverse[i];
    const enum pipeline_kernel k = i > 0 ? KERNEL_PRIMES_BACK : KERNEL_PRIMES_LAST;
    const cl_uint columns = (cl_uint)device_shape_columns(s, i), blocks = i > 0 ? s->device.forward[0].points : 1;
    const cl_uint4 layout = layout_of(s);
    TRY(ocl_args(on, p->kernel[k], OCL_ARG(x), OCL_ARG(p->primes), OCL_ARG(layout), OCL_ARG(columns), OCL_ARG(blocks), OCL_END));
    return launch(on, p, k, groups_range(p, pass, 0, (size_t)blocks * columns / pass->columns, operand),
                  2 * device_points_bytes(s));
}

/* rows_pass - launch a pass over the rows of x and y.   often in: how often all points are read or written */
static enum gfmul_status rows_pass(const struct ocl_call *on, const struct ocl_pipeline *p, enum pipeline_kernel k, cl_mem x,
                                   cl_mem y, unsigned often)
{
    static const size_t operand[2] = {0, 1};
    const struct plan_shape *s = &p->shape;
    const struct device_pass *pass = &s->device.forward[s->device.n_passes - 1];
    const cl_uint rows = (cl_uint)s->transform.n_rows;
    const cl_uint4 layout = layout_of(s);
    TRY(ocl_args(on, p->kernel[k], OCL_ARG(x), OCL_ARG(y), OCL_ARG(p->primes), OCL_ARG(layout), OCL_ARG(rows), OCL_END));
    return launch(on, p, k, groups_range(p, pass, 0, rows, operand), often * device_points_bytes(s));
}

static enum gfmul_status primes_rows(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work, cl_mem spectrum)
{
    const struct plan_shape *s = &p->shape;
    if (spectrum)
        TRY(rows_pass(on, p, KERNEL_PRIMES_ROWS_KEPT, work->x, spectrum, 3));
    else
        TRY(rows_pass(on, p, KERNEL_PRIMES_ROWS, work->x, s->square ? work->x : work->y, s->square ? 2 : 3));
    for (unsigned i = s->device.n_passes - 1; i-- > 0;)
        TRY(columns_back(on, p, work->x, i));
    return GFMUL_OK;
}

static enum gfmul_status primes_keep(const struct ocl_call *on, struct ocl_pipeline *p, const struct ocl_transform *x, unsigned n)
{
    const size_t operands[2] = {0, n};
    const struct plan_shape *s = &p->shape;
    const struct device_pass *pass = &s->device.forward[s->device.n_passes - 1];
    const struct ocl_transform *const y = &x[n - 1];
    const cl_uint rows = (cl_uint)s->transform.n_rows;
    const cl_uint4 layout = layout_of(s);
    TRY(ocl_args(on, p->kernel[KERNEL_PRIMES_ROWS_FORWARD], OCL_ARG(x->points), OCL_ARG(y->points), OCL_ARG(x->spectrum),
                 OCL_ARG(y->spectrum), OCL_ARG(p->primes), OCL_ARG(layout), OCL_ARG(rows), OCL_END));
    return launch(on, p, KERNEL_PRIMES_ROWS_FORWARD, groups_range(p, pass, 0, rows, operands), 2 * device_points_bytes(s) * n);
}

static enum gfmul_status primes_mul_add(const struct ocl_call *on, struct ocl_pipeline *p, cl_mem sum,
                                        const struct ocl_product *product, unsigned n, bool add)
{
    static const size_t operand[2] = {0, 1};
    const struct plan_shape *s = &p->shape;
    const struct device_pass *pass = &s->device.forward[s->device.n_passes - 1];
    const cl_uint rows = (cl_uint)s->transform.n_rows;
    const cl_uint4 layout = layout_of(s);
    struct mul_add_arguments of = {.n = n, .add = add};
    struct ocl_product all[PLAN_SUM_BLOCK];
    for (unsigned i = 0; i < PLAN_SUM_BLOCK; i++) {
        all[i] = product[i < n ? i : 0];
        of.minus |= (cl_uint)(i < n && all[i].minus) << i;
    }
    TRY(ocl_args(on, p->kernel[KERNEL_PRIMES_MUL_ADD], OCL_ARG(sum), OCL_ARG(all[0].a), OCL_ARG(all[0].b), OCL_ARG(all[1].a),
                 OCL_ARG(all[1].b), OCL_ARG(all[2].a), OCL_ARG(all[2].b), OCL_ARG(all[3].a), OCL_ARG(all[3].b),
                 OCL_ARG(p->primes), OCL_ARG(layout), OCL_ARG(rows), OCL_ARG(of), OCL_END));
    return launch(on, p, KERNEL_PRIMES_MUL_ADD, groups_range(p, pass, 0, rows, operand),
                  (2 * n + 1 + add) * device_points_bytes(s));
}

/* primes_back - all passes back of a spectrum. */
static enum gfmul_status primes_back(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work, cl_mem spectrum)
{
    TRY(rows_pass(on, p, KERNEL_PRIMES_ROWS_INVERSE, work->x, spectrum, 2));
    for (unsigned i = p->shape.device.n_passes - 1; i-- > 0;)
        TRY(columns_back(on, p, work->x, i));
    return GFMUL_OK;
}

/* join_offset - what is added to each coefficient of a sum: below 2^(2 l), so that it is still below the primes' product. */
static struct join_arguments join_offset(const struct plan_shape *s, size_t below)
{
    assert(below < (size_t)1 << 29); /* the product is below 2^(2 l + 28.65): three strict primes, l = 32 */
    const uint32_t *primes = device_primes_of(device_primes_set(s), s->transform.n_primes);
    uint32_t r[DEVICE_PRIMES_MAX] = {0};
    for (unsigned i = 0; i < s->transform.n_primes; i++)
        r[i] = mul((uint32_t)(below % primes[i]), power(2, 2 * (uint64_t)s->digits.exponent, primes[i]), primes[i]);
    return (struct join_arguments){(cl_uint)below, r[0], r[1], r[2], r[3], r[4], r[5]};
}

static enum gfmul_status primes_limbs(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work,
                                      struct ocl_number z, size_t tile, size_t end, size_t below)
{
    const struct plan_shape *s = &p->shape;
    const bool text = s->digits.base != 2;
    const enum pipeline_kernel k = text ? KERNEL_PRIMES_TEXT : below > 0 ? KERNEL_PRIMES_SIGNED : KERNEL_PRIMES_LIMBS;
    const struct ocl_chunks chunks = {p->kernel[KERNEL_COMPOSE],
                                      p->kernel[text ? KERNEL_PRIMES_TEXT_CARRY : KERNEL_PRIMES_CARRY]};
    const cl_uint stride = (cl_uint)device_primes_stride(s), n = (cl_uint)s->transform.n_points;
    const cl_ulong z_words = z.n_words;
    struct device_buffers buffers;
    (void)tile, (void)end; /* there is one part */
    device_shape_buffers(s, &buffers);
    struct join_arguments of;
    if (below > 0)
        of = join_offset(s, below);
    TRY(ocl_args(on, p->kernel[k], OCL_ARG(work->x), OCL_ARG(p->primes), OCL_ARG(stride), OCL_ARG(n), OCL_ARG(z.words),
                 OCL_ARG(z_words), OCL_ARG(work->maps), below > 0 ? sizeof of : 0, (const void *)&of, OCL_END));
    TRY(launch(on, p, k, ocl_items(buffers.chunks * DEVICE_PRIME_JOIN_ITEMS, DEVICE_PRIME_JOIN_ITEMS),
               device_points_bytes(s) + (text ? 1.0 : 4.0) * z.n_words));
    return ocl_chunks_carry(on, &chunks, s, work, z, 0, buffers.chunks);
}

const struct pipeline_field pipeline_primes = {primes_tables, primes_source, primes_middle,
                                               primes_rows,   primes_keep,   primes_limbs,
    primes_mul_add, primes_back};
