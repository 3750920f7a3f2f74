/** How a document is sent by e-mail, as callers say it. */
import * as z from "zod";
import { PaperLanguage, says, text } from "../fields.ts";
import { common } from "../runtime/refusals.ts";

/** The longest address, and how many an e-mail may go to, and how many may get a copy. */
export const MAX_ADDRESS = 254;
export const MAX_ADDRESSES = 10;

/** One e-mail address: ASCII, without a name, so that nothing in it can end a header. */
export const EmailAddress = text(MAX_ADDRESS)
  .refine((given) => z.regexes.email.test(given), says(common.must_be_email))
  .meta({ format: "email", example: "ana@example.com" });

/** The subject of an e-mail: one line. */
export const Subject = text(200);

/** What an e-mail says: plain text. */
export const Message = text(5_000, { multiline: true });

const Addresses = z.array(EmailAddress).max(MAX_ADDRESSES);

/** How a document is sent; every field may be left out. */
export const EmailFields = {
  to: Addresses.min(1).optional().describe("The customer's e-mail when left out."),
  cc: Addresses.optional(),
  subject: Subject.optional().describe("The company's own, else Lacre's, when left out."),
  message: Message.optional().describe("Plain text; the company's own, else Lacre's, when left out."),
  language: PaperLanguage.optional().describe(
    "Of the texts and of the paper; the customer's, else the company's, when left out.",
  ),
};

export const EmailInput = z
  .strictObject(EmailFields)
  .meta({ id: "EmailInput", description: "How an issued document is sent by e-mail." });
export type EmailInput = z.input<typeof EmailInput>;

/** `email` of a document that is issued: as its customer's e-mail and the company's texts have it, or otherwise. */
export const EmailAtIssue = z
  .union([z.literal(true), EmailInput])
  .describe("Sends the issued document by e-mail, as `POST /v1/documents/{id}/email` does; `true` is `{}`.");
