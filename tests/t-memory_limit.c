/*
 * t-memory_limit.c - with more memory allowed a call that succeeded goes on to succeed, whatever it holds besides its plan; what
 * a context keeps, between calls and between the steps of one, is bounded.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <inttypes.h>
#include <sys/resource.h>
#include <time.h>

#include "base/alloc.h"
#include "gfmul_arith.h"
#include "gfmul_fft.h"
#include "mul/ctx.h"
#include "products.h"

enum { LIMBS = 100000, DIGITS = 1000000, LINE = 80, STEPS = 48 };

/* A call to be made under a limit. */
struct work {
    const char *name;
    enum gfmul_status (*call)(struct gfmul_ctx *ctx, const struct work *w);
    mpz_t a, b;
    char *x, *y, *product;
    size_t xn, yn, room;
    int base, z_base; /* z_base 0: a's */
};

static enum gfmul_status by_integers(struct gfmul_ctx *ctx, const struct work *w)
{
    mpz_t z;
    mpz_init(z);
    const enum gfmul_status status = gfmul_mpz_mul(ctx, z, w->a, w->b);
    mpz_clear(z);
    return status;
}

static enum gfmul_status by_text(struct gfmul_ctx *ctx, const struct work *w)
{
    return gfmul_str_mul(ctx, w->product, w->room, NULL, w->z_base, w->x, w->xn, w->base, w->y, w->yn, w->base);
}

static enum gfmul_status status_under(const struct work *w, size_t limit)
{
    struct gfmul_ctx *ctx = ctx_limited(limit, GFMUL_VERIFY_MOD);
    const enum gfmul_status status = w->call(ctx, w);
    gfmul_ctx_destroy(ctx);
    return status;
}

/* least_limit - the least limit that will do, but for most / 512; 0: not even `most` will. */
static size_t least_limit(const struct work *w, size_t most)
{
    size_t low = 0, high = most;
    test_note("%s, limit %zu", w->name, most);
    if (!TEST_OK(status_under(w, most)))
        return 0;
    while (high - low > most / 512) {
        const size_t limit = low + (high - low) / 2;
        const enum gfmul_status status = status_under(w, limit);
        test_note("%s, limit %zu", w->name, limit);
        TEST_CHECK_MSG(status == GFMUL_OK || status == GFMUL_ERR_MEMORY, "status %d", status);
        *(status == GFMUL_OK ? &high : &low) = limit;
    }
    TEST_CHECK_MSG(high > most / 64, "%zu bytes are too few for any plan", high);
    return high;
}

/* From the least limit that will do to twice that of any plan; returns the least. */
static size_t sweep(const struct work *w, size_t most)
{
    const size_t least = least_limit(w, most);
    for (unsigned i = 0; i <= STEPS && least > 0; i++) {
        const size_t limit = least + (most - least) / STEPS * i;
        test_note("%s, limit %zu, the least %zu", w->name, limit, least);
        TEST_OK(status_under(w, limit));
    }
    return least;
}

static void test_integers(void)
{
    struct work w = {.name = "integers", .call = by_integers};
    mpz_inits(w.a, w.b, NULL);
    operand_fill(mpz_limbs_write(w.a, LIMBS), LIMBS, OPERAND_TOP_BIT, 13, test_u64());
    mpz_limbs_finish(w.a, LIMBS);
    operand_fill(mpz_limbs_write(w.b, LIMBS - 7), LIMBS - 7, OPERAND_TOP_BIT, 13, test_u64());
    mpz_limbs_finish(w.b, LIMBS - 7);
    sweep(&w, (size_t)LIMBS * 64 * 6);
    mpz_clears(w.a, w.b, NULL);
}

/* text_in_lines - digits in lines of LINE, which text_scan has to copy; returns its length. */
static size_t text_in_lines(char *x, unsigned base)
{
    char *digits = test_alloc(DIGITS);
    size_t n = 0;
    text_fill(digits, DIGITS, TEXT_RANDOM, base, 1, test_u64());
    for (size_t i = 0; i < DIGITS; i++) {
        x[n++] = digits[i];
        if (i % LINE == LINE - 1)
            x[n++] = '\n';
    }
    free(digits);
    return n;
}

