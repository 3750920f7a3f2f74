/** A tax file read independently of Lacre: by fast-xml-parser and xmllint, with totals summed again. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { XMLParser } from "fast-xml-parser";
import type { CompanyFace } from "lacre";
import type { SaftExportReport } from "../../src/core/saft/export/report.ts";

/** An element: its text, or its elements by name. Lists are lists even when they have one member. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of a file is what the tests are about.
export type Element = any;

/** A parsed file. */
export interface ReadFile {
  readonly bytes: Buffer;
  readonly text: string;
  readonly header: Element;
  readonly customers: Element[];
  readonly products: Element[];
  readonly taxes: Element[];
  /** The documents of all tables by their numbers. */
  readonly documents: ReadonlyMap<string, Element>;
  readonly tables: Element;
}

/** An exported file, with its report. */
interface ExportedFile extends ReadFile {
  readonly report: SaftExportReport;
}

type Face = Pick<CompanyFace, "saft">;
type Input = Parameters<CompanyFace["saft"]["export"]>[0];

/** Exports and reads a file, which must be valid and have the right totals. */
export async function anExport({ company }: { readonly company: Face }, input: Input = {}): Promise<ExportedFile> {
  const { report, file } = await company.saft.export(input);
  const bytes = await bytesOf(file);
  mustBeValid(bytes);
  const read = { report, ...readBack(bytes) };
  mustAddUp(read);
  return read;
}

/** The warnings of a report, but for the two that every installation without certificate and codes gets. */
export function warningsOf({ warnings }: SaftExportReport): SaftExportReport["warnings"] {
  return warnings.filter(({ code }) => code !== "not_certified" && code !== "without_atcud");
}

/** All bytes of a file. */
export async function bytesOf(file: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of file) pieces.push(piece);
  return Buffer.concat(pieces);
}

const LISTS = new Set([
  ...["Customer", "Product", "TaxTableEntry", "Invoice", "StockMovement", "WorkDocument", "Line", "OrderReferences"],
  ...["References", "SourceDocumentID", "PaymentMethod"],
]);

/** The tables of documents, with the names of a document's element and of its number's. */
export const NUMBERS: Readonly<Record<string, readonly [table: string, number: string]>> = {
  SalesInvoices: ["Invoice", "InvoiceNo"],
  MovementOfGoods: ["StockMovement", "DocumentNumber"],
  WorkingDocuments: ["WorkDocument", "DocumentNumber"],
  Payments: ["Payment", "PaymentRefNo"],
};

/** Reads a file with a parser that is not Lacre's. */
export function readBack(bytes: Buffer): ReadFile {
  // As a piece of more: what is whole, Node 22 reads as Latin-1.
  const text = new TextDecoder("windows-1252", { fatal: true }).decode(bytes, { stream: true });
  const parser = new XMLParser({
    ignoreAttributes: true,
    parseTagValue: false,
    trimValues: false,
    isArray: (name, path) =>
      LISTS.has(name) || String(path).endsWith("Payments.Payment") || String(path).endsWith("Totals.Payment"),
  });
  const { AuditFile } = parser.parse(text.replaceAll("\n", ""));
  const tables = AuditFile.SourceDocuments || {};
  const documents = new Map<string, Element>();
  for (const [table, [document, number]] of Object.entries(NUMBERS)) {
    for (const element of tables[table]?.[document] ?? []) documents.set(element[number], element);
  }
  const { Customer = [], Product = [], TaxTable } = AuditFile.MasterFiles || {};
  return {
    bytes,
    text,
    header: AuditFile.Header,
    customers: Customer,
    products: Product,
    taxes: TaxTable?.TaxTableEntry ?? [],
    documents,
    tables,
  };
}

const SCHEMA = gunzipSync(readFileSync(new URL("../core/saft/samples/SAFTPT1.04_01.xsd10.xsd.gz", import.meta.url)));

