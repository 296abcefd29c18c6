/* fftgen_tune.h - the choice of parameters by measuring on a device. */
#ifndef FFTGEN_TUNE_H
#define FFTGEN_TUNE_H

#include "gen/params.h"

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
