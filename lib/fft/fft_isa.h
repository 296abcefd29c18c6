/*
 * fft_isa.h - the plain FFT for one instruction set, in both precisions.
 *
 * Included by isa/fft_<isa>.c after FFT_ISA (a bare word), FFT_ISA_BIT and FFT_BYTES (of a vector register); it defines
 * `const struct fft_isa fft_isa_<isa>`.
 */
#include <math.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/cpu.h"
#include "base/rounding.h"
#include "fft/fft.h"

#define FFT_PASTE5_(a, b, c, d, e) a##b##_##c##d##_##e
#define FFT_PASTE5(a, b, c, d, e)  FFT_PASTE5_(a, b, c, d, e)
#define FFT_PASTE4_(a, b, c, d)    a##b##_##c##_##d
#define FFT_PASTE4(a, b, c, d)     FFT_PASTE4_(a, b, c, d)
#define FFT_STRING_(a)             #a
#define FFT_STRING(a)              FFT_STRING_(a)
#define FFT_INLINE                 static inline __attribute__((always_inline))
#define FFT_STATIC                 static __attribute__((unused)) /* not every width uses all passes */

/* Elements of two vectors, by their numbers. */
#if defined(__clang__) || __GNUC__ >= 12
#define FFT_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define FFT_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (FFT_NAME(mask)){__VA_ARGS__})
#endif

#define FFT_REAL       double
#define FFT_REAL_TAG   d
#define FFT_REAL_BYTES 8
#include "fft/fft_run.h"
#undef FFT_REAL
#undef FFT_REAL_TAG
#undef FFT_REAL_BYTES
#define FFT_REAL       float
#define FFT_REAL_TAG   f
#define FFT_REAL_BYTES 4
#include "fft/fft_run.h"

#define FFT_ISA_NAME_(isa) fft_isa_##isa
#define FFT_ISA_NAME(isa)  FFT_ISA_NAME_(isa)
extern const struct fft_isa FFT_ISA_NAME(FFT_ISA);
const struct fft_isa FFT_ISA_NAME(FFT_ISA) = {
    .name = FFT_STRING(FFT_ISA),
    .isa_bit = FFT_ISA_BIT,
    .of_double = &FFT_PASTE4(fft_, ops, d, FFT_ISA),
    .of_float = &FFT_PASTE4(fft_, ops, f, FFT_ISA),
};
