/*
 * t-ocl_memory.c - device memory from the pool, transfers through the pinned rings, launches and their times.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "ocl_test.h"

#ifdef HAVE_OPENCL
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_launch.h"
#include "ocl/ocl_program.h"
#include "ocl/ocl_staging.h"
#include "ocl/ocl_state.h"

static char detail[OCL_DETAIL_BYTES];

static void test_pool(void)
{
    struct ocl_device *d = ocl_test_open();
    cl_mem m[4], again;
    const size_t room = ocl_buffer_room(d);
    TEST_CHECK(room > 0 && room <= ocl_device_info(d)->global_bytes);
    for (int i = 0; i < 4; i++)
        TEST_OK(ocl_buffer_get(OCL_ON(d, detail), (size_t)100000 << i, &m[i]));
    const size_t taken = room - ocl_buffer_room(d);
    TEST_CHECK(taken >= 1500000 && taken <= 1500000 + 4 * 4096);
    for (int i = 0; i < 4; i++) {
        size_t bytes = 0;
        TEST_CHECK(clGetMemObjectInfo(m[i], CL_MEM_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS && bytes >= (size_t)100000
                                                                                                                   << i);
        for (int j = 0; j < i; j++)
            TEST_CHECK(m[i] != m[j]);
    }
    ocl_buffer_put(d, m[1]);
    ocl_buffer_put(d, m[2]);
    TEST_OK(ocl_buffer_get(OCL_ON(d, detail), 250000, &again)); /* the next larger idle one */
    TEST_CHECK(again == m[2]);
    ocl_buffer_put(d, again);
    TEST_OK(ocl_buffer_get(OCL_ON(d, detail), 200000, &again));
    TEST_CHECK(again == m[1]);
    ocl_buffer_put(d, again);
    TEST_OK(ocl_buffer_get(OCL_ON(d, detail), 10000, &again)); /* the idle ones are far too large */
    TEST_CHECK(again != m[1] && again != m[2]);
    ocl_buffer_put(d, again);
    ocl_buffer_put(d, m[0]);
    ocl_buffer_put(d, m[3]);
    ocl_buffer_put(d, m[3]); /* once too often does no harm */
    ocl_buffer_put(d, NULL);
    TEST_CHECK(ocl_buffer_room(d) == room);
    ocl_buffer_trim(d);
    TEST_CHECK(ocl_buffer_room(d) == room);
    ocl_device_close(d);
}

