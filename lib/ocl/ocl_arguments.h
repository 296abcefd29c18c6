/* ocl_arguments.h - the structures that kernels take as arguments (kernels/arguments.h), in the host's types. */
#ifndef GFMUL_OCL_ARGUMENTS_H
#define GFMUL_OCL_ARGUMENTS_H

#ifdef HAVE_OPENCL
#include "ocl/ocl.h"

#define uint  cl_uint
#define ulong cl_ulong
#include "../kernels/arguments.h"
#undef uint
#undef ulong
#endif

#endif
