/**
 * Databases to measure on: a company with so many customers and as many documents. The first documents are issued
 * through the library. The rest are copies of these with numbers, dates, customers, signatures and seals of their own,
 * made by the functions that issuing uses and stored as issuing at once stores them, every guard on: `lacre verify`
 * finds the whole file in order. Only the commits are large, and that is what makes it quick.
 */
import { createHash, createPrivateKey, type KeyObject, sign } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { openLacre, PERMISSIONS } from "lacre";
import { sqlite } from "lacre/sqlite";
import { documentState, rowState } from "../../src/core/database/row-states.ts";
import type { Row } from "../../src/core/database/tables.ts";
import { customerSnapshot } from "../../src/core/documents/frozen.ts";
import { frozenForm, SEAL_VERSION } from "../../src/core/documents/seal.ts";
import { sealOfEvent } from "../../src/core/events/events.ts";
import { sealOf, signedText } from "../../src/core/fiscal/chain.ts";
import { civilDate, type EntryTime, entryTime, type Instant } from "../../src/core/fiscal/civil-time.ts";
import { atcudOf, numberOf } from "../../src/core/fiscal/numbering.ts";
import { totalsOf } from "../../src/core/fiscal/totals.ts";
import { uuidv7Source } from "../../src/core/runtime/ports.ts";
import { foldAll, indexedPieces } from "../../src/core/runtime/search.ts";

/** A seeded database and what a client needs to know of it. */
export interface Seeded {
  readonly file: string;
  readonly api_key: string;
  readonly series_id: string;
  readonly documents: number;
  /** Some of the customers, spread over all. */
  readonly customer_ids: readonly string[];
  /** Some of the issued documents, spread over all. */
  readonly document_ids: readonly string[];
  readonly bytes_per_document: number;
  readonly bytes_per_customer: number;
}

const SCHEMA = new URL("../../schema.sql", import.meta.url);

/** What the names of few customers hold. */
export const RARE = "Quetzal";
const RARE_CUSTOMERS = 7;

const PATTERNS = 50;
const SAMPLE = 1_000;
const PER_COMMIT = 1_000;

const FIRST_NAMES = ["Ana", "Bento", "Célia", "Duarte", "Eva", "Filipe", "Graça", "Hugo", "Inês", "João"];
const LAST_NAMES = ["Almeida", "Baptista", "Conceição", "Dias", "Esteves", "Ferreira", "Gonçalves", "Henriques"];
const CITIES = ["Lisboa", "Porto", "Braga", "Évora", "Faro"];
const GOODS = [
  { description: "Pão de Mafra", unit_price_net: 1.15, tax_rate: 6 },
  { description: "Café em grão, 1 kg", unit_price_net: 13.9, tax_rate: 23 },
  { description: "Refeição do dia", unit_price_net: 8.5, tax_rate: 13 },
  { description: "Bolo de noz", unit_price_net: 2.35, tax_rate: 23 },
  { description: "Leite meio-gordo, 6 l", unit_price_net: 5.28, tax_rate: 6 },
];

/** The lines of the nth invoice: three goods in changing quantities. */
export function linesOf(n: number) {
  return [0, 1, 2].map((i) => ({
    ...(GOODS[(n + i) % GOODS.length] as (typeof GOODS)[number]),
    qty: ((n + i) % 9) + 1,
  }));
}

/**
 * The database of so many customers and documents in this directory; one of this schema that is there already is taken
 * as it is.
 */
export async function seeded(directory: string, size: number): Promise<Seeded> {
  const schema = createHash("sha256").update(readFileSync(SCHEMA)).digest("hex").slice(0, 8);
  const file = `${directory}/lacre-${schema}-${size}.db`;
  const facts = `${file}.json`;
  if (existsSync(facts)) return JSON.parse(readFileSync(facts, "utf8"));
  const work = `${file}.new.db`;
  for (const ending of ["", "-wal", "-shm"]) rmSync(work + ending, { force: true });
  const made = await seed(work, size);
  renameSync(work, file);
  writeFileSync(facts, JSON.stringify({ ...made, file }));
  return { ...made, file };
}

