#!/usr/bin/env bash
# t-gallery_segments.sh - the places that the gallery's kernels read and write, recorded on the host, against the published ones.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# The kernels are compiled as C++, with points that record; tests/gallery_record.cc has what they ought to do.
set -eu
SRCDIR=$(cd "${SRCDIR:-$(dirname "$0")/..}" && pwd)
CXX=${CXX:-c++}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gallery-test-XXXXXX")
trap 'rm -rf "$tmp"' EXIT
if ! echo 'int main() { return 0; }' | $CXX -x c++ -std=c++14 -o "$tmp/probe" - 2>/dev/null; then
    echo "skipped: no C++ compiler"
    exit 77
fi
mkdir "$tmp/gallery"
for file in "$SRCDIR"/kernels/gallery/*.cl; do
    sed 's/(complex)(/point_make(/g' "$file" >"$tmp/gallery/${file##*/}"
done
$CXX -std=c++14 -O0 -w -I "$tmp" -I "$SRCDIR/kernels" -I "$SRCDIR/tests" -o "$tmp/record" "$SRCDIR/tests/gallery_record.cc"
"$tmp/record"
