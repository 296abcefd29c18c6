#!/usr/bin/env bash
# check_repeat.sh - the distribution made twice is the same archive, and the library built twice from it, in folders of other
# names, is the same file, without the name of its folder.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# From make: make check-repeat.   REPEAT_BUILDS=0 leaves out the builds, which take minutes.
set -euo pipefail
builddir=$(cd "${BUILDDIR:-build}" && pwd)
make=${MAKE:-make}
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS SOURCE_DATE_EPOCH
work=$builddir/check-repeat
rm -rf "$work"
mkdir -p "$work/a" "$work/a-longer-name"
quietly()
{
    "$@" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; echo "FAILED: $*"; exit 1; }
}

archive=gfmul-$(sed -n 's/^VERSION = //p' "$builddir/Makefile").tar.gz
cd "$builddir"
quietly "$make" -s dist
mv "$archive" "$work/first.tar.gz"
sleep 1
(umask 027 && TZ=Asia/Tokyo LC_ALL=C quietly "$make" -s dist)
cmp "$archive" "$work/first.tar.gz" || { echo "make dist gives other bytes the second time"; exit 1; }
[[ $(SOURCE_DATE_EPOCH=86400 "$make" -s dist >/dev/null 2>&1 && tar tvzf "$archive" --utc | awk '{print $4}' | sort -u) == \
    1970-01-02 ]] || { echo "SOURCE_DATE_EPOCH is not the time of the files"; exit 1; }
rm -f "$archive"
echo "make dist: the same $(wc -c <"$work/first.tar.gz") bytes twice"
[[ ${REPEAT_BUILDS:-1} != 0 ]] || exit 0

# No cache of compilations: it would give the first result again.  Vectors and -O3 would only take longer.
for folder in a a-longer-name; do
    tar xzf "$work/first.tar.gz" -C "$work/$folder" --strip-components=1
    mkdir "$work/$folder/build"
    cd "$work/$folder/build"
    CCACHE_DISABLE=1 quietly ../configure --quiet CC="${CC:-cc}" CFLAGS="-O1 -g1" gfmul_cv_isa_avx512=no \
        gfmul_cv_isa_avx2=no gfmul_cv_isa_sse2=no
    CCACHE_DISABLE=1 quietly "$make" -s -j "$(nproc)" bigmul
done
for file in .libs/libgfmul.so .libs/libgfmul.a; do
    cmp "$work"/a{,-longer-name}/build/$file || { echo "$file differs from build to build"; exit 1; }
    if grep -q "$work" "$work/a/build/$file"; then
        echo "$file has the name of the folder that it was built in"
        exit 1
    fi
    echo "${file##*/}: the same $(wc -c <"$work/a/build/$file") bytes twice"
done