static void test_text(void)
{
    static const int bases[] = {10, 16};
    struct work w = {.call = by_text, .room = 2 * DIGITS + 2};
    w.x = test_alloc(DIGITS + DIGITS / LINE + 1);
    w.y = test_alloc(DIGITS + DIGITS / LINE + 1);
    w.product = test_alloc(w.room);
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        w.base = bases[i];
        w.name = w.base == 10 ? "decimal text" : "hexadecimal text";
        w.xn = text_in_lines(w.x, (unsigned)w.base);
        w.yn = text_in_lines(w.y, (unsigned)w.base);
        const size_t most = (size_t)DIGITS * 64, lines = sweep(&w, most);
        text_fill(w.x, w.xn = DIGITS, TEXT_RANDOM, (unsigned)w.base, 1, test_u64());
        text_fill(w.y, w.yn = DIGITS, TEXT_RANDOM, (unsigned)w.base, 1, test_u64());
        const size_t plain = least_limit(&w, most);
        TEST_CHECK_MSG(lines + most / 512 >= plain + 2 * DIGITS, "%zu bytes in lines, %zu without", lines, plain);
    }
    free(w.x);
    free(w.y);
    free(w.product);
}

/* What is copied before anything is planned counts, too. */
static void test_lines_alone(void)
{
    struct work w = {.call = by_text, .room = 2 * DIGITS + 2, .base = 10, .name = "lines"};
    static char zero[] = "0";
    w.x = test_alloc(DIGITS + DIGITS / LINE + 1);
    w.product = test_alloc(w.room);
    w.xn = text_in_lines(w.x, 10);
    w.y = zero;
    w.yn = 1;
    TEST_CHECK(status_under(&w, DIGITS / 2) == GFMUL_ERR_MEMORY);
    TEST_CHECK(status_under(&w, DIGITS * 2) == GFMUL_OK);
    free(w.x);
    free(w.product);
}

/* So does what a conversion takes on the way: as many bytes as there are digits, and as many as there are limbs. */
static void test_conversions(void)
{
    struct work w = {.call = by_text, .name = "decimal to hexadecimal", .room = 2 * DIGITS, .base = 10, .z_base = 16};
    static char seven[] = "7";
    w.x = test_alloc(DIGITS);
    w.xn = DIGITS;
    w.y = seven;
    w.yn = 1;
    w.product = test_alloc(w.room);
    text_fill(w.x, DIGITS, TEXT_RANDOM, 10, 1, test_u64());
    TEST_CHECK(status_under(&w, DIGITS) == GFMUL_ERR_MEMORY); /* limbs: 0.42 bytes a digit, and again for the product */
    TEST_CHECK(status_under(&w, 2 * DIGITS) == GFMUL_OK);
    w.name = "hexadecimal to decimal";
    w.base = 16;
    w.z_base = 10;
    TEST_CHECK(status_under(&w, DIGITS / 4 * 5) == GFMUL_ERR_MEMORY); /* 0.5 bytes a digit */
    TEST_CHECK(status_under(&w, 2 * DIGITS) == GFMUL_OK);
    free(w.x);
    free(w.product);
}

