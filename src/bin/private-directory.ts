/** Directories for files that are loaded as code, into which nobody else may write. */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The user's cache of this program; undefined without a home directory. */
export function userCache(): string | undefined {
  try {
    return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "lacre");
  } catch {
    return undefined;
  }
}

/** Creates `place` and `name` in it if they are missing. Throws if that fails, or others can write to it. */
export function privateDirectory(place: string, name: string): string {
  const directory = join(place, name);
  for (const needed of [dirname(place), place, directory]) makeDirectory(needed);
  mustBePrivate(directory);
  return directory;
}

/** Creates one directory if missing. With `recursive`, mkdir would never return if the parent refuses, as in /proc. */
function makeDirectory(directory: string): void {
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
}

/** Others with write access could replace a file after our check and before it is loaded. */
function mustBePrivate(directory: string): void {
  const { uid, mode } = statSync(directory);
  const self = process.getuid?.();
  if (self === undefined) return; // Windows: the directory inherits its owner's rights.
  if ((uid !== self && uid !== 0) || mode & 0o022) throw new Error("others can write to it");
}
