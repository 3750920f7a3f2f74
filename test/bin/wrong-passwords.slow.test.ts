/** Wrong passwords are counted in the database: a restart forgets none, and servers on one database count together. */
import { expect, test } from "vitest";
import { aSchema, describeOnPostgres } from "../support/schemas.ts";
import { lacre, lacreJson, makeDatabase, type Running, startServer } from "./program.ts";

const [LOGIN, PASSWORD] = ["rosa@example.pt", "pão quente às sete"];

/** Sends to the area of a server as its page does. */
function send({ url }: Running, path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
  return fetch(`${url}/area/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Makes an owner, whose password is right. */
async function makeOwner(server: Running, db: string): Promise<void> {
  const { stdout } = await lacre(["user", "invite", "--role", "owner", "--db", db]);
  const [, token] = /#([\w-]{43})/.exec(stdout) ?? [];
  const accepted = await send(server, "/invitations/accept", { token, name: "Rosa", login: LOGIN, password: PASSWORD });
  expect(accepted.status).toBe(201);
}

/** Guesses once at each of so many logins, which slows none of them down; each guess is answered. */
async function guess(server: Running, from: number, count: number): Promise<void> {
  for (let i = from; i < from + count; i++) {
    const { status } = await send(server, "/session", { login: `caixa${i}@example.pt`, password: "a wrong one" });
    expect([i, status]).toEqual([i, 401]);
  }
}

/** Logs in with the right password: the status, and the seconds to wait. */
async function logIn(server: Running): Promise<{ readonly status: number; readonly wait_s: number }> {
  const { status, headers } = await send(server, "/session", { login: LOGIN, password: PASSWORD });
  return { status, wait_s: Number(headers.get("retry-after")) };
}

/** For minutes, where one that slows down waits half of one at most. */
const expectLocked = ({ status, wait_s }: Awaited<ReturnType<typeof logIn>>) => {
  expect(status).toBe(429);
  expect(wait_s).toBeGreaterThan(60);
};

test("a restart, and a kill, forget no wrong password", async () => {
  const { db } = await makeDatabase();
  const first = await startServer(["serve", "--db", db]);
  await makeOwner(first, db);
  await guess(first, 0, 10);
  await first.stop();
  const second = await startServer(["serve", "--db", db]);
  await guess(second, 10, 19);
  expect((await logIn(second)).status).toBe(201); // the control: 29 are allowed, and the right one is none of them
  await guess(second, 29, 1);
  expectLocked(await logIn(second));
  await second.stop("SIGKILL");
  expectLocked(await logIn(await startServer(["serve", "--db", db])));
});

describeOnPostgres("on PostgreSQL", () => {
  test("two servers count wrong passwords together", async () => {
    const { db } = aSchema();
    await lacreJson("init", "--name", "Loja", "--tax-id", "500000000", "--db", db);
    const [one, other] = [await startServer(["serve", "--db", db]), await startServer(["serve", "--db", db])];
    await makeOwner(one, db);
    await guess(one, 0, 15);
    await guess(other, 15, 14);
    for (const server of [one, other]) expect((await logIn(server)).status).toBe(201); // the control
    await guess(one, 29, 1);
    for (const server of [other, one]) expectLocked(await logIn(server));
  });
});
