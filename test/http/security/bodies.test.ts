/** Bodies that are too large, never end, announce a false length, or have a false media type. */
import { serve } from "lacre/node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ask, openStreet, refusalOf, type Street, type Wire, wireTo } from "../../support/attack.ts";

const MIB = 1024 * 1024;
/** Bodies up to 1 MiB are accepted; of a larger one, up to 8 MiB more are read and discarded. */
const LIMIT = MIB;
const READ_AT_MOST = LIMIT + 8 * MIB;

let street: Street;
let server: Awaited<ReturnType<typeof serve>>;

beforeEach(async () => {
  street = await openStreet();
  server = await serve(street.handler, { port: 0 });
});

afterEach(async () => {
  await server.close();
  await street.lacre.close();
});

/** A customer as JSON of exactly this length. */
const customerOf = (bytes: number) => {
  const frame = JSON.stringify({ name: "Ana" });
  return frame + " ".repeat(bytes - frame.length);
};

const create = (body: unknown, headers: Record<string, string> = {}) =>
  ask(street.handler, { method: "POST", path: "/v1/customers", api_key: street.own.api_key, body, headers });

const head = (...headers: string[]) =>
  [
    "POST /v1/customers HTTP/1.1",
    "Host: lacre.test",
    `Authorization: Bearer ${street.own.api_key}`,
    "Content-Type: application/json",
    ...headers,
    "",
    "",
  ].join("\r\n");

const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${" ".repeat(bytes)}\r\n`;

/** Sends the piece again and again until the server ends the connection. Returns the number of bytes written. */
async function pour(wire: Wire, piece: string): Promise<number> {
  let sent = 0;
  let over = false;
  wire.socket.once("end", () => {
    over = true;
  });
  wire.socket.once("close", () => {
    over = true;
  });
  while (!over && sent < 64 * MIB) {
    const room = wire.socket.write(piece);
    sent += piece.length;
    if (!room) await Promise.race([once(wire, "drain"), once(wire, "close"), once(wire, "end")]);
    else await new Promise((resolve) => setImmediate(resolve));
  }
  return sent;
}

const once = (wire: Wire, event: string) => new Promise<void>((resolve) => wire.socket.once(event, () => resolve()));

test("one MiB is accepted, one byte more gets 413, with or without Content-Length", async () => {
  expect((await create(customerOf(LIMIT))).status).toBe(201);
  expect(refusalOf(await create(customerOf(LIMIT + 1)))).toBe("payload_too_large");
  expect(refusalOf(await create(customerOf(LIMIT + 1), { "content-length": String(LIMIT + 1) }))).toBe(
    "payload_too_large",
  );
  for (const framing of ["Content-Length", "chunked"]) {
    for (const [bytes, status] of [
      [LIMIT, 201],
      [LIMIT + 1, 413],
    ] as const) {
      const wire = wireTo(server.port);
      const body = customerOf(bytes);
      if (framing === "chunked")
        wire.send(`${head("Transfer-Encoding: chunked")}${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
      else wire.send(head(`Content-Length: ${bytes}`) + body);
      const answer = await wire.answer();
      expect([framing, bytes, answer?.status]).toEqual([framing, bytes, status]);
      if (answer && status === 413) {
        expect(refusalOf(answer)).toBe("payload_too_large");
        expect(answer.headers.get("connection")).toBe("close");
        await wire.closed();
      }
      wire.socket.destroy();
    }
  }
});

test("the handler reads an endless body no further than the documented bound", async () => {
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = new Uint8Array(64 * 1024).fill(0x20);
      pulled += piece.length;
      controller.enqueue(piece);
    },
  });
  expect(refusalOf(await create(endless))).toBe("payload_too_large");
  expect(pulled).toBeGreaterThan(LIMIT);
  expect(pulled).toBeLessThan(READ_AT_MOST + MIB);
});

test("an endless chunked body gets its 413, and the connection is closed", async () => {
  const wire = wireTo(server.port);
  wire.send(head("Transfer-Encoding: chunked"));
  const poured = pour(wire, chunk(64 * 1024));
  const answer = await wire.answer();
  expect(answer && refusalOf(answer)).toBe("payload_too_large");
  expect(answer?.headers.get("connection")).toBe("close");
  await wire.closed();
  expect(await poured).toBeLessThan(64 * MIB);
});

