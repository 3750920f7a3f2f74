/** Customers and products of another program, from its SAF-T file: shown first, then created. */

import { useSignal } from "@preact/signals";
import type { SaftImport } from "../../core/face.ts";
import { importedRecord } from "../../core/texts/imported-record.ts";
import { Button, ButtonLink } from "../button.tsx";
import { FormProblem, useForm } from "../fields/form.tsx";
import { announce } from "../notice.tsx";
import { Page } from "../page.tsx";
import { call } from "../reading/api.ts";
import { type Column, Table } from "../reading/table.tsx";
import { number, percent, unitPrice } from "../words/decimals.ts";
import { language } from "../words/language.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  title: ["Importar de outro programa", "Import from another program"],
  about: [
    "Peça ao programa antigo o ficheiro SAF-T (PT) de um ano. Daqui vêm os clientes e os artigos; os documentos ficam lá.",
    "Ask the old program for the SAF-T (PT) file of a year. Customers and products come over; documents stay there.",
  ],
  choose: ["Escolher ficheiro SAF-T…", "Choose a SAF-T file…"],
  other: ["Escolher outro ficheiro…", "Choose another file…"],
  reading: ["A ler {name}…", "Reading {name}…"],
  too_large: ["O ficheiro passa dos 64 MB.", "The file is larger than 64 MB."],
  too_large_hint: [
    "Exporte um período mais curto, ou use no servidor o comando «lacre import-saft».",
    "Export a shorter period, or use the command “lacre import-saft” on the server.",
  ],
  would: ["O que viria de {name}", "What would come from {name}"],
  done: ["Importado", "Imported"],
  dry: ["Ainda nada foi guardado.", "Nothing is stored yet."],
  what: ["O quê", "What"],
  customers: ["Clientes", "Customers"],
  products: ["Artigos", "Products"],
  created: ["Novos", "New"],
  existing: ["Já existem, ficam como estão", "Here already, left as they are"],
  unusable: ["Sem os dados mínimos", "Not usable"],
  name: ["Nome", "Name"],
  tax_id: ["NIF", "Tax number"],
  code: ["Código", "Code"],
  price: ["Preço sem IVA", "Price without VAT"],
  tax: ["IVA", "VAT"],
  new_customers: ["Clientes novos", "New customers"],
  new_products: ["Artigos novos", "New products"],
  more: ["e mais {count}", "and {count} more"],
  notes: ["Avisos", "Notes"],
  record: ["Registo", "Record"],
  note: ["Aviso", "Note"],
  run: ["Importar o que é novo", "Import what is new"],
  nothing: ["Não há nada de novo neste ficheiro.", "There is nothing new in this file."],
  imported: ["Importação feita.", "Import done."],
  see_customers: ["Ver clientes", "See customers"],
  see_products: ["Ver artigos", "See products"],
  no_name: ["Não tem nome: não é importado.", "It has no name: not imported."],
  final_consumer: ["É o consumidor final: não é importado.", "It is the final consumer: not imported."],
  no_description: ["Não tem descrição: não é importado.", "It has no description: not imported."],
  tax_id_invalid: [
    "«{given}» não é um NIF português válido: é importado sem ele.",
    "“{given}” is not a valid Portuguese tax number: imported without it.",
  ],
  type_changed: ["O tipo «{given}» passa a P.", "The type “{given}” becomes P."],
  price_rounded: ["O preço é arredondado a 6 casas decimais.", "The price is rounded to 6 decimals."],
  price_unknown: [
    "Nenhum documento do ficheiro mostra o preço: é importado a 0.",
    "No document in the file shows its price: imported at 0.",
  ],
  rate_unknown: [
    "Nenhum documento do ficheiro mostra a taxa de IVA: é importado à taxa normal.",
    "No document in the file shows its rate of VAT: imported at the normal rate.",
  ],
  rate_replaced: [
    "A taxa de IVA de {given} % já não existe: passa a {became} %, a de hoje da mesma classe.",
    "The VAT rate of {given}% is none of today's: it becomes {became}%, today's of the same class.",
  ],
  rate_kept: [
    "A taxa de IVA de {given} % não é nenhuma das de hoje e fica como está. Escolha outra em «Artigos» antes de vender.",
    "The VAT rate of {given}% is none of today's and stays as it is. Choose another under “Products” before selling.",
  ],
  not_accepted: ["{field} «{given}» não é aceite: fica de fora.", "{field} “{given}” is not accepted: left out."],
  cut: ["{field} é cortado a {max} caracteres: «{given}».", "{field} is cut to {max} characters: “{given}”."],
});

/** The text of each note. */
const NOTES = {
  no_name: () => t.no_name,
  final_consumer: () => t.final_consumer,
  no_description: () => t.no_description,
  tax_id_invalid: ({ given }: Note) => t.tax_id_invalid({ given: given ?? "" }),
  type_changed: ({ given }: Note) => t.type_changed({ given: given ?? "" }),
  price_rounded: () => t.price_rounded,
  price_unknown: () => t.price_unknown,
  rate_unknown: () => t.rate_unknown,
  rate_replaced: ({ given, became }: Note) => t.rate_replaced({ given: Number(given), became: Number(became) }),
  rate_kept: ({ given }: Note) => t.rate_kept({ given: Number(given) }),
  not_accepted: ({ field, given }: Note) => t.not_accepted({ field: field ?? "", given: given ?? "" }),
  cut: ({ field, given, max }: Note) => t.cut({ field: field ?? "", given: given ?? "", max: max ?? 0 }),
};

