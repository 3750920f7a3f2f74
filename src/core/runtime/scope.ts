/**
 * The scope of one call: what it may see and change. And the glossary, the words used everywhere:
 *
 * - **Company**: the tenant; everything else belongs to one. **Issuer**: its identity as frozen on a document.
 * - **Series**: a run of numbers for one document type. **Sequence**: the integer in it. **Number**: the printed text,
 *   `FT 2026A/17`. **ATCUD**: the series' validation code and the sequence.
 * - **Draft, issue, cancel, discard**: a document is a draft until it is issued; an issued one can be cancelled,
 *   a draft can be discarded. **Archive**: DELETE of a customer or product; also the file
 *   in which an installation moves.
 * - **Hash**: the legal signature, chained per series. **Seal**: our own digest over everything frozen, chained too.
 * - **Actor**: who did something: a key, a user or the host program. **Operator**: the actor of the host program.
 * - **Key**: an API key, an actor with a secret. **Permission**: one thing it may do; its permissions are its `scopes`.
 * - **User**: a person of the installation. **Membership**: a user in a company, an actor there, with a **role**: a set
 *   of permissions. **Session**: a user at one browser, from login on. **Invitation**: a link that makes a user, or
 *   lets one choose a new password. **Person**: the caller behind a session; **visitor**: one without.
 * - **Link**: an address that opens an issued document; its **token** is its secret. **Holder**: whoever has it.
 * - **Webhook**: an address that events are sent to. **E-mail**: a document sent to its customer. **Reminder**: an
 *   e-mail that says that its document is overdue, at a **step**: some days after it was due. **Delivery**: one event
 *   on its way to one webhook, or one e-mail on its way. **Queue**: the deliveries to one webhook, or the e-mails of
 *   one company. **Subject**: what an event is about, of a payment its document; what is delivered of one subject goes
 *   in order.
 * - **Scope** (this file): the context a call runs in.
 */
import type { Transaction } from "kysely";
import type { HeadOfChain } from "../database/engine.ts";
import type { Reader, Tables } from "../database/tables.ts";
import type { Passwords } from "../people/passwords.ts";
import type { Lang } from "../texts/languages.ts";
import type { FreeBytes } from "./free-space.ts";
import type { Caller } from "./permissions.ts";
import type { KeyKind, Log, MailAccess, Signer } from "./ports.ts";
import type { TurnsByKind } from "./turns.ts";

/** Stands for the company in calls about the whole installation. No row has this id. */
export const NO_COMPANY = "";

interface CommonScope {
  readonly caller: Caller;
  /** The company every query must name: a row of another company does not exist for this call. */
  readonly company_id: string;
  /** The one reading of the clock for the whole call. */
  readonly now: Date;
  /** The language of what an answer tells people. */
  readonly lang: Lang;
  /** The host program's signer; undefined if the installation signs with a key of its own. */
  readonly hostSigner: Signer | undefined;
  /** Whether webhooks may be sent to private networks, also by plain HTTP. */
  readonly toPrivateNetworks: boolean;
  /** How e-mails are sent; null where nothing sends them. */
  readonly mail: MailAccess | null;
  /** The address at which others reach it, without a slash at its end; null where nobody has named one. */
  readonly publicUrl: string | null;
  /** The free bytes on the database's disk, if the host reports them. */
  readonly freeBytes: FreeBytes;
  /** The call's turns at heavy work, by its kind; kinds do not wait for each other. */
  readonly turns: TurnsByKind;
}

/** The scope of a query: it can select and nothing else. */
export interface ReadScope extends CommonScope {
  readonly db: Reader;
}

/** The scope of the slow work before a command's transaction. */
export interface PrepareScope extends ReadScope {
  /** Hashes and checks passwords, which takes too long for a transaction. */
  readonly passwords: Passwords;
}

/** The scope of a command: an open transaction. Only run.ts can make one. */
export interface WriteScope extends CommonScope {
  readonly db: Transaction<Tables>;
  /** The actor behind the call. */
  readonly actor_id: string;
  /** The heads of the chains of events, by company, as far as this call has read or moved them. */
  readonly heads: Map<string, HeadOfChain>;
  newId(): string;
  /** 32 random bytes for an API key, a session or a link. */
  newSecret(): Buffer;
  /** The kind of keys that are made without one. */
  readonly keyKind: KeyKind;
  /** The current signer; another process may have changed the key since the last call. */
  signer(): Promise<Signer>;
  readonly log: Log;
  /** Keeps the remembered answer of this call's Idempotency-Key for ever: a late retry must never issue twice. */
  keepAnswer(): void;
  /** Notes what the single read of the changed resource returns now: the answer's tag is its digest. */
  noteState(resource: object): void;
}

/** The part of a command's scope that recording an event needs. */
export type RecordScope = Pick<WriteScope, "db" | "company_id" | "now" | "actor_id" | "heads" | "log">;

/** The part of a command's scope that creating an actor needs: a command has an actor before it has a scope. */
export type ActorScope = Pick<WriteScope, "db" | "company_id" | "now" | "newId" | "heads" | "log">;
