/*
 * tool_wait.c - how idle threads wait.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * By default GCC's idle threads spin, which takes the processors from other programs.  Two products of 1e6 digits at
 * once took 190 ms on 16 processors, and 21 ms with threads that sleep; alone it makes no difference (doc/decisions/threads.md).
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

/* Smaller files: the product takes less time than the program's start, and few threads. */
enum { SHORT_FILE_BYTES = 1 << 18 };

static bool is_short(const char *file)
{
    struct stat s;
    return file && strcmp(file, "-") != 0 && stat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_size < SHORT_FILE_BYTES;
}

void threads_wait_asleep(char **argv, unsigned threads, const char *const *file, size_t n)
{
    size_t n_short = 0;

    while (n_short < n && is_short(file[n_short]))
        n_short++;
    if (threads == 1 || n_short == n ||
        getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") || setenv("OMP_WAIT_POLICY", "passive", 0) != 0)
        return;
    char name[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", name, sizeof name - 1);
    if (length <= 0)
        return;
    name[length] = '\0'; /* not the link: it would name the process "exe", and under Valgrind it is Valgrind */
    execv(name, argv); /* if this fails, threads spin */
}
