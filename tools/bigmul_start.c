/*
 * bigmul_start.c - creates the context and starts an OpenCL device while the operands are read.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A driver takes a tenth of a second to load and another one to open its device, and neither needs the operands.  Programs that
 * are not in the cache on disk take seconds to build.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bigmul.h"
#include "gfmul_private.h"

static const size_t large_bytes = (size_t)1 << 22;  /* operands from here on may be worth a device, even if none is asked for */
static const size_t device_bytes = (size_t)1 << 14; /* operands from here on are not multiplied by GMP */

/* file_bytes - the size of a regular file, else 0.   s out: its status. */
static size_t file_bytes(const char *name, struct stat *s)
{
    memset(s, 0, sizeof *s);
    return strcmp(name, "-") != 0 && stat(name, s) == 0 && S_ISREG(s->st_mode) && s->st_size > 0 ? (size_t)s->st_size : 0;
}

/* file_base - the base of the number in a file, judged by its first characters; 0: binary.   base in: 0: auto */
static int file_base(const char *name, int base)
{
    char head[64];
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    const ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    if (n > 0 && binary_may_begin(head, (size_t)n))
        return 0;
    return base >= 2 ? base : number_base(head, n > 0 ? (size_t)n : 0);
}

/* sizes_guess - estimate the product from the sizes of its files, which end in a newline; false: it needs no device. */
static bool sizes_guess(struct start *start)
{
    const struct settings *s = start->settings;
    int base[2];
    if (s->plan || start->bytes[0] < device_bytes || start->bytes[1] < device_bytes)
        return false;
    for (int i = 0; i < 2; i++) {
        base[i] = file_base(s->file[i], s->base);
        start->size[i] = start->bytes[i] - 1;
    }
    const bool digits = base[0] == base[1] && base[0] && s->output_format != FORMAT_BINARY &&
                        (!s->output_base || s->output_base == base[0]);
    for (int i = 0; i < 2 && !digits; i++)
        start->size[i] = (size_t)ceil((double)start->size[i] * (base[i] ? log2(base[i]) : 8) / 64);
    start->base = digits ? base[0] : 0;
    if (start->square)
        start->size[1] = 0;
    return true;
}

/* build - build one part of the product's programs; parts 0: none.   Returns how many programs are missing. */
static unsigned build(struct start *start, unsigned part, unsigned parts)
{
    struct gfmul_report report;
    unsigned missing = 0;
    if (gfmul_private_build(start->ctx, start->base, start->size[0], start->size[1], (struct gfmul_private_part){part, parts},
                            &missing) != GFMUL_OK)
        return 0;
    gfmul_ctx_report(start->ctx, &report);
    start->device_start_ns += report.device_start_ns;
    return missing;
}

/*
 * A driver builds programs one by one, even if threads ask for several.  So if many are missing, this program starts copies of
 * itself, each of which builds a part of them (doc/decisions/device-start.md).  A new device is known before it is open, so the
 * copies load the driver meanwhile.  Contexts that are made at the same time wait for each other.  So each process opens the
 * device only when the one before it has opened it, which it sees because no process has `opened` for writing any more.  When
 * all processes have ended, none has `ended` for writing.
 */
enum { HELPERS_MOST = 3, MISSING_LEAST = 3 };
struct helpers {
    unsigned parts; /* parts of the programs, this process's among them; 0: no helpers */
    int opened;     /* pipe end of this process; the first helper waits for it */
    int last;       /* pipe end of the last helper */
    int ended;
};

/*
 * helper_spawn - start this program once more, for a part.  It may fail.
 *   before      in  its stdin: `opened` of the process before it
 *   own, ended  in  its stderr and stdout: its own `opened`, for the next one, and `ended`
 */
static void helper_spawn(const struct start *start, unsigned part, unsigned parts, int before, int own, int ended)
{
    char option[64];
    char **const argv_own = start->settings->argv;
    size_t n = 0;
    pid_t pid; /* nobody waits for it */
    posix_spawn_file_actions_t actions;
    while (argv_own[n])
        n++;
    char **const argv = calloc(n + 2, sizeof *argv);
    if (!argv || posix_spawn_file_actions_init(&actions) != 0) {
        free(argv);
        return;
    }
    snprintf(option, sizeof option, BUILD_OPTION "%u/%u", part, parts);
    argv[0] = argv_own[0];
    argv[1] = option;
    memcpy(argv + 2, argv_own + 1, (n - 1) * sizeof *argv);
    if (posix_spawn_file_actions_adddup2(&actions, before, STDIN_FILENO) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, ended, STDOUT_FILENO) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, own, STDERR_FILENO) == 0)
        posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(argv);
}

