/*
 * scratch_mul.c - products of numbers in files: the passes, in their order.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Each pass is a loop over blocks.  There are two sets of buffers.  While a block is computed in one of them, a thread writes the
 * block before it from the other one, and then reads the block behind it into that.
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/environment.h"
#include "base/rounding.h"
#include "base/threads.h"
#include "base/try.h"
#include "prime/prime_ring.h"
#include "scratch/scratch.h"
#include "stages/stage_ops.h"

enum { SETS = 2, THREADS_MOST = 1024, MOVER_STACK_BYTES = 256 << 10, POINTWISE_PARTS = 64 };

/* One call. */
struct task {
    const struct gfmul_files_options *opt;
    struct gfmul_files_report *report;
    struct scratch_error error; /* of the thread that computes */
    struct scratch_moved moved;
    struct scratch_text operand[2], product; /* operand[1] is operand[0] of a square */
    bool square;
    struct scratch_plan plan;
    struct scratch_disk disk;
    struct scratch_check check;
    struct columns columns;
    char *set[SETS]; /* set_bytes each */
    unsigned __int128 *carry;
    struct prime_ring *ring;
    const struct isa_ops *isa;
    const char *disable;
};

/* A loop over blocks.  read and write run beside compute, on another set of buffers. */
struct pass {
    size_t count;
    unsigned operand, prime;
    uint64_t *residues; /* of a pass over text */
    enum gfmul_status (*read)(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e);
    enum gfmul_status (*compute)(struct task *t, const struct pass *p, char *set, size_t i);
    enum gfmul_status (*write)(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e); /* or NULL */
};

/* ---- the loop ---- */

/* What moves while a block is computed. */
struct mover {
    struct task *task;
    const struct pass *pass;
    size_t i; /* the block that is computed */
    struct scratch_error error;
};

static enum gfmul_status mover_work(struct mover *m)
{
    const struct pass *p = m->pass;
    char *const set = m->task->set[(m->i + 1) % SETS];
    if (p->write != NULL && m->i > 0)
        TRY(p->write(m->task, p, set, m->i - 1, &m->error));
    return m->i + 1 < p->count ? p->read(m->task, p, set, m->i + 1, &m->error) : GFMUL_OK;
}

static void *mover_run(void *arg)
{
    struct mover *m = arg;
    m->error.status = mover_work(m);
    return NULL;
}

/* told - tell the caller how far it is. */
static enum gfmul_status told(const struct task *t)
{
    const struct gfmul_files_needs *n = &t->plan.needs;
    const double all = (double)(n->read_bytes + n->write_bytes),
                 done = (double)(t->moved.read_bytes + t->moved.write_bytes) / all;
    if (t->opt->progress == NULL)
        return GFMUL_OK;
    return t->opt->progress(t->opt->progress_arg, done < 1 ? done : 1) != 0 ? GFMUL_ERR_INTERRUPTED : GFMUL_OK;
}

static enum gfmul_status pass_run(struct task *t, const struct pass *p)
{
    if (p->count == 0)
        return GFMUL_OK;
    TRY(p->read(t, p, t->set[0], 0, &t->error));
    for (size_t i = 0; i < p->count; i++) {
        struct mover m = {.task = t, .pass = p, .i = i};
        pthread_t thread;
        const bool apart = (i > 0 || i + 1 < p->count) && thread_quiet(&thread, MOVER_STACK_BYTES, mover_run, &m);
        const enum gfmul_status computed = p->compute(t, p, t->set[i % SETS], i);
        if (apart)
            pthread_join(thread, NULL);
        else if (computed == GFMUL_OK)
            mover_run(&m);
        if (computed != GFMUL_OK)
            return computed;
        if (m.error.status != GFMUL_OK) {
            t->error = m.error;
            return m.error.status;
        }
        TRY(told(t));
    }
    return p->write != NULL ? p->write(t, p, t->set[(p->count - 1) % SETS], p->count - 1, &t->error) : GFMUL_OK;
}

