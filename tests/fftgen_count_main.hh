/*
 * fftgen_count_main.hh - run a generated transform that counts, compare it with the formula and a slow transform.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * t-fftgen_counts.sh includes it behind the kernels, stages_run(), nonzero() and INDEX(), and defines ALGORITHM, LOGN and TABLE.
 */
#undef double
#undef double2

/* Operations of a radix: its codelets, and twiddles of 6, at an eighth of a turn 4, at quarters 0. */
static int64_t radix_operations(int64_t n, int64_t r)
{
    if (n == 1)
        return 0;
    if (n < r)
        return n == 2 ? 4 : 16;
    int64_t sum = r * radix_operations(n / r, r) + n / r * (r == 2 ? 4 : r == 4 ? 16 : 56);
    for (int64_t j = 1; j < r; j++)
        for (int64_t k = 0; k < n / r; k++)
            sum += 4 * j * k % n == 0 ? 0 : 8 * j * k % n == 0 ? 4 : 6;
    return sum;
}

/* The published count [JF07]; of a radix that does not divide LOGN the same recursion has no closed form. */
static int64_t formula(char algorithm, int lg)
{
    const int64_t n = (int64_t)1 << lg, sign = lg % 2 ? -1 : 1;
    int64_t closed = -1;

    if (algorithm == 'S' || algorithm == 'C')
        return 4 * n * lg - 6 * n + 8;
    if (algorithm == 'T')
        return (102 * n * lg - 124 * n - 54 * lg - sign * 6 * lg + sign * 16 + 216) / 27;
    if (algorithm == '2')
        closed = 5 * n * lg - 10 * n + 16;
    else if (algorithm == '4' && lg % 2 == 0)
        closed = (51 * n * lg - 86 * n + 128) / 12;
    else if (algorithm == '8' && lg % 3 == 0)
        closed = (49 * n * lg - 75 * n + 96) / 12;
    const int64_t counted = radix_operations(n, algorithm - '0');
    if (closed >= 0 && closed != counted) {
        printf("the formula of radix %c is wrong here: %lld, %lld\n", algorithm, (long long)closed, (long long)counted);
        exit(1);
    }
    return counted;
}

static std::vector<pair_of> table_read(const char *name)
{
    std::vector<pair_of> table;
    FILE *f = fopen(name, "rb");
    double z[2];
    while (f && fread(z, sizeof z, 1, f) == 1)
        table.push_back(pair_of{z[0], z[1]});
    if (f)
        fclose(f);
    table.resize(table.size() + 1);
    return table;
}

typedef std::vector<std::complex<long double>> points;

/*
 * random_part - the next number, from -1 to 1.  Bits are mixed: 2^k steps of a generator by products alone hardly change its upper
 * bits, so that nodes of a transform would have peaks, and their results errors, as large as the root of N.
 */
static double random_part(uint64_t &state)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)(int64_t)(z ^ z >> 31) / 9223372036854775808.0;
}

static std::complex<long double> product(const std::complex<long double> &a, const std::complex<long double> &b)
{
    return std::complex<long double>(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}

/* The transform of x by radix 2, in place. */
static void transform(points &x)
{
    const size_t n = x.size();
    points w(n / 2 + 1);

    for (size_t k = 0; k < n / 2; k++) {
        const long double angle = -6.28318530717958647692528676655900577L * (long double)k / (long double)n;
        w[k] = std::complex<long double>(cosl(angle), sinl(angle));
    }
    for (size_t j = 0, r = 0; j < n; j++) {
        if (j < r)
            std::swap(x[j], x[r]);
        size_t bit = n / 2;
        for (; bit > 0 && (r & bit); bit /= 2)
            r ^= bit;
        r |= bit;
    }
    for (size_t half = 1; half < n; half *= 2)
        for (size_t j = 0; j < n; j += 2 * half)
            for (size_t k = 0; k < half; k++) {
                const std::complex<long double> a = x[j + k], b = product(x[j + k + half], w[k * (n / 2 / half)]);
                x[j + k] = a + b;
                x[j + k + half] = a - b;
            }
}

int main()
{
    const size_t n = (size_t)1 << LOGN;
    std::vector<pair_of> in(n), out(n), table = table_read(TABLE);
    points x(n);
    uint64_t state = 1;
    long double error = 0, norm = 0;
    bool zeros = false;

    for (size_t j = 0; j < n; j++) {
        double z[2];
        for (double &part : z) {
            const double next = random_part(state);
            part = nonzero(j) ? next : 0;
        }
        in[j] = pair_of{z[0], z[1]};
        x[j] = std::complex<long double>(z[0], z[1]);
        norm += std::norm(x[j]);
        zeros = zeros || !nonzero(j);
    }
    stages_run(in.data(), out.data(), table.data());
    const uint64_t got = additions + products;
    transform(x);
    for (size_t k = 0; k < n; k++) {
        const pair_of y = out[INDEX((uint32_t)k)];
        error = std::max(error, std::abs(x[k] - std::complex<long double>(y.x.v, y.y.v)));
    }
    /* the largest error against the mean size of a result */
    error /= sqrtl(norm);
    const int64_t want = formula(ALGORITHM, LOGN);
    const double more = 100 * ((double)got / (double)want - 1);
    printf("%c\t%d\t%llu\t%llu\t%llu\t%lld\t%+.3f\t%.2Lg\n", ALGORITHM, LOGN, (unsigned long long)additions,
           (unsigned long long)products, (unsigned long long)got, (long long)want, more, error);
    /* with zeros they are compared by t-gen_numbers, and here with what the analysis says */
    const bool right = zeros ? more < 0 : LOGN <= 8 ? (int64_t)got == want : more <= 3 && more >= -3;
    return !(right && error < (LOGN + 4) * 3e-16L);
}
