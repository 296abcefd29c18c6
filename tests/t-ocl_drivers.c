/*
 * t-ocl_drivers.c - drivers of OpenCL that crash, hang, end the process or make no sense: under "auto" no product is lost to
 * them, and each case says what was wrong.
 *
 * Every case is a process of its own, because OpenCL's loader takes its drivers once.  They run side by side.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "ocl_test.h"

#ifdef HAVE_OPENCL
#include "device_test.h"

static char driver[600]; /* bad_driver.c, built */

/* command - by a shell; whether it succeeds. */
static bool command(const char *format, ...)
{
    char line[4096];
    va_list ap;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    return system(line) == 0;
}

/* folder_of - a folder of drivers with one that has this name. */
static void folder_of(char *folder, size_t size, const char *name)
{
    snprintf(folder, size, "%.60s/%.60s", ocl_test_dir, name);
    TEST_CHECK(command("mkdir -p '%s' && cd '%s' && cp '%s' '%s.so' && echo '%s/%s.so' >bad.icd", folder, folder, driver, name,
                       folder, name));
}

/* What a child tells: whether its product was right, and texts. */
struct seen {
    int status, named; /* of the product under auto, of a context with a device by name */
    char engine[16], detail[256], why[256];
    unsigned n, devices;
    struct gfmul_driver_info drivers[4];
    double seconds; /* of the product */
};

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* child_run - the product and the lists, in a process that has these drivers. */
static void child_run(struct seen *s, const char *folder, const char *probe)
{
    struct gfmul_options opt;
    struct gfmul_report report;
    struct gfmul_ctx *ctx;
    if (setenv("OCL_ICD_VENDORS", folder, 1) != 0 || (probe && setenv("GFMUL_DRIVER_PROBE", probe, 1) != 0))
        _exit(9);
    gfmul_options_init(&opt);
    opt.threads = 1;
    if (gfmul_ctx_create(&ctx, &opt) != GFMUL_OK)
        _exit(9);
    ctx_device_limits(ctx, 1, 1);
    const double start = seconds_now();
    s->status = gfmul_mul(ctx, z, a, AN, b, BN);
    s->seconds = seconds_now() - start;
    gfmul_ctx_report(ctx, &report);
    snprintf(s->engine, sizeof s->engine, "%s", report.plan.engine);
    snprintf(s->detail, sizeof s->detail, "%s", report.detail);
    if (s->status == GFMUL_OK && memcmp(z, want, sizeof want) != 0)
        s->status = -1;
    gfmul_ctx_destroy(ctx);
    s->devices = gfmul_device_list(NULL, 0);
    s->n = gfmul_driver_list(s->drivers, 4);
    opt.device = "gpu";
    s->named = gfmul_ctx_create(&ctx, &opt);
    if (s->named == GFMUL_OK)
        gfmul_ctx_destroy(ctx);
    (void)gfmul_device_find(NULL, "gpu", s->why, sizeof s->why);
}

struct child {
    pid_t pid;
    int fd;
};

static struct child child_start(const char *folder, const char *probe)
{
    int ends[2];
    struct child c = {-1, -1};
    fflush(stdout);
    if (!TEST_CHECK(pipe(ends) == 0))
        return c;
    c.pid = fork();
    if (c.pid == 0) {
        static struct seen s;
        alarm(60);
        child_run(&s, folder, probe);
        _exit(write(ends[1], &s, sizeof s) == (ssize_t)sizeof s ? 0 : 8); /* not what a driver does at the end */
    }
    close(ends[1]);
    c.fd = ends[0];
    return c;
}

/* child_end - what it has told; false: it was ended. */
static bool child_end(struct child c, struct seen *s)
{
    int how = 0;
    memset(s, 0, sizeof *s);
    const bool told = read(c.fd, s, sizeof *s) == (ssize_t)sizeof *s;
    close(c.fd);
    TEST_CHECK(waitpid(c.pid, &how, 0) == c.pid);
    return TEST_CHECK_MSG(told && WIFEXITED(how) && WEXITSTATUS(how) == 0, "the process was ended: status %#x", (unsigned)how);
}

/* auto_holds - the product was made, by the CPU, which says why. */
static void auto_holds(const struct seen *s, const char *why)
{
    TEST_CHECK_MSG(s->status == GFMUL_OK && strcmp(s->engine, "cpu") == 0, "status %d, engine %s", s->status, s->engine);
    TEST_CHECK_MSG(strstr(s->detail, why) && strstr(s->detail, "the CPU was used"), "detail '%s' has no '%s'", s->detail, why);
}

