/* t-vec.c - every operation of every vector header against what it means on one double. */
/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <math.h>

#include "base/cpu.h"
#include "test.h"
#include "vec_test.h"

#define ISA(name, ...)                            \
    extern const struct vec_test vec_test_##name; \
    extern const struct vec_lanes vec_lanes_double_##name, vec_lanes_float_##name;
#include "base/isa.def"

/* Of each instruction set that is built. */
static const struct {
    const char *isa;
    const struct vec_test *test;
    const struct vec_lanes *of_double, *of_float;
} sets[CPU_ISA_COUNT] = {
#define ISA(name, NAME, ...)                                                                                  \
    {#name, GFMUL_HAVE_##NAME ? &vec_test_##name : NULL, GFMUL_HAVE_##NAME ? &vec_lanes_double_##name : NULL, \
     GFMUL_HAVE_##NAME ? &vec_lanes_float_##name : NULL},
#include "base/isa.def"
};
enum { WIDEST = 8, ROUNDS = 20000 };

/* What is tested of an instruction set; NULL: this machine does not have it. */
static const struct vec_test *usable(unsigned i)
{
    test_note("%s", sets[i].isa);
    return cpu_isa_mask(NULL) >> i & 1 ? sets[i].test : NULL;
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
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++) {
        const struct vec_test *t = usable(i);
        if (!t)
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
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++) {
        const struct vec_test *t = usable(i);
        if (!t)
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
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++) {
        const struct vec_test *t = usable(i);
        if (!t)
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
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++) {
        const struct vec_test *t = usable(i);
        if (!t || !t->columns)
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
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++) {
        const struct vec_test *t = usable(i);
        if (!t)
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
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++) {
        const struct vec_test *t = usable(i);
        if (!t)
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
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++) {
        const struct vec_test *t = usable(i);
        if (!t)
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
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++) {
        const struct vec_test *t = usable(i);
        if (!t || t->cut_i32 == NULL)
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
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++) {
        const struct vec_test *t = usable(i);
        if (!t || t->cut_quads == NULL)
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

/* Numbers as a vec_lanes has them. */
enum { LANES_WIDEST = 16, LANES_NUMBERS = LANES_WIDEST * LANES_WIDEST };
union numbers {
    double d[LANES_NUMBERS];
    float f[LANES_NUMBERS];
};

static double number_get(const union numbers *x, bool is_float, size_t i)
{
    return is_float ? (double)x->f[i] : x->d[i];
}

static void number_set(union numbers *x, bool is_float, size_t i, double value)
{
    if (is_float)
        x->f[i] = (float)value;
    else
        x->d[i] = value;
}

static double lanes_fma(bool is_float, bool fused, double a, double b, double c)
{
    if (is_float) {
        const float x = (float)a, y = (float)b, z = (float)c;
        return (double)(fused ? fmaf(x, y, z) : x * y + z);
    }
    return fused ? fma(a, b, c) : a * b + c;
}

/* What number k of the result is; *kept: it is what was there. */
static double lanes_meaning(enum vec_lanes_op op, const struct vec_lanes *t, bool is_float, const union numbers *a,
                            const union numbers *b, const union numbers *c, unsigned lanes, unsigned k, bool *kept)
{
    const unsigned w = t->width, in = k % w;
    const double x = number_get(a, is_float, k), y = number_get(b, is_float, k), z = number_get(c, is_float, k);
    const bool pairs = op == LANES_LOAD_PAIRS || op == LANES_LOAD_PAIRS_HALF || op == LANES_STORE_PAIRS;
    *kept = op == LANES_TRANSPOSE ? k >= w * w : op == LANES_STORE ? k >= lanes : k >= (pairs ? 2 * w : w);
    switch (op) {
    case LANES_SET1:
        return number_get(a, is_float, 0);
    case LANES_FMA:
        return lanes_fma(is_float, t->fma, x, y, z);
    case LANES_FMS:
        return lanes_fma(is_float, t->fma, x, y, -z);
    case LANES_FNMA:
        return lanes_fma(is_float, t->fma, -x, y, z);
    case LANES_LOAD:
        return k < lanes ? x : 0;
    case LANES_ZIP_LOW:
    case LANES_ZIP_HIGH: {
        const unsigned from = (op == LANES_ZIP_HIGH ? w / 2 : 0) + k / 2;
        return number_get(w == 1 ? (op == LANES_ZIP_HIGH ? b : a) : k % 2 ? b : a, is_float, from);
    }
    case LANES_LOAD_PAIRS:
        return number_get(a, is_float, 2 * in + k / w);
    case LANES_LOAD_PAIRS_HALF:
        *kept = *kept || (w > 1 && in >= w / 2); /* any numbers */
        return number_get(a, is_float, 2 * in + k / w);
    case LANES_STORE_PAIRS:
        return number_get(k % 2 ? b : a, is_float, k / 2);
    case LANES_BACK:
        return number_get(a, is_float, w - 1 - in);
    case LANES_TRANSPOSE:
        return number_get(a, is_float, k % w * w + k / w);
    default:
        return x;
    }
}

static void check_lanes(const struct vec_lanes *t, bool is_float, enum vec_lanes_op op, unsigned lanes)
{
    static union numbers a, b, c, r;
    const size_t one = is_float ? sizeof a.f[0] : sizeof a.d[0];
    for (size_t i = 0; i < LANES_NUMBERS; i++) {
        number_set(&a, is_float, i, is_float ? fmod(any_double(), 0x1p20) : any_double());
        number_set(&b, is_float, i, is_float ? fmod(any_double(), 0x1p20) : any_double());
        number_set(&c, is_float, i, is_float ? fmod(any_double(), 0x1p20) : any_double());
        if (op >= LANES_FMA && op <= LANES_FNMA && test_below(3) == 0) /* cancellation: one rounding or two */
            number_set(&c, is_float, i,
                       (op == LANES_FMA ? -1 : 1) *
                           lanes_fma(is_float, false, number_get(&a, is_float, i), number_get(&b, is_float, i), 0));
        number_set(&r, is_float, i, 77);
    }
    union numbers apart = a; /* not aligned to a vector */
    memmove((char *)&apart + one, &a, sizeof a - one);
    const bool whole = op == LANES_TRANSPOSE;
    t->op(op, &r, whole ? (const char *)&a : (const char *)&apart + one, &b, &c, lanes);
    for (unsigned k = 0; k < LANES_NUMBERS; k++) {
        bool kept;
        const double got = number_get(&r, is_float, k), want = lanes_meaning(op, t, is_float, &a, &b, &c, lanes, k, &kept);
        if (op == LANES_LOAD_PAIRS_HALF && kept && k < 2 * t->width)
            continue;
        if (!TEST_CHECK_MSG(same_bits(got, kept ? 77 : want) || (got == 0 && want == 0),
                            "operation %d, %u lanes: number %u is %a, should be %a", (int)op, lanes, k, got, kept ? 77 : want))
            return;
    }
}

static void test_lanes(void)
{
    for (unsigned i = 0; i < CPU_ISA_COUNT; i++)
        for (unsigned is_float = 0; is_float < 2 && usable(i); is_float++) {
            const struct vec_lanes *t = is_float ? sets[i].of_float : sets[i].of_double;
            const unsigned lanes[] = {1, t->width > 1 ? t->width / 2 : 1, t->width};
            test_note("%s %s", sets[i].isa, is_float ? "float" : "double");
            for (unsigned op = 0; op < LANES_COUNT; op++)
                for (unsigned round = 0; round < 300; round++)
                    check_lanes(t, is_float, (enum vec_lanes_op)op, lanes[round % 3]);
        }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    TEST_RUN(test_double_operations);
    TEST_RUN(test_integer_operations);
    TEST_RUN(test_transpose);
    TEST_RUN(test_lanes);
    TEST_RUN(test_columns);
    TEST_RUN(test_store_part);
    TEST_RUN(test_conversions);
    TEST_RUN(test_decimal);
    TEST_RUN(test_cut);
    TEST_RUN(test_cut_quads);
    return test_end();
}
