/*
 * gfmul_files.h - products of numbers that lie in files, and that need not fit into memory; numbers in a binary format.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The contract of gfmul.h holds here, too, except for its paragraphs on stack and rounding: these calls run on the calling thread
 * and its team, and have no floating-point results.
 *
 * A number is text or binary.  Text is white space, a sign, decimal digits, white space.  Nothing may stand between the digits.
 * The binary format has limbs, with a checksum for each block of them (doc/binary.md).  A file is binary if it begins with the
 * format's first bytes, with which no text begins.  The size of a number is limited by the disk alone.  The product of two texts
 * is one line of text, and that of two binary numbers is binary.  A text times a binary number is UNSUPPORTED, because one of
 * them would have to be converted.
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
 *   threads       0: as in gfmul_options; n: at most n, 1..1024.  Up to four more for each folder move blocks meanwhile, at
 *                 most 16
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
 * of ten.  Then they are larger by at most two bytes each for a digit of the product.  For binary numbers the same holds of bytes
 * that are 255.  If the product has a limb less than the operands' highest limbs tell, its head is written twice.
 */
struct gfmul_files_needs {
    uint64_t memory_bytes;            /* allocated by the library, GMP's own not counted */
    uint64_t scratch_bytes;           /* of disk, in all folders together */
    uint64_t product_bytes;           /* of disk, at most */
    uint64_t read_bytes, write_bytes; /* moved between memory and files, scratch included */
    uint64_t a_digits, b_digits;      /* significant decimal digits, or of binary numbers the bytes of the limbs; 0 for zero */
    uint64_t product_digits;          /* at most; bytes, too */
    unsigned coefficient_digits;      /* decimal digits in a coefficient; bytes, too */
    unsigned primes;                  /* of about 62 bits, modulo which the coefficients are convolved */
    uint64_t n_points;                /* of the convolution: rows * row_points */
    uint64_t rows, row_points;        /* a row is transformed in memory */
    uint64_t block_points;            /* of a scratch block, 8 bytes each */
    int binary;                       /* 1: the operands and the product are binary */
};

