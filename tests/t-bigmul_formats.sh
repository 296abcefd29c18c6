#!/usr/bin/env bash
# t-bigmul_formats.sh - numbers in text as bigmul reads them, and where it says that they are wrong.
# SPDX-License-Identifier: LGPL-3.0-or-later
. "$(dirname "$0")/bigmul_test.sh"

file one 1
file seven '7\n'

# number TEXT VALUE OPTION... - the number TEXT is VALUE (in base 10), as either operand.
number()
{
    local text=$1 value=$2
    shift 2
    file n "$text"
    prints "$value" "$@" -B 10 n one
    prints "$value" "$@" -B 10 one n
}

# wrong TEXT LINE:COLUMN MESSAGE OPTION... - the number TEXT is refused there, as either operand, and by --plan.
wrong()
{
    local text=$1 place=$2 message=$3
    shift 3
    file n "$text"
    refuses 1 "n:$place: $message" "$@" n one
    refuses 1 "n:$place: $message" "$@" one n
    refuses 1 "n:$place: $message" "$@" --square n
    refuses 1 "n:$place: $message" "$@" --plan one n
}

# Plain.
number '0' 0
number '5' 5
number '12345\n' 12345
number '+12\n' 12
number '-12\n' -12
number '-0\n' 0
number '+0' 0
number '0000' 0
number '00000000000000000000000012' 12
number '-00012' -12

# White space around, wrapped lines, CRLF, CR, tabs, form feeds, '_'.
number '  12' 12
number '\n\n\t 12 \n\n' 12
number '12\r\n' 12
number '12\r\n34\r\n' 1234
number '12\n34\n56' 123456
number '1 234 567' 1234567
number '1_234_567\n' 1234567
number '1_\n_2\n' 12
number '1\t2\v3\f4' 1234
number '12\r34\r' 1234
number '-1\n2\n' -12
number '0\n0\n1' 1
number '0_0_1' 1

# Prefixes, with and without their base named.
number 0x1f 31
number 0x1f 31 -b 16
number 0X1F 31
number -0xFf -255
number 0o17 15
number 0O17 15 -b 8
number 0b101 5
number +0B101 5 -b 2
number 0x0000_0001 1
number '  0x1\n2\n' 18
number 0x0 0
number 0b101 45313 -b 16 # here b is a digit
number 0x 33 -b 34       # and here x
number ff 255 -b 16
number FF 255 -b 16
number fF 555 -b 36
number zZ 1295 -b 36

# The product in A's base, lower case.
file n 0xFF
prints ff n one
prints 255 one n
prints 6f9 n seven
prints 1785 seven n
file n ZZ
prints zz -b 36 n one
file n 0b11
prints 10101 n seven
file h 0xdeadbeef
file o 0o755
prints 1acd498b243 -B 16 h o
prints 1841812779587 -B 10 h o
prints 32632446131103 o h
prints 11010110011010100100110001011001001000011 h o -B 2

# What is no number, and where.
wrong '' 1:1 '*'
wrong '\n' '*:*' '*'
wrong '  \n\n' '*:*' '*'
wrong '-' '1:*' '*'
wrong '+\n' '1:*' '*'
wrong '12x4\n' 1:3 "*'x'*"
wrong '12\n3x4\n' 2:2 "*'x'*"
wrong '12\r\n34\r\n5.6\r\n' 3:2 "*'.'*"
wrong '1e5' 1:2 "*'e'*"
wrong '12-4' 1:3 "*'-'*"
wrong '--4' 1:2 "*'-'*"
wrong '- 4' '1:*' '*'
wrong '12 # comment' 1:4 "*'#'*"
wrong '0x1g' 1:4 "*'g'*"
wrong '0x' '1:*' '*'
wrong '0b12' 1:4 "*'2'*"
wrong '0o8' 1:3 "*'8'*"
wrong '19' 1:2 "*'9'*" -b 8
wrong '0x10' 1:2 "*'x'*" -b 10
wrong '_12' 1:1 '*'
wrong '12\0000034' 1:3 '*' # a NUL byte
wrong '\0303\0251' 1:1 '*'  # UTF-8
wrong '\0357\0273\0277123' 1:1 '*'
wrong '1,234' 1:2 "*','*"
wrong '1234567890\n1234567890\n12345678z0\n' 3:9 "*'z'*"

# Two wrong operands: the first one is named.
file x1 1x
file x2 2x
refuses 1 "x1:1:2: *" x1 x2
refuses 1 "x2:1:2: *" x2 x1

# A huge number of leading zeros, in lines of 60, before an error and without.
head -c 3000000 /dev/zero | tr '\0' 0 | fold -w 60 >zeros
{
    cat zeros
    echo
    echo 42
} >n
prints 42 n one
prints 294 seven n
{
    cat zeros
    echo
    echo 4?2
} >n
refuses 1 "n:50001:2: *'?'*" n one
cp zeros n
prints 0 n seven
prints 0 seven n

# Long numbers of one digit: 99...9 squared, 1000...0 times anything.
nines=$(head -c 20000 /dev/zero | tr '\0' 9)
file n "$nines"
prints "${nines:1}8$(head -c 19999 /dev/zero | tr '\0' 0)1" --square n
zeros=${nines//9/0}
file n "-1$zeros\n"
prints "-7$zeros" n seven
prints "1$zeros$zeros" n n

finish
