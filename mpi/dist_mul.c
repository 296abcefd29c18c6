/*
 * dist_mul.c - contexts, products and convolutions of distributed numbers: what is agreed on, and the order of all stages.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "mpi/dist.h"

enum { RESIDUES = 3, RANKS_MAX = 1 << 20 };

/* ---- what all ranks agree on ---- */

/* agreed - the largest status of all ranks. */
static enum gfmul_status agreed(MPI_Comm comm, enum gfmul_status status)
{
    int mine = (int)status, all;
    return MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, comm) == MPI_SUCCESS ? (enum gfmul_status)all : GFMUL_ERR_DEVICE;
}

/* arguments_agreed - agree on a status, on numbers that all ranks give, and on `all`, which is true if each rank's is. */
static enum gfmul_status arguments_agreed(const struct gfmul_mpi_ctx *ctx, enum gfmul_status status, const uint64_t *number,
                                          bool *all)
{
    enum { NUMBERS = 4 };
    uint64_t mine[2 * NUMBERS + 2] = {(uint64_t)status, *all ? 0 : 1}, most[2 * NUMBERS + 2];
    for (unsigned i = 0; i < NUMBERS; i++) {
        mine[2 + 2 * i] = number[i];
        mine[3 + 2 * i] = ~number[i];
    }
    if (MPI_Allreduce(mine, most, 2 * NUMBERS + 2, MPI_UINT64_T, MPI_MAX, ctx->comm) != MPI_SUCCESS)
        return GFMUL_ERR_DEVICE;
    *all = most[1] == 0;
    for (unsigned i = 0; i < NUMBERS; i++)
        if (most[2 + 2 * i] != ~most[3 + 2 * i])
            return GFMUL_ERR_ARGUMENT;
    return (enum gfmul_status)most[0];
}

/* ---- contexts ---- */

void gfmul_mpi_options_init(struct gfmul_mpi_options *opt)
{
    *opt = (struct gfmul_mpi_options){.struct_bytes = sizeof *opt};
}

static enum gfmul_status options_check(const struct gfmul_mpi_options *opt)
{
    if (opt->struct_bytes < sizeof *opt || opt->threads > DIST_THREADS_MAX ||
        (opt->verify != GFMUL_VERIFY_MOD && opt->verify != GFMUL_VERIFY_NONE) || opt->digit_bytes > DIST_DIGIT_MAX ||
        opt->digit_bytes == 1)
        return GFMUL_ERR_ARGUMENT;
    return GFMUL_OK;
}

enum gfmul_status gfmul_mpi_ctx_create(struct gfmul_mpi_ctx **ctx, MPI_Comm comm, const struct gfmul_mpi_options *opt)
{
    struct gfmul_mpi_options defaults;
    int level, inter, size;
    gfmul_mpi_options_init(&defaults);
    opt = opt != NULL ? opt : &defaults;
    enum gfmul_status status = ctx == NULL ? GFMUL_ERR_ARGUMENT : options_check(opt);
    if (comm == MPI_COMM_NULL)
        return GFMUL_ERR_ARGUMENT; /* of this rank alone: no other one can be told */
    if (MPI_Query_thread(&level) != MPI_SUCCESS || MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS ||
        MPI_Comm_size(comm, &size) != MPI_SUCCESS)
        return GFMUL_ERR_DEVICE;
    if (inter || size > RANKS_MAX)
        return GFMUL_ERR_ARGUMENT;
    struct gfmul_mpi_ctx *x = status == GFMUL_OK ? calloc(1, sizeof *x) : NULL;
    if (status == GFMUL_OK && x == NULL)
        status = GFMUL_ERR_MEMORY;
    if (ctx != NULL)
        *ctx = NULL;
    status = agreed(comm, status);
    if (status != GFMUL_OK) {
        free(x);
        return status;
    }
    x->size = size;
    x->threads = level == MPI_THREAD_SINGLE || opt->threads == 0 ? 1 : opt->threads;
    x->verify = opt->verify == GFMUL_VERIFY_MOD;
    x->digit_bytes = opt->digit_bytes;
    if (MPI_Comm_dup(comm, &x->comm) != MPI_SUCCESS || MPI_Comm_rank(x->comm, &x->rank) != MPI_SUCCESS ||
        MPI_Op_create(dist_compose, 0, &x->compose) != MPI_SUCCESS) {
        free(x);
        return GFMUL_ERR_DEVICE;
    }
    *ctx = x;
    return GFMUL_OK;
}

