# gmp_programs.sh - programs on top of GMP, with a job for each; sourced by t-gmp_programs.sh and by bench/program_ratios.sh.
# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=bash disable=SC2034 # who sources this reads the arrays
#
# PYTHON names the interpreter that has gmpy2 and python-flint from wheels; these bring a libgmp of their own, under another name.

program_names=(PARI/GP gmp-ecm gmpy2 python-flint gmpy2+python-flint gmpy2-Debian Singular Sollya GAP Maxima Guile Ruby Math::GMP
    Math::BigInt PHP zarith GHC gawk SWI-Prolog)

# Debian's packages of them, and those that come from pip.
program_packages=(pari-gp gmp-ecm python3-gmpy2 singular-ui sollya gap-core maxima guile-3.0 ruby libmath-gmp-perl
    libmath-bigint-gmp-perl php-cli php-gmp ocaml-nox ocaml-findlib libzarith-ocaml-dev ghc gawk swi-prolog-nox)
pip_programs=" gmpy2 python-flint gmpy2+python-flint "

# Those whose malloc is a part of their own: gfmul makes none of their products, and says so.
program_left=" Maxima "

installed() { command -v "$1" >/dev/null 2>&1; }

has_python() # has_python INTERPRETER MODULE...
{
    local python=$1 module
    shift
    installed "$python" || return 1
    for module; do
        "$python" -c "import $module" >/dev/null 2>&1 || return 1
    done
}

# program_job NAME N - write the file "input" and set `command`: a job of about N quarters of a second, by GMP.  It prints a few
# remainders, and some digits.  1: the program is not installed, 2: it could not be compiled.
program_job()
{
    local n=$2 python=${PYTHON:-python3}
    : >input
    case $1 in
    PARI/GP)
        installed gp || return 1
        cat >input <<EOF
default(parisizemax, "2G"); default(realprecision, 30000 * $n);
a = 3^(300000 * $n); b = 7^(200000 * $n) + 1; c = a * b;
print(c % 1000000007, " ", gcd(c, a + 5), " ", (c^2 \\ (b - 2)) % 1000000007, " ", sqrtint(c) % 1000000007);
print(lift(Mod(3, 7^20000 + 1)^(2^(50 * $n) + 1)) % 1000000007, " ", (20000 * $n)! % 1000000007, " ", #digits(a));
print(floor(Pi * 10^(29000 * $n)) % 1000000007, " ", floor(exp(1) * log(2) * 10^(29000 * $n)) % 1000000007);
EOF
        command=(gp -q -f)
        ;;
    gmp-ecm)
        installed ecm || return 1
        echo '2^20011-1' >input
        # times differ
        printf '#!/bin/sh\necm "$@" | sed "s/ took .*//"\n' >ecm-untimed
        chmod +x ecm-untimed
        command=(./ecm-untimed -sigma 0:4711 $((100 * n)) $((500 * n)))
        ;;
    gmpy2 | gmpy2-Debian)
        [[ $1 == gmpy2 ]] || python=/usr/bin/python3
        has_python "$python" gmpy2 || return 1
        cat >input <<EOF
