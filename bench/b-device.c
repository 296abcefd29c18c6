/*
 * b-device.c - products on an OpenCL device: one of several measurements.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "bench_parts.h"

int main(int argc, char **argv)
{
    static const struct bench_part parts[] = {
        {"products", device_products, "products with everything there, from and to host memory, kernel by kernel, by any passes"},
        {"sums", device_sums, "sums of products in a space there, against as many products"},
        {"stream", device_stream, "products as a program has them: one at a time and several at once"},
        {"bus", device_bus, "which transfers and kernels a driver runs side by side"},
        {"start", device_start, "what the first product of a process takes: driver, programs, memory"},
        {0},
    };
    return bench_parts_run("b-device", parts, argc, argv);
}
