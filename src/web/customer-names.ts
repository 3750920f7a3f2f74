/** The names of customers that drafts are for: an issued document brings its own. */
import type { DocumentSummary } from "../core/face.ts";
import { lacre, Refusal } from "./api.ts";
import { texts } from "./texts.ts";

const t = texts({ archived: ["Cliente arquivado", "Archived customer"] });

/** The name of a customer; in words, that it was archived. */
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

/** The same documents with names: as they were issued, and of drafts as the customer is called now. */
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
