/*
 * plan_device_passes.c - the passes of a plan on a device: their notation, their memory, and how points lie in them.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_device.h"

enum { LOCAL_ROUND = 64 };

unsigned device_radix_log2(unsigned radix)
{
    unsigned r = 0;
    for (; radix % 2 == 0; radix /= 2)
        r++;
    return r;
}

unsigned device_radix_odd(unsigned radix)
{
    while (radix % 2 == 0)
        radix /= 2;
    return radix;
}

/* ---- one pass ---- */

size_t device_pass_local_bytes(const struct device_pass *pass)
{
    const size_t slots = (size_t)(pass->points + pass->points / pass->pad) * pass->columns;
    const size_t exchange = slots * 8 * (pass->split ? 1 : 2);
    const bool both_halves = !pass->split && !pass->dd; /* of the digits at once: columns_to_runs_fused */
    const size_t digits = (size_t)pass->points * (pass->columns + 1) * (both_halves || pass->dd ? 16 : 8);
    const size_t sums = (size_t)pass->items * pass->columns * 16;
    size_t most = exchange;
    if (pass->columns > 1) { /* the fused first and last passes */
        most = most > digits ? most : digits;
        most = most > sums ? most : sums;
    }
    return most + (pass->park ? (size_t)pass->points * 8 * (pass->dd ? 4 : 2) : 0) + LOCAL_ROUND;
}

int device_pass_print(char *buf, size_t size, const struct device_pass *pass)
{
    char radices[48] = "";
    size_t used = 0;
    for (unsigned i = 0; i < pass->n_stages; i++)
        used += (size_t)snprintf(radices + used, sizeof radices - used, "%s%u", i ? "." : "", pass->radix[i]);
    if (pass->direct_stages < pass->n_stages)
        snprintf(radices + used, sizeof radices - used, ":d%u", pass->direct_stages);
    char registers[16] = "", leaf[16] = "";
    if (pass->registers > 0)
        snprintf(registers, sizeof registers, "/r%u", pass->registers);
    if (pass->leaf > 1)
        snprintf(leaf, sizeof leaf, "/m%u", pass->leaf);
    return snprintf(buf, size, "%s/%u/%u%s%s%s%s", radices, pass->items, pass->columns, pass->split ? "/s" : "",
                    pass->park ? "/p" : "", registers, leaf);
}

/*
 * pass_pad - neighbouring items use neighbouring slots in an exchange, except in the last stage, where they are a radix apart.
 * There, one free slot after each radix puts them into different banks.
 */
static unsigned pass_pad(const struct device_pass *pass)
{
    const unsigned last = pass->radix[pass->n_stages - 1];
    return last == 16 || device_radix_odd(last) > 1 ? last : last == 4 ? 4 : 8;
}

/* odd_pair - whether a pass may begin with these two odd radices. */
static bool odd_pair(unsigned long first, unsigned long second)
{
    return (first == 3 && second == 7) || (first == 9 && second == 5) || (first == 15 && second == 7);
}

bool device_pass_coprime(const struct device_pass *pass)
{
    const unsigned first = pass->radix[0], second = pass->n_stages == 2 ? pass->radix[1] : 1;
    const unsigned levels = device_radix_log2(first) + device_radix_log2(second);
    return levels >= 1 && levels <= 3 &&
           (odd_pair(device_radix_odd(first), device_radix_odd(second)) ||
            odd_pair(device_radix_odd(second), device_radix_odd(first)));
}

/* odd_radices_fit - whether the odd radices of the first two stages go together. */
static bool odd_radices_fit(const struct device_pass *pass)
{
    const unsigned first = pass->radix[0], second = pass->n_stages > 1 ? device_radix_odd(pass->radix[1]) : 1;
    return second == 1 ? device_radix_odd(first) == 1 || first % 2 == 1
                       : device_pass_coprime(pass) || odd_pair(first, pass->radix[1]);
}

