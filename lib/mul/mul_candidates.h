/*
 * mul_candidates.h - the ways in which a product can be made, with their costs (gfmul_private.h).
 */
#ifndef GFMUL_MUL_CANDIDATES_H
#define GFMUL_MUL_CANDIDATES_H

#include "gfmul_private.h"
#include "mul/engine.h"

/* A list that grows.   at: owned, end it with candidate_list_end. */
struct candidate_list {
    struct gfmul_private_candidate *at;
    size_t n, room;
    bool failed; /* out of memory */
    const struct call *call;
};

/*
 * candidates_gather - the candidates for a planned attempt, whose foresight has an empty list as its arg: the cheapest first.
 * Errors: MEMORY; those of plan_candidates, if there are none.
 */
enum gfmul_status candidates_gather(struct attempt *t);
void candidate_list_end(struct candidate_list *list);

#endif
