/* t-vec.c - every operation of every vector header against what it means on one double. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "base/cpu.h"
#include "test.h"
#include "vec_test.h"

static const struct vec_test *const built[] = {
#ifdef GFMUL_HAVE_AVX512
    &vec_test_avx512,
#endif
#ifdef GFMUL_HAVE_AVX2
    &vec_test_avx2,
#endif
#ifdef GFMUL_HAVE_SSE2
    &vec_test_sse2,
#endif
#ifdef GFMUL_HAVE_NEON
    &vec_test_neon,
#endif
    &vec_test_scalar,
};
enum { N_BUILT = sizeof built / sizeof *built, WIDEST = 8, ROUNDS = 20000 };

static bool usable(const struct vec_test *t)
{
    test_note("%s", t->isa);
    return cpu_isa_mask(NULL) & t->isa_bit;
}

/* A double of any sign and of a size that leaves products of two far from underflow and overflow; now and then a special one. */
static double any_double(void)
{
    static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 0x1p52, -0x1p52, 0x1.fffffffffffffp51, 134217729.0};
    uint64_t h = test_below(16);
    if (h == 0)
        return special[test_below(sizeof special / sizeof *special)];
    if (h < 4)
        return (double)(int64_t)test_below(2001) - 1000;
    double m = 1 + (double)(test_u64() >> 12) * 0x1p-52;
    return ldexp(test_u64() & 1 ? m : -m, (int)test_below(h < 12 ? 60 : 400) - (h < 12 ? 30 : 200));
}

static double meaning(enum vec_op op, bool has_fma, const double *a0, double a, double b, double c)
{
    switch (op) {
    case OP_SET1:
        return *a0;
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_DIV:
        return a / b;
    case OP_FMA:
        return has_fma ? fma(a, b, c) : a * b + c;
    case OP_FMS:
        return has_fma ? fma(a, b, -c) : a * b - c;
    case OP_FNMA:
        return has_fma ? fma(-a, b, c) : c - a * b;
    case OP_MAX_ABS:
        return fabs(a) > b ? fabs(a) : b;
    case OP_NEG:
        return -a;
    case OP_PRODUCT_ERROR:
        return fma(a, b, -(a * b));
    default:
        return a;
    }
}

