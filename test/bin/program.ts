/** The real program as a process, run to its end or as a server. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { openLacre } from "lacre";
import { sqlite } from "lacre/sqlite";
import { onTestFinished } from "vitest";
import { EXITS } from "../../src/bin/exit.ts";
import { until } from "../support/until.ts";

/**
 * The program that tests start: the executable that support/executable.ts names, and no other. It takes no flags for
 * Node, so what preloads something starts the sources, and so does a test of the sources themselves (`node: []`).
 * `LACRE_EXECUTABLE` names another executable; `source` in its place lets all of them start the sources.
 */
export function program(node?: readonly string[]): readonly [string, ...string[]] {
  const executable = process.env.LACRE_EXECUTABLE;
  if (executable === undefined) throw new Error("Tests that start the program import bin/program.ts themselves.");
  if (node === undefined && executable !== "source") return [executable];
  return [process.execPath, ...(node ?? []), SOURCES];
}

/** Run by Node in place of the executable. */
const SOURCES = fileURLToPath(new URL("../../src/bin/main.ts", import.meta.url));

/** The exit code and output of a run. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A command to start instead, with the program as its last arguments. */
  readonly through?: readonly string[];
  /** Flags for Node, which then runs the sources. */
  readonly node?: readonly string[];
  readonly cwd?: string;
  /** A person at its terminal types these, each once it is asked. All it says is on its standard output then. */
  readonly answers?: readonly string[];
  /** Where it writes; to the test if it is left out. */
  readonly output?: number;
}

/** Runs a command to its end. */
export async function lacre(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = start(args, options);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout as NonNullable<ChildProcess["stdout"]>),
    text(child.stderr as NonNullable<ChildProcess["stderr"]>),
    once(child, "close"),
  ]);
  return { code, stdout, stderr };
}

