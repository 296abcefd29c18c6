#!/usr/bin/env bash
# t-bigcalc.sh - expressions over files: values against Python's, what is refused and where, options, output.
# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck disable=SC2016
BIGMUL=${BIGMUL:-./bigmul}
BIGMUL=${BIGMUL%bigmul}bigcalc
. "$(dirname "$0")/bigmul_test.sh"

file a 7
file b 5
file c -12
file z 0
file h 0xff
mkdir dir
file 'dir/a b.txt' 1000
file a.txt 42
file _x9 9

# Operators, their order, and signs as in Python.
prints 12 'a + b'
prints 2 'a-b'
prints 35 'a*b'
prints 1 'a//b'
prints 2 'a % b'
prints -2 -- '-a // b'
prints 3 -- '-a % b'
prints -2 'a // -b'
prints -3 'a % -b'
prints 1 -- '-a // -b'
prints -2 -- '-a % -b'
prints -3 'c // 4 * 1'
prints 0 'c % 4'
prints 16807 'a^b'
prints -49 -- '-a^2'
prints 49 '(-a)^2'
prints 2417851639229258349412352 '2^3^4'
prints 0 'z^5'
prints 1 'z^z'
prints 1 '(-1)^100000000000000000000000000000'
prints -1 '(-1)^100000000000000000000000000001'
prints 1 '1^100000000000000000000000000000'
prints 0 '0^100000000000000000000000000000'
prints -8 '(-2)^3'
prints 144 '(-12)^2'
prints 17 'a + b * 2'
prints 24 '(a + b) * 2'
prints 0 'a - b - 2'
prints 4 'a - (b - 2)'
prints 3 'a + - b - - 1'
prints 6 'a * b // b - 1'
prints 2 'isqrt(a)'
prints 3 'isqrt(a + 2)'
prints 0 'isqrt(z)'
prints 4 'powmod(a, 2, b)'
prints 3 'powmod(a, -1, b)'
prints 2 'powmod(-a, 3, -b)'
prints 0 'powmod(a, b, 1)'
prints 4 'gcd(c, 8)'
prints 0 'gcd(z, 0)'
prints 60 'a*b + b*b'
prints 74 'a^2 + b^2'
prints 24 'a^2 - b^2'
prints 49 'a*a'
prints -84 'a*c'
prints 0 'a*b - b*a'
prints 8 $'a\n+\t1'

# Names, paths, literals.
prints 1007 "a + 'dir/a b.txt'"
prints 1007 'a + "dir/a b.txt"'
prints 42 a.txt
prints 51 'a.txt+_x9'
prints 12 -n x=a --name y1=./b 'x + y1'
prints 1000 -n 'big=dir/a b.txt' big
prints 7 -n isqrt=a isqrt
prints 1234567 1_234_567
prints 300 '0x12c'
prints 8 '0o10'
prints 5 '0b101'
prints 300 -b 16 '300'
prints 0 '000'

# Bases.
prints ff h
prints 1fe 'h + h'
prints 510 -B 10 'h*2'
prints 262 'a + h'
file e ZZ
prints 1296 -b 36 -B 10 'e + 1'
prints zz -b 36 e
n_checks=$((n_checks + 1))
echo 123 | "$BIGMUL" '"-" + 1' >out 2>err
[[ $(<out) == 124 && ! -s err ]] || fail "standard input: $(<out) $(<err)"

# Files that other programs have written.
file p '3.14\n15\n'
prints 31416 --lenient 'p + 1'
refuses 1 "p:1:2: *'.'*; --lenient drops a point" p

# Wrong expressions, with the column.
refuses 2 'missing expression'
refuses 2 "extra operand 'b'; *" a b
refuses 2 'expression:1: the end instead of an operand' ''
refuses 2 'expression:4: the end instead of an operand' 'a +'
refuses 2 "expression:5: '\*' instead of an operand" 'a + * b'
refuses 2 "expression:3: 'b' instead of an operator" 'a b'
refuses 2 "expression:3: '\*\*': a power is a^b" 'a ** b'
refuses 2 "expression:3: '/': a quotient is a // b; *" 'a / b'
refuses 2 "expression:1: '/' instead of an operand; a path * needs quotes" '/tmp/a'
refuses 2 "expression:1: '.' instead of an operand; *" '.5'
refuses 2 "expression:2: 'x' in a number" '1x'
refuses 2 "expression:2: '.' in a number" '1.5'
refuses 2 "expression:3: a number without digits" '0x'
refuses 2 "expression:5: '2' in a number" '0b1020'
refuses 2 "expression:1: '(' without ')'" '(a + b'
refuses 2 "expression:6: ')' instead of an operator" 'a + b)'
refuses 2 "expression:4: 'b' instead of ')' or an operator" '(a b)'
refuses 2 "expression:1: no function 'sqrt'; *" 'sqrt(a)'
refuses 2 "expression:8: isqrt takes 1 argument" 'isqrt(a, b)'
refuses 2 "expression:12: powmod takes 3 arguments" 'powmod(a, b)'
refuses 2 "expression:7: ')' instead of an operand" 'isqrt()'
refuses 2 'expression:1: the quote has no end' '"a'
refuses 2 'expression:5: the path is empty' 'a + ""'
refuses 2 "expression:3: '?' instead of an operator" 'a ? b'
refuses 2 "expression:8: '?' instead of an operator" $'\xc3\xa4\xc3\xb6 + a ? b'
refuses 2 'expression:1001: nested more than 1000 times' "$(printf '%02000d' 0 | tr 0 '(')"
refuses 2 'expression:1001: nested more than 1000 times' -- "$(printf '%02000d' 0 | tr 0 '-')1"