/* ---- text, from its first digit on: residues ---- */

static const struct scratch_text *scanned(const struct task *t, const struct pass *p)
{
    return p->operand < 2 ? &t->operand[p->operand] : &t->product;
}

static size_t scan_bytes(const struct task *t, const struct pass *p, size_t i)
{
    const uint64_t left = scanned(t, p)->digits - (uint64_t)i * t->plan.text_bytes;
    return left < t->plan.text_bytes ? (size_t)left : t->plan.text_bytes;
}

static uint64_t scan_at(const struct task *t, const struct pass *p, size_t i)
{
    return scanned(t, p)->end - scanned(t, p)->digits + (uint64_t)i * t->plan.text_bytes;
}

static enum gfmul_status scan_read(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    return file_read(&t->moved, scanned(t, p)->fd, set, scan_bytes(t, p, i), scan_at(t, p, i), scanned(t, p)->name, e);
}

static enum gfmul_status scan_compute(struct task *t, const struct pass *p, char *set, size_t i)
{
    size_t at;
    if (text_take(&t->check, p->residues, set, scan_bytes(t, p, i), &at) == GFMUL_OK)
        return GFMUL_OK;
    t->report->error_offset = scan_at(t, p, i) + at;
    if (p->operand > 1)
        return scratch_fail(&t->error, GFMUL_ERR_VERIFY, "the product was not read back as it was written");
    t->report->error_operand = (int)p->operand;
    return scratch_fail(&t->error, GFMUL_ERR_SYNTAX, "%s: byte %llu: not a decimal digit", scanned(t, p)->name,
                        (unsigned long long)t->report->error_offset);
}

/* scan_write_lower - a pass over the product moves it by one byte, as its first digit is 0. */
static enum gfmul_status scan_write_lower(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    return file_write(&t->moved, t->product.fd, set, scan_bytes(t, p, i), scan_at(t, p, i) - 1, t->product.name, e);
}

static enum gfmul_status scan_nothing(struct task *t, const struct pass *p, char *set, size_t i)
{
    (void)t;
    (void)p;
    (void)set;
    (void)i;
    return GFMUL_OK;
}

static size_t scan_count(const struct task *t, const struct scratch_text *text)
{
    return (size_t)((text->digits + t->plan.text_bytes - 1) / t->plan.text_bytes);
}

/* scan - the residues of an operand, or of the product (2). */
static enum gfmul_status scan(struct task *t, unsigned operand, uint64_t *residues)
{
    struct pass p = {.operand = operand, .residues = residues, .read = scan_read, .compute = scan_compute};
    memset(residues, 0, GFMUL_RESIDUES_MAX * sizeof *residues);
    p.count = scan_count(t, scanned(t, &p));
    return pass_run(t, &p);
}

/* ---- columns ---- */

static size_t rows_used(const struct task *t, unsigned operand)
{
    const uint64_t row_digits = (uint64_t)t->plan.row_points * t->plan.k;
    return (size_t)((t->operand[operand].digits - 1) / row_digits + 1);
}

/* The buffers of a block of columns: spectra, then text. */
static char *set_text(const struct task *t, char *set)
{
    return set + SCRATCH_PRIMES * t->plan.rows * t->plan.block_points * sizeof(uint64_t);
}

static enum gfmul_status cut_read(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    const size_t width = t->plan.block_points, used = rows_used(t, p->operand);
    for (size_t r = 0; r < used; r++)
        TRY(text_run_read(&t->operand[p->operand], set_text(t, set) + r * width * t->plan.k,
                          (uint64_t)r * t->plan.row_points + i * width, width, t->plan.k, &t->moved, e));
    return GFMUL_OK;
}

static enum gfmul_status cut_compute(struct task *t, const struct pass *p, char *set, size_t i)
{
    return columns_forward(&t->columns, (uint64_t *)(void *)set, set_text(t, set), i, rows_used(t, p->operand));
}

