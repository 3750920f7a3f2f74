/** Reads a `.cpuprofile`: where the time went, by area, by function, and by function with everything it called. */
import { readFileSync } from "node:fs";

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The first that matches a frame's file, or its function where it has no file, is its area. */
const AREAS: readonly (readonly [area: string, pattern: RegExp])[] = [
  ["idle", /^\(idle\)$/],
  ["garbage collection", /^\(garbage collector\)$/],
  ["native code of Node and V8", /^\((?:program|root)\)$/],
  [
    "start: loading and compiling",
    /^wasm:|amaro|modules\/(?:esm|cjs)|internal\/vm|compileForInternalLoader|stripTypeScript/,
  ],
  ["kysely", /\/kysely\//],
  ["zod", /\/zod\//],
  ["better-sqlite3", /better-sqlite3|^(?:all|run|get|exec|step) ?$/],
  ["itty-router", /itty-router/],
  ["undici: Request, Response, Headers", /undici|internal\/deps|webstreams|node:internal\/webidl/],
  ["node:crypto", /crypto/],
  ["node:http, net, stream", /node:_?(?:internal\/)?(?:http|net|stream|_http|dns|timers)|writev?$|readStop/],
  ["JSON", /^(?:parse|stringify)$/],
  ["text to bytes and back", /^(?:writeBuffer|encode|decode|base64|hex|utf8)/],
  ["Lacre: core/fiscal", /src\/core\/fiscal/],
  ["Lacre: core/documents", /src\/core\/documents/],
  ["Lacre: core/run, operation, idempotency", /src\/core\/(?:run|operation|idempotency|scope)\.ts/],
  ["SQLite, its waits for the disk among it", /src\/core\/database/], // V8 puts native code on its caller
  ["Lacre: core, the rest", /src\/core/],
  ["Lacre: http", /src\/http/],
  ["Lacre: bin", /src\/bin/],
  ["Node's own code", /^node:/],
];

/** A text that says where a profile's time went. */
export function summaryOf(file: string, rows = 40): string {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8")) as Profile;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const [areas, own, whole] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  let busy = 0;
  for (const [i, id] of samples.entries()) {
    const node = byId.get(id) as ProfileNode;
    const spent = timeDeltas[i] as number;
    const area = areaOf(node);
    add(areas, area, spent);
    if (area === "idle") continue;
    busy += spent;
    add(own, nameOf(node), spent);
    for (const name of new Set(callers(node, byId, parents))) add(whole, name, spent);
  }
  areas.delete("idle");
  const isOurs = ([name]: [string, number]) => name.includes("src/");
  return [
    section("By area, own time", [...areas], busy, rows),
    section("By function, own time", [...own], busy, rows),
    section(
      "By function of Lacre, with everything it called before its first await",
      [...whole].filter(isOurs),
      busy,
      rows,
    ),
  ].join("\n");
}

function add(sums: Map<string, number>, name: string, spent: number): void {
  sums.set(name, (sums.get(name) ?? 0) + spent);
}

function areaOf({ callFrame: { url, functionName } }: ProfileNode): string {
  const place = url || functionName;
  return AREAS.find(([, pattern]) => pattern.test(place))?.[0] ?? "the rest";
}

function nameOf({ callFrame: { url, functionName, lineNumber } }: ProfileNode): string {
  const place = url.replace(/^.*\/(?=src\/|node_modules\/)/, "");
  return `${functionName || "(anonymous)"}${place ? ` ${place}:${lineNumber + 1}` : ""}`;
}

function* callers(node: ProfileNode, byId: ReadonlyMap<number, ProfileNode>, parents: ReadonlyMap<number, number>) {
  for (let at: ProfileNode | undefined = node; at; at = byId.get(parents.get(at.id) ?? 0)) yield nameOf(at);
}

function section(title: string, sums: [string, number][], busy: number, rows: number): string {
  const largest = sums.sort(([, a], [, b]) => b - a).slice(0, rows);
  const lines = largest.map(([name, spent]) => `| ${((100 * spent) / busy).toFixed(1)} % | ${name} |`);
  return `**${title}**\n\n| of busy time | |\n|---:|---|\n${lines.join("\n")}\n`;
}
