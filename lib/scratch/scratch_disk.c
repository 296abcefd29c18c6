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

/* block_id - number of a block; files take them in turn. */
static uint64_t block_id(const struct scratch_disk *d, unsigned spectrum, unsigned prime, size_t row, size_t block)
{
    return ((uint64_t)(spectrum * SCRATCH_PRIMES + prime) * d->rows + row) * d->blocks + block;
}

enum gfmul_status scratch_disk_open(struct scratch_disk *d, const struct scratch_plan *plan, const char *const *folder,
                                    size_t folders, struct scratch_moved *moved, struct scratch_error *e)
{
    const char *disable = environment_get("GFMUL_DISABLE");
    const unsigned isa = isa_ops_select(cpu_isa_mask(disable))->isa_bit;
    const uint64_t blocks =
        block_id(d, 0, 0, 0, 0) + (plan->square ? 1u : 2u) * (uint64_t)SCRATCH_PRIMES * plan->rows * plan->blocks;
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
            return scratch_fail(e, GFMUL_ERR_FILE, "%s: cannot make a scratch file: %s", folder[d->folders],
                                errno == ENOENT   ? "no such folder"
                                : errno == EACCES ? "no permission"
                                                  : "the system refuses");
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

enum gfmul_status block_write(struct scratch_disk *d, unsigned spectrum, unsigned prime, size_t row, size_t block,
                              const uint64_t *words, struct scratch_error *e)
{
    const uint64_t id = block_id(d, spectrum, prime, row, block);
    const size_t bytes = d->block_points * sizeof *words;
    d->sum[id] = block_sum(d, words);
    return file_write(d->moved, d->fd[id % d->folders], words, bytes, id / d->folders * bytes, d->folder[id % d->folders], e);
}

enum gfmul_status block_read(struct scratch_disk *d, unsigned spectrum, unsigned prime, size_t row, size_t block, uint64_t *words,
                             struct scratch_error *e)
{
    const uint64_t id = block_id(d, spectrum, prime, row, block), at = id / d->folders * (d->block_points * sizeof *words);
    const char *const folder = d->folder[id % d->folders];
    TRY(file_read(d->moved, d->fd[id % d->folders], words, d->block_points * sizeof *words, at, folder, e));
    if (block_sum(d, words) == d->sum[id])
        return GFMUL_OK;
    return scratch_fail(e, GFMUL_ERR_VERIFY,
                        "%s: scratch block %llu is damaged: bytes %llu to %llu of the file, spectrum of %s, prime %u, row %zu, "
                        "columns %zu to %zu",
                        folder, (unsigned long long)id, (unsigned long long)at,
                        (unsigned long long)(at + d->block_points * sizeof *words - 1),
                        spectrum == SCRATCH_B ? "b"
                        : d->product          ? "the product"
                                              : "a",
                        prime + 1, row, block * d->block_points, (block + 1) * d->block_points - 1);
}
