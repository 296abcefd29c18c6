#!/usr/bin/env bash
# check_install.sh - install into an empty folder, build an example and README.md's program with pkg-config as a user would, and
# run them; links between installed documents.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
srcdir=${SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${BUILDDIR:-build}
if ! command -v pkg-config >/dev/null 2>&1; then
    echo "no pkg-config: skipped"
    exit 77
fi
if [[ ${SANITIZER:-no} != no ]]; then
    echo "a build with a sanitizer is not for installing: skipped"
    exit 77
fi
unset MAKEFLAGS MFLAGS MAKELEVEL
# Below the build: libtool installs into no folder with a blank in its name, and from some folders of TMPDIR nothing can be run.
builddir=$(cd "$builddir" && pwd)
stage=$(mktemp -d "$builddir/check-install.XXXXXX")
trap 'rm -rf "$stage"' EXIT
"${MAKE:-make}" -s -C "$builddir" install DESTDIR="$stage" >"$stage/install.log" 2>&1 || {
    cat "$stage/install.log" >&2
    exit 1
}
# dir NAME - where configure has put it, as below $stage.
dirs=$("${MAKE:-make}" -s --no-print-directory -C "$builddir" print-dirs)
dir() { sed -n "s|^$1=|$stage|p" <<<"$dirs"; }
bindir=$(dir bindir) libdir=$(dir libdir) includedir=$(dir includedir) docs=$(dir docdir) man1=$(dir man1dir)
bigmul=$(sed -n 's/^bigmul=//p' <<<"$dirs")
bigcalc=$(sed -n 's/^bigcalc=//p' <<<"$dirs")
export PKG_CONFIG_PATH=$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage
# Under /usr pkg-config would leave out what the compiler looks through by itself.
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
flags() { pkg-config "$@" gfmul; }

linked=()
[[ -e $libdir/libgfmul.so ]] || linked=(--static)
static=("${linked[@]+"${linked[@]}"}") # of pkg-config: linked has CMake's option later
# shellcheck disable=SC2046 # the flags are words
${CC:-cc} -Wall -Wextra -Werror "$srcdir/examples/mul_mpz.c" -o "$stage/linked" $(flags "${linked[@]}" --cflags --libs)
echo "as pkg-config says${linked[*]:+ with} ${linked[*]}: $(LD_LIBRARY_PATH=$libdir "$stage/linked")"

# README.md's program: the first code of "The library", to its last brace.
awk '/^## / {on = $0 == "## The library"} on && /^(    |$)/ {print substr($0, 5)} on && /^    }$/ {exit}' \
    "$srcdir/README.md" >"$stage/readme.c"
grep -q 'int main' "$stage/readme.c" || { echo "README.md has no program" >&2; exit 1; }
# shellcheck disable=SC2046
${CC:-cc} -Wall -Wextra -Werror "$stage/readme.c" -o "$stage/readme" $(flags "${linked[@]}" --cflags --libs)
LD_LIBRARY_PATH=$libdir "$stage/readme"

# The same by CMake, with the wrapper for C++.
if command -v cmake >/dev/null 2>&1 && command -v "${CXX:-c++}" >/dev/null 2>&1; then
    [[ -e $libdir/libgfmul.so ]] || linked=(-Dgfmul_USE_STATIC_LIBS=ON)
    { cmake -S "$docs/examples/cmake" -B "$stage/cmake" -Dgfmul_DIR="$libdir/cmake/gfmul" "${linked[@]}" \
        ${CC:+-DCMAKE_C_COMPILER="${CC##* }"} && cmake --build "$stage/cmake"; } >"$stage/cmake.log" 2>&1 || {
        tail -n 20 "$stage/cmake.log" >&2
        exit 1
    }
    echo "by CMake: $("$stage/cmake/mul_mpz")"
    echo "in C++: $("$stage/cmake/mul_wrapper" | head -n 1)"
fi

if [[ -e $libdir/libgfmul.a ]]; then
    # Functions of the program's own, with names that the library has inside.
    nm -g "$builddir/.libs/libgfmul.a" 2>/dev/null | awk 'NF == 3 && $2 == "T" && $3 !~ /^(gfmul)?_/ {print $3}' | sort -u \
        >"$stage/names"
    if [[ -s $stage/names ]] && command -v objcopy >/dev/null 2>&1 && ! grep -q '^CFLAGS = .*-flto' "$builddir/Makefile"; then
        cp "$srcdir/examples/mul_mpz.c" "$stage/own.c"
        sed 's/.*/int own_&(void) __asm__("&"); int own_&(void) { __builtin_abort(); }/' "$stage/names" >>"$stage/own.c"
        # shellcheck disable=SC2046
        ${CC:-cc} "$stage/own.c" -o "$stage/own" $(flags --cflags) "$libdir/libgfmul.a" \
            $(flags --static --libs | sed 's/-lgfmul//')
        echo "static, beside $(wc -l <"$stage/names") functions of the same names: $("$stage/own")"
    fi
    # shellcheck disable=SC2046
    ${CC:-cc} "$srcdir/examples/mul_mpz.c" -o "$stage/static" $(flags --cflags) "$libdir/libgfmul.a" \
        $(flags --static --libs | sed 's/-lgfmul//')
    echo "static: $("$stage/static")"
fi

# The installed command, on numbers whose product is known.
echo 111111111 >"$stage/a"
product=$(LD_LIBRARY_PATH=$libdir "$bindir/$bigmul" "$stage/a" "$stage/a")
if [[ $product != 12345678987654321 ]]; then
    echo "the installed bigmul says 111111111^2 = $product" >&2
    exit 1
fi
# The installed checker, on a product of it.
checker=$bindir/$(sed -n 's/^checker=//p' <<<"$dirs")
[[ -x $checker && -e $man1/${checker##*/}.1 ]] || { echo "${checker##*/} or its page is not installed" >&2; exit 1; }
if command -v python3 >/dev/null 2>&1; then
    LD_LIBRARY_PATH=$libdir "$bindir/$bigmul" --certificate "$stage/c" -o "$stage/z" "$stage/a" "$stage/a"
    verdict=$("$checker" "$stage/c" "$stage/a" "$stage/a" "$stage/z")
    [[ $verdict == 'proved: the product is right'* ]] || { echo "the installed ${checker##*/} says: $verdict" >&2; exit 1; }
fi
if [[ -e $libdir/libgfmul_gmp.so ]]; then # as a user runs it, with the engine from its installed place
    run=$bindir/$(sed -n 's/^gfmul_run=//p' <<<"$dirs")
    printf '%0999d\n' 7 | tr 0 3 >"$stage/long" # more limbs than GMP's schoolbook, which is called by another name
    made=$(LD_LIBRARY_PATH=$libdir "$run" --stats --threshold=1 "$bindir/$bigmul" --engine=gmp "$stage/long" "$stage/long" 2>&1)
    if [[ $made != "$(LD_LIBRARY_PATH=$libdir "$bindir/$bigmul" "$stage/long" "$stage/long")"*$'\n''gfmul-gmp: '[1-9]* ]]; then
        echo "the installed gfmul-run says: $made" >&2
        exit 1
    fi
    [[ -e $man1/${run##*/}.1 ]] || { echo "${run##*/}.1 is not installed" >&2; exit 1; }
fi
if [[ -e $libdir/pkgconfig/gfmul_mpi.pc ]]; then # linked; t-mpi.sh runs such programs
    cat >"$stage/mpi.c" <<'END'
#include <gfmul_mpi.h>
int main(int argc, char **argv)
{
    struct gfmul_mpi_ctx *ctx = NULL;
    return argc > 0 && argv != NULL ? gfmul_mpi_count(7, 2, 1) != 4 : gfmul_mpi_ctx_create(&ctx, MPI_COMM_WORLD, NULL);
}
END
    # The headers of MPI are not below the stage.
    # shellcheck disable=SC2046
    ${CC:-cc} -Wall -Wextra "$stage/mpi.c" -o "$stage/mpi" -I"$includedir" -L"$libdir" \
        $(PKG_CONFIG_SYSROOT_DIR='' pkg-config "${static[@]+"${static[@]}"}" --cflags --libs gfmul_mpi)
    if readelf -d "$libdir/libgfmul_mpi.so" 2>/dev/null | grep -F "$builddir"; then
        echo "the installed libgfmul_mpi.so has the name of the folder that it was built in" >&2
        exit 1
    fi
    LD_LIBRARY_PATH=$libdir "$stage/mpi" || { echo "the installed libgfmul_mpi counts wrong" >&2; exit 1; }
    page=$man1/$(sed -n 's/^bigmul_mpi=//p' <<<"$dirs").1
    [[ -e $page ]] || { echo "${page##*/} is not installed" >&2; exit 1; }
    echo "for MPI: linked"
fi
value=$(LD_LIBRARY_PATH=$libdir "$bindir/$bigcalc" -n "x=$stage/a" 'x^2 - 1')
[[ $value == 12345678987654320 ]] || { echo "the installed bigcalc says 111111111^2 - 1 = $value" >&2; exit 1; }
[[ -e $man1/$bigcalc.1 ]] || { echo "$bigcalc.1 is not installed" >&2; exit 1; }
[[ -e $man1/$bigmul.1 ]] || { echo "$bigmul.1 is not installed" >&2; exit 1; }

# What the headers point to.
pages=$(grep -oh 'doc/[a-z-]*\.md' "$includedir"/gfmul*.h | sort -u)
[[ -n $pages ]] || { echo "the headers name no page" >&2; exit 1; }
for page in $pages; do
    [[ -e $docs/$page ]] || { echo "$page is not installed" >&2; exit 1; }
done

# What installed documents link to.
failures=0
n_links=0
while IFS= read -r page; do
    while IFS= read -r link; do
        n_links=$((n_links + 1))
        [[ -e $(dirname "$page")/$link ]] || { echo "${page#"$docs"/}: $link is not installed" >&2; failures=$((failures + 1)); }
    done < <(grep -oE '\]\([^)]+\)' "$page" | sed -e 's/^](//' -e 's/)$//' -e 's/#.*//' | grep -vE '^(https?:.*)?$' || true)
done < <(find "$docs" -name '*.md')
echo "$n_links links between installed documents"
((n_links > 0 && failures == 0))
