#!/usr/bin/env bash
# tally.sh DIR... - sum up the results (*.trs) of automake's test harness in folders and those below them.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Names each test that failed.  The last line is "N passed, N failed", with ", N skipped" where any was.  Status 1 where a test
# failed or where there is no result at all.
set -euo pipefail

pass=0 fail=0 skip=0
while IFS= read -r trs; do
    while IFS= read -r result; do
        case $result in
        PASS | XFAIL) pass=$((pass + 1)) ;;
        SKIP) skip=$((skip + 1)) ;;
        *)
            fail=$((fail + 1))
            echo "$result: ${trs%.trs}"
            ;;
        esac
    done < <(sed -n 's/^:test-result: *\([A-Z]*\).*/\1/p' "$trs")
    if ! grep -q '^:test-result:' "$trs"; then
        fail=$((fail + 1))
        echo "NO RESULT: ${trs%.trs}"
    fi
done < <(find "$@" -name '*.trs' | sort)

line="$pass passed, $fail failed"
if ((skip > 0)); then
    line+=", $skip skipped"
fi
echo "$line"
((fail == 0 && pass > 0))
