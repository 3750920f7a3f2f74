/** What must be there once, and what must be there at all: the schema's keys and the fields that name them. */
import { at, type SaftElement, type SaftVisitor } from "../read.ts";
import type { Findings } from "./findings.ts";

/** The field that tells the records of a kind apart. Documents are not here: their numbers are a matter of series. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ["Account", "AccountID"],
  ["Customer", "CustomerID"],
  ["Supplier", "SupplierID"],
  ["Product", "ProductCode"],
  ["Journal", "JournalID"],
  ["Transaction", "TransactionID"],
]);

/** A field, and the kind of record it names. */
type Reference = readonly [field: string, kind: string];

/** What names records. All kinds stand before what names them, but accounts name each other. */
const REFERENCES: ReadonlyMap<string, readonly Reference[]> = new Map<string, Reference[]>([
  ["Account", [["GroupingCode", "Account"]]],
  ["DebitLine", [["AccountID", "Account"]]],
  ["CreditLine", [["AccountID", "Account"]]],
  [
    "Transaction",
    [
      ["CustomerID", "Customer"],
      ["SupplierID", "Supplier"],
    ],
  ],
  ["Invoice", [["CustomerID", "Customer"]]],
  [
    "StockMovement",
    [
      ["CustomerID", "Customer"],
      ["SupplierID", "Supplier"],
    ],
  ],
  ["WorkDocument", [["CustomerID", "Customer"]]],
  ["Payment", [["CustomerID", "Customer"]]],
  ["Line", [["ProductCode", "Product"]]],
]);

/** Checks the keys. Its memory grows with the master files and the ledger's transactions, never with the documents. */
export function keysCheck(errors: Findings): SaftVisitor {
  const known = new Map(Array.from(KEYS.keys(), (kind) => [kind, new Set<string>()]));
  const later: SaftElement[] = [];

  const mustBeKnown = (field: SaftElement, kind: string) => {
    if (known.get(kind)?.has(field.text)) return;
    errors.at(field, "key", `There is no ${kind} with the ${KEYS.get(kind)} ${field.text} that ${field.name} names.`);
  };

  return {
    close(element) {
      const key = at(element, KEYS.get(element.name) ?? "");
      const keys = known.get(element.name);
      if (key && keys) {
        if (keys.has(key.text)) errors.at(key, "key", `A second ${element.name} has the ${key.name} ${key.text}.`);
        keys.add(key.text);
      }
      for (const [name, kind] of REFERENCES.get(element.name) ?? []) {
        const field = at(element, name);
        if (field && kind === element.name && !keys?.has(field.text)) later.push(field);
        else if (field) mustBeKnown(field, kind);
      }
      if (element.name === "GeneralLedgerAccounts") for (const field of later.splice(0)) mustBeKnown(field, "Account");
    },
  };
}
