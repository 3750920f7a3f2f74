/** Customers whom a document names before anybody stored them: found, or created once however often this is called. */
import type { Customer } from "../../core/face.ts";
import { FINAL_CONSUMER, FINAL_CONSUMER_NAME } from "../../core/fiscal/tax-id.ts";
import { lacre, newIdempotencyKey, Refusal } from "../reading/api.ts";
import { isFinalConsumer } from "../reading/customer-names.ts";
import { untilAnswered } from "./submission.ts";
import { type Chosen, isNameless } from "./writing.ts";

/** The customer of a document: as stored, found again, or created once however often this is called. */
export async function storedCustomer(chosen: Chosen): Promise<Customer> {
  if (chosen === "final_consumer") return finalConsumer();
  return isNameless(chosen) ? withTaxId(chosen.tax_id) : chosen;
}

/** The most customers that a search returns, the oldest last. */
const MAX_FOUND = 200;

const search = async (text: string) => (await lacre.customers.list({ search: text, limit: MAX_FOUND })).data;

/** The one customer called final consumer on documents. The number is searched first: many may have a similar name. */
async function finalConsumer(): Promise<Customer> {
  const found =
    (await search(FINAL_CONSUMER)).findLast(isFinalConsumer) ??
    (await search(FINAL_CONSUMER_NAME)).findLast(isFinalConsumer);
  return found ?? madeOnce("final-consumer", FINAL_CONSUMER);
}

/** The customers with this tax number, the oldest first: the one created by it keeps it. */
export async function customersWithTaxId(tax_id: string): Promise<readonly Customer[]> {
  return (await search(tax_id)).filter((customer) => customer.tax_id === tax_id).reverse();
}

const withTaxId = async (tax_id: string): Promise<Customer> =>
  (await customersWithTaxId(tax_id))[0] ?? madeOnce(`tax-id-${tax_id}`, tax_id);

/**
 * Creates a customer without a name of its own. The key is the same for everybody in the company, so it is created
 * once.
 */
async function madeOnce(key: string, tax_id: string): Promise<Customer> {
  const make = (idempotency_key: string) =>
    untilAnswered(() => lacre.customers.create({ name: FINAL_CONSUMER_NAME, tax_id }, { idempotency_key }));
  const made = await make(key);
  // The answer is remembered: since then somebody may have archived the customer, or changed the number.
  const now = await lacre.customers.get({ id: made.id }).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === "not_found") return undefined;
    throw error;
  });
  return now?.tax_id === tax_id ? now : make(newIdempotencyKey());
}