/** Runs a command with --json and returns what it printed. Throws if it fails. */
export async function lacreJson<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await lacre([...args, "--json"]);
  if (code !== 0) throw new Error(`lacre ${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** A running `serve` or `demo`. */
export interface Running {
  readonly url: string;
  readonly child: ChildProcess;
  /** Every line of standard output so far. */
  readonly lines: string[];
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly stderr: string }>;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Running["ended"];
}

/** Starts a server and waits until it prints its address. It is killed when the test ends. */
export async function startServer(args: readonly string[], options: RunOptions = {}): Promise<Running> {
  const child = start([...args, "--port", "0"], options);
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const listening = Promise.withResolvers<string>();
  createInterface({ input: child.stdout as NonNullable<ChildProcess["stdout"]> }).on("line", (line) => {
    lines.push(line);
    const [url] = /http:\/\/[\d.]+:\d+/.exec(line) ?? [];
    if (url) listening.resolve(url);
  });
  const stderr = text(child.stderr as NonNullable<ChildProcess["stderr"]>);
  const ended = once(child, "close").then(async ([code, signal]) => {
    listening.reject(new Error(`the server ended with ${code}: ${await stderr}`));
    return { code, signal, stderr: await stderr };
  });
  return {
    url: await listening.promise,
    child,
    lines,
    ended,
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

/** The key of a `demo --json`, once it has printed it. */
export async function keyOfDemo({ lines }: Pick<Running, "lines">): Promise<string> {
  return until(() => /"api_key": "(\w+)"/.exec(lines.join("\n"))?.[1]);
}

/** The set-up link that a server leaves beside its database, once it is there. */
export async function setUpLinkOf(db: string): Promise<string> {
  const file = `${db}.set-up`;
  return until(() => existsSync(file) && readFileSync(file, "utf8").trim());
}

/** Starts the program, and does not wait for it. */
export function start(args: readonly string[], options: RunOptions = {}): ChildProcess {
  const { env = {}, answers, through = answers ? TERMINAL : [], node, cwd, output = "pipe" } = options;
  const [file = "", ...all] = [...through, ...program(node), ...args];
  const english = { LC_ALL: "", LC_MESSAGES: "", LANG: "C" }; // whatever the developer's locale
  const child = spawn(file, all, {
    cwd,
    stdio: [answers ? "pipe" : "ignore", output, "pipe"],
    env: { ...process.env, ...english, ...env },
  });
  if (answers) answer(child, answers);
  return child;
}

/** Runs a program at a terminal of its own, as a person does: what it is sent is typed, what it shows is printed. */
export const TERMINAL = [
  "python3",
  "-c",
  "import pty, sys; sys.exit(pty.spawn(sys.argv[1:], lambda fd: __import__('os').read(fd, 65536)) >> 8)",
];

/** The end of every question, in either language. */
const QUESTION = /\[[ys]\/N\] /;

/** Types each answer once so many questions were asked. */
function answer({ stdin, stdout }: ChildProcess, answers: readonly string[]): void {
  let shown = "";
  let asked = 0;
  stdout?.on("data", (piece) => {
    shown += piece;
    for (; asked < answers.length && shown.split(QUESTION).length - 1 > asked; asked++) stdin?.write(answers[asked]);
  });
}

/** A new directory, deleted when the test ends. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "lacre-bin-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The output of `init --json`, and the database's path. */
export interface Made {
  readonly directory: string;
  readonly db: string;
  readonly company: { readonly id: string; readonly name: string };
  readonly api_key: string;
  readonly series: readonly { readonly id: string; readonly doc_type: string; readonly code: string }[];
}

/** A new database made by `init`, which shares no id, key or secret with any other. */
export async function makeAnother(): Promise<Made> {
  const directory = temporaryDirectory();
  const db = join(directory, "lacre.db");
  const made = await lacreJson<Omit<Made, "db" | "directory">>(
    ...["init", "--name", "Padaria Central, Lda.", "--tax-id", "500000000", "--db", db],
  );
  return { ...made, db, directory };
}

/** One that `init` made, and the bytes of its file. */
let made: Promise<readonly [Made, Uint8Array]> | undefined;

/** A database as `init` makes it: for all tests of a process the same, as to start a program takes longer. */
export async function makeDatabase(): Promise<Made> {
  made ??= makeAnother().then((another) => [another, readFileSync(another.db)]);
  const [shared, bytes] = await made;
  const directory = temporaryDirectory();
  const db = join(directory, "lacre.db");
  writeFileSync(db, bytes, { mode: 0o600 });
  return { ...shared, db, directory };
}

/** The id of the series of a document type. */
export function seriesOf({ series }: Pick<Made, "series">, doc_type = "FT"): string {
  const found = series.find((row) => row.doc_type === doc_type);
  if (!found) throw new Error(`There is no ${doc_type} series.`);
  return found.id;
}

/** One call to the API. */
export async function call(
  { url }: { readonly url: string },
  api_key: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** A customer of the company, made over HTTP. */
export async function makeCustomer(server: Running, { api_key }: Pick<Made, "api_key">): Promise<string> {
  const { body } = await call(server, api_key, "POST", "/v1/customers", { name: "Ana" });
  return body.id as string;
}

/** The body of a request that issues an invoice at once. */
export function invoice(made: Pick<Made, "series">, customer_id: string, doc_type = "FT"): object {
  return {
    doc_type,
    series_id: seriesOf(made, doc_type),
    issue_date: today(),
    customer_id,
    lines: [{ description: "Pão", qty: 2, unit_price_net: 1.15, tax_rate: 6 }],
    issue: true,
  };
}

/** Today's date for a company of `makeDatabase`. */
export function today(): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Lisbon" }).format(new Date());
}

/** The number of documents in a database without a running server. */
export async function documentsIn(db: string, company: Made["company"]): Promise<number> {
  const instance = await openLacre({ dialect: sqlite(db), migrate: false });
  try {
    return (await instance.as(company).documents.list({ limit: 1 })).pagination.total;
  } finally {
    await instance.close();
  }
}

/** The documents in a database without a running server, how many of them are issued, and whether it is whole. */
export async function holdingsOf({ db, company }: Pick<Made, "db" | "company">) {
  const { code, stdout, stderr } = await lacre(["verify", "--db", db, "--json"]);
  if (code !== EXITS.done.code && code !== EXITS.not_whole.code)
    throw new Error(`verify ended with ${code}: ${stderr}`);
  const { whole, documents } = JSON.parse(stdout) as { whole: boolean; documents: number };
  return { documents: await documentsIn(db, company), issued: documents, whole };
}