/* cut_write, join_read - the blocks of all rows and primes, at one place of their rows. */
static enum gfmul_status cut_write(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    const uint64_t *words = (const uint64_t *)(const void *)set;
    for (unsigned prime = 0; prime < SCRATCH_PRIMES; prime++)
        for (size_t row = 0; row < t->plan.rows; row++, words += t->plan.block_points)
            TRY(block_write(&t->disk, p->operand, prime, row, i, words, e));
    return GFMUL_OK;
}

static enum gfmul_status join_read(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    uint64_t *words = (uint64_t *)(void *)set;
    (void)p;
    for (unsigned prime = 0; prime < SCRATCH_PRIMES; prime++)
        for (size_t row = 0; row < t->plan.rows; row++, words += t->plan.block_points)
            TRY(block_read(&t->disk, SCRATCH_A, prime, row, i, words, e));
    return GFMUL_OK;
}

static enum gfmul_status join_compute(struct task *t, const struct pass *p, char *set, size_t i)
{
    uint64_t *const words = (uint64_t *)(void *)set;
    (void)p;
    TRY(columns_back(&t->columns, words, i));
    columns_carry(&t->columns, set_text(t, set), t->carry, words);
    return GFMUL_OK;
}

static enum gfmul_status join_write(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    const size_t width = t->plan.block_points;
    (void)p;
    for (size_t r = 0; r < t->plan.rows; r++)
        TRY(text_run_write(&t->product, set_text(t, set) + r * width * t->plan.k, (uint64_t)r * t->plan.row_points + i * width,
                           width, t->plan.k, &t->moved, e));
    return GFMUL_OK;
}

/* ---- rows ---- */

static enum gfmul_status row_read(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    uint64_t *words = (uint64_t *)(void *)set;
    for (unsigned spectrum = SCRATCH_A; spectrum < (t->square ? SCRATCH_B : SCRATCH_SPECTRA); spectrum++)
        for (size_t block = 0; block < t->plan.blocks; block++, words += t->plan.block_points)
            TRY(block_read(&t->disk, spectrum, p->prime, i, block, words, e));
    return GFMUL_OK;
}

static enum gfmul_status row_compute(struct task *t, const struct pass *p, char *set, size_t i)
{
    const struct prime_ring *r = t->ring;
    const size_t n = t->plan.row_points;
    const unsigned threads = t->plan.threads;
    uint64_t *const a = (uint64_t *)(void *)set, *const b = t->square ? a : a + n;
    bool good = r->ops->ring_words_forward(r, a, a, threads) && (b == a || r->ops->ring_words_forward(r, b, b, threads));
    (void)p;
#pragma omp parallel for num_threads(threads) if (threads > 1) reduction(&& : good)
    for (size_t part = 0; part < POINTWISE_PARTS; part++) {
        const size_t first = n / POINTWISE_PARTS * part;
        good = r->ops->ring_words_mul(r, a + first, a + first, b + first, n / POINTWISE_PARTS) && good;
    }
    good = good && r->ops->ring_words_back(r, a, a, a, true, threads);
    return good ? GFMUL_OK : scratch_fail(&t->error, GFMUL_ERR_INTERNAL, "row %zu is not reduced", i);
}

static enum gfmul_status row_write(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    const uint64_t *words = (const uint64_t *)(const void *)set;
    for (size_t block = 0; block < t->plan.blocks; block++, words += t->plan.block_points)
        TRY(block_write(&t->disk, SCRATCH_A, p->prime, i, block, words, e));
    return GFMUL_OK;
}

/* rows_multiply - all rows modulo one prime. */
static enum gfmul_status rows_multiply(struct task *t, unsigned prime)
{
    const struct prime_ops *ops = prime_word_ops(t->isa, t->plan.levels, scratch_primes[prime].p, t->disable);
    const struct pass p = {.count = t->plan.rows, .prime = prime, .read = row_read, .compute = row_compute, .write = row_write};
    TRY(prime_ring_create(&t->ring, &scratch_primes[prime], 1, t->plan.levels, false, ops));
    const enum gfmul_status status = pass_run(t, &p);
    prime_ring_destroy(t->ring);
    t->ring = NULL;
    return status;
}

