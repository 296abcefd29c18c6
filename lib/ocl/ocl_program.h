/*
 * ocl_program.h - get kernels by name: from memory, from the cache on disk, or by a build.
 *
 * Sources.  The files that kernels/sources.mk names are part of the library; with GFMUL_CL_DIR=path in the environment they are
 * read from that folder at each use.  A line `#include "other.cl"` is replaced by a #line directive and that file, each time it
 * is met.  Files that must appear only once have the usual guard.
 *
 * Options.  The compiler gets "-cl-std=CL1.2", then -DNAME=value for each TUNABLE(NAME, value) of tunables.def that the caller's
 * options do not define, then the caller's options.  No option that changes arithmetic is ever passed.
 *
 * Disk.  The cache is in $GFMUL_CACHE_DIR, else $XDG_CACHE_HOME/gfmul, else ~/.cache/gfmul; an empty GFMUL_CACHE_DIR turns it
 * off.  A file's name is a hash of device, platform, driver, options and sources; the file contains those texts, the binary, and
 * a checksum of everything.  A file that does not fit in any way is ignored and replaced.  Writers use a temporary name and a
 * rename.  Failures of the cache are no errors: programs are then built.
 */
#ifndef GFMUL_OCL_PROGRAM_H
#define GFMUL_OCL_PROGRAM_H

#include "ocl/ocl.h"

/*
 * ocl_kernel_get - get a kernel for this caller alone, who owns its arguments until it is put back.
 *
 *   file     in   "columns_to_spectrum.cl", its name in kernels/
 *   name     in   the kernel's name
 *   options  in   "-DNAME=value ..."; "" for none
 *   k        out  NULL on failure; end it with ocl_kernel_put
 *
 * Cost:   some microseconds if the program is loaded; up to seconds if it is built.
 * Errors: DEVICE with the first lines of the build log, MEMORY, INTERNAL (no such file or kernel).
 */
enum gfmul_status ocl_kernel_get(const struct ocl_call *on, const char *file, const char *name, const char *options,
                                 cl_kernel *k);

/* ocl_kernel_get_text - the same for a program that the caller gives as text, with `file` as its name.  text NULL: a file of
   kernels/. */
enum gfmul_status ocl_kernel_get_text(const struct ocl_call *on, const char *file, const char *text, const char *name,
                                      const char *options, cl_kernel *k);
void ocl_kernel_put(struct ocl_device *d, cl_kernel k); /* NULL is allowed */

/*
 * ocl_kernels_get - ocl_kernel_get for n requests at once: several threads build or load the programs that are not in memory.
 *
 *   file, name, options  in   as there
 *   k                    out  NULL or a kernel, whatever the status: put each one back
 *   status, detail       out  of that request
 * It returns the first status that is not OK, with its detail.
 */
struct ocl_kernel_wish {
    const char *file, *name;
    char options[768];
    cl_kernel *k;
    enum gfmul_status status;
    char detail[OCL_DETAIL_BYTES];
};
enum gfmul_status ocl_kernels_get(const struct ocl_call *on, struct ocl_kernel_wish *wish, unsigned n);

/* ocl_program_there - whether a program of kernels/ is in memory, or in the cache on disk. */
bool ocl_program_there(struct ocl_device *d, const char *file, const char *options);

/* The origins of programs since the device was opened; for tests and --stats. */
struct ocl_program_counts {
    unsigned built, loaded, stored, rejected; /* rejected: files of the cache that did not fit */
    uint64_t build_ns, load_ns;
};
void ocl_program_count(struct ocl_device *d, struct ocl_program_counts *counts);

/* ocl_program_list - list the programs in memory, the newest first, with the times of their making (clock_ns).   Returns how
   many. */
struct ocl_program_time {
    char file[64];
    uint64_t begun_ns, ended_ns;
};
unsigned ocl_program_list(struct ocl_device *d, struct ocl_program_time *list, unsigned max);

#endif
