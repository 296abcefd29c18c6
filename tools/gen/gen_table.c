/*
 * gen_table.c - the table of twiddles: its contents, their places, and the code that reads a twiddle from it.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A reduced table has numbers from which all twiddles follow by exchanges and changes of sign.  For four products these are the
 * cosines of a quarter of a turn.  For three products they are the cosines, and the sums of cosine and sine, of half a turn.
 * With conjugate pairs all exponents are in the first quarter, so a quarter of both is enough: there, cos + sin of an angle is
 * sqrt(2) times the cosine of an angle that differs by an eighth of a turn, and so is cos - sin.
 */
#include <stdio.h>

#include "gen/gen_table.h"
#include "gen/launches.h"

static void section_add(struct gen_table *table, struct gen_section section)
{
    section.at = table->all;
    table->all += section.count * gen_section_numbers(section.kind);
    table->section[table->n++] = section;
}

/* The sections of a reduced table. */
static void reduced(const struct gen_params *p, bool quarter, struct gen_table *table)
{
    const uint32_t n = p->n;

    if (!gen_factors(p)) {
        section_add(table, (struct gen_section){.kind = GEN_SECTION_COSINE, .count = n / 4 + 1, .multiple = 1});
        return;
    }
    const uint32_t count = quarter ? n / 4 + 1 : n / 2;
    section_add(table, (struct gen_section){.kind = GEN_SECTION_COSINE, .count = count, .multiple = 1});
    section_add(table,
                (struct gen_section){.kind = GEN_SECTION_SUM, .count = count, .multiple = 1, .offset = quarter ? n / 8 : 0});
}

void gen_table_find(const struct gen_params *p, const struct gen_table_wish *wish, struct gen_table *table)
{
    const uint32_t roots = wish->roots;
    const bool factors = gen_factors(p) && wish->form == GEN_TABLE_ALL;
    const enum gen_section_kind kind = factors ? GEN_SECTION_FACTOR : GEN_SECTION_ROOT;

    *table = (struct gen_table){.form = wish->form, .asks_thirds = wish->thirds};
    if (p->twiddle == GEN_TWIDDLE_ONFLY)
        return;
    if (roots > 0 && wish->form == GEN_TABLE_REDUCED) {
        reduced(p, wish->quarter, table);
    } else if (roots > 0 && wish->form == GEN_TABLE_PAIR) {
        table->split = (gen_levels(p->n) + 1) / 2;
        const uint32_t low = UINT32_C(1) << table->split;
        section_add(table, (struct gen_section){.kind = kind, .count = low, .multiple = 1});
        section_add(table, (struct gen_section){.kind = kind, .count = ((roots - 1) >> table->split) + 1, .multiple = low});
    } else if (roots > 0) {
        section_add(table, (struct gen_section){.kind = kind, .count = roots, .multiple = 1});
        table->thirds = wish->thirds;
        if (wish->thirds)
            section_add(table, (struct gen_section){.kind = kind, .count = p->n / 4, .multiple = 3});
    }
    table->all += table->all % 2; /* points begin at even indices */
    if (wish->inner > 0) {
        table->inner = wish->inner;
        section_add(table, (struct gen_section){.kind = GEN_SECTION_ROOT, .count = wish->inner, .multiple = p->n / wish->inner});
    }
    table->numbers = wish->numbers;
    table->numbers_at = table->all;
    table->all += table->numbers;
    table->all += table->all % 2;
    table->constant = p->useconstants && (uint64_t)table->all * (gen_size_of_point(p) / 2) <= p->kernelsize;
}

void gen_section_value(const struct gen_section *section, uint32_t n, uint32_t i, gen_number value[3])
{
    const uint64_t e = (uint64_t)section->multiple * i + section->offset;
    gen_number c, d;

    gen_root((uint32_t)(e % n), n, &c, &d);
    value[0] = section->kind == GEN_SECTION_SUM ? c - d : c;
    value[1] = section->kind == GEN_SECTION_FACTOR ? c + d : d;
    value[2] = d - c;
}

struct gen_count gen_twiddle_cost(const struct gen_params *p, const struct gen_table *table)
{
    const bool made = table->form == GEN_TABLE_PAIR && table->all > 0; /* a twiddle is a product of two entries */
    struct gen_count cost = {made ? 2 : 0, made ? 4 : 0, 0};

