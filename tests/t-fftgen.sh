#!/usr/bin/env bash
# t-fftgen.sh - the program fftgen: its words, its files, its errors.  Needs no OpenCL.
# SPDX-License-Identifier: LGPL-3.0-or-later
SRCDIR=$(cd "${SRCDIR:-$(dirname "$0")/..}" && pwd)
# shellcheck source=tests/fftgen_test.sh
. "$SRCDIR/tests/fftgen_test.sh"

# run STATUS ARGUMENT... - run fftgen with its output in out and err.
run()
{
    local want=$1 got=0
    shift
    n_checks=$((n_checks + 1))
    "$FFTGEN" "$@" >out 2>err </dev/null || got=$?
    [[ $got == "$want" ]] || fail "fftgen $*: status $got, should be $want: $(head -c 500 err)"
}

# says FILE TEXT - a line of out or err contains the text.
says()
{
    n_checks=$((n_checks + 1))
    grep -qF -- "$2" "$1" || fail "no '$2' in: $(head -c 500 "$1")"
}

# files FOLDER NAME... - exactly these are there.
files()
{
    local folder=$1
    shift
    n_checks=$((n_checks + 1))
    [[ $(ls -A "$folder") == "$(printf '%s\n' "$@" | sort)" ]] || fail "in $folder: $(ls -A "$folder")"
}

# Help, on standard output, names every key; so does the document.
run 0 --help
keys="DATA FFTDATA LOGN N BITREV DIRECTION ID NONEZ SCALING INPRECISION OUTPRECISION ALGORITHM STRUCTURE TWIDDLE
TABLE PRODUCTS DIM STOPLEVEL USECONSTANTS KERNELHEIGHT KERNELWIDTH KERNELSIZE KERNELNUM"
for key in $keys; do
    run 0 --help
    says out "  $key "
    run 0 --help "$key"
    says out "$key"
    says out "default:"
    grep -q "^| $key |" "$SRCDIR/doc/fftgen.md" || fail "doc/fftgen.md does not explain $key"
    grep -q "^.B $key\$" "$SRCDIR/doc/fftgen.1" || fail "doc/fftgen.1 does not explain $key"
done
run 2 --help NOKEY
run 0 --version
says out "fftgen (gfmul)"

# The files of a transform, and nothing else; in the folder asked for.
run 0 ID=a1 LOGN=9
files fft_a1 Makefile fft_a1.c fft_a1.cl fft_a1.h fft_a1_example.c
run 0 -o here LOGN=8 TWIDDLE=t.bin FFTDATA=float
files here Makefile fft_gen.c fft_gen.cl fft_gen.h fft_gen_example.c t.bin
[[ $(wc -c <here/t.bin) == 1024 ]] || fail "the table of 128 float twiddles has $(wc -c <here/t.bin) bytes"
grep -q '^ \*     LOGN=8$' here/fft_gen.cl || fail "the banner does not say the parameters"
run 0 --output=here ID=b LOGN=8
files here Makefile fft_b.c fft_b.cl fft_b.h fft_b_example.c fft_gen.c fft_gen.cl fft_gen.h fft_gen_example.c t.bin

