/*
 * t-mul_residues.c - products that are wrong by what some of the primes of their check divide; primes of their own.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/random.h"
#include "faulty_stages.h"
#include "products.h"

static struct product_ctx faulty_ctx(enum gfmul_rule rule, enum gfmul_verify verify, unsigned threads)
{
    struct product_ctx c;
    struct gfmul_options opt;
    gfmul_options_init(&opt);
    opt.engine = GFMUL_ENGINE_CPU;
    opt.precision = GFMUL_PRECISION_DOUBLE; /* where the faults are */
    opt.rule = rule;
    opt.threads = threads;
    opt.verify = verify;
    snprintf(c.name, sizeof c.name, "rule %s, %u threads", plan_rule_name(rule), threads);
    c.ctx = test_ctx(&opt);
    faults_into(&c);
    return c;
}

/* The moduli of a context's first checks, in place of primes that are drawn. */
static void moduli_into(const struct product_ctx *c, unsigned n, const uint64_t *modulus)
{
    for (unsigned k = 0; k < n; k++)
        residue_modulus_set(&c->ctx->residue[k], modulus[k], c->ctx->ops->isa_bit);
}

/*
 * Products that are wrong by 15 in one coefficient: moduli 3, and 3 and 5, do not see it, and each other prime does, whichever
 * place it has.  The numbers of primes are those of the rule, or the options'.
 */
static void test_congruent(void)
{
    static const uint64_t modulus[] = {3, 5, 15};
    integer = 15;
    fault = FAULT_INTEGER;
    for (unsigned t = 0; t < (test_longest_tier() ? 120u : 24u); t++) {
        const bool checked = t % 2, text = t / 2 % 2;
        const unsigned given = t / 4 % 3 + (t / 4 % 3 == 2),
                       primes = checked ? 2u : 3u; /* all of them where given is 3, or 2 of 2 */
        struct product_ctx c = faulty_ctx(checked ? GFMUL_RULE_CHECKED : GFMUL_RULE_NORM, GFMUL_VERIFY_MOD, 1 + t % 3);
        const size_t n = (text ? 20 : 1) * test_between(60, 500);
        const bool missed = given >= primes;
        c.ctx->opt.verify_primes = checked ? 0 : primes;
        moduli_into(&c, given, modulus);
        test_note("%s, %u of %u moduli given, %s, %zu", c.name, given, primes, text ? "text" : "limbs", n);
        faults_left = 1;
        mp_limb_t *a = test_alloc(8 * n), *z = test_alloc(16 * n + 2);
        enum gfmul_status status;
        if (text) {
            text_fill((char *)a, n, TEXT_RANDOM, 10, 1, test_u64());
            status = gfmul_str_mul(c.ctx, (char *)z, 2 * n + 2, NULL, 10, (char *)a, n, 10, (char *)a, n, 10);
        } else {
            operand_fill(a, n, OPERAND_RANDOM, 1, test_u64());
            status = gfmul_mul(c.ctx, z, a, n, a, n);
        }
        const struct gfmul_report r = report_of(&c);
        TEST_CHECK(faults_left == 0 && r.n_residues == primes && r.plan.residue_primes == primes && !r.residues_drawn);
        if (r.plan.wraps || r.n_fallbacks > 1u + checked) /* the fault may have gone into the low limbs' product */
            printf("not compared\n");
        else if (missed)
            TEST_CHECK_MSG(status == GFMUL_OK, "status %d", status);
        else if (checked)
            TEST_CHECK_MSG(status == GFMUL_OK && r.n_fallbacks > 0, "status %d, %u plans given up", status, r.n_fallbacks);
        else
            TEST_CHECK_MSG(status == GFMUL_ERR_VERIFY, "status %d", status);
        c.ctx->ops = real_ops;
        product_ctx_destroy(&c);
        free(a);
        free(z);
    }
    integer = 1;
}

/* Products of 2^22 bits have primes of their own, shorter ones and those of other rules the context's; both see faults. */
static void test_drawn(void)
{
    enum { N = 33000 };
    mp_limb_t *a = test_alloc(8 * N), *z = test_alloc(16 * N);
    uint64_t last = 0;
    struct product_ctx c = faulty_ctx(GFMUL_RULE_CHECKED, GFMUL_VERIFY_NONE, 2),
                       norm = faulty_ctx(GFMUL_RULE_NORM, GFMUL_VERIFY_MOD, 2);
    faults_left = 0;
    for (unsigned t = 0; t < 8; t++) {
        const size_t n = t % 4 == 3 ? N / 2 : N;
        operand_fill(a, N, OPERAND_RANDOM, 1, test_u64());
        fault = FAULT_INTEGER;
        faults_left = t % 2;
        TEST_OK(gfmul_mul(c.ctx, z, a, n, a, n));
        const struct gfmul_report r = report_of(&c);
        TEST_CHECK(r.n_residues == residue_primes_needed(128.0 * n, c.ctx->prime_bits) && r.residues_drawn == (n == N) &&
                   (t % 2 == 0 || r.n_fallbacks > 0));
        TEST_CHECK((r.residue_prime == c.ctx->residue_prime[0]) == (n < N) && r.residue_prime != last);
        last = r.residue_prime;
        for (unsigned k = 0; k < r.n_residues; k++) {
            const struct gfmul_residue *x = &r.residue[k];
            TEST_CHECK(x->a == mpn_mod_1(a, (mp_size_t)n, x->prime) && x->b == x->a &&
                       x->z == mpn_mod_1(z, 2 * (mp_size_t)n, x->prime));
            TEST_CHECK(residue_prime_fits(x->prime, c.ctx->prime_bits) && (k == 0 || x->prime != r.residue[0].prime));
        }
        faults_left = 0;
        TEST_OK(gfmul_mul(norm.ctx, z, a, n, a, n));
        const struct gfmul_report s = report_of(&norm);
        TEST_CHECK(s.n_residues == 1 && !s.residues_drawn && s.residue_prime == norm.ctx->residue_prime[0]);
    }
    random_refuse(true);
    TEST_CHECK(gfmul_mul(c.ctx, z, a, N, a, N) == GFMUL_ERR_UNSUPPORTED);
    TEST_OK(gfmul_mul(c.ctx, z, a, N / 4, a, N / 4));
    random_refuse(false);
    norm.ctx->ops = c.ctx->ops = real_ops;
    product_ctx_destroy(&norm);
    product_ctx_destroy(&c);
    free(a);
    free(z);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_congruent);
    TEST_RUN(test_drawn);
    return test_end();
}
