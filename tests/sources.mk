# tests/sources.mk - test programs, their helpers, and test scripts.
# SPDX-License-Identifier: LGPL-3.0-or-later

# Compiled once, linked into every test program.
test_helpers = \
    tests/any_call.c \
    tests/guard.c \
    tests/operands.c \
    tests/reference.c \
    tests/any_call.h \
    tests/bound_seen.h \
    tests/dd_seen.h \
    tests/contexts.h \
    tests/device_test.h \
    tests/faulty_stages.h \
    tests/gen_words.h \
    tests/conv_quad.h \
    tests/gmp_copy.h \
    tests/fft_numbers.h \
    tests/files_test.h \
    tests/guard.h \
    tests/kernel_test.h \
    tests/ocl_test.h \
    tests/operands.h \
    tests/pipeline_test.h \
    tests/above_test.h \
    tests/products.h \
    tests/device_spaces.h \
    tests/spaces.h \
    tests/text_numbers.h \
    tests/space_steps.h \
    tests/progress_often.h \
    tests/reference.h \
    tests/resident.h \
    tests/request_test.h \
    tests/shapes.h \
    tests/test.h \
    tests/vec_recording.h \
    tests/weigh.h

# The fuzz targets: tests/t-fuzz runs their inputs, make fuzz makes a program of libFuzzer of each.
fuzz_targets = mul text ntt convolve fft options certificate cache binary
fuzz_sources = \
    tests/fuzz/fuzz.c \
    tests/fuzz/fuzz.h \
    tests/fuzz/fuzz_binary.c \
    tests/fuzz/fuzz_cache.c \
    tests/fuzz/fuzz_certificate.c \
    tests/fuzz/fuzz_convolve.c \
    tests/fuzz/fuzz_fft.c \
    tests/fuzz/fuzz_mul.c \
    tests/fuzz/fuzz_ntt.c \
    tests/fuzz/fuzz_options.c \
    tests/fuzz/fuzz_text.c
fuzz_inputs = \
    tests/fuzz/binary.hex \
    tests/fuzz/cache.hex \
    tests/fuzz/certificate.hex \
    tests/fuzz/convolve.hex \
    tests/fuzz/fft.hex \
    tests/fuzz/mul.hex \
    tests/fuzz/ntt.hex \
    tests/fuzz/options.hex \
    tests/fuzz/text.hex

# tests/t-<stem>.c each.
test_programs = \
    tests/t-call_gaps \
    tests/t-call_leave \
    tests/t-stack \
    tests/t-cgroup \
    tests/t-certificate \
    tests/t-columns_to_text \
    tests/t-conv_prime \
    tests/t-convolution \
    tests/t-convolution_dd \
    tests/t-convolution_ocl \
    tests/t-convolution_uneven \
    tests/t-copy_team \
    tests/t-ctx \
    tests/t-ctx_idle \
    tests/t-dd_ocl \
    tests/t-dd_stages \
    tests/t-distances \
    tests/t-files \
    tests/t-files_binary \
    tests/t-files_faults \
    tests/t-files_resume \
    tests/t-faults \
    tests/t-fft \
    tests/t-fft_dd \
    tests/t-fft_enqueue \
    tests/t-fft_ocl \
    tests/t-fft_threads \
    tests/t-fftgen_fuzz \
    tests/t-fuzz \
    tests/t-gallery \
    tests/t-gallery_threads \
    tests/t-gen_codelet \
    tests/t-gen_device \
    tests/t-gen_emit \
    tests/t-gen_graph \
    tests/t-gen_numbers \
    tests/t-gen_params \
    tests/t-gmp_copies \
    tests/t-gmp_dropin \
    tests/t-gmp_malloc \
    tests/t-gmp_malloc_odd \
    tests/t-gmp_short \
    tests/t-idle \
    tests/t-isa \
    tests/t-kernels \
    tests/t-locale \
    tests/t-memory_held \
    tests/t-memory_limit \
    tests/t-mul_adversarial \
    tests/t-mul_api \
    tests/t-mul_async \
    tests/t-mul_branches \
    tests/t-mul_checked \
    tests/t-mul_dd \
    tests/t-mul_knuth \
    tests/t-device_pays \
    tests/t-divide \
    tests/t-mul_device \
    tests/t-mul_ocl \
    tests/t-mul_ocl_checked \
    tests/t-mul_ocl_cells \
    tests/t-mul_ocl_prime \
    tests/t-mul_operand \
    tests/t-mul_prime \
    tests/t-mul_random \
    tests/t-mul_residues \
    tests/t-mul_sizes \
    tests/t-mul_short \
    tests/t-mul_small \
    tests/t-mul_verify \
    tests/t-mul_wrap \
    tests/t-ocl_chunks \
    tests/t-ocl_packing \
    tests/t-mul_device_memory \
    tests/t-mul_device_state \
    tests/t-mul_devices \
    tests/t-mul_shared \
    tests/t-ocl_alloc \
    tests/t-ocl_device \
    tests/t-ocl_drivers \
    tests/t-ocl_memory \
    tests/t-ocl_primes \
    tests/t-ocl_primes_text \
    tests/t-ocl_program \
    tests/t-ocl_stages \
    tests/t-ntt \
    tests/t-options_all \
    tests/t-packing \
    tests/t-parts \
    tests/t-power \
    tests/t-radix \
    tests/t-root \
    tests/t-space \
    tests/t-space_calls \
    tests/t-space_matrix \
    tests/t-space_device \
    tests/t-space_device_calls \
    tests/t-space_device_values \
    tests/t-space_ring \
    tests/t-tree \
    tests/t-bound_document \
    tests/t-bound_roundings \
    tests/t-bound_search \
    tests/t-bound_steps \
    tests/t-plan_bound \
    tests/t-cpu_rates \
    tests/t-plan_choose \
    tests/t-plan_device \
    tests/t-plan_posterior \
    tests/t-plan_size \
    tests/t-prime_field \
    tests/t-prime_join \
    tests/t-prime_stages \
    tests/t-process \
    tests/t-residue \
    tests/t-rounding \
    tests/t-short \
    tests/t-spectrum \
    tests/t-spectrum_text \
    tests/t-stages \
    tests/t-str_mul \
    tests/t-text_digits \
    tests/t-text_limbs \
    tests/t-text_residue \
    tests/t-text_scan \
    tests/t-twiddle \
    tests/t-vec \
    tests/t-parallel \
    tests/t-work_share

