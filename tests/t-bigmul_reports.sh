#!/usr/bin/env bash
# t-bigmul_reports.sh - what bigmul says about its work: --plan, --stats, --progress.
# SPDX-License-Identifier: LGPL-3.0-or-later
. "$(dirname "$0")/bigmul_test.sh"

random_digits 20000 10 11 >a
random_digits 15000 10 12 >b
random_digits 20000 16 13 | sed 's/^/0x/' >h
file one 1
file twelve 12
file eleven -11
file zero 0

# value KEY - the value of a key in out.
value() { sed -n "s/^$1: //p" out; }

# --plan: the keys, their values, no product.
run 0 --plan --engine=cpu a b
for key in engine device rule mu m l points packing precision bound knuth memory_bytes; do
    check "--plan has the key $key" test "$(grep -c "^$key: ." out)" = 1
done
check "--plan has lines 'key: value' alone" test "$(grep -cvE '^[a-z_]+: .*$' out)" = 0
check "the engine that was asked for" test "$(value engine)" = cpu
check "the default rule" test "$(value rule)" = norm
check "the significand of double" test "$(value mu)" = 53
n_checks=$((n_checks + 1))
awk -v bound="$(value bound)" -v norms="$(value norms)" -v l="$(value l)" -v points="$(value points)" 'BEGIN {
    exit !(bound > 0 && bound < (norms == "measured" ? 1 : 0.5) && l > 1 && l <= 30 && points >= 64) }' ||
    fail "--plan: $(cat out)"
for packing in two-for-one one-for-half right-angle; do
    run 0 --plan --engine=cpu --packing=$packing a b
    check "the packing that was asked for" test "$(value packing)" = $packing
done
run 0 --plan --engine=gmp a b
check "the engine that was asked for" test "$(value engine)" = gmp
random_digits 200000 10 14 >long
OMP_NUM_THREADS=1 run 0 --plan long long
check "as many threads as OMP_NUM_THREADS says" test "$(value threads)" = 1
run 0 --plan --rule=knuth one one
check "the rule that was asked for" test "$(value rule)" = knuth
check "the classical rule holds" grep -qE '^knuth: holds, mu = [0-9]+, 4 m \+ 2 l = [0-9]+$' out
random_digits 400000 10 15 >classical
run 0 --plan --rule=knuth classical classical
check "it counts the precision of every level" grep -qE '^knuth: holds, mu = 102, 4 m \+ 2 l = [0-9]+$' out
check "none of which is in double" test "$(value double_levels) $(value light_levels) $(value narrow_levels)" = "0 0 0"
run 0 --plan --rule=knuth --adaptive classical classical
check "adaptive precision prints both" \
    grep -qE '^knuth: holds, mu = 102, 4 m \+ 2 l = [0-9]+; does not hold, mu = 53, in [0-9]+ levels$' out

# --rule=checked: larger digits, no proof, residues whatever --verify says; smaller digits for the products that need them.
run 0 --plan --engine=cpu a b
norm_l=$(value l)
run 0 --plan --engine=cpu --rule=checked a b
check "the rule checked" test "$(value rule)" = checked
check "no bound is proved" grep -qx 'bound: not proved' out
check "the error that is expected" awk -v e="$(value expected_error)" 'BEGIN {exit !(e > 0 && e < 0.5)}'
check "larger digits" awk -v l="$(value l)" -v n="$norm_l" 'BEGIN {exit !(l > n)}'
printf '%020000d' 0 | tr 0 9 >nines
for base in 10 16 36; do
    for operands in 'a b' 'a a' '--square a' 'nines nines' 'nines b'; do
        run 0 --engine=gmp --base=$base $operands
        cp out want
        for packing in two-for-one one-for-half right-angle; do
            run 0 --engine=cpu --rule=checked --verify=none --stats --packing=$packing --base=$base $operands
            check "the product by the rule checked, base $base, $packing: $operands" cmp -s out want
            check "residues were taken" grep -qE '^residue_prime: [1-9]' err
            check "the rule or its fall-back" grep -qE '^rule: (checked|norm)$' err
        done
    done
done

