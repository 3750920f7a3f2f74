/** Product: goods or a service that a line can name. A line always has its own price and rate. */
import * as z from "zod";
import { skipCodeNumbers, takeCodeNumber } from "../company/companies.ts";
import { preparedSelect } from "../database/prepared.ts";
import type { NewRow, Row } from "../database/tables.ts";
import { type List, listOf, valuesOf } from "../database/words.ts";
import { hasIssuedWith } from "../documents/rows.ts";
import {
  definedOnly,
  ExemptionCode,
  Id,
  Instant,
  PathId,
  Stock,
  TaxRate,
  text,
  UnitPrice,
  UnitPriceGross,
  wholeNumber,
} from "../fields.ts";
import { fromBps, fromMicros, toBps, toMicros } from "../fiscal/money.ts";
import { PRODUCT_TYPES } from "../fiscal/product-types.ts";
import { refuse } from "../runtime/errors.ts";
import { noticing, withNotices } from "../runtime/notices.ts";
import { command, query } from "../runtime/operation.ts";
import { cursorPageOf } from "../runtime/page.ts";
import type { ReadScope, WriteScope } from "../runtime/scope.ts";
import { foldAll } from "../runtime/search.ts";
import { isStrict } from "../signing/certification.ts";
import { CALLER_FIELDS, CALLER_INPUT, parseMetadata, storedMetadata } from "./caller-data.ts";
import { productsLike } from "./in-use.ts";
import { listRecords, RECORD_FILTER } from "./list.ts";
import { archive, type Sorted, shownAs, storeChanged, storeMissing, storeNew } from "./master-data.ts";
import { t } from "./refusals.ts";
import {
  ONE_PRICE,
  PRICE_FIELDS,
  pricesAfter,
  pricesOf,
  type StoredPrices,
  withAtMostOnePrice,
  withPrice,
} from "./unit-prices.ts";

/** The unit of a product or a line that names none. */
export const DEFAULT_UNIT = "un";

/** Five digits: what is longer is no sooner typed than a name. */
const MAX_TILL_NUMBER = 99_999;

const name = text(200).meta({ example: "Pão de Mafra" });
const details = {
  sku: text(100).nullable().describe("Your own article code; documents show a code of ours, such as P17, without one."),
  unit: text(100),
  stock: Stock.nullable(),
  type: z.enum(PRODUCT_TYPES).describe("P product, S service."),
  exemption_code: ExemptionCode.nullable().describe("Exemption reason of lines at 0 % that name none."),
  till_number: wholeNumber(1, MAX_TILL_NUMBER).nullable().describe("A short code for the keys of a till."),
};

export const Product = z
  .strictObject({
    id: Id,
    name,
    unit_price_net: UnitPrice,
    unit_price_gross: UnitPriceGross.nullable().describe(
      "The price with VAT, if it was given so; unit_price_net is then its net, half-up to six decimals.",
    ),
    tax_rate: TaxRate,
    ...details,
    ...CALLER_FIELDS,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: "Product", description: "Goods or a service." });
export type Product = z.infer<typeof Product>;

/** A product as a change answers it. */
export const StoredProduct = withNotices(Product);
export type StoredProduct = z.infer<typeof StoredProduct>;

const fields = { ...details, ...CALLER_INPUT };

export const NewProduct = withPrice(
  z.strictObject({
    name,
    ...PRICE_FIELDS,
    tax_rate: TaxRate,
    ...z.object(fields).partial().shape,
    unit: details.unit.optional().describe(`${DEFAULT_UNIT} when left out.`),
    type: details.type.optional().describe("P product, S service; P when left out."),
  }),
).meta({ id: "ProductInput", description: "Goods or a service with one price, net or with VAT.", anyOf: ONE_PRICE });
export type NewProduct = z.input<typeof NewProduct>;

const changes = {
  name,
  unit_price_net: UnitPrice,
  unit_price_gross: UnitPriceGross.describe(
    `${UnitPriceGross.description} In place of unit_price_net; the tax_rate sent with it counts, else the product's.`,
  ),
  tax_rate: TaxRate.describe(
    `${TaxRate.description} Alone it leaves unit_price_net as it is; another one makes unit_price_gross null.`,
  ),
  ...fields,
};
export const ProductChanges = withAtMostOnePrice(z.strictObject(z.object(changes).partial().shape)).meta({
  id: "ProductChanges",
  description: "The fields of a product to change; null clears one.",
});
export type ProductChanges = z.input<typeof ProductChanges>;

