/**
 * The floor: what this machine can do for the same requests when everything is written by hand. node:http and
 * better-sqlite3, no framework, no layers, no guards; the same durable work and the same answers. It refuses nothing
 * but a missing key and an unknown path, and is a yardstick, not an invoicing program.
 */
import { createHash, createPrivateKey, type KeyObject, randomFillSync, sign } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";

// biome-ignore lint/suspicious/noExplicitAny: rows and bodies are taken as they come; nothing here is checked.
type Any = any;

const { values: options } = parseArgs({
  options: { db: { type: "string" }, port: { type: "string" }, commit: { type: "string", default: "each" } },
});

const db = new Database(options.db as string);
db.pragma("journal_mode = wal");
db.pragma("synchronous = full");
db.pragma("foreign_keys = on");

// A bare parameter beside an order or a limit would have SQLite prepare the statement again at each use.
const get = {
  key: db.prepare("select company_id, key_id, scopes from keys where digest = ?"),
  company: db.prepare("select * from companies where id = ?"),
  customer: db.prepare("select * from customers where id = ?"),
  series: db.prepare("select * from series where id = ?"),
  document: db.prepare("select * from documents where id = ? and company_id = ?"),
  lines: db.prepare("select * from lines where document_id = likely(?) order by line_number"),
  payments: db.prepare("select * from payments where document_id = likely(?) order by id desc"),
  paid: db.prepare(
    "select document_id, sum(amount_cents) as cents from payments where document_id in (select value from json_each(?)) group by document_id",
  ),
  page: db.prepare(
    "select * from documents where company_id = likely(?) order by issue_date desc, id desc limit likely(?) offset ?",
  ),
  pageByStatus: db.prepare(
    "select * from documents where company_id = likely(?) and status = likely(?) order by issue_date desc, id desc limit likely(?) offset ?",
  ),
  countByStatus: db.prepare("select count(*) from documents where company_id = ? and status = ?").pluck(),
  search: db.prepare(
    "select * from customers where company_id = likely(?) and instr(search, ?) > 0 order by id desc limit likely(?) offset ?",
  ),
  countSearch: db.prepare("select count(*) from customers where company_id = ? and instr(search, ?) > 0").pluck(),
};

const put = {
  begin: db.prepare("begin immediate"),
  commit: db.prepare("commit"),
  rollback: db.prepare("rollback"),
  document: db.prepare(`insert into documents values (
    @id, @company_id, @doc_type, @series_id, @status, @issue_date, @customer_id, @total_net_cents, @total_tax_cents,
    @total_gross_cents, @created_at, @sequence, @number, @atcud, @system_entry_date, @issued_at, @issued_by, @hash,
    @key_version, @qr_code, @customer, @issuer, @cancelled_at, @cancel_reason)`),
  line: db.prepare("insert into lines values (?, ?, ?, ?, ?, ?, ?, ?)"),
  head: db.prepare("update series set next_number = next_number + 1, last_hash = ? where id = ?"),
  payment: db.prepare("insert into payments values (?, ?, ?, ?, ?, ?, ?, ?)"),
};

const signing = db.prepare("select key_version, private_key from signing_keys order by key_version desc").get() as Any;
const signingKey: KeyObject = createPrivateKey(signing.private_key);

/** How many documents there are: counted once, kept from then on. */
let documentsInAll = db.prepare("select count(*) from documents").pluck().get() as number;

// ——— Commits ———

/** Work that waits for the commit it will share. */
let waiting: { readonly work: () => unknown; readonly settle: (answer: unknown, error?: unknown) => void }[] = [];

/** Runs work in a transaction: one of its own, or one with all that arrived in the same turn of the loop. */
function write(work: () => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (answer: unknown, error?: unknown) => (error === undefined ? resolve(answer) : reject(error));
    waiting.push({ work, settle });
    if (options.commit === "each") commitWaiting();
    else if (waiting.length === 1) setImmediate(commitWaiting);
  });
}

function commitWaiting(): void {
  const batch = waiting;
  waiting = [];
  try {
    put.begin.run();
    const answers = batch.map(({ work }) => work());
    put.commit.run();
    batch.forEach(({ settle }, i) => void settle(answers[i]));
  } catch (error) {
    if (db.inTransaction) put.rollback.run();
    for (const { settle } of batch) settle(undefined, error);
  }
}

