#!/usr/bin/env bash
# t-bigmul_binary.sh - numbers in the binary format: bigmul and bigcalc read and write them, in memory and with --scratch.
# SPDX-License-Identifier: LGPL-3.0-or-later
. "$(dirname "$0")/bigmul_test.sh"
bigcalc=${BIGMUL%bigmul}bigcalc

# calc ARGUMENT... - as run 0, of bigcalc.
calc()
{
    n_checks=$((n_checks + 1))
    "$bigcalc" "$@" >out 2>err </dev/null || fail "bigcalc $*: status $?, $(head -c 300 err)"
}

# The number of doc/binary.md, byte by byte.
number='\x89GFM\r\n\x1a\n\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0'
number+='\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x3d\x11\xa2\x30\xfb\x86\x08\0'
number+='\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\0\0\0\0\0\0\x81\xfe\xad\x0e\xda\x0c\x07\0'
file example "$number"
file one 1
file text -47390263963055590408705
prints -a090807060504030201 -B 16 one example
prints -47390263963055590408705 --output-format=text one example
prints -47390263963055590408705 --output-format text example one
prints -47390263963055590408705 one example
calc example --output-format=text
check "bigcalc reads it" test "$(cat out)" = -47390263963055590408705
writes --output-format=binary text one -o made
check "bigmul writes it" cmp -s example made
calc -o made text --output-format=binary
check "bigcalc writes it" cmp -s example made
calc -o made -- '-(-example)'
check "bigcalc writes binary if all files are binary" cmp -s example made
"$BIGMUL" - one --output-format=binary <example >made || fail "status $?"
check "through pipes" cmp -s example made
"$BIGMUL" one - < <(cat example) >made || fail "status $?"
check "a pipe times text is text" test "$(cat made)" = -47390263963055590408705

# Products of all kinds against each other.
random_digits 30000 10 1 >x
{ printf -- -; random_digits 20000 10 2; } >y
random_digits 9000 16 3 >h
calc -b 16 -B 10 -o h10 h
for f in x y; do
    calc -o $f.bin $f --output-format=binary
done
calc -b 16 -o h.bin h --output-format=binary
run 0 x y -o want
run 0 x h10 -o want_h
run 0 --square x -o want_square
mkdir one_folder two
writes --output-format=binary x y -o product.bin
calc -o back product.bin --output-format=text
check "a binary product" cmp -s want back
for operands in 'x.bin y.bin' 'x y.bin' 'x.bin y'; do
    # shellcheck disable=SC2086
    writes $operands --output-base 10 -o got
    check "$operands, as text" cmp -s want got
    # shellcheck disable=SC2086
    writes $operands --output-format=binary -o got
    check "$operands, binary" cmp -s product.bin got
done
writes x.bin y.bin -o got
check "binary by itself" cmp -s product.bin got
writes --square x.bin --output-format=text -o got
check "a square" cmp -s want_square got
writes x h.bin -o got
check "a number that was hexadecimal" cmp -s want_h got
calc 'x.bin*y.bin - z' -n z=product.bin --output-format=text
check "bigcalc's product" test "$(cat out)" = 0
calc -o zero.bin 'x.bin - x.bin'
check "zero has its head alone" test "$(wc -c <zero.bin)" = 64
prints 0 zero.bin x -B 10
writes --memory 40M x.bin y.bin -o got
check "with --memory" cmp -s product.bin got
refuses 3 '--memory=60K: the operands have * bytes*' --memory 60K x.bin y.bin
run 0 --plan x.bin y
check "--plan" grep -q '^engine: ' out
run 0 --stats x.bin y.bin -B 16
check "--stats has bases" grep -qx 'bases: 0 0 16' err
run 0 --stats x y.bin -B 10
check "--stats counts conversions" awk '$1 == "parse_ms:" { parse = $2 } $1 == "print_ms:" { print_ms = $2 }
    $1 == "total_ms:" { total = $2 } END { exit !(parse > 0 && print_ms > 0 && total >= parse + print_ms - 0.002) }' err

# By files: the same bytes.
for memory in 100K 400K 64M; do
    writes --scratch one_folder,two --memory $memory x.bin y.bin -o got
    check "x.bin y.bin with $memory" cmp -s product.bin got
done
run 0 --scratch one_folder x.bin y.bin
check "on standard output" cmp -s product.bin out
writes --scratch one_folder zero.bin x.bin -o got
check "zero by files" cmp -s zero.bin got
calc -o square.bin 'x.bin*x.bin'
writes --scratch one_folder --square x.bin -o got
check "a square by files" cmp -s square.bin got
run 0 --scratch one_folder --plan x.bin y.bin
check "--plan counts bytes" grep -qx 'a_limb_bytes: 12464' out
run 0 --scratch one_folder --memory 100K --stats x.bin y.bin -o got
value() { sed -n "s/^$1: //p" err; }
check "the bytes read are those stated" test "$(value read_bytes)" = "$(value to_read_bytes)"
check "the bytes written are those stated" test "$(value written_bytes)" = "$(value to_write_bytes)"

