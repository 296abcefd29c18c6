#!/usr/bin/env bash
# check_deb.sh - Debian's packages from a distribution: built, looked at by lintian, unpacked and run.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# From make: make check-deb.   BUILDDIR: a configured build; the packages are made in build-deb/ below it.
# DEB_CFLAGS replaces Debian's -g -O2; -O1 takes half of their time.  Vectors, which other builds have, would take longer than all
# else.
# Exit status: 0 all is well, 1 not, 77 without lintian or what debian/control wants.
set -euo pipefail
src=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${BUILDDIR:-build}" && pwd)
deb=$builddir/build-deb
make=${MAKE:-make}
# A parent's make has no say in the packages' own.
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS CC GFMUL_DISABLE
skip()
{
    echo "check-deb: skipped, $*"
    exit 77
}
for program in dpkg-buildpackage lintian; do
    command -v "$program" >/dev/null || skip "no $program"
done
missing=$(dpkg-checkbuilddeps "$src/debian/control.in" 2>&1) || skip "$missing"
# quietly COMMAND... - its output goes into a file, and its end is shown if it fails.
quietly()
{
    "$@" >>"$deb/build.log" 2>&1 || { tail -n 40 "$deb/build.log"; echo "check-deb: FAILED: $*"; exit 1; }
}

rm -rf "$deb"
mkdir "$deb"
cd "$builddir"
version=$(sed -n 's/^VERSION = //p' Makefile)
quietly "$make" distdir distdir="build-deb/gfmul-$version"
cd "$deb/gfmul-$version"
DEBFULLNAME="${DEBFULLNAME:-A packager}" DEBEMAIL=${DEBEMAIL:-packager@example.com} quietly debian/rules control
# The packages of symbols would take as long as all else.
DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$(nproc)"
export gfmul_cv_isa_avx512=no gfmul_cv_isa_avx2=no
export DEB_BUILD_OPTIONS DEB_CFLAGS_STRIP="-g -O2" DEB_CFLAGS_APPEND=${DEB_CFLAGS:--O1}
quietly dpkg-buildpackage -us -uc -b
cd "$deb"
lintian --no-cfg --allow-root --fail-on error,warning gfmul_*.changes

# What they install works, from another root.
mkdir root
for package in *.deb; do
    dpkg-deb -x "$package" root
done
libdir=$(dirname "$(ls "$PWD"/root/usr/lib/*/libgfmul.so.0)")
export LD_LIBRARY_PATH=$libdir PYTHONPATH=$PWD/root/usr/lib/python3/dist-packages
python3 -c 'import gfmul; assert gfmul.mul(3**90000, 7**90000) == 21**90000 and gfmul.__file__.startswith("'"$PWD"'")'
python3 -c 'print(3**3000); open("b", "w").write(str(7**3000)); open("z", "w").write(str(21**3000) + "\n")' >a
root/usr/bin/bigmul a b | cmp - z
echo "check-deb: $(ls ./*.deb | wc -l) packages"