// ——— Requests ———

const server = createServer((request, response) => {
  answer(request, response).catch((error) => send(response, 500, { error: { message: String(error) } }));
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = "/" } = request;
  if (url === "/healthz") return send(response, 200, { status: "ok" });
  const digest = createHash("sha256")
    .update((request.headers.authorization ?? "").slice("Bearer ".length))
    .digest("hex");
  const caller = get.key.get(digest) as Any;
  if (!caller) return send(response, 401, { error: { message: "unauthorized" } });
  const [path = "", query = ""] = url.split("?");
  const [, , resource, id, verb] = path.split("/");
  if (method === "POST") {
    const body = JSON.parse(await bodyOf(request));
    if (resource !== "documents") return send(response, 404, {});
    if (verb === "payments") return send(response, 201, await write(() => recordPayment(caller, id as string, body)));
    return send(response, 201, await write(() => createDocument(caller, body)));
  }
  if (resource === "me") return send(response, 200, showMe(caller));
  if (resource === "documents" && id) return send(response, 200, showDocument(caller, id));
  const asked = Object.fromEntries(new URLSearchParams(query));
  if (resource === "documents") return send(response, 200, listDocuments(caller, asked));
  if (resource === "customers") return send(response, 200, searchCustomers(caller, asked));
  send(response, 404, {});
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "content-length": body.length });
  response.end(body);
}

// ——— Writing ———

function createDocument(caller: Any, body: Any): unknown {
  const now = new Date();
  const id = newId(now);
  const lines = body.lines.map((line: Any) => ({
    description: line.description,
    qty_micros: Math.round(line.qty * 1e6),
    unit: line.unit ?? "un",
    unit_price_micros: Math.round(line.unit_price_net * 1e6),
    tax_rate_bps: Math.round(line.tax_rate * 100),
    discount_bps: Math.round((line.discount_pct ?? 0) * 100),
  }));
  const customer = get.customer.get(body.customer_id) as Any;
  const { groups, ...totals } = totalsOf(lines);
  const draft = {
    id,
    company_id: caller.company_id,
    doc_type: body.doc_type,
    series_id: body.series_id,
    status: "draft",
    issue_date: body.issue_date,
    customer_id: customer.id,
    ...totals,
    created_at: now.toISOString(),
    ...NOT_ISSUED,
  };
  const document = body.issue ? { ...draft, ...issued(caller, draft, customer, groups, now) } : draft;
  put.document.run(document);
  lines.forEach((line: Any, i: number) => {
    const { description, qty_micros, unit, unit_price_micros, tax_rate_bps, discount_bps } = line;
    put.line.run(id, i + 1, description, qty_micros, unit, unit_price_micros, tax_rate_bps, discount_bps);
  });
  if (body.issue) put.head.run(document.hash, body.series_id);
  documentsInAll++;
  return { ...toSummary(document, 0), lines: lines.map(toLine) };
}

const NOT_ISSUED = {
  sequence: null,
  number: null,
  atcud: null,
  system_entry_date: null,
  issued_at: null,
  issued_by: null,
  hash: null as string | null,
  key_version: null,
  qr_code: null,
  customer: null,
  issuer: null,
  cancelled_at: null,
  cancel_reason: null,
};

/** What issuing adds to a draft: its number, its signature in the chain, and who and what it was about. */
function issued(caller: Any, draft: Any, customer: Any, groups: Any[], now: Date) {
  const company = get.company.get(caller.company_id) as Any;
  const series = get.series.get(draft.series_id) as Any;
  const sequence = series.next_number;
  const number = `${series.at_type} ${series.code}/${sequence}`;
  const atcud = series.validation_code === null ? null : `${series.validation_code}-${sequence}`;
  const system_entry_date = lisbonTime(now);
  const gross = (draft.total_gross_cents / 100).toFixed(2);
  const text = [draft.issue_date, system_entry_date, number, gross, series.last_hash ?? ""].join(";");
  const hash = sign("RSA-SHA1", Buffer.from(text), signingKey).toString("base64");
  const { id, code, name, tax_id, address, postal_code, city, country } = customer;
  return {
    status: "issued",
    sequence,
    number,
    atcud,
    system_entry_date,
    issued_at: now.toISOString(),
    issued_by: caller.key_id,
    hash,
    key_version: signing.key_version,
    qr_code: qrText(company, customer, series.at_type, draft, number, atcud, groups),
    customer: JSON.stringify({ id, code, name, tax_id, address, postal_code, city, country }),
    issuer: JSON.stringify({
      name: company.name,
      tax_id: company.tax_id,
      address: company.address,
      postal_code: company.postal_code,
      city: company.city,
      country: company.country,
      tax_region: company.tax_region,
      cash_vat: company.cash_vat === 1,
      producer: null,
    }),
  };
}

