/**
 * The unfinished document: compared with what was saved, and kept in this tab while the page is away: reloaded, or its
 * session ended. It is kept for the person who wrote it, in their company; it comes back once, and only to them.
 */
import { batch, type Signal } from "@preact/signals";
import { company, session } from "../session.ts";
import { type Line, newLine } from "./line.ts";
import { PLACE, type Reference, referenceTo, storedOf, type Writing } from "./writing.ts";

const PREFIX = "lacre.writing.";

/** The name under which the signed-in person's writing is kept; only called while somebody is signed in. */
export const keptAs = (): string => `${PREFIX}${session.peek()?.user.id}.${company.peek()?.id}`;

/** The content, but for lines, references and transport. */
const CONTENT = [
  "doc_type",
  "customer",
  "issue_date",
  "due_date",
  "valid_until",
  "supply_date",
  "discount",
  "discount_amount",
  "notes",
  "series_id",
  "payments",
] as const satisfies readonly (keyof Writing)[];
/** The fields of the document that are kept unchanged. */
const FIELDS = [...CONTENT, "draft_id", "entry", "saved"] as const satisfies readonly (keyof Writing)[];
const JOURNEY = ["travels", "start_at", "end_at", "vehicle"] as const satisfies readonly (keyof Writing["transport"])[];
const LINE_FIELDS = [
  "description",
  "qty",
  "unit",
  "typedPrice",
  "discount",
  "rate",
  "atZero",
  "exemption",
] as const satisfies readonly (keyof Line)[];

type Values = Readonly<Record<string, unknown>>;

interface Kept {
  /** The fields of the address under which it was written. */
  readonly address: string;
  readonly fields: Values;
  readonly lines: readonly { readonly start: Line["start"]; readonly fields: Values }[];
  readonly references: readonly { readonly document: Reference["document"]; readonly texts: readonly string[] }[];
  readonly journey: Values;
  /** Of loading and of unloading. */
  readonly places: readonly [from: Values, to: Values];
  readonly filled: Writing["transport"]["filled"];
}

type Signals = Readonly<Record<string, Signal<unknown>>>;

const valuesOf = (of: object, names: readonly string[]): Values =>
  Object.fromEntries(names.map((name) => [name, (of as Signals)[name]?.peek()]));

function put(into: object, names: readonly string[], values: Values): void {
  for (const name of names) {
    const held = (into as Signals)[name];
    if (held) held.value = values[name];
  }
}

function writtenIn(writing: Writing, names: readonly string[]): Omit<Kept, "address"> {
  const { from, to, filled } = writing.transport;
  return {
    fields: valuesOf(writing, names),
    lines: writing.lines.peek().map((line) => ({ start: line.start, fields: valuesOf(line, LINE_FIELDS) })),
    references: writing.references
      .peek()
      .map(({ document, amount, reason }) => ({ document, texts: [amount.peek(), reason.peek()] })),
    journey: valuesOf(writing.transport, JOURNEY),
    places: [valuesOf(from, PLACE), valuesOf(to, PLACE)],
    filled,
  };
}

/** The whole content, to detect changes; without what the page itself filled into the places. */
export function snapshotOf(writing: Writing): string {
  const { fields, places, filled, ...others } = writtenIn(writing, CONTENT);
  const customer = writing.customer.peek();
  const typed = [filled.from, filled.to].map((own, end) =>
    PLACE.map((field) => places[end]?.[field] !== own[field] && places[end]?.[field]),
  );
  return JSON.stringify([{ ...fields, customer: storedOf(customer)?.id ?? customer }, others, typed]);
}

/** Keeps the unfinished document. */
export function keepWriting(name: string, address: string, writing: Writing): void {
  const kept: Kept = { address, ...writtenIn(writing, FIELDS) };
  sessionStorage.setItem(name, JSON.stringify(kept));
}

/** Forgets the document kept under a name. */
export const forgetWriting = (name: string): void => sessionStorage.removeItem(name);

/** Restores, once, what was kept under this address, and drops everything else. Returns whether there was anything. */
export function takeUpWriting(writing: Writing, address: string): boolean {
  const name = keptAs();
  const text = sessionStorage.getItem(name);
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) forgetWriting(key);
  const kept = text ? (JSON.parse(text) as Kept) : undefined;
  if (kept?.address !== address) return false;
  batch(() => {
    put(writing, FIELDS, kept.fields);
    writing.lines.value = kept.lines.map(({ start, fields }) => {
      const line = newLine(start);
      put(line, LINE_FIELDS, fields);
      return line;
    });
    writing.references.value = kept.references.map(({ document, texts }) => referenceTo(document, ...texts));
    const { transport } = writing;
    put(transport, JOURNEY, kept.journey);
    put(transport.from, PLACE, kept.places[0]);
    put(transport.to, PLACE, kept.places[1]);
    transport.filled = kept.filled;
  });
  return true;
}
