import { generateKeyPairSync, sign } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ChainedDocument,
  type ChainedSeries,
  canonical,
  type Finding,
  type Sealable,
  type SealedDocument,
  sealOf,
  seriesWalk,
  signedText,
  verifySignature,
} from "../../../src/core/fiscal/chain.ts";
import { scaled } from "../../../src/core/fiscal/money.ts";
import { atcudOf, numberOf } from "../../../src/core/fiscal/numbering.ts";
import { totalsOf } from "../../../src/core/fiscal/totals.ts";
import vectors from "../../vectors/chain.json" with { type: "json" };

const { documents, public_key, seals, texts } = vectors;

describe("the signed text", () => {
  test.each(texts)("$text", ({ text, ...facts }) => {
    expect(signedText(facts)).toBe(text);
  });

  test("a total that is not in whole cents is refused", () => {
    for (const facts of texts) expect(() => signedText({ ...facts, total_gross_cents: 0.1 })).toThrow(RangeError);
  });
});

describe("the 35 signed documents of the authority's demonstration file", () => {
  const textOf = ({ gross, ...facts }: (typeof documents)[number]) =>
    signedText({ ...facts, total_gross_cents: scaled(Number(gross), 2) as number });

  test("there are 35, and each but the first of its series is chained to the one before, in 17 series", () => {
    expect(documents).toHaveLength(35);
    const known = new Map<string, string>();
    for (const { number, hash, previous_hash } of documents) {
      const code = number.slice(0, number.lastIndexOf("/"));
      expect(previous_hash).toBe(known.get(code) ?? "");
      known.set(code, hash);
    }
    expect(known.size).toBe(17);
  });

  test.each(documents)("$number verifies", (document) => {
    expect(verifySignature(textOf(document), document.hash, public_key)).toBe(true);
  });

  test.each(documents)("$number no longer verifies once any signed fact differs", (document) => {
    const altered = [
      { ...document, issue_date: "2017-12-31" },
      { ...document, system_entry_date: "2017-12-31T00:00:00" },
      { ...document, number: `${document.number}0` },
      { ...document, gross: `${document.gross}1`.replace(/\d(?=\d$)/, "") },
      { ...document, previous_hash: `${document.previous_hash}=` },
    ];
    for (const other of altered) {
      if (textOf(other) === textOf(document)) continue;
      expect(verifySignature(textOf(other), document.hash, public_key)).toBe(false);
    }
  });
});

describe("a signature", () => {
  const [first] = documents;
  if (!first) throw new Error("No vectors.");
  const { gross, hash, ...facts } = first;
  const text = signedText({ ...facts, total_gross_cents: scaled(Number(gross), 2) as number });

  test.each([
    ["a space", `${hash} `],
    ["a line break inside", `${hash.slice(0, 76)}\n${hash.slice(76)}`],
    ["no padding", hash.replace("=", "")],
    ["text after the end", `${hash}AAAA`],
    ["stray last bits", hash.replace(/.=$/, (end) => `${nextBase64(end[0] as string)}=`)],
    ["the other alphabet", hash.replaceAll("+", "-").replaceAll("/", "_")],
    ["nothing", ""],
    ["0, as uncertified programs export", "0"],
  ])("with %s is not valid", (_, other) => {
    expect(other).not.toBe(hash);
    expect(verifySignature(text, other, public_key)).toBe(false);
  });

  test("the decoder alone would accept three of them", () => {
    const forgiven = [`${hash} `, hash.replace("=", ""), hash.replaceAll("+", "-").replaceAll("/", "_")];
    for (const other of forgiven) expect(Buffer.from(other, "base64")).toEqual(Buffer.from(hash, "base64"));
  });

  test("under another key does not verify, and a broken key throws", () => {
    expect(verifySignature(text, hash, newKey().public_key)).toBe(false);
    expect(() => verifySignature(text, hash, "no key")).toThrow();
  });
});

/** The next character of the Base64 alphabet: the same bytes to a decoder that ignores the last bits. */
function nextBase64(character: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return alphabet.charAt(alphabet.indexOf(character) + 1);
}

