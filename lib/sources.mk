# lib/sources.mk - the files of the library: folders in include order, fft beside mul, by name in each.  What is
# compiled for each instruction set (isa/ of lib/limbs, lib/stages, lib/dd, lib/text and lib/fft) is in isa.mk.
# SPDX-License-Identifier: LGPL-3.0-or-later

# Products, and what stands above them: quotients and roots, and transforms.
product_sources = \
    lib/base/alloc.c \
    lib/base/cgroup.c \
    lib/base/cpu.c \
    lib/base/environment.c \
    lib/base/forks.c \
    lib/base/copy_team.c \
    lib/base/idle.c \
    lib/base/random.c \
    lib/base/stack.c \
    lib/base/status.c \
    lib/base/threads.c \
    lib/limbs/mul_small.c \
    lib/limbs/residue.c \
    lib/short/short.c \
    lib/plan/plan_bound.c \
    lib/plan/plan_cost.c \
    lib/plan/plan_create.c \
    lib/plan/plan_dd.c \
    lib/plan/plan_device.c \
    lib/plan/plan_device_costs.c \
    lib/plan/plan_device_cells.c \
    lib/plan/plan_device_primes.c \
    lib/plan/plan_device_buffers.c \
    lib/plan/plan_device_tables.c \
    lib/plan/plan_field.c \
    lib/plan/plan_judge.c \
    lib/plan/plan_cells.c \
    lib/plan/plan_points.c \
    lib/plan/plan_prime.c \
    lib/plan/plan_print.c \
    lib/plan/plan_shape.c \
    lib/plan/plan_size.c \
    lib/plan/plan_twiddle.c \
    lib/plan/plan_wrap.c \
    lib/plan/prime_table.c \
    lib/plan/root_fixed.c \
    lib/plan/root_table.c \
    lib/stages/digit_source.c \
    lib/stages/digits_to_limbs.c \
    lib/stages/limbs_to_digits.c \
    lib/stages/stage_monitor.c \
    lib/stages/stage_select.c \
    lib/stages/strip_segments.c \
    lib/prime/prime_halves.c \
    lib/prime/prime_ring.c \
    lib/prime/prime_roots.c \
    lib/prime/prime_tables.c \
    lib/prime/prime_values.c \
    lib/text/columns_to_text.c \
    lib/text/dd_text.c \
    lib/text/decimal.c \
    lib/text/digits_to_text.c \
    lib/text/text_limbs.c \
    lib/text/text_residue.c \
    lib/text/text_scan.c \
    lib/text/text_to_digits.c \
    lib/mul/attempt.c \
    lib/mul/call.c \
    lib/mul/call_run.c \
    lib/mul/certificate.c \
    lib/mul/convolve.c \
    lib/mul/convolve_primes.c \
    lib/mul/ctx.c \
    lib/mul/ctx_idle.c \
    lib/mul/ctx_memory.c \
    lib/mul/ctx_plans.c \
    lib/mul/mul.c \
    lib/mul/mul_async.c \
    lib/mul/mul_beside.c \
    lib/mul/mul_candidates.c \
    lib/mul/mul_cpu.c \
    lib/mul/mul_gmp.c \
    lib/mul/mul_short.c \
    lib/mul/mul_operand.c \
    lib/mul/mul_text.c \
    lib/mul/mul_text_short.c \
    lib/mul/mul_verify.c \
    lib/mul/mul_wrap.c
# What stands above a product.  The drop-in's engine has the first part.
quotient_sources = \
    lib/above/divide.c \
    lib/above/divide_call.c \
    lib/above/invert.c \
    lib/above/ring.c
above_sources = $(quotient_sources) \
    lib/above/part_middle.c \
    lib/above/part_modulo.c \
    lib/above/parts.c \
    lib/above/power.c \
    lib/above/power_call.c \
    lib/above/radix.c \
    lib/above/radix_call.c \
    lib/above/radix_in.c \
    lib/above/radix_out.c \
    lib/above/root.c \
    lib/above/space.c \
    lib/above/space_sum.c \
    lib/above/spectrum_call.c \
    lib/above/tree.c \
    lib/above/tree_call.c \
    lib/above/tree_rest.c
# Products of numbers in files.
scratch_sources = \
    lib/scratch/scratch_columns.c \
    lib/scratch/scratch_disk.c \
    lib/scratch/scratch_file.c \
    lib/scratch/scratch_mul.c \
    lib/scratch/scratch_passes.c \
    lib/scratch/scratch_plan.c \
    lib/scratch/scratch_resume.c \
    lib/scratch/scratch_text.c
transform_sources = \
    lib/fft/conv.c \
    lib/fft/conv_float.c \
    lib/fft/conv_int.c \
    lib/fft/conv_prime.c \
    lib/fft/conv_ocl.c \
    lib/fft/fft.c \
    lib/fft/fft_auto.c \
    lib/fft/fft_dd.c \
    lib/fft/fft_ocl.c \
    lib/fft/fft_ocl_io.c \
    lib/fft/fft_ocl_row.c \
    lib/fft/fft_ocl_shapes.c \
    lib/fft/fft_plan.c \
    lib/fft/fft_select.c \
    lib/fft/ntt.c
