/*
 * plan_device_buffers.c - a product on a device: its buffers, and its parts, which are tiles of rows packed one after the other.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "plan/plan_device.h"

enum { MAPS_ROUND = 16 };        /* maps are loaded in units of this */
enum { DIGIT_BYTES_LEAST = 16 }; /* if there is no second operand */

void device_shape_buffers(const struct plan_shape *shape, struct device_buffers *buffers)
{
    const size_t n = shape->transform.n_points;
    buffers->points = device_point_bytes(shape) * n;
    if (shape->field == PLAN_PRIME) { /* no runs; the last chunk may be partial */
        const size_t chunk = (size_t)shape->device.block_digits * shape->device.chunk_blocks;
        buffers->runs = shape->digits.base == 2 ? 0 : n / (shape->device.halves == 2 ? 1 : 2) * shape->device.field_bits / 8;
        buffers->carries = shape->square && buffers->runs > 0 ? DIGIT_BYTES_LEAST : buffers->runs;
        buffers->chunks = (n + chunk - 1) / chunk;
    } else {
        const size_t digits = shape->transform.n_digits, runs = digits / shape->device.inverse[0].columns;
        buffers->runs = runs * device_run_words(shape) * 4;
        buffers->carries = runs * 8;
        buffers->chunks = digits / shape->device.block_digits / shape->device.chunk_blocks;
    }
    const size_t groups = (buffers->chunks + DEVICE_SCAN_ITEMS - 1) / DEVICE_SCAN_ITEMS;
    buffers->groups_at = groups * DEVICE_SCAN_ITEMS;
    buffers->maps =
        shape->device.group_maps ? buffers->groups_at + (groups + MAPS_ROUND - 1) / MAPS_ROUND * MAPS_ROUND : buffers->chunks;
}

size_t device_number_tiles(const struct plan_shape *shape)
{
    return shape->transform.n_digits / device_row_digits(shape) / shape->device.tile_rows;
}

unsigned device_shape_operands(const struct plan_shape *shape)
{
    return shape->square || device_is_shared(shape) ? 1 : 2;
}

/* part_unit - the least number of tiles that together have a whole number of groups of chunks_carry. */
static size_t part_unit(const struct plan_shape *shape, size_t tiles)
{
    struct device_buffers buffers;
    size_t unit = 1;
    device_shape_buffers(shape, &buffers);
    while (unit * (buffers.chunks / tiles) % DEVICE_SCAN_ITEMS != 0)
        unit *= 2;
    return unit;
}

size_t device_part_tile(const struct plan_shape *shape, unsigned part, unsigned parts)
{
    if (shape->field == PLAN_PRIME)
        return part; /* a single part */
    const size_t tiles = device_number_tiles(shape), unit = part_unit(shape, tiles);
    return part == parts ? tiles : tiles / unit * part / parts * unit;
}

unsigned device_shape_parts(const struct plan_shape *shape)
{
    if (shape->field == PLAN_PRIME)
        return 1;
    const size_t tiles = device_number_tiles(shape), unit = part_unit(shape, tiles);
    return tiles > unit ? (unsigned)(tiles / unit) : 1;
}