void gfmul_mpi_ctx_destroy(struct gfmul_mpi_ctx *ctx)
{
    if (ctx == NULL)
        return;
    dist_tables_free(ctx);
    MPI_Op_free(&ctx->compose);
    MPI_Comm_free(&ctx->comm);
    free(ctx);
}

size_t gfmul_mpi_first(size_t n, int size, int rank)
{
    return dist_share(n, size, rank);
}

size_t gfmul_mpi_count(size_t n, int size, int rank)
{
    return dist_share(n, size, rank + 1) - dist_share(n, size, rank);
}

/* ---- the check ---- */

/* prime_draw - a random prime between 2^57 and 2^58, of rank 0. */
static enum gfmul_status prime_draw(const struct gfmul_mpi_ctx *ctx, uint64_t *p)
{
    *p = 0;
    if (ctx->rank == 0) {
        mpz_t candidate;
        mpz_init(candidate);
        while (getentropy(p, sizeof *p) == 0) {
            *p = *p >> 7 | UINT64_C(1) << 57 | 1;
            mpz_set_ui(candidate, *p);
            if (mpz_probab_prime_p(candidate, 25) != 0)
                break;
        }
        mpz_clear(candidate);
    }
    if (MPI_Bcast(p, 1, MPI_UINT64_T, 0, ctx->comm) != MPI_SUCCESS)
        return GFMUL_ERR_DEVICE;
    return *p >> 57 == 1 ? GFMUL_OK : GFMUL_ERR_UNSUPPORTED; /* there was no random number */
}

/* block_residue - this rank's block of a number of n words, times its place, modulo p. */
static uint64_t block_residue(const struct dist_call *c, const uint64_t *block, size_t n, uint64_t p)
{
    const int size = c->ctx->size, rank = c->ctx->rank;
    const size_t first = gfmul_mpi_first(n, size, rank), count = gfmul_mpi_count(n, size, rank);
    const unsigned __int128 base = c->shape.base != 0 ? c->shape.base : (unsigned __int128)1 << 64;
    uint64_t r = 0;
    if (count == 0)
        return 0;
    if (c->shape.base == 0)
        r = mpn_mod_1(block, (mp_size_t)count, p);
    else
        for (size_t i = count; i-- > 0;)
            r = (uint64_t)((r * base + block[i]) % p);
    return residue_mul(r, residue_power((uint64_t)(base % p), first, p), p);
}

/* product_checked - compare residues; `status` of all ranks is agreed on, too.   residue in: of this rank's blocks */
static enum gfmul_status product_checked(const struct gfmul_mpi_ctx *ctx, enum gfmul_status status, const uint64_t *residue,
                                         uint64_t p)
{
    uint64_t part[2 * RESIDUES], sum[2 * RESIDUES], r[RESIDUES];
    status = agreed(ctx->comm, status);
    if (status != GFMUL_OK || !ctx->verify)
        return status;
    for (unsigned i = 0; i < RESIDUES; i++) { /* halves of 29 bits: no sum is above 2^49 */
        part[2 * i] = residue[i] & ((1 << 29) - 1);
        part[2 * i + 1] = residue[i] >> 29;
    }
    if (MPI_Allreduce(part, sum, 2 * RESIDUES, MPI_UINT64_T, MPI_SUM, ctx->comm) != MPI_SUCCESS)
        return GFMUL_ERR_DEVICE;
    for (unsigned i = 0; i < RESIDUES; i++)
        r[i] = (uint64_t)((((unsigned __int128)sum[2 * i + 1] << 29) + sum[2 * i]) % p);
    return residue_mul(r[0], r[1], p) == r[2] ? GFMUL_OK : GFMUL_ERR_VERIFY;
}

/* ---- one call ---- */

/* The memory of a call, beside what dist_call has. */
struct room {
    uint64_t *buffer, *block;
    size_t n[2], zn;
};

static size_t digit_rows(const struct dist_shape *s, size_t units)
{
    const size_t row_bytes = s->columns * s->digit_bytes;
    return (units * 8 + row_bytes - 1) / row_bytes;
}

