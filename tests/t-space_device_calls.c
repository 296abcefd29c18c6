/* t-space_device_calls.c - what callers see of a space on an OpenCL device beside its values: progress, waiting, memory. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "ocl_test.h"
#include "space_steps.h"

#ifdef HAVE_OPENCL
#include <time.h>
#include <unistd.h>

#include "device_spaces.h"
#include "ocl/ocl_launch.h"

/* places_fill - numbers of half of a result each, so that products of them are long. */
static void places_fill(struct machine *m, unsigned n)
{
    mpz_t a;
    mpz_init(a);
    for (unsigned i = 0; i < n; i++) {
        operand_fill(mpz_limbs_write(a, (mp_size_t)m->limbs / 2 - 1), m->limbs / 2 - 1, OPERAND_TOP_BIT, 16, test_u64());
        mpz_limbs_finish(a, (mp_size_t)m->limbs / 2 - 1);
        place_set(&m->place[i], a);
    }
    mpz_clear(a);
}

/* squares_sum - a place becomes the sum of the squares of the first n. */
static void squares_sum(struct machine *m, struct place *z, unsigned n)
{
    struct gfmul_spectrum *x[PLACES];
    mpz_set_ui(z->want, 0);
    for (unsigned i = 0; i < n; i++) {
        x[i] = m->place[i].x;
        mpz_addmul(z->want, m->place[i].want, m->place[i].want);
    }
    TEST_OK(gfmul_spectrum_dot(z->x, x, x, n));
}

/* What a callback hears: the largest step, and whether any share came before the commands behind which the sum was enqueued. */
struct heard {
    double last, step;
    bool falls, early;
    cl_event before; /* NULL: nothing is enqueued */
};

static int hear(void *arg, double done)
{
    struct heard *h = arg;
    h->falls = h->falls || done < h->last;
    h->step = done - h->last > h->step ? done - h->last : h->step;
    h->early = h->early || (done > 0 && h->before && !ocl_event_over(h->before));
    h->last = done;
    return 0;
}

/* A share of a sum is told when the device has made it, not when it is enqueued: here other commands are before it. */
static void test_progress_behind(void)
{
    enum { N = 8, FILLS = 24, BYTES = 1 << 25 };
    struct heard heard = {.last = 0};
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, hear, &heard);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct ocl_device *d = m.space->device->d;
    const struct ocl_call *on = OCL_ON(d, NULL);
    const cl_uint zero = 0;
    cl_mem room;
    places_fill(&m, N);
    if (!TEST_OK(ocl_buffer_get(on, BYTES, &room)))
        exit(1);
    for (unsigned i = 0; i < 3; i++) { /* the first sum makes kernels and transforms */
        squares_sum(&m, &m.place[N], N);
        ocl_device_lock(d);
        for (unsigned k = 0; k < FILLS; k++)
            TEST_OK(ocl_fill(on, (struct ocl_span){room, 0, BYTES}, &zero, sizeof zero));
        TEST_OK(ocl_mark(on, &heard.before));
        ocl_device_unlock(d);
        heard.last = 0;
        place_check(&m, &m.place[N]);
        TEST_CHECK_MSG(!heard.early, "sum %u: a share was told while the device had not begun", i);
        TEST_OK(ocl_event_end(on, &heard.before, "fills"));
    }
    ocl_buffer_put(d, room);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* The entries of a matrix are made one after the other, and so is the progress: no step is much larger than an entry. */
