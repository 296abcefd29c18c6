# SPDX-License-Identifier: LGPL-3.0-or-later
"""Exact multiplication of big integers by FFT convolution, with a proved rounding bound.

>>> import gfmul
>>> a, b = 7**50000, 11**40000
>>> gfmul.mul(a, b) == a * b
True
>>> gfmul.mul_decimal("123456789", "1_000_001")
'123456912456789'
"""

import contextlib
import mmap
import os
from types import MappingProxyType

from . import _core
from ._arrays import dd
from ._convolve import convolve, correlate
from ._helpers import ArgumentError, Error, MemoryLimitError, NumberError, Status, UnsupportedError, product_tree
from ._transforms import (fft, fft2, fftn, ifft, ifft2, ifftn, intt, irfft, irfft2, irfftn, ntt, ntt_root, rfft, rfft2, rfftn)

__all__ = [
    "ArgumentError", "Context", "Error", "MemoryLimitError", "NumberError", "Plan", "Report", "Space", "Spectrum",
    "Status", "UnsupportedError",
    "batch_gcd", "convolve", "correlate", "dd", "devices", "divmod", "fft", "fft2", "fftn", "from_str", "has_engine", "ifft",
    "ifft2", "ifftn", "intt", "irfft", "irfft2", "irfftn", "isqrt", "mul", "mul_decimal", "ntt", "ntt_root", "powmod", "prod",
    "remainders", "rfft", "rfft2", "rfftn", "sqr", "to_str",
]

__version__ = _core.version

devices = _core.devices
Spectrum = _core.Spectrum

_ENGINES = ("auto", "cpu", "opencl", "fftw", "gmp")
_RULES = ("norm", "knuth", "checked")
_PRECISIONS = ("auto", "", "double", "dd", "prime")  # no product is made of floats
_PACKINGS = ("auto", "two-for-one", "one-for-half", "right-angle")
_VERIFY = ("mod", "gmp", "none")


def _choice(name, value, values):
    if not value or value not in values:
        raise ValueError(f"{name} {value!r} is none of {', '.join(filter(None, values))}")
    return values.index(value)


def has_engine(engine):
    """Whether this build can run an engine.

    >>> gfmul.has_engine("cpu")
    True
    """
    return _core.has_engine(_choice("engine", engine, _ENGINES))


class _Record:
    """Fields that were read from the library; they do not change."""

    __slots__ = ("_fields",)

    def __init__(self, fields):
        self._fields = MappingProxyType(fields)

    def __getattr__(self, name):
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}") from None

    def __dir__(self):
        return [*super().__dir__(), *self._fields]

    def __reduce__(self):
        return type(self), (dict(self._fields),)

    def __eq__(self, other):
        return self._fields == other._fields if type(other) is type(self) else NotImplemented

    __hash__ = None


class Plan(_Record):
    """How a product is made: the fields of gfmul_plan_info in gfmul.h. str() gives the lines of bigmul --plan."""

    __slots__ = ()

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<gfmul.Plan: engine {self.engine}, {self.n_points} points>"


class Report(_Record):
    """How a product was made: the fields of gfmul_report in gfmul.h. plan is a Plan."""

    __slots__ = ()

    def __init__(self, fields):
        plan = fields["plan"]
        super().__init__({**fields, "status": Status(fields["status"]), "plan": Plan(plan) if type(plan) is dict else plan})

    def __repr__(self):
        return f"<gfmul.Report: {self.status.name}, {self.total_ns / 1e6:.3f} ms, {self.plan!r}>"