static enum gfmul_status call_begin(struct dist_call *c, struct room *m)
{
    struct gfmul_mpi_ctx *const ctx = c->ctx;
    const struct dist_shape *const s = &c->shape;
    size_t buffer = 0;
    bool good = true;
    c->counts = dist_alloc((size_t)4 * (unsigned)ctx->size, sizeof *c->counts);
    for (unsigned i = 0; i < (c->square ? 1 : 2); i++) {
        const size_t words = dist_spread_words(c, m->n[i]);
        buffer = words > buffer ? words : buffer;
        c->digit_rows[i] = digit_rows(s, m->n[i]);
        c->digits[i] = dist_alloc(c->width * c->digit_rows[i], s->digit_bytes);
        good = good && c->digits[i] != NULL;
    }
    c->run_rows = digit_rows(s, m->zn);
    c->runs = dist_alloc(c->run_rows, c->width * s->digit_bytes + s->tail_bytes);
    const size_t words = dist_gather_words(c, m->zn);
    m->buffer = dist_alloc(words > buffer ? words : buffer, sizeof *m->buffer);
    m->block = dist_alloc(gfmul_mpi_count(m->zn, ctx->size, ctx->rank), sizeof *m->block);
    for (unsigned i = 0; i < WORD_PRIMES; i++) {
        c->column[i] = dist_alloc(c->width * s->rows, sizeof(uint64_t));
        good = good && c->column[i] != NULL;
    }
    for (unsigned i = 0; i < 2; i++) {
        c->other[i] = dist_alloc(c->width * s->rows, sizeof(uint64_t));
        c->row[i] = dist_alloc(c->height * s->columns, sizeof(uint64_t));
        c->row_other[i] = c->square ? NULL : dist_alloc(c->height * s->columns, sizeof(uint64_t));
        good = good && c->other[i] != NULL && c->row[i] != NULL && (c->square || c->row_other[i] != NULL);
    }
    c->work_words = dist_work_words(c);
    c->work = dist_alloc(ctx->threads * c->work_words, sizeof *c->work);
    if (!good || c->counts == NULL || c->runs == NULL || m->buffer == NULL || m->block == NULL || c->work == NULL)
        return GFMUL_ERR_MEMORY;
    return dist_tables_make(ctx, s);
}

static void call_end(struct dist_call *c, struct room *m)
{
    for (unsigned i = 0; i < DIST_MOVES; i++)
        if (c->request[i] != MPI_REQUEST_NULL)
            return; /* MPI failed, and may still write */
    for (unsigned i = 0; i < WORD_PRIMES; i++)
        free(c->column[i]);
    for (unsigned i = 0; i < 2; i++) {
        free(c->digits[i]);
        free(c->other[i]);
        free(c->row[i]);
        free(c->row_other[i]);
    }
    free(c->counts);
    free(c->runs);
    free(c->work);
    free(m->buffer);
    free(m->block);
}

/* move_begin - start an exchange between columns and rows.   counts: of this move alone, until it has ended */
static enum gfmul_status move_begin(struct dist_call *c, unsigned request, const uint64_t *from, uint64_t *to, bool back)
{
    /* The blocks of columns and rows do not depend on prime or operand. */
    const int size = c->ctx->size;
    int *const at_columns = c->counts, *const at_columns_at = at_columns + size, *const at_rows = at_columns_at + size,
               *const at_rows_at = at_rows + size;
    const int code =
        back ? MPI_Ialltoallv(from, at_rows, at_rows_at, MPI_UINT64_T, to, at_columns, at_columns_at, MPI_UINT64_T, c->ctx->comm,
                              &c->request[request])
             : MPI_Ialltoallv(from, at_columns, at_columns_at, MPI_UINT64_T, to, at_rows, at_rows_at, MPI_UINT64_T, c->ctx->comm,
                              &c->request[request]);
    return code == MPI_SUCCESS ? GFMUL_OK : GFMUL_ERR_DEVICE;
}

static enum gfmul_status move_end(struct dist_call *c, unsigned request)
{
    return MPI_Wait(&c->request[request], MPI_STATUS_IGNORE) == MPI_SUCCESS ? GFMUL_OK : GFMUL_ERR_DEVICE;
}

/* counts_set - words between this rank's columns and all ranks' rows, and between its rows and their columns. */
static void counts_set(struct dist_call *c)
{
    const int size = c->ctx->size;
    for (int i = 0; i < size; i++) {
        const size_t row = dist_first_row(&c->shape, size, i), column = dist_first_column(&c->shape, size, i);
        c->counts[i] = (int)(c->width * (dist_first_row(&c->shape, size, i + 1) - row));
        c->counts[size + i] = (int)(c->width * row);
        c->counts[2 * size + i] = (int)(c->height * (dist_first_column(&c->shape, size, i + 1) - column));
        c->counts[3 * size + i] = (int)(c->height * column);
    }
}

enum { MOVE_A, MOVE_B, MOVE_BACK };

