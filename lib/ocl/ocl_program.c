/*
 * ocl_program.c - kernels by name, from memory, from the cache on disk, or built.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_program.h"

#ifdef HAVE_OPENCL
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/environment.h"
#include "ocl/ocl_cache.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_source.h"
#include "ocl/ocl_state.h"

enum { INCLUDE_DEPTH = 8, NAME_BYTES = 64, OPTIONS_BYTES = 4096, KERNEL_OPTIONS_BYTES = 3072 };

/* A kernel object: in the hands of a caller, or waiting for the next. */
struct kernel_object {
    struct kernel_object *next;
    cl_kernel k;
    bool used;
    char name[NAME_BYTES];
};

/* A program in memory.  A thread that wants one that is being built waits for it. */
struct ocl_loaded {
    struct ocl_loaded *next;
    char file[NAME_BYTES];
    char *options; /* what the compiler gets */
    char *source;  /* NULL: the embedded file; else the text: the caller's, or what was read of GFMUL_CL_DIR */
    bool building; /* program and the objects are not there yet */
    bool failed;   /* taken out of the list by the last of those who waited */
    unsigned waiting;
    cl_program program;
    struct kernel_object *objects;
};

/* --- sources ------------------------------------------------------------------------------------------------------------- */

struct text {
    char *p;
    size_t n, room;
    bool failed;
};

static void text_add(struct text *t, const char *p, size_t n)
{
    if (t->failed)
        return;
    if (t->n + n + 1 > t->room) {
        size_t room = 2 * (t->n + n) + 4096;
        char *longer = realloc(t->p, room);
        if (!longer) {
            t->failed = true;
            return;
        }
        t->p = longer;
        t->room = room;
    }
    memcpy(t->p + t->n, p, n);
    t->n += n;
    t->p[t->n] = '\0';
}

static const char *source_dir(void)
{
    const char *dir = environment_get("GFMUL_CL_DIR");
    return dir && *dir ? dir : NULL;
}

/* file_read - a file of GFMUL_CL_DIR as text, to be freed; NULL where it cannot be read. */
static char *file_read(const char *dir, const char *name)
{
    char path[4096], buffer[4096];
    struct text t = {NULL, 0, 0, false};
    size_t n;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", dir, name) >= sizeof path)
        return NULL;
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    text_add(&t, "", 0);
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0)
        text_add(&t, buffer, n);
    t.failed = t.failed || ferror(f) != 0;
    fclose(f);
    if (t.failed) {
        free(t.p);
        return NULL;
    }
    return t.p;
}

/* included - the name in a line `#include "name"`; false where the line is another. */
static bool included(const char *line, size_t n, char *name)
{
    size_t i = 0, length = 0;
#define SPACES                                           \
    while (i < n && (line[i] == ' ' || line[i] == '\t')) \
    i++
    SPACES;
    if (i == n || line[i++] != '#')
        return false;
    SPACES;
    if (n - i < 7 || memcmp(line + i, "include", 7) != 0)
        return false;
    i += 7;
    SPACES;
#undef SPACES
    if (i == n || line[i++] != '"')
        return false;
    while (i < n && line[i] != '"' && length < NAME_BYTES - 1)
        name[length++] = line[i++];
    name[length] = '\0';
    return i < n && line[i] == '"' && length > 0;
}

/* source_expand - append a file, with the files that it includes in place of their lines. */
static enum gfmul_status source_expand(struct text *t, const char *dir, const char *name, unsigned depth, char *detail)
{
    const struct ocl_source *embedded = ocl_sources;
    char *owned = NULL, line_directive[NAME_BYTES + 32], inner[NAME_BYTES];
    const char *p;
    enum gfmul_status status = GFMUL_OK;

    if (depth > INCLUDE_DEPTH) {
        ocl_detail(detail, "%.60s: files include each other", name);
        return GFMUL_ERR_INTERNAL;
    }
    if (dir) {
        p = owned = file_read(dir, name);
    } else {
        while (embedded->name && strcmp(embedded->name, name) != 0)
            embedded++;
        p = embedded->text;
    }
    if (!p) {
        ocl_detail(detail, "no OpenCL source %.60s%s%.100s", name, dir ? " in " : "", dir ? dir : "");
        return GFMUL_ERR_INTERNAL;
    }
    snprintf(line_directive, sizeof line_directive, "#line 1 \"%s\"\n", name);
    text_add(t, line_directive, strlen(line_directive));
    for (unsigned line = 1; *p && status == GFMUL_OK; line++) {
        const char *end = strchr(p, '\n');
        const size_t n = end ? (size_t)(end - p) : strlen(p);
        if (included(p, n, inner)) {
            status = source_expand(t, dir, inner, depth + 1, detail);
            snprintf(line_directive, sizeof line_directive, "#line %u \"%s\"\n", line + 1, name);
            text_add(t, line_directive, strlen(line_directive));
        } else {
            text_add(t, p, n);
            text_add(t, "\n", 1);
        }
        p += end ? n + 1 : n;
    }
    free(owned);
    if (status == GFMUL_OK && t->failed) {
        ocl_detail(detail, "out of memory for the source of %.60s", name);
        status = GFMUL_ERR_MEMORY;
    }
    return status;
}

