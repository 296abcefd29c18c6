/* t-spectrum_text.c - spectra from text and to text, against GMP: all bases, sums, remainders, misuse, faults, threads. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <ctype.h>
#include <pthread.h>

#include "above/radix.h"
#include "base/alloc.h"
#include "spaces.h"
#include "text_numbers.h"

/* A number in text as people write it. */
struct written {
    char *text;
    size_t len;
    int base; /* to read it with */
};

/* written_make - x in a base: perhaps with a sign, a prefix, zeros and space around it, capitals, and marks between digits. */
static struct written written_make(mpz_srcptr x, int base)
{
    static const char *const prefix[37] = {[2] = "0b", [8] = "0O", [16] = "0x"};
    char *digits = mpz_get_str(NULL, base, x);
    const size_t n = strlen(digits);
    struct written w = {test_alloc(2 * n + 40), 0, base};
    const bool marks = test_u64() % 4 == 0, capitals = test_u64() % 2, zeros = test_u64() % 4 == 0;
    const char *p = digits;
    if (test_u64() % 4 == 0)
        w.text[w.len++] = ' ';
    if (*p == '-')
        w.text[w.len++] = *p++;
    else if (test_u64() % 4 == 0)
        w.text[w.len++] = '+';
    if (base == 10 && !zeros && test_u64() % 2)
        w.base = 0;
    if (prefix[base] && test_u64() % 2) {
        w.base = test_u64() % 2 ? 0 : base;
        memcpy(w.text + w.len, prefix[base], 2);
        w.len += 2;
    }
    for (unsigned i = 0; zeros && i < 9; i++)
        w.text[w.len++] = '0';
    for (; *p; p++) {
        w.text[w.len++] = (char)(capitals ? toupper((unsigned char)*p) : *p);
        if (marks && p[1] && test_u64() % 8 == 0)
            w.text[w.len++] = "_ \n"[test_below(3)];
    }
    if (test_u64() % 4 == 0)
        w.text[w.len++] = '\n';
    free(digits);
    return w;
}

/* place_from_text - a place becomes a number, from text that ends at memory which cannot be read. */
static void place_from_text(struct place *p, mpz_srcptr x, int base)
{
    const struct written w = written_make(x, base);
    struct guard g = guard_create(w.len, GUARD_AFTER);
    memcpy(g.p, w.text, w.len);
    guard_read_only(&g);
    test_note("%zu characters to be read in base %d", w.len, w.base);
    TEST_OK(gfmul_spectrum_set_str(p->x, g.p, w.len, w.base));
    mpz_set(p->want, x);
    guard_destroy(&g);
    free(w.text);
}

/* prints - a place in text, in just as much room as it needs; with less room it is an error. */
static bool prints(struct machine *m, struct place *p, int base)
{
    char *want = mpz_get_str(NULL, base, p->want);
    const size_t len = strlen(want);
    struct guard g = guard_create(len + 1, test_u64() % 2 ? GUARD_AFTER : GUARD_BEFORE);
    size_t got = 77;
    bool good = TEST_CHECK(len < gfmul_get_str_size(gfmul_space_limbs(m->space), base));
    test_note("%zu characters in base %d", len, base);
    good = TEST_OK(gfmul_spectrum_get_str(p->x, g.p, len + 1, test_u64() % 4 ? &got : NULL, base)) && good;
    good = TEST_CHECK(got == len || got == 77) && test_equal_text(g.p, want, len + 1) && good;
    got = 77;
    good = TEST_CHECK(gfmul_spectrum_get_str(p->x, g.p, test_u64() % 2 ? len : test_below(len + 1), &got, base) ==
                      GFMUL_ERR_ARGUMENT) &&
           good;
    good = TEST_CHECK(got == 77 && guard_intact(&g)) && good;
    guard_destroy(&g);
    free(want);
    return good;
}

static int base_draw(void)
{
    return test_u64() % 2 ? 10 : (int)test_between(2, 36);
}

/* crossover - limbs from which on a number is printed and read by trees of powers. */
static size_t crossover(struct gfmul_ctx *ctx)
{
    static struct call call;
    size_t n = 1;
    call.ctx = ctx;
    while (!radix_pays(&call, n, 10, true) || !radix_pays(&call, n, 10, false))
        n += n / 8 + 1;
    return n;
}

/* ---- numbers and sums ---- */

