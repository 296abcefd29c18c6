/*
 * emit_recursion.c - the kernels of a transform that is the recursion of its algorithm.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A buffer holds the nodes of a step one after the other (recursion.h).  A codelet takes the points k, k + unit, ... of a node
 * and writes its results to the same places.  With B nodes, the first step reads the points of its node from the input, at
 * r, r + B, r + 2 B, ...  A work-group takes the same points of some neighbouring columns, so that it reads and writes memory in
 * contiguous runs.  The steps of a launch exchange points through local memory.
 */
#include <stdio.h>
#include <string.h>

#include "base/try.h"
#include "gen/emit.h"
#include "gen/recursion.h"

/* One step of a launch while it is written. */
struct place {
    const struct gen_step *step;
    bool head, tail;    /* first, last step of the launch in natural order */
    bool reads, writes; /* it reads, writes global memory; else local memory */
    bool gathers;       /* the first step in natural order: its points are scattered over the input */
    uint32_t nodes;     /* nodes in a column */
    uint32_t unit;      /* of the step, in points of the column */
};

static struct place place_of(const struct gen_writer *w, int s)
{
    const struct gen_launch *a = w->a;
    struct place q = {.step = &a->steps[s], .head = s == 0, .tail = s == a->n_steps - 1};
    q.reads = w->k->inverse ? q.tail : q.head;
    q.writes = w->k->inverse ? q.head : q.tail;
    q.gathers = a == w->l->launch && s == 0 && w->p->bitrev;
    q.nodes = a->length / (q.step->length / a->after);
    q.unit = q.step->unit / a->after;
    return q;
}

void gen_emit_node(const struct gen_params *p, const struct gen_launches *l, bool host, struct gen_text *out)
{
    const char *type = host ? "uint32_t" : "uint";
    const uint32_t nodes = l->points / l->launch[0].steps[0].length;
    const int bits = gen_levels(nodes), grain = p->algorithm == '8' ? 3 : p->algorithm == '4' ? 2 : 1;

    if (nodes == 1)
        return;
    gen_printf(out,
               "/* The place of the node that has the points r, r + %u, ...; from: where they begin%s. */\n"
               "static inline %s fft_%s_node(%s r, %s *from)\n{\n    %s b = 0u, rest = r;\n",
               nodes, p->algorithm == 'C' || p->algorithm == 'T' ? ", which may be before 0" : "", type, p->id, type, type, type);
    if (p->algorithm == '2' || p->algorithm == '4' || p->algorithm == '8' || p->algorithm == 'S') {
        gen_printf(out,
                   "    for (%s bits = 0u; bits < %du; bits += %du) {\n        b = b << %d | (rest & %uu);\n"
                   "        rest >>= %d;\n    }\n    *from = r;\n    return b;\n}\n\n",
                   type, bits, grain, grain, (1u << grain) - 1, grain);
        return;
    }
    gen_printf(out,
               "    %s bits = %du;\n    while (bits >= 2u)\n        if ((rest & 1u) == 0u) { /* the even half */\n"
               "            rest >>= 1;\n            b <<= 1;\n            bits -= 1u;\n"
               "        } else { /* the quarters 1 and -1 */\n            b = b << 2 | 2u | (rest >> 1 & 1u);\n"
               "            rest = (rest + 1u) >> 2;\n            bits -= 2u;\n        }\n"
               "    if (bits == 1u) {\n        b = b << 1 | (rest & 1u);\n        rest = (rest & 1u) ? 0u : rest >> 1;\n    }\n"
               "    *from = r - rest * %uu;\n    return b;\n}\n\n",
               type, bits, nodes);
}

