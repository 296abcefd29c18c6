/*
 * bigmul_stats.c - --stats: the figures of a run, as text or JSON.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bigmul.h"

static void text_print(const struct gfmul_report *report, const struct run_stats *run)
{
    char plan[4096];

    gfmul_plan_print(&report->plan, plan, sizeof plan);
    fputs(plan, stderr);
    fprintf(stderr, "a_bytes: %zu\n", run->input_bytes[0]);
    fprintf(stderr, "b_bytes: %zu\n", run->input_bytes[1]);
    fprintf(stderr, "product_bytes: %zu\n", run->output_bytes);
    fprintf(stderr, "bases: %d %d %d\n", run->base[0], run->base[1], run->output_base);
    fprintf(stderr, "read_ms: %.3f\n", stats_ms(run->read_ns));
    fprintf(stderr, "wait_ms: %.3f\n", stats_ms(run->wait_ns));
    fprintf(stderr, "parse_ms: %.3f\n", stats_ms(report->parse_ns));
    fprintf(stderr, "plan_ms: %.3f\n", stats_ms(report->plan_ns));
    fprintf(stderr, "transform_ms: %.3f\n", stats_ms(report->transform_ns));
    fprintf(stderr, "carry_ms: %.3f\n", stats_ms(report->carry_ns));
    fprintf(stderr, "verify_ms: %.3f\n", stats_ms(report->verify_ns));
    fprintf(stderr, "print_ms: %.3f\n", stats_ms(report->print_ns));
    fprintf(stderr, "total_ms: %.3f\n", stats_ms(report->total_ns));
    fprintf(stderr, "write_ms: %.3f\n", stats_ms(run->write_ns));
    fprintf(stderr, "wall_ms: %.3f\n", stats_ms(run->wall_ns));
    fprintf(stderr, "max_error: %.6g\n", report->max_error);
    fprintf(stderr, "fallbacks: %u\n", report->n_fallbacks);
    fprintf(stderr, "residue_prime: %" PRIu64 "\n", report->residue_prime);
    for (unsigned i = 0; i < report->n_residues; i++) {
        const struct gfmul_residue *r = &report->residue[i];
        fprintf(stderr, "residues: %" PRIu64 " %" PRIu64 " %" PRIu64 " modulo %" PRIu64 "\n", r->a, r->b, r->z, r->prime);
    }
    fprintf(stderr, "peak_memory_bytes: %" PRIu64 "\n", stats_peak_bytes());
    if (run->n_kernels > 0 || strcmp(report->plan.engine, "opencl") == 0 || report->n_device_errors > 0) {
        fprintf(stderr, "device_start_ms: %.3f\n", stats_ms(report->device_start_ns));
        fprintf(stderr, "upload_ms: %.3f\n", stats_ms(report->upload_ns));
        fprintf(stderr, "download_ms: %.3f\n", stats_ms(report->download_ns));
        fprintf(stderr, "device_place: %u\n", report->device_place);
        fprintf(stderr, "devices: %u\n", report->n_devices);
        fprintf(stderr, "device_errors: %u\n", report->n_device_errors);
    }
    for (unsigned i = 0; i < run->n_kernels; i++) {
        const struct gfmul_kernel_time *k = &run->kernel[i];
        fprintf(stderr, "kernel: %s, %u launched, %.3f ms", k->name, k->launches, stats_ms(k->ns));
        if (k->bytes > 0 && k->ns > 0)
            fprintf(stderr, ", %.0f bytes, %.1f GB/s", k->bytes, k->bytes / (double)k->ns);
        putc('\n', stderr);
    }
    if (report->detail[0])
        fprintf(stderr, "note: %s\n", report->detail);
}

/* A JSON number; null if JSON cannot represent it. */
static void json_double(const char *key, double x)
{
    if (isfinite(x))
        fprintf(stderr, "\"%s\":%.17g", key, x);
    else
        fprintf(stderr, "\"%s\":null", key);
}

