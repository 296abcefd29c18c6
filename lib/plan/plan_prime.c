/*
 * plan_prime.c - sizes and costs of products modulo primes on the CPU.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "plan/plan_prime.h"

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "plan/plan_field.h"
#include "plan/plan_say.h"
#include "plan/thresholds/primes.h"

enum { ROW_LEVELS_USUAL = 12, ROWS_MOST = 4096, ROOT_LEVELS_LEAST = 2 };
enum { WRAP_MOST = 8 }; /* a product modulo 2^(n l) - 1 may miss at most n / WRAP_MOST digits */
/* join parts per thread; about the digits of the longest part, which take some ms */
enum { JOIN_PARTS = 4, JOIN_PART_MOST = 1 << 20 };

/*
 * Per point and prime, in levels of 0.21 ns: an odd factor; digits of 96 bits, turned rows, points, the join; the surcharge for
 * each bit that a digit is shorter.  Zen 4, AVX-512, 2026-11-26.
 */
static const double odd_levels[] = {0, 1.5, 3.2, 5.5}, fixed_levels = 27.9, bit_levels = 0.1;

/* A product that wraps around: the factor on the cost of its lowest limbs, and the least relative gain that justifies it. */
static const double WRAP_LOW = 1.5, WRAP_MARGIN = 0.01;

/* The extra time accepted to save a buffer, if the other operand's residues fit into the limbs of the product. */
static const double NOT_LENT = 0.05;

double prime_product_bits(unsigned n)
{
    double bits = 0;
    for (unsigned i = 0; i < n; i++)
        bits += log2((double)prime_table[i].p);
    return bits - 0x1p-30;
}

/* ceil_log2 - of x >= 1. */
static unsigned ceil_log2(size_t x)
{
    return x == 1 ? 0 : 64 - (unsigned)__builtin_clzll(x - 1);
}

unsigned prime_offset_bits(const struct plan_shape *s)
{
    return 2 * s->digits.exponent + ceil_log2(s->digits.an < s->digits.bn ? s->digits.an : s->digits.bn);
}

/* sums_bits - log2 of a bound of all coefficients; of a shape in halves, with the offset. */
static double sums_bits(unsigned l, size_t terms, bool halved)
{
    return 2.0 * l + (halved ? 1.0 + ceil_log2(terms) : log2((double)terms) * (1 + 0x1p-40));
}

/* ---- the layout of points ---- */

void plan_prime_rows(struct plan_shape *s, unsigned odd, unsigned log2_n, unsigned row_levels)
{
    struct plan_transform *t = &s->transform;
    assert(PRIME_ROW_LEVELS_MIN <= row_levels && row_levels + PRIME_LEVELS_MIN <= log2_n);
    t->odd = odd;
    t->log2_n = log2_n;
    t->column_levels = log2_n - row_levels;
    t->n_points = (size_t)odd << log2_n;
    t->n_rows = (size_t)odd << t->column_levels;
    t->row_points = (size_t)1 << row_levels;
    t->row_stride = (t->row_points + PRIME_STRIP) * PRIME_STRIP;
}

/* row_levels_of - rows about as long as columns, in the first cache; longer ones if a strip would exceed the second. */
static unsigned row_levels_of(unsigned odd, unsigned log2_n)
{
    unsigned levels = (log2_n + 1) / 2 / 2 * 2; /* even: two levels a pass */
    levels = levels < PRIME_ROW_LEVELS_MIN ? PRIME_ROW_LEVELS_MIN : levels > ROW_LEVELS_USUAL ? ROW_LEVELS_USUAL : levels;
    while (levels < PRIME_ROW_LEVELS_MAX && (size_t)odd << (log2_n - levels) > ROWS_MOST)
        levels += 2;
    return levels;
}

/* ---- memory ---- */

size_t prime_root_count(const struct plan_shape *s)
{
    const struct plan_transform *t = &s->transform;
    unsigned levels = t->log2_n - t->column_levels;
    levels = t->column_levels > levels ? t->column_levels : levels;
    levels = levels > ROOT_LEVELS_LEAST ? levels : ROOT_LEVELS_LEAST;
    return (size_t)1 << (levels - 1); /* always w[0] .. w[3] */
}

size_t prime_table_doubles(const struct plan_shape *s)
{
    const size_t turn = prime_is_halved(s) ? prime_whole_lines(2 * s->transform.n_rows) : 0;
    return 2 * (prime_whole_lines(2 * prime_root_count(s)) + prime_whole_lines(s->transform.n_rows) + turn);
}

size_t prime_other_doubles(const struct plan_shape *s, size_t zn)
{
    const size_t buffer = prime_buffer_doubles(s), half = prime_ring_limbs(s) + PRIME_TAIL_LIMBS;
    if (prime_is_halved(s))
        return half > buffer ? half : buffer;
    return s->square || prime_lends(s, zn) ? 0 : buffer;
}

