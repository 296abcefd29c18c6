#!/usr/bin/env bash
# t-bigmul_scratch.sh - bigmul --scratch: products through files, refusals, and ends by a signal.
# SPDX-License-Identifier: LGPL-3.0-or-later
. "$(dirname "$0")/bigmul_test.sh"

mkdir one two
file a '-123456789\n'
file b '987654321'

# Nothing is left in the scratch folders, and no temporary file beside the product.
check_tidy() # nothing is left behind
{
    n_checks=$((n_checks + 1))
    local left
    left=$(find one two -mindepth 1; find . -name '.bigmul*')
    [[ -z $left ]] || fail "left behind: $left"
}

prints -121932631112635269 --scratch one a b
prints 15241578750190521 --scratch=one,two --square a
writes --scratch one -o new a b
check "a product in a file" test "$(cat new)" = -121932631112635269
writes --scratch one -o a a a # the operand itself is replaced
check "the operand's square in its place" test "$(cat a)" = 15241578750190521
file a '-123456789\n'
check_tidy

# Long numbers with little memory, against the product in memory.
random_digits 300000 10 1 >x
random_digits 250000 10 2 >y
run 0 x y -o want
for memory in 700K 2M 64M; do
    writes --scratch one,two --memory $memory x y -o got
    check "x y with $memory" cmp -s want got
done
run 0 x x -o want_square
writes --scratch one --memory 700K -t 1 x x -o got
check "a square" cmp -s want_square got
run 0 --scratch one --memory 700K x y
check "on standard output" cmp -s want out
"$BIGMUL" --scratch one x y | cat >by_pipe
check "through a pipe" cmp -s want by_pipe
chmod 640 got
writes --scratch one x y -o got
check "the mode is kept" test "$(stat -c %a got)" = 640
check_tidy

# What it needs, before it begins; and what it moved.
run 0 --scratch one --memory 700K --plan x y
check "--plan says what is needed" grep -q '^needs_scratch_bytes: [0-9]*$' out
check "--plan says how many digits" grep -qx 'a_digits: 300000' out
run 0 --scratch one --memory 700K --stats x y -o got
value() { sed -n "s/^$1: //p" err; }
check "the bytes read are those stated" test "$(value read_bytes)" = "$(value to_read_bytes)"
check "the bytes written are those stated" test "$(value written_bytes)" = "$(value to_write_bytes)"
check "there are residues" test -n "$(value residues)"

# Refusals.
refuses 3 '*needs * bytes of memory*' --scratch one --memory 100K x y
refuses 1 'missing: cannot open: No such file or directory' --scratch missing x y
refuses 1 'a: cannot make files there: Not a directory' --scratch a x y
refuses 1 '*' --scratch one x absent
refuses 2 "bad list of folders 'one,'*" --scratch one, a b
refuses 2 "--scratch does not go with --lenient" --scratch one --lenient a b
refuses 2 "--scratch does not go with another base than 10" --scratch one -b 16 a b
refuses 2 "--scratch does not go with another engine than cpu" --scratch one --engine gmp a b
refuses 2 "--scratch does not go with --plan=all" --scratch one --plan=all a b
refuses 2 "--scratch does not go with --verify" --scratch one --verify none a b
file bad '123 456'
refuses 1 'bad:1:4: not a decimal digit' --scratch one a bad
refuses 1 'bad:1:4: not a decimal digit' --scratch one -o none bad a
file bad '\n \n -12x\n'
refuses 1 'bad:3:5: not a decimal digit' --scratch one bad a
file bad ' \n'
refuses 1 'bad:2:1: no digits' --scratch one bad a
check "no product of a bad operand" test ! -e none
refuses 1 '*not a regular file*' --scratch one - a
check_tidy

# A file that a killed program had just named to rename it: there is no more than a moment for that.
named=0
named_remove()
{
    local left
    for left in .bigmul-"$1"-*; do
        [[ ! -e $left ]] || { rm "$left"; named=$((named + 1)); }
    done
}

# Ends by a signal, in any moment: no product, the old file as it was, no scratch.
random_digits 1500000 10 3 >long
for delay in 0.05 0.2 0.5; do
    for signal in TERM KILL INT; do
        echo old >kept
        "$BIGMUL" --scratch one,two --memory 4M -t 1 long long -o kept 2>/dev/null &
        pid=$!
        sleep $delay
        kill -$signal $pid 2>/dev/null
        wait $pid 2>/dev/null
        [[ $signal != KILL ]] || named_remove $pid
        n_checks=$((n_checks + 1))
        [[ $(head -c 4 kept) == old || $(wc -c <kept) -ge 2999999 ]] || fail "after $signal: $(head -c 100 kept)"
        check_tidy
    done
done

# Killed, and gone on: the same product, and then no file is left.
run 0 long long -o want_long
for round in 1 2 3 4 5 6; do
    for delay in 0.0$((RANDOM % 10)) 0.$((1 + RANDOM % 4)); do
        "$BIGMUL" --scratch one,two --resume --memory 4M -t 1 long long -o resumed 2>/dev/null &
        pid=$!
        sleep "$delay"
        kill -KILL $pid 2>/dev/null
        wait $pid 2>/dev/null
        named_remove $pid
    done
    run 0 --scratch one,two --resume --memory 4M -t 1 long long -o resumed
    check "the product after two kills, round $round" cmp -s want_long resumed
    check_tidy
    rm -f resumed
done
check "files that were just named, of 15 kills" test $named -le 7
refuses 2 "--resume needs --scratch" --resume a b
finish
