# SPDX-License-Identifier: LGPL-3.0-or-later
import os
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Literal, Protocol, SupportsIndex, TypeAlias, TypedDict, TypeVar, final, overload

import numpy as np
import numpy.typing as npt

_Text: TypeAlias = str | bytes | bytearray | memoryview | os.PathLike[str]
_Bytes: TypeAlias = bytes | bytearray
_Words: TypeAlias = array[int] | memoryview | npt.NDArray[np.uint64]
_Engine: TypeAlias = Literal["auto", "cpu", "opencl", "fftw", "gmp"]
_Rule: TypeAlias = Literal["norm", "knuth", "checked"]
_Precision: TypeAlias = Literal["auto", "double", "dd", "prime"]
_Packing: TypeAlias = Literal["auto", "two-for-one", "one-for-half", "right-angle"]
_Verify: TypeAlias = Literal["mod", "gmp", "none"]
_Norm: TypeAlias = Literal["backward", "ortho", "forward"] | None
_Ints: TypeAlias = Sequence[int]
_Mode: TypeAlias = Literal["full", "same", "valid"]
_Kind: TypeAlias = Literal["full", "cyclic", "negacyclic"]

class _MpzLike(Protocol):
    """gmpy2.mpz, told from int by a method of its own."""

    def __index__(self) -> int: ...
    def num_digits(self, base: int = ..., /) -> int: ...

_Mpz = TypeVar("_Mpz", bound=_MpzLike)
_Array = TypeVar("_Array", bound=_Words)

# Long double and double-double (the dtype of dd, which has fields).
_Long: TypeAlias = npt.NDArray[np.longdouble] | npt.NDArray[np.clongdouble]
_Single: TypeAlias = npt.NDArray[np.float16] | npt.NDArray[np.float32] | npt.NDArray[np.complex64]

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
    FILE = 80
    SPACE = 81
    INTERNAL = 90

class Error(Exception):
    status: Status
    detail: str
    def __init__(self, status: int, text: str, report: Mapping[str, object] | None = None) -> None: ...

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
    def __init__(self, fields: dict[str, object]) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    text: str
    engine: str
    isa: str
    device: str
    rule: str
    precision: str
    packing: str
    threads: int
    mu: int
    m: float
    l: float
    base: int
    exponent: int
    n_points: int
    a_digits: int
    b_digits: int
    n_slices: int
    n_branches: int
    k: float
    bound: float
    norms_measured: int
    inverse_measured: int
    proved: int
    knuth: int
    memory_bytes: int
    a_pieces: int
    b_pieces: int
    narrow_levels: int
    double_levels: int
    light_levels: int
    wraps: int
    wrap_limbs: int
    passes: str
    residue_primes: int

class Report:
    def __init__(self, fields: dict[str, object]) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    status: Status
    plan: Plan
    residues: list[tuple[int, int, int, int]]
    detail: str
    error_operand: int
    error_offset: int
    error_line: int
    error_column: int
    parse_ns: int
    plan_ns: int
    transform_ns: int
    carry_ns: int
    verify_ns: int
    print_ns: int
    total_ns: int
    device_start_ns: int
    upload_ns: int
    download_ns: int
    max_error: float
    n_fallbacks: int
    n_device_errors: int
    residue_prime: int
    error_reason: str
    n_residues: int
    residues_drawn: int
    device_place: int
    n_devices: int

class _Options(TypedDict):
    engine: _Engine
    rule: _Rule
    precision: _Precision
    packing: _Packing
    verify: _Verify
    threads: int
    memory_limit: int
    device: str | int | None
    progress: Callable[[float], object] | None
    verify_primes: int
    certify: bool

