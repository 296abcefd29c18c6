/*
 * t-ocl_chunks.c - carries from chunk to chunk on an OpenCL device: maps of groups of chunks, chunks by themselves, products.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "operands.h"
#include "plan/plan_device.h"
#include "test.h"

/* test_plan_groups - maps of groups belong to long products alone, and have their room behind those of chunks. */
static void test_plan_groups(void)
{
    static const size_t limbs[] = {1000, 100000, 1000000, 10000000, 100000000}; /* or 4 characters each */
    const struct device_limits limits = {49152, 1024, 0, 0, 0, {0, 0, 0}};
    for (unsigned i = 0; i < sizeof limbs / sizeof limbs[0]; i++)
        for (unsigned base = 2; base <= 10; base += 8) {
            const size_t size = base == 2 ? 64 * limbs[i] : 4 * limbs[i];
            const struct plan_request request = {
                .rule = GFMUL_RULE_NORM, .precision = GFMUL_PRECISION_DOUBLE, .base = base, .an = size, .bn = size, .fma = true};
            struct plan_shape shape;
            struct device_buffers b;
            char detail[200];
            test_note("base %u, %zu", base, size);
            if (!TEST_OK(plan_device_size(&shape, &request, &limits, detail, sizeof detail)))
                continue;
            device_shape_buffers(&shape, &b);
            TEST_CHECK_MSG(shape.device.group_maps == (b.chunks >= 131072), "%zu chunks: %d", b.chunks, shape.device.group_maps);
            TEST_CHECK(limbs[i] <= 1000000 ? !shape.device.group_maps
                                           : limbs[i] < 100000000 || base != 2 || shape.device.group_maps);
            TEST_CHECK(b.maps >= (shape.device.group_maps ? b.chunks + b.chunks / 256 : b.chunks));
            TEST_CHECK(b.maps <= b.chunks + 256 + b.chunks / 256 + 32);
            shape.device.group_maps = true;
            device_shape_buffers(&shape, &b);
            TEST_CHECK(b.groups_at % 256 == 0 && b.groups_at >= b.chunks && b.maps % 16 == 0);
            TEST_CHECK(b.maps >= b.groups_at + (b.chunks + 255) / 256);
        }
    /* no more than 2^22 groups of the first pass, what kernels/status.cl has words for: of 16 points each here */
    const struct plan_request request = {.rule = GFMUL_RULE_NORM, .base = 2, .an = 64, .bn = 64, .fma = true};
    struct plan_shape shape;
    TEST_CHECK(plan_device_parse(&shape, &request, "8/8/2,16.16.16/256/4,16.16.8/256/1", 10, NULL, 0) != GFMUL_ERR_ARGUMENT);
    TEST_CHECK(plan_device_parse(&shape, &request, "8/8/2,16.16.16/256/4,16.16.16/256/1", 10, NULL, 0) == GFMUL_ERR_ARGUMENT);
}

/* test_plan_ends - no plan has more than kernels count: 2^31 characters, 2^32 words, zeros behind the product among them. */
static void test_plan_ends(void)
{
    const struct device_limits limits = {49152, 1024, 0, 0, 0, {0, 0, 0}};
    for (unsigned base = 2; base <= 10; base += 8) {
        const double end = base == 2 ? 0x1p37 : 0x1p31; /* of the product, bits or characters */
        unsigned refused = 0, made = 0;
        for (double share = 0.1; share < 0.9; share += 0.05) {
            const double size = share * end;
            struct plan_request request = {
                .rule = GFMUL_RULE_NORM, .precision = GFMUL_PRECISION_DOUBLE, .base = base, .fma = true};
            struct plan_shape shape;
            request.an = request.bn = (size_t)size;
            test_note("base %u, %.0f by as many", base, size);
            if (plan_device_size(&shape, &request, &limits, NULL, 0) != GFMUL_OK) {
                refused++;
                continue;
            }
            made++;
            TEST_CHECK_MSG((double)shape.transform.n_digits * shape.digits.exponent < end && 2 * size < end, "%zu digits of %u",
                           shape.transform.n_digits, shape.digits.exponent);
        }
        TEST_CHECK_MSG(made > 0 && refused > 0, "base %u: %u plans, %u refused", base, made, refused);
    }
}

