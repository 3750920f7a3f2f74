/** A small shop of Vendure in memory, with the plugin, and its two APIs. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  bootstrap,
  DefaultJobQueuePlugin,
  DefaultLogger,
  dummyPaymentHandler,
  type InitialData,
  JobQueueService,
  LanguageCode,
  LogLevel,
  type VendureConfig,
} from "@vendure/core";
import { importProductsFromCsv, populateInitialData } from "@vendure/core/cli";
import { LacrePlugin, type LacrePluginOptions } from "./lacre-plugin.js";

const SUPERADMIN = { identifier: "superadmin", password: "superadmin" };

const config = (port: number, lacre: LacrePluginOptions): VendureConfig => ({
  logger: new DefaultLogger({ level: LogLevel.Error }),
  apiOptions: { port, hostname: "127.0.0.1", adminApiPath: "admin-api", shopApiPath: "shop-api" },
  authOptions: { tokenMethod: "bearer", superadminCredentials: SUPERADMIN },
  dbConnectionOptions: { type: "sqljs", synchronize: true, logging: false },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  plugins: [
    // In a shop: 1 s, 2 s, 4 s … and at most ten minutes. Here half a second, so that the day is short.
    DefaultJobQueuePlugin.init({ pollInterval: 100, backoffStrategy: () => 500 }),
    LacrePlugin.init(lacre),
  ],
});

const DATA: InitialData = {
  defaultLanguage: LanguageCode.en,
  defaultZone: "Portugal",
  countries: [{ code: "PT", name: "Portugal", zone: "Portugal" }],
  taxRates: [
    { name: "standard", percentage: 23 },
    { name: "reduced", percentage: 6 },
  ],
  shippingMethods: [{ name: "CTT", price: 450, taxRate: 23 }],
  paymentMethods: [
    {
      name: "Cartão",
      handler: { code: dummyPaymentHandler.code, arguments: [{ name: "automaticSettle", value: "true" }] },
    },
  ],
  collections: [],
};

const PRODUCTS = `name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets
Pão de Mafra,pao,,,,,,PAO,1.15,reduced,1000,false,,
Caneca,caneca,,,,,,CANECA,9.99,standard,1000,false,,
`;

/** Asks an API of the shop; an answer of the type `…Error` throws. */
export type Api = <Answer>(query: string, variables?: object) => Promise<Answer>;

export async function openShop(lacre: LacrePluginOptions) {
  const port = await freePort();
  const app = await bootstrap(config(port, lacre));
  await app.get(JobQueueService).start();
  await populateInitialData(app, DATA);
  const admin = api(`http://127.0.0.1:${port}/admin-api`);
  await admin("mutation ($u: String!, $p: String!) { login(username: $u, password: $p) { __typename } }", {
    u: SUPERADMIN.identifier,
    p: SUPERADMIN.password,
  });
  const prices = { pricesIncludeTax: true, availableCurrencyCodes: ["EUR"], defaultCurrencyCode: "EUR" };
  await admin("mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { __typename } }", {
    input: { id: 1, ...prices },
  });
  await fill(app, admin);
  return { app, admin, visit: () => api(`http://127.0.0.1:${port}/shop-api`) };
}

async function fill(app: Awaited<ReturnType<typeof bootstrap>>, admin: Api) {
  const folder = mkdtempSync(join(tmpdir(), "vendure-products-"));
  try {
    const file = join(folder, "products.csv");
    writeFileSync(file, PRODUCTS);
    const { errors = [] } = await importProductsFromCsv(app, file, LanguageCode.en);
    if (errors.length > 0) throw new Error(errors.join("\n"));
  } finally {
    rmSync(folder, { recursive: true });
  }
  await admin("mutation ($input: CreatePromotionInput!) { createPromotion(input: $input) { __typename } }", {
    input: {
      enabled: true,
      couponCode: "DEZ",
      conditions: [],
      actions: [{ code: "order_percentage_discount", arguments: [{ name: "discount", value: "10" }] }],
      translations: [{ languageCode: "en", name: "10 % off" }],
    },
  });
}

/** One visitor of an API: its session goes from answer to request. */
function api(url: string): Api {
  let token: string | undefined;
  return async <Answer>(query: string, variables: object = {}) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ query, variables }),
    });
    token = response.headers.get("vendure-auth-token") ?? token;
    const { data, errors } = (await response.json()) as { data: Record<string, unknown>; errors?: object[] };
    if (errors) throw new Error(JSON.stringify(errors));
    const wrong = Object.values(data).find((answer) => /Error$/.test((answer as Typed | null)?.__typename ?? ""));
    if (wrong) throw new Error(JSON.stringify(wrong));
    return data as Answer;
  };
}

interface Typed {
  readonly __typename?: string;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