static void test_progress_matrix(void)
{
    enum { ROWS = 3, ENTRIES = ROWS * ROWS };
    struct heard heard = {.last = 0};
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, hear, &heard);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 2); /* entries have more terms than a sum */
    struct gfmul_spectrum *x[ENTRIES], *z[ENTRIES];
    places_fill(&m, ENTRIES);
    mpz_t sum, got;
    mpz_inits(sum, got, NULL);
    for (unsigned i = 0; i < ENTRIES; i++) {
        x[i] = m.place[i].x;
        TEST_OK(gfmul_spectrum_create(m.space, &z[i]));
    }
    /* some factors are sums that have not been evaluated yet */
    for (unsigned i = 0; i < ROWS; i++) {
        mpz_fdiv_q_2exp(m.place[i].want, m.place[i].want, 32 * m.limbs / 2);
        TEST_OK(gfmul_spectrum_set_mpz(x[i], m.place[i].want));
        TEST_OK(gfmul_spectrum_mul(x[i], x[i], x[i]));
        mpz_mul(m.place[i].want, m.place[i].want, m.place[i].want);
    }
    heard = (struct heard){.last = 0};
    TEST_OK(gfmul_spectrum_matmul(z, x, x, ROWS, ROWS, ROWS));
    TEST_CHECK(!heard.falls && heard.last <= 1);
    TEST_CHECK_MSG(heard.step < 0.2, "a step of %g", heard.step);
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned j = 0; j < ROWS; j++) {
            mpz_set_ui(sum, 0);
            for (unsigned k = 0; k < ROWS; k++)
                mpz_addmul(sum, m.place[i * ROWS + k].want, m.place[k * ROWS + j].want);
            TEST_OK(gfmul_spectrum_get_mpz(z[i * ROWS + j], got));
            TEST_CHECK(mpz_cmp(sum, got) == 0);
        }
    for (unsigned i = 0; i < ENTRIES; i++)
        gfmul_spectrum_destroy(z[i]);
    mpz_clears(sum, got, NULL);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* A thread that reads a place, into limbs or into a number on the device. */
struct reader {
    struct place *z;
    struct gfmul_device_operand *to; /* or NULL */
    mpz_t got;
    enum gfmul_status status;
    atomic_bool over;
};

static void *reader_run(void *arg)
{
    struct reader *r = arg;
    r->status = r->to ? gfmul_spectrum_get_device(r->z->x, r->to, NULL) : gfmul_spectrum_get_mpz(r->z->x, r->got);
    atomic_store(&r->over, true);
    return NULL;
}

/* lock_comes - whether the device's lock can be had; it is given back.   Waits for a minute, which is for ever here.
   in_flight out: the bytes that calls have then */
static bool lock_comes(struct ocl_device *d, size_t *in_flight)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    if (pthread_mutex_timedlock(&d->order, &until) != 0)
        return false;
    *in_flight = ocl_device_in_flight_bytes(d);
    ocl_device_unlock(d);
    return true;
}

/* flight_begins - wait until a call has memory on the device, for minutes if need be.   Value: as lock_comes */
static bool flight_begins(struct ocl_device *d)
{
    bool comes = true;
    size_t bytes = 0;
    for (unsigned looks = 0; looks < 300000 && comes && bytes == 0; looks++) {
        usleep(1000);
        comes = lock_comes(d, &bytes);
    }
    return comes && TEST_CHECK(bytes > 0);
}

/* lock_awaited - wait until another thread waits for a lock of this one, for minutes if need be.   Value: whether it does */
static bool lock_awaited(const pthread_mutex_t *lock)
{
#ifdef __GLIBC__ /* 1: locked; 2: and there is a thread that waits */
    const int *const state = &lock->__data.__lock;
    for (unsigned looks = 0; looks < 300000 && __atomic_load_n(state, __ATOMIC_RELAXED) != 2; looks++)
        usleep(1000);
    return TEST_CHECK(__atomic_load_n(state, __ATOMIC_RELAXED) == 2);
#else
    (void)lock;
    return true;
#endif
}

