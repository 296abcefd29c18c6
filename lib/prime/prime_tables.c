/*
 * prime_tables.c - tables of transforms modulo primes, and the stages of each instruction set.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 */
#include "base/cpu.h"
#include "prime/prime_ops.h"
#include "prime/prime_roots.h"

#define ISA(name, ...) extern const struct prime_ops prime_ops_##name;
#include "base/isa.def"

const struct prime_ops *prime_ops_of(const struct isa_ops *isa)
{
    static const struct prime_ops *const built[CPU_ISA_COUNT] = {
#define ISA(name, NAME, ...) GFMUL_HAVE_##NAME ? &prime_ops_##name : NULL,
#include "base/isa.def"
    };
    return built[__builtin_ctz(isa->isa_bit)];
}

/* powers_fill - pairs of 1, w, w^2, .. */
static void powers_fill(double *pairs, size_t n, uint64_t w, uint64_t p)
{
    const struct prime_multiplier m = prime_multiplier(w, p);
    uint64_t power = 1;
    for (size_t i = 0; i < n; i++, power = prime_multiply(power, &m))
        prime_pair_put(pairs + 2 * i, 1, power, p);
}

/* rows_fill - turn e(r / n) for row t 2^levels + k, r = t 2^levels + odd rev(k). */
static void rows_fill(double *row, const struct plan_shape *s, uint64_t root, uint64_t turn, uint64_t p)
{
    const size_t of_tree = (size_t)1 << s->transform.column_levels;
    const uint64_t next = residue_power(root, of_tree, p);
    for (unsigned t = 0; t < s->transform.odd; t++, row += of_tree, turn = residue_mul(turn, next, p)) {
        row[0] = prime_balanced(turn, p);
        for (size_t half = 1; half < of_tree; half *= 2) {
            const uint64_t w = residue_power(root, s->transform.odd * (of_tree / 2 / half), p);
            const struct prime_multiplier m = prime_multiplier(w, p);
            for (size_t i = 0; i < half; i++)
                row[half + i] = prime_balanced(prime_multiply(prime_pair_get(row[i], p), &m), p);
        }
    }
}

/* turns_fill - turn[back] of products modulo x^n + 1, back.   memory out; what is behind it. */
static double *turns_fill(struct prime_tables *t, const struct plan_shape *s, bool turned, unsigned back, double *memory)
{
    const uint64_t p = t->prime->p;
    t->turn[back] = NULL;
    if (!turned)
        return memory;
    const uint64_t w = prime_root(t->prime, 2 * s->transform.n_rows);
    t->turn[back] = memory;
    powers_fill(memory, s->transform.n_rows, back ? residue_inverse(w, p) : w, p);
    return memory + prime_whole_lines(2 * s->transform.n_rows);
}

void prime_tables_build(struct prime_tables *t, const struct plan_shape *s, const struct prime *prime, bool turned,
                        double *memory)
{
    const uint64_t p = prime->p, half_root = turned ? prime_root(prime, 2 * s->transform.n_points) : 1;
    assert(prime_is_halved(s) || s->transform.turned == turned);
    t->prime = prime;
    t->scale = prime_balanced(residue_inverse(s->transform.n_points % p, p), p);
    const uint64_t offset = residue_power(2, prime_offset_bits(s), p);
    t->offset = turned ? prime_balanced(offset, p) : 0.0;
    t->raise = s->bound.products > 0 && !turned ? prime_balanced(residue_mul(offset, s->transform.n_points % p, p), p) : 0.0;
    for (unsigned back = 0; back < 2; back++) {
        const uint64_t n_root = prime_root(prime, s->transform.n_points);
        t->root[back] = memory;
        t->leaf[back] = NULL;
        t->row[back] = t->root[back] + prime_whole_lines(2 * prime_root_count(s));
        memory = turns_fill(t, s, turned, back, t->row[back] + prime_whole_lines(s->transform.n_rows));
        prime_roots_fill(t->root[back], prime_root_count(s), prime, back);
        rows_fill(t->row[back], s, back ? residue_inverse(n_root, p) : n_root,
                  back ? residue_inverse(half_root, p) : half_root, p);
    }
    prime_odd_fill(t, s->transform.odd);
}

void prime_scale_join(struct prime_tables *t, const struct plan_shape *s, unsigned i)
{
    const uint64_t p = prime_table[i].p;
    uint64_t before = 1;
    assert(t->prime == &prime_table[i]);
    for (unsigned j = 0; j < i; j++)
        before = residue_mul(before, prime_table[j].p % p, p);
    t->scale = prime_balanced(residue_inverse(residue_mul(before, s->transform.n_points % p, p), p), p);
    if (t->offset != 0.0)
        t->offset = prime_balanced(residue_mul(residue_power(2, prime_offset_bits(s), p), residue_inverse(before, p), p), p);
}
