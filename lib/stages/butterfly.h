/*
 * butterfly.h - the arithmetic of the tree: radix-2 steps nested into radix 4 and 8, and a true radix 4.  Odd radices: odd_dft.h.
 *
 * A node x^m - e(theta) with coefficients (a, b) of 1 and x^(m/2) splits into a + w b and a - w b, w = e(theta/2).
 * A twiddle w = c (1 + i tau) is kept as c = Re w and tau = Im w / c, so that a step is six FMAs a point pair:
 *     t = (br - tau bi, bi + tau br),   a +- c t.
 * Slot s of a radix-R step holds the coefficients of x^(s m/R) on input and child s, bits of s most significant first as the
 * steps decide them, on output.  The twiddles of radix 8 are w[0] = e(theta/2), w[1] = e(theta/4), w[2] = e(theta/8),
 * w[3] = e(theta/8 - 1/8); those of the other nodes are i times these, or minus them.
 * Constants of the rounding bound: doc/error-bound.md.   Source: [Ber04] for the tree, [LF93] for the ratio form.
 */
#ifndef GFMUL_BUTTERFLY_H
#define GFMUL_BUTTERFLY_H

struct twiddle {
    vec c, tau; /* true radix 4: the cosine and the sine */
};

/* (a, b) <- (a + w b, a - w b) */
STAGE_INLINE void step(vec *ar, vec *ai, vec *br, vec *bi, struct twiddle w)
{
    vec tr = vec_fnma(w.tau, *bi, *br), ti = vec_fma(w.tau, *br, *bi), xr = *ar, xi = *ai;
    *ar = vec_fma(w.c, tr, xr);
    *ai = vec_fma(w.c, ti, xi);
    *br = vec_fnma(w.c, tr, xr);
    *bi = vec_fnma(w.c, ti, xi);
}

/* (a, b) <- (a + i w b, a - i w b) */
STAGE_INLINE void step_i(vec *ar, vec *ai, vec *br, vec *bi, struct twiddle w)
{
    vec tr = vec_fnma(w.tau, *bi, *br), ti = vec_fma(w.tau, *br, *bi), xr = *ar, xi = *ai;
    *ar = vec_fnma(w.c, ti, xr);
    *ai = vec_fma(w.c, tr, xi);
    *br = vec_fma(w.c, ti, xr);
    *bi = vec_fnma(w.c, tr, xi);
}

/* (a, b) <- (a - w b, a + w b) */
STAGE_INLINE void step_minus(vec *ar, vec *ai, vec *br, vec *bi, struct twiddle w)
{
    step(ar, ai, br, bi, w);
    vec r = *ar, i = *ai;
    *ar = *br;
    *ai = *bi;
    *br = r;
    *bi = i;
}

/* (a, b) <- (a + b, conj(w) (a - b)): twice the inverse of step */
STAGE_INLINE void unstep(vec *ar, vec *ai, vec *br, vec *bi, struct twiddle w)
{
    vec pr = vec_sub(*ar, *br), pi = vec_sub(*ai, *bi);
    *ar = vec_add(*ar, *br);
    *ai = vec_add(*ai, *bi);
    *br = vec_mul(w.c, vec_fma(w.tau, pi, pr));
    *bi = vec_mul(w.c, vec_fnma(w.tau, pr, pi));
}

/* (a, b) <- (a + b, conj(i w) (a - b)) */
STAGE_INLINE void unstep_i(vec *ar, vec *ai, vec *br, vec *bi, struct twiddle w)
{
    vec pr = vec_sub(*ai, *bi), pi = vec_sub(*br, *ar);
    *ar = vec_add(*ar, *br);
    *ai = vec_add(*ai, *bi);
    *br = vec_mul(w.c, vec_fma(w.tau, pi, pr));
    *bi = vec_mul(w.c, vec_fnma(w.tau, pr, pi));
}

/* (a, b) <- (a + b, conj(-w) (a - b)) */
STAGE_INLINE void unstep_minus(vec *ar, vec *ai, vec *br, vec *bi, struct twiddle w)
{
    vec pr = vec_sub(*br, *ar), pi = vec_sub(*bi, *ai);
    *ar = vec_add(*ar, *br);
    *ai = vec_add(*ai, *bi);
    *br = vec_mul(w.c, vec_fma(w.tau, pi, pr));
    *bi = vec_mul(w.c, vec_fnma(w.tau, pr, pi));
}

#define STEP(f, s, t, w) f(r + (s), i + (s), r + (t), i + (t), w)