# The algorithms that programs can name; tools/gallery/gallery_rows.c has all of them.
row_table = lib/fft/fft_rows.c
# The engines that the build has.
engine_table = lib/mul/engine.c

# Of builds with OpenCL, and of those without.
opencl_sources = \
    lib/ocl/ocl_buffer.c \
    lib/ocl/ocl_cache.c \
    lib/ocl/ocl_chunks.c \
    lib/ocl/ocl_device.c \
    lib/ocl/ocl_drivers.c \
    lib/ocl/ocl_fault.c \
    lib/ocl/ocl_figures.c \
    lib/ocl/ocl_rates.c \
    lib/ocl/ocl_launch.c \
    lib/ocl/ocl_arithmetic.c \
    lib/ocl/ocl_local.c \
    lib/ocl/ocl_overlap.c \
    lib/ocl/ocl_pipeline.c \
    lib/ocl/ocl_pipeline_kernels.c \
    lib/ocl/ocl_pipeline_primes.c \
    lib/ocl/ocl_pipeline_tables.c \
    lib/ocl/ocl_program.c \
    lib/ocl/ocl_residue.c \
    lib/ocl/ocl_staging.c \
    lib/ocl/ocl_state.c \
    lib/ocl/ocl_status.c \
    lib/mul/ctx_device.c \
    lib/mul/device_pays.c \
    lib/mul/device_store.c \
    lib/mul/mul_device_operand.c \
    lib/mul/mul_ocl.c \
    lib/mul/mul_ocl_sums.c
# Of those that load it at run time.
opencl_loader_sources = lib/ocl/ocl_loader.c
no_opencl_sources = lib/mul/no_devices.c
fftw_sources = lib/base/fftw_loader.c lib/fft/fft_fftw.c lib/mul/mul_fftw.c

# Those of them that include plan/thresholds/thresholds.h: the tests in min/ have them with the smallest thresholds.
threshold_sources = \
    lib/plan/plan_cost.c \
    lib/plan/plan_dd.c \
    lib/plan/plan_field.c \
    lib/plan/plan_cells.c \
    lib/plan/plan_points.c \
    lib/plan/plan_shape.c \
    lib/plan/plan_wrap.c \
    lib/mul/call.c \
    lib/mul/ctx.c \
    lib/mul/ctx_plans.c \
    lib/mul/mul_wrap.c

