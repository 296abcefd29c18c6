/*
 * ocl_words.c - sums of numbers on a device, by kernels/words_sum.cl and kernels/chunks_carry.cl.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_words.h"

#include <stdio.h>
#include <string.h>

#include "base/try.h"
#include "ocl/ocl_arguments.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_program.h"

enum { ITEMS = DEVICE_SCAN_ITEMS, CHUNK_WORDS = 32 };

static size_t chunks_of(size_t n_words)
{
    return (n_words + CHUNK_WORDS - 1) / CHUNK_WORDS;
}

size_t ocl_words_bytes(size_t n_words)
{
    return chunks_of(n_words) + ITEMS + OCL_STATUS_WORDS * sizeof(cl_uint); /* carries that run far read whole groups of maps */
}

enum gfmul_status ocl_words_get(const struct ocl_call *on, struct ocl_words *words, size_t n_words)
{
    char options[60];
    snprintf(options, sizeof options, "-DCHUNK_WORDS=%d -DSCAN_ITEMS=%d", (int)CHUNK_WORDS, (int)ITEMS);
    TRY(ocl_kernel_get(on, "words_sum.cl", "words_sum", options, &words->sum));
    TRY(ocl_kernel_get(on, "chunks_carry.cl", "chunks_carry", options, &words->carry));
    TRY(ocl_buffer_get(on, chunks_of(n_words) + ITEMS, &words->maps));
    return ocl_buffer_get(on, OCL_STATUS_WORDS * sizeof(cl_uint), &words->record);
}

void ocl_words_put(struct ocl_device *d, struct ocl_words *words)
{
    ocl_buffer_put(d, words->record);
    ocl_buffer_put(d, words->maps);
    ocl_kernel_put(d, words->carry);
    ocl_kernel_put(d, words->sum);
    memset(words, 0, sizeof *words);
}

enum gfmul_status ocl_words_sum(const struct ocl_call *on, const struct ocl_words *words, struct ocl_number z,
                                struct ocl_multiple x, struct ocl_multiple y)
{
    const struct words_sum_arguments of = {z.n_words, x.x.n_words, y.x.n_words, x.times, y.times};
    const size_t chunks = chunks_of(z.n_words), items = (chunks + ITEMS - 1) / ITEMS * ITEMS;
    const double bytes = 4.0 * (2.0 * x.x.n_words + 2.0 * y.x.n_words + z.n_words);
    const struct ocl_range carries = {2, {0, 0}, {items, 1}, {ITEMS, 1}};
    const cl_uint n_chunks = (cl_uint)chunks, no_groups = 0;
    const cl_ulong z_words = z.n_words;
    TRY(ocl_args(on, words->sum, OCL_ARG(x.x.words), OCL_ARG(y.x.words), OCL_ARG(z.words), OCL_ARG(words->maps), OCL_ARG(of),
                 OCL_END));
    TRY(ocl_launch(on, words->sum, "words_sum", ocl_items(items, ITEMS), bytes));
    TRY(ocl_args(on, words->carry, OCL_ARG(z.words), OCL_ARG(words->maps), OCL_ARG(n_chunks), OCL_ARG(z_words),
                 OCL_ARG(words->record), OCL_ARG(no_groups), OCL_END));
    return ocl_launch(on, words->carry, "chunks_carry", carries, (double)chunks);
}
