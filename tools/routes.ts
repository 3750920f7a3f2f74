// The routes of the operations by the names of the library: the company area's page and `lacre/client` call them so.

import type { z } from "zod";
import { COMPANY_OPERATIONS } from "../src/core/operations.ts";
import type { Operation } from "../src/core/runtime/operation.ts";
import type { OperationRoute, Route } from "../src/http/route.ts";
import { ROUTES } from "../src/http/routes.ts";

/** Operations by group and verb. */
type Groups = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** For each operation that one of these routes runs, by group and verb, what `entry` makes of its route. */
export function routesOf<Entry>(
  operations: Groups,
  among: readonly Route[],
  entry: (route: OperationRoute) => Entry,
): Record<string, Record<string, Entry>> {
  const routes = among.filter((route) => "operation" in route);
  const found: Record<string, Record<string, Entry>> = {};
  for (const [group, verbs] of Object.entries(operations)) {
    for (const [verb, operation] of Object.entries(verbs)) {
      const route = routes.find((one) => one.operation === operation);
      if (!route) continue;
      found[group] ??= {};
      found[group][verb] = entry(route);
    }
  }
  return found;
}

/** How a field of an answer is written over HTTP as a file, by its TypeScript type. */
const FILES: Readonly<Record<string, string>> = { Uint8Array: "bytes", "AsyncIterable<Uint8Array>": "stream" };

/** A route as `lacre/client` has it: whether a file answers and the field that holds it, or that it takes no key. */
function clientRoute({ method, path, operation, file }: OperationRoute): readonly string[] {
  if (file) {
    const shape = (operation.output as z.ZodObject).shape as Readonly<Record<string, z.ZodType>>;
    const [field, schema] = Object.entries(shape).find(([, one]) => fileKind(one) !== undefined) ?? [];
    if (!field || !schema) throw new Error(`${operation.id} answers a file, and no field of its result is one.`);
    return [method, path, fileKind(schema) as string, field];
  }
  return operation.unkeyed && method === "POST" ? [method, path, "unkeyed"] : [method, path];
}

const fileKind = (schema: z.ZodType) => FILES[String(schema.meta()?.signature)];

/** The text of src/client/routes.ts. */
export function clientRoutes(): string {
  const groups = Object.entries(routesOf(COMPANY_OPERATIONS, ROUTES, clientRoute)).map(([group, verbs]) => {
    const lines = Object.entries(verbs).map(
      ([verb, route]) => `    ${verb}: [${route.map((part) => `"${part}"`).join(", ")}],\n`,
    );
    return `  ${group}: {\n${lines.join("")}  },\n`;
  });
  return `/** The routes of the operations of a company, by group and verb. Written by test/http/openapi.test.ts. */\n\nexport const ROUTES = {\n${groups.join("")}} as const;\n`;
}
