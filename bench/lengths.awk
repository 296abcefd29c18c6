# lengths.awk - lines of b-stages lengths --table to rows of lib/plan/thresholds/lengths.h.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#   awk -f bench/lengths.awk FILE...    runs, each begun by its line of titles, of one instruction set or several
#
# The rows of a length are those that most runs chose.  The clock may change within a run, and from run to run by half: what
# counts are ratios of times within a run, of lengths that were measured one shortly after the other.  f of a length, the
# logarithm of its time over the model's, solves, in the least squares, f_i - f_j = the median over the runs of what they saw, for
# lengths i and j at most NEAR places apart; that leaves the level free, and what far lengths have to do with each other weak: so
# each f also has its median over the runs, with the weight LEVEL.
#
# UNITS: picoseconds of a point for a unit of plan_model_cost, in the mean of all lengths from 2^10 to 2^18 points; the same for
# the longest octave.
BEGIN { FS = "\t"; NEAR = 6; LEVEL = 0.02; SWEEPS = 400 }

$1 == "isa" { run++; next }
/^#/ || NF < 8 { next }
{
    key = $1 SUBSEP $2 SUBSEP $3
    if ($8 == "scaled" && key in measured)
        next
    if ($8 != "scaled" && !(key in measured)) {
        measured[key] = 1
        lines[key] = 0
    }
    if (!($1 in sets))
        order[++n_sets] = $1
    sets[$1] = 1
    if (!($2 in factors)) { # ascending
        for (o = ++n_odds; o > 1 && odds[o - 1] > $2 + 0; o--)
            odds[o] = odds[o - 1]
        odds[o] = $2 + 0
    }
    factors[$2] = 1
    k = ++lines[key]
    way[key, k] = $4 ", " $5
    by[key, k] = run
    value[key, k] = log($7)
    model[key] = $6 / $7
}

# middle - median of x[1 .. n]
function middle(n,    i, j, t) {
    for (i = 2; i <= n; i++) {
        t = x[i]
        for (j = i; j > 1 && x[j - 1] > t; j--)
            x[j] = x[j - 1]
        x[j] = t
    }
    return n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2
}

# choose - the way of length i, and the runs that took it
function choose(i, key,    a, b, n, count, most) {
    most = n = 0
    for (a = 1; a <= lines[key]; a++) {
        count = 0
        for (b = 1; b <= lines[key]; b++)
            count += way[key, b] == way[key, a]
        if (count > most) {
            most = count
            chosen[i] = way[key, a]
        }
        if (a > 40 && most > a)
            break
    }
    for (a = 1; a <= lines[key]; a++)
        if (way[key, a] == chosen[i]) {
            seen[i, by[key, a]] = value[key, a]
            x[++n] = value[key, a]
        }
    f[i] = level[i] = middle(n)
}

# solve - f of the lengths 1 .. n, which are in the order of their points
function solve(n,    i, j, r, m, s, w, sweep) {
    for (i = 1; i <= n; i++)
        for (j = i + 1; j <= n && j <= i + NEAR; j++) {
            m = 0
            for (r = 0; r <= run; r++)
                if ((i, r) in seen && (j, r) in seen)
                    x[++m] = seen[i, r] - seen[j, r]
            if (m > 0) {
                step[i, j] = middle(m)
                step[j, i] = -step[i, j]
            }
        }
    for (sweep = 0; sweep < SWEEPS; sweep++)
        for (i = 1; i <= n; i++) {
            s = LEVEL * level[i]
            w = LEVEL
            for (j = i - NEAR; j <= i + NEAR; j++)
                if ((i, j) in step) {
                    s += f[j] + step[i, j]
                    w++
                }
            f[i] = s / w
        }
}

function mean(n, from, to,    i, count, sum) {
    sum = count = 0
    for (i = 1; i <= n; i++)
        if (points[i] >= from && points[i] <= to) {
            sum += f[i]
            count++
        }
    return count ? exp(sum / count) : 0
}

END {
    for (s = 1; s <= n_sets; s++) {
        isa = order[s]
        n = 0
        for (o = 1; o <= n_odds; o++)
            for (log2_n = 6; log2_n <= 26; log2_n++)
                if ((isa, odds[o], log2_n) in lines) { # inserted in the order of their points
                    p = odds[o] * 2 ^ log2_n
                    for (i = ++n; i > 1 && points[i - 1] > p; i--) {
                        points[i] = points[i - 1]
                        key_of[i] = key_of[i - 1]
                    }
                    points[i] = p
                    key_of[i] = isa SUBSEP odds[o] SUBSEP log2_n
                }
        split("", seen)
        split("", step)
        for (i = 1; i <= n; i++) {
            choose(i, key_of[i])
            at[key_of[i]] = i
        }
        solve(n)
        text = ""
        for (o = 1; o <= n_odds; o++) {
            line = ""
            for (log2_n = 6; log2_n <= 26; log2_n++) {
                key = isa SUBSEP odds[o] SUBSEP log2_n
                if (!(key in at))
                    continue
                item = sprintf(" X(%d, %d, %s, %.0f)", odds[o], log2_n, chosen[at[key]], exp(f[at[key]]) * model[key])
                if (line == "" || length(line) + length(item) > 116) {
                    text = text line " \\\n"
                    line = "   "
                }
                line = line item
            }
            text = text line
        }
        near = mean(n, 1024, 262144)
        printf "#ifndef PLAN_LENGTHS_%s\n#define PLAN_LENGTHS_%s_UNITS %.2f, %.2f\n#define PLAN_LENGTHS_%s(X)%s\n#endif\n",
               toupper(isa), toupper(isa),
               near ? near : mean(n, 0, points[n]), mean(n, points[n] / 2, points[n]),
               toupper(isa), text
    }
}
