/*
 * bench_flint.c - FLINT's functions, loaded at run time.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>

#include "bench.h"
#include "bench_flint.h"

struct flint_functions flint;

void flint_open(const char *path, unsigned threads)
{
    const struct {
        const char *name;
        void *address;
    } functions[] = {
        {"mpn_mul_default_mpn_ctx", &flint.mpn_mul},
        {"fmpz_clear", &flint.clear},
        {"fmpz_set_mpz", &flint.set},
        {"fmpz_get_mpz", &flint.get},
        {"fmpz_mul", &flint.mul},
        {"fmpz_tdiv_qr", &flint.tdiv_qr},
        {"fmpz_mod", &flint.mod},
        {"fmpz_divexact", &flint.divexact},
        {"fmpz_gcd", &flint.gcd},
        {"fmpz_sqrtrem", &flint.sqrtrem},
        {"fmpz_powm", &flint.powm},
        {"fmpz_get_str", &flint.get_str},
        {"fmpz_set_str", &flint.set_str},
        {"fmpz_mat_init", &flint.matrix_init},
        {"fmpz_mat_clear", &flint.matrix_clear},
        {"fmpz_mat_mul", &flint.matrix_mul},
    };
    void (*set_threads)(int);
    void *library = library_open(path);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        symbol_get(library, path, functions[i].name, functions[i].address);
    symbol_get(library, path, "flint_set_num_threads", &set_threads);
    set_threads((int)threads);
    const char *version = dlsym(library, "flint_version");
    printf("# flint: %s\n", version ? version : "version unknown");
}
