/** The names of drafts' customers, as only issued documents contain one; and who has no name. */
import type { Customer, DocumentSummary } from "../../core/face.ts";
import { FINAL_CONSUMER, FINAL_CONSUMER_NAME } from "../../core/fiscal/tax-id.ts";
import { texts } from "../words/texts.ts";
import { lacre, Refusal } from "./api.ts";

const t = texts({ archived: ["Cliente arquivado", "Archived customer"] });

/** The name of a customer, or words that it was archived. */
export async function customerName(id: string, signal?: AbortSignal): Promise<string> {
  try {
    return (await lacre.customers.get({ id }, { signal })).name;
  } catch (error) {
    if (error instanceof Refusal && error.code === "not_found") return t.archived;
    throw error;
  }
}

/** A document with the name of its customer. */
export interface Named {
  readonly document: DocumentSummary;
  readonly customer: string;
}

/** The same documents with names: as issued, and for drafts the customer's current name. */
export async function named(documents: readonly DocumentSummary[], signal?: AbortSignal): Promise<Named[]> {
  const asked = new Map<string, Promise<string>>();
  const nameOf = (id: string) => {
    const name = asked.get(id) ?? customerName(id, signal);
    asked.set(id, name);
    return name;
  };
  return Promise.all(
    documents.map(async (document) => ({
      document,
      customer: document.customer?.name ?? (await nameOf(document.customer_id)),
    })),
  );
}

/** Whether this is the customer without name and number. */
export const isFinalConsumer = ({ name, tax_id }: Pick<Customer, "name" | "tax_id">): boolean =>
  (tax_id === null || tax_id === FINAL_CONSUMER) && name.toLowerCase() === FINAL_CONSUMER_NAME.toLowerCase();
