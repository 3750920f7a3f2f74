/**
 * The examples in the OpenAPI document: a bakery's customer, product, invoice and payment, in real answers of Lacre.
 */

const AT = "2026-11-21T10:31:07.482Z";
const TODAY = "2026-11-21";
const CUSTOMER_ID = "01a1fda8-e7da-7630-a09b-b84ea830fdf5";
const SERIES_ID = "01a1fda8-e7da-7617-abcd-e3d0f5128cd1";
const DOCUMENT_ID = "01a1fda8-e7da-7636-94a3-8b2ba05e58b9";

const newCustomer = {
  name: "Ana Conceição",
  tax_id: "999999990",
  email: "ana@example.com",
  postal_code: "1100-148",
  city: "Lisboa",
  country: "PT",
};

const customer = {
  id: CUSTOMER_ID,
  name: "Ana Conceição",
  tax_id: "999999990",
  email: "ana@example.com",
  phone: null,
  address: null,
  postal_code: "1100-148",
  city: "Lisboa",
  country: "PT",
  language: null,
  due_days: null,
  reminders: true,
  external_id: null,
  metadata: {},
  created_at: AT,
  updated_at: AT,
};

const newProduct = { name: "Pão de Mafra", sku: "PAO-MAFRA", unit_price_net: 1.15, tax_rate: 6 };

const product = {
  id: "01a1fda8-e7da-7633-8f76-779590ea4385",
  ...newProduct,
  unit_price_gross: null,
  unit: "un",
  stock: null,
  type: "P",
  exemption_code: null,
  till_number: null,
  external_id: null,
  metadata: {},
  created_at: AT,
  updated_at: AT,
};

const newLines = [
  { description: "Bolo de anos", qty: 1, unit_price_net: 55.55, tax_rate: 23 },
  { description: "Velas", qty: 1, unit_price_net: 11.11, tax_rate: 23 },
];

const newDocument = {
  doc_type: "FT",
  series_id: SERIES_ID,
  issue_date: TODAY,
  customer_id: CUSTOMER_ID,
  external_id: "order-1001",
  lines: newLines,
};

const lines = newLines.map((line) => ({
  ...line,
  unit_price_gross: null,
  discount_pct: 0,
  discount_amount: null,
  product_id: null,
  unit: "un",
  reference_id: null,
  reference_line: null,
  exemption_code: null,
  type: null,
  supply_date: null,
}));

const draft = {
  id: DOCUMENT_ID,
  doc_type: "FT",
  series_id: SERIES_ID,
  number: null,
  atcud: null,
  hash: null,
  status: "draft",
  training: false,
  issue_date: TODAY,
  due_date: null,
  valid_until: null,
  supply_date: null,
  customer_id: CUSTOMER_ID,
  customer: null,
  total_net: 66.66,
  total_tax: 15.33,
  total_gross: 81.99,
  global_discount_pct: 0,
  global_discount_amount: null,
  outstanding: null,
  payment_status: null,
  quote_status: null,
  references: [],
  notes: null,
  external_id: "order-1001",
  metadata: {},
  qr_code: null,
  record_payments: false,
  transport: null,
  at_doc_code: null,
  created_at: AT,
  issued_at: null,
  system_entry_date: null,
  cancelled_at: null,
  cancel_reason: null,
  lines,
};

const issued = {
  ...draft,
  number: "FT 2026A/1",
  atcud: "CSDF7T5H-1",
  hash: "o6XbTRSCQTaLx6nHmIP9f3MF+prASYsCneDOr+zNdzo1LQkW4WLuG3iHkaHB6MalNYM+CnAsGJPrBlpSXp5NKOpMCAFBKbaYEZNWOTYq38aObgOr3utA3WzDl1knnWdRTUCujB17DGJ7R9KlWIx1mjVnNZWiPvGUoWOHhTkw6aE=",
  status: "issued",
  customer: {
    id: CUSTOMER_ID,
    code: "C1",
    name: "Ana Conceição",
    tax_id: "999999990",
    address: null,
    postal_code: "1100-148",
    city: "Lisboa",
    country: "PT",
    email: null,
    phone: null,
  },
  outstanding: 81.99,
  payment_status: "unpaid",
  issued_at: AT,
  system_entry_date: "2026-11-21T10:31:07",
  lines: lines.map((line) => ({ ...line, type: "P" })),
  qr_code:
    "A:500000000*B:999999990*C:PT*D:FT*E:N*F:20261121*G:FT 2026A/1*H:CSDF7T5H-1*I1:PT*I7:66.66*I8:15.33*N:15.33*O:81.99*Q:0*R:0",
};

