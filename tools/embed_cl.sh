#!/usr/bin/env bash
# embed_cl.sh - the OpenCL sources as a C file, on standard output.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# usage: embed_cl.sh TABLE KERNELS_DIR FILE...    TABLE: ocl_sources, which comes with the tunables, or another name
set -euo pipefail
export LC_ALL=C # what [A-Z] is
table=$1
dir=$2
shift 2
die()
{
    echo "embed_cl.sh: $*" >&2
    exit 1
}

names=(${@+"${@#*kernels/}"})

cat <<'END'
/* Made by tools/embed_cl.sh from kernels/; changes belong there. */
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
[[ $table == ocl_sources ]] || echo "extern const struct ocl_source ${table}[];"
echo "const struct ocl_source ${table}[] = {"
for i in ${names[@]+"${!names[@]}"}; do
    printf '    {"%s", source_%d, sizeof source_%d - 1},\n' "${names[i]}" "$i" "$i"
done
echo '    {0, 0, 0},'
echo '};'
if [[ $table == ocl_sources ]]; then
    echo
    echo 'const struct ocl_tunable ocl_tunables[] = {'
    sed -nE 's/^TUNABLE\(([A-Za-z_][A-Za-z_0-9]*),[[:space:]]*([^[:space:])]+)\).*/    {"\1", "\2"},/p' "$dir/tunables.def"
    echo '    {0, 0},'
    echo '};'
fi
echo '#endif'