/* defines - whether "-DNAME=..." or "-D NAME=..." is among the options. */
static bool defines(const char *options, const char *name)
{
    const size_t n = strlen(name);
    for (const char *p = options; (p = strstr(p, "-D")) != NULL; p += 2) {
        const char *q = p + 2 + strspn(p + 2, " ");
        if ((p == options || p[-1] == ' ') && strncmp(q, name, n) == 0 && (q[n] == '=' || q[n] == ' ' || q[n] == '\0'))
            return true;
    }
    return false;
}

/*
 * options_join - what the compiler gets: the standard, the tunables that the caller leaves alone, and the caller's own.
 *   fp64  in  whether the device has double precision; else kernels have floats
 */
static bool options_join(char *all, size_t size, const char *options, bool fp64)
{
    size_t n = (size_t)snprintf(all, size, "-cl-std=CL1.2");
    if (!fp64 && !defines(options, "FLOAT_PARTS"))
        n += (size_t)snprintf(all + n, size - n, " -DFLOAT_PARTS=1 -cl-single-precision-constant");
    for (const struct ocl_tunable *t = ocl_tunables; t->name && n < size; t++) {
        if (!defines(options, t->name) && (fp64 || strcmp(t->name, "FLOAT_PARTS") != 0))
            n += (size_t)snprintf(all + n, size - n, " -D%s=%s", t->name, t->value);
    }
    if (n < size && *options)
        n += (size_t)snprintf(all + n, size - n, " %s", options);
    return n < size;
}

/* --- programs ------------------------------------------------------------------------------------------------------------ */

/* build_log - the first line of the log that speaks of an error, else its first line with anything on it. */
static void build_log(struct ocl_device *d, cl_program program, const char *file, cl_int code, char *detail)
{
    size_t bytes = 0;
    char *log = NULL;
    if (clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) == CL_SUCCESS && bytes > 0 &&
        bytes < SIZE_MAX && (log = malloc(bytes + 1)) != NULL) {
        if (clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) != CL_SUCCESS)
            bytes = 0;
        log[bytes] = '\0';
    }
    const char *line = log ? strstr(log, "error") : NULL;
    while (line && line > log && line[-1] != '\n')
        line--;
    if (!line && log)
        line = log + strspn(log, " \r\n\t");
    ocl_detail(detail, "%.50s: %s could not be built: %s: %.*s", d->info.name, file, ocl_code_name(code),
               line ? (int)strcspn(line, "\r\n") : 0, line ? line : "");
    free(log);
}

/* program_load - a program from the cache, or NULL. */
static cl_program program_load(struct ocl_device *d, const struct ocl_cache_key *key)
{
    void *data;
    size_t bytes;
    const uint64_t start = clock_ns();
    cl_program program = NULL;
    enum ocl_cache_result result = ocl_cache_load(key, &data, &bytes);
    if (result == OCL_CACHE_FOUND) {
        const unsigned char *binary = data;
        cl_int code, fits = CL_SUCCESS;
        program = clCreateProgramWithBinary(d->context, 1, &d->id, &bytes, &binary, &fits, &code);
        if (code == CL_SUCCESS)
            code = fits;
        if (code == CL_SUCCESS)
            code = clBuildProgram(program, 1, &d->id, key->options, NULL, NULL);
        if (code != CL_SUCCESS) { /* the driver knows why; it will be built and kept anew */
            if (program)
                clReleaseProgram(program);
            program = NULL;
            result = OCL_CACHE_REJECTED;
        }
    }
    free(data);
    pthread_mutex_lock(&d->lock);
    d->counts.rejected += result == OCL_CACHE_REJECTED;
    d->counts.loaded += program != NULL;
    d->counts.load_ns += clock_ns() - start;
    pthread_mutex_unlock(&d->lock);
    return program;
}

