/*
 * ntt.c - transforms modulo a caller's prime: checks, roots, order, batches.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/environment.h"
#include "base/overlap.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/rounding.h"
#include "base/threads.h"
#include "base/try.h"
#include "gfmul_fft.h"
#include "prime/prime_ring.h"

/* Fewer points than these in a call are not worth a second thread. */
static const size_t parallel_points = 8192;

enum { VECTOR_ALIGNMENT = 64, TILE_BITS = 3 };

/* A workspace that is kept from call to call. */
struct spare {
    size_t words;
    _Alignas(VECTOR_ALIGNMENT) uint64_t memory[];
};

struct modulus {
    struct prime prime;
    struct prime_ring *ring;
};

struct gfmul_ntt {
    struct gfmul_ntt_options opt;
    size_t n, moduli;
    unsigned odd, levels;
    _Atomic(struct spare *) spare;
    struct modulus modulus[];
};

void gfmul_ntt_options_init(struct gfmul_ntt_options *opt)
{
    if (opt == NULL)
        return;
    memset(opt, 0, sizeof *opt);
    opt->struct_bytes = sizeof *opt;
    opt->batch = 1;
}

/* root_find - an element of this order, which divides p - 1: a power of some small number. */
static uint64_t root_find(uint64_t p, uint64_t order)
{
    for (uint64_t g = 1;; g++) {
        const uint64_t w = residue_power(g, (p - 1) / order, p);
        if (prime_order_is(w, order, p))
            return w;
    }
}

static enum gfmul_status prime_set(struct gfmul_ntt *plan, size_t i, uint64_t p)
{
    if (p < 2 || (p > 2 && p % 2 == 0))
        return GFMUL_ERR_ARGUMENT;
    if (p >> 62 != 0)
        return GFMUL_ERR_UNSUPPORTED;
    if (p > 2 && !random_is_prime(p))
        return GFMUL_ERR_ARGUMENT;
    plan->levels = (unsigned)__builtin_ctzll(plan->n);
    const size_t odd = plan->n >> plan->levels;
    if (odd > PRIME_ODD_MAX)
        return GFMUL_ERR_UNSUPPORTED;
    plan->odd = (unsigned)odd;
    if (plan->n > SIZE_MAX / 4096)
        return GFMUL_ERR_SIZE;
    const uint64_t order = plan->opt.negacyclic ? 2 * plan->n : plan->n, root = plan->opt.root;
    if ((p - 1) % order != 0 || (root != 0 && (root >= p || !prime_order_is(root, order, p))))
        return GFMUL_ERR_ARGUMENT;
    plan->modulus[i].prime = (struct prime){p, root != 0 ? root : root_find(p, order), order};
    return GFMUL_OK;
}

static enum gfmul_status tables_create(struct gfmul_ntt *plan, struct modulus *modulus)
{
    const char *disable = environment_get("GFMUL_DISABLE");
    const struct isa_ops *isa = isa_ops_select(cpu_isa_mask(disable));
    const uint64_t p = modulus->prime.p;
    const bool narrow = isa->fma && plan->levels >= RING_LEVELS_MIN && (double)p < PRIME_LIMIT;
    return prime_ring_create(&modulus->ring, &modulus->prime, plan->odd, plan->levels, plan->opt.negacyclic != 0,
                             narrow ? prime_ring_ops(isa, plan->odd, p, disable) : prime_word_ops(isa, plan->levels, p, disable));
}

/* words_of - words from the first to the last number of a batch; false: no memory is that large. */
static bool words_of(const struct gfmul_ntt *plan, size_t *words)
{
    return size_mul(words, plan->opt.batch - 1, plan->opt.dist) && size_add(words, *words, plan->moduli * plan->n) &&
           *words >> 44 == 0;
}

static enum gfmul_status plan_set(struct gfmul_ntt *plan, const uint64_t *p)
{
    size_t words;
    if (!words_of(plan, &words))
        return GFMUL_ERR_SIZE;
    for (size_t i = 0; i < plan->moduli; i++)
        TRY(prime_set(plan, i, p[i]));
    for (size_t i = 0; i < plan->moduli; i++)
        TRY(tables_create(plan, &plan->modulus[i]));
    return GFMUL_OK;
}

