/*
 * params.c - the keys of the generator and their values, from the command line or a file.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/params.h"

enum { MAX_BITS = 106 }; /* bits of a double-double */

static const struct gen_key_facts keys[GEN_N_KEYS] = {
    [GEN_DATA] = {"DATA", "C, R, I, R2, INT32, INT64 or LIMBS", "C",
                  "The input of the forward transform: C complex, R real, I purely imaginary, INT32 and\n"
                  "INT64 real and given as integers of that type, LIMBS digits of INPRECISION bits in\n"
                  "limbs of 64 bits, as a big integer has them. All but C and R2 are as R from there on.\n"
                  "R2: two real sequences of N values each, one behind the other, are the real and the\n"
                  "imaginary parts of N complex points (two for one). Their half spectra, N/2+1 complex\n"
                  "values each, are one behind the other, too.\n"
                  "The rest pack N values into N/2 complex points, which halves the work; the\n"
                  "spectrum is then the half 0 .. N/2 (N/2+1 complex values), and the backward\n"
                  "transform makes the N real (or imaginary) values of it, in FFTDATA.\n"},
    [GEN_FFTDATA] = {"FFTDATA", "float, double or dd", "double",
                     "The type of the numbers in memory and, where no precision key says otherwise,\n"
                     "of the arithmetic. dd: double-double, a number is an unevaluated sum of two doubles,\n"
                     "high part first, with about 104 bits.\n"},
    [GEN_LOGN] = {"LOGN", "an integer from 3 to 28", "10", "The length N of the transform is 2^LOGN.\n"},
    [GEN_N] = {"N", "2^a 3^b 5^c 7^d, from 8 to 268435456 (268435456 = 2^28)", "2^LOGN",
               "The length, where it is no power of two, instead of LOGN.\n"},
    [GEN_BITREV] = {"BITREV", "Y or N", "Y",
                    "Y: input and output in natural order. N: the spectrum stays in the order of the\n"
                    "algorithm (fft_ID_index() gives the place of a frequency), the forward transform goes to it and the "
                    "backward transform comes from\n"
                    "it, both in place where the caller wants.\n"},
    [GEN_DIRECTION] = {"DIRECTION", "A, F or B", "A", "F: forward, with exp(-2 pi i j k / N). B: backward. A: both.\n"},
    [GEN_ID] = {"ID", "up to 32 letters, digits or underscores", "gen",
                "Suffix of the generated names: fft_ID. Empty: the default.\n"},
    [GEN_NONEZ] = {"NONEZ",
                   "empty (X), a pattern of X and 0, \"a,b\" with a <= b < N, or \"parts;index\" with index < parts <= N", "X",
                   "Which inputs can be other than zero; the caller promises that the rest is zero (it is\n"
                   "not always read). Three forms:\n"
                   "  X0         a pattern: the input in as many equal parts as there are characters;\n"
                   "             X: can be non-zero, 0: is zero. From the 256th run of X on all are taken as\n"
                   "             X, up to the last one\n"
                   "  a,b        only the inputs a to b, both included, can be non-zero\n"
                   "  parts;i    in that many equal parts, only part i (from 0) can be non-zero\n"
                   "Levels that would only move zeros are not generated. It is about the forward\n"
                   "transform's input, or about the backward one's where DIRECTION=B.\n"},
    [GEN_SCALING] = {"SCALING", "Y or N", "N",
                     "Y: divide by N, in the backward transform, or in the forward one where DIRECTION=F.\n"},
    [GEN_INPRECISION] = {"INPRECISION", "0 (that of FFTDATA) or bits from 1 to 53, with dd to 106, with LIMBS in dd to 63", "0",
                         "The inputs are integers of magnitude below 2^bits, up to a common power of two\n"
                         "as long as they and their sums are normal numbers of the type of the first sums.\n"
                         "With FFTDATA=double the first sums are then done in float as long as float holds\n"
                         "them exactly (bits + levels <= 24), with FFTDATA=dd in double (<= 53). The result\n"
                         "does not change.\n"},
    [GEN_OUTPRECISION] = {"OUTPRECISION", "0 (that of FFTDATA) or bits from 1 to 53, with dd to 106", "0",
                          "How many bits of the result are wanted, relative to its norm. With FFTDATA=double\n"
                          "and few enough bits the last levels are computed in float, with FFTDATA=dd in double.\n"},
    [GEN_ALGORITHM] = {"ALGORITHM", "2, 4, 8, S, C or T", "S",
                       "Radix 2, 4, 8, split radix, conjugate-pair split radix, tangent. A power of two is\n"
                       "the recursion of the algorithm from its input to its output, a radix with a shorter\n"
                       "one where it does not divide LOGN. Lengths with factors 3, 5, 7 are dimensions, whose\n"
                       "codelets the algorithm makes; these factors have codelets of their own.\n"},
    [GEN_STRUCTURE] = {"STRUCTURE", "RECURSION or DIMENSIONS", "RECURSION",
                       "RECURSION: a power of two is the recursion of the algorithm, with its operations, or is\n"
                       "refused with the reason. DIMENSIONS: the algorithm makes codelets of up to 16 points,\n"
                       "and all other twiddles are the same for all algorithms. Other lengths are always so.\n"},
    [GEN_TWIDDLE] = {"TWIDDLE", "YES, ONFLY, or the path of a file (letters, digits, '.', '_', '-', '/'; at most 255)", "YES",
                     "YES: from a table that the host functions compute. ONFLY: computed in the kernel.\n"
                     "A path: the table is written to that file, and read from it by the host functions. It\n"
                     "begins at the folder of the transform, but for one with '/' in front. Missing folders\n"
                     "are made. The file may not have a name of the transform's own files.\n"},
    [GEN_TABLE] = {"TABLE", "AUTO, ALL, REDUCED or PAIR", "AUTO",
                   "What the table of twiddles has. ALL: each root that the algorithm asks for. REDUCED:\n"
                   "numbers of which the roots are made by exchanges and changes of sign, with PRODUCTS=4\n"
                   "N/4 cosines, with PRODUCTS=3 N numbers (C: N/2); T has the table of ALL. N must be a\n"
                   "multiple of 8. PAIR: two tables of about sqrt(N) roots, the twiddle is a product of two\n"
                   "(6 operations more). AUTO: ALL; in dimensions of more than 2^16 points PAIR.\n"},
    [GEN_PRODUCTS] = {"PRODUCTS", "3 or 4", "4",
                      "Real products of a complex product: 4, with two additions, or 3, with three. The table\n"
                      "then has three numbers of each twiddle. Two additions more prepare a twiddle that is\n"
                      "computed in the kernel, or is a product of two. T takes the twiddles of its table by 4.\n"},
    [GEN_DIM] = {"DIM", "0, or 1 to 8 lengths n1,n2,... from 2 on whose product is the number of points", "0",
                 "Decompose into dimensions: columns of n1 points, twiddles, then n2 points, ... (with two\n"
                 "of them the four-step method). 0 or one length: chosen. The number of points is N, or N/2 with\n"
                 "DATA other than C. With STRUCTURE=DIMENSIONS, or where N is no power of two.\n"},
    [GEN_STOPLEVEL] = {"STOPLEVEL", "0 (the end) or a level from 1 to LOGN-1", "0",
                       "Stop after that many levels, and leave 2^STOPLEVEL independent transforms of\n"
                       "N/2^STOPLEVEL points to the caller; the backward transform begins there.\n"
                       "Needs DATA=C, a power of two, STRUCTURE=DIMENSIONS, and BITREV=N or DIRECTION=F.\n"},
    [GEN_USECONSTANTS] = {"USECONSTANTS", "Y or N", "N",
                          "Y: twiddle tables in constant memory, where they fit into KERNELSIZE.\n"},
    [GEN_KERNELHEIGHT] = {"KERNELHEIGHT", "0 (chosen) or levels from 1 to 1000", "0",
                          "The most levels that one kernel launch does: it transforms up to 2^KERNELHEIGHT points.\n"
                          "Up to 6 of a whole transform stay in registers, more are exchanged through local\n"
                          "memory, as many as it has room for (11 to 14).\n"},
    [GEN_KERNELWIDTH] = {"KERNELWIDTH", "0 (chosen), or from 1 to 1000", "0",
                         "log2 of the elements that one work-group handles; at least KERNELHEIGHT. It has\n"
                         "up to 2^13 of double, 2^14 of float, 2^12 of dd in local memory at once, which takes\n"
                         "64 KiB; each less halves it. (Recursions, and N that is no power of two: 2^11, 2^12,\n"
                         "2^10, with 32 KiB.) More are done one part after the other.\n"},
    [GEN_KERNELSIZE] = {"KERNELSIZE", "0 (65536) or bytes from 1 to 4294967295", "65536",
                        "The most constant memory that one kernel's twiddles may take (USECONSTANTS=Y); a\n"
                        "larger table stays in global memory.\n"},
    [GEN_KERNELNUM] = {"KERNELNUM", "0 (one) or 1 to 65536", "1",
                       "Each pass is enqueued as that many kernels, which a queue may run in parallel.\n"},
};

