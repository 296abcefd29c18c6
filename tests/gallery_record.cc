/*
 * gallery_record.cc - the gallery's kernels, recorded, against the steps of the published ones; and the segments that they touch.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a kernel ought to do is written here from its page, without the kernels' own expressions: t-gallery_segments.sh compiles
 * this with the kernels' sources as they are.  A row whose kernel takes other steps, its variant's say, fails.
 */
#include <algorithm>

#include "gallery_record.hh"

#include "gallery/gallery.cl"
namespace of_fft_1 {
#include "gallery/fft_1.cl"
}
namespace of_fft_2 {
#include "gallery/fft_2.cl"
}
namespace of_fft_3 {
#include "gallery/fft_3.cl"
}
namespace of_compact {
#include "gallery/compact_fft_3.cl"
}
namespace of_compact_coalesced {
#include "gallery/compact_fft_3_coalesced.cl"
}
namespace of_fft_4 {
#include "gallery/fft_4.cl"
}
namespace of_fft_4_coalesced {
#include "gallery/fft_4_coalesced.cl"
}
namespace of_stockham {
#include "gallery/stockham.cl"
}
#include "gallery/table_root.cl"
namespace of_local {
#include "gallery/local.cl"
}
namespace of_local_groups {
#include "gallery/local_groups.cl"
}
namespace of_register_s2 {
#include "gallery/register_s2.cl"
}
namespace of_register_s2_angles {
#include "gallery/register_s2_angles.cl"
}
namespace of_register_sp {
#include "gallery/register_sp.cl"
}
namespace of_group_registers {
#include "gallery/group_registers.cl"
}
namespace of_fourstep {
#include "gallery/fourstep.cl"
}

static unsigned checks, failures;

static void check(bool right, const char *what, uint a, uint b)
{
    checks++;
    if (!right && failures++ < 20)
        fprintf(stderr, "FAILED: %s: %u, %u\n", what, a, b);
}

/* mirrored - the number whose digits of two are those of i in the other order. */
static uint mirrored(uint i, uint digits)
{
    return digits == 0 ? 0 : (i % 2) * (1u << (digits - 1)) + mirrored(i / 2, digits - 1);
}

/* --- steps --------------------------------------------------------------------------------------------------------------- */

enum { LOG2_N = 10, N = 1 << LOG2_N };
typedef std::vector<event> steps;

/* compare - every item of the launch that was recorded, with what it ought to do; its roots and half angles, too. */
static void compare(const char *name, uint stage, const std::function<steps(uint item)> &want, uint roots_each, uint halved_each)
{
    for (uint item = 0; item < traces.size(); item++) {
        check(traces[item] == want(item), name, stage, item);
        check(sines[item] == roots_each && normalised[item] == halved_each, name, sines[item], normalised[item]);
    }
}

/* The pair of butterfly `item` of stage `iter` = 1, .. , log2 n. */
struct pair {
    uint low, high, power;
    pair(uint item, uint iter)
    {
        const uint node = (uint)std::lround(std::pow(2, iter)), stride = node / 2;
        low = item / stride * node + item % stride;
        high = low + stride;
        power = item % stride;
    }
};

/* fft_1, fft_2: both points at mirrored places in every stage; written in order in the last one. */
static void ladder(const char *name, void (*kernel)(const double2 *, double2 *, int, int, int))
{
    for (uint stage = 0; stage < LOG2_N; stage++) {
        record(N / 64, 32, [=] { kernel(in, out, LOG2_N, (int)stage, -1); });
        compare(name, stage, [=](uint item) {
            const pair p(item, stage + 1);
            const uint a = mirrored(p.low, LOG2_N), b = mirrored(p.high, LOG2_N);
            const bool last = stage + 1 == LOG2_N;
            return steps{{'r', a}, {'r', b}, {'w', last ? p.low : a}, {'w', last ? p.high : b}};
        }, 1, 0);
    }
}