/* The levels of a radix below its first one, which stands apart because it is free if the upper slots are zero. */
STAGE_INLINE void radix4_rest(vec *r, vec *i, const struct twiddle *w)
{
    STEP(step, 0, 1, w[1]);
    STEP(step_i, 2, 3, w[1]);
}
STAGE_INLINE void radix8_rest(vec *r, vec *i, const struct twiddle *w)
{
    STEP(step, 0, 2, w[1]);
    STEP(step, 1, 3, w[1]);
    STEP(step_i, 4, 6, w[1]);
    STEP(step_i, 5, 7, w[1]);
    STEP(step, 0, 1, w[2]);
    STEP(step_i, 2, 3, w[2]);
    STEP(step_i, 4, 5, w[3]);
    STEP(step_minus, 6, 7, w[3]);
}

/* radix_forward - all levels of a radix; upper_zero: the slots from radix/2 on are zero and are not read. */
STAGE_INLINE void radix_forward(unsigned radix, vec *r, vec *i, const struct twiddle *w, bool upper_zero)
{
    for (unsigned s = 0; s < radix / 2; s++) {
        if (upper_zero) {
            r[s + radix / 2] = r[s];
            i[s + radix / 2] = i[s];
        } else
            STEP(step, s, s + radix / 2, w[0]);
    }
    if (radix == 4)
        radix4_rest(r, i, w);
    else if (radix == 8)
        radix8_rest(r, i, w);
}

/*
 * radix_forward_real - radix_forward of real values r.  Imaginary parts are not read, except that of slot 0 if there is one.  The
 * bits are the same except for the signs of zeros: fma(-tau, 0, b) = b, fma(tau, b, 0) = fl(tau b), fma(c, t, 0) = fl(c t).
 *
 *   imag  in  of slot 0, or NULL; upper_zero: NULL
 */
STAGE_INLINE void radix_forward_real(unsigned radix, vec *r, vec *i, const struct twiddle *w, bool upper_zero, const vec *imag)
{
    for (unsigned s = 0, t = radix / 2; s < radix / 2; s++, t++) {
        const vec a = r[s], b = r[t];
        r[s] = upper_zero ? a : vec_fma(w[0].c, b, a);
        r[t] = upper_zero ? a : vec_fnma(w[0].c, b, a);
        i[s] = upper_zero ? vec_set1(0.0) : vec_mul(w[0].c, vec_mul(w[0].tau, b));
        i[t] = upper_zero ? i[s] : vec_neg(i[s]);
        if (s == 0 && imag) {
            const vec y = vec_mul(w[0].tau, b);
            i[s] = vec_fma(w[0].c, y, *imag);
            i[t] = vec_fnma(w[0].c, y, *imag);
        }
    }
    if (radix == 4)
        radix4_rest(r, i, w);
    else if (radix == 8)
        radix8_rest(r, i, w);
}

/* radix_inverse - undo radix_forward, times radix. */
STAGE_INLINE void radix_inverse(unsigned radix, vec *r, vec *i, const struct twiddle *w)
{
    if (radix == 4) {
        STEP(unstep, 0, 1, w[1]);
        STEP(unstep_i, 2, 3, w[1]);
    } else if (radix == 8) {
        STEP(unstep, 0, 1, w[2]);
        STEP(unstep_i, 2, 3, w[2]);
        STEP(unstep_i, 4, 5, w[3]);
        STEP(unstep_minus, 6, 7, w[3]);
        STEP(unstep, 0, 2, w[1]);
        STEP(unstep, 1, 3, w[1]);
        STEP(unstep_i, 4, 6, w[1]);
        STEP(unstep_i, 5, 7, w[1]);
    }
    for (unsigned s = 0; s < radix / 2; s++)
        STEP(unstep, s, s + radix / 2, w[0]);
}

/* (r, i) <- (r, i) (c + i s), four operations: the ordinary product of spectra. */
STAGE_INLINE void complex_mul(vec *r, vec *i, vec c, vec s)
{
    vec x = *r, y = *i;
    *r = vec_fms(x, c, vec_mul(y, s));
    *i = vec_fma(x, s, vec_mul(y, c));
}

/*
 * True radix 4: coefficients a0 .. a3 of 1, x^(m/4), x^(m/2), x^(3m/4) split by three products with the powers w^1, w^2, w^3 of
 * w = e(theta/4) and a DFT of four points: 12 multiplications and FMAs, 16 additions.  That suits processors whose additions have
 * pipes of their own.  Twiddle q is w^(q+1), with its sine in the place of tau.  Slots as above.
 */

