/*
 * ocl_chunks.c - the carries from chunk to chunk of a product: launches.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_chunks.h"

#ifdef HAVE_OPENCL
#include "ocl/ocl_state.h"

enum { ITEMS = DEVICE_SCAN_ITEMS, ITEM_MAPS = 16 }; /* of a group; that an item of chunks_compose composes */
enum { FILL_GROUPS = 256 };                         /* of chunks_carry, where there is enough for them to do */

/* compose - the maps of the whole groups of chunks from `first` to `end`. */
static enum gfmul_status compose(struct ocl_device *d, cl_kernel k, cl_mem maps, size_t groups_at, size_t first, size_t end,
                                 struct ocl_profile *profile, char *detail)
{
    const size_t groups = (end - first + ITEMS * ITEM_MAPS - 1) / (ITEMS * ITEM_MAPS);
    const size_t from = first / ITEM_MAPS, global = groups * ITEMS, local = ITEMS;
    const cl_uint chunks_end = (cl_uint)end, at = (cl_uint)groups_at;
    enum gfmul_status status = ocl_args(d, k, detail, OCL_ARG(maps), OCL_ARG(chunks_end), OCL_ARG(at), OCL_END);
    if (status == GFMUL_OK)
        status = ocl_launch_from(d, k, OCL_CHUNKS_COMPOSE, 1, &from, &global, &local, (double)(end - first), profile, detail);
    return status;
}

enum gfmul_status ocl_chunks_carry(struct ocl_device *d, const struct ocl_chunks *chunks, const struct plan_shape *shape,
                                   const struct ocl_work *work, struct ocl_number z, size_t first, size_t end,
                                   struct ocl_profile *profile, char *detail)
{
    struct device_buffers buffers;
    device_shape_buffers(shape, &buffers);
    const size_t scans = (end - first + ITEMS - 1) / ITEMS, share = (FILL_GROUPS + scans - 1) / scans,
                 fills = share < d->fill_most ? share : d->fill_most;
    const size_t from[2] = {first, 0}, global[2] = {scans * ITEMS, fills}, local[2] = {ITEMS, 1};
    const cl_uint chunks_end = (cl_uint)end, groups_at = (cl_uint)buffers.groups_at;
    const cl_ulong z_words = z.n_words;
    enum gfmul_status status = GFMUL_OK;
    if (shape->device.group_maps)
        status = compose(d, chunks->compose, work->maps, buffers.groups_at, first, end, profile, detail);
    /* the first slice's clears the record of the next product: it has all numbers modulo its size */
    if (status == GFMUL_OK)
        status = ocl_args(d, chunks->carry, detail, OCL_ARG(z.words), OCL_ARG(work->maps), OCL_ARG(chunks_end), OCL_ARG(z_words),
                          OCL_ARG(work->status[work->turn ^ 1]), OCL_ARG(groups_at), OCL_END);
    if (status == GFMUL_OK)
        status =
            ocl_launch_from(d, chunks->carry, OCL_CHUNKS_CARRY, 2, from, global, local, (double)(end - first), profile, detail);
    return status;
}
#endif
