# bigmul_test.sh - what the tests of the programs bigmul and bigcalc share; sourced by t-bigmul_*.sh and t-bigcalc.sh.
# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=bash
#
# BIGMUL names the program (make sets it; by hand: BIGMUL=build/bigmul bash tests/t-bigmul_formats.sh).
# t-bigcalc.sh lets it name bigcalc, and all of this is about that program.
# A failed check prints what was run and goes on; finish ends the script with 0, or 1 where a check failed.
set -u
BIGMUL=${BIGMUL:-./bigmul}
case $BIGMUL in
/*) ;;
*) BIGMUL=$PWD/$BIGMUL ;;
esac
if [[ ! -x $BIGMUL ]]; then
    echo "$BIGMUL is not a program: set BIGMUL" >&2
    exit 1
fi
PROGRAM=${BIGMUL##*/}
SANITIZER=${SANITIZER:-no}
unset GFMUL_DISABLE
export LC_ALL=C
tmp=$(mktemp -d "${TMPDIR:-/tmp}/$PROGRAM-test-XXXXXX")
trap 'chmod -R u+rwX "$tmp"; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
n_checks=0 n_failed=0

fail()
{
    n_failed=$((n_failed + 1))
    echo "FAILED (line ${BASH_LINENO[${#BASH_LINENO[@]} - 2]}): $*" >&2
}

# check TEXT COMMAND... - the command has to succeed.
check()
{
    local text=$1
    shift
    n_checks=$((n_checks + 1))
    "$@" || fail "$text"
}

# run STATUS ARGUMENT... - run bigmul with its output in out and err; its status has to be STATUS.
run()
{
    local want=$1 got=0
    shift
    n_checks=$((n_checks + 1))
    "$BIGMUL" "$@" >out 2>err </dev/null || got=$?
    if [[ $got != "$want" ]]; then
        fail "$PROGRAM $*: status $got, should be $want"
        head -c 500 err >&2
    fi
}

# prints TEXT ARGUMENT... - bigmul succeeds, prints the line TEXT, and nothing on standard error.
prints()
{
    local text=$1
    shift
    run 0 "$@"
    if [[ $(tail -c 1 out | od -An -tx1) != *0a* || $(<out) != "$text" ]]; then
        fail "$PROGRAM $*: printed '$(head -c 200 out)', should be '${text:0:200}'"
    fi
    [[ ! -s err ]] || fail "$PROGRAM $*: on standard error: $(head -c 500 err)"
}

# refuses STATUS MESSAGE ARGUMENT... - bigmul ends with STATUS, nothing on standard output, and on standard error
# "bigmul: MESSAGE" (a pattern) as first line; for bad usage the hint at --help as second.
refuses()
{
    local want=$1 message=$2 first
    shift 2
    run "$want" "$@"
    [[ ! -s out ]] || fail "$PROGRAM $*: printed '$(head -c 200 out)' in spite of the error"
    first=$(head -n 1 err)
    # shellcheck disable=SC2053
    [[ $first == "$PROGRAM: "$message ]] || fail "$PROGRAM $*: said '$first', should be '$PROGRAM: $message'"
    if [[ $want == 2 ]]; then
        [[ $(sed -n 2p err) == "Try '$PROGRAM --help' for more information." ]] || fail "$PROGRAM $*: no hint at --help"
    else
        [[ $(wc -l <err) == 1 ]] || fail "$PROGRAM $*: more than one line: $(head -c 500 err)"
    fi
}

# file NAME TEXT - write a file, with printf's escapes and without a line end of its own.
file()
{
    printf '%b' "$2" >"$1"
}

# writes ARGUMENT... - bigmul succeeds, and is silent.
writes()
{
    run 0 "$@"
    [[ ! -s out && ! -s err ]] || fail "$PROGRAM $*: printed '$(head -c 200 out)', and on standard error '$(head -c 300 err)'"
}

# unprivileged - print a command that runs another one without root's rights; "" where we have none anyway.  1: there is none.
unprivileged()
{
    [[ $(id -u) == 0 ]] || return 0
    local said command="setpriv --reuid=65534 --regid=65534 --clear-groups"
    chmod 755 "$tmp"
    said=$($command "$BIGMUL" --version 2>&1 >/dev/null) && [[ ! $said ]] || return 1
    echo "$command"
}

# device NAME - print a path of the device /dev/NAME that a faulty program may as well replace: for root, who could replace the
# machine's own, another node in this folder.  1: there is none.
device()
{
    local path=/dev/$1
    [[ -c $path ]] || return 1
    if [[ $(id -u) == 0 ]]; then
        path=$tmp/device-$1
        [[ -c $path ]] || cp -R "/dev/$1" "$path" 2>/dev/null || return 1
        { : >"$path"; } 2>/dev/null || return 1 # a file system "nodev"
    fi
    echo "$path"
}

# skip_all WHY - nothing of this script can run.
skip_all()
{
    echo "skipped: $*"
    exit 77
}

finish()
{
    echo "$n_checks checks, $n_failed failed"
    ((n_failed == 0)) || exit 1
    exit 0
}

have() { command -v "$1" >/dev/null 2>&1; }

# random_digits COUNT BASE SEED - digits, the first one not 0, and a line end.  The same seed gives the same digits with every
# awk: the generator is Lehmer's, whose products a double holds.
random_digits()
{
    awk -v n="$1" -v base="$2" -v seed="$3" 'BEGIN {
        prime = 2147483647
        state = (seed * 48271 + 1) % (prime - 1) + 1
        d = "0123456789abcdefghijklmnopqrstuvwxyz"
        for (i = 0; i < n; i++) {
            state = state * 16807 % prime
            line = line (i ? substr(d, 1 + int(state / prime * base), 1) : substr(d, 2 + int(state / prime * (base - 1)), 1))
            if (length(line) >= 1000) { printf "%s", line; line = "" }
        }
        print line
    }'
}

# reference A B BASE_A BASE_B BASE_Z - the product of two plain numbers in files, by Python or bc.  1: neither can do it.
reference()
{
    if have python3; then
        python3 -c '
import sys
try: sys.set_int_max_str_digits(0)
except AttributeError: pass
def text(x, base):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    if x < 0: return "-" + text(-x, base)
    powers = [base]
    while powers[-1] <= x: powers.append(powers[-1] * powers[-1])
    def write(x, k):
        if k < 0: return digits[x]
        high, low = divmod(x, powers[k])
        return write(high, k - 1) + write(low, k - 1)
    return write(x, len(powers) - 1).lstrip("0") or "0"
a, b = (int(open(f).read().strip(), int(base)) for f, base in zip(sys.argv[1:3], sys.argv[3:5]))
print(text(a * b, int(sys.argv[5])))' "$@"
    elif have bc && (($3 <= 16 && $4 <= 16 && $5 <= 16)); then
        {
            # a=A converts in ibase; the output base first, while numbers are still decimal
            echo "obase=$5; ibase=$3"
            echo "a=$(tr a-f A-F <"$1")"
            echo "ibase=A; ibase=$4"
            echo "b=$(tr a-f A-F <"$2")"
            echo "a*b"
        } | BC_LINE_LENGTH=0 bc | tr A-F a-f
    else
        return 1
    fi
}