/* helpers_spawn - start as many helpers as the `missing` programs and the processors justify. */
static void helpers_spawn(const struct start *start, struct helpers *h, unsigned missing)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int before[2], ended[2];
    unsigned n = 0;
    h->parts = 0;
    while (missing >= MISSING_LEAST && n < HELPERS_MOST && n + 1 < missing && (long)n + 1 < processors)
        n++;
    if (n == 0 || pipe2(ended, O_CLOEXEC) != 0)
        return;
    if (pipe2(before, O_CLOEXEC) != 0) {
        close(ended[0]);
        close(ended[1]);
        return;
    }
    const int opened = before[1];
    fcntl(ended[1], F_SETFL, O_NONBLOCK);
    for (unsigned part = 1; part <= n; part++) {
        int own[2];
        if (pipe2(own, O_CLOEXEC) != 0)
            break;                          /* the programs of the others are built when needed */
        fcntl(own[1], F_SETFL, O_NONBLOCK); /* a driver that prints must not block, because nobody may be reading */
        helper_spawn(start, part, n + 1, before[0], own[1], ended[1]);
        close(before[0]);
        close(own[1]);
        before[0] = own[0];
    }
    close(ended[1]);
    *h = (struct helpers){.parts = n + 1, .opened = opened, .last = before[0], .ended = ended[0]};
}

/* writers_await - wait until nobody has a pipe open for writing. */
static void writers_await(int fd)
{
    char bytes[512];
    ssize_t n;
    while ((n = read(fd, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        ;
}

/* programs_build - build the missing programs in several processes, which leave them in the cache. */
static void programs_build(struct start *start)
{
    struct helpers h;
    const unsigned missing = build(start, 0, 0);
    helpers_spawn(start, &h, missing);
    if (h.parts == 0)
        return;
    if (missing == UINT_MAX)
        build(start, h.parts, h.parts); /* opens the device */
    close(h.opened);
    build(start, 0, h.parts);
    writers_await(h.ended);
    close(h.ended);
    close(h.last);
}

/* device_prepare - open the device that the product will take, if any. */
static void device_prepare(struct start *start)
{
    struct gfmul_report report;

    programs_build(start);
    /* Failures here do not matter, because the product will report them again. */
    if (gfmul_device_prepare(start->ctx, start->base, start->size[0], start->size[1]) == GFMUL_OK) {
        gfmul_ctx_report(start->ctx, &report);
        start->device_start_ns += report.device_start_ns;
    }
}

static void *start_run(void *arg)
{
    struct start *start = arg;

    start->status = gfmul_ctx_create(&start->ctx, &start->settings->library);
    if (start->status == GFMUL_OK && sizes_guess(start))
        device_prepare(start);
    atomic_store(&start->ended, true);
    return NULL;
}

/* files_look - find the sizes of the files, if known, and whether both are the same file. */
static void files_look(struct start *start, const struct settings *settings)
{
    struct stat s[2];
    memset(start, 0, sizeof *start);
    start->settings = settings;
    for (int i = 0; i < 2; i++)
        start->bytes[i] = file_bytes(settings->file[i], &s[i]);
    start->square = s[0].st_dev == s[1].st_dev && s[0].st_ino == s[1].st_ino;
}

int start_help(const struct settings *settings)
{
    struct start start;
    files_look(&start, settings);
    if (gfmul_ctx_create(&start.ctx, &settings->library) != GFMUL_OK)
        return EXIT_COMPUTE;
    signal(SIGPIPE, SIG_IGN); /* a driver may write to stderr after the next process has ended */
    writers_await(STDIN_FILENO);
    if (sizes_guess(&start)) {
        const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        build(&start, settings->build_parts, settings->build_parts); /* opens the device */
        dup2(null, STDERR_FILENO);
        build(&start, settings->build_part, settings->build_parts);
        dup2(null, STDOUT_FILENO); /* drivers spend a tenth of a second at the end of a process, which nobody should wait for */
    }
    return EXIT_DONE;
}

void start_begin(struct start *start, const struct settings *settings)
{
    const struct gfmul_options *opt = &settings->library;
    const bool is_auto = !opt->device || strcmp(opt->device, "auto") == 0;
    const bool cpu = opt->device && (strcmp(opt->device, "cpu") == 0 || strcmp(opt->device, "0") == 0);

    files_look(start, settings);
    const bool large = start->bytes[0] >= large_bytes && start->bytes[1] >= large_bytes;
    const bool apart = opt->engine == GFMUL_ENGINE_OPENCL || (opt->engine == GFMUL_ENGINE_AUTO && !cpu && (!is_auto || large));
    start->apart = apart && gfmul_has_engine(GFMUL_ENGINE_OPENCL) && pthread_create(&start->thread, NULL, start_run, start) == 0;
    if (!start->apart)
        start->status = gfmul_ctx_create(&start->ctx, opt);
}

enum gfmul_status start_end(struct start *start)
{
    if (start->apart)
        pthread_join(start->thread, NULL);
    start->apart = false;
    return start->status;
}
