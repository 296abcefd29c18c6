/*
 * t-bound_document.c - the bounds of plans of every kind, against those that bound_document.py computes from doc/error-bound.md.
 *
 * This program makes the plans, evaluates their bounds, and writes both to the script, a line of JSON for each plan.  The script
 * reads the constants in the text of the document, and knows no number of its own.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "bound_seen.h"
#include "plan/plan_dd.h"
#include "plan/plan_device.h"
#include "plan/plan_field.h"
#include "plan/plan_names.h"
#include "plan/thresholds/device.h"

static FILE *to;

/* begin_plan, end_plan - what all plans have in common, and what the code says of them. */
static void begin_plan(const struct plan_shape *s, const char *kind)
{
    fprintf(to, "{\"kind\":\"%s\",\"packing\":\"%s\",\"fma\":%d,\"odd\":%u,\"log2_n\":%u,\"digit_base\":%" PRIu64, kind,
            plan_packing_name(s->transform.packing), s->bound.fma, s->transform.odd, s->transform.log2_n, s->digits.digit_base);
    fprintf(to, ",\"an\":%zu,\"bn\":%zu,\"balance\":%d", s->digits.an, s->digits.bn, s->digits.balance_exp);
}

static void result(const char *name, double k, double bound)
{
    fprintf(to, ",\"%s\":[\"%a\",\"%a\"]", name, k, bound);
}

/* random_norms - of so many digits: of any size up to the largest, with any share of the energy behind the twiddles. */
static struct digit_norms random_norms(const struct plan_shape *s, size_t digits)
{
    const double h = (double)((s->digits.digit_base + 1) / 2), u = (double)test_below(1001) / 1000;
    const double sum = floor((double)digits * h * h * u * u) + 1;
    return (struct digit_norms){sum, floor(sum * s->transform.log2_n * (double)test_below(1001) / 1000)};
}

static void end_plan(const struct plan_shape *s)
{
    const struct digit_norms a = random_norms(s, s->digits.an), b = random_norms(s, s->digits.bn);
    double k, bound = plan_bound_worst(s, &k);
    result("worst", k, bound);
    fprintf(to, ",\"norms\":[\"%a\",\"%a\",\"%a\",\"%a\"]", a.sum_sq, a.sum_pop, b.sum_sq, b.sum_pop);
    bound = plan_bound_measured(s, &a, &b, &k);
    result("measured", k, bound);
    if (s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE && (s->field != PLAN_DD || s->device.used)) {
        const double xy = sqrt(a.sum_sq) * sqrt(b.sum_sq),
                     value = xy * ldexp(1 + (double)test_below(64) / 64, -(int)test_below(30));
        const double energy = s->device.used || test_below(4) == 0 ? HUGE_VAL : xy * xy / (double)(1 + test_below(1000000));
        bound = plan_bound_posterior(s, &a, &b, value, energy, &k);
        fprintf(to, ",\"largest\":\"%a\",\"energy\":\"%a\"", value, energy);
        result("posterior", k, bound);
    }
    fprintf(to, "}\n");
}

static void random_digits(struct plan_shape *s, unsigned bits)
{
    const size_t n = s->transform.n_digits;
    s->digits.bn = test_between(1, n / 2);
    s->digits.an = test_below(2) ? n - s->digits.bn : test_between(s->digits.bn, n - s->digits.bn);
    s->digits.digit_base = ((uint64_t)1 << test_between(1, bits)) - test_below(2);
}

/* Plans in double on the CPU: all packings, with and without FMA, nested steps and true radix 4. */
static void one_double(unsigned t)
{
    static const enum gfmul_packing packings[] = {GFMUL_PACKING_RIGHT_ANGLE, GFMUL_PACKING_TWO_FOR_ONE,
                                                  GFMUL_PACKING_ONE_FOR_HALF, GFMUL_PACKING_RIGHT_ANGLE};
    static const char *const kinds[] = {[BUTTERFLY_NESTED] = "nested", [BUTTERFLY_RADIX4] = "whole", [BUTTERFLY_MIXED] = "mixed"};
    struct plan_shape s;
    const enum gfmul_packing packing = packings[t % 4];
    const unsigned odd = plan_odd_factor((unsigned)test_below(PLAN_ODD_FACTORS)), log2_n = 6 + (unsigned)test_below(30);
    const size_t n = ((size_t)odd << log2_n) * (packing == GFMUL_PACKING_TWO_FOR_ONE ? 1 : 2), b = test_between(1, n / 2);
    const bool fma = test_u64() & 1;
    seen_shape(&s, packing, odd, log2_n, 2 + (unsigned)test_below(3), 1 + (unsigned)test_below(15), n - b, b, fma, seen_any(fma),
               test_u64() & 1 ? 8 : 4);
    begin_plan(&s, "double");
    fprintf(to, ",\"passes\":[");
    for (unsigned p = 0; p < s.transform.n_passes; p++)
        fprintf(to, "%s[%u,\"%s\"]", p ? "," : "", s.transform.pass[p].radix, kinds[s.transform.pass[p].butterfly]);
    fprintf(to, "]");
    end_plan(&s);
}

