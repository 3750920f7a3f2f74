/** What an error of PostgreSQL, or of the connection to it, means for the caller. */
import { STORAGE, StorageError, type StorageTrouble, unusable } from "./storage-error.ts";

/** When an error occurred: while a connection was made, or while a statement ran. */
export type When = "connecting" | "running";

/** By the first characters of SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const TROUBLES: readonly (readonly [code: string, trouble: StorageTrouble])[] = [
  ["40001", "deadlock"], // serialization_failure
  ["40P01", "deadlock"], // deadlock_detected
  ["53100", "full"], // disk_full
  ["53", "busy"], // insufficient_resources
  ["55P03", "held"], // lock_not_available, by lock_timeout
  ["25P02", "aborted"], // in_failed_sql_transaction
  ["57014", "busy"], // query_canceled, by a time-out of the server
  ["57P03", "busy"], // cannot_connect_now
  ["57P", "lost"], // admin_shutdown, crash_shutdown, idle_session_timeout
  ["25P03", "lost"], // idle_in_transaction_session_timeout
  ["08", "lost"], // connection_exception
  ["58", "lost"], // system_error
  ["25006", "unusable"], // read_only_sql_transaction: a standby
  ["28", "unusable"], // invalid_authorization_specification
  ["3D000", "unusable"], // invalid_catalog_name: no such database
  ["42501", "unusable"], // insufficient_privilege
  ["42P05", "unusable"], // duplicate_prepared_statement
  ["26000", "unusable"], // invalid_sql_statement_name
  ["XX00", "unusable"], // internal_error, data_corrupted, index_corrupted
];

/** A pooler that gives each transaction another connection, and does not track prepared statements. */
const OF_A_POOLER: readonly unknown[] = ["42P05", "26000"];
const HOW_TO_POOL =
  "pool by session, or have the pooler follow prepared statements (PgBouncer 1.21: max_prepared_statements)";

/** The error as storage trouble; undefined if it is not storage trouble. */
export function postgresTrouble(error: unknown, when: When): StorageError | undefined {
  if (error instanceof StorageError) return error;
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { readonly code?: unknown };
  if (code === "0A000" && error.message.startsWith("cached plan")) return unusable(STORAGE.schema_is_newer, "newer");
  const found = TROUBLES.find(([begin]) => typeof code === "string" && code.startsWith(begin));
  const trouble = found?.[1] ?? (isOfSocket(error, code) ? "lost" : undefined);
  if (trouble === undefined) return undefined;
  // Without a connection nothing was sent, so nothing can be in doubt.
  const message = OF_A_POOLER.includes(code) ? `${error.message}: ${HOW_TO_POOL}.` : error.message;
  return new StorageError(trouble === "lost" && when === "connecting" ? "busy" : trouble, message, error);
}

/** For a closed socket `pg` has only its own message; Node has a code. */
function isOfSocket({ message }: Error, code: unknown): boolean {
  return (typeof code === "string" && /^E[A-Z]+$/.test(code)) || /connection|timeout/i.test(message);
}
