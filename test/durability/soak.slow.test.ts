/** A server that runs for long keeps few files open and its log short. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { openSqlite } from "lacre/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { type Made, makeCustomer, makeDatabase, seriesOf, startServer, today } from "../bin/program.ts";
import { chanceOf } from "../support/chance.ts";
import { newStory, overHttp } from "./deeds.ts";
import { atScale, figuresOf, SEED } from "./scale.ts";

const CLIENTS = 8;
/** SQLite checkpoints the log every 1,000 pages of 4 KiB; it may grow while it does. */
const LONGEST_LOG_BYTES = 16 * 1024 * 1024;
/** Memory is some 280 MiB here after thousands of documents. */
const MAX_MIB = 512;
/** Files that come and go with connections. */
const PLAY = 2 * CLIENTS + 4;

/** A server, and clients that issue and list until it holds so many documents. */
async function aBusyServer(counted: { documents: number; log_bytes: number }) {
  const made: Made = await makeDatabase();
  const server = await startServer(["serve", "--db", made.db, "--rate-limit", "1000000"]);
  const customer_id = await makeCustomer(server, made);
  const story = newStory(chanceOf(SEED), { series_id: seriesOf(made), customer_id, day: today() });
  const send = overHttp(server.url, made.api_key);
  const client = async (upTo: number) => {
    while (counted.documents < upTo) {
      const key = `invoice-${++counted.documents}`;
      const answer = await send({ method: "POST", path: "/v1/documents", body: story.invoice(true), key });
      expect(answer?.status).toBe(201);
      const list = await send({ method: "GET", path: "/v1/documents?limit=50", body: undefined, key });
      expect(list?.status).toBe(200);
      counted.log_bytes = Math.max(counted.log_bytes, statSync(`${made.db}-wal`).size);
    }
  };
  const issue = (upTo: number) => Promise.all(Array.from({ length: CLIENTS }, () => client(upTo)));
  return { made, server, issue };
}

test("after thousands of documents the log is short, no file open", async () => {
  const counted = { documents: 0, log_bytes: 0, files_before: 0, files_after: 0, mib_before: 0, mib_after: 0 };
  figuresOf("long work", counted);
  const { made, server, issue } = await aBusyServer(counted);
  const proc = `/proc/${server.child.pid}`;
  const openFiles = () => readdirSync(`${proc}/fd`).length;
  const mebibytes = () =>
    Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`${proc}/status`, "utf8"))?.[1]) / 1024);

  const documents = atScale(240, 180_000);
  await issue(documents / 3);
  counted.files_before = openFiles();
  counted.mib_before = mebibytes();
  await issue(documents);
  counted.files_after = openFiles();
  counted.mib_after = mebibytes();

  expect(counted.log_bytes).toBeLessThan(LONGEST_LOG_BYTES);
  expect(counted.files_after - counted.files_before).toBeLessThan(PLAY);
  expect(counted.mib_after).toBeLessThan(MAX_MIB);
  expect(await server.stop()).toMatchObject({ code: 0 });
  expect(readdirSync(made.directory)).toEqual(["lacre.db", "lacre.db.heads"]);
});

test("control: a reader that is left open makes the log grow", async () => {
  const counted = { documents: 0, log_bytes: 0 };
  figuresOf("long work, control: reader left open", counted);
  const { made, issue } = await aBusyServer(counted);
  const reader = openSqlite(made.db, { readonly: true });
  onTestFinished(() => reader.close());
  reader.exec("begin");
  reader.prepare("select count(*) from documents").all([]);
  while (counted.log_bytes <= LONGEST_LOG_BYTES && counted.documents < 2_400) await issue(counted.documents + 240);
  expect(counted.log_bytes).toBeGreaterThan(LONGEST_LOG_BYTES);
});
