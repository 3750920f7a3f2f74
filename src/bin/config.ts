/**
 * Reads a command's settings from flags, then the environment, then defaults, and parses them with its one schema. A
 * member's `.meta()` (made by `about` and `operand`) tells how it is given: `says` names its text in the help, `takes`
 * is the placeholder of a flag's value there (without it the flag takes no value), `env` the environment variable to
 * fall back to, `operand` the name of a positional argument, `feeds` the core's name for it where that is another.
 */
import { parseArgs } from "node:util";
import * as z from "zod";
import { TAX_REGIONS } from "../core/fiscal/vat-rates.ts";
import { LacreError, PERMISSIONS } from "../core/index.ts";
import { publicAddress } from "../core/runtime/public-url.ts";
import { MAX_KEY_VERSION } from "../core/signing/signer.ts";
import { LANGS } from "../core/texts/languages.ts";
import { networks } from "../http/addresses.ts";
import type { Command } from "./command.ts";
import { isAddress, readAddress } from "./database/address.ts";
import { Failure } from "./exit.ts";
import type { Terminal } from "./terminal.ts";
import { type FlagText, type Placeholder, TEXTS, type Texts, type Words } from "./texts/texts.ts";

/** Names the text for a failed check of settings; `readSettings` reads it. */
export function says(words: Words) {
  return { params: { words } };
}

/** How a flag is given, beside its name. */
interface Given {
  readonly takes?: Placeholder;
  readonly env?: string;
  readonly many?: boolean;
  readonly feeds?: string;
}

/** A flag's text in the help, by its name in texts/, and how it is given. */
export function about(text: FlagText, given: Given = {}) {
  return { says: text, ...given };
}

/** A whole number from `min` to `max`, given as text. */
export function integerText(min: number, max: number) {
  const wrong = says((t) => t.usage.must_be_integer({ min, max }));
  return z
    .string()
    .refine((given) => /^\d{1,9}$/.test(given), { ...wrong, abort: true })
    .transform(Number)
    .refine((value) => value >= min && value <= max, wrong);
}

/** A time given as text, `30m`, `24h` or `7d`, in milliseconds; from a minute to 24 days. */
export function intervalText() {
  const wrong = says((t) => t.usage.must_be_time);
  return z
    .string()
    .refine((given) => /^\d{1,5}[mhd]$/.test(given), { ...wrong, abort: true })
    .transform((given) => Number(given.slice(0, -1)) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[given.at(-1) as "m"])
    .refine((ms) => ms >= 60_000 && ms <= 24 * 86_400_000, wrong);
}

/** A flag that takes any text; the core checks it. */
export function textFlag(takes: Placeholder, text: FlagText) {
  return z.string().meta(about(text, { takes }));
}

/** Whether a reader accepts a value instead of throwing. */
function isTaken<T>(read: (given: T) => unknown, given: T): boolean {
  try {
    read(given);
    return true;
  } catch {
    return false;
  }
}

/** Several texts; in a variable, which holds only one, they are separated by commas. */
const severalTexts = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((text) => text.split(/[\s,]+/).filter((part) => part !== "")));

const networksText = severalTexts.refine(
  (given) => isTaken(networks, given),
  says((t) => t.usage.must_be_networks),
);

/** Host names; one with a leading dot includes those below it. */
const hostNamesText = severalTexts.refine(
  (given) => given.every((name) => name.length <= 254 && /^\.?[\w-]+(?:\.[\w-]+)*$/.test(name)),
  says((t) => t.usage.must_be_names),
);

/** The address at which others reach a server. */
const publicUrlText = z
  .string()
  .refine(
    (given) => given.length <= 2_000 && isTaken(publicAddress, given),
    says((t) => t.usage.must_be_public_url),
  )
  .transform((given) => given.replace(/\/$/, ""));

/** A positional argument; `feeds` is the core's name for it. */
export function operand(name: Placeholder, feeds?: string) {
  return z.string().meta({ operand: name, ...(feeds !== undefined && { feeds }) });
}

/** Whether a text is the id of a document or a series. */
export function isId(given: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(given);
}

/** The database where `--db` is left out. */
export const DEFAULT_DB = "./lacre.db";

/** Flags shared by several commands. */
export const FLAGS = {
  db: z
    .string()
    .refine(
      (given) => given !== "",
      says((t) => t.usage.must_name_file),
    )
    .superRefine((given, context) => {
      const address = isAddress(given) && readAddress(given);
      if (typeof address === "function") context.addIssue({ code: "custom", ...says(address) });
    })
    .default(DEFAULT_DB)
    .meta(about("db", { takes: "PATH", env: "LACRE_DB" })),
  company: z
    .string()
    .optional()
    .meta(about("company", { takes: "ID" })),
  json: z.boolean().default(false).meta(about("json")),
  yes: z.boolean().default(false).meta(about("yes")),
  out: textFlag("FILE", "out"),
  overwrite: z.boolean().default(false).meta(about("overwrite")),
  port: integerText(0, 65_535)
    .default(8787)
    .meta(about("port", { takes: "N", env: "LACRE_PORT" })),
  host: z
    .string()
    .refine(
      (given) => given !== "",
      says((t) => t.usage.must_name_address),
    )
    .default("127.0.0.1")
    .meta(about("host", { takes: "ADDRESS", env: "LACRE_HOST" })),
  trusted_proxy: networksText
    .optional()
    .meta(about("trusted_proxy", { takes: "NETWORK", env: "LACRE_TRUSTED_PROXY", many: true })),
  public_url: publicUrlText.optional().meta(about("public_url", { takes: "URL", env: "LACRE_PUBLIC_URL" })),
  allowed_host: hostNamesText
    .optional()
    .meta(about("allowed_host", { takes: "NAME", env: "LACRE_ALLOWED_HOST", many: true })),
  rate_limit: integerText(1, 1_000_000)
    .default(120)
    .meta(about("rate_limit", { takes: "N" })),
} as const;

