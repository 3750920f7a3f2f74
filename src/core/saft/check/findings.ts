/** The findings of a check: sentences with their place. The first are kept, all are counted. */
import { pathOf, type SaftElement, textAt } from "../read.ts";
import { TABLES } from "../vocabulary.ts";

/** The kind of rule that a finding is about. */
export type SaftRule =
  | "xml"
  | "structure"
  | "key"
  | "reference"
  | "assert"
  | "internal_code"
  | "sequence"
  | "date"
  | "signature"
  | "sum"
  | "control_total";

/** One error or warning about a SAF-T file, and its place. */
export interface SaftFinding {
  readonly rule: SaftRule;
  /** The line of the file, from 1. */
  readonly line: number;
  /** The element: `AuditFile/SourceDocuments/SalesInvoices/Invoice/CustomerID`; empty when the XML itself is broken. */
  readonly path: string;
  /** The number of the document that contains it; null outside documents. */
  readonly document: string | null;
  /** The problem, as a sentence. */
  readonly reason: string;
}

/** Findings of one severity. */
export interface Findings {
  readonly kept: readonly SaftFinding[];
  readonly count: number;
  /** Adds a finding that is always kept. */
  add(finding: SaftFinding): void;
  /** Adds a finding about an element; it is counted, and kept while there are few. */
  at(element: SaftElement, rule: SaftRule, reason: string): void;
}

/** Findings kept of each severity. */
const KEPT = 100;
/** The longest sentence or number kept, in characters: a file may have any text where a number belongs. */
const MAX_LENGTH = 500;

const cut = (text: string) => (text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text);

/** An empty collection. */
export function findings(): Findings {
  const kept: SaftFinding[] = [];
  let count = 0;
  return {
    kept,
    get count() {
      return count;
    },
    add(finding) {
      count++;
      kept.push(finding);
    },
    at(element, rule, reason) {
      // The path is built only for findings that are kept: a file may have a million of them.
      if (count >= KEPT) count++;
      else {
        const document = documentNumberOf(element);
        this.add({
          rule,
          line: element.line,
          path: cut(pathOf(element)),
          document: document && cut(document),
          reason: cut(reason),
        });
      }
    },
  };
}

const NUMBERS: ReadonlySet<string> = new Set(Object.values(TABLES).map(({ number }) => number));

function documentNumberOf(element: SaftElement): string | null {
  for (let one: SaftElement | undefined = element; one; one = one.parent) {
    for (const name of NUMBERS) {
      const number = one.name === name ? one.text : textAt(one, name);
      if (number !== undefined) return number;
    }
  }
  return null;
}
