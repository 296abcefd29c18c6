/*
 * fftw_planner.h - FFTW's planner is one for the process and not made for several threads: who makes or destroys plans holds it.
 */
#ifndef GFMUL_FFTW_PLANNER_H
#define GFMUL_FFTW_PLANNER_H

void fftw_planner_lock(void);
void fftw_planner_unlock(void);

#endif