const previewed = {
  document: {
    ...issued,
    id: null,
    number: null,
    atcud: null,
    hash: null,
    status: "draft",
    qr_code: null,
    created_at: null,
    issued_at: null,
    system_entry_date: null,
  },
  tax: [{ region: "PT", code: "NOR", rate: 23, net: 66.66, tax: 15.33 }],
  refusals: [],
  notices: [],
  number: "FT 2026A/17",
  digest: "1:9d3f0f6f2b1f0f5d5a4c8f2d7c1e6b3a9d3f0f6f2b1f0f5d5a4c8f2d7c1e6b3a",
};

const newPayment = { amount: 20, method_code: "MB", payment_date: TODAY };

const payment = {
  id: "01a1fda8-e7da-763b-a60c-944846db0b31",
  document_id: DOCUMENT_ID,
  document_number: "FT 2026A/1",
  kind: "payment",
  ...newPayment,
  receipt_id: null,
  credit_note_id: null,
  recorded_at: AT,
  recorded_by: "K1",
};

const taken = { received: 20, refunded: 0, total: 20, payments: 1, refunds: 0 };

const actor = { id: "01a1fda8-e7da-7635-8d4e-5a2b9c3d1e02", kind: "key", code: "K1", name: "Loja online" };

const newSeries = { doc_type: "FT", code: "2026A", validation_code: "CSDF7T5H" };

const series = {
  id: SERIES_ID,
  ...newSeries,
  next_number: 1,
  status: "active",
  training: false,
  cash_vat: false,
  registered_at: AT,
  created_at: AT,
};

const event = {
  position: 17,
  at: AT,
  action: "document.issued",
  resource_id: DOCUMENT_ID,
  subject_id: DOCUMENT_ID,
  actor: "K1",
  detail: { number: "FT 2026A/1" },
};

const newWebhook = { url: "https://example.com/lacre", actions: ["document.*", "payment.*"], description: "Loja" };

const webhook = {
  id: "01a1fda8-e7da-7640-8a31-0d2f65bc7b11",
  ...newWebhook,
  status: "enabled",
  failing_since: null,
  disabled_reason: null,
  created_at: AT,
};

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

const delivery = {
  id: "7b1f2c7a-90d1-8c25-88e4-d5f60718293a",
  position: 17,
  action: "document.issued",
  status: "delivered",
  queued_at: AT,
  next_attempt_at: null,
  ended_at: AT,
  attempts: [{ at: AT, status: 204, error: null, duration_ms: 84 }],
};

const waiting = { ...delivery, status: "waiting", next_attempt_at: AT, ended_at: null };

const GREETING =
  "Estimado cliente,\n\nEnviamos em anexo a fatura FT 2026A/1, de 21-11-2026, no valor de 81,99 €.\n\n" +
  "Com os melhores cumprimentos,\nPadaria Central, Lda.";

const newEmail = { cc: ["contabilidade@example.com"], subject: "A sua fatura de novembro" };

const email = {
  id: "01a1fda8-e7da-7640-8a31-0d2f65bc7b22",
  document_id: DOCUMENT_ID,
  status: "queued",
  reminder: null,
  from: { name: "Padaria Central, Lda.", address: "faturas@example.com" },
  reply_to: null,
  to: ["ana@example.com"],
  ...newEmail,
  message: GREETING,
  language: "pt",
  message_id: "<01a1fda8-e7da-7640-8a31-0d2f65bc7b22@example.com>",
  original: true,
  doubts: 0,
  refused: [],
  error: null,
  queued_at: AT,
  next_attempt_at: AT,
  ended_at: null,
  attempts: [],
};

const link = {
  id: "01a1fda8-e7da-7641-9b52-6f0d1c7a3e44",
  document_id: DOCUMENT_ID,
  language: "pt",
  original: true,
  created_at: AT,
  expires_at: "2026-12-21T10:31:07.482Z",
  revoked_at: null,
};

const sent = {
  ...email,
  status: "sent",
  next_attempt_at: null,
  ended_at: AT,
  attempts: [{ at: AT, status: 250, error: null, duration_ms: 412 }],
};

const { lines: _, ...summary } = issued;

/** One page with one row. */
function listOf(row: unknown) {
  return { data: [row], pagination: { limit: 50, offset: 0, total: 1 } };
}

/** The same of a list with cursors. */
function followed(row: unknown) {
  return { data: [row], pagination: { limit: 50, offset: 0, total: 1, next_cursor: null } };
}

