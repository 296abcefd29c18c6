/*
 * ocl_pipeline_tables.c - the twiddle tables of one plan on one device.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_pipeline_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "ocl/ocl_arguments.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_staging.h"
#include "plan/root_table.h"

enum { TABLE_ITEMS = 64 };

/* The working state while the tables of a pipeline are made. */
struct table_maker {
    const struct ocl_call *on;
    struct ocl_pipeline *p;
    cl_mem roots, offsets, shifts;
    struct triple_complex *host_roots;
    size_t most; /* the most entries of a pass */
    struct device_entry *entry;
    cl_ulong *host_offsets; /* the entries in the kernel's format */
    cl_uint *host_shifts;
};

static bool same_radices(const struct device_pass *a, const struct device_pass *b)
{
    return a->n_stages == b->n_stages && a->direct_stages == b->direct_stages && memcmp(a->radix, b->radix, sizeof a->radix) == 0;
}

/* bytes_up - upload bytes after all commands in the queue. */
static enum gfmul_status bytes_up(const struct table_maker *m, cl_mem to, const void *from, size_t bytes)
{
    return ocl_upload(m->on, (struct ocl_span){to, 0, bytes}, from, 1, OCL_AFTER_QUEUE);
}

/* roots_upload - make and upload the short tables of kernels/twiddle_table.cl. */
static enum gfmul_status roots_upload(struct table_maker *m)
{
    const uint64_t den = device_angle_den(&m->p->shape), count = (uint64_t)1 << ROOT_BITS;
    const size_t bytes = ROOT_DIGITS * count * sizeof(struct triple_complex);
    struct triple_complex *roots = m->host_roots = malloc(bytes);
    if (!roots)
        return GFMUL_ERR_MEMORY;
    TRY(ocl_buffer_get(m->on, bytes, &m->roots));
    for (unsigned i = 0; i < ROOT_DIGITS; i++)
        root_table(roots + i * count, ((uint64_t)1 << (ROOT_BITS * i)) % den, den, (unsigned)count);
    return bytes_up(m, m->roots, roots, bytes);
}

/* table_make - make one table: for each of n_nodes nodes the n_entries that `entry` describes, `depth` binary levels below the
   branches. */
static enum gfmul_status table_make(const struct table_maker *m, const struct device_entry *entry, cl_uint n_entries,
                                    cl_ulong n_nodes, cl_uint depth, cl_mem *table)
{
    const struct plan_shape *s = &m->p->shape;
    const cl_uint branch_first = (cl_uint)device_branch_angle(s->transform.packing, s->transform.odd, 0);
    const struct twiddle_table_arguments of = {.n_nodes = n_nodes,
                                               .n_entries = n_entries,
                                               .depth = depth,
                                               .odd = s->transform.odd,
                                               .branch_first = branch_first,
                                               .den_bits = s->transform.log2_n + 4};
    const cl_kernel k = m->p->kernel[KERNEL_TABLE];
    for (unsigned i = 0; i < n_entries; i++) {
        m->host_offsets[i] = entry[i].offset;
        m->host_shifts[i] = entry[i].shift | entry[i].ratio << 6 | entry[i].times << 7;
    }
    TRY(ocl_buffer_get(m->on, n_nodes * n_entries * device_point_bytes(s), table));
    TRY(bytes_up(m, m->offsets, m->host_offsets, n_entries * sizeof *m->host_offsets));
    TRY(bytes_up(m, m->shifts, m->host_shifts, n_entries * sizeof *m->host_shifts));
    TRY(ocl_args(m->on, k, OCL_ARG(*table), OCL_ARG(m->roots), OCL_ARG(m->offsets), OCL_ARG(m->shifts), OCL_ARG(of),
                 OCL_END));
    const size_t items = (n_nodes * n_entries + TABLE_ITEMS - 1) / TABLE_ITEMS * TABLE_ITEMS;
    return ocl_launch(m->on, k, pipeline_kernel_name(KERNEL_TABLE), ocl_items(items, TABLE_ITEMS), 0);
}

/* pass_tables_make - make both tables of a pass.   nodes in: how many nodes it splits */
static enum gfmul_status pass_tables_make(const struct table_maker *m, const struct device_pass *pass, bool first, uint64_t nodes,
                                          unsigned depth, struct pass_tables *tables)
{
    const unsigned n_node = device_node_entries(pass), n_shared = device_shared_entries(pass);
    memset(m->entry, 0, m->most * sizeof *m->entry); /* a pass of odd radices has no entries of nodes, so it gets an unused one */
    device_entries(&m->p->shape, pass, first, m->entry);
    TRY(table_make(m, m->entry, n_node + (n_node == 0), first ? 1 : nodes, depth, &tables->table));
    return n_shared > 0 ? table_make(m, m->entry + n_node, n_shared, 1, 0, &tables->shared) : GFMUL_OK;
}

/* entries_get - allocate room for the entries of any pass. */
static enum gfmul_status entries_get(struct table_maker *m)
{
    const struct plan_device *d = &m->p->shape.device;
    size_t most = 1;
    for (unsigned i = 0; i < d->n_passes; i++) {
        const struct device_pass *pass[2] = {&d->forward[i], &d->inverse[i]};
        for (unsigned k = 0; k < 2; k++) {
            const size_t n = device_node_entries(pass[k]) + device_shared_entries(pass[k]);
            most = n > most ? n : most;
        }
    }
    m->most = most;
    m->entry = malloc(most * sizeof *m->entry);
    m->host_offsets = malloc(most * sizeof *m->host_offsets);
    m->host_shifts = malloc(most * sizeof *m->host_shifts);
    if (!m->entry || !m->host_offsets || !m->host_shifts)
        return GFMUL_ERR_MEMORY;
    TRY(ocl_buffer_get(m->on, most * sizeof(cl_ulong), &m->offsets));
    return ocl_buffer_get(m->on, most * sizeof(cl_uint), &m->shifts);
}

static enum gfmul_status tables_make(struct table_maker *m)
{
    struct ocl_pipeline *p = m->p;
    const struct plan_shape *s = &p->shape;
    unsigned depth = 0;
    uint64_t nodes = 1;
    TRY(roots_upload(m));
    TRY(entries_get(m));
    for (unsigned i = 0; i < s->device.n_passes; i++) {
        TRY(pass_tables_make(m, &s->device.forward[i], i == 0, nodes, depth, &p->forward[i]));
        if (!same_radices(&s->device.forward[i], &s->device.inverse[i]))
            TRY(pass_tables_make(m, &s->device.inverse[i], i == 0, nodes, depth, &p->inverse[i]));
        nodes *= s->device.forward[i].points;
        while (((uint64_t)s->transform.odd << depth) < nodes)
            depth++;
    }
    return GFMUL_OK;
}

enum gfmul_status pipeline_points_tables(const struct ocl_call *on, struct ocl_pipeline *p)
{
    const struct ocl_call untimed = {on->device, NULL, on->detail}, quiet = {.device = on->device};
    struct table_maker m = {.on = &untimed, .p = p};
    const enum gfmul_status status = tables_make(&m);
    /* operands are uploaded to buffers of the pool without waiting for the queue, so no kernel may still read these */
    const enum gfmul_status finished = ocl_finish(status == GFMUL_OK ? on : &quiet);
    ocl_buffer_put(p->d, m.shifts);
    ocl_buffer_put(p->d, m.offsets);
    ocl_buffer_put(p->d, m.roots);
    free(m.host_shifts);
    free(m.host_offsets);
    free(m.entry);
    free(m.host_roots);
    return status == GFMUL_OK ? finished : status;
}
