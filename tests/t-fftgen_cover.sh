#!/usr/bin/env bash
# t-fftgen_cover.sh - every value of the generator's keys, and every pair of them, generated, compiled, run and compared.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# GFMUL_TEST_LONG=1: all pairs; 2: also a cover of pairs up to LOGN 20.  GFMUL_TEST_SEED chooses another cover.  Every combination
# of the keys that choose the transform itself is t-gen_device's.
SRCDIR=$(cd "${SRCDIR:-$(dirname "$0")/..}" && pwd)
# shellcheck source=tests/fftgen_test.sh
. "$SRCDIR/tests/fftgen_test.sh"
need_device

# An example that finds every transform right would say so of this one: a sign is wrong in its first sum.
n_checks=$((n_checks + 1))
cp probe/fft_t.cl right.cl
sed -e '/= \(t[0-9]*\) + /{' -e 's//= \1 - /' -e ':a' -e n -e ba -e '}' right.cl >probe/fft_t.cl
cmp -s right.cl probe/fft_t.cl && fail "no sum in fft_t.cl"
(cd probe && ./example >../probe.log 2>&1)
status=$?
((status == 1)) || fail "the example of a wrong transform ended with $status: $(head -n 5 probe.log)"

# A device without double is an excuse (77) for the other transforms.
try double LOGN=3 FFTDATA=double
double=$?

# rows SEED LENGTHS - a cover of all pairs of values, a line of KEY=VALUE for each transform.  The generator is the program's own
# and pairs are kept in a list, because each awk has another rand() and another order of "for (p in todo)".
rows()
{
    awk -v seed="$1" -v lengths="$2" '
    # Lehmer: a product below 2^46, which a double holds exactly
    function random(n) { state = state * 16807 % 2147483647; return 1 + int(state / 2147483647 * n) }
    function power(k) { return k > 0 ? 2 * power(k - 1) : 1 } # busybox may have no ^
    function value(row, key) { return values[index_of[key], row[index_of[key]]] }
    # how many rules of the generator a row breaks; a row without is a transform
    function broken(row,    n, level) {
        level = value(row, "STOPLEVEL") != "0"
        if (value(row, "STRUCTURE") == "RECURSION") { # the recursion of an algorithm
            power2 = value(row, "LENGTH") ~ /^LOGN/
            height = value(row, "KERNELHEIGHT") + 0; a = value(row, "ALGORITHM")
            n += power2 && value(row, "DIM") != "0"
            n += power2 && level
            n += power2 && a == "T" && value(row, "TWIDDLE") == "ONFLY"
            n += power2 && ((a == "4" && height == 1) || (a == "8" && height > 0 && height < 3))
        }
        if (level) n += (value(row, "DIM") != "0") + (value(row, "DATA") != "C") + (value(row, "SCALING") == "Y")
        if (level) n += (value(row, "LENGTH") ~ /^N/) + (value(row, "BITREV") == "Y" && value(row, "DIRECTION") != "F")
        n += value(row, "NONEZ") != "X" && value(row, "DIRECTION") == "B" && (value(row, "BITREV") == "N" ||
            value(row, "DATA") != "C")
        n += value(row, "DATA") == "R2" && value(row, "BITREV") == "N"
        n += value(row, "DATA") == "LIMBS" && value(row, "INPRECISION") == "0"
        n += value(row, "TWIDDLE") == "ONFLY" && value(row, "USECONSTANTS") == "Y"
        n += value(row, "TWIDDLE") == "ONFLY" && value(row, "TABLE") != "AUTO"
        n += value(row, "KERNELWIDTH") > 0 && value(row, "KERNELHEIGHT") + 0 > value(row, "KERNELWIDTH") + 0
        n += value(row, "LENGTH") ~ /^N/ && (value(row, "KERNELHEIGHT") == "1" || value(row, "KERNELHEIGHT") == "2")
        return n + 0
    }
    function add(key, list,    a, v) {
        index_of[key] = ++n_keys
        name[n_keys] = key
        n_values[n_keys] = split(list, a, " ")
        for (v = 1; v <= n_values[n_keys]; v++) values[n_keys, v] = a[v]
    }
    # a missing pair, the n-th of the list
    function take(n) { p = list[n]; split(p, q, SUBSEP); row[q[1]] = q[2]; row[q[3]] = q[4] }
    function drop(p,    n) { n = todo[p]; delete todo[p]; list[n] = list[left]; if (n < left) todo[list[n]] = n; left-- }
    # plain - the plainest row that has the pair, of three that differ in order and direction: what no rule of two keys forbids is
    # among them.  Returns how many rules it breaks
    function plain(    i, way, bad) {
        for (way = 0; way < 3; way++) {
            for (i = 1; i <= n_keys; i++) row[i] = 1
            row[index_of["INPRECISION"]] = 2
            if (way == 1) row[index_of["BITREV"]] = 2
            if (way == 2) row[index_of["DIRECTION"]] = 2
            row[q[1]] = q[2]; row[q[3]] = q[4]
            if (!(bad = broken(row))) break
        }
        return bad
    }
    BEGIN {
        state = seed % 2147483646 + 1
        add("LENGTH", lengths)
        add("DATA", "C R I R2 INT32 INT64 LIMBS")
        add("FFTDATA", "double float dd"); add("BITREV", "Y N"); add("DIRECTION", "A F B")
        add("NONEZ", "X X0 X000 0X0 0,16 16;5"); add("SCALING", "N Y"); add("INPRECISION", "0 12 20 23 40 52")
        add("STRUCTURE", "DIMENSIONS RECURSION")
        add("OUTPRECISION", "0 16 20 23 40 52"); add("ALGORITHM", "2 4 8 S C T"); add("TWIDDLE", "YES ONFLY tables/roots.bin")
        add("DIM", "0 two three"); add("STOPLEVEL", "0 3 6"); add("USECONSTANTS", "N Y"); add("KERNELHEIGHT", "0 1 2 4 5 7 10")
        add("KERNELWIDTH", "0 7 10 11 16"); add("KERNELSIZE", "65536 512 1"); add("KERNELNUM", "1 3 100"); add("PRODUCTS", "4 3")
        add("TABLE", "AUTO ALL REDUCED PAIR")
        for (i = 1; i <= n_keys; i++) for (j = i + 1; j <= n_keys; j++)
            for (v = 1; v <= n_values[i]; v++) for (w = 1; w <= n_values[j]; w++) {
                list[++left] = i SUBSEP v SUBSEP j SUBSEP w
                todo[list[left]] = left
            }
        for (k = left; k > 0; k--) { # what cannot be together, by the rules
            take(k)
            if (plain()) {
                drop(p)
                print "not together: " name[q[1]] "=" values[q[1], q[2]], name[q[3]] "=" values[q[3], q[4]] >"/dev/stderr"
            }
        }
        while (left > 0) {
            best = -1
            for (c = 0; c < 60; c++) {
                for (i = 1; i <= n_keys; i++) row[i] = random(n_values[i])
                take(random(left))
                bad = broken(row)
                for (k = 0; k < 1000 && bad > 0; k++) { # downhill, or along
                    i = random(n_keys)
                    if (i == q[1] || i == q[3]) continue
                    old = row[i]; row[i] = random(n_values[i])
                    if (broken(row) > bad) row[i] = old; else bad = broken(row)
                }
                if (bad > 0) plain()
                gain = 0
                for (i = 1; i <= n_keys; i++) for (j = i + 1; j <= n_keys; j++)
                    gain += (i SUBSEP row[i] SUBSEP j SUBSEP row[j]) in todo
                if (gain > best) { best = gain; for (i = 1; i <= n_keys; i++) chosen[i] = row[i] }
            }
            for (i = 1; i <= n_keys; i++) for (j = i + 1; j <= n_keys; j++) {
                p = i SUBSEP chosen[i] SUBSEP j SUBSEP chosen[j]
                if (p in todo) drop(p)
            }
            line = ""
            for (i = 1; i <= n_keys; i++) {
                v = values[i, chosen[i]]
                if (name[i] == "LENGTH") {
                    line = v; split(v, q, "="); n = q[1] == "N" ? q[2] : power(q[2])
                } else if (name[i] == "DIM" && v != "0") {
                    points = values[index_of["DATA"], chosen[index_of["DATA"]]] ~ /^(C|R2)$/ ? n : n / 2
                    small = points % 3 ? 4 : 3
                    line = line " DIM=" (v == "two" ? "" : "4,") small "," points / (v == "two" ? small : 4 * small)
                } else
                    line = line " " name[i] "=" v
            }
            print line
        }
    }'
}

