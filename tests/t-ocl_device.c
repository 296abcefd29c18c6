/*
 * t-ocl_device.c - OpenCL devices: the list, the choice, opening and sharing, codes as statuses.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <ctype.h>
#include <math.h>

#include "ocl_test.h"

#ifdef HAVE_OPENCL
#include "base/disk_cache.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_rates.h"
#include "ocl/ocl_state.h"

enum { MAX = 64 };
static struct gfmul_device_info list[MAX];

static void test_list(void)
{
    const unsigned n = ocl_device_list(list, MAX);
    TEST_CHECK(n >= 1 && n <= MAX && ocl_device_list(NULL, 0) == n && gfmul_device_list(NULL, 5) == n);
    for (unsigned i = 0; i < n && i < MAX; i++) {
        test_note("device %u, %s", i, list[i].name);
        TEST_CHECK(list[i].name[0] != '\0' && list[i].platform[0] != '\0' && list[i].driver[0] != '\0');
        TEST_CHECK(list[i].usable == (list[i].why_not[0] == '\0'));
        TEST_CHECK(!list[i].usable || (list[i].global_bytes > 0 && list[i].max_alloc_bytes > 0 && list[i].local_bytes >= 32768 &&
                                       list[i].max_work_group >= 256 && list[i].compute_units > 0));
    }
    struct gfmul_device_info few[2];
    memset(few, 0x5a, sizeof few);
    TEST_CHECK(ocl_device_list(few, 1) == n && memcmp(&few[0], &list[0], sizeof few[0]) == 0);
    for (size_t i = 0; i < sizeof few[1]; i++)
        TEST_CHECK(((unsigned char *)&few[1])[i] == 0x5a);
}

/* finds - what a choice finds: an index of the list, or -1 with a reason. */
static int finds(const char *want)
{
    struct gfmul_device_info info;
    char why[OCL_DETAIL_BYTES] = "";
    const unsigned n = ocl_device_list(list, MAX);
    const enum gfmul_status status = gfmul_device_find(&info, want, why, sizeof why);
    test_note("want '%s': status %d, %s", want, (int)status, why);
    TEST_CHECK((status == GFMUL_OK) == (why[0] == '\0'));
    if (status != GFMUL_OK) {
        TEST_CHECK(status == GFMUL_ERR_DEVICE);
        return -1;
    }
    for (unsigned i = 0; i < n; i++) {
        if (memcmp(&list[i], &info, sizeof info) == 0)
            return (int)i;
    }
    TEST_CHECK_MSG(false, "%s is not in the list", info.name);
    return -1;
}

static void test_find(void)
{
    const unsigned n = ocl_device_list(list, MAX);
    char text[160];
    bool any_gpu = false;
    for (unsigned i = 0; i < n; i++) {
        any_gpu = any_gpu || (list[i].gpu && list[i].usable && list[i].fp64);
        snprintf(text, sizeof text, "%u", i + 1);
        TEST_CHECK(finds(text) == (list[i].usable ? (int)i : -1));
        if (list[i].usable) {
            TEST_CHECK(finds(list[i].name) >= 0);
            snprintf(text, sizeof text, "%s", list[i].name + strlen(list[i].name) / 3);
            for (char *c = text; *c; c++)
                *c = (char)(isupper((unsigned char)*c) ? tolower((unsigned char)*c) : toupper((unsigned char)*c));
            TEST_CHECK(finds(text) >= 0);
            TEST_CHECK(finds(list[i].platform) >= 0);
        }
    }
    snprintf(text, sizeof text, "%u", n + 1000);
    TEST_CHECK(finds(text) < 0 && finds("no such device") < 0 && finds("") < 0 && finds("99999999999999999999999") < 0);
    TEST_CHECK(finds("gpu") >= 0);
    TEST_CHECK((finds("auto") >= 0) == any_gpu);
    if (any_gpu)
        TEST_CHECK(finds("gpu") == finds("auto") && list[finds("gpu")].gpu);
    ocl_pretend(OCL_PRETEND_GPU, true);
    TEST_CHECK(finds("auto") >= 0);
    ocl_pretend(OCL_PRETEND_GPU, false);

    ocl_fault_set(OCL_FAULT_PLATFORM, 0, 3, -1001);
    TEST_CHECK(ocl_device_list(list, MAX) == 0);
    char why[OCL_DETAIL_BYTES] = "";
    TEST_CHECK(ocl_device_find(NULL, "gpu", why) == GFMUL_ERR_DEVICE && strstr(why, "no OpenCL device"));
    TEST_CHECK(gfmul_device_find(NULL, "auto", NULL, 0) == GFMUL_ERR_DEVICE);
    TEST_CHECK(ocl_device_list(list, MAX) == n); /* three faults, and no more */
    ocl_fault_clear();
    TEST_OK(gfmul_device_find(NULL, "cpu", why, sizeof why));
    TEST_OK(gfmul_device_find(NULL, "0", why, 1));
    TEST_CHECK(gfmul_device_find(NULL, "no such device", why, 5) == GFMUL_ERR_DEVICE && strlen(why) == 4);
}

