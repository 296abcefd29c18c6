/*
 * scratch_file.c - whole reads and writes, and their errors.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "scratch/scratch.h"

enum { MOVE_MOST = 1 << 30 }; /* bytes of one call */

/* reserve - 0 or an error number.  If the file system cannot promise room, the file only gets its length. */
static int reserve(int fd, off_t bytes)
{
#ifdef __linux__
    int error;
    do
        error = fallocate(fd, 0, 0, bytes) == 0 ? 0 : errno;
    while (error == EINTR);
    if (error != EOPNOTSUPP && error != ENOSYS)
        return error;
#endif
    return ftruncate(fd, bytes) == 0 ? 0 : errno;
}

static int room(const char *folder, int fd, uint64_t *bytes)
{
    struct statvfs there;
    if ((folder != NULL ? statvfs(folder, &there) : fstatvfs(fd, &there)) != 0)
        return -1;
    *bytes = (uint64_t)there.f_bavail * there.f_frsize;
    return 0;
}

struct scratch_calls scratch_calls = {.read = pread, .write = pwrite, .reserve = reserve, .resize = ftruncate, .room = room};

enum gfmul_status scratch_fail(struct scratch_error *e, enum gfmul_status status, const char *format, ...)
{
    va_list arguments;
    e->status = status;
    e->damaged = false;
    e->error = 0;
    va_start(arguments, format);
    vsnprintf(e->detail, sizeof e->detail, format, arguments);
    va_end(arguments);
    return status;
}

void scratch_detail(struct gfmul_files_report *report, enum gfmul_status status, const struct scratch_error *e)
{
    const char *const why = e->status == status ? e->detail : gfmul_strerror(status);
    snprintf(report->detail, sizeof report->detail, "%s", why);
}

enum gfmul_status file_fail(struct scratch_error *e, const char *name, const char *what, int error)
{
    const bool space = error == ENOSPC || error == EDQUOT || error == EFBIG;
    char text[128];
#ifdef __GLIBC__
    const char *const why = strerror_r(error, text, sizeof text);
#else
    const char *const why = strerror_r(error, text, sizeof text) == 0 ? text : "an unknown error";
#endif
    (void)scratch_fail(e, space ? GFMUL_ERR_SPACE : GFMUL_ERR_FILE, "%s: cannot %s: %s", name, what, why);
    e->error = error;
    return e->status;
}

enum gfmul_status file_read(struct scratch_moved *moved, int fd, void *to, size_t bytes, uint64_t at, const char *name,
                            struct scratch_error *e)
{
    const uint64_t start = clock_ns();
    for (char *p = to; bytes > 0;) {
        const ssize_t n = scratch_calls.read(fd, p, bytes < MOVE_MOST ? bytes : MOVE_MOST, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return file_fail(e, name, "read", errno);
        if (n == 0)
            return scratch_fail(e, GFMUL_ERR_FILE, "%s: ends at byte %llu, earlier than before", name, (unsigned long long)at);
        p += n;
        at += (uint64_t)n;
        bytes -= (size_t)n;
        moved->read_bytes += (uint64_t)n;
    }
    moved->ns += clock_ns() - start;
    return GFMUL_OK;
}

enum gfmul_status file_write(struct scratch_moved *moved, int fd, const void *from, size_t bytes, uint64_t at, const char *name,
                             struct scratch_error *e)
{
    const uint64_t start = clock_ns();
    for (const char *p = from; bytes > 0;) {
        const ssize_t n = scratch_calls.write(fd, p, bytes < MOVE_MOST ? bytes : MOVE_MOST, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return file_fail(e, name, "write", n < 0 ? errno : ENOSPC);
        p += n;
        at += (uint64_t)n;
        bytes -= (size_t)n;
        moved->write_bytes += (uint64_t)n;
    }
    moved->ns += clock_ns() - start;
    return GFMUL_OK;
}

enum gfmul_status file_reserve(int fd, uint64_t bytes, const char *name, struct scratch_error *e)
{
    const int error = scratch_calls.reserve(fd, (off_t)bytes);
    return error == 0 ? GFMUL_OK : file_fail(e, name, "reserve room", error);
}
