/** An upgrade, tried before there is one: the program after this one opens what this one has made. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Lacre, type LacreDialect, openLacre, pemSigner } from "lacre";
import { TEST_SIGNING_KEY } from "lacre/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { postgresTrouble } from "../../../src/core/database/postgres-errors.ts";
import { diskWith } from "../../durability/disk.ts";
import { canTrace, readRecording, tracedInto } from "../../durability/recording.ts";
import { atScale, MEMORY, SEED } from "../../durability/scale.ts";
import { archiveOf, piecesOf } from "../../support/archives.ts";
import { chanceOf } from "../../support/chance.ts";
import { dropped, EVERY, HAS_SERVER, POSTGRES, POSTGRES_URL, schemaOf } from "../../support/databases.ts";
import { type Database, DRIVERS, NOW, TODAY } from "../../support/drivers.ts";
import { aCustomer, aLine } from "../../support/factories.ts";
import { faultyDialect, sqliteError } from "../../support/faulty.ts";
import { aFile, openInstance, pastIn } from "../../support/instance.ts";
import { FILES_BY_HAND, makeNextProgram, type NextProgram } from "../../support/next-program.ts";
import { bytesOf } from "../../support/saft.ts";
import { aTarget } from "../../support/target.ts";

/** What tests call of a program; the types are this one's. */
interface Program {
  readonly openLacre: typeof openLacre;
  readonly archiveLacre: typeof import("lacre").archiveLacre;
  readonly unarchiveLacre: typeof import("lacre").unarchiveLacre;
}

let built: NextProgram;
let next: Program;
/** The dialects of the next program. */
let dialects: {
  readonly sqlite: typeof import("lacre/sqlite").sqlite;
  readonly nodeSqlite: typeof import("lacre/node-sqlite").nodeSqlite;
  readonly postgres: typeof import("lacre/postgres").postgres;
};

beforeAll(async () => {
  built = makeNextProgram();
  next = await built.module("core/index.ts");
  const { sqlite } = await built.module<typeof import("lacre/sqlite")>("core/database/sqlite.ts");
  const { nodeSqlite } = await built.module<typeof import("lacre/node-sqlite")>("core/database/node-sqlite.ts");
  const { postgres } = await built.module<typeof import("lacre/postgres")>("core/database/postgres.ts");
  dialects = { sqlite, nodeSqlite, postgres };
});
afterAll(() => built.remove());

const now = () => new Date(NOW);

/** Where a database lies: over which driver, and its dialect in the next program. */
interface Upgraded {
  readonly name: string;
  readonly driver: Database;
  readonly upgraded: (file: string) => LacreDialect;
}

const driverOf = (name: string) => EVERY.find((one) => one.name === name) as Database;

/** The prefix is that of a file in which a shop has tables of its own, one for migrations too. */
const PLACES: readonly Upgraded[] = (
  [
    ["better-sqlite3", (file) => dialects.sqlite(file)],
    ["node:sqlite", (file) => dialects.nodeSqlite(file)],
    ["SQLite with a prefix", (file) => dialects.sqlite(file, { prefix: "lacre_" })],
    ["PostgreSQL", (file) => onServer(file)],
  ] satisfies [string, Upgraded["upgraded"]][]
).flatMap(([name, upgraded]) =>
  name !== "PostgreSQL" || HAS_SERVER ? [{ name, driver: driverOf(name), upgraded }] : [],
);

function onServer(file: string): LacreDialect {
  return dialects.postgres(POSTGRES_URL, { schema: schemaOf(file), connections: 2 });
}

/** A database as this program leaves it, with all that the next one has to carry over. */
async function lived({ driver }: Pick<Upgraded, "driver">) {
  const file = aFile();
  if (driver === POSTGRES) onTestFinished(() => dropped(schemaOf(file)));
  const instance = await openInstance(driver, { file });
  const ids = await aTarget(instance);
  await aCustomer(instance, { name: "Eva" });
  const { company_id, series, lacre } = instance;
  const saft = await exported(lacre, company_id);
  await lacre.close();
  return { file, ids, company_id, series, saft, dialect: instance.dialect };
}

