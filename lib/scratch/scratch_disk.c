/*
 * scratch_disk.c - scratch blocks in files of several folders, each with a checksum in memory.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/environment.h"
#include "base/thread_quiet.h"
#include "base/try.h"
#include "scratch/scratch.h"
#include "stages/stage_ops.h"

enum {
    MOVER_STACK_BYTES = 256 << 10,
    APART_WORDS = 1 << 13,  /* of a run that is worth a thread */
    LANES = 4,              /* blocks that a folder moves at once */
    MOVES = SCRATCH_FOLDERS /* and all folders together, at most */
};

/* file_path - the name of a file in its folder; free it.  NULL: no memory */
static char *file_path(const char *folder, unsigned file)
{
    const size_t bytes = strlen(folder) + sizeof "/gfmul-scratch-" + 12;
    char *const path = malloc(bytes);
    if (path != NULL)
        snprintf(path, bytes, "%s/gfmul-scratch-%u", folder, file);
    return path;
}

/* named_open - -1: errno. */
static int named_open(const char *folder, unsigned file, enum scratch_names names)
{
    char *const path = file_path(folder, file);
    const int make = names == SCRATCH_NEW ? O_CREAT | O_EXCL : names == SCRATCH_ANY ? O_CREAT : 0;
    if (path == NULL) {
        errno = ENOMEM;
        return -1;
    }
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | make, 0600), error = errno;
    free(path);
    errno = error;
    return fd;
}

void scratch_disk_remove(const struct scratch_disk *d)
{
    for (unsigned i = 0; d->named && i < d->folders; i++) {
        char *const path = file_path(d->folder[i], i);
        if (path != NULL)
            (void)unlink(path);
        free(path);
    }
}

uint64_t scratch_disk_held(const char *folder, unsigned file)
{
    struct stat st;
    char *const path = file_path(folder, file);
    const bool there = path != NULL && stat(path, &st) == 0;
    free(path);
    return there ? (uint64_t)st.st_blocks * 512 : 0;
}

enum gfmul_status scratch_disk_flush(const struct scratch_disk *d, struct scratch_error *e)
{
    for (unsigned i = 0; i < d->folders; i++)
        if (fsync(d->fd[i]) != 0)
            return file_fail(e, d->folder[i], "flush", errno);
    return GFMUL_OK;
}

enum gfmul_status scratch_disk_prime(uint64_t *prime, struct scratch_error *e)
{
    const char *disable = environment_get("GFMUL_DISABLE");
    const unsigned isa = isa_ops_select(cpu_isa_mask(disable))->isa_bit;
    return residue_primes_draw(residue_prime_bits(isa, disable), prime, 1)
               ? GFMUL_OK
               : scratch_fail(e, GFMUL_ERR_UNSUPPORTED, "the system has no source of random numbers");
}

/* direct_set - read and write past the page cache, or not.   false: the file system does not */
static bool direct_set(int fd, bool direct)
{
#ifdef O_DIRECT
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
#else
    (void)fd;
    return !direct;
#endif
}

/* is_direct - whether a move past the page cache may begin.  Other threads may just change that: false is the truth then. */
static bool is_direct(const struct scratch_disk *d, unsigned file)
{
    return __atomic_load_n(&d->direct[file], __ATOMIC_ACQUIRE);
}

/*
 * direct_end - whether a move that failed is to be repeated through the page cache.
 *
 *   direct  in  it began past the page cache
 * File systems may need multiples of more than a page, and after a short write the rest is none.
 */
static bool direct_end(struct scratch_disk *d, unsigned file, bool direct, const struct scratch_error *e)
{
    if (!direct || e->error != EINVAL || !direct_set(d->fd[file], false))
        return false;
    __atomic_store_n(&d->direct[file], false, __ATOMIC_RELEASE); /* not before the file is changed */
    return true;
}

