#!/usr/bin/env bash
# check_portable.sh SCRIPT... - scripts and steps of the build with gawk, mawk and busybox as awk, sed, sort and sh, each in
# another locale: they all pass, and what they write is the same.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# From make: make check-portable.   PORTABLE_KINDS="gawk mawk busybox" chooses; PORTABLE_JOBS: scripts at once; PORTABLE_ONCE:
# those that run with the first kind alone, because they take long and hardly use these programs.
# Exit status: 0 all is well, 1 not, 77 where one of the three is missing.
set -uo pipefail
srcdir=$(cd "${SRCDIR:-$(dirname "$0")/..}" && pwd)
builddir=$(cd "${BUILDDIR:-build}" && pwd)
kinds=${PORTABLE_KINDS:-gawk mawk busybox}
for kind in $kinds; do
    command -v "$kind" >/dev/null || { echo "no $kind: skipped"; exit 77; }
done
unset MAKEFLAGS MFLAGS MAKELEVEL
work=$builddir/check-portable
rm -rf "$work"
mkdir -p "$work/locale"
failures=0
complain() { echo "FAILED: $*"; failures=$((failures + 1)); }

# A locale that sorts, and writes numbers, as English does not.  If it is not installed, it is made here.
german=de_DE.UTF-8
if [[ $(LC_ALL=$german sort <<<$'b\nB\na' 2>/dev/null) != $'a\nb\nB' ]]; then
    if localedef -i de_DE -f UTF-8 "$work/locale/$german" >/dev/null 2>&1; then
        export LOCPATH=$work/locale
    else
        echo "no $german (Debian: locales): C.UTF-8 instead"
        german=C.UTF-8
    fi
fi
locale_of() { case $1 in gawk) echo $german ;; mawk) echo C ;; *) echo C.UTF-8 ;; esac; }

# bin KIND - a folder that comes first in PATH.
bin()
{
    local applet
    mkdir -p "$work/bin-$1"
    if [[ $1 == busybox ]]; then
        for applet in awk sed sort sh; do
            ln -sf "$(command -v busybox)" "$work/bin-$1/$applet"
        done
    else
        ln -sf "$(command -v "$1")" "$work/bin-$1/awk"
    fi
}

# under KIND COMMAND... - with that PATH, locale and sh.
under()
{
    local kind=$1
    shift
    env PATH="$work/bin-$kind:$PATH" LC_ALL="$(locale_of "$kind")" "$@"
}

# one KIND SCRIPT - run it, as make check does; its own line says how it ended.
one()
{
    local log=$work/$1-${2##*/}.log status=0
    under "$1" TMPDIR="$work/tmp-$1" timeout -k 10 1200 bash "$srcdir/$2" >"$log" 2>&1 || status=$?
    case $status in
    0) echo "PASS $1 $2" ;;
    77) echo "SKIP $1 $2: $(tail -n 1 "$log")" ;;
    *)
        echo "FAIL $1 $2: status $status"
        grep -E 'FAIL|rror' "$log" | head -n 5
        tail -n 5 "$log"
        ;;
    esac
}
export -f one under locale_of
export work srcdir german

for kind in $kinds; do
    bin "$kind"
    mkdir -p "$work/tmp-$kind"
done

# The steps of the build: what configure finds, and what scripts generate.
shell_of() { if [[ $1 == busybox ]]; then echo "$work/bin-busybox/sh"; else command -v sh; fi; }
first=
for kind in $kinds; do
    mkdir "$work/build-$kind"
    shell=$(shell_of "$kind")
    # shellcheck disable=SC2046 # a name or none
    if ! (cd "$work/build-$kind" && under "$kind" CONFIG_SHELL="$shell" "$shell" "$srcdir/configure" --quiet --disable-static \
        CC="${CC:-cc}" && under "$kind" "${MAKE:-make}" -s SHELL="$shell" ocl_embedded.c cmake/gfmul-config.cmake \
        $([[ ! -e $builddir/gfmul-run ]] || echo gfmul-run)) >"$work/build-$kind.log" 2>&1; then
        complain "configure and generated files with $kind: $(tail -n 3 "$work/build-$kind.log")"
        continue
    fi
    (cd "$work/build-$kind" && cksum config.h ocl_embedded.c cmake/gfmul-config.cmake gfmul.pc) >"$work/build-$kind.sum"
    first=${first:-$kind}
    cmp "$work/build-$first.sum" "$work/build-$kind.sum" || complain "$kind builds other files than $first"
    # A static library's names, and the command that runs programs under the drop-in.
    if [[ -e $work/build-$kind/gfmul-run ]]; then
        [[ $(under "$kind" "$shell" "$work/build-$kind/gfmul-run" --version) == "gfmul-run "* ]] ||
            complain "gfmul-run with $kind"
    fi
done

# lengths.awk takes logarithms, which an awk of busybox may be built without.  Two runs of nine lengths.
for run in 1 2; do
    printf 'isa\todd\tlog2\tway\tsplit\tmodel\tps\tkind\n'
    for k in {10..18}; do
        printf 'avx2\t%d\t%d\t%d\t0\t%d\t%d\tmeasured\n' $((2 * (k % 3) + 1)) "$k" $((k % 2)) $((k * 1000)) \
            $((k * 900 + run * 37 % 11))
    done
done >"$work/lengths.tsv"
first=
for kind in $kinds; do
    under "$kind" awk 'BEGIN { exit !(log(1) == 0) }' 2>/dev/null || continue
    under "$kind" awk -f "$srcdir/bench/lengths.awk" "$work/lengths.tsv" \
        >"$work/lengths-$kind" 2>&1 || complain "bench/lengths.awk with $kind"
    first=${first:-$kind}
    cmp "$work/lengths-$first" "$work/lengths-$kind" || complain "bench/lengths.awk with $kind writes other rows than with $first"
done
[[ -z $first ]] || grep 'X(' "$work/lengths-$first" >/dev/null || complain "bench/lengths.awk writes nothing"

# shellcheck disable=SC2016 # words of xargs
for kind in $kinds; do
    for script; do
        [[ $kind != "${kinds%% *}" && " ${PORTABLE_ONCE-} " == *" $script "* ]] || printf '%s %s\0' "$kind" "$script"
    done
done | xargs -0 -r -P "${PORTABLE_JOBS:-$(nproc)}" -I{} bash -c 'one $1' bash {} | tee "$work/results"
failed=$(grep -c '^FAIL ' "$work/results" || true)
passed=$(grep -c '^PASS ' "$work/results" || true)
# Once more, where a reader looks.
awk '/^(PASS|SKIP) / { on = 0 } /^FAIL / { on = 1 } on' "$work/results"
echo "check-portable: $passed scripts passed, $failed failed; $failures other failures"
((passed > 0 && failed == 0 && failures == 0))
