/* guard.c - buffers between two inaccessible pages, with sentinels in the slack. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1
#endif
#include "guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILL_BUFFER = 0xa7, FILL_SLACK = 0x5c };

static void die(const char *what)
{
    perror(what);
    exit(1);
}

struct guard guard_create(size_t bytes, enum guard_side side)
{
    struct guard g;
    g.page = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes > (size_t)-1 - 4 * g.page)
        die("guard_create: size");
    size_t room = (bytes + g.page - 1) / g.page * g.page;
    g.bytes = bytes;
    g.map_bytes = room + 2 * g.page;
    g.map = mmap(NULL, g.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.map == MAP_FAILED)
        die("guard_create: mmap");
    unsigned char *begin = g.map + g.page;
    unsigned char *p = side == GUARD_AFTER ? begin + (room - bytes) : begin;
    memset(begin, FILL_SLACK, room);
    if (bytes > 0)
        memset(p, FILL_BUFFER, bytes);
    g.p = p;
    if (mprotect(g.map, g.page, PROT_NONE) != 0 || mprotect(begin + room, g.page, PROT_NONE) != 0)
        die("guard_create: mprotect");
    return g;
}

bool guard_intact(const struct guard *g)
{
    const unsigned char *p = g->p, *begin = g->map + g->page, *end = g->map + g->map_bytes - g->page;
    for (const unsigned char *s = begin; s < p; s++)
        if (*s != FILL_SLACK)
            return false;
    for (const unsigned char *s = p + g->bytes; s < end; s++)
        if (*s != FILL_SLACK)
            return false;
    return true;
}

void guard_read_only(struct guard *g)
{
    if (g->map_bytes > 2 * g->page && mprotect(g->map + g->page, g->map_bytes - 2 * g->page, PROT_READ) != 0)
        die("guard_read_only");
}

void guard_destroy(struct guard *g)
{
    if (g->map != NULL)
        munmap(g->map, g->map_bytes);
    memset(g, 0, sizeof *g);
}
