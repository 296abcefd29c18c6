/* prime_ring_stages.h - transforms of prime_ring.h, and their input and output.  Part of prime_template.h. */
#ifndef GFMUL_PRIME_RING_STAGES_H
#define GFMUL_PRIME_RING_STAGES_H

#include <stdatomic.h>

#include "prime/prime_parallel.h"
#include "prime/prime_ring.h"

enum { RING_PARTS = 8, RING_TASKS = 4 }; /* parts of a pass; nodes per thread before whole nodes are shared out */

#define RING_LEAF (VEC_WIDTH * VEC_WIDTH) /* points of a vector of nodes */

/* ---- numbers in and out ---- */

STAGE_INLINE lane_words lanes_load(const void *p)
{
    lane_words words;
    memcpy(&words, p, sizeof words);
    return words;
}

STAGE_INLINE lane_words lanes_set(uint64_t word)
{
    return (lane_words){0} + word;
}

/* lanes_any - whether the highest bit of any lane is set. */
STAGE_INLINE bool lanes_any(lane_words words)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < VEC_WIDTH; i++)
        any |= LANE(words, i);
    return any >> 63;
}

/* residues_to_words - the same residues as integers 0 .. p - 1.   |x| <= 10 */
STAGE_INLINE lane_words residues_to_words(const struct field *f, vec x, uint64_t p)
{
    const vec shifted = vec_add(field_reduce(f, x), vec_set1(FIELD_MAGIC)); /* |x| <= p / 2, as integers are */
    lane_words words;
    memcpy(&words, &shifted, sizeof words);
    words -= UINT64_C(0x4338000000000000);
    return words + ((0 - (words >> 63)) & lanes_set(p));
}

/* Points first .. end - 1 of a part. */
struct ring_span {
    size_t first, end;
};

static size_t ring_parts(unsigned threads)
{
    return threads > 1 ? (size_t)RING_PARTS * threads : 1;
}

static struct ring_span ring_span_of(const struct prime_ring *r, size_t part, size_t parts)
{
    const size_t lines = r->n_points / RING_LEAF;
    return (struct ring_span){lines * part / parts * RING_LEAF, lines * (part + 1) / parts * RING_LEAF};
}

static bool ring_load_part(const struct prime_ring *r, double *x, const char *words, struct ring_span span)
{
    const lane_words p = lanes_set(r->prime.p), mask = lanes_set((UINT64_C(1) << 52) - 1);
    lane_words bad = lanes_set(0);
    for (size_t i = span.first; i < span.end; i += VEC_WIDTH) {
        const lane_words w = lanes_load(words + i * sizeof(uint64_t));
        bad |= ~(w - p) | w;
        vec_store(x + i, words_to_doubles(w & mask));
    }
    return !lanes_any(bad);
}

RING_TASK(ring_load_parts, if (!ring_load_part(j->r, j->x, j->from, ring_span_of(j->r, i, j->parts))) j->bad = true)

/* ring_load - convert n words to residues.   false: one of them is not below p. */
static bool ring_load(const struct prime_ring *r, double *x, const void *words, unsigned threads)
{
    const size_t parts = ring_parts(threads);
    struct ring_job job = {.r = r, .x = x, .from = words, .parts = parts};
    parallel_for(threads, parts, 1, ring_load_parts, &job);
    return !job.bad;
}

/* How 64-bit integers are cut: w ^ flip is unsigned, and its high part is too large by `less`. */
struct ring_cut {
    struct field_factor shift; /* 2^48 */
    vec less;
    lane_words mask, flip;
};

STAGE_INLINE vec lanes_cut(const struct field *f, const struct ring_cut *cut, lane_words w)
{
    w ^= cut->flip;
    const vec high = vec_sub(words_to_doubles(w >> PRIME_LOW_BITS), cut->less);
    return vec_add(field_mul(f, high, cut->shift), words_to_doubles(w & cut->mask)); /* 0.54 + 0.38 */
}

STAGE_INLINE struct ring_cut ring_cut_of(const struct field *f, const struct ring_words *from)
{
    return (struct ring_cut){.shift = {vec_set1(0x1p48), vec_div(vec_set1(0x1p48), f->p)},
                             .less = vec_set1(from->is_signed ? 0x1p15 : 0),
                             .mask = lanes_set((UINT64_C(1) << PRIME_LOW_BITS) - 1),
                             .flip = lanes_set(from->is_signed ? UINT64_C(1) << 63 : 0)};
}

