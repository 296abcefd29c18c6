/*
 * plan_device_primes.c - plans of products modulo primes below 2^31 on an OpenCL device.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "plan/plan_device.h"
#include "plan/plan_say.h"
#include "plan/thresholds/device.h"

/*
 * m 2^21 + 1, m = 459, 465, 470, 476, 479, 483: the largest below 2^30.  m 2^24 + 1, m = 66, 102, 108, 120, 126, 127: all but
 * the last one are 1 modulo 2^25 as well.  t-plan_device checks all of it.
 */
const struct device_prime_set device_prime_sets[DEVICE_PRIME_SETS] = {
    {1, 21, 21, {962592769, 975175681, 985661441, 998244353, 1004535809, 1012924417}},
    {0, 25, 24, {1107296257, 1711276033, 1811939329, 2013265921, 2113929217, 2130706433}},
};

/* Number of primes, their set, and the bits of a digit.  If costs are equal, the first line wins. */
static const struct digit_line {
    unsigned n_primes, set, bits;
} digit_lines[] = {{3, 0, 32}, {4, 0, 48}, {5, 0, 64}, {5, 0, 62}, {6, 0, 80}, {6, 0, 78},
                   {3, 1, 32}, {4, 1, 48}, {5, 1, 64}, {6, 1, 80}, {0, 0, 0}};

enum { STAGES_MOST = 4, PASSES_MOST = 3, LOCAL_BANKS = 32, LEAF_MOST = 8, LENGTH_MOST = 1 << 28 };
enum { LEVELS_MOST = 25 };

const uint32_t *device_primes_of(const struct device_prime_set *set, unsigned n)
{
    return n == DEVICE_PRIMES_MAX || set->levels == set->levels_all ? set->p + DEVICE_PRIMES_MAX - n
                                                                    : set->p + DEVICE_PRIMES_MAX - 1 - n;
}

/*
 * Passes and their costs: picoseconds per point and prime, for all ways together.  H100, bench/results/h100; *: estimates.
 * Some costs are reduced by the gain of later kernels on an H200 (doc/decisions/device-primes.md).
 * Rows whose groups need more than 64 registers with 512 items occupy half of the processor.
 */
struct prime_pass_line {
    enum device_place place;
    const char *forward, *inverse; /* NULL: the same */
    double cost;
};

