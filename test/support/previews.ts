/** Random documents of all types in a company that has something to refuse, each previewed and then issued. */
import fc from "fast-check";
import { DOC_TYPES, type DocType, LacreError, type NewDocument } from "lacre";
import { expect } from "vitest";
import { TABLE_NAMES } from "../../src/core/database/tables.ts";
import type { Document } from "../../src/core/documents/document.ts";
import type { DocumentPreview } from "../../src/core/documents/preview.ts";
import { DOCUMENT_TYPES } from "../../src/core/fiscal/document-types.ts";
import type { Database } from "./drivers.ts";
import { aCustomer, aLine, anInvoice, aProduct, aSeries } from "./factories.ts";
import { type Instance, openInstance } from "./instance.ts";

/** The days documents are dated; today is the second last. */
const DAYS = ["2026-11-18", "2026-11-20", "2026-11-21", "2026-11-22"] as const;
const [, , TODAY] = DAYS;

/** A document by numbers: each names a member of a list of its world, by the remainder. */
type Plan = typeof plan extends fc.Arbitrary<infer Planned> ? Planned : never;

const percentage = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 10_000 }));
/** Mostly the usual, of which the list has the first. */
const mostly = (max: number) => fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(max));

const line = fc.record({
  product: fc.option(fc.nat(5)),
  rate: fc.constantFrom(23, 23, 6, 13, 0, 17.5),
  isGross: fc.boolean(),
  exemption_code: fc.constantFrom(null, "M07", "M16", "M99"),
  qty_micros: fc.oneof(fc.constant(1_000_000), fc.integer({ min: 1, max: 10 ** 8 })),
  price_micros: fc.oneof(fc.constant(1_230_000), fc.integer({ min: 0, max: 10 ** 8 })),
  discount_bps: percentage,
  reference_line: fc.option(fc.integer({ min: 1, max: 3 })),
});

const plan = fc.record({
  doc_type: fc.constantFrom(...DOC_TYPES),
  series: mostly(3),
  day: mostly(3),
  customer: mostly(3),
  lines: fc.array(line, { minLength: 1, maxLength: 4 }),
  discount_bps: percentage,
  references: fc.array(fc.record({ which: fc.nat(40), part: fc.integer({ min: 1, max: 4 }) }), { maxLength: 2 }),
  payments: fc.array(fc.record({ part: fc.integer({ min: 1, max: 3 }), day: mostly(3) }), { maxLength: 2 }),
  hasTransport: fc.boolean(),
  isDue: fc.boolean(),
  isAsked: fc.boolean(),
  /** 1: a new customer within; 2: a known one, changed; 3: the current series, today. */
  standIn: mostly(3),
  /** Whether it may have what its type does not take. */
  isOdd: mostly(1),
});

/** The documents of one company: with a certificate or without, and whether its customers have addresses. */
export const previewed = (maxLength: number) =>
  fc.record({
    isStrict: fc.boolean(),
    hasAddress: fc.boolean(),
    plans: fc.array(plan, { minLength: 1, maxLength, size: "max" }),
  });
export type Previewed = ReturnType<typeof previewed> extends fc.Arbitrary<infer All> ? All : never;

interface World {
  readonly home: Instance;
  readonly customers: readonly string[];
  readonly products: readonly string[];
  /** The series of each type: the usual one, a closed one, one that is ahead, and one for training. */
  readonly series: Readonly<Record<DocType, readonly string[]>>;
  readonly documents: Document[];
}

