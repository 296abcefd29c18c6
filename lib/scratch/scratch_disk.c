/*
 * scratch_disk.c - scratch blocks in nameless files of several folders, each with a checksum in memory.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/environment.h"
#include "base/try.h"
#include "scratch/scratch.h"
#include "stages/stage_ops.h"

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
    return ((uint64_t)(at.spectrum * SCRATCH_PRIMES + at.prime) * d->rows + at.row) * d->blocks + at.block;
}

enum gfmul_status scratch_disk_open(struct scratch_disk *d, const struct scratch_plan *plan, const char *const *folder,
                                    size_t folders, struct scratch_moved *moved, struct scratch_error *e)
{
    const char *disable = environment_get("GFMUL_DISABLE");
    const unsigned isa = isa_ops_select(cpu_isa_mask(disable))->isa_bit;
    const uint64_t blocks = (plan->square ? 1u : 2u) * (uint64_t)SCRATCH_PRIMES * plan->rows * plan->blocks;
    *d = (struct scratch_disk){
        .folder = folder, .rows = plan->rows, .blocks = plan->blocks, .block_points = plan->block_points, .moved = moved};
    uint64_t prime;
    if (!residue_primes_draw(residue_prime_bits(isa, disable), &prime, 1))
        return scratch_fail(e, GFMUL_ERR_UNSUPPORTED, "the system has no source of random numbers");
    residue_modulus_set(&d->modulus, prime, isa);
    d->sum = alloc_zeroed((size_t)blocks * sizeof *d->sum);
    if (d->sum == NULL)
        return scratch_fail(e, GFMUL_ERR_MEMORY, "no memory for the checksums of %llu blocks", (unsigned long long)blocks);
    for (; d->folders < folders; d->folders++) {
        const uint64_t mine = (blocks - d->folders + folders - 1) / folders;
        d->fd[d->folders] = nameless_open(folder[d->folders]);
        if (d->fd[d->folders] < 0)
            return file_fail(e, folder[d->folders], "make a scratch file", errno);
        const enum gfmul_status status =
            file_reserve(d->fd[d->folders], mine * plan->block_points * sizeof(uint64_t), folder[d->folders], e);
        if (status != GFMUL_OK) {
            close(d->fd[d->folders]);
            return status;
        }
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

/* place_at - the first byte of a block in its file. */
static uint64_t place_at(const struct scratch_disk *d, struct scratch_place at)
{
    return place_id(d, at) / d->folders * (d->block_points * sizeof(uint64_t));
}

enum gfmul_status block_write(struct scratch_disk *d, struct scratch_place at, const uint64_t *words, struct scratch_error *e)
{
    const unsigned file = (unsigned)(place_id(d, at) % d->folders);
    return file_write(d->moved, d->fd[file], words, d->block_points * sizeof *words, place_at(d, at), d->folder[file], e);
}

enum gfmul_status block_read(struct scratch_disk *d, struct scratch_place at, uint64_t *words, struct scratch_error *e)
{
    const uint64_t id = place_id(d, at), first = place_at(d, at);
    const size_t bytes = d->block_points * sizeof *words;
    const char *const folder = d->folder[id % d->folders];
    TRY(file_read(d->moved, d->fd[id % d->folders], words, bytes, first, folder, e));
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

enum gfmul_status block_restore(struct scratch_disk *d, const uint64_t *words, struct scratch_error *e)
{
    const uint64_t id = place_id(d, e->place);
    if (block_sum(d, words) == d->sum[id])
        return block_write(d, e->place, words, e);
    return scratch_fail(e, GFMUL_ERR_VERIFY,
                        "%s: scratch block %llu is damaged, and its inputs do not give it again: an operand has changed, or the "
                        "memory is unsound",
                        d->folder[id % d->folders], (unsigned long long)id);
}
