/*
 * convolve.c - the pipeline on the CPU: digits, spectra, product, digits, carry; for whole operands or for the cells of a grid.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "mul/convolve.h"

#include <string.h>

#include "base/try.h"
#include "limbs/limb_bits.h"
#include "mul/engine.h"
#include "plan/plan_dd.h"
#include "plan/plan_field.h"

/* An operand that is cut into digits. */
struct operand {
    struct digit_source source;
    size_t n_digits;
};

/* One convolution: its call, its plan, its memory, its product and the operands of that, of which b may be a kept spectrum. */
struct convolution {
    struct call *call;
    const struct plan *plan;
    struct workspace *work;
    const struct product *p;
    bool *fits; /* false: the measured figures are too large */
    struct operand a, b;
};

/* The share of the work, about, that is finished after each stage; the check takes the rest. */
static const double share_cut = 0.3, share_spectra = 0.7, share_product = 0.92;

/* operand_digits - how many balanced digits the whole operand has, with one more for the last carry. */
static size_t operand_digits(const struct plan_shape *s, const struct number *op)
{
    if (op->text)
        return (op->n + s->digits.exponent - 1) / s->digits.exponent + 1;
    return limbs_bit_length(op->limbs, op->n) / s->digits.exponent + 1;
}

static void operand_set(struct operand *x, const struct plan *plan, const struct number *op)
{
    x->n_digits = operand_digits(&plan->shape, op);
    if (op->text)
        text_source(&x->source, plan, op->text);
    else
        limbs_source(&x->source, plan, op->limbs, op->n);
}

/* used_points - how many points `count` digits fill. */
static size_t used_points(const struct plan_shape *s, size_t count)
{
    size_t points = s->transform.packing == GFMUL_PACKING_ONE_FOR_HALF ? (count + 1) / 2 : count;
    return points < s->transform.n_points ? points : s->transform.n_points;
}

/* ---- cells ---- */

/* cells_of - how many cells an operand of so many digits fills; the last cell may have up to `last` digits. */
static size_t cells_of(size_t digits, size_t cell, size_t last)
{
    return digits <= last ? 1 : (digits - last - 1) / cell + 2;
}

void grid_set(struct plan_shape *s, const struct product *p)
{
    struct plan_grid *grid = &s->grid;
    const size_t planned = plan_grid_sums(s); /* for the most digits that operands of this length may have */
    if (grid->cell_digits == 0)               /* a kept spectrum may meet longer operands than it was planned for */
        grid->cell_digits = (s->digits.an - 1) / PLAN_LEAF_POINTS * PLAN_LEAF_POINTS;
    grid->a_cells = cells_of(operand_digits(s, &p->a), grid->cell_digits, s->digits.an);
    grid->b_cells = p->b.spectrum ? 1 : cells_of(operand_digits(s, &p->b), grid->cell_digits, s->digits.bn);
    if (plan_grid_sums(s) < planned)
        s->bound.value = plan_bound_sums(s, &s->bound.k);
    if (grid->a_cells == 1 && grid->b_cells == 1)
        grid->cell_digits = 0;
}

/* cell_of - cell i of n of an operand. */
static struct digit_cell cell_of(const struct convolution *c, const struct operand *op, size_t i, size_t n)
{
    const size_t length = c->plan->shape.grid.cell_digits, first = i * length;
    return (struct digit_cell){&op->source, first, i + 1 < n ? length : op->n_digits - first, DIGIT_PART_A};
}

/* cell_cut - cut a cell's digits into x and run the column passes on them. */
static void cell_cut(const struct convolution *c, double *x, const struct digit_cell *cell, struct digit_norms *norms)
{
    c->plan->ops->source_to_columns(c->plan, x, c->work->scratch, cell, norms, c->call->threads);
}

/* From so many points on a product takes longer by far than judging it, about 60 ns. */
enum { JUDGE_BEFORE_POINTS = 1 << 14 };

/*
 * fits_before - whether the operands' norms allow the product; called before the product, so no error is measured yet.
 *
 * It only saves the time of a product that result_put would refuse, which judges the same norms.  Short products are not asked.
 */
