/*
 * ocl_launch.h - launches of kernels, markers, and kernel times.
 */
#ifndef GFMUL_OCL_LAUNCH_H
#define GFMUL_OCL_LAUNCH_H

#include "ocl/ocl.h"

enum { OCL_PROFILE_KERNELS = 32, OCL_PROFILE_PENDING = 256 };

/* The times of one product's kernels, added up by name.  Start with all zero. */
struct ocl_profile {
    struct gfmul_kernel_time kernel[OCL_PROFILE_KERNELS];
    unsigned n_kernels;
    unsigned n_pending; /* launches whose times have not been read yet */
    void *pending[OCL_PROFILE_PENDING];
    unsigned char of[OCL_PROFILE_PENDING];
};

#ifdef HAVE_OPENCL
/* The work-items of a launch. */
struct ocl_range {
    unsigned dims;                       /* 1 or 2 */
    size_t from[2], global[2], local[2]; /* offset; number; number in a group.  local[0] = 0: the driver chooses */
};

/* ocl_items - the range of `global` work-items in one dimension, in groups of `local`. */
static inline struct ocl_range ocl_items(size_t global, size_t local)
{
    return (struct ocl_range){.dims = 1, .global = {global}, .local = {local}};
}

/*
 * ocl_launch - enqueue a kernel whose arguments are set.
 *
 *   on     in   its profile gets the kernel's time, if the device profiles
 *   name   in   static string, the kernel's line in the profile
 *   bytes  in   bytes of global memory that it reads and writes, for the profile; 0: unknown
 * Errors: those of ocl_status.
 */
enum gfmul_status ocl_launch(const struct ocl_call *on, cl_kernel k, const char *name, struct ocl_range range, double bytes);

/* ocl_args - set argument 0, 1, ... of a kernel: pairs (size_t bytes, const void *value), ended by OCL_END. */
enum gfmul_status ocl_args(const struct ocl_call *on, cl_kernel k, ...);
#define OCL_ARG(x) sizeof(x), (const void *)&(x)
#define OCL_END    ((size_t)0), (const void *)NULL

/* ocl_fill - fill bytes of a buffer with a pattern of pattern_bytes (1, 2, 4, 8, 16).   In the queue's order. */
enum gfmul_status ocl_fill(const struct ocl_call *on, struct ocl_span span, const void *pattern, size_t pattern_bytes);

/* ocl_copy - copy bytes between two buffers of the device; they do not overlap.   In the queue's order. */
enum gfmul_status ocl_copy(const struct ocl_call *on, struct ocl_span to, cl_mem from);

/* ocl_after - make later commands of the queue wait for this event, which is not released. */
enum gfmul_status ocl_after(const struct ocl_call *on, cl_event event);

/*
 * ocl_mark - make an event for the end of all commands in the queue so far, and flush the queue.
 *
 *   event  out  release it with clReleaseEvent; NULL on failure
 */
enum gfmul_status ocl_mark(const struct ocl_call *on, cl_event *event);

/* ocl_flush - let the driver start the commands of a queue. */
enum gfmul_status ocl_flush(const struct ocl_call *on, cl_command_queue queue);

/*
 * ocl_event_wait - wait until a command has ended.
 *
 *   what  in  a name of the command, for errors
 * Errors: that of the command's own code if the command failed, because the wait's code does not tell why.
 */
enum gfmul_status ocl_event_wait(const struct ocl_call *on, cl_event event, const char *what);
/* ocl_event_end - the same; then release the event.   event i/o: becomes NULL; nothing happens if it is NULL */
enum gfmul_status ocl_event_end(const struct ocl_call *on, cl_event *event, const char *what);
/* ocl_event_over - whether a command has ended, or failed. */
bool ocl_event_over(cl_event event);

/*
 * ocl_finish - wait for all commands of the device's queues.   Errors of these commands show here.  Even after an error, no
 * command is left that could touch memory.
 */
enum gfmul_status ocl_finish(const struct ocl_call *on);

/* ocl_drain - wait until no enqueued command can touch memory of the device or the host, even after errors or a lost device. */
void ocl_drain(struct ocl_device *d);

/* ocl_profile_read - wait for the pending launches of on->profile, if any, and add their times.   Errors: of a failed launch. */
enum gfmul_status ocl_profile_read(const struct ocl_call *on);
/* ocl_profile_drop - drop the pending launches, for instance after an error. */
void ocl_profile_drop(struct ocl_profile *profile);
#endif

#endif