class Context:
    def __new__(
        cls,
        *,
        engine: _Engine = "auto",
        rule: _Rule = "norm",
        precision: _Precision = "auto",
        packing: _Packing = "auto",
        verify: _Verify = "mod",
        threads: int = 0,
        memory_limit: int = 0,
        device: str | int | None = None,
        progress: Callable[[float], object] | None = None,
        verify_primes: int = 0,
        certify: bool = False,
    ) -> Context: ...
    @property
    def options(self) -> _Options: ...
    @overload
    def mul(self, a: int, b: int, /, *, out: None = None) -> int: ...
    @overload
    def mul(self, a: _Bytes, b: _Bytes, /, *, out: None = None) -> bytes: ...
    @overload
    def mul(self, a: _Words, b: _Words, /, *, out: _Array) -> _Array: ...
    @overload
    def mul(self, a: _Array, b: _Words, /, *, out: None = None) -> _Array: ...  # type: ignore
    @overload
    def mul(self, a: _Mpz, b: _Mpz | SupportsIndex, /, *, out: None = None) -> _Mpz: ...  # type: ignore
    @overload
    def mul(self, a: SupportsIndex, b: _Mpz, /, *, out: None = None) -> _Mpz: ...  # type: ignore
    @overload
    def mul(self, a: SupportsIndex, b: SupportsIndex, /, *, out: None = None) -> int: ...
    @overload
    def sqr(self, a: int, /, *, out: None = None) -> int: ...
    @overload
    def sqr(self, a: _Bytes, /, *, out: None = None) -> bytes: ...
    @overload
    def sqr(self, a: _Words, /, *, out: _Array) -> _Array: ...
    @overload
    def sqr(self, a: _Array, /, *, out: None = None) -> _Array: ...  # type: ignore
    @overload
    def sqr(self, a: _Mpz, /, *, out: None = None) -> _Mpz: ...  # type: ignore
    @overload
    def sqr(self, a: SupportsIndex, /, *, out: None = None) -> int: ...
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
        self,
        a: bytes | bytearray | memoryview,
        b: bytes | bytearray | memoryview,
        *,
        base: int = 10,
        output_base: int | None = None,
    ) -> bytes: ...
    @overload
    def prod(self, numbers: Iterable[int], /, *, start: int = 1) -> int: ...
    @overload
    def prod(self, numbers: Iterable[_Mpz], /, *, start: int = 1) -> _Mpz | int: ...  # type: ignore
    @overload
    def prod(self, numbers: Iterable[SupportsIndex], /, *, start: SupportsIndex = 1) -> int: ...
    @overload
    def divmod(self, a: int, b: int, /) -> tuple[int, int]: ...
    @overload
    def divmod(self, a: _Mpz, b: _Mpz | SupportsIndex, /) -> tuple[_Mpz, _Mpz]: ...  # type: ignore
    @overload
    def divmod(self, a: SupportsIndex, b: SupportsIndex, /) -> tuple[int, int]: ...
    def isqrt(self, n: SupportsIndex, /) -> int: ...
    @overload
    def powmod(self, a: int, e: int, m: int, /) -> int: ...
    @overload
    def powmod(self, a: _Mpz, e: SupportsIndex, m: _Mpz | SupportsIndex, /) -> _Mpz: ...  # type: ignore
    @overload
    def powmod(self, a: SupportsIndex, e: SupportsIndex, m: SupportsIndex, /) -> int: ...
    @overload
    def remainders(self, a: int, moduli: Iterable[int], /) -> list[int]: ...
    @overload
    def remainders(self, a: _Mpz, moduli: Iterable[_Mpz | SupportsIndex], /) -> list[_Mpz]: ...  # type: ignore
    @overload
    def remainders(self, a: SupportsIndex, moduli: Iterable[SupportsIndex], /) -> list[int]: ...
    @overload
    def batch_gcd(self, moduli: Iterable[int], /) -> list[int]: ...
    @overload
    def batch_gcd(self, moduli: Iterable[_Mpz], /) -> list[_Mpz]: ...  # type: ignore
    @overload
    def batch_gcd(self, moduli: Iterable[SupportsIndex], /) -> list[int]: ...
    def to_str(self, n: SupportsIndex, /, base: int = 10) -> str: ...
    def from_str(self, text: str | bytes | bytearray | memoryview, /, base: int = 10) -> int: ...
    def plan(self, a_size: int, b_size: int | None = None, *, base: int | None = None) -> Plan: ...
    def report(self) -> Report: ...
    def certificate(self, /) -> str | None: ...
    def trim(self, /) -> None: ...