/* program_keep - put a program's binary into the cache; no harm where that fails. */
static void program_keep(struct ocl_device *d, cl_program program, const struct ocl_cache_key *key)
{
    size_t bytes = 0;
    cl_uint n = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, NULL) != CL_SUCCESS || n != 1 ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) != CL_SUCCESS || bytes == 0)
        return; /* a context of the caller's may have several devices: their binaries are not kept */
    unsigned char *binary = malloc(bytes);
    if (binary && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS &&
        ocl_cache_store(key, binary, bytes)) {
        pthread_mutex_lock(&d->lock);
        d->counts.stored++;
        pthread_mutex_unlock(&d->lock);
    }
    free(binary);
}

/* program_make - a program, from the cache or built.   Runs without the lock. */
static enum gfmul_status program_make(struct ocl_device *d, const char *file, const char *options, const char *source,
                                      cl_program *program, char *detail)
{
    const struct ocl_cache_key key = {d->identity, options, source};
    cl_int code = ocl_fault(OCL_FAULT_BUILD);

    *program = code == CL_SUCCESS ? program_load(d, &key) : NULL;
    if (*program)
        return GFMUL_OK;
    const uint64_t start = clock_ns();
    cl_int build = code;
    *program = clCreateProgramWithSource(d->context, 1, &source, NULL, &code);
    if (code != CL_SUCCESS)
        return ocl_status(d, code, "clCreateProgramWithSource", detail);
    if (build == CL_SUCCESS)
        build = clBuildProgram(*program, 1, &d->id, options, NULL, NULL);
    if (build != CL_SUCCESS) {
        enum gfmul_status status = ocl_status(d, build, "clBuildProgram", detail);
        if (status == GFMUL_ERR_DEVICE && !ocl_device_lost(d))
            build_log(d, *program, file, build, detail);
        clReleaseProgram(*program);
        *program = NULL;
        return status;
    }
    pthread_mutex_lock(&d->lock);
    d->counts.built++;
    d->counts.build_ns += clock_ns() - start;
    pthread_mutex_unlock(&d->lock);
    program_keep(d, *program, &key);
    return GFMUL_OK;
}

static void loaded_free(struct ocl_loaded *p)
{
    while (p->objects) {
        struct kernel_object *object = p->objects;
        p->objects = object->next;
        clReleaseKernel(object->k);
        free(object);
    }
    if (p->program)
        clReleaseProgram(p->program);
    free(p->options);
    free(p->source);
    free(p);
}

/* loaded_find - the entry of a program, built or being built.   Needs the lock. */
static struct ocl_loaded *loaded_find(struct ocl_device *d, const char *file, const char *options, const char *source)
{
    struct ocl_loaded *p = d->programs;
    while (p && (p->failed || strcmp(p->file, file) != 0 || strcmp(p->options, options) != 0 || !p->source != !source ||
                 (source && strcmp(p->source, source) != 0)))
        p = p->next;
    return p;
}

/* loaded_drop - take an entry out of the list and free it.   Needs the lock. */
static void loaded_drop(struct ocl_device *d, struct ocl_loaded *p)
{
    struct ocl_loaded **at = &d->programs;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    loaded_free(p);
}

/* loaded_new - an entry to be built, in the list.   Needs the lock. */
static struct ocl_loaded *loaded_new(struct ocl_device *d, const char *file, const char *options, const char *source)
{
    struct ocl_loaded *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    snprintf(p->file, sizeof p->file, "%s", file);
    p->options = strdup(options);
    p->source = source ? strdup(source) : NULL;
    if (!p->options || (source && !p->source)) {
        loaded_free(p);
        return NULL;
    }
    p->building = true;
    p->next = d->programs;
    d->programs = p;
    return p;
}

/*
 * program_get - the entry of a program that is there, with the lock held where the status is OK.
 * Threads that want different programs build them at the same time.
 */
static enum gfmul_status program_get(struct ocl_device *d, const char *file, const char *given, const char *options,
                                     struct ocl_loaded **result, char *detail)
{
    const char *dir = given ? NULL : source_dir();
    struct text source = {NULL, 0, 0, false};
    enum gfmul_status status;
    struct ocl_loaded *p;

