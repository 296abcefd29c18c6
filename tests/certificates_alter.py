"""certificates_alter.py CHECKER FOLDER COUNT SEED - products 0 .. COUNT-1 with their certificates: each is accepted, and refused
when a bit of the certificate is altered, or a figure of it with a checksum that is right, or the product, or when all of it is
forged.  Whatever stands in a certificate, the checker refuses it or accepts the right product: no other exception leaves it.

SPDX-License-Identifier: LGPL-3.0-or-later
"""
import functools
import importlib.util
import itertools
import random
import re
import sys

checker_file, folder, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
spec = importlib.util.spec_from_file_location("checker", checker_file)
checker = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(checker)
random.seed(seed)
failures, said, forged, hostile, methods = [], {}, {}, {}, set()
if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)


def read(name):
    with open("%s/%s" % (folder, name), "rb") as f:
        return f.read()


def base_asked(i):
    return int(read("%d.asked" % i).split()[0])


def verdict(i, certificate=None, product=None, a=None):
    """Of product i, or of these files in its place."""
    files = ["%s/%s" % (folder, name or "%d.%s" % (i, own)) for name, own in ((a, "a"), (None, "b"), (product, "z"))]
    try:
        return checker.check("%s/%s" % (folder, certificate or "%d.c" % i), files, [base_asked(i)] * 3)
    except checker.Refused as why:
        return "not proved: %s" % why
    except Exception as why:
        return "a traceback: %r" % why


def write(name, content):
    with open("%s/%s" % (folder, name), "wb") as f:
        f.write(content)
    return name


@functools.lru_cache(maxsize=None)
def chunks_of(base):
    """All texts of some digits, in order."""
    digits, width = "0123456789abcdefghijklmnopqrstuvwxyz"[:base], 1
    while base ** (width + 1) <= 4096:
        width += 1
    return ["".join(chunk) for chunk in itertools.product(digits, repeat=width)]


def text_of(n, base):
    """An integer in text."""
    if base in (10, 16):
        return b"%d\n" % n if base == 10 else b"%x\n" % n
    chunks = chunks_of(base)
    powers = [len(chunks)]
    while powers[-1] <= abs(n):
        powers.append(powers[-1] ** 2)

    def part(n, k):
        if k < 0:
            return chunks[n]
        high, low = divmod(n, powers[k])
        return part(high, k - 1) + part(low, k - 1)
    return (("-" if n < 0 else "") + (part(abs(n), len(powers) - 1).lstrip("0") or "0") + "\n").encode()


def sealed(body):
    h = 0xcbf29ce484222325
    for c in body:
        h = (h ^ c) * 0x100000001b3 & (1 << 64) - 1
    return body + b"checksum: %016x\n" % h


# What a figure of a line is changed to, so that it matters.
def larger(text):
    return (float.fromhex(text) * (1 + 2.0 ** -random.randint(3, 18))).hex().encode()


def smaller(text):
    return (float.fromhex(text) * (1 - 2.0 ** -random.randint(3, 18))).hex().encode()


def other(text):
    return b"%d" % (int(text) + random.choice((-1, 1)))


def figure_altered(text):
    """A certificate in which one figure that the proof stands on is another one."""
    lines = text.split(b"\n")[:-2]
    measured = b"method: any" not in lines
    able = []
    for at, line in enumerate(lines):
        key = line.split(b":")[0].decode()
        words = line.split(b" ")
        if key == "pass":
            able += [(at, k, random.choice((larger, smaller))) for k, w in enumerate(words)
                     if w.startswith(b"0x") and w != b"0x0p+0"]
        elif key in ("k", "bound") or (key in ("norm_a", "norm_b") and measured):
            able.append((at, 1, random.choice((larger, smaller)) if key[0] == "n" else smaller))
        elif key in ("product", "scale") and words[1] != b"0x0p+0":
            able.append((at, 1, larger))
        elif key == "residues":
            able += [(at, k, other) for k in (1, 2, 3, 5)]
        elif key == "moduli":
            able += [(at, k, lambda t: b"%d" % (int(t) + random.choice((-2, 2)))) for k in range(1, len(words))]
        elif key == "digit_base" and b"field: prime" in text:
            able.append((at, 1, lambda t: b"2^%d" % (int(t[2:]) + 4)))
        elif key == "points" and b"field: prime" not in text:
            able.append((at, 3, lambda t: b"2^%d" % (int(t[2:]) + 1)))
        elif key == "digits" and (not measured or b"digit_base: 2^" not in text):
            able += [(at, k, lambda t: b"%d" % (int(t) * 4)) for k in (1, 2)]
        elif key in ("a", "b"):
            able.append((at, 1, lambda t: b"%d" % (int(t) * 2 + 1)))
    at, k, change = random.choice(able)
    words = lines[at].split(b" ")
    words[k] = change(words[k].decode())
    before, lines[at] = lines[at], b" ".join(words)
    return sealed(b"\n".join(lines) + b"\n"), "%s -> %s" % (before.decode(), lines[at].decode())