# Killed, and gone on.
random_digits 1000000 10 4 >long
calc -o long.bin long --output-format=binary
run 0 long.bin long.bin -o want_long
for delay in 0.02 0.08 0.2; do
    "$BIGMUL" --scratch one_folder,two --resume --memory 2M -t 1 long.bin long.bin -o resumed 2>/dev/null &
    pid=$!
    sleep $delay
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    run 0 --scratch one_folder,two --resume --memory 2M -t 1 long.bin long.bin -o resumed
    check "the product after a kill" cmp -s want_long resumed
    rm -f resumed .bigmul-"$pid"-*
done

# What is wrong is named, by all readers, and nothing is written.
patched() # NAME OFFSET BYTE - product.bin with another byte
{
    cp product.bin "$1"
    printf '%b' "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
bytes=$(wc -c <product.bin)
head -c $((bytes - 1)) product.bin >short.bin
{ cat product.bin; printf x; } >long_one.bin
head -c 20 product.bin >head.bin
patched limb.bin 3000 '\x55\xaa'
patched version.bin 8 '\x02'
patched length.bin 24 '\x01'
for scratch in '' '--scratch=one_folder'; do
    # shellcheck disable=SC2086
    {
        refuses 1 "short.bin: cut off: a number of * limbs has $bytes bytes, the file $((bytes - 1))" $scratch short.bin x.bin
        refuses 1 "long_one.bin: too long: *" $scratch x.bin long_one.bin
        refuses 1 'head.bin: the head of a binary number is cut off' $scratch head.bin x.bin
        refuses 1 'limb.bin: block 1 is damaged: bytes 64 to *' $scratch x.bin limb.bin
        refuses 1 'version.bin: version 2 of the binary format; version 1 is known' $scratch version.bin x.bin
        refuses 1 'length.bin: the head is damaged: its checksum is another one' $scratch -o none length.bin x.bin
    }
done
check "nothing is written" test ! -e none
refuses 1 'limb.bin: block 1 is damaged: *' limb.bin x
refuses 1 'limb.bin: block 1 is damaged: *' --plan limb.bin x
n_checks=$((n_checks + 1))
! "$bigcalc" limb.bin -o none >out 2>err && [[ $(cat err) == 'bigcalc: limb.bin: block 1 is damaged: '* && ! -e none ]] ||
    fail "bigcalc: $(cat err)"
refuses 1 '*one operand is text and the other one binary*' --scratch one_folder x.bin y
refuses 2 '--scratch converts nothing: the product of binary numbers is binary' --scratch one_folder -B 10 x.bin y.bin
refuses 2 '--scratch converts nothing: the product of binary numbers is binary' --scratch one_folder \
    --output-format=text x.bin y.bin
refuses 2 '--scratch converts nothing: the product of decimal numbers is text' --scratch one_folder --output-format=binary x y
refuses 2 '--output-base does not go with --output-format=binary' --output-format=binary -B 10 x y
refuses 2 "unknown format 'hex'; valid are: auto, text, binary" --output-format=hex x y
refuses 2 '--certificate does not go with binary numbers' --certificate c x.bin y.bin
check "no certificate" test ! -e c
# A text that begins with the first byte alone is no number.
file other '\x89GFM 12'
refuses 1 'other:1:1: *' other x
printf '\x89GFM 12' | "$BIGMUL" - x >out 2>err && fail "a pipe with another file"
# A pipe is read to the end that its head tells, and no further.
endless() # MESSAGE OPTION... - bigmul refuses what comes on standard input
{
    local message=$1 status=0
    shift
    n_checks=$((n_checks + 1))
    timeout 60 "$BIGMUL" "$@" - x >out 2>err || status=$?
    # shellcheck disable=SC2053
    [[ $status == 1 && $(cat err) == "bigmul: standard input"$message && ! -s out ]] || fail "status $status: $(cat err)"
}
{ cat x.bin; cat /dev/zero; } 2>/dev/null | endless ': too long: *'
{ head -c 8 x.bin; cat /dev/zero; } 2>/dev/null | endless ': version 0 of the binary format; version 1 is known'
{ printf '\x89GF'; sleep 0.2; yes 1; } 2>/dev/null | endless ':1:1: *'
{ printf '\x89GF'; sleep 0.2; yes 1; } 2>/dev/null | endless ':1:1: *' --lenient
# The head is looked at before there is memory for a number as long as its file.
if head -c 8 x.bin >huge && truncate -s 18G huge 2>/dev/null; then
    n_checks=$((n_checks + 1))
    ! "$bigcalc" huge >out 2>err && [[ $(cat err) == 'bigcalc: huge: version 0 of the binary format'* ]] ||
        fail "bigcalc: $(cat err)"
fi
rm -f huge
writes --lenient x.bin y.bin -o got
check "--lenient changes no binary number" cmp -s product.bin got
check "nothing is left" test -z "$(find one_folder two -mindepth 1)"
finish
