/* t-mul_sizes.c - every small size, and the sizes around every change of plan, against GMP. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "products.h"

enum { N_CTX = 4 };

static void contexts(struct product_ctx c[N_CTX])
{
    c[0] = product_ctx_create(GFMUL_ENGINE_CPU, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    c[1] = product_ctx_create(GFMUL_ENGINE_CPU, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    c[2] = product_ctx_create(GFMUL_ENGINE_AUTO, 1, GFMUL_PACKING_AUTO, GFMUL_VERIFY_NONE);
    c[3] = product_ctx_create(GFMUL_ENGINE_AUTO, 2, GFMUL_PACKING_AUTO, GFMUL_VERIFY_MOD);
}

static void end_contexts(struct product_ctx c[N_CTX])
{
    for (unsigned i = 0; i < N_CTX; i++)
        product_ctx_destroy(&c[i]);
}

static void one_size(const struct product_ctx *c, size_t an, size_t bn, bool square)
{
    product_random(c, N_CTX, an, bn, OPERAND_KINDS, OPERAND_KINDS, product_digit_bits(c, an, bn), square);
}

/* n by n for n = 0 .. 300, the squares, and n by a few others (by all of them in the longest tier). */
static void test_small(void)
{
    struct product_ctx c[N_CTX];
    contexts(c);
    for (size_t n = 0; n <= 300; n++) {
        one_size(c, n, n, false);
        one_size(c, n, n, true);
        if (test_longest_tier()) {
            for (size_t m = 0; m <= 300; m++)
                one_size(c, n, m, false);
            continue;
        }
        const size_t others[] = {0, 1, 2, n / 2, n > 0 ? n - 1 : 0, n + 1, test_below(301), test_below(301)};
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            one_size(c, n, others[k], false);
    }
    end_contexts(c);
}

/* What makes two plans the same. */
struct signature {
    const char *engine, *packing;
    size_t n_points, n_slices;
    unsigned exponent;
    int norms_measured;
};

static struct signature signature_of(const struct product_ctx *c, size_t an, size_t bn)
{
    struct gfmul_plan_info info;
    test_note("gfmul_plan_limbs, %s an=%zu bn=%zu", c->name, an, bn);
    memset(&info, 0, sizeof info);
    TEST_OK(gfmul_plan_limbs(c->ctx, &info, an, bn));
    struct signature s = {info.engine, info.packing, info.n_points, info.n_slices, info.exponent, info.norms_measured};
    return s;
}

static bool signatures_equal(const struct signature *s, const struct signature *t)
{
    return s->engine == t->engine && s->packing == t->packing && s->n_points == t->n_points && s->exponent == t->exponent &&
           s->n_slices == t->n_slices && s->norms_measured == t->norms_measured;
}

struct changes {
    size_t *at, n, room;
};

/* The other operand's size. */
static size_t other_size(size_t an, double ratio)
{
    size_t bn = (size_t)((double)an * ratio);
    return bn > 0 ? bn : 1;
}

/* Sizes n in (lo, hi] whose plan is not that of n - 1, supposing that equal plans at both ends mean one plan between. */
static void find_changes(struct changes *list, const struct product_ctx *c, size_t lo, size_t hi, struct signature at_lo,
                         struct signature at_hi, double ratio)
{
    if (signatures_equal(&at_lo, &at_hi))
        return;
    if (hi - lo == 1) {
        if (list->n == list->room) {
            list->room = 2 * list->room + 64;
            list->at = realloc(list->at, list->room * sizeof *list->at);
            if (list->at == NULL)
                exit(1);
        }
        list->at[list->n++] = hi;
        return;
    }
    size_t mid = lo + (hi - lo) / 2;
    struct signature at_mid = signature_of(c, mid, other_size(mid, ratio));
    find_changes(list, c, lo, mid, at_lo, at_mid, ratio);
    find_changes(list, c, mid, hi, at_mid, at_hi, ratio);
}

/* bn = ratio an; an up to most. */
static void check_changes(const struct product_ctx *c, double ratio, size_t most, double step)
{
    struct changes list = {NULL, 0, 0};
    struct signature last = signature_of(c, 1, other_size(1, ratio));
    for (size_t n = 1; n < most;) {
        size_t next = (size_t)((double)n * step) + 1;
        if (next > most)
            next = most;
        struct signature s = signature_of(c, next, other_size(next, ratio));
        find_changes(&list, c, n, next, last, s, ratio);
        n = next;
        last = s;
    }
    printf("ratio %g: %zu changes of plan to %zu limbs\n", ratio, list.n, most);
    for (size_t i = 0; i < list.n; i++)
        for (size_t an = list.at[i] - 1; an <= list.at[i] + 1; an++) {
            size_t bn = other_size(an, ratio);
            if (an == 0 ||
                (an > 100000 && !test_longest_tier() && an == list.at[i] + 1)) /* of the large ones, both sides of the change */
                continue;
            unsigned l = product_digit_bits(c, an, bn);
            size_t n_ctx = an > 100000 && !test_longest_tier() ? (size_t)1 + i % 2 : N_CTX;
            product_random(c, n_ctx, an, bn, i % 2 ? OPERAND_DIGITS_MIN : OPERAND_RANDOM, OPERAND_KINDS, l, false);
            if (an <= 100000 || test_longest_tier())
                product_random(c, n_ctx, an, an, OPERAND_KINDS, OPERAND_KINDS, l, true);
        }
    free(list.at);
}

static void test_plan_changes(void)
{
    struct product_ctx c[N_CTX];
    contexts(c);
    check_changes(c, 1, test_tier(60000, 400000, 1000000), 1.01);
    end_contexts(c);
}

static void test_plan_changes_unbalanced(void)
{
    struct product_ctx c[N_CTX];
    contexts(c);
    check_changes(c, 0.4, test_tier(15000, 60000, 1000000), 1.02);
    check_changes(c, 0.02, test_tier(15000, 60000, 1000000), 1.02);
    end_contexts(c);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_small);
    TEST_RUN(test_plan_changes);
    TEST_RUN(test_plan_changes_unbalanced);
    return test_end();
}
