import { spawnSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openLacre } from "lacre";
import { sqlite } from "lacre/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { takeServerLock } from "../../src/bin/database/lock.ts";
import { EXITS } from "../../src/bin/exit.ts";
import { watchFiles } from "../../src/bin/file-watch.ts";
import { openSqlite } from "../../src/core/database/sqlite.ts";
import {
  call,
  documentsIn,
  invoice,
  lacre,
  lacreJson,
  type Made,
  makeAnother,
  makeCustomer,
  makeDatabase,
  type Running,
  startServer,
  temporaryDirectory,
} from "./program.ts";

/** Issues one invoice and returns its number, or the status of the refusal. */
async function issueOne(server: Running, made: Made, customer_id: string): Promise<unknown> {
  const { status, body } = await call(server, made.api_key, "POST", "/v1/documents", invoice(made, customer_id));
  return status === 201 ? body.number : status;
}

/** A server with three invoices. */
async function aUsedServer(made: Made, db = made.db) {
  const server = await startServer(["serve", "--db", db]);
  const customer_id = await makeCustomer(server, made);
  for (let i = 0; i < 3; i++) await issueOne(server, made, customer_id);
  return { server, customer_id };
}

interface Deed {
  readonly does: (db: string) => void;
  /** Puts back what was taken away, before the next start. */
  readonly undoes?: (db: string) => void;
}

describe("a server whose files are tampered with stops before it reports success, and loses nothing:", () => {
  const DEEDS: Record<string, Deed> = {
    "the log and the shared memory are deleted": {
      does: (db) => ["-wal", "-shm"].forEach((suffix) => void rmSync(db + suffix)),
    },
    "the log is deleted": { does: (db) => rmSync(`${db}-wal`) },
    "the shared memory is deleted": { does: (db) => rmSync(`${db}-shm`) },
    "the lock file is deleted": { does: (db) => rmSync(`${db}.lock`) },
    "the database is renamed": {
      does: (db) => renameSync(db, `${db}.away`),
      undoes: (db) => renameSync(`${db}.away`, db),
    },
    "a copy takes the place of the database": {
      does(db) {
        copyFileSync(db, `${db}.copy`);
        renameSync(db, `${db}.away`);
        renameSync(`${db}.copy`, db);
      },
      undoes: (db) => renameSync(`${db}.away`, db),
    },
    "another directory takes the place of its own": {
      does(db) {
        renameSync(dirname(db), `${dirname(db)}.away`);
        mkdirSync(dirname(db));
      },
      undoes(db) {
        rmSync(dirname(db), { recursive: true });
        renameSync(`${dirname(db)}.away`, dirname(db));
      },
    },
  };

  test.each(Object.entries(DEEDS))("%s", async (_, { does, undoes }) => {
    const made = await makeDatabase();
    const { server, customer_id } = await aUsedServer(made);
    does(made.db);
    const answer = await issueOne(server, made, customer_id).catch(() => "none");
    expect([503, "none"]).toContain(answer);
    expect((await server.ended).code).toBe(EXITS.halted.code);
    undoes?.(made.db);

    const again = await startServer(["serve", "--db", made.db]);
    expect(await issueOne(again, made, customer_id)).toMatch(/\/[45]$/); // the fourth may have been written
    await again.stop();
    expect(await lacreJson("verify", "--db", made.db)).toMatchObject({ whole: true });
    expect(await documentsIn(made.db, made.company)).toBeGreaterThanOrEqual(4);
  });

  test("also an idle server, within a moment", async () => {
    const made = await makeDatabase();
    const { server } = await aUsedServer(made);
    rmSync(`${made.db}-wal`);
    expect(await server.ended).toMatchObject({
      code: EXITS.halted.code,
      stderr: `lacre: The storage failed: ${made.db}-wal is gone; start the server again to recover.\n`,
    });
    expect(await readdir(made.directory)).toEqual(["lacre.db", "lacre.db.heads"]);
    expect(await documentsIn(made.db, made.company)).toBe(3);
  });

  test("control: without the watch, documents issued after the log was deleted are acknowledged and lost", async () => {
    const made = await makeDatabase();
    const instance = await openLacre({ dialect: sqlite(made.db) });
    const company = instance.as(made.company);
    rmSync(`${made.db}-wal`);
    expect((await company.customers.create({ name: "Ana" })).name).toBe("Ana");
    copyFileSync(made.db, `${made.db}.killed`); // what a kill leaves
    await instance.close();
    const killed = await openLacre({ dialect: sqlite(`${made.db}.killed`) });
    expect((await killed.as(made.company).customers.list()).data).toEqual([]);
    await killed.close();
  });
});

