/*
 * t-gen_params.c - the parameters of the generator: values, defaults, consistency, and files of nonsense.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "gen_words.h"

static void test_defaults(void)
{
    struct gen_params p;
    struct gen_text text;
    TEST_CHECK(gen_words(&p, "", &text) == 0 && text.len == 0);
    TEST_CHECK(p.data == 'C' && p.fftdata == 'd' && p.n == 1024 && p.bitrev && p.direction == 'A' && !p.scaling);
    TEST_CHECK(p.algorithm == 'S' && p.twiddle == GEN_TWIDDLE_TABLE && p.kernelnum == 1 && p.kernelsize == 65536);
    TEST_CHECK(p.n_ranges == 1 && p.ranges[0].lo == 0 && p.ranges[0].hi == 1024);
}

static void test_good(void)
{
    static const char *const good[] = {
        "LOGN=3",
        "LOGN=28",
        "N=15 DATA=C",
        "N=268435456",
        "DATA=R",
        "DATA=I LOGN=5",
        "DATA=INT32",
        "DATA=R2",
        "DATA=R2 N=18",
        "DATA=INT64 FFTDATA=dd",
        "DATA=LIMBS INPRECISION=18",
        "FFTDATA=float",
        "BITREV=N",
        "DIRECTION=B",
        "ID=A_9",
        "ID=1",
        "NONEZ=X0",
        "NONEZ=0X0",
        "NONEZ=0,1023",
        "NONEZ=5,5",
        "NONEZ=1024;1023",
        "SCALING=Y",
        "INPRECISION=53",
        "ALGORITHM=T",
        "TWIDDLE=ONFLY",
        "TWIDDLE=a-b.tw",
        "TWIDDLE=tables/a/b.tw",
        "PRODUCTS=3",
        "TABLE=REDUCED",
        "TABLE=PAIR",
        "N=720 TABLE=REDUCED",
        "ID=",
        "NONEZ=",
        "DIM=1024",
        "KERNELWIDTH=16",
        "KERNELSIZE=0",
        "KERNELNUM=0",
        "ID= NONEZ= DIM=1024 KERNELWIDTH=16 KERNELSIZE=0 KERNELNUM=0",
        "DIM=32,32 STRUCTURE=DIMENSIONS",
        "DIM=2,2,2,2,2,2,2,8 STRUCTURE=DIMENSIONS",
        "STRUCTURE=DIMENSIONS STOPLEVEL=9 BITREV=N",
        "STRUCTURE=DIMENSIONS STOPLEVEL=9 DIRECTION=F",
        "KERNELHEIGHT=11",
        "KERNELWIDTH=13",
        "FFTDATA=dd KERNELWIDTH=12",
        "FFTDATA=float KERNELWIDTH=14",
        "N=720 KERNELWIDTH=11",
        "KERNELNUM=65",
        "KERNELNUM=65536",
        "KERNELSIZE=1",
        "KERNELSIZE=4294967295",
        "KERNELHEIGHT=28",
        "KERNELWIDTH=14",
        "KERNELWIDTH=28",
        "KERNELHEIGHT=1",
        "KERNELHEIGHT=2 ALGORITHM=4",
        "KERNELWIDTH=2",
        "INPRECISION=106 FFTDATA=dd",
        "OUTPRECISION=54 FFTDATA=dd",
        "DATA=LIMBS INPRECISION=63 FFTDATA=dd",
        "TWIDDLE=/abs/t",
        "TWIDDLE=./t",
        "TWIDDLE=../t",
        "TWIDDLE=.t",
        "TWIDDLE=a/../t",
        "TWIDDLE=a//t",
        "NONEZ=00000000000000000000000000000000000000000000000000000000000000000000000000000000X00000000000000000",
        "STRUCTURE=DIMENSIONS ALGORITHM=T TWIDDLE=ONFLY",
        "STRUCTURE=RECURSION ALGORITHM=T FFTDATA=dd",
        "USECONSTANTS=Y",
        "DATA=R DIM=16,32 STRUCTURE=DIMENSIONS",
        "N=3000 DIM=30,100",
        "FFTDATA=float KERNELWIDTH=12",
        "DIRECTION=B NONEZ=X0",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct gen_params p;
        struct gen_text text;
        unsigned n = gen_words(&p, good[i], &text);
        TEST_CHECK_MSG(n == 0, "%s: %s", good[i], text.s ? text.s : "");
        gen_text_free(&text);
    }
}

/* Each of these is one problem, and its message names the key. */
static void test_bad(void)
{
    static const char *const bad[] = {
        "DATA=c",
        "DATA=",
        "DATA=CC",
        "DATA=INT",
        "DATA=INT16",
        "DATA=LIMB",
        "DATA=R3",
        "DATA=R2 N=105",
        "DATA=R2 BITREV=N",
        "DATA=R2 DIRECTION=B NONEZ=X0",
        "FFTDATA=half",
        "FFTDATA=quad",
        "LOGN=2",
        "LOGN=29",
        "LOGN=1e1",
        "LOGN=-8",
        "LOGN=99999999999",
        "N=7",
        "N=11",
        "N=22",
        "N=268435457",
        "N=0",
        "BITREV=1",
        "DIRECTION=X",
        "ID=a-b",
        "ID=../x",
        "ID=a23456789012345678901234567890123",
        "NONEZ=0",
        "NONEZ=000",
        "NONEZ=2,1",
        "NONEZ=0,1024",
        "NONEZ=4;4",
        "NONEZ=0;0",
        "NONEZ=1025;0",
        "NONEZ=X1",
        "NONEZ=,",
        "NONEZ=;",
        "NONEZ=1,2,3",
        "SCALING=y",
        "INPRECISION=54",
        "OUTPRECISION=x",
        "ALGORITHM=3",
        "ALGORITHM=s",
        "TWIDDLE=../",
        "TWIDDLE=/",
        "TWIDDLE=..",
        "TWIDDLE=a/..",
        "TWIDDLE=a/-t",
        "TWIDDLE=a/",
        "TWIDDLE=../x/fft_gen.c",
        "TWIDDLE=./Makefile",
        "PRODUCTS=5",
        "TABLE=SOME",
        "TABLE=ALL TWIDDLE=ONFLY",
        "N=315 TABLE=REDUCED",
        "TWIDDLE=",
        "TWIDDLE=a b",
        "TWIDDLE=fft_gen.cl",
        "TWIDDLE=Makefile",
        "DIM=512",
        "DIM=32,16",
        "DIM=1,1024",
        "DIM=32,",
        "DIM=,32",
        "DIM=x",
        "DIM=2,2,2,2,2,2,2,2,4",
        "STRUCTURE=DIMENSIONS BITREV=N STOPLEVEL=10",
        "STOPLEVEL=29",
        "USECONSTANTS=yes",
        "KERNELHEIGHT=1001",
        "KERNELWIDTH=x",
        "KERNELSIZE=4294967296",
        "KERNELNUM=65537",
        "STRUCTURE=both",
        "OUTPRECISION=107",
        "DATA=LIMBS FFTDATA=dd INPRECISION=64",
        "FFTDATA=dd INPRECISION=107",
        /* what no recursion can have */
        "DIM=32,32",
        "ALGORITHM=S BITREV=N STOPLEVEL=2",
        "ALGORITHM=T TWIDDLE=ONFLY",
        "ALGORITHM=4 KERNELHEIGHT=1",
        "ALGORITHM=8 KERNELHEIGHT=2",
        "ALGORITHM=8 KERNELWIDTH=2",
        "KERNELWIDTH=1",
        /* not together */
        "LOGN=10 N=1024",
        "DATA=R N=18",
        "DATA=INT32 N=18",
        "DATA=LIMBS",
        "DATA=INT64 LOGN=8 STRUCTURE=DIMENSIONS DIRECTION=F STOPLEVEL=2",
        "DATA=R2 STRUCTURE=DIMENSIONS DIRECTION=F STOPLEVEL=2",
        "STRUCTURE=DIMENSIONS DIRECTION=F DATA=R STOPLEVEL=2",
        "STRUCTURE=DIMENSIONS BITREV=N DIM=32,32 STOPLEVEL=2",
        "STRUCTURE=DIMENSIONS DIRECTION=F SCALING=Y STOPLEVEL=2",
        "BITREV=N N=48 STOPLEVEL=2",
        "STRUCTURE=DIMENSIONS STOPLEVEL=2 DIRECTION=B",
        "KERNELHEIGHT=5 KERNELWIDTH=4",
        "TWIDDLE=ONFLY USECONSTANTS=Y",
        "DATA=R DIM=32,32",
        "DIRECTION=B BITREV=N NONEZ=X0",
        "DIRECTION=B DATA=R NONEZ=X0",
        "LOGN=10 LOGN=10",
        "NOSUCH=1",
        "nothing",
        "N=48 KERNELHEIGHT=2",
        "N=48 KERNELWIDTH=2",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gen_params p;
        struct gen_text text;
        char key[32];
        unsigned n;
        const char *last = strrchr(bad[i], ' ');
        struct gen_problems problems = {0};
        if (strcmp(bad[i], "TWIDDLE=a b") == 0) {
            gen_params_default(&p);
            gen_params_set(&p, bad[i], strlen(bad[i]), 1, "", &problems);
            gen_params_check(&p, &problems);
            n = problems.count;
            text = problems.text;
            last = NULL;
        } else {
            n = gen_words(&p, bad[i], &text);
        }
        TEST_CHECK_MSG(n == 1, "%s: %u problems: %s", bad[i], n, text.s ? text.s : "");
        snprintf(key, sizeof key, "%.*s", (int)strcspn(bad[i], "="), bad[i]);
        bool named = text.s && strstr(text.s, key);
        if (text.s && last) {
            snprintf(key, sizeof key, "%.*s", (int)strcspn(last + 1, "="), last + 1);
            named = named || strstr(text.s, key);
        }
        TEST_CHECK_MSG(named, "%s: %s", bad[i], text.s ? text.s : "");
        gen_text_free(&text);
    }
}

