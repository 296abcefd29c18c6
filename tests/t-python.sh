#!/usr/bin/env bash
# t-python.sh - the Python package on this build: its tests, where Python 3.10 with its headers is there.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# PYTHON names the interpreter.  The module is compiled here, without pip.
set -euo pipefail
srcdir=${SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=$(cd "${BUILDDIR:-build}" && pwd)
python=${PYTHON:-python3}
skip()
{
    echo "skipped: $*"
    exit 77
}
[[ ${SANITIZER:-no} == no ]] || skip "a build with a sanitizer cannot be loaded by Python"
[[ -e $builddir/.libs/libgfmul.so ]] || skip "no shared library in $builddir"
include=$("$python" -c 'import sys, sysconfig
known = sys.version_info >= (3, 10) and sys.implementation.name == "cpython"
print(sysconfig.get_path("include") if known else "")' 2>/dev/null) || skip "no $python"
[[ $include && -e $include/Python.h ]] || skip "$python is older than 3.10, or has no headers"
limited=-DPy_LIMITED_API=0x030A0000
[[ $("$python" -c 'import sysconfig; print(sysconfig.get_config_var("Py_GIL_DISABLED"))') != 1 ]] || limited=

package=$(mktemp -d "${TMPDIR:-/tmp}/gfmul-python-XXXXXX")
trap 'rm -rf "$package"' EXIT
mkdir "$package/gfmul"
cp "$srcdir"/python/src/gfmul/*.py* "$srcdir/python/src/gfmul/py.typed" "$package/gfmul"
# The configuration's own flags have GMP's folder.
flags=$(sed -n 's/^CPPFLAGS = //p' "$builddir/Makefile")
# shellcheck disable=SC2086 # flags are words
${CC:-cc} -std=gnu11 -O1 -Wall -Wextra -fPIC -shared -fvisibility=hidden $limited -I"$include" -I"$srcdir/lib" $flags \
    "$srcdir"/python/src/*.c -o "$package/gfmul/_core.so" -L"$builddir/.libs" -lgfmul -Wl,-rpath,"$builddir/.libs" \
    -Wl,--allow-shlib-undefined
cd "$package"
export PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1 # the sources stay as they are
"$python" "$srcdir/examples/mul_python.py"
"$python" -m unittest discover -s "$srcdir/python/tests" -t "$srcdir/python/tests"
