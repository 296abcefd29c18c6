/*
 * status.c - statuses and the version as text.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "gfmul.h"

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

const char *gfmul_strerror(enum gfmul_status status)
{
    switch (status) {
    case GFMUL_OK:
        return "success";
    case GFMUL_ERR_ARGUMENT:
        return "invalid argument";
    case GFMUL_ERR_OVERLAP:
        return "buffers overlap in a way that the function does not allow";
    case GFMUL_ERR_SYNTAX:
        return "not a number";
    case GFMUL_ERR_EMPTY:
        return "no digit found";
    case GFMUL_ERR_MEMORY:
        return "out of memory, or beyond the memory limit";
    case GFMUL_ERR_SIZE:
        return "operands too large";
    case GFMUL_ERR_PRECISION:
        return "no plan has enough precision under the rule in force";
    case GFMUL_ERR_UNSUPPORTED:
        return "not supported by this build or this machine";
    case GFMUL_ERR_DEVICE:
        return "device not found or not usable";
    case GFMUL_ERR_VERIFY:
        return "the product failed its check and was discarded";
    case GFMUL_ERR_INTERRUPTED:
        return "interrupted";
    case GFMUL_ERR_FILE:
        return "a file cannot be used, read or written";
    case GFMUL_ERR_SPACE:
        return "not enough room on disk";
    case GFMUL_ERR_INTERNAL:
        return "internal error, a defect of the library";
    }
    return "unknown status";
}

const char *gfmul_version(void)
{
    return STRING(GFMUL_VERSION_MAJOR) "." STRING(GFMUL_VERSION_MINOR) "." STRING(GFMUL_VERSION_PATCH);
}
