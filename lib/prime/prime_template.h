/*
 * prime_template.h - all stages modulo primes that are compiled once per instruction set.
 *
 * Included by isa/prime_stages.c after vec/vec.h; it defines `const struct prime_ops prime_ops_<isa>`.
 */
#include <string.h>

#include "base/cpu.h"
#include "base/rounding.h"
#include "base/work_share.h"
#include "limbs/limb_bits.h"
#include "prime/prime_ops.h"

#define STAGE_INLINE static inline __attribute__((always_inline))

#include "prime/prime_field.h"
#include "prime/prime_transform.h"
#include "prime/prime_columns.h"
#include "prime/prime_rows.h"
#include "prime/prime_sums.h"
#include "prime/prime_join.h"
#include "prime/prime_ring_stages.h"
#include "prime/prime_ring_product.h"
#include "prime/prime_combine.h"

/* field_test - see struct prime_ops. */
static void field_test(const struct prime *prime, double *mul, double *any, double *reduced, const double *x, const double *w,
                       size_t n)
{
    const struct field f = field_of(prime);
    for (size_t i = 0; i < n; i += VEC_WIDTH) {
        const vec v = vec_load(w + i);
        vec_store(mul + i, field_mul(&f, vec_load(x + i), (struct field_factor){v, vec_div(v, f.p)}));
        vec_store(reduced + i, field_reduce(&f, vec_load(x + i)));
        vec_store(any + i, field_mul_any(&f, vec_load(x + i), v));
    }
}

extern const struct prime_ops ISA_NAME(prime_ops_);
const struct prime_ops ISA_NAME(prime_ops_) = {
    .width = VEC_WIDTH,
    .digits_to_columns = digits_to_columns,
    .rows_mul = rows_mul,
    .rows_sums = rows_sums,
    .columns_to_residues = columns_to_residues,
    .residues_join = residues_join,
    .field_test = field_test,
    .ring_powers = ring_powers,
    .ring_words_forward = ring_words_forward,
    .ring_words_back = ring_words_back,
    .ring_cut = ring_cut,
    .ring_words_mul = ring_words_mul,
    .ring_forward = ring_doubles_forward,
    .ring_back = ring_doubles_back,
    .ring_finish = ring_finish,
    .ring_multiply = ring_multiply,
    .ring_factor = ring_factor,
    .ring_product = ring_product,
    .residues_combine = residues_combine,
};
