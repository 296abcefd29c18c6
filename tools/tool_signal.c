/*
 * tool_signal.c - signals: no half-written file stays behind, and a file that shrinks is reported as an error.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The handlers call async-signal-safe functions only.  A signal may reach any of the library's threads, and is passed on to the
 * main thread.  So it never interrupts two steps of the main thread's work on the temporary file.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static pthread_t main_thread;
static const char *volatile temporary;

/* At most two files at a time. */
static struct watched_map {
    const char *volatile name; /* NULL: free */
    uintptr_t first, last;
} watched[2];

static void temporary_remove(void)
{
    const char *path = temporary;

    if (path)
        (void)unlink(path);
}

/* Clean up, then end by the same signal, so that the parent sees the cause. */
static void on_end(int number)
{
    struct sigaction action;

    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, number);
        return;
    }
    progress_erase();
    temporary_remove();
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, NULL);
    raise(number); /* blocked until this handler returns */
}

static void print_error(const char *text)
{
    while (*text) {
        ssize_t n = write(STDERR_FILENO, text, strlen(text));
        if (n <= 0)
            return;
        text += n;
    }
}

/* print_name - as text_show, in a handler; the rarer control characters all as '?'. */
static void print_name(const char *name)
{
    for (; *name; name++) {
        const unsigned char c = (unsigned char)*name;
        const char one[2] = {c < 0x20 || c == 0x7f ? '?' : *name, '\0'};
        print_error(c == '\n' ? "\\n" : one);
    }
}

/* SIGBUS: a thread has read a mapped file beyond its end.  Several may do so at once; the first one tells. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    uintptr_t address = (uintptr_t)info->si_addr;
    struct sigaction action;

    (void)context;
    while (atomic_flag_test_and_set(&told))
        pause();
    progress_erase();
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++) {
        const char *name = watched[i].name;
        if (name && address >= watched[i].first && address <= watched[i].last) {
            print_error(program_name);
            print_error(": ");
            print_name(name);
            print_error(": file changed while being read, or could not be read\n");
            temporary_remove();
            _exit(EXIT_INPUT);
        }
    }
    temporary_remove();
    atomic_flag_clear(&told);
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, NULL); /* a bug in the program: the access is repeated without the handler, and ends the program */
}

void signals_install(void)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};
    struct sigaction action, old;

    main_thread = pthread_self();
    memset(&action, 0, sizeof action);
    sigfillset(&action.sa_mask);
    action.sa_handler = on_end;
    action.sa_flags = SA_RESTART;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(ends[i], &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = on_bus_error;
    sigaction(SIGBUS, &action, NULL);
}

void signals_temporary(const char *path)
{
    temporary = path;
}

void signals_watch_map(const void *map, size_t bytes, const char *name)
{
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++)
        if (!watched[i].name) {
            watched[i].first = (uintptr_t)map;
            watched[i].last = (uintptr_t)map + (bytes - 1);
            watched[i].name = name;
            return;
        }
}

void signals_forget_map(const void *map)
{
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++)
        if (watched[i].name && watched[i].first == (uintptr_t)map)
            watched[i].name = NULL;
}

/* FFTW ends the program with status 1 if it gets no memory. */
static volatile bool computing;

static void on_exit_while_computing(void)
{
    if (computing) {
        complain("the computation was given up; fewer threads need less memory (--threads)");
        _exit(EXIT_COMPUTE);
    }
}

void computing_begin(void)
{
    static bool registered;

    registered = registered || atexit(on_exit_while_computing) == 0;
    computing = true;
}

void computing_end(void)
{
    computing = false;
}
