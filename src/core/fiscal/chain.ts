/**
 * Each series is a chain. Two values bind a document to the previous one: `hash`, the signature the law requires of
 * certified programs, covers five facts; `seal`, Lacre's own digest, covers every frozen field. The walk at the end of
 * this file checks both, and everything else that can be recomputed.
 */
import { createPublicKey, hash, verify } from "node:crypto";
import { memoized } from "./memoized.ts";
import { formatCents } from "./money.ts";
import { atcudOf, numberOf } from "./numbering.ts";
import { type AmountLine, sharedDiscount, totalsOf } from "./totals.ts";

// ——— The signature ———

/** The five facts the legal signature covers (Portaria 363/2010, article 6). */
export interface SignedFacts {
  /** `YYYY-MM-DD`. */
  readonly issue_date: string;
  /** `YYYY-MM-DDThh:mm:ss`, Lisbon wall time. */
  readonly system_entry_date: string;
  /** As exported: `FT 2026A/17`. */
  readonly number: string;
  readonly total_gross_cents: number;
  /** The whole `hash` of the previous document in the series; empty for the first. */
  readonly previous_hash: string;
}

/**
 * The text to sign: the five facts joined by semicolons, the last one kept even if `previous_hash` is empty (Despacho
 * 8632/2014, 4.4 and 7.1). Throws RangeError when the total is not a whole number of cents.
 */
export function signedText({
  issue_date,
  system_entry_date,
  number,
  total_gross_cents,
  previous_hash,
}: SignedFacts): string {
  return [issue_date, system_entry_date, number, formatCents(total_gross_cents), previous_hash].join(";");
}

/** Characters 1, 11, 21 and 31 of a hash, for the page and the QR code (Despacho 8632/2014, 2.2.2). */
export function hashCharacters(hash: string): string {
  return [0, 10, 20, 30].map((at) => hash.charAt(at)).join("");
}

/** Parses each PEM once: that costs more than the check itself, and an installation has few keys. */
const publicKey = memoized((pem) => createPublicKey(pem));

/**
 * Whether `hash` is the RSA-SHA1 (PKCS#1 v1.5) signature of the text's UTF-8 bytes under this key (Despacho 8632/2014,
 * 7.1), in canonical Base64: other spellings that a decoder accepts, with spaces or stray bits, are not valid. Throws
 * when the PEM is not a public key.
 */
export function verifySignature(text: string, hash: string, public_key_pem: string): boolean {
  const key = publicKey(public_key_pem);
  const signature = Buffer.from(hash, "base64");
  return signature.toString("base64") === hash && verify("RSA-SHA1", Buffer.from(text, "utf8"), key, signature);
}

// ——— The seal ———

/** A value that can be sealed: JSON whose numbers are safe integers. */
export type Sealable = string | number | boolean | null | readonly Sealable[] | { readonly [field: string]: Sealable };

/** Every frozen field of a document by name, with its lines, snapshots, references and payments. */
export type SealedDocument = { readonly [field: string]: Sealable };

/**
 * Writes a value as a text that no other value has. Each part begins with its kind, and its count of UTF-8 bytes or
 * members where it has any, so no content is taken for a delimiter. Members are sorted by name, by code unit.
 *
 *     "é" → s2:é    17 → i17;    null → n    true → t    [1, ""] → a2:i1;s0:    { b: 1, a: null } → o2:s1:ans1:bi1;
 *
 * Throws TypeError for values without exact form: fractions, integers of 2^53 and beyond, lone surrogates, undefined.
 */
export function canonical(value: Sealable): string {
  if (value === null) return "n";
  if (typeof value === "string" && value.isWellFormed()) return `s${Buffer.byteLength(value, "utf8")}:${value}`;
  if (typeof value === "number" && Number.isSafeInteger(value)) return `i${value};`;
  if (typeof value === "boolean") return value ? "t" : "f";
  if (isList(value)) {
    let text = `a${value.length}:`;
    for (const member of value) text += canonical(member);
    return text;
  }
  if (typeof value === "object") {
    const names = namesOf(value);
    let text = `o${names.length}:`;
    for (const name of names) text += canonicalName(name) + canonical(value[name] as Sealable);
    return text;
  }
  throw new TypeError(`${String(value)} (${typeof value}) cannot be sealed.`);
}

