/*
 * scratch_resume.c - the manifest of a product in files.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/try.h"
#include "scratch/scratch_passes.h"

enum { PIECE = 512 }; /* checksums that are moved together */

static const char manifest[] = "gfmul-manifest", manifest_new[] = "gfmul-manifest.new", format[] = "gfmul-resume-2";

/* ---- checksums of the manifest ---- */

static uint64_t mixed(uint64_t h, const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        h = (h ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h;
}

static uint64_t head_sum(const struct resume_head *head)
{
    uint64_t words[sizeof *head / sizeof(uint64_t)];
    _Static_assert(sizeof *head % sizeof(uint64_t) == 0, "words");
    memcpy(words, head, sizeof words);
    return mixed(1, words, sizeof words / sizeof *words - 1);
}

/* ---- steps ---- */

static uint64_t steps_cut(const struct task *t)
{
    return (t->square ? 1u : 2u) * (uint64_t)t->plan.blocks;
}

/* step_blocks - how many blocks a step writes;  step_place - block j of them. */
static size_t step_blocks(const struct task *t, uint64_t step)
{
    return step < steps_cut(t) ? WORD_PRIMES * t->plan.rows : t->plan.blocks;
}

static struct scratch_place step_place(const struct task *t, uint64_t step, size_t j)
{
    const size_t rows = t->plan.rows, blocks = t->plan.blocks;
    if (step < steps_cut(t))
        return (struct scratch_place){(unsigned)(step / blocks), (unsigned)(j / rows), j % rows, (size_t)(step % blocks)};
    step -= steps_cut(t);
    return (struct scratch_place){SCRATCH_A, (unsigned)(step / rows), (size_t)(step % rows), j};
}

/* step_bytes - what a step moves. */
static uint64_t step_bytes(const struct task *t, uint64_t step)
{
    const uint64_t block = t->plan.block_points * sizeof(uint64_t), written = step_blocks(t, step) * block;
    if (step < steps_cut(t))
        return written + t->operand[step / t->plan.blocks].digits / t->plan.blocks;
    return written * (t->square ? 2 : 3);
}

size_t resume_first(const struct task *t, uint64_t step, size_t count)
{
    const uint64_t done = t->resume.steps > step ? t->resume.steps - step : 0;
    return done < count ? (size_t)done : count;
}

/* ---- the head ---- */

/* head_set - what the call is, without residues and primes. */
static enum gfmul_status head_set(struct task *t, struct resume_head *head)
{
    memset(head, 0, sizeof *head);
    snprintf(head->format, sizeof head->format, "%s", format);
    snprintf(head->version, sizeof head->version, "%s", gfmul_version());
    for (unsigned i = 0; i < 2; i++) {
        const struct scratch_number *n = &t->operand[i];
        struct stat st;
        if (fstat(n->fd, &st) != 0)
            return file_fail(&t->error, n->name, "read", errno);
        head->operand[i].bytes = (uint64_t)st.st_size;
        head->operand[i].mtime_s = (uint64_t)st.st_mtim.tv_sec;
        head->operand[i].mtime_ns = (uint64_t)st.st_mtim.tv_nsec;
        head->operand[i].negative = n->negative;
        head->operand[i].binary = n->binary;
        head->operand[i].digits = n->digits;
        head->operand[i].end = n->end;
    }
    head->square = t->square;
    head->k = t->plan.k;
    head->rows = t->plan.rows;
    head->row_points = t->plan.row_points;
    head->block_points = t->plan.block_points;
    head->folders = t->opt->n_scratch;
    return GFMUL_OK;
}

static enum gfmul_status refuse(struct task *t, const char *why)
{
    return scratch_fail(&t->error, GFMUL_ERR_FILE, "%s: %s", t->resume.name, why);
}

/* head_compare - whether a manifest is one of this call. */
static enum gfmul_status head_compare(struct task *t, const struct resume_head *own)
{
    const struct resume_head *head = &t->resume.head;
    if (memcmp(head->format, own->format, sizeof own->format) != 0 ||
        memcmp(head->version, own->version, sizeof own->version) != 0)
        return refuse(t, "was made by another version of the library, or on another kind of machine");
    if (head->sum != head_sum(head) || head->n_primes == 0 || head->n_primes > GFMUL_RESIDUES_MAX)
        return refuse(t, "is damaged");
    for (unsigned i = 0; i < 2; i++)
        if (memcmp(&head->operand[i], &own->operand[i],
                   offsetof(struct resume_head, operand[0].residue) - offsetof(struct resume_head, operand[0])) != 0)
            return refuse(t, i == 0 ? "was made for another first operand, or that has been changed since"
                                    : "was made for another second operand, or that has been changed since");
    if (head->folders != own->folders)
        return refuse(t, "was made with another number of scratch folders");
    if (head->square != own->square || head->k != own->k || head->rows != own->rows || head->row_points != own->row_points ||
        head->block_points != own->block_points)
        return scratch_fail(&t->error, GFMUL_ERR_FILE,
                            "%s: was made with another plan, %llu rows of %llu points in blocks of %llu: give the memory and the "
                            "threads of then",
                            t->resume.name, (unsigned long long)head->rows, (unsigned long long)head->row_points,
                            (unsigned long long)head->block_points);
    return GFMUL_OK;
}

/* ---- opening ---- */

/* path_in - a name in the first folder; free it.  NULL: no memory */
static char *path_in(const struct task *t, const char *name)
{
    const size_t bytes = strlen(t->opt->scratch[0]) + strlen(name) + 2;
    char *const path = malloc(bytes);
    if (path != NULL)
        snprintf(path, bytes, "%s/%s", t->opt->scratch[0], name);
    return path;
}

static enum gfmul_status manifest_lock(struct task *t, int fd)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return GFMUL_OK;
    return errno == EWOULDBLOCK ? refuse(t, "is in use by another call") : file_fail(&t->error, t->resume.name, "lock", errno);
}