enum gfmul_status gfmul_ntt_create(struct gfmul_ntt **result, size_t n, uint64_t p, const struct gfmul_ntt_options *given)
{
    return gfmul_ntt_create_rns(result, n, &p, 1, given);
}

enum gfmul_status gfmul_ntt_create_rns(struct gfmul_ntt **result, size_t n, const uint64_t *p, size_t moduli,
                                       const struct gfmul_ntt_options *given)
{
    ROUND_TO_NEAREST;
    struct gfmul_ntt_options opt;
    size_t numbers;
    if (result == NULL)
        return GFMUL_ERR_ARGUMENT;
    *result = NULL;
    if (p == NULL || moduli == 0)
        return GFMUL_ERR_ARGUMENT;
    gfmul_ntt_options_init(&opt);
    if (given != NULL) {
        if (given->struct_bytes == 0 || given->struct_bytes > sizeof opt)
            return GFMUL_ERR_ARGUMENT;
        memcpy(&opt, given, given->struct_bytes);
    }
    if (n == 0 || opt.batch == 0 || (unsigned)opt.order > GFMUL_FFT_PERMUTED || (moduli > 1 && opt.root != 0))
        return GFMUL_ERR_ARGUMENT;
    if (!size_mul(&numbers, moduli, n) || numbers >> 44 != 0)
        return GFMUL_ERR_SIZE;
    opt.dist = opt.dist != 0 ? opt.dist : numbers;
    if (opt.batch > 1 && opt.dist < numbers)
        return GFMUL_ERR_ARGUMENT;                                                     /* transforms of a batch would overlap */
    struct gfmul_ntt *plan = calloc(1, sizeof *plan + moduli * sizeof *plan->modulus); /* moduli < 2^44 */
    if (plan == NULL)
        return GFMUL_ERR_MEMORY;
    plan->opt = opt;
    plan->n = n;
    plan->moduli = moduli;
    atomic_init(&plan->spare, NULL);
    const enum gfmul_status status = plan_set(plan, p);
    if (status != GFMUL_OK) {
        gfmul_ntt_destroy(plan);
        return status;
    }
    *result = plan;
    return GFMUL_OK;
}

void gfmul_ntt_destroy(struct gfmul_ntt *plan)
{
    if (plan == NULL)
        return;
    for (size_t i = 0; i < plan->moduli; i++)
        prime_ring_destroy(plan->modulus[i].ring);
    alloc_free(atomic_load(&plan->spare));
    free(plan);
}

uint64_t gfmul_ntt_root(const struct gfmul_ntt *plan)
{
    return gfmul_ntt_root_rns(plan, 0);
}

uint64_t gfmul_ntt_root_rns(const struct gfmul_ntt *plan, size_t i)
{
    return plan != NULL && i < plan->moduli ? plan->modulus[i].prime.generator : 0;
}

size_t gfmul_ntt_frequency(const struct gfmul_ntt *plan, size_t place)
{
    if (plan == NULL || place >= plan->n || plan->opt.order == GFMUL_FFT_NATURAL)
        return place;
    return prime_ring_place(place, plan->odd, plan->levels, plan->opt.negacyclic != 0);
}

/* ---- order ---- */

static size_t bits_reverse(size_t k, unsigned bits)
{
    size_t r = 0;
    for (unsigned b = 0; b < bits; b++)
        r |= (k >> b & 1) << (bits - 1 - b);
    return r;
}

/*
 * reorder - copy between natural[prime_ring_place(k)] and permuted[k]: from permuted to natural, or back.
 *
 * It works on tiles of 2^q by 2^q places, which lie in 2^q cache lines on both sides.
 */
