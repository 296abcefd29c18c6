/*
 * fftgen.h - the parts of the program fftgen.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef FFTGEN_H
#define FFTGEN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "gen/params.h"

/* complain - print "fftgen: ..." and a line end on standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- fftgen_files.c: files written together, all of them or none ---- */

enum { FILES_MAX = 8 };

/* Between files_open and files_close.  Its functions have printed a message where they fail. */
struct files {
    const char *folder; /* NULL: names are paths */
    int fd;
    bool made; /* the folder was not there before */
    bool failed;
    int n;
    struct {
        char *name, *temporary; /* owned */
    } file[FILES_MAX];
    bool holds_signals;
    sigset_t signals; /* that were blocked before */
};

/* files_open - a folder to write into, made where it is missing.   folder in: not copied; NULL: none, names are paths. */
bool files_open(struct files *f, const char *folder);

/*
 * files_put - write one file under a name of its own; what was there stays until files_close.  A symbolic link is not followed.
 * From the first file on, signals that end the program wait for files_close.
 *
 *   text  in  len bytes; NULL: out of memory
 */
void files_put(struct files *f, const char *name, const void *text, size_t len);

/* files_close - give all files their names, or, where one failed or keep is false, remove them; true where they are there. */
bool files_close(struct files *f, bool keep);

/* ---- fftgen_serve.c: a page with the keys as a form ---- */

/*
 * serve - answer browsers on 127.0.0.1 with the analysis and the picture of what a form says, until a signal ends the program.
 *
 *   port      in  0: any that is free; the address is printed
 *   defaults  in  of keys that the form leaves empty
 *
 * Value: 1 where the port cannot be had; a message was printed.
 */
int serve(unsigned port, const struct gen_params *defaults);

/* ---- fftgen_tune.c: the choice of parameters by measuring on a device ---- */

/*
 * tune - measure transforms on a device, and set the keys that nobody set to what was fastest.
 *
 *   p       in/out  checked parameters; ALGORITHM, TWIDDLE, KERNELHEIGHT, KERNELWIDTH are tried where they are at their defaults
 *   device  in      as gfmul_options has it
 *   show    in      receives the table, a line of TSV at a time
 *   detail  out     256 characters: the reason of an error
 *
 * Every candidate is compared with the CPU's transform; one that is wrong, or cannot be built, is a line of the table and
 * nothing else.  Errors: DEVICE, MEMORY; UNSUPPORTED for STOPLEVEL, which the CPU's transform has not; INTERNAL where a
 * candidate's result was wrong; in a build without OpenCL always UNSUPPORTED.
 */
enum gfmul_status tune(struct gen_params *p, const char *device, void (*show)(const char *line), char *detail);

#endif
