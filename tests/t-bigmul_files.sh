#!/usr/bin/env bash
# t-bigmul_files.sh - where bigmul's operands come from: files, pipes, standard input, and what can be wrong with them.
# SPDX-License-Identifier: LGPL-3.0-or-later
. "$(dirname "$0")/bigmul_test.sh"

file a '123456789\n'
file b '987654321'
want=121932631112635269

# input TEXT COMMAND - a shell command that runs "$BIGMUL" has to print TEXT, and nothing on standard error.
input()
{
    n_checks=$((n_checks + 1))
    got=$(eval "$2" 2>err) || fail "$2: status $?: $(head -c 300 err)"
    [[ $got == "$1" ]] || fail "$2: printed '${got:0:200}', should be '${1:0:200}'"
    [[ ! -s err ]] || fail "$2: on standard error: $(head -c 300 err)"
}

# bad_input STATUS MESSAGE COMMAND - it has to end with STATUS, print nothing, and say "bigmul: MESSAGE" (a pattern).
bad_input()
{
    local status=0
    n_checks=$((n_checks + 1))
    eval "$3" >out 2>err || status=$?
    [[ $status == "$1" ]] || fail "$3: status $status, should be $1"
    [[ ! -s out ]] || fail "$3: printed '$(head -c 200 out)'"
    # shellcheck disable=SC2053
    [[ $(<err) == "bigmul: "$2 ]] || fail "$3: said '$(head -c 300 err)', should be 'bigmul: $2'"
}

# Standard input: a pipe, a file, a file read from its middle; "-" and /dev/stdin.
input $want 'cat a | "$BIGMUL" - b'
input $want 'cat b | "$BIGMUL" a -'
input $want '"$BIGMUL" - b <a'
input $want '"$BIGMUL" a - <b'
input 15241578750190521 'cat a | "$BIGMUL" --square -'
input 15241578750190521 '"$BIGMUL" --square - <a'
input $want 'cat a | "$BIGMUL" /dev/stdin b'
file two '11\n12\n'
input 144 '(read -r first; "$BIGMUL" --square -) < <(sleep 0.1; cat two)'
# A file that is standard input, too: the same text only from the same place on.
input 1236544 '"$BIGMUL" two - <two'
input 13344 '(read -r first; "$BIGMUL" two -) <two'
input 13344 '(read -r first; "$BIGMUL" - two) <two'
bad_input 1 'standard input:1:1: *' '(cat >/dev/null; "$BIGMUL" two -) <two'
bad_input 1 'standard input and /dev/stdin are one pipe; for its square use --square' 'cat two | "$BIGMUL" - /dev/stdin'
mkfifo fifo fifo_2
bad_input 1 'fifo and fifo are one pipe; *' 'cat two >fifo & "$BIGMUL" fifo fifo'
# Here the writer has gone: to open the second would wait for another one.
bad_input 1 'standard input and fifo are one pipe; *' 'cat two >fifo & (sleep 0.2; "$BIGMUL" - fifo) <fifo'
input $want '"$BIGMUL" <(cat a) <(cat b)'
input $want '"$BIGMUL" <(for i in 1 2 3 4 5 6 7 8 9; do printf $i; sleep 0.01; done) b'
bad_input 1 'standard input:1:2: *' 'echo 1x | "$BIGMUL" - b'
bad_input 1 'standard input:*' '"$BIGMUL" - b </dev/null'
bad_input 1 'standard input: Bad file descriptor' '"$BIGMUL" - b <&-'
bad_input 1 'standard input: Is a directory' '"$BIGMUL" - b <.'