def claims_altered(body):
    """Certificates that claim another way of making the product, where a single condition forbids it."""
    wraps = re.search(rb"(?m)^wraps: 1, (\d+)", body)
    if wraps:
        yield body.replace(wraps[0], b"wraps: 1, %d" % (int(wraps[1]) - 1)), "what wraps around, less a limb"
    points = re.search(rb"(?m)^points: (\d+) \* 2\^(\d+)\n", body)
    digits = re.search(rb"(?m)^digits: (\d+) (\d+)$", body)
    if b"halves: 0" in body and max(int(digits[1]), int(digits[2])) > int(points[1]) << int(points[2]) - 1:
        half = b"points: %d * 2^%d\n" % (int(points[1]), int(points[2]) - 1)
        yield body.replace(points[0], half).replace(b"halves: 0", b"halves: 1"), "halves, for an operand that is longer"


def digit_altered(text):
    at = random.randrange(len(text.rstrip()))
    while text[at:at + 1] in b"-":
        at += 1
    return text[:at] + (b"1" if text[at:at + 1] != b"1" else b"2") + text[at + 1:]


# ---- forged products, with certificates to match ----
RESIDUES = re.compile(rb"(?m)^residues: \d+ \d+ \d+ modulo (\d+)\n")


def forgeries(i, text):
    """Triples: a name, a certificate or None (its own), a wrong product as text.   The certificates have right checksums."""
    base, body = base_asked(i), text[:text.rindex(b"checksum:")]
    product = read("%d.z" % i).strip()
    a, b = (int(read("%d.%s" % (i, x)).replace(b"\n", b""), base) for x in "ab")
    z = a * b
    primes = [int(p) for p in RESIDUES.findall(text)]
    length = len(product)
    scale = base ** random.randrange(length) if length > 1 else 1

    def off(step):  # by a multiple that may leave the length as it is
        return text_of(z + step * max(1, random.randrange(scale) // step) * random.choice((1, -1)), base)
    every = 1
    for p in primes:
        every *= p
    yield "a multiple of the certificate's primes", None, off(every)
    yield "a multiple of the certificate's primes, behind the product", None, text_of(z + every * base ** length, base)
    line = RESIDUES.search(body)[0]
    yield "one prime twice", sealed(RESIDUES.sub(lambda _: line, body)), off(int(line.split()[-1]))
    own = []  # residues that agree modulo primes of the forger's own
    while len(own) < len(primes):
        p = random.randrange((1 << 57) + 1, 1 << 58, 2)
        own += [p] * (checker.is_prime(p) and p not in own)
    step = 1
    for p in own:
        step *= p
    wrong, left = off(step), iter(own)

    def own_line(_):
        p = next(left)
        first, second = (b, a) if swapped else (a, b)
        return b"residues: %d %d %d modulo %d\n" % (first % p, second % p, z % p, p)
    p = primes[0]
    swapped = b"residues: %d %d " % (a % p, b % p) not in body
    yield "primes of the forger", sealed(RESIDUES.sub(own_line, body)), wrong
    yield "no primes", sealed(re.sub(rb"(?m)^primes: \d+", b"primes: 0", RESIDUES.sub(b"", body))), text_of(z + 1, base)
    yield "claimed zero", sealed(b"\n".join(body.split(b"\n")[:2]) + b"\nclaim: zero\n"), random.choice((b"0", product))
    empty = random.choice((b"", b" \n", b"\t\v\f\r\n", b"-", b"+", b" -\n", b"_", b"-_"))
    yield "no number", None, empty
    yield "no number, claimed zero", sealed(b"\n".join(body.split(b"\n")[:2]) + b"\nclaim: zero\n"), empty
    yield "another sign", None, b"-" + product
    prefix = {16: b"0x", 8: b"0o", 2: b"0b"}.get(base, b"0x")
    yield "two prefixes", None, prefix + prefix + product
    at, stray = random.randint(1, length), random.choice((b"-", b"+", b".", b"\0", b"\xff", b"\xd9\xa3", b"@"))
    yield "a stray character", None, product[:at] + stray + product[at:]
    yield "a mark at an end", None, random.choice((b"_" + product, product + b"_", b"--" + product, b"- " + product))
    yield "a digit altered", None, digit_altered(product)
    at = random.randint(1, length)
    yield "a digit more", None, product[:at] + random.choice((b"1", product[at - 1:at])) + product[at:]
    if length > 1:
        at = random.randint(1, length - 1)
        yield "a digit less", None, product[:at - 1] + product[at:]
        yield "cut off", None, product[:at]
    if len(set(product)) > 1:
        at = next(k for k in range(1, length) if product[k] != product[k - 1])
        yield "two digits exchanged", None, product[:at - 1] + product[at:at + 1] + product[at - 1:at] + product[at + 1:]


HOSTILE = [b"inf", b"nan", b"-inf", b"-1", b"0", b"1", b"", b"-", b"+1", b"1e9", b"0x1p+1023", b"0x1p+9999", b"0x1p+99999999999",
           b"0x0p+0", b"0x1p-1074", b"0x1.fffffffffffffp+1023", b"-0x1p+3", b"0x1p-9999", b"9" * 19, b"9" * 20, b"9" * 21,
           b"9" * 5000, b"18446744073709551616", b"2^0", b"2^9999", b"0^0", b"1^1", b"36^46", b"2^47", b"0x", b"\x1b[2J",
           b"1_000", b"0b1", b" "]


def hostile_body(body):
    """A certificate in which words, or lines, are what no library would write."""
    lines = body.split(b"\n")[:-1]
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        at = random.randrange(len(lines))
        how = random.randrange(8)
        if how == 0:
            del lines[at]
        elif how == 1:
            lines.insert(at, lines[random.randrange(len(lines))])
        elif how == 2:
            other_at = random.randrange(len(lines))
            lines[at], lines[other_at] = lines[other_at], lines[at]
        elif how == 3:
            lines[at] += b" " + random.choice(HOSTILE)
        else:
            words = re.split(rb"([ ^,]+)", lines[at])
            k = random.randrange(0, len(words), 2)
            words[k] = random.choice(HOSTILE)
            lines[at] = b"".join(words)
        if not lines:
            lines = [b""]
    return sealed(b"\n".join(lines) + b"\n")


def infinite_each(body):
    """A certificate in which one figure after the other is infinite."""
    lines = body.split(b"\n")[:-1]
    for at, line in enumerate(lines):
        words = line.split(b" ")
        for k in range(1, len(words)):
            if words[k].startswith(b"0x"):
                altered = b" ".join(words[:k] + [b"inf"] + words[k + 1:])
                yield sealed(b"\n".join(lines[:at] + [altered] + lines[at + 1:]) + b"\n")


def expect(i, what, got, *wanted):
    if not got.startswith(wanted):
        failures.append(i)
        print("product %d, %s: %s" % (i, what, got))


for i in range(count):
    text = read("%d.c" % i)
    got = verdict(i)
    expect(i, "as it is", got, "proved: the product is right", "probable: the product is right")
    kinds = [got.split(":")[0]] + ["asked for " + word for word in read("%d.asked" % i).decode().split()[1:]]
    kinds += re.findall("(?m)^(?:field|packing|method): (.*)$", text.decode())
    kinds += ["fma"] * (b"fma: 1" in text) + ["wraps"] * (b"wraps: 1" in text)
    kinds += ["cells"] * (re.search(b"cells: (?!1 1,)", text) is not None)
    method = tuple(re.findall(b"(?m)^(?:field|packing|method): .*$", text))
    for kind in kinds:
        said[kind] = said.get(kind, 0) + 1
    bit = random.randrange(8 * len(text))
    altered = bytearray(text)
    altered[bit // 8] ^= 1 << bit % 8
    expect(i, "bit %d altered" % bit, verdict(i, write("altered", altered)), "not proved")
    altered, what = figure_altered(text)
    expect(i, what, verdict(i, write("altered", altered)), "not proved")
    body = text[:text.rindex(b"checksum:")]
    for altered, what in claims_altered(body):
        expect(i, what, verdict(i, write("altered", sealed(altered))), "not proved")
    for what, altered, product in forgeries(i, text):
        forged[what] = forged.get(what, 0) + 1
        expect(i, what, verdict(i, altered and write("altered", altered), write("product", product)), "not proved")
    if count > 1 and read("%d.a" % i) != read("%d.a" % ((i + 1) % count)):
        expect(i, "another operand", verdict(i, a="%d.a" % ((i + 1) % count)), "not proved")
    wrong = write("product", digit_altered(read("%d.z" % i)))
    if method not in methods:
        methods.add(method)
        for altered in infinite_each(body):
            expect(i, "an infinite figure: %r" % altered, verdict(i, write("altered", altered), wrong), "not proved: ")
            expect(i, "an infinite figure: %r" % altered, verdict(i, "altered"), "proved: ", "probable: ", "not proved: ")
    for _ in range(10 if i else 300):
        altered = write("altered", hostile_body(body))
        got = verdict(i, altered)
        hostile[got[:8]] = hostile.get(got[:8], 0) + 1
        expect(i, "hostile: %r" % read("altered"), got, "proved: ", "probable: ", "not proved: ")
        expect(i, "hostile, and wrong: %r" % read("altered"), verdict(i, altered, wrong), "not proved: ")
print("%d certificates: %s" % (count, ", ".join("%s %d" % x for x in sorted(said.items()))))
print("%d forged products: %s" % (sum(forged.values()), ", ".join("%s %d" % x for x in sorted(forged.items()))))
print("%d hostile certificates: %s; %d failures" % (sum(hostile.values()), hostile, len(failures)))
sys.exit(1 if failures or not count else 0)
