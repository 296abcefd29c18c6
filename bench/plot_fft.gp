# plot_fft.gp - the gallery's ladder: one picture from the files of bench/fft_ladder.sh.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#     gnuplot -e "kind='time'; input='x-ladder-cpu.tsv'; reference='x-ladder-cpu.tsv'; column=9; output='x.svg'; heading='...'"
#             bench/plot_fft.gp
#
# kind: time (microseconds), bandwidth (GB/s of input and output), speedup (over fftw of the file reference), cycles (for a point,
# of the clock that the file names), threads (of ladder-threads), group (short transforms, time for a point).
# column: of the time in microseconds, 9 (from memory to memory) or 13 (data on a device).

set terminal svg size 860,560 font "sans-serif,13" background "white"
set output output
set title heading noenhanced
set grid xtics ytics mytics lc rgb "#cccccc", lc rgb "#eeeeee"
set datafile separator "\t"
set key outside right noenhanced
set style data linespoints
do for [i = 1:12] {
    set linetype i \
        lc rgb word("#9400d3 #009e73 #56b4e9 #e69f00 #8b4513 #0072b2 #e51e10 #000000 #7f7f7f #ff69b4 #6b8e23 #20b2aa", i) \
        pt int(word("7 5 9 11 13 4 6 8 10 12 1 2", i))
}

# The lines of an algorithm whose column is a number; the names that have some.
rows(file, name) = sprintf("< awk -F '\\t' '!/^#/ && $1 == \"%s\" && $%d + 0 > 0' '%s'", name, column, file)
names(file) = system(sprintf("awk -F '\\t' '!/^#/ && $1 != \"algorithm\" && $%d + 0 > 0 && !seen[$1]++ {print $1}' '%s'", \
                             column, file))
clock = system(sprintf("sed -n 's/^# clock: \\([0-9.]*\\).*/\\1/p' '%s'", input)) + 0
# A picture's lines look alike in all of them.
style(name) = name eq "auto" || name eq "opencl" ? 3 : 1.5

if (kind ne "threads") {
    set logscale x 2
    set format x "2^{%L}"
    set xlabel "points"
}
if (kind eq "time") {
    set logscale y
    set ylabel "microseconds"
    plot for [name in names(input)] rows(input, name) using 3:column lw style(name) ps 0.6 title name
}
if (kind eq "bandwidth") {
    set ylabel "GB/s, input and output once each"
    plot for [name in names(input)] rows(input, name) using 3:(32e-3 * $3 * $4 / column(column)) lw style(name) ps 0.6 title name
}
if (kind eq "speedup") {
    set logscale y
    set ylabel "times as fast as FFTW (FFTW_ESTIMATE, one thread)" noenhanced
    of_fftw = sprintf("awk -F '\\t' 'FNR == NR {if ($1 == \"fftw\") t[$3] = $9; next} ". \
                      "!/^#/ && $1 != \"algorithm\" && ($3 in t) && $%d + 0 > 0 ". \
                      "{printf \"%%s\\t%%s\\t%%g\\n\", $1, $3, t[$3] / $%d}' '%s' '%s'", column, column, reference, input)
    faster(name) = sprintf("< %s | awk -F '\\t' '$1 == \"%s\"'", of_fftw, name)
    plot for [name in names(input)] faster(name) using 2:3 lw style(name) ps 0.6 title name
}
if (kind eq "cycles") {
    set logscale y
    set ylabel sprintf("cycles for a point, at %.0f MHz", clock)
    plot for [name in names(input)] rows(input, name) using 3:(column(column) * clock / $3) lw style(name) ps 0.6 title name
}
if (kind eq "threads") {
    set logscale y
    set xlabel "threads"
    set ylabel "microseconds"
    lengths = system(sprintf("awk -F '\\t' '!/^#/ && $1 != \"algorithm\" && !seen[$3]++ {print $3}' '%s'", input))
    some(name, n) = sprintf("< awk -F '\\t' '$1 == \"%s\" && $3 == %s' '%s'", name, n, input)
    power(n) = sprintf("2^%d", int(log(n + 0.0) / log(2) + 0.5))
    plot for [n in lengths] some("auto", n) using 7:9 lw 3 pt 7 ps 0.5 title "auto, ".power(n), \
         for [n in lengths] some("pthread", n) using 7:9 lw 1.5 dt 2 pt 5 ps 0.5 title "pthread, ".power(n)
}
if (kind eq "group") {
    set xrange [4:16384]
    set logscale y
    set ylabel "microseconds"
    plot for [name in "fft_3 stockham compact_fft_3 register_s2 register_sp fourstep_ocl opencl"] \
         rows(input, name) using 3:column lw style(name) ps 0.6 title name
}
