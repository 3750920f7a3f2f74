/** The company area over HTTP: people with browsers, on clocks that a test moves. */
import type { LacreOptions, LogEntry } from "lacre";
import { type AreaOptions, createHandler, type HandlerOptions } from "lacre/http";
import { openInMemory, type TestInstance } from "lacre/testing";
import { expect, onTestFinished } from "vitest";
import type { Role } from "../../src/core/runtime/permissions.ts";
import { BETTER, NOW } from "./drivers.ts";

export const PASSWORD = "quatro palavras sem nexo";

/** An answer; `body` is the parsed JSON, or null. */
export interface Reply<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: T;
}

/** What a browser sends beside method and path. Headers that are null are left out. */
export interface Sending {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | null>>;
  /** The company of `Lacre-Company`. */
  readonly company?: string;
}

/** A browser with its cookies. */
export interface Browser {
  /** The cookie of its session, as `name=value`; set it to steal one. */
  cookie: string | undefined;
  /** That by which it is known after a login. */
  device: string | undefined;
  send<T = Record<string, unknown>>(method: string, path: string, sent?: Sending): Promise<Reply<T>>;
  logIn(login: string, password?: string): Promise<Reply>;
  confirm(password?: string): Promise<Reply>;
}

export interface Area extends TestInstance {
  /** The wall clock; set it to move in time. */
  now: Date;
  /** The clock of limits, in milliseconds. */
  monotonic: number;
  readonly log: LogEntry[];
  wait(ms: number): void;
  browser(at?: { origin?: string; address?: string; agent?: string }): Browser;
  /** A user of this role, who logged in. */
  person(role: Role, login?: string, company_id?: string): Promise<Browser & { readonly user_id: string }>;
  /** An owner who typed the password again. */
  owner(login?: string): Promise<Browser & { readonly user_id: string }>;
}

export interface AreaTestOptions extends Partial<LacreOptions> {
  readonly area?: AreaOptions | undefined;
  readonly handler?: HandlerOptions;
  /** Takes the place of the modules that tests import, for a control. */
  readonly modules?: { readonly createHandler: typeof createHandler; readonly openInMemory: typeof openInMemory };
}

const onMadeTables: typeof openInMemory = (options) =>
  openInMemory({ dialect: BETTER.dialect(":memory:"), ...options });

/** Opens an instance with its area; it is closed when the test ends. */
export async function anArea(options: AreaTestOptions = {}): Promise<Area> {
  const {
    area = {},
    handler: handlerOptions,
    modules = { createHandler, openInMemory: onMadeTables },
    ...more
  } = options;
  const clock = { now: new Date(NOW), monotonic: 0 };
  const log: LogEntry[] = [];
  const instance = await modules.openInMemory({
    now: () => clock.now,
    monotonic: () => clock.monotonic,
    log: (entry) => void log.push(entry),
    ...more,
  });
  onTestFinished(() => instance.lacre.close());
  const { lacre, company_id: first } = instance;
  const handler = modules.createHandler(lacre, { area, ...handlerOptions });
  const base = handlerOptions?.basePath ?? "";

  function browser({ origin = "http://127.0.0.1:8787", address = "203.0.113.7", agent = "Firefox" } = {}): Browser {
    const self: Browser = {
      cookie: undefined,
      device: undefined,
      async send<T>(method: string, path: string, { body, headers = {}, company }: Sending = {}) {
        const all: Record<string, string | null> = {
          "user-agent": agent,
          "sec-fetch-site": "same-origin",
          ...(method !== "GET" && { origin }),
          ...((self.cookie ?? self.device) !== undefined && {
            cookie: [self.cookie, self.device].filter((one) => one !== undefined).join("; "),
          }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(company !== undefined && { "lacre-company": company }),
          ...headers,
        };
        const sent = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null);
        const raw = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
        const request = new Request(`${origin}${base}${path}`, { method, headers: sent, body: raw });
        const response = await handler(request, { remote_address: address });
        for (const set of response.headers.getSetCookie()) {
          const value = set.includes("Max-Age=0") ? undefined : set.split(";")[0];
          self[set.includes("lacre_device=") ? "device" : "cookie"] = value;
        }
        const text = await response.text();
        const type = response.headers.get("content-type") ?? "";
        const isJson = /^application\/(?:problem\+)?json/.test(type) && text !== "";
        return {
          status: response.status,
          headers: response.headers,
          text,
          body: (isJson ? JSON.parse(text) : null) as T,
        };
      },
      logIn: (login, password = PASSWORD) => self.send("POST", "/area/v1/session", { body: { login, password } }),
      confirm: (password = PASSWORD) => self.send("POST", "/area/v1/session/confirm", { body: { password } }),
    };
    return self;
  }

  async function person(role: Role, login = `${role}@loja.pt`, company_id = first) {
    const { link_path } = await lacre.as(company_id).users.invite({ login, role });
    const self = browser();
    const body = { token: tokenOf(link_path), name: `A ${role}`, password: PASSWORD };
    const accepted = await self.send<{ user: { id: string } }>("POST", "/area/v1/invitations/accept", { body });
    expect(accepted.status, accepted.text).toBe(201);
    return Object.assign(self, { user_id: accepted.body.user.id });
  }

  return Object.assign(clock, {
    ...instance,
    log,
    wait(ms: number) {
      clock.now = new Date(clock.now.getTime() + ms);
      clock.monotonic += ms;
    },
    browser,
    person,
    async owner(login = "owner@loja.pt") {
      const self = await person("owner", login);
      expect((await self.confirm()).status).toBe(200);
      return self;
    },
  });
}

/** The secret in a link. */
export function tokenOf(link_path: string): string {
  return link_path.split("#")[1] ?? "";
}

/** Expects a refusal: its status, its code and a part of its words. */
export function expectRefused(reply: Reply<unknown>, status: number, code: string, says = ""): void {
  const { error } = reply.body as { error: { code: string; message: string } };
  expect([reply.status, error.code], reply.text).toEqual([status, code]);
  expect(error.message).toContain(says);
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