static void problem(struct gen_problems *problems, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void problem(struct gen_problems *problems, const char *format, ...)
{
    char line[1024];
    va_list ap;

    if (problems->count++ >= GEN_MAX_PROBLEMS)
        return;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    gen_printf(&problems->text, "%s\n", line);
}

/* A value in the form that messages show: short and printable. */
static const char *shown(const char *value, size_t len, char buffer[64])
{
    size_t n = 0;
    for (size_t i = 0; i < len && n < 56; i++)
        buffer[n++] = isprint((unsigned char)value[i]) ? value[i] : '?';
    if (n < len)
        memcpy(buffer + n, "...", 3), n += 3;
    buffer[n] = '\0';
    return buffer;
}

void gen_params_default(struct gen_params *p)
{
    *p = (struct gen_params){.data = 'C',
                             .fftdata = 'd',
                             .logn = 10,
                             .n = 1024,
                             .bitrev = true,
                             .direction = 'A',
                             .id = "gen",
                             .algorithm = 'S',
                             .products = 4,
                             .kernelsize = 65536,
                             .kernelnum = 1,
                             .nonez_text = "X",
                             .pattern_length = 1,
                             .n_runs = 1,
                             .runs = {{0, 1}},
                             .dim_text = "0"};
}

void gen_params_published(struct gen_params *p)
{
    gen_params_default(p);
    p->fftdata = 'f';
    p->scaling = true;
    p->algorithm = '2';
    p->useconstants = true;
    p->kernelheight = 6;
    p->kernelwidth = 16;
}

/* A plain decimal number up to max. */
static bool number(const char *s, size_t len, uint32_t max, uint32_t *value)
{
    uint64_t v = 0;
    if (len == 0 || len > 10)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (s[i] < '0' || s[i] > '9')
            return false;
        v = 10 * v + (uint64_t)(s[i] - '0'); /* < 10^10 */
    }
    *value = (uint32_t)v;
    return v <= max;
}