    if (gen_factors(p) && (made || table->all == 0))
        cost.additions += 2;
    return cost;
}

/* --- the functions of the kernels ---------------------------------------------------------------------------------------- */

void gen_twiddle_type(const struct gen_params *p, char *text, size_t size)
{
    snprintf(text, size, gen_factors(p) ? "struct fft_%s_factor" : "%s", gen_factors(p) ? p->id : gen_point_type(p));
}

/* Sine and cosine in double-double, by their series. */
static const char dd_series[] =
    "static inline double2 fft_@_over(double2 a, double d)\n{\n    const double q = a.x / d, r = fma(-q, d, a.x) + a.y;\n"
    "    return fft_@_fast_sum(q, r / d);\n}\n\n"
    "/* The sum over k of (-x)^k / ((first + 1) ... (first + 2 k)), x < 0.62. */\n"
    "static inline double2 fft_@_series(double2 x, int first)\n{\n    double2 s = (double2)(1.0, 0.0);\n"
    "    for (int k = 15; k > 0; k--)\n"
    "        s = fft_@_add((double2)(1.0, 0.0),\n"
    "                      -fft_@_over(fft_@_times(x, s), (double)((first + 2 * k - 1) * (first + 2 * k))));\n"
    "    return s;\n}\n\n";

/* The body of a function that computes exp(-2 pi i e / N). */
static void root_computed(const struct gen_params *p, struct gen_text *out)
{
    if (p->fftdata == 'q') {
        gen_printf(
            out,
            "    const ulong four = 4ul * e; /* quarter and rest: the angle is pi/2 (quarter + rest / N), |rest| <= N/2 */\n"
            "    const uint quarter = (uint)((four + %uu) / %uu);\n"
            "    const double rest = (double)((long)four - (long)quarter * %d);\n",
            p->n / 2, p->n, (int)p->n);
        gen_printf(out, "    const double2 x = fft_%s_times((double2)(%.17g, %.17g), fft_%s_over((double2)(rest, 0.0), %u.0));\n",
                   p->id, 1.57079632679489661923, 6.123233995736766e-17, p->id, p->n);
        gen_printf(
            out,
            "    const double2 xx = fft_%s_times(x, x), c = fft_%s_series(xx, 0), s = fft_%s_times(x, fft_%s_series(xx, 1));\n"
            "    return (quarter & 3u) == 0u   ? (double4)(c, -s)\n           : (quarter & 3u) == 1u ? (double4)(-s, -c)\n"
            "           : (quarter & 3u) == 2u ? (double4)(-c, s)\n                                  : (double4)(s, c);\n}\n\n",
            p->id, p->id, p->id, p->id);
        return;
    }
    gen_printf(out, "    const int turn = e > %uu ? (int)e - %d : (int)e;\n", p->n / 2, (int)p->n);
    if (p->fftdata == 'd')
        gen_printf(out, "    const double angle = turn * %.17g;\n", 2.0 / p->n);
    else
        gen_printf(out, "    const float angle = turn * %.9gf;\n", 2.0 / p->n);
    /* The same as -sinpi(angle), which LLVM 14 compiles wrongly in some of PoCL's vectorized kernels. */
    gen_printf(out, "    return (%s)(cospi(angle), sinpi(-angle));\n}\n\n", gen_point_type(p));
}

/* The body of that function for a table of cosines. */
static void root_of_cosines(const struct gen_params *p, struct gen_text *out)
{
    const char *part = gen_part_type(p);
    const uint32_t quarter = p->n / 4;

    gen_printf(out,
               "    const uint quarter = e / %uu, rest = e %% %uu;\n"
               "    const %s c = table[rest], s = table[%uu - rest];\n"
               "    const %s re = quarter %% 2u == 0u ? c : s, im = quarter %% 2u == 0u ? s : c;\n"
               "    return (%s)(quarter == 1u || quarter == 2u ? -re : re, quarter < 2u ? -im : im);\n}\n\n",
               quarter, quarter, part, quarter, part, gen_point_type(p));
}

