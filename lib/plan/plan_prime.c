/*
 * plan_prime.c - the candidates modulo primes on the CPU: sizes, memory, costs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "plan/plan_prime.h"

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "plan/plan_search.h"
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

/*
 * The factor on the cost in rings.  Sums of spaces take more of their time in memory than products, and points in double are
 * larger.  Zen 5, a b + c d, in double and modulo primes, both against two products: 1.18 and 1.04 at 1e5 limbs, 1.07 and 1.03 at
 * 2e5, 1.06 and 0.90 at 3e5, 1.27 and 0.90 at 1e6; with one side kept .74 and .73, .67 and .70, .64 and .62, .79 and .62
 * (2026-11-28, not kept).
 */
static const double RINGS = 0.92;

/*
 * The factor on the cost of one product modulo 2^K + 1: its rows are turned in a pass of their own, and RINGS is for sums.
 * Xeon, AVX-512, against double: 1.15, 1.17, 1.03 and 0.97 of the time at 1e6, 2e6, 3e6 and 4e6 limbs; divided by the costs,
 * 1.26, 1.36, 1.32 and 1.32.  Quotients and roots by kept operands took 1.02, 1.00, 0.95 and 0.91 at 1e6, 1.5e6, 2e6 and 3e6
 * (2026-11-29, doc/decisions/above-products.md).
 */
static const double TURNED = 1.3, TURNED_KEPT = 1.2;

/* The factor on the cost of a product in halves: digits are cut twice, and one thread puts both halves together. */
static const double HALVES = 1.2;

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
    const size_t products = s->bound.products > 1 ? s->bound.products : 1;
    return 2 * s->digits.exponent + ceil_log2(products * (s->digits.an < s->digits.bn ? s->digits.an : s->digits.bn));
}

/* sums_bits - log2 of a bound of all coefficients, with the offset if they are raised. */
static double sums_bits(unsigned l, size_t terms, bool raised)
{
    return 2.0 * l + (raised ? 1.0 + ceil_log2(terms) : log2((double)terms) * (1 + 0x1p-40));
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
    const size_t turn = prime_is_halved(s) || s->transform.turned ? prime_whole_lines(2 * s->transform.n_rows) : 0;
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
    if (request->ring > 0 && request->products == 0)
        return request->ring + !request->ring_minus;
    return (request->an - 1) / 64 + (request->bn - 1) / 64 + 2;
}

/* other_bytes - of the buffer beside the residues, a block of its own. */
static size_t other_bytes(const struct plan_shape *s, const struct plan_request *request)
{
    return request->kept ? 0 : sizeof(double) * prime_other_doubles(s, limbs_of(request));
}

/* memory_bytes - of all buffers, and of a kept spectrum. */
static size_t memory_bytes(const struct plan_shape *s, const struct plan_request *request)
{
    const unsigned threads = request->threads > 1 ? request->threads : 1;
    const size_t residues = s->transform.n_primes * prime_buffer_doubles(s) + prime_join_parts(s, threads) * PRIME_TAIL_LIMBS;
    const size_t rest = request->kept ? prime_kept_doubles(s) + threads * prime_sums_scratch(s)
                                      : PRIME_CUTS * prime_table_doubles(s) + threads * prime_scratch_doubles(s);
    return other_bytes(s, request) + sizeof(double) * (residues + rest);
}

/* touch_ps - the first touch of all that, and of the memory of the lowest limbs' product. */
static double touch_ps(const struct plan_search *s)
{
    const double other = (double)other_bytes(&s->shape, s->request);
    return plan_touch_ps(s->request, other) + plan_touch_ps(s->request, s->bytes - other);
}

/* ---- costs ---- */

/* level_ps - picoseconds of one thread for a level of a point modulo a prime. */
static double level_ps(const struct plan_request *request)
{
    static const struct rate {
        unsigned isa;
        double level_ps, square;
    } rates[] = {
#define RATE(...) {__VA_ARGS__},
        PLAN_PRIMES_RATES(RATE)
#undef RATE
    };
    const struct rate *rate = rates;
    while (rate->isa != 0 && rate->isa != request->isa)
        rate++;
    const bool fewer = request->square || request->kept; /* transforms */
    const bool slower = (request->isa & CPU_ISA_AVX512) != 0 && !request->ifma;
    return rate->level_ps * (fewer ? rate->square : 1.0) * (slower ? PLAN_PRIMES_NO_IFMA : 1.0) *
           plan_rate(request->rates.primes);
}

