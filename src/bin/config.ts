/**
 * Reads a command's settings from flags, then the environment, then defaults, and parses them with its one schema. A
 * member's `.meta()` tells how it is given: `takes` is the placeholder of a flag's value in the help (without it the
 * flag takes no value), `env` the environment variable to fall back to, `operand` the name of a positional argument,
 * `feeds` the core's name for it where that is another.
 */
import { parseArgs } from "node:util";
import { z } from "zod";
import { TAX_REGIONS } from "../core/fiscal/vat-rates.ts";
import { LacreError, PERMISSIONS } from "../core/index.ts";
import { MAX_KEY_VERSION } from "../core/signing/signer.ts";
import { networks } from "../http/addresses.ts";
import type { Command } from "./command.ts";
import { Failure } from "./exit.ts";
import type { Terminal } from "./terminal.ts";

/** What is said of a flag or operand that is left out. */
export const REQUIRED = "is required";

/** A whole number from `min` to `max`, given as text. */
export function integerText(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string(REQUIRED)
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

/** A time given as text, `30m`, `24h` or `7d`, in milliseconds; from a minute to 24 days. */
export function intervalText() {
  const message = "must be a time from 1m to 24d, as in 30m, 24h or 7d";
  return z
    .string()
    .regex(/^\d{1,5}[mhd]$/, message)
    .transform((given) => Number(given.slice(0, -1)) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[given.at(-1) as "m"])
    .refine((ms) => ms >= 60_000 && ms <= 24 * 86_400_000, message);
}

/** A flag that takes any text; the core checks it. */
export function textFlag(takes: string, description: string) {
  return z.string(REQUIRED).meta({ takes, description });
}

/** Networks; several have commas between them in a variable, which is one text. */
const networksText = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((text) => text.split(/[\s,]+/).filter((part) => part !== "")))
  .superRefine((given, context) => {
    try {
      networks(given);
    } catch (error) {
      context.addIssue((error as TypeError).message.replace(/\.$/, ""));
    }
  });

/** A positional argument; `feeds` is the core's name for it. */
export function operand(name: string, feeds?: string) {
  return z.string(REQUIRED).meta({ operand: name, ...(feeds !== undefined && { feeds }) });
}

/** Whether a document or a series was named by its id. */
export function isId(given: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(given);
}

/** Flags shared by several commands. */
export const FLAGS = {
  db: z
    .string()
    .min(1, "must name a file")
    .default("./lacre.db")
    .meta({ takes: "PATH", env: "LACRE_DB", description: "the database; on a local disk, not a network share" }),
  company: z.string().optional().meta({ takes: "ID", description: "which company, if the database holds several" }),
  json: z.boolean().default(false).meta({ description: "print JSON, errors too: {error: {code, message}}" }),
  yes: z.boolean().default(false).meta({ description: "do not ask" }),
  out: textFlag("FILE", "where to write it; - for standard output"),
  overwrite: z.boolean().default(false).meta({ description: "replace the file if it exists" }),
  port: integerText(0, 65_535)
    .default(8787)
    .meta({ takes: "N", env: "LACRE_PORT", description: "the port to listen on; 0 picks a free one" }),
  host: z
    .string()
    .min(1, "must name an address")
    .default("127.0.0.1")
    .meta({ takes: "ADDRESS", env: "LACRE_HOST", description: "the address to listen on" }),
  trusted_proxy: networksText.optional().meta({
    takes: "NETWORK",
    env: "LACRE_TRUSTED_PROXY",
    many: true,
    description: "believe the proxies at these addresses (10.0.0.0/8) about who the client is",
  }),
  rate_limit: integerText(1, 1_000_000)
    .default(120)
    .meta({ takes: "N", description: "requests allowed per key in any 60 seconds" }),
} as const;

/** The flags of every command that works within one company. */
export const IN_COMPANY = { company: FLAGS.company, db: FLAGS.db, json: FLAGS.json } as const;

/** A signing key kept in a file outside the database, for the commands that sign or show the signer. */
export const SIGNING_KEY = {
  signing_key: z.string().optional().meta({
    takes: "FILE",
    env: "LACRE_SIGNING_KEY",
    description: "sign with the private key (PEM) in this file; it stays there",
  }),
  signing_key_version: integerText(1, MAX_KEY_VERSION)
    .optional()
    .meta({ takes: "N", env: "LACRE_SIGNING_KEY_VERSION", description: "the version under which AT knows that key" }),
} as const;

/** The details that identify a company; `init` and `company create` require them. */
export const COMPANY_IDENTITY = {
  name: textFlag("TEXT", "the company's legal name"),
  tax_id: textFlag("NIF", "its Portuguese tax number"),
} as const;

