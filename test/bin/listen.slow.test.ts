/** `lacre listen` and `lacre trigger`: events of a running demonstration at a receiver on this machine. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { Webhook as Verifier } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../support/until.ts";
import { call, keyOfDemo, lacre, makeDatabase, start, startServer } from "./program.ts";

interface Came {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver on this machine; at a given port, or any. */
async function aReceiver(came: Came[], port = 0) {
  const server = createServer((incoming, outgoing) => {
    let body = "";
    incoming.on("data", (piece) => (body += piece));
    incoming.on("end", () => {
      came.push({ path: incoming.url, headers: incoming.headers, body });
      outgoing.writeHead(incoming.url === "/broken" ? 500 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return { port: (server.address() as AddressInfo).port, close };
}

/** A running `listen`, with its lines. */
function aListener(to: string, env: Readonly<Record<string, string>>, ...more: string[]) {
  const child = start(["listen", "--to", to, ...more], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const faults: string[] = [];
  for (const [stream, into] of [
    [child.stdout, lines],
    [child.stderr, faults],
  ] as const)
    createInterface({ input: stream as NonNullable<typeof stream> }).on("line", (line) => into.push(line));
  return {
    lines,
    faults,
    async stop() {
      const ended = once(child, "close");
      child.kill("SIGINT");
      return (await ended)[0];
    },
  };
}

/** A demonstration, and the environment that leads to it. */
async function aDemo() {
  const demo = await startServer(["demo", "--json"]);
  const key = await keyOfDemo(demo);
  return { demo, key, env: { LACRE_URL: demo.url, LACRE_KEY: key } };
}

test("each new event comes as a webhook brings it, and again when the target is back", async () => {
  const { demo, key, env } = await aDemo();
  const came: Came[] = [];
  const receiver = await aReceiver(came);
  const base = `http://127.0.0.1:${receiver.port}`;
  const listener = aListener(`${base}/listen`, env);
  await until(() => listener.lines.length === 2);
  expect(listener.lines[0]).toBe(
    `Each new event of Padaria Central, Lda. at ${demo.url} is sent to ${base}/listen, until Ctrl+C.`,
  );
  const [, secret = ""] = /^The secret that signs them: (whsec_\S+)$/.exec(listener.lines[1] ?? "") ?? [];

  const { body: before } = await call(demo, key, "GET", "/v1/events?limit=200");
  await call(demo, key, "POST", "/v1/webhooks", { url: `${base}/webhook`, actions: ["document.issued"] });
  const { stdout } = await lacre(["trigger", "document.issued"], { env });
  const number = `FT ${new Date().getFullYear()}A/2`;
  expect(stdout).toBe(`document.issued ${number}\n`);
  await until(() => listener.lines.some((line) => line.startsWith("document.issued")));
  expect(listener.lines.find((line) => line.startsWith("document.issued"))).toMatch(
    new RegExp(`^document\\.issued ${number} → 204 \\d+ ms$`),
  );

  // The first that came is the first after it began: nothing older, and nothing was skipped.
  const listened = came.filter(({ path }) => path === "/listen");
  const positions = listened.map(({ body }) => JSON.parse(body).data.position);
  expect(positions[0]).toBe(Number(before.last_position) + 1);
  for (const { body, headers } of listened) new Verifier(secret).verify(body, headers as Record<string, string>);
  expect(new Set(listened.map(({ headers }) => headers["webhook-id"])).size).toBe(listened.length);
  await until(() => came.some(({ path }) => path === "/webhook"));
  const real = came.find(({ path }) => path === "/webhook") as Came;
  const same = listened.find(({ body }) => body.includes("document.issued")) as Came;
  expect(same.body).toBe(real.body);
  const told = ({ headers }: Came) => ({ names: Object.keys(headers), type: headers["content-type"] });
  expect(told(same)).toEqual(told(real));
  // Control: another secret does not verify it.
  const foreign = new Verifier("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
  expect(() => foreign.verify(same.body, same.headers as Record<string, string>)).toThrow();

  await receiver.close();
  const { body: customer } = await call(demo, key, "POST", "/v1/customers", { name: "Rui" });
  const refused = `customer.created ${customer.id} → no answer (ECONNREFUSED); tried again in 1 s`;
  await until(() => listener.lines.includes(refused));
  const tried = came.length;
  await aReceiver(came, receiver.port);
  const taken = `customer.created ${customer.id} → 204 `;
  await until(() => listener.lines.some((line) => line.startsWith(taken)));
  expect(came.slice(tried).map(({ body }) => JSON.parse(body).data.resource_id)).toEqual([customer.id]);
  expect(await listener.stop()).toBe(0);
  expect(listener.faults).toEqual([]);
});

test("an answer is final, whatever it is; what is not answered is given up, and the next follows", async () => {
  const { demo, key, env } = await aDemo();
  const came: Came[] = [];
  const receiver = await aReceiver(came);
  const broken = aListener(`http://127.0.0.1:${receiver.port}/broken`, env, "--json");
  const closed = aListener("http://127.0.0.1:9/", env, "--lang", "pt");
  await until(() => broken.lines.length === 1 && closed.lines.length === 2);
  expect(JSON.parse(broken.lines[0] ?? "")).toMatchObject({ url: demo.url, secret: expect.stringMatching(/^whsec_/) });
  expect(closed.lines[1]).toMatch(/^O segredo que os assina: whsec_/);
  for (const name of ["Rui", "Eva"]) await call(demo, key, "POST", "/v1/customers", { name });
  await until(() => closed.lines.length >= 7);
  const ends = closed.lines.slice(2, 7).map((line) => line.replace(/^customer\.created \S+ → /, ""));
  const wait = (seconds: number) => `sem resposta (ECONNREFUSED); nova tentativa dentro de ${seconds} s`;
  const givenUp = "sem resposta (ECONNREFUSED); fica por enviar, e segue-se o próximo";
  expect(ends).toEqual([wait(1), wait(2), wait(4), givenUp, wait(1)]);
  expect(await closed.stop()).toBe(0); // in the middle of its waiting
  expect(broken.lines.slice(1).map((line) => JSON.parse(line))).toMatchObject([
    { action: "customer.created", attempt: 1, status: 500, error: null },
    { action: "customer.created", attempt: 1, status: 500, error: null },
  ]);
  // It says that the installation is gone, and goes on.
  await demo.stop();
  await until(() => broken.lines.length === 4);
  expect(JSON.parse(broken.lines[3] ?? "")).toEqual({ answers: false, reason: "ECONNREFUSED" });
  expect(await broken.stop()).toBe(0);
});

test("what it cannot do is refused in words", async () => {
  const made = await makeDatabase();
  const server = await startServer(["serve", "--no-area", "--db", made.db]);
  const env = { LACRE_URL: server.url, LACRE_KEY: made.api_key };
  const saying = async (args: string[], more = {}) => {
    const { code, stdout, stderr } = await lacre(args, { env: { ...env, ...more } });
    expect(stdout).toBe("");
    return [code, stderr];
  };
  const live = "lacre: This is no test key, and may be of an installation where every document counts; ";
  const test = "give one that begins lacre_test_, such as the one that lacre demo prints.\n";
  expect(await saying(["trigger", "document.issued"])).toEqual([3, live + test]);
  const { body } = await call(server, made.api_key, "GET", "/v1/documents");
  expect(body).toMatchObject({ data: [] });
  const [code, kinds] = await saying(["trigger", "document.eaten"]);
  expect(code).toBe(2);
  expect(kinds).toMatch(/^lacre: EVENT must be one of .*document\.issued, .*refund\.voided/);
  expect(await saying(["trigger", "document.issued"], { LACRE_KEY: "" })).toEqual([
    2,
    "lacre: the API key (lacre_…) is missing, in LACRE_KEY or in a file (--key-file)\n",
  ]);
  const [, unknown] = await saying(["trigger", "document.issued", "--lang", "pt"], { LACRE_KEY: "lacre_test_x" });
  expect(unknown).toMatch(/^lacre: A chave da API/);
  const [isPublic, words] = await saying(["listen", "--to", "https://1.1.1.1/hook"]);
  expect(isPublic).toBe(3);
  expect(words).toContain("https://1.1.1.1/hook is on the internet");
  expect(await saying(["listen", "--to", "localhost:3000"])).toEqual([
    2,
    "lacre: --to must be an address such as http://localhost:3000/lacre\n",
  ]);
  await server.stop();
});
