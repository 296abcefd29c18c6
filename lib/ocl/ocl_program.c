/*
 * ocl_program.c - get kernels by name: from memory, from the cache on disk, or by a build.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_program.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/disk_cache.h"
#include "base/environment.h"
#include "base/try.h"
#include "ocl/ocl_device.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_source.h"
#include "ocl/ocl_state.h"

enum { INCLUDE_DEPTH = 8, NAME_BYTES = 64, OPTIONS_BYTES = 4096, KERNEL_OPTIONS_BYTES = 3072 };

/* A kernel object: in use by a caller, or free for the next one. */
struct kernel_object {
    struct kernel_object *next;
    cl_kernel k;
    bool used;
    char name[NAME_BYTES];
};

/* A program in memory.  If it is being built, other threads that want it wait. */
struct ocl_loaded {
    struct ocl_loaded *next;
    char file[NAME_BYTES];
    char *options;               /* all options that the compiler gets */
    char *source;                /* the text, from the caller or from GFMUL_CL_DIR; NULL: the embedded file */
    uint64_t begun_ns, ended_ns; /* when it was built, or loaded from the cache */
    bool cached;                 /* it was loaded from the cache */
    bool building;               /* program and objects are not set yet */
    bool failed;                 /* the build failed; the last waiting thread removes the entry */
    unsigned waiting;
    cl_program program;
    struct kernel_object *objects;
};

/* --- sources ------------------------------------------------------------------------------------------------------------- */

static const char *source_dir(void)
{
    const char *dir = environment_get("GFMUL_CL_DIR");
    return dir && *dir ? dir : NULL;
}

/* source_open - open a file of `dir`, or an embedded file if dir is NULL.   NULL: it cannot be read. */
static FILE *source_open(const char *dir, const char *name)
{
    char path[4096];
    if (dir)
        return (size_t)snprintf(path, sizeof path, "%s/%s", dir, name) < sizeof path ? fopen(path, "rb") : NULL;
    for (const struct ocl_source *const *table = ocl_source_tables; *table; table++)
        for (const struct ocl_source *s = *table; s->name; s++)
            if (strcmp(s->name, name) == 0)
                return fmemopen((void *)(uintptr_t)s->text, strlen(s->text), "rb");
    return NULL;
}

/* included - get the name from a line `#include "name"`; false: it is another line. */
static bool included(const char *line, char name[NAME_BYTES])
{
    char quote;
    _Static_assert(NAME_BYTES == 64, "the length of a name below");
    line += strspn(line, " \t");
    return *line == '#' && sscanf(line, "# include \"%63[^\"\n]%c", name, &quote) == 2 && quote == '"';
}

static enum gfmul_status source_expand(const struct ocl_call *on, FILE *out, const char *dir, const char *name, unsigned depth);

/* source_lines - append the lines of `in`, and replace #include lines by the included files. */
static enum gfmul_status source_lines(const struct ocl_call *on, FILE *out, const char *dir, const char *name, FILE *in,
                                      unsigned depth)
{
    enum gfmul_status status = GFMUL_OK;
    char *line = NULL, inner[NAME_BYTES];
    size_t room = 0;
    fprintf(out, "#line 1 \"%s\"\n", name);
    for (unsigned i = 1; status == GFMUL_OK && getline(&line, &room, in) > 0; i++) {
        line[strcspn(line, "\n")] = '\0';
        if (included(line, inner)) {
            status = source_expand(on, out, dir, inner, depth + 1);
            fprintf(out, "#line %u \"%s\"\n", i + 1, name);
        } else {
            fprintf(out, "%s\n", line);
        }
    }
    free(line);
    return status;
}

/* source_status - the status for faulty sources: an error of the caller's folder, or a defect of the library. */
static enum gfmul_status source_status(const char *dir)
{
    return dir ? GFMUL_ERR_DEVICE : GFMUL_ERR_INTERNAL;
}

