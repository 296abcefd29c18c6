/* gmp_build.h - what the engine leaves out of config.h: FFTW, for its licence, and OpenCL. */
#ifndef GFMUL_GMP_BUILD_H
#define GFMUL_GMP_BUILD_H

#undef HAVE_FFTW3
#undef HAVE_FFTW3F
#undef HAVE_OPENCL

#endif
