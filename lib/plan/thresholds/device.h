/*
 * device.h - passes that an OpenCL device may be given, and what they cost.
 *
 * Cost: microseconds for a point and all ways: the pass of both operands forwards and that of the product backwards.  Shares of
 * the bandwidth of a copy as seen on an H200; see doc/gpu.md.
 */
#ifndef GFMUL_PLAN_THRESHOLDS_DEVICE_H
#define GFMUL_PLAN_THRESHOLDS_DEVICE_H

enum device_place { DEVICE_FIRST, DEVICE_MIDDLE, DEVICE_ROWS };

struct device_pass_line {
    enum device_place place;
    const char *forward, *inverse; /* as plan_device_parse; inverse NULL: the same */
    double cost;
};

/* A pass over columns moves 96 bytes a point, the first and last together 54, the rows 48; 4.2e6 bytes a microsecond. */
#define DEVICE_US(bytes, share) ((bytes) / 4.2e6 / (share))

static const struct device_pass_line device_pass_lines[] = {
    {DEVICE_FIRST, "16/1/16", 0, DEVICE_US(54, 0.7)},
    {DEVICE_FIRST, "8.4/4/16/s", 0, DEVICE_US(54, 0.7)},
    {DEVICE_FIRST, "8.8/8/16/s", 0, DEVICE_US(54, 0.85)},
    {DEVICE_FIRST, "16.8/8/8/s", 0, DEVICE_US(54, 0.85)},
    {DEVICE_FIRST, "16.8/8/16/s", 0, DEVICE_US(54, 0.86)},
    {DEVICE_FIRST, "16.16/16/8/s", 0, DEVICE_US(54, 0.86)},
    {DEVICE_FIRST, "16.8.4/32/8/s", "8.8.8/64/8/s", DEVICE_US(54, 0.72)},
    {DEVICE_FIRST, "3.8.4/12/8/s", 0, DEVICE_US(54, 0.78)},
    {DEVICE_FIRST, "3.8.8/24/8/s", 0, DEVICE_US(54, 0.8)},
    {DEVICE_FIRST, "3.16.8/48/8/s", 0, DEVICE_US(54, 0.7)},
    {DEVICE_FIRST, "5.8.4/20/8/s", 0, DEVICE_US(54, 0.78)},
    {DEVICE_FIRST, "5.8.8/40/8/s", 0, DEVICE_US(54, 0.75)},
    {DEVICE_FIRST, "7.16/16/8/s", 0, DEVICE_US(54, 0.75)},
    {DEVICE_FIRST, "7.8.4/32/8/s", 0, DEVICE_US(54, 0.78)},
    {DEVICE_FIRST, "7.8.8/64/8/s", 0, DEVICE_US(54, 0.7)},
    {DEVICE_MIDDLE, "16/1/16", 0, DEVICE_US(96, 0.8)},
    {DEVICE_MIDDLE, "8.8/8/8/s", 0, DEVICE_US(96, 0.9)},
    {DEVICE_MIDDLE, "16.8/8/8/s", 0, DEVICE_US(96, 0.93)},
    {DEVICE_MIDDLE, "16.16/16/8/s", 0, DEVICE_US(96, 0.95)},
    {DEVICE_MIDDLE, "16.8.4/32/8/s", "8.8.8/64/8/s", DEVICE_US(96, 0.92)},
    {DEVICE_MIDDLE, "16.8.8/64/8/s", "8.16.8/64/8/s", DEVICE_US(96, 0.8)},
    {DEVICE_ROWS, "8.8/8/1", 0, DEVICE_US(48, 0.5)},
    {DEVICE_ROWS, "8.4.4/16/1/s", 0, DEVICE_US(48, 0.6)},
    {DEVICE_ROWS, "8.8.4:d1/32/1/s", 0, DEVICE_US(48, 0.9)},
    {DEVICE_ROWS, "8.8.8:d1/64/1/s", 0, DEVICE_US(48, 0.97)},
    {DEVICE_ROWS, "16.8.8:d1/64/1/s", 0, DEVICE_US(48, 0.86)},
    {DEVICE_ROWS, "16.16.8:d1/128/1/s", 0, DEVICE_US(48, 0.75)},
    {DEVICE_ROWS, "16.16.16:d1/256/1/s", 0, DEVICE_US(48, 0.56)},
    {DEVICE_FIRST, 0, 0, 0},
};

/* The carries, per point; a launch, in microseconds. */
#define DEVICE_COST_ENDS   DEVICE_US(12, 0.6)
#define DEVICE_COST_LAUNCH 3.0

/* Blocks of a chunk, and items that carry side by side. */
enum { DEVICE_CHUNK_BLOCKS = 16, DEVICE_TILE_ITEMS = 128, DEVICE_TEXT_CHUNK_BLOCKS = 8, DEVICE_TEXT_TILE_ITEMS = 64 };

#endif
