/**
 * An operation is a plain function with its contract. The library API, the route table, the OpenAPI document
 * and the error catalogue are all read from it, so nothing is described twice.
 */
import type * as z from "zod";
import type { Text } from "../texts/texts.ts";
import { type ErrorCode, type Problem, problem, refuseInput } from "./errors.ts";
import type { Needs, Permission } from "./permissions.ts";
import { common } from "./refusals.ts";
import type { PrepareScope, ReadScope, WriteScope } from "./scope.ts";
import type { TurnsByKind } from "./turns.ts";

export interface Contract<Input extends z.ZodType, Output extends z.ZodType> {
  /** The operation's name everywhere: `issueDocument`. */
  readonly id: string;
  /** One sentence for people. */
  readonly summary: string;
  readonly needs: Needs;
  /** Permissions this input needs beside `needs`; checked before the input is validated, as 403 precedes 400. */
  readonly alsoNeeds?: (input: unknown) => readonly Permission[];
  readonly input: Input;
  readonly output: Output;
  /**
   * A person must have typed the password within the last five minutes, for every input or for those that this tells;
   * otherwise `password_required`.
   */
  readonly confirmed?: true | ((input: unknown) => boolean);
  /** Its input holds a password or the secret of a link: plain HTTP is accepted only from the machine itself. */
  readonly carriesSecret?: true;
  /**
   * It takes no Idempotency-Key: its answer holds a secret that is shown once, its input is a file, or it acts outside
   * the database.
   */
  readonly unkeyed?: true;
  /**
   * The query that reads the one resource it changes, given its `id`: a call with `if_match` compares its answer first.
   */
  readonly target?: Query;
  /** Its answer has a tag: a query's by its answer, a command's by the resource passed to `noteState`. */
  readonly isTagged?: true;
  /** A call above companies changes some of them, as the host program's calls may: all are locked first. */
  readonly inCompanies?: true;
  /** The codes it can refuse with, in the order of the checks, beside those of every operation. */
  readonly fails: readonly ErrorCode[];
}

export interface Query<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType>
  extends Contract<Input, Output> {
  readonly kind: "query";
  /** Takes long: it reads outside a snapshot, so that other reads do not wait for it. */
  readonly isLong?: boolean;
  /** Returns the answer or, with `draw`, what the answer is drawn from. */
  run(scope: ReadScope, input: z.output<Input>): Promise<unknown>;
  /** Draws the answer after the snapshot; its turn at printing lasts from reading to drawing. */
  draw?(facts: unknown, signal: AbortSignal | undefined): Promise<z.output<Output>>;
}

export interface Command<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType>
  extends Contract<Input, Output> {
  readonly kind: "command";
  /** Work too heavy for many at once: its turn lasts from the slow work to the commit. */
  readonly takesTurn?: keyof TurnsByKind;
  /** Slow work before the transaction, such as hashing a password; `run` receives its result. */
  prepare?(scope: PrepareScope, input: z.output<Input>): Promise<unknown>;
  /** Returns the answer or, with `answer`, what the answer is made from: JSON, which is all that is remembered. */
  run(scope: WriteScope, input: z.output<Input>, prepared?: unknown): Promise<unknown>;
  /**
   * Makes the answer from the result of `run`, after the commit and for each repeat: for answers too large to remember.
   */
  answer?(scope: ReadScope, input: z.output<Input>, done: unknown): Promise<z.output<Output>>;
}

/** Any operation, where its input and output types do not matter. */
// biome-ignore lint/suspicious/noExplicitAny: a list of operations has many input types; run() checks inputs first.
export type Operation = Query<any, any> | Command<any, any>;

/** The result of running an operation. */
export interface Ran<Output> {
  readonly value: Output;
  /** The answer was remembered from an earlier run of the same request. */
  readonly replayed: boolean;
  /** The tag of what a command changed, as it left it. */
  readonly etag?: string | undefined;
}

/** Declares a read. It gets a scope that can only select. */
export function query<I extends z.ZodType, O extends z.ZodType>(
  contract: Contract<I, O>,
  run: (scope: ReadScope, input: z.output<I>) => Promise<z.output<O>>,
  options: Pick<Query, "isLong"> = {},
): Query<I, O> {
  return { ...contract, ...options, kind: "query", run };
}

