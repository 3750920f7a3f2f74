/**
 * The notes of a running server beside its database: `<db>.address`, its address, and `<db>.set-up`, the link that
 * makes the first owner. The next server removes those of a killed one.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Lacre } from "../core/index.ts";
import { PERSON_OPERATIONS } from "../core/operations.ts";
import { publicAddress } from "../core/runtime/public-url.ts";
import { isLocked } from "./database/lock.ts";
import { explained } from "./explain.ts";
import { exists } from "./files.ts";

/** How often a server checks whether its set-up link still works. */
const LOOK_MS = 1_000;

/** Notes the address of a database's server. */
export function noteAddress(database: string, url: string): void {
  write(addressOf(database), url);
}

/** The address of the server that runs on a database; undefined if none runs, or it left no such note. */
export function notedAddress(database: string): string | undefined {
  try {
    if (!isLocked(database)) return undefined;
    const url = readFileSync(addressOf(database), "utf8").trim();
    publicAddress(url);
    return url;
  } catch {
    return undefined;
  }
}

/**
 * Writes a set-up link to a file beside a database, for its owner alone, until the link was used or withdrawn, or has
 * expired. Returns the file.
 */
export function leaveSetUpLink(lacre: Lacre, database: string, url: string): string {
  const file = setUpOf(database);
  write(file, url);
  const token = url.slice(url.indexOf("#") + 1);
  const look = async () => {
    if (exists(file) && !(await isSpent(lacre, token))) return;
    rmSync(file, { force: true });
    clearInterval(looking);
  };
  const looking = setInterval(() => void look().catch(() => {}), LOOK_MS).unref(); // A failure is tried again.
  return file;
}

/** Removes the notes of the server that runs on a database, or of one that was killed. */
export function removeServerNotes(database: string): void {
  for (const file of [addressOf(database), setUpOf(database)]) rmSync(file, { force: true });
}

/** Whether a link certainly works no longer. */
async function isSpent(lacre: Lacre, token: string): Promise<boolean> {
  const nowhere = lacre.visitor({ address: null, network: null, user_agent: null });
  try {
    await lacre.run(nowhere, PERSON_OPERATIONS.invitations.look, { token });
    return false;
  } catch (error) {
    return explained(error).code === "not_found";
  }
}

function addressOf(database: string): string {
  return `${database}.address`;
}

function setUpOf(database: string): string {
  return `${database}.set-up`;
}

/** Writes a new file: if somebody put something in its place, such as a link to another, nothing is written to that. */
function write(file: string, text: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, `${text}\n`, { mode: 0o600, flag: "wx" });
}
