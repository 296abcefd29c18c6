/*
 * fftgen.c - write the OpenCL kernels and host functions of one fast Fourier transform.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fftgen.h"
#include "gen/analyze.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

enum { MAX_FILE = 1 << 20 }; /* the largest parameter file, in bytes */

struct request {
    struct gen_params params;
    struct gen_problems problems;
    const char *folder; /* NULL: fft_ID, or no folder if only the analysis or a picture is wanted */
    const char *graph;  /* file for the picture */
    const char *device; /* device to tune on; NULL: no tuning */
    bool analyze, has_ceilings, serves;
    unsigned port; /* port to serve on; 0: any */
    struct gen_ceilings ceilings;
};

void complain(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    fputs("fftgen: ", stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
}

static int usage_error(void)
{
    fputs("Try 'fftgen --help' for more information.\n", stderr);
    return EXIT_USAGE;
}

/* Print a text; returns the exit status. */
static int print(struct gen_text *text)
{
    bool ok = !text->failed;
    if (ok && text->s)
        ok = fputs(text->s, stdout) >= 0;
    ok = fflush(stdout) == 0 && ok;
    if (!ok)
        complain(text->failed ? "out of memory" : "standard output: %s", strerror(errno));
    gen_text_free(text);
    return ok ? EXIT_DONE : EXIT_FAILED;
}

static int help(const char *key)
{
    struct gen_text text = {0};

    if (key && strcmp(key, "KEYS") != 0) {
        if (!gen_params_help(key, &text)) {
            complain("there is no key '%s' (see --help KEYS)", key);
            gen_text_free(&text);
            return EXIT_USAGE;
        }
        return print(&text);
    }
    if (!key)
        gen_printf(&text, "%s",
                   "Usage: fftgen [OPTION]... [KEY=VALUE]...\n"
                   "Write a fast Fourier transform for OpenCL: kernels, host functions in C, and an\n"
                   "example that checks them.\n\n"
                   "  -f, --file FILE      read KEY=VALUE lines from FILE; the command line overrides them\n"
                   "  -o, --output FOLDER  write into FOLDER (default: fft_ID), made if it is missing\n"
                   "      --analyze        print operations, memory traffic, tables, registers\n"
                   "      --ceilings=BANDWIDTH,RATE,LAUNCH\n"
                   "                       with --analyze: the least time on a device with this bandwidth\n"
                   "                       (GB/s), rate (10^9 operations/s) and launch time (us)\n"
                   "      --graph FILE     draw the butterflies (at most 64 points) as SVG\n"
                   "      --serve[=PORT]   a page at http://127.0.0.1:PORT/ (default: any free port) where a\n"
                   "                       browser sets the keys and sees operations, memory and the picture\n"
                   "      --defaults=published\n"
                   "                       the defaults of the published generator: FFTDATA=float SCALING=Y\n"
                   "                       ALGORITHM=2 USECONSTANTS=Y KERNELHEIGHT=6 KERNELWIDTH=16\n"
                   "      --tune[=DEVICE]  try ALGORITHM, TWIDDLE, KERNELHEIGHT and KERNELWIDTH (those not\n"
                   "                       given) on an OpenCL device, print a table of the times, and\n"
                   "                       write the fastest transform, its parameters in fft_ID.params\n"
                   "      --codelets       print the codelets of the library's own transform on the CPU, in C\n"
                   "      --help [KEY]     this text, or what KEY means; --help KEYS: all keys\n"
                   "      --version        print the version\n\n"
                   "With --analyze or --graph, files are written only if --output is given.\n\n"
                   "Exit status: 0 done; 1 a file could not be read or written; 2 bad usage.\n\n"
                   "Keys, what they may be, and [the default]:\n");
    gen_params_help(NULL, &text);
    return print(&text);
}

/* Read a whole parameter file. */
static int file_read(struct request *r, const char *name)
{
    int status = EXIT_FAILED;
    char *text = malloc(MAX_FILE + 1);
    FILE *f = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");

    if (!text) {
        complain("out of memory");
        goto end;
    }
    size_t len = f ? fread(text, 1, MAX_FILE + 1, f) : 0;
    if (!f || ferror(f)) {
        complain("%s: %s", name, strerror(errno));
        goto end;
    }
    if (len > MAX_FILE) {
        complain("%s: more than %d bytes: not a parameter file", name, MAX_FILE);
        goto end;
    }
    gen_params_file(&r->params, text, len, 1, name, &r->problems);
    status = EXIT_DONE;
end:
    if (f && f != stdin)
        fclose(f);
    free(text);
    return status;
}

/* Store a generated text under its file name in the transform; the text is empty again. */
static void put(struct files *f, const struct gen_params *p, const char *ending, struct gen_text *text)
{
    char name[96];

    snprintf(name, sizeof name, "%s%s%s", *ending == '_' || *ending == '.' ? "fft_" : "",
             *ending == '_' || *ending == '.' ? p->id : "", ending);
    files_put(f, name, text->failed ? NULL : text->s ? text->s : "", text->len);
    gen_text_free(text);
}

/* Store the twiddle table in the host's number format. */
static void table_put(struct files *f, const struct gen_params *p, const struct gen_launches *l)
{
    size_t bytes = (size_t)gen_table_bytes(p, &l->table);
    void *table = malloc(bytes);

    if (table && gen_table_fill(p, l, table) != GFMUL_OK) {
        free(table);
        table = NULL;
    }
    files_put(f, p->twiddle_file, table, bytes);
    free(table);
}

static void transform_put(struct files *f, const struct request *r, const struct gen_launches *l)
{
    const struct gen_params *p = &r->params;
    struct gen_text text = {0};

    if (gen_emit_opencl(p, l, &text) != GFMUL_OK)
        text.failed = true;
    put(f, p, ".cl", &text);
    gen_emit_header(p, l, &text);
    put(f, p, ".h", &text);
    gen_emit_source(p, l, &text);
    put(f, p, ".c", &text);
    gen_emit_example(p, l, &text);
    put(f, p, "_example.c", &text);
    gen_emit_makefile(p, &text);
    put(f, p, "Makefile", &text);
    if (p->twiddle == GEN_TWIDDLE_FILE)
        table_put(f, p, l);
    if (r->device) {
        gen_printf(&text, "# Found by fftgen --tune.\n");
        gen_params_print(p, "", &text);
        put(f, p, ".params", &text);
    }
}

static void table_line(const char *line)
{
    puts(line);
    fflush(stdout);
}

/* Measure candidates, and set the fastest one. */
static int tune_run(struct request *r)
{
    char detail[256] = "";
    enum gfmul_status status = tune(&r->params, r->device, table_line, detail);
    if (status != GFMUL_OK)
        complain("%s", detail[0] ? detail : gfmul_strerror(status));
    return status == GFMUL_OK ? EXIT_DONE : status == GFMUL_ERR_UNSUPPORTED ? EXIT_USAGE : EXIT_FAILED;
}

static int analysis_print(const struct request *r, const struct gen_launches *l)
{
    struct gen_text text = {0};
    if (gen_analyze(&r->params, l, r->has_ceilings ? &r->ceilings : NULL, &text) != GFMUL_OK)
        text.failed = true;
    return print(&text);
}

static bool graph_fits(const struct gen_params *p)
{
    const uint32_t n = gen_points(p);
    return n <= GEN_SVG_POINTS && (n & (n - 1)) == 0;
}

static int graph_write(const struct request *r, const struct gen_launches *l)
{
    struct gen_text text = {0};
    struct files f;
    struct stat old;
    bool ok = gen_svg(&r->params, l, &text);
    const char *svg = ok && !text.failed ? text.s : NULL;

    if (lstat(r->graph, &old) != 0 || S_ISREG(old.st_mode)) {
        ok = files_open(&f, NULL);
        files_put(&f, r->graph, svg, text.len);
        ok = files_close(&f, true) && ok;
    } else { /* a link or a pipe is written directly */
        FILE *stream = svg ? fopen(r->graph, "w") : NULL;
        ok = stream && fputs(svg, stream) >= 0;
        if (stream && fclose(stream) != 0)
            ok = false;
        if (!ok)
            complain("%s: %s", r->graph, svg ? strerror(errno) : "out of memory");
    }
    gen_text_free(&text);
    return ok ? EXIT_DONE : EXIT_FAILED;
}

/* Do all that was asked for; the parameters are valid.  Unwritable files are found before a device is measured. */
static int generate(struct request *r)
{
    const bool writes = r->folder || r->device || (!r->analyze && !r->graph);
    char own[48];
    struct files f;
    struct gen_launches l;
    int status = EXIT_DONE;

    if (r->graph && !graph_fits(&r->params)) {
        complain("--graph: not supported yet: more than %d points, or no power of two", GEN_SVG_POINTS);
        return EXIT_USAGE;
    }
    snprintf(own, sizeof own, "fft_%s", r->params.id);
    if (writes && !files_open(&f, r->folder ? r->folder : own))
        return EXIT_FAILED;
    if (r->device)
        status = tune_run(r);
    if (status == EXIT_DONE) {
        gen_launches_find(&r->params, &l);
        if (r->analyze)
            status = analysis_print(r, &l);
        if (status == EXIT_DONE && r->graph)
            status = graph_write(r, &l);
        if (status == EXIT_DONE && writes)
            transform_put(&f, r, &l);
    }
    if (writes && !files_close(&f, status == EXIT_DONE) && status == EXIT_DONE)
        status = EXIT_FAILED;
    if (status == EXIT_DONE && ferror(stdout)) {
        complain("standard output: not all of the table could be written");
        status = EXIT_FAILED;
    }
    return status;
}

/* Three positive numbers. */
static bool ceilings_read(const char *text, struct gen_ceilings *c)
{
    char rest;
    double bandwidth, rate, launch;
    if (!text || sscanf(text, "%lf,%lf,%lf%c", &bandwidth, &rate, &launch, &rest) != 3 ||
        !(bandwidth > 0 && rate > 0 && launch >= 0))
        return false;
    *c = (struct gen_ceilings){1e9 * bandwidth, 1e9 * rate, 1e-6 * launch};
    return true;
}

static bool port_read(const char *text, unsigned *port)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);

    *port = (unsigned)value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && value <= 65535;
}

