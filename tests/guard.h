/*
 * guard.h - buffers between two inaccessible pages, with sentinels in the slack.
 *
 * A read or write past the guarded end stops the program at once; one past the other end changes a sentinel.
 */
#ifndef GFMUL_GUARD_H
#define GFMUL_GUARD_H

#include <stdbool.h>
#include <stddef.h>

enum guard_side {
    GUARD_AFTER, /* the last byte of the buffer is the last one before the guard page */
    GUARD_BEFORE /* the first byte is the first one after the guard page */
};

struct guard {
    void *p; /* the buffer, filled with a pattern */
    size_t bytes;
    unsigned char *map; /* all pages, the two guards included */
    size_t map_bytes, page;
};

/* guard_create - a buffer; aborts the program where there is no memory.  bytes may be 0: p may then not be touched at all. */
struct guard guard_create(size_t bytes, enum guard_side side);

/* guard_intact - is the slack around the buffer as it was made? */
bool guard_intact(const struct guard *g);

/* guard_read_only - a write to the buffer stops the program from now on. */
void guard_read_only(struct guard *g);

void guard_destroy(struct guard *g);

#endif