/* ---- the product ---- */

static enum gfmul_status convolve(struct task *t)
{
    struct pass p = {.count = t->plan.blocks, .read = cut_read, .compute = cut_compute, .write = cut_write};
    for (; p.operand < (t->square ? 1 : 2); p.operand++)
        TRY(pass_run(t, &p));
    for (unsigned prime = 0; prime < SCRATCH_PRIMES; prime++)
        TRY(rows_multiply(t, prime));
    t->disk.product = true;
    const struct pass join = {.count = t->plan.blocks, .read = join_read, .compute = join_compute, .write = join_write};
    TRY(pass_run(t, &join));
    for (uint64_t r = 0; r < t->plan.rows; r++) /* what comes out of each row goes into the next one */
        TRY(text_carry(&t->product, (r + 1) * t->plan.row_points * t->plan.k, t->carry[r * (SCRATCH_RUNS + 1)], &t->moved,
                       &t->error));
    return GFMUL_OK;
}

/* frame_write - sign and line end. */
static enum gfmul_status frame_write(struct task *t)
{
    if (t->product.negative)
        TRY(file_write(&t->moved, t->product.fd, "-", 1, 0, t->product.name, &t->error));
    return file_write(&t->moved, t->product.fd, "\n", 1, t->product.end, t->product.name, &t->error);
}

/* frame_check - read them back. */
static enum gfmul_status frame_check(struct task *t)
{
    const uint64_t first = t->product.negative ? 0 : t->product.end; /* the first character that is no digit */
    for (uint64_t at = first;; at = t->product.end) {
        char c;
        TRY(file_read(&t->moved, t->product.fd, &c, 1, at, t->product.name, &t->error));
        if (c != (at == t->product.end ? '\n' : '-'))
            return scratch_fail(&t->error, GFMUL_ERR_VERIFY, "the product was not read back as it was written");
        if (at == t->product.end)
            return GFMUL_OK;
    }
}

/* zero_drop - move the product if its first digit is 0. */
static enum gfmul_status zero_drop(struct task *t)
{
    struct scratch_text *z = &t->product;
    char first;
    TRY(file_read(&t->moved, z->fd, &first, 1, z->end - z->digits, z->name, &t->error));
    if (first != '0')
        return GFMUL_OK;
    z->digits--;
    struct pass p = {.operand = 2, .read = scan_read, .compute = scan_nothing, .write = scan_write_lower};
    p.count = scan_count(t, z);
    TRY(pass_run(t, &p));
    z->end--;
    if (scratch_calls.resize(z->fd, (off_t)(z->end + 1)) != 0)
        return scratch_fail(&t->error, GFMUL_ERR_FILE, "%s: cannot be shortened", z->name);
    return frame_write(t);
}

/* check_set - draw the primes of the check. */
static enum gfmul_status check_set(struct task *t)
{
    const double bits = (double)(t->operand[0].digits + t->operand[1].digits) * 3.33;
    t->check = (struct scratch_check){
        .n = residue_primes_needed(bits, RESIDUE_BITS), .isa_bit = t->isa->isa_bit, .threads = t->plan.threads};
    if (t->check.n == 0)
        return scratch_fail(&t->error, GFMUL_ERR_SIZE, "the product is too long for its check");
    if (!residue_primes_draw(RESIDUE_BITS, t->check.prime, t->check.n))
        return scratch_fail(&t->error, GFMUL_ERR_UNSUPPORTED, "the system has no source of random numbers");
    return GFMUL_OK;
}

