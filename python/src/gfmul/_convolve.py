# SPDX-License-Identifier: LGPL-3.0-or-later
"""Convolutions of numpy's arrays. numpy is imported at the first call."""

from functools import lru_cache
from operator import index

from . import _arrays, _core, _kronecker

_KINDS = ("full", "cyclic", "negacyclic")
_MODES = ("full", "same", "valid")
# enum gfmul_conv_number
_REAL, _COMPLEX, _INT32, _INT64, _MOD, _REAL_FLOAT, _COMPLEX_FLOAT, _REAL_DD, _COMPLEX_DD, _UINT64 = range(10)


@lru_cache(maxsize=8)
def _context(threads, device):
    from . import Context

    return Context(threads=threads, device=device)


def _by_rows(np, a, b, last, item, run):
    """Call run for each row of the result, of `last` numbers of dtype and shape item, and of a and b."""
    outer = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    out = np.empty((*outer, last, *item[1]), item[0])
    a = np.broadcast_to(a, (*outer, a.shape[-1]))
    b = np.broadcast_to(b, (*outer, b.shape[-1]))
    for row in np.ndindex(outer):
        run(out[row], a[row], b[row])
    return out


class _Convolution:
    """Linear, cyclic or negacyclic ones, along the last axis."""

    def __init__(self, np, kind, threads, device):
        self.np, self.kind, self.threads = np, kind, threads
        self.device = None if device is None else str(device)

    def last(self, a, b):
        return a.shape[-1] + b.shape[-1] - 1 if self.kind == "full" else a.shape[-1]

    def by_library(self, a, b, number, dtype, n_words=1, modulus=2):
        """Of numbers of a type of the library; each result of integers has n_words words of 64 bits, as a last axis."""
        np = self.np
        a, b = (np.require(x, dtype, "CA") for x in (a, b))
        exact = number in (_INT32, _INT64, _UINT64)
        item = (np.uint64, (n_words,)) if exact else (dtype, ())
        how = _KINDS.index(self.kind), number, n_words, modulus, self.threads, self.device
        if b.size == b.shape[-1] and a.size > a.shape[-1]:  # one sequence is convolved with many
            kernel = _core.Kernel(b.reshape(-1), a.shape[-1], *how)
            return _by_rows(np, a, b, self.last(a, b), item, lambda z, x, y: kernel.run(z, x))
        return _by_rows(np, a, b, self.last(a, b), item, lambda z, x, y: _core.convolve(z, x, y, *how))

    def by_product(self, a, b):
        """Of Python's integers, of any size."""
        mul, n = _context(self.threads, self.device).mul, a.shape[-1]

        def run(z, x, y):
            full = _kronecker.convolve(mul, x.tolist(), y.tolist())
            if self.kind != "full":
                sign = 1 if self.kind == "cyclic" else -1
                full = [v + sign * w for v, w in zip(full[:n], full[n:] + [0])]
            z[:] = full

        return _by_rows(self.np, a, b, self.last(a, b), (object, ()), run)

    def modular(self, a, b, modulus):
        if modulus < 2**64:
            a, b = (_arrays.residues(self.np, x, modulus) for x in (a, b))
            return self.by_library(a, b, _MOD, self.np.uint64, modulus=modulus)
        return self.by_product(*(_arrays.python_ints(self.np, x) % modulus for x in (a, b))) % modulus

    def integers(self, a, b, dtype):
        """Exact, or modulo 2**64 if the dtype asks for that."""
        np = self.np
        a, b = (_arrays.python_ints(np, x) if x.dtype == object else x for x in (a, b))
        if dtype is not None and dtype is not object:
            return self.by_library(*(_arrays.words(np, x) for x in (a, b)), _INT64, np.uint64)[..., 0].view(dtype)
        a_low, a_high = _arrays.limits(a)
        b_low, b_high = _arrays.limits(b)
        low, high = min(a_low, b_low), max(a_high, b_high)
        wants_object = dtype is not None or a.dtype == object or b.dtype == object
        signed, unsigned = -(2**63) <= low and high < 2**63, 0 <= low and high < 2**64
        if not (signed or (unsigned and self.device is None)):
            z = self.by_product(*(_arrays.python_ints(np, x) for x in (a, b)))
            return z if wants_object or not self.fits(z) else z.astype(np.int64)
        bound = min(a.shape[-1], b.shape[-1]) * max(-a_low, a_high) * max(-b_low, b_high)
        n_words = 1 + (bound >= 2**63) + (bound >= 2**127)
        # Processors take int64 as fast as int32.
        if self.device is not None and -(2**31) <= low and high < 2**31:
            z = self.by_library(a, b, _INT32, np.int32, n_words)
        elif signed:
            z = self.by_library(a, b, _INT64, np.int64, n_words)
        else:
            z = self.by_library(a, b, _UINT64, np.uint64, n_words)
        if n_words > 1 or wants_object:
            return _of_words(z)
        return z[..., 0].view(np.int64)

    def inexact(self, a, b, dtype):
        np = self.np
        is_dd = bool(a.dtype.names or b.dtype.names)
        common = None if is_dd else np.result_type(a, b)
        is_complex = any(_arrays.is_complex(np, x) for x in (a, b)) if is_dd else common.kind == "c"
        is_long = not is_dd and common.itemsize > (16 if is_complex else 8)
        if is_dd or is_long:
            a, b = map(_arrays.dd, (a, b))
            if is_complex:
                a, b = (_arrays.as_complex_dd(np, x) for x in (a, b))
            number, number_type = _COMPLEX_DD if is_complex else _REAL_DD, a.dtype
        elif is_complex:
            number, number_type = (_COMPLEX_FLOAT, np.complex64) if common.itemsize <= 8 else (_COMPLEX, np.complex128)
        else:
            number, number_type = (_REAL_FLOAT, np.float32) if common.itemsize <= 4 else (_REAL, np.float64)
        result = np.dtype(number_type if is_dd or not is_long else np.clongdouble if is_complex else np.longdouble)
        if dtype is not None and (dtype is object or dtype != result):
            raise TypeError(f"results of these numbers are {result}, not {dtype}: convert the numbers first")
        z = self.by_library(a, b, number, number_type)
        return z if is_dd or not is_long else _arrays.of_dd(np, z)

    @staticmethod
    def fits(z):
        low, high = _arrays.limits(z)
        return -(2**63) <= low and high < 2**63


