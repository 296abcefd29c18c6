/*
 * engine.h - who makes products: a row for each engine; and an attempt, one try at a product by one of them.
 *
 * engine.c has the table, a file mul_<engine>.c each row; a build without an engine leaves out its row and its files.
 * attempt.c is the only loop over attempts.
 */
#ifndef GFMUL_ENGINE_H
#define GFMUL_ENGINE_H

#include <stddef.h>

#include "mul/ctx.h"
#include "mul/grid.h"

struct ocl_device;

/* Room for what an engine's lease holds. */
enum { ATTEMPT_LEASE_WORDS = 1024 };

/* One try at a product: what it is made by, and what came of it. */
struct attempt {
    struct call *call;
    const struct product *p;
    const struct engine *engine;
    struct ocl_device *device;           /* engine opencl; else NULL */
    struct spectrum *made;               /* by an engine's keep, instead of a product; else NULL */
    struct grid_parts parts;             /* that the operands are cut into for want of memory; 1, 1: none */
    bool foreseen;                       /* only planned: a later call makes it */
    bool leased;                         /* the engine holds something */
    bool resumed;                        /* lease: what an earlier attempt left is there */
    bool refused;                        /* by the plan, the lease or the run, for want of memory */
    bool proved;                         /* what was measured proves the product, or (rule checked) makes it credible */
    struct plan_request request;         /* of the plan; attempt.c changes it from attempt to attempt */
    struct plan_shape shape;             /* the plan: how */
    struct gfmul_plan_info info;         /* .. for people */
    uint64_t lease[ATTEMPT_LEASE_WORDS]; /* the engine's own; only it looks into it */
};

struct engine {
    const char *name;
    enum gfmul_engine id;

    /* there - does this machine have what the engine loads?   NULL: it loads nothing. */
    bool (*there)(void);

    /* For a context; NULL: nothing is to do.   begin: within gfmul_ctx_create.   trim: lets go what is idle. */
    enum gfmul_status (*begin)(struct gfmul_ctx *ctx);
    void (*end)(struct gfmul_ctx *ctx);
    void (*trim)(struct gfmul_ctx *ctx);

    /*
     * takes - whether the product is to be made here; t's call and p are set.   NULL: any is.
     * Errors: those of a device that was named.
     */
    enum gfmul_status (*takes)(struct attempt *t, bool *yes);

    /* plan - shape and info, from the request.   Pure.   Errors: those of plan_size; MEMORY, SIZE: less may do. */
    enum gfmul_status (*plan)(struct attempt *t);

    /*
     * lease - all memory that the attempt needs, before anything runs.   Errors: MEMORY, DEVICE, ..; release is called then, too.
     * Sets refused.   NULL, as is release: the run takes its own.
     */
    enum gfmul_status (*lease)(struct attempt *t);

    /* run - the product, within the lease; judges what it measures by call_judge.   Errors: INTERRUPTED, DEVICE, VERIFY, .. */
    enum gfmul_status (*run)(struct attempt *t);

    /*
     * release - give the lease back.   status in: how the attempt ended.
     * again in: another attempt at the same numbers follows, after one that was not proved: what it can use may stay.
     * Returns whether anything is still held.
     */
    bool (*release)(struct attempt *t, enum gfmul_status status, bool again);

    /* opens_unknown_device - whether the product would open a device that the cache does not know.   NULL: it opens none. */
    bool (*opens_unknown_device)(const struct attempt *t);

    /* build - ocl_pipeline_programs of a plan that is there.   NULL: there are no programs. */
    enum gfmul_status (*build)(struct attempt *t, unsigned part, unsigned parts, unsigned *missing);

    /* smaller - a request with smaller digits, after a plan that did not prove the product; false, or NULL: there is none. */
    bool (*smaller)(struct attempt *t);

    /* failed - the product was not made here, for this reason.   Optional. */
    void (*failed)(struct attempt *t, const char *why);

