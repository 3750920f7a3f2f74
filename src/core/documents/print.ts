/** Printing: an issued document as a PDF. It is frozen but for its state, AT's transport code, and logo and footer. */
import { z } from "zod";
import { findLogo, mustFindCompany } from "../companies.ts";
import { PathId, wholeNumber } from "../fields.ts";
import { entryTime } from "../fiscal/civil-time.ts";
import { LANGS } from "../print/format.ts";
import type { PrintableDocument, PrintableTransport } from "../print/printable.ts";
import { query } from "../runtime/operation.ts";
import type { ReadScope } from "../runtime/scope.ts";
import type { Place, Transport } from "./document.ts";
import { asIssued, type IssuedDocument } from "./frozen.ts";
import { findParts } from "./parts.ts";
import { findDocuments, mustAllow, mustFindDocument } from "./rows.ts";

/** Original to quadruplicate. */
const MAX_COPIES = 4;

export const DocumentPdf = z.strictObject({
  name: z.string().describe("A name for the file: `FT 2026A-17.pdf`."),
  pdf: z.custom<Uint8Array>((value) => value instanceof Uint8Array).describe("The PDF's bytes."),
});

export const getDocumentPdf = query(
  {
    id: "getDocumentPdf",
    summary: "Get an issued document as PDF",
    needs: "documents:read",
    input: z.strictObject({
      id: PathId,
      lang: z.enum(LANGS).optional().describe("The language of the labels; Portuguese when left out."),
      copies: wholeNumber(1, MAX_COPIES)
        .optional()
        .describe("Sets of pages: original, duplicate, … One when left out."),
      copy: z.boolean().optional().describe("Marks a second print, `2.ª via`."),
    }),
    output: DocumentPdf,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id, ...options }) => {
    const row = await mustFindDocument(scope, id);
    mustAllow("print", row);
    const document = await printableOf(scope, asIssued(row));
    // The fonts and the PDF library are loaded at the first print, not at the start.
    const { printDocument } = await import("../print/print.ts");
    return { name: `${document.number.replaceAll("/", "-")}.pdf`, pdf: await printDocument(document, options) };
  },
  // Frozen facts need no snapshot, and drawing takes longer than reading.
  { isLong: true },
);

/** The frozen facts of a document in the form the printer takes. */
async function printableOf(scope: ReadScope, issued: IssuedDocument): Promise<PrintableDocument> {
  const { lines, references, payments } = await findParts(scope, issued);
  const referenced = await findDocuments(
    scope,
    references.map(({ referenced_id }) => referenced_id),
  );
  const { footer_text } = await mustFindCompany(scope);
  return {
    ...issued,
    lines,
    references: references.map(({ referenced_id, amount_cents, reason }) => ({
      number: referenced.get(referenced_id)?.number ?? "",
      issue_date: referenced.get(referenced_id)?.issue_date ?? "",
      amount_cents,
      reason,
    })),
    payments,
    transport: issued.transport && printableTransport(issued.transport),
    training: issued.training === 1,
    producer: issued.issuer.producer ?? issued.issuer,
    logo: await findLogo(scope),
    footer_text,
  };
}

/** Times in Lisbon wall time, places as the lines of an address. */
function printableTransport({ start_at, end_at, from, to, vehicle }: Transport): PrintableTransport {
  return {
    start_at: entryTime(new Date(start_at ?? "")),
    end_at: end_at === null ? null : entryTime(new Date(end_at)),
    from: placeText(from),
    to: placeText(to),
    vehicle,
  };
}

function placeText(place: Place | null): string {
  const { address, postal_code, city, country } = place ?? {};
  const town = [postal_code, city].filter(Boolean).join(" ");
  return [address, town, country].filter(Boolean).join("\n");
}
