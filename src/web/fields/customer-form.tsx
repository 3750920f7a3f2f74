/** The form of a customer: on its own screen, and in place where a document needs one. */
import { useSignal } from "@preact/signals";
import type { Customer } from "../../core/face.ts";
import { FINAL_CONSUMER, FINAL_CONSUMER_NAME, normalTaxId } from "../../core/fiscal/tax-id.ts";
import { Button } from "../button.tsx";
import { nifIn } from "../party.ts";
import { lacre } from "../reading/api.ts";
import { isSameName, useTwin } from "../reading/twins.ts";
import { editRecord } from "../record-dialogs.tsx";
import { countryOptions } from "../words/countries.ts";
import { texts } from "../words/texts.ts";
import { Check, Form, SelectField, TextField, type TextFieldProps, useForm } from "./form.tsx";
import { TaxIdField } from "./tax-id-field.tsx";

const t = texts({
  name: ["Nome", "Name"],
  email: ["E-mail", "E-mail"],
  phone: ["Telefone", "Phone"],
  address: ["Morada", "Address"],
  postal_code: ["Código postal", "Postal code"],
  city: ["Localidade", "City"],
  country: ["País", "Country"],
  reminders: ["Recebe lembretes de pagamento por e-mail", "Gets payment reminders by e-mail"],
  reminders_hint: [
    "Só se a empresa os enviar: liga-se em Definições › E-mail.",
    "Only if the company sends them, which is set in Settings › E-mail.",
  ],
  save: ["Guardar", "Save"],
  archive: ["Arquivar", "Archive"],
  is_tax_id: [
    "Isto é um NIF: o lugar dele é no campo NIF. Aqui escreva o nome.",
    "This is a tax number: it belongs in its own field. Write the name here.",
  ],
  tax_id_taken: ["Este NIF já está na ficha de {name}.", "{name} has this tax number already."],
  name_taken: ["Já existe um cliente com este nome.", "There is a customer of this name already."],
  use: ["Usar esse cliente", "Use that customer"],
});

const words = texts({
  new: ["Novo cliente", "New customer"],
  change: ["Alterar cliente", "Change customer"],
  saved: ["Cliente guardado.", "Customer saved."],
  archive: ["Arquivar cliente", "Archive customer"],
  archive_question: [
    "Arquivar {name}? Deixa de aparecer nas listas; os documentos já emitidos ficam como estão.",
    "Archive {name}? Lists no longer show the customer; documents stay as they are.",
  ],
  archived: ["Cliente arquivado.", "Customer archived."],
});

/** Opens the dialog that changes a customer, or makes a new one. */
export function editCustomer(
  customer: Customer | undefined,
  after: { readonly onSaved: (saved: Customer) => void; readonly onArchived: () => void },
): void {
  editRecord(customer, {
    words,
    class: "broad",
    form: (customer, done) => <CustomerForm customer={customer} {...done} />,
    archive: lacre.customers.archive,
    ...after,
  });
}

const FIELDS = ["name", "tax_id", "email", "phone", "address", "postal_code", "city", "country"] as const;
type Name = (typeof FIELDS)[number];

/** The most customers that are compared. */
const MAX_FOUND = 50;

interface CustomerFormProps {
  /** The customer to change; a new one when left out. */
  readonly customer?: Customer | undefined;
  /** The initial values of a new one. */
  readonly first?: Partial<Record<Name, string>>;
  readonly onSaved: (customer: Customer) => void;
  /** Uses an existing customer instead. */
  readonly onUse?: (customer: Customer) => void;
  readonly onCancel: () => void;
  readonly onArchive?: (customer: Customer) => void;
}

/** Creates or changes a customer. Empty fields are cleared. */
export function CustomerForm({ customer, first, onSaved, onUse, onCancel, onArchive }: CustomerFormProps) {
  const empty: Partial<Record<Name, string>> = { country: "PT", ...first };
  const form = useForm(
    Object.fromEntries(FIELDS.map((field) => [field, customer?.[field] ?? empty[field] ?? ""])) as Record<Name, string>,
    customer ? "customers.change" : "customers.create",
  );
  const { values } = form;
  const reminders = useSignal(customer?.reminders ?? true);
  const others = async (search: string, signal: AbortSignal) => {
    const { data } = await lacre.customers.list({ search, limit: MAX_FOUND }, { signal });
    return data.filter(({ id }) => id !== customer?.id);
  };
  const ofTaxId = useTwin(
    () => (normalTaxId(values.tax_id.value, values.country.value) ?? "").replace(FINAL_CONSUMER, ""),
    async (tax_id, signal) => (await others(tax_id, signal)).find((one) => one.tax_id === tax_id),
  );
  const ofName = useTwin(
    () => values.name.value.replace(FINAL_CONSUMER_NAME, ""),
    async (name, signal) => (await others(name, signal)).find((one) => isSameName(one.name, name)),
  );
  /** Two customers with one name but different numbers are different customers. */
  const isOther = ({ tax_id }: Customer) =>
    tax_id && values.tax_id.value.trim() && tax_id !== values.tax_id.value.trim();
  const twin = ofTaxId.value ?? (ofName.value && !isOther(ofName.value) ? ofName.value : undefined);
  const save = () => {
    if (nifIn(values.name.value) !== undefined) {
      form.errors.value = { name: t.is_tax_id };
      return;
    }
    return form.send(async () => {
      const name = values.name.value.trim();
      // No country means Portugal, and is no change.
      const given = (field: Name) =>
        field === "country" && values.country.value === "PT"
          ? (customer?.country ?? null)
          : values[field].value.trim() || null;
      const details = Object.fromEntries(FIELDS.slice(1).map((field) => [field, given(field)]));
      const filled = { name, ...details, reminders: reminders.value };
      onSaved(
        customer ? await lacre.customers.change({ id: customer.id, ...filled }) : await lacre.customers.create(filled),
      );
    });
  };
  const text = (path: Exclude<Name, "tax_id" | "country">, more: Partial<TextFieldProps> = {}) => (
    <TextField label={t[path]} path={path} {...more} />
  );
  return (
    <Form
      state={form}
      onSubmit={save}
      submit={t.save}
      onBack={onCancel}
      actions={customer && onArchive && <Button label={t.archive} class="plain" onClick={() => onArchive(customer)} />}
    >
      <div class="fields">
        {text("name", { required: true, wide: true, autofocus: true })}
        <TaxIdField country={values.country.value} form={form} />
        {text("email", { type: "email" })}
        {text("phone", { type: "tel" })}
        {text("address", { lines: 2, wide: true })}
        {text("postal_code")}
        {text("city")}
        <SelectField label={t.country} path="country" options={countryOptions(customer?.country)} />
        {values.email.value.trim() !== "" && (
          <div class="wide">
            <Check label={t.reminders} value={reminders} hint={t.reminders_hint} />
          </div>
        )}
      </div>
      {twin && (
        <p class="for-good warn" role="status">
          {ofTaxId.value ? t.tax_id_taken({ name: twin.name }) : t.name_taken}{" "}
          {onUse && <Button label={t.use} class="plain" onClick={() => onUse(twin)} />}
        </p>
      )}
    </Form>
  );
}
