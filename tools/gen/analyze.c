/*
 * analyze.c - what a generated transform costs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>

#include "base/try.h"
#include "gen/analyze.h"
#include "gen/recursion.h"

/* The cost of a launch, or of a whole direction. */
struct cost {
    double additions, products, bytes; /* bytes: of points moved to and from global memory */
    size_t live;                       /* real values alive at once */
};

static void cost_add(struct cost *all, const struct cost *one)
{
    all->additions += one->additions;
    all->products += one->products;
    all->bytes += one->bytes;
    all->live = one->live > all->live ? one->live : all->live;
}

bool gen_level_moves(const struct gen_params *p, const struct gen_launches *l, int level)
{
    uint32_t length = l->points >> level, half = length / 2;
    unsigned unit = gen_real(p) ? 2 : 1;

    /* Do two points of the input, taken modulo length, lie length / 2 apart? */
    for (int i = 0; i < p->n_ranges; i++)
        for (int k = 0; k < p->n_ranges; k++) {
            int64_t a = p->ranges[i].lo / unit, b = (p->ranges[i].hi + unit - 1) / unit;
            int64_t c = p->ranges[k].lo / unit, d = (p->ranges[k].hi + unit - 1) / unit;
            /* x in [a, b), y in [c, d): y - x is from c - b + 1 to d - a - 1; is one of these half, mod length? */
            int64_t lo = c - b + 1, hi = d - a - 1;
            int64_t first = lo + (((int64_t)half - lo) % length + length) % length;
            if (first <= hi)
                return false;
        }
    return true;
}

/* The cost of a product by a twiddle, fft_ID_turn. */
static double turn_additions(const struct gen_params *p)
{
    return gen_factors(p) ? 3 : 2;
}
static double turn_products(const struct gen_params *p)
{
    return gen_factors(p) ? 3 : 4;
}

static enum gfmul_status step_cost(const struct gen_params *p, const struct gen_launches *l, const struct gen_kernel *k, int s,
                                   struct cost *cost, struct gen_text *out)
{
    const struct gen_launch *a = &l->launch[k->launch];
    char name[96];
    struct gen_codelet c = gen_codelet_of(p, l, k, s, name, sizeof name);
    struct gen_codelet_facts facts;
    TRY(gen_codelet_write(NULL, &c, name, &facts));
    const struct gen_count each = gen_twiddle_cost(p, &l->table);
    double codelets = (double)l->points / c.radix, twiddles = 0, asked = 0, made = 0;
    bool tail = s == a->n_steps - 1, one = a->length == c.radix;

    /* asked: calls of fft_ID_twiddle(); made: complex products of two twiddles */
    if (!tail) {
        twiddles = c.radix - 1;
        asked = l->table.inner == 0 ? twiddles : 0;
    } else if (a->after > 1) {
        uint32_t low = gen_low_twiddles(p, c.radix), high = c.radix / low - 1;
        twiddles = c.radix - one;
        asked = low - one + high;
        made = high * (low - one);
    }
    *cost = (struct cost){
        codelets * ((double)facts.count.additions + turn_additions(p) * twiddles + 2 * made + (double)each.additions * asked),
        codelets * ((double)facts.count.products + turn_products(p) * twiddles + 4 * made + (double)each.products * asked), 0,
        facts.max_live};
    gen_printf(out, "    %u points, %.0f times: %llu additions, %llu products", c.radix, codelets,
               (unsigned long long)facts.count.additions, (unsigned long long)facts.count.products);
    if (facts.in_float > 0)
        gen_printf(out, " (%zu of them in %s)", facts.in_float, c.type == 'q' ? "double" : "float");
    gen_printf(out, ", %.0f twiddles, %zu values at once", twiddles, facts.max_live);
    if (c.nonzero != (UINT32_C(1) << c.radix) - 1)
        gen_printf(out, "; %d of the points can be other than zero", __builtin_popcount(c.nonzero));
    gen_printf(out, "\n");
    return GFMUL_OK;
}

/* The same for a step of a recursion, over all its nodes. */
static enum gfmul_status node_cost(const struct gen_params *p, const struct gen_launches *l, const struct gen_kernel *k,
                                   const struct gen_step *step, struct cost *cost, struct gen_text *out)
{
    struct gen_step_cost all;

    TRY(gen_recursion_cost(p, l, step, gen_way_of(k), &all));
    const struct gen_count each = gen_twiddle_cost(p, &l->table);
    *cost = (struct cost){(double)all.count.additions + (double)each.additions * (double)all.roots,
                          (double)all.count.products + (double)each.products * (double)all.roots, 0, all.live};
    gen_printf(out, "    codelets of %u points %s %u nodes of %u: %.0f additions, %.0f products, %zu values at once\n",
               step->radix, k->inverse ? "from" : "to", l->points / step->length, step->length, cost->additions, cost->products,
               all.live);
    return GFMUL_OK;
}