static const struct prime_pass_line prime_pass_lines[] = {
    {DEVICE_FIRST, "16/1/16", NULL, 10.5}, /* * */
    {DEVICE_FIRST, "8.4/4/16", NULL, 9.5}, /* * */
    {DEVICE_FIRST, "8.8/8/16", NULL, 9.0},
    {DEVICE_FIRST, "8.8/8/32", NULL, 6.9},
    {DEVICE_FIRST, "16.8/8/16", NULL, 9.3},
    {DEVICE_FIRST, "16.8/8/32", "16.8/8/32/r32", 7.1},
    {DEVICE_FIRST, "16.16/16/16", NULL, 8.6},
    {DEVICE_FIRST, "16.16/16/32", NULL, 8.7},
    {DEVICE_FIRST, "8.8.8/64/16", NULL, 9.9},
    {DEVICE_FIRST, "8.16.8/64/8", NULL, 10.2},
    {DEVICE_FIRST, "16.8.16/64/8/r64", "8.16.16/64/8/r64", 10.9},
    {DEVICE_MIDDLE, "8/1/64", NULL, 8.1},
    {DEVICE_MIDDLE, "16/1/64", NULL, 8.1},
    {DEVICE_MIDDLE, "8.8/8/32", NULL, 9.1},
    {DEVICE_MIDDLE, "16.8/8/32", NULL, 9.3},
    {DEVICE_MIDDLE, "16.16/16/16", NULL, 8.6},
    {DEVICE_ROWS, "8.8/8/1", NULL, 9},    /* * */
    {DEVICE_ROWS, "16.8/8/1", NULL, 8.5}, /* * */
    {DEVICE_ROWS, "16.16/16/1", NULL, 12.8},
    {DEVICE_ROWS, "8.8.8/64/1", NULL, 7.9},
    {DEVICE_ROWS, "16.8.8/64/1", NULL, 8.0},
    {DEVICE_ROWS, "8.16.16/128/1", NULL, 8.9},
    {DEVICE_ROWS, "16.16.16/256/1", NULL, 9.5},
    {DEVICE_ROWS, "16.8.8.8/512/1", NULL, 10.2},
    {DEVICE_ROWS, "8.8/8/1/m4", NULL, 7.4},  /* * */
    {DEVICE_ROWS, "8.8/8/1/m5", NULL, 8.4},  /* * */
    {DEVICE_ROWS, "8.8/8/1/m6", NULL, 7.0},  /* * */
    {DEVICE_ROWS, "8.8/8/1/m7", NULL, 7.8},  /* * */
    {DEVICE_ROWS, "8.8/8/1/m8", NULL, 6.7},  /* * */
    {DEVICE_ROWS, "16.8/8/1/m5", NULL, 8.4}, /* * */
    {DEVICE_ROWS, "16.8/8/1/m6", NULL, 6.9}, /* * */
    {DEVICE_ROWS, "16.8/8/1/m7", NULL, 7.8}, /* * */
    {DEVICE_ROWS, "16.8/8/1/m8", NULL, 6.4},
    {DEVICE_ROWS, "16.16/16/1/m3", NULL, 10.9},
    {DEVICE_ROWS, "16.16/16/1/m4", NULL, 7.6},
    {DEVICE_ROWS, "16.16/16/1/m5", NULL, 8.7},
    {DEVICE_ROWS, "16.16/16/1/m6", NULL, 6.95},
    {DEVICE_ROWS, "16.16/16/1/m7", NULL, 8.1},
    {DEVICE_ROWS, "16.16/16/1/m8", NULL, 6.6},
    {DEVICE_ROWS, "16.8.4/32/1/m8", NULL, 8.0},
    {DEVICE_ROWS, "16.8.8/64/1/m5", NULL, 11.5},    /* * */
    {DEVICE_ROWS, "16.8.8/64/1/r64/m6", NULL, 9.5}, /* * */
    {DEVICE_ROWS, "16.8.8/64/1/r64/m8", NULL, 8.1},
    {DEVICE_ROWS, "8.16.16/128/1/m8", NULL, 11.5},
    {DEVICE_FIRST, NULL, NULL, 0},
};
static const double join_cost = 2.05, text_cost = 1.1; /* text: per point and character of a digit, both ways */

/* primes_bits - log2 of the product of a line's primes, rounded down. */
static double primes_bits(const struct digit_line *line)
{
    double bits = 0;
    for (unsigned i = 0; i < line->n_primes; i++)
        bits += log2(device_primes_of(&device_prime_sets[line->set], line->n_primes)[i]);
    return bits - 0x1p-30;
}

/* levels_most - the most levels of a length modulo a line's primes. */
static unsigned levels_most(const struct digit_line *line)
{
    const struct device_prime_set *set = &device_prime_sets[line->set];
    return line->n_primes == DEVICE_PRIMES_MAX ? set->levels_all : set->levels;
}

/* text_chars - the most characters of a base that a digit of this many bits holds. */
static unsigned text_chars(unsigned base, unsigned bits)
{
    const unsigned __int128 end = (unsigned __int128)1 << bits;
    unsigned __int128 power = base;
    unsigned k = 0;
    for (; power < end; power *= base) /* below 36 2^80 */
        k++;
    return k;
}

unsigned __int128 device_primes_base(const struct plan_shape *shape)
{
    unsigned __int128 power = 1;
    for (unsigned k = 0; k < shape->digits.exponent; k++)
        power *= shape->digits.base;
    return power;
}

struct device_pieces device_primes_pieces(const struct plan_shape *shape)
{
    const uint64_t base = shape->digits.base, most = (uint64_t)1 << DEVICE_PIECE_BITS;
    struct device_pieces p = {1, 1, (uint32_t)base, 1};
    for (; p.base * base <= most; p.base = (uint32_t)(p.base * base))
        p.chars++;
    p.n = (shape->digits.exponent + p.chars - 1) / p.chars;
    for (unsigned k = (p.n - 1) * p.chars; k < shape->digits.exponent; k++)
        p.top_base *= shape->digits.base;
    return p;
}

/* digit_unit - bits or characters of a digit. */
static unsigned digit_unit(const struct plan_request *request, const struct digit_line *line)
{
    return request->base == 2 ? line->bits : text_chars(request->base, line->bits);
}

