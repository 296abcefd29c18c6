# lib/sources.mk - the files of the library, in include order.  The stages of lib/stages/isa are in Makefile.am.
# SPDX-License-Identifier: LGPL-3.0-or-later

lib_sources = \
    lib/base/alloc.c \
    lib/base/cpu.c \
    lib/base/random.c \
    lib/base/status.c \
    lib/base/threads.c \
    lib/limbs/mul_small.c \
    lib/limbs/residue.c \
    lib/plan/plan_bound.c \
    lib/plan/plan_create.c \
    lib/plan/plan_print.c \
    lib/plan/plan_size.c \
    lib/plan/plan_twiddle.c \
    lib/stages/digit_source.c \
    lib/stages/digits_to_limbs.c \
    lib/stages/limbs_to_digits.c \
    lib/stages/stage_monitor.c \
    lib/stages/stage_select.c \
    lib/text/columns_to_text.c \
    lib/text/digits_to_text.c \
    lib/text/text_limbs.c \
    lib/text/text_residue.c \
    lib/text/text_scan.c \
    lib/text/text_to_digits.c \
    lib/mul/ctx.c \
    lib/mul/ctx_buffers.c \
    lib/mul/ctx_plans.c \
    lib/mul/mul.c \
    lib/mul/mul_cpu.c \
    lib/mul/mul_fftw.c \
    lib/mul/mul_ocl.c \
    lib/mul/mul_operand.c \
    lib/mul/mul_text.c \
    lib/mul/mul_verify.c

lib_headers = \
    lib/base/alloc.h \
    lib/base/clock.h \
    lib/base/cpu.h \
    lib/base/random.h \
    lib/base/threads.h \
    lib/limbs/limb_bits.h \
    lib/limbs/limb_range.h \
    lib/limbs/mul_small.h \
    lib/limbs/residue.h \
    lib/plan/plan.h \
    lib/plan/plan_twiddle.h \
    lib/plan/thresholds/default.h \
    lib/plan/thresholds/minimal.h \
    lib/stages/butterfly.h \
    lib/stages/carry.h \
    lib/stages/carry_decimal.h \
    lib/stages/digits.h \
    lib/stages/leaf.h \
    lib/stages/pass.h \
    lib/stages/spectrum.h \
    lib/stages/stage_monitor.h \
    lib/stages/stage_ops.h \
    lib/stages/stage_template.h \
    lib/stages/transform.h \
    lib/stages/twiddle.h \
    lib/stages/vec/vec_avx2.h \
    lib/stages/vec/vec_avx512.h \
    lib/stages/vec/vec_dekker.h \
    lib/stages/vec/vec_neon.h \
    lib/stages/vec/vec_scalar.h \
    lib/stages/vec/vec_sse2.h \
    lib/ocl/ocl.h \
    lib/ocl/ocl_buffer.h \
    lib/ocl/ocl_device.h \
    lib/ocl/ocl_fault.h \
    lib/ocl/ocl_launch.h \
    lib/ocl/ocl_program.h \
    lib/ocl/ocl_staging.h \
    lib/text/text.h \
    lib/text/text_chars.h \
    lib/mul/ctx.h \
    lib/mul/mul.h
