# bench/sources.mk - benchmarks; built by "make bench", run by bench/run.sh.
# SPDX-License-Identifier: LGPL-3.0-or-later

bench_programs = \
    bench/b-bus \
    bench/b-conv \
    bench/b-crossover \
    bench/b-dd \
    bench/b-first \
    bench/b-fft \
    bench/b-fft_ocl \
    bench/b-floor \
    bench/b-gallery \
    bench/b-gmp_dropin \
    bench/b-lengths \
    bench/b-mul \
    bench/b-ntt \
    bench/b-ocl \
    bench/b-prime \
    bench/b-register \
    bench/b-residue \
    bench/b-start \
    bench/b-stream \
    bench/b-text \
    bench/b-versions \
    bench/b-wrap

bench_helpers = \
    bench/bench_contestants.c \
    bench/bench_machine.c \
    bench/bench_measure.c \
    bench/bench_options.c \
    bench/bench_sizes.c \
    bench/bench.h \
    bench/median.h

# Against the library as a user has it; no wrapper script in front of what is measured.
EXTRA_LTLIBRARIES = libbench.la
CLEANFILES += libbench.la
libbench_la_SOURCES = $(bench_helpers)
libbench_la_CPPFLAGS = $(AM_CPPFLAGS) '-DBENCH_SRCDIR="$(abs_top_srcdir)"' '-DBENCH_CFLAGS="$(CFLAGS)"'
bench_ldadd = libbench.la libgfmul.la $(GMP_LIBS) $(DL_LIBS) $(BASE_LIBS)
bench_b_crossover_LDADD = $(bench_ldadd)
bench_b_crossover_LDFLAGS = -no-install
bench_b_fft_LDADD = libbench.la libgfmul-study.la $(DL_LIBS)
bench_b_fft_LDFLAGS = -no-install
bench_b_gmp_dropin_LDADD = $(bench_ldadd)
bench_b_gmp_dropin_LDFLAGS = -no-install
bench_b_mul_LDADD = $(bench_ldadd)
bench_b_mul_LDFLAGS = -no-install
bench_b_text_LDADD = $(bench_ldadd)
bench_b_text_LDFLAGS = -no-install
# These load the builds that they compare.
bench_b_first_LDADD = $(GMP_LIBS) $(DL_LIBS)
bench_b_versions_LDADD = $(GMP_LIBS) $(DL_LIBS)
# These measure the stages themselves, and kernels.
bench_b_bus_LDADD = libgfmul-study.la
bench_b_bus_LDFLAGS = -no-install
bench_b_start_LDADD = libgfmul-study.la
bench_b_start_LDFLAGS = -no-install
bench_b_conv_LDADD = libbench.la libgfmul-study.la $(DL_LIBS)
bench_b_conv_LDFLAGS = -no-install
bench_b_dd_LDADD = libgfmul-study.la
bench_b_dd_LDFLAGS = -no-install
bench_b_fft_ocl_LDADD = libbench.la libgfmul-study.la $(DL_LIBS)
bench_b_fft_ocl_LDFLAGS = -no-install
bench_b_floor_LDADD = libgfmul-study.la
bench_b_floor_LDFLAGS = -no-install
bench_b_gallery_LDADD = libbench.la libgfmul-study.la $(DL_LIBS)
bench_b_gallery_LDFLAGS = -no-install
bench_b_lengths_LDADD = libgfmul-study.la
bench_b_lengths_LDFLAGS = -no-install
bench_b_ocl_LDADD = libbench.la libgfmul-study.la $(DL_LIBS)
bench_b_ocl_LDFLAGS = -no-install
bench_b_prime_LDADD = libgfmul-study.la $(DL_LIBS)
bench_b_prime_LDFLAGS = -no-install
bench_b_register_LDADD = libbench.la libgfmul-study.la $(DL_LIBS)
bench_b_register_LDFLAGS = -no-install
bench_b_residue_LDADD = libgfmul-study.la
bench_b_residue_LDFLAGS = -no-install
bench_b_stream_LDADD = libbench.la libgfmul-study.la $(DL_LIBS)
bench_b_stream_LDFLAGS = -no-install
bench_b_wrap_LDADD = libgfmul-study.la
bench_b_wrap_LDFLAGS = -no-install