/* All problems of a run are told, each on its line; what is wrong does not replace what was right. */
static void test_all_problems(void)
{
    struct gen_params p;
    struct gen_text text;
    TEST_CHECK(gen_words(&p, "LOGN=12 ALGORITHM=Q KERNELNUM=x BITREV=N STOPLEVEL=20 STRUCTURE=DIMENSIONS DIM=4,4 UNKNOWN=3",
                         &text) == 5);
    size_t lines = 0;
    for (const char *s = text.s; s && *s; s++)
        lines += *s == '\n';
    TEST_CHECK(lines == 5 && p.n == 4096 && p.algorithm == 'S');
    TEST_CHECK(text.s && strstr(text.s, "ALGORITHM=Q: allowed: 2, 4, 8, S, C or T\n"));
    gen_text_free(&text);
}

/* A later source overrides an earlier one, also LOGN against N. */
static void test_sources(void)
{
    static const char file[] = "# a transform\nLOGN = 12   # points\r\n\n  ALGORITHM=T\nDATA=R";
    struct gen_params p;
    struct gen_problems problems = {0};
    gen_params_default(&p);
    gen_params_file(&p, file, sizeof file - 1, 1, "f", &problems);
    TEST_CHECK(problems.count == 0 && p.n == 4096 && p.algorithm == 'T' && p.data == 'R');
    gen_params_set(&p, "N=48", 4, 2, "", &problems);
    gen_params_set(&p, "ALGORITHM=2", 11, 2, "", &problems);
    gen_params_check(&p, &problems);
    TEST_CHECK(problems.count == 0 && p.n == 48 && p.logn == 0 && p.algorithm == '2');
    gen_params_file(&p, "X\nLOGN=1", 8, 3, "f", &problems);
    TEST_CHECK(problems.count == 2 && strstr(problems.text.s, "f:1: ") && strstr(problems.text.s, "f:2: LOGN=1:"));
    gen_text_free(&problems.text);
}

