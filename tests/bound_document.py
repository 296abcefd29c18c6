#!/usr/bin/env python3
"""bound_document.py - the bounds of plans, by the words of doc/error-bound.md.  SPDX-License-Identifier: LGPL-3.0-or-later

    bound_document.py error-bound.md < PLANS

PLANS are lines of JSON, as t-bound_document.c writes them: a plan, figures of a product, and K and the bounds that the code has.
The constants are read in the text of the document, section by section; the formulas are written from it.  Exit status 1 if a
bound differs, or if the text has no such constant.
"""
import json
import re
import sys
from math import ceil, fsum, inf, log2, pi, sin, sqrt

NUMBER = r"(\d+(?:\.\d+)?(?:e-?\d+)?)"


class Document:
    """The constants of the document."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            parts = re.split(r"(?m)^#{2,3} (\d+(?:\.\d+)?)\.? .*$", f.read())
        self.text = dict(zip(parts[1::2], parts[2::2]))

    def find(self, section, pattern):
        """The numbers at the #'s of a pattern, which the section has once; blanks are any white space."""
        words = re.escape(pattern).replace(r"\#", NUMBER).replace(r"\ ", r"\s+")
        found = re.findall(words, self.text[section])
        if len(found) != 1:
            sys.exit("section %s has '%s' %d times" % (section, pattern, len(found)))
        return [float(x) for x in (found[0] if isinstance(found[0], tuple) else (found[0],))]

    def one(self, section, pattern):
        return self.find(section, pattern)[0]

    def rows(self, section):
        """The rows of a section's first table whose entries but the first are numbers."""
        lines = re.findall(r"(?m)^\| ([^|]+) \|((?: [\d.]+ \|)+)$", self.text[section])
        return {name.strip(): [float(x) for x in rest.split("|")[:-1]] for name, rest in lines}


class Constants:
    def __init__(self, d):
        fma, plain = d.one("3", "*With FMA the constant is #.*"), d.one("3", "*Without FMA it is sqrt(5) = #*")
        self.product = (plain, fma)
        entry = d.find("3", "*A product with a table entry* has #, without FMA #.")
        self.table = (entry[1], entry[0])
        forward, back = d.rows("4.1"), d.rows("4.2")  # w = 1, within 45 degrees, anywhere
        self.forward = (forward["no FMA"], forward["FMA"])
        self.back = (back["no FMA"], back["FMA"])
        self.whole = d.one("4.3", "each rounded once: a product has T = #")
        self.whole_made = d.one("4.3", "with room for terms of u^2, and T = #.")
        self.whole_sums = d.one("4.3", "In Lemma 3 the pass has # N + T sqrt(E)")
        self.whole_share = d.one("4.3", "writes sqrt(3/4) T as sqrt(1/2) times # T;")
        self.odd = {int(r): (c[1::-1], c[:1:-1]) for r, c in d.rows("5").items()}  # (no FMA, FMA) forwards, backwards
        self.scale = (d.one("8", "the product is rounded as well: s = #."), d.one("8", "relative error 1: s = # with FMA"))
        self.unpack = d.one("14.1", "2^-e D(v) ||v|| + (# + g + D_i + s)")
        self.half = d.find("14.2", "(# sqrt # + T_q + # g + # + sqrt # D_i + s)")
        q = d.find("14.2", "T_q = # or #.")
        if (q[1], q[0]) != self.table:
            sys.exit("sections 3 and 14.2 differ")
        self.made = d.find("18.1", "beta_p = # + sqrt(1 + p^2) / # + sigma, and the #,")
        self.made_sums = d.one("18.2", "Together # on the whole energy.")
        self.made_back = d.find("18.2", "as in section 3: # + # + beta_p on b', 1 on a'.")
        self.leaf_less = d.one("18.7", "as in section 4.2: T_q = I - #,")
        self.classes = d.one("11", "modulo q, q = #")
        # pairs on devices
        self.pair_beta = d.one("18.4", "beta = sqrt(1/2) = #.")
        self.pair_product = d.one("18.4", "a sum of points has 3, a product of points #, whatever cancels")
        self.pair_used = d.one("18.4", "(# is used for 18)")
        self.pair_sum = d.one("18.4", "a sum of points has #, a product")
        self.pair_share = d.one("18.4", "writes it as sqrt(1/2) times # T.")
        self.pair_narrow = {2: d.one("18.4", "So the first step has T = # + beta."),
                            4: d.one("18.4", "and T = # + beta is counted for all three")}
        three, five, seven = (d.one("18.4", "radix 3: 3 * 3 + 5 + 0.1, # is used"), d.one("18.4", "2 * 5 + 0.35 < #;"),
                              d.one("18.4", "3 * 5 + 0.38 < #."))
        backs = d.find("18.4", "than those of doubles are: #, #, #.")
        nine, fifteen = d.find("18.4", "for which # and # are used"), d.find("18.4", "radix 15 is 3 and 5: # and #.")
        self.pair_odd = {3: (three, backs[0]), 5: (five, backs[1]), 7: (seven, backs[2]), 9: nine, 15: fifteen}
        self.pair_scale = d.one("18.4", "times a coefficient, 5: #.")
        # double-double on the CPU
        self.dd_sum = d.one("19.1", "a sum of complex numbers has #.")
        self.dd_product = (d.one("19.2", "20.8; # is taken"), d.one("19.2", "17.98 times it: #."))
        self.dd_entry = d.one("19.3", "the root #. A product")
        self.dd_digits = tuple(reversed(d.find("19.4", "together 41.48, and # is taken; without FMA a product has 3 in place of "
                                                       "2, 1.42 more: #.")))
        self.dd_in_double = d.one("19.6", "the twiddle's first part #.")
        self.dd_odd = dict(zip((3, 5, 7), d.find("19.9", "the same kernels, #, # and #.")))
        self.dd_odd_factor = tuple(reversed(d.find("19.9", "has 1 + 2 + 3 = #, without FMA #.")))
        self.dd_scale = tuple(reversed(d.find("19.9", "6 (8): # (#).")))
        self.dd_light = d.one("19.11", "Together # in place of 6.")
        self.dd_light_back = d.one("19.11", "3 + 5 + 3 = # in place of 6.")
        self.norm_raise = d.find("10", "by a relative # m u, at least 2^-#")
        self.energy_raise = d.find("11", "raised by a relative # n u, at least 2^-#.")