import gmpy2, os, sys, threading
from gmpy2 import mpz
print(gmpy2.mp_version(), gmpy2.version())
p = 1000000007
a, b = mpz(3) ** (400000 * $n), mpz(7) ** (300000 * $n) + 1
c = a * b
print(c % p, gmpy2.gcd(c, a + 5), (c * c // (b - 2)) % p, gmpy2.powmod(3, 65537, b) % p, gmpy2.isqrt(c) % p)
print(gmpy2.fac(30000 * $n) % p, str(c)[:100], mpz(str(a)) == a)
gmpy2.get_context().precision = 200000 * $n
print(mpz(gmpy2.floor(gmpy2.const_pi() * mpz(2) ** (150000 * $n))) % p)
ok = []
threads = [threading.Thread(target=lambda: ok.append((a * b) == c)) for i in range(4)]
for t in threads: t.start()
for t in threads: t.join()
sys.stdout.flush()
pid = os.fork()
if pid == 0: os._exit(0 if a * b == c else 1)
print(ok, os.waitpid(pid, 0)[1])
EOF
        command=("$python" -)
        ;;
    python-flint)
        has_python "$python" flint || return 1
        cat >input <<EOF
import flint
p = 1000000007
a, b = flint.fmpz(3) ** (400000 * $n), flint.fmpz(7) ** (300000 * $n) + 1
c = a * b
print(c % p, a.gcd(b), (c * c // (b - 2)) % p, flint.fmpz.fac_ui(30000 * $n) % p)
flint.ctx.dps = 10000 * $n
print(flint.arb.pi())
EOF
        command=("$python" -)
        ;;
    gmpy2+python-flint) # two copies of GMP in one process
        has_python "$python" gmpy2 flint || return 1
        cat >input <<EOF
import gmpy2, flint
a, b = gmpy2.mpz(3) ** (500000 * $n), flint.fmpz(3) ** (500000 * $n)
for i in range(20):
    x, y = a * a, b * b
assert (x - a) % 1000000007 == int((y - b) % 1000000007)
print(gmpy2.mp_version(), (a * a) % 1000000007, (b * b) % 1000000007)
with open("/proc/self/maps") as maps:
    print(sorted({line.split("/")[-1].strip() for line in maps if "libgmp" in line}))
EOF
        command=("$python" -)
        ;;
    Singular)
        installed Singular || return 1
        cat >input <<EOF
bigint a = bigint(3)^(500000 * $n);
bigint b = bigint(7)^(400000 * $n) + 1;
bigint c = a * b;
bigint p = 1000000007;
c mod p; (c * c) mod p; gcd(c, a + 5) mod p; (c div (b - 2)) mod p;
ring r = 0, x, dp;
number u = 1; number v = 1;
int i;
for (i = 1; i <= 200 * $n; i++) { u = u * 12345678901234567891234567; v = v + u; }
string(v)[1, 100];
quit;
EOF
        command=(Singular -q -t --no-rc)
        ;;
    Sollya)
        installed sollya || return 1
        cat >input <<EOF
prec = 300000 * $n!;
a = 3^(100000 * $n);
b = a * a + 1;
b - 2^100 * floor(b / 2^100);
x = round(pi * exp(1), 250000 * $n, RN);
y = floor(x * 2^1000);
y;
z = round(log(2) * x * x, 250000 * $n, RN);
floor(z * 2^1000);
quit;
EOF
        command=(sollya --flush)
        ;;
    GAP)
        installed gap || return 1
        cat >input <<EOF
a := 3^(300000 * $n);; b := 7^(200000 * $n) + 1;; c := a * b;;
p := 1000000007;;
Print(c mod p, " ", QuoInt(c * c, b - 2) mod p, " ", GcdInt(c, a + 5) mod p, " ", Factorial(20000 * $n) mod p, "\n");
Print(PowerModInt(3, 65537, 7^(20000 * $n) + 1) mod p, " ", Length(String(a)), " ", String(c){[1..100]}, "\n");
Print(RootInt(c, 2) mod p, " ", Fibonacci(500000 * $n) mod p, "\n");
QUIT;
EOF
        command=(gap -q -A -r -T)
        ;;
    Maxima)
        installed maxima || return 1
        cat >input <<EOF
a : 3^(300000 * $n)\$ b : 7^(200000 * $n) + 1\$ c : a * b\$
p : 1000000007\$
print(mod(c, p), mod(quotient(c * c, b - 2), p), mod((20000 * $n)!, p))\$
print(mod(isqrt(c), p), mod(power_mod(3, 65537, 7^(20000 * $n) + 1), p))\$
quit()\$
EOF
        command=(maxima --very-quiet)
        ;;
    Guile)
        installed guile || return 1
        cat >input.scm <<EOF
(define p 1000000007)
(define a (expt 3 (* 600000 $n)))
(define b (+ 1 (expt 7 (* 400000 $n))))
(define c (* a b))
(for-each (lambda (x) (display x) (newline))
  (list (modulo c p) (modulo (quotient (* c c) (- b 2)) p) (gcd c (+ a 5)) (string-length (number->string a))
        (modulo (exact-integer-sqrt c) p) (modulo (modulo-expt 3 65537 (+ 1 (expt 7 (* 20000 $n)))) p)))
EOF
        command=(guile --no-auto-compile -q input.scm)
        ;;
    Ruby)
        installed ruby || return 1
        cat >input <<EOF
