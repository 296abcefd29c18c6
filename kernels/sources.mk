# kernels/sources.mk - the files that become part of the library: what is included, then the pipeline's order.
# SPDX-License-Identifier: LGPL-3.0-or-later

kernel_files = \
    kernels/arguments.h \
    kernels/prelude.cl \
    kernels/complex_dd.cl \
    kernels/fft_radix.cl \
    kernels/fft_stages.cl \
    kernels/spectrum_order.cl \
    kernels/spectrum_pairs.cl \
    kernels/status.cl \
    kernels/carry_map.cl \
    kernels/digit_carry.cl \
    kernels/residue_passes.cl \
    kernels/text_chars.cl \
    kernels/twiddle_table.cl \
    kernels/source_to_columns_fused.cl \
    kernels/columns_forward.cl \
    kernels/columns_to_spectrum.cl \
    kernels/columns_mul_fused.cl \
    kernels/columns_mul_paired_fused.cl \
    kernels/columns_mul_halves_fused.cl \
    kernels/spectrum_mul_add.cl \
    kernels/spectrum_to_columns.cl \
    kernels/columns_inverse.cl \
    kernels/columns_to_runs_fused.cl \
    kernels/runs_to_limbs.cl \
    kernels/chunks_carry.cl \
    kernels/runs_to_text.cl \
    kernels/text_chunks_carry.cl \
    kernels/chunks_compose.cl \
    kernels/text_to_digits.cl \
    kernels/source_to_residues_fused.cl \
    kernels/residues_forward.cl \
    kernels/residues_mul_fused.cl \
    kernels/residues_inverse.cl \
    kernels/residues_to_limbs_fused.cl \
    kernels/residues_to_text_fused.cl \
    kernels/number_residue.cl \
    kernels/words_sum.cl \
    kernels/probe_arithmetic.cl \
    kernels/probe_local.cl \
    kernels/probe_rates.cl \
    kernels/fft_butterfly.cl \
    kernels/fft_transform.cl \
    kernels/fft_chirp.cl \
    kernels/fft_real.cl \
    kernels/fft_conv.cl \
    kernels/fft_conv_sums.cl

# Those of the gallery, which the library does not have.
gallery_kernel_files = \
    kernels/gallery/places.cl \
    kernels/gallery/gallery.cl \
    kernels/gallery/fft_1.cl \
    kernels/gallery/fft_2.cl \
    kernels/gallery/fft_3.cl \
    kernels/gallery/compact_fft_3.cl \
    kernels/gallery/compact_fft_3_coalesced.cl \
    kernels/gallery/fft_4.cl \
    kernels/gallery/fft_4_coalesced.cl \
    kernels/gallery/stockham.cl \
    kernels/gallery/table_root.cl \
    kernels/gallery/local.cl \
    kernels/gallery/local_groups.cl \
    kernels/gallery/register_s2.cl \
    kernels/gallery/register_s2_angles.cl \
    kernels/gallery/register_sp.cl \
    kernels/gallery/group_registers.cl \
    kernels/gallery/fourstep.cl
