"""certificates_alter.py CHECKER FOLDER COUNT SEED - products 0 .. COUNT-1 with their certificates: each is accepted, and refused
when a bit of the certificate is altered, or a figure of it with a checksum that is right, or a digit of the product.

SPDX-License-Identifier: LGPL-3.0-or-later
"""
import importlib.util
import random
import re
import sys

checker_file, folder, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
spec = importlib.util.spec_from_file_location("check_certificate", checker_file)
checker = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(checker)
random.seed(seed)
failures, said = [], {}


def verdict(i, certificate, product=None):
    name = "%s/%d." % (folder, i)
    base = int(open(name + "asked").read().split()[0])
    try:
        return checker.check(certificate, [name + "a", name + "b", product or name + "z"], [base] * 3)
    except (checker.Refused, ValueError) as why:
        return "not proved: %s" % why


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


def expect(i, what, got, *wanted):
    if not got.startswith(wanted):
        failures.append(i)
        print("product %d, %s: %s" % (i, what, got))


for i in range(count):
    with open("%s/%d.c" % (folder, i), "rb") as f:
        text = f.read()
    got = verdict(i, "%s/%d.c" % (folder, i))
    expect(i, "as it is", got, "proved", "probable")
    with open("%s/%d.asked" % (folder, i)) as f:
        kinds = [got.split(":")[0]] + ["asked for " + word for word in f.read().split()[1:]]
    kinds += re.findall("(?m)^(?:field|packing|method): (.*)$", text.decode())
    kinds += ["fma"] * (b"fma: 1" in text) + ["wraps"] * (b"wraps: 1" in text)
    kinds += ["cells"] * (re.search(b"cells: (?!1 1,)", text) is not None)
    for kind in kinds:
        said[kind] = said.get(kind, 0) + 1
    bit = random.randrange(8 * len(text))
    altered = bytearray(text)
    altered[bit // 8] ^= 1 << bit % 8
    with open(folder + "/altered", "wb") as f:
        f.write(altered)
    expect(i, "bit %d altered" % bit, verdict(i, folder + "/altered"), "not proved")
    if b"claim: zero" in text:
        continue
    altered, what = figure_altered(text)
    with open(folder + "/altered", "wb") as f:
        f.write(altered)
    expect(i, what, verdict(i, folder + "/altered"), "not proved")
    for altered, what in claims_altered(text[:text.rindex(b"checksum:")]):
        with open(folder + "/altered", "wb") as f:
            f.write(sealed(altered))
        expect(i, what, verdict(i, folder + "/altered"), "not proved")
    with open("%s/%d.z" % (folder, i), "rb") as f:
        product = f.read()
    with open(folder + "/product", "wb") as f:
        f.write(digit_altered(product))
    expect(i, "a digit of the product altered", verdict(i, "%s/%d.c" % (folder, i), folder + "/product"), "not proved")
print("%d certificates: %s; %d failures" % (count, ", ".join("%s %d" % x for x in sorted(said.items())), len(failures)))
sys.exit(1 if failures or not count else 0)
