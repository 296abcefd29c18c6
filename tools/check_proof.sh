#!/usr/bin/env bash
# tools/check_proof.sh - the proofs of proof/ by machine: Gappa scripts of every pass, the convolution theorem in Coq.
#
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# From make: make check-proof.   SRCDIR, CC; BUILDDIR: proofs are made in check-proof/ below it.
# Exit status: 0 proved, 1 not, 77 without Gappa, Coq or Flocq (Debian: gappa coq libcoq-flocq).
set -uo pipefail
src=${SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
dir=${BUILDDIR:-$PWD}/check-proof
CC=${CC:-cc}

for tool in gappa coqc coqchk; do
    command -v $tool >/dev/null 2>&1 || { echo "check-proof: skipped, no $tool"; exit 77; }
done
[[ -d $(coqc -where)/user-contrib/Flocq ]] || { echo "check-proof: skipped, Coq has no Flocq"; exit 77; }

fail()
{
    echo "check-proof: FAILED: $*"
    exit 1
}

rm -rf "$dir"
mkdir -p "$dir" && cd "$dir" || exit 1

# What a program does not call is left out, so that plan_bound.c needs no library.
# shellcheck disable=SC2086
$CC -std=gnu11 -O2 -w -DNDEBUG -ffp-contract=off -ffunction-sections -fdata-sections -I"$src/lib" -I"$src/proof" \
    "$src"/proof/*.c "$src/lib/prime/prime_table.c" -Wl,--gc-sections -o kernels -lm || fail "kernels.c does not compile"
./kernels || fail "a pass is not made as the proofs take it to be"

scripts=(*.g)
prove()
{
    # a hint that is not an identity is a warning to Gappa
    gappa -Eprecision=160 "$1" >"$1.log" 2>&1 && ! grep -q "not trivially equal" "$1.log" && return
    echo "check-proof: FAILED: Gappa does not prove $1"
    tail -n 3 "$1.log"
    return 1
}
export -f prove
printf '%s\n' "${scripts[@]}" | xargs -P "$(nproc)" -I {} bash -c 'prove "$1"' prove {} || exit 1
echo "check-proof: Gappa proved ${#scripts[@]} scripts"

theory=(complex convolution traced steps level layers traced_pairs pairs angles roots)
cp "$src"/proof/*.v . || exit 1
! grep -nwE 'Admitted|admit|Axiom|Parameter|Conjecture|Unset' ./*.v || fail "a proof is left open"
for file in "${theory[@]}"; do
    coqc "$file.v" >"$file.log" 2>&1 || { tail -n 20 "$file.log"; fail "Coq does not accept $file.v"; }
done

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

coqchk -silent -o "${theory[@]}" >coqchk.log 2>&1 || { tail -n 20 coqchk.log; fail "coqchk"; }
count=$(cat "${theory[@]/%/.v}" | grep -cE '^(Theorem|Lemma)')
echo "check-proof: Coq proved $count theorems and lemmas; coqchk accepts them"