async function exported(lacre: Lacre, company_id: string): Promise<string> {
  const { file } = await lacre.as(company_id).saft.export({ from: "2026-01-01", to: "2026-12-31" });
  return (await bytesOf(file)).toString("latin1");
}

async function opened(program: Pick<Program, "openLacre">, dialect: LacreDialect): Promise<Lacre> {
  const lacre = await program.openLacre({ dialect, now, signer: pemSigner(TEST_SIGNING_KEY, 1) });
  onTestFinished(() => lacre.close());
  return lacre;
}

/** All that verifying finds, in the installation and in each company. */
async function findingsOf(lacre: Lacre): Promise<unknown[]> {
  const { findings } = await lacre.installation.verify();
  const companies = await lacre.companies.list();
  const reports = await Promise.all(companies.map(({ id }) => lacre.as(id).series.verify()));
  return [
    ...findings,
    ...reports.flatMap((report) => [...report.findings, ...report.series.flatMap(({ finding }) => finding ?? [])]),
  ];
}

test("a field is added to customers in four files of core, the migration included, and to documents in six", () => {
  expect(FILES_BY_HAND).toEqual({ customers: 4, documents: 6 });
});

describe.each(PLACES)("an upgrade over $name", (place) => {
  test("keeps all existing data whole, and the tax file equal to the byte", async () => {
    const { file, company_id, saft, ids } = await lived(place);
    const lacre = await opened(next, place.upgraded(file));
    expect(await findingsOf(lacre)).toEqual([]);
    expect(await exported(lacre, company_id)).toBe(saft);
    expect(await lacre.as(company_id).documents.get({ id: ids.issued })).toMatchObject({ purchase_order: null });
  });

  test("lets the new fields be used, seals them, and keeps them out of older seals", async () => {
    const { file, company_id, series, ids } = await lived(place);
    const lacre = await opened(next, place.upgraded(file));
    const shop = lacre.as(company_id);
    const customer = await shop.customers.create({ name: "Rui", mobile: "912 345 678" } as { name: string });
    expect(customer).toMatchObject({ mobile: "912 345 678" });
    const input = {
      doc_type: "FT",
      series_id: series.FT,
      customer_id: customer.id,
      issue_date: TODAY,
      lines: [aLine()],
    };
    const draft = await shop.documents.create({ ...input, purchase_order: "PO-17" } as never);
    expect(await shop.documents.issue({ id: draft.id })).toMatchObject({ purchase_order: "PO-17" });
    const [before] = (await shop.customers.list({})).data.filter(({ id }) => id !== customer.id);
    await shop.customers.change({ id: String(before?.id), mobile: "931 234 567" } as never);
    expect(await findingsOf(lacre)).toEqual([]);
    await lacre.close();

    const change = async (...statements: string[]) => {
      await pastIn(place.driver, file, ...statements);
      const again = await next.openLacre({ dialect: place.upgraded(file), now });
      const found = JSON.stringify(await findingsOf(again));
      await again.close();
      return found;
    };
    const filling = `update documents set purchase_order = 'X' where id = '${ids.issued}'`;
    await expect(change(filling)).rejects.toThrow("the document is issued");
    const found = await change("drop trigger documents_are_frozen_once_issued", filling);
    expect(found).toContain("The seal is broken.");
    expect(await change("update customers set mobile = '1' where mobile is null")).toContain(
      "The row is not as its last event, customer.created, left it.",
    );
  });

  test("moves by archives: one of the older program is read, and one of the newer goes to the other engine and back", async () => {
    const { file, company_id, saft, dialect } = await lived(place);
    const older = await archiveOf(dialect, now);
    await (await next.openLacre({ dialect: place.upgraded(file), now })).close();
    const newer = await bytesOf(next.archiveLacre({ dialect: place.upgraded(file), now }));
    for (const archive of [older, newer]) {
      const home = aFile();
      await next.unarchiveLacre(piecesOf(archive), { dialect: dialects.sqlite(home), now });
      const moved = await opened(next, dialects.sqlite(home));
      expect(await findingsOf(moved)).toEqual([]);
      expect(await exported(moved, company_id)).toBe(saft);
      if (!HAS_SERVER) continue;
      const away = aFile();
      onTestFinished(() => dropped(schemaOf(away)));
      await next.unarchiveLacre(next.archiveLacre({ dialect: dialects.sqlite(home), now }), {
        dialect: onServer(away),
        now,
      });
      const there = await opened(next, onServer(away));
      expect(await findingsOf(there)).toEqual([]);
      expect(await exported(there, company_id)).toBe(saft);
    }
  });

  test("is refused by the older program in words, which changes nothing", async () => {
    const { file, dialect } = await lived(place);
    await (await next.openLacre({ dialect: place.upgraded(file), now })).close();
    for (const migrate of [true, false]) {
      await expect(openLacre({ dialect, migrate })).rejects.toThrow("The database was written by a newer Lacre");
    }
    await expect(archiveOf(dialect)).rejects.toThrow("The database was written by a newer Lacre");
    expect(await findingsOf(await opened(next, place.upgraded(file)))).toEqual([]);
  });
});

