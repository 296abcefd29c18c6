/*
 * engine.c - the table of engines.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/engine.h"

const struct engine *const engine_rows[] = {
    &engine_short,  &engine_gmp,
#ifdef HAVE_FFTW3
    &engine_fftw,
#endif
#ifdef HAVE_OPENCL
    &engine_opencl,
#endif
    &engine_cpu,    NULL,
};

const struct engine *engine_of(enum gfmul_engine id)
{
    const struct engine *const *row = engine_rows;
    while (*row && (*row)->id != id)
        row++;
    return *row;
}

int gfmul_has_engine(enum gfmul_engine engine)
{
    const struct engine *row = engine == GFMUL_ENGINE_AUTO ? NULL : engine_of(engine);
    return engine == GFMUL_ENGINE_AUTO || (row != NULL && (row->there == NULL || row->there()));
}