/* columns_and_rows - from digits to the product's residues.  While one prime's residues move, the next prime's are computed. */
static enum gfmul_status columns_and_rows(struct dist_call *c, bool *good)
{
    enum gfmul_status status = GFMUL_OK;
    counts_set(c);
    for (unsigned i = 0; i <= WORD_PRIMES + 1 && status == GFMUL_OK; i++) {
        const unsigned now = i % 2, before = 1 - now;
        if (i < WORD_PRIMES)
            *good = dist_columns_forward(c, i, 0, c->column[i]) && *good;
        if (i >= 2) { /* prime i - 2 has come back: this sets its buffers free */
            status = move_end(c, MOVE_BACK);
            if (status == GFMUL_OK)
                *good = dist_columns_back(c, i - 2, c->column[i - 2], c->other[now]) && *good;
        }
        if (i >= 1 && i <= WORD_PRIMES && status == GFMUL_OK) {
            status = move_end(c, MOVE_A);
            if (status == GFMUL_OK && !c->square)
                status = move_end(c, MOVE_B);
        }
        if (i < WORD_PRIMES && status == GFMUL_OK)
            status = move_begin(c, MOVE_A, c->column[i], c->row[now], false);
        if (i < WORD_PRIMES && status == GFMUL_OK && !c->square) {
            *good = dist_columns_forward(c, i, 1, c->other[now]) && *good;
            status = move_begin(c, MOVE_B, c->other[now], c->row_other[now], false);
        }
        if (i >= 1 && i <= WORD_PRIMES && status == GFMUL_OK) {
            *good = dist_rows(c, i - 1, c->row[before], c->square ? c->row[before] : c->row_other[before]) && *good;
            status = move_begin(c, MOVE_BACK, c->row[before], c->other[before], true);
        }
    }
    return status;
}

/* product_make - all stages from blocks to a block.   good out: false after a defect on this rank */
static enum gfmul_status product_make(struct dist_call *c, struct room *m, const void *a, const void *b, bool *good)
{
    const size_t count = gfmul_mpi_count(m->zn, c->ctx->size, c->ctx->rank);
    unsigned over = 0;
    enum gfmul_status status = dist_spread(c, 0, a, m->n[0], m->buffer);
    if (status == GFMUL_OK && !c->square)
        status = dist_spread(c, 1, b, m->n[1], m->buffer);
    if (status == GFMUL_OK)
        status = columns_and_rows(c, good);
    if (status != GFMUL_OK)
        return status;
    dist_join(c);
    status = dist_gather(c, m->block, m->zn, &over, m->buffer);
    return status == GFMUL_OK && c->shape.modulus == 0 ? dist_carry(c, m->block, count, over) : status;
}

/* product_run - a call whose arguments are agreed on. */
static enum gfmul_status product_run(struct dist_call *c, struct room *m, void *z, const void *a, const void *b)
{
    struct gfmul_mpi_ctx *const ctx = c->ctx;
    const bool verify = ctx->verify && c->shape.modulus == 0;
    uint64_t p = 0, residue[RESIDUES] = {0};
    bool good = true;
    enum gfmul_status status = agreed(ctx->comm, call_begin(c, m));
    if (status == GFMUL_OK && verify)
        status = prime_draw(ctx, &p);
    if (status == GFMUL_OK)
        status = product_make(c, m, a, b, &good);
    if (status != GFMUL_OK)
        return status; /* of all ranks, or MPI's */
    if (verify) {
        residue[0] = block_residue(c, a, m->n[0], p);
        residue[1] = block_residue(c, b, m->n[1], p);
        residue[2] = block_residue(c, m->block, m->zn, p);
    }
    status = good ? GFMUL_OK : GFMUL_ERR_INTERNAL;
    status = verify ? product_checked(ctx, status, residue, p) : agreed(ctx->comm, status);
    const size_t count = gfmul_mpi_count(m->zn, ctx->size, ctx->rank);
    if (status == GFMUL_OK && count > 0)
        memcpy(z, m->block, count * sizeof(uint64_t));
    return status;
}

/* overlaps - whether two blocks share bytes. */
static bool overlaps(const void *a, size_t an, const void *b, size_t bn)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return an > 0 && bn > 0 && x < y + bn * 8 && y < x + an * 8;
}

/* This rank's block of a number of n units. */
struct operand {
    const void *block;
    size_t n;
};