static double nonzero_share(const struct gen_params *p)
{
    double n = 0;
    for (int i = 0; i < p->n_ranges; i++)
        n += p->ranges[i].hi - p->ranges[i].lo;
    return n / p->n;
}

static enum gfmul_status direction(const struct gen_params *p, const struct gen_launches *l, bool backward,
                                   const struct gen_ceilings *ceilings, struct gen_text *out)
{
    struct gen_kernel kernels[GEN_MAX_KERNELS];
    bool tmp;
    int n = gen_kernels_find(p, l, backward, kernels, &tmp);
    double size = gen_size_of_point(p), time = 0, values = gen_size_of_point(p) / 8; /* registers of a value */
    struct cost all = {0};

    gen_printf(out, "\n%s: %d kernel%s\n", backward ? "backward" : "forward", n, n > 1 ? "s" : "");
    for (int i = 0; i < n; i++) {
        const struct gen_kernel *k = &kernels[i];
        struct cost launch = {0}, one;
        if (k->kind == GEN_KERNEL_REAL) {
            /* k and M-k: one twiddle, 8 additions, 4 halvings on the way out */
            const struct gen_count each = gen_twiddle_cost(p, &l->table);
            launch = (struct cost){l->points / 2.0 * (8 + turn_additions(p) + (double)each.additions),
                                   l->points / 2.0 * ((backward ? 0 : 4) + turn_products(p) + (double)each.products),
                                   2 * l->points * size, 8};
            if (gen_two(p)) /* k and N-k: 4 additions, 4 halvings on the way out */
                launch = (struct cost){4.0 * (l->points / 2 + 1), backward ? 0 : 4.0 * (l->points / 2 + 1),
                                       (l->points + (double)gen_spectrum_points(p)) * size, 8};
            gen_printf(out, "  %d: packed spectrum %s half spectr%s, %u work-groups of %u\n", i + 1, backward ? "from" : "to",
                       gen_two(p) ? "a of two sequences" : "um", k->groups, k->work_items);
        } else {
            const struct gen_launch *a = &l->launch[k->launch];
            double read = 1;
            gen_printf(out, "  %d: transforms of %u points, %u columns together, %u work-groups of %u", i + 1, a->length,
                       a->columns, a->groups, k->work_items);
            if (a->n_steps > 1)
                gen_printf(out, ", %u bytes of local memory", gen_local_bytes(p, a));
            gen_printf(out, "\n");
            for (int j = 0; j < a->n_steps; j++) {
                int s = k->inverse ? a->n_steps - 1 - j : j;
                if (l->recursion)
                    TRY(node_cost(p, l, k, &a->steps[s], &one, out));
                else
                    TRY(step_cost(p, l, k, s, &one, out));
                cost_add(&launch, &one);
                if (k->zeros && s == 0 && !l->recursion)
                    read = (double)__builtin_popcount(a->steps[0].nonzero) / a->steps[0].radix;
            }
            if (k->zeros && l->recursion && k->from == GEN_IN)
                read = nonzero_share(p);
            launch.bytes = (1 + read) * l->points * size;
            if (k->scale)
                launch.products += 2.0 * l->points;
        }
        gen_printf(out, "    in all %.0f additions, %.0f products, %.0f bytes; values in %.0f registers of 32 bits\n",
                   launch.additions, launch.products, launch.bytes, launch.live * values);
        if (ceilings) {
            double memory = launch.bytes / ceilings->bytes_per_s;
            double work = (launch.additions + launch.products) / ceilings->operations_per_s;
            double t = (memory > work ? memory : work) +
                       ceilings->launch_s * (k->groups < (uint32_t)p->kernelnum ? k->groups : (uint32_t)p->kernelnum);
            gen_printf(out, "    at least %.3g us, by %s\n", 1e6 * t, memory > work ? "memory" : "arithmetic");
            time += t;
        }
        cost_add(&all, &launch);
    }
    double total = all.additions + all.products, n_lg = (double)p->n * gen_levels(p->n);
    gen_printf(out, "  total: %.0f additions + %.0f products = %.0f, %.3f N lg N; %.0f bytes\n", all.additions, all.products,
               total, total / n_lg, all.bytes);
    int64_t formula = (l->points & (l->points - 1)) == 0 ? gen_count_formula(p->algorithm, gen_levels(l->points)) : -1;
    if (formula >= 0)
        gen_printf(out,
                   "  closed formula of the algorithm as one graph of %u complex points, none of them zero: %lld operations\n",
                   l->points, (long long)formula);
    if (ceilings)
        gen_printf(out, "  time: at least %.3g us with these ceilings\n", 1e6 * time);
    return GFMUL_OK;
}

