#!/usr/bin/env bash
# t-bigmul_device.sh - bigmul on OpenCL devices: the choice, the same bytes as the CPU's, reports, errors.
# SPDX-License-Identifier: LGPL-3.0-or-later
SRCDIR=${SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
. "$(dirname "$0")/bigmul_test.sh"
# shellcheck disable=SC2154 # bigmul_test.sh makes it
export GFMUL_CACHE_DIR=$tmp/cache
unset GFMUL_CL_DIR

file a 12
file b -11

# Engines and devices that do not go together.
for engine in cpu fftw gmp; do
    refuses 2 "engine '$engine' does not run on device 'gpu'" --engine=$engine --device=gpu a b
    refuses 2 "engine '$engine' does not run on device '1'" --device=1 --engine=$engine a b
done
refuses 2 "engine 'opencl' does not run on device 'cpu'" --engine=opencl --device=cpu a b
refuses 2 "engine 'opencl' does not run on device '0'" --engine=opencl --device=0 a b
prints -132 --engine=cpu --device=0 a b
prints -132 --device=auto a b

# The loader of Debian and others takes its drivers from this folder: here there are none.
mkdir none
run 0 --list-devices
grep -E '^[1-9][0-9]*: ' out >devices
export OCL_ICD_VENDORS=$tmp/none
run 0 --list-devices
if grep -qx 'this build has no OpenCL' out; then
    check "nothing else" test "$(wc -l <out)" = 2
    refuses 3 "device 'gpu': this build has no OpenCL (see --list-devices)" --device=gpu a b
    refuses 3 "device '1': this build has no OpenCL (see --list-devices)" --device=1 a b
    refuses 3 "engine opencl: not supported by this build or this machine" --engine=opencl a b
    prints -132 --device=auto a b
elif ! grep -qE '^[1-9][0-9]*: ' out; then
    check "why there is no device" grep -qx "no OpenCL device: no driver is registered: no file \*.icd is in $tmp/none" out
    check "nothing else" test "$(wc -l <out)" = 2
    refuses 3 "device 'gpu': no OpenCL device: no driver is registered: *--list-devices)" --device=gpu a b
    refuses 3 "device 'gpu': *--list-devices)" --device=gpu a b
    refuses 3 "device '1': *--list-devices)" --device=1 a b
    refuses 3 "engine opencl: *" --engine=opencl a b
    prints -132 --device=auto a b
fi
unset OCL_ICD_VENDORS

if ! grep -q 'fp64 yes.* usable yes' devices || [[ $SANITIZER != no ]]; then
    if [[ -n ${GFMUL_TEST_OCL-} && $SANITIZER == no ]]; then
        fail "no OpenCL device, but GFMUL_TEST_OCL asks for one"
    else
        echo "no OpenCL device to test on"
    fi
    finish
fi

line='^1: (gpu|opencl): .+, .+, driver .+, [0-9]+ compute units, fp64 (yes|no), memory [0-9.]+ GiB, usable (yes|no: .+)$'
check "a line for a device" grep -qE "$line" devices
refuses 3 "device '99999': no device has the index or the name '99999' (see --list-devices)" --device=99999 a b
index=$(sed -n 's/^\([0-9]*\): .* usable yes$/\1/p' devices | head -n 1)
name=$(sed -n "s/^$index: [a-z]*: \([^,]*\),.*/\1/p" devices)
prints -132 --device="$index" a b
prints -132 --device="${name:1:9}" a b
prints -132 --device=gpu a b
apart="*do not go together: on a device rule knuth has precision dd and packing right-angle alone"
refuses 3 "$apart" --device=gpu --rule=knuth --precision=double a b
refuses 3 "$apart" --engine=opencl --rule=knuth --packing=two-for-one a b

# Several devices: here one that is named twice.
prints -132 --device="$index,$index" a b
prints -132 --device=all a b
refuses 3 "device '$index,99999': no device has the index or the name '99999' (see --list-devices)" --device="$index,99999" a b
refuses 3 "device '0,$index': '0' cannot be one of several devices (see --list-devices)" --device="0,$index" a b
refuses 3 "device '$index,': '' cannot be one of several devices (see --list-devices)" --device="$index," a b
refuses 3 "device 'all,$index': 'all' cannot be one of several devices (see --list-devices)" --device="all,$index" a b
refuses 2 "engine 'cpu' does not run on device '$index,$index'" --engine=cpu --device="$index,$index" a b

# PoCL can show the processor as two devices.
export POCL_DEVICES='pthread basic'
run 0 --list-devices
if [[ $(grep -c 'Portable Computing Language.* usable yes' out) == 2 && $(grep -cE '^[1-9]' out) == 2 ]]; then
    for list in 1,2 2,1 all; do
        run 0 --device=$list --stats --engine=opencl "$SRCDIR/examples/pi-100000.txt" "$SRCDIR/examples/e-100000.txt"
        mv out "product.$list"
        check "the first of $list" grep -qx 'device_place: 1' err
    done
    check "the same bytes on both" cmp -s product.1,2 product.2,1
    check "the same bytes on one of all" cmp -s product.1,2 product.all
fi
unset POCL_DEVICES

# same OPTION... - the device's output is the CPU's, byte by byte, and the device made it.
same()
{
    run 0 --device=cpu "$@"
    mv out want
    run 0 --device=gpu --stats "$@"
    check "the same bytes on the device: $*" cmp -s out want
    check "made there: $*" grep -qx 'engine: opencl' err
    check "no error there: $*" grep -qx 'device_errors: 0' err
}
pi=$SRCDIR/examples/pi-100000.txt
e=$SRCDIR/examples/e-100000.txt
same "$pi" "$e"
same --square "$pi"
same --output-base=16 "$pi" "$e"
check "kernels and their times" grep -qE '^kernel: [a-z_]+, [0-9]+ launched, [0-9.]+ ms' err
check "the device's name" grep -qF "device: $name" err
check "its place among those that were named" grep -qx 'device_place: 1' err
if ((${GFMUL_TEST_LONG:-0} > 0)); then
    random_digits 1000000 10 31 >x
    random_digits 1000000 10 32 >y
    same x y
    random_digits 1000000 16 33 >x
    random_digits 700000 16 34 >y
    same --base=16 x y
fi

# Programs are kept, and damage to them does no harm.
check "programs are kept" eval 'ls cache/*.cl-bin >files'
for f in cache/*.cl-bin; do
    printf 'damaged' | dd of="$f" bs=1 seek=300 conv=notrunc 2>dd-err
done
same "$pi" "$e"
chmod 500 cache
GFMUL_CACHE_DIR=$tmp/cache/below same "$pi" "$e"
chmod 700 cache

# Processes that build a part of the programs say nothing, and leave nothing to build.
mkdir parts
export GFMUL_CACHE_DIR=$tmp/parts
for part in 0/2 1/2; do
    run 0 --internal-build=$part --device=gpu --output=never "$pi" "$e" </dev/null
    check "part $part writes nothing" test ! -e never
    check "part $part says nothing" test ! -s out -a ! -s err
    ls parts >parts-$((${part%/2}))
done
check "each part has built some" eval '! cmp -s parts-0 parts-1 && test -s parts-0'
same "$pi" "$e"
ls parts >parts-2
check "nothing was left to build" cmp -s parts-1 parts-2
export GFMUL_CACHE_DIR=$tmp/cache

# Several processes at once, in check-long with an empty cache.
((${GFMUL_TEST_LONG:-0} == 0)) || rm -rf cache
for i in 1 2 3; do
    "$BIGMUL" --device=gpu "$pi" "$e" >out$i 2>err$i &
done
wait
"$BIGMUL" --device=cpu "$pi" "$e" >want
for i in 1 2 3; do
    check "process $i at the same cache: $(head -c 300 err$i)" cmp -s out$i want
done
check "no half-written program is left" eval '! ls cache/.*.tmp 2>/dev/null | grep -q .'

# Sources from a folder: edited ones are built, wrong ones are an error with the compiler's word.
cp -r "$SRCDIR/kernels" cl
chmod -R u+w cl
GFMUL_CL_DIR=$tmp/cl same "$pi" "$e"
for f in cl/*.cl; do
    echo 'this is no OpenCL' >>"$f"
done
export GFMUL_CL_DIR=$tmp/cl
run 3 --device=gpu "$pi" "$e"
check "the compiler's word: $(head -c 300 err)" grep -q 'could not be built' err
unset GFMUL_CL_DIR

if have python3; then
    run 0 --device=gpu --stats=json "$pi" "$e"
    n_checks=$((n_checks + 1))
    python3 -c '
import json
s = json.loads(open("err").read().splitlines()[-1])
assert s["plan"]["engine"] == "opencl" and s["plan"]["device"], s
assert s["kernels"] and all(k["launches"] > 0 and k["ms"] >= 0 and k["name"] for k in s["kernels"]), s
assert s["device_errors"] == 0 and all(v >= 0 for v in s["device_ms"].values()), s
' || fail "--stats=json: $(cat err)"
fi
run 0 --device=gpu --plan "$pi" "$e"
check "--plan names the engine" grep -qx 'engine: opencl' out

finish
