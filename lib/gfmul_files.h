/*
 * gfmul_files.h - products of numbers that lie in files, and that need not fit into memory.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The contract of gfmul.h holds here, too, except for its paragraphs on stack and rounding: these calls run on the calling thread
 * and its team, and have no floating-point results.
 *
 * A number is text: white space, a sign, decimal digits, white space.  Nothing may stand between the digits.  Its size is limited
 * by the disk alone.  The product is one line of text.
 *
 * The library reads and writes with pread and pwrite, in blocks.  What it computes meanwhile lies in scratch files, in folders
 * that the program names.  A scratch file has no name, so nothing is left of it however the program ends.  Each scratch block has
 * a checksum in memory.  A block that does not agree with it is made again from the operands, and the report names it.  At the
 * end the product is read back and compared with the operands modulo random primes.
 */
#ifndef GFMUL_FILES_H
#define GFMUL_FILES_H

#include "gfmul.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * gfmul_files_options - fill it with gfmul_files_options_init, then change fields.
 *
 *   scratch       n_scratch folders for scratch files.  They are used in parallel.  At least one, at most 16.
 *   memory_limit  bytes that the call may allocate.  0: three quarters of the machine's, or of the control group's
 *   threads       0: as many as OpenMP gives; n: at most n, 1..1024.  One more for each folder moves blocks meanwhile.  If there
 *                 are few processors, set OMP_WAIT_POLICY=passive, because waiting threads that spin take processors from these
 *   progress      A callback that gets `progress_arg` and the share of bytes moved, in [0, 1].  It runs in the calling thread,
 *                 between blocks.  A non-zero return stops the work, with GFMUL_ERR_INTERRUPTED.  It must return.
 *   resume        1: keep the work in named files, and go on from those of an earlier call.  See gfmul_files_mul
 */
struct gfmul_files_options {
    size_t struct_bytes; /* set by gfmul_files_options_init; allows new fields */
    const char *const *scratch;
    size_t n_scratch;
    uint64_t memory_limit;
    unsigned threads;
    int (*progress)(void *arg, double done);
    void *progress_arg;
    int resume;
};

/*
 * gfmul_files_needs - what a product needs, known before it begins.
 *
 * read_bytes and write_bytes are exact, unless a carry runs through thousands of nines or the product is within 10^-16 of a power
 * of ten.  Then they are larger by at most two bytes each for a digit of the product.
 */
struct gfmul_files_needs {
    uint64_t memory_bytes;            /* allocated by the library, GMP's and OpenMP's own not counted */
    uint64_t scratch_bytes;           /* of disk, in all folders together */
    uint64_t product_bytes;           /* of disk, at most */
    uint64_t read_bytes, write_bytes; /* moved between memory and files, scratch included */
    uint64_t a_digits, b_digits;      /* significant decimal digits; 0 for zero */
    uint64_t product_digits;          /* at most */
    unsigned coefficient_digits;      /* decimal digits in a coefficient */
    unsigned primes;                  /* of about 62 bits, modulo which the coefficients are convolved */
    uint64_t n_points;                /* of the convolution: rows * row_points */
    uint64_t rows, row_points;        /* a row is transformed in memory */
    uint64_t block_points;            /* of a scratch block, 8 bytes each */
};

/* gfmul_files_report - the record of a call.  The library fills it; new fields come at its end, as in gfmul.h. */
struct gfmul_files_report {
    enum gfmul_status status;
    char detail[256];                 /* one line of English: the error; else "" */
    int error_operand;                /* 0 or 1 if status is SYNTAX or EMPTY, else -1 */
    uint64_t error_offset;            /* byte offset of the offending character */
    struct gfmul_files_needs needs;   /* complete once the operands have been opened */
    uint64_t read_bytes, write_bytes; /* moved by the call so far */
    uint64_t move_ns;                 /* time in pread and pwrite, most of it beside the computation */
    uint64_t total_ns;
    unsigned n_residues;
    struct gfmul_residue residue[GFMUL_RESIDUES_MAX]; /* of the magnitudes, as read from the files */
    uint64_t remade_blocks;                           /* scratch blocks that were damaged and have been made again */
    char remade[256];                                 /* the first of them: one line of English; else "" */
    uint64_t error_line, error_column;                /* place of error_offset, counted from 1; 0 if there is none */
    char error_reason[128];                           /* what is wrong with the text, without its place; else "" */
};

/* gfmul_files_options_init - set the defaults: no folder, all of the memory.   opt  out. */
GFMUL_API void gfmul_files_options_init(struct gfmul_files_options *opt);

/*
 * gfmul_files_plan - say what gfmul_files_mul needs, and whether it is there.
 *
 *   z, a, b  in   as for gfmul_files_mul; z may be -1, and then room for the product is not looked for
 *   opt      in   options
 *   report   out  may be NULL; report->needs is filled if the operands could be opened, even if the call fails
 *
 * Cost:     some blocks of 4 KiB are read.
 * Errors:   ARGUMENT, SYNTAX, EMPTY, FILE, SIZE.  MEMORY: memory_limit is too small, or more than the machine has.  SPACE: a file
 *           system has too little room.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_files_plan(int z, int a, int b, const struct gfmul_files_options *opt,
                                                              struct gfmul_files_report *report);

/*
 * gfmul_files_mul - write the product of the numbers in two files to a third one.
 *
 *   z       out  descriptor of an empty regular file, open for reading and writing
 *   a, b    in   descriptors of regular files, open for reading.  If both are one file, the product is a square.  Do not change
 *                the files meanwhile
 *   opt     in   options
 *   report  out  may be NULL
 *
 * Positions of the descriptors are neither used nor changed.  z is not flushed to the disk: call fsync.
 *
 * With opt->resume the scratch files have names: gfmul-scratch-N in the folders, and gfmul-manifest in the first one.  They
 * stay if the call is killed, or fails with FILE, SPACE, MEMORY or INTERRUPTED.  The same call then goes on from the last
 * block that is whole.  It needs the same operands: size, time of modification, sign and digits.  Its folders, memory_limit
 * and threads have to give the same plan, and the library's version has to be the same.  Else it fails with FILE and changes
 * nothing.  A second call on the same folders at the same time is refused in this way, too.  On success z is flushed, and then
 * the files are removed.  They are also removed after VERIFY and INTERNAL.  To give the work up, remove them.
 *
 * The residues decide.  A wrong product, whatever went wrong in memory or on disk, is returned with a probability below 2^-64,
 * taken over the draw of the primes.
 * Failure:  z is empty again.
 * Cost:     10.0 to 11.7 bytes a digit of the product are moved; doc/scale.md has the exact sum.  A damaged block takes more: to
 *           make it again, a part of an operand is read, or all of the first one.
 * Errors:   those of gfmul_files_plan, and INTERRUPTED.  VERIFY: the product failed its check, or a scratch block is damaged and
 *           its inputs no longer give it.
 *           UNSUPPORTED: the system has no source of random numbers.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_files_mul(int z, int a, int b, const struct gfmul_files_options *opt,
                                                             struct gfmul_files_report *report);

#ifdef __cplusplus
}
#endif

#endif
