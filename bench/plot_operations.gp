# plot_operations.gp - operations of generated transforms by size and algorithm, from the file of bench/fftgen_operations.sh.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#     gnuplot -e "input='x-fftgen-operations.tsv'; output='x.svg'" bench/plot_operations.gp
#
# Points are what is emitted, lines are the published formulas; both divided by N lg N.  The tangent
# algorithm's term of (-1)^Lg, below 1 / N, is left out.
set terminal svg size 860,560 font "sans-serif,13" background "white"
set output output
set title "Real operations of generated transforms, divided by N lg N" noenhanced
set grid xtics ytics lc rgb "#cccccc"
set datafile separator "\t"
set key outside right noenhanced
set xlabel "points"
set xtics ("2^4" 4, "2^8" 8, "2^{12}" 12, "2^{16}" 16, "2^{20}" 20, "2^{24}" 24)
set samples 400
colours = "#9400d3 #009e73 #56b4e9 #e69f00 #8b4513 #e51e10"
names = "2 4 8 S C T"
titles = "'radix 2' 'radix 4' 'radix 8' 'split radix' 'conjugate pair' 'tangent'"
formula(k, x) = k == 1 ? 5 - (10 - 16 / 2 ** x) / x : \
                k == 2 ? 17.0 / 4 - (43.0 / 6 - 32.0 / 3 / 2 ** x) / x : \
                k == 3 ? 49.0 / 12 - (25.0 / 4 - 8 / 2 ** x) / x : \
                k < 6 ? 4 - (6 - 8 / 2 ** x) / x : \
                34.0 / 9 - (124.0 / 27 - 8 / 2 ** x) / x - 2 / 2 ** x
rows(name) = sprintf("< awk -F '\\t' '$1 == \"%s\"' '%s'", name, input)
set xrange [3:26.5]
set ylabel "operations / (N lg N)"
plot for [k = 1:6] formula(k, x) lw 1.5 lc rgb word(colours, k) notitle, \
     for [k = 1:6] rows(word(names, k)) using 2:5 with points pt int(word("7 5 9 11 4 13", k)) ps 0.7 \
         lc rgb word(colours, k) title word(titles, k)