/* source_expand - append a file and the files that it includes. */
static enum gfmul_status source_expand(const struct ocl_call *on, FILE *out, const char *dir, const char *name, unsigned depth)
{
    if (depth > INCLUDE_DEPTH)
        return ocl_fail(on->detail, source_status(dir), "%s%.60s: files include each other", dir ? "GFMUL_CL_DIR: " : "", name);
    FILE *in = source_open(dir, name);
    enum gfmul_status status = in ? source_lines(on, out, dir, name, in, depth) : GFMUL_OK;
    if ((!in || ferror(in)) && dir)
        status = ocl_fail(on->detail, GFMUL_ERR_DEVICE, "GFMUL_CL_DIR: %.100s/%.60s: %s", dir, name, strerror(errno));
    else if (!in || ferror(in))
        status = ocl_fail(on->detail, GFMUL_ERR_INTERNAL, "no OpenCL source %.60s", name);
    if (in)
        fclose(in);
    return status;
}

/* source_text - the whole text of a program, to be freed. */
static enum gfmul_status source_text(const struct ocl_call *on, const char *dir, const char *name, char **text)
{
    size_t n;
    FILE *out = open_memstream(text, &n);
    enum gfmul_status status = out ? source_expand(on, out, dir, name, 0) : GFMUL_OK;
    const bool whole = out && !ferror(out);
    if ((!out || fclose(out) != 0 || !whole) && status == GFMUL_OK)
        status = ocl_fail(on->detail, GFMUL_ERR_MEMORY, "out of memory for the source of %.60s", name);
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
 * options_join - join all options for the compiler: the standard, the tunables that the caller does not set, the caller's own.
 *   fp64  in  whether the device has double precision; if not, kernels use only integers, or floats
 */
static bool options_join(char *all, size_t size, const char *options, bool fp64)
{
    size_t n = (size_t)snprintf(all, size, "-cl-std=CL1.2");
    if (!fp64)
        n += (size_t)snprintf(all + n, size - n, " -DFP64=0 -cl-single-precision-constant");
    for (const struct ocl_tunable *t = ocl_tunables; t->name && n < size; t++) {
        if (!defines(options, t->name) && (fp64 || strcmp(t->name, "FP64") != 0))
            n += (size_t)snprintf(all + n, size - n, " -D%s=%s", t->name, t->value);
    }
    if (n < size && *options)
        n += (size_t)snprintf(all + n, size - n, " %s", options);
    return n < size;
}

/* --- programs ------------------------------------------------------------------------------------------------------------ */

/* build_failed - report the first line of the build log that mentions an error, else its first line that is not empty. */
static enum gfmul_status build_failed(const struct ocl_call *on, cl_program program, const char *file, cl_int code)
{
    struct ocl_device *d = on->device;
    const enum gfmul_status status = ocl_status(on, code, "clBuildProgram");
    if (status != GFMUL_ERR_DEVICE || ocl_device_lost(d))
        return status;
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
    ocl_fail(on->detail, status, "%.50s: %s could not be built: %s: %.*s", d->info.name, file, ocl_code_name(code),
             line ? (int)strcspn(line, "\r\n") : 0, line ? line : "");
    free(log);
    return status;
}

/* program_load - load a program from the cache; NULL: it is not there, or does not fit. */
static cl_program program_load(struct ocl_device *d, const struct disk_cache_key *key)
{
    void *data;
    size_t bytes;
    const uint64_t start = clock_ns();
    cl_program program = NULL;
    enum disk_cache_result result = disk_cache_load(key, &data, &bytes);
    if (result == DISK_CACHE_FOUND) {
        const unsigned char *binary = data;
        cl_int code, fits = CL_SUCCESS;
        program = clCreateProgramWithBinary(d->context, 1, &d->id, &bytes, &binary, &fits, &code);
        if (code == CL_SUCCESS)
            code = fits;
        if (code == CL_SUCCESS)
            code = clBuildProgram(program, 1, &d->id, key->options, NULL, NULL);
        if (code != CL_SUCCESS) { /* the driver rejects it: it will be built and cached anew */
            if (program)
                clReleaseProgram(program);
            program = NULL;
            result = DISK_CACHE_REJECTED;
        }
    }
    free(data);
    pthread_mutex_lock(&d->lock);
    d->counts.rejected += result == DISK_CACHE_REJECTED;
    d->counts.loaded += program != NULL;
    d->counts.load_ns += clock_ns() - start;
    pthread_mutex_unlock(&d->lock);
    return program;
}

/* program_keep - put a program's binary into the cache; a failure does no harm. */
static void program_keep(struct ocl_device *d, cl_program program, const struct disk_cache_key *key)
{
    size_t bytes = 0;
    cl_uint n = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, NULL) != CL_SUCCESS || n != 1 ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) != CL_SUCCESS || bytes == 0)
        return; /* the caller's context may have several devices, whose binaries are not kept */
    unsigned char *binary = malloc(bytes);
    if (binary && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS &&
        disk_cache_store(key, binary, bytes)) {
        pthread_mutex_lock(&d->lock);
        d->counts.stored++;
        pthread_mutex_unlock(&d->lock);
    }
    free(binary);
}