static bool one_of(const char *s, size_t len, const char *letters, char *value)
{
    if (len != 1 || s[0] == '\0' || !strchr(letters, s[0]))
        return false;
    *value = s[0];
    return true;
}

static bool yes_no(const char *s, size_t len, bool *value)
{
    char c;
    if (!one_of(s, len, "YN", &c))
        return false;
    *value = c == 'Y';
    return true;
}

static bool whole(const char *s, size_t len, uint32_t lo, uint32_t hi, int *value)
{
    uint32_t v;
    if (!number(s, len, hi, &v) || v < lo)
        return false;
    *value = (int)v;
    return true;
}

/* Copy a value if it has only allowed characters. */
static bool copy(const char *s, size_t len, size_t max, const char *allowed, char *to)
{
    if (len == 0 || len > max)
        return false;
    for (size_t i = 0; i < len; i++)
        if (s[i] == '\0' ||
            (!strchr(allowed, s[i]) && !((s[i] >= '0' && s[i] <= '9') || (allowed[0] == '_' && isalpha((unsigned char)s[i])))))
            return false;
    memcpy(to, s, len);
    to[len] = '\0';
    return true;
}

static bool is(const char *s, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(s, word, len) == 0;
}

static const char *type_name(const struct gen_params *p)
{
    return p->fftdata == 'q' ? "dd" : p->fftdata == 'd' ? "double" : "float";
}

static bool smooth(uint32_t n)
{
    for (uint32_t f = 2; f <= 7; f++)
        while (n % f == 0)
            n /= f;
    return n == 1;
}

