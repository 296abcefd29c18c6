#!/usr/bin/env bash
# t-leave_by_exception.sh - an exception of C++ leaves a progress callback.
# SPDX-License-Identifier: LGPL-3.0-or-later
. "$(dirname "$0")/bigmul_test.sh"
CXX=${CXX:-c++}
library=${BUILDDIR:-.}/.libs/libgfmul.so
[[ $library == /* ]] || library=$OLDPWD/$library
[[ -e $library ]] || skip_all "there is no shared library"
if ! echo 'int main() { return 0; }' | $CXX -x c++ -std=c++14 -o probe - 2>/dev/null; then
    skip_all "there is no C++ compiler"
fi
n_checks=1
if $CXX -std=c++14 -O1 -I"$SRCDIR/lib" -o leave "$SRCDIR/tests/leave_by_exception.cc" "$library" -lgmp; then
    LD_LIBRARY_PATH=${library%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ./leave || fail "an exception does not leave the callback"
else
    fail "the program does not compile"
fi
finish
