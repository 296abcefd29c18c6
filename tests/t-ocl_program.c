/*
 * t-ocl_program.c - kernels: sources and options, the cache in memory, the cache on disk and all that can be wrong with it.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl_test.h"

#ifdef HAVE_OPENCL
#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/disk_cache.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"
#include "ocl/ocl_state.h"

static char detail[OCL_DETAIL_BYTES];

/* A folder of sources of the test's own. */
static char source_dir[96];

static void source_write(const char *name, const char *text)
{
    char path[256];
    if (!source_dir[0]) {
        snprintf(source_dir, sizeof source_dir, "%s/cl", ocl_test_dir);
        mkdir(source_dir, 0700);
    }
    snprintf(path, sizeof path, "%s/%s", source_dir, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) {
        perror(path);
        exit(1);
    }
    setenv("GFMUL_CL_DIR", source_dir, 1);
}

/* value_of - what kernel "value" of a file writes; 0xffffffff where anything fails. */
static cl_uint value_of(struct ocl_device *d, const char *file, const char *options)
{
    cl_kernel k = NULL;
    cl_mem m = NULL;
    cl_uint value = 0xffffffffu;
    const size_t one = 1;
    detail[0] = '\0';
    if (ocl_kernel_get(OCL_ON(d, detail), file, "value", options, &k) != GFMUL_OK ||
        ocl_buffer_get(OCL_ON(d, detail), 4, &m) != GFMUL_OK || ocl_args(OCL_ON(d, detail), k, OCL_ARG(m), OCL_END) != GFMUL_OK ||
        ocl_launch(OCL_ON(d, detail), k, "value", ocl_items(one, 0), 4) != GFMUL_OK ||
        clEnqueueReadBuffer(ocl_device_queue(d), m, CL_TRUE, 0, 4, &value, 0, NULL, NULL) != CL_SUCCESS)
        value = 0xffffffffu;
    ocl_buffer_put(d, m);
    ocl_kernel_put(d, k);
    return value;
}

static struct ocl_program_counts counts_of(struct ocl_device *d)
{
    struct ocl_program_counts counts;
    ocl_program_count(d, &counts);
    return counts;
}

static void test_sources(void)
{
    struct ocl_device *d = ocl_test_open();
    source_write("number.cl", "#ifndef NUMBER\n#define NUMBER 40\n#endif\n");
    source_write("value.cl", "  # include \"number.cl\"\n"
                             "#ifdef EXTRA\n"
                             "#define ADD EXTRA\n"
                             "#else\n"
                             "#define ADD 2\n"
                             "#endif\n"
                             "__kernel void value(__global uint *z) { *z = NUMBER + ADD; }\n");
    TEST_CHECK(value_of(d, "value.cl", "") == 42);
    TEST_CHECK(value_of(d, "value.cl", "-DEXTRA=5") == 45);
    TEST_CHECK(value_of(d, "value.cl", "-DEXTRA=5 -DNUMBER=1000") == 1005);
    TEST_CHECK(value_of(d, "value.cl", "-DEXTRA=0x10") == 56);
    const unsigned built = counts_of(d).built;
    TEST_CHECK(value_of(d, "value.cl", "-DEXTRA=5") == 45 && counts_of(d).built == built);
    /* an edited file counts at once, an included one too */
    source_write("number.cl", "#define NUMBER 50\n");
    TEST_CHECK(value_of(d, "value.cl", "") == 52);
    /* what a message of the compiler names is the file and line as they are on disk; NVIDIA's passes over #line */
    source_write("wrong.cl", "#include \"number.cl\"\n\n__kernel void value(__global uint *z) { *z = undeclared_thing; }\n");
    TEST_CHECK(value_of(d, "wrong.cl", "") == 0xffffffffu);
    TEST_CHECK_MSG(strstr(detail, "wrong.cl could not be built") && strstr(detail, "undeclared_thing"), "%s", detail);
    TEST_CHECK_MSG(strstr(detail, "wrong.cl:3") || strstr(detail, "<kernel>:"), "%s", detail);
    source_write("loop.cl", "#include \"loop.cl\"\n");
    cl_kernel k;
    TEST_CHECK(ocl_kernel_get(OCL_ON(d, detail), "loop.cl", "value", "", &k) == GFMUL_ERR_DEVICE && !k &&
               strstr(detail, "GFMUL_CL_DIR: loop.cl"));
    TEST_CHECK(ocl_kernel_get(OCL_ON(d, detail), "absent.cl", "value", "", &k) == GFMUL_ERR_DEVICE && !k &&
               strstr(detail, "GFMUL_CL_DIR: ") && strstr(detail, "/absent.cl: No such file"));
    TEST_CHECK(ocl_kernel_get(OCL_ON(d, detail), "value.cl", "absent", "", &k) == GFMUL_ERR_DEVICE && !k &&
               strstr(detail, "GFMUL_CL_DIR: value.cl has no kernel absent"));
    unsetenv("GFMUL_CL_DIR");
    TEST_CHECK(ocl_kernel_get(OCL_ON(d, detail), "absent.cl", "value", "", &k) == GFMUL_ERR_INTERNAL && !k);
    TEST_CHECK(ocl_kernel_get(OCL_ON(d, detail), "probe_local.cl", "probe_local", "", &k) == GFMUL_ERR_DEVICE &&
               !k); /* its #error */
    TEST_CHECK_MSG(strstr(detail, "PROBE_BYTES is missing"), "%s", detail);
    TEST_OK(ocl_kernel_get(OCL_ON(d, detail), "probe_local.cl", "probe_local", "-DPROBE_BYTES=1024", &k));
    ocl_kernel_put(d, k);
    ocl_device_close(d);
}

