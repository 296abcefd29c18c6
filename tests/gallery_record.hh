/*
 * gallery_record.hh - OpenCL C on the host, with points that record where they are read and written.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Included before the kernels of kernels/gallery/ (t-gallery_segments.sh has put vectors "(complex)(a, b)" as calls).  A point
 * in an array that the test owns notes each copy from it and each assignment to it; points in registers note nothing.
 */
#ifndef GALLERY_RECORD_HH
#define GALLERY_RECORD_HH

#include <cmath>
#include <cstdio>

#include "work_items.hh"

/* What an item does: r, w in global memory, R, W in local memory, t in the table of roots, | a barrier. */
struct event {
    char what;
    uint place;
    bool operator==(const event &o) const
    {
        return what == o.what && place == o.place;
    }
};
static std::vector<std::vector<event>> traces;        /* of each item, by its global number */
static std::vector<uint> sines, normalised;    /* how often each item computes a root, normalises */

static bool recording;

static void note(const void *address, bool write);

struct double2 {
    double x, y;
    double2() : x(0), y(0) {}
    double2(double re, double im) : x(re), y(im) {}
    double2(const double2 &o) : x(o.x), y(o.y)
    {
        note(&o, false);
    }
    double2 &operator=(const double2 &o)
    {
        note(&o, false);
        note(this, true);
        x = o.x;
        y = o.y;
        return *this;
    }
    double2 &operator+=(double2 o)
    {
        return *this = double2(x + o.x, y + o.y);
    }
    double2 &operator*=(double s)
    {
        return *this = double2(x * s, y * s);
    }
};
static inline double2 operator+(double2 a, double2 b)
{
    return double2(a.x + b.x, a.y + b.y);
}
static inline double2 operator-(double2 a, double2 b)
{
    return double2(a.x - b.x, a.y - b.y);
}
static inline double2 operator-(double2 a)
{
    return double2(-a.x, -a.y);
}
static inline double2 point_make(double x, double y)
{
    return double2(x, y);
}
static inline double2 normalize(double2 a)
{
    const double size = std::sqrt(a.x * a.x + a.y * a.y);
    normalised[get_global_id(0)]++;
    return double2(a.x / size, a.y / size);
}
/* From glibc 2.41 on these are names of C's own. */
#define cospi item_cospi
#define sinpi item_sinpi
static inline double cospi(double t)
{
    sines[get_global_id(0)]++;
    return std::cos(M_PI * t);
}
static inline double sinpi(double t)
{
    return std::sin(M_PI * t);
}

/* The arrays of a launch. */
enum { MOST_POINTS = 1 << 16, LOCAL_POINTS = 1 << 13 };
static double2 in[MOST_POINTS], out[MOST_POINTS], roots[MOST_POINTS], slots[LOCAL_POINTS];

static void note(const void *address, bool write)
{
    const double2 *p = (const double2 *)address;
    if (!recording)
        return;
    std::vector<event> *trace = &traces[get_global_id(0)];
    if (p >= in && p < in + MOST_POINTS)
        trace->push_back({write ? 'w' : 'r', (uint)(p - in)});
    else if (p >= out && p < out + MOST_POINTS)
        trace->push_back({write ? 'w' : 'r', (uint)(p - out)});
    else if (p >= slots && p < slots + LOCAL_POINTS)
        trace->push_back({write ? 'W' : 'R', (uint)(p - slots)});
    else if (p >= roots && p < roots + MOST_POINTS)
        trace->push_back({'t', (uint)(p - roots)});
}

/* record - a launch of groups of items. */
static void record(uint groups, uint items, const std::function<void()> &kernel)
{
    traces.assign(groups * items, {});
    sines.assign(groups * items, 0);
    normalised.assign(groups * items, 0);
    barrier_met = [] { traces[get_global_id(0)].push_back({'|', 0}); };
    recording = true;
    kernel_run(groups, items, kernel);
    recording = false;
}

#define GALLERY_DOUBLE 1
#define LOCAL_TABLE    2
#define LOCAL_WIDTH    128
#define REGISTER_POINTS 16
#define __local

#endif