static bool fits_before(const struct convolution *c, size_t k, const struct digit_norms *a, const struct digit_norms *b)
{
    if (c->plan->shape.transform.n_points < JUDGE_BEFORE_POINTS)
        return *c->fits = true;
    return *c->fits = call_judge(c->call, &c->plan->shape, &(struct plan_figures){.a = *a, .b = *b}, k);
}

/* ---- the result ---- */

static size_t grid_sums(const struct plan_grid *grid)
{
    return grid->a_cells + grid->b_cells - 1;
}

/* cell_advance - the distance in limbs between the places of two successive sums. */
static size_t cell_advance(const struct plan_shape *s)
{
    return s->grid.cell_digits / 64 * s->digits.exponent;
}

/* result_points - points that result_put works on.  Text takes two passes, but a whole decimal product fuses them. */
static double result_points(const struct plan_shape *s, const struct number *z)
{
    const bool fused = !z->digits || (grid_sums(&s->grid) == 1 && s->digits.base == 10);
    return (fused ? 1.0 : 2.0) * (double)s->transform.n_points;
}

/* sum_to_text - store sum k of the product as text. */
static enum gfmul_status sum_to_text(const struct convolution *c, size_t k, struct round_stats *stats)
{
    const struct plan_shape *s = &c->plan->shape;
    const struct number *out = &c->p->z;
    struct workspace *work = c->work;
    const size_t sums = grid_sums(&s->grid), advance = s->grid.cell_digits * s->digits.exponent, left = out->n - k * advance;
    const bool last = k + 1 == sums;
    const size_t len = last || advance > left ? left : advance;
    const struct text_tails tails = {
        .in = k ? work->tail_in : NULL, .out = last ? NULL : work->tail_out, .n = s->digits.bn, .advance = s->grid.cell_digits};
    const struct text_place place = {out->digits + left - len, len, sums == 1 ? NULL : &tails};
    work->tail_out = work->tail_in;
    work->tail_in = tails.out;
    return columns_to_text(c->plan, &place, work->x, work->scratch, stats, c->call->threads);
}

void mul_add_signed(mp_limb_t *z, size_t zn, const mp_limb_t *x, size_t xn)
{
    const size_t len = zn < xn ? zn : xn;
    if (len == 0)
        return;
    const bool negative = x[xn - 1] >> 63;
    const mp_limb_t carry = mpn_add_n(z, z, x, (mp_size_t)len);
    if (len == zn || carry == negative)
        return;
    if (carry)
        mpn_add_1(z + len, z + len, (mp_size_t)(zn - len), 1);
    else
        mpn_sub_1(z + len, z + len, (mp_size_t)(zn - len), 1);
}

/*
 * sum_to_limbs - store sum k of the product as limbs at its place.  The sums before it left a signed number of plan_tail_limbs
 * limbs there, so that is saved first and added afterwards.
 */
static enum gfmul_status sum_to_limbs(const struct convolution *c, size_t k, struct round_stats *stats)
{
    const struct plan_shape *s = &c->plan->shape;
    const struct number *out = &c->p->z;
    const struct workspace *work = c->work;
    const size_t at = k * cell_advance(s), left = out->n - at, shared = plan_tail_limbs(s);
    const size_t tail = shared < left ? shared : left, whole = cell_advance(s) + shared;
    const size_t zn = k + 1 < grid_sums(&s->grid) && whole < left ? whole : left;
    mp_limb_t *z = out->limbs + at;
    if (k > 0)
        memcpy(work->tail_limbs, z, tail * sizeof *z);
    TRY(columns_to_limbs(c->plan, z, zn, work->x, work->scratch, stats, c->call->threads));
    if (k > 0)
        mul_add_signed(z, zn, work->tail_limbs, tail);
    return GFMUL_OK;
}

/*
 * result_put - run the inverse column passes on sum k in work->x, carry and store it; progress goes from `from` to `to`.
 *   a, b  in  the operands' energies, if the plan measures them
 */
