/*
 * ocl_drivers.c - list the OpenCL drivers of this machine, and have another process try them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr, pipe2 */
#endif
#include "ocl/ocl_drivers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/disk_cache.h"
#include "base/environment.h"
#include "ocl/ocl_state.h"

enum { DRIVERS_MAX = 32, PATH_BYTES = 4096, TOLD_BYTES = 1 << 18, LIMIT_S = 20, LIMIT_MOST_S = 600 };
static const char trial_key[] = "drivers, 1";
static const long bad_s = 86400; /* how long a bad answer stays valid */

extern char **environ;

/* The verdict on all drivers.  Guarded by the lock; it does not change after the first look. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum { UNKNOWN, FINE, BAD, UNSEEN } verdict; /* UNSEEN: the trial could not run */
static char why[OCL_DETAIL_BYTES];                  /* of BAD and UNSEEN */
static char folder_why[OCL_DETAIL_BYTES];           /* why no driver is registered; else "" */
static struct gfmul_driver_info drivers[DRIVERS_MAX];
static unsigned n_drivers;

/* --- the drivers that are registered ------------------------------------------------------------------------------------- */

/* driver_add - add the driver whose library this file names. */
static void driver_add(const char *folder, const char *name)
{
    struct gfmul_driver_info *d = &drivers[n_drivers];
    const int n = snprintf(d->file, sizeof d->file, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
    if (n < 0 || (size_t)n >= sizeof d->file)
        return; /* the loader may still use it, but the trial also tries all drivers together */
    d->library[0] = '\0';
    const int fd = open(d->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO would wait for its writer */
    FILE *const f = fd < 0 ? NULL : fdopen(fd, "r");
    if (!f) {
        snprintf(d->why_not, sizeof d->why_not, "%s", strerror(errno));
        if (fd >= 0)
            close(fd);
    } else {
        if (!fgets(d->library, sizeof d->library, f))
            d->library[0] = '\0';
        fclose(f);
        d->library[strcspn(d->library, " \t\r\n")] = '\0';
        snprintf(d->why_not, sizeof d->why_not, "%s", d->library[0] ? "" : "it names no library");
    }
    n_drivers++;
}

static int by_file(const void *a, const void *b)
{
    return strcmp(((const struct gfmul_driver_info *)a)->file, ((const struct gfmul_driver_info *)b)->file);
}

/* drivers_of - add the drivers of a folder. */
static void drivers_of(const char *folder)
{
    DIR *d = opendir(folder);
    struct dirent *entry;
    if (!d) {
        snprintf(folder_why, sizeof folder_why, "no driver is registered: %.120s: %s", folder, strerror(errno));
        return;
    }
    while ((entry = readdir(d)) != NULL && n_drivers < DRIVERS_MAX) {
        const size_t n = strlen(entry->d_name);
        if (n > 4 && strcmp(entry->d_name + n - 4, ".icd") == 0)
            driver_add(folder, entry->d_name);
    }
    closedir(d);
    qsort(drivers, n_drivers, sizeof *drivers, by_file);
    if (n_drivers == 0)
        snprintf(folder_why, sizeof folder_why, "no driver is registered: no file *.icd is in %.120s", folder);
}

/* drivers_find - look where loaders look: in the folder, file or library that the environment names, else in /etc. */
static void drivers_find(void)
{
    const char *own = environment_get("OCL_ICD_VENDORS");
    const size_t n = own ? strlen(own) : 0;
    struct stat st;
    n_drivers = 0;
    folder_why[0] = '\0';
    if (!own || !*own) {
        drivers_of("/etc/OpenCL/vendors");
    } else if (stat(own, &st) == 0 && S_ISDIR(st.st_mode)) {
        drivers_of(own);
    } else if (n > 4 && strcmp(own + n - 4, ".icd") == 0) {
        driver_add(NULL, own);
    } else if (strstr(own, ".so") && n < sizeof drivers->library) {
        memcpy(drivers[0].library, own, n + 1);
        snprintf(drivers[0].file, sizeof drivers[0].file, "OCL_ICD_VENDORS");
        n_drivers = 1;
    } else {
        snprintf(folder_why, sizeof folder_why,
                 "no driver is registered: OCL_ICD_VENDORS is %.100s, which is no folder and no driver", own);
    }
}

/* --- what the answer depends on ------------------------------------------------------------------------------------------ */

/* file_of - find the file that contains a function's code. */
static bool file_of(const void *code, char *path, size_t size)
{
    Dl_info info;
    if (!code || dladdr(code, &info) == 0 || !info.dli_fname || strlen(info.dli_fname) >= size)
        return false;
    strcpy(path, info.dli_fname);
    return true;
}

/* loader_path - find the file of the OpenCL library that this process uses. */
static void loader_path(char *path, size_t size)
{
    cl_int (*call)(cl_uint, cl_platform_id *, cl_uint *) = clGetPlatformIDs;
    void *code = dlsym(RTLD_DEFAULT, "clGetPlatformIDs"); /* the linked library's; `call` may point to a stub in the program */
    if (!code)
        memcpy(&code, &call, sizeof code);
    if (!file_of(code, path, size) || !strstr(path, "OpenCL"))
        snprintf(path, size, "libOpenCL.so.1");
}

static void file_note(FILE *f, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        fprintf(f, "%s: %s\n", path, strerror(errno));
    else
        fprintf(f, "%s %lld %lld.%09ld\n", path, (long long)st.st_size, (long long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec);
}

/* identity_make - a text of all that the answer depends on, to be freed; NULL: out of memory. */
static char *identity_make(const char *loader, const char *probe)
{
    static const char *const variables[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES",   "OPENCL_LAYERS",
                                            "LD_LIBRARY_PATH", "LD_PRELOAD",         "CUDA_VISIBLE_DEVICES"};
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return NULL;
    file_note(f, loader);
    file_note(f, probe);
    file_note(f, "/etc/ld.so.cache");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = environment_get(variables[i]);
        fprintf(f, "%s=%s\n", variables[i], value ? value : "");
    }
    for (unsigned i = 0; i < n_drivers; i++) {
        file_note(f, drivers[i].file);
        file_note(f, drivers[i].library);
    }
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

/* --- the look ------------------------------------------------------------------------------------------------------------ */

/* probe_path - find the program gfmul-drivers; false: there is none. */
static bool probe_path(char *path, size_t size)
{
    const char *own = environment_get("GFMUL_DRIVER_PROBE");
    enum gfmul_status (*here)(bool, char *) = ocl_drivers_check;
    const void *code;
    char library[PATH_BYTES];
    if (own)
        return snprintf(path, size, "%s", own) < (int)size && access(path, X_OK) == 0;
    memcpy(&code, &here, sizeof code);
    char *slash = file_of(code, library, sizeof library) ? strrchr(library, '/') : NULL;
    if (slash && strncmp(slash, "/libgfmul", 9) == 0) { /* else a program contains our code, and its folder may be anybody's */
        *slash = '\0';
        if (snprintf(path, size, "%s/gfmul/gfmul-drivers", library) < (int)size && access(path, X_OK) == 0)
            return true;
        if (snprintf(path, size, "%s/gfmul-drivers", library) < (int)size && access(path, X_OK) == 0)
            return true; /* in Python's package */
    }
    return snprintf(path, size, "%s/gfmul-drivers", GFMUL_HELPER_DIR) < (int)size && access(path, X_OK) == 0;
}

static unsigned limit_s(void)
{
    const char *own = environment_get("GFMUL_DRIVER_LIMIT");
    const unsigned long s = own ? strtoul(own, NULL, 10) : 0;
    return s >= 1 && s <= LIMIT_MOST_S ? (unsigned)s : LIMIT_S;
}

/* probe_start - start the program with its output in a pipe, and in a process group of its own so that Ctrl-C does not hit it. */
static int probe_start(pid_t *pid, const char *probe, char *const *arguments, int out)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, all;
    int error = posix_spawn_file_actions_init(&files);
    if (error)
        return error;
    if ((error = posix_spawnattr_init(&how)) == 0) {
        sigemptyset(&none);
        sigfillset(&all);
        if (!(error = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)) &&
            !(error = posix_spawn_file_actions_adddup2(&files, out, 1)) &&
            !(error = posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0)) &&
            !(error = posix_spawnattr_setsigmask(&how, &none)) && !(error = posix_spawnattr_setsigdefault(&how, &all)) &&
            !(error = posix_spawnattr_setpgroup(&how, 0)) &&
            !(error = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP)))
            error = posix_spawn(pid, probe, &files, &how, arguments, environ);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* told_read - read from a pipe until its end, or for so many seconds.  Whole numbers only: a caller's inexact results may trap.
   text out: NUL-terminated */
static void told_read(int fd, char *text, size_t size, unsigned seconds)
{
    const int64_t end = (int64_t)clock_ns() + (int64_t)seconds * 1000000000;
    size_t n = 0;
    for (int64_t left; n < size - 1 && (left = end - (int64_t)clock_ns()) > 0;) {
        struct pollfd p = {fd, POLLIN, 0};
        const int ready = poll(&p, 1, (int)(left / 1000000) + 1);
        if (ready < 0 && errno != EINTR)
            break;
        if (ready <= 0)
            continue;
        const ssize_t k = read(fd, text + n, size - 1 - n);
        if (k == 0 || (k < 0 && errno != EINTR && errno != EAGAIN))
            break;
        n += k > 0 ? (size_t)k : 0;
    }
    text[n] = '\0';
}

/* probe_run - run the program and read its report on the drivers; false: it did not finish. */
static bool probe_run(const char *probe, char *loader, char *text, size_t size)
{
    char *arguments[2 * DRIVERS_MAX + 4], seconds[16], name[] = "gfmul-drivers";
    const unsigned limit = limit_s();
    unsigned n = 0;
    int ends[2];
    pid_t pid;
    snprintf(seconds, sizeof seconds, "%u", limit);
    arguments[n++] = name;
    arguments[n++] = loader;
    arguments[n++] = seconds;
    for (unsigned i = 0; i < n_drivers; i++) {
        if (!drivers[i].library[0])
            continue;
        arguments[n++] = drivers[i].file;
        arguments[n++] = drivers[i].library;
    }
    arguments[n] = NULL;
    text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    const int error = probe_start(&pid, probe, arguments, ends[1]);
    close(ends[1]);
    if (error == 0)
        told_read(ends[0], text, size, limit + 5);
    close(ends[0]);
    const size_t told = strlen(text);
    const bool whole = told >= 5 && strcmp(text + told - 5, "end:\n") == 0;
    if (error == 0) {
        if (!whole)
            kill(-pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) /* the calling program may have reaped it already: ECHILD */
            continue;
    }
    return whole;
}

/* library_same - whether a line "SECONDS.NANOSECONDS BYTES PATH" still describes that file. */
static bool library_same(const char *line)
{
    long long s, bytes;
    long ns;
    int at = 0;
    struct stat st;
    return sscanf(line, "%lld.%ld %lld %n", &s, &ns, &bytes, &at) == 3 && at > 0 && stat(line + at, &st) == 0 &&
           st.st_mtim.tv_sec == s && st.st_mtim.tv_nsec == ns && st.st_size == bytes;
}

/* driver_told - take a driver's line "FILE<tab>REASON".   Returns the driver, or NULL. */
static const struct gfmul_driver_info *driver_told(char *line)
{
    char *reason = strchr(line, '\t');
    if (!reason)
        return NULL;
    *reason++ = '\0';
    for (unsigned i = 0; i < n_drivers; i++) {
        if (strcmp(drivers[i].file, line) == 0) {
            snprintf(drivers[i].why_not, sizeof drivers[i].why_not, "%s", reason);
            return &drivers[i];
        }
    }
    return NULL;
}

/* told_take - take the program's report, a new one or the cached one; false: it is not valid any more.   text i/o: is cut */
static bool told_take(char *text, bool cached)
{
    const struct gfmul_driver_info *fatal = NULL; /* a driver that crashes or hangs even alone */
    const char *all = NULL;
    long long looked = 0;
    bool whole = false;
    char *next;
    for (char *line = text; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        if (strncmp(line, "time: ", 6) == 0)
            looked = strtoll(line + 6, NULL, 10);
        else if (strncmp(line, "all: ", 5) == 0)
            all = line + 5;
        else if (strncmp(line, "driver: ", 8) == 0)
            (void)driver_told(line + 8);
        else if (strncmp(line, "fatal: ", 7) == 0)
            fatal = driver_told(line + 7);
        else if (strncmp(line, "library: ", 9) == 0 && cached && !library_same(line + 9))
            return false;
        else if (strcmp(line, "end:") == 0)
            whole = true;
    }
    if (!whole || !all)
        return false;
    if (cached && all[0]) {
        const long long age = (long long)time(NULL) - looked;
        if (age < 0 || age > bad_s)
            return false;
    }
    if (fatal)
        snprintf(why, sizeof why, "OpenCL driver %.110s: %.120s", fatal->file, fatal->why_not);
    else
        snprintf(why, sizeof why, "OpenCL drivers, all together: %.200s", all);
    verdict = all[0] ? BAD : FINE;
    return true;
}

/* cached_take - take the answer from the cache; false: it has none that is valid. */
static bool cached_take(const struct disk_cache_key *key)
{
    void *data;
    size_t bytes;
    bool taken = false;
    if (disk_cache_load(key, &data, &bytes) == DISK_CACHE_FOUND && bytes > 0 && ((char *)data)[bytes - 1] == '\0')
        taken = told_take(data, true);
    free(data);
    return taken;
}

/* probed_take - run the program, take its answer, and put it into the cache. */
static void probed_take(const struct disk_cache_key *key, const char *probe, char *loader)
{
    char *text = malloc(TOLD_BYTES + 64);
    int n = text ? snprintf(text, 64, "time: %lld\n", (long long)time(NULL)) : 0;
    if (text && probe_run(probe, loader, text + n, TOLD_BYTES)) {
        disk_cache_store(key, text, strlen(text) + 1);
        (void)told_take(text, false);
    }
    free(text);
}

/*
 * trial_identity - the cache key for an answer of the program `probe` with the OpenCL library `loader`.  The caller frees it.
 * NULL: no trial is possible; `why` says so.   Needs the lock.
 */
static char *trial_identity(char probe[PATH_BYTES], char loader[PATH_BYTES])
{
    drivers_find();
    if (!probe_path(probe, PATH_BYTES)) {
        snprintf(why, sizeof why, "the program gfmul-drivers, which tries OpenCL drivers, is missing: name a device to use it");
        return NULL;
    }
    snprintf(why, sizeof why, "%.160s could not try the OpenCL drivers: name a device to use it", probe);
    loader_path(loader, PATH_BYTES);
    return identity_make(loader, probe);
}

/* look - find the verdict in the cache, or by a trial.   With the lock. */
static void look(void)
{
    char probe[PATH_BYTES], loader[PATH_BYTES], *const identity = trial_identity(probe, loader);
    verdict = UNSEEN;
    if (!identity)
        return;
    const struct disk_cache_key key = {identity, trial_key, ""};
    if (!cached_take(&key)) {
        drivers_find(); /* drop what an outdated answer said about the drivers */
        probed_take(&key, probe, loader);
    }
    free(identity);
}

/* trial_due - whether `look` would have to try the drivers.   With the lock. */
static bool trial_due(void)
{
    char probe[PATH_BYTES], loader[PATH_BYTES], *const identity = trial_identity(probe, loader);
    const bool due = identity && !disk_cache_has(&(struct disk_cache_key){identity, trial_key, ""});
    free(identity);
    return due;
}

bool ocl_drivers_known(void)
{
    pthread_mutex_lock(&lock);
    const bool known = verdict != UNKNOWN || !trial_due();
    pthread_mutex_unlock(&lock);
    return known;
}

static void known(void)
{
    if (verdict == UNKNOWN)
        look();
}

enum gfmul_status ocl_drivers_check(bool is_auto, char *detail)
{
    enum gfmul_status status = GFMUL_OK;
    pthread_mutex_lock(&lock);
    known();
    if (verdict == BAD || (verdict == UNSEEN && is_auto))
        status = ocl_fail(detail, GFMUL_ERR_DEVICE, "%s", why);
    pthread_mutex_unlock(&lock);
    return status;
}

enum gfmul_status ocl_drivers_absent(char *detail)
{
    const struct gfmul_driver_info *failed = NULL;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < n_drivers && !failed; i++)
        failed = drivers[i].why_not[0] ? &drivers[i] : NULL;
    if (failed)
        ocl_fail(detail, GFMUL_ERR_DEVICE, "no OpenCL device: %.100s: %.120s", failed->file, failed->why_not);
    else
        ocl_fail(detail, GFMUL_ERR_DEVICE, "no OpenCL device%s%.200s", folder_why[0] ? ": " : "", folder_why);
    pthread_mutex_unlock(&lock);
    return GFMUL_ERR_DEVICE;
}

unsigned ocl_drivers_list(struct gfmul_driver_info *info, unsigned max)
{
    pthread_mutex_lock(&lock);
    known();
    for (unsigned i = 0; i < n_drivers && i < max; i++) {
        info[i] = drivers[i];
        info[i].usable = drivers[i].why_not[0] == '\0';
    }
    const unsigned n = n_drivers;
    pthread_mutex_unlock(&lock);
    return n;
}