/* What is printed can be read again, and means the same. */
static void test_print(void)
{
    struct gen_params p, q;
    struct gen_text text, out = {0}, again = {0};
    struct gen_problems problems = {0};
    TEST_CHECK(
        gen_words(&p, "N=480 DATA=I TWIDDLE=t.bin NONEZ=3;1 DIM=12,20 KERNELNUM=3 ID=zz ALGORITHM=C FFTDATA=float", &text) == 0);
    gen_params_print(&p, "", &out);
    gen_params_default(&q);
    gen_params_file(&q, out.s, out.len, 1, "f", &problems);
    gen_params_check(&q, &problems);
    gen_params_print(&q, "", &again);
    TEST_CHECK(problems.count == 0 && strcmp(out.s, again.s) == 0);
    TEST_CHECK(q.n_ranges == 1 && q.ranges[0].lo == 160 && q.ranges[0].hi == 320 && q.n_dims == 2 && q.dims[1] == 20);
    gen_text_free(&out);
    gen_text_free(&again);
    TEST_CHECK(gen_params_help("NONEZ", &out) && strstr(out.s, "parts;i") && !gen_params_help("nonez", &out));
    gen_text_free(&out);
    TEST_CHECK(gen_params_help(NULL, &out));
    for (const char *s = "DATA FFTDATA LOGN N BITREV DIRECTION ID NONEZ SCALING INPRECISION OUTPRECISION ALGORITHM TWIDDLE TABLE "
                         "PRODUCTS DIM "
                         "STOPLEVEL USECONSTANTS KERNELHEIGHT KERNELWIDTH KERNELSIZE KERNELNUM ";
         *s; s += strcspn(s, " ") + 1) {
        char key[32];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(s, " "), s);
        TEST_CHECK(strstr(out.s, key) && gen_params_help(key, &out));
    }
    gen_text_free(&out);
}

