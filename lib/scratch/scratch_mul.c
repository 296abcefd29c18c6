/*
 * scratch_mul.c - products of numbers in files: planning, the product around its passes, the calls.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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
#include "scratch/scratch_passes.h"
#include "stages/stage_ops.h"

enum {
    THREADS_MOST = 1024,
    ZERO_PIECE_LEAST = 1 << 14, /* bytes that are read at once of the other operand of 0 */
    ZERO_PIECE_MOST = 1 << 20
};

/* ---- the product ---- */

static enum gfmul_status not_read_back(struct task *t)
{
    return scratch_fail(&t->error, GFMUL_ERR_VERIFY, "the product was not read back as it was written");
}

/* head_write - the head of a binary product;  head_check - read it back. */
static enum gfmul_status head_write(struct task *t)
{
    char head[BINARY_HEAD_BYTES];
    binary_head_put(head, &t->product);
    return file_write(&t->moved, t->product.fd, head, sizeof head, 0, t->product.name, &t->error);
}

static enum gfmul_status head_check(struct task *t)
{
    char head[BINARY_HEAD_BYTES], back[BINARY_HEAD_BYTES];
    binary_head_put(head, &t->product);
    TRY(file_read(&t->moved, t->product.fd, back, sizeof back, 0, t->product.name, &t->error));
    return memcmp(head, back, sizeof head) == 0 ? GFMUL_OK : not_read_back(t);
}

/* frame_write - sign and line end, or the head. */
static enum gfmul_status frame_write(struct task *t)
{
    if (t->product.binary)
        return head_write(t);
    if (t->product.negative)
        TRY(file_write(&t->moved, t->product.fd, "-", 1, 0, t->product.name, &t->error));
    return file_write(&t->moved, t->product.fd, "\n", 1, t->product.end, t->product.name, &t->error);
}

/* frame_check - read them back. */
static enum gfmul_status frame_check(struct task *t)
{
    const uint64_t first = t->product.negative ? 0 : t->product.end; /* the first character that is no digit */
    if (t->product.binary)
        return head_check(t);
    for (uint64_t at = first;; at = t->product.end) {
        char c;
        TRY(file_read(&t->moved, t->product.fd, &c, 1, at, t->product.name, &t->error));
        if (c != (at == t->product.end ? '\n' : '-'))
            return not_read_back(t);
        if (at == t->product.end)
            return GFMUL_OK;
    }
}

/* zero_drop - move the product if its first digit is 0.  The highest limb of a binary product is dropped. */
static enum gfmul_status zero_drop(struct task *t)
{
    struct scratch_number *z = &t->product;
    const unsigned units = z->binary ? sizeof(mp_limb_t) : 1;
    static const char zero[sizeof(mp_limb_t)];
    char first[sizeof(mp_limb_t)];
    TRY(file_read(&t->moved, z->fd, first, units, number_at(z, z->digits - units, units), z->name, &t->error));
    if (z->binary ? memcmp(first, zero, units) != 0 : first[0] != '0')
        return GFMUL_OK;
    z->digits -= units;
    if (!z->binary)
        TRY(product_lower(t));
    z->end -= units;
    const uint64_t bytes = z->binary ? binary_file_bytes(z->digits / units, z->block_limbs) : z->end + 1;
    if (scratch_calls.resize(z->fd, (off_t)bytes) != 0)
        return scratch_fail(&t->error, GFMUL_ERR_FILE, "%s: cannot be shortened", z->name);
    return frame_write(t);
}

/* check_set - draw the primes of the check. */
static enum gfmul_status check_set(struct task *t)
{
    const double bits = (double)(t->operand[0].digits + t->operand[1].digits) * (t->product.binary ? 8 : 3.33);
    t->check.n = residue_primes_needed(bits, RESIDUE_BITS);
    t->check.isa_bit = t->isa->isa_bit;
    t->check.threads = t->plan.threads;
    if (t->resume.found) {
        t->check.n = (unsigned)t->resume.head.n_primes;
        memcpy(t->check.prime, t->resume.head.prime, sizeof t->check.prime);
    } else if (t->check.n == 0) {
        return scratch_fail(&t->error, GFMUL_ERR_SIZE, "the product is too long for its check");
    } else if (!residue_primes_draw(RESIDUE_BITS, t->check.prime, t->check.n)) {
        return scratch_fail(&t->error, GFMUL_ERR_UNSUPPORTED, "the system has no source of random numbers");
    }
    for (unsigned i = 0; t->product.binary && i < t->check.n; i++)
        residue_modulus_set(&t->check.modulus[i], t->check.prime[i], t->check.isa_bit);
    return GFMUL_OK;
}

