/** Checks any program's SAF-T (PT) file: everything that the file alone can prove, in one pass and constant memory. */
import { verifySignature } from "../../fiscal/chain.ts";
import { problem, refuseInput } from "../../runtime/errors.ts";
import { readSaft, type SaftVisitor, textAt } from "../read.ts";
import { t } from "../refusals.ts";
import { TABLES, tableOf } from "../vocabulary.ts";
import { type OpenBytes, XmlError } from "../xml.ts";
import { assertsCheck } from "./asserts.ts";
import { type Findings, findings, type SaftFinding } from "./findings.ts";
import { keysCheck } from "./keys.ts";
import { seriesCheck } from "./series.ts";
import { checkSignature, type SignatureCount } from "./signatures.ts";
import { structureCheck } from "./structure.ts";
import { totalsCheck } from "./totals.ts";

/** The result of a check. */
export interface SaftCheckReport {
  /** Whether there are no errors; warnings do not matter. */
  readonly accepted: boolean;
  readonly customers: number;
  readonly products: number;
  /** Documents of all four tables, cancelled ones included. */
  readonly documents: number;
  /** Signatures that are valid under the public key; 0 when none was given. */
  readonly signatures_verified: number;
  /** Signatures that cannot be verified: the document before is not in the file, or another program signed. */
  readonly signatures_unverifiable: number;
  /** The first hundred errors in the order of the file, and the one that made the rest of the file unreadable. */
  readonly errors: readonly SaftFinding[];
  readonly error_count: number;
  /** The first hundred warnings: control totals of sections, prices that do not give their line, means of payment. */
  readonly warnings: readonly SaftFinding[];
  readonly warning_count: number;
}

/**
 * Checks a SAF-T (PT) 1.04_01 file against its schema and the rules on numbers, dates, signatures and sums. `open`
 * gives the bytes of the file. `public_key` is the PEM of the program's producer; without it, only the form of
 * signatures is checked. For a file that is not XML, or not SAF-T, the report has one error. Refuses with
 * `invalid_request` when the PEM holds no public key.
 */
export async function checkSaft(
  open: OpenBytes,
  { public_key }: { readonly public_key?: string | undefined } = {},
): Promise<SaftCheckReport> {
  if (public_key !== undefined) mustBePublicKey(public_key);
  const errors = findings();
  const warnings = findings();
  const signatures: SignatureCount = { verified: 0, unverifiable: 0 };
  const counts = { customers: 0, products: 0, documents: 0 };
  const visitors = [
    structureCheck(errors),
    keysCheck(errors),
    assertsCheck(errors),
    documentsCheck(errors, counts, signatures, public_key),
    totalsCheck(errors, warnings),
  ];

  try {
    await readSaft(open, {
      open(element) {
        for (const visitor of visitors) visitor.open?.(element);
      },
      close(element) {
        for (const visitor of visitors) visitor.close(element);
      },
    });
  } catch (error) {
    addXmlError(errors, error);
  }
  return {
    accepted: errors.count === 0,
    ...counts,
    signatures_verified: signatures.verified,
    signatures_unverifiable: signatures.unverifiable,
    errors: byLine(errors.kept),
    error_count: errors.count,
    warnings: byLine(warnings.kept),
    warning_count: warnings.count,
  };
}

function mustBePublicKey(pem: string): void {
  try {
    verifySignature("", "", pem);
  } catch {
    refuseInput([problem("public_key", t.must_be_public_key)]);
  }
}

/** Counts the records, and checks each document in its series. */
function documentsCheck(
  errors: Findings,
  counts: { customers: number; products: number; documents: number },
  signatures: SignatureCount,
  public_key: string | undefined,
): SaftVisitor {
  let certificate = "";
  const series = seriesCheck(errors, (document, previous) =>
    checkSignature(document, previous, { public_key, certificate }, signatures, errors),
  );
  return {
    close(element) {
      const { name, parent } = element;
      const table = tableOf(parent?.name);
      if (name === "Header") certificate = textAt(element, "SoftwareCertificateNumber") ?? "";
      else if (name === "Customer") counts.customers++;
      else if (name === "Product") counts.products++;
      else if (table?.document === name) {
        counts.documents++;
        series.document(element, table);
      } else if (name === "Line" && parent?.name === TABLES.Payments.document) series.receiptLine(element);
    },
  };
}

function addXmlError(errors: Findings, error: unknown): void {
  if (!(error instanceof XmlError)) throw error;
  errors.add({ rule: "xml", line: error.line, path: "", document: null, reason: error.message });
}

/** Rules check an element when it opens or when it closes; people read from the top. */
function byLine(kept: readonly SaftFinding[]): SaftFinding[] {
  return kept.toSorted((a, b) => a.line - b.line);
}
