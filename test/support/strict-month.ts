/** A month of a certified business: every type of document in each of the three regions, by chance from a seed. */
import { computeTotals, DOC_TYPES, type DocType, type NewDocument, type NewDocumentLine } from "lacre";
import type { TestInstance } from "lacre/testing";
import type { Document, DocumentLine } from "../../src/core/documents/document.ts";
import type { PricedLine } from "../../src/core/fiscal/computed-totals.ts";
import type { Product } from "../../src/core/records/products.ts";
import type { Chance } from "./chance.ts";
import { DATABASE } from "./databases.ts";
import { aCustomer, anInvoice, aProduct } from "./factories.ts";
import { type Instance, openInstance } from "./instance.ts";

const REGIONS = [
  { tax_region: "PT", rates: [23, 13, 6], city: "Mafra" },
  { tax_region: "PT-AC", rates: [16, 9, 4], city: "Ponta Delgada" },
  { tax_region: "PT-MA", rates: [22, 12, 4], city: "Funchal" },
] as const;

/** Days of work in each region, in November 2026. */
const DAYS = 4;

/** A month's documents, and the instance that issued them. */
export interface StrictMonth {
  readonly home: Instance;
  readonly documents: readonly Document[];
}

/** Issues the month, a few documents of each type on each day. The caller closes the instance. */
export async function aStrictMonth(chance: Chance, database = DATABASE, file = ":memory:"): Promise<StrictMonth> {
  const home = await openInstance(database, { at: "2026-11-02T08:00:00Z", file });
  await certify(home);
  const customers = await customersOf(home);
  const documents: Document[] = [];
  for (const [i, { tax_region, rates, city }] of REGIONS.entries()) {
    const address = { address: "Rua do Forno, 12", postal_code: "2640-389", city };
    await home.lacre.companies.change({ id: home.company_id, tax_region, ...address });
    const products = await productsOf(home, rates, `R${i}`);
    for (let day = 0; day < DAYS; day++) {
      const issue_date = `2026-11-${String(2 + i * 9 + day).padStart(2, "0")}`;
      home.travel(`${issue_date}T09:00:00Z`);
      const place = { ...address, country: "PT" };
      for (const customer_id of customers) {
        documents.push(...(await aRound(home, chance, { issue_date, customer_id, products, place })));
      }
    }
  }
  home.travel("2026-11-30T18:00:00Z");
  return { home, documents };
}

/** Makes the business a certified one, whose series are registered. */
export async function certify({ lacre, company_id, company, series }: TestInstance): Promise<void> {
  const address = { address: "Rua do Forno, 12", postal_code: "2640-389", city: "Mafra" };
  await lacre.companies.change({ id: company_id, ...address });
  const producer = { producer_name: "Lacre Software, Lda.", producer_tax_id: "508025338" };
  await lacre.signer.setCertificate({ certificate_number: 9999, ...producer });
  for (const doc_type of DOC_TYPES) {
    await company.series.change({ id: series[doc_type], validation_code: `MES${doc_type.padEnd(6, "0")}` });
  }
}

async function customersOf(home: Instance): Promise<string[]> {
  const address = { address: "Rua Direita, 1", postal_code: "1100-148", city: "Lisboa" };
  const given = [
    { name: "Consumidor habitual", ...address },
    { name: "Pão & Vinho, Lda.", tax_id: "501442600", phone: "212 345 678", email: "geral@pao.pt", ...address },
    {
      name: "Bodega, S.L.",
      tax_id: "ESB12345678",
      country: "ES",
      address: "Calle Mayor 1",
      postal_code: "28013",
      city: "Madrid",
    },
  ];
  const ids: string[] = [];
  for (const fields of given) ids.push((await aCustomer(home, fields)).id);
  return ids;
}

/** One product of each rate, and one that is exempt. */
async function productsOf(home: Instance, rates: readonly number[], prefix: string): Promise<Product[]> {
  const products: Product[] = [];
  for (const [i, tax_rate] of [...rates, 0].entries()) {
    const exemption = tax_rate === 0 ? { exemption_code: "M07" } : {};
    const fields = { name: `Artigo ${prefix} ${i}`, sku: `${prefix}-${i}`, tax_rate, ...exemption };
    products.push(await aProduct(home, fields));
  }
  return products;
}

interface Shop {
  readonly issue_date: string;
  readonly customer_id: string;
  readonly products: readonly Product[];
  readonly place: Record<string, string>;
}

