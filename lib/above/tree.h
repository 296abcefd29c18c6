/*
 * tree.h - products of many numbers by a tree, and remainders modulo all of them.   beta = 2^64
 */
#ifndef GFMUL_TREE_H
#define GFMUL_TREE_H

#include "above/divide.h"
#include "above/team.h"

/*
 * The products of a tree over n numbers.  Level 0 has the numbers, a node of level k the product of 2^k of them, or of those that
 * are left.  A node has as many limbs as its numbers have together; the highest ones may be 0.
 */
struct tree {
    size_t n, levels; /* the last level has one node */
    size_t total;     /* limbs of all numbers */
    size_t *at;       /* n + 1: the first limb of each number in level 0, and the end */
    mp_limb_t *limbs; /* levels, one after the other; each has `total` limbs */
};

/* A node of a tree. */
struct tree_node {
    size_t from, n; /* its first limb within the level; limbs */
    mp_limb_t *p;
};

/* A level that is made: products from the level below, fractions from the one above. */
struct tree_level {
    const struct tree *tree;
    size_t level;
    const mp_limb_t *from;
    mp_limb_t *to;
};

/* Two rooms for the levels of a computation in turn: the last level that was made, and room for the next one. */
struct tree_rooms {
    mp_limb_t *full, *spare;
};

/* tree_rooms_turn - the next level has been made. */
static inline void tree_rooms_turn(struct tree_rooms *rooms)
{
    mp_limb_t *const made = rooms->spare;
    rooms->spare = rooms->full;
    rooms->full = made;
}

/* tree_count - nodes of a level.   tree_node - one of them, j < tree_count. */
size_t tree_count(const struct tree *x, size_t level);
struct tree_node tree_node(const struct tree *x, size_t level, size_t j);

/*
 * tree_size - set n, levels and total of a tree over |m_0| .. |m_(n-1)|, n >= 1.
 *
 *   zeros  in  0 is allowed, and has one limb; else ARGUMENT
 * Errors: SIZE.
 */
enum gfmul_status tree_size(struct call *call, struct tree *x, mpz_srcptr m, size_t n, bool zeros);

/* tree_bytes - memory that a tree of this size needs, with so many levels.   0: that overflows size_t. */
size_t tree_bytes(const struct tree *x, size_t levels);

/* tree_place - put a tree into such memory: the numbers become its level 0. */
void tree_place(struct tree *x, void *memory, mpz_srcptr m);

/* Work of several levels: each is a share of the progress of a call. */
struct tree_work {
    double done, steps;
};

/* tree_share - let the next products count as the part from .. to of a step, both in [0, 1].   Errors: INTERRUPTED. */
enum gfmul_status tree_share(struct call *call, const struct tree_work *work, double from, double to);
/* tree_step_end - a step is done. */
void tree_step_end(struct tree_work *work);

/*
 * tree_nodes - run node(call, arg, j) for all j below count, as a step of the work.
 *
 *   limbs  in  of a node, about.  Short ones are shared among the call's threads, each with a call of its own; long ones are run
 *              one after the other, and their products use the threads
 * Errors: those of node; the first one ends the rest.  INTERRUPTED.
 */
enum gfmul_status tree_nodes(struct call *call, struct tree_work *work, size_t count, size_t limbs,
                             team_work *node, const void *arg);

/* tree_mul - z = a b, an + bn limbs; an, bn >= 1.   Errors: those of gfmul_mul. */
enum gfmul_status tree_mul(struct call *call, mp_limb_t *z, const mp_limb_t *a, size_t an, const mp_limb_t *b, size_t bn);

/* tree_products - make all levels above 0. */
enum gfmul_status tree_products(struct call *call, const struct tree *x, struct tree_work *work);

/* tree_product - the product of all numbers, with two levels of memory alone; x was placed with two levels.   *z out: it */
enum gfmul_status tree_product(struct call *call, const struct tree *x, struct tree_work *work, mp_limb_t **z);

/*
 * tree_cofactors - the sum of P / m_i over all i, P the product of all numbers.
 *
 *   rooms  i/o  total + n limbs each; `full` gets the sum, total + 1 limbs
 */
enum gfmul_status tree_cofactors(struct call *call, const struct tree *x, struct tree_work *work, struct tree_rooms *rooms);

/*
 * tree_remainders - the remainders of a modulo each number, by fractions from the root to the leaves (tree_rest.c).
 *
 *   rooms  i/o  total + n limbs each; destroyed
 *   r      out  total limbs, those of number i from x->at[i] on
 *   a      in   an limbs, an >= 0; may be rooms.full
 * Errors: those of gfmul_mul; VERIFY: a remainder is not close enough to an integer.
 */
enum gfmul_status tree_remainders(struct call *call, const struct tree *x, struct tree_work *work, struct tree_rooms rooms,
                                  mp_limb_t *r, const mp_limb_t *a, size_t an);

#endif
