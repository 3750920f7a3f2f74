/**
 * The floor: what this machine can do for the same requests when everything is written by hand. node:http and
 * better-sqlite3, no framework, no layers, no guards; the same durable work, one sealed event per write among it, and
 * the same answers, headers and log lines to the byte (see agree.ts). It refuses nothing but a missing key and an
 * unknown path, and is a yardstick, not an invoicing program.
 */
import { createPrivateKey, hash, type KeyObject, randomFillSync, sign } from "node:crypto";
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
  key: db.prepare("select company_id, key_id, code, scopes from keys where digest = ?"),
  company: db.prepare("select * from companies where id = ?"),
  lastEvent: db.prepare("select event_position, event_seal from companies where id = ?"),
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
  line: db.prepare("insert into lines values (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
  head: db.prepare("update series set next_number = next_number + 1, last_hash = ? where id = ?"),
  payment: db.prepare("insert into payments values (?, ?, ?, ?, ?, ?, ?, ?)"),
  event: db.prepare("insert into events values (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
  lastEvent: db.prepare("update companies set event_position = ?, event_seal = ? where id = ?"),
};

/** The code of each key, which a payment shows. */
const codes = new Map(db.prepare("select key_id, code from keys").raw().all() as [string, string][]);

const signing = db.prepare("select key_version, private_key from signing_keys order by key_version desc").get() as Any;
const signingKey: KeyObject = createPrivateKey(signing.private_key);

/** How many documents there are: counted once, kept from then on. */
let documentsInAll = db.prepare("select count(*) from documents").pluck().get() as number;

// ——— Commits ———

/** Work that waits for the commit it will share. */
let waiting: { readonly work: () => Any; readonly settle: (answer: Any, error?: unknown) => void }[] = [];

/** Runs work in a transaction: one of its own, or one with all that arrived in the same turn of the loop. */
function write(work: () => Any): Promise<Any> {
  return new Promise((resolve, reject) => {
    const settle = (answer: Any, error?: unknown) => (error === undefined ? resolve(answer) : reject(error));
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
  const asked: Asked = { request, response, began: performance.now(), request_id: newId(new Date()) };
  answer(asked).catch((error) => send(asked, null, 500, { error: { message: String(error) } }));
});

/** A request under way. */
interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly began: number;
  readonly request_id: string;
  caller?: Any;
  limits?: Record<string, string>;
}

async function answer(asked: Asked): Promise<void> {
  const { method, headers, url = "/" } = asked.request;
  if (url === "/healthz") return send(asked, url, 200, { status: "ok" });
  const caller = get.key.get(hash("sha256", (headers.authorization ?? "").slice("Bearer ".length))) as Any;
  if (!caller) return send(asked, null, 401, { error: { message: "unauthorized" } });
  asked.caller = caller;
  asked.limits = limitsOf(caller.key_id);
  const [path = "", query = ""] = url.split("?");
  const [, , resource, id, verb] = path.split("/");
  if (method === "POST") {
    const body = JSON.parse(await bodyOf(asked.request));
    if (verb === "payments") {
      const payment = await write(() => recordPayment(caller, id as string, body));
      return send(asked, "/v1/documents/:id/payments", 201, payment, `/v1/payments/${payment.id}`);
    }
    const document = await write(() => createDocument(caller, body));
    return send(asked, "/v1/documents", 201, document, `/v1/documents/${document.id}`);
  }
  if (resource === "me") return send(asked, "/v1/me", 200, showMe(caller));
  if (resource === "documents" && id) return send(asked, "/v1/documents/:id", 200, showDocument(caller, id));
  if (resource === "customers" && id) return send(asked, "/v1/customers/:id", 200, toCustomer(get.customer.get(id)));
  const filters = Object.fromEntries(new URLSearchParams(query));
  if (resource === "documents") return send(asked, "/v1/documents", 200, listDocuments(caller, filters));
  if (resource === "customers") return send(asked, "/v1/customers", 200, searchCustomers(caller, filters));
  send(asked, null, 404, {});
}

function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (piece) => {
      text += piece;
    });
    request.on("end", () => resolve(text));
    request.on("error", reject);
  });
}

const COMMON_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

/** Answers; one resource that is read has its tag, and a draft that is made. */
function send(asked: Asked, route: string | null, status: number, value: unknown, location?: string): void {
  const body = JSON.stringify(value);
  const isDraft = (value as Any).status === "draft";
  const isTagged = isDraft || (status === 200 && route?.endsWith("/:id"));
  asked.response.writeHead(status, {
    ...COMMON_HEADERS,
    "x-request-id": asked.request_id,
    ...asked.limits,
    "content-type": "application/json; charset=utf-8",
    ...(location && { location }),
    ...(isTagged && { etag: `"${hash("sha256", body, "base64url")}"` }),
    "content-length": Buffer.byteLength(body),
  });
  asked.response.end(body);
  logRequest(asked, route, status);
}