static void steps_of_the_ladder()
{
    ladder("fft_1", of_fft_1::fft_1);
    ladder("fft_2", of_fft_2::fft_2);
    record(N / 32, 32, [] { gallery_reverse(in, out, LOG2_N); });
    compare("gallery_reverse", 0, [](uint item) { return steps{{'r', mirrored(item, LOG2_N)}, {'w', item}}; }, 0, 0);
    for (uint stage = 0; stage < LOG2_N; stage++) {
        const auto in_place = [=](uint item) {
            const pair p(item, stage + 1);
            return steps{{'r', p.low}, {'r', p.high}, {'w', p.low}, {'w', p.high}};
        };
        record(N / 64, 32, [=] { of_fft_3::fft_3_stage(out, LOG2_N, (int)stage, -1); });
        compare("fft_3", stage, in_place, 1, 0);
        record(N / 64, 32, [=] { of_fft_3::fft_3_table_stage(out, roots, LOG2_N, (int)stage, -1); });
        compare("fft_3_table", stage, [=](uint item) {
            steps s = in_place(item);
            s.insert(s.begin(), {'t', pair(item, stage + 1).power * (N / 2 >> stage)});
            return s;
        }, 0, 0);
        record(N / 64, 32, [=] { of_fft_4::fft_4_stage(in, out, LOG2_N, (int)stage, -1); });
        compare("fft_4", stage, [=](uint item) {
            const pair p(item, stage + 1);
            return steps{{'r', 2 * item}, {'r', 2 * item + 1}, {'w', p.low}, {'w', p.high}};
        }, 1, 0);
        record(N / 64, 32, [=] { of_fft_4::fft_4_permute(in, out, LOG2_N, (int)stage); });
        compare("fft_4_permute", stage, [=](uint item) {
            const pair p(item, stage + 1);
            return steps{{'r', p.low}, {'w', 2 * item}, {'r', p.high}, {'w', 2 * item + 1}};
        }, 0, 0);
    }
}

/* compact_fft_3: one group of n/2 items, loads from mirrored places, two barriers a stage and one before the store. */
static steps steps_of_compact(uint item)
{
    steps s;
    for (uint i = item; i < N; i += N / 2) {
        s.push_back({'r', mirrored(i, LOG2_N)});
        s.push_back({'W', i});
    }
    for (uint iter = 1; iter <= LOG2_N; iter++) {
        const pair p(item, iter);
        s.insert(s.end(), {{'|', 0}, {'R', p.low}, {'R', p.high}, {'|', 0}, {'W', p.low}, {'W', p.high}});
    }
    s.push_back({'|', 0});
    for (uint i = item; i < N; i += N / 2) {
        s.push_back({'R', i});
        s.push_back({'w', i});
    }
    return s;
}

/* local: data in order, as the launch before has mirrored them; Ns = 1, 2, ..; the table by row and item; a barrier a stage. */
static steps steps_of_local(uint item)
{
    steps s;
    for (uint i = item; i < N; i += N / 2) {
        s.push_back({'r', i});
        s.push_back({'W', i});
    }
    s.push_back({'|', 0});
    uint p = 0, q = 0, row = 0;
    for (uint ns = 1; ns < N; ns *= 2, row++) {
        p = item / ns * ns * 2 + item % ns;
        q = p + ns;
        s.insert(s.end(), {{'t', row * (N / 2) + item}, {'R', q}, {'R', p}, {'W', p}, {'W', q}, {'|', 0}});
    }
    s.insert(s.end(), {{'R', p}, {'w', p}, {'R', q}, {'w', q}});
    return s;
}

/*
 * register_s2, groups of L items, G groups, launches of p = 1 and 2L: both values twiddled at the load, two roots in all; an
 * exchange is a slot written, the partner's read, two barriers; a level is one angle halved.  Stores are mirrored.
 */