/* A kernel belongs to one caller until it is put back. */
static void test_objects(void)
{
    struct ocl_device *d = ocl_test_open();
    cl_kernel k[3], again;
    for (int i = 0; i < 3; i++)
        TEST_OK(ocl_kernel_get(OCL_ON(d, detail), "probe_local.cl", "probe_local", "-DPROBE_BYTES=1024", &k[i]));
    TEST_CHECK(k[0] != k[1] && k[1] != k[2] && k[0] != k[2]);
    ocl_kernel_put(d, k[1]);
    TEST_OK(ocl_kernel_get(OCL_ON(d, detail), "probe_local.cl", "probe_local", "-DPROBE_BYTES=1024", &again));
    TEST_CHECK(again == k[1]);
    TEST_CHECK(counts_of(d).built + counts_of(d).loaded == 1);
    for (int i = 0; i < 3; i++)
        ocl_kernel_put(d, k[i]);
    ocl_kernel_put(d, NULL);
    ocl_device_close(d);
}

/* --- the cache on disk --------------------------------------------------------------------------------------------------- */

/* cache_files - how many programs are kept, how many temporary files are left; the path of some program. */
static unsigned cache_files(unsigned *temporary, char *path, size_t size)
{
    unsigned n = 0;
    struct dirent *entry;
    DIR *dir = opendir(ocl_test_dir);
    *temporary = 0;
    while (dir && (entry = readdir(dir)) != NULL) {
        if (strstr(entry->d_name, ".cl-bin")) {
            n++;
            snprintf(path, size, "%s/%s", ocl_test_dir, entry->d_name);
        }
        *temporary += strstr(entry->d_name, ".tmp") != NULL;
    }
    if (dir)
        closedir(dir);
    return n;
}

static void cache_clear(void)
{
    char path[512];
    unsigned temporary;
    while (cache_files(&temporary, path, sizeof path) > 0 && unlink(path) == 0)
        ;
}

static const char *const cached_source = "__kernel void value(__global uint *z) { *z = 4711; }\n";

/* built_or_loaded - one program by a device opened anew: 'b' built, 'l' loaded from disk, 'r' built, as a file did not fit. */
static char built_or_loaded(void)
{
    struct ocl_device *d = ocl_test_open();
    TEST_CHECK_MSG(value_of(d, "cached.cl", "-DX=1") == 4711, "%s", detail);
    const struct ocl_program_counts c = counts_of(d);
    ocl_device_close(d);
    TEST_CHECK(c.built + c.loaded == 1 && c.rejected <= 1);
    return c.loaded ? (c.rejected ? '?' : 'l') : c.rejected ? 'r' : 'b';
}