/* Every base: numbers of a limb, and of more than trees of powers need. */
static void test_bases(void)
{
    struct product_ctx c = space_ctx_create(false, 2);
    const size_t most = crossover(c.ctx) + LONG_LIMBS / 8;
    mpz_t a;
    mpz_init(a);
    for (int base = 2; base <= 36; base++) {
        const size_t sizes[] = {1, 2, test_size(3, most), most};
        for (unsigned i = 0; i < 4; i++) {
            struct machine m = machine_create(c.ctx, sizes[i] + 1, 2);
            number_make(a, sizes[i], base);
            place_from_text(&m.place[0], a, base);
            prints(&m, &m.place[0], base);
            place_check(&m, &m.place[0]);
            prints(&m, &m.place[1], base); /* 0 */
            machine_destroy(&m);
        }
    }
    mpz_clear(a);
    product_ctx_destroy(&c);
}

/* Sums of products of numbers from text, which are printed before they are read otherwise, or after. */
static void sums(bool primes, unsigned threads, size_t tries)
{
    struct product_ctx c = space_ctx_create(primes, threads);
    mpz_t a;
    mpz_init(a);
    for (size_t i = 0; i < tries; i++) {
        const size_t n = i % 4 == 0 ? test_size(1, 50) : test_size(50, LONG_LIMBS / 2);
        struct machine m = machine_create(c.ctx, 2 * n + 1, test_between(1, 4));
        struct place *z = &m.place[0];
        for (unsigned k = 0; k < 4; k++) {
            struct place *x = &m.place[1 + test_below(3)], *y = &m.place[1 + test_below(3)];
            const int base = base_draw();
            number_make(a, test_u64() % 4 ? n - (n > 1) : test_size(1, n), base); /* at most a limb more */
            if (mpz_size(a) <= n)
                place_from_text(&m.place[1 + test_below(3)], a, base);
            TEST_OK((k % 2 ? gfmul_spectrum_submul : gfmul_spectrum_addmul)(z->x, x->x, y->x));
            (k % 2 ? mpz_submul : mpz_addmul)(z->want, x->want, y->want);
        }
        if (test_u64() % 2)
            place_check(&m, z);
        prints(&m, z, base_draw());
        prints(&m, z, base_draw());
        place_check(&m, z);
        machine_destroy(&m);
    }
    mpz_clear(a);
    product_ctx_destroy(&c);
}

static void test_sums(void)
{
    sums(false, 1, test_tier(16, 100, 1000));
    sums(false, 3, test_tier(16, 100, 1000));
    sums(true, 2, test_tier(16, 100, 1000));
}

/* Contexts whose products are made whole and one by one, and GMP's; without a check. */
static void test_other_contexts(void)
{
    static const enum gfmul_engine engine[] = {GFMUL_ENGINE_GMP, GFMUL_ENGINE_CPU, GFMUL_ENGINE_AUTO};
    static const enum gfmul_packing packing[] = {GFMUL_PACKING_AUTO, GFMUL_PACKING_TWO_FOR_ONE, GFMUL_PACKING_AUTO};
    static const enum gfmul_verify verify[] = {GFMUL_VERIFY_MOD, GFMUL_VERIFY_MOD, GFMUL_VERIFY_NONE};
    mpz_t a;
    mpz_init(a);
    for (unsigned i = 0; i < test_tier(6, 60, 600); i++) {
        struct product_ctx c = product_ctx_create(engine[i % 3], 1, packing[i % 3], verify[i % 3]);
        const size_t least = engine[i % 3] == GFMUL_ENGINE_AUTO ? crossover(c.ctx) : 10; /* of GMP there is none */
        struct machine m = machine_create(c.ctx, test_size(least, least + LONG_LIMBS), 2);
        struct place *x = &m.place[0], *z = &m.place[1];
        const int base = base_draw();
        number_make(a, (m.limbs - 2) / 2, base);
        place_from_text(x, a, base);
        TEST_OK(gfmul_spectrum_sqr(z->x, x->x));
        mpz_mul(z->want, a, a);
        TEST_OK(gfmul_spectrum_sub(z->x, x->x, z->x));
        mpz_sub(z->want, a, z->want);
        prints(&m, z, base);
        place_check(&m, z);
        machine_destroy(&m);
        product_ctx_destroy(&c);
    }
    mpz_clear(a);
}

/* ---- remainders ---- */