    /*
     * keep - the spectrum of t->p->b, for products as t->p; takes has said yes.   forget - its end.   NULL: there are none.
     *
     *   worst_case  in  for operands of any norms; false: product_make may say that it is not for a product
     */
    enum gfmul_status (*keep)(struct attempt *t, struct spectrum **x, bool worst_case);
    void (*forget)(struct gfmul_ctx *ctx, struct spectrum *x);

    bool remote;   /* its memory is another one: products are checked in any case, made again there once, and in parts */
    bool unproved; /* its errors are not proved: residues decide */
};

/* The spectrum of an operand that many products share: the head of an engine's own.  Read-only once made. */
struct spectrum {
    const struct engine *engine;
    size_t bytes; /* of host memory */
};

/* product_limbs_about - limbs of a product, about, of one in text as well. */
static inline size_t product_limbs_about(const struct product *p)
{
    return p->z.base == 2 ? p->z.n : p->z.n / 16;
}

/* engine_rows - the rows, in the order in which they are asked for a product; NULL after the last one, which takes all. */
extern const struct engine *const engine_rows[];

/* engine_of - an engine's row; NULL: not built. */
const struct engine *engine_of(enum gfmul_engine id);

extern const struct engine engine_short, engine_gmp, engine_fftw, engine_opencl, engine_cpu;

/*
 * product_make - the product, by the engine that takes it; where a device fails and was not named, by the next one.
 *
 *   verify  in  check the product as the options say; false where the caller checks what it makes of it
 * GMP's products are not checked.  Those of a device are, and under rule checked all.
 * Errors: those of gfmul_mul.  UNSUPPORTED: not a product for the device that was named (text: its limbs may be).
 *         PRECISION with a spectrum of p->b: that is not for this product; z holds nothing.
 */
enum gfmul_status product_make(struct call *call, const struct product *p, bool verify);

/* product_make_by - the same by one engine, unchecked but for rule checked. */
enum gfmul_status product_make_by(struct call *call, const struct product *p, const struct engine *engine);

/*
 * spectrum_make - transform b once, by the engine that takes its products with operands of up to max_an limbs.
 *
 *   x           out  NULL: no engine does, or a device did not; end it with spectrum_end, before the context
 *   b           in   limbs, b->n >= 1
 *   worst_case  in   as engine's keep
 * Errors: those of gfmul_mul, on the CPU.
 */
enum gfmul_status spectrum_make(struct call *call, struct spectrum **x, const struct number *b, size_t max_an, bool worst_case);

/* spectrum_make_by - the same by one engine that keeps spectra: p->b's, for products as p, of whose a only n counts. */
enum gfmul_status spectrum_make_by(struct call *call, struct spectrum **x, const struct product *p, const struct engine *engine);
void spectrum_end(struct gfmul_ctx *ctx, struct spectrum *x); /* NULL is allowed */

/* What is done for a product beside its plan. */
struct foresight {
    bool prepare;      /* what it takes of a device is made: programs, tables, memory */
    unsigned *missing; /* NULL, or: engine's build; UINT_MAX where parts is 0 and the device is unknown: nothing is opened then */
    unsigned part, parts;
};

/*
 * product_foresee - what product_make would run; p's numbers need no more than their sizes.   info out.
 * Errors: of prepare those of lease, too.
 */
enum gfmul_status product_foresee(struct call *call, const struct product *p, const struct foresight *also,
                                  struct gfmul_plan_info *info);

/*
 * call_judge - whether what was measured of a cell of the product proves it; plan_judge, noted in the report: its largest bound
 * and distance from an integer.
 *
 *   cell  in  0: the first one: what an earlier plan left in the report goes
 */
bool call_judge(struct call *call, const struct plan_shape *shape, const struct plan_figures *figures, size_t cell);

/* attempt_smaller - `smaller` of the engines whose plans are proved: smaller digits (rule checked), then the worst case. */
bool attempt_smaller(struct attempt *t);

#endif
