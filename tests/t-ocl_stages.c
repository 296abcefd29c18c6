/*
 * t-ocl_stages.c - single kernels of the OpenCL pipeline against what they stand for.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <math.h>

#include "test.h"

#ifndef HAVE_OPENCL
static void test_twiddles(void)
{
    TEST_SKIP("built without OpenCL");
}
int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_twiddles);
    return test_end();
}
#else
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_pipeline.h"
#include "ocl/ocl_staging.h"
#include "plan/plan_twiddle.h"

static struct ocl_device *device;
static char detail[OCL_DETAIL_BYTES];

static void must(enum gfmul_status status)
{
    if (status != GFMUL_OK) {
        fprintf(stderr, "t-ocl_stages: %s: %s\n", gfmul_strerror(status), detail);
        exit(1);
    }
}

static bool device_there(void)
{
    const char *name = getenv("GFMUL_TEST_DEVICE");
    if (!device && ocl_device_open(&device, name ? name : "gpu", NULL, detail) != GFMUL_OK) {
        TEST_SKIP("%s", detail);
        return false;
    }
    return true;
}

/* node_angle - theta of node b behind the passes before p, over den: by splitting the root again and again. */
static uint64_t node_angle(const struct device_shape *s, unsigned depth, uint64_t b)
{
    const uint64_t den = device_angle_den(s), odd = s->shape.odd;
    const uint64_t branch = b >> depth, unit = den / (4 * odd);
    /* branch k of the odd stage: u/4 + k/odd, with u = odd modulo 4 its own inverse; 1/4 without an odd stage */
    uint64_t theta = odd == 1 ? den / 4 : ((odd % 4) * odd + 4 * branch) % (4 * odd) * unit;
    for (unsigned bit = depth; bit-- > 0;)
        theta = theta / 2 + (b >> bit & 1) * (den / 2);
    return theta;
}

/* The twiddles of a node of angle theta, as kernels/fft_radix.cl lists them. */
static uint64_t twiddle_angle(uint64_t theta, uint64_t den, unsigned j)
{
    static const unsigned shift[8] = {1, 2, 3, 3, 4, 4, 4, 4};
    static const int sixteenths[8] = {0, 0, 0, -2, 0, -2, 1, -1};
    return ((theta >> shift[j]) + (uint64_t)(16 + sixteenths[j]) * (den / 16)) % den;
}

/* test_twiddles - every entry of every table is the double next to what it stands for, or half a unit and 2^-40 of one away. */
static void test_twiddles(void)
{
    static const char *const texts[] = {
        "16.4/16/8/s,8.4.2:d1/8/1/s", "7.8/8/8,4.4/4/8/s,8.8:d1/8/1/s", "3.16/16/8/s,16.4/16/1", "5.4/8/8/s,8.8:d2/8/1",
        "9.4/8/8/s,8.8/8/1",          "15.2/8/8/s,4/1/8,8.4:d1/4/1",    "9.5.2/18/8/s,8.8/8/1"};
    if (!device_there())
        return;
    ocl_device_lock(device);
    for (unsigned k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        const struct plan_request request = {
            .rule = GFMUL_RULE_NORM, .base = 2, .an = 64, .bn = 64, .worst_case = true, .fma = true};
        struct device_shape shape;
        struct ocl_pipeline *pipeline;
        must(plan_device_parse(&shape, &request, texts[k], 10, detail, sizeof detail));
        must(ocl_pipeline_create(&pipeline, device, &shape, "", detail));
        const uint64_t den = device_angle_den(&shape);
        uint64_t nodes = 1;
        unsigned depth = 0;
        double worst = 0;
        for (unsigned p = 0; p < shape.n_passes; p++) {
            const struct device_pass *pass = &shape.forward[p];
            const unsigned entries = device_node_entries(pass);
            double *table = malloc(nodes * entries * 16);
            must(ocl_pipeline_table(pipeline, p, table, nodes * entries * 16, detail));
            for (uint64_t b = 0; b < nodes; b++) {
                unsigned at = 0, levels = 0;
                uint64_t stage_nodes = 1;
                for (unsigned i = 0; i < pass->n_stages; stage_nodes *= pass->radix[i++]) {
                    const unsigned radix = pass->radix[i];
                    if (radix % 2 == 1)
                        continue;
                    if (i >= pass->direct_stages)
                        break;
                    for (unsigned j = 0; j < radix / 2; j++)
                        for (uint64_t node = 0; node < stage_nodes; node++, at++) {
                            const uint64_t theta = node_angle(&shape, depth + levels, b * stage_nodes + node);
                            const struct dd_complex w = dd_root(twiddle_angle(theta, den, j), den);
                            const double c = table[2 * (b * entries + at)], tau = table[2 * (b * entries + at) + 1];
                            const double dc = fabs((c - w.re) - w.re_lo), di = fabs(fma(c, tau, -w.im) - w.im_lo);
                            TEST_CHECK_MSG(dc <= 0.5000001 * 0x1p-53 &&
                                               hypot(dc, di) <= (fabs(tau) <= 1 ? 0.6709 : 1.0001) * 0x1p-53,
                                           "%s, pass %u, node %llu, entry %u: c off by %.4f u, c tau by %.4f u", texts[k], p,
                                           (unsigned long long)b, at, dc * 0x1p53, di * 0x1p53);
                            worst = fmax(worst, hypot(dc, di) * 0x1p53);
                        }
                    for (unsigned r = radix; r > 1; r /= 2)
                        levels++;
                }
            }
            free(table);
            nodes *= pass->points;
            while (((uint64_t)shape.shape.odd << depth) < nodes)
                depth++;
        }
        test_note("%s: worst twiddle %.4f u", texts[k], worst);
        ocl_pipeline_destroy(pipeline);
    }
    ocl_device_unlock(device);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_twiddles);
    ocl_device_close(device);
    return test_end();
}
#endif
