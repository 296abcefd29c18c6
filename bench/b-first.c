/*
 * b-first.c - the first product of a fresh process: its cost, the memory that it touches, and the memory that it keeps.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Usage: see usage() below.  For each size and contestant one line, tab-separated:
 *
 *     first  KIND N NAME CPU_MS USER_MS SYSTEM_MS WALL_MS RATIO PRODUCT_MS FAULTS PEAK_KIB WORDS KEPT_KIB
 *
 * Each process makes its operands, multiplies, and ends.  Contestants take turns, process by process.  All figures are medians.
 *
 *     CPU_MS ..   of the whole process: user and system time together, each alone, the wall clock
 *     RATIO       median over rounds of GMP's CPU_MS divided by this one's
 *     PRODUCT_MS  user and system time of the product alone, with what GMP or the library does once; 0 for programs
 *     FAULTS      minor page faults of the process
 *     PEAK_KIB    the most memory that was resident
 *     WORDS       PEAK_KIB in words of 8 bytes, for each limb of the two operands together; text: for each 19.3 digits
 *     KEPT_KIB    resident when the product was there and --wait was over, less operands and product; 0 for programs
 *
 * Kinds: mul, sqr (limbs); text (decimal digits): a program that reads two files and prints the product.
 */
#include <fcntl.h>
#include <getopt.h>
#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "gfmul.h"
#include "median.h"

enum { PROCESSES_MOST = 501, CONTESTANTS_MOST = 8, RESULT_FD = 3 };

/* What one process was seen to take. */
enum figure { CPU, USER, SYSTEM, WALL, RATIO, PRODUCT, FAULTS, PEAK, KEPT, FIGURES };

/* The figures of a process's product. */
struct result {
    double product_ms, kept_kib;
    uint64_t sum; /* of the product's limbs */
};

static struct {
    unsigned processes, products;
    unsigned wait_ms;
    const char *contestant[CONTESTANTS_MOST]; /* "gmp", a path of libgfmul.so, or of bigmul */
    size_t n_contestants;
} wish = {.processes = 20, .products = 1, .contestant = {"gmp"}, .n_contestants = 1};

static void usage(FILE *f)
{
    fputs("Usage: b-first [OPTION]... KIND SIZE...\n"
          "Time the first product of fresh processes, in one thread, against GMP.\n\n"
          "  --with PATH      a libgfmul.so; for kind text: a bigmul.  May be repeated\n"
          "  --processes N    of each contestant (default 20)\n"
          "  --products N     in each process (default 1)\n"
          "  --wait MS        before the memory kept is read (default 0)\n"
          "  --help           print this and exit\n"
          "Kinds: mul sqr text\n",
          f);
}

static void fail(const char *what)
{
    fprintf(stderr, "b-first: %s\n", what);
    exit(1);
}

static double ms_of(const struct timeval *t)
{
    return 1e3 * (double)t->tv_sec + 1e-3 * (double)t->tv_usec;
}

/* ---- a process ---- */

static void fill(mp_limb_t *a, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) { /* xorshift */
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        a[i] = seed;
    }
}

