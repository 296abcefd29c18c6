/*
 * t-gen_emit.c - plans of launches, codelets and the text of generated files, without an OpenCL device.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "gen_words.h"
#include "gen/analyze.h"

static unsigned parse(struct gen_params *p, const char *words)
{
    struct gen_text text;
    const unsigned problems = gen_words(p, words, &text);
    gen_text_free(&text);
    return problems;
}

/* Random words that may or may not be allowed together. */
static bool random_params(struct gen_params *p)
{
    static const char *const data[] = {"C", "R", "I", "R2", "INT32", "INT64", "LIMBS"}, *const direction[] = {"A", "F", "B"},
                             *const yn[] = {"Y", "N"};
    static const char *const nonez[] = {"X", "X0", "X000", "0X0", "2,5", "8;3", "XX0X"}, *const twiddle[] = {"YES", "ONFLY", "t"};
    static const char *const algorithm[] = {"2", "4", "8", "S", "C", "T"};
    static const char *const type[] = {"float", "double", "dd"}, *const table[] = {"AUTO", "ALL", "REDUCED", "PAIR"};
    char words[512], length[32];
    uint32_t n = 8;
    if (test_below(3)) {
        snprintf(length, sizeof length, "LOGN=%zu", test_between(3, 28));
    } else {
        static const uint32_t factors[] = {2, 3, 5, 7, 2, 2};
        for (size_t i = test_below(16); i > 0 && n < 1u << 25; i--)
            n *= factors[test_below(6)];
        snprintf(length, sizeof length, "N=%u", n);
    }
    int len = snprintf(words, sizeof words, "%s DATA=%s DIRECTION=%s BITREV=%s NONEZ=%s TWIDDLE=%s ALGORITHM=%s FFTDATA=%s",
                       length, data[test_below(7)], direction[test_below(3)], yn[test_below(2)], nonez[test_below(7)],
                       twiddle[test_below(3)], algorithm[test_below(6)], type[test_below(3)]);
    len += snprintf(words + len, sizeof words - (size_t)len, " PRODUCTS=%zu", test_between(3, 4));
    if (test_below(2))
        len += snprintf(words + len, sizeof words - (size_t)len, " TABLE=%s", table[test_below(4)]);
    if (test_below(2))
        len += snprintf(words + len, sizeof words - (size_t)len, " KERNELHEIGHT=%zu", test_between(0, 18));
    if (test_below(2))
        len += snprintf(words + len, sizeof words - (size_t)len, " KERNELWIDTH=%zu", test_between(0, 20));
    if (test_below(2))
        len += snprintf(words + len, sizeof words - (size_t)len, " STRUCTURE=DIMENSIONS");
    if (test_below(3) == 0)
        len += snprintf(words + len, sizeof words - (size_t)len, " STOPLEVEL=%zu", test_between(0, 12));
    if (test_below(2))
        len += snprintf(words + len, sizeof words - (size_t)len, " INPRECISION=%zu OUTPRECISION=%zu", test_between(0, 30),
                        test_between(0, 30));
    snprintf(words + len, sizeof words - (size_t)len, " USECONSTANTS=%s SCALING=%s KERNELNUM=%zu", yn[test_below(2)],
             yn[test_below(2)], test_between(1, 64));
    test_note("%.250s", words);
    return parse(p, words) == 0;
}

/* A work-group has 2^KERNELWIDTH elements, or all: several blocks where local memory does not hold so many at once. */
static void rounds_check(const struct gen_params *p, const struct gen_launches *l, const struct gen_launch *a)
{
    const uint64_t elements = (uint64_t)a->rounds * gen_launch_elements(a), asked = UINT64_C(1) << p->kernelwidth;
    TEST_CHECK((uint64_t)a->groups * elements == l->points && a->rounds >= 1);
    if (p->kernelwidth == 0)
        TEST_CHECK(a->rounds == 1);
    else
        TEST_CHECK(elements <= asked);
    if (p->kernelwidth > 0 && (l->points & (l->points - 1)) == 0) /* dimensions may have longer ones than a narrow group */
        TEST_CHECK_MSG(elements == (asked < l->points ? asked : l->points), "%llu elements", (unsigned long long)elements);
}