/** Documents that follow from each other: ordered, delivered, invoiced, corrected, paid, returned. */
async function aRound(
  home: Instance,
  chance: Chance,
  { issue_date, customer_id, products, place }: Shop,
): Promise<Document[]> {
  const round: Document[] = [];
  const issue = async (doc_type: DocType, fields: Partial<NewDocument>) => {
    home.wait(1_000 * (1 + chance.below(600)));
    const document = await anInvoice(home, { doc_type, customer_id, issue_date, ...fields });
    round.push(document);
    return document;
  };
  const lines = () => Array.from({ length: 1 + chance.below(4) }, () => aLineOf(chance, chance.oneOf(products)));
  const about = (...documents: readonly Document[]) => ({
    references: documents.map(({ id }) => ({ document_id: id })),
  });
  const transport = { from: place, to: place };

  const order = await issue("OR", { lines: lines() });
  const guide = await issue(chance.oneOf(["GT", "GR"] as const), { lines: lines(), transport, ...about(order) });
  await issue(chance.oneOf(["GT", "GR"] as const), { lines: lines(), transport });
  const sale = await issue("FT", { lines: lines(), global_discount_pct: chance.oneOf([0, 5, 12.5]), ...about(guide) });
  await issue("FS", { lines: [aLineOf(chance, chance.oneOf(products), 1)] });
  const means = chance.oneOf(["NU", "MB", "TB"] as const);
  // Large sums are not paid in cash (Lei Geral Tributária, article 63-E).
  const meansOf = (amount: number) => (amount < 3_000 ? means : "TB");
  const bought = lines();
  const { total_gross } = computeTotals({ lines: bought as PricedLine[] });
  await issue("FR", {
    lines: bought,
    payments: [{ amount: total_gross, method_code: meansOf(total_gross), payment_date: sale.issue_date }],
  });
  const [month, day] = [issue_date.slice(0, 8), Number(issue_date.slice(8))];
  const supply_date = chance.oneOf([`${month}${String(day - 1).padStart(2, "0")}`, null]);
  const owed = await issue("FT", { lines: [...lines(), aFreeLine(chance)], supply_date });
  await issue("ND", { lines: [aLineOf(chance, chance.oneOf(products), 1)], ...about(owed) });
  const [{ unit_price_net, ...first }] = owed.lines as [DocumentLine];
  const price = first.unit_price_gross === null ? { unit_price_net } : {};
  const credit = { ...first, ...price, reference_line: 1, type: null, supply_date: null };
  const { total_gross: credited } = await issue("NC", { lines: [credit], ...about(owed) });
  const amount = owed.total_gross - credited;
  if (amount > 0.02) {
    const part = Math.floor((amount * 100) / (1 + chance.below(3))) / 100;
    const receipt = { description: "Pagamento", qty: 1, unit_price_net: part, tax_rate: 0 };
    const payments = [{ amount: part, method_code: meansOf(part), payment_date: sale.issue_date }];
    await issue("RC", { lines: [receipt], ...about(owed), ...(chance.below(2) === 0 && { payments }) });
  }
  await issue("NDV", { lines: lines(), transport, ...about(guide) });
  await aSaleLess(chance, products, issue);
  const mistake = await issue("FT", { lines: lines() });
  home.wait(60_000);
  await home.company.documents.cancel({ id: mistake.id, reason: "Cliente errado" });
  return round;
}

/** A sale with an amount off all its lines, and the credit note that undoes it. */
async function aSaleLess(
  chance: Chance,
  products: readonly Product[],
  issue: (doc_type: DocType, fields: Partial<NewDocument>) => Promise<Document>,
): Promise<void> {
  const kind = chance.oneOf(PRICES);
  const lines = Array.from({ length: 1 + chance.below(4) }, () => aLineOf(chance, chance.oneOf(products), 1_000, kind));
  const totals = computeTotals({ lines: lines as PricedLine[] });
  const most_cents = Math.round((kind === "unit_price_net" ? totals.total_net : totals.total_gross) * 100);
  const off = most_cents > 1 && { global_discount_amount: (1 + chance.below(most_cents - 1)) / 100 };
  const sale = await issue("FT", { lines, ...off });
  if (sale.total_gross === 0) return;
  const credited = lines.map((line, i) => ({ ...line, reference_line: i + 1 }));
  await issue("NC", { lines: credited, ...off, references: [{ document_id: sale.id }] });
}

const PRICES = ["unit_price_net", "unit_price_gross"] as const;

function aLineOf(chance: Chance, product: Product, most = 1_000, kind = chance.oneOf(PRICES)): NewDocumentLine {
  const [qty_cents, price_mills] = [100 + chance.below(most * 100), 10 + chance.below(20_000)];
  // At least a cent is left of what the line comes to.
  const room_cents = Math.floor((qty_cents * price_mills) / 1_000) - 1;
  const isAmount = chance.below(4) === 0 && room_cents > 0;
  return {
    description: product.name,
    product_id: product.id,
    qty: qty_cents / 100,
    ...{ [kind]: price_mills / 1_000 },
    tax_rate: product.tax_rate,
    ...(isAmount
      ? { discount_amount: (1 + chance.below(room_cents)) / 100 }
      : { discount_pct: chance.oneOf([0, 0, 8.8, 33.33]) }),
  };
}

/** A line that names no product. */
function aFreeLine(chance: Chance): NewDocumentLine {
  const unit = chance.oneOf(["h", "un"]);
  return { description: `Trabalho à ${unit}`, qty: 2.5, unit_price_net: 30, tax_rate: 0, exemption_code: "M01", unit };
}
