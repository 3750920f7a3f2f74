/**
 * The document that takes most to print, asked for five times at once from a running server: memory stays within
 * bounds, and others are answered meanwhile. Its latencies are printed as figures; they depend on the machine.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { openLacre } from "lacre";
import { sqlite } from "lacre/sqlite";
import { expect, test } from "vitest";
import { PAPERS, type Paper } from "../../src/core/print/paper.ts";
import { homeOf } from "../support/instance.ts";
import { pngOf } from "../support/pictures.ts";
import { call, invoice, type Made, makeCustomer, makeDatabase, type Running, startServer, today } from "./program.ts";

/** The widest character of the printed font: a text of these takes the most rows. */
const WIDE = "‱";
const MB = 2 ** 20;

/** As many rows as 500 characters and 50 lines can take. */
const TALL = `a\n`.repeat(49) + WIDE.repeat(402);

/**
 * Issues the worst document: the most lines, each as high as one can be, every rate different, and the largest logo.
 */
async function worstDocument({ db, company }: Made): Promise<string> {
  const lacre = await openLacre({ dialect: sqlite(db) });
  try {
    const logo = pngOf({ width: 1_000, height: 1_000, type: 6 });
    await lacre.companies.change({ id: company.id, logo, footer_text: WIDE.repeat(500) });
    const home = await homeOf(lacre, company.id);
    const wide = { name: WIDE.repeat(200), sku: WIDE.repeat(100), unit: WIDE.repeat(100) };
    const product = await home.company.products.create({ ...wide, unit_price_net: 1, tax_rate: 23 });
    const { id } = await home.company.documents.create({
      doc_type: "FT",
      series_id: home.series.FT,
      issue_date: today(),
      customer_id: (await home.company.customers.create({ name: WIDE.repeat(200), address: WIDE.repeat(100) })).id,
      notes: `a\n`.repeat(49) + WIDE.repeat(900),
      lines: Array.from({ length: 1_000 }, (_, index) => ({
        ...{ description: TALL, product_id: product.id, qty: 1.234567, unit_price_net: 1.234567 },
        tax_rate: (index + 1) / 100,
        discount_pct: 12.34,
      })),
      issue: true,
    });
    return id;
  } finally {
    await lacre.close();
  }
}

/** A figure of a process in `/proc`, in MB: what it holds, or the most it held. */
function memoryOf({ child }: Running, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** Asks for `/healthz` all the time until `until` ends. Returns the milliseconds that each answer took, ascending. */
async function latencies({ url }: Running, until: Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  let isOver = false;
  void until.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const began = performance.now();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    taken.push(performance.now() - began);
    await pause(5);
  }
  return taken.toSorted((a, b) => a - b);
}

const p99 = (sorted: readonly number[]) => Math.round((sorted.at(-Math.ceil(sorted.length / 100)) ?? 0) * 10) / 10;

const pdfOf = ({ url }: Running, { api_key }: Made, id: string, paper: Paper, signal?: AbortSignal) =>
  fetch(`${url}/v1/documents/${id}/pdf?copies=4&paper=${paper}`, {
    headers: { authorization: `Bearer ${api_key}` },
    ...(signal && { signal }),
  });

test.each(PAPERS)(
  "five prints of the worst document on %s at once take less than 300 MB, and others are answered",
  async (paper) => {
    const made = await makeDatabase();
    const id = await worstDocument(made);
    const server = await startServer(["serve", "--db", made.db]);
    const idle = await latencies(server, pause(3_000));
    const before = memoryOf(server, "VmRSS");
    writeFileSync(`/proc/${server.child.pid}/clear_refs`, "5"); // forgets the most it held
    const began = performance.now();
    const prints = Promise.all(
      Array.from({ length: 5 }, async () => {
        const answer = await pdfOf(server, made, id, paper);
        return [answer.status, (await answer.arrayBuffer()).byteLength] as const;
      }),
    );
    const busy = await latencies(server, prints);
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    const answers = await prints;
    const over = memoryOf(server, "VmHWM") - before;
    const [, bytes = 0] = answers[0] ?? [];
    const figures = { seconds, MB_over_idle: Math.round(over), pdf_MB: Math.round((10 * bytes) / MB) / 10 };
    console.log({
      paper,
      ...figures,
      healthz_p99: p99(busy),
      idle_p99: p99(idle),
      answers: busy.length,
      longest: busy.at(-1),
    });
    expect(answers.map(([status]) => status)).toEqual(Array(5).fill(200));
    expect(over).toBeLessThan(300);
    expect(busy.length).toBeGreaterThan(100);
  },
);

test("a client that leaves ends its print, and gives up its place in the queue", async () => {
  const made = await makeDatabase();
  const id = await worstDocument(made);
  const server = await startServer(["serve", "--db", made.db]);
  const leaving = Array.from({ length: 20 }, () => new AbortController());
  const asked = leaving.map(({ signal }) => pdfOf(server, made, id, "A4", signal).catch(() => "left"));
  await pause(500);
  for (const one of leaving) one.abort();
  expect(await Promise.all(asked)).toEqual(Array(20).fill("left"));
  // Were the twenty drawn nevertheless, this would come after all of them.
  const small = await call(
    server,
    made.api_key,
    "POST",
    "/v1/documents",
    invoice(made, await makeCustomer(server, made)),
  );
  expect((await pdfOf(server, made, small.body.id as string, "80mm")).status).toBe(200);
  const { stderr } = await server.stop();
  expect([server.lines.join("\n"), stderr].join("\n")).not.toContain("internal_error");
  const ended = server.lines.filter((line) => line.includes("/v1/documents/:id/pdf"));
  expect(ended).toHaveLength(21);
});

test("a line of 250 lines is refused when it is written, by name", async () => {
  const made = await makeDatabase();
  const server = await startServer(["serve", "--db", made.db]);
  const input = invoice(made, await makeCustomer(server, made)) as { lines: object[] };
  const lines = [{ ...input.lines[0], description: `${"a\n".repeat(249)}b` }];
  const { status, body } = await call(server, made.api_key, "POST", "/v1/documents", { ...input, lines });
  expect([status, body]).toEqual([
    400,
    { error: { code: "invalid_request", message: "lines[0].description: must have at most 50 lines" } },
  ]);
});
