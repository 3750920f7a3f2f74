/** The form of a company: all its fields in the settings, the minimum when it is created. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Company } from "../../core/face.ts";
import { SIMPLIFIED_LIMITS } from "../../core/fiscal/document-types.ts";
import { normalIban, spacedIban } from "../../core/fiscal/iban.ts";
import { TAX_REGIONS, type TaxRegion } from "../../core/fiscal/vat-rates.ts";
import { today } from "../clock.ts";
import { withPassword } from "../dialog.tsx";
import { lacre, person } from "../reading/api.ts";
import { useLeaveQuestion } from "../router.ts";
import { exemptionOptions } from "../taxes.ts";
import { countryOptions } from "../words/countries.ts";
import { texts } from "../words/texts.ts";
import { Check, Form, SelectField, TextField, useForm } from "./form.tsx";
import { TaxIdField } from "./tax-id-field.tsx";

const t = texts({
  name: ["Nome ou firma", "Name"],
  tax_id_fixed: [
    "Já há documentos com este NIF: não muda. Outro contribuinte é outra empresa.",
    "Documents bear this number already: it does not change. Another taxpayer is another company.",
  ],
  address: ["Morada", "Address"],
  postal_code: ["Código postal", "Postal code"],
  city: ["Localidade", "City"],
  country: ["País", "Country"],
  tax_region: ["Região", "Region"],
  tax_region_hint: ["Decide as taxas de IVA.", "It decides the rates of VAT."],
  PT: ["Continente", "Mainland"],
  "PT-AC": ["Açores", "Azores"],
  "PT-MA": ["Madeira", "Madeira"],
  time_zone: ["Hora dos documentos", "Time of documents"],
  "Europe/Lisbon": ["Hora do continente", "Mainland time"],
  "Atlantic/Azores": ["Hora dos Açores", "Azores time"],
  "Atlantic/Madeira": ["Hora da Madeira", "Madeira time"],
  simplified_limit: ["Limite da fatura simplificada", "Limit of simplified invoices"],
  limit_1000: [
    "{eur} €: retalho e venda ambulante a particulares",
    "€{eur}: retail and street vending to private persons",
  ],
  limit_100: ["{eur} €: todos os outros casos", "€{eur}: all other cases"],
  limit_none: ["Sem limite: isentos pelo artigo 53.º", "None: exempt under article 53"],
  cash_vat: ["Regime de IVA de caixa", "Cash-VAT scheme"],
  cash_vat_hint: [
    "O IVA é devido quando o cliente paga. Só se optou por ele no Portal das Finanças.",
    "VAT is due when the customer pays. Only if you chose it on the Portal das Finanças.",
  ],
  exemption: ["Motivo de isenção habitual", "Usual reason for no VAT"],
  exemption_hint: ["Para as linhas a 0 % que não indiquem outro.", "For lines at 0% that name no other."],
  no_exemption: ["Nenhum", "None"],
  iban: ["IBAN", "IBAN"],
  iban_hint: ["Vai nos lembretes de pagamento por e-mail.", "It stands in payment reminders by e-mail."],
  footer: ["Rodapé dos documentos", "Document footer"],
  footer_hint: [
    "Impresso em todos: IBAN, horário, capital social e matrícula…",
    "Printed on all: IBAN, opening hours, registration…",
  ],
  save: ["Guardar", "Save"],
  leave: ["Há alterações por guardar. Sair mesmo assim?", "There are changes that are not saved. Leave all the same?"],
});

/** The time zone of each region. */
const ZONES: Readonly<Record<TaxRegion, string>> = {
  PT: "Europe/Lisbon",
  "PT-AC": "Atlantic/Azores",
  "PT-MA": "Atlantic/Madeira",
};

const NEW: Partial<Company> = { country: "PT", tax_region: "PT", time_zone: ZONES.PT };

const FIELDS = [
  "name",
  "tax_id",
  "address",
  "postal_code",
  "city",
  "country",
  "tax_region",
  "time_zone",
  "simplified_limit",
  "default_exemption_code",
  "iban",
  "footer_text",
] as const;
type Field = (typeof FIELDS)[number];

/** A field as the form shows it. */
const shownAs = (field: Field, value: string | number | null | undefined) =>
  field === "iban" && value ? spacedIban(String(value)) : String(value ?? "");