/* The body of a function that finds a factor in a table of cosines and of sums of cosine and sine. */
static void factor_of_cosines(const struct gen_params *p, const struct gen_table *table, struct gen_text *out)
{
    const char *part = gen_part_type(p);
    const uint32_t n = p->n, sums = table->section[1].at;

    if (table->section[1].offset > 0) {
        gen_printf(out,
                   "    const uint apart = e > %uu ? e - %uu : %uu - e, beyond = e + %uu;\n"
                   "    const %s c = table[e], both = table[%uu + apart]; /* cosine and sine added */\n"
                   "    const %s rest = beyond <= %uu ? table[%uu + beyond] : -table[%uu - beyond]; /* subtracted */\n",
                   n / 8, n / 8, n / 8, n / 8, part, sums, part, n / 4, sums, sums + n / 2);
        gen_expand(out, p->id, "    const struct fft_@_factor w = {c, rest, -both};\n    return w;\n}\n\n");
        return;
    }
    gen_printf(out,
               "    const uint half_turn = e / %uu, i = e %% %uu;\n"
               "    const %s c = table[i], both = table[%uu + i]; /* cosine and sine added */\n"
               "    const %s rest = i < %uu ? table[%uu + i] : -table[%uu + i]; /* subtracted */\n",
               n / 2, n / 2, part, sums, part, n / 4, sums + n / 4, sums - n / 4);
    gen_expand(out, p->id,
               "    const struct fft_@_factor w = {c, rest, -both}, opposite = {-c, -rest, both};\n"
               "    return half_turn == 0u ? w : opposite;\n}\n\n");
}

/* The head of a function that returns the twiddle of an exponent e, or with root = true the root. */
static void head(const struct gen_params *p, const struct gen_table *table, const char *name, bool root, struct gen_text *out)
{
    char type[64];
    const bool points = table->form != GEN_TABLE_REDUCED && !(gen_factors(p) && !root && table->form == GEN_TABLE_ALL);

    gen_twiddle_type(p, type, sizeof type);
    gen_printf(out, "static inline %s fft_%s_%s(", root ? gen_point_type(p) : type, p->id, name);
    if (table->all > 0)
        gen_printf(out, "%s const %s *restrict %s, ", gen_table_space(table), gen_point_type(p), points ? "table" : "points");
    gen_printf(out, "uint e)\n{\n");
    if (table->all > 0 && !points)
        gen_printf(out, "    %s const %s *table = (%s const %s *)points;\n", gen_table_space(table), gen_part_type(p),
                   gen_table_space(table), gen_part_type(p));
}

/* fft_ID_twiddle() for entry e of a section of its own. */
static void section_function(const struct gen_params *p, const struct gen_table *table, int index, const char *name,
                             struct gen_text *out)
{
    const struct gen_section *section = &table->section[index];

    head(p, table, name, false, out);
    if (section->kind == GEN_SECTION_ROOT && section->at == 0)
        gen_printf(out, "    return table[e];\n}\n\n");
    else if (section->kind == GEN_SECTION_ROOT)
        gen_printf(out, "    return table[%uu + e];\n}\n\n", section->at / 2);
    else
        gen_printf(out,
                   "    const struct fft_%s_factor w = {table[%uu + 3u * e], table[%uu + 3u * e], table[%uu + 3u * e]};\n"
                   "    return w;\n}\n\n",
                   p->id, section->at, section->at + 1, section->at + 2);
}

/* A root as a factor of three products, if it is not one yet. */
static void factor_of_root(const struct gen_params *p, const struct gen_table *table, struct gen_text *out)
{
    const char *re = gen_part(p, 0), *im = gen_part(p, 1);

    head(p, table, "twiddle", false, out);
    gen_printf(out, "    const %s z = fft_%s_root(%se);\n", gen_point_type(p), p->id, table->all > 0 ? "table, " : "");
    if (p->fftdata == 'q')
        gen_printf(out, "    const struct fft_%s_factor w = {z.%s, fft_%s_add(z.%s, z.%s), fft_%s_add(z.%s, -z.%s)};\n", p->id,
                   re, p->id, re, im, p->id, im, re);
    else
        gen_printf(out, "    const struct fft_%s_factor w = {z.%s, z.%s + z.%s, z.%s - z.%s};\n", p->id, re, re, im, im, re);
    gen_printf(out, "    return w;\n}\n\n");
}

