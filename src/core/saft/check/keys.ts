/** The schema's keys: each must be unique, and each field that refers to a record must find it. */
import { elementAt, type SaftElement, type SaftVisitor } from "../read.ts";
import type { Findings } from "./findings.ts";

/** The key of each kind of record. Documents are not here: series.ts checks their numbers. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ["Account", "AccountID"],
  ["Customer", "CustomerID"],
  ["Supplier", "SupplierID"],
  ["Product", "ProductCode"],
  ["Journal", "JournalID"],
  ["Transaction", "TransactionID"],
]);

/** A field, and the kind of record it refers to. */
type Reference = readonly [field: string, kind: string];

/** The fields that refer to records. Records come before the fields, except that accounts refer to each other. */
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
    errors.at(field, "key", `${field.name} is ${field.text}, but no ${kind} has this ${KEYS.get(kind)}.`);
  };

  return {
    close(element) {
      const key = elementAt(element, KEYS.get(element.name) ?? "");
      const keys = known.get(element.name);
      if (key && keys) {
        if (keys.has(key.text)) errors.at(key, "key", `More than one ${element.name} has the ${key.name} ${key.text}.`);
        keys.add(key.text);
      }
      for (const [name, kind] of REFERENCES.get(element.name) ?? []) {
        const field = elementAt(element, name);
        if (field && kind === element.name && !keys?.has(field.text)) later.push(field);
        else if (field) mustBeKnown(field, kind);
      }
      if (element.name === "GeneralLedgerAccounts") for (const field of later.splice(0)) mustBeKnown(field, "Account");
    },
  };
}