/** What is typed into a field, as the company has it. */
function typedAs(field: Field, text: string): string | number | null {
  if (text === "") return null;
  if (field === "simplified_limit") return Number(text);
  return field === "iban" ? (normalIban(text) ?? text) : text;
}

interface CompanyFormProps {
  /** The company to change; when left out a new one, with only the first fields. */
  readonly company?: Company;
  /** Whether documents bear its tax number already. */
  readonly hasIssued?: boolean | undefined;
  readonly onSaved: (company: Company) => void;
  readonly onCancel?: () => void;
  /** The label of the button that saves. */
  readonly submit?: string;
  /** More fields, at the end. */
  readonly children?: ComponentChildren;
}

/** Creates or changes a company. */
export function CompanyForm({
  company,
  hasIssued = false,
  onSaved,
  onCancel,
  submit = t.save,
  children,
}: CompanyFormProps) {
  const before: Partial<Company> = company ?? NEW;
  const first = Object.fromEntries(FIELDS.map((field) => [field, shownAs(field, before[field])]));
  const form = useForm(first as Record<Field, string>, "company.change");
  const { values } = form;
  const cash_vat = useSignal(before.cash_vat ?? false);
  const given = FIELDS.map((field) => [field, typedAs(field, values[field].value.trim())] as const);
  const changes: Partial<Company> = Object.fromEntries([
    ...given.filter(([field, value]) => value !== (before[field] ?? null)),
    ...(cash_vat.value === (before.cash_vat ?? false) ? [] : [["cash_vat", cash_vat.value]]),
  ]);
  const isChanged = company !== undefined && Object.keys(changes).length > 0;
  useLeaveQuestion(() => (isChanged ? t.leave : undefined));
  const send = () =>
    company ? lacre.company.change(changes) : person.companies.create({ name: "", tax_id: "", ...changes });
  const save = () => form.send(async () => onSaved(await withPassword(send)));
  const limits = [
    ...SIMPLIFIED_LIMITS.map((eur) => [String(eur), (eur === 100 ? t.limit_100 : t.limit_1000)({ eur })] as const),
    ["", t.limit_none] as const,
  ];
  const zoneName = (zone: string) => (zone in t ? t[zone as "Europe/Lisbon"] : zone);
  const zones = [...new Set([...Object.values(ZONES), values.time_zone.value])].map(
    (zone) => [zone, zoneName(zone)] as const,
  );
  return (
    <Form state={form} onSubmit={save} submit={submit} canSubmit={company === undefined || isChanged} onBack={onCancel}>
      <div class="fields">
        <TextField label={t.name} path="name" autocomplete="organization" autofocus={!company} required wide />
        <TaxIdField country="PT" form={form} required fixed={hasIssued ? t.tax_id_fixed : undefined} />
        <SelectField
          label={t.tax_region}
          path="tax_region"
          options={TAX_REGIONS.map((region) => [region, t[region]])}
          hint={t.tax_region_hint}
          onChange={(region) => {
            values.time_zone.value = ZONES[region as TaxRegion];
          }}
        />
        {company && <SelectField label={t.time_zone} path="time_zone" options={zones} />}
        <TextField label={t.address} path="address" lines={2} wide />
        <TextField label={t.postal_code} path="postal_code" />
        <TextField label={t.city} path="city" />
        {company && <SelectField label={t.country} path="country" options={countryOptions(company.country)} />}
        {company && (
          <>
            <SelectField label={t.simplified_limit} path="simplified_limit" options={limits} wide />
            <SelectField
              label={t.exemption}
              path="default_exemption_code"
              options={[
                ["", t.no_exemption],
                ...exemptionOptions(today(company.time_zone), company.default_exemption_code),
              ]}
              hint={t.exemption_hint}
              wide
            />
            <div class="wide">
              <Check label={t.cash_vat} value={cash_vat} hint={t.cash_vat_hint} />
            </div>
            <TextField label={t.iban} path="iban" hint={t.iban_hint} wide />
            <TextField label={t.footer} path="footer_text" lines={3} hint={t.footer_hint} wide />
          </>
        )}
      </div>
      {children}
    </Form>
  );
}
