/*
 * bigmul.c - the product of the integers in two files.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bigmul.h"
#include "gfmul_private.h"

const char program_name[] = "bigmul";

const struct input *job_operand(const struct job *job, int i)
{
    return i == 0 || job->square ? &job->a : &job->b;
}

int job_error(const struct job *job, enum gfmul_status status, int first)
{
    struct gfmul_report report;

    /* If a file changed meanwhile, the message would describe a number that never existed. */
    for (int i = 0; i < 2; i++)
        if (input_check(job_operand(job, i)) != EXIT_DONE)
            return EXIT_INPUT;
    gfmul_ctx_report(job->ctx, &report);
    if ((status == GFMUL_ERR_SYNTAX || status == GFMUL_ERR_EMPTY) && report.error_operand >= 0)
        return input_wrong(job_operand(job, report.error_operand + first), &report, job->settings.lenient);
    const char *const why = report.status == status && report.detail[0] ? report.detail : gfmul_strerror(status);
    if (status == GFMUL_ERR_MEMORY && job->settings.memory > 0)
        complain("%s (--memory=%s, less %zu bytes of numbers)", why, job->settings.memory_text,
                 job->settings.memory - job->settings.library.memory_limit);
    else
        complain("%s", why);
    return EXIT_COMPUTE;
}

/* A context that could not be made has no report, so the message names what was asked for. */
static int context_error(const struct job *job, enum gfmul_status status)
{
    const struct gfmul_options *opt = &job->settings.library;

    if (status == GFMUL_ERR_UNSUPPORTED) {
        options_unsupported(opt);
    } else if (status == GFMUL_ERR_DEVICE || (status == GFMUL_ERR_ARGUMENT && opt->device)) {
        char why[256] = "";
        const bool named = opt->device && strcmp(opt->device, "auto") != 0; /* else engine opencl, on any device */
        if (gfmul_device_find(NULL, named ? opt->device : "gpu", why, sizeof why) == GFMUL_OK || !why[0])
            snprintf(why, sizeof why, "%s", gfmul_strerror(status));
        if (named)
            complain("device '%s': %s (see --list-devices)", opt->device, why);
        else
            complain("engine opencl: %s (see --list-devices)", why);
    } else {
        complain("%s", gfmul_strerror(status));
    }
    return EXIT_COMPUTE;
}

/* Open the second operand; if necessary, load the first one before. */
static int second_open(struct job *job, const char *file, const struct reading *how)
{
    int status;

    if (input_is_pipe(file, &job->a)) { /* what one operand reads is lost to the other */
        complain("%s and %s are one pipe; for its square use --square", job->a.name, name_for_messages(file, "standard input"));
        return EXIT_INPUT;
    }
    /* Opening a named pipe waits for its writer, who may want to write the first operand before. */
    if (input_is_pipe(file, NULL) && ((status = input_load(&job->a, how)) != EXIT_DONE || job->a.stray))
        return status;
    if ((status = input_open(&job->b, file)) != EXIT_DONE)
        return status;
    job->square = input_same(&job->a, &job->b);
    return EXIT_DONE;
}

static int inputs_load(struct job *job)
{
    const struct settings *s = &job->settings;
    struct reading how = {s->base, s->lenient, s->memory, s->memory_text};
    uint64_t start = time_ns();
    int status;

    if ((status = input_open(&job->a, s->file[0])) != EXIT_DONE)
        return status;
    job->square = s->file[0] == s->file[1];
    if (!job->square && (status = second_open(job, s->file[1], &how)) != EXIT_DONE)
        return status;
    if (!job->a.text && (status = input_load(&job->a, &how)) != EXIT_DONE)
        return status;
    if (how.room) /* input_load has made sure that a fits; the rest is not 0, which would mean no limit */
        how.room = how.room > job->a.len ? how.room - job->a.len : 1;
    if (!job->square && !job->a.stray && (status = input_load(&job->b, &how)) != EXIT_DONE)
        return status;
    job->stats.read_ns = time_ns() - start;
    for (int i = 0; i < 2; i++) {
        const struct input *in = job_operand(job, i);
        job->stats.input_bytes[i] = in->len;
        job->stats.base[i] = input_is_binary(in) ? 0 : s->base ? s->base : number_base(in->text, in->len);
    }
    job->base_a = job->stats.base[0];
    job->base_b = job->stats.base[1];
    if (format_is_binary(s->output_format, !job->base_a && !job->base_b, s->output_base))
        job->base_z = 0;
    else
        job->base_z = s->output_base ? s->output_base : job->base_a ? job->base_a : job->base_b ? job->base_b : 10;
    job->stats.output_base = job->base_z;
    job->binary = !job->base_a || !job->base_b || !job->base_z;
    return job->base_z || s->plan ? EXIT_DONE : output_terminal_check(&job->out);
}

