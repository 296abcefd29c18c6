/*
 * bigcalc_stats.c - --stats: the figures of a run, as text or JSON.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <inttypes.h>
#include <stdio.h>

#include "bigcalc.h"

static void text_print(const struct evaluation *e, const struct run_stats *run)
{
    const struct expression *const x = e->expression;

    for (size_t i = 0; i < x->n_files; i++) {
        fputs("file: ", stderr);
        text_show(name_for_messages(x->file[i].path, "standard input"));
        fprintf(stderr, ", %zu bytes, base %d, %zu limbs\n", x->file[i].bytes, x->file[i].base, x->file[i].limbs);
    }
    for (size_t i = 0; i < e->n_steps; i++) {
        const struct step *const s = &e->step[i];
        fprintf(stderr, "step: %zu, %s, %zu limbs, %.3f ms", expression_column(x, s->node->offset),
                expression_name(s->node->kind), s->limbs, stats_ms(s->ns));
        if (s->spectra > 0)
            fprintf(stderr, ", %zu products in a space", s->spectra);
        putc('\n', stderr);
    }
    fprintf(stderr, "output_base: %d\n", run->output_base);
    fprintf(stderr, "output_bytes: %zu\n", run->output_bytes);
    fprintf(stderr, "read_ms: %.3f\n", stats_ms(run->read_ns));
    fprintf(stderr, "parse_ms: %.3f\n", stats_ms(run->parse_ns));
    fprintf(stderr, "compute_ms: %.3f\n", stats_ms(run->compute_ns));
    fprintf(stderr, "print_ms: %.3f\n", stats_ms(run->print_ns));
    fprintf(stderr, "write_ms: %.3f\n", stats_ms(run->write_ns));
    fprintf(stderr, "wall_ms: %.3f\n", stats_ms(run->wall_ns));
    fprintf(stderr, "peak_memory_bytes: %" PRIu64 "\n", stats_peak_bytes());
}

static void json_print(const struct evaluation *e, const struct run_stats *run)
{
    const struct expression *const x = e->expression;

    putc('{', stderr);
    stats_json_string("version", gfmul_version());
    fputs(",\"files\":[", stderr);
    for (size_t i = 0; i < x->n_files; i++) {
        fputs(i > 0 ? ",{" : "{", stderr);
        stats_json_string("name", name_for_messages(x->file[i].path, "standard input"));
        fprintf(stderr, ",\"bytes\":%zu,\"base\":%d,\"limbs\":%zu}", x->file[i].bytes, x->file[i].base, x->file[i].limbs);
    }
    fputs("],\"steps\":[", stderr);
    for (size_t i = 0; i < e->n_steps; i++) {
        const struct step *const s = &e->step[i];
        fprintf(stderr, "%s{\"column\":%zu,", i > 0 ? "," : "", expression_column(x, s->node->offset));
        stats_json_string("operation", expression_name(s->node->kind));
        fprintf(stderr, ",\"limbs\":%zu,\"ms\":%.3f,\"products_in_space\":%zu}", s->limbs, stats_ms(s->ns), s->spectra);
    }
    fprintf(stderr,
            "],\"output_base\":%d,\"output_bytes\":%zu,\"ms\":{\"read\":%.3f,\"parse\":%.3f,\"compute\":%.3f,\"print\":%.3f,"
            "\"write\":%.3f,\"wall\":%.3f},\"peak_memory_bytes\":%" PRIu64 "}\n",
            run->output_base, run->output_bytes, stats_ms(run->read_ns), stats_ms(run->parse_ns), stats_ms(run->compute_ns),
            stats_ms(run->print_ns), stats_ms(run->write_ns), stats_ms(run->wall_ns), stats_peak_bytes());
}

bool stats_print(enum stats_form form, const struct evaluation *e, const struct run_stats *run)
{
    clearerr(stderr); /* failing to draw a bar is no error */
    if (form == STATS_TEXT)
        text_print(e, run);
    else if (form == STATS_JSON)
        json_print(e, run);
    return fflush(stderr) == 0 && !ferror(stderr);
}
