/**
 * XML as a stream: bytes in, elements out, memory flat however long the file is. Only what SAF-T needs: no document
 * type (and with it no entities of its own), UTF-8 or Windows-1252, and bounds on depth and on the length of one piece.
 */
import { SaxesParser } from "saxes";
import { fromLatin1, gapIn } from "./windows-1252.ts";

/** Opens the same bytes from their beginning each time it is called. */
export type OpenBytes = () => AsyncIterable<Uint8Array>;

/** The text is not what an XML file may hold. The message says where; `line` and `column` count from 1. */
export class XmlError extends Error {
  readonly line: number;

  constructor(reason: string, line: number, column: number) {
    super(`Line ${line}, column ${column}: ${reason}`);
    this.name = "XmlError";
    this.line = line;
  }
}

/** A start tag. */
export interface StartTag {
  readonly namespace: string;
  readonly name: string;
  readonly line: number;
  /** Its attributes but for namespace declarations, each as `{namespace}name`. */
  readonly attributes: readonly string[];
}

/** What happens on the way through a file. */
export interface XmlHandler {
  open(tag: StartTag): void;
  /** Text or CDATA; one text may come in parts. */
  text(text: string): void;
  close(): void;
}

/** Far deeper than SAF-T goes. */
const MAX_DEPTH = 32;
/** The longest text, tag or comment, in characters: what a parser must hold at once. */
const MAX_PIECE = 1 << 20;
/** What is decoded and parsed at a time, in bytes. */
const BITE = 1 << 16;

const NAMESPACE_DECLARATIONS = "http://www.w3.org/2000/xmlns/";

/** Walks a file from beginning to end. Throws `XmlError` at the first thing that is not well-formed or out of bounds. */
export async function walkXml(open: OpenBytes, handler: XmlHandler): Promise<void> {
  const parser = new SaxesParser({ xmlns: true });
  let depth = 0;
  let latest = 0;
  const fail = (message: string): never => {
    throw new XmlError(message, parser.line, parser.column + 1);
  };
  const seen = () => {
    latest = parser.position;
  };

  parser.on("error", (error) => fail(sentenceOf(error)));
  parser.on("doctype", () => fail("The file has a document type (DOCTYPE), which SAF-T never has; it is not read."));
  parser.on("comment", seen);
  parser.on("processinginstruction", seen);
  parser.on("opentag", ({ uri, local, attributes }) => {
    seen();
    if (++depth > MAX_DEPTH) fail(`Elements are nested more than ${MAX_DEPTH} deep.`);
    const others = Object.values(attributes).filter((one) => one.uri !== NAMESPACE_DECLARATIONS);
    const names = others.map((one) => `{${one.uri}}${one.local}`);
    handler.open({ namespace: uri, name: local, line: parser.line, attributes: names });
  });
  parser.on("closetag", () => {
    seen();
    depth--;
    handler.close();
  });
  for (const kind of ["text", "cdata"] as const) {
    parser.on(kind, (text) => {
      seen();
      handler.text(text);
    });
  }

  for await (const { text, broken } of decoded(open())) {
    parser.write(text);
    if (broken !== undefined) fail(broken);
    if (parser.position - latest > MAX_PIECE) fail(`A text, tag or comment is longer than ${MAX_PIECE} characters.`);
  }
  parser.close();
}

/** saxes says `3:14: disallowed character in entity name.`; the place is told apart. */
function sentenceOf({ message }: Error): string {
  const sentence = message.replace(/^\d+:\d+: /, "");
  return `The XML is not well-formed: ${sentence.replace(/\.$/, "")}.`;
}

// ——— Bytes to text ———

/** A piece of text; `broken` says why it ends where it does, when what follows cannot be read. */
interface Piece {
  readonly text: string;
  readonly broken?: string;
}

type Decode = (bytes: Uint8Array, isLast: boolean) => Piece;

/** The declaration stands within the first bytes. */
const HEAD = 256;

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  let decode: Decode | undefined;
  let head = new Uint8Array();
  for await (const chunk of bytes) {
    let rest = chunk;
    if (!decode) {
      head = Buffer.concat([head, chunk]);
      if (head.length < HEAD) continue;
      decode = decoderOf(head);
      rest = head;
    }
    for (let at = 0; at < rest.length; at += BITE) yield decode(rest.subarray(at, at + BITE), false);
  }
  yield decode ? decode(new Uint8Array(), true) : decoderOf(head)(head, true);
}

const DECODERS: ReadonlyMap<string, () => Decode> = new Map([
  ["utf-8", utf8],
  ["us-ascii", utf8],
  ["windows-1252", windows1252],
  // Windows-1252 differs from ISO-8859-1 only where the latter has control characters.
  ["iso-8859-1", windows1252],
]);

/** The decoder the file itself asks for: by its byte order mark, else by its declaration, else UTF-8 as XML says. */
function decoderOf(head: Uint8Array): Decode {
  const start = Buffer.from(head.subarray(0, HEAD)).toString("latin1");
  const hasMark = start.startsWith("\xef\xbb\xbf");
  const declared = /^<\?xml[^>]{1,200}?encoding\s?=\s?["']([\w.-]{1,40})["']/.exec(
    hasMark ? start.slice(3) : start,
  )?.[1];
  const name = /^(?:\xff\xfe|\xfe\xff)/.test(start) ? "UTF-16" : (declared ?? "UTF-8");
  const make = DECODERS.get(name.toLowerCase());
  if (!make) return () => ({ text: "", broken: `The encoding ${name} is not read; SAF-T (PT) is in Windows-1252.` });
  if (hasMark && make !== utf8) {
    return () => ({ text: "", broken: `The file says it is in ${declared}, but begins with the mark of UTF-8.` });
  }
  return make();
}

function utf8(): Decode {
  const strict = new TextDecoder("utf-8", { fatal: true });
  const lenient = new TextDecoder("utf-8");
  return (bytes, isLast) => {
    const text = lenient.decode(bytes, { stream: !isLast });
    try {
      strict.decode(bytes, { stream: !isLast });
      return { text };
    } catch {
      return { text: text.slice(0, text.indexOf("\ufffd")), broken: "There are bytes here that are not UTF-8." };
    }
  };
}

function windows1252(): Decode {
  return (bytes) => {
    const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    const gap = gapIn(latin1);
    if (gap === -1) return { text: fromLatin1(latin1) };
    const broken = "There is a byte here that is no character of Windows-1252.";
    return { text: fromLatin1(latin1.slice(0, gap)), broken };
  };
}