/* disk_take - open the scratch files, and go on where an earlier call has ended.   r in: residues of the operands */
static enum gfmul_status disk_take(struct task *t, uint64_t (*r)[GFMUL_RESIDUES_MAX])
{
    enum scratch_names names = SCRATCH_NAMELESS;
    uint64_t prime;
    if (t->resume.found)
        prime = t->resume.head.block_prime;
    else
        TRY(scratch_disk_prime(&prime, &t->error));
    TRY(resume_begin(t, r, prime));
    if (t->resume.active)
        names = !t->resume.found ? SCRATCH_NEW : resume_begun(t) ? SCRATCH_KEPT : SCRATCH_ANY;
    TRY(scratch_disk_open(&t->disk, &t->plan, t->opt, names, prime, &t->moved, &t->error));
    return resume_read(t);
}

static enum gfmul_status checked_product(struct task *t)
{
    uint64_t r[3][GFMUL_RESIDUES_MAX];
    TRY(check_set(t));
    for (unsigned i = 0; i < (t->square ? 1 : 2); i++)
        TRY(product_scan(t, i, r[i]));
    if (t->square)
        memcpy(r[1], r[0], sizeof r[1]);
    TRY(disk_take(t, r));
    TRY(product_convolve(t));
    TRY(frame_write(t));
    TRY(zero_drop(t));
    TRY(frame_check(t));
    TRY(product_scan(t, 2, r[2]));
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

/* sets_take - the sets of buffers. */
static enum gfmul_status sets_take(struct task *t)
{
    for (unsigned i = 0; i < SCRATCH_SETS; i++) {
        if ((t->set_memory[i] = alloc_aligned(t->plan.set_bytes + SCRATCH_PAGE)) == NULL)
            return GFMUL_ERR_MEMORY;
        t->set[i] = t->set_memory[i] + (SCRATCH_PAGE - (uintptr_t)t->set_memory[i] % SCRATCH_PAGE) % SCRATCH_PAGE;
    }
    return GFMUL_OK;
}

/* memory_take - everything but what a single block needs. */
static enum gfmul_status memory_take(struct task *t)
{
    const struct scratch_plan *plan = &t->plan;
    TRY(sets_take(t));
    t->carry = alloc_zeroed((SCRATCH_RUNS + 1) * plan->rows * sizeof *t->carry);
    return t->carry == NULL ? GFMUL_ERR_MEMORY : columns_create(&t->columns, plan);
}

static void memory_give(struct task *t)
{
    columns_destroy(&t->columns);
    alloc_free(t->carry);
    for (unsigned i = 0; i < SCRATCH_SETS; i++)
        alloc_free(t->set_memory[i]);
}

/* zero_factor_read - read the other operand of 0 from end to end: it may be no number. */
static enum gfmul_status zero_factor_read(struct task *t, unsigned operand)
{
    uint64_t residues[GFMUL_RESIDUES_MAX]; /* none */
    t->check = (struct scratch_check){.threads = t->plan.threads, .isa_bit = t->isa->isa_bit};
    enum gfmul_status status = sets_take(t);
    if (status == GFMUL_OK)
        status = product_scan(t, operand, residues);
    memory_give(t);
    return status;
}

/* zero_write - the product of 0. */
static enum gfmul_status zero_write(struct task *t)
{
    char back[2];
    for (unsigned i = 0; i < 2; i++)
        if (t->operand[i].digits != 0)
            TRY(zero_factor_read(t, i));
    if (t->product.binary) {
        TRY(head_write(t));
        return head_check(t);
    }
    TRY(file_write(&t->moved, t->product.fd, "0\n", 2, 0, t->product.name, &t->error));
    TRY(file_read(&t->moved, t->product.fd, back, 2, 0, t->product.name, &t->error));
    return back[0] == '0' && back[1] == '\n' ? GFMUL_OK : not_read_back(t);
}

static enum gfmul_status product_write(struct task *t)
{
    if (t->product.digits == 0)
        return zero_write(t);
    enum gfmul_status status = resume_open(t);
    if (status == GFMUL_OK)
        status = file_reserve(t->product.fd, t->plan.needs.product_bytes, t->product.name, &t->error);
    if (status == GFMUL_OK)
        status = memory_take(t);
    if (status == GFMUL_OK)
        status = checked_product(t);
    if (status == GFMUL_OK && t->resume.active && fsync(t->product.fd) != 0)
        status = file_fail(&t->error, t->product.name, "flush", errno);
    resume_end(t, status);
    memory_give(t);
    scratch_disk_close(&t->disk);
    return status;
}

/* ---- before ---- */

/* product_bytes - of the limbs of a product of two binary numbers; one limb more if their highest limbs do not tell. */
static uint64_t product_bytes(const struct scratch_number *a, const struct scratch_number *b)
{
    const unsigned __int128 low = (unsigned __int128)a->top * b->top, high = low + a->top + b->top;
    const bool exact = a->digits == sizeof(mp_limb_t) && b->digits == sizeof(mp_limb_t);
    return a->digits + b->digits - ((exact ? low : high) >> 64 == 0 ? sizeof(mp_limb_t) : 0);
}

/* product_digits - how many digits a product of two numbers has; one more if the first 18 of each do not tell. */
static uint64_t product_digits(const struct scratch_number *a, const struct scratch_number *b)
{
    if (a->binary)
        return product_bytes(a, b);
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
        uint64_t there, sum;
        if ((i < folders ? stat(name, &st) : fstat(z, &st)) != 0 || scratch_calls.room(i < folders ? name : NULL, z, &there) != 0)
            return file_fail(&t->error, name, "open", errno);
        if (i < folders && (!S_ISDIR(st.st_mode) || access(name, W_OK | X_OK) != 0))
            return file_fail(&t->error, name, "make files there", S_ISDIR(st.st_mode) ? errno : ENOTDIR);
        device[i] = st.st_dev;
        const uint64_t held = i < folders && t->opt->resume ? scratch_disk_held(name, (unsigned)i) : 0;
        needed[i] = i == folders ? n->product_bytes : held < each ? each - held : 0;
        sum = needed[i];
        for (size_t j = 0; j < i; j++) /* of one file system: all of them together */
            sum += device[j] == device[i] ? needed[j] : 0;
        if (there < sum)
            return scratch_fail(&t->error, GFMUL_ERR_SPACE, "%s: %llu bytes of disk are needed, and %llu are there", name,
                                (unsigned long long)sum, (unsigned long long)there);
    }
    return GFMUL_OK;
}

