/*
 * spectrum_order.cl - the order in which a row's spectrum lies in memory: neighbouring items have neighbouring points.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef SPECTRUM_ORDER_CL
#define SPECTRUM_ORDER_CL
#include "fft_stages.cl"

/* In FOR_VALUES(LAST_STAGE, ...): the place of value s of a butterfly, of POINTS in all. */
#define SPECTRUM_PLACE (s * (POINTS / RADIX(LAST_STAGE)) + butterfly)

#endif
