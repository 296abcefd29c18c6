/*
 * t-gen_codelet.c - the text of codelets, read back and run: it is the transform, in the types that it names.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "test.h"

#include "gen/codelet.h"

enum { MAX_VARIABLES = 4096, MAX_RADIX = 64 };

/* The variables of a codelet while it runs. */
struct machine {
    double value[MAX_VARIABLES];
    bool is_float[MAX_VARIABLES], set[MAX_VARIABLES];
    double x[2 * MAX_RADIX];
    unsigned additions, products;
};

/* "t12", "(double)t12", "-t12", "(double)-t12" or a zero; false: something else. */
static bool operand(const struct machine *m, const char **s, double *value, bool *is_float)
{
    double sign = 1;
    int n = 0;
    unsigned v;

    bool cast = strncmp(*s, "(double)", 8) == 0;
    if (cast)
        *s += 8;
    if (**s == '-') {
        sign = -1;
        ++*s;
    }
    if (sscanf(*s, "t%u%n", &v, &n) == 1 && v < MAX_VARIABLES && m->set[v]) {
        *value = sign * m->value[v];
        *is_float = m->is_float[v] && !cast;
        *s += n;
        return true;
    }
    if (strncmp(*s, "0.0", 3) != 0)
        return false;
    *value = 0;
    *is_float = (*s)[3] == 'f';
    *s += (*s)[3] == 'f' ? 4 : 3;
    return true;
}

/* Run one line. */
static bool run_line(struct machine *m, const char *s)
{
    char type[8], part;
    unsigned v, k;
    int n = 0;
    double a, b;
    bool a_float, b_float;

    if (sscanf(s, "    x[%u] = (%7[a-z]2)(%n", &k, type, &n) == 2 && n > 0 && k < MAX_RADIX) {
        s += n;
        if (!operand(m, &s, &a, &a_float) || strncmp(s, ", ", 2) != 0)
            return false;
        s += 2;
        if (!operand(m, &s, &b, &b_float) || strcmp(s, ");") != 0)
            return false;
        m->x[2 * k] = a;
        m->x[2 * k + 1] = b;
        return true;
    }
    if (sscanf(s, "    const %7s t%u = %n", type, &v, &n) != 2 || n == 0 || v >= MAX_VARIABLES || m->set[v])
        return false;
    s += n;
    m->is_float[v] = strcmp(type, "float") == 0;
    if (strncmp(s, "(float)", 7) == 0)
        s += 7;
    n = 0;
    if (sscanf(s, "x[%u].%c;%n", &k, &part, &n) == 2 && n > 0 && k < MAX_RADIX) {
        m->value[v] = m->x[2 * k + (part == 'y')];
    } else if (strncmp(s, "t", 1) == 0 || strncmp(s, "(double)t", 9) == 0) {
        if (!operand(m, &s, &a, &a_float) || s[0] != ' ' || (s[1] != '+' && s[1] != '-') || s[2] != ' ')
            return false;
        char sign = s[1];
        s += 3;
        if (!operand(m, &s, &b, &b_float) || strcmp(s, ";") != 0)
            return false;
        m->value[v] = sign == '+' ? a + b : a - b;
        if (a_float && b_float) /* the device rounds before it widens */
            m->value[v] = (float)m->value[v];
        m->additions++;
    } else {
        char *end;
        a = strtod(s, &end);
        if (end == s)
            return false;
        a_float = *end == 'f';
        s = end + a_float;
        if (strncmp(s, " * ", 3) != 0)
            return false;
        s += 3;
        if (!operand(m, &s, &b, &b_float) || strcmp(s, ";") != 0)
            return false;
        m->value[v] = a_float && b_float ? (float)(a * b) : a * b;
        m->products++;
    }
    if (m->is_float[v])
        m->value[v] = (float)m->value[v];
    m->set[v] = true;
    return true;
}

/* Run a codelet on m->x; false after a failed check. */
static bool run(struct machine *m, const struct gen_codelet *c, struct gen_codelet_facts *facts)
{
    struct gen_text text = {0};
    bool ok = TEST_OK(gen_codelet_write(&text, c, "f", facts));

    for (char *line = text.s, *end; ok && line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (strncmp(line, "    ", 4) == 0)
            ok = TEST_CHECK_MSG(run_line(m, line), "not understood: %s", line);
    }
    gen_text_free(&text);
    return ok;
}

/* The largest error of m->x against the transform of x. */
static double error_of(const struct machine *m, const double *x, uint32_t n)
{
    double worst = 0;
    for (uint32_t k = 0; k < n; k++) {
        long double re = 0, im = 0;
        for (uint32_t j = 0; j < n; j++) {
            long double angle = -6.283185307179586476925286766559L * (long double)(j * k % n) / n;
            re += x[2 * j] * cosl(angle) - x[2 * j + 1] * sinl(angle);
            im += x[2 * j] * sinl(angle) + x[2 * j + 1] * cosl(angle);
        }
        worst = test_worse(worst, fabs((double)(re - m->x[2 * k])));
        worst = test_worse(worst, fabs((double)(im - m->x[2 * k + 1])));
    }
    return worst;
}

static void test_text(void)
{
    static const uint32_t radices[] = {2, 3, 4, 5, 7, 8, 16, 32, 64};
    static const char algorithms[] = "248SCT";
    for (int i = 0; i < 3000; i++) {
        struct gen_codelet c = {.radix = radices[test_below(i % 8 ? 7 : 9)], .algorithm = algorithms[test_below(6)]};
        struct gen_codelet_facts facts;
        struct machine m = {.additions = 0};
        double x[2 * MAX_RADIX];
        uint64_t all = gen_nonzero_all(c.radix);
        int bits = (int)test_between(1, 23), shape = (int)test_below(4);
        c.nonzero = test_below(2) ? all : test_u64() & all;
        c.nonzero |= c.nonzero == 0;
        c.three = test_below(3) == 0;
        c.type = shape == 0 ? 'f' : 'd';
        c.exact_bits = shape == 2 ? bits : 0;
        c.float_inside = shape == 3;
        test_note("radix %u, algorithm %c, nonzero %x, type %c, exact bits %d, float inside %d", c.radix, c.algorithm,
                  (unsigned)c.nonzero, c.type, c.exact_bits, c.float_inside);
        for (uint32_t j = 0; j < 2 * c.radix; j++) {
            bool there = c.nonzero >> (j / 2) & 1;
            x[j] = there ? (double)((int64_t)test_below(2ull << bits) - (1 << bits)) : 0;
            m.x[j] = there ? x[j] : NAN; /* what is taken for zero is not read */
        }
        if (!run(&m, &c, &facts))
            continue;
        TEST_CHECK(m.additions == facts.count.additions && m.products == facts.count.products);
        double limit = ldexp(c.radix, bits) * (shape == 0 || shape == 3 ? 0x1p-21 : 0x1p-50), error = error_of(&m, x, c.radix);
        TEST_CHECK_MSG(error <= limit, "error %g, should be at most %g", error, limit);
        if (shape == 2 && bits < 20)
            TEST_CHECK(facts.in_float > 0 || c.nonzero != all);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_text);
    return test_end();
}