static enum gfmul_status checked_product(struct task *t)
{
    uint64_t r[3][GFMUL_RESIDUES_MAX];
    TRY(check_set(t));
    for (unsigned i = 0; i < (t->square ? 1 : 2); i++)
        TRY(scan(t, i, r[i]));
    if (t->square)
        memcpy(r[1], r[0], sizeof r[1]);
    TRY(convolve(t));
    TRY(frame_write(t));
    TRY(zero_drop(t));
    TRY(frame_check(t));
    TRY(scan(t, 2, r[2]));
    t->report->n_residues = t->check.n;
    for (unsigned i = 0; i < t->check.n; i++) {
        const uint64_t p = t->check.prime[i];
        t->report->residue[i] = (struct gfmul_residue){p, r[0][i], r[1][i], r[2][i]};
        if (residue_mul(r[0][i], r[1][i], p) != r[2][i])
            return scratch_fail(&t->error, GFMUL_ERR_VERIFY, "the product disagrees with the operands modulo %llu",
                                (unsigned long long)p);
    }
    return GFMUL_OK;
}

/* memory_take - everything but what a single block needs. */
static enum gfmul_status memory_take(struct task *t)
{
    const struct scratch_plan *plan = &t->plan;
    for (unsigned i = 0; i < SETS; i++)
        if ((t->set[i] = alloc_aligned(plan->set_bytes)) == NULL)
            return GFMUL_ERR_MEMORY;
    t->carry = alloc_zeroed((SCRATCH_RUNS + 1) * plan->rows * sizeof *t->carry);
    return t->carry == NULL ? GFMUL_ERR_MEMORY : columns_create(&t->columns, plan);
}

static void memory_give(struct task *t)
{
    columns_destroy(&t->columns);
    alloc_free(t->carry);
    for (unsigned i = 0; i < SETS; i++)
        alloc_free(t->set[i]);
}

/* zero_write - the product of 0. */
static enum gfmul_status zero_write(struct task *t)
{
    char back[2];
    TRY(file_write(&t->moved, t->product.fd, "0\n", 2, 0, t->product.name, &t->error));
    TRY(file_read(&t->moved, t->product.fd, back, 2, 0, t->product.name, &t->error));
    return back[0] == '0' && back[1] == '\n'
               ? GFMUL_OK
               : scratch_fail(&t->error, GFMUL_ERR_VERIFY, "the product was not read back as it was written");
}

static enum gfmul_status product_write(struct task *t)
{
    if (t->product.digits == 0)
        return zero_write(t);
    enum gfmul_status status = file_reserve(t->product.fd, t->plan.needs.product_bytes, t->product.name, &t->error);
    if (status == GFMUL_OK)
        status = scratch_disk_open(&t->disk, &t->plan, t->opt->scratch, t->opt->n_scratch, &t->moved, &t->error);
    if (status == GFMUL_OK)
        status = memory_take(t);
    if (status == GFMUL_OK)
        status = checked_product(t);
    memory_give(t);
    scratch_disk_close(&t->disk);
    return status;
}

/* ---- before ---- */

/* product_digits - how many digits a product of two numbers has; one more if the first 18 of each do not tell. */
static uint64_t product_digits(const struct scratch_text *a, const struct scratch_text *b)
{
    unsigned __int128 tens = 1,
                      high = (unsigned __int128)(a->top + (a->digits > a->top_digits)) * (b->top + (b->digits > b->top_digits));
    for (unsigned i = 1; i < a->top_digits + b->top_digits; i++)
        tens *= 10;
    const bool exact = a->digits == a->top_digits && b->digits == b->top_digits;
    return a->digits + b->digits - (exact ? high < tens : high <= tens);
}

