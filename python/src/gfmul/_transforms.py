# SPDX-License-Identifier: LGPL-3.0-or-later
"""Plain transforms of numpy's arrays, and transforms modulo a prime. numpy is imported at the first call."""

from functools import lru_cache
from math import prod, sqrt
from operator import index

from . import _arrays, _core

_FLOAT, _DOUBLE, _DD = 1, 2, 3  # enum gfmul_precision
_NORMS = ("backward", "ortho", "forward")


@lru_cache(maxsize=16)
def _plan(n, is_real, precision, batch, scale, threads):
    return _core.Transform(n, is_real, precision, batch, scale, threads, None, None)


@lru_cache(maxsize=16)
def _ntt_plan(n, modulus, negacyclic, root, batch, threads):
    return _core.Ntt(n, modulus, negacyclic, root, batch, threads)


def _length(n):
    n = index(n)
    if n < 1:
        raise ValueError(f"a transform has at least one point, not {n}")
    return n


def _fitted(np, x, n):
    """The first n numbers of the last axis, with zeros behind them if there are fewer."""
    if x.shape[-1] >= n:
        return x[..., :n]
    z = np.zeros((*x.shape[:-1], n), x.dtype)
    z[..., :x.shape[-1]] = x
    return z


def _sequence(np, x, axis):
    """An array with its axis last."""
    if x.ndim == 0:
        raise ValueError("a transform needs an array of at least one dimension")
    return np.moveaxis(x, axis, -1)


def _prepared(np, x, wants_real):
    """The numbers in a type of the library; its precision, and the types of real and complex results."""
    is_long = _arrays.is_long(np, x)
    if is_long or _arrays.is_dd(np, x):
        types = (np.longdouble, np.clongdouble) if is_long else _arrays.dd_types(np)
        x = _arrays.dd(x)
        return x if wants_real else _arrays.as_complex_dd(np, x), _DD, *types
    if x.dtype.kind not in "iubfcO":
        raise TypeError(f"cannot transform numbers of dtype {x.dtype}")
    is_float = x.dtype.kind in "fc" and x.dtype.itemsize <= (4 if x.dtype.kind == "f" else 8)
    types = (np.float32, np.complex64) if is_float else (np.float64, np.complex128)
    return x.astype(types[0 if wants_real else 1], copy=False), _FLOAT if is_float else _DOUBLE, *types


