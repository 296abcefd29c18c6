/*
 * gallery_rows.c - every algorithm, published ones included; it replaces lib/fft/fft_rows.c.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Programs that link this file see all rows through gfmul_fft_algorithm: gfmul-fft, the tests, the benchmarks.
 */
#include "gallery/gallery.h"
#ifdef HAVE_OPENCL
#include "ocl/ocl_source.h"

extern const struct ocl_source gallery_sources[]; /* made by tools/embed_cl.sh */
const struct ocl_source *const ocl_source_tables[] = {ocl_sources, gallery_sources, NULL};
#endif

const struct fft_row *const fft_rows[] = {
    &fft_row_auto,
    &fft_row_naive,
    &fft_row_naive_table,
    &fft_row_serial,
    &fft_row_serial_table,
    &fft_row_serial_split,
    &fft_row_serial_avx,
    &fft_row_pthread,
    &fft_row_pthread_starts,
    &fft_row_pthread_table,
    &fft_row_pthread_each,
    &fft_row_pthread_spawn,
    &fft_row_pthread_nodes,
    &fft_row_fourstep_cpu,
    &fft_row_bluestein,
    &fft_row_rader,
#ifdef HAVE_FFTW3
    &fft_row_fftw,
#endif
#ifdef HAVE_OPENCL
    &fft_row_opencl,
    &fft_row_fft_1,
    &fft_row_fft_2,
    &fft_row_fft_3,
    &fft_row_fft_3_table,
    &fft_row_compact,
    &fft_row_compact_coalesced,
    &fft_row_fft_4,
    &fft_row_fft_4_coalesced,
    &fft_row_stockham,
    &fft_row_local,
    &fft_row_local_groups,
    &fft_row_register_s2,
    &fft_row_register_s2_angles,
    &fft_row_register_sp,
    &fft_row_group,
    &fft_row_fourstep,
    &fft_row_gen_radix2,
    &fft_row_gen_radix4,
    &fft_row_gen_radix8,
    &fft_row_gen_split,
    &fft_row_gen_pair,
    &fft_row_gen_tangent,
#endif
    NULL,
};
