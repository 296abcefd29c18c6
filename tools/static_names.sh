#!/usr/bin/env bash
# static_names.sh ARCHIVE - in a static library the functions that are the library's own get names that begin with gfmul__, so
# that a program may have functions of the same names.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# $NM and $OBJCOPY are the tools.  Where they cannot do it, as with objects for link-time optimisation, the archive stays as it
# is.
set -euo pipefail
archive=$1
unchanged()
{
    echo "static_names.sh: ${archive##*/} keeps names that do not begin with gfmul_: $1" >&2
    exit 0
}
# foreign ARCHIVE - what it defines for others; names that begin with an underscore are the compiler's.
foreign()
{
    # shellcheck disable=SC2086 # it may have options
    LC_ALL=C ${NM:-nm} -g "$1" 2>/dev/null |
        LC_ALL=C awk 'NF == 3 && $2 ~ /[ABCDGRSTVW]/ && $3 ~ /^[A-Za-z]/ && $3 !~ /^gfmul_/ {print $3}' |
        LC_ALL=C sort -u
}

command -v ${OBJCOPY:-objcopy} >/dev/null 2>&1 || unchanged "no objcopy"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
foreign "$archive" >"$tmp/names" || unchanged "nm cannot read it"
[[ -s $tmp/names ]] || exit 0
if ${NM:-nm} "$archive" 2>/dev/null | grep '__gnu_lto_' >/dev/null; then
    unchanged "objects for link-time optimisation"
fi
awk '{print $1, "gfmul__" $1}' "$tmp/names" >"$tmp/map"
${OBJCOPY:-objcopy} --redefine-syms="$tmp/map" "$archive" "$tmp/archive.a" >"$tmp/log" 2>&1 || unchanged "$(tail -n 1 "$tmp/log")"
[[ -z $(foreign "$tmp/archive.a") ]] || unchanged "objcopy leaves some"
cat "$tmp/archive.a" >"$archive"