static void reorder(const struct gfmul_ntt *plan, uint64_t *to, const uint64_t *from, bool to_natural)
{
    const unsigned levels = plan->levels, q = levels / 2 < TILE_BITS ? levels / 2 : TILE_BITS, high = levels - q;
    const size_t m = (size_t)1 << levels, side = (size_t)1 << q, n = plan->n, odd = plan->odd;
    const size_t offset = plan->opt.negacyclic ? (odd - 1) / 2 : 0;
    for (size_t middle = 0; middle < m >> (2 * q); middle++) {
        const size_t reversed = bits_reverse(middle, levels - 2 * q) << q;
        for (size_t t = 0; t < odd; t++)
            for (size_t a = 0; a < side; a++)
                for (size_t b = 0; b < side; b++) {
                    const size_t place = t * m + (a << high | middle << q | b);
                    const size_t f = t + odd * (bits_reverse(b, q) << high | reversed | bits_reverse(a, q)) + offset;
                    const size_t natural = f >= n ? f - n : f;
                    if (to_natural)
                        to[natural] = from[place];
                    else
                        to[place] = from[natural];
                }
    }
}

/* ---- runs ---- */

/* ring_run - transform in x, aligned, which may be `out` or `in`; backwards the result is in `out`. */
static bool ring_run(const struct gfmul_ntt *plan, const struct prime_ring *r, uint64_t *out, const uint64_t *in, uint64_t *x,
                     bool backward, unsigned threads)
{
    return backward ? r->ops->ring_words_back(r, out, x, in, plan->opt.scale != 0, threads)
                    : r->ops->ring_words_forward(r, x, in, threads);
}

/* transform_run - transform `task` of a batch, modulus by modulus.   work  out  n words; NULL: not needed */
static enum gfmul_status transform_run(const struct gfmul_ntt *plan, size_t task, uint64_t *out, const uint64_t *in,
                                       uint64_t *work, bool backward, unsigned threads)
{
    const size_t modulus = task % plan->moduli, at = task / plan->moduli * plan->opt.dist + modulus * plan->n;
    out += at;
    in += at;
    const bool natural = plan->opt.order == GFMUL_FFT_NATURAL;
    uint64_t *x = work != NULL ? work : out;
    if (natural && backward) {
        reorder(plan, x, in, false);
        in = x;
    }
    if (!ring_run(plan, plan->modulus[modulus].ring, out, in, x, backward, threads))
        return GFMUL_ERR_ARGUMENT;
    if (natural && !backward)
        reorder(plan, out, x, true);
    else if (x != out && !backward)
        memcpy(out, x, plan->n * sizeof *out);
    return GFMUL_OK;
}

/* needs_work - whether a transform cannot run in the caller's memory. */
static bool needs_work(const struct gfmul_ntt *plan, const uint64_t *out)
{
    const size_t bytes = plan->opt.batch > 1 ? plan->opt.dist * sizeof *out : 0;
    bool vectors = false; /* their lengths are multiples of the alignment */
    for (size_t i = 0; i < plan->moduli; i++)
        vectors = vectors || plan->modulus[i].ring->ops->width > 1;
    return plan->opt.order == GFMUL_FFT_NATURAL ||
           (vectors && ((uintptr_t)out % VECTOR_ALIGNMENT != 0 || bytes % VECTOR_ALIGNMENT != 0));
}

/* spare_take - a workspace of this many words; NULL: no memory. */
static struct spare *spare_take(struct gfmul_ntt *plan, size_t words)
{
    struct spare *spare = atomic_exchange(&plan->spare, NULL);
    if (spare == NULL || spare->words < words) {
        alloc_free(spare);
        spare = alloc_aligned(sizeof *spare + words * sizeof(uint64_t));
        if (spare != NULL)
            spare->words = words;
    }
    return spare;
}

/* Transforms that threads take; each thread has its own workspace. */
struct batch_work {
    const struct gfmul_ntt *plan;
    uint64_t *out;
    const uint64_t *in;
    uint64_t *work; /* or NULL */
    bool backward;
    atomic_int status;
};

