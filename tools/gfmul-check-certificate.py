#!/usr/bin/env python3
"""gfmul-check-certificate - is a product right, by its certificate?  SPDX-License-Identifier: LGPL-3.0-or-later

Three things are checked, and the files of numbers are read once each.

1. The product is that of the operands modulo primes that this program draws.  Who made the files cannot know them, so that this
   holds against everyone (doc/error-bound.md, section 16; the numbers are read by bigmul's grammar).
2. The certificate is that of these numbers: their residues modulo its primes, their lengths.
3. Its bound of the rounding error follows from the passes, by the formulas of doc/error-bound.md, whose sections stand beside
   them.  The figures that were measured are taken as they are.
"""
import argparse
import os
import random
import re
import sys
from fractions import Fraction as Q
from math import gcd, isqrt, log2, prod

FINE = Q(1, 1 << 30)  # the library's bound may be so much above the exact one: it raises its own by 2^-40
ODD = {  # section 5: forwards, backwards; without FMA, with it
    3: (("4.522", "3.522"), ("4.184", "3.318")), 5: (("6.59", "4.59"), ("6.316", "5.507")),
    7: (("8.531", "5.531"), ("7.716", "7.092")), 9: (("11.715", "9.479"), ("11.039", "9.071")),
    15: (("11.112", "8.112"), ("10.5", "8.825"))}
PRIMES = ((47, 52, 124 * 10 ** 12), (57, 58, 35 * 10 ** 14))  # section 16: from 2^47 to 2^52, and at least how many there are
DD_ODD = {3: ("18", "4.184"), 5: ("23.2", "6.316"), 7: ("31.5", "7.716")}  # 19.9
HEX = r"0x[01](?:\.[0-9a-f]{1,13})?p[+-]\d{1,4}"  # a double, as C's %a writes it
WORDS = {"#": r"(\d{1,20})", "@": "(%s|inf)" % HEX, "~": "((?: %s){1,8})" % HEX}
DRAWN = 6  # primes of 58 bits that each check draws: enough for products of 1e14 bits (section 16)
MOST_PRIMES = 6  # of a certificate
WHITE = b" \t\n\v\f\r"
DIGITS = b"0123456789abcdefghijklmnopqrstuvwxyz"

class Refused(Exception):
    pass
def need(truth, why):
    if not truth:
        raise Refused(why)
