/*
 * scratch_passes.c - products of numbers in files: the passes over blocks.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * There are two sets of buffers.  While a block is computed in one of them, a thread writes the block before it from the other
 * one, and then reads the block behind it into that.
 */
#include <pthread.h>
#include <string.h>

#include "base/thread_quiet.h"
#include "base/try.h"
#include "scratch/scratch_passes.h"
#include "stages/stage_ops.h"

enum { SETS = SCRATCH_SETS, MOVER_STACK_BYTES = 256 << 10, POINTWISE_PARTS = 64, SUMS_BACK = 64 };

/* A loop over blocks.  read and write run beside compute, on another set of buffers. */
struct pass {
    size_t first, count;
    uint64_t step; /* of block 0, as the manifest counts them */
    unsigned operand, prime;
    uint64_t *residues; /* of a pass over a number */
    enum gfmul_status (*read)(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e);
    enum gfmul_status (*compute)(struct task *t, const struct pass *p, char *set, size_t i);
    enum gfmul_status (*write)(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e); /* or NULL */
};

static enum gfmul_status block_remake(struct task *t, struct scratch_error *e);

/* ---- the loop ---- */

/* What moves while a block is computed. */
struct mover {
    struct task *task;
    const struct pass *pass;
    size_t i;     /* the block that is computed */
    bool written; /* the block before it has been */
    struct scratch_error error;
};

static enum gfmul_status mover_work(struct mover *m)
{
    const struct pass *p = m->pass;
    char *const set = m->task->set[(m->i + 1) % SETS];
    if (!m->written)
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
                 done = (double)(t->resume.skipped_bytes + t->moved.read_bytes + t->moved.write_bytes) / all;
    if (t->opt->progress == NULL)
        return GFMUL_OK;
    return t->opt->progress(t->opt->progress_arg, done < 1 ? done : 1) != 0 ? GFMUL_ERR_INTERRUPTED : GFMUL_OK;
}

/*
 * read_repaired - read block i again, after each scratch block that was damaged has been made again.
 *
 *   e  i/o  in: the error of the first reading
 * Both sets of buffers are used.  A block that is damaged once more is an error.
 */
static enum gfmul_status read_repaired(struct task *t, const struct pass *p, size_t i, struct scratch_error *e)
{
    uint64_t next = 0; /* blocks are read in the order of their numbers */
    while (e->status == GFMUL_ERR_VERIFY && e->damaged && place_id(&t->disk, e->place) >= next) {
        next = place_id(&t->disk, e->place) + 1;
        TRY(block_remake(t, e));
        e->status = p->read(t, p, t->set[i % SETS], i, e);
    }
    return e->status;
}

static enum gfmul_status pass_run(struct task *t, const struct pass *p)
{
    bool written = true;
    if (p->first == p->count)
        return GFMUL_OK;
    t->error.status = p->read(t, p, t->set[p->first % SETS], p->first, &t->error);
    TRY(read_repaired(t, p, p->first, &t->error));
    for (size_t i = p->first; i < p->count; i++) {
        struct mover m = {.task = t, .pass = p, .i = i, .written = written};
        pthread_t thread;
        const bool apart = (!written || i + 1 < p->count) && thread_quiet(&thread, MOVER_STACK_BYTES, mover_run, &m);
        const enum gfmul_status computed = p->compute(t, p, t->set[i % SETS], i);
        if (apart)
            pthread_join(thread, NULL);
        else if (computed == GFMUL_OK)
            mover_run(&m);
        if (computed != GFMUL_OK)
            return computed;
        written = p->write == NULL;
        if (m.error.status != GFMUL_OK) {
            t->error = m.error;
            if (m.error.damaged && !written) {
                TRY(p->write(t, p, t->set[i % SETS], i, &m.error));
                written = true;
            }
            TRY(read_repaired(t, p, i + 1, &t->error));
        }
        TRY(told(t));
    }
    return written ? GFMUL_OK : p->write(t, p, t->set[(p->count - 1) % SETS], p->count - 1, &t->error);
}

/* ---- numbers from end to end: residues, checksums ---- */

static const struct scratch_number *scanned(const struct task *t, const struct pass *p)
{
    return p->operand < 2 ? &t->operand[p->operand] : &t->product;
}

/* scan_piece - units that are read at once.  Checksums of a binary number take the other half of the room. */
static size_t scan_piece(const struct task *t, bool binary)
{
    return binary ? t->plan.text_bytes / 2 : t->plan.text_bytes;
}

static size_t scan_bytes(const struct task *t, const struct pass *p, size_t i)
{
    const struct scratch_number *n = scanned(t, p);
    const size_t piece = scan_piece(t, n->binary);
    const uint64_t left = n->digits - (uint64_t)i * piece;
    return left < piece ? (size_t)left : piece;
}