export const listProducts = query(
  {
    id: "listProducts",
    summary: "List products, newest first or by name",
    needs: "products:read",
    input: z.strictObject({
      ...RECORD_FILTER,
      sku: text(100).optional().describe("Only products with this sku; as sent, in the same case."),
      till_number: wholeNumber(1, MAX_TILL_NUMBER).optional().describe("Only products with this till number."),
    }),
    output: cursorPageOf(Product),
    fails: [],
  },
  async (scope, input) => listRecords(scope, "products", input, toProduct),
);

export const createProduct = command(
  {
    id: "createProduct",
    summary: "Create a product",
    isTagged: true,
    needs: "products:write",
    input: NewProduct,
    output: StoredProduct,
    fails: [],
  },
  async (scope, input) => {
    const row = await insertProduct(scope, input);
    return noticing(scope, shownAs(scope, toProduct(row)), await productsLike(scope, row, input));
  },
);

export const getProduct = query(
  {
    id: "getProduct",
    summary: "Get a product",
    isTagged: true,
    needs: "products:read",
    input: z.strictObject({ id: PathId }),
    output: Product,
    fails: ["not_found"],
  },
  async (scope, { id }) => toProduct(await mustFindProduct(scope, id)),
);

export const changeProduct = command(
  {
    id: "changeProduct",
    summary: "Change the fields sent; null clears one",
    target: getProduct,
    isTagged: true,
    needs: "products:write",
    input: withAtMostOnePrice(z.strictObject({ id: PathId, ...ProductChanges.shape })),
    output: StoredProduct,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id, ...input }) => {
    const before = await mustFindProduct(scope, id);
    const changes = definedOnly(input);
    if (Object.keys(changes).length === 0) return noticing(scope, shownAs(scope, toProduct(before)));
    const { id: _, created_at: __, updated_at: ___, unit_price_gross: ____, ...fields } = toProduct(before);
    const columns = columnsOf({ ...fields, ...changes }, pricesAfter(before, changes));
    await mustKeepName(scope, before, columns);
    const reserved_number = await reserveCode(scope, columns.sku, before.reserved_number);
    const kept = { ...columns, reserved_number };
    const saved = await storeChanged(scope, "products", before, kept, Object.keys(changes));
    return noticing(scope, shownAs(scope, toProduct(saved)), await productsLike(scope, saved, changes));
  },
);

/** In strict mode the name of a product with documents is fixed: `invalid_state` (Despacho 8632/2014, 3.3.5). */
async function mustKeepName(
  scope: WriteScope,
  before: Row<"products">,
  after: Pick<Row<"products">, "name">,
): Promise<void> {
  if (after.name === before.name || !(await isStrict(scope)) || !(await hasIssuedWith(scope, before.id))) return;
  refuse("invalid_state", t.product_name_is_fixed);
}

export const archiveProduct = command(
  {
    id: "archiveProduct",
    summary: "Archive a product: hidden from reads and lists; its documents do not change",
    target: getProduct,
    needs: "products:write",
    input: z.strictObject({ id: PathId }),
    output: z.void(),
    fails: ["not_found"],
  },
  async (scope, { id }) => archive(scope, "products", await mustFindProduct(scope, id)),
);

/**
 * Creates the products that do not exist yet, and returns which they are. A product exists if one with its `sku` (or
 * its name, if it has no sku) is stored or earlier in the list. With `dry_run` nothing is written.
 */
export async function importProducts(
  scope: WriteScope,
  given: readonly z.output<typeof NewProduct>[],
  dry_run: boolean,
): Promise<Sorted<z.output<typeof NewProduct>>> {
  const rows = await scope.db
    .selectFrom("products")
    .select(["sku", "name"])
    .where("company_id", "=", scope.company_id)
    .where("archived_at", "is", null)
    .execute();
  return storeMissing(rows.map(identityOf), given, identityOf, async (product) => {
    if (!dry_run) await insertProduct(scope, product);
  });
}

function identityOf({ sku, name }: { readonly sku?: string | null | undefined; readonly name: string }): string {
  return JSON.stringify(sku == null ? { name } : { sku });
}

async function insertProduct(scope: WriteScope, input: z.output<typeof NewProduct>): Promise<Row<"products">> {
  const columns = columnsOf(input);
  const reserved_number = await reserveCode(scope, columns.sku, null);
  const row: NewRow<"products"> = {
    id: scope.newId(),
    company_id: scope.company_id,
    code: codeOf(await takeCodeNumber(scope, "product_count")),
    ...columns,
    reserved_number,
    created_at: scope.now.toISOString(),
    updated_at: scope.now.toISOString(),
  };
  return storeNew(scope, "products", row);
}

