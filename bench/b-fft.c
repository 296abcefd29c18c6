/*
 * b-fft.c - plain transforms and convolutions: one of several measurements.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "bench_parts.h"

int main(int argc, char **argv)
{
    static const struct bench_part parts[] = {
        {"cpu", transform_cpu, "algorithms on the CPU in turn, and plans of FFTW"},
        {"device", transform_device, "transforms on a device, pass by pass, in the library's shapes or in others"},
        {"conv", transform_conv, "convolutions on the CPU and on a device"},
        {0},
    };
    return bench_parts_run("b-fft", parts, argc, argv);
}