class Sums:
    """The constants of a transform, added up: section 7."""

    def __init__(self):
        self.plain, self.twiddle, self.square, self.inverse, self.ends = [], [], [], [], []

    def level(self, plain, t, back, nodes, share=1.0):
        self.plain.append(plain)
        self.twiddle.append(share * t)
        self.square.append(t * t)
        self.back(back, nodes)

    def odd(self, forward, back, nodes):
        self.plain.append(forward)
        self.back(back, nodes)

    def back(self, constant, nodes):
        self.inverse.append(constant)
        self.ends.append((constant, nodes))

    def close(self):
        self.plain, self.twiddle, self.square, self.inverse = (fsum(x) for x in (self.plain, self.twiddle, self.square,
                                                                                 self.inverse))


def double_sums(c, plan):
    """Sections 4, 5 and 14."""
    sums, nodes, fma, right = Sums(), 1, plan["fma"], plan["packing"] == "right-angle"
    n = plan["odd"] << plan["log2_n"]
    for p, (radix, kind) in enumerate(plan["passes"]):
        if radix % 2:
            sums.odd(c.odd[radix][0][fma], c.odd[radix][1][fma], nodes * radix)
        elif kind == "whole":
            last = p >= len(plan["passes"]) - 2
            t = c.whole_made if last else c.whole
            sums.level(c.whole_sums, t, 1 + t, nodes, c.whole_share)  # the products and the sums that make whole nodes
            sums.back(1, 2 * nodes)
        elif kind == "mixed":  # both together
            sums.level(c.whole_sums, c.whole, 1 + c.whole, nodes, c.whole_share)
            sums.back(1, 2 * nodes)
            sums.level(1, c.forward[fma][1], c.back[fma][1], 4 * nodes)
        else:
            for level in range(radix.bit_length() - 1):
                one_node = p == 0 and plan["odd"] == 1
                which = 0 if one_node and not right and level < 2 else 1 if one_node or level == 2 else 2
                sums.level(1, c.forward[fma][which], c.back[fma][which], nodes << level)
        nodes *= radix
    assert nodes == n
    g, s = c.product[fma], 0 if plan["odd"] == 1 else c.scale[fma]
    return sums, g, s