const codeOf = (number: number) => `P${number}`;

/** An sku spelled like one of Lacre's codes. */
const LIKE_CODE = /^P([1-9]\d{0,8})$/;

/**
 * Prevents the code that an sku spells from being assigned to another product later. Returns the highest number that
 * the product has reserved in this way, counting `before`; null for none.
 */
async function reserveCode(scope: WriteScope, sku: string | null, before: number | null): Promise<number | null> {
  const [, digits] = LIKE_CODE.exec(sku ?? "") ?? [];
  if (digits === undefined) return before;
  const number = Number(digits);
  await skipCodeNumbers(scope, "product_count", number);
  return Math.max(number, before ?? 0);
}

/**
 * The codes that documents show for these products: each one's sku, or its own code if it has no sku or the sku is
 * another product's code. Products that share an sku share an entry of the tax file: they are one article.
 */
export async function productCodes(
  { db, company_id }: ReadScope,
  products: ReadonlyMap<string, Row<"products">>,
): Promise<ReadonlyMap<string, string>> {
  const alike = [...products.values()].flatMap(({ sku }) => (sku !== null && LIKE_CODE.test(sku) ? [sku] : []));
  const taken = alike.length === 0 ? [] : await productsByCodes(db, { company_id, codes: listOf(new Set(alike)) });
  const owners = new Map(taken.map(({ id, code }) => [code, id]));
  return new Map(
    [...products.values()].map(({ id, sku, code }) => [
      id,
      sku === null || (owners.get(sku) ?? id) !== id ? code : sku,
    ]),
  );
}

const productsByCodes = preparedSelect((db, { company_id, codes }: { company_id: string; codes: List }) =>
  db
    .selectFrom("products")
    .select(["id", "code"])
    .where("company_id", "=", company_id)
    .where("code", "in", valuesOf(codes)),
);

async function mustFindProduct(scope: ReadScope, id: string): Promise<Row<"products">> {
  const row = (await findProducts(scope, [id])).get(id);
  if (!row || row.archived_at !== null) return refuse("not_found", t.no_such_product);
  return row;
}

/** The products with these ids, archived ones included, by id. */
export async function findProducts(
  { db, company_id }: ReadScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Row<"products">>> {
  if (ids.length === 0) return new Map();
  const rows = await productsByIds(db, { company_id, ids: listOf(new Set(ids)) });
  return new Map(rows.map((row) => [row.id, row]));
}

const productsByIds = preparedSelect((db, { company_id, ids }: { company_id: string; ids: List }) =>
  db.selectFrom("products").selectAll().where("company_id", "=", company_id).where("id", "in", valuesOf(ids)),
);

/** The columns that no field of the input sets. */
type OwnColumn =
  | "position"
  | "id"
  | "company_id"
  | "code"
  | "reserved_number"
  | "created_at"
  | "updated_at"
  | "archived_at";

/** The columns of a product: its fields, with the defaults of those left out, and the folded copy for search. */
function columnsOf(
  fields: z.output<typeof NewProduct>,
  prices: StoredPrices = pricesOf(fields),
): Omit<Row<"products">, OwnColumn> {
  const { name, sku = null, unit = DEFAULT_UNIT, stock = null, type = "P", exemption_code = null } = fields;
  return {
    name,
    sku,
    unit,
    type,
    ...prices,
    tax_rate_bps: toBps(fields.tax_rate),
    stock_micros: stock === null ? null : toMicros(stock),
    exemption_code,
    till_number: fields.till_number ?? null,
    external_id: fields.external_id ?? null,
    metadata: storedMetadata(fields.metadata),
    search: foldAll([name, sku]),
  };
}

function toProduct(row: Row<"products">): Product {
  return {
    id: row.id,
    name: row.name,
    sku: row.sku,
    unit: row.unit,
    unit_price_net: fromMicros(row.unit_price_micros),
    unit_price_gross: row.unit_price_gross_micros === null ? null : fromMicros(row.unit_price_gross_micros),
    tax_rate: fromBps(row.tax_rate_bps),
    stock: row.stock_micros === null ? null : fromMicros(row.stock_micros),
    type: row.type,
    exemption_code: row.exemption_code,
    till_number: row.till_number,
    external_id: row.external_id,
    metadata: parseMetadata(row.metadata),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
