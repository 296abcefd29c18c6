/*
 * recursion.c - a transform of a power of two as the recursion of its algorithm, cut into launches and steps.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A step combines nodes of m points, or pairs of m/2, into larger nodes.  With a radix, its unit is m points and its codelets
 * have radix^h points.  Split radix has a unit of m/2 points, so that both sizes are whole units.
 */
#include <stdio.h>

#include "base/try.h"
#include "gen/recursion.h"

enum {
    CHOSEN_LEVELS = 8,
    SMALL_LEVELS = 10,   /* transforms that a single work-group does */
    WHOLE_LEVELS = 6,    /* transforms that a single work-item does */
    LOCAL_BYTES = 32768, /* of local memory that a work-group may use */
    MAX_WORK_ITEMS = 256,
    SPECIAL_UNIT = 32 /* up to this unit trivial twiddles are worth a branch */
};

static bool is_radix(char algorithm)
{
    return algorithm == '2' || algorithm == '4' || algorithm == '8';
}

/* The levels that one radix covers. */
static int grain(char algorithm)
{
    return algorithm == '8' ? 3 : algorithm == '4' ? 2 : 1;
}

/* The most levels of a step after the first: 16 points of a radix, 32 of the others, or what fits into the same registers. */
static int step_levels(const struct gen_params *p)
{
    if (p->fftdata == 'q')
        return p->algorithm == '2' || p->algorithm == '8' ? 3 : 2;
    return p->algorithm == '8' ? 3 : 4;
}

/*
 * The bits of b, from the highest one down, say where the node comes from: 0 the even half, 10 the first odd quarter, 11 the
 * second one.  Half of a quarter would be too small for a node, so a pair stands there.  The scale of T counts the even halves
 * after the last quarter.
 */
enum gen_node_type gen_node_type(char algorithm, uint32_t b)
{
    uint32_t zeros = 0, ones = 0;

    if (is_radix(algorithm) || b == 0)
        return GEN_NODE;
    for (; b % 2 == 0; b /= 2)
        zeros++;
    for (; b % 2 == 1; b /= 2)
        ones++;
    if (zeros == 0 && ones % 2 == 1)
        return GEN_NODE_PAIR;
    zeros -= ones % 2;
    return algorithm != 'T' ? GEN_NODE : zeros == 0 ? GEN_NODE_SCALED : zeros % 2 == 1 ? GEN_NODE_SCALED_2 : GEN_NODE_SCALED_4;
}

static void step_add(const struct gen_params *p, struct gen_launch *a, uint32_t *m, int levels)
{
    struct gen_step *step = &a->steps[a->n_steps++];

    *step = (struct gen_step){.radix = UINT32_C(1) << levels};
    if (*m > 0) {
        step->unit = is_radix(p->algorithm) ? *m : *m / 2;
        step->radix *= is_radix(p->algorithm) ? 1 : 2;
    }
    *m = (*m > 0 ? *m : 1) << levels;
    step->length = *m;
}

/* Divide levels into steps of about equal height, each a multiple of the grain. */
static void steps_add(const struct gen_params *p, struct gen_launch *a, uint32_t *m, int levels)
{
    const int g = grain(p->algorithm), most = step_levels(p) / g, grains = levels / g, n = (grains + most - 1) / most;
    for (int i = 0; i < n; i++)
        step_add(p, a, m, g * ((grains + n - 1 - i) / n));
}

static void geometry(const struct gen_params *p, struct gen_launches *l)
{
    const int local = gen_levels(LOCAL_BYTES / gen_size_of_point(p));
    const int width = p->kernelwidth > 0 && p->kernelwidth < local ? p->kernelwidth : local;

    for (int i = 0; i < l->n; i++) {
        struct gen_launch *a = &l->launch[i];
        uint32_t most = 1;
        const uint32_t together = i == 0 ? a->before : a->after;
        for (int s = 0; s < a->n_steps; s++)
            most = a->steps[s].radix > most ? a->steps[s].radix : most;
        a->columns = (UINT32_C(1) << width) / a->length;
        if (a->columns > MAX_WORK_ITEMS)
            a->columns = MAX_WORK_ITEMS;
        if (a->columns < 1)
            a->columns = 1;
        if (a->columns > together)
            a->columns = together;
        a->work_items = gen_launch_elements(a) / most;
        if (a->work_items > MAX_WORK_ITEMS)
            a->work_items = MAX_WORK_ITEMS;
        gen_rounds_find(p, a, l->points / gen_launch_elements(a));
    }
}

