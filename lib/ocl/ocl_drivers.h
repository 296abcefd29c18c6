/*
 * ocl_drivers.h - the OpenCL drivers of this machine, and whether they may be called.
 *
 * A driver that crashes or hangs takes the calling process with it.  So another process tries it first: the program gfmul-drivers
 * (tools/driver_probe.c), with a limit of GFMUL_DRIVER_LIMIT seconds (20 if that is not set).  The cache of programs
 * (ocl_program.h) keeps its verdict for the same loader, files and libraries of drivers and variables of the environment.  A
 * verdict that drivers crash or hang is kept for a day only, because the cause may be gone.
 *
 * gfmul-drivers is the file that GFMUL_DRIVER_PROBE names.  If that is not set, it is the file in the folder gfmul/ beside the
 * shared library or in the library's own folder, else the installed one.  If it cannot be run, the library looks only for a
 * device that the caller names.
 */
#ifndef GFMUL_OCL_DRIVERS_H
#define GFMUL_OCL_DRIVERS_H

#include "ocl/ocl.h"

/*
 * ocl_drivers_check - whether drivers may be called in this process.  The first call finds out; later calls repeat its answer.
 *
 *   is_auto  in   the caller can do without devices; then the answer is no if gfmul-drivers could not run
 *   detail   out  as that of struct ocl_call
 * Threads: any; they wait for the first.   Cost: reading some files if the cache has the answer; else a start of all drivers
 * together, and a trial on the first GPU.
 * Errors:  DEVICE, with the driver and its fault.
 */
enum gfmul_status ocl_drivers_check(bool is_auto, char *detail);

/* ocl_drivers_known - whether ocl_drivers_check has its answer without a trial.   Threads: any. */
bool ocl_drivers_known(void);

/* ocl_drivers_absent - report why drivers that work have no device: DEVICE, with one line.   Call it after ocl_drivers_check. */
enum gfmul_status ocl_drivers_absent(char *detail);

/*
 * ocl_drivers_list - list the drivers that are registered on this machine, as gfmul_driver_list.
 *
 *   info  out  the first max of them; may be NULL if max is 0
 */
unsigned ocl_drivers_list(struct gfmul_driver_info *info, unsigned max);

#endif
