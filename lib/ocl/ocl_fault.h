/*
 * ocl_fault.h - faults on purpose, for tests; nothing in the environment reaches them.
 */
#ifndef GFMUL_OCL_FAULT_H
#define GFMUL_OCL_FAULT_H

#include "ocl/ocl.h"

enum ocl_fault_place {
    OCL_FAULT_PLATFORM, /* asking for platforms: as if there were none */
    OCL_FAULT_CONTEXT,  /* making a context or a queue */
    OCL_FAULT_BUILD,    /* building a program */
    OCL_FAULT_BUFFER,   /* making a buffer */
    OCL_FAULT_LAUNCH,   /* enqueueing a kernel */
    OCL_FAULT_TRANSFER, /* enqueueing a transfer */
    OCL_FAULT_FINISH,   /* waiting for the queue */
    OCL_FAULT_RESIDUE,  /* taking a residue: it is off by one, and no call fails */
    OCL_FAULT_FIGURES,  /* reading a product's figures: any code but 0 makes them those of a product that cannot be rounded */
    OCL_FAULT_DISTANCE, /* the same: the code is the largest distance from an integer, in thousandths */
    OCL_FAULT_PLACES
};

/* ocl_fault_set - from the n-th next call at this place on (0: the next), `times` calls fail with this OpenCL code. */
void ocl_fault_set(enum ocl_fault_place place, unsigned n, unsigned times, int code);
void ocl_fault_clear(void);

/* ocl_fault - CL_SUCCESS (0), or the code that the call at this place has to fail with, instead of being made. */
int ocl_fault(enum ocl_fault_place place);

/*
 * ocl_fault_flip - from the n-th next download on (0: the next), for `times` downloads, one bit of what came is wrong, in byte
 * `offset` modulo the transfer's length.  Those of fewer than 2^14 bytes are not counted: they are figures, not products.
 * ocl_fault_flipped - what ocl_download does to its data.
 */
void ocl_fault_flip(unsigned n, unsigned times, size_t offset);
void ocl_fault_flipped(void *p, size_t bytes);

/* ocl_pretend_gpu - devices that are no GPUs count as such; lets "auto" be tested without one. */
void ocl_pretend_gpu(bool on);
bool ocl_pretends_gpu(void);

/* ocl_pretend_no_fp64 - devices count as such without double precision: floats can be tested on any. */
void ocl_pretend_no_fp64(bool on);
bool ocl_pretends_no_fp64(void);

#endif
