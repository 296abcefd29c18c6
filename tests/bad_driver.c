/*
 * bad_driver.c - an OpenCL driver with a GPU, which fails on purpose: t-ocl_drivers builds it as a shared library.
 *
 * The name of its file says how and where: <fault>_<place>.so.  Faults: abort, signal (a wild pointer), hang, exit, code (an
 * error of OpenCL), garbage (numbers and handles without sense, and CL_SUCCESS).  Places: load, platforms, platform, devices,
 * device, context, build, end (of the process).  In any other file it is a driver whose contexts fail with a code.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All objects of OpenCL begin with a pointer to the driver's functions. */
static cl_icd_dispatch calls;
static struct object {
    const cl_icd_dispatch *calls;
} platform = {&calls}, device = {&calls}, context = {&calls}, other = {&calls};

static const char *name(void)
{
    static Dl_info info;
    const char *slash = dladdr(&calls, &info) != 0 && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    return slash ? slash + 1 : "";
}

static bool is(const char *fault, const char *place)
{
    const char *n = name(), *at = strchr(n, '_');
    return at && strncmp(n, fault, (size_t)(at - n)) == 0 && strlen(fault) == (size_t)(at - n) &&
           strncmp(at + 1, place, strlen(place)) == 0 && at[1 + strlen(place)] == '.';
}

/* fail_at - what the file's name asks for at this place; the code that the call has to return. */
static cl_int fail_at(const char *place)
{
    if (is("abort", place))
        abort();
    if (is("signal", place))
        *(volatile int *)8 = 1;
    if (is("exit", place))
        _exit(0);
    while (is("hang", place))
        sleep(1);
    return is("code", place) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static void at_end(void)
{
    (void)fail_at("end");
}

__attribute__((constructor)) static void at_load(void)
{
    (void)fail_at("load");
    atexit(at_end);
}

static cl_int give(const void *value, size_t bytes, size_t size, void *to, size_t *told)
{
    if (told)
        *told = bytes;
    if (to && size < bytes)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, value, bytes);
    return CL_SUCCESS;
}

static cl_int give_text(const char *text, size_t size, void *to, size_t *told)
{
    return give(text, strlen(text) + 1, size, to, told);
}

