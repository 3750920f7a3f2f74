"""A checker of SAF-T (PT) invoicing files, written from the texts alone and in another language than Lacre's.

It was written from the notes of Portaria 302/2016 (P302) and from Despacho 8632/2014 (D8632), with the file as its only
input: it shares no code, no data and no rounding with Lacre. A rule is a function that yields sentences; its name and
note say where the rule is written.

Usage: cold.py FILE PUBLIC_KEY.pem. Prints one line for each breach, and last the number of signatures that are valid.
"""

import base64
import hashlib
import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from datetime import date, datetime
from decimal import Decimal

NS = "{urn:OECD:StandardAuditFile-Tax:PT_1.04_01}"
D = Decimal

TABLES = {
    "SalesInvoices": ("Invoice", "InvoiceNo", "InvoiceDate", "InvoiceType", "InvoiceStatus"),
    "MovementOfGoods": ("StockMovement", "DocumentNumber", "MovementDate", "MovementType", "MovementStatus"),
    "WorkingDocuments": ("WorkDocument", "DocumentNumber", "WorkDate", "WorkType", "WorkStatus"),
    "Payments": ("Payment", "PaymentRefNo", "TransactionDate", "PaymentType", "PaymentStatus"),
}
RATES = {  # In force since 2024-10-01: CIVA 18, DLR 15-A/2021/A, DLR 6/2024/M.
    "PT": {"RED": "6", "INT": "13", "NOR": "23"},
    "PT-AC": {"RED": "4", "INT": "9", "NOR": "16"},
    "PT-MA": {"RED": "4", "INT": "12", "NOR": "22"},
}


class Doc:
    """One document with its fields by name; `get` takes a path."""

    def __init__(self, table, node):
        names = TABLES[table]
        self.table, self.node = table, node
        self.number, self.date, self.type = (self.get(name) for name in names[1:4])
        self.status = self.get(f"DocumentStatus/{names[4]}")
        self.entry = self.get("SystemEntryDate")
        self.series, _, self.sequence = self.number.rpartition("/")
        self.lines = node.findall(f"{NS}Line")
        self.net, self.tax, self.gross = (self.money(f"DocumentTotals/{t}") for t in ("NetTotal", "TaxPayable", "GrossTotal"))

    def get(self, path, of=None):
        return (self.node if of is None else of).findtext("/".join(NS + step for step in path.split("/")))

    def money(self, path, of=None):
        text = self.get(path, of)
        return None if text is None else D(text)

    def all(self, path, of=None):
        return (self.node if of is None else of).findall("/".join(NS + step for step in path.split("/")))


class File:
    def __init__(self, path, pem):
        self.root = ET.parse(path).getroot()
        self.pem = pem
        self.docs = [
            Doc(table, node)
            for table, (name, *_) in TABLES.items()
            for node in self.root.findall(f"{NS}SourceDocuments/{NS}{table}/{NS}{name}")
        ]
        self.by_number = {doc.number: doc for doc in self.docs}
        self.valid = 0

    def text(self, path):
        return self.root.findtext("/".join(NS + step for step in path.split("/")))

    def master(self, kind, key):
        return [node.findtext(NS + key) for node in self.root.findall(f"{NS}MasterFiles/{NS}{kind}")]


# --- The rules ---


def header(f):
    """P302 1: an invoicing file has basis F, euros, and the days it says."""
    if f.text("Header/TaxAccountingBasis") != "F":
        yield "TaxAccountingBasis is not F"
    if f.text("Header/CurrencyCode") != "EUR":
        yield "CurrencyCode is not EUR"
    start, end = f.text("Header/StartDate"), f.text("Header/EndDate")
    if not f.text("Header/FiscalYear") == start[:4] == end[:4]:
        yield "the period leaves its fiscal year"
    for doc in f.docs:
        if not start <= doc.date <= end:
            yield f"{doc.number} is dated {doc.date}, outside the period"


def masters(f):
    """P302 2: each entry once, each of them used, each use with its entry."""
    used = {
        ("Customer", "CustomerID"): {doc.get("CustomerID") for doc in f.docs},
        ("Product", "ProductCode"): {doc.get("ProductCode", line) for doc in f.docs for line in doc.lines} - {None},
    }
    for (kind, key), wanted in used.items():
        entries = f.master(kind, key)
        for name, count in Counter(entries).items():
            if count > 1:
                yield f"{kind} {name} is there {count} times"
        for name in wanted ^ set(entries):
            yield f"{kind} {name} is only a name or only an entry"


