/**
 * Strict JSON. `JSON.parse` accepts input that must never become an invoice: repeated members (the last one wins), a
 * million nested lists. One cheap scan before it and one walk after it refuse these.
 */
import { problem, refuse, refuseInput } from "../core/runtime/errors.ts";
import { common } from "../core/runtime/refusals.ts";
import { t } from "./refusals.ts";

const MAX_DEPTH = 32;

/** The largest valid document has about 11,000; far more would only make the list of problems long and slow. */
const MAX_MEMBERS = 20_000;

/** Names with a meaning of their own on JavaScript objects. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const BYTE_ORDER_MARK = 0xfeff;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Parses UTF-8 JSON in linear time. Refuses with `invalid_request`: bytes that are not UTF-8, a byte order mark, more
 * than 32 levels or 20,000 members, a repeated member, and members named `__proto__`, `constructor` or `prototype`.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) refuse("invalid_request", t.body_has_byte_order_mark);
  const written = membersWritten(bytes);
  if (written > MAX_MEMBERS) refuse("invalid_request", t.body_has_too_many_members({ max: MAX_MEMBERS }));
  const value = parse(text);
  if (membersKept(value) < written) refuseInput([problem(repeatedMember(text), common.is_repeated)]);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return refuse("invalid_request", t.body_not_utf8);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse("invalid_request", t.body_not_json({ reason: (error as SyntaxError).message }));
  }
}

/** Counts the members of all objects in a text, by its bytes, which are read faster. Refuses deep nesting. */
function membersWritten(bytes: Uint8Array): number {
  let depth = 0;
  let members = 0;
  let isInString = false;
  for (let i = 0; i < bytes.length; i++) {
    const character = bytes[i];
    if (character === QUOTE) isInString = !isInString;
    else if (isInString) i += character === BACKSLASH ? 1 : 0;
    else if (character === COLON) members++;
    else if (character === OPEN_OBJECT || character === OPEN_LIST) {
      if (++depth > MAX_DEPTH) refuse("invalid_request", t.body_too_deep({ max: MAX_DEPTH }));
    } else if (character === CLOSE_OBJECT || character === CLOSE_LIST) depth--;
  }
  return members;
}

/** The index of the quote that closes the string opened at `start`, or the length of the text if none does. */
function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
  } while (isEscaped(text, end));
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/** Counts the members of all objects in the value. Refuses forbidden names. */
function membersKept(value: unknown): number {
  if (value === null || typeof value !== "object") return 0;
  if (Array.isArray(value)) return value.reduce((members: number, item) => members + membersKept(item), 0);
  let members = 0;
  for (const [name, member] of Object.entries(value)) {
    if (FORBIDDEN_NAMES.has(name)) refuseInput([problem(name, common.is_unknown_field)]);
    members += 1 + membersKept(member);
  }
  return members;
}

/** An object or list that contains the current position of the scan. */
interface Open {
  readonly path: string;
  /** The names found so far; undefined in a list. */
  readonly names: Set<string> | undefined;
  /** In an object: the next string is a name. */
  beforeName: boolean;
  name: string;
  index: number;
}

/** The path of the first repeated member. The text must be valid JSON with one. */
function repeatedMember(text: string): string {
  const open: Open[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    const inside = open.at(-1);
    if (character === OPEN_OBJECT || character === OPEN_LIST) {
      const names = character === OPEN_OBJECT ? new Set<string>() : undefined;
      open.push({ path: pathAt(inside), names, beforeName: true, name: "", index: 0 });
    } else if (character === CLOSE_OBJECT || character === CLOSE_LIST) {
      open.pop();
    } else if (character === COMMA && inside) {
      inside.beforeName = true;
      inside.index++;
    } else if (character === QUOTE) {
      const end = endOfString(text, i);
      if (inside?.names && inside.beforeName) {
        inside.name = JSON.parse(text.slice(i, end + 1));
        if (inside.names.has(inside.name)) return pathAt(inside);
        inside.names.add(inside.name);
        inside.beforeName = false;
      }
      i = end;
    }
  }
  return "";
}

function pathAt(inside: Open | undefined): string {
  if (!inside) return "";
  if (!inside.names) return `${inside.path}[${inside.index}]`;
  return inside.path ? `${inside.path}.${inside.name}` : inside.name;
}