def _of_words(words):
    """Words in two's complement, the last axis, as Python's integers."""
    z = words[..., -1].view("int64").astype(object)
    for i in range(words.shape[-1] - 2, -1, -1):
        z = (z << 64) + words[..., i].astype(object)
    return z


def _part(mode, z, an, bn):
    """What a mode wants of a full convolution, along the last axis."""
    if mode == "same":
        return z[..., (bn - 1) // 2:(bn - 1) // 2 + an]
    return z[..., min(an, bn) - 1:max(an, bn)] if mode == "valid" else z


def _convolve(np, a, b, kind, mode, axis, modulus, dtype, threads, device):
    an, bn = a.shape[-1], b.shape[-1]
    run = _Convolution(np, kind, threads, device)
    exact = _arrays.is_exact(a) and _arrays.is_exact(b)
    if dtype is not None:
        dtype = object if np.dtype(dtype) == object else np.dtype(dtype)
    if modulus is not None:
        if not exact:
            raise TypeError(f"a modulus is for integers, not for {a.dtype} and {b.dtype}")
        if dtype is not None:
            raise TypeError("results below a modulus are uint64, from 2**64 on int: leave dtype out")
    elif exact and dtype is not None and dtype is not object and dtype not in (np.dtype(np.int64), np.dtype(np.uint64)):
        raise TypeError(f"the dtype of exact results is int64, uint64 or object, not {dtype}")
    if an < bn:
        a, b = b, a
    if modulus is not None:
        z = run.modular(a, b, modulus)
    else:
        z = run.integers(a, b, dtype) if exact else run.inexact(a, b, dtype)
    return np.moveaxis(_part(mode, z, an, bn), -1, axis)


def _operands(np, a, b, axis):
    """Two arrays with their axis last."""
    a, b = _arrays.take(np, a), _arrays.take(np, b)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("a convolution needs arrays of at least one dimension")
    for x in (a, b):
        if x.dtype.kind not in "iubfcO" and not _arrays.is_dd(np, x):
            raise TypeError(f"cannot convolve numbers of dtype {x.dtype}")
    for x, y in ((a, b), (b, a)):
        if x.dtype == object and not _arrays.is_exact(y):
            raise TypeError(f"integers of any size (dtype object) beside numbers of dtype {y.dtype}: the result would not be "
                            "exact; convert them first, by astype(float) or gfmul.dd")
    a, b = np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)
    if a.shape[-1] == 0 or b.shape[-1] == 0:
        raise ValueError("a convolution needs at least one number")
    return a, b