/* changed - the cache's only file with one change: byte at of it by xor, or its length. */
static void changed(const char *path, long at, int by, long length)
{
    FILE *f = fopen(path, "r+b");
    if (!f) {
        perror(path);
        exit(1);
    }
    if (by) {
        fseek(f, at, SEEK_SET);
        int c = fgetc(f);
        fseek(f, at, SEEK_SET);
        fputc(c ^ by, f);
    }
    fclose(f);
    if (length >= 0 && truncate(path, length) != 0)
        perror(path);
}

/* Several kernels at once, of several programs: by three threads; what fails does not keep the others. */
static void test_several(void)
{
    struct ocl_device *d = ocl_test_open();
    d->builders = 3;
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        struct ocl_kernel_wish wish[9];
        struct ocl_program_time list[16];
        cl_kernel k[9];
        for (unsigned i = 0; i < 9; i++) { /* three programs, each three times */
            wish[i] = (struct ocl_kernel_wish){.file = "probe_local.cl", .name = "probe_local", .k = &k[i]};
            snprintf(wish[i].options, sizeof wish[i].options, "-DPROBE_BYTES=%u", 2048 + 512 * (i % 3));
        }
        if (wrong)
            wish[4].file = "absent.cl";
        detail[0] = '\0';
        const enum gfmul_status status = ocl_kernels_get(OCL_ON(d, detail), wish, 9);
        TEST_CHECK_MSG(status == (wrong ? GFMUL_ERR_INTERNAL : GFMUL_OK), "%s: %s", gfmul_strerror(status), detail);
        TEST_CHECK(wrong ? strstr(detail, "absent.cl") != NULL : detail[0] == '\0');
        for (unsigned i = 0; i < 9; i++) {
            TEST_CHECK((k[i] != NULL) == (!wrong || i != 4) && (wish[i].status == GFMUL_OK) == (k[i] != NULL));
            for (unsigned j = 0; j < i; j++)
                TEST_CHECK(k[i] != k[j]);
        }
        const unsigned n = ocl_program_list(d, list, 16);
        TEST_CHECK_MSG(n == 3 && counts_of(d).built + counts_of(d).loaded == 3, "%u programs", n);
        for (unsigned i = 0; i < n && i < 16; i++)
            TEST_CHECK(strcmp(list[i].file, "probe_local.cl") == 0 && list[i].begun_ns < list[i].ended_ns);
        for (unsigned i = 0; i < 9; i++)
            ocl_kernel_put(d, k[i]);
    }
    ocl_device_close(d);
}

static void test_disk(void)
{
    char path[512];
    unsigned temporary;
    struct stat st;
    cache_clear();
    source_write("cached.cl", cached_source);
    TEST_CHECK(built_or_loaded() == 'b');
    TEST_CHECK(cache_files(&temporary, path, sizeof path) == 1 && temporary == 0);
    TEST_CHECK(built_or_loaded() == 'l');
    TEST_CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
    const long bytes = (long)st.st_size;

    /* any bit anywhere: places at both ends, and some within */
    for (int i = 0; i < 60; i++) {
        const long at = i < 20 ? i * 3 : i < 30 ? bytes - 1 - (i - 20) : (long)test_below((uint64_t)bytes);
        test_note("byte %ld of %ld", at, bytes);
        changed(path, at, 1 << test_below(8), -1);
        if (!TEST_CHECK(built_or_loaded() == 'r') || !TEST_CHECK(built_or_loaded() == 'l'))
            break;
    }
    const long lengths[] = {0, 1, 39, 40, 56, bytes / 2, bytes - 1, bytes + 1, 2 * bytes};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        test_note("length %ld of %ld", lengths[i], bytes);
        changed(path, 0, 0, lengths[i]);
        TEST_CHECK(built_or_loaded() == 'r' && built_or_loaded() == 'l');
    }
    /* a file that somebody else could have written, a link, a pipe, a folder */
    TEST_CHECK(chmod(path, 0666) == 0 && built_or_loaded() == 'r' && built_or_loaded() == 'l');
    char other[600];
    snprintf(other, sizeof other, "%s/other", ocl_test_dir);
    TEST_CHECK(rename(path, other) == 0 && symlink(other, path) == 0 && built_or_loaded() == 'b' && built_or_loaded() == 'l');
    TEST_CHECK(lstat(path, &st) == 0 && S_ISREG(st.st_mode)); /* the rename took the link's place */
    unlink(path);
    TEST_CHECK(mkfifo(path, 0600) == 0 && built_or_loaded() == 'r' && built_or_loaded() == 'l');
    unlink(path);
    TEST_CHECK(mkdir(path, 0700) == 0 && built_or_loaded() != 'l' && rmdir(path) == 0);
    TEST_CHECK(cache_files(&temporary, path, sizeof path) == 0 && temporary == 0);
    unlink(other);
    unsetenv("GFMUL_CL_DIR");
}