/* Memory for the product, on huge pages if there are any: job->z, or NULL. */
static void product_alloc(struct job *job)
{
    const size_t huge = (size_t)1 << 21;
    const size_t size = gfmul_str_mul_size(job->a.len, job->base_a, job_operand(job, 1)->len, job->base_b, job->base_z);
    void *z = NULL;

    job->z_size = size;
    if (size == 0)
        return;
    if (size < huge)
        z = malloc(size);
    else if (size > SIZE_MAX - huge || posix_memalign(&z, huge, size) != 0)
        z = NULL;
    job->z = z;
#ifdef MADV_HUGEPAGE
    if (z && size >= huge)
        (void)madvise(z, size / huge * huge, MADV_HUGEPAGE);
#endif
}

/* The error if there is no memory for the product. */
static int product_error(const struct job *job)
{
    if (job->z_size == 0)
        complain("the product would be too large for this machine");
    else
        complain("not enough memory for the product (%zu bytes)", job->z_size);
    return EXIT_COMPUTE;
}

/* memory_divide - give the library what --memory leaves after the numbers. */
static int memory_divide(struct job *job)
{
    struct settings *s = &job->settings;
    const struct input *const b = job_operand(job, 1);
    size_t product, operands;

    if (job->binary) {
        binary_sizes(job, &operands, &product);
    } else {
        product = gfmul_str_mul_size(job->a.len, job->base_a, b->len, job->base_b, job->base_z);
        operands = job->a.len + (job->square ? 0 : b->len);
    }

    if (job->a.stray || job->b.stray) {
        s->library.memory_limit = s->memory; /* no product will be computed */
        return EXIT_DONE;
    }
    if (product == 0 || operands > SIZE_MAX - product || operands + product >= s->memory) {
        complain("--memory=%s: the operands have %zu bytes, the product up to %zu", s->memory_text, operands, product);
        return EXIT_COMPUTE;
    }
    s->library.memory_limit = s->memory - operands - product;
    return EXIT_DONE;
}

/*
 * Touch the memory of the product while a device starts, so that the product does not wait for its first touches.  If none
 * starts, the threads of the product touch it faster.
 */
static void memory_touch(struct job *job)
{
    const size_t page = 4096;

    if (!job->start.apart || job->settings.plan || job->binary)
        return;
    const atomic_bool *const enough = &job->start.ended;
    input_touch(&job->a, enough);
    input_touch(job_operand(job, 1), enough);
    product_alloc(job);
    for (size_t i = 0; job->z && i < job->z_size && !atomic_load_explicit(enough, memory_order_relaxed); i += page)
        job->z[i] = 0;
}

/* Write the certificate after the product; it is also written whole or not at all. */
static int certificate_write(struct job *job)
{
    const size_t len = gfmul_ctx_certificate(job->ctx, NULL, 0);
    char *text = malloc(len + 1);
    int result = EXIT_COMPUTE;

    if (text && len > 0 && gfmul_ctx_certificate(job->ctx, text, len + 1) == len)
        result = output_write(&job->certificate, text, len);
    else
        complain("not enough memory for the certificate");
    free(text);
    return result;
}

void product_made(struct job *job, struct gfmul_report *report)
{
    gfmul_ctx_report(job->ctx, report);
    report->device_start_ns += job->start.device_start_ns;
    job->device_used = strcmp(report->plan.engine, "opencl") == 0;
    job->stats.n_kernels = gfmul_ctx_kernels(job->ctx, job->stats.kernel, STATS_KERNELS);
    if (job->stats.n_kernels > STATS_KERNELS)
        job->stats.n_kernels = STATS_KERNELS;
}

/* multiply_text - the product of two texts as text, which is written. */
static int multiply_text(struct job *job, struct gfmul_report *report)
{
    const struct input *b = job_operand(job, 1);
    size_t len = 0;
    int result;

    if (!job->z)
        product_alloc(job);
    if (!job->z)
        return product_error(job);
    char *const z = job->z;
    progress_start();
    computing_begin();
    enum gfmul_status status = gfmul_str_mul(job->ctx, z, job->z_size, &len, job->base_z, job->a.text, job->a.len, job->base_a,
                                             b->text, b->len, job->base_b);
    computing_end();
    progress_erase();
    if (status != GFMUL_OK)
        return job_error(job, status, 0);
    product_made(job, report);
    if ((result = input_check(&job->a)) != EXIT_DONE || (result = input_check(b)) != EXIT_DONE)
        return result;
    z[len++] = '\n'; /* where the NUL was */
    job->stats.output_bytes = len;
    const uint64_t start = time_ns();
    result = output_write(&job->out, z, len);
    job->stats.write_ns = time_ns() - start;
    return result;
}