/* What launches have to be. */
static void launches_check(const struct gen_params *p, const struct gen_launches *l)
{
    uint32_t before = 1;
    TEST_CHECK(l->points == gen_points(p) && l->n >= 1 && l->n <= GEN_MAX_LAUNCHES);
    const int asked = p->kernelwidth > p->kernelheight ? p->kernelwidth : p->kernelheight; /* as far as the keys say */
    const int width = asked < gen_max_width(p) ? asked : gen_max_width(p);
    for (int i = 0; i < l->n; i++) {
        const struct gen_launch *a = &l->launch[i];
        uint32_t length = 1;
        TEST_CHECK(a->n_steps >= 1 && a->n_steps <= GEN_MAX_STEPS);
        for (int s = 0; s < a->n_steps; s++) {
            TEST_CHECK(a->steps[s].radix >= 2 && a->steps[s].radix <= (p->algorithm == '8' ? 8u : 16u));
            TEST_CHECK(a->steps[s].nonzero != 0 && a->steps[s].nonzero >> (a->steps[s].radix - 1) <= 1);
            length *= a->steps[s].radix;
        }
        TEST_CHECK(a->length == length && a->before == before && (uint64_t)a->before * length * a->after == l->points);
        rounds_check(p, l, a);
        TEST_CHECK(a->work_items >= 1 && a->work_items <= (width > gen_usual_width(p) ? 512 : 256));
        TEST_CHECK(gen_local_bytes(p, a) <= (width > gen_usual_width(p) ? 65536 : 32768));
        for (int s = 0; s < a->n_steps && a->values > 0; s++)
            TEST_CHECK(a->values % a->steps[s].radix == 0 && a->values * a->work_items == gen_launch_elements(a));
        if (p->kernelheight > 0)
            TEST_CHECK(a->length <= 1u << p->kernelheight);
        before *= length;
    }
    TEST_CHECK(before == l->done && l->done == (p->stoplevel > 0 ? 1u << p->stoplevel : l->points));
    TEST_CHECK(!l->table.constant || gen_table_bytes(p, &l->table) <= p->kernelsize);
}

/* The same of the recursion of an algorithm: steps put sub-transforms together until the last one makes the whole. */
static void recursion_check(const struct gen_params *p, const struct gen_launches *l)
{
    const bool radix = p->algorithm >= '2' && p->algorithm <= '8';
    uint32_t m = 0;

    TEST_CHECK(p->n_dims == 0 && p->stoplevel == 0 && l->n >= 1 && l->n <= GEN_MAX_LAUNCHES);
    for (int i = 0; i < l->n; i++) {
        const struct gen_launch *a = &l->launch[i];
        TEST_CHECK(a->n_steps >= 1 && a->n_steps <= GEN_MAX_STEPS);
        TEST_CHECK(a->after == (i == 0 ? 1 : radix ? m : m / 2));
        for (int s = 0; s < a->n_steps; s++) {
            const struct gen_step *step = &a->steps[s];
            TEST_CHECK(step->radix >= 2 && step->radix <= GEN_MAX_CODELET);
            TEST_CHECK(step->unit == (radix ? m : m / 2) && step->length == (m == 0 ? 1 : step->unit) * step->radix);
            TEST_CHECK((step->types & 1) != 0 && (!radix || step->types == 1));
            m = step->length;
        }
        TEST_CHECK((uint64_t)a->length * a->after == m && (uint64_t)a->before * m == l->points);
        rounds_check(p, l, a);
        TEST_CHECK((i == 0 ? a->before : a->after) % a->columns == 0);
        TEST_CHECK(a->work_items >= 1 && a->work_items <= 256);
        TEST_CHECK(a->n_steps == 1 || gen_local_bytes(p, a) <= 32768);
        if (p->kernelheight > 0)
            TEST_CHECK(a->length <= (radix || i == 0 ? 1u : 2u) << p->kernelheight);
    }
    TEST_CHECK(m == l->points && l->done == l->points);
    TEST_CHECK(!l->table.constant || gen_table_bytes(p, &l->table) <= p->kernelsize);
}

