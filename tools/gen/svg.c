/*
 * svg.c - the butterflies of a short transform, as a picture.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include <stdio.h>

#include "gen/analyze.h"

enum { WIDTH = 90, HEIGHT = 18, MARGIN = 60 };

static const char *const colours[] = {"#1b6ca8", "#b3541e", "#2d7d46", "#7a3e9d", "#a11d33", "#6b6b00"};
static const char grey[] = "#c8c8c8";

static int x_of(int level)
{
    return MARGIN + level * WIDTH;
}

static int y_of(uint32_t row)
{
    return MARGIN + (int)row * HEIGHT;
}

static void line(struct gen_text *out, int level, uint32_t from, uint32_t to, const char *colour)
{
    gen_printf(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\"/>\n", x_of(level), y_of(from), x_of(level + 1),
               y_of(to), colour);
}

bool gen_svg(const struct gen_params *p, const struct gen_launches *l, struct gen_text *out)
{
    uint32_t n = l->points;
    bool there[GEN_SVG_POINTS] = {false};
    int levels = gen_levels(l->done);
    struct gen_launches drawn;

    if (n > GEN_SVG_POINTS || (n & (n - 1)) != 0)
        return false;
    if (l->recursion) { /* drawn as butterflies of two points, whatever the algorithm */
        gen_launches_in_dimensions(p, &drawn);
        l = &drawn;
    }
    for (int i = 0; i < p->n_ranges; i++)
        for (uint32_t j = p->ranges[i].lo; j < p->ranges[i].hi; j++)
            there[gen_real(p) ? j / 2 : j] = true;
    gen_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n",
        x_of(levels) + 2 * MARGIN, y_of(n - 1) + MARGIN);
    gen_printf(out, "<title>fft_%s: %u points, levels by launch and step; grey: zero, or only moved</title>\n", p->id, n);
    for (uint32_t j = 0; j < n; j++)
        gen_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"%s\">%s%u</text>\n", MARGIN - 8, y_of(j) + 4,
                   there[j] ? "black" : grey, gen_real(p) ? "z" : "x", j);
    /* The levels of each codelet in turn, in one colour per codelet. */
    int level = 0, colour = 0;
    for (int i = 0; i < l->n; i++)
        for (int s = 0; s < l->launch[i].n_steps; s++, colour++) {
            const char *c = colours[colour % 6];
            gen_printf(out, "<text x=\"%d\" y=\"%d\" fill=\"%s\">launch %d, step %d</text>\n", x_of(level) + 4, MARGIN / 2, c,
                       i + 1, s + 1);
            for (uint32_t r = l->launch[i].steps[s].radix; r > 1; r /= 2, level++) {
                uint32_t half = n >> (level + 1);
                for (uint32_t j = 0; j < n; j++) {
                    if (j & half)
                        continue;
                    bool a = there[j], b = there[j + half], both = a && b;
                    line(out, level, j, j, both ? c : grey);
                    line(out, level, j + half, j + half, both ? c : grey);
                    line(out, level, j, j + half, both ? c : grey);
                    line(out, level, j + half, j, both ? c : grey);
                    there[j] = there[j + half] = a || b;
                }
                for (uint32_t j = 0; j < n; j++)
                    gen_printf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"2\" fill=\"%s\"/>\n", x_of(level + 1), y_of(j),
                               there[j] ? c : grey);
            }
        }
    for (uint32_t j = 0; j < n; j++) {
        uint32_t k = 0;
        for (int b = 0; b < levels; b++)
            k |= (j >> (gen_levels(n) - 1 - b) & 1) << b;
        if (l->done == n)
            gen_printf(out, "<text x=\"%d\" y=\"%d\">%s%u</text>\n", x_of(levels) + 8, y_of(j) + 4, gen_real(p) ? "Z" : "X", k);
        else
            gen_printf(out, "<text x=\"%d\" y=\"%d\">block %u, %u</text>\n", x_of(levels) + 8, y_of(j) + 4, k, j % (n / l->done));
    }
    gen_printf(out, "</svg>\n");
    return true;
}
