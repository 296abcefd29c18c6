/*
 * ocl_source.h - the files of kernels/ embedded in the library; tools/embed_cl.sh makes the tables.
 */
#ifndef GFMUL_OCL_SOURCE_H
#define GFMUL_OCL_SOURCE_H

#include <stddef.h>

/* One file: its name in kernels/, its NUL-terminated text, and the length of that.  The last entry has no name. */
struct ocl_source {
    const char *name, *text;
    size_t bytes;
};
extern const struct ocl_source ocl_sources[];

/* The tables that are linked: the library's and, if it is built, the gallery's (fft_rows.c).  NULL ends the list. */
extern const struct ocl_source *const ocl_source_tables[];

/* One line of tunables.def.  The last entry has no name. */
struct ocl_tunable {
    const char *name, *value;
};
extern const struct ocl_tunable ocl_tunables[];

#endif
