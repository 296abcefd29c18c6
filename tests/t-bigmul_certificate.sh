#!/usr/bin/env bash
# t-bigmul_certificate.sh - certificates of products: accepted, and refused where anything is altered.
# SPDX-License-Identifier: LGPL-3.0-or-later
here=$(cd "$(dirname "$0")" && pwd)
. "$here/bigmul_test.sh"

command -v python3 >/dev/null || {
    echo "no python3"
    exit 77
}
checker=$here/../tools/gfmul-check-certificate.py
tiers=(40 600 10000) # some 17 forged products each
n_products=${tiers[${GFMUL_TEST_LONG:-0}]}
seed=${GFMUL_TEST_SEED:-$(date +%s)}
RANDOM=$seed
echo "GFMUL_TEST_SEED=$seed, $n_products products"

# accepted TEXT FILE... - what the checker prints begins with TEXT.
accepted()
{
    local want=$1
    shift
    n_checks=$((n_checks + 1))
    python3 "$checker" "$@" >said 2>&1 && [[ $(<said) == "$want"* ]] || fail "$*: $(<said), should be $want"
}

refused()
{
    local want=$1
    shift
    n_checks=$((n_checks + 1))
    ! python3 "$checker" "$@" >said 2>&1 && [[ $(<said) == "not proved: "*"$want"* ]] ||
        fail "$*: $(<said), should speak of '$want'"
}

# A product, another one, and files in another order or form.
random_digits 40000 10 1 >a
random_digits 25000 10 2 >b
run 0 --certificate c -o z a b
accepted "proved: the product is right" c a b z
accepted proved c b a z
refused "the product is wrong" c a b a
refused "a is no certificate" a a b z
refused "the product is wrong" c a a z
run 0 --certificate c2 -o z2 a a
refused "operands are others" c a a z2
refused "the product is wrong" c2 a z z2
refused "operands are others" c2 a b z
accepted proved c2 a a z2
sed 's/^/-/' z >zm
refused "its sign is" c a b zm
tr 0123456789 1234567890 <z >zw
refused "the product is wrong" c a b zw
file h ' -0x1B69_B4BA CD05F15\n'
run 0 --certificate ch -o zh h h
accepted proved ch h h zh
run 0 --rule=checked --certificate c3 -o z3 a b
accepted "probable: the product is right" c3 a b z3
# Operands with a piece less than numbers of so many limbs may have.
{ printf '0x1'; random_digits 7935 16 3; } >p
run 0 --rule=knuth --precision=dd --certificate cp -o zp p p
accepted proved cp p p zp
echo 0 >zero
run 0 --certificate c0 -o z0 a zero
accepted "proved: an operand is zero" c0 a zero z0
accepted "proved: an operand is zero" c0 zero a z0
refused "the product is wrong" c0 a zero z
refused "the product is wrong" c0 a b z0
refused "not zero" c0 a b z
file minus_zero ' -0_0\n'
accepted proved c0 a zero minus_zero
sed 's/^\(.........\)/ +\1_  /' z >z_blank
accepted proved c a b z_blank

# The command line: one line whatever comes.
refused "missing: No such file" missing a b z
refused "missing: No such file" c a missing z
refused "Is a directory" c a b .
refused "Is a directory" . a b z
for text in '' ' ' - + -- '- 1' _1 1_ 0x 0x0x1 '1 2x' 1- 1. '\xff' '1\0'; do
    file bad "$text"
    refused "bad " c a b bad
    refused "bad " c bad b z
    refused "bad " c0 a zero bad
    run 1 bad zero # bigmul reads no number, too
done
accepted proved --base 16 ch h h zh
accepted proved --bases auto 16 16 ch h h zh
refused "zh is not a number of base 10" --bases 16 16 10 ch h h zh
for wrong in '' c 'c a b' 'c a b z z' '--base 1 c a b z' '--base 37 c a b z' '--bases 10 10 c a b z' '--bas 10 c a b z'; do
    n_checks=$((n_checks + 1))
    status=0
    # shellcheck disable=SC2086
    python3 "$checker" $wrong >said 2>&1 || status=$?
    [[ $status == 2 && $(<said) == usage:* ]] || fail "the checker with '$wrong': status $status, $(<said)"
done

# Its grammar is bigmul's, and so are the values that it reads.
n_checks=$((n_checks + 1))
cat >grammar.py <<'END'
import importlib.util, random, subprocess, sys