# The digits are counted: without prefix, sign, leading zeros and white space.
run 0 --plan --engine=cpu a b
cp out plan_want
{ printf -- '  -000_0'; fold -w 50 a; echo; } >wrapped
run 0 --plan --engine=cpu wrapped b
check "--plan of a wrapped number" cmp -s out plan_want
run 0 --plan --engine=cpu -o plan_file a b
check "--plan with -o" cmp -s plan_file plan_want
check "--plan of standard input" eval 'cat a | "$BIGMUL" --plan --engine=cpu - b | cmp -s - plan_want'
cp h h1
run 0 --plan --engine=cpu h h1
cp out plan_want
run 0 --plan --engine=cpu h h
cp out plan_square
run 0 --plan --engine=cpu --square h
check "--plan of a square" cmp -s out plan_square
check "a square needs less memory" eval '! cmp -s plan_want plan_square'
sed 's/^0x/-0X0000_/' h >h0
run 0 --plan --engine=cpu h h0
check "--plan of a wrapped hexadecimal number" cmp -s out plan_want
run 0 --plan --engine=cpu a h
check "--plan of mixed bases" test "$(value engine)" = cpu
run 0 --plan --engine=cpu -B 16 a b
run 0 --plan zero a
run 0 --plan zero zero
run 0 --plan --square a
run 0 --plan -b 36 a b

# --plan=all: a line for each way, the cheapest first, which is the plan.
line='^[0-9]+\.[0-9]{3} ms: (cpu (double|dd|prime), [0-9]+ points, l = [0-9.]+, [0-9]+ MiB, passes .*|opencl.*)$'
for operands in "long long" "--square long" "h h" "a long" "--rule=checked long long" "--rule=knuth classical a"; do
    # shellcheck disable=SC2086
    run 0 --plan --engine=cpu --threads=1 $operands
    points=$(value points) precision=$(value precision)
    # shellcheck disable=SC2086
    run 0 --plan=all --engine=cpu --threads=1 $operands
    check "--plan=all $operands says where its costs come from" \
        eval 'tail -n 1 out | grep -qE "^rates: tables for [a-z0-9]+( times|$)"'
    sed -i '$d' out
    check "--plan=all $operands has lines of this form alone" test "$(grep -cvE "$line" out)" = 0
    check "--plan=all $operands has several ways" test "$(wc -l <out)" -gt 5
    check "--plan=all $operands is in order" awk '$1 + 0 < last { exit 1 } { last = $1 + 0 }' out
    check "--plan=all $operands begins with the plan" eval 'head -n 1 out | grep -q " cpu $precision, $points points, "'
done
run 0 --plan=all --engine=cpu --threads=1 h h
check "--plan=all has all fields" test "$(grep -oE ' (double|dd|prime),' out | sort -u | wc -l)" = 3
run 0 --plan=all --engine=cpu --precision=prime h h
check "--plan=all has the precision that was asked for" test "$(grep -cvE ' cpu prime, |^rates: ' out)" = 0
refuses 3 "--rule=knuth: *" --plan=all --rule=knuth --precision=double classical classical
refuses 2 "unknown plan 'some'; valid are: none, chosen, all" --plan=some a b
prints -132 --plan=none twelve eleven
run 0 --plan --engine=cpu a b
cp out plan_want
run 0 --plan=chosen --engine=cpu a b
check "--plan=chosen is --plan" cmp -s out plan_want

# The plan is that of the product: --stats tells what has run.
for operands in "a b" "h h" "a h" "h a" "a a" "--square h" "--square -B 7 a"; do
    # shellcheck disable=SC2086
    run 0 --plan --engine=cpu $operands
    cp out plan_want
    # shellcheck disable=SC2086
    run 0 --stats --engine=cpu $operands
    cp err out
    for key in engine points packing l memory_bytes; do
        n_checks=$((n_checks + 1))
        [[ "$key: $(value $key)" == "$(grep "^$key: " plan_want)" ]] ||
            fail "$operands: --plan says $(grep "^$key: " plan_want), --stats $(value $key)"
    done
done

# --stats: on standard error, the product as without it.
run 0 a b
cp out want
for form in --stats --stats=text --stats=json; do
    run 0 $form a b
    check "the product with $form" cmp -s out want
    check "$form says something" test -s err
done
run 0 --stats=none a b
check "--stats=none says nothing" test ! -s err
run 0 --stats a b
cp err out
for key in read_ms wait_ms parse_ms plan_ms transform_ms carry_ms verify_ms print_ms total_ms write_ms max_error fallbacks \
    residue_prime peak_memory_bytes; do
    check "--stats has the number $key" grep -qE "^$key: [0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$" out
done
check "a residue was checked" test "$(value residue_prime)" != 0
refuses 1 "missing: *" --stats a missing
if have python3; then
    for options in "a b" "--square a" "one zero" "h a" "--engine=gmp a b" "--engine=cpu --verify=gmp a b" "--verify=none a b" \
        "--rule=knuth one one" "--packing=two-for-one --engine=cpu a b"; do
        # shellcheck disable=SC2086
        run 0 --stats=json $options
        n_checks=$((n_checks + 1))
        python3 -c '
