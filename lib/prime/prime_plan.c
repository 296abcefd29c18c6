/*
 * prime_plan.c - sizes and tables of transforms modulo primes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "prime/prime_plan.h"

#include <math.h>

#include "base/cpu.h"
#include "plan/thresholds/primes.h"
#include "prime/prime_roots.h"

enum { ROW_LEVELS_USUAL = 12, ROWS_MOST = 4096, ROOT_LEVELS_LEAST = 2 };
enum { WRAP_MOST = 8 }; /* the least part of a product modulo 2^(n l) - 1 that may be missing */

/*
 * For each point and prime, in levels of 0.21 ns: an odd factor; digits of 96 bits, turned rows, points, the join; each bit less
 * of a digit.  Zen 4, AVX-512, 2026-11-26.
 */
static const double odd_levels[] = {0, 1.5, 3.2, 5.5}, fixed_levels = 27.9, bit_levels = 0.1;

/* Of a product that wraps around: the factor on the cost of the lowest limbs' product, and the least part of all to be gained. */
static const double WRAP_LOW = 1.5, WRAP_MARGIN = 0.01;

/* The extra time that saving a buffer is worth, if the other operand's residues fit into the limbs of the product. */
static const double NOT_LENT = 0.05;

#define ISA(name, ...) extern const struct prime_ops prime_ops_##name;
#include "base/isa.def"

const struct prime_ops *prime_ops_of(const struct isa_ops *isa)
{
    static const struct prime_ops *const built[CPU_ISA_COUNT] = {
#define ISA(name, NAME, ...) GFMUL_HAVE_##NAME ? &prime_ops_##name : NULL,
#include "base/isa.def"
    };
    return built[__builtin_ctz(isa->isa_bit)];
}

double prime_product_bits(unsigned n)
{
    double bits = 0;
    for (unsigned i = 0; i < n; i++)
        bits += log2((double)prime_table[i].p);
    return bits - 0x1p-30;
}

double prime_cost_ps(const struct prime_shape *s, unsigned isa, bool square, size_t bytes)
{
    static const struct {
        unsigned isa;
        double level_ps, square;
    } rates[] = {
#define RATE(...) {__VA_ARGS__},
        PLAN_PRIMES_RATES(RATE)
#undef RATE
    };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i].isa == isa) {
            const bool slower = (isa & CPU_ISA_AVX512) != 0 && !s->has_ifma;
            return s->level_points * rates[i].level_ps * (square ? rates[i].square : 1.0) * (slower ? PLAN_PRIMES_NO_IFMA : 1.0) +
                   plan_touch_ps(isa, (double)bytes);
        }
    return HUGE_VAL;
}

void prime_shape_rows(struct prime_shape *s, unsigned odd, unsigned log2_n, unsigned row_levels)
{
    assert(PRIME_ROW_LEVELS_MIN <= row_levels && row_levels + PRIME_LEVELS_MIN <= log2_n);
    s->odd = odd;
    s->row_levels = row_levels;
    s->levels = log2_n - row_levels;
    s->n_points = (size_t)odd << log2_n;
    s->n_rows = (size_t)odd << s->levels;
    s->row_points = (size_t)1 << row_levels;
    s->group_stride = (s->row_points + PRIME_STRIP) * PRIME_STRIP;
}

/* row_levels_of - rows about as long as columns, in the first cache; longer ones if a strip would leave the second. */
static unsigned row_levels_of(unsigned odd, unsigned log2_n)
{
    unsigned levels = (log2_n + 1) / 2 / 2 * 2; /* even: two levels a pass */
    levels = levels < PRIME_ROW_LEVELS_MIN ? PRIME_ROW_LEVELS_MIN : levels > ROW_LEVELS_USUAL ? ROW_LEVELS_USUAL : levels;
    while (levels < PRIME_ROW_LEVELS_MAX && (size_t)odd << (log2_n - levels) > ROWS_MOST)
        levels += 2;
    return levels;
}

/* ceil_log2 - of x >= 1. */
static unsigned ceil_log2(size_t x)
{
    return x == 1 ? 0 : 64 - (unsigned)__builtin_clzll(x - 1);
}

unsigned prime_offset_bits(const struct prime_shape *s)
{
    return 2 * s->digit_bits + ceil_log2(s->an < s->bn ? s->an : s->bn);
}

