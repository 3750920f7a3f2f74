/** Damages a file in one place: an element is left out, doubled, moved, renamed, or given another text. */
import fc from "fast-check";

/** One change; its numbers are taken modulo the number of choices. */
export interface Mutation {
  readonly kind: (typeof KINDS)[number];
  readonly element: number;
  readonly other: number;
  readonly text: string;
}

const KINDS = ["leave out", "double", "swap", "rename", "retext", "borrow", "attribute", "stray text"] as const;

/** Texts that some rules of the schema accept and others refuse. */
const TEXTS = [
  ..."|0|1|2|17|999|-1.00|+5|1,5|.5|5.|1e5| 7 |0.00|EUR|PT|PT-AC|XX|Desconhecido|M01|M01M99|m01".split("|"),
  ..."FT|NC|GR|RC|RG|N|A|F|P|1.04_01|2018-01-31|2018-02-30|2018-1-1|1999-12-31|2018-01-31Z|2018-01-31+01:00".split("|"),
  ..."2018-01-31T10:00:00|2018-01-31T24:00:00|2018-01-31T24:00:01|2018-01-31T10:00:00.5Z|2018-01-31T10:00|T A/1".split(
    "|",
  ),
  ..."T A/|TA/1|T  A/1|T A^/1|a/b|a/b/c|1-FTM a/1|1-FTD b a/1|1-FTX a/1|9.1|9.|2018-01-31 1 1|a b|12345|1234567".split(
    "|",
  ),
  ..."500000000|99999999|1000000000|500000000500000000|Lisboa 1/2|12345678901234567890123|1234567890123456789012345".split(
    "|",
  ),
  ...[
    2, 5, 6, 10, 11, 20, 21, 30, 31, 50, 51, 60, 61, 70, 71, 100, 101, 172, 173, 200, 201, 210, 211, 254, 255, 256,
  ].map((length) => "x".repeat(length)),
];

export const mutations: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(...KINDS, "retext", "retext"),
  element: fc.nat(),
  other: fc.nat(),
  text: fc.constantFrom(...TEXTS),
});

/** An element as the offsets of its tags. */
interface Span {
  readonly name: string;
  readonly start: number;
  /** After the start tag. */
  readonly inside: number;
  readonly children: Span[];
  readonly parent: Span | undefined;
  /** Before the end tag, and after it. */
  innerEnd: number;
  end: number;
}

/** All elements of a file in order; the file has no comments and no empty tags. */
function spansOf(xml: string): Span[] {
  const all: Span[] = [];
  let current: Span | undefined;
  for (const { 0: tag, 1: slash, 2: name = "", index } of xml.matchAll(/<(\/?)([A-Za-z]+)[^<>]*>/g)) {
    const after = index + tag.length;
    if (slash) {
      if (!current) throw new Error(`There is no <${name}> to close.`);
      Object.assign(current, { innerEnd: index, end: after });
      current = current.parent;
    } else {
      const span: Span = { name, start: index, inside: after, children: [], parent: current, innerEnd: 0, end: 0 };
      current?.children.push(span);
      all.push(span);
      current = span;
    }
  }
  return all;
}

/** Returns a function that makes damaged copies of a file. */
export function mutator(xml: string): (mutation: Mutation) => string {
  const [, ...spans] = spansOf(xml); // The root stays.
  // The XSD 1.0 schema for libxml2 takes the parts of ShipTo and ShipFrom once, in one order; SAF-T takes them freely.
  const movable = spans.filter(({ parent }) => parent?.name !== "ShipTo" && parent?.name !== "ShipFrom");
  const leaves = spans.filter(({ children }) => children.length === 0);
  const among = { retext: leaves, borrow: leaves, "stray text": spans.filter((span) => !leaves.includes(span)) };
  const pick = (from: readonly Span[], index: number) => from[index % from.length] as Span;

  return ({ kind, element, other, text }) => {
    const span = pick(kind in among ? among[kind as keyof typeof among] : movable, element);
    const splice = (from: number, to: number, by: string) => xml.slice(0, from) + by + xml.slice(to);
    const itself = xml.slice(span.start, span.end);
    const inner = xml.slice(span.inside, span.innerEnd);
    switch (kind) {
      case "leave out":
        return splice(span.start, span.end, "");
      case "double":
        return splice(span.end, span.end, itself);
      case "swap": {
        const siblings = span.parent?.children ?? [];
        const next = siblings[siblings.indexOf(span) + 1];
        if (!next) return splice(span.start, span.end, "");
        return splice(span.start, next.end, xml.slice(next.start, next.end) + itself);
      }
      case "rename": {
        const { name } = pick(spans, other);
        return splice(span.start, span.end, `<${name}>${inner}</${name}>`);
      }
      case "retext":
        return splice(span.inside, span.innerEnd, text);
      case "borrow": {
        const lender = pick(leaves, other);
        return splice(span.inside, span.innerEnd, xml.slice(lender.inside, lender.innerEnd));
      }
      case "attribute":
        return splice(span.inside - 1, span.inside - 1, ' x="y"');
      case "stray text":
        return splice(span.inside, span.inside, text);
    }
  };
}
