# SPDX-License-Identifier: LGPL-3.0-or-later
"""Integers stay exact wherever the package takes numbers, or the error says why not: against Python's own integers."""

import decimal
import itertools
import os
import random
import unittest
import warnings
from fractions import Fraction

import gfmul

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("numpy is not installed") from None

SEED = int(os.environ.get("GFMUL_TEST_SEED", random.SystemRandom().randrange(2**32)))
LONG = int(os.environ.get("GFMUL_TEST_LONG", "0"))
DTYPES = [np.dtype(t) for t in ("?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", ">i4", ">u8", "O")]


def exact(a, b, kind="full"):
    """The convolution of two lists by its definition."""
    n = len(a) + len(b) - 1
    z = [0] * n
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            z[i + j] += int(x) * int(y)
    if kind == "full":
        return z
    sign = 1 if kind == "cyclic" else -1
    return [z[i] + (sign * z[i + len(a)] if i + len(a) < n else 0) for i in range(len(a))]


class Case(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(SEED)

    def same(self, got, want, what=""):
        if got.tolist() != want:
            self.fail(f"{what}: not exact, GFMUL_TEST_SEED={SEED}")
        if got.dtype == object:
            self.assertTrue(all(type(x) is int for x in got.flat), f"{what}: {[type(x) for x in got.flat][:5]}")

    def number(self, dtype):
        """A number of a dtype: extreme ones are as likely as others."""
        if dtype == object:
            return self.random.choice((0, 1, -1)) * self.random.getrandbits(self.random.choice((1, 63, 64, 65, 200, 1000)))
        low, high = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
        return self.random.choice((low, high, high - 1 if high > 1 else high, 0, 1, self.random.randint(low, high)))

    def row(self, dtype, n):
        return [self.number(dtype) for _ in range(n)]


class Dtypes(Case):
    def test_pairs(self):
        """Every pair of dtypes: exact, modulo 2**64, and modulo small and large numbers."""
        for s, t in itertools.product(DTYPES, DTYPES):
            for an, bn in ((1, 1), (5, 9), (40, 3)):
                a, b = self.row(s, an), self.row(t, bn)
                x, y, want, what = np.array(a, s), np.array(b, t), exact(a, b), f"{s} {t} {an} {bn}"
                z = gfmul.convolve(x, y)
                self.same(z, want, what)
                self.assertIn(z.dtype, (object,) if object in (s, t) else (object, np.int64))
                if object not in (s, t):
                    size = min(an, bn) * max(map(abs, a)) * max(map(abs, b))
                    self.assertEqual(z.dtype == np.int64, size < 2**63 or max(map(abs, want)) < 2**63 <= max(
                        map(max, (a, b))) and min(map(min, (a, b))) < 0, what)
                self.same(gfmul.convolve(x, y, dtype=np.uint64), [v % 2**64 for v in want], what)
                self.same(gfmul.convolve(x, y, dtype="int64"), [(v + 2**63) % 2**64 - 2**63 for v in want], what)
                self.same(gfmul.convolve(x, y, dtype=object), want, what)
                for m in (2, 97, 2**31, 2**63 - 25, 2**63, 2**64 - 1, 2**64, 3**100):
                    z = gfmul.convolve(x, y, modulus=m)
                    self.same(z, [v % m for v in want], f"{what} modulo {m}")
                    self.assertEqual(z.dtype, np.uint64 if m < 2**64 else object)
                self.same(gfmul.correlate(x, y), exact(a, b[::-1]), what)

    def test_mixed_lists(self):
        ends = (-(2**63) - 1, -(2**63), -1, 0, 1, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1, 2**64, 2**200)
        for a in itertools.product(ends, ends):
            for b in ([3, 5], [-3], [2**63 + 5], [-(2**63), 2**64 - 1], [2**300, -1, 0]):
                self.same(gfmul.convolve(list(a), b), exact(a, b), f"{a} {b}")
        self.same(gfmul.convolve([2**63 + 1, -1, 7], [3, 5], modulus=np.uint64(97)), [v % 97 for v in exact(
            [2**63 + 1, -1, 7], [3, 5])])
        rows = [[2**63 + 1, -1], [2**64 - 1, -(2**63)]]
        z = gfmul.convolve(rows, [[2**63 + 3], [-7]])
        self.same(z, [exact(rows[0], [2**63 + 3]), exact(rows[1], [-7])])
        scalars = [np.uint64(2**63 + 1), np.int64(-1), np.int8(7)]
        for x in (scalars, tuple(scalars), np.array(scalars, object), [np.array(2**63 + 1, np.uint64), -1, 7]):
            self.same(gfmul.convolve(x, [3, np.uint64(2**64 - 1)]), exact([2**63 + 1, -1, 7], [3, 2**64 - 1]))
        self.same(gfmul.convolve([True, False], [2**64, -1]), exact([1, 0], [2**64, -1]))

    def test_mixed_scalars(self):
        """numpy makes floats of signed and unsigned words, of any size, and so rounds them from 2**53 on."""
        for ends in itertools.product((-1, -(2**53) - 1), (0, 3, 2**53 + 1, 2**60 + 1, 2**63 - 1)):
            a = list(ends)
            for x in ([np.int64(a[0]), np.uint64(a[1])], [a[0], np.uint64(a[1])], [np.array(a[0]), np.array(a[1], np.uint64)]):
                self.same(gfmul.convolve(x, [3]), exact(a, [3]), f"{x}")
                self.assertEqual([Fraction(v["hi"]) + Fraction(v["lo"]) for v in gfmul.dd(x)], a)
                self.same(gfmul.ntt(x, 17), [sum(a) % 17, (a[0] - a[1]) % 17], f"{x}")
            rows = [np.array([a[0], 5]), np.array([a[1], 7], np.uint64)]
            self.same(gfmul.convolve(rows, [[1]]), [[a[0], 5], [a[1], 7]], f"{rows}")
        self.assertEqual(gfmul.convolve([np.float32(0.5), np.uint64(3)], [1]).dtype, np.float64)

    def test_subclasses(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numpy would rather have no matrix
            matrix = np.matrix([[1, 2**62], [-3, 4]])
        for x in (matrix, np.ma.array([[1, 2**62], [-3, 4]])):
            z = gfmul.convolve(x, x)
            self.same(z, [exact([1, 2**62], [1, 2**62]), exact([-3, 4], [-3, 4])])
            self.assertIs(type(z), np.ndarray)
            self.assertIs(type(gfmul.fft(x)), np.ndarray)
        masked = np.ma.array([1, 2, 3, 4], mask=[0, 1, 0, 0])
        for call in (gfmul.fft, gfmul.rfftn, gfmul.dd, lambda x: gfmul.convolve([1], x), lambda x: gfmul.ntt(x, 17)):
            with self.assertRaisesRegex(TypeError, "masked"):
                call(masked)

    def test_any_size(self):
        """Short and long numbers, few and many of them, numbers of very different sizes."""
        sizes = ((1, 1, 100000, 1), (300, 2, 70, 5000), (2, 300, 1, 20000), (200, 150, 66, 300), (64, 64, 129, 129),
                 (3000, 1, 100, 64))
        for an, bn, a_bits, b_bits in sizes + (((5000, 3000, 500, 65),) if LONG else ()):
            a = [self.random.choice((1, -1)) * self.random.getrandbits(a_bits) for _ in range(an)]
            b = [self.random.choice((1, -1)) * self.random.getrandbits(b_bits) for _ in range(bn)]
            self.same(gfmul.convolve(a, b), exact(a, b), f"{an} {bn} {a_bits} {b_bits}")
        top = 2**64 - 1
        for a, b in (([-(2**80)] * 30, [2**80] * 30), ([-(2**80)] * 30, [-(2**80)] * 30), ([top + 1] * 255, [top] * 255),
                     ([2**100000] + [1] * 200, [1] * 50), ([0] * 50 + [2**70], [0] * 9), ([1, -(2**64)], [2**64, 1])):
            for kind in ("full", "cyclic", "negacyclic"):
                n = min(len(a), len(b))
                x, y = (a, b) if kind == "full" else (a[:n], b[:n])
                self.same(gfmul.convolve(x, y, kind=kind), exact(x, y, kind), kind)

    def test_threads_and_device_of_long_integers(self):
        a, b = [2**100, -3], [5, 2**65]
        self.same(gfmul.convolve(a, b, threads=1, device="cpu"), exact(a, b))
        with self.assertRaises(gfmul.Error):
            gfmul.convolve(a, b, device="no such device")

    def test_layouts(self):
        """Arrays with gaps, not aligned, of foreign byte order, read-only."""
        a = self.row(np.dtype(np.int64), 40)
        raw = np.frombuffer(b"\0" * 44 + np.array(a).tobytes(), np.uint8)[44:].view(np.int64)
        self.assertFalse(raw.flags.aligned or raw.flags.writeable)
        gaps = np.zeros(120, np.int64)
        gaps[::3] = a
        for x in (raw, gaps[::3], np.array(a[::-1])[::-1], np.array(a, ">i8")):
            self.same(gfmul.convolve(x, [1, 2]), exact(a, [1, 2]))
            self.same(gfmul.convolve([1, 2], x, modulus=97), [v % 97 for v in exact(a, [1, 2])])
            self.assertEqual(gfmul.ntt(x, 97, 32).tolist(), gfmul.ntt(a, 97, 32).tolist())
            self.assertTrue(np.allclose(gfmul.rfft(x), np.fft.rfft(np.array(a, float)), rtol=1e-9))
        floats = np.frombuffer(b"\0" * 3 + np.arange(9.0).tobytes(), np.uint8)[3:].view(float)
        self.assertEqual(gfmul.convolve(floats, [1.0]).round(9).tolist(), list(range(9)))


class Reasons(Case):
    def test_refused(self):
        fraction = [Fraction(1, 3), 1]
        for call, words in (
                (lambda: gfmul.convolve([1.5, 2.0], [3.0], dtype=np.int64), "results .* float64, not int64"),
                (lambda: gfmul.convolve([1.5], [1], dtype=object), "results .* float64, not"),
                (lambda: gfmul.convolve([1], [1], dtype=np.int32), "int64, uint64 or object, not int32"),
                (lambda: gfmul.convolve([1], [1], dtype=float), "int64, uint64 or object, not float64"),
                (lambda: gfmul.convolve([1.5], [1], modulus=5), "integers, not for float64"),
                (lambda: gfmul.convolve([1], [1], modulus=5, dtype=np.int64), "leave dtype out"),
                (lambda: gfmul.convolve(fraction, [1]), "number 0 is .*of type Fraction"),
                (lambda: gfmul.convolve(np.array([1, 2.0], object), [1]), "number 1 is 2.0, of type float"),
                (lambda: gfmul.convolve([2**64, 1], [1.5]), "beside numbers of dtype float64"),
                (lambda: gfmul.convolve([1], [decimal.Decimal(1)]), "of type Decimal"),
                (lambda: gfmul.convolve(["1"], [1]), "dtype <U1"),
                (lambda: gfmul.convolve(np.array(["2020"], "M8[Y]"), [1]), "dtype datetime64"),
                (lambda: gfmul.ntt([1.0, 2], 17), "integers, not for float64"),
                (lambda: gfmul.convolve([1], [1], modulus=2.0), "integer"),
                (lambda: gfmul.prod([2, 1.5]), "integer"),
                (lambda: gfmul.mul(np.array([1, -1]), np.array([1], np.uint64)), "unsigned words of 64 bits"),
                (lambda: gfmul.mul(np.array([2**64], object), 1), ""),
                (lambda: gfmul.mul(np.float64(3), 1), "integer")):
            with self.assertRaisesRegex(TypeError, words):
                call()
        with self.assertRaises(ValueError):
            gfmul.convolve([1], [1], modulus=1)

    def test_prod(self):
        self.assertEqual(gfmul.prod([]), 1)
        self.assertEqual(gfmul.prod([], start=-7), -7)
        for n in (1, 2, 3, 1000):
            factors = [self.number(np.dtype(object)) or 1 for _ in range(n)]
            want = 5
            for x in factors:
                want *= x
            self.assertEqual(gfmul.prod(iter(factors), start=5), want)
        self.assertEqual(gfmul.prod(np.array([2**63, 2**64 - 1], np.uint64)), 2**63 * (2**64 - 1))
        self.assertEqual(gfmul.prod([3**9000, 0, -1]), 0)
        self.assertIs(type(gfmul.prod([True, np.int8(2)])), int)
        try:
            import gmpy2
        except ImportError:
            return
        z = gfmul.prod([gmpy2.mpz(3) ** 3000, 2, -(5**3000)])
        self.assertEqual((type(z), z), (type(gmpy2.mpz()), -2 * 15**3000))


class DoubleDouble(Case):
    """Long double and double-double against rational numbers."""

    def rationals(self, x):
        if x.dtype.names == ("hi", "lo"):
            return [Fraction(h) + Fraction(l) for h, l in zip(x["hi"].tolist(), x["lo"].tolist())]
        return [Fraction(*v.as_integer_ratio()) for v in x]

    def near(self, got, want, bits):
        size = max(map(abs, want))
        for g, w in zip(self.rationals(got), want):
            self.assertLess(abs(g - w), size / 2**bits, f"GFMUL_TEST_SEED={SEED}")

    def sum_of_products(self, a, b):
        z = [Fraction(0)] * (len(a) + len(b) - 1)
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                z[i + j] += x * y
        return z

    def test_dd(self):
        third = Fraction(1, 3)
        values = [third, 2**106 - 1, -(2**53) - 1, 0.1, decimal.Decimal("0.1"), 2**63, -(2**63), 2**64 - 1, np.uint64(2**64 - 1),
                  np.float16(0.1), np.float32(0.1)]
        got = self.rationals(gfmul.dd(np.array(values, object)))
        for g, v in zip(got, values):
            v = Fraction(int(v) if isinstance(v, np.integer) else float(v) if isinstance(v, np.floating) else v)
            self.assertLessEqual(abs(g - v), abs(v) / 2**106)
        for dtype in ("b", "B", "i", "q", "Q", "f", "d", "?"):
            v = np.array([0, 1] if dtype in "fd?" else [np.iinfo(dtype).min, np.iinfo(dtype).max, 1, 0], dtype)
            self.assertEqual(self.rationals(gfmul.dd(v)), [Fraction(x) for x in v.tolist()])
        many = [self.random.getrandbits(64) for _ in range(1000)]
        self.assertEqual(self.rationals(gfmul.dd(np.array(many, np.uint64))), many)
        many = [v - 2**63 for v in many]
        self.assertEqual(self.rationals(gfmul.dd(many)), many)
        with self.assertRaises(OverflowError):
            gfmul.dd([10**400])
        with self.assertRaises(TypeError):
            gfmul.dd(["1"])

    def test_convolve(self):
        a, b = ([Fraction(self.random.getrandbits(106), 2**106) - Fraction(1, 2) for _ in range(n)] for n in (60, 45))
        x, y = (gfmul.dd(np.array(v, object)) for v in (a, b))
        z = gfmul.convolve(x, y)
        self.assertEqual(z.dtype, x.dtype)
        self.near(z, self.sum_of_products(self.rationals(x), self.rationals(y)), 95)
        self.near(gfmul.correlate(x, y), self.sum_of_products(self.rationals(x), self.rationals(y)[::-1]), 95)
        self.near(gfmul.convolve(x, np.array([0.1])), [v * Fraction(0.1) for v in self.rationals(x)], 95)
        self.near(gfmul.ifft(gfmul.fft(x))["re"], self.rationals(x), 95)
        self.near(gfmul.irfft(gfmul.rfft(x)), self.rationals(x), 95)
        c = gfmul.dd(np.array([1 + 2j, 3 - 1j]))
        z = gfmul.correlate(c, c)
        want = np.correlate([1 + 2j, 3 - 1j], [1 + 2j, 3 - 1j], "full")
        self.assertTrue(np.allclose(z["re"]["hi"] + 1j * z["im"]["hi"], want))
        with self.assertRaises(TypeError):
            gfmul.fft(x, norm="ortho")

    @unittest.skipUnless(np.dtype(np.longdouble).itemsize > 8, "long double is double")
    def test_long_double(self):
        eps = np.longdouble(2) ** -60
        a = np.array([1 + eps, -eps, 3], np.longdouble)
        z = gfmul.convolve(a, np.array([1, 1 + eps], np.longdouble))
        self.assertEqual(z.dtype, np.longdouble)
        self.near(z, self.sum_of_products(self.rationals(a), [1, 1 + Fraction(1, 2**60)]), 62)
        x = np.array([self.random.getrandbits(64) for _ in range(100)], np.longdouble) / np.longdouble(2) ** 64 - 0.5
        spectrum = gfmul.fft(x)
        self.assertEqual(spectrum.dtype, np.clongdouble)
        self.near(gfmul.ifft(spectrum).real, self.rationals(x), 60)
        self.near(gfmul.ifft(gfmul.fft(x, norm="ortho"), norm="ortho").real, self.rationals(x), 60)
        z = gfmul.convolve(x + 1j * x[::-1], x)
        self.near(z.real, self.sum_of_products(self.rationals(x), self.rationals(x)), 58)
        self.near(z.imag, self.sum_of_products(self.rationals(x[::-1]), self.rationals(x)), 58)
        with self.assertRaises(OverflowError):
            gfmul.convolve(np.array([np.longdouble(10) ** 400]), [1.0])


if __name__ == "__main__":
    unittest.main()
