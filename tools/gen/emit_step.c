/*
 * emit_step.c - the lines of one step of a launch: read, codelet, twiddles, write.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The steps of a launch work in place, inside the block of a work-group.  Step s sees its points as [b][j][i] with i below
 * `rest`, and writes frequency k to place rev(k) of j.  At the end, therefore, all places are bit-reversed frequencies, or
 * digit-reversed ones for odd radices.  Work-items exchange data only through the barriers between steps.
 *
 * If the points stay in registers (values of a launch), a work-item has x[0 .. values-1] from the first step to the last.  In
 * each step it does one or more codelets, its rounds, and each takes the next points of x.  Only the exchange between two steps
 * goes through local memory: first the real parts, then the imaginary parts.
 *
 * Place v is kept in local memory at spread(v) = v ^ (v >> g & m) ^ (v >> 2g & m) ^ ..., m = 2^g - 1, 2^g points in 128 bytes.
 * So work-items use different banks if their places differ by any power of two, or are bit-reversed.  spread(a + b) =
 * spread(a) ^ spread(b) if a and b have no bit in common, so a codelet computes it once.
 */
#include <stdio.h>
#include <string.h>

#include "gen/emit.h"

static uint32_t reversed(uint32_t k, uint32_t radix)
{
    uint32_t r = 0;
    if (radix & (radix - 1))
        return k;
    for (; radix > 1; radix /= 2, k /= 2)
        r = 2 * r + k % 2;
    return r;
}

void gen_emit_place(const struct gen_writer *w, int index)
{
    uint32_t radices[GEN_MAX_STEPS], rest = w->a->length / w->a->steps[w->a->n_steps - 1].radix;
    for (int s = 0; s < w->a->n_steps - 1; s++)
        radices[s] = w->a->steps[s].radix;
    gen_printf(w->out, "/* Frequencies u, u + %u, ... of the %u points of launch %d lie together, in this group of %u. */\n",
               rest, w->a->length, index + 1, w->a->steps[w->a->n_steps - 1].radix);
    gen_printf(w->out, "static inline uint fft_%s_place_%d(uint u)\n{\n    return ", w->p->id, index + 1);
    gen_emit_reversal(w->out, "u", radices, w->a->n_steps - 1, rest);
    gen_printf(w->out, ";\n}\n\n");
}

/* log2 of the points, or parts of points, in 128 bytes: so many work-items read local memory at once. */
static uint32_t spread_bits(const struct gen_params *p, bool parts)
{
    return (uint32_t)gen_levels(128 / gen_size_of_point(p)) + parts;
}

static uint32_t spread(const struct gen_params *p, bool parts, uint32_t v)
{
    uint32_t g = spread_bits(p, parts), sum = v;
    for (uint32_t shift = g; v >> shift != 0; shift += g)
        sum ^= v >> shift & ((1u << g) - 1);
    return sum;
}

void gen_emit_spread(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out)
{
    uint32_t most = 0, g = 0;

    for (int i = 0; i < l->n; i++) /* all launches of a power of two, or none: their points stay in registers */
        if (l->launch[i].spread && gen_launch_elements(&l->launch[i]) > most) {
            most = gen_launch_elements(&l->launch[i]);
            g = spread_bits(p, l->launch[i].values > 0);
        }
    if (most == 0)
        return;
    gen_printf(out,
               "/* Where place v is in local memory: neighbours and multiples of powers of two in different banks. */\n"
               "static inline uint fft_%s_spread(uint v)\n{\n    return v",
               p->id);
    for (uint32_t shift = g; most - 1 >= 1u << shift; shift += g)
        gen_printf(out, " ^ (v >> %u & %uu)", shift, (1u << g) - 1);
    gen_printf(out, ";\n}\n\n");
}

/* factor * expression, and expression + offset, without trivial terms. */
static void times(char *text, size_t size, const char *expression, uint32_t factor)
{
    if (factor == 1)
        snprintf(text, size, "%s", expression);
    else
        snprintf(text, size, strchr(expression, ' ') ? "(%s) * %uu" : "%s * %uu", expression, factor);
}
static void plus(char *text, size_t size, const char *expression, uint32_t offset)
{
    snprintf(text, size, offset == 0 ? "%s" : "%s + %uu", expression, offset);
}

/* Point first + offset of a column; a plain number if the column has one codelet. */
static void point_of(char *text, size_t size, uint32_t codelets, const char *first, uint32_t offset)
{
    if (codelets == 1)
        snprintf(text, size, "%uu", offset);
    else
        plus(text, size, first, offset);
}

