/** `lacre`: the public names of the core. Nothing is computed here. */

export { type Unarchived, unarchiveLacre } from "./archive/read.ts";
export { type ArchiveOptions, archiveLacre } from "./archive/write.ts";
export type { LacreDialect } from "./database/executor.ts";
export type { HostConnection, HostHandles } from "./database/host-handles.ts";
export type { BetterSqlite, HostPort, HostTransaction, NodeSqlite, PgClient } from "./database/host-transaction.ts";
export { StorageError } from "./database/storage-error.ts";
export type { DeliverOptions } from "./deliveries/deliver.ts";
export type { Mailer } from "./emails/deliver.ts";
export type { CompanyEvent, EventFeed, FollowAllOptions, FollowOptions, InstallationFeed } from "./events/follow.ts";
export type * from "./face.ts";
export { signedText, verifySignature } from "./fiscal/chain.ts";
export { computeLines, computeTotals } from "./fiscal/computed-totals.ts";
export { DOC_TYPES, type DocType } from "./fiscal/document-types.ts";
export { grossOfNet, netOfGross } from "./fiscal/gross-prices.ts";
export type { Readiness } from "./installation/installation.ts";
export {
  type CompanyFace,
  type CompanyId,
  type InsideTransaction,
  type Lacre,
  type LacreOptions,
  openLacre,
} from "./open.ts";
export { KEY_PATTERN } from "./people/api-keys.ts";
export type { PasswordCost } from "./people/passwords.ts";
export { ERRORS, type ErrorCode, LacreError, type Problem, type Remedy, textOfError } from "./runtime/errors.ts";
export { etagOf } from "./runtime/etag.ts";
export type { Page } from "./runtime/page.ts";
export {
  type Actor,
  type AnyPermission,
  type Caller,
  type CameFrom,
  type HostActor,
  type HostMember,
  type KeyCaller,
  PERMISSIONS,
  type Permission,
  type Role,
  type SessionOfCaller,
  type SessionPermission,
  type UserCaller,
  type Visitor,
} from "./runtime/permissions.ts";
export type {
  Clock,
  IdSource,
  Log,
  LogEntry,
  MailAnswer,
  MailMessage,
  MailSender,
  MailServer,
  MonotonicClock,
  RateLimitReading,
  RateLimitStore,
  Signer,
  Timer,
  WebhookAnswer,
  WebhookMessage,
  WebhookSender,
} from "./runtime/ports.ts";
export type { RateLimit } from "./runtime/rate-limit.ts";
export type { RunOptions } from "./runtime/run.ts";
export type { OpenTelemetry, Tracing } from "./runtime/tracing.ts";
export { checkSaft, type SaftCheckReport } from "./saft/check/check.ts";
export type { SaftFinding, SaftRule } from "./saft/check/findings.ts";
export { importSaft } from "./saft/import/import.ts";
export type { OpenBytes } from "./saft/xml.ts";
export { pemSigner } from "./signing/signing-keys.ts";
export type { Lang } from "./texts/languages.ts";
export type { CheckOptions } from "./verify/keep-checked.ts";
export type { Deliverer } from "./webhooks/deliver.ts";