static void steps_of_register_s2()
{
    enum { L = 16, G = N / (2 * L) };
    for (uint p = 1, launch = 0; launch < 2; p *= 2 * L, launch++) {
        record(G, L, [=] { of_register_s2::register_s2(in, out, LOG2_N, 5, 5 * (int)launch, -1, slots); });
        compare("register_s2", launch, [=](uint item) {
            const uint group = item / L, i = item % L, k = group % p, j = (group - k) * 2 * L + k, r = mirrored(i, 4);
            steps s{{'r', group + i * G}, {'r', group + (i + L) * G}};
            for (uint bit = L / 2; bit > 0; bit /= 2)
                s.insert(s.end(), {{'W', i}, {'|', 0}, {'R', i ^ bit}, {'|', 0}});
            s.insert(s.end(), {{'w', j + r * p}, {'w', j + (r + L) * p}});
            return s;
        }, 2, 4);
    }
}

static void steps_of_groups()
{
    record(1, N / 2, [] { of_compact::compact_fft_3(in, out, LOG2_N, -1, slots); });
    compare("compact_fft_3", 0, steps_of_compact, LOG2_N, 0);
    record(1, N / 2, [] { of_local::local_block(in, out, roots, LOG2_N, -1, slots); });
    compare("local", 0, steps_of_local, 0, 0);
    steps_of_register_s2();
}

/* --- segments ------------------------------------------------------------------------------------------------------------ */

enum { WARP = 32, POINT_BYTES = 16, SEGMENT_BYTES = 128, LONG_LOG2_N = 16, LONG_N = 1 << LONG_LOG2_N };

/* segments_of - of 128 bytes that items first..first + 31 touch in global memory, access by access. */
static uint segments_of(uint first, bool reads, bool writes)
{
    std::vector<std::vector<uint>> touched; /* of each access */
    for (uint i = 0; i < WARP; i++) {
        size_t access = 0;
        for (const event &e : traces[first + i]) {
            if (!(e.what == 'r' && reads) && !(e.what == 'w' && writes))
                continue;
            if (access == touched.size())
                touched.push_back({});
            std::vector<uint> &of_access = touched[access++];
            const uint segment = e.place * POINT_BYTES / SEGMENT_BYTES;
            if (std::find(of_access.begin(), of_access.end(), segment) == of_access.end())
                of_access.push_back(segment);
        }
    }
    uint count = 0;
    for (const std::vector<uint> &of_access : touched)
        count += (uint)of_access.size();
    return count;
}

/* segments - of the first warp of a launch of 2^16 points, against the number wanted. */
static void segments(const char *name, uint want, uint groups, uint items, const std::function<void()> &kernel)
{
    record(groups, items, kernel);
    const uint count = segments_of(0, true, true);
    check(count == want, name, count, want);
}

static void segments_of_stages()
{
    for (int s = 0; s < LONG_LOG2_N; s++) {
        const uint near = s < 3; /* pairs within a segment */
        segments("fft_1", s < 15 ? 128 : 72, 1, WARP, [=] { of_fft_1::fft_1(in, out, LONG_LOG2_N, s, -1); });
        segments("fft_2", s < 15 ? 128 : 72, 1, WARP, [=] { of_fft_2::fft_2(in, out, LONG_LOG2_N, s, -1); });
        segments("fft_3", near ? 32 : 16, 1, WARP, [=] { of_fft_3::fft_3_stage(out, LONG_LOG2_N, s, -1); });
        segments("fft_4_permute", near ? 32 : 24, 1, WARP, [=] { of_fft_4::fft_4_permute(in, out, LONG_LOG2_N, s); });
        segments("fft_4", near ? 32 : 24, 1, WARP, [=] { of_fft_4::fft_4_stage(in, out, LONG_LOG2_N, s, -1); });
        segments("fft_4_coalesced", 32, 1, WARP, [=] { of_fft_4_coalesced::fft_4c_stage(out, LONG_LOG2_N, s, -1); });
        segments("stockham", near ? 24 : 16, 1, WARP,
                 [=] { of_stockham::stockham(in, out, roots, LONG_LOG2_N, s, -1); });
    }
    segments("gallery_reverse", 36, 1, WARP, [] { gallery_reverse(in, out, LONG_LOG2_N); });
    segments("fft_4_coalesced, permute", 8, 1, WARP, [] { of_fft_4_coalesced::fft_4c_permute(in, out, LONG_LOG2_N); });
}

