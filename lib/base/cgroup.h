/* cgroup.h - limits on memory that Linux sets for groups of processes, such as containers. */
#ifndef GFMUL_CGROUP_H
#define GFMUL_CGROUP_H

#include <stddef.h>

/*
 * cgroup_memory - the least memory limit of the control groups that a process belongs to, of version 1 or 2.
 *
 *   list   in  the file with its groups, as /proc/self/cgroup
 *   mount  in  the folder of the groups' files, as /sys/fs/cgroup.  In a container it may begin at the container's own group.
 *
 * Value:   bytes; SIZE_MAX if there is no limit, or a file is missing.
 * Threads: any.   Cost: some files are read, tens of microseconds.
 */
size_t cgroup_memory(const char *list, const char *mount);

#endif
