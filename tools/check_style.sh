#!/usr/bin/env bash
# check_style.sh - what can be checked of HACKING.md's style without a compiler.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
cd "${SRCDIR:-$(dirname "$0")/..}"
max_columns=130
max_lines=700

failures=0
complain() { echo "$1" >&2; failures=$((failures + 1)); }

mapfile -t files < <(find lib mpi tests tools bench examples kernels proof python \
    -name "*.[ch]" -o -name "*.sh" -o -name "*.cl" -o -name "*.def" | sort)

# One process for all files: a few for each of hundreds would take many seconds.
while IFS= read -r hit; do
    complain "$hit"
done < <(LC_ALL=C.UTF-8 awk -v max_lines=$max_lines '
    function complain(what) { print file ":" what }
    function end_file() {
        if (file == "")
            return
        if (lines > max_lines)
            complain(" " lines " lines, more than " max_lines)
        if (file ~ /\.[ch]$/ && !opens)
            complain(" does not open with \"" name " - ...\"")
        if ((file ~ /\.(c|sh|cl)$/ || file ~ /^(lib|mpi)\/gfmul.*\.h$/) && !licensed)
            complain(" no SPDX line")
    }
    FNR == 1 { end_file(); file = name = FILENAME; sub(/.*\//, "", name); opens = licensed = 0 }
    { lines = FNR }
    FNR <= 4 && index($0, name " - ") { opens = 1 }
    FNR <= 16 && /SPDX-License-Identifier: LGPL-3.0-or-later/ { licensed = 1 }
    /\t|[ \r]+$/ { complain(FNR ": a tab, or white space at the end of a line") }
    END { end_file() }' "${files[@]}")
if [[ $(tail -q -c 1 "${files[@]}" | wc -l) != "${#files[@]}" ]]; then
    for file in "${files[@]}"; do
        [[ $(tail -c 1 "$file" | od -An -tx1) == *0a* ]] || complain "$file: no line end at the end"
    done
fi

# Two tests of one stem would share a log, and one of them would not run.
for file in tests/t-*.sh; do
    [[ ! -e ${file%.sh}.c ]] || complain "$file and ${file%.sh}.c have one log"
done

# Sources named by a key are in the list.
while IFS= read -r key; do
    grep -qF "**[$key]**" doc/references.md || complain "[$key] is not in doc/references.md"
done < <(grep -rohE '(^|[ (;,])\[([A-Z][A-Za-z]*[0-9]{2}|TAOCP2)[],]' \
    --include='*.[ch]' --include='*.cl' --include='*.sh' --include='*.md' lib kernels tests tools bench doc |
    sed -E 's/.*\[(.*)[],]$/\1/' | sort -u)

# Lines of all that people write, in characters, whatever awk is there; rows of tables and builds in the tree are left out.
mapfile -t texts < <(find . \( -path './build*' -o -path './_*' -o -path './check-*' -o -path ./min -o -path ./.git \
    -o -path ./m4 -o -path ./autom4te.cache -o -path ./ocl_embedded.c \) -prune -o -type f \
    \( -name "*.[ch]" -o -name "*.cc" -o -name "*.cl" -o -name "*.def" -o -name "*.sh" -o -name "*.awk" -o -name "*.gp" \
    -o -name "*.py" -o -name "*.pyi" -o -name "*.v" -o -name "*.md" -o -name "*.1" -o -name "*.mk" -o -name "*.ac" \
    -o -name "*.am" -o -name "*.cmake" -o -name quickstart -o -path ./debian/rules \) -print | sort)
while IFS= read -r hit; do
    complain "$hit"
done < <(LC_ALL=C awk -v max_columns=$max_columns '
    length($0) > max_columns && !(FILENAME ~ /\.md$/ && /^ *\|/) {
        gsub(/[\200-\277]/, "")
        if (length($0) > max_columns)
            print substr(FILENAME, 3) ":" FNR ": longer than " max_columns " columns"
    }' "${texts[@]}")

# README.md runs in build/ what ./quickstart has built, up to its first "make -C build".
built=" $(sed -n 's/^building build\/make.log //p' quickstart) "
while IFS= read -r program; do
    [[ $built == *" $program "* ]] || complain "README.md runs build/$program, which ./quickstart does not build"
done < <(sed '/make -C build/q' README.md | grep -oE '\bbuild/[a-z-]+' | sed 's|build/||' | sort -u)

if ((${#files[@]} == 0 || ${#texts[@]} == 0)); then
    complain "no file found: is this a source tree?"
fi
echo "${#files[@]} files and ${#texts[@]} texts, $failures complaints"
((failures == 0))