/* space_check - whether file systems have the room.   z in: -1: the product's is not looked for */
static enum gfmul_status space_check(struct task *t, int z)
{
    const struct gfmul_files_needs *n = &t->plan.needs;
    const size_t folders = t->opt->n_scratch;
    const uint64_t each = (n->scratch_bytes + folders - 1) / folders + n->block_points * sizeof(uint64_t);
    dev_t device[SCRATCH_FOLDERS + 1];
    uint64_t needed[SCRATCH_FOLDERS + 1];
    for (size_t i = 0; i < folders + (z >= 0); i++) {
        const char *name = i < folders ? t->opt->scratch[i] : t->product.name;
        struct stat st;
        uint64_t there;
        if ((i < folders ? stat(name, &st) : fstat(z, &st)) != 0 || scratch_calls.room(i < folders ? name : NULL, z, &there) != 0)
            return scratch_fail(&t->error, GFMUL_ERR_FILE, "%s: no such folder, or not to be seen", name);
        if (i < folders && (!S_ISDIR(st.st_mode) || access(name, W_OK | X_OK) != 0))
            return scratch_fail(&t->error, GFMUL_ERR_FILE, "%s: not a folder that can be written to", name);
        device[i] = st.st_dev;
        needed[i] = i < folders ? each : n->product_bytes;
        for (size_t j = 0; j < i; j++) /* of one file system: all of them together */
            needed[i] += device[j] == device[i] ? (j < folders ? each : n->product_bytes) : 0;
        if (there < needed[i])
            return scratch_fail(&t->error, GFMUL_ERR_SPACE, "%s: %llu bytes of disk are needed, and %llu are there", name,
                                (unsigned long long)needed[i], (unsigned long long)there);
    }
    return GFMUL_OK;
}

/* open_twice - text_open, and once more: no residue would tell if its ends or its sign were misread. */
static enum gfmul_status open_twice(struct task *t, struct scratch_text *text, int fd, const char *name)
{
    struct scratch_text again;
    TRY(text_open(text, fd, name, &t->moved, &t->error));
    TRY(text_open(&again, fd, name, &t->moved, &t->error));
    if (again.negative == text->negative && again.file_bytes == text->file_bytes && again.digits == text->digits &&
        again.end == text->end && again.top == text->top)
        return GFMUL_OK;
    return scratch_fail(&t->error, GFMUL_ERR_FILE, "%s: was read twice, and has changed", name);
}

static enum gfmul_status operand_open(struct task *t, int i, int fd)
{
    const enum gfmul_status status = open_twice(t, &t->operand[i], fd, i == 0 ? "the first operand" : "the second operand");
    if (status == GFMUL_ERR_SYNTAX || status == GFMUL_ERR_EMPTY) {
        t->report->error_operand = i;
        t->report->error_offset = t->operand[i].error_offset;
    }
    return status;
}

static bool same_file(int a, int b)
{
    struct stat s, u;
    return a == b || (fstat(a, &s) == 0 && fstat(b, &u) == 0 && s.st_dev == u.st_dev && s.st_ino == u.st_ino);
}

/* task_plan - open the operands, and choose. */
static enum gfmul_status task_plan(struct task *t, int z, int a, int b)
{
    const size_t usable = memory_usable();
    t->square = same_file(a, b);
    TRY(operand_open(t, 0, a));
    if (t->square)
        t->operand[1] = t->operand[0];
    else
        TRY(operand_open(t, 1, b));
    const bool negative = t->operand[0].negative != t->operand[1].negative;
    t->product = (struct scratch_text){.fd = z, .name = "the product"};
    if (t->operand[0].digits == 0 || t->operand[1].digits == 0) {
        t->plan.needs = (struct gfmul_files_needs){.product_bytes = 2,
                                                   .read_bytes = t->moved.read_bytes + 2,
                                                   .write_bytes = 2,
                                                   .a_digits = t->operand[0].digits,
                                                   .b_digits = t->operand[1].digits,
                                                   .product_digits = 1};
        return GFMUL_OK;
    }
    t->product.negative = negative;
    t->product.digits = product_digits(&t->operand[0], &t->operand[1]);
    t->product.end = t->product.digits + negative;
    const uint64_t memory = t->opt->memory_limit != 0 ? t->opt->memory_limit : usable != 0 ? usable / 4 * 3 : SIZE_MAX;
    const struct scratch_task task = {
        .digits = {t->operand[0].digits, t->operand[1].digits},
        .product_digits = t->product.digits,
        .extra = 1 + negative,
        .square = t->square,
        .threads = threads_available(t->opt->threads),
        .memory = usable != 0 && usable < memory ? usable : memory,
        .opened = t->moved.read_bytes,
    };
    TRY(scratch_plan_set(&t->plan, &task, &t->error));
    return space_check(t, z);
}

