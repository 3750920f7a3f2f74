/** The customer of the document being written: found while typing, or created in place. */

import { useSignal, useSignalEffect } from "@preact/signals";
import { FINAL_CONSUMER, FINAL_CONSUMER_NAME } from "../../core/fiscal/tax-id.ts";
import { Button } from "../button.tsx";
import { Dialog, openDialog } from "../dialog.tsx";
import { Combobox } from "../fields/combobox.tsx";
import { CustomerForm } from "../fields/customer-form.tsx";
import { FieldError } from "../fields/form.tsx";
import { Keys } from "../page.tsx";
import { nifIn, partyOf } from "../party.ts";
import { lacre } from "../reading/api.ts";
import { isFinalConsumer } from "../reading/customer-names.ts";
import { can } from "../session.ts";
import { texts } from "../words/texts.ts";
import { CUSTOMER_FIELD, focusNext } from "./focus.ts";
import { customersWithTaxId } from "./stored-customer.ts";
import { type Chosen, isNameless, nameOf, storedOf, taxIdOf, usualCustomer, type Writing } from "./writing.ts";

const t = texts({
  customer: ["Cliente", "Customer"],
  hint: ["Nome, NIF, e-mail ou telefone", "Name, tax number, e-mail or phone"],
  make: ["Criar o cliente «{name}»", "Make the customer “{name}”"],
  make_with: ["Criar um cliente com {what}", "Make a customer with {what}"],
  tax_id: ["NIF {tax_id}", "tax number {tax_id}"],
  nameless: ["Só o NIF, sem nome", "Tax number only, no name"],
  new_customer: ["Novo cliente", "New customer"],
  change: ["Alterar cliente", "Change customer"],
  edit: ["Alterar", "Change"],
  no_tax_id: ["sem NIF", "no tax number"],
});

const SHOWN = 8;

/** The customers that match. An unknown tax number is a customer without a name, if the document needs none. */
async function findCustomers({ type }: Writing, text: string, signal: AbortSignal): Promise<readonly Chosen[]> {
  const nif = nifIn(text);
  const wanted = nif ?? text.trim().toLowerCase();
  const { data } = await lacre.customers.list({ search: wanted, limit: SHOWN }, { signal });
  const others = data.filter((customer) => !isFinalConsumer(customer));
  const isFinal = FINAL_CONSUMER_NAME.toLowerCase().includes(wanted) || FINAL_CONSUMER.startsWith(wanted);
  if (isFinal) return ["final_consumer", ...others];
  if (nif === undefined) return others;
  const known = others.filter(({ tax_id }) => tax_id === nif).reverse();
  const rest = others.filter(({ tax_id }) => tax_id !== nif);
  const isOffered = known.length === 0 && type.value.is_simplified && can("customers:write");
  return [...known, ...(isOffered ? [{ tax_id: nif }] : []), ...rest];
}

const shownTaxId = (chosen: Chosen): string =>
  chosen === "final_consumer" ? FINAL_CONSUMER : (taxIdOf(chosen) ?? t.no_tax_id);

/**
 * Takes a tax number from the field when it loses the focus: whoever typed it wants it on the document. Returns whether
 * there was one.
 */
function takeTaxId(writing: Writing, text: string): boolean {
  const { customer } = writing;
  const nif = nifIn(text);
  if (nif === undefined || nif === FINAL_CONSUMER) return false;
  if (taxIdOf(customer.value) === nif) return true;
  const nameless = { tax_id: nif };
  customer.value = nameless;
  // If no answer comes, sending the document asks again.
  writing.pending.customer = customersWithTaxId(nif).then(
    ([known]) => {
      if (known && customer.value === nameless) customer.value = known;
    },
    () => {},
  );
  return true;
}

/** Takes the tax number from the field while it has the focus; issuing calls this first. */
export function takeTypedCustomer(writing: Writing): void {
  const field = document.getElementById(CUSTOMER_FIELD);
  if (field instanceof HTMLInputElement && field === document.activeElement) takeTaxId(writing, field.value);
}

/** The field of the customer. */
export function CustomerField({ writing }: { readonly writing: Writing }) {
  const { customer } = writing;
  const text = useSignal(nameOf(customer.value));
  useSignalEffect(() => {
    text.value = nameOf(customer.value);
  });
  const choose = (chosen: Chosen) => {
    customer.value = chosen;
    text.value = nameOf(chosen);
    focusNext();
  };
  const edit = (chosen: Chosen | undefined, typed = "") => {
    const known = storedOf(chosen);
    const close = openDialog(
      <Dialog title={known ? t.change : t.new_customer} class="broad" keeps>
        <CustomerForm
          customer={known}
          first={isNameless(chosen) ? chosen : partyOf(typed)}
          onUse={(one) => {
            choose(one);
            close(focusNext);
          }}
          onCancel={() => close()}
          onSaved={(saved) => {
            choose(saved);
            close(focusNext);
          }}
        />
      </Dialog>,
    );
  };
  const offer = (typed: string) => {
    const { name, tax_id, email, phone } = partyOf(typed);
    if (name !== undefined) return t.make({ name });
    return t.make_with({ what: tax_id ? t.tax_id({ tax_id }) : (email ?? phone ?? "") });
  };
  const problem = writing.refused.value.customer_id;
  const chosen = customer.value;
  const mayWrite = can("customers:write");
  return (
    <div
      class="customer-field field"
      onFocusOut={() => {
        if (text.value.trim() === "") customer.value = usualCustomer(writing.doc_type.value);
        else takeTaxId(writing, text.value);
        text.value = nameOf(customer.value);
      }}
    >
      <label for={CUSTOMER_FIELD}>
        {t.customer} <Keys>F2</Keys>
      </label>
      <div class="beside">
        <Combobox
          id={CUSTOMER_FIELD}
          label={t.customer}
          text={text}
          find={(typed, signal) => findCustomers(writing, typed, signal)}
          keyOf={(one) => storedOf(one)?.id ?? shownTaxId(one)}
          show={(one) =>
            isNameless(one) ? (
              <>
                <span>{t.tax_id(one)}</span>
                <small>{t.nameless}</small>
              </>
            ) : (
              <>
                <span>{nameOf(one)}</span>
                <small>{shownTaxId(one)}</small>
              </>
            )
          }
          onChoose={choose}
          offer={(typed) => (mayWrite ? offer(typed) : undefined)}
          onOffer={(typed) => edit(undefined, typed)}
          placeholder={t.hint}
          shortcut="F2"
          describedBy={problem ? "customer-problem" : undefined}
          invalid={problem !== undefined}
        />
        {chosen && <span class="tax-id">{shownTaxId(chosen)}</span>}
        {chosen && chosen !== "final_consumer" && mayWrite && (
          <Button label={t.edit} of={nameOf(chosen)} class="plain" onClick={() => edit(chosen)} />
        )}
      </div>
      <FieldError id="customer-problem" text={problem} />
    </div>
  );
}
