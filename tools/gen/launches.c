/*
 * launches.c - how the levels of a transform are divided into launches and steps.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "gen/launches.h"
#include "gen/recursion.h"

enum {
    CHOSEN_HEIGHT = 8, /* eight columns of a block of double: 128 contiguous bytes */
    SMALL_LEVELS = 10, /* transforms that a single work-group does */
    MAX_WORK_ITEMS = 256,
    ONE_TABLE = 1 << 16, /* most points whose twiddles form one table, unless TABLE says otherwise */
    MOST_TABLE = 1 << 20 /* the same, if constant memory is asked for */
};

/* The maximum number of levels of a codelet. */
static int step_levels(const struct gen_params *p)
{
    return p->algorithm == '8' || p->fftdata == 'q' ? 3 : 4;
}

/* Divide a launch's factors into steps: first a power of two, in steps of about equal height, then the odd factors. */
static void steps_find(const struct gen_params *p, struct gen_launch *a, int levels, const uint32_t *odd, int n_odd)
{
    int n = (levels + step_levels(p) - 1) / step_levels(p);

    a->n_steps = 0;
    a->length = 1;
    for (int i = 0; i < n; i++) {
        int h = (levels + n - 1 - i) / n; /* the first steps take the remainder */
        a->steps[a->n_steps++].radix = UINT32_C(1) << h;
        a->length <<= h;
    }
    for (int i = 0; i < n_odd; i++) {
        a->steps[a->n_steps++].radix = odd[i];
        a->length *= odd[i];
    }
}

static struct gen_launch *launch_new(struct gen_launches *l)
{
    l->launch[l->n] = (struct gen_launch){0};
    return &l->launch[l->n++];
}

/* Launches for a dimension of n points. */
static void dimension(const struct gen_params *p, struct gen_launches *l, uint32_t n)
{
    int height = p->kernelheight < gen_max_width(p) ? p->kernelheight : gen_max_width(p), levels = 0;
    uint32_t odd[32];
    int n_odd = 0;

    while (n % 2 == 0)
        n /= 2, levels++;
    for (uint32_t f = 7; f >= 3; f -= 2)
        while (n % f == 0)
            n /= f, odd[n_odd++] = f;
    if (height == 0) {
        height = p->kernelwidth > 0 && p->kernelwidth < CHOSEN_HEIGHT ? p->kernelwidth : CHOSEN_HEIGHT;
        if (n_odd == 0 && levels <= SMALL_LEVELS && (p->kernelwidth == 0 || levels <= p->kernelwidth)) {
            height = levels;
        } else if (n_odd == 0) {
            int count = (levels + height - 1) / height;
            height = (levels + count - 1) / count;
        }
    }
    /* Powers of two first; the odd factors fill the last of their launches and go on. */
    int i = 0;
    do {
        int h = levels < height ? levels : height, from = i;
        uint32_t length = UINT32_C(1) << h;
        levels -= h;
        if (levels == 0)
            while (i < n_odd && length * odd[i] <= UINT32_C(1) << height)
                length *= odd[i++];
        steps_find(p, launch_new(l), h, odd + from, i - from);
    } while (levels > 0 || i < n_odd);
}

