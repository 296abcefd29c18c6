/*
 * device.h - passes that an OpenCL device may be given, and what they cost.
 *
 * Cost: picoseconds for a point, all ways together: the pass of both operands forwards and that of the product backwards.
 * Measured on an H200 by bench/b-device products (doc/gpu.md, bench/results/h200); lines marked with a * are estimates.
 */
#ifndef GFMUL_PLAN_THRESHOLDS_DEVICE_H
#define GFMUL_PLAN_THRESHOLDS_DEVICE_H

#include "plan/plan_device.h"

struct device_pass_line {
    enum device_place place;
    const char *forward, *inverse; /* as plan_device_parse; inverse NULL: the same */
    double cost;
};

static const struct device_pass_line device_pass_lines[] = {
    {DEVICE_FIRST, "16/1/16", 0, 25},    /* * */
    {DEVICE_FIRST, "8.4/4/16/s", 0, 22}, /* * */
    {DEVICE_FIRST, "8.8/8/16/s", 0, 18.4},
    {DEVICE_FIRST, "16.8/8/8/s", 0, 20.4},
    {DEVICE_FIRST, "16.16/16/8/s", 0, 17.9},
    {DEVICE_FIRST, "4.16.8/32/8/s", 0, 20}, /* * */
    {DEVICE_FIRST, "3.8.4/12/16/s", 0, 23.3},
    {DEVICE_FIRST, "3.16/4/16/s", 0, 15.6},
    {DEVICE_FIRST, "3.8.8/32/8/s", "3.8.8/24/8/s", 18.6},
    {DEVICE_FIRST, "3.8.16/24/8/s", 0, 23},  /* * */
    {DEVICE_FIRST, "5.8/8/16/s/r56", 0, 16}, /* * */
    {DEVICE_FIRST, "5.16/8/16/s", 0, 18},
    {DEVICE_FIRST, "5.8.4/20/8/s", 0, 21.7},
    {DEVICE_FIRST, "5.8.8/40/8/s", 0, 21.9},
    {DEVICE_FIRST, "7.8/8/16/s", 0, 15.9}, /* * */
    {DEVICE_FIRST, "7.16/8/16/s/r96", 0, 14.7},
    {DEVICE_FIRST, "7.4.8/16/16/s", 0, 19},
    {DEVICE_FIRST, "7.8.8/64/4/s", "7.8.8/64/8/s", 22.6},
    {DEVICE_FIRST, "9.8/9/16/s", "9.8/9/16/s/r56", 15.6},
    {DEVICE_FIRST, "15.8/8/16/s", 0, 17},  /* * */
    {DEVICE_FIRST, "15.16/16/8/s", 0, 19}, /* * */
    {DEVICE_FIRST, "18.20/20/8/s/r128", "18.20/20/16/s/r96", 16.8},
    {DEVICE_FIRST, "18.20/20/8/s/r128", "18.20/20/8/s/r96", 17.5}, /* less local memory */
    {DEVICE_MIDDLE, "8/1/64", 0, 26},                              /* * */
    {DEVICE_MIDDLE, "16/1/64", 0, 26},                             /* * */
    {DEVICE_MIDDLE, "4.8/4/16", 0, 24.7},
    {DEVICE_MIDDLE, "8.8/8/16/s", 0, 24.4},
    {DEVICE_MIDDLE, "16.8/8/8/s", 0, 24.3},
    {DEVICE_MIDDLE, "16.16/16/8/s/r96", 0, 23.5},
    {DEVICE_MIDDLE, "4.16.8/32/8/s", 0, 23.8},
    {DEVICE_MIDDLE, "8.8.16/64/4/s", 0, 26.7},
    {DEVICE_ROWS, "8.8/8/1", 0, 24},         /* * */
    {DEVICE_ROWS, "8.4.4/16/1/s", 0, 20},    /* * */
    {DEVICE_ROWS, "8.8.4:d1/32/1/s", 0, 13}, /* * */
    {DEVICE_ROWS, "8.8.8:d1/64/1", 0, 11.1},
    {DEVICE_ROWS, "8.8.8:d2/64/1/r128", 0, 11.5},
    {DEVICE_ROWS, "8.8.8/64/1/s", 0, 13.8},
    {DEVICE_ROWS, "8.8.16:d1/64/1/s/p", 0, 12.6},
    {DEVICE_ROWS, "8.16.16:d1/128/1/s/p", 0, 13.8},
    {DEVICE_ROWS, "16.16.16:d1/256/1", 0, 20.5},
    {DEVICE_FIRST, 0, 0, 0},
};