#ifndef HAVE_OPENCL
int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_plan_groups);
    TEST_RUN(test_plan_ends);
    return test_end();
}
#else
#include "kernel_test.h"
#include "ocl/ocl_buffer.h"
#include "ocl/ocl_chunks.h"
#include "ocl/ocl_program.h"
#include "pipeline_test.h"

/* A carry through a map of kernels/carry_map.cl: three carries out plus 1, in two bits each. */
static int through_map(unsigned map, int carry)
{
    return (int)(map >> (2 * (carry + 1)) & 3) - 1;
}

/* chunks_shape - as much of a shape as carries from chunk to chunk need: one block a chunk. */
static struct plan_shape chunks_shape(size_t chunks, bool group_maps)
{
    struct plan_shape s;
    memset(&s, 0, sizeof s);
    s.transform.n_points = 16 * chunks;
    s.transform.n_digits = 2 * s.transform.n_points;
    s.device.inverse[0].columns = 16;
    s.device.block_digits = 32;
    s.device.chunk_blocks = 1;
    s.device.group_maps = group_maps;
    return s;
}

/* slice_end - the end of a slice of chunks that begins at `first`: it is a whole number of groups, or that of the last one. */
static size_t slice_end(size_t first, size_t chunks, bool slices)
{
    const size_t end = first + 256 * test_size(1, chunks / 256 + 1);
    return slices && end < chunks ? end : chunks;
}

/* compose_check - random maps, most of them identities, in one launch or in slices: each group's map, and nothing else. */
static void compose_check(cl_kernel k, size_t chunks, bool slices)
{
    const struct plan_shape s = chunks_shape(chunks, true);
    struct device_buffers b;
    device_shape_buffers(&s, &b);
    unsigned char *maps = test_alloc(2 * b.maps), *seen = maps + b.maps;
    const bool few = test_below(2);
    cl_mem m;
    memset(maps, 0x5a, b.maps);
    for (size_t i = 0; i < chunks; i++) {
        const unsigned a = (unsigned)test_below(3), c = (unsigned)test_below(3), e = (unsigned)test_below(3);
        maps[i] = test_below(few ? 1000 : 4) ? 0x24 : (unsigned char)(a | c << 2 | e << 4);
    }
    must(ocl_buffer_get(OCL_ON(device, detail), b.maps, &m));
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){m, 0, b.maps}, maps, 1, OCL_AFTER_QUEUE));
    for (size_t first = 0; first < chunks;) {
        const size_t end = slice_end(first, chunks, slices), items = (end - first + 4095) / 4096 * 256;
        const struct ocl_range range = {1, {first / 16}, {items}, {256}};
        const cl_uint chunks_end = (cl_uint)end, groups_at = (cl_uint)b.groups_at;
        must(ocl_args(OCL_ON(device, detail), k, OCL_ARG(m), OCL_ARG(chunks_end), OCL_ARG(groups_at), OCL_END));
        must(ocl_launch(OCL_ON(device, detail), k, "chunks_compose", range, 0));
        first = end;
    }
    must(ocl_download(OCL_ON(device, detail), seen, (struct ocl_span){m, 0, b.maps}, 1, OCL_AFTER_QUEUE));
    for (size_t g = 0; (g + 1) * 256 <= chunks; g++) {
        unsigned map = 0;
        for (int in = -1; in <= 1; in++) {
            int carry = in;
            for (size_t i = 256 * g; i < 256 * (g + 1); i++)
                carry = through_map(maps[i], carry);
            map |= (unsigned)(carry + 1) << (2 * (in + 1));
        }
        maps[b.groups_at + g] = (unsigned char)map;
    }
    size_t at = 0;
    while (at < b.maps && seen[at] == maps[at])
        at++;
    test_note("%zu chunks%s%s", chunks, slices ? " in slices" : "", few ? ", few maps that are not the identity" : "");
    TEST_CHECK_MSG(at == b.maps, "byte %zu is %02x, should be %02x; groups from %zu on", at, seen[at], maps[at], b.groups_at);
    ocl_buffer_put(device, m);
    free(maps);
}

