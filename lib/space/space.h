/*
 * space.h - spaces, and the numbers in them: numbers whose transforms are kept, and sums of their products.
 *
 * A number never changes, so that spectra and sums share it.  A spectrum of the public interface is a place that holds a sum.
 * Reading a spectrum makes its sum an integer, which then takes the place of the sum.
 *
 * A space modulo 2^(64 n) + 1 or 2^(64 n) - 1 has integers, too, which are reduced to at most n limbs and a sign.  Such a space
 * is for results of 2 n limbs, which are reduced, unless its first plan is for this very modulus.  Modulo 2^(64 n) - 1 a space
 * may leave long products to two others, modulo 2^(32 n) + 1 and 2^(32 n) - 1 (space_evaluate.c).
 *
 * If the context names a device, a space of integers is there, with its long products and their sums (space_device.h).
 */
#ifndef GFMUL_SPACE_H
#define GFMUL_SPACE_H

#include <stdatomic.h>

#include "gfmul_arith.h"
#include "mul/engine.h"
#include "prime/prime_ops.h"

/* The plans of a space in double: for the norms of random digits, then for those of any digits.  Modulo primes one is exact. */
enum { SPACE_PLANS = 2, SPACE_PRODUCTS_MAX = 1 << 16 };

/* A product may have so many bits more than a result, because sums may cancel. */
enum { SPACE_SPARE_BITS = 32 };

/* Products of less than this part of a result's limbs are made without the transforms of the space. */
enum { SPACE_SHORT_PART = 8 };

/*
 * Blocks of memory that are used again, because new memory would have to be touched first, which takes as long as a transform:
 * points of the transforms under each plan, numbers of up to half of a result's limbs, and results.
 */
enum { SPACE_POOL_HALF = SPACE_PLANS, SPACE_POOL_RESULT, SPACE_POOLS };

struct gfmul_space {
    struct gfmul_ctx *ctx;
    size_t limbs;         /* of results; modulo a number of those before they are reduced */
    int wraps;            /* 1: modulo 2^(64 modulus) + 1; -1: modulo 2^(64 modulus) - 1; 0: integers */
    size_t modulus;       /* limbs */
    struct gfmul_space *half[2]; /* of modulus / 2 limbs, wraps 1 and -1; NULL: there are none */
    struct gfmul_space *whole;   /* the caller's space, of whose halves this may be one */
    size_t max_products;  /* of a sum that goes back at once */
    size_t least_limbs;   /* shorter factors are multiplied without transforms */
    bool reduces;         /* the first plan brings sums back modulo the space's number */
    unsigned n_plans;     /* 0: no transforms, products are the context's or those of the halves */
    unsigned n_residues;  /* of each number, modulo the context's first primes; 0 if sums come back reduced */
    struct plan_lease plan[SPACE_PLANS];
    struct prime_tables table[PRIME_COUNT]; /* modulo primes */
    void *tables;                           /* their memory; NULL: in double */
    atomic_size_t bytes;  /* of numbers and transforms, idle ones too, and those of the halves; see whole */
    size_t table_bytes;   /* of the plans, and those of the halves; see whole */
    struct space_device *device; /* where long products are made; NULL: on the host */
    atomic_size_t device_bytes;  /* of numbers and transforms there */
    struct idle_block *idle[SPACE_POOLS];   /* guarded by the context's lock */
};

/* space_doubles - of a transform under a plan;  modulo primes one prime after the other, prime_buffer_doubles() each. */
size_t space_doubles(const struct gfmul_space *space, unsigned plan);

/* The spectrum of a number under one of the plans. */
struct transform {
    double *points;
    unsigned plan;
    bool summed; /* made by adding those of parts, not from digits */
    struct plan_factor factor;
};

struct image;

