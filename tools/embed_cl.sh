#!/usr/bin/env bash
# embed_cl.sh - the OpenCL sources as a C file, on standard output.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# usage: embed_cl.sh KERNELS_DIR FILE...    FILE...: those of kernels/sources.mk
set -euo pipefail
export LC_ALL=C # what [A-Z] is
dir=$1
shift
die()
{
    echo "embed_cl.sh: $*" >&2
    exit 1
}

names=(${@+"${@#*kernels/}"})

cat <<'END'
/* ocl_embedded.c - made by tools/embed_cl.sh from kernels/; changes belong there. */
#ifdef HAVE_OPENCL
#include "ocl/ocl_source.h"

END
for i in ${names[@]+"${!names[@]}"}; do
    [[ -f $dir/${names[i]} ]] || die "no file $dir/${names[i]}"
    printf 'static const char source_%d[] = /* %s */\n' "$i" "${names[i]}"
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/^/    "/' -e 's/$/\\n"/' "$dir/${names[i]}"
    [[ -s $dir/${names[i]} ]] || echo '    ""'
    echo '    ;'
    echo
done
echo 'const struct ocl_source ocl_sources[] = {'
for i in ${names[@]+"${!names[@]}"}; do
    printf '    {"%s", source_%d, sizeof source_%d - 1},\n' "${names[i]}" "$i" "$i"
done
echo '    {0, 0, 0},'
echo '};'
echo
echo 'const struct ocl_tunable ocl_tunables[] = {'
sed -nE 's/^TUNABLE\(([A-Za-z_][A-Za-z_0-9]*),[[:space:]]*([^[:space:])]+)\).*/    {"\1", "\2"},/p' "$dir/tunables.def"
echo '    {0, 0},'
echo '};'
echo '#endif'
