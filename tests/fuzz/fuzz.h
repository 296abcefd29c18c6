/*
 * fuzz.h - what the fuzz targets share: their input, byte by byte, and how they fail.
 *
 * A target is a function of some bytes.  It takes what it does from them, calls the library, and compares the results with GMP's
 * or with those of a slow, obvious reference.  It is a function of its bytes alone, so that an input repeats a failure.  Where
 * bytes end, zeros follow.
 *
 * `make fuzz` runs each target under libFuzzer; tests/t-fuzz.c runs the inputs in tests/fuzz/, and variants of them, everywhere.
 */
#ifndef GFMUL_FUZZ_H
#define GFMUL_FUZZ_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gfmul.h"

/* The bytes that are left. */
struct fuzz_input {
    const uint8_t *p;
    size_t left;
};

/* fuzz_u8, fuzz_u64 - the next one or eight bytes.   fuzz_below - a number in 0 .. n-1, of as few bytes as n needs; n >= 1. */
uint8_t fuzz_u8(struct fuzz_input *in);
uint64_t fuzz_u64(struct fuzz_input *in);
uint64_t fuzz_below(struct fuzz_input *in, uint64_t n);

/* fuzz_size - a number in 1 .. most, with a logarithm that is about uniform. */
size_t fuzz_size(struct fuzz_input *in, size_t most);

/* fuzz_next - a generator for long data; the state comes from the input (splitmix64). */
uint64_t fuzz_next(uint64_t *state);

/* fuzz_alloc - memory of just this size, so that a sanitizer sees an access beyond it; no return where there is none. */
void *fuzz_alloc(size_t bytes);

/* fuzz_limbs - n limbs, from fuzz_alloc: bytes of the input, or a pattern that it chooses. */
mp_limb_t *fuzz_limbs(struct fuzz_input *in, size_t n);

/* fuzz_choices - options of the CPU that the input chooses; most of them fit together.  One or two threads. */
void fuzz_choices(struct fuzz_input *in, struct gfmul_options *opt);

/* fuzz_folder - a folder for files, which GFMUL_CACHE_DIR names; it is removed at exit.   NULL: it cannot be made. */
const char *fuzz_folder(void);

/* FUZZ_CHECK - what has to be true; else the process says what is wrong, and aborts. */
#define FUZZ_CHECK(condition, ...) ((condition) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #condition, __VA_ARGS__))
__attribute__((noreturn, format(printf, 4, 5))) void fuzz_failed(const char *file, int line, const char *condition,
                                                                 const char *format, ...);

/* The targets. */
#define FUZZ_TARGETS(TARGET) \
    TARGET(mul)              \
    TARGET(text)             \
    TARGET(ntt)              \
    TARGET(convolve)         \
    TARGET(fft)              \
    TARGET(options)          \
    TARGET(certificate)      \
    TARGET(cache)            \
    TARGET(binary)
#define FUZZ_DECLARE(name) void fuzz_##name(struct fuzz_input *in);
FUZZ_TARGETS(FUZZ_DECLARE)
#undef FUZZ_DECLARE

#endif