static cl_int CL_API_CALL platforms_get(cl_uint n, cl_platform_id *list, cl_uint *count)
{
    const cl_int code = fail_at("platforms");
    const bool garbage = is("garbage", "platforms");
    if (code != CL_SUCCESS)
        return code;
    if (count)
        *count = garbage ? 3 : 1;
    for (cl_uint i = 0; list && i < n && i < (garbage ? 3u : 1u); i++)
        list[i] = garbage ? (cl_platform_id)(size_t)(16 + i) : (cl_platform_id)&platform;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL platform_info(cl_platform_id id, cl_platform_info what, size_t size, void *to, size_t *told)
{
    const cl_int code = fail_at("platform");
    (void)id;
    if (code != CL_SUCCESS)
        return code;
    return give_text(what == CL_PLATFORM_VERSION         ? "OpenCL 1.2 test"
                     : what == CL_PLATFORM_EXTENSIONS     ? "cl_khr_icd"
                     : what == CL_PLATFORM_ICD_SUFFIX_KHR ? "TEST"
                                                          : "Bad Platform",
                     size, to, told);
}

static cl_int CL_API_CALL devices_get(cl_platform_id id, cl_device_type type, cl_uint n, cl_device_id *list, cl_uint *count)
{
    const cl_int code = fail_at("devices");
    (void)id, (void)type;
    if (code != CL_SUCCESS)
        return code;
    if (count)
        *count = is("garbage", "devices") ? 1000000000u : 1;
    if (list && n > 0)
        list[0] = (cl_device_id)&device;
    for (cl_uint i = 1; list && i < n && is("garbage", "devices"); i++)
        list[i] = (cl_device_id)(size_t)8;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL device_info(cl_device_id id, cl_device_info what, size_t size, void *to, size_t *told)
{
    const cl_int code = fail_at("device");
    cl_ulong n = (cl_ulong)1 << 33;
    cl_uint one = 1;
    size_t group = 256;
    (void)id;
    if (code != CL_SUCCESS)
        return code;
    if (is("garbage", "device")) {
        if (to)
            memset(to, 0xb5, size);
        return CL_SUCCESS;
    }
    switch (what) {
    case CL_DEVICE_NAME:
        return give_text("Bad GPU", size, to, told);
    case CL_DRIVER_VERSION:
    case CL_DEVICE_VERSION:
        return give_text("OpenCL 1.2 test", size, to, told);
    case CL_DEVICE_TYPE:
        n = CL_DEVICE_TYPE_GPU;
        return give(&n, sizeof n, size, to, told);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        n = 63;
        return give(&n, sizeof n, size, to, told);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return give(&n, sizeof n, size, to, told);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        n = 65536;
        return give(&n, sizeof n, size, to, told);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return give(&group, sizeof group, size, to, told);
    default:
        return give(&one, sizeof one, size, to, told);
    }
}

static cl_int CL_API_CALL done(cl_context id)
{
    (void)id;
    return CL_SUCCESS;
}

static cl_context CL_API_CALL context_create(const cl_context_properties *properties, cl_uint n, const cl_device_id *id,
                                             void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *arg,
                                             cl_int *code)
{
    (void)properties, (void)n, (void)id, (void)notify, (void)arg;
    const bool built = strstr(name(), "_build.") != NULL;
    *code = fail_at("context");
    if (!built && *code == CL_SUCCESS)
        *code = CL_OUT_OF_RESOURCES;
    return built ? (cl_context)&context : NULL;
}

static cl_command_queue CL_API_CALL queue_create(cl_context c, cl_device_id id, cl_command_queue_properties p, cl_int *code)
{
    (void)c, (void)id, (void)p;
    *code = CL_SUCCESS;
    return (cl_command_queue)&other;
}

static cl_mem CL_API_CALL buffer_create(cl_context c, cl_mem_flags flags, size_t size, void *p, cl_int *code)
{
    (void)c, (void)flags, (void)size, (void)p;
    *code = CL_SUCCESS;
    return (cl_mem)&other;
}

static cl_program CL_API_CALL program_create(cl_context c, cl_uint n, const char **text, const size_t *bytes, cl_int *code)
{
    (void)c, (void)n, (void)text, (void)bytes;
    *code = CL_SUCCESS;
    return (cl_program)&other;
}

static cl_int CL_API_CALL program_build(cl_program p, cl_uint n, const cl_device_id *id, const char *options,
                                        void(CL_CALLBACK *notify)(cl_program, void *), void *arg)
{
    (void)p, (void)n, (void)id, (void)options, (void)notify, (void)arg;
    (void)fail_at("build");
    return CL_BUILD_PROGRAM_FAILURE;
}

static cl_int CL_API_CALL build_info(cl_program p, cl_device_id id, cl_program_build_info what, size_t size, void *to,
                                     size_t *told)
{
    (void)p, (void)id, (void)what;
    return give_text("no program builds here", size, to, told);
}

static cl_int CL_API_CALL queue_done(cl_command_queue q)
{
    (void)q;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL program_done(cl_program p)
{
    (void)p;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL buffer_done(cl_mem m)
{
    (void)m;
    return CL_SUCCESS;
}

static cl_icd_dispatch calls = {.clGetPlatformIDs = platforms_get,
                                .clGetPlatformInfo = platform_info,
                                .clGetDeviceIDs = devices_get,
                                .clGetDeviceInfo = device_info,
                                .clCreateContext = context_create,
                                .clReleaseContext = done,
                                .clRetainContext = done,
                                .clCreateCommandQueue = queue_create,
                                .clReleaseCommandQueue = queue_done,
                                .clFinish = queue_done,
                                .clCreateBuffer = buffer_create,
                                .clReleaseMemObject = buffer_done,
                                .clCreateProgramWithSource = program_create,
                                .clBuildProgram = program_build,
                                .clGetProgramBuildInfo = build_info,
                                .clReleaseProgram = program_done};

/* What OpenCL's loader looks for. */
__attribute__((visibility("default"))) cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint n, cl_platform_id *list, cl_uint *count);
cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint n, cl_platform_id *list, cl_uint *count)
{
    return platforms_get(n, list, count);
}

void *CL_API_CALL clGetExtensionFunctionAddress(const char *function)
{
    cl_int(CL_API_CALL *platforms)(cl_uint, cl_platform_id *, cl_uint *) = clIcdGetPlatformIDsKHR;
    void *p = NULL;
    if (strcmp(function, "clIcdGetPlatformIDsKHR") == 0)
        memcpy(&p, &platforms, sizeof p);
    return p;
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id id, cl_platform_info what, size_t size, void *to, size_t *told)
{
    return platform_info(id, what, size, to, told);
}
