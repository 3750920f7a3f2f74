/** The zod fields used everywhere: text, ids, dates, money. Each carries its own limits, sentence and description. */
import * as z from "zod";
import { readsLikeCertificateLine } from "./fiscal/certificate-line.ts";
import { instantOf, isCivilDate, isInstant } from "./fiscal/civil-time.ts";
import { isExemptionCode } from "./fiscal/exemptions.ts";
import { scaled, significantDigits, unscaled } from "./fiscal/money.ts";
import { composed, hasStackedMarks, mayFit } from "./fiscal/spelling.ts";
import { normalTaxId } from "./fiscal/tax-id.ts";
import {
  MAX_DISCOUNT_AMOUNT,
  MAX_PERCENTAGE,
  MAX_QUANTITY,
  MAX_SIGNIFICANT_DIGITS,
  MAX_TOTAL_CENTS,
  MAX_UNIT_PRICE,
} from "./fiscal/totals.ts";
import { type Problem, problem } from "./runtime/errors.ts";
import { common } from "./runtime/refusals.ts";
import { LANGS } from "./texts/languages.ts";
import type { Text } from "./texts/texts.ts";

/** What a check says that fails: `z.string().refine(isDate, says(common.must_be_date))`; `parseInput` reads it. */
export function says(text: Text) {
  return { params: { text } };
}

/** Adds failures to a check that can fail in several ways. */
function complainer(context: z.RefinementCtx) {
  return (text: Text): void => context.addIssue({ code: "custom", ...says(text) });
}

/** Controls, line separators, and the marks that reorder text on display. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const CONTROL_BUT_BREAKS = /[^\P{Cc}\t\n\r]/u;
const BIDI_OVERRIDE = /[\u202a-\u202e\u2066-\u2069]/u;

/** A visible character: no space, control, format character or filler, and no letter that is blank. */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\u{13441}\u{13442}]/u;
const LINE_BREAK = /\r\n?|\n/;

interface TextOptions {
  /** Allows line breaks and tabs. */
  readonly multiline?: boolean;
  /** Allows the empty text. */
  readonly empty?: boolean;
  /** The most lines of a multiline text; any number when left out. */
  readonly lines?: number;
}

/**
 * A text from outside, measured before anything else looks at it: one that is longer than `max` characters in any
 * spelling is refused for that alone. All texts of an input begin here or with `formed`, so that no request costs more
 * than reading it.
 */
export function measured(max: number, cut: (given: string) => string = (given) => given) {
  return z
    .string()
    .overwrite(cut)
    .refine((given) => mayFit(given, max), { ...says(common.has_too_many_characters({ max })), abort: true });
}

/** A text of one form, exactly as given: none of the form is longer than `longest` UTF-16 units. */
export function formed<Form extends string = string>(
  longest: number,
  isOfForm: ((given: string) => given is Form) | ((given: string) => boolean),
  text: Text,
) {
  const fits = (given: string): given is Form => given.length <= longest && isOfForm(given);
  return z.string().refine(fits, says(text));
}

/** The number of code points; a surrogate pair counts once. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/**
 * Text for people: NFC-normalised and trimmed, 1 to `max` characters. Control characters, bidi overrides and lone
 * surrogates are refused: the stored text must be exactly what is read, hashed and printed. So are a text without
 * visible characters, and one that reads like the certificate line.
 */
export function text(max: number, { multiline = false, empty = false, lines = max }: TextOptions = {}) {
  const control = multiline ? CONTROL_BUT_BREAKS : CONTROL;
  return measured(max, (given) => given.trim())
    .overwrite(composed)
    .superRefine((given, context) => {
      const complain = complainer(context);
      const isTooLong = given.length > max && characters(given) > max;
      if (!empty && given === "") complain(common.must_not_be_empty);
      if (!empty && given !== "" && !VISIBLE.test(given)) complain(common.must_have_something_to_see);
      if (!empty && !isTooLong && readsLikeCertificateLine(given)) complain(common.reads_like_certificate_line);
      if (isTooLong) complain(common.has_too_many_characters({ max }));
      if (given.split(LINE_BREAK, lines + 1).length > lines) complain(common.has_too_many_lines({ max: lines }));
      if (hasStackedMarks(given)) complain(common.has_stacked_marks);
      if (!given.isWellFormed()) complain(common.has_lone_surrogates);
      if (control.test(given)) complain(common.has_control_characters);
      if (BIDI_OVERRIDE.test(given)) complain(common.has_bidi_overrides);
    })
    .meta(empty ? { maxLength: max } : { minLength: 1, maxLength: max });
}

