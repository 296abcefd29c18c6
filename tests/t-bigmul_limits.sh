#!/usr/bin/env bash
# t-bigmul_limits.sh - bigmul where memory or precision does not suffice: status 3, a message, and no product.
# SPDX-License-Identifier: LGPL-3.0-or-later
. "$(dirname "$0")/bigmul_test.sh"

random_digits 100000 10 3 | tr -d '\n' >block
for _ in $(seq 20); do cat block; done >a
for _ in $(seq 6); do cat block; done >b
run 0 -t 1 a b
cp out want

# Memory: with each limit a right product, or status 3 with a message and nothing printed; both have to occur.
if [[ $SANITIZER == no ]] && (ulimit -v 1000000) 2>/dev/null; then
    for threads in 1 2; do
        succeeded=0 refused=0
        for kilobytes in 18000 22000 26000 30000 40000 50000 60000 70000 80000 100000 120000 150000 200000 400000 800000; do
            n_checks=$((n_checks + 1))
            status=0
            (ulimit -v $kilobytes && exec "$BIGMUL" -t $threads -o result a b) >out 2>err || status=$?
            what="$threads threads in $kilobytes KB"
            if [[ $status == 0 ]]; then
                cmp -s result want || fail "$what: a wrong product"
                succeeded=$((succeeded + 1))
            elif [[ $status == 3 ]]; then
                [[ ! -e result ]] || fail "$what: a product in spite of the error"
                grep -q '^bigmul: ..*' err || fail "$what: no message"
                refused=$((refused + 1))
            elif grep -qE 'error while loading shared libraries|cannot allocate|Cannot allocate' err; then
                : # not even the program could be loaded
            else
                fail "$what: status $status: $(head -c 300 err)"
            fi
            [[ -z $(find . -name '.bigmul*') ]] || fail "$what: a temporary file is left behind"
            rm -f result
        done
        check "$threads threads: some limit is too small ($refused were)" test $refused -gt 0
        check "$threads threads: some limit suffices ($succeeded did)" test $succeeded -gt 0
    done
    # A file that is too large to read.
    n_checks=$((n_checks + 1))
    status=0
    (ulimit -v 60000 && head -c 100000000 /dev/zero | tr '\0' 0 | exec "$BIGMUL" - b) >out 2>err || status=$?
    [[ $status == 3 && ! -s out && $(<err) == "bigmul: standard input: not enough memory"* ]] ||
        fail "a pipe that does not fit: status $status: $(head -c 300 err)"
else
    echo "memory cannot be limited here: not tried"
fi

# --memory: a right product, or status 3 with a message; both occur, and the process holds no more than that and its code.
succeeded=0 refused=0
cat >peak.py <<'END'
import os, sys
pid = os.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
with open("peak", "w") as f:
    f.write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status) if hasattr(os, "waitstatus_to_exitcode") else status >> 8)
END
measure=()
! have python3 || measure=(python3 peak.py)
for memory in 1 1K 2M 5M 8M 12M 14M 16M 20M 24M 32M 100M 4G 1T; do
    n_checks=$((n_checks + 1))
    status=0
    "${measure[@]}" "$BIGMUL" -t 1 --memory=$memory -o result a b >out 2>err || status=$?
    if [[ $status == 0 ]]; then
        cmp -s result want || fail "--memory=$memory: a wrong product"
        succeeded=$((succeeded + 1))
    else
        [[ $status == 3 && ! -e result && $(<err) == "bigmul: "*"--memory=$memory"* ]] ||
            fail "--memory=$memory: status $status: $(head -c 300 err)"
        refused=$((refused + 1))
    fi
    kilobytes=${memory%M}
    if [[ $kilobytes != "$memory" && ${measure[*]} && $SANITIZER == no ]]; then
        kilobytes=$((kilobytes * 1024 + 24 * 1024)) # libraries, the stacks of threads, whole pages
        check "--memory=$memory: $(<peak) KB were used" test "$(<peak)" -le $kilobytes
    fi
    rm -f result
done
check "--memory: $refused were too small, $succeeded sufficed" test $refused -ge 5 -a $succeeded -ge 4
run 0 --memory=100M --plan a b
refuses 3 "--memory=3M: the operands have * bytes, the product up to *" --memory=3M --square a
refuses 3 "a: more bytes than --memory=1K leaves for it (1024)" --memory=1K a b
refuses 3 "b: more bytes than --memory=2000K leaves for it (*)" --memory=2000K a b

# Precision: what the classical rule does not admit in double names the precision that it needs.
head -c 300 block >small
run 0 --rule=knuth small small
mv out by_knuth
run 0 small small
check "a small product under the classical rule" cmp -s out by_knuth
refuses 3 "--rule=knuth: * significand of at least [0-9]* bits*" --rule=knuth --precision=double a b
refuses 3 "--rule=knuth: * significand of at least [0-9]* bits*" --rule=knuth --precision=double --plan a b
refuses 3 "--rule=knuth: * significand of at least [0-9]* bits*" --rule=knuth --precision=double -o result a b
check "no file is made of it" test ! -e result
run 0 --rule=knuth --plan a b
check "double-double takes over" grep -q '^precision: dd' out
check "and satisfies the rule" grep -qE '^knuth: holds, mu = 102, ' out

finish
