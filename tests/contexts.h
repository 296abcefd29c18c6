/*
 * contexts.h - a context with options, or the end of the test.
 *
 *     struct gfmul_ctx *ctx = TEST_CTX(.engine = GFMUL_ENGINE_CPU, .threads = 1);      all other options are the defaults
 */
#ifndef GFMUL_TEST_CONTEXTS_H
#define GFMUL_TEST_CONTEXTS_H

#include "test.h"

#define TEST_CTX(...) test_ctx(&(const struct gfmul_options){.struct_bytes = sizeof(struct gfmul_options), __VA_ARGS__})

/* test_ctx - a context with these options, NULL: the defaults; if there is none, the test ends. */
TEST_UNUSED static struct gfmul_ctx *test_ctx(const struct gfmul_options *opt)
{
    struct gfmul_ctx *ctx;
    if (!TEST_OK(gfmul_ctx_create(&ctx, opt)))
        exit(1);
    return ctx;
}

#endif
