# bench/sources.mk - benchmarks; built by "make bench", run by bench/run.sh.
# SPDX-License-Identifier: LGPL-3.0-or-later

bench_programs = \
    bench/b-above \
    bench/b-alone \
    bench/b-crossover \
    bench/b-device \
    bench/b-fft \
    bench/b-files \
    bench/b-first \
    bench/b-gallery \
    bench/b-gmp_dropin \
    bench/b-goals \
    bench/b-matrix \
    bench/b-mul \
    bench/b-ntt \
    bench/b-pi \
    bench/b-pi_gmp \
    bench/b-prime \
    bench/b-space \
    bench/b-stages \
    bench/b-text \
    bench/b-turns \
    bench/b-versions

bench_helpers = \
    bench/bench_contestants.c \
    bench/bench_machine.c \
    bench/bench_measure.c \
    bench/bench_options.c \
    bench/bench_device.c \
    bench/bench_device.h \
    bench/bench_flint.c \
    bench/bench_flint.h \
    bench/bench_parts.c \
    bench/bench_parts.h \
    bench/bench_sizes.c \
    bench/bench.h \
    bench/median.h

# Against the library as a user has it; no wrapper script in front of what is measured.
EXTRA_LTLIBRARIES = libbench.la
CLEANFILES += libbench.la
libbench_la_SOURCES = $(bench_helpers)
libbench_la_CPPFLAGS = $(AM_CPPFLAGS) '-DBENCH_SRCDIR="$(abs_top_srcdir)"' '-DBENCH_CFLAGS="$(CFLAGS)"'
bench_ldadd = libbench.la libgfmul.la $(GMP_LIBS) $(DL_LIBS) $(BASE_LIBS)
bench_b_above_SOURCES = bench/b-above.c bench/above.h bench/above_flint.c
bench_b_above_LDADD = $(bench_ldadd)
bench_b_above_LDFLAGS = -no-install
bench_b_alone_LDADD = $(bench_ldadd)
bench_b_alone_LDFLAGS = -no-install
bench_b_crossover_LDADD = $(bench_ldadd)
bench_b_crossover_LDFLAGS = -no-install
bench_b_files_LDADD = $(bench_ldadd)
bench_b_files_LDFLAGS = -no-install
bench_b_gmp_dropin_LDADD = $(bench_ldadd)
bench_b_gmp_dropin_LDFLAGS = -no-install
bench_b_goals_LDADD = $(bench_ldadd)
bench_b_goals_LDFLAGS = -no-install
bench_b_matrix_LDADD = $(bench_ldadd)
bench_b_matrix_LDFLAGS = -no-install
bench_b_mul_LDADD = $(bench_ldadd)
bench_b_mul_LDFLAGS = -no-install
# The example, and the same on GMP alone.
bench_b_pi_SOURCES = examples/pi.c
bench_b_pi_LDADD = libgfmul.la $(GMP_LIBS)
bench_b_pi_LDFLAGS = -no-install
bench_b_pi_gmp_SOURCES = examples/pi.c bench/pi_gmp.h
bench_b_pi_gmp_CPPFLAGS = -I$(srcdir)/lib -include $(srcdir)/bench/pi_gmp.h
bench_b_pi_gmp_LDADD = $(GMP_LIBS) $(BASE_LIBS)
bench_b_space_LDADD = $(bench_ldadd)
bench_b_space_LDFLAGS = -no-install
bench_b_text_LDADD = $(bench_ldadd)
bench_b_text_LDFLAGS = -no-install
bench_b_turns_LDADD = $(bench_ldadd)
bench_b_turns_LDFLAGS = -no-install
# These load the builds that they compare.
bench_b_first_LDADD = $(GMP_LIBS) $(DL_LIBS)
bench_b_versions_LDADD = $(GMP_LIBS) $(DL_LIBS)
# These measure the stages themselves, and kernels.
bench_study_ldadd = libbench.la libgfmul-study.la $(DL_LIBS)
bench_b_device_SOURCES = bench/b-device.c bench/device_bus.c bench/device_products.c bench/device_start.c bench/device_stream.c \
    bench/device_sums.c
