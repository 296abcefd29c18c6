# SPDX-License-Identifier: LGPL-3.0-or-later
"""A program for mypy --strict: what test_types expects of the stubs. Lines marked WRONG must be errors."""

from array import array
from typing import assert_type

import gfmul
import numpy as np
import numpy.typing as npt

assert_type(gfmul.mul(2, 3), int)
assert_type(gfmul.mul(True, 3), int)
assert_type(gfmul.mul(b"1", bytearray(b"2")), bytes)
assert_type(gfmul.mul(array("Q", [1]), memoryview(b"12345678").cast("Q")), "array[int]")
words: npt.NDArray[np.uint64] = np.zeros(1, np.uint64)
assert_type(gfmul.mul(words, words), npt.NDArray[np.uint64])
assert_type(gfmul.sqr(np.int64(4)), int)
assert_type(gfmul.mul_decimal("1", b"2"), str)
assert_type(gfmul.mul_decimal(b"1", memoryview(b"2")), bytes)
assert_type(gfmul.prod(range(5)), int)
assert_type(gfmul.Context(threads=1).options["threads"], int)
assert_type(gfmul.Context().plan(1000).n_points, int)
assert_type([device["name"] for device in gfmul.devices()], list[str])
assert_type(gfmul.fft([1.0, 2.0]), npt.NDArray[np.complex128])
assert_type(gfmul.rfft2(np.ones((3, 3), np.float32), (2, 2)), npt.NDArray[np.complex64])
assert_type(gfmul.irfft(np.ones(3, np.complex64)), npt.NDArray[np.float32])
assert_type(gfmul.ifftn(np.ones(3), (2,)), npt.NDArray[np.complex128])
assert_type(gfmul.convolve([1, 2], [3], dtype=np.int64), npt.NDArray[np.int64])
assert_type(gfmul.convolve([1, 2], [3], dtype=object), npt.NDArray[np.object_])
assert_type(gfmul.convolve(np.ones(3), np.ones(2), "same"), npt.NDArray[np.float64])
assert_type(gfmul.ntt([1, 2], 17), npt.NDArray[np.uint64])
space = gfmul.Space(100)
assert_type(int(space(2) * 3 - space(4)), int)
assert_type([[int(z) for z in row] for row in space.matmul([[1]], [[space(2)]])], list[list[int]])
assert_type(space.from_str(b"ff", base=16).to_str(2) + str(space(1)), str)
gfmul.Context(rule="none")  # WRONG
gfmul.Space("100")  # WRONG
gfmul.convolve([1], [2], mode="most")  # WRONG
gfmul.mul("1", 2)  # WRONG
gfmul.mul_decimal(1, "2")  # WRONG
gfmul.fft([1.0], norm="none")  # WRONG
gfmul.Context().plan(10).nothing  # WRONG
