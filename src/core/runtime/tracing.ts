/**
 * Spans of OpenTelemetry: one for each operation, and one for each request (http/request-span.ts). They hold ids and
 * codes, never input or answers. Without the option none of this runs.
 */
import { VERSION } from "../version.ts";
import { ERRORS, type ErrorCode, LacreError } from "./errors.ts";
import type { Run } from "./run.ts";
import { NO_COMPANY } from "./scope.ts";

/** A context of OpenTelemetry: the work under way, and its span. */
interface Context {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): Context;
  deleteValue(key: symbol): Context;
}

interface Span {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: typeof FAILED }): unknown;
  updateName(name: string): unknown;
  end(): void;
}

interface Tracer {
  startSpan(
    name: string,
    options: { kind: typeof INTERNAL | typeof SERVER; attributes: Attributes },
    context: Context,
  ): Span;
}

/**
 * The part of `@opentelemetry/api` that Lacre uses. Give it the module itself:
 * `import * as opentelemetry from "@opentelemetry/api"`.
 */
export interface OpenTelemetry {
  readonly trace: {
    getTracer(name: string, version: string): Tracer;
    getSpan(context: Context): Span | undefined;
    setSpan(context: Context, span: Span): Context;
  };
  readonly context: {
    active(): Context;
    with<T>(context: Context, work: () => T): T;
    bind<Work>(context: Context, work: Work): Work;
  };
  readonly propagation: {
    extract<Carrier>(
      context: Context,
      carrier: Carrier,
      getter: { get(carrier: Carrier, name: string): string | undefined; keys(carrier: Carrier): string[] },
    ): Context;
  };
}

/** The attributes of a span: texts, numbers and booleans by their names. */
interface Attributes {
  [name: string]: string | number | boolean;
}

// SpanKind and SpanStatusCode of @opentelemetry/api.
const INTERNAL = 0;
const SERVER = 1;
const FAILED = 2;

/** How a span begins. */
interface Beginning {
  readonly name: string;
  readonly attributes: Attributes;
  /** The headers of a request, one of which may name the caller's span. */
  readonly header?: (name: string) => string | null;
}

/** How a span ended. */
interface Ending {
  /** A better name, if one was found. */
  readonly name?: string;
  readonly attributes: Attributes;
  readonly hasFailed: boolean;
}

/** The result of work, or what it threw. */
type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/** Makes spans. A failure of OpenTelemetry never fails the work. */
export interface Tracing {
  /** Runs work in a span, below the current one; or, without one, below the one that a header names. */
  inSpan<T>(beginning: Beginning, work: () => Promise<T>, ending: (outcome: Outcome<T>) => Ending): Promise<T>;
  /** Binds work that is called elsewhere to the current span. */
  bind<Work>(work: Work): Work;
}

/** Makes spans with the host's OpenTelemetry. */
export function tracingWith({ trace, context, propagation }: OpenTelemetry): Tracing {
  const tracer = trace.getTracer("lacre", VERSION);

  function begin({ name, attributes, header }: Beginning): { span: Span; within: Context } {
    const active = context.active();
    // The host's own instrumentation has read the headers if it has a span for the request.
    const isOutermost = header !== undefined && trace.getSpan(active) === undefined;
    const getter = { get: (_: unknown, name: string) => header?.(name) ?? undefined, keys: () => [] };
    const parent = isOutermost ? propagation.extract(active, undefined, getter) : active;
    const span = tracer.startSpan(name, { kind: isOutermost ? SERVER : INTERNAL, attributes }, parent);
    return { span, within: trace.setSpan(parent, span) };
  }

  /** Runs work in a context, or without it if that fails; never twice. */
  function entered<T>(within: Context, work: () => Promise<T>): Promise<T> {
    let running: Promise<T> | undefined;
    quietly(() =>
      context.with(within, () => {
        running = started(work);
      }),
    );
    return running ?? work();
  }

  async function inSpan<T>(beginning: Beginning, work: () => Promise<T>, ending: (outcome: Outcome<T>) => Ending) {
    const begun = quietly(() => begin(beginning));
    if (!begun) return work();
    const end = (outcome: Outcome<T>) => quietly(() => finish(begun.span, ending(outcome)));
    try {
      const value = await entered(begun.within, work);
      end({ value });
      return value;
    } catch (error) {
      end({ error });
      throw error;
    }
  }

  return { inSpan, bind: (work) => quietly(() => context.bind(context.active(), work)) ?? work };
}

function finish(span: Span, { name, attributes, hasFailed }: Ending): void {
  span.setAttributes(attributes);
  if (name !== undefined) span.updateName(name);
  if (hasFailed) span.setStatus({ code: FAILED });
  span.end();
}

/** Starts work; what it throws at once becomes a rejection. */
async function started<T>(work: () => Promise<T>): Promise<T> {
  return work();
}

/** The result of a step; undefined if it throws. */
function quietly<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}

/** The same function, with a span for each operation; unchanged without tracing. */
export function tracedRun(run: Run, tracing: Tracing | undefined): Run {
  if (!tracing) return run;
  return (caller, operation, input, options) => {
    const { company_id } = caller;
    const beginning = {
      name: operation.id,
      attributes: {
        "lacre.operation.id": operation.id,
        ...(company_id !== NO_COMPANY && { "lacre.company.id": company_id }),
      },
    };
    return tracing.inSpan(
      beginning,
      () => run(caller, operation, input, options),
      (outcome) => {
        if ("value" in outcome) {
          return { attributes: outcome.value.replayed ? { "lacre.replayed": true } : {}, hasFailed: false };
        }
        if (options?.signal?.aborted) return { attributes: {}, hasFailed: false }; // nobody waits for it
        return endingWith(outcome.error instanceof LacreError ? outcome.error.code : "internal_error");
      },
    );
  };
}

/**
 * The end of a span with an error. A refusal is an ordinary answer; an error that is not the caller's fault is a
 * failure.
 */
function endingWith(code: ErrorCode): Ending {
  const kind = ERRORS[code];
  const hasFailed = kind === "internal" || kind === "unavailable";
  return { attributes: { "lacre.error.code": code, ...(hasFailed && { "error.type": code }) }, hasFailed };
}
