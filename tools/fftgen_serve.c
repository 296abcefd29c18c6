/*
 * fftgen_serve.c - a page on a loopback port: a form with all keys, and the analysis and the picture of the transform.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The page has no script: the browser sends the form as the query of a GET, and the answer is the whole page.  Requests are
 * answered one after the other.  The port is bound to 127.0.0.1, and requests for another host name are refused, so that no
 * page of another site can read the answers.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "fftgen.h"
#include "gen/analyze.h"

enum { MAX_REQUEST = 1 << 16, WAIT_MS = 500 };

/* The fields of the query: values of the keys as they were sent; NULL: not sent. */
struct form {
    char *value[GEN_N_KEYS];
    struct gen_params params;
    struct gen_problems problems;
};

/* Escape a text for HTML. */
static void escaped(struct gen_text *out, const char *text)
{
    for (; text && *text; text++)
        switch (*text) {
        case '<':
            gen_printf(out, "&lt;");
            break;
        case '>':
            gen_printf(out, "&gt;");
            break;
        case '&':
            gen_printf(out, "&amp;");
            break;
        case '"':
            gen_printf(out, "&quot;");
            break;
        default:
            gen_printf(out, "%c", *text);
        }
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decode a query in place. */
static void decode(char *s)
{
    char *to = s;
    for (; *s; s++)
        if (*s == '+')
            *to++ = ' ';
        else if (*s == '%' && digit_of(s[1]) >= 0 && digit_of(s[2]) >= 0 && (s[1] != '0' || s[2] != '0')) {
            *to++ = (char)(16 * digit_of(s[1]) + digit_of(s[2]));
            s += 2;
        } else
            *to++ = *s;
    *to = '\0';
}

/* Set the keys that the query gives; a field left empty keeps its default.  The query is modified. */
static void form_read(struct form *f, char *query, const struct gen_params *defaults)
{
    char *rest = query;

    f->params = *defaults;
    for (char *word; query && (word = strsep(&rest, "&")) != NULL;) {
        decode(word);
        const char *equals = strchr(word, '=');
        if (*word == '\0' || (equals && equals[1] == '\0'))
            continue;
        gen_params_set(&f->params, word, strlen(word), 3, "", &f->problems);
        for (int k = 0; k < GEN_N_KEYS && equals; k++) {
            const size_t n = strlen(gen_key_of((enum gen_key)k).name);
            if ((size_t)(equals - word) == n && memcmp(word, gen_key_of((enum gen_key)k).name, n) == 0)
                f->value[k] = word + n + 1;
        }
    }
    gen_params_check(&f->params, &f->problems);
}

static void form_print(const struct form *f, struct gen_text *out)
{
    gen_printf(out, "<form method=\"get\" action=\"/\">\n<table>\n");
    for (int k = 0; k < GEN_N_KEYS; k++) {
        const struct gen_key_facts key = gen_key_of((enum gen_key)k);
        gen_printf(out, "<tr title=\"");
        escaped(out, key.help);
        gen_printf(out, "\"><th><label for=\"%s\">%s</label></th><td><input id=\"%s\" name=\"%s\" placeholder=\"%s\" value=\"",
                   key.name, key.name, key.name, key.name, key.def);
        escaped(out, f->value[k]);
        gen_printf(out, "\"></td><td>");
        escaped(out, key.allowed);
        gen_printf(out, "</td></tr>\n");
    }
    gen_printf(out, "</table>\n<p><button>Analyze</button></p>\n</form>\n");
}

/* The part of the page below the form. */
static void result_print(const struct form *f, struct gen_text *out)
{
    struct gen_text text = {0};
    struct gen_launches l;

    if (f->problems.count > 0) {
        gen_printf(out, "<h2>Not possible</h2>\n<pre id=\"problems\">");
        escaped(out, f->problems.text.s);
        gen_printf(out, "</pre>\n");
        return;
    }
    gen_launches_find(&f->params, &l);
    if (gen_analyze(&f->params, &l, NULL, &text) != GFMUL_OK)
        out->failed = true;
    gen_printf(out, "<h2>Operations and memory</h2>\n<pre id=\"analysis\">");
    escaped(out, text.s);
    gen_printf(out, "</pre>\n<h2>Butterflies</h2>\n");
    gen_text_free(&text);
    if (gen_svg(&f->params, &l, &text))
        gen_printf(out, "<div id=\"graph\">%s</div>\n", text.s ? text.s : "");
    else
        gen_printf(out, "<p>The picture is drawn for powers of two up to %d points.</p>\n", GEN_SVG_POINTS);
    gen_text_free(&text);
}

static const char page_begin[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>fftgen</title>\n<style>\n"
    "body { font-family: sans-serif; margin: 1em; display: grid; grid-template-columns: auto 1fr; gap: 2em }\n"
    "th { text-align: left } td { font-size: small; max-width: 24em } pre { white-space: pre-wrap }\n"
    "@media (max-width: 60em) { body { display: block } }\n</style>\n</head>\n<body>\n<section>\n<h1>fftgen</h1>\n";

static void answer_send(int fd, const char *status, const char *body, size_t len)
{
    struct gen_text head = {0};

    gen_printf(&head,
               "HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %zu\r\nConnection: close\r\n"
               "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n"
               "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; form-action 'self'\r\n\r\n",
               status, len);
    for (int part = 0; part < 2 && !head.failed; part++) {
        const char *s = part == 0 ? head.s : body;
        for (size_t left = part == 0 ? head.len : len; left > 0;) {
            const ssize_t n = send(fd, s, left, 0);
            if (n <= 0 && errno != EINTR)
                left = 0; /* the browser has closed the connection */
            else if (n > 0) {
                s += n;
                left -= (size_t)n;
            }
        }
    }
    gen_text_free(&head);
}

static void error_send(int fd, const char *status)
{
    answer_send(fd, status, status, strlen(status));
}

/* Does the request name this port of this host?   request: its lines. */
static bool host_is_ours(const char *request, unsigned port)
{
    char ours[2][32];
    const char *host = strcasestr(request, "\r\nHost:");

    snprintf(ours[0], sizeof ours[0], "127.0.0.1:%u\r", port);
    snprintf(ours[1], sizeof ours[1], "localhost:%u\r", port);
    if (!host)
        return false;
    host += strlen("\r\nHost:");
    host += strspn(host, " \t");
    return strncmp(host, ours[0], strlen(ours[0])) == 0 || strncmp(host, ours[1], strlen(ours[1])) == 0;
}

/* Cut the target out of a request line: its path, and its query or NULL. */
static bool target_find(char *request, char **path, char **query)
{
    *path = request + strlen("GET ");
    char *end = strpbrk(*path, " \r");
    if (!end || *end != ' ' || strncmp(end + 1, "HTTP/1.", 7) != 0)
        return false;
    *end = '\0';
    *query = strchr(*path, '?');
    if (*query)
        *(*query)++ = '\0';
    return true;
}

static void request_answer(int fd, char *request, unsigned port, const struct gen_params *defaults)
{
    struct form form = {.value = {NULL}};
    struct gen_text page = {0};
    char *path, *query;

    if (strncmp(request, "GET ", 4) != 0) {
        error_send(fd, "405 Method Not Allowed");
        return;
    }
    if (!host_is_ours(request, port)) {
        error_send(fd, "403 Forbidden");
        return;
    }
    if (!target_find(request, &path, &query)) {
        error_send(fd, "400 Bad Request");
        return;
    }
    if (strcmp(path, "/") != 0) {
        error_send(fd, "404 Not Found");
        return;
    }
    form_read(&form, query, defaults);
    gen_printf(&page, "%s", page_begin);
    form_print(&form, &page);
    gen_printf(&page, "</section>\n<section>\n");
    result_print(&form, &page);
    gen_printf(&page, "</section>\n</body>\n</html>\n");
    if (page.failed)
        error_send(fd, "500 Internal Server Error");
    else
        answer_send(fd, "200 OK", page.s, page.len);
    gen_text_free(&page);
    gen_text_free(&form.problems.text);
}

/* One connection: read a request up to its empty line, within a time limit. */
static void connection_serve(int fd, unsigned port, const struct gen_params *defaults, char *request)
{
    const struct timeval wait = {0, 1000 * WAIT_MS};
    size_t len = 0;
    ssize_t n;

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    request[0] = '\0';
    while (!strstr(request, "\r\n\r\n")) {
        if (len == MAX_REQUEST) {
            error_send(fd, "431 Request Header Fields Too Large");
            return;
        }
        n = recv(fd, request + len, MAX_REQUEST - len, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        len += (size_t)n;
        request[len] = '\0';
    }
    request_answer(fd, request, port, defaults);
}

/* A socket on the port, bound to this host only; stores the port that it got.  -1: a message was printed. */
static int port_open(unsigned *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, size) != 0 || listen(fd, 16) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        complain("--serve: port %u: %s", *port, strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return fd;
}

int serve(unsigned port, const struct gen_params *defaults)
{
    char *request = malloc(MAX_REQUEST + 1);
    const int fd = request ? port_open(&port) : -1;

    if (!request)
        complain("out of memory");
    if (fd < 0) {
        free(request);
        return 1;
    }
    signal(SIGPIPE, SIG_IGN); /* writing to a closed connection is then an error of send() */
    printf("http://127.0.0.1:%u/\n", port);
    fflush(stdout);
    for (;;) {
        const int connection = accept(fd, NULL, NULL);
        if (connection >= 0) {
            connection_serve(connection, port, defaults, request);
            close(connection);
        } else if (errno != EINTR && errno != ECONNABORTED) {
            complain("--serve: %s", strerror(errno));
            break;
        }
    }
    close(fd);
    free(request);
    return 1;
}
