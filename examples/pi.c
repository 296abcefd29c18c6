/*
 * pi.c - digits of pi by Chudnovsky's series and binary splitting: products, a quotient, a root and text by gfmul.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Build:  cc pi.c -o pi -pthread $(pkg-config --cflags --libs gfmul)
 * Usage:  pi [DIGITS [THREADS]]
 *
 * Prints 3 and so many digits (1000) behind it, without a point.  The last ten that are computed are not printed.  Threads (one
 * for each processor) share the terms, so that a small product is made by one of them; the large ones they make together.
 */
#include <gfmul_arith.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { GUARD_DIGITS = 10, MOST_THREADS = 256 };

#define TRY(call)                             \
    do {                                      \
        const enum gfmul_status s_ = (call);  \
        if (s_ != GFMUL_OK)                   \
            return s_;                        \
    } while (0)

/* The terms a .. b - 1 of the series: their sum is t / q, and p leads to the next ones. */
struct terms {
    mpz_t p, q, t;
};

static void terms_init(struct terms *x)
{
    mpz_inits(x->p, x->q, x->t, NULL);
}

static void terms_clear(struct terms *x)
{
    mpz_clears(x->p, x->q, x->t, NULL);
}

/* context_create - a context of so many threads, on the CPU. */
static enum gfmul_status context_create(struct gfmul_ctx **ctx, unsigned threads)
{
    struct gfmul_options options;
    gfmul_options_init(&options);
    options.device = "cpu";
    options.threads = threads;
    return gfmul_ctx_create(ctx, &options);
}

/* term_set - the term a. */
static void term_set(struct terms *x, unsigned long a)
{
    mpz_set_ui(x->p, 1);
    mpz_set_ui(x->q, 1);
    if (a > 0) {
        mpz_set_ui(x->p, 6 * a - 5);
        mpz_mul_ui(x->p, x->p, 2 * a - 1);
        mpz_mul_ui(x->p, x->p, 6 * a - 1);
        mpz_ui_pow_ui(x->q, a, 3);
        mpz_mul_ui(x->q, x->q, 10939058860032000); /* 640320^3 / 24 */
    }
    mpz_mul_ui(x->t, x->p, 13591409 + 545140134 * a);
    if (a % 2)
        mpz_neg(x->t, x->t);
}

/* terms_join - x = the terms of x and those of y behind them. */
static enum gfmul_status terms_join(struct gfmul_ctx *ctx, struct terms *x, struct terms *y)
{
    TRY(gfmul_mpz_mul(ctx, x->t, x->t, y->q));
    TRY(gfmul_mpz_mul(ctx, y->t, y->t, x->p));
    mpz_add(x->t, x->t, y->t);
    TRY(gfmul_mpz_mul(ctx, x->q, x->q, y->q));
    return gfmul_mpz_mul(ctx, x->p, x->p, y->p);
}

/* terms_sum - the terms from .. to - 1, by the thread that calls. */
static enum gfmul_status terms_sum(struct gfmul_ctx *ctx, struct terms *x, unsigned long from, unsigned long to)
{
    const unsigned long middle = from + (to - from) / 2;
    struct terms y;
    if (to - from == 1) {
        term_set(x, from);
        return GFMUL_OK;
    }
    TRY(terms_sum(ctx, x, from, middle));
    terms_init(&y);
    enum gfmul_status status = terms_sum(ctx, &y, middle, to);
    if (status == GFMUL_OK)
        status = terms_join(ctx, x, &y);
    terms_clear(&y);
    return status;
}

/* The terms that some threads add up. */
struct share {
    struct terms x;
    unsigned long from, to;
    unsigned threads;
    enum gfmul_status status;
};

static void *share_run(void *arg);

