#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""mul_python.py - multiply integers and text, and say how it was done. Needs the package: pip install ./python."""

import gfmul

context = gfmul.Context(threads=1)
a, b = 7**500000, 11**400000
z = context.mul(a, b)
report = context.report()
how = f"engine {report.plan.engine}, precision {report.plan.precision}"
print(f"{z.bit_length()} bits, {how}, {report.total_ns / 1e6:.1f} ms, bound {report.plan.bound:.3g}")

digits = context.mul_decimal("9" * 1000, "9" * 1000)
print(f"{len(digits)} digits: {digits[:5]}...{digits[-5:]}")
try:
    context.mul_decimal("12x", "1")
except gfmul.NumberError as error:
    print(f"{error.status.name}, column {error.column}: {error.reason}")
