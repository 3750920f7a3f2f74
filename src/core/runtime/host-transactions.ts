/**
 * The host program's transactions in which a call is made. They reveal a call on another connection that would wait for
 * its caller's own transaction, and so for itself.
 */
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { type Database, databaseOver } from "../database/executor.ts";

/** The refusal of a call that would wait for the transaction it is made in. */
export const WAITS_FOR_ITSELF =
  "This call waits for the transaction that it is made in, and so for itself: make it with the shop that " +
  "the transaction gives, or by within(). Transactions are not begun inside one another.";

/** A transaction of the host program, as seen by calls made during it. */
export interface Hosted {
  /** Its open database. */
  readonly database: Database;
  /** The company that it locks; undefined if the host began it, and may have locked none or several. */
  readonly company_id?: string;
  /** Its process on a server, once known. */
  pid?: number | undefined;
  /** Whether it may still be under way. */
  isOpen(): boolean;
}

/** At most this many are remembered, for a program that begins one after the other without ending its own function. */
const MAX_TRANSACTIONS = 8;

const UNDER_WAY = new AsyncLocalStorage<readonly Hosted[]>();

/** The transactions on this database in which the caller is, the latest first. */
export function hostTransactionsOn(database: Database): readonly Hosted[] {
  return (UNDER_WAY.getStore() ?? []).filter((one) => one.database === database && one.isOpen());
}

/** Runs the host's work in a transaction that Lacre began. */
export function duringHosted<T>(one: Hosted, work: () => T): T {
  return UNDER_WAY.run(withFirst(one), work);
}

/** Notes a transaction that the host began itself, for all that it does from here on. */
export function noteHosted(one: Hosted): void {
  UNDER_WAY.enterWith(withFirst(one));
}

/** The same database, but reading throws TypeError in a call that would wait for its own transaction. */
export function withoutSelfWaits(opened: Database): Database {
  const { engine, connections } = opened;
  if (!connections.isOne) return opened;
  const database: Database = databaseOver(engine, {
    ...connections,
    reader() {
      if (hostTransactionsOn(database).length > 0) throw new TypeError(WAITS_FOR_ITSELF);
      return connections.reader();
    },
  });
  return database;
}

/** Binds work to the current async contexts, the host's included: a queue runs it elsewhere. */
export function boundHere<Work extends (...given: never[]) => unknown>(work: Work): Work {
  return AsyncResource.bind(work as never) as Work;
}

function withFirst(one: Hosted): readonly Hosted[] {
  return [one, ...(UNDER_WAY.getStore() ?? []).filter((other) => other.isOpen())].slice(0, MAX_TRANSACTIONS);
}