def dd_sums(c, plan):
    """Section 19."""
    sums, nodes, fma = Sums(), 1, plan["fma"]
    in_double = c.product[fma] + c.dd_in_double
    for radix, place, forth, back in plan["passes"]:
        t = c.dd_product[fma] + (c.dd_entry if place == "column" else 2 * c.dd_entry + c.dd_product[fma])
        four, four_back = c.dd_light if forth == "light" else 2 * c.dd_sum, c.dd_light_back if back == "light" else 2 * c.dd_sum
        if radix % 2:
            forward, inverse, rough = c.dd_odd[radix], c.odd[radix][1][0] * c.dd_odd_factor[fma], c.odd[radix][1][0]
        elif radix == 8:
            forward = c.dd_digits[fma] if plan["narrow"] and plan["odd"] == 1 else 3 * c.dd_sum + 2 * t
            inverse, rough = c.dd_sum + four_back + 2 * t, 3 + 2 * in_double
        else:
            forward, inverse, rough = (four + t, four_back + t, 2 + in_double) if radix == 4 else (c.dd_sum + t, c.dd_sum + t,
                                                                                                 1 + in_double)
        sums.odd(forward, rough * 2.0 ** 53 if back == "double" else inverse, nodes)
        nodes *= radix
    if any(p[3] == "double" for p in plan["passes"]):
        sums.back(2.0 ** 53, 1)  # the rests are dropped
    assert nodes == plan["odd"] << plan["log2_n"]
    return sums, c.dd_product[fma], 0 if plan["odd"] == 1 else c.dd_scale[fma]


