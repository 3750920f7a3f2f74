/** Printing: an issued document as a PDF. It is frozen, except its state, AT's transport code, and logo and footer. */
import * as z from "zod";
import { findLogo, mustFindCompany } from "../company/companies.ts";
import type { UNSEALED } from "../database/row-states.ts";
import type { Row } from "../database/tables.ts";
import { recordDocumentEvent, wasPrinted } from "../events/events.ts";
import { Amount, PaperLanguage, PathId, wholeNumber } from "../fields.ts";
import { entryTime } from "../fiscal/civil-time.ts";
import { DOCUMENT_TYPES } from "../fiscal/document-types.ts";
import { fromCents, toCents } from "../fiscal/money.ts";
import { cashCents } from "../fiscal/payment-means.ts";
import { actorCodes } from "../people/actors.ts";
import { PAPERS } from "../print/paper.ts";
import type { PrintOptions } from "../print/print.ts";
import type { PrintableAddress, PrintableDocument, PrintableTransport } from "../print/printable.ts";
import { findCustomer } from "../records/customers.ts";
import { problem, refuseInput } from "../runtime/errors.ts";
import { commandThen, query } from "../runtime/operation.ts";
import { common } from "../runtime/refusals.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { mustCarry } from "../signing/producer.ts";
import type { Lang } from "../texts/languages.ts";
import type { Place, Transport } from "./document.ts";
import { asIssued, type IssuedDocument, type IssuedRow } from "./frozen.ts";
import { findParts } from "./parts.ts";
import { t } from "./refusals.ts";
import { findDocuments, mustAllow, mustFindDocument } from "./rows.ts";

/** Original to quadruplicate. */
const MAX_COPIES = 4;

export const DocumentPdf = z
  .strictObject({
    name: z.string().describe("A name for the file: `FT 2026A-17.pdf`."),
    pdf: z
      .custom<Uint8Array>((value) => value instanceof Uint8Array)
      .meta({ signature: "Uint8Array", description: "The PDF's bytes." }),
  })
  .describe("A printed paper: the bytes of the file, and a name for it.");
export type DocumentPdf = z.infer<typeof DocumentPdf>;

const options = {
  paper: z.enum(PAPERS).optional().describe("A4 when left out; `80mm` is the roll of a receipt printer."),
  lang: PaperLanguage.optional().describe(
    "The language of the labels; when left out the customer's, else the company's, else Portuguese.",
  ),
  copies: wholeNumber(1, MAX_COPIES).optional().describe("Sets of pages: original, duplicate, … One when left out."),
  cash_given: Amount.optional().describe(
    "EUR that were handed over at the till, at least what was paid in cash with the document: printed with the change, " +
      "and not kept.",
  ),
};

export const getDocumentPdf = query(
  {
    id: "getDocumentPdf",
    summary: "Get an issued document as PDF",
    needs: "documents:read",
    input: z.strictObject({
      id: PathId,
      ...options,
      copy: z.boolean().optional().describe("Marks a second print, `2.ª via`."),
    }),
    output: DocumentPdf,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id, copy, ...options }) => {
    const document = await mustFindPrintable(scope, id);
    await mustCoverCash(scope, document, options.cash_given);
    // A reader changes nothing, so this is not the law's one original.
    return printed(scope, document, { ...options, copy: copy === true || document.certificate_number > 0 });
  },
  // Frozen facts need no snapshot, and drawing takes longer than reading.
  { isLong: true },
);

export const printOriginal = commandThen(
  {
    id: "printOriginal",
    summary: "Print the original, once; a repeat is marked as a second print",
    needs: "documents:issue",
    input: z.strictObject({ id: PathId, ...options }),
    output: DocumentPdf,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id, copies = 1, cash_given }) => {
    const document = await mustFindPrintable(scope, id);
    await mustCoverCash(scope, document, cash_given);
    // Checked first: a recorded original must really be drawn.
    scope.turns.printing.mustHaveRoom();
    return { copy: !(await takeOriginal(scope, document, copies)) };
  },
  async (scope, { id, ...options }, { copy }) =>
    printed(scope, await mustFindPrintable(scope, id), { ...options, copy }),
);

/**
 * Takes the original of a document, which has one; false where a print, an e-mail or a link has taken it already. A
 * void paper is not an original and does not use it up.
 */