static void ring_cut_part(const struct prime_ring *r, double *x, const struct ring_words *from, struct ring_span span)
{
    const char *words = from->words;
    const struct field f = field_of(&r->prime);
    const struct ring_cut cut = ring_cut_of(&f, from);
    const size_t end = span.end < from->count ? span.end : from->count;
    size_t i = span.first;
    for (; i + VEC_WIDTH <= end; i += VEC_WIDTH)
        vec_store(x + i, lanes_cut(&f, &cut, lanes_load(words + i * sizeof(uint64_t))));
    if (i < end) { /* a vector is filled up with zeros */
        lane_words last = lanes_set(0);
        memcpy(&last, words + i * sizeof(uint64_t), (end - i) * sizeof(uint64_t));
        vec_store(x + i, lanes_cut(&f, &cut, last));
        i += VEC_WIDTH;
    }
    if (i < span.end)
        memset(x + i, 0, (span.end - i) * sizeof *x);
}

RING_TASK(ring_cut_parts, ring_cut_part(j->r, j->x, j->words, ring_span_of(j->r, i, j->parts)))

/* ring_cut - reduce integers modulo p > 2^49, followed by zeros.   |x| <= 0.92 */
static void ring_cut(const struct prime_ring *r, double *x, const struct ring_words *from, unsigned threads)
{
    const size_t parts = ring_parts(threads);
    parallel_for(threads, parts, 1, ring_cut_parts, &(struct ring_job){.r = r, .x = x, .words = from, .parts = parts});
}

static void ring_store_part(const struct prime_ring *r, char *words, const double *x, bool scale, struct ring_span span)
{
    const struct field f = field_of(&r->prime);
    const vec factor = vec_set1(r->tables.scale);
    const struct field_factor w = {factor, vec_div(factor, f.p)};
    for (size_t i = span.first; i < span.end; i += VEC_WIDTH) {
        const vec v = vec_load(x + i);
        const lane_words out = residues_to_words(&f, scale ? field_mul(&f, v, w) : v, r->prime.p);
        memcpy(words + i * sizeof(uint64_t), &out, sizeof out);
    }
}

RING_TASK(ring_store_parts, ring_store_part(j->r, j->y, j->x, j->flag, ring_span_of(j->r, i, j->parts)))

/* ring_store - convert residues to n words below p, times 1 / n if `scale`; words may be x.   |x| <= 5 */
static void ring_store(const struct prime_ring *r, void *words, const double *x, bool scale, unsigned threads)
{
    const size_t parts = ring_parts(threads);
    parallel_for(threads, parts, 1, ring_store_parts,
                 &(struct ring_job){.r = r, .y = words, .x = (double *)x, .flag = scale, .parts = parts}); /* x is only read */
}

/* ring_words_mul - z[k] = x[k] y[k] mod p, for words below p.   false: one of them is not. */
static bool ring_words_mul(const struct prime_ring *r, void *z, const void *x, const void *y, size_t count)
{
    const struct field f = field_of(&r->prime);
    const lane_words p = lanes_set(r->prime.p), mask = lanes_set((UINT64_C(1) << 52) - 1);
    lane_words bad = lanes_set(0);
    for (size_t i = 0; i < count; i += VEC_WIDTH) {
        const size_t at = i * sizeof(uint64_t), bytes = (count - i < VEC_WIDTH ? count - i : VEC_WIDTH) * sizeof(uint64_t);
        lane_words a = lanes_set(0), b = a;
        memcpy(&a, (const char *)x + at, bytes);
        memcpy(&b, (const char *)y + at, bytes);
        const lane_words wrong = ~(a - p) | a | ~(b - p) | b;
        bad |= wrong;
        if (lanes_any(wrong))
            continue;
        const lane_words out =
            residues_to_words(&f, field_mul_any(&f, words_to_doubles(a & mask), words_to_doubles(b & mask)), r->prime.p);
        memcpy((char *)z + at, &out, bytes);
    }
    return !lanes_any(bad);
}

/* ring_powers - w[half + i] = w[i] root, balanced, for i < half, a multiple of the vector. */
static void ring_powers(const struct prime *prime, double *w, size_t half, double root)
{
    const struct field f = field_of(prime);
    const vec factor = vec_set1(root);
    const struct field_factor by = {factor, vec_div(factor, f.p)};
    for (size_t i = 0; i < half; i += VEC_WIDTH)
        vec_store(w + half + i, field_reduce(&f, field_mul(&f, vec_load(w + i), by)));
}