static void test_compose(void)
{
    static const size_t chunks[] = {1, 15, 16, 255, 256, 257, 2000, 4095, 4096, 4097, 4352, 8192, 10000, 65536, 66000, 300001};
    cl_kernel k;
    if (!device_there())
        return;
    ocl_device_lock(device);
    must(ocl_kernel_get(OCL_ON(device, detail), "chunks_compose.cl", "chunks_compose", "-DSCAN_ITEMS=256", &k));
    for (unsigned i = 0; i < sizeof chunks / sizeof chunks[0]; i++)
        for (unsigned round = 0; round < 4; round++)
            compose_check(k, chunks[i], round % 2 == 1);
    ocl_kernel_put(device, k);
    ocl_device_unlock(device);
}

/* Chunks of random numbers, or of all ones and all zeros, with the carries that come out of them. */
enum chunk_kind { ALL_ONES, ALL_ZEROS, LONG_RUNS, RUNS, RANDOM_CHUNKS, CHUNK_KINDS };

/* A number in chunks of `size` digits of a base, 32 bits at most, as it is before the carries between them. */
struct chunked {
    bool text;
    size_t chunks, size;
    uint64_t base;
    uint32_t *digit; /* least significant first */
    signed char *out;
};

static void chunked_fill(struct chunked *c, enum chunk_kind kind)
{
    size_t run = 0;
    unsigned what = 0; /* the run's chunks: 0 zeros, 1 ones, 2 random */
    bool first = true;
    for (size_t i = 0; i < c->chunks; i++, run--) {
        if (run == 0) {
            run = kind == RANDOM_CHUNKS ? 1 : kind == RUNS ? test_size(1, 600) : kind == LONG_RUNS ? test_size(1, c->chunks) : 0;
            if (run == 0)
                run = c->chunks;
            what = kind == ALL_ONES ? 1 : kind == ALL_ZEROS ? 0 : (unsigned)test_below(3);
            first = true;
        }
        for (size_t j = 0; j < c->size; j++)
            c->digit[i * c->size + j] = (uint32_t)(what == 0 ? 0 : what == 1 ? c->base - 1 : test_below(c->base));
        /* ones with a carry of 1 out, or zeros with one of -1, would let two of them out */
        c->out[i] = !first ? 0 : what == 0 ? (int)test_below(2) : what == 1 ? -(int)test_below(2) : (int)test_below(3) - 1;
        if (i == 0 && kind <= ALL_ZEROS) { /* what runs to the end */
            c->out[0] = kind == ALL_ONES ? 1 : -1;
            c->digit[0] = 1;
        }
        first = false;
    }
}

/* chunked_map - of chunk i, from its digits and the carry out of it. */
static unsigned chunked_map(const struct chunked *c, size_t i)
{
    bool ones = true, zeros = true;
    for (size_t j = 0; j < c->size; j++) {
        ones = ones && c->digit[i * c->size + j] == c->base - 1;
        zeros = zeros && c->digit[i * c->size + j] == 0;
    }
    return (unsigned)(c->out[i] + 1 - zeros) | (unsigned)(c->out[i] + 1) << 2 | (unsigned)(c->out[i] + 1 + ones) << 4;
}

/* chunked_carry - the same number with carries, digit by digit. */
static void chunked_carry(struct chunked *c)
{
    int into = 0;
    for (size_t i = 0; i < c->chunks; i++) {
        int carry = into;
        for (size_t j = 0; j < c->size; j++) {
            const int64_t v = (int64_t)c->digit[i * c->size + j] + carry;
            carry = v < 0 ? -1 : v >= (int64_t)c->base ? 1 : 0;
            c->digit[i * c->size + j] = (uint32_t)(v - carry * (int64_t)c->base);
        }
        into = c->out[i] + carry;
    }
}

