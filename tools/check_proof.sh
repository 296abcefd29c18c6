#!/usr/bin/env bash
# tools/check_proof.sh - the proofs of proof/ by machine: Gappa scripts of every pass, the convolution theorem in Coq.
#
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# From make: make check-proof.   SRCDIR, CC, CXX; BUILDDIR: proofs are made in check-proof/ below it.
# Exit status: 0 proved, 1 not, 77 without Gappa, Coq, Flocq or a C++ compiler (Debian: gappa coq libcoq-flocq g++).
set -uo pipefail
src=${SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
dir=${BUILDDIR:-$PWD}/check-proof
CC=${CC:-cc} CXX=${CXX:-c++}

for tool in gappa coqc coqchk "${CXX%% *}"; do
    command -v $tool >/dev/null 2>&1 || { echo "check-proof: skipped, no $tool"; exit 77; }
done
[[ -d $(coqc -where)/user-contrib/Flocq ]] || { echo "check-proof: skipped, Coq has no Flocq"; exit 77; }

gappa=
fail()
{
    echo "check-proof: FAILED: $*"
    [[ -z $gappa ]] || wait "$gappa"
    exit 1
}

rm -rf "$dir"
mkdir -p "$dir" && cd "$dir" || exit 1

# OpenCL C for a C++ compiler (proof/opencl.h): vector literals are constructors, parts of vectors are functions.
for kernel in prelude fft_radix complex_dd; do
    sed -E 's/\((point|dd|fp2|fp4|twiddle|half_point)\)\(/\1(/g; s/\.(xy|zw)\b/.\1()/g' "$src/kernels/$kernel.cl" >"$kernel.cl"
done
# cut FILE LINE FIRST REST - in two before the first line that begins so; the file's last line, an #endif, ends both parts.
cut_in_two()
{
    local at
    at=$(grep -nF "$2" "$1" | head -n 1 | cut -d : -f 1)
    [[ -n $at ]] || fail "$1 has no line \"$2\""
    { head -n $((at - 1)) "$1"; tail -n 1 "$1"; } >"$3"
    tail -n +"$at" "$1" | head -n -1 >"$4"
}
cut_in_two complex_dd.cl '/* times_i' dd_operations.cl dd_steps.cl
cut_in_two "$src/lib/dd/dd_number.h" 'STAGE_INLINE struct ddc ddc_add' dd_number_operations.h dd_number_points.h

sed -n '/^struct complex_vec/,/^\/\* cyclic_group/p' "$src/lib/stages/spectrum_mul.h" | head -n -1 >spectrum_points.h

# What a program does not call is left out, so that plan_bound.c needs no library.
objects=()
for file in "$src"/proof/*.cc; do
    object=$(basename "$file" .cc).o
    # shellcheck disable=SC2086
    $CXX -std=gnu++17 -O1 -w -fno-exceptions -fno-rtti -ffunction-sections -I. -I"$src/lib" -I"$src/proof" -c "$file" \
        -o "$object" || fail "${file##*/} does not compile"
    objects+=("$object")
done
# shellcheck disable=SC2086
$CC -std=gnu11 -O1 -w -DNDEBUG -ffp-contract=off -ffunction-sections -fdata-sections -I. -I"$src/lib" -I"$src/proof" \
    "$src"/proof/*.c "$src/lib/plan/prime_table.c" "$src"/lib/base/{parallel,processors,thread_quiet,threads}.c "${objects[@]}" \
    -Wl,--gc-sections -o kernels -lm -pthread ||
    fail "kernels.c does not compile"
./kernels || fail "a pass is not made as the proofs take it to be"

scripts=(*.g)
prove()
{
    # a hint that is not an identity is a warning to Gappa
    timeout 300 gappa -Eprecision=160 "$1" >"$1.log" 2>&1 && ! grep -q "not trivially equal" "$1.log" && return
    echo "check-proof: FAILED: Gappa does not prove $1"
    tail -n 3 "$1.log"
    return 1
}
export -f prove
# Beside Coq, which takes one processor for longer.
printf '%s\n' "${scripts[@]}" | xargs -P "$(nproc)" -I {} bash -c 'prove "$1"' prove {} &
gappa=$!

# Those of integers alone need none of the others, and take as long: beside them.
theory_reals=(complex convolution traced steps level layers traced_pairs pairs angles roots)
theory_integers=(integers words)
theory=("${theory_reals[@]}" "${theory_integers[@]}")
cp "$src"/proof/*.v . || exit 1
! grep -nwE 'Admitted|admit|Axiom|Parameter|Conjecture|Unset' ./*.v || fail "a proof is left open"
# beside COMMAND REALS... - COMMAND for those, and at the same time for those of integers.
beside()
{
    local other status=0
    "$1" "${theory_integers[@]}" &
    other=$!
    "$1" "${@:2}" || status=1
    wait "$other" && return $status
}
compile()
{
    local file
    for file; do
        coqc "$file.v" >"$file.log" 2>&1 || { tail -n 20 "$file.log"; echo "check-proof: Coq does not accept $file.v"; return 1; }
    done
}
check()
{
    coqchk -silent -o "$@" >"coqchk-$1.log" 2>&1 || { tail -n 20 "coqchk-$1.log"; return 1; }
}
beside compile "${theory_reals[@]}" || fail "Coq"

# Axioms: those of Coq's real numbers and of classical logic, which Flocq uses.
allowed='ClassicalDedekindReals.sig_not_dec|ClassicalDedekindReals.sig_forall_dec|Classical_Prop.classic'
allowed+='|FunctionalExtensionality.functional_extensionality_dep'
{
    # one question about all of them: each alone takes as long
    echo "Require Import ${theory[*]}."
    echo "Definition everything := (I"
    for file in "${theory[@]}"; do
        sed -nE "s/^(Theorem|Lemma) ([A-Za-z0-9_]+).*/  , @$file.\2/p" "$file.v"
    done
    echo ")."
    echo "Print Assumptions everything."
} >assumptions.v
coqc assumptions.v >assumptions.log 2>&1 || fail "assumptions.v"
found=$(grep -E '^[A-Za-z0-9_.]+( :|$)' assumptions.log | sed 's/ .*//' | sort -u)
other=$(grep -vxE "$allowed" <<<"$found")
[[ -n $found && -z $other ]] || fail "other axioms than those of the real numbers: $other"

beside check "${theory_reals[@]}" || fail "coqchk"
wait "$gappa" || exit 1
echo "check-proof: Gappa proved ${#scripts[@]} scripts"
count=$(cat "${theory[@]/%/.v}" | grep -cE '^(Theorem|Lemma)')
echo "check-proof: Coq proved $count theorems and lemmas; coqchk accepts them"