/* The argument of an option: after "=", or the next word. */
static const char *argument(const char *word, const char *name, int *i, int argc, char **argv)
{
    size_t len = strlen(name);
    if (word[len] == '=')
        return word + len + 1;
    return *i + 1 < argc ? argv[++*i] : NULL;
}

static bool is_option(const char *word, const char *name)
{
    size_t len = strlen(name);
    return strncmp(word, name, len) == 0 && (word[len] == '\0' || (word[len] == '=' && name[1] == '-'));
}

/* Parameter files come first, so that the command line overrides them.  Wrong words are reported with all other problems. */
static int arguments(struct request *r, int argc, char **argv)
{
    int status = EXIT_DONE;

    for (int i = 1; i < argc && status == EXIT_DONE; i++) {
        const char *name = is_option(argv[i], "-f") ? "-f" : "--file";
        if (is_option(argv[i], name)) {
            const char *file = argument(argv[i], name, &i, argc, argv);
            if (!file) {
                complain("%s: a file name is missing", name);
                return usage_error();
            }
            status = file_read(r, file);
        } else if (is_option(argv[i], "-o") || is_option(argv[i], "--output")) {
            r->folder = argument(argv[i], argv[i][1] == 'o' ? "-o" : "--output", &i, argc, argv);
            if (!r->folder || !*r->folder) {
                complain("--output: a folder is missing");
                return usage_error();
            }
        } else if (strcmp(argv[i], "--analyze") == 0) {
            r->analyze = true;
        } else if (is_option(argv[i], "--ceilings")) {
            r->has_ceilings = true;
            if (!ceilings_read(argument(argv[i], "--ceilings", &i, argc, argv), &r->ceilings)) {
                complain("--ceilings: allowed: BANDWIDTH,RATE,LAUNCH in GB/s, 10^9 operations/s, microseconds");
                return usage_error();
            }
        } else if (is_option(argv[i], "--graph")) {
            r->graph = argument(argv[i], "--graph", &i, argc, argv);
            if (!r->graph || !*r->graph) {
                complain("--graph: a file name is missing");
                return usage_error();
            }
        } else if (is_option(argv[i], "--serve")) {
            r->serves = true;
            if (!port_read(argv[i][7] == '=' ? argv[i] + 8 : "0", &r->port)) {
                complain("--serve: allowed: a port from 0 (any) to 65535");
                return usage_error();
            }
        } else if (is_option(argv[i], "--tune")) {
            r->device = argv[i][6] == '=' ? argv[i] + 7 : "gpu";
        } else if (argv[i][0] == '-' && strcmp(argv[i], "--defaults=published") != 0) {
            complain("there is no option '%s'", argv[i]);
            return usage_error();
        }
    }
    for (int i = 1; i < argc && status == EXIT_DONE; i++) {
        if (argv[i][0] == '-')
            i += strchr(argv[i], '=') == NULL && strcmp(argv[i], "--analyze") != 0 && strcmp(argv[i], "--tune") != 0 &&
                 strcmp(argv[i], "--serve") != 0;
        else
            gen_params_set(&r->params, argv[i], strlen(argv[i]), 2, "", &r->problems);
    }
    return status;
}