/* A natural number of n limbs, the highest one not 0. */
struct natural {
    struct gfmul_space *space;
    atomic_size_t refs;
    atomic_size_t holders; /* spectra whose value it is; without one it is a factor of sums alone */
    mp_limb_t *limbs; /* a number with words may have none yet: natural_fetch */
    size_t n;
    mp_limb_t top; /* the highest one */
    void *words;   /* on the space's device, a cl_mem; NULL: it was set from limbs */
    _Atomic(void *) spectrum; /* its transform there, a cl_mem; NULL until needed */
    unsigned pool; /* of the limbs; SPACE_POOLS: none, they are too few */
    uint64_t residue[RESIDUE_PRIMES_MAX];               /* space->n_residues */
    _Atomic(struct transform *) transform[SPACE_PLANS]; /* NULL until needed */
    struct natural *part[2]; /* if not NULL: numbers with transforms from digits under plan 0, whose sum or difference it is */
    bool minus;              /* their difference */
    _Atomic(struct image *) image; /* in the halves of the space; NULL until needed */
};

/* An integer. */
struct integer {
    struct natural *x; /* NULL: 0 */
    bool negative;
};

/* A number in both halves of its space. */
struct image {
    struct integer half[2];
};

/* A magnitude of n limbs, the highest one not 0, with room for all that is added, and its sign. */
struct value {
    mp_limb_t *z;
    size_t n;
    bool negative;
};

/* Terms of a sum: a b, or -a b.  In an entry of a matrix product k counts its products from its first one on, with zeros. */
struct term {
    struct natural *a, *b;
    bool minus, b_minus; /* b_minus: it is a (-b), or (-a) (-b) */
    uint32_t k;
};

/* A sum: an integer and terms.  It owns a reference to each number that it names. */
struct sum {
    struct integer integer;
    struct term *term;
    size_t n, room;
};

/*
 * space_make - a space: gfmul_space_create within a call, arguments checked.
 *
 *   like  in   limbs, max_products, wraps, modulus and whole are set; whole NULL: the space itself
 */
enum gfmul_status space_make(struct call *call, struct gfmul_space **space, const struct gfmul_space *like);

/*
 * space_request - ask for a plan of whole sums.
 * ring_plan - the plan of sums in a space that come back modulo 2^(64 modulus) + 1, or modulo 2^(64 modulus) - 1 if wraps is -1.
 *             Value: whether there is one in double, or one modulo primes that costs less than whole sums.
 *             Modulo 2^(64 modulus) - 1 there are only primes.
 * ring_cost_halves - picoseconds of a product modulo 2^(64 modulus) - 1 in two halves; infinite if there are none.
 */
void space_request(struct call *call, const struct gfmul_space *space, struct plan_request *request);
bool ring_plan(struct call *call, const struct gfmul_space *space, size_t modulus, int wraps, struct plan_shape *shape);
double ring_cost_halves(struct call *call, const struct gfmul_space *space, size_t modulus);

/* space_held - all that a space has on the host, which counts against the limit of its calls. */
static inline size_t space_held(const struct gfmul_space *space)
{
    return atomic_load(&space->whole->bytes) + space->whole->table_bytes;
}

/* space_begin - begin a call in a space: its memory counts, its residues are chosen.   Errors: MEMORY, UNSUPPORTED. */
enum gfmul_status space_begin(struct call *call, struct gfmul_space *space);

/*
 * natural_make - a number of n limbs, high ones may be 0.
 *
 *   x        out  NULL if it is 0; give it back with natural_put
 *   residue  in   its residues, or NULL: computed now
 * Errors: MEMORY; SIZE: longer than the space's results.
 */
enum gfmul_status natural_make(struct call *call, struct gfmul_space *space, struct natural **x, const mp_limb_t *a, size_t n,
                               const uint64_t *residue);
/* natural_of_words - a number whose n limbs are on the space's device; it owns the words then.   Errors: MEMORY; SIZE. */
enum gfmul_status natural_of_words(struct call *call, struct gfmul_space *space, struct natural **x, void *words, size_t n,
                                   mp_limb_t top, const uint64_t *residue);
/* natural_fetch - make sure that x has its limbs.   NULL is allowed.   Errors: MEMORY; those of device_download. */
enum gfmul_status natural_fetch(struct call *call, struct natural *x);
/* natural_bits - the length of x in bits.   Threads: pure. */
size_t natural_bits(const struct natural *x);
struct natural *natural_get(struct natural *x); /* one reference more; NULL is allowed, here and below */
void natural_put(struct natural *x);