def sqrt_up(q):
    return Q(isqrt((q.numerator << 400) // q.denominator) + 1, 1 << 200)
def exact(text):
    """The value of a double; None: it is infinite."""
    try:
        return None if text == "inf" else Q(*float.fromhex(text).as_integer_ratio())
    except OverflowError:
        raise Refused("the certificate has '%s', which is no double" % text) from None

def shown(q):
    try:
        return "inf" if q is None else "%.9g" % q
    except OverflowError:
        return "over 1e308"

class Lines:
    """The certificate's lines, whose checksum is right."""
    def __init__(self, path):
        with open(path, "rb") as f:
            raw = f.read(1 << 20)
        need(raw.startswith(b"gfmul certificate "), "%s is no certificate" % path)
        need(raw.isascii() and raw.endswith(b"\n"), "the certificate is cut off")
        at, h = raw.rfind(b"\n", 0, -1) + 1, 0xcbf29ce484222325
        for c in raw[:at]:
            h = (h ^ c) * 0x100000001b3 & (1 << 64) - 1
        need(raw[at:] == b"checksum: %016x\n" % h, "the certificate is altered: its checksum differs")
        self.lines, self.at = raw[:at].decode().split("\n")[:-1], 0
    def take(self, pattern):  # the words of the next line: # an integer, @ a floating-point number, ~ several
        line = self.lines[self.at] if self.at < len(self.lines) else ""
        match = re.fullmatch(re.sub("[#@~]", lambda m: WORDS[m[0]], pattern), line)
        need(match, "the certificate has %s instead of a line '%s'" % (ascii(line[:60]), pattern.split(":")[0]))
        self.at += 1
        return match.groups()
    def integers(self, pattern):
        return [int(x) for x in self.take(pattern)]
    def exacts(self, pattern):
        return [exact(x) for x in self.take(pattern)]

class Transform:
    """What a certificate says of one transform; the bound is recomputed, and compared."""
    def __init__(self, c):
        self.dd = c.take("field: (double|dd)")[0] == "dd"
        self.fma = c.integers("fma: ([01])")[0]
        self.packing = c.take("packing: (right-angle|one-for-half|two-for-one)")[0]
        self.right = self.packing == "right-angle"
        self.odd, levels = c.integers(r"points: # \* 2\^#")
        need(odd_number(self.odd) and (self.right and 9 if self.dd else 6) <= levels < 48, "there is no such transform")
        self.n = self.odd << levels
        self.capacity = self.n if self.packing == "two-for-one" else 2 * self.n
        self.base, self.exponent = c.integers(r"digit_base: #\^#")
        need(2 <= self.base <= 36 and 0 < self.exponent <= 46, "there is no such digit base")
        self.digit_base = self.base ** self.exponent
        need(self.digit_base <= 1 << (46 if self.dd else 30), "the digits are too large for their integers")
        self.digits = c.integers("digits: # #")
        need(min(self.digits) > 0, "an operand has no digits")
        *self.cells, self.cell = c.integers("cells: # #, # digits")
        need(min(self.cells) > 0, "an operand has no cells")
        self.wraps, self.wrap_limbs = c.integers("wraps: ([01]), # limbs")
        self.balance = int(c.take(r"balance: (-?\d{1,2})")[0])
        need(abs(self.balance) <= 64 and (self.balance == 0 or self.packing == "two-for-one"), "this balance is not possible")
        self.narrow = c.integers("narrow: ([01])")[0]
        self.passes, self.kinds, nodes = [], [], 1
        while nodes < self.n:
            self.passes.append(self.pass_read(c, 16 * nodes >= self.n))
            nodes *= self.passes[-1][0]
        need(nodes == self.n, "the passes do not make the points")
        self.product, self.scale = c.exacts("product: @") + c.exacts("scale: @")
        need(None not in (self.product, self.scale), "a constant is infinite")
        self.method = c.take("method: (any|norms|coefficients)")[0]
        self.norms = [c.exacts("norm_a: @ @"), c.exacts("norm_b: @ @")]
        self.largest, self.energy, self.distance, self.k, self.bound = \
            [c.exacts(key + ": @")[0] for key in ("largest", "energy", "distance", "k", "bound")]
    def pass_read(self, c, last):
        """Radix, constants forward and back, kind: the document's, which the certificate's have to be."""
        kinds = "(full|light) (full|light|double) (column|row) " if self.dd else "()(nested|whole|mixed) ()"
        radix, there, back, place, *given = c.take("pass: # %sforward~ inverse~" % kinds)
        radix, binary, first = int(radix), int(radix) in (2, 4, 8), not self.passes
        need(binary or (radix in (DD_ODD if self.dd else ODD) and not any(p[0] in (2, 4, 8) for p in self.passes)),
             "there is no pass of radix %d here" % radix)
        self.kinds.append((there, back))
        if self.dd:
            want = self.dd_constants(radix, there, back, place == "column")
        elif back == "whole":  # 4.3: on a share of up to 3/4; in the last two passes twiddles are products
            need(radix == 4 and self.fma and self.right, "radix %d is not whole here" % radix)
            t = Q("4.9956") if last else Q("2.7072")
            want = [[t], [1 + t, Q(1)]]
        elif back == "mixed":  # 4.3: that, and the third level of radix 8
            need(radix == 8 and self.fma and self.right, "radix %d is not mixed here" % radix)
            t, step = Q("2.7072"), self.level_constants(first, 2)
            want = [[t, step[0]], [1 + t, Q(1), step[1]]]
        elif binary:
            want = list(zip(*[self.level_constants(first, i) for i in range(radix.bit_length() - 1)]))
        else:
            want = [[Q(ODD[radix][i][self.fma])] for i in (0, 1)]
        for got, right in zip(given, want):
            got = [exact(x) for x in got.split()]
            need(len(got) == len(right) and all(abs(g - w) <= w / (1 << 48) for g, w in zip(got, right)),
                 "a constant of a pass of radix %d is not the document's" % radix)
        return radix, want[0], want[1], back
    def level_constants(self, first, level):
        """4.1 and 4.2: T_s forwards, I backwards."""
        if first and not self.right and level < 2:
            return Q(0), Q(1)
        back = Q((("5.0001", "4.3781"), ("4.0001", "3.6709"))[self.fma][first or level >= 2])
        return back - (2 if self.fma else 1), back
    def dd_constants(self, radix, there, back, column):
        """Section 19."""
        f, product = self.fma, Q(18 if self.fma else 22)
        double = Q("2.7072") if f else Q("2.9433")
        t = product + (Q("0.71") if column else 2 * Q("0.71") + product)
        need((there == "full" or radix == 4) and (back != "light" or radix in (4, 8)), "radix %d cannot be light" % radix)
        sums, sums_back = Q("16.1") if there == "light" else Q(6), Q(11) if back == "light" else Q(6)
        if radix in DD_ODD:
            forward, in_double = Q(DD_ODD[radix][0]), Q(DD_ODD[radix][1])
            inverse = in_double * (6 if f else 8)
        elif radix == 8:
            need(len(self.passes) == (self.odd > 1), "radix 8 is the root's alone")
            forward = Q("41.5" if f else "42.9") if self.narrow and self.odd == 1 else 9 + 2 * t
            inverse, in_double = 3 + sums_back + 2 * t, 3 + 2 * double
        else:
            forward, inverse = (sums if radix == 4 else 3) + t, (sums_back if radix == 4 else 3) + t
            in_double = (2 if radix == 4 else 1) + double
        return [forward], [in_double * (1 << 53) if back == "double" else inverse]
    def evaluate(self, a, b, seen=None):
        """Sections 6, 7, 11 and 14: K and the bound for the norms, and energies behind twiddles, of both operands."""
        plain = twiddle = square = inverse = Q(0)
        for radix, forward, back, kind in self.passes:
            inverse += sum(back)
            if self.dd or radix in ODD:
                plain += sum(forward)
            elif kind == "whole":
                t = forward[0]
                plain, twiddle, square = plain + 2, twiddle + Q("1.2247449") * t, square + t * t
            elif kind == "mixed":
                t, step = forward
                plain, twiddle, square = plain + 3, twiddle + Q("1.2247449") * t + step, square + t * t + step * step
            else:
                plain, twiddle, square = plain + len(forward), twiddle + sum(forward), square + sum(t * t for t in forward)
        inverse += 1 << 53 if any(p[3] == "double" for p in self.passes) else 0
        g = Q(18 if self.fma else 22) if self.dd else Q(2) if self.fma else Q("2.2361")
        s = Q(0) if self.odd == 1 else Q(7 if self.fma else 9) if self.dd else Q(1 if self.fma else 2)
        need(abs(self.product - g) <= g / (1 << 48) and self.scale == s, "a constant is not the document's")
        unit, two, xy = Q(1, 1 << (106 if self.dd else 53)), sqrt_up(Q(2)), a[0] * b[0]
        def forward_error(norm, behind):
            full = twiddle * norm
            return plain * norm + min(full, full * sqrt_up(Q(1, 2)) if behind is None else sqrt_up(square * behind))
        if self.packing == "two-for-one":
            w = Q(2) ** self.balance
            v, point = (sqrt_up(a[0] ** 2 + (w * b[0]) ** 2), None if a[1] is None else a[1] + w * w * b[1]), 2 + g
            first = v[0] * forward_error(*v) / w + (point + inverse + s) * xy
        else:
            first = forward_error(*a) * b[0] + a[0] * forward_error(*b)
            point = g if self.right else 3 * two + Q("2.7072" if self.fma else "2.9433") + 2 * g + 2
            first += (point + (0 if seen else (1 if self.right else two) * inverse + s)) * xy
        if seen:
            first += self.from_points(xy, seen, s) + (inverse + s) ** 2 * unit * xy
        return first / xy, first * unit / (1 - (2 * (plain + twiddle) + point + inverse + s + 1) * unit)
    def from_points(self, xy, seen, scale):
        """Section 11: Lemma 4 for the constants of the inverse."""
        def norm(m):
            bound = min(xy, sqrt_up(Q(m)) * seen[0])
            return bound if seen[1] is None else min(bound, sqrt_up(max(Q(1), Q(8 * m, self.n))) * seen[1])
        total, nodes = scale * min(xy, seen[0]), 1
        for radix, _, back, _ in self.passes:
            total += back[0] * norm(nodes * radix) if radix in ODD else sum(c * norm(nodes << i) for i, c in enumerate(back))
            nodes *= radix
        return total
    def check(self, rule):
        sums, tiny = min(self.cells), Q(1, 1 << 20)
        need(self.largest is not None and self.largest < Q(2) ** (98 if self.dd else 50), "a coefficient is too large")
        if self.method == "any":
            k, bound = self.evaluate(*[(sqrt_up(Q(n)) * ((self.digit_base + 1) // 2), None) for n in self.digits])
            if sums > 1:  # pieces, whose products are added up
                bound *= sums * (1 + 3 * Q(sums - 1) / k) * (1 + FINE)
        else:
            need(sums == 1 and all(None not in norm and norm[0] > 0 for norm in self.norms), "norms do not prove this")
            def up(x):  # section 10
                return x if x < 1 << 53 else x * (1 + max(tiny, 4 * self.capacity * Q(1, 1 << 53)))
            energies = [(sqrt_up(up(x)), up(p)) for x, p in self.norms]
            k, bound = self.evaluate(*energies)
            if self.method == "coefficients":
                need(self.right and not self.dd, "coefficients do not prove this")
                energy = None if self.energy is None else sqrt_up(Q(self.n, 8)) * bound + \
                    sqrt_up(self.energy * (1 + max(tiny, 8 * self.n * Q(1, 1 << 53))))
                k, bound = self.evaluate(*energies, (sqrt_up(Q(2)) * self.largest + bound, energy))
        for got, want, what in ((self.k, k, "constant K"), (self.bound, bound, "bound")):
            need(got and want <= got <= want * (1 + 2 * FINE), "the %s is %s instead of %s" % (what, shown(got), shown(want)))
        need(self.distance is not None and self.bound + self.distance < 1 - Q(1, 1 << 16), "the bound does not decide")
        m, l, mu = (self.capacity - 1).bit_length(), (self.digit_base - 1).bit_length(), 102 if self.dd else 53
        need(not rule.startswith("knuth") or 4 * m + 2 * l <= mu, "mu < 4m + 2l")
        full = not self.dd or not self.narrow and all(kind == "full" and ahead == "full" for ahead, kind in self.kinds)
        need(rule != "knuth" or full, "a level has less than mu bits")
    def holds(self, lengths):
        """Do the cells hold operands of these lengths, (count, base) with base 2 for limbs, and the transform their products?"""
        need(all(base == self.base for _, base in lengths), "the digits are of another base than the operands")
        for (count, base), most, cells in zip(lengths, self.digits, self.cells):
            short = 64 // self.exponent + 2 if base == 2 else 0  # digits that the highest limb may be without
            total = 64 * count // self.exponent + 1 if base == 2 else -(-count // self.exponent) + 1
            need((cells - 1) * self.cell + most + short >= total, "an operand has more digits than its cells")
            need(0 < self.cell <= most if cells > 1 else base == 2 or most == total, "there are no such cells")
        ring = self.capacity * self.exponent
        if not self.wraps:
            need(sum(self.digits) - 1 <= self.capacity, "the product has more digits than the transform")
            return
        need(self.right and not self.dd and self.base == 2 and ring % 64 == 0 and self.cells == [1, 1] and
             max(self.digits) <= self.capacity, "a product like this does not wrap around")
        need(self.wrap_limbs == sum(n for n, _ in lengths) - ring // 64 <= ring // 64, "what wraps around has another length")

class Residues:
    """What a certificate says of a product modulo primes: section 22."""
    bound = Q(0)
    def __init__(self, c):
        c.take("field: prime")
        odd, levels = c.integers(r"points: # \* 2\^#")
        base, self.bits = c.integers(r"digit_base: #\^#")
        self.digits = c.integers("digits: # #")
        halves = c.integers("halves: ([01])")[0]
        self.moduli = [int(p) for p in c.take(r"moduli:((?: \d{1,20}){3,4})")[0].split()]
        need(odd in (1, 3, 5, 7) and levels + halves <= 36, "there is no such transform")
        need(base == 2 and 49 <= self.bits <= 96 and min(self.digits) > 0, "there are no such digits")
        n = odd << levels
        need(len(set(self.moduli)) == len(self.moduli) and
             all(p < Q("0.79") * 2 ** 50 and p % (n << halves) == 1 and is_prime(p) for p in self.moduli),
             "a modulus has no transform of that length")
        terms, last = min(self.digits), self.moduli[-1]
        most = 2 << 2 * self.bits + (terms - 1).bit_length() if halves else terms << 2 * self.bits
        need(most < prod(self.moduli[:-1]) * (Q(last, 2) - Q(last, 1 << 40) - 2), "the coefficients are too large for the primes")
        need(sum(self.digits) - 1 <= n << halves, "the product has more digits than the transform")
        need(not halves or max(self.digits) <= n, "an operand has more digits than half of the product")
    def check(self, rule):
        need(rule == "norm", "primes have rule norm")
    def holds(self, lengths):
        need([base for _, base in lengths] == [2, 2], "the digits are of another base than the operands")
        need(all(most * self.bits > 64 * (count - 1) for (count, _), most in zip(lengths, self.digits)),
             "an operand has more digits than its transform")

def transform_read(c):
    return (Residues if c.lines[c.at:c.at + 1] == ["field: prime"] else Transform)(c)

def odd_number(n):
    return n % 2 == 1 and n < 1 << 20

def is_prime(p):  # Miller-Rabin to the first 12 prime bases: a proof below 3.3e24
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    if p <= bases[-1] or gcd(p, prod(bases)) > 1:
        return p in bases
    s = (p - 1 & 1 - p).bit_length() - 1
    def passes(b):
        x = pow(b, p - 1 >> s, p)
        if x == 1:
            return True
        for _ in range(s):
            if x == p - 1:
                return True
            x = x * x % p
        return False
    return all(passes(b) for b in bases)

def primes_draw():
    """Primes of 58 bits, all equally likely, from the system's source of random numbers alone."""
    source, drawn = random.SystemRandom(), []
    while len(drawn) < DRAWN:
        p = source.randrange((1 << 57) + 1, 1 << 58, 2)
        if is_prime(p):
            drawn.append(p)
    return drawn

def too_few(bits, ranges):
    """Do primes drawn from these ranges, (log2 of the least, how many there are), miss an error of so many bits too often?"""
    return prod(Q(max(1, bits // least), count) for least, count in ranges) >= Q(1, 1 << 64)

class Number:
    """A number in text, by the grammar of bigmul: sign, residue of the magnitude, significant digits, base.  It is read once."""
    def __init__(self, path, base, modulus):
        self.path, self.modulus, self.residue, self.digits = path, modulus, 0, 0
        with open(path, "rb") as f:
            text = block = b" "
            while block and len(text) < 4:  # a sign, a prefix and the first digit
                block = f.read(1 << 20)
                text = (text + block).lstrip(WHITE)
            self.sign = -1 if text[:1] == b"-" else 1
            text = text[text[:1] in (b"+", b"-"):]
            prefix = {b"0x": 16, b"0o": 8, b"0b": 2}.get(text[:2].lower())
            if prefix and base in (0, prefix):
                base, text = prefix, text[2:]
            self.base = base or 10
            self.allowed = DIGITS[:self.base] + DIGITS[10:self.base].upper()
            need(text and text[0] in self.allowed, "%s is not a number of base %d" % (path, self.base))
            last, rest = b"", b""
            while text or block:
                last = text.rstrip(WHITE)[-1:] or last
                rest = self.take(rest + text.translate(None, WHITE + b"_"))
                text = block = f.read(1 << 20)
            need(last != b"_", "%s ends in '_'" % path)
            self.append(rest)
        if self.digits == 0:
            self.sign = 1
    def take(self, text):
        """Full parts of the text; what is left of it."""
        need(not text.translate(None, self.allowed), "%s is not a number of base %d" % (self.path, self.base))
        at, part = 0, 4000
        while len(text) - at >= part:
            self.append(text[at:at + part])
            at += part
        return text[at:]
    def append(self, part):
        if part:
            self.digits += len(part) if self.digits else len(part.lstrip(b"0"))
            self.residue = (self.residue * pow(self.base, len(part), self.modulus) + int(part, self.base)) % self.modulus
    def bits(self):  # at least
        return self.digits * (self.base - 1).bit_length()
    def has_length(self, count, unit):
        """Has it so many limbs (unit 2), or digits of the base `unit`?"""
        low, high, size = (self.digits - 1) * log2(self.base), self.digits * log2(self.base), 64 if unit == 2 else log2(unit)
        if unit == self.base > 2:
            return self.digits == count
        return low < count * size * (1 + 1e-12) and high > (count - 1) * size * (1 - 1e-12)

def residues_read(c):
    """The certificate's residues of a, b and the product, and their primes."""
    n = c.integers("primes: #, (?:drawn for this product|of the context)")[0]
    need(n <= MOST_PRIMES, "there are more than %d primes" % MOST_PRIMES)
    residues = [c.integers("residues: # # # modulo #") for _ in range(n)]
    need(len({p for _, _, _, p in residues}) == n, "a prime is there twice")
    for a, b, z, p in residues:
        need(any(1 << least < p < 1 << most for least, most, _ in PRIMES) and is_prime(p),
             "a modulus is not a prime of 52 or 58 bits")
        need(max(a, b, z) < p and a * b % p == z, "the residues of the certificate are not a product's")
    return residues

def check(path, files, bases):
    """The verdict, a line, or Refused.   files: of A, B and the product; bases: theirs, 0 by prefix (of the product: as A)."""
    c, residues, transforms, lengths = Lines(path), [], [], []
    c.take("gfmul certificate 1")
    c.take("version: .*")
    claim = c.take("claim: (proved|probable|zero)")[0]
    if claim != "zero":
        c.take("engine: .*")
        rule = c.take("rule: (norm|knuth|knuth, adaptive|checked)")[0]
        for name in "ab":
            count, unit, base = c.take(name + ": # (limbs|digits of base #)")
            lengths.append((int(count), 2 if unit == "limbs" else int(base)))
            need(2 <= lengths[-1][1] <= 36, "there is no such base")
        square = c.integers("square: ([01])")[0]
        transforms = [transform_read(c) for _ in range(c.integers("transforms: ([012])")[0])]
        residues = residues_read(c)
    need(c.at == len(c.lines), "the certificate has lines too many")

    # Modulo the primes drawn here: the product, whatever the certificate says.
    primes = primes_draw()
    modulus = prod(primes) * prod(p for _, _, _, p in residues)
    x, y = [Number(f, b, modulus) for f, b in zip(files[:2], bases)]
    product = Number(files[2], bases[2] or x.base, modulus)  # bigmul's default: the base of A
    bits = max(product.bits(), x.bits() + y.bits()) + 1  # of the difference
    need(not too_few(bits, [(57, PRIMES[1][2])] * len(primes)), "the numbers are too long for %d primes" % len(primes))
    need(product.sign == x.sign * y.sign or product.digits == 0, "the product is wrong: its sign is")
    need(all((x.residue * y.residue - product.residue) % p == 0 for p in primes),
         "the product is wrong: it is not that of A and B modulo a prime drawn now")
    if claim == "zero":
        need(product.digits == 0 and 0 in (x.digits, y.digits), "the product is not zero")
        return "proved: an operand is zero, and so is the product"

    # The certificate: is it that of these numbers?
    ranges = [(least, count) for *_, p in residues for least, most, count in PRIMES if 1 << least < p < 1 << most]
    need(not too_few(int(product.digits * log2(product.base) + 2), ranges), "%d primes are too few" % len(residues))
    need(any(u.has_length(*lengths[0]) and v.has_length(*lengths[1]) and (not square or u.residue == v.residue) and
             all((u.residue - a) % p == (v.residue - b) % p == 0 for a, b, _, p in residues) for u, v in ((x, y), (y, x))),
         "the operands are others than those of the certificate")
    need(all((product.residue - z) % p == 0 for _, _, z, p in residues), "the product is another than that of the certificate")
    right = "the product is right but for a chance below 2^-64 over %d primes drawn now, whoever made the files; " % DRAWN
    if claim == "probable":
        need(not transforms, "a product that is not proved has no transforms")
        return "probable: " + right + "the certificate has no proof of it"

    # Its proof, from the figures that were measured.
    need(rule != "checked" and transforms, "nothing is proved of the product")
    for t in transforms:
        t.check(rule)
    transforms[0].holds(lengths)
    if len(transforms) > 1:
        need(all(isinstance(t, Transform) for t in transforms) and transforms[0].wraps and not transforms[1].wraps,
             "a transform belongs to nothing")
        transforms[1].holds([])
    if isinstance(transforms[0], Residues):
        return "proved: " + right + "if the certificate is true, it is exact modulo %d primes" % len(transforms[0].moduli)
    bound = max(t.bound for t in transforms)
    return "proved: " + right + "if the certificate is true, rounding errors were at most %.6g" % bound

def base_of(text):
    if text not in ("auto", "0") and not (re.fullmatch("[0-9]{1,2}", text) and 2 <= int(text) <= 36):
        raise argparse.ArgumentTypeError("unknown base '%s'; valid are: auto, 2..36" % text)
    return 0 if text == "auto" else int(text)

def main():
    parser = argparse.ArgumentParser(
        prog="gfmul-check-certificate", allow_abbrev=False,
        description="Check a product by its certificate, as bigmul --certificate writes it, without multiplying.",
        epilog="A, B and PRODUCT are files of numbers as bigmul reads them; for a square B is A.  One line says what is proved.  "
               "Exit status: 0 the product is right (proved or probable); 1 it is not, or that is not shown; 2 bad usage.")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("-b", "--base", type=base_of, default=0, metavar="BASE",
                       help="base of the numbers: 2..36, or auto: by a prefix, else 10, the product as A (default auto)")
    group.add_argument("--bases", type=base_of, nargs=3, metavar=("A", "B", "PRODUCT"), help="bases of the three numbers")
    parser.add_argument("--version", action="version", version="gfmul-check-certificate (gfmul) @version@")
    for name in ("CERTIFICATE", "A", "B", "PRODUCT"):
        parser.add_argument(name, metavar=name)
    args = parser.parse_args()
    status = 1
    try:
        verdict = check(args.CERTIFICATE, [args.A, args.B, args.PRODUCT], args.bases or [args.base] * 3)
        status = 0
    except Refused as why:
        verdict = "not proved: %s" % why
    except OSError as why:
        verdict = "not proved: %s: %s" % (why.filename, why.strerror)
    except KeyboardInterrupt:
        return 130
    except Exception as defect:  # nothing was shown then: a line, and not a page of the program's own
        verdict = "not proved: the check itself failed: %s" % ascii(defect)
    try:
        print(verdict, flush=True)
    except OSError:  # nobody reads it
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    return status

if __name__ == "__main__":
    sys.exit(main())