/* chunked_write - its lowest n digits, as words or as text. */
static void chunked_write(const struct chunked *c, void *to, size_t n)
{
    if (!c->text)
        memcpy(to, c->digit, n * sizeof *c->digit);
    for (size_t i = 0; c->text && i < n; i++)
        ((char *)to)[n - 1 - i] = (char)('0' + c->digit[i]);
}

/* carry_check - chunks_carry by itself, or behind chunks_compose, against carrying digit by digit. */
static void carry_check(const struct ocl_chunks *k, struct chunked *c, enum chunk_kind kind, bool group_maps, bool slices)
{
    static const char *const names[] = {"ones", "zeros", "long runs", "runs", "random chunks"};
    const struct plan_shape s = chunks_shape(c->chunks, group_maps);
    const size_t n = c->chunks * c->size - test_below(c->size), bytes = n * (c->text ? 1 : sizeof(uint32_t));
    const size_t status_bytes = OCL_STATUS_WORDS * sizeof(cl_uint);
    struct device_buffers b;
    struct ocl_work work;
    struct ocl_number z = {NULL, (uint32_t)n};
    device_shape_buffers(&s, &b);
    unsigned char *maps = test_alloc(b.maps), *seen = test_alloc(2 * bytes), *want = seen + bytes;
    cl_uint *cleared = test_alloc(status_bytes), uncleared = 0;
    memset(maps, 0x15, b.maps); /* what nobody has made: constant */
    chunked_fill(c, kind);
    for (size_t i = 0; i < c->chunks; i++)
        maps[i] = (unsigned char)chunked_map(c, i);
    memset(&work, 0, sizeof work);
    must(ocl_buffer_get(OCL_ON(device, detail), b.maps, &work.maps));
    for (unsigned i = 0; i < 2; i++) {
        must(ocl_buffer_get(OCL_ON(device, detail), status_bytes, &work.status[i]));
        must(ocl_fill(OCL_ON(device, detail), (struct ocl_span){work.status[i], 0, status_bytes}, "\x5a", 1));
    }
    must(ocl_buffer_get(OCL_ON(device, detail), bytes, &z.words));
    chunked_write(c, seen, n);
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){work.maps, 0, b.maps}, maps, 1, OCL_AFTER_QUEUE));
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){z.words, 0, bytes}, seen, 1, OCL_AFTER_QUEUE));
    for (size_t first = 0; first < c->chunks;) {
        const size_t end = slice_end(first, c->chunks, slices);
        must(ocl_chunks_carry(OCL_ON(device, detail), k, &s, &work, z, first, end));
        first = end;
    }
    must(ocl_download(OCL_ON(device, detail), seen, (struct ocl_span){z.words, 0, bytes}, 1, OCL_AFTER_QUEUE));
    must(ocl_download(OCL_ON(device, detail), cleared, (struct ocl_span){work.status[1], 0, status_bytes}, 1, OCL_AFTER_QUEUE));
    chunked_carry(c);
    chunked_write(c, want, n);
    size_t at = 0;
    while (at < bytes && seen[at] == want[at])
        at++;
    for (size_t i = 0; i < OCL_STATUS_WORDS; i++)
        uncleared += cleared[i] != 0;
    test_note("%zu chunks of %s, %s%s%s", c->chunks, c->text ? "text" : "limbs", names[kind],
              group_maps ? ", maps of groups" : "", slices ? ", in slices" : "");
    TEST_CHECK_MSG(at == bytes, "byte %zu of %zu is %02x, should be %02x", at, bytes, seen[at], want[at]);
    TEST_CHECK_MSG(uncleared == 0, "%u words of the next product's figures are not zero", uncleared);
    ocl_buffer_put(device, z.words);
    ocl_buffer_put(device, work.status[1]);
    ocl_buffer_put(device, work.status[0]);
    ocl_buffer_put(device, work.maps);
    free(cleared);
    free(seen);
    free(maps);
}