describe.each(PLACES)("a program that keeps running while a newer one upgrades its database, over $name", (place) => {
  test("writes nothing any more, reads or says why not, and is not ready", async () => {
    const { file, company_id, dialect } = await lived(place);
    const lacre = await opened({ openLacre }, dialect);
    const shop = lacre.as(company_id);
    const reads = [() => shop.customers.list({}), () => shop.documents.list({}), () => lacre.companies.list()];
    const readOften = () => Promise.allSettled(Array.from({ length: 8 }, () => reads.map((read) => read())).flat());
    for (const { status } of await readOften()) expect(status).toBe("fulfilled");
    await shop.customers.create({ name: "Rui" });
    expect(await lacre.isReady()).toBe(true);
    await (await next.openLacre({ dialect: place.upgraded(file), now })).close();

    const refusal = {
      code: "unavailable",
      message: "A newer Lacre has upgraded the database, and has to serve it now.",
    };
    await expect(shop.customers.create({ name: "Eva" })).rejects.toMatchObject(refusal);
    const refused = (await readOften()).flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    for (const error of refused) expect(error).toMatchObject(refusal);
    expect(await lacre.isReady()).toBe(false);
    expect(await findingsOf(await opened(next, place.upgraded(file)))).toEqual([]);
  });
});

test.skipIf(!HAS_SERVER)(
  "a server's error about a prepared statement, after a table got a new column, is understood",
  async () => {
    const client = new pg.Client(POSTGRES_URL);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query("create temporary table old (id text)");
    const read = () => client.query({ name: "read", text: "select * from old" });
    await read();
    await client.query("alter table old add column mobile text");
    const error = await read().then(
      () => expect.fail("the server gave the rows"),
      (thrown: unknown) => thrown,
    );
    expect(postgresTrouble(error, "running")?.schema).toBe("newer");
    const other = await client.query("select mobile from nothing").catch((thrown: unknown) => thrown);
    expect(postgresTrouble(other, "running")).toBeUndefined();
  },
);

