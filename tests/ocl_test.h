/*
 * ocl_test.h - what the tests of OpenCL share: a device to test on, a cache of programs of their own.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef GFMUL_OCL_TEST_H
#define GFMUL_OCL_TEST_H

#include "test.h"

#ifdef HAVE_OPENCL
#include "ocl/ocl_device.h"
#include "ocl/ocl_fault.h"
#else
#include "ocl/ocl.h"

/* Without OpenCL no device is found, and what a test does to devices is nothing. */
TEST_UNUSED static enum gfmul_status ocl_device_find(struct gfmul_device_info *info, const char *want, char *detail)
{
    return gfmul_device_find(info, want, detail, OCL_DETAIL_BYTES);
}

enum ocl_pretence { OCL_PRETEND_GPU, OCL_PRETEND_NO_FP64, OCL_PRETEND_TABLED, OCL_PRETEND_OTHER };
TEST_UNUSED static void ocl_pretend(enum ocl_pretence what, bool on)
{
    (void)what, (void)on;
}
#endif

#ifdef __SANITIZE_ADDRESS__
/* Drivers and their compilers leak; that is not what is tested. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void); /* of the sanitizer's library */
const char *__lsan_default_suppressions(void)
{
    return "leak:libpocl\nleak:libLLVM\nleak:libclang\nleak:libOpenCL\nleak:libhwloc\nleak:libltdl\nleak:pocl\nleak:libcuda\n"
           "leak:libnvidia\n";
}
#endif

static char ocl_test_dir[64]; /* the cache of programs, removed at the end */

/*
 * ocl_test_begin - whether there is a device.  Without one, what needs one is skipped: ocl_test_skip.
 * GFMUL_CL_DIR stays as it is: kernels that are worked on can be tested.
 */
TEST_UNUSED static bool ocl_test_begin(void)
{
    snprintf(ocl_test_dir, sizeof ocl_test_dir, "/tmp/gfmul-test-XXXXXX");
    if (!mkdtemp(ocl_test_dir) || setenv("GFMUL_CACHE_DIR", ocl_test_dir, 1) != 0) {
        perror(ocl_test_dir);
        exit(1);
    }
    char why[OCL_DETAIL_BYTES] = "drivers are not tested under a sanitizer";
    const char *sanitizer = getenv("SANITIZER"); /* set by make */
    if (sanitizer && strcmp(sanitizer, "thread") == 0) {
        puts(why);
        return false;
    }
    why[0] = '\0';
    if (ocl_device_find(NULL, "gpu", why) == GFMUL_OK)
        return true;
    printf("no device to test on: %s\n", why);
    if (getenv("GFMUL_TEST_OCL")) {
        fprintf(stderr, "GFMUL_TEST_OCL asks for one\n");
        rmdir(ocl_test_dir);
        exit(1);
    }
    return false;
}

/* ocl_test_keep - programs in a folder that stays, where make names one: what compiles many is several times faster then. */
TEST_UNUSED static void ocl_test_keep(void)
{
    const char *dir = getenv("GFMUL_TEST_CACHE");
    if (dir && *dir && setenv("GFMUL_CACHE_DIR", dir, 1) != 0) {
        perror(dir);
        exit(1);
    }
}

/* ocl_test_end - the folder goes, then the exit status. */
TEST_UNUSED static int ocl_test_end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", ocl_test_dir);
    if (system(command) != 0)
        fprintf(stderr, "%s could not be removed\n", ocl_test_dir);
    return test_end();
}

/* ocl_test_skip - the exit status of a program that has nothing to test without a device. */
TEST_UNUSED static int ocl_test_skip(void)
{
    rmdir(ocl_test_dir);
    return 77;
}

/*
 * ocl_test_gpu - whether the device is to pass for a GPU that the tables of passes were measured on: its rates are not measured,
 * which takes programs and launches when it is opened, and plans are the same on all machines.
 */
TEST_UNUSED static void ocl_test_gpu(bool on)
{
    ocl_pretend(OCL_PRETEND_GPU, on);
    ocl_pretend(OCL_PRETEND_TABLED, on);
}

#ifdef HAVE_OPENCL
/* ocl_test_open - the device that "gpu" means. */
TEST_UNUSED static struct ocl_device *ocl_test_open(void)
{
    struct ocl_device *d;
    char detail[OCL_DETAIL_BYTES] = "";
    enum gfmul_status status = ocl_device_open(&d, "gpu", NULL, detail);
    if (!TEST_CHECK_MSG(status == GFMUL_OK, "ocl_device_open: status %d, %s", (int)status, detail))
        exit(1);
    return d;
}
#endif

#endif