static bool same_bits(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

static void test_double_operations(void)
{
    static const char *const names[OP_COUNT] = {"load, store", "stream", "set1", "add",     "sub", "mul",          "div",
                                                "fma",         "fms",    "fnma", "max_abs", "neg", "product_error"};
    for (unsigned i = 0; i < N_BUILT; i++) {
        const struct vec_test *t = built[i];
        if (!usable(t))
            continue;
        for (unsigned op = 0; op < OP_COUNT; op++)
            for (unsigned round = 0; round < ROUNDS; round++) {
                _Alignas(64) double a[WIDEST], b[WIDEST], c[WIDEST], r[WIDEST + 1];
                bool good = true;
                for (unsigned k = 0; k < WIDEST; k++) {
                    a[k] = any_double();
                    b[k] = any_double();
                    c[k] = any_double();
                    if (op >= OP_FMA && op <= OP_FNMA && test_below(3) == 0) /* cancellation: one rounding or two */
                        c[k] = op == OP_FMA ? -(a[k] * b[k]) : a[k] * b[k];
                    if (op == OP_DIV && b[k] == 0)
                        b[k] = 3;
                    if (op == OP_MAX_ABS) {
                        b[k] = fabs(b[k]);
                        if (test_below(50) == 0)
                            a[k] = test_u64() & 1 ? HUGE_VAL : -HUGE_VAL;
                        if (test_below(50) == 0)
                            a[k] = NAN;
                    }
                }
                r[t->width] = 77;
                t->op((enum vec_op)op, r, a, b, c);
                for (unsigned k = 0; k < t->width && good; k++) {
                    double want = meaning((enum vec_op)op, t->fma, a, a[k], b[k], c[k]);
                    bool same = same_bits(r[k], want) || (op >= OP_FMA && r[k] == want && r[k] == 0); /* either zero */
                    good = TEST_CHECK_MSG(same, "%s of %a %a %a is %a, should be %a (lane %u)", names[op], a[k], b[k], c[k], r[k],
                                          want, k);
                }
                good = TEST_CHECK_MSG(r[t->width] == 77, "%s writes beyond its lanes", names[op]) && good;
                if (!good)
                    break;
            }
    }
}

static int64_t int_meaning(enum vec_int_op op, int64_t a0, int64_t a, int64_t b, unsigned n)
{
    switch (op) {
    case INT_SET1:
        return a0;
    case INT_ADD:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case INT_INSERT: { /* bit by bit */
        uint64_t r = 0;
        for (unsigned k = 0; k < 64; k++)
            r |= (k < n ? (uint64_t)a >> k & 1 : (uint64_t)b >> (k - n) & 1) << k;
        return (int64_t)r;
    }
    case INT_SLL:
        return (int64_t)((uint64_t)a << n);
    case INT_SRL:
        return (int64_t)((uint64_t)a >> n);
    case INT_SRA: { /* floor(a / 2^n) */
        int64_t q = a;
        for (unsigned k = 0; k < n; k++)
            q = q / 2 - (q % 2 < 0);
        return q;
    }
    default:
        return a;
    }
}

static void test_integer_operations(void)
{
    static const char *const names[INT_OP_COUNT] = {"load, store", "set1", "add", "insert", "sll", "srl", "sra", "of_bits"};
    for (unsigned i = 0; i < N_BUILT; i++) {
        const struct vec_test *t = built[i];
        if (!usable(t))
            continue;
        for (unsigned op = 0; op < INT_OP_COUNT; op++)
            for (unsigned round = 0; round < ROUNDS; round++) {
                _Alignas(64) int64_t a[WIDEST], b[WIDEST], r[WIDEST + 1];
                unsigned n = round % (op == INT_SRA ? 63 : 64);
                bool good = true;
                for (unsigned k = 0; k < WIDEST; k++) {
                    a[k] = (int64_t)(test_u64() >> test_below(64));
                    b[k] = (int64_t)(test_u64() >> test_below(64));
                    if (test_u64() & 1)
                        a[k] = -(a[k] + 1);
                    if (op == INT_SRA) { /* |a| < 2^62 */
                        a[k] %= (int64_t)1 << 62;
                        if (test_below(10) == 0)
                            a[k] = test_u64() & 1 ? ((int64_t)1 << 62) - 1 : 1 - ((int64_t)1 << 62);
                    }
                }
                r[t->width] = 77;
                t->int_op((enum vec_int_op)op, r, a, b, n);
                for (unsigned k = 0; k < t->width && good; k++) {
                    int64_t want = int_meaning((enum vec_int_op)op, a[0], a[k], b[k], n);
                    good = TEST_CHECK_MSG(r[k] == want, "%s of %" PRId64 " %" PRId64 " by %u is %" PRId64 ", should be %" PRId64,
                                          names[op], a[k], b[k], n, r[k], want);
                }
                good = TEST_CHECK_MSG(r[t->width] == 77, "%s writes beyond its lanes", names[op]) && good;
                if (!good)
                    break;
            }
    }
}

static void test_transpose(void)
{
    for (unsigned i = 0; i < N_BUILT; i++) {
        const struct vec_test *t = built[i];
        if (!usable(t))
            continue;
        _Alignas(64) double m[WIDEST * WIDEST];
        for (unsigned k = 0; k < t->width * t->width; k++)
            m[k] = k;
        t->transpose(m);
        for (unsigned r = 0; r < t->width; r++)
            for (unsigned c = 0; c < t->width; c++)
                TEST_CHECK_MSG(m[r * t->width + c] == c * t->width + r, "row %u, lane %u is %g", r, c, m[r * t->width + c]);
    }
}

static void test_columns(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < N_BUILT; i++) {
        const struct vec_test *t = built[i];
        if (!usable(t) || !t->columns)
            continue;
        n++;
        enum { STRIDE = 16 };
        _Alignas(64) double m[WIDEST * STRIDE], r[2 * WIDEST];
        for (unsigned k = 0; k < WIDEST * STRIDE; k++)
            m[k] = k;
        for (unsigned from = 0; from < STRIDE; from += 2) {
            t->columns(r, m + from, STRIDE);
            for (unsigned k = 0; k < 2; k++)
                for (unsigned row = 0; row < t->width; row++)
                    TEST_CHECK_MSG(r[k * t->width + row] == row * STRIDE + from + k, "column %u, lane %u is %g", from + k, row,
                                   r[k * t->width + row]);
        }
    }
    if (n == 0)
        TEST_SKIP("no instruction set here has it");
}

