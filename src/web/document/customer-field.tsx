/** The customer of the document that is being written: found as one types, or made in place. */
import { useSignal, useSignalEffect } from "@preact/signals";
import type { Customer } from "../../core/face.ts";
import { FINAL_CONSUMER, FINAL_CONSUMER_NAME } from "../../core/fiscal/tax-id.ts";
import { lacre } from "../api.ts";
import { Combobox } from "../combobox.tsx";
import { CustomerForm } from "../customer-form.tsx";
import { Dialog, openDialog } from "../dialog.tsx";
import { Keys } from "../page.tsx";
import { can } from "../session.ts";
import { RowButton } from "../table.tsx";
import { texts } from "../texts.ts";
import { focusProducts } from "./line-table.tsx";
import { type Chosen, isFinalConsumer, nameOf, usualCustomer, type Writing } from "./writing.ts";

const t = texts({
  customer: ["Cliente", "Customer"],
  hint: ["Nome, NIF, e-mail ou telefone", "Name, tax number, e-mail or phone"],
  make: ["Criar o cliente «{name}»", "Make the customer “{name}”"],
  new_customer: ["Novo cliente", "New customer"],
  change: ["Alterar cliente", "Change customer"],
  edit: ["Alterar", "Change"],
  no_tax_id: ["sem NIF", "no tax number"],
});

const CUSTOMER_FIELD = "customer-field";

/** Goes to the customer, ready for another name. */
export function focusCustomer(): void {
  const field = document.getElementById(CUSTOMER_FIELD);
  if (field instanceof HTMLInputElement) {
    field.focus();
    field.select();
  }
}

const SHOWN = 8;

async function findCustomers(text: string, signal: AbortSignal): Promise<readonly Chosen[]> {
  const wanted = text.trim().toLowerCase();
  const { data } = await lacre.customers.list({ search: wanted, limit: SHOWN }, { signal });
  const others = data.filter((customer) => !isFinalConsumer(customer));
  const isFinal = FINAL_CONSUMER_NAME.toLowerCase().includes(wanted) || FINAL_CONSUMER.startsWith(wanted);
  return isFinal ? ["final_consumer", ...others] : others;
}

const taxIdOf = (chosen: Chosen): string =>
  chosen === "final_consumer" ? FINAL_CONSUMER : (chosen.tax_id ?? t.no_tax_id);

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
    focusProducts();
  };
  const edit = (customer: Customer | undefined, name = "") => {
    const close = openDialog(
      <Dialog title={customer ? t.change : t.new_customer} class="broad">
        <CustomerForm
          customer={customer}
          name={name}
          onCancel={() => close()}
          onSaved={(saved) => {
            choose(saved);
            close(focusProducts);
          }}
        />
      </Dialog>,
    );
  };
  const problem = writing.refused.value.customer_id;
  const chosen = customer.value;
  const mayWrite = can("customers:write");
  return (
    <div
      class="customer-field field"
      onFocusOut={() => {
        if (text.value.trim() === "") customer.value = usualCustomer(writing.doc_type.value);
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
          text={text.value}
          onText={(typed) => {
            text.value = typed;
          }}
          find={findCustomers}
          keyOf={(one) => (one === "final_consumer" ? one : one.id)}
          show={(one) => (
            <>
              <span>{nameOf(one)}</span>
              <small>{taxIdOf(one)}</small>
            </>
          )}
          onChoose={choose}
          offer={(typed) => (mayWrite ? t.make({ name: typed.trim() }) : undefined)}
          onOffer={(typed) => edit(undefined, typed.trim())}
          placeholder={t.hint}
          shortcut="F2"
          describedBy={problem ? "customer-problem" : undefined}
          invalid={problem !== undefined}
        />
        {chosen && <span class="tax-id">{taxIdOf(chosen)}</span>}
        {chosen && chosen !== "final_consumer" && mayWrite && (
          <RowButton label={t.edit} of={chosen.name} class="plain" onClick={() => edit(chosen)} />
        )}
      </div>
      {problem && (
        <p class="error" id="customer-problem">
          {problem}
        </p>
      )}
    </div>
  );
}
