#!/usr/bin/env bash
# check_symbols.sh - the shared library exports the functions of gfmul.h and nothing else, and stays in memory.
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
exported=$(nm -D --defined-only "$library" | awk '{print $NF}' | grep -vE '^(__|_init$|_fini$|_edata$|_end$)' | sort)
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
# Threads of OpenMP and fork's handlers would outlive a library that dlclose takes away (configure.ac, GFMUL_NODELETE).
if grep -q '^GFMUL_NODELETE = .' "$builddir/Makefile" && ! readelf -d "$library" | grep -q NODELETE; then
    echo "the library is not marked NODELETE" >&2
    status=1
fi
echo "$(wc -l <<<"$exported") symbols exported, $(wc -l <<<"$declared") declared"
exit $status
