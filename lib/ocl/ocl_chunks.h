/*
 * ocl_chunks.h - launch the kernels that carry from chunk to chunk of a product (kernels/carry_map.cl).
 */
#ifndef GFMUL_OCL_CHUNKS_H
#define GFMUL_OCL_CHUNKS_H

#include "ocl/ocl_pipeline.h"

/* Names of the kernels in profiles. */
#define OCL_CHUNKS_COMPOSE "chunks_compose"
#define OCL_CHUNKS_CARRY   "chunks_carry"

struct ocl_chunks {
    cl_kernel compose, carry; /* compose: if the shape has group_maps, else NULL; carry: text_chunks_carry for text */
};

/*
 * ocl_chunks_carry - enqueue the carries into the chunks of a part.
 *
 *   work        in   maps of all chunks below `end`, and of the groups of all earlier parts; the other status is cleared
 *   z           i/o  words or characters, packed up to chunk `end`
 *   first, end  in   the part's chunks; first: a multiple of DEVICE_SCAN_ITEMS, and the end of the part before
 * Errors: those of ocl_launch.
 */
enum gfmul_status ocl_chunks_carry(const struct ocl_call *on, const struct ocl_chunks *chunks, const struct plan_shape *shape,
                                   const struct ocl_work *work, struct ocl_number z, size_t first, size_t end);

#endif
