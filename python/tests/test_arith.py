# SPDX-License-Identifier: LGPL-3.0-or-later
"""Text, quotients and roots against Python's own integers."""

import math
import os
import random
import signal
import sys
import threading
import unittest

import gfmul

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)

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

    def test_divmod_of_other_integers(self):
        class Integer:
            def __init__(self, value):
                self.value = value

            def __index__(self):
                return self.value

        for a, b in (-5, 3), (5, 3**90), (-3**90, 5), (3**90, -3**91), (0, 3**90):
            for result in gfmul.divmod(Integer(a), b), gfmul.divmod(a, Integer(b)), gfmul.divmod(Integer(a), Integer(b)):
                self.assertEqual(result, divmod(a, b))
        self.assertEqual(gfmul.divmod(gfmul.Space(10)(5), 3**90), (0, 5))

    def test_isqrt(self):
        for i in range(200):
            n = abs(self.number(self.random.randrange(1, 40000)))
            with self.subTest(seed=SEED, i=i):
                self.assertEqual(self.context.isqrt(n), math.isqrt(n))
                self.assertEqual(gfmul.isqrt(n * n), n)
                self.assertEqual(self.context.isqrt(n * n + 2 * n), n)
        self.assertEqual(gfmul.isqrt(0), 0)

    def test_powmod(self):
        for i in range(100):
            a, m = self.number(self.random.randrange(1, 8000)), self.number(self.random.randrange(1, 5000)) or 1
            e = self.random.getrandbits(self.random.randrange(1, 70))
            with self.subTest(seed=SEED, i=i):
                self.assertEqual(self.context.powmod(a, e, m), pow(a, e, m))
                self.assertEqual(gfmul.powmod(a, e, m), pow(a, e, m))
                if math.gcd(a, m) == 1:
                    self.assertEqual(gfmul.powmod(a, -e, m), pow(a, -e, m))
        self.assertEqual(gfmul.powmod(5, 0, 1), 0)
        self.assertEqual(gfmul.powmod(0, 0, -7), pow(0, 0, -7))
        self.assertEqual(gfmul.powmod(2, 2**61 - 2, 2**61 - 1), 1)

    def test_remainders(self):
        for i in range(50):
            moduli = [self.number(self.random.randrange(1, 2500)) or 1 for _ in range(self.random.randrange(0, 90))]
            a = self.number(self.random.randrange(1, 200000))
            with self.subTest(seed=SEED, i=i):
                self.assertEqual(self.context.remainders(a, moduli), [a % m for m in moduli])
                self.assertEqual(gfmul.remainders(math.prod(moduli), iter(moduli)), [0] * len(moduli))

    def test_batch_gcd(self):
        for i in range(50):
            moduli = [self.number(self.random.randrange(1, 1200)) or 1 for _ in range(self.random.randrange(0, 60))]
            product = math.prod(moduli)
            with self.subTest(seed=SEED, i=i):
                self.assertEqual(self.context.batch_gcd(moduli), [math.gcd(product // m, m) for m in moduli])
        primes = [2**k - 1 for k in (61, 89, 107, 127, 521, 607, 1279)]
        self.assertEqual(gfmul.batch_gcd([primes[0] * primes[1], primes[2] * primes[3], primes[1] * primes[4]]),
                         [primes[1], 1, primes[1]])

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
        with self.assertRaises(ZeroDivisionError):
            gfmul.remainders(5, [3, 0])
        with self.assertRaises(ZeroDivisionError):
            gfmul.batch_gcd([0])
        for call in (lambda: gfmul.powmod(2, 3, 0), lambda: gfmul.powmod(2, -1, 4), lambda: gfmul.isqrt(-1),
                     lambda: gfmul.to_str(1, 1), lambda: gfmul.from_str("1", 37), lambda: gfmul.from_str("1", 1)):
            with self.assertRaises(ValueError):
                call()
        for call in (lambda: gfmul.powmod(2, 3, b"7"), lambda: gfmul.remainders(5, 7), lambda: gfmul.remainders(5, ["7"]),
                     lambda: gfmul.batch_gcd(7), lambda: gfmul.batch_gcd([1.5]),
                     lambda: gfmul.divmod(b"1", 2), lambda: gfmul.divmod(1.5, 2), lambda: gfmul.isqrt("4"),
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
        moduli = [2**2048 - i for i in range(1, 2000)]
        for call in (lambda x: x.powmod(3, n, 2**20000 - 1), lambda x: x.remainders(n, moduli), lambda x: x.batch_gcd(moduli)):
            with self.assertRaises(Enough):
                call(gfmul.Context(progress=progress))

    def test_interrupt(self):
        """A signal ends a power that would take minutes."""
        class Alarm(Exception):
            pass

        def ring(signum, frame):
            raise Alarm

        before = signal.signal(signal.SIGALRM, ring)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with self.assertRaises(Alarm):
                self.context.powmod(3, 3**2000000, 2**100000 - 1)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


if __name__ == "__main__":
    unittest.main()
