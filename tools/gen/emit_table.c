/*
 * emit_table.c - the table of twiddles: its numbers, and the host functions of a transform that make it.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <string.h>

#include "base/try.h"
#include "gen/emit.h"

/* --- the numbers --------------------------------------------------------------------------------------------------------- */

/* Where the numbers of a table are written. */
struct filling {
    const struct gen_params *p;
    void *table;
    uint32_t at; /* next place for the numbers of T */
    struct gen_scales scales;
};

static void number_put(const struct filling *fill, size_t at, gen_number x)
{
    const double high = (double)x;

    if (fill->p->fftdata == 'f') {
        ((float *)fill->table)[at] = (float)x;
    } else if (fill->p->fftdata == 'd') {
        ((double *)fill->table)[at] = high;
    } else {
        ((double *)fill->table)[2 * at] = high;
        ((double *)fill->table)[2 * at + 1] = (double)(x - high);
    }
}

static void numbers_fill(void *context, const struct gen_numbers *numbers)
{
    const struct filling *fill = context;
    gen_number value[2];

    for (uint32_t k = 0; k < numbers->unit; k++) {
        gen_parameter_value(&numbers->parameter, k, &fill->scales, value);
        for (uint32_t i = 0; i < (uint32_t)gen_parameter_numbers(numbers->parameter.kind, false); i++)
            number_put(fill, fill->at + (size_t)numbers->at + i * (size_t)numbers->unit + k, value[i]);
    }
}

enum gfmul_status gen_table_fill(const struct gen_params *p, const struct gen_launches *l, void *table)
{
    struct filling fill = {.p = p, .table = table, .at = l->table.numbers_at};
    gen_number value[3];

    memset(table, 0, (size_t)gen_table_bytes(p, &l->table));
    if (l->table.numbers > 0) {
        TRY(gen_scales_create(&fill.scales, l->points));
        const enum gfmul_status status = gen_numbers_each(p, l, numbers_fill, &fill);
        gen_scales_destroy(&fill.scales);
        TRY(status);
    }
    for (int s = 0; s < l->table.n; s++) {
        const struct gen_section *section = &l->table.section[s];
        const uint32_t numbers = gen_section_numbers(section->kind);
        for (uint32_t i = 0; i < section->count; i++) {
            gen_section_value(section, p->n, i, value);
            for (uint32_t k = 0; k < numbers; k++)
                number_put(&fill, section->at + (size_t)i * numbers + k, value[k]);
        }
    }
    return GFMUL_OK;
}

/* --- the host functions -------------------------------------------------------------------------------------------------- */

/* Arithmetic wider than the table's numbers, and the cosine and sine of an angle. */
static const char long_double_functions[] =
    "typedef long double wide;\n\n"
    "static wide negative(wide a)\n{\n    return -a;\n}\n\n"
    "/* The cosine and the sine of e / n of a turn, by an angle of at most an eighth of a turn. */\n"
    "static void turn(uint64_t e, uint64_t n, wide *c, wide *s)\n{\n"
    "    const uint64_t quadrant = 4 * (e % n) / n, rest = 4 * (e % n) % n; /* rest / 4n of a turn */\n"
    "    const int swap = 2 * rest > n;\n"
    "    const wide angle =\n"
    "        1.57079632679489661923132169163975144L * (wide)(swap ? n - rest : rest) / (wide)n;\n"
    "    const wide x = swap ? sinl(angle) : cosl(angle), y = swap ? cosl(angle) : sinl(angle);\n\n";
static const char dd_functions[] =
    "/* Numbers are unevaluated sums of two doubles. */\ntypedef struct {\n    double hi, lo;\n} wide;\n\n"
    "static wide fast_sum(double a, double b) /* |a| >= |b| */\n{\n    const double s = a + b;\n"
    "    const wide z = {s, b - (s - a)};\n    return z;\n}\n\n"
    "static wide negative(wide a)\n{\n    const wide z = {-a.hi, -a.lo};\n    return z;\n}\n\n"
    "static wide sum(wide a, wide b)\n{\n    const double s = a.hi + b.hi, z = s - a.hi;\n"
    "    return fast_sum(s, ((a.hi - (s - z)) + (b.hi - z)) + (a.lo + b.lo));\n}\n\n"
    "static wide product(wide a, wide b)\n{\n    const double p = a.hi * b.hi, e = fma(a.hi, b.hi, -p);\n"
    "    return fast_sum(p, e + fma(a.lo, b.hi, a.hi * b.lo));\n}\n\n"
    "static wide over(wide a, double d)\n{\n    const double q = a.hi / d, r = fma(-q, d, a.hi) + a.lo;\n"
    "    return fast_sum(q, r / d);\n}\n\n"
    "/* The sum over k of (-x)^k / ((first + 1) ... (first + 2 k)), x < 0.62: 1 - x (...) again and again. */\n"
    "static wide series(wide x, int first)\n{\n    wide s = {1.0, 0.0};\n"
    "    for (int k = 15; k > 0; k--) {\n"
    "        const wide t = over(product(x, s), (double)((first + 2 * k - 1) * (first + 2 * k)));\n"
    "        const double one = 1.0 - t.hi;\n        s = fast_sum(one, ((1.0 - one) - t.hi) - t.lo);\n    }\n"
    "    return s;\n}\n\n"
    "/* The cosine and the sine of e / n of a turn, by an angle of at most an eighth of a turn. */\n"
    "static void turn(uint64_t e, uint64_t n, wide *c, wide *s)\n{\n"
    "    const wide half_pi = {1.57079632679489661923, 6.123233995736766e-17};\n"
    "    const uint64_t quadrant = 4 * (e % n) / n, rest = 4 * (e % n) % n; /* rest / 4n of a turn */\n"
    "    const int swap = 2 * rest > n;\n    const wide r = {(double)(swap ? n - rest : rest), 0.0};\n"
    "    const wide angle = product(half_pi, over(r, (double)n)), square = product(angle, angle);\n"
    "    const wide x1 = series(square, 0), x2 = product(angle, series(square, 1));\n"
    "    const wide x = swap ? x2 : x1, y = swap ? x1 : x2;\n\n";
