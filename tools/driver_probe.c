/*
 * driver_probe.c - gfmul-drivers: tries this machine's OpenCL drivers, so that a driver that crashes or hangs spoils no product.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 *     gfmul-drivers LOADER SECONDS [FILE LIBRARY]...
 *
 * LOADER is OpenCL's library.  Each driver is given by FILE, its file in the folder of drivers, and LIBRARY, the library named
 * in that file.  The library libgfmul runs this program (lib/ocl/ocl_drivers.h) and reads these lines from standard output:
 *
 *     all: REASON               all drivers at once, as in a process; empty: they do not crash or hang
 *     driver: FILE<tab>REASON   one driver alone; empty: it has devices
 *     fatal: FILE<tab>REASON    the same for a driver that crashes or hangs
 *     library: SECONDS.NANOSECONDS BYTES PATH   a library that a driver has loaded, as it is on disk
 *     end:
 *
 * Each look (trial of one driver, or of all) is a process of its own, and all run at the same time.  A look that takes longer
 * than SECONDS is killed.  This process itself calls no driver.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

enum { LOOKS_MAX = 33, PLATFORMS_MAX = 32, DEVICES_MAX = 64, TOLD_BYTES = 1 << 15, LINE_BYTES = 1024,
       LIBRARIES_MAX = 1024 };

#ifdef __SANITIZE_ADDRESS__
/* Drivers leak memory, so the leak checker is off. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

/* --- a look, in a process of its own -------------------------------------------------------------------------------------- */

static int tell_fd;

/* tell - send a line to the parent at once, because the next call may be the last. */
__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
    char line[LINE_BYTES];
    va_list ap;
    va_start(ap, format);
    const int n = vsnprintf(line, sizeof line - 1, format, ap);
    va_end(ap);
    size_t bytes = n < 0 ? 0 : (size_t)n < sizeof line - 1 ? (size_t)n : sizeof line - 2;
    for (size_t i = 0; i < bytes; i++) {
        if (line[i] == '\n' || line[i] == '\t')
            line[i] = ' ';
    }
    line[bytes++] = '\n';
    for (size_t done = 0; done < bytes;) {
        const ssize_t k = write(tell_fd, line + done, bytes - done);
        if (k <= 0)
            _exit(1);
        done += (size_t)k;
    }
}

static void *loader;

/* A call of OpenCL that is announced to the parent first; CALL(name) is the function. */
static void *function_of(const char *name)
{
    void *f = dlsym(loader, name);
    if (!f) {
        tell("error: %s is not in OpenCL's library", name);
        exit(0);
    }
    tell("at: %s", name);
    return f;
}
#define CALL(name) ((__typeof__(name) *)function_of(#name))

/* trial - compute one sum on a device, to exercise its compiler and its memory.  Error codes do not matter. */
static void trial(cl_platform_id platform, cl_device_id id)
{
    static const char *text = "__kernel void f(__global uint *x) { x[get_global_id(0)] += (uint)get_global_id(0); }";
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    enum { ITEMS = 64 };
    const size_t items = ITEMS;
    cl_uint x[ITEMS] = {0};
    cl_int code;
    cl_kernel k = NULL;
    cl_mem m = NULL;
    cl_program p = NULL;
    cl_command_queue q = NULL;
    cl_context c = CALL(clCreateContext)(properties, 1, &id, NULL, NULL, &code);
    if (c)
        q = CALL(clCreateCommandQueue)(c, id, 0, &code);
    if (q)
        m = CALL(clCreateBuffer)(c, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof x, x, &code);
    if (m)
        p = CALL(clCreateProgramWithSource)(c, 1, &text, NULL, &code);
    if (p && CALL(clBuildProgram)(p, 1, &id, "", NULL, NULL) == CL_SUCCESS)
        k = CALL(clCreateKernel)(p, "f", &code);
    if (k && CALL(clSetKernelArg)(k, 0, sizeof m, &m) == CL_SUCCESS &&
        CALL(clEnqueueNDRangeKernel)(q, k, 1, NULL, &items, NULL, 0, NULL, NULL) == CL_SUCCESS)
        (void)CALL(clEnqueueReadBuffer)(q, m, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL);
    if (k)
        CALL(clReleaseKernel)(k);
    if (p)
        CALL(clReleaseProgram)(p);
    if (m)
        CALL(clReleaseMemObject)(m);
    if (q)
        CALL(clReleaseCommandQueue)(q);
    if (c)
        CALL(clReleaseContext)(c);
}

static cl_ulong device_number(cl_device_id id, cl_device_info what)
{
    cl_ulong n = 0;
    return CALL(clGetDeviceInfo)(id, what, sizeof n, &n, NULL) == CL_SUCCESS ? n : 0;
}

