/*
 * butterfly.h - the arithmetic of the tree: radix-2 steps nested into radix 4 and 8, and DFTs of 3, 5, 7, 9 and 15.
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
    vec c, tau;
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

/* The levels of a radix below its first one, which is apart because it is free where the upper slots are zero. */
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
 * radix_forward_real - radix_forward of real values r, whose imaginary parts are not read; the same bits but for the signs of
 * zeros: fma(-tau, 0, b) = b, fma(tau, b, 0) = fl(tau b), fma(c, t, 0) = fl(c t).
 */
STAGE_INLINE void radix_forward_real(unsigned radix, vec *r, vec *i, const struct twiddle *w, bool upper_zero)
{
    for (unsigned s = 0, t = radix / 2; s < radix / 2; s++, t++) {
        const vec a = r[s], b = r[t];
        r[s] = upper_zero ? a : vec_fma(w[0].c, b, a);
        r[t] = upper_zero ? a : vec_fnma(w[0].c, b, a);
        i[s] = upper_zero ? vec_set1(0.0) : vec_mul(w[0].c, vec_mul(w[0].tau, b));
        i[t] = upper_zero ? i[s] : vec_neg(i[s]);
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

/* dft3 - r, i <- sum_s (r + i i)_s e(sign s t / 3), in natural order.   Source: [Nus82] small DFTs. */
STAGE_INLINE void dft3(vec *r, vec *i, double sign)
{
    const vec sin60 = vec_set1(sign * 0.86602540378443864676), half = vec_set1(-0.5);
    vec sr = vec_add(r[1], r[2]), dr = vec_sub(r[1], r[2]), si = vec_add(i[1], i[2]), di = vec_sub(i[1], i[2]);
    vec mr = vec_fma(half, sr, r[0]), mi = vec_fma(half, si, i[0]);
    r[0] = vec_add(r[0], sr);
    i[0] = vec_add(i[0], si);
    r[1] = vec_fnma(sin60, di, mr);
    i[1] = vec_fma(sin60, dr, mi);
    r[2] = vec_fma(sin60, di, mr);
    i[2] = vec_fnma(sin60, dr, mi);
}

/* dft5 - likewise for 5. */
STAGE_INLINE void dft5(vec *r, vec *i, double sign)
{
    const vec cos72 = vec_set1(0.30901699437494742410), cos144 = vec_set1(-0.80901699437494742410);
    const vec sin72 = vec_set1(sign * 0.95105651629515357212), sin36 = vec_set1(sign * 0.58778525229247312917);
    vec s1r = vec_add(r[1], r[4]), d1r = vec_sub(r[1], r[4]), s2r = vec_add(r[2], r[3]), d2r = vec_sub(r[2], r[3]);
    vec s1i = vec_add(i[1], i[4]), d1i = vec_sub(i[1], i[4]), s2i = vec_add(i[2], i[3]), d2i = vec_sub(i[2], i[3]);
    vec a1r = vec_fma(cos72, s1r, vec_fma(cos144, s2r, r[0])), a2r = vec_fma(cos144, s1r, vec_fma(cos72, s2r, r[0]));
    vec a1i = vec_fma(cos72, s1i, vec_fma(cos144, s2i, i[0])), a2i = vec_fma(cos144, s1i, vec_fma(cos72, s2i, i[0]));
    vec p1r = vec_fma(sin72, d1r, vec_mul(sin36, d2r)), p2r = vec_fms(sin36, d1r, vec_mul(sin72, d2r));
    vec p1i = vec_fma(sin72, d1i, vec_mul(sin36, d2i)), p2i = vec_fms(sin36, d1i, vec_mul(sin72, d2i));
    r[0] = vec_add(r[0], vec_add(s1r, s2r));
    i[0] = vec_add(i[0], vec_add(s1i, s2i));
    r[1] = vec_sub(a1r, p1i);
    i[1] = vec_add(a1i, p1r);
    r[4] = vec_add(a1r, p1i);
    i[4] = vec_sub(a1i, p1r);
    r[2] = vec_sub(a2r, p2i);
    i[2] = vec_add(a2i, p2r);
    r[3] = vec_add(a2r, p2i);
    i[3] = vec_sub(a2i, p2r);
}

/* dft7 - likewise for 7. */
STAGE_INLINE void dft7(vec *r, vec *i, double sign)
{
    const vec c1 = vec_set1(0.62348980185873353053), c2 = vec_set1(-0.22252093395631440429);
    const vec c3 = vec_set1(-0.90096886790241912624), k1 = vec_set1(sign * 0.78183148246802980871);
    const vec k2 = vec_set1(sign * 0.97492791218182360702), k3 = vec_set1(sign * 0.43388373911755812048);
    vec s1r = vec_add(r[1], r[6]), d1r = vec_sub(r[1], r[6]), s1i = vec_add(i[1], i[6]), d1i = vec_sub(i[1], i[6]);
    vec s2r = vec_add(r[2], r[5]), d2r = vec_sub(r[2], r[5]), s2i = vec_add(i[2], i[5]), d2i = vec_sub(i[2], i[5]);
    vec s3r = vec_add(r[3], r[4]), d3r = vec_sub(r[3], r[4]), s3i = vec_add(i[3], i[4]), d3i = vec_sub(i[3], i[4]);
    vec a1r = vec_fma(c1, s1r, vec_fma(c2, s2r, vec_fma(c3, s3r, r[0])));
    vec a1i = vec_fma(c1, s1i, vec_fma(c2, s2i, vec_fma(c3, s3i, i[0])));
    vec a2r = vec_fma(c2, s1r, vec_fma(c3, s2r, vec_fma(c1, s3r, r[0])));
    vec a2i = vec_fma(c2, s1i, vec_fma(c3, s2i, vec_fma(c1, s3i, i[0])));
    vec a3r = vec_fma(c3, s1r, vec_fma(c1, s2r, vec_fma(c2, s3r, r[0])));
    vec a3i = vec_fma(c3, s1i, vec_fma(c1, s2i, vec_fma(c2, s3i, i[0])));
    vec p1r = vec_fma(k1, d1r, vec_fma(k2, d2r, vec_mul(k3, d3r)));
    vec p1i = vec_fma(k1, d1i, vec_fma(k2, d2i, vec_mul(k3, d3i)));
    vec p2r = vec_fma(k2, d1r, vec_fnma(k3, d2r, vec_mul(vec_neg(k1), d3r)));
    vec p2i = vec_fma(k2, d1i, vec_fnma(k3, d2i, vec_mul(vec_neg(k1), d3i)));
    vec p3r = vec_fma(k3, d1r, vec_fnma(k1, d2r, vec_mul(k2, d3r)));
    vec p3i = vec_fma(k3, d1i, vec_fnma(k1, d2i, vec_mul(k2, d3i)));
    r[0] = vec_add(r[0], vec_add(vec_add(s1r, s2r), s3r));
    i[0] = vec_add(i[0], vec_add(vec_add(s1i, s2i), s3i));
    r[1] = vec_sub(a1r, p1i);
    i[1] = vec_add(a1i, p1r);
    r[6] = vec_add(a1r, p1i);
    i[6] = vec_sub(a1i, p1r);
    r[2] = vec_sub(a2r, p2i);
    i[2] = vec_add(a2i, p2r);
    r[5] = vec_add(a2r, p2i);
    i[5] = vec_sub(a2i, p2r);
    r[3] = vec_sub(a3r, p3i);
    i[3] = vec_add(a3i, p3r);
    r[4] = vec_add(a3r, p3i);
    i[4] = vec_sub(a3i, p3r);
}

/* dft_prime - one of the three. */
STAGE_INLINE void dft_prime(unsigned radix, vec *r, vec *i, double sign)
{
    if (radix == 3)
        dft3(r, i, sign);
    else if (radix == 5)
        dft5(r, i, sign);
    else if (radix == 7)
        dft7(r, i, sign);
}

/* (r, i) <- (r, i) (c + i s), four operations: the ordinary product of spectra and of radix 9. */
STAGE_INLINE void complex_mul(vec *r, vec *i, vec c, vec s)
{
    vec x = *r, y = *i;
    *r = vec_fms(x, c, vec_mul(y, s));
    *i = vec_fma(x, s, vec_mul(y, c));
}

/*
 * DFTs of 9 and 15 points: DFTs of 3 over a, then of radix / 3 over b, on the inputs s(a, b) and to the outputs k(a, c).
 * 9 = 3 * 3 takes e(a b / 9) in between; 15 = 3 * 5 does without, by the residues of k.  Other radices are one DFT over b.
 * Source: [CT65] and [Good58].
 */
STAGE_INLINE unsigned odd_inner(unsigned radix)
{
    return radix == 9 || radix == 15 ? 3 : 1;
}
STAGE_INLINE unsigned odd_input(unsigned radix, unsigned a, unsigned b)
{
    return radix == 15 ? (5 * a + 3 * b) % 15 : radix == 9 ? 3 * a + b : b;
}
STAGE_INLINE unsigned odd_output(unsigned radix, unsigned a, unsigned c)
{
    return radix == 15 ? (10 * a + 6 * c) % 15 : radix == 9 ? a + 3 * c : c;
}

/* odd_middle - what stands between the two layers: e(sign a b / 9) for radix 9. */
STAGE_INLINE void odd_middle(unsigned radix, unsigned a, unsigned b, vec *r, vec *i, double sign)
{
    if (radix != 9 || a * b == 0)
        return;
    const double c = a * b == 1 ? 0.76604444311897803520 : a * b == 2 ? 0.17364817766693034885 : -0.93969262078590838405;
    const double s = a * b == 1 ? 0.64278760968653932632 : a * b == 2 ? 0.98480775301220805937 : 0.34202014332566873304;
    complex_mul(r, i, vec_set1(c), vec_set1(sign * s));
}

/* turn - (r, i) <- (r, i) i^s. */
STAGE_INLINE void turn(unsigned s, vec *r, vec *i)
{
    const vec x = *r, y = *i;
    *r = s % 4 == 0 ? x : s % 4 == 1 ? vec_neg(y) : s % 4 == 2 ? vec_neg(x) : y;
    *i = s % 4 == 0 ? y : s % 4 == 1 ? x : s % 4 == 2 ? vec_neg(y) : vec_neg(x);
}

#endif
