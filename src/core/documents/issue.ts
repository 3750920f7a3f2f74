/** Issuing: a draft becomes a fiscal document, in one transaction. If anything fails, no number was used. */
import * as z from "zod";
import { preparedWrite } from "../database/prepared.ts";
import { sideBySide } from "../database/savepoint.ts";
import { StorageError } from "../database/storage-error.ts";
import type { Row } from "../database/tables.ts";
import { EmailAtIssue } from "../emails/input.ts";
import { mustBeSendable, queueEmail } from "../emails/queue.ts";
import { type Detail, drafterOf, recordIssued } from "../events/events.ts";
import { PathId, text } from "../fields.ts";
import { digestOf, sealOf, signedText, verifySignature } from "../fiscal/chain.ts";
import { civilDate, type Day, type Instant } from "../fiscal/civil-time.ts";
import { isOutOfTime } from "../fiscal/deadlines.ts";
import { DOCUMENT_TYPES, isReceipt, salesSign } from "../fiscal/document-types.ts";
import { sumOfCents } from "../fiscal/money.ts";
import { atcudOf, isInEarlierYear } from "../fiscal/numbering.ts";
import { type ProductType, typeByUnit } from "../fiscal/product-types.ts";
import { qrText } from "../fiscal/qr.ts";
import { lineNet, sharedDiscount, totalsOf } from "../fiscal/totals.ts";
import { readsLikeWithholding } from "../fiscal/withholding.ts";
import { productCodes } from "../records/products.ts";
import {
  type Check,
  type ErrorCode,
  type LacreError,
  type Problem,
  problem,
  refusalsOf,
  refuse,
  refuseInput,
} from "../runtime/errors.ts";
import { command } from "../runtime/operation.ts";
import type { Signer } from "../runtime/ports.ts";
import { common } from "../runtime/refusals.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { mustHaveSaneClock } from "../series/clock-guard.ts";
import { checksOfSeries, moveOn, type NextNumber, nextNumber } from "../series/numbers.ts";
import { type Certification, certificationWithin } from "../signing/certification.ts";
import { mustCarry } from "../signing/producer.ts";
import { findCheck, mustBeAsLeft } from "../verify/finding.ts";
import { checksOfCredit, checksOfReceipt, mustNotOverpay, problemsWithCorrectedLines } from "./caps.ts";
import { isCashVat, mustSplitAsInvoiced, problemsWithCashVat } from "./cash-vat.ts";
import { type DraftContext, readContext } from "./context.ts";
import { problemsWithGlobalDiscount } from "./discounts.ts";
import { Document } from "./document.ts";
import { customerSnapshot, type IssuedRow, issuerOf } from "./frozen.ts";
import { mustBeUsable, mustNameCustomer, mustNameIssuer } from "./parties.ts";
import { type DocumentParts, findParts, replaceParts } from "./parts.ts";
import { recordMoney } from "./payments.ts";
import { getDocument, showIssued } from "./read.ts";
import { frozenReferences, mustBeIssued, problemsWithReferences } from "./references.ts";
import { t } from "./refusals.ts";
import { claimDocument } from "./rows.ts";
import { addSale } from "./sales.ts";
import { frozenForm, SEAL_VERSION } from "./seal.ts";
import { type Money, moneyAtIssue, problemsWithRecording } from "./settlement.ts";
import { problemsWithDemands, problemsWithReasons, problemsWithTax, taxedLines } from "./tax.ts";
import { filledTransport, problemsWithPlaces, problemsWithTimes } from "./transport.ts";

/** The codes issuing can refuse with, in the order of the checks. */
export const ISSUE_FAILS: readonly ErrorCode[] = [
  "invalid_state",
  "payment_exceeds_balance",
  "credit_exceeds_original",
  "receipt_exceeds_documents",
  "series_closed",
  "series_not_registered",
  "date_out_of_order",
];

const Digest = text(100).describe(
  "That of the preview which was approved: refused with `conflict` if the draft differs.",
);