/*
 * value_reduce - reduce v modulo the space's number, if it has one, to at most modulus limbs.   Value: whether v has changed.
 *
 *   v  i/o  room for modulus + 1 limbs
 * integer_from_limbs - an integer of given magnitude, reduced; high limbs may be 0.   z out: a new reference
 * least_limbs - the least remainder of x that is not negative: modulus limbs, and one more modulo 2^(64 modulus) + 1.
 * integer_least - the same as an integer.   z i/o: another reference, if it changes
 * Errors: those of natural_make.
 */
bool value_reduce(const struct gfmul_space *space, struct value *v);
enum gfmul_status integer_from_limbs(struct call *call, struct gfmul_space *space, struct integer *z, const mp_limb_t *a,
                                     size_t n, bool negative);
void least_limbs(const struct gfmul_space *space, mp_limb_t *z, const struct integer *x);
enum gfmul_status integer_least(struct call *call, struct gfmul_space *space, struct integer *z);

/* image_free - free what a number keeps in the halves of its space.   NULL is allowed. */
void image_free(struct image *image);

/*
 * integer_add - z = x + y.   Errors: as natural_make.
 *
 * If both have a transform from digits, z keeps them, because its own is their sum.  Sums of sums begin with digits again: their
 * norms would grow with each addition, and each would keep all that came before it.
 */
enum gfmul_status integer_add(struct call *call, struct integer *z, const struct integer *x, const struct integer *y);

/*
 * transform_alloc - a transform under one of the space's plans, without points yet.
 * transform_fill - begin a transform of x under a plan in double, in given memory.
 * transform_begin - the same in memory of its own.
 *
 *   t      out  transform_alloc, transform_begin: end it with transform_free, or keep it with transform_keep
 *   whole  out  false: the points are as source_to_columns leaves them, so the rows are still to be transformed
 * transform_keep - x takes t, a whole spectrum; if another thread was faster, t is freed.   Value: x's.
 * Errors: MEMORY.
 */
enum gfmul_status transform_alloc(struct call *call, struct gfmul_space *space, unsigned plan, struct transform **t);
void transform_fill(struct call *call, const struct natural *x, double *scratch, struct transform *t, bool *whole);
enum gfmul_status transform_begin(struct call *call, struct natural *x, unsigned plan, double *scratch, struct transform **t,
                                  bool *whole);
struct transform *transform_keep(struct natural *x, unsigned plan, struct transform *t);
void transform_free(struct gfmul_space *space, struct transform *t);

/* transform_points - points that the digits of x fill. */
size_t transform_points(const struct natural *x, unsigned plan);

/*
 * sum_reserve - memory for n more terms, so that adding them cannot fail for want of it.   Errors: MEMORY.
 * sum_term - add a b, or -a b, to a sum, which takes references of its own.   k in: see struct term; 0 for sums alone
 *            Errors: MEMORY; SIZE: the product is too long.
 * sum_terms - add all terms of another sum, or their negatives.   Errors: MEMORY.
 */
enum gfmul_status sum_reserve(struct call *call, struct sum *s, size_t n);
enum gfmul_status sum_term(struct call *call, struct gfmul_space *space, struct sum *s, const struct integer *a,
                           const struct integer *b, bool minus, size_t k);
enum gfmul_status sum_terms(struct call *call, struct sum *s, const struct sum *of, bool minus);
void sum_clear(struct sum *s); /* back to 0 */

/*
 * sum_evaluate - the value of a sum, by one transform back.   z out: a new reference
 *
 * Transforms of the factors that it has to make are kept.   Errors: those of gfmul_mul; SIZE: the value is too long.
 */
enum gfmul_status sum_evaluate(struct call *call, struct gfmul_space *space, struct integer *z, const struct sum *s);

/*
 * sums_evaluate - evaluate n sums with factors in common side by side, so that their factors come from memory once.
 *
 *   s        i/o  sums become integers, if the first plan proves them and there is memory; the others stay, as sum_evaluate
 *                 wants them.  No sum twice
 *   columns  in   they are the entries of a matrix, row by row
 * If memory is short, half of them are tried, and so on.  Transforms of the factors are kept.   Errors: as sum_evaluate.
 */
enum gfmul_status sums_evaluate(struct call *call, struct gfmul_space *space, struct sum *const *s, size_t n, size_t columns);

/* sums_together - whether sums_evaluate makes any of n sums.   Threads: pure. */
bool sums_together(const struct gfmul_space *space, size_t n);

#endif
