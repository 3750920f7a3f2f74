/** Remembers the answers to requests that carried an Idempotency-Key. Called only by run.ts. */

import { createHash } from "node:crypto";
import { constants, deflateSync, inflateSync } from "node:zlib";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import type { Instant } from "../fiscal/civil-time.ts";
import { problem, refuse, refuseFor, refuseInput } from "./errors.ts";
import { common } from "./refusals.ts";
import type { WriteScope } from "./scope.ts";

const KEPT_MS = 24 * 60 * 60 * 1000;
/** How many expired rows are deleted with each new one: more than are added, so that the table shrinks. */
const SWEPT_AT_ONCE = 4;

/**
 * Answers of at least this size are compressed: an invoice with 1,000 lines to a twentieth, one with ten to a third.
 */
const COMPRESSED_FROM_BYTES = 2_048;
/** The first byte of a zlib stream, an x. */
const ZLIB = 0x78;

/**
 * Identifies a request by operation and input. The order of members does not matter, so a re-serialised retry matches.
 */
export function fingerprintOf(operation_id: string, input: unknown): string {
  return createHash("sha256").update(operation_id).update("\0").update(sortedJson(input)).digest("hex");
}

/** A request with its Idempotency-Key. */
export interface KeyedRequest {
  readonly key: string;
  readonly fingerprint: string;
}

/** Visible ASCII, 1 to 255. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Refuses with `invalid_request` a text that is no Idempotency-Key. */
export function mustBeIdempotencyKey(key: string): void {
  if (IDEMPOTENCY_KEY.test(key)) return;
  refuseInput([problem("options.idempotency_key", common.must_be_idempotency_key)]);
}

/**
 * Makes a function that holds a request's key while `work` runs, and refuses any other request with it meanwhile.
 * Finished requests are found in the database; this holds those that run in this process.
 */
export function keyHolder() {
  const running = new Map<string, string>();
  return async <T>(company_id: string, { key, fingerprint }: KeyedRequest, work: () => Promise<T>): Promise<T> => {
    const held = `${company_id} ${key}`;
    const other = running.get(held);
    if (other !== undefined && other !== fingerprint) refuse("idempotency_key_reused");
    if (other !== undefined) refuseFor(1, "idempotency_in_progress");
    running.set(held, fingerprint);
    try {
      return await work();
    } finally {
      running.delete(held);
    }
  };
}

/** An answer, and the tag of what it shows. */
interface Answered {
  readonly answer: unknown;
  readonly etag: string | undefined;
}

/** What is stored for a key. */
export type Remembered = Pick<Row<"idempotency_keys">, "fingerprint" | "answer" | "expires_at">;

/** The stored answer for a request's key, whoever sent it and when. */
export async function findRemembered(
  db: Reader,
  company_id: string,
  { key }: KeyedRequest,
): Promise<Remembered | undefined> {
  return (await answerOf(db, { company_id, key }))[0];
}

/**
 * The remembered answer to a request as of an instant, or undefined. Refuses with `idempotency_key_reused` if the key
 * belongs to another request.
 */
export function answerIn(row: Remembered | undefined, { fingerprint }: KeyedRequest, now: Date): Answered | undefined {
  if (!row || (row.expires_at !== null && row.expires_at <= now.toISOString())) return undefined;
  if (row.fingerprint !== fingerprint) return refuse("idempotency_key_reused");
  const { json, etag } = unpacked(row.answer);
  return { answer: JSON.parse(json), etag };
}

const answerOf = preparedSelect((db, { company_id, key }: { company_id: string; key: string }) =>
  db
    .selectFrom("idempotency_keys")
    .select(["fingerprint", "answer", "expires_at"])
    .where("company_id", "=", company_id)
    .where("key", "=", key),
);

/** Stores an answer for 24 hours, or for good if it issued a document. Commits with the command's own effect. */
export async function rememberAnswer(
  scope: WriteScope,
  request: KeyedRequest,
  { answer, etag }: Answered,
  forGood: boolean,
): Promise<void> {
  const { db, company_id, now } = scope;
  await sweep(db, { now: now.toISOString() });
  await saveAnswer(db, {
    company_id,
    key: request.key,
    fingerprint: request.fingerprint,
    // JSON has no line break in it.
    answer: packed(JSON.stringify(answer ?? null) + (etag === undefined ? "" : `\n${etag}`)),
    expires_at: forGood ? null : new Date(now.getTime() + KEPT_MS).toISOString(),
  });
}

function packed(json: string): Uint8Array {
  const bytes = Buffer.from(json);
  return bytes.length < COMPRESSED_FROM_BYTES ? bytes : deflateSync(bytes, { level: constants.Z_BEST_SPEED });
}

/** The JSON text of a remembered answer, and its tag, which is a line of its own if it has one. */
export function unpacked(answer: Uint8Array): { readonly json: string; readonly etag: string | undefined } {
  const bytes = answer[0] === ZLIB ? inflateSync(answer) : answer;
  const [json = "", etag] = Buffer.from(bytes).toString().split("\n");
  return { json, etag };
}

/** An expired answer that was not deleted yet is overwritten. */
const saveAnswer = preparedWrite((db, { company_id, key, ...remembered }: Row<"idempotency_keys">) =>
  db
    .insertInto("idempotency_keys")
    .values({ company_id, key, ...remembered })
    .onConflict((conflict) => conflict.columns(["company_id", "key"]).doUpdateSet(remembered)),
);

/** Deletes a few expired answers. */
const sweep = preparedWrite((db, { now }: { now: Instant }) =>
  db
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
    ),
);

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    member !== null && typeof member === "object" && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