/* A product that GMP repeats: what both take is known before the work, which is then not in vain. */
static void test_checked_by_gmp(void)
{
    static const struct {
        int base, z_base;
        size_t yn;
    } cases[] = {{10, 10, 200}, {10, 10, 200000}, {16, 16, 1000}, {16, 16, 200000}, {10, 16, 50000}, {2, 10, 50000}};
    enum { XN = 200000, ROOM = 3 * XN };
    char *x = test_alloc(XN), *y = test_alloc(XN), *z = test_alloc(ROOM);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int base = cases[i].base;
        unsigned refused = 0, made = 0;
        text_fill(x, XN, TEXT_RANDOM, (unsigned)base, 1, test_u64());
        text_fill(y, cases[i].yn, TEXT_RANDOM, (unsigned)base, 1, test_u64());
        for (size_t limit = XN / 16; limit <= 64 * (size_t)XN; limit += limit / 4) {
            struct gfmul_ctx *ctx = ctx_limited(limit, GFMUL_VERIFY_GMP);
            struct gfmul_report report;
            const enum gfmul_status status =
                gfmul_str_mul(ctx, z, ROOM, NULL, cases[i].z_base, x, XN, base, y, cases[i].yn, base);
            gfmul_ctx_report(ctx, &report);
            test_note("base %d to %d, %d by %zu digits, limit %zu", base, cases[i].z_base, XN, cases[i].yn, limit);
            TEST_CHECK_MSG(status == GFMUL_OK || (status == GFMUL_ERR_MEMORY && report.transform_ns == 0),
                           "status %d after %" PRIu64 " ns of transforms", status, report.transform_ns);
            refused += status == GFMUL_ERR_MEMORY;
            made += status == GFMUL_OK;
            gfmul_ctx_destroy(ctx);
        }
        TEST_CHECK_MSG(refused > 0 && made > 0, "%u refused, %u made", refused, made);
    }
    free(x);
    free(y);
    free(z);
}

/* Without a limit, what this machine has is one, but for room for the operands and the product. */
static void test_machine(void)
{
    const size_t n = (size_t)1 << 23; /* bytes of an operand */
    struct gfmul_ctx *ctx = ctx_limited(0, GFMUL_VERIFY_MOD);
    struct plan_request small, large;
    struct call call;
    call_begin(&call, ctx);
    for (unsigned base = 2; base <= 10; base += 8) {
        ctx_plan_request(&call, &small, base, 1, 1, false);
        ctx_plan_request(&call, &large, base, base == 2 ? 8 * n : n, base == 2 ? 8 * n : n, false);
        test_note("base %u: %zu bytes, then %zu", base, small.memory_limit, large.memory_limit);
        if (memory_usable() < 16 * n)
            TEST_SKIP("%s", "memory is not known, or little");
        else
            TEST_CHECK(large.limit_physical && small.memory_limit - large.memory_limit >= 4 * n - 64);
    }
    TEST_OK(call_end(&call, GFMUL_OK));
    gfmul_ctx_destroy(ctx);
}

/* one_call - a call that holds count buffers of so many bytes. */
static void one_call(struct gfmul_ctx *ctx, unsigned count, size_t bytes)
{
    struct call call;
    void *p;
    call_begin(&call, ctx);
    for (unsigned i = 0; i < count; i++)
        TEST_OK(ctx_buffer_get(&call, bytes, &p));
    TEST_OK(call_end(&call, GFMUL_OK));
}

/* The pool gives the smallest block that will do, drops the oldest where it is full, and lets go what calls no longer need. */
static void test_pool(void)
{
    struct gfmul_ctx *ctx = ctx_limited(0, GFMUL_VERIFY_MOD);
    struct call call;
    void *larger, *smaller, *p;
    size_t sum = 0;
    call_begin(&call, ctx);
    TEST_OK(ctx_buffer_get(&call, 19000, &larger));
    TEST_OK(ctx_buffer_get(&call, 11000, &smaller));
    ctx_buffer_put(&call, smaller);
    ctx_buffer_put(&call, larger);
    TEST_OK(ctx_buffer_get(&call, 10000, &p));
    TEST_CHECK(p == smaller);
    TEST_OK(call_end(&call, GFMUL_OK));

    one_call(ctx, 1, 1000000);
    for (size_t bytes = 1000; bytes < 30000; bytes *= 3) /* too large for the next ones */
        one_call(ctx, CALL_BUFFERS, bytes);
    for (unsigned i = 0; i < ctx->n_buffers; i++)
        sum += ctx->buffer[i].bytes;
    TEST_CHECK_MSG(ctx->n_buffers == CTX_BUFFERS && ctx->idle_bytes == sum, "%u buffers of %zu bytes, %zu counted",
                   ctx->n_buffers, sum, ctx->idle_bytes);
    for (unsigned i = 0; i < 200; i++)
        one_call(ctx, 1, 1000);
    TEST_CHECK_MSG(ctx->idle_bytes < 2000, "%zu bytes are kept, calls need 1000", ctx->idle_bytes);
    gfmul_ctx_destroy(ctx);
}