let logged = "";

/** Logs a request; those that end in one turn of the loop are written together. */
function logRequest({ request, began, request_id, caller }: Asked, route: string | null, status: number): void {
  if (logged === "") setImmediate(writeLog);
  const entry = {
    time: new Date().toISOString(),
    level: "info",
    event: "request",
    method: request.method,
    route,
    status,
    ms: Math.round((performance.now() - began) * 10) / 10,
    request_id,
    key_id: caller?.key_id ?? null,
    user_id: null,
    company_id: caller?.company_id ?? null,
    remote_address: request.socket.remoteAddress,
  };
  logged += `${JSON.stringify(entry)}\n`;
}

function writeLog(): void {
  process.stdout.write(logged);
  logged = "";
}

const LIMIT = 1_000_000;
const WINDOW_S = 60;
const windows = new Map<string, { count: number; ends: number }>();

/** Counts a request of a key in the window that its first one began, and says so in headers. */
function limitsOf(key_id: string): Record<string, string> {
  const now = Date.now();
  let window = windows.get(key_id);
  if (!window || now >= window.ends) {
    window = { count: 0, ends: now + WINDOW_S * 1_000 };
    windows.set(key_id, window);
  }
  const remaining = LIMIT - ++window.count;
  const reset_s = Math.ceil((window.ends - now) / 1_000);
  return {
    "ratelimit-policy": `"default";q=${LIMIT};w=${WINDOW_S}`,
    ratelimit: `"default";r=${remaining};t=${reset_s}`,
    "x-ratelimit-limit": String(LIMIT),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(Math.ceil(now / 1_000) + reset_s),
  };
}

// ——— Writing ———