static const char turn_end[] =
    "    *c = quadrant == 0 ? x : quadrant == 1 ? negative(y) : quadrant == 2 ? negative(x) : y;\n"
    "    *s = quadrant == 0 ? y : quadrant == 1 ? x : quadrant == 2 ? negative(y) : negative(x);\n}\n\n";

static const char long_double_sum[] = "static wide sum(wide a, wide b)\n{\n    return a + b;\n}\n\n";
static const char long_double_quotient[] = "static wide product(wide a, wide b)\n{\n    return a * b;\n}\n\n"
                                           "static wide quotient(wide a, wide b)\n{\n    return a / b;\n}\n\n"
                                           "static const wide one = 1;\n\n";
static const char dd_quotient[] = "static const wide one = {1.0, 0.0};\n\n"
                                  "static wide quotient(wide a, wide b)\n{\n    const wide q = {a.hi / b.hi, 0.0};\n"
                                  "    const wide r = sum(a, negative(product(q, b)));\n"
                                  "    return fast_sum(q.hi, (r.hi + r.lo) / b.hi);\n}\n\n";

static const char tangent_functions[] =
    "/* What the tangent algorithm divides result k of n by. */\n"
    "static wide scale(uint64_t n, uint64_t k)\n{\n    wide all = one, c, s;\n\n"
    "    for (; n > 4; n /= 4) {\n        k %= n / 4;\n        turn(k, n, &c, &s);\n"
    "        all = product(all, k <= n / 8 ? c : s);\n    }\n    return all;\n}\n\n"
    "/* Its twiddles for k = 0 .. unit-1, from number `at` of the table on; n, from: points of a part of the transform. */\n"
    "enum kind { SCALED, TANGENT, SUM, DIFFERENCE, SCALE };\nstruct numbers {\n"
    "    enum kind kind;\n    uint64_t n, from, quarter, unit, at;\n};\n\n"
    "static wide number(const struct numbers *a, uint64_t k, int second)\n{\n"
    "    const uint64_t n = a->n, at = k + a->from;\n    wide c, s;\n\n    turn(at, n, &c, &s);\n"
    "    switch (a->kind) {\n    case SCALED:\n        return product(scale(n / 4, at), second ? negative(s) : c);\n"
    "    case TANGENT:\n        return at <= n / 8 ? quotient(s, c) : quotient(c, s);\n"
    "    case SUM:\n        return quotient(scale(n, at), scale(2 * n, at));\n"
    "    case DIFFERENCE:\n        return quotient(scale(n, at), scale(2 * n, at + n / 4));\n"
    "    default:\n        return quotient(scale(n, at), scale(4 * n, at + a->quarter * (n / 4)));\n    }\n}\n\n"
    "static const struct numbers all_numbers[] = {\n";

static void numbers_line(void *context, const struct gen_numbers *numbers)
{
    static const char *const kinds[] = {[GEN_SCALED] = "SCALED",
                                        [GEN_TANGENT] = "TANGENT",
                                        [GEN_SUM_2] = "SUM",
                                        [GEN_DIFFERENCE] = "DIFFERENCE",
                                        [GEN_SCALE_4] = "SCALE"};
    gen_printf(context, "    {%s, %u, %u, %u, %u, %u},\n", kinds[numbers->parameter.kind], numbers->parameter.n,
               numbers->parameter.from, numbers->parameter.angle, numbers->unit, numbers->at);
}

