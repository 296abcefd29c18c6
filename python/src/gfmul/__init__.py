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
from ._helpers import ArgumentError, Error, MemoryLimitError, NumberError, Status, UnsupportedError
from ._transforms import convolve, fft, ifft, irfft, rfft

__all__ = [
    "ArgumentError", "Context", "Error", "MemoryLimitError", "NumberError", "Plan", "Report", "Status", "UnsupportedError",
    "convolve", "devices", "fft", "has_engine", "ifft", "irfft", "mul", "mul_decimal", "rfft", "sqr",
]

__version__ = _core.version

devices = _core.devices

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
        yield number
        return
    with open(number, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            yield b""
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as characters:
            yield characters


class Context(_core.Context):
    """Options for products, and the memory that they share. Threads may use one context at once.

    The options are those of gfmul_options in gfmul.h. Choices are strings. progress is called with the share of the work
    done; if it returns true, or raises an exception, the product stops. device is None, "cpu", "gpu", a number of devices(),
    or a part of a name.

    >>> context = gfmul.Context(threads=1, rule="knuth")
    >>> context.mul(10**2000, 10**3000) == 10**5000
    True
    >>> context.report().plan.rule
    'knuth'
    """

    __slots__ = ()

    def __new__(cls, *, engine="auto", rule="norm", precision="auto", packing="auto", verify="mod", threads=0, memory_limit=0,
                device=None, progress=None, verify_primes=0, certify=False):
        try:
            return super().__new__(
                cls, _choice("engine", engine, _ENGINES), _choice("rule", rule, _RULES),
                _choice("precision", precision, _PRECISIONS), _choice("packing", packing, _PACKINGS),
                _choice("verify", verify, _VERIFY), threads, memory_limit, None if device is None else str(device), progress,
                verify_primes, certify)
        except UnsupportedError as error:
            choices = f"engine {engine}, rule {rule}, precision {precision}, packing {packing}, certify {bool(certify)}"
            raise UnsupportedError(error.status, f"{error}, or not together", {"detail": choices}) from None

    def mul_decimal(self, a, b, *, base=10, output_base=None):
        """The product of two numbers in text.

        Each is a str, bytes, another buffer of bytes such as a memoryview, or the path of a file (os.PathLike). It is an
        optional sign and digits; white space and "_" between digits do not matter. Files are mapped, not read. The result
        is bytes if both numbers are buffers, else a str. base is 2 to 36, or 0: by the prefix 0x, 0o or 0b.

        >>> gfmul.mul_decimal("-12", b"12")
        '-144'
        >>> gfmul.mul_decimal(b"ff", b"ff", base=16, output_base=10)
        b'65025'
        """
        output_base = base if output_base is None else output_base
        as_str = isinstance(a, (str, os.PathLike)) or isinstance(b, (str, os.PathLike))
        with _text(a) as a_text, _text(b) as b_text:
            return self._mul_text(a_text, base, b_text, base, output_base, as_str)

    def plan(self, a_size, b_size=None, *, base=None):
        """The plan of a product of these sizes; without b_size, of a square.

        Sizes are limbs of 64 bits, or digits of text in a base.

        >>> plan = gfmul.Context(threads=1).plan(10**5, 10**5)
        >>> plan.engine, plan.proved
        ('cpu', 1)
        """
        return Plan(self._plan(0 if base is None else base, a_size, -1 if b_size is None else b_size))

    def report(self):
        """The report of the call that ended last on this context.

        >>> context = gfmul.Context()
        >>> square = context.sqr(3**100000)
        >>> context.report().status
        <Status.OK: 0>
        """
        return Report(self._report())


_default = Context()
mul = _default.mul
sqr = _default.sqr
mul_decimal = _default.mul_decimal