/* Modulo B^n - 1 and B^n + 1: numbers of any length and sign are read, and least remainders are printed. */
static void rings(bool plus, size_t n)
{
    struct product_ctx c = space_ctx_create(test_u64() % 2, 2);
    if (test_u64() % 2)
        n = (plus ? gfmul_space_bnp1_next_size : gfmul_space_bnm1_next_size)(c.ctx, n, 2);
    struct machine m = {.limbs = n + plus};
    struct place *x = &m.place[0], *y = &m.place[1], *z = &m.place[2];
    mpz_t a, modulus;
    mpz_inits(a, modulus, NULL);
    mpz_setbit(modulus, 64 * n);
    (plus ? mpz_add_ui : mpz_sub_ui)(modulus, modulus, 1);
    test_note("modulo B^%zu %c 1", n, plus ? '+' : '-');
    if (!TEST_OK((plus ? gfmul_space_create_bnp1 : gfmul_space_create_bnm1)(c.ctx, &m.space, n, 2)))
        exit(1);
    for (unsigned i = 0; i < PLACES; i++) {
        TEST_OK(gfmul_spectrum_create(m.space, &m.place[i].x));
        mpz_init(m.place[i].want);
    }
    for (int i = -2; i <= 2; i++) { /* about 0 and the modulus */
        mpz_set_si(a, i);
        place_from_text(x, a, 10);
        mpz_mod(x->want, a, modulus);
        prints(&m, x, base_draw());
        mpz_add(a, a, modulus);
        place_from_text(x, a, 16);
        mpz_mod(x->want, a, modulus);
        prints(&m, x, base_draw());
        place_check(&m, x);
    }
    number_make(a, test_size(1, 3 * n), 10);
    place_from_text(y, a, 10);
    mpz_mod(y->want, a, modulus);
    TEST_OK(gfmul_spectrum_mul(z->x, x->x, y->x));
    TEST_OK(gfmul_spectrum_submul(z->x, y->x, y->x));
    mpz_mul(z->want, x->want, y->want);
    mpz_submul(z->want, y->want, y->want);
    mpz_mod(z->want, z->want, modulus);
    prints(&m, z, base_draw());
    prints(&m, y, 10);
    place_check(&m, z);
    mpz_clears(a, modulus, NULL);
    machine_destroy(&m);
    product_ctx_destroy(&c);
}

static void test_rings(void)
{
    for (unsigned i = 0; i < test_tier(8, 80, 800); i++)
        rings(i % 2, i < 2 ? 1 : test_size(2, i % 4 < 2 ? LONG_LIMBS : 50));
}

/* ---- misuse ---- */