/* number_open - find out what a number is, and open it. */
static enum gfmul_status number_open(struct task *t, struct scratch_number *n, int fd, const char *name)
{
    char head[BINARY_HEAD_BYTES];
    const enum gfmul_status status = text_open(n, fd, name, &t->moved, &t->error);
    if (status != GFMUL_ERR_SYNTAX || n->error_offset != 0) /* no text begins as a binary number does */
        return status;
    const size_t bytes = n->file_bytes < sizeof head ? (size_t)n->file_bytes : sizeof head;
    struct scratch_error e;
    if (file_read(&t->moved, fd, head, bytes, 0, name, &e) != GFMUL_OK) {
        t->error = e;
        return e.status;
    }
    return binary_magic(head, bytes) ? binary_open(n, fd, name, &t->moved, &t->error) : status;
}

/* open_twice - number_open, and once more: no residue would tell if its ends or its sign were misread. */
static enum gfmul_status open_twice(struct task *t, struct scratch_number *n, int fd, const char *name)
{
    struct scratch_number again;
    TRY(number_open(t, n, fd, name));
    TRY(number_open(t, &again, fd, name));
    if (again.negative == n->negative && again.file_bytes == n->file_bytes && again.digits == n->digits && again.end == n->end &&
        again.top == n->top && again.binary == n->binary && again.block_limbs == n->block_limbs)
        return GFMUL_OK;
    return scratch_fail(&t->error, GFMUL_ERR_FILE, "%s: was read twice, and has changed", name);
}

static enum gfmul_status operand_open(struct task *t, int i, int fd)
{
    const enum gfmul_status status = open_twice(t, &t->operand[i], fd, i == 0 ? "the first operand" : "the second operand");
    if (status == GFMUL_ERR_SYNTAX || status == GFMUL_ERR_EMPTY || status == GFMUL_ERR_UNSUPPORTED)
        t->report->error_operand = i;
    return status;
}

/* operand_error - tell the operand, and the place of a wrong character. */
static void operand_error(struct task *t)
{
    struct gfmul_files_report *r = t->report;
    const struct scratch_number *const n = &t->operand[r->error_operand];
    struct scratch_error e;
    r->error_offset = n->error_offset;
    snprintf(r->error_reason, sizeof r->error_reason, "%.127s", t->error.detail);
    if (n->binary)
        (void)scratch_fail(&t->error, t->error.status, "%s: %s", n->name, r->error_reason);
    else if (text_place(n, r->error_offset, &r->error_line, &r->error_column, &t->moved, &e) == GFMUL_OK)
        (void)scratch_fail(&t->error, t->error.status, "%s: line %llu, column %llu: %s", n->name,
                           (unsigned long long)r->error_line, (unsigned long long)r->error_column, r->error_reason);
}