/* sums_bits - log2 of what all coefficients are below; with the offset, of a shape in halves. */
static double sums_bits(unsigned l, size_t terms, bool halved)
{
    return 2.0 * l + (halved ? 1.0 + ceil_log2(terms) : log2((double)terms) * (1 + 0x1p-40));
}

/* The request of a search, and the best shape so far. */
struct search {
    size_t a_bits, b_bits;
    bool halved;
    enum plan_wrap wrap;
    struct prime_shape *best;
    double cost;
};

static double search_all(struct search *s);

/* low_cost - of the product of so many lowest limbs, whose tables and buffers are not in the cache. */
static double low_cost(size_t limbs)
{
    struct prime_shape low;
    return WRAP_LOW * search_all(&(struct search){64 * limbs, 64 * limbs, false, PLAN_WRAP_NEVER, &low, HUGE_VAL});
}

/* search_length - take 2^log2_n points times an odd factor if they are the cheapest so far;  shape: what is known of it. */
static void search_length(struct search *s, struct prime_shape shape, unsigned i, unsigned log2_n)
{
    const size_t n = (size_t)prime_odd(i) << log2_n, all = shape.an + shape.bn - 1,
                 longer = shape.an > shape.bn ? shape.an : shape.bn;
    const double levels = log2_n + odd_levels[i] + fixed_levels - bit_levels * (PRIME_DIGIT_BITS_MAX - shape.digit_bits);
    const size_t limbs = (s->a_bits - 1) / 64 + (s->b_bits - 1) / 64 + 2; /* of the product, if no limb of an operand is zero */
    double cost = (double)n * shape.n_primes * levels * (n < limbs ? 1.0 : 1.0 + NOT_LENT);
    const bool whole = all <= n << s->halved && (!s->halved || longer <= n);
    if (cost >= s->cost || (whole ? s->wrap == PLAN_WRAP_ALWAYS : s->wrap == PLAN_WRAP_NEVER || s->halved))
        return;
    prime_shape_rows(&shape, prime_odd(i), log2_n, row_levels_of(prime_odd(i), log2_n));
    if (!whole) {
        if (longer > n || all - n > n / WRAP_MOST)
            return;
        shape.wrap_limbs = limbs - prime_ring_limbs(&shape);
        cost += low_cost(shape.wrap_limbs) + WRAP_MARGIN * cost;
        if (cost >= s->cost)
            return;
    }
    s->cost = cost;
    shape.level_points = cost;
    *s->best = shape;
}

/* search_all - the cost of the cheapest shape;  HUGE_VAL: none. */
static double search_all(struct search *s)
{
    for (unsigned n_primes = 3; n_primes <= PRIME_COUNT; n_primes++) {
        /* the coefficients are sums of bn products: below bn 2^(2 l), which is below half of the primes' product */
        const double room = prime_product_bits(n_primes) - 1.0 - 0x1p-20;
        for (unsigned l = PRIME_DIGIT_BITS_MAX; l >= PRIME_DIGIT_BITS_MIN; l--) {
            const size_t an = (s->a_bits - 1) / l + 1, bn = (s->b_bits - 1) / l + 1;
            if (sums_bits(l, an < bn ? an : bn, s->halved) > room)
                continue;
            const struct prime_shape shape = {.n_primes = n_primes, .digit_bits = l, .an = an, .bn = bn, .halved = s->halved};
            const unsigned most_levels = s->halved ? PRIME_LEVELS - 1 : PRIME_LEVELS; /* the root of order 2 n */
            for (unsigned i = 0; prime_odd(i) != 0; i++)
                for (unsigned log2_n = PRIME_ROW_LEVELS_MIN + PRIME_LEVELS_MIN; log2_n <= most_levels; log2_n++)
                    search_length(s, shape, i, log2_n);
            break; /* shorter digits are no better */
        }
    }
    return s->cost;
}

enum gfmul_status prime_size(struct prime_shape *s, size_t a_bits, size_t b_bits, bool halved, enum plan_wrap wrap)
{
    struct search search = {a_bits, b_bits, halved, wrap, s, HUGE_VAL};
    return search_all(&search) < HUGE_VAL ? GFMUL_OK : GFMUL_ERR_SIZE;
}

/* ---- tables ---- */