/* A block that a call keeps comes from the pool and counts in its peak.  It goes back there during a call, else to the system. */
static void test_blocks(void)
{
    const size_t bytes = (size_t)3 << 20;
    struct gfmul_ctx *ctx = ctx_limited(0, GFMUL_VERIFY_MOD);
    struct idle_buffer block, again = {.p = NULL};
    struct call call;
    call_begin(&call, ctx);
    if (TEST_OK(ctx_block_keep(&call, bytes, &block))) {
        const void *const p = block.p;
        TEST_CHECK(call.peak >= bytes && ctx->kept_bytes >= bytes && block.bytes >= bytes);
        ctx_block_end(ctx, &block);
        TEST_CHECK(!block.p && ctx->n_buffers == 1 && ctx->kept_bytes == 0);
        if (TEST_OK(ctx_block_keep(&call, bytes - bytes / 8, &again)))
            TEST_CHECK(again.p == p && ctx->n_buffers == 0 && ctx->kept_bytes == bytes);
    }
    TEST_OK(call_end(&call, GFMUL_OK));
    ctx_block_end(ctx, &again);
    ctx_block_end(ctx, &again);
    TEST_CHECK(ctx->n_buffers == 0 && ctx->idle_bytes == 0 && ctx->kept_bytes == 0);
    gfmul_ctx_destroy(ctx);
}

/* The plans kept hold no more than 256 MiB together, or one of them alone more; the least recently used go. */
static void test_plans_kept(void)
{
    static const size_t mib[] = {100, 100, 100, 300, 10};
    static const unsigned kept[] = {1, 2, 2, 1, 1};
    struct gfmul_ctx *ctx = ctx_limited(0, GFMUL_VERIFY_MOD);
    struct call call;
    call_begin(&call, ctx);
    for (unsigned i = 0; i < sizeof mib / sizeof *mib; i++) {
        struct plan_request request;
        struct plan_shape shape;
        struct plan_lease plan;
        ctx_plan_request(&call, &request, 2, (size_t)6400 << i, (size_t)6400 << i, false);
        if (!TEST_OK(plan_size(&shape, &request, NULL, 0)))
            break;
        shape.memory_bytes = mib[i] << 20; /* what it says, not what it has, is counted */
        if (!TEST_OK(ctx_plan_get(&call, &shape, &plan)))
            break;
        ctx_plan_put(ctx, &plan);
        TEST_CHECK_MSG(ctx->n_plans == kept[i], "plan %u of %zu MiB: %u are kept, should be %u", i, mib[i], ctx->n_plans,
                       kept[i]);
    }
    TEST_OK(call_end(&call, GFMUL_OK));
    gfmul_ctx_destroy(ctx);
}

/* memory_check - what the first product of a context took from the pool, and its tables, are no more than its plan says. */
static void memory_check(struct gfmul_ctx *ctx, bool slices, bool wraps)
{
    struct gfmul_report report;
    size_t tables = 0;
    gfmul_ctx_report(ctx, &report);
    for (unsigned i = 0; i < ctx->n_shapes && i < CTX_SHAPES; i++) {
        const struct plan_shape *s = &ctx->shapes[i].shape;
        if (s->transform.n_points == report.plan.n_points && s->memory_bytes == report.plan.memory_bytes)
            tables = plan_table_bytes(s);
    }
    TEST_CHECK((report.plan.n_slices > 1) == slices && (report.plan.wrap_limbs > 0) == wraps && tables > 0);
    TEST_CHECK_MSG(ctx->keep_bytes + tables <= report.plan.memory_bytes, "%zu bytes and tables of %zu, the plan says %zu",
                   ctx->keep_bytes, tables, report.plan.memory_bytes);
}

