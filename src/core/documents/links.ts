/**
 * Link: opens an issued document as PDF for whoever has it, until it expires or is revoked. Its secret, the token in
 * its address, is shown once; only the hash is stored. Opening writes nothing: whether the paper is the original was
 * decided when the link was made.
 */
import * as z from "zod";
import { mustFindCompany } from "../company/companies.ts";
import { preparedSelect, preparedWrite } from "../database/prepared.ts";
import type { Reader, Row } from "../database/tables.ts";
import { recordEvent } from "../events/events.ts";
import { Id, Instant, PaperLanguage, PathId } from "../fields.ts";
import type { Instant as At } from "../fiscal/civil-time.ts";
import { digestOf, newSecret } from "../people/sessions.ts";
import { findCustomer } from "../records/customers.ts";
import { refuse } from "../runtime/errors.ts";
import { command, query } from "../runtime/operation.ts";
import { PageInput, pageAs, pageOf, preparedCount, preparedPage } from "../runtime/page.ts";
import type { ReadScope } from "../runtime/scope.ts";
import { LANGS } from "../texts/languages.ts";
import { DocumentPdf, languageFor, mustFindPrintable, printed, takeOriginal } from "./print.ts";
import { t } from "./refusals.ts";
import { mustFindDocument } from "./rows.ts";

/** How long a link opens its document. */
const LIVES_MS = 30 * 24 * 60 * 60 * 1_000;

/** The most characters of a token that is looked up; one that was made here has 43. */
const MAX_TOKEN = 200;

const linkFields = {
  id: Id,
  document_id: Id,
  language: z.enum(LANGS).describe("Of the paper."),
  original: z.boolean().describe("Whether it opens the original; later prints, e-mails and links are second prints."),
  created_at: Instant,
  expires_at: Instant.describe("From then on it opens nothing: 30 days after it was made."),
  revoked_at: Instant.nullable(),
};

export const DocumentLink = z
  .strictObject(linkFields)
  .meta({ id: "DocumentLink", description: "A link that opens an issued document, without its address." });
export type DocumentLink = z.infer<typeof DocumentLink>;

export const DocumentLinkWithUrl = z
  .strictObject({
    ...linkFields,
    url: z.string().meta({
      description: "Opens the document for whoever has it; shown this once.",
      example: "https://loja.pt/d/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
    }),
  })
  .meta({ id: "DocumentLinkWithUrl", description: "A link with its address, which is shown this once." });
export type DocumentLinkWithUrl = z.infer<typeof DocumentLinkWithUrl>;

export const createDocumentLink = command(
  {
    id: "createDocumentLink",
    summary: "Make a link that opens an issued document as PDF; its address is shown this once",
    needs: "documents:send",
    unkeyed: true,
    input: z.strictObject({
      id: PathId,
      language: PaperLanguage.optional().describe("Of the paper; the customer's, else the company's, when left out."),
    }),
    output: DocumentLinkWithUrl,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id, language }) => {
    const { db, company_id, now } = scope;
    const document = await mustFindPrintable(scope, id, "send");
    const publicUrl = scope.publicUrl ?? refuse("invalid_state", t.no_public_url, { to: "name_public_url" });
    const customer = await findCustomer(scope, document.customer_id);
    const { secret, digest } = newSecret(scope);
    const link: Row<"document_links"> = {
      id: scope.newId(),
      company_id,
      document_id: document.id,
      digest,
      language: language ?? languageFor(customer, await mustFindCompany(scope)),
      second_print: (await takeOriginal(scope, document, 1)) ? 0 : 1,
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + LIVES_MS).toISOString(),
      revoked_at: null,
    };
    await insertLink(db, link);
    await recordEvent(scope, "link.created", link.id, { document_id: document.id });
    return { ...toLink(link), url: `${publicUrl}/d/${secret}` };
  },
);

const insertLink = preparedWrite((db, link: Row<"document_links">) => db.insertInto("document_links").values(link));