/* nameless_open - a file that vanishes with its descriptor.  -1: errno. */
static int nameless_open(const char *folder)
{
    int fd = -1;
#ifdef O_TMPFILE
    fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (fd >= 0)
        return fd;
#endif
    const size_t bytes = strlen(folder) + sizeof "/.gfmul-XXXXXX";
    char *const name = malloc(bytes);
    if (name == NULL) {
        errno = ENOMEM;
        return -1;
    }
    snprintf(name, bytes, "%s/.gfmul-XXXXXX", folder);
    fd = mkstemp(name);
    if (fd >= 0) {
        (void)unlink(name);
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    free(name);
    return fd;
}

uint64_t place_id(const struct scratch_disk *d, struct scratch_place at)
{
    return ((uint64_t)(at.spectrum * WORD_PRIMES + at.prime) * d->rows + at.row) * d->blocks + at.block;
}

enum gfmul_status scratch_disk_open(struct scratch_disk *d, const struct scratch_plan *plan,
                                    const struct gfmul_files_options *opt, enum scratch_names names, uint64_t prime,
                                    struct scratch_moved *moved, struct scratch_error *e)
{
    const char *const *folder = opt->scratch;
    const size_t folders = opt->n_scratch;
    const unsigned isa = isa_ops_select(cpu_isa_mask(environment_get("GFMUL_DISABLE")))->isa_bit;
    const uint64_t blocks = (plan->square ? 1u : 2u) * (uint64_t)WORD_PRIMES * plan->rows * plan->blocks;
    *d = (struct scratch_disk){
        .folder = folder, .rows = plan->rows, .blocks = plan->blocks, .block_points = plan->block_points, .moved = moved};
    d->named = names != SCRATCH_NAMELESS;
    residue_modulus_set(&d->modulus, prime, isa);
    d->sum = alloc_zeroed((size_t)blocks * sizeof *d->sum);
    if (d->sum == NULL)
        return scratch_fail(e, GFMUL_ERR_MEMORY, "no memory for the checksums of %llu blocks", (unsigned long long)blocks);
    for (; d->folders < folders; d->folders++) {
        const uint64_t mine = (blocks - d->folders + folders - 1) / folders;
        d->fd[d->folders] = d->named ? named_open(folder[d->folders], d->folders, names) : nameless_open(folder[d->folders]);
        if (d->fd[d->folders] < 0)
            return file_fail(e, folder[d->folders], names == SCRATCH_KEPT ? "open the scratch file" : "make a scratch file",
                             errno);
        const enum gfmul_status status =
            file_reserve(d->fd[d->folders], mine * plan->block_points * sizeof(uint64_t), folder[d->folders], e);
        if (status != GFMUL_OK) {
            d->folders++;
            return status;
        }
        d->direct[d->folders] = plan->block_points * sizeof(uint64_t) % SCRATCH_PAGE == 0 && direct_set(d->fd[d->folders], true);
    }
    return GFMUL_OK;
}

void scratch_disk_close(struct scratch_disk *d)
{
    for (unsigned i = 0; i < d->folders; i++)
        close(d->fd[i]);
    alloc_free(d->sum);
    *d = (struct scratch_disk){.folders = 0};
}

/* block_sum - the checksum of a block: its words as one number modulo a random prime. */
static uint64_t block_sum(const struct scratch_disk *d, const uint64_t *words)
{
    uint64_t r;
    _Static_assert(sizeof(mp_limb_t) == sizeof *words, "words are limbs");
    residue_limbs(&r, words, d->block_points, &d->modulus, 1, true, 1);
    return r;
}

void block_note(struct scratch_disk *d, struct scratch_place at, const uint64_t *words)
{
    d->sum[place_id(d, at)] = block_sum(d, words);
}

unsigned block_file(const struct scratch_disk *d, uint64_t id)
{
    const uint64_t n = d->folders, row = id / n * n / d->blocks; /* of the first block of the group */
    return (unsigned)((id + row % n * (n + 1 - d->blocks % n)) % n);
}

/* id_at - the first byte of a block in its file. */
static uint64_t id_at(const struct scratch_disk *d, uint64_t id)
{
    return id / d->folders * (d->block_points * sizeof(uint64_t));
}

static enum gfmul_status place_write(struct scratch_disk *d, struct scratch_place at, const uint64_t *words,
                                     struct scratch_moved *moved, struct scratch_error *e)
{
    const uint64_t id = place_id(d, at);
    const unsigned file = block_file(d, id);
    const size_t bytes = d->block_points * sizeof *words;
    const bool direct = is_direct(d, file);
    const enum gfmul_status status = file_write(moved, d->fd[file], words, bytes, id_at(d, id), d->folder[file], e);
    if (status == GFMUL_OK || !direct_end(d, file, direct, e))
        return status;
    return file_write(moved, d->fd[file], words, bytes, id_at(d, id), d->folder[file], e);
}

static enum gfmul_status place_read(struct scratch_disk *d, struct scratch_place at, uint64_t *words, struct scratch_moved *moved,
                                    struct scratch_error *e)
{
    const uint64_t id = place_id(d, at), first = id_at(d, id);
    const size_t bytes = d->block_points * sizeof *words;
    const unsigned file = block_file(d, id);
    const char *const folder = d->folder[file];
    const bool direct = is_direct(d, file);
    const enum gfmul_status status = file_read(moved, d->fd[file], words, bytes, first, folder, e);
    if (status != GFMUL_OK && !direct_end(d, file, direct, e))
        return status;
    if (status != GFMUL_OK)
        TRY(file_read(moved, d->fd[file], words, bytes, first, folder, e));
    if (block_sum(d, words) == d->sum[id])
        return GFMUL_OK;
    (void)scratch_fail(e, GFMUL_ERR_VERIFY,
                       "%s: scratch block %llu is damaged: bytes %llu to %llu of the file, spectrum of %s, prime %u, row %zu, "
                       "columns %zu to %zu",
                       folder, (unsigned long long)id, (unsigned long long)first, (unsigned long long)(first + bytes - 1),
                       at.spectrum == SCRATCH_B ? "b"
                       : d->product             ? "the product"
                                                : "a",
                       at.prime + 1, at.row, at.block * d->block_points, (at.block + 1) * d->block_points - 1);
    e->damaged = true;
    e->place = at;
    return GFMUL_ERR_VERIFY;
}

enum gfmul_status block_read(struct scratch_disk *d, struct scratch_place at, uint64_t *words, struct scratch_error *e)
{
    return place_read(d, at, words, d->moved, e);
}

enum gfmul_status block_restore(struct scratch_disk *d, const uint64_t *words, struct scratch_error *e)
{
    const uint64_t id = place_id(d, e->place);
    if (block_sum(d, words) == d->sum[id])
        return place_write(d, e->place, words, d->moved, e);
    return scratch_fail(e, GFMUL_ERR_VERIFY,
                        "%s: scratch block %llu is damaged, and its inputs do not give it again: an operand has changed, or the "
                        "memory is unsound",
                        d->folder[block_file(d, id)], (unsigned long long)id);
}

/* ---- runs of blocks ---- */

struct scratch_place run_place(const struct scratch_disk *d, const struct scratch_run *run, size_t j)
{
    if (run->row)
        return (struct scratch_place){run->spectrum + (unsigned)(j / d->blocks), run->prime, run->at, j % d->blocks};
    return (struct scratch_place){run->spectrum, (unsigned)(j / d->rows), j % d->rows, run->at};
}

/* Of the blocks of a run that one file has, every one of `lanes`: numbers lane, lane + lanes, .. among them. */
struct run_part {
    struct scratch_disk *disk;
    const struct scratch_run *run;
    uint64_t *words;
    unsigned file, lane, lanes;
    bool write, note;
    struct scratch_moved moved;
    struct scratch_error error;
};

static void *part_move(void *arg)
{
    struct run_part *p = arg;
    struct scratch_disk *d = p->disk;
    enum gfmul_status status = GFMUL_OK;
    size_t number = 0;
    for (size_t j = 0; j < p->run->count && status == GFMUL_OK; j++) {
        const struct scratch_place at = run_place(d, p->run, j);
        uint64_t *const words = p->words + j * d->block_points;
        if (block_file(d, place_id(d, at)) != p->file || number++ % p->lanes != p->lane)
            continue;
        if (p->note)
            block_note(d, at, words);
        status = p->write ? place_write(d, at, words, &p->moved, &p->error) : place_read(d, at, words, &p->moved, &p->error);
    }
    p->error.status = status;
    return NULL;
}

/* worse - whether an error goes before another: any before a damaged block, and the block of the lower number. */
static bool worse(const struct scratch_disk *d, const struct scratch_error *e, const struct scratch_error *than)
{
    if (e->status == GFMUL_OK || than->status == GFMUL_OK)
        return e->status != GFMUL_OK;
    return than->damaged && (!e->damaged || place_id(d, e->place) < place_id(d, than->place));
}

/* run_lanes - how many blocks each folder moves at once: a disk is faster if it has several, above all short ones. */
static unsigned run_lanes(const struct scratch_disk *d, size_t words)
{
    const size_t worth = words / APART_WORDS / d->folders;
    unsigned lanes = MOVES / d->folders;
    lanes = lanes < LANES ? lanes : LANES;
    lanes = worth < lanes ? (unsigned)worth : lanes;
    return lanes > 0 ? lanes : 1;
}

static enum gfmul_status run_move(struct scratch_disk *d, struct run_part what, struct scratch_error *e)
{
    struct run_part part[MOVES];
    pthread_t thread[MOVES];
    bool apart[MOVES];
    const size_t words = what.run->count * d->block_points;
    unsigned first = 0;
    uint64_t ns = 0;
    what.disk = d;
    what.lanes = run_lanes(d, words);
    const unsigned moves = d->folders * what.lanes;
    for (unsigned i = 0; i < moves; i++) {
        part[i] = what;
        part[i].file = i % d->folders;
        part[i].lane = i / d->folders;
        apart[i] = i > 0 && words >= APART_WORDS && thread_quiet(&thread[i], MOVER_STACK_BYTES, part_move, &part[i]);
    }
    for (unsigned i = 0; i < moves; i++) {
        if (apart[i])
            pthread_join(thread[i], NULL);
        else
            part_move(&part[i]);
        d->moved->read_bytes += part[i].moved.read_bytes;
        d->moved->write_bytes += part[i].moved.write_bytes;
        ns = part[i].moved.ns > ns ? part[i].moved.ns : ns;
        first = worse(d, &part[i].error, &part[first].error) ? i : first;
    }
    d->moved->ns += ns;
    if (part[first].error.status != GFMUL_OK)
        *e = part[first].error;
    return part[first].error.status;
}

enum gfmul_status run_write(struct scratch_disk *d, const struct scratch_run *run, uint64_t *words, bool note,
                            struct scratch_error *e)
{
    return run_move(d, (struct run_part){.run = run, .words = words, .write = true, .note = note}, e);
}

enum gfmul_status run_read(struct scratch_disk *d, const struct scratch_run *run, uint64_t *words, struct scratch_error *e)
{
    return run_move(d, (struct run_part){.run = run, .words = words}, e);
}
