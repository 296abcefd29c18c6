#!/usr/bin/env bash
# check_prose.sh - no sentence of README.md, the installed headers, bigmul(1) and bigcalc(1) has more than 30 words.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Tables, code, pictures and declarations do not count.  A sentence ends with . ! or ?, with two spaces, or where its paragraph,
# list item, comment or entry ends.  Arguments are files to check instead of these.
set -euo pipefail
cd "${SRCDIR:-$(dirname "$0")/..}"
max_words=30

# Each of the three writes lines "LINE TEXT"; an empty TEXT ends a sentence.

from_markdown() {
    awk '
        /^```/ { code = !code; print NR; next }
        code || /^    / && (blank || indented) || /^\|/ || /^!\[/ { indented = /^    /; blank = 0; print NR; next }
        { blank = /^ *$/; indented = indented && blank }
        /^ *$/ || /^#/ { print NR; next }
        /^ *([-*]|[0-9]+\.) / { print NR; sub(/^ *([-*]|[0-9]+\.) /, "") }
        { gsub(/\]\([^)]*\)/, ""); print NR, $0 }' "$1"
}

from_header() {
    awk '
        {
            line = $0
            while (line != "") {
                if (!inside) {
                    at = index(line, "/*")
                    if (at == 0)
                        break
                    line = substr(line, at + 2)
                    inside = 1
                    print NR
                }
                at = index(line, "*/")
                text = at ? substr(line, 1, at - 1) : line
                line = at ? substr(line, at + 2) : ""
                sub(/^ *\*? */, "", text)
                if (text == "" || text ~ /^[-A-Za-z_0-9, ]+  / || text ~ /^[A-Z][a-z]+:/ || text ~ /^- /)
                    print NR
                gsub(/   */, "\n" NR " \n" NR " ", text)
                print NR, text
                if (at) {
                    inside = 0
                    print NR
                }
            }
        }' "$1"
}

from_manual() {
    awk '
        /^\.EX/ { example = 1 }
        /^\.EE/ { example = 0 }
        /^\.\\"/ || example { print NR; next }
        tag { tag = 0; print NR; next }
        /^\.TP/ { tag = 1 }
        /^\.(B|I|R|BR|RB|IR|RI|BI|IB) / { sub(/^\.[A-Z]+ /, ""); print NR, $0; next }
        /^\./ { print NR; next }
        { print NR, $0 }' "$1" | sed -e 's/\\f[A-Z]//g' -e 's/\\\[[lr]q\]//g' -e 's/\\\[aq\]//g' -e 's/\\//g'
}

# long_sentences FILE - reads such lines, prints the sentences that are too long; fails if there is one.
long_sentences() {
    awk -v max=$max_words -v file="$1" '
        function finish() {
            if (n > max) {
                printf "%s:%d: %d words: %s\n", file, first, n, said
                bad = 1
            }
            n = 0
            said = ""
        }
        NF == 1 { finish(); next }
        {
            for (i = 2; i <= NF; i++) {
                if ($i ~ /[A-Za-z0-9]/) {
                    if (n++ == 0)
                        first = $1
                    said = said (n > 1 && n < 9 ? " " : "") (n < 9 ? $i : "")
                }
                if ($i ~ /[.!?][])"`*]*$/)
                    finish()
            }
        }
        END { finish(); exit bad }'
}

check() {
    case $1 in
    *.md) from_markdown "$1" ;;
    *.h) from_header "$1" ;;
    *) from_manual "$1" ;;
    esac | long_sentences "$1"
}

# A check that finds nothing in anything is none: 30 words pass, one more does not.
words=$(printf 'w%.0s ' {1..29})
printf '1 %send.\n2 %send.\n' "$words" "$words" | long_sentences self-test
if printf '1 %s\n2 and one.\n' "$words" | long_sentences self-test >/dev/null; then
    echo "a sentence of 31 words was not found" >&2
    exit 1
fi

failures=0
(($# > 0)) || set -- README.md lib/gfmul.h lib/gfmul_arith.h lib/gfmul_fft.h lib/gfmul_files.h mpi/gfmul_mpi.h doc/bigmul.1 \
    doc/bigcalc.1
for file; do
    check "$file" || failures=1
done
exit $failures
