/*
 * bigmul_start.c - the context, and the start of an OpenCL device, while the operands are read.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A driver takes a tenth of a second to load and another one to open its device, and both need nothing of the operands.
 */
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bigmul.h"

static const size_t large_bytes = (size_t)1 << 22;  /* of operands for which a device may be worth it unasked */
static const size_t device_bytes = (size_t)1 << 14; /* of operands whose product is not GMP's */

/* file_bytes - of a regular file, else 0.   s out: what is known of it. */
static size_t file_bytes(const char *name, struct stat *s)
{
    memset(s, 0, sizeof *s);
    return strcmp(name, "-") != 0 && stat(name, s) == 0 && S_ISREG(s->st_mode) && s->st_size > 0 ? (size_t)s->st_size : 0;
}

/* file_base - of the number in a file, by its first characters. */
static int file_base(const char *name)
{
    char head[64];
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    const ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    return number_base(head, n > 0 ? (size_t)n : 0);
}

/* device_prepare - what the product will take of a device, by the sizes of its files, which end in a newline. */
static enum gfmul_status device_prepare(const struct start *start)
{
    const struct settings *s = start->settings;
    size_t n[2];
    int base[2];
    for (int i = 0; i < 2; i++) {
        base[i] = s->base >= 2 ? s->base : file_base(s->file[i]);
        n[i] = start->bytes[i] - 1;
    }
    const bool digits = base[0] == base[1] && (!s->output_base || s->output_base == base[0]);
    for (int i = 0; i < 2 && !digits; i++)
        n[i] = (size_t)ceil((double)n[i] * log2(base[i]) / 64);
    return gfmul_device_prepare(start->ctx, digits ? base[0] : 0, n[0], start->square ? 0 : n[1]);
}

static void *start_run(void *arg)
{
    struct start *start = arg;
    struct gfmul_report report;

    start->status = gfmul_ctx_create(&start->ctx, &start->settings->library);
    if (start->status != GFMUL_OK || start->bytes[0] < device_bytes || start->bytes[1] < device_bytes || start->settings->plan)
        return NULL;
    /* What fails here does not matter: the product will say it again. */
    if (device_prepare(start) == GFMUL_OK) {
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
    struct stat s[2];
    for (int i = 0; i < 2; i++)
        start->bytes[i] = file_bytes(settings->file[i], &s[i]);
    start->square = s[0].st_dev == s[1].st_dev && s[0].st_ino == s[1].st_ino;
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