describe("a server stops when", () => {
  test("its log is cut, which nobody can undo", async () => {
    const made = await makeDatabase();
    const { server } = await aUsedServer(made);
    truncateSync(`${made.db}-wal`);
    expect((await server.ended).stderr).toContain("lacre.db-wal was cut by another program");
  });

  test("the link under which it was started is changed: other commands would act on another database", async () => {
    const made = await makeDatabase();
    const other = await makeAnother();
    const link = join(temporaryDirectory(), "link.db");
    symlinkSync(made.db, link);
    const { server } = await aUsedServer(made, link);
    rmSync(link);
    symlinkSync(other.db, link);
    expect((await server.ended).stderr).toContain(`${link} was replaced`);
  });
});

test("other programs beside a server do not stop it, however they come and go", async () => {
  const made = await makeDatabase();
  const { server, customer_id } = await aUsedServer(made);
  for (let round = 0; round < 3; round++) {
    await lacreJson("backup", join(temporaryDirectory(), "b.db"), "--db", made.db);
    const { id } = await lacreJson<{ id: string }>(
      ...["key", "create", "--name", "till", "--scope", "all", "--db", made.db],
    );
    await lacreJson("key", "revoke", id, "--db", made.db);
    await lacreJson("signer", "rotate", "--db", made.db);
    const embedder = await openLacre({ dialect: sqlite(made.db) });
    for (let i = 0; i < 400; i++) await embedder.as(made.company).customers.create({ name: "x".repeat(100) });
    await embedder.close(); // more than a checkpoint's worth
    expect(await issueOne(server, made, customer_id)).toMatch(/^FT /);
  }
  expect(await server.stop()).toMatchObject({ code: 0 });
  expect(await lacreJson("verify", "--db", made.db)).toMatchObject({ whole: true, documents: 6 });
});

test("a command beside a server that lost its log is refused, as it would write to another database", async () => {
  const { db } = await makeDatabase();
  const release = takeServerLock(db); // as a server has it
  onTestFinished(release);
  const { code, stderr } = await lacre(["key", "list", "--db", db]);
  expect([code, stderr]).toEqual([EXITS.in_use.code, expect.stringContaining("lacre.db-wal is missing")]);
  writeFileSync(`${db}-wal`, "");
  expect((await lacre(["key", "list", "--db", db])).code).toBe(0); // control
});

describe("a database with two names is refused:", () => {
  test("hard links", async () => {
    const { db, directory } = await makeDatabase();
    linkSync(db, join(directory, "other.db"));
    for (const name of [db, join(directory, "other.db")]) {
      for (const command of [["serve"], ["key", "list"], ["backup", join(directory, "b.db")]]) {
        const { code, stderr } = await lacre([...command, "--db", name]);
        expect([code, stderr]).toEqual([EXITS.unusable.code, expect.stringContaining("has 2 names (hard links)")]);
      }
    }
    rmSync(join(directory, "other.db"));
    expect((await lacre(["key", "list", "--db", db])).code).toBe(0);
  });

  test("a mount of the single file", async ({ skip }) => {
    const { db } = await makeDatabase();
    const mounted = join(temporaryDirectory(), "with space.db");
    writeFileSync(mounted, "");
    onTestFinished(() => void spawnSync("umount", ["--lazy", mounted]));
    if (spawnSync("mount", ["--bind", db, mounted]).status !== 0) return skip("only root can mount");
    const { code, stderr } = await lacre(["serve", "--db", mounted, "--port", "0"]);
    expect([code, stderr]).toEqual([EXITS.unusable.code, expect.stringContaining("mount its directory instead")]);
  });

  test("control: a mount of the directory is served, and shares the lock", async ({ skip }) => {
    const { db, directory } = await makeDatabase();
    const mounted = temporaryDirectory();
    onTestFinished(() => void spawnSync("umount", ["--lazy", mounted]));
    if (spawnSync("mount", ["--bind", directory, mounted]).status !== 0) return skip("only root can mount");
    await startServer(["serve", "--db", join(mounted, "lacre.db")]);
    expect((await lacre(["serve", "--db", db, "--port", "0"])).code).toBe(EXITS.in_use.code);
  });
});

