/** What a check finds: sentences with their place. The first are kept, all are counted. */
import { pathOf, type SaftElement, textAt } from "../read.ts";
import { TABLES } from "../vocabulary.ts";

/** What sort of rule a finding is about. */
export type SaftRule =
  | "xml"
  | "structure"
  | "key"
  | "assert"
  | "internal_code"
  | "sequence"
  | "date"
  | "signature"
  | "sum"
  | "control_total";

/** One thing that is wrong in a SAF-T file, and where. */
export interface SaftFinding {
  readonly rule: SaftRule;
  /** The line of the file, from 1. */
  readonly line: number;
  /** The element: `AuditFile/SourceDocuments/SalesInvoices/Invoice/CustomerID`; empty where XML itself breaks off. */
  readonly path: string;
  /** The number of the document it is in; null outside of documents. */
  readonly document: string | null;
  /** What is wrong, as a sentence. */
  readonly reason: string;
}

/** Findings of one severity. */
export interface Findings {
  readonly kept: readonly SaftFinding[];
  readonly count: number;
  /** Adds a finding that is always kept. */
  add(finding: SaftFinding): void;
  /** Adds what is wrong with an element; kept while there is room. */
  at(element: SaftElement, rule: SaftRule, reason: string): void;
}

/** How many findings are kept of each severity. */
const KEPT = 100;

/** A new, empty collection. */
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
      // The path is only made for what is kept: a broken file may break a million times.
      if (count >= KEPT) count++;
      else this.add({ rule, line: element.line, path: pathOf(element), document: documentOf(element), reason });
    },
  };
}

const NUMBERS: ReadonlySet<string> = new Set(Object.values(TABLES).map(({ number }) => number));

function documentOf(element: SaftElement): string | null {
  for (let one: SaftElement | undefined = element; one; one = one.parent) {
    for (const name of NUMBERS) {
      const number = one.name === name ? one.text : textAt(one, name);
      if (number !== undefined) return number;
    }
  }
  return null;
}