/* The file name at the end of a path. */
static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A pattern of any length: find its runs of X.  If there are too many runs, the last one covers all the rest. */
static bool set_pattern(struct gen_params *p, const char *s, size_t len)
{
    const size_t shown = len < GEN_MAX_VALUE ? len : GEN_MAX_VALUE;

    if (len > UINT32_MAX)
        return false;
    p->n_runs = 0;
    for (size_t i = 0; i < len; i++) {
        struct gen_range *last = p->n_runs > 0 ? &p->runs[p->n_runs - 1] : NULL;
        if (s[i] != 'X' && s[i] != '0')
            return false;
        if (s[i] == 'X' && last && (last->hi == i || p->n_runs == GEN_MAX_RANGES))
            last->hi = (uint32_t)i + 1;
        else if (s[i] == 'X')
            p->runs[p->n_runs++] = (struct gen_range){(uint32_t)i, (uint32_t)i + 1};
    }
    p->pattern_length = (uint32_t)len;
    memcpy(p->nonez_text, s, shown);
    p->nonez_text[shown] = '\0';
    return p->n_runs > 0;
}

static bool set_nonez(struct gen_params *p, const char *s, size_t len)
{
    if (len == 0)
        return set_pattern(p, "X", 1);
    if (!memchr(s, ',', len) && !memchr(s, ';', len))
        return set_pattern(p, s, len);
    p->pattern_length = 0;
    return copy(s, len, GEN_MAX_VALUE, "X,;", p->nonez_text);
}

static const char *const table_forms[] = {"AUTO", "ALL", "REDUCED", "PAIR"};