size_t prime_join_parts(const struct plan_shape *s, unsigned threads)
{
    const size_t runs = s->transform.n_points / PRIME_RUN, few = threads == 1 ? 1 : (size_t)threads * JOIN_PARTS,
                 least = s->transform.n_points / JOIN_PART_MOST + 1, parts = few > least ? few : least;
    return parts < runs ? parts : runs;
}

/* limbs_of - limbs of the product, if both operands are normalised. */
static size_t limbs_of(const struct plan_request *request)
{
    return (request->an - 1) / 64 + (request->bn - 1) / 64 + 2;
}

/* memory_bytes - of all buffers; if the product wraps around, also of those for its lowest limbs. */
static size_t memory_bytes(const struct plan_shape *s, const struct plan_request *request)
{
    const unsigned threads = request->threads > 1 ? request->threads : 1;
    size_t low_bytes = 0;
    if (s->grid.wraps) {
        struct plan_request low = *request;
        struct plan_shape of_low;
        low.an = low.bn = 64 * s->grid.wrap_limbs;
        if (plan_prime_shape(&of_low, &low, false, PLAN_WRAP_NEVER) == GFMUL_OK)
            low_bytes = of_low.memory_bytes;
    }
    return low_bytes + sizeof(double) * (prime_other_doubles(s, limbs_of(request)) +
                                         s->transform.n_primes * prime_buffer_doubles(s) + threads * prime_scratch_doubles(s) +
                                         PRIME_CUTS * prime_table_doubles(s) + prime_join_parts(s, threads) * PRIME_TAIL_LIMBS);
}

/* ---- the search ---- */

/* A length and the digits used with it. */
struct candidate {
    unsigned n_primes, digit_bits, odd, log2_n;
    size_t an, bn;
    size_t wrap_limbs; /* 0: it does not wrap around */
    double levels;     /* all work in levels, each the work per point and prime */
};

/* The input and the result of a search. */
struct search {
    const struct plan_request *request;
    size_t a_bits, b_bits;
    bool halved;
    enum plan_wrap wrap;
    struct candidate best; /* levels HUGE_VAL: none yet */
};

static double search_all(struct search *s);

/* low_levels - the product of this many lowest limbs, in levels; its tables and buffers are not in the cache. */
static double low_levels(const struct plan_request *request, size_t limbs)
{
    return WRAP_LOW * search_all(&(struct search){request, 64 * limbs, 64 * limbs, false, PLAN_WRAP_NEVER, {.levels = HUGE_VAL}});
}

/* search_length - take 2^log2_n points times odd factor i if they are the cheapest so far;  c: the candidate, partly filled. */
static void search_length(struct search *s, struct candidate c, unsigned i, unsigned log2_n)
{
    const size_t n = (size_t)prime_odd(i) << log2_n, all = c.an + c.bn - 1, longer = c.an > c.bn ? c.an : c.bn;
    const double levels = log2_n + odd_levels[i] + fixed_levels - bit_levels * (PRIME_DIGIT_BITS_MAX - c.digit_bits);
    const size_t limbs = (s->a_bits - 1) / 64 + (s->b_bits - 1) / 64 + 2; /* of the product */
    const bool whole = all <= n << s->halved && (!s->halved || longer <= n);
    c.levels = (double)n * c.n_primes * levels * (n < limbs ? 1.0 : 1.0 + NOT_LENT);
    if (c.levels >= s->best.levels || (whole ? s->wrap == PLAN_WRAP_ALWAYS : s->wrap == PLAN_WRAP_NEVER || s->halved))
        return;
    c.odd = prime_odd(i);
    c.log2_n = log2_n;
    if (!whole) {
        if (longer > n || all - n > n / WRAP_MOST)
            return;
        c.wrap_limbs = limbs - n / 64 * c.digit_bits;
        c.levels += low_levels(s->request, c.wrap_limbs) + WRAP_MARGIN * c.levels;
        if (c.levels >= s->best.levels)
            return;
    }
    s->best = c;
}