/* gfmul_files_report - the record of a call.  The library fills it; new fields come at its end, as in gfmul.h. */
struct gfmul_files_report {
    enum gfmul_status status;
    char detail[256];                 /* one line of English: the error; else "" */
    int error_operand;                /* 0 or 1 if the status is one of that file's content, else -1 */
    uint64_t error_offset;            /* byte offset of the offending character, field or block */
    struct gfmul_files_needs needs;   /* complete once the operands have been opened */
    uint64_t read_bytes, write_bytes; /* moved by the call so far */
    uint64_t move_ns;                 /* time in pread and pwrite, most of it beside the computation */
    uint64_t total_ns;
    unsigned n_residues;
    struct gfmul_residue residue[GFMUL_RESIDUES_MAX]; /* of the magnitudes, as read from the files */
    uint64_t remade_blocks;                           /* scratch blocks that were damaged and have been made again */
    char remade[256];                                 /* the first of them: one line of English; else "" */
    uint64_t error_line, error_column;                /* place of error_offset in text, counted from 1; 0 if there is none */
    char error_reason[128];                           /* what is wrong with the number, without its place; else "" */
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
 * Errors:   ARGUMENT, SYNTAX, EMPTY, FILE, SIZE.  OVERLAP: z is the file of an operand.  MEMORY: memory_limit is too small, or
 *           more than the machine has.  SPACE: a file system has too little room.  UNSUPPORTED: one operand is text and the other
 *           one binary, or a binary one has another version.
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
 * the files are removed.  They are also removed after VERIFY and INTERNAL.  Any other failure leaves those of an earlier call.
 * To give the work up, remove them.
 *
 * The residues decide.  A wrong product, whatever went wrong in memory or on disk, is returned with a probability below 2^-64,
 * taken over the draw of the primes.
 * Failure:  z is empty again.
 * Cost:     10.0 to 11.7 bytes a digit of the product are moved, or 18.4 to 22.3 a byte of its limbs; doc/scale.md has the exact
 *           sum.  A damaged block takes more: to make it again, a part of an operand is read, or all of the first one.
 * Errors:   those of gfmul_files_plan, and INTERRUPTED.  SYNTAX: a character is no digit, or a block of a binary operand is
 *           damaged, and named in the report.  VERIFY: the product failed its check, or a scratch block is damaged and
 *           its inputs no longer give it.
 *           UNSUPPORTED: the system has no source of random numbers.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_files_mul(int z, int a, int b, const struct gfmul_files_options *opt,
                                                             struct gfmul_files_report *report);

/*
 * gfmul_binary - what the head of a binary number says.
 */
struct gfmul_binary {
    uint64_t limbs;       /* 0 for zero */
    uint64_t block_limbs; /* limbs that share a checksum */
    uint64_t file_bytes;
    int negative; /* 0 or 1; 0 for zero */
};

/* gfmul_binary_begins - 1 if a file with these first bytes (8 suffice) is a binary number, or a damaged one; 0 if not. */
GFMUL_API int gfmul_binary_begins(const void *file, size_t bytes);

/* gfmul_binary_bytes - the length of the file that the library writes for an limbs.  0: more than 2^58, or size_t overflows. */
GFMUL_API size_t gfmul_binary_bytes(size_t an);

/*
 * gfmul_binary_export - make the content of a binary file in memory.
 *
 *   file      out  room for `bytes` bytes; gfmul_binary_bytes(an) are always enough
 *   len       out  the length of the file
 *   a         in   an limbs, least significant first.  Limbs at the top that are 0 are left out
 *   negative  in   not 0: the number is -a
 *
 * Aliasing: none allowed.   Threads: reentrant.   Cost: a copy, and a pass for the checksums.
 * Errors:   ARGUMENT: NULL, or too few bytes.   SIZE.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_binary_export(void *file, size_t bytes, size_t *len, const mp_limb_t *a,
                                                                 size_t an, int negative);

/*
 * gfmul_binary_import - the number of a binary file whose content is in memory.
 *
 *   z         out  z_limbs limbs; (bytes - 64) / 8 are always enough.  Undefined after an error
 *   zn        out  limbs of the number, the highest one not 0; 0 for zero
 *   negative  out  1 if it is negative, else 0
 *   file      in   the whole file, `bytes` bytes, at any alignment
 *   report    out  may be NULL; status, detail, error_operand, error_offset and error_reason
 *
 * Aliasing, threads, cost: as for gfmul_binary_export.
 * Errors:   ARGUMENT: NULL, or too few limbs.   SYNTAX: not of this format, cut off, too long, or damaged: the report names the
 *           block.   UNSUPPORTED: another version of the format.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_binary_import(mp_limb_t *z, size_t z_limbs, size_t *zn, int *negative,
                                                                 const void *file, size_t bytes,
                                                                 struct gfmul_files_report *report);

/*
 * gfmul_binary_head - what the first bytes of a binary file say, before the others are there.
 *
 *   number  out  what the head says
 *   file    in   `bytes` bytes, of which the first 64 are looked at
 *   report  out  may be NULL
 *
 * Errors:   as for gfmul_binary_import, but the file's length is not compared.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_binary_head(struct gfmul_binary *number, const void *file, size_t bytes,
                                                               struct gfmul_files_report *report);

/*
 * gfmul_binary_open - read the head of a binary file, and compare it with the file's length.
 *
 *   fd      in   descriptor of a regular file, open for reading.  Its position is neither used nor changed
 *   number  out  what the head says
 *   report  out  may be NULL
 *
 * Errors:   as for gfmul_binary_import, and FILE.  Blocks are not read.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_binary_open(int fd, struct gfmul_binary *number,
                                                               struct gfmul_files_report *report);

/*
 * gfmul_binary_read - the number of a binary file.   fd in: as for gfmul_binary_open.   Others: as for gfmul_binary_import.
 * gfmul_binary_write - write a binary file.   fd in: an empty regular file, open for writing.   a: as for gfmul_binary_export.
 *
 * (file_bytes - 64) / 8 limbs are always enough for z.  Nothing is flushed to the disk: call fsync.  After an error of
 * gfmul_binary_write the file is empty again.
 * Errors:   as for gfmul_binary_import and gfmul_binary_export.  FILE: reading or writing failed.  SPACE: there is no room.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_binary_read(int fd, mp_limb_t *z, size_t z_limbs, size_t *zn, int *negative,
                                                               struct gfmul_files_report *report);
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_binary_write(int fd, const mp_limb_t *a, size_t an, int negative,
                                                                struct gfmul_files_report *report);

#ifdef __cplusplus
}
#endif

#endif