static enum gfmul_status result_put(const struct convolution *c, size_t k, double from, double to, const struct digit_norms *a,
                                    const struct digit_norms *b)
{
    struct call *call = c->call;
    struct round_stats stats = {.max_error = 0};
    TRY(call_stage(call, from, to, result_points(&c->plan->shape, &c->p->z)));
    const enum phase phase = phase_enter(&call->clock, PHASE_CARRY);
    const enum gfmul_status status = c->p->z.digits ? sum_to_text(c, k, &stats) : sum_to_limbs(c, k, &stats);
    phase_enter(&call->clock, phase);
    const struct plan_figures figures = {*a, *b, stats.max_error, stats.max_value, round_stats_energy(&stats)};
    *c->fits = call_judge(call, &c->plan->shape, &figures, k);
    TRY(status);
    return call_progress(call, to);
}

/* ---- one product in one transform ---- */

/*
 * columns_mul_branches - cut b and multiply branch by branch, because work->y holds one branch.   na in, nb out: energies
 *
 * If the product is in limbs, b is cut only once: the product's memory is free until the end, so it holds b's digits.
 */
static enum gfmul_status columns_mul_branches(const struct convolution *c, const struct digit_norms *na, struct digit_norms *nb)
{
    const struct plan *plan = c->plan;
    const struct plan_shape *s = &plan->shape;
    const struct workspace *work = c->work;
    const struct number *z = &c->p->z;
    struct digit_cell b = cell_of(c, &c->b, 0, 1);
    const double n = (double)s->transform.n_points / s->grid.n_branches,
                 step = (share_spectra - share_cut / 2) / s->grid.n_branches;
    struct digit_source aside_b;
    if (!z->digits && s->digits.exponent <= PLAN_ASIDE_BITS &&
        s->transform.n_points <= z->n * (sizeof(mp_limb_t) / sizeof(aside_digit))) {
        aside_digit *aside = (aside_digit *)z->limbs;
        digits_put_aside(aside, plan, b.source, b.count, c->call->threads);
        aside_source(&aside_b, plan, aside, b.count);
        b.source = &aside_b;
    }
    for (unsigned i = 0; i < s->grid.n_branches; i++) {
        const double from = share_cut / 2 + step * i, half_way = from + 0.4 * step;
        TRY(call_stage(c->call, from, half_way, n));
        plan->ops->source_to_branch_fused(plan, work->y, work->scratch, &b, i, i == 0 ? nb : NULL, c->call->threads);
        TRY(call_stage(c->call, half_way, from + step, n));
        if (i == 0 && !fits_before(c, 0, na, nb))
            return GFMUL_OK;
        plan->ops->branch_mul_fused(plan, work->x, work->y, i, c->call->threads);
    }
    return GFMUL_OK;
}

/* convolve_whole - make the product in one transform. */
static enum gfmul_status convolve_whole(const struct convolution *c)
{
    const struct plan_shape *s = &c->plan->shape;
    const struct digit_cell a = cell_of(c, &c->a, 0, 1);
    struct digit_cell b = cell_of(c, &c->b, 0, 1);
    const double n = (double)s->transform.n_points;
    double *x = c->work->x, *y = c->work->y;
    struct digit_norms na, nb;
    if (s->grid.n_branches > 1) {
        TRY(call_stage(c->call, 0, share_cut / 2, n));
        cell_cut(c, x, &a, &na);
        TRY(columns_mul_branches(c, &na, &nb));
    } else {
        TRY(call_stage(c->call, 0, share_cut, s->square ? n : 2 * n));
        cell_cut(c, x, &a, &na);
        if (s->transform.packing == GFMUL_PACKING_TWO_FOR_ONE) { /* a square has an empty second part */
            b = (struct digit_cell){&c->b.source, 0, s->square ? 0 : b.count, DIGIT_PART_B};
            cell_cut(c, x, &b, &nb);
        } else if (!s->square) {
            cell_cut(c, y, &b, &nb);
        }
        nb = s->square ? na : nb;
        TRY(call_stage(c->call, share_cut, share_spectra, s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE ? n : 4 * n));
        if (fits_before(c, 0, &na, &nb))
            c->plan->ops->columns_mul(c->plan, x, s->square ? x : y, c->work->scratch, used_points(s, a.count),
                                      used_points(s, b.count), c->call->threads);
    }
    return *c->fits ? result_put(c, 0, share_spectra, share_product, &na, &nb) : GFMUL_OK;
}

