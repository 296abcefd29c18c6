# lengths.awk - lines of b-lengths --table to rows of lib/plan/thresholds/lengths.h.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#   awk -f bench/lengths.awk FILE...      one instruction set or several; of a length that is there several times the rows chosen
#                                         most often, the earlier ones where they are equal, and the median of their times
#
# UNITS: picoseconds of a point for a unit of plan_model_cost, in the mean of all lengths from 2^10 to 2^18; the same for the
# longest octave.
BEGIN { FS = "\t" }

# scaled lines only where nothing was measured
$1 == "isa" || /^#/ { next }
$8 == "scaled" { if (($1, $2, $3) in measured) next }
{
    if ($8 != "scaled" && !(($1, $2, $3) in measured)) {
        measured[$1, $2, $3] = 1
        delete lines[$1, $2, $3]
    }
    if (!($1 in sets))
        order[++n_sets] = $1
    sets[$1] = 1
    k = ++lines[$1, $2, $3]
    way[$1, $2, $3, k] = $4 ", " $5
    ps[$1, $2, $3, k] = $6
    model[$1, $2, $3] = $6 / $7
}

# chosen - sets best_way and best_ps for a length
function chosen(key,    i, j, k, n, count, most, t, x) {
    most = n = 0
    for (i = 1; i <= lines[key]; i++) {
        count = 0
        for (j = 1; j <= lines[key]; j++)
            count += way[key, j] == way[key, i]
        if (count > most) {
            most = count
            best_way = way[key, i]
        }
    }
    for (i = 1; i <= lines[key]; i++)
        if (way[key, i] == best_way) {
            for (k = ++n; k > 1 && x[k - 1] > ps[key, i]; k--)
                x[k] = x[k - 1]
            x[k] = ps[key, i]
        }
    best_ps = n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2
}

function mean(from, to,    i, n, sum) {
    for (i = 1; i <= rows; i++)
        if (points[i] >= from && points[i] <= to) {
            sum += log(unit[i])
            n++
        }
    return n ? exp(sum / n) : 0
}

END {
    n_odds = split("1 3 5 7 9 15 21 45 105", odds, " ")
    for (s = 1; s <= n_sets; s++) {
        isa = order[s]
        text = ""
        rows = longest = 0
        for (o = 1; o <= n_odds; o++) {
            line = ""
            for (log2_n = 6; log2_n <= 26; log2_n++) {
                key = isa SUBSEP odds[o] SUBSEP log2_n
                if (!lines[key])
                    continue
                chosen(key)
                points[++rows] = odds[o] * 2 ^ log2_n
                unit[rows] = best_ps / model[key]
                longest = points[rows] > longest ? points[rows] : longest
                item = sprintf(" X(%d, %d, %s, %d)", odds[o], log2_n, best_way, best_ps)
                if (line == "" || length(line) + length(item) > 116) {
                    text = text line " \\\n"
                    line = "   "
                }
                line = line item
            }
            text = text line
        }
        near = mean(1024, 262144)
        printf "#ifndef PLAN_LENGTHS_%s\n#define PLAN_LENGTHS_%s_UNITS %.2f, %.2f\n#define PLAN_LENGTHS_%s(X)%s\n#endif\n", toupper(isa),
               toupper(isa), near ? near : mean(0, longest), mean(longest / 2, longest), toupper(isa), text
    }
}
