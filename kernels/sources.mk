# kernels/sources.mk - the files of kernels.list, for make.
# SPDX-License-Identifier: LGPL-3.0-or-later

kernel_files = \
    kernels/probe_local.cl
