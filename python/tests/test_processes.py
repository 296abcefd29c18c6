# SPDX-License-Identifier: LGPL-3.0-or-later
"""What crosses processes and ends them: pickling, pools, signals, progress, the end of the interpreter."""

import copy
import functools
import multiprocessing
import os
import pathlib
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
import unittest
from concurrent.futures import ProcessPoolExecutor

import gfmul

SEED = int(os.environ.get("GFMUL_TEST_SEED", random.SystemRandom().randrange(2**32)))
LONG = int(os.environ.get("GFMUL_TEST_LONG", "0"))
BIG = 3**9000
# Long enough to be watched, and to last some seconds in the slowest mode of a processor.
LONG_NUMBER = random.Random(SEED).randbytes(8 << 20)



def value(x):
    return int.from_bytes(x, "little")


# Daemon threads multiply while the interpreter ends, on one core, as hard as they can.
EXIT = """
import gfmul, os, sys, threading, time
hasattr(os, "sched_setaffinity") and os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
a, b, long = 7**60000, "7" * 40000, bytes(range(1, 255)) * 9000
calls = [lambda: gfmul.mul(a, a), lambda: gfmul.mul_decimal(b, b), lambda: gfmul.sqr(long),
         functools.partial(gfmul.Context(progress=lambda done: 0).mul, a, a)] if %d else [lambda: gfmul.mul(a, a)]
def work(call):
    while True:
        call()
many = [[i] for i in range(300_000)]
for i in range(6):
    threading.Thread(target=work, args=(calls[i %% len(calls)],), daemon=True).start()
time.sleep(.3)
"""
EXIT = EXIT.replace("import gfmul, os", "import functools, gfmul, os")


def failing(kind):
    """Raise an error of the library in a worker process."""
    if kind == "number":
        return gfmul.mul_decimal("1", "12\n3x4")
    if kind == "memory":
        return gfmul.Context(memory_limit=1000, engine="cpu").mul(3**90000, 5**90000)
    if kind == "unsupported":
        return gfmul.Context(rule="checked", precision="dd")
    if kind == "argument":
        return gfmul.Context(threads=5000)
    if kind == "device":
        return gfmul.Context(device="no such device")
    return gfmul.Context(engine="cpu", progress=lambda done: True).sqr(BIG)


FAILURES = {"number": gfmul.NumberError, "memory": gfmul.MemoryLimitError, "unsupported": gfmul.UnsupportedError,
            "argument": gfmul.ArgumentError, "device": gfmul.Error, "interrupted": gfmul.Error}


class Own(gfmul.NumberError):
    def __init__(self, hint):
        super().__init__(20, "text", {"error_line": 7})
        self.hint = hint


class Pickling(unittest.TestCase):
    def equal(self, e, f):
        self.assertIs(type(e), type(f))
        self.assertEqual((str(e), e.args, e.__dict__), (str(f), f.args, f.__dict__))

    def test_errors(self):
        for kind, cls in FAILURES.items():
            with self.assertRaises(cls) as caught:
                failing(kind)
            e = caught.exception
            self.assertIs(type(e), cls)
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                self.equal(pickle.loads(pickle.dumps(e, protocol)), e)
            self.equal(copy.copy(e), e)
        e = Own("own")
        e.more = [1]
        f = pickle.loads(pickle.dumps(e))
        self.equal(e, f)
        self.assertEqual((f.hint, f.more, f.line, f.status), ("own", [1], 7, gfmul.Status.SYNTAX))

    def test_functions_and_contexts(self):
        for name in gfmul.__all__:
            function = getattr(gfmul, name)
            self.assertEqual(pickle.loads(pickle.dumps(function)), function, name)
        options = {"threads": 1, "rule": "knuth", "engine": "cpu", "memory_limit": 10**9, "device": "cpu", "verify_primes": 3}
        c = gfmul.Context(**options)
        self.assertEqual({name: c.options[name] for name in options}, options)
        self.assertEqual((c.options["progress"], c.options["certify"], c.options["precision"]), (None, False, "auto"))
        with self.assertRaises(TypeError):
            c.options["threads"] = 2
        for d in (pickle.loads(pickle.dumps(c)), copy.copy(c), copy.deepcopy(c)):
            self.assertEqual((type(d), d.options), (gfmul.Context, c.options))
            self.assertEqual(d.mul(BIG, BIG), BIG * BIG)
            self.assertEqual(d.report().plan.rule, "knuth")
        self.assertEqual(eval(repr(c)).options, c.options)
        self.assertEqual(repr(gfmul.Context()), "gfmul.Context()")
        self.assertEqual(pickle.loads(pickle.dumps(c.mul))(BIG, -2), -2 * BIG)
        with self.assertRaises((AttributeError, pickle.PicklingError)):
            pickle.dumps(gfmul.Context(progress=lambda done: 0))
        self.assertIs(pickle.loads(pickle.dumps(gfmul.Context(progress=print))).options["progress"], print)
        report = c.report()
        self.assertEqual(pickle.loads(pickle.dumps(report)), report)