def tax_table(f):
    """P302 2.5: each tax of a line is in the table."""
    keys = ("TaxType", "TaxCountryRegion", "TaxCode", "TaxPercentage")
    table = {
        tuple(entry.findtext(NS + key) for key in keys)
        for entry in f.root.findall(f"{NS}MasterFiles/{NS}TaxTable/{NS}TaxTableEntry")
    }
    for doc in f.docs:
        for tax in doc.all("Line/Tax"):
            if tuple(doc.get(key, tax) for key in keys) not in table:
                yield f"{doc.number} bears a tax that the table lacks"


def customers(f):
    """P302 2.2.3: a tax number, without prefix; nine digits with their check digit if Portuguese."""
    for node in f.root.findall(f"{NS}MasterFiles/{NS}Customer"):
        tax_id, country = node.findtext(NS + "CustomerTaxID"), node.findtext(f"{NS}BillingAddress/{NS}Country")
        prefix = {"GR": "EL"}.get(country, country)
        if country == "PT":
            digits = [int(digit) for digit in tax_id] if re.fullmatch(r"\d{9}", tax_id) else []
            rest = sum(digit * weight for digit, weight in zip(digits, range(9, 1, -1))) % 11
            if not digits or digits[8] != (0 if rest < 2 else 11 - rest):
                yield f"{tax_id} is no NIF"
        elif re.match(rf"{prefix}\d", tax_id):
            yield f"{tax_id} has the prefix of {country}"


def products(f):
    """P302 2.4.1: goods and services; what travels is goods."""
    types = {
        node.findtext(NS + "ProductCode"): node.findtext(NS + "ProductType")
        for node in f.root.findall(f"{NS}MasterFiles/{NS}Product")
    }
    for doc in f.docs:
        for line in doc.lines:
            kind = types.get(doc.get("ProductCode", line))
            if doc.table == "MovementOfGoods" and kind != "P":
                yield f"{doc.number} moves a product of type {kind}"


def numbers(f):
    """D8632 1.6, 3.2.1 and P302 4.1.4.1: by series no gap, and time goes forward; one type for each internal code."""
    series, codes = defaultdict(list), defaultdict(set)
    for doc in f.docs:
        series[doc.series].append(doc)
        codes[doc.series.split(" ")[0]].add(doc.type)
    for code, types in codes.items():
        if len(types) > 1:
            yield f"{code} means {sorted(types)}"
    for name, docs in series.items():
        first = int(docs[0].sequence)
        if [int(doc.sequence) for doc in docs] != list(range(first, first + len(docs))):
            yield f"{name} has a gap, or numbers out of order"
        for before, doc in zip(docs, docs[1:]):
            if doc.date < before.date or doc.entry < before.entry:
                yield f"{doc.number} goes back in time"


def dates(f):
    """D8632 2.2.4, 3.4.2: whole days and seconds, the entry not before the date, the status not before the entry."""
    for doc in f.docs:
        date.fromisoformat(doc.date)
        entry = datetime.strptime(doc.entry, "%Y-%m-%dT%H:%M:%S")
        if entry.date() < date.fromisoformat(doc.date):
            yield f"{doc.number} is dated after it was entered"
        since = doc.get(f"DocumentStatus/{TABLES[doc.table][4]}Date")
        if since < doc.entry:
            yield f"{doc.number} had its status before it was there"
        if doc.get("Period") != str(int(doc.date[5:7])):
            yield f"{doc.number} has another period than its date"


def atcud(f):
    """Portaria 195/2020, 3: a code of at least eight characters per series, a hyphen, and the number as exported."""
    codes = {}
    for doc in f.docs:
        code, _, sequence = doc.get("ATCUD").rpartition("-")
        if len(code) < 8 or sequence != doc.sequence or codes.setdefault(doc.series, code) != code:
            yield f"{doc.number} has the ATCUD {doc.get('ATCUD')}"
    if len(set(codes.values())) != len(codes):
        yield "two series share a validation code"


