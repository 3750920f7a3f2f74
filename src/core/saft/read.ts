/** Reads a SAF-T (PT) file as elements. Visitors see each as it opens and as it closes; closed records are released. */

import { t } from "./refusals.ts";
import { NAMESPACE } from "./vocabulary.ts";
import { type OpenBytes, parseXml, type StartTag, XmlError } from "./xml.ts";

/** An element with its contents so far. */
export interface SaftElement {
  /** Its name; outside the SAF-T namespace `{namespace}name`, which no rule knows. */
  readonly name: string;
  readonly line: number;
  readonly parent: SaftElement | undefined;
  /** The names of its attributes as `{namespace}name`. */
  readonly attributes: readonly string[];
  /** Its child elements, without closed records. */
  readonly children: SaftElement[];
  /** Its text; in an element with children only the text after the last child. */
  text: string;
  /** Whether it ever had a child, released ones included. */
  holds_elements: boolean;
  /** Whether it has both children and text. */
  is_mixed: boolean;
}

/** Called for each element, in the order of the file. */
export interface SaftVisitor {
  open?(element: SaftElement): void;
  close(element: SaftElement): void;
}

/** Elements that repeat without limit. Once closed they are removed from their parents, to keep memory constant. */
const RECORDS: ReadonlySet<string> = new Set([
  ...["Account", "Customer", "Supplier", "Product", "TaxTableEntry"],
  ...["Journal", "Transaction", "DebitLine", "CreditLine"],
  ...["Invoice", "StockMovement", "WorkDocument", "Payment", "Line"],
]);

/** The most elements in one record; a line of a document is a record of its own. */
const MAX_ELEMENTS = 100_000;
/** The most characters in one record, however many elements, CDATA sections and attributes share them. */
const MAX_CHARACTERS = 1 << 22;

/** Reads a SAF-T (PT) 1.04_01 file once. Throws `XmlError` when it is not well-formed, or not such a file. */
export async function readSaft(open: OpenBytes, visitor: SaftVisitor): Promise<void> {
  let current: SaftElement | undefined;
  // The contents of the open record, and the counts of each element around it when that was opened.
  let held = { elements: 0, characters: 0 };
  const heldBefore: (typeof held)[] = [];
  const hold = (more: typeof held, line: number) => {
    held = { elements: held.elements + more.elements, characters: held.characters + more.characters };
    if (held.elements > MAX_ELEMENTS)
      throw new XmlError(`One record contains more than ${MAX_ELEMENTS} elements.`, line, 1);
    if (held.characters > MAX_CHARACTERS)
      throw new XmlError(`One record contains more than ${MAX_CHARACTERS} characters.`, line, 1);
  };

  await parseXml(open, {
    open(tag) {
      if (!current) mustBeSaft(tag);
      heldBefore.push(held);
      hold({ elements: 1, characters: tag.name.length + tag.attributes.join().length }, tag.line);
      const element = elementOf(tag, current);
      if (current) {
        hold({ elements: 0, characters: -current.text.length }, tag.line);
        append(current, element);
      }
      current = element;
      visitor.open?.(element);
    },
    text(text) {
      if (!current) return;
      hold({ elements: 0, characters: text.length }, current.line);
      current.text += text;
    },
    close() {
      if (!current) return;
      const element = current;
      if (element.holds_elements && !isBlank(element.text)) element.is_mixed = true;
      visitor.close(element);
      const before = heldBefore.pop();
      if (before && RECORDS.has(element.name)) {
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
  const isOther = version !== undefined && name === "AuditFile";
  const reason = isOther ? t.file_is_other_saft({ version }) : t.file_is_not_saft({ root: name });
  throw new XmlError(reason, line, 1);
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

function append(parent: SaftElement, child: SaftElement): void {
  if (!isBlank(parent.text)) parent.is_mixed = true;
  parent.text = "";
  parent.holds_elements = true;
  parent.children.push(child);
}

function isBlank(text: string): boolean {
  return !/[^ \t\r\n]/.test(text);
}

/** The element at the end of a path of names (`DocumentTotals/NetTotal`), the first of several. */
export function elementAt(element: SaftElement, path: string): SaftElement | undefined {
  let found: SaftElement | undefined = element;
  for (const name of path.split("/")) found = found?.children.find((child) => child.name === name);
  return found;
}

/** The text of the element at the end of a path, unchanged. */
export function textAt(element: SaftElement, path: string): string | undefined {
  return elementAt(element, path)?.text;
}

/** The longest text quoted in a sentence. */
const MAX_QUOTED = 40;

/** A text, shortened if long. */
export function shortened(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

/** A text in quotes, shortened if long. */
export function quoted(text: string): string {
  return `"${shortened(text)}"`;
}

/** The path of an element: `AuditFile/MasterFiles/Customer/CustomerID`. */
export function pathOf({ parent, name }: SaftElement): string {
  return parent ? `${pathOf(parent)}/${name}` : name;
}
