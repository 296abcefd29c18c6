# SPDX-License-Identifier: LGPL-3.0-or-later
"""Convolutions of integers of any size: Kronecker substitution, that is the values at a power of two, by one long product."""


def _packed(numbers, width):
    """The sum of numbers[i] 256**(width i)."""
    above = int.from_bytes(b"".join([(v if v > 0 else 0).to_bytes(width, "little") for v in numbers]), "little")
    if min(numbers) >= 0:
        return above
    return above - int.from_bytes(b"".join([(-v if v < 0 else 0).to_bytes(width, "little") for v in numbers]), "little")


def _unpacked(value, width, n):
    """The n numbers of a packed sum, each of them at least -h and below h, h = 256**width / 2."""
    half = 1 << (8 * width - 1)
    halves = int.from_bytes((bytes(width - 1) + b"\x80") * n, "little")
    data = (value + halves).to_bytes(width * n, "little")
    return [int.from_bytes(data[i:i + width], "little") - half for i in range(0, width * n, width)]


def _term_by_term(mul, a, b):
    z = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        if x:
            for j, y in enumerate(b):
                if y:
                    z[i + j] += mul(x, y)
    return z


def convolve(mul, a, b):
    """The linear convolution of two lists of ints, which are not empty; mul multiplies ints."""
    largest = [max(max(x), -min(x), 1) for x in (a, b)]
    width = (min(len(a), len(b)) * largest[0] * largest[1]).bit_length() // 8 + 1  # one bit more, for the sign
    # If few numbers are much longer than the others, most of the packed sums would be zeros.
    sizes = [sum(v.bit_length() for v in x) // 8 for x in (a, b)]
    terms = sizes[0] * len(b) + sizes[1] * len(a) + 64 * len(a) * len(b)
    if terms < width * (len(a) + len(b)):
        return _term_by_term(mul, a, b)
    return _unpacked(mul(_packed(a, width), _packed(b, width)), width, len(a) + len(b) - 1)