/* ---- leaves ---- */

/* leaf_factors_set - the factors of leaf_forward for W^2 points of a row, from `first` on.   |w| <= 0.525, 0.55 */
STAGE_INLINE void leaf_factors_set(const struct field *f, double *factors, const double *leaf, size_t first)
{
    const size_t levels = VEC_WIDTH == 8 ? 3 : VEC_WIDTH / 2;
    const double *pair = leaf + ring_leaf_vectors(VEC_WIDTH) + first / RING_LEAF * 2 * levels;
#pragma GCC unroll 3
    for (unsigned blocks = 1; blocks < VEC_WIDTH; blocks *= 2, pair += 2) {
        const struct field_factor w = field_set(pair);
#pragma GCC unroll 4
        for (unsigned b = 0; b < blocks; b++, factors += VEC_WIDTH, leaf += VEC_WIDTH)
            vec_store(factors, field_mul(f, vec_load(leaf), w));
    }
}

/* ring_leaves_forward - the last levels of n points from `first` of a row on, into words in order, or doubles in place. */
STAGE_INLINE void ring_leaves_forward(const struct field *f, const struct prime_ring *r, double *row, size_t first, size_t n,
                                      bool words)
{
    for (size_t i = first; i < first + n; i += RING_LEAF) {
        _Alignas(64) double factors[LEAF_FACTORS * VEC_WIDTH + VEC_WIDTH];
        vec a[VEC_WIDTH];
        leaf_factors_set(f, factors, r->tables.leaf[0], i);
#pragma GCC unroll 8
        for (unsigned j = 0; j < VEC_WIDTH; j++)
            a[j] = vec_load(row + i + j * VEC_WIDTH);
        leaf_forward(f, a, factors);
        if (words)
            vec_transpose(a);
#pragma GCC unroll 8
        for (unsigned j = 0; j < VEC_WIDTH; j++) {
            if (words) {
                const lane_words out = residues_to_words(f, a[j], r->prime.p);
                memcpy(row + i + j * VEC_WIDTH, &out, sizeof out);
            } else {
                vec_store(row + i + j * VEC_WIDTH, a[j]);
            }
        }
    }
}

/* ring_leaves_back - the inverse.   Residues from words are reduced, others have |x| <= 0.6. */
STAGE_INLINE void ring_leaves_back(const struct field *f, const struct prime_ring *r, double *row, size_t first, size_t n,
                                   bool words)
{
    for (size_t i = first; i < first + n; i += RING_LEAF) {
        _Alignas(64) double factors[LEAF_FACTORS * VEC_WIDTH + VEC_WIDTH];
        vec a[VEC_WIDTH];
        leaf_factors_set(f, factors, r->tables.leaf[1], i);
#pragma GCC unroll 8
        for (unsigned j = 0; j < VEC_WIDTH; j++) {
            const vec v = vec_load(row + i + j * VEC_WIDTH);
            a[j] = words ? field_reduce(f, v) : v;
        }
        if (words)
            vec_transpose(a);
        leaf_back(f, a, factors);
#pragma GCC unroll 8
        for (unsigned j = 0; j < VEC_WIDTH; j++)
            vec_store(row + i + j * VEC_WIDTH, a[j]);
    }
}

/* ---- trees ---- */

/* ring_node_forward - node k, n points from `first` of a row on: depth first; leaves follow nodes that fit the first cache. */
static void ring_node_forward(const struct field *f, const struct prime_ring *r, double *row, size_t first, size_t n, size_t k,
                              bool words)
{
    const double *w = r->tables.root[0];
    if (n > NODE_CACHE_DOUBLES) {
        pass_forward(f, row + first, n / 4, w, k, 1);
        for (size_t i = 0; i < 4; i++)
            ring_node_forward(f, r, row, first + i * (n / 4), n / 4, 4 * k + i, words);
        return;
    }
    quarter_forward(f, row + first, n, VEC_WIDTH, w, k);
    if (words)
        ring_leaves_forward(f, r, row, first, n, true);
    else
        ring_leaves_forward(f, r, row, first, n, false);
}

