/** Joins the row types that each resource declares beside its SQL into the one type Kysely checks queries against. */
import type { Generated, Insertable, Selectable } from "kysely";
import type { ApiKeysTable } from "../api-keys.ts";
import type { CompaniesTable, CompanyLogosTable } from "../companies.ts";
import type { CustomersTable } from "../customers.ts";
import type { DocumentCountsTable } from "../documents/counts.ts";
import type {
  DocumentLinesTable,
  DocumentPaymentsTable,
  DocumentReferencesTable,
  DocumentsTable,
} from "../documents/rows.ts";
import type { EventsTable } from "../events.ts";
import type { InstallationTable } from "../installation.ts";
import type { PaymentsTable } from "../payments.ts";
import type { ProductsTable } from "../products.ts";
import type { IdempotencyKeysTable } from "../runtime/idempotency.ts";
import type { ListsTable } from "../runtime/page.ts";
import type { SearchTable } from "../runtime/search.ts";
import type { SeriesTable } from "../series/series.ts";
import type { SigningKeysTable } from "../signing/signing-keys.ts";
import type { MigrationsTable } from "./migrate.ts";

export interface Tables {
  api_keys: ApiKeysTable;
  companies: CompaniesTable;
  company_logos: CompanyLogosTable;
  customer_search: SearchTable;
  customers: CustomersTable;
  document_counts: DocumentCountsTable;
  document_lines: DocumentLinesTable;
  document_payments: DocumentPaymentsTable;
  document_references: DocumentReferencesTable;
  documents: DocumentsTable;
  events: EventsTable;
  idempotency_keys: IdempotencyKeysTable;
  installation: InstallationTable;
  lists: ListsTable;
  migrations: MigrationsTable;
  payments: PaymentsTable;
  product_search: SearchTable;
  products: ProductsTable;
  series: SeriesTable;
  signing_keys: SigningKeysTable;
}

/** A row as it is read. */
export type Row<Name extends keyof Tables> = Selectable<Tables[Name]>;
/** A row as it is written. */
export type NewRow<Name extends keyof Tables> = Insertable<Tables[Name]>;
export type { Generated };
