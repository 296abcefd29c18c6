/*
 * b-text.c - products of numbers in text, text to text in memory: gfmul against GMP and libmpdec.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * gfmul multiplies in a context that has done the same product before; gfmul-cold makes its context within the time, and so
 * pays for the plan, the tables and the memory, as a program does that multiplies once.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { OPT_BASE = BENCH_OPT_OWN, OPT_MPDEC };

static struct {
    struct size_options range;
    int base;
    const char *mpdec;
} wish = {.range = {.from = 1000, .to = 1000000, .per_decade = 1, .balance_a = 1, .balance_b = 1}, .base = 10};

static const struct option own_options[] = {
    BENCH_SIZE_OPTIONS,
    {"base", required_argument, NULL, OPT_BASE},
    {"mpdec", required_argument, NULL, OPT_MPDEC},
    {NULL, 0, NULL, 0},
};

static const char usage[] = "Usage: b-text [OPTION]...\n"
                            "Time products of numbers in text, from text to text.  Every product is compared with GMP's.\n"
                            "\n"
                            "      --from N           digits of the longer operand, from N (default 1e3)\n"
                            "      --to N             to N (default 1e6)\n"
                            "      --per-decade X     X sizes for each factor 10 (default 1)\n"
                            "      --sizes LIST       these sizes instead: 1e3,1e4,1e5\n"
                            "      --balance A:B      the operands' sizes are as A to B (default 1:1)\n"
                            "      --base BASE        2..36 (default 10)\n"
                            "      --mpdec PATH       libmpdec.so, adds the contestant mpdec (base 10 alone)\n";

static void option_take(int value, const char *arg)
{
    switch (value) {
    case OPT_BASE:
        wish.base = (int)real_parse("base", arg, 2, 36);
        break;
    case OPT_MPDEC:
        wish.mpdec = arg;
        break;
    default:
        size_options_take(&wish.range, value, arg);
        break;
    }
}

/* One product: texts with a NUL at their end, room for the product. */
static struct {
    char *a, *b, *z;
    size_t an, bn, z_size;
    const struct bench_settings *settings;
    struct gfmul_ctx *warm;
} work;

/* --- contestants --- */

static bool run_gmp(void *arg, size_t calls)
{
    (void)arg;
    for (size_t i = 0; i < calls; i++) {
        mpz_t a, b;
        bool bad = mpz_init_set_str(a, work.a, wish.base) != 0;
        bad |= mpz_init_set_str(b, work.b, wish.base) != 0;
        mpz_mul(a, a, b);
        mpz_get_str(work.z, wish.base, a);
        mpz_clears(a, b, NULL);
        if (bad)
            bench_fail("GMP does not take the operands");
    }
    return true;
}

static void multiply(struct gfmul_ctx *ctx)
{
    enum gfmul_status status =
        gfmul_str_mul(ctx, work.z, work.z_size, NULL, wish.base, work.a, work.an, wish.base, work.b, work.bn, wish.base);
    if (status == GFMUL_OK)
        return;
    struct gfmul_report report;
    gfmul_ctx_report(ctx, &report);
    bench_fail("gfmul, %zu by %zu digits: %s%s%s", work.an, work.bn, gfmul_strerror(status), *report.detail ? ": " : "",
               report.detail);
}

static bool run_warm(void *arg, size_t calls)
{
    (void)arg;
    for (size_t i = 0; i < calls; i++)
        multiply(work.warm);
    return true;
}

static bool run_cold(void *arg, size_t calls)
{
    (void)arg;
    for (size_t i = 0; i < calls; i++) {
        struct gfmul_ctx *ctx = context_make(&work.settings->library, NULL);
        multiply(ctx);
        gfmul_ctx_destroy(ctx);
    }
    return true;
}

/* What is used of libmpdec, whose header need not be there.  Its context has less than 64 bytes. */
static struct {
    uint64_t context[16];
    void (*maxcontext)(void *context);
    void *(*new_decimal)(void *context);
    void (*set_string)(void *decimal, const char *text, void *context);
    void (*mul)(void *z, const void *a, const void *b, void *context);
    char *(*to_sci)(const void *decimal, int capitals);
    void (*del)(void *decimal);
    void (**release)(void *);
} mpdec;

static void mpdec_open(const char *path)
{
    void *library = library_open(path);
    const char *(*version)(void);
    symbol_get(library, path, "mpd_version", &version);
    symbol_get(library, path, "mpd_maxcontext", &mpdec.maxcontext);
    symbol_get(library, path, "mpd_new", &mpdec.new_decimal);
    symbol_get(library, path, "mpd_set_string", &mpdec.set_string);
    symbol_get(library, path, "mpd_mul", &mpdec.mul);
    symbol_get(library, path, "mpd_to_sci", &mpdec.to_sci);
    symbol_get(library, path, "mpd_del", &mpdec.del);
    symbol_get(library, path, "mpd_free", &mpdec.release); /* a variable that holds a function */
    mpdec.maxcontext(mpdec.context);
    printf("# libmpdec: %s\n", version());
}