/* test_chunks - below, at and above groups of chunks, groups of groups, and what is looked back over at once: 2^20 chunks. */
static void test_chunks(void)
{
    static const size_t chunks[] = {1, 256, 257, 4096, 4100, 8191, 20000, 70001, 1048576, 1200001};
    static const char *const file[2] = {"chunks_carry.cl", "text_chunks_carry.cl"};
    static const char *const name[2] = {"chunks_carry", "text_chunks_carry"};
    const size_t small = test_longest_tier() ? 70001 : 20000, large = test_longest_tier() ? SIZE_MAX : 70001;
    if (!device_there())
        return;
    ocl_device_lock(device);
    for (unsigned text = 0; text < 2; text++)
        for (unsigned groups = 0; groups < 2; groups++) {
            struct ocl_chunks k = {NULL, NULL};
            char options[200];
            snprintf(options, sizeof options,
                     "-DPOINTS=16 -DCOLUMNS=16 -DDIGIT_BITS=%u -DDECIMAL=%u -DBLOCK_DIGITS=32 -DCHUNK_BLOCKS=1 -DTILE_ROWS=8 "
                     "-DSCAN_ITEMS=256 -DGROUP_MAPS=%u",
                     text ? 4 : 2, text, groups);
            must(ocl_kernel_get(OCL_ON(device, detail), file[text], name[text], options, &k.carry));
            must(ocl_kernel_get(OCL_ON(device, detail), "chunks_compose.cl", "chunks_compose", "-DSCAN_ITEMS=256", &k.compose));
            for (unsigned i = 0; i < sizeof chunks / sizeof chunks[0]; i++) {
                struct chunked c = {text, chunks[i], text ? 32 : 2, text ? 10 : (uint64_t)1 << 32, NULL, NULL};
                if (chunks[i] > (!groups ? small : text ? large : SIZE_MAX)) /* their square; many characters */
                    continue;
                c.digit = test_alloc(c.chunks * c.size * sizeof *c.digit);
                c.out = test_alloc(c.chunks);
                for (unsigned kind = 0; kind < CHUNK_KINDS; kind++)
                    for (unsigned slices = 0; slices < 2; slices++)
                        carry_check(&k, &c, kind, groups, slices);
                free(c.out);
                free(c.digit);
            }
            ocl_kernel_put(device, k.compose);
            ocl_kernel_put(device, k.carry);
        }
    ocl_device_unlock(device);
}

/* One pipeline whose carries look back over maps of groups, for limbs or for text. */
struct machine {
    struct plan_shape shape;
    struct ocl_pipeline *pipeline;
    struct ocl_work work;
    struct ocl_number a, b, z;
    size_t room; /* bytes of an operand */
};

/* machine_begin - chunks of one block: as many as there can be. */
static void machine_begin(struct machine *m, const char *text, unsigned base, unsigned exponent)
{
    struct plan_request request = {.rule = GFMUL_RULE_NORM, .base = base, .fma = true, .max_radix = 8, .worst_case = true};
    request.precision = GFMUL_PRECISION_DOUBLE;
    memset(m, 0, sizeof *m);
    request.an = request.bn = 64;
    must(plan_device_parse(&m->shape, &request, text, exponent, detail, sizeof detail));
    const size_t digits = m->shape.transform.n_points - 1;
    m->room = base == 2 ? digits * exponent / 64 * 8 : digits * exponent;
    request.an = request.bn = base == 2 ? 8 * m->room : m->room;
    must(plan_device_parse(&m->shape, &request, text, exponent, detail, sizeof detail));
    device_shape_carry(&m->shape, base == 2 ? 1 : 0, 0);
    m->shape.device.group_maps = true;
    must(pipeline_create(OCL_ON(device, detail), &m->pipeline, &m->shape));
    must(ocl_work_get(OCL_ON(device, detail), &m->shape, &m->work, false));
    must(ocl_buffer_get(OCL_ON(device, detail), m->room, &m->a.words));
    must(ocl_buffer_get(OCL_ON(device, detail), m->room, &m->b.words));
    must(ocl_buffer_get(OCL_ON(device, detail), 2 * m->room, &m->z.words));
}

