# SPDX-License-Identifier: LGPL-3.0-or-later
import os
from array import array
from collections.abc import Callable
from enum import IntEnum
from typing import Any, Literal, TypeAlias, TypeVar, overload

_Text: TypeAlias = str | bytes | bytearray | memoryview | os.PathLike[str]
_Buffer: TypeAlias = bytearray | memoryview
_Words = TypeVar("_Words", bound=array[int] | memoryview | Any)

__version__: str

class Status(IntEnum):
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
    INTERNAL = 90

class Error(Exception):
    status: Status
    detail: str

class ArgumentError(Error, ValueError): ...

class NumberError(Error, ValueError):
    operand: int
    offset: int
    line: int
    column: int
    reason: str

class MemoryLimitError(Error, MemoryError): ...
class UnsupportedError(Error, NotImplementedError): ...

class Plan:
    text: str
    engine: str
    isa: str
    device: str
    rule: str
    precision: str
    packing: str
    threads: int
    n_points: int
    bound: float
    proved: int
    memory_bytes: int
    passes: str
    residue_primes: int
    def __getattr__(self, name: str) -> Any: ...

class Report:
    status: Status
    detail: str
    plan: Plan
    total_ns: int
    max_error: float
    residues: list[tuple[int, int, int, int]]
    def __getattr__(self, name: str) -> Any: ...

class Context:
    def __new__(
        cls,
        *,
        engine: Literal["auto", "cpu", "opencl", "fftw", "gmp"] = "auto",
        rule: Literal["norm", "knuth", "checked"] = "norm",
        precision: Literal["auto", "double", "dd", "prime"] = "auto",
        packing: Literal["auto", "two-for-one", "one-for-half", "right-angle"] = "auto",
        verify: Literal["mod", "gmp", "none"] = "mod",
        threads: int = 0,
        memory_limit: int = 0,
        device: str | int | None = None,
        progress: Callable[[float], object] | None = None,
        verify_primes: int = 0,
        certify: bool = False,
    ) -> Context: ...
    @overload
    def mul(self, a: bytes | bytearray, b: bytes | bytearray, /, *, out: None = None) -> bytes: ...
    @overload
    def mul(self, a: int, b: int, /, *, out: None = None) -> int: ...
    @overload
    def mul(self, a: _Words, b: Any, /, *, out: Any = None) -> _Words: ...
    @overload
    def sqr(self, a: bytes | bytearray, /, *, out: None = None) -> bytes: ...
    @overload
    def sqr(self, a: int, /, *, out: None = None) -> int: ...
    @overload
    def sqr(self, a: _Words, /, *, out: Any = None) -> _Words: ...
    @overload
    def mul_decimal(
        self, a: str | os.PathLike[str], b: _Text, *, base: int = 10, output_base: int | None = None
    ) -> str: ...
    @overload
    def mul_decimal(
        self, a: _Text, b: str | os.PathLike[str], *, base: int = 10, output_base: int | None = None
    ) -> str: ...
    @overload
    def mul_decimal(
        self, a: bytes | _Buffer, b: bytes | _Buffer, *, base: int = 10, output_base: int | None = None
    ) -> bytes: ...
    def plan(self, a_size: int, b_size: int | None = None, *, base: int | None = None) -> Plan: ...
    def report(self) -> Report: ...
    def certificate(self) -> str | None: ...
    def trim(self) -> None: ...

_default: Context
mul = _default.mul
sqr = _default.sqr
mul_decimal = _default.mul_decimal

def devices() -> list[dict[str, Any]]: ...
def has_engine(engine: Literal["auto", "cpu", "opencl", "fftw", "gmp"]) -> bool: ...
def fft(x: Any, *, axis: int = -1, threads: int = 0) -> Any: ...
def ifft(x: Any, *, axis: int = -1, threads: int = 0) -> Any: ...
def rfft(x: Any, *, axis: int = -1, threads: int = 0) -> Any: ...
def irfft(x: Any, n: int, *, axis: int = -1, threads: int = 0) -> Any: ...
def convolve(
    a: Any,
    b: Any,
    *,
    kind: Literal["full", "cyclic", "negacyclic"] = "full",
    axis: int = -1,
    modulus: int | None = None,
    dtype: Any = None,
    threads: int = 0,
    device: str | None = None,
) -> Any: ...