export const issueDocument = command(
  {
    id: "issueDocument",
    summary: "Issue a draft",
    target: getDocument,
    needs: "documents:issue",
    alsoNeeds: (input) => needsToSend((input ?? {}) as Sendable),
    input: z.strictObject({ id: PathId, digest: Digest.optional(), email: EmailAtIssue.optional() }),
    output: Document,
    fails: ["not_found", "conflict", ...ISSUE_FAILS, "rate_limited"],
  },
  async (scope, { id, digest, email }) => {
    const [draft, parts, facts] = await sideBySide([
      claimDocument(scope, id, "issue"),
      findParts(scope, { id }),
      readFacts(scope),
    ]);
    const issuing = await readIssuing(scope, draft, parts, { ...(await readContext(scope, draft, parts)), ...facts });
    const approved = digest === undefined ? undefined : await approvalOf(scope, issuing, digest);
    const save = (issued: Issued) => saveIssued(scope, issued);
    const issue = () => issueDraft(scope, issuing, facts.signer, save, approved);
    return showIssued(scope, await issueAndSend(scope, draft, email, issue), issuing.context.company);
  },
);

interface Sendable {
  readonly email?: unknown;
}

/** What an input needs that has the issued document sent, too. */
export function needsToSend({ email }: Sendable): readonly "documents:send"[] {
  return email === undefined ? [] : ["documents:send"];
}

/** Issues a draft and queues its e-mail, if any; what cannot be sent is refused before a number is taken. */
export async function issueAndSend(
  scope: WriteScope,
  { customer_id }: Row<"documents">,
  email: z.output<typeof EmailAtIssue> | undefined,
  issue: () => Promise<Issued>,
): Promise<Issued> {
  const addressed = email && (await mustBeSendable(scope, customer_id, email, "email."));
  const issued = await issue();
  if (addressed) await queueEmail(scope, issued.row, addressed);
  return issued;
}

/** What the event says of an approved draft. Refuses with `conflict` one that is not as it was shown. */
async function approvalOf(scope: WriteScope, issuing: Issuing, digest: string): Promise<Detail> {
  if (digest !== digestOfContent(issuing)) refuse("conflict", t.is_not_as_shown);
  return { digest, drafted_by: await drafterOf(scope, issuing.document.id) };
}

/** The final row and parts of a document, as `save` stores them. */
export interface Issued {
  readonly row: Row<"documents">;
  readonly parts: DocumentParts;
  /** The columns that issuing filled. */
  readonly frozen: FrozenColumns;
}

/** What issuing reads beside the context of the draft. */
export interface IssueFacts {
  readonly certification: Certification;
  /** The result of the last check of the company. */
  readonly check: Row<"checks"> | undefined;
}

/** Reads what issuing needs for any document. The signer throws if nobody can sign. */
export async function readFacts(scope: WriteScope): Promise<IssueFacts & { readonly signer: () => Signer }> {
  const [certification, signer, check] = await sideBySide([
    certificationWithin(scope),
    scope.signer().then(
      (signer) => () => signer,
      (error) => {
        if (error instanceof StorageError) throw error;
        return () => {
          throw error; // thrown after all problems of the document itself
        };
      },
    ),
    findCheck(scope),
  ]);
  return { certification, signer, check };
}

/** A draft as issuing reads it: the final document, and everything that decides whether it may be issued. */
export interface Issuing extends ReturnType<typeof finalDocument> {
  readonly context: IssueContext;
}

/** Reads what issuing decides by. It refuses nothing yet. */
export async function readIssuing(
  scope: ReadScope,
  draft: Row<"documents">,
  parts: DocumentParts,
  given: DraftContext & IssueFacts,
): Promise<Issuing> {
  const { series, customer } = given;
  if (!series || !customer) throw new Error(`The series or the customer of the draft ${draft.id} is gone.`);
  const codes = await productCodes(scope, given.products);
  const context: IssueContext = { ...given, series, customer, codes, parts };
  return { ...finalDocument(draft, context), context };
}

/**
 * Yields all that issuing would refuse now, in the order in which it gives the first. It only reads; `keep` gets the
 * money to record.
 */
