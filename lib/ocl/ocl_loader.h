/*
 * ocl_loader.h - pointers to the functions of OpenCL, for a build with --with-opencl=load.
 *
 * Such a build needs only OpenCL's headers.  It opens OpenCL's loader (libOpenCL.so.1) when devices are first looked for.  A
 * machine without the loader has no devices.
 */
#ifndef GFMUL_OCL_LOADER_H
#define GFMUL_OCL_LOADER_H

#include <stdbool.h>

/* All functions that are used; one that is missing here does not link. */
#define OCL_CALLS(CALL)                \
    CALL(clBuildProgram)               \
    CALL(clCreateBuffer)               \
    CALL(clCreateCommandQueue)         \
    CALL(clCreateContext)              \
    CALL(clCreateImage)                \
    CALL(clCreateKernel)               \
    CALL(clCreateProgramWithBinary)    \
    CALL(clCreateProgramWithSource)    \
    CALL(clCreateSubBuffer)            \
    CALL(clCreateUserEvent)            \
    CALL(clEnqueueBarrierWithWaitList) \
    CALL(clEnqueueCopyBuffer)          \
    CALL(clEnqueueFillBuffer)          \
    CALL(clEnqueueMapBuffer)           \
    CALL(clEnqueueMarkerWithWaitList)  \
    CALL(clEnqueueNDRangeKernel)       \
    CALL(clEnqueueReadBuffer)          \
    CALL(clEnqueueUnmapMemObject)      \
    CALL(clEnqueueWriteBuffer)         \
    CALL(clEnqueueWriteBufferRect)     \
    CALL(clFinish)                     \
    CALL(clFlush)                      \
    CALL(clGetCommandQueueInfo)        \
    CALL(clGetDeviceIDs)               \
    CALL(clGetDeviceInfo)              \
    CALL(clGetEventInfo)               \
    CALL(clGetEventProfilingInfo)      \
    CALL(clGetKernelWorkGroupInfo)     \
    CALL(clGetMemObjectInfo)           \
    CALL(clGetPlatformIDs)             \
    CALL(clGetPlatformInfo)            \
    CALL(clGetProgramBuildInfo)        \
    CALL(clGetProgramInfo)             \
    CALL(clReleaseCommandQueue)        \
    CALL(clReleaseContext)             \
    CALL(clReleaseEvent)               \
    CALL(clReleaseKernel)              \
    CALL(clReleaseMemObject)           \
    CALL(clReleaseProgram)             \
    CALL(clRetainCommandQueue)         \
    CALL(clRetainContext)              \
    CALL(clRetainEvent)                \
    CALL(clSetKernelArg)               \
    CALL(clSetUserEventStatus)         \
    CALL(clWaitForEvents)

#define OCL_CALL_MEMBER(name) __typeof__(name) *name;
struct ocl_calls {
    OCL_CALLS(OCL_CALL_MEMBER)
};
extern struct ocl_calls ocl_calls;

/*
 * ocl_calls_load - load OpenCL, once for the process.  true: all functions are there, and stay.
 *
 *   reason  out  why not: a static string
 *
 * Threads:  any.  A thread must call it before it uses a function.
 */
bool ocl_calls_load(const char **reason);

#define clBuildProgram               ocl_calls.clBuildProgram
#define clCreateBuffer               ocl_calls.clCreateBuffer
#define clCreateCommandQueue         ocl_calls.clCreateCommandQueue
#define clCreateContext              ocl_calls.clCreateContext
#define clCreateImage                ocl_calls.clCreateImage
#define clCreateKernel               ocl_calls.clCreateKernel
#define clCreateProgramWithBinary    ocl_calls.clCreateProgramWithBinary
#define clCreateProgramWithSource    ocl_calls.clCreateProgramWithSource
#define clCreateSubBuffer            ocl_calls.clCreateSubBuffer
#define clCreateUserEvent            ocl_calls.clCreateUserEvent
#define clEnqueueBarrierWithWaitList ocl_calls.clEnqueueBarrierWithWaitList
#define clEnqueueCopyBuffer          ocl_calls.clEnqueueCopyBuffer
#define clEnqueueFillBuffer          ocl_calls.clEnqueueFillBuffer
#define clEnqueueMapBuffer           ocl_calls.clEnqueueMapBuffer
#define clEnqueueMarkerWithWaitList  ocl_calls.clEnqueueMarkerWithWaitList
#define clEnqueueNDRangeKernel       ocl_calls.clEnqueueNDRangeKernel
#define clEnqueueReadBuffer          ocl_calls.clEnqueueReadBuffer
#define clEnqueueUnmapMemObject      ocl_calls.clEnqueueUnmapMemObject
#define clEnqueueWriteBuffer         ocl_calls.clEnqueueWriteBuffer
#define clEnqueueWriteBufferRect     ocl_calls.clEnqueueWriteBufferRect
#define clFinish                     ocl_calls.clFinish
#define clFlush                      ocl_calls.clFlush
#define clGetCommandQueueInfo        ocl_calls.clGetCommandQueueInfo
#define clGetDeviceIDs               ocl_calls.clGetDeviceIDs
#define clGetDeviceInfo              ocl_calls.clGetDeviceInfo
#define clGetEventInfo               ocl_calls.clGetEventInfo
#define clGetEventProfilingInfo      ocl_calls.clGetEventProfilingInfo
#define clGetKernelWorkGroupInfo     ocl_calls.clGetKernelWorkGroupInfo
#define clGetMemObjectInfo           ocl_calls.clGetMemObjectInfo
#define clGetPlatformIDs             ocl_calls.clGetPlatformIDs
#define clGetPlatformInfo            ocl_calls.clGetPlatformInfo
#define clGetProgramBuildInfo        ocl_calls.clGetProgramBuildInfo
#define clGetProgramInfo             ocl_calls.clGetProgramInfo
#define clReleaseCommandQueue        ocl_calls.clReleaseCommandQueue
#define clReleaseContext             ocl_calls.clReleaseContext
#define clReleaseEvent               ocl_calls.clReleaseEvent
#define clReleaseKernel              ocl_calls.clReleaseKernel
#define clReleaseMemObject           ocl_calls.clReleaseMemObject
#define clReleaseProgram             ocl_calls.clReleaseProgram
#define clRetainCommandQueue         ocl_calls.clRetainCommandQueue
#define clRetainContext              ocl_calls.clRetainContext
#define clRetainEvent                ocl_calls.clRetainEvent
#define clSetKernelArg               ocl_calls.clSetKernelArg
#define clSetUserEventStatus         ocl_calls.clSetUserEventStatus
#define clWaitForEvents              ocl_calls.clWaitForEvents

#endif
