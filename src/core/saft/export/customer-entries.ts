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
  const warn = customerWarnings(warnings);

  // Most documents of a customer carry exactly the same snapshot.
  const entryOf = memoized((snapshot) => {
    const customer = parseCustomer(snapshot);
    const entry = ids.entryOf(customer);
    warn(ids.idOf(customer), customer, snapshot);
    return entry;
  });

  return {
    size: ids.size,
    /** The CustomerID of a document with a snapshot that was added. */
    idOf: (snapshot: string) => ids.idOf(parseCustomer(snapshot)),
    add(snapshot: string, source: EntrySource): void {
      latest.add(entryOf(snapshot), source);
    },
    async *write(reader: EntryReader) {
      for (const batch of entryBatches(ids.size())) {
        const customers = (await reader.customers(batch.map(latest.positionOf))).map(parseCustomer);
        yield customers.map((customer) => customerXml(ids.idOf(customer), customer));
      }
    },
  };
}

/** The fields of a customer that make an entry: two customers alike in them are one entry. */
type Identity = Pick<CustomerSnapshot, "code" | "tax_id" | "name">;

const identityOf = ({ code, tax_id, name }: Identity) => JSON.stringify([code, tax_id, name]);

/** Entries and their CustomerIDs: the first entry of a customer has the customer's code, further ones `-2`, `-3`. */
function customerIds() {
  let size = 0;
  // First entries with a code like C17: in row 17 the entry plus 1, and in the entry's row a digest of the identity.
  const firsts = column(Uint32Array);
  const digests = column();
  // Further entries, and first ones with a code of another form, by their identity.
  const others = new Map<string, { readonly entry: number; readonly id: string }>();
  const counts = new Map<string, number>();

  /** Finds or makes the entry of an identity outside the columns; a customer's first such entry counts as `nth`. */
  function otherEntry(code: string, identity: string, nth: number): number {
    const known = others.get(identity);
    if (known) return known.entry;
    const count = counts.get(code) ?? nth;
    counts.set(code, count + 1);
    others.set(identity, { entry: size, id: count === 1 ? code : `${code}-${count}` });
    return size++;
  }

  return {
    size: () => size,
    entryOf(customer: Identity): number {
      const { code } = customer;
      const identity = identityOf(customer);
      const number = numberOfCode(code);
      if (number === undefined) return otherEntry(code, identity, 1);
      const digest = Number.parseInt(hash("sha256", identity).slice(0, 12), 16);
      const first = firsts.get(number) - 1;
      if (first >= 0) return digests.get(first) === digest ? first : otherEntry(code, identity, 2);
      firsts.set(number, size + 1);
      digests.set(size, digest);
      return size++;
    },
    /** The CustomerID of an identity that has an entry. */
    idOf(customer: Identity): string {
      const other = others.size === 0 ? undefined : others.get(identityOf(customer));
      return other?.id ?? customer.code;
    },
  };
}

/** C17: numbers rise by one (companies.ts), and a column up to a higher one than this would take too much memory. */
const NUMBERED = /^C[1-9][0-9]{0,7}$/;

/** The 17 of the code C17; undefined for a code of another form. */
function numberOfCode(code: string): number | undefined {
  return NUMBERED.test(code) ? Number(code.slice(1)) : undefined;
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
