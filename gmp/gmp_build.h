/* gmp_build.h - features of config.h that the engine leaves out, because it loads no libraries. */
#ifndef GFMUL_GMP_BUILD_H
#define GFMUL_GMP_BUILD_H

#undef HAVE_FFTW3
#undef HAVE_OPENCL

#endif
