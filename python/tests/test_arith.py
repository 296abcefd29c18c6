# SPDX-License-Identifier: LGPL-3.0-or-later
"""Text, quotients and roots against Python's own integers."""

import math
import os
import random
import threading
import unittest

import gfmul

SEED = int(os.environ.get("GFMUL_TEST_SEED", random.SystemRandom().randrange(2**32)))


class Arith(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(SEED)
        self.context = gfmul.Context(engine="cpu", threads=1)

    def number(self, bits):
        n = self.random.getrandbits(bits)
        return self.random.choice((n, -n, n | 1, 1 << bits, -(1 << bits), (1 << bits) - 1))

    def test_divmod(self):
        for i in range(200):
            a, b = self.number(self.random.randrange(1, 40000)), self.number(self.random.randrange(1, 20000)) or 1
            with self.subTest(seed=SEED, i=i):
                self.assertEqual(self.context.divmod(a, b), divmod(a, b))
                self.assertEqual(gfmul.divmod(a * b, b), (a, 0))
                self.assertEqual(self.context.divmod(a * b - 1, b), divmod(a * b - 1, b))
        self.assertEqual(gfmul.divmod(0, -3), (0, 0))
        self.assertEqual(gfmul.divmod(-(2**64 - 1) * 2**64 - 1, 2**64), divmod(-(2**64 - 1) * 2**64 - 1, 2**64))

    def test_isqrt(self):
        for i in range(200):
            n = abs(self.number(self.random.randrange(1, 40000)))
            with self.subTest(seed=SEED, i=i):
                self.assertEqual(self.context.isqrt(n), math.isqrt(n))
                self.assertEqual(gfmul.isqrt(n * n), n)
                self.assertEqual(self.context.isqrt(n * n + 2 * n), n)
        self.assertEqual(gfmul.isqrt(0), 0)

    def test_text(self):
        for i in range(100):
            n = self.number(self.random.randrange(1, 12000))
            with self.subTest(seed=SEED, i=i):
                self.assertEqual(self.context.to_str(n), str(n))
                self.assertEqual(self.context.from_str(str(n)), n)
                self.assertEqual(self.context.to_str(n, 16), format(n, "x"))
                self.assertEqual(self.context.from_str(format(n, "o").encode(), 8), n)
        for base in range(2, 37):
            text = gfmul.to_str(3**5000, base)
            self.assertEqual(int(text[:100] + "0" * (len(text) - 100), base) // base ** (len(text) - 100), int(text[:100], base))
            self.assertEqual(gfmul.from_str(text, base), 3**5000)
        self.assertEqual(gfmul.to_str(0), "0")
        self.assertEqual(gfmul.from_str(" -0xf_f\n", 0), -255)

    def test_long_text(self):
        n = 7**200000  # beyond the limit of Python's own conversion
        text = gfmul.to_str(n)
        self.assertEqual(gfmul.from_str(text), n)
        self.assertEqual(gfmul.from_str(text[:-50]), n // 10**50)
        self.assertEqual(gfmul.from_str("-" + text), -n)

    def test_errors(self):
        with self.assertRaises(ZeroDivisionError):
            gfmul.divmod(5, 0)
        for call in (lambda: gfmul.isqrt(-1), lambda: gfmul.to_str(1, 1), lambda: gfmul.from_str("1", 37),
                     lambda: gfmul.from_str("1", 1)):
            with self.assertRaises(ValueError):
                call()
        for call in (lambda: gfmul.divmod(b"1", 2), lambda: gfmul.divmod(1.5, 2), lambda: gfmul.isqrt("4"),
                     lambda: gfmul.to_str("4"), lambda: gfmul.from_str(4)):
            with self.assertRaises(TypeError):
                call()
        with self.assertRaises(gfmul.NumberError) as caught:
            gfmul.from_str("12x")
        self.assertIn("column 3", str(caught.exception))

    def test_gil(self):
        """Other threads run meanwhile, and a long call stops at an exception of its progress."""
        n, beats, over = 3**3000000, [0], threading.Event()

        def beat():
            while not over.is_set():
                beats[0] += 1
                over.wait(0.0005)

        thread = threading.Thread(target=beat)
        thread.start()
        text = gfmul.to_str(n)
        over.set()
        thread.join()
        self.assertGreater(beats[0], 3)

        class Enough(Exception):
            pass

        def progress(done):
            raise Enough

        with self.assertRaises(Enough):
            gfmul.Context(progress=progress).from_str(text)


if __name__ == "__main__":
    unittest.main()