/* scan_at - where a piece is: of text the most significant one comes first, of a binary number the least significant one. */
static uint64_t scan_at(const struct task *t, const struct pass *p, size_t i)
{
    const struct scratch_number *n = scanned(t, p);
    return number_at(n, 0, n->binary ? 0 : n->digits) + (uint64_t)i * scan_piece(t, n->binary);
}

/* The checksums of the blocks that end in a piece: their place in memory, the first one's in the file, their number. */
static uint64_t *scan_sums(const struct task *t, const struct pass *p, char *set, size_t i, uint64_t *at, size_t *count)
{
    const struct scratch_number *n = scanned(t, p);
    const uint64_t first = (uint64_t)i * scan_piece(t, true) / 8;
    *count = binary_sums_ended(n->digits / 8, n->block_limbs, first, scan_bytes(t, p, i) / 8);
    *at = binary_sum_at(n, first / n->block_limbs);
    return (uint64_t *)(void *)(set + scan_piece(t, true));
}

static enum gfmul_status scan_read(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    const struct scratch_number *n = scanned(t, p);
    uint64_t at;
    size_t count;
    TRY(file_read(&t->moved, n->fd, set, scan_bytes(t, p, i), scan_at(t, p, i), n->name, e));
    if (!n->binary || p->operand > 1)
        return GFMUL_OK;
    uint64_t *const sums = scan_sums(t, p, set, i, &at, &count);
    return count == 0 ? GFMUL_OK : file_read(&t->moved, n->fd, sums, count * sizeof *sums, at, n->name, e);
}

/* scan_binary - of a piece of limbs. */
static enum gfmul_status scan_binary(struct task *t, const struct pass *p, char *set, size_t i)
{
    mp_limb_t *const a = (mp_limb_t *)(void *)set;
    const size_t n = scan_bytes(t, p, i) / sizeof *a;
    uint64_t at;
    size_t count;
    uint64_t *const sums = scan_sums(t, p, set, i, &at, &count);
    binary_limbs(a, n);
    binary_take(&t->check, p->residues, a, n, (uint64_t)i * scan_piece(t, true) / sizeof *a);
    if (binary_sums_take(&t->sums, a, n, i + 1 == p->count, sums, p->operand < 2))
        return GFMUL_OK;
    t->report->error_operand = (int)p->operand;
    return binary_damaged(&t->operand[p->operand], t->sums.block, &t->error);
}

static enum gfmul_status scan_compute(struct task *t, const struct pass *p, char *set, size_t i)
{
    size_t at;
    if (scanned(t, p)->binary)
        return scan_binary(t, p, set, i);
    if (text_take(&t->check, p->residues, set, scan_bytes(t, p, i), &at) == GFMUL_OK)
        return GFMUL_OK;
    if (p->operand > 1)
        return scratch_fail(&t->error, GFMUL_ERR_VERIFY, "the product was not read back as it was written");
    t->report->error_operand = (int)p->operand;
    t->operand[p->operand].error_offset = scan_at(t, p, i) + at;
    return scratch_fail(&t->error, GFMUL_ERR_SYNTAX, "not a decimal digit");
}

/* scan_write_sums - the checksums of the product's blocks, which are read back. */
static enum gfmul_status scan_write_sums(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    uint64_t at, back[SUMS_BACK];
    size_t count;
    const uint64_t *sums = scan_sums(t, p, set, i, &at, &count);
    while (count > 0) {
        const size_t n = count < SUMS_BACK ? count : SUMS_BACK;
        TRY(file_write(&t->moved, t->product.fd, sums, n * sizeof *sums, at, t->product.name, e));
        TRY(file_read(&t->moved, t->product.fd, back, n * sizeof *sums, at, t->product.name, e));
        if (memcmp(back, sums, n * sizeof *sums) != 0)
            return scratch_fail(e, GFMUL_ERR_VERIFY, "the product was not read back as it was written");
        sums += n;
        at += n * sizeof *sums;
        count -= n;
    }
    return GFMUL_OK;
}

/* scan_write_lower - a stretch of the product, moved by one byte. */
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

static size_t scan_count(const struct task *t, const struct scratch_number *n)
{
    const size_t piece = scan_piece(t, n->binary);
    return (size_t)((n->digits + piece - 1) / piece);
}

enum gfmul_status product_scan(struct task *t, unsigned operand, uint64_t *residues)
{
    struct pass p = {.operand = operand, .residues = residues, .read = scan_read, .compute = scan_compute};
    const struct scratch_number *n = scanned(t, &p);
    memset(residues, 0, GFMUL_RESIDUES_MAX * sizeof *residues);
    p.count = scan_count(t, n);
    if (n->binary)
        binary_sums_begin(&t->sums, n->block_limbs, t->isa->isa_bit);
    if (n->binary && operand > 1)
        p.write = scan_write_sums;
    return pass_run(t, &p);
}