export function refusalsAtIssue(
  scope: ReadScope,
  { document, parts, context }: Issuing,
  keep: (money: readonly Money[]) => void = () => undefined,
): AsyncGenerator<LacreError> {
  const { company, series, customer, referenced, certification, check } = context;
  const { certificate_number } = certification;
  const { issue_date } = document;
  return refusalsOf([
    () => mustHaveNoProblem(scope, document, parts, context),
    ...Array.from(referenced.values(), (one) => () => mustBeIssued(one)),
    () => mustBeUsable(document, customer, context),
    () => mustNotOverpay(parts.payments, document),
    async () => keep(await moneyAtIssue(scope, document, parts, referenced)),
    ...checksOfCaps(scope, document, parts, context),
    () => mustHaveSaneClock(scope, company),
    () => mustCarry(certificate_number),
    () => mustBeAsLeft(check),
    ...checksOfSeries(scope, series, { issue_date, certificate_number, time_zone: company.time_zone }),
    ...(certificate_number > 0
      ? [() => mustNameIssuer(document, company), () => mustNameCustomer(document, customer)]
      : []),
  ]);
}

/** Gives a draft its number, signs it into the chain and seals it. `save` inserts or updates the result. */
export async function issueDraft(
  scope: WriteScope,
  issuing: Issuing,
  signer: () => Signer,
  save: (issued: Issued) => Promise<void>,
  approved?: Detail,
): Promise<Issued> {
  let money: readonly Money[] = [];
  const keep = (found: readonly Money[]) => {
    money = found;
  };
  for await (const refusal of refusalsAtIssue(scope, issuing, keep)) throw refusal;
  const { document, parts, groups, context } = issuing;
  const { company, series } = context;
  const next = nextNumber(scope, series);
  const signed = await sign(scope, signer(), document, next);
  const unsealed = {
    ...contentOf(issuing, next.issued_at),
    ...numberedBy(issuing, next, signed),
    issued_by: scope.actor_id,
  };
  const seal = sealOf(frozenForm({ ...document, ...unsealed }, parts), next.previous_seal, SEAL_VERSION);
  const frozen = { ...unsealed, seal };
  const row: Row<"documents"> = { ...document, ...frozen, status: "issued" };
  const issued: Issued = { row, parts, frozen };
  // From here on the number is taken. If anything below throws, the rollback gives it back.
  await sideBySide([moveOn(scope, series.id, row), save(issued), addSale(scope, row, groups)]);
  await recordIssued(scope, company, row, approved);
  for (const one of money) await recordMoney(scope, one);
  if (isInEarlierYear(series.code, row.issue_date)) warnOfYear(scope, row);
  scope.keepAnswer();
  return issued;
}

/** The law lets a series continue into the next year; its program may have missed that another one was opened. */
function warnOfYear({ log, company_id }: WriteScope, { id, number, issue_date }: Row<"documents">): void {
  const message = `${number} of ${issue_date} is in a series of an earlier year; the series for a day: GET /v1/series?current=true`;
  log({ level: "warn", event: "series_of_earlier_year", company_id, document_id: id, number, message });
}

/** Everything issuing reads and does not change. */
interface IssueContext extends DraftContext, IssueFacts {
  readonly series: Row<"series">;
  readonly customer: Row<"customers">;
  /** The code of each product, by its id. */
  readonly codes: ReadonlyMap<string, string>;
  /** As on the draft; issuing completes them. */
  readonly parts: DocumentParts;
}

/** The final document: lines with their tax and product, references with amounts, and the totals. */
function finalDocument(draft: Row<"documents">, context: IssueContext) {
  const taxed = sharedDiscount(taxedLines(context, context.parts.lines), draft.global_discount_cents);
  const lines = taxed.map((line) => {
    const product = context.products.get(line.product_id ?? "");
    return {
      ...line,
      product_code: context.codes.get(line.product_id ?? "") ?? null,
      product_name: product?.name ?? null,
      product_type: product?.type ?? line.product_type ?? typeWithoutProduct(draft, line),
    };
  });
  const { groups, ...totals } = totalsOf(lines, draft.global_discount_bps);
  const document = { ...draft, ...totals };
  const references = frozenReferences(document, context.parts.references);
  return { document, parts: { lines, references, payments: context.parts.payments }, groups };
}