static bool set_twiddle(struct gen_params *p, const char *s, size_t len)
{
    if (is(s, len, "YES") || is(s, len, "ONFLY")) {
        p->twiddle = s[0] == 'Y' ? GEN_TWIDDLE_TABLE : GEN_TWIDDLE_ONFLY;
        return true;
    }
    for (size_t i = 0; i < len; i++) /* no part may look like an option */
        if ((i == 0 || s[i - 1] == '/') && s[i] == '-')
            return false;
    if (len == 0 || !copy(s, len, GEN_MAX_PATH, "_.-/", p->twiddle_file))
        return false;
    const char *last = last_part(p->twiddle_file);
    if (*last == '\0' || strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
        return false;
    p->twiddle = GEN_TWIDDLE_FILE;
    return true;
}

/* Set a key; false: the value is not allowed. */
static bool set(struct gen_params *p, enum gen_key key, const char *s, size_t len)
{
    uint32_t v;
    int i;

    switch (key) {
    case GEN_DATA:
        if (is(s, len, "INT32") || is(s, len, "INT64") || is(s, len, "LIMBS")) {
            p->data = s[0] == 'L' ? 'b' : s[3] == '3' ? 'i' : 'l';
            return true;
        }
        if (is(s, len, "R2")) {
            p->data = '2';
            return true;
        }
        return one_of(s, len, "CRI", &p->data);
    case GEN_FFTDATA:
        p->fftdata = is(s, len, "float") ? 'f' : is(s, len, "dd") ? 'q' : 'd';
        return is(s, len, "float") || is(s, len, "double") || is(s, len, "dd");
    case GEN_LOGN:
        if (!whole(s, len, 3, GEN_MAX_LOGN, &i))
            return false;
        p->logn = i;
        p->n = UINT32_C(1) << i;
        return true;
    case GEN_N:
        if (!number(s, len, UINT32_C(1) << GEN_MAX_LOGN, &v) || v < 8 || !smooth(v))
            return false;
        p->n = v;
        p->logn = 0;
        return true;
    case GEN_BITREV:
        return yes_no(s, len, &p->bitrev);
    case GEN_DIRECTION:
        return one_of(s, len, "AFB", &p->direction);
    case GEN_ID:
        return len == 0 ? copy("gen", 3, 32, "_", p->id) : copy(s, len, 32, "_", p->id);
    case GEN_NONEZ:
        return set_nonez(p, s, len);
    case GEN_SCALING:
        return yes_no(s, len, &p->scaling);
    case GEN_INPRECISION:
        return whole(s, len, 0, MAX_BITS, &p->inprecision);
    case GEN_OUTPRECISION:
        return whole(s, len, 0, MAX_BITS, &p->outprecision);
    case GEN_ALGORITHM:
        return one_of(s, len, "248SCT", &p->algorithm);
    case GEN_STRUCTURE:
        p->dimensions = is(s, len, "DIMENSIONS");
        return p->dimensions || is(s, len, "RECURSION");
    case GEN_TWIDDLE:
        return set_twiddle(p, s, len);
    case GEN_TABLE:
        for (i = 0; i < 4; i++)
            if (is(s, len, table_forms[i])) {
                p->table = (enum gen_table_form)i;
                return true;
            }
        return false;
    case GEN_PRODUCTS:
        return whole(s, len, 3, 4, &p->products);
    case GEN_DIM:
        return copy(s, len, GEN_MAX_VALUE, ",", p->dim_text);
    case GEN_STOPLEVEL:
        return whole(s, len, 0, GEN_MAX_LOGN, &p->stoplevel);
    case GEN_USECONSTANTS:
        return yes_no(s, len, &p->useconstants);
    case GEN_KERNELHEIGHT:
        return whole(s, len, 0, 1000, &p->kernelheight);
    case GEN_KERNELWIDTH:
        return whole(s, len, 0, 1000, &p->kernelwidth);
    case GEN_KERNELSIZE:
        if (!number(s, len, UINT32_MAX, &v))
            return false;
        p->kernelsize = v == 0 ? 65536 : v;
        return true;
    case GEN_KERNELNUM:
        if (!whole(s, len, 0, 65536, &p->kernelnum))
            return false;
        p->kernelnum += p->kernelnum == 0;
        return true;
    case GEN_N_KEYS:
        break;
    }
    return false;
}

static void trim(const char **s, size_t *len)
{
    while (*len > 0 && strchr(" \t\r", (*s)[0]) && (*s)[0] != '\0')
        ++*s, --*len;
    while (*len > 0 && strchr(" \t\r", (*s)[*len - 1]) && (*s)[*len - 1] != '\0')
        --*len;
}

static enum gen_key key_find(const char *s, size_t len)
{
    int k = 0;
    while (k < GEN_N_KEYS && !is(s, len, keys[k].name))
        k++;
    return (enum gen_key)k;
}

void gen_params_set(struct gen_params *p, const char *text, size_t len, int source, const char *where,
                    struct gen_problems *problems)
{
    char buffer[64];
    const char *equals = memchr(text, '=', len);

    if (!equals) {
        problem(problems, "%s'%s' is not KEY=VALUE", where, shown(text, len, buffer));
        return;
    }
    const char *key = text, *value = equals + 1;
    size_t key_len = (size_t)(equals - text), value_len = len - key_len - 1;
    trim(&key, &key_len);
    trim(&value, &value_len);
    enum gen_key k = key_find(key, key_len);
    if (k == GEN_N_KEYS) {
        problem(problems, "%s%s: there is no such key (see --help KEYS)", where, shown(key, key_len, buffer));
        return;
    }
    if (p->set_by[k] == source)
        problem(problems, "%s%s: given twice", where, keys[k].name);
    struct gen_params old = *p;
    if (!set(p, k, value, value_len)) {
        *p = old;
        problem(problems, "%s%s=%s: allowed: %s", where, keys[k].name, shown(value, value_len, buffer), keys[k].allowed);
    }
    p->set_by[k] = (unsigned char)source;
    /* A new length replaces that of an earlier source. */
    if (k == GEN_LOGN && p->set_by[GEN_N] != source)
        p->set_by[GEN_N] = 0;
    if (k == GEN_N && p->set_by[GEN_LOGN] != source)
        p->set_by[GEN_LOGN] = 0;
}

void gen_params_file(struct gen_params *p, const char *text, size_t len, int source, const char *name,
                     struct gen_problems *problems)
{
    char where[128];
    size_t line_number = 0;

    for (size_t at = 0; at < len;) {
        const char *line = text + at, *end = memchr(line, '\n', len - at);
        size_t line_len = end ? (size_t)(end - line) : len - at;
        at += line_len + 1;
        line_number++;
        const char *comment = memchr(line, '#', line_len);
        if (comment)
            line_len = (size_t)(comment - line);
        trim(&line, &line_len);
        if (line_len == 0)
            continue;
        snprintf(where, sizeof where, "%.90s:%zu: ", name, line_number);
        gen_params_set(p, line, line_len, source, where, problems);
    }
}

/* Add the run [lo, hi); if it touches the run before, join them. */
static void range_add(struct gen_params *p, uint32_t lo, uint32_t hi)
{
    if (lo >= hi)
        return;
    if (p->n_ranges > 0 && p->ranges[p->n_ranges - 1].hi >= lo)
        p->ranges[p->n_ranges - 1].hi = hi;
    else
        p->ranges[p->n_ranges++] = (struct gen_range){lo, hi};
}

static bool nonez_find(struct gen_params *p)
{
    const char *s = p->nonez_text, *comma = strchr(s, ','), *semicolon = strchr(s, ';');
    const uint64_t parts = p->pattern_length;
    uint32_t a, b;

    p->n_ranges = 0;
    for (int i = 0; i < p->n_runs && parts > 0; i++)
        range_add(p, (uint32_t)(p->runs[i].lo * (uint64_t)p->n / parts),
                  (uint32_t)((p->runs[i].hi * (uint64_t)p->n + parts - 1) / parts));
    if (parts > 0)
        return true;
    if (comma) {
        if (!number(s, (size_t)(comma - s), p->n - 1, &a) || !number(comma + 1, strlen(comma + 1), p->n - 1, &b) || a > b)
            return false;
        range_add(p, a, b + 1);
        return true;
    }
    if (semicolon) {
        if (!number(s, (size_t)(semicolon - s), p->n, &a) || !number(semicolon + 1, strlen(semicolon + 1), p->n, &b) || b >= a)
            return false;
        range_add(p, (uint32_t)((uint64_t)b * p->n / a), (uint32_t)(((uint64_t)(b + 1) * p->n + a - 1) / a));
        return true;
    }
    return false;
}

static bool dim_find(struct gen_params *p)
{
    const char *s = p->dim_text;
    uint64_t product = 1;

    p->n_dims = 0;
    if (strcmp(s, "0") == 0)
        return true;
    for (;;) {
        size_t len = strcspn(s, ",");
        if (p->n_dims == GEN_MAX_DIMS || !number(s, len, p->n, &p->dims[p->n_dims]) || p->dims[p->n_dims] < 2)
            return false;
        product *= p->dims[p->n_dims++];
        if (product > p->n)
            return false;
        if (s[len] == '\0')
            break;
        s += len + 1;
    }
    p->n_dims -= p->n_dims == 1; /* one dimension is the whole */
    return product == gen_points(p);
}

/* The most bits that a precision key may name. */
static void precisions_check(const struct gen_params *p, struct gen_problems *problems)
{
    const int most = p->fftdata != 'q' ? 53 : MAX_BITS, most_in = p->data == 'b' && most > 63 ? 63 : most;

    if (p->inprecision > most_in)
        problem(problems, "INPRECISION=%d: with FFTDATA=%s and DATA=%s allowed: at most %d", p->inprecision, type_name(p),
                gen_data_name(p), most_in);
    if (p->outprecision > most)
        problem(problems, "OUTPRECISION=%d: with FFTDATA=%s allowed: at most %d", p->outprecision, type_name(p), most);
}

/* What a recursion does not support.  DIMENSIONS does, but there the algorithm only makes the codelets. */
static void recursion_check(const struct gen_params *p, struct gen_problems *problems)
{
    static const char instead[] = "(STRUCTURE=DIMENSIONS has more, with codelets of the algorithm alone)";
    const char a = p->algorithm;
    const int least = a == '8' ? 3 : a == '4' ? 2 : 1, width = a == '2' || a == '4' || a == '8' ? least : 2;

    if (p->n_dims > 0)
        problem(problems, "DIM=%s: with STRUCTURE=RECURSION, which has no dimensions, allowed: 0 %s", p->dim_text, instead);
    if (p->stoplevel > 0)
        problem(problems, "STOPLEVEL=%d: with STRUCTURE=RECURSION, which leaves no transforms of equal length, allowed: 0 %s",
                p->stoplevel, instead);
    if (a == 'T' && p->twiddle == GEN_TWIDDLE_ONFLY)
        problem(problems, "TWIDDLE=ONFLY: with ALGORITHM=T, whose scales are products over all levels, allowed: YES or a file %s",
                instead);
    if (p->kernelheight > 0 && p->kernelheight < least)
        problem(problems, "KERNELHEIGHT=%d: with ALGORITHM=%c, which does %d levels at once, allowed: at least %d %s",
                p->kernelheight, a, least, least, instead);
    if (p->kernelwidth > 0 && p->kernelwidth < width)
        problem(problems, "KERNELWIDTH=%d: with ALGORITHM=%c, which takes %d points at once, allowed: at least %d %s",
                p->kernelwidth, a, 1 << width, width, instead);
}

void gen_params_check(struct gen_params *p, struct gen_problems *problems)
{
    char buffer[64];

    if (p->set_by[GEN_N] && p->set_by[GEN_LOGN])
        problem(problems, "N and LOGN: give one of them");
    if (gen_real(p) && p->n % 4 != 0)
        problem(problems, "N=%u: with DATA=%s allowed: a multiple of 4", p->n, gen_data_name(p));
    if (gen_two(p) && p->n % 2 != 0)
        problem(problems, "N=%u: with DATA=R2 allowed: a multiple of 2", p->n);
    if (gen_two(p) && !p->bitrev)
        problem(problems, "BITREV=N: with DATA=R2, whose spectra are separated into their order, allowed: Y");
    if (p->data == 'b' && p->inprecision == 0)
        problem(problems, "INPRECISION=0: with DATA=LIMBS allowed: the bits of a digit, from 1 to 53, in dd to 63");
    precisions_check(p, problems);
    if (!nonez_find(p))
        problem(problems, "NONEZ=%s: allowed for N=%u: %s", shown(p->nonez_text, strlen(p->nonez_text), buffer), p->n,
                keys[GEN_NONEZ].allowed);
    else if ((p->n_ranges != 1 || p->ranges[0].lo != 0 || p->ranges[0].hi != p->n) && p->direction == 'B' &&
             (!p->bitrev || p->data != 'C'))
        problem(problems, "NONEZ=%s: with DIRECTION=B allowed only for DATA=C and BITREV=Y", p->nonez_text);
    if (!dim_find(p)) {
        p->n_dims = 0;
        problem(problems, "DIM=%s: allowed for %u points: %s", shown(p->dim_text, strlen(p->dim_text), buffer), gen_points(p),
                keys[GEN_DIM].allowed);
    }
    if (p->stoplevel > 0) {
        if (p->data != 'C')
            problem(problems, "STOPLEVEL=%d: with DATA=%s allowed: 0", p->stoplevel, gen_data_name(p));
        if ((p->n & (p->n - 1)) != 0)
            problem(problems, "STOPLEVEL=%d: with N=%u, no power of two, allowed: 0", p->stoplevel, p->n);
        else if (UINT32_C(1) << p->stoplevel >= p->n)
            problem(problems, "STOPLEVEL=%d: for N=%u allowed: less than %d", p->stoplevel, p->n, __builtin_ctz(p->n));
        if (p->n_dims > 0)
            problem(problems, "STOPLEVEL=%d: with DIM=%s allowed: 0", p->stoplevel, p->dim_text);
        if (p->bitrev && p->direction != 'F')
            problem(problems, "STOPLEVEL=%d: with BITREV=Y and DIRECTION=%c allowed: 0", p->stoplevel, p->direction);
        if (p->scaling)
            problem(problems, "SCALING=Y: with STOPLEVEL=%d allowed: N", p->stoplevel);
    }
    if (gen_is_recursion(p))
        recursion_check(p, problems);
    if (p->kernelwidth > 0 && p->kernelheight > p->kernelwidth)
        problem(problems, "KERNELWIDTH=%d: with KERNELHEIGHT=%d allowed: at least that", p->kernelwidth, p->kernelheight);
    if (p->kernelwidth > 0 && p->kernelwidth < 3 && (p->n & (p->n - 1)) != 0)
        problem(problems, "KERNELWIDTH=%d: with N=%u, no power of two, allowed: at least 3", p->kernelwidth, p->n);
    if (p->kernelheight > 0 && p->kernelheight < 3 && (p->n & (p->n - 1)) != 0)
        problem(problems, "KERNELHEIGHT=%d: with N=%u, no power of two, allowed: at least 3", p->kernelheight, p->n);
    if (p->twiddle == GEN_TWIDDLE_ONFLY && p->table != GEN_TABLE_AUTO)
        problem(problems, "TABLE=%s: with TWIDDLE=ONFLY, where there is no table, allowed: AUTO", table_forms[p->table]);
    if (p->table == GEN_TABLE_REDUCED && p->n % 8 != 0)
        problem(problems, "TABLE=REDUCED: with N=%u, no multiple of 8, allowed: AUTO, ALL or PAIR", p->n);
    if (p->twiddle == GEN_TWIDDLE_ONFLY && p->useconstants)
        problem(problems, "USECONSTANTS=Y: with TWIDDLE=ONFLY, where there is no table, allowed: N");
    if (p->twiddle == GEN_TWIDDLE_FILE) {
        char name[48];
        static const char *const own[] = {".cl", ".c", ".h", "_example.c", "_example", ".params"};
        const char *file = last_part(p->twiddle_file);
        bool clash = strcmp(file, "Makefile") == 0;
        for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
            snprintf(name, sizeof name, "fft_%s%s", p->id, own[i]);
            clash = clash || strcmp(name, file) == 0;
        }
        if (clash)
            problem(problems, "TWIDDLE=%s: allowed: a name that none of the other files has", p->twiddle_file);
    }
}