/** Declares a read of many rows that agree, and a paper that is drawn from them. */
export function queryDrawn<I extends z.ZodType, O extends z.ZodType, Facts>(
  contract: Contract<I, O>,
  run: (scope: ReadScope, input: z.output<I>) => Promise<Facts>,
  draw: (facts: Facts, signal: AbortSignal | undefined) => Promise<z.output<O>>,
): Query<I, O> {
  return { ...contract, kind: "query", run, draw: (facts, signal) => draw(facts as Facts, signal) };
}

/** Declares a write. It runs inside the one open transaction; throwing rolls all of it back. */
export function command<I extends z.ZodType, O extends z.ZodType>(
  contract: Contract<I, O>,
  run: (scope: WriteScope, input: z.output<I>) => Promise<z.output<O>>,
): Command<I, O> {
  return { ...contract, kind: "command", run };
}

/** Declares a write whose answer is made outside the transaction, from the result of `run`. */
export function commandThen<I extends z.ZodType, O extends z.ZodType, Done>(
  contract: Contract<I, O>,
  run: (scope: WriteScope, input: z.output<I>) => Promise<Done>,
  answer: (scope: ReadScope, input: z.output<I>, done: Done) => Promise<z.output<O>>,
): Command<I, O> {
  return { ...contract, kind: "command", run, answer: (scope, input, done) => answer(scope, input, done as Done) };
}

/**
 * Declares a write with slow work before its transaction; what that work read may be out of date when `run` gets it.
 */
export function commandAfter<I extends z.ZodType, O extends z.ZodType, Prepared>(
  contract: Contract<I, O>,
  prepare: (scope: PrepareScope, input: z.output<I>) => Promise<Prepared>,
  run: (scope: WriteScope, input: z.output<I>, prepared: Prepared) => Promise<z.output<O>>,
  options: Pick<Command, "takesTurn"> = {},
): Command<I, O> {
  return {
    ...contract,
    ...options,
    kind: "command",
    prepare,
    run: (scope, input, prepared) => run(scope, input, prepared as Prepared),
  };
}

/** Validates an input against an operation's schema, or refuses with every problem found, as paths. */
export function parseInput<I extends z.ZodType>(schema: I, input: unknown): z.output<I> {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  return refuseInput(parsed.error.issues.flatMap(problemsOf));
}

const UNKNOWN = "unrecognized_keys";

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === UNKNOWN) {
    return issue.keys.map((key) => problem(pathOf([...issue.path, key]), common.is_unknown_field));
  }
  if (issue.code === "invalid_union") {
    // Of several forms the one that the value has: its own parts are at fault.
    const own = issue.errors.find((issues) => issues.every(({ code, path }) => path.length > 0 || code === UNKNOWN));
    if (own) return own.flatMap((inner) => problemsOf({ ...inner, path: [...issue.path, ...inner.path] }));
  }
  return [problem(pathOf(issue.path), textOf(issue))];
}

/** The sentence for a failed check. Our own checks name theirs; each zod check that a schema uses has one here. */
function textOf(issue: z.core.$ZodIssue): Text {
  if (issue.input === undefined) return common.is_required;
  switch (issue.code) {
    case "custom":
      return (issue.params?.text as Text | undefined) ?? common.is_not_valid;
    case "invalid_type":
      return common.must_be_of_type[issue.expected as keyof typeof common.must_be_of_type];
    case "invalid_value":
      return common.must_be_one_of({ values: issue.values });
    case "invalid_format":
      return issue.format === "uuid" ? common.must_be_uuid : common.is_not_valid;
    case "too_small":
      if (typeof issue.input !== "number") return common.must_not_be_empty;
      return common.must_be_at_least({ min: Number(issue.minimum) });
    case "too_big": {
      const max = Number(issue.maximum);
      if (issue.origin === "array") return common.has_too_many_items({ max });
      return issue.origin === "string" ? common.has_too_many_characters({ max }) : common.must_be_at_most({ max });
    }
    default:
      return common.is_not_valid;
  }
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : text ? `${text}.${String(step)}` : String(step)),
    "",
  );
}
