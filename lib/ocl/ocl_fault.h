/*
 * ocl_fault.h - fault injection for tests; no environment variable reaches it.
 */
#ifndef GFMUL_OCL_FAULT_H
#define GFMUL_OCL_FAULT_H

#include "ocl/ocl.h"

enum ocl_fault_place {
    OCL_FAULT_PLATFORM,   /* asking for platforms: it fails, as if there were none */
    OCL_FAULT_CONTEXT,    /* making a context or a queue */
    OCL_FAULT_BUILD,      /* building a program */
    OCL_FAULT_BUFFER,     /* making a buffer */
    OCL_FAULT_LAUNCH,     /* enqueueing a kernel */
    OCL_FAULT_TRANSFER,   /* enqueueing a transfer */
    OCL_FAULT_FINISH,     /* waiting for the queue */
    OCL_FAULT_RESIDUE,    /* computing residues: no call fails, but the last one is off by one */
    OCL_FAULT_FIGURES,    /* reading a product's figures: with any code but 0 they say that it cannot be rounded */
    OCL_FAULT_DISTANCE,   /* the same: the code is the largest distance from an integer, in thousandths */
    OCL_FAULT_ARITHMETIC, /* the trial of a device's arithmetic: no call fails, but any code but 0 makes one result wrong */
    OCL_FAULT_DATA,       /* a download: no call fails, but one bit of the data is wrong, in byte (code - 1) modulo its length */
    OCL_FAULT_PLACES
};

/* OCL_FAULT_DATA ignores downloads of fewer bytes, because those are figures, not products. */
enum { OCL_FAULT_DATA_BYTES = 1 << 14 };

/* ocl_fault_set - make `times` calls at this place fail with this OpenCL code, after n calls that do not. */
void ocl_fault_set(enum ocl_fault_place place, unsigned n, unsigned times, int code);
void ocl_fault_clear(void);

/* ocl_fault - CL_SUCCESS (0), or the code with which the caller has to fail instead of making its call. */
int ocl_fault(enum ocl_fault_place place);

/* ocl_fault_data - damage downloaded data if OCL_FAULT_DATA says so. */
void ocl_fault_data(void *p, size_t bytes);

/* What tests can pretend of all devices, for instance to test "auto" without a GPU. */
enum ocl_pretence {
    OCL_PRETEND_GPU,     /* each device is a GPU */
    OCL_PRETEND_NO_FP64, /* no device has double precision */
    OCL_PRETEND_TABLED,  /* each is the device that the tables of passes were measured on */
    OCL_PRETEND_OTHER,   /* none is that device; this overrides TABLED */
    OCL_PRETENCES
};
void ocl_pretend(enum ocl_pretence what, bool on);
bool ocl_pretends(enum ocl_pretence what);

#endif
