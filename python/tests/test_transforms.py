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

    def test_errors(self):
        for bad, error in ((3.0, ValueError), ([], ValueError), (["a"], ValueError)):
            with self.assertRaises(error):
                gfmul.fft(bad)
        with self.assertRaises(TypeError):
            gfmul.rfft([1j])
        with self.assertRaises(ValueError):
            gfmul.irfft([1, 2, 3], 3)


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
        with self.assertRaises(OverflowError):
            gfmul.convolve(a | np.uint64(2**63), -np.arange(3))
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