/* ---- a grid ---- */

/* spectra_make - the spectra of n cells, stored one after the other; progress goes from `from` to `to`.   norms out: last cell */
static enum gfmul_status spectra_make(const struct convolution *c, double *x, const struct operand *op, size_t n, double from,
                                      double to, struct digit_norms *norms)
{
    const struct plan_shape *s = &c->plan->shape;
    for (size_t i = 0; i < n; i++, x += plan_buffer_doubles(s)) {
        const struct digit_cell cell = cell_of(c, op, i, n);
        const double done = from + (to - from) * (double)(i + 1) / (double)n;
        TRY(call_stage(c->call, from + (to - from) * (double)i / (double)n, done, 2 * (double)s->transform.n_points));
        cell_cut(c, x, &cell, norms);
        c->plan->ops->columns_to_spectrum(c->plan, x, c->work->scratch, used_points(s, cell.count), c->call->threads);
        TRY(call_progress(c->call, done));
    }
    return GFMUL_OK;
}

enum gfmul_status spectrum_keep(struct call *call, const struct plan *plan, struct workspace *work, const struct number *b,
                                struct digit_norms *norms)
{
    struct convolution c = {.call = call, .plan = plan, .work = work};
    operand_set(&c.b, plan, b);
    return spectra_make(&c, work->y, &c.b, 1, 0, share_product, norms);
}

/* cell_mul_kept - multiply cell k of a by b's spectrum.   na out: the cell's energies */
static void cell_mul_kept(const struct convolution *c, size_t k, const double *b, struct digit_norms *na,
                          const struct digit_norms *nb)
{
    const struct plan_shape *s = &c->plan->shape;
    const struct digit_cell cell = cell_of(c, &c->a, k, s->grid.a_cells);
    cell_cut(c, c->work->x, &cell, na);
    if (fits_before(c, k, na, nb))
        c->plan->ops->columns_mul_kept(c->plan, c->work->x, b, c->work->scratch, used_points(s, cell.count), c->call->threads);
}

/* cells_mul_add - add up the products of cell i of a and cell j of b over i + j = k. */
static void cells_mul_add(const struct convolution *c, size_t k)
{
    const struct plan *plan = c->plan;
    const struct plan_grid *grid = &plan->shape.grid;
    const struct workspace *work = c->work;
    const size_t length = plan_buffer_doubles(&plan->shape), first = k < grid->b_cells ? 0 : k - grid->b_cells + 1;
    for (size_t i = first; i < grid->a_cells && i <= k; i++)
        plan->ops->spectrum_mul_add(plan, work->x, (work->a ? work->a : work->y) + i * length, work->y + (k - i) * length,
                                    i > first, c->call->threads);
    plan->ops->spectrum_to_columns(plan, work->x, work->scratch, c->call->threads);
}

/*
 * convolve_grid - multiply the cells of a by those of b, or by b's kept spectrum.   If b has several cells, a's spectra are kept
 * too, and no norms are measured (rule knuth).
 */
