/*
 * bigmul_start.c - the context, and the start of an OpenCL device, while the operands are read.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A driver takes a tenth of a second to load and another one to open its device, and both need nothing of the operands.
 */
#include <string.h>
#include <sys/stat.h>

#include "bigmul.h"

static const size_t large_bytes = (size_t)1 << 22;  /* of operands for which a device may be worth it unasked */
static const size_t device_bytes = (size_t)1 << 14; /* of operands whose product is not GMP's */

/* file_bytes - of a regular file, else 0. */
static size_t file_bytes(const char *name)
{
    struct stat s;
    return strcmp(name, "-") != 0 && stat(name, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0 ? (size_t)s.st_size : 0;
}

static void *start_run(void *arg)
{
    struct start *start = arg;
    struct gfmul_plan_info plan;
    struct gfmul_report report;

    start->status = gfmul_ctx_create(&start->ctx, &start->settings->library);
    if (start->status != GFMUL_OK || start->bytes[0] < device_bytes || start->bytes[1] < device_bytes)
        return NULL;
    /* A plan opens the device.  What it says does not matter: the product will say it again. */
    const int base = start->settings->base >= 2 ? start->settings->base : 10;
    if (gfmul_plan_text(start->ctx, &plan, base, start->bytes[0], start->bytes[1]) == GFMUL_OK) {
        gfmul_ctx_report(start->ctx, &report);
        start->device_start_ns = report.device_start_ns;
    }
    return NULL;
}

void start_begin(struct start *start, const struct settings *settings)
{
    const struct gfmul_options *opt = &settings->library;
    const bool is_auto = !opt->device || strcmp(opt->device, "auto") == 0;
    const bool cpu = opt->device && (strcmp(opt->device, "cpu") == 0 || strcmp(opt->device, "0") == 0);

    memset(start, 0, sizeof *start);
    start->settings = settings;
    for (int i = 0; i < 2; i++)
        start->bytes[i] = file_bytes(settings->file[i]);
    const bool large = start->bytes[0] >= large_bytes && start->bytes[1] >= large_bytes;
    const bool apart = opt->engine == GFMUL_ENGINE_OPENCL || (opt->engine == GFMUL_ENGINE_AUTO && !cpu && (!is_auto || large));
    start->apart = apart && gfmul_has_engine(GFMUL_ENGINE_OPENCL) && pthread_create(&start->thread, NULL, start_run, start) == 0;
    if (!start->apart)
        start->status = gfmul_ctx_create(&start->ctx, opt);
}

enum gfmul_status start_end(struct start *start)
{
    if (start->apart)
        pthread_join(start->thread, NULL);
    start->apart = false;
    return start->status;
}
