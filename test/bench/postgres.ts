/**
 * Documents issued each second on SQLite and on PostgreSQL: by one process, and by three that share eight companies.
 * `npm run bench:postgres`; the server is LACRE_POSTGRES, and the schemas it makes are dropped.
 */
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type LacreDialect, openLacre, pemSigner } from "lacre";
import { postgres } from "lacre/postgres";
import { sqlite } from "lacre/sqlite";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { dropped, POSTGRES_URL, schemaOf } from "../support/databases.ts";

const SECONDS = Number(process.env.LACRE_BENCH_SECONDS ?? 10);
/** Not counted: V8 compiles what runs often, in each process by itself. */
const WARM_UP_SECONDS = Number(process.env.LACRE_BENCH_WARM_UP ?? 10);
const CLIENTS = 24;

/** What one process does: `clients` callers issue for these companies until time is up. */
interface Share {
  /** A path of a file, or the name of a schema's place. */
  readonly place: string;
  readonly engine: "sqlite" | "postgres";
  readonly companies: readonly string[];
  readonly clients: number;
}

const dialectOf = ({ engine, place }: Pick<Share, "engine" | "place">): LacreDialect =>
  engine === "sqlite" ? sqlite(place) : postgres(POSTGRES_URL, { schema: schemaOf(place), connections: 16 });

const open = (share: Pick<Share, "engine" | "place">) =>
  openLacre({ dialect: dialectOf(share), signer: pemSigner(TEST_SIGNING_KEY, 1) });

/** Issues until time is up, and counts. */
async function work(share: Share): Promise<number> {
  await using lacre = await open(share);
  const shops = await Promise.all(
    share.companies.map(async (company_id) => {
      const shop = lacre.as(company_id);
      const { data } = await shop.series.list({ limit: 200 });
      const series_id = data.find(({ doc_type }) => doc_type === "FT")?.id as string;
      const { id: customer_id } = await shop.customers.create({ name: "Ana" });
      return { shop, series_id, customer_id };
    }),
  );
  const line = { description: "Pão de Mafra", qty: 1, unit_price_net: 1.15, tax_rate: 6 };
  const issue_date = new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Lisbon" });
  const start = performance.now() + WARM_UP_SECONDS * 1_000;
  const end = start + SECONDS * 1_000;
  let issued = 0;
  await Promise.all(
    Array.from({ length: share.clients }, async (_, i) => {
      const { shop, series_id, customer_id } = shops[i % shops.length] as (typeof shops)[0];
      const lines = [line, line, line];
      while (performance.now() < end) {
        await shop.documents.create({ doc_type: "FT", series_id, customer_id, issue_date, lines, issue: true });
        if (performance.now() >= start) issued++;
      }
    }),
  );
  return issued / SECONDS;
}

/** The rate of so many processes together, each with its share of the clients. */
async function rate(engine: Share["engine"], companies: number, processes: number): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "lacre-bench-"));
  const place = join(home, "lacre.db");
  try {
    const ids: string[] = [];
    {
      await using lacre = await open({ engine, place });
      for (let i = 0; i < companies; i++) {
        ids.push((await lacre.companies.create({ name: `Loja ${i}`, tax_id: "500000000" })).id);
      }
    }
    const share = { engine, place, companies: ids, clients: CLIENTS / processes };
    const rates = await Promise.all(Array.from({ length: processes }, () => inProcess(share)));
    return rates.reduce((sum, one) => sum + one, 0);
  } finally {
    if (engine === "postgres") await dropped(schemaOf(place));
    rmSync(home, { recursive: true });
  }
}

function inProcess(share: Share): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ["share"]);
    child.once("message", (issued) => resolve(issued as number));
    child.once("exit", (code) => reject(new Error(`A process ended with ${code}.`)));
    child.send(share);
  });
}

if (process.argv[2] === "share") {
  process.once("message", async (share) => {
    process.send?.(await work(share as Share), () => process.exit(0));
  });
} else {
  const file = await rate("sqlite", 1, 1);
  const one = await rate("postgres", 1, 1);
  const eight = await rate("postgres", 8, 1);
  const three = await rate("postgres", 8, 3);
  console.table({
    "SQLite, one process": { "issues/s": Math.round(file), "to SQLite": 1 },
    "PostgreSQL, one process": { "issues/s": Math.round(one), "to SQLite": (one / file).toFixed(2) },
    "PostgreSQL, one process, 8 companies": { "issues/s": Math.round(eight), "to SQLite": (eight / file).toFixed(2) },
    "PostgreSQL, three processes, 8 companies": {
      "issues/s": Math.round(three),
      "to SQLite": (three / file).toFixed(2),
    },
  });
  console.log(`Three processes to one, 8 companies: ${(three / eight).toFixed(2)}`);
}