/* twiddle_product - an entry (c, s) times a factor (c, s): a computed twiddle of true radix 4. */
STAGE_INLINE struct twiddle twiddle_product(struct twiddle entry, vec c, vec s)
{
    complex_mul(&entry.c, &entry.tau, c, s);
    return entry;
}

/* radix4_forward - by true radix 4. */
STAGE_INLINE void radix4_forward(vec *r, vec *i, const struct twiddle *w)
{
    for (unsigned q = 0; q < 3; q++)
        complex_mul(r + q + 1, i + q + 1, w[q].c, w[q].tau);
    const vec ar = vec_add(r[0], r[2]), ai = vec_add(i[0], i[2]), br = vec_sub(r[0], r[2]), bi = vec_sub(i[0], i[2]);
    const vec cr = vec_add(r[1], r[3]), ci = vec_add(i[1], i[3]), dr = vec_sub(r[1], r[3]), di = vec_sub(i[1], i[3]);
    r[0] = vec_add(ar, cr);
    i[0] = vec_add(ai, ci);
    r[1] = vec_sub(ar, cr);
    i[1] = vec_sub(ai, ci);
    r[2] = vec_sub(br, di);
    i[2] = vec_add(bi, dr);
    r[3] = vec_add(br, di);
    i[3] = vec_sub(bi, dr);
}

/* (r, i) <- (r, i) (c - i s) */
STAGE_INLINE void conjugate_mul(vec *r, vec *i, vec c, vec s)
{
    const vec x = *r, y = *i;
    *r = vec_fma(x, c, vec_mul(y, s));
    *i = vec_fms(y, c, vec_mul(x, s));
}

/* radix4_inverse - undo radix4_forward, times 4. */
STAGE_INLINE void radix4_inverse(vec *r, vec *i, const struct twiddle *w)
{
    const vec ar = vec_add(r[0], r[1]), ai = vec_add(i[0], i[1]), cr = vec_sub(r[0], r[1]), ci = vec_sub(i[0], i[1]);
    const vec br = vec_add(r[2], r[3]), bi = vec_add(i[2], i[3]), dr = vec_sub(i[2], i[3]), di = vec_sub(r[3], r[2]);
    r[0] = vec_add(ar, br);
    i[0] = vec_add(ai, bi);
    r[1] = vec_add(cr, dr);
    i[1] = vec_add(ci, di);
    r[2] = vec_sub(ar, br);
    i[2] = vec_sub(ai, bi);
    r[3] = vec_sub(cr, dr);
    i[3] = vec_sub(ci, di);
    for (unsigned q = 0; q < 3; q++)
        conjugate_mul(r + q + 1, i + q + 1, w[q].c, w[q].tau);
}

/*
 * BUTTERFLY_MIXED: radix 8 as a true radix 4 of the even and one of the odd slots, then the last steps of radix 8.  Twiddles:
 * those of true radix 4, then w[2] and w[3] of radix 8.
 */

/* mixed_whole - the true radix 4 of both, forwards or backwards; behind it slots 2 c and 2 c + 1 are those of child c. */
STAGE_INLINE void mixed_whole(vec *r, vec *i, const struct twiddle *w, bool inverse)
{
    vec a[2][4], b[2][4];
    for (unsigned s = 0; s < 8; s++) {
        a[s % 2][s / 2] = r[s];
        b[s % 2][s / 2] = i[s];
    }
    for (unsigned s = 0; s < 2; s++)
        (inverse ? radix4_inverse : radix4_forward)(a[s], b[s], w);
    for (unsigned s = 0; s < 8; s++) {
        r[s] = a[s % 2][s / 2];
        i[s] = b[s % 2][s / 2];
    }
}

STAGE_INLINE void mixed_forward(vec *r, vec *i, const struct twiddle *w)
{
    mixed_whole(r, i, w, false);
    STEP(step, 0, 1, w[3]);
    STEP(step_i, 2, 3, w[3]);
    STEP(step_i, 4, 5, w[4]);
    STEP(step_minus, 6, 7, w[4]);
}

/* mixed_inverse - undo mixed_forward, times 8. */
STAGE_INLINE void mixed_inverse(vec *r, vec *i, const struct twiddle *w)
{
    STEP(unstep, 0, 1, w[3]);
    STEP(unstep_i, 2, 3, w[3]);
    STEP(unstep_i, 4, 5, w[4]);
    STEP(unstep_minus, 6, 7, w[4]);
    mixed_whole(r, i, w, true);
}

#endif