void gen_emit_recursion_index(const struct gen_params *p, const struct gen_launches *l, bool host, struct gen_text *out)
{
    const struct gen_step *leaf = &l->launch[0].steps[0];
    const uint32_t radix = leaf->radix, nodes = l->points / radix;
    const char *type = host ? "uint32_t" : "uint";

    if (nodes == 1) {
        gen_printf(out, "    return k;\n}\n\n");
        return;
    }
    gen_printf(out,
               "    %s from;\n    const %s b = fft_%s_node(k %% %uu, &from); /* the node, and which of its points */\n"
               "    const %s point = (k - from) / %uu %% %uu;\n",
               type, type, p->id, nodes, type, nodes, radix);
    if (leaf->types >> GEN_NODE_PAIR & 1) {
        /* the second node of a pair has the points 1, 3, ..., or with conjugate pairs -1, 1, ... */
        const uint32_t first = gen_leaf_point(p->algorithm, leaf, GEN_NODE_PAIR, radix / 2);
        gen_printf(
            out,
            "    %s ones = 0u;\n    while (b >> ones & 1u)\n        ones++;\n    if (ones %% 2u == 1u) /* a pair of nodes */\n"
            "        return b * %uu + (point %% 2u == 0u ? point / 2u : %uu + (point + %uu) %% %uu / 2u);\n",
            type, radix, radix / 2, radix - first, radix);
    }
    gen_printf(out, "    return b * %uu + point;\n}\n\n", radix);
}

void gen_emit_node_type(const struct gen_params *p, struct gen_text *out)
{
    const char *id = p->id;

    if (p->algorithm == 'T')
        gen_printf(out,
                   "/* Is node b a pair (%d)?  Else its scale. */\nstatic inline uint fft_%s_type(uint b)\n{\n"
                   "    const uint zeros = popcount(~b & (b - 1u)), odd = popcount(b >> zeros & ~((b >> zeros) + 1u)) & 1u;\n"
                   "    if (b == 0u)\n        return 0u;\n    if (zeros == 0u && odd == 1u)\n        return %du;\n"
                   "    return zeros == odd ? 1u : ((zeros - odd) & 1u) ? 2u : 4u;\n}\n\n",
                   GEN_NODE_PAIR, id, GEN_NODE_PAIR);
    else if (p->algorithm == 'S' || p->algorithm == 'C')
        gen_printf(out,
                   "/* Is node b a pair (%d)? */\nstatic inline uint fft_%s_type(uint b)\n{\n"
                   "    return (popcount(b & ~(b + 1u)) & 1u) ? %du : 0u;\n}\n\n",
                   GEN_NODE_PAIR, id, GEN_NODE_PAIR);
}

/* Split radix and its relatives: a codelet of two points is empty, because both results exist already. */
static bool is_idle(const struct gen_writer *w, const struct gen_step *step, enum gen_node_type type)
{
    const char algorithm = w->p->algorithm;
    return step->unit > 0 && step->radix == (type == GEN_NODE_PAIR ? 4 : 2) &&
           (algorithm == 'S' || algorithm == 'C' || algorithm == 'T');
}

static struct gen_call call_of(const struct gen_writer *w, const struct gen_step *step, enum gen_node_type type)
{
    return (struct gen_call){.step = step, .type = type, .way = gen_way_of(w->k)};
}

/* The call of a codelet, on x or x + offset. */
static void call_one(const struct gen_writer *w, const struct gen_call *call, uint32_t offset, const char *indent)
{
    char name[128], arguments[128] = "", x[24] = "x";
    struct gen_cut cut;
    const struct gen_step *step = call->step;
    const struct gen_codelet c = gen_recursion_codelet(w->p, w->l, call, &cut, name, sizeof name);
    const uint32_t node = step->length / (call->type == GEN_NODE_PAIR ? 2 : 1); /* order of the roots w^k */

    if (step->unit > 0 && call->version.quarter < 0 && w->p->algorithm == 'T')
        snprintf(arguments, sizeof arguments, ", (%s const %s *)table + %uu, %uu + k, %uu", c.space, gen_part_type(w->p),
                 w->l->table.numbers_at, step->at[call->type], step->unit);
    else if (step->unit > 0 && call->version.quarter < 0)
        snprintf(arguments, sizeof arguments, "%s, k * %uu", c.space ? ", table" : "",
                 w->p->n / w->l->points * (w->l->points / node));
    if (offset > 0)
        snprintf(x, sizeof x, "x + %u", offset);
    gen_printf(w->out, "%s%s(%s%s);\n", indent, name, x, arguments);
}

/* The calls of a codelet for a node, or both of a pair. */
static void call_node(const struct gen_writer *w, struct gen_call call, const char *indent)
{
    if (is_idle(w, call.step, call.type))
        return;
    call_one(w, &call, 0, indent);
    if (call.type != GEN_NODE_PAIR)
        return;
    call.second = true;
    call_one(w, &call, call.step->radix / 2, indent);
}

