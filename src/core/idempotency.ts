/** Remembers the answers to requests that carried an Idempotency-Key. Called only by run.ts, inside the transaction. */
import { createHash } from "node:crypto";
import { refuse } from "./errors.ts";
import type { WriteScope } from "./scope.ts";

export interface IdempotencyKeysTable {
  company_id: string;
  key: string;
  fingerprint: string;
  answer: string;
  expires_at: string | null;
}

const KEPT_MS = 24 * 60 * 60 * 1000;
/** Expired rows taken away with each new one: more than come in, so the table shrinks. */
const SWEPT_AT_ONCE = 4;

/** Identifies a request: which operation, with which input. Member order does not matter, so a re-serialised retry matches. */
export function fingerprintOf(operation_id: string, input: unknown): string {
  return createHash("sha256").update(operation_id).update("\0").update(sortedJson(input)).digest("hex");
}

/** The remembered answer, or undefined. Refuses with `idempotency_key_reused` when the key served another request. */
export async function recallAnswer(
  scope: WriteScope,
  key: string,
  fingerprint: string,
): Promise<{ answer: unknown } | undefined> {
  const row = await scope.db
    .selectFrom("idempotency_keys")
    .select(["fingerprint", "answer", "expires_at"])
    .where("company_id", "=", scope.company_id)
    .where("key", "=", key)
    .executeTakeFirst();
  if (!row || (row.expires_at !== null && row.expires_at <= scope.now.toISOString())) return undefined;
  if (row.fingerprint !== fingerprint) return refuse("idempotency_key_reused");
  return { answer: JSON.parse(row.answer) };
}

/** Remembers an answer for 24 hours, or for good where it issued a document. Commits with the effect it answers for. */
export async function rememberAnswer(
  scope: WriteScope,
  remembered: { key: string; fingerprint: string; answer: unknown; forGood: boolean },
): Promise<void> {
  const now = scope.now.toISOString();
  await scope.db
    .deleteFrom("idempotency_keys")
    .where(({ eb, selectFrom, refTuple }) =>
      eb(
        refTuple("company_id", "key"),
        "in",
        selectFrom("idempotency_keys as old")
          .select(["old.company_id", "old.key"])
          .where("old.expires_at", "<=", now)
          .orderBy("old.expires_at")
          .limit(SWEPT_AT_ONCE)
          .$asTuple("company_id", "key"),
      ),
    )
    .execute();
  await scope.db
    .deleteFrom("idempotency_keys")
    .where("company_id", "=", scope.company_id)
    .where("key", "=", remembered.key)
    .execute();
  await scope.db
    .insertInto("idempotency_keys")
    .values({
      company_id: scope.company_id,
      key: remembered.key,
      fingerprint: remembered.fingerprint,
      answer: JSON.stringify(remembered.answer ?? null),
      expires_at: remembered.forGood ? null : new Date(scope.now.getTime() + KEPT_MS).toISOString(),
    })
    .execute();
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    member !== null && typeof member === "object" && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