static void geometry(const struct gen_params *p, struct gen_launches *l)
{
    uint32_t before = 1;
    const int widest = gen_max_width(p);
    int width = p->kernelwidth > 0 ? p->kernelwidth : gen_usual_width(p);
    if (p->kernelwidth == 0 && width < p->kernelheight)
        width = p->kernelheight;
    width = width < widest ? width : widest;

    for (int i = 0; i < l->n; i++) {
        struct gen_launch *a = &l->launch[i];
        uint32_t most = 1, all = l->points / a->length;
        a->before = before;
        a->after = l->points / before / a->length;
        before *= a->length;
        a->columns = (UINT32_C(1) << width) / a->length;
        if (p->kernelwidth == 0 && a->columns > MAX_WORK_ITEMS)
            a->columns = MAX_WORK_ITEMS;
        if (a->columns > all)
            a->columns = all;
        while (all % a->columns != 0)
            a->columns--;
        for (int s = 0; s < a->n_steps; s++)
            most = a->steps[s].radix > most ? a->steps[s].radix : most;
        uint32_t elements = gen_launch_elements(a), values = most;
        bool two = (elements & (elements - 1)) == 0;
        const uint32_t most_items = width > gen_usual_width(p) ? 2 * MAX_WORK_ITEMS : MAX_WORK_ITEMS;
        if (elements / values > most_items && two)
            values = elements / most_items;
        a->work_items = elements / values;
        if (a->work_items > most_items)
            a->work_items = most_items;
        gen_rounds_find(p, a, all / a->columns);
        a->values = two && a->n_steps > 1 ? values : 0;
        /* neighbours already have neighbouring places if work-items take columns, and enough of them */
        uint32_t together = 128 / gen_size_of_point(p) * (a->values > 0 ? 2 : 1);
        a->spread = a->n_steps > 1 && elements >= together && two &&
                    (a->columns < together || gen_points_first(p, a, false) || gen_points_first(p, a, true));
    }
    l->done = before;
}

/* The runs of non-zero points modulo block; the whole block if there would be too many runs. */
static int fold(struct gen_range *r, int n, uint32_t block)
{
    struct gen_range all[2 * GEN_MAX_RANGES + GEN_MAX_RADIX + 1];
    int m = 0;

    for (int i = 0; i < n; i++)
        for (uint32_t lo = r[i].lo; lo < r[i].hi;) {
            uint32_t end = lo - lo % block + block, hi = end < r[i].hi ? end : r[i].hi;
            if (hi - lo == block || m == 2 * GEN_MAX_RANGES) {
                r[0] = (struct gen_range){0, block};
                return 1;
            }
            all[m++] = (struct gen_range){lo % block, lo % block + (hi - lo)};
            lo = hi;
        }
    for (int i = 1; i < m; i++) /* there are few, so insertion sort is enough */
        for (int k = i; k > 0 && all[k].lo < all[k - 1].lo; k--) {
            struct gen_range t = all[k];
            all[k] = all[k - 1];
            all[k - 1] = t;
        }
    int out = 0;
    for (int i = 0; i < m; i++) {
        if (out > 0 && all[i].lo <= r[out - 1].hi)
            r[out - 1].hi = all[i].hi > r[out - 1].hi ? all[i].hi : r[out - 1].hi;
        else if (out == GEN_MAX_RANGES) {
            r[0] = (struct gen_range){0, block};
            return 1;
        } else
            r[out++] = all[i];
    }
    return out;
}

/* Find, step by step, which points of the codelets can differ from zero. */
static void zeros(const struct gen_params *p, struct gen_launches *l)
{
    struct gen_range r[GEN_MAX_RANGES];
    uint32_t length = l->points;
    int n = p->n_ranges;

    for (int i = 0; i < n; i++)
        r[i] = gen_real(p) ? (struct gen_range){p->ranges[i].lo / 2, (p->ranges[i].hi + 1) / 2} : p->ranges[i];
    for (int i = 0; i < l->n; i++)
        for (int s = 0; s < l->launch[i].n_steps; s++) {
            struct gen_step *step = &l->launch[i].steps[s];
            uint32_t block = length / step->radix;
            step->nonzero = 0;
            for (uint32_t j = 0; j < step->radix; j++)
                for (int k = 0; k < n; k++)
                    if (r[k].lo < (j + 1) * block && r[k].hi > j * block)
                        step->nonzero |= UINT32_C(1) << j;
            l->any_zeros = l->any_zeros || step->nonzero != (UINT32_C(1) << step->radix) - 1;
            n = fold(r, n, block);
            length = block;
        }
}

