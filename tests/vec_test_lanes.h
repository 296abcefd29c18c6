/* vec_test_lanes.h - the operations of struct vec_lanes; included by vec_test_double.c and vec_test_float.c. */
#ifndef GFMUL_VEC_TEST_LANES_H
#define GFMUL_VEC_TEST_LANES_H

static vec vec_lanes_load(const vec_real *p, unsigned lanes) /* lanes is a constant in vec_load_lanes */
{
    return lanes == 1           ? vec_load_lanes(p, 1)
           : lanes == VEC_WIDTH ? vec_load_lanes(p, VEC_WIDTH)
                                : vec_load_lanes(p, VEC_WIDTH / 2);
}

static void vec_lanes_store(vec_real *p, vec a, unsigned lanes)
{
    if (lanes == 1)
        vec_store_lanes(p, a, 1);
    else if (lanes == VEC_WIDTH)
        vec_store_lanes(p, a, VEC_WIDTH);
    else
        vec_store_lanes(p, a, VEC_WIDTH / 2);
}

static void vec_lanes_op(enum vec_lanes_op op, void *to, const void *a, const void *b, const void *c, unsigned lanes)
{
    vec_real *r = to;
    const vec_real *p = a;
    vec x = vec_loadu(a), y = vec_loadu(b), z = vec_loadu(c), v = x, w, square[VEC_WIDTH];
    switch (op) {
    case LANES_SET1:
        v = vec_set1(*p);
        break;
    case LANES_FMA:
        v = vec_fma(x, y, z);
        break;
    case LANES_FMS:
        v = vec_fms(x, y, z);
        break;
    case LANES_FNMA:
        v = vec_fnma(x, y, z);
        break;
    case LANES_LOAD:
        v = vec_lanes_load(p, lanes);
        break;
    case LANES_STORE:
        vec_lanes_store(r, x, lanes);
        return;
    case LANES_ZIP_LOW:
        v = vec_zip_low(x, y);
        break;
    case LANES_ZIP_HIGH:
        v = vec_zip_high(x, y);
        break;
    case LANES_LOAD_PAIRS:
        vec_load_pairs(p, &v, &w);
        vec_storeu(r + VEC_WIDTH, w);
        break;
    case LANES_LOAD_PAIRS_HALF:
        vec_load_pairs_half(p, &v, &w);
        vec_storeu(r + VEC_WIDTH, w);
        break;
    case LANES_STORE_PAIRS:
        vec_store_pairs(r, x, y);
        return;
    case LANES_BACK:
        v = vec_back(x);
        break;
    case LANES_TRANSPOSE:
        for (unsigned i = 0; i < VEC_WIDTH; i++)
            square[i] = vec_loadu(p + i * VEC_WIDTH);
        vec_transpose(square);
        for (unsigned i = 0; i < VEC_WIDTH; i++)
            vec_storeu(r + i * VEC_WIDTH, square[i]);
        return;
    default:
        break;
    }
    vec_storeu(r, v);
}

#endif
