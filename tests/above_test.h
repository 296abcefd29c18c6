/* above_test.h - what tests of quotients, powers and trees share: limbs at the edges, and a callback that stops a call. */
#ifndef GFMUL_ABOVE_TEST_H
#define GFMUL_ABOVE_TEST_H

#include "products.h"

static inline void limbs_fill(mp_limb_t *a, size_t n)
{
    operand_fill(a, n, (enum operand_kind)(test_u64() % OPERAND_KINDS), (unsigned)test_between(8, 22), test_u64());
}

/* limbs_fill_high - n limbs, the highest one not 0: random, or at an edge. */
static inline void limbs_fill_high(mp_limb_t *a, size_t n)
{
    memset(a, 0, n * sizeof *a);
    switch (test_u64() % 8) {
    case 0: /* B^n - 1, or less by little */
        memset(a, 0xff, n * sizeof *a);
        a[0] -= test_u64() % 3;
        break;
    case 1: /* B^(n-1), or more by little */
        a[0] = test_u64() % 3;
        a[n - 1] = 1;
        break;
    case 2: /* B^n / 2, one more */
        a[0] = n > 1 ? test_u64() % 2 : 0;
        a[n - 1] = (mp_limb_t)1 << 63;
        break;
    case 3: /* B^n / 2 - 1 */
        memset(a, 0xff, n * sizeof *a);
        a[n - 1] >>= 1;
        break;
    default:
        limbs_fill(a, n);
        break;
    }
    if (a[n - 1] == 0)
        a[n - 1] = test_u64() % 2 ? 1 : test_u64() | 1;
}

static double last_share;

/* stop - a progress callback: the share grows from 0, and the call numbered *arg stops the work. */
static inline int stop(void *arg, double done)
{
    TEST_CHECK_MSG(done >= 0 && done < 1 && done >= (done == 0 ? 0 : last_share), "%g after %g", done, last_share);
    last_share = done;
    return --*(int *)arg <= 0;
}

#endif
