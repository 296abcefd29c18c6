/* t-twiddle.c - every entry of the twiddle tables against cosines and sines of 113 bits. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "reference.h"
#include "shapes.h"

static double worst_ulp;

/* The distance of two doubles next to x. */
static double ulp(double x)
{
    int e;
    frexp(x, &e);
    return ldexp(1, e - 53);
}

/* v is the double nearest to exact, but for the last bits of a table that was itself made with finite precision. */
static bool check_rounded(double v, ref_quad exact, const char *what, size_t node, unsigned q)
{
    ref_quad off = v - exact;
    double error = (double)(off < 0 ? -off : off), limit = 0.5000001 * ulp(v);
    if (exact == 0)
        return TEST_CHECK_MSG(error < 0x1p-100, "%s of node %zu, twiddle %u is %.17g, should be 0", what, node, q, v);
    if (error / ulp(v) > worst_ulp)
        worst_ulp = error / ulp(v);
    return TEST_CHECK_MSG(error <= limit, "%s of node %zu, twiddle %u is %.17g, should be %.17g: %.8f ulp", what, node, q, v,
                          (double)exact, error / ulp(v));
}

/* The series of ref_cos_sin leave 2^-112 where the value is exactly 0. */
static void root(ref_quad *c, ref_quad *s, uint64_t p, uint64_t q)
{
    ref_cos_sin(c, s, p, q);
    p %= q;
    if (4 * p == q || 4 * p == 3 * q)
        *c = 0;
    if (p == 0 || 2 * p == q)
        *s = 0;
}

/*
 * c and tau = sin / c of every node (plan_twiddle.h): radix-2 steps by e(theta/2), e(theta/4), e(theta/8), e(theta/8 - 1/8); true
 * radix 4: cosine and sine of e(theta/4), e(theta/2), e(3 theta/4) (the last two passes: check_units); mixed: these, then the
 * last two of radix 8.
 */
static bool check_even_pass(const struct plan *plan, unsigned p, const double *table, unsigned quarter, size_t step)
{
    const struct plan_pass *pass = &plan->shape.transform.pass[p];
    const bool whole = pass->butterfly != BUTTERFLY_NESTED;
    unsigned count = pass->butterfly == BUTTERFLY_MIXED ? 5 : whole ? 3 : pass->radix == 8 ? 4 : pass->radix / 2;
    for (size_t g = 0; g < pass->n_nodes; g += g < 64 ? 1 : step) {
        struct ref_angle theta = ref_node_angle(plan->shape.transform.odd, pass->depth, g, quarter);
        for (unsigned q = 0; q < count; q++) {
            const bool radix4 = whole && q < 3;
            const unsigned level = whole ? q - 1 : q; /* of radix 8, the last one twice */
            uint64_t den = theta.q * (level == 0 ? 2 : level == 1 ? 4 : 8), num = theta.p;
            if (level == 3)
                num += den - den / 8;
            if (radix4) {
                den = 4 * theta.q;
                num = (q + 1) * theta.p % den;
            }
            ref_quad c, s;
            root(&c, &s, num, den);
            size_t at = g / 8 * 16 * count + 16 * q + g % 8;
            double is_c = table[at], is_tau = table[at + 8];
            if (!check_rounded(is_c, c, "c", g, q))
                return false;
            if (!check_rounded(is_tau, radix4 ? s : s / (ref_quad)is_c, radix4 ? "s" : "tau", g, q))
                return false;
        }
    }
    return true;
}