static void test_errors(void)
{
    static const struct {
        const char *text;
        int base;
        enum gfmul_status status;
        size_t offset, line, column;
    } bad[] = {
        {"12x4", 10, GFMUL_ERR_SYNTAX, 2, 1, 3}, {"", 10, GFMUL_ERR_EMPTY, 0, 1, 1},      {" \n ", 0, GFMUL_ERR_EMPTY, 3, 2, 2},
        {"-", 10, GFMUL_ERR_EMPTY, 1, 1, 2},     {"7\n89", 9, GFMUL_ERR_SYNTAX, 3, 2, 2}, {"0x", 0, GFMUL_ERR_SYNTAX, 2, 1, 3},
        {"1-2", 10, GFMUL_ERR_SYNTAX, 1, 1, 2},  {"--1", 10, GFMUL_ERR_SYNTAX, 1, 1, 2},
    };
    static const int no_base[] = {-10, -1, 1, 37, 100};
    struct product_ctx c = space_ctx_create(false, 1);
    struct machine m = machine_create(c.ctx, 10, 2);
    struct place *x = &m.place[0], *z = &m.place[1];
    char text[400];
    size_t len = 77;
    place_draw(&m, x, 4);
    place_draw(&m, z, 9);
    TEST_OK(gfmul_spectrum_submul(z->x, x->x, x->x)); /* a sum stays, too */
    mpz_submul(z->want, x->want, x->want);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        test_note("\"%s\" in base %d", bad[i].text, bad[i].base);
        TEST_CHECK(gfmul_spectrum_set_str(z->x, bad[i].text, strlen(bad[i].text), bad[i].base) == bad[i].status);
        const struct gfmul_report r = last_report(m.space);
        TEST_CHECK(r.status == bad[i].status && r.error_operand == 0 && r.error_reason[0] != '\0');
        TEST_CHECK_MSG(r.error_offset == bad[i].offset && r.error_line == bad[i].line && r.error_column == bad[i].column,
                       "offset %zu, line %zu, column %zu", r.error_offset, r.error_line, r.error_column);
    }
    for (unsigned i = 0; i < sizeof no_base / sizeof *no_base; i++) {
        TEST_CHECK(gfmul_spectrum_set_str(z->x, "1", 1, no_base[i]) == GFMUL_ERR_ARGUMENT);
        TEST_CHECK(gfmul_spectrum_get_str(z->x, text, sizeof text, &len, no_base[i]) == GFMUL_ERR_ARGUMENT);
    }
    TEST_CHECK(gfmul_spectrum_get_str(z->x, text, sizeof text, &len, 0) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_set_str(NULL, "1", 1, 10) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_set_str(z->x, NULL, 1, 10) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_set_str(z->x, NULL, 0, 10) == GFMUL_ERR_EMPTY);
    TEST_CHECK(gfmul_spectrum_get_str(NULL, text, sizeof text, &len, 10) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_get_str(z->x, NULL, sizeof text, &len, 10) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_spectrum_get_str(z->x, text, 0, &len, 10) == GFMUL_ERR_ARGUMENT);
    memset(text, 'f', 161);
    TEST_CHECK(gfmul_spectrum_set_str(z->x, text, 161, 16) == GFMUL_ERR_SIZE);
    TEST_CHECK(strstr(last_report(m.space).detail, "161 digits") != NULL); /* they were not converted */
    TEST_CHECK(len == 77);
    place_check(&m, z);
    TEST_OK(gfmul_spectrum_set_str(x->x, text, 160, 16)); /* B^10 - 1 */
    mpz_set_ui(x->want, 0);
    mpz_setbit(x->want, 640);
    mpz_sub_ui(x->want, x->want, 1);
    prints(&m, x, 2);
    TEST_OK(gfmul_spectrum_set_str(x->x, text, 80, 16));
    TEST_OK(gfmul_spectrum_sqr(z->x, x->x));
    TEST_OK(gfmul_spectrum_addmul(z->x, x->x, x->x)); /* 11 limbs */
    TEST_CHECK(gfmul_spectrum_get_str(z->x, text, sizeof text, &len, 10) == GFMUL_ERR_SIZE && len == 77);
    TEST_OK(gfmul_spectrum_set_str(z->x, " -0 ", 4, 10)); /* there is no -0 */
    mpz_set_ui(z->want, 0);
    prints(&m, z, 10);
    place_check(&m, z);
    machine_destroy(&m);
    product_ctx_destroy(&c);
}

/* ---- faults, memory, threads, callbacks ---- */

/* program - a number from text, its square, which is printed, and the number again.   Returns the first error. */
static enum gfmul_status program(struct place *x, struct place *z, const char *from, char *to, size_t size)
{
    enum gfmul_status status = gfmul_spectrum_set_str(x->x, from, strlen(from), 10);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_sqr(z->x, x->x);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_sub(z->x, x->x, z->x);
    if (status == GFMUL_OK)
        status = gfmul_spectrum_get_str(z->x, to, size, NULL, 10);
    return status;
}

/* Every allocation fails once: MEMORY, the spectrum keeps its value, and what follows is right. */
static void faults(bool primes)
{
    struct product_ctx c = space_ctx_create(primes, 2);
    const size_t n = crossover(c.ctx) + 100, size = gfmul_get_str_size(2 * n + 1, 10);
    char *to = test_alloc(size);
    unsigned failed = 0;
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    number_make(a, n, 10);
    mpz_abs(a, a);
    mpz_setbit(a, 64 * n - 1);
    char *from = mpz_get_str(NULL, 10, a);
    from[strlen(from) / 2] = '_'; /* then the digits are copied */
    enum gfmul_status s = GFMUL_ERR_MEMORY;
    for (long k = 0; s == GFMUL_ERR_MEMORY; k++) {
        struct machine m = machine_create(c.ctx, 2 * n + 1, 2);
        struct place *x = &m.place[0], *z = &m.place[1];
        place_draw(&m, x, n);
        mpz_set(b, x->want);
        gfmul_ctx_trim(c.ctx);
        alloc_fail_after(k);
        s = gfmul_spectrum_set_str(x->x, from, strlen(from), 10);
        alloc_fail_after(-1);
        failed += s != GFMUL_OK;
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d", (int)s);
        if (s != GFMUL_OK)
            place_check(&m, x); /* as before */
        gfmul_ctx_trim(c.ctx);
        alloc_fail_after(k);
        s = program(x, z, from, to, size);
        alloc_fail_after(-1);
        failed += s != GFMUL_OK;
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d", (int)s);
        TEST_OK(program(x, z, from, to, size));
        machine_destroy(&m);
    }
    *strchr(from, '_') = ' '; /* which GMP ignores, too */
    mpz_set_str(a, from, 10);
    mpz_mul(b, a, a);
    mpz_sub(b, a, b);
    mpz_set_str(a, to, 10);
    TEST_CHECK(mpz_cmp(a, b) == 0);
    TEST_CHECK_MSG(failed >= 20, "%u failed", failed);
    mpz_clears(a, b, NULL);
    free(from);
    free(to);
    product_ctx_destroy(&c);
}

