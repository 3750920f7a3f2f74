/**
 * The transactions of the host program that a call is made in. A call beside its own transaction, on another
 * connection, would wait for itself: it is found out by this.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Database } from "../database/session.ts";

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

function withFirst(one: Hosted): readonly Hosted[] {
  return [one, ...(UNDER_WAY.getStore() ?? []).filter((other) => other.isOpen())].slice(0, MOST);
}