/** The names of an object's members, sorted. Most objects are sorted already, and checking is quicker than sorting. */
function namesOf(value: object): string[] {
  const names = Object.keys(value);
  const isInOrder = names.every((name, i) => i === 0 || (names[i - 1] as string) < name);
  return isInOrder ? names : names.sort();
}

/** Made once for each name: the names are few, those of Lacre's own columns. */
const canonicalName = memoized(canonical);

/** `Array.isArray` alone does not narrow a readonly array. */
function isList(value: Sealable): value is readonly Sealable[] {
  return Array.isArray(value);
}

/**
 * A digest that names the version of its form: the version, a colon, and SHA-256, in lower-case hexadecimal, over the
 * canonical form of a list that begins with a tag of the form and the version. Throws TypeError as `canonical` does.
 */
export function digestOf(
  form: "content" | "event" | "seal" | "state",
  version: number,
  values: readonly Sealable[],
): string {
  return `${version}:${hash("sha256", canonical([`lacre-${form}-${version}`, ...values]))}`;
}

/** The version of the form in a digest; NaN if it has none, and then no digest is equal to it. */
export function versionOf(digest: string | null | undefined): number {
  return digest ? Number(digest.slice(0, digest.indexOf(":")) || Number.NaN) : Number.NaN;
}

/**
 * The seal of a document, over the previous seal in the series (null for the first) and every field that this version
 * freezes.
 */
export function sealOf(frozen: SealedDocument, previous_seal: string | null, version: number): string {
  return digestOf("seal", version, [previous_seal, frozen]);
}

// ——— The walk ———

/** A series as its row stores it: the parts of its numbers, and the head after its last document. */
export interface ChainedSeries {
  readonly at_type: string;
  readonly code: string;
  readonly validation_code: string | null;
  /** The head: the sequence of the next document, and the facts of the last one, null while there is none. */
  readonly next_number: number;
  readonly last_issue_date: string | null;
  readonly last_entry_date: string | null;
  /** RFC 3339 in UTC; clock checks compare with it. */
  readonly last_issued_at: string | null;
  readonly last_hash: string | null;
  readonly last_seal: string | null;
}

/** An issued or cancelled document as it is stored. */
export interface ChainedDocument {
  readonly sequence: number;
  readonly number: string;
  readonly atcud: string | null;
  readonly issue_date: string;
  readonly system_entry_date: string;
  readonly issued_at: string;
  readonly hash: string;
  readonly key_version: number;
  readonly seal: string;
  readonly total_net_cents: number;
  readonly total_tax_cents: number;
  readonly total_gross_cents: number;
  readonly global_discount_bps: number;
  readonly global_discount_cents: number | null;
  readonly lines: readonly AmountLine[];
  /** The fields that the version of its seal covers, as read from storage: every field above but the seal itself. */
  readonly frozen: SealedDocument;
}

/** A fault, and where it is. */
export interface Finding {
  /** The number of the document; null when the series has no documents. */
  readonly number: string | null;
  readonly sequence: number;
  /** The fault, as a sentence. */
  readonly reason: string;
}

/**
 * Checks a series from its first document to its head. Give `step` every issued and cancelled document by ascending
 * sequence, then call `end`: only `end` notices that the last documents are missing. After a finding the walk goes on
 * from the document as stored, so a bad document is one finding and the next is checked on its own. Memory use does not
 * grow with the series. `public_keys` maps key versions to PEMs.
 *
 * Whoever holds the signing key can replace the whole series unnoticed. Only a head kept elsewhere shows that.
 */
