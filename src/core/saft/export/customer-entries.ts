/** The customers of the master files: one entry for each combination of customer, tax number and name. */
import { hash } from "node:crypto";
import type { CustomerSnapshot } from "../../documents/document.ts";
import { parseCustomer } from "../../documents/frozen.ts";
import { countryCode } from "../../fiscal/countries.ts";
import { memoized } from "../../fiscal/memoized.ts";
import { exportedTaxId } from "../../fiscal/tax-id.ts";
import { UNKNOWN } from "../vocabulary.ts";
import { column } from "./columns.ts";
import { type EntrySource, entryBatches, latestSources } from "./entries.ts";
import { address, content, element, optional } from "./markup.ts";
import type { EntryReader } from "./types.ts";
import { customerWarnings, type Warnings } from "./warnings.ts";

/** An empty collection. */
export function customerEntries(warnings: Warnings) {
  const ids = customerIds();
  const latest = latestSources();
  const entryAt = column(Uint32Array);
  const warn = customerWarnings(warnings);

  // Most documents of a customer carry exactly the same snapshot.
  const entryOf = memoized((snapshot) => {
    const customer = parseCustomer(snapshot);
    const entry = ids.entryOf(customer);
    warn(ids.idOf(entry), customer, snapshot);
    return entry;
  });

  return {
    size: ids.size,
    /** The CustomerID of the document at a position. */
    idAt: (position: number) => ids.idOf(entryAt.get(position)),
    add(snapshot: string, source: EntrySource): void {
      const entry = entryOf(snapshot);
      entryAt.set(source.position, entry);
      latest.add(entry, source);
    },
    async *write(reader: EntryReader) {
      for (const batch of entryBatches(ids.size())) {
        const snapshots = await reader.customers(batch.map(latest.positionOf));
        yield snapshots.map((snapshot, i) => customerXml(ids.idOf(batch[i] as number), parseCustomer(snapshot)));
      }
    },
  };
}

/** Entries and their CustomerIDs: the first entry of a customer has the customer's code, further ones `-2`, `-3`. */
function customerIds() {
  let size = 0;
  // First entries with a code like C17, as columns: 17 and a digest of the identity, and in row 17 the entry plus 1.
  const [numbers, digests] = [column(Uint32Array), column()];
  const firsts = column(Uint32Array);
  // Further entries, and first ones with a code of another form.
  const others = new Map<string, number>();
  const otherIds = new Map<number, string>();
  const counts = new Map<string, number>();

  /** The entry of an identity outside the columns; the first such entry of a customer is its `nth`. */
  function otherEntry(code: string, identity: string, nth: number): number {
    const known = others.get(identity);
    if (known !== undefined) return known;
    const count = counts.get(code) ?? nth;
    counts.set(code, count + 1);
    others.set(identity, size);
    otherIds.set(size, count === 1 ? code : `${code}-${count}`);
    return size++;
  }

  return {
    size: () => size,
    entryOf({ code, tax_id, name }: CustomerSnapshot): number {
      const number = numberOfCode(code);
      const identity = JSON.stringify([code, tax_id, name]);
      if (number === undefined) return otherEntry(code, identity, 1);
      const digest = Number.parseInt(hash("sha256", identity).slice(0, 12), 16);
      const first = firsts.get(number) - 1;
      if (first >= 0) return digests.get(first) === digest ? first : otherEntry(code, identity, 2);
      firsts.set(number, size + 1);
      numbers.set(size, number);
      digests.set(size, digest);
      return size++;
    },
    idOf: (entry: number) => otherIds.get(entry) ?? `C${numbers.get(entry)}`,
  };
}

/** Codes have numbers that rise by one (companies.ts); a column up to a higher number would take too much memory. */
const MAX_NUMBER = 100_000_000;

/** The 17 of the code C17; undefined for a code of another form. */
function numberOfCode(code: string): number | undefined {
  const number = Number(code.slice(1));
  return Number.isInteger(number) && number > 0 && number < MAX_NUMBER && code === `C${number}` ? number : undefined;
}

function customerXml(id: string, customer: CustomerSnapshot): string {
  return `\n${element(
    "Customer",
    element("CustomerID", id) +
      element("AccountID", UNKNOWN) +
      element("CustomerTaxID", content(exportedTaxId(customer.tax_id, customer.country), 30)) +
      element("CompanyName", content(customer.name, 100)) +
      address("BillingAddress", customer, countryCode(customer.country)) +
      optional("Telephone", customer.phone && content(customer.phone, 20)) +
      optional("Email", customer.email && content(customer.email, 254)) +
      element("SelfBillingIndicator", 0),
  )}`;
}