enum gfmul_status product_lower(struct task *t)
{
    const struct pass p = {
        .count = scan_count(t, &t->product), .operand = 2, .read = scan_read, .compute = scan_nothing, .write = scan_write_lower};
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
    return set + WORD_PRIMES * t->plan.rows * t->plan.block_points * sizeof(uint64_t);
}

static enum gfmul_status cut_read(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    const size_t width = t->plan.block_points, used = rows_used(t, p->operand);
    for (size_t r = 0; r < used; r++)
        TRY(number_run_read(&t->operand[p->operand], set_text(t, set) + r * width * t->plan.k,
                            (uint64_t)r * t->plan.row_points + i * width, width, t->plan.k, &t->moved, e));
    return GFMUL_OK;
}

static enum gfmul_status cut_compute(struct task *t, const struct pass *p, char *set, size_t i)
{
    return columns_forward(&t->columns, (uint64_t *)(void *)set, set_text(t, set), i, rows_used(t, p->operand));
}

/* column_run - the blocks of all rows and primes, at one place of their rows. */
static struct scratch_run column_run(const struct task *t, unsigned spectrum, size_t i)
{
    return (struct scratch_run){.spectrum = spectrum, .at = i, .count = WORD_PRIMES * t->plan.rows};
}

static enum gfmul_status cut_write(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    const struct scratch_run run = column_run(t, p->operand, i);
    TRY(run_write(&t->disk, &run, (uint64_t *)(void *)set, true, e));
    return resume_record(t, p->step + i, e);
}

static enum gfmul_status join_read(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    const struct scratch_run run = column_run(t, SCRATCH_A, i);
    (void)p;
    return run_read(&t->disk, &run, (uint64_t *)(void *)set, e);
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
        TRY(number_run_write(&t->product, set_text(t, set) + r * width * t->plan.k, (uint64_t)r * t->plan.row_points + i * width,
                             width, t->plan.k, &t->moved, e));
    return GFMUL_OK;
}

/* ---- rows ---- */

/* row_run - the blocks of a row in so many spectra. */
static struct scratch_run row_run(const struct task *t, unsigned prime, size_t i, unsigned spectra)
{
    return (struct scratch_run){.row = true, .spectrum = SCRATCH_A, .prime = prime, .at = i, .count = spectra * t->plan.blocks};
}

static enum gfmul_status row_read(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    const struct scratch_run run = row_run(t, p->prime, i, t->square ? 1 : 2);
    return run_read(&t->disk, &run, (uint64_t *)(void *)set, e);
}

/* The products of the words of two rows. */
struct pointwise {
    const struct prime_ring *ring;
    uint64_t *a;
    const uint64_t *b;
    size_t part;
    atomic_bool bad;
};

static void pointwise_run(void *arg, unsigned t, size_t first, size_t end)
{
    struct pointwise *const w = arg;
    const size_t at = first * w->part;
    (void)t;
    if (!w->ring->ops->ring_words_mul(w->ring, w->a + at, w->a + at, w->b + at, (end - first) * w->part))
        atomic_store(&w->bad, true);
}

static enum gfmul_status row_compute(struct task *t, const struct pass *p, char *set, size_t i)
{
    const struct prime_ring *r = t->ring;
    const size_t n = t->plan.row_points;
    const unsigned threads = t->plan.threads;
    uint64_t *const a = (uint64_t *)(void *)set, *const b = t->square ? a : a + n;
    bool good = r->ops->ring_words_forward(r, a, a, threads) && (b == a || r->ops->ring_words_forward(r, b, b, threads));
    (void)p;
    struct pointwise w = {r, a, b, n / POINTWISE_PARTS, false};
    parallel_for(threads, POINTWISE_PARTS, 1, pointwise_run, &w);
    good = good && !w.bad && r->ops->ring_words_back(r, a, a, a, true, threads);
    return good ? GFMUL_OK : scratch_fail(&t->error, GFMUL_ERR_INTERNAL, "row %zu is not reduced", i);
}

static enum gfmul_status row_write(struct task *t, const struct pass *p, char *set, size_t i, struct scratch_error *e)
{
    const struct scratch_run run = row_run(t, p->prime, i, 1);
    uint64_t *const words = (uint64_t *)(void *)set;
    for (size_t j = 0; j < run.count; j++)
        block_note(&t->disk, run_place(&t->disk, &run, j), words + j * t->plan.block_points);
    TRY(resume_record(t, p->step + i, e)); /* before the row is replaced */
    return run_write(&t->disk, &run, words, false, e);
}

/* ring_take, ring_give - the tables of a prime. */
static enum gfmul_status ring_take(struct task *t, unsigned prime)
{
    const struct prime_ops *ops = prime_word_ops(t->isa, t->plan.levels, word_primes[prime].p, t->disable);
    return prime_ring_create(&t->ring, &word_primes[prime], 1, t->plan.levels, false, ops);
}

