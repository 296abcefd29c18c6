# tools/sources.mk - the files of the programs.
# SPDX-License-Identifier: LGPL-3.0-or-later

bigmul_files = \
    tools/bigmul.c \
    tools/bigmul_devices.c \
    tools/bigmul_input.c \
    tools/bigmul_message.c \
    tools/bigmul_number.c \
    tools/bigmul_options.c \
    tools/bigmul_output.c \
    tools/bigmul_progress.c \
    tools/bigmul_signal.c \
    tools/bigmul_start.c \
    tools/bigmul_stats.c \
    tools/bigmul.h

gfmul_fft_files = \
    tools/gfmul-fft.c

fftgen_files = \
    tools/fftgen.c \
    tools/fftgen_files.c \
    tools/fftgen_tune.c \
    tools/fftgen.h
