/*
 * pipeline_test.h - whole products by a device's pipeline, which the library only makes part by part.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_PIPELINE_TEST_H
#define GFMUL_PIPELINE_TEST_H

#include "base/try.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_pipeline_state.h"
#include "ocl/ocl_staging.h"
#include "test.h"

/* pipeline_create - the kernels of a shape, and its tables.   pipeline out: NULL on failure. */
TEST_UNUSED static enum gfmul_status pipeline_create(const struct ocl_call *on, struct ocl_pipeline **pipeline,
                                                     const struct plan_shape *shape)
{
    TRY(ocl_pipeline_build(on, pipeline, shape, ""));
    const enum gfmul_status status = ocl_pipeline_tables(on, *pipeline);
    if (status != GFMUL_OK) {
        ocl_pipeline_destroy(*pipeline);
        *pipeline = NULL;
    }
    return status;
}

/* pipeline_end - a pipeline goes, with its work and its numbers, as far as they are there. */
TEST_UNUSED static void pipeline_end(struct ocl_device *d, struct ocl_pipeline *p, struct ocl_work *work, cl_mem a, cl_mem b,
                                     cl_mem z)
{
    ocl_buffer_put(d, z);
    ocl_buffer_put(d, b);
    ocl_buffer_put(d, a);
    if (p)
        ocl_work_put(d, work);
    ocl_pipeline_destroy(p);
}

/* pipeline_mul - enqueue z = a * b.   b.words NULL: a square. */
TEST_UNUSED static enum gfmul_status pipeline_mul(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work,
                                                  struct ocl_number z, struct ocl_number a, struct ocl_number b)
{
    TRY(ocl_pipeline_forward(on, p, work, a, b));
    TRY(ocl_pipeline_rows(on, p, work));
    return ocl_pipeline_limbs(on, p, work, z, 0, 1);
}

/* pipeline_mul_kept - the same by b's spectrum. */
TEST_UNUSED static enum gfmul_status pipeline_mul_kept(const struct ocl_call *on, struct ocl_pipeline *p, struct ocl_work *work,
                                                       struct ocl_number z, struct ocl_number a, cl_mem spectrum)
{
    TRY(ocl_pipeline_forward(on, p, work, a, (struct ocl_number){NULL, 0}));
    TRY(ocl_pipeline_rows_kept(on, p, work, spectrum));
    return ocl_pipeline_limbs(on, p, work, z, 0, 1);
}

/* pipeline_figures - what the kernels recorded; waits for the product. */
TEST_UNUSED static enum gfmul_status pipeline_figures(const struct ocl_call *on, struct ocl_pipeline *p,
                                                      const struct ocl_work *work, struct plan_figures *figures)
{
    struct ocl_readback readback;
    const enum gfmul_status status = ocl_pipeline_figures_start(on, work, &readback);
    if (status == GFMUL_OK)
        return ocl_pipeline_figures_wait(on, p, &readback, figures);
    ocl_readback_end(on->device, &readback);
    return status;
}

/* pipeline_table - the forward twiddle table of a pass, of all its nodes.   table out: bytes of it. */
TEST_UNUSED static enum gfmul_status pipeline_table(const struct ocl_call *on, struct ocl_pipeline *p, unsigned pass, void *table,
                                                    size_t bytes)
{
    return ocl_download(on, table, (struct ocl_span){p->forward[pass].table, 0, bytes}, 1, OCL_AFTER_QUEUE);
}

TEST_UNUSED static size_t pipeline_spectrum_bytes(const struct ocl_pipeline *p)
{
    return (size_t)device_points_bytes(&p->shape);
}

#endif
