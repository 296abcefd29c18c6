/*
 * t-cgroup.c - limits of control groups, read from files as Linux has them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/cgroup.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "test.h"

static char top[64], made[32][160];
static unsigned n_made;

/* path_of - a path under the test's folder, kept for its removal. */
static const char *path_of(const char *name)
{
    if (n_made == sizeof made / sizeof *made) {
        fprintf(stderr, "too many files\n");
        exit(1);
    }
    snprintf(made[n_made], sizeof made[0], "%.60s/%.90s", top, name);
    return made[n_made++];
}

static void folder(const char *name)
{
    TEST_CHECK(mkdir(path_of(name), 0700) == 0);
}

static void file(const char *name, const char *text)
{
    FILE *f = fopen(path_of(name), "w");
    TEST_CHECK(f && fputs(text, f) >= 0);
    if (f)
        fclose(f);
}

static void begin(void)
{
    snprintf(top, sizeof top, "/tmp/gfmul-test-XXXXXX");
    if (!mkdtemp(top)) {
        perror(top);
        exit(1);
    }
    n_made = 0;
}

static void end(void)
{
    while (n_made > 0)
        remove(made[--n_made]);
    TEST_CHECK(rmdir(top) == 0);
}

/* limit - of the groups in the file "list" here. */
static size_t limit(const char *text)
{
    char list[96];
    file("list", text);
    snprintf(list, sizeof list, "%s/list", top);
    return cgroup_memory(list, top);
}

/* Version 2: the least of a group and those around it; a group that the mount does not show leaves its mount's own. */
static void test_version_2(void)
{
    begin();
    TEST_CHECK(limit("0::/a/b\n") == SIZE_MAX); /* no files */
    folder("a");
    folder("a/b");
    file("a/b/memory.max", "max\n");
    TEST_CHECK(limit("0::/a/b\n") == SIZE_MAX);
    file("a/memory.max", "5000000000\n");
    TEST_CHECK(limit("0::/a/b\n") == 5000000000);
    TEST_CHECK(limit("0::/a/b") == 5000000000); /* without a line end */
    TEST_CHECK(limit("0::/\n") == SIZE_MAX);
    file("memory.max", "4096\n");
    TEST_CHECK(limit("0::/\n") == 4096);
    TEST_CHECK(limit("0::/elsewhere/c\n") == 4096);
    file("a/b/memory.max", "100\n");
    TEST_CHECK(limit("0::/a/b\n") == 100);
    TEST_CHECK(limit("0::/a\n") == 4096);
    end();
}

/* Version 1: the controller memory alone, in a folder of its own, under whatever number and beside others. */
static void test_version_1(void)
{
    begin();
    folder("memory");
    folder("memory/a:b");
    file("memory/memory.limit_in_bytes", "9223372036854771712\n");
    file("memory/a:b/memory.limit_in_bytes", "1000\n");
    file("memory.limit_in_bytes", "1\n"); /* of no controller */
    TEST_CHECK(limit("12:cpu,memory:/a:b\n") == 1000);
    TEST_CHECK(limit("12:memory,cpu:/a:b\n") == 1000);
    TEST_CHECK(limit("9:pids:/\n4:memory:/a:b\n1:cpu:/\n0::/\n") == 1000);
    TEST_CHECK(limit("4:memory:/other\n") == 9223372036854771712u);
    TEST_CHECK(limit("4:memoryless:/a:b\n4:xmemory:/a:b\n4:cpu:/a:b\n4:name=memory:/a:b\n") == SIZE_MAX);
    file("memory.max", "2000\n"); /* both versions at once: the least */
    TEST_CHECK(limit("4:memory:/a:b\n0::/\n") == 1000);
    file("memory.max", "10\n");
    TEST_CHECK(limit("4:memory:/a:b\n0::/\n") == 10);
    end();
}

/* What is no list of groups sets no limit; the process's own groups can only lower the machine's memory. */
static void test_other(void)
{
    begin();
    file("memory.max", "7\n");
    TEST_CHECK(limit("") == SIZE_MAX);
    TEST_CHECK(limit("no group\n0:\n::\n") == 7); /* ":": version 2, its root */
    TEST_CHECK(cgroup_memory("/no such file", top) == SIZE_MAX);
    TEST_CHECK(memory_usable() <= cgroup_memory("/proc/self/cgroup", "/sys/fs/cgroup"));
    end();
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_version_2);
    TEST_RUN(test_version_1);
    TEST_RUN(test_other);
    return test_end();
}