double plan_prime_least_ps(const struct plan_request *request)
{
    const double least = (double)((size_t)1 << (PRIME_ROW_LEVELS_MIN + PRIME_LEVELS_MIN));
    const double bits = request->ring > 0 ? 64.0 * (double)request->ring : (double)request->an + (double)request->bn;
    const double points = bits / PRIME_DIGIT_BITS_MAX * (1.0 - 1.0 / WRAP_MOST);
    const double levels =
        PRIME_ROW_LEVELS_MIN + PRIME_LEVELS_MIN + fixed_levels - bit_levels * (PRIME_DIGIT_BITS_MAX - PRIME_DIGIT_BITS_MIN);
    return 3.0 * (points > least ? points : least) * levels * level_ps(request) * (request->ring > 0 ? RINGS : 1.0);
}

/* ---- the search ---- */

const char *plan_prime_refuses(const struct plan_request *request)
{
    const bool named = request->precision == GFMUL_PRECISION_PRIME, wanted = request->primes && !request->full_precision;
    const bool keeps = !request->kept || request->ring > 0;
    const bool makes = request->base == 2 && keeps && request->rule != GFMUL_RULE_KNUTH && request->packing == GFMUL_PACKING_AUTO;
    return makes && (named || wanted) ? NULL : "precision prime on the CPU multiplies numbers in limbs, without kept spectra";
}

/* ring_is_exact - whether a ring of just this length is wanted: its limbs are all the bits of the points. */
static bool ring_is_exact(const struct plan_request *request)
{
    return request->ring > 0 && !request->ring_or_more;
}

/* ring_is_turned - whether a ring is modulo 2^K + 1.  Whole sums of a space are modulo 2^K - 1. */
static bool ring_is_turned(const struct plan_request *request)
{
    const bool sums = request->ring_or_more && request->products > 0;
    return request->ring > 0 && !request->ring_minus && !sums;
}

/* prime_begin - of either family. */
static void prime_begin(struct plan_search *s, bool halved)
{
    const struct plan_request *request = s->request;
    struct plan_shape *start = &s->shape;
    start->rule = GFMUL_RULE_NORM; /* rule checked admits it, too, but it is proved */
    start->field = PLAN_PRIME;
    start->square = request->square;
    start->isa = request->isa;
    start->ifma = request->ifma;
    start->bound.products = request->products;
    start->grid.a_cells = start->grid.b_cells = start->grid.n_branches = 1;
    start->digits.base = 2;
    start->transform.turned = ring_is_turned(request);
    s->halved = halved;
    s->unit_ps = level_ps(request);
    s->binary = false;
    s->levels_first = PRIME_ROW_LEVELS_MIN + PRIME_LEVELS_MIN;
    s->levels_last = halved || start->transform.turned ? PRIME_LEVELS - 1 : PRIME_LEVELS; /* the root of order 2 n */
}

static bool whole_begin(struct plan_search *s)
{
    prime_begin(s, false);
    return true;
}

static bool halves_begin(struct plan_search *s)
{
    prime_begin(s, true);
    return !s->wraps && s->request->ring == 0;
}

/* Each choice: one more prime, and the longest digits.  In an exact ring: all digits that divide it, then one more prime. */
static bool prime_digits(struct plan_search *s, unsigned i)
{
    const struct plan_request *request = s->request;
    const size_t products = request->products > 1 ? request->products : 1;
    const bool exact = ring_is_exact(request);
    const bool raised = s->halved || s->shape.transform.turned || request->products > 0;
    unsigned n_primes = i == 0 ? 3 : s->shape.transform.n_primes + !exact;
    unsigned longest = exact && i > 0 ? s->shape.digits.exponent - 1 : PRIME_DIGIT_BITS_MAX;
    for (; n_primes <= PRIME_COUNT; n_primes++, longest = PRIME_DIGIT_BITS_MAX) {
        /* the coefficients are sums of bn products of digits, for each product: this is below half of the primes' product */
        const double room = prime_product_bits(n_primes) - 1.0 - 0x1p-20;
        const unsigned most = room / 2 < longest ? (unsigned)(room / 2) : longest;
        for (unsigned l = most; l >= PRIME_DIGIT_BITS_MIN; l--) {
            const size_t an = (s->long_size - 1) / l + 1, bn = (s->short_size - 1) / l + 1;
            if ((exact && 64 * request->ring % l != 0) || sums_bits(l, products * bn, raised) > room)
                continue;
            s->shape.transform.n_primes = n_primes;
            s->shape.digits.exponent = l;
            s->shape.digits.bits = l;
            s->shape.digits.an = an;
            s->shape.digits.bn = bn;
            s->whole_points = request->ring > 0 ? (64 * request->ring - 1) / l + 1
                              : !s->halved      ? an + bn - 1
                              : an > (an + bn) / 2 ? an
                                                   : (an + bn) / 2;
            return true; /* shorter digits are no better, unless the ring is exact */
        }
    }
    return false;
}