/* fft_ID_mul(), and fft_ID_turn(), the product by a twiddle. */
static void product_functions(const struct gen_params *p, struct gen_text *out)
{
    const bool dd = p->fftdata == 'q';

    gen_printf(out, "/* The product of two complex numbers. */\nstatic inline %s fft_%s_mul(%s a, %s b)\n{\n", gen_point_type(p),
               p->id, gen_point_type(p), gen_point_type(p));
    if (dd)
        gen_expand(out, p->id,
                   "    return (double4)(fft_@_add(fft_@_times(a.lo, b.lo), -fft_@_times(a.hi, b.hi)),\n"
                   "                     fft_@_add(fft_@_times(a.lo, b.hi), fft_@_times(a.hi, b.lo)));\n}\n\n");
    else
        gen_printf(out, "    return (%s)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);\n}\n\n", gen_point_type(p));
    if (!gen_factors(p)) {
        gen_printf(out,
                   "/* The product by a twiddle. */\nstatic inline %s fft_%s_turn(%s a, %s w)\n{\n"
                   "    return fft_%s_mul(a, w);\n}\n\n",
                   gen_point_type(p), p->id, gen_point_type(p), gen_point_type(p), p->id);
        return;
    }
    gen_printf(
        out,
        "/* A twiddle for products of three: its real part, the sum of both parts, the imaginary part less the real one. */\n"
        "struct fft_%s_factor {\n    %s re, sum, difference;\n};\n\n"
        "/* The product by a twiddle, by three products and three sums. */\n"
        "static inline %s fft_%s_turn(%s a, struct fft_%s_factor w)\n{\n",
        p->id, gen_part_type(p), gen_point_type(p), p->id, gen_point_type(p), p->id);
    if (dd)
        gen_expand(out, p->id,
                   "    const double2 both = fft_@_times(w.re, fft_@_add(a.lo, a.hi));\n"
                   "    return (double4)(fft_@_add(both, -fft_@_times(w.sum, a.hi)),\n"
                   "                     fft_@_add(both, fft_@_times(w.difference, a.lo)));\n}\n\n");
    else
        gen_printf(out,
                   "    const %s both = w.re * (a.x + a.y);\n"
                   "    return (%s)(both - w.sum * a.y, both + w.difference * a.x);\n}\n\n",
                   gen_part_type(p), gen_point_type(p));
}

void gen_emit_twiddles(const struct gen_params *p, const struct gen_table *table, struct gen_text *out)
{
    const bool computed = p->twiddle == GEN_TWIDDLE_ONFLY, reduced = !computed && table->form == GEN_TABLE_REDUCED;
    const bool by_root = gen_factors(p) && (computed || table->form == GEN_TABLE_PAIR);
    const char *const name = by_root ? "root" : "twiddle";

    product_functions(p, out);
    if (!computed && table->n - (table->inner > 0) == 0)
        return;
    if (computed && p->fftdata == 'q')
        gen_expand(out, p->id, dd_series);
    gen_printf(out, "/* exp(-2 pi i e / %u), e < %u. */\n", p->n, p->n);
    if (computed || (reduced && !gen_factors(p)) || table->form == GEN_TABLE_PAIR) {
        head(p, table, name, true, out);
        if (computed)
            root_computed(p, out);
        else if (reduced)
            root_of_cosines(p, out);
        else
            gen_printf(out, "    return fft_%s_mul(table[e & %uu], table[%uu + (e >> %d)]);\n}\n\n", p->id,
                       (1u << table->split) - 1, 1u << table->split, table->split);
    } else if (reduced) {
        head(p, table, name, false, out);
        factor_of_cosines(p, table, out);
    } else {
        section_function(p, table, 0, name, out);
    }
    if (by_root)
        factor_of_root(p, table, out);
    if (!table->asks_thirds)
        return;
    gen_printf(out, "/* exp(-2 pi i 3 e / %u), e < %u. */\n", p->n, p->n / 4);
    if (table->thirds) {
        section_function(p, table, 1, "twiddle_third", out);
        return;
    }
    head(p, table, "twiddle_third", false, out);
    gen_printf(out, "    return fft_%s_twiddle(%s3u * e);\n}\n\n", p->id,
               table->all == 0                    ? ""
               : table->form == GEN_TABLE_REDUCED ? "points, "
                                                  : "table, ");
}
