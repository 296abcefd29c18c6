/*
 * t-locale.c - a program's locale, with a decimal comma, changes no number in what the library writes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <locale.h>

#include "gen_words.h"
#include "gen/analyze.h"
#include "gen/emit.h"

/* comma_locale - set a locale with a decimal comma: one that is there, or one made in dir by localedef(1); false: none. */
static bool comma_locale(const char *dir)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "es_ES.UTF-8", "ru_RU.UTF-8", "tr_TR.UTF-8"};
    char command[512];
    for (int made = 0; made < 2; made++) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (setlocale(LC_ALL, names[i]) && strcmp(localeconv()->decimal_point, ",") == 0)
                return true;
        }
        snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", dir);
        if (made == 0 && (system(command) != 0 || setenv("LOCPATH", dir, 1) != 0))
            return false;
    }
    return false;
}

/* texts - all that has numbers: the plan of a product, and transforms of several types with their constants. */
static void texts(struct gen_text *all)
{
    static const char *const words[] = {"LOGN=10", "N=1000 SCALING=Y", "LOGN=12 ALGORITHM=S FFTDATA=double TWIDDLE=ONFLY",
                                        "N=720 FFTDATA=dd SCALING=Y USECONSTANTS=Y"};
    struct gfmul_plan_info info;
    char plan[4096];
    if (TEST_CHECK(gfmul_plan_limbs(NULL, &info, 1000003, 1000003) == GFMUL_OK)) {
        gfmul_plan_print(&info, plan, sizeof plan);
        gen_printf(all, "%s", plan);
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct gen_params p;
        struct gen_launches l;
        struct gen_text problems;
        const bool ok = gen_words(&p, words[i], &problems) == 0;
        gen_text_free(&problems);
        test_note("%s", words[i]);
        if (TEST_CHECK(ok)) {
            gen_launches_find(&p, &l);
            TEST_CHECK(gen_emit_opencl(&p, &l, all) == GFMUL_OK);
            gen_emit_source(&p, &l, all);
        }
    }
}

static void test_decimal_comma(void)
{
    char dir[] = "/tmp/gfmul-locale-XXXXXX", command[64], printed[8];
    struct gen_text with_point = {0}, with_comma = {0};

    setlocale(LC_ALL, "C");
    texts(&with_point);
    if (!mkdtemp(dir)) {
        TEST_SKIP("no folder in /tmp");
    } else if (!comma_locale(dir)) {
        TEST_SKIP("no locale with a decimal comma, nor a way to make one");
    } else {
        texts(&with_comma);
        TEST_CHECK(with_point.len > 1000 && with_point.len == with_comma.len && !with_point.failed && !with_comma.failed &&
                   memcmp(with_point.s, with_comma.s, with_point.len) == 0);
        snprintf(printed, sizeof printed, "%.1f", 1.5);
        TEST_CHECK_MSG(strcmp(printed, "1,5") == 0, "the program's own locale is gone: %s", printed);
    }
    setlocale(LC_ALL, "C");
    snprintf(command, sizeof command, "rm -rf %s", dir);
    TEST_CHECK(system(command) == 0);
    gen_text_free(&with_point);
    gen_text_free(&with_comma);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_decimal_comma);
    return test_end();
}
