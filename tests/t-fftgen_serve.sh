#!/usr/bin/env bash
# t-fftgen_serve.sh - the page of fftgen --serve: its form, its answers, what it refuses; by hand, and in Chromium if it is there.
# SPDX-License-Identifier: LGPL-3.0-or-later
SRCDIR=$(cd "${SRCDIR:-$(dirname "$0")/..}" && pwd)
# shellcheck source=tests/fftgen_test.sh
. "$SRCDIR/tests/fftgen_test.sh"

mkfifo said
"$FFTGEN" --serve LOGN=5 ID=page >said &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$tmp"' EXIT
read -r -t 20 address <said || { fail "no address was printed"; finish; }
[[ $address =~ ^http://127\.0\.0\.1:([0-9]+)/$ ]] || { fail "the address is $address"; finish; }
port=${BASH_REMATCH[1]}

# ask LINE... - the lines of a request, and the answer in page; lines end as HTTP's do.
ask()
{
    n_checks=$((n_checks + 1))
    exec 3<>"/dev/tcp/127.0.0.1/$port" || { fail "no connection"; return; }
    printf '%s\r\n' "$@" '' >&3
    timeout 20 cat <&3 >page || fail "no answer to $1"
    exec 3>&-
}

# get QUERY - the page for a query.
get()
{
    ask "GET /$1 HTTP/1.1" "Host: 127.0.0.1:$port"
    grep -q '^HTTP/1.1 200 OK' page || fail "$1: $(head -n 1 page)"
}

# says TEXT - the answer contains the text.
says()
{
    n_checks=$((n_checks + 1))
    grep -qF -- "$1" page || fail "no '$1' in: $(head -c 300 page)"
}

# The form has every key of the program, and those of the command line are its defaults.
get ""
for key in $("$FFTGEN" --help KEYS | awk '/^  [A-Z]/{ print $1 }'); do
    says "<input id=\"$key\" name=\"$key\""
done
says "fft_page: N = 32, 32 complex points"
# The analysis is that of the program; the picture as well.
get "?LOGN=4&ALGORITHM=T&ID="
"$FFTGEN" --analyze LOGN=4 ALGORITHM=T ID=page | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' >analysis
sed -n '/<pre id="analysis">/,/<\/pre>/p' page | sed 's/.*<pre id="analysis">//; s/<\/pre>.*//' | sed '$d' >shown
n_checks=$((n_checks + 1))
cmp -s analysis shown || fail "another analysis: $(diff analysis shown | head -n 5)"
says "memory: signal 256, spectrum 256"
n_checks=$((n_checks + 1))
[[ $(grep -c '<line' page) == 128 ]] || fail "$(grep -c '<line' page) lines in the picture of 16 points"
says 'value="T"'
# What a browser sends: all fields, empty ones too, coded.
get "?DATA=&FFTDATA=float&LOGN=&N=&NONEZ=0%2C7&DIM=&KERNELNUM=+2"
says "(NONEZ=0,7)"
says "32 complex points of 8 bytes"
# No picture of many points; problems instead of an analysis, and never as a part of the page.
get "?LOGN=26"
says "up to 64 points"
get "?LOGN=99&ALGORITHM=%3Cscript%3E%22"
says 'LOGN=99: allowed: an integer from 3 to 28'
says '&lt;script&gt;&quot;'
n_checks=$((n_checks + 1))
grep -q '<script' page && fail "a value became a part of the page"
get "?=&%&%4&&&x=%00%ff"
# Other methods, hosts and paths are refused; a request that does not end, or is too long, does not stop the page.
ask "POST / HTTP/1.1" "Host: 127.0.0.1:$port"
says "HTTP/1.1 405"
ask "GET / HTTP/1.1" "Host: example.org"
says "HTTP/1.1 403"
ask "GET / HTTP/1.1" "Host: 127.0.0.1:$((port + 1))"
says "HTTP/1.1 403"
ask "GET /"
says "HTTP/1.1 403"
ask "GET /etc/passwd HTTP/1.1" "Host: localhost:$port"
says "HTTP/1.1 404"
ask "GET /" "Host: localhost:$port"
says "HTTP/1.1 400"
exec 4<>"/dev/tcp/127.0.0.1/$port"
printf 'GET / HTTP' >&4
get "?LOGN=6"
exec 4>&-
exec 3<>"/dev/tcp/127.0.0.1/$port"
head -c 100000 /dev/zero 2>/dev/null | tr '\0' 'x' >&3 2>/dev/null
exec 3>&-
get "?LOGN=6"
says 'id="graph"'
n_checks=$((n_checks + 1))
"$FFTGEN" --serve="$port" >/dev/null 2>err && fail "two servers on one port"
grep -q "Address already in use" err || fail "a port in use: $(<err)"
n_checks=$((n_checks + 1))
"$FFTGEN" --serve=70000 2>err && fail "port 70000"
if [[ -r /proc/net/tcp ]]; then # bound to this host alone
    n_checks=$((n_checks + 1))
    grep -q "$(printf ' 0100007F:%04X 00000000:0000 0A' "$port")" /proc/net/tcp || fail "not bound to 127.0.0.1"
fi

# In a browser: what it makes of the page has the fields, the numbers and the picture.
for browser in chromium chromium-browser google-chrome; do
    command -v $browser >/dev/null 2>&1 || continue
    n_checks=$((n_checks + 1))
    timeout 100 $browser --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" --dump-dom \
        "${address}?LOGN=3&ALGORITHM=S" >page 2>err || fail "$browser: $(tail -n 3 err)"
    says 'value="S"'
    says "total: 52 additions + 4 products = 56"
    [[ $(grep -c '<line' page) == 48 ]] || fail "$browser: $(grep -c '<line' page) lines in the picture of 8 points"
    echo "$browser shows the page"
    break
done
finish
