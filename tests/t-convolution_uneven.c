/*
 * t-convolution_uneven.c - convolutions of integers where one sequence has small numbers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "fft/conv.h"
#include "test.h"

/* A kernel of few bits stays whole: the other's pieces are as wide as the bound of the two allows, and extremes are exact. */
static void test_uneven(void)
{
    for (unsigned bits = (unsigned)test_below(2); bits < 16; bits += 2 + (unsigned)test_below(4)) {
        struct gfmul_conv_options opt;
        gfmul_conv_options_init(&opt);
        opt.number = GFMUL_CONV_INT32;
        opt.words = 3;
        const size_t n = (size_t)1 << 18;
        int32_t *b = test_alloc_zeroed(n, sizeof *b), *a = test_alloc_zeroed(n, sizeof *a);
        uint64_t *z = test_alloc_zeroed(3 * (2 * n - 1), sizeof *z);
        struct gfmul_conv *conv;
        for (size_t i = 0; i < n; i++) {
            b[i] = (int32_t)1 << bits;
            a[i] = INT32_MIN;
        }
        if (TEST_OK(gfmul_conv_create(&conv, b, n, n, &opt))) {
            const unsigned l = conv->bits;
            struct plan_shape shape = conv->plan->shape;
            test_note("kernel of %u bits: %u pieces of %u, %u", bits, conv->a_pieces, l, conv->b_pieces);
            const bool alike = conv->bound == conv_int_bound(&shape, l, conv->a_pieces, conv->b_pieces, n, n);
            if (!alike) { /* sqrt(n) 2^(l - 1) and sqrt(n) 2^bits, with the sum of both an even number, or less */
                const double even = conv_int_bound(&shape, (l + bits + 1) / 2, 1, 1, n, n);
                TEST_CHECK(conv->b_pieces == 1 && conv->a_pieces == (32 + l - 1) / l);
                TEST_CHECK((l + bits) % 2 == 1 ? conv->bound == even : conv->bound > 1.99 * even && conv->bound < 2.01 * even);
                TEST_CHECK(l == 30 || conv->bound >= 0.25); /* one bit more would be too many */
            }
            TEST_CHECK(!alike || bits > 8);
            TEST_OK(gfmul_conv_run(conv, z, a, n));
            for (size_t k = 0; k < 2 * n - 1; k++) { /* so many products of -2^(31 + bits) */
                const __int128 product = -((__int128)(k < n ? k + 1 : 2 * n - 1 - k) << bits);
                const uint64_t ref[3] = {(uint64_t)product << 31, (uint64_t)(product >> 33), (uint64_t)(product >> 97)};
                if (!TEST_CHECK(memcmp(z + 3 * k, ref, sizeof ref) == 0))
                    break;
            }
            gfmul_conv_destroy(conv);
        }
        free(a);
        free(b);
        free(z);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_uneven);
    return test_end();
}