/* Names of the text that are no plain characters, or brackets that do not match. */
static void text_check(const struct gen_text *text, const char *what)
{
    int round = 0, curly = 0, square = 0;
    TEST_CHECK(!text->failed && text->len > 0 && text->len == strlen(text->s));
    for (const char *s = text->s; *s; s++) {
        round += (*s == '(') - (*s == ')');
        curly += (*s == '{') - (*s == '}');
        square += (*s == '[') - (*s == ']');
        if (!TEST_CHECK_MSG((*s >= ' ' && *s < 127) || *s == '\n' || *s == '\t', "%s: character %d", what, *s) || round < 0 ||
            curly < 0)
            break;
    }
    TEST_CHECK_MSG(round == 0 && curly == 0 && square == 0, "%s: brackets", what);
    TEST_CHECK_MSG(!strstr(text->s, "nan") && !strstr(text->s, "inf,"), "%s: no number", what);
}

/* Everything is written for whatever passes the checks. */
static void test_random(void)
{
    size_t valid = 0;
    for (size_t i = 0; i < (test_longest_tier() ? 20000 : 1500); i++) {
        struct gen_params p;
        struct gen_launches l;
        struct gen_text text = {0};
        if (!random_params(&p))
            continue;
        valid++;
        gen_launches_find(&p, &l);
        if (l.recursion)
            recursion_check(&p, &l);
        else
            launches_check(&p, &l);
        TEST_OK(gen_emit_opencl(&p, &l, &text));
        text_check(&text, "kernels");
        gen_text_free(&text);
        gen_emit_header(&p, &l, &text);
        text_check(&text, "header");
        gen_text_free(&text);
        gen_emit_source(&p, &l, &text);
        gen_text_free(&text);
        gen_emit_example(&p, &l, &text);
        TEST_CHECK(!text.failed && text.len > 1000);
        gen_text_free(&text);
        gen_emit_makefile(&p, &text);
        TEST_CHECK(!text.failed);
        gen_text_free(&text);
        TEST_OK(gen_analyze(&p, &l, NULL, &text));
        text_check(&text, "analysis");
        gen_text_free(&text);
        if (gen_svg(&p, &l, &text))
            text_check(&text, "picture");
        gen_text_free(&text);
        for (int backward = 0; backward < 2; backward++) {
            struct gen_kernel k[GEN_MAX_KERNELS];
            bool tmp, used = false;
            int n = gen_kernels_find(&p, &l, backward, k, &tmp);
            TEST_CHECK(k[0].from == GEN_IN && k[n - 1].to == GEN_OUT);
            for (int s = 0; s < n; s++) {
                TEST_CHECK(s == 0 || (k[s].from == k[s - 1].to && k[s].from != GEN_IN));
                TEST_CHECK(!p.bitrev || k[s].from != k[s].to || (l.recursion && s > 0));
                used = used || k[s].to == GEN_TMP;
            }
            TEST_CHECK(used == tmp);
        }
    }
    TEST_CHECK_MSG(valid > 200, "%zu valid", valid);
}

