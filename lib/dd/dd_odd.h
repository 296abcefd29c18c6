/*
 * dd_odd.h - the odd passes: radices 3, 5 and 7 before the root's pass, from digits, and behind its inverse.
 *
 * The coefficients of x^n - i are cut into `odd` runs of n / odd, stream s; branch t has the angle (1/4 + t) / odd.  With u = 1
 * for odd = 1 modulo 4, else 3, and t0 = (u odd - 1) / 4, branch t0 + k modulo odd is output k of the DFT of the streams times
 * i^(u s) (doc/error-bound.md, section 5).  Kernels: 15.1 to 15.3, products rounded before sums; 19.9 has the constants.
 */
#ifndef GFMUL_DD_ODD_H
#define GFMUL_DD_ODD_H

enum { ODD_MAX = 7 };

/* The cosines and sines of a radix, in the order of section 15, as double-doubles. */
struct odd_root {
    double c[3][2], k[3][2];
};

/* 3: sin 60.  5: cos 72, cos 144; sin 72, sin 36.  7: cos 360/7, 720/7, 1080/7; their sines. */
static const struct odd_root odd_roots[ODD_MAX + 1] = {
    [3] = {{{-0.5, 0}}, {{0x1.bb67ae8584caap-1, 0x1.cec95d0b5c1e3p-55}}},
    [5] = {{{0x1.3c6ef372fe950p-2, -0x1.f506319fcfd19p-56}, {-0x1.9e3779b97f4a8p-1, 0x1.f506319fcfd19p-56}},
           {{0x1.e6f0e134454ffp-1, 0x1.798ddb868c354p-55}, {0x1.2cf2304755a5ep-1, -0x1.24bd9a522ca0dp-57}}},
    [7] = {{{0x1.3f3a0e28bedd1p-1, 0x1.b2fbc2cf229dcp-55},
            {-0x1.c7b90e3024582p-3, -0x1.a50bf75360795p-57},
            {-0x1.cd4bca9cb5c71p-1, 0x1.6c8e760b6b012p-56}},
           {{0x1.904c37505de4bp-1, 0x1.766b339d009ffp-58},
            {0x1.f329c0558e969p-1, -0x1.c6ab5b10ae22ap-57},
            {0x1.bc4c04d71abc1p-2, 0x1.5dcb6bd934eb2p-64}}},
};

/*
 * odd_term - which of the cosines and sines, and with which sign, e(j r / odd) has: output j, stream r, both 1 .. odd / 2.
 * 1 + the index; negative: the sine's sign.
 */
STAGE_INLINE int odd_term(unsigned odd, unsigned j, unsigned r)
{
    const unsigned m = j * r % odd;
    return m <= odd / 2 ? (int)m : -(int)(odd - m);
}

STAGE_INLINE struct ddv odd_constant(const double (*table)[2], int term)
{
    const double *v = table[(term < 0 ? -term : term) - 1];
    return (struct ddv){vec_set1(v[0]), vec_set1(v[1])};
}

/* ddc_turn - i^turn times a point. */
STAGE_INLINE struct ddc ddc_turn(struct ddc a, unsigned turn)
{
    switch (turn & 3) {
    case 1:
        return (struct ddc){dd_neg(a.im), a.re};
    case 2:
        return (struct ddc){dd_neg(a.re), dd_neg(a.im)};
    case 3:
        return (struct ddc){a.im, dd_neg(a.re)};
    default:
        return a;
    }
}

STAGE_INLINE struct dc dc_turn(struct dc a, unsigned turn)
{
    switch (turn & 3) {
    case 1:
        return (struct dc){vec_neg(a.im), a.re};
    case 2:
        return (struct dc){vec_neg(a.re), vec_neg(a.im)};
    case 3:
        return (struct dc){a.im, vec_neg(a.re)};
    default:
        return a;
    }
}

STAGE_INLINE unsigned odd_unit(unsigned odd)
{
    return odd % 4 == 1 ? 1 : 3;
}