async function seed(file: string, size: number): Promise<Seeded> {
  const now = Date.now();
  const began = Date.parse(`${new Date(now).getUTCFullYear()}-01-01T09:00:00Z`);
  const clock = clockBetween(began, now - 60_000, size);
  const { api_key, company_id, series_id } = await firstDocuments(file, Math.min(size, PATTERNS), clock);
  const db = new Database(file);
  db.pragma("synchronous = off");
  db.pragma("foreign_keys = on");
  db.pragma("recursive_triggers = on");
  db.pragma("cache_size = -200000");
  const before = bytesOf(db);
  const record = recorder(db, company_id);
  const customers = copyCustomers(db, company_id, size, clock.first, record);
  const between = bytesOf(db);
  copyDocuments(db, { series_id, customers, size, clock, record });
  const after = bytesOf(db);
  const made = {
    file,
    api_key,
    series_id,
    documents: size,
    customer_ids: spread(customers, SAMPLE).map(({ id }) => id),
    document_ids: sampleOf(db, series_id, size),
    bytes_per_document: (after - between) / Math.max(1, size - PATTERNS),
    bytes_per_customer: (between - before) / Math.max(1, size - PATTERNS),
  };
  db.pragma("wal_checkpoint(truncate)");
  db.pragma("synchronous = full");
  db.close();
  return made;
}

/** Instants from first to last, one for each document, in order. */
interface SeedClock {
  readonly first: Date;
  at(n: number): Date;
}

function clockBetween(first: number, last: number, size: number): SeedClock {
  const step = Math.max(1, Math.floor((last - first) / size));
  return { first: new Date(first), at: (n) => new Date(first + n * step) };
}

/** An installation, its first customers, and one issued invoice for each. */
async function firstDocuments(file: string, count: number, clock: SeedClock) {
  let now = clock.first;
  const lacre = await openLacre({ dialect: sqlite(file), now: () => now });
  const { id: company_id } = await lacre.companies.create({
    name: "Padaria Central, Lda.",
    tax_id: "500000000",
    address: "Rua da Prata 1",
    postal_code: "1100-001",
    city: "Lisboa",
  });
  const { api_key } = await lacre.keys.create({ company_id, name: "bench", scopes: [...PERMISSIONS] });
  const company = lacre.as(company_id);
  const { data } = await company.series.list();
  const series_id = data.find(({ doc_type }) => doc_type === "FT")?.id as string;
  await company.series.change({ id: series_id, validation_code: "CSDF7T5H" });
  for (let n = 0; n < count; n++) {
    const customer = await company.customers.create(customerOf(n));
    now = clock.at(n);
    await company.documents.create({
      doc_type: "FT",
      series_id,
      issue_date: civilDate(now, "Europe/Lisbon"),
      customer_id: customer.id,
      lines: linesOf(n),
      issue: true,
    });
  }
  await lacre.close();
  return { api_key, company_id, series_id };
}

/** The nth customer. */
function customerOf(n: number, isRare = false) {
  const name = `${FIRST_NAMES[n % FIRST_NAMES.length]} ${LAST_NAMES[n % LAST_NAMES.length]} ${n}`;
  return {
    name: isRare ? `${name} ${RARE}` : name,
    email: `cliente${n}@example.pt`,
    phone: `9${String(n).padStart(8, "0")}`,
    address: `Rua ${n % 100}, ${n}`,
    postal_code: `${1000 + (n % 9000)}-001`,
    city: CITIES[n % CITIES.length] as string,
    country: "PT",
  };
}