/* The last two passes of true radix 4: entries of one unit, factors of all units, and their products (plan_twiddle.h). */
static bool check_units(const struct plan *plan, unsigned quarter, size_t step)
{
    const struct plan_shape *s = &plan->shape;
    const size_t points = (size_t)1 << plan->unit_levels, units = s->transform.n_points / points;
    TEST_CHECK(points <= s->transform.row_points && (points == s->transform.row_points || plan->unit_levels == 10));
    for (unsigned p = s->transform.n_passes - 2, f = 0; p < s->transform.n_passes; p++) {
        const unsigned count = 3;
        const uint64_t nodes = points / s->transform.pass[p].node_points;
        for (unsigned q = 0; q < count; q++, f++)
            for (uint64_t g = 0; g < s->transform.pass[p].n_nodes; g += g < 64 ? 1 : step) {
                const uint64_t u = g / nodes, k = g % nodes;
                const unsigned depth = s->transform.pass[p].depth, below = (unsigned)__builtin_ctzll(nodes);
                const struct ref_angle theta = ref_node_angle(s->transform.odd, depth, g, quarter);
                const struct ref_angle unit = ref_node_angle(s->transform.odd, depth - below, u, quarter);
                const struct ref_angle rest = ref_node_angle(1, below, k, 0);
                const double *entry = plan->twiddle[p] + k / 8 * 16 * count + 16 * q + k % 8,
                             *factor = plan->unit + 12 * u + 2 * f;
                const uint64_t den = 4 * (unit.q << below);
                ref_quad c, t, wc, ws, e, d;
                root(&c, &t, (q + 1) * unit.p % den, den);
                if (!check_rounded(factor[0], c, "factor, cosine", u, f) || !check_rounded(factor[1], t, "factor, sine", u, f))
                    return false;
                root(&e, &d, (q + 1) * rest.p % (4 * rest.q), 4 * rest.q);
                if (!check_rounded(entry[0], e, "entry, cosine", k, q) || !check_rounded(entry[8], d, "entry, sine", k, q))
                    return false;
                root(&wc, &ws, (q + 1) * theta.p % (4 * theta.q), 4 * theta.q);
                const double off_c = (double)(c * e - t * d - wc), off_s = (double)(c * d + t * e - ws);
                if (!TEST_CHECK_MSG(hypot(off_c, off_s) < 0x1p-80, "node %llu of pass %u, twiddle %u: not the product: %g, %g",
                                    (unsigned long long)g, p, q, off_c, off_s))
                    return false;
            }
    }
    TEST_CHECK(units * points == s->transform.n_points);
    return true;
}

/* Of nodes and leaves, at most about so many as all says are looked at, spread over the table. */
static void check_plan(const struct isa_ops *ops, enum gfmul_packing packing, unsigned odd, unsigned log2_n, unsigned max_radix,
                       size_t all)
{
    struct plan *plan = shape_plan(ops, packing, odd, log2_n, 2, 10, 0, max_radix);
    unsigned quarter = packing == GFMUL_PACKING_RIGHT_ANGLE;
    size_t n = plan->shape.transform.n_points;
    size_t step = n <= all ? 1 : n / all + 1 + (size_t)test_below(5);
    unsigned levels = 0;
    for (unsigned p = 0; p < plan->shape.transform.n_passes; p++) {
        const struct plan_pass *pass = &plan->shape.transform.pass[p];
        shape_note(plan, "pass", p);
        TEST_CHECK(pass->depth == levels);
        TEST_CHECK(pass->levels == 0 || pass->n_nodes == (size_t)odd << levels);
        TEST_CHECK(pass->n_nodes * pass->node_points == n);
        if (pass->radix % 2)
            TEST_CHECK(plan->twiddle[p] == NULL && pass->levels == 0 && pass->node_points * pass->n_nodes == n);
        else if (shape_is_radix4(&plan->shape) && p + 2 >= plan->shape.transform.n_passes) {
            if (p + 1 == plan->shape.transform.n_passes && !check_units(plan, quarter, step))
                break;
        } else if (plan->shape.transform.leaf_short && p + 2 >= plan->shape.transform.n_passes) {
            /* what the stages make block by block, as one table */
            const struct plan_short_tables *leaf = &plan->leaf;
            double *table = alloc_aligned(pass->n_nodes * 2 * plan_pass_twiddles(pass) * sizeof *table);
            if (table == NULL)
                exit(1);
            TEST_CHECK(plan->twiddle[p] == NULL);
            plan->ops->twiddle_build(plan, p, table, leaf->lo, leaf->hi[p + 2 - plan->shape.transform.n_passes], leaf->lo_bits,
                                     1);
            bool good = check_even_pass(plan, p, table, quarter, step);
            alloc_free(table);
            if (!good)
                break;
        } else if (!check_even_pass(plan, p, plan->twiddle[p], quarter, step))
            break;
        levels += pass->levels;
    }
    TEST_CHECK(levels == log2_n);
    if (packing == GFMUL_PACKING_ONE_FOR_HALF) {
        shape_note(plan, "leaf angles, step", step);
        for (size_t leaf = 0; leaf < n; leaf += step) {
            struct ref_angle theta = ref_node_angle(odd, log2_n, leaf, quarter);
            ref_quad c, s;
            root(&c, &s, theta.p, theta.q);
            size_t at = leaf / 64 * 128 + leaf % 8 * 16 + leaf % 64 / 8; /* the spectrum's order, without the rows' padding */
            if (!check_rounded(plan->leaf_angle[at], c, "cosine of leaf", leaf, 0) ||
                !check_rounded(plan->leaf_angle[at + 8], s, "sine of leaf", leaf, 0))
                break;
        }
    } else {
        TEST_CHECK(plan->leaf_angle == NULL);
    }
    double scale = ldexp(1.0 / (double)n, -plan->shape.digits.balance_exp);
    TEST_CHECK_MSG(plan->scale == scale && plan->scale_exact == (odd == 1), "scale %.17g, should be %.17g", plan->scale, scale);
    plan_destroy(plan);
}