export async function takeOriginal(
  scope: WriteScope,
  document: Pick<IssuedRow, "id" | "number" | (typeof UNSEALED)[number]>,
  copies: number,
): Promise<boolean> {
  if (document.status === "cancelled" || (await wasPrinted(scope, document.id))) return false;
  await recordDocumentEvent(scope, "document.printed", document, { number: document.number, copies });
  return true;
}

/** A document that may be printed, or sent; refuses with `not_found` or `invalid_state`. */
export async function mustFindPrintable(
  scope: ReadScope,
  id: string,
  verb: "print" | "send" = "print",
): Promise<IssuedDocument> {
  const row = await mustFindDocument(scope, id);
  mustAllow(verb, row);
  const issued = asIssued(row);
  mustCarry(issued.certificate_number);
  return issued;
}

/** Refuses cash for a document that was not paid in cash at issue, and an amount below the paid one. */
async function mustCoverCash(scope: ReadScope, issued: IssuedDocument, cash_given: number | undefined): Promise<void> {
  if (cash_given === undefined) return;
  const isPaid = DOCUMENT_TYPES[issued.doc_type].takes_payments_at_issue;
  const cash_cents = isPaid ? cashCents((await findParts(scope, issued)).payments) : 0;
  if (cash_cents === 0) refuseInput([problem("cash_given", t.is_for_cash)]);
  if (toCents(cash_given) < cash_cents)
    refuseInput([problem("cash_given", common.must_be_at_least({ min: fromCents(cash_cents) }))]);
}

/** Draws a document when it is its turn. A waiting print holds only the document's row. */
export async function printed(
  scope: ReadScope,
  issued: IssuedDocument,
  options: PrintOptions,
): Promise<z.input<typeof DocumentPdf>> {
  const pdf = await printFacts(
    scope,
    async () => ({
      document: await printableOf(scope, issued),
      lang: options.lang ?? languageFor(await findCustomer(scope, issued.customer_id), await mustFindCompany(scope)),
    }),
    options,
  );
  return { name: fileName(issued), pdf };
}

/** The name of a document's file: `FT 2026A-17.pdf`. */
export function fileName({ number }: Pick<IssuedRow, "number">): string {
  return `${number.replaceAll("/", "-")}.pdf`;
}

/** Draws the facts of a document when it is its turn. */
export function printFacts(
  { turns }: ReadScope,
  read: () => Promise<{ readonly document: PrintableDocument; readonly lang: Lang }>,
  options: Omit<PrintOptions, "lang">,
): Promise<Uint8Array> {
  return turns.printing.take(async (signal) => {
    const { document, lang } = await read();
    // The fonts and the PDF library are loaded at the first print, not at the start.
    const { printDocument } = await import("../print/print.ts");
    return printDocument(document, { ...options, lang, signal });
  });
}

/** The language of what a customer of a company gets: its own, else the company's. */
export function languageFor(
  customer: Pick<Row<"customers">, "language"> | undefined,
  company: Pick<Row<"companies">, "language">,
): Lang {
  return customer?.language ?? company.language ?? "pt";
}

/** The frozen facts of a document in the form the printer takes. */
export async function printableOf(scope: ReadScope, issued: IssuedDocument): Promise<PrintableDocument> {
  const { lines, references, payments } = await findParts(scope, issued);
  const referenced = await findDocuments(
    scope,
    references.map(({ referenced_id }) => referenced_id),
  );
  const { footer_text } = await mustFindCompany(scope);
  return {
    ...issued,
    issued_by: (await actorCodes(scope)).get(issued.issued_by) ?? "",
    lines,
    references: references.map(({ referenced_id, amount_cents, reason }) => ({
      number: referenced.get(referenced_id)?.number ?? "",
      issue_date: referenced.get(referenced_id)?.issue_date ?? null,
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

/** Times in Lisbon wall time, places with all their members. */
function printableTransport({ start_at, end_at, from, to, vehicle }: Transport): PrintableTransport {
  return {
    start_at: entryTime(new Date(start_at ?? "")),
    end_at: end_at === null ? null : entryTime(end_at),
    from: placeOf(from),
    to: placeOf(to),
    vehicle,
  };
}

function placeOf(place: Place | null): PrintableAddress {
  const { address = null, postal_code = null, city = null, country = null } = place ?? {};
  return { address, postal_code, city, country };
}
