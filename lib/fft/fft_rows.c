/*
 * fft_rows.c - the algorithms that programs can name, and the library's kernel files.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * In programs that also link the published algorithms, tools/gallery/gallery_rows.c replaces this file.
 */
#include "fft/fft.h"
#ifdef HAVE_OPENCL
#include "ocl/ocl_source.h"

const struct ocl_source *const ocl_source_tables[] = {ocl_sources, NULL};
#endif

const struct fft_row *const fft_rows[] = {
    &fft_row_auto,
#ifdef HAVE_FFTW3
    &fft_row_fftw,
#endif
#ifdef HAVE_OPENCL
    &fft_row_opencl,
#endif
    NULL,
};
