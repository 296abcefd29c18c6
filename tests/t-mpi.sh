#!/usr/bin/env bash
# t-mpi.sh - products and convolutions over 1 to 7 ranks of MPI, errors of one rank, a rank that is killed, and bigmul-mpi.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
builddir=$(cd "${BUILDDIR:-build}" && pwd)
srcdir=${SRCDIR:-$(dirname "$0")/..}
program=$builddir/tests/mpi_products
if [[ ! -x $program || ! -x $builddir/bigmul-mpi ]]; then
    echo "a build without MPI: skipped"
    exit 77
fi
mpirun=${MPIRUN:-$(sed -n 's/^MPIRUN = //p' "$builddir/Makefile")}
if ! command -v "${mpirun:-none}" >/dev/null 2>&1; then
    echo "no mpirun: skipped"
    exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# Open MPI: as root, more ranks than processors, no shells on other machines, no reads of other processes' memory.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_plm=isolated
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=self,vader OMPI_MCA_mpi_yield_when_idle=1
export TMPDIR=$dir
unset DISPLAY
# on RANKS PROGRAM ARGUMENT... - run it.  What hangs is ended.
on()
{
    local ranks=$1
    shift
    timeout -k 5 1000 "$mpirun" -n "$ranks" "$@" </dev/null
}
if ! on 1 true >"$dir/log" 2>&1; then
    tail -n 5 "$dir/log"
    echo "mpirun does not run programs here: skipped"
    exit 77
fi
seed=${GFMUL_TEST_SEED:-$((RANDOM * 32768 + RANDOM))}
echo "GFMUL_TEST_SEED=$seed, $mpirun"
failures=0
failed()
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

long=${GFMUL_TEST_LONG:-0}
longer=$((long > 1 ? 200 : 30))
for ranks in 1 2 3 4 7; do
    on "$ranks" "$program" all "$seed" || failed "$ranks ranks, seed $seed"
    ((long == 0)) || on "$ranks" "$program" products "$seed" "$longer" 1000000 || failed "long products, $ranks ranks, seed $seed"
done

# A rank that is killed ends the others.
status=0
timeout 300 "$mpirun" -n 3 "$program" killed "$seed" </dev/null >"$dir/log" 2>&1 || status=$?
((status != 0 && status != 124)) || failed "a rank was killed, and mpirun ends with $status"

# bigmul-mpi: numbers of both signs and of other bases, zero, a square, files that are wrong.
number() { # DIGITS
    LC_ALL=C awk -v n="$1" -v seed="$seed" 'BEGIN { srand(seed + n); printf "%d", 1 + int(rand() * 9)
        for (i = 1; i < n; i++) printf "%d", int(rand() * 10); print "" }'
}
number 3000 >"$dir/a"
number 777 >"$dir/b"
printf -- '-0x%s\n' 1234567890abcdef1234567890abcdef1234 >"$dir/hex"
echo 0 >"$dir/zero"
# product RANKS OPTION... - the same as bigmul.
product()
{
    local ranks=$1
    shift
    "$BIGMUL" "$@" >"$dir/want"
    rm -f "$dir/z"
    on "$ranks" "$builddir/bigmul-mpi" --stats -o "$dir/z" "$@" 2>"$dir/stats" || failed "bigmul-mpi $* with $ranks ranks"
    cmp "$dir/z" "$dir/want" || failed "bigmul-mpi $* with $ranks ranks is not bigmul's"
}
# way CONVERTED - whether rank 0 has converted the text in the last run.
way()
{
    grep -qx "converted: $1" "$dir/stats" || failed "converted is not $1: $(cat "$dir/stats")"
}
product 1 "$dir/a" "$dir/b"
way 0
number 1000000 >"$dir/long"
{ printf ' \n-000'; number 300007; echo '  '; } >"$dir/minus"
for ranks in 2 3; do
    product "$ranks" "$dir/long" "$dir/minus"
    way 0
    product "$ranks" "$dir/minus" "$dir/minus"
    way 0
done
printf -- '+000007' >"$dir/seven"
product 4 "$dir/seven" "$dir/b"
way 0
product 4 "$dir/seven" "$dir/seven"
way 0
printf '1%04000d' 0 >"$dir/power"
product 4 "$dir/power" "$dir/power"
way 0
for base in 2 3 16 36; do
    "$BIGMUL" --output-base="$base" "$dir/a" "$dir/seven" >"$dir/of_base"
    product 3 --base="$base" "$dir/of_base" "$dir/of_base"
    way 0
done
# Binary numbers go through rank 0.
"$BIGMUL" --output-format=binary "$dir/minus" "$dir/a" >"$dir/a.bin"
"$BIGMUL" --output-format=binary "$dir/zero" "$dir/a" >"$dir/zero.bin"
for operands in 'a.bin a.bin' 'a.bin minus' 'hex a.bin' 'zero.bin a.bin' 'a.bin a.bin --output-base=16'; do
    read -r first second option <<<"$operands"
    product 3 ${option:+"$option"} "$dir/$first" "$dir/$second"
    way 1
done
product 2 --output-format=binary "$dir/a" "$dir/b"
way 1
head -c 100 "$dir/a.bin" >"$dir/cut.bin"
got=0
on 2 "$builddir/bigmul-mpi" -o "$dir/z-cut" "$dir/cut.bin" "$dir/b" 2>"$dir/log" || got=$?
[[ $got == 1 && ! -e $dir/z-cut ]] && grep -q 'cut.bin: cut off' "$dir/log" || failed "a binary number that is cut off: $got"
# Texts at the edge of the grammar: the same status and product as bigmul's.
while read -r base text; do
    printf '%b' "$text" >"$dir/edge"
    want=0 got=0
    echo none >"$dir/z"
    echo none >"$dir/want"
    "$BIGMUL" --base="$base" -o "$dir/want" "$dir/edge" "$dir/seven" 2>/dev/null || want=$?
    on 2 "$builddir/bigmul-mpi" --base="$base" -o "$dir/z" "$dir/edge" "$dir/seven" 2>/dev/null || got=$?
    [[ $got == "$want" ]] && cmp "$dir/z" "$dir/want" || failed "bigmul-mpi of '$text' in base $base: $got, bigmul $want"