/* Divide the levels among the launches: the first one takes the remainder, the others multiples of the grain. */
static void launches(const struct gen_params *p, struct gen_launches *l)
{
    const int levels = gen_levels(l->points), g = grain(p->algorithm), local = gen_levels(LOCAL_BYTES / gen_size_of_point(p));
    const int half = is_radix(p->algorithm) ? 0 : 1, whole = p->fftdata == 'q' ? 4 : WHOLE_LEVELS;
    int first = p->kernelheight > 0 ? p->kernelheight : levels <= SMALL_LEVELS ? levels : CHOSEN_LEVELS, later;
    uint32_t m = 0;

    first = first < local ? first : local;
    if (p->kernelwidth > 0 && first > p->kernelwidth)
        first = p->kernelwidth;
    later = p->kernelheight > 0 || first < CHOSEN_LEVELS ? first : CHOSEN_LEVELS;
    if (later > local - half)
        later = local - half;
    if (p->kernelwidth > 0 && later > p->kernelwidth - half)
        later = p->kernelwidth - half;
    later -= later % g;
    int n = levels <= first ? 0 : (levels - first + later - 1) / later; /* launches after the first one */
    int rest = n == 0 ? 0 : levels - (levels + n) / (n + 1);
    rest += (g - rest % g) % g;
    if (half && levels - rest < 2 && first > 1) /* the smallest unit of split radix */
        rest -= g;
    n = rest > 0 ? (rest + later - 1) / later : 0;
    int height = levels - rest, leaf = height <= (n == 0 ? whole : 5) && height <= whole ? height : p->algorithm == '8' ? 5 : 4;
    if (p->fftdata == 'q' && leaf > whole)
        leaf = whole;
    while (leaf > 1 && (height - leaf) % g != 0)
        leaf--;
    struct gen_launch *a = &l->launch[l->n++];
    step_add(p, a, &m, leaf);
    steps_add(p, a, &m, height - leaf);
    a->length = m;
    a->before = l->points / m;
    a->after = 1;
    for (int i = 0, grains = rest / g; i < n; i++) {
        a = &l->launch[l->n++];
        a->after = half ? m / 2 : m;
        steps_add(p, a, &m, g * ((grains + n - 1 - i) / n));
        a->length = m / a->after;
        a->before = l->points / m;
    }
}

/* The roots that gen_recursion_find's table needs: up to the largest exponent of the algorithm. */
static void table(const struct gen_params *p, struct gen_launches *l)
{
    const char a = p->algorithm;
    const uint32_t n = p->n, end = gen_real(p); /* the packed spectrum needs the root of N/4 */
    struct gen_table_wish wish = {.numbers = l->table.numbers, .form = p->table == GEN_TABLE_AUTO ? GEN_TABLE_ALL : p->table};

    wish.thirds = a == 'S';
    wish.quarter = a == 'C' || a == 'T';
    wish.roots = wish.quarter || (wish.thirds && wish.form == GEN_TABLE_ALL) ? n / 4 + end
                 : a == '2'                                                  ? n / 2
                 : a == '8'                                                  ? n / 8 * 7
                                                                             : n / 4 * 3;
    if (a == 'T' && !gen_real(p))
        wish.roots = 0;
    gen_table_find(p, &wish, &l->table);
}