/* The defaults, ours or the published generator's; keys override them wherever they stand on the command line. */
static bool defaults_set(struct gen_params *p, int argc, char **argv)
{
    gen_params_default(p);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--defaults=published") == 0) {
            gen_params_published(p);
        } else if (strncmp(argv[i], "--defaults", 10) == 0) {
            complain("%s: allowed: --defaults=published", argv[i]);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct request r = {0};

    signal(SIGXFSZ, SIG_IGN); /* exceeding a file size limit is then an error of write(), like a full disk */
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0)
            return help(argv[i + 1]);
        if (strcmp(argv[i], "--codelets") == 0) {
            struct gen_text text = {0};
            text.failed = gen_codelets_write_c(&text) != GFMUL_OK;
            return print(&text);
        }
        if (strcmp(argv[i], "--version") == 0) {
            struct gen_text text = {0};
            gen_printf(&text, "fftgen (gfmul) %s\n", PACKAGE_VERSION);
            return print(&text);
        }
    }
    if (!defaults_set(&r.params, argc, argv))
        return usage_error();
    int status = arguments(&r, argc, argv);
    if (status == EXIT_DONE)
        gen_params_check(&r.params, &r.problems);
    if (status == EXIT_DONE && r.problems.count > 0) {
        for (char *line = r.problems.text.s, *end; line && (end = strchr(line, '\n')); line = end + 1)
            complain("%.*s", (int)(end - line), line);
        if (r.problems.count > GEN_MAX_PROBLEMS)
            complain("... and %u more problems", r.problems.count - GEN_MAX_PROBLEMS);
        status = usage_error();
    }
    if (status == EXIT_DONE)
        status = r.serves ? serve(r.port, &r.params) : generate(&r);
    gen_text_free(&r.problems.text);
    return status;
}
