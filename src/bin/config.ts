/**
 * Settings: flags first, then the environment, then defaults, parsed by the command's one schema. A member's
 * `.meta()` says how it is given: `takes` names a flag's value in the help (none: a flag that is there or not),
 * `env` the variable that stands in for it, `operand` an argument without a name.
 */
import { parseArgs } from "node:util";
import { z } from "zod";
import { TAX_REGIONS } from "../core/fiscal/vat-rates.ts";
import { PERMISSIONS } from "../core/index.ts";
import type { Command } from "./command.ts";
import { Failure } from "./exit.ts";

/** Given as text on the command line, whole and in a closed range. */
export function wholeText(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

/** A flag whose value the core checks; here any text will do. */
export function textFlag(takes: string, description: string) {
  return z.string("is required").meta({ takes, description });
}

/** An argument without a name. */
export function operand(name: string) {
  return z.string("is required").meta({ operand: name });
}

/** The flags that several commands share. */
export const FLAGS = {
  db: z
    .string()
    .min(1, "must name a file")
    .default("./lacre.db")
    .meta({ takes: "PATH", env: "LACRE_DB", description: "the database; on a local disk, never a network share" }),
  company: z.string().optional().meta({ takes: "ID", description: "which company, where the database holds several" }),
  json: z.boolean().default(false).meta({ description: "print JSON" }),
  out: textFlag("FILE", "where to write it"),
  overwrite: z.boolean().default(false).meta({ description: "replace the file if it is there" }),
  port: wholeText(0, 65_535)
    .default(8787)
    .meta({ takes: "N", env: "LACRE_PORT", description: "the port; 0 takes a free one" }),
  host: z
    .string()
    .min(1, "must name an address")
    .default("127.0.0.1")
    .meta({ takes: "ADDRESS", env: "LACRE_HOST", description: "the address to listen on" }),
  rate_limit: wholeText(1, 1_000_000)
    .default(120)
    .meta({ takes: "N", description: "requests per key in any 60 seconds" }),
} as const;

/** A signing key that stays in a file of its own; the commands that sign or tell who signs take it. */
export const SIGNING_KEY = {
  signing_key: z.string().optional().meta({
    takes: "FILE",
    env: "LACRE_SIGNING_KEY",
    description: "sign with this private key (PEM), kept in its file",
  }),
  signing_key_version: wholeText(1, 9_999)
    .optional()
    .meta({ takes: "N", env: "LACRE_SIGNING_KEY_VERSION", description: "the version AT knows that key by" }),
} as const;

/** What identifies a company; `init` and `company create` require it. */
export const COMPANY_IDENTITY = {
  name: textFlag("TEXT", "the company's legal name"),
  tax_id: textFlag("NIF", "its Portuguese tax number"),
} as const;

/** The rest of a company's details. */
export const COMPANY_DETAILS = {
  address: textFlag("TEXT", "street and number").optional(),
  postal_code: textFlag("TEXT", "as in 1000-001").optional(),
  city: textFlag("TEXT", "town").optional(),
  country: textFlag("CODE", "ISO 3166 alpha-2; PT unless given").optional(),
  tax_region: z
    .enum(TAX_REGIONS, `must be one of ${TAX_REGIONS.join(", ")}`)
    .optional()
    .meta({ takes: "REGION", description: `${TAX_REGIONS.join(", ")}: mainland, Azores, Madeira` }),
  time_zone: textFlag("NAME", "decides today's date; Europe/Lisbon unless given").optional(),
  cash_vat: z.boolean().optional().meta({ description: "in the cash-VAT scheme; --no-cash-vat: not" }),
  default_exemption_code: textFlag("CODE", "exemption reason of lines at 0 % that name none").optional(),
  footer_text: textFlag("TEXT", "printed at the foot of every document").optional(),
  logo: textFlag("FILE", "a PNG or JPEG, printed at the head of every document").optional(),
} as const;

/** `--scope`, once or several times; `all` stands for every one. */
export const scopesFlag = z
  .array(z.enum([...PERMISSIONS, "all"], `must be all or among ${PERMISSIONS.join(", ")}`), "is required")
  .transform((given) => PERMISSIONS.filter((scope) => given.includes("all") || given.includes(scope)))
  .meta({ takes: "S", many: true, description: `may be repeated: ${PERMISSIONS.join(", ")}; or all` });

/** A member of a command's schema, as the command line and the help see it. */
export interface Given {
  readonly field: string;
  /** `--tax-id`, or the operand's name. */
  readonly label: string;
  readonly takes: string | undefined;
  readonly env: string | undefined;
  readonly operand: string | undefined;
  readonly many: boolean;
  readonly description: string;
  readonly required: boolean;
  /** The value when nothing is given; undefined when there is none worth showing. */
  readonly fallback: unknown;
}

/** Reads a command's schema as the flags and operands it stands for, in its order. */
export function givensOf({ input }: Command): Given[] {
  return Object.entries(input.shape).map(([field, member]) => {
    const schema = member as z.ZodType;
    const { takes, env, operand, many, description } = (described(schema).meta() ?? {}) as Partial<Given>;
    const nothing = schema.safeParse(undefined);
    return {
      field,
      label: operand ?? `--${field.replaceAll("_", "-")}`,
      takes,
      env,
      operand,
      many: many ?? false,
      description: description ?? "",
      required: !nothing.success,
      fallback: nothing.data === false ? undefined : nothing.data,
    };
  });
}

/** `.optional()` makes a new schema, which does not know what was said of the one inside. */
function described(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional && !schema.meta() ? described(schema.unwrap() as z.ZodType) : schema;
}

/**
 * The settings of a command from the arguments after its name and the environment. Throws `Failure` (usage) naming
 * every flag, operand or variable that is wrong.
 */
export function readSettings(command: Command, args: readonly string[], env: NodeJS.ProcessEnv): unknown {
  const givens = givensOf(command);
  const typed = readArguments(givens, args);
  const values: Record<string, unknown> = {};
  const labels = new Map<string, string>();
  for (const { field, label, env: variable } of givens) {
    const fromEnv = variable === undefined ? undefined : env[variable] || undefined;
    values[field] = typed.get(field) ?? fromEnv;
    labels.set(field, typed.has(field) || fromEnv === undefined ? label : (variable ?? label));
  }
  const parsed = command.input.safeParse(values);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${labels.get(String(path[0]))} ${message}`);
  throw new Failure("usage", [...new Set(problems)].join("; "));
}

/** What was typed, by field. Flags may stand anywhere among the operands. */
function readArguments(givens: readonly Given[], args: readonly string[]): Map<string, string | string[] | boolean> {
  const flags = new Map(givens.filter(({ operand }) => !operand).map((given) => [given.label.slice(2), given]));
  const operands = givens.filter(({ operand }) => operand);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries([...flags].map(([name, { takes }]) => [name, { type: takes ? "string" : "boolean" }])),
    strict: false, // Its own refusals run over several lines.
    allowNegative: true,
    tokens: true,
  });
  const typed = new Map<string, string | string[] | boolean>();
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") {
      const next = operands.find(({ field }) => !typed.has(field));
      if (!next) throw new Failure("usage", `${token.value} is one argument too many`);
      typed.set(next.field, token.value);
      continue;
    }
    const flag = flags.get(token.name);
    if (!flag) throw new Failure("usage", `there is no flag ${token.rawName}`);
    if (typed.has(flag.field) && !flag.many) throw new Failure("usage", `${flag.label} is given twice`);
    typed.set(flag.field, typedValue(flag, token, typed.get(flag.field)));
  }
  return typed;
}

function typedValue(
  flag: Given,
  { rawName, value, inlineValue }: { rawName: string; value: string | undefined; inlineValue: boolean | undefined },
  before: unknown,
): string | string[] | boolean {
  if (!flag.takes) {
    if (value !== undefined) throw new Failure("usage", `${rawName} takes no value`);
    return !rawName.startsWith("--no-");
  }
  if (value === undefined || (!inlineValue && value.startsWith("--"))) {
    throw new Failure("usage", `${rawName} needs a value: ${flag.label} ${flag.takes}`);
  }
  return flag.many ? [...((before as string[] | undefined) ?? []), value] : value;
}