/*
 * program_make - load a program from the cache, or build it.   Runs without the lock.
 *
 *   cached  in/out  in: false: build it even if the cache has it.  out: whether it came from the cache
 */
static enum gfmul_status program_make(const struct ocl_call *on, const char *file, const char *options, const char *source,
                                      cl_program *program, bool *cached)
{
    struct ocl_device *d = on->device;
    const struct disk_cache_key key = {d->identity, options, source};
    cl_int build = ocl_fault(OCL_FAULT_BUILD), code;

    *program = build == CL_SUCCESS && *cached ? program_load(d, &key) : NULL;
    *cached = *program != NULL;
    if (*program)
        return GFMUL_OK;
    const uint64_t start = clock_ns();
    *program = clCreateProgramWithSource(d->context, 1, &source, NULL, &code);
    TRY(ocl_status(on, code, "clCreateProgramWithSource"));
    if (build == CL_SUCCESS)
        build = clBuildProgram(*program, 1, &d->id, options, NULL, NULL);
    if (build != CL_SUCCESS) {
        const enum gfmul_status status = build_failed(on, *program, file, build);
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

/* loaded_find - find the entry of a program, which may still be being built.   Needs the lock. */
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

/* loaded_new - add an entry for a program that is still to be built.   Needs the lock. */
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

/* The program that a caller wants: that of an embedded file or, if source is not NULL, of this text. */
struct wanted {
    const char *file, *options, *source;
};

/* loaded_build - make the program of an entry, without the lock.   cached in/out: as program_make */
static enum gfmul_status loaded_build(const struct ocl_call *on, const struct wanted *w, cl_program *program, bool *cached)
{
    char *text = NULL;
    *program = NULL;
    enum gfmul_status status = w->source ? GFMUL_OK : source_text(on, NULL, w->file, &text);
    if (status == GFMUL_OK)
        status = program_make(on, w->file, w->options, text ? text : w->source, program, cached);
    free(text);
    return status;
}

/* loaded_await - wait until another thread has built an entry.   With the lock. */
static enum gfmul_status loaded_await(const struct ocl_call *on, struct ocl_loaded *p)
{
    struct ocl_device *d = on->device;
    if (!p->building)
        return GFMUL_OK;
    p->waiting++;
    while (p->building)
        pthread_cond_wait(&d->built, &d->lock);
    p->waiting--;
    if (!p->failed)
        return GFMUL_OK;
    /* do not try again: it would fail again and take as long */
    ocl_fail(on->detail, GFMUL_ERR_DEVICE, "%.60s: %s could not be built", d->info.name, p->file);
    if (p->waiting == 0)
        loaded_drop(d, p);
    return GFMUL_ERR_DEVICE;
}

/*
 * loaded_fill - make the program of an entry that is marked as being built; on failure the entry is removed.
 *   cached  in  whether the program may come from the cache
 * Called with the lock, which is free meanwhile.
 */
static enum gfmul_status loaded_fill(const struct ocl_call *on, const struct wanted *w, struct ocl_loaded *p, bool cached)
{
    struct ocl_device *d = on->device;
    cl_program program;
    p->begun_ns = clock_ns();
    pthread_mutex_unlock(&d->lock);
    const enum gfmul_status status = loaded_build(on, w, &program, &cached);
    pthread_mutex_lock(&d->lock);
    p->ended_ns = clock_ns();
    p->program = program;
    p->cached = cached;
    p->building = false;
    p->failed = status != GFMUL_OK;
    pthread_cond_broadcast(&d->built);
    if (p->failed && p->waiting == 0)
        loaded_drop(d, p);
    return status;
}

/*
 * loaded_get - get the entry of a program, and build the program if it is not in memory.
 * Called with the lock, which is free during a build, so that threads can build different programs at the same time.
 */
static enum gfmul_status loaded_get(const struct ocl_call *on, const struct wanted *w, struct ocl_loaded **result)
{
    struct ocl_device *d = on->device;
    struct ocl_loaded *p = *result = loaded_find(d, w->file, w->options, w->source);
    if (p)
        return loaded_await(on, p);
    p = *result = loaded_new(d, w->file, w->options, w->source);
    if (!p)
        return ocl_fail(on->detail, GFMUL_ERR_MEMORY, "out of memory for a program");
    return loaded_fill(on, w, p, true);
}

/* loaded_renew - build a program for which the cache had a wrong one.   Called with the lock, which is free meanwhile. */
static enum gfmul_status loaded_renew(const struct ocl_call *on, const struct wanted *w, struct ocl_loaded *p)
{
    struct ocl_device *d = on->device;
    if (p->building || !p->cached) /* another thread builds it now, or has built it */
        return loaded_await(on, p);
    clReleaseProgram(p->program); /* kernels in use hold references to it */
    p->program = NULL;
    p->building = true;
    d->counts.rejected++;
    return loaded_fill(on, w, p, false);
}

/* kernel_failed - report that a built program has no such kernel, or that the driver does not create it. */
static enum gfmul_status kernel_failed(const struct ocl_call *on, const struct wanted *w, const char *name, cl_int code)
{
    char call[2 * NAME_BYTES + 32];
    if (code == CL_INVALID_KERNEL_NAME && w->source && source_dir())
        return ocl_fail(on->detail, GFMUL_ERR_DEVICE, "GFMUL_CL_DIR: %.60s has no kernel %.60s", w->file, name);
    snprintf(call, sizeof call, "kernel %s of %s", name, w->file);
    return ocl_status(on, code, call);
}

/* object_get - get a kernel object that nobody uses.   With the lock. */
static enum gfmul_status object_get(const struct ocl_call *on, const struct wanted *w, const char *name, cl_kernel *k)
{
    struct ocl_loaded *p;
    TRY(loaded_get(on, w, &p));
    struct kernel_object *object = p->objects;
    while (object && (object->used || strcmp(object->name, name) != 0))
        object = object->next;
    if (!object) {
        cl_int code;
        object = calloc(1, sizeof *object);
        if (!object)
            return ocl_fail(on->detail, GFMUL_ERR_MEMORY, "out of memory for a kernel");
        object->k = clCreateKernel(p->program, name, &code);
        if (code != CL_SUCCESS) {
            free(object);
            if (!p->cached || p->objects)
                return kernel_failed(on, w, name, code);
            TRY(loaded_renew(on, w, p));
            return object_get(on, w, name, k); /* now of a newly built program */
        }
        snprintf(object->name, sizeof object->name, "%s", name);
        object->next = p->objects;
        p->objects = object;
    }
    object->used = true;
    *k = object->k;
    return GFMUL_OK;
}

enum gfmul_status ocl_kernel_get(const struct ocl_call *on, const char *file, const char *name, const char *options, cl_kernel *k)
{
    return ocl_kernel_get_text(on, file, NULL, name, options, k);
}

enum gfmul_status ocl_kernel_get_text(const struct ocl_call *on, const char *file, const char *text, const char *name,
                                      const char *options, cl_kernel *k)
{
    struct ocl_device *d = on->device;
    const char *dir = text ? NULL : source_dir();
    char all[OPTIONS_BYTES], *read = NULL;

    *k = NULL;
    TRY(ocl_lost_status(on));
    if (strlen(file) >= NAME_BYTES || strlen(name) >= NAME_BYTES || strlen(options) > KERNEL_OPTIONS_BYTES ||
        !options_join(all, sizeof all, options, d->info.fp64 != 0))
        return ocl_fail(on->detail, GFMUL_ERR_INTERNAL, "a kernel's name or options are too long");
    enum gfmul_status status = dir ? source_text(on, dir, file, &read) : GFMUL_OK;
    if (status == GFMUL_OK) {
        pthread_mutex_lock(&d->lock);
        status = object_get(on, &(struct wanted){file, all, dir ? read : text}, name, k);
        pthread_mutex_unlock(&d->lock);
    }
    free(read);
    return status;
}

/* --- several at once ----------------------------------------------------------------------------------------------------- */

enum { BUILDERS_MOST = 16 };

/* A list of requests, from which several threads take the next one. */
struct wishes {
    const struct ocl_call *on;
    struct ocl_kernel_wish *wish;
    unsigned n;
    atomic_uint next;
};

static void *wishes_run(void *arg)
{
    struct wishes *w = arg;
    for (unsigned i; (i = atomic_fetch_add(&w->next, 1)) < w->n;) {
        struct ocl_kernel_wish *wish = &w->wish[i];
        const struct ocl_call on = {w->on->device, NULL, wish->detail};
        wish->status = ocl_kernel_get(&on, wish->file, wish->name, wish->options, wish->k);
    }
    return NULL;
}

/* program_is_loaded - whether a program is in memory.   all in: the options from options_join */
static bool program_is_loaded(struct ocl_device *d, const char *file, const char *all)
{
    pthread_mutex_lock(&d->lock);
    const bool loaded = loaded_find(d, file, all, NULL);
    pthread_mutex_unlock(&d->lock);
    return loaded;
}

/* programs_missing - how many requests are for programs that are not in memory; it limits the number of threads. */
static unsigned programs_missing(struct ocl_device *d, const struct ocl_kernel_wish *wish, unsigned n)
{
    unsigned missing = 0;
    char all[OPTIONS_BYTES];
    if (source_dir())
        return n;
    for (unsigned i = 0; i < n; i++)
        missing += options_join(all, sizeof all, wish[i].options, d->info.fp64 != 0) && !program_is_loaded(d, wish[i].file, all);
    return missing;
}

enum gfmul_status ocl_kernels_get(const struct ocl_call *on, struct ocl_kernel_wish *wish, unsigned n)
{
    struct wishes w = {on, wish, n, 0};
    pthread_t thread[BUILDERS_MOST];
    const unsigned missing = programs_missing(on->device, wish, n), most = on->device->builders;
    const unsigned wanted = missing < most ? missing : most < BUILDERS_MOST ? most : BUILDERS_MOST;
    unsigned started = 0;
    for (unsigned i = 0; i < n; i++) {
        wish[i].status = GFMUL_OK;
        wish[i].detail[0] = '\0';
        *wish[i].k = NULL;
    }
    while (started + 1 < wanted && pthread_create(&thread[started], NULL, wishes_run, &w) == 0)
        started++;
    wishes_run(&w);
    while (started > 0)
        pthread_join(thread[--started], NULL);
    for (unsigned i = 0; i < n; i++) {
        if (wish[i].status != GFMUL_OK) {
            if (on->detail)
                memcpy(on->detail, wish[i].detail, sizeof wish[i].detail);
            return wish[i].status;
        }
    }
    return GFMUL_OK;
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

bool ocl_program_there(struct ocl_device *d, const char *file, const char *options)
{
    const struct ocl_call on = {.device = d};
    const char *const dir = source_dir();
    char all[OPTIONS_BYTES], *text = NULL;
    if (!options_join(all, sizeof all, options, d->info.fp64 != 0))
        return false;
    bool there = !dir && program_is_loaded(d, file, all);
    if (!there && source_text(&on, dir, file, &text) == GFMUL_OK)
        there = disk_cache_has(&(const struct disk_cache_key){d->identity, all, text});
    free(text);
    return there;
}

void ocl_program_count(struct ocl_device *d, struct ocl_program_counts *counts)
{
    pthread_mutex_lock(&d->lock);
    *counts = d->counts;
    pthread_mutex_unlock(&d->lock);
}

unsigned ocl_program_list(struct ocl_device *d, struct ocl_program_time *list, unsigned max)
{
    unsigned n = 0;
    pthread_mutex_lock(&d->lock);
    for (struct ocl_loaded *p = d->programs; p; p = p->next) {
        if (p->building || p->failed)
            continue;
        if (n < max) {
            snprintf(list[n].file, sizeof list[n].file, "%s", p->file);
            list[n].begun_ns = p->begun_ns;
            list[n].ended_ns = p->ended_ns;
        }
        n++;
    }
    pthread_mutex_unlock(&d->lock);
    return n;
}

void ocl_programs_free(struct ocl_device *d)
{
    while (d->programs)
        loaded_drop(d, d->programs);
}
