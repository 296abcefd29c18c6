/*
 * scratch_resume.h - the manifest of a product in files: what a later call goes on from.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The manifest is a file in the first scratch folder.  Its head says what the product is made of.  It is written once, flushed,
 * and then gets its name.  A record follows for each step: the checksums of the blocks that the step writes, and a checksum of
 * these.
 *
 * A step cuts a block of columns of an operand, or multiplies a row.  The record of a cut is written after its blocks, so these
 * are whole if the record is.  Rows are replaced in place, so the record of a row is written before its blocks.  If the last row
 * is not what its record says, it is multiplied again, and those of its blocks that are already the product's are cut again.
 */
#ifndef GFMUL_SCRATCH_RESUME_H
#define GFMUL_SCRATCH_RESUME_H

#include "scratch/scratch.h"

struct task;

/* The head, in the machine's byte order; without gaps. */
struct resume_head {
    char format[16], version[16];
    struct {
        uint64_t bytes, mtime_s, mtime_ns, negative, binary, digits, end;
        uint64_t residue[GFMUL_RESIDUES_MAX]; /* of the digits */
    } operand[2];
    uint64_t square, k, rows, row_points, block_points, folders;
    uint64_t n_primes, prime[GFMUL_RESIDUES_MAX]; /* of the check */
    uint64_t block_prime;                         /* of the checksums of blocks */
    uint64_t sum;                                 /* of all the words before */
};

struct scratch_resume {
    int fd; /* of the manifest, locked */
    bool active, found;
    char *name;
    struct resume_head head;
    uint64_t steps, at;         /* recorded; the byte behind them */
    uint64_t skipped_bytes;     /* that the call need not move */
    struct scratch_moved moved; /* of the manifest; they do not count */
};

/*
 * resume_open - find and lock the manifest, and compare it with the call.
 *
 * Errors: FILE: it is in use, damaged, or of other operands, another plan or another version.
 */
enum gfmul_status resume_open(struct task *t);

/*
 * resume_begin - write the manifest of a new product, or compare the operands' digits with those of the one found.
 *
 *   residue  in  of the operands
 */
enum gfmul_status resume_begin(struct task *t, uint64_t (*residue)[GFMUL_RESIDUES_MAX], uint64_t block_prime);

/* resume_begun - whether there is a record. */
bool resume_begun(const struct task *t);

/* resume_read - take the checksums of all blocks that are recorded.  Blocks of the last row are read. */
enum gfmul_status resume_read(struct task *t);

/* resume_first - the first of `count` steps from `step` on that has not been done, as a number below or equal to count. */
size_t resume_first(const struct task *t, uint64_t step, size_t count);

/* resume_record - record a step.  Its blocks have been noted. */
enum gfmul_status resume_record(struct task *t, uint64_t step, struct scratch_error *e);

/* resume_flush - bring scratch files and the manifest to the disk. */
enum gfmul_status resume_flush(struct task *t);

/* resume_end - at the end of a call: remove manifest and scratch files, unless a later call can go on from them. */
void resume_end(struct task *t, enum gfmul_status status);

#endif
