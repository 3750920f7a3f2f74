#!/usr/bin/env node
/** The program: arguments and environment in, exit code out. Only this file of `bin` controls the process. */
import { constants } from "node:os";
import { systemMonotonicClock } from "../core/runtime/ports.ts";
import { VERSION } from "../core/version.ts";
import { COMMANDS } from "./commands.ts";
import { readSettings } from "./config.ts";
import { EXITS, type Exit, errorText, exitOf, Failure } from "./exit.ts";
import { helpOf, helpOfAll } from "./help.ts";
import type { Terminal } from "./terminal.ts";

/** npm forwards a Ctrl+C that the terminal has sent already; a second signal within this time is the same key press. */
const SAME_PRESS_MS = 300;

/** A program told to stop ends after this time at the latest. */
const LAST_MS = 9_500;

void main();

async function main(): Promise<void> {
  process.umask(0o077); // Databases and backups hold the signing key: new files belong to this user alone.
  // A reader that closes our output early is not a failure of the command.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const { code } = EXITS[await run(process.argv.slice(2), processTerminal())];
  await Promise.all([process.stdout, process.stderr].map(written));
  process.exit(code);
}

/** Resolves once all output is written. Writing to a pipe takes time, and exiting would cut it off. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write("", () => resolve()));
}

async function run(args: readonly string[], terminal: Terminal): Promise<Exit> {
  try {
    await dispatch(args, terminal);
    return "done";
  } catch (error) {
    terminal.printError(`lacre: ${errorText(error)}`);
    return exitOf(error);
  }
}

/** Finds and runs the command, or prints the help requested. */
async function dispatch(args: readonly string[], terminal: Terminal): Promise<void> {
  const [first, second] = args;
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    return terminal.print(helpOfAll(COMMANDS));
  }
  if (first === "--version") return terminal.print(VERSION);
  const command = COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`);
  const verbs = COMMANDS.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name.split(" ")[1]);
  const wantsHelp = args.includes("--help") || args.includes("-h");
  if (command) {
    if (wantsHelp) return terminal.print(helpOf(command));
    const rest = args.slice(command.name.split(" ").length);
    return command.run(readSettings(command, rest, process.env) as never, terminal);
  }
  if (verbs.length === 0) throw new Failure("usage", `there is no command ${first}; see lacre --help`);
  if (wantsHelp) return terminal.print(helpOfAll(COMMANDS, first));
  throw new Failure("usage", `${first} needs one of: ${verbs.join(", ")}`);
}

function processTerminal(): Terminal {
  let report = (error: unknown): void => void process.stderr.write(`lacre: ${errorText(error)}\n`);
  process.on("uncaughtException", (error) => {
    report(error);
    process.exit(EXITS.failed.code);
  });
  return {
    print: (text) => void process.stdout.write(`${text}\n`),
    printError: (text) => void process.stderr.write(`${text}\n`),
    stopRequested: () =>
      new Promise((resolve) => {
        let first_ms: number | undefined;
        for (const signal of ["SIGTERM", "SIGINT"] as const) {
          process.on(signal, () => {
            const now = systemMonotonicClock();
            if (first_ms === undefined) {
              first_ms = now;
              setTimeout(() => process.exit(EXITS.done.code), LAST_MS).unref();
              resolve();
            } else if (signal === "SIGTERM" || now - first_ms > SAME_PRESS_MS) {
              process.exit(128 + constants.signals[signal]);
            }
          });
        }
      }),
    onCrash: (given) => {
      report = given;
    },
  };
}
