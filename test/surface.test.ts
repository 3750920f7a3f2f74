/** The public names: whatever is added, renamed or lost here is a change for everyone who imports Lacre. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import tsconfig from "../tsconfig.json" with { type: "json" };
import { SOURCES } from "./support/sources.ts";

/** The names a module exports, types too, in order: read from its text, as types leave nothing at run time. */
function namesOf(file: string): string[] {
  const text = readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), "utf8");
  const declared = Array.from(
    text.matchAll(/^export (?:async )?(?:const|function|interface|type|class) (\w+)/gm),
    ([, name]) => name as string,
  );
  const listed = Array.from(text.matchAll(/^export (?:type )?\{([^}]*)\}/gm), ([, names]) => names as string)
    .flatMap((names) => names.split(","))
    .map((name) =>
      name
        .trim()
        .replace(/^type /, "")
        .replace(/^.* as /, ""),
    )
    .filter((name) => name !== "");
  const passedOn = Array.from(text.matchAll(/^export type \* from "\.\/(.*)";$/gm), ([, name]) => name as string);
  return [...declared, ...listed, ...passedOn.flatMap((name) => namesOf(join(dirname(file), name)))].sort();
}

test("entry points and their exports", () => {
  const surface = Object.fromEntries(Object.entries(SOURCES).map(([door, file]) => [door, namesOf(file)]));
  expect(surface).toMatchInlineSnapshot(`
    {
      "lacre": [
        "Actor",
        "AnyPermission",
        "ApiKey",
        "ArchiveOptions",
        "BetterSqlite",
        "Caller",
        "CameFrom",
        "CheckOptions",
        "Clock",
        "Communication",
        "Company",
        "CompanyChanges",
        "CompanyEvent",
        "CompanyFace",
        "CompanyId",
        "CompanyMethods",
        "CreatedApiKey",
        "Customer",
        "CustomerChanges",
        "CustomerFigures",
        "CustomerSnapshot",
        "DOC_TYPES",
        "DeliverOptions",
        "Deliverer",
        "DocType",
        "Document",
        "DocumentChanges",
        "DocumentFilter",
        "DocumentLine",
        "DocumentPdf",
        "DocumentReference",
        "DocumentSummary",
        "DocumentWithPayments",
        "ERRORS",
        "ErrorCode",
        "Event",
        "EventFeed",
        "FeedEvent",
        "Figures",
        "FollowAllOptions",
        "FollowOptions",
        "Head",
        "HeadConflict",
        "HostActor",
        "HostConnection",
        "HostFace",
        "HostHandles",
        "HostMember",
        "HostPort",
        "HostTransaction",
        "IdSource",
        "InsideTransaction",
        "Installation",
        "InstallationFeed",
        "KEY_PATTERN",
        "KeyCaller",
        "Lacre",
        "LacreDialect",
        "LacreError",
        "LacreOptions",
        "Lang",
        "Log",
        "LogEntry",
        "MonotonicClock",
        "NewApiKey",
        "NewCompany",
        "NewCustomer",
        "NewDocument",
        "NewDocumentLine",
        "NewDocumentPayment",
        "NewDocumentReference",
        "NewPayment",
        "NewProduct",
        "NewSeries",
        "NewTransport",
        "NewWebhook",
        "NodeSqlite",
        "Notice",
        "OpenBytes",
        "OpenTelemetry",
        "OwnInstallation",
        "PERMISSIONS",
        "Page",
        "PasswordCost",
        "Payment",
        "Permission",
        "PersonMethods",
        "PgClient",
        "Place",
        "Problem",
        "Product",
        "ProductChanges",
        "RateLimit",
        "RateLimitReading",
        "RateLimitStore",
        "Readiness",
        "Remedy",
        "Role",
        "RunOptions",
        "SaftCheckReport",
        "SaftExportReport",
        "SaftFinding",
        "SaftImport",
        "SaftRule",
        "Series",
        "SeriesChanges",
        "SessionOfCaller",
        "SessionPermission",
        "Signer",
        "SignerState",
        "StorageError",
        "StoredCustomer",
        "StoredProduct",
        "Timer",
        "Tracing",
        "Transport",
        "Unarchived",
        "UserCaller",
        "Visitor",
        "Waiting",
        "Webhook",
        "WebhookAnswer",
        "WebhookChanges",
        "WebhookDelivery",
        "WebhookMessage",
        "WebhookSender",
        "WebhookWithSecret",
        "archiveLacre",
        "checkSaft",
        "computeTotals",
        "etagOf",
        "grossOfNet",
        "importSaft",
        "netOfGross",
        "openLacre",
        "pemSigner",
        "signedText",
        "textOfError",
        "unarchiveLacre",
        "verifySignature",
      ],
      "lacre/client": [
        "CallOptions",
        "Client",
        "ClientOptions",
        "KeyedOptions",
        "LacreError",
        "WebhookEvent",
        "WebhookRequest",
        "createClient",
        "etagOf",
        "verifyWebhook",
      ],
      "lacre/http": [
        "Answer",
        "AnswerCode",
        "AreaFiles",
        "AreaOptions",
        "Authenticate",
        "Handler",
        "HandlerOptions",
        "HostSession",
        "IncomingRequest",
        "RequestSource",
        "Viewer",
        "createHandler",
        "openApiDocument",
        "readAreaFiles",
        "readViewer",
        "statusOf",
      ],
      "lacre/node": [
        "NodeServer",
        "ServeOptions",
        "WebhookSenderOptions",
        "nodeListener",
        "serve",
        "webhookSender",
      ],
      "lacre/node-sqlite": [
        "FileOptions",
        "LacreDialect",
        "SqliteFile",
        "StorageError",
        "nodeSqlite",
        "openNodeSqlite",
      ],
      "lacre/postgres": [
        "PgPool",
        "PgPoolClient",
        "PostgresConnectionOptions",
        "PostgresOptions",
        "StorageError",
        "postgres",
      ],
      "lacre/sqlite": [
        "FileOptions",
        "LacreDialect",
        "SqliteFile",
        "SqliteOptions",
        "StorageError",
        "openSqlite",
        "sqlite",
      ],
      "lacre/testing": [
        "TEST_API_KEY",
        "TEST_SIGNING_KEY",
        "TestInstance",
        "openInMemory",
      ],
    }
  `);
});

test.each(Object.keys(SOURCES))("%s exports at run time only names that are listed", async (door) => {
  const names = Object.keys(await import(door));
  expect(names.length).toBeGreaterThan(0);
  expect(namesOf(SOURCES[door] ?? "")).toEqual(expect.arrayContaining(names));
});

test("tsc and the tests resolve imports alike", () => {
  const paths = Object.entries(SOURCES).map(([door, file]) => [door, [`./${file}`]]);
  expect(tsconfig.compilerOptions.paths).toEqual(Object.fromEntries(paths));
});
