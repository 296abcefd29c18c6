/*
 * spectrum.h - spectra, and what their public functions share.
 */
#ifndef GFMUL_SPECTRUM_H
#define GFMUL_SPECTRUM_H

#include "space/space.h"

/* A place for a sum, which the lock of the context guards. */
struct gfmul_spectrum {
    struct gfmul_space *space;
    struct sum sum;
};

/*
 * spectrum_write - x becomes a number of an limbs, reduced if the space has a modulus.   spectrum_read - the value of x.
 *
 *   v  out  a new reference, with its limbs; the least remainder, if the space has a modulus
 * The call has begun in the space (space_begin).   Errors: those of gfmul_mul; SIZE: the value is too long.  x keeps its value.
 */
enum gfmul_status spectrum_write(struct call *call, struct gfmul_spectrum *x, const mp_limb_t *a, size_t an, bool negative);
enum gfmul_status spectrum_read(struct call *call, struct integer *v, struct gfmul_spectrum *x);

/*
 * spectrum_terms - terms of x, which take transforms when it is read.
 * terms_limbs - limbs of so many products in a space, as call_work has them.
 */
size_t spectrum_terms(struct gfmul_spectrum *x);
size_t terms_limbs(const struct gfmul_space *space, size_t terms);

#endif