describe("the seal", () => {
  test.each(seals)("of vector $seal is the one Python computes", ({ frozen, previous_seal, ...expected }) => {
    const sealed = frozen as unknown as SealedDocument;
    expect(canonical(["lacre-seal-1", previous_seal, sealed])).toBe(expected.canonical);
    expect(sealOf(sealed, previous_seal, 1)).toBe(`1:${expected.seal}`);
  });

  test.each<[Sealable, string]>([
    [null, "n"],
    [true, "t"],
    [false, "f"],
    [17, "i17;"],
    [-0, "i0;"],
    ["é", "s2:é"],
    [[1, ""], "a2:i1;s0:"],
    [{ b: 1, a: null }, "o2:s1:ans1:bi1;"],
  ])("the canonical form of %j is %s", (value, expected) => {
    expect(canonical(value)).toBe(expected);
  });

  test("joining without lengths would let two documents share a seal; the canonical form does not", () => {
    const one = { description: "Pão;2", unit: "un" };
    const other = { description: "Pão", unit: "2;un" };
    const joined = (fields: object) => Object.values(fields).join(";");
    expect(joined(one)).toBe(joined(other));
    expect(canonical(one)).not.toBe(canonical(other));
  });

  test("1 and '1', null and 'null', [] and {} and '' are all different", () => {
    const values = [1, "1", null, "null", "n", "", [], {}, [[]], [""], [null], true, "true", { a: 1 }, [["a", 1]]];
    expect(new Set(values.map((value) => canonical(value as Sealable))).size).toBe(values.length);
  });

  const sealable: fc.Arbitrary<Sealable> = fc.letrec<{ value: Sealable }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.string({ unit: "binary" }),
      fc.constantFrom("s1:a", "i1;", "n", "a0:"),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.string({ maxLength: 4 }), tie("value"), { maxKeys: 4 }),
    ),
  })).value;

  test("the canonical form can be read back, so no two values have the same", () => {
    fc.assert(
      fc.property(sealable, (value) => {
        const { value: back, rest } = parsed(Buffer.from(canonical(value), "utf8"));
        expect(rest).toHaveLength(0);
        expect(canonical(back)).toBe(canonical(value));
        expect(JSON.stringify(sorted(back))).toBe(JSON.stringify(sorted(value)));
      }),
      { numRuns: 500 },
    );
  });

  test("the order in which fields were set does not matter", () => {
    expect(sealOf({ a: 1, b: 2 }, null, 1)).toBe(sealOf({ b: 2, a: 1 }, null, 1));
  });

  test("the previous seal matters", () => {
    expect(sealOf({}, null, 1)).not.toBe(sealOf({}, "", 1));
  });

  test.each([
    ["a fraction", 0.1],
    ["an unsafe integer", 2 ** 53],
    ["NaN", Number.NaN],
    ["a lone surrogate", "\ud800"],
    ["a lone surrogate in a name", { "\udc00": 1 }],
    ["undefined", undefined],
    ["undefined in a field", { a: undefined }],
    ["a big integer", 1n],
  ])("%s cannot be sealed", (_, value) => {
    expect(() => canonical(value as Sealable)).toThrow(TypeError);
  });

  test("two different lone surrogates have the same bytes, so they are refused", () => {
    expect(Buffer.from("\ud800", "utf8")).toEqual(Buffer.from("\ud801", "utf8"));
  });
});

/** Reads a canonical form back: the proof that it is unambiguous. */
function parsed(bytes: Buffer): { value: Sealable; rest: Buffer } {
  const tag = String.fromCharCode(bytes.readUInt8(0));
  if (tag === "n") return { value: null, rest: bytes.subarray(1) };
  if (tag === "t" || tag === "f") return { value: tag === "t", rest: bytes.subarray(1) };
  const end = bytes.indexOf(tag === "i" ? ";" : ":");
  const count = Number(bytes.subarray(1, end).toString());
  let rest = bytes.subarray(end + 1);
  if (tag === "i") return { value: count, rest };
  if (tag === "s") return { value: rest.subarray(0, count).toString("utf8"), rest: rest.subarray(count) };
  const take = () => {
    const part = parsed(rest);
    rest = part.rest;
    return part.value;
  };
  if (tag === "a") return { value: Array.from({ length: count }, take), rest };
  const members = Array.from({ length: count }, () => [take() as string, take()] as const);
  return { value: Object.fromEntries(members), rest };
}

/** Objects as sorted lists of members, so that JSON compares them regardless of order. */
function sorted(value: Sealable): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return Object.is(value, -0) ? 0 : value;
  return {
    members: Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, of]) => [name, sorted(of)]),
  };
}

// ——— The walk ———

function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  return { privateKey, public_key: publicKey.export({ type: "spki", format: "pem" }).toString() };
}

const key_one = newKey();
const key_two = newKey();
const keys = new Map([
  [1, key_one.public_key],
  [2, key_two.public_key],
]);

