#!/usr/bin/env bash
# check_configure.sh - flags of a packager's own do not switch off what the proofs need; those that would break them are refused.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
srcdir=${SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
if [[ ! -x $srcdir/configure || -e $srcdir/config.status ]]; then
    echo "no configure, or it has been run in the sources: skipped"
    exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS
failures=0
complain() { echo "$1" >&2; failures=$((failures + 1)); }
# configured ARGUMENT... - configure in an empty folder; what it says is in $tmp/log.
configured()
{
    rm -rf "$tmp/build"
    mkdir "$tmp/build"
    (cd "$tmp/build" && "$srcdir/configure" CC="${CC:-cc}" --disable-static "$@") >"$tmp/log" 2>&1
}
# Builds with the same compiler and flags keep what configure has found out about them.
cache=--cache-file=$tmp/cache
x86=
[[ $(${CC:-cc} -dumpmachine 2>/dev/null) != x86_64* ]] || x86=-mno-avx512f

# GCC warns of the first flag, Clang of the second.
if configured "$cache" CFLAGS="-O2 -fno-rtti -Wl,-z,relro $x86"; then
    for flag in -ffp-contract=off -fvisibility=hidden -Wall; do
        grep -qE "^GFMUL_[A-Z]+ =.* $flag( |\$)" "$tmp/build/Makefile" ||
            complain "a flag that the compiler warns of took $flag away"
    done
    if [[ -n $x86 ]] && grep -q '^ *instructions .*avx512' "$tmp/log"; then
        complain "AVX-512 is built although $x86 follows its flags"
    fi
else
    complain "not configured: $(tail -n 1 "$tmp/log")"
fi

# All objects depend on config.h: it has to change with the flags, and not without a reason.
long=${GFMUL_TEST_LONG:-0}
cp "$tmp/build/config.h" "$tmp/config.h" 2>/dev/null || :
if ((long == 0)); then
    :
elif configured "$cache" --enable-debug CFLAGS="-O2 -fno-rtti -Wl,-z,relro $x86"; then
    ! cmp -s "$tmp/build/config.h" "$tmp/config.h" || complain "objects would stay as they were built without --enable-debug"
    touch -t 200101010000 "$tmp/build/config.h"
    (cd "$tmp/build" && ./config.status --recheck && ./config.status config.h) >"$tmp/log" 2>&1 || complain "config.status fails"
    [[ $tmp/build/config.h -ot $tmp/config.h ]] || complain "the same flags again would build all objects again"
else
    complain "not configured: $(tail -n 1 "$tmp/log")"
fi

# refused ARGUMENT - configure has to end with an error that names the arithmetic.
refused()
{
    if configured "$1"; then
        complain "configure takes $1"
    elif ! grep -qE 'error: .*(proof|arithmetic)' "$tmp/log"; then
        complain "configure $1: $(tail -n 1 "$tmp/log")"
    fi
}
refused CFLAGS=$'-O2\t-Ofast'
if ((long > 0)); then
    refused LDFLAGS=-ffast-math
    refused CPPFLAGS=-fsingle-precision-constant
fi
# Clang does not know it.
if [[ -n $x86 ]] && ((long > 0)) && echo 'int x;' | ${CC:-cc} -mfpmath=both -c -x c - -o "$tmp/x.o" 2>/dev/null; then
    refused CFLAGS=-mfpmath=both
fi
echo "$failures wrong"
((failures == 0))
