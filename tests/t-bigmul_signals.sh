#!/usr/bin/env bash
# t-bigmul_signals.sh - bigmul ended by a signal, whenever it comes: the signal's status, and nothing half-written.
# SPDX-License-Identifier: LGPL-3.0-or-later
. "$(dirname "$0")/bigmul_test.sh"
# The thread sanitizer holds signals back until the program calls it, and bigmul may be waiting in a read by then.
[[ $SANITIZER != thread ]] || skip_all "the thread sanitizer delivers signals late"

random_digits 100000 10 3 | tr -d '\n' >block
for _ in $(seq 20); do cat block; done >a
run 0 --square a
cp out want
echo old >old

# number_of SIGNAL
number_of() { kill -l "$1"; }

# A signal while bigmul waits for its input.
waiting()
{
    local signal=$1 status=0
    n_checks=$((n_checks + 1))
    rm -f pipe
    mkfifo pipe
    "$BIGMUL" -o result --progress=always a pipe >out 2>err &
    local pid=$!
    exec 3>pipe # returns when bigmul has opened it
    kill -s "$signal" $pid
    wait $pid 2>/dev/null || status=$?
    exec 3>&-
    [[ $status == $((128 + $(number_of "$signal"))) ]] || fail "$signal while waiting: status $status"
    [[ ! -e result && ! -s out ]] || fail "$signal while waiting: a product"
    [[ -z $(find . -name '.bigmul*') ]] || fail "$signal while waiting: a temporary file is left behind"
}
# Background jobs of a script ignore SIGINT and SIGQUIT; those come below, from Python.
for signal in TERM HUP ALRM USR1 XCPU; do
    waiting $signal
done

# What the one who starts bigmul ignores stays ignored (nohup).
n_checks=$((n_checks + 1))
rm -f pipe result
mkfifo pipe
(trap '' HUP && exec "$BIGMUL" -o result block pipe) 2>err &
pid=$!
exec 3>pipe
kill -s HUP $pid
echo 2 >&3
exec 3>&-
wait $pid || fail "SIGHUP under nohup: status $?"
[[ -s result ]] || fail "SIGHUP under nohup: no product"

# A signal after each of many delays, from the start to the end of the run, while computing and while writing: the old file
# is there as it was, or the new one complete.
if have python3; then
    n_checks=$((n_checks + 1))
    cat >delays.py <<'END'
import os, signal, subprocess, sys, time

bigmul, seconds = sys.argv[1], 0.0
for _ in range(2):
    start = time.monotonic()
    subprocess.run([bigmul, "-o", "result", "a", "a"], check=True)
    seconds = time.monotonic() - start
want = open("want", "rb").read()
signals = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT]
tries, ended, done = 40, 0, 0
for i in range(tries):
    with open("result", "w") as f:
        f.write("old\n")
    sent = signals[i % len(signals)]
    p = subprocess.Popen([bigmul, "-o", "result", "a", "a"], stderr=subprocess.PIPE, preexec_fn=lambda: [
        signal.signal(s, signal.SIG_DFL) for s in signals])
    time.sleep(seconds * 1.05 * i / tries)
    p.send_signal(sent)
    _, err = p.communicate()
    text = open("result", "rb").read()
    left = [f for f in os.listdir(".") if f.startswith(".bigmul")]
    if left:
        sys.exit(f"{sent.name} after {i}/{tries} of the time: left behind {left}")
    if p.returncode == -sent:
        ended += 1
        # the signal may have come between the renaming and the end of the program
        if text not in (b"old\n", want):
            sys.exit(f"{sent.name} after {i}/{tries} of the time: {len(text)} bytes in the file")
    elif p.returncode == 0:
        done += 1
        if text != want:
            sys.exit(f"status 0, but {len(text)} bytes in the file")
    else:
        sys.exit(f"{sent.name} after {i}/{tries} of the time: status {p.returncode}: {err.decode()}")
print(f"{tries} signals: {ended} ended the program, {done} came too late")
if ended == 0:
    sys.exit("not one signal ended the program")