/* The codelet of a node type, by k. */
static void calls(const struct gen_writer *w, struct gen_call call, const char *indent)
{
    struct gen_version v[GEN_MAX_VERSIONS];
    const int n = gen_versions_find(w->p, call.step, call.type, v);
    const uint32_t unit = call.step->unit;
    char deeper[32];

    if (n == 1) {
        call.version = v[0];
        call_node(w, call, indent);
        return;
    }
    snprintf(deeper, sizeof deeper, "%s    ", indent);
    for (int i = 0; i < n; i++) {
        gen_printf(w->out, i == 0 ? "%s" : "%s} else ", indent);
        if (i == n - 1)
            gen_printf(w->out, "{\n");
        else if (v[i].quarter >= 0)
            gen_printf(w->out, "if (k == %uu) {\n", (uint32_t)v[i].quarter * unit / 4);
        else
            gen_printf(w->out, "if (k <= %uu) {\n", unit / 2);
        call.version = v[i];
        call_node(w, call, deeper);
    }
    gen_printf(w->out, "%s}\n", indent);
}

/* Calls of the codelets, chosen by the node type.   pairs = false: the caller treats pairs by themselves. */
static void by_type(const struct gen_writer *w, struct gen_call call, bool pairs, const char *indent)
{
    unsigned types = call.step->types & (pairs ? ~0u : ~(1u << GEN_NODE_PAIR));
    bool first = true;
    char deeper[32];

    snprintf(deeper, sizeof deeper, "%s    ", indent);
    for (int type = 0; type < GEN_NODE_TYPES; type++) {
        if (!(types >> type & 1))
            continue;
        call.type = (enum gen_node_type)type;
        if (types == 1u << type && first) {
            calls(w, call, indent);
            return;
        }
        const bool last = types >> type == 1;
        gen_printf(w->out, first ? "%s" : "%s} else ", indent);
        if (last)
            gen_printf(w->out, "{\n");
        else
            gen_printf(w->out, "if (type == %du) {\n", type);
        calls(w, call, deeper);
        if (last)
            gen_printf(w->out, "%s}\n", indent);
        first = false;
    }
}

/* Where point i of the codelet is in local memory. */
static void local_place(const struct gen_writer *w, const struct place *q, uint32_t i, char *text, size_t size)
{
    const uint32_t offset = i * (q->unit > 0 ? q->unit : 1) * w->a->columns;
    snprintf(text, size, offset == 0 ? "spot" : "spot + %uu", offset);
}

/* Read the points of a first step's codelets of one node type from the input. */
static void gather(const struct gen_writer *w, struct gen_call call, const char *indent)
{
    const struct gen_step *step = call.step;
    const uint32_t radix = step->radix, all = w->l->points, nodes = all / radix;
    uint64_t nonzero = gen_recursion_nonzero(w->p, w->l, &call);
    char at[64];

    if (call.type == GEN_NODE_PAIR) {
        call.second = true;
        nonzero |= gen_recursion_nonzero(w->p, w->l, &call) << radix / 2;
    }
    for (uint32_t i = 0; i < radix; i++) {
        if (!(nonzero >> i & 1))
            continue;
        if (nodes == 1)
            snprintf(at, sizeof at, "%u", i);
        else
            snprintf(at, sizeof at, "(from + %uu) & %uu", gen_leaf_point(w->p->algorithm, step, call.type, i) * nodes, all - 1);
        gen_emit_load(w, indent, i, at);
    }
}

/* Read the points of the first step and call its codelets.   before: for nodes that begin before point 0. */
static void leaf(const struct gen_writer *w, const struct place *q, bool before, const char *indent)
{
    const bool pairs = q->step->types >> GEN_NODE_PAIR & 1;
    char deeper[32];
    struct gen_call call = call_of(w, q->step, GEN_NODE);

    call.before = before;
    snprintf(deeper, sizeof deeper, "%s%s", indent, pairs ? "    " : "");
    if (pairs) {
        call.type = GEN_NODE_PAIR;
        gen_printf(w->out, "%sif (type == %du) {\n", indent, GEN_NODE_PAIR);
        gather(w, call, deeper);
        calls(w, call, deeper);
        gen_printf(w->out, "%s} else {\n", indent);
        call.type = GEN_NODE;
    }
    gather(w, call, deeper);
    by_type(w, call, false, deeper);
    if (pairs)
        gen_printf(w->out, "%s}\n", indent);
}