p = 1000000007
a = 3 ** (300000 * $n)
b = 7 ** (200000 * $n) + 1
c = a * b
puts c % p, (c * c / (b - 2)) % p, c.gcd(a + 5) % p, a.to_s.length, c.to_s[0, 100], Integer.sqrt(3 ** (20000 * $n)) % p
puts (1..5000 * $n).inject(:*) % p, Integer("123456789" * (10000 * $n)) % p
EOF
        command=(ruby --disable-gems -)
        ;;
    Math::GMP)
        perl -MMath::GMP -e 1 2>/dev/null || return 1
        cat >input <<EOF
use Math::GMP;
my (\$p, \$n) = (Math::GMP->new(1000000007), $n);
my \$a = Math::GMP->new(3) ** (600000 * \$n);
my \$b = Math::GMP->new(7) ** (400000 * \$n) + 1;
my \$c = \$a * \$b;
print \$c % \$p, " ", (\$c * \$c / (\$b - 2)) % \$p, " ", \$c->bgcd(\$a + 5) % \$p, "\n";
print length("\$a"), " ", substr("\$c", 0, 100), "\n";
print Math::GMP->new(30000 * \$n)->bfac() % \$p, " ", \$c->bsqrt() % \$p, "\n";
EOF
        command=(perl)
        ;;
    Math::BigInt)
        perl -MMath::BigInt::GMP -e 1 2>/dev/null || return 1
        cat >input <<EOF
use Math::BigInt lib => 'GMP';
my \$n = $n;
my \$a = Math::BigInt->new(3) ** (500000 * \$n);
my \$b = Math::BigInt->new(7) ** (300000 * \$n) + 1;
my \$c = \$a * \$b;
print Math::BigInt->config('lib'), " ", \$c % 1000000007, " ", (\$c * \$c / (\$b - 2)) % 1000000007, " ",
    Math::BigInt::bgcd(\$c, \$a + 5) % 1000000007, " ", Math::BigInt->new(20000 * \$n)->bfac() % 1000000007, "\n";
EOF
        command=(perl)
        ;;
    PHP)
        installed php && php -r 'exit(function_exists("gmp_mul") ? 0 : 1);' || return 1
        cat >input <<EOF
<?php
\$n = $n;
\$a = gmp_pow(3, 600000 * \$n);
\$b = gmp_add(gmp_pow(7, 400000 * \$n), 1);
\$c = gmp_mul(\$a, \$b);
\$p = 1000000007;
echo gmp_mod(\$c, \$p), " ", gmp_mod(gmp_div_q(gmp_mul(\$c, \$c), \$b - 2), \$p), " ", gmp_mod(gmp_gcd(\$c, \$a + 5), \$p), " ",
    strlen(gmp_strval(\$a)), " ", gmp_mod(gmp_fact(30000 * \$n), \$p), " ", gmp_mod(gmp_sqrt(\$c), \$p), "\n";
EOF
        command=(php -d memory_limit=-1)
        ;;
    zarith)
        installed ocamlfind && ocamlfind query zarith >/dev/null 2>&1 || return 1
        cat >zarith_job.ml <<EOF
let () =
  let n = $n and p = Z.of_int 1000000007 in
  let a = Z.pow (Z.of_int 3) (600000 * n) in
  let b = Z.succ (Z.pow (Z.of_int 7) (400000 * n)) in
  let c = Z.mul a b in
  let show x = print_endline (Z.to_string (Z.rem x p)) in
  show c; show (Z.div (Z.mul c c) (Z.sub b (Z.of_int 2))); show (Z.gcd c (Z.add a (Z.of_int 5))); show (Z.sqrt c);
  show (Z.powm (Z.of_int 3) (Z.of_int 65537) b); show (Z.of_string (Z.to_string a));
  print_endline (string_of_int (String.length (Z.to_string a)))
EOF
        ocamlfind ocamlopt -package zarith -linkpkg zarith_job.ml -o zarith_job >compile.log 2>&1 || return 2
        command=(./zarith_job)
        ;;
    GHC)
        installed ghc || return 1
        cat >GhcJob.hs <<EOF
