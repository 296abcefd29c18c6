/*
 * fuzz.c - what the fuzz targets share.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../operands.h"

uint8_t fuzz_u8(struct fuzz_input *in)
{
    if (in->left == 0)
        return 0;
    in->left--;
    return *in->p++;
}

uint64_t fuzz_u64(struct fuzz_input *in)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v |= (uint64_t)fuzz_u8(in) << 8 * i;
    return v;
}

uint64_t fuzz_below(struct fuzz_input *in, uint64_t n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8 && (n - 1) >> 8 * i != 0; i++)
        v |= (uint64_t)fuzz_u8(in) << 8 * i;
    return v % n;
}

size_t fuzz_size(struct fuzz_input *in, size_t most)
{
    unsigned bits = 0;
    while (most >> bits > 1)
        bits++;
    const size_t least = (size_t)1 << fuzz_below(in, bits + 1);
    return least + (size_t)fuzz_below(in, least < most - least ? least : most - least + 1);
}

uint64_t fuzz_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void *fuzz_alloc(size_t bytes)
{
    void *p = malloc(bytes);
    if (p == NULL && bytes > 0) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return p;
}

mp_limb_t *fuzz_limbs(struct fuzz_input *in, size_t n)
{
    mp_limb_t *a = fuzz_alloc(n * sizeof *a);
    const unsigned kind = (unsigned)fuzz_below(in, OPERAND_KINDS + 12);
    if (n == 0)
        return a;
    if (kind < OPERAND_KINDS) {
        const unsigned digit_bits = 1 + (unsigned)fuzz_below(in, 30);
        operand_fill(a, n, (enum operand_kind)kind, digit_bits, fuzz_below(in, 1 << 16));
        return a;
    }
    const uint8_t fill = fuzz_u8(in);
    memset(a, fill < 64 ? 0 : fill < 128 ? 255 : fill, n * sizeof *a);
    const size_t bytes = fuzz_below(in, 256), at = fuzz_below(in, n);
    for (size_t i = 0; i < bytes && in->left > 0; i++)
        ((unsigned char *)a)[(8 * at + i) % (8 * n)] = fuzz_u8(in);
    return a;
}

void fuzz_choices(struct fuzz_input *in, struct gfmul_options *opt)
{
    static const enum gfmul_engine engines[] = {GFMUL_ENGINE_CPU, GFMUL_ENGINE_CPU,  GFMUL_ENGINE_CPU, GFMUL_ENGINE_CPU,
                                                GFMUL_ENGINE_CPU, GFMUL_ENGINE_AUTO, GFMUL_ENGINE_GMP, GFMUL_ENGINE_FFTW};
    static const enum gfmul_precision precisions[] = {GFMUL_PRECISION_AUTO, GFMUL_PRECISION_DOUBLE, GFMUL_PRECISION_DD,
                                                      GFMUL_PRECISION_PRIME};
    const unsigned first = fuzz_u8(in), second = fuzz_u8(in);
    gfmul_options_init(opt);
    opt->device = "cpu";
    opt->engine = engines[first & 7];
    opt->rule = (enum gfmul_rule)((first >> 3 & 3) % 3);
    opt->precision = precisions[first >> 5 & 3];
    opt->threads = 1 + (first >> 7);
    opt->packing = (enum gfmul_packing)(second & 3);
    opt->verify = (enum gfmul_verify)((second >> 2 & 3) % 3);
    opt->verify_primes = (second >> 4 & 7) % (GFMUL_RESIDUES_MAX + 1);
    opt->adaptive = second >> 7;
    if (!gfmul_has_engine(opt->engine))
        opt->engine = GFMUL_ENGINE_CPU;
}

static char folder[256];
static pid_t folder_owner;

static void folder_remove(void)
{
    DIR *d = getpid() == folder_owner ? opendir(folder) : NULL;
    struct dirent *entry;
    if (d == NULL)
        return;
    while ((entry = readdir(d)) != NULL)
        unlinkat(dirfd(d), entry->d_name, 0);
    closedir(d);
    rmdir(folder);
}

const char *fuzz_folder(void)
{
    const char *tmp = getenv("TMPDIR");
    if (folder[0] == '\0') {
        snprintf(folder, sizeof folder, "%s/gfmul-fuzz-XXXXXX", tmp != NULL ? tmp : "/tmp");
        if (mkdtemp(folder) == NULL) {
            folder[0] = '\0';
            return NULL;
        }
        folder_owner = getpid();
        atexit(folder_remove);
        setenv("GFMUL_CACHE_DIR", folder, 1);
    }
    return folder;
}

void fuzz_failed(const char *file, int line, const char *condition, const char *format, ...)
{
    va_list ap;
    fprintf(stderr, "%s:%d: FAILED: %s: ", file, line, condition);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
    abort();
}