def device_pass(c, plan, stages, depth, root, add):
    """The levels of a pass below `depth` levels of the tree, whose node may be the root: add(forward constants, back, nodes)."""
    odd, pairs, direct, right = plan["odd"], plan["parts"] == "dd", stages[0], plan["packing"] == "right-angle"
    within = 0
    factors = [r & -r for r in stages[1:]]
    both = [r // f for r, f in zip(stages[1:], factors)]
    coprime = len(stages) == 3 and both[0] > 1 and both[1] > 1 and max(factors) > 1  # 15.6
    for i, (two, factor) in enumerate(zip(factors, both)):
        if factor > 1:
            forward, back = c.pair_odd[factor] if pairs else (c.odd[factor][0][1], c.odd[factor][1][1])
            add((forward, None, 1), back, odd * factors[0] if coprime else odd)
        for level in range(two.bit_length() - 1):
            nodes = odd << depth + within
            if pairs:  # radix 4 is one step
                back, last = c.pair_used + c.pair_beta, two == 4 and level == 1
                digits = plan["narrow"] and root and i == 0 and level == 0 and not coprime
                t = c.pair_narrow[4 if two == 4 else 2] + (c.pair_used - c.pair_product) + c.pair_beta if digits else back
                share = c.pair_share if two == 4 else 1
                add((c.pair_sum, None if last else t, share), c.pair_sum + (0 if last else back), nodes)
            elif i >= direct:  # 18.1 and 18.2
                sigma = sin(2 * pi / 2 ** (within + 1)) if within else 1.0
                beta = c.made[0] + sqrt(1 + 4.0 ** ceil(log2(sigma) - 1e-9)) / c.made[1] + sigma + c.made[2]
                add((c.made_sums, beta, 1), c.made_back[0] + c.made_back[1] + beta, nodes)
            else:
                one_node = root and i == 0  # 18.6
                which = 0 if one_node and not right and level < 2 else 1 if one_node or level >= 2 else 2
                add((1, c.forward[1][which], 1), c.back[1][which], nodes)
            within += 1
    return within


def device_sums(c, plan):
    """Sections 18 and 20: forward constants of the passes there, backward ones of those back."""
    sums = Sums()

    def there(forward, _, __):
        plain, t, share = forward
        sums.plain.append(plain)
        if t is not None:
            sums.twiddle.append(share * t)
            sums.square.append(t * t)

    def back(_, constant, nodes):
        sums.back(constant, nodes)

    for stages, add in ((plan["passes"][0], there), (plan["passes"][1], back)):
        depth = 0
        for n, p in enumerate(stages):
            depth += device_pass(c, plan, p, depth, n == 0, add)
        assert depth == plan["log2_n"]
    sums.leaf = sums.ends[-1][0] - c.leaf_less  # 18.7: of the last level
    pairs = plan["parts"] == "dd"
    g = c.pair_product if pairs else c.product[1]
    return sums, g, 0 if plan["odd"] == 1 else c.pair_scale if pairs else c.scale[1]


class Bound:
    def __init__(self, c, plan):
        kind = plan["kind"]
        self.c, self.plan = c, plan
        self.sums, self.g, self.s = {"double": double_sums, "dd": dd_sums, "device": device_sums}[kind](c, plan)
        self.sums.close()
        parts = plan.get("parts", kind)
        self.u = {"double": 2.0 ** -53, "dd": 2.0 ** -106}[parts]
        self.rest = 2.0 ** -40  # that a bound is raised by
        self.n = plan["odd"] << plan["log2_n"]
        self.capacity = self.n if plan["packing"] == "two-for-one" else 2 * self.n

    def deviation(self, norm, behind):
        """D(x) of section 6; behind None: nothing is measured."""
        full = self.sums.twiddle * norm
        return self.sums.plain * norm + min(full, full * sqrt(0.5) if behind is None else sqrt(self.sums.square * behind))

    def evaluate(self, a, b, seen=None):
        """K and the bound: sections 7, 11 and 14."""
        c, sums, g, s, fma = self.c, self.sums, self.g, self.s, self.plan["fma"]
        xy = a[0] * b[0]
        inverse = sums.inverse
        if self.plan["packing"] == "two-for-one":
            e = 2.0 ** self.plan["balance"]
            v = sqrt(a[0] ** 2 + (e * b[0]) ** 2), None if a[1] is None else a[1] + e * e * b[1]
            first, point = self.deviation(*v) * v[0] / e, c.unpack + g
        else:
            first, point = self.deviation(*a) * b[0] + a[0] * self.deviation(*b), g
            if self.plan["packing"] == "one-for-half":
                three, two, gs, sums2, root = c.half
                t_q = sums.leaf if self.plan["kind"] == "device" else c.table[fma]
                point, inverse = three * sqrt(two) + t_q + gs * g + sums2, sqrt(root) * inverse
        if seen:
            def nodes_norm(m):
                return min(xy, sqrt(m) * seen[0], sqrt(max(1.0, c.classes * m / self.n)) * seen[1])
            first += point * xy + fsum(i * nodes_norm(m) for i, m in sums.ends) + s * min(xy, seen[0])
            first += (sums.inverse + s) ** 2 * self.u * xy
        else:
            first += (point + inverse + s) * xy
        f = 2 * (sums.plain + sums.twiddle) + point + sums.inverse + s + 1
        return first / xy * (1 + self.rest), first * self.u / (1 - f * self.u) * (1 + self.rest)

    def worst(self):
        h = (self.plan["digit_base"] + 1) // 2
        return self.evaluate(*[(sqrt(self.plan[x]) * h, None) for x in ("an", "bn")])

    def energies(self):
        times, least = self.c.norm_raise

        def up(x):  # section 10
            return x if x < 2.0 ** 53 else x * (1 + max(2.0 ** -least, times * self.capacity * 2.0 ** -53))
        n = [float.fromhex(x) for x in self.plan["norms"]]
        return (sqrt(up(n[0])), up(n[1])), (sqrt(up(n[2])), up(n[3]))

    def posterior(self):
        a, b = self.energies()
        prior, n, q = self.evaluate(a, b)[1], self.n, self.c.classes
        largest, energy = float.fromhex(self.plan["largest"]), float.fromhex(self.plan["energy"])
        times, least = self.c.energy_raise
        e = inf if energy == inf else sqrt(energy * (1 + max(2.0 ** -least, times * n * 2.0 ** -53))) + sqrt(n / q) * prior
        return self.evaluate(a, b, (sqrt(2) * largest + prior, e))

    def pieces(self):
        """Section 19.7."""
        k, bound = self.worst()
        products = self.plan["products"]
        return k, bound * products * (1 + 3 * (products - 1) / k)


def main():
    constants, counts, wrong = Constants(Document(sys.argv[1])), {}, 0
    for line in sys.stdin:
        plan = json.loads(line)
        bound = Bound(constants, plan)
        wanted = {"worst": bound.worst(), "measured": bound.evaluate(*bound.energies())}
        if "posterior" in plan:
            wanted["posterior"] = bound.posterior()
        if "sums" in plan:
            wanted["sums"] = bound.pieces()
        for name, want in wanted.items():
            got = [float.fromhex(x) for x in plan[name]]
            if not all(w * (1 - 1e-11) <= g <= w * (1 + 2e-9) for g, w in zip(got, want)):
                wrong += 1
                if wrong <= 5:
                    print("%s: K %.12g, bound %.12g; by the document %.12g, %.12g\n%s" % (name, *got, *want, line))
        kind = "%s %s" % (plan["kind"], plan["packing"] if plan.get("parts", "double") == "double" else plan["parts"])
        counts[kind] = counts.get(kind, 0) + 1
    kinds = ", ".join("%d %s" % (n, k) for k, n in counts.items())
    print("%d plans: %s; %d bounds differ" % (sum(counts.values()), kinds, wrong))
    sys.exit(1 if wrong or not counts else 0)


main()