def _transform(x, n, axis, norm, threads, real, backward):
    import numpy as np

    norm = "backward" if norm is None else norm
    if norm not in _NORMS:
        raise ValueError(f"norm {norm!r} is none of {', '.join(_NORMS)}")
    x = _sequence(np, _arrays.take(np, x), axis)
    if real and not backward and _arrays.is_complex(np, x):
        raise TypeError("rfft takes real numbers")
    x, precision, real_type, complex_type = _prepared(np, x, real and not backward)
    n = _length((2 * (x.shape[-1] - 1) if real and backward else x.shape[-1]) if n is None else n)
    x = np.require(_fitted(np, x, n // 2 + 1 if real and backward else n), None, "CA")
    outer, last = x.shape[:-1], n if backward or not real else n // 2 + 1
    part = real_type if real and backward else complex_type
    out = np.empty((*outer, last), _arrays.dd_types(np)[not (real and backward)] if precision == _DD else part)
    if prod(outer) > 0:
        plan = _plan(n, real, precision, prod(outer), norm == "backward", threads)
        (plan.backward if backward else plan.forward)(out, x)
    factor = sqrt(n) if norm == "ortho" else n if norm == "forward" and not backward else 1
    if precision == _DD and not np.dtype(part).names:
        out = _arrays.of_dd(np, out)
        factor = np.sqrt(np.longdouble(n)) if norm == "ortho" else factor
    if factor != 1 and np.dtype(part).names:
        raise TypeError(f"norm {norm!r} does not scale numbers in double-double: use \"backward\"")
    return np.moveaxis(out if factor == 1 else (out / factor).astype(part, copy=False), -1, axis)


def fft(x, n=None, axis=-1, norm=None, *, threads=0):
    """The Fourier transform of an array along an axis.

    n cuts the axis, or fills it with zeros. norm is "backward" (None), "ortho" or "forward", as in numpy. float16, float32 and
    complex64 are transformed in single precision, long double and dd() in double-double, all others in double precision.

    >>> gfmul.fft([1, 0, 0, 0]).real.tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    return _transform(x, n, axis, norm, threads, False, False)


def ifft(x, n=None, axis=-1, norm=None, *, threads=0):
    """The inverse of fft, divided by the length.

    >>> gfmul.ifft(gfmul.fft([1, 2, 3])).real.round(12).tolist()
    [1.0, 2.0, 3.0]
    """
    return _transform(x, n, axis, norm, threads, False, True)


def rfft(x, n=None, axis=-1, norm=None, *, threads=0):
    """The Fourier transform of real numbers: n of them give n//2 + 1.

    >>> gfmul.rfft([1, 1, 1, 1]).real.tolist()
    [4.0, 0.0, 0.0]
    """
    return _transform(x, n, axis, norm, threads, True, False)


def irfft(x, n=None, axis=-1, norm=None, *, threads=0):
    """The inverse of rfft: n real numbers of n//2 + 1. n is even if it is not given.

    >>> gfmul.irfft([4, 0, 0]).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    return _transform(x, n, axis, norm, threads, True, True)


def _axes(np, x, s, axes):
    """The lengths and the axes of a transform of several dimensions; None: the length is that of the array."""
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    axes = [index(axis) for axis in axes]
    s = [None] * len(axes) if s is None else list(s)
    if len(s) != len(axes) or not axes:
        raise ValueError(f"{len(s)} lengths for {len(axes)} axes")
    return list(zip(s, axes))


def _transform_axes(x, s, axes, norm, threads, real, backward):
    import numpy as np

    x = _arrays.take(np, x)
    steps = _axes(np, x, s, axes)
    # A real transform is the first step forwards, and the last step backwards.
    order = steps if backward else steps[::-1]
    at_real = (len(steps) - 1 if backward else 0) if real else -1
    for i, (n, axis) in enumerate(order):
        x = _transform(x, n, axis, norm, threads, i == at_real, backward)
    return x


def fftn(x, s=None, axes=None, norm=None, *, threads=0):
    """The Fourier transform along several axes: all of them, or the last len(s). s has their lengths, as n for fft.

    >>> gfmul.fftn([[1, 0], [0, 0]]).real.tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return _transform_axes(x, s, axes, norm, threads, False, False)


def ifftn(x, s=None, axes=None, norm=None, *, threads=0):
    """The inverse of fftn."""
    return _transform_axes(x, s, axes, norm, threads, False, True)


def rfftn(x, s=None, axes=None, norm=None, *, threads=0):
    """The same of real numbers: rfft along the last of the axes, then fft along the others."""
    return _transform_axes(x, s, axes, norm, threads, True, False)


def irfftn(x, s=None, axes=None, norm=None, *, threads=0):
    """The inverse of rfftn."""
    return _transform_axes(x, s, axes, norm, threads, True, True)


def fft2(x, s=None, axes=(-2, -1), norm=None, *, threads=0):
    """fftn along two axes."""
    return fftn(x, s, axes, norm, threads=threads)


def ifft2(x, s=None, axes=(-2, -1), norm=None, *, threads=0):
    """The inverse of fft2."""
    return ifftn(x, s, axes, norm, threads=threads)


def rfft2(x, s=None, axes=(-2, -1), norm=None, *, threads=0):
    """rfftn along two axes."""
    return rfftn(x, s, axes, norm, threads=threads)


def irfft2(x, s=None, axes=(-2, -1), norm=None, *, threads=0):
    """The inverse of rfft2."""
    return irfftn(x, s, axes, norm, threads=threads)


def _ntt(x, modulus, n, axis, root, negacyclic, threads, backward):
    import numpy as np

    x, modulus = _sequence(np, _arrays.take(np, x), axis), index(modulus)
    n = _length(x.shape[-1] if n is None else n)
    if not _arrays.is_exact(x):
        raise TypeError(f"a transform modulo a prime is for integers, not for {x.dtype}")
    if not 2 <= modulus < 2**62:
        raise ValueError("the modulus has to be a prime below 2**62")
    x = np.require(_fitted(np, _arrays.residues(np, x, modulus), n), None, "CA")
    out, batch = np.empty_like(x), prod(x.shape[:-1])
    if batch > 0:
        plan = _ntt_plan(n, modulus, bool(negacyclic), 0 if root is None else index(root), batch, threads)
        (plan.backward if backward else plan.forward)(out, x)
    return np.moveaxis(out, -1, axis)


def ntt(x, modulus, n=None, axis=-1, *, root=None, negacyclic=False, threads=0):
    """The transform of integers modulo a prime along an axis: X[k] is the sum of x[j] root**(j k), exact, as uint64.

    The length is 2**a, 3 * 2**a, 5 * 2**a or 7 * 2**a, and divides modulus - 1; modulus < 2**62. root is a root of unity of
    that order; None: ntt_root. n cuts the axis, or fills it with zeros.

    If negacyclic, X[k] is the sum of x[j] root**(j (2 k + 1)), with a root of twice that order, which divides modulus - 1.
    Products of such spectra, number by number, are those of negacyclic convolutions.

    >>> gfmul.ntt([1, 2, 3, 4], 17, root=4).tolist()
    [10, 7, 15, 6]
    >>> gfmul.intt(gfmul.ntt([1, 2, 3, 4], 17), 17).tolist()
    [1, 2, 3, 4]
    """
    return _ntt(x, modulus, n, axis, root, negacyclic, threads, False)


def intt(x, modulus, n=None, axis=-1, *, root=None, negacyclic=False, threads=0):
    """The inverse of ntt, with the same root."""
    return _ntt(x, modulus, n, axis, root, negacyclic, threads, True)


def ntt_root(n, modulus, *, negacyclic=False):
    """The root of unity that ntt takes for n numbers; it is the same on all machines.

    >>> pow(gfmul.ntt_root(8, 17), 8, 17)
    1
    """
    return _ntt_plan(_length(n), index(modulus), bool(negacyclic), 0, 1, 1).root
