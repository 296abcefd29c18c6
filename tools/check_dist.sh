#!/usr/bin/env bash
# check_dist.sh - every file of the repository is in the distribution, or named here as one that is not.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
srcdir=${SRCDIR:-$(dirname "$0")/..}
builddir=${BUILDDIR:-build}
if [[ ! -e $srcdir/.git ]] || ! command -v git >/dev/null 2>&1; then
    echo "not a checkout: skipped"
    exit 77
fi
named=$srcdir # make has it in names of files, as /x/build/..
srcdir=$(cd "$srcdir" && pwd)
tracked=$(git -c safe.directory="$srcdir" -C "$srcdir" ls-files | grep -vE '^(\.gitignore|\.gitattributes|\.ci/.*)$' | sort)
unset MAKEFLAGS MFLAGS MAKELEVEL
listed=$("${MAKE:-make}" -s --no-print-directory -C "$builddir" print-distfiles |
    sed -e "s|^$named/||" -e "s|^$srcdir/||" -e 's|^\(\.\./\)*||' | sort -u)
forgotten=$(comm -23 <(echo "$tracked") <(echo "$listed"))
echo "$(wc -l <<<"$tracked") files in the repository"
if [[ -n $forgotten ]]; then
    echo "not in the distribution (add them to a sources.mk or to Makefile.am):" >&2
    echo "$forgotten" >&2
    exit 1
fi