/* Where a place of the block is stored. */
static void block_place(const struct gen_writer *w, uint32_t offset, char *text, size_t size)
{
    char sum[48], product[64];
    if (w->a->spread) {
        uint32_t mask = spread(w->p, false, offset * w->a->columns);
        snprintf(text, size, mask == 0 ? "spot" : "spot ^ %uu", mask);
        return;
    }
    plus(sum, sizeof sum, "base", offset);
    times(product, sizeof product, sum, w->a->columns);
    snprintf(text, size, w->a->columns == 1 ? "%s" : "%s + c", product);
}

/* The address in global memory of point j (an expression) of a launch, on side `in` of the forward transform or on the other. */
static void address(const struct gen_writer *w, bool results, const char *j, char *text, size_t size)
{
    const struct gen_launch *a = w->a;
    char product[96];

    if (w->p->bitrev && !results) {
        times(product, sizeof product, j, w->l->points / a->length);
        snprintf(text, size, w->l->points == a->length ? "%s" : "%s + column", product);
        return;
    }
    /* points with `inner` columns between neighbours: [outer column][j][inner column] */
    uint32_t inner = w->p->bitrev ? a->before : a->after, outer = w->p->bitrev ? a->after : a->before;
    times(product, sizeof product, j, inner);
    if (outer == 1 && inner == 1)
        snprintf(text, size, "%s", product);
    else if (outer == 1)
        snprintf(text, size, "%s + column", product);
    else if (inner == 1)
        snprintf(text, size, "column * %uu + %s", a->length, j);
    else
        snprintf(text, size, "(column / %uu * %uu + %s) * %uu + column %% %uu", inner, a->length, j, inner, inner);
}

/* The index i of the column, its place among `after`: natural order counts columns as [i][g], any other as [g][i]. */
static void column_part(const struct gen_writer *w, char *text, size_t size)
{
    const struct gen_launch *a = w->a;
    if (w->p->bitrev)
        snprintf(text, size, a->before == 1 ? "column" : "column / %uu", a->before);
    else
        snprintf(text, size, a->before == 1 ? "column" : "column %% %uu", a->after);
}

/* The call that computes the twiddle of an exponent. */
static void twiddle(const struct gen_writer *w, const char *exponent, char *text, size_t size)
{
    snprintf(text, size, "fft_%s_twiddle(%s%s)", w->p->id, w->l->table.all > 0 ? "table, " : "", exponent);
}

/* Twiddles inside a launch: multiply x[k] by the twiddle of k * stride. */
static void twiddles_inside(const struct gen_writer *w, uint32_t rest, uint32_t radix, uint32_t x)
{
    uint32_t factor = w->p->n / w->l->points; /* the table is that of N, the points may be N/2 */
    const struct gen_table *table = &w->l->table;
    bool compact = table->inner > 0;
    uint32_t unit = compact ? table->inner / (rest * radix) : factor * (w->l->points / (rest * radix));
    char e[48], call[128];

    gen_printf(w->out, "        const uint stride = u %% %uu * %uu; /* of exponents */\n", rest, unit);
    for (uint32_t k = 1; k < radix; k++) {
        snprintf(e, sizeof e, k == 1 ? "stride" : "%u * stride", k);
        if (compact)
            snprintf(call, sizeof call, "table[%uu + %s]", table->section[table->n - 1].at / 2, e);
        else
            twiddle(w, e, call, sizeof call);
        gen_printf(w->out, "        x[%u] = fft_%s_turn(x[%u], %s);\n", x + k, w->p->id, x + k, call);
    }
}

/*
 * Twiddles between launches: multiply x[k] by the twiddle of turn * (u + k * each).  Long codelets make it as a product, with
 * k = 4 b + a: four twiddles depend on u, and those of 4 b * each are shared by all codelets of a column.
 */
