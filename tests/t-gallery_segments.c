/*
 * t-gallery_segments.c - the segments of memory that 32 work-items of each OpenCL row of the gallery touch, against the patterns.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A segment has 128 bytes.  Each read or write of a kernel is one access of all items of a warp of 32.  Its places are those of
 * kernels/gallery/places.cl, which the kernels include, too.  Points have 16 bytes; a transform has 2^16 of them.
 */
#include "test.h"

typedef uint32_t uint;
#define INLINE static inline
#include "../kernels/gallery/places.cl"

enum { LOG2_N = 16, N = 1 << LOG2_N, WARP = 32, POINT_BYTES = 16, SEGMENT_BYTES = 128 };

/* Accesses of one warp: add_access counts the segments of one place for each item. */
static unsigned segments_of(const uint *place)
{
    unsigned count = 0;
    for (unsigned i = 0; i < WARP; i++) {
        bool seen = false;
        TEST_CHECK_MSG(place[i] < N, "place %u", place[i]);
        for (unsigned j = 0; j < i; j++)
            seen = seen || place[i] * POINT_BYTES / SEGMENT_BYTES == place[j] * POINT_BYTES / SEGMENT_BYTES;
        count += !seen;
    }
    return count;
}

/* The kernels' accesses: a place for work-item i.  s: the stage; for groups of rows launched repeatedly: the launch. */
typedef uint access_place(uint i, uint s);

static uint in_order(uint i, uint s)
{
    (void)s;
    return i;
}
static uint pair_first(uint i, uint s)
{
    (void)s;
    return 2 * i;
}
static uint pair_second(uint i, uint s)
{
    (void)s;
    return 2 * i + 1;
}
static uint half_behind(uint i, uint s)
{
    (void)s;
    return i + N / 2;
}
static uint at_reversed(uint i, uint s)
{
    (void)s;
    return reversed(i, LOG2_N);
}
static uint at_rotated(uint i, uint s)
{
    (void)s;
    return place_rotated(i, LOG2_N);
}
static uint low(uint i, uint s)
{
    return place_butterfly(i, s);
}
static uint high(uint i, uint s)
{
    return place_butterfly(i, s) + (1u << s);
}
static uint ladder_read_low(uint i, uint s)
{
    return reversed(place_textbook(i, 1u << s), LOG2_N);
}
static uint ladder_read_high(uint i, uint s)
{
    return reversed(place_textbook(i, 1u << s) + (1u << s), LOG2_N);
}
static uint ladder_write_low(uint i, uint s)
{
    return place_ladder(place_textbook(i, 1u << s), LOG2_N, s);
}
static uint ladder_write_high(uint i, uint s)
{
    return place_ladder(place_textbook(i, 1u << s) + (1u << s), LOG2_N, s);
}

/* Two launches of 256 points: groups of 128 items (`local`, `register_s2`), or 16 items of 16 values each (`register_sp`). */
enum { LOG2_K = 8, ITEMS = 128, SP_ITEMS = 16 };
static uint group_read_low(uint i, uint s)
{
    (void)s;
    return place_input(i / ITEMS, i % ITEMS, LOG2_N - LOG2_K);
}
static uint group_read_high(uint i, uint s)
{
    (void)s;
    return place_input(i / ITEMS, i % ITEMS + ITEMS, LOG2_N - LOG2_K);
}
static uint local_write_low(uint i, uint s)
{
    return place_output(i / ITEMS, i % ITEMS, s * LOG2_K, LOG2_K);
}
static uint local_write_high(uint i, uint s)
{
    return place_output(i / ITEMS, i % ITEMS + ITEMS, s * LOG2_K, LOG2_K);
}
static uint s2_write_low(uint i, uint s)
{
    return place_output(i / ITEMS, reversed(i % ITEMS, LOG2_K - 1), s * LOG2_K, LOG2_K);
}
static uint s2_write_high(uint i, uint s)
{
    return place_output(i / ITEMS, reversed(i % ITEMS, LOG2_K - 1) + ITEMS, s * LOG2_K, LOG2_K);
}
static uint sp_read(uint i, uint s) /* register 0; a warp holds two groups, which read neighbours */
{
    (void)s;
    return place_input(i / SP_ITEMS, i % SP_ITEMS, LOG2_N - LOG2_K);
}
static uint sp_write(uint i, uint s) /* register 0 */
{
    return place_output(i / SP_ITEMS, reversed(i % SP_ITEMS, 4), s * LOG2_K, LOG2_K);
}

/* fourstep_ocl: 2^8 columns of 2^8 points, 16 of them in a group. */
enum { WIDTH = 16, LOG2_HALF = 8 };
static uint column(uint i, uint s)
{
    (void)s;
    return place_column(i, 0, WIDTH, LOG2_HALF);
}
static uint row(uint i, uint s)
{
    (void)s;
    return place_row(i, 0, LOG2_HALF);
}
static uint sorted(uint i, uint s)
{
    (void)s;
    return place_sorted(i, 0, WIDTH, LOG2_HALF);
}