/* unit_fits - whether fields of digits of text are half words. */
static bool unit_fits(const struct plan_request *request, const struct digit_line *line)
{
    return request->base == 2 || line->bits % DEVICE_PRIME_UNIT_BITS == 0;
}

/* shape_digits - set the digits of a line; false if the product does not fit. */
static bool shape_digits(struct plan_shape *s, const struct plan_request *request, const struct digit_line *line)
{
    const size_t a = request->an < request->bn && !request->kept ? request->bn : request->an, b = request->an + request->bn - a;
    const unsigned base = request->base, unit = digit_unit(request, line);
    unsigned whole = 1; /* this many quads fill whole words */
    while (base == 2 && whole * DEVICE_PRIME_QUAD * line->bits % 32 != 0)
        whole *= 2;
    if (a / (base == 2 ? 32 : 1) + b / (base == 2 ? 32 : 1) >= UINT32_MAX - 1 || s->transform.log2_n > levels_most(line))
        return false;
    s->rule = request->rule;
    s->field = PLAN_PRIME;
    s->square = request->square;
    s->transform.n_primes = line->n_primes;
    s->device.prime_set = line->set;
    s->digits = (struct plan_digits){
        .base = base, .exponent = unit, .bits = unit * log2(base), .an = (a - 1) / unit + 1, .bn = (b - 1) / unit + 1};
    s->grid.a_cells = s->grid.b_cells = s->grid.n_branches = 1;
    s->device.used = true;
    s->device.field_bits = line->bits;
    s->device.halves = s->digits.an > s->transform.n_points / 2 ? 2 : 1;
    s->device.block_digits = DEVICE_PRIME_QUAD;
    s->device.chunk_blocks = (DEVICE_PRIME_JOIN_ITEMS - 1) / whole * whole;
    struct device_buffers buffers;
    device_shape_buffers(s, &buffers);
    s->device.group_maps = buffers.chunks >= DEVICE_GROUP_CHUNKS;
    device_shape_buffers(s, &buffers);
    s->memory_bytes = (s->square ? 1 : 2) * buffers.points + buffers.runs + buffers.carries + buffers.maps +
                      device_tables_bytes(s) + (base == 2 ? (a + b) / 4 : 2 * (a + b));
    const double shorter = (double)(s->digits.an < s->digits.bn ? s->digits.an : s->digits.bn);
    const double count_bits = log2(shorter) + (request->products > 1 ? log2((double)request->products) : 0);
    /* the carry of one quad of coefficients into the next is below two digits */
    return s->digits.an + s->digits.bn <= s->transform.n_points && count_bits + 1 < s->digits.bits &&
           2.0 * s->digits.bits + count_bits * (1 + 0x1p-40) < primes_bits(line);
}

/* pass_fits - whether kernels can run it as pass p of a shape. */
static bool pass_fits(const struct device_pass *pass, bool rows)
{
    if ((pass->points & (pass->points - 1)) != 0 || pass->points % pass->items != 0 || pass->n_stages > STAGES_MOST ||
        rows != (pass->columns == 1) || pass->leaf < 1 || pass->leaf > (rows ? LEAF_MOST : 1))
        return false;
    for (unsigned i = 0; i < pass->n_stages; i++)
        if (pass->points / pass->items % pass->radix[i] != 0)
            return false;
    return true;
}

/* shape_points - the fields that follow from the passes; false if they do not fit together. */
static bool shape_points(struct plan_shape *s)
{
    const unsigned last = s->device.n_passes - 1;
    size_t n = 1; /* the part of the length that is split; roots have that order */
    for (unsigned p = 0; p <= last; p++) {
        const struct device_pass *pass = &s->device.forward[p], *back = &s->device.inverse[p];
        if (!pass_fits(pass, p == last) || !pass_fits(back, p == last) || pass->points != back->points)
            return false;
        n *= pass->points;
    }
    const unsigned leaf = s->device.forward[last].leaf;
    s->transform.n_rows = n / s->device.forward[last].points;
    s->transform.row_points = leaf * s->device.forward[last].points;
    s->transform.odd = 1;
    for (s->transform.log2_n = 0; (size_t)1 << s->transform.log2_n < n;)
        s->transform.log2_n++;
    s->transform.n_points = s->transform.n_digits = leaf * n;
    if (s->transform.n_points > LENGTH_MOST)
        return false;
    for (unsigned p = 0; p < last; p++) { /* columns form whole tiles; those of the first pass begin on a word */
        const size_t columns = device_shape_columns(s, p);
        if (columns % s->device.forward[p].columns != 0 || columns % s->device.inverse[p].columns != 0 || columns % 32 != 0)
            return false;
    }
    return true;
}