static int multiply(struct job *job)
{
    struct gfmul_report report;
    int result = job->binary ? multiply_binary(job, &report) : multiply_text(job, &report);

    if (result != EXIT_DONE)
        return result;
    const uint64_t start = time_ns();
    if (job->settings.certificate && (result = certificate_write(job)) != EXIT_DONE)
        return result;
    job->stats.write_ns += time_ns() - start;
    job->stats.wall_ns += time_ns();
    if (!stats_print(job->settings.stats, &report, &job->stats))
        return EXIT_INPUT; /* the reason cannot be printed anywhere */
    return EXIT_DONE;
}

/* operand_check - let the library check an operand by multiplying it by 0. */
static int operand_check(const struct job *job, int i)
{
    const struct input *in = job_operand(job, i);
    const int base = job->stats.base[i];
    size_t limbs;
    if (!base)
        return binary_limbs_count(job, i, &limbs);
    const size_t size = gfmul_str_mul_size(in->len, base, 1, base, base);
    char *const z = size ? malloc(size) : NULL;

    if (!z) {
        complain("not enough memory to check %s", in->name);
        return EXIT_COMPUTE;
    }
    const enum gfmul_status status = gfmul_str_mul(job->ctx, z, size, NULL, base, in->text, in->len, base, "0", 1, base);
    free(z);
    return status == GFMUL_OK ? EXIT_DONE : job_error(job, status, i);
}

/* stray_error - the library's error for the operand whose reading stopped early. */
static int stray_error(const struct job *job)
{
    const int i = job->a.stray ? 0 : 1;
    const int status = operand_check(job, i);

    if (status == EXIT_DONE) /* the two parsers disagree */
        complain("%s: not read to its end", job_operand(job, i)->name);
    return status == EXIT_DONE ? EXIT_COMPUTE : status;
}

/* candidate_print - a line of --plan=all. */
static int candidate_print(struct job *job, const struct gfmul_private_candidate *x)
{
    const struct gfmul_plan_info *p = &x->plan;
    char text[512];
    size_t len = (size_t)snprintf(text, sizeof text, "%.3f ms: %s", x->ms, p->engine);
    if (p->n_points > 0)
        len += (size_t)snprintf(text + len, sizeof text - len, " %s, %zu points, l = %.2f, %zu MiB, passes %s", p->precision,
                                p->n_points, p->l, (p->memory_bytes >> 20) + 1, p->passes);
    if (p->n_slices > 1)
        len += (size_t)snprintf(text + len, sizeof text - len, ", %zu slices", p->n_slices);
    if (p->a_pieces > 1)
        len += (size_t)snprintf(text + len, sizeof text - len, ", %zu by %zu pieces", p->a_pieces, p->b_pieces);
    if (p->wraps)
        len += (size_t)snprintf(text + len, sizeof text - len, ", wraps by %zu limbs", p->wrap_limbs);
    text[len++] = '\n';
    return output_write(&job->out, text, len);
}

/* rates_print - where the costs of the CPU's candidates come from, in a last line; nothing if there are none. */
static int rates_print(struct job *job, const struct gfmul_private_candidate *list, size_t n)
{
    char text[256];
    size_t i = 0, len;
    while (i < n && strcmp(list[i].plan.engine, "cpu") != 0)
        i++;
    if (i == n)
        return EXIT_DONE;
    const struct gfmul_private_candidate *x = &list[i];
    if (x->rate_points > 0)
        len = (size_t)snprintf(text, sizeof text,
                               "rates: tables for %s times %.2f (double, dd), %.2f (prime), %.2f (new memory), measured here\n",
                               x->plan.isa, x->rate_points, x->rate_primes, x->rate_touch);
    else
        len = (size_t)snprintf(text, sizeof text, "rates: tables for %s\n", x->plan.isa);
    return output_write(&job->out, text, len);
}

/* candidates_print - all ways to make the product, in digits of `base`, or in limbs. */
static int candidates_print(struct job *job, int base, const size_t size[2])
{
    struct gfmul_private_candidate *list;
    size_t n;
    const enum gfmul_status status = gfmul_private_candidates(job->ctx, &list, &n, base, size[0], job->square ? 0 : size[1]);
    if (status != GFMUL_OK)
        return job_error(job, status, 0);
    int result = EXIT_DONE;
    for (size_t i = 0; i < n && result == EXIT_DONE; i++)
        result = candidate_print(job, &list[i]);
    if (result == EXIT_DONE)
        result = rates_print(job, list, n);
    free(list);
    return result;
}

