/** Creates a new database. */
import { dirname } from "node:path";
import type { Lacre, LacreOptions } from "../core/index.ts";
import { driver } from "./driver.ts";
import { Failure } from "./exit.ts";
import { makeAtomically, mustBeFree, realPath } from "./files.ts";
import { addressIn, leftOf } from "./find-database.ts";
import { withLacre } from "./open-database.ts";
import { makeOnPostgres } from "./postgres-database.ts";
import { takeServerLock } from "./server-lock.ts";

/**
 * Creates a database at `db`, with the content that `begin` puts into it; a file completely or not at all. Throws
 * `Failure` if a database exists already, or remains of an earlier one, whose numbers a new one would issue again.
 */
export async function makeDatabase<T>(
  db: string,
  begin: (lacre: Lacre) => Promise<T>,
  options: Pick<LacreOptions, "signer"> = {},
): Promise<T> {
  const address = addressIn(db);
  return address ? makeOnPostgres(address, begin, { ...options, goesOn: true }) : makeFile(db, begin, options);
}

/** Creates an empty database. */
export async function makeEmptyDatabase(db: string, options: Pick<LacreOptions, "signer"> = {}): Promise<void> {
  const address = addressIn(db);
  const begin = async () => {};
  await (address ? makeOnPostgres(address, begin, { ...options, goesOn: false }) : makeFile(db, begin, options));
}

async function makeFile<T>(
  db: string,
  begin: (lacre: Lacre) => Promise<T>,
  options: Pick<LacreOptions, "signer">,
): Promise<T> {
  const whole = { migrate: true, ...options };
  return makeNewFile(db, (draft) => withLacre(draft, begin, whole));
}

/**
 * Creates the file of a new database, completely or not at all; `make` gets a temporary name. Throws `Failure` if a
 * database exists already, or remains of an earlier one.
 */
export async function makeNewFile<T>(db: string, make: (draft: string) => Promise<T>): Promise<T> {
  const file = realPath(db);
  mustBeFree(file);
  mustBegin(file);
  driver(dirname(file)); // Puts the SQLite library here, not into the temporary directory.
  const release = takeServerLock(file); // Another program must not replace this one's database at the same moment.
  return makeAtomically(file, make).finally(release);
}

function mustBegin(file: string): void {
  const left = leftOf(file);
  if (left === undefined) return;
  throw new Failure("refused", (t) => t.database.left_of_earlier({ left }));
}