static void test_faults(void)
{
    faults(false);
    faults(true);
}

/* Memory limits from too low to enough: what a conversion takes counts, and so does what the space has. */
static void test_limits(void)
{
    enum { LIMBS = 2000 };
    unsigned refused = 0, made = 0;
    char *text = test_alloc(gfmul_get_str_size(LIMBS, 10));
    mpz_t a;
    mpz_init(a);
    number_make(a, LIMBS - 1, 10);
    mpz_abs(a, a);
    mpz_setbit(a, 64 * (LIMBS - 1) - 1);
    char *from = mpz_get_str(NULL, 10, a);
    for (size_t limit = 1 << 12; limit <= (size_t)1 << 26; limit += limit / 4) {
        struct gfmul_ctx *const ctx = ctx_limited(limit, GFMUL_VERIFY_MOD);
        struct gfmul_space *space;
        struct gfmul_spectrum *x = NULL;
        enum gfmul_status s = gfmul_space_create(ctx, &space, LIMBS, 1);
        if (s == GFMUL_OK && TEST_OK(gfmul_spectrum_create(space, &x))) {
            s = gfmul_spectrum_set_str(x, from, strlen(from), 10);
            const size_t bytes = gfmul_space_bytes(space);
            if (s == GFMUL_OK) {
                TEST_CHECK_MSG(bytes >= (LIMBS - 1) * sizeof(mp_limb_t) && bytes <= limit, "%zu bytes of %zu", bytes, limit);
                s = gfmul_spectrum_get_str(x, text, gfmul_get_str_size(LIMBS, 10), NULL, 10);
            }
            if (s == GFMUL_OK)
                test_equal_text(text, from, strlen(from) + 1);
            gfmul_spectrum_destroy(x);
        }
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_MEMORY, "status %d", (int)s);
        refused += s != GFMUL_OK;
        made += s == GFMUL_OK;
        gfmul_space_destroy(space);
        gfmul_ctx_destroy(ctx);
    }
    TEST_CHECK_MSG(refused > 0 && made > 0, "%u refused, %u made", refused, made);
    free(from);
    free(text);
    mpz_clear(a);
}

/* Threads that share a space: all print the same sum, and read numbers of their own. */
struct sharing {
    struct machine *m;
    struct place *sum;
    const char *text, *want; /* the sum's text */
    bool same;
};

static void *share(void *arg)
{
    struct sharing *of = arg;
    const size_t n = of->m->limbs, size = gfmul_get_str_size(n, 10), len = strlen(of->text);
    char *text = malloc(size);
    struct gfmul_spectrum *z;
    of->same = text && gfmul_spectrum_create(of->m->space, &z) == GFMUL_OK;
    for (unsigned i = 0; i < 4 && of->same; i++) {
        size_t got = 0;
        of->same = gfmul_spectrum_get_str(of->sum->x, text, size, &got, 10) == GFMUL_OK && strcmp(text, of->want) == 0 &&
                   got == strlen(of->want) && gfmul_spectrum_set_str(z, of->text, len, 10) == GFMUL_OK &&
                   gfmul_spectrum_get_str(z, text, size, &got, 10) == GFMUL_OK && got == len && memcmp(text, of->text, len) == 0;
    }
    gfmul_spectrum_destroy(of->same ? z : NULL);
    free(text);
    return NULL;
}