/*
 * In double-double: arithmetic, some 12 ps for a point and level, all three transforms together, and all passes alike.
 */
static const struct device_pass_line device_pass_lines_dd[] = {
    {DEVICE_FIRST, "4.4/4/16/s", 0, 57},
    {DEVICE_FIRST, "4.4.2/8/8/s", 0, 67},
    {DEVICE_FIRST, "4.4.4/16/8/s", 0, 74},
    {DEVICE_FIRST, "4.4.4.2/32/8/s", 0, 91.4},
    {DEVICE_FIRST, "4.4.4.4/64/4/s", 0, 104},
    {DEVICE_FIRST, "3.4.4/16/8/s", 0, 72},
    {DEVICE_FIRST, "3.4.4.4/64/4/s", 0, 115}, /* * */
    {DEVICE_FIRST, "5.4.4/20/8/s", 0, 91},
    {DEVICE_FIRST, "7.4.4/28/8/s", 0, 125},
    {DEVICE_MIDDLE, "4.4/4/16/s", 0, 51.5},
    {DEVICE_MIDDLE, "4.4.2/8/8/s", 0, 64}, /* * */
    {DEVICE_MIDDLE, "4.4.4/16/8/s", 0, 73},
    {DEVICE_MIDDLE, "4.4.4.2/32/8/s", 0, 104.7},
    {DEVICE_MIDDLE, "4.4.4.4/64/4/s", 0, 109.5},
    {DEVICE_MIDDLE, "8.8.8/64/4/s", 0, 127},
    {DEVICE_ROWS, "4.4.4/16/1/s", 0, 150},  /* * */
    {DEVICE_ROWS, "4.4.4.2/32/1/s", 0, 95}, /* * */
    {DEVICE_ROWS, "4.4.4.4/64/1/s", 0, 105},
    {DEVICE_ROWS, "4.4.4.4.2/128/1/s", 0, 112},
    {DEVICE_FIRST, 0, 0, 0},
};

/*
 * Parts of the names of the devices that the tables were measured on, their compute units, and their rates in a nanosecond:
 * doubles' fma, products modulo a prime, bytes copied (on an H200 for doubles, an H100 for primes).  Arithmetic: four
 * measurements of an H200.  Copies: bench/b-device products.  doc/decisions/device-primes.md.
 */
static const char *const device_tabled[] = {"H100", "H200", 0};
#define DEVICE_TABLED_UNITS     132
#define DEVICE_RATE_FMA         12.2e3
#define DEVICE_RATE_PRODUCT     3.05e3
#define DEVICE_RATE_COPY        4.2e3
#define DEVICE_RATE_COPY_PRIMES 3.0e3

/* What rows compute beside their levels, for a point: fma; products. */
#define DEVICE_ROW_FMAS     8.0
#define DEVICE_ROW_PRODUCTS 5.0

/* The carries, for a point; a launch. */
#define DEVICE_COST_ENDS   3.0
#define DEVICE_COST_LAUNCH 3e6

/* A point of a product of two spectra added to a sum, in double-double: 128 bytes of memory, an estimate. */
#define DEVICE_COST_MUL_ADD 32.0

/*
 * Digits of a block of limbs, blocks of a chunk, items that carry side by side, twice as many where so many groups are left; from
 * so many chunks on maps of groups of them, which is a launch more.
 */
enum {
    DEVICE_BLOCK_DIGITS = 32,
    DEVICE_CHUNK_BLOCKS = 16,
    DEVICE_TILE_ITEMS = 128,
    DEVICE_TILE_GROUPS = 2048,
    DEVICE_GROUP_CHUNKS = 131072,
    DEVICE_TEXT_CHUNK_BLOCKS = 8,
    DEVICE_TEXT_TILE_ITEMS = 64
};

#endif
