/** A command that is killed at any of its disk calls leaves one whole database, and no number is given twice. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LacreError } from "lacre";
import { describe, expect, test } from "vitest";
import { findDatabase, withLacre } from "../../src/bin/database/open.ts";
import { verifyAll } from "../../src/bin/verify.ts";
import {
  call,
  invoice,
  lacre,
  lacreJson,
  type Made,
  makeCustomer,
  makeDatabase,
  startServer,
  temporaryDirectory,
} from "../bin/program.ts";
import { canTrace } from "./recording.ts";
import { atScale, figuresOf } from "./scale.ts";

/** The calls that change what is on the disk, by kind, as a thread of the program makes them. */
const CALLS = {
  rename: "rename,renameat,renameat2",
  link: "link,linkat",
  unlink: "unlink,unlinkat",
  directory: "mkdir,mkdirat,rmdir",
  flush: "fsync,fdatasync",
  truncate: "ftruncate",
  write: "write,pwrite64,pwritev,copy_file_range,sendfile",
  create: "openat",
} as const;

function traced(calls: string, ...more: string[]): string[] {
  return ["strace", "-f", "-qq", "-e", `trace=${calls}`, ...more];
}

/** Every point at which a command can be killed: a kind of call, and which of them. Found by a run that is not. */
async function pointsOf(args: readonly string[]): Promise<(readonly [keyof typeof CALLS, number])[]> {
  const trace = join(temporaryDirectory(), "trace");
  const all = Object.values(CALLS).join();
  const { code, stderr } = await lacre(args, { through: traced(all, "-o", trace) });
  if (code !== 0) throw new Error(stderr);
  const counts = new Map<string, number>();
  for (const line of readFileSync(trace, "utf8").split("\n")) {
    const [, thread = "", name = ""] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    const kind = Object.entries(CALLS).find(([, calls]) => calls.split(",").includes(name))?.[0];
    // Reading a file changes nothing, and a program opens hundreds.
    if (kind === undefined || (kind === "create" && !line.includes("O_CREAT"))) continue;
    counts.set(`${kind} ${thread}`, (counts.get(`${kind} ${thread}`) ?? 0) + 1);
  }
  return Object.keys(CALLS).flatMap((kind) => {
    const most = Math.max(0, ...[...counts].filter(([key]) => key.startsWith(`${kind} `)).map(([, count]) => count));
    return Array.from({ length: most }, (_, i) => [kind as keyof typeof CALLS, i + 1] as const);
  });
}

/** Some of the points in the short form, at least one of each kind; in the long form all. */
function someOf(points: Awaited<ReturnType<typeof pointsOf>>) {
  return Object.keys(CALLS).flatMap((kind) => {
    const ofKind = points.filter(([one]) => one === kind);
    const count = Math.min(ofKind.length, atScale(kind === "link" || kind === "rename" ? 2 : 1, ofKind.length));
    return Array.from(
      { length: count },
      (_, i) => ofKind[Math.floor(((i + 0.5) * ofKind.length) / count)] ?? ofKind[0],
    );
  }) as typeof points;
}

/** Runs a command that is killed there. Whether it was: a point may come after the end. */
async function killedAt([kind, nth]: readonly [keyof typeof CALLS, number], args: readonly string[]): Promise<boolean> {
  const calls = CALLS[kind];
  const inject = ["-o", "/dev/null", "-e", `inject=${calls}:signal=SIGKILL:when=${nth}`];
  return (await lacre(args, { through: traced(calls, ...inject) })).code !== 0;
}

interface Shop extends Made {
  readonly customer_id: string;
  /** A backup with the first two of its three invoices. */
  readonly backup: string;
  /** The database and its log as a killed server leaves them. */
  readonly crashed: string;
}

async function aShop(): Promise<Shop> {
  const made = await makeDatabase();
  const server = await startServer(["serve", "--db", made.db]);
  const customer_id = await makeCustomer(server, made);
  const backup = join(temporaryDirectory(), "backup.db");
  for (let i = 1; i <= 3; i++) {
    expect((await call(server, made.api_key, "POST", "/v1/documents", invoice(made, customer_id))).status).toBe(201);
    if (i === 2) await lacreJson("backup", backup, "--db", made.db);
  }
  const crashed = join(temporaryDirectory(), "crashed.db");
  for (const suffix of ["", "-wal"]) copyFileSync(made.db + suffix, crashed + suffix);
  await server.stop();
  return { ...made, customer_id, backup, crashed };
}

