# SPDX-License-Identifier: LGPL-3.0-or-later
"""What the module in C calls: exceptions, and buffers for results."""

import sys
from array import array
from enum import IntEnum
from itertools import zip_longest
from operator import index


class Status(IntEnum):
    """The status codes of the library (gfmul.h)."""

    OK = 0
    ARGUMENT = 10
    OVERLAP = 11
    SYNTAX = 20
    EMPTY = 21
    MEMORY = 30
    SIZE = 31
    PRECISION = 40
    UNSUPPORTED = 41
    DEVICE = 50
    VERIFY = 60
    INTERRUPTED = 70
    FILE = 80
    SPACE = 81
    INTERNAL = 90


class Error(Exception):
    """A call of the library failed.

    status is a Status. detail is one line of English, or "".
    """

    def __init__(self, status, text, report=None):
        report = report or {}
        self.status = Status(status)
        self.detail = report.get("detail", "")
        super().__init__(f"{text}: {self.detail}" if self.detail else text)

    def __reduce__(self):
        return _error_made, (type(self), self.args), self.__dict__


def _error_made(cls, args):
    """An exception from its message; its fields are set by whoever unpickles it."""
    return BaseException.__new__(cls, *args)  # MemoryError has a __new__ that refuses these classes


class ArgumentError(Error, ValueError):
    """ARGUMENT, OVERLAP, SIZE, PRECISION: the library cannot make this of these arguments."""


class NumberError(Error, ValueError):
    """SYNTAX, EMPTY: a text is not a number.

    operand is 0 or 1. offset is the place of the character, line and column count from 1. reason says what is wrong.
    """

    def __init__(self, status, text, report=None):
        super().__init__(status, text, report)
        report = report or {}
        self.operand = report.get("error_operand", -1)
        self.offset = report.get("error_offset", 0)
        self.line = report.get("error_line", 0)
        self.column = report.get("error_column", 0)
        self.reason = report.get("error_reason", "")


class MemoryLimitError(Error, MemoryError):
    """MEMORY: an allocation failed, or would exceed memory_limit."""


class UnsupportedError(Error, NotImplementedError):
    """UNSUPPORTED: this build or this machine does not have it."""


_classes = {
    Status.ARGUMENT: ArgumentError,
    Status.OVERLAP: ArgumentError,
    Status.SIZE: ArgumentError,
    Status.PRECISION: ArgumentError,
    Status.SYNTAX: NumberError,
    Status.EMPTY: NumberError,
    Status.MEMORY: MemoryLimitError,
    Status.UNSUPPORTED: UnsupportedError,
}


def make_error(status, text, report):
    """The exception of a status."""
    return _classes.get(status, Error)(status, text, report)


def new_limbs(like, n):
    """A buffer of n words of the type of another one."""
    if isinstance(like, array):
        return array("Q", bytes(8)) * n
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(like, numpy.ndarray):
        return numpy.empty(n, numpy.uint64)
    return memoryview(bytearray(8 * n)).cast("Q")


def product_tree(mul, numbers, start):
    """The product of integers, whose factors have about the same size at each step."""
    gmpy2 = sys.modules.get("gmpy2")
    mpz = gmpy2.mpz if gmpy2 is not None else int
    factors = [x if isinstance(x, mpz) else index(x) for x in (start, *numbers)]
    while len(factors) > 1:
        factors.sort(key=lambda x: x.bit_length())  # neighbours are of one size
        factors = [x if y is None else mul(x, y) for x, y in zip_longest(factors[::2], factors[1::2])]
    return factors[0]