/* The levels that only move zeros, against a walk through all points. */
static void test_levels(void)
{
    for (int i = 0; i < 400; i++) {
        struct gen_params p;
        struct gen_launches l;
        char words[160], nonez[80];
        int logn = (int)test_between(3, 9);
        if (test_below(2)) {
            size_t len = test_between(1, 32);
            for (size_t k = 0; k < len; k++)
                nonez[k] = test_below(3) ? '0' : 'X';
            nonez[test_below(len)] = 'X';
            nonez[len] = '\0';
        } else {
            size_t a = test_below(1u << logn);
            snprintf(nonez, sizeof nonez, "%zu,%zu", a, test_between(a, (1u << logn) - 1));
        }
        snprintf(words, sizeof words, "LOGN=%d NONEZ=%s DATA=%s KERNELHEIGHT=%zu", logn, nonez, test_below(2) ? "C" : "R",
                 test_below(5));
        test_note("%s", words);
        if (!TEST_CHECK(parse(&p, words) == 0))
            continue;
        gen_launches_in_dimensions(&p, &l);
        bool there[512] = {false};
        for (int k = 0; k < p.n_ranges; k++)
            for (uint32_t j = p.ranges[k].lo; j < p.ranges[k].hi; j++)
                there[gen_real(&p) ? j / 2 : j] = true;
        int level = 0;
        for (uint32_t half = l.points / 2; half > 0; half /= 2, level++) {
            bool moves = true;
            for (uint32_t j = 0; j < l.points; j++)
                if (!(j & half)) {
                    moves = moves && !(there[j] && there[j + half]);
                    there[j] = there[j + half] = there[j] || there[j + half];
                }
            TEST_CHECK_MSG(gen_level_moves(&p, &l, level) == moves, "level %d", level);
        }
        /* The same for the points of the codelets. */
        for (uint32_t j = 0; j < l.points; j++)
            there[j] = false;
        for (int k = 0; k < p.n_ranges; k++)
            for (uint32_t j = p.ranges[k].lo; j < p.ranges[k].hi; j++)
                there[gen_real(&p) ? j / 2 : j] = true;
        uint32_t length = l.points;
        for (int a = 0; a < l.n; a++)
            for (int s = 0; s < l.launch[a].n_steps; s++) {
                const struct gen_step *step = &l.launch[a].steps[s];
                uint32_t block = length / step->radix, mask = 0;
                for (uint32_t j = 0; j < length; j++)
                    if (there[j])
                        mask |= 1u << j / block;
                TEST_CHECK_MSG(step->nonzero == mask, "launch %d, step %d: %x, should be %x", a, s, step->nonzero, mask);
                for (uint32_t j = block; j < length; j++)
                    there[j % block] = there[j % block] || there[j];
                length = block;
            }
    }
}

/* Additions and products of the forward transform, from the codelets that it would call. */
static double forward_operations(const char *words)
{
    struct gen_params p;
    struct gen_launches l;
    struct gen_kernel k[GEN_MAX_KERNELS];
    bool tmp;
    double sum = 0;
    TEST_CHECK(parse(&p, words) == 0);
    gen_launches_in_dimensions(&p, &l);
    int n = gen_kernels_find(&p, &l, false, k, &tmp);
    for (int i = 0; i < n; i++)
        for (int s = 0; s < l.launch[k[i].launch].n_steps; s++) {
            char name[96];
            struct gen_codelet c = gen_codelet_of(&p, &l, &k[i], s, name, sizeof name);
            struct gen_codelet_facts facts;
            TEST_OK(gen_codelet_write(NULL, &c, name, &facts));
            sum += (double)(facts.count.additions + facts.count.products) * l.points / c.radix;
        }
    return sum;
}

/* A zero upper half saves the additions of one level (4 for each of N/2 butterflies), a quarter those of two and more. */
static void test_zeros(void)
{
    static const char algorithms[] = "248SCT";
    for (const char *a = algorithms; *a; a++)
        for (int logn = 8; logn <= 20; logn += 3) {
            char words[96];
            double whole, half, quarter, n = 1 << logn;
            snprintf(words, sizeof words, "LOGN=%d ALGORITHM=%c", logn, *a);
            test_note("%s", words);
            whole = forward_operations(words);
            snprintf(words, sizeof words, "LOGN=%d ALGORITHM=%c NONEZ=X0", logn, *a);
            half = forward_operations(words);
            snprintf(words, sizeof words, "LOGN=%d ALGORITHM=%c NONEZ=X000", logn, *a);
            quarter = forward_operations(words);
            TEST_CHECK_MSG(whole - half >= 2 * n && half - quarter >= 1.5 * n, "%g, %g, %g operations", whole, half, quarter);
        }
}

