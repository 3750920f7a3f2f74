/**
 * What the caller's own program stores on documents, customers and products: its id for them, and metadata. Lacre
 * returns them and filters by the id; it prints neither, and neither is in the tax file.
 */
import * as z from "zod";
import { says, text } from "../fields.ts";
import { t } from "./refusals.ts";

const MAX_NAMES = 20;
const NAME = /^[A-Za-z0-9_.-]{1,40}$/;

/** The caller's id for something. It need not be unique: an order's invoice and its credit note share one. */
export const ExternalId = text(100).meta({ example: "order-1001" });

/** Texts by name. */
const Metadata = z
  .record(z.string(), text(500, { multiline: true, empty: true }))
  .superRefine((given, context) => {
    const names = Object.keys(given);
    if (names.length > MAX_NAMES) {
      context.addIssue({ code: "custom", ...says(t.has_too_many_names({ max: MAX_NAMES })) });
    }
    for (const name of names) {
      if (!NAME.test(name)) context.addIssue({ code: "custom", path: [name], ...says(t.must_be_metadata_name) });
    }
  })
  .meta({
    maxProperties: MAX_NAMES,
    propertyNames: { pattern: NAME.source },
    example: { channel: "web", till: "2" },
  });
export type Metadata = z.infer<typeof Metadata>;

/** The input fields, each optional. */
export const CALLER_INPUT = {
  external_id: ExternalId.nullable().describe(
    "Your own id, such as an order's. Not unique: an order's invoice, receipt and credit note may share it.",
  ),
  metadata: Metadata.nullable().describe(
    "Your own data: up to 20 texts of up to 500 characters. Their names have 1 to 40 letters, digits and _ . -. A change replaces all of it.",
  ),
};

/** The fields as answers show them. */
export const CALLER_FIELDS = {
  external_id: z.string().nullable(),
  metadata: z.record(z.string(), z.string()).describe("Empty when none was given."),
};

/** Metadata as it is stored: JSON, or null if there is none. */
export function storedMetadata(metadata: Metadata | null | undefined): string | null {
  return metadata && Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : null;
}

/** Parses the `metadata` column. */
export const parseMetadata = (json: string | null): Metadata => (json === null ? {} : JSON.parse(json));