/* --plan: the library checks the operands; their digits are counted here. */
static int plan_print(struct job *job)
{
    size_t digits[2], limbs[2];
    struct gfmul_plan_info info;
    enum gfmul_status status;
    char text[4096];
    const bool all = job->settings.plan == PLAN_ALL;

    for (int i = 0; i < 2; i++) {
        const int checked = job->binary ? binary_limbs_count(job, i, &limbs[i]) : operand_check(job, i);
        if (checked != EXIT_DONE)
            return checked;
        if (job->binary)
            continue;
        digits[i] = number_digits(job_operand(job, i)->text, job_operand(job, i)->len, job->stats.base[i]);
        limbs[i] = (size_t)ceil((double)digits[i] * log2(job->stats.base[i]) / 64);
    }
    if (!job->binary && job->base_a == job->base_b && job->base_a == job->base_z) {
        if (all)
            return candidates_print(job, job->base_a, digits);
        status = job->square ? gfmul_plan_text_sqr(job->ctx, &info, job->base_a, digits[0])
                             : gfmul_plan_text(job->ctx, &info, job->base_a, digits[0], digits[1]);
    } else {
        if (all)
            return candidates_print(job, 0, limbs);
        status =
            job->square ? gfmul_plan_limbs_sqr(job->ctx, &info, limbs[0]) : gfmul_plan_limbs(job->ctx, &info, limbs[0], limbs[1]);
    }
    if (status != GFMUL_OK)
        return job_error(job, status, 0);
    size_t len = gfmul_plan_print(&info, text, sizeof text);
    return output_write(&job->out, text, len < sizeof text ? len : sizeof text - 1);
}

static int run(struct job *job)
{
    struct settings *s = &job->settings;
    int status;

    if ((status = output_prepare(&job->out, s->output)) != EXIT_DONE)
        return status;
    if (s->certificate && (status = output_prepare(&job->certificate, s->certificate)) != EXIT_DONE)
        return status;
    progress_setup(s->progress, &s->library);
    s->library.profile = s->stats != STATS_NONE;
    if (s->memory == 0)
        start_begin(&job->start, s);
    status = inputs_load(job);
    if (status == EXIT_DONE && job->binary && s->certificate) {
        complain("--certificate does not go with binary numbers");
        status = usage_error();
    }
    if (s->memory > 0 && status == EXIT_DONE) {
        if ((status = memory_divide(job)) != EXIT_DONE)
            return status;
        start_begin(&job->start, s);
    }
    if (status == EXIT_DONE && !job->a.stray && !job->b.stray)
        memory_touch(job);
    const uint64_t waited = time_ns();
    enum gfmul_status created = start_end(&job->start);
    job->stats.wait_ns = time_ns() - waited;
    job->ctx = job->start.ctx;
    if (status != EXIT_DONE)
        return status; /* the message has been printed */
    if (created != GFMUL_OK)
        return context_error(job, created);
    if (job->a.stray || job->b.stray)
        return stray_error(job);
    return s->plan ? plan_print(job) : multiply(job);
}

int main(int argc, char **argv)
{
    struct job job = {.a = INPUT_NONE, .b = INPUT_NONE, .out = OUTPUT_NONE, .certificate = OUTPUT_NONE};
    bool done;

    job.stats.wall_ns = 0 - time_ns(); /* wall_ns += time_ns() at the end */
    standard_descriptors_open();
    signals_install();
    int status = options_parse(&job.settings, &done, argc, argv);
    if (done)
        return status;
    if (job.settings.list_devices)
        return devices_print();
    job.settings.argv = argv;
    if (job.settings.build_parts > 0)
        _exit(start_help(&job.settings));
    if (job.settings.scratch) {
        status = scratch_run(&job.settings);
        const int closed = stdout_close();
        return status != EXIT_DONE ? status : closed;
    }
    status = run(&job);
    if (!job.device_used)
        gfmul_ctx_destroy(job.ctx);
    free(job.z);
    input_close(&job.a);
    input_close(&job.b);
    output_free(&job.certificate);
    output_free(&job.out);
    if (close(STDOUT_FILENO) != 0 && status == EXIT_DONE && !job.settings.output) {
        complain("standard output: %s", strerror(errno));
        status = EXIT_INPUT;
    }
    if (job.device_used) { /* drivers need a tenth of a second to release what the end of the process releases anyway */
        fflush(NULL);
        _exit(status);
    }
    return status;
}