/* machine_mul - a product of operands of so many bytes, in slices; unit: bytes of a word or a character. */
static void machine_mul(struct machine *m, void *z, const void *a, size_t an, const void *b, size_t bn, size_t unit,
                        unsigned slices)
{
    m->a.n_words = (uint32_t)(an / unit);
    m->b.n_words = (uint32_t)(bn / unit);
    m->z.n_words = (uint32_t)((an + bn) / unit);
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){m->a.words, 0, an}, a, 1, OCL_AFTER_QUEUE));
    must(ocl_upload(OCL_ON(device, detail), (struct ocl_span){m->b.words, 0, bn}, b, 1, OCL_AFTER_QUEUE));
    must(ocl_fill(OCL_ON(device, detail), (struct ocl_span){m->work.maps, 0, 16}, "\x15",
                  1)); /* what the product before left is no help */
    must(ocl_pipeline_forward(OCL_ON(device, detail), m->pipeline, &m->work, m->a, m->b));
    must(ocl_pipeline_rows(OCL_ON(device, detail), m->pipeline, &m->work));
    for (unsigned slice = 0; slice < slices; slice++)
        must(ocl_pipeline_limbs(OCL_ON(device, detail), m->pipeline, &m->work, m->z, slice, slices));
    must(ocl_download(OCL_ON(device, detail), z, (struct ocl_span){m->z.words, 0, an + bn}, 1, OCL_AFTER_QUEUE));
}

/* slices_of - 1, as many as there can be, or any number between. */
static unsigned slices_of(const struct machine *m, unsigned round)
{
    const unsigned most = ocl_pipeline_parts_max(m->pipeline);
    return round % 3 == 0 ? 1 : round % 3 == 1 ? most : (unsigned)test_size(1, most);
}

/* test_limbs - products through maps of groups against GMP's: a multiple of 16 groups, two odd factors, one group and a part. */
static void test_limbs(void)
{
    static const struct {
        const char *text;
        unsigned l;
    } shapes[] = {{"9.5.2/18/8/s,8.8/8/1", 13}, {"16.16.8/128/4/s,8.8/8/1", 12}, {"9.4/4/16/s,16.8/8/8/s,8.8/8/1", 11}};
    static const enum operand_kind kinds[] = {OPERAND_ONES,        OPERAND_RUNS,       OPERAND_BLOCKS,
                                              OPERAND_POWER_MINUS, OPERAND_POWER_PLUS, OPERAND_RANDOM,
                                              OPERAND_BIT,         OPERAND_ONES_LESS,  OPERAND_DIGITS_CHAIN};
    const unsigned n_kinds = sizeof kinds / sizeof kinds[0];
    if (!device_there())
        return;
    ocl_device_lock(device);
    for (size_t i = 0; i < test_tier(2, 3, 3); i++) { /* each is compiled */
        struct machine m;
        machine_begin(&m, shapes[i].text, 2, shapes[i].l);
        mp_limb_t *a = test_alloc(6 * m.room), *b = a + m.room / 8, *z = b + m.room / 8, *want = z + m.room / 4;
        for (unsigned round = 0; round < 3 * n_kinds; round++) {
            const enum operand_kind ka = kinds[round / 3], kb = round % 3 < 2 ? ka : kinds[test_below(n_kinds)];
            const size_t an = m.room / 8 - test_below(30), bn = round % 2 ? m.room / 8 : test_size(1, an);
            const unsigned slices = slices_of(&m, round);
            operand_fill(a, an, ka, shapes[i].l, test_u64());
            operand_fill(b, bn, kb, shapes[i].l, test_u64());
            machine_mul(&m, z, a, 8 * an, b, 8 * bn, 4, slices);
            if (an >= bn)
                mpn_mul(want, a, (mp_size_t)an, b, (mp_size_t)bn);
            else
                mpn_mul(want, b, (mp_size_t)bn, a, (mp_size_t)an);
            test_note("%s, %s times %s, an=%zu bn=%zu, %u slices", shapes[i].text, operand_name(ka), operand_name(kb), an, bn,
                      slices);
            test_equal_limbs(z, want, an + bn);
        }
        /* (1 + B + B^2) times digits (B - 1) / 3, the lowest one more: a carry of 1 from the bottom to the top */
        const size_t n = m.room / 8;
        const unsigned l = shapes[i].l % 2 == 0 ? shapes[i].l : 2 * shapes[i].l;
        for (unsigned round = 0; round < 3; round++) {
            a[0] = 1 + ((mp_limb_t)1 << l) + ((mp_limb_t)1 << (2 * l));
            memset(b, 0x55, 8 * n);
            b[0]++;
            machine_mul(&m, z, a, 8, b, 8 * n, 4, slices_of(&m, round));
            mpn_mul(want, b, (mp_size_t)n, a, 1);
            test_note("%s, a carry through all, round %u", shapes[i].text, round);
            test_equal_limbs(z, want, n + 1);
        }
        free(a);
        pipeline_end(device, m.pipeline, &m.work, m.a.words, m.b.words, m.z.words);
    }
    ocl_device_unlock(device);
}

