#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""bench_python.py - the Python package beside gmpy2, CPython's int, decimal, scipy and python-flint.

    python bench/bench_python.py [--rounds N] [--only TASK] [--short] >bench/results/MACHINE/DATE-python.tsv

It needs these packages and numpy. All contestants run in one process, in one thread, and take turns: a round is one sample of
each. A time is the CPU time of the process, the median over the rounds; a ratio is the median of the rounds' ratios. Every result
is compared once with another contestant's. --short compares short products instead: where does gfmul overtake int?
"""

import argparse
import datetime
import decimal
import os
import platform
import random
import statistics
import subprocess
import sys
import time

os.environ.update({name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")})

import flint
import gfmul
import gmpy2
import numpy as np
import scipy
import scipy.signal

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)
options = argparse.ArgumentParser(description="the Python package beside others")
options.add_argument("--rounds", type=int, default=9)
options.add_argument("--only", choices=("int", "text", "conversion", "convolution"))
options.add_argument("--short", action="store_true")
options = options.parse_args()
rng = random.Random(1)
context = gfmul.Context(threads=1)


def sample(call, seconds):
    """CPU seconds of one call, from as many calls as last so long."""
    calls = 0
    start = time.process_time()
    while True:
        call()
        calls += 1
        took = time.process_time() - start
        if took >= seconds:
            return took / calls


def compare(task, size, contestants, slow=()):
    """Rounds of all contestants, gfmul's first; one round for slow ones. Prints a line for each of the others."""
    times = {name: [] for name in contestants}
    for i in range(options.rounds):
        names = [name for name in contestants if i == 0 or name not in slow]
        shift = i % len(names)
        for name in names[shift:] + names[:shift]:
            times[name].append(sample(contestants[name], 0.02))
    first = next(iter(contestants))
    own = statistics.median(times[first])
    for name, taken in times.items():
        if name != first:
            ratio = statistics.median(t / g for t, g in zip(taken, times[first]))
            ms = (f"{1e3 * t:.5g}" for t in (own, statistics.median(taken)))
            print(task, size, first, name, *ms, f"{ratio:.4g}", len(taken), sep="\t", flush=True)


def numbers(digits):
    low = 10 ** (digits - 1)
    return (rng.randrange(low, 10 * low) for _ in "ab")


def bench_int(digits):
    a, b = numbers(digits)
    x, y = gmpy2.mpz(a), gmpy2.mpz(b)
    assert gfmul.mul(a, b) == x * y
    contestants = {"gfmul, int": lambda: context.mul(a, b), "gmpy2.mpz": lambda: x * y}
    if digits <= 10**6:
        contestants["int"] = lambda: a * b
    compare("int x int", digits, contestants, slow=("int",) if digits >= 10**6 else ())
    compare("mpz x mpz", digits, {"gfmul, mpz": lambda: context.mul(x, y), "gmpy2.mpz": lambda: x * y})


def bench_decimal(digits):
    a, b = (str(x) for x in numbers(digits))
    decimal.setcontext(decimal.Context(prec=decimal.MAX_PREC, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN))
    try:
        by_decimal = lambda: str(decimal.Decimal(a) * decimal.Decimal(b))
        assert by_decimal() == gfmul.mul_decimal(a, b)
        compare("decimal text", digits, {"gfmul.mul_decimal": lambda: context.mul_decimal(a, b), "decimal": by_decimal})
    finally:
        decimal.setcontext(decimal.DefaultContext)


def bench_conversion(digits):
    x, _ = numbers(digits)
    z, text = gmpy2.mpz(x), gfmul.to_str(x)
    assert text == z.digits() and gfmul.from_str(text) == x
    compare("to text", digits, {"gfmul.to_str, int": lambda: context.to_str(x), "gmpy2.mpz": z.digits, "int": lambda: str(x)},
            slow=("int",) if digits >= 10**6 else ())
    compare("from text", digits, {"gfmul.from_str, int": lambda: context.from_str(text), "gmpy2.mpz": lambda: gmpy2.mpz(text),
                                  "int": lambda: int(text)}, slow=("int",) if digits >= 10**6 else ())


def kronecker(a, b, words):
    """Words of the convolution of numbers >= 0, by one product of python-flint: slots of so many words."""
    def packed(x):
        slots = np.zeros((x.size, words), np.uint64)
        slots[:, 0] = x
        return flint.fmpz(int.from_bytes(slots.tobytes(), "little"))

    n = a.size + b.size - 1
    z = int(packed(a) * packed(b)).to_bytes(8 * words * n, "little")
    return np.frombuffer(z, np.uint64).reshape(n, words)[:, 0].view(np.int64)


def bench_convolution(n, bits):
    r = np.random.default_rng(1)
    a, b = (r.integers(0, 2**bits, n, dtype=np.int64) for _ in "ab")
    dtype, words = (None, 1) if bits * 2 + n.bit_length() <= 63 else (np.int64, 3)
    assert (gfmul.convolve(a, b, dtype=dtype) == kronecker(a, b, words)).all()
    compare(f"convolution of int64, values of {bits} bits", n, {
        "gfmul.convolve": lambda: gfmul.convolve(a, b, dtype=dtype, threads=1),
        "scipy.fftconvolve (inexact)": lambda: scipy.signal.fftconvolve(a.astype(float), b.astype(float)),
        "python-flint, Kronecker": lambda: kronecker(a, b, words),
    })


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


here = os.path.dirname(os.path.abspath(__file__))
git = ["git", "-C", here, "rev-parse", "--short=12", "HEAD"]
commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout
print("# command:", "bench_python.py", *sys.argv[1:])
print("# date:", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%SZ"))
print(f"# processor: {processor()}, {os.cpu_count()} online")
print("# load:", *(f"{x:.2f}" for x in os.getloadavg()))
print(f"# gfmul: {gfmul.__version__}, commit {commit.strip()}, instruction set {context.plan(10**5).isa}")
print(f"# python {platform.python_version()}, gmpy2 {gmpy2.version()} with {gmpy2.mp_version()}, numpy {np.__version__}, "
      f"scipy {scipy.__version__}, python-flint {flint.__version__} with FLINT {flint.__FLINT_VERSION__}")
print(f"# clock: CPU time of the process, one thread; rounds: {options.rounds}, samples of 20 ms or more")
print("# times are milliseconds; ratio: the median of the other's time divided by gfmul's in the same round")
print("task", "size", "gfmul_as", "other", "gfmul_ms", "other_ms", "ratio", "rounds", sep="\t")
if options.short:
    for digits in (600, 800, 1000, 1200, 1500, 2000, 3000):
        a, b = numbers(digits)
        compare("int x int, short", digits, {"gfmul, int": lambda: context.mul(a, b), "int": lambda: a * b})
else:
    for digits in (10**5, 10**6, 10**7) if options.only in (None, "int") else ():
        bench_int(digits)
    for digits in (10**5, 10**6) if options.only in (None, "text") else ():
        bench_decimal(digits)
    for digits in (10**5, 10**6, 10**7) if options.only in (None, "conversion") else ():
        bench_conversion(digits)
    for bits in (15, 21, 31, 63) if options.only in (None, "convolution") else ():
        bench_convolution(10**6, bits)