    *result = NULL;
    if (given)
        text_add(&source, given, strlen(given));
    if (source.failed) {
        ocl_detail(detail, "out of memory for a program");
        return GFMUL_ERR_MEMORY;
    }
    if (dir && (status = source_expand(&source, dir, file, 0, detail)) != GFMUL_OK)
        goto done;
    pthread_mutex_lock(&d->lock);
    p = loaded_find(d, file, options, dir || given ? source.p : NULL);
    if (p && p->building) {
        p->waiting++;
        while (p->building)
            pthread_cond_wait(&d->built, &d->lock);
        p->waiting--;
        if (p->failed) { /* the same would fail again, at the same cost */
            ocl_detail(detail, "%.60s: %s could not be built", d->info.name, file);
            if (p->waiting == 0)
                loaded_drop(d, p);
            pthread_mutex_unlock(&d->lock);
            status = GFMUL_ERR_DEVICE;
            goto done;
        }
    }
    if (p) {
        *result = p;
        status = GFMUL_OK;
        goto done;
    }
    p = loaded_new(d, file, options, dir || given ? source.p : NULL);
    pthread_mutex_unlock(&d->lock);
    if (!p) {
        ocl_detail(detail, "out of memory for a program");
        status = GFMUL_ERR_MEMORY;
        goto done;
    }
    cl_program program = NULL;
    status = dir || given ? GFMUL_OK : source_expand(&source, NULL, file, 0, detail);
    if (status == GFMUL_OK)
        status = program_make(d, file, options, source.p, &program, detail);
    pthread_mutex_lock(&d->lock);
    p->program = program;
    p->building = false;
    p->failed = status != GFMUL_OK;
    pthread_cond_broadcast(&d->built);
    if (!p->failed) {
        *result = p;
        goto done;
    }
    if (p->waiting == 0)
        loaded_drop(d, p);
    pthread_mutex_unlock(&d->lock);

done:
    free(source.p);
    return status;
}

enum gfmul_status ocl_kernel_get(struct ocl_device *d, const char *file, const char *name, const char *options, cl_kernel *k,
                                 char *detail)
{
    return ocl_kernel_get_text(d, file, NULL, name, options, k, detail);
}

enum gfmul_status ocl_kernel_get_text(struct ocl_device *d, const char *file, const char *text, const char *name,
                                      const char *options, cl_kernel *k, char *detail)
{
    char all[OPTIONS_BYTES];
    struct ocl_loaded *p;
    enum gfmul_status status = ocl_lost_status(d, detail);

    *k = NULL;
    if (status != GFMUL_OK)
        return status;
    if (strlen(file) >= NAME_BYTES || strlen(name) >= NAME_BYTES || strlen(options) > KERNEL_OPTIONS_BYTES ||
        !options_join(all, sizeof all, options, ocl_device_info(d)->fp64 != 0)) {
        ocl_detail(detail, "a kernel's name or options are too long");
        return GFMUL_ERR_INTERNAL;
    }
    if ((status = program_get(d, file, text, all, &p, detail)) != GFMUL_OK)
        return status;
    struct kernel_object *object = p->objects;
    while (object && (object->used || strcmp(object->name, name) != 0))
        object = object->next;
    if (object) {
        object->used = true;
    } else if ((object = calloc(1, sizeof *object)) == NULL) {
        ocl_detail(detail, "out of memory for a kernel");
        status = GFMUL_ERR_MEMORY;
    } else {
        cl_int code;
        object->k = clCreateKernel(p->program, name, &code);
        if (code != CL_SUCCESS) {
            char call[2 * NAME_BYTES + 32];
            snprintf(call, sizeof call, "kernel %s of %s", name, file);
            status = ocl_status(d, code, call, detail);
            free(object);
        } else {
            snprintf(object->name, sizeof object->name, "%s", name);
            object->used = true;
            object->next = p->objects;
            p->objects = object;
        }
    }
    if (status == GFMUL_OK)
        *k = object->k;
    pthread_mutex_unlock(&d->lock);
    return status;
}

void ocl_kernel_put(struct ocl_device *d, cl_kernel k)
{
    if (!k)
        return;
    pthread_mutex_lock(&d->lock);
    for (struct ocl_loaded *p = d->programs; p; p = p->next) {
        for (struct kernel_object *object = p->objects; object; object = object->next) {
            if (object->k == k)
                object->used = false;
        }
    }
    pthread_mutex_unlock(&d->lock);
}

void ocl_program_count(struct ocl_device *d, struct ocl_program_counts *counts)
{
    pthread_mutex_lock(&d->lock);
    *counts = d->counts;
    pthread_mutex_unlock(&d->lock);
}

void ocl_programs_free(struct ocl_device *d)
{
    while (d->programs)
        loaded_drop(d, d->programs);
}
#endif
