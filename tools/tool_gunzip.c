/*
 * tool_gunzip.c - reads a file compressed by gzip as text.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>
#include <string.h>

#include "tool.h"

#ifdef HAVE_ZLIB
#include <zlib.h>

struct gunzip {
    z_stream stream;
    bool between; /* a member has ended: the file ends here, or another member follows */
};

struct gunzip *gunzip_begin(void)
{
    struct gunzip *g = calloc(1, sizeof *g);

    if (g && inflateInit2(&g->stream, 16 + MAX_WBITS) != Z_OK) { /* 16: accept only gzip headers */
        free(g);
        g = NULL;
    }
    return g;
}

const char *gunzip_take(struct gunzip *g, const char **in, size_t *in_len, char *out, size_t *out_len)
{
    const uInt given = (uInt)*in_len, room = *out_len < 1 << 30 ? (uInt)*out_len : 1 << 30;

    if (g->between && given > 0) {
        if (inflateReset(&g->stream) != Z_OK)
            return "it cannot be decompressed";
        g->between = false;
    }
    g->stream.next_in = (z_const Bytef *)*in;
    g->stream.avail_in = given;
    g->stream.next_out = (Bytef *)out;
    g->stream.avail_out = room;
    const int status = inflate(&g->stream, Z_NO_FLUSH);
    *in += given - g->stream.avail_in;
    *in_len = g->stream.avail_in;
    *out_len = room - g->stream.avail_out;
    g->between = status == Z_STREAM_END;
    if (status == Z_MEM_ERROR)
        return "not enough memory to decompress it";
    if (status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR)
        return NULL;
    return "it is no whole file of gzip: its data are damaged, or something else follows them";
}

bool gunzip_done(const struct gunzip *g)
{
    return g->between;
}

void gunzip_end(struct gunzip *g)
{
    if (g)
        inflateEnd(&g->stream);
    free(g);
}

#else /* not HAVE_ZLIB: gunzip_begin has reported that, so the others are never called */

struct gunzip *gunzip_begin(void)
{
    return NULL;
}

const char *gunzip_take(struct gunzip *g, const char **in, size_t *in_len, char *out, size_t *out_len)
{
    (void)g, (void)in, (void)in_len, (void)out, (void)out_len;
    return "this build reads no files of gzip";
}

bool gunzip_done(const struct gunzip *g)
{
    (void)g;
    return false;
}

void gunzip_end(struct gunzip *g)
{
    (void)g;
}

#endif
