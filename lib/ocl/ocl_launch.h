/*
 * ocl_launch.h - launches of kernels, markers, and how long kernels took.
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
/*
 * ocl_launch - enqueue a kernel whose arguments are set.
 *
 *   name     in   static string, the kernel's line in the profile
 *   dims     in   1..3;  global, local: work-items; local may be NULL
 *   bytes    in   what it reads and writes of global memory, for the profile; 0: unknown
 *   profile  in/out  NULL, or where its time goes if the device profiles
 * Errors: those of ocl_status.
 */
enum gfmul_status ocl_launch(struct ocl_device *d, cl_kernel k, const char *name, unsigned dims, const size_t *global,
                             const size_t *local, double bytes, struct ocl_profile *profile, char *detail);

/* ocl_launch_from - the same, of work-items whose global numbers begin at `from`; NULL: at 0. */
enum gfmul_status ocl_launch_from(struct ocl_device *d, cl_kernel k, const char *name, unsigned dims, const size_t *from,
                                  const size_t *global, const size_t *local, double bytes, struct ocl_profile *profile,
                                  char *detail);

/* ocl_args - set argument 0, 1, ... of a kernel: pairs (size_t bytes, const void *value), ended by OCL_END. */
enum gfmul_status ocl_args(struct ocl_device *d, cl_kernel k, char *detail, ...);
#define OCL_ARG(x) sizeof(x), (const void *)&(x)
#define OCL_END    ((size_t)0), (const void *)NULL

/* ocl_fill - bytes of a buffer set to a pattern of pattern_bytes (1, 2, 4, 8, 16).   In the queue's order. */
enum gfmul_status ocl_fill(struct ocl_device *d, cl_mem m, size_t offset, size_t bytes, const void *pattern, size_t pattern_bytes,
                           char *detail);

/* ocl_after - what the queue gets from here on runs behind that event, which is not released. */
enum gfmul_status ocl_after(struct ocl_device *d, cl_event event, char *detail);

/* ocl_mark - an event of all that the queue holds so far, which is flushed.   event out: release it with clReleaseEvent. */
enum gfmul_status ocl_mark(struct ocl_device *d, cl_event *event, char *detail);

/*
 * ocl_event_wait - until a command has ended.
 *
 *   what  in  what is waited for, in the words of an error
 * Errors: those that the command's own code stands for, where it failed: of a wait's code nothing can be told.
 */
enum gfmul_status ocl_event_wait(struct ocl_device *d, cl_event event, const char *what, char *detail);

/*
 * ocl_finish - wait for all that the device's queues hold.   An error of a command that ran shows here; whatever is returned, no
 * command is left that could touch memory.
 */
enum gfmul_status ocl_finish(struct ocl_device *d, char *detail);

/* ocl_drain - until nothing that was enqueued can touch memory, the host's either, whatever became of it or of the device. */
void ocl_drain(struct ocl_device *d);

/* ocl_profile_read - wait for the launches pending, add their times.   A failed launch is an error. */
enum gfmul_status ocl_profile_read(struct ocl_device *d, struct ocl_profile *profile, char *detail);
/* ocl_profile_drop - forget the launches pending: the way out after an error. */
void ocl_profile_drop(struct ocl_profile *profile);
#endif

#endif
