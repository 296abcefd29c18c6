/* resident.h - how much memory of this process is resident. */
#ifndef RESIDENT_H
#define RESIDENT_H

#include <stdio.h>
#include <unistd.h>

/* resident_bytes - beyond a number of bytes; 0: not known. */
static inline size_t resident_bytes(size_t beyond)
{
    unsigned long total = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%lu %lu", &total, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    const size_t bytes = resident * (size_t)sysconf(_SC_PAGESIZE);
    return bytes > beyond ? bytes - beyond : 0;
}

#endif
