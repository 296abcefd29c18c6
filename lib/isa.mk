# lib/isa.mk - what is compiled once for each instruction set, with its own flags: an entry for each of lib/base/isa.def.
# SPDX-License-Identifier: LGPL-3.0-or-later

# For the drop-in's engine, too.
isa_libraries =
# Short products, for the library that the drop-in preloads.
short_libraries =
isa_sources = \
    lib/stages/isa/stages.c \
    lib/dd/isa/dd_stages.c \
    lib/prime/isa/prime_stages.c \
    lib/fft/isa/fft_double.c \
    lib/fft/isa/fft_float.c
# The operations of each vector header, for t-vec.
isa_test_sources = tests/vec_test_double.c tests/vec_test_float.c tests/vec_test.h tests/vec_test_lanes.h
tests_t_vec_LDADD = $(LDADD)

if HAVE_AVX512
noinst_LTLIBRARIES += libgfmul-avx512.la
libgfmul_avx512_la_SOURCES = $(isa_sources) lib/stages/vec/vec_avx512.h \
    lib/limbs/isa/residue_avx512.c lib/limbs/isa/residue_ifma.c \
    lib/prime/isa/prime_ifma.c lib/prime/isa/prime_word_avx512.c lib/text/isa/decimal_avx512.c
libgfmul_avx512_la_CPPFLAGS = $(libgfmul_internal_la_CPPFLAGS) -DGFMUL_ISA=avx512
libgfmul_avx512_la_CFLAGS = $(AM_CFLAGS) $(AVX512_CFLAGS)
libgfmul_avx512_la_LIBADD = libgfmul-short-avx512.la
noinst_LTLIBRARIES += libgfmul-short-avx512.la
libgfmul_short_avx512_la_SOURCES = lib/short/isa/short_ifma.c
libgfmul_short_avx512_la_CPPFLAGS = $(libgfmul_avx512_la_CPPFLAGS)
libgfmul_short_avx512_la_CFLAGS = $(AM_CFLAGS) $(AVX512_CFLAGS)
short_libraries += libgfmul-short-avx512.la
libgfmul_internal_la_LIBADD += libgfmul-avx512.la
isa_libraries += libgfmul-avx512.la
check_LTLIBRARIES += libvectest-avx512.la
libvectest_avx512_la_SOURCES = $(isa_test_sources)
libvectest_avx512_la_CPPFLAGS = $(AM_CPPFLAGS) -DGFMUL_ISA=avx512
libvectest_avx512_la_CFLAGS = $(AM_CFLAGS) $(AVX512_CFLAGS)
tests_t_vec_LDADD += libvectest-avx512.la
endif

if HAVE_AVX2
noinst_LTLIBRARIES += libgfmul-avx2.la
libgfmul_avx2_la_SOURCES = $(isa_sources) lib/stages/vec/vec_avx2.h \
    lib/limbs/isa/residue_avx2.c lib/prime/isa/prime_word_avx2.c lib/text/isa/decimal_avx2.c
libgfmul_avx2_la_CPPFLAGS = $(libgfmul_internal_la_CPPFLAGS) -DGFMUL_ISA=avx2
libgfmul_avx2_la_CFLAGS = $(AM_CFLAGS) $(AVX2_CFLAGS)
libgfmul_avx2_la_LIBADD = libgfmul-short-avx2.la
noinst_LTLIBRARIES += libgfmul-short-avx2.la
libgfmul_short_avx2_la_SOURCES = lib/short/isa/short_fma.c
libgfmul_short_avx2_la_CPPFLAGS = $(libgfmul_avx2_la_CPPFLAGS)
libgfmul_short_avx2_la_CFLAGS = $(AM_CFLAGS) $(AVX2_CFLAGS)
short_libraries += libgfmul-short-avx2.la
libgfmul_internal_la_LIBADD += libgfmul-avx2.la
isa_libraries += libgfmul-avx2.la
check_LTLIBRARIES += libvectest-avx2.la
libvectest_avx2_la_SOURCES = $(isa_test_sources)
libvectest_avx2_la_CPPFLAGS = $(AM_CPPFLAGS) -DGFMUL_ISA=avx2
libvectest_avx2_la_CFLAGS = $(AM_CFLAGS) $(AVX2_CFLAGS)
tests_t_vec_LDADD += libvectest-avx2.la
endif

if HAVE_NEON
noinst_LTLIBRARIES += libgfmul-neon.la
libgfmul_neon_la_SOURCES = $(isa_sources) lib/stages/vec/vec_neon.h
libgfmul_neon_la_CPPFLAGS = $(libgfmul_internal_la_CPPFLAGS) -DGFMUL_ISA=neon
libgfmul_neon_la_CFLAGS = $(AM_CFLAGS) $(NEON_CFLAGS)
libgfmul_internal_la_LIBADD += libgfmul-neon.la
isa_libraries += libgfmul-neon.la
check_LTLIBRARIES += libvectest-neon.la
libvectest_neon_la_SOURCES = $(isa_test_sources)
libvectest_neon_la_CPPFLAGS = $(AM_CPPFLAGS) -DGFMUL_ISA=neon
libvectest_neon_la_CFLAGS = $(AM_CFLAGS) $(NEON_CFLAGS)
tests_t_vec_LDADD += libvectest-neon.la
endif

if HAVE_SSE2
noinst_LTLIBRARIES += libgfmul-sse2.la
libgfmul_sse2_la_SOURCES = $(isa_sources) lib/stages/vec/vec_sse2.h
libgfmul_sse2_la_CPPFLAGS = $(libgfmul_internal_la_CPPFLAGS) -DGFMUL_ISA=sse2
libgfmul_sse2_la_CFLAGS = $(AM_CFLAGS) $(SSE2_CFLAGS)
libgfmul_internal_la_LIBADD += libgfmul-sse2.la
isa_libraries += libgfmul-sse2.la
check_LTLIBRARIES += libvectest-sse2.la
libvectest_sse2_la_SOURCES = $(isa_test_sources)
libvectest_sse2_la_CPPFLAGS = $(AM_CPPFLAGS) -DGFMUL_ISA=sse2
libvectest_sse2_la_CFLAGS = $(AM_CFLAGS) $(SSE2_CFLAGS)
tests_t_vec_LDADD += libvectest-sse2.la
endif

noinst_LTLIBRARIES += libgfmul-scalar.la
libgfmul_scalar_la_SOURCES = $(isa_sources) lib/stages/vec/vec_scalar.h lib/prime/isa/prime_word_scalar.c
libgfmul_scalar_la_CPPFLAGS = $(libgfmul_internal_la_CPPFLAGS) -DGFMUL_ISA=scalar
libgfmul_internal_la_LIBADD += libgfmul-scalar.la
isa_libraries += libgfmul-scalar.la
check_LTLIBRARIES += libvectest-scalar.la
libvectest_scalar_la_SOURCES = $(isa_test_sources)
libvectest_scalar_la_CPPFLAGS = $(AM_CPPFLAGS) -DGFMUL_ISA=scalar
tests_t_vec_LDADD += libvectest-scalar.la