/** A watch over files as a server has them; what connections hold open is held open. */
function aWatch() {
  const db = join(temporaryDirectory(), "m.db");
  for (const suffix of ["", "-wal", "-shm", ".lock"]) {
    writeFileSync(db + suffix, "1234");
    const held = openSync(db + suffix, "r"); // Its inode is not given to another file.
    onTestFinished(() => closeSync(held));
  }
  const watch = watchFiles(db, [`${db}.lock`, db]);
  expect(watch.fault()).toBeUndefined();
  return { db, watch };
}

/** Marks a file as written so many seconds ago. */
function writtenAgo(path: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(path, then, then);
}

test("a watch distinguishes a deleted log, which closing saves, from a replaced one", () => {
  const { db, watch } = aWatch();
  writeFileSync(`${db}-wal`, "longer");
  expect(watch.fault()).toBeUndefined();
  rmSync(`${db}-wal`);
  expect(watch.fault()).toBe(`${db}-wal is gone`);
  expect(watch.isSavedByClosing()).toBe(true);
  writeFileSync(`${db}-wal`, "another program's");
  expect(watch.isSavedByClosing()).toBe(false); // it may hold what another program wrote
  expect(watch.fault()).toBe(`${db}-wal is gone`); // the first sign counts
});

test("a watch distinguishes a database that another program overwrote from SQLite's own checkpoint", () => {
  const db = join(temporaryDirectory(), "m.db");
  const connection = openSqlite(db);
  onTestFinished(() => connection.close());
  connection.exec("create table t (x)");
  const watch = watchFiles(db);
  for (let round = 0; round < 3; round++) {
    expect(watch.fault()).toBeUndefined();
    connection.exec("insert into t values (randomblob(9000))");
    expect(watch.fault()).toBeUndefined();
    connection.exec("pragma wal_checkpoint(passive)");
    writtenAgo(db, 60 - round); // in the same tick of the file system's clock it would have the same time
  }
  connection.exec("insert into t values (1)");
  expect(watch.fault()).toBeUndefined();
  writtenAgo(db, 5);
  expect(watch.fault()).toBe(`${db} was overwritten by another program`);
});

/** Writes a copy of the same size into the database: the file stays the same one. */
function overwrite(db: string): void {
  writeFileSync(db, readFileSync(`${db}.copy`), { flag: "r+" });
}

test("a copy of the same size over the database stops a server right after it issued", async () => {
  const made = await makeDatabase();
  const { server } = await aUsedServer(made);
  copyFileSync(made.db, `${made.db}.copy`);
  overwrite(made.db);
  expect((await server.ended).stderr).toContain("lacre.db was overwritten by another program");
});

test("a copy over the database stops a server that took over the log of a killed one", async () => {
  const made = await makeDatabase();
  const { server } = await aUsedServer(made);
  copyFileSync(made.db, `${made.db}.copy`);
  await server.stop("SIGKILL");
  const next = await startServer(["serve", "--db", made.db]);
  await call(next, "", "GET", "/readyz"); // looks at the files
  overwrite(made.db);
  expect((await next.ended).stderr).toContain("lacre.db was overwritten by another program");
});
