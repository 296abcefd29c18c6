/*
 * engine.h - the table of engines, which make products, and the attempt: one try at a product by one engine.
 *
 * engine.c has the table, and mul_<engine>.c has a row; a build without an engine leaves out its row and its files.
 * attempt.c is the only loop over attempts.
 */
#ifndef GFMUL_ENGINE_H
#define GFMUL_ENGINE_H

#include <stddef.h>

#include "mul/ctx.h"

struct ocl_device;

/* What became of an attempt, beside its status.  call->why has the reason. */
enum outcome {
    OUTCOME_MADE,     /* the product is there; or, if the status is an error, nothing will help */
    OUTCOME_UNPROVED, /* the figures measured do not prove it, or (rule checked) its residue is wrong */
    OUTCOME_REFUSED,  /* it needed too much memory, or too long transforms */
    OUTCOME_UNFIT,    /* not from these numbers: from limbs instead of text, say, or without the kept spectrum */
};

/*
 * A way of making a product: by a kept spectrum, from the digits of its text, from limbs, ..   of in: as product_by_ways.
 * outcome i/o: MADE before; UNFIT: the next way is tried.
 */
typedef enum gfmul_status product_way(struct call *call, void *of, enum outcome *outcome);

/* product_by_ways - make a product by the first of its ways that fits it.   ways in: ended by NULL; the last one always fits */
enum gfmul_status product_by_ways(struct call *call, product_way *const *ways, void *of);

/* One try at a product: its engine, its plan, and the outcome. */
struct attempt {
    struct call *call;
    const struct product *p;
    const struct engine *engine;
    struct ocl_device *device;         /* where the product is made, set by takes; NULL: on the host */
    unsigned place;                    /* of that device, from 1, as ctx_device_take; 0: not counted, or unknown */
    uint64_t tried;                    /* as ctx_device_take: where this product has failed */
    bool counts;                       /* for takes: the device's work grows by this product, until ctx_device_leave */
    bool elsewhere;                    /* after a failure on a device: another device has to make the product */
    void *lease;                       /* the engine's own structure, within its hold; else NULL */
    struct spectrum *made;             /* set by an engine's keep, which makes a spectrum, not a product; else NULL */
    const struct foresight *foresight; /* the product is only planned now, and a later call makes it; NULL: it is made */
    bool verify;                       /* check the product as the options say */
    bool leased;                       /* the engine holds something */
    bool resumed;                      /* for lease: what an earlier attempt left is still held */
    enum outcome outcome;              /* of this attempt so far */
    struct plan_request request;       /* for the planner; attempt.c changes it from attempt to attempt */
    struct plan_shape shape;           /* the plan */
    struct gfmul_plan_info info;       /* .. for people */
};

/* How far an engine's products are trusted. */
enum engine_trust {
    TRUST_PROVED,   /* a bound proves them; they are checked if the options or the rule ask for it */
    TRUST_EXACT,    /* integers of GMP: they are never checked */
    TRUST_UNPROVED, /* nothing bounds their errors, so residues decide */
    TRUST_HARDWARE, /* proved, but made by a device that may fail: always checked, and repeated once if wrong */
};

struct engine {
    const char *name;
    enum gfmul_engine id;
    enum engine_trust trust;

    /* there - whether this machine has the library that the engine loads.   NULL: it loads none. */
    bool (*there)(void);

    /*
     * takes - whether this engine wants the product; t's call and p are set.   NULL: it takes any.
     * Errors: those of a device that the caller named.
     */
    enum gfmul_status (*takes)(struct attempt *t, bool *yes);

    /*
     * hold - call body while t->lease is a structure of the engine's own, on the stack, which plan, lease, run and release use.
     * Its members are undefined before.   NULL: the engine has no such structure.   Value: that of body.
     */
    enum gfmul_status (*hold)(struct attempt *t, enum gfmul_status (*body)(struct attempt *t));

    /* plan - set shape and info from the request.   Pure.   Errors: those of plan_size. */
    enum gfmul_status (*plan)(struct attempt *t);

    /*
     * lease - take all memory that the attempt needs, before anything runs; if there is none, the outcome is REFUSED.   NULL,
     * together with release: the run takes its own memory.   Errors: MEMORY, DEVICE, ..; release is called after them, too.
     */
    enum gfmul_status (*lease)(struct attempt *t);

    /*
     * run - make the product within the lease; call_judge judges what it measures, and the outcome may be UNPROVED.
     * Errors: INTERRUPTED, DEVICE, VERIFY, ..
     */
    enum gfmul_status (*run)(struct attempt *t);