/** A stored row: the fields of `frozen`, and its seal. */
interface Row {
  [field: string]: Sealable;
  sequence: number;
  number: string;
  atcud: string | null;
  issue_date: string;
  system_entry_date: string;
  issued_at: string;
  hash: string;
  key_version: number;
  seal: string;
  total_net_cents: number;
  total_tax_cents: number;
  total_gross_cents: number;
  global_discount_bps: number;
  global_discount_cents: number | null;
  customer: { name: string; tax_id: string | null };
  notes: string | null;
  lines: {
    description: string;
    qty_micros: number;
    unit_price_micros: number;
    discount_bps: number;
    tax_rate_bps: number;
  }[];
}

function walked(row: Row): ChainedDocument {
  const { seal, ...frozen } = row;
  return { ...row, seal, frozen };
}

/** A valid series of `length` documents; the key changes after the third. */
function soundSeries(length: number, validation_code: string | null = "CSDF7T5H") {
  const rows: Row[] = [];
  for (let sequence = 1; sequence <= length; sequence++) {
    const day = String(Math.ceil(sequence / 2)).padStart(2, "0");
    const lines = [
      {
        description: `Artigo ${sequence}`,
        qty_micros: 1_500_000 * sequence,
        unit_price_micros: 2_195_000,
        discount_bps: 880,
        tax_rate_bps: 2300,
      },
      {
        description: "Portes",
        qty_micros: 1_000_000,
        unit_price_micros: 5_000_000,
        discount_bps: 0,
        tax_rate_bps: 600,
      },
    ];
    const { groups: _, ...totals } = totalsOf(lines, 1000);
    const number = numberOf("FT", "2026A", sequence);
    rows.push(
      signedAndSealed(
        {
          sequence,
          number,
          atcud: atcudOf(validation_code, sequence),
          issue_date: `2026-11-${day}`,
          system_entry_date: `2026-11-${day}T10:00:0${sequence}`,
          issued_at: `2026-11-${day}T10:00:0${sequence}.482Z`,
          key_version: sequence <= 3 ? 1 : 2,
          ...totals,
          global_discount_bps: 1000,
          global_discount_cents: null,
          customer: { name: "Padaria Ação", tax_id: null },
          notes: null,
          lines,
          hash: "",
          seal: "",
        },
        rows.at(-1),
      ),
    );
  }
  return { series: headOf(rows, validation_code), rows };
}

function signedAndSealed(row: Row, previous: Row | undefined): Row {
  const key = row.key_version === 1 ? key_one : key_two;
  const text = signedText({ ...row, previous_hash: previous?.hash ?? "" });
  const { seal: _, ...frozen } = {
    ...row,
    hash: sign("RSA-SHA1", Buffer.from(text), key.privateKey).toString("base64"),
  };
  return { ...frozen, seal: sealOf(frozen, previous?.seal ?? null, 1) } as Row;
}

/** Signs and seals all rows again, as a thief with the key would, so that only the other checks can find a change. */
function resigned(rows: readonly Row[]): Row[] {
  const done: Row[] = [];
  for (const row of rows) done.push(signedAndSealed(row, done.at(-1)));
  return done;
}

function headOf(rows: readonly Row[], validation_code: string | null): ChainedSeries {
  const last = rows.at(-1);
  return {
    at_type: "FT",
    code: "2026A",
    validation_code,
    next_number: (last?.sequence ?? 0) + 1,
    last_issue_date: last?.issue_date ?? null,
    last_entry_date: last?.system_entry_date ?? null,
    last_issued_at: last?.issued_at ?? null,
    last_hash: last?.hash ?? null,
    last_seal: last?.seal ?? null,
  };
}

function findings(series: ChainedSeries, rows: readonly Row[]): Finding[] {
  const walk = seriesWalk(series, keys);
  const found = rows.map((row) => walk.step(walked(row)));
  return [...found, walk.end()].filter((finding) => finding !== undefined);
}

const { series, rows } = soundSeries(5);
const last = rows.length - 1;

/** The rows with one of them changed. */
function withRow(index: number, change: Partial<Row>): Row[] {
  return rows.map((row, at) => (at === index ? ({ ...row, ...change } as Row) : row));
}

describe("the walk over a sound series", () => {
  test("finds nothing, even across a change of key", () => expect(findings(series, rows)).toEqual([]));

  test("finds nothing in a series without a validation code", () => {
    const bare = soundSeries(2, null);
    expect(findings(bare.series, bare.rows)).toEqual([]);
  });

  test("finds nothing in a series without documents", () => {
    expect(findings(headOf([], null), [])).toEqual([]);
  });
});