test("a false Content-Length is never trusted", async () => {
  const before = await street.rows();
  const announced = wireTo(server.port);
  announced.send(head("Content-Length: 5000000000") + customerOf(100));
  const poured = pour(announced, " ".repeat(64 * 1024));
  const refused = await announced.answer();
  expect(refused && refusalOf(refused)).toBe("payload_too_large");
  await announced.closed();
  expect(await poured).toBeLessThan(64 * MIB);

  // Less is sent than announced, and then nothing more.
  const longer = wireTo(server.port);
  longer.send(`${head("Content-Length: 100")}{"name":"Ana"}`);
  longer.socket.end();
  const broken = await longer.answer();
  if (broken) expect(["invalid_request", "request_timeout"]).toContain(refusalOf(broken));
  await longer.closed();

  for (const length of ["-1", "abc", "0x10", "1e3", "1 0", "99999999999999999999999", "", "+5", "5, 6"]) {
    const wire = wireTo(server.port);
    wire.send(`${head(`Content-Length: ${length}`)}{"name":"Ana"}`);
    const answer = await wire.answer();
    expect([length, answer?.status]).toEqual([length, 400]);
    if (answer) refusalOf(answer);
    await wire.closed();
  }
  expect(await street.rows()).toBe(before);

  // More is sent than announced: the rest is read as the next request, and refused.
  const shorter = wireTo(server.port);
  const body = '{"name":"Ana"}';
  shorter.send(`${head(`Content-Length: ${body.length}`)}${body}{"name":"Rui"}`);
  const [first, second] = [await shorter.answer(), await shorter.answer()];
  expect([first?.status, second?.status]).toEqual([201, 400]);
  await shorter.closed();
});

test("malformed chunks are refused, and the connection is closed", async () => {
  const before = await street.rows();
  const bodies = [
    "zz\r\nabc\r\n0\r\n\r\n",
    "-1\r\n\r\n",
    "5\r\nabc",
    "ffffffffffffffffff\r\n",
    "3\r\nabcdef\r\n0\r\n\r\n",
    "3 \nabc\r\n0\r\n\r\n",
  ];
  for (const body of bodies) {
    const wire = wireTo(server.port);
    wire.send(head("Transfer-Encoding: chunked") + body);
    wire.socket.end();
    const answer = await wire.answer();
    if (answer) expect([body, refusalOf(answer)]).toEqual([body, "invalid_request"]);
    await wire.closed();
  }
  const extended = wireTo(server.port);
  extended.send(`${head("Transfer-Encoding: chunked")}1;${"x".repeat(64 * 1024)}\r\n{\r\n0\r\n\r\n`);
  const answer = await extended.answer();
  if (answer) expect(["invalid_request", "payload_too_large"]).toContain(refusalOf(answer));
  await extended.closed();
  expect(await street.rows()).toBe(before);
});

test("only JSON in UTF-8 without Content-Encoding is accepted", async () => {
  const before = await street.rows();
  const body = JSON.stringify({ name: "Ana" });
  const labels: Record<string, string>[] = [
    { "content-encoding": "gzip" },
    { "content-encoding": "br" },
    { "content-encoding": "deflate, gzip" },
    { "content-encoding": "identity, gzip" },
    { "content-type": "text/plain" },
    { "content-type": "application/x-www-form-urlencoded" },
    { "content-type": "multipart/form-data; boundary=x" },
    { "content-type": "application/xml" },
    { "content-type": "application/jsonp" },
    { "content-type": "application/json-patch+json" },
    { "content-type": "text/json" },
    { "content-type": "application/json; charset=utf-16" },
    { "content-type": "application/json; charset=iso-8859-1" },
    { "content-type": "application/json, text/plain" },
    { "content-type": "" },
  ];
  for (const label of labels) {
    expect([label, refusalOf(await create(body, label))]).toEqual([label, "unsupported_media_type"]);
  }
  const bomb = (await import("node:zlib")).gzipSync(Buffer.alloc(20 * MIB, 0x20));
  expect(refusalOf(await create(bomb, { "content-encoding": "gzip" }))).toBe("unsupported_media_type");
  expect(refusalOf(await create(bomb))).toBe("invalid_request");
  expect(await street.rows()).toBe(before);
  for (const type of ["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"']) {
    expect([type, (await create(body, { "content-type": type })).status]).toEqual([type, 201]);
  }
});

test("an empty body and a byte order mark get 400 when fields are required", async () => {
  const before = await street.rows();
  expect(refusalOf(await create(""))).toBe("invalid_request");
  expect(refusalOf(await create(Buffer.from('\ufeff{"name":"Ana"}')))).toBe("invalid_request");
  expect(refusalOf(await create(Buffer.from("\ufeff")))).toBe("invalid_request");
  expect(refusalOf(await create(undefined))).toBe("invalid_request");
  expect(await street.rows()).toBe(before);
});

test("forty endless bodies at once stay within a bound of memory", async () => {
  const held = () => process.memoryUsage().rss;
  (globalThis as { gc?: () => void }).gc?.();
  const before = held();
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, held());
  }, 5);
  const codes = await Promise.all(
    Array.from({ length: 40 }, async () => {
      let pulled = 0;
      const endless = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise((resolve) => setImmediate(resolve));
          pulled += 256 * 1024;
          controller.enqueue(new Uint8Array(256 * 1024));
        },
      });
      const code = refusalOf(await create(endless));
      expect(pulled).toBeLessThan(READ_AT_MOST + MIB);
      return code;
    }),
  );
  clearInterval(watch);
  expect(new Set(codes)).toEqual(new Set(["payload_too_large"]));
  // 40 × 9 MiB were read, and at most 40 × 1 MiB held at once; the rest is garbage not yet collected.
  expect(highest - before).toBeLessThan(200 * MIB);
});
