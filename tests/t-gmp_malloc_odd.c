/*
 * t-gmp_malloc_odd.c - t-gmp_malloc.c with a malloc that is no whole replacement of the C library's.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#define ODD_MALLOC 1
#include "t-gmp_malloc.c"