/** The flags of every command that works within one company. */
export const IN_COMPANY = { company: FLAGS.company, db: FLAGS.db, json: FLAGS.json } as const;

/** A signing key kept in a file outside the database, for the commands that sign or show the signer. */
export const SIGNING_KEY = {
  signing_key: z
    .string()
    .optional()
    .meta(about("signing_key", { takes: "FILE", env: "LACRE_SIGNING_KEY" })),
  signing_key_version: integerText(1, MAX_KEY_VERSION)
    .optional()
    .meta(about("signing_key_version", { takes: "N", env: "LACRE_SIGNING_KEY_VERSION" })),
} as const;

/** The details that identify a company; `init` and `company create` require them. */
export const COMPANY_IDENTITY = {
  name: textFlag("TEXT", "name"),
  tax_id: textFlag("NIF", "tax_id"),
} as const;

/** A company's other details. */
export const COMPANY_DETAILS = {
  address: textFlag("TEXT", "address").optional(),
  postal_code: textFlag("TEXT", "postal_code").optional(),
  city: textFlag("TEXT", "city").optional(),
  country: textFlag("CODE", "country").optional(),
  tax_region: z
    .enum(TAX_REGIONS)
    .optional()
    .meta(about("tax_region", { takes: "REGION" })),
  time_zone: textFlag("NAME", "time_zone").optional(),
  cash_vat: z.boolean().optional().meta(about("cash_vat")),
  default_exemption_code: textFlag("CODE", "default_exemption_code").optional(),
  simplified_limit: z
    .enum(["1000", "100", "none"])
    .transform((given) => (({ "1000": 1000, "100": 100, none: null }) as const)[given])
    .optional()
    .meta(about("simplified_limit", { takes: "EUR" })),
  footer_text: textFlag("TEXT", "footer_text").optional(),
  iban: textFlag("IBAN", "iban").optional(),
  accent_color: textFlag("COLOR", "accent_color").optional(),
  prices_with_vat: z.boolean().optional().meta(about("prices_with_vat")),
  language: z
    .enum([...LANGS, "none"])
    .transform((given) => (given === "none" ? null : given))
    .optional()
    .meta(about("paper_language", { takes: "LANG" })),
  due_days: z
    .string()
    .refine(
      (given) => /^(?:none|\d{1,3})$/.test(given),
      says((t) => t.usage.must_be_integer({ min: 0, max: 365 })),
    )
    .transform((given) => (given === "none" ? null : Number(given)))
    .optional()
    .meta(about("due_days", { takes: "N" })),
  logo: textFlag("FILE", "logo").optional(),
} as const;

/** `--scope`, once or several times; `all` means every scope. */
export const scopesFlag = z
  .array(z.enum([...PERMISSIONS, "all"]))
  .transform((given) => PERMISSIONS.filter((scope) => given.includes("all") || given.includes(scope)))
  .meta(about("scope", { takes: "S", many: true, feeds: "scopes" }));

/** A flag or operand of a command, for parser and help. */
export interface Setting {
  readonly field: string;
  /** `--tax-id`; for an operand its name in English. */
  readonly label: string;
  readonly takes: Placeholder | undefined;
  readonly env: string | undefined;
  readonly operand: Placeholder | undefined;
  /** The name of the core's input field. */
  readonly feeds: string;
  readonly many: boolean;
  /** The name of its text in the help. */
  readonly says: FlagText | undefined;
  readonly required: boolean;
  /** The default shown in the help; undefined if there is none. */
  readonly fallback: unknown;
}

/** The flags and operands that a command's schema declares, in its order. */
export function settingsOf({ input }: Command): Setting[] {
  return Object.entries(input.shape).map(([field, member]) => {
    const schema = member as z.ZodType;
    const { takes, env, operand, feeds, many, says } = (described(schema).meta() ?? {}) as Partial<Setting>;
    const unset = schema.safeParse(undefined);
    return {
      field,
      label: operand ?? `--${field.replaceAll("_", "-")}`,
      takes,
      env,
      operand,
      feeds: feeds ?? field,
      many: many ?? false,
      says,
      required: !unset.success,
      fallback: unset.data === false ? undefined : unset.data,
    };
  });
}

/** The name of a flag or operand, in a language. */
function labelOf({ label, operand }: Setting, t: Texts): string {
  return operand === undefined ? label : t.placeholders[operand];
}