static void ring_node_back(const struct field *f, const struct prime_ring *r, double *row, size_t first, size_t n, size_t k,
                           bool words)
{
    const double *w = r->tables.root[1];
    if (n > NODE_CACHE_DOUBLES) {
        for (size_t i = 0; i < 4; i++)
            ring_node_back(f, r, row, first + i * (n / 4), n / 4, 4 * k + i, words);
        pass_back(f, row + first, n / 4, w, k, 1);
        return;
    }
    if (words)
        ring_leaves_back(f, r, row, first, n, true);
    else
        ring_leaves_back(f, r, row, first, n, false);
    quarter_back(f, row + first, n, VEC_WIDTH, w, k);
}

/* How the work is shared: first, threads share the parts of passes over all nodes; then they take whole nodes. */
struct ring_walk {
    size_t nodes[RING_LEVELS_MAX]; /* nodes in a row, before each step */
    unsigned steps;
    bool halves;       /* the first step takes one level */
    size_t last_nodes; /* nodes left after these steps */
};

/* ring_walk_of - take at least `least` steps, if nodes are long enough, and more if the threads need more nodes. */
static struct ring_walk ring_walk_of(const struct prime_ring *r, unsigned least, unsigned threads)
{
    struct ring_walk walk = {.steps = 0, .halves = __builtin_ctzll(r->row_points / VEC_WIDTH) % 2 != 0};
    size_t nodes = 1;
    for (;; walk.steps++) {
        const bool halves = walk.halves && walk.steps == 0;
        const bool shared = walk.steps >= least && (threads == 1 || r->odd * nodes >= RING_TASKS * threads);
        if (!halves && (shared || r->row_points / nodes <= 4 * NODE_CACHE_DOUBLES))
            break;
        walk.nodes[walk.steps] = nodes;
        nodes *= halves ? 2 : 4;
    }
    walk.last_nodes = nodes;
    return walk;
}

/* ring_step_part - part i of the columns of all nodes in all rows; each node has `parts`. */
static void ring_step_part(const struct prime_ring *r, double *x, const struct ring_walk *walk, unsigned step, bool back,
                           size_t i, size_t parts)
{
    const struct field f = field_of(&r->prime);
    const size_t node = i / parts, part = i % parts;
    const size_t nodes = walk->nodes[step], node_points = r->row_points / nodes, k = (r->negacyclic ? nodes : 0) + node % nodes;
    const bool halves = walk->halves && step == 0;
    const size_t h = halves ? node_points / 2 : node_points / 4, count = h / parts;
    const double *w = r->tables.root[back];
    double *at = x + node * node_points + part * count;
    if (halves && back)
        node_halves_back(&f, at, h, count, field_set(w + 2 * k));
    else if (halves)
        node_halves_forward(&f, at, h, count, field_set(w + 2 * k));
    else if (back)
        node_pass_back(&f, at, h, count, w, k);
    else
        node_pass_forward(&f, at, h, count, w, k);
}

RING_TASK(ring_step_parts, ring_step_part(j->r, j->x, j->walk, j->step, j->back, i, j->parts))

/* ring_step - one step of all rows. */
static void ring_step(const struct prime_ring *r, double *x, const struct ring_walk *walk, unsigned step, bool back,
                      unsigned threads)
{
    const size_t nodes = r->odd * walk->nodes[step];
    const size_t parts = threads > 1 && r->row_points / walk->nodes[step] >= 8 * VEC_WIDTH * RING_PARTS ? RING_PARTS : 1;
    parallel_for(threads, nodes * parts, 1, ring_step_parts,
                 &(struct ring_job){.r = r, .x = x, .walk = walk, .step = step, .back = back, .parts = parts});
}

/* ring_node - do node i of the remaining nodes as a whole. */
static void ring_node(const struct prime_ring *r, double *x, const struct ring_walk *walk, bool words, bool back, size_t i)
{
    const struct field f = field_of(&r->prime);
    const size_t nodes = walk->last_nodes, n = r->row_points / nodes, node = i % nodes, k = (r->negacyclic ? nodes : 0) + node;
    double *row = x + i / nodes * r->row_points;
    if (back)
        ring_node_back(&f, r, row, node * n, n, k, words);
    else
        ring_node_forward(&f, r, row, node * n, n, k, words);
}

RING_TASK(ring_node_each, ring_node(j->r, j->x, j->walk, j->flag, j->back, i))

static void ring_nodes(const struct prime_ring *r, double *x, const struct ring_walk *walk, bool words, bool back,
                       unsigned threads)
{
    parallel_for(threads, r->odd * walk->last_nodes, 1, ring_node_each,
                 &(struct ring_job){.r = r, .x = x, .walk = walk, .flag = words, .back = back});
}

