/*
 * fftw_loader.h - FFTW 3 by dlopen, and a lock for its planner.
 *
 * The library is not linked with FFTW, because FFTW is under the GPL.  It opens FFTW's libraries only when a caller asks for
 * them by name.  A build needs only FFTW's header, which has a permissive licence of its own.
 */
#ifndef GFMUL_FFTW_LOADER_H
#define GFMUL_FFTW_LOADER_H

#include <fftw3.h>

/* The functions that gfmul uses.  Code that uses another one does not compile. */
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
 * fftw_calls, fftwf_calls - FFTW's functions in double and in single precision; NULL: the machine lacks that library.
 *
 * Threads:  reentrant.   Cost: the first call of a process loads the library.
 */
const struct fftw_calls *fftw_calls(void);
const struct fftwf_calls *fftwf_calls(void);

/* fftw_planner_lock - hold this while you make or destroy plans: the process has one FFTW planner, and it is not thread-safe. */
void fftw_planner_lock(void);
void fftw_planner_unlock(void);

#endif
