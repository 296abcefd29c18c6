/* recursion.h - a transform of a power of two as the recursion of its algorithm, cut into launches and steps. */
#ifndef GFMUL_GEN_RECURSION_H
#define GFMUL_GEN_RECURSION_H

#include "gen/codelet.h"
#include "gen/launches.h"

/*
 * Split radix, conjugate pairs and tangent have sub-transforms of unequal size.  After step s each has m points, or is replaced
 * by two of m/2 points.  Node b stands for the points b m to b m + m-1 of the buffer, so there are few types of nodes.
 */
enum gen_node_type {
    GEN_NODE = 0,        /* m points; T: not scaled; the others are named after the scale of the tangent algorithm */
    GEN_NODE_SCALED = 1, /* divided by s_m */
    GEN_NODE_SCALED_2 = 2,
    GEN_NODE_PAIR = 3, /* two of m/2 points; T: divided by s_(m/2) */
    GEN_NODE_SCALED_4 = 4,
    GEN_NODE_TYPES = 5
};

enum gen_node_type gen_node_type(char algorithm, uint32_t b);

/* gen_recursion_find - the launches, steps and the table; l->points is set. */
void gen_recursion_find(const struct gen_params *p, struct gen_launches *l);

/* One version of the code of a step and node type: for one k of a unit, or for all others.   upper: T, k beyond half a unit. */
struct gen_version {
    int quarter;
    bool upper;
    uint32_t times; /* how many k of a unit it serves */
};
enum { GEN_MAX_VERSIONS = 6 };

/* gen_versions_find - the versions for a step and type; those for all other k come last.  Returns how many. */
int gen_versions_find(const struct gen_params *p, const struct gen_step *step, enum gen_node_type type,
                      struct gen_version versions[GEN_MAX_VERSIONS]);

/*
 * How a direction runs the steps.  To reach the order of the algorithm, the forward transform is the transpose of the one in
 * natural order, and runs from the last step to the first.  This works because a transform is its own transpose; its input is
 * then in natural order.
 */
struct gen_way {
    bool transposed;
    bool zeros; /* NONEZ applies */
    bool exact; /* the input is integers of INPRECISION bits */
};

/* A call of a codelet in a step. */
struct gen_call {
    const struct gen_step *step;
    enum gen_node_type type;
    struct gen_version version;
    struct gen_way way;
    bool second; /* the second node of a pair */
    bool before; /* a codelet of the first step whose points begin before point 0 of the input (C, T) */
};

/* gen_recursion_nonzero - bit j: point j of the codelet can differ from zero. */
uint64_t gen_recursion_nonzero(const struct gen_params *p, const struct gen_launches *l, const struct gen_call *call);

/*
 * gen_recursion_codelet - the codelet that a step calls for a node; a pair takes two calls.
 *
 *   cut   out  belongs to the codelet
 *   name  out  of size characters
 */
struct gen_codelet gen_recursion_codelet(const struct gen_params *p, const struct gen_launches *l, const struct gen_call *call,
                                         struct gen_cut *cut, char *name, size_t size);

/* gen_calls_next - the next codelet that a step may call; start with type -1, step and way set.  false: there are no more. */
struct gen_calls {
    struct gen_call call;
    int n_versions, at; /* at: the current one of the type */
    struct gen_version versions[GEN_MAX_VERSIONS];
};
bool gen_calls_next(const struct gen_params *p, const struct gen_launches *l, struct gen_calls *calls);

/* gen_recursion_node - place of the node with the points r, r + nodes, ...   before out: do they begin before point 0? */
uint32_t gen_recursion_node(char algorithm, uint32_t nodes, uint32_t r, bool *before);

/* gen_leaf_point - the point of its node that is point i of a first step's codelet, or of both codelets of a pair. */
uint32_t gen_leaf_point(char algorithm, const struct gen_step *step, enum gen_node_type type, uint32_t i);

/* gen_recursion_place - gen_place() for a recursion. */
uint32_t gen_recursion_place(char algorithm, const struct gen_launches *l, uint32_t k);

/* Numbers in the table of T: a parameter, in points, for all k of a unit; the first one has index `at`. */
struct gen_numbers {
    struct gen_parameter parameter;
    uint32_t unit, at;
};

/* gen_numbers_each - call take for each of them. */
enum gfmul_status gen_numbers_each(const struct gen_params *p, const struct gen_launches *l,
                                   void (*take)(void *context, const struct gen_numbers *numbers), void *context);

/* The cost of a step, over all nodes. */
struct gen_step_cost {
    struct gen_count count;
    uint64_t roots; /* roots that it looks up; T has numbers instead */
    size_t live;    /* most values alive at once */
};

/* gen_recursion_cost - the cost of a step of a direction.   cost out.   Errors: GFMUL_ERR_MEMORY. */
enum gfmul_status gen_recursion_cost(const struct gen_params *p, const struct gen_launches *l, const struct gen_step *step,
                                     struct gen_way way, struct gen_step_cost *cost);

#endif