static void segments_of_groups()
{
    for (int launch = 0; launch < 2; launch++) { /* of 2^8 points; the second one writes 2^8 points apart */
        const int p = 8 * launch;
        segments("local_groups", launch ? 128 : 72, 1, 128,
                 [=] { of_local_groups::local_groups(in, out, roots, LONG_LOG2_N, 8, p, -1, slots); });
        segments("register_s2", launch ? 128 : 96, 1, 128,
                 [=] { of_register_s2::register_s2(in, out, LONG_LOG2_N, 8, p, -1, slots); });
        segments("register_s2_angles", launch ? 128 : 96, 1, 128,
                 [=] { of_register_s2_angles::register_s2_angles(in, out, LONG_LOG2_N, 8, p, -1, slots); });
        segments("register_sp", 16 * (launch ? 32 : 20), 2, 16,
                 [=] { of_register_sp::register_sp(in, out, LONG_LOG2_N, 8, p, -1, slots); });
    }
    /* 16 columns or rows of 2^8 points, 16 points of an item */
    segments("fourstep_columns", 16 * 8, 1, 256,
             [] { of_fourstep::fourstep_columns(in, out, roots, slots, {16, 8, 8, -1}); });
    segments("fourstep_rows", 16 * 8, 1, 256, [] { of_fourstep::fourstep_rows(in, out, roots, slots, {16, 8, 8, -1}); });
    segments("group_registers", 16 * 8, 1, 64, [] { of_group_registers::group_registers(in, out, roots, 10, -1, slots); });
}

/* reads_of - segments that all reads of a transform of 2^10 points touch. */
static uint reads_of()
{
    uint count = 0;
    for (uint first = 0; first < traces.size(); first += WARP)
        count += segments_of(first, true, false);
    return count;
}

static void segments_of_compact()
{
    record(1, N / 2, [] { of_compact::compact_fft_3(in, out, LOG2_N, -1, slots); });
    check(reads_of() == 1024, "compact_fft_3, segments read", reads_of(), 1024);
    check(segments_of(0, true, true) == 72, "compact_fft_3, segments of a warp", segments_of(0, true, true), 72);
    record(1, 256, [] { of_compact_coalesced::compact_fft_3_coalesced(in, out, LOG2_N, -1, slots); });
    check(reads_of() == 128, "compact_fft_3_coalesced, segments read", reads_of(), 128);
    uint barriers = 0;
    for (const event &e : traces[0])
        barriers += e.what == '|';
    check(barriers == LOG2_N + 1, "compact_fft_3_coalesced, barriers", barriers, LOG2_N + 1);
    record(1, N / 2, [] { of_local::local_block(in, out, roots, LOG2_N, -1, slots); });
    check(reads_of() == 128, "local, segments read", reads_of(), 128);
    check(segments_of(0, true, true) == 16, "local, segments of a warp", segments_of(0, true, true), 16);
}

/* The kernels compute what they ought to, recorded as well: a tone, twice. */
static void results()
{
    const double half_turns = 2 * 3.0 / N;
    for (uint i = 0; i < N; i++)
        in[i] = double2(std::cos(M_PI * half_turns * i), std::sin(M_PI * half_turns * i));
    record(1, N / 2, [] { of_compact::compact_fft_3(in, out, LOG2_N, -1, slots); });
    for (uint i = 0; i < N; i++)
        check(std::hypot(out[i].x - (i == 3 ? N : 0), out[i].y) < 1e-9, "compact_fft_3, result", i, 0);
    for (int launch = 0; launch < 2; launch++)
        record(N / 32, 16, [=] {
            of_register_s2::register_s2(launch ? out : in, launch ? in : out, LOG2_N, 5, 5 * launch, -1, slots);
        });
    for (uint i = 0; i < N; i++)
        check(std::hypot(in[i].x - (i == 3 ? N : 0), in[i].y) < 1e-9, "register_s2, result", i, 0);
}

int main()
{
    steps_of_the_ladder();
    steps_of_groups();
    segments_of_stages();
    segments_of_groups();
    segments_of_compact();
    results();
    printf("%u checks, %u failed\n", checks, failures);
    return failures != 0;
}