/* Keys that differ in any part, and whose parts are cut elsewhere, are different ones. */
static void test_keys(void)
{
    static const struct disk_cache_key keys[] = {{"ab", "cd", "ef"}, {"abc", "d", "ef"}, {"ab", "c", "def"}, {"ab", "cd", "eg"},
                                                {"ab", "ce", "ef"}, {"ac", "cd", "ef"}, {"", "abcd", "ef"}, {"ab", "cd", ""}};
    enum { N = sizeof keys / sizeof keys[0] };
    void *data;
    size_t bytes;
    cache_clear();
    for (unsigned i = 0; i < N; i++) {
        TEST_CHECK(disk_cache_load(&keys[i], &data, &bytes) == DISK_CACHE_NONE && !data);
        TEST_CHECK(disk_cache_store(&keys[i], &i, sizeof i));
    }
    for (unsigned i = 0; i < N; i++) {
        TEST_CHECK(disk_cache_load(&keys[i], &data, &bytes) == DISK_CACHE_FOUND && bytes == sizeof i &&
                   memcmp(data, &i, bytes) == 0);
        free(data);
    }
    /* one key's file under another's name: the texts inside tell */
    char a[512], b[512];
    TEST_CHECK(disk_cache_path(&keys[0], a, sizeof a) && disk_cache_path(&keys[3], b, sizeof b) && rename(a, b) == 0);
    TEST_CHECK(disk_cache_load(&keys[3], &data, &bytes) == DISK_CACHE_REJECTED && !data);
    TEST_CHECK(disk_cache_store(&keys[0], "", 0) && disk_cache_load(&keys[0], &data, &bytes) == DISK_CACHE_FOUND && bytes == 0);
    free(data);
    cache_clear();
}

/* Without a place to write to, programs are built each time, and all is well. */
static void test_no_cache(void)
{
    char path[128], file[160];
    source_write("cached.cl", cached_source);
    setenv("GFMUL_CACHE_DIR", "", 1);
    TEST_CHECK(built_or_loaded() == 'b' && built_or_loaded() == 'b');
    snprintf(file, sizeof file, "%s/a-file", ocl_test_dir);
    fclose(fopen(file, "w"));
    snprintf(path, sizeof path, "%s/a-file/below", ocl_test_dir);
    setenv("GFMUL_CACHE_DIR", path, 1);
    TEST_CHECK(built_or_loaded() == 'b' && built_or_loaded() == 'b');
    unlink(file);
    /* a folder that has to be made, three deep */
    snprintf(path, sizeof path, "%s/x/y/z", ocl_test_dir);
    setenv("GFMUL_CACHE_DIR", path, 1);
    TEST_CHECK(built_or_loaded() == 'b' && built_or_loaded() == 'l');
    setenv("GFMUL_CACHE_DIR", ocl_test_dir, 1);
    unsetenv("GFMUL_CL_DIR");
}