/* The published defaults: the first of each of the document's values. */
static void test_published(void)
{
    struct gen_params p, ours;
    struct gen_problems problems = {0};
    gen_params_default(&ours);
    gen_params_published(&p);
    TEST_CHECK(p.data == 'C' && p.fftdata == 'f' && p.bitrev && p.direction == 'A' && strcmp(p.nonez_text, "X") == 0 &&
               p.scaling);
    TEST_CHECK(p.inprecision == 0 && p.outprecision == 0 && p.algorithm == '2' && p.twiddle == GEN_TWIDDLE_TABLE);
    TEST_CHECK(p.stoplevel == 0 && p.useconstants && p.kernelheight == 6 && p.kernelwidth == 16);
    TEST_CHECK(ours.algorithm == 'S' && ours.kernelheight == 0 && ours.kernelwidth == 0 && !ours.scaling);
    gen_params_check(&p, &problems);
    TEST_CHECK(problems.count == 0);
    gen_text_free(&problems.text);
}

/* Patterns of any length: the runs that they stand for, and the same text again. */
static void test_patterns(void)
{
    static char words[70000];
    for (int i = 0; i < 200; i++) {
        const size_t len = test_between(1, i % 10 == 0 ? 60000 : 300), lone = test_below(len);
        const bool single = i % 2;
        struct gen_params p;
        struct gen_text text, out = {0};
        size_t at = (size_t)snprintf(words, sizeof words, "LOGN=18 NONEZ=");
        for (size_t k = 0; k < len; k++)
            words[at + k] = k == lone || (!single && test_below(100) == 0) ? 'X' : '0';
        words[at + len] = '\0';
        test_note("%s pattern of %zu characters", single ? "a lone X in a" : "a", len);
        if (!TEST_CHECK(gen_words(&p, words, &text) == 0))
            continue;
        size_t n_runs = 0;
        for (size_t k = 0; k < len; k++)
            n_runs += words[at + k] == 'X' && (k == 0 || words[at + k - 1] == '0');
        for (size_t k = 0; k < len; k++) { /* all that an X stands for is there, and little else */
            const uint32_t lo = (uint32_t)(k * (uint64_t)p.n / len), hi = (uint32_t)(((k + 1) * (uint64_t)p.n + len - 1) / len);
            bool inside = false, touched = false;
            for (int r = 0; r < p.n_ranges; r++) {
                inside = inside || (p.ranges[r].lo <= lo && p.ranges[r].hi >= hi);
                touched = touched || (p.ranges[r].lo < hi - 1 && p.ranges[r].hi > lo + 1);
            }
            if (!TEST_CHECK(words[at + k] == 'X' ? inside : !touched || n_runs > GEN_MAX_RANGES))
                break;
        }
        gen_params_print(&p, "", &out);
        const char *said = strstr(out.s, "NONEZ=");
        TEST_CHECK(n_runs > GEN_MAX_RANGES || (said && strncmp(said + 6, words + at, len) == 0 && said[6 + len] == '\n'));
        gen_text_free(&out);
    }
}