@final
class Spectrum:
    @property
    def space(self) -> Space: ...
    def __add__(self, other: Spectrum | SupportsIndex, /) -> Spectrum: ...
    def __radd__(self, other: SupportsIndex, /) -> Spectrum: ...
    def __sub__(self, other: Spectrum | SupportsIndex, /) -> Spectrum: ...
    def __rsub__(self, other: SupportsIndex, /) -> Spectrum: ...
    def __mul__(self, other: Spectrum | SupportsIndex, /) -> Spectrum: ...
    def __rmul__(self, other: SupportsIndex, /) -> Spectrum: ...
    def __neg__(self) -> Spectrum: ...
    def __pos__(self) -> Spectrum: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def to_str(self, /, base: int = 10) -> str: ...

class Space:
    def __new__(
        cls, limbs: int, max_products: int = 64, *, wraps: Literal[0, 1, -1] = 0, context: Context | None = None
    ) -> Space: ...
    @classmethod
    def next_size(
        cls, limbs: int, max_products: int = 64, *, wraps: Literal[0, 1, -1] = 0, context: Context | None = None
    ) -> int: ...
    def __call__(self, number: SupportsIndex, /) -> Spectrum: ...
    @property
    def limbs(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def from_str(self, text: str | bytes | bytearray | memoryview, /, base: int = 10) -> Spectrum: ...
    def dot(self, x: Iterable[SupportsIndex], y: Iterable[SupportsIndex], /) -> Spectrum: ...
    def matmul(
        self, x: Iterable[Iterable[SupportsIndex]], y: Iterable[Iterable[SupportsIndex]], /
    ) -> list[list[Spectrum]]: ...
    def trim(self, /) -> None: ...

_default: Context
mul = _default.mul
sqr = _default.sqr
mul_decimal = _default.mul_decimal
prod = _default.prod
divmod = _default.divmod
isqrt = _default.isqrt
powmod = _default.powmod
remainders = _default.remainders
batch_gcd = _default.batch_gcd
to_str = _default.to_str
from_str = _default.from_str

class _Device(TypedDict):
    index: int
    name: str
    platform: str
    driver: str
    gpu: int
    fp64: int
    usable: int
    why_not: str
    global_bytes: int
    max_alloc_bytes: int
    local_bytes: int
    compute_units: int
    max_work_group: int
    fma_rate: float
    product_rate: float
    copy_rate: float

def devices() -> list[_Device]: ...
def has_engine(engine: _Engine) -> bool: ...
@overload
def fft(
    x: _Single, n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex64]: ...
@overload
def fft(
    x: _Long, n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.clongdouble]: ...
@overload
def fft(
    x: npt.NDArray[np.void], n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.void]: ...
@overload
def fft(
    x: npt.ArrayLike, n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex128]: ...
@overload
def ifft(
    x: _Single, n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex64]: ...
@overload
def ifft(
    x: _Long, n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.clongdouble]: ...
@overload
def ifft(
    x: npt.NDArray[np.void], n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.void]: ...
@overload
def ifft(
    x: npt.ArrayLike, n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex128]: ...
@overload
def rfft(
    x: _Single, n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex64]: ...
@overload
def rfft(
    x: _Long, n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.clongdouble]: ...
@overload
def rfft(
    x: npt.NDArray[np.void], n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.void]: ...
@overload
def rfft(
    x: npt.ArrayLike, n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex128]: ...
@overload
def irfft(
    x: _Single, n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.float32]: ...
@overload
def irfft(
    x: _Long, n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.longdouble]: ...
@overload
def irfft(
    x: npt.NDArray[np.void], n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.void]: ...
@overload
def irfft(
    x: npt.ArrayLike, n: SupportsIndex | None = None, axis: int = -1, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.float64]: ...
@overload
def fftn(
    x: _Single, s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex64]: ...
@overload
def fftn(
    x: _Long, s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.clongdouble]: ...
@overload
def fftn(
    x: npt.NDArray[np.void], s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.void]: ...
@overload
def fftn(
    x: npt.ArrayLike, s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex128]: ...
@overload
def ifftn(
    x: _Single, s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex64]: ...
@overload
def ifftn(
    x: _Long, s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.clongdouble]: ...
@overload
def ifftn(
    x: npt.NDArray[np.void], s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.void]: ...
@overload
def ifftn(
    x: npt.ArrayLike, s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex128]: ...
@overload
def rfftn(
    x: _Single, s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex64]: ...
@overload
def rfftn(
    x: _Long, s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.clongdouble]: ...
@overload
def rfftn(
    x: npt.NDArray[np.void], s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.void]: ...
@overload
def rfftn(
    x: npt.ArrayLike, s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex128]: ...
@overload
def irfftn(
    x: _Single, s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.float32]: ...
@overload
def irfftn(
    x: _Long, s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.longdouble]: ...
@overload
def irfftn(
    x: npt.NDArray[np.void], s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.void]: ...
@overload
def irfftn(
    x: npt.ArrayLike, s: _Ints | None = None, axes: _Ints | None = None, norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.float64]: ...
@overload
def fft2(
    x: _Single, s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex64]: ...
@overload
def fft2(
    x: _Long, s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.clongdouble]: ...
@overload
def fft2(
    x: npt.NDArray[np.void], s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.void]: ...
@overload
def fft2(
    x: npt.ArrayLike, s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex128]: ...
@overload
def ifft2(
    x: _Single, s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex64]: ...
@overload
def ifft2(
    x: _Long, s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.clongdouble]: ...
@overload
def ifft2(
    x: npt.NDArray[np.void], s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.void]: ...
@overload
def ifft2(
    x: npt.ArrayLike, s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex128]: ...
@overload
def rfft2(
    x: _Single, s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex64]: ...
@overload
def rfft2(
    x: _Long, s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.clongdouble]: ...
@overload
def rfft2(
    x: npt.NDArray[np.void], s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.void]: ...
@overload
def rfft2(
    x: npt.ArrayLike, s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.complex128]: ...
@overload
def irfft2(
    x: _Single, s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.float32]: ...
@overload
def irfft2(
    x: _Long, s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.longdouble]: ...
@overload
def irfft2(
    x: npt.NDArray[np.void], s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.void]: ...
@overload
def irfft2(
    x: npt.ArrayLike, s: _Ints | None = None, axes: _Ints = (-2, -1), norm: _Norm = None, *, threads: int = 0
) -> npt.NDArray[np.float64]: ...
def ntt(
    x: npt.ArrayLike,
    modulus: SupportsIndex,
    n: int | None = None,
    axis: int = -1,
    *,
    root: SupportsIndex | None = None,
    negacyclic: bool = False,
    threads: int = 0,
) -> npt.NDArray[np.uint64]: ...
def intt(
    x: npt.ArrayLike,
    modulus: SupportsIndex,
    n: int | None = None,
    axis: int = -1,
    *,
    root: SupportsIndex | None = None,
    negacyclic: bool = False,
    threads: int = 0,
) -> npt.NDArray[np.uint64]: ...
def ntt_root(n: SupportsIndex, modulus: SupportsIndex, *, negacyclic: bool = False) -> int: ...
def dd(x: npt.ArrayLike | Sequence[object]) -> npt.NDArray[np.void]: ...
@overload
def convolve(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    mode: _Mode = "full",
    *,
    kind: _Kind = "full",
    axis: int = -1,
    modulus: SupportsIndex,
    dtype: None = None,
    threads: int = 0,
    device: str | int | None = None,
) -> npt.NDArray[np.uint64] | npt.NDArray[np.object_]: ...
@overload
def convolve(  # type: ignore
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    mode: _Mode = "full",
    *,
    kind: _Kind = "full",
    axis: int = -1,
    modulus: None = None,
    dtype: type[np.int64],
    threads: int = 0,
    device: str | int | None = None,
) -> npt.NDArray[np.int64]: ...
@overload
def convolve(  # type: ignore
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    mode: _Mode = "full",
    *,
    kind: _Kind = "full",
    axis: int = -1,
    modulus: None = None,
    dtype: type[np.uint64],
    threads: int = 0,
    device: str | int | None = None,
) -> npt.NDArray[np.uint64]: ...
@overload
def convolve(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    mode: _Mode = "full",
    *,
    kind: _Kind = "full",
    axis: int = -1,
    modulus: None = None,
    dtype: type[object],
    threads: int = 0,
    device: str | int | None = None,
) -> npt.NDArray[np.object_]: ...
@overload
def convolve(  # type: ignore
    a: npt.NDArray[np.float32],
    b: npt.NDArray[np.float32],
    mode: _Mode = "full",
    *,
    kind: _Kind = "full",
    axis: int = -1,
    modulus: None = None,
    dtype: None = None,
    threads: int = 0,
    device: str | int | None = None,
) -> npt.NDArray[np.float32]: ...
@overload
def convolve(
    a: npt.NDArray[np.float64],
    b: npt.NDArray[np.float64],
    mode: _Mode = "full",
    *,
    kind: _Kind = "full",
    axis: int = -1,
    modulus: None = None,
    dtype: None = None,
    threads: int = 0,
    device: str | int | None = None,
) -> npt.NDArray[np.float64]: ...
@overload
def convolve(  # type: ignore
    a: npt.NDArray[np.complex64],
    b: npt.NDArray[np.complex64],
    mode: _Mode = "full",
    *,
    kind: _Kind = "full",
    axis: int = -1,
    modulus: None = None,
    dtype: None = None,
    threads: int = 0,
    device: str | int | None = None,
) -> npt.NDArray[np.complex64]: ...
@overload
def convolve(
    a: npt.NDArray[np.complex128],
    b: npt.NDArray[np.complex128],
    mode: _Mode = "full",
    *,
    kind: _Kind = "full",
    axis: int = -1,
    modulus: None = None,
    dtype: None = None,
    threads: int = 0,
    device: str | int | None = None,
) -> npt.NDArray[np.complex128]: ...
@overload
def convolve(
    a: npt.NDArray[np.longdouble],
    b: npt.NDArray[np.longdouble],
    mode: _Mode = "full",
    *,
    kind: _Kind = "full",
    axis: int = -1,
    modulus: None = None,
    dtype: None = None,
    threads: int = 0,
    device: str | int | None = None,
) -> npt.NDArray[np.longdouble]: ...
@overload
def convolve(
    a: npt.NDArray[np.clongdouble],
    b: npt.NDArray[np.clongdouble],
    mode: _Mode = "full",
    *,
    kind: _Kind = "full",
    axis: int = -1,
    modulus: None = None,
    dtype: None = None,
    threads: int = 0,
    device: str | int | None = None,
) -> npt.NDArray[np.clongdouble]: ...
@overload
def convolve(
    a: npt.NDArray[np.void],
    b: npt.NDArray[np.void],
    mode: _Mode = "full",
    *,
    kind: _Kind = "full",
    axis: int = -1,
    modulus: None = None,
    dtype: None = None,
    threads: int = 0,
    device: str | int | None = None,
) -> npt.NDArray[np.void]: ...
@overload
def convolve(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    mode: _Mode = "full",
    *,
    kind: _Kind = "full",
    axis: int = -1,
    modulus: None = None,
    dtype: npt.DTypeLike | None = None,
    threads: int = 0,
    device: str | int | None = None,
) -> npt.NDArray[np.generic]: ...
def correlate(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    mode: _Mode = "full",
    *,
    axis: int = -1,
    dtype: npt.DTypeLike | None = None,
    threads: int = 0,
    device: str | int | None = None,
) -> npt.NDArray[np.generic]: ...