END
    python3 delays.py "$BIGMUL" || fail "a signal in the middle"

    # A system without files that have no name (NO_TMPFILE set), or one that cannot name them afterwards.
    cat >nameless.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    if ((flags & O_TMPFILE) != O_TMPFILE || !getenv("NO_TMPFILE"))
        return openat(AT_FDCWD, path, flags, mode);
    errno = EOPNOTSUPP;
    return -1;
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    (void)from_folder, (void)from, (void)to_folder, (void)to, (void)flags;
    errno = ENOENT;
    return -1;
}
END
    nameless=
    if [[ $SANITIZER == no ]] && ${CC:-cc} -shared -fPIC nameless.c -o nameless.so >compiler.log 2>&1; then
        nameless=$PWD/nameless.so
        for without in linkat NO_TMPFILE; do
            rm -f result
            LD_PRELOAD=$nameless env $without=1 "$BIGMUL" -o result a a 2>err
            check "the product without $without" cmp -s result want
            check "no temporary file without $without" test -z "$(find . -name '.bigmul*')"
        done
    fi

    # While the temporary file is there: bigmul is stopped when it appears, the signal sent, and bigmul goes on.
    cat >writing.py <<'END'
import os, signal, subprocess, sys

bigmul, caught, tries = sys.argv[1], 0, 0
while tries < 20 or (caught == 0 and tries < 500):  # on a busy machine this program may look too late
    tries += 1
    if os.path.exists("result"):
        os.unlink("result")
    p = subprocess.Popen([bigmul, "-o", "result", "a", "a"])
    while p.poll() is None and not any(f.startswith(".bigmul") for f in os.listdir(".")):
        pass
    if p.poll() is None:
        p.send_signal(signal.SIGSTOP)
        there = any(f.startswith(".bigmul") for f in os.listdir("."))
        p.send_signal(signal.SIGTERM)
        p.send_signal(signal.SIGCONT)
        p.wait()
        if there and p.returncode == -signal.SIGTERM:
            caught += 1
            if os.path.exists("result") and open("result", "rb").read() != open("want", "rb").read():
                sys.exit("a product that is not whole")
    left = [f for f in os.listdir(".") if f.startswith(".bigmul")]
    if left:
        sys.exit(f"left behind {left}")
print(f"{caught} of {tries} signals while the product was being written")
if caught == 0:
    sys.exit("no signal came while the product was being written")
END
    if [[ $nameless ]]; then
        n_checks=$((n_checks + 1))
        LD_PRELOAD=$nameless NO_TMPFILE=1 python3 writing.py "$BIGMUL" || fail "a signal while the product is being written"
    fi

    # SIGKILL while it is written: the old file stays, and nothing beside it, if this system has files without names.  The time
    # between its name and the renaming is short.
    n_checks=$((n_checks + 1))
    cat >killed.py <<'END'
import os, subprocess, sys

bigmul, caught, named, tries = sys.argv[1], 0, 0, 0
try:
    os.close(os.open(".", os.O_TMPFILE | os.O_WRONLY))
except (AttributeError, OSError):
    sys.exit(0)
with open("kept", "w") as f:
    f.write("old")
product = subprocess.run([bigmul, "a", "a"], stdout=subprocess.PIPE, check=True).stdout.decode()
while tries < 20 or (named > caught // 2 and tries < 500):  # the kill comes late where this program has to wait
    tries += 1
    p = subprocess.Popen([bigmul, "-o", "kept", "a", "a"])
    folder = f"/proc/{p.pid}/fd"
    here = os.getcwd()

    def writes():
        try:
            return any(os.readlink(f"{folder}/{fd}").startswith((here + "/#", here + "/.bigmul")) for fd in os.listdir(folder))
        except OSError:
            return False

    while p.poll() is None and not writes():
        pass
    p.kill()
    if p.wait() != 0:
        caught += 1
        with open("kept") as f:
            if f.read() not in ("old", product):  # it may be killed behind the renaming
                sys.exit("a killed program has left a part of the product")
    with open("kept", "w") as f:
        f.write("old")
    for left in [f for f in os.listdir(".") if f.startswith(".bigmul")]:
        named += 1
        os.unlink(left)
print(f"{caught} of {tries} killed while the product was being written, {named} in the moment in which it is renamed")
if named > caught // 2:
    sys.exit("files are left behind")
END
    python3 killed.py "$BIGMUL" || fail "SIGKILL while the product is being written"
else
    echo "no python3: signals in the middle not tried"
fi

finish