/* prime_cover - whole, in halves, or wrapped around. */
static enum plan_cover prime_cover(struct plan_search *s, unsigned odd, unsigned log2_n)
{
    const struct plan_request *request = s->request;
    const struct plan_digits *d = &s->shape.digits;
    const size_t n = (size_t)odd << log2_n, limbs = limbs_of(request), all = d->an + d->bn - 1;
    const bool whole = n >= s->whole_points;
    const bool may_wrap = request->wrap != PLAN_WRAP_NEVER && !request->certify; /* certificates cannot express it */
    if (ring_is_exact(request) && n != s->whole_points)
        return COVER_OTHER_DIGITS;
    if (whole ? s->wraps : !may_wrap || s->halved || d->an > n || all - n > n / WRAP_MOST)
        return COVER_OTHER_DIGITS;
    const double levels = log2_n + odd_levels[odd / 2] + fixed_levels - bit_levels * (PRIME_DIGIT_BITS_MAX - d->exponent);
    s->shape.grid.wraps = !whole;
    s->shape.grid.wrap_limbs = whole ? 0 : limbs - n / 64 * d->exponent;
    const bool lent = n < limbs || request->kept;
    const double turned = !s->shape.transform.turned || request->products > 0 ? 1.0 : request->kept ? TURNED_KEPT : TURNED;
    s->cost_ps = s->unit_ps * (double)n * s->shape.transform.n_primes * levels * (lent ? 1.0 : 1.0 + NOT_LENT) *
                 (s->halved ? 2.0 * HALVES : 1.0) * (request->ring > 0 ? RINGS : 1.0) * turned;
    return COVER;
}

/* low_add - add the product of the lowest limbs; its tables and buffers are not in the cache.   Returns its memory. */
static size_t low_add(struct plan_search *s)
{
    struct plan_request low = *s->request;
    struct plan_shape shape;
    low.precision = GFMUL_PRECISION_PRIME;
    low.an = low.bn = 64 * s->shape.grid.wrap_limbs;
    low.wrap = PLAN_WRAP_NEVER;
    low.memory_limit = 0;
    low.cold = false;
    if (low.an == 0)
        return 0;
    if (s->size(&shape, &low, NULL, 0) != GFMUL_OK)
        shape.cost_ps = HUGE_VAL;
    s->cost_ps += WRAP_LOW * shape.cost_ps + WRAP_MARGIN * s->cost_ps;
    return shape.memory_bytes;
}

static enum plan_verdict prime_admit(struct plan_search *s, unsigned odd, unsigned log2_n)
{
    struct plan_shape *shape = &s->shape;
    const size_t low_bytes = shape->grid.wraps ? low_add(s) : 0;
    if (s->cost_ps >= s->dear_ps)
        return VERDICT_REFUSED;
    plan_prime_rows(shape, odd, log2_n, row_levels_of(odd, log2_n));
    shape->transform.n_digits = shape->transform.n_points << s->halved;
    if (s->halved && prime_ring_limbs(shape) + PRIME_TAIL_LIMBS > limbs_of(s->request))
        return VERDICT_REFUSED;
    s->bytes = (double)(low_bytes + memory_bytes(shape, s->request));
    s->cost_ps += s->request->cold ? touch_ps(s) : 0.0;
    return VERDICT_ADMITTED;
}

const struct plan_family plan_prime_whole = {
    .begin = whole_begin, .digits = prime_digits, .cover = prime_cover, .admit = prime_admit};
const struct plan_family plan_prime_halves = {
    .begin = halves_begin, .digits = prime_digits, .cover = prime_cover, .admit = prime_admit};
