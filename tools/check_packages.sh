#!/usr/bin/env bash
# check_packages.sh - the files for packagers, as far as this machine has what reads them: versions, syntax, completion, links.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -euo pipefail
cd "${SRCDIR:-$(dirname "$0")/..}"
failures=0
complain() { echo "$*" >&2; failures=$((failures + 1)); }
have() { command -v "$1" >/dev/null 2>&1; }
looked=()
# look COMMAND FILE... - the command has to succeed on each file, if it is there.
look()
{
    local words=$1 file
    shift
    have "${words%% *}" || return 0
    looked+=("${words%% *}")
    for file; do
        # shellcheck disable=SC2086
        $words "$file" >/dev/null 2>&1 || complain "$words $file: $($words "$file" 2>&1 | head -n 3)"
    done
}

# One version in all of them.
version=$(sed -n 's/^AC_INIT(\[gfmul\], \[\(.*\)\])/\1/p' configure.ac)
same() { grep -qF -- "$2" "$1" || complain "$1 does not say $2: configure.ac has version $version"; }
same debian/changelog.in "gfmul ($version)"
same packages/conda/meta.yaml "version: \"$version\""
same python/pyproject.toml "version = \"$version\""
same cmake/gfmul-config-version.cmake.in '@PACKAGE_VERSION@'

# Nothing in them stands for what somebody has to find out by himself.
templates='debian/(control|changelog)\.in|debian/rules|packages/sources\.mk|packages/homebrew/gfmul\.rb\.in'
# shellcheck disable=SC2046 # names without blanks
placeholders=$(grep -nE 'example\.(org|com|net)|\b(TODO|FIXME|XXX)\b|0{32}|@[A-Z0-9]+@' $(find debian packages -type f) |
    grep -vE "^($templates):.*@(MAINTAINER|HOMEPAGE|URL|SHA256)@" || true)
[[ -z $placeholders ]] || complain "a placeholder: $placeholders"

# What is written when packages are made.
tree=$(mktemp -d "${TMPDIR:-/tmp}/gfmul-packages-XXXXXX")
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/gfmul-$version"
cp -R debian README.md "$tree/gfmul-$version"
rm -f "$tree/gfmul-$version"/debian/{control,changelog}
# debian/rules is debhelper's.
if have dh; then
    if (cd "$tree/gfmul-$version" && env -u DEBEMAIL "${MAKE:-make}" -f debian/rules control) >/dev/null 2>&1; then
        complain "debian/rules control takes no address for one"
    fi
    (cd "$tree/gfmul-$version" &&
        DEBFULLNAME="A packager" DEBEMAIL=packager@example.com "${MAKE:-make}" -f debian/rules control) >/dev/null 2>&1 ||
        complain "debian/rules control fails"
    look "make -n -f" debian/rules
fi
sed -e 's|@HOMEPAGE@|https://example.com/|' -e "s|@URL@|https://example.com/gfmul-$version.tar.gz|" \
    -e "s|@SHA256@|$(sha256sum README.md | sed 's/ .*//')|" packages/homebrew/gfmul.rb.in >"$tree/gfmul.rb"
! grep -n '@[A-Z0-9]*@' "$tree/gfmul.rb" || complain "make formula leaves names of its own"

look "bash -n" packages/completion/gfmul.bash python/build_wheel.sh
look "zsh -n" packages/completion/_gfmul
look "ruby -c" "$tree/gfmul.rb"
if have dh && have dpkg-parsechangelog; then
    looked+=(dpkg-parsechangelog)
    [[ $(dpkg-parsechangelog -l "$tree/gfmul-$version/debian/changelog" -S Version) == "$version" ]] ||
        complain "debian/changelog.in cannot be read"
fi
# A source package of debian/ alone: what lintian says about control, rules, copyright and changelog.
if have dh && have dpkg-source && have lintian; then
    looked+=(lintian)
    (cd "$tree" && dpkg-source -b "gfmul-$version" >/dev/null 2>&1 &&
        lintian --no-cfg --allow-root --fail-on error,warning ./*.dsc >lintian.log 2>&1) ||
        complain "debian/: $(cat "$tree/lintian.log" 2>/dev/null || echo 'no source package')"
fi
# A recipe is YAML behind templates in double braces, and comments with selectors.
if have python3 && python3 -c 'import yaml' 2>/dev/null; then
    looked+=(yaml)
    python3 -c '
import re, sys, yaml
recipe = yaml.safe_load(re.sub(r"\{\{.*?\}\}", "x", open("packages/conda/meta.yaml").read()))
assert {"package", "source", "build", "requirements", "test", "about"} <= set(recipe), sorted(recipe)
' || complain "packages/conda/meta.yaml cannot be read"
fi

# The options that zsh completes are those of the programs.
if [[ -x ${BIGMUL:-build/bigmul} ]]; then
    options() { grep -oE -- '--[a-z][a-z-]+' | sort -u; }
    for name in bigcalc bigmul; do
        looked+=("$name")
        program=$(dirname "${BIGMUL:-build/bigmul}")/$name
        comm -3 <("$program" --help | sed -n 's/^  [ -].*\(--[a-z-]*\).*/\1/p' | options) \
            <(sed -n "/^$name)/,/;;/p" packages/completion/_gfmul | options) >"${TMPDIR:-/tmp}/gfmul-options.$$"
        [[ ! -s ${TMPDIR:-/tmp}/gfmul-options.$$ ]] ||
            complain "packages/completion/_gfmul and $name --help differ: $(tr -s '\n\t' ' ' <"${TMPDIR:-/tmp}/gfmul-options.$$")"
        rm -f "${TMPDIR:-/tmp}/gfmul-options.$$"
    done
    # shellcheck disable=SC2016
    completed=$(bash -c '. packages/completion/gfmul.bash
        COMP_WORDS=("$1" --rule ch) COMP_CWORD=2; _gfmul "$1" ch --rule; echo "${COMPREPLY[*]}"
        COMP_WORDS=("$1" --sq) COMP_CWORD=1; _gfmul "$1" --sq "$1"; echo "${COMPREPLY[*]}"' \
        bash "$(realpath "${BIGMUL:-build/bigmul}")")
    [[ $completed == $'checked\n--square' ]] || complain "bash completes '$completed'"
fi
echo "looked at by: ${looked[*]}"
((failures == 0))