static void twiddles_between(const struct gen_writer *w, uint32_t each, uint32_t radix, uint32_t x)
{
    const char *id = w->p->id, *point = gen_point_type(w->p);
    uint32_t low = gen_low_twiddles(w->p, radix);
    char part[48], e[64], call[160];

    column_part(w, part, sizeof part);
    gen_printf(w->out, "        const uint turn = %s * %uu;\n", part, w->p->n / w->l->points * w->a->before);
    for (uint32_t k = 0; k < low; k++) {
        if (each == 1 && k == 0)
            continue;
        if (each == 1)
            snprintf(e, sizeof e, k == 1 ? "turn" : "turn * %uu", k);
        else
            snprintf(e, sizeof e, k == 0 ? "turn * u" : "turn * (u + %uu)", k * each);
        twiddle(w, e, call, sizeof call);
        if (low == radix)
            gen_printf(w->out, "        x[%u] = fft_%s_turn(x[%u], %s);\n", x + k, id, x + k, call);
        else
            gen_printf(w->out, "        const %s w%u = %s;\n", point, k, call);
    }
    for (uint32_t b = 0; low < radix && b < radix; b += low) {
        if (b > 0) {
            snprintf(e, sizeof e, "turn * %uu", b * each);
            twiddle(w, e, call, sizeof call);
            gen_printf(w->out, "        const %s v%u = %s;\n", point, b, call);
        }
        for (uint32_t k = 0; k < low; k++) {
            if (k == 0 && each == 1 && b == 0)
                continue;
            if (k == 0 && each == 1)
                snprintf(call, sizeof call, "v%u", b);
            else if (b == 0)
                snprintf(call, sizeof call, "w%u", k);
            else
                snprintf(call, sizeof call, "fft_%s_mul(w%u, v%u)", id, k, b);
            gen_printf(w->out, "        x[%u] = fft_%s_mul(x[%u], %s);\n", x + b + k, id, x + b + k, call);
        }
    }
}

/* Compute the point u and column c of a work-item in a round, and where its codelet begins in the block: spot or base. */
static void places(const struct gen_writer *w, int s, uint32_t round, bool global, bool local)
{
    const struct gen_launch *a = w->a;
    const struct gen_kernel *k = w->k;
    uint32_t radix = a->steps[s].radix, each = a->length / radix, items = each * a->columns, rest = a->length;
    for (int i = 0; i <= s; i++)
        rest /= a->steps[i].radix;
    bool head = s == 0, tail = s == a->n_steps - 1, reads = k->inverse ? tail : head, writes = k->inverse ? head : tail;
    bool by_points = (reads && gen_points_first(w->p, a, k->inverse)) || (writes && gen_points_first(w->p, a, !k->inverse));

    if (a->values > 0 && round > 0)
        gen_printf(w->out, "    {\n        const uint t = get_local_id(0) + %uu;\n", round * a->work_items);
    else if (a->values > 0 || items == a->work_items)
        gen_printf(w->out, "    {\n        const uint t = get_local_id(0);\n");
    else
        gen_printf(w->out, "    for (uint t = get_local_id(0); t < %uu; t += %uu) {\n", items, a->work_items);
    if (a->columns == 1)
        gen_printf(w->out, "        const uint u = t, c = 0;\n");
    else if (each == 1)
        gen_printf(w->out, "        const uint c = t;\n");
    else if (by_points)
        gen_printf(w->out, "        const uint u = t %% %uu, c = t / %uu;\n", each, each);
    else
        gen_printf(w->out, "        const uint u = t / %uu, c = t %% %uu;\n", a->columns, a->columns);
    if (global)
        gen_printf(w->out, "        const uint column = first + c;\n");
    if (!local)
        return;
    /* Point j of the codelet is at (base + j * rest) * columns + c. */
    if (tail && !w->p->bitrev && a->after == 1)
        gen_printf(w->out, "        const uint base = u * %uu;\n", radix); /* the order of the codelets does not matter */
    else if (tail)
        gen_printf(w->out, "        const uint base = fft_%s_place_%d(u) * %uu;\n", w->p->id, k->launch + 1, radix);
    else if (head)
        gen_printf(w->out, "        const uint base = u;\n");
    else
        gen_printf(w->out, "        const uint base = u / %uu * %uu + u %% %uu;\n", rest, radix * rest, rest);
    if (a->values > 0 && a->spread)
        gen_printf(w->out, "        spot%d[%u] = fft_%s_spread(base * %uu + c);\n", s + 1, round, w->p->id, a->columns);
    else if (a->values > 0)
        gen_printf(w->out, "        spot%d[%u] = base * %uu + c;\n", s + 1, round, a->columns);
    else if (a->spread)
        gen_printf(w->out, "        const uint spot = fft_%s_spread(base * %uu + c);\n", w->p->id, a->columns);
}