static bool same_file(int a, int b)
{
    struct stat s, u;
    return a == b || (fstat(a, &s) == 0 && fstat(b, &u) == 0 && s.st_dev == u.st_dev && s.st_ino == u.st_ino);
}

/* operands_open - both of them, of one kind. */
static enum gfmul_status operands_open(struct task *t, int a, int b)
{
    t->square = same_file(a, b);
    TRY(operand_open(t, 0, a));
    if (t->square)
        t->operand[1] = t->operand[0];
    else
        TRY(operand_open(t, 1, b));
    if (t->operand[0].binary == t->operand[1].binary)
        return GFMUL_OK;
    return scratch_fail(&t->error, GFMUL_ERR_UNSUPPORTED,
                        "one operand is text and the other one binary: products in files convert neither");
}

/* zero_plan - the product of 0: what is needed to read the other operand.   memory in: bytes that there are */
static enum gfmul_status zero_plan(struct task *t, uint64_t memory)
{
    const uint64_t bytes = t->product.binary ? BINARY_HEAD_BYTES : 2;
    struct scratch_plan *const plan = &t->plan;
    plan->threads = threads_available(t->opt->threads);
    plan->needs = (struct gfmul_files_needs){.product_bytes = bytes,
                                             .read_bytes = t->moved.read_bytes + bytes,
                                             .write_bytes = bytes,
                                             .a_digits = t->operand[0].digits,
                                             .b_digits = t->operand[1].digits,
                                             .product_digits = !t->product.binary,
                                             .binary = t->product.binary};
    for (unsigned i = 0; i < 2; i++) {
        const struct scratch_number *const other = &t->operand[i];
        if (other->digits == 0)
            continue;
        plan->text_bytes = ZERO_PIECE_MOST;
        while (plan->text_bytes > ZERO_PIECE_LEAST && SCRATCH_SETS * (plan->text_bytes + SCRATCH_PAGE) > memory)
            plan->text_bytes /= 2;
        plan->set_bytes = plan->text_bytes;
        plan->needs.memory_bytes = SCRATCH_SETS * (plan->set_bytes + SCRATCH_PAGE);
        plan->needs.read_bytes += other->digits + (other->binary ? other->file_bytes - other->end : 0);
    }
    return plan->needs.memory_bytes <= memory ? GFMUL_OK : scratch_memory_fail(plan->needs.memory_bytes, memory, &t->error);
}

/* task_plan - open the operands, and choose. */
static enum gfmul_status task_plan(struct task *t, int z, int a, int b)
{
    const size_t usable = memory_usable();
    struct scratch_number *const product = &t->product;
    TRY(operands_open(t, a, b));
    const bool binary = t->operand[0].binary, negative = t->operand[0].negative != t->operand[1].negative;
    *product = (struct scratch_number){.fd = z, .name = "the product", .binary = binary, .block_limbs = BINARY_BLOCK_LIMBS};
    const uint64_t limit = t->opt->memory_limit != 0 ? t->opt->memory_limit
                           : usable != 0             ? usable / 4 * 3
                                                     : SIZE_MAX,
                   memory = usable != 0 && usable < limit ? usable : limit;
    if (t->operand[0].digits == 0 || t->operand[1].digits == 0)
        return zero_plan(t, memory);
    product->negative = negative;
    product->digits = product_digits(&t->operand[0], &t->operand[1]);
    product->end = product->digits + (binary ? BINARY_HEAD_BYTES : negative);
    struct scratch_task task = {
        .digits = {t->operand[0].digits, t->operand[1].digits},
        .product_digits = product->digits,
        .extra = binary ? binary_file_bytes(product->digits / sizeof(mp_limb_t), product->block_limbs) - product->digits
                        : 1u + negative,
        .square = t->square,
        .binary = binary,
        .threads = threads_available(t->opt->threads),
        .memory = memory,
        .opened = t->moved.read_bytes,
    };
    for (unsigned i = 0; binary && i < (t->square ? 1 : 2); i++)
        task.sums += t->operand[i].file_bytes - t->operand[i].end;
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
    if (!options_take(&opt, given)) {
        snprintf(report->detail, sizeof report->detail, "the options are not valid: see gfmul_files_options_init");
        return GFMUL_ERR_ARGUMENT;
    }
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
    if (report->error_operand >= 0)
        operand_error(&t);
    report->status = status;
    if (status != GFMUL_OK)
        scratch_detail(report, status, &t.error);
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