enum gfmul_status device_primes_parse(struct plan_shape *shape, const struct plan_request *request, const char *text,
                                      unsigned exponent, char *detail, size_t detail_bytes)
{
    struct device_pass pass[2 * PASSES_MOST - 1];
    unsigned n = 0, rows = 0; /* the pass of one column */
    const struct digit_line *line = digit_lines;
    const bool strict = strncmp(text, "31:", 3) == 0;
    text += strict ? 3 : 0;
    memset(shape, 0, sizeof *shape);
    do {
        if (n == 2 * PASSES_MOST - 1 || !device_pass_parse(&pass[n++], text, false, &text) || (*text != ',' && *text != '\0'))
            return plan_fail(GFMUL_ERR_ARGUMENT, detail, detail_bytes, "pass %u is not RADIX.RADIX.../ITEMS/COLUMNS", n);
    } while (*text++ == ',');
    while (rows < n && pass[rows].columns != 1)
        rows++;
    bool fits = rows > 0 && rows < PASSES_MOST && (n == rows + 1 || n == 2 * rows + 1);
    for (unsigned i = 0; fits && i <= rows; i++) {
        shape->device.forward[i] = pass[i];
        shape->device.inverse[i] = n == rows + 1 ? pass[i] : pass[2 * rows - i];
    }
    shape->device.n_passes = rows + 1;
    if (!fits || !shape_points(shape))
        return plan_fail(GFMUL_ERR_ARGUMENT, detail, detail_bytes, "the passes do not fit together modulo primes");
    while (line->n_primes > 0 && (!unit_fits(request, line) || exponent != digit_unit(request, line) ||
                                  (strict && device_prime_sets[line->set].lazy) || !shape_digits(shape, request, line)))
        line++;
    if (line->n_primes == 0)
        return plan_fail(GFMUL_ERR_SIZE, detail, detail_bytes, "%zu points do not hold %zu x %zu %s in digits of %u",
                         shape->transform.n_points, request->an, request->bn, request->base == 2 ? "bits" : "characters",
                         exponent);
    device_passes_print(&shape->device);
    return GFMUL_OK;
}

/* ---- the search ---- */

struct search {
    const struct plan_request *request;
    const struct device_limits *limits;
    struct device_scale scale;
    struct device_ways ways;
    struct plan_shape best;
    double cost, least_memory;
};

/* pass_slots - slots of the exchanges of a pass, free ones included: kernels/residue_passes.cl. */
static size_t pass_slots(const struct device_pass *pass)
{
    const size_t columns = (size_t)pass->columns * pass->leaf, ends = pass->leaf > 1 ? pass->points * (columns | 1) : 0;
    size_t room = 0, part = pass->points / pass->radix[0];
    for (unsigned i = 1; i < pass->n_stages; i++) {
        part /= pass->radix[i];
        const size_t free_slots = part * columns < LOCAL_BANKS ? pass->points / pass->radix[i] : 0;
        room = free_slots > room ? free_slots : room;
    }
    return (pass->points + room) * columns > ends ? (pass->points + room) * columns : ends;
}

static bool pass_allowed(const struct device_pass *pass, const struct device_limits *limits)
{
    const size_t values = pass->points / pass->items, rows = pass->columns == 1 ? 2 : 1; /* of both operands at once */
    const size_t more = pass->leaf > 1 ? 16 * (size_t)pass->points : 16 * values;        /* kernels/residues_mul_fused.cl */
    return 4 * rows * pass_slots(pass) + more <= limits->local_bytes &&
           pass->items * pass->columns * pass->leaf <= limits->max_work_group;
}

