/*
 * fftgen_files.c - writes files together: all of them, or none.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The kernels of one transform and the header of another would compile together, and compute nonsense.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fftgen.h"

static void file_error(struct files *f, const char *name, const char *why)
{
    const bool inside = f->folder && name[0] != '/';
    complain("%s%s%s: %s", inside ? f->folder : "", inside ? "/" : "", name, why);
    f->failed = true;
}

bool files_open(struct files *f, const char *folder)
{
    *f = (struct files){.folder = folder, .fd = AT_FDCWD};
    if (!folder)
        return true;
    f->made = mkdir(folder, 0777) == 0;
    if (f->made || errno == EEXIST)
        f->fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->fd < 0) {
        complain("%s: %s", folder, strerror(errno));
        return false;
    }
    return true;
}

/* Block the signals that end the program, so that no temporary file stays behind. */
static void signals_hold(struct files *f)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    sigset_t set;

    if (f->holds_signals)
        return;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaddset(&set, ends[i]);
    f->holds_signals = sigprocmask(SIG_BLOCK, &set, &f->signals) == 0;
}

/* 0 or errno. */
static int write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0) {
            text += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

/* Does a path stay in its folder? */
static bool is_inside(const char *name)
{
    return name[0] != '/' && strncmp(name, "../", 3) != 0 && !strstr(name, "/../");
}

/* Make the folders of a name if they are missing, without following links of the folder.  0 or errno. */
static int folders_make(const struct files *f, char *name)
{
    const int links = is_inside(name) ? AT_SYMLINK_NOFOLLOW : 0;

    for (char *slash = strchr(name + 1, '/'); slash && f->folder; slash = strchr(slash + 1, '/')) {
        struct stat made;
        *slash = '\0';
        const bool there = (mkdirat(f->fd, name, 0777) == 0 || errno == EEXIST) && fstatat(f->fd, name, &made, links) == 0;
        const int error = !there ? errno : S_ISDIR(made.st_mode) ? 0 : ENOTDIR;
        *slash = '/';
        if (error)
            return error;
    }
    return 0;
}

void files_put(struct files *f, const char *name, const void *text, size_t len)
{
    struct stat old;
    char *own = strdup(name), *temporary = NULL;
    int error = 0;

    signals_hold(f);
    if (!text || !own || f->n == FILES_MAX || asprintf(&temporary, "%s.%ld", name, (long)getpid()) < 0) {
        free(own);
        file_error(f, name, strerror(ENOMEM));
        return;
    }
    error = f->failed ? 0 : folders_make(f, own);
    if (error)
        file_error(f, name, strerror(error));
    /* A link may lead to somebody else's file. */
    const bool is_link = fstatat(f->fd, name, &old, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(old.st_mode);
    int fd = f->failed || is_link ? -1 : openat(f->fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) {
        if (!f->failed)
            file_error(f, name, is_link ? "a symbolic link, which is not followed" : strerror(errno));
        free(temporary);
        free(own);
        return;
    }
    f->file[f->n].name = own;
    f->file[f->n++].temporary = temporary;
    error = write_all(fd, text, len);
    if (close(fd) != 0 && !error)
        error = errno;
    if (error)
        file_error(f, name, strerror(error));
}

bool files_close(struct files *f, bool keep)
{
    for (int i = 0; i < f->n && keep && !f->failed; i++)
        if (renameat(f->fd, f->file[i].temporary, f->fd, f->file[i].name) != 0)
            file_error(f, f->file[i].name, strerror(errno));
    const bool done = keep && !f->failed;
    for (int i = 0; i < f->n; i++) {
        if (!done)
            (void)unlinkat(f->fd, f->file[i].temporary, 0);
        free(f->file[i].temporary);
        free(f->file[i].name);
    }
    if (f->fd >= 0)
        close(f->fd);
    if (f->made && !done)
        (void)rmdir(f->folder); /* fails if the folder is not empty, as it should */
    if (f->holds_signals)
        sigprocmask(SIG_SETMASK, &f->signals, NULL);
    return done;
}