/* While a call waits for the copies of an upload, others get the device's lock. */
static void test_lock_free(void)
{
    enum { N = 4, LOOKS = 60 };
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct ocl_device *d = m.space->device->d;
    struct reader reader = {.z = &m.place[N]};
    struct gfmul_device_operand *op;
    mpz_init(reader.got);
    TEST_OK(gfmul_device_operand_create(ctx, &op, SHORT_LIMBS));
    places_fill(&m, N);
    squares_sum(&m, reader.z, N);
    place_check(&m, reader.z); /* the kernels are there */
    for (unsigned number = 0; number < 2; number++) {
        size_t bytes;
        pthread_t thread;
        places_fill(&m, N);
        if (number)
            place_set(reader.z, m.place[0].want);
        else
            squares_sum(&m, reader.z, N);
        reader.to = number ? op : NULL;
        atomic_store(&reader.over, false);
        pthread_mutex_lock(&d->up.lock); /* no upload can end */
        if (!TEST_CHECK(pthread_create(&thread, NULL, reader_run, &reader) == 0))
            exit(1);
        bool free = (number || flight_begins(d)) && lock_awaited(&d->up.lock); /* a number in transit has no memory of its own */
        for (unsigned looks = 0; looks < LOOKS && free; looks++) {
            free = lock_comes(d, &bytes);
            usleep(1000);
        }
        TEST_CHECK_MSG(free, "the lock is held over an upload of a %s", number ? "number" : "factor");
        TEST_CHECK(!atomic_load(&reader.over)); /* it has an upload */
        pthread_mutex_unlock(&d->up.lock);
        pthread_join(thread, NULL);
        TEST_OK(reader.status);
        if (number)
            operand_is(op, reader.z->want);
        else
            TEST_CHECK(mpz_cmp(reader.got, reader.z->want) == 0);
    }
    mpz_clear(reader.got);
    gfmul_device_operand_destroy(op);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* launches_of - the launches of kernels that a place's value takes. */
static unsigned launches_of(struct gfmul_ctx *ctx, const struct machine *m, const struct place *z)
{
    struct gfmul_kernel_time kernel[OCL_PROFILE_KERNELS];
    mpz_t got;
    unsigned launches = 0;
    mpz_init(got);
    TEST_OK(gfmul_spectrum_get_mpz(z->x, got));
    TEST_CHECK(mpz_cmp(got, z->want) == 0);
    mpz_clear(got);
    const unsigned n = gfmul_ctx_kernels(ctx, kernel, OCL_PROFILE_KERNELS);
    for (unsigned i = 0; i < n && i < OCL_PROFILE_KERNELS; i++)
        launches += kernel[i].launches;
    TEST_CHECK(m->space->device && n > 0);
    return launches;
}

/* A sum of both signs goes back once, and takes two launches more if it is negative.  Numbers that are added count, too. */
static void test_profile(void)
{
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    ctx->opt.profile = true;
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct place *x = &m.place[0], *y = &m.place[1], *z = &m.place[2];
    unsigned launches[4], negative = 0;
    places_fill(&m, 2);
    for (unsigned i = 0; i < 4; i++) { /* the first sum makes the transforms; one of a sign; those of both */
        squares_sum(&m, z, i == 0 ? 2 : 1);
        if (i >= 2) {
            TEST_OK(gfmul_spectrum_submul(z->x, y->x, y->x));
            mpz_submul(z->want, y->want, y->want);
        }
        if (i == 3) {
            TEST_OK(gfmul_spectrum_neg(z->x, z->x));
            mpz_neg(z->want, z->want);
        }
        launches[i] = launches_of(ctx, &m, z);
        if (i >= 2)
            TEST_CHECK_MSG(launches[i] == launches[1] + (mpz_sgn(z->want) < 0 ? 2 : 0), "%u launches, then %u", launches[1],
                           launches[i]);
        negative += i >= 2 && mpz_sgn(z->want) < 0;
    }
    TEST_CHECK(is_long(&m, x, x) && is_long(&m, y, y));
    TEST_CHECK_MSG(launches[0] > launches[1] && negative == 1, "%u launches, %u, %u", launches[0], launches[1], negative);
    squares_sum(&m, z, 1); /* with a number, whose addition is two launches, and one more checks it */
    TEST_OK(gfmul_spectrum_add(z->x, z->x, y->x));
    mpz_add(z->want, z->want, y->want);
    const unsigned more = launches_of(ctx, &m, z);
    TEST_CHECK_MSG(more == launches[1] + 3, "%u launches, then %u", launches[1], more);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* ---- memory ---- */

/* device_room - what is free if nothing is idle. */
static size_t device_room(struct gfmul_ctx *ctx, struct ocl_device *d)
{
    gfmul_ctx_trim(ctx);
    ocl_buffer_trim(d);
    return ocl_buffer_room(d);
}

/* gfmul_space_bytes has what a space takes from the device, to the byte. */
static void test_bytes(void)
{
    enum { N = 6 };
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct ocl_device *d = m.space->device->d;
    mpz_t a;
    mpz_init_set_ui(a, 1);
    mpz_mul_2exp(a, a, 64 * 520); /* limbs that do not fill a page, and zeros above them */
    const size_t room = device_room(ctx, d), bytes = gfmul_space_bytes(m.space);
    TEST_CHECK(bytes == 0);
    places_fill(&m, N);
    struct gfmul_device_operand *op = operand_of(ctx, a, 10);
    TEST_OK(gfmul_spectrum_set_device(m.place[0].x, op));
    gfmul_device_operand_destroy(op); /* what it had is the space's now */
    mpz_set(m.place[0].want, a);
    for (unsigned n = 1; n <= N; n++) {
        struct place *z = &m.place[N + n - 1];
        squares_sum(&m, z, n);
        place_check(&m, z); /* it stays on the device */
        const size_t taken = room - device_room(ctx, d), counted = atomic_load(&m.space->device_bytes);
        TEST_CHECK_MSG(taken == counted && taken > 0, "%u squares: %zu bytes are taken, %zu counted", n, taken, counted);
        TEST_CHECK(gfmul_space_bytes(m.space) >= counted);
    }
    mpz_clear(a);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* A number that is too long, or for which there is no memory, is refused before any memory is taken or freed. */
static void test_number_refused(void)
{
    enum { LONG = 400000, SHORTER = LONG / 2 };
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16), far = device_machine(ctx, LONG, 1);
    struct ocl_device *d = m.space->device->d;
    struct place *x = &far.place[0];
    struct gfmul_device_operand *made;
    mpz_t a;
    mpz_init_set_ui(a, 1);
    mpz_mul_2exp(a, a, 64 * LONG - 100);
    struct gfmul_device_operand *op = operand_of(ctx, a, 3);
    TEST_CHECK(gfmul_device_operand_mem(op)); /* so that it is copied */
    places_fill(&m, 1);
    squares_sum(&m, &m.place[1], 1);
    place_check(&m, &m.place[1]);
    mpz_set_ui(x->want, 12345);
    TEST_OK(gfmul_spectrum_set_mpz(x->x, x->want));
    const unsigned pipelines = device_store_pipelines(ctx, d);
    TEST_CHECK(pipelines > 0);
    const uint64_t before = memory_leave(d, 8192);
    const size_t room = ocl_buffer_room(d);
    TEST_CHECK(gfmul_spectrum_set_device(m.place[0].x, op) == GFMUL_ERR_SIZE);
    TEST_CHECK(gfmul_spectrum_set_device(x->x, op) == GFMUL_ERR_DEVICE);
    const struct gfmul_report report = last_report(far.space);
    TEST_CHECK_MSG(strstr(report.detail, "a number needs"), "%s", report.detail);
    TEST_CHECK(gfmul_device_operand_create(ctx, &made, SHORTER) == GFMUL_ERR_DEVICE && !made);
    TEST_CHECK(device_store_pipelines(ctx, d) == pipelines && ocl_buffer_room(d) == room);
    place_check(&far, x);
    place_check(&m, &m.place[0]);
    d->info.global_bytes = before;
    TEST_OK(gfmul_spectrum_set_device(x->x, op));
    mpz_set(x->want, a);
    place_check(&far, x);
    gfmul_device_operand_destroy(op);
    mpz_clear(a);
    machine_destroy(&far);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* A number from text is a factor on the device, and a sum that is there alone is printed. */
static void test_text(void)
{
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct place *x = &m.place[0], *y = &m.place[1], *z = &m.place[2];
    const size_t size = gfmul_get_str_size(m.limbs, 10);
    char *text = test_alloc(size);
    for (unsigned i = 0; i < test_tier(3, 30, 300); i++) {
        size_t len = 0;
        place_draw(&m, y, m.limbs / 2 - 1);
        number_draw(&m, x->want, m.limbs / 2 - 1);
        char *want = mpz_get_str(NULL, 16, x->want);
        TEST_OK(gfmul_spectrum_set_str(x->x, want, strlen(want), 16));
        free(want);
        TEST_OK(gfmul_spectrum_mul(z->x, x->x, y->x));
        TEST_OK(gfmul_spectrum_submul(z->x, x->x, x->x));
        mpz_mul(z->want, x->want, y->want);
        mpz_submul(z->want, x->want, x->want);
        want = mpz_get_str(NULL, 10, z->want);
        TEST_CHECK(gfmul_spectrum_set_str(z->x, "0x", 2, 16) == GFMUL_ERR_SYNTAX);
        TEST_OK(gfmul_spectrum_get_str(z->x, text, size, &len, 10));
        TEST_CHECK(len == strlen(want) && test_equal_text(text, want, strlen(want) + 1));
        free(want);
        place_check(&m, x);
        place_check(&m, z);
    }
    free(text);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* ---- numbers that share their words with a space ---- */

/* number_fill - n random limbs, the highest one not 0. */
static void number_fill(mpz_ptr a, size_t n)
{
    operand_fill(mpz_limbs_write(a, (mp_size_t)n), n, OPERAND_RANDOM, 16, test_u64());
    mpz_limbs_write(a, (mp_size_t)n)[n - 1] |= (mp_limb_t)1 << test_below(64);
    mpz_limbs_finish(a, (mp_size_t)n);
}

static void operand_put(struct gfmul_device_operand *op, mpz_srcptr a)
{
    TEST_OK(gfmul_device_operand_set(op, mpz_limbs_read(a), mpz_size(a)));
}

/* What happens to a number after a spectrum has taken its value. */
enum way { SET, ANSWERED, MULTIPLIED, FREED, SPECTRUM_SET, SPECTRUM_MADE, WAYS };

/*
 * taken_then - a spectrum x takes the value of a number, then this happens; what was freed is taken and written again at once.
 *
 *   room     in  of the number, in limbs
 *   exposed  in  its memory is the caller's knowledge, and has to stay the same
 */
static void taken_then(struct gfmul_ctx *ctx, struct machine *m, enum way way, size_t room, bool exposed)
{
    enum { N = SHORT_LIMBS / 2 - 1 };
    struct place *x = &m->place[0], *y = &m->place[1], *z = &m->place[2];
    struct gfmul_device_operand *op, *next = NULL;
    mpz_t a, other;
    mpz_inits(a, other, NULL);
    number_fill(a, N);
    number_fill(other, N / 2);
    test_note("way %d, room for %zu limbs%s", (int)way, room, exposed ? ", exposed" : "");
    TEST_OK(gfmul_device_operand_create(ctx, &op, room));
    void *const before = exposed ? gfmul_device_operand_mem(op) : NULL;
    operand_put(op, a);
    TEST_OK(gfmul_spectrum_set_device(x->x, op));
    mpz_set(x->want, a);
    if (way == SET)
        operand_put(op, other);
    if (way == ANSWERED) {
        TEST_OK(gfmul_spectrum_get_device(y->x, op, NULL));
        mpz_abs(other, y->want);
    }
    if (way == MULTIPLIED) {
        struct gfmul_device_operand *const p = operand_of(ctx, other, 0);
        TEST_OK(gfmul_device_operand_mul(op, p, p));
        gfmul_device_operand_destroy(p);
        mpz_mul(other, other, other);
    }
    if (way == SPECTRUM_SET) {
        place_set(x, other);
        mpz_set(other, a);
    }
    if (way == SPECTRUM_MADE) {
        TEST_OK(gfmul_spectrum_sqr(x->x, x->x));
        mpz_mul(x->want, a, a);
        place_check(m, x);
        mpz_set(other, a);
    }
    if (way == FREED) {
        gfmul_device_operand_destroy(op);
        op = NULL;
    }
    TEST_OK(gfmul_device_operand_create(ctx, &next, room));
    operand_put(next, m->place[3].want);
    place_check(m, x);
    operand_is(next, m->place[3].want);
    if (op) {
        operand_is(op, other);
        TEST_CHECK(!exposed || gfmul_device_operand_mem(op) == before);
        TEST_OK(gfmul_spectrum_set_device(z->x, op)); /* its new value */
        mpz_set(z->want, other);
        place_check(m, z);
    }
    gfmul_device_operand_destroy(op);
    gfmul_device_operand_destroy(next);
    place_check(m, x);
    mpz_clears(a, other, NULL);
}

static void test_taken(void)
{
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    places_fill(&m, 4);
    for (unsigned i = 0; i < test_tier(1, 10, 100) * WAYS; i++) {
        taken_then(ctx, &m, i % WAYS, SHORT_LIMBS / 2, false);
        taken_then(ctx, &m, i % WAYS, 20 * SHORT_LIMBS, false); /* so long that a copy takes less */
        taken_then(ctx, &m, i % WAYS, SHORT_LIMBS / 2, true);
    }
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* A number that a sum is read into shares the sum's words, whichever of both is changed or freed first. */
static void test_given(void)
{
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct ocl_device *d = m.space->device->d;
    struct place *y = &m.place[1];
    mpz_t sum;
    mpz_init(sum);
    for (unsigned i = 0; i < test_tier(4, 40, 400); i++) {
        struct gfmul_device_operand *op, *next;
        places_fill(&m, 1);
        squares_sum(&m, y, 1);
        place_check(&m, y); /* it is made */
        mpz_set(sum, y->want);
        TEST_OK(gfmul_device_operand_create(ctx, &op, SHORT_LIMBS));
        const size_t room = device_room(ctx, d);
        TEST_OK(gfmul_spectrum_get_device(y->x, op, NULL));
        TEST_CHECK(device_room(ctx, d) > room);
        if (i % 4 == 0)
            place_set(y, m.place[0].want);
        if (i % 4 == 1)
            operand_put(op, m.place[0].want);
        if (i % 4 == 2)
            gfmul_device_operand_destroy(op);
        TEST_OK(gfmul_device_operand_create(ctx, &next, SHORT_LIMBS)); /* in what was freed */
        operand_put(next, m.place[0].want);
        place_check(&m, y);
        if (i % 4 != 2)
            operand_is(op, i % 4 == 1 ? m.place[0].want : sum);
        operand_is(next, m.place[0].want);
        gfmul_device_operand_destroy(next);
        if (i % 4 != 2)
            gfmul_device_operand_destroy(op);
    }
    mpz_clear(sum);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* No copy is made.  Without memory for other words a number whose words are shared is 0, and the spectrum keeps its value. */
static void test_taken_full(void)
{
    enum { N = SHORT_LIMBS / 2 - 1 };
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct ocl_device *d = m.space->device->d;
    struct place *x = &m.place[0];
    mpz_t a;
    mpz_init(a);
    number_fill(a, N);
    struct gfmul_device_operand *op = operand_of(ctx, a, 0);
    const size_t room = device_room(ctx, d);
    TEST_OK(gfmul_spectrum_set_device(x->x, op));
    mpz_set(x->want, a);
    TEST_CHECK(device_room(ctx, d) == room);
    const uint64_t before = memory_leave(d, 0);
    TEST_CHECK(gfmul_device_operand_set(op, mpz_limbs_read(a), N) == GFMUL_ERR_DEVICE && gfmul_device_operand_limbs(op) == 0);
    d->info.global_bytes = before;
    place_check(&m, x);
    operand_put(op, a);
    TEST_CHECK(device_room(ctx, d) < room);
    operand_is(op, a);
    place_check(&m, x);
    gfmul_device_operand_destroy(op);
    mpz_clear(a);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* Products on the device, whose highest limbs the host does not know: none of them is 0, one is, or very many are; 0 itself. */
static void test_products_taken(void)
{
    enum { N = SHORT_LIMBS / 4 };
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    struct place *x = &m.place[0], *z = &m.place[1];
    struct gfmul_device_operand *product;
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    TEST_OK(gfmul_device_operand_create(ctx, &product, SHORT_LIMBS));
    for (unsigned i = 0; i < test_tier(8, 40, 400); i++) {
        number_fill(a, N);
        number_fill(b, i % 4 == 1 ? 1 : N);
        if (i % 4 == 2)
            mpz_fdiv_q_2exp(a, a, 62);
        if (i % 8 == 7)
            mpz_set_ui(a, 0);
        struct gfmul_device_operand *p = operand_of(ctx, a, i % 4 == 3 ? 100 : 0), *q = operand_of(ctx, b, i % 4 == 1 ? 40 : 0);
        TEST_OK(gfmul_device_operand_mul(product, p, q));
        TEST_OK(gfmul_spectrum_set_device(x->x, product));
        operand_put(product, b);
        TEST_OK(gfmul_spectrum_set_device(z->x, product));
        gfmul_device_operand_destroy(q);
        gfmul_device_operand_destroy(p);
        mpz_mul(x->want, a, b);
        mpz_set(z->want, b);
        place_check(&m, z);
        TEST_OK(gfmul_spectrum_sqr(z->x, x->x));
        mpz_mul(z->want, x->want, x->want);
        place_check(&m, z);
        place_check(&m, x);
    }
    gfmul_device_operand_destroy(product);
    mpz_clears(a, b, NULL);
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

/* A thread that takes a number which others take, too. */
struct taker {
    struct gfmul_space *space;
    const struct gfmul_device_operand *op;
    mpz_srcptr want; /* its square */
    bool same;
};

static void *take_run(void *arg)
{
    struct taker *t = arg;
    struct gfmul_spectrum *x;
    mpz_t got;
    mpz_init(got);
    t->same = gfmul_spectrum_create(t->space, &x) == GFMUL_OK;
    for (unsigned i = 0; i < 8 && t->same; i++) {
        t->same = gfmul_spectrum_set_device(x, t->op) == GFMUL_OK && gfmul_spectrum_sqr(x, x) == GFMUL_OK;
        if (i % 2 == 0)
            t->same = t->same && gfmul_spectrum_get_mpz(x, got) == GFMUL_OK && mpz_cmp(got, t->want) == 0;
    }
    gfmul_spectrum_destroy(x);
    mpz_clear(got);
    return NULL;
}

/* Several threads take one number, which is freed when they have ended. */
static void test_taken_together(void)
{
    enum { THREADS = 4 };
    struct gfmul_ctx *ctx = ctx_on_device(GFMUL_VERIFY_MOD, NULL, NULL);
    struct machine m = device_machine(ctx, SHORT_LIMBS, 16);
    for (unsigned i = 0; i < test_tier(2, 20, 200); i++) {
        struct taker taker[THREADS];
        pthread_t thread[THREADS];
        mpz_t a, want;
        mpz_inits(a, want, NULL);
        number_fill(a, SHORT_LIMBS / 2 - 1);
        mpz_mul(want, a, a);
        struct gfmul_device_operand *op = operand_of(ctx, a, 0);
        for (unsigned t = 0; t < THREADS; t++) {
            taker[t] = (struct taker){m.space, op, want, false};
            if (!TEST_CHECK(pthread_create(&thread[t], NULL, take_run, &taker[t]) == 0))
                exit(1);
        }
        for (unsigned t = 0; t < THREADS; t++) {
            pthread_join(thread[t], NULL);
            TEST_CHECK(taker[t].same);
        }
        gfmul_device_operand_destroy(op);
        mpz_clears(a, want, NULL);
    }
    machine_destroy(&m);
    gfmul_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (!device_spaces_begin(argc, argv))
        return ocl_test_end();
    TEST_RUN(test_progress_behind);
    TEST_RUN(test_progress_matrix);
    TEST_RUN(test_lock_free);
    TEST_RUN(test_bytes);
    TEST_RUN(test_number_refused);
    TEST_RUN(test_text);
    TEST_RUN(test_taken);
    TEST_RUN(test_given);
    TEST_RUN(test_taken_full);
    TEST_RUN(test_products_taken);
    TEST_RUN(test_taken_together);
    device_primes = true;
    TEST_RUN(test_text);
    TEST_RUN(test_profile);
    TEST_RUN(test_progress_behind);
    TEST_RUN(test_lock_free);
    TEST_RUN(test_bytes);
    TEST_RUN(test_taken);
    return ocl_test_end();
}

#else

int main(void)
{
    puts("this build has no OpenCL");
    return 77;
}
#endif