/* The contents of the twiddle table. */
static void table_lines(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out)
{
    static const char *const kinds[] = {"roots", "roots in three numbers", "cosines", "sums of cosine and sine"};
    const struct gen_table *table = &l->table;

    if (table->all == 0) {
        gen_printf(out,
                   p->twiddle == GEN_TWIDDLE_ONFLY ? "twiddles: computed in the kernels\n" : "twiddles: all are constants\n");
        return;
    }
    gen_printf(out, "twiddles: ");
    for (int i = 0; i < table->n; i++)
        gen_printf(out, "%u %s%s, ", table->section[i].count, kinds[table->section[i].kind],
                   i == table->n - 1 && table->inner > 0 ? " inside launches" : "");
    if (table->numbers > 0)
        gen_printf(out, "%u numbers of the tangent algorithm, ", table->numbers);
    gen_printf(out, "%sin all %u real numbers, %llu bytes of %s memory\n",
               table->form == GEN_TABLE_PAIR ? "a product of two for each twiddle, " : "", table->all,
               (unsigned long long)gen_table_bytes(p, table), table->constant ? "constant" : "global");
}

/* The device memory in use at once. */
static void memory_line(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out)
{
    struct gen_kernel kernels[GEN_MAX_KERNELS];
    bool tmp = false, any = false;
    const uint64_t points = gen_points(p), size = gen_size_of_point(p), table = gen_table_bytes(p, &l->table);

    for (int backward = 0; backward < 2; backward++)
        if (p->direction == 'A' || p->direction == (backward ? 'B' : 'F')) {
            gen_kernels_find(p, l, backward, kernels, &tmp);
            any = any || tmp;
        }
    const uint64_t signal = points * size, spectrum = gen_spectrum_points(p) * size, between = any ? signal : 0;
    gen_printf(out, "memory: signal %llu, spectrum %llu, between kernels %llu, twiddles %llu; in all %llu bytes%s\n",
               (unsigned long long)signal, (unsigned long long)spectrum, (unsigned long long)between, (unsigned long long)table,
               (unsigned long long)(signal + spectrum + between + table),
               p->bitrev ? "" : ", less one of the first two in place");
}

enum gfmul_status gen_analyze(const struct gen_params *p, const struct gen_launches *l, const struct gen_ceilings *c,
                              struct gen_text *out)
{
    enum gfmul_status status = GFMUL_OK;
    uint32_t size = gen_size_of_point(p);

    gen_printf(out, "fft_%s: N = %u, %u complex points of %u bytes, algorithm %c\n", p->id, p->n, l->points, size, p->algorithm);
    gen_printf(out, "structure: %s\n",
               l->recursion ? "the recursion of the algorithm" : "dimensions, the algorithm makes their codelets alone");
    table_lines(p, l, out);
    memory_line(p, l, out);
    if (p->useconstants && !l->table.constant)
        gen_printf(out, "  in global memory, because they do not fit into KERNELSIZE=%u\n", p->kernelsize);
    if (p->inprecision > 0)
        gen_printf(out, "INPRECISION=%d: %s\n", p->inprecision,
                   l->recursion     ? "the bits of a digit"
                   : l->exact_start ? "sums of the first codelet are done in the narrower type where it is exact"
                                    : "no effect, the narrower type would not be exact");
    if (p->outprecision > 0)
        gen_printf(out, "OUTPRECISION=%d: %s\n", p->outprecision,
                   l->float_end ? "the last codelet is done in the narrower type"
                                : "no effect, the narrower type would not be enough");
    if ((l->points & (l->points - 1)) == 0) {
        int moved = 0;
        for (int level = 0; UINT32_C(1) << level < l->done; level++)
            if (gen_level_moves(p, l, level)) {
                gen_printf(out, "level %d: skipped, it would only move zeros (NONEZ=%s)\n", level + 1, p->nonez_text);
                moved++;
            }
        if (moved == 0 && l->any_zeros)
            gen_printf(out, "no level is skipped as a whole; zeros save parts of the first codelets\n");
    }
    if (p->stoplevel > 0)
        gen_printf(out, "levels %d to %d: skipped, the caller does them (STOPLEVEL=%d)\n", p->stoplevel + 1,
                   gen_levels(l->points), p->stoplevel);
    if (!l->recursion)
        gen_printf(
            out,
            "A twiddle is %.0f products and %.0f additions, also where its value is trivial. One that is a product of two\n"
            "others takes 4 products and 2 additions more.\n",
            turn_products(p), turn_additions(p));
    for (int backward = 0; backward < 2 && status == GFMUL_OK; backward++)
        if (p->direction == 'A' || p->direction == (backward ? 'B' : 'F'))
            status = direction(p, l, backward, c, out);
    return status == GFMUL_OK && out->failed ? GFMUL_ERR_MEMORY : status;
}