/* Compute the node b of the buffer that a work-item handles. */
static void node_line(const struct gen_writer *w, const struct place *q)
{
    const struct gen_launch *a = w->a;
    const bool input = a == w->l->launch;

    if (q->gathers && w->l->points > q->step->length)
        gen_printf(w->out, "        uint from;\n        const uint b = fft_%s_node(first + c + node * %uu, &from);\n", w->p->id,
                   a->before);
    else if (input && a->before > 1 && w->p->bitrev)
        gen_printf(w->out, "        uint from;\n        const uint b = fft_%s_node(first + c, &from) / %uu * %uu + node;\n",
                   w->p->id, a->length / a->steps[0].length, q->nodes);
    else if (input && a->before > 1)
        gen_printf(w->out, "        const uint b = (first + c) * %uu + node;\n", q->nodes);
    else if (!input)
        gen_printf(w->out, "        const uint b = node_of_launch * %uu + node;\n", q->nodes);
    else
        gen_printf(w->out, "        const uint b = node;\n");
}

/* Compute the column c, the point p of the unit and the node that a work-item handles, and where its points are. */
static void places(const struct gen_writer *w, const struct place *q)
{
    const struct gen_launch *a = w->a;
    const bool input = a == w->l->launch; /* its columns are nodes, not points of a unit */
    const uint32_t unit = q->unit > 0 ? q->unit : 1, total = gen_launch_elements(a) / q->step->radix;
    const bool runs = input && (w->p->bitrev ? q->tail && !q->head : true); /* a column is contiguous */
    const char *const from = a->columns == 1 ? "const uint c = 0u" : "const uint c = t %% %uu";

    if (total == a->work_items)
        gen_printf(w->out, "    {\n        const uint t = get_local_id(0);\n");
    else
        gen_printf(w->out, "    for (uint t = get_local_id(0); t < %uu; t += %uu) {\n", total, a->work_items);
    gen_printf(w->out, "        %s x[%u];\n", gen_point_type(w->p), q->step->radix);
    if (runs) {
        gen_printf(w->out, "        const uint p = t %% %uu, node = t / %uu %% %uu, c = t / %uu;\n", unit, unit, q->nodes,
                   unit * q->nodes);
    } else {
        gen_printf(w->out, "        ");
        gen_printf(w->out, from, a->columns);
        gen_printf(w->out, ", p = t / %uu %% %uu, node = t / %uu;\n", a->columns, unit, a->columns * unit);
    }
    node_line(w, q);
    if (q->step->types & (q->step->types - 1))
        gen_printf(w->out, "        const uint type = fft_%s_type(b);\n", w->p->id);
    if (q->step->unit > 1 && a->after == 1)
        gen_printf(w->out, "        const uint k = p;\n");
    else if (q->step->unit > 1)
        gen_printf(w->out, "        const uint k = first + c + p * %uu;\n", a->after);
    if (!q->reads || !q->writes) {
        /* the gathered nodes of a column come in any order */
        if (q->gathers && q->nodes > 1)
            gen_printf(w->out, "        const uint spot = b %% %uu * %uu + c;\n", q->nodes, q->step->radix * a->columns);
        else
            gen_printf(w->out, "        const uint spot = (node * %uu + p) * %uu + c;\n", q->step->radix * unit, a->columns);
    }
    /* the nodes of the buffer are already in place */
    if ((q->reads && !q->gathers) || q->writes)
        gen_printf(w->out, "        const uint place = b * %uu + %s;\n", q->step->length, q->step->unit > 1 ? "k" : "0u");
}

/* Bit i: point i is needed by a codelet of any node type. */
static uint64_t needed(const struct gen_writer *w, const struct gen_step *step)
{
    uint64_t mask = 0;

    for (int type = 0; type < GEN_NODE_TYPES; type++) {
        struct gen_call call = call_of(w, step, (enum gen_node_type)type);
        if (!(step->types >> type & 1))
            continue;
        if (is_idle(w, step, call.type))
            return gen_nonzero_all(step->radix); /* these are written unchanged */
        mask |= gen_recursion_nonzero(w->p, w->l, &call);
        call.second = true;
        if (type == GEN_NODE_PAIR)
            mask |= gen_recursion_nonzero(w->p, w->l, &call) << step->radix / 2;
    }
    return mask;
}

