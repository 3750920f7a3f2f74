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

/** The kind of record that each field refers to: most fields have the name of its key. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ...Array.from(KEYS, ([kind, key]) => [key, kind] as const),
  ["GroupingCode", "Account"],
]);

/** The fields that refer to records. Records come before the fields, except that accounts refer to each other. */
const REFERENCES: ReadonlyMap<string, readonly string[]> = new Map([
  ["Account", ["GroupingCode"]],
  ["DebitLine", ["AccountID"]],
  ["CreditLine", ["AccountID"]],
  ["Transaction", ["CustomerID", "SupplierID"]],
  ["Invoice", ["CustomerID"]],
  ["StockMovement", ["CustomerID", "SupplierID"]],
  ["WorkDocument", ["CustomerID"]],
  ["Payment", ["CustomerID"]],
  ["Line", ["ProductCode"]],
]);

/** Longer keys are not remembered: the schema allows none of more than 70 characters. */
const MAX_KEY = 100;

/** Checks the keys. Its memory grows with the master files and the ledger's transactions, never with the documents. */
export function keysCheck(errors: Findings): SaftVisitor {
  const known = new Map(Array.from(KEYS.keys(), (kind) => [kind, new Set<string>()]));
  const later: SaftElement[] = [];

  const mustBeKnown = (field: SaftElement) => {
    const kind = KINDS.get(field.name) ?? "";
    if (known.get(kind)?.has(field.text)) return;
    errors.at(field, "key", `${field.name} is ${field.text}, but no ${kind} has this ${KEYS.get(kind)}.`);
  };

  const remember = (element: SaftElement, keys: Set<string>) => {
    const key = elementAt(element, KEYS.get(element.name) ?? "");
    if (!key) return;
    if (keys.has(key.text)) errors.at(key, "key", `More than one ${element.name} has the ${key.name} ${key.text}.`);
    if (key.text.length <= MAX_KEY) keys.add(key.text);
  };

  return {
    close(element) {
      const keys = known.get(element.name);
      if (keys) remember(element, keys);
      for (const name of REFERENCES.get(element.name) ?? []) {
        const field = elementAt(element, name);
        if (!field) continue;
        if (KINDS.get(name) === element.name && !keys?.has(field.text)) later.push(field);
        else mustBeKnown(field);
      }
      if (element.name === "GeneralLedgerAccounts") later.splice(0).forEach(mustBeKnown);
    },
  };
}
