# plot.gp - time against size, or how many times faster than GMP, from one file of figures, as SVG.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#     gnuplot -e "input='x.tsv'; output='x.svg'; kind='time'; heading='...'; unit='limbs'" bench/plot.gp
#
# kind: time, ratio (of b-mul's and b-text's files), crossover (of b-crossover's).  Points are joined in the order of sizes; a
# size that a file has several times is drawn once, at the mean.

set terminal svg size 860,560 font "sans-serif,13" background "white"
set output output
set title heading noenhanced
set grid xtics ytics mxtics mytics lc rgb "#cccccc", lc rgb "#eeeeee"
set logscale x
set format x "10^{%T}"
set xlabel unit
set key left top noenhanced
set datafile separator "\t"

# Lines of one contestant: b-mul and b-text have its name in column 3, b-crossover the work in column 1.
rows(column, name) = sprintf("< awk -F '\\t' '!/^#/ && $%d == \"%s\"' '%s'", column, name, input)
names(column) = system(sprintf("awk -F '\\t' '!/^#/ && $%d !~ /^(contestant|work)$/ && !seen[$%d]++ {print $%d}' '%s'", \
                               column, column, column, input))

if (kind eq "time") {
    set logscale y
    set ylabel "milliseconds"
    plot for [name in names(3)] rows(3, name) using 1:($4 * 1e-6) smooth unique with linespoints lw 2 pt 7 ps 0.5 title name
}
if (kind eq "ratio") {
    set ylabel "times as fast as GMP"
    set yrange [0:*]
    plot for [name in names(3)] rows(3, name) using 1:(1 / $6) smooth unique with linespoints lw 2 pt 7 ps 0.5 title name
}
if (kind eq "crossover") {
    set ylabel "time / GMP's time"
    set yrange [0:2]
    set key right top
    plot for [name in names(1)] rows(1, name) using 2:6 smooth unique with lines lw 2 title name.", as it comes", \
         for [name in names(1)] rows(1, name) using 2:7 smooth unique with lines lw 1 dt 2 title name.", convolution", \
         1.03 with lines lc rgb "#888888" title "1.03"
}
