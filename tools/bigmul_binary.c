/*
 * bigmul_binary.c - products with binary numbers, which are products of limbs.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * An operand of text becomes limbs, and limbs become text if the product is to be text.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>

#include "bigmul.h"
#include "gfmul_arith.h"
#include "gfmul_files.h"

/* A number in memory. */
struct number {
    mp_limb_t *limb; /* owned */
    size_t n;
    int negative;
};

/* The shares of the progress bar, about: each operand of text, and a product of text.  The rest is the product's. */
static const double share_parse = 0.15, share_print = 0.3;

static int memory_error(size_t limbs)
{
    complain("not enough memory for %zu limbs", limbs);
    return EXIT_COMPUTE;
}

/* The most limbs of an operand. */
static size_t operand_limbs(const struct job *job, int i)
{
    const struct input *const in = job_operand(job, i);

    return job->stats.base[i] ? gfmul_set_str_limbs(in->len, job->stats.base[i]) : input_limbs(in);
}

static size_t sum(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

/* Bytes of n limbs. */
static size_t limb_bytes(size_t n)
{
    return n > SIZE_MAX / sizeof(mp_limb_t) ? SIZE_MAX : n * sizeof(mp_limb_t);
}

void binary_sizes(const struct job *job, size_t *operands, size_t *product)
{
    size_t limbs = 0;

    *operands = 0;
    for (int i = 0; i < 2; i++) {
        const size_t n = operand_limbs(job, i);
        limbs = sum(limbs, n);
        if (i == 0 || !job->square)
            *operands = sum(*operands, sum(job_operand(job, i)->len, limb_bytes(n)));
    }
    const size_t file = job->base_z ? gfmul_get_str_size(limbs, job->base_z) : gfmul_binary_bytes(limbs);
    *product = file ? sum(file, limb_bytes(limbs)) : SIZE_MAX;
}

/* operand_take - the limbs of an operand.   x out: to be freed, also after an error */
static int operand_take(const struct job *job, int i, struct number *x)
{
    const struct input *const in = job_operand(job, i);
    const size_t room = operand_limbs(job, i);

    x->limb = limb_bytes(room) < SIZE_MAX ? malloc(limb_bytes(room) + 1) : NULL;
    if (!x->limb)
        return memory_error(room);
    if (!job->stats.base[i])
        return input_import(in, x->limb, &x->n, &x->negative);
    const enum gfmul_status status =
        gfmul_set_str(job->ctx, x->limb, room, &x->n, &x->negative, in->text, in->len, job->settings.base);
    return status == GFMUL_OK ? input_check(in) : job_error(job, status, i);
}

int binary_limbs_count(const struct job *job, int i, size_t *limbs)
{
    struct number x = {.n = 0};
    const int status = operand_take(job, i, &x);

    *limbs = x.n;
    free(x.limb);
    return status;
}

/* text_write - the product as text. */
static int text_write(struct job *job, struct gfmul_report *report, const struct number *z)
{
    const uint64_t begun = time_ns();
    const size_t size = gfmul_get_str_size(z->n, job->base_z);
    const bool minus = z->negative && z->n > 0;
    char *const text = size > 0 && size < SIZE_MAX - 1 ? malloc(size + 2) : NULL;
    size_t len;
    int status;

    if (!text)
        return memory_error(z->n);
    text[0] = '-';
    progress_part(1 - share_print, share_print);
    const enum gfmul_status made = gfmul_get_str(job->ctx, text + minus, size, &len, job->base_z, z->limb, z->n);
    progress_erase();
    report->print_ns += time_ns() - begun;
    report->total_ns += time_ns() - begun;
    if (made == GFMUL_OK) {
        len += minus;
        text[len++] = '\n'; /* where the NUL was */
        const uint64_t start = time_ns();
        status = output_write(&job->out, text, len);
        job->stats.write_ns = time_ns() - start;
        job->stats.output_bytes = len;
    } else {
        status = job_error(job, made, 0);
    }
    free(text);
    return status;
}

/* product_make - multiply x[0] and x[1], and write their product.   parse_ns in: what the operands took */
static int product_make(struct job *job, struct gfmul_report *report, const struct number *x, struct number *z, uint64_t parse_ns)
{
    const struct number *const b = job->square ? x : x + 1;
    const size_t room = x->n + b->n;

    z->limb = limb_bytes(room) < SIZE_MAX ? malloc(limb_bytes(room) + 1) : NULL;
    if (!z->limb)
        return memory_error(room);
    const enum gfmul_status status = gfmul_mul(job->ctx, z->limb, x->limb, x->n, b->limb, b->n);
    if (status != GFMUL_OK)
        return job_error(job, status, 0);
    product_made(job, report);
    report->parse_ns += parse_ns;
    report->total_ns += parse_ns;
    z->n = room;
    while (z->n > 0 && z->limb[z->n - 1] == 0)
        z->n--;
    z->negative = x->negative ^ b->negative;
    if (job->base_z)
        return text_write(job, report, z);
    progress_erase();
    const uint64_t start = time_ns();
    const int written = output_binary(&job->out, z->limb, z->n, z->negative, &job->stats.output_bytes);
    job->stats.write_ns = time_ns() - start;
    return written;
}

int multiply_binary(struct job *job, struct gfmul_report *report)
{
    struct number x[2] = {{.n = 0}, {.n = 0}}, z = {.n = 0};
    const uint64_t begun = time_ns();
    double done = 0;
    int status = EXIT_DONE;

    progress_start();
    computing_begin();
    for (int i = 0; i < (job->square ? 1 : 2) && status == EXIT_DONE; i++) {
        const double share = job->stats.base[i] ? share_parse : 0;
        progress_part(done, share);
        done += share;
        status = operand_take(job, i, &x[i]);
    }
    if (status == EXIT_DONE) {
        input_close(&job->a); /* their limbs are all that is needed */
        input_close(&job->b);
        progress_part(done, 1 - done - (job->base_z ? share_print : 0));
        status = product_make(job, report, x, &z, time_ns() - begun);
    }
    computing_end();
    progress_erase();
    free(x[0].limb);
    free(x[1].limb);
    free(z.limb);
    return status;
}