/** The type of a line without product or type; the lines of a receipt are not products. */
function typeWithoutProduct(draft: Row<"documents">, { unit }: Row<"document_lines">): ProductType | null {
  return isReceipt(draft) ? null : typeByUnit(unit, DOCUMENT_TYPES[draft.doc_type].has_transport);
}

function mustHaveNoProblem(
  scope: ReadScope,
  document: Row<"documents">,
  parts: DocumentParts,
  context: IssueContext,
): void {
  const problems = [...problemsAtIssue(scope, document, context), ...problemsWithCashVat(document, parts, context)];
  if (problems.length > 0) refuseInput(problems);
}

/** The problems that prevent issuing a draft today. A certificate number adds the legal ones. */
function problemsAtIssue({ now }: ReadScope, document: Row<"documents">, context: IssueContext): Problem[] {
  const { company, certification, parts, referenced, corrected } = context;
  const isStrict = certification.certificate_number > 0;
  const today = civilDate(now, company.time_zone);
  const problems = [
    ...problemsWithDate(document, today),
    ...problemsWithPaymentDates(parts.payments, today),
    ...problemsWithReferences(document, parts, referenced),
    ...problemsWithRecording(document, parts, referenced),
    ...problemsWithCorrectedLines(document, parts.lines, corrected, isStrict),
    ...problemsWithReasons(context, parts.lines),
    ...problemsWithLimit(document, context),
    ...problemsWithGlobalDiscount(document, () => taxedLines(context, parts.lines)),
    ...problemsWithTimes(document, now.toISOString(), isStrict),
  ];
  if (!isStrict) return problems;
  const { must_reference } = DOCUMENT_TYPES[document.doc_type];
  if (must_reference && parts.references.length === 0) {
    problems.push(problem("references", t.is_required_on_type({ doc_type: document.doc_type })));
  }
  return [
    ...problems,
    ...problemsWithSeries(document, context),
    ...problemsWithSupply(document, parts.lines),
    ...problemsWithMeans(document, context),
    ...problemsWithPlaces(document, context),
    ...problemsWithTexts(parts.lines),
    ...problemsWithAmounts(document, parts.lines),
    ...problemsWithTax(context, parts.lines),
    ...problemsWithDemands(context, parts.lines),
  ];
}

/** Whether a credit note or a receipt exceeds the documents it names. */
function checksOfCaps(
  scope: ReadScope,
  document: Row<"documents">,
  parts: DocumentParts,
  { referenced, corrected, certification, series }: IssueContext,
): Check[] {
  const isStrict = certification.certificate_number > 0;
  const { doc_type, global_discount_bps } = document;
  const { cap } = DOCUMENT_TYPES[doc_type];
  if (cap === "credit") return [() => checksOfCredit(scope, { global_discount_bps, ...parts }, corrected, isStrict)];
  if (cap !== "receipt") return [];
  const checks = [() => checksOfReceipt(scope, parts.references, referenced)];
  return isCashVat(series) ? [...checks, () => mustSplitAsInvoiced(scope, document, parts, referenced)] : checks;
}

/** Stores the final row and parts over those of the draft. */
async function saveIssued(scope: WriteScope, { row: { id }, parts, frozen }: Issued): Promise<void> {
  const { lines, references } = parts;
  await replaceParts(scope, id, { lines, references });
  const [saved] = await freeze(scope.db, { id, ...frozen });
  if (!saved) throw new Error(`The draft ${id} is gone.`);
}

const freeze = preparedWrite((db, { id, ...frozen }: { readonly id: string } & FrozenColumns) =>
  db
    .updateTable("documents")
    .set({ ...frozen, status: "issued" })
    .where("id", "=", id)
    .where("status", "=", "draft")
    .returning("id"),
);

