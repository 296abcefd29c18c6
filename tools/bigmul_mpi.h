/*
 * bigmul_mpi.h - what the files of bigmul-mpi share.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Functions that return an int return an exit status, of which all ranks have the same; the rank that found what is wrong has
 * printed a message.
 */
#ifndef BIGMUL_MPI_H
#define BIGMUL_MPI_H

#include "mpi/gfmul_mpi.h"
#include "tool.h"

struct settings_mpi {
    int base, output_base; /* 0: auto */
    enum number_format output_format;
    unsigned threads;      /* of each rank; the only one that all ranks have */
    const char *output, *file[2];
    bool stats;
};

/* One run; what only rank 0 has is empty on other ranks. */
struct job_mpi {
    struct settings_mpi settings;
    struct gfmul_ctx *text;
    struct gfmul_mpi_ctx *ctx;
    int rank, size;
    struct input in[2];
    struct output out;
    mp_limb_t *number[2], *product; /* of rank 0 */
    mp_limb_t *block[2], *z;        /* of each rank */
    size_t n[2];
    bool negative, square;
    int base;       /* of the product's text; 0: it is binary */
    bool converted; /* by rank 0 */
    uint64_t start_ns, read_ns, multiply_ns;
};

/* worst - the largest exit status of all ranks. */
int worst(int status);

/* multiply_blocks - the product of job->block in job->z, of limbs (base 0) or of words of a base.  Makes job->ctx. */
int multiply_blocks(struct job_mpi *job, uint64_t base);

/* blocks_alloc - job->block and job->z for job->n. */
int blocks_alloc(struct job_mpi *job);

enum { TEXT_NOT_PLAIN = -2 };

/*
 * plain_multiply - multiply if both operands are plain files of the product's base and it goes to a regular file: each rank
 * reads, multiplies and writes its part of the text, which is not converted.
 *
 * Returns an exit status, or TEXT_NOT_PLAIN: nothing is done, and rank 0 must read the files to say what is wrong, if anything
 * is.
 */
int plain_multiply(struct job_mpi *job);

#endif
