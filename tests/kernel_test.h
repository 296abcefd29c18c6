/*
 * kernel_test.h - what tests of kernels and pipelines share: a device, opened once, calls that have to succeed, angles of nodes.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_KERNEL_TEST_H
#define GFMUL_KERNEL_TEST_H

#include "ocl_test.h"
#include "ocl/ocl_source.h"
#include "plan/plan_device.h"

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

/* source_of - a file of the library's; NULL: there is none. */
TEST_UNUSED static const char *source_of(const char *name)
{
    for (const struct ocl_source *const *table = ocl_source_tables; *table; table++)
        for (const struct ocl_source *s = *table; s->name; s++)
            if (strcmp(s->name, name) == 0)
                return s->text;
    return NULL;
}

/* source_with - a kernel behind files of the library's, none of whose includes is needed once more.   Free it. */
TEST_UNUSED static char *source_with(const char *const *files, const char *text)
{
    size_t length = strlen(text) + 1;
    for (unsigned i = 0; files[i]; i++)
        length += strlen(source_of(files[i]));
    char *all = test_alloc(length), *include;
    all[0] = '\0';
    for (unsigned i = 0; files[i]; i++)
        strcat(all, source_of(files[i]));
    while ((include = strstr(all, "#include \"")) != NULL)
        memcpy(include, "//", 2);
    return strcat(all, text);
}

/* node_angle - theta of node b below the branches of an odd factor, over den: by splitting the root again and again. */
TEST_UNUSED static uint64_t node_angle(const struct plan_shape *s, uint64_t odd, unsigned depth, uint64_t b)
{
    const uint64_t den = device_angle_den(s);
    const uint64_t branch = b >> depth, unit = den / (4 * odd);
    /* branch k of the odd stage: u/4 + k/odd, with u = odd modulo 4 its own inverse; 1/4 without an odd stage */
    uint64_t theta = odd == 1 ? den / 4 : ((odd % 4) * odd + 4 * branch) % (4 * odd) * unit;
    for (unsigned bit = depth; bit-- > 0;)
        theta = theta / 2 + (b >> bit & 1) * (den / 2);
    return theta;
}

#endif