# The size of a table is that of its algorithm: N/2, 3N/4, 7N/8, N/2, N/4 points; of T about 3N/2 numbers.  Reduced: N/4
# cosines, or N numbers (C: N/2) for products of three, and one more behind a quarter of a turn.
for size in 2:8192:2064:8192 4:12288:2064:8192 8:14336:2064:8192 S:8192:2064:8192 C:4096:2064:4112; do
    IFS=: read -r algorithm all cosines three <<<"$size"
    for keys in "$all" "$cosines TABLE=REDUCED" "$three TABLE=REDUCED PRODUCTS=3"; do
        # shellcheck disable=SC2086
        run 0 -o sizes TWIDDLE=t.bin LOGN=10 ALGORITHM="$algorithm" ${keys#"${keys%% *}"}
        n_checks=$((n_checks + 1))
        (($(wc -c <sizes/t.bin) == ${keys%% *})) || fail "the table of ALGORITHM=$algorithm $keys has $(wc -c <sizes/t.bin) bytes"
    done
done
run 0 -o sizes TWIDDLE=t.bin LOGN=10 ALGORITHM=T
n_checks=$((n_checks + 1))
numbers=$(($(wc -c <sizes/t.bin) / 8))
((numbers > 1024 * 4 / 3 && numbers <= 1024 * 3 / 2)) || fail "the table of ALGORITHM=T has $numbers numbers"
# A table in a folder of the folder; not behind a link, and not elsewhere.
run 0 -o deep TWIDDLE=tables/one/t.bin LOGN=8
files deep Makefile fft_gen.c fft_gen.cl fft_gen.h fft_gen_example.c tables
grep -q 'file_read(folder, "tables/one/t.bin"' deep/fft_gen.c || fail "the table of a folder is not read from there"
[[ $(wc -c <deep/tables/one/t.bin) == 2048 ]] || fail "the table of 128 double twiddles has $(wc -c <deep/tables/one/t.bin) bytes"
# Paths: from the folder on, or from the root; the host functions read them from there.
run 0 -o paths TWIDDLE=./t.bin LOGN=8
run 0 -o paths TWIDDLE=../beside/t.bin LOGN=8
run 0 -o paths TWIDDLE="$tmp/absolute/a/t.bin" LOGN=8
for file in paths/t.bin beside/t.bin absolute/a/t.bin; do
    n_checks=$((n_checks + 1))
    [[ $(wc -c <$file) == 2048 ]] || fail "the table $file has $(wc -c <$file) bytes"
done
grep -qF "file_read(folder, \"$tmp/absolute/a/t.bin\"" paths/fft_gen.c || fail "the table is not read from its path"
for name in ../paths/fft_gen.c ./Makefile "$tmp/paths/fft_gen.h" ..; do
    run 2 -o paths TWIDDLE="$name" LOGN=8
    says err "TWIDDLE=$name: allowed"
done
run 1 -o paths TWIDDLE=/dev/null/t.bin LOGN=8
says err "/dev/null/t.bin: "
mkdir elsewhere linked
ln -s "$tmp/elsewhere" linked/tables
run 1 -o linked TWIDDLE=tables/t.bin LOGN=8
says err "Not a directory"
[[ -z $(ls elsewhere) ]] || fail "a link led a table out of the folder"

# The generator's defaults as a file: empty values, and numbers that stand for a choice.
printf 'ID=\nNONEZ=\nKERNELSIZE=0\nKERNELNUM=0\nDIM=1024\nLOGN=10\n' >defaults
run 0 -o defaults1 -f defaults
run 0 -o defaults2 LOGN=10
for f in fft_gen.cl fft_gen.c; do
    n_checks=$((n_checks + 1))
    # the banner says DIM as it was given
    cmp -s <(sed 's/DIM=1024/DIM=0/' defaults1/$f) defaults2/$f || fail "$f of the defaults differs"
done

# The published defaults are the same words; what is given overrides them, before or behind.
run 0 -o published1 --defaults=published LOGN=8
run 0 -o published2 LOGN=8 FFTDATA=float SCALING=Y ALGORITHM=2 USECONSTANTS=Y KERNELHEIGHT=6 KERNELWIDTH=16
run 0 -o published3 LOGN=8 ALGORITHM=S --defaults=published
for f in fft_gen.cl fft_gen.c; do
    n_checks=$((n_checks + 1))
    cmp -s published1/$f published2/$f || fail "$f of the published defaults differs"
done
grep -q '^ \*     ALGORITHM=S$' published3/fft_gen.cl || fail "a word in front of --defaults is lost"
run 2 --defaults=mine
says err "allowed: --defaults=published"

# KERNELWIDTH=16 is 2^16 elements of a work-group, in a loop over what local memory holds; 0: chosen.
run 0 -o wide LOGN=18 KERNELWIDTH=16
n_checks=$((n_checks + 1))
groups=$(sed -n 's/^    {"fft_gen_forward_.*, \([0-9]*\), [0-9]*},$/\1/p' wide/fft_gen.c | sort -u)
[[ $groups == 4 ]] || fail "KERNELWIDTH=16 at 2^18 points: $groups work-groups, should be 4"
grep -q 'for (uint round = 0u; round < 32u; round++)' wide/fft_gen.cl || fail "KERNELWIDTH=16: no loop over blocks of 2^11"
run 0 -o wide LOGN=18
grep -q 'for (uint round' wide/fft_gen.cl && fail "a loop over blocks that nobody asked for"

# The same parameters give the same files.
run 0 -o again ID=b LOGN=8
for f in fft_b.cl fft_b.c fft_b.h; do
    n_checks=$((n_checks + 1))
    cmp -s here/$f again/$f || fail "$f differs"
done

# A parameter file, overridden by the command line, wherever the words stand.
printf '# a file\nLOGN=9 # points\n ALGORITHM = T\r\nID=f\n' >params
run 0 -o file ALGORITHM=2 -f params
grep -q '^ \*     LOGN=9$' file/fft_f.cl || fail "LOGN of the file is lost"
grep -q '^ \*     ALGORITHM=2$' file/fft_f.cl || fail "the command line does not override the file"
printf 'LOGN=9\nLOGN=10\nALGORITHM=X\n' >wrong
run 2 --file=wrong KERNELNUM=65537
says err "fftgen: wrong:2: LOGN: given twice"
says err "fftgen: wrong:3: ALGORITHM=X: allowed: 2, 4, 8, S, C or T"
says err "fftgen: KERNELNUM=65537: allowed: 0 (one) or 1 to 65536"
run 1 -f missing
says err "fftgen: missing: No such file or directory"
run 1 -f /
says err "fftgen: /: Is a directory"
head -c 2000000 /dev/zero >large
run 1 -f large

# Bad usage: all problems, and nothing written.
run 2 -o bad LOGN=99 DATA=Q FFTDATA=quad DIM=3,3 xyz
for text in "LOGN=99: allowed" "DATA=Q: allowed: C, R, I, R2, INT32, INT64 or LIMBS" \
    "FFTDATA=quad: allowed: float, double or dd" \
    "DIM=3,3: allowed" "'xyz' is not KEY=VALUE"; do
    says err "$text"
done
[[ ! -e bad ]] || fail "a folder was made in spite of the errors"
run 2 --nonsense
run 2 -o
run 2 --ceilings=1 --analyze
run 2 ID=../../x

# A link in the folder is not followed, and a file that cannot be written is an error.
mkdir trap
ln -s "$tmp/target" trap/fft_gen.cl
run 1 -o trap LOGN=8
[[ ! -e target ]] || fail "a link led out of the folder"
run 1 -o params LOGN=8

# Beyond a limit of file sizes: an error as on a full disk, and nothing is left of what was not finished.
n_checks=$((n_checks + 1))
status=0
(ulimit -f 1 && exec "$FFTGEN" -o limited LOGN=8) >out 2>err || status=$?
[[ $status == 1 ]] || fail "under ulimit -f: status $status, should be 1"
says err "limited/fft_gen.cl: File too large"
[[ ! -e limited ]] || fail "under ulimit -f: left behind: $(ls limited)"
# Files of two transforms are never mixed: where one cannot be written the folder stays as it was.
run 0 -o mixed LOGN=4
cp -r mixed before
n_checks=$((n_checks + 1))
status=0
(ulimit -f 8 && exec "$FFTGEN" -o mixed LOGN=10) >out 2>err || status=$?
[[ $status == 1 ]] || fail "under ulimit -f: status $status, should be 1"
[[ $(wc -l <err) == 1 ]] || fail "more than one message: $(<err)"
diff -r before mixed >/dev/null || fail "under ulimit -f: the folder has changed: $(ls mixed)"
# So is a picture.
echo old >old.svg
n_checks=$((n_checks + 1))
(ulimit -f 4 && exec "$FFTGEN" --graph=old.svg LOGN=6) >out 2>err && fail "a picture under ulimit -f: status 0"
[[ $(<old.svg) == old && -z $(find . -name 'old.svg.*') ]] || fail "under ulimit -f: the old picture is lost"
n_checks=$((n_checks + 1))
"$FFTGEN" --graph=/dev/stdout LOGN=4 2>err | grep -q '</svg>' || fail "--graph=/dev/stdout"
run 2 TWIDDLE=fft_gen_example LOGN=6
says err "allowed: a name that none of the other files has"
run 0 -o table TWIDDLE=example LOGN=6
# What cannot be written is said before a device is measured.
run 1 --tune=1 -o missing/folder LOGN=7
says err "missing/folder: No such file or directory"
run 2 --tune=1 --graph=large.svg LOGN=7
says err "--graph: not supported yet"

# The analysis: the operations of radix 2, levels that are skipped, the time.
run 0 --analyze LOGN=10 ALGORITHM=2
says out "closed formula"
says out ": $((5 * 1024 * 10 - 10 * 1024 + 16)) operations"
[[ ! -e fft_gen ]] || fail "--analyze alone wrote files"
run 0 --analyze LOGN=12 NONEZ=X0
says out "level 1: skipped"
grep -q "level 2: skipped" out && fail "a level too many is skipped"
run 0 --analyze LOGN=12 NONEZ=X000
says out "level 2: skipped"
grep -q "level 3: skipped" out && fail "a level too many is skipped"
# the recursion of the algorithm: as many operations as its formula says
for algorithm in 2 4 S C T; do
    run 0 --analyze LOGN=8 ALGORITHM=$algorithm
    n_checks=$((n_checks + 1))
    formula=$(sed -n 's/.*closed formula.*: \([0-9]*\) operations/\1/p' out | sort -u)
    grep -q "total: .* = $formula," out || fail "not $formula operations: $(grep total out)"
done
# what no recursion can have is refused, and never another algorithm under its name; in dimensions it is to be had
for keys in "ALGORITHM=T TWIDDLE=ONFLY" DIM=64,64 "STOPLEVEL=4 DIRECTION=F" "ALGORITHM=4 KERNELHEIGHT=1" \
    "ALGORITHM=8 KERNELHEIGHT=2" KERNELWIDTH=1; do
    # shellcheck disable=SC2086
    run 2 --analyze LOGN=12 $keys
    says err "(STRUCTURE=DIMENSIONS has more, with codelets of the algorithm alone)"
    # shellcheck disable=SC2086
    run 0 --analyze LOGN=12 STRUCTURE=DIMENSIONS $keys
    says out "structure: dimensions, the algorithm makes their codelets alone"
done
# what it can have stays one
for keys in TWIDDLE=ONFLY KERNELHEIGHT=1 INPRECISION=12 OUTPRECISION=12 KERNELWIDTH=2 FFTDATA=dd; do
    algorithm=T
    [[ $keys != TWIDDLE=ONFLY ]] || algorithm=S
    run 0 --analyze ALGORITHM=$algorithm LOGN=12 $keys
    says out "structure: the recursion of the algorithm"
done
run 0 --analyze ALGORITHM=T LOGN=26
says out "structure: the recursion of the algorithm"
# complex products of three: 3 for each 4, where neither part is trivial
for products in 4 3; do
    run 0 --analyze LOGN=8 ALGORITHM=2 DIRECTION=F PRODUCTS=$products
    sed -n 's/.* + \([0-9]*\) products = .*/\1/p' out >products$products
done
n_checks=$((n_checks + 1))
(($(<products3) < $(<products4))) || fail "PRODUCTS=3 has $(<products3) products, 4 has $(<products4)"
# ... and the three products take three sums, so that all operations are as many
n_checks=$((n_checks + 1))
grep -q "total: .* = 7696," out || fail "PRODUCTS=3: $(grep total out)"
run 0 --analyze --ceilings=1000,1e4,5 LOGN=20 DIM=128,128,64 STRUCTURE=DIMENSIONS
says out "time: at least"
# 15 twiddles behind each 16 points; 8 behind each 8 points, of two parts each: 4 products, and 5 for parts from two tables
says out "in all $(((144 + 2 * 15) * 65536 + (52 + 2 * (8 + 9)) * 131072)) additions, "
says out "$(((24 + 4 * 15) * 65536 + (4 + 4 * (8 + 9)) * 131072)) products"
run 0 --analyze LOGN=3 SCALING=Y
says out "in all 52 additions, $((4 + 2 * 8)) products"
run 0 --analyze LOGN=20 USECONSTANTS=Y KERNELSIZE=256
says out "in global memory, because"

# Two real sequences for one transform: its operations, and 4 additions and 4 halvings for each of N/2 + 1 pairs of frequencies.
for algorithm in 2 S T; do
    run 0 --analyze LOGN=8 ALGORITHM=$algorithm DATA=R2 DIRECTION=F
    n_checks=$((n_checks + 1))
    formula=$(sed -n 's/.*closed formula.*: \([0-9]*\) operations/\1/p' out)
    grep -q "total: .* = $((formula + 8 * 129))," out || fail "DATA=R2: not $formula + 8 * 129 operations: $(grep total out)"
done
run 0 -o two LOGN=8 DATA=R2
says two/fft_gen.h "#define FFT_gen_SIGNAL_BYTES   ((size_t)$((2 * 256 * 8)))"
says two/fft_gen.h "#define FFT_gen_SPECTRUM_BYTES ((size_t)$((2 * 129 * 16)))"
run 2 LOGN=8 DATA=R2 BITREV=N
says err "BITREV=N: with DATA=R2"

# The picture: lines for each butterfly, grey ones where zeros are moved.
run 0 --graph=g.svg LOGN=4 NONEZ=X0
n_checks=$((n_checks + 1))
outputs=$(grep -o '>X[0-9]*<' g.svg | tr -d 'X<>' | paste -sd' ')
[[ $outputs == "0 8 4 12 2 10 6 14 1 9 5 13 3 11 7 15" ]] || fail "outputs of the picture"
n_checks=$((n_checks + 1))
[[ $(grep -c '<line' g.svg) == 128 && $(grep -c '<line.*#c8c8c8' g.svg) == 32 ]] || fail "lines of the picture"
if command -v xmllint >/dev/null 2>&1; then
    xmllint --noout g.svg || fail "the picture is no XML"
fi
run 2 --graph=h.svg LOGN=7
says err "not supported yet: more than 64 points"
[[ ! -e h.svg ]] || fail "a picture was written in spite of the error"
run 1 --graph=/nonexistent/h.svg LOGN=4

# The committed codelets are those that it writes.
run 0 --codelets
n_checks=$((n_checks + 1))
cmp -s out "$SRCDIR/lib/fft/fft_codelets.h" || fail "lib/fft/fft_codelets.h is not what --codelets writes: make regen"

# Tuning: not where the CPU has nothing to compare with, and not on a device that is not there.
run 2 --tune=no-such-device STOPLEVEL=3 DIRECTION=F STRUCTURE=DIMENSIONS
says err "--tune"
n_checks=$((n_checks + 1))
status=0
"$FFTGEN" --tune=no-such-device LOGN=8 >out 2>err || status=$?
# A build without OpenCL does not know the option.
[[ $status == 1 || ($status == 2 && $(<err) == *"--tune: this build has no OpenCL"*) ]] ||
    fail "--tune=no-such-device: status $status: $(head -c 300 err)"
[[ ! -e fft_gen ]] || fail "--tune wrote files in spite of the error"

# Files of nonsense: never a crash, never a file beside the folder.
state=${GFMUL_TEST_SEED:-1}
echo "GFMUL_TEST_SEED=$state"
state=$((state % 2147483646 + 1))
# random N - drawn, from 0 to N - 1, by Lehmer's generator.
random()
{
    state=$((state * 16807 % 2147483647))
    drawn=$((state % $1))
}
# noise - up to 199 bytes.
noise()
{
    local text="" left
    random 200
    for ((left = drawn; left > 0; left--)); do
        random 256
        printf -v text '%s\\x%02x' "$text" "$drawn"
    done
    printf '%b' "$text"
}
mkdir fuzz
n_valid=0
cd fuzz || exit 1
for ((i = 0; i < (long < 2 ? 100 : 5000); i++)); do
    noise >"$tmp/noise"
    if ((i % 4)); then # lines of letters, digits and signs
        tr '\000-\037\177-\377' '\n=,;A-Z0-9\n=../A-Z0-9\nA-Z0-9' <"$tmp/noise" >"$tmp/noise2"
        random 12
        printf '\nLOGN=%d\nID=%s\nTWIDDLE=%s\n' "$drawn" "$(head -c 3 "$tmp/noise2" | tr -d '\n')" \
            "$(head -c 8 "$tmp/noise2" | tail -c 4 | tr -d './\n')" >"$tmp/noise" # no path that leads elsewhere
        ((i % 4 == 1)) && cat "$tmp/noise2" >>"$tmp/noise"
    fi
    n_checks=$((n_checks + 1))
    status=0
    timeout 60 "$FFTGEN" -o "$tmp/noise-out" -f "$tmp/noise" >/dev/null 2>&1 || status=$?
    ((status == 0 || status == 2)) || fail "status $status for $(od -An -tx1 "$tmp/noise" | head -c 300)"
    ((status != 0)) || n_valid=$((n_valid + 1))
done
((n_valid > 0)) || fail "no parameter file was right"
[[ -z $(ls -A) ]] || fail "files beside the output folder: $(ls -A)"
cd ..
finish