def signatures(f):
    """D8632 4.4 to 7.1: RSA of 1024 bits over SHA-1, chained by series; receipts have none."""
    n, e = rsa_key(f.pem)
    previous = {}
    for doc in f.docs:
        if doc.table == "Payments":
            continue
        hash_ = doc.get("Hash")
        text = ";".join([doc.date, doc.entry, doc.number, doc.get("DocumentTotals/GrossTotal"), previous.get(doc.series, "")])
        previous[doc.series] = hash_
        padded = pow(int.from_bytes(base64.b64decode(hash_), "big"), e, n).to_bytes(128, "big")
        info = bytes.fromhex("3021300906052b0e03021a05000414") + hashlib.sha1(text.encode("utf-8")).digest()
        if padded == b"\x00\x01" + b"\xff" * (125 - len(info)) + b"\x00" + info:
            f.valid += 1
        else:
            yield f"{doc.number} has a signature that is not valid"
        if not re.fullmatch(r"[1-9]\d*", doc.get("HashControl")):
            yield f"{doc.number} has the HashControl {doc.get('HashControl')}"


def rsa_key(pem):
    """Modulus and exponent: the last two integers of a SubjectPublicKeyInfo."""
    der = base64.b64decode("".join(line for line in pem.splitlines() if "-" not in line))
    found, at = [], der.index(b"\x03\x81") + 4
    at += 3 if der[at + 1] == 0x81 else 2
    while at < len(der):
        length, at = der[at + 1], at + 2
        if length & 0x80:
            size = length & 0x7F
            length, at = int.from_bytes(der[at : at + size], "big"), at + size
        found.append(int.from_bytes(der[at : at + length], "big"))
        at += length
    return found


def lines(f):
    """P302 4.1.4.19: numbered from one, on one side, price by quantity the amount, nothing negative (D8632 2.2.6)."""
    for doc in f.docs:
        if [doc.get("LineNumber", line) for line in doc.lines] != [str(i + 1) for i in range(len(doc.lines))]:
            yield f"{doc.number} numbers its lines otherwise"
        for line in doc.lines:
            debit, credit = doc.money("DebitAmount", line), doc.money("CreditAmount", line)
            amount = credit if debit is None else debit
            if doc.table == "SalesInvoices" and (debit is None) != (doc.type != "NC"):
                yield f"{doc.number} has a line on the wrong side"
            quantity, price = doc.money("Quantity", line), doc.money("UnitPrice", line)
            if price is not None and abs(quantity * price - amount) > D("0.000001"):
                yield f"{doc.number}: {quantity} at {price} is not {amount}"
            if min(x for x in (amount, quantity, price) if x is not None) < 0:
                yield f"{doc.number} has a negative line"


def taxes(f):
    """CIVA 18 and D8632 3.2.6: the lawful rate of the region, and a reason exactly where there is no tax."""
    for doc in f.docs:
        for line in doc.lines:
            region, code, rate = (doc.get(f"Tax/{k}", line) for k in ("TaxCountryRegion", "TaxCode", "TaxPercentage"))
            reason = doc.get("TaxExemptionReason", line), doc.get("TaxExemptionCode", line)
            if code in ("RED", "INT", "NOR") and D(RATES[region][code]) != D(rate):
                yield f"{doc.number} bears {rate} % as {code} in {region}"
            if code in ("ISE", "NS") and D(rate) != 0 or code == "OUT":
                yield f"{doc.number} bears {rate} % as {code}"
            if (rate is not None and D(rate) == 0) != all(reason) or any(reason) != all(reason):
                yield f"{doc.number} has a reason without need, or needs one"


def totals(f):
    """D8632 2.6.7 and P302 4.x: gross is net and tax; both are those of the lines, rounded once for each rate."""
    for doc in f.docs:
        if doc.net + doc.tax != doc.gross:
            yield f"{doc.number}: net and tax are not the gross"
        for field in ("NetTotal", "TaxPayable", "GrossTotal"):
            if not re.fullmatch(r"\d+\.\d\d", doc.get(f"DocumentTotals/{field}")):
                yield f"{doc.number}: {field} has not two decimals"
        by_rate, sides = defaultdict(D), D(0)
        for line in doc.lines:
            amount = (doc.money("CreditAmount", line) or D(0)) - (doc.money("DebitAmount", line) or D(0))
            sides += amount
            by_rate[doc.get("Tax/TaxCountryRegion", line), doc.get("Tax/TaxPercentage", line) or "0"] += amount
        slack = D("0.005") * (len(by_rate) + 1)
        if abs(abs(sides) - doc.net) > slack:
            yield f"{doc.number}: the lines are {sides}, the net {doc.net}"
        if abs(abs(sum(amount * D(rate) / 100 for (_, rate), amount in by_rate.items())) - doc.tax) > slack:
            yield f"{doc.number}: the tax is not that of the lines"


