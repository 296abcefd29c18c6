/*
 * ocl_fault.h - faults on purpose, for tests; nothing in the environment reaches them.
 */
#ifndef GFMUL_OCL_FAULT_H
#define GFMUL_OCL_FAULT_H

#include "ocl/ocl.h"

enum ocl_fault_place {
    OCL_FAULT_PLATFORM,   /* asking for platforms: as if there were none */
    OCL_FAULT_CONTEXT,    /* making a context or a queue */
    OCL_FAULT_BUILD,      /* building a program */
    OCL_FAULT_BUFFER,     /* making a buffer */
    OCL_FAULT_LAUNCH,     /* enqueueing a kernel */
    OCL_FAULT_TRANSFER,   /* enqueueing a transfer */
    OCL_FAULT_FINISH,     /* waiting for the queue */
    OCL_FAULT_RESIDUE,    /* taking residues: the last one is off by one, and no call fails */
    OCL_FAULT_FIGURES,    /* reading a product's figures: any code but 0 makes them those of a product that cannot be rounded */
    OCL_FAULT_DISTANCE,   /* the same: the code is the largest distance from an integer, in thousandths */
    OCL_FAULT_ARITHMETIC, /* the trial of a device's arithmetic: any code but 0 makes one result wrong, and no call fails */
    OCL_FAULT_DATA,       /* a download: no call fails, but one bit of what came is wrong, in byte (code - 1) modulo its length */
    OCL_FAULT_PLACES
};

/* Downloads of fewer bytes are figures, not products: OCL_FAULT_DATA does not count them. */
enum { OCL_FAULT_DATA_BYTES = 1 << 14 };

/* ocl_fault_set - from the n-th next call at this place on (0: the next), `times` calls fail with this OpenCL code. */
void ocl_fault_set(enum ocl_fault_place place, unsigned n, unsigned times, int code);
void ocl_fault_clear(void);

/* ocl_fault - CL_SUCCESS (0), or the code that the call at this place has to fail with, instead of being made. */
int ocl_fault(enum ocl_fault_place place);

/* ocl_fault_data - what downloads do to their data. */
void ocl_fault_data(void *p, size_t bytes);

/* Devices that are no GPUs count as such, so that "auto" is tested without one; all as such without double precision. */
enum ocl_pretence {
    OCL_PRETEND_GPU,
    OCL_PRETEND_NO_FP64,
    OCL_PRETEND_TABLED, /* that the tables of passes were measured on; or, which counts more, another */
    OCL_PRETEND_OTHER,
    OCL_PRETENCES
};
void ocl_pretend(enum ocl_pretence what, bool on);
bool ocl_pretends(enum ocl_pretence what);

#endif