/* devices_look - count a platform's devices; the first GPU with doubles computes a sum. */
static cl_uint devices_look(cl_platform_id platform, bool *tried)
{
    char name[LINE_BYTES];
    cl_device_id id[DEVICES_MAX];
    cl_uint n = 0;
    (void)CALL(clGetPlatformInfo)(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    (void)CALL(clGetPlatformInfo)(platform, CL_PLATFORM_VERSION, sizeof name, name, NULL);
    const cl_int code = CALL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, DEVICES_MAX, id, &n);
    if (code != CL_SUCCESS) {
        if (code != CL_DEVICE_NOT_FOUND)
            tell("error: clGetDeviceIDs gave code %d", (int)code);
        return 0;
    }
    n = n < DEVICES_MAX ? n : DEVICES_MAX;
    for (cl_uint i = 0; i < n; i++) {
        (void)CALL(clGetDeviceInfo)(id[i], CL_DEVICE_NAME, sizeof name, name, NULL);
        (void)CALL(clGetDeviceInfo)(id[i], CL_DRIVER_VERSION, sizeof name, name, NULL);
        (void)CALL(clGetDeviceInfo)(id[i], CL_DEVICE_VERSION, sizeof name, name, NULL);
        (void)device_number(id[i], CL_DEVICE_GLOBAL_MEM_SIZE);
        const bool gpu = (device_number(id[i], CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
        const bool fp64 = device_number(id[i], CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
        if (gpu && fp64 && !*tried && device_number(id[i], CL_DEVICE_AVAILABLE)) {
            trial(platform, id[i]);
            *tried = true;
        }
    }
    return n;
}

/* libraries_tell - report the libraries that this process has loaded, as they are on disk. */
static void libraries_tell(void)
{
    char line[4096 + 256], before[4096] = "";
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && fgets(line, sizeof line, f)) {
        struct stat st;
        char *path = strchr(line, '/');
        if (!path || !strstr(line, "r-xp"))
            continue;
        path[strcspn(path, "\n")] = '\0';
        if (strcmp(path, before) == 0 || strlen(path) >= sizeof before || !strstr(path, ".so") || stat(path, &st) != 0)
            continue;
        strcpy(before, path);
        tell("library: %lld.%09ld %lld %s", (long long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec, (long long)st.st_size, path);
    }
    if (f)
        fclose(f);
}

/* look - try all drivers, or only those of one folder.   Never returns. */
_Noreturn static void look(const char *loader_path, const char *folder, const char *library)
{
    cl_platform_id platform[PLATFORMS_MAX];
    cl_uint n = 0, n_devices = 0;
    bool tried = folder != NULL; /* the sum is computed only in the look at all drivers */
    if (library) {
        tell("at: dlopen");
        void *driver = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        if (!driver) {
            tell("error: %s", dlerror());
            exit(0);
        }
        libraries_tell(); /* report them even if the driver ends the process later */
    }
    if (folder && (setenv("OCL_ICD_VENDORS", folder, 1) != 0 || unsetenv("OPENCL_VENDOR_PATH") != 0 ||
                   unsetenv("OCL_ICD_FILENAMES") != 0))
        exit(1);
    tell("at: dlopen");
    loader = dlopen(loader_path, RTLD_NOW | RTLD_LOCAL);
    if (!loader) {
        tell("error: %s", dlerror());
        exit(0);
    }
    const cl_int code = CALL(clGetPlatformIDs)(PLATFORMS_MAX, platform, &n);
    if (code != CL_SUCCESS)
        n = 0;
    for (cl_uint i = 0; i < n && i < PLATFORMS_MAX; i++)
        n_devices += devices_look(platform[i], &tried);
    if (n == 0)
        tell("error: it has no platform (clGetPlatformIDs gave code %d)", (int)code);
    else if (n_devices == 0)
        tell("error: it has no device");
    libraries_tell();
    tell("at: exit");
    exit(0); /* runs the drivers' exit handlers */
}

/* --- all looks ----------------------------------------------------------------------------------------------------------- */

struct look {
    const char *file, *library; /* NULL: all drivers */
    pid_t pid;
    int fd; /* -1: the pipe is closed */
    bool late;
    char told[TOLD_BYTES];
    size_t bytes;
};

static struct look looks[LOOKS_MAX];

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* folder_make - make a folder that holds only one driver's file.   false: failed. */
static bool folder_make(char *folder, size_t size, const char *file)
{
    const char *tmp = getenv("TMPDIR");
    char path[LINE_BYTES + 16];
    snprintf(folder, size, "%s/gfmul-drivers-XXXXXX", tmp && *tmp == '/' && strlen(tmp) < 512 ? tmp : "/tmp");
    if (!mkdtemp(folder))
        return false;
    snprintf(path, sizeof path, "%s/one.icd", folder);
    return symlink(file, path) == 0;
}

static void folder_remove(const char *folder)
{
    char path[LINE_BYTES + 16];
    snprintf(path, sizeof path, "%s/one.icd", folder);
    unlink(path);
    rmdir(folder);
}

/* look_begin - start the process of a look. */
static void look_begin(struct look *l, const char *loader_path, const char *folder)
{
    int ends[2];
    l->fd = -1;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    l->pid = fork();
    if (l->pid == 0) {
        const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        setpgid(0, 0);
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        dup2(null, 1); /* so that nobody waits for the pipe of a process that never ends */
        tell_fd = ends[1];
        look(loader_path, folder, l->library);
    }
    close(ends[1]);
    if (l->pid < 0)
        close(ends[0]);
    else
        l->fd = ends[0];
}

/* looks_await - wait until all looks have ended or their time is over. */
static void looks_await(unsigned n, double end)
{
    for (;;) {
        struct pollfd p[LOOKS_MAX];
        struct look *of[LOOKS_MAX];
        nfds_t waiting = 0;
        for (unsigned i = 0; i < n; i++) {
            if (looks[i].fd >= 0) {
                of[waiting] = &looks[i];
                p[waiting++] = (struct pollfd){looks[i].fd, POLLIN, 0};
            }
        }
        const double left = end - seconds_now();
        if (waiting == 0 || left <= 0)
            break;
        if (poll(p, waiting, (int)(left * 1e3) + 1) < 0 && errno != EINTR)
            break;
        for (nfds_t i = 0; i < waiting; i++) {
            if (!p[i].revents)
                continue;
            struct look *l = of[i];
            char rest[512];
            const bool full = l->bytes >= sizeof l->told - 1;
            const ssize_t k = read(l->fd, full ? rest : l->told + l->bytes, full ? sizeof rest : sizeof l->told - 1 - l->bytes);
            if (k > 0) {
                l->bytes += full ? 0 : (size_t)k;
            } else {
                close(l->fd);
                l->fd = -1;
            }
        }
    }
    for (unsigned i = 0; i < n; i++) {
        if (looks[i].pid > 0 && looks[i].fd >= 0) {
            looks[i].late = true;
            kill(-looks[i].pid, SIGKILL);
            kill(looks[i].pid, SIGKILL);
        }
    }
}

/* ended - how a look has ended; false: it still runs.  A process may run for a while after it has closed its pipe. */
static bool ended(const struct look *l, int *status, double end)
{
    pid_t pid;
    while ((pid = waitpid(l->pid, status, WNOHANG)) == 0 && !l->late && seconds_now() < end)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (pid == 0) {
        kill(-l->pid, SIGKILL);
        kill(l->pid, SIGKILL);
    }
    return pid == l->pid && !l->late;
}

/* library_print - print the line of a library unless an earlier look has reported it. */
static void library_print(const char *line)
{
    static const char *printed[LIBRARIES_MAX];
    static unsigned n;
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(printed[i], line) == 0)
            return;
    }
    if (n < LIBRARIES_MAX)
        printed[n++] = line;
    printf("%s\n", line);
}

/* reason_print - print the result of a look, after "all: " or a driver's name. */
static void reason_print(struct look *l, unsigned limit, double end)
{
    const char *at = "start", *error = NULL;
    int status = 0;
    char *next;
    l->told[l->bytes] = '\0';
    const bool over = l->pid > 0 && ended(l, &status, end);
    for (char *line = l->told; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        if (strncmp(line, "at: ", 4) == 0)
            at = line + 4;
        else if (strncmp(line, "error: ", 7) == 0)
            error = error ? error : line + 7;
        else if (strncmp(line, "library: ", 9) == 0)
            library_print(line);
    }
    const bool fatal = l->pid > 0 && (!over || !WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
                                      (!error && strcmp(at, "exit") != 0));
    if (l->file)
        printf("%s: %s\t", fatal ? "fatal" : "driver", l->file);
    else
        printf("all: ");
    if (l->pid <= 0)
        printf("no process could be started\n");
    else if (!over)
        printf("%s does not end within %u s\n", at, limit);
    else if (fatal && WIFSIGNALED(status))
        printf("%s ends the process by signal %d (%s)\n", at, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (fatal)
        printf("%s ends the process\n", at);
    else
        printf("%s\n", error && l->file ? error : "");
}

/* files_close - close the files that the process inherited, so that no driver keeps them open. */
static void files_close(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0)
        return;
#endif
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
}

int main(int argc, char **argv)
{
    const unsigned limit = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    char folders[LOOKS_MAX][LINE_BYTES];
    unsigned n = 1;
    if (limit < 1 || limit > 3600) {
        fprintf(stderr, "usage: gfmul-drivers LOADER SECONDS [FILE LIBRARY]...\n");
        return 2;
    }
    files_close();
    /* no core files; a limit of 1 byte tells the kernel not to run a core handler either */
    setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1});
    const double end = seconds_now() + limit;
    look_begin(&looks[0], argv[1], NULL);
    for (int i = 3; i + 1 < argc && n < LOOKS_MAX; i += 2, n++) {
        looks[n].file = argv[i];
        looks[n].library = argv[i + 1];
        looks[n].fd = -1;
        if (folder_make(folders[n], sizeof folders[n], argv[i]))
            look_begin(&looks[n], argv[1], folders[n]);
    }
    looks_await(n, end);
    for (unsigned i = 0; i < n; i++)
        reason_print(&looks[i], limit, end);
    for (unsigned i = 1; i < n; i++)
        folder_remove(folders[i]);
    printf("end:\n");
    return 0;
}
