# SPDX-License-Identifier: LGPL-3.0-or-later
"""Spaces and spectra against Python's own integers."""

import gc
import os
import random
import signal
import threading
import unittest

import gfmul

SEED = int(os.environ.get("GFMUL_TEST_SEED", random.SystemRandom().randrange(2**32)))


def wrapped(x, bits, wraps):
    """x modulo 2^bits + wraps, for x of twice as many bits: a remainder of that length takes Python quadratic time."""
    return ((x & (1 << bits) - 1) - wraps * (x >> bits)) % ((1 << bits) + wraps)


class Spaces(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(SEED)

    def number(self, bits):
        n = self.random.getrandbits(bits)
        return self.random.choice((n, -n, n | 1, 1 << bits - 1, -(1 << bits - 1), (1 << bits) - 1, 0))

    def test_expressions(self):
        """Random expressions: a pool of spectra beside the pool of their values."""
        for bits in (100, 3000, 40000):
            space = gfmul.Space(3 * bits // 64 + 2, self.random.choice((1, 2, 5, 64)),
                                context=gfmul.Context(engine="cpu", threads=self.random.choice((1, 2))))
            values = [self.number(bits) for _ in range(6)]
            spectra = [space(n) for n in values]
            for i in range(120):
                j, k, m = (self.random.randrange(len(values)) for _ in range(3))
                x, y, z = spectra[j], spectra[k], spectra[m]
                a, b, c = values[j], values[k], values[m]
                s, want = self.random.choice((
                    (lambda: x + y, lambda: a + b), (lambda: x - y, lambda: a - b), (lambda: -x, lambda: -a),
                    (lambda: x * y, lambda: a * b), (lambda: x * y + z * x, lambda: a * b + c * a),
                    (lambda: x * y - z * z - y, lambda: a * b - c * c - b), (lambda: +x, lambda: a),
                    (lambda: x + b, lambda: a + b), (lambda: b - x, lambda: b - a), (lambda: 3 * x, lambda: 3 * a),
                    (lambda: x * b, lambda: a * b), (lambda: space.dot([x, y, 5], [y, z, x]), lambda: a * b + b * c + 5 * a)))
                if want().bit_length() > 2 * bits + 4:
                    continue
                with self.subTest(seed=SEED, bits=bits, i=i):
                    if self.random.randrange(3):
                        self.assertEqual(int(s()), want())
                    else:
                        s = s()
                        if want().bit_length() <= bits:
                            spectra[m], values[m] = s, want()
                        else:
                            self.assertEqual((int(s), int(s)), (want(), want()))
            self.assertEqual([int(x) for x in spectra], values)

    def test_zero_and_kinds(self):
        space = gfmul.Space(10)
        self.assertEqual(int(space(0) * space(7) + 0), 0)
        self.assertEqual(int(space.dot([], [])), 0)
        self.assertEqual(int(space(True) + space(-(2**600))), 1 - 2**600)
        self.assertEqual([10, 20, 30][space(2)], 30)
        x = space(5)
        self.assertIs(space(x), x)
        self.assertIs(x.space, space)
        self.assertEqual((space.limbs, gfmul.mul(space(3), 4)), (10, 12))
        self.assertGreater(space.bytes, 0)
        space.trim()
        self.assertEqual(int(x * x), 25)

    def test_text(self):
        """Numbers from text, and to text, in all bases, with Python's limit of digits and without."""
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"

        def text(n, base):
            out, m = "", abs(n)
            while m:
                m, d = divmod(m, base)
                out = digits[d] + out
            return "-" * (n < 0) + (out or "0")

        for base in range(2, 37):
            space = gfmul.Space(200, context=gfmul.Context(engine="cpu", threads=1))
            a, b = self.number(self.random.choice((1, 64, 3000))), self.number(2000)
            with self.subTest(seed=SEED, base=base):
                x, y = space.from_str(text(a, base), base), space.from_str(text(b, base).encode(), base=base)
                self.assertEqual((int(x), int(y)), (a, b))
                self.assertEqual((x * y - y).to_str(base), text(a * b - b, base))
                self.assertEqual(x.to_str(base=base), text(a, base))
        n = 7**20000
        space = gfmul.Space(2000)
        for x in (space(n), space(n) + 0, space.from_str(gfmul.to_str(n)), space.from_str(memoryview(gfmul.to_str(n).encode()))):
            self.assertEqual(str(x), gfmul.to_str(n))
            self.assertEqual(x.to_str(), gfmul.to_str(n))
        self.assertEqual(f"{space.from_str(' +0xf_f', 0) * -1}", "-255")
        ring = gfmul.Space(3, wraps=1)
        self.assertEqual(ring.from_str("-1").to_str(16), "1" + "0" * 48)
        self.assertEqual(str(ring.from_str(str(2**192 + 5))), "4")
        for wrong in (lambda: space.from_str("1", 1), lambda: space.from_str("1", 37), lambda: x.to_str(1), lambda: x.to_str(0),
                      lambda: x.to_str(37)):
            with self.assertRaises(ValueError):
                wrong()
        for wrong in (lambda: space.from_str(1), lambda: space.from_str(None), lambda: space.from_str("1", "2"),
                      lambda: x.to_str("2"), lambda: x.to_str(2, 3)):
            with self.assertRaises(TypeError):
                wrong()
        for wrong, position in (("12x4", 2), ("1\u00e9", 1), ("", 0), (" ", 1)):
            with self.assertRaises(gfmul.NumberError) as caught:
                space.from_str(wrong)
            self.assertEqual(caught.exception.offset, position)
        with self.assertRaises(gfmul.Error) as caught:
            gfmul.Space(2).from_str("f" * 33, 16)
        self.assertEqual(caught.exception.status, gfmul.Status.SIZE)

    def test_remainders(self):
        """Spaces modulo 2 ** (64 * limbs) + 1 and - 1: numbers of any length and sign."""
        for limbs, wraps in ((1, 1), (1, -1), (7, 1), (7, -1), (1024, 1), (2048, -1)):
            modulus = 2**(64 * limbs) + wraps
            space = gfmul.Space(limbs, 3, wraps=wraps, context=gfmul.Context(engine="cpu", threads=1))
            self.assertEqual(space.limbs, limbs + (wraps > 0))
            for i in range(20):
                a, b, c = (self.number(self.random.choice((64 * limbs, 64 * limbs, 200 * limbs))) for _ in range(3))
                x, y, z = space(a), space(b), space(c)
                with self.subTest(seed=SEED, limbs=limbs, wraps=wraps, i=i):
                    self.assertEqual(int(x * y - z * x + b), (a * b - c * a + b) % modulus)
                    self.assertEqual(int(space.dot([x, y, z, c], [y, z, modulus - 1, c])), (a * b + b * c - c + c * c) % modulus)
                    self.assertEqual(int(-x), -a % modulus)

    def test_next_size(self):
        """A next size is hardly larger, and its space is right."""
        context = gfmul.Context(engine="cpu", threads=1)
        for limbs in (1, 1000, 40000):
            self.assertEqual(gfmul.Space.next_size(limbs, context=context), limbs)
            for wraps in (1, -1):
                n = gfmul.Space.next_size(limbs, 2, wraps=wraps, context=context)
                self.assertTrue(limbs <= n <= 2 * limbs, (limbs, n))
                a, b = self.number(64 * n), self.number(64 * n)
                space = gfmul.Space(n, 2, wraps=wraps, context=context)
                self.assertEqual(int(space(a) * b), wrapped(a * b, 64 * n, wraps))
        for limbs, products, wraps in ((0, 1, 1), (1, 0, 1), (1, 1, 2)):
            with self.assertRaises(ValueError):
                gfmul.Space.next_size(limbs, products, wraps=wraps)

    def test_matmul(self):
        for rows, inner, columns in ((1, 1, 1), (2, 3, 4), (5, 1, 2), (3, 6, 1)):
            a = [[self.number(3000) for _ in range(inner)] for _ in range(rows)]
            b = [[self.number(3000) for _ in range(columns)] for _ in range(inner)]
            want = [[sum(a[i][k] * b[k][j] for k in range(inner)) for j in range(columns)] for i in range(rows)]
            space = gfmul.Space(100, 4)
            kept = [[space(n) for n in row] for row in b]
            for y in (b, kept):
                self.assertEqual([[int(z) for z in row] for row in space.matmul(a, y)], want)
        for x, y in (([], []), ([[1, 2]], [[1]]), ([[1], [2, 3]], [[1]]), ([[1]], [[]])):
            with self.assertRaises(ValueError):
                space.matmul(x, y)

    def test_errors(self):
        space, other = gfmul.Space(4, 2), gfmul.Space(4)
        for limbs, products in ((0, 1), (-1, 1), (1, 0)):
            with self.assertRaises(ValueError):
                gfmul.Space(limbs, products)
        for wraps in (2, -2):
            with self.assertRaises(ValueError):
                gfmul.Space(4, wraps=wraps)
        with self.assertRaises(gfmul.ArgumentError):
            gfmul.Space(4, 65537)
        with self.assertRaises(ValueError):
            space(1) + other(1)
        with self.assertRaises(ValueError):
            space.dot([space(1)], [1, 2])
        for wrong in (lambda: space(1) + "1", lambda: 1.5 * space(1), lambda: space("1"), lambda: space(b"1"),
                      lambda: space(1, 2), lambda: space(number=1), lambda: space.dot([1], ["1"]), lambda: gfmul.Space("4"),
                      lambda: gfmul.Spectrum(), lambda: gfmul.Space(4, context=1), lambda: None - space(1)):
            with self.assertRaises(TypeError):
                wrong()
        for long in (lambda: space(2**256), lambda: int(space(2**200) * 2**200), lambda: int(space(2**255) + 2**255)):
            with self.assertRaises(gfmul.Error) as caught:
                long()
            self.assertEqual(caught.exception.status, gfmul.Status.SIZE)
        self.assertEqual(int(space(3) * 4), 12)

    def test_lifetime(self):
        """A spectrum keeps its space and its context; what it shares with others stays when those end."""
        x = gfmul.Space(200, context=gfmul.Context(threads=1))(3**1000)
        gc.collect()
        y = x * x + x
        del x
        gc.collect()
        self.assertEqual(int(y), 3**2000 + 3**1000)

    def test_threads(self):
        """Threads share spectra, and the sums that these stand for."""
        space = gfmul.Space(2000, 4, context=gfmul.Context(threads=1))
        values = [self.number(50000) for _ in range(4)]
        spectra = [space(n) for n in values]
        shared = spectra[0] * spectra[1] + spectra[2] * spectra[3]
        want, failed = values[0] * values[1] + values[2] * values[3], []

        def work(seed):
            r = random.Random(seed)
            for _ in range(20):
                i, j = r.randrange(4), r.randrange(4)
                if int(spectra[i] * spectra[j] - shared) != values[i] * values[j] - want:
                    failed.append((seed, i, j))

        threads = [threading.Thread(target=work, args=(SEED + i,)) for i in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failed, [])

    def test_progress_and_signals(self):
        class Enough(Exception):
            pass

        def tell(done):
            told.append(done)
            if stop:
                raise Enough

        told, stop = [], False
        n = 3**400000
        space = gfmul.Space(50000, context=gfmul.Context(progress=tell))
        x = space(n)
        self.assertEqual(int(x * x + x), n * n + n)
        self.assertEqual((told[0], told[-1]), (0, 1))
        stop = True
        with self.assertRaises(Enough):
            x * x
        stop = False
        self.assertEqual(int(x * x), n * n)

        def ring(signum, frame):
            raise Enough

        if not hasattr(signal, "setitimer"):
            return
        context = gfmul.Context(threads=1)
        space = gfmul.Space(20000, 1, context=context)
        entries = [[space(n + i + j) for i in range(30)] for j in range(30)]
        before = signal.signal(signal.SIGALRM, ring)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with self.assertRaises(Enough):  # 27000 products, if nothing ends it
                space.matmul(entries, entries)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertEqual(context.report().status, gfmul.Status.INTERRUPTED)
        self.assertEqual(int(entries[0][1] * 2), 2 * n + 2)


if __name__ == "__main__":
    unittest.main()
