/** Stores what Node compiles of the program's files, so that the next start need not compile it again. */
import { enableCompileCache } from "node:module";
import { privateDirectory, userCache } from "./private-directory.ts";

/**
 * Stores it in the user's cache; Node checks each file of it, and recompiles those of another version. Does nothing if
 * this user has no private directory: Node's default is shared, and code in it would see the signing key.
 */
export function keepCompiled(): void {
  if (process.env.NODE_COMPILE_CACHE) return; // Node keeps it there already.
  const place = userCache();
  if (place === undefined) return;
  try {
    enableCompileCache(privateDirectory(place, "compiled"));
  } catch {
    // It only saves time.
  }
}
