/* lanes.h - runs side by side, one a lane: what the carries of both fields share.  Part of the stage templates. */
#ifndef GFMUL_LANES_H
#define GFMUL_LANES_H

/* lanes_turn - VEC_WIDTH vectors at p[k] + at, turned. */
STAGE_INLINE void lanes_turn(vec *m, const double *const *p, size_t at)
{
    for (unsigned k = 0; k < VEC_WIDTH; k++)
        m[k] = vec_load(p[k] + at);
    vec_transpose(m);
}

#endif