lib_headers = \
    lib/base/alloc.h \
    lib/base/c_locale.h \
    lib/base/cgroup.h \
    lib/base/clock.h \
    lib/base/copy_team.h \
    lib/base/cpu.h \
    lib/base/cpu_paths.h \
    lib/base/environment.h \
    lib/base/fftw_loader.h \
    lib/base/forks.h \
    lib/base/idle.h \
    lib/base/isa.def \
    lib/base/overlap.h \
    lib/base/random.h \
    lib/base/rounding.h \
    lib/base/stack.h \
    lib/base/threads.h \
    lib/base/try.h \
    lib/base/work_share.h \
    lib/limbs/limb_bits.h \
    lib/limbs/limb_range.h \
    lib/limbs/mul_small.h \
    lib/limbs/residue.h \
    lib/limbs/residue_sums.h \
    lib/scratch/scratch.h \
    lib/scratch/scratch_passes.h \
    lib/scratch/scratch_resume.h \
    lib/short/short.def \
    lib/short/short.h \
    lib/short/short_blocks.h \
    lib/short/short_columns.h \
    lib/short/short_fma_base.h \
    lib/short/short_fma_digits.h \
    lib/short/short_fma_vec.h \
    lib/short/short_ifma_base.h \
    lib/short/short_ifma_digits.h \
    lib/short/short_ifma_redc.h \
    lib/short/short_ifma_vec.h \
    lib/short/short_sizes.h \
    lib/plan/odd_factors.def \
    lib/plan/plan.h \
    lib/plan/plan_search.h \
    lib/plan/plan_shape.h \
    lib/plan/plan_dd.h \
    lib/plan/plan_device.h \
    lib/plan/plan_field.h \
    lib/plan/plan_names.h \
    lib/plan/plan_prime.h \
    lib/plan/plan_say.h \
    lib/plan/plan_twiddle.h \
    lib/plan/prime_table.h \
    lib/plan/root_fixed.h \
    lib/plan/root_table.h \
    lib/plan/thresholds/default.h \
    lib/plan/thresholds/device.h \
    lib/plan/thresholds/lengths.h \
    lib/plan/thresholds/minimal.h \
    lib/plan/thresholds/primes.h \
    lib/plan/thresholds/thresholds.h \
    lib/stages/branch.h \
    lib/stages/butterfly.h \
    lib/stages/columns_mul_fused.h \
    lib/stages/columns_to_decimal_fused.h \
    lib/stages/columns_to_limbs_fused.h \
    lib/stages/cyclic.h \
    lib/stages/digits.h \
    lib/stages/digits_to_decimal_runs.h \
    lib/stages/digits_to_limbs_run.h \
    lib/stages/halves.h \
    lib/stages/lanes.h \
    lib/stages/leaf.h \
    lib/stages/limb_runs.h \
    lib/stages/odd_dft.h \
    lib/stages/pass.h \
    lib/stages/radix4.h \
    lib/stages/source_to_columns_fused.h \
    lib/stages/spectra_sum_fused.h \
    lib/stages/spectrum_mul.h \
    lib/stages/stage_monitor.h \
    lib/stages/stage_ops.h \
    lib/stages/stage_template.h \
    lib/stages/strip_segments.h \
    lib/stages/transform.h \
    lib/stages/twiddle.h \
    lib/stages/vec/vec.h \
    lib/stages/vec/vec_dekker.h \
    lib/stages/vec/vec_lanes.h \
    lib/dd/dd_carry.h \
    lib/dd/dd_fft.h \
    lib/dd/dd_number.h \
    lib/dd/dd_odd.h \
    lib/dd/dd_pass.h \
    lib/dd/dd_points.h \
    lib/dd/dd_root.h \
    lib/dd/dd_stages.h \
    lib/dd/dd_stockham.h \
    lib/dd/dd_template.h \
    lib/dd/dd_transform.h \
    lib/prime/prime_columns.h \
    lib/prime/prime_combine.h \
    lib/prime/prime_field.h \
    lib/prime/prime_join.h \
    lib/prime/prime_join_ifma.h \
    lib/prime/prime_ifma_field.h \
    lib/prime/prime_ifma_passes.h \
    lib/prime/prime_ifma_product.h \
    lib/prime/prime_ifma_tables.h \
    lib/prime/prime_lanes_avx512.h \
    lib/prime/prime_lanes_walk.h \
    lib/prime/prime_ops.h \
    lib/prime/prime_parallel.h \
    lib/prime/prime_ring.h \
    lib/prime/prime_ring_product.h \
    lib/prime/prime_ring_stages.h \
    lib/prime/prime_roots.h \
    lib/prime/prime_rows.h \
    lib/prime/prime_template.h \
    lib/prime/prime_transform.h \
    lib/prime/prime_values.h \
    lib/prime/prime_word_avx2.h \
    lib/prime/prime_word_avx512.h \
    lib/prime/prime_word_passes.h \
    lib/prime/prime_word_scalar.h \
    lib/prime/prime_word_template.h \
    lib/prime/prime_word_unsigned.h \
    lib/ocl/ocl.h \
    lib/ocl/ocl_buffer.h \
    lib/ocl/ocl_cache.h \
    lib/ocl/ocl_chunks.h \
    lib/ocl/ocl_device.h \
    lib/ocl/ocl_drivers.h \
    lib/ocl/ocl_fault.h \
    lib/ocl/ocl_figures.h \
    lib/ocl/ocl_rates.h \
    lib/ocl/ocl_launch.h \
    lib/ocl/ocl_loader.h \
    lib/ocl/ocl_overlap.h \
    lib/ocl/ocl_pipeline.h \
    lib/ocl/ocl_pipeline_state.h \
    lib/ocl/ocl_program.h \
    lib/ocl/ocl_residue.h \
    lib/ocl/ocl_source.h \
    lib/ocl/ocl_staging.h \
    lib/ocl/ocl_state.h \
    lib/text/decimal.h \
    lib/text/decimal_sums.h \
    lib/text/text.h \
    lib/text/text_chars.h \
    lib/mul/call_run.h \
    lib/mul/convolve.h \
    lib/mul/ctx.h \
    lib/mul/ctx_device.h \
    lib/mul/device_pays.h \
    lib/mul/device_store.h \
    lib/mul/engine.h \
    lib/mul/grid.h \
    lib/mul/mul.h \
    lib/mul/product.h \
    lib/mul/mul_ocl.h \
    lib/mul/mul_verify.h \
    lib/mul/mul_wrap.h \
    lib/mul/phase.h \
    lib/mul/cpu_pays.h \
    lib/mul/mul_candidates.h \
    lib/mul/programs.h \
    lib/gfmul_private.h \
    lib/above/divide.h \
    lib/above/parts.h \
    lib/above/power.h \
    lib/above/radix.h \
    lib/above/ring.h \
    lib/above/space.h \
    lib/above/tree.h \
    lib/fft/conv.h \
    lib/fft/fft.h \
    lib/fft/fft_block.h \
    lib/fft/fft_codelets.h \
    lib/fft/fft_ocl.h \
    lib/fft/fft_pass.h \
    lib/fft/fft_run.h \
    lib/fft/fft_steps.h
