/** `lacre serve` sends webhooks: to a receiver that checks them as any receiver would. */
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import type { Page, WebhookDelivery } from "lacre";
import { Webhook as Verifier } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { certify, HAS_OPENSSL } from "../support/certificates.ts";
import { until } from "../support/until.ts";
import { call, invoice, lacre, makeCustomer, makeDatabase, startServer, temporaryDirectory } from "./program.ts";

interface Came {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver on this machine, by HTTPS where it has a certificate; `status` is what it answers. */
async function aReceiver(certificate?: { readonly key: Buffer; readonly cert: Buffer }) {
  const receiver = { came: [] as Came[], status: 204, url: "" };
  const take: RequestListener = (incoming, outgoing) => {
    let body = "";
    incoming.on("data", (piece) => (body += piece));
    incoming.on("end", () => {
      receiver.came.push({ headers: incoming.headers, body });
      outgoing.writeHead(receiver.status).end();
    });
  };
  const server = certificate ? createSecureServer(certificate, take) : createServer(take);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.url = `${certificate ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

test("a server sends signed messages as things happen, logs each, and continues after a restart", async () => {
  const made = await makeDatabase();
  const receiver = await aReceiver();
  const serve = ["serve", "--no-area", "--webhooks-to-private-networks", "--db", made.db];
  const server = await startServer(serve);
  const send = { url: receiver.url, actions: ["document.*"] };
  const { body: webhook } = await call(server, made.api_key, "POST", "/v1/webhooks", send);
  const secret = String(webhook.secret);
  const customer = await makeCustomer(server, made);
  const { body: first } = await call(server, made.api_key, "POST", "/v1/documents", invoice(made, customer));
  await until(() => receiver.came.length === 1);
  const [came] = receiver.came as [Came];
  const verified = new Verifier(secret).verify(came.body, came.headers as Record<string, string>);
  expect(verified).toMatchObject({ type: "document.issued", data: { resource_id: first.id, actor: "K1" } });
  await until(() => server.lines.some((line) => line.includes('"event":"webhook"')));
  const logged = server.lines.map((line) => JSON.parse(line)).find(({ event }) => event === "webhook");
  expect(logged).toMatchObject({
    level: "info",
    webhook_id: webhook.id,
    outcome: "delivered",
    status: 204,
    attempt: 1,
  });
  expect(server.lines.join("\n")).not.toContain(secret.slice(6));
  expect((await server.stop()).code).toBe(0);

  const silent = await startServer(["serve", "--no-area", "--no-webhooks", "--db", made.db]);
  await call(silent, made.api_key, "POST", "/v1/documents", invoice(made, customer));
  await pause(1_500); // longer than it takes to look for what waits
  expect(receiver.came).toHaveLength(1);
  await silent.stop();

  const again = await startServer(serve);
  await until(() => receiver.came.length === 2);
  expect(JSON.parse(receiver.came[1]?.body ?? "{}")).toMatchObject({ type: "document.issued" });
  await again.stop();
});

test.skipIf(!HAS_OPENSSL)(
  "by HTTPS a receiver is trusted if the operator named its authority, and no other",
  async () => {
    const directory = temporaryDirectory();
    certify(directory, "ca", "An authority");
    certify(directory, "receiver", "A receiver", { by: "ca", for: "IP:127.0.0.1" });
    const file = (name: string) => join(directory, name);
    const receiver = await aReceiver({
      key: readFileSync(file("receiver.key")),
      cert: readFileSync(file("receiver.crt")),
    });
    const made = await makeDatabase();
    const serve = (env = {}) =>
      startServer(["serve", "--no-area", "--webhooks-to-private-networks", "--db", made.db], { env });

    const strange = await serve();
    const { body: webhook } = await call(strange, made.api_key, "POST", "/v1/webhooks", { url: receiver.url });
    const outcomes = ({ lines }: typeof strange) =>
      lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "webhook");
    await until(() => outcomes(strange).length > 0);
    expect(outcomes(strange)[0]).toMatchObject({ outcome: "failed", error: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
    await strange.stop();
    expect(receiver.came).toEqual([]);

    const trusting = await serve({ NODE_EXTRA_CA_CERTS: file("ca.crt") });
    await call(trusting, made.api_key, "POST", `/v1/webhooks/${webhook.id}/test`);
    await until(() => receiver.came.length > 0);
    const [came] = receiver.came as [Came];
    new Verifier(String(webhook.secret)).verify(came.body, came.headers as Record<string, string>);
    await until(() => outcomes(trusting).some(({ outcome }) => outcome === "delivered"));
    await trusting.stop();
  },
);

test("without the operator's permission a server sends to no private network, whatever the database says", async () => {
  const made = await makeDatabase();
  const receiver = await aReceiver();
  const open = await startServer(["serve", "--no-area", "--webhooks-to-private-networks", "--db", made.db]);
  const { body: webhook } = await call(open, made.api_key, "POST", "/v1/webhooks", { url: receiver.url });
  await until(() => receiver.came.length > 0);
  await open.stop();
  const before = receiver.came.length;
  const server = await startServer(["serve", "--no-area", "--db", made.db]);
  const refused = await call(server, made.api_key, "POST", "/v1/webhooks", { url: `${receiver.url}/2` });
  expect(refused).toMatchObject({ status: 400, body: { error: { message: "url: must begin with https://" } } });
  await makeCustomer(server, made);
  const deliveries = `/v1/webhooks/${webhook.id}/deliveries?status=waiting`;
  const attempts = async () => {
    const { data } = (await call(server, made.api_key, "GET", deliveries)).body as Pick<Page<WebhookDelivery>, "data">;
    return data.flatMap((one) => one.attempts);
  };
  await until(async () => (await attempts()).length > 0);
  expect((await attempts())[0]).toMatchObject({ status: null, error: "not_public" });
  expect(receiver.came).toHaveLength(before);
  await server.stop();
});

test("status names a webhook that has failed for an hour, or gets nothing any more", async () => {
  const made = await makeDatabase();
  const server = await startServer(["serve", "--no-area", "--no-webhooks", "--db", made.db]);
  const url = "https://example.com/hook?token=s3";
  const { body: webhook } = await call(server, made.api_key, "POST", "/v1/webhooks", { url });
  await server.stop();
  expect((await lacre(["status", "--db", made.db])).stdout).not.toContain("example.com");
  {
    using database = new DatabaseSync(made.db);
    database.exec(`update webhooks set failing_since = '2026-01-02T03:04:05.000Z' where id = '${webhook.id}'`);
  }
  const { stdout } = await lacre(["status", "--db", made.db]);
  expect(stdout).toContain("- The webhook to https://example.com fails since 2026-01-02T03:04:05.000Z");
  expect(stdout).not.toContain("token");
  const portuguese = await lacre(["status", "--lang", "pt", "--db", made.db]);
  expect(portuguese.stdout).toContain("- O webhook para https://example.com falha desde");
});

test("status, and a server that sends no webhooks, report messages that nobody sends; a server that sends them does not", async () => {
  const made = await makeDatabase();
  const { url } = await aReceiver();
  const serve = ["serve", "--no-area", "--webhooks-to-private-networks", "--db", made.db];
  const server = await startServer([...serve, "--no-webhooks"]);
  const { body: webhook } = await call(server, made.api_key, "POST", "/v1/webhooks", { url });
  await call(server, made.api_key, "POST", `/v1/webhooks/${webhook.id}/test`);
  await server.stop();
  const since = new Date(Date.now() - 24 * 60 * 60_000).toISOString(); // A server gives up what has waited a week.
  {
    using database = new DatabaseSync(made.db);
    database.exec(`update deliveries set due_at = '${since}' where due_at is not null`);
  }
  const words = `Messages to webhooks wait since ${since}, and no program sends them`;
  expect((await lacre(["status", "--db", made.db])).stdout).toContain(`- ${words}`);
  const kindsTold = async (...more: string[]) => {
    const started = await startServer([...serve, ...more]);
    await started.stop(); // not before it has told what waits
    return started.lines
      .map((line) => JSON.parse(line))
      .flatMap(({ event, kind }) => (event === "waiting" ? kind : []));
  };
  expect(await kindsTold("--no-webhooks")).toEqual(["series_unregistered", "webhooks_unsent"]);
  expect(await kindsTold()).toEqual(["series_unregistered"]);
});