async function aWorld(database: Database, { isStrict, hasAddress }: Previewed): Promise<World> {
  const home = await openInstance(database);
  const { company, lacre, company_id } = home;
  const address = { address: "Rua do Forno, 12", postal_code: "2640-389", city: "Mafra" };
  await lacre.companies.change({ id: company_id, ...(hasAddress && address) });
  const customers = [
    (await aCustomer(home, { name: "Padaria Lopes, Lda.", tax_id: "501964843", ...address })).id,
    (await aCustomer(home, { name: "Ana Conceição" })).id,
    (await aCustomer(home, { name: "Gone" })).id,
  ];
  const products = [
    (await aProduct(home)).id,
    (await aProduct(home, { sku: "P2", tax_rate: 23, exemption_code: "M07" })).id,
    (await aProduct(home, { sku: "PAO", type: "S", unit: "h" })).id,
  ];
  const series = {} as Record<DocType, string[]>;
  for (const doc_type of DOC_TYPES) {
    const opened = [home.series[doc_type]];
    for (const code of ["FECHADA", "ADIANTE"]) opened.push((await aSeries(home, { doc_type, code })).id);
    opened.push((await company.series.create({ doc_type, code: "TREINO", training: true })).id);
    series[doc_type] = opened;
  }
  const documents: Document[] = [];
  for (const doc_type of ["OR", "GT", "FT", "FT", "FS"] as const) {
    const lines = [aLine(), aLine({ product_id: products[0] ?? null, tax_rate: 6, qty: 3 })];
    documents.push(await anInvoice(home, { doc_type, customer_id: customers[0] ?? "", issue_date: DAYS[1], lines }));
  }
  await anInvoice(home, { doc_type: "NC", series_id: series.NC[2] ?? "", customer_id: customers[0] ?? "" });
  await company.customers.archive({ id: customers[2] ?? "" });
  for (const doc_type of DOC_TYPES) await company.series.change({ id: series[doc_type][1] ?? "", status: "closed" });
  if (isStrict) {
    const producer = { producer_name: "Lacre Software, Lda.", producer_tax_id: "508025338" };
    await lacre.signer.setCertificate({ certificate_number: 9999, ...producer });
    for (const doc_type of DOC_TYPES.slice(0, 8)) {
      const { id } = await company.series.create({ doc_type, code: "CERTA", validation_code: doc_type.padEnd(8, "2") });
      series[doc_type].unshift(id);
    }
  }
  return { home, customers, products, series, documents };
}

const from = <T>(list: readonly T[], at: number): T => list[at % list.length] as T;

function inputOf({ series, customers, products, documents }: World, given: Plan): NewDocument {
  const { doc_type, lines, references, isOdd } = given;
  const type = DOCUMENT_TYPES[doc_type];
  const nameable = documents.filter((one) => isOdd || type.may_reference.includes(one.doc_type));
  const names = (nameable.length > 0 ? references : []).map(({ which, part }) => ({
    document: from(nameable, which),
    part,
  }));
  const payments = isOdd || type.takes_payments_at_issue ? given.payments : [];
  const cents = lines.reduce((sum, { price_micros }) => sum + Math.ceil(price_micros / 10_000), 1);
  return {
    doc_type,
    ...(given.standIn === 3
      ? { series: "current" as const }
      : { series_id: from(series[doc_type], given.series), issue_date: from([TODAY, ...DAYS], given.day) }),
    ...customerOf(given, from(customers, given.customer)),
    lines: lines.map((one, i) => ({
      ...(one.isGross ? { unit_price_gross: one.price_micros / 1e6 } : { unit_price_net: one.price_micros / 1e6 }),
      description: "Pão de Mafra",
      qty: one.qty_micros / 1e6,
      tax_rate: one.rate,
      discount_pct: one.discount_bps / 100,
      product_id: one.product === null ? null : from(products, one.product),
      ...(one.rate === 0 && { exemption_code: one.exemption_code }),
      ...(names.length > 0 && { reference_id: from(names, i).document.id, reference_line: one.reference_line }),
    })),
    global_discount_pct: given.discount_bps / 100,
    references: names.map(({ document, part }) => ({
      document_id: document.id,
      ...(names.length > 1 && { amount: Math.max(1, Math.floor((document.total_gross * 100) / part)) / 100 }),
    })),
    payments: payments.map(({ part, day }) => ({
      amount: Math.max(1, Math.floor(cents / part)) / 100,
      method_code: "NU",
      payment_date: from([TODAY, ...DAYS], day),
    })),
    ...(given.hasTransport && (isOdd || type.takes_transport) && { transport: { vehicle: "AA-00-AA" } }),
    ...(given.isDue && { due_date: DAYS[3] }),
    ...(given.isDue && doc_type === "OR" && { valid_until: DAYS[3] }),
  };
}

function customerOf({ standIn, day }: Plan, customer_id: string): Partial<NewDocument> {
  if (standIn === 1) return { customer: { name: `Cliente ${day}`, address: "Rua Direita, 1", city: "Lisboa" } };
  if (standIn === 2) return { customer: { tax_id: "501964843", phone: `21000000${day}` } };
  return { customer_id };
}