/** A part of a record that was left out, cut or assumed. */
type Note = SaftImport["notes"][number];

/** Longer lists are folded. */
const OPEN_UNTIL = 20;

/** The largest file that the server takes, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

export function Screen() {
  const file = useSignal<File | undefined>(undefined);
  const report = useSignal<SaftImport | undefined>(undefined);
  const form = useForm();
  const isBusy = form.isSending.value;
  const send = (dry_run: boolean) =>
    form.send(async () => {
      const options = { file: file.value };
      report.value = await call<SaftImport>("POST", "/area/v1/saft/import", { dry_run }, options);
      if (!dry_run) announce(t.imported);
    });
  const choose = (input: HTMLInputElement) => {
    const [chosen] = input.files ?? [];
    input.value = "";
    if (!chosen || isBusy) return;
    file.value = chosen;
    report.value = undefined;
    if (chosen.size > MAX_BYTES) form.errors.value = { "": `${t.too_large} ${t.too_large_hint}` };
    else void send(true);
  };
  return (
    <Page title={t.title} about={t.about}>
      <section class="sheet">
        <label class={report.value ? "button" : "button main"}>
          {file.value ? t.other : t.choose}
          <input
            class="unseen"
            type="file"
            accept=".xml,text/xml,application/xml"
            disabled={isBusy}
            onChange={(event) => choose(event.currentTarget)}
          />
        </label>
        <p class="busy" role="status">
          {isBusy && !report.value && t.reading({ name: file.value?.name ?? "" })}
        </p>
        <FormProblem of={form} />
      </section>
      {report.value && (
        <Report report={report.value} name={file.value?.name ?? ""} isBusy={isBusy} onImport={() => send(false)} />
      )}
    </Page>
  );
}

interface ReportProps {
  readonly report: SaftImport;
  readonly name: string;
  readonly isBusy: boolean;
  readonly onImport: () => void;
}

function Report({ report, name, isBusy, onImport }: ReportProps) {
  const { dry_run, customers, products, notes, more_notes } = report;
  const title = dry_run ? t.would({ name }) : t.done;
  return (
    <>
      <section class="sheet" aria-busy={isBusy}>
        <h2>{title}</h2>
        <Table
          title={title}
          keyOf={({ what }) => what}
          rows={[
            { what: t.customers, ...customers },
            { what: t.products, ...products },
          ]}
          columns={[
            { title: t.what, cell: ({ what }) => what },
            { title: t.created, kind: "number", cell: ({ created }) => number(created) },
            { title: t.existing, kind: "number", cell: ({ existing }) => number(existing) },
            { title: t.unusable, kind: "number", cell: ({ unusable }) => number(unusable) },
          ]}
        />
        <div class="actions">
          {!dry_run && (
            <>
              <ButtonLink label={t.see_customers} to="/customers" />
              <ButtonLink label={t.see_products} to="/products" />
            </>
          )}
          {dry_run && customers.created + products.created > 0 && (
            <>
              <p class="soft">{t.dry}</p>
              <Button label={t.run} class="main" disabled={isBusy} onClick={onImport} />
            </>
          )}
          {dry_run && customers.created + products.created === 0 && <p>{t.nothing}</p>}
        </div>
      </section>
      <First
        title={t.new_customers}
        rows={customers.rows.created}
        total={customers.created}
        columns={[
          { title: t.name, cell: ({ name }) => name },
          { title: t.tax_id, cell: ({ tax_id }) => tax_id },
        ]}
      />
      <First
        title={t.new_products}
        rows={products.rows.created}
        total={products.created}
        columns={[
          { title: t.name, cell: ({ name }) => name },
          { title: t.code, cell: ({ sku }) => sku },
          { title: t.price, kind: "number", cell: ({ unit_price_net }) => unitPrice(unit_price_net) },
          { title: t.tax, kind: "number", cell: ({ tax_rate }) => percent(tax_rate) },
        ]}
      />
      <First
        title={t.notes}
        rows={notes}
        total={notes.length + more_notes}
        columns={[
          { title: t.record, cell: (note) => importedRecord(note).in(language.value) },
          { title: t.note, cell: (note) => NOTES[note.code](note) },
        ]}
      />
    </>
  );
}

interface FirstProps<Row> {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** How many there are; the rows may be only the first of them. */
  readonly total: number;
}

/** The first rows of a kind; nothing if there are none. */
function First<Row>({ title, rows, columns, total }: FirstProps<Row>) {
  if (total === 0) return null;
  return (
    <details class="sheet" open={total <= OPEN_UNTIL}>
      <summary>
        <strong>{title}</strong> ({number(total)})
      </summary>
      <Table title={title} keyOf={(row) => String(rows.indexOf(row))} rows={rows} columns={columns} />
      {total > rows.length && <p class="soft">{t.more({ count: number(total - rows.length) })}</p>}
    </details>
  );
}
