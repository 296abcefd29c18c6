#!/usr/bin/env bash
# t-bigmul_lenient.sh - --lenient: a point, y-cruncher's marks, bc's backslashes, byte order marks and gzip; hints at it.
# SPDX-License-Identifier: LGPL-3.0-or-later
. "$(dirname "$0")/bigmul_test.sh"

file one '1'

# lenient TEXT WANT - TEXT is refused without the option, and is WANT with it, from a file and from a pipe.
lenient()
{
    local got
    file q "$1"
    run 1 q one
    prints "$2" --lenient -B 10 q one
    n_checks=$((n_checks + 1))
    got=$(cat q | "$BIGMUL" --lenient -B 10 - one) && [[ $got == "$2" ]] || fail "a pipe with '$1': '$got', should be '$2'"
}

# Values: the point is dropped.
lenient '3.14159\n' 314159
lenient '-3.14159' -314159
lenient '.5' 5
lenient '-.5' -5
lenient '+.050\n' 50
lenient '0.001' 1
lenient '12.' 12
lenient '3.\n1415 9265\n' 314159265
lenient '0x3.2_43f' 205887
lenient '3._14' 314
# bc's lines.
lenient '12\\\n34\\\n56\n' 123456
lenient '-12\\\r\n34\r\n' -1234
lenient '.12\\\n34\n' 1234
# y-cruncher's marks.
lenient '3.\n1415926535 8979323846  :  20\n2643  :  24\n' 3141592653589793238462643
lenient '3.14159 26535:10' 31415926535
lenient '1234567890 : 10\r\n12345 : 15\r\n' 123456789012345
# A byte order mark.
lenient '\xef\xbb\xbf12\r\n' 12
lenient '\xef\xbb\xbf-1.5\n' -15
# A number is one with the option, too.
file q ' -1_2 3\n4'
prints -1234 --lenient q one
prints 1234 --lenient -b 16 -B 16 <(echo 1234) one

# wrong PLACE REASON TEXT - an error with the option, too.
wrong()
{
    file q "$3"
    refuses 1 "q:$1: $2" --lenient q one
}
wrong 1:4 'a second point' '1.2.3'
wrong 2:2 'a second point' '1.2\n3.'
wrong 1:2 'a sign without digits' '+ \n'
wrong 1:1 "stray character ',' *" ','
wrong 1:4 "'\\\\' that does not end its line" '12\\ 3'
wrong 1:4 "'\\\\' at the end: the text is cut off" '12\\'
wrong 1:5 "':' without a number behind it" '12 :\n3'
wrong 1:6 "the mark says 3 digits, and there are 2" '12 :3\n'
wrong 2:6 "the mark says 4 digits, and there are 3 behind the point" '9.12\n3:  4'
wrong 1:11 "the mark says 1000 digits, and there are 4" '1234:1,000'
wrong 1:8 'a mark that is no number' '12 : 2 2'
wrong 1:5 'a mark that is no number' '12 :-2'
wrong 1:22 'a mark that is too large' '1:99999999999999999999999'
wrong 1:1 "stray character ':' *" ':1'
wrong 1:2 'a byte order mark that is cut off' '\xef12'
wrong 1:3 'a byte order mark that is cut off' '\xef\xbb'
wrong 1:2 'UTF-8 byte order mark; the number must be plain ASCII text' '1\xef\xbb\xbf'
wrong 1:3 "stray character ',' *" '12,5'
wrong 1:3 "stray character 'e' *" '12e5'

# Hints without it.
file q '1.5'
refuses 1 "q:1:2: stray character '.' in a number of base 10; --lenient drops a point" q one
file q '12\\\n3'
refuses 1 "q:1:3: *; --lenient joins such lines" q one
file q '12\r\n34\n56 : 6'
refuses 1 "q:3:4: *; --lenient drops such marks" q one
file q '\xef\xbb\xbf1'
refuses 1 "q:1:1: UTF-8 byte order mark; *; --lenient allows it" q one
file q '\xfd7zXZ\0'
refuses 1 "q:1:1: *; compressed by xz: xz -dc FILE decompresses it" q one
refuses 1 "q:1:1: *; compressed by xz: xz -dc FILE decompresses it" --lenient q one
file q 'BZh91AY'
refuses 1 "q:1:1: *; compressed by bzip2: *" q one
file q '#Compressed Digit File\r\n'
refuses 1 "q:1:1: *; y-cruncher's compressed digits: let it write them as text" q one
file q 'abc'
refuses 1 "q:1:1: stray character 'a' in a number of base 10" q one

# Files from 64 MiB on are mapped.
{ printf '0.' && head -c 67108864 /dev/zero | tr '\0' 0 && printf '1\\\n2\n'; } >mapped
refuses 1 "mapped:1:2: *; --lenient drops a point" mapped one
prints 12 --lenient mapped one
printf x >>mapped
refuses 1 "mapped:3:1: stray character 'x' *" --lenient mapped one
rm mapped