/* Slices of limbs and of text, in both precisions, and products that wrap around. */
static void test_plans_say(void)
{
    enum { AN = 40000, BN = 2500, CHARS = 16 };
    mp_limb_t *a = test_alloc(AN * sizeof *a), *z = test_alloc(2 * AN * sizeof *z);
    char *x = test_alloc(AN * CHARS), *y = test_alloc(BN * CHARS), *product = test_alloc((AN + BN) * CHARS + 2);
    operand_fill(a, AN, OPERAND_TOP_BIT, 13, test_u64());
    text_fill(x, AN * CHARS, TEXT_RANDOM, 10, 1, test_u64());
    text_fill(y, BN * CHARS, TEXT_RANDOM, 10, 1, test_u64());
    for (unsigned i = 0; i < 10; i++) {
        const bool dd = i & 1, wraps = i >= 8;
        struct gfmul_options opt;
        struct gfmul_ctx *ctx;
        gfmul_options_init(&opt);
        opt.engine = GFMUL_ENGINE_CPU;
        opt.threads = 1 + i / 4;
        opt.precision = dd && !wraps ? GFMUL_PRECISION_DD : GFMUL_PRECISION_DOUBLE;
        ctx = test_ctx(&opt);
        ctx->wrap = wraps ? PLAN_WRAP_ALWAYS : PLAN_WRAP_NEVER;
        test_note("product %u: %s, %s, %u threads", i,
                  wraps       ? "wraps"
                  : i / 2 & 1 ? "text"
                              : "limbs",
                  dd ? "dd" : "double", opt.threads);
        if (i / 2 & 1)
            TEST_OK(gfmul_str_mul(ctx, product, (AN + BN) * CHARS + 2, NULL, 10, x, AN * CHARS, 10, y, BN * CHARS, 10));
        else
            TEST_OK(gfmul_mul(ctx, z, a, wraps ? AN - 3000 * dd : AN, a, wraps ? AN - 3001 * dd : BN));
        memory_check(ctx, !wraps, wraps);
        gfmul_ctx_destroy(ctx);
    }
    free(product);
    free(y);
    free(x);
    free(z);
    free(a);
}

/* memory_kept - idle buffers and tables. */
static size_t memory_kept(struct gfmul_ctx *ctx)
{
    pthread_mutex_lock(&ctx->lock);
    const size_t bytes = ctx->idle_bytes + ctx_plans_bytes(ctx);
    pthread_mutex_unlock(&ctx->lock);
    return bytes;
}

static enum gfmul_status by_quotient(struct gfmul_ctx *ctx, const struct work *w)
{
    mpz_t q, r;
    mpz_inits(q, r, NULL);
    const enum gfmul_status status = gfmul_mpz_tdiv_qr(ctx, q, r, w->a, w->b);
    mpz_clears(q, r, NULL);
    return status;
}

static enum gfmul_status by_root(struct gfmul_ctx *ctx, const struct work *w)
{
    mpz_t s, r;
    mpz_inits(s, r, NULL);
    const enum gfmul_status status = gfmul_mpz_sqrtrem(ctx, s, r, w->a);
    mpz_clears(s, r, NULL);
    return status;
}

static enum gfmul_status by_print(struct gfmul_ctx *ctx, const struct work *w)
{
    return gfmul_mpz_get_str(ctx, w->product, w->room, NULL, 10, w->a);
}

/* Transforms that quotients, roots and conversions keep are memory of their call, and idle in its context afterwards. */
static void test_kept(void)
{
    enum { MOST = 64 << 20 };
    struct work works[] = {{.call = by_quotient, .name = "quotient"},
                           {.call = by_root, .name = "root"},
                           {.call = by_print, .name = "limbs to text"}};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        struct work *const w = works + i;
        mpz_inits(w->a, w->b, NULL);
        operand_fill(mpz_limbs_write(w->a, LIMBS), LIMBS, OPERAND_TOP_BIT, 13, test_u64());
        mpz_limbs_finish(w->a, LIMBS);
        operand_fill(mpz_limbs_write(w->b, LIMBS / 2), LIMBS / 2, OPERAND_TOP_BIT, 13, test_u64());
        mpz_limbs_finish(w->b, LIMBS / 2);
        w->room = mpz_sizeinbase(w->a, 10) + 2;
        w->product = test_alloc(w->room);
        const size_t limit = least_limit(w, MOST);
        struct gfmul_ctx *ctx = ctx_limited(limit, GFMUL_VERIFY_MOD);
        TEST_OK(w->call(ctx, w));
        TEST_CHECK_MSG(memory_kept(ctx) <= limit + limit / 8, "%zu bytes are kept, the limit is %zu", memory_kept(ctx), limit);
        TEST_CHECK_MSG(ctx->keep_bytes <= limit + limit / 32, "%zu bytes at once, the limit is %zu", ctx->keep_bytes, limit);
        gfmul_ctx_destroy(ctx);
        free(w->product);
        mpz_clears(w->a, w->b, NULL);
    }
}