/* The node types that occur in a step, and where T has its numbers. */
static void types(const struct gen_params *p, struct gen_launches *l, struct gen_step *step)
{
    const uint32_t nodes = l->points / step->length;

    for (uint32_t b = 0; b < nodes && b < 64; b++)
        step->types |= 1u << gen_node_type(p->algorithm, b);
    if (p->algorithm != 'T' || step->unit == 0)
        return;
    for (int type = 0; type < GEN_NODE_TYPES; type++) {
        struct gen_cut cut;
        char name[96];
        struct gen_version versions[GEN_MAX_VERSIONS];
        if (!(step->types >> type & 1))
            continue;
        step->at[type] = l->table.numbers;
        const int n = gen_versions_find(p, step, (enum gen_node_type)type, versions);
        if (versions[n - 1].quarter >= 0)
            continue;
        const struct gen_call call = {.step = step, .type = (enum gen_node_type)type, .version = versions[n - 1]};
        const struct gen_codelet c = gen_recursion_codelet(p, l, &call, &cut, name, sizeof name);
        if (gen_codelet_write(NULL, &c, name, NULL) != GFMUL_OK)
            continue; /* without memory the text will fail, too */
        for (int i = 0; i < cut.n_parameters; i++)
            l->table.numbers += step->unit * (uint32_t)gen_parameter_numbers(cut.parameters[i].kind, c.three);
    }
}

static uint32_t codelet_points(const struct gen_call *call)
{
    return call->type == GEN_NODE_PAIR ? call->step->radix / 2 : call->step->radix;
}

/* Conjugate pairs take the points -1, 3, 7, ... */
static bool begins_before(char algorithm)
{
    return algorithm == 'C' || algorithm == 'T';
}

uint32_t gen_recursion_node(char algorithm, uint32_t nodes, uint32_t r, bool *before)
{
    const int g = grain(algorithm);
    uint32_t b = 0;
    int bits = gen_levels(nodes);

    *before = false;
    if (!begins_before(algorithm)) {
        for (; bits > 0; bits -= g, r >>= g)
            b = b << g | (r & ((1u << g) - 1));
        return b;
    }
    while (bits >= 2)
        if (r % 2 == 0) { /* the even half */
            r /= 2;
            b *= 2;
            bits -= 1;
        } else { /* the quarters of the points 1 and -1 */
            b = b << 2 | 2 | (r / 2 & 1);
            r = (r + 1) / 4;
            bits -= 2;
        }
    if (bits == 1) {
        b = 2 * b + r % 2;
        r = r % 2 ? 0 : r / 2;
    }
    *before = r > 0;
    return b;
}

/* Point i of a pair's codelets, as a point of a single codelet of the step that reads the input. */
static uint32_t pair_point(char algorithm, uint32_t radix, uint32_t i)
{
    /* the second node begins one place later, or with conjugate pairs one earlier */
    return i < radix / 2 ? 2 * i : 2 * (i - radix / 2) + (begins_before(algorithm) ? radix - 1 : 1);
}

uint32_t gen_leaf_point(char algorithm, const struct gen_step *step, enum gen_node_type type, uint32_t i)
{
    return (type == GEN_NODE_PAIR ? pair_point(algorithm, step->radix, i) : i) % step->radix;
}

uint32_t gen_recursion_place(char algorithm, const struct gen_launches *l, uint32_t k)
{
    const struct gen_step *step = &l->launch[0].steps[0];
    const uint32_t radix = step->radix, nodes = l->points / radix;
    bool before;
    const uint32_t b = gen_recursion_node(algorithm, nodes, k % nodes, &before), point = (k / nodes + before) % radix;
    uint32_t i = 0;

    while (gen_leaf_point(algorithm, step, gen_node_type(algorithm, b), i) != point)
        i++;
    return b * radix + i;
}

/* Can any point differ from zero whose number modulo `modulus` is in lo .. hi - 1? */
static bool any_in(const struct gen_params *p, uint32_t lo, uint32_t hi, uint32_t modulus)
{
    const uint32_t unit = gen_real(p) ? 2 : 1; /* values in a point */

    for (int i = 0; i < p->n_ranges; i++) {
        const uint32_t a = p->ranges[i].lo / unit, n = (p->ranges[i].hi + unit - 1) / unit - a, from = a % modulus;
        if (n >= modulus || (from < hi && from + n > lo) || from + n > modulus + lo)
            return true;
    }
    return false;
}

/*
 * The points of a part of a codelet: n units of a node that has the points r, r + stride, ..., lo <= r < lo + width, all modulo
 * the transform's length, a power of two.
 */
struct residues {
    uint32_t lo, width, stride;
};

