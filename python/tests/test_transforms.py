# SPDX-License-Identifier: LGPL-3.0-or-later
"""Transforms and convolutions of numpy's arrays, against numpy and against Python's integers."""

import os
import random
import unittest

import gfmul

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("numpy is not installed") from None

SEED = int(os.environ.get("GFMUL_TEST_SEED", random.SystemRandom().randrange(2**32)))


def exact(a, b, kind="full"):
    """The convolution of two rows by its definition, in Python's integers."""
    n = len(a) + len(b) - 1
    z = [0] * n
    for i, x in enumerate(a.tolist()):
        for j, y in enumerate(b.tolist()):
            z[i + j] += x * y
    if kind == "full":
        return z
    sign = 1 if kind == "cyclic" else -1
    return [z[i] + (sign * z[i + len(a)] if i + len(a) < n else 0) for i in range(len(a))]


class Transforms(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(SEED)

    def close(self, got, want):
        limit = 1e-4 if got.dtype in (np.float32, np.complex64) else 1e-11
        self.assertEqual(got.shape, want.shape)
        self.assertLess(abs(got - want).max(), limit * (1 + abs(want).max()), f"GFMUL_TEST_SEED={SEED}")

    def test_transforms(self):
        for shape in ((1,), (16,), (1000,), (3, 20), (4, 5, 12)):
            for axis in range(-len(shape), len(shape)):
                for dtype in (np.float32, np.float64, np.complex64, np.complex128, np.int16):
                    x = self.random.normal(size=shape).astype(dtype)
                    z = gfmul.fft(x, axis=axis)
                    self.assertEqual(z.dtype, np.complex64 if dtype in (np.float32, np.complex64) else np.complex128)
                    self.close(z, np.fft.fft(x, axis=axis))
                    self.close(gfmul.ifft(z, axis=axis), x)
                    if dtype not in (np.complex64, np.complex128):
                        s = gfmul.rfft(x, axis=axis)
                        self.close(s, np.fft.rfft(x, axis=axis))
                        self.close(gfmul.irfft(s, x.shape[axis], axis=axis), x)

    def test_lengths_and_norms(self):
        """n, axis and norm as numpy has them, for all four."""
        for dtype in (np.float32, np.float64, np.complex128, np.float16, ">f4", ">c16", np.longdouble):
            x = self.random.normal(size=(6, 9)).astype(dtype)
            for name in ("fft", "ifft", "rfft", "irfft"):
                if name == "rfft" and np.dtype(dtype).kind == "c":
                    continue
                for n in (None, 1, 4, 9, 10, 16):
                    for axis in (0, -1):
                        for norm in (None, "backward", "ortho", "forward"):
                            got = getattr(gfmul, name)(x, n, axis, norm)
                            wide = x.astype(np.complex128 if name != "rfft" else np.float64)
                            want = getattr(np.fft, name)(wide, n, axis, norm)
                            limit = 1e-2 if dtype == np.float16 else 2e-5 if np.dtype(dtype).str[1:] == "f4" else 1e-11
                            self.assertEqual(got.shape, want.shape)
                            self.assertLess(abs(got - want).max(), limit, f"{name} {dtype} {n} {axis} {norm} {SEED}")
                            single = np.dtype(dtype).str[1:] in ("f2", "f4")
                            width = np.dtype(dtype).itemsize if dtype is np.longdouble else 4 if single else 8
                            self.assertEqual(got.dtype.itemsize, width * (1 if name == "irfft" else 2))

    def test_dimensions(self):
        x = self.random.normal(size=(4, 6, 5))
        z = x + 1j * x[::-1]
        for name in ("fft", "ifft", "rfft", "irfft"):
            y = x if name == "rfft" else z
            for s, axes in ((None, (-2, -1)), ((3, 8), (-2, -1)), (None, (0, 2)), ((7, 3), (1, 0)), ((4, 4), (2, 2))):
                for norm in (None, "ortho", "forward"):
                    for end in ("2", "n"):
                        if name.startswith("i") and name.endswith("rfft") and axes == (2, 2):
                            continue
                        got, want = (getattr(m, name + end)(y, s, axes, norm) for m in (gfmul, np.fft))
                        self.close(got, want)
            self.close(getattr(gfmul, name + "n")(y), getattr(np.fft, name + "n")(y))
            self.close(getattr(gfmul, name + "2")(y), getattr(np.fft, name + "2")(y))
        self.close(gfmul.fftn(x, (3, 4)), np.fft.fftn(x, (3, 4), (1, 2)))

    def test_scipy(self):
        try:
            from scipy import fft, signal
        except ImportError:
            self.skipTest("scipy is not installed")
        x, y = self.random.normal(size=(3, 20)), self.random.normal(size=(3, 7)) + 1j * self.random.normal(size=(3, 7))
        self.close(gfmul.fft2(x, (4, 30)), fft.fft2(x, (4, 30)))
        self.close(gfmul.irfft(y), fft.irfft(y))
        self.close(gfmul.rfftn(x, norm="ortho"), fft.rfftn(x, norm="ortho"))
        for mode in ("full", "same", "valid"):
            for a, b in ((x, y), (y, x), (y, y), (x[:, :7], y[:, :6]), (x[:, :6], y[:, :3])):
                got = gfmul.convolve(a, b, mode), gfmul.correlate(a, b, mode)
                for i in range(3):
                    want = signal.convolve(a[i], b[i], mode, "direct"), signal.correlate(a[i], b[i], mode, "direct")
                    self.close(got[0][i], want[0])
                    self.close(got[1][i], want[1])

    def test_errors(self):
        for bad, error in ((3.0, ValueError), ([], ValueError), (["a"], TypeError)):
            with self.assertRaises(error):
                gfmul.fft(bad)
        with self.assertRaises(TypeError):
            gfmul.rfft([1j])
        for arguments in ({"n": 0}, {"n": -1}, {"norm": "both"}, {"axis": 1}):
            with self.assertRaises(ValueError):
                gfmul.fft([1, 2, 3], **arguments)
        for n in (None, 0):
            with self.assertRaises(ValueError):
                gfmul.irfft([1], n)
        with self.assertRaises(ValueError):
            gfmul.fftn([[1, 2]], (1, 2), (0,))
        with self.assertRaises(ValueError):
            gfmul.fftn(3.0)


class ModuloPrimes(unittest.TestCase):
    def test_definition(self):
        r = random.Random(SEED)
        for p in (17, 97, 7681, 998244353, 2**31 - 2**27 + 1, 4179340454199820289):
            for n in (1, 2, 4, 8, 16, 3, 6, 12, 24):
                for negacyclic in (False, True):
                    if (p - 1) % (2 * n if negacyclic else n):
                        continue
                    w = gfmul.ntt_root(n, p, negacyclic=negacyclic)
                    roots = [w] if n < 4 else [w, pow(w, -1, p)]
                    for root in [None, *roots]:
                        x = [[r.randrange(-(2**70), 2**70) for _ in range(n)] for _ in range(2)]
                        z = gfmul.ntt(x, p, root=root, negacyclic=negacyclic)
                        g = root or w
                        for row, got in zip(x, z.tolist()):
                            self.assertEqual(got, [sum(v * pow(g, j * (2 * k + 1 if negacyclic else k), p) for j, v in enumerate(
                                row)) % p for k in range(n)], f"{p} {n} {root} GFMUL_TEST_SEED={SEED}")
                        self.assertEqual(gfmul.intt(z, p, root=root, negacyclic=negacyclic).tolist(),
                                         [[v % p for v in row] for row in x])
                        self.assertEqual(z.dtype, np.uint64)

    def test_convolution(self):
        p, n = 998244353, 1 << 10
        a, b = (np.random.default_rng(SEED).integers(-(2**63), 2**63 - 1, n) for _ in "ab")
        for kind in ("cyclic", "negacyclic"):
            f, g = (gfmul.ntt(x, p, negacyclic=kind == "negacyclic").astype(object) for x in (a, b))
            got = gfmul.intt(f * g % p, p, negacyclic=kind == "negacyclic")
            self.assertEqual(got.tolist(), gfmul.convolve(a, b, kind=kind, modulus=p).tolist())

    def test_axes_and_lengths(self):
        x = np.arange(24).reshape(2, 4, 3)
        for axis in (1, -2):
            z = gfmul.ntt(x, 97, axis=axis)
            self.assertEqual(z.shape, x.shape)
            for i in range(2):
                for j in range(3):
                    self.assertEqual(z[i, :, j].tolist(), gfmul.ntt(x[i, :, j], 97).tolist())
        self.assertEqual(gfmul.ntt([1, 2, 3], 97, 4).tolist(), gfmul.ntt([1, 2, 3, 0], 97).tolist())
        self.assertEqual(gfmul.ntt([1, 2, 3], 97, 2).tolist(), gfmul.ntt([1, 2], 97).tolist())

    def test_errors(self):
        for arguments in (([1] * 4, 15), ([1] * 32, 17), ([1] * 7, 31), ([1] * 9, 19), ([1] * 4, 2**63 - 25), ([1], 1),
                          ([], 17), (3, 17)):
            with self.assertRaises((ValueError, gfmul.Error)):
                gfmul.ntt(*arguments)
        with self.assertRaisesRegex(gfmul.Error, "needs a prime, a length .* and a root"):
            gfmul.ntt([1] * 4, 17, root=3)
        with self.assertRaises(gfmul.Error):
            gfmul.ntt([1] * 16, 17, negacyclic=True)


class Convolutions(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(SEED)

    def test_exact(self):
        for dtype in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64):
            low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
            for an, bn in ((1, 1), (40, 3), (100, 100)):
                a, b = (self.random.integers(low, high, n, dtype=dtype, endpoint=True) for n in (an, bn))
                a[0], b[-1] = low, high
                self.assertEqual(gfmul.convolve(a, b).tolist(), exact(a, b), f"{dtype} GFMUL_TEST_SEED={SEED}")
        a = np.full(50, -(2**63))
        self.assertEqual(gfmul.convolve(a, a).tolist(), exact(a, a))
        b = np.full(50, 2**64 - 1, dtype=np.uint64)
        for kind in ("full", "cyclic", "negacyclic"):
            self.assertEqual(gfmul.convolve(b, b, kind=kind).tolist(), exact(b, b, kind))
        a[3] = 5
        self.assertEqual(gfmul.convolve(a, b >> np.uint64(1)).tolist(), exact(a, b >> np.uint64(1)))

    def test_kinds(self):
        a, b = (self.random.integers(-1000, 1000, 60) for _ in "ab")
        for kind in ("full", "cyclic", "negacyclic"):
            z = gfmul.convolve(a, b, kind=kind)
            self.assertEqual((z.dtype, z.tolist()), (np.int64, exact(a, b, kind)))

    def test_wrapping(self):
        a, b = (self.random.integers(0, 2**64, 70, dtype=np.uint64) for _ in "ab")
        want = exact(a, b)
        self.assertEqual(gfmul.convolve(a, b, dtype=np.uint64).tolist(), [x % 2**64 for x in want])
        self.assertEqual(gfmul.convolve(a >> np.uint64(1), b >> np.uint64(1), dtype=object).tolist(),
                         exact(a >> np.uint64(1), b >> np.uint64(1)))
        self.assertEqual(gfmul.convolve(a | np.uint64(2**63), -np.arange(3), dtype=np.int64).tolist(),
                         [(x + 2**63) % 2**64 - 2**63 for x in exact(a | np.uint64(2**63), -np.arange(3))])
        for modulus in (2, 7, 10**9 + 7, 2**63 - 25, 2**64 - 1):
            z = gfmul.convolve(a, b, modulus=modulus)
            self.assertEqual((z.dtype, z.tolist()), (np.uint64, [x % modulus for x in want]))
            signed = a.view(np.int64)
            self.assertEqual(gfmul.convolve(signed, b, modulus=modulus).tolist(),
                             [x % modulus for x in exact(signed, b)])

    def test_axes(self):
        a, b = self.random.integers(-99, 99, (4, 30, 2)), self.random.integers(-99, 99, (30, 2))
        z = gfmul.convolve(a, b, axis=-2)
        for i in range(4):
            for j in range(2):
                self.assertEqual(z[i, :, j].tolist(), exact(a[i, :, j], b[:, j]))
        z = gfmul.convolve(a, self.random.integers(1, 2, (1, 7, 1)), axis=1)
        self.assertEqual(z.shape, (4, 36, 2))

    def test_inexact(self):
        for dtype in (np.float32, np.float64, np.complex64, np.complex128):
            a, b = (self.random.normal(size=n).astype(dtype) for n in (500, 90))
            z = gfmul.convolve(a, b)
            self.assertEqual(z.dtype, dtype)
            self.assertLess(abs(z - np.convolve(a, b)).max(), 1e-4 if dtype in (np.float32, np.complex64) else 1e-11)

    @unittest.skipUnless(gfmul.devices(), "there is no OpenCL device")
    def test_device(self):
        a, b = (self.random.integers(-(2**31), 2**31, n) for n in (60, 7))
        self.assertEqual(gfmul.convolve(a, b, device="gpu").tolist(), exact(a, b))
        z = gfmul.convolve(a.astype(float), b.astype(float), device="gpu")
        self.assertLess(abs(z - np.convolve(a.astype(float), b.astype(float))).max(), 1e-12 * 2.0**62)

    def test_errors(self):
        with self.assertRaises(gfmul.Error):
            gfmul.convolve([1], [1], device="no such device")
        for arguments, error in ((([], [1]), ValueError), ((3, [1]), ValueError), ((["a"], [1]), (TypeError, ValueError))):
            with self.assertRaises(error):
                gfmul.convolve(*arguments)
        with self.assertRaises(ValueError):
            gfmul.convolve([1, 2], [1], kind="cyclic")
        with self.assertRaises(ValueError):
            gfmul.convolve([1], [1], kind="valid")
        with self.assertRaises(ValueError):
            gfmul.convolve([1], [1], modulus=1)
        with self.assertRaises(TypeError):
            gfmul.convolve([1.5], [1], modulus=5)
        with self.assertRaises(TypeError):
            gfmul.convolve([1], [1], dtype=np.int32)


if __name__ == "__main__":
    unittest.main()
