/** The program: arguments and environment in, exit code out. Only this file of `bin` controls the process. */
import { once } from "node:events";
import { closeSync, constants as constantsOfFiles, openSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { isSea } from "node:sea";
import { systemMonotonicClock } from "../core/runtime/ports.ts";
import { COMMANDS } from "./commands.ts";
import { readSettings, runNamingFlags } from "./config.ts";
import { EXITS, type Exit, Failure } from "./exit.ts";
import { explained, inWords } from "./explain.ts";
import { helpOf, helpOfAll } from "./help.ts";
import { localeOf, spokenIn } from "./language.ts";
import { type GivenFlags, withFlags } from "./printed-commands.ts";
import type { Terminal } from "./terminal.ts";
import { TEXTS, type Texts } from "./texts/texts.ts";

/** npm forwards a Ctrl+C that the terminal has sent already; a second signal within this time is the same key press. */
const SAME_PRESS_MS = 300;

/** A program told to stop ends after this time at the latest. */
const LAST_MS = 9_500;

/** Commands whose `--lang` is also the language of their output. */
const WITH_LANGUAGE = COMMANDS.filter(({ input }) => "lang" in input.shape).map(({ name }) => name);

void main();

async function main(): Promise<void> {
  process.umask(0o077); // Databases and backups hold the signing key: new files belong to this user alone.
  process.on("SIGUSR1", () => {}); // Otherwise Node opens its debugger, and whoever connects to that has the signing key.
  nameProcess();
  const { code } = EXITS[await run(process.argv.slice(2))];
  process.exit(code);
}

/** Names the process for `top` and `pgrep`. On Linux its arguments stay visible, which a title would overwrite. */
function nameProcess(): void {
  try {
    writeFileSync("/proc/self/comm", "lacre");
  } catch {
    process.title = "lacre";
  }
}

async function run(given: readonly string[]): Promise<Exit> {
  const locale = localeOf(process.env, navigator.language);
  let t = TEXTS[locale];
  let exit: Exit = "done";
  let settings: GivenFlags = {};
  try {
    const { lang, args } = spokenIn(given, locale, WITH_LANGUAGE);
    t = TEXTS[lang];
    const terminal = processTerminal(t, () => settings);
    await dispatch(args, terminal, (read) => {
      settings = read;
    });
    await terminal.resultsWritten();
  } catch (error) {
    await written(process.stderr, `${errorLine(error, t, given.includes("--json"), settings)}\n`).catch(() => {});
    ({ exit } = explained(error));
  }
  // Writing to a pipe takes time, and exiting would cut it off.
  await Promise.allSettled([process.stdout, process.stderr].map((stream) => written(stream, "")));
  return exit;
}

/** Finds and runs the command, or prints the help requested. */
async function dispatch(
  args: readonly string[],
  terminal: Terminal,
  noteSettings: (settings: GivenFlags) => void,
): Promise<void> {
  const [first, second] = args;
  const { texts } = terminal;
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    return terminal.print(helpOfAll(COMMANDS, texts));
  }
  if (first === "--version" || first === "-v") return dispatch(["version", ...args.slice(1)], terminal, noteSettings);
  const command = COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`);
  const verbs = COMMANDS.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name.split(" ")[1] ?? "");
  const wantsHelp = args.includes("--help") || args.includes("-h");
  if (command) {
    if (wantsHelp) return terminal.print(helpOf(command, texts));
    const rest = args.slice(command.name.split(" ").length);
    const settings = readSettings(command, rest, process.env);
    noteSettings(settings as GivenFlags);
    return runNamingFlags(command, settings, terminal);
  }
  if (verbs.length === 0) throw new Failure("usage", (t) => t.usage.no_command({ name: first }));
  if (wantsHelp) return terminal.print(helpOfAll(COMMANDS, texts, first));
  throw new Failure("usage", (t) => t.usage.needs_verb({ name: first, verbs }));
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {} // It has ended already.
}

/** The one line on standard error that says what went wrong. A bug shows its stack, which a bug report needs. */
function errorLine(error: unknown, t: Texts, json: boolean, settings: GivenFlags): string {
  const { code, message, words, stack } = explained(error);
  if (!json) return `lacre: ${stack ?? withFlags(words(t), settings)}`;
  return JSON.stringify({ error: { code, message: withFlags(message, settings), stack } });
}

/**
 * Whether a terminal controls this process: SIGHUP then means that it closed. Without one SIGHUP comes from a service
 * manager, asks to read the settings again, and must not end a server.
 */
function isOfTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", constantsOfFiles.O_RDONLY | constantsOfFiles.O_NOCTTY));
    return true;
  } catch {
    return process.platform === "win32"; // Windows sends SIGHUP when the console's window closes.
  }
}

/** The process as a terminal. `resultsWritten` rejects if a result could not be written. */
function processTerminal(texts: Texts, settings: () => GivenFlags): Terminal & { resultsWritten(): Promise<void> } {
  let report = (error: unknown): void => void process.stderr.write(`${errorLine(error, texts, false, {})}\n`);
  process.on("uncaughtException", (error) => {
    report(error);
    process.exit(EXITS.failed.code);
  });
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {}); // `written` reports it.
  let unwritten: unknown;
  return {
    texts,
    complete: (text, company = settings().company) => withFlags(text, { ...settings(), company }),
    print: (text) =>
      void written(process.stdout, `${text}\n`).catch((error) => {
        unwritten ??= error;
      }),
    log: (text) => void written(process.stdout, `${text}\n`).catch(() => {}),
    write: (bytes) => written(process.stdout, bytes),
    mixesLog: process.stdout.isTTY && process.stderr.isTTY,
    isInteractive: process.stderr.isTTY,
    printError: (text) => void written(process.stderr, `${text}\n`).catch(() => {}),
    ask: (question) => ask(question, texts),
    stopRequested: () =>
      new Promise((resolve) => {
        let first_ms: number | undefined;
        const hasTerminal = isOfTerminal();
        for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
          process.on(signal, () => {
            if (signal === "SIGHUP" && !hasTerminal) return;
            const now = systemMonotonicClock();
            if (first_ms === undefined) {
              first_ms = now;
              setTimeout(() => process.exit(EXITS.done.code), LAST_MS).unref();
              resolve();
            } else if (signal === "SIGTERM" || (signal === "SIGINT" && now - first_ms > SAME_PRESS_MS)) {
              // Not for SIGHUP, which systemd may send right after SIGTERM.
              process.exit(128 + constants.signals[signal]);
            }
          });
        }
      }),
    runSelf: async (args, signal) => {
      const [{ spawn }, { text }] = [await import("node:child_process"), await import("node:stream/consumers")];
      const [file = ""] = process.argv.slice(1);
      const program = isSea() ? [] : [...process.execArgv, file];
      const child = spawn(process.execPath, [...program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
      const end = () => child.kill();
      signal.addEventListener("abort", end);
      try {
        const ended = once(child, "close");
        lowerPriority(child.pid);
        const [[code], stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
        return { code, stdout, stderr };
      } catch (error) {
        return { code: null, stdout: "", stderr: explained(error).message };
      } finally {
        signal.removeEventListener("abort", end);
      }
    },
    onCrash: (given) => {
      report = given;
    },
    resultsWritten: async () => {
      await written(process.stdout, "");
      if (unwritten) throw unwritten;
    },
  };
}

/** Resolves once this text, and all before it, is written. A reader that closed our output early is not a failure. */
function written(stream: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      const { code } = (error ?? {}) as NodeJS.ErrnoException;
      if (!error || code === "EPIPE" || code === "ERR_STREAM_DESTROYED") resolve();
      else reject(inWords(error, (t) => t.errors.standard_output));
    });
  });
}

async function ask(question: string, { answers }: Texts): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const { createInterface } = await import("node:readline");
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    lines.once("close", () => resolve(false)); // Ctrl+C or Ctrl+D
    lines.question(`${question} ${answers.hint} `, (answer) => {
      resolve(answers.yes.split("|").includes(answer.trim().toLowerCase()));
      lines.close();
    });
  });
}
