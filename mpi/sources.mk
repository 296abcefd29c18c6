# mpi/sources.mk - libgfmul_mpi: products of numbers that are distributed over the ranks of MPI.
# SPDX-License-Identifier: LGPL-3.0-or-later

mpi_files = \
    mpi/dist_columns.c \
    mpi/dist_moves.c \
    mpi/dist_mul.c \
    mpi/dist_shape.c \
    mpi/dist.h

bigmul_mpi_files = \
    tools/bigmul_mpi.c \
    tools/bigmul_mpi_plain.c \
    tools/bigmul_mpi.h \
    $(tool_files)