/* share_split - half of the terms by another thread, with half of the threads; then both together. */
static enum gfmul_status share_split(struct gfmul_ctx *ctx, struct share *s)
{
    const unsigned theirs = s->threads / 2;
    const unsigned long middle = s->to - (s->to - s->from) * theirs / s->threads;
    struct share other = {.from = middle, .to = s->to, .threads = theirs};
    struct share mine = {.from = s->from, .to = middle, .threads = s->threads - theirs};
    pthread_t thread;
    terms_init(&mine.x);
    terms_init(&other.x);
    const int started = pthread_create(&thread, NULL, share_run, &other);
    share_run(&mine);
    if (started == 0)
        pthread_join(thread, NULL);
    else
        share_run(&other); /* no thread is to be had */
    s->status = mine.status != GFMUL_OK ? mine.status : other.status;
    if (s->status == GFMUL_OK)
        s->status = terms_join(ctx, &mine.x, &other.x);
    mpz_swap(s->x.p, mine.x.p);
    mpz_swap(s->x.q, mine.x.q);
    mpz_swap(s->x.t, mine.x.t);
    terms_clear(&mine.x);
    terms_clear(&other.x);
    return s->status;
}

static void *share_run(void *arg)
{
    struct share *s = arg;
    struct gfmul_ctx *ctx;
    s->status = context_create(&ctx, s->threads);
    if (s->status != GFMUL_OK)
        return NULL;
    const bool split = s->threads > 1 && s->to - s->from >= s->threads;
    s->status = split ? share_split(ctx, s) : terms_sum(ctx, &s->x, s->from, s->to);
    gfmul_ctx_destroy(ctx);
    return NULL;
}

/* power_of_ten - z = 10^n. */
static enum gfmul_status power_of_ten(struct gfmul_ctx *ctx, mpz_t z, unsigned long n)
{
    if (n < 20) {
        mpz_ui_pow_ui(z, 10, n);
        return GFMUL_OK;
    }
    TRY(power_of_ten(ctx, z, n / 2));
    TRY(gfmul_mpz_mul(ctx, z, z, z));
    if (n % 2)
        mpz_mul_ui(z, z, 10);
    return GFMUL_OK;
}

/* pi_times - z = floor(pi 10^digits), or a little less.   all  scratch: all terms. */
static enum gfmul_status pi_times(struct gfmul_ctx *ctx, mpz_t z, struct share *all, unsigned long digits)
{
    struct terms *x = &all->x;
    all->to = digits / 14 + 2; /* a term has more than 14 digits */
    share_run(all);
    TRY(all->status);
    TRY(power_of_ten(ctx, z, digits));
    TRY(gfmul_mpz_mul(ctx, z, z, z));
    mpz_mul_ui(z, z, 10005);
    TRY(gfmul_mpz_sqrtrem(ctx, z, NULL, z));
    mpz_mul_ui(x->q, x->q, 426880);
    TRY(gfmul_mpz_mul(ctx, z, z, x->q));
    return gfmul_mpz_tdiv_qr(ctx, z, NULL, z, x->t);
}

/* text_print - the digits, as far as they are sure. */
static enum gfmul_status text_print(struct gfmul_ctx *ctx, const mpz_t z)
{
    const size_t size = gfmul_get_str_size(mpz_size(z), 10);
    size_t n = 0;
    char *text = malloc(size);
    enum gfmul_status status = text ? gfmul_mpz_get_str(ctx, text, size, &n, 10, z) : GFMUL_ERR_MEMORY;
    if (status == GFMUL_OK && fwrite(text, 1, n - GUARD_DIGITS, stdout) == n - GUARD_DIGITS)
        putchar('\n');
    free(text);
    return status;
}

int main(int argc, char **argv)
{
    const unsigned long digits = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    const long threads = argc > 2 ? strtol(argv[2], NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);
    struct share all = {.threads = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : (unsigned)threads};
    struct gfmul_ctx *ctx;
    mpz_t z;
    mpz_init(z);
    terms_init(&all.x);
    enum gfmul_status status = context_create(&ctx, all.threads);
    if (status == GFMUL_OK) {
        status = pi_times(ctx, z, &all, digits + GUARD_DIGITS);
        if (status == GFMUL_OK)
            status = text_print(ctx, z);
        gfmul_ctx_destroy(ctx);
    }
    terms_clear(&all.x);
    mpz_clear(z);
    if (status != GFMUL_OK)
        fprintf(stderr, "pi: %s\n", gfmul_strerror(status));
    return status == GFMUL_OK && fclose(stdout) == 0 ? 0 : 1;
}
