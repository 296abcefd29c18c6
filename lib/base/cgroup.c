/*
 * cgroup.c - limits on memory that Linux sets for groups of processes, such as containers.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/cgroup.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

/* limit_read - set *least to the number in a file, if that is less.  A file of version 2 says "max" if there is no limit. */
static void limit_read(size_t *least, const char *path)
{
    unsigned long long bytes;
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%llu", &bytes) == 1 && bytes < *least)
        *least = (size_t)bytes;
    if (f)
        fclose(f);
}

/* limits_read - read the limits of a group and of its ancestors.  Files that the mount lacks are skipped.   group i/o: is cut */
static void limits_read(size_t *least, const char *folder, char *group, const char *name)
{
    char path[2 * PATH_BYTES];
    for (;;) {
        const int n = snprintf(path, sizeof path, "%s%s/%s", folder, group, name);
        if (n > 0 && (size_t)n < sizeof path)
            limit_read(least, path);
        char *const slash = strrchr(group, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* names_memory - whether a comma-separated list of controllers contains "memory". */
static int names_memory(const char *controllers)
{
    static const char memory[] = "memory";
    const size_t n = sizeof memory - 1;
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, memory, n) == 0 && (at[n] == '\0' || at[n] == ','))
            return 1;
    }
    return 0;
}

size_t cgroup_memory(const char *list, const char *mount)
{
    size_t least = SIZE_MAX;
    char line[PATH_BYTES], folder[PATH_BYTES];
    FILE *f = fopen(list, "r");
    while (f && fgets(line, sizeof line, f)) { /* "number:controllers:/group"; version 2 names no controllers */
        char *const controllers = strchr(line, ':'), *const group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group = '\0';
        group[1 + strcspn(group + 1, "\n")] = '\0';
        const int version_2 = controllers[1] == '\0';
        if (!version_2 && !names_memory(controllers + 1))
            continue;
        const int n = snprintf(folder, sizeof folder, "%s%s", mount, version_2 ? "" : "/memory");
        if (n > 0 && (size_t)n < sizeof folder)
            limits_read(&least, folder, group + 1, version_2 ? "memory.max" : "memory.limit_in_bytes");
    }
    if (f)
        fclose(f);
    return least;
}
