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

#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"

struct gen_device {
    struct ocl_device *d;
    struct gen_params p;
    struct gen_launches l;
    int n[2]; /* kernels, forward and backward; 0: the direction is not there */
    struct gen_kernel kernel[2][GEN_MAX_KERNELS];
    cl_kernel object[2][GEN_MAX_KERNELS];
    cl_mem table;
    bool tmp;
    cl_mem between; /* where tmp; commands of an in-order queue share it, and who ends g has waited for them */
};

static enum gfmul_status table_create(struct gen_device *g, char *detail)
{
    const size_t bytes = (size_t)g->l.table_entries * gen_size_of_point(&g->p);
    cl_int code;
    void *table = malloc(bytes);

    if (!table)
        return GFMUL_ERR_MEMORY;
    gen_table_fill(&g->p, &g->l, table);
    g->table = clCreateBuffer(ocl_device_context(g->d), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, table, &code);
    free(table);
    return ocl_status(g->d, code, "clCreateBuffer", detail);
}

enum gfmul_status gen_device_create(struct gen_device **result, struct ocl_device *d, const struct gen_params *p, char *detail)
{
    struct gen_text text = {0};
    struct gen_device *g = calloc(1, sizeof *g);
    char name[64], file[48];
    enum gfmul_status status = GFMUL_OK;

    *result = NULL;
    if (!g)
        return GFMUL_ERR_MEMORY;
    g->d = d;
    g->p = *p;
    gen_launches_find(p, &g->l);
    if (p->fftdata != 'f' && !ocl_device_info(d)->fp64)
        status = GFMUL_ERR_UNSUPPORTED;
    if (status == GFMUL_OK)
        status = gen_emit_opencl(p, &g->l, &text);
    snprintf(file, sizeof file, "fft_%s.cl", p->id);
    for (int backward = 0; backward < 2 && status == GFMUL_OK; backward++) {
        bool tmp;
        if (p->direction != 'A' && p->direction != (backward ? 'B' : 'F'))
            continue;
        g->n[backward] = gen_kernels_find(p, &g->l, backward, g->kernel[backward], &tmp);
        g->tmp = g->tmp || tmp;
        for (int i = 0; i < g->n[backward] && status == GFMUL_OK; i++) {
            snprintf(name, sizeof name, "fft_%s_%s_%d", p->id, backward ? "backward" : "forward", i + 1);
            status = ocl_kernel_get_text(d, file, text.s, name, "", &g->object[backward][i], detail);
        }
    }
    if (status == GFMUL_OK && g->l.has_table)
        status = table_create(g, detail);
    gen_text_free(&text);
    if (status != GFMUL_OK) {
        gen_device_destroy(g);
        return status;
    }
    *result = g;
    return GFMUL_OK;
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

/* One kernel, in KERNELNUM parts. */
static enum gfmul_status kernel_enqueue(const struct gen_device *g, cl_kernel object, const struct gen_kernel *k,
                                        const cl_mem *buffers, cl_event *first, cl_event *last, char *detail)
{
    const cl_uint parts = k->groups < (cl_uint)g->p.kernelnum ? k->groups : (cl_uint)g->p.kernelnum;
    enum gfmul_status status = GFMUL_OK;

    for (cl_uint part = 0; part < parts && status == GFMUL_OK; part++) {
        const cl_uint begin = (cl_uint)((cl_ulong)k->groups * part / parts);
        const cl_uint end = (cl_uint)((cl_ulong)k->groups * (part + 1) / parts);
        const size_t local = k->work_items, global = (size_t)(end - begin) * local;
        cl_event *event = first && part == 0 ? first : last && part == parts - 1 ? last : NULL;

        if (g->table)
            status = ocl_args(g->d, object, detail, OCL_ARG(buffers[k->from]), OCL_ARG(buffers[k->to]), OCL_ARG(g->table),
                              OCL_ARG(begin), OCL_END);
        else
            status = ocl_args(g->d, object, detail, OCL_ARG(buffers[k->from]), OCL_ARG(buffers[k->to]), OCL_ARG(begin), OCL_END);
        if (status == GFMUL_OK)
            status =
                ocl_status(g->d, clEnqueueNDRangeKernel(ocl_device_queue(g->d), object, 1, NULL, &global, &local, 0, NULL, event),
                           "clEnqueueNDRangeKernel", detail);
        if (status == GFMUL_OK && first && part == 0 && last && part == parts - 1) { /* both are this one */
            *last = *first;
            status = ocl_status(g->d, clRetainEvent(*last), "clRetainEvent", detail);
        }
    }
    return status;
}

enum gfmul_status gen_device_enqueue(struct gen_device *g, bool backward, cl_mem in, cl_mem out, cl_event *first, cl_event *last,
                                     char *detail)
{
    const int n = g->n[backward];
    cl_mem buffers[3] = {in, out, NULL};
    cl_event own[2] = {NULL, NULL};
    enum gfmul_status status = GFMUL_OK;

    if (n == 0 || (g->p.bitrev && in == out))
        return GFMUL_ERR_ARGUMENT;
    if (g->tmp && !g->between)
        status = ocl_buffer_get(g->d, (size_t)gen_points(&g->p) * gen_size_of_point(&g->p), &g->between, detail);
    buffers[GEN_TMP] = g->between;
    for (int i = 0; i < n && status == GFMUL_OK; i++)
        status = kernel_enqueue(g, g->object[backward][i], &g->kernel[backward][i], buffers, first && i == 0 ? &own[0] : NULL,
                                last && i == n - 1 ? &own[1] : NULL, detail);
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
