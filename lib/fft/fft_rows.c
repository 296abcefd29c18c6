/*
 * fft_rows.c - the algorithms that programs can name, and the kernel files that the library has.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tools/gallery/gallery_rows.c takes this file's place in programs that also link the published algorithms.
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