bench_b_device_LDADD = $(bench_study_ldadd)
bench_b_device_LDFLAGS = -no-install
bench_b_fft_SOURCES = bench/b-fft.c bench/transform_conv.c bench/transform_cpu.c bench/transform_device.c
bench_b_fft_LDADD = $(bench_study_ldadd)
bench_b_fft_LDFLAGS = -no-install
bench_b_gallery_SOURCES = bench/b-gallery.c bench/gallery_register.c
bench_b_gallery_LDADD = $(bench_study_ldadd)
bench_b_gallery_LDFLAGS = -no-install
bench_b_ntt_LDADD = libgfmul-study.la $(DL_LIBS)
bench_b_ntt_LDFLAGS = -no-install
bench_b_prime_LDADD = libgfmul-study.la $(DL_LIBS)
bench_b_prime_LDFLAGS = -no-install
bench_b_stages_SOURCES = bench/b-stages.c bench/stages_dd.c bench/stages_floor.c bench/stages_lengths.c bench/stages_residue.c \
    bench/stages_wrap.c
bench_b_stages_LDADD = $(bench_study_ldadd)
bench_b_stages_LDFLAGS = -no-install

# Pictures, which are installed with the documents that link them.
plots_svg = \
    doc/plots/h200-fft-lengths.svg \
    doc/plots/h200-fft-threads.svg \
    doc/plots/h200-fft-cpu-bandwidth.svg \
    doc/plots/h200-fft-cpu-fftw.svg \
    doc/plots/h200-fft-cpu-time.svg \
    doc/plots/h200-fft-opencl-fftw.svg \
    doc/plots/h200-fft-opencl-naive.svg \
    doc/plots/h200-fft-register.svg \
    doc/plots/epyc-2-crossover-short.svg \
    doc/plots/epyc-2-fft-lengths.svg \
    doc/plots/epyc-2-fft-register.svg \
    doc/plots/epyc-2-fft-threads.svg \
    doc/plots/epyc-2-mul-ratio.svg \
    doc/plots/fftgen-operations.svg \
    doc/plots/h200-fft-opencl-bandwidth.svg \
    doc/plots/h200-fft-opencl-group.svg \
    doc/plots/h200-fft-opencl-time.svg \
    doc/plots/xeon-16-text-ratio.svg \
    doc/plots/xeon-2-mul-ratio.svg \
    doc/plots/zen4-2-mul-time.svg