static double resident_kib(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        fail("no /proc/self/statm");
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static double cpu_ms(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return ms_of(&use.ru_utime) + ms_of(&use.ru_stime);
}

typedef enum gfmul_status product_function(struct gfmul_ctx *, mp_limb_t *, const mp_limb_t *, size_t, const mp_limb_t *, size_t);

/* product_of - gfmul_mul of a build; NULL for GMP. */
static product_function *product_of(const char *name)
{
    product_function *mul = NULL;
    if (strcmp(name, "gmp") == 0)
        return NULL;
    void *lib = dlopen(name, RTLD_NOW);
    void *symbol = lib ? dlsym(lib, "gfmul_mul") : NULL;
    if (!symbol)
        fail(dlerror());
    memcpy(&mul, &symbol, sizeof mul);
    return mul;
}

/* limbs_run - a process of kind mul or sqr, from here to its end. */
static int limbs_run(bool square, size_t n, const char *name)
{
    struct result result = {.sum = 0};
    mp_limb_t *a = malloc(n * sizeof *a), *b = square ? a : malloc(n * sizeof *b), *z = malloc(2 * n * sizeof *z);
    if (!a || !b || !z)
        fail("no memory");
    fill(a, n, 88172645463325252u);
    if (!square)
        fill(b, n, 1181783497276652981u);
    const double before_kib = resident_kib(), before_ms = cpu_ms();
    product_function *mul = product_of(name);
    for (unsigned i = 0; i < wish.products; i++) {
        if (!mul)
            mpn_mul(z, a, (mp_size_t)n, b, (mp_size_t)n);
        else if (mul(NULL, z, a, n, b, n) != GFMUL_OK)
            fail("no product");
    }
    result.product_ms = cpu_ms() - before_ms;
    for (size_t i = 0; i < 2 * n; i++)
        result.sum = result.sum * 3 + z[i];
    if (wish.wait_ms > 0) {
        const struct timespec pause = {wish.wait_ms / 1000, wish.wait_ms % 1000 * 1000000L};
        nanosleep(&pause, NULL);
    }
    result.kept_kib = resident_kib() - before_kib - (double)(2 * n * sizeof *z) / 1024;
    return write(RESULT_FD, &result, sizeof result) == sizeof result ? 0 : 1;
}

/* text_read - the number in a file. */
static void text_read(mpz_t x, const char *path)
{
    struct stat s;
    const int f = open(path, O_RDONLY);
    char *text = f >= 0 && fstat(f, &s) == 0 ? malloc((size_t)s.st_size + 1) : NULL;
    if (!text || read(f, text, (size_t)s.st_size) != s.st_size)
        fail("a number cannot be read");
    text[s.st_size] = '\0';
    mpz_init(x);
    mpz_set_str(x, text, 10);
    free(text);
    close(f);
}

/* text_run - GMP's process of kind text. */
static int text_run(const char *a_path, const char *b_path)
{
    mpz_t a, b;
    text_read(a, a_path);
    text_read(b, b_path);
    mpz_mul(a, a, b);
    char *text = mpz_get_str(NULL, 10, a);
    return puts(text) == EOF;
}

/* ---- all of them ---- */

/* process_start - the child: never returns. */
static void process_start(char **argv, int result_fd)
{
    const int null = open("/dev/null", O_WRONLY);
    setenv("OMP_NUM_THREADS", "1", 1);
    dup2(null, STDOUT_FILENO);
    if (result_fd != RESULT_FD)
        dup2(result_fd, RESULT_FD);
    execv(argv[0], argv);
    fail("a process cannot be started");
}

/* process_measure - one process to its end. */
static void process_measure(char **argv, double figure[FIGURES], uint64_t *sum)
{
    struct result result = {.sum = 0};
    struct rusage use;
    int ends[2], status;
    if (pipe(ends) != 0)
        fail("no pipe");
    const uint64_t start = clock_ns();
    const pid_t pid = fork();
    if (pid == 0)
        process_start(argv, ends[1]);
    close(ends[1]);
    if (pid < 0 || wait4(pid, &status, 0, &use) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("a process has failed");
    figure[WALL] = 1e-6 * (double)(clock_ns() - start);
    if (read(ends[0], &result, sizeof result) < 0)
        fail("a pipe cannot be read");
    close(ends[0]);
    figure[USER] = ms_of(&use.ru_utime);
    figure[SYSTEM] = ms_of(&use.ru_stime);
    figure[CPU] = figure[USER] + figure[SYSTEM];
    figure[PRODUCT] = result.product_ms;
    figure[FAULTS] = (double)use.ru_minflt;
    figure[PEAK] = (double)use.ru_maxrss;
    figure[KEPT] = result.kept_kib;
    *sum = result.sum;
}

/* text_make - a file of n digits, whose name is made from the template. */
static void text_make(char *name, size_t n, uint64_t seed)
{
    mp_limb_t *words = malloc(n * sizeof *words);
    char *text = malloc(n);
    const int f = mkstemp(name);
    if (f < 0 || !words || !text)
        fail("no file, or no memory");
    fill(words, n, seed);
    for (size_t i = 0; i < n; i++)
        text[i] = (char)('1' + words[i] % 9);
    if (write(f, text, n) != (ssize_t)n)
        fail("a number cannot be written");
    close(f);
    free(text);
    free(words);
}

static void size_run(char *self, char *kind, char *size, size_t n)
{
    static double seen[CONTESTANTS_MOST][FIGURES][PROCESSES_MOST];
    static char a_name[] = "/tmp/b-first-a-XXXXXX", b_name[] = "/tmp/b-first-b-XXXXXX";
    const bool text = strcmp(kind, "text") == 0;
    char products[32], wait_ms[32];
    uint64_t first_sum = 0;
    snprintf(products, sizeof products, "--products=%u", wish.products);
    snprintf(wait_ms, sizeof wait_ms, "--wait=%u", wish.wait_ms);
    if (text) {
        memcpy(a_name + sizeof a_name - 7, "XXXXXX", 6);
        memcpy(b_name + sizeof b_name - 7, "XXXXXX", 6);
        text_make(a_name, n, 88172645463325252u);
        text_make(b_name, n, 1181783497276652981u);
    }
    for (unsigned round = 0; round < wish.processes; round++) {
        for (size_t turn = 0; turn < wish.n_contestants; turn++) {
            const size_t c = (turn + round) % wish.n_contestants;
            char *name = (char *)(uintptr_t)wish.contestant[c];
            char *limbs_argv[] = {self, products, wait_ms, "--child", name, kind, size, NULL};
            char *gmp_argv[] = {self, "--child", name, kind, a_name, b_name, NULL}, *bigmul_argv[] = {name, a_name, b_name, NULL};
            double figure[FIGURES] = {0};
            uint64_t sum;
            process_measure(!text ? limbs_argv : c == 0 ? gmp_argv : bigmul_argv, figure, &sum);
            for (unsigned f = 0; f < FIGURES; f++)
                seen[c][f][round] = figure[f];
            if (first_sum != 0 && sum != first_sum)
                fail("the products differ");
            first_sum = sum;
        }
        for (size_t c = 0; c < wish.n_contestants; c++)
            seen[c][RATIO][round] = seen[0][CPU][round] / seen[c][CPU][round];
    }
    for (size_t c = 0; c < wish.n_contestants; c++) {
        double of[FIGURES];
        for (unsigned f = 0; f < FIGURES; f++)
            of[f] = median_of(seen[c][f], wish.processes);
        const double limbs = (text ? (double)n / 19.2659 : (double)n) * (strcmp(kind, "sqr") == 0 ? 1 : 2);
        printf("first\t%s\t%zu\t%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.3f\t%.2f\t%.0f\t%.0f\t%.1f\t%.0f\n", kind, n, wish.contestant[c],
               of[CPU], of[USER], of[SYSTEM], of[WALL], of[RATIO], of[PRODUCT], of[FAULTS], of[PEAK], of[PEAK] * 128 / limbs,
               of[KEPT]);
    }
    fflush(stdout);
    if (text) {
        unlink(a_name);
        unlink(b_name);
    }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"with", required_argument, NULL, 'w'},
                                            {"processes", required_argument, NULL, 'n'},
                                            {"products", required_argument, NULL, 'p'},
                                            {"wait", required_argument, NULL, 't'},
                                            {"child", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *child = NULL;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'w' && wish.n_contestants < CONTESTANTS_MOST) {
            wish.contestant[wish.n_contestants++] = optarg;
        } else if (c == 'n') {
            wish.processes = (unsigned)atoi(optarg);
        } else if (c == 'p') {
            wish.products = (unsigned)atoi(optarg);
        } else if (c == 't') {
            wish.wait_ms = (unsigned)atoi(optarg);
        } else if (c == 'c') {
            child = optarg;
        } else {
            usage(c == 'h' ? stdout : stderr);
            return c == 'h' ? 0 : 2;
        }
    }
    char *kind = optind < argc ? argv[optind] : NULL;
    const bool text = kind && strcmp(kind, "text") == 0, square = kind && strcmp(kind, "sqr") == 0;
    if (!kind || (!text && !square && strcmp(kind, "mul") != 0) || optind + 1 >= argc || wish.processes < 1 ||
        wish.processes > PROCESSES_MOST) {
        usage(stderr);
        return 2;
    }
    if (child && text)
        return text_run(argv[optind + 1], argv[optind + 2]);
    if (child)
        return limbs_run(square, (size_t)atof(argv[optind + 1]), child);
    for (int i = optind + 1; i < argc; i++)
        size_run("/proc/self/exe", kind, argv[i], (size_t)atof(argv[i]));
    return 0;
}