describe.each(DRIVERS)("an upgrade over $name that fails", (driver) => {
  const SCHEMA = "select name, sql from sqlite_schema order by name";

  test("at any statement leaves the database as it was, and the next opening upgrades it", async () => {
    const { file: original } = await lived({ driver });
    const bytes = readFileSync(original);
    const { sqliteDialect } = await built.module<typeof import("../../../src/core/database/sqlite-dialect.ts")>(
      "core/database/sqlite-dialect.ts",
    );
    const copy = () => {
      const file = aFile();
      writeFileSync(file, bytes);
      return file;
    };
    const upgrading = async (file: string, before: () => void) => {
      const dialect = faultyDialect(driver, file, { before }, sqliteDialect);
      await (await next.openLacre({ dialect, now })).close();
    };
    const schemaIn = (file: string) => {
      const shell = driver.open(file);
      const schema = shell.prepare(SCHEMA).all([]);
      shell.close();
      return schema;
    };
    const schema = schemaIn(original);
    let statements = 0;
    const upgraded = copy();
    await upgrading(upgraded, () => void statements++);
    expect(statements).toBeGreaterThan(10);
    expect(schemaIn(upgraded)).not.toEqual(schema);
    for (let failing = 1; failing <= statements; failing++) {
      const file = copy();
      let seen = 0;
      const failed = upgrading(file, () => {
        if (++seen >= failing) throw sqliteError(driver, "SQLITE_IOERR_FSYNC");
      });
      await expect(failed, `a failure at statement ${failing}`).rejects.toMatchObject({ trouble: "broken" });
      expect(schemaIn(file), `after a failure at statement ${failing}`).toEqual(schema);
      await (await openLacre({ dialect: driver.dialect(file), migrate: false })).close();
      if (failing < statements) continue;
      const lacre = await opened(
        next,
        sqliteDialect((path) => driver.open(path), file),
      );
      expect(await findingsOf(lacre)).toEqual([]);
      expect(schemaIn(file)).toEqual(schemaIn(upgraded));
    }
  });
});

test.skipIf(!canTrace)(
  "a power cut at any write of an upgrade leaves the older database or the newer, whole",
  async () => {
    const { file, company_id, saft } = await lived({ driver: driverOf("better-sqlite3") });
    const disk = diskWith(new Map([[file, readFileSync(file)]]));
    const script = join(built.directory, "upgrade.ts");
    writeFileSync(
      script,
      `import { openLacre } from "./src/core/index.ts";
import { sqlite } from "./src/core/database/sqlite.ts";
await (await openLacre({ dialect: sqlite(process.argv[2]) })).close();
`,
    );
    const trace = join(dirname(file), "trace");
    const [command = "", ...args] = [...tracedInto(trace), process.execPath, script, file];
    const child = spawn(command, args, { stdio: "inherit" });
    expect(await once(child, "close")).toEqual([0, null]);
    const names = ["", "-wal", "-journal"].map((suffix) => basename(file) + suffix);
    const events = await readRecording(trace, child.pid as number, { directory: dirname(file), names });
    const writes = events.filter(({ event }) => event === "write").length;
    expect(writes).toBeGreaterThan(20);

    const chance = chanceOf(SEED);
    const moments = new Set(Array.from({ length: atScale(40, events.length) }, () => chance.below(events.length + 1)));
    const counted = { older: 0, newer: 0 };
    for (const [moment, event] of [...events.entries(), [events.length, undefined] as const]) {
      if (moments.has(moment) || event === undefined) {
        const directory = mkdtempSync(join(MEMORY, "lacre-cut-"));
        for (const [path, bytes] of disk.cut(chance)) writeFileSync(join(directory, basename(path)), bytes);
        const left = join(directory, basename(file));
        const state = await openLacre({ dialect: driverOf("better-sqlite3").dialect(left), migrate: false }).then(
          async (lacre) => {
            await lacre.close();
            return "older" as const;
          },
          (error: Error) => {
            expect(error.message).toContain("written by a newer Lacre");
            return "newer" as const;
          },
        );
        counted[state]++;
        const lacre = await next.openLacre({ dialect: dialects.sqlite(left), now });
        expect(await findingsOf(lacre), `cut at ${moment} of ${events.length}, seed ${SEED}`).toEqual([]);
        expect(await exported(lacre, company_id)).toBe(saft);
        await lacre.close();
        rmSync(directory, { recursive: true });
      }
      if (event) disk.apply(event);
    }
    expect(counted.older).toBeGreaterThan(0);
    expect(counted.newer).toBeGreaterThan(0);
  },
);