/* What a step of a call leaves idle, such as a plan that was given up, is no memory beside that of the next step. */
static void test_steps(void)
{
    static const struct {
        enum gfmul_rule rule;
        enum gfmul_verify verify;
        double share; /* of what the plan says, which the limit is */
        mp_limb_t word;
        size_t n;
    } cases[] = {
        {GFMUL_RULE_CHECKED, GFMUL_VERIFY_MOD, 1.02, 0x7f7f7f7f7f7f7f7f, 23150},
        {GFMUL_RULE_CHECKED, GFMUL_VERIFY_MOD, 1.4, 0x7f7f7f7f7f7f7f7f, 23150},
        {GFMUL_RULE_NORM, GFMUL_VERIFY_MOD, 1.02, 0x7f7f7f7f7f7f7f7f, 33623},
        {GFMUL_RULE_NORM, GFMUL_VERIFY_MOD, 1.7, 0x7f7f7f7f7f7f7f7f, 33623},
        {GFMUL_RULE_NORM, GFMUL_VERIFY_GMP, 1.02, 0, 33623},
    };
    unsigned made = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t n = cases[i].n;
        mp_limb_t *a = test_alloc(n * sizeof *a), *b = test_alloc(n * sizeof *b), *z = test_alloc(2 * n * sizeof *z);
        for (size_t j = 0; j < n; j++)
            a[j] = b[j] = cases[i].word ? cases[i].word : test_u64();
        struct gfmul_plan_info info;
        struct gfmul_report report;
        struct gfmul_ctx *ctx = ctx_limited_by(cases[i].rule, 0, cases[i].verify);
        TEST_OK(gfmul_plan_limbs(ctx, &info, n, n));
        gfmul_ctx_destroy(ctx);
        const size_t limit = (size_t)((double)info.memory_bytes * cases[i].share);
        ctx = ctx_limited_by(cases[i].rule, limit, cases[i].verify);
        const enum gfmul_status status = gfmul_mul(ctx, z, a, n, b, n);
        gfmul_ctx_report(ctx, &report);
        test_note("case %zu, %zu limbs, status %d, %u fall-backs, limit %zu", i, n, (int)status, report.n_fallbacks, limit);
        TEST_CHECK(status == GFMUL_OK || status == GFMUL_ERR_MEMORY);
        TEST_CHECK_MSG(memory_kept(ctx) <= limit, "%zu bytes are kept", memory_kept(ctx));
        made += status == GFMUL_OK;
        gfmul_ctx_destroy(ctx);
        free(z);
        free(b);
        free(a);
    }
    TEST_CHECK_MSG(made > 0, "no product was made");
}

/* Nor is it let go before: under the least limit, too, a product after its like finds all that it needs. */
static void test_again(void)
{
    mp_limb_t *a = test_alloc(LIMBS * sizeof *a), *z = test_alloc(2 * LIMBS * sizeof *z);
    struct gfmul_plan_info info;
    operand_fill(a, LIMBS, OPERAND_TOP_BIT, 13, test_u64());
    struct gfmul_ctx *ctx = ctx_limited((size_t)1 << 40, GFMUL_VERIFY_MOD);
    TEST_OK(gfmul_plan_limbs(ctx, &info, LIMBS, LIMBS - 1));
    gfmul_ctx_destroy(ctx);
    ctx = ctx_limited(info.memory_bytes, GFMUL_VERIFY_MOD);
    TEST_OK(gfmul_mul(ctx, z, a, LIMBS, a + 1, LIMBS - 1));
    alloc_fail_after(0);
    TEST_OK(gfmul_mul(ctx, z, a, LIMBS, a + 1, LIMBS - 1));
    alloc_fail_after(-1);
    gfmul_ctx_destroy(ctx);
    free(z);
    free(a);
}