bench_data = \
    bench/results/counts/2026-11-27-fftgen-operations.tsv \
    bench/results/epyc-2/2026-11-23-floor.tsv \
    bench/results/epyc-2/2026-11-23-mul.tsv \
    bench/results/epyc-2/2026-11-27-ladder.tsv \
    bench/results/epyc-2/2026-11-27-register.tsv \
    bench/results/epyc-2/2026-11-28-above.tsv \
    bench/results/epyc-2/2026-11-28-auto.tsv \
    bench/results/epyc-2/2026-11-28-crossover-short.tsv \
    bench/results/epyc-2/2026-11-28-short.tsv \
    bench/results/epyc-2/2026-11-29-alone.tsv \
    bench/results/epyc-2/2026-11-29-files.tsv \
    bench/results/h100/2026-11-25-conv-batched.tsv \
    bench/results/h100/2026-11-25-cpu-floor.tsv \
    bench/results/h100/2026-11-25-products.tsv \
    bench/results/h100/2026-11-25-transforms.tsv \
    bench/results/h200/2026-11-29-b-device.tsv \
    bench/results/h200/2026-11-30-sums.tsv \
    bench/results/h200/2026-11-22-transforms.tsv \
    bench/results/h200/2026-11-26-cpu-prime.tsv \
    bench/results/h200/2026-11-27-start.tsv \
    bench/results/h200/2026-11-27-ladder.tsv \
    bench/results/h200/2026-11-27-register.tsv \
    bench/results/h200-2/2026-11-29-devices.tsv \
    bench/results/xeon-16/2026-11-24-gallery.tsv \
    bench/results/xeon-16/2026-11-22-fft.tsv \
    bench/results/xeon-16/2026-11-22-floor.tsv \
    bench/results/xeon-16/2026-11-23-products.tsv \
    bench/results/xeon-16/2026-11-23-text.tsv \
    bench/results/xeon-16/2026-11-29-above.tsv \
    bench/results/xeon-16/2026-11-27-crossover-short.tsv \
    bench/results/xeon-16/2026-11-27-ntt-words.tsv \
    bench/results/xeon-16/2026-11-29-versions.tsv \
    bench/results/xeon-16/2026-11-29-mpi.tsv \
    bench/results/xeon-16/2026-11-29-parts.tsv \
    bench/results/xeon-16/2026-11-30-above.tsv \
    bench/results/xeon-16/2026-11-29-short.tsv \
    bench/results/xeon-32/2026-11-29-files.tsv \
    bench/results/xeon-2/2026-11-22-dd-avx512.tsv \
    bench/results/xeon-2/2026-11-22-fft.tsv \
    bench/results/xeon-2/2026-11-29-above.tsv \
    bench/results/xeon-2/2026-11-30-parts.tsv \
    bench/results/xeon-2/2026-11-29-matrix.tsv \
    bench/results/xeon-2/2026-11-29-mul.tsv \
    bench/results/xeon-2/2026-11-29-pi.tsv \
    bench/results/xeon-2/2026-11-29-python.tsv \
    bench/results/xeon-2/2026-11-29-rings.tsv \
    bench/results/xeon-2/2026-11-29-short-avx2.tsv \
    bench/results/xeon-2/2026-11-29-short-goals.tsv \
    bench/results/zen3-2/2026-11-24-python.tsv \
    bench/results/zen4-2/2026-11-27-crossover.tsv \
    bench/results/zen4-2/2026-11-25-fftgen-pocl.tsv \
    bench/results/zen4-2/2026-11-27-memory.tsv \
    bench/results/zen4-2/2026-11-27-gmp-dropin.tsv \
    bench/results/zen4-2/2026-11-25-python-convolution-2.tsv \
    bench/results/zen4-2/2026-11-25-sqr.tsv \
    bench/results/zen4-2/2026-11-26-floor.tsv \
    bench/results/zen4-2/2026-11-26-lengths.tsv \
    bench/results/zen4-2/2026-11-26-mul.tsv \
    bench/results/zen4-2/2026-11-27-ntt.tsv \
    bench/results/zen4-2/2026-11-26-primes.tsv \
    bench/results/zen4-2/2026-11-26-wrap.tsv \
    bench/results/zen4-2/2026-11-27-above.tsv \
    bench/results/zen4-2/2026-11-27-programs.tsv \
    bench/bench_python.py \
    bench/bench_stages.h \
    bench/fft_ladder.sh \
    bench/fftgen_operations.sh \
    bench/gallery_gains.awk \
    bench/lengths.awk \
    bench/pari_dropin.sh \
    bench/pi.sh \
    bench/short_dropin.sh \
    bench/short_goals.sh \
    bench/plot.gp \
    bench/plot_fft.gp \
    bench/plot_labels.awk \
    bench/plot_operations.gp \
    bench/plots.sh \
    bench/program_ratios.sh \
    bench/run.sh \
    bench/tune.sh

# Plots of the results at hand, into the sources; make plots MEASURE="cpu opencl" measures the gallery's ladder first.
plots:
	PROGRAM=$(abs_top_builddir)/gfmul-fft $(BASH_SHELL) $(top_srcdir)/bench/plots.sh
.PHONY: plots tune
