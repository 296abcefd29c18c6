/*
 * gfmul_private.h - functions that libgfmul exports for its own programs alone.  This header is not installed, and a release may
 * change or drop them: their version is GFMUL_PRIVATE.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_PRIVATE_H
#define GFMUL_PRIVATE_H

#include "gfmul.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Some of the programs of a product. */
struct gfmul_private_part {
    unsigned part, parts; /* part <= parts; part = parts: open the device, and build nothing.  parts 0: only count */
};

/*
 * gfmul_private_build - build some of the programs that gfmul_device_prepare builds, and leave them in the cache on disk.
 *
 *   base, an, bn  in   as there
 *   which         in   parts end at about the same time if each has a process of its own, and these open the device one after
 *                      the other
 *   missing       out  programs of the product, of all parts, that were neither in memory nor in the cache; may be NULL.
 *                      0 if the cache is off or cannot be written to, or if no device would make the product.  UINT_MAX if
 *                      parts is 0 and the cache knows nothing of the device: then all are missing, and the device stays closed
 *
 * A driver builds one or two programs at a time, whatever the threads, but each process builds that many.  So let each process
 * build a part, and then let gfmul_device_prepare read them.
 * Errors:   those of gfmul_plan_limbs; ARGUMENT also for part > parts.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_private_build(struct gfmul_ctx *ctx, int base, size_t an, size_t bn,
                                                                 struct gfmul_private_part which, unsigned *missing);

/* One way in which a product can be made. */
struct gfmul_private_candidate {
    struct gfmul_plan_info plan; /* of a GPU that is not open only the engine */
    double ms;                   /* how long it takes by the library's own estimate */
    /* CPU: what this processor was measured to take, by what the tables of costs say: in double, modulo primes, for first touches
       of memory.  0: the tables are used as they are */
    double rate_points, rate_primes, rate_touch;
};

/*
 * gfmul_private_candidates - the ways in which a product can be made, the cheapest first.
 *
 *   list          out  n of them, or NULL; to be freed by free()
 *   base, an, bn  in   as for gfmul_device_prepare
 *
 * On the CPU there is one for each length in each field that the rule, the options and the memory admit, with its longest digits.
 * A GPU is among them if the context has found one.  GMP's products, those of vectors without a plan, and those of engine fftw
 * have no estimate.
 * Errors:   those of gfmul_plan_limbs.
 */
GFMUL_API GFMUL_MUST_CHECK enum gfmul_status gfmul_private_candidates(struct gfmul_ctx *ctx,
                                                                      struct gfmul_private_candidate **list, size_t *n,
                                                                      int base, size_t an, size_t bn);

#ifdef __cplusplus
}
#endif

#endif
