/*
 * tool_progress.c - the progress bar.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tool.h"

enum { MAX_WIDTH = 100, MIN_WIDTH = 30, DEFAULT_WIDTH = 80 };

static const uint64_t redraw_ns = 100000000u;      /* at most 10 times a second */
static const uint64_t auto_delay_ns = 1000000000u; /* auto: not for work of less than a second */

static struct {
    bool wanted;
    uint64_t start_ns, drawn_ns, delay_ns;
    double from, share; /* of the whole work: where the call that reports now began, and what it is */
} bar = {.share = 1};
static volatile sig_atomic_t drawn_width; /* characters on the terminal; 0: none */

static void terminal_write(const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(STDERR_FILENO, text, len);
        if (n <= 0)
            return; /* failing to draw a bar is no error */
        text += n;
        len -= (size_t)n;
    }
}

static int terminal_width(void)
{
    struct winsize size;
    int width = DEFAULT_WIDTH;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col - 1; /* on some terminals the last column would wrap */
    return width > MAX_WIDTH ? MAX_WIDTH : width < MIN_WIDTH ? MIN_WIDTH : width;
}

static void bar_draw(double done, uint64_t now)
{
    char line[MAX_WIDTH + 64], cell[MAX_WIDTH + 1], tail[48], left[32] = "";
    double elapsed = (double)(now - bar.start_ns) * 1e-9;

    if (done > 0.02 && elapsed > 0.5) {
        double rest = elapsed * (1 - done) / done;
        if (rest < 360000)
            snprintf(left, sizeof left, "%3d:%02d left", (int)rest / 60, (int)rest % 60);
    }
    int tail_width = snprintf(tail, sizeof tail, "] %3d %%  %11s", (int)(100 * done), left);
    int cells = terminal_width() - (int)strlen(program_name) - (int)strlen(" [") - tail_width;
    if (cells < 0)
        cells = 0;
    if (cells > MAX_WIDTH)
        cells = MAX_WIDTH;
    int filled = (int)(done * cells);
    memset(cell, '=', (size_t)filled);
    memset(cell + filled, ' ', (size_t)(cells - filled));
    if (filled < cells)
        cell[filled] = '>';
    cell[cells] = '\0';
    int n = snprintf(line, sizeof line, "\r%s [%s%s", program_name, cell, tail);
    if (drawn_width > n - 1)
        progress_erase(); /* the terminal has become narrower */
    drawn_width = n - 1;
    terminal_write(line, (size_t)n);
    bar.drawn_ns = now;
}

/* The library's progress callback; never asks to stop. */
static int bar_update(void *arg, double done)
{
    uint64_t now = time_ns();

    (void)arg;
    if (!(done >= 0))
        done = 0;
    if (done > 1)
        done = 1;
    done = bar.from + bar.share * done;
    if (now - bar.start_ns >= bar.delay_ns && (drawn_width == 0 || now - bar.drawn_ns >= redraw_ns))
        bar_draw(done, now);
    return 0;
}

void progress_setup(enum progress_when when, struct gfmul_options *library)
{
    if (when == PROGRESS_NEVER || (when == PROGRESS_AUTO && !isatty(STDERR_FILENO)))
        return;
    library->progress = bar_update;
    bar.wanted = true;
    bar.delay_ns = when == PROGRESS_ALWAYS ? 0 : auto_delay_ns;
}

void progress_start(void)
{
    bar.start_ns = time_ns();
    if (bar.wanted && bar.delay_ns == 0)
        bar_draw(0, bar.start_ns);
}

void progress_part(double from, double share)
{
    bar.from = from;
    bar.share = share;
}

void progress_erase(void)
{
    static const char blanks[] = "                                                                                "
                                 "                                                                                ";
    int width = drawn_width;

    _Static_assert(sizeof blanks > MAX_WIDTH, "as wide as the bar");
    if (width <= 0)
        return;
    drawn_width = 0;
    terminal_write("\r", 1);
    terminal_write(blanks, (size_t)(width < MAX_WIDTH ? width : MAX_WIDTH));
    terminal_write("\r", 1);
}