function copyCustomers(
  db: Database.Database,
  company_id: string,
  size: number,
  at: Date,
  record: Recorder,
): Row<"customers">[] {
  const customers = db.prepare("select * from customers order by id").all() as Row<"customers">[];
  const { position: _, ...pattern } = customers[0] as Row<"customers">;
  const list = db.prepare("select number from lists where name = 'customers'").get() as { number: number };
  const index = db.prepare("insert into customer_search (rowid, pieces) values (?, ?)");
  const insert = inserter(db, "customers", pattern);
  const newId = uuidv7Source();
  const gap = Math.floor(size / RARE_CUSTOMERS);
  inTransactions(db, customers.length, size, (n) => {
    const fields = customerOf(n, n % gap === gap - 1);
    const search = foldAll([fields.name, null, fields.email, fields.phone]);
    const row = { ...pattern, ...fields, search, id: newId(at), code: `C${n + 1}`, created_at: at.toISOString() };
    const position = Number(insert(row));
    index.run(position, indexedPieces(search, list).join("\n"));
    const customer = { ...row, position };
    record("customer.created", customer, rowState("customers", customer));
    customers.push(customer);
  });
  db.prepare("update companies set customer_count = ? where id = ?").run(customers.length, company_id);
  return customers;
}

/** An issued document as it lies in its tables. */
interface Pattern {
  readonly document: Row<"documents">;
  readonly lines: readonly Row<"document_lines">[];
}

interface Copying {
  readonly series_id: string;
  readonly customers: readonly Row<"customers">[];
  readonly size: number;
  readonly clock: SeedClock;
  readonly record: Recorder;
}

function copyDocuments(db: Database.Database, { series_id, customers, size, clock, record }: Copying): void {
  const patterns = patternsOf(db, series_id);
  const { key, series } = signingOf(db, series_id);
  const [first] = patterns as [Pattern];
  const insertDocument = inserter(db, "documents", first.document);
  const insertLine = inserter(db, "document_lines", first.lines[0] as Row<"document_lines">);
  const head = db.prepare(`update series set next_number = next_number + 1, last_issue_date = @issue_date,
    last_entry_date = @system_entry_date, last_issued_at = @issued_at, last_hash = @hash, last_seal = @seal where id = @series_id`);
  const addSale = db.prepare(`insert into sales_sums values (@company_id, substr(@issue_date, 1, 7), @doc_type,
    @tax_region, @tax_code, @tax_rate_bps, @net_cents, @tax_cents) on conflict do update
    set net_cents = net_cents + excluded.net_cents, tax_cents = tax_cents + excluded.tax_cents`);
  const newId = uuidv7Source();
  let { last_hash, last_seal, last_entry_date } = series;
  inTransactions(db, patterns.length, size, (n) => {
    const pattern = patterns[n % patterns.length] as Pattern;
    const now = clock.at(n);
    const document = asOf(pattern.document, customers[(n * 7919) % customers.length] as Row<"customers">, {
      id: newId(now),
      now,
      series,
      sequence: n + 1,
      last_entry_date,
    });
    const lines = pattern.lines.map((line) => ({ ...line, document_id: document.id }));
    const hash = signature(key, { ...document, previous_hash: last_hash ?? "" });
    const issued = { ...document, hash };
    const seal = sealOf(frozenForm(issued, { lines, references: [], payments: [] }), last_seal, SEAL_VERSION);
    head.run({ ...issued, seal });
    for (const line of lines) insertLine(line);
    insertDocument({ ...issued, seal });
    for (const group of totalsOf(lines).groups) addSale.run({ ...document, ...group });
    const detail = JSON.stringify({ number: document.number });
    record("document.issued", document, documentState({ ...issued, seal }), detail);
    [last_hash, last_seal, last_entry_date] = [hash, seal, document.system_entry_date];
  });
}

/** Where and when a copy stands in its series. */
interface SeriesPosition {
  readonly id: string;
  readonly now: Date;
  readonly series: Row<"series">;
  readonly sequence: number;
  readonly last_entry_date: EntryTime | null;
}