/* Copy one part (real or imaginary) of all points of a step between registers and local memory. */
static void part_lines(const struct gen_writer *w, int s, int part, bool store)
{
    const struct gen_launch *a = w->a;
    uint32_t radix = a->steps[s].radix, rest = a->length, all = (UINT32_C(1) << radix) - 1;
    for (int i = 0; i <= s; i++)
        rest /= a->steps[i].radix;
    char name[96], at[64];
    uint32_t nonzero = w->k->inverse ? all : gen_codelet_of(w->p, w->l, w->k, s, name, sizeof name).nonzero;

    for (uint32_t i = 0; i < a->values; i++) {
        uint32_t j = i % radix, slot = store == w->k->inverse ? j : reversed(j, radix);
        uint32_t offset = slot * rest * a->columns, mask = a->spread ? spread(w->p, true, offset) : offset;
        if (!store && !(nonzero >> j & 1))
            continue;
        if (mask == 0)
            snprintf(at, sizeof at, "spot%d[%u]", s + 1, i / radix);
        else
            snprintf(at, sizeof at, "spot%d[%u] %c %uu", s + 1, i / radix, a->spread ? '^' : '+', mask);
        if (store)
            gen_printf(w->out, "    block[%s] = x[%u].%s;\n", at, i, gen_part(w->p, part));
        else
            gen_printf(w->out, "    x[%u].%s = block[%s];\n", i, gen_part(w->p, part), at);
    }
}

/* Between step s and the next, s2: exchange points held in registers.  No barrier follows: work-items write where they read. */
static void exchange(const struct gen_writer *w, int s, int s2)
{
    uint32_t rounds = w->a->values / w->a->steps[s2].radix;

    gen_printf(w->out, "    /* Exchange: real parts, then imaginary parts. */\n    uint spot%d[%u];\n", s2 + 1, rounds);
    for (uint32_t round = 0; round < rounds; round++) {
        places(w, s2, round, false, true);
        gen_printf(w->out, "    }\n");
    }
    for (int part = 0; part < 2; part++) {
        if (part > 0)
            gen_printf(w->out, "    barrier(CLK_LOCAL_MEM_FENCE);\n");
        part_lines(w, s, part, true);
        gen_printf(w->out, "    barrier(CLK_LOCAL_MEM_FENCE);\n");
        part_lines(w, s2, part, false);
    }
}

/* One round: one codelet of a step by a work-item, on x[x .. x + radix-1]. */
struct round {
    uint32_t radix, x; /* x: index of its first point among those of the work-item */
    uint32_t rest;     /* distance of its points in the block */
    uint32_t each;     /* codelets of the step in a column */
    bool head, tail;   /* first, last step of the forward order */
    bool block;        /* points are in local memory between steps; else in registers */
};

static struct round round_of(const struct gen_writer *w, int s, uint32_t round)
{
    const struct gen_launch *a = w->a;
    const uint32_t radix = a->steps[s].radix;
    struct round r = {radix, round * radix, a->length, a->length / radix, s == 0, s == a->n_steps - 1, a->values == 0};
    for (int i = 0; i <= s; i++)
        r.rest /= a->steps[i].radix;
    return r;
}

/* round_loads - read the codelet's input from memory or the block.  Point i is a time; backwards, a frequency in its place. */
static void round_loads(const struct gen_writer *w, const struct round *r, uint32_t nonzero)
{
    const struct gen_kernel *k = w->k;
    const bool reads = k->inverse ? r->tail : r->head;
    char at[160], j[96];

    for (uint32_t i = 0; i < r->radix; i++) {
        const uint32_t slot = k->inverse ? reversed(i, r->radix) : i;
        if (!(nonzero >> i & 1))
            continue;
        if (reads) {
            point_of(j, sizeof j, r->each, k->inverse ? "base" : "u", slot * r->rest);
            address(w, k->inverse, j, at, sizeof at);
            gen_emit_load(w, "        ", r->x + i, at);
        } else if (r->block) {
            block_place(w, slot * r->rest, at, sizeof at);
            gen_printf(w->out, "        x[%u] = block[%s];\n", i, at);
        }
    }
}

void gen_emit_load(const struct gen_writer *w, const char *indent, uint32_t i, const char *at)
{
    if (w->k->digits)
        gen_printf(w->out, "%sx[%u] = fft_%s_digits(in, %s);\n", indent, i, w->p->id, at);
    else if (w->k->pairs_in)
        gen_printf(w->out, "%sx[%u] = (%s)(in[%s], in[%uu + (%s)]);\n", indent, i, gen_point_type(w->p), at, w->p->n, at);
    else
        gen_printf(w->out, "%sx[%u] = in[%s]%s;\n", indent, i, at, w->k->swap_in ? gen_swap(w->p) : "");
}

