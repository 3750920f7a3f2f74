/** Directories for what is loaded as code, into which nobody else may write. */
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

/** Makes `place` and `name` in it where they are missing. Throws where that is refused, or others can write to it. */
export function privateDirectory(place: string, name: string): string {
  const directory = join(place, name);
  for (const needed of [dirname(place), place, directory]) makeDirectory(needed);
  mustBePrivate(directory);
  return directory;
}

/** Makes one directory if missing. With `recursive`, mkdir would never return where the parent refuses, as in /proc. */
function makeDirectory(directory: string): void {
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
}

/** Others with write access could replace a file between our check and loading it. */
function mustBePrivate(directory: string): void {
  const { uid, mode } = statSync(directory);
  const self = process.getuid?.();
  if (self === undefined) return; // Windows: the directory inherits its owner's rights.
  if ((uid !== self && uid !== 0) || mode & 0o022) throw new Error("others can write to it");
}