static enum gfmul_status convolve_grid(const struct convolution *c, const struct cpu_spectrum *kept)
{
    const struct plan_shape *s = &c->plan->shape;
    const size_t a_cells = s->grid.a_cells, b_cells = s->grid.b_cells, sums = grid_sums(&s->grid);
    const size_t spectra_a = c->work->a ? a_cells : 0, spectra_b = kept ? 0 : b_cells;
    const double all = (double)(spectra_a + spectra_b + (b_cells == 1 ? 2 * sums : sums)), n = (double)s->transform.n_points;
    const double share_b = share_product * (double)spectra_b / all, share = share_product * (double)(spectra_a + spectra_b) / all,
                 step = (share_product - share) / (double)sums;
    struct digit_norms na = {0, 0}, nb = kept ? kept->norms : na;
    TRY(spectra_make(c, c->work->y, &c->b, spectra_b, 0, share_b, &nb));
    TRY(spectra_make(c, c->work->a, &c->a, spectra_a, share_b, share, &na));
    for (size_t k = 0; k < sums && *c->fits; k++) {
        const double from = share + step * (double)k, half_way = from + 0.7 * step;
        TRY(call_stage(c->call, from, half_way, s->transform.packing == GFMUL_PACKING_RIGHT_ANGLE ? 2 * n : 3 * n));
        if (b_cells == 1)
            cell_mul_kept(c, k, kept ? kept->points.p : c->work->y, &na, &nb);
        else
            cells_mul_add(c, k);
        if (*c->fits)
            TRY(result_put(c, k, half_way, from + step, &na, &nb));
    }
    return GFMUL_OK;
}

enum gfmul_status convolve(struct call *call, const struct plan *plan, struct workspace *work, const struct product *p,
                           bool *fits)
{
    struct convolution c; /* one by one: an initializer would clear the tables of both sources */
    const struct cpu_spectrum *kept = (const struct cpu_spectrum *)p->b.spectrum;
    c.call = call;
    c.plan = plan;
    c.work = work;
    c.p = p;
    *(c.fits = fits) = true;
    operand_set(&c.a, plan, &p->a);
    if (plan->shape.square)
        c.b = c.a;
    else if (!kept)
        operand_set(&c.b, plan, &p->b);
    return kept || plan->shape.grid.a_cells > 1 ? convolve_grid(&c, kept) : convolve_whole(&c);
}

/* ---- memory ---- */

/* get_doubles - take a buffer of n doubles from the pool; n = 0 gives NULL. */
static enum gfmul_status get_doubles(struct call *call, size_t n, double **p)
{
    void *buffer = NULL;
    if (n > 0)
        TRY(ctx_buffer_get(call, n * sizeof(double), &buffer));
    *p = buffer;
    return GFMUL_OK;
}

enum gfmul_status scratch_get(struct call *call, const struct plan_shape *s, double **scratch)
{
    return get_doubles(call, call->threads * plan_field(s)->scratch_doubles(s), scratch);
}

enum gfmul_status workspace_get(struct call *call, const struct plan_shape *s, const struct product *p, struct workspace *work)
{
    const struct plan_grid *grid = &s->grid;
    const bool text = p->z.digits, both = grid->b_cells > 1;
    const bool one_buffer = (s->square && !both) || s->transform.packing == GFMUL_PACKING_TWO_FOR_ONE || p->b.spectrum;
    const size_t length = plan_buffer_doubles(s), tail = plan_field(s)->tail_doubles * s->digits.bn;
    const size_t second = one_buffer ? 0 : length / grid->n_branches * grid->b_cells;
    const bool together = grid->n_branches > 1 && second > 0; /* a branch may be shorter than a huge page: it shares x's block */
    double *tails;
    TRY(get_doubles(call, together ? length + second : length, &work->x));
    work->together = together;
    if (together)
        work->y = work->x + length;
    else
        TRY(get_doubles(call, second, &work->y));
    TRY(get_doubles(call, both && !s->square ? length * grid->a_cells : 0, &work->a));
    TRY(scratch_get(call, s, &work->scratch));
    TRY(get_doubles(call, grid->a_cells == 1 ? 0 : text ? 2 * tail : plan_tail_limbs(s), &tails)); /* as wide as doubles */
    work->tail_limbs = (mp_limb_t *)tails;
    work->tail_in = (int64_t *)tails;
    work->tail_out = tails ? work->tail_in + tail : NULL;
    return GFMUL_OK;
}

void workspace_put(struct call *call, struct workspace *work)
{
    ctx_buffer_put(call, work->tail_limbs);
    ctx_buffer_put(call, work->scratch);
    ctx_buffer_put(call, work->a);
    if (!work->together)
        ctx_buffer_put(call, work->y);
    ctx_buffer_put(call, work->x);
}
