#!/usr/bin/env bash
# check_style.sh - what can be checked of HACKING.md's style without a compiler.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
cd "${SRCDIR:-$(dirname "$0")/..}"
max_columns=130
max_lines=700

failures=0
n_files=0
complain() { echo "$1" >&2; failures=$((failures + 1)); }

while IFS= read -r file; do
    n_files=$((n_files + 1))
    while IFS= read -r hit; do
        complain "$file:${hit%%:*}: a tab, or white space at the end of a line"
    done < <(grep -nP '\t|[ \r]+$' "$file" || true)
    while IFS= read -r hit; do
        complain "$file:$hit: longer than $max_columns columns"
    done < <(LC_ALL=C.UTF-8 awk -v max=$max_columns 'length($0) > max {print NR}' "$file")
    lines=$(wc -l <"$file")
    if ((lines > max_lines)); then
        complain "$file: $lines lines, more than $max_lines"
    fi
    if [[ $(tail -c 1 "$file" | od -An -tx1) != *0a* ]]; then
        complain "$file: no line end at the end"
    fi
    case $file in
    *.[ch])
        head -n 4 "$file" | grep -q "$(basename "$file") - " || complain "$file: does not open with \"$(basename "$file") - ...\""
        ;;
    esac
    case $file in
    *.c | *.sh | *.cl | lib/gfmul*.h)
        head -n 16 "$file" | grep -q 'SPDX-License-Identifier: LGPL-3.0-or-later' || complain "$file: no SPDX line"
        ;;
    esac
done < <(find lib tests tools bench examples kernels -name '*.[ch]' -o -name '*.sh' -o -name '*.cl' -o -name '*.def' | sort)

# Sources named by a key are in the list.
while IFS= read -r key; do
    grep -qF "**[$key]**" doc/references.md || complain "[$key] is not in doc/references.md"
done < <(grep -rohE '(^|[ (;,])\[([A-Z][A-Za-z]*[0-9]{2}|TAOCP2)[],]' \
    --include='*.[ch]' --include='*.cl' --include='*.sh' --include='*.md' lib kernels tests tools bench doc |
    sed -E 's/.*\[(.*)[],]$/\1/' | sort -u)

if ((n_files == 0)); then
    complain "no file found: is this a source tree?"
fi
echo "$n_files files, $failures complaints"
((failures == 0))
