/*
 * fftw_loader.h - FFTW 3 by dlopen, and a lock for its planner.
 *
 * The library is not linked with FFTW, which is under the GPL: it opens FFTW's libraries when somebody asks for them by name.
 * A build needs FFTW's header alone, whose own licence is a permissive one.
 */
#ifndef GFMUL_FFTW_LOADER_H
#define GFMUL_FFTW_LOADER_H

#include <fftw3.h>

/* The functions that are used; a name that is missing here does not compile. */
#define FFTW_CALLS(CALL)  \
    CALL(alignment_of)    \
    CALL(destroy_plan)    \
    CALL(execute)         \
    CALL(execute_dft)     \
    CALL(execute_dft_c2r) \
    CALL(execute_dft_r2c) \
    CALL(plan_dft_1d)     \
    CALL(plan_dft_c2r_1d) \
    CALL(plan_dft_r2c_1d)

#define FFTW_MEMBER(name)  __typeof__(fftw_##name) *name;
#define FFTWF_MEMBER(name) __typeof__(fftwf_##name) *name;
struct fftw_calls {
    FFTW_CALLS(FFTW_MEMBER)
};
struct fftwf_calls {
    FFTW_CALLS(FFTWF_MEMBER)
};
#undef FFTW_MEMBER
#undef FFTWF_MEMBER

/*
 * fftw_calls, fftwf_calls - the functions in double, and in single precision; NULL: the machine lacks that library.
 *
 * Threads:  reentrant.   Cost: the first call of a process loads the library.
 */
const struct fftw_calls *fftw_calls(void);
const struct fftwf_calls *fftwf_calls(void);

/* fftw_planner_lock - FFTW's planner is one for the process and not thread-safe: hold this while you make or destroy plans. */
void fftw_planner_lock(void);
void fftw_planner_unlock(void);

#endif
