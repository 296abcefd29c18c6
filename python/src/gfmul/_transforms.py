# SPDX-License-Identifier: LGPL-3.0-or-later
"""Plain transforms and convolutions of numpy's arrays. numpy is imported at the first call."""

from functools import lru_cache

from . import _core

_DOUBLE, _FLOAT = 2, 1  # enum gfmul_precision
_KINDS = ("full", "cyclic", "negacyclic")
# enum gfmul_conv_number
_REAL, _COMPLEX, _INT32, _INT64, _MOD, _REAL_FLOAT, _COMPLEX_FLOAT, _REAL_DD, _COMPLEX_DD, _UINT64 = range(10)


@lru_cache(maxsize=16)
def _plan(n, is_real, precision, batch, threads):
    return _core.Transform(n, is_real, precision, batch, True, threads, None, None)


def _rows(np, x, axis):
    """The array with its axis last, contiguous; and its shape without it."""
    x = np.moveaxis(x, axis, -1)
    return np.ascontiguousarray(x), x.shape[:-1]


def _transform(x, axis, threads, real, backward, n=None):
    import numpy as np

    x = np.asarray(x)
    if x.ndim == 0:
        raise ValueError("a transform needs an array of at least one dimension")
    is_float = x.dtype in (np.float32, np.complex64, np.float16)
    real_type, complex_type = (np.float32, np.complex64) if is_float else (np.float64, np.complex128)
    if real and not backward and np.iscomplexobj(x):
        raise TypeError("rfft takes real numbers")
    x, outer = _rows(np, x.astype(real_type if real and not backward else complex_type, copy=False), axis)
    n = x.shape[-1] if n is None else n
    if real and backward and (n < 1 or x.shape[-1] != n // 2 + 1):
        raise ValueError(f"{x.shape[-1]} numbers are not the spectrum of {n} real ones")
    last = n if backward or not real else n // 2 + 1
    out = np.empty((*outer, last), real_type if real and backward else complex_type)
    batch = int(np.prod(outer, dtype=np.int64))
    if batch > 0:
        plan = _plan(n, real, _FLOAT if is_float else _DOUBLE, batch, threads)
        (plan.backward if backward else plan.forward)(out, x)
    return np.moveaxis(out, -1, axis)


def fft(x, *, axis=-1, threads=0):
    """The Fourier transform of an array along an axis; float32 and complex64 in single precision.

    >>> gfmul.fft([1, 0, 0, 0]).real.tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    return _transform(x, axis, threads, False, False)


def ifft(x, *, axis=-1, threads=0):
    """The inverse of fft, divided by the length.

    >>> gfmul.ifft(gfmul.fft([1, 2, 3])).real.round(12).tolist()
    [1.0, 2.0, 3.0]
    """
    return _transform(x, axis, threads, False, True)


def rfft(x, *, axis=-1, threads=0):
    """The Fourier transform of real numbers: n of them give n//2 + 1.

    >>> gfmul.rfft([1, 1, 1, 1]).real.tolist()
    [4.0, 0.0, 0.0]
    """
    return _transform(x, axis, threads, True, False)


def irfft(x, n, *, axis=-1, threads=0):
    """The inverse of rfft: n real numbers of n//2 + 1.

    >>> gfmul.irfft([4, 0, 0], 4).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    return _transform(x, axis, threads, True, True, n)


def _largest(np, x):
    """The largest size of the integers of an array."""
    return max(int(x.max(initial=0)), -int(x.min(initial=0)))


def _words(np, a, b, n_terms, dtype):
    """Words of 64 bits that hold each result: as many as its dtype needs."""
    if dtype is not None and np.dtype(dtype) != object:
        if np.dtype(dtype) not in (np.int64, np.uint64):
            raise TypeError("the dtype of exact results is int64, uint64 or object")
        return 1
    bound = n_terms * _largest(np, a) * _largest(np, b)
    return 1 + (bound >= 2**63) + (bound >= 2**127)


def _python_ints(np, words):
    """Words in two's complement, the last axis, as Python's integers."""
    z = words[..., -1].view(np.int64).astype(object)
    for i in range(words.shape[-1] - 2, -1, -1):
        z = (z << 64) + words[..., i].astype(object)
    return z


def _integers(np, a, b, words, device):
    """What _numbers says of integers."""
    low = min(int(x.min(initial=0)) for x in (a, b))
    high = max(int(x.max(initial=0)) for x in (a, b))
    if high >= 2**63 and words > 1:
        if low < 0:
            raise OverflowError("beside negative numbers, those of 2**63 and above need dtype=numpy.int64 or uint64 "
                                "(modulo 2**64), or a modulus")
        return _UINT64, np.uint64, words, np.uint64
    # A number of 64 bits without a sign is the same one modulo 2^64 with a sign. Processors take int64 as fast as int32.
    short = device is not None and -(2**31) <= low and high < 2**31
    return (_INT32, np.int32, words, np.uint64) if short else (_INT64, np.int64, words, np.uint64)


def _numbers(np, a, b, modulus, dtype, n_terms, device):
    """The type of the numbers for the library, their dtype, words, and the dtype of results."""
    if modulus is not None:
        return _MOD, np.uint64, 1, np.uint64
    if all(x.dtype.kind in "iub" for x in (a, b)):  # numpy's common type of int64 and uint64 is float64
        return _integers(np, a, b, _words(np, a, b, n_terms, dtype), device)
    inexact = np.result_type(a, b)
    if inexact.kind == "f":
        return (_REAL_FLOAT, np.float32, 0, np.float32) if inexact.itemsize <= 4 else (_REAL, np.float64, 0, np.float64)
    if inexact.kind == "c":
        return (_COMPLEX_FLOAT, np.complex64, 0, np.complex64) if inexact.itemsize <= 8 else (
            _COMPLEX, np.complex128, 0, np.complex128)
    raise TypeError(f"cannot convolve numbers of dtype {inexact}")


def convolve(a, b, *, kind="full", axis=-1, modulus=None, dtype=None, threads=0, device=None):
    """The convolution of two arrays along an axis; exact for integers.

    kind is "full", "cyclic" or "negacyclic". The other axes are broadcast.

    The result of integers is int64 if the sizes of the numbers show that all results fit, else an array of Python's
    integers (dtype object). dtype=numpy.int64 or uint64 gives results modulo 2**64 without a look at the sizes. Numbers of
    2**63 and above beside negative ones need one of these. With a modulus, the numbers are reduced by it, and results are below
    it, as uint64.

    device names an OpenCL device, as in Context: "gpu", a number of devices(), or a part of a name. None: the CPU.

    >>> gfmul.convolve([1, 2, 3], [10, -1]).tolist()
    [10, 19, 28, -3]
    >>> gfmul.convolve([2**62, 1], [2**62, 1]).tolist()
    [21267647932558653966460912964485513216, 9223372036854775808, 1]
    >>> gfmul.convolve([1, 2, 3], [1, 1, 1], kind="cyclic").tolist()
    [6, 6, 6]
    >>> gfmul.convolve([5, 6], [5, 6], modulus=7).tolist()
    [4, 4, 1]
    """
    import numpy as np

    if kind not in _KINDS:
        raise ValueError(f"kind {kind!r} is none of {', '.join(_KINDS)}")
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim == 0 or b.ndim == 0 or a.shape[axis] == 0 or b.shape[axis] == 0:
        raise ValueError("a convolution needs arrays of at least one number")
    a, b = np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)
    if kind != "full" and a.shape[-1] != b.shape[-1]:
        raise ValueError(f"a {kind} convolution needs two sequences of one length")
    if modulus is not None:
        if not 2 <= modulus < 2**64:
            raise ValueError("the modulus has to be in 2 .. 2**64 - 1")
        if dtype is not None:
            raise TypeError("results below a modulus are uint64: leave dtype out")
        a, b = (_reduced(np, x, modulus) for x in (a, b))
    if a.shape[-1] < b.shape[-1]:
        a, b = b, a
    number, number_type, words, result_type = _numbers(np, a, b, modulus, dtype, b.shape[-1], device)
    a, b = (np.ascontiguousarray(x.astype(number_type, copy=False)) for x in (a, b))
    outer = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    last = a.shape[-1] + b.shape[-1] - 1 if kind == "full" else a.shape[-1]
    exact = number in (_INT32, _INT64, _UINT64)
    out = np.empty((*outer, last, words) if exact else (*outer, last), result_type)
    a_rows = np.broadcast_to(a, (*outer, a.shape[-1]))
    b_rows = np.broadcast_to(b, (*outer, b.shape[-1]))
    how = _KINDS.index(kind), number, words or 1, modulus or 2, threads, device
    if b.size == b.shape[-1] and np.prod(outer, dtype=np.intp) > 1:
        kernel = _core.Kernel(b.reshape(-1), a.shape[-1], *how)
        for row in np.ndindex(outer):
            kernel.run(out[row], a_rows[row])
    else:
        for row in np.ndindex(outer):
            _core.convolve(out[row], a_rows[row], b_rows[row], *how)
    if exact and words == 1:
        out = out[..., 0].view(np.int64 if dtype is None or np.dtype(dtype) == object else dtype)
        out = out.astype(object) if dtype is not None and np.dtype(dtype) == object else out
    elif exact:
        out = _python_ints(np, out)
    return np.moveaxis(out, -1, axis)


def _reduced(np, x, modulus):
    """Integers of any dtype, below a modulus, as uint64."""
    if x.dtype.kind not in "iubO":
        raise TypeError("a modulus is for integers")
    if x.dtype == object or (x.dtype.kind == "i" and modulus >= 2**63):
        return (x.astype(object) % modulus).astype(np.uint64)
    if x.dtype.kind == "i":
        return (x.astype(np.int64, copy=False) % np.int64(modulus)).astype(np.uint64)
    return x.astype(np.uint64, copy=False) % np.uint64(modulus)