/** The tax number of a company: a NIF, stored as its nine digits. */
export const Nif = text(30)
  .overwrite((given) => normalTaxId(given, "PT") ?? given)
  .refine((given) => normalTaxId(given, "PT") !== undefined, says(common.must_be_nif))
  .describe("Portuguese NIF, nine digits.");

/** The characters of a UUID. */
const UUID_LENGTH = 36;

/**
 * An id in a path: any text. An unknown id is not found, rather than invalid; a text longer than any id is not an id.
 */
export const PathId = z
  .string()
  .overwrite((given) => (given.length > UUID_LENGTH ? "" : given))
  .toLowerCase()
  .meta({ format: "uuid", description: "UUID." });

/** An id inside a body. */
export const Id = z.uuid().toLowerCase().meta({ format: "uuid", example: "0199d3a0-5b7e-7cc1-9c3b-2f6a4d1e8b70" });

/** Ids of what a list is to show. */
export const IdList = z
  .array(Id)
  .min(1)
  .max(200)
  .overwrite((given) => [...new Set(given)]);

/** A civil day, `YYYY-MM-DD`. */
export const Day = formed(10, isCivilDate, common.must_be_date).meta({ format: "date", example: "2026-11-21" });
export type Day = z.infer<typeof Day>;

/** An instant in UTC with milliseconds (RFC 3339). */
export const Instant = z.string().refine(isInstant).meta({ format: "date-time", example: "2026-11-21T10:31:07.482Z" });
export type Instant = z.infer<typeof Instant>;

/** Whether an instant can be read from it; the field then is that instant. */
const readsAsInstant = (given: string): given is Instant => instantOf(given) !== undefined;

/** An instant as input: RFC 3339 with its zone. It is stored in UTC with milliseconds. */
export const InstantInput = formed(35, readsAsInstant, common.must_be_instant)
  .overwrite((given) => instantOf(given) ?? given)
  .meta({ format: "date-time", example: "2026-11-21T10:30:00Z" });

interface DecimalLimits {
  readonly decimals: number;
  readonly min?: number;
  readonly above?: number;
  readonly max: number;
}

/**
 * An exact decimal: the shortest decimal of the JSON number, at most 15 significant digits and `decimals` places.
 * More precision is refused, never rounded.
 */
function decimal({ decimals, min, above, max }: DecimalLimits) {
  return z
    .number()
    .superRefine((value, context) => {
      const complain = complainer(context);
      if (min !== undefined && value < min) complain(common.must_be_at_least({ min }));
      if (above !== undefined && value <= above) complain(common.must_be_more_than({ above }));
      if (value > max) complain(common.must_be_at_most({ max }));
      else if (significantDigits(value) > MAX_SIGNIFICANT_DIGITS) {
        complain(common.has_too_many_digits({ max: MAX_SIGNIFICANT_DIGITS, decimals }));
      } else if (scaled(value, decimals) === undefined) complain(common.has_too_many_decimals({ max: decimals }));
    })
    .meta({
      ...(min !== undefined && { minimum: min }),
      ...(above !== undefined && { exclusiveMinimum: above }),
      maximum: max,
    });
}