/** A pattern as a document of its own: another customer, another number, another time. */
function asOf(
  pattern: Row<"documents">,
  customer: Row<"customers">,
  { id, now, series, sequence, last_entry_date }: SeriesPosition,
): Row<"documents"> {
  const issue_date = civilDate(now, "Europe/Lisbon");
  const entry = entryTime(now);
  const number = numberOf(series.at_type, series.code, sequence);
  const atcud = atcudOf(series.validation_code, sequence);
  const qr_code = (pattern.qr_code as string)
    .replace(/\*F:\d+/, `*F:${issue_date.replaceAll("-", "")}`)
    .replace(/\*G:[^*]+/, `*G:${number}`)
    .replace(/\*H:[^*]+/, `*H:${atcud}`);
  return {
    ...pattern,
    id,
    customer_id: customer.id,
    customer: JSON.stringify(customerSnapshot(customer)),
    issue_date,
    sequence,
    number,
    atcud,
    qr_code,
    system_entry_date: last_entry_date !== null && last_entry_date > entry ? last_entry_date : entry, // in October an hour repeats
    issued_at: now.toISOString(),
    created_at: now.toISOString(),
  };
}

function signature(key: KeyObject, document: Row<"documents"> & { previous_hash: string }): string {
  const text = signedText(document as Parameters<typeof signedText>[0]);
  return sign("RSA-SHA1", Buffer.from(text), key).toString("base64");
}

function signingOf(db: Database.Database, series_id: string) {
  const { private_key } = db.prepare("select private_key from signing_keys").get() as { private_key: string };
  const series = db.prepare("select * from series where id = ?").get(series_id) as Row<"series">;
  return { key: createPrivateKey(private_key), series };
}

function patternsOf(db: Database.Database, series_id: string): Pattern[] {
  const documents = db.prepare("select * from documents where series_id = ? order by sequence").all(series_id);
  const lines = db.prepare("select * from document_lines where document_id = ? order by line_number");
  return (documents as Row<"documents">[]).map((document) => ({
    document,
    lines: lines.all(document.id) as Row<"document_lines">[],
  }));
}

/** Adds an event to the chain of the company. */
type Recorder = (
  action: string,
  resource: { readonly id: string; readonly created_at: Instant },
  state: string | null,
  detail?: string,
) => void;

function recorder(db: Database.Database, company_id: string): Recorder {
  const last = db.prepare("select * from events where company_id = ? order by position desc limit 1").get(company_id);
  let { seal, ...event } = last as Row<"events">;
  const insert = inserter(db, "events", { seal, ...event });
  const move = db.prepare(`update companies set event_position = @position, event_seal = @seal,
    last_issued_at = iif(@action = 'document.issued', @at, last_issued_at) where id = @company_id`);
  return (action, { id, created_at }, state, detail) => {
    const position = event.position + 1;
    event = { ...event, position, at: created_at, action, resource_id: id, detail: detail ?? null, state };
    seal = sealOfEvent(event, seal);
    insert({ ...event, seal });
    move.run({ company_id, position, seal, action, at: created_at });
  };
}

/** Inserts rows with the columns of a pattern, whatever they are; answers the row's position. */
function inserter(db: Database.Database, table: string, pattern: object): (row: object) => number | bigint {
  const columns = Object.keys(pattern);
  const statement = db.prepare(`insert into ${table} (${columns}) values (${columns.map((column) => `@${column}`)})`);
  return (row) => statement.run(row).lastInsertRowid;
}

function inTransactions(db: Database.Database, first: number, end: number, work: (n: number) => void): void {
  const some = db.transaction((from: number) => {
    for (let n = from; n < Math.min(from + PER_COMMIT, end); n++) work(n);
  });
  for (let from = first; from < end; from += PER_COMMIT) some(from);
}

function sampleOf(db: Database.Database, series_id: string, size: number): string[] {
  const find = db.prepare("select id from documents where series_id = ? and sequence = ?").pluck();
  const sequences = spread(
    Array.from({ length: size }, (_, i) => i + 1),
    SAMPLE,
  );
  return sequences.map((sequence) => find.get(series_id, sequence) as string);
}

/** At most so many of a list, from all over it, in an order that jumps about. */
function spread<T>(list: readonly T[], most: number): T[] {
  const count = Math.min(most, list.length);
  const some = Array.from({ length: count }, (_, i) => list[Math.floor((i * list.length) / count)] as T);
  return some.map((_, i) => some[(i * 7919) % count] as T);
}

function bytesOf(db: Database.Database): number {
  db.pragma("wal_checkpoint(truncate)");
  return statSync(db.name).size;
}