/** Cents of each rate, rounded once per rate, and their sums. */
function totalsOf(lines: Any[]) {
  const nets = new Map<number, number>();
  for (const { qty_micros, unit_price_micros, tax_rate_bps, discount_bps } of lines) {
    const net = (qty_micros * unit_price_micros * (10_000 - discount_bps)) / 1e14;
    nets.set(tax_rate_bps, (nets.get(tax_rate_bps) ?? 0) + net);
  }
  const groups = [...nets].map(([rate, net]) => ({
    rate,
    net: Math.round(net),
    tax: Math.round((net * rate) / 10_000),
  }));
  const total_net_cents = groups.reduce((sum, { net }) => sum + net, 0);
  const total_tax_cents = groups.reduce((sum, { tax }) => sum + tax, 0);
  return { groups, total_net_cents, total_tax_cents, total_gross_cents: total_net_cents + total_tax_cents };
}

const QR_FIELDS = new Map([
  [600, [3, 4]],
  [1300, [5, 6]],
  [2300, [7, 8]],
]);

function qrText(
  company: Any,
  customer: Any,
  at_type: string,
  draft: Any,
  number: string,
  atcud: string | null,
  groups: Any[],
) {
  const euros = (cents: number) => (cents / 100).toFixed(2);
  const rates = groups
    .toSorted((a, b) => a.rate - b.rate)
    .flatMap(({ rate, net, tax }) => {
      const [base, of_tax] = QR_FIELDS.get(rate) ?? [2, 2];
      return [`I${base}:${euros(net)}`, `I${of_tax}:${euros(tax)}`];
    });
  return [
    `A:${company.tax_id}`,
    `B:${customer.tax_id ?? "999999990"}`,
    `C:${customer.country ?? "PT"}`,
    `D:${at_type}`,
    "E:N",
    `F:${draft.issue_date.replaceAll("-", "")}`,
    `G:${number}`,
    `H:${atcud ?? "0"}`,
    "I1:PT",
    ...rates,
    `N:${euros(draft.total_tax_cents)}`,
    `O:${euros(draft.total_gross_cents)}`,
    "Q:0",
    "R:0",
  ].join("*");
}

function recordPayment(caller: Any, document_id: string, { amount, method_code, payment_date }: Any): unknown {
  const document = get.document.get(document_id, caller.company_id) as Any;
  const amount_cents = Math.round(amount * 100);
  if (amount_cents > document.total_gross_cents - paidOn([document_id]).get(document_id)) throw new Error("paid");
  const now = new Date();
  const id = newId(now);
  const at = now.toISOString();
  put.payment.run(id, caller.company_id, document_id, amount_cents, method_code, payment_date, at, caller.key_id);
  return { id, document_id, amount, method_code, payment_date };
}

// ——— Reading ———

function showMe({ company_id, scopes }: Any): unknown {
  const { cash_vat, ...company } = get.company.get(company_id) as Any;
  return { company: { ...company, cash_vat: cash_vat === 1 }, scopes: scopes.split(" ") };
}

function showDocument({ company_id }: Any, id: string): unknown {
  const row = get.document.get(id, company_id) as Any;
  const payments = get.payments.all(id) as Any[];
  const paid = payments.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  return { ...toSummary(row, paid), lines: get.lines.all(id).map(toLine), payments: payments.map(toPayment) };
}