def control(f):
    """P302 4.1.1 to 4.4.3: control totals, without cancelled documents and, in 4.1, without billed ones."""
    for table in TABLES:
        docs = [doc for doc in f.docs if doc.table == table]
        live = [doc for doc in docs if doc.status != "A" and not (table == "SalesInvoices" and doc.status == "F")]
        if not docs:
            continue
        of = lambda name: f.text(f"SourceDocuments/{table}/{name}")
        amount = lambda side: sum((doc.money(side, line) or D(0) for doc in live for line in doc.lines), D(0))
        if table == "MovementOfGoods":
            wanted = {
                "NumberOfMovementLines": D(sum(len(doc.lines) for doc in docs)),
                "TotalQuantityIssued": sum((doc.money("Quantity", line) for doc in live for line in doc.lines), D(0)),
            }
        else:
            sides = {"TotalDebit": amount("DebitAmount"), "TotalCredit": amount("CreditAmount")}
            wanted = {"NumberOfEntries": D(len(docs)), **sides}
        for name, value in wanted.items():
            if D(of(name)) != value:
                yield f"{table}: {name} is {of(name)}, not {value}"


def references(f):
    """CIVA 36/6, P302 4.1.4.19 and 4.4.4.14: corrections and receipts name what was before, and not more than it."""
    against = defaultdict(D)
    for doc in f.docs:
        named = [
            (node.text, doc.get("InvoiceDate", settled))
            for settled in doc.all("Line/SourceDocumentID")
            for node in doc.all("OriginatingON", settled)
        ]
        named += [(node.text, None) for node in doc.all("Line/References/Reference")]
        named += [(doc.get("OriginatingON", r), doc.get("OrderDate", r)) for r in doc.all("Line/OrderReferences")]
        if not named and doc.type in ("NC", "ND", "RC", "RG"):
            yield f"{doc.number} names nothing"
        for number, day in named:
            other = f.by_number.get(number)
            if other is None or other.date > doc.date or day not in (None, other.date):
                yield f"{doc.number} names {number} of {day}"
        if doc.type == "NC" and doc.status != "A":
            against[doc.get("Line/References/Reference")] += doc.gross
    for number, credited in against.items():
        original = f.by_number.get(number)
        if original and (credited > original.gross or original.status == "A"):
            yield f"{number} is credited with {credited}"


def states(f):
    """P302 4.2.3.3 and 4.3.4.3: a live invoice bills what it comes from, which is F; all others are N or A."""
    billed = {
        node.text for doc in f.docs if doc.table == "SalesInvoices" and doc.status != "A" for node in doc.all("Line/OrderReferences/OriginatingON")
    }
    for doc in f.docs:
        if doc.status != "A" and doc.table in ("MovementOfGoods", "WorkingDocuments"):
            if (doc.number in billed) != (doc.status == "F"):
                yield f"{doc.number} has the status {doc.status}"
        if doc.status == "A" and not doc.get("DocumentStatus/Reason"):
            yield f"{doc.number} is cancelled without a reason"


def means(f):
    """P302 4.1.4.20.6 and 4.4.4.10: what is stated as paid is what an FR or a receipt comes to."""
    for doc in f.docs:
        paid = [D(node.text) for node in doc.all("PaymentMethod/PaymentAmount") + doc.all("DocumentTotals/Payment/PaymentAmount")]
        if paid and sum(paid) > doc.gross or doc.type == "FR" and sum(paid) != doc.gross:
            yield f"{doc.number} of {doc.gross} was paid with {sum(paid)}"


def transport(f):
    """DL 147/2003: goods have a place to leave from and to go to, and leave after the document was made."""
    for doc in f.docs:
        if doc.table != "MovementOfGoods":
            continue
        if doc.get("MovementStartTime") < doc.entry:
            yield f"{doc.number} left before it was made"
        if not doc.get("ShipTo/Address/AddressDetail") or not doc.get("ShipFrom/Address/AddressDetail"):
            yield f"{doc.number} has no place"


RULES = [
    header, masters, tax_table, customers, products, numbers, dates, atcud, signatures, lines, taxes, totals, control,
    references, states, means, transport,
]

if __name__ == "__main__":
    file = File(sys.argv[1], open(sys.argv[2]).read())
    for rule in RULES:
        for breach in rule(file):
            print(f"{rule.__name__}: {breach}")
    print(file.valid)