static void test_open(void)
{
    struct ocl_device *d = ocl_test_open(), *e = ocl_test_open(), *f;
    const struct ocl_device_options profile = {.profile = true};
    char detail[OCL_DETAIL_BYTES] = "";
    TEST_CHECK(d == e && ocl_device_info(d)->usable && !d->profile && !ocl_device_lost(d));
    TEST_OK(ocl_device_open(&f, "gpu", &profile, detail));
    TEST_CHECK(f != d && f->profile && ocl_device_id(f) == ocl_device_id(d));
    TEST_CHECK(ocl_device_context(d) && ocl_device_queue(d));
    TEST_CHECK(ocl_device_local_bytes(d) >= ocl_device_info(d)->local_bytes);
    TEST_CHECK(ocl_device_local_bytes(d) == ocl_device_local_bytes(f));
    ocl_device_close(d);
    TEST_OK(ocl_finish(OCL_ON(e, detail))); /* still open */
    ocl_device_close(e);
    ocl_device_close(f);
    ocl_device_close(NULL);

    TEST_CHECK(ocl_device_open(&d, "no such device", NULL, detail) == GFMUL_ERR_DEVICE && !d && strstr(detail, "no such device"));
    for (unsigned skip = 0; skip < 4; skip++) { /* the context, the three queues */
        test_note("fault %u", skip);
        ocl_fault_set(OCL_FAULT_CONTEXT, skip, 1, CL_OUT_OF_RESOURCES);
        detail[0] = '\0';
        TEST_CHECK(ocl_device_open(&d, "gpu", NULL, detail) == GFMUL_ERR_DEVICE && !d);
        TEST_CHECK(strstr(detail, skip == 0 ? "clCreateContext" : "clCreateCommandQueue") &&
                   strstr(detail, "CL_OUT_OF_RESOURCES"));
    }
    ocl_fault_set(OCL_FAULT_CONTEXT, 0, 1, CL_OUT_OF_HOST_MEMORY);
    TEST_CHECK(ocl_device_open(&d, "gpu", NULL, NULL) == GFMUL_ERR_MEMORY && !d);
    ocl_fault_clear();
    ocl_device_close(ocl_test_open());
}

