/*
 * scratch_passes.h - what the passes over a product in files share.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_SCRATCH_PASSES_H
#define GFMUL_SCRATCH_PASSES_H

#include "prime/prime_ring.h"
#include "scratch/scratch.h"
#include "scratch/scratch_resume.h"

enum { SCRATCH_SETS = 2 };

/* One call. */
struct task {
    const struct gfmul_files_options *opt;
    struct gfmul_files_report *report;
    struct scratch_error error; /* of the thread that computes */
    struct scratch_moved moved;
    struct scratch_number operand[2], product; /* operand[1] is operand[0] of a square */
    bool square;
    struct scratch_plan plan;
    struct scratch_disk disk;
    struct scratch_resume resume;
    struct scratch_check check;
    struct binary_sums sums; /* of the number that is scanned */
    struct columns columns;
    char *set[SCRATCH_SETS], *set_memory[SCRATCH_SETS]; /* set_bytes each, from a page's begin on */
    unsigned __int128 *carry;
    struct prime_ring *ring;
    const struct isa_ops *isa;
    const char *disable;
};

/*
 * product_scan - the residues of an operand, or of the product (2).  The checksums of a binary product are written.
 *
 * Errors: SYNTAX, VERIFY: a character is no digit, a block is damaged.
 */
enum gfmul_status product_scan(struct task *t, unsigned operand, uint64_t *residues);

/* product_convolve - write the digits of the product. */
enum gfmul_status product_convolve(struct task *t);

/* product_lower - move the digits of the product by one byte, to before the place that they are read from. */
enum gfmul_status product_lower(struct task *t);

#endif
