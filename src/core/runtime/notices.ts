/** Notices: what the answer to a change tells its caller, beside what was stored. A notice refuses nothing. */
import * as z from "zod";
import type { Text } from "../texts/texts.ts";
import type { ReadScope } from "./scope.ts";

/** The codes of notices; more may be added. */
export const NOTICE_CODES = [
  "tax_id_in_use",
  "sku_in_use",
  "external_id_in_use",
  "till_number_in_use",
  "customer_found",
  "customer_changed",
  "customer_created",
] as const;
export type NoticeCode = (typeof NOTICE_CODES)[number];

/** The most ids that a notice has. */
export const MAX_NOTICED = 10;

export const Notice = z
  .strictObject({
    code: z.enum(NOTICE_CODES).describe("Stable."),
    message: z.string().describe("For people, in the language of the call."),
    ids: z.array(z.string()).describe(`What it is about, oldest first; at most ${MAX_NOTICED}.`),
  })
  .meta({ id: "Notice", description: "Something that the caller may want to know; nothing was refused for it." });
export type Notice = z.infer<typeof Notice>;

/** A notice in every language. */
export interface Noticed {
  readonly code: NoticeCode;
  readonly text: Text;
  readonly ids: readonly string[];
}

/** The answer to a change of a resource: the resource, and the notices about it. */
export function withNotices<Shape extends z.ZodRawShape>(resource: z.ZodObject<Shape>) {
  const { id, description } = resource.meta() ?? {};
  return z
    .strictObject({ ...resource.shape, notices: z.array(Notice) })
    .meta({ id: `${id}WithNotices`, description: `${description} With what there is to know about the change.` });
}

/** Adds notices to an answer, in the language of the call. */
export function noticing<Shown extends object>(
  { lang }: Pick<ReadScope, "lang">,
  shown: Shown,
  notices: readonly Noticed[] = [],
): Shown & { notices: Notice[] } {
  return { ...shown, notices: notices.map(({ code, text, ids }) => ({ code, message: text.in(lang), ids: [...ids] })) };
}
