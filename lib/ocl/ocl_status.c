/*
 * ocl_status.c - the names of OpenCL's codes, and the statuses that they stand for.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_device.h"

#include <stdarg.h>
#include <stdio.h>

#include "ocl/ocl_state.h"

/* HOST: out of host memory.  LOST: the device is gone.  DEVICE: it failed this time.  OURS: a defect of this project. */
enum meaning { HOST, LOST, DEVICE, OURS };

static const struct {
    cl_int code;
    const char *name;
    enum meaning meaning;
} codes[] = {
#define CODE(code) code, #code
    {CODE(CL_DEVICE_NOT_FOUND), DEVICE},
    {CODE(CL_DEVICE_NOT_AVAILABLE), LOST},
    {CODE(CL_COMPILER_NOT_AVAILABLE), DEVICE},
    {CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE), DEVICE},
    {CODE(CL_OUT_OF_RESOURCES), DEVICE},
    {CODE(CL_OUT_OF_HOST_MEMORY), HOST},
    {CODE(CL_PROFILING_INFO_NOT_AVAILABLE), DEVICE},
    {CODE(CL_MEM_COPY_OVERLAP), OURS},
    {CODE(CL_BUILD_PROGRAM_FAILURE), DEVICE},
    {CODE(CL_MAP_FAILURE), DEVICE},
    {CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET), OURS},
    {CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST), DEVICE},
    {CODE(CL_COMPILE_PROGRAM_FAILURE), DEVICE},
    {CODE(CL_LINKER_NOT_AVAILABLE), DEVICE},
    {CODE(CL_LINK_PROGRAM_FAILURE), DEVICE},
    {CODE(CL_INVALID_VALUE), OURS},
    {CODE(CL_INVALID_DEVICE_TYPE), OURS},
    {CODE(CL_INVALID_PLATFORM), DEVICE},
    {CODE(CL_INVALID_DEVICE), LOST},
    {CODE(CL_INVALID_CONTEXT), LOST},
    {CODE(CL_INVALID_QUEUE_PROPERTIES), DEVICE},
    {CODE(CL_INVALID_COMMAND_QUEUE), LOST},
    {CODE(CL_INVALID_HOST_PTR), OURS},
    {CODE(CL_INVALID_MEM_OBJECT), OURS},
    {CODE(CL_INVALID_BINARY), DEVICE},
    {CODE(CL_INVALID_BUILD_OPTIONS), OURS},
    {CODE(CL_INVALID_PROGRAM), OURS},
    {CODE(CL_INVALID_PROGRAM_EXECUTABLE), DEVICE},
    {CODE(CL_INVALID_KERNEL_NAME), OURS},
    {CODE(CL_INVALID_KERNEL_DEFINITION), OURS},
    {CODE(CL_INVALID_KERNEL), OURS},
    {CODE(CL_INVALID_ARG_INDEX), OURS},
    {CODE(CL_INVALID_ARG_VALUE), OURS},
    {CODE(CL_INVALID_ARG_SIZE), OURS},
    {CODE(CL_INVALID_KERNEL_ARGS), OURS},
    {CODE(CL_INVALID_WORK_DIMENSION), OURS},
    {CODE(CL_INVALID_WORK_GROUP_SIZE), DEVICE},
    {CODE(CL_INVALID_WORK_ITEM_SIZE), DEVICE},
    {CODE(CL_INVALID_GLOBAL_OFFSET), OURS},
    {CODE(CL_INVALID_EVENT_WAIT_LIST), OURS},
    {CODE(CL_INVALID_EVENT), OURS},
    {CODE(CL_INVALID_OPERATION), OURS},
    {CODE(CL_INVALID_BUFFER_SIZE), DEVICE},
    {CODE(CL_INVALID_GLOBAL_WORK_SIZE), OURS},
    {CODE(CL_INVALID_PROPERTY), OURS},
    {CODE(CL_INVALID_COMPILER_OPTIONS), OURS},
    {CODE(CL_INVALID_LINKER_OPTIONS), OURS},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR", DEVICE},
    {-9999, "-9999 (an illegal access, by the driver)", LOST},
#undef CODE
};

static const size_t n_codes = sizeof codes / sizeof codes[0];

const char *ocl_code_name(cl_int code)
{
    if (code == CL_SUCCESS)
        return "CL_SUCCESS";
    for (size_t i = 0; i < n_codes; i++) {
        if (codes[i].code == code)
            return codes[i].name;
    }
    return "unknown code";
}

enum gfmul_status ocl_fail(char *detail, enum gfmul_status status, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (detail)
        vsnprintf(detail, OCL_DETAIL_BYTES, format, ap);
    va_end(ap);
    return status;
}

enum gfmul_status ocl_status(const struct ocl_call *on, cl_int code, const char *call)
{
    struct ocl_device *d = on->device;
    enum meaning meaning = LOST; /* for codes that are the driver's own: do not trust the device after one */
    if (code == CL_SUCCESS)
        return GFMUL_OK;
    for (size_t i = 0; i < n_codes; i++) {
        if (codes[i].code == code)
            meaning = codes[i].meaning;
    }
    if (meaning == LOST && d)
        atomic_store(&d->lost, true);
    return ocl_fail(on->detail,
                    meaning == HOST   ? GFMUL_ERR_MEMORY
                    : meaning == OURS ? GFMUL_ERR_INTERNAL
                                      : GFMUL_ERR_DEVICE,
                    "%s%s%s: %s (%d)", d ? d->info.name : "", d ? ": " : "", call, ocl_code_name(code), (int)code);
}

enum gfmul_status ocl_lost_status(const struct ocl_call *on)
{
    return ocl_device_lost(on->device)
               ? ocl_fail(on->detail, GFMUL_ERR_DEVICE, "%.100s: the device is gone", on->device->info.name)
               : GFMUL_OK;
}
