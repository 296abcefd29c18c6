/*
 * ocl_device.h - OpenCL devices: listing, choosing, opening, errors.
 */
#ifndef GFMUL_OCL_DEVICE_H
#define GFMUL_OCL_DEVICE_H

#include "ocl/ocl.h"

/*
 * ocl_device_list - the OpenCL devices of this machine, GPUs or not, usable or not.
 *
 *   info  out  the first max of them; may be NULL if max is 0.  Entry i is the device with index i + 1, because 0 is the CPU
 * Returns how many there are: 0 without a loader or a platform.   Never fails.
 */
unsigned ocl_device_list(struct gfmul_device_info *info, unsigned max);

/* ocl_driver_list - the drivers of this machine, as gfmul_driver_list. */
unsigned ocl_driver_list(struct gfmul_driver_info *info, unsigned max);

/*
 * ocl_device_find - resolve a choice of a device.
 *
 *   info    out  filled if one was found, usable or not; may be NULL
 *   want    in   "auto": a GPU with fp64, and no other device.  "gpu": such a GPU, else any usable OpenCL device, with
 *                fp64 rather than without.  A number: that index of the list, from 1.  Else a part of a device's or a platform's
 *                name, in any case; of several matches a usable one with fp64, then a usable one, then the first.
 *   detail  out  as that of struct ocl_call
 * Errors: DEVICE, with the reason: nothing found, or the device found cannot be used.
 */
enum gfmul_status ocl_device_find(struct gfmul_device_info *info, const char *want, char *detail);

enum { OCL_DEVICES_MAX = 64 };

/* Several devices, as indices of the list, from 1.  One device may be there more than once. */
struct ocl_choice {
    unsigned n, index[OCL_DEVICES_MAX];
};

/*
 * ocl_devices_find - resolve a choice of several devices; ocl_is_list says whether a choice is one.
 *
 *   choice  out  at least one device, all usable
 *   info    out  the first one, usable or not; all zero if there is none
 *   want    in   "all": the usable GPUs with fp64; without one, the usable devices with fp64; without one, the usable devices.
 *                Else choices of ocl_device_find, separated by commas, but not "auto", nor the CPU
 * Errors: those of ocl_device_find for any of them.  ARGUMENT: something that does not belong in a list, or a list too long.
 */
enum gfmul_status ocl_devices_find(struct ocl_choice *choice, struct gfmul_device_info *info, const char *want, char *detail);
bool ocl_is_list(const char *want);

/*
 * ocl_device_is_unknown - whether a choice means a GPU about which the cache on disk has no facts, although the cache is usable.
 * The cache then has hardly any of its programs either.   Opens nothing.
 */
bool ocl_device_is_unknown(const char *want);

/* The work before a device is ready, judged by its facts in the cache on disk. */
enum ocl_start {
    OCL_START_KEPT,  /* only open it */
    OCL_START_UNMET, /* also build its programs */
    OCL_START_UNSEEN /* also try the drivers first: ocl_drivers.h */
};

/* ocl_device_start - the work before the chosen device is ready.   Calls drivers only if they have been tried before. */
enum ocl_start ocl_device_start(const char *want);

struct ocl_device_options {
    bool profile;  /* kernels are timed */
    void *context; /* a cl_context of the caller's, or NULL: one is made.  It is retained */
    void *queue;   /* a cl_command_queue of the caller's on that context, in order; NULL: one is made.  It is retained */
    unsigned instance; /* openings of one device with different numbers are different devices, each with its own context */
};

/*
 * ocl_device_open - open a device and make it ready for kernels.  If it is open already with the same options, it is shared.
 *
 *   d    out  NULL on failure; end it with ocl_device_close
 *   want in   as ocl_device_find; ignored if the caller's queue names the device
 *   opt  in   NULL: defaults
 * Errors: DEVICE, MEMORY; ARGUMENT for a context without a queue.
 */
enum gfmul_status ocl_device_open(struct ocl_device **d, const char *want, const struct ocl_device_options *opt, char *detail);
void ocl_device_close(struct ocl_device *d); /* NULL is allowed; waits for all commands in the queues */

/* ocl_given_retain - retain the caller's own objects until a device is opened with them; NULL is allowed. */
void ocl_given_retain(void *context, void *queue);
void ocl_given_release(void *context, void *queue);

/* ocl_device_info - a device's description, valid while the device is open. */
const struct gfmul_device_info *ocl_device_info(const struct ocl_device *d);

/* ocl_device_lost - true once an error showed that the device is gone: all later use fails at once with DEVICE. */
bool ocl_device_lost(const struct ocl_device *d);

/*
 * ocl_left_behind - whether this process was forked from one that has called a driver.  If so, it calls no driver, finds and
 * opens no device, and the devices that were open are lost.
 */
bool ocl_left_behind(void);

/*
 * ocl_device_lock - reserve the queue and the kernels for this thread until the unlock.  A product holds the lock from the
 * choice of its kernels until they are in the queue, or have run.  Not recursive.
 */
void ocl_device_lock(struct ocl_device *d);
void ocl_device_unlock(struct ocl_device *d);

/*
 * ocl_device_depart - release the lock while commands are in the queue: a product with so many bytes of its own is in flight.
 * ocl_device_arrive - the product has ended and its memory is free; release the lock.   With the lock.
 * ocl_device_in_flight_bytes - bytes of all products in flight, which will become free.   With the lock.
 * ocl_device_await - wait until one of them has ended; false: none is in flight.   With the lock, which is free meanwhile.
 */
void ocl_device_depart(struct ocl_device *d, size_t bytes);
void ocl_device_arrive(struct ocl_device *d, size_t bytes);
size_t ocl_device_in_flight_bytes(const struct ocl_device *d);
bool ocl_device_await(struct ocl_device *d);

cl_device_id ocl_device_id(const struct ocl_device *d);
cl_context ocl_device_context(const struct ocl_device *d);
cl_command_queue ocl_device_queue(const struct ocl_device *d); /* in order; kernels and small commands */

/*
 * ocl_device_local_bytes - the most bytes of static __local memory that a kernel can have: CL_DEVICE_LOCAL_MEM_SIZE, or more if a
 * trial kernel ran with more.  It is probed once, then kept on disk.
 */
size_t ocl_device_local_bytes(struct ocl_device *d);

/*
 * ocl_arithmetic_check - whether the device rounds as the proof assumes: fma, products that are not contracted, division, the
 * sums of double-doubles.  A trial kernel runs once; a good verdict is kept on disk and in the process.  Opening a device with
 * doubles includes this check.
 * Errors: DEVICE with the operation that differs; those of running a kernel.
 */
enum gfmul_status ocl_arithmetic_check(const struct ocl_call *on);

/* ocl_arithmetic_forget - drop the verdicts that the process keeps.   For tests. */
void ocl_arithmetic_forget(void);

/*
 * ocl_status - the status of an OpenCL code; OK for CL_SUCCESS.
 *
 *   on    in   some codes mark its device as lost
 *   call  in   the call's name, for the detail: "call: NAME_OF_CODE"
 * Returns MEMORY (host memory), INTERNAL (arguments that this project got wrong), DEVICE (all others, the device's own memory
 * included: ocl_device_lost tells which of them are final).
 */
enum gfmul_status ocl_status(const struct ocl_call *on, cl_int code, const char *call);

/* ocl_code_name - "CL_OUT_OF_RESOURCES"; a static string, "unknown code" if it has no name. */
const char *ocl_code_name(cl_int code);

#endif
