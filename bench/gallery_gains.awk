# gallery_gains.awk - how many times as fast each row of the gallery is as the row that its page sets it against.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
#     awk -v column=13 -v n=16777216 -f bench/gallery_gains.awk FILE...
#
# FILE: of bench/fft_ladder.sh (ladder-*).  column: of the time, 9 (CPU), 13 (on a device), 16 (all processors).  n: the points.
# A row with several lines, by threads say, counts with its least time.  doc/gallery.md has the table that this is for.
BEGIN {
    FS = "\t"
    pairs = "naive_table naive  serial naive  serial_table serial  serial_split serial  serial_avx serial_split"
    pairs = pairs "  pthread serial  pthread_starts pthread  pthread_table pthread  pthread_each serial  pthread_spawn serial"
    pairs = pairs "  pthread_nodes pthread"
    pairs = pairs "  fourstep serial_table  bluestein auto  auto fourstep  auto fftw"
    pairs = pairs "  fft_2 fft_1  fft_3 fft_2  fft_3_table fft_3  compact_fft_3 fft_3  compact_fft_3_coalesced compact_fft_3"
    pairs = pairs "  fft_4 fft_3  fft_4_coalesced fft_4  stockham fft_3_table  local fft_3_table  local:native local:image"
    pairs = pairs "  local:constant local:image  local:global local:image  local_groups stockham  register_s2 local_groups"
    pairs = pairs "  register_s2_angles register_s2  register_sp register_s2  group_registers compact_fft_3_coalesced"
    pairs = pairs "  fourstep_ocl stockham  opencl fourstep_ocl  opencl stockham  bit_reversal fft_3"
    count = split(pairs, name, / +/)
}
/^#/ || $1 == "algorithm" || $3 != n || $column + 0 <= 0 { next }
!($1 in t) || $column + 0 < t[$1] { t[$1] = $column + 0 }
END {
    print "row\tagainst\tmicroseconds\tgain"
    for (i = 1; i < count; i += 2)
        if (name[i] in t && name[i + 1] in t)
            printf "%s\t%s\t%.5g\t%.3g\n", name[i], name[i + 1], t[name[i]], t[name[i + 1]] / t[name[i]]
}