import json, sys
def constant(name): raise ValueError(name)
text = open("err").read()
assert text.endswith("}\n") and text.count("\n") == 1
s = json.loads(text, parse_constant=constant)
plan, ms = s["plan"], s["ms"]
assert plan["engine"] in ("cpu", "gmp", "short", "fftw", "opencl"), plan
if plan["engine"] == "cpu":
    assert 0 < plan["bound"] and plan["proved"] is True and plan["mu"] == 53 and plan["points"] > 0, plan
    one = plan["slices"] == 1 and not plan["wraps"] # of several transforms the largest bound and the largest error are known
    assert 0 <= s["max_error"] <= plan["bound"] < (1 - one * s["max_error"] if plan["norms_measured"] else 0.5), s
for key in "read parse plan transform carry verify print total write wall".split(): assert ms[key] >= 0, ms
assert ms["total"] <= ms["wall"]
assert s["product_bytes"] == len(open("out").read())
assert s["peak_memory_bytes"] > 100000
assert int(s["residue_prime"]) >= 0 and s["fallbacks"] >= 0
' || fail "--stats=json $options: $(cat err)"
    done
else
    echo "no python3: JSON not checked"
fi

# --progress: never by itself where standard error is no terminal; drawn and erased where it is asked for.
run 0 --progress=auto a b
check "no bar in a file" test ! -s err
run 0 --progress=never a b
check "no bar" test ! -s err
run 0 --progress=always a b
check "the product with a bar" cmp -s out want
check "a bar" grep -q 'bigmul \[.*\] *[0-9]* %' err
n_checks=$((n_checks + 1))
awk 'BEGIN { RS = "\r" } { last = $0 } END { exit !(last ~ /^[ \n]*$/) }' err || fail "the bar is not erased"
check "no line end in the bar" test "$(wc -l <err)" = 0
# A message does not stand in the bar.
file wrong 12x
n_checks=$((n_checks + 1))
"$BIGMUL" --progress=always a wrong >out 2>err
[[ $(tr '\r' '\n' <err | tail -n 1) == "bigmul: wrong:1:3: "* ]] || fail "the message behind a bar: $(cat -v err)"

# On a terminal: no bar for short work, one for work of more than a second; erased at the end, and by a signal.
if have python3; then
    copies=1000
    [[ $SANITIZER == no ]] || copies=100
    for _ in $(seq $copies); do head -n 1 a | tr -d '\n'; done >large
    n_checks=$((n_checks + 1))
    cat >terminal.py <<'END'
import os, pty, signal, subprocess, sys, time

def run(arguments, stop=False, **environment):
    """Run bigmul on a terminal; what it has written there, its status, and the time it took."""
    master, slave = pty.openpty()
    p = subprocess.Popen([sys.argv[1]] + arguments, stdout=subprocess.DEVNULL, stderr=slave, env=dict(os.environ, **environment),
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    os.close(slave)
    start, text = time.monotonic(), b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the last one who had the terminal has ended
            break
        if not part:
            break
        text += part
        if stop and b"%" in text:
            p.send_signal(signal.SIGINT)
            stop = False
    p.wait()
    return text.decode(), p.returncode, time.monotonic() - start

def erased(text):
    """What is left on the line after the last carriage return, seen as a terminal shows it."""
    line = []
    column = 0
    for c in text:
        if c == "\r": column = 0
        elif c != "\n":
            line[column:column + 1] = [c]
            column += 1
    return "".join(line).strip() == ""

text, status, seconds = run(["a", "b"])
assert status == 0 and (text == "" or seconds > 1), (text, status)
text, status, seconds = run(["-t", "1", "large", "large"], GFMUL_DISABLE="avx512,avx2,sse2")
assert status == 0, status
print(f"work of {seconds:.1f} s, {text.count('%')} bars")
if seconds > 4: assert "bigmul [" in text, text
if seconds < 1: assert text == "", text
assert erased(text), text
assert text.count("%") <= 10 * seconds + 1, (text.count("%"), seconds)
text, status, _ = run(["--progress=never", "large", "large"])
assert status == 0 and text == "", text
text, status, _ = run(["--progress=always", "-t", "1", "large", "large"], stop=True)
assert status == -signal.SIGINT and "bigmul [" in text and erased(text), (text, status)
END
    python3 terminal.py "$BIGMUL" || fail "the bar on a terminal"
else
    echo "no python3: the bar on a terminal not tried"
fi

finish
