#!/usr/bin/env bash
# t-bigmul_output.sh - where bigmul's product goes: written whole or not at all.
# SPDX-License-Identifier: LGPL-3.0-or-later
. "$(dirname "$0")/bigmul_test.sh"

file a '123456789\n'
file b '987654321'
want=121932631112635269
random_digits 200000 10 5 >big

# Nothing half-written: no temporary file is left in a folder.
check_tidy()
{
    n_checks=$((n_checks + 1))
    local left
    left=$(find . -name '.bigmul*')
    [[ -z $left ]] || fail "left behind: $left"
}

# contains FILE TEXT
contains()
{
    n_checks=$((n_checks + 1))
    [[ $(<"$1") == "$2" && $(tail -c 1 "$1" | od -An -tx1) == *0a* ]] || fail "$1 holds '$(head -c 100 "$1")', should be '$2'"
}

# -o: a new file, an old one, a path, the operand itself; "-" is standard output.
writes -o new a b
contains new $want
writes --output=new a a
contains new 15241578750190521
mkdir folder
writes -o folder/new a b
contains folder/new $want
# shellcheck disable=SC2154 # bigmul_test.sh makes it
writes -o "$tmp/folder/other" a b
contains folder/other $want
cp a same
writes -o same same b
contains same $want
prints $want -o - a b
check_tidy

# The same bytes on standard output and in a file, whatever their length.
run 0 big big
cp out by_stdout
run 0 big big -o by_file
check "the same on standard output and in a file" cmp -s by_stdout by_file
"$BIGMUL" big big | cat >by_pipe
check "the same through a pipe" cmp -s by_stdout by_pipe
echo first >appended
"$BIGMUL" a b >>appended
check "appended to a file" test "$(cat appended)" = "first
$want"

# Modes: as umask gives for a new file, as it was for an old one.
for mask in 022 077 002; do
    rm -f new
    (umask $mask && "$BIGMUL" -o new a b)
    : >by_shell$mask
    check "the mode under umask $mask" test "$(stat -c %a new)" = "$(printf %o $((0666 & ~mask)))"
done
chmod 640 new
writes -o new a b
check "the mode of the old file" test "$(stat -c %a new)" = 640
if [[ $(id -u) == 0 ]]; then
    chown 12345:23456 new
    writes -o new a b
    check "the owner of the old file, as root" test "$(stat -c %u:%g:%a new)" = 12345:23456:640
fi

# The old file is replaced, not written to: who has it open, or has another link to it, keeps the old text.
writes -o new a b
ln new hard
exec 4<new
writes -o new a a
contains hard $want
check "an open file keeps its text" test "$(cat <&4)" = $want
exec 4<&-

# Symbolic links are followed: relative, absolute, in a chain, and to nothing yet.
mkdir links
echo old >target
ln -s ../target links/relative
ln -s "$tmp/target" links/absolute
ln -s relative links/chain
for link in relative absolute chain; do
    echo old >target
    writes -o links/$link a b
    contains target $want
    check "the link is still one" test -L links/$link
done
ln -s ../nothing links/dangling
writes -o links/dangling a b
contains nothing $want
check "the link is still one" test -L links/dangling
ln -s loop links/loop
refuses 1 "links/loop: Too many levels of symbolic links" -o links/loop a b
check_tidy

# Not regular files: written to as they are.
if null=$(device null); then
    writes -o "$null" a b
    check "$null is still a device" test -c "$null"
fi
mkfifo pipe
cat pipe >through &
writes -o pipe a b
wait $!
contains through $want
check "the pipe is still there" test -p pipe
n_checks=$((n_checks + 1))
got=$("$BIGMUL" -o /dev/stdout a b | cat) && [[ $got == "$want" ]] || fail "-o /dev/stdout printed '$got'"
got=$("$BIGMUL" -o /dev/fd/5 a b 5>&1 | cat) && [[ $got == "$want" ]] || fail "-o /dev/fd/5 printed '$got'"
# What is in an open file, and what follows, stays there.
ln -s /dev/stdout links/stdout
ln -s stdout links/to_stdout
for name in /dev/stdout /dev/fd/1 /proc/self/fd/1 /proc/thread-self/fd/1 links/stdout links/to_stdout; do
    echo before >shared
    { "$BIGMUL" -o $name a b && echo behind; } >>shared
    contains shared "$(printf '%s\n' before $want behind)"
