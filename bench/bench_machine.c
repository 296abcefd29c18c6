/*
 * bench_machine.c - where a figure comes from: the processor, the software, the command.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#ifndef BENCH_SRCDIR
#define BENCH_SRCDIR "."
#endif
#ifndef BENCH_CFLAGS
#define BENCH_CFLAGS ""
#endif

int cpu_pin(int cpu)
{
#ifdef __linux__
    cpu_set_t set;
    if (cpu == BENCH_CPU_AUTO && sched_getaffinity(0, sizeof set, &set) == 0)
        for (int i = 0; i < CPU_SETSIZE; i++)
            if (CPU_ISSET(i, &set))
                cpu = i;
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return BENCH_CPU_NONE;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        usage_fail("CPU %d cannot be used", cpu);
    return cpu;
#else
    if (cpu >= 0)
        usage_fail("CPU %d: this system cannot bind a process to a CPU", cpu);
    return BENCH_CPU_NONE;
#endif
}

/* The first line of a file's or command's output that has this key before a colon ("": any line), without the key. */
static bool line_find(FILE *f, const char *key, char *value, size_t size)
{
    char line[512];
    while (f && fgets(line, sizeof line, f)) {
        const char *text = line;
        if (*key) {
            if (strncmp(line, key, strlen(key)) != 0 || !(text = strchr(line, ':')))
                continue;
            text++;
        }
        text += strspn(text, " \t");
        snprintf(value, size, "%.*s", (int)strcspn(text, "\n"), text);
        if (*value)
            return true;
    }
    return false;
}

static void machine_print(void)
{
    char model[256] = "unknown processor", load[64];
    double average[3];
    struct utsname kernel;
    FILE *f = fopen("/proc/cpuinfo", "r");

    line_find(f, "model name", model, sizeof model);
    if (f)
        fclose(f);
    printf("# processor: %s, %ld online\n", model, sysconf(_SC_NPROCESSORS_ONLN));
    if (uname(&kernel) == 0)
        printf("# system: %s %.*s %s\n", kernel.sysname, (int)strcspn(kernel.release, "-"), kernel.release, kernel.machine);
    if (getloadavg(average, 3) == 3) {
        snprintf(load, sizeof load, "%.2f %.2f %.2f", average[0], average[1], average[2]);
        printf("# load: %s\n", load);
    }
}

/* The commit of the sources: from the environment, else from git; "" where neither knows. */
static void commit_get(char *commit, size_t size)
{
    const char *given = getenv("GFMUL_BENCH_COMMIT");
    commit[0] = '\0';
    if (given) {
        snprintf(commit, size, "%s", given);
        return;
    }
    if (strchr(BENCH_SRCDIR, '\''))
        return; /* not worth quoting */
    FILE *f = popen("git -C '" BENCH_SRCDIR "' describe --always --dirty --abbrev=12 2>/dev/null", "r");
    line_find(f, "", commit, size);
    if (f)
        pclose(f);
}

static const char *shell_plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:";

static void command_print(const char *program, int argc, char **argv)
{
    printf("# command: %s", program);
    for (int i = 1; i < argc; i++) {
        bool plain = argv[i][0] && argv[i][strspn(argv[i], shell_plain)] == '\0';
        printf(plain ? " %s" : " '%s'", argv[i]);
    }
    putchar('\n');
}

static void environment_print(const char *name)
{
    const char *value = getenv(name);
    if (value)
        printf("# environment: %s=%s\n", name, value);
}

void provenance_print(const struct bench_settings *s, int argc, char **argv)
{
    char date[32], commit[96];
    time_t now = time(NULL);
    struct tm utc;

    command_print(s->program, argc, argv);
    if (gmtime_r(&now, &utc) && strftime(date, sizeof date, "%Y-%m-%d %H:%M:%SZ", &utc))
        printf("# date: %s\n", date);
    machine_print();
#ifdef __clang__
    printf("# compiler: %s", __VERSION__);
#else
    printf("# compiler: gcc %s", __VERSION__);
#endif
    printf(" %s\n", BENCH_CFLAGS);
    commit_get(commit, sizeof commit);
    printf("# gfmul: %s%s%s\n", gfmul_version(), *commit ? ", commit " : "", commit);
    printf("# gmp: %s\n", gmp_version);
    environment_print("GFMUL_DISABLE");
    environment_print("OMP_NUM_THREADS");
    printf("# clock: %s", s->clock == BENCH_CLOCK_CPU ? "CPU time of the thread" : "wall");
    if (s->cpu >= 0)
        printf(", on CPU %d", s->cpu);
    printf("\n# threads: %u\n", s->library.threads);
    printf("# rounds: %u or more, %g seconds or more, samples of %g us or more\n", s->rounds, s->seconds, s->sample_ns * 1e-3);
    fflush(stdout);
}
