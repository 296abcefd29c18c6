/*
 * bench_contestants.c - GMP, gfmul in its variants, and FLINT, each behind the same call.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_flint.h"

void *library_open(const char *path)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        bench_fail("%s", dlerror());
    return library;
}

void symbol_get(void *library, const char *path, const char *name, void *address)
{
    void *symbol = dlsym(library, name);
    if (!symbol)
        bench_fail("%s has no function %s", path, name);
    memcpy(address, &symbol, sizeof symbol); /* C has no cast from an object to a function */
}

/* Instruction sets of x86-64, best first; what stands before a name is switched off for it. */
static const char *const isa_names[] = {"avx512", "avx2", "sse2", "scalar", NULL};

static int isa_index(const char *name)
{
    for (int i = 0; isa_names[i]; i++)
        if (strcmp(name, isa_names[i]) == 0)
            return i;
    return -1;
}

struct gfmul_ctx *context_make(const struct gfmul_options *opt, const char *isa)
{
    const char *given = getenv("GFMUL_DISABLE");
    char *kept = given ? strdup(given) : NULL, list[512];
    struct gfmul_ctx *ctx;

    snprintf(list, sizeof list, "%s", given ? given : "");
    for (int i = 0; isa && i < isa_index(isa); i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? "," : "", isa_names[i]);
    }
    if (isa)
        setenv("GFMUL_DISABLE", list, 1);
    enum gfmul_status status = gfmul_ctx_create(&ctx, opt);
    if (isa && kept)
        setenv("GFMUL_DISABLE", kept, 1);
    else if (isa)
        unsetenv("GFMUL_DISABLE");
    free(kept);
    if (status != GFMUL_OK)
        bench_fail("no context: %s", gfmul_strerror(status));
    return ctx;
}

/* gfmul_make - the words after "gfmul-" change the options of the command line. */
static void gfmul_make(struct multiplier *m, const char *words, const struct bench_settings *s)
{
    struct gfmul_options opt = s->library;
    const char *isa = NULL;
    char copy[64], *rest = copy, *word;

    snprintf(copy, sizeof copy, "%s", words);
    while (*words && (word = strsep(&rest, "-"))) {
        if (isa_index(word) >= 0)
            isa = isa_names[isa_index(word)];
        else if (strcmp(word, "norm") == 0)
            opt.rule = GFMUL_RULE_NORM;
        else if (strcmp(word, "knuth") == 0)
            opt.rule = GFMUL_RULE_KNUTH;
        else if (strcmp(word, "checked") == 0)
            opt.rule = GFMUL_RULE_CHECKED;
        else if (strcmp(word, "prime") == 0)
            opt.precision = GFMUL_PRECISION_PRIME;
        else if (strcmp(word, "cpu") == 0)
            opt.engine = GFMUL_ENGINE_CPU;
        else if (strcmp(word, "fftw") == 0)
            opt.engine = GFMUL_ENGINE_FFTW;
        else if (strcmp(word, "unverified") == 0)
            opt.verify = GFMUL_VERIFY_NONE;
        else if (strcmp(word, "product") == 0)
            m->as_product = true;
        else if (strcmp(word, "inline") == 0)
            m->in_line = true;
        else if (word[0] == 't' && word[1] >= '1' && word[1] <= '9')
            opt.threads = (unsigned)real_parse("threads", word + 1, 1, s->library.threads);
        else
            usage_fail("contestant '%s': unknown word '%s'", m->name, word);
    }
    m->kind = MULTIPLIER_GFMUL;
    m->ctx = context_make(&opt, isa);
}

void multiplier_make(struct multiplier *m, const char *name, const struct bench_settings *s)
{
    memset(m, 0, sizeof *m);
    if (strlen(name) >= sizeof m->name)
        usage_fail("contestant '%s': too long", name);
    strcpy(m->name, name);
    if (strcmp(name, "gmp") == 0)
        m->kind = MULTIPLIER_GMP;
    else if (strcmp(name, "flint") == 0) {
        if (!flint.mpn_mul)
            usage_fail("contestant 'flint': --flint says where it is");
        m->kind = MULTIPLIER_FLINT;
    } else if (strcmp(name, "fftw") == 0)
        gfmul_make(m, "fftw", s);
    else if (strcmp(name, "gfmul") == 0)
        gfmul_make(m, "", s);
    else if (strncmp(name, "gfmul-", 6) == 0)
        gfmul_make(m, name + 6, s);
    else
        usage_fail("unknown contestant '%s'", name);
}

void multiplier_free(struct multiplier *m)
{
    gfmul_ctx_destroy(m->ctx);
    m->ctx = NULL;
}

/* gfmul_fails - one call of gfmul that failed: say why. */
static bool gfmul_fails(const struct multiplier *m, enum gfmul_status status)
{
    struct gfmul_report report;
    gfmul_ctx_report(m->ctx, &report);
    fflush(stdout);
    fprintf(stderr, "%s, %zu by %zu limbs: %s%s%s\n", m->name, m->product.an, m->product.bn, gfmul_strerror(status),
            *report.detail ? ": " : "", report.detail);
    return false;
}

bool multiplier_run(void *multiplier, size_t calls)
{
    const struct multiplier *m = multiplier;
    const struct limb_product p = m->product;
    struct gfmul_ctx *const ctx = m->ctx;
    enum gfmul_status status = GFMUL_OK;

    /* a loop for each, so that the calls stand as in a user's program */
    switch (m->kind) {
    case MULTIPLIER_GMP:
        if (p.square)
            for (size_t i = 0; i < calls; i++)
                mpn_sqr(p.z, p.a, (mp_size_t)p.an);
        else
            for (size_t i = 0; i < calls; i++)
                mpn_mul(p.z, p.a, (mp_size_t)p.an, p.b, (mp_size_t)p.bn);
        break;
    case MULTIPLIER_FLINT:
        for (size_t i = 0; i < calls; i++)
            flint.mpn_mul(p.z, p.a, (long)p.an, p.b, (long)p.bn);
        break;
    case MULTIPLIER_GFMUL:
        if (p.square)
            for (size_t i = 0; i < calls && status == GFMUL_OK; i++)
                status = gfmul_sqr(ctx, p.z, p.a, p.an);
        else if (m->in_line)
            for (size_t i = 0; i < calls && status == GFMUL_OK; i++) {
                status = gfmul_mul_inline(ctx, p.z, p.a, p.an, p.b, p.bn);
                __asm__ volatile("" : : : "memory"); /* else the compiler makes one product before the loop */
            }
        else
            for (size_t i = 0; i < calls && status == GFMUL_OK; i++)
                status = gfmul_mul(ctx, p.z, p.a, p.an, p.b, p.bn);
        break;
    }
    return status == GFMUL_OK || gfmul_fails(m, status);
}
