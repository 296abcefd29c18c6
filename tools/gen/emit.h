/* emit.h - the files of a generated transform. */
#ifndef GFMUL_GEN_EMIT_H
#define GFMUL_GEN_EMIT_H

#include "gen/codelet.h"
#include "gen/launches.h"
#include "gen/recursion.h"

/* --- emit_opencl.c ----------------------------------------------------------------------------------------------------- */

/* Which direction a kernel belongs to, and what else the kernels of a direction are. */
enum gen_kernel_kind { GEN_KERNEL_LAUNCH, GEN_KERNEL_REAL };

/* Where a kernel reads and writes: buffers of the caller, and one of the plan. */
enum gen_buffer { GEN_IN, GEN_OUT, GEN_TMP };

/* One kernel of a direction, in the order of execution. */
struct gen_kernel {
    enum gen_kernel_kind kind;
    int launch;                    /* GEN_KERNEL_LAUNCH: its index */
    bool inverse;                  /* the launch backwards: decimation in time; of a recursion its transpose, in frequency */
    bool digits;                   /* reads the integers of the caller */
    bool pairs_in, pairs_out;      /* real sequences of the caller: point k has number k of both */
    bool swap_in, swap_out, scale; /* the backward transform is the forward one with real and imaginary parts exchanged */
    bool zeros;                    /* NONEZ applies */
    bool exact;                    /* INPRECISION applies */
    enum gen_buffer from, to;
    uint32_t groups, work_items;
};

/* gen_way_of - what a kernel of a recursion makes of the steps. */
static inline struct gen_way gen_way_of(const struct gen_kernel *k)
{
    return (struct gen_way){k->inverse, k->zeros, k->exact};
}

enum { GEN_MAX_KERNELS = GEN_MAX_LAUNCHES + 1 };

/* gen_kernels_find - the kernels of a direction; returns how many; tmp out: whether GEN_TMP is used. */
int gen_kernels_find(const struct gen_params *p, const struct gen_launches *l, bool backward, struct gen_kernel *kernels,
                     bool *tmp);

/* gen_codelet_of - what codelet a step of a kernel calls; name out, of size characters. */
struct gen_codelet gen_codelet_of(const struct gen_params *p, const struct gen_launches *l, const struct gen_kernel *k, int step,
                                  char *name, size_t size);

/* Everything that the lines of one kernel need. */
struct gen_writer {
    struct gen_text *out;
    const struct gen_params *p;
    const struct gen_launches *l;
    const struct gen_kernel *k;
    const struct gen_launch *a;
};

/* gen_emit_rounds - the line of `group`, the number of a block of columns, in a loop over a work-group's; and the loop's end. */
void gen_emit_rounds(const struct gen_writer *w);
void gen_emit_rounds_end(const struct gen_writer *w);

/* gen_emit_reversal - append a reversal of digits: the sum over the digits of `name` of (digit reversed) * weight. */
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

/* gen_emit_place - a function: where in its block a launch has the frequencies that differ only in all digits but the last. */
void gen_emit_place(const struct gen_writer *w, int index);

/* gen_emit_spread - a function: where in local memory a place of a block is; nothing where no launch needs it. */
void gen_emit_spread(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out);

/* gen_emit_load - a line: point i of the codelet from memory; numbers of the caller's that are integers become the type. */
void gen_emit_load(const struct gen_writer *w, const char *indent, uint32_t i, const char *at);

/* gen_emit_store - a line: point i of the codelet to memory, at a place, scaled where this is the kernel that does. */
void gen_emit_store(const struct gen_writer *w, uint32_t i, const char *at);

/* --- emit_recursion.c -------------------------------------------------------------------------------------------------- */

/* gen_emit_node - a function: where the node of a residue is, and its first point.   gen_emit_node_type: of a node. */
void gen_emit_node(const struct gen_params *p, const struct gen_launches *l, bool host, struct gen_text *out);
void gen_emit_node_type(const struct gen_params *p, struct gen_text *out);

/* gen_emit_recursion_codelets - the codelets, each written once: names met are kept between semicolons. */
enum gfmul_status gen_emit_recursion_codelets(const struct gen_params *p, const struct gen_launches *l, struct gen_way way,
                                              struct gen_text *names, struct gen_text *out);

/* gen_emit_recursion_index - the body of gen_emit_index(), behind gen_emit_node(). */
void gen_emit_recursion_index(const struct gen_params *p, const struct gen_launches *l, bool host, struct gen_text *out);

/* gen_emit_recursion - the lines of the writer's kernel. */
void gen_emit_recursion(const struct gen_writer *w);

/* --- emit_c.c: the host functions fft_ID.h and fft_ID.c ------------------------------------------------------------------ */

void gen_emit_header(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out);
void gen_emit_source(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out);

/* --- emit_table.c -------------------------------------------------------------------------------------------------------- */

/* gen_emit_table - append the host function table_make(): the table, computed or from its file. */
void gen_emit_table(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out);

/* gen_table_fill - the table, numbers as the host has them.   table out: gen_table_bytes().   Errors: GFMUL_ERR_MEMORY. */
enum gfmul_status gen_table_fill(const struct gen_params *p, const struct gen_launches *l, void *table);

/* --- emit_example.c: a program that checks the transform, and a Makefile ------------------------------------------------- */

void gen_emit_example(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out);
void gen_emit_makefile(const struct gen_params *p, struct gen_text *out);

/* gen_emit_banner - the parameters, each on a line after the prefix. */
void gen_emit_banner(const struct gen_params *p, const char *file, const char *what, struct gen_text *out);

/*
 * gen_emit_index - a function of k: the place of frequency k in the order of the algorithm.
 *
 *   host  in  for the host: global, and of a half spectrum also the last frequency's; else for the kernels
 */
void gen_emit_index(const struct gen_params *p, const struct gen_launches *l, bool host, struct gen_text *out);

#endif
