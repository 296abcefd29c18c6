#!/usr/bin/env bash
# t-bigmul_options.sh - the command line of bigmul: each option, each mistake.
# SPDX-License-Identifier: LGPL-3.0-or-later
. "$(dirname "$0")/bigmul_test.sh"

file a '12\n'
file b '-11\n'

# Help and version, on standard output, whatever stands behind them.
run 0 --help
check "--help names every option" grep -q -- '--list-devices' out
for option in output base output-base square threads device list-devices engine rule adaptive precision packing verify \
    plan stats progress help version; do
    check "--help names --$option" grep -q -- "--$option" out
done
check "--help says nothing on standard error" test ! -s err
run 0 --help a b c
run 0 --version
check "--version" grep -qE '^bigmul \(gfmul\) [0-9]+\.[0-9]+\.[0-9]+$' out

# Operands.
prints -132 a b
prints -132 b a
prints 144 --square a
prints 144 a --square
prints -132 -- a b
file ./-x 3
prints 36 -- -x a
refuses 2 "missing operand"
refuses 2 "missing operand after 'a'" a
refuses 2 "missing operand" --square
refuses 2 "extra operand 'c'" a b c
refuses 2 "extra operand 'b': --square takes one" --square a b
refuses 2 "only one operand can be standard input*" - -
refuses 2 "extra operand 'a': --list-devices takes none" --list-devices a

# Unknown options and missing arguments: getopt's own words, with the name of the program.
refuses 2 "unrecognized option '--nonsense'" --nonsense a b
refuses 2 "invalid option -- 'q'" -q a b
refuses 2 "option requires an argument -- 'o'" a b -o
refuses 2 "option '--base' requires an argument" a b --base
refuses 2 "option '--square' doesn't allow an argument" --square=yes a

# What a process is started with that builds programs: the first argument, whole, with a part that there is; else there is a
# product or an error.  Nothing in the environment stands for it.
for part in '' 1 1/ /2 2/2 3/2 -1/2 1/0 0/1001 a/b 0/2x 00000000000000001/2; do
    refuses 2 "bad part of the programs '$part'" --internal-build="$part" a b
done
refuses 2 "unrecognized option '--internal-build=0/2'" a b --internal-build=0/2
refuses 2 "unrecognized option '--internal-build=0/2'" --square --internal-build=0/2 a
refuses 2 "unrecognized option '--internal-build'" --internal-build 0/2 a b
refuses 2 "unrecognized option '--int=0/2'" --int=0/2 a b
refuses 2 "missing operand" --internal-build=0/2
BIGMUL_BUILD=0/2 prints -132 a b
run 0 --internal-build=0/2 --device=cpu --output=never a b </dev/null
check "no word of a process that builds, and no product" test ! -s out -a ! -s err -a ! -e never

# Bases.
prints -84 -B 16 a b
prints -84 --output-base=16 a b
prints -132 -b auto a b
prints -132 -b 10 a b
prints -156 -b 11 -B 10 a b
prints -156 --base=11 --output-base 10 a b
prints -10000100 -B 2 a b
prints -3o -B 36 a b
prints -3o --base=10 --output-base=36 a b
for base in 1 0 37 -1 +5 x '' 1000000000000 "10 " 0x10; do
    refuses 2 "unknown base '$base'; valid are: auto, 2..36" -b "$base" a b
    refuses 2 "unknown output base '$base'; valid are: 2..36" -B "$base" a b
done
refuses 2 "unknown output base 'auto'; valid are: 2..36" -B auto a b

# Threads.
for n in 1 2 1024; do
    prints -132 -t $n a b
done
prints -132 --threads=3 a b
for n in 0 1025 -1 x '' 99999999999999999999; do
    refuses 2 "bad number of threads '$n'; valid are: 1..1024" -t "$n" a b
done

# Choices: every value that any build has, and a wrong one, which lists the valid ones.
for engine in auto cpu gmp; do
    prints -132 --engine $engine a b
done
for rule in norm checked; do
    prints -132 --rule=$rule a b