done <<'EOF'
auto - 5
auto --5
auto 0x
auto -0X1F
16 -0X1F
auto 1F
16 +1F
auto x1f
16 0b1
auto 00x1
auto \n\t12\n\n
auto 12 13
auto 12_
auto 12\0
auto 12-
EOF
ln -s z "$dir/z-link"
"$BIGMUL" "$dir/long" "$dir/b" >"$dir/want"
on 3 "$builddir/bigmul-mpi" -o "$dir/z-link" "$dir/long" "$dir/b" || failed "a link to the product's file"
[[ -L $dir/z-link ]] && cmp "$dir/z" "$dir/want" || failed "a link to the product's file"
# In base 16 these are digits, and no prefix of base 2.
echo 0b1 >"$dir/digits"
product 2 --base=16 "$dir/digits" "$dir/digits"
way 0
# Names without a folder, of one character.
"$BIGMUL" "$dir/a" "$dir/b" >"$dir/want"
(cd "$dir" && on 2 "$builddir/bigmul-mpi" --stats -o z a b 2>stats) || failed "names of one character"
way 0
cmp "$dir/z" "$dir/want" || failed "names of one character"
# Files that are not plain: blanks among digits, two bases, a colon in a name, a pipe, standard output.
printf '12_345 678\n' >"$dir/blanks"
product 3 "$dir/long" "$dir/blanks"
way 1
product 2 "$dir/hex" "$dir/seven"
way 1
cp "$dir/seven" "$dir/ufs:seven"
product 2 "$dir/ufs:seven" "$dir/a"
way 1
"$BIGMUL" "$dir/long" "$dir/seven" >"$dir/want"
on 3 "$builddir/bigmul-mpi" "$dir/long" "$dir/seven" >"$dir/z" || failed "bigmul-mpi to standard output"
cmp "$dir/z" "$dir/want" || failed "bigmul-mpi to standard output"
product 3 --output-base=16 "$dir/a" "$dir/hex"
product 2 "$dir/hex" "$dir/hex"
product 4 "$dir/zero" "$dir/hex"
product 2 --base=16 "$dir/b" "$dir/a"
[[ $(on 2 "$builddir/bigmul-mpi" "$dir/b" "$dir/zero") == 0 ]] || failed "bigmul-mpi writes to standard output"
echo 12x4 >"$dir/wrong"
echo old >"$dir/z"
# wrong STATUS ARGUMENT... - it ends with this status, and the output stays as it was.
wrong()
{
    local want=$1 got=0
    shift
    on 3 "$builddir/bigmul-mpi" "$@" >"$dir/log" 2>&1 || got=$?
    [[ $got == "$want" ]] || failed "bigmul-mpi $* ends with $got, not $want: $(head -n 3 "$dir/log")"
    [[ $(cat "$dir/z") == old ]] || failed "bigmul-mpi $* has written"
}
wrong 1 -o "$dir/z" "$dir/a" "$dir/wrong"
grep -q 'bigmul-mpi: .*wrong' "$dir/log" || failed "no message about a wrong file: $(cat "$dir/log")"
{ cat "$dir/long" && echo 1; } | tr '\n' x >"$dir/wrong"
wrong 1 -o "$dir/z" "$dir/wrong" "$dir/a"
grep -q 'bigmul-mpi: .*wrong:1:1000001: ' "$dir/log" || failed "no message about a wrong character: $(cat "$dir/log")"
wrong 1 -o "$dir/z" "$dir/a" "$dir/none"
wrong 2 -o "$dir/z" "$dir/a"
wrong 2 -o "$dir/z" --threads=0x "$dir/a" "$dir/b"
[[ $(on 1 "$builddir/bigmul-mpi" --version) == "$("$BIGMUL" --version | head -n 1 | sed 's/^bigmul/bigmul-mpi/')" ]] ||
    failed "bigmul-mpi --version"

# One of its ranks is killed while rank 0 reads: the output is the old one, and nothing stands beside it.
mkdir "$dir/out"
echo old >"$dir/out/z"
mkfifo "$dir/pipe"
sleep 400 >"$dir/pipe" &
sleeper=$!
# shellcheck disable=SC2016 # for the inner shell
timeout -k 5 300 "$mpirun" -n 3 bash -c 'echo "$$" >"$1/pid.$$"; exec "$2" -o "$1/out/z" "$1/a" "$1/pipe"' bash \
    "$dir" "$builddir/bigmul-mpi" </dev/null >"$dir/log" 2>&1 &
running=$!
for ((i = 0; i < 1200; i++)); do
    pids=("$dir"/pid.*)
    ((${#pids[@]} < 3)) || break
    sleep 0.1
done
sleep 1
kill -KILL "${pids[1]##*.}" || failed "no rank to kill"
status=0
wait "$running" || status=$?
kill "$sleeper" 2>/dev/null || true
((status != 0 && status != 124)) || failed "a rank of bigmul-mpi was killed, and it ends with $status"
[[ $(cat "$dir/out/z") == old && $(ls -A "$dir/out") == z ]] || failed "a killed bigmul-mpi has written: $(ls -A "$dir/out")"

echo "$failures failures"
((failures == 0))
