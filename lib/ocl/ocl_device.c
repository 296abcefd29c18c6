/*
 * ocl_device.c - OpenCL devices: listing, choosing, opening.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl/ocl_device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/disk_cache.h"
#include "base/rounding.h"
#include "base/try.h"
#include "ocl/ocl_drivers.h"
#include "ocl/ocl_fault.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_rates.h"
#include "ocl/ocl_state.h"

enum { PLATFORMS_MAX = 32, PLATFORM_DEVICES_MAX = 64 };
static const cl_int platform_not_found = -1001; /* cl_khr_icd: the answer of a loader without drivers */

/* A device of the list, and its origin. */
struct found {
    struct gfmul_device_info info;
    cl_platform_id platform;
    cl_device_id id;
    unsigned index; /* in the list, from 1 */
};

/* --- forks --------------------------------------------------------------------------------------------------------------- */

/*
 * A forked child does not have the driver's threads, so calls that need them would wait for ever.  Therefore a child of a process
 * that has called a driver calls none, and its open devices are lost.
 */
static pthread_once_t watched = PTHREAD_ONCE_INIT;
static atomic_bool left_behind;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ocl_device *open_devices; /* guarded by open_lock */

static void in_child(void)
{
    atomic_store(&left_behind, true);
    for (struct ocl_device *d = open_devices; d; d = d->next) /* unlocked: the child has one thread, and nobody could unlock */
        atomic_store(&d->lost, true);
}