class Pools(unittest.TestCase):
    """Workers of every start method return products, and raise errors, after long products in the parent."""

    def check(self, apply, result):
        self.assertEqual(result(apply(gfmul.mul, (BIG, -BIG))), -BIG * BIG)
        self.assertEqual(result(apply(gfmul.sqr, (LONG_NUMBER,))), self.square)
        self.assertEqual(result(apply(gfmul.Context(threads=1, rule="knuth").mul, (BIG, BIG))), BIG * BIG)
        self.assertEqual(result(apply(gfmul.convolve, ([2**70, -1], [3]))).tolist() if "numpy" in sys.modules else 0,
                         [3 * 2**70, -3] if "numpy" in sys.modules else 0)
        for kind, cls in FAILURES.items():
            with self.assertRaises(cls) as caught:
                result(apply(failing, (kind,)))
            self.assertIs(type(caught.exception), cls)
        with self.assertRaises(gfmul.NumberError) as caught:
            result(apply(gfmul.mul_decimal, ("1", "12\n3x4")))
        e = caught.exception
        self.assertEqual((e.status, e.operand, e.offset, e.line, e.column), (gfmul.Status.SYNTAX, 1, 4, 2, 2))

    def setUp(self):
        self.square = gfmul.sqr(LONG_NUMBER)

    def methods(self):
        return multiprocessing.get_all_start_methods() if LONG else ["fork", "spawn"]

    def test_executor(self):
        for method in self.methods():
            with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
                self.check(lambda f, args: pool.submit(f, *args), lambda future: future.result(timeout=600))
                self.assertEqual(list(pool.map(gfmul.mul, [BIG, 2], [BIG, 3])), [BIG * BIG, 6])

    def test_pool(self):
        for method in self.methods():
            with multiprocessing.get_context(method).Pool(1) as pool:
                self.check(pool.apply_async, lambda got: got.get(timeout=600))
                self.assertEqual(pool.starmap(gfmul.mul, [(BIG, BIG), (2, 3)]), [BIG * BIG, 6])