export const Quantity = decimal({ decimals: 6, above: 0, max: MAX_QUANTITY }).describe(
  "More than 0, at most 6 decimals.",
);
export const UnitPrice = decimal({ decimals: 6, min: 0, max: MAX_UNIT_PRICE }).describe(
  "EUR without tax, at most 6 decimals.",
);
export const UnitPriceGross = decimal({ decimals: 6, min: 0, max: MAX_UNIT_PRICE }).describe(
  "EUR with VAT, at most 6 decimals.",
);
export const TaxRate = decimal({ decimals: 2, min: 0, max: MAX_PERCENTAGE }).describe("Percentage: 23 is 23 %.");
export const DiscountPct = decimal({ decimals: 2, min: 0, max: MAX_PERCENTAGE }).describe("Percentage, 0 to 100.");
export const DiscountAmount = decimal({ decimals: 2, above: 0, max: MAX_DISCOUNT_AMOUNT }).describe(
  "EUR in whole cents, with VAT where prices are with VAT.",
);
export const Amount = decimal({ decimals: 2, above: 0, max: unscaled(MAX_TOTAL_CENTS, 2) }).describe(
  "EUR in whole cents.",
);
export const Stock = decimal({ decimals: 6, min: -MAX_QUANTITY, max: MAX_QUANTITY }).describe("Units in stock.");

/** Money in an answer: EUR, two decimals at most. */
export const Money = z.number().describe("EUR, at most two decimals.");

/** An integer in a closed range. */
export function wholeNumber(min: number, max: number) {
  return z
    .int()
    .refine((value) => value >= min && value <= max, says(common.must_be_whole_number({ min, max })))
    .meta({ minimum: min, maximum: max });
}

/** The days after its issue in which a document is paid. */
export const DueDays = wholeNumber(0, 365);

/** The language of what is printed or sent. */
export const PaperLanguage = z.enum(LANGS);

/** The free-text filter of the lists that have one. */
export const SearchInput = text(200, { empty: true }).optional().describe("Case- and accent-insensitive substring.");

/** A code of the tax authority's table of exemption reasons, in force or expired. */
export const ExemptionCode = formed(3, isExemptionCode, common.must_be_exemption_code).meta({
  description: "Why a line bears no tax (AT's table of reasons).",
  example: "M07",
});

/**
 * An object whose fields depend on each other: `problemsOf` gets what was sent and names the fields that are wrong by
 * that. All problems are in the order of the fields, as if each field had found its own.
 */
export function withFields<Schema extends z.ZodObject>(
  schema: Schema,
  problemsOf: (given: Readonly<Record<string, unknown>>) => readonly Problem[],
): Schema {
  const places = new Map(Object.keys(schema.shape).map((name, place) => [name, place]));
  // A path may go on below its field, as in `payments[0].payment_date`.
  const fieldOf = ({ path }: z.core.$ZodRawIssue) => String(path?.[0]).split("[", 1).join();
  const placeOf = (issue: z.core.$ZodRawIssue) => places.get(fieldOf(issue)) ?? places.size;
  return schema.superRefine((given, context) => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) return;
    for (const { path, text } of problemsOf(given)) {
      context.addIssue({ code: "custom", path: [path], ...says(text) });
    }
    context.issues.sort((one, other) => placeOf(one) - placeOf(other));
  }, ALWAYS);
}

/** Checks fields beside others that are wrong, so that the refusal lists every problem. */
export const ALWAYS = { when: () => true };

/** The problem of fields that are required and were not sent. */
export function problemsWithMissing(
  given: Readonly<Record<string, unknown>>,
  required: readonly string[],
): readonly Problem[] {
  return required.flatMap((name) => (given[name] === undefined ? [problem(name, common.is_required)] : []));
}

/** The problem of a field that was sent in place of another, and beside it. */
export function problemsWithBoth(
  given: Readonly<Record<string, unknown>>,
  name: string,
  other: string,
): readonly Problem[] {
  return given[name] !== undefined && given[other] != null
    ? [problem(name, common.excludes_field({ field: other }))]
    : [];
}

/** Drops the members that are `undefined`, so that an update touches only what was sent. */
export function definedOnly<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