# Programs that are no tests: make tests/bound_table.
test_tools = \
    tests/big_product \
    tests/bound_table \
    tests/dd_bound_table \
    tests/soak

# Those whose result goes through the instruction set chosen at run time: repeated by make check-isa.  The others walk
# through all instruction sets by themselves, or use none.  The longest first, so that the others run beside it.
isa_tests = \
    tests/t-convolution \
    tests/t-convolution_dd \
    tests/t-fft_dd \
    tests/t-files \
    tests/t-files_binary \
    tests/t-fft_threads \
    tests/t-mul_adversarial \
    tests/t-mul_api \
    tests/t-mul_branches \
    tests/t-mul_checked \
    tests/t-mul_dd \
    tests/t-mul_knuth \
    tests/t-mul_operand \
    tests/t-mul_prime \
    tests/t-mul_random \
    tests/t-mul_residues \
    tests/t-mul_short \
    tests/t-mul_wrap \
    tests/t-ntt \
    tests/t-divide \
    tests/t-options_all \
    tests/t-packing \
    tests/t-parts \
    tests/t-power \
    tests/t-radix \
    tests/t-root \
    tests/t-space \
    tests/t-space_calls \
    tests/t-space_matrix \
    tests/t-space_ring \
    tests/t-spectrum_text \
    tests/t-tree \
    tests/t-str_mul \
    tests/t-text_digits

# Those that small thresholds change: made and run again in min/ (Makefile.am).
min_tests = \
    min/t-columns_to_text \
    min/t-ctx \
    min/t-distances \
    min/t-divide \
    min/t-mul_adversarial \
    min/t-mul_api \
    min/t-mul_async \
    min/t-mul_branches \
    min/t-mul_checked \
    min/t-mul_dd \
    min/t-mul_knuth \
    min/t-mul_operand \
    min/t-mul_random \
    min/t-mul_verify \
    min/t-mul_wrap \
    min/t-options_all \
    min/t-packing \
    min/t-parts \
    min/t-power \
    min/t-radix \
    min/t-root \
    min/t-space \
    min/t-space_calls \
    min/t-space_matrix \
    min/t-space_ring \
    min/t-spectrum_text \
    min/t-tree \
    min/t-plan_posterior \
    min/t-plan_size \
    min/t-str_mul

# Not repeated by make check-min: what such a build has twice, and long ones that no threshold of sizes changes.
no_min_tests = \
    $(min_tests) \
    tools/check_configure.sh \
    tools/check_names.sh \
    tools/check_neon.sh \
    tools/check_prose.sh \
    tools/check_style.sh \
    tests/t-call_gaps \
    tests/t-convolution_ocl \
    tests/t-dd_ocl \
    tests/t-fft_enqueue \
    tests/t-fft_ocl \
    tests/t-fftgen_counts.sh \
    tests/t-fftgen_cover.sh \
    tests/t-fftgen_fuzz \
    tests/t-gallery \
    tests/t-gallery_segments.sh \
    tests/t-gallery_threads \
    tests/t-gen_device \
    tests/t-kernels \
    tests/t-python.sh

# Those that run on an OpenCL device: make check-ocl, where a device that is missing is a failure.
ocl_tests = \
    tests/t-call_leave \
    tests/t-ocl_alloc \
    tests/t-convolution_ocl \
    tests/t-dd_ocl \
    tests/t-faults \
    tests/t-fft_enqueue \
    tests/t-fft_ocl \
    tests/t-gallery \
    tests/t-gen_device \
    tests/t-kernels \
    tests/t-bigmul_device.sh \
    tests/t-device_pays \
    tests/t-mul_device \
    tests/t-mul_device_memory \
    tests/t-mul_device_state \
    tests/t-mul_devices \
    tests/t-mul_shared \
    tests/t-mul_ocl \
    tests/t-mul_ocl_checked \
    tests/t-mul_ocl_cells \
    tests/t-mul_ocl_prime \
    tests/t-ocl_chunks \
    tests/t-ocl_packing \
    tests/t-ocl_device \
    tests/t-ocl_memory \
    tests/t-ocl_primes \
    tests/t-ocl_primes_text \
    tests/t-ocl_program \
    tests/t-ocl_stages \
    tests/t-options_all \
    tests/t-process \
    tests/t-space_device \
    tests/t-space_device_calls \
    tests/t-space_device_values