bool device_pass_parse(struct device_pass *pass, const char *text, bool dd, const char **end)
{
    char *p;
    memset(pass, 0, sizeof *pass);
    pass->dd = dd;
    pass->points = 1;
    for (;; text = p + 1) {
        const unsigned long radix = strtoul(text, &p, 10);
        if (p == text || pass->n_stages == DEVICE_STAGES)
            return false;
        const unsigned long odd = radix % 2 ? radix : radix > 0 && radix < 128 ? device_radix_odd((unsigned)radix) : 0;
        const bool small_odd = odd == 3 || odd == 5 || odd == 7 || odd == 9 || odd == 15;
        if (small_odd ? pass->n_stages > 1 : radix != 2 && radix != 4 && radix != 8 && radix != 16)
            return false;
        pass->radix[pass->n_stages++] = (unsigned)radix;
        pass->points *= (unsigned)radix;
        if (*p != '.')
            break;
    }
    if (!odd_radices_fit(pass))
        return false;
    pass->direct_stages = pass->n_stages;
    if (p[0] == ':' && p[1] == 'd')
        pass->direct_stages = (unsigned)strtoul(p + 2, &p, 10);
    if (*p != '/' || pass->direct_stages > pass->n_stages || pass->direct_stages == 0)
        return false;
    pass->items = (unsigned)strtoul(p + 1, &p, 10);
    if (*p != '/')
        return false;
    pass->columns = (unsigned)strtoul(p + 1, &p, 10);
    if (p[0] == '/' && p[1] == 's') {
        pass->split = true;
        p += 2;
    }
    if (p[0] == '/' && p[1] == 'p') {
        pass->park = true;
        p += 2;
    }
    if (p[0] == '/' && p[1] == 'r')
        pass->registers = (unsigned)strtoul(p + 2, &p, 10);
    pass->leaf = 1;
    if (p[0] == '/' && p[1] == 'm')
        pass->leaf = (unsigned)strtoul(p + 2, &p, 10);
    pass->pad = pass_pad(pass);
    *end = p;
    if (dd && pass->direct_stages < pass->n_stages)
        return false;
    return pass->items > 0 && pass->items <= pass->points && pass->columns > 0 && DEVICE_RUN_DIGITS % pass->columns == 0;
}

void device_passes_print(struct plan_device *d)
{
    const unsigned n = d->n_passes;
    const size_t size = sizeof d->text;
    size_t used = 0;
    for (unsigned i = 0; i < 2 * n - 1 && used + 1 < size; i++) {
        const struct device_pass *pass = i < n ? &d->forward[i] : &d->inverse[2 * n - 2 - i];
        used += (size_t)device_pass_print(d->text + used, size - used, pass);
        if (i + 1 < 2 * n - 1 && used + 1 < size)
            used += (size_t)snprintf(d->text + used, size - used, ",");
    }
}

/* ---- points ---- */

size_t device_row_digits(const struct plan_shape *shape)
{
    return device_shape_columns(shape, 0) * (shape->transform.packing == GFMUL_PACKING_ONE_FOR_HALF ? 2 : 1);
}

size_t device_shape_columns(const struct plan_shape *shape, unsigned p)
{
    size_t n = shape->transform.n_points;
    for (unsigned i = 0; i <= p; i++)
        n /= shape->device.forward[i].points;
    return n;
}

unsigned device_run_words(const struct plan_shape *shape)
{
    return (shape->device.inverse[0].columns * shape->device.field_bits + 31) / 32;
}

unsigned device_point_bytes(const struct plan_shape *shape)
{
    if (shape->field == PLAN_PRIME)
        return 4 * shape->transform.n_primes;
    return shape->device.forward[0].dd ? 32 : 16;
}

double device_points_bytes(const struct plan_shape *shape)
{
    return (double)device_point_bytes(shape) * (double)shape->transform.n_points;
}