# cover LENGTHS - a cover, in the file pairs.  What cannot be together is what the rules say: 16 pairs of STOPLEVEL with DATA,
# DIM, 1 of DATA=R2 and BITREV=N, 2 with SCALING, 4 with lengths N=, 4 of these with low KERNELHEIGHT, 1 each of LIMBS without
# INPRECISION, ONFLY and constants, KERNELHEIGHT=10 and KERNELWIDTH=7, 3 of ONFLY and TABLE, 2 of RECURSION and STOPLEVEL.
# RECURSION and DIM are together where N is no power of two, but not in a plain row: 2 more.
cover()
{
    rows "$seed" "$1" >pairs 2>apart
    n_checks=$((n_checks + 1))
    [[ $(wc -l <apart) == 37 ]] || fail "pairs that cannot be together: $(<apart)"
}

# run FILE - all lines of a file, two at a time.
run()
{
    local line n=0 folder
    mkdir -p work
    while read -r line; do
        folder=work/$((++n))
        # shellcheck disable=SC2086
        (try "$folder" $line
            status=$?
            ((status == 0 || (status == 77 && double == 77))) || echo "$line" >"$folder.failed"
            rm -rf "$folder") &
        ((n % 2)) || wait
    done <"$1"
    wait
    n_checks=$((n_checks + n))
    for line in work/*.failed; do
        [[ -e $line ]] || break
        fail "fftgen $(<"$line")"
        head -n 20 "${line%.failed}.log" >&2
    done
    rm -rf work
}

seed=${GFMUL_TEST_SEED:-1}
echo "GFMUL_TEST_SEED=$seed"
cover "LOGN=8 LOGN=9 LOGN=10 LOGN=11 N=720 N=1680"
if [[ ${SANITIZER:-no} != no ]]; then # what a sanitizer can see, t-gen_emit shows it: a few are enough
    sed -i 8q pairs
elif ((long == 0)); then # of the pairs' transforms the first ones that have a value for the first time
    awk '{ new = 0; for (i = 1; i <= NF; i++) new += !seen[$i]++; if (new && n++ < 8) print }' pairs >values
    mv values pairs
fi
run pairs
if ((long >= 2)); then
    cover "LOGN=12 LOGN=13 LOGN=14 LOGN=15 LOGN=16 LOGN=17 LOGN=18 LOGN=19 LOGN=20 N=2520 N=100800"
    run pairs
fi
finish
