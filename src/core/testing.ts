/** `lacre/testing`: Lacre in memory, ready in milliseconds, with fixed keys. */

import type { LacreDialect } from "./database/executor.ts";
import { openSqlite, sqlite } from "./database/sqlite.ts";
import { StorageError } from "./database/storage-error.ts";
import type { DocType } from "./fiscal/document-types.ts";
import { type CompanyFace, type Lacre, type LacreOptions, openLacre } from "./open.ts";
import { keyFrom } from "./people/api-keys.ts";
import { PERMISSIONS } from "./runtime/permissions.ts";
import { randomSecret, systemClock } from "./runtime/ports.ts";
import { pemSigner } from "./signing/signing-keys.ts";

export { type FixedClock, fixtures, type Year, type YearOptions } from "./fixtures.ts";

/**
 * The signing key of every test instance. It is published, so it proves nothing: never use it for real documents.
 */
export const TEST_SIGNING_KEY = `-----BEGIN PRIVATE KEY-----
MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAOIonvpKb9dzftZa
gyEih5QoBlXBxszLq3jauGUn7iRaGprY8+1SIjY4i3fcEno8utwsHkeYCIQEjlrY
bk7d8xb72N2TP6b96I+Ln4PVErqDYiz+sF3xdUXZqs1ZcNPpSDr6OxDSnMC/EKQW
rsTvITOy0Z+L6Pi5ON0AMqfbTVb7AgMBAAECgYAecmeMvK6368WcqAzVTifAi27m
5rKT6auJFrESdUC7RiIkzKZyQcd3Uz97gHZAXKKvd4UQEGi9FTvxAQhAt+K86ZQP
aq3bJ9VYVEzgrkpGttb+wtXu3Vp2vna0TE9UuPdz8uE3JdMq4s8QzRX8n7QIDF4L
1/S77GxVE1otDHbqCQJBAPfUQ4/cMEPaYFF96fQ+cqQebi2VACzfX+OCWb+T5LrR
I9weSAvjpRFr91wuTYMVie2lDDMD1G24rYaR7oRMbSUCQQDpnXQC1E7l6WN+VvXZ
5VdrvCtlaWzvOmky5w758VS5wvArdGFHQC6Cf87RHFgJZ4DKEy5nW1pJlAvaj1US
/kmfAkBbUd73YqZySkSVorUTp/MsYH4u06m13zWBKuYRPtjYsfnpwUrA/sgzbDpA
wFsVg1lItTmSjsW3DIb8gEeIfnT1AkEA15Tjf9DoViaAGBCro76OY+8rpNQbINCo
T78GBQT9iMcp1w/4zUWfJfJHqpUbcOJA6Tm2Ms8MjKXAIpruiS58RQJBAOvk4+8k
UDyaAN1I5ILrxDVxr+t0h6rUgXUDBYEv+asaLkMUyPbUYvXdowCWrvl0F5F6holA
UJnT5/TWElrlNYA=
-----END PRIVATE KEY-----
`;

/** The API key of every test instance: its secret is 32 zero bytes. It opens test instances only. */
export const TEST_API_KEY = keyFrom("test", Buffer.alloc(32));

/** Cheap enough for a test that logs in many times. */
const TEST_PASSWORD_COST = { ln: 4, r: 8, p: 1 };

const IN_USE =
  "This database has a company already, and openInMemory makes one with keys of its own: give it an empty database, or " +
  "open this one with openLacre.";

/** A database in memory, over the installed driver. */
async function inMemory(): Promise<LacreDialect> {
  try {
    openSqlite(":memory:").close();
    return sqlite(":memory:");
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const { nodeSqlite } = await import("./database/node-sqlite.ts");
    return nodeSqlite(":memory:");
  }
}

/** A Lacre in memory with one company, its series for the year of `now`, and a key with every scope. */
export interface TestInstance {
  /** The open instance; close it with `lacre.close()`. */
  readonly lacre: Lacre;
  /** The id of its one company. */
  readonly company_id: string;
  /** The same as `lacre.as(company_id)`. */
  readonly company: CompanyFace;
  /** Always `TEST_API_KEY`. */
  readonly api_key: string;
  /** Series id by document type: `series.FT`. */
  readonly series: Readonly<Record<DocType, string>>;
}

/**
 * Opens a Lacre in memory, with a company and its series. Give `now` to move the clock. Every answer is checked against
 * its contract. Close it with `lacre.close()`. With a `dialect` it is in that database, which must have no company:
 * otherwise it throws TypeError.
 *
 * ```ts
 * import { openInMemory } from "lacre/testing";
 *
 * let today = new Date("2026-11-21T10:00:00Z");
 * const { lacre, company, series } = await openInMemory({ now: () => today });
 * const customer = await company.customers.create({ name: "Consumidor final" });
 * today = new Date("2026-11-22T10:00:00Z");
 * const invoice = await company.documents.create({
 *   doc_type: "FR",
 *   series_id: series.FR,
 *   customer_id: customer.id,
 *   issue_date: "2026-11-22",
 *   lines: [{ description: "Pão de Mafra", qty: 2, unit_price_net: 1.15, tax_rate: 6 }],
 *   issue: true,
 * });
 * `${invoice.number} over ${invoice.total_gross} EUR`; // => "FR 2026A/1 over 2.44 EUR"
 * await lacre.close();
 * ```
 */
export async function openInMemory(options: Partial<LacreOptions> = {}): Promise<TestInstance> {
  let secrets = 0;
  const lacre = await openLacre({
    dialect: options.dialect ?? (await inMemory()),
    now: systemClock,
    signer: pemSigner(TEST_SIGNING_KEY, 1),
    newSecret: () => (secrets++ === 0 ? Buffer.alloc(32) : randomSecret()),
    passwordCost: TEST_PASSWORD_COST,
    checkContracts: true,
    ...options,
  });
  if ((await lacre.companies.list()).length > 0) {
    await lacre.close();
    throw new TypeError(IN_USE);
  }
  const { id: company_id } = await lacre.companies.create({ name: "Padaria Central, Lda.", tax_id: "500000000" });
  const { api_key } = await lacre.keys.create({ company_id, name: "test", kind: "test", scopes: [...PERMISSIONS] });
  const company = lacre.as(company_id);
  const { data } = await company.series.list();
  const series = Object.fromEntries(data.map((row) => [row.doc_type, row.id])) as Record<DocType, string>;
  return { lacre, company_id, company, api_key, series };
}