# Pictures: SVG is installed with the documents, PNG is for those who read the sources.
plots_svg = \
    doc/plots/epyc-2-mul-ratio.svg \
    doc/plots/epyc-2-mul-time.svg \
    doc/plots/h200-fft-cpu-bandwidth.svg \
    doc/plots/h200-fft-cpu-cycles.svg \
    doc/plots/h200-fft-cpu-speedup.svg \
    doc/plots/h200-fft-cpu-time.svg \
    doc/plots/h200-fft-opencl-bandwidth.svg \
    doc/plots/h200-fft-opencl-group.svg \
    doc/plots/h200-fft-opencl-speedup.svg \
    doc/plots/h200-fft-opencl-time.svg \
    doc/plots/h200-fft-threads.svg \
    doc/plots/xeon-16-crossover-avx512.svg \
    doc/plots/xeon-16-mul-ratio.svg \
    doc/plots/xeon-16-mul-time.svg \
    doc/plots/xeon-16-text-ratio.svg \
    doc/plots/xeon-16-text-time.svg \
    doc/plots/xeon-2-mul-ratio.svg \
    doc/plots/xeon-2-mul-time.svg

bench_data = \
    bench/bench_python.py \
    bench/bench_stages.h \
    bench/fft_ladder.sh \
    bench/lengths.awk \
    bench/plot.gp \
    bench/plot_fft.gp \
    bench/plots.sh \
    bench/results/epyc-2/2026-11-23-floor.tsv \
    bench/results/epyc-2/2026-11-23-mul.tsv \
    bench/results/epyc-2/2026-11-24-gallery-pocl.tsv \
    bench/results/h100/2026-11-24-versions.tsv \
    bench/results/h100/2026-11-25-conv.tsv \
    bench/results/h100/2026-11-25-conv-batched.tsv \
    bench/results/h100/2026-11-25-conv-phases.tsv \
    bench/results/h100/2026-11-25-cpu-floor.tsv \
    bench/results/h100/2026-11-25-cpu-mul.tsv \
    bench/results/h100/2026-11-25-cpu-mul-patient.tsv \
    bench/results/h100/2026-11-25-cpu-radix4.tsv \
    bench/results/h100/2026-11-25-device-cold.tsv \
    bench/results/h100/2026-11-25-device-warm.tsv \
    bench/results/h100/2026-11-25-fftgen.tsv \
    bench/results/h100/2026-11-25-gallery.tsv \
    bench/results/h100/2026-11-25-primes-2.tsv \
    bench/results/h100/2026-11-25-primes-double.tsv \
    bench/results/h100/2026-11-25-primes-shapes.tsv \
    bench/results/h100/2026-11-25-primes.tsv \
    bench/results/h100/2026-11-25-resident.tsv \
    bench/results/h100/2026-11-25-start.tsv \
    bench/results/h100/2026-11-25-stream-2.tsv \
    bench/results/h100/2026-11-25-stream.tsv \
    bench/results/h100/2026-11-26-cpu-lengths.tsv \
    bench/results/h100/2026-11-26-cpu-mul-16.tsv \
    bench/results/h100/2026-11-26-cpu-mul.tsv \
    bench/results/h100/2026-11-26-cpu-prime.tsv \
    bench/results/h100/2026-11-26-cpu-residue.tsv \
    bench/results/h100/2026-11-26-cpu-ways.tsv \
    bench/results/h100/2026-11-26-primes-2.tsv \
    bench/results/h100/2026-11-26-primes-shapes.tsv \
    bench/results/h100/2026-11-26-primes.tsv \
    bench/results/h200/2026-11-21-fft-plans-final.tsv \
    bench/results/h200/2026-11-21-fft-plans.tsv \
    bench/results/h200/2026-11-21-fft-shapes-1.tsv \
    bench/results/h200/2026-11-21-fft-shapes-2.tsv \
    bench/results/h200/2026-11-21-fft-shapes-3.tsv \
    bench/results/h200/2026-11-21-fftgen.tsv \
    bench/results/h200/2026-11-21-gallery.tsv \
    bench/results/h200/2026-11-21-ladder-cpu.tsv \
    bench/results/h200/2026-11-21-ladder-opencl.tsv \
    bench/results/h200/2026-11-21-ladder-threads.tsv \
    bench/results/h200/2026-11-21-ocl-dd-1.tsv \
    bench/results/h200/2026-11-21-ocl-dd-2.tsv \
    bench/results/h200/2026-11-21-ocl-plans.tsv \
    bench/results/h200/2026-11-21-ocl-shapes-1.tsv \
    bench/results/h200/2026-11-21-ocl-shapes-2.tsv \
    bench/results/h200/2026-11-21-ocl-shapes-3.tsv \
    bench/results/h200/2026-11-21-ocl-shapes-4.tsv \
    bench/results/h200/2026-11-21-ocl-shapes-5.tsv \
    bench/results/h200/2026-11-21-ocl-shapes-6.tsv \
    bench/results/h200/2026-11-21-overlap.tsv \
    bench/results/h200/2026-11-21-start.tsv \
    bench/results/h200/2026-11-21-stream.tsv \
    bench/results/h200/2026-11-22-bus.tsv \
    bench/results/h200/2026-11-22-fft-plans.tsv \
    bench/results/h200/2026-11-22-ocl-coprime.tsv \
    bench/results/h200/2026-11-22-ocl-plans-2.tsv \
    bench/results/h200/2026-11-22-ocl-plans-3.tsv \
    bench/results/h200/2026-11-22-ocl-plans.tsv \
    bench/results/h200/2026-11-22-ocl-registers.tsv \
    bench/results/h200/2026-11-22-ocl-shapes.tsv \
    bench/results/h200/2026-11-22-start.tsv \
    bench/results/h200/2026-11-22-stream-2.tsv \
    bench/results/h200/2026-11-22-stream.tsv \
    bench/results/h200/2026-11-23-ocl-groups.tsv \
    bench/results/h200/2026-11-23-ocl-tried.tsv \
    bench/results/h200/2026-11-24-gallery-published.tsv \
    bench/results/h200/2026-11-24-versions.tsv \
    bench/results/h200/2026-11-26-cpu-mul.tsv \
    bench/results/h200/2026-11-26-cpu-mul-mixed.tsv \
    bench/results/h200/2026-11-26-cpu-ntt.tsv \
    bench/results/h200/2026-11-26-cpu-prime.tsv \
    bench/results/h200/2026-11-26-cpu-prime-around.tsv \
    bench/results/h200/2026-11-26-cpu-prime-flint.tsv \
    bench/results/h200/2026-11-26-primes-2.tsv \
    bench/results/h200/2026-11-26-primes-3.tsv \
    bench/results/h200/2026-11-26-primes-4.tsv \
    bench/results/h200/2026-11-26-programs.tsv \
    bench/results/h200/2026-11-26-start.tsv \
    bench/results/h200/2026-11-26-start-2.tsv \
    bench/results/h200/2026-11-26-primes.tsv \
    bench/results/h200/2026-11-26-text-primes.txt \
    bench/results/xeon-16/2026-11-21-fft-cd.tsv \
    bench/results/xeon-16/2026-11-21-fft-cf.tsv \
    bench/results/xeon-16/2026-11-21-fft-rd.tsv \
    bench/results/xeon-16/2026-11-21-fft-rf.tsv \
    bench/results/xeon-16/2026-11-21-fft-threads.tsv \
    bench/results/xeon-16/2026-11-21-floor-2.tsv \
    bench/results/xeon-16/2026-11-21-floor.tsv \
    bench/results/xeon-16/2026-11-21-gallery.tsv \
    bench/results/xeon-16/2026-11-21-mul-1e7.tsv \
    bench/results/xeon-16/2026-11-21-mul-2.tsv \
    bench/results/xeon-16/2026-11-21-mul.tsv \
    bench/results/xeon-16/2026-11-21-sqr.tsv \
    bench/results/xeon-16/2026-11-21-text.tsv \
    bench/results/xeon-16/2026-11-21-threads-16.tsv \
    bench/results/xeon-16/2026-11-21-threads-2.tsv \
    bench/results/xeon-16/2026-11-21-unbalanced.tsv \
    bench/results/xeon-16/2026-11-22-fft-cd.tsv \
    bench/results/xeon-16/2026-11-22-fft-cf.tsv \
    bench/results/xeon-16/2026-11-22-fft-rd.tsv \
    bench/results/xeon-16/2026-11-22-fft-rf.tsv \
    bench/results/xeon-16/2026-11-22-floor-16-2.tsv \
    bench/results/xeon-16/2026-11-22-floor-16.tsv \
    bench/results/xeon-16/2026-11-22-floor-2.tsv \
    bench/results/xeon-16/2026-11-22-floor.tsv \
    bench/results/xeon-16/2026-11-22-lengths.tsv \
    bench/results/xeon-16/2026-11-22-mul-1.tsv \
    bench/results/xeon-16/2026-11-22-mul-2.tsv \
    bench/results/xeon-16/2026-11-22-mul.tsv \
    bench/results/xeon-16/2026-11-22-sqr-2.tsv \
    bench/results/xeon-16/2026-11-22-sqr-3.tsv \
    bench/results/xeon-16/2026-11-22-sqr.tsv \
    bench/results/xeon-16/2026-11-22-text-1.tsv \
    bench/results/xeon-16/2026-11-22-text-2.tsv \
    bench/results/xeon-16/2026-11-22-text-3.tsv \
    bench/results/xeon-16/2026-11-22-threads-16-2.tsv \
    bench/results/xeon-16/2026-11-22-threads-16-3.tsv \
    bench/results/xeon-16/2026-11-22-threads-16-shares.tsv \
    bench/results/xeon-16/2026-11-22-threads-16.tsv \
    bench/results/xeon-16/2026-11-22-threads-2-2.tsv \
    bench/results/xeon-16/2026-11-22-threads-2-3.tsv \
    bench/results/xeon-16/2026-11-22-threads-2-shares.tsv \
    bench/results/xeon-16/2026-11-22-threads-2.tsv \
    bench/results/xeon-16/2026-11-22-threads-8-2.tsv \
    bench/results/xeon-16/2026-11-22-threads-8-shares.tsv \
    bench/results/xeon-16/2026-11-22-threads-8.tsv \
    bench/results/xeon-16/2026-11-22-unbalanced-2.tsv \
    bench/results/xeon-16/2026-11-22-unbalanced-3.tsv \
    bench/results/xeon-16/2026-11-22-unbalanced.tsv \
    bench/results/xeon-16/2026-11-22-wrap-1e4-2.tsv \
    bench/results/xeon-16/2026-11-22-wrap-1e4.tsv \
    bench/results/xeon-16/2026-11-22-wrap-2e5-2.tsv \
    bench/results/xeon-16/2026-11-22-wrap-2e5.tsv \
    bench/results/xeon-16/2026-11-22-wrap-500-2.tsv \
    bench/results/xeon-16/2026-11-22-wrap-500.tsv \
    bench/results/xeon-16/2026-11-23-crossover-avx512.tsv \
    bench/results/xeon-16/2026-11-23-mul-1.tsv \
    bench/results/xeon-16/2026-11-23-mul-2.tsv \
    bench/results/xeon-16/2026-11-23-mul.tsv \
    bench/results/xeon-16/2026-11-23-text.tsv \
    bench/results/xeon-16/2026-11-23-unbalanced.tsv \
    bench/results/xeon-16/2026-11-23-wrap-all-avx2.tsv \
    bench/results/xeon-16/2026-11-23-wrap-all.tsv \
    bench/results/xeon-16/2026-11-24-versions.tsv \
    bench/results/xeon-16/2026-11-24-gallery-published.tsv \
    bench/results/xeon-16/2026-11-24-prime.tsv \
    bench/results/zen3-2/2026-11-24-python-convolution.tsv \
    bench/results/zen3-2/2026-11-24-python.tsv \
    bench/results/zen3-2/2026-11-24-gmp-dropin.tsv \
    bench/results/zen3-2/2026-11-24-lengths.tsv \
    bench/results/zen3-2/2026-11-24-radix4.tsv \
    bench/results/zen3-2/2026-11-24-versions.tsv \
    bench/results/zen4-2/2026-11-25-crossover-avx2.tsv \
    bench/results/zen4-2/2026-11-25-crossover-avx512.tsv \
    bench/results/zen4-2/2026-11-25-crossover-scalar.tsv \
    bench/results/zen4-2/2026-11-25-crossover-sse2.tsv \
    bench/results/zen4-2/2026-11-25-fftgen-pocl.tsv \
    bench/results/zen4-2/2026-11-25-first.tsv \
    bench/results/zen4-2/2026-11-25-first-words.tsv \
    bench/results/zen4-2/2026-11-25-floor.tsv \
    bench/results/zen4-2/2026-11-25-gmp-dropin-2.tsv \
    bench/results/zen4-2/2026-11-25-gmp-dropin-pari-2.tsv \
    bench/results/zen4-2/2026-11-26-floor-mixed.tsv \
    bench/results/zen4-2/2026-11-26-mul-mixed.tsv \
    bench/results/zen4-2/2026-11-26-mul-nested.tsv \
    bench/results/zen4-2/2026-11-26-sqr-mixed.tsv \
    bench/results/zen4-2/2026-11-25-floor-2.tsv \
    bench/results/zen4-2/2026-11-25-gmp-dropin-pari.tsv \
    bench/results/zen4-2/2026-11-25-gmp-dropin-short.tsv \
    bench/results/zen4-2/2026-11-25-gmp-dropin.tsv \
    bench/results/zen4-2/2026-11-25-inline.tsv \
    bench/results/zen4-2/2026-11-25-mul-before.tsv \
    bench/results/zen4-2/2026-11-25-mul.tsv \
    bench/results/zen4-2/2026-11-25-mul-2.tsv \
    bench/results/zen4-2/2026-11-25-mul-3.tsv \
    bench/results/zen4-2/2026-11-25-mul-patient.tsv \
    bench/results/zen4-2/2026-11-25-ntt.tsv \
    bench/results/zen4-2/2026-11-25-prime-stages.tsv \
    bench/results/zen4-2/2026-11-26-prime-columns.tsv \
    bench/results/zen4-2/2026-11-25-prime.tsv \
    bench/results/zen4-2/2026-11-26-prime-join.tsv \
    bench/results/zen4-2/2026-11-26-prime-around.tsv \
    bench/results/zen4-2/2026-11-26-prime.tsv \
    bench/results/zen4-2/2026-11-25-python-convolution-2.tsv \
    bench/results/zen4-2/2026-11-25-python-convolution.tsv \
    bench/results/zen4-2/2026-11-25-python-int.tsv \
    bench/results/zen4-2/2026-11-25-python.tsv \
    bench/results/zen4-2/2026-11-25-residue.tsv \
    bench/results/zen4-2/2026-11-25-residue-2.tsv \
    bench/results/zen4-2/2026-11-25-sqr.tsv \
    bench/results/zen4-2/2026-11-25-versions.tsv \
    bench/results/zen4-2/2026-11-25-wrap-1e4.tsv \
    bench/results/zen4-2/2026-11-25-wrap-2e5.tsv \
    bench/results/zen4-2/2026-11-26-mul.tsv \
    bench/results/zen4-2/2026-11-26-prime-auto.tsv \
    bench/results/zen4-2/2026-11-26-prime-flint.tsv \
    bench/results/zen4-2/2026-11-26-ntt.tsv \
    bench/results/zen4-2/2026-11-27-crossover-avx2.tsv \
    bench/results/zen4-2/2026-11-27-crossover-short.tsv \
    bench/results/zen4-2/2026-11-27-gmp-dropin-short.tsv \
    bench/results/zen4-2/2026-11-26-lengths.tsv \
    bench/results/zen4-2/2026-11-26-wrap-1e4.tsv \
    bench/results/zen4-2/2026-11-27-programs.tsv \
    bench/results/xeon-2/2026-11-22-ahead.tsv \
    bench/results/xeon-2/2026-11-22-dd-avx512.tsv \
    bench/results/xeon-2/2026-11-22-fft-all.tsv \
    bench/results/xeon-2/2026-11-22-fft-cd.tsv \
    bench/results/xeon-2/2026-11-22-fft-permuted.tsv \
    bench/results/xeon-2/2026-11-22-fft-rd.tsv \
    bench/results/xeon-2/2026-11-22-fft-short.tsv \
    bench/results/xeon-2/2026-11-22-mul.tsv \
    bench/results/xeon-2/2026-11-22-wrap-1e4.tsv \
    bench/results/xeon-2/2026-11-22-wrap-2e5.tsv \
    bench/results/xeon-2/2026-11-22-wrap-500.tsv \
    doc/plots/h200-fft-cpu-bandwidth.png \
    doc/plots/h200-fft-cpu-cycles.png \
    doc/plots/h200-fft-cpu-speedup.png \
    doc/plots/h200-fft-cpu-time.png \
    doc/plots/h200-fft-opencl-bandwidth.png \
    doc/plots/h200-fft-opencl-group.png \
    doc/plots/h200-fft-opencl-speedup.png \
    doc/plots/h200-fft-opencl-time.png \
    doc/plots/h200-fft-threads.png \
    bench/pari_dropin.sh \
    bench/program_ratios.sh \
    bench/run.sh \
    bench/tune.sh

# Plots of the results at hand, into the sources; make plots MEASURE="cpu opencl" measures the gallery's ladder first.
plots:
	PROGRAM=$(abs_top_builddir)/gfmul-fft $(BASH_SHELL) $(top_srcdir)/bench/plots.sh
.PHONY: plots tune