static void step(const struct gen_writer *w, int s)
{
    const struct place q = place_of(w, s);
    const uint32_t radix = q.step->radix, stride = q.step->unit > 0 ? q.step->unit : 1;
    const uint64_t nonzero = q.gathers ? 0 : needed(w, q.step);
    char at[64];

    gen_printf(w->out, "    /* Step %d: codelets of %u points in each of %u columns. */\n",
               w->k->inverse ? w->a->n_steps - s : s + 1, radix, w->a->columns);
    places(w, &q);
    if (q.gathers && w->k->zeros && (w->p->algorithm == 'C' || w->p->algorithm == 'T') && w->l->points > radix) {
        gen_printf(w->out, "        if (from >= %uu) { /* before point 0 */\n", w->l->points);
        leaf(w, &q, true, "            ");
        gen_printf(w->out, "        } else {\n");
        leaf(w, &q, false, "            ");
        gen_printf(w->out, "        }\n");
    } else if (q.gathers) {
        leaf(w, &q, false, "        ");
    }
    for (uint32_t i = 0; i < radix; i++) {
        if (!(nonzero >> i & 1))
            continue;
        if (q.reads) {
            snprintf(at, sizeof at, "place + %uu", i * stride);
            gen_emit_load(w, "        ", i, at);
        } else {
            local_place(w, &q, i, at, sizeof at);
            gen_printf(w->out, "        x[%u] = block[%s];\n", i, at);
        }
    }
    if (!q.gathers)
        by_type(w, call_of(w, q.step, GEN_NODE), true, "        ");
    for (uint32_t i = 0; i < radix; i++) {
        if (q.writes) {
            snprintf(at, sizeof at, "place + %uu", i * stride);
            gen_emit_store(w, i, at);
        } else {
            local_place(w, &q, i, at, sizeof at);
            gen_printf(w->out, "        block[%s] = x[%u];\n", at, i);
        }
    }
    gen_printf(w->out, "    }\n");
    if (!q.writes)
        gen_printf(w->out, "    barrier(CLK_LOCAL_MEM_FENCE);\n");
}

void gen_emit_recursion(const struct gen_writer *w)
{
    const struct gen_launch *a = w->a;

    if (a->n_steps > 1)
        gen_printf(w->out, "    __local %s block[%u];\n", gen_point_type(w->p), gen_launch_elements(a));
    if (a == w->l->launch && a->before == 1) {
        if (a->n_steps > 1)
            gen_printf(w->out, "    const uint first = 0u; /* column */\n");
    } else if (a == w->l->launch) {
        gen_emit_rounds(w);
        gen_printf(w->out, "    const uint first = group * %uu; /* column */\n", a->columns);
    } else {
        gen_emit_rounds(w);
        gen_printf(w->out, "    const uint node_of_launch = group / %uu, first = group %% %uu * %uu; /* column */\n",
                   a->after / a->columns, a->after / a->columns, a->columns);
    }
    for (int s = 0; s < a->n_steps; s++)
        step(w, w->k->inverse ? a->n_steps - 1 - s : s);
    gen_emit_rounds_end(w);
}

enum gfmul_status gen_emit_recursion_codelets(const struct gen_params *p, const struct gen_launches *l, struct gen_way way,
                                              struct gen_text *names, struct gen_text *out)
{
    for (int i = 0; i < l->n; i++)
        for (int s = 0; s < l->launch[i].n_steps; s++) {
            struct gen_calls all = {.call = {.step = &l->launch[i].steps[s], .type = -1, .way = way}};
            while (gen_calls_next(p, l, &all)) {
                struct gen_cut cut;
                char name[128];
                const struct gen_codelet c = gen_recursion_codelet(p, l, &all.call, &cut, name, sizeof name);
                if (gen_first(names, name))
                    TRY(gen_codelet_write(out, &c, name, NULL));
            }
        }
    return names->failed ? GFMUL_ERR_MEMORY : GFMUL_OK;
}