/* odd_branch - the branch that output k is. */
STAGE_INLINE unsigned odd_branch(unsigned odd, unsigned k)
{
    return ((odd_unit(odd) * odd - 1) / 4 + k) % odd;
}

/*
 * odd_forward - digits to branches: x[k] = sum of e(s k / odd) d[s].   Sums of digits are exact: integers below 2^48.
 * Order of the sums: the stream of the largest number first, as in section 15.
 */
STAGE_INLINE void odd_forward(struct ddc *x, const struct dc *d, unsigned odd)
{
    const struct odd_root *w = &odd_roots[odd];
    const unsigned half = odd / 2;
    const vec zero = vec_set1(0.0);
    struct dc sum[ODD_MAX / 2], difference[ODD_MAX / 2], all = d[0];
    for (unsigned r = 1; r <= half; r++) {
        sum[r - 1] = dc_add(d[r], d[odd - r]);
        difference[r - 1] = dc_sub(d[r], d[odd - r]);
        all = dc_add(all, sum[r - 1]);
    }
    x[0] = (struct ddc){{all.re, zero}, {all.im, zero}};
    for (unsigned j = 1; j <= half; j++) {
        struct ddc a, p;
        for (unsigned r = half; r >= 1; r--) {
            const int term = odd_term(odd, j, r);
            const struct ddv c = odd_constant(w->c, term), k = odd_constant(w->k, term);
            const struct ddc cs = {dd_mul_double(c, sum[r - 1].re), dd_mul_double(c, sum[r - 1].im)};
            struct ddc kd = {dd_mul_double(k, difference[r - 1].re), dd_mul_double(k, difference[r - 1].im)};
            if (term < 0)
                kd = ddc_turn(kd, 2);
            a = r == half ? (struct ddc){dd_add_double(cs.re, d[0].re), dd_add_double(cs.im, d[0].im)} : ddc_add(a, cs);
            p = r == half ? kd : ddc_add(p, kd);
        }
        x[j] = ddc_add_i(a, p);
        x[odd - j] = ddc_sub_i(a, p);
    }
}

/* odd_inverse - the conjugate sums of points. */
STAGE_INLINE void odd_inverse(struct ddc *x, const struct ddc *d, unsigned odd)
{
    const struct odd_root *w = &odd_roots[odd];
    const unsigned half = odd / 2;
    struct ddc sum[ODD_MAX / 2], difference[ODD_MAX / 2], all;
    for (unsigned r = 1; r <= half; r++) {
        sum[r - 1] = ddc_add(d[r], d[odd - r]);
        difference[r - 1] = ddc_sub(d[r], d[odd - r]);
        all = r == 1 ? sum[0] : ddc_add(all, sum[r - 1]);
    }
    x[0] = ddc_add(d[0], all);
    for (unsigned j = 1; j <= half; j++) {
        struct ddc a = d[0], p;
        for (unsigned r = half; r >= 1; r--) {
            const int term = odd_term(odd, j, r);
            const struct ddv c = odd_constant(w->c, term), k = odd_constant(w->k, term);
            struct ddc kd = {dd_mul(difference[r - 1].re, k), dd_mul(difference[r - 1].im, k)};
            if (term < 0)
                kd = ddc_turn(kd, 2);
            a = ddc_add(a, (struct ddc){dd_mul(sum[r - 1].re, c), dd_mul(sum[r - 1].im, c)});
            p = r == half ? kd : ddc_add(p, kd);
        }
        x[j] = ddc_sub_i(a, p);
        x[odd - j] = ddc_add_i(a, p);
    }
}