static void test_tables(void)
{
    if (!REF_HAVE_QUAD) {
        TEST_SKIP("no arithmetic of 113 bits");
        return;
    }
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (unsigned o = 0; plan_odd_factor(o); o++) {
            const unsigned odd = plan_odd_factor(o);
            unsigned most = odd > 15 ? 10 : odd > 5 ? 12 : 15;
            if (test_longest_tier())
                most += 5;
            for (unsigned log2_n = 6; log2_n <= most; log2_n++)
                for (unsigned max_radix = 4; max_radix <= isa_ops_list(i)->max_radix; max_radix += 4)
                    for (unsigned p = 1; p < 3; p++)
                        if (log2_n <= 12 || test_longest_tier() || (i == 0 && max_radix == 8))
                            check_plan(isa_ops_list(i), shape_packings[p], odd, log2_n, max_radix,
                                       test_tier(512, 8192, i == 0 && max_radix == 8 ? 65536 : 2048));
        }
    printf("largest error of an entry: %.8f ulp\n", worst_ulp);
}

/* A plan is refused whose passes the instruction set has no stages for, or whose bound is one of another arithmetic. */
static void test_refused(void)
{
    for (size_t i = 0; isa_ops_list(i) != NULL; i++)
        for (unsigned fma = 0; fma < 2; fma++)
            for (unsigned radix4 = 0; radix4 < 2; radix4++) {
                const struct isa_ops *ops = isa_ops_list(i);
                const bool runs = (fma != 0) == ops->fma && (radix4 == 0 || ops->butterfly == BUTTERFLY_RADIX4);
                struct plan_shape s;
                struct plan *plan = NULL;
                memset(&s, 0, sizeof s);
                s.transform.packing = GFMUL_PACKING_RIGHT_ANGLE;
                s.bound.fma = fma;
                s.butterfly = radix4 ? BUTTERFLY_RADIX4 : BUTTERFLY_NESTED;
                plan_shape_points(&s, 1, 9, ops->max_radix);
                s.grid.a_cells = s.grid.b_cells = 1;
                test_note("%s, fma %u, radix4 %u", ops->name, fma, radix4);
                TEST_CHECK(plan_create(&plan, &s, ops, 1) == (runs ? GFMUL_OK : GFMUL_ERR_INTERNAL));
                TEST_CHECK((plan != NULL) == runs);
                plan_destroy(plan);
            }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_tables);
    TEST_RUN(test_refused);
    return test_end();
}
