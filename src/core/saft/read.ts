/** A SAF-T (PT) file as elements: each is seen when it opens and when it is whole, and records are let go at once. */
import { NAMESPACE } from "./vocabulary.ts";
import { type OpenBytes, type StartTag, walkXml, XmlError } from "./xml.ts";

/** An element with what it holds so far. */
export interface SaftElement {
  /** Its name; one of another namespace carries that in braces and is unknown to every rule. */
  readonly name: string;
  readonly line: number;
  readonly parent: SaftElement | undefined;
  /** The attributes as `{namespace}name`. */
  readonly attributes: readonly string[];
  /** The elements inside, but for the records: those were seen and let go. */
  readonly children: SaftElement[];
  /** The text inside; of an element with others inside, only what stands after the last. */
  text: string;
  /** Whether there was ever an element inside. */
  holds_elements: boolean;
  /** Whether there is text beside the elements inside. */
  is_mixed: boolean;
}

/** What is done on the way. Both are called in the order of the file. */
export interface SaftVisitor {
  open?(element: SaftElement): void;
  close(element: SaftElement): void;
}

/** The elements that repeat without end. Once closed they are taken out of their parents: memory stays flat. */
const RECORDS: ReadonlySet<string> = new Set([
  ...["Account", "Customer", "Supplier", "Product", "TaxTableEntry"],
  ...["Journal", "Transaction", "DebitLine", "CreditLine"],
  ...["Invoice", "StockMovement", "WorkDocument", "Payment", "Line"],
]);

/** How many elements one record may hold; a line of a document is a record of its own. */
const MAX_ELEMENTS = 100_000;

/**
 * Walks a SAF-T (PT) 1.04_01 file once. Throws `XmlError` when it is not well-formed, or not such a file at all.
 */
export async function readSaft(open: OpenBytes, visitor: SaftVisitor): Promise<void> {
  let current: SaftElement | undefined;
  let held = 0;
  const held_before: number[] = [];

  await walkXml(open, {
    open(tag) {
      if (!current) mustBeSaft(tag);
      held_before.push(held);
      if (++held > MAX_ELEMENTS)
        throw new XmlError(`One record holds more than ${MAX_ELEMENTS} elements.`, tag.line, 1);
      const element = elementOf(tag, current);
      if (current) adopt(current, element);
      current = element;
      visitor.open?.(element);
    },
    text(text) {
      if (current) current.text += text;
    },
    close() {
      if (!current) return;
      const element = current;
      if (element.holds_elements && !isBlank(element.text)) element.is_mixed = true;
      visitor.close(element);
      const before = held_before.pop() ?? 0;
      if (RECORDS.has(element.name)) {
        element.parent?.children.pop();
        held = before;
      }
      current = element.parent;
    },
  });
}

function mustBeSaft({ namespace, name, line }: StartTag): void {
  if (namespace === NAMESPACE && name === "AuditFile") return;
  const [, version] = /^urn:OECD:StandardAuditFile-Tax:(.{1,40})$/.exec(namespace) ?? [];
  throw new XmlError(
    version === undefined || name !== "AuditFile"
      ? `This is not a SAF-T (PT) file: its root is ${name}, not AuditFile of ${NAMESPACE}.`
      : `This file is SAF-T ${version}; only PT_1.04_01 is read.`,
    line,
    1,
  );
}

function elementOf({ namespace, name, line, attributes }: StartTag, parent: SaftElement | undefined): SaftElement {
  return {
    name: namespace === NAMESPACE ? name : `{${namespace}}${name}`,
    line,
    parent,
    attributes,
    children: [],
    text: "",
    holds_elements: false,
    is_mixed: false,
  };
}

function adopt(parent: SaftElement, child: SaftElement): void {
  if (!isBlank(parent.text)) parent.is_mixed = true;
  parent.text = "";
  parent.holds_elements = true;
  parent.children.push(child);
}

function isBlank(text: string): boolean {
  return !/[^ \t\r\n]/.test(text);
}

/** The element at the end of a path of names (`DocumentTotals/NetTotal`), the first where there are several. */
export function at(element: SaftElement, path: string): SaftElement | undefined {
  let found: SaftElement | undefined = element;
  for (const name of path.split("/")) found = found?.children.find((child) => child.name === name);
  return found;
}

/** The text at the end of a path, as it stands. */
export function textAt(element: SaftElement, path: string): string | undefined {
  return at(element, path)?.text;
}

/** The longest text repeated in a sentence. */
const SHOWN = 40;

/** A text in quotes, cut where it is long. */
export function quoted(text: string): string {
  return `"${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}"`;
}

/** Where an element stands: `AuditFile/MasterFiles/Customer/CustomerID`. */
export function pathOf({ parent, name }: SaftElement): string {
  return parent ? `${pathOf(parent)}/${name}` : name;
}
