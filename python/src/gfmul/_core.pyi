# SPDX-License-Identifier: LGPL-3.0-or-later
# The module in C, which the package's own modules call; __init__.pyi is for users.
from typing import TypeAlias, final

_Buffer: TypeAlias = object  # with the buffer protocol
version: str

class Context:
    def __new__(cls, *args: object, **kwargs: object) -> Context: ...
    def mul(self, a: object, b: object, /, *, out: object = None) -> object: ...
    def sqr(self, a: object, /, *, out: object = None) -> object: ...
    def _mul_text(self, a: object, a_base: int, b: object, b_base: int, base: int, as_str: bool, /) -> str | bytes: ...
    def _plan(self, base: int, an: int, bn: int, /) -> dict[str, object]: ...
    def _report(self, /) -> dict[str, object]: ...
    def certificate(self, /) -> str | None: ...
    def trim(self, /) -> None: ...

@final
class Transform:
    def __new__(
        cls,
        n: int,
        is_real: bool,
        precision: int,
        batch: int,
        scale: bool,
        threads: int,
        algorithm: str | None,
        device: str | None,
        /,
    ) -> Transform: ...
    def forward(self, out: _Buffer, x: _Buffer, /) -> None: ...
    def backward(self, out: _Buffer, x: _Buffer, /) -> None: ...

@final
class Ntt:
    def __new__(cls, n: int, modulus: int, negacyclic: bool, root: int, batch: int, threads: int, /) -> Ntt: ...
    @property
    def root(self) -> int: ...
    def forward(self, out: _Buffer, x: _Buffer, /) -> None: ...
    def backward(self, out: _Buffer, x: _Buffer, /) -> None: ...

@final
class Kernel:
    def __new__(
        cls,
        b: _Buffer,
        max_an: int,
        kind: int,
        number: int,
        words: int,
        modulus: int,
        threads: int,
        device: str | None,
        /,
    ) -> Kernel: ...
    def run(self, out: _Buffer, a: _Buffer, /) -> None: ...

def convolve(
    out: _Buffer,
    a: _Buffer,
    b: _Buffer,
    kind: int,
    number: int,
    words: int,
    modulus: int,
    threads: int,
    device: str | None,
    /,
) -> None: ...
def digits_read(allowed: bool, /) -> bool: ...
def devices() -> list[dict[str, object]]: ...
def has_engine(engine: int, /) -> bool: ...
def algorithms() -> list[tuple[str, str, str, str, str, str]]: ...