static void test_pool_full(void)
{
    struct ocl_device *d = ocl_test_open();
    const size_t room = ocl_buffer_room(d);
    cl_mem m, idle;
    TEST_CHECK(ocl_buffer_get(OCL_ON(d, detail), room + 8192, &m) == GFMUL_ERR_DEVICE && !m &&
               strstr(detail, "bytes are needed"));
    TEST_CHECK(ocl_buffer_get(OCL_ON(d, detail), SIZE_MAX, &m) == GFMUL_ERR_DEVICE && !m);
    TEST_CHECK(ocl_buffer_get(OCL_ON(d, detail), SIZE_MAX - 5000, &m) == GFMUL_ERR_DEVICE && !m);
    TEST_CHECK(!ocl_device_lost(d));

    /* no memory: the idle is given back and it is tried once more; then it is an error, and the device is as before */
    TEST_OK(ocl_buffer_get(OCL_ON(d, detail), 1000000, &idle));
    ocl_buffer_put(d, idle);
    ocl_fault_set(OCL_FAULT_BUFFER, 0, 1, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    TEST_OK(ocl_buffer_get(OCL_ON(d, detail), 5000000, &m));
    ocl_buffer_put(d, m);
    ocl_fault_set(OCL_FAULT_BUFFER, 0, 2, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    TEST_CHECK(ocl_buffer_get(OCL_ON(d, detail), 50000000, &m) == GFMUL_ERR_DEVICE && !m);
    TEST_CHECK_MSG(strstr(detail, "no memory for") && strstr(detail, "CL_MEM_OBJECT_ALLOCATION_FAILURE"), "%s", detail);
    ocl_fault_set(OCL_FAULT_BUFFER, 0, 2, CL_OUT_OF_HOST_MEMORY);
    TEST_CHECK(ocl_buffer_get(OCL_ON(d, detail), 50000000, &m) == GFMUL_ERR_MEMORY && !m);
    ocl_fault_clear();
    TEST_CHECK(!ocl_device_lost(d) && ocl_buffer_room(d) == room);
    TEST_OK(ocl_buffer_get(OCL_ON(d, detail), 1000, &m));
    ocl_buffer_put(d, m);
    ocl_device_close(d);
}

static void bytes_fill(unsigned char *p, size_t n)
{
    for (size_t i = 0; i + 8 <= n; i += 8) {
        const uint64_t r = test_u64();
        memcpy(p + i, &r, 8);
    }
    for (size_t i = n / 8 * 8; i < n; i++)
        p[i] = (unsigned char)test_u64();
}

/* round_trip - bytes up at one offset and down again; what lies around them on either side stays. */
static void round_trip(struct ocl_device *d, size_t bytes, size_t offset, unsigned threads, bool pinned)
{
    const size_t all = offset + bytes + 64;
    unsigned char *a = malloc(bytes + 1), *b = malloc(bytes + 1), *around = malloc(all);
    void *up = NULL, *down = NULL;
    const unsigned char zero = 0;
    cl_mem m;
    test_note("%zu bytes at %zu, %u threads, %s", bytes, offset, threads, pinned ? "pinned" : "pageable");
    if (!a || !b || !around)
        exit(1);
    bytes_fill(a, bytes);
    memset(b, 0x77, bytes + 1);
    if (pinned) {
        TEST_OK(ocl_host_alloc(OCL_ON(d, detail), bytes, &up));
        TEST_OK(ocl_host_alloc(OCL_ON(d, detail), bytes + 1, &down));
        memcpy(up, a, bytes);
        memset(down, 0x77, bytes + 1);
    }
    TEST_OK(ocl_buffer_get(OCL_ON(d, detail), all, &m));
    TEST_OK(ocl_fill(OCL_ON(d, detail), (struct ocl_span){m, 0, all}, &zero, 1));
    TEST_OK(ocl_upload(OCL_ON(d, detail), (struct ocl_span){m, offset, bytes}, pinned ? up : a, threads, OCL_AFTER_QUEUE));
    TEST_OK(ocl_download(OCL_ON(d, detail), pinned ? down : b, (struct ocl_span){m, offset, bytes}, threads, OCL_AFTER_QUEUE));
    if (pinned)
        memcpy(b, down, bytes + 1);
    TEST_CHECK(memcmp(a, b, bytes) == 0 && b[bytes] == 0x77);
    TEST_OK(ocl_download(OCL_ON(d, detail), around, (struct ocl_span){m, 0, all}, threads, OCL_AFTER_QUEUE));
    bool kept = memcmp(around + offset, a, bytes) == 0;
    for (size_t i = 0; i < all; i++)
        kept = kept && ((i >= offset && i < offset + bytes) || around[i] == 0);
    TEST_CHECK(kept);
    ocl_buffer_put(d, m);
    ocl_host_free(d, up);
    ocl_host_free(d, down);
    free(a);
    free(b);
    free(around);
}

static void test_transfers(void)
{
    struct ocl_device *d = ocl_test_open();
    static const size_t block = (size_t)1 << 18; /* of the ring for short transfers */
    const size_t sizes[] = {1,
                            7,
                            8,
                            4096,
                            block - 1,
                            block,
                            block + 1,
                            4 * block - 3,
                            4 * block,
                            4 * block + 5,
                            9 * block + 12345,
                            ((size_t)17 << 20) + 3};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        round_trip(d, sizes[i], 8 * test_below(1000), 1 + (unsigned)test_below(4), i % 2);
        round_trip(d, sizes[i], 0, 3, !(i % 2));
    }
    for (int i = 0; i < 20; i++)
        round_trip(d, test_size(1, (size_t)3 << 20), test_below(5000), 1 + (unsigned)test_below(6), test_below(2));
    TEST_OK(ocl_upload(OCL_ON(d, detail), (struct ocl_span){NULL, 0, 0}, NULL, 1, OCL_AFTER_QUEUE));
    TEST_OK(ocl_download(OCL_ON(d, detail), NULL, (struct ocl_span){NULL, 0, 0}, 1, OCL_AFTER_QUEUE));
    ocl_host_free(d, NULL);
    ocl_device_close(d);
}

/* Uploads come after what was in the queue, and before what comes into it; the caller's memory is free at once. */
static void test_order(void)
{
    struct ocl_device *d = ocl_test_open();
    enum { WORDS = 1 << 20 };
    uint32_t *a = malloc(4 * WORDS), *b = malloc(4 * WORDS);
    cl_mem m, copy[8];
    TEST_OK(ocl_buffer_get(OCL_ON(d, detail), 4 * WORDS, &m));
    for (uint32_t round = 0; round < 8; round++) {
        const uint32_t pattern = 1000 + round;
        TEST_OK(ocl_buffer_get(OCL_ON(d, detail), 4 * WORDS, &copy[round]));
        for (uint32_t i = 0; i < WORDS; i++)
            a[i] = round * 0x10000000u + i;
        TEST_OK(ocl_fill(OCL_ON(d, detail), (struct ocl_span){m, 0, 4 * WORDS}, &pattern, 4)); /* has to come before the upload */
        TEST_OK(ocl_upload(OCL_ON(d, detail), (struct ocl_span){m, 0, 4 * WORDS / 2}, a, 2, OCL_AFTER_QUEUE));
        TEST_CHECK(clEnqueueCopyBuffer(ocl_device_queue(d), m, copy[round], 0, 0, 4 * WORDS, 0, NULL, NULL) == CL_SUCCESS);
        memset(a, 0xee, 4 * WORDS);
    }
    for (uint32_t round = 0; round < 8; round++) {
        cl_event ready;
        TEST_OK(ocl_mark(OCL_ON(d, detail), &ready));
        TEST_OK(ocl_download(OCL_ON(d, detail), b, (struct ocl_span){copy[round], 0, 4 * WORDS}, 2,
                             round % 2 ? ready : OCL_AFTER_QUEUE));
        clReleaseEvent(ready);
        bool right = true;
        for (uint32_t i = 0; i < WORDS; i++)
            right = right && b[i] == (i < WORDS / 2 ? round * 0x10000000u + i : 1000 + round);
        test_note("round %u", round);
        TEST_CHECK(right);
        ocl_buffer_put(d, copy[round]);
    }
    ocl_buffer_put(d, m);
    free(a);
    free(b);
    ocl_device_close(d);
}

static void test_transfer_faults(void)
{
    struct ocl_device *d = ocl_test_open();
    const size_t bytes = (size_t)3 << 20;
    unsigned char *a = malloc(bytes), *b = malloc(bytes);
    cl_mem m;
    bytes_fill(a, bytes);
    TEST_OK(ocl_buffer_get(OCL_ON(d, detail), bytes, &m));
    for (unsigned skip = 0; skip < 12; skip += 3) {
        test_note("block %u", skip);
        ocl_fault_set(OCL_FAULT_TRANSFER, skip, 1, CL_OUT_OF_RESOURCES);
        TEST_CHECK(ocl_upload(OCL_ON(d, detail), (struct ocl_span){m, 0, bytes}, a, 2, OCL_AFTER_QUEUE) == GFMUL_ERR_DEVICE);
        TEST_CHECK(strstr(detail, "clEnqueueWriteBuffer"));
        TEST_OK(ocl_upload(OCL_ON(d, detail), (struct ocl_span){m, 0, bytes}, a, 2,
                           OCL_AFTER_QUEUE)); /* the ring is in order again */
        ocl_fault_set(OCL_FAULT_TRANSFER, skip, 1, CL_OUT_OF_RESOURCES);
        TEST_CHECK(ocl_download(OCL_ON(d, detail), b, (struct ocl_span){m, 0, bytes}, 2, OCL_AFTER_QUEUE) == GFMUL_ERR_DEVICE);
        TEST_CHECK(strstr(detail, "clEnqueueReadBuffer"));
        memset(b, 0, bytes);
        TEST_OK(ocl_download(OCL_ON(d, detail), b, (struct ocl_span){m, 0, bytes}, 2, OCL_AFTER_QUEUE));
        TEST_CHECK(memcmp(a, b, bytes) == 0);
    }
    /* one bit wrong, in the second download from now and no other */
    ocl_fault_set(OCL_FAULT_DATA, 1, 1, 12346);
    for (int i = 0; i < 3; i++) {
        TEST_OK(ocl_download(OCL_ON(d, detail), b, (struct ocl_span){m, 0, bytes}, 2, OCL_AFTER_QUEUE));
        size_t wrong = 0, where = 0;
        for (size_t j = 0; j < bytes; j++) {
            if (a[j] != b[j])
                wrong++, where = j;
        }
        TEST_CHECK(i == 1 ? wrong == 1 && where == 12345 : wrong == 0);
    }
    /* no pinned memory for the ring */
    ocl_fault_set(OCL_FAULT_BUFFER, 2, 1, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    unsigned char *large = calloc(1, (size_t)80 << 20);
    cl_mem m2;
    TEST_OK(ocl_buffer_get(OCL_ON(d, detail), 100, &m2));
    TEST_CHECK(large && ocl_upload(OCL_ON(d, detail), (struct ocl_span){m, 0, (size_t)80 << 20}, large, 2, OCL_AFTER_QUEUE) ==
                            GFMUL_ERR_DEVICE);
    ocl_fault_clear();
    TEST_OK(ocl_upload(OCL_ON(d, detail), (struct ocl_span){m, 0, bytes}, a, 2, OCL_AFTER_QUEUE));
    ocl_fault_set(OCL_FAULT_FINISH, 0, 1, CL_INVALID_COMMAND_QUEUE);
    TEST_CHECK(ocl_finish(OCL_ON(d, detail)) == GFMUL_ERR_DEVICE && ocl_device_lost(d));
    ocl_fault_clear();
    TEST_CHECK(ocl_upload(OCL_ON(d, detail), (struct ocl_span){m, 0, bytes}, a, 2, OCL_AFTER_QUEUE) == GFMUL_ERR_DEVICE &&
               strstr(detail, "gone"));
    TEST_CHECK(ocl_download(OCL_ON(d, detail), b, (struct ocl_span){m, 0, bytes}, 2, OCL_AFTER_QUEUE) == GFMUL_ERR_DEVICE);
    free(large);
    free(a);
    free(b);
    ocl_buffer_put(d, m2);
    ocl_buffer_put(d, m);
    ocl_device_close(d);
}

/* A command that failed after it was enqueued, met by each of those who wait: its own code says whether the device is lost. */
static void test_failed_commands(void)
{
    static const struct {
        cl_int code;
        bool lost;
    } ends[] = {
        {CL_OUT_OF_RESOURCES, false}, {CL_MEM_OBJECT_ALLOCATION_FAILURE, false}, {CL_DEVICE_NOT_AVAILABLE, true}, {-9999, true}};
    for (unsigned i = 0; i < 4 * sizeof ends / sizeof *ends; i++) {
        struct ocl_device *d = ocl_test_open();
        const cl_int end = ends[i / 4].code;
        struct ocl_profile profile = {.kernel = {{.name = "a command"}}, .n_kernels = 1, .n_pending = 1};
        cl_int code = CL_SUCCESS;
        cl_event event = clCreateUserEvent(d->context, &code);
        if (!TEST_CHECK(code == CL_SUCCESS && clSetUserEventStatus(event, end) == CL_SUCCESS))
            return;
        test_note("code %d, by way %u", (int)end, i % 4);
        enum gfmul_status status;
        switch (i % 4) {
        case 0:
            status = ocl_event_wait(OCL_ON(d, detail), event, "a command");
            clReleaseEvent(event);
            break;
        case 1: {
            struct ocl_readback readback = {NULL, event, false};
            status = ocl_readback_wait(OCL_ON(d, detail), &readback);
            ocl_readback_end(d, &readback);
            break;
        }
        case 2:
            profile.pending[0] = event;
            status = ocl_profile_read(&(const struct ocl_call){d, &profile, detail});
            ocl_profile_drop(&profile);
            break;
        default: {
            const unsigned char byte = 1;
            cl_mem m;
            TEST_OK(ocl_buffer_get(OCL_ON(d, detail), 1, &m));
            TEST_OK(ocl_upload(OCL_ON(d, detail), (struct ocl_span){m, 0, 1}, &byte, 1, OCL_AT_ONCE));
            TEST_OK(ocl_finish(OCL_ON(d, detail)));
            clReleaseEvent(d->up.busy[0]);
            d->up.busy[0] = event; /* as if that transfer had failed */
            status = ocl_upload(OCL_ON(d, detail), (struct ocl_span){m, 0, 1}, &byte, 1, OCL_AT_ONCE);
            ocl_buffer_put(d, m);
        }
        }
        TEST_CHECK_MSG(status == GFMUL_ERR_DEVICE && strstr(detail, ocl_code_name(end)), "status %d: %s", (int)status, detail);
        TEST_CHECK(ocl_device_lost(d) == ends[i / 4].lost);
        ocl_device_close(d);
    }
}

/* Lets a command go after a while. */
struct gate {
    cl_event event;
    atomic_bool open;
};

static void *gate_open(void *arg)
{
    struct gate *gate = arg;
    usleep(50000);
    atomic_store(&gate->open, true);
    clSetUserEventStatus(gate->event, CL_COMPLETE);
    return NULL;
}

/* Whatever is wrong with the device or with the waiting: who is told that all has ended may have memory back. */
static void test_finish_waits(void)
{
    for (unsigned i = 0; i < 9; i++) {
        struct ocl_device *d = ocl_test_open();
        cl_command_queue queue[] = {d->up.queue, d->queue, d->down.queue};
        struct gate gate;
        cl_int code = CL_SUCCESS;
        pthread_t opener;
        gate.event = clCreateUserEvent(d->context, &code);
        atomic_init(&gate.open, false);
        if (!TEST_CHECK(code == CL_SUCCESS && clEnqueueMarkerWithWaitList(queue[i % 3], 1, &gate.event, NULL) == CL_SUCCESS))
            return;
        if (!TEST_CHECK(pthread_create(&opener, NULL, gate_open, &gate) == 0))
            return;
        test_note("queue %u, %s", i % 3, i < 3 ? "nothing wrong" : i < 6 ? "the wait fails" : "the device is lost");
        if (i / 3 == 1)
            ocl_fault_set(OCL_FAULT_FINISH, 0, 1, CL_OUT_OF_RESOURCES);
        atomic_store(&d->lost, i / 3 == 2);
        TEST_CHECK(ocl_finish(OCL_ON(d, detail)) == (i < 3 ? GFMUL_OK : GFMUL_ERR_DEVICE));
        TEST_CHECK(atomic_load(&gate.open));
        ocl_fault_clear();
        pthread_join(opener, NULL);
        clReleaseEvent(gate.event);
        ocl_device_close(d);
    }
}

static void test_profile(void)
{
    const struct ocl_device_options opt = {.profile = true};
    struct ocl_device *d;
    struct ocl_profile profile;
    cl_kernel k;
    cl_mem m;
    TEST_OK(ocl_device_open(&d, "gpu", &opt, detail));
    const struct ocl_call timed = {d, &profile, detail};
    memset(&profile, 0, sizeof profile);
    TEST_OK(ocl_kernel_get(OCL_ON(d, detail), "probe_local.cl", "probe_local", "-DPROBE_BYTES=4096", &k));
    TEST_OK(ocl_buffer_get(OCL_ON(d, detail), 64, &m));
    TEST_OK(ocl_args(OCL_ON(d, detail), k, OCL_ARG(m), OCL_END));
    for (int i = 0; i < 3 * OCL_PROFILE_PENDING / 2; i++) /* more than can wait to be read */
        TEST_OK(ocl_launch(&timed, k, i % 3 ? "second" : "first", ocl_items(64, 64), 100));
    TEST_OK(ocl_profile_read(&timed));
    TEST_CHECK(profile.n_kernels == 2 && profile.n_pending == 0);
    TEST_CHECK(strcmp(profile.kernel[0].name, "first") == 0 && strcmp(profile.kernel[1].name, "second") == 0);
    TEST_CHECK(profile.kernel[0].launches == OCL_PROFILE_PENDING / 2 && profile.kernel[1].launches == OCL_PROFILE_PENDING);
    TEST_CHECK(profile.kernel[1].bytes == 100.0 * OCL_PROFILE_PENDING && profile.kernel[0].ns > 0 && profile.kernel[1].ns > 0);
    for (int i = 0; i < 2 * OCL_PROFILE_KERNELS; i++) { /* more names than lines: the last line takes the rest */
        char name[16];
        snprintf(name, sizeof name, "kernel %d", i);
        TEST_OK(ocl_launch(&timed, k, name, ocl_items(64, 64), 0));
    }
    TEST_OK(ocl_profile_read(&timed));
    TEST_CHECK(profile.n_kernels == OCL_PROFILE_KERNELS &&
               profile.kernel[OCL_PROFILE_KERNELS - 1].launches == OCL_PROFILE_KERNELS + 3);

    ocl_fault_set(OCL_FAULT_LAUNCH, 0, 1, CL_OUT_OF_RESOURCES);
    TEST_CHECK(ocl_launch(&timed, k, "first", ocl_items(64, 64), 0) == GFMUL_ERR_DEVICE && strstr(detail, "kernel first"));
    ocl_fault_clear();
    TEST_OK(ocl_launch(OCL_ON(d, detail), k, "first", ocl_items(64, 64), 0));
    TEST_OK(ocl_launch(&timed, k, "first", ocl_items(64, 64), 0));
    ocl_profile_drop(&profile);
    TEST_CHECK(profile.n_pending == 0);
    const cl_uint extra = 1;
    TEST_CHECK(ocl_args(OCL_ON(d, detail), k, OCL_ARG(m), OCL_ARG(extra), OCL_END) == GFMUL_ERR_INTERNAL &&
               strstr(detail, "clSetKernelArg 1"));
    ocl_kernel_put(d, k);
    ocl_buffer_put(d, m);
    ocl_device_close(d);
}

int main(int argc, char **argv)
{
    if (!ocl_test_begin())
        return ocl_test_skip();
    test_begin(argc, argv);
    TEST_RUN(test_pool);
    TEST_RUN(test_pool_full);
    TEST_RUN(test_transfers);
    TEST_RUN(test_order);
    TEST_RUN(test_transfer_faults);
    TEST_RUN(test_failed_commands);
    TEST_RUN(test_finish_waits);
    TEST_RUN(test_profile);
    return ocl_test_end();
}

#else

int main(void)
{
    puts("skipped: a build without OpenCL");
    return 77;
}
#endif
