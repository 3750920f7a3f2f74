"""What documents with discounts of an amount come to, by exact rationals, from the text of the rule alone.

Reads documents as JSON from standard input, as lacre/totals takes them, and writes for each, as JSON, the totals
`[net, tax, gross]` in cents, the groups `[rate in percent, net, tax]`, and for each line, in millionths of a euro,
`[amount as priced, net, all that came off as priced, share of the amount off all lines]`.
"""
import json
import sys
from decimal import Decimal
from fractions import Fraction as F


def half_up(value):
    return (2 * value + 1) // 2


def exact(value):
    return F(Decimal(repr(value) if isinstance(value, float) else value))


class Line:
    def __init__(self, given):
        self.gross = given.get("unit_price_gross") is not None
        self.rate = exact(given["tax_rate"])
        price = given["unit_price_gross"] if self.gross else given["unit_price_net"]
        self.full = exact(given["qty"]) * exact(price)
        own = self.full * (1 - exact(given.get("discount_pct") or 0) / 100)
        self.amount = own - exact(given.get("discount_amount") or 0)
        self.share = F(0)

    def net(self):
        return self.amount / (1 + self.rate / 100) if self.gross else self.amount


def cents_of(lines):
    """What lines of one rate come to in cents, as they are priced."""
    return half_up(100 * sum(line.amount for line in lines))


def by_rate(lines):
    return [[line for line in lines if line.rate == rate] for rate in sorted({line.rate for line in lines})]


def take_off(lines, cents):
    groups = by_rate(lines)
    weights = [cents_of(group) for group in groups]
    exact_parts = [F(cents * weight, sum(weights)) for weight in weights]
    parts = [part.numerator // part.denominator for part in exact_parts]
    for at in sorted(range(len(parts)), key=lambda at: (parts[at] - exact_parts[at], at))[: cents - sum(parts)]:
        parts[at] += 1
    for group, part in zip(groups, parts):
        whole = sum(line.amount for line in group)
        room = [line.amount * 10**6 // 1 for line in group]
        shares = [min(part * 10**4 * line.amount / whole // 1 if whole else 0, room[at]) for at, line in enumerate(group)]
        rest = part * 10**4 - sum(shares)
        for at, line in enumerate(group):
            more = min(rest, room[at] - shares[at])
            rest -= more
            line.share = F(shares[at] + more, 10**6)
            line.amount -= line.share


def group_totals(lines):
    """Net and tax of one rate in cents."""
    rate = lines[0].rate / 100
    nets = 100 * sum(line.net() for line in lines)
    if not any(line.gross for line in lines):
        return half_up(nets), half_up(nets * rate)
    grosses = 100 * sum(line.amount if line.gross else line.amount * (1 + rate) for line in lines)
    gross = half_up(grosses)
    net = half_up(nets + F(gross - grosses) / 2)
    return net, gross - net


def computed(document):
    lines = [Line(given) for given in document["lines"]]
    off = document.get("global_discount_amount")
    for line in lines:
        line.amount *= 1 - exact(document.get("global_discount_pct") or 0) / 100
    if off is not None:
        take_off(lines, int(exact(off) * 100))
    groups = [[float(group[0].rate), *map(int, group_totals(group))] for group in by_rate(lines)]
    net, tax = sum(group[1] for group in groups), sum(group[2] for group in groups)
    micros = lambda value: int(half_up(value * 10**6))
    return {
        "totals": [net, tax, net + tax],
        "groups": groups,
        "lines": [[micros(x) for x in (l.amount, l.net(), l.full - l.amount, l.share)] for l in lines],
    }


json.dump([computed(document) for document in json.load(sys.stdin)], sys.stdout)
