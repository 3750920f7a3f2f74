/** Preview: what issuing would make of a document, and refuse. It reads as issuing does, and only reads. */
import * as z from "zod";
import type { Row } from "../database/tables.ts";
import { Id, Instant, Money, PathId, TaxRate } from "../fields.ts";
import { fromBps, fromCents } from "../fiscal/money.ts";
import type { TaxGroup } from "../fiscal/totals.ts";
import { noticeOf, plannedCustomer } from "../records/customer-within.ts";
import { type LacreError, refusalsOf, toldRefusal } from "../runtime/errors.ts";
import { Notice, noticing } from "../runtime/notices.ts";
import { query } from "../runtime/operation.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { mustBeUnlocked, nextNumber } from "../series/numbers.ts";
import { certificationOf } from "../signing/certification.ts";
import { mustHaveSigner } from "../signing/signing-keys.ts";
import { findCheck } from "../verify/finding.ts";
import { type DraftContext, readContext } from "./context.ts";
import { CustomerSnapshot, Document, NewDocument } from "./document.ts";
import { mustNotSendDraft, neededWithin, newDraft, prepare } from "./draft.ts";
import { customerSnapshot } from "./frozen.ts";
import { contentOf, digestOfContent, type Issuing, readIssuing, refusalsAtIssue } from "./issue.ts";
import { type DocumentParts, findParts, partsOn } from "./parts.ts";
import { getDocument, showIssued } from "./read.ts";
import { resolve } from "./resolve.ts";
import { mustAllow, mustFindDocument } from "./rows.ts";

const PreviewedDocument = z
  .strictObject({
    ...Document.shape,
    id: Id.nullable().describe("Null for a document that is not stored."),
    customer_id: Id.nullable().describe("Null for a customer that is yet to be made."),
    customer: z
      .strictObject(CustomerSnapshot.shape)
      .partial({ id: true, code: true })
      .describe("The customer as it would be frozen; one that is yet to be made has neither id nor code."),
    created_at: Instant.nullable().describe("Null for a document that is not stored."),
  })
  .meta({
    id: "PreviewedDocument",
    description: "A document as issuing would answer it, without what issuing adds: number, hash, times and QR code.",
  });

export const DocumentPreview = z
  .strictObject({
    document: PreviewedDocument,
    tax: z
      .array(
        z.strictObject({
          region: z.string().describe("PT, PT-AC or PT-MA; empty where no tax applies."),
          code: z
            .string()
            .describe("The tax code of SAF-T (PT): NOR, INT, RED, ISE, OUT, NS; empty where none applies."),
          rate: TaxRate,
          net: Money,
          tax: Money,
        }),
      )
      .describe("The totals at each rate."),
    refusals: z
      .array(z.strictObject({ code: z.string(), message: z.string() }))
      .describe("All that issuing would refuse now; the first is the one it would give."),
    notices: z.array(Notice),
    number: z.string().meta({
      description: "The next number of the series at this moment; it is promised to nobody.",
      example: "FT 2026A/17",
    }),
    digest: z.string().describe("Stands for all that issuing would freeze, but ids, number, times and signature."),
  })
  .meta({ id: "DocumentPreview", description: "What issuing would make of a document, and what it would refuse." });
export type DocumentPreview = z.infer<typeof DocumentPreview>;

export const previewNewDocument = query(
  {
    id: "previewNewDocument",
    summary: "Preview a document before it is stored",
    needs: "documents:write",
    alsoNeeds: neededWithin,
    input: NewDocument,
    output: DocumentPreview,
    fails: ["invalid_state"],
  },
  async (scope, { issue, email, ...given }) => {
    mustNotSendDraft({ issue, email });
    const { input, customer: plan } = await resolve(scope, given);
    const planned = plan && plannedCustomer(scope, plan);
    const customer_id = planned?.id ?? String(input.customer_id);
    const { columns, parts: unstored, context } = await prepare(scope, { ...input, customer_id }, planned);
    const parts = partsOn(NOT_STORED, unstored, () => NOT_STORED);
    const shown = await preview(scope, newDraft(scope, NOT_STORED, columns), parts, context);
    const notices = plan ? [noticeOf(plan, plan.before?.id)] : [];
    return noticing(scope, { ...shown, document: { ...shown.document, id: null, created_at: null } }, notices);
  },
);

export const previewDocument = query(
  {
    id: "previewDocument",
    summary: "Preview a draft",
    needs: getDocument.needs,
    input: z.strictObject({ id: PathId }),
    output: DocumentPreview,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id }) => {
    const draft = await mustFindDocument(scope, id);
    mustAllow("issue", draft);
    const parts = await findParts(scope, draft);
    return preview(scope, draft, parts, await readContext(scope, draft, parts));
  },
);

/** The id of what is not stored. No row has it. */
const NOT_STORED = "";

async function preview(
  scope: ReadScope,
  draft: Row<"documents">,
  parts: DocumentParts,
  context: DraftContext,
): Promise<DocumentPreview> {
  const facts = { certification: await certificationOf(scope), check: await findCheck(scope) };
  const issuing = await readIssuing(scope, draft, parts, { ...context, ...facts });
  return {
    document: shownAsIssued(scope, issuing),
    tax: issuing.groups.map(toTax),
    refusals: (await allRefusals(scope, issuing)).map((refusal) => toldRefusal(refusal, scope.lang)),
    notices: [],
    number: nextNumber(scope, issuing.context.series).number,
    digest: digestOfContent(issuing),
  };
}

/** All refusals of issuing: of its reading, then of the signer and of taking the number. */
async function allRefusals(scope: ReadScope, issuing: Issuing): Promise<LacreError[]> {
  const { restore_locked_at } = issuing.context.series;
  const later = [() => mustHaveSigner(scope), ...(restore_locked_at === null ? [() => mustBeUnlocked(scope)] : [])];
  const all: LacreError[] = [];
  for await (const refusal of refusalsAtIssue(scope, issuing)) all.push(refusal);
  for await (const refusal of refusalsOf(later)) all.push(refusal);
  return all;
}

function shownAsIssued(scope: ReadScope, issuing: Issuing): DocumentPreview["document"] {
  const { document, parts, context } = issuing;
  const row = { ...document, ...contentOf(issuing, null), status: "issued" } as const;
  const shown = { ...showIssued(scope, { row, parts }, context.company), status: "draft" } as const;
  const customer = customerSnapshot(context.customer);
  if (customer.id !== "") return { ...shown, customer };
  const { id: _, code: __, ...unstored } = customer;
  return { ...shown, customer_id: null, customer: unstored };
}

function toTax({ tax_region, tax_code, tax_rate_bps, net_cents, tax_cents }: TaxGroup): DocumentPreview["tax"][number] {
  return {
    region: tax_region,
    code: tax_code,
    rate: fromBps(tax_rate_bps),
    net: fromCents(net_cents),
    tax: fromCents(tax_cents),
  };
}
