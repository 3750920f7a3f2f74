/** The fields of a document beside its lines: days, series, a discount on everything, notes, and transport. */
import { type Signal, signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Series } from "../../core/face.ts";
import { hasSupplyDate, isQuotation } from "../../core/fiscal/document-types.ts";
import { bound, Check, Field, FieldsOf, type FormState, SelectField, TextField } from "../fields/form.tsx";
import { money } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";
import { isAboutOthers, References } from "./references.tsx";
import { seriesToChoose } from "./usable-series.ts";
import {
  discountProblem,
  fieldNames,
  fillPlaces,
  globalAmount,
  hasDueDate,
  hasJourney,
  type Writing,
  writesReceipt,
} from "./writing.ts";

const t = texts({
  date: ["Data", "Date"],
  supply_hint: ["Só se não for a data do documento.", "Only if it is not the document's date."],
  amount_off: [
    "Já tem um desconto de {amount}; uma percentagem substitui-o.",
    "It has a discount of {amount}; a percentage takes its place.",
  ],
  discount: ["Desconto global (%)", "Discount on everything (%)"],
  notes: ["Observações", "Notes"],
  training: ["{code} (formação)", "{code} (training)"],
  cash_vat: ["{code} (IVA de caixa)", "{code} (cash VAT)"],
  more: ["Data, desconto, observações…", "Date, discount, notes…"],
  travels: ["A mercadoria segue com este documento", "Goods travel with this document"],
  travels_hint: [
    "Serve então de documento de transporte, e leva os locais de carga e de descarga.",
    "It is then the transport document, too, and names the places of loading and unloading.",
  ],
  start: ["Início", "Start"],
  start_hint: ["Vazio: quando for emitido.", "Empty: when it is issued."],
  end: ["Chegada", "Arrival"],
  vehicle: ["Matrícula", "Licence plate"],
  due_hint: ["Sem data, nunca fica vencida.", "Without a date it is never overdue."],
  address: ["Morada", "Address"],
  postal_code: ["Código postal", "Postal code"],
  city: ["Localidade", "City"],
});

/** The fields as those of a form, with the server's refusals of the document. */
function formOfWriting(writing: Writing): FormState {
  const { issue_date, due_date, valid_until, supply_date, series_id, transport, refused } = writing;
  const { start_at, end_at, vehicle, from, to } = transport;
  const below = (path: string, fields: Readonly<Record<string, Signal<string>>>) =>
    Object.entries(fields).map(([name, value]) => [`${path}.${name}`, value] as const);
  const journey = Object.fromEntries([
    ...below("transport", { start_at, end_at, vehicle }),
    ...below("transport.from", from),
    ...below("transport.to", to),
  ]);
  const values = { issue_date, due_date, valid_until, supply_date, series_id, ...journey };
  return { values, errors: refused, isSending: signal(false), send: async () => false };
}

/** The fields behind the heading. */
const BEHIND = ["issue_date", "supply_date", "global_discount_pct", "notes", "series_id"];

interface DetailsProps {
  readonly writing: Writing;
  /** The usable series; the first is the usual one. */
  readonly series: readonly Series[];
}

/** The days that matter for the type, and the rest behind a heading. */
export function Details({ writing, series }: DetailsProps) {
  const form = useMemo(() => formOfWriting(writing), [writing]);
  const { type, doc_type } = writing;
  const discount = discountProblem(writing);
  const amount = globalAmount(writing);
  const isFilled = useComputed(
    () => writing.discount.value !== "" || writing.discount_amount.value !== null || writing.notes.value !== "",
  );
  const isOpen = useSignal(isFilled.peek());
  // What is emptied again closes nothing: somebody is typing there.
  useSignalEffect(() => {
    if (isFilled.value) isOpen.value = true;
  });
  useSignalEffect(() => {
    if (BEHIND.some((path) => writing.refused.value[path])) isOpen.value = true;
  });
  return (
    <FieldsOf value={form}>
      {hasJourney(writing) && <TransportFields writing={writing} />}
      {hasDueDate(writing) && (
        <div class="fields due">
          <TextField label={fieldNames.due_date} hint={t.due_hint} type="date" path="due_date" />
        </div>
      )}
      {isQuotation({ doc_type: doc_type.value }) && (
        <div class="fields due">
          <TextField label={fieldNames.valid_until} type="date" path="valid_until" />
        </div>
      )}
      <details
        class="details"
        open={isOpen.value}
        onToggle={(event) => {
          isOpen.value = event.currentTarget.open;
        }}
      >
        <summary>{t.more}</summary>
        {!isAboutOthers(writing) && <References writing={writing} />}
        <div class="fields">
          <TextField label={t.date} type="date" path="issue_date" />
          {hasSupplyDate({ doc_type: doc_type.value }) && (
            <TextField label={fieldNames.supply_date} hint={t.supply_hint} type="date" path="supply_date" />
          )}
          {series.length > 1 && (
            <SelectField
              label={fieldNames.series_id}
              path="series_id"
              options={seriesToChoose(series, writing.series_id.value).map(([id, { code, training, cash_vat }]) => [
                id,
                training ? t.training({ code }) : cash_vat ? t.cash_vat({ code }) : code,
              ])}
            />
          )}
          {!writesReceipt(writing) && (
            <Field
              label={t.discount}
              hint={amount === null ? undefined : t.amount_off({ amount: money(amount) })}
              error={discount ?? form.errors.value.global_discount_pct}
            >
              {(names) => (
                <input {...names} class="number" inputmode="decimal" autocomplete="off" {...bound(writing.discount)} />
              )}
            </Field>
          )}
          {type.value.takes_transport && !type.value.has_transport && (
            <div class="wide">
              <Check label={t.travels} hint={t.travels_hint} value={writing.transport.travels} />
            </div>
          )}
          <Field label={t.notes} error={form.errors.value.notes} class="wide">
            {(names) => <textarea {...names} rows={2} maxlength={1_000} {...bound(writing.notes)} />}
          </Field>
        </div>
      </details>
    </FieldsOf>
  );
}

function TransportFields({ writing }: { readonly writing: Writing }) {
  useSignalEffect(() => fillPlaces(writing));
  const place = (title: string, path: "from" | "to") => (
    <fieldset>
      <legend>{title}</legend>
      <div class="fields">
        <TextField label={t.address} path={`transport.${path}.address`} wide required />
        <TextField label={t.postal_code} path={`transport.${path}.postal_code`} />
        <TextField label={t.city} path={`transport.${path}.city`} />
      </div>
    </fieldset>
  );
  return (
    <section class="transport">
      <h2>{fieldNames.transport}</h2>
      <div class="fields">
        <TextField label={t.start} hint={t.start_hint} type="datetime-local" path="transport.start_at" />
        <TextField label={t.end} type="datetime-local" path="transport.end_at" />
        <TextField label={t.vehicle} path="transport.vehicle" class="plate" />
      </div>
      <div class="places">
        {place(fieldNames.from, "from")}
        {place(fieldNames.to, "to")}
      </div>
    </section>
  );
}
