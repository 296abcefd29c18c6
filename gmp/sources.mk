# gmp/sources.mk - the drop-in for GMP: the preloaded library, its engine, and the command gfmul-run.
# SPDX-License-Identifier: LGPL-3.0-or-later

shim_files = \
    gmp/elf_objects.c \
    gmp/gmp_binding.c \
    gmp/gmp_entries.c \
    gmp/gmp_routes.c \
    gmp/gmp_shim.c \
    gmp/gmp_stats.c \
    gmp/elf_objects.h \
    gmp/gmp_binding.h \
    gmp/gmp_calls.def \
    gmp/gmp_engine.h \
    gmp/gmp_routes.h \
    gmp/gmp_shim.h \
    gmp/gmp_stats.h \
    gmp/gmp_thresholds.h \
    gmp/shim_pages.h

engine_files = \
    gmp/gmp_calls.c \
    gmp/gmp_engine.c \
    gmp/gmp_build.h \
    gmp/gmp_calls.def \
    gmp/gmp_calls.h \
    gmp/gmp_engine.h \
    gmp/gmp_thresholds.h
