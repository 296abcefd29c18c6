/*
 * b-stages.c - the stages of a product on the CPU, below the public interface: one of several measurements.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "bench_parts.h"

int main(int argc, char **argv)
{
    static const struct bench_part parts[] = {
        {"floor", stages_floor, "the stages of one convolution in cycles a point, beside the floors"},
        {"dd", stages_dd, "a convolution in double-double beside one in double, and what narrower levels save"},
        {"lengths", stages_lengths, "a convolution of every transform length, and by which rows it is fastest"},
        {"wrap", stages_wrap, "products that may wrap around beside those that may not, size by size"},
        {"residue", stages_residue, "the check by residues: what more primes cost, and what drawing them costs"},
        {0},
    };
    return bench_parts_run("b-stages", parts, argc, argv);
}