enum gfmul_status resume_open(struct task *t)
{
    struct scratch_resume *r = &t->resume;
    struct resume_head own;
    *r = (struct scratch_resume){.fd = -1};
    if (!t->opt->resume)
        return GFMUL_OK;
    r->name = path_in(t, manifest);
    if (r->name == NULL)
        return scratch_fail(&t->error, GFMUL_ERR_MEMORY, "no memory for the name of the manifest");
    TRY(head_set(t, &own));
    const int fd = open(r->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno != ENOENT)
        return file_fail(&t->error, r->name, "open", errno);
    r->active = true;
    if (fd < 0) {
        r->head = own;
        return GFMUL_OK;
    }
    enum gfmul_status status = manifest_lock(t, fd);
    if (status == GFMUL_OK)
        status = file_read(&r->moved, fd, &r->head, sizeof r->head, 0, r->name, &t->error);
    if (status == GFMUL_OK)
        status = head_compare(t, &own);
    if (status != GFMUL_OK) {
        r->active = false; /* it is another call's: nothing is removed */
        close(fd);
        return status;
    }
    r->fd = fd;
    r->found = true;
    return GFMUL_OK;
}

/* folder_flush - bring the names in the first folder to the disk, if its file system can do that. */
static void folder_flush(const struct task *t)
{
    const int fd = open(t->opt->scratch[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

/* manifest_make - a new manifest, under a name of its own until it is whole. */
static enum gfmul_status manifest_make(struct task *t)
{
    struct scratch_resume *r = &t->resume;
    char *const name = path_in(t, manifest_new);
    if (name == NULL)
        return scratch_fail(&t->error, GFMUL_ERR_MEMORY, "no memory for the name of the manifest");
    const int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    enum gfmul_status status = fd < 0 ? file_fail(&t->error, name, "open", errno) : manifest_lock(t, fd);
    const bool locked = status == GFMUL_OK;
    if (status == GFMUL_OK && access(r->name, F_OK) == 0) /* it came while the operands were read */
        status = refuse(t, "is in use by another call");
    if (status == GFMUL_OK && scratch_calls.resize(fd, 0) != 0)
        status = file_fail(&t->error, name, "write", errno);
    if (status == GFMUL_OK)
        status = file_write(&r->moved, fd, &r->head, sizeof r->head, 0, name, &t->error);
    if (status == GFMUL_OK && (fsync(fd) != 0 || rename(name, r->name) != 0))
        status = file_fail(&t->error, name, "flush or rename", errno);
    if (status == GFMUL_OK) {
        r->fd = fd;
        r->at = sizeof r->head;
        folder_flush(t);
    } else if (fd >= 0) {
        if (locked)
            (void)unlink(name);
        close(fd);
    }
    free(name);
    return status;
}

enum gfmul_status resume_begin(struct task *t, uint64_t (*residue)[GFMUL_RESIDUES_MAX], uint64_t block_prime)
{
    struct scratch_resume *r = &t->resume;
    if (!r->active)
        return GFMUL_OK;
    for (unsigned i = 0; r->found && i < 2; i++)
        if (memcmp(r->head.operand[i].residue, residue[i], r->head.n_primes * sizeof **residue) != 0)
            return refuse(t, i == 0 ? "was made for other digits of the first operand"
                                    : "was made for other digits of the second operand");
    if (r->found)
        return GFMUL_OK;
    r->head.n_primes = t->check.n;
    r->head.block_prime = block_prime;
    for (unsigned i = 0; i < t->check.n; i++) {
        r->head.prime[i] = t->check.prime[i];
        r->head.operand[0].residue[i] = residue[0][i];
        r->head.operand[1].residue[i] = residue[1][i];
    }
    r->head.sum = head_sum(&r->head);
    return manifest_make(t);
}

/* ---- records: the step, a checksum, and the checksums of its blocks ---- */

enum gfmul_status resume_record(struct task *t, uint64_t step, struct scratch_error *e)
{
    struct scratch_resume *r = &t->resume;
    if (!r->active)
        return GFMUL_OK;
    const size_t n = step_blocks(t, step);
    uint64_t sum[PIECE], at = r->at + 2 * sizeof *sum, h = mixed(1, &step, 1);
    for (size_t first = 0; first < n; first += PIECE) {
        const size_t part = n - first < PIECE ? n - first : PIECE;
        for (size_t j = 0; j < part; j++)
            sum[j] = t->disk.sum[place_id(&t->disk, step_place(t, step, first + j))];
        h = mixed(h, sum, part);
        TRY(file_write(&r->moved, r->fd, sum, part * sizeof *sum, at, r->name, e));
        at += part * sizeof *sum;
    }
    const uint64_t front[2] = {step, h};
    TRY(file_write(&r->moved, r->fd, front, sizeof front, r->at, r->name, e));
    r->at = at;
    r->steps = step + 1;
    return GFMUL_OK;
}

/* record_take - read a record, and install its checksums if that is wanted.   whole out: it is one */
static enum gfmul_status record_take(struct task *t, uint64_t step, uint64_t bytes, bool install, bool *whole)
{
    struct scratch_resume *r = &t->resume;
    const size_t n = step_blocks(t, step);
    uint64_t sum[PIECE], front[2], at = r->at + sizeof front, h = mixed(1, &step, 1);
    *whole = false;
    if (at + n * sizeof *sum > bytes)
        return GFMUL_OK;
    TRY(file_read(&r->moved, r->fd, front, sizeof front, r->at, r->name, &t->error));
    for (size_t first = 0; first < n; first += PIECE) {
        const size_t part = n - first < PIECE ? n - first : PIECE;
        TRY(file_read(&r->moved, r->fd, sum, part * sizeof *sum, at, r->name, &t->error));
        h = mixed(h, sum, part);
        at += part * sizeof *sum;
        for (size_t j = 0; install && j < part; j++)
            t->disk.sum[place_id(&t->disk, step_place(t, step, first + j))] = sum[j];
    }
    *whole = front[0] == step && front[1] == h;
    return GFMUL_OK;
}

/* row_is_whole - whether the blocks of a row are those of a record.   The checksums are installed if they are, and only then. */
static enum gfmul_status row_is_whole(struct task *t, uint64_t step, bool *whole)
{
    struct scratch_resume *r = &t->resume;
    *whole = true;
    for (size_t j = 0; *whole && j < t->plan.blocks; j++) {
        const struct scratch_place place = step_place(t, step, j);
        uint64_t *const sum = &t->disk.sum[place_id(&t->disk, place)], before = *sum;
        struct scratch_error e = {.damaged = false};
        TRY(file_read(&r->moved, r->fd, sum, sizeof *sum, r->at + (2 + j) * sizeof *sum, r->name, &t->error));
        const enum gfmul_status status = block_read(&t->disk, place, (uint64_t *)(void *)t->set[0], &e);
        *sum = before;
        if (status != GFMUL_OK && !e.damaged) {
            t->error = e;
            return status;
        }
        *whole = status == GFMUL_OK;
    }
    return *whole ? record_take(t, step, UINT64_MAX, true, whole) : GFMUL_OK;
}

bool resume_begun(const struct task *t)
{
    struct stat st;
    return t->resume.found && fstat(t->resume.fd, &st) == 0 && (uint64_t)st.st_size > sizeof t->resume.head;
}

enum gfmul_status resume_read(struct task *t)
{
    struct scratch_resume *r = &t->resume;
    struct stat st;
    if (!r->active || !r->found)
        return GFMUL_OK;
    if (fstat(r->fd, &st) != 0)
        return file_fail(&t->error, r->name, "read", errno);
    const uint64_t bytes = (uint64_t)st.st_size, all = steps_cut(t) + WORD_PRIMES * (uint64_t)t->plan.rows;
    bool whole = true;
    uint64_t steps = 0;
    r->at = sizeof r->head;
    for (; steps < all; steps++) { /* how many records there are */
        TRY(record_take(t, steps, bytes, false, &whole));
        if (!whole)
            break;
        r->at += (2 + step_blocks(t, steps)) * sizeof(uint64_t);
    }
    r->at = sizeof r->head;
    for (r->steps = 0; r->steps < steps; r->steps++) {
        const uint64_t step = r->steps;
        if (step + 1 == steps && step >= steps_cut(t))
            TRY(row_is_whole(t, step, &whole));
        else
            TRY(record_take(t, step, bytes, true, &whole));
        if (!whole)
            break;
        r->at += (2 + step_blocks(t, step)) * sizeof(uint64_t);
        r->skipped_bytes += step_bytes(t, step);
    }
    if (scratch_calls.resize(r->fd, (off_t)r->at) != 0)
        return file_fail(&t->error, r->name, "shorten", errno);
    return GFMUL_OK;
}

/* ---- ends ---- */

enum gfmul_status resume_flush(struct task *t)
{
    struct scratch_resume *r = &t->resume;
    if (!r->active)
        return GFMUL_OK;
    TRY(scratch_disk_flush(&t->disk, &t->error));
    return fsync(r->fd) == 0 ? GFMUL_OK : file_fail(&t->error, r->name, "flush", errno);
}

void resume_end(struct task *t, enum gfmul_status status)
{
    struct scratch_resume *r = &t->resume;
    const bool useless =
        status == GFMUL_OK || status == GFMUL_ERR_VERIFY || status == GFMUL_ERR_INTERNAL || (!r->found && r->steps == 0);
    if (r->fd >= 0 && useless) {
        (void)scratch_calls.resize(r->fd, sizeof r->head); /* if the call is killed in between, the next one begins anew */
        scratch_disk_remove(&t->disk);
        (void)unlink(r->name);
        folder_flush(t);
    }
    if (r->fd >= 0)
        close(r->fd);
    free(r->name);
    *r = (struct scratch_resume){.fd = -1};
}