done
refuses 1 "/dev/fd/77: Bad file descriptor" -o /dev/fd/77 a b

# What cannot be written.
refuses 1 "folder: Is a directory" -o folder a b
refuses 1 "folder/: Is a directory" -o folder/ a b
refuses 1 "missing/: Is a directory" -o missing/ a b
refuses 1 "missing/x: No such file or directory" -o missing/x a b
refuses 1 "a/x: Not a directory" -o a/x b b
refuses 1 "'': No such file or directory" -o '' a b
check "nothing was made of it" test ! -e missing
if full=$(device full); then
    refuses 1 "$full: No space left on device" -o "$full" a b
    refuses 1 "$full: No space left on device" -o "$full" big big
fi
if [[ -d /proc/self ]]; then
    refuses 1 "/proc/x: *" -o /proc/x a b
fi
# failing STATUS MESSAGE COMMAND - the command's last word on standard error has to be "bigmul: MESSAGE".
failing()
{
    local status=0
    n_checks=$((n_checks + 1))
    eval "$3" 2>err || status=$?
    [[ $status == "$1" ]] || fail "$3: status $status, should be $1"
    # shellcheck disable=SC2053
    [[ $(<err) == "bigmul: "$2 ]] || fail "$3: said '$(head -c 300 err)', should be 'bigmul: $2'"
}
echo old >mounted
if unshare -rm mount --bind mounted mounted 2>/dev/null; then
    failing 1 "mounted: a mount point, *" \
        "unshare -rm sh -c 'mount --bind mounted mounted && exec \"$BIGMUL\" -o mounted missing b'"
    contains mounted old
fi
if as=$(unprivileged); then
    if [[ $as ]]; then # else it is our own file
        mkdir -m 1777 sticky
        echo old >sticky/old
        chmod 666 sticky/old
        failing 1 "sticky/old: another user's file in a sticky folder, *" "$as \"$BIGMUL\" -o sticky/old missing b"
        contains sticky/old old
    fi
    mkdir locked
    echo old >locked/old
    echo old >kept
    chmod 555 locked
    chmod 444 kept locked/old
    failing 1 "locked/new: Permission denied" '$as "$BIGMUL" -o locked/new a b'
    failing 1 "locked/old: Permission denied" '$as "$BIGMUL" -o locked/old a b'
    failing 1 "kept: Permission denied" '$as "$BIGMUL" -o kept a b'
    contains locked/old old
    contains kept old
else
    echo "no way to give up root's rights: folders without permission to write not tried"
fi

# Bad input touches nothing.
rm -f kept
echo old >kept
file wrong 12x
refuses 1 "wrong:1:3: *" -o kept a wrong
refuses 1 "missing: *" -o kept a missing
contains kept old
refuses 1 "wrong:1:3: *" -o fresh a wrong
check "no file is made for bad input" test ! -e fresh
check_tidy

# Standard output that fails.
if [[ -c /dev/full ]]; then
    failing 1 "standard output: No space left on device" '"$BIGMUL" a b >/dev/full'
    failing 1 "standard output: No space left on device" '"$BIGMUL" big big >/dev/full'
    failing 1 "standard output: No space left on device" '"$BIGMUL" --plan a b >/dev/full'
    failing 1 "standard output: No space left on device" '"$BIGMUL" --help >/dev/full'
    failing 1 "standard output: No space left on device" '"$BIGMUL" --version >/dev/full'
    failing 1 "standard output: No space left on device" '"$BIGMUL" --list-devices >/dev/full'
    # No statistics of a product that could not be written.
    failing 1 "standard output: No space left on device" '"$BIGMUL" --stats=json a b >/dev/full'
