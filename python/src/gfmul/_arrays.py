# SPDX-License-Identifier: LGPL-3.0-or-later
"""Numbers as numpy's arrays, without a loss: integers of any size, long double, double-double."""

from fractions import Fraction
from operator import index


def take(np, x):
    """An array of numbers as they are. Integers that numpy would make floats of stay Python's own, dtype object.

    numpy does so if a negative integer stands beside one of 2**63 or more, or beside a scalar or an array of dtype uint64,
    however small. A matrix becomes an array.
    """
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        raise TypeError("a masked number has no value: fill the array first, as by x.filled(0)")
    y = np.asarray(x)
    if y.dtype.kind == "f" and y.size and not isinstance(x, np.ndarray):
        z = np.array(x, dtype=object)
        if z.shape == y.shape and all(np.asarray(v).dtype.kind in "iubO" for v in z.flat):
            return z
    return y


def is_exact(x):
    """Whether an array has integers, or objects that have to be integers."""
    return x.dtype.kind in "iubO"


def python_ints(np, x):
    """Integers as Python's own, dtype object."""
    z = np.empty(x.size, object)
    if x.dtype != object:
        z[:] = x.reshape(-1).tolist()
        return z.reshape(x.shape)
    for i, v in enumerate(x.flat):
        try:
            z[i] = index(v)
        except TypeError:
            raise TypeError(f"an array of objects has to hold integers: number {i} is {v!r:.60}, of type "
                            f"{type(v).__name__}") from None
    return z.reshape(x.shape)


def limits(x):
    """The least and the largest of some integers and 0."""
    return min(int(x.min(initial=0)), 0), max(int(x.max(initial=0)), 0)


def words(np, x):
    """Integers of any size modulo 2**64, as uint64."""
    if x.dtype == object:
        return np.array([v & (2**64 - 1) for v in x.flat], np.uint64).reshape(x.shape)
    return x.astype(np.int64 if x.dtype.kind == "i" else np.uint64, copy=False).view(np.uint64)


def residues(np, x, modulus):
    """Integers below a modulus of at most 2**64, as uint64."""
    if x.dtype == object or (x.dtype.kind == "i" and modulus >= 2**63):
        return (python_ints(np, x) % modulus).astype(np.uint64)
    if x.dtype.kind == "i":
        return (x.astype(np.int64, copy=False) % np.int64(modulus)).astype(np.uint64)
    return x.astype(np.uint64, copy=False) % np.uint64(modulus)


# --- double-double ------------------------------------------------------------------------------------------------------------


def dd_types(np):
    """The dtypes of real and of complex numbers in double-double."""
    real = np.dtype([("hi", np.float64), ("lo", np.float64)])
    return real, np.dtype([("re", real), ("im", real)])


def is_dd(np, x):
    """Whether an array has the dtype of dd()."""
    return x.dtype.names is not None and x.dtype in dd_types(np)


def is_long(np, x):
    """Whether an array has long doubles, real or complex, that are no doubles."""
    return x.dtype.kind in "fc" and x.dtype.itemsize > (8 if x.dtype.kind == "f" else 16)


def is_complex(np, x):
    return x.dtype.kind == "c" or (x.dtype.names is not None and x.dtype == dd_types(np)[1])


def _split_long(np, x, real):
    z = np.empty(x.shape, real)
    with np.errstate(over="ignore", invalid="ignore"):
        z["hi"] = x
        z["lo"] = np.where(np.isfinite(x), x - z["hi"], 0)
    if not (np.isfinite(z["hi"]) == np.isfinite(x)).all():
        raise OverflowError("a long double is too large for double-double")
    if np.finfo(np.longdouble).nmant > 105 and (z["hi"].astype(x.dtype) + z["lo"] != x)[np.isfinite(x)].any():
        raise TypeError(f"a long double of {np.finfo(np.longdouble).nmant + 1} bits does not fit into double-double's 106")
    return z


def _split_object(np, x, real):
    z = np.empty(x.size, real)
    for i, v in enumerate(x.flat):
        v = Fraction(*v.as_integer_ratio()) if hasattr(v, "as_integer_ratio") else Fraction(index(v))
        hi = float(v)
        z[i] = hi, float(v - Fraction(hi))
    return z.reshape(x.shape)


def _split(np, x, real):
    """Real numbers of any dtype, as two doubles."""
    if x.dtype == object:
        return _split_object(np, x, real)
    if is_long(np, x):
        return _split_long(np, x, real)
    z = np.zeros(x.shape, real)
    if x.dtype.kind not in "iu" or x.dtype.itemsize < 8:
        z["hi"] = x
        return z
    high, low = (x >> x.dtype.type(32)).astype(np.float64) * 2.0**32, (x & x.dtype.type(2**32 - 1)).astype(np.float64)
    z["hi"] = high + low
    z["lo"] = low - (z["hi"] - high)  # exact, as |high| >= low or high = 0
    return z


def dd(x):
    """An array of numbers in double-double: dtype with the fields hi and lo, the nearest double and the rest, 106 bits in all.

    Numbers are of any real or complex dtype, or objects such as int, Fraction and Decimal. Complex ones have the fields re
    and im, each of these two. fft, ifft, rfft, irfft, convolve and correlate take such arrays, and return them.

    >>> from fractions import Fraction
    >>> third = gfmul.dd([Fraction(1, 3)])
    >>> float(abs(Fraction(third["hi"][0]) + Fraction(third["lo"][0]) - Fraction(1, 3))) < 2**-107
    True
    """
    import numpy as np

    real, pair = dd_types(np)
    x = take(np, x)
    if is_dd(np, x):
        return x
    if x.dtype.kind not in "iubfcO":
        raise TypeError(f"numbers of dtype {x.dtype} have no value in double-double")
    if x.dtype.kind != "c":
        return _split(np, x, real)
    z = np.empty(x.shape, pair)
    z["re"], z["im"] = _split(np, x.real, real), _split(np, x.imag, real)
    return z


def as_complex_dd(np, x):
    """Real or complex double-double as complex."""
    real, pair = dd_types(np)
    if x.dtype == pair:
        return x
    z = np.zeros(x.shape, pair)
    z["re"] = x
    return z


def of_dd(np, x):
    """Double-double as long double, rounded."""
    if x.dtype.names == ("hi", "lo"):
        return x["hi"].astype(np.longdouble) + x["lo"]
    z = np.empty(x.shape, np.clongdouble)
    z.real, z.imag = of_dd(np, x["re"]), of_dd(np, x["im"])
    return z