/** The request and the answer of an operation, by its id. */
export const EXAMPLES: Readonly<Record<string, { readonly request?: unknown; readonly answer?: unknown }>> = {
  getMe: {
    answer: {
      company: {
        id: "01a1fda8-e7da-7615-ae44-d19383158848",
        name: "Padaria Central, Lda.",
        tax_id: "500000000",
        address: null,
        postal_code: null,
        city: null,
        country: "PT",
        tax_region: "PT",
        time_zone: "Europe/Lisbon",
        cash_vat: false,
        default_exemption_code: null,
        simplified_limit: 1000,
        footer_text: null,
        iban: null,
        accent_color: null,
        prices_with_vat: false,
        language: null,
        due_days: null,
        created_at: AT,
      },
      scopes: ["customers:read", "documents:read", "documents:write", "documents:issue"],
    },
  },
  listCustomers: { answer: followed(customer) },
  createCustomer: { request: newCustomer, answer: { ...customer, notices: [] } },
  getCustomer: { answer: customer },
  changeCustomer: {
    request: { phone: "+351 210 000 000", tax_id: null },
    answer: { ...customer, phone: "+351 210 000 000", tax_id: null, notices: [] },
  },
  listProducts: { answer: followed(product) },
  createProduct: { request: newProduct, answer: { ...product, notices: [] } },
  getProduct: { answer: product },
  changeProduct: { request: { unit_price_net: 1.2 }, answer: { ...product, unit_price_net: 1.2, notices: [] } },
  createDocument: { request: newDocument, answer: { ...draft, notices: [] } },
  listDocuments: { answer: followed(summary) },
  getDocument: {
    answer: { ...issued, outstanding: 61.99, payment_status: "partial", payments: [payment], refunds: [] },
  },
  changeDraft: { request: { notes: "Entrega às 10h" }, answer: { ...draft, notes: "Entrega às 10h", notices: [] } },
  previewNewDocument: { request: newDocument, answer: previewed },
  previewDocument: { answer: { ...previewed, document: { ...previewed.document, id: DOCUMENT_ID, created_at: AT } } },
  issueDocument: { answer: issued },
  printOriginal: { request: { copies: 2 } },
  sendDocument: { request: newEmail, answer: email },
  createDocumentLink: {
    request: { language: "pt" },
    answer: { ...link, url: "https://loja.pt/d/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8" },
  },
  listDocumentLinks: { answer: listOf(link) },
  getDocumentLink: { answer: link },
  listEmails: { answer: listOf(sent) },
  getEmail: { answer: sent },
  cancelDocument: {
    request: { reason: "Engano" },
    answer: {
      ...issued,
      status: "cancelled",
      outstanding: null,
      payment_status: null,
      cancelled_at: AT,
      cancel_reason: "Engano",
    },
  },
  creditDocument: {
    request: { reason: "Devolução", issue: true },
    answer: {
      ...issued,
      id: "01a1fda8-e7da-7a0c-8c1e-5d3b9a2f4e61",
      doc_type: "NC",
      number: "NC 2026A/1",
      atcud: null,
      qr_code: null,
      outstanding: null,
      payment_status: null,
      references: [{ document_id: DOCUMENT_ID, amount: 81.99, reason: "Devolução" }],
      notices: [],
    },
  },
  recordPayment: { request: newPayment, answer: payment },
  listPayments: { answer: followed(payment) },
  getTakings: {
    answer: {
      date: TODAY,
      ...taken,
      means: [{ method_code: "MB", ...taken }],
      actors: [{ actor, ...taken, means: [] }],
    },
  },
  getStatement: {
    answer: {
      customer: { id: CUSTOMER_ID, name: "Ana Conceição", tax_id: "999999990" },
      from: "2026-11-01",
      to: TODAY,
      opening_balance: 0,
      rows: [
        {
          date: TODAY,
          kind: "document",
          document_id: DOCUMENT_ID,
          document_number: "FT 2026A/1",
          doc_type: "FT",
          due_date: null,
          method_code: null,
          amount: 81.99,
          debit: 81.99,
          credit: 0,
          balance: 81.99,
        },
      ],
      closing_balance: 81.99,
      unallocated: 0,
      in_favour: 0,
      ages: { not_due: 81.99, days_1_30: 0, days_31_60: 0, days_61_90: 0, over_90: 0 },
    },
  },
  listSeries: { answer: listOf(series) },
  createSeries: { request: newSeries, answer: series },
  getSeries: { answer: series },
  readEvents: { answer: { data: [event], last_position: 17 } },
  listWebhooks: { answer: listOf(webhook) },
  createWebhook: { request: newWebhook, answer: { ...webhook, secret } },
  getWebhook: { answer: webhook },
  changeWebhook: {
    request: { enabled: false },
    answer: { ...webhook, status: "disabled", disabled_reason: "asked" },
  },
  rotateWebhookSecret: { answer: { ...webhook, secret } },
  testWebhook: {
    answer: {
      ...waiting,
      action: "webhook.tested",
      attempts: [],
    },
  },
  listDeliveries: { answer: listOf(delivery) },
  redeliver: { answer: waiting },
  changeSeries: { request: { status: "closed" }, answer: { ...series, status: "closed" } },
};
