# gfmul.bash - completion in bash for bigcalc, bigmul, gfmul-check-certificate, gfmul-run, gfmul-fft, fftgen; options are those of
# --help.
# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=bash

_gfmul()
{
    local command=$1 word=$2 before=$3 i
    COMPREPLY=()
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ ${command##*/} == gfmul-run ]]; then
        # Behind the program its own arguments follow.
        for ((i = 1; i < COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in
            -*) ;;
            *) [[ ${COMP_WORDS[i - 1]} =~ ^(-[tlm]|=|--threads|--threshold|--memory)$ || ${COMP_WORDS[i]} == = ]] || return 0 ;;
            esac
        done
    fi
    case $before in
    --engine) mapfile -t COMPREPLY < <(compgen -W "auto cpu opencl fftw gmp" -- "$word") && return ;;
    --rule) mapfile -t COMPREPLY < <(compgen -W "norm knuth checked" -- "$word") && return ;;
    --precision) mapfile -t COMPREPLY < <(compgen -W "auto double dd prime" -- "$word") && return ;;
    --packing) mapfile -t COMPREPLY < <(compgen -W "auto two-for-one one-for-half right-angle" -- "$word") && return ;;
    --verify) [[ ${command##*/} != @(bigcalc|bigmul) ]] || mapfile -t COMPREPLY < <(compgen -W "mod gmp none" -- "$word") ;;
    --stats) [[ ${command##*/} != @(bigcalc|bigmul) ]] || mapfile -t COMPREPLY < <(compgen -W "none text json" -- "$word") ;;
    --output-format) mapfile -t COMPREPLY < <(compgen -W "auto text binary" -- "$word") && return ;;
    --plan) mapfile -t COMPREPLY < <(compgen -W "none chosen all" -- "$word") ;;
    --progress) mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$word") && return ;;
    --device | -d) mapfile -t COMPREPLY < <(compgen -W "auto cpu gpu all" -- "$word") && return ;;
    esac
    ((${#COMPREPLY[@]} == 0)) || return 0
    [[ ${command##*/} != gfmul-run || $before != --stats || ($2 != = && $3 != =) ]] || return 0 # a file
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$command" --help 2>/dev/null | grep -oE -- '(^|[ ,])--?[a-zA-Z][a-z-]*' |
            tr -d ' ,' | sort -u)" -- "$word")
    elif [[ ${command##*/} == gfmul-run ]]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$word")
    fi
}
complete -o bashdefault -o default -F _gfmul bigcalc bigmul gfmul-check-certificate gfmul-run gfmul-fft fftgen