/* Plans in double-double on the CPU: full, light and double passes, narrow digits, sums of pieces. */
static void one_dd(void)
{
    static const unsigned odds[] = {1, 1, 3, 5, 7};
    static const char *const kinds[] = {[DD_FULL] = "full", [DD_LIGHT] = "light", [DD_DOUBLE] = "double"};
    struct plan_shape s;
    memset(&s, 0, sizeof s);
    s.field = PLAN_DD;
    s.rule = GFMUL_RULE_NORM;
    s.transform.packing = GFMUL_PACKING_RIGHT_ANGLE;
    s.bound.fma = test_u64() & 1;
    s.digits.narrow = test_u64() & 1;
    s.transform.light_passes = test_below(2) ? 0 : (unsigned)test_below(40);
    s.transform.double_passes = test_below(2) ? 0 : (unsigned)test_below(20);
    plan_shape_points_dd(&s, odds[test_below(5)], DD_LEVELS_MIN + (unsigned)test_below(25));
    random_digits(&s, DD_DIGIT_BITS);
    s.grid.a_cells = s.grid.b_cells = 1 + test_below(2) * test_below(1000);
    begin_plan(&s, "dd");
    fprintf(to, ",\"narrow\":%d,\"passes\":[", s.digits.narrow);
    for (unsigned p = 0; p < s.transform.n_passes; p++)
        fprintf(to, "%s[%u,\"%s\",\"%s\",\"%s\"]", p ? "," : "", s.transform.pass[p].radix,
                p < s.transform.n_column_passes ? "column" : "row", kinds[dd_forward_kind(&s, p)], kinds[dd_inverse_kind(&s, p)]);
    fprintf(to, "],\"products\":%zu", plan_grid_sums(&s));
    double k;
    const double bound = plan_bound_sums(&s, &k);
    result("sums", k, bound);
    end_plan(&s);
}

/* pass_text - a random line of a table for this place, there and back. */
static void pass_text(char *there, char *back, size_t size, const struct device_pass_line *lines, enum device_place place)
{
    unsigned n = 0, i;
    while (lines[n].forward)
        n++;
    do
        i = (unsigned)test_below(n);
    while (lines[i].place != place);
    const char *f = lines[i].forward, *b = lines[i].inverse ? lines[i].inverse : f;
    snprintf(there, size, "%s", f);
    snprintf(back, size, "%s", b);
}

/* Plans of devices: double in all packings, double-double. */
static bool one_device(bool pairs)
{
    static const enum gfmul_packing packings[] = {GFMUL_PACKING_RIGHT_ANGLE, GFMUL_PACKING_TWO_FOR_ONE,
                                                  GFMUL_PACKING_ONE_FOR_HALF};
    static const char *const names[] = {[PLAN_DOUBLE] = "double", [PLAN_DD] = "dd"};
    struct plan_request request = {.rule = GFMUL_RULE_NORM, .base = 2, .an = 64, .bn = 64, .worst_case = true, .fma = true};
    struct plan_shape s;
    char text[192] = "", part[48], back[4][48];
    const unsigned middle = (unsigned)test_below(3);
    request.precision = pairs ? GFMUL_PRECISION_DD : GFMUL_PRECISION_DOUBLE;
    request.full_precision = test_below(3) == 0;
    request.packing = packings[pairs ? 0 : test_below(3)];
    const struct device_pass_line *lines = pairs ? device_pass_lines_dd : device_pass_lines;
    for (unsigned p = 0; p < middle + 2; p++) {
        const enum device_place place = p == 0 ? DEVICE_FIRST : p == middle + 1 ? DEVICE_ROWS : DEVICE_MIDDLE;
        pass_text(part, back[p], sizeof part, lines, place);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", p ? "," : "", part);
    }
    for (unsigned p = middle + 1; p-- > 0;)
        snprintf(text + strlen(text), sizeof text - strlen(text), ",%s", back[p]);
    test_note("%s", text);
    if (plan_device_parse(&s, &request, text, 8, NULL, 0) != GFMUL_OK)
        return false;
    random_digits(&s, pairs ? DEVICE_DD_LIMB_BITS_MAX : DEVICE_LIMB_BITS_MAX);
    begin_plan(&s, "device");
    fprintf(to, ",\"parts\":\"%s\",\"narrow\":%d,\"passes\":[", names[s.field], !request.full_precision);
    for (unsigned way = 0; way < 2; way++) {
        fprintf(to, "%s[", way ? "," : "");
        for (unsigned p = 0; p < s.device.n_passes; p++) {
            const struct device_pass *pass = way ? &s.device.inverse[p] : &s.device.forward[p];
            fprintf(to, "%s[%u", p ? "," : "", pass->direct_stages);
            for (unsigned i = 0; i < pass->n_stages; i++)
                fprintf(to, ",%u", pass->radix[i]);
            fprintf(to, "]");
        }
        fprintf(to, "]");
    }
    fprintf(to, "]");
    end_plan(&s);
    return true;
}

/* script_open - the script, reading what is written to it; NULL where there is no Python. */
static FILE *script_open(void)
{
    const char *srcdir = getenv("SRCDIR");
    char command[4096];
    if (system("python3 -c '' 2>/dev/null") != 0)
        return NULL;
    srcdir = srcdir ? srcdir : ".."; /* run by hand, in a build below the sources */
    snprintf(command, sizeof command, "python3 '%s/tests/bound_document.py' '%s/doc/error-bound.md'", srcdir, srcdir);
    fflush(stdout);
    return popen(command, "w");
}

static void test_plans(void)
{
    const unsigned plans = (unsigned)test_tier(400, 4000, 40000);
    to = script_open();
    if (to == NULL) {
        TEST_SKIP("no python3");
        return;
    }
    for (unsigned t = 0; t < plans; t++)
        one_double(t);
    for (unsigned t = 0; t < plans * 3 / 4; t++)
        one_dd();
    for (unsigned kind = 0; kind < 2; kind++) {
        unsigned made = 0;
        for (unsigned t = 0; made < plans / 4 && t < 100 * plans; t++)
            made += one_device(kind != 0);
        TEST_CHECK_MSG(made == plans / 4, "only %u plans of devices, kind %u", made, kind);
    }
    const int status = pclose(to);
    TEST_CHECK_MSG(status == 0, "bound_document.py: %d; what it prints says why", status);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_plans);
    return test_end();
}
