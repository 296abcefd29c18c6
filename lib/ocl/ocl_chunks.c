/*
 * ocl_chunks.c - launch the kernels that carry from chunk to chunk of a product.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_chunks.h"

#include "base/try.h"
#include "ocl/ocl_state.h"

enum { ITEMS = DEVICE_SCAN_ITEMS, ITEM_MAPS = 16 }; /* items of a group; maps that an item of chunks_compose composes */
enum { FILL_GROUPS = 256 };                         /* launch so many groups of chunks_carry, if there is enough work */

/* compose - enqueue chunks_compose: the maps of all groups of chunks from `first` to `end`. */
static enum gfmul_status compose(const struct ocl_call *on, cl_kernel k, cl_mem maps, cl_uint groups_at, size_t first, size_t end)
{
    const size_t groups = (end - first + ITEMS * ITEM_MAPS - 1) / (ITEMS * ITEM_MAPS);
    const struct ocl_range range = {1, {first / ITEM_MAPS}, {groups * ITEMS}, {ITEMS}};
    const cl_uint chunks_end = (cl_uint)end;
    TRY(ocl_args(on, k, OCL_ARG(maps), OCL_ARG(chunks_end), OCL_ARG(groups_at), OCL_END));
    return ocl_launch(on, k, OCL_CHUNKS_COMPOSE, range, (double)(end - first));
}

enum gfmul_status ocl_chunks_carry(const struct ocl_call *on, const struct ocl_chunks *chunks, const struct plan_shape *shape,
                                   const struct ocl_work *work, struct ocl_number z, size_t first, size_t end)
{
    struct device_buffers buffers;
    device_shape_buffers(shape, &buffers);
    const size_t scans = (end - first + ITEMS - 1) / ITEMS, share = (FILL_GROUPS + scans - 1) / scans,
                 fills = share < on->device->fill_most ? share : on->device->fill_most;
    const struct ocl_range range = {2, {first, 0}, {scans * ITEMS, fills}, {ITEMS, 1}};
    const cl_uint chunks_end = (cl_uint)end, groups_at = (cl_uint)buffers.groups_at;
    const cl_ulong z_words = z.n_words;
    if (shape->device.group_maps)
        TRY(compose(on, chunks->compose, work->maps, groups_at, first, end));
    /* the launch for the first part also clears the next product's record: its items, taken modulo the size, cover all of it */
    TRY(ocl_args(on, chunks->carry, OCL_ARG(z.words), OCL_ARG(work->maps), OCL_ARG(chunks_end), OCL_ARG(z_words),
                 OCL_ARG(work->status[work->turn ^ 1]), OCL_ARG(groups_at), OCL_END));
    return ocl_launch(on, chunks->carry, OCL_CHUNKS_CARRY, range, (double)(end - first));
}