/* search_all - the levels of the cheapest candidate;  HUGE_VAL: there is none. */
static double search_all(struct search *s)
{
    for (unsigned n_primes = 3; n_primes <= PRIME_COUNT; n_primes++) {
        /* the coefficients are sums of bn products: below bn 2^(2 l), which is below half of the primes' product */
        const double room = prime_product_bits(n_primes) - 1.0 - 0x1p-20;
        for (unsigned l = PRIME_DIGIT_BITS_MAX; l >= PRIME_DIGIT_BITS_MIN; l--) {
            const size_t an = (s->a_bits - 1) / l + 1, bn = (s->b_bits - 1) / l + 1;
            if (sums_bits(l, an < bn ? an : bn, s->halved) > room)
                continue;
            const struct candidate c = {.n_primes = n_primes, .digit_bits = l, .an = an, .bn = bn};
            const unsigned most_levels = s->halved ? PRIME_LEVELS - 1 : PRIME_LEVELS; /* the root of order 2 n */
            for (unsigned i = 0; prime_odd(i) != 0; i++)
                for (unsigned log2_n = PRIME_ROW_LEVELS_MIN + PRIME_LEVELS_MIN; log2_n <= most_levels; log2_n++)
                    search_length(s, c, i, log2_n);
            break; /* shorter digits are no better */
        }
    }
    return s->best.levels;
}

/* cost_ps - the cost of a product on one thread;  HUGE_VAL: not known.   bytes in: memory that it touches for the first time */
static double cost_ps(const struct plan_request *request, double levels, size_t bytes)
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
        if (rates[i].isa == request->isa) {
            const bool slower = (request->isa & CPU_ISA_AVX512) != 0 && !request->ifma;
            return levels * rates[i].level_ps * (request->square ? rates[i].square : 1.0) * (slower ? PLAN_PRIMES_NO_IFMA : 1.0) +
                   plan_touch_ps(request->isa, (double)bytes);
        }
    return HUGE_VAL;
}

enum gfmul_status plan_prime_shape(struct plan_shape *s, const struct plan_request *request, bool halved, enum plan_wrap wrap)
{
    const bool swap = request->an < request->bn;
    struct search search = {.request = request,
                            .a_bits = swap ? request->bn : request->an,
                            .b_bits = swap ? request->an : request->bn,
                            .halved = halved,
                            .wrap = wrap,
                            .best.levels = HUGE_VAL};
    if (search_all(&search) == HUGE_VAL)
        return GFMUL_ERR_SIZE;
    const struct candidate *best = &search.best;
    memset(s, 0, sizeof *s);
    s->rule = GFMUL_RULE_NORM; /* rule checked admits it, too, but it is proved */
    s->field = PLAN_PRIME;
    s->square = request->square;
    s->isa = request->isa;
    s->ifma = request->ifma;
    s->digits =
        (struct plan_digits){.base = 2, .exponent = best->digit_bits, .bits = best->digit_bits, .an = best->an, .bn = best->bn};
    plan_prime_rows(s, best->odd, best->log2_n, row_levels_of(best->odd, best->log2_n));
    s->transform.n_digits = s->transform.n_points << halved;
    s->transform.n_primes = best->n_primes;
    s->grid.wraps = best->wrap_limbs != 0;
    s->grid.wrap_limbs = best->wrap_limbs;
    s->grid.a_cells = s->grid.b_cells = s->grid.n_branches = 1;
    s->memory_bytes = memory_bytes(s, request);
    s->cost_ps = cost_ps(request, best->levels, request->cold ? s->memory_bytes : 0);
    return GFMUL_OK;
}

enum gfmul_status plan_prime_size(enum plan_field_id id, struct plan_shape *shape, const struct plan_request *request,
                                  char *detail, size_t detail_bytes)
{
    const enum plan_wrap wrap = request->certify ? PLAN_WRAP_NEVER : request->wrap; /* certificates cannot express it */
    const struct {
        bool halved;
        enum plan_wrap wrap;
    } kinds[] = {{false, wrap}, {false, PLAN_WRAP_NEVER}, {true, PLAN_WRAP_NEVER}};
    size_t least = 0;
    assert(id == PLAN_PRIME);
    (void)id; /* in builds without assertions */
    if (request->base != 2 || request->kept || request->rule == GFMUL_RULE_KNUTH || request->packing != GFMUL_PACKING_AUTO)
        return plan_fail(GFMUL_ERR_UNSUPPORTED, detail, detail_bytes,
                         "precision prime on the CPU multiplies numbers in limbs, without kept spectra");
    for (size_t i = wrap == PLAN_WRAP_NEVER; i < sizeof kinds / sizeof *kinds; i++) {
        if (plan_prime_shape(shape, request, kinds[i].halved, kinds[i].wrap) != GFMUL_OK ||
            (kinds[i].halved && prime_ring_limbs(shape) + PRIME_TAIL_LIMBS > limbs_of(request)))
            continue;
        if (request->memory_limit == 0 || shape->memory_bytes <= request->memory_limit)
            return GFMUL_OK;
        least = least == 0 || shape->memory_bytes < least ? shape->memory_bytes : least;
    }
    if (least == 0)
        return plan_fail(GFMUL_ERR_SIZE, detail, detail_bytes, "the product is longer than any transform modulo a prime");
    return plan_fail_memory(request, (double)least, detail, detail_bytes);
}