fi
# Statistics that standard error does not take: the product is there, the status says that they are not.
if [[ -c /dev/full ]]; then
    for form in text json; do
        n_checks=$((n_checks + 1))
        status=0
        got=$("$BIGMUL" --stats=$form --progress=always a b 2>/dev/full) || status=$?
        [[ $status == 1 && $got == "$want" ]] || fail "--stats=$form into a full file: status $status, printed '$got'"
    done
    n_checks=$((n_checks + 1))
    got=$("$BIGMUL" --progress=always a b 2>/dev/full) && [[ $got == "$want" ]] || fail "a bar into a full file: printed '$got'"
fi
failing 1 "standard output: Bad file descriptor" '"$BIGMUL" a b >&-'
failing 1 "standard output: Bad file descriptor" '"$BIGMUL" a b 1<a'
failing 1 "standard output: Bad file descriptor" '"$BIGMUL" no-such-file b 1<a' # before any operand is read
# A closed standard output is not given to the next file that is opened.
prints_closed=0
"$BIGMUL" -o new a b >&- 2>err || prints_closed=$?
check "-o with standard output closed" test $prints_closed = 0
contains new $want
"$BIGMUL" a wrong >out 2>&- && fail "a wrong number, with standard error closed: status 0"
check "the operand is as it was" test "$(cat wrong)" = 12x

# A pipe that its reader has closed: a message, no signal.
failing 1 "standard output: Broken pipe" '{ "$BIGMUL" big big; echo $? >status; } | head -c 1 >/dev/null; (exit "$(cat status)")'
# Even where whoever started bigmul left SIGPIPE at its default or ignored it.
failing 1 "standard output: Broken pipe" \
    '(trap "" PIPE; { "$BIGMUL" big big; echo $? >status; } | head -c 1 >/dev/null); (exit "$(cat status)")'

# A limit on the size of files, with its signal at its default and ignored: the old file stays, no new one appears.
echo old >kept
for ignore in : 'trap "" XFSZ'; do
    failing 1 "fresh: File too large" "($ignore; ulimit -f 100; \"\$BIGMUL\" -o fresh big big)"
    check "no file beyond its limit" test ! -e fresh
    failing 1 "kept: File too large" "($ignore; ulimit -f 100; \"\$BIGMUL\" -o kept big big)"
    contains kept old
    failing 1 "standard output: File too large" "($ignore; ulimit -f 100; \"\$BIGMUL\" big big >limited)"
done
check_tidy

# A full disk, and one that cannot be written: in a name space of our own, which ends with its last process.
mkdir disk
cat >disk.sh <<'END'
set -eu
mount -t tmpfs -o size=64k none disk
echo old >disk/kept
for name in kept fresh; do
    status=0
    "$BIGMUL" -o disk/$name big big || status=$?
    [ $status = 1 ]
done
[ "$(cat disk/kept)" = old ]
[ ! -e disk/fresh ]
[ "$(ls -A disk)" = kept ]
mount -o remount,bind,ro disk
for name in kept fresh; do
    status=0
    "$BIGMUL" -o disk/$name a b || status=$?
    [ $status = 1 ]
done
END
if have unshare && unshare -rm mount -t tmpfs none disk 2>/dev/null; then
    failing 0 "disk/kept: No space left on device
bigmul: disk/fresh: No space left on device
bigmul: disk/kept: Read-only file system
bigmul: disk/fresh: Read-only file system" 'export BIGMUL; unshare -rm bash disk.sh'
else
    echo "no right to mount: a full disk not tried"
fi

# A reader that makes the pipe non-blocking, and is slow.
if have python3; then
    n_checks=$((n_checks + 1))
    python3 -c '
import os, subprocess, sys, time
r, w = os.pipe()
os.set_blocking(w, False)
p = subprocess.Popen(sys.argv[1:], stdout=w)
os.close(w)
time.sleep(0.3)
data = b""
while True:
    part = os.read(r, 65536)
    if not part: break
    data += part
assert p.wait() == 0, p.returncode
open("slow", "wb").write(data)' "$BIGMUL" big big || fail "a non-blocking pipe"
    check "the same through a non-blocking pipe" cmp -s slow by_stdout
fi

finish