/* Processes at one file: each gets its data or none, never a part; nothing is left behind. */
static void test_processes(void)
{
    enum { N = 6, ROUNDS = 300, BYTES = 40000 };
    static const struct disk_cache_key key = {"processes", "at one", "file"};
    static unsigned char mine[BYTES];
    pid_t child[N];
    unsigned temporary;
    char path[512];
    cache_clear();
    for (int i = 0; i < N; i++) {
        if ((child[i] = fork()) == 0) {
            unsigned found = 0;
            for (int round = 0; round < ROUNDS; round++) {
                void *data;
                size_t bytes;
                memset(mine, 'a' + i, sizeof mine);
                if (!disk_cache_store(&key, mine, BYTES - (size_t)i))
                    _exit(2);
                if (disk_cache_load(&key, &data, &bytes) != DISK_CACHE_FOUND)
                    _exit(3); /* there is one now, and it stays one */
                const unsigned char *p = data;
                if (bytes != BYTES - (size_t)(p[0] - 'a') || memchr(p, p[0], bytes) != p)
                    _exit(4);
                for (size_t j = 0; j < bytes; j++) {
                    if (p[j] != p[0])
                        _exit(5);
                }
                found += p[0] != 'a' + i;
                free(data);
            }
            _exit(found > 0 ? 10 : 0); /* 10: others' data were seen */
        }
    }
    bool met = false;
    for (int i = 0; i < N; i++) {
        int status = 0;
        TEST_CHECK(waitpid(child[i], &status, 0) == child[i]);
        TEST_CHECK_MSG(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 10), "child %d: %x", i, status);
        met = met || (WIFEXITED(status) && WEXITSTATUS(status) == 10);
    }
    TEST_CHECK(met);
    TEST_CHECK(cache_files(&temporary, path, sizeof path) == 1 && temporary == 0);
    cache_clear();
}

/* An entry that holds another program's binary, in a file that is whole: it is built, and kept, anew. */
static void test_other_binary(void)
{
    static const char *const wanted = "#line 1 \"wanted.cl\"\n__kernel void value(__global uint *z) { *z = 77; }\n";
    struct ocl_device *d = ocl_test_open();
    char path[512], file[4096] = "";
    uint64_t bytes[4]; /* of identity, options, source, binary: they follow the file's magic, then the texts do */
    unsigned temporary;
    cache_clear();
    source_write("other.cl", "__kernel void other(__global uint *z) { *z = 1; }\n");
    source_write("wanted.cl", strchr(wanted, '\n') + 1);
    cl_kernel k;
    TEST_OK(ocl_kernel_get(OCL_ON(d, detail), "other.cl", "other", "", &k));
    ocl_kernel_put(d, k);
    TEST_CHECK(cache_files(&temporary, path, sizeof path) == 1);
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(file, 1, sizeof file - 1, f) : 0;
    if (f)
        fclose(f);
    memcpy(bytes, file + 8, sizeof bytes);
    const size_t texts = 8 + sizeof bytes;
    if (TEST_CHECK(n > texts && bytes[0] + bytes[1] + bytes[2] < n - texts)) {
        char *identity = strndup(file + texts, bytes[0]), *options = strndup(file + texts + bytes[0], bytes[1]),
             *source = strndup(file + texts + bytes[0] + bytes[1], bytes[2]);
        const struct disk_cache_key other = {identity, options, source}, key = {identity, options, wanted};
        void *binary;
        size_t binary_bytes;
        TEST_CHECK(disk_cache_load(&other, &binary, &binary_bytes) == DISK_CACHE_FOUND);
        TEST_CHECK(disk_cache_store(&key, binary, binary_bytes));
        free(binary);
        const unsigned rejected = counts_of(d).rejected;
        TEST_CHECK_MSG(value_of(d, "wanted.cl", "") == 77, "%s", detail);
        TEST_CHECK_MSG(counts_of(d).rejected == rejected + 1, "the entry was not met");
        free(identity);
        free(options);
        free(source);
    }
    ocl_device_close(d);
    d = ocl_test_open(); /* what is kept now is right */
    TEST_CHECK(value_of(d, "wanted.cl", "") == 77 && counts_of(d).rejected == 0);
    ocl_device_close(d);
    unsetenv("GFMUL_CL_DIR");
}