@contextlib.contextmanager
def _text(number):
    """The characters of a number: of a file, if it is a path."""
    if not isinstance(number, os.PathLike):
        if not isinstance(number, str):
            try:
                memoryview(number)
            except TypeError:
                raise TypeError("a number in text is a str, bytes or another buffer, or the path of a file as pathlib.Path; "
                                f"this is of type {type(number).__name__}") from None
        yield number
        return
    with open(number, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            yield b""
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as characters:
            yield characters


def _as_path(number):
    """A text as the name of a file, if it looks like one; else None."""
    try:
        name = os.fsdecode(number)
    except TypeError:  # another buffer
        return None
    if len(name) > 4096 or not name.isprintable():
        return None
    with contextlib.suppress(OSError, ValueError):
        if os.path.exists(name):
            return name
    return name if os.sep in name or os.path.splitext(name)[1] else None


class Context(_core.Context):
    """Options for products, and the memory that they share. Threads may use one context at once.

    The options are those of gfmul_options in gfmul.h. Choices are strings. progress is called with the share of the work
    done; if it returns true, or raises an exception, the product stops. device is None, "cpu", "gpu", a number of devices(),
    a part of a name, several of these as "1,2", or "all".

    >>> context = gfmul.Context(threads=1, rule="knuth")
    >>> context.mul(10**2000, 10**3000) == 10**5000
    True
    >>> context.report().plan.rule
    'knuth'
    """

    __slots__ = ("_options",)

    def __new__(cls, *, engine="auto", rule="norm", precision="auto", packing="auto", verify="mod", threads=0, memory_limit=0,
                device=None, progress=None, verify_primes=0, certify=False):
        try:
            self = super().__new__(
                cls, _choice("engine", engine, _ENGINES), _choice("rule", rule, _RULES),
                _choice("precision", precision, _PRECISIONS), _choice("packing", packing, _PACKINGS),
                _choice("verify", verify, _VERIFY), threads, memory_limit, None if device is None else str(device), progress,
                verify_primes, certify)
        except UnsupportedError as error:
            choices = f"engine {engine}, rule {rule}, precision {precision}, packing {packing}, certify {bool(certify)}"
            raise UnsupportedError(error.status, f"{error}, or not together", {"detail": choices}) from None
        self._options = MappingProxyType({
            "engine": engine, "rule": rule, "precision": precision, "packing": packing, "verify": verify, "threads": threads,
            "memory_limit": memory_limit, "device": device, "progress": progress, "verify_primes": verify_primes,
            "certify": bool(certify)})
        return self

    @property
    def options(self):
        """The options that the context was made with, all of them, as a mapping that cannot be changed.

        >>> gfmul.Context(threads=2).options["threads"]
        2
        """
        return self._options

    def __repr__(self):
        set_ones = (f"{name}={value!r}" for name, value in self._options.items() if value != _default._options[name])
        return f"gfmul.Context({', '.join(set_ones)})"

    def __reduce__(self):
        if self is _default:
            return "_default"
        return _context, (type(self), dict(self._options))

    def mul_decimal(self, a, b, *, base=10, output_base=None):
        """The product of two numbers in text.

        Each is a str, bytes, another buffer of bytes such as a memoryview, or the path of a file (os.PathLike). It is an
        optional sign and digits; white space and "_" between digits do not matter. Files are mapped, not read. The result
        is bytes if both numbers are buffers, else a str. base is 2 to 36, or 0: by the prefix 0x, 0o or 0b.
        The name of a file as a str is no number: give pathlib.Path(name).

        >>> gfmul.mul_decimal("-12", b"12")
        '-144'
        >>> gfmul.mul_decimal(b"ff", b"ff", base=16, output_base=10)
        b'65025'
        """
        output_base = base if output_base is None else output_base
        if any(n != 0 and not 2 <= n <= 36 for n in (base, output_base)):
            raise ValueError("bases are 2 to 36, or 0")
        as_str = isinstance(a, (str, os.PathLike)) or isinstance(b, (str, os.PathLike))
        with _text(a) as a_text, _text(b) as b_text:
            try:
                return self._mul_text(a_text, base, b_text, base, output_base, as_str)
            except NumberError as error:
                number = (a, b)[error.operand] if error.operand in (0, 1) else None
                name = None if isinstance(number, os.PathLike) else _as_path(number)
                if name is None:
                    raise
                error.args = (f"{error} ({name!r} looks like the name of a file, which is given as pathlib.Path({name!r}))",)
                raise

    def to_str(self, n, /, base=10):
        """An integer as text, without the limit of sys.set_int_max_str_digits. The GIL is released.

        >>> gfmul.to_str(-255, 16)
        '-ff'
        >>> len(gfmul.to_str(3**100000))
        47713
        """
        if not 2 <= base <= 36:
            raise ValueError("bases are 2 to 36")
        return self._to_str(n, base)

    def from_str(self, text, /, base=10):
        """An int from text: str, or bytes and other buffers. The GIL is released.

        It is an optional sign and digits; white space and "_" between digits do not matter. base is 2 to 36, or 0: by the
        prefix 0x, 0o or 0b.

        >>> gfmul.from_str("-1_000")
        -1000
        >>> gfmul.from_str("9" * 5000) == 10**5000 - 1
        True
        """
        if base != 0 and not 2 <= base <= 36:
            raise ValueError("bases are 2 to 36, or 0")
        return self._from_str(text, base)

    def powmod(self, a, e, m, /):
        """a ** e % m, as pow(a, e, m): for e < 0 it is a power of the inverse of a. The GIL is released.

        Numbers are int, gmpy2.mpz, or others that are integers. Moduli of fewer than some 36 words of 64 bits, or 200 without
        AVX-512, are left to GMP, and then nothing stops the call. The time depends on the numbers, so do not use it with secret
        ones.

        >>> gfmul.powmod(3, 10**50, 2**521 - 1) == pow(3, 10**50, 2**521 - 1)
        True
        """
        if e < 0:
            a, e = pow(a, -1, m), -e
        return self._powmod(a, e, m)

    def prod(self, numbers, /, *, start=1):
        """The product of many integers, by a tree of products.

        Numbers are int, gmpy2.mpz, or others that are integers, such as numpy's. The result is an int, or an mpz if one of the
        numbers is. Without numbers it is start.

        >>> gfmul.prod(range(1, 21))
        2432902008176640000
        """
        return product_tree(self.mul, numbers, start)

    def plan(self, a_size, b_size=None, *, base=None):
        """The plan of a product of these sizes; without b_size, of a square.

        Sizes are limbs of 64 bits, or digits of text in a base.

        >>> plan = gfmul.Context(threads=1).plan(10**5, 10**5)
        >>> plan.engine, plan.proved
        ('cpu', 1)
        """
        if b_size is not None and b_size < 0:
            raise ValueError("a size is negative")
        return Plan(self._plan(0 if base is None else base, a_size, -1 if b_size is None else b_size))

    def report(self):
        """The report of the call that ended last on this context.

        >>> context = gfmul.Context()
        >>> square = context.sqr(3**100000)
        >>> context.report().status
        <Status.OK: 0>
        """
        return Report(self._report())


class Space(_core.Space):
    """A space of spectra: sums of products whose factors keep their transforms, and which go back by one transform.

    limbs is that of the longest result: all values are below 2 ** (64 * limbs), and so is a product of two of them. Sums of
    up to max_products products are transformed back once; longer ones are evaluated in between. The digits of transforms are
    the shorter, the more products there may be. context is a Context, or None for the package's own.

    With wraps=1 or wraps=-1 values are least remainders modulo 2 ** (64 * limbs) + 1 or 2 ** (64 * limbs) - 1. Integers and
    products of any length are then allowed.

    A space makes spectra of integers: int, gmpy2.mpz, or others that are integers. Operators are +, -, * and unary -, also
    with integers. int(x) is the value of a spectrum, which it keeps, so asking again costs a copy. from_str makes a spectrum
    of text, and x.to_str(base) or str(x) is its value in text. Sums are only noted until they are read or become factors, and
    are proved as products are. The GIL is released, and a signal such as Ctrl-C ends a long call. Spectra do not change, so
    threads may share them.

    >>> space = gfmul.Space(1000, max_products=3)
    >>> a, b, c = (space(n) for n in (3**10000, 5**9000, 7**8000))
    >>> x = a * b + a * c - b
    >>> int(x) == 3**10000 * (5**9000 + 7**8000) - 5**9000
    True
    >>> int(gfmul.Space(2, wraps=1)(2**100) * 2**28)
    340282366920938463463374607431768211456
    >>> int(gfmul.Space(2, wraps=-1)(2**100) * 2**28)
    1

    Errors: Error with status SIZE if a value is longer than the space's limbs, or a product by more than 32 bits.
    """

    __slots__ = ()

    def __new__(cls, limbs, max_products=64, *, wraps=0, context=None):
        return super().__new__(cls, _default if context is None else context, limbs, max_products, wraps)

    @classmethod
    def next_size(cls, limbs, max_products=64, *, wraps=0, context=None):
        """The limbs, not below these, whose space modulo 2 ** (64 * limbs) + 1 or - 1 costs least.

        It depends on the processor and on the options of the context. With wraps=0 it is limbs itself.

        >>> gfmul.Space.next_size(10**5, 3, wraps=-1) >= 10**5
        True
        """
        return cls._next_size(_default if context is None else context, limbs, max_products, wraps)

    def __repr__(self):
        return f"<gfmul.Space: {self.limbs} limbs>"

    def from_str(self, text, /, base=10):
        """A spectrum from text: str, or bytes and other buffers, as gfmul.from_str reads it. The GIL is released.

        >>> space = gfmul.Space(1000)
        >>> x = space.from_str("9" * 5000) * space.from_str("-0x1", 0) + space.from_str("1")
        >>> x.to_str() == "-" + "9" * 4999 + "8"
        True
        """
        if base != 0 and not 2 <= base <= 36:
            raise ValueError("bases are 2 to 36, or 0")
        return self._from_str(text, base)

    def matmul(self, x, y, /):
        """The product of two matrices, lists of rows of spectra or integers, as a list of rows of spectra.

        Each entry is evaluated, and each factor is transformed once. The threads of the context share the entries.

        >>> space = gfmul.Space(100)
        >>> [[int(z) for z in row] for row in space.matmul([[1, 2], [3, 4]], [[5, 6], [7, 8]])]
        [[19, 22], [43, 50]]
        """
        x, y = [list(row) for row in x], [list(row) for row in y]
        if not x or not y or not y[0] or any(len(row) != len(y) for row in x) or any(len(row) != len(y[0]) for row in y):
            raise ValueError("the shapes of the matrices do not fit together")
        columns = len(y[0])
        flat = self._matmul([n for row in x for n in row], [n for row in y for n in row], len(x), len(y), columns)
        return [flat[i:i + columns] for i in range(0, len(flat), columns)]


def _context(cls, options):
    """A context that was pickled."""
    return cls(**options)


_default = Context()
prod = _default.prod
batch_gcd = _default.batch_gcd
powmod = _default.powmod
remainders = _default.remainders
divmod = _default.divmod
from_str = _default.from_str
isqrt = _default.isqrt
to_str = _default.to_str
mul = _default.mul
sqr = _default.sqr
mul_decimal = _default.mul_decimal
