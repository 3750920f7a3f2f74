/** Makes a database where there was none. */
import { dirname } from "node:path";
import type { Lacre, LacreOptions } from "../core/index.ts";
import { driver } from "./driver.ts";
import { Failure } from "./exit.ts";
import { makeAtomically, mustBeFree, realPath } from "./files.ts";
import { leftOf } from "./find-database.ts";
import { withLacre } from "./open-database.ts";
import { takeServerLock } from "./server-lock.ts";

/**
 * Makes a database at `db`, with what `begin` puts into it; whole or not at all. Throws `Failure` where there is a file
 * already, or where something is left of an earlier database, whose numbers a new one would give again.
 */
export async function makeDatabase<T>(
  db: string,
  begin: (lacre: Lacre) => Promise<T>,
  options: Pick<LacreOptions, "signer"> = {},
): Promise<T> {
  const file = realPath(db);
  mustBeFree(file);
  mustBegin(file);
  driver(dirname(file)); // Puts the SQLite library here, not into the temporary directory.
  const release = takeServerLock(file); // Another program at the same moment must not replace this one's database.
  const whole = { migrate: true, ...options };
  return makeAtomically(file, (draft) => withLacre(draft, begin, whole)).finally(release);
}

function mustBegin(file: string): void {
  const left = leftOf(file);
  if (left === undefined) return;
  throw new Failure("refused", (t) => t.database.left_of_earlier(left));
}
