/** PostgreSQL's engine: how statements are written for it, its locks, and what its schema says. */
import { PostgresAdapter, PostgresQueryCompiler, type RawNode, type SchemableIdentifierNode, sql } from "kysely";
import type { Engine } from "./engine.ts";
import { MIGRATIONS, MIGRATIONS_TABLE } from "./migrations/index.ts";
import { inSchema, postgresStatements, qualified, quoted, tablesIn } from "./postgres-schema.ts";
import { asText, preparedSelect } from "./prepared.ts";
import { textFor } from "./words.ts";

/** The most commands in one transaction: a server keeps 64 savepoints of a transaction at hand, and spills the rest. */
const MOST_TOGETHER = 32;

/** Held by whoever migrates. Any number does that no other program takes. */
const SCHEMA_LOCK = 5_172_233;

const TABLES: ReadonlySet<string> = new Set([MIGRATIONS_TABLE, ...MIGRATIONS.map(({ up }) => up)].flatMap(tablesIn));

/** Makes PostgreSQL's engine, with Lacre's tables in a schema of their own. */
export function postgresEngine(schema: string): Engine {
  return {
    name: "postgres",
    compiler: new SchemaQueryCompiler(schema),
    adapter: new PostgresAdapter(),
    mostTogether: MOST_TOGETHER,
    laneOf: (company_id) => company_id,
    async lock(db, company_id) {
      const [locked] = await lockOf(db, { company_id });
      return locked && new Date(locked.at);
    },
    lockCompanies: (db) => everyCompany(db, {}),
    async lockSchema(db) {
      await sql`select pg_advisory_xact_lock(${sql.lit(SCHEMA_LOCK)})`.execute(db);
      await sql`create schema if not exists ${sql.id(schema)}`.execute(db);
    },
    statementsOf: (script) => postgresStatements(script).map((statement) => inSchema(statement, schema, TABLES)),
    async columnsOf(db, table) {
      const rows = await columnsOf(db, { table: `${quoted(schema)}.${table}` });
      return rows.map(({ name }) => name);
    },
    async tablesOf(db) {
      const rows = await tablesOf(db, { schema: quoted(schema) });
      return rows.map(({ name }) => name);
    },
    faultOfSchema: async () => null,
  };
}

/** The clock is read once the row is held: read before, it could be behind a document that was issued meanwhile. */
const lockOf = preparedSelect((db, { company_id }: { company_id: string | undefined }) => {
  const row =
    company_id === undefined ? sql`select 1 from installation` : sql`select 1 from companies where id = ${company_id}`;
  return asText(
    db,
    sql<{ at: number }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as at
      from (${row} for no key update) as locked`,
  );
});

const everyCompany = preparedSelect((db, _: object) =>
  asText(db, sql`select 1 from companies order by id for no key update`),
);

const columnsOf = preparedSelect((db, { table }: { table: string }) =>
  asText(
    db,
    sql<{ name: string }>`select attname::text as name from pg_attribute
      where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped order by attnum`,
  ),
);

const tablesOf = preparedSelect((db, { schema }: { schema: string }) =>
  asText(
    db,
    sql<{ name: string }>`select relname::text as name from pg_class
      where relnamespace = to_regnamespace(${schema}) and relkind in ('r', 'p', 'v', 'm', 'f') order by relname`,
  ),
);

/** Puts the schema before the name of each of Lacre's tables: a search path would not hold behind every pooler. */
class SchemaQueryCompiler extends PostgresQueryCompiler {
  readonly #schema: string;

  constructor(schema: string) {
    super();
    this.#schema = schema;
  }

  protected override visitSchemableIdentifier(node: SchemableIdentifierNode): void {
    if (!node.schema && TABLES.has(node.identifier.name)) this.append(`${quoted(this.#schema)}.`);
    super.visitSchemableIdentifier(node);
  }

  protected override visitRaw(node: RawNode): void {
    const text = textFor("postgres", node);
    const sqlFragments = text.sqlFragments.map((fragment) => qualified(fragment, this.#schema, TABLES));
    super.visitRaw({ ...text, sqlFragments });
  }
}