describe("the walk finds every change to one document", () => {
  /** Another value of the same kind for each field of a row. */
  const another = (value: Sealable): Sealable[] => {
    if (value === null) return ["", "x", 0];
    if (typeof value === "number") return [value + 1, value - 1, -value - 1, null];
    if (typeof value === "string") return [`${value} `, value.slice(1), `${value.toLowerCase()}x`, "", null];
    if (Array.isArray(value)) return [[], value.slice(1), value.toReversed(), [...value, ...value]];
    return [{}, ...Object.keys(value as object).map((name) => ({ ...(value as object), [name]: "x" }))];
  };
  const fields = Object.keys(rows[0] as Row);
  const lineFields = Object.keys((rows[0] as Row).lines[0] as object);

  test.each(fields)("in %s, at any place of the series", (field) => {
    for (const [index, row] of rows.entries()) {
      for (const value of another(row[field] as Sealable)) {
        const found = findings(series, withRow(index, { [field]: value } as Partial<Row>));
        expect(found.length, `${field} = ${JSON.stringify(value)} at ${row.number}`).toBeGreaterThan(0);
        expect(found[0]?.reason).not.toBe("");
      }
    }
  });

  test.each(lineFields)("in %s of a line", (field) => {
    for (const [index, row] of rows.entries()) {
      for (const [at, line] of row.lines.entries()) {
        for (const value of another((line as Record<string, Sealable>)[field] as Sealable)) {
          const lines = row.lines.with(at, { ...line, [field]: value } as (typeof row.lines)[number]);
          const found = findings(series, withRow(index, { lines }));
          expect(found[0]?.sequence, `${field} = ${JSON.stringify(value)}`).toBe(row.sequence);
        }
      }
    }
  });

  test("in a field that was added or removed", () => {
    const { notes: _, ...without } = rows[1] as Row;
    expect(findings(series, rows.with(1, without as Row))).toMatchObject([
      { sequence: 2, reason: "The seal is broken." },
    ]);
    expect(findings(series, withRow(1, { added: null }))).toMatchObject([{ sequence: 2 }]);
  });

  test("even when it is signed and sealed again, because the next document contains the old seal", () => {
    const forged = signedAndSealed({ ...(rows[1] as Row), notes: "outra" }, rows[0]);
    expect(forged.hash).toBe(rows[1]?.hash); // The law's hash does not cover the notes: only the seal does.
    expect(findings(series, rows.with(1, forged))).toEqual([
      { number: "FT 2026A/3", sequence: 3, reason: "The seal is broken." },
    ]);
    const forgedTail = signedAndSealed({ ...(rows[last] as Row), notes: "outra" }, rows[last - 1]);
    expect(findings(series, rows.with(last, forgedTail))).toMatchObject([{ sequence: 5 }]);
  });
});