/* ---- odd factors ---- */

/* ring_odd_part - DFTs across the rows, of `count` columns from x on.   |x| <= 1, back 0.92; reduced afterwards */
STAGE_INLINE void ring_odd_part(const struct field *f, const struct prime_ring *r, double *x, size_t count, unsigned odd,
                                bool back)
{
    for (size_t i = 0; i < count; i += VEC_WIDTH) {
        vec v[PRIME_ODD_MAX];
#pragma GCC unroll 7
        for (unsigned k = 0; k < odd; k++) {
            v[k] = vec_load(x + k * r->row_points + i);
            if (!back && k % 2 != 0 && r->negacyclic)
                v[k] = vec_sub(vec_set1(0.0), v[k]); /* the roots of -1 are the negatives of those of 1 */
        }
        odd_dft(f, v, odd, &r->tables, back);
#pragma GCC unroll 7
        for (unsigned k = 0; k < odd; k++) {
            v[k] = field_reduce(f, v[k]); /* 7 -> 0.5 */
            if (back && k % 2 != 0 && r->negacyclic)
                v[k] = vec_sub(vec_set1(0.0), v[k]);
            vec_store(x + k * r->row_points + i, v[k]);
        }
    }
}

static void ring_odd_columns(const struct prime_ring *r, double *x, bool back, size_t part)
{
    const struct field f = field_of(&r->prime);
    const size_t count = r->row_points / RING_PARTS;
    if (r->odd == 3)
        ring_odd_part(&f, r, x + part * count, count, 3, back);
    else if (r->odd == 5)
        ring_odd_part(&f, r, x + part * count, count, 5, back);
    else
        ring_odd_part(&f, r, x + part * count, count, 7, back);
}

/* ring_powers_of - w^c for the first VEC_WIDTH points of each quarter of a row, and the factor to the next ones. */
STAGE_INLINE void ring_powers_of(struct row_powers *powers, const struct field *f, double w, size_t quarter)
{
    double lanes[VEC_WIDTH];
    const vec root = vec_set1(w);
    vec power = vec_set1(1.0);
    for (unsigned i = 0; i < VEC_WIDTH; i++) {
        double lane[VEC_WIDTH];
        vec_storeu(lane, power);
        lanes[i] = lane[0];
        power = field_mul_any(f, power, root);
    }
    powers->step = power;
    for (size_t n = VEC_WIDTH; n < quarter; n *= 2)
        power = field_mul_any(f, power, power);
    powers->at[0] = vec_loadu(lanes);
    for (unsigned q = 1; q < ROW_QUARTERS; q++)
        powers->at[q] = field_mul_any(f, powers->at[q - 1], power);
}

/* ring_row_turn - x[c] *= w^c.   |x| <= 2 -> 0.92 */
STAGE_INLINE void ring_row_turn(const struct field *f, double *x, size_t n, double w)
{
    struct row_powers powers;
    const size_t quarter = n / ROW_QUARTERS;
    ring_powers_of(&powers, f, w, quarter);
    for (size_t i = 0; i < quarter; i += VEC_WIDTH) {
#pragma GCC unroll 4
        for (unsigned q = 0; q < ROW_QUARTERS; q++)
            vec_store(x + q * quarter + i, field_mul_any(f, vec_load(x + q * quarter + i), powers.at[q]));
        row_powers_next(&powers, f);
    }
}

/* ring_odd_turn - multiply row t by the powers of e(t / n), or of its inverse.   |x| <= 2 -> 0.92 */
static void ring_odd_turn(const struct prime_ring *r, double *x, bool back, size_t t)
{
    const struct field f = field_of(&r->prime);
    double *row = x + t * r->row_points, lanes[VEC_WIDTH];
    const vec turn = vec_set1(r->turn[back]);
    vec w = turn;
    for (size_t i = 1; i < t; i++)
        w = field_mul_any(&f, w, turn);
    vec_storeu(lanes, w); /* |w| <= 0.65 */
    if (t > 0)
        ring_row_turn(&f, row, r->row_points, lanes[0]);
    for (size_t i = 0; t == 0 && back && i < r->row_points; i += VEC_WIDTH)
        vec_store(row + i, field_reduce(&f, vec_load(row + i)));
}

/* ---- whole transforms ---- */

RING_TASK(ring_odd_columns_all, ring_odd_columns(j->r, j->x, j->back, i))
RING_TASK(ring_odd_turns, ring_odd_turn(j->r, j->x, j->back, i))