/* The numbers of a table in memory, against the C library's sine and cosine. */
static void table_values(const struct gen_params *p, const struct gen_launches *l)
{
    double *table = calloc(1, (size_t)gen_table_bytes(p, &l->table));

    if (!TEST_CHECK(table != NULL) || !TEST_OK(gen_table_fill(p, l, table))) {
        free(table);
        return;
    }
    for (int i = 0; i < l->table.n; i++) {
        const struct gen_section *section = &l->table.section[i];
        for (int k = 0; k < 1000; k++) {
            const uint32_t j = k == 0 ? section->count - 1 : (uint32_t)test_below(section->count);
            const uint32_t numbers = gen_section_numbers(section->kind);
            const double *z = table + section->at + (size_t)j * numbers;
            const double angle =
                6.283185307179586476925 * (double)(((uint64_t)section->multiple * j + section->offset) % p->n) / p->n;
            const double c = cos(angle), d = -sin(angle);
            bool right = fabs(z[0] - (section->kind == GEN_SECTION_SUM ? c - d : c)) < 2e-15;
            if (numbers == 2)
                right = right && fabs(z[1] - d) < 2e-15;
            if (numbers == 3)
                right = right && fabs(z[1] - (c + d)) < 2e-15 && fabs(z[2] - (d - c)) < 2e-15;
            TEST_CHECK_MSG(right, "section %d, entry %u", i, j);
        }
    }
    free(table);
}

/* The tables in dimensions: one part, or two. */
static void test_table(void)
{
    static const char *const words[] = {"LOGN=9",
                                        "LOGN=20",
                                        "N=100800 USECONSTANTS=Y",
                                        "N=720 DATA=R",
                                        "N=720 PRODUCTS=3 TABLE=REDUCED",
                                        "LOGN=12 TABLE=PAIR",
                                        "LOGN=11 PRODUCTS=3"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct gen_params p;
        struct gen_launches l;
        test_note("%s", words[i]);
        TEST_CHECK(parse(&p, words[i]) == 0);
        gen_launches_in_dimensions(&p, &l);
        const bool two = p.n > 1 << 16 || p.table == GEN_TABLE_PAIR;
        TEST_CHECK(l.table.all > 0 && (l.table.form == GEN_TABLE_PAIR) == two && (l.table.split > 0) == two);
        TEST_CHECK(two || l.table.form == GEN_TABLE_REDUCED || l.table.section[0].count == p.n);
        table_values(&p, &l);
    }
}

/* Real numbers of the tables, in quarters of N: all roots; reduced, for products of four and of three. */
static void test_table_sizes(void)
{
    static const struct {
        char algorithm;
        uint32_t all, reduced_4, reduced_3;
    } published[] = {{'2', 4, 1, 4}, {'4', 6, 1, 4}, {'8', 7, 1, 4}, {'S', 4, 1, 4}, {'C', 2, 1, 2}, {'T', 6, 6, 6}};

    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        for (int logn = 8; logn <= 26; logn += logn < 20 ? 4 : 3)
            for (int form = 0; form < 3; form++) {
                static const char *const forms[] = {"TABLE=ALL", "TABLE=REDUCED PRODUCTS=4", "TABLE=REDUCED PRODUCTS=3"};
                struct gen_params p;
                struct gen_launches l;
                char words[80];
                snprintf(words, sizeof words, "LOGN=%d ALGORITHM=%c %s", logn, published[i].algorithm, forms[form]);
                test_note("%s", words);
                TEST_CHECK(parse(&p, words) == 0);
                gen_launches_find(&p, &l);
                const uint32_t want = p.n / 4 *
                                      (form == 0   ? published[i].all
                                       : form == 1 ? published[i].reduced_4
                                                   : published[i].reduced_3);
                /* one entry beyond a quarter of a turn in each section; T: 3 % more or less, short ones have constants instead */
                const uint32_t more = p.algorithm == 'T' ? want / 33 : 2, less = p.algorithm != 'T' ? 0 : logn < 12 ? want : more;
                TEST_CHECK_MSG(l.table.all <= want + more && l.table.all >= want - less, "%u numbers, published: %u", l.table.all,
                               want);
                if (logn <= 12)
                    table_values(&p, &l);
            }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_levels);
    TEST_RUN(test_zeros);
    TEST_RUN(test_table);
    TEST_RUN(test_table_sizes);
    TEST_RUN(test_random);
    return test_end();
}