main :: IO ()
main = do
  let p = 1000000007 :: Integer
      a = 3 ^ (600000 * $n :: Int) :: Integer
      b = 7 ^ (400000 * $n :: Int) + 1 :: Integer
      c = a * b
  print (c \`mod\` p, (c * c \`div\` (b - 2)) \`mod\` p, gcd c (a + 5) \`mod\` p, product [1 .. 5000 * $n] \`mod\` p)
  print (length (show (3 ^ (100000 * $n :: Int) :: Integer)))
EOF
        ghc -O1 -o ghc_job GhcJob.hs >compile.log 2>&1 || return 2
        command=(./ghc_job)
        ;;
    gawk)
        installed gawk && gawk -M 'BEGIN { exit PROCINFO["gmp_version"] == "" }' 2>/dev/null || return 1
        cat >input.awk <<EOF
BEGIN {
    n = $n; p = 1000000007
    a = 3 ^ (600000 * n); b = 7 ^ (400000 * n) + 1; c = a * b
    print c % p, (c * c) % p, length(a ""), (c * a * b) % p
    f = 1
    for (i = 1; i <= 3000 * n; i++) f *= i
    print f % p
}
EOF
        command=(gawk -M -f input.awk)
        ;;
    SWI-Prolog)
        installed swipl || return 1
        cat >input.pl <<EOF
job :- N = $n, P = 1000000007,
    A is 3 ** (600000 * N), B is 7 ** (400000 * N) + 1, C is A * B,
    X is C mod P, Y is (C * C // (B - 2)) mod P, G is gcd(C, A + 5) mod P, R is powm(3, 65537, 7 ** (20000 * N) + 1) mod P,
    format("~w ~w ~w ~w~n", [X, Y, G, R]),
    T is 3 ** (200000 * N), number_codes(T, L), length(L, K), format("~w~n", [K]).
EOF
        command=(swipl --stack_limit=2g -g job -t halt input.pl)
        ;;
    *) return 1 ;;
    esac
}

# program_loop NAME - the same for a job that multiplies two numbers until it is interrupted, leaves the product by the program's
# own handler, and then prints "intact" if they are as they were.  1: not installed, or without such a handler.
program_loop()
{
    local python=${PYTHON:-python3}
    : >input
    case $1 in
    PARI/GP)
        installed gp || return 1
        cat >input <<'EOF'
default(parisizemax, "1G");
a = 3^2000000; b = 7^1000000; s = a % 1000000007;
while(1, c = a * b)
print(if(a % 1000000007 == s && (a * b) \ a == b, "intact", "broken"));
EOF
        command=(gp -q -f)
        ;;
    gmpy2 | gmpy2-Debian)
        [[ $1 == gmpy2 ]] || python=/usr/bin/python3
        has_python "$python" gmpy2 || return 1
        cat >input <<'EOF'
from gmpy2 import mpz
a, b = mpz(3) ** 2000000, mpz(7) ** 1000000
s = a % 1000000007
try:
    for i in range(10 ** 12):
        c = a * b
except KeyboardInterrupt:
    print("intact" if a % 1000000007 == s and (a * b) // a == b else "broken")
EOF
        command=("$python" -)
        ;;
    Guile)
        installed guile || return 1
        cat >input.scm <<'EOF'
(define a (expt 3 2000000))
(define b (expt 7 1000000))
(define s (modulo a 1000000007))
(sigaction SIGINT (lambda (signal) (throw 'interrupted)))
(catch 'interrupted (lambda () (let loop () (* a b) (loop))) (lambda key #f))
(display (if (and (= s (modulo a 1000000007)) (= b (quotient (* a b) a))) "intact" "broken"))
(newline)
EOF
        command=(guile --no-auto-compile -q input.scm)
        ;;
    SWI-Prolog)
        installed swipl || return 1
        cat >input.pl <<'EOF'
job :- A is 3 ** 2000000, B is 7 ** 1000000, S is A mod 1000000007,
    on_signal(int, _, interrupt), catch(loop(A, B), interrupted, true),
    ( S =:= A mod 1000000007, B =:= (A * B) // A -> writeln(intact) ; writeln(broken) ).
interrupt(_) :- throw(interrupted).
loop(A, B) :- repeat, _ is A * B, fail.
EOF
        command=(swipl --stack_limit=2g -g job -t halt input.pl)
        ;;
    *) return 1 ;;
    esac
}
