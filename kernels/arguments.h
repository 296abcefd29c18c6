/*
 * arguments.h - structures that kernels take by value; the host includes this file, too (lib/ocl/ocl_arguments.h).
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * All members are numbers of 32 or 64 bits, the larger ones first, without gaps: so all compilers have them at the same places.
 * The size of each structure is checked when the host's code is compiled, and when a kernel's is.  What members mean stands with
 * the kernel.
 */
#ifndef KERNELS_ARGUMENTS_H
#define KERNELS_ARGUMENTS_H

#define ARGUMENTS_BYTES(name, bytes) typedef char name##_bytes[sizeof(struct name) == (bytes) ? 1 : -1]

/* Of both first passes, source_to_columns_fused.cl and source_to_residues_fused.cl. */
struct source_arguments {
    uint a_units, b_units, n_columns;
    int weight_log2; /* source_to_columns_fused.cl */
};
ARGUMENTS_BYTES(source_arguments, 16);

struct mul_add_arguments {
    uint n, minus, add;
};
ARGUMENTS_BYTES(mul_add_arguments, 12);

struct join_arguments {
    uint times, r0, r1, r2, r3, r4, r5;
};
ARGUMENTS_BYTES(join_arguments, 28);

struct words_sum_arguments {
    uint z_words, a_words, b_words;
    int a_times, b_times;
};
ARGUMENTS_BYTES(words_sum_arguments, 20);

struct text_to_digits_arguments {
    ulong a_chars, b_chars;
    uint a_words, b_words;
};
ARGUMENTS_BYTES(text_to_digits_arguments, 24);

struct twiddle_table_arguments {
    ulong n_nodes, n_entries;
    uint depth, odd, branch_first, den_bits;
};
ARGUMENTS_BYTES(twiddle_table_arguments, 32);

struct fft_transform_arguments {
    ulong in_dist, out_dist;
    uint n_low, n_high, n_columns, per_transform, stride, d2, d3, d4;
    int swap_in, swap_out;
};
ARGUMENTS_BYTES(fft_transform_arguments, 56);

struct real_join_arguments {
    ulong x_dist, z_dist;
    uint h, low_bits;
};
ARGUMENTS_BYTES(real_join_arguments, 24);

struct conv_pack_arguments {
    ulong an, block, part, modulus;
    uint blocks, points, n, low_bits, bits, pieces;
};
ARGUMENTS_BYTES(conv_pack_arguments, 56);

struct conv_place_arguments {
    ulong count, block, length, fold, part, modulus;
    uint blocks, points, n, low_bits, sums, bits, row_groups;
    int minus;
};
ARGUMENTS_BYTES(conv_place_arguments, 80);

/* gallery/fourstep.cl */
struct fourstep_arguments {
    uint width;
    int log2_n1, log2_n2, sign;
};
ARGUMENTS_BYTES(fourstep_arguments, 16);

#endif