/** Throws xmllint's errors unless the file is valid by the derived schema, keys and references included. */
export function mustBeValid(bytes: Buffer): void {
  const directory = mkdtempSync(join(tmpdir(), "lacre-saft-"));
  const [schema, file] = [join(directory, "schema.xsd"), join(directory, "saft.xml")];
  try {
    writeFileSync(schema, SCHEMA);
    writeFileSync(file, bytes);
    execFileSync("xmllint", ["--noout", "--schema", schema, file], { stdio: "pipe" });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** A decimal in units of 10^-14, exact. */
export function exact(decimal: string): bigint {
  const [whole = "", fraction = ""] = decimal.split(".");
  if (!/^[0-9]{1,20}$/.test(whole) || fraction.length > 14) throw new Error(`${decimal} is no amount.`);
  return BigInt(whole + fraction.padEnd(14, "0"));
}

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
const sideOf = (lines: readonly Element[], side: string): bigint =>
  sum(lines.flatMap((line) => (line[side] === undefined ? [] : [exact(line[side])])));
/** Half a cent, and one millionth for each line, in units of 10^-14. */
const HALF_CENT = 5n * 10n ** 11n;
const MICRO = 10n ** 8n;

function must(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(what);
}

/**
 * Throws unless control totals, document totals and lines agree, and the schema's assertions hold: a reason on each
 * line at 0 % and on no other, tax on every line of a cash-VAT receipt.
 */
export function mustAddUp({ tables, report }: Pick<ReadFile, "tables"> & { readonly report?: SaftExportReport }): void {
  for (const [table, [document]] of Object.entries(NUMBERS)) {
    const section = tables[table];
    const documents: Element[] = section?.[document] ?? [];
    const lines = documents.flatMap(({ Line }) => Line);
    const live = documents.filter((element) => statusOf(element) !== "A").flatMap(({ Line }) => Line);
    if (report) mustBeReported(report, table, documents.length, lines, live);
    if (!section) continue;
    if (table === "MovementOfGoods") {
      must(section.NumberOfMovementLines === String(lines.length), "NumberOfMovementLines");
      const quantity = sum(live.map(({ Quantity }) => exact(Quantity)));
      must(exact(section.TotalQuantityIssued) === quantity, "TotalQuantityIssued");
    } else {
      must(section.NumberOfEntries === String(documents.length), `${table}: NumberOfEntries`);
      must(exact(section.TotalDebit) === sideOf(live, "DebitAmount"), `${table}: TotalDebit`);
      must(exact(section.TotalCredit) === sideOf(live, "CreditAmount"), `${table}: TotalCredit`);
    }
    for (const element of documents) mustAgree(element);
  }
}

function mustBeReported(
  report: SaftExportReport,
  table: string,
  documents: number,
  lines: readonly Element[],
  live: readonly Element[],
): void {
  const of = {
    SalesInvoices: report.sales_invoices,
    MovementOfGoods: report.movement_of_goods,
    WorkingDocuments: report.working_documents,
    Payments: report.payments,
  }[table];
  must(of?.documents === documents, `${table}: the report counts ${of?.documents} documents`);
  must(of?.lines === lines.length, `${table}: lines`);
  must(exact(of?.total_debit ?? "") === sideOf(live, "DebitAmount"), `${table}: total_debit of the report`);
  must(exact(of?.total_credit ?? "") === sideOf(live, "CreditAmount"), `${table}: total_credit of the report`);
}

/** The letter of a document's status, in any table. */
export function statusOf({ DocumentStatus: status }: Element): string {
  return status.InvoiceStatus ?? status.MovementStatus ?? status.WorkStatus ?? status.PaymentStatus;
}

function mustAgree(document: Element): void {
  const { Line: lines, DocumentTotals: totals } = document;
  const where = document.InvoiceNo ?? document.DocumentNumber ?? document.PaymentRefNo;
  const [net, tax, gross] = [exact(totals.NetTotal), exact(totals.TaxPayable), exact(totals.GrossTotal)];
  must(net + tax === gross, `${where}: gross`);
  const groups = new Set(lines.map(({ Tax }: Element) => JSON.stringify(Tax ?? null))).size;
  const tolerance = HALF_CENT * BigInt(groups) + MICRO * BigInt(lines.length);
  const near = (a: bigint, b: bigint) => (a > b ? a - b : b - a) <= tolerance;
  const difference = sideOf(lines, "CreditAmount") - sideOf(lines, "DebitAmount");
  must(near(difference < 0n ? -difference : difference, net), `${where}: net`);
  const taxes = lines.map((line: Element) => {
    const rate = exact(line.Tax?.TaxPercentage ?? "0") / 10n ** 12n;
    return (exact(line.CreditAmount ?? line.DebitAmount) * rate) / 10_000n;
  });
  must(near(sum(taxes), tax), `${where}: tax`);
  for (const line of lines) {
    if (line.UnitPrice !== undefined) {
      const product = exact(line.UnitPrice) * exact(line.Quantity);
      const amount = exact(line.CreditAmount ?? line.DebitAmount) * 10n ** 14n;
      const difference = product > amount ? product - amount : amount - product;
      must(2n * difference <= MICRO * 10n ** 14n, `${where}: quantity by price is not the amount`);
    }
    const isExempt = line.Tax !== undefined && exact(line.Tax.TaxPercentage) === 0n;
    must((line.TaxExemptionReason !== undefined) === isExempt, `${where}: a reason exactly at 0 %`);
    must((line.TaxExemptionCode !== undefined) === isExempt, `${where}: a code exactly at 0 %`);
    must(document.PaymentType !== "RC" || line.Tax !== undefined, `${where}: a cash-VAT receipt bears tax`);
  }
}