    /*
     * release - give the lease back; returns whether anything is still held.   status in: how the attempt ended.
     * again in: the attempt was not proved, and another one at the same numbers follows, so what it can use may stay.
     */
    bool (*release)(struct attempt *t, enum gfmul_status status, bool again);

    /* smaller - after a plan that did not prove the product, request smaller digits; false, or NULL: there are none. */
    bool (*smaller)(struct attempt *t);

    /* reduce - after a refused attempt, request what needs less memory; false, or NULL: nothing is left. */
    bool (*reduce)(struct attempt *t);

    /*
     * keep - make the spectrum of t->p->b for products like t->p, after takes has said yes.   forget - free it.
     * NULL: the engine keeps no spectra.
     *
     *   worst_case  in  true: for operands of any norms; false: it may be UNFIT for some products
     */
    enum gfmul_status (*keep)(struct attempt *t, struct spectrum **x, bool worst_case);
    void (*forget)(struct gfmul_ctx *ctx, struct spectrum *x);
};

/* The spectrum of an operand that many products share: the head of an engine's own structure.  Read-only once made. */
struct spectrum {
    const struct engine *engine;
    size_t bytes; /* of host memory, with tables that it alone keeps */
};

/* product_limbs_about - about how many limbs a product has, also if it is in text. */
static inline size_t product_limbs_about(const struct product *p)
{
    return p->z.base == 2 ? p->z.n : p->z.n / 16;
}

/* engine_rows - the engines in the order in which they are offered a product.  The last one takes any; NULL ends the table. */
extern const struct engine *const engine_rows[];

/* engine_of - an engine's row; NULL: not in this build. */
const struct engine *engine_of(enum gfmul_engine id);

extern const struct engine engine_short, engine_gmp, engine_fftw, engine_opencl, engine_cpu;

/*
 * product_make - make the product by the first engine that takes it.  If a device fails that the caller did not name, the next
 * engine takes over.
 *
 *   verify  in  check the product as the options say; false if the caller checks its own result instead
 * GMP's products are never checked.  Those of a device always are, and under rule checked so are all.
 * outcome out: UNFIT: not of this text, or not by the spectrum of p->b, and z holds nothing; may be NULL.
 * Errors: those of gfmul_mul.
 */
enum gfmul_status product_make(struct call *call, const struct product *p, bool verify, enum outcome *outcome);

/* product_make_by - the same by one given engine; checked only under rule checked. */
enum gfmul_status product_make_by(struct call *call, const struct product *p, const struct engine *engine);

/*
 * spectrum_make - transform b once, by the engine that takes its products with operands of up to max_an limbs.
 *
 *   x           out  NULL: no engine keeps one, or a device failed; end it with spectrum_end, before the context
 *   b           in   limbs, b->n >= 1
 *   worst_case  in   as engine's keep
 * Errors: those of gfmul_mul, on the CPU.
 */
enum gfmul_status spectrum_make(struct call *call, struct spectrum **x, const struct number *b, size_t max_an, bool worst_case);

/* spectrum_make_by - the same by one engine that keeps spectra: transform p->b for products like p; of p->a only n counts. */
enum gfmul_status spectrum_make_by(struct call *call, struct spectrum **x, const struct product *p, const struct engine *engine);
void spectrum_end(struct gfmul_ctx *ctx, struct spectrum *x); /* NULL is allowed */

/* What product_foresee does besides planning. */
struct foresight {
    enum gfmul_status (*then)(struct attempt *t); /* once the attempt is planned; NULL: nothing */
    void *arg;                                    /* for `then` */
    bool *unknown; /* out: true if the cache knows nothing of the device, which then stays closed; NULL: it is opened */
};

/* attempt_prepare - for `then`: make what the product needs on a device: programs, tables, memory. */
enum gfmul_status attempt_prepare(struct attempt *t);

/*
 * product_foresee - plan what product_make would run; p's numbers need only their sizes.   info, outcome out: as there.
 * Errors: those of plan, and of `then`.
 */
enum gfmul_status product_foresee(struct call *call, const struct product *p, const struct foresight *also,
                                  struct gfmul_plan_info *info, enum outcome *outcome);

/*
 * call_judge - whether the figures measured on a cell prove it, by plan_judge.  The report gets the largest bound and the largest
 * distance from an integer.
 *
 *   cell  in  0: the first cell, which replaces the bound that an earlier plan left in the report
 */
bool call_judge(struct call *call, const struct plan_shape *shape, const struct plan_figures *figures, size_t cell);

/* attempt_smaller - member `smaller` of engines with proved plans: smaller digits (rule checked), then the worst case. */
bool attempt_smaller(struct attempt *t);

/* attempt_unwrapped - for reduce: if the product wraps around, request one that does not. */
bool attempt_unwrapped(struct attempt *t);

#endif
