# python/sources.mk - the Python package: it is built by pip, not by make.  tests/t-python.sh compiles and tests it.
# SPDX-License-Identifier: LGPL-3.0-or-later

pythondocdir = $(docdir)/python
dist_pythondoc_DATA = python/README.md
EXTRA_DIST += \
    python/CMakeLists.txt \
    python/build_wheel.sh \
    python/pyproject.toml \
    python/src/gfmul/__init__.py \
    python/src/gfmul/__init__.pyi \
    python/src/gfmul/_core.pyi \
    python/src/gfmul/_arrays.py \
    python/src/gfmul/_convolve.py \
    python/src/gfmul/_helpers.py \
    python/src/gfmul/_kronecker.py \
    python/src/gfmul/_transforms.py \
    python/src/gfmul/py.typed \
    python/src/py_arith.c \
    python/src/py_context.c \
    python/src/py_digits.c \
    python/src/py_gfmul.h \
    python/src/py_many.c \
    python/src/py_module.c \
    python/src/py_numbers.c \
    python/src/py_report.c \
    python/src/py_spaces.c \
    python/src/py_transforms.c \
    python/src/py_watch.c \
    python/tests/test_arith.py \
    python/tests/test_exact.py \
    python/tests/test_processes.py \
    python/tests/test_products.py \
    python/tests/test_spaces.py \
    python/tests/test_transforms.py \
    python/tests/test_types.py \
    python/tests/typed_program.py