static void table(const struct gen_params *p, struct gen_launches *l)
{
    const uint32_t size = gen_size_of_point(p), one = p->useconstants ? p->kernelsize / size : ONE_TABLE;
    struct gen_table_wish wish = {.roots = p->n, .form = p->table};

    if (wish.form == GEN_TABLE_AUTO)
        wish.form = p->n > one || p->n > MOST_TABLE ? GEN_TABLE_PAIR : GEN_TABLE_ALL;
    for (int i = 0; i < l->n; i++)
        if (l->launch[i].n_steps > 1 && l->launch[i].length > wish.inner)
            wish.inner = l->launch[i].length;
    if ((l->points & (l->points - 1)) != 0 || gen_factors(p) || wish.form == GEN_TABLE_REDUCED || wish.inner >= p->n / 2)
        wish.inner = 0;
    gen_table_find(p, &wish, &l->table);
}

void gen_launches_find(const struct gen_params *p, struct gen_launches *l)
{
    *l = (struct gen_launches){.points = gen_points(p)};
    if (gen_is_recursion(p))
        gen_recursion_find(p, l);
    else
        gen_launches_in_dimensions(p, l);
}

void gen_launches_in_dimensions(const struct gen_params *p, struct gen_launches *l)
{
    *l = (struct gen_launches){.points = gen_points(p)};
    if (p->n_dims > 0)
        for (int i = 0; i < p->n_dims; i++)
            dimension(p, l, p->dims[i]);
    else
        dimension(p, l, p->stoplevel > 0 ? UINT32_C(1) << p->stoplevel : l->points);
    geometry(p, l);
    zeros(p, l);
    table(p, l);
    gen_precisions_find(p, l);
}

void gen_rounds_find(const struct gen_params *p, struct gen_launch *a, uint32_t blocks)
{
    const int levels = p->kernelwidth < 31 ? p->kernelwidth : 31;
    uint32_t rounds = p->kernelwidth > 0 ? (UINT32_C(1) << levels) / gen_launch_elements(a) : 1;

    rounds = rounds < 1 ? 1 : rounds > blocks ? blocks : rounds;
    while (blocks % rounds != 0)
        rounds--;
    a->rounds = rounds;
    a->groups = blocks / rounds;
}

void gen_precisions_find(const struct gen_params *p, struct gen_launches *l)
{
    const struct gen_launch *last = &l->launch[l->n - 1];
    int levels = gen_levels(last->steps[last->n_steps - 1].radix);
    const int narrow = p->fftdata == 'd' ? 24 : 53;

    if (l->recursion && !p->bitrev) /* forward, the first codelets run are the last ones here */
        levels = gen_levels(l->launch[0].steps[0].radix) > levels ? gen_levels(l->launch[0].steps[0].radix) : levels;
    levels += l->recursion; /* for the twiddles */
    if (p->fftdata == 'f')
        return;
    /* inputs of INPRECISION bits: at least one level of sums has to fit */
    l->exact_start = p->inprecision > 0 && p->inprecision < narrow;
    /* each level in the narrower type adds an error of a few of its units */
    l->float_end =
        p->outprecision > 0 && p->outprecision <= narrow && (uint64_t)(4 * levels) <= UINT64_C(1) << (narrow - p->outprecision);
}

uint32_t gen_place(const struct gen_params *p, const struct gen_launches *l, uint32_t k)
{
    uint32_t at = 0, weight = l->done;

    if (l->recursion)
        return gen_recursion_place(p->algorithm, l, k);
    for (int i = 0; i < l->n; i++)
        for (int s = 0; s < l->launch[i].n_steps; s++) {
            uint32_t radix = l->launch[i].steps[s].radix, digit = k % radix, place = digit;
            k /= radix;
            weight /= radix;
            if ((radix & (radix - 1)) == 0) {
                place = 0;
                for (uint32_t b = radix; b > 1; b /= 2, digit /= 2)
                    place = 2 * place + digit % 2;
            }
            at += place * weight;
        }
    return at;
}