/* search_digits - try the passes of a shape with each number of primes. */
static void search_digits(struct search *s, struct plan_shape *shape, double cost)
{
    if (!shape_points(shape))
        return;
    const double once = device_cost_of(&s->scale, join_cost, 4 * 1e3 / DEVICE_RATE_COPY_PRIMES, 0),
                 join = device_ways_cost(&s->ways, &s->scale, once),
                 text = device_cost_of(&s->scale, text_cost, 0, text_cost);
    for (const struct digit_line *line = digit_lines; line->n_primes > 0; line++) {
        if (!unit_fits(s->request, line))
            continue;
        const double all =
            (double)shape->transform.n_points *
                (line->n_primes * (cost + join) + (s->request->base == 2 ? 0 : text * text_chars(s->request->base, line->bits))) +
            device_ways_launches(&s->ways, shape->device.n_passes);
        if (all >= s->cost || !shape_digits(shape, s->request, line))
            continue;
        if (s->limits->buffer_bytes > 0 && device_points_bytes(shape) > (double)s->limits->buffer_bytes)
            continue;
        if (s->limits->memory_bytes > 0 && shape->memory_bytes > s->limits->memory_bytes) {
            if (s->least_memory == 0 || (double)shape->memory_bytes < s->least_memory)
                s->least_memory = (double)shape->memory_bytes;
            continue;
        }
        s->best = *shape;
        s->best.device.cost = s->cost = all;
    }
}

/* line_passes - the passes of a line of the table; false if the device cannot run them. */
static bool line_passes(const struct search *s, const struct prime_pass_line *line, struct device_pass *forward,
                        struct device_pass *inverse)
{
    const char *end;
    return device_pass_parse(forward, line->forward, false, &end) &&
           device_pass_parse(inverse, line->inverse ? line->inverse : line->forward, false, &end) &&
           pass_allowed(forward, s->limits) && pass_allowed(inverse, s->limits);
}

/* search_passes - try all ways to continue the passes chosen so far. */
static void search_passes(struct search *s, struct plan_shape *shape, size_t points, double cost)
{
    const unsigned p = shape->device.n_passes;
    struct device_pass *const pass = &shape->device.forward[p];
    for (const struct prime_pass_line *line = prime_pass_lines; line->forward; line++) {
        if ((line->place == DEVICE_FIRST) != (p == 0) || (line->place == DEVICE_MIDDLE && p > 1) ||
            !line_passes(s, line, pass, &shape->device.inverse[p]))
            continue;
        const size_t n = points * pass->points, most = s->limits->points_most;
        if (n > (size_t)1 << LEVELS_MOST || (most > 0 && pass->leaf * n > most))
            continue;
        const double all = cost + device_pass_cost(&s->scale, pass, line->place, line->cost) * s->ways.share;
        shape->device.n_passes = p + 1;
        if (line->place == DEVICE_ROWS)
            search_digits(s, shape, all);
        else
            search_passes(s, shape, n, all);
        shape->device.n_passes = p;
    }
}

enum gfmul_status device_primes_size(struct plan_shape *shape, const struct plan_request *request,
                                     const struct device_limits *limits, char *detail, size_t detail_bytes)
{
    struct search s = {.request = request, .limits = limits, .cost = HUGE_VAL};
    struct plan_shape start;
    if ((request->base != 2 && (request->base & (request->base - 1)) == 0) || request->rule != GFMUL_RULE_NORM ||
        request->packing != GFMUL_PACKING_AUTO || request->an == 0 || request->bn == 0 || request->a_cells > 0)
        return plan_fail(GFMUL_ERR_UNSUPPORTED, detail, detail_bytes,
                         "primes on a device multiply limbs, and text in bases that are no powers of two, under rule norm alone");
    s.scale = device_scale_of(&limits->rates, PLAN_PRIME);
    s.ways = device_ways_of(request->products);
    memset(&start, 0, sizeof start);
    search_passes(&s, &start, 1, 0);
    if (s.cost < HUGE_VAL) {
        *shape = s.best;
        device_passes_print(&shape->device);
        return GFMUL_OK;
    }
    if (s.least_memory > 0)
        return plan_fail(GFMUL_ERR_MEMORY, detail, detail_bytes,
                         "the product needs %.0f MiB of the device, which has %zu MiB free", s.least_memory / 1048576,
                         limits->memory_bytes >> 20);
    return plan_fail(GFMUL_ERR_SIZE, detail, detail_bytes,
                     "the product is longer than any transform modulo primes on the device");
}
