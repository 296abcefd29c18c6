/*
 * gen_device.c - a generated transform inside this process: emitted, built through the cache of programs, enqueued.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "gen/gen_device.h"

#ifdef HAVE_OPENCL
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"

struct gen_device {
    struct ocl_device *d;
    struct gen_params p;
    struct gen_launches l;
    int n[2]; /* number of kernels, forward and backward; 0: that direction does not exist */
    struct gen_kernel kernel[2][GEN_MAX_KERNELS];
    cl_kernel object[2][GEN_MAX_KERNELS];
    cl_mem table;
    bool tmp;
    cl_mem between; /* the buffer tmp.  Commands of an in-order queue share it; whoever destroys g has waited for them */
};

static enum gfmul_status table_create(const struct ocl_call *on, struct gen_device *g)
{
    const size_t bytes = (size_t)gen_table_bytes(&g->p, &g->l.table);
    cl_int code;
    void *table = malloc(bytes);

    if (!table)
        return GFMUL_ERR_MEMORY;
    const enum gfmul_status status = gen_table_fill(&g->p, &g->l, table);
    if (status != GFMUL_OK) {
        free(table);
        return status;
    }
    g->table = clCreateBuffer(ocl_device_context(on->device), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, table, &code);
    free(table);
    return ocl_status(on, code, "clCreateBuffer");
}

/* kernels_get - get all kernels of a direction from the program's text. */
static enum gfmul_status kernels_get(const struct ocl_call *on, struct gen_device *g, const char *text, bool backward)
{
    char name[64], file[48];
    bool tmp;
    g->n[backward] = gen_kernels_find(&g->p, &g->l, backward, g->kernel[backward], &tmp);
    g->tmp = g->tmp || tmp;
    snprintf(file, sizeof file, "fft_%s.cl", g->p.id);
    for (int i = 0; i < g->n[backward]; i++) {
        snprintf(name, sizeof name, "fft_%s_%s_%d", g->p.id, backward ? "backward" : "forward", i + 1);
        TRY(ocl_kernel_get_text(on, file, text, name, "", &g->object[backward][i]));
    }
    return GFMUL_OK;
}

/* create - make everything that a transform needs.   text i/o: room for the program's text. */
static enum gfmul_status create(const struct ocl_call *on, struct gen_device *g, struct gen_text *text)
{
    gen_launches_find(&g->p, &g->l);
    if (g->p.fftdata != 'f' && !ocl_device_info(on->device)->fp64)
        return GFMUL_ERR_UNSUPPORTED;
    TRY(gen_emit_opencl(&g->p, &g->l, text));
    for (int backward = 0; backward < 2; backward++) {
        if (g->p.direction == 'A' || g->p.direction == (backward ? 'B' : 'F'))
            TRY(kernels_get(on, g, text->s, backward));
    }
    return g->l.table.all > 0 ? table_create(on, g) : GFMUL_OK;
}

enum gfmul_status gen_device_create(const struct ocl_call *on, struct gen_device **result, const struct gen_params *p)
{
    struct gen_text text = {0};
    struct gen_device *g = calloc(1, sizeof *g);

    *result = NULL;
    if (!g)
        return GFMUL_ERR_MEMORY;
    g->d = on->device;
    g->p = *p;
    const enum gfmul_status status = create(on, g, &text);
    gen_text_free(&text);
    if (status == GFMUL_OK)
        *result = g;
    else
        gen_device_destroy(g);
    return status;
}

void gen_device_destroy(struct gen_device *g)
{
    if (!g)
        return;
    for (int backward = 0; backward < 2; backward++)
        for (int i = 0; i < g->n[backward]; i++)
            ocl_kernel_put(g->d, g->object[backward][i]);
    if (g->table)
        clReleaseMemObject(g->table);
    ocl_buffer_put(g->d, g->between);
    free(g);
}

const struct gen_launches *gen_device_launches(const struct gen_device *g)
{
    return &g->l;
}