# No value.
refuses 1 'expression:3: division by zero' 'a // z'
refuses 1 'expression:3: division by zero' 'a % (b - 5)'
refuses 1 'expression:1: isqrt of a negative number' 'isqrt(c)'
refuses 1 'expression:2: a negative exponent' 'a^-1'
refuses 1 'expression:1: powmod modulo zero' 'powmod(a, b, z)'
refuses 1 'expression:1: powmod: the base has no inverse, *' 'powmod(6, -1, 4)'
refuses 3 'expression:2: ^: *' 'a^100000000000000000000'
refuses 3 'expression:2: ^: *' '2^100000000000000000000'

# Wrong files.
refuses 1 'no: No such file or directory' 'a + no'
refuses 1 'dir: Is a directory' dir
file x1 12x
refuses 1 "x1:1:3: *'x'*" 'a * x1'
file x2 ''
refuses 1 'x2:1:1: *' 'a * x2'
n_checks=$((n_checks + 1))
yes | "$BIGMUL" '"-" + 1' >out 2>err && fail "a stream of other things"
[[ $(<err) == "bigcalc: standard input:1:1: "*"'y'"* ]] || fail "a stream of other things: $(<err)"
mkfifo fifo
n_checks=$((n_checks + 1))
echo 3 >fifo &
"$BIGMUL" 'fifo + "./fifo"' >out 2>err && fail "one pipe under two names"
[[ $(<err) == 'bigcalc: fifo and ./fifo are one pipe' ]] || fail "one pipe under two names: $(<err)"
wait

# Options.
refuses 2 "bad value of --name 'a'; *" -n a a
refuses 2 "bad value of --name '1=a'; *" -n 1=a a
refuses 2 "bad value of --name 'x='; *" -n x= a
refuses 2 "--name=x=b: the name 'x' has a file already" -n x=a -n x=b x
refuses 2 "the expression has no 'y' for --name=y=b" -n y=b a
refuses 2 "unknown base '1'; *" -b 1 a
refuses 2 "unknown output base '37'; *" -B 37 a
refuses 2 "bad number of threads '0'; *" -t 0 a
refuses 2 "unknown check 'x'; *" --verify x a
refuses 2 "unknown form of --stats 'x'; *" --stats=x a
prints 35 -t 2 --verify gmp 'a*b'
prints 35 --verify mod:3 --progress never 'a*b'
run 0 --help
check "help" grep -q '^Usage: bigcalc' out
run 0 --version
check "version" grep -q '^bigcalc (gfmul) ' out
run 0 --stats 'a*b + isqrt(a)'
check "stats" grep -qx 'file: a, 1 bytes, base 10, 1 limbs' err
check "stats" grep -q '^step: 5, sum, 1 limbs, [0-9.]* ms$' err
check "stats" grep -q '^peak_memory_bytes: [1-9]' err
printf 5 >$'od\nd'
run 0 --stats -n "x="$'od\nd' 'x*x'
check "stats of an odd name" grep -qx 'file: od\\nd, 1 bytes, base 10, 1 limbs' err
rm $'od\nd'
run 0 --stats=json 'a*b'
if have python3; then
    check "JSON" python3 -c 'import json; x = json.load(open("err")); assert x["steps"][0]["operation"] == "*", x' </dev/null
fi

# Output: whole or not at all.
writes 'a*b + 1' -o out.txt
check "output" grep -qx 36 out.txt
writes 'a' -o a
check "output to an operand" grep -qx 7 a
refuses 1 'expression:3: division by zero' 'a // z' -o out.txt
check "the old file stays" grep -qx 36 out.txt
refuses 1 "x1:1:3: *" 'x1' -o new.txt
[[ ! -e new.txt ]] || fail "a failure has written a file"
refuses 1 'no/such/out: *' a -o no/such/out
[[ -c /dev/full ]] && {
    n_checks=$((n_checks + 1))
    got=0
    "$BIGMUL" 'a' >/dev/full 2>err || got=$?
    [[ $got == 1 && $(<err) == "bigcalc: standard output: "* ]] || fail "a full device: $got, $(<err)"
}