static void forks_watch(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

bool ocl_left_behind(void)
{
    return atomic_load(&left_behind);
}

/* drivers_here - OK if drivers may be called.  Every function that calls them before a device is open begins with it. */
static enum gfmul_status drivers_here(char *detail)
{
    pthread_once(&watched, forks_watch);
    if (ocl_left_behind())
        return ocl_fail(detail, GFMUL_ERR_DEVICE, "OpenCL was in use before this process was forked");
#ifdef OPENCL_LOADED
    const char *why;
    if (!ocl_calls_load(&why))
        return ocl_fail(detail, GFMUL_ERR_DEVICE, "%s", why);
#endif
    return GFMUL_OK;
}

/* drivers_tried - the same, and the drivers neither crash nor hang.  Every function that looks for devices begins with it. */
static enum gfmul_status drivers_tried(bool is_auto, char *detail)
{
    TRY(drivers_here(detail));
    return ocl_drivers_check(is_auto, detail);
}

unsigned ocl_driver_list(struct gfmul_driver_info *info, unsigned max)
{
    return drivers_here(NULL) == GFMUL_OK ? ocl_drivers_list(info, max) : 0;
}

/* --- the list ------------------------------------------------------------------------------------------------------------ */

/* text_clean - make a text one line of printable characters, without spaces at its ends. */
static void text_clean(char *text)
{
    size_t n = 0;
    for (size_t i = 0; text[i]; i++) {
        if (isspace((unsigned char)text[i]) || iscntrl((unsigned char)text[i])) {
            if (n > 0 && text[n - 1] != ' ')
                text[n++] = ' ';
        } else {
            text[n++] = text[i];
        }
    }
    while (n > 0 && text[n - 1] == ' ')
        n--;
    text[n] = '\0';
}

/* text_cut - copy the result of a text query, cut to size.   code in: the query's code */
static void text_cut(char *text, size_t size, char *all, size_t all_size, cl_int code)
{
    if (code != CL_SUCCESS)
        all[0] = '\0';
    all[all_size - 1] = '\0';
    text_clean(all);
    snprintf(text, size, "%.*s", (int)size - 1, all);
}

/* device_text, platform_text - query a text; "" if it is longer than any known one. */
static void device_text(cl_device_id id, cl_device_info what, char *text, size_t size)
{
    char all[1024] = "";
    text_cut(text, size, all, sizeof all, clGetDeviceInfo(id, what, sizeof all, all, NULL));
}

static void platform_text(cl_platform_id platform, cl_platform_info what, char *text, size_t size)
{
    char all[1024] = "";
    text_cut(text, size, all, sizeof all, clGetPlatformInfo(platform, what, sizeof all, all, NULL));
}

static cl_ulong device_ulong(cl_device_id id, cl_device_info what)
{
    cl_ulong n = 0; /* bit sets have this type too */
    return clGetDeviceInfo(id, what, sizeof n, &n, NULL) == CL_SUCCESS ? n : 0;
}

static cl_uint device_uint(cl_device_id id, cl_device_info what)
{
    cl_uint n = 0; /* cl_bool has this type too */
    return clGetDeviceInfo(id, what, sizeof n, &n, NULL) == CL_SUCCESS ? n : 0;
}

/* identity_set - make the key of a device's cached facts and programs. */
static void identity_set(char *identity, size_t size, const struct found *f)
{
    char device_version[128], platform_version[128];
    device_text(f->id, CL_DEVICE_VERSION, device_version, sizeof device_version);
    platform_text(f->platform, CL_PLATFORM_VERSION, platform_version, sizeof platform_version);
    snprintf(identity, size, "%.100s\n%.100s\n%.60s\n%.100s\n%.100s\n", f->info.name, f->info.platform, f->info.driver,
             device_version, platform_version);
}

/* rates_describe - put a device's known rates into its description. */
static void rates_describe(struct found *f)
{
    char identity[sizeof((struct ocl_device *)0)->identity];
    struct device_rates rates;
    identity_set(identity, sizeof identity, f);
    if (!ocl_rates_kept(identity, &rates))
        return;
    f->info.fma_rate = rates.fma;
    f->info.product_rate = rates.product;
    f->info.copy_rate = rates.copy;
}

/* device_describe - fill in the description of a device, with the first reason why it cannot be used. */
static void device_describe(struct found *f)
{
    struct gfmul_device_info *info = &f->info;
    const cl_device_fp_config ieee = CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM;
    /* a device without double precision may lack this query, so it may fail */
    const cl_device_fp_config fp = ocl_pretends(OCL_PRETEND_NO_FP64) ? 0 : device_ulong(f->id, CL_DEVICE_DOUBLE_FP_CONFIG);
    char version[64];
    unsigned major = 0, minor = 0;
    size_t group = 0;

    memset(info, 0, sizeof *info);
    device_text(f->id, CL_DEVICE_NAME, info->name, sizeof info->name);
    platform_text(f->platform, CL_PLATFORM_NAME, info->platform, sizeof info->platform);
    device_text(f->id, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    device_text(f->id, CL_DEVICE_VERSION, version, sizeof version);
    if (sscanf(version, "OpenCL %u.%u", &major, &minor) != 2)
        major = minor = 0;
    info->gpu = (device_ulong(f->id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0 || ocl_pretends(OCL_PRETEND_GPU);
    info->fp64 = fp != 0;
    info->global_bytes = device_ulong(f->id, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_alloc_bytes = device_ulong(f->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_bytes = device_ulong(f->id, CL_DEVICE_LOCAL_MEM_SIZE);
    info->compute_units = device_uint(f->id, CL_DEVICE_MAX_COMPUTE_UNITS);
    if (clGetDeviceInfo(f->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL) == CL_SUCCESS)
        info->max_work_group = (unsigned)group;

    const char *why = "";
    if (!device_uint(f->id, CL_DEVICE_AVAILABLE))
        why = "it is not available";
    else if (major < 1 || (major == 1 && minor < 2))
        why = "it is older than OpenCL 1.2";
    else if (info->fp64 && (fp & ieee) != ieee)
        why = "its double precision is not that of IEEE 754 with fma";
    else if (!device_uint(f->id, CL_DEVICE_COMPILER_AVAILABLE))
        why = "it has no compiler";
    else if (!device_uint(f->id, CL_DEVICE_ENDIAN_LITTLE))
        why = "its memory is big-endian";
    else if (info->max_work_group < 256 || info->local_bytes < 32768)
        why = "its work-groups are too small";
    snprintf(info->why_not, sizeof info->why_not, "%s", why);
    info->usable = why[0] == '\0';
    if (info->usable && ocl_rates_matter(info))
        rates_describe(f);
}

/* devices_scan - list all devices of all platforms; the caller frees the list.   code out: that of clGetPlatformIDs */
static unsigned devices_scan(struct found **list, cl_int *code)
{
    cl_platform_id platform[PLATFORMS_MAX];
    cl_device_id id[PLATFORM_DEVICES_MAX];
    cl_uint n_platforms = 0, n_ids;
    unsigned n = 0;

    ROUND_TO_NEAREST; /* drivers compute, too */
    ROUND_LONG_DOUBLE;
    *list = NULL;
    *code = ocl_fault(OCL_FAULT_PLATFORM);
    if (*code == CL_SUCCESS)
        *code = clGetPlatformIDs(PLATFORMS_MAX, platform, &n_platforms);
    if (*code != CL_SUCCESS || n_platforms == 0)
        return 0;
    if (n_platforms > PLATFORMS_MAX)
        n_platforms = PLATFORMS_MAX;
    if (!(*list = calloc(n_platforms * PLATFORM_DEVICES_MAX, sizeof **list))) {
        *code = CL_OUT_OF_HOST_MEMORY;
        return 0;
    }
    for (cl_uint p = 0; p < n_platforms; p++) {
        n_ids = 0;
        if (clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, PLATFORM_DEVICES_MAX, id, &n_ids) != CL_SUCCESS)
            continue;
        if (n_ids > PLATFORM_DEVICES_MAX)
            n_ids = PLATFORM_DEVICES_MAX;
        for (cl_uint i = 0; i < n_ids; i++, n++) {
            (*list)[n].platform = platform[p];
            (*list)[n].id = id[i];
            (*list)[n].index = n + 1;
            device_describe(&(*list)[n]);
        }
    }
    return n;
}

unsigned ocl_device_list(struct gfmul_device_info *info, unsigned max)
{
    struct found *list;
    if (drivers_tried(false, NULL) != GFMUL_OK)
        return 0;
    cl_int code;
    const unsigned n = devices_scan(&list, &code);
    for (unsigned i = 0; i < n && i < max; i++)
        info[i] = list[i].info;
    free(list);
    return n;
}

/* --- the choice ---------------------------------------------------------------------------------------------------------- */

static bool contains(const char *text, const char *part)
{
    for (size_t i = 0;; i++) {
        size_t j = 0;
        while (part[j] && tolower((unsigned char)text[i + j]) == tolower((unsigned char)part[j]))
            j++;
        if (!part[j])
            return true;
        if (!text[i])
            return false;
    }
}

/* rank_of - how well a device suits a choice; 0: not at all. */
static unsigned rank_of(const struct gfmul_device_info *info, const char *want)
{
    const unsigned rank = !info->usable ? 1 : info->fp64 ? 3 : 2;
    if (strcmp(want, "auto") == 0) /* choose even an unusable GPU, because its reason tells more than "no device" */
        return info->gpu ? 1 + (rank == 3) : 0;
    if (strcmp(want, "gpu") == 0)
        return rank + (rank == 3 && info->gpu);
    return *want && (contains(info->name, want) || contains(info->platform, want)) ? rank : 0;
}

/* choose - the first entry with the highest rank for a choice; n: none fits. */
static unsigned choose(const struct found *list, unsigned n, const char *want)
{
    unsigned match = n, best = 0;
    if (*want && want[strspn(want, "0123456789")] == '\0') {
        unsigned long index = strtoul(want, NULL, 10);
        if (index >= 1 && index <= n)
            return (unsigned)index - 1;
    }
    for (unsigned i = 0; i < n; i++) {
        const unsigned rank = rank_of(&list[i].info, want);
        if (rank > best) {
            best = rank;
            match = i;
        }
    }
    return match;
}

/* usable_check - whether a device is usable. */
static enum gfmul_status usable_check(const struct found *f, char *detail)
{
    return f->info.usable ? GFMUL_OK : ocl_fail(detail, GFMUL_ERR_DEVICE, "%.100s: %s", f->info.name, f->info.why_not);
}

/* absent - report why there is no device at all.   code in: that of devices_scan */
static enum gfmul_status absent(cl_int code, char *detail)
{
    if (code == CL_SUCCESS || code == platform_not_found)
        return ocl_drivers_absent(detail);
    return ocl_fail(detail, code == CL_OUT_OF_HOST_MEMORY ? GFMUL_ERR_MEMORY : GFMUL_ERR_DEVICE,
                    "no OpenCL device: asking for platforms: %s (%d)", ocl_code_name(code), (int)code);
}

/* found_one - scan and choose; returns whether the chosen device is usable, as a status. */
static enum gfmul_status found_one(struct found *f, const char *want, char *detail)
{
    const bool is_auto = strcmp(want, "auto") == 0;
    struct found *list;

    memset(f, 0, sizeof *f);
    cl_int code;
    TRY(drivers_tried(is_auto, detail));
    const unsigned n = devices_scan(&list, &code), i = choose(list, n, want);
    *f = i < n ? list[i] : n > 0 ? list[0] : *f;
    free(list);
    if (n == 0)
        return absent(code, detail);
    if (i == n && is_auto)
        return ocl_fail(detail, GFMUL_ERR_DEVICE, "no OpenCL device is a GPU: %s%.100s, %.60s", n > 1 ? "the first is " : "",
                        f->info.name, f->info.platform);
    if (i == n)
        return ocl_fail(detail, GFMUL_ERR_DEVICE, "no device has the index or the name '%.100s'", want);
    TRY(usable_check(f, detail));
    if (!f->info.fp64 && is_auto)
        return ocl_fail(detail, GFMUL_ERR_DEVICE, "%.100s: it has no double precision (fp64): name it to use it", f->info.name);
    return GFMUL_OK;
}

enum gfmul_status ocl_device_find(struct gfmul_device_info *info, const char *want, char *detail)
{
    struct found f;
    enum gfmul_status status = found_one(&f, want, detail);
    if (info)
        *info = f.info;
    return status;
}

/* find_all - as ocl_devices_find for "all". */
static enum gfmul_status find_all(struct ocl_choice *choice, struct gfmul_device_info *info, char *detail)
{
    struct found *list;
    cl_int code;
    unsigned best = 2; /* usable */
    TRY(drivers_tried(false, detail));
    const unsigned n = devices_scan(&list, &code);
    if (n == 0) {
        free(list);
        return absent(code, detail);
    }
    for (unsigned i = 0; i < n; i++)
        if (rank_of(&list[i].info, "gpu") > best)
            best = rank_of(&list[i].info, "gpu");
    for (unsigned i = 0; i < n && choice->n < OCL_DEVICES_MAX; i++)
        if (rank_of(&list[i].info, "gpu") == best)
            choice->index[choice->n++] = list[i].index;
    *info = list[choice->n > 0 ? choice->index[0] - 1 : 0].info;
    const enum gfmul_status status = choice->n > 0 ? GFMUL_OK : usable_check(&list[0], detail);
    free(list);
    return status;
}

/* item_next - copy the choice before the next comma, and pass it by; false: it is too long, or does not belong in a list. */
static bool item_next(const char **at, char *item, size_t size)
{
    static const char *const single[] = {"", "0", "cpu", "auto", "all"};
    const size_t length = strcspn(*at, ",");
    snprintf(item, size, "%.*s", (int)(length < size ? length : size - 1), *at);
    *at += length + ((*at)[length] == ',');
    for (unsigned i = 0; i < sizeof single / sizeof *single; i++)
        if (strcmp(item, single[i]) == 0)
            return false;
    return length < size;
}

bool ocl_is_list(const char *want)
{
    return strchr(want, ',') || strcmp(want, "all") == 0;
}

enum gfmul_status ocl_devices_find(struct ocl_choice *choice, struct gfmul_device_info *info, const char *want, char *detail)
{
    const size_t length = strlen(want);
    char item[sizeof info->name];
    struct found f;
    choice->n = 0;
    memset(info, 0, sizeof *info);
    if (strcmp(want, "all") == 0)
        return find_all(choice, info, detail);
    for (const char *at = want; *at;) {
        if (!item_next(&at, item, sizeof item))
            return ocl_fail(detail, GFMUL_ERR_ARGUMENT, "'%.40s' cannot be one of several devices", item);
        if (choice->n == OCL_DEVICES_MAX)
            return ocl_fail(detail, GFMUL_ERR_ARGUMENT, "these are more than %d devices", OCL_DEVICES_MAX);
        const enum gfmul_status status = found_one(&f, item, detail);
        if (choice->n == 0)
            *info = f.info;
        TRY(status);
        choice->index[choice->n++] = f.index;
    }
    if (want[length - 1] == ',')
        return ocl_fail(detail, GFMUL_ERR_ARGUMENT, "'' cannot be one of several devices");
    return GFMUL_OK;
}

/* facts_kept - whether the cache has a fact about a device that was found. */
static bool facts_kept(const struct found *f)
{
    char identity[sizeof((struct ocl_device *)0)->identity];
    identity_set(identity, sizeof identity, f);
    return disk_cache_has(&(struct disk_cache_key){identity, OCL_FACT_LOCAL, ""}) ||
           disk_cache_has(&(struct disk_cache_key){identity, OCL_FACT_ARITHMETIC, ""});
}

bool ocl_device_is_unknown(const char *want)
{
    struct found f;
    return found_one(&f, want, NULL) == GFMUL_OK && f.info.gpu && disk_cache_open() && !facts_kept(&f);
}

enum ocl_start ocl_device_start(const char *want)
{
    struct found f;
    if (drivers_here(NULL) == GFMUL_OK && !ocl_drivers_known())
        return OCL_START_UNSEEN;
    return found_one(&f, want, NULL) == GFMUL_OK && f.info.gpu && !facts_kept(&f) ? OCL_START_UNMET : OCL_START_KEPT;
}

void ocl_given_retain(void *context, void *queue)
{
    const bool here = drivers_here(NULL) == GFMUL_OK;
    if (context && here)
        clRetainContext(context);
    if (queue && here)
        clRetainCommandQueue(queue);
}

void ocl_given_release(void *context, void *queue)
{
    const bool here = drivers_here(NULL) == GFMUL_OK;
    if (queue && here)
        clReleaseCommandQueue(queue);
    if (context && here)
        clReleaseContext(context);
}

/* --- opening ------------------------------------------------------------------------------------------------------------- */

static void device_free(struct ocl_device *d)
{
    cl_command_queue queue[] = {d->up.queue, d->down.queue, d->queue};
    for (size_t i = 0; i < sizeof queue / sizeof queue[0]; i++) {
        if (queue[i])
            clFinish(queue[i]);
    }
    ocl_staging_free(d);
    ocl_buffers_free(d);
    ocl_programs_free(d);
    for (size_t i = 0; i < sizeof queue / sizeof queue[0]; i++) {
        if (queue[i])
            clReleaseCommandQueue(queue[i]);
    }
    if (d->context)
        clReleaseContext(d->context);
    pthread_cond_destroy(&d->built);
    pthread_cond_destroy(&d->ended);
    pthread_mutex_destroy(&d->lock);
    pthread_mutex_destroy(&d->order);
    pthread_mutex_destroy(&d->up.lock);
    pthread_mutex_destroy(&d->down.lock);
    alloc_free(d);
}

/* given_check - find the device of the caller's queue, which must belong to the context and run in order. */
static enum gfmul_status given_check(const struct ocl_device_options *opt, struct found *f, char *detail)
{
    cl_context context = NULL;
    cl_command_queue_properties properties = 0;
    cl_command_queue queue = opt->queue;
    TRY(drivers_here(detail));
    cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof f->id, &f->id, NULL);
    if (code == CL_SUCCESS)
        code = clGetDeviceInfo(f->id, CL_DEVICE_PLATFORM, sizeof f->platform, &f->platform, NULL);
    if (code != CL_SUCCESS)
        return ocl_fail(detail, GFMUL_ERR_DEVICE, "the queue given: %s", ocl_code_name(code));
    if (context != (cl_context)opt->context || (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
        return ocl_fail(detail, GFMUL_ERR_DEVICE, "the queue given is not one of the context given that keeps the order");
    device_describe(f);
    return usable_check(f, detail);
}

/* queue_make - make one of our own queues for the device. */
static enum gfmul_status queue_make(const struct ocl_call *on, cl_command_queue *queue, bool profile)
{
    cl_int code = ocl_fault(OCL_FAULT_CONTEXT);
    if (code == CL_SUCCESS)
        *queue = clCreateCommandQueue(on->device->context, on->device->id, profile ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    return ocl_status(on, code, "clCreateCommandQueue");
}

/* own_make - make our own context and queue for the device. */
static enum gfmul_status own_make(const struct ocl_call *on, cl_platform_id platform)
{
    struct ocl_device *d = on->device;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_int code = ocl_fault(OCL_FAULT_CONTEXT);
    if (code == CL_SUCCESS)
        d->context = clCreateContext(properties, 1, &d->id, NULL, NULL, &code);
    TRY(ocl_status(on, code, "clCreateContext"));
    return queue_make(on, &d->queue, d->profile);
}

/* given_take - use the caller's context and queue. */
static enum gfmul_status given_take(const struct ocl_call *on, const struct ocl_device_options *opt)
{
    struct ocl_device *d = on->device;
    cl_command_queue_properties p = 0;
    TRY(ocl_status(on, clRetainContext((cl_context)opt->context), "clRetainContext"));
    d->context = opt->context;
    TRY(ocl_status(on, clRetainCommandQueue((cl_command_queue)opt->queue), "clRetainCommandQueue"));
    d->queue = opt->queue;
    if (clGetCommandQueueInfo(d->queue, CL_QUEUE_PROPERTIES, sizeof p, &p, NULL) != CL_SUCCESS ||
        (p & CL_QUEUE_PROFILING_ENABLE) == 0)
        d->profile = false;
    return GFMUL_OK;
}

/* queues_make - set up the context and all queues. */
static enum gfmul_status queues_make(const struct ocl_call *on, cl_platform_id platform, const struct ocl_device_options *opt)
{
    TRY(opt->context ? given_take(on, opt) : own_make(on, platform));
    TRY(queue_make(on, &on->device->up.queue, false));
    return queue_make(on, &on->device->down.queue, false);
}

static void *local_probe(void *d)
{
    ocl_device_local_bytes(d);
    return NULL;
}

/*
 * device_try - check the device's arithmetic and find its rates.  Another thread probes its local memory meanwhile, because both
 * have to build programs.
 */
static enum gfmul_status device_try(const struct ocl_call *on)
{
    pthread_t thread;
    const bool apart = on->device->info.gpu && pthread_create(&thread, NULL, local_probe, on->device) == 0;
    const enum gfmul_status status = on->device->info.fp64 ? ocl_arithmetic_check(on) : GFMUL_OK;
    if (status == GFMUL_OK)
        ocl_rates_find(on->device);
    if (apart)
        pthread_join(thread, NULL);
    return status;
}

/* device_make - open a device that is not open yet. */
static enum gfmul_status device_make(struct ocl_device **result, const struct found *f, const struct ocl_device_options *opt,
                                     char *detail)
{
    struct ocl_device *d = alloc_zeroed(sizeof *d);

    *result = NULL;
    if (!d)
        return ocl_fail(detail, GFMUL_ERR_MEMORY, "out of memory for a device");
    d->refs = 1;
    d->info = f->info;
    d->id = f->id;
    d->asked = *opt;
    d->profile = opt->profile;
    d->fill_most = 16;
    d->builders = 2; /* doc/decisions/device-start.md: NVIDIA's compiler has a lock, and more threads take longer */
    d->overlap_short = (size_t)6 << 20;
    d->overlap_block = (size_t)32 << 20; /* bench/results/h200/2026-11-29-b-device.tsv, set overlap: each part costs some 60 us */
    if (pthread_mutex_init(&d->lock, NULL) != 0 || pthread_mutex_init(&d->order, NULL) != 0 ||
        pthread_mutex_init(&d->up.lock, NULL) != 0 || pthread_mutex_init(&d->down.lock, NULL) != 0 ||
        pthread_cond_init(&d->built, NULL) != 0 || pthread_cond_init(&d->ended, NULL) != 0 || !copy_team_begin(&d->up.team) ||
        !copy_team_begin(&d->down.team)) {
        alloc_free(d); /* if mutexes own memory on this system, some leaks here; memory has run out anyway */
        return GFMUL_ERR_MEMORY;
    }
    identity_set(d->identity, sizeof d->identity, f);
    const struct ocl_call on = {d, NULL, detail};
    enum gfmul_status status = queues_make(&on, f->platform, opt);
    if (status == GFMUL_OK)
        status = device_try(&on);
    memset(&d->counts, 0, sizeof d->counts); /* the trial does not count */
    if (status == GFMUL_OK)
        *result = d;
    else
        device_free(d);
    return status;
}

/* open_get - find the device in the list of open ones, or open it and add it.   With the list's lock. */
static enum gfmul_status open_get(struct ocl_device **result, const struct found *f, const struct ocl_device_options *opt,
                                  char *detail)
{
    struct ocl_device *d = open_devices;
    while (d && (d->id != f->id || d->asked.profile != opt->profile || d->asked.instance != opt->instance ||
                 d->asked.context != opt->context || d->asked.queue != opt->queue || ocl_device_lost(d)))
        d = d->next;
    if (d) {
        d->refs++;
    } else {
        TRY(device_make(&d, f, opt, detail));
        d->next = open_devices;
        open_devices = d;
    }
    *result = d;
    return GFMUL_OK;
}

enum gfmul_status ocl_device_open(struct ocl_device **d, const char *want, const struct ocl_device_options *opt, char *detail)
{
    static const struct ocl_device_options defaults = {.profile = false};
    struct found f = {.platform = NULL};

    *d = NULL;
    if (!opt)
        opt = &defaults;
    if (!opt->context != !opt->queue)
        return ocl_fail(detail, GFMUL_ERR_ARGUMENT, "a context and a queue of the caller's come together");
    TRY(opt->queue ? given_check(opt, &f, detail) : found_one(&f, want, detail));
    pthread_mutex_lock(&open_lock);
    const enum gfmul_status status = open_get(d, &f, opt, detail);
    pthread_mutex_unlock(&open_lock);
    return status;
}

void ocl_device_close(struct ocl_device *d)
{
    if (!d || ocl_left_behind()) /* in a child process the device is the parent's */
        return;
    pthread_mutex_lock(&open_lock);
    bool last = --d->refs == 0;
    if (last) {
        struct ocl_device **at = &open_devices;
        while (*at != d)
            at = &(*at)->next;
        *at = d->next;
    }
    pthread_mutex_unlock(&open_lock);
    if (last)
        device_free(d);
}