void gfmul_files_options_init(struct gfmul_files_options *opt)
{
    if (opt == NULL)
        return;
    memset(opt, 0, sizeof *opt);
    opt->struct_bytes = sizeof *opt;
}

/* options_take - a copy of the caller's options.   false: they are not valid */
static bool options_take(struct gfmul_files_options *opt, const struct gfmul_files_options *given)
{
    gfmul_files_options_init(opt);
    if (given == NULL || given->struct_bytes == 0 || given->struct_bytes > sizeof *opt)
        return false;
    memcpy(opt, given, given->struct_bytes);
    if (opt->scratch == NULL || opt->n_scratch == 0 || opt->n_scratch > SCRATCH_FOLDERS || opt->threads > THREADS_MOST)
        return false;
    for (size_t i = 0; i < opt->n_scratch; i++)
        if (opt->scratch[i] == NULL)
            return false;
    return true;
}

/* z_valid - whether the product may go there. */
static enum gfmul_status z_valid(struct task *t, int z, int a, int b)
{
    struct stat st;
    const int flags = fcntl(z, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) != O_RDWR || (flags & O_APPEND) != 0 || fstat(z, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size != 0)
        return scratch_fail(&t->error, GFMUL_ERR_ARGUMENT,
                            "the product needs an empty regular file, open for reading and writing");
    return same_file(z, a) || same_file(z, b) ? GFMUL_ERR_OVERLAP : GFMUL_OK;
}

static enum gfmul_status files_run(int z, int a, int b, const struct gfmul_files_options *given,
                                   struct gfmul_files_report *report, bool multiply)
{
    ROUND_TO_NEAREST;
    struct gfmul_files_report own;
    struct gfmul_files_options opt;
    const uint64_t start = clock_ns();
    const char *disable = environment_get("GFMUL_DISABLE");
    report = report != NULL ? report : &own;
    *report = (struct gfmul_files_report){.status = GFMUL_ERR_ARGUMENT, .error_operand = -1};
    if (!options_take(&opt, given))
        return GFMUL_ERR_ARGUMENT;
    struct task t = {.opt = &opt, .report = report, .isa = isa_ops_select(cpu_isa_mask(disable)), .disable = disable};
    enum gfmul_status status = multiply || z >= 0 ? z_valid(&t, z, a, b) : GFMUL_OK;
    if (status == GFMUL_OK)
        status = task_plan(&t, z, a, b);
    report->needs = t.plan.needs;
    if (status == GFMUL_OK && multiply) {
        status = product_write(&t);
        if (status != GFMUL_OK && scratch_calls.resize(z, 0) != 0 && status != GFMUL_ERR_FILE)
            status = scratch_fail(&t.error, GFMUL_ERR_FILE, "the product: cannot be emptied after an error");
    }
    report->status = status;
    if (status != GFMUL_OK && t.error.status == status)
        memcpy(report->detail, t.error.detail, sizeof report->detail);
    report->read_bytes = t.moved.read_bytes;
    report->write_bytes = t.moved.write_bytes;
    report->move_ns = t.moved.ns;
    report->total_ns = clock_ns() - start;
    return status;
}

enum gfmul_status gfmul_files_plan(int z, int a, int b, const struct gfmul_files_options *opt, struct gfmul_files_report *report)
{
    return files_run(z, a, b, opt, report, false);
}

enum gfmul_status gfmul_files_mul(int z, int a, int b, const struct gfmul_files_options *opt, struct gfmul_files_report *report)
{
    return files_run(z, a, b, opt, report, true);
}