/** A company's other details. */
export const COMPANY_DETAILS = {
  address: textFlag("TEXT", "street and number").optional(),
  postal_code: textFlag("TEXT", "as in 1000-001").optional(),
  city: textFlag("TEXT", "town").optional(),
  country: textFlag("CODE", "ISO 3166 alpha-2; PT unless given").optional(),
  tax_region: z
    .enum(TAX_REGIONS, `must be one of ${TAX_REGIONS.join(", ")}`)
    .optional()
    .meta({ takes: "REGION", description: `${TAX_REGIONS.join(", ")}: mainland, Azores, Madeira` }),
  time_zone: textFlag("NAME", "decides which day it is; Europe/Lisbon unless given").optional(),
  cash_vat: z.boolean().optional().meta({ description: "in the cash-VAT scheme; --no-cash-vat takes it out" }),
  default_exemption_code: textFlag("CODE", "exemption reason for lines at 0 % that give none").optional(),
  simplified_limit: z
    .enum(["1000", "100", "none"], "must be 1000, 100 or none")
    .transform((given) => (({ "1000": 1000, "100": 100, none: null }) as const)[given])
    .optional()
    .meta({ takes: "EUR", description: "the largest FS: 1000 (the default), 100 or none; lacre company set --help" }),
  footer_text: textFlag("TEXT", "printed at the foot of every document").optional(),
  logo: textFlag("FILE", "a PNG or JPEG, printed at the top of every document").optional(),
} as const;

/** `--scope`, once or several times; `all` means every scope. */
export const scopesFlag = z
  .array(z.enum([...PERMISSIONS, "all"], `must be all or one of ${PERMISSIONS.join(", ")}`), REQUIRED)
  .transform((given) => PERMISSIONS.filter((scope) => given.includes("all") || given.includes(scope)))
  .meta({ takes: "S", many: true, feeds: "scopes", description: `may be repeated: ${PERMISSIONS.join(", ")}; or all` });

/** A flag or operand of a command, for parser and help. */
export interface Setting {
  readonly field: string;
  /** `--tax-id`, or the operand's name. */
  readonly label: string;
  readonly takes: string | undefined;
  readonly env: string | undefined;
  readonly operand: string | undefined;
  /** The name of the core's input field. */
  readonly feeds: string;
  readonly many: boolean;
  readonly description: string;
  readonly required: boolean;
  /** The default shown in the help; undefined if there is none. */
  readonly fallback: unknown;
}

/** The flags and operands that a command's schema declares, in its order. */
export function settingsOf({ input }: Command): Setting[] {
  return Object.entries(input.shape).map(([field, member]) => {
    const schema = member as z.ZodType;
    const { takes, env, operand, feeds, many, description } = (described(schema).meta() ?? {}) as Partial<Setting>;
    const unset = schema.safeParse(undefined);
    return {
      field,
      label: operand ?? `--${field.replaceAll("_", "-")}`,
      takes,
      env,
      operand,
      feeds: feeds ?? field,
      many: many ?? false,
      description: description ?? "",
      required: !unset.success,
      fallback: unset.data === false ? undefined : unset.data,
    };
  });
}

/** `.optional()` makes a new schema that loses the `.meta()` of the one inside. */
function described(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional && !schema.meta() ? described(schema.unwrap() as z.ZodType) : schema;
}

/**
 * Reads the settings of a command from the environment and the arguments after its name. Throws `Failure` (usage) that
 * names every flag, operand or variable that is wrong.
 */
export function readSettings(command: Command, args: readonly string[], env: NodeJS.ProcessEnv): unknown {
  const settings = settingsOf(command);
  const typed = readArguments(command, settings, args);
  const values: Record<string, unknown> = {};
  const labels = new Map<string, string>();
  for (const { field, label, env: variable } of settings) {
    const fromEnv = variable === undefined ? undefined : env[variable] || undefined;
    values[field] = typed.get(field) ?? fromEnv;
    labels.set(field, typed.has(field) || fromEnv === undefined ? label : (variable ?? label));
  }
  const parsed = command.input.safeParse(values);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${labels.get(String(path[0]))} ${message}`);
  const isIncomplete = parsed.error.issues.some(({ message }) => message === REQUIRED);
  const help = isIncomplete ? [`see lacre ${command.name} --help`] : [];
  throw new Failure("usage", [...new Set(problems), ...help].join("; "));
}

/** Runs a command. What the core says of an input field, the program says of the flag or operand that fed it. */
export async function runNamingFlags(command: Command, settings: unknown, terminal: Terminal): Promise<void> {
  try {
    await command.run(settings as never, terminal);
  } catch (error) {
    if (!(error instanceof LacreError)) throw error;
    const labels = new Map(settingsOf(command).map(({ feeds, label }) => [feeds, label]));
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
        const hint = `what has spaces needs quotes; see lacre ${name} --help`;
        throw new Failure("usage", `${token.value} is one argument too many: ${hint}`);
      }
      typed.set(next.field, token.value);
      continue;
    }
    const flag = flags.get(token.name);
    if (!flag) throw new Failure("usage", `there is no flag ${token.rawName}; see lacre ${name} --help`);
    if (typed.has(flag.field) && !flag.many) throw new Failure("usage", `${flag.label} is given twice; give it once`);
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
    if (value !== undefined) throw new Failure("usage", `${rawName} takes no value; leave out =${value}`);
    return !rawName.startsWith("--no-");
  }
  if (value === undefined || (!inlineValue && value.startsWith("--"))) {
    throw new Failure("usage", `${rawName} needs a value: ${flag.label} ${flag.takes}`);
  }
  return flag.many ? [...((before as string[] | undefined) ?? []), value] : value;
}