/* Roots of the tree: for columns and rows alike.  Always w[0] .. w[3]. */
static size_t root_count(const struct prime_shape *s)
{
    unsigned levels = s->levels > s->row_levels ? s->levels : s->row_levels;
    levels = levels > ROOT_LEVELS_LEAST ? levels : ROOT_LEVELS_LEAST;
    return (size_t)1 << (levels - 1);
}

/* whole_lines - doubles, rounded up to cache lines. */
static size_t whole_lines(size_t n)
{
    return (n + 7) / 8 * 8;
}

size_t prime_table_doubles(const struct prime_shape *s)
{
    const size_t turn = s->halved ? whole_lines(2 * s->n_rows) : 0;
    return 2 * (whole_lines(2 * root_count(s)) + whole_lines(s->n_rows) + turn);
}

/* powers_fill - pairs of 1, w, w^2, .. */
static void powers_fill(double *pairs, size_t n, uint64_t w, uint64_t p)
{
    const struct prime_multiplier m = prime_multiplier(w, p);
    uint64_t power = 1;
    for (size_t i = 0; i < n; i++, power = prime_multiply(power, &m))
        prime_pair_put(pairs + 2 * i, 1, power, p);
}

/* rows_fill - turn e(r / n) for row t 2^levels + k, r = t 2^levels + odd rev(k). */
static void rows_fill(double *row, const struct prime_shape *s, uint64_t root, uint64_t turn, uint64_t p)
{
    const size_t of_tree = (size_t)1 << s->levels;
    const uint64_t next = prime_power(root, of_tree, p);
    for (unsigned t = 0; t < s->odd; t++, row += of_tree, turn = prime_mul(turn, next, p)) {
        row[0] = prime_balanced(turn, p);
        for (size_t half = 1; half < of_tree; half *= 2) {
            const struct prime_multiplier m = prime_multiplier(prime_power(root, s->odd * (of_tree / 2 / half), p), p);
            for (size_t i = 0; i < half; i++)
                row[half + i] = prime_balanced(prime_multiply(prime_pair_get(row[i], p), &m), p);
        }
    }
}

/* turns_fill - turn[back] of products modulo x^n + 1, back.   memory out; what is behind it. */
static double *turns_fill(struct prime_tables *t, const struct prime_shape *s, bool turned, unsigned back, double *memory)
{
    const uint64_t p = t->prime->p;
    t->turn[back] = NULL;
    if (!turned)
        return memory;
    const uint64_t w = prime_root(t->prime, 2 * s->n_rows);
    t->turn[back] = memory;
    powers_fill(memory, s->n_rows, back ? prime_inverse(w, p) : w, p);
    return memory + whole_lines(2 * s->n_rows);
}

void prime_tables_build(struct prime_tables *t, const struct prime_shape *s, const struct prime *prime, bool turned,
                        double *memory)
{
    const uint64_t p = prime->p, half_root = turned ? prime_root(prime, 2 * s->n_points) : 1;
    assert(s->halved || !turned);
    t->prime = prime;
    t->scale = prime_balanced(prime_inverse(s->n_points % p, p), p);
    t->offset = turned ? prime_balanced(prime_power(2, prime_offset_bits(s), p), p) : 0.0;
    for (unsigned back = 0; back < 2; back++) {
        const uint64_t n_root = prime_root(prime, s->n_points);
        t->root[back] = memory;
        t->leaf[back] = NULL;
        t->row[back] = t->root[back] + whole_lines(2 * root_count(s));
        memory = turns_fill(t, s, turned, back, t->row[back] + whole_lines(s->n_rows));
        prime_roots_fill(t->root[back], root_count(s), prime, back);
        rows_fill(t->row[back], s, back ? prime_inverse(n_root, p) : n_root, back ? prime_inverse(half_root, p) : half_root, p);
    }
    prime_odd_fill(t, s->odd);
}

void prime_scale_join(struct prime_tables *t, const struct prime_shape *s, unsigned i)
{
    const uint64_t p = prime_table[i].p;
    uint64_t before = 1;
    assert(t->prime == &prime_table[i]);
    for (unsigned j = 0; j < i; j++)
        before = prime_mul(before, prime_table[j].p % p, p);
    t->scale = prime_balanced(prime_inverse(prime_mul(before, s->n_points % p, p), p), p);
    if (t->offset != 0.0)
        t->offset = prime_balanced(prime_mul(prime_power(2, prime_offset_bits(s), p), prime_inverse(before, p), p), p);
}