static void test_given_queue(void)
{
    struct ocl_device *d = ocl_test_open(), *e;
    cl_device_id id = ocl_device_id(d);
    cl_int code;
    char detail[OCL_DETAIL_BYTES] = "";
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    TEST_CHECK(code == CL_SUCCESS);
    cl_command_queue queue = clCreateCommandQueue(context, id, 0, &code);
    TEST_CHECK(code == CL_SUCCESS);
    struct ocl_device_options opt = {.context = context, .queue = queue};
    if (TEST_OK(ocl_device_open(&e, "auto", &opt, detail))) {
        TEST_CHECK(e != d && ocl_device_context(e) == context && ocl_device_queue(e) == queue);
        TEST_CHECK(strcmp(ocl_device_info(e)->name, ocl_device_info(d)->name) == 0);
        cl_mem m;
        TEST_OK(ocl_buffer_get(OCL_ON(e, detail), 1000, &m));
        ocl_buffer_put(e, m);
        ocl_device_close(e);
    }
    opt.context = ocl_device_context(d);
    TEST_CHECK(ocl_device_open(&e, "auto", &opt, detail) == GFMUL_ERR_DEVICE && !e);
    opt.context = NULL;
    TEST_CHECK(ocl_device_open(&e, "auto", &opt, detail) == GFMUL_ERR_ARGUMENT && !e);
    opt.context = context;
    opt.queue = NULL;
    TEST_CHECK(ocl_device_open(&e, "auto", &opt, detail) == GFMUL_ERR_ARGUMENT && !e);
    cl_command_queue loose = clCreateCommandQueue(context, id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_SUCCESS) {
        opt.queue = loose;
        TEST_CHECK(ocl_device_open(&e, "auto", &opt, detail) == GFMUL_ERR_DEVICE && !e);
        clReleaseCommandQueue(loose);
    }
    /* the caller's objects are still the caller's */
    TEST_CHECK(clFinish(queue) == CL_SUCCESS && clReleaseCommandQueue(queue) == CL_SUCCESS);
    TEST_CHECK(clReleaseContext(context) == CL_SUCCESS);
    ocl_device_close(d);
}

static void test_codes(void)
{
    static const struct {
        cl_int code;
        enum gfmul_status status;
        bool lost;
    } want[] = {
        {CL_SUCCESS, GFMUL_OK, false},
        {CL_OUT_OF_HOST_MEMORY, GFMUL_ERR_MEMORY, false},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, GFMUL_ERR_DEVICE, false},
        {CL_OUT_OF_RESOURCES, GFMUL_ERR_DEVICE, false},
        {CL_INVALID_WORK_GROUP_SIZE, GFMUL_ERR_DEVICE, false},
        {CL_INVALID_BUFFER_SIZE, GFMUL_ERR_DEVICE, false},
        {CL_BUILD_PROGRAM_FAILURE, GFMUL_ERR_DEVICE, false},
        {CL_INVALID_KERNEL_ARGS, GFMUL_ERR_INTERNAL, false},
        {CL_INVALID_VALUE, GFMUL_ERR_INTERNAL, false},
        {CL_DEVICE_NOT_AVAILABLE, GFMUL_ERR_DEVICE, true},
        {CL_INVALID_COMMAND_QUEUE, GFMUL_ERR_DEVICE, true},
        {-9999, GFMUL_ERR_DEVICE, true},
        {-12345, GFMUL_ERR_DEVICE, true},
    };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        struct ocl_device *d = ocl_test_open();
        char detail[OCL_DETAIL_BYTES] = "untouched";
        cl_mem m = NULL;
        test_note("code %d", (int)want[i].code);
        TEST_CHECK(ocl_status(OCL_ON(d, detail), want[i].code, "a call") == want[i].status);
        if (want[i].code == CL_SUCCESS)
            TEST_CHECK(strcmp(detail, "untouched") == 0);
        else
            TEST_CHECK(strstr(detail, "a call") && strstr(detail, ocl_code_name(want[i].code)));
        TEST_CHECK(ocl_device_lost(d) == want[i].lost);
        /* a lost device fails at once, everywhere; the next one to be opened is another */
        TEST_CHECK((ocl_buffer_get(OCL_ON(d, detail), 64, &m) == GFMUL_OK) == !want[i].lost);
        TEST_CHECK((ocl_finish(OCL_ON(d, detail)) == GFMUL_OK) == !want[i].lost);
        struct ocl_device *e = ocl_test_open();
        TEST_CHECK((e == d) == !want[i].lost && !ocl_device_lost(e));
        ocl_device_close(e);
        ocl_buffer_put(d, m);
        ocl_device_close(d);
    }
    TEST_CHECK(ocl_status(OCL_ON(NULL, NULL), CL_DEVICE_NOT_AVAILABLE, "a call") == GFMUL_ERR_DEVICE);
    TEST_CHECK(strcmp(ocl_code_name(CL_OUT_OF_RESOURCES), "CL_OUT_OF_RESOURCES") == 0);
}