function createDocument(caller: Any, body: Any): Any {
  const now = new Date();
  const id = newId(now);
  const lines = body.lines.map((line: Any) => ({
    description: line.description,
    qty_micros: Math.round(line.qty * 1e6),
    unit: line.unit ?? "un",
    unit_price_micros: Math.round(line.unit_price_net * 1e6),
    tax_rate_bps: Math.round(line.tax_rate * 100),
    discount_bps: Math.round((line.discount_pct ?? 0) * 100),
    product_type: body.issue ? "P" : null,
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
    const { description, qty_micros, unit, unit_price_micros, tax_rate_bps, discount_bps, product_type } = line;
    put.line.run(id, i + 1, description, qty_micros, unit, unit_price_micros, tax_rate_bps, discount_bps, product_type);
  });
  const at = now.toISOString();
  if (body.issue) {
    put.head.run(document.hash, body.series_id);
    const state = `1:${hash("sha256", JSON.stringify([document, lines]))}`;
    recordEvent(caller, { at, action: "document.issued", resource_id: id, detail: { number: document.number }, state });
  } else {
    recordEvent(caller, { at, action: "document.drafted", resource_id: id, detail: null, state: null });
  }
  documentsInAll++;
  return { ...toSummary(document, 0), lines: lines.map(toLine), notices: [] };
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
  const { id, code, name, tax_id, address, postal_code, city, country, email, phone } = customer;
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
    customer: JSON.stringify({ id, code, name, tax_id, address, postal_code, city, country, email, phone }),
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

function recordPayment(caller: Any, document_id: string, { amount, method_code, payment_date }: Any): Any {
  const document = get.document.get(document_id, caller.company_id) as Any;
  const amount_cents = Math.round(amount * 100);
  if (amount_cents > document.total_gross_cents - paidOn([document_id]).get(document_id)) throw new Error("paid");
  const now = new Date();
  const id = newId(now);
  const at = now.toISOString();
  const row = [id, caller.company_id, document_id, amount_cents, method_code, payment_date, at, caller.key_id];
  put.payment.run(row);
  const state = `1:${hash("sha256", JSON.stringify(row))}`;
  recordEvent(caller, { at, action: "payment.recorded", resource_id: id, detail: { document_id, amount }, state });
  const payment = {
    id,
    document_id,
    amount_cents,
    method_code,
    payment_date,
    created_at: at,
    created_by: caller.key_id,
  };
  return toPayment(payment, document.number);
}

/** Adds an event to the chain of the company, in the same form and under the same seal as Lacre's. */
function recordEvent({ company_id, key_id }: Any, { at, action, resource_id, detail, state }: Any): void {
  const { event_position, event_seal } = get.lastEvent.get(company_id) as Any;
  const position = event_position + 1;
  const told = detail && JSON.stringify(detail);
  const covered = ["lacre-event-1", event_seal, action, key_id, at, company_id, told, position, resource_id, state];
  let text = `a${covered.length}:`;
  for (const value of covered) {
    if (value === null) text += "n";
    else text += typeof value === "number" ? `i${value};` : `s${Buffer.byteLength(value)}:${value}`;
  }
  const seal = `1:${hash("sha256", text)}`;
  put.event.run(company_id, position, at, action, resource_id, key_id, told, state, seal);
  put.lastEvent.run(position, seal, company_id);
}

// ——— Reading ———

function showMe({ company_id, scopes }: Any): unknown {
  const company = get.company.get(company_id) as Any;
  return {
    company: {
      id: company.id,
      name: company.name,
      tax_id: company.tax_id,
      address: company.address,
      postal_code: company.postal_code,
      city: company.city,
      country: company.country,
      tax_region: company.tax_region,
      time_zone: company.time_zone,
      cash_vat: company.cash_vat === 1,
      default_exemption_code: company.default_exemption_code,
      simplified_limit: company.simplified_limit,
      footer_text: company.footer_text,
      ...{ iban: null, accent_color: null, prices_with_vat: false, language: null, due_days: null },
      created_at: company.created_at,
    },
    scopes: scopes.split(" "),
  };
}

function showDocument({ company_id }: Any, id: string): unknown {
  const row = get.document.get(id, company_id) as Any;
  const payments = get.payments.all(id) as Any[];
  const paid = payments.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  return {
    ...toSummary(row, paid),
    lines: get.lines.all(id).map(toLine),
    payments: payments.map((payment) => toPayment(payment, row.number)),
    refunds: [],
  };
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
    pagination: {
      limit: Number(limit),
      offset: Number(offset),
      total,
      next_cursor: cursorAfter(rows, {
        limit,
        offset,
        total,
        filters: [
          ["list", "documents"],
          ["status", status],
        ],
      }),
    },
  };
}

function searchCustomers({ company_id }: Any, { search, limit = "50", offset = "0" }: Any): unknown {
  const term = search.toLowerCase();
  const rows = get.search.all(company_id, term, Number(limit), Number(offset)) as Any[];
  const total = get.countSearch.get(company_id, term);
  const filters = [
    ["list", "customers"],
    ["search", search],
  ];
  const next_cursor = cursorAfter(rows, { offset, total, filters });
  return {
    data: rows.map(toCustomer),
    pagination: { limit: Number(limit), offset: Number(offset), total, next_cursor },
  };
}

/** Where the next page begins; null after the last. */
function cursorAfter(rows: Any[], { offset, total, filters }: Any): string | null {
  const last = rows.at(-1);
  if (!last || Number(offset) + rows.length >= total) return null;
  const sent = JSON.stringify(filters.filter(([, value]: Any) => value !== undefined));
  const binding = hash("sha256", sent, "base64url").slice(0, 11);
  const after = last.issue_date === undefined ? [last.id] : [last.issue_date, last.id];
  return Buffer.from(JSON.stringify([binding, ...after])).toString("base64url");
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
    training: false,
    issue_date: row.issue_date,
    due_date: null,
    valid_until: null,
    supply_date: null,
    customer_id: row.customer_id,
    customer: row.customer === null ? null : JSON.parse(row.customer),
    total_net: row.total_net_cents / 100,
    total_tax: row.total_tax_cents / 100,
    total_gross: row.total_gross_cents / 100,
    global_discount_pct: 0,
    global_discount_amount: null,
    outstanding: hasBalance ? outstanding_cents / 100 : null,
    payment_status: hasBalance ? status : null,
    quote_status: null,
    references: [],
    notes: null,
    external_id: null,
    metadata: {},
    qr_code: row.qr_code,
    record_payments: false,
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
    unit_price_gross: null,
    tax_rate: row.tax_rate_bps / 100,
    discount_pct: row.discount_bps / 100,
    discount_amount: null,
    product_id: null,
    unit: row.unit,
    reference_id: null,
    reference_line: null,
    exemption_code: null,
    type: row.product_type,
    supply_date: null,
  };
}

function toCustomer({ id, name, tax_id, email, phone, address, postal_code, city, country, created_at }: Any) {
  const own = { language: null, due_days: null, reminders: true, external_id: null, metadata: {} };
  return {
    id,
    name,
    tax_id,
    email,
    phone,
    address,
    postal_code,
    city,
    country,
    ...own,
    created_at,
    updated_at: created_at,
  };
}

function toPayment(row: Any, document_number: string) {
  return {
    id: row.id,
    document_id: row.document_id,
    document_number,
    kind: "payment",
    amount: row.amount_cents / 100,
    method_code: row.method_code,
    payment_date: row.payment_date,
    ...{ receipt_id: null, credit_note_id: null },
    recorded_at: row.created_at,
    recorded_by: codes.get(row.created_by),
  };
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

server.listen(Number(options.port), "127.0.0.1");
process.once("SIGTERM", () => {
  server.closeAllConnections();
  server.close(() => {
    db.close();
    process.exit(0);
  });
});
