/* analyze.h - what a generated transform costs, in words and as a picture. */
#ifndef GFMUL_GEN_ANALYZE_H
#define GFMUL_GEN_ANALYZE_H

#include "gen/emit.h"

enum { GEN_SVG_POINTS = 64 };

/* The peak figures of a device; 0: not known. */
struct gen_ceilings {
    double bytes_per_s, operations_per_s, launch_s;
};

/*
 * gen_analyze - append operations, memory traffic, tables, registers, skipped levels, and the least time that the ceilings allow.
 *
 *   c in  may be NULL: no time is printed
 *
 * Errors: GFMUL_ERR_MEMORY.
 */
enum gfmul_status gen_analyze(const struct gen_params *p, const struct gen_launches *l, const struct gen_ceilings *c,
                              struct gen_text *out);

/*
 * gen_level_moves - does level `level` (0 ..) of the forward transform, in butterflies of two points, only move zeros?
 *
 * True if no butterfly of the level has two points that can differ from zero.  Needs a power of two.
 */
bool gen_level_moves(const struct gen_params *p, const struct gen_launches *l, int level);

/*
 * gen_svg - append the butterflies of a transform of at most GEN_SVG_POINTS points, a power of two, as an SVG picture.
 *
 * Value: false if the transform is too long, or its length is no power of two.
 */
bool gen_svg(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out);

#endif