/** The columns that issuing writes into a draft's row, beside its status. */
type FrozenColumns = ReturnType<typeof contentOf> &
  ReturnType<typeof numberedBy> &
  Pick<Row<"documents">, "issued_by" | "seal">;

/**
 * The frozen columns that need neither number nor time: totals, certificate, customer, issuer and transport, which may
 * start at the moment of issue.
 */
export function contentOf({ document, context }: Issuing, issued_at: Instant | null) {
  const { company, customer, series, certification } = context;
  const { total_net_cents, total_tax_cents, total_gross_cents } = document;
  const transport = filledTransport(document, customer, company, issued_at);
  return {
    total_net_cents,
    total_tax_cents,
    total_gross_cents,
    certificate_number: certification.certificate_number,
    transport: transport && JSON.stringify(transport),
    customer: JSON.stringify(customerSnapshot(customer)),
    issuer: JSON.stringify(issuerOf(company, series, certification)),
  };
}

/** The columns that a digest of content leaves out: ids, number, times, and what is made of them. */
const NUMBERED = [
  ...["id", "company_id", "customer_id", "issued_by", "sequence", "number", "atcud", "created_at", "issued_at"],
  ...["system_entry_date", "hash", "key_version", "qr_code"],
];

/**
 * The digest of all that issuing would freeze, but the ids of the document, its payments and its customer, the number,
 * the times and the signature.
 */
export function digestOfContent(issuing: Issuing): string {
  const { document, parts, context } = issuing;
  const { id: _, code: __, ...customer } = customerSnapshot(context.customer);
  const content = { ...contentOf(issuing, null), customer: JSON.stringify(customer) };
  const payments = parts.payments.map((payment) => ({ ...payment, payment_id: "" }));
  const form = frozenForm({ ...document, ...content }, { ...parts, payments });
  const covered = Object.entries(form).filter(([name]) => !NUMBERED.includes(name));
  return digestOf("content", SEAL_VERSION, [Object.fromEntries(covered)]);
}

/** The frozen columns of number, time and signature. */
function numberedBy(
  { document, groups, context }: Issuing,
  next: NextNumber,
  { hash, key_version }: Pick<IssuedRow, "hash" | "key_version">,
) {
  const { company, customer, certification, series } = context;
  const { certificate_number } = certification;
  const { total_tax_cents, total_gross_cents } = document;
  const { sequence, number, system_entry_date, issued_at } = next;
  const atcud = atcudOf(next.validation_code, sequence);
  const showsHash = certificate_number > 0 && !isReceipt(document);
  return {
    sequence,
    number,
    atcud,
    system_entry_date,
    issued_at,
    hash,
    key_version,
    qr_code: qrText({
      issuer_tax_id: company.tax_id,
      customer_tax_id: customer.tax_id,
      customer_country: customer.country,
      at_type: series.at_type,
      issue_date: document.issue_date,
      number,
      atcud,
      groups,
      total_tax_cents,
      total_gross_cents,
      hash: showsHash ? hash : null,
      certificate_number,
    }),
  };
}

function problemsWithDate({ issue_date }: Row<"documents">, today: Day): Problem[] {
  return issue_date > today ? [problem("issue_date", common.is_after_today({ today }))] : [];
}

/** Money that did not arrive yet was not received. */
function problemsWithPaymentDates(payments: DocumentParts["payments"], today: Day): Problem[] {
  return payments.flatMap(({ payment_date }, i) =>
    payment_date > today ? [problem(`payments[${i}].payment_date`, common.is_after_today({ today }))] : [],
  );
}

/**
 * An FR states the means by which all of it was paid (Portaria 302/2016, 4.1.4.20.6); a receipt cannot acknowledge
 * money paid before the supply or the invoice: an advance has an invoice of its own (CIVA, article 36/1 c).
 */