/* Faults of one driver.  tried: the loader's process fails, so the driver is never called here. */
static const struct {
    const char *name, *why;
    bool tried;
} cases[] = {
    {"abort_load", "dlopen ends the process by signal 6", true},
    {"signal_load", "dlopen ends the process by signal 11", true},
    {"exit_load", "dlopen ends the process", true},
    {"hang_load", "dlopen does not end within 1 s", true},
    {"abort_platforms", "clGetPlatformIDs ends the process by signal 6", true},
    {"signal_platforms", "clGetPlatformIDs ends the process by signal 11", true},
    {"exit_platforms", "clGetPlatformIDs ends the process", true},
    {"hang_platforms", "clGetPlatformIDs does not end within 1 s", true},
    {"garbage_platforms", "ends the process by signal 11", true},
    {"code_platforms", "it has no platform", false},
    {"hang_platform", "does not end within 1 s", true},
    {"signal_platform", "ends the process by signal 11", true},
    {"abort_devices", "clGetDeviceIDs ends the process by signal 6", true},
    {"hang_devices", "clGetDeviceIDs does not end within 1 s", true},
    {"garbage_devices", "clGetDeviceInfo ends the process by signal 11", true},
    {"code_devices", "clGetDeviceIDs gave code -5", false},
    {"signal_device", "clGetDeviceInfo ends the process by signal 11", true},
    {"hang_device", "clGetDeviceInfo does not end within 1 s", true},
    {"code_device", "no OpenCL device is a GPU", false},
    {"garbage_device", "", false},
    {"abort_context", "clCreateContext ends the process by signal 6", true},
    {"hang_context", "clCreateContext does not end within 1 s", true},
    {"code_context", "CL_OUT_OF_RESOURCES", false},
    {"signal_build", "clBuildProgram ends the process by signal 11", true},
    {"hang_build", "clBuildProgram does not end within 1 s", true},
    {"code_build", "no program builds here", false},
    {"abort_end", "exit ends the process by signal 6", true},
    {"hang_end", "exit does not end within 1 s", true},
};
enum { N_CASES = sizeof cases / sizeof cases[0], AT_ONCE = 7 };

static void test_faults(void)
{
    operands_draw();
    for (unsigned i = 0; i < N_CASES; i += AT_ONCE) {
        struct child child[AT_ONCE];
        char folder[128];
        for (unsigned k = 0; k < AT_ONCE && i + k < N_CASES; k++) {
            folder_of(folder, sizeof folder, cases[i + k].name);
            child[k] = child_start(folder, NULL);
        }
        for (unsigned k = 0; k < AT_ONCE && i + k < N_CASES; k++) {
            struct seen s;
            const bool tried = cases[i + k].tried;
            test_note("%s", cases[i + k].name);
            if (!child_end(child[k], &s))
                continue;
            auto_holds(&s, cases[i + k].why);
            TEST_CHECK(s.n == 1 && strstr(s.drivers[0].library, cases[i + k].name));
            if (tried) {
                TEST_CHECK_MSG(s.named == GFMUL_ERR_DEVICE && strstr(s.why, cases[i + k].why), "by name: '%s'", s.why);
                TEST_CHECK(s.devices == 0);
                /* its end and its trial are looked at with all drivers together */
                TEST_CHECK_MSG(strstr(s.drivers[0].why_not, cases[i + k].why) || strstr(s.detail, "all together"), "'%s'",
                               s.drivers[0].why_not);
            }
        }
    }
}

/* An answer is kept, until the driver's file is another one. */
static void test_kept(void)
{
    char folder[128], path[192];
    struct seen s;
    operands_draw();
    folder_of(folder, sizeof folder, "hang_platforms");
    for (unsigned k = 0; k < 2; k++) {
        if (!child_end(child_start(folder, NULL), &s))
            return;
        auto_holds(&s, "does not end within 1 s");
        TEST_CHECK_MSG(k == 0 || s.seconds < .5, "%g s", s.seconds);
    }
    snprintf(path, sizeof path, "%s/hang_platforms.so", folder);
    TEST_CHECK(unlink(path) == 0);
    if (child_end(child_start(folder, NULL), &s))
        auto_holds(&s, "cannot open shared object file");
    TEST_CHECK_MSG(s.n == 1 && strstr(s.drivers[0].why_not, "cannot open shared object file"), "'%s'", s.drivers[0].why_not);
}

