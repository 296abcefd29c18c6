# SPDX-License-Identifier: LGPL-3.0-or-later
"""Products of all kinds of operands, against Python's own integers."""

import array
import doctest
import gc
import os
import random
import sys
import tempfile
import threading
import unittest

import gfmul

try:
    import gmpy2
except ImportError:
    gmpy2 = None
try:
    import numpy
except ImportError:
    numpy = None
if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)

SEED = int(os.environ.get("GFMUL_TEST_SEED", random.SystemRandom().randrange(2**32)))
# A part of the tests for make check; GFMUL_TEST_LONG=1 has more of each.
LONG = int(os.environ.get("GFMUL_TEST_LONG", "0"))


def words(x, n):
    return array.array("Q", x.to_bytes(8 * n, "little"))


def value(x):
    return int.from_bytes(bytes(memoryview(x).cast("B")), "little")


def adversarial(bits):
    """Numbers of so many bits that carry far, have long runs, or are almost zero."""
    ones = (1 << bits) - 1
    yield from (ones, 1 << (bits - 1), ones ^ (1 << bits // 2), ones // 3, (1 << (bits - 1)) + 1, ones - (1 << bits // 3))
    yield sum(0xFFFF << k for k in range(0, bits - 16, 128)) | 1 << (bits - 1)


class Case(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(SEED)

    def same(self, got, want, what=""):
        if got != want:
            self.fail(f"{what}: wrong product, GFMUL_TEST_SEED={SEED}")


class Integers(Case):
    def test_digits_are_read(self):
        from gfmul import _core

        if sys.implementation.name == "cpython" and sys.version_info < (3, 15) and type(self) is Integers:
            self.assertEqual(_core.digits_read(True), sys.int_info.bits_per_digit == 30)

    def test_all_sizes(self):
        """Every position of a limb within the digits of an int."""
        for n in range(78, 78 + 35):
            for a in ((1 << 64 * n) - 1, 1 << 64 * n, (1 << 64 * n - 1) + 1, self.random.getrandbits(64 * n - n)):
                self.same(gfmul.mul(a, -a - 1), -a * (a + 1), f"{n} limbs")

    def test_random_sizes(self):
        for i in range(40 + 400 * LONG):
            an, bn = (int(2 ** self.random.uniform(0, 17)) for _ in "ab")
            a, b = self.random.getrandbits(an), self.random.getrandbits(bn)
            a, b = a * self.random.choice((1, -1)), b * self.random.choice((1, -1))
            self.same(gfmul.mul(a, b), a * b, f"{an} by {bn} bits")
            self.same(gfmul.sqr(a), a * a, f"{an} bits squared")

    def test_adversarial(self):
        for bits in (1, 63, 64, 65, 2999, 3000, 3001, 40000) + (1 << 20, 3 << 19) * LONG:
            for a in adversarial(max(bits, 20)):
                self.same(gfmul.mul(a, a - 2), a * (a - 2), f"{bits} bits")
                self.same(gfmul.sqr(-a), a * a, f"{bits} bits squared")

    def test_zero_and_kinds(self):
        big = 3**20000
        for a in (0, 1, -1, big, -big, True):
            for b in (0, 1, -1, big, False):
                self.same(gfmul.mul(a, b), a * b)
                self.assertIs(type(gfmul.mul(a, b)), int)

        class Integer(int):
            pass

        class Index:
            def __index__(self):
                return big

        self.same(gfmul.mul(Integer(big), Index()), big * big)

    def test_errors(self):
        for operands in ((1.5, 2), ("1", 2), (None, 2), (2**9000, 2.0), (2**9000, b"1"), (b"1", 2), (b"", words(1, 1))):
            with self.assertRaises(TypeError):
                gfmul.mul(*operands)
        with self.assertRaises(TypeError):
            gfmul.mul(3**9000, 3**9000, out=bytearray(8))
        with self.assertRaises(ValueError):
            gfmul.Context(engine="gpu")
        with self.assertRaises(OverflowError):
            gfmul.Context(threads=-1)
        with self.assertRaises(gfmul.ArgumentError) as caught:
            gfmul.Context(threads=5000)
        self.assertEqual(caught.exception.status, gfmul.Status.ARGUMENT)
        with self.assertRaises(gfmul.MemoryLimitError) as caught:
            gfmul.Context(memory_limit=1000, engine="cpu").mul(3**90000, 5**90000)
        self.assertEqual(caught.exception.status, gfmul.Status.MEMORY)
        self.assertIsInstance(caught.exception, MemoryError)

    def test_threads_at_once(self):
        failed = []

        def work(seed):
            r = random.Random(seed)
            for _ in range(10):
                a, b = r.getrandbits(60000), r.getrandbits(50000)
                if gfmul.mul(a, b) != a * b or gfmul.mul(words(a, 938), words(b, 782)).tobytes() != words(
                        a * b, 1720).tobytes():
                    failed.append(seed)

        threads = [threading.Thread(target=work, args=(SEED + i,)) for i in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failed, [])

    def test_references(self):
        """Nothing is left behind: neither of products nor of errors."""
        operands = [3**9000, bytes(range(1, 250)) * 9, words(3**9000, 300), bytearray(b"12345")]

        def run():
            for a in operands:
                gfmul.mul(a, a)
                gfmul.sqr(a)
                for bad in (1.5, "x"):
                    try:
                        gfmul.mul(a, bad)
                    except TypeError:
                        pass
            gfmul.mul_decimal(b"12" * 500, "34" * 500)
            try:
                gfmul.mul_decimal("12x", "5")
            except gfmul.NumberError:
                pass
            gfmul.Context(threads=1, progress=lambda done: 0).mul(3**9000, 3**9000)

        run()
        counts = [sys.getrefcount(x) for x in operands]
        gc.collect()
        left = []
        for _ in range(3):  # Python keeps some blocks for later objects
            before = sys.getallocatedblocks()
            for _ in range(100):
                run()
            gc.collect()
            left.append(sys.getallocatedblocks() - before)
        self.assertEqual(counts, [sys.getrefcount(x) for x in operands])
        self.assertLess(min(left), 80)
        operands[3].append(0)  # its buffer is free
        if gmpy2:  # it keeps blocks for later numbers
            a = gmpy2.mpz(3) ** 9000
            counts = sys.getrefcount(a), sys.getrefcount(gmpy2.mpz), sys.getrefcount(gmpy2)
            for _ in range(50):
                gfmul.mul(a, 3**9000)
                gfmul.sqr(a)
            self.assertLess(abs(sys.getrefcount(gmpy2.mpz) - counts[1]), 10)
            self.assertEqual((sys.getrefcount(a), sys.getrefcount(gmpy2)), (counts[0], counts[2]))


class IntegersByBytes(Integers):
    """The same without a look at the digits of int."""

    def setUp(self):
        super().setUp()
        from gfmul import _core

        self.assertFalse(_core.digits_read(False))
        self.addCleanup(_core.digits_read, True)


class Buffers(Case):
    def test_bytes(self):
        for an, bn in ((0, 0), (0, 5), (1, 1), (7, 9), (8, 8), (16, 3), (2000, 3001), (4000, 4000)):
            a, b = self.random.randbytes(an), self.random.randbytes(bn)
            z = gfmul.mul(a, b)
            self.assertIs(type(z), bytes)
            self.assertEqual(len(z), an + bn)
            self.same(value(z), value(a) * value(b), f"{an} by {bn} bytes")
            self.same(value(gfmul.sqr(memoryview(b"0" + a)[1:])), value(a) ** 2, f"{an} bytes, not aligned")
            self.same(gfmul.mul(bytearray(a), memoryview(b)), z)

    def test_words(self):
        for an, bn in ((0, 0), (0, 3), (1, 1), (500, 7), (900, 1100)):
            a, b = words(self.random.getrandbits(64 * an), an), words(self.random.getrandbits(64 * bn), bn)
            z = gfmul.mul(a, b)
            self.assertEqual((type(z), z.typecode, len(z)), (array.array, "Q", an + bn))
            self.same(value(z), value(a) * value(b), f"{an} by {bn} words")
            out = array.array("Q", [7]) * (an + bn)
            self.assertIs(gfmul.mul(a, b, out=out), out)
            self.same(out, z)
            self.same(value(gfmul.mul(memoryview(a), b)), value(z))

    def test_wrong_buffers(self):
        a = words(3**9000, 300)
        rows = memoryview(a).cast("B").cast("Q", [30, 10])
        for bad in (array.array("q", [1]), array.array("d", [1.0]), array.array("I", [1]), rows):
            with self.assertRaises(TypeError):
                gfmul.mul(a, bad)
        for out, error in ((bytes(4800), TypeError), (memoryview(bytes(4800)).cast("Q"), TypeError),
                           (words(0, 599), ValueError), (words(0, 601), ValueError), (array.array("q", [0]) * 600, TypeError),
                           (3, TypeError)):
            with self.assertRaises(error):
                gfmul.mul(a, a, out=out)
        both = memoryview(words(1, 900))
        with self.assertRaises(gfmul.ArgumentError) as caught:
            gfmul.mul(both[:300], both[300:600], out=both[200:800])
        self.assertEqual(caught.exception.status, gfmul.Status.OVERLAP)

    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_numpy(self):
        r = numpy.random.default_rng(SEED)
        a, b = (r.integers(0, 2**64, n, dtype=numpy.uint64) for n in (1200, 800))
        z = gfmul.mul(a, b)
        self.assertEqual((type(z), z.dtype, z.shape), (numpy.ndarray, numpy.uint64, (2000,)))
        self.same(value(z), value(a) * value(b))
        a.flags.writeable = False
        self.same(value(gfmul.sqr(a)), value(a) ** 2)
        for bad in (a.astype(float), a.astype(numpy.int64), a.reshape(30, 40), a.astype(">u8")):
            with self.assertRaises((TypeError, ValueError)):
                gfmul.mul(bad, b)
        self.same(gfmul.mul(numpy.int64(3), 3**9000), 3**9001)

    def test_layouts(self):
        """Buffers with gaps, and such as are not aligned, are copied, and so are results into them."""
        a = words(3**9000, 300)
        square = words(3**18000, 600)
        odd = memoryview(bytearray(1) + a.tobytes())[1:]
        gaps = array.array("Q", bytes(4800))
        gaps[::2] = a
        for x in (memoryview(gaps)[::2], odd.cast("Q"), memoryview(words(0, 1) + a)[1:], memoryview(a[::-1])[::-1]):
            self.same(value(gfmul.sqr(x)), 3**18000)
            self.same(value(gfmul.mul(x, a)), 3**18000)
        for out in (memoryview(array.array("Q", bytes(9600)))[::2], memoryview(bytearray(4801))[1:].cast("Q"),
                    memoryview(array.array("Q", bytes(4800)))[::-1]):
            self.assertIs(gfmul.mul(a, a, out=out), out)
            self.assertEqual(out.tolist(), square.tolist())
        self.same(gfmul.mul(memoryview(b"1x2x3x")[::2], b"1"), gfmul.mul(b"123", b"1"))
        self.same(gfmul.mul_decimal(memoryview(b"1x2x3x")[::2], "2"), "246")
        for out in (memoryview(bytes(9600)).cast("Q")[::2], memoryview(array.array("Q", bytes(9608)))[::2], memoryview(b"")[::2]):
            with self.assertRaises((TypeError, ValueError)):
                gfmul.mul(a, a, out=out)
        if numpy:
            x = numpy.zeros((300, 7), numpy.uint64)[:, 3]
            x[:] = numpy.array(a)
            self.same(value(gfmul.sqr(x)), 3**18000)
            raw = numpy.zeros(8 * 300 + 3, numpy.uint8)[3:].view(numpy.uint64)
            raw[:] = x
            self.same(value(gfmul.sqr(raw)), 3**18000)
            for out in (numpy.zeros((600, 3), numpy.uint64)[:, 1], numpy.zeros(4803, numpy.uint8)[3:].view(numpy.uint64),
                        numpy.zeros(9603, numpy.uint8)[3:].view(numpy.uint64)[::2]):
                self.assertIs(gfmul.sqr(raw, out=out), out)
                self.assertEqual(out.tolist(), square.tolist())

    @unittest.skipUnless(gmpy2, "gmpy2 is not installed")
    def test_mpz(self):
        for an in (0, 1, 50, 5000, 50000):
            a = gmpy2.mpz(self.random.getrandbits(an + 1)) * self.random.choice((1, -1))
            b = gmpy2.mpz(-(7**9000))
            for z in (gfmul.mul(a, b), gfmul.mul(int(a), b), gfmul.mul(a, int(b))):
                self.assertIs(type(z), type(a))
                self.same(z, a * b, f"{an} bits")
                self.same(z + 1, a * b + 1)
                self.same(hash(z), hash(int(a) * int(b)))
            self.same(gfmul.sqr(a), a * a)
        with self.assertRaises(TypeError):
            gfmul.mul(gmpy2.mpz(3), b"3")


class Text(Case):
    def test_products(self):
        for digits in (1, 20, 3000, 40000):
            a, b = self.random.randrange(10**digits), -self.random.randrange(10**digits)
            z = str(a * b)
            self.same(gfmul.mul_decimal(str(a), str(b)), z)
            self.same(gfmul.mul_decimal(str(a).encode(), memoryview(str(b).encode())), z.encode())
            self.same(gfmul.mul_decimal(bytearray(str(a).encode()), str(b)), z)
        self.same(gfmul.mul_decimal("0xff", "0b11", base=0, output_base=10), "765")

    def test_files(self):
        import pathlib

        with tempfile.TemporaryDirectory() as folder:
            file, empty = pathlib.Path(folder, "a"), pathlib.Path(folder, "empty")
            file.write_text("12 345\n_678\n")
            empty.write_text("")
            self.same(gfmul.mul_decimal(file, file), str(12345678**2))
            self.same(gfmul.mul_decimal(file, b"-2"), "-24691356")
            with self.assertRaises(gfmul.NumberError) as caught:
                gfmul.mul_decimal("1", empty)
            self.assertEqual((caught.exception.status, caught.exception.operand), (gfmul.Status.EMPTY, 1))
            with self.assertRaises(FileNotFoundError):
                gfmul.mul_decimal("1", pathlib.Path(folder, "none"))

    def test_names_of_files(self):
        """A name given as a str is named in the message."""
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "digits")
            with open(name, "w") as file:
                file.write("12")
            for bad in (name, name.encode(), "no/such/file", "digits.txt"):
                with self.assertRaisesRegex(gfmul.NumberError, "looks like the name of a file, .*pathlib.Path") as caught:
                    gfmul.mul_decimal("1", bad)
                self.assertIn(repr(os.fsdecode(bad)), str(caught.exception))
                self.assertEqual((caught.exception.operand, caught.exception.line), (1, 1))
            with self.assertRaisesRegex(TypeError, "the path of a file as pathlib.Path; this is of type TextIOWrapper"):
                with open(name) as file:
                    gfmul.mul_decimal(file, "1")
        for bad in ("12x", "", " ", "1" * 5000 + "/", memoryview(b"x/y")):
            with self.assertRaises(gfmul.NumberError) as caught:
                gfmul.mul_decimal(bad, "1")
            self.assertNotIn("name of a file", str(caught.exception))
        with self.assertRaisesRegex(TypeError, "mul_decimal multiplies numbers in text"):
            gfmul.mul("12", 3)

    def test_errors(self):
        with self.assertRaises(gfmul.NumberError) as caught:
            gfmul.mul_decimal("1", "12\n3x4")
        e = caught.exception
        self.assertEqual((e.status, e.operand, e.offset, e.line, e.column), (gfmul.Status.SYNTAX, 1, 4, 2, 2))
        self.assertTrue(e.reason)
        for bad in (12, None, 1.5, words(1, 1)):
            with self.assertRaises(TypeError):
                gfmul.mul_decimal(bad, "1")
        for bases in ({"base": 37}, {"base": 1}, {"base": -1}, {"output_base": 1}, {"base": 16, "output_base": 37}):
            with self.assertRaisesRegex(ValueError, "bases are 2 to 36"):
                gfmul.mul_decimal("1", "1", **bases)
        with self.assertRaises(gfmul.NumberError):
            gfmul.mul_decimal("\u0661\u0662", "1")


class Contexts(Case):
    def test_refused_choices(self):
        together = "not together: engine auto, rule checked, precision dd, packing auto"
        with self.assertRaisesRegex(gfmul.UnsupportedError, together):
            gfmul.Context(rule="checked", precision="dd")
        with self.assertRaisesRegex(gfmul.UnsupportedError, "engine gmp, .*certify True"):
            gfmul.Context(engine="gmp", certify=1)
        with self.assertRaisesRegex(gfmul.Error, "^device [^:]*: .+") as refused:
            gfmul.Context(device="no such device")
        self.assertEqual(refused.exception.status, gfmul.Status.DEVICE)
        self.assertIn(refused.exception.detail, str(refused.exception))

    @unittest.skipUnless(gfmul.devices(), "there is no OpenCL device")
    def test_several_devices(self):
        with self.assertRaisesRegex(gfmul.ArgumentError, "'cpu' cannot be one of several devices"):
            gfmul.Context(device="gpu,cpu")
        c = gfmul.Context(device="gpu,gpu", engine="opencl")
        self.assertEqual(c.mul(3**9000, 5**9000), 15**9000)
        self.assertEqual((c.report().device_place, c.report().n_devices), (1, 1))

    def test_options_and_reports(self):
        c = gfmul.Context(rule="checked", threads=1, engine="cpu", verify_primes=2)
        c.mul(3**9000, 5**9000)
        report = c.report()
        self.assertEqual((report.status, report.plan.rule, report.plan.threads), (gfmul.Status.OK, "checked", 1))
        self.assertGreaterEqual(len(report.residues), 2)
        p, a, b, z = report.residues[0]
        self.assertEqual((a * b % p, sorted((a, b))), (z, sorted((3**9000 % p, 5**9000 % p))))
        self.assertIn("engine: cpu", str(report.plan))
        self.assertEqual(c.plan(500, 500, base=10), c.plan(500, 500, base=10))
        self.assertNotEqual(c.plan(5000), c.plan(4000))
        for sizes in ((-1,), (5, -1), (-1, 5), (5, -2)):
            with self.assertRaisesRegex(ValueError, "negative"):
                c.plan(*sizes)
        with self.assertRaises(AttributeError):
            report.nothing
        c.trim()
        self.assertIsNone(c.certificate())
        c = gfmul.Context(certify=True)
        c.mul(3**9000, 5**9000)
        self.assertIn("prime", c.certificate())

    def test_progress(self):
        told = []
        gfmul.Context(engine="cpu", progress=told.append).sqr(3**300000)
        self.assertTrue(told and all(0 <= x <= 1 for x in told))
        with self.assertRaises(gfmul.Error) as caught:
            gfmul.Context(engine="cpu", progress=lambda done: True).sqr(3**300000)
        self.assertEqual(caught.exception.status, gfmul.Status.INTERRUPTED)

        def fail(done):
            raise KeyError(done)

        with self.assertRaises(KeyError):
            gfmul.Context(engine="cpu", progress=fail).sqr(3**300000)
        with self.assertRaises(TypeError):
            gfmul.Context(progress=1)


def load_tests(loader, tests, pattern):
    from gfmul import _arrays, _convolve, _core, _transforms

    # sqr and mul of the module in C are found by their names: doctest looks for functions of Python.
    tests.addTests(doctest.DocTestSuite(gfmul, extraglobs={"gfmul": gfmul}))
    if numpy:
        for module in (_arrays, _convolve, _transforms):
            tests.addTests(doctest.DocTestSuite(module, extraglobs={"gfmul": gfmul}))
    parser = doctest.DocTestParser()
    for function in (_core.Context.mul, _core.Context.sqr):
        tests.addTest(doctest.DocTestCase(parser.get_doctest(function.__doc__, {}, function.__name__, None, None)))
    return tests


if __name__ == "__main__":
    unittest.main()