/* Temporary files of writers that died go, those of writers at work and of other programs stay. */
static void test_abandoned(void)
{
    static const struct disk_cache_key key = {"abandoned", "", ""};
    static const struct {
        const char *name;
        bool old, stays;
    } files[] = {{".gfmul-1-2-3.tmp", true, false}, {".gfmul-4-5-6.tmp", false, true}, {".1-2-3.tmp", true, true},
                 {".browser.tmp", true, true},      {".gfmul-notes.tmp", true, true},  {".gfmul-1-2-3.tmp~", true, true}};
    enum { N = sizeof files / sizeof files[0] };
    const struct timespec times[2] = {{time(NULL) - 7200, 0}, {time(NULL) - 7200, 0}};
    char path[N][160];
    for (unsigned i = 0; i < N; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", ocl_test_dir, files[i].name);
        fclose(fopen(path[i], "w"));
        TEST_CHECK(!files[i].old || utimensat(-1, path[i], times, 0) == 0);
    }
    TEST_CHECK(disk_cache_store(&key, "x", 1));
    for (unsigned i = 0; i < N; i++) {
        TEST_CHECK_MSG((access(path[i], F_OK) == 0) == files[i].stays, "%s", files[i].name);
        unlink(path[i]);
    }
    cache_clear();
}

/* aged_path - of a program of a cache's folder, 0 the youngest; names are in another order. */
static void aged_path(char *path, size_t size, const char *dir, unsigned age)
{
    snprintf(path, size, "%s/%08x%024x.cl-bin", dir, age * 2654435761u, age);
}

static void aged_write(const char *dir, unsigned age, long bytes)
{
    char path[256];
    aged_path(path, sizeof path, dir, age);
    const time_t now = time(NULL) - 100; /* two in a second */
    const struct timespec times[2] = {{now - age / 2, 0}, {now - age / 2, age % 2 ? 1000 : 900000000}};
    FILE *f = fopen(path, "w");
    if (!f || fclose(f) != 0 || truncate(path, bytes) != 0 || utimensat(-1, path, times, 0) != 0) {
        perror(path);
        exit(1);
    }
}

/* aged_left - how many of n there are; false where an older one is there and a younger one is gone. */
static bool aged_left(const char *dir, unsigned n, unsigned *left)
{
    bool gone = false, ordered = true;
    *left = 0;
    for (unsigned age = 0; age < n; age++) {
        char path[256];
        aged_path(path, sizeof path, dir, age);
        const bool there = access(path, F_OK) == 0;
        *left += there;
        ordered = ordered && !(there && gone);
        gone = gone || !there;
    }
    return ordered;
}

/* Where there are more than 1024 programs, or more than 256 MiB, the oldest go, until three quarters of that are left. */
static void test_pruning(void)
{
    static const struct disk_cache_key keys[] = {{"pruning", "", ""}, {"pruning", "again", ""}, {"pruning", "by bytes", ""}};
    enum { MOST = 1024, MIB = 1 << 20 };
    char dir[96], path[256];
    unsigned left;
    void *data;
    size_t bytes;
    snprintf(dir, sizeof dir, "%s/pruned", ocl_test_dir);
    if (mkdir(dir, 0700) != 0 || setenv("GFMUL_CACHE_DIR", dir, 1) != 0) {
        perror(dir);
        exit(1);
    }
    for (unsigned age = 0; age < MOST - 1; age++)
        aged_write(dir, age, 1);
    test_note("as many as may be");
    TEST_CHECK(disk_cache_store(&keys[0], "x", 1));
    TEST_CHECK(aged_left(dir, MOST - 1, &left) && left == MOST - 1);
    test_note("one more");
    TEST_CHECK(disk_cache_store(&keys[1], "x", 1));
    TEST_CHECK_MSG(aged_left(dir, MOST - 1, &left) && left == MOST / 4 * 3 - 2, "%u are left, or not the youngest", left);
    for (unsigned i = 0; i < 2; i++) {
        TEST_CHECK(disk_cache_load(&keys[i], &data, &bytes) == DISK_CACHE_FOUND);
        free(data);
    }

    for (unsigned age = 0; age < MOST; age++) {
        aged_path(path, sizeof path, dir, age);
        unlink(path);
    }
    for (unsigned age = 0; age < 4; age++)
        aged_write(dir, age, 60L * MIB); /* nothing is written there */
    test_note("240 MiB");
    TEST_CHECK(disk_cache_store(&keys[2], "x", 1) && aged_left(dir, 4, &left) && left == 4);
    aged_write(dir, 4, 60L * MIB);
    test_note("300 MiB");
    TEST_CHECK(disk_cache_store(&keys[2], "xy", 2));
    TEST_CHECK_MSG(aged_left(dir, 5, &left) && left == 3, "%u are left, or not the youngest", left);
    TEST_CHECK(disk_cache_load(&keys[2], &data, &bytes) == DISK_CACHE_FOUND && bytes == 2);
    free(data);
    setenv("GFMUL_CACHE_DIR", ocl_test_dir, 1);
}

