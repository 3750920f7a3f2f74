/**
 * The transactions of the host program that a call is made in. A call beside its own transaction, on another
 * connection, would wait for itself: it is found out by this.
 */
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { type Database, databaseOver } from "../database/executor.ts";

/** The refusal of a call that would wait for the transaction it is made in. */
export const WAITS_FOR_ITSELF =
  "This call waits for the transaction that it is made in, and so for itself: make it with the shop that " +
  "the transaction gives, or by within(). Transactions are not begun inside one another.";

/** A transaction of the host program, as calls find it that are made where it is under way. */
export interface Hosted {
  /** The open database that it is on. */
  readonly database: Database;
  /** The company it holds; undefined where the host began it, and may have called for none or for several. */
  readonly company_id?: string;
  /** Its process on a server, once that is known. */
  pid?: number | undefined;
  /** Whether it may still be under way. */
  isOpen(): boolean;
}

/** A program that begins one after the other without ending its own function keeps no more than these in mind. */
const MOST = 8;

const UNDER_WAY = new AsyncLocalStorage<readonly Hosted[]>();

/** Those on this database in which the caller is, the latest first. */
export function hostTransactionsOn(database: Database): readonly Hosted[] {
  return (UNDER_WAY.getStore() ?? []).filter((one) => one.database === database && one.isOpen());
}

/** Runs the host's work in one that Lacre began. */
export function duringHosted<T>(one: Hosted, work: () => T): T {
  return UNDER_WAY.run(withFirst(one), work);
}

/** Notes one that the host began itself: for what it does from here on. */
export function noteHosted(one: Hosted): void {
  UNDER_WAY.enterWith(withFirst(one));
}

/** The same database, where a call that would wait for its own transaction to read is refused with TypeError. */
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

/** Binds work to the contexts it is given in, of the host's own storage too: a queue runs it elsewhere. */
export function boundHere<Work extends (...given: never[]) => unknown>(work: Work): Work {
  return AsyncResource.bind(work as never) as Work;
}

function withFirst(one: Hosted): readonly Hosted[] {
  return [one, ...(UNDER_WAY.getStore() ?? []).filter((other) => other.isOpen())].slice(0, MOST);
}