static uint64_t part_nonzero(const struct gen_params *p, uint32_t n, struct residues r)
{
    const char algorithm = p->algorithm;
    const uint32_t radix = is_radix(algorithm) ? (uint32_t)(algorithm - '0') : 4;
    uint64_t mask = 0;

    if (n <= (is_radix(algorithm) ? 1u : 2u))
        return any_in(p, r.lo % r.stride, r.lo % r.stride + r.width, r.stride) ? gen_nonzero_all(n) : 0;
    if (is_radix(algorithm)) {
        for (uint32_t j = 0; j < radix; j++)
            mask |= part_nonzero(p, n / radix, (struct residues){r.lo + j * r.stride, r.width, radix * r.stride})
                    << (j * (n / radix));
        return mask;
    }
    const uint32_t other = begins_before(algorithm) ? r.lo - r.stride : r.lo + 3 * r.stride;
    return part_nonzero(p, n / 2, (struct residues){r.lo, r.width, 2 * r.stride}) |
           part_nonzero(p, n / 4, (struct residues){r.lo + r.stride, r.width, 4 * r.stride}) << (n / 2) |
           part_nonzero(p, n / 4, (struct residues){other, r.width, 4 * r.stride}) << (3 * (n / 4));
}

uint64_t gen_recursion_nonzero(const struct gen_params *p, const struct gen_launches *l, const struct gen_call *call)
{
    const struct gen_step *step = call->step;
    const bool pair = call->type == GEN_NODE_PAIR;
    const uint32_t points = codelet_points(call), nodes = call->way.zeros ? l->points / step->length : 0;
    const uint32_t unit = step->unit > 0 ? step->unit : 1;
    uint64_t mask = 0;

    if (!call->way.zeros)
        return gen_nonzero_all(points);
    for (uint32_t i = 0; i < points; i++) {
        const uint32_t at = gen_leaf_point(p->algorithm, step, call->type, i + (call->second ? points : 0));
        const uint32_t block = (at + step->radix - call->before) % step->radix;
        if (call->way.transposed) /* the part's input is the transform's input, added up modulo its length */
            mask |= (uint64_t)any_in(p, i * unit, (i + 1) * unit, points * unit) << i;
        else if (step->unit == 0)
            mask |= (uint64_t)any_in(p, block * nodes, (block + 1) * nodes, l->points) << i;
    }
    if (call->way.transposed || step->unit == 0)
        return mask;
    struct residues r = {0, nodes, pair ? 2 * nodes : nodes};
    if (call->second)
        r.lo = begins_before(p->algorithm) ? 0 - nodes : nodes;
    mask = part_nonzero(p, points, r);
    r.lo -= nodes; /* with conjugate pairs some nodes begin before point 0 */
    if (begins_before(p->algorithm))
        mask |= part_nonzero(p, points, r);
    return mask;
}

void gen_recursion_find(const struct gen_params *p, struct gen_launches *l)
{
    l->recursion = true;
    launches(p, l);
    geometry(p, l);
    gen_precisions_find(p, l);
    l->done = l->points;
    for (int i = 0; i < l->n; i++)
        for (int s = 0; s < l->launch[i].n_steps; s++)
            types(p, l, &l->launch[i].steps[s]);
    table(p, l);
    const struct gen_way way = {.transposed = !p->bitrev, .zeros = true};
    for (int i = 0; i < l->n; i++)
        for (int s = 0; s < l->launch[i].n_steps; s++) {
            struct gen_calls calls = {.call = {.step = &l->launch[i].steps[s], .type = -1, .way = way}};
            while (!l->any_zeros && gen_calls_next(p, l, &calls))
                l->any_zeros = ~gen_recursion_nonzero(p, l, &calls.call) & gen_nonzero_all(codelet_points(&calls.call));
        }
}