/* A kernel: its accesses, and what a warp of it touches in each stage: the pattern as published, or as designed. */
static const struct kernel {
    const char *name;
    unsigned stages;
    access_place *access[4];
    unsigned short want[LOG2_N];
} kernels[] = {
    /* every stage at bit-reversed places; the last one writes in order */
    {"fft_1, fft_2",
     16,
     {ladder_read_low, ladder_read_high, ladder_write_low, ladder_write_high},
     {128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 72}},
    {"fft_3_reverse, fft_4_reverse", 1, {at_reversed, in_order}, {36}},
    {"fft_3_stage", 16, {low, high, low, high}, {32, 32, 32, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16}},
    /* pairs gathered, and written in order; pairs read in order, and scattered */
    {"fft_4_permute", 16, {low, high, pair_first, pair_second}, {32, 32, 32, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24}},
    {"fft_4_stage", 16, {pair_first, pair_second, low, high}, {32, 32, 32, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24}},
    {"fft_4c_stage",
     16,
     {pair_first, pair_second, pair_first, pair_second},
     {32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32}},
    {"fft_4c_permute", 1, {in_order, at_rotated}, {8}},
    {"compact_fft_3, group_registers", 1, {in_order, in_order}, {8}},
    {"stockham", 16, {in_order, half_behind, low, high}, {24, 24, 24, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16}},
    /* points of a group lie n / 256 apart; the first launch writes its results side by side, in order or by reversed bits */
    {"local", 2, {group_read_low, group_read_high, local_write_low, local_write_high}, {72, 128}},
    {"register_s2", 2, {group_read_low, group_read_high, s2_write_low, s2_write_high}, {96, 128}},
    {"register_sp", 2, {sp_read, sp_write}, {20, 32}},
    {"fourstep_columns", 1, {column, column}, {8}},
    {"fourstep_rows", 1, {row, sorted}, {8}},
};

static void test_segments(void)
{
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (unsigned s = 0; s < kernels[k].stages; s++) {
            unsigned count = 0;
            for (unsigned a = 0; a < 4 && kernels[k].access[a] != NULL; a++) {
                uint place[WARP];
                for (uint i = 0; i < WARP; i++)
                    place[i] = kernels[k].access[a](i, s);
                count += segments_of(place);
            }
            TEST_CHECK_MSG(count == kernels[k].want[s], "%s, stage %u: %u segments, not %u", kernels[k].name, s, count,
                           kernels[k].want[s]);
        }
}

/* Writes of a stage fill each place once, whatever the expressions are. */
static void test_permutations(void)
{
    static unsigned char seen[N];
    static const struct {
        const char *name;
        access_place *first, *second;
    } stages[] = {{"fft_1", ladder_write_low, ladder_write_high},
                  {"fft_3_stage", low, high},
                  {"fft_4_permute", pair_first, pair_second},
                  {"local", local_write_low, local_write_high},
                  {"register_s2", s2_write_low, s2_write_high}};
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++)
        for (unsigned s = 0; s < (k < 3 ? LOG2_N : 2); s++) {
            memset(seen, 0, sizeof seen);
            for (uint i = 0; i < N / 2; i++) {
                seen[stages[k].first(i, s) % N] += 1;
                seen[stages[k].second(i, s) % N] += 1;
            }
            TEST_CHECK_MSG(memchr(seen, 0, sizeof seen) == NULL, "%s, stage %u: a place is not written", stages[k].name, s);
        }
    for (uint i = 0; i < N / 2; i++) /* the two forms of one place */
        for (uint s = 0; s < LOG2_N; s += 5)
            TEST_CHECK(place_textbook(i, 1u << s) == place_butterfly(i, s));
}

/*
 * register_s2: items hold two values of one sequence, a butterfly's; one value each goes through T slots, and they do again.  A
 * value is the sequence that it belongs to and its number in it.
 */
static void test_exchange(void)
{
    struct value {
        uint sequence, number;
    } a[ITEMS], b[ITEMS], slot[ITEMS];
    for (uint t = 0; t < ITEMS; t++) {
        a[t] = (struct value){0, t};
        b[t] = (struct value){0, t + ITEMS};
    }
    for (uint level = 0, half_node = ITEMS; half_node > 0; level++, half_node /= 2) {
        for (uint t = 0; t < ITEMS; t++) {
            TEST_CHECK_MSG(a[t].sequence == b[t].sequence && a[t].number + half_node == b[t].number, "level %u, item %u", level,
                           t);
            b[t] = (struct value){b[t].sequence + (1u << level), a[t].number}; /* the butterfly: halves of two new ones */
        }
        const uint next = half_node / 2; /* the exchange before the next level, as the kernel has it */
        for (uint t = 0; t < ITEMS; t++)
            slot[t] = t & next ? a[t] : b[t];
        for (uint t = 0; t < ITEMS && next > 0; t++) {
            const uint from = slot_partner(t, next);
            if (!TEST_CHECK_MSG(from < ITEMS && from != t && slot_partner(from, next) == t, "level %u, item %u", level, t))
                return;
            *(t & next ? &a[t] : &b[t]) = slot[from];
        }
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_segments);
    TEST_RUN(test_permutations);
    TEST_RUN(test_exchange);
    return test_end();
}