/* The events of a transform's first and last launch that a caller wants; NULL: not wanted. */
struct events {
    cl_event *first, *last;
};

/* part_enqueue - enqueue work-groups begin .. end - 1 of a kernel. */
static enum gfmul_status part_enqueue(const struct ocl_call *on, const struct gen_device *g, cl_kernel object,
                                      const struct gen_kernel *k, const cl_mem *buffers, const cl_uint groups[2], cl_event *event)
{
    const cl_uint begin = groups[0];
    const size_t local = k->work_items, global = (size_t)(groups[1] - begin) * local;
    cl_command_queue queue = ocl_device_queue(on->device);
    if (g->table)
        TRY(ocl_args(on, object, OCL_ARG(buffers[k->from]), OCL_ARG(buffers[k->to]), OCL_ARG(g->table), OCL_ARG(begin), OCL_END));
    else
        TRY(ocl_args(on, object, OCL_ARG(buffers[k->from]), OCL_ARG(buffers[k->to]), OCL_ARG(begin), OCL_END));
    return ocl_status(on, clEnqueueNDRangeKernel(queue, object, 1, NULL, &global, &local, 0, NULL, event),
                      "clEnqueueNDRangeKernel");
}

/* kernel_enqueue - enqueue one kernel in KERNELNUM parts.   e: events of its first and its last part. */
static enum gfmul_status kernel_enqueue(const struct ocl_call *on, const struct gen_device *g, cl_kernel object,
                                        const struct gen_kernel *k, const cl_mem *buffers, struct events e)
{
    const cl_uint parts = k->groups < (cl_uint)g->p.kernelnum ? k->groups : (cl_uint)g->p.kernelnum;
    for (cl_uint part = 0; part < parts; part++) {
        const cl_uint groups[2] = {(cl_uint)((cl_ulong)k->groups * part / parts),
                                   (cl_uint)((cl_ulong)k->groups * (part + 1) / parts)};
        const bool is_first = part == 0, is_last = part == parts - 1;
        TRY(part_enqueue(on, g, object, k, buffers, groups, is_first && e.first ? e.first : is_last ? e.last : NULL));
        if (is_first && e.first && is_last && e.last) { /* the same command gives both events */
            TRY(ocl_status(on, clRetainEvent(*e.first), "clRetainEvent"));
            *e.last = *e.first;
        }
    }
    return GFMUL_OK;
}

static enum gfmul_status enqueue(const struct ocl_call *on, struct gen_device *g, bool backward, cl_mem in, cl_mem out,
                                 struct events e)
{
    const int n = g->n[backward];
    if (g->tmp && !g->between)
        TRY(ocl_buffer_get(on, (size_t)gen_points(&g->p) * gen_size_of_point(&g->p), &g->between));
    const cl_mem buffers[3] = {in, out, [GEN_TMP] = g->between};
    for (int i = 0; i < n; i++)
        TRY(kernel_enqueue(on, g, g->object[backward][i], &g->kernel[backward][i], buffers,
                           (struct events){i == 0 ? e.first : NULL, i == n - 1 ? e.last : NULL}));
    return GFMUL_OK;
}

enum gfmul_status gen_device_enqueue(const struct ocl_call *on, struct gen_device *g, bool backward, cl_mem in, cl_mem out,
                                     cl_event *first, cl_event *last)
{
    cl_event own[2] = {NULL, NULL};
    if (g->n[backward] == 0 || (g->p.bitrev && in == out))
        return GFMUL_ERR_ARGUMENT;
    const struct events wanted = {first ? &own[0] : NULL, last ? &own[1] : NULL};
    const enum gfmul_status status = enqueue(on, g, backward, in, out, wanted);
    for (int i = 0; i < 2; i++)
        if (status != GFMUL_OK && own[i])
            clReleaseEvent(own[i]);
    if (status == GFMUL_OK && first)
        *first = own[0];
    if (status == GFMUL_OK && last)
        *last = own[1];
    return status;
}
#endif