# Long numbers, whose sums of products are made in a space: a b + a c by its one transform of a.
have python3 || finish
seed=${GFMUL_TEST_SEED:-$RANDOM}
cat >expressions.py <<'P'
import random, subprocess, sys
try: sys.set_int_max_str_digits(0)
except AttributeError: pass
from math import gcd
try: from math import isqrt
except ImportError: sys.exit(77)
program, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
names = {}

def number(bits):
    kind = rng.randrange(4)
    x = rng.getrandbits(bits) if kind else (1 << bits) - rng.randrange(2)
    return -x if rng.randrange(3) == 0 else x

def powmod(a, b, m): return pow(a, b, abs(m))

def expression(depth, bits):
    """text, at most so deep"""
    kind = rng.randrange(12) if depth else 11
    one = lambda: expression(depth - 1, bits)
    if kind < 3: return "(%s %s %s)" % (one(), rng.choice("+-"), one())
    if kind < 6: return "%s * %s" % (one(), one())
    if kind == 6: return "(%s) %s (%s)" % (one(), rng.choice(["//", "%"]), one())
    if kind == 7: return "isqrt((%s)^2 + 1)" % one()
    if kind == 8: return "(%s)^%d" % (one(), rng.randrange(4))
    if kind == 9: return "gcd(%s, %s)" % (one(), one())
    if kind == 10:
        terms = ["%s %s * %s" % (rng.choice("+-"), one(), one()) for _ in range(rng.randrange(2, 5))]
        return "(%s)" % " ".join(terms)
    if rng.randrange(4) == 0: return str(rng.getrandbits(rng.randrange(1, 200)))
    return rng.choice(sorted(names))

def calc(text, *options):
    p = subprocess.run([program, *options, "--", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return p.returncode, p.stdout, p.stderr

def fail(text, *more):
    print("FAILED: seed %d: %s" % (seed, text[:2000]), *more, file=sys.stderr)
    for name in names: print("   ", name, "of", names[name].bit_length(), "bits", file=sys.stderr)
    sys.exit(1)

for i in range(rounds):
    bits = rng.choice([5, 64, 200, 5000, 60000])
    names = {name: number(rng.randrange(1, bits)) for name in "abcde"}
    for name, x in names.items():
        with open(name, "w") as f: f.write("%x" % x if x >= 0 else "-%x" % -x)
    text = expression(3 if bits < 60000 else 2, bits)
    try: want = eval(text.replace("^", "**"), {"isqrt": isqrt, "gcd": gcd}, dict(names))
    except ZeroDivisionError: want = None
    status, out, err = calc(text, "-b", "16", "-B", "16", *rng.choice([[], ["-t", "1"]]))
    if want is None:
        if status != 1 or out or "expression:" not in err or "zero" not in err: fail(text, status, out[:200], err)
    elif status or err or out != "%s%x\n" % ("-" if want < 0 else "", abs(want)):
        fail(text, status, out[:200], err)

# powmod, and sums for which a space pays, which --stats has to show
names = {name: number(80000) for name in "abcdefgh"}
for name, x in names.items():
    with open(name, "w") as f: f.write("%x" % x if x >= 0 else "-%x" % -x)
for text in ("a*b + a*c - a*d", "a^2 + a*b - b^2", "a*b - c*d + a*d - c*b", "-a*b - a*c + d + a*b",
             "a*b - a*c + 3*d - (e*f + e*a + e*b) + a*g"):
    want = eval(text.replace("^", "**"), {}, dict(names))
    status, out, err = calc(text, "-b", "16", "--stats")
    if status or out != "%s%x\n" % ("-" if want < 0 else "", abs(want)): fail(text, status, out[:200], err)
    if "products in a space" not in err: fail(text, "no space", err)
names = {name: number(1500) for name in "abcd"}
for name, x in names.items():
    with open(name, "w") as f: f.write("%x" % x if x >= 0 else "-%x" % -x)
want = powmod(names["a"], abs(names["b"]), names["c"] | 1)
c = names["c"] | 1
status, out, err = calc("powmod(a, %d, %d)" % (abs(names["b"]), c), "-b", "16", "-B", "10")
if status or out != "%d\n" % want: fail("powmod", status, out, err)
P
n_checks=$((n_checks + 1))
status=0
python3 expressions.py "$BIGMUL" "$seed" 60 || status=$?
[[ $status == 0 || $status == 77 ]] || fail "random expressions, GFMUL_TEST_SEED=$seed"

finish
