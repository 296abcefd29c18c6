#!/usr/bin/env bash
# check_hardening.sh - what is built has the hardening that configure chose, and not the name of the folder that it was built in.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
builddir=$(cd "${BUILDDIR:-build}" && pwd)
srcdir=$(cd "${SRCDIR:-$(dirname "$0")/..}" && pwd)
command -v readelf >/dev/null || { echo "no readelf: skipped"; exit 77; }
files=()
for file in libgfmul.so libgfmul_gmp.so gmp_engine.so bigcalc bigmul; do
    [[ ! -e $builddir/.libs/$file ]] || files+=("$builddir/.libs/$file")
done
((${#files[@]} > 0)) || { echo "no shared library in $builddir: skipped"; exit 77; }
# chosen NAME WORDS - are these words in the variable of Makefile?
chosen() { grep -E "^$1 =" "$builddir/Makefile" | grep -qF -- "$2"; }
failures=0
complain() { echo "$*" >&2; failures=$((failures + 1)); }

for file in "${files[@]}"; do
    ! chosen LDFLAGS -Wl,-z,now || readelf -dW "$file" | grep BIND_NOW >/dev/null || complain "$file binds relocations late"
    ! chosen LDFLAGS -Wl,-z,relro || readelf -lW "$file" | grep GNU_RELRO >/dev/null ||
        complain "$file: relocations can be written"
    ! readelf -lW "$file" | grep 'GNU_STACK.*E' >/dev/null || complain "$file: the stack can be executed"
    ! readelf -dW "$file" | grep -E 'RPATH|RUNPATH' | grep -F -e "$builddir" -e "$srcdir" ||
        complain "$file: such a path to libraries"
    if grep -q '^GFMUL_PREFIX_MAP = .' "$builddir/Makefile" && [[ $file == *.so ]]; then
        ! grep -qF -e "$srcdir" -e "$builddir" "$file" || complain "$file has the name of the folder that it was built in"
    fi
done
symbols=$(readelf -W --dyn-syms "$builddir/.libs/libgfmul.so" 2>/dev/null || true)
! chosen CFLAGS -fstack-protector || [[ $symbols == *__stack_chk_fail* ]] || complain "libgfmul.so has no stack protector"
! chosen CFLAGS -D_FORTIFY_SOURCE || [[ $symbols == *_chk@* ]] || complain "libgfmul.so calls no function of _FORTIFY_SOURCE"
# The linker marks a file only if all objects are marked, those of the C library, too: here the library's own are asked.
if chosen CFLAGS -fcf-protection=full; then
    for object in "$builddir"/lib/*/.libs/*.o "$builddir"/lib/*/isa/.libs/*.o; do
        readelf -nW "$object" | grep 'IBT, SHSTK' >/dev/null || complain "$object has no control-flow protection"
    done
fi
echo "${#files[@]} files, $failures complaints"
((failures == 0))
