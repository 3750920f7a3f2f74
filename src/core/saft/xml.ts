/**
 * Parses XML as a stream: bytes in, elements out, in constant memory. It supports what SAF-T needs:
 * no document type (and so no entities of its own), UTF-8 or Windows-1252, limited depth and limited length of a text.
 */
import { yieldToOthers } from "../runtime/ports.ts";
import type { Text } from "../texts/texts.ts";
import { t } from "./refusals.ts";
import { fromLatin1, undefinedIn } from "./windows-1252.ts";

/** Opens the bytes of a file, from the beginning each time it is called. */
export type OpenBytes = () => AsyncIterable<Uint8Array>;

/** A file is not well-formed or not supported. The message gives line and column, both counted from 1. */
export class XmlError extends Error {
  readonly line: number;
  /** What is wrong, for any language: the parser's own words, or a sentence of ours. */
  readonly sentence: Text;

  constructor(reason: string | Text, line: number, column: number) {
    const text = typeof reason === "string" ? reason : reason.in("en");
    super(`Line ${line}, column ${column}: ${text}`);
    this.name = "XmlError";
    this.line = line;
    this.sentence = typeof reason === "string" ? t.file_not_readable({ reason: this.message }) : reason;
  }
}

/** A start tag. */
export interface StartTag {
  readonly namespace: string;
  readonly name: string;
  readonly line: number;
  /** The names of its attributes, without namespace declarations, as `{namespace}name`. */
  readonly attributes: readonly string[];
}

/** Called for each tag and text, in the order of the file. */
export interface XmlHandler {
  open(tag: StartTag): void;
  /** Text or CDATA; a text may come in parts. */
  text(text: string): void;
  close(): void;
}

/** SAF-T files are far less deep. */
const MAX_DEPTH = 32;
/** The longest text, tag or comment, in characters: the parser holds it whole. */
const MAX_TOKEN = 1 << 20;
/** The longest name of an element with its namespace, in characters: names are in paths and sentences. */
const MAX_NAME = 1_000;
/** Bytes decoded and parsed at a time. */
const CHUNK = 1 << 16;

const NAMESPACE_DECLARATIONS = "http://www.w3.org/2000/xmlns/";

/**
 * Parses a file from beginning to end. Throws `XmlError` at the first place that is not well-formed or not supported.
 */
export async function parseXml(open: OpenBytes, handler: XmlHandler): Promise<void> {
  const { SaxesParser } = await import("saxes"); // it makes large expressions as it loads
  const parser = new SaxesParser({ xmlns: true });
  let depth = 0;
  let tokenStart = 0;
  const fail = (message: string): never => {
    throw new XmlError(message, parser.line, parser.column + 1);
  };
  const endToken = () => {
    tokenStart = parser.position;
  };

  parser.on("error", (error) => fail(sentenceOf(error)));
  parser.on("doctype", () => fail("The file has a document type (DOCTYPE); SAF-T files have none."));
  parser.on("comment", endToken);
  parser.on("processinginstruction", endToken);
  parser.on("opentag", ({ uri, local, attributes }) => {
    endToken();
    if (++depth > MAX_DEPTH) fail(`Elements are nested more than ${MAX_DEPTH} deep.`);
    if (uri.length + local.length > MAX_NAME) fail(`An element's name is longer than ${MAX_NAME} characters.`);
    const others = Object.values(attributes).filter((one) => one.uri !== NAMESPACE_DECLARATIONS);
    const names = others.map((one) => `{${one.uri}}${one.local}`);
    handler.open({ namespace: uri, name: local, line: parser.line, attributes: names });
  });
  parser.on("closetag", () => {
    endToken();
    depth--;
    handler.close();
  });
  for (const kind of ["text", "cdata"] as const) {
    parser.on(kind, (text) => {
      endToken();
      handler.text(text);
    });
  }

  for await (const { text, error } of decoded(open())) {
    parser.write(text);
    if (error !== undefined) fail(error);
    if (parser.position - tokenStart > MAX_TOKEN)
      fail(`A text, tag or comment is longer than ${MAX_TOKEN} characters.`);
    await yieldToOthers();
  }
  parser.close();
}

/** saxes writes `3:14: disallowed character in entity name.`; `XmlError` gives the place itself. */
function sentenceOf({ message }: Error): string {
  const sentence = message.replace(/^\d+:\d+: /, "");
  return `The XML is not well-formed: ${sentence.replace(/\.$/, "")}.`;
}

// ——— Bytes to text ———

/** Decoded text; `error` says why the bytes after it cannot be decoded. */
interface Decoded {
  readonly text: string;
  readonly error?: string;
}

type Decode = (bytes: Uint8Array, isLast: boolean) => Decoded;

/** The first bytes, which contain the declaration. */
const HEAD = 256;

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Decoded> {
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
    for (let at = 0; at < rest.length; at += CHUNK) yield decode(rest.subarray(at, at + CHUNK), false);
  }
  yield decode ? decode(new Uint8Array(), true) : decoderOf(head)(head, true);
}

const DECODERS: ReadonlyMap<string, () => Decode> = new Map([
  ["utf-8", utf8],
  ["us-ascii", utf8],
  ["windows-1252", windows1252],
  // ISO-8859-1 differs from Windows-1252 only in control characters, which XML files do not use.
  ["iso-8859-1", windows1252],
]);

/** The decoder of a file: by its byte order mark, else by its declaration, else UTF-8, the default of XML. */
function decoderOf(head: Uint8Array): Decode {
  const start = Buffer.from(head.subarray(0, HEAD)).toString("latin1");
  const hasMark = start.startsWith("\xef\xbb\xbf");
  const declared = /^<\?xml[^>]{1,200}?encoding\s?=\s?["']([\w.-]{1,40})["']/.exec(
    hasMark ? start.slice(3) : start,
  )?.[1];
  const name = /^(?:\xff\xfe|\xfe\xff)/.test(start) ? "UTF-16" : (declared ?? "UTF-8");
  const make = DECODERS.get(name.toLowerCase());
  if (!make) return () => ({ text: "", error: `The encoding ${name} is not supported; SAF-T (PT) uses Windows-1252.` });
  if (hasMark && make !== utf8) {
    return () => ({ text: "", error: `The file declares ${declared}, but begins with the byte order mark of UTF-8.` });
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
      return { text: text.slice(0, text.indexOf("\ufffd")), error: "The bytes here are not valid UTF-8." };
    }
  };
}

function windows1252(): Decode {
  return (bytes) => {
    const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    const end = undefinedIn(latin1);
    if (end === -1) return { text: fromLatin1(latin1) };
    const error = "The byte here is not a character of Windows-1252.";
    return { text: fromLatin1(latin1.slice(0, end)), error };
  };
}