static void json_plan(const struct gfmul_plan_info *plan)
{
    const char *const strings[][2] = {
        {"engine", plan->engine},       {"isa", plan->isa},         {"device", plan->device}, {"rule", plan->rule},
        {"precision", plan->precision}, {"packing", plan->packing}, {"passes", plan->passes}};
    fputs("\"plan\":{", stderr);
    for (unsigned i = 0; i < sizeof strings / sizeof *strings; i++) {
        stats_json_string(strings[i][0], strings[i][1]);
        putc(',', stderr);
    }
    fprintf(stderr, "\"threads\":%u,\"mu\":%u,", plan->threads, plan->mu);
    json_double("m", plan->m);
    putc(',', stderr);
    json_double("l", plan->l);
    fprintf(stderr,
            ",\"base\":%u,\"exponent\":%u,\"points\":%zu,\"a_digits\":%zu,\"b_digits\":%zu,\"slices\":%zu,\"branches\":%zu,",
            plan->base, plan->exponent, plan->n_points, plan->a_digits, plan->b_digits, plan->n_slices, plan->n_branches);
    json_double("k", plan->k);
    putc(',', stderr);
    json_double("bound", plan->bound);
    fprintf(stderr,
            ",\"norms_measured\":%s,\"inverse_measured\":%s,\"proved\":%s,\"knuth\":%s,\"memory_bytes\":%zu,"
            "\"a_pieces\":%zu,\"b_pieces\":%zu,\"narrow_levels\":%u,\"light_levels\":%u,\"double_levels\":%u,"
            "\"wraps\":%s,\"wrap_limbs\":%zu,\"residue_primes\":%u}",
            plan->norms_measured ? "true" : "false", plan->inverse_measured ? "true" : "false", plan->proved ? "true" : "false",
            plan->knuth ? "true" : "false", plan->memory_bytes, plan->a_pieces, plan->b_pieces, plan->narrow_levels,
            plan->light_levels, plan->double_levels, plan->wraps ? "true" : "false", plan->wrap_limbs, plan->residue_primes);
}

static void json_print(const struct gfmul_report *report, const struct run_stats *run)
{
    putc('{', stderr);
    stats_json_string("version", gfmul_version());
    putc(',', stderr);
    json_plan(&report->plan);
    fprintf(stderr, ",\"a_bytes\":%zu,\"b_bytes\":%zu,\"product_bytes\":%zu", run->input_bytes[0], run->input_bytes[1],
            run->output_bytes);
    fprintf(stderr, ",\"bases\":[%d,%d,%d]", run->base[0], run->base[1], run->output_base);
    fprintf(stderr,
            ",\"ms\":{\"read\":%.3f,\"wait\":%.3f,\"parse\":%.3f,\"plan\":%.3f,\"transform\":%.3f,\"carry\":%.3f,\"verify\":%.3f,"
            "\"print\":%.3f,\"total\":%.3f,\"write\":%.3f,\"wall\":%.3f},",
            stats_ms(run->read_ns), stats_ms(run->wait_ns), stats_ms(report->parse_ns), stats_ms(report->plan_ns),
            stats_ms(report->transform_ns), stats_ms(report->carry_ns), stats_ms(report->verify_ns), stats_ms(report->print_ns),
            stats_ms(report->total_ns), stats_ms(run->write_ns), stats_ms(run->wall_ns));
    json_double("max_error", report->max_error);
    /* As a string, because many JSON readers round integers beyond 2^53. */
    fprintf(stderr, ",\"fallbacks\":%u,\"residue_prime\":\"%" PRIu64 "\",\"peak_memory_bytes\":%" PRIu64 ",", report->n_fallbacks,
            report->residue_prime, stats_peak_bytes());
    fputs("\"residues\":[", stderr);
    for (unsigned i = 0; i < report->n_residues; i++) {
        const struct gfmul_residue *r = &report->residue[i];
        fprintf(stderr, "%s{\"prime\":\"%" PRIu64 "\",\"a\":\"%" PRIu64 "\",\"b\":\"%" PRIu64 "\",\"z\":\"%" PRIu64 "\"}",
                i > 0 ? "," : "", r->prime, r->a, r->b, r->z);
    }
    fputs("],", stderr);
    fprintf(stderr, "\"device_ms\":{\"start\":%.3f,\"upload\":%.3f,\"download\":%.3f},\"device_place\":%u,\"devices\":%u,"
                    "\"device_errors\":%u,\"kernels\":[",
            stats_ms(report->device_start_ns), stats_ms(report->upload_ns), stats_ms(report->download_ns), report->device_place,
            report->n_devices, report->n_device_errors);
    for (unsigned i = 0; i < run->n_kernels; i++) {
        const struct gfmul_kernel_time *k = &run->kernel[i];
        fputs(i > 0 ? ",{" : "{", stderr);
        stats_json_string("name", k->name);
        fprintf(stderr, ",\"launches\":%u,\"ms\":%.6f,", k->launches, stats_ms(k->ns));
        json_double("bytes", k->bytes);
        putc('}', stderr);
    }
    fputs("],", stderr);
    stats_json_string("note", report->detail);
    fputs("}\n", stderr);
}

bool stats_print(enum stats_form form, const struct gfmul_report *report, const struct run_stats *run)
{
    clearerr(stderr); /* failing to draw a bar is no error */
    if (form == STATS_TEXT)
        text_print(report, run);
    else if (form == STATS_JSON)
        json_print(report, run);
    return fflush(stderr) == 0 && !ferror(stderr);
}