/* A device whose products are contracted, or whose fma is wrong, is refused; that one is in order is kept, and nothing else. */
static void test_arithmetic(void)
{
    struct ocl_device *d = ocl_test_open();
    char detail[OCL_DETAIL_BYTES] = "", dir[sizeof ocl_test_dir + 16];
    const char *before = getenv("GFMUL_CACHE_DIR");
    char *kept = strdup(before ? before : "");
    TEST_OK(ocl_arithmetic_check(OCL_ON(d, detail)));
    ocl_device_close(d);
    snprintf(dir, sizeof dir, "%s/refused", ocl_test_dir);
    TEST_CHECK(setenv("GFMUL_CACHE_DIR", dir, 1) == 0);
    ocl_arithmetic_forget();
    ocl_fault_set(OCL_FAULT_ARITHMETIC, 0, 1, 1);
    TEST_CHECK(ocl_device_open(&d, "gpu", NULL, detail) == GFMUL_ERR_DEVICE && !d);
    TEST_CHECK_MSG(strstr(detail, "not those of IEEE 754: a * b + c differs"), "%s", detail);
    ocl_fault_clear();
    ocl_device_close(ocl_test_open()); /* no fault any more: it is tried again */
    ocl_arithmetic_forget();
    ocl_fault_set(OCL_FAULT_ARITHMETIC, 0, 1, 1);
    ocl_device_close(ocl_test_open()); /* by the verdict on disk */
    ocl_fault_clear();
    TEST_CHECK(setenv("GFMUL_CACHE_DIR", kept, 1) == 0);
    ocl_device_close(ocl_test_open());
    free(kept);
}

/* rates_of - those of the device when it is opened now, as a GPU or as what it is; they are also those of the list. */
static struct device_rates rates_of(bool gpu)
{
    ocl_pretend(OCL_PRETEND_GPU, gpu);
    struct ocl_device *d = ocl_test_open();
    const struct gfmul_device_info *info = ocl_device_info(d);
    const struct device_rates rates = ocl_device_rates(d);
    const unsigned n = ocl_device_list(list, MAX);
    bool told = false;
    for (unsigned i = 0; i < n && i < MAX; i++)
        told = told || (strcmp(list[i].name, info->name) == 0 && memcmp(&list[i].fma_rate, &rates, sizeof rates) == 0);
    TEST_CHECK(told && info->fma_rate == rates.fma && info->product_rate == rates.product && info->copy_rate == rates.copy);
    ocl_device_close(d);
    ocl_pretend(OCL_PRETEND_GPU, false);
    return rates;
}

/* rates_keep - put a fact of so many bytes where the rates of the test's device are kept. */
static void rates_keep(const void *data, size_t bytes, char *path, size_t size)
{
    struct ocl_device *d = ocl_test_open();
    const struct disk_cache_key key = {d->identity, OCL_RATES_FACT, ""};
    TEST_CHECK(disk_cache_path(&key, path, size));
    TEST_CHECK(bytes == 0 || disk_cache_store(&key, data, bytes));
    ocl_device_close(d);
    ocl_rates_forget();
}

static bool plausible(struct device_rates r)
{
    return r.fma > 0.01 && r.fma < 1e6 && r.product > 0.01 && r.product < 1e6 && r.copy > 0.01 && r.copy < 1e6;
}

