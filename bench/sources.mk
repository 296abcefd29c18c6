# bench/sources.mk - benchmarks; built by "make bench".
# SPDX-License-Identifier: LGPL-3.0-or-later

bench_programs =

bench_data =