/* Files of nonsense: pieces that make sense, broken at random.  What passes the check is within its limits. */
static void test_fuzz(void)
{
    static const char *const pieces[] = {
        "DATA",
        "FFTDATA",
        "LOGN",
        "N",
        "BITREV",
        "DIRECTION",
        "ID",
        "NONEZ",
        "SCALING",
        "INPRECISION",
        "OUTPRECISION",
        "ALGORITHM",
        "TWIDDLE",
        "DIM",
        "STOPLEVEL",
        "USECONSTANTS",
        "KERNELHEIGHT",
        "KERNELWIDTH",
        "KERNELSIZE",
        "KERNELNUM",
        "=",
        "=",
        "=",
        "\n",
        "\n",
        "Y",
        "N",
        "C",
        "R",
        "I",
        "float",
        "double",
        "dd",
        "A",
        "F",
        "B",
        "X0",
        "0X0",
        "0,7",
        "8;3",
        "YES",
        "ONFLY",
        "x.tw",
        "0",
        "1",
        "3",
        "7",
        "8",
        "12",
        "16",
        "30",
        "48",
        "1024",
        "32,32",
        "4294967296",
        "-1",
        "../../x",
        "#",
        " ",
        "\t",
        "\r",
        ",",
    };
    size_t n = test_longest_tier() ? 2000000 : 150000, valid = 0;
    for (size_t i = 0; i < n; i++) {
        char text[512];
        size_t len = 0, n_pieces = test_below(30);
        int shape = (int)test_below(3);
        if (shape == 0) {
            for (size_t k = 0; k < n_pieces; k++)
                len += (size_t)snprintf(text + len, 13, "%s", pieces[test_below(sizeof pieces / sizeof *pieces)]);
        } else if (shape == 1) {
            for (size_t k = 0; k < n_pieces / 8 + 1; k++) /* lines that are well formed */
                len += (size_t)snprintf(text + len, 60, "%.12s=%.12s\n", pieces[test_below(20)], pieces[25 + test_below(31)]);
        } else {
            len = test_below(256);
            for (size_t k = 0; k < len; k++)
                text[k] = (char)test_u64();
        }
        for (size_t k = 0; k < test_below(4) && len > 0; k++)
            if (shape != 1)
                text[test_below(len)] = (char)test_u64();
        char *exact = malloc(len + 1); /* a sanitizer sees a byte read beyond the end */
        memcpy(exact, text, len);
        struct gen_params p;
        struct gen_problems problems = {0};
        gen_params_default(&p);
        gen_params_file(&p, exact, len, 1, "fuzz", &problems);
        gen_params_check(&p, &problems);
        bool ok = (problems.count == 0) == (problems.text.len == 0);
        if (problems.count == 0) {
            valid++;
            ok = ok && p.n >= 8 && p.n <= UINT32_C(1) << GEN_MAX_LOGN && p.n_ranges >= 1 && p.n_ranges <= GEN_MAX_RANGES;
            for (int k = 0; k < p.n_ranges && k < GEN_MAX_RANGES; k++)
                ok = ok && p.ranges[k].lo < p.ranges[k].hi && p.ranges[k].hi <= p.n &&
                     (k == 0 || p.ranges[k - 1].hi < p.ranges[k].lo);
            ok = ok && p.id[0] && strspn(p.id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == strlen(p.id);
            const size_t path = strlen(p.twiddle_file);
            ok =
                ok && !strstr(p.twiddle_file, "/-") && p.twiddle_file[0] != '-' && (path == 0 || p.twiddle_file[path - 1] != '/');
        }
        if (!TEST_CHECK(ok)) {
            test_failed(__FILE__, __LINE__, "%.*s", (int)len, text);
        }
        free(exact);
        gen_text_free(&problems.text);
    }
    TEST_CHECK_MSG(valid > n / 200 && valid < n, "%zu of %zu are valid", valid, n);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_defaults);
    TEST_RUN(test_good);
    TEST_RUN(test_bad);
    TEST_RUN(test_all_problems);
    TEST_RUN(test_sources);
    TEST_RUN(test_print);
    TEST_RUN(test_published);
    TEST_RUN(test_patterns);
    TEST_RUN(test_fuzz);
    return test_end();
}