/** A flag with the placeholder of its value, or an operand: `--out FILE`. */
export function spelled(setting: Setting, t: Texts): string {
  const label = labelOf(setting, t);
  return setting.takes ? `${label} ${t.placeholders[setting.takes]}` : label;
}

/** `.optional()` and `.default()` make a new schema that loses the `.meta()` of the one inside. */
function described(schema: z.ZodType): z.ZodType {
  const isAround = (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) && !schema.meta();
  return isAround ? described(schema.unwrap() as z.ZodType) : schema;
}

/**
 * Reads the settings of a command from the environment and the arguments after its name. Throws `Failure` (usage) that
 * names every wrong flag, operand or variable.
 */
export function readSettings(command: Command, args: readonly string[], env: NodeJS.ProcessEnv): unknown {
  const settings = settingsOf(command);
  const typed = readArguments(command, settings, args);
  const values: Record<string, unknown> = {};
  const labels = new Map<string, Words>();
  for (const setting of settings) {
    const { field, env: variable } = setting;
    const fromEnv = variable === undefined ? undefined : env[variable] || undefined;
    values[field] = typed.get(field) ?? fromEnv;
    const isFromEnv = !typed.has(field) && fromEnv !== undefined;
    labels.set(field, (t) => (isFromEnv && variable ? variable : labelOf(setting, t)));
  }
  const parsed = command.input.safeParse(values);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const isIncomplete = issues.some(({ code }) => code === "invalid_type");
  throw new Failure("usage", (t) => {
    const problems = issues.map((issue) => `${labels.get(String(issue.path[0]))?.(t)} ${saidOf(issue, t)}`);
    return [...new Set(problems), ...(isIncomplete ? [t.usage.see_help({ command: command.name })] : [])].join("; ");
  });
}

/** What is wrong with a setting. All arrive as text, so a setting of another type is one that was left out. */
function saidOf(issue: z.core.$ZodIssue, t: Texts): string {
  if (issue.code === "custom") return (issue.params as ReturnType<typeof says>["params"]).words(t);
  if (issue.code === "invalid_value") return t.usage.must_be_one_of({ choices: issue.values.map(String) });
  return t.usage.is_required;
}

/** Runs a command. Errors about an input field of the core name the flag or operand that fed it. */
export async function runNamingFlags(command: Command, settings: unknown, terminal: Terminal): Promise<void> {
  try {
    await command.run(settings as never, terminal);
  } catch (error) {
    if (!(error instanceof LacreError)) throw error;
    const t = (settings as { readonly json?: boolean }).json ? TEXTS.en : terminal.texts;
    const labels = new Map(settingsOf(command).map((setting) => [setting.feeds, labelOf(setting, t)]));
    const { code, problems, retry_after_s } = error;
    const named = problems.map((one) => ({ ...one, path: labels.get(/^\w*/.exec(one.path)?.[0] ?? "") ?? one.path }));
    throw new LacreError(code, named, retry_after_s);
  }
}

type Typed = Map<string, string | string[] | boolean>;

/** The values typed, by field. Flags may come anywhere among the operands. */
function readArguments({ name }: Command, settings: readonly Setting[], args: readonly string[]): Typed {
  const flags = new Map(settings.filter(({ operand }) => !operand).map((flag) => [flag.label.slice(2), flag]));
  const operands = settings.filter(({ operand }) => operand);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries([...flags].map(([name, { takes }]) => [name, { type: takes ? "string" : "boolean" }])),
    strict: false, // Its own errors take several lines.
    allowNegative: true,
    tokens: true,
  });
  const typed: Typed = new Map();
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") {
      const next = operands.find(({ field }) => !typed.has(field));
      if (!next) {
        throw new Failure("usage", (t) => t.usage.too_many({ value: token.value, command: name }));
      }
      typed.set(next.field, token.value);
      continue;
    }
    // Without its value `--no-backup-because` reads like the negation of another flag.
    const flag = flags.get(token.name) ?? flags.get(token.rawName.replace(/^--/, ""));
    if (!flag) throw new Failure("usage", (t) => t.usage.no_flag({ flag: token.rawName, command: name }));
    if (typed.has(flag.field) && !flag.many) throw new Failure("usage", (t) => t.usage.twice({ flag: flag.label }));
    typed.set(flag.field, typedValue(flag, token, typed.get(flag.field)));
  }
  return typed;
}

function typedValue(
  flag: Setting,
  { rawName, value, inlineValue }: { rawName: string; value: string | undefined; inlineValue: boolean | undefined },
  before: unknown,
): string | string[] | boolean {
  if (!flag.takes) {
    if (value !== undefined) throw new Failure("usage", (t) => t.usage.takes_no_value({ flag: rawName, value }));
    return !rawName.startsWith("--no-");
  }
  if (value === undefined || (!inlineValue && value.startsWith("--"))) {
    throw new Failure("usage", (t) => t.usage.needs_value({ flag: rawName, takes: spelled(flag, t) }));
  }
  return flag.many ? [...((before as string[] | undefined) ?? []), value] : value;
}