if have gzip; then
    echo 3.14159 | gzip >q.gz
    refuses 1 "q.gz:1:1: byte 0x1f *; compressed by gzip: *" q.gz one
    if "$BIGMUL" --lenient q.gz one >out 2>err; then
        prints 314159 --lenient q.gz one
        prints 98596 --lenient --square <(echo 3.14 | gzip)
        random_digits 300000 10 5 >long
        run 0 long one -o want
        gzip <long >long.gz
        run 0 --lenient long.gz one
        check "a long file of gzip" cmp -s out want
        n_checks=$((n_checks + 1))
        head -c 100000 long | gzip >two.gz
        tail -c +100001 long | gzip >>two.gz
        "$BIGMUL" --lenient - one <two.gz 2>err | cmp -s - want || fail "two members of gzip: $(<err)"
        # of 64 MiB and more, as text
        head -c 70000000 /dev/zero | tr '\0' 0 | cat - one | gzip -1 >zeros.gz
        prints 1 --lenient zeros.gz one
        head -c 5000 long.gz >cut.gz
        refuses 1 "cut.gz: it is no whole file of gzip: it is cut off" --lenient cut.gz one
        { cat q.gz && echo 55; } >behind.gz
        refuses 1 "behind.gz: it is no whole file of gzip: its data are damaged, or something else follows them" \
            --lenient behind.gz one
        { head -c 60000 long.gz && printf xxxx && tail -c +60005 long.gz; } >damaged.gz
        refuses 1 "damaged.gz: it is no whole file of gzip: its data are damaged*" --lenient damaged.gz one
        n_checks=$((n_checks + 1))
        status=0
        yes | gzip -1 | timeout 60 "$BIGMUL" --lenient - one >out 2>err || status=$?
        [[ $status == 1 && $(<err) == "bigmul: standard input:1:1: stray character 'y'"* ]] || fail "yes | gzip: $status, $(<err)"
        n_checks=$((n_checks + 1))
        yes 1 | gzip -1 | timeout 60 "$BIGMUL" --lenient --memory=2M - one >out 2>err && fail "2 MB of an endless number"
        [[ $(<err) == "bigmul: standard input: more bytes than --memory=2M leaves"* ]] || fail "yes 1 | gzip: $(<err)"
    else
        check "a build without zlib says so" grep -q 'which this build does not read: gzip -dc' err
    fi
fi

# Random numbers in random clothes, read in parts of any size.
if have python3; then
    n_checks=$((n_checks + 1))
    cat >dress.py <<'END'
import random, subprocess, sys

bigmul, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(seed)
for i in range(count):
    n = random.choice((1, 2, 50, 64, 65, 200, 1000, 5000, 200000))
    digits = "".join(random.choice("0123456789") for _ in range(n))
    point = random.choice((None, 0, 1, random.randint(0, n), n))
    width, line = random.choice((7, 50, 64, 100, 1000, n + 1)), random.choice(("\n", "\r\n"))
    marks, backslashes = random.random() < 0.5, random.random() < 0.5
    text = random.choice(("", "\ufeff", "\ufeff \n")) + random.choice(("", "", "-", "+"))
    negative = text.endswith("-")
    for at in range(0, n, width):
        part = digits[at:at + width]
        end = at + len(part)
        if point is not None and at <= point < end:
            part = part[:point - at] + "." + part[point - at:]
        if marks and end < n and end % 10 == 0:
            # behind the point, once there is one
            part += random.choice((" : ", ":", "\t:  ")) + (f"{end - (point if point is not None and point < end else 0):,}")
        elif backslashes and end < n:
            part += "\\"
        text += part + line
    if point == n and not text.endswith("\\"):
        text += "."
    raw = text.encode()
    with open("q", "wb") as f:
        f.write(raw)
    if i % 2 == 0:
        ran = subprocess.run([bigmul, "--lenient", "q", "one"], capture_output=True)
    else:
        p = subprocess.Popen([bigmul, "--lenient", "-", "one"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        at = 0
        while at < len(raw):
            step = random.choice((1, 2, 3, 63, 64, 65, 1000)) if at < 200 else len(raw)
            p.stdin.write(raw[at:at + step])
            p.stdin.flush()
            at += step
        out, err = p.communicate()
        ran = subprocess.CompletedProcess([], p.returncode, out, err)
    want = digits.lstrip("0") or "0"
    want = ("-" if negative and want != "0" else "") + want
    if ran.stdout.decode().strip() != want:
        sys.exit(f"number {i}: {text[:300]!r}: status {ran.returncode}, {ran.stdout[:100]}, {ran.stderr[:200]}, "
                 f"should be {want[:100]}")
END
    python3 dress.py "$BIGMUL" "${GFMUL_TEST_SEED:-$RANDOM}" 120 || fail "a number in other clothes"
fi
finish
