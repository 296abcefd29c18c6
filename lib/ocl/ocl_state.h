/*
 * ocl_state.h - the state of an open device, only for the files of this folder.
 */
#ifndef GFMUL_OCL_STATE_H
#define GFMUL_OCL_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/copy_team.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_program.h"

enum { RING_BLOCKS = 4, READBACK_SLOTS = 8 };

/* A ring of pinned blocks, for one direction. */
struct ocl_ring {
    pthread_mutex_t lock; /* one transfer at a time */
    cl_command_queue queue;
    size_t block_bytes; /* 0: none yet */
    cl_mem block[RING_BLOCKS];
    void *mapped[RING_BLOCKS];
    cl_event busy[RING_BLOCKS]; /* the transfer that uses the block, or NULL */
    struct copy_team team;      /* fills or empties the blocks */
};

/* Memory of the pool, idle or in use. */
struct ocl_block {
    struct ocl_block *next;
    cl_mem m;
    size_t bytes;
    unsigned holders; /* 0: idle */
};

/* Pinned memory of ocl_host_alloc. */
struct ocl_pinned {
    struct ocl_pinned *next;
    struct ocl_device *owner;
    cl_mem m;
    void *p;
    size_t bytes;
};

struct ocl_device {
    struct ocl_device *next; /* in the list of open devices */
    unsigned refs;           /* guarded by that list's lock */
    struct gfmul_device_info info;
    uint64_t rates_ns;  /* how long measuring its rates took; 0: they were known, or nobody has asked */
    char identity[512]; /* device, platform, driver, versions: a part of the key of cached programs */
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    struct ocl_device_options asked;
    bool profile; /* the queue measures times; the caller's own queue may not */
    atomic_bool lost;
    atomic_uint refused;   /* how many requests for memory were refused */
    pthread_mutex_t order; /* ocl_device_lock */
    pthread_cond_t ended;  /* a product in flight has ended; used with order */
    unsigned in_flight;    /* products whose kernels are in the queue, without the lock; order guards it and its bytes */
    size_t in_flight_bytes;
    struct ocl_ring up, down;
    unsigned fill_most;                  /* at most so many groups of chunks_carry share the same chunks */
    unsigned builders;                   /* at most so many threads build programs at once */
    size_t overlap_short, overlap_block; /* ocl_overlap: one queue up to so many bytes; the least bytes of a part */

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t built; /* a program was built, or failed */
    struct ocl_loaded *programs;
    struct ocl_program_counts counts;
    struct ocl_block *blocks;
    size_t buffer_most; /* the largest possible buffer, once the driver has refused one for its size; 0: not known */
    char *readbacks;          /* READBACK_SLOTS slots, in pinned memory; NULL: none yet */
    unsigned readbacks_used;  /* a bit for each slot */
    size_t local_bytes;   /* 0: not yet known */
    unsigned local_tries; /* probes without a result */
};

/* The names of a device's facts in the cache on disk; they take the place of compiler options in its key. */
#define OCL_FACT_LOCAL      "local bytes"
#define OCL_FACT_ARITHMETIC "arithmetic of doubles, 1"

/* Free the parts of an open device's state, when nothing else uses the device any more. */
void ocl_programs_free(struct ocl_device *d);
void ocl_buffers_free(struct ocl_device *d);
void ocl_staging_free(struct ocl_device *d);

/* ocl_fail - write one line for people, if detail is not NULL.   Returns the status that it is given. */
enum gfmul_status ocl_fail(char *detail, enum gfmul_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* ocl_lost_status - DEVICE with a detail if the device is lost, else OK.  Each function that uses the device calls it first. */
enum gfmul_status ocl_lost_status(const struct ocl_call *on);

#endif
