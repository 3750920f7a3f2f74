/** A whole Lacre for a test, over either driver, in memory or in a file, on a clock that the test moves. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { type Lacre, type LacreDialect, type LacreOptions, openLacre } from "lacre";
import type { SqliteFile } from "lacre/sqlite";
import { openInMemory, type TestInstance } from "lacre/testing";
import { onTestFinished } from "vitest";
import { type OpenSqlite, sqliteDialect } from "../../src/core/database/sqlite-dialect.ts";
import { dropped, isPostgres, POSTGRES, pastLacre, schemaOf } from "./databases.ts";
import { type Database, type Driver, NOW } from "./drivers.ts";
import { asIfAbsent } from "./made-tables.ts";
import { aNif } from "./nif.ts";
import { withPrefix } from "./prefix.ts";

/** An instance whose clock stands still until the test moves it. */
export interface Instance extends TestInstance {
  readonly driver: Database;
  readonly dialect: LacreDialect;
  /** The file of the database, or `:memory:`. */
  readonly file: string;
  /** Sets the clock to an instant, forwards or back. */
  travel(instant: string): void;
  /** Moves the clock by some milliseconds, back when negative. */
  wait(ms: number): void;
  /** Runs statements past Lacre while it is idle, as any SQL shell does, and returns the rows of the last. */
  past<Row = Record<string, unknown>>(...statements: readonly string[]): Promise<Row[]>;
}

/** Options of `openLacre`, and the database file; in memory when left out. */
export interface InstanceOptions extends Partial<Omit<LacreOptions, "now">> {
  readonly file?: string;
  /** The clock's first instant. */
  readonly at?: string;
}

/** Opens an instance with one company, its series and a key. The caller closes it. */
export async function openInstance(
  driver: Database,
  { file = ":memory:", at = NOW, ...options }: InstanceOptions = {},
): Promise<Instance> {
  let now = new Date(at);
  const own = file === ":memory:" && isSqlite(driver) && !options.dialect ? inHand(driver) : undefined;
  const { prefix } = driver as Partial<Driver>;
  const { dialect = own?.dialect ?? driver.dialect(file) } = options;
  const instance = await openInMemory({ now: () => now, ...options, dialect });
  return {
    ...instance,
    driver,
    dialect,
    file,
    travel(instant) {
      now = new Date(instant);
    },
    wait(ms) {
      now = new Date(now.getTime() + ms);
    },
    async past<Row>(...statements: readonly string[]) {
      if (file !== ":memory:") return pastIn<Row>(driver, file, ...statements);
      return (own ? ranOn(own.raw, prefix, statements) : await pastLacre(dialect, ...statements)) as Row[];
    },
  };
}

/** A database in memory by its one connection. */
function inHand(driver: Driver): { readonly raw: SqliteFile; readonly dialect: LacreDialect } {
  const { openMade, prefix } = driver;
  const raw = openMade ? openMade() : driver.open(":memory:");
  const dialect = sqliteDialect(over(driver, raw), ":memory:", undefined, { prefix });
  return { raw, dialect: openMade ? { ...dialect, engine: asIfAbsent(dialect.engine) } : dialect };
}

/** Opens what is open, and by the driver the database without a name that Lacre makes its schema in to compare. */
export function over(driver: Pick<Driver, "open">, raw: SqliteFile): OpenSqlite {
  return (file) => (file === "" ? driver.open(file) : raw);
}

const isSqlite = (driver: Database): driver is Driver => "open" in driver;

/** Runs statements past Lacre in the database of a file, and returns the rows of the last. */
export async function pastIn<Row = Record<string, unknown>>(
  driver: Database,
  file: string,
  ...statements: readonly string[]
): Promise<Row[]> {
  if (!isSqlite(driver)) return (await pastLacre(driver.dialect(file), ...statements)) as Row[];
  return ranOn(aShell(file), driver.prefix, statements) as Row[];
}

function ranOn(
  raw: Pick<SqliteFile, "prepare" | "exec">,
  prefix: string | undefined,
  statements: readonly string[],
): unknown[] {
  let rows: unknown[] = [];
  for (const plain of statements) {
    const statement = prefix ? withPrefix(prefix, plain) : plain;
    if (statement.startsWith("select ")) rows = raw.prepare(statement).all([]);
    else raw.exec(statement);
  }
  return rows;
}

/** What comes first in statements past Lacre that break foreign keys. */
export function withoutForeignKeys(driver: Database): string {
  return isPostgres(driver) ? "set local session_replication_role = replica" : "pragma foreign_keys = off";
}

/** A server keeps what a file stands for until it is dropped. */
function droppedAfterwards(driver: Database, file: string): void {
  if (driver === POSTGRES && file !== ":memory:") onTestFinished(() => dropped(schemaOf(file)));
}

/** Opens an instance that is closed when the test ends. */
export async function anInstance(driver: Database, options: InstanceOptions = {}): Promise<Instance> {
  if (options.file !== undefined) droppedAfterwards(driver, options.file);
  const instance = await openInstance(driver, options);
  onTestFinished(() => instance.lacre.close());
  return instance;
}

/** The same in a file of its own, in a directory that is removed when the test ends. */
export async function anInstanceOnFile(driver: Database, options: InstanceOptions = {}): Promise<Instance> {
  const file = aFile();
  return anInstance(driver, { file, ...options });
}

/** An instance in memory together with its one connection, to read and change rows directly. */
export async function anInstanceInHand(
  driver: Driver,
  options: InstanceOptions = {},
): Promise<Instance & { readonly raw: SqliteFile }> {
  const { raw, dialect } = inHand(driver);
  return { ...(await anInstance(driver, { ...options, dialect })), raw };
}

/** A path for a database, in a directory that is removed when the test ends. */
export function aFile(parent = tmpdir()): string {
  const directory = mkdtempSync(join(parent, "lacre-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, "lacre.db");
}

/**
 * A connection like that of any SQL shell: it has no foreign keys and fires no delete triggers on REPLACE. Use it while
 * Lacre is idle: two SQLite libraries in one process do not see each other's locks.
 * Closed when the test ends.
 */
export function aShell(file: string): Sqlite.Database {
  const shell = new Sqlite(file);
  shell.pragma("foreign_keys = off");
  shell.pragma("recursive_triggers = off");
  onTestFinished(() => void shell.close());
  return shell;
}

/** A company as the factories need it: its face, and its series by document type. */
export type Home = Pick<TestInstance, "company_id" | "company" | "series">;

/** A new company of an installation, with its series. */
export async function aCompany(lacre: Lacre, fields: { name?: string; tax_id?: string } = {}): Promise<Home> {
  const { id } = await lacre.companies.create({ name: "Outra, S.A.", tax_id: aNif(), ...fields });
  return homeOf(lacre, id);
}

/** A company that already exists. */
export async function homeOf(lacre: Lacre, company_id: string): Promise<Home> {
  const company = lacre.as(company_id);
  const { data } = await company.series.list();
  const series = Object.fromEntries(data.map((row) => [row.doc_type, row.id])) as Home["series"];
  return { company_id, company, series };
}

/** Opens an installation as a host program does, without company or signer; closed when the test ends. */
export async function anInstallation(
  driver: Database,
  { file = ":memory:", at = NOW, ...options }: InstanceOptions = {},
) {
  droppedAfterwards(driver, file);
  const lacre = await openLacre({ dialect: driver.dialect(file), now: () => new Date(at), ...options });
  onTestFinished(() => lacre.close());
  return lacre;
}
