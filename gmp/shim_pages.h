/* shim_pages.h - memory of the preloaded library: pages of the system's, because malloc may be the program's own. */
#ifndef GFMUL_SHIM_PAGES_H
#define GFMUL_SHIM_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/* shim_pages_get - zeroed pages; NULL: none are left.   Threads, signals: any. */
static inline void *shim_pages_get(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static inline void shim_pages_free(void *p, size_t bytes)
{
    munmap(p, bytes);
}

#endif