/* odd_inverse_double - the same in double. */
STAGE_INLINE void odd_inverse_double(struct dc *x, const struct dc *d, unsigned odd)
{
    const struct odd_root *w = &odd_roots[odd];
    const unsigned half = odd / 2;
    struct dc sum[ODD_MAX / 2], difference[ODD_MAX / 2], all;
    for (unsigned r = 1; r <= half; r++) {
        sum[r - 1] = dc_add(d[r], d[odd - r]);
        difference[r - 1] = dc_sub(d[r], d[odd - r]);
        all = r == 1 ? sum[0] : dc_add(all, sum[r - 1]);
    }
    x[0] = dc_add(d[0], all);
    for (unsigned j = 1; j <= half; j++) {
        struct dc a = d[0], p;
        for (unsigned r = half; r >= 1; r--) {
            const int term = odd_term(odd, j, r);
            const vec c = odd_constant(w->c, term).h, k = odd_constant(w->k, term).h;
            struct dc kd = {vec_mul(difference[r - 1].re, k), vec_mul(difference[r - 1].im, k)};
            if (term < 0)
                kd = dc_turn(kd, 2);
            a = dc_add(a, (struct dc){vec_mul(sum[r - 1].re, c), vec_mul(sum[r - 1].im, c)});
            p = r == half ? kd : dc_add(p, kd);
        }
        x[j] = dc_add(a, dc_turn(p, 3));
        x[odd - j] = dc_add(a, dc_turn(p, 1));
    }
}

/* group_odd_forward - the digits of a group of each stream to points of the same group of each branch. */
STAGE_INLINE void group_odd_forward(double (*to)[GROUP_DOUBLES], const struct dd_digits *d, unsigned odd)
{
    const unsigned unit = odd_unit(odd);
    const vec zero = vec_set1(0.0);
    for (unsigned block = 0; block < PLAN_BLOCK; block++) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            struct dc r[ODD_MAX];
            struct ddc x[ODD_MAX];
            for (unsigned s = 0; s < odd; s++) {
                const struct dc digit = {vec_load(d[s].re[block] + h), d[s].has_im ? vec_load(d[s].im[block] + h) : zero};
                r[s] = dc_turn(digit, unit * s);
            }
            odd_forward(x, r, odd);
            for (unsigned k = 0; k < odd; k++)
                ddc_store(to[odd_branch(odd, k)] + block * DD_BLOCK_DOUBLES + h, x[k]);
        }
    }
}

/* group_odd_inverse - the way back, in place: branches' groups are `step` doubles apart. */
STAGE_INLINE void group_odd_inverse(double *x, size_t step, unsigned odd, bool in_double)
{
    const unsigned unit = odd_unit(odd);
    for (unsigned block = 0; block < PLAN_BLOCK; block++) {
        for (unsigned h = 0; h < PLAN_BLOCK; h += VEC_WIDTH) {
            double *p = x + block * DD_BLOCK_DOUBLES + h;
            if (in_double) {
                struct dc v[ODD_MAX], y[ODD_MAX];
                for (unsigned k = 0; k < odd; k++)
                    v[k] = dc_load(p + odd_branch(odd, k) * step);
                odd_inverse_double(y, v, odd);
                for (unsigned s = 0; s < odd; s++) {
                    dc_store(p + s * step, dc_turn(y[s], 3 * unit * s));
                    dc_store(p + s * step + 2 * PLAN_BLOCK, (struct dc){vec_set1(0.0), vec_set1(0.0)});
                }
            } else {
                struct ddc v[ODD_MAX], y[ODD_MAX];
                for (unsigned k = 0; k < odd; k++)
                    v[k] = ddc_load(p + odd_branch(odd, k) * step);
                odd_inverse(y, v, odd);
                for (unsigned s = 0; s < odd; s++)
                    ddc_store(p + s * step, ddc_turn(y[s], 3 * unit * s));
            }
        }
    }
}

static __attribute__((noinline)) void digits_to_branches(double (*to)[GROUP_DOUBLES], const struct dd_digits *d, unsigned odd)
{
    if (odd == 3)
        group_odd_forward(to, d, 3);
    else if (odd == 5)
        group_odd_forward(to, d, 5);
    else
        group_odd_forward(to, d, 7);
}

static __attribute__((noinline)) void branches_to_streams(double *x, size_t step, unsigned odd, bool in_double)
{
    if (odd == 3)
        group_odd_inverse(x, step, 3, in_double);
    else if (odd == 5)
        group_odd_inverse(x, step, 5, in_double);
    else
        group_odd_inverse(x, step, 7, in_double);
}

#endif