static bool run_mpdec(void *arg, size_t calls)
{
    (void)arg;
    for (size_t i = 0; i < calls; i++) {
        void *a = mpdec.new_decimal(mpdec.context), *b = mpdec.new_decimal(mpdec.context);
        mpdec.set_string(a, work.a, mpdec.context);
        mpdec.set_string(b, work.b, mpdec.context);
        mpdec.mul(a, a, b, mpdec.context);
        char *text = mpdec.to_sci(a, 1);
        if (!text)
            bench_fail("libmpdec: out of memory");
        snprintf(work.z, work.z_size, "%s", text);
        (*mpdec.release)(text);
        mpdec.del(b);
        mpdec.del(a);
    }
    return true;
}

/* --- sizes --- */

/* text_make - n random digits, the first one not 0, and a NUL. */
static char *text_make(const struct bench_settings *s, size_t n, unsigned index)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    mp_limb_t *random = operand_make(s, n / 8 + 1, index);
    const unsigned char *bytes = (const unsigned char *)random;
    const unsigned base = (unsigned)wish.base;
    char *text = bench_alloc(n + 1, 1);
    /* the slight bias of a remainder does not matter here */
    for (size_t i = 0; i < n; i++)
        text[i] = digits[i ? bytes[i] % base : 1 + bytes[i] % (base - 1)];
    free(random);
    return text;
}

static void row_print(const struct contestant *c)
{
    struct gfmul_report report;
    const struct gfmul_plan_info *plan = &report.plan;

    printf("%zu\t%zu\t%s\t%.1f\t%.1f\t%.5f\t%zu", work.an, work.bn, c->name, c->median_ns, c->min_ns, c->ratio, c->rounds);
    gfmul_ctx_report(work.warm, &report);
    if (c->run == run_gmp || c->run == run_mpdec)
        printf("\t-\t-\t-\t-\t-\n");
    else if (!plan->n_points)
        printf("\t%s\t-\t-\t-\t-\n", plan->engine);
    else
        printf("\t%s%s%s\t%u^%u\t%zu\t%.3g\t%.3g\n", plan->engine, *plan->isa ? "/" : "", plan->isa, plan->base, plan->exponent,
               plan->n_points, plan->bound, report.max_error);
    fflush(stdout);
}

static void size_measure(const struct bench_settings *s, size_t n)
{
    struct contestant c[4] = {
        {.name = "gmp", .run = run_gmp},
        {.name = "gfmul", .run = run_warm},
        {.name = "gfmul-cold", .run = run_cold},
        {.name = "mpdec", .run = run_mpdec},
    };
    const size_t count = wish.mpdec ? 4 : 3;

    size_options_pair(&wish.range, n, &work.an, &work.bn);
    work.z_size = gfmul_str_mul_size(work.an, wish.base, work.bn, wish.base, wish.base);
    if (work.z_size < work.an + work.bn + 2)
        work.z_size = work.an + work.bn + 2; /* what mpz_get_str asks for */
    work.a = text_make(s, work.an, 0);
    work.b = text_make(s, work.bn, 1);
    work.z = bench_alloc(work.z_size, 1);
    work.warm = context_make(&s->library, NULL);
    char *reference = bench_alloc(work.z_size, 1);

    run_gmp(NULL, 1);
    strcpy(reference, work.z);
    for (unsigned pass = 0; pass < 2; pass++) { /* before and after the measurement */
        for (size_t i = 1; i < count; i++) {
            memset(work.z, 'z', work.z_size);
            c[i].run(NULL, 1);
            if (strncmp(work.z, reference, work.z_size) != 0)
                bench_fail("%s, %zu by %zu digits: the product differs from GMP's", c[i].name, work.an, work.bn);
        }
        if (pass == 0)
            bench_measure(c, count, s, s->seconds, s->rounds);
    }
    for (size_t i = 0; i < count; i++)
        row_print(&c[i]);
    contestants_free(c, count);
    gfmul_ctx_destroy(work.warm);
    free(reference);
    free(work.z);
    free(work.b);
    free(work.a);
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {
        .name = "b-text", .usage = usage, .own = own_options, .take = option_take, .seconds = 1, .rounds = 7};
    struct bench_settings s;

    bench_options_parse(&s, &program, argc, argv);
    if (wish.mpdec && wish.base != 10)
        usage_fail("libmpdec knows base 10 alone");
    if (s.operands != BENCH_OPERANDS_RANDOM)
        usage_fail("text is random");
    size_options_finish(&wish.range);

    work.settings = &s;
    provenance_print(&s, argc, argv);
    if (wish.mpdec)
        mpdec_open(wish.mpdec);
    printf("# what: numbers of an and bn digits in base %d, text to text; ns of one call; ratio: median of time / GMP's time in "
           "the\n"
           "# same round; gmp is mpz_set_str, mpz_mul, mpz_get_str; gfmul-cold makes a context for each product\n"
           "an\tbn\tcontestant\tmedian_ns\tmin_ns\tratio_to_gmp\trounds\tplan\tdigit_base\tpoints\tbound\tmax_error\n",
           wish.base);
    for (size_t i = 0; i < wish.range.sizes.count; i++)
        size_measure(&s, wish.range.sizes.n[i]);
    free(wish.range.sizes.n);
    return fclose(stdout) == 0 ? 0 : 1;
}