/* How fast a GPU is, is measured once for a driver; what is kept is believed if it is whole and can be true. */
static void test_rates(void)
{
    static const struct device_rates kept = {123, 45.5, 6789},
                                     wrong[] = {{0, 1, 1}, {1, -1, 1}, {1, 1, NAN}, {1, 1, HUGE_VAL}, {1, 1e300, 1}};
    char dir[sizeof ocl_test_dir + 16], path[1024];
    const char *before = getenv("GFMUL_CACHE_DIR");
    char *const old = strdup(before ? before : "");
    struct device_rates rates, again;
    snprintf(dir, sizeof dir, "%s/rates", ocl_test_dir);
    TEST_CHECK(setenv("GFMUL_CACHE_DIR", dir, 1) == 0);
    ocl_rates_forget();
    rates = rates_of(false);
    struct ocl_device *d = ocl_test_open();
    if (!ocl_device_info(d)->gpu)
        TEST_CHECK(rates.fma == 0 && rates.product == 0 && rates.copy == 0 && !ocl_rates_kept(d->identity, &again));
    ocl_device_close(d);
    ocl_pretend(OCL_PRETEND_TABLED, true); /* nothing is measured */
    rates = rates_of(true);
    TEST_CHECK(rates.fma == 0 && rates.product == 0 && rates.copy == 0);
    ocl_pretend(OCL_PRETEND_TABLED, false);
    ocl_pretend(OCL_PRETEND_OTHER, true);
    rates = rates_of(true);
    test_note("%g fma, %g products, %g bytes in a nanosecond", rates.fma, rates.product, rates.copy);
    TEST_CHECK(plausible(rates) && !ocl_rates_kept("another driver", &again) && again.copy == 0);
    rates_keep(NULL, 0, path, sizeof path); /* the disk knows, this process no more */
    again = rates_of(true);
    TEST_CHECK(memcmp(&again, &rates, sizeof rates) == 0);
    rates_keep(&kept, sizeof kept, path, sizeof path); /* nothing is measured now */
    ocl_pretend(OCL_PRETEND_OTHER, false);
    ocl_pretend(OCL_PRETEND_TABLED, true);
    again = rates_of(true);
    TEST_CHECK(again.fma == 0 && again.copy == 0); /* nor is anything read */
    ocl_pretend(OCL_PRETEND_TABLED, false);
    ocl_pretend(OCL_PRETEND_OTHER, true);
    again = rates_of(true);
    TEST_CHECK(memcmp(&again, &kept, sizeof kept) == 0);
    for (unsigned i = 0; i <= sizeof wrong / sizeof *wrong; i++) {
        test_note("wrong figures %u", i);
        if (i > 0)
            rates_keep(&wrong[i - 1], sizeof wrong[i - 1], path, sizeof path);
        else
            rates_keep(&kept, sizeof kept - 1, path, sizeof path);
        TEST_CHECK(plausible(rates_of(true)));
    }
    rates_keep(&kept, sizeof kept, path, sizeof path);
    FILE *f = fopen(path, "r+b");
    TEST_CHECK(f && fseek(f, -20, SEEK_END) == 0 && fputc('x', f) != EOF && fclose(f) == 0); /* within the figures */
    rates = rates_of(true);
    TEST_CHECK(plausible(rates) && memcmp(&rates, &kept, sizeof kept) != 0);
    ocl_rates_forget();
    again = rates_of(true);
    TEST_CHECK(memcmp(&again, &rates, sizeof rates) == 0); /* the file is whole again */
    TEST_CHECK(setenv("GFMUL_CACHE_DIR", "", 1) == 0);
    ocl_rates_forget();
    rates = rates_of(true);
    again = rates_of(true); /* without a cache the process knows */
    TEST_CHECK(plausible(rates) && memcmp(&again, &rates, sizeof rates) == 0);
    ocl_rates_pretend(&kept);
    d = ocl_test_open();
    again = ocl_device_rates(d);
    TEST_CHECK(memcmp(&again, &kept, sizeof kept) == 0);
    ocl_device_close(d);
    ocl_rates_pretend(NULL);
    ocl_pretend(OCL_PRETEND_OTHER, false);
    TEST_CHECK(setenv("GFMUL_CACHE_DIR", old, 1) == 0);
    free(old);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    test_begin(argc, argv);
    TEST_RUN(test_list);
    TEST_RUN(test_find);
    TEST_RUN(test_open);
    TEST_RUN(test_given_queue);
    TEST_RUN(test_codes);
    TEST_RUN(test_arithmetic);
    TEST_RUN(test_rates);
    return ocl_test_end();
}

#else

/* Without OpenCL there is no device, and nothing crashes. */
static void test_without(void)
{
    struct gfmul_device_info info;
    char why[OCL_DETAIL_BYTES] = "";
    TEST_CHECK(gfmul_device_list(&info, 1) == 0);
    TEST_CHECK(gfmul_device_find(&info, "gpu", why, sizeof why) == GFMUL_ERR_DEVICE && why[0] && !info.usable);
    TEST_CHECK(gfmul_device_find(NULL, "auto", NULL, 0) == GFMUL_ERR_DEVICE);
    TEST_OK(gfmul_device_find(&info, "cpu", why, sizeof why));
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_without);
    return test_end();
}
#endif