checker_file, bigmul, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
spec = importlib.util.spec_from_file_location("checker", checker_file)
checker = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(checker)
random.seed(seed)
good = 0
for i in range(count):
    parts = ["", "", " ", "\n", "\v", "+", "-", "0x", "0b", "0O", "_", "0", "1", "7", "9", "a", "f", "Z", "_", ".", "0X0", "12"]
    text = "".join(random.choice(parts + ["\xa0"]) for _ in range(random.randint(0, 6))).encode("latin-1")
    base = random.choice((0, 0, 10, 16, 2, 8, 36, 25))
    for name, content in (("text", text), ("one", b"1")):
        with open(name, "wb") as f:
            f.write(content)
    ran = subprocess.run([bigmul, "-b", str(base or "auto"), "-B", "10", "text", "one"], capture_output=True)
    modulus = (1 << 127) - 1
    try:
        number = checker.Number("text", base, modulus)
        value = number.sign * number.residue
    except checker.Refused:
        value = None
    want = int(ran.stdout) if ran.returncode == 0 else None
    if want != value:
        sys.exit("%r of base %d: bigmul reads %s, the checker %s" % (text, base, want, value))
    good += want is not None
print("%d texts, %d of them numbers" % (count, good))
if good < count // 20:
    sys.exit("hardly any of them was a number")
END
python3 grammar.py "$checker" "$BIGMUL" $RANDOM $((n_products * 4)) || fail "the grammars differ"

# What is not done leaves no certificate, and no part of one; a certificate needs a file of its own.
rm -f none
run 1 --certificate none -o z9 a missing
run 3 --certificate none --threads=1 --engine=fftw --precision=dd -o z9 a b
run 2 --certificate none --engine=gmp a b
run 2 --certificate none --plan a b
run 2 --certificate z9 -o z9 a b
run 2 --certificate - a b
run 1 --certificate none/none -o z9 a b
mkdir folder
run 1 --certificate folder -o z9 a b
check "no certificate was left" test ! -e none -a ! -e z9
check "nothing half-written was left" test -z "$(find . -name '.bigmul*')"

# Random products by all rules, fields, packings, instruction sets and ways to cut them.
pick()
{
    local -a from=("$@")
    echo "${from[RANDOM % ${#from[@]}]}"
}
engines=(cpu cpu cpu cpu cpu cpu)
"$BIGMUL" --engine=fftw --plan a b >out 2>err && engines+=(fftw)
# A program for a device takes seconds to compile: in short runs its products are in t-bigmul_device.sh.
export GFMUL_CACHE_DIR=${GFMUL_TEST_CACHE:-$tmp/cache}
((n_products < 1000)) || ! "$BIGMUL" --engine=opencl --plan a b >out 2>err || engines+=(opencl)
[[ -z ${GFMUL_TEST_OCL-} || n_products -lt 1000 || ${engines[*]} == *opencl* ]] || fail "no OpenCL device: $(<err)"
mkdir many
for ((i = 0; i < n_products; i++)); do
    size=$((i % 2 ? 3000 + RANDOM : 1 + RANDOM % 10 ** (1 + RANDOM % 4)))
    other=$((RANDOM % 3 ? size : 1 + RANDOM % 3000))
    base=$(pick 10 10 10 16 16 3 36)
    rule=$(pick norm norm norm knuth checked)
    precision=$(pick auto auto auto double dd prime)
    packing=$(pick auto auto auto two-for-one one-for-half)
    engine=$(pick "${engines[@]}")
    # a device needs programs for each length
    [[ $engine == opencl ]] && size=$(($(pick 3000 20000 30000) - RANDOM % 500)) other=$((RANDOM % 3 ? size : 1 + RANDOM % 3000))
    [[ $rule == checked && $precision == dd ]] && precision=auto
    [[ $precision == prime ]] && rule=norm
    [[ $precision == dd || $precision == prime || $rule == knuth ]] && packing=auto
    [[ $engine == fftw ]] && precision=auto packing=auto rule=norm
    [[ $engine == opencl ]] && precision=$(pick auto double dd) packing=auto rule=$(pick norm checked)
    [[ $precision == dd && $engine == opencl ]] && rule=norm
    adaptive=$(pick "" --adaptive)
    [[ $rule == knuth && $precision == double ]] && precision=auto
    # halves would hold these coefficients, and not the longer operand
    ((i > 0)) || { size=40000 other=300 base=16 engine=cpu rule=norm precision=prime packing=auto; }
    random_digits $size $base $RANDOM >many/$i.a
    random_digits $other $base $RANDOM >many/$i.b
    ((i == 0 || RANDOM % 4)) || cp many/$i.a many/$i.b
    export GFMUL_DISABLE
    GFMUL_DISABLE=$(pick "" "" avx512 avx512,avx2 avx512,avx2,sse2,neon)
    run 0 --engine=$engine --rule=$rule $adaptive --precision=$precision --packing=$packing --threads="$(pick 1 2 3)" -b $base \
        --verify="$(pick mod gmp none)" --certificate many/$i.c -o many/$i.z many/$i.a many/$i.b
    echo "$base $engine $rule $precision" >many/$i.asked
done
unset GFMUL_DISABLE
check "certificates are accepted, and refused when altered" \
    python3 "$here/certificates_alter.py" "$checker" many $n_products $RANDOM
finish