/* ring_odd_forward - the passes before the trees of rows. */
static void ring_odd_forward(const struct prime_ring *r, double *x, unsigned threads)
{
    if (r->odd == 1)
        return;
    struct ring_job job = {.r = r, .x = x, .back = false};
    parallel_for(threads, RING_PARTS, 1, ring_odd_columns_all, &job);
    parallel_for(threads, r->odd, 1, ring_odd_turns, &job);
}

static void ring_forward(const struct prime_ring *r, double *x, bool words, unsigned threads)
{
    const struct ring_walk walk = ring_walk_of(r, 0, threads);
    ring_odd_forward(r, x, threads);
    for (unsigned step = 0; step < walk.steps; step++)
        ring_step(r, x, &walk, step, false, threads);
    ring_nodes(r, x, &walk, words, false, threads);
}

/* ring_end - the steps of a walk back, and odd factors. */
static void ring_end(const struct prime_ring *r, double *x, const struct ring_walk *walk, unsigned threads)
{
    for (unsigned step = walk->steps; step-- > 0;)
        ring_step(r, x, walk, step, true, threads);
    if (r->odd == 1)
        return;
    struct ring_job job = {.r = r, .x = x, .back = true};
    parallel_for(threads, r->odd, 1, ring_odd_turns, &job);
    parallel_for(threads, RING_PARTS, 1, ring_odd_columns_all, &job);
}

static void ring_back(const struct prime_ring *r, double *x, bool words, unsigned threads)
{
    const struct ring_walk walk = ring_walk_of(r, 0, threads);
    ring_nodes(r, x, &walk, words, true, threads);
    ring_end(r, x, &walk, threads);
}

static void ring_doubles_forward(const struct prime_ring *r, double *x, unsigned threads)
{
    ring_forward(r, x, false, threads);
}

static void ring_doubles_back(const struct prime_ring *r, double *x, unsigned threads)
{
    ring_back(r, x, false, threads);
}

static bool ring_words_forward(const struct prime_ring *r, void *x, const void *from, unsigned threads)
{
    if (!ring_load(r, x, from, threads))
        return false;
    ring_forward(r, x, true, threads);
    return true;
}

static bool ring_words_back(const struct prime_ring *r, void *z, void *x, const void *from, bool scale, unsigned threads)
{
    if (!ring_load(r, x, from, threads))
        return false;
    ring_back(r, x, true, threads);
    ring_store(r, z, x, scale, threads);
    return true;
}

static void ring_finish_part(const struct prime_ring *r, double *x, struct ring_span span)
{
    const struct field f = field_of(&r->prime);
    const vec scale = vec_set1(r->tables.scale);
    for (size_t i = span.first; i < span.end; i += VEC_WIDTH)
        vec_store(x + i, field_mul_any(&f, field_reduce(&f, vec_load(x + i)), scale)); /* 0.25 -> 0.55, 0.58 */
}

RING_TASK(ring_finish_parts, ring_finish_part(j->r, j->x, ring_span_of(j->r, i, j->parts)))

/* ring_finish - reduce a spectrum in doubles and divide it by n: it becomes a factor of ring_multiply.   |x| <= 5 -> 0.6 */
static void ring_finish(const struct prime_ring *r, double *x, unsigned threads)
{
    const size_t parts = ring_parts(threads);
    parallel_for(threads, parts, 1, ring_finish_parts, &(struct ring_job){.r = r, .x = x, .parts = parts});
}

static void ring_multiply_part(const struct prime_ring *r, double *x, const double *y, struct ring_span span)
{
    const struct field f = field_of(&r->prime);
    for (size_t i = span.first; i < span.end; i += VEC_WIDTH)
        vec_store(x + i, field_mul_any(&f, field_reduce(&f, vec_load(x + i)), vec_load(y + i))); /* 0.29 -> 0.56, 0.59 */
}

RING_TASK(ring_multiply_parts, ring_multiply_part(j->r, j->x, j->from, ring_span_of(j->r, i, j->parts)))

/* ring_multiply - x *= y; y is a factor.   |x| <= 5 -> 0.6 */
static void ring_multiply(const struct prime_ring *r, double *x, const double *y, unsigned threads)
{
    const size_t parts = ring_parts(threads);
    parallel_for(threads, parts, 1, ring_multiply_parts, &(struct ring_job){.r = r, .x = x, .from = y, .parts = parts});
}

#endif