static void nonez_print(const struct gen_params *p, struct gen_text *out)
{
    uint32_t at = 0;

    if (p->pattern_length <= GEN_MAX_VALUE) {
        gen_printf(out, "%s", p->nonez_text);
        return;
    }
    for (int i = 0; i <= p->n_runs; i++) {
        const uint32_t end = p->pattern_length, lo = i < p->n_runs ? p->runs[i].lo : end,
                       hi = i < p->n_runs ? p->runs[i].hi : end;
        for (; at < lo; at++)
            gen_printf(out, "0");
        for (; at < hi; at++)
            gen_printf(out, "X");
    }
}

void gen_params_print(const struct gen_params *p, const char *prefix, struct gen_text *out)
{
    gen_printf(out, "%sDATA=%s\n%sFFTDATA=%s\n", prefix, gen_data_name(p), prefix, type_name(p));
    if (p->logn > 0)
        gen_printf(out, "%sLOGN=%d\n", prefix, p->logn);
    else
        gen_printf(out, "%sN=%u\n", prefix, p->n);
    gen_printf(out, "%sBITREV=%c\n%sDIRECTION=%c\n%sID=%s\n", prefix, p->bitrev ? 'Y' : 'N', prefix, p->direction, prefix, p->id);
    gen_printf(out, "%sNONEZ=", prefix);
    nonez_print(p, out);
    gen_printf(out, "\n%sSCALING=%c\n", prefix, p->scaling ? 'Y' : 'N');
    gen_printf(out, "%sINPRECISION=%d\n%sOUTPRECISION=%d\n", prefix, p->inprecision, prefix, p->outprecision);
    gen_printf(out, "%sALGORITHM=%c\n%sSTRUCTURE=%s\n%sTWIDDLE=%s\n", prefix, p->algorithm, prefix,
               p->dimensions ? "DIMENSIONS" : "RECURSION", prefix,
               p->twiddle == GEN_TWIDDLE_TABLE   ? "YES"
               : p->twiddle == GEN_TWIDDLE_ONFLY ? "ONFLY"
                                                 : p->twiddle_file);
    gen_printf(out, "%sTABLE=%s\n%sPRODUCTS=%d\n", prefix, table_forms[p->table], prefix, p->products);
    gen_printf(out, "%sDIM=%s\n%sSTOPLEVEL=%d\n", prefix, p->dim_text, prefix, p->stoplevel);
    gen_printf(out, "%sUSECONSTANTS=%c\n%sKERNELHEIGHT=%d\n", prefix, p->useconstants ? 'Y' : 'N', prefix, p->kernelheight);
    gen_printf(out, "%sKERNELWIDTH=%d\n%sKERNELSIZE=%u\n%sKERNELNUM=%d\n", prefix, p->kernelwidth, prefix, p->kernelsize, prefix,
               p->kernelnum);
}

struct gen_key_facts gen_key_of(enum gen_key key)
{
    return keys[key];
}

bool gen_params_help(const char *key, struct gen_text *out)
{
    if (!key) {
        for (int k = 0; k < GEN_N_KEYS; k++)
            gen_printf(out, "  %-13s %s [%s]\n", keys[k].name, keys[k].allowed, keys[k].def);
        return true;
    }
    enum gen_key k = key_find(key, strlen(key));
    if (k == GEN_N_KEYS)
        return false;
    gen_printf(out, "%s\n  allowed: %s\n  default: %s\n\n%s", keys[k].name, keys[k].allowed, keys[k].def, keys[k].help);
    return true;
}