class Watched(unittest.TestCase):
    @unittest.skipUnless(hasattr(signal, "setitimer"), "this system has no timers")
    def test_signal_stops(self):
        """A handler's exception ends a product on its way, of numbers and of text; the next product is right."""
        def alarm(number, frame):
            raise TimeoutError

        text = str(BIG) * 4000
        contexts = [gfmul.Context(engine="cpu", threads=1, **options) for options in (
            {}, {"precision": "prime"}, {"precision": "dd"}, {"progress": lambda done: 0})]
        number = LONG_NUMBER * 4  # a quarter of a second and more
        calls = [(c, functools.partial(c.sqr, number)) for c in contexts]
        contexts.append(gfmul.Context(engine="cpu", threads=1))
        calls.append((contexts[-1], functools.partial(contexts[-1].mul_decimal, text, text)))
        old = signal.signal(signal.SIGALRM, alarm)
        try:
            for context, call in calls:
                for _ in range(20):  # some end before the signal is seen
                    with self.assertRaises(TimeoutError):
                        signal.setitimer(signal.ITIMER_REAL, 0.001)
                        call()
                        time.sleep(10)
                    if context.report().status == gfmul.Status.INTERRUPTED:
                        break
                else:
                    self.fail(f"{context!r} was never stopped")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)
        z = value(gfmul.sqr(LONG_NUMBER))
        self.assertEqual(z, value(gfmul.mul(LONG_NUMBER, LONG_NUMBER + b"\0")))
        for _ in range(3):  # Python's own product would take a minute; test_products has whole ones
            m = 2**255 + random.randrange(2**255)
            self.assertEqual(z % m, (value(LONG_NUMBER) % m) ** 2 % m, m)

    def test_handler_multiplies(self):
        """A handler may call the same context while its product waits."""
        if not hasattr(signal, "setitimer"):
            return
        seen = []
        context = gfmul.Context()
        old = signal.signal(signal.SIGALRM, lambda *_: seen.append(context.sqr(LONG_NUMBER[:2000000])))
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            z = context.sqr(LONG_NUMBER)
            while not seen:
                time.sleep(0.01)
        finally:
            signal.signal(signal.SIGALRM, old)
        self.assertEqual(seen, [gfmul.sqr(LONG_NUMBER[:2000000])])
        self.assertEqual(z, gfmul.sqr(LONG_NUMBER))

    def test_progress(self):
        """The callable runs in the caller's thread, from 0 to 1, and may multiply and use the interpreter."""
        told, threads = [], set()

        def tell(done):
            told.append(done)
            threads.add(threading.get_ident())
            if len(told) < 5:
                self.assertEqual(context.mul(2**200, 3), 3 * 2**200)
                self.assertEqual(gfmul.mul(BIG, BIG), BIG * BIG)

        context = gfmul.Context(progress=tell, engine="cpu", precision="dd", threads=1)
        z = context.sqr(LONG_NUMBER)
        self.assertEqual(z, gfmul.sqr(LONG_NUMBER))
        self.assertEqual(threads, {threading.get_ident()})
        self.assertEqual((told[0], told[-1], told), (0, 1, sorted(told)))
        self.assertGreater(len(told), 2)
        for last in (0, 1, 2):  # stop at the start, on the way, and when all is done
            for answer, error in ((True, gfmul.Error), (KeyError, KeyError)):
                seen = []

                def stop(done):
                    seen.append(done)
                    if len(seen) > last or done == 1:
                        if answer is True:
                            return [1]
                        raise answer
                    return ""

                with self.assertRaises(error) as caught:
                    gfmul.Context(progress=stop).sqr(LONG_NUMBER)
                if answer is True:
                    self.assertEqual(caught.exception.status, gfmul.Status.INTERRUPTED)

    def test_progress_in_threads(self):
        """Many threads with progress on one context, more than there are idle threads kept."""
        failed, told = [], []
        context = gfmul.Context(progress=told.append, threads=1)

        def work(seed):
            r = random.Random(seed)
            for _ in range(8):
                a, b = r.getrandbits(200000) | 1 << 200000, r.getrandbits(3000) | 1 << 3100
                if context.mul(a, b) != a * b:
                    failed.append(seed)

        threads = [threading.Thread(target=work, args=(SEED + i,)) for i in range(12)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failed, [])
        self.assertEqual((told.count(0), told.count(1)), (96, 96))

    def test_small_stack(self):
        """Long products do not depend on the stack of the thread that asks for them."""
        got = []
        old = threading.stack_size(65536 if sys.platform == "linux" else 0)
        try:
            t = threading.Thread(target=lambda: got.append(gfmul.sqr(LONG_NUMBER)))
            t.start()
            t.join()
        finally:
            threading.stack_size(old)
        self.assertEqual(got, [gfmul.sqr(LONG_NUMBER)])


class Exit(unittest.TestCase):
    def test_daemon_threads(self):
        """The interpreter ends with status 0 while daemon threads multiply, on a core that others use as well."""
        env = {**os.environ, "PYTHONPATH": str(pathlib.Path(gfmul.__file__).parents[1])}
        running = []
        try:
            for i in range(100 if LONG else 4):
                if len(running) == 4:  # they are each other's load: seven threads each, on one core
                    self.ended(running.pop(0))
                running.append(subprocess.Popen([sys.executable, "-c", EXIT % (i % 2)], env=env, stderr=subprocess.PIPE))
            while running:
                self.ended(running.pop(0))
        finally:
            for p in running:
                p.kill()
                p.communicate()

    def ended(self, process):
        try:
            said = process.communicate(timeout=600)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        self.assertEqual(process.returncode, 0, said.decode()[-2000:])


if __name__ == "__main__":
    unittest.main()
