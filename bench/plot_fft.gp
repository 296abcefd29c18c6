# plot_fft.gp - the gallery's ladder: one picture from the files of bench/fft_ladder.sh.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#     gnuplot -e "kind='time'; input='x-ladder-cpu.tsv'; reference='x-ladder-cpu.tsv'; column=9; output='x.svg'; heading='...'"
#             bench/plot_fft.gp
#
# kind: time (microseconds), bandwidth (GB/s of input and output), fftw and naive (how many times as fast as that row of the file
# reference), cycles (for a point, of the clock that the file names), group (short transforms), threads and lengths (the
# strategies of ladder-threads: by threads at the longest length that all share, by length on the most threads), register (of
# that file).
# column: of the time in microseconds, 9 (from memory to memory) or 13 (data on a device).

set terminal svg size 860,560 font "sans-serif,13" background "white"
set output output
set title heading noenhanced
set grid xtics ytics mytics lc rgb "#cccccc", lc rgb "#eeeeee"
set datafile separator "\t"
set key outside right noenhanced
set style data linespoints
colours = "#9400d3 #009e73 #56b4e9 #e69f00 #8b4513 #0072b2 #e51e10 #000000 #7f7f7f #ff69b4 #6b8e23 #20b2aa"
do for [i = 1:24] {
    k = (i - 1) % 12 + 1
    dashes = i > 12 ? 2 : 1
    set linetype i lc rgb word(colours, k) dt dashes pt int(word("7 5 9 11 13 4 6 8 10 12 1 2", k))
}

# The lines of an algorithm whose column is a number; the names that have two, but for local:image and the like; and transforms.
rows(file, name) = sprintf("< awk -F '\\t' '!/^#/ && $1 == \"%s\" && $%d + 0 > 0' '%s'", name, column, file)
named(file, not) = system(sprintf("awk -F '\\t' '!/^#/ && $1 !~ /%s/ && $%d + 0 > 0 && seen[$1]++ == 1 {print $1}' '%s'", \
                                  not, column, file))
names(file) = named(file, "^algorithm$|:")
transforms(file) = named(file, "^algorithm$|:|bit_reversal")
clock = system(sprintf("sed -n 's/^# clock: \\([0-9.]*\\).*/\\1/p' '%s'", input)) + 0
# A picture's lines look alike in all of them.
style(name) = name eq "auto" || name eq "opencl" ? 3 : 1.5

if (kind ne "threads" && kind ne "register") {
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
if (kind eq "fftw" || kind eq "naive") {
    set logscale y
    set ylabel kind eq "fftw" ? "times as fast as FFTW (FFTW_ESTIMATE, one thread)" : "times as fast as naive" noenhanced
    own = column == 13 ? 9 : column # of the reference, which is of the CPU
    ratios = sprintf("awk -F '\\t' 'FNR == NR {if ($1 == \"%s\") t[$3] = $%d; next} ". \
                     "!/^#/ && $1 !~ /^algorithm$|:/ && ($3 in t) && $%d + 0 > 0 ". \
                     "{printf \"%%s\\t%%s\\t%%g\\n\", $1, $3, t[$3] / $%d}' '%s' '%s'", \
                     kind, own, column, column, reference, input)
    faster(name) = sprintf("< %s | awk -F '\\t' '$1 == \"%s\"'", ratios, name)
    plot for [name in transforms(input)] faster(name) using 2:3 lw style(name) ps 0.6 title name
}
if (kind eq "cycles") {
    set logscale y
    set ylabel sprintf("cycles for a point, at %.0f MHz", clock)
    plot for [name in names(input)] rows(input, name) using 3:(column(column) * clock / $3) lw style(name) ps 0.6 title name
}
most(name, of) = \
    system(sprintf("awk -F '\\t' '$1 == \"%s\" && $%d + 0 > m {m = $%d} END {print m + 0}' '%s'", name, of, of, input))
if (kind eq "threads") {
    set logscale xy 2
    set xlabel "threads"
    set ylabel sprintf("microseconds, 2^%d points", int(log(most("pthread", 3)) / log(2) + 0.5)) noenhanced
    at_length(name) = sprintf("< awk -F '\\t' '$1 == \"%s\" && $3 == %s' '%s'", name, most("pthread", 3), input)
    plot for [name in "pthread pthread_starts pthread_table pthread_spawn pthread_nodes auto"] \
        at_length(name) using 7:column lw style(name) ps 0.6 title name
}
if (kind eq "lengths") {
    set logscale y
    set ylabel sprintf("microseconds; strategies with threads on %s of them", most("pthread", 7)) noenhanced
    on_most(name) = sprintf("< awk -F '\\t' '$1 == \"%s\" && $7 == %s' '%s'", name, most(name, 7), input)
    plot for [name in names(input)] on_most(name) using 3:column lw style(name) ps 0.6 title name
}
if (kind eq "register") {
    set logscale xy 2
    set xlabel "work-items of a group"
    longest = system(sprintf("awk -F '\\t' '!/^#/ && $3 + 0 > m {m = $3} END {print m}' '%s'", input))
    set ylabel sprintf("microseconds, 2^%s points, double", longest) noenhanced
    of_parts(parts) = sprintf("< awk -F '\\t' '$1 == \"%s\" && $2 == \"double\" && $3 == %s' '%s'", parts, longest, input)
    case(i) = word("'whole' 'A' 'B' 'A B' 'C' 'A B C' 'D' 'A B C D'", i)
    plot for [i = 1:8] of_parts(case(i)) using 4:6 lw (i == 1 ? 3 : 1.5) ps 0.6 title case(i)
}
if (kind eq "group") {
    set xrange [4:16384]
    set logscale y
    set ylabel "microseconds"
    plot for [name in "fft_3 stockham compact_fft_3 compact_fft_3_coalesced local local_groups register_s2 group_registers ". \
                      "opencl"] \
         rows(input, name) using 3:column lw style(name) ps 0.6 title name
}
