/** Documents in their series: one internal code per type, no gaps, nothing backwards, and the chain of signatures. */
import { signedText, verifySignature } from "../../fiscal/chain.ts";
import { at, type SaftElement, textAt } from "../read.ts";
import { centsOf, decimalOf } from "./decimal.ts";
import type { Findings } from "./findings.ts";
import type { DocumentTable } from "./tables.ts";

/** A number taken apart: `1T A/00007` has the internal code `1T`, the series `1T A` and the sequence 7. */
interface Numbered {
  readonly text: string;
  readonly code: string;
  readonly series: string;
  readonly sequence: bigint;
}

interface Series {
  /** The runs of sequences seen, first and last of each; one run where nothing is missing. */
  readonly runs: [bigint, bigint][];
  last: { readonly numbered: Numbered; readonly date: string; readonly entry: string; readonly hash: string };
}

/** How many signatures were proved, and how many could not be: their predecessor or their key is not at hand. */
export interface SignatureCount {
  verified: number;
  unverifiable: number;
}

/** Looks at documents one by one, in the order of the file. Memory grows with the series, not with the documents. */
export function seriesCheck(
  errors: Findings,
  public_key: string | undefined,
): {
  see(document: SaftElement, table: DocumentTable, certificate: string): void;
  readonly signatures: SignatureCount;
} {
  const types = new Map<string, string>();
  const all = new Map<string, Series>();
  const signatures: SignatureCount = { verified: 0, unverifiable: 0 };

  return {
    signatures,
    see(document, table, certificate) {
      const numbered = numberedOf(textAt(document, table.number));
      if (!numbered) return;
      const type = textAt(document, table.type) ?? "";
      const key = `${table.document} ${numbered.series}`;
      const series = all.get(key);
      const known = types.get(numbered.code) ?? type;
      types.set(numbered.code, known);
      if (known !== type) {
        const reason = `The internal code ${numbered.code} stands for ${known} and for ${type}; a code has one type.`;
        errors.at(at(document, table.type) ?? document, "internal_code", reason);
      }

      const last = {
        numbered,
        date: textAt(document, table.date) ?? "",
        entry: textAt(document, "SystemEntryDate") ?? "",
        hash: textAt(document, "Hash") ?? "",
      };
      const isIntegrated = textAt(document, `DocumentStatus/${table.source}`) === "I";
      checkOrder(document, table, last, series, isIntegrated, errors);
      const follows = series !== undefined && series.last.numbered.sequence + 1n === numbered.sequence;
      const previous = follows ? series.last.hash : undefined;
      checkSignature(document, { ...last, previous, isIntegrated, certificate, public_key, signatures, errors });

      if (series) {
        extend(series.runs, numbered.sequence);
        series.last = last;
      } else all.set(key, { runs: [[numbered.sequence, numbered.sequence]], last });
    },
  };
}

function numberedOf(text: string | undefined): Numbered | undefined {
  const match = /^(([^ ]+) [^/^ ]+)\/([0-9]{1,60})$/.exec(text ?? "");
  if (!match) return undefined;
  const [whole, series = "", code = "", digits = ""] = match;
  return { text: whole, code, series, sequence: BigInt(digits) };
}

function checkOrder(
  document: SaftElement,
  table: DocumentTable,
  { numbered: { text, series: name, sequence }, date, entry }: Series["last"],
  series: Series | undefined,
  isIntegrated: boolean,
  errors: Findings,
): void {
  if (!series) return;
  const { last, runs } = series;
  const due = last.numbered.sequence + 1n;
  const number = at(document, table.number) ?? document;
  if (runs.some(([from, to]) => from <= sequence && sequence <= to)) {
    errors.at(number, "key", `There is a second ${text}.`);
  } else if (sequence < due) {
    errors.at(number, "sequence", `${text} comes after ${last.numbered.text}.`);
  } else if (sequence > due && !isIntegrated) {
    const missing = sequence - due === 1n ? `${name}/${due} is` : `${name}/${due} to ${name}/${sequence - 1n} are`;
    errors.at(number, "sequence", `${missing} missing between ${last.numbered.text} and ${text}.`);
  }
  if (date < last.date) {
    const reason = `${text} is dated ${date}, before ${last.date}, the date of ${last.numbered.text}.`;
    errors.at(at(document, table.date) ?? document, "date", reason);
  }
  if (entry < last.entry) {
    const reason = `${text} was entered at ${entry}, before ${last.entry}, the entry time of ${last.numbered.text}.`;
    errors.at(at(document, "SystemEntryDate") ?? document, "date", reason);
  }
}

function extend(runs: [bigint, bigint][], sequence: bigint): void {
  const run = runs.find(([, to]) => to + 1n === sequence);
  if (run) run[1] = sequence;
  else if (!runs.some(([from, to]) => from <= sequence && sequence <= to)) runs.push([sequence, sequence]);
}

/** 1024 bits in Base64 (Despacho 8632/2014, 6.2). */
const SIGNATURE = /^[A-Za-z0-9+/]{171}=$/;

interface SignatureCase {
  readonly numbered: Numbered;
  readonly date: string;
  readonly entry: string;
  readonly hash: string;
  /** The hash of the document just before it; undefined when that is not in the file. */
  readonly previous: string | undefined;
  readonly isIntegrated: boolean;
  readonly certificate: string;
  readonly public_key: string | undefined;
  readonly signatures: SignatureCount;
  readonly errors: Findings;
}

function checkSignature(document: SaftElement, given: SignatureCase): void {
  const { numbered, hash, isIntegrated, certificate, public_key, signatures, errors } = given;
  const element = at(document, "Hash");
  if (!element) return; // Receipts have none.
  const control = textAt(document, "HashControl") ?? "";
  if (hash !== "0" && !SIGNATURE.test(hash)) {
    errors.at(element, "signature", `The hash of ${numbered.text} is neither 0 nor a signature of 172 characters.`);
  } else if ((hash === "0") !== (control === "0")) {
    const reason = `${numbered.text} has the hash ${hash === "0" ? "0" : "of a signature"} but the HashControl ${control}.`;
    errors.at(element, "signature", reason);
  } else if (hash !== "0" && public_key !== undefined) {
    // A document from another program carries that program's signature; its own comes back as `certificate.version`.
    const isForeign = isIntegrated && control.split(".")[0] !== certificate;
    const verdict = isForeign ? "unverifiable" : verdictOf(document, given, public_key);
    if (verdict === "wrong") errors.at(element, "signature", `The signature of ${numbered.text} is not valid.`);
    else signatures[verdict]++;
  }
}

function verdictOf(
  document: SaftElement,
  { numbered, date, entry, hash, previous }: SignatureCase,
  public_key: string,
): keyof SignatureCount | "wrong" {
  const gross = decimalOf(textAt(document, "DocumentTotals/GrossTotal"));
  const total_gross_cents = gross && centsOf(gross);
  if (total_gross_cents === undefined) return "wrong";
  const previous_hash = previous === undefined || previous === "0" ? "" : previous;
  const facts = { issue_date: date, system_entry_date: entry, number: numbered.text, total_gross_cents, previous_hash };
  if (verifySignature(signedText(facts), hash, public_key)) return "verified";
  return previous === undefined && numbered.sequence > 1n ? "unverifiable" : "wrong";
}
