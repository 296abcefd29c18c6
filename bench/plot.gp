# plot.gp - time against size, or how many times faster than GMP, from one file of figures, as SVG.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#     gnuplot -e "input='x.tsv'; output='x.svg'; kind='time'; heading='...'; unit='limbs'; folder='bench'" bench/plot.gp
#
# kind: time, ratio (of b-mul's and b-text's files), crossover (of b-crossover's).  folder: where plot_labels.awk is.  Points are
# joined in the order of sizes.  If a file has a size several times, the last one counts.  For crossover it is the first, because
# the others have longer second operands.

set terminal svg size 860,520 font "sans-serif,13" background "white"
set output output
set title heading noenhanced
set border 3 lc rgb "#666666"
set tics nomirror
set grid xtics ytics lc rgb "#dddddd"
set logscale x
set format x "10^{%T}"
set xlabel unit
set autoscale xfix
set datafile separator "\t"

# Colours that are told apart on white, also by those who see few of them.
colour(i) = word("#555555 #0072b2 #d55e00 #00724f #b3468c #7f5200 #5a3fb0 #000000", (i - 1) % 8 + 1)
dash(i) = i > 8 ? 2 : 1

# Lines of one contestant: b-mul and b-text have its name in column 3, b-crossover the work in column 1.
rows(name) = sprintf("< awk -F '\\t' '$3 == \"%s\" {last[$1] = $0} END {for (n in last) print last[n]}' '%s' | sort -g", \
                     name, input)
firsts(name) = sprintf("< awk -F '\\t' '$1 == \"%s\" && !seen[$2]++' '%s' | sort -g -k 2,2", name, input)

if (kind eq "crossover") {
    set ylabel "time / GMP's time"
    set yrange [0:2]
    set key right top noenhanced
    plot for [i = 1:2] firsts(word("mul sqr", i)) using 2:6 with lines lw 2 lc rgb colour(i + 1) \
             title word("products squares", i).", as they come", \
         for [i = 1:2] firsts(word("mul sqr", i)) using 2:7 with lines lw 1 dt 2 lc rgb colour(i + 1) \
             title word("products squares", i).", convolution alone", \
         1.03 with lines lc rgb "#888888" title "1.03"
} else {
    eval system(sprintf("awk -v kind=%s -f '%s/plot_labels.awk' '%s'", kind, folder, input))
    set rmargin 20
    unset key
    if (kind eq "time") {
        set logscale y
        set ylabel "milliseconds"
        plot for [i = 1:words(names)] rows(word(names, i)) using 1:($4 * 1e-6) \
            with linespoints lw 2 dt dash(i) pt 7 ps 0.5 lc rgb colour(i)
    } else {
        set ylabel "times as fast as GMP"
        plot for [i = 1:words(names)] rows(word(names, i)) using 1:(1 / $6) \
            with linespoints lw 2 dt dash(i) pt 7 ps 0.5 lc rgb colour(i)
    }
}
