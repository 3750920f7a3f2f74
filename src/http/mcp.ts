/**
 * Agents, by the Model Context Protocol over streamable HTTP, without sessions: each POST holds one message and is
 * answered as JSON. Lacre has tools and nothing else, and a key that may issue is refused here.
 */
import * as z from "zod";
import { LacreError, refuse } from "../core/runtime/errors.ts";
import type { Caller } from "../core/runtime/permissions.ts";
import type { Lang } from "../core/texts/languages.ts";
import type { Text } from "../core/texts/texts.ts";
import { VERSION } from "../core/version.ts";
import { type Answer, jsonAnswer, messageOf } from "./answer.ts";
import { readJson } from "./body.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { t } from "./refusals.ts";
import { callTool, isTool, type RunOperation, toolList } from "./tools.ts";

/** The versions of the protocol that are spoken, the newest first. With older ones clients may send batches. */
const VERSIONS = ["2025-11-25", "2025-06-18"] as const;

/** What a client that names no version in its headers is taken to speak: it has not heard of the header yet. */
const UNNAMED = "2025-03-26";

/** The codes of JSON-RPC 2.0. */
const CODES = { parse: -32_700, request: -32_600, method: -32_601, params: -32_602 } as const;

const INSTRUCTIONS =
  "Lacre keeps the invoices of one Portuguese company. Find, draft and preview. Only a person issues: show them the preview, and where to approve it, the company area. Rates are percentages (23), amounts EUR.";

const Id = z.union([z.string(), z.int()]);

/** A request, or without an id a notification. */
const Message = z.object({
  jsonrpc: z.literal("2.0"),
  id: Id.optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
});

/** The answer of a client to a request; Lacre asks nothing. */
const Response = z.union([
  z.object({ jsonrpc: z.literal("2.0"), id: Id, result: z.unknown() }).refine((one) => "result" in one),
  z.object({ jsonrpc: z.literal("2.0"), error: z.object({ code: z.int() }) }),
]);

const Initialize = z.object({ protocolVersion: z.string() });
const Call = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) });

/** What answering a message needs. */
export interface Agent {
  readonly lang: Lang;
  readonly maxBytes: number;
  /** Runs an operation for the key of the request. */
  readonly run: RunOperation;
}

/** Refuses with `forbidden` a key that may issue, and a page of another address. */
export function mustBeAgent({ scopes }: Caller, origin: string | null, isOwn: (origin: string) => boolean): void {
  if (origin !== null && !isOwn(origin)) refuse("forbidden", t.not_same_origin);
  if (scopes.includes("documents:issue")) refuse("forbidden", t.agents_do_not_issue);
}

/** Answers the message in the body of a request. */
export async function answerAgent(request: IncomingRequest, agent: Agent): Promise<Answer> {
  const version = request.header("mcp-protocol-version") ?? UNNAMED;
  if (version !== UNNAMED && !(VERSIONS as readonly string[]).includes(version)) {
    return fault(null, CODES.request, t.protocol_not_spoken({ versions: VERSIONS }), agent.lang, 400);
  }
  let body: unknown;
  try {
    body = await readJson(request, agent.maxBytes);
  } catch (error) {
    if (!(error instanceof LacreError) || error.code !== "invalid_request") throw error;
    return faultOf(null, CODES.parse, messageOf(error, agent.lang), 400);
  }
  if (Response.safeParse(body).success) return ACCEPTED;
  const { data: message } = Message.safeParse(body);
  if (!message) return fault(null, CODES.request, t.must_be_one_message, agent.lang, 400);
  const { id, method, params = {} } = message;
  return id === undefined ? ACCEPTED : answerRequest({ id, method, params }, agent);
}

const ACCEPTED: Answer = { status: 202, headers: {}, body: null };

interface Request {
  readonly id: z.output<typeof Id>;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

async function answerRequest({ id, method, params }: Request, agent: Agent): Promise<Answer> {
  const answer = (result: object) => jsonAnswer(200, { jsonrpc: "2.0", id, result });
  switch (method) {
    case "initialize": {
      const { data } = Initialize.safeParse(params);
      return data
        ? answer(introduction(data.protocolVersion))
        : fault(id, CODES.params, t.params_not_valid, agent.lang);
    }
    case "ping":
      return answer({});
    case "tools/list":
      return "cursor" in params
        ? fault(id, CODES.params, t.params_not_valid, agent.lang)
        : answer({ tools: toolList() });
    case "tools/call": {
      const { data } = Call.safeParse(params);
      if (!data || !isTool(data.name)) return fault(id, CODES.params, t.tool_not_known, agent.lang);
      return answer(await resultOf(data, agent));
    }
    default:
      return fault(id, CODES.method, t.method_not_known, agent.lang);
  }
}

function introduction(asked: string) {
  return {
    protocolVersion: VERSIONS.find((version) => version === asked) ?? VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: "lacre", title: "Lacre", version: VERSION },
    instructions: INSTRUCTIONS,
  };
}

/** The result of a tool. A refusal is one, too: the agent reads it and can do better. */
async function resultOf(call: z.output<typeof Call>, { run, lang }: Agent) {
  try {
    return { content: [{ type: "text", text: await callTool(call.name, call.arguments, run) }] };
  } catch (error) {
    if (!(error instanceof LacreError)) throw error;
    return { content: [{ type: "text", text: `${error.code}: ${messageOf(error, lang)}` }], isError: true };
  }
}

const fault = (id: Request["id"] | null, code: number, says: Text, lang: Lang, status = 200): Answer =>
  faultOf(id, code, says.in(lang), status);

function faultOf(id: Request["id"] | null, code: number, message: string, status: number): Answer {
  return jsonAnswer(status, { jsonrpc: "2.0", id, error: { code, message } });
}
