/*
 * t-fuzz.c - the fuzz targets on the inputs that tests/fuzz/ keeps, and on variants of them, without a fuzzer.
 *
 * An input is a line of tests/fuzz/<target>.hex.  A target that fails aborts; the input is printed first, as such a line.
 *
 *     tests/t-fuzz test_mul           one target
 *     GFMUL_FUZZ_INPUT=00ff tests/t-fuzz test_mul         one input, in hexadecimal
 *     GFMUL_FUZZ_FILE=crash-1 tests/t-fuzz test_mul       one input, from a file of libFuzzer's
 *     GFMUL_FUZZ_UNPACK=folder tests/t-fuzz test_mul      each input into a file, as libFuzzer reads them; nothing is run
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <ctype.h>
#include <signal.h>

#include "fuzz/fuzz.h"
#include "test.h"

enum { MOST_BYTES = 4096, MOST_INPUTS = 4096 };

static struct bytes {
    uint8_t *p;
    size_t n;
} input[MOST_INPUTS];
static size_t n_inputs;
static struct bytes now; /* for input_print */
static const char *now_target;

/* input_print - what an abort is about; the process is about to end. */
static void input_print(int signal_number)
{
    fprintf(stderr, "input of target %s: ", now_target);
    for (size_t i = 0; i < now.n; i++)
        fprintf(stderr, "%02x", now.p[i]);
    fprintf(stderr, "\n");
    test_print_repeat();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* hex_read - the bytes of a line, up to a space or its end; 0 of them where it is a comment. */
static struct bytes hex_read(const char *line)
{
    struct bytes b = {test_alloc(strlen(line) / 2 + 1), 0};
    unsigned byte;
    while (isxdigit((unsigned char)line[2 * b.n]) && sscanf(line + 2 * b.n, "%2x", &byte) == 1)
        b.p[b.n++] = (uint8_t)byte;
    return b;
}

static void inputs_add(struct bytes b)
{
    if (b.n > 0 && n_inputs < MOST_INPUTS)
        input[n_inputs++] = b;
    else
        free(b.p);
}

/* inputs_read - those that are asked for, or those of the file. */
static void inputs_read(const char *target)
{
    static char line[4 * MOST_BYTES];
    const char *srcdir = getenv("SRCDIR"), *one = getenv("GFMUL_FUZZ_INPUT"), *file = getenv("GFMUL_FUZZ_FILE");
    if (one != NULL) {
        inputs_add(hex_read(one));
        return;
    }
    if (file != NULL)
        snprintf(line, sizeof line, "%s", file);
    else
        snprintf(line, sizeof line, "%s/tests/fuzz/%s.hex", srcdir != NULL ? srcdir : "..", target);
    FILE *f = fopen(line, "rb");
    if (!TEST_CHECK_MSG(f != NULL, "%s cannot be read", line))
        return;
    if (file != NULL) {
        struct bytes b = {test_alloc(1 << 20), 0};
        b.n = fread(b.p, 1, 1 << 20, f);
        inputs_add(b);
    } else {
        while (fgets(line, sizeof line, f) != NULL)
            inputs_add(hex_read(line));
    }
    fclose(f);
}

static void inputs_unpack(const char *folder, const char *target)
{
    for (size_t i = 0; i < n_inputs; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s-%zu", folder, target, i);
        FILE *f = fopen(path, "wb");
        TEST_CHECK_MSG(f != NULL && fwrite(input[i].p, 1, input[i].n, f) == input[i].n, "%s cannot be written", path);
        if (f != NULL)
            fclose(f);
    }
}

/* variant - another input made of two of them. */
static struct bytes variant(const struct bytes *a, const struct bytes *b)
{
    struct bytes v = {test_alloc(a->n + b->n + 128), a->n};
    memcpy(v.p, a->p, a->n);
    if (test_below(2) == 0) { /* nothing of them */
        v.n = test_size(1, 120);
        for (size_t i = 0; i < v.n; i++)
            v.p[i] = (uint8_t)test_u64();
    }
    if (test_below(3) == 0) { /* the rest of another one */
        const size_t at = test_below(a->n + 1), from = test_below(b->n + 1);
        memcpy(v.p + at, b->p + from, b->n - from);
        v.n = at + b->n - from;
    }
    for (unsigned changes = 1 + (unsigned)test_below(6); changes > 0 && v.n > 0; changes--) {
        static const uint8_t special[] = {0, 1, 255, 128, 127, 16, 64, 200};
        uint8_t *p = v.p + test_below(test_below(2) ? v.n : v.n < 16 ? v.n : 16); /* what comes first decides most */
        *p = test_below(3) == 0 ? special[test_below(8)] : (uint8_t)test_u64();
    }
    if (test_below(8) == 0)
        v.n = test_below(v.n + 1);
    return v;
}

static void target_run(const char *target, void (*run)(struct fuzz_input *))
{
    const char *folder = getenv("GFMUL_FUZZ_UNPACK");
    const double seconds = (double)test_tier(6, 40, 6000) / 10, begin = test_seconds();
    size_t runs = 0;
    n_inputs = 0;
    inputs_read(target);
    if (folder != NULL)
        inputs_unpack(folder, target);
    now_target = target;
    TEST_CHECK_MSG(n_inputs > 0, "no input of target %s", target);
    for (size_t i = 0; i < n_inputs && folder == NULL; i++) {
        struct fuzz_input in = {input[i].p, input[i].n};
        now = input[i];
        run(&in);
        runs++;
    }
    while (n_inputs > 1 && folder == NULL && test_seconds() - begin < seconds) {
        now = variant(&input[test_below(n_inputs)], &input[test_below(n_inputs)]);
        struct fuzz_input in = {now.p, now.n};
        run(&in);
        free(now.p);
        runs++;
    }
    printf("target %s: %zu inputs, %zu runs\n", target, n_inputs, runs);
    while (n_inputs > 0)
        free(input[--n_inputs].p);
}

#define TARGET(name)                    \
    static void test_##name(void)       \
    {                                   \
        target_run(#name, fuzz_##name); \
    }
FUZZ_TARGETS(TARGET)
#undef TARGET

int main(int argc, char **argv)
{
    /* no driver is loaded: what a target finds depends on its input alone */
    setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
    signal(SIGABRT, input_print);
    signal(SIGSEGV, input_print);
    signal(SIGFPE, input_print);
    test_begin(argc, argv);
#define TARGET(name) TEST_RUN(test_##name);
    FUZZ_TARGETS(TARGET)
#undef TARGET
    return test_end();
}