# What is wrong is found when it is read: these inputs do not end.
endless() { bad_input "$1" "$2" "timeout 60 bash -c '$3'"; }
endless 1 '/dev/zero:1:1: byte 0x00 *' '"$BIGMUL" /dev/zero b'
endless 1 '/dev/zero:1:1: byte 0x00 *' '"$BIGMUL" a /dev/zero'
endless 1 "standard input:1:1: stray character 'y' *" 'yes | "$BIGMUL" - b'
endless 1 "standard input:1:1: stray character 'y' *" 'yes | "$BIGMUL" --square -'
endless 1 "standard input:1:1: stray character 'y' *" 'yes | "$BIGMUL" --plan b -'
endless 1 "standard input:1:1: stray character 'y' *" 'yes | "$BIGMUL" -b 16 a -'
endless 1 "standard input:2:3: stray character '.' *" '(echo " 12"; yes 34.5) | "$BIGMUL" - b'
endless 1 "standard input:1:1: stray character 'y' *" '(printf y; sleep 0.1; yes 1) | "$BIGMUL" - b'
endless 1 "standard input:1:4: sign * after the first digit" '(printf 0; sleep 0.1; printf xf; yes -) | "$BIGMUL" - b'
endless 1 "standard input:3:2: stray character 'g' *" '(printf "\\n\\n-"; sleep 0.1; yes 0xg | tr -d "0x") | "$BIGMUL" -b 16 - b'
endless 1 "standard input:1:2: second sign '+'" 'yes ++ | "$BIGMUL" - b'
# The first operand is wrong: nobody waits for the second one.
endless 1 '/dev/zero:1:1: *' '"$BIGMUL" /dev/zero - < <(exec sleep 30)'
endless 3 'standard input: more bytes than --memory=1M leaves for it (*' 'yes 1 | "$BIGMUL" --memory=1M - b'
endless 3 'standard input: more bytes than --memory=1M leaves for it (*' 'yes 1 | "$BIGMUL" --memory=1M b -'
# What may still become a number is waited for, byte by byte.
input -30303 '(for c in - 0 x 7 6 5 f; do printf $c; sleep 0.02; done) | "$BIGMUL" -B 10 - <(echo 1)'
input 765 '(for c in 0 _ 7 6 5; do printf $c; sleep 0.02; done) | "$BIGMUL" - <(echo 1)'

# A number in the place of a file.
bad_input 1 '12: No such file or directory; an operand is a file: in bash, <(echo 12) is one with this number' '"$BIGMUL" 12 b'
bad_input 1 '*<(echo 0xFF_f) is one with this number' '"$BIGMUL" a 0xFF_f'
bad_input 1 '*<(echo -5) is one with this number' '"$BIGMUL" -- -5 b'
input 24 '"$BIGMUL" <(echo 12) <(echo 2)'

# More than a pipe holds, and more than the first buffer.
random_digits 300000 10 7 >big
run 0 big b -o by_file
input "$(cksum <by_file)" 'cat big | "$BIGMUL" - b | cksum'
input "$(cksum <by_file)" '"$BIGMUL" - b <big | cksum'
# One writer for both: it opens the second pipe when the first is read.
input "$(cksum <by_file)" '{ cat big >fifo; cat b >fifo_2; } & "$BIGMUL" fifo fifo_2 | cksum'
input "$(cksum <by_file)" '(head -c 100000 big; sleep 0.2; tail -c +100001 big) | "$BIGMUL" b - | cksum'

# Files that cannot be read.
bad_input 1 'missing: No such file or directory' '"$BIGMUL" missing b'
bad_input 1 'missing: No such file or directory' '"$BIGMUL" a missing'
bad_input 1 'a/x: Not a directory' '"$BIGMUL" a/x b'
bad_input 1 "'': No such file or directory" '"$BIGMUL" "" b'
mkdir folder
bad_input 1 'folder: Is a directory' '"$BIGMUL" folder b'
bad_input 1 'folder: Is a directory' '"$BIGMUL" a folder'
: >empty
bad_input 1 'empty:*' '"$BIGMUL" empty b'
bad_input 1 'empty:*' '"$BIGMUL" a empty'
bad_input 1 'empty:*' '"$BIGMUL" --square empty'
bad_input 1 '/dev/null:*' '"$BIGMUL" /dev/null b'
# shellcheck disable=SC2034 # in words of bad_input
if as=$(unprivileged); then
    cp a secret
    chmod 0 secret
    bad_input 1 'secret: Permission denied' '$as "$BIGMUL" secret b'
