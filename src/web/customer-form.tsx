/** The form of a customer: on its own screen, and in place where a document needs one. */
import { type Signal, useSignal } from "@preact/signals";
import type { Customer } from "../core/face.ts";
import { lacre } from "./api.ts";
import { Form, TextField, useForm } from "./form.tsx";
import { texts } from "./language.ts";

const t = texts({
  name: ["Nome", "Name"],
  tax_id: ["NIF", "Tax number"],
  email: ["E-mail", "E-mail"],
  phone: ["Telefone", "Phone"],
  address: ["Morada", "Address"],
  postal_code: ["Código postal", "Postal code"],
  city: ["Localidade", "City"],
  country: ["País", "Country"],
  country_hint: ["Duas letras, como PT ou ES; vazio é Portugal.", "Two letters, as PT or ES; empty is Portugal."],
  save: ["Guardar", "Save"],
  back: ["Voltar", "Back"],
  archive: ["Arquivar", "Archive"],
});

const FIELDS = ["name", "tax_id", "email", "phone", "address", "postal_code", "city", "country"] as const;
const TYPES: Readonly<Partial<Record<(typeof FIELDS)[number], "email" | "tel">>> = { email: "email", phone: "tel" };

interface CustomerFormProps {
  /** The customer to change; a new one when left out. */
  readonly customer?: Customer | undefined;
  /** The name a new one begins with. */
  readonly name?: string;
  readonly onSaved: (customer: Customer) => void;
  readonly onCancel: () => void;
  readonly onArchive?: (customer: Customer) => void;
}

/** Makes or changes a customer. Empty fields are cleared. */
export function CustomerForm({ customer, name = "", onSaved, onCancel, onArchive }: CustomerFormProps) {
  const form = useForm();
  const values = Object.fromEntries(
    FIELDS.map((field) => [field, useSignal(customer?.[field] ?? (field === "name" ? name : ""))]),
  ) as Record<(typeof FIELDS)[number], Signal<string>>;
  const operation = customer ? "customers.change" : "customers.create";
  const save = () =>
    form.send(async () => {
      const name = values.name.value.trim();
      const others = FIELDS.slice(1).map((field) => [field, values[field].value.trim() || null]);
      const filled = { name, ...Object.fromEntries(others) };
      onSaved(
        customer ? await lacre.customers.change({ id: customer.id, ...filled }) : await lacre.customers.create(filled),
      );
    });
  return (
    <Form
      state={form}
      onSubmit={save}
      fields={FIELDS}
      actions={
        <>
          {customer && onArchive && (
            <button type="button" class="plain" onClick={() => onArchive(customer)}>
              {t.archive}
            </button>
          )}
          <button type="button" onClick={onCancel}>
            {t.back}
          </button>
          <button type="submit" class="main" disabled={form.isSending.value}>
            {t.save}
          </button>
        </>
      }
    >
      <div class="fields">
        {FIELDS.map((field) => (
          <TextField
            key={field}
            label={t[field]}
            value={values[field]}
            form={form}
            path={field}
            of={operation}
            required={field === "name"}
            wide={field === "name" || field === "address"}
            type={TYPES[field] ?? "text"}
            autofocus={field === "name"}
            hint={field === "country" ? t.country_hint : undefined}
          />
        ))}
      </div>
    </Form>
  );
}