done
for precision in auto double dd; do
    prints -132 --precision=$precision a b
done
for packing in auto two-for-one one-for-half right-angle; do
    prints -132 --packing=$packing a b
done
for verify in mod gmp none; do
    prints -132 --verify=$verify a b
done
for progress in auto never; do
    prints -132 --progress=$progress a b
done
refuses 2 "unknown engine 'gpu'; valid are: auto, cpu, opencl, fftw, gmp" --engine gpu a b
refuses 2 "unknown rule ''; valid are: norm, knuth, checked" --rule= a b
refuses 2 "unknown precision 'half'; valid are: auto, double, dd, prime" --precision half a b
refuses 2 "unknown packing 'two'; valid are: auto, two-for-one, one-for-half, right-angle" --packing two a b
refuses 2 "unknown check 'crc'; valid are: mod, gmp, none" --verify crc a b
refuses 2 "unknown progress 'maybe'; valid are: auto, always, never" --progress maybe a b
refuses 2 "unknown form of --stats 'xml'; valid are: none, text, json" --stats=xml a b

# What this build or machine does not have is no mistake of usage.
prints -132 -d auto a b
prints -132 --device=cpu a b
refuses 3 "device 'no such device': *" -d 'no such device' a b
refuses 2 "unknown device ''*" -d '' a b
refuses 2 "unknown precision 'float'*" --precision=float a b
for choice in --engine=opencl --engine=fftw; do
    if ! "$BIGMUL" $choice a b >out 2>err; then
        name=${choice#--}
        refuses 3 "${name%=*} ${name#*=}: *" $choice a b
    else
        prints -132 $choice a b
    fi
done

# Choices that no transform has together: the message says which one to change, and that one without the others is taken.
apart="do not go together: "
if "$BIGMUL" --engine=fftw a b >out 2>err; then
    refuses 3 "engine fftw, rule norm, precision dd and packing auto ${apart}engine fftw has precision double alone" \
        --engine=fftw --precision=dd a b
    refuses 3 "engine fftw, *${apart}engine fftw has precision double alone" --engine=fftw --precision=prime a b
    refuses 3 "engine fftw, *${apart}engine fftw has packing one-for-half alone" --engine=fftw --packing=right-angle a b
    prints -132 --engine=fftw --precision=double --packing=one-for-half a b
fi
refuses 3 "*${apart}precision prime has rule norm alone" --precision=prime --rule=knuth --packing=right-angle a b
refuses 3 "*${apart}precision prime has packing auto alone" --precision=prime --packing=right-angle a b
refuses 3 "*${apart}precision dd has the rules norm and knuth" --precision=dd --rule=checked --packing=two-for-one a b
refuses 3 "*${apart}precision dd has packing right-angle alone" --precision=dd --rule=knuth --packing=two-for-one a b
prints -132 --precision=prime --rule=norm --packing=auto a b
prints -132 --precision=dd --rule=knuth --packing=right-angle a b
for size in '' 0 0G x 4X 4GB -1 ' 1' 1.5G 99999999999T 99999999999999999999 K; do
    refuses 2 "bad size of memory '$size'; valid are: bytes, or a number with K, M, G or T, such as 4G" --memory="$size" a b
done
refuses 2 "there is no product for the certificate: leave out --certificate or --plan" --certificate=c --plan a b
refuses 2 "there is no product for the certificate: leave out --certificate or --list-devices" --certificate=c --list-devices
# One error for one call: the first that was met.
refuses 1 "missing: No such file or directory" -d 'no such device' missing b

# The later option wins; long options may be cut short.
prints -84 -B 2 -B 16 a b
prints -132 --eng=auto a b
refuses 2 "option '--pr=x' is ambiguous*" --pr=x a b

run 0 --list-devices
check "--list-devices lists the CPU" grep -qE '^0: cpu: .+, [0-9]+ cores?, fp64 yes, usable yes, instruction sets .*scalar' out
check "--list-devices lists devices alone" test ! -s err

finish