/* Files of drivers that say nothing, and folders that have none. */
static void test_files(void)
{
    static const struct {
        const char *make, *why;
    } files[] = {
        {"true", "no file *.icd is in"},
        {"touch '%s/x.icd'", "it names no library"},
        {"mkdir '%s/x.icd'", "it names no library"},
        {"mkfifo '%s/x.icd'", "clGetPlatformIDs does not end within"}, /* the loader waits for a writer */
        {"ln -s missing '%s/x.icd'", "No such file or directory"},
        {"echo libmissing-driver.so.7 >'%s/x.icd'", "cannot open shared object file"},
        {"head -c 5000 /dev/zero | tr '\\0' x >'%s/x.icd'", "/x.icd: xxxxxxxx"},
        {"printf '\\001\\377\\200' >'%s/x.icd'", "cannot open shared object file"},
        {"echo '%s/x.icd' >'%s/x.icd'", "file too short"},
        {"rmdir '%s'", "no driver is registered"},
    };
    char folder[128];
    operands_draw();
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        struct seen s;
        char make[512];
        test_note("%s", files[i].make);
        snprintf(folder, sizeof folder, "%s/file%u", ocl_test_dir, i);
        snprintf(make, sizeof make, files[i].make, folder, folder);
        TEST_CHECK(command("mkdir '%s' && %s", folder, make));
        if (!child_end(child_start(folder, NULL), &s))
            continue;
        auto_holds(&s, files[i].why);
        TEST_CHECK_MSG(s.named == GFMUL_ERR_DEVICE && strstr(s.why, files[i].why) && s.devices == 0, "'%s'", s.why);
    }
}

/* The program that tries drivers is missing, or no such program: "auto" calls no driver. */
static void test_probes(void)
{
    static const char *const probes[] = {"/nonexistent/gfmul-drivers", "/bin/false", "/bin/true", "/bin/echo", "/", "", NULL};
    char folder[128];
    struct seen s;
    operands_draw();
    folder_of(folder, sizeof folder, "code_context");
    for (unsigned i = 0; probes[i]; i++) {
        test_note("'%s'", probes[i]);
        if (!child_end(child_start(folder, probes[i]), &s))
            continue;
        auto_holds(&s, "name a device to use it");
        TEST_CHECK_MSG(s.devices == 1, "%u devices", s.devices); /* who asks for them gets them */
    }
}

/* A good driver beside a bad one: the list tells them apart. */
static void test_two(void)
{
    char folder[128];
    struct seen s;
    operands_draw();
    folder_of(folder, sizeof folder, "abort_devices");
    TEST_CHECK(command("cd '%s' && cp '%s' code_context.so && echo '%s/code_context.so' >good.icd", folder, driver, folder));
    if (!child_end(child_start(folder, NULL), &s))
        return;
    auto_holds(&s, "/bad.icd: clGetDeviceIDs ends the process by signal 6");
    TEST_CHECK(s.n == 2 && strstr(s.drivers[0].file, "/bad.icd") && strstr(s.drivers[1].file, "/good.icd"));
    TEST_CHECK_MSG(!s.drivers[0].usable && s.drivers[1].usable, "'%s'", s.drivers[1].why_not);
}

int main(int argc, char **argv)
{
    const char *source = getenv("SRCDIR"), *cc = getenv("CC"), *probe = getenv("GFMUL_DRIVER_PROBE");
    test_begin(argc, argv);
    snprintf(ocl_test_dir, sizeof ocl_test_dir, "/tmp/gfmul-test-XXXXXX");
    if (!mkdtemp(ocl_test_dir) || setenv("GFMUL_CACHE_DIR", ocl_test_dir, 1) != 0 || setenv("GFMUL_DRIVER_LIMIT", "1", 1) != 0)
        return 1;
    snprintf(driver, sizeof driver, "%s/driver.so", ocl_test_dir);
    if (!probe || access(probe, X_OK) != 0 ||
        !command("%s -shared -fPIC -fvisibility=default -o '%s' '%s/tests/bad_driver.c' >/dev/null 2>&1", cc ? cc : "cc", driver,
                 source ? source : "..")) {
        puts("no driver could be built, or GFMUL_DRIVER_PROBE names no program");
        rmdir(ocl_test_dir);
        return 77;
    }
    TEST_RUN(test_faults);
    TEST_RUN(test_kept);
    TEST_RUN(test_files);
    TEST_RUN(test_probes);
    TEST_RUN(test_two);
    return ocl_test_end();
}

#else

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_SKIP("no OpenCL in this build");
    return test_end();
}
#endif