struct gen_codelet gen_recursion_codelet(const struct gen_params *p, const struct gen_launches *l, const struct gen_call *call,
                                         struct gen_cut *cut, char *name, size_t size)
{
    const struct gen_step *step = call->step;
    const struct gen_version *version = &call->version;
    const bool pair = call->type == GEN_NODE_PAIR, tangent = p->algorithm == 'T';
    struct gen_codelet c = {.radix = codelet_points(call),
                            .algorithm = p->algorithm,
                            .type = p->fftdata,
                            .id = p->id,
                            .three = gen_factors(p) && !tangent, /* its twiddles have a part of 1 */
                            .cut = cut,
                            .n = p->n,
                            .space = gen_table_space(&l->table),
                            .transposed = call->way.transposed};
    const bool leaf = step->unit == 0, root = step->length == l->points;
    c.nonzero = gen_recursion_nonzero(p, l, call);
    if (call->way.exact && (call->way.transposed ? root : leaf))
        c.exact_bits = p->inprecision;
    c.float_inside = l->float_end && (call->way.transposed ? leaf : root);
    *cut = (struct gen_cut){.unit = step->unit,
                            .scale = !tangent ? 0
                                     : pair   ? 1
                                              : (unsigned)call->type,
                            .quarter = version->quarter,
                            .upper = version->upper};
    if (tangent && !c.space)
        c.space = "__global"; /* while the table is being planned */
    char scale[16] = "", part[48] = "", zeros[32] = "";
    const char *narrow = c.float_inside ? (p->fftdata == 'q' ? "_double" : "_float") : c.exact_bits > 0 ? "_exact" : "";
    if (cut->scale > 0)
        snprintf(scale, sizeof scale, "_s%u", cut->scale);
    if (step->unit > 0 && version->quarter >= 0 && tangent)
        snprintf(part, sizeof part, "_unit%u_k%d", step->unit, version->quarter * (int)step->unit / 4);
    else if (step->unit > 0 && version->quarter >= 0)
        snprintf(part, sizeof part, "_q%d", version->quarter);
    else if (step->unit > 0 && tangent)
        snprintf(part, sizeof part, version->upper ? "_upper" : "_lower");
    if (c.nonzero != gen_nonzero_all(c.radix))
        snprintf(zeros, sizeof zeros, "_z%llx", (unsigned long long)c.nonzero);
    snprintf(name, size, "fft_%s_%s%u%s%s%s%s%s", p->id, step->unit == 0 ? "leaf" : "part", c.radix, scale, part,
             c.transposed ? "_t" : "", zeros, narrow);
    return c;
}

/* Operations without zeros.  Transforms with zeros use the same versions, so that one table serves all. */
static uint64_t operations(const struct gen_params *p, const struct gen_step *step, enum gen_node_type type,
                           const struct gen_version *version)
{
    static const struct gen_launches none = {.table = {.all = 1}};
    struct gen_cut cut;
    struct gen_codelet_facts facts = {.max_live = 0};
    char name[96];
    const struct gen_call call = {.step = step, .type = type, .version = *version};
    const struct gen_codelet c = gen_recursion_codelet(p, &none, &call, &cut, name, sizeof name);

    if (gen_codelet_write(NULL, &c, name, &facts) != GFMUL_OK)
        return 0;
    return facts.count.additions + facts.count.products;
}

int gen_versions_find(const struct gen_params *p, const struct gen_step *step, enum gen_node_type type,
                      struct gen_version versions[GEN_MAX_VERSIONS])
{
    struct gen_version rest = {-1, false, step->unit};
    const uint64_t general = operations(p, step, type, &rest);
    int n = 0;

    if (step->unit == 0) {
        versions[0] = (struct gen_version){0, false, 1};
        return 1;
    }
    for (int quarter = 0; quarter < 4 && step->unit <= SPECIAL_UNIT; quarter++) {
        const struct gen_version one = {quarter, false, 1};
        if ((uint32_t)quarter * step->unit % 4 != 0)
            continue;
        if (operations(p, step, type, &one) < general || step->unit == 1) {
            versions[n++] = one;
            rest.times--;
        }
    }
    if (rest.times == 0)
        return n;
    if (p->algorithm != 'T') {
        versions[n++] = rest;
        return n;
    }
    /* up to k = unit/2, which may have a version of its own, and beyond it */
    uint32_t low = step->unit / 2 + 1;
    for (int i = 0; i < n; i++)
        low -= versions[i].quarter <= 2;
    const struct gen_version lower = {-1, false, low < rest.times ? low : rest.times};
    if (lower.times > 0)
        versions[n++] = lower;
    if (rest.times > lower.times)
        versions[n++] = (struct gen_version){-1, true, rest.times - lower.times};
    return n;
}