static void tasks_run(void *arg, unsigned t, size_t first, size_t end)
{
    struct batch_work *const w = arg;
    for (size_t i = first; i < end; i++) {
        const enum gfmul_status one =
            transform_run(w->plan, i, w->out, w->in, w->work != NULL ? w->work + t * w->plan->n : NULL, w->backward, 1);
        if (one != GFMUL_OK)
            atomic_store(&w->status, (int)one);
    }
}

static enum gfmul_status batch_run(const struct gfmul_ntt *plan, uint64_t *out, const uint64_t *in, uint64_t *work, bool backward)
{
    const size_t tasks = plan->opt.batch * plan->moduli;
    const unsigned threads = plan->n < parallel_points / tasks ? 1 : threads_available(plan->opt.threads);
    const unsigned outer = tasks < threads ? (unsigned)tasks : threads;
    if (tasks == 1)
        return transform_run(plan, 0, out, in, work, backward, threads);
    struct batch_work w = {plan, out, in, work, backward, GFMUL_OK};
    parallel_for(outer, tasks, 1, tasks_run, &w);
    return (enum gfmul_status)atomic_load(&w.status);
}

static enum gfmul_status run(const struct gfmul_ntt *plan, uint64_t *out, const uint64_t *in, bool backward)
{
    size_t words;
    if (plan == NULL || out == NULL || in == NULL || (uintptr_t)out % sizeof *out != 0 || (uintptr_t)in % sizeof *in != 0)
        return GFMUL_ERR_ARGUMENT;
    if (!words_of(plan, &words))
        return GFMUL_ERR_SIZE;
    if (in != out && bytes_overlap(in, words * sizeof *in, out, words * sizeof *out))
        return GFMUL_ERR_OVERLAP;
    ROUND_TO_NEAREST;
    if (!needs_work(plan, out))
        return batch_run(plan, out, in, NULL, backward);
    struct gfmul_ntt *shared = (struct gfmul_ntt *)(uintptr_t)plan; /* only its spare workspace changes, atomically */
    const unsigned available = threads_available(plan->opt.threads);
    const size_t tasks = plan->opt.batch * plan->moduli;
    struct spare *spare = spare_take(shared, plan->n * (tasks < available ? tasks : available));
    if (spare == NULL)
        return GFMUL_ERR_MEMORY;
    const enum gfmul_status status = batch_run(plan, out, in, spare->memory, backward);
    alloc_free(atomic_exchange(&shared->spare, spare));
    return status;
}

enum gfmul_status gfmul_ntt_forward(const struct gfmul_ntt *plan, uint64_t *out, const uint64_t *in)
{
    return run(plan, out, in, false);
}

enum gfmul_status gfmul_ntt_backward(const struct gfmul_ntt *plan, uint64_t *out, const uint64_t *in)
{
    return run(plan, out, in, true);
}

enum gfmul_status gfmul_ntt_multiply(const struct gfmul_ntt *plan, uint64_t *z, const uint64_t *x, const uint64_t *y)
{
    size_t words;
    if (plan == NULL || z == NULL || x == NULL || y == NULL || (uintptr_t)z % sizeof *z != 0 || (uintptr_t)x % sizeof *x != 0 ||
        (uintptr_t)y % sizeof *y != 0)
        return GFMUL_ERR_ARGUMENT;
    if (!words_of(plan, &words))
        return GFMUL_ERR_SIZE;
    if ((z != x && bytes_overlap(z, words * sizeof *z, x, words * sizeof *x)) ||
        (z != y && bytes_overlap(z, words * sizeof *z, y, words * sizeof *y)))
        return GFMUL_ERR_OVERLAP;
    ROUND_TO_NEAREST;
    bool good = true;
    for (size_t b = 0; b < plan->opt.batch; b++)
        for (size_t i = 0; i < plan->moduli; i++) {
            const struct prime_ring *r = plan->modulus[i].ring;
            const size_t at = b * plan->opt.dist + i * plan->n;
            good = r->ops->ring_words_mul(r, z + at, x + at, y + at, plan->n) && good;
        }
    return good ? GFMUL_OK : GFMUL_ERR_ARGUMENT;
}
