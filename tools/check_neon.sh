#!/usr/bin/env bash
# check_neon.sh - the NEON stages compile: tried with a cross compiler where this machine is not an ARM.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
srcdir=${SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
cross=aarch64-linux-gnu-gcc
if [[ $(uname -m) == aarch64 ]]; then
    echo "built and tested as part of the library here"
    exit 77
fi
if ! command -v $cross >/dev/null 2>&1; then
    echo "no $cross: skipped"
    exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# GMP's header is the same for every machine with 64-bit limbs; the headers beside it are not.
echo '#include <gmp.h>' | ${CC:-cc} -E -x c - | sed -nE 's/^# 1 "(.*gmp[^"]*\.h)".*/\1/p' | sort -u |
    while IFS= read -r header; do
        cp "$header" "$tmp/"
    done
flags=(-std=gnu11 -O2 -ffp-contract=off -fopenmp -Wall -Wextra -Wshadow -Wpointer-arith -Werror -D_GNU_SOURCE -DGFMUL_HAVE_NEON=1)
for isa in neon scalar; do
    $cross "${flags[@]}" -I"$srcdir/lib" -idirafter "$tmp" -c "$srcdir/lib/stages/isa/stages_$isa.c" -o "$tmp/$isa.o"
    echo "stages_$isa.c: $(aarch64-linux-gnu-objdump -d "$tmp/$isa.o" | grep -cE '[[:space:]]fml[as]') fused vector instructions"
done