enum gfmul_status gen_numbers_each(const struct gen_params *p, const struct gen_launches *l,
                                   void (*take)(void *context, const struct gen_numbers *numbers), void *context)
{
    for (int i = 0; i < l->n && l->table.numbers > 0; i++)
        for (int s = 0; s < l->launch[i].n_steps; s++)
            for (int type = 0; type < GEN_NODE_TYPES; type++) {
                const struct gen_step *step = &l->launch[i].steps[s];
                struct gen_version versions[GEN_MAX_VERSIONS];
                struct gen_cut cut;
                char name[96];
                if (!(step->types >> type & 1) || step->unit == 0)
                    continue;
                const int n = gen_versions_find(p, step, (enum gen_node_type)type, versions);
                if (versions[n - 1].quarter >= 0)
                    continue;
                const struct gen_call call = {.step = step, .type = (enum gen_node_type)type, .version = versions[n - 1]};
                const struct gen_codelet c = gen_recursion_codelet(p, l, &call, &cut, name, sizeof name);
                TRY(gen_codelet_write(NULL, &c, name, NULL));
                struct gen_numbers numbers = {.unit = step->unit, .at = step->at[type]};
                for (int k = 0; k < cut.n_parameters; k++) {
                    numbers.parameter = cut.parameters[k];
                    numbers.parameter.n *= step->unit;
                    numbers.parameter.from *= step->unit;
                    take(context, &numbers);
                    numbers.at += step->unit * (uint32_t)gen_parameter_numbers(cut.parameters[k].kind, c.three);
                }
            }
    return GFMUL_OK;
}

bool gen_calls_next(const struct gen_params *p, const struct gen_launches *l, struct gen_calls *calls)
{
    struct gen_call *call = &calls->call;
    const struct gen_step *step = call->step;
    const bool leaf = step->unit == 0 && !call->way.transposed && step->length < l->points;

    if (!call->second && call->way.zeros && call->type == GEN_NODE_PAIR) {
        call->second = true;
        return true;
    }
    call->second = false;
    if (!call->before && call->way.zeros && leaf && begins_before(p->algorithm) && (int)call->type >= 0) {
        call->before = true;
        return true;
    }
    call->before = false;
    if (++calls->at >= calls->n_versions) {
        do
            call->type++;
        while (call->type < GEN_NODE_TYPES && !(step->types >> call->type & 1));
        if (call->type == GEN_NODE_TYPES)
            return false;
        calls->n_versions = gen_versions_find(p, step, call->type, calls->versions);
        calls->at = 0;
    }
    call->version = calls->versions[calls->at];
    return true;
}

enum gfmul_status gen_recursion_cost(const struct gen_params *p, const struct gen_launches *l, const struct gen_step *step,
                                     struct gen_way way, struct gen_step_cost *cost)
{
    uint64_t nodes[GEN_NODE_TYPES][2] = {{0}}; /* indexed by `before` */
    struct gen_calls calls = {.call = {.step = step, .type = -1, .way = way}};
    const uint32_t n_nodes = l->points / step->length;

    *cost = (struct gen_step_cost){.live = 0};
    for (uint32_t r = 0; r < n_nodes; r++) {
        bool before = false;
        const uint32_t b = way.zeros && step->unit == 0 ? gen_recursion_node(p->algorithm, n_nodes, r, &before) : r;
        nodes[gen_node_type(p->algorithm, b)][before && !way.transposed]++;
    }
    while (gen_calls_next(p, l, &calls)) {
        struct gen_cut cut;
        struct gen_codelet_facts facts;
        char name[96];
        const struct gen_call *call = &calls.call;
        const struct gen_codelet c = gen_recursion_codelet(p, l, call, &cut, name, sizeof name);
        const uint64_t times = nodes[call->type][call->before] * call->version.times *
                               (call->type == GEN_NODE_PAIR && !way.zeros ? 2 : 1); /* with zeros each node is a call */
        if (times == 0)
            continue;
        TRY(gen_codelet_write(NULL, &c, name, &facts));
        cost->count.additions += times * facts.count.additions;
        cost->count.products += times * facts.count.products;
        cost->roots += times * facts.roots;
        cost->live = facts.max_live > cost->live ? facts.max_live : cost->live;
    }
    return GFMUL_OK;
}
