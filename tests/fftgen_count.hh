/*
 * fftgen_count.hh - OpenCL C for one work-item at a time on the host, with numbers that count what is done to them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Included before the kernels of a generated transform (t-fftgen_counts.sh has put vectors "(double2)(a, b)" as calls).
 */
#ifndef FFTGEN_COUNT_HH
#define FFTGEN_COUNT_HH

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned int uint;

static uint64_t additions, products;

/* A number that counts; a change of sign is free. */
struct counted {
    double v;
    counted() : v(0) {}
    counted(double value) : v(value) {}
};
static inline counted operator+(counted a, counted b)
{
    additions++;
    return a.v + b.v;
}
static inline counted operator-(counted a, counted b)
{
    additions++;
    return a.v - b.v;
}
static inline counted operator*(counted a, counted b)
{
    products++;
    return a.v * b.v;
}
static inline counted operator-(counted a)
{
    return -a.v;
}

struct pair_of {
    counted x, y;
};
static inline pair_of pair_make(counted a, counted b)
{
    return pair_of{a, b};
}

#include "work_items.hh"

static inline uint popcount(uint v)
{
    return (uint)__builtin_popcount(v);
}

#define double  counted
#define double2 pair_of
#define __local static
#define restrict
#define reqd_work_group_size(a, b, c) unused

#endif
