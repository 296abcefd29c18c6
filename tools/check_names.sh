#!/usr/bin/env bash
# check_names.sh - what the pages name is there: files, links and their headings, tests, figures, variables, targets of make.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Arguments are pages to check instead of all of them.
# shellcheck disable=SC2016 # backquotes are those of Markdown
set -euo pipefail
cd "${SRCDIR:-$(dirname "$0")/..}"
export LC_ALL=C

failures=0 names=0
complain() { echo "$page:$line: $1" >&2; failures=$((failures + 1)); }

folders='bench|cmake|debian|doc|examples|gmp|kernels|lib|m4|mpi|packages|proof|python|tests|tools'
sources=(Makefile.am configure.ac quickstart bench cmake examples gmp kernels lib m4 mpi packages proof python tests tools)

# words REGEX - every match in the sources, once.
words() { grep -rhoE "$1" "${sources[@]}" | sort -u; }
variables=$(words 'GFMUL_[A-Z0-9_]+')
properties=$(words '\btest_[a-z0-9_]+')
targets=$(grep -hoE '^[a-z][a-z0-9_ -]*:' Makefile.am ./*/sources.mk ./*.mk ./*/*.mk 2>/dev/null | tr -s ' :' '\n'
    sed -n 's/^\.PHONY://p' Makefile.am ./*/sources.mk | tr -s ' ' '\n')
has() { [[ $'\n'$1$'\n' == *$'\n'"$2"$'\n'* ]]; }

# matches REGEX - lines "NUMBER:MATCH" of the page; manual pages escape hyphens.
matches() { sed 's/[\]//g' "$page" | grep -noE "$1" || true; }

# slugs PAGE - the anchors of its headings, as GitHub makes them.
slugs() { sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed -e 's/[^a-z0-9_ -]//g' -e 's/ /-/g'; }

check_links()
{
    while IFS=: read -r line link; do
        link=${link#"]("}
        link=${link%")"}
        local target=${link%%#*}
        names=$((names + 1))
        case $link in http*) continue ;; esac
        target=${target:+$(dirname "$page")/$target}
        target=${target:-$page}
        if [[ ! -e $target ]]; then
            complain "no $target"
        elif [[ $link == *#* ]] && ! has "$(slugs "$target")" "${link#*#}"; then
            complain "no heading for $link"
        fi
    done < <(matches '\]\([^) ]+\)')
}

# A name in a folder of the tree: a file, a program made of one, or the beginning of a pattern.
check_files()
{
    while IFS=: read -r line name; do
        name=${name#[^a-z]}
        names=$((names + 1))
        case $name in
        *'*' | *'{' | *'<')
            compgen -G "${name%?}*" >/dev/null || complain "nothing begins with ${name%?}"
            ;;
        *)
            name=${name%.}
            [[ -e $name || -e $name.c || -e $name.sh ]] || complain "no $name"
            ;;
        esac
    done < <(matches "(^|[\`( ])($folders)/[A-Za-z0-9_./-]+[*{<]?")
}

check_figures()
{
    while IFS=: read -r line name; do
        names=$((names + 1))
        [[ -e $name || -e bench/results/$name ]] || compgen -G "bench/results/*/$name" >/dev/null || complain "no figures $name"
    done < <(matches '[A-Za-z0-9_/-]*[0-9]{4}-[0-9]{2}-[0-9]{2}-[A-Za-z0-9_-]+\.tsv')
}

check_tests()
{
    while IFS=: read -r line name; do
        name=${name#[^t]}
        names=$((names + 1))
        [[ -e tests/$name.c || -e tests/$name.sh ]] || complain "no test $name"
    done < <(matches "(^|[\`(/ ])t-[a-z][a-z0-9_]*")
    while IFS=: read -r line name; do
        names=$((names + 1))
        has "$properties" "$name" || complain "no $name in the tests"
    done < <(matches '\btest_[a-z0-9_]*[a-z0-9]')
}

check_variables()
{
    while IFS=: read -r line name; do
        names=$((names + 1))
        has "$variables" "$name" || grep -qE "^$name" <<<"$variables" || complain "no $name in the sources"
    done < <(matches 'GFMUL_[A-Z0-9_]*[A-Z0-9]')
}

check_targets()
{
    while IFS=: read -r line name; do
        name=${name##* }
        names=$((names + 1))
        case $name in check | dist | install) continue ;; esac # automake's
        has "$targets" "$name" || complain "no target $name"
    done < <(matches '(`|^    )make [a-z][a-z-]*(`|$| )' | sed -e 's/`//g' -e 's/ *$//')
}

check_page()
{
    page=$1
    check_links
    check_files
    check_figures
    check_tests
    check_variables
    check_targets
}

# A check that finds nothing in anything is none.
wrong=$(mktemp)
trap 'rm -f "$wrong"' EXIT
{
    echo '[x](no-such-page.md) [y](#no-such-heading)'
    printf '`lib/%s.c` `xeon-0/2000-01-01-%s.tsv` `t-%s` `test_%s` `GFMUL_%s` `make %s`\n' lost lost lost unheard LOST lost
} >"$wrong"
if ! (check_page "$wrong" 2>/dev/null; ((failures == 8))); then
    echo "not all that is wrong in a page of the check's own was found" >&2
    exit 1
fi

(($# > 0)) || set -- ./*.md ./bench/README.md ./proof/README.md ./python/README.md doc/*.md doc/*.1 doc/decisions/*.md
for file; do
    check_page "$file"
done
echo "$names names in $# pages, $failures of them without their things"
((failures == 0 && names > 0))
