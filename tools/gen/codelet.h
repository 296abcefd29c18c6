/* codelet.h - the code of a small transform in registers, from its graph. */
#ifndef GFMUL_GEN_CODELET_H
#define GFMUL_GEN_CODELET_H

#include "gen/algorithms.h"
#include "gen/gen_text.h"

/* What a codelet computes, and in which types. */
struct gen_codelet {
    uint32_t radix;
    uint64_t nonzero; /* bit j: point j can be other than zero */
    char algorithm;
    char type;         /* type of the points: f, d; q: double-double, a point is a double4 */
    const char *id;    /* type q: sums and products are the functions fft_ID_add, fft_ID_times */
    int exact_bits;    /* > 0, type d or q: the inputs are integers below 2^bits; the narrower type is used as long as it holds
                          the sums exactly */
    bool float_inside; /* type d or q: the whole codelet is computed in the narrower type, float or double */
    bool three;        /* a complex product takes three real ones */
    /* A part of a recursion; NULL: a transform.  n: order of its roots; space: address space of the table, NULL: no table. */
    struct gen_cut *cut;
    uint32_t n;
    const char *space;
    bool transposed; /* maps the results of the part to its inputs; nonzero then describes the results */
};

enum { GEN_MAX_CODELET = 64 };

/* gen_nonzero_all - the mask that says that all points can differ from zero. */
static inline uint64_t gen_nonzero_all(uint32_t radix)
{
    return radix >= 64 ? UINT64_MAX : (UINT64_C(1) << radix) - 1;
}

struct gen_codelet_facts {
    struct gen_count count;
    size_t max_live; /* real values alive at once */
    size_t in_float; /* operations in count that use the narrower type */
    size_t roots;    /* roots that a part asks for when it runs */
};

/*
 * gen_codelet_graph - the graph of a codelet.
 *
 *   g  in/out  empty
 *   y  out     c->radix values.  Inputs of the graph: 2j, 2j+1 (point j), then the parameters of the cut
 *
 * Errors: GFMUL_ERR_MEMORY.
 */
enum gfmul_status gen_codelet_graph(const struct gen_codelet *c, struct gen_graph *g, struct gen_complex *y);

/*
 * gen_codelet_write - append an OpenCL function that transforms x[0 .. radix-1] in place.
 *
 * A part with parameters has more arguments: the table, and then the exponent of exp(-2 pi i k / (radix * unit)).  T takes the
 * places of its first number and of the next one instead of the exponent.
 *
 *   out    in/out  NULL: only the facts
 *   name   in      of the function
 *   facts  out     may be NULL
 *
 * Errors: GFMUL_ERR_MEMORY (out->failed is set as well if the text could not grow).
 */
enum gfmul_status gen_codelet_write(struct gen_text *out, const struct gen_codelet *c, const char *name,
                                    struct gen_codelet_facts *facts);

/*
 * gen_codelet_write_c - append dft<radix>(vec *xr, vec *xi) in C, over the vectors of lib/stages/vec.  Products that are
 * terms of sums become fused multiply-adds.
 */
enum gfmul_status gen_codelet_write_c(struct gen_text *out, uint32_t radix, char algorithm);

/* gen_codelets_write_c - append lib/fft/fft_codelets.h. */
enum gfmul_status gen_codelets_write_c(struct gen_text *out);

#endif