static void test_store_part(void)
{
    for (unsigned i = 0; i < N_BUILT; i++) {
        const struct vec_test *t = built[i];
        if (!usable(t))
            continue;
        _Alignas(64) double a[WIDEST], r[WIDEST + 2];
        for (unsigned n = 0; n <= t->width; n++) {
            for (unsigned k = 0; k < WIDEST + 2; k++)
                r[k] = -1.0 - k;
            for (unsigned k = 0; k < t->width; k++)
                a[k] = k;
            t->store_part(r + 1, a, n);
            for (unsigned k = 0; k < WIDEST + 2; k++) {
                const double want = k >= 1 && k <= n ? k - 1.0 : -1.0 - k;
                TEST_CHECK_MSG(r[k] == want, "store_part of %u: place %u is %g, should be %g", n, k, r[k], want);
            }
        }
    }
}

static void test_conversions(void)
{
    const int64_t top = (int64_t)1 << 51;
    for (unsigned i = 0; i < N_BUILT; i++) {
        const struct vec_test *t = built[i];
        if (!usable(t))
            continue;
        for (unsigned round = 0; round < ROUNDS; round++) {
            _Alignas(64) int32_t d[WIDEST + 1];
            _Alignas(64) double r[WIDEST], x[WIDEST];
            _Alignas(64) int64_t v[WIDEST], want[WIDEST];
            bool good = true;
            for (unsigned k = 0; k < WIDEST; k++) {
                d[k] = (int32_t)test_u64();
                if (test_below(8) == 0)
                    d[k] = test_u64() & 1 ? INT32_MIN : INT32_MAX;
                want[k] = (int64_t)test_below(2 * (uint64_t)top - 1) - (top - 1);
                if (test_below(8) == 0)
                    want[k] = test_below(3) == 0 ? 0 : test_u64() & 1 ? top - 1 : 1 - top;
                x[k] = (double)want[k] + 0x1.8p52;
            }
            t->from_i32(r, d);
            t->from_magic(v, x);
            for (unsigned k = 0; k < t->width && good; k++)
                good = TEST_CHECK_MSG(same_bits(r[k], (double)d[k]), "from_i32 of %" PRId32 " is %g", d[k], r[k]) &&
                       TEST_CHECK_MSG(v[k] == want[k], "int_from_magic is %" PRId64 ", should be %" PRId64, v[k], want[k]);
            if (!good)
                break;
        }
    }
}

/* Every number below 10^4, in either half. */
static void test_decimal(void)
{
    for (unsigned i = 0; i < N_BUILT; i++) {
        const struct vec_test *t = built[i];
        if (!usable(t))
            continue;
        bool good = true;
        for (unsigned u = 0; u < 10000 && good; u++) {
            _Alignas(64) int64_t a[WIDEST], r[WIDEST];
            unsigned v[WIDEST];
            for (unsigned k = 0; k < t->width; k++) {
                v[k] = k == 0 ? 9999 - u : (unsigned)test_below(10000);
                a[k] = (int64_t)((uint64_t)v[k] << 32 | (u + k) % 10000);
            }
            t->decimal(r, a);
            for (unsigned k = 0; k < t->width && good; k++) {
                char want[16];
                snprintf(want, sizeof want, "%04u%04u", (u + k) % 10000, v[k]);
                good = TEST_CHECK_MSG(memcmp(want, &r[k], 8) == 0, "lane %u: %.8s, should be %s", k, (const char *)&r[k], want);
            }
        }
    }
}

