/** What is asked, how many at once, and which floor it is held against. */
import type { Asked } from "./load.ts";
import { linesOf, RARE, type Seeded } from "./seed.ts";

/** The servers that take turns. */
export type Side = "lacre" | "each" | "group";

export interface Scenario {
  readonly name: string;
  readonly connections: number;
  /** In the order they take turns; Lacre is first and is held against each of the others. */
  readonly sides: readonly Side[];
  readonly requests: (seeded: Seeded) => readonly Asked[];
}

const DIFFERENT_BODIES = 200;

/**
 * Reads come first: writes make the two databases grow apart, the quicker side's faster. Of the issues those at 32
 * connections: at one there are too few in the same time to warm up by.
 */
export const SCENARIOS: readonly Scenario[] = [
  reading("/v1/me", () => ["/v1/me"]),
  reading("customer by id", ({ customer_ids }) => customer_ids.map((id) => `/v1/customers/${id}`)),
  reading("document by id", ({ document_ids }) => document_ids.map((id) => `/v1/documents/${id}`)),
  reading("list of 50", () => ["/v1/documents?limit=50"]),
  reading("list of 50, by status", () => ["/v1/documents?limit=50&status=issued"]),
  reading("list of 50, offset of 90 %", ({ documents }) => [`/v1/documents?limit=50&offset=${documents * 0.9}`]),
  reading("search, 7 of all", () => [`/v1/customers?search=${RARE.toLowerCase()}`]),
  {
    name: "payment, 32 connections",
    connections: 32,
    sides: ["lacre", "group"],
    requests: ({ document_ids }) => {
      const body = { amount: 0.01, method_code: "TB", payment_date: today() };
      return document_ids.map((id) => ({ method: "POST", path: `/v1/documents/${id}/payments`, body }));
    },
  },
  { name: "issue, 32 connections", connections: 32, sides: ["lacre", "each", "group"], requests: invoices(true) },
  { name: "issue, 1 connection", connections: 1, sides: ["lacre", "each"], requests: invoices(true) },
  { name: "draft, 32 connections", connections: 32, sides: ["lacre", "group"], requests: invoices(false) },
];

function reading(name: string, paths: (seeded: Seeded) => readonly string[]): Scenario {
  const requests = (seeded: Seeded) => paths(seeded).map((path) => ({ method: "GET", path }) as const);
  return { name, connections: 32, sides: ["lacre", "group"], requests };
}

/** Invoices of three lines, to customers all over the list. */
function invoices(issue: boolean): Scenario["requests"] {
  return ({ series_id, customer_ids }) =>
    Array.from({ length: DIFFERENT_BODIES }, (_, n) => ({
      method: "POST",
      path: "/v1/documents",
      body: {
        doc_type: "FT",
        series_id,
        issue_date: today(),
        customer_id: customer_ids[n % customer_ids.length],
        lines: linesOf(n),
        issue,
      },
    }));
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