const outcomeOf = <T>(call: Promise<T>): Promise<T | LacreError> =>
  call.catch((error: unknown) => {
    if (error instanceof LacreError) return error;
    throw error;
  });

/** What was seen, so that a test can tell that it saw something of everything. */
export interface Seen {
  readonly counts: Map<string, number>;
}

/** Previews and issues each document of a company. */
export async function agree(database: Database, given: Previewed, { counts }: Seen): Promise<void> {
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const world = await aWorld(database, given);
  try {
    for (const [i, plan] of given.plans.entries()) {
      count("documents");
      const before = i % 20 === 0 ? await everyRow(world.home) : undefined;
      const outcome = await previewAll(world, plan, count);
      if (before !== undefined) expect(await everyRow(world.home)).toEqual(before);
      if (outcome) await issueAsShown(world, outcome, count);
    }
  } finally {
    await world.home.lacre.close();
  }
}

/** The preview of the input; undefined where a draft is refused, in the same words. */
async function previewAll(
  world: World,
  plan: Plan,
  count: (name: string) => void,
): Promise<{ readonly input: NewDocument; readonly shown: DocumentPreview } | undefined> {
  const { documents } = world.home.company;
  const input = inputOf(world, plan);
  const shown = await outcomeOf(documents.preview({ ...input, ...(plan.isAsked && { issue: true }) }));
  if (!(shown instanceof LacreError)) return { input, shown };
  const drafted = await outcomeOf(documents.create(input));
  expect(drafted).toBeInstanceOf(LacreError);
  expect((drafted as LacreError).toJSON()).toEqual(shown.toJSON());
  count("no draft");
  return undefined;
}

async function issueAsShown(
  world: World,
  { input, shown }: { readonly input: NewDocument; readonly shown: DocumentPreview },
  count: (name: string) => void,
): Promise<void> {
  const { documents } = world.home.company;
  const draft = await documents.create(input);
  const { id, created_at } = draft;
  const ofDraft = await documents.previewDraft({ id });
  const { id: customer_id, code } = ofDraft.document.customer;
  const made = { customer_id: draft.customer_id, customer: { ...shown.document.customer, id: customer_id, code } };
  expect(ofDraft).toEqual({ ...shown, notices: [], document: { ...shown.document, id, created_at, ...made } });
  const issued = await outcomeOf(documents.issue({ id, digest: shown.digest }));
  const sums = { net: 0, tax: 0 };
  for (const { net, tax } of shown.tax) {
    sums.net += Math.round(net * 100);
    sums.tax += Math.round(tax * 100);
  }
  const { total_net, total_tax } = shown.document;
  expect(sums).toEqual({ net: Math.round(total_net * 100), tax: Math.round(total_tax * 100) });
  const [first] = shown.refusals;
  for (const { code } of shown.refusals) count(code);
  if (issued instanceof LacreError) {
    expect(first).toEqual(issued.toJSON());
    world.documents.push(draft);
    return;
  }
  expect(first).toBeUndefined();
  expect(issued.number).toBe(shown.number);
  expect(unnumbered(issued, ofDraft.document)).toEqual(ofDraft.document);
  world.documents.push(issued);
  count(`issued ${issued.doc_type}`);
}

/** An issued document without what issuing adds to its preview. */
function unnumbered(issued: Document, { transport }: DocumentPreview["document"]): DocumentPreview["document"] {
  const leaves = transport?.start_at === null && issued.transport !== null;
  const nothing = { number: null, atcud: null, hash: null, qr_code: null, issued_at: null, system_entry_date: null };
  return {
    ...issued,
    ...nothing,
    status: "draft",
    customer: issued.customer as NonNullable<Document["customer"]>,
    ...(leaves && { transport: { ...issued.transport, start_at: null } as Document["transport"] }),
  };
}

/** Every row of every table, by its table. */
export async function everyRow({ past, driver }: Pick<Instance, "past" | "driver">): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {};
  for (const name of TABLE_NAMES) {
    if ("open" in driver && name === "rate_log") continue; // a server's table
    rows[name] = (await past(`select * from ${name}`)).map((row) => JSON.stringify(row)).sort();
  }
  return rows;
}
