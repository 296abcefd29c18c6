/* emit.h - the files of a generated transform. */
#ifndef GFMUL_GEN_EMIT_H
#define GFMUL_GEN_EMIT_H

#include "gen/codelet.h"
#include "gen/launches.h"
#include "gen/recursion.h"

/* --- emit_opencl.c ----------------------------------------------------------------------------------------------------- */

/* A kernel is a launch of the transform, or the step between complex and real data. */
enum gen_kernel_kind { GEN_KERNEL_LAUNCH, GEN_KERNEL_REAL };

/* Where a kernel reads and writes: buffers of the caller, and one of the plan. */
enum gen_buffer { GEN_IN, GEN_OUT, GEN_TMP };

/* One kernel of a direction, in the order of execution. */
struct gen_kernel {
    enum gen_kernel_kind kind;
    int launch;                    /* GEN_KERNEL_LAUNCH: its index */
    bool inverse;                  /* the launch runs backwards: decimation in time; in a recursion its transpose, in frequency */
    bool digits;                   /* reads the integers of the caller */
    bool pairs_in, pairs_out;      /* two real sequences of the caller: point k is made of number k of both */
    bool swap_in, swap_out, scale; /* the backward transform is the forward one with real and imaginary parts exchanged */
    bool zeros;                    /* NONEZ applies */
    bool exact;                    /* INPRECISION applies */
    enum gen_buffer from, to;
    uint32_t groups, work_items;
};

/* gen_way_of - how a kernel of a recursion runs the steps. */
static inline struct gen_way gen_way_of(const struct gen_kernel *k)
{
    return (struct gen_way){k->inverse, k->zeros, k->exact};
}

enum { GEN_MAX_KERNELS = GEN_MAX_LAUNCHES + 1 };

/* gen_kernels_find - the kernels of a direction; returns how many; tmp out: whether GEN_TMP is used. */
int gen_kernels_find(const struct gen_params *p, const struct gen_launches *l, bool backward, struct gen_kernel *kernels,
                     bool *tmp);

/* gen_codelet_of - the codelet that a step of a kernel calls; name out, of size characters. */
struct gen_codelet gen_codelet_of(const struct gen_params *p, const struct gen_launches *l, const struct gen_kernel *k, int step,
                                  char *name, size_t size);

/* The context for writing one kernel. */
struct gen_writer {
    struct gen_text *out;
    const struct gen_params *p;
    const struct gen_launches *l;
    const struct gen_kernel *k;
    const struct gen_launch *a;
};

/* gen_emit_rounds - begin the loop over the blocks of columns of a work-group, `group` being their number; and end it. */
void gen_emit_rounds(const struct gen_writer *w);
void gen_emit_rounds_end(const struct gen_writer *w);

/* gen_emit_reversal - append a digit reversal: the sum over the digits of `name` of (digit reversed) * weight. */
void gen_emit_reversal(struct gen_text *out, const char *name, const uint32_t *radices, int n, uint32_t weight_total);

/*
 * gen_emit_opencl - append the kernels (fft_ID.cl).
 *
 * Errors: GFMUL_ERR_MEMORY.
 */
enum gfmul_status gen_emit_opencl(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out);

/* --- emit_step.c ------------------------------------------------------------------------------------------------------- */

/* gen_emit_step - the lines of step s of the writer's kernel. */
void gen_emit_step(const struct gen_writer *w, int s);

/* gen_emit_place - write a function: where a launch keeps, in its block, the frequencies that differ only in the last digit. */
void gen_emit_place(const struct gen_writer *w, int index);

/* gen_emit_spread - write a function: where a place of a block is in local memory.  Nothing if no launch needs it. */
void gen_emit_spread(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out);

/* gen_emit_load - write a line: read point i of the codelet from memory, converting the caller's integers to the type. */
void gen_emit_load(const struct gen_writer *w, const char *indent, uint32_t i, const char *at);

/* gen_emit_store - write a line: store point i of the codelet at a place in memory, scaled if this kernel has to. */
void gen_emit_store(const struct gen_writer *w, uint32_t i, const char *at);

/* --- emit_recursion.c -------------------------------------------------------------------------------------------------- */

/* gen_emit_node - a function: the node of a residue, and its first point.   gen_emit_node_type: the type of a node. */
void gen_emit_node(const struct gen_params *p, const struct gen_launches *l, bool host, struct gen_text *out);
void gen_emit_node_type(const struct gen_params *p, struct gen_text *out);

/* gen_emit_recursion_codelets - write each codelet once: names already written are kept between semicolons. */
enum gfmul_status gen_emit_recursion_codelets(const struct gen_params *p, const struct gen_launches *l, struct gen_way way,
                                              struct gen_text *names, struct gen_text *out);

/* gen_emit_recursion_index - the body of gen_emit_index(), to be written after gen_emit_node(). */
void gen_emit_recursion_index(const struct gen_params *p, const struct gen_launches *l, bool host, struct gen_text *out);

/* gen_emit_recursion - the lines of the writer's kernel. */
void gen_emit_recursion(const struct gen_writer *w);

/* --- emit_c.c: the host functions fft_ID.h and fft_ID.c ------------------------------------------------------------------ */

void gen_emit_header(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out);
void gen_emit_source(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out);

/* --- emit_table.c -------------------------------------------------------------------------------------------------------- */

/* gen_emit_table - append the host function table_make(), which computes the table or reads its file. */
void gen_emit_table(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out);

/* gen_table_fill - the table in the host's number format.   table out: gen_table_bytes().   Errors: GFMUL_ERR_MEMORY. */
enum gfmul_status gen_table_fill(const struct gen_params *p, const struct gen_launches *l, void *table);

/* --- emit_example.c: a program that checks the transform, and a Makefile ------------------------------------------------- */

void gen_emit_example(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out);
void gen_emit_makefile(const struct gen_params *p, struct gen_text *out);

/* gen_emit_banner - write the parameters, each on its own line after the prefix. */
void gen_emit_banner(const struct gen_params *p, const char *file, const char *what, struct gen_text *out);

/*
 * gen_emit_index - write a function of k: the place of frequency k in the order of the algorithm.
 *
 *   host  in  true: a global function for the host, which also knows the last frequency of a half spectrum; false: for kernels
 */
void gen_emit_index(const struct gen_params *p, const struct gen_launches *l, bool host, struct gen_text *out);

#endif
