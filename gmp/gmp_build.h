/* gmp_build.h - what the engine leaves out of config.h: it loads no libraries. */
#ifndef GFMUL_GMP_BUILD_H
#define GFMUL_GMP_BUILD_H

#undef HAVE_FFTW3
#undef HAVE_OPENCL

#endif