/* --- threads, faults ----------------------------------------------------------------------------------------------------- */

enum { THREADS = 6 };
static struct ocl_device *shared;

static void *one_thread(void *arg)
{
    const int me = *(const int *)arg;
    char options[32], why[OCL_DETAIL_BYTES];
    int *bad = calloc(1, sizeof *bad);
    for (int i = 0; i < 12; i++) {
        cl_kernel k;
        snprintf(options, sizeof options, "-DPROBE_BYTES=%d", 256 * (1 + (i + me) % 3));
        if (ocl_kernel_get(OCL_ON(shared, why), "probe_local.cl", "probe_local", options, &k) != GFMUL_OK)
            ++*bad;
        else
            ocl_kernel_put(shared, k);
    }
    return bad;
}

static void test_threads(void)
{
    pthread_t thread[THREADS];
    int number[THREADS];
    cache_clear();
    shared = ocl_test_open();
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        TEST_CHECK(pthread_create(&thread[i], NULL, one_thread, &number[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *bad = NULL;
        pthread_join(thread[i], &bad);
        TEST_CHECK(*(int *)bad == 0);
        free(bad);
    }
    TEST_CHECK(counts_of(shared).built == 3); /* each program once, whoever came first */
    ocl_device_close(shared);
}

static void test_faults(void)
{
    struct ocl_device *d = ocl_test_open();
    cl_kernel k;
    ocl_fault_set(OCL_FAULT_BUILD, 0, 1, CL_BUILD_PROGRAM_FAILURE);
    TEST_CHECK(ocl_kernel_get(OCL_ON(d, detail), "probe_local.cl", "probe_local", "-DPROBE_BYTES=8192", &k) == GFMUL_ERR_DEVICE &&
               !k);
    TEST_CHECK_MSG(strstr(detail, "probe_local.cl could not be built"), "%s", detail);
    TEST_OK(ocl_kernel_get(OCL_ON(d, detail), "probe_local.cl", "probe_local", "-DPROBE_BYTES=8192",
                           &k)); /* tried again, not remembered */
    ocl_kernel_put(d, k);
    ocl_fault_set(OCL_FAULT_BUILD, 0, 1, CL_OUT_OF_HOST_MEMORY);
    TEST_CHECK(ocl_kernel_get(OCL_ON(d, detail), "probe_local.cl", "probe_local", "-DPROBE_BYTES=4096", &k) == GFMUL_ERR_MEMORY &&
               !k);
    ocl_fault_set(OCL_FAULT_BUILD, 0, 1, CL_DEVICE_NOT_AVAILABLE);
    TEST_CHECK(ocl_kernel_get(OCL_ON(d, detail), "probe_local.cl", "probe_local", "-DPROBE_BYTES=4096", &k) == GFMUL_ERR_DEVICE &&
               !k);
    ocl_fault_clear();
    TEST_CHECK(ocl_device_lost(d));
    TEST_CHECK(ocl_kernel_get(OCL_ON(d, detail), "probe_local.cl", "probe_local", "-DPROBE_BYTES=4096", &k) == GFMUL_ERR_DEVICE &&
               !k);
    ocl_device_close(d);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    unsetenv("GFMUL_CL_DIR"); /* it is tested */
    test_begin(argc, argv);
    TEST_RUN(test_keys);
    TEST_RUN(test_processes); /* before OpenCL has threads of its own: it forks */
    TEST_RUN(test_abandoned);
    TEST_RUN(test_pruning);
    ocl_device_close(ocl_test_open()); /* the trial of its arithmetic is done, and keeps no file later */
    TEST_RUN(test_sources);
    TEST_RUN(test_objects);
    TEST_RUN(test_several);
    TEST_RUN(test_disk);
    TEST_RUN(test_other_binary);
    TEST_RUN(test_no_cache);
    TEST_RUN(test_threads);
    TEST_RUN(test_faults);
    return ocl_test_end();
}

#else

int main(void)
{
    puts("skipped: a build without OpenCL");
    return 77;
}
#endif
