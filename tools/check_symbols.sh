#!/usr/bin/env bash
# check_symbols.sh - the shared library exports the functions of gfmul.h and nothing else, and stays in memory; no program of
# this project has a global name of the library's; the drop-in exports GMP's entry points, and neither it nor its engine needs
# libgmp.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
builddir=${BUILDDIR:-build}
srcdir=${SRCDIR:-$(dirname "$0")/..}
library=$builddir/.libs/libgfmul.so
if [[ ! -e $library ]]; then
    echo "no shared library in $builddir: skipped"
    exit 77
fi
LC_ALL=C
export LC_ALL
# Symbols that a sanitizer or the linker adds begin with two underscores or are linker marks.
listed=$(nm -D --defined-only "$library" | awk '$2 != "A" {print $NF}' | grep -vE '^(__|_init$|_fini$|_edata$|_end$)' | sort)
exported=$(sed 's/@.*//' <<<"$listed" | sort)
declared=$(grep -hE '^GFMUL_API|^ *GFMUL_API' "$srcdir"/lib/gfmul*.h | grep -oE '\bgfmul_[a-z0-9_]+ ?\(' | tr -d ' (' | sort -u)
status=0
if foreign=$(grep -vE '^gfmul_' <<<"$exported"); then
    echo "exported, but not gfmul_*:" $foreign >&2
    status=1
fi
missing=$(comm -13 <(echo "$exported") <(echo "$declared"))
if [[ -n $missing ]]; then
    echo "declared in gfmul.h, but not exported:" $missing >&2
    status=1
fi
extra=$(comm -23 <(echo "$exported") <(echo "$declared"))
if [[ -n $extra ]]; then
    echo "exported, but not declared in gfmul.h:" $extra >&2
    status=1
fi
# Each has the version that lib/gfmul.map gives it, and that of the headers is among them.
if grep -q '^GFMUL_SYMBOLS = .' "$builddir/Makefile"; then
    if unversioned=$(grep -vE '^gfmul_private_[a-z_]+@@GFMUL_PRIVATE$|@@GFMUL_[0-9.]+$' <<<"$listed"); then
        echo "exported without a version:" $unversioned >&2
        status=1
    fi
    version=$(sed -n 's/^AC_INIT(\[gfmul\], \[\([0-9]*\.[0-9]*\).*/\1/p' "$srcdir/configure.ac")
    if public=$(grep -E '^gfmul_private_.*@@GFMUL_[0-9]' <<<"$listed"); then
        echo "private, but exported with a public version:" $public >&2
        status=1
    fi
    if [[ $(sed 's/.*@@//' <<<"$listed" | grep -v PRIVATE | sort -u | tail -n 1) != "GFMUL_$version" ]]; then
        echo "no symbol has the version GFMUL_$version" >&2
        status=1
    fi
fi
# The library's threads and fork's handlers would outlive a library that dlclose takes away (configure.ac, GFMUL_NODELETE).
if grep -q '^GFMUL_NODELETE = .' "$builddir/Makefile" && ! readelf -d "$library" | grep NODELETE >/dev/null; then
    echo "the library is not marked NODELETE" >&2
    status=1
fi
echo "$(wc -l <<<"$exported") symbols exported, $(wc -l <<<"$declared") declared"
# defined FILE... - the global names that objects or archives define.
defined() {
    nm -g --defined-only "$@" 2>/dev/null | awk 'NF == 3 {print $3}' | sort -u
}
# A build without shared libraries links programs with all of the library's names.
inside=$builddir/.libs/libgfmul-internal.a
if [[ -e $inside ]] && twice=$(comm -12 <(defined "$inside") <(defined "$builddir"/tools/*.o) | grep .); then
    echo "names of the library and of its programs:" $twice >&2
    status=1
fi

mpi=$builddir/.libs/libgfmul_mpi.so
if [[ -e $mpi ]]; then
    names=$(nm -D --defined-only "$mpi" | awk '$2 != "A" {print $NF}' | grep -vE '^(__|_init$|_fini$|_edata$|_end$)' | sort)
    declared=$(grep -hE '^GFMUL_API' "$srcdir/mpi/gfmul_mpi.h" | grep -oE '\bgfmul_[a-z0-9_]+ ?\(' | tr -d ' (' | sort -u)
    if [[ $names != "$declared" ]]; then
        echo "libgfmul_mpi.so exports" $names "and should export" $declared >&2
        status=1
    fi
    echo "library for MPI: checked"
fi

shim=$builddir/.libs/libgfmul_gmp.so engine=$builddir/.libs/gmp_engine.so
# exports FILE NAME... - the file exports these names and no others.
exports() {
    local file=$1 got want
    shift
    got=$(nm -D --defined-only "$file" | awk '{print $NF}' | grep -vE '^(_init|_fini|_edata|_end|__bss_start)$' | sort)
    want=$(printf '%s\n' "$@" | sort)
    if [[ $got != "$want" ]]; then
        echo "${file##*/} exports" $got "and should export" $want >&2
        status=1
    fi
}
if [[ -e $shim ]]; then
    # Without optimisation there is no dlopen in it (gmp_binding.c).
    # shellcheck disable=SC2046 # names
    exports "$shim" $(nm -D --defined-only "$shim" | grep -o 'dlopen$') \
        $(sed -n 's/^ *ROUTE_ENTRY([a-z_]*, \([a-z0-9_]*\),.*/__gmpn_\1/p' "$srcdir/gmp/gmp_routes.h")
    exports "$engine" gfmul_gmp_engine_3
    for file in "$shim" "$engine"; do
        if needed=$(nm -D --undefined-only "$file" | grep '__gmp'); then
            echo "${file##*/} needs symbols of GMP (gmp/gmp_calls.def):" $needed >&2
            status=1
        fi
        if readelf -d "$file" | grep NEEDED | grep -E 'libgmp|libfftw|libOpenCL|libgfmul'; then
            echo "${file##*/} needs these libraries: the process that preloads it would have them, too" >&2
            status=1
        fi
        if grep -q '^GFMUL_NODELETE = .' "$builddir/Makefile" && ! readelf -d "$file" | grep NODELETE >/dev/null; then
            echo "${file##*/} is not marked NODELETE" >&2
            status=1
        fi
    done
    if readelf -d "$shim" | grep NEEDED | grep -vE 'lib(c|dl|pthread)\.so|ld-linux'; then
        echo "${shim##*/} needs these libraries: every process that it is preloaded into would load them" >&2
        status=1
    fi
    echo "drop-in for GMP: checked"
fi
exit $status