/* The numbers of the tangent algorithm; if memory runs out, the text is marked as failed. */
static void number_functions(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out)
{
    gen_printf(out, "%s%s", p->fftdata == 'q' ? dd_quotient : long_double_quotient, tangent_functions);
    if (gen_numbers_each(p, l, numbers_line, out) != GFMUL_OK)
        out->failed = true;
    gen_printf(out,
               "};\n\nstatic void numbers_make(%s *table)\n{\n"
               "    for (size_t i = 0; i < sizeof all_numbers / sizeof *all_numbers; i++) {\n"
               "        const struct numbers *a = &all_numbers[i];\n"
               "        for (uint64_t k = 0; k < a->unit; k++) {\n            put(table, %u + a->at + k, number(a, k, 0));\n"
               "            if (a->kind == SCALED)\n                put(table, %u + a->at + a->unit + k, number(a, k, 1));\n"
               "        }\n    }\n}\n\n",
               p->fftdata == 'f' ? "float" : "double", l->table.numbers_at, l->table.numbers_at);
}

/* table_make() that reads the file. */
static void file_function(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out)
{
    gen_printf(out, "/* The twiddle table, from its file. */\nstatic int table_make(%s *table, const char *folder)\n{\n",
               p->fftdata == 'f' ? "float" : "double");
    gen_printf(out, "    size_t size;\n    char *text = file_read(folder, \"%s\", &size);\n", p->twiddle_file);
    gen_printf(out, "    int status = text && size == TABLE_BYTES ? FFT_%s_OK : FFT_%s_ERR_FILE;\n\n", p->id, p->id);
    gen_printf(out, "    if (status == FFT_%s_OK)\n        memcpy(table, text, TABLE_BYTES);\n", p->id);
    if (l->table.n > 0) /* cos 0 */
        gen_printf(out,
                   "    if (status == FFT_%s_OK && table[0] != 1)\n        status = FFT_%s_ERR_FILE; /* another byte order? */\n",
                   p->id, p->id);
    gen_printf(out, "    free(text);\n    return status;\n}\n\n");
}

/* The sections, and the code that fills them. */
static void section_functions(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out)
{
    static const char *const kinds[] = {"ROOT", "FACTOR", "COSINE", "COSINE_PLUS_SINE"};

    gen_printf(out, "/* Parts of the table.  Entry i is of w = exp(-2 pi i e / N), e = multiple * i + offset. */\n"
                    "enum section_kind { ROOT, FACTOR, COSINE, COSINE_PLUS_SINE };\nstatic const struct section {\n"
                    "    enum section_kind kind;\n    uint64_t count, multiple, offset, at; /* at: of its first number */\n"
                    "} sections[] = {\n");
    for (int i = 0; i < l->table.n; i++) {
        const struct gen_section *s = &l->table.section[i];
        gen_printf(out, "    {%s, %u, %u, %u, %u},\n", kinds[s->kind], s->count, s->multiple, s->offset, s->at);
    }
    gen_printf(
        out,
        "};\n\nstatic void section_make(%s *table, const struct section *a)\n{\n    for (uint64_t i = 0; i < a->count; i++) {\n"
        "        wide c, s;\n\n        turn(a->multiple * i + a->offset, %u, &c, &s);\n        switch (a->kind) {\n"
        "        case ROOT:\n            put(table, a->at + 2 * i, c);\n"
        "            put(table, a->at + 2 * i + 1, negative(s));\n            break;\n"
        "        case FACTOR: /* the real part, the sum of both parts, the imaginary part less the real one */\n"
        "            put(table, a->at + 3 * i, c);\n            put(table, a->at + 3 * i + 1, sum(c, negative(s)));\n"
        "            put(table, a->at + 3 * i + 2, negative(sum(s, c)));\n            break;\n"
        "        case COSINE:\n            put(table, a->at + i, c);\n            break;\n"
        "        default:\n            put(table, a->at + i, sum(c, s));\n            break;\n        }\n    }\n}\n\n",
        p->fftdata == 'f' ? "float" : "double", p->n);
}

void gen_emit_table(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out)
{
    const bool dd = p->fftdata == 'q';
    const char *type = p->fftdata == 'f' ? "float" : "double";

    if (p->twiddle == GEN_TWIDDLE_FILE) {
        file_function(p, l, out);
        return;
    }
    gen_printf(out, "%s%s", dd ? dd_functions : long_double_functions, turn_end);
    gen_printf(out, "/* Number i of the table. */\nstatic void put(%s *table, uint64_t i, wide x)\n{\n", type);
    if (dd)
        gen_printf(out, "    table[2 * i] = x.hi;\n    table[2 * i + 1] = x.lo;\n}\n\n");
    else
        gen_printf(out, "    table[i] = (%s)x;\n}\n\n", type);
    if (l->table.n > 0) {
        gen_printf(out, "%s", dd ? "" : long_double_sum);
        section_functions(p, l, out);
    }
    if (l->table.numbers > 0)
        number_functions(p, l, out);
    gen_printf(out, "/* The twiddle table. */\nstatic int table_make(%s *table, const char *folder)\n{\n    (void)folder;\n",
               type);
    if (l->table.n > 0)
        gen_printf(out, "    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)\n"
                        "        section_make(table, &sections[i]);\n");
    if (l->table.numbers > 0)
        gen_printf(out, "    numbers_make(table);\n");
    gen_printf(out, "    return FFT_%s_OK;\n}\n\n", p->id);
}