# Likewise, by make check-long alone.
min_long_tests = \
    min/t-mul_sizes \
    min/t-spectrum \
    min/t-stages

# Those that make check-long repeats: make check leaves out a part of what they do.  The longest come first.
long_tests = \
    tests/t-ocl_packing \
    tests/t-fuzz \
    tests/t-kernels \
    tests/t-python.sh \
    tests/t-fftgen_cover.sh \
    tests/t-faults \
    tools/check_neon.sh \
    tests/t-fftgen_counts.sh \
    tests/t-bigmul_certificate.sh \
    tests/t-mpi.sh \
    tests/t-mul_ocl \
    tests/t-short \
    tests/t-fftgen_fuzz \
    tests/t-call_gaps \
    tests/t-space_ring \
    tests/t-files_faults \
    tests/t-mul_sizes \
    tests/t-files_binary \
    tests/t-files \
    tests/t-mul_shared \
    tests/t-space_device \
    tests/t-mul_ocl_checked \
    tools/check_configure.sh \
    tests/t-mul_short \
    tests/t-mul_device_memory \
    tests/t-gallery \
    tests/t-ocl_chunks \
    tests/t-mul_prime \
    tests/t-space \
    tests/t-call_leave \
    tests/t-bigmul_device.sh \
    tests/t-gfmul_fft.sh \
    tests/t-conv_prime \
    tests/t-convolution_ocl \
    tests/t-dd_ocl \
    tests/t-fft \
    tests/t-fft_ocl \
    tests/t-fft_enqueue \
    tests/t-gen_device \
    tests/t-device_pays \
    tests/t-divide \
    tests/t-gen_emit \
    tests/t-gen_numbers \
    tests/t-gmp_dropin \
    tests/t-gmp_short \
    tests/t-mul_device \
    tests/t-mul_device_state \
    tests/t-mul_ocl_cells \
    tests/t-mul_ocl_prime \
    tests/t-ocl_alloc \
    tests/t-ocl_primes \
    tests/t-ocl_primes_text \
    tests/t-ocl_stages \
    tests/t-process \
    tests/t-mul_small \
    tests/t-ntt \
    tests/t-options_all \
    tests/t-packing \
    tests/t-parts \
    tests/t-power \
    tests/t-prime_field \
    tests/t-prime_join \
    tests/t-prime_stages \
    tests/t-radix \
    tests/t-root \
    tests/t-space_calls \
    tests/t-space_device_calls \
    tests/t-space_device_values \
    tests/t-spectrum \
    tests/t-spectrum_text \
    tests/t-stack \
    tests/t-stages \
    tests/t-tree \
    tests/t-twiddle \
    tests/t-bound_document \
    tests/t-bound_search

# Scripts, run by bash.
test_scripts = \
    tests/t-batch_gcd.sh \
    tests/t-bigcalc.sh \
    tests/t-bigmul_binary.sh \
    tests/t-bigmul_certificate.sh \
    tests/t-bigmul_device.sh \
    tests/t-bigmul_files.sh \
    tests/t-bigmul_formats.sh \
    tests/t-bigmul_lenient.sh \
    tests/t-bigmul_limits.sh \
    tests/t-bigmul_options.sh \
    tests/t-bigmul_output.sh \
    tests/t-bigmul_products.sh \
    tests/t-pi.sh \
    tests/t-bigmul_reports.sh \
    tests/t-bigmul_scratch.sh \
    tests/t-bigmul_signals.sh \
    tests/t-bigmul_threads.sh \
    tests/t-gfmul_fft.sh \
    tests/t-gfmul_run.sh \
    tests/t-gmp_programs.sh \
    tests/t-leave_by_exception.sh \
    tests/t-mpi.sh \
    tests/t-python.sh \
    tests/t-fftgen.sh \
    tests/t-fftgen_serve.sh \
    tests/t-fftgen_counts.sh \
    tests/t-fftgen_cover.sh \
    tests/t-gallery_segments.sh

test_data = \
    tests/bad_driver.c \
    tests/bound_document.py \
    tests/certificates_alter.py \
    tests/neon_selftest.c \
    tests/tiny_mpn.c \
    tests/bigmul_test.sh \
    tests/gmp_programs.sh \
    tests/fftgen_count.hh \
    tests/fftgen_count_main.hh \
    tests/fftgen_test.sh \
    tests/gallery_record.cc \
    tests/gallery_record.hh \
    tests/work_items.hh \
    tests/leave_by_exception.cc