else
    echo "no way to give up root's rights: unreadable files not tried"
fi
ln -s loop loop
bad_input 1 'loop: Too many levels of symbolic links' '"$BIGMUL" loop b'

# A file without a size, as in /proc.
if [[ -r /proc/sys/kernel/pid_max ]]; then
    input "$(cat /proc/sys/kernel/pid_max)" 'echo 1 | "$BIGMUL" /proc/sys/kernel/pid_max -'
fi

# Files from 64 MiB on are mapped: leading zeros, and 12 at the end.
{
    head -c 67108864 /dev/zero | tr '\0' 0
    echo 12
} >mapped
prints 144 mapped mapped
prints 1481481468 mapped a
prints 1481481468 a mapped
input 144 '"$BIGMUL" --square - <mapped'
input 144 '"$BIGMUL" mapped - <mapped'
run 0 --plan mapped a
check "--plan of a mapped file" grep -q '^engine: ' out

# Wait until process $1 has mapped the file.
wait_for_map()
{
    for _ in $(seq 200); do
        grep -q /mapped "/proc/$1/maps" 2>/dev/null && return 0
        sleep 0.05
    done
    return 1
}

# A name with control characters is in one line of a message, and no terminal obeys it.
odd=$'od\nd\e[2J\x7f\t\xc3\xa4' shown='od\nd\x1b[2J\x7f\x09'$'\xc3\xa4'
refuses 1 "${shown//\\/\\\\}: No such file or directory" "$odd" b
printf 'x' >"$odd"
refuses 1 "${shown//\\/\\\\}:1:1: stray character 'x' *" b "$odd"
refuses 1 "${shown//\\/\\\\}/z: Not a directory" -o "$odd/z" a b
refuses 2 'unknown base *\\n0*' --base=$'1\n0' a b
long=$(printf '%04000d\n' 0)
refuses 1 "$long: File name too long" "$long" b
rm "$odd"

# A mapped file that changes before its digits are read: the second operand is a pipe that keeps bigmul waiting.
changed()
{
    local what=$1 threads=${3:-2} name=${4:-mapped} status=0
    n_checks=$((n_checks + 1))
    mkfifo pipe
    "$BIGMUL" --threads "$threads" -o result "$name" pipe >out 2>err &
    local pid=$!
    exec 3>pipe
    if wait_for_map $pid; then
        eval "$2"
    else
        fail "the file is not mapped"
    fi
    echo 5 >&3
    exec 3>&-
    wait $pid || status=$?
    [[ $status == 1 ]] || fail "$what: status $status, should be 1"
    [[ ! -s out && ! -e result ]] || fail "$what: a product in spite of it"
    [[ $(<err) == "bigmul: ${name//$'\n'/\\n}: file changed while being read"* && $(wc -l <err) == 1 ]] ||
        fail "$what: said '$(head -c 300 err)'"
    rm -f pipe result
}
if [[ -r /proc/self/maps ]]; then
    if [[ $SANITIZER == no ]]; then # the sanitizers have a handler of their own for the signal
        changed "a file cut short" 'truncate -s 4096 mapped'
        head -c 67108864 /dev/zero | tr '\0' 7 >mapped
        changed "digits cut short, read by many threads" 'truncate -s 4096 mapped' 16
        head -c 67108864 /dev/zero | tr '\0' 7 >mapped
        ln mapped mapped$'\n'
        changed "a file cut short, of an odd name" 'truncate -s 4096 mapped' 2 mapped$'\n'
        { head -c 67108864 /dev/zero | tr '\0' 0 && echo 12; } >mapped
    fi
    changed "a file written to" 'echo 3 >>mapped'
    changed "a file that is no number any more" 'printf x | dd of=mapped bs=1 seek=1000 conv=notrunc status=none'
fi

finish