export const listDocumentLinks = query(
  {
    id: "listDocumentLinks",
    summary: "List the links to a document, newest first, with those that expired or were revoked",
    needs: "documents:read",
    input: z.strictObject({ id: PathId, ...PageInput }),
    output: pageOf(DocumentLink),
    fails: ["not_found"],
  },
  async (scope, { id, ...asked }) => {
    const { db } = scope;
    const about = { document_id: (await mustFindDocument(scope, id)).id };
    return pageAs(await pageOfLinks(db, about, asked, await countLinks(db, about)), toLink);
  },
);

const linksTo = (db: Reader, { document_id }: { document_id: string }) =>
  db.selectFrom("document_links").where("document_id", "=", document_id);
const pageOfLinks = preparedPage(linksTo);
const countLinks = preparedCount(linksTo);

export const getDocumentLink = query(
  {
    id: "getDocumentLink",
    summary: "Get a link to a document",
    needs: "documents:read",
    input: z.strictObject({ id: PathId }),
    output: DocumentLink,
    fails: ["not_found"],
  },
  async (scope, { id }) => toLink(await mustFindLink(scope, id)),
);

export const revokeDocumentLink = command(
  {
    id: "revokeDocumentLink",
    summary: "Revoke a link; from the next request on it opens nothing",
    needs: "documents:send",
    input: z.strictObject({ id: PathId }),
    output: z.void(),
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { id }) => {
    const { document_id, revoked_at } = await mustFindLink(scope, id);
    if (revoked_at !== null) refuse("invalid_state", t.link_already_revoked);
    await saveRevoked(scope.db, { id, revoked_at: scope.now.toISOString() });
    await recordEvent(scope, "link.revoked", id, { document_id });
  },
);

const saveRevoked = preparedWrite((db, { id, revoked_at }: { id: string; revoked_at: At }) =>
  db.updateTable("document_links").set({ revoked_at }).where("id", "=", id),
);

/** A link of the call's company; refuses with `not_found`. */
async function mustFindLink({ db, company_id }: ReadScope, id: string): Promise<Row<"document_links">> {
  const [link] = await linkById(db, { company_id, id });
  return link ?? refuse("not_found", t.no_such_link);
}

const linkById = preparedSelect((db, { company_id, id }: { company_id: string; id: string }) =>
  db.selectFrom("document_links").selectAll().where("id", "=", id).where("company_id", "=", company_id),
);

export const openDocumentLink = query(
  {
    id: "openDocumentLink",
    summary: "Open a link: the document as PDF, the same at each opening while the document is the same",
    needs: "visitor",
    input: z.strictObject({ token: z.string().max(MAX_TOKEN).describe("What stands after /d/ in its address.") }),
    output: DocumentPdf,
    fails: ["not_found", "invalid_state"],
  },
  async (scope, { token }) => {
    const link = await mustOpen(scope, token);
    const document = await mustFindPrintable(scope, link.document_id);
    // A void paper is never an original.
    const copy = link.second_print === 1 || document.status === "cancelled";
    return printed(scope, document, { lang: link.language, copy });
  },
  { isLong: true },
);

/**
 * The link that a token opens. Refuses with `not_found` and the same words whatever is wrong; all but an overlong token
 * are looked up, so that the time taken tells nothing either.
 */
export async function mustOpen(
  { db, now }: Pick<ReadScope, "db" | "now">,
  token: string,
): Promise<Row<"document_links">> {
  const [link] = token.length > MAX_TOKEN ? [] : await linkByDigest(db, { digest: digestOf(token) });
  if (!link || link.revoked_at !== null || link.expires_at <= now.toISOString()) {
    return refuse("not_found", t.link_opens_nothing);
  }
  return link;
}

const linkByDigest = preparedSelect((db, { digest }: { digest: string }) =>
  db.selectFrom("document_links").selectAll().where("digest", "=", digest),
);

function toLink(row: Row<"document_links">): DocumentLink {
  const { id, document_id, language, second_print, created_at, expires_at, revoked_at } = row;
  return { id, document_id, language, original: second_print === 0, created_at, expires_at, revoked_at };
}