function problemsWithMeans(document: Row<"documents">, { parts: { payments }, referenced }: IssueContext): Problem[] {
  const { doc_type, total_gross_cents: gross_cents } = document;
  const paid_cents = sumOfCents(payments);
  if (DOCUMENT_TYPES[doc_type].paid_by_nature && paid_cents < gross_cents) {
    return [problem("payments", t.must_come_to_total({ doc_type, paid_cents, gross_cents }))];
  }
  const [date] = [...referenced.values()].map((one) => supplied(one)).toSorted();
  if (!isReceipt(document) || date === undefined) return [];
  return payments.flatMap(({ payment_date }, i) =>
    payment_date < date ? [problem(`payments[${i}].payment_date`, t.is_before_what_it_pays({ date }))] : [],
  );
}

/** When a document was supplied or issued, whichever came first. */
const supplied = ({ supply_date, issue_date }: Row<"documents">): Day =>
  supply_date !== null && supply_date < issue_date ? supply_date : issue_date;

/** Tax can no longer be assessed on such an old supply: the year is mistyped. Corrections may reach back. */
function problemsWithSupply(
  { doc_type, issue_date, supply_date }: Row<"documents">,
  lines: DocumentParts["lines"],
): Problem[] {
  if (DOCUMENT_TYPES[doc_type].corrects) return [];
  const given = [
    { path: "supply_date", date: supply_date },
    ...lines.map((line, i) => ({ path: `lines[${i}].supply_date`, date: line.supply_date })),
  ];
  return given.flatMap(({ path, date }) =>
    date !== null && isOutOfTime(date, issue_date) ? [problem(path, t.is_out_of_time({ issue_date }))] : [],
  );
}

/** A withholding is stated below the total and is no line (Despacho 8632/2014, 2.2.7). */
function problemsWithTexts(lines: DocumentParts["lines"]): Problem[] {
  return lines.flatMap(({ description }, i) =>
    readsLikeWithholding(description) ? [problem(`lines[${i}].description`, t.reads_like_withholding)] : [],
  );
}

/** An invoice of 0.00 must be for something free, not for prices too small to show. */
function problemsWithAmounts(
  { doc_type, global_discount_bps, total_gross_cents }: Row<"documents">,
  lines: DocumentParts["lines"],
): Problem[] {
  const isFree = salesSign(doc_type) === 0 || lines.every((line) => lineNet(line, global_discount_bps) === 0n);
  return total_gross_cents > 0 || isFree ? [] : [problem("lines", t.come_to_nothing)];
}

/**
 * A document is not dated before its series was registered with the tax authority (Decreto-Lei 28/2019, article 35).
 */
function problemsWithSeries({ issue_date }: Row<"documents">, { company, series }: IssueContext): Problem[] {
  const began = series.registered_at && civilDate(series.registered_at, company.time_zone);
  return began && issue_date < began ? [problem("issue_date", t.is_before_series({ code: series.code, began }))] : [];
}

function problemsWithLimit({ doc_type, total_gross_cents }: Row<"documents">, { company }: IssueContext): Problem[] {
  if (!DOCUMENT_TYPES[doc_type].is_simplified || company.simplified_limit === null) return [];
  const max_cents = company.simplified_limit * 100;
  if (total_gross_cents <= max_cents) return [];
  const values = { doc_type, max_cents, gross_cents: total_gross_cents };
  return [problem("lines", t.total_exceeds_type(values))];
}

/** Signs, or refuses with `unavailable`. Each signature is verified first: a wrong one would be frozen for ever. */
async function sign(
  scope: WriteScope,
  signer: Signer,
  { issue_date, total_gross_cents }: Row<"documents">,
  { number, system_entry_date, previous_hash }: NextNumber,
): Promise<Pick<IssuedRow, "hash" | "key_version">> {
  const facts = { issue_date, system_entry_date, number, total_gross_cents, previous_hash: previous_hash ?? "" };
  const text = signedText(facts);
  try {
    const hash = await signer.sign(text);
    if (!verifySignature(text, hash, signer.public_key)) throw new TypeError("The signer returned no valid signature.");
    return { hash, key_version: signer.key_version };
  } catch (error) {
    scope.log({ level: "error", event: "signing_failed", message: String(error) });
    return refuse("unavailable", t.signing_failed);
  }
}