static void ring_give(struct task *t)
{
    prime_ring_destroy(t->ring);
    t->ring = NULL;
}

/* rows_multiply - all rows modulo one prime. */
static enum gfmul_status rows_multiply(struct task *t, unsigned prime)
{
    struct pass p = {.count = t->plan.rows, .prime = prime, .read = row_read, .compute = row_compute, .write = row_write};
    p.step = (t->square ? 1 : 2) * (uint64_t)t->plan.blocks + prime * (uint64_t)p.count;
    p.first = resume_first(t, p.step, p.count);
    if (p.first == p.count)
        return GFMUL_OK;
    TRY(ring_take(t, prime));
    const enum gfmul_status status = pass_run(t, &p);
    ring_give(t);
    return status == GFMUL_OK ? resume_flush(t) : status;
}

/* ---- damaged blocks ---- */

/* block_cut - cut one block of an operand's spectrum again.   to out: block_points words; work in: a set of buffers */
static enum gfmul_status block_cut(struct task *t, struct scratch_place at, uint64_t *to, char *work, struct scratch_error *e)
{
    const struct pass p = {.operand = at.spectrum};
    const size_t width = t->plan.block_points;
    TRY(cut_read(t, &p, work, at.block, e));
    const enum gfmul_status status = cut_compute(t, &p, work, at.block);
    if (status != GFMUL_OK)
        return scratch_fail(e, status, "no memory to make a damaged block again");
    memcpy(to, (const uint64_t *)(const void *)work + (at.prime * t->plan.rows + at.row) * width, width * sizeof *to);
    return GFMUL_OK;
}

/* row_remake - make a row of the product again: from a, and from the spectrum of b.   a out: both sets of buffers are used */
static enum gfmul_status row_remake(struct task *t, struct scratch_place at, struct scratch_error *e)
{
    const struct pass p = {.prime = at.prime};
    uint64_t *a = (uint64_t *)(void *)t->set[0];
    for (unsigned spectrum = SCRATCH_A; spectrum < (t->square ? SCRATCH_B : SCRATCH_SPECTRA); spectrum++)
        for (size_t block = 0; block < t->plan.blocks; block++, a += t->plan.block_points) {
            const struct scratch_place of = {spectrum, at.prime, at.row, block};
            struct scratch_error other = {.damaged = true};
            other.status = spectrum == SCRATCH_A ? GFMUL_ERR_VERIFY : block_read(&t->disk, of, a, &other);
            if (other.status == GFMUL_OK)
                continue;
            TRY(other.damaged ? block_cut(t, of, a, t->set[1], e) : (*e = other).status);
        }
    TRY(ring_take(t, at.prime));
    const enum gfmul_status status = row_compute(t, &p, t->set[0], at.row);
    ring_give(t);
    return status;
}

/*
 * block_remake - make a damaged block again from its inputs, and write it.
 *
 *   e  i/o  the error that names it
 * A block of an operand is cut again.  For one of the product the whole row is multiplied again.  Both sets of buffers are used.
 */
static enum gfmul_status block_remake(struct task *t, struct scratch_error *e)
{
    const struct scratch_place at = e->place;
    const bool product = t->disk.product && at.spectrum == SCRATCH_A;
    uint64_t *const words = (uint64_t *)(void *)t->set[0];
    if (t->report->remade_blocks++ == 0)
        memcpy(t->report->remade, e->detail, sizeof t->report->remade);
    TRY(product ? row_remake(t, at, e) : block_cut(t, at, words, t->set[1], e));
    return block_restore(&t->disk, words + (product ? at.block * t->plan.block_points : 0), e);
}

/* ---- all of them ---- */

enum gfmul_status product_convolve(struct task *t)
{
    struct pass p = {.count = t->plan.blocks, .read = cut_read, .compute = cut_compute, .write = cut_write};
    for (; p.operand < (t->square ? 1 : 2); p.operand++, p.step += p.count) {
        p.first = resume_first(t, p.step, p.count);
        TRY(pass_run(t, &p));
        if (p.first < p.count)
            TRY(resume_flush(t));
    }
    for (unsigned prime = 0; prime < WORD_PRIMES; prime++)
        TRY(rows_multiply(t, prime));
    t->disk.product = true;
    const struct pass join = {.count = t->plan.blocks, .read = join_read, .compute = join_compute, .write = join_write};
    TRY(pass_run(t, &join));
    for (uint64_t r = 0; r < t->plan.rows; r++) /* what comes out of each row goes into the next one */
        TRY(number_carry(&t->product, (r + 1) * t->plan.row_points * t->plan.k, t->carry[r * (SCRATCH_RUNS + 1)], &t->moved,
                         &t->error));
    return GFMUL_OK;
}
