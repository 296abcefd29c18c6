/*
 * fftw_planner.h - a lock for FFTW's planner, which is one for the process and not thread-safe.
 *
 * Hold it while you make or destroy plans.
 */
#ifndef GFMUL_FFTW_PLANNER_H
#define GFMUL_FFTW_PLANNER_H

void fftw_planner_lock(void);
void fftw_planner_unlock(void);

#endif