/* test_text - the same of decimal text. */
static void test_text(void)
{
    static const char passes[] = "16.16.4/64/8/s,8.8/8/1";
    enum { EXPONENT = 3 };
    struct machine m;
    if (!device_there())
        return;
    ocl_device_lock(device);
    machine_begin(&m, passes, 10, EXPONENT);
    char *a = test_alloc(4 * m.room + 4), *b = a + m.room + 1, *z = b + m.room + 1;
    for (unsigned kind = 0; kind <= TEXT_KINDS; kind++)
        for (unsigned round = 0; round < 3; round++) {
            const size_t an = m.room - test_below(100), bn = round ? m.room : test_size(1, m.room);
            const unsigned slices = slices_of(&m, round);
            mpz_t x, y;
            if (kind < TEXT_KINDS) {
                text_fill(a, an, kind, 10, EXPONENT, test_u64());
                text_fill(b, bn, round < 2 ? (enum text_kind)kind : TEXT_NINES, 10, EXPONENT, test_u64());
            } else { /* 3 times 3 .. 34: every digit 9, and a carry of 1 that runs through all of them */
                memset(a, '0', an);
                a[an - 1] = '3';
                memset(b, '3', bn);
                b[bn - 1] = '4';
            }
            a[an] = b[bn] = '\0';
            mpz_init_set_str(x, a, 10);
            mpz_init_set_str(y, b, 10);
            mpz_mul(x, x, y);
            char *want = test_alloc(an + bn + 1), *digits = mpz_get_str(NULL, 10, x);
            memset(want, '0', an + bn);
            memcpy(want + (an + bn - strlen(digits)), digits, strlen(digits));
            machine_mul(&m, z, a, an, b, bn, 1, slices);
            test_note("text, %s, an=%zu bn=%zu, %u slices", kind < TEXT_KINDS ? text_kind_name(kind) : "nines with a carry", an,
                      bn, slices);
            test_equal_text(z, want, an + bn);
            free(digits);
            free(want);
            mpz_clear(x);
            mpz_clear(y);
        }
    free(a);
    pipeline_end(device, m.pipeline, &m.work, m.a.words, m.b.words, m.z.words);
    ocl_device_unlock(device);
}

int main(int argc, char **argv)
{
    const bool have_device = ocl_test_begin();
    ocl_test_keep();
    test_begin(argc, argv);
    TEST_RUN(test_plan_groups);
    TEST_RUN(test_plan_ends);
    if (have_device) {
        TEST_RUN(test_compose);
        TEST_RUN_LONG(test_chunks);
        TEST_RUN_LONG(test_limbs);
        TEST_RUN_LONG(test_text);
        ocl_device_close(device);
    }
    return ocl_test_end();
}
#endif
