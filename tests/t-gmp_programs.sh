#!/usr/bin/env bash
# t-gmp_programs.sh - programs that use GMP give the same results under gfmul-run: those of PARI/GP, gmp-ecm, gmpy2 and
# python-flint that are installed.
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# PYTHON names the interpreter that has the packages.  Wheels bring a libgmp of their own, under another name.
. "$(dirname "$0")/bigmul_test.sh"
run=${BUILDDIR:-.}/gfmul-run
[[ $run == /* ]] || run=$OLDPWD/$run
[[ -x $run && -e ${run%/*}/.libs/libgfmul_gmp.so ]] || skip_all "gfmul-run is not built"
unset LD_PRELOAD GFMUL_GMP_THREADS GFMUL_GMP_THRESHOLD GFMUL_GMP_MEMORY GFMUL_GMP_STATS
python=${PYTHON:-python3}
n_programs=0

# same NAME COMMAND... - the command prints the same with and without the library, its input being "input": at the lowest
# threshold, as tuned, and with two threads.  NAME is said in failures.
same()
{
    local name=$1 options
    shift
    n_programs=$((n_programs + 1))
    "$@" <input >want 2>want.err || fail "$name without gfmul-run: status $?"
    for options in -l3 '' -t2; do
        n_checks=$((n_checks + 1))
        # shellcheck disable=SC2086 # no word, or one
        "$run" ${options:+${options:0:2} ${options:2}} -s "$@" <input >out 2>err ||
            fail "$name, $options: status $?: $(tail -n 3 err)"
        grep -v '^gfmul-gmp: ' err | cmp -s - want.err || fail "$name, $options: on standard error: $(head -c 300 err)"
        cmp -s out want || fail "$name, $options: $(diff out want | head -c 300)"
        grep -qE '^gfmul-gmp: [1-9]' err || fail "$name, $options: gfmul has made no product: $(tail -n 1 err)"
    done
}

if have gp; then
    cat >input <<'EOF'
default(parisizemax, "1G"); default(realprecision, 30000);
a = 3^200000; b = 7^150000 + 1; c = a * b;
print(c % 1000000007, " ", gcd(c, a + 5), " ", (c^2 \ (b - 2)) % 1000000007);
print(lift(Mod(3, b)^65537) % 1000000007, " ", 30000! % 1000000007, " ", sqrtint(c) % 1000000007);
print(Pi); print(exp(1) * log(2)); print(#digits(a));
EOF
    same PARI/GP gp -q -f
fi
if have ecm; then
    echo '2^20011-1' >input
    # times differ
    printf '#!/bin/sh\necm "$@" | sed "s/ took .*//"\n' >ecm-untimed
    chmod +x ecm-untimed
    same gmp-ecm ./ecm-untimed -sigma 0:4711 200 1000
fi
if "$python" -c 'import gmpy2' 2>/dev/null; then
    cat >input <<'EOF'
import gmpy2, os, sys, threading
from gmpy2 import mpz
print(gmpy2.mp_version(), gmpy2.version())
a, b = mpz(3) ** 300000, mpz(7) ** 250000 + 1
c = a * b
print(c % 1000000007, gmpy2.gcd(c, a + 5), (c * c // (b - 2)) % 1000000007, gmpy2.powmod(3, 65537, b) % 1000000007)
print(gmpy2.fac(30000) % 1000000007, hash(str(c)[:100]) is not None, mpz(str(a)) == a)
gmpy2.get_context().precision = 200000
print(gmpy2.const_pi())
ok = []
threads = [threading.Thread(target=lambda: ok.append((a * b) == c)) for i in range(4)]
for t in threads: t.start()
for t in threads: t.join()
sys.stdout.flush()
pid = os.fork()
if pid == 0: os._exit(0 if a * b == c else 1)
print(ok, os.waitpid(pid, 0)[1])
EOF
    same gmpy2 "$python" -
fi
if "$python" -c 'import flint' 2>/dev/null; then
    cat >input <<'EOF'
import flint
a, b = flint.fmpz(3) ** 300000, flint.fmpz(7) ** 250000 + 1
c = a * b
print(c % 1000000007, a.gcd(b), (c * c // (b - 2)) % 1000000007, flint.fmpz.fac_ui(30000) % 1000000007)
flint.ctx.dps = 10000
print(flint.arb.pi())
EOF
    same python-flint "$python" -
    if "$python" -c 'import gmpy2' 2>/dev/null; then # two copies of GMP in one process
        cat >input <<'EOF'
import gmpy2, flint
a, b = gmpy2.mpz(3) ** 300000, flint.fmpz(3) ** 300000
print(gmpy2.mp_version(), (a * a) % 1000000007, (b * b) % 1000000007)
with open("/proc/self/maps") as maps:
    print(sorted({line.split("/")[-1].strip() for line in maps if "libgmp" in line}))
EOF
        same "gmpy2 and python-flint" "$python" -
    fi
fi
((n_programs > 0)) || skip_all "neither gp, ecm, gmpy2 nor python-flint is installed"
finish
