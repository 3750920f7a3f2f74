#!/usr/bin/env node
/** The program: arguments and environment in, exit code out. The only file here that touches `process`. */
import { constants } from "node:os";
import { systemMonotonicClock } from "../core/runtime/ports.ts";
import { VERSION } from "../core/version.ts";
import { COMMANDS } from "./commands.ts";
import { readSettings } from "./config.ts";
import { EXITS, type Exit, exitOf, Failure, sentenceOf } from "./exit.ts";
import { helpOf, helpOfAll } from "./help.ts";
import type { Shell } from "./terminal.ts";

/** npm passes on the Ctrl+C that the terminal has already sent: within this time it is the same key press. */
const SAME_PRESS_MS = 300;

/** Whatever is stuck, a program that was told to stop has ended by then. */
const LAST_MS = 9_500;

void main();

async function main(): Promise<void> {
  process.umask(0o077); // Databases and backups hold the signing key: whatever is made here is its maker's alone.
  // Whoever read our output has left; that is no failure of what we do.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const { code } = EXITS[await run(process.argv.slice(2), processShell())];
  await Promise.all([process.stdout, process.stderr].map(written));
  process.exit(code);
}

/** Resolves when everything printed has left: on a socket that takes a while, and exiting would cut it short. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write("", () => resolve()));
}

async function run(args: readonly string[], shell: Shell): Promise<Exit> {
  try {
    await dispatch(args, shell);
    return "done";
  } catch (error) {
    shell.note(`lacre: ${sentenceOf(error)}`);
    return exitOf(error);
  }
}

/** Finds the command and runs it, or shows the help that was asked for. */
async function dispatch(args: readonly string[], shell: Shell): Promise<void> {
  const [first, second] = args;
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    return shell.print(helpOfAll(COMMANDS));
  }
  if (first === "--version") return shell.print(VERSION);
  const command = COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`);
  const verbs = COMMANDS.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name.split(" ")[1]);
  const wantsHelp = args.includes("--help") || args.includes("-h");
  if (command) {
    if (wantsHelp) return shell.print(helpOf(command));
    const rest = args.slice(command.name.split(" ").length);
    return command.run(readSettings(command, rest, process.env) as never, shell);
  }
  if (verbs.length === 0) throw new Failure("usage", `there is no command ${first}; see lacre --help`);
  if (wantsHelp) return shell.print(helpOfAll(COMMANDS, first));
  throw new Failure("usage", `${first} needs one of: ${verbs.join(", ")}`);
}

function processShell(): Shell {
  let report = (error: unknown): void => void process.stderr.write(`lacre: ${sentenceOf(error)}\n`);
  process.on("uncaughtException", (error) => {
    report(error);
    process.exit(EXITS.failed.code);
  });
  return {
    print: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
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
    reportCrash: (given) => {
      report = given;
    },
  };
}
