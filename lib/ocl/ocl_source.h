/*
 * ocl_source.h - the files of kernels/ within the library; tools/embed_cl.sh makes the tables.
 */
#ifndef GFMUL_OCL_SOURCE_H
#define GFMUL_OCL_SOURCE_H

#include <stddef.h>

/* One file: its name in kernels/, its text, NUL-terminated, of so many bytes.  The last entry has no name. */
struct ocl_source {
    const char *name, *text;
    size_t bytes;
};
extern const struct ocl_source ocl_sources[];

/* The tables that are linked, NULL behind the last: the library's, and the gallery's if it is there (fft_rows.c). */
extern const struct ocl_source *const ocl_source_tables[];

/* One line of tunables.def.  The last entry has no name. */
struct ocl_tunable {
    const char *name, *value;
};
extern const struct ocl_tunable ocl_tunables[];

#endif
