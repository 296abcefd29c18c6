# lib/sources.mk - the files of the library, in include order.  The stages of lib/stages/isa are in Makefile.am.
# SPDX-License-Identifier: LGPL-3.0-or-later

lib_sources = \
    lib/base/alloc.c \
    lib/base/cpu.c \
    lib/base/random.c \
    lib/base/status.c \
    lib/base/threads.c

lib_headers = \
    lib/base/alloc.h \
    lib/base/clock.h \
    lib/base/cpu.h \
    lib/base/random.h \
    lib/base/threads.h \
    lib/limbs/residue.h \
    lib/plan/plan.h \
    lib/stages/butterfly.h \
    lib/stages/leaf.h \
    lib/stages/pass.h \
    lib/stages/stage_ops.h \
    lib/stages/stage_template.h \
    lib/stages/transform.h \
    lib/stages/vec/vec_avx2.h \
    lib/stages/vec/vec_avx512.h \
    lib/stages/vec/vec_dekker.h \
    lib/stages/vec/vec_neon.h \
    lib/stages/vec/vec_scalar.h \
    lib/stages/vec/vec_sse2.h \
    lib/text/text.h \
    lib/mul/ctx.h \
    lib/mul/mul.h