/* ((8 bytes at p + offset, little-endian) << left >> right, with its sign, + 1) >> 1 */
static void test_cut(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < N_BUILT; i++) {
        const struct vec_test *t = built[i];
        if (!usable(t) || t->cut_i32 == NULL)
            continue;
        n++;
        for (unsigned round = 0; round < ROUNDS; round++) {
            unsigned char bytes[64];
            _Alignas(64) int64_t offset[WIDEST], left[WIDEST];
            int32_t d[WIDEST + 1];
            unsigned right = (unsigned)test_between(33, 62);
            bool good = true;
            for (unsigned k = 0; k < sizeof bytes; k++)
                bytes[k] = test_below(3) ? (unsigned char)test_u64() : test_u64() & 1 ? 0xff : 0;
            for (unsigned k = 0; k < WIDEST; k++) {
                offset[k] = (int64_t)test_below(49) - 8;
                left[k] = (int64_t)test_below(64);
            }
            d[t->width] = 77;
            t->cut_i32(d, (const char *)bytes + 8, offset, left, right);
            for (unsigned k = 0; k < t->width && good; k++) {
                uint64_t w = 0;
                for (unsigned b = 0; b < 8; b++)
                    w |= (uint64_t)bytes[8 + offset[k] + b] << (8 * b);
                int64_t s = int_meaning(INT_SRA, 0, int_meaning(INT_SRA, 0, (int64_t)(w << left[k]), 0, right) + 1, 0, 1);
                good = TEST_CHECK_MSG(d[k] == s, "cut_i32 of %016" PRIx64 " left %d right %u is %" PRId32 ", should be %" PRId64,
                                      w, (int)left[k], right, d[k], s);
            }
            good = TEST_CHECK_MSG(d[t->width] == 77, "cut_i32 writes beyond its lanes") && good;
            if (!good)
                break;
        }
    }
    if (n == 0)
        TEST_SKIP("no instruction set here has it");
}

/* Likewise, of four bytes that are picked from the sixteen at p + at of each four digits; 0x80 picks a zero. */
static void test_cut_quads(void)
{
    enum { QUADS = 16 };
    unsigned n = 0;
    for (unsigned i = 0; i < N_BUILT; i++) {
        const struct vec_test *t = built[i];
        if (!usable(t) || t->cut_quads == NULL)
            continue;
        n++;
        for (unsigned round = 0; round < ROUNDS; round++) {
            unsigned char bytes[96];
            _Alignas(64) uint8_t pick[4 * QUADS];
            _Alignas(64) int32_t left[QUADS], at[QUADS / 4];
            int32_t d[QUADS + 1];
            const unsigned right = (unsigned)test_between(1, 31);
            bool good = true;
            for (unsigned k = 0; k < sizeof bytes; k++)
                bytes[k] = test_below(3) ? (unsigned char)test_u64() : test_u64() & 1 ? 0xff : 0;
            for (unsigned k = 0; k < QUADS; k++) {
                at[k / 4] = (int32_t)test_below(64) - 1;
                left[k] = (int32_t)test_below(32);
                for (unsigned b = 0; b < 4; b++)
                    pick[4 * k + b] = test_below(16) ? (uint8_t)test_below(16) : 0x80;
            }
            d[t->n_quads] = 77;
            t->cut_quads(d, (const char *)bytes + 1, at, pick, left, right);
            for (unsigned k = 0; k < t->n_quads && good; k++) {
                uint32_t w = 0;
                for (unsigned b = 0; b < 4; b++)
                    w |= (uint32_t)(pick[4 * k + b] & 0x80 ? 0 : bytes[1 + at[k / 4] + pick[4 * k + b]]) << (8 * b);
                int64_t s = int_meaning(INT_SRA, 0, int_meaning(INT_SRA, 0, (int32_t)(w << left[k]), 0, right) + 1, 0, 1);
                good = TEST_CHECK_MSG(d[k] == s, "cut_quads of %08" PRIx32 " left %d right %u is %" PRId32 ", should be %" PRId64,
                                      w, (int)left[k], right, d[k], s);
            }
            good = TEST_CHECK_MSG(d[t->n_quads] == 77, "cut_quads writes beyond its lanes") && good;
            if (!good)
                break;
        }
    }
    if (n == 0)
        TEST_SKIP("no instruction set here has it");
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_double_operations);
    TEST_RUN(test_integer_operations);
    TEST_RUN(test_transpose);
    TEST_RUN(test_columns);
    TEST_RUN(test_store_part);
    TEST_RUN(test_conversions);
    TEST_RUN(test_decimal);
    TEST_RUN(test_cut);
    TEST_RUN(test_cut_quads);
    return test_end();
}