static void test_threads(void)
{
    enum { THREADS = 4 };
    mpz_t a[THREADS];
    for (size_t i = 0; i < test_tier(6, 60, 600); i++) {
        struct product_ctx c = space_ctx_create(i % 2, 1);
        struct machine m = machine_create(c.ctx, LONG_LIMBS / 2, 4);
        struct place *x = &m.place[0], *y = &m.place[1], *sum = &m.place[2];
        struct sharing sharing[THREADS];
        char *text[THREADS];
        pthread_t thread[THREADS];
        place_draw(&m, x, m.limbs / 2 - 1);
        place_draw(&m, y, m.limbs / 2 - 1);
        place_draw(&m, sum, m.limbs / 2);
        TEST_OK(gfmul_spectrum_addmul(sum->x, x->x, y->x));
        mpz_addmul(sum->want, x->want, y->want);
        char *want = mpz_get_str(NULL, 10, sum->want);
        for (unsigned t = 0; t < THREADS; t++) {
            mpz_init(a[t]);
            number_make(a[t], m.limbs - 1, 10);
            text[t] = mpz_get_str(NULL, 10, a[t]);
            sharing[t] = (struct sharing){&m, sum, text[t], want, false};
        }
        for (unsigned t = 0; t < THREADS; t++)
            if (!TEST_CHECK(pthread_create(&thread[t], NULL, share, &sharing[t]) == 0))
                exit(1);
        for (unsigned t = 0; t < THREADS; t++) {
            pthread_join(thread[t], NULL);
            TEST_CHECK(sharing[t].same);
            free(text[t]);
            mpz_clear(a[t]);
        }
        place_check(&m, sum);
        free(want);
        machine_destroy(&m);
        product_ctx_destroy(&c);
    }
}

/* A callback that stops a conversion at its n-th call: the spectra keep their values, and the next try is right. */
static void callback(bool primes)
{
    struct stop stop = {.at = 0};
    struct gfmul_ctx *const ctx = ctx_stopped_by(&stop, primes);
    struct machine m = machine_create(ctx, LONG_LIMBS / 4, 4);
    struct place *x = &m.place[0], *y = &m.place[1], *z = &m.place[2];
    const size_t size = gfmul_get_str_size(m.limbs, 10);
    char *text = test_alloc(size);
    unsigned read = 0, printed = 0;
    mpz_t a;
    mpz_init(a);
    for (unsigned at = 1; at < 200; at += 1 + at / 4) {
        stop = (struct stop){.at = 0};
        place_draw(&m, x, m.limbs / 2 - 1);
        place_draw(&m, y, m.limbs / 2 - 1);
        TEST_OK(gfmul_spectrum_mul(z->x, x->x, y->x));
        mpz_mul(z->want, x->want, y->want);
        stop = (struct stop){.at = at};
        enum gfmul_status s = gfmul_spectrum_get_str(z->x, text, size, NULL, 10);
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_INTERRUPTED, "status %d", (int)s);
        TEST_CHECK(!stop.falls && stop.calls > 0);
        printed += s != GFMUL_OK;
        number_make(a, m.limbs - 1, 10);
        char *from = mpz_get_str(NULL, 10, a);
        stop = (struct stop){.at = at};
        s = gfmul_spectrum_set_str(x->x, from, strlen(from), 10);
        TEST_CHECK_MSG(s == GFMUL_OK || s == GFMUL_ERR_INTERRUPTED, "status %d", (int)s);
        TEST_CHECK(!stop.falls && (stop.calls > 0 || strlen(from) < 16));
        read += s != GFMUL_OK;
        if (s == GFMUL_OK)
            mpz_set(x->want, a);
        stop = (struct stop){.at = 0};
        place_check(&m, x);
        prints(&m, z, 10);
        place_check(&m, z);
        free(from);
    }
    TEST_CHECK_MSG(read >= 2 && printed >= 3, "%u were stopped in reading, %u in printing", read, printed);
    mpz_clear(a);
    free(text);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

static void test_callback(void)
{
    callback(false);
    callback(true);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_bases);
    TEST_RUN(test_sums);
    TEST_RUN(test_other_contexts);
    TEST_RUN(test_rings);
    TEST_RUN(test_errors);
    TEST_RUN(test_faults);
    TEST_RUN(test_limits);
    TEST_RUN(test_threads);
    TEST_RUN(test_callback);
    return test_end();
}
