/* codelet.h - the code of a small transform in registers, from its graph. */
#ifndef GFMUL_GEN_CODELET_H
#define GFMUL_GEN_CODELET_H

#include "gen/algorithms.h"
#include "gen/gen_text.h"

/* What a codelet is made for. */
struct gen_codelet {
    uint32_t radix;
    uint64_t nonzero; /* bit j: point j can be other than zero */
    char algorithm;
    char type;         /* f, d: of the points; q: double-double, a point is a double4 */
    const char *id;    /* type q: sums and products are the functions fft_ID_add, fft_ID_times */
    int exact_bits;    /* > 0, type d or q: the inputs are integers below 2^bits; the narrower type is used while it holds the
                          sums exactly */
    bool float_inside; /* type d or q: computed in the narrower type, float or double */
    bool three;        /* complex products of three real ones */
    /* A part of a recursion; NULL: a transform.  n: of the roots; space: the address space of the table, NULL: there is none. */
    struct gen_cut *cut;
    uint32_t n;
    const char *space;
    bool transposed; /* from the results of the part to its inputs; nonzero is about the former */
};

enum { GEN_MAX_CODELET = 64 };

/* gen_nonzero_all - no point of so many is zero. */
static inline uint64_t gen_nonzero_all(uint32_t radix)
{
    return radix >= 64 ? UINT64_MAX : (UINT64_C(1) << radix) - 1;
}

struct gen_codelet_facts {
    struct gen_count count;
    size_t max_live; /* real values at once */
    size_t in_float; /* operations of count that are done in the narrower type */
    size_t roots;    /* that a part asks for while it runs */
};

/*
 * gen_codelet_graph - the graph of a codelet.
 *
 *   g  in/out  empty
 *   y  out     c->radix values of the inputs 2j, 2j+1 (point j) and, behind them, of the parameters of the cut
 *
 * Errors: GFMUL_ERR_MEMORY.
 */
enum gfmul_status gen_codelet_graph(const struct gen_codelet *c, struct gen_graph *g, struct gen_complex *y);

/*
 * gen_codelet_write - append an OpenCL function that transforms x[0 .. radix-1] in place.
 *
 * That of a part with parameters also has the table, and for T the places of its first number and of the next one, else the
 * exponent of exp(-2 pi i k / (radix * unit)).
 *
 *   out    in/out  NULL: only the facts
 *   name   in      of the function
 *   facts  out     may be NULL
 *
 * Errors: GFMUL_ERR_MEMORY (out->failed is set as well where the text could not grow).
 */
enum gfmul_status gen_codelet_write(struct gen_text *out, const struct gen_codelet *c, const char *name,
                                    struct gen_codelet_facts *facts);

/*
 * gen_codelet_write_c - append dft<radix>(vec *xr, vec *xi), C over the vectors of lib/stages/vec; products that
 * go into sums become fused multiply-adds.
 */
enum gfmul_status gen_codelet_write_c(struct gen_text *out, uint32_t radix, char algorithm);

/* gen_codelets_write_c - append lib/fft/fft_codelets.h. */
enum gfmul_status gen_codelets_write_c(struct gen_text *out);

#endif
