/*
 * tool_output.c - writing the result, whole or not at all.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A regular file is first written as a nameless file in the same folder and flushed to disk.  Then it gets a temporary name and
 * is renamed.  So readers see either the old file or the complete new one.  An end that cannot be caught (SIGKILL) leaves nothing
 * behind, unless it falls between the last two steps.
 * If the system has no nameless files, the file has its temporary name from the start.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

#include "tool.h"

static const size_t write_at_once_bytes = (size_t)1 << 24;
enum { MAX_LINKS = 40, MAX_NAMES = 1000 };

static int output_error(const struct output *out, int error)
{
    complain("%s: %s", out->name, strerror(error));
    return EXIT_INPUT;
}

/* The folder of a path, with its last '/', or "" if the path has none.  NULL: no memory. */
static char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
}

/* Two strings joined.  NULL: no memory. */
static char *join(const char *a, const char *b)
{
    char *s = NULL;

    return asprintf(&s, "%s%s", a, b) < 0 ? NULL : s;
}

/* The target of a symbolic link.  NULL with errno. */
static char *link_text(const char *path)
{
    char *text = malloc(PATH_MAX);
    ssize_t n = text ? readlink(path, text, PATH_MAX - 1) : -1;

    if (n < 0) {
        free(text);
        return NULL;
    }
    text[n] = '\0';
    return text;
}

/* The number of a descriptor if the path names one in a folder of descriptors; else -1. */
static int descriptor_in(const char *path, const char *folder)
{
    const size_t len = strlen(folder), digits = strncmp(path, folder, len) == 0 ? strspn(path + len, "0123456789") : 0;

    return digits > 0 && digits < 8 && path[len + digits] == '\0' ? atoi(path + len) : -1;
}

/*
 * The descriptor that a path names, or -1.  Its file must not be replaced or truncated: it keeps what is in it already, and what
 * others write to it later.
 */