function listDocuments({ company_id }: Any, { limit = "50", offset = "0", status }: Any): unknown {
  const rows = (
    status
      ? get.pageByStatus.all(company_id, status, Number(limit), Number(offset))
      : get.page.all(company_id, Number(limit), Number(offset))
  ) as Any[];
  const total = status ? get.countByStatus.get(company_id, status) : documentsInAll;
  const paid = paidOn(rows.map(({ id }) => id));
  return {
    data: rows.map((row) => toSummary(row, paid.get(row.id))),
    pagination: { limit: Number(limit), offset: Number(offset), total },
  };
}

function searchCustomers({ company_id }: Any, { search, limit = "50", offset = "0" }: Any): unknown {
  const term = search.toLowerCase();
  const rows = get.search.all(company_id, term, Number(limit), Number(offset)) as Any[];
  const data = rows.map(({ company_id: _, code: __, search: ___, ...customer }) => customer);
  const total = get.countSearch.get(company_id, term);
  return { data, pagination: { limit: Number(limit), offset: Number(offset), total } };
}

/** Cents paid on each document; 0 for the others. */
function paidOn(ids: string[]): { get(id: string): number } {
  const sums = new Map(get.paid.all(JSON.stringify(ids)).map((row: Any) => [row.document_id, row.cents]));
  return { get: (id) => sums.get(id) ?? 0 };
}

function toSummary(row: Any, paid_cents: number) {
  const outstanding_cents = row.total_gross_cents - paid_cents;
  const hasBalance = row.status === "issued" && row.doc_type === "FT";
  const status = outstanding_cents <= 0 ? "paid" : paid_cents === 0 ? "unpaid" : "partial";
  return {
    id: row.id,
    doc_type: row.doc_type,
    series_id: row.series_id,
    number: row.number,
    atcud: row.atcud,
    hash: row.hash,
    status: row.status,
    issue_date: row.issue_date,
    due_date: null,
    customer_id: row.customer_id,
    customer: row.customer === null ? null : JSON.parse(row.customer),
    total_net: row.total_net_cents / 100,
    total_tax: row.total_tax_cents / 100,
    total_gross: row.total_gross_cents / 100,
    global_discount_pct: 0,
    outstanding: hasBalance ? outstanding_cents / 100 : null,
    payment_status: hasBalance ? status : null,
    references: [],
    notes: null,
    qr_code: row.qr_code,
    transport: null,
    at_doc_code: null,
    created_at: row.created_at,
    issued_at: row.issued_at,
    system_entry_date: row.system_entry_date,
    cancelled_at: row.cancelled_at,
    cancel_reason: row.cancel_reason,
  };
}

function toLine(row: Any) {
  return {
    description: row.description,
    qty: row.qty_micros / 1e6,
    unit_price_net: row.unit_price_micros / 1e6,
    tax_rate: row.tax_rate_bps / 100,
    discount_pct: row.discount_bps / 100,
    product_id: null,
    unit: row.unit,
    reference_id: null,
    reference_line: null,
    exemption_code: null,
  };
}

function toPayment({ id, document_id, amount_cents, method_code, payment_date }: Any) {
  return { id, document_id, amount: amount_cents / 100, method_code, payment_date };
}

// ——— Time and ids ———

const LISBON = new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Lisbon", dateStyle: "short", timeStyle: "medium" });
let lisbon = { second: 0, text: "" };

/** Wall time in Lisbon, made once a second. */
function lisbonTime(now: Date): string {
  const second = Math.floor(now.getTime() / 1000);
  if (second !== lisbon.second) lisbon = { second, text: LISBON.format(now).replace(" ", "T") };
  return lisbon.text;
}

const random = Buffer.alloc(4096);
let used = random.length;
let counter = 0;

/** A UUID of version 7, with a counter in the place of the random bits that follow the time. */
function newId(now: Date): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  const tail = random.toString("hex", used, used + 8);
  used += 8;
  counter = (counter + 1) & 0xfff;
  const ms = now.getTime().toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${counter.toString(16).padStart(3, "0")}-8${tail.slice(1, 4)}-${tail.slice(4, 16)}`;
}

server.keepAliveTimeout = 60_000;
server.listen(Number(options.port), "127.0.0.1");
process.once("SIGTERM", () => {
  server.closeAllConnections();
  server.close(() => {
    db.close();
    process.exit(0);
  });
});