describe("each check finds its fault", () => {
  const reason = (found: Finding[]) => found[0]?.reason;
  const found = (changed: readonly Row[]) => {
    const again = resigned(changed);
    return findings(headOf(again, "CSDF7T5H"), again);
  };

  test("the control: rows signed and sealed again without a change have no fault", () => {
    expect(found(rows)).toEqual([]);
  });

  test("a gap", () => {
    expect(found(rows.toSpliced(2, 1))).toEqual([
      { number: "FT 2026A/4", sequence: 4, reason: "The sequence is 4, not 3." },
    ]);
  });

  test("a number that does not match its sequence", () => {
    expect(reason(found(withRow(1, { number: "FT 2026A/02" })))).toBe("The number is not FT 2026A/2.");
  });

  test("another ATCUD, or none", () => {
    expect(reason(found(withRow(1, { atcud: "CSDF7T5H-3" })))).toBe("The ATCUD is CSDF7T5H-3, not CSDF7T5H-2.");
    expect(reason(found(withRow(1, { atcud: null })))).toBe("The ATCUD is null, not CSDF7T5H-2.");
  });

  test("an issue date that goes backwards", () => {
    expect(reason(found(withRow(2, { issue_date: "2026-10-31" })))).toMatch(/^The issue date 2026-10-31 is before/);
  });

  test("an entry time that goes backwards", () => {
    const back = { system_entry_date: "2026-11-01T09:59:59" };
    expect(reason(found(withRow(1, back)))).toMatch(/^The entry time 2026-11-01T09:59:59 is before/);
  });

  test("an entry time that stands still is not a fault", () => {
    expect(found(withRow(1, { system_entry_date: rows[0]?.system_entry_date as string }))).toEqual([]);
  });

  test("totals wrong by a cent", () => {
    const { total_gross_cents, total_tax_cents, total_net_cents } = rows[1] as Row;
    for (const change of [
      { total_gross_cents: total_gross_cents + 1 },
      { total_tax_cents: total_tax_cents + 1 },
      { total_net_cents: total_net_cents - 1 },
      { total_net_cents: total_net_cents - 1, total_tax_cents: total_tax_cents + 1 },
    ]) {
      expect(reason(found(withRow(1, change)))).toBe("The totals are not those of its lines.");
    }
  });

  test("an unknown key version", () => {
    expect(reason(found(withRow(4, { key_version: 9 })))).toBe("There is no public key of version 9.");
  });

  test("a signature by another key than its version says", () => {
    expect(reason(findings(series, withRow(1, { key_version: 2 })))).toBe("The signature is not valid.");
  });

  test("a broken seal", () => {
    expect(reason(findings(series, withRow(1, { seal: "0".repeat(64) })))).toBe("The seal is broken.");
  });

  test("a row that cannot be read, without stopping the walk", () => {
    const broken = findings(
      series,
      withRow(1, { total_gross_cents: 0.5, lines: [{ qty_micros: 0.5 }] as Row["lines"] }),
    );
    expect(broken).toEqual([
      { number: "FT 2026A/2", sequence: 2, reason: expect.stringMatching(/^The document cannot be checked: /) },
    ]);
  });

  test.each<[string, Partial<ChainedSeries>, string]>([
    ["next number", { next_number: 7 }, "The next number of the series is 7, not 6."],
    ["issue date", { last_issue_date: "2026-11-30" }, "The series keeps another issue date for its last document."],
    ["entry time", { last_entry_date: null }, "The series keeps another entry time for its last document."],
    ["hash", { last_hash: rows[0]?.hash as string }, "The series keeps another hash for its last document."],
    ["seal", { last_seal: null }, "The series keeps another seal for its last document."],
  ])("a head with another %s", (_, change, reason) => {
    expect(findings({ ...series, ...change }, rows)).toEqual([{ number: "FT 2026A/5", sequence: 5, reason }]);
  });
});

describe("the walk finds moved documents", () => {
  const indexes = rows.map((_, index) => index);

  test.each(indexes)("removed at place %i", (index) => {
    expect(findings(series, rows.toSpliced(index, 1))).not.toEqual([]);
  });

  test.each(indexes)("inserted again at place %i", (index) => {
    for (const row of rows) expect(findings(series, rows.toSpliced(index, 0, row))).not.toEqual([]);
  });

  test("any two swapped, even with their numbers swapped", () => {
    for (const a of indexes) {
      for (const b of indexes.slice(a + 1)) {
        const [one, other] = [rows[a] as Row, rows[b] as Row];
        expect(findings(series, rows.with(a, other).with(b, one))).not.toEqual([]);
        const place = ({ sequence, number, atcud }: Row) => ({ sequence, number, atcud });
        const renumbered = rows.with(a, { ...other, ...place(one) }).with(b, { ...one, ...place(other) });
        expect(findings(series, renumbered)).not.toEqual([]);
      }
    }
  });

  test("a missing beginning, even when the rest is signed and sealed again", () => {
    const tail = resigned(rows.slice(3));
    expect(findings(headOf(tail, "CSDF7T5H"), tail)).toMatchObject([{ sequence: 4 }]);
  });

  test("a missing tail of any length, up to the whole series", () => {
    for (const kept of indexes) expect(findings(series, rows.slice(0, kept)).at(-1)?.sequence).toBe(kept);
  });

  test("the control: without the head, a shortened series looks valid", () => {
    const walk = seriesWalk(series, keys);
    expect(rows.slice(0, 3).map((row) => walk.step(walked(row)))).toEqual([undefined, undefined, undefined]);
    expect(walk.end()).toEqual({
      number: "FT 2026A/3",
      sequence: 3,
      reason: "The next number of the series is 6, not 4.",
    });
  });

  test("taken from another series with the same key", () => {
    const other = soundSeries(5, "ABCDEFGH");
    expect(findings(series, rows.with(2, other.rows[2] as Row))).toMatchObject([{ sequence: 3 }, { sequence: 4 }]);
  });
});