void gen_emit_store(const struct gen_writer *w, uint32_t i, const char *at)
{
    const struct gen_kernel *k = w->k;
    const char *swap = k->swap_out ? gen_swap(w->p) : "";

    if (k->pairs_out)
        gen_printf(w->out, "        x[%u] = ", i);
    else
        gen_printf(w->out, "        out[%s] = ", at);
    if (k->scale && w->p->fftdata == 'q' && (w->p->n & (w->p->n - 1)) != 0) {
        gen_printf(w->out, "fft_%s_scaled(x[%u]%s)", w->p->id, i, swap);
    } else {
        gen_printf(w->out, "x[%u]%s", i, swap);
        if (k->scale)
            gen_printf(w->out, w->p->fftdata == 'f' ? " * %.9gf" : " * %.17g", 1.0 / w->p->n);
    }
    gen_printf(w->out, ";\n");
    if (k->pairs_out)
        gen_printf(w->out, "        out[%s] = x[%u].%s;\n        out[%uu + (%s)] = x[%u].%s;\n", at, i, gen_part(w->p, 0),
                   w->p->n, at, i, gen_part(w->p, 1));
}

/* round_stores - write the codelet's output to memory or the block. */
static void round_stores(const struct gen_writer *w, const struct round *r)
{
    const bool inverse = w->k->inverse, writes = inverse ? r->head : r->tail;
    char at[160], j[96];

    for (uint32_t i = 0; i < r->radix; i++) {
        const uint32_t slot = inverse ? i : reversed(i, r->radix);
        if (writes) {
            /* forward: natural order stores frequency u + i * each, the algorithm's order stores the place in the block */
            if (inverse || !w->p->bitrev)
                point_of(j, sizeof j, r->each, inverse ? "u" : "base", slot * r->rest);
            else
                point_of(j, sizeof j, r->each, "u", i * r->each);
            address(w, !inverse, j, at, sizeof at);
            gen_emit_store(w, r->x + i, at);
        } else if (r->block) {
            block_place(w, slot * r->rest, at, sizeof at);
            gen_printf(w->out, "        block[%s] = x[%u];\n", at, i);
        }
    }
}

/* Forward (decimation in frequency): read, codelet, twiddles, write.  Inverse: read, twiddles, codelet, write. */
static void round_lines(const struct gen_writer *w, int s, uint32_t round)
{
    const struct gen_launch *a = w->a;
    const struct round r = round_of(w, s, round);
    const bool inverse = w->k->inverse, reads = inverse ? r.tail : r.head, writes = inverse ? r.head : r.tail;
    const bool base = r.tail && (inverse || !w->p->bitrev); /* the address in global memory depends on base */
    char name[96], call[128];
    const struct gen_codelet c = gen_codelet_of(w->p, w->l, w->k, s, name, sizeof name);

    places(w, s, round, reads || writes, r.block ? !r.head || !reads || !r.tail : base || (reads && a->n_steps > 1));
    if (r.block)
        gen_printf(w->out, "        %s x[%u];\n", gen_point_type(w->p), r.radix);
    round_loads(w, &r, inverse ? (UINT32_C(1) << r.radix) - 1 : c.nonzero);
    snprintf(call, sizeof call, r.x == 0 ? "%s(x)" : "%s(x + %u)", name, r.x);
    if (!inverse)
        gen_printf(w->out, "        %s;\n", call);
    if (!r.tail)
        twiddles_inside(w, r.rest, r.radix, r.x);
    else if (a->after > 1)
        twiddles_between(w, r.each, r.radix, r.x);
    if (inverse)
        gen_printf(w->out, "        %s;\n", call);
    round_stores(w, &r);
    gen_printf(w->out, "    }\n");
}

void gen_emit_step(const struct gen_writer *w, int s)
{
    const struct gen_launch *a = w->a;
    uint32_t radix = a->steps[s].radix, rounds = a->values > 0 ? a->values / radix : 1, all = (UINT32_C(1) << radix) - 1;
    bool first = w->k->inverse ? s == a->n_steps - 1 : s == 0, last = w->k->inverse ? s == 0 : s == a->n_steps - 1;
    char name[96];
    struct gen_codelet c = gen_codelet_of(w->p, w->l, w->k, s, name, sizeof name);

    gen_printf(w->out, "    /* Step %d: %u codelets of %u points in each of %u columns%s. */\n",
               w->k->inverse ? a->n_steps - s : s + 1, a->length / radix, radix, a->columns,
               c.nonzero != all ? "; some points are zero" : "");
    if (a->values > 0 && first)
        gen_printf(w->out, "    %s x[%u];\n    uint spot%d[%u];\n", gen_point_type(w->p), a->values, s + 1, rounds);
    for (uint32_t round = 0; round < rounds; round++)
        round_lines(w, s, round);
    if (!last && a->values > 0)
        exchange(w, s, w->k->inverse ? s - 1 : s + 1);
    else if (!last)
        gen_printf(w->out, "    barrier(CLK_LOCAL_MEM_FENCE);\n");
}
