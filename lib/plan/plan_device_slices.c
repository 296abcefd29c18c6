/*
 * plan_device_slices.c - a product on a device in slices: which tiles of rows are packed one after the other.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "plan/plan_device.h"

/* slice_unit - as many tiles as have a whole number of groups of chunks_carry together. */
static size_t slice_unit(const struct device_shape *shape, size_t tiles)
{
    struct device_buffers buffers;
    size_t unit = 1;
    device_shape_buffers(shape, &buffers);
    while (unit * (buffers.maps / tiles) % DEVICE_SCAN_ITEMS != 0)
        unit *= 2;
    return unit;
}

size_t device_slice_tile(const struct device_shape *shape, unsigned slice, unsigned slices)
{
    const size_t tiles = 2 * shape->inverse[0].points / shape->tile_rows, unit = slice_unit(shape, tiles);
    return slice == slices ? tiles : tiles / unit * slice / slices * unit;
}

unsigned device_shape_slices(const struct device_shape *shape)
{
    const size_t tiles = 2 * shape->inverse[0].points / shape->tile_rows, unit = slice_unit(shape, tiles);
    return tiles > unit ? (unsigned)(tiles / unit) : 1;
}
