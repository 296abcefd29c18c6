# tools/sources.mk - the files of the programs.
# SPDX-License-Identifier: LGPL-3.0-or-later

# What bigmul and bigcalc share.
tool_files = \
    tools/tool_binary.c \
    tools/tool_gunzip.c \
    tools/tool_input.c \
    tools/tool_lenient.c \
    tools/tool_message.c \
    tools/tool_number.c \
    tools/tool_output.c \
    tools/tool_progress.c \
    tools/tool_signal.c \
    tools/tool_stats.c \
    tools/tool_values.c \
    tools/tool.h

bigmul_files = \
    tools/bigmul.c \
    tools/bigmul_binary.c \
    tools/bigmul_devices.c \
    tools/bigmul_options.c \
    tools/bigmul_scratch.c \
    tools/bigmul_start.c \
    tools/bigmul_stats.c \
    tools/bigmul.h \
    $(tool_files)

bigcalc_files = \
    tools/bigcalc.c \
    tools/bigcalc_evaluate.c \
    tools/bigcalc_options.c \
    tools/bigcalc_parse.c \
    tools/bigcalc_power.c \
    tools/bigcalc_stats.c \
    tools/bigcalc_sum.c \
    tools/bigcalc.h \
    $(tool_files)

driver_probe_files = \
    tools/driver_probe.c

gfmul_fft_files = \
    tools/gfmul-fft.c

fftgen_files = \
    tools/fftgen.c \
    tools/fftgen_files.c \
    tools/fftgen_serve.c \
    tools/fftgen_tune.c \
    tools/fftgen.h

# The generator and the published algorithms: they see what lib/fft sees.  Nothing in lib/ depends on them.
study_files = \
    tools/gen/algorithms.c \
    tools/gen/analyze.c \
    tools/gen/codelet.c \
    tools/gen/codelet_c.c \
    tools/gen/count.c \
    tools/gen/emit_c.c \
    tools/gen/emit_example.c \
    tools/gen/emit_opencl.c \
    tools/gen/emit_recursion.c \
    tools/gen/emit_step.c \
    tools/gen/emit_table.c \
    tools/gen/gen_device.c \
    tools/gen/gen_table.c \
    tools/gen/gen_text.c \
    tools/gen/graph.c \
    tools/gen/launches.c \
    tools/gen/params.c \
    tools/gen/recursion.c \
    tools/gen/schedule.c \
    tools/gen/simplify.c \
    tools/gen/svg.c \
    tools/gen/transpose.c \
    tools/gallery/bluestein.c \
    tools/gallery/fourstep.c \
    tools/gallery/gallery_rows.c \
    tools/gallery/gen_rows.c \
    tools/gallery/naive.c \
    tools/gallery/ocl_rows.c \
    tools/gallery/pthread.c \
    tools/gallery/rader.c \
    tools/gallery/serial.c \
    tools/gallery/split.c \
    tools/gen/algorithms.h \
    tools/gen/analyze.h \
    tools/gen/codelet.h \
    tools/gen/emit.h \
    tools/gen/gen_device.h \
    tools/gen/gen_table.h \
    tools/gen/gen_text.h \
    tools/gen/graph.h \
    tools/gen/launches.h \
    tools/gen/params.h \
    tools/gen/recursion.h \
    tools/gallery/gallery.h
