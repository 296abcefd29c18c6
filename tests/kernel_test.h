/*
 * kernel_test.h - what tests of kernels and pipelines share: a device, opened once, and calls that have to succeed.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_KERNEL_TEST_H
#define GFMUL_KERNEL_TEST_H

#include "ocl_test.h"

TEST_UNUSED static struct ocl_device *device; /* NULL until device_there */
static char detail[OCL_DETAIL_BYTES];

/* must - the end of the program where setting up what is tested has failed. */
TEST_UNUSED static void must(enum gfmul_status status)
{
    if (status != GFMUL_OK) {
        fprintf(stderr, "%s: %s: %s\n", test_state.program, gfmul_strerror(status), detail);
        exit(1);
    }
}

TEST_UNUSED static const char *device_name(void)
{
    const char *name = getenv("GFMUL_TEST_DEVICE");
    return name ? name : "gpu";
}

/* device_there - open the device once; false, and a failure, where that fails: ocl_test_begin has found a device. */
TEST_UNUSED static bool device_there(void)
{
    return device || TEST_CHECK_MSG(ocl_device_open(&device, device_name(), NULL, detail) == GFMUL_OK, "device %s: %s",
                                    device_name(), detail);
}

#endif
