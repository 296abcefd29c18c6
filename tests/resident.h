/* resident.h - how much memory of this process is resident, and what of it the system may take. */
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

/* lent_bytes - resident memory that the system may take, its contents included; 0: none, or not known. */
static inline size_t lent_bytes(void)
{
    char line[256];
    unsigned long kib = 0;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "LazyFree: %lu", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return (size_t)kib * 1024;
}

/* held_bytes - resident memory that the system may not take, beyond a number of bytes. */
static inline size_t held_bytes(size_t beyond)
{
    const size_t resident = resident_bytes(0), lent = lent_bytes() + beyond;
    return resident > lent ? resident - lent : 0;
}

#endif
