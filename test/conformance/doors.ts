/**
 * The doors into Lacre: the library, the handler, the client, the program as a process. Each runs any operation by its
 * name.
 */
import { join } from "node:path";
import { LacreError } from "lacre";
import { createClient, LacreError as Refusal } from "lacre/client";
import { createHandler, openApiDocument } from "lacre/http";
import { openInMemory } from "lacre/testing";
import { COMPANY_OPERATIONS } from "../../src/core/operations.ts";
import type { Operation } from "../../src/core/runtime/operation.ts";
import { lacre, startServer, temporaryDirectory } from "../bin/program.ts";
import { DATABASE, POSTGRES } from "../support/databases.ts";
import { aSchema } from "../support/schemas.ts";

/** The outcome of an operation: its answer, or the code and message of its refusal. */
export interface Outcome {
  readonly answer?: unknown;
  readonly replayed?: boolean;
  readonly refused?: { readonly code: string; readonly message: string };
}

export interface Door {
  call(operation: string, input: Readonly<Record<string, unknown>>, idempotency_key?: string): Promise<Outcome>;
  close(): Promise<void>;
}

/** Straight into the core, as a caller with a key. */
export async function libraryDoor(): Promise<Door> {
  const { lacre, api_key } = await openInMemory({ dialect: DATABASE.dialect(":memory:") });
  const caller = await lacre.authenticate(api_key);
  const operations = new Map(
    Object.values(COMPANY_OPERATIONS)
      .flatMap((verbs) => Object.values(verbs))
      .map((operation) => [operation.id, operation]),
  );
  return {
    async call(name, input, idempotency_key) {
      const operation = operations.get(name);
      if (!operation) throw new Error(`There is no operation ${name}.`);
      try {
        const { value, replayed } = await lacre.run(caller, operation, input, { idempotency_key });
        return { answer: value ?? null, replayed };
      } catch (error) {
        if (error instanceof LacreError) return { refused: { code: error.code, message: error.message } };
        throw error;
      }
    },
    close: () => lacre.close(),
  };
}

/** Through `createHandler`, without a network. `look` sees each request with its answer. */
export async function handlerDoor(look?: (request: Request, response: Response) => Promise<void>): Promise<Door> {
  const { lacre, api_key } = await openInMemory({ dialect: DATABASE.dialect(":memory:") });
  const handler = createHandler(lacre);
  const send = async (request: Request) => {
    const response = await handler(request);
    await look?.(request, response.clone());
    return response;
  };
  return httpDoor(api_key, "http://lacre.test", send, () => lacre.close());
}

/** Through a started program and a real socket: the executable, or the sources where flags for Node are given. */
export async function processDoor(node?: readonly string[]): Promise<Door> {
  const db = DATABASE === POSTGRES ? aSchema().db : join(temporaryDirectory(), "door.db");
  const options = node && { node };
  const made = await lacre(
    ["init", "--name", "Padaria Central, Lda.", "--tax-id", "500000000", "--db", db, "--json"],
    options,
  );
  const { api_key } = JSON.parse(made.stdout) as { api_key: string };
  const server = await startServer(["serve", "--db", db], options);
  return httpDoor(api_key, server.url, fetch, async () => void (await server.stop()));
}

/** Through `lacre/client`, before the handler. */
export async function clientDoor(): Promise<Door> {
  const { lacre, api_key } = await openInMemory({ dialect: DATABASE.dialect(":memory:") });
  const handler = createHandler(lacre);
  let replayed = false;
  const shop = createClient({
    url: "http://lacre.test",
    key: api_key,
    async fetch(url, init) {
      const response = await handler(new Request(url, init));
      replayed = response.headers.get("idempotent-replayed") === "true";
      return response;
    },
  });
  const verbs = new Map(
    Object.entries<Readonly<Record<string, Operation>>>(COMPANY_OPERATIONS).flatMap(([group, operations]) =>
      Object.entries(operations).map(([verb, { id }]) => [id, [group, verb] as const] as const),
    ),
  );
  return {
    async call(operation, input, idempotency_key) {
      const [group, verb] = verbs.get(operation) ?? [];
      const call = (shop as unknown as Callable)[group ?? ""]?.[verb ?? ""];
      if (!call) throw new Error(`The client has no ${operation}.`);
      try {
        const answer = await call(input, { idempotency_key });
        return { answer: answer ?? null, replayed };
      } catch (error) {
        if (error instanceof Refusal) return { refused: error.toJSON() };
        throw error;
      }
    },
    close: () => lacre.close(),
  };
}

/** The methods of the client, whatever they take. */
type Callable = Readonly<
  Record<string, Readonly<Record<string, (input: object, options: object) => Promise<unknown>>>>
>;

/** Speaks HTTP by the published description alone: method and path of each operation come from it. */
function httpDoor(
  api_key: string,
  base: string,
  send: (request: Request) => Promise<Response>,
  close: () => Promise<void>,
): Door {
  const routes = publishedRoutes();
  return {
    async call(operation, input, idempotency_key) {
      const route = routes.get(operation);
      if (!route) throw new Error(`The description has no operation ${operation}.`);
      const rest = { ...input };
      const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = String(rest[name]);
        delete rest[name];
        return encodeURIComponent(value);
      });
      const inQuery = route.method === "GET" || route.method === "DELETE";
      const query = inQuery ? new URLSearchParams(rest as Record<string, string>).toString() : "";
      const response = await send(
        new Request(`${base}${path}${query ? `?${query}` : ""}`, {
          method: route.method,
          headers: {
            authorization: `Bearer ${api_key}`,
            ...(idempotency_key !== undefined && { "idempotency-key": idempotency_key }),
            ...(!inQuery && { "content-type": "application/json" }),
          },
          body: inQuery ? null : JSON.stringify(rest),
        }),
      );
      const text = await response.text();
      const body = text === "" ? null : JSON.parse(text);
      if (!response.ok) return { refused: body.error };
      return { answer: body, replayed: response.headers.get("idempotent-replayed") === "true" };
    },
    close,
  };
}

function publishedRoutes(): Map<string, { method: string; path: string }> {
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, { operationId?: string }>> };
  const routes = new Map<string, { method: string; path: string }>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { operationId }] of Object.entries(methods)) {
      if (operationId) routes.set(operationId, { method: method.toUpperCase(), path });
    }
  }
  return routes;
}