/** What a database holds, opened as every command opens it: its documents, and the number that the next one takes. */
async function stateOf(db: string, shop: Shop) {
  return withLacre(findDatabase(db), async (instance) => {
    const { whole, documents } = await verifyAll(instance);
    const { key_version } = await instance.signer.get();
    const issuing = instance.as(shop.company).documents.create(invoice(shop, shop.customer_id) as never);
    const next = await issuing.then(
      ({ number }) => number,
      (error: unknown) => (error instanceof LacreError ? error.code : error),
    );
    return { whole, documents, key_version, next: String(next).replace(/^.*\//, "") };
  });
}

interface Counted extends Record<string, number> {
  points: number;
  killed: number;
  /** Killed before the command took effect, and after. */
  before: number;
  after: number;
}

function counting(name: string): Counted {
  const counted = { points: 0, killed: 0, before: 0, after: 0 };
  figuresOf(name, counted);
  return counted;
}

const LEFT = /\.lacre-draft-|\.before-restore-/;

describe.skipIf(!canTrace)("a command that is killed at any disk call", () => {
  test("restore: the old database or the restored one, each whole, and the restored one locked", async () => {
    const shop = await aShop();
    const counted = counting("killed restore");
    const OLD = { whole: true, documents: 3, next: "4" };
    const NEW = { whole: true, documents: 2, next: "unavailable" };
    for (const hasLog of [false, true]) {
      const place = () => {
        const db = join(temporaryDirectory(), "lacre.db");
        if (!hasLog) copyFileSync(shop.db, db);
        else for (const suffix of ["", "-wal"]) copyFileSync(shop.crashed + suffix, db + suffix);
        return { db, args: ["restore", shop.backup, "--db", db] };
      };
      for (const point of someOf(await pointsOf(place().args))) {
        const { db, args } = place();
        const wasKilled = await killedAt(point, args);
        const state = await stateOf(db, shop);
        expect([OLD, NEW], `${point}`).toContainEqual(strip(state));
        count(counted, wasKilled, state.documents === 2);
        expect((await lacre(args)).code, `${point}, again`).toBe(0);
        expect(strip(await stateOf(db, shop))).toEqual(NEW);
        expect(statSync(db).nlink).toBe(1);
      }
    }
  });

  test("restore over a file that cannot be read: it and its log stay together, under its name or another", async () => {
    const shop = await aShop();
    const counted = counting("killed restore over an unreadable file");
    const place = () => {
      const db = join(temporaryDirectory(), "lacre.db");
      writeFileSync(db, "gone");
      writeFileSync(`${db}-wal`, "its log");
      return { db, args: ["restore", shop.backup, "--db", db] };
    };
    for (const point of someOf(await pointsOf(place().args))) {
      const { db, args } = place();
      const wasKilled = await killedAt(point, args);
      const isRestored = readFileSync(db, "latin1") !== "gone";
      if (isRestored) expect(strip(await stateOf(db, shop)), `${point}`).toMatchObject({ whole: true, documents: 2 });
      count(counted, wasKilled, isRestored);
      expect((await lacre(args)).code, `${point}, again`).toBe(0);
      expect(strip(await stateOf(db, shop))).toEqual({ whole: true, documents: 2, next: "unavailable" });
      const names = readdirSync(join(db, "..")).filter((name) => name.includes(".before-restore-"));
      const kept = names.map((name) => readFileSync(join(db, "..", name), "latin1"));
      expect(kept, `${point}: ${names}`).toEqual(expect.arrayContaining(["gone", "its log"]));
    }
  });

  test("backup: the backup has its name once it is whole, and the database is as it was", async () => {
    const shop = await aShop();
    const counted = counting("killed backup");
    const place = () => {
      const directory = temporaryDirectory();
      const db = join(directory, "lacre.db");
      copyFileSync(shop.db, db);
      const file = join(directory, "monday.db");
      return { db, file, args: ["backup", file, "--db", db] };
    };
    for (const point of someOf(await pointsOf(place().args))) {
      const { db, file, args } = place();
      const wasKilled = await killedAt(point, args);
      const isNamed = existsSync(file);
      count(counted, wasKilled, isNamed);
      if (isNamed)
        expect(strip(await stateOf(file, shop)), `${point}`).toEqual({
          whole: true,
          documents: 3,
          next: "unavailable",
        });
      else expect((await lacre(args)).code, `${point}, again`).toBe(0);
      expect(strip(await stateOf(db, shop)), `${point}`).toEqual({ whole: true, documents: 3, next: "4" });
    }
  });

  test("init: there is no database yet, or a whole one", async () => {
    const counted = counting("killed init");
    const place = () => {
      const db = join(temporaryDirectory(), "lacre.db");
      return { db, args: ["init", "--name", "Padaria", "--tax-id", "500000000", "--db", db] };
    };
    for (const point of someOf(await pointsOf(place().args))) {
      const { db, args } = place();
      const wasKilled = await killedAt(point, args);
      const isMade = existsSync(db);
      count(counted, wasKilled, isMade);
      if (!isMade) expect((await lacre(args)).code, `${point}, again`).toBe(0);
      const { whole, series } = await withLacre(findDatabase(db), async (instance) => {
        const [company] = await instance.companies.list();
        const { total } = (await instance.as(company?.id ?? "").series.list()).pagination;
        return { whole: (await verifyAll(instance)).whole, series: total };
      });
      expect({ whole, series }, `${point}`).toEqual({ whole: true, series: 10 });
    }
  });

  test("signer rotate: the old key or the new one, and the next number", async () => {
    const shop = await aShop();
    const counted = counting("killed signer rotate");
    const place = () => {
      const db = join(temporaryDirectory(), "lacre.db");
      copyFileSync(shop.db, db);
      return { db, args: ["signer", "rotate", "--db", db] };
    };
    for (const point of someOf(await pointsOf(place().args))) {
      const { db, args } = place();
      const wasKilled = await killedAt(point, args);
      const state = await stateOf(db, shop);
      expect(strip(state), `${point}`).toEqual({ whole: true, documents: 3, next: "4" });
      expect([1, 2]).toContain(state.key_version);
      count(counted, wasKilled, state.key_version === 2);
      expect(await lacreJson("verify", "--db", db)).toMatchObject({ whole: true, documents: 4 });
    }
  });

  test("control: a restore by two renames, killed at the second, leaves no database", async () => {
    const shop = await aShop();
    const db = join(temporaryDirectory(), "lacre.db");
    copyFileSync(shop.db, db);
    const twice = `const fs = require("node:fs"); fs.renameSync("${db}", "${db}.aside"); fs.renameSync("${shop.backup}", "${db}");`;
    const killed = traced(CALLS.rename, "-o", "/dev/null", "-e", `inject=${CALLS.rename}:signal=SIGKILL:when=2`);
    const [strace = "", ...flags] = killed;
    spawnSync(strace, [...flags, process.execPath, "-e", twice]);
    expect(() => findDatabase(db)).toThrow("There is no database");
  });
});

function strip({ whole, documents, next }: Awaited<ReturnType<typeof stateOf>>) {
  return { whole, documents, next };
}

function count(counted: Counted, wasKilled: boolean, isAfter: boolean): void {
  counted.points++;
  if (wasKilled) counted.killed++;
  if (isAfter) counted.after++;
  else counted.before++;
}

test("an interrupted restore is undone at every stage", async () => {
  const { db, directory } = await makeDatabase();
  const aside = `${db}.before-restore-20261122T100000000Z`;
  const STAGES: Record<string, () => void> = {
    "the database has a second name": () => linkSync(db, aside),
    "its log, too": () => {
      writeFileSync(`${db}-wal`, "");
      linkSync(db, aside);
      linkSync(`${db}-wal`, `${aside}-wal`);
    },
    "its log has the second name alone": () => {
      linkSync(db, aside);
      writeFileSync(`${aside}-wal`, "");
    },
  };
  for (const [stage, reach] of Object.entries(STAGES)) {
    reach();
    expect((await lacre(["verify", "--db", db])).code, stage).toBe(0);
    expect(
      readdirSync(directory).filter((name) => LEFT.test(name)),
      stage,
    ).toEqual([]);
  }
});
