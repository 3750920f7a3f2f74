/** The form of a customer: on its own screen, and in place where a document needs one. */
import type { Customer } from "../core/face.ts";
import { lacre } from "./api.ts";
import { countryOptions } from "./countries.ts";
import { Form, SelectField, TextField, type TextFieldProps, useForm } from "./form.tsx";
import { TaxIdField } from "./tax-id-field.tsx";
import { texts } from "./texts.ts";

const t = texts({
  name: ["Nome", "Name"],
  email: ["E-mail", "E-mail"],
  phone: ["Telefone", "Phone"],
  address: ["Morada", "Address"],
  postal_code: ["Código postal", "Postal code"],
  city: ["Localidade", "City"],
  country: ["País", "Country"],
  save: ["Guardar", "Save"],
  archive: ["Arquivar", "Archive"],
});

const FIELDS = ["name", "tax_id", "email", "phone", "address", "postal_code", "city", "country"] as const;
type Name = (typeof FIELDS)[number];

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
  const first: Partial<Record<Name, string>> = { name, country: "PT" };
  const form = useForm(
    Object.fromEntries(FIELDS.map((field) => [field, customer?.[field] ?? first[field] ?? ""])) as Record<Name, string>,
    customer ? "customers.change" : "customers.create",
  );
  const { values } = form;
  const save = () =>
    form.send(async () => {
      const name = values.name.value.trim();
      // Portugal is what no country means, and no change.
      const given = (field: Name) =>
        field === "country" && values.country.value === "PT"
          ? (customer?.country ?? null)
          : values[field].value.trim() || null;
      const filled = { name, ...Object.fromEntries(FIELDS.slice(1).map((field) => [field, given(field)])) };
      onSaved(
        customer ? await lacre.customers.change({ id: customer.id, ...filled }) : await lacre.customers.create(filled),
      );
    });
  const text = (path: Exclude<Name, "tax_id" | "country">, more: Partial<TextFieldProps> = {}) => (
    <TextField label={t[path]} form={form} path={path} {...more} />
  );
  return (
    <Form
      state={form}
      onSubmit={save}
      submit={t.save}
      onBack={onCancel}
      actions={
        customer &&
        onArchive && (
          <button type="button" class="plain" onClick={() => onArchive(customer)}>
            {t.archive}
          </button>
        )
      }
    >
      <div class="fields">
        {text("name", { required: true, wide: true, autofocus: true })}
        <TaxIdField country={values.country.value} form={form} />
        {text("email", { type: "email" })}
        {text("phone", { type: "tel" })}
        {text("address", { lines: 2, wide: true })}
        {text("postal_code")}
        {text("city")}
        <SelectField label={t.country} form={form} path="country" options={countryOptions(customer?.country)} />
      </div>
    </Form>
  );
}