static int descriptor_of(const char *path)
{
    char own[48];
    const char *const folders[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/", own};
    int fd = -1;

    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    snprintf(own, sizeof own, "/proc/%ld/fd/", (long)getpid());
    for (size_t i = 0; i < sizeof folders / sizeof *folders && fd < 0; i++)
        fd = descriptor_in(path, folders[i]);
    return fd;
}

/*
 * Follow a chain of symbolic links; the path at its end need not exist.  If a link names a descriptor, the chain ends there and
 * *fd is set, because the descriptor's file is the target.  NULL with errno.
 */
static char *path_resolve(const char *file, int *fd)
{
    char *path = strdup(file);
    struct stat st;

    *fd = -1;
    for (int links = 0; path && (*fd = descriptor_of(path)) < 0 && lstat(path, &st) == 0 && S_ISLNK(st.st_mode); links++) {
        char *target = links < MAX_LINKS ? link_text(path) : NULL;
        char *folder = target && target[0] != '/' ? path_folder(path) : NULL;
        char *next = !target ? NULL : target[0] == '/' ? strdup(target) : folder ? join(folder, target) : NULL;
        int error = links < MAX_LINKS ? errno : ELOOP;

        free(folder);
        free(target);
        free(path);
        path = next;
        errno = error;
    }
    return path;
}

/* Why the file cannot be replaced by another of the same name; NULL: no reason is known.   folder: "" for the current one. */
static const char *irreplaceable(const struct output *out, const char *folder)
{
    struct stat in;

#ifdef STATX_ATTR_MOUNT_ROOT
    struct statx file;
    if (statx(AT_FDCWD, out->path, AT_SYMLINK_NOFOLLOW, 0, &file) == 0 && (file.stx_attributes & STATX_ATTR_MOUNT_ROOT))
        return "a mount point, which cannot be replaced";
#endif
    if (geteuid() != 0 && stat(*folder ? folder : ".", &in) == 0 && (in.st_mode & S_ISVTX) && in.st_uid != geteuid() &&
        out->stat.st_uid != geteuid())
        return "another user's file in a sticky folder, which cannot be replaced";
    return NULL;
}

/* Complain now, not after an hour of work, if the file cannot be written or replaced. */
static int regular_check(const struct output *out)
{
    char *folder = path_folder(out->path);
    const char *why = folder && out->exists ? irreplaceable(out, folder) : NULL;
    int status = EXIT_DONE;

    if (!folder) {
        status = output_error(out, ENOMEM);
    } else if (!out->path[strlen(folder)]) {
        status = output_error(out, *folder ? EISDIR : ENOENT); /* "name/" or an empty name */
    } else if (access(*folder ? folder : ".", W_OK | X_OK) != 0) {
        status = output_error(out, errno);
    } else if (why) {
        complain("%s: %s; name another file, or use standard output", out->name, why);
        status = EXIT_INPUT;
    }
    free(folder);
    return status;
}

int output_prepare(struct output *out, const char *file)
{
    struct stat behind;

    *out = (struct output)OUTPUT_NONE;
    out->name = name_for_messages(file, "standard output");
    out->fd = STDOUT_FILENO;
    if (file && strcmp(file, "-") != 0 && !(out->path = path_resolve(file, &out->fd)))
        return output_error(out, errno);
    if (out->fd >= 0) {
        out->is_open = true;
        free(out->path);
        out->path = NULL;
        int flags = fcntl(out->fd, F_GETFL);
        if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
            return output_error(out, EBADF);
        return EXIT_DONE;
    }
    out->exists = stat(file, &out->stat) == 0;
    if (!out->exists && errno != ENOENT)
        return output_error(out, errno);
    if (out->exists && S_ISDIR(out->stat.st_mode))
        return output_error(out, EISDIR);
    /* Devices and pipes cannot be renamed; nor can an open nameless file that a link in /proc stands for. */
    if (out->exists && (!S_ISREG(out->stat.st_mode) || stat(out->path, &behind) != 0 || behind.st_dev != out->stat.st_dev ||
                        behind.st_ino != out->stat.st_ino)) {
        out->is_special = true;
        free(out->path);
        if (!(out->path = strdup(file)))
            return output_error(out, ENOMEM);
    }
    if (out->exists && access(out->path, W_OK) != 0)
        return output_error(out, errno);
    return out->is_special ? EXIT_DONE : regular_check(out);
}

/* Write everything; 0 or errno. */
static int write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, text, len < write_at_once_bytes ? len : write_at_once_bytes);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            struct pollfd wait = {fd, POLLOUT, 0}; /* the reader has made the pipe non-blocking */
            if (poll(&wait, 1, -1) < 0 && errno != EINTR)
                return errno;
        } else if (n < 0 && errno != EINTR) {
            return errno;
        } else if (n > 0) {
            text += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

/* Open a nameless file in the folder of the file to replace; it vanishes if the program ends.  -1: not supported here. */
static int nameless_open(const struct output *out)
{
    int fd = -1;
#ifdef O_TMPFILE
    char *folder = path_folder(out->path);
    if (folder)
        fd = open(*folder ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    free(folder);
#else
    (void)out;
#endif
    return fd;
}

/* Give a file a temporary name: the nameless one, or a new file if that is -1.  Returns its descriptor, or -1 with errno. */
static int named_open(const char *name, int nameless)
{
    char file[40];

    if (nameless < 0)
        return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    snprintf(file, sizeof file, "/proc/self/fd/%d", nameless);
    return linkat(AT_FDCWD, file, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? nameless : -1;
}

/* A file beside the one to replace, made by named_open; out->temporary is its name.  -1 with errno. */
static int temporary_open(struct output *out, int nameless)
{
    char *folder = path_folder(out->path);
    int fd = -1;

    for (int i = 0; folder && i < MAX_NAMES; i++) {
        free(out->temporary);
        out->temporary = NULL;
        if (asprintf(&out->temporary, "%s.%s-%ld-%d", folder, program_name, (long)getpid(), i) < 0) {
            out->temporary = NULL;
            errno = ENOMEM;
            break;
        }
        /* Registered before it exists, so that no signal can fall in between. */
        signals_temporary(out->temporary);
        fd = named_open(out->temporary, nameless);
        if (fd >= 0 || errno != EEXIST)
            break;
        signals_temporary(NULL);
    }
    int error = errno;
    free(folder);
    if (fd < 0)
        signals_temporary(NULL);
    errno = error;
    return fd;
}

/* Flush what a path names, if it can be opened. */
static void path_sync(const char *path, int flags)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | flags);

    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

/*
 * Flush a file and its folder after the file was renamed.  Not every file system can; only the safety against a power cut is
 * lost.  File systems without a journal know only now that a file that was nameless has a name.
 */
static void renamed_sync(const char *path)
{
    char *folder = path_folder(path);

    path_sync(path, O_NOCTTY | O_NONBLOCK);
    if (folder)
        path_sync(*folder ? folder : ".", O_DIRECTORY);
    free(folder);
}

static int write_special(struct output *out, const char *text, size_t len)
{
    int fd = open(out->path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
    int error = fd < 0 ? errno : write_all(fd, text, len);

    if (fd >= 0 && close(fd) != 0 && !error)
        error = errno;
    return error ? output_error(out, error) : EXIT_DONE;
}

/* Flush a file; 0 or errno.  If the file system cannot flush it, that is no error. */
static int file_sync(int fd)
{
    return fsync(fd) != 0 && errno != EINVAL ? errno : 0;
}

/*
 * Flush a file that was flushed while it was nameless and has got a name: btrfs of older kernels logs nothing for nameless files.
 * The file systems that most people have do, and a flush would take its time between the name and the renaming.
 */
static int named_sync(int fd)
{
#ifdef __linux__
    enum { EXT4 = 0xef53, XFS = 0x58465342, TMPFS = 0x01021994 };
    struct statfs s;
    if (fstatfs(fd, &s) == 0 && (s.f_type == EXT4 || s.f_type == XFS || s.f_type == TMPFS))
        return 0;
#endif
    return file_sync(fd);
}

/* Take over owner and mode of the file to replace; 0 or errno.  Only root can keep another owner. */
static int mode_keep(const struct output *out, int fd)
{
    if (!out->exists)
        return 0;
    int kept = fchown(fd, out->stat.st_uid, out->stat.st_gid);
    (void)kept;
    return fchmod(fd, out->stat.st_mode & 0777) != 0 ? errno : 0;
}

/* Write a new file's content and bring it to disk; 0 or errno. */
static int file_fill(const struct output *out, int fd, const char *text, size_t len)
{
    int error = mode_keep(out, fd);

    if (!error)
        error = write_all(fd, text, len);
    return error ? error : file_sync(fd);
}

static int write_regular(struct output *out, const char *text, size_t len)
{
    int fd = nameless_open(out), error = fd < 0 ? 0 : file_fill(out, fd, text, len);
    bool named = false;

    if (!error && fd >= 0 && !(named = temporary_open(out, fd) >= 0)) { /* it fails without /proc, for example */
        close(fd);
        fd = -1;
    }
    if (!error && fd >= 0)
        error = named_sync(fd);
    if (!error && fd < 0) {
        fd = temporary_open(out, -1);
        named = fd >= 0;
        error = named ? file_fill(out, fd, text, len) : errno;
    }
    if (fd >= 0 && close(fd) != 0 && !error)
        error = errno;
    if (!error && rename(out->temporary, out->path) != 0)
        error = errno;
    if (error && named)
        (void)unlink(out->temporary);
    else if (!error)
        renamed_sync(out->path);
    signals_temporary(NULL);
    return error ? output_error(out, error) : EXIT_DONE;
}

int output_write(struct output *out, const char *text, size_t len)
{
    if (out->is_open) {
        int error = write_all(out->fd, text, len);
        return error ? output_error(out, error) : EXIT_DONE;
    }
    return out->is_special ? write_special(out, text, len) : write_regular(out, text, len);
}

int output_begin(struct output *out, bool named, int *fd)
{
    /* Without /proc a nameless file could not get its name. */
    *fd = !named && access("/proc/self/fd", X_OK) == 0 ? nameless_open(out) : -1;
    if (*fd < 0)
        *fd = temporary_open(out, -1);
    return *fd < 0 ? output_error(out, errno) : EXIT_DONE;
}

int output_end(struct output *out, int *fd)
{
    const bool named = out->temporary != NULL;
    int error = mode_keep(out, *fd);

    if (!error)
        error = file_sync(*fd);
    if (!error && !named)
        error = temporary_open(out, *fd) < 0 ? errno : named_sync(*fd);
    if (close(*fd) != 0 && !error)
        error = errno;
    *fd = -1;
    if (!error && rename(out->temporary, out->path) != 0)
        error = errno;
    if (error && out->temporary)
        (void)unlink(out->temporary);
    else if (!error)
        renamed_sync(out->path);
    signals_temporary(NULL);
    return error ? output_error(out, error) : EXIT_DONE;
}

void output_abandon(struct output *out, int fd)
{
    if (fd < 0)
        return;
    close(fd);
    if (out->temporary)
        (void)unlink(out->temporary);
    signals_temporary(NULL);
}

void output_free(struct output *out)
{
    free(out->path);
    free(out->temporary);
    *out = (struct output)OUTPUT_NONE;
}

/*
 * The next file opened would get the number of a closed standard descriptor, and the result or a message would be written into
 * that file.  So put something in its place that fails like a closed descriptor.
 */
void standard_descriptors_open(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            _exit(EXIT_INPUT);
}

int stdout_close(void)
{
    bool failed = ferror(stdout) != 0;

    errno = 0;
    if (fclose(stdout) != 0 || failed) {
        complain("standard output: %s", strerror(errno ? errno : EIO));
        return EXIT_INPUT;
    }
    return EXIT_DONE;
}
