# plot_labels.awk - what plot.gp needs to name lines at their ends: commands of gnuplot, in one line.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#     awk -v kind=time|ratio -f bench/plot_labels.awk FILE      a file of b-mul or b-text
#
# Prints `names`, the contestants that have two sizes or more, in the order of the file, the range of y, and a label for each name
# in colour(i).  Labels that would lie on each other are moved apart.
BEGIN { FS = "\t"; gap = 0.042 }
/^#/ || $1 == "an" || $3 == "contestant" { next }
{
    y = kind == "time" ? log($4 * 1e-6) / log(10) : 1 / $6
    if (!($3 in sizes))
        order[++n] = $3
    if (!(($3, $1) in seen)) {
        seen[$3, $1] = 1
        sizes[$3]++
    }
    if ($1 + 0 >= end[$3] + 0) {
        end[$3] = $1
        last[$3] = y
    }
    value[$3, $1] = y
}
END {
    for (i = 1; i <= n; i++)
        if (sizes[order[i]] > 1)
            name[++m] = order[i]
    for (key in value) {
        split(key, part, SUBSEP)
        if (sizes[part[1]] > 1) {
            if (lowest == "" || value[key] < lowest)
                lowest = value[key]
            if (highest == "" || value[key] > highest)
                highest = value[key]
        }
    }
    low = kind == "time" ? lowest - 0.2 : 0
    high = kind == "time" ? highest + 0.2 : highest * 1.06
    for (i = 1; i <= m; i++) {
        at[i] = (last[name[i]] - low) / (high - low)
        place[i] = i
    }
    for (i = 2; i <= m; i++) # from the lowest up
        for (j = i; j > 1 && at[place[j]] < at[place[j - 1]]; j--) {
            t = place[j]
            place[j] = place[j - 1]
            place[j - 1] = t
        }
    for (round = 0; round < 50; round++)
        for (i = 2; i <= m; i++) {
            d = gap - (at[place[i]] - at[place[i - 1]])
            if (d > 1e-9) {
                at[place[i]] += d / 2
                at[place[i - 1]] -= d / 2
            }
        }
    all = ""
    for (i = 1; i <= m; i++)
        all = all (i > 1 ? " " : "") name[i]
    printf "names = \"%s\"; ", all
    if (kind == "time")
        printf "set yrange [%g:%g]; ", 10 ^ low, 10 ^ high
    else
        printf "set yrange [0:%g]; ", high
    for (i = 1; i <= m; i++)
        printf "set label %d \"%s\" at graph 1.015, graph %.4f tc rgb colour(%d) noenhanced; ", i, name[i], at[i], i
}
