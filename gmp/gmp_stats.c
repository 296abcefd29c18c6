/*
 * gmp_stats.c - counts of products, and the lines that a process prints of them at its end.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "gmp/gmp_stats.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gmp/gmp_binding.h"
#include "gmp/gmp_routes.h"

static atomic_ulong made[COUNTED_KINDS], n_limbs, n_left;

bool stats_wanted;
static char file[PATH_MAX]; /* "": none is named */
static int copy = -1;       /* of standard error as it was; closed for programs that this one executes */
static struct stat start;   /* what that is */

void stats_add(enum product_kind kind, size_t limbs)
{
    atomic_fetch_add_explicit(&made[kind], 1, memory_order_relaxed);
    if (kind < PRODUCT_KINDS)
        atomic_fetch_add_explicit(&n_limbs, limbs, memory_order_relaxed);
}

void stats_left(void)
{
    atomic_fetch_add_explicit(&n_left, 1, memory_order_relaxed);
}

void stats_start(void)
{
    enum { BEYOND = 200 }; /* programs and shells use the lowest numbers themselves */
    const char *text = secure_getenv("GFMUL_GMP_STATS");
    if (text && *text == '/' && strlen(text) < sizeof file)
        strcpy(file, text);
    stats_wanted = text && *text != '\0';
    if (!text || strcmp(text, "1") != 0 || fstat(STDERR_FILENO, &start) != 0)
        return;
    if ((copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, BEYOND)) < 0)
        copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/* output - where the lines go; -1: nowhere.  A program that closes all descriptors may have given our number to another file. */
static int output(void)
{
    struct stat now;
    if (file[0] != '\0')
        return open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
    return copy >= 0 && fstat(copy, &now) == 0 && now.st_dev == start.st_dev && now.st_ino == start.st_ino ? copy : -1;
}

struct lines {
    char text[4096];
    size_t n;
};

/* lines_add - one line, or as much of it as there is room for. */
static __attribute__((format(printf, 2, 3))) void lines_add(struct lines *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(l->text + l->n, sizeof l->text - l->n, format, args);
    va_end(args);
    const size_t room = sizeof l->text - 1 - l->n;
    l->n += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room;
}

/* gmps_visit - a line for each GMP whose calls of itself do not come here; whether there is any GMP. */
static bool gmps_visit(const struct elf_objects *objects, void *lines)
{
    bool any = false;
    for (size_t i = 0; i < objects->n; i++) {
        const struct elf_object *o = &objects->object[i];
        if (!object_is_gmp(o, NULL))
            continue;
        any = true;
        if (!binding_comes_here(o))
            lines_add(lines, "gfmul-gmp: %s binds to itself: its products were not seen\n", o->name[0] ? o->name : "the program");
    }
    return any;
}

void stats_print(const char *reason)
{
    struct lines gmps = {.n = 0}, l = {.n = 0};
    unsigned long sum = 0;
    if ((file[0] == '\0' && copy < 0) || !elf_objects_visit(gmps_visit, &gmps))
        return;
    for (int i = 0; i < PRODUCT_KINDS; i++)
        sum += atomic_load(&made[i]);
    lines_add(&l,
              "gfmul-gmp: %lu products of %lu limbs by gfmul (%lu whole, %lu modulo B^n - 1, %lu modulo B^n + 1), "
              "%lu left to GMP\n",
              sum, atomic_load(&n_limbs), atomic_load(&made[WHOLE]), atomic_load(&made[MINUS]), atomic_load(&made[PLUS]),
              atomic_load(&n_left));
    if (atomic_load(&made[QUOTIENT]) > 0)
        lines_add(&l, "gfmul-gmp: quotients by gfmul: %lu\n", atomic_load(&made[QUOTIENT]));
    if (reason)
        lines_add(&l, "gfmul-gmp: all long products were GMP's: %s\n", reason);
    lines_add(&l, "%s", gmps.text);
    const int to = output();
    for (size_t done = 0; to >= 0 && done < l.n;) {
        const ssize_t n = write(to, l.text + done, l.n - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    if (to >= 0 && to != copy)
        close(to);
}