/* A plan of a transform whose workspace cannot be had is refused before its tables are made, which would take seconds. */
static void test_transforms(void)
{
    static const size_t lengths[] = {(size_t)1 << 42, (size_t)3 << 40, ((size_t)1 << 41) - 1};
    const char *sanitizer = getenv("SANITIZER"); /* which needs the address space itself; set by make */
    struct rlimit before, least = {.rlim_cur = (rlim_t)1 << 40};
    if ((sanitizer && strcmp(sanitizer, "no") != 0) || getrlimit(RLIMIT_AS, &before) != 0)
        return;
    least.rlim_max = before.rlim_max;
    if (!TEST_CHECK(setrlimit(RLIMIT_AS, &least) == 0))
        return;
    for (unsigned i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
        const size_t n = lengths[i / 2];
        struct gfmul_fft_options opt;
        struct gfmul_fft *plan;
        gfmul_fft_options_init(&opt);
        opt.order = i % 2 ? GFMUL_FFT_PERMUTED : GFMUL_FFT_NATURAL;
        test_note("n=%zu order=%d", n, opt.order);
        const clock_t start = clock();
        TEST_CHECK(gfmul_fft_create(&plan, n, &opt) == GFMUL_ERR_MEMORY);
        const double s = (double)(clock() - start) / CLOCKS_PER_SEC;
        TEST_CHECK_MSG(s < 1, "after %.2f s", s);
        gfmul_fft_destroy(plan);
    }
    TEST_CHECK(setrlimit(RLIMIT_AS, &before) == 0);
}

/* What is allocated beside the pool gets the memory of idle blocks, of its own context or of another one. */
static void test_idle_goes_back(void)
{
    enum { BLOCK = 80 << 20, NUMBER_LIMBS = (48 << 20) / sizeof(mp_limb_t) };
    const char *sanitizer = getenv("SANITIZER");
    struct rlimit before, tight;
    mp_limb_t *const b = test_alloc_zeroed(NUMBER_LIMBS, sizeof *b);
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    const bool known = f && fscanf(f, "%lu", &pages) == 1;
    if (f)
        fclose(f);
    if (!known || (sanitizer && strcmp(sanitizer, "no") != 0) || getrlimit(RLIMIT_AS, &before) != 0) {
        TEST_SKIP("%s", "no limit of addresses");
        free(b);
        return;
    }
    tight = before;
    tight.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + BLOCK + (16 << 20);
    for (unsigned other = 0; other < 2 && TEST_CHECK(setrlimit(RLIMIT_AS, &tight) == 0); other++) {
        struct gfmul_ctx *ctx = ctx_limited(0, GFMUL_VERIFY_MOD), *idle = other ? ctx_limited(0, GFMUL_VERIFY_MOD) : ctx;
        struct gfmul_operand *op;
        one_call(idle, 1, BLOCK);
        TEST_OK(gfmul_operand_create(ctx, &op, b, NUMBER_LIMBS, 1)); /* no spectrum, a copy alone */
        gfmul_operand_destroy(op);
        if (other)
            gfmul_ctx_destroy(idle);
        gfmul_ctx_destroy(ctx);
        TEST_CHECK(setrlimit(RLIMIT_AS, &before) == 0);
    }
    free(b);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_integers);
    TEST_RUN(test_text);
    TEST_RUN(test_lines_alone);
    TEST_RUN(test_conversions);
    TEST_RUN(test_plans_say);
    TEST_RUN(test_checked_by_gmp);
    TEST_RUN(test_machine);
    TEST_RUN(test_pool);
    TEST_RUN(test_blocks);
    TEST_RUN(test_plans_kept);
    TEST_RUN(test_kept);
    TEST_RUN(test_steps);
    TEST_RUN(test_again);
    TEST_RUN(test_transforms);
    TEST_RUN(test_idle_goes_back);
    return test_end();
}