def _check_mode(mode):
    if mode not in _MODES:
        raise ValueError(f"mode {mode!r} is none of {', '.join(_MODES)}")


def convolve(a, b, mode="full", *, kind="full", axis=-1, modulus=None, dtype=None, threads=0, device=None):
    """The convolution of two arrays along an axis; exact for integers of any size.

    kind is "full" (linear), "cyclic" or "negacyclic". mode is how much of a linear one is returned: "full", "same" (as many
    numbers as a has, from the middle), or "valid" (without those that need numbers beyond the ends). The other axes are
    broadcast.

    The result of integers is int64 if the sizes of the numbers show that all results fit, else an array of Python's integers
    (dtype object), as it is if an operand is of that dtype. Lists that numpy would round to floats are integers, too.
    dtype=numpy.int64 or uint64 gives results modulo 2**64 without a look at the sizes. With a modulus, the numbers are reduced
    by it, and results are below it: uint64, or Python's integers for a modulus of 2**64 or more.

    Other numbers have results in their precision, float32 or float64. Long double is computed in double-double, of 106 bits,
    and rounded once. Arrays of dd() give such arrays.

    device names an OpenCL device, as in Context: "gpu", a number of devices(), or a part of a name. None: the CPU.

    >>> gfmul.convolve([1, 2, 3], [10, -1]).tolist()
    [10, 19, 28, -3]
    >>> gfmul.convolve([2**62, 1], [2**62, 1]).tolist()
    [21267647932558653966460912964485513216, 9223372036854775808, 1]
    >>> gfmul.convolve([10**30, -1], [10**30, 1]).tolist() == [10**60, 0, -1]
    True
    >>> gfmul.convolve([1, 2, 3], [1, 1, 1], kind="cyclic").tolist()
    [6, 6, 6]
    >>> gfmul.convolve([1, 2, 3], [1, 1, 1], "same").tolist()
    [3, 6, 5]
    >>> gfmul.convolve([5, 6], [5, 6], modulus=7).tolist()
    [4, 4, 1]
    """
    import numpy as np

    if kind not in _KINDS:
        raise ValueError(f"kind {kind!r} is none of {', '.join(_KINDS)}")
    _check_mode(mode)
    if kind != "full" and mode != "full":
        raise ValueError(f"mode {mode!r} is for linear convolutions, not for {kind} ones")
    if modulus is not None:
        modulus = index(modulus)
        if modulus < 2:
            raise ValueError("the modulus has to be at least 2")
    a, b = _operands(np, a, b, axis)
    if kind != "full" and a.shape[-1] != b.shape[-1]:
        raise ValueError(f"a {kind} convolution needs two sequences of one length")
    return _convolve(np, a, b, kind, mode, axis, modulus, dtype, threads, device)


def correlate(a, b, mode="full", *, axis=-1, dtype=None, threads=0, device=None):
    """The cross-correlation of two arrays along an axis: the convolution of a with the conjugate of b, back to front.

    With bn numbers b, number k of the full result is the sum of a[i] conj(b[i - k + bn - 1]). The arguments are those of
    convolve.

    >>> gfmul.correlate([1, 2, 3], [0, 1, 5]).tolist()
    [5, 11, 17, 3, 0]
    """
    import numpy as np

    _check_mode(mode)
    a, b = _operands(np, a, b, axis)
    b = b[..., ::-1]
    if b.dtype.names == ("re", "im"):
        b = b.copy()
        for part in ("hi", "lo"):
            b["im"][part] *= -1
    elif b.dtype.kind == "c":
        b = b.conj()
    return _convolve(np, a, b, "full", mode, axis, None, dtype, threads, device)
