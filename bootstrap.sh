#!/bin/sh
# bootstrap.sh - make ./configure from configure.ac; needs autoconf, automake, libtool.
# SPDX-License-Identifier: LGPL-3.0-or-later
set -eu
cd "$(dirname "$0")"
for tool in autoreconf automake libtoolize; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "bootstrap.sh: $tool is missing; install autoconf, automake and libtool (or run ./quickstart)" >&2
        exit 1
    fi
done
mkdir -p build-aux m4
autoreconf -fi