export function seriesWalk(series: ChainedSeries, public_keys: ReadonlyMap<number, string>) {
  let previous: ChainedDocument | undefined;

  return {
    /** Begins after a document that was checked before, instead of before the first. */
    begin(document: ChainedDocument): void {
      previous = document;
    },
    /** Checks the next document and returns its first fault. */
    step(document: ChainedDocument): Finding | undefined {
      const reason = checked(() => faultOf(document, previous, series, public_keys));
      previous = document;
      return reason === undefined ? undefined : { number: document.number, sequence: document.sequence, reason };
    },
    /** Compares the last document with the head of the series. Call it once, after the last `step`. */
    end(): Finding | undefined {
      const reason = faultOfHead(series, previous);
      const sequence = previous?.sequence ?? 0;
      return reason === undefined ? undefined : { number: previous?.number ?? null, sequence, reason };
    },
  };
}

/** A row that makes a check throw (fractional cents, an unreadable key) is a finding like any other. */
function checked(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    return `The document cannot be checked: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The first check that fails. Causes are checked before their consequences. */
function faultOf(
  document: ChainedDocument,
  previous: ChainedDocument | undefined,
  series: ChainedSeries,
  public_keys: ReadonlyMap<number, string>,
): string | undefined {
  const { sequence, number, atcud, issue_date, system_entry_date, key_version } = document;

  const expected = (previous?.sequence ?? 0) + 1;
  if (sequence !== expected) return `The sequence is ${sequence}, not ${expected}.`;

  const dueNumber = numberOf(series.at_type, series.code, sequence);
  if (number !== dueNumber) return `The number is not ${dueNumber}.`;
  const dueAtcud = atcudOf(series.validation_code, sequence);
  if (atcud !== dueAtcud) return `The ATCUD is ${atcud}, not ${dueAtcud}.`;

  if (previous && issue_date < previous.issue_date) {
    return `The issue date ${issue_date} is before ${previous.issue_date}, the previous document's.`;
  }
  if (previous && system_entry_date < previous.system_entry_date) {
    return `The entry time ${system_entry_date} is before ${previous.system_entry_date}, the previous document's.`;
  }

  if (!sharesMatch(document)) return "The shares of its lines in its discount are not those of the rule.";
  if (!totalsMatch(document)) return "The totals are not those of its lines.";

  const public_key = public_keys.get(key_version);
  if (public_key === undefined) return `There is no public key of version ${key_version}.`;
  const text = signedText({ ...document, previous_hash: previous?.hash ?? "" });
  if (!verifySignature(text, document.hash, public_key)) return "The signature is not valid.";
  const seal = sealOf(document.frozen, previous?.seal ?? null, versionOf(document.seal));
  if (document.seal !== seal) return "The seal is broken.";
  return undefined;
}

/** The split of a discount of an amount over the lines, which is frozen with them. */
function sharesMatch({ lines, global_discount_cents }: ChainedDocument): boolean {
  if (global_discount_cents === null) return lines.every((line) => line.global_discount_micros == null);
  const due = sharedDiscount(lines, global_discount_cents);
  return lines.every((line, i) => line.global_discount_micros === due[i]?.global_discount_micros);
}

function totalsMatch(document: ChainedDocument): boolean {
  const totals = totalsOf(document.lines, document.global_discount_bps);
  return (
    totals.total_net_cents === document.total_net_cents &&
    totals.total_tax_cents === document.total_tax_cents &&
    totals.total_gross_cents === document.total_gross_cents
  );
}

function faultOfHead(series: ChainedSeries, last: ChainedDocument | undefined): string | undefined {
  const next = (last?.sequence ?? 0) + 1;
  if (series.next_number !== next) return `The next number of the series is ${series.next_number}, not ${next}.`;
  if (series.last_issue_date !== (last?.issue_date ?? null)) return headDiffers("issue date");
  if (series.last_entry_date !== (last?.system_entry_date ?? null)) return headDiffers("entry time");
  if (series.last_issued_at !== (last?.issued_at ?? null)) return headDiffers("instant");
  if (series.last_hash !== (last?.hash ?? null)) return headDiffers("hash");
  if (series.last_seal !== (last?.seal ?? null)) return headDiffers("seal");
  return undefined;
}

function headDiffers(fact: string): string {
  return `The series keeps another ${fact} for its last document.`;
}