/* call_run - a product or a convolution.   kind in: modulus and base;  status in: of this rank's arguments so far */
static enum gfmul_status call_run(struct gfmul_mpi_ctx *ctx, void *z, struct operand x, struct operand y, struct dist_shape kind,
                                  enum gfmul_status status)
{
    const int size = ctx->size, rank = ctx->rank;
    const void *const a = x.block, *const b = y.block;
    const size_t an = x.n, bn = y.n;
    struct dist_call c = {.ctx = ctx, .shape = kind};
    struct room m = {.n = {an, bn}};
    for (unsigned i = 0; i < DIST_MOVES; i++)
        c.request[i] = MPI_REQUEST_NULL;
    if (an > SIZE_MAX / 32 || bn > SIZE_MAX / 32)
        status = status == GFMUL_OK ? GFMUL_ERR_SIZE : status;
    else {
        m.zn = an + bn - (kind.modulus != 0);
        const size_t a_count = gfmul_mpi_count(an, size, rank), b_count = gfmul_mpi_count(bn, size, rank),
                     z_count = gfmul_mpi_count(m.zn, size, rank);
        if ((a_count > 0 && a == NULL) || (b_count > 0 && b == NULL) || (z_count > 0 && z == NULL))
            status = GFMUL_ERR_ARGUMENT;
        if (status == GFMUL_OK && (overlaps(z, z_count, a, a_count) || overlaps(z, z_count, b, b_count)))
            status = GFMUL_ERR_OVERLAP;
        c.square = an == bn && (a == b || a_count == 0);
    }
    status = arguments_agreed(ctx, status, (const uint64_t[]){an, bn, kind.modulus, kind.base}, &c.square);
    if (status != GFMUL_OK)
        return status;
    if (an == 0 || bn == 0) {
        for (size_t i = 0; i < gfmul_mpi_count(m.zn, size, rank); i++) /* z may be NULL if this is nothing */
            ((uint64_t *)z)[i] = 0;
        return GFMUL_OK;
    }
    status = dist_shape_set(&c.shape, an, bn, size, ctx->digit_bytes);
    if (status != GFMUL_OK)
        return status;
    c.width = dist_first_column(&c.shape, size, rank + 1) - dist_first_column(&c.shape, size, rank);
    c.height = dist_first_row(&c.shape, size, rank + 1) - dist_first_row(&c.shape, size, rank);
    status = product_run(&c, &m, z, a, b);
    call_end(&c, &m);
    return status;
}

enum gfmul_status gfmul_mpi_mul(struct gfmul_mpi_ctx *ctx, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b,
                                size_t bn)
{
    const struct dist_shape limbs = {.base = 0};
    return ctx == NULL ? GFMUL_ERR_ARGUMENT : call_run(ctx, z, (struct operand){a, an}, (struct operand){b, bn}, limbs, GFMUL_OK);
}

/* reduced - whether all numbers are below m. */
static bool reduced(const uint64_t *x, size_t n, uint64_t m)
{
    uint64_t most = 0;
    for (size_t i = 0; x != NULL && i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most < m;
}

enum gfmul_status gfmul_mpi_convolve(struct gfmul_mpi_ctx *ctx, uint64_t *z, const uint64_t *x, size_t xn, const uint64_t *y,
                                     size_t yn, uint64_t m)
{
    if (ctx == NULL)
        return GFMUL_ERR_ARGUMENT;
    const bool good = xn > 0 && yn > 0 && m > 0 && m <= UINT64_C(1) << 63 &&
                      reduced(x, gfmul_mpi_count(xn, ctx->size, ctx->rank), m) &&
                      reduced(y, gfmul_mpi_count(yn, ctx->size, ctx->rank), m);
    const struct dist_shape numbers = {.modulus = m == 0 ? 1 : m}; /* it is not 0: this call is no product */
    return call_run(ctx, z, (struct operand){x, xn}, (struct operand){y, yn}, numbers, good ? GFMUL_OK : GFMUL_ERR_ARGUMENT);
}

enum gfmul_status gfmul_mpi_mul_words(struct gfmul_mpi_ctx *ctx, uint64_t *z, const uint64_t *a, size_t an, const uint64_t *b,
                                      size_t bn, uint64_t base)
{
    if (ctx == NULL)
        return GFMUL_ERR_ARGUMENT;
    const bool good = base >= UINT64_C(1) << 32 && base <= UINT64_C(1) << 63 &&
                      reduced(a, gfmul_mpi_count(an, ctx->size, ctx->rank), base) &&
                      reduced(b, gfmul_mpi_count(bn, ctx->size, ctx->rank), base);
    const struct dist_shape words = {.base = base == 0 ? 1 : base}; /* it is not 0: this call has no limbs */
    return call_run(ctx, z, (struct operand){a, an}, (struct operand){b, bn}, words, good ? GFMUL_OK : GFMUL_ERR_ARGUMENT);
}
