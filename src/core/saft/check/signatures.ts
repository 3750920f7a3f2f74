/** The signatures of documents: RSA-SHA1 over five values, one of which is the hash of the document before. */
import { signedText, verifySignature } from "../../fiscal/chain.ts";
import { centsOf, decimalOf } from "../decimal.ts";
import { elementAt, textAt } from "../read.ts";
import type { Findings } from "./findings.ts";
import type { PreviousDocument, SeriesDocument } from "./series.ts";

/** Signatures that are valid, and those that cannot be verified because the document before or the key is missing. */
export interface SignatureCount {
  verified: number;
  unverifiable: number;
}

/** 1024 bits in Base64 (Despacho 8632/2014, 6.2). */
const SIGNATURE = /^[A-Za-z0-9+/]{171}=$/;
/** The HashControl of a program without certificate: version 0. */
const UNSIGNED = /^0(?![0-9.])/;

/**
 * Checks the form of a document's hash, and verifies it if there is a public key. `certificate` is the program's number
 * in the header.
 */
export function checkSignature(
  document: SeriesDocument,
  previous: PreviousDocument | undefined,
  { public_key, certificate }: { readonly public_key: string | undefined; readonly certificate: string },
  signatures: SignatureCount,
  errors: Findings,
): void {
  const { element, number, hash, is_integrated } = document;
  const field = elementAt(element, "Hash");
  if (!field) return; // Receipts have none.
  const control = textAt(element, "HashControl") ?? "";
  const fault = faultOfForm(document, control);
  if (fault) errors.at(field, "signature", fault);
  if (fault || hash === "0" || public_key === undefined) return;
  // A copied document keeps its program's signature; one of the same program has `certificate.version` here.
  const isForeign = is_integrated && control.split(".")[0] !== certificate;
  const verdict = isForeign ? "unverifiable" : verdictOn(document, previous, public_key);
  if (verdict === "wrong") errors.at(field, "signature", `The signature of ${number} is not valid.`);
  else signatures[verdict]++;
}

/** What is wrong with the form of a hash, in words. */
function faultOfForm({ number, hash, is_integrated }: SeriesDocument, control: string): string | undefined {
  if (hash !== "0" && !SIGNATURE.test(hash)) {
    return `The hash of ${number} is neither 0 nor a signature of 172 characters.`;
  }
  if (is_integrated || (hash === "0") === UNSIGNED.test(control)) return undefined;
  return `${number} has ${hash === "0" ? "the hash 0" : "a signature"} but the HashControl ${control}.`;
}

function verdictOn(
  { element, number, sequence, date, entry, hash }: SeriesDocument,
  previous: PreviousDocument | undefined,
  public_key: string,
): keyof SignatureCount | "wrong" {
  const gross = decimalOf(textAt(element, "DocumentTotals/GrossTotal"));
  const total_gross_cents = gross && centsOf(gross);
  if (total_gross_cents === undefined) return "wrong";
  const previous_hash = previous === undefined || previous.hash === "0" ? "" : previous.hash;
  const facts = { issue_date: date, system_entry_date: entry, number, total_gross_cents, previous_hash };
  if (verifySignature(signedText(facts), hash, public_key)) return "verified";
  return previous === undefined && sequence > 1n ? "unverifiable" : "wrong";
}
