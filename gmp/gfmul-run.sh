#!/bin/sh
# gfmul-run - run a program whose long products of GMP are gfmul's.
# SPDX-License-Identifier: LGPL-3.0-or-later

usage()
{
    cat <<'EOF'
Usage: gfmul-run [OPTION]... PROGRAM [ARGUMENT]...
Run PROGRAM with libgfmul_gmp.so preloaded: long products that its GMP is asked for are made by gfmul.

  -t, --threads=N      threads of a product; 0: OMP_NUM_THREADS, or all cores (default 1)
  -l, --threshold=N    limbs of 64 bits from which on products are gfmul's (default: as measured)
  -m, --memory=BYTES   the most memory of a product, with K, M or G (default: no limit)
  -s, --stats[=FILE]   a summary when a process ends, on standard error or at the end of FILE
      --library        print the path of the preloaded library, and end
  -h, --help           print this text, and end
  -V, --version        print the version, and end

The exit status is PROGRAM's; 127 if it was not found, 126 if it cannot be run, 2 for bad usage, 1 without the library.
EOF
}

fail()
{
    status=$1
    shift
    printf 'gfmul-run: %s\n' "$*" >&2
    [ "$status" != 2 ] || echo "Try 'gfmul-run --help' for more information." >&2
    exit "$status"
}

# number NAME VALUE PATTERN - whether an option's value is one: digits, and for sizes perhaps a unit.
number()
{
    digits=$2
    [ "$3" != unit ] || digits=${digits%[KMG]}
    case $digits in
    '' | *[!0-9]*) fail 2 "$1 '$2' is not a whole number" ;;
    esac
}

# library - the preloaded library: beside this script in a build, below the folder of this script once moved, or as installed.
library()
{
    case $0 in
    */*) here=$(dirname "$0") ;;
    *) here=$(dirname "$(command -v "$0")") ;;
    esac
    here=$(cd "$here" && pwd -P) || return 1
    for path in "$here/.libs/libgfmul_gmp.so" "@libdir@/libgfmul_gmp.so" "${here%/*}/lib/libgfmul_gmp.so"; do
        if [ -f "$path" ]; then
            printf '%s\n' "$path"
            return 0
        fi
    done
    return 1
}

only_print=
while [ $# -gt 0 ]; do
    case $1 in
    -t | -l | -m | --threads | --threshold | --memory)
        [ $# -gt 1 ] || fail 2 "option '$1' needs a value"
        option=$1 value=$2
        shift 2
        ;;
    --threads=* | --threshold=* | --memory=*)
        option=${1%%=*} value=${1#*=}
        shift
        ;;
    -s | --stats)
        GFMUL_GMP_STATS=1
        export GFMUL_GMP_STATS
        shift
        continue
        ;;
    --stats=*)
        case ${1#*=} in
        '') fail 2 "option '--stats=' names no file" ;;
        /*) GFMUL_GMP_STATS=${1#*=} ;;
        *) GFMUL_GMP_STATS=$PWD/${1#*=} ;;
        esac
        export GFMUL_GMP_STATS
        shift
        continue
        ;;
    --library)
        only_print=yes
        shift
        continue
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    -V | --version)
        echo "gfmul-run @version@"
        exit 0
        ;;
    --)
        shift
        break
        ;;
    -*) fail 2 "unknown option '$1'" ;;
    *) break ;;
    esac
    case $option in
    -t | --threads)
        number threads "$value" plain
        GFMUL_GMP_THREADS=$value
        export GFMUL_GMP_THREADS
        ;;
    -l | --threshold)
        number threshold "$value" plain
        GFMUL_GMP_THRESHOLD=$value
        export GFMUL_GMP_THRESHOLD
        ;;
    *)
        number memory "$value" unit
        GFMUL_GMP_MEMORY=$value
        export GFMUL_GMP_MEMORY
        ;;
    esac
done

library=$(library) || fail 1 "libgfmul_gmp.so was not found"
case $library in
*[\ :]*) fail 1 "a library whose path has a blank or a colon cannot be preloaded: $library" ;;
esac
if [ "$only_print" ]; then
    printf '%s\n' "$library"
    exit 0
fi
[ $# -gt 0 ] || fail 2 "no program is named"
case $1 in
*/*) [ -e "$1" ] ;;
*) command -v "$1" >/dev/null 2>&1 ;;
esac || fail 127 "$1 was not found"
case $1 in
*/*) [ -x "$1" ] && [ ! -d "$1" ] || fail 126 "$1 cannot be run" ;;
esac
# Into a program that runs with other rights than the user's the system preloads nothing.
path=$(command -v "$1" || :)
if { [ -u "$path" ] && [ ! -O "$path" ]; } || { [ -g "$path" ] && [ ! -G "$path" ]; }; then
    printf 'gfmul-run: %s is a set-user-ID or set-group-ID program: it runs without gfmul\n' "$1" >&2
fi
LD_PRELOAD=$library${LD_PRELOAD:+:$LD_PRELOAD}
export LD_PRELOAD
exec "$@"
