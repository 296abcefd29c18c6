/*
 * t-mul_async.c - products that run while the caller goes on.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/mul.h"
#include "contexts.h"
#include "operands.h"
#include "test.h"

enum { JOBS = 8, LIMBS = 30000 };

static mp_limb_t *limbs(size_t n)
{
    mp_limb_t *p = malloc((n > 0 ? n : 1) * sizeof *p);
    if (!p)
        exit(1);
    return p;
}

/* Is the plan one for numbers of an and bn limbs?  Slices are of whole limbs. */
static int plan_fits(const struct gfmul_plan_info *plan, size_t an, size_t bn)
{
    const size_t longer = an > bn ? an : bn, shorter = an > bn ? bn : an;
    const size_t slice = (size_t)((double)plan->a_digits * plan->l / 64);
    if (strcmp(plan->engine, "gmp") == 0 || strcmp(plan->engine, "short") == 0)
        return 1;
    return plan->n_slices * slice >= longer && (plan->n_slices - 1) * slice < longer &&
           (double)plan->n_branches * (double)plan->b_digits * plan->l >= 64.0 * (double)shorter;
}

static void test_jobs(void)
{
    struct gfmul_ctx *ctx;
    mp_limb_t *a[JOBS], *b[JOBS], *z[JOBS], *want = limbs(2 * LIMBS);
    size_t an[JOBS], bn[JOBS];
    struct gfmul_job *job[JOBS];
    struct gfmul_report report;
    ctx = test_ctx(NULL);
    for (int i = 0; i < JOBS; i++) {
        an[i] = i == 0 ? 0 : test_size(1, LIMBS);
        bn[i] = test_size(1, LIMBS);
        a[i] = limbs(an[i]);
        b[i] = limbs(bn[i]);
        z[i] = limbs(an[i] + bn[i]);
        operand_fill(a[i], an[i], OPERAND_RANDOM, 13, test_u64());
        operand_fill(b[i], bn[i], OPERAND_RANDOM, 13, test_u64());
        TEST_OK(gfmul_mul_async(ctx, &job[i], z[i], a[i], an[i], b[i], bn[i]));
    }
    for (int i = 0; i < JOBS; i++) {
        test_note("job %d, an=%zu bn=%zu", i, an[i], bn[i]);
        TEST_OK(gfmul_job_wait(job[i], i % 2 ? &report : NULL));
        if (an[i] == 0)
            memset(want, 0, bn[i] * sizeof *want);
        else if (an[i] >= bn[i])
            mpn_mul(want, a[i], (mp_size_t)an[i], b[i], (mp_size_t)bn[i]);
        else
            mpn_mul(want, b[i], (mp_size_t)bn[i], a[i], (mp_size_t)an[i]);
        test_equal_limbs(z[i], want, an[i] + bn[i]);
        if (i % 2) /* the report is of this product, not of the last one */
            TEST_CHECK(report.status == GFMUL_OK && plan_fits(&report.plan, an[i], bn[i]));
        free(a[i]);
        free(b[i]);
        free(z[i]);
    }
    free(want);
    gfmul_ctx_destroy(ctx);
}

static void test_done(void)
{
    enum { N = 200000 };
    struct gfmul_job *job;
    mp_limb_t *a = limbs(N), *z = limbs(2 * N);
    operand_fill(a, N, OPERAND_RANDOM, 13, test_u64());
    TEST_OK(gfmul_mul_async(NULL, &job, z, a, N, a, N));
    while (!gfmul_job_done(job))
        usleep(100);
    TEST_OK(gfmul_job_wait(job, NULL));
    TEST_CHECK(gfmul_job_done(NULL));
    free(a);
    free(z);
}

static void test_errors(void)
{
    struct gfmul_job *job;
    struct gfmul_report report;
    mp_limb_t x[4] = {1, 2, 3, 4};
    TEST_CHECK(gfmul_mul_async(NULL, NULL, x, x, 1, x, 1) == GFMUL_ERR_ARGUMENT);
    TEST_CHECK(gfmul_job_wait(NULL, &report) == GFMUL_ERR_ARGUMENT);
    TEST_OK(gfmul_mul_async(NULL, &job, x, x, 2, x + 1, 2));
    TEST_CHECK(gfmul_job_wait(job, &report) == GFMUL_ERR_OVERLAP && report.status == GFMUL_ERR_OVERLAP && report.detail[0]);
    TEST_OK(gfmul_mul_async(NULL, &job, NULL, x, 2, x, 2));
    TEST_CHECK(gfmul_job_wait(job, &report) == GFMUL_ERR_ARGUMENT);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_jobs);
    TEST_RUN(test_done);
    TEST_RUN(test_errors);
    return test_end();
}
