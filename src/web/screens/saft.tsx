/** The tax file: a month, its warnings, the file, and the mark that it was sent. */
import { useSignal } from "@preact/signals";
import type { Communication, SaftExportReport } from "../../core/face.ts";
import { type Day, dayOf } from "../../core/fiscal/civil-time.ts";
import { salesSign } from "../../core/fiscal/document-types.ts";
import { fromCents, toCents } from "../../core/fiscal/money.ts";
import { docTypeOf, partsOfNumber } from "../../core/fiscal/numbering.ts";
import { Button } from "../button.tsx";
import { todayHere } from "../clock.ts";
import { FormDialog, openDialog } from "../dialog.tsx";
import { FormProblem, useForm } from "../fields/form.tsx";
import { announce } from "../notice.tsx";
import { Page, Section } from "../page.tsx";
import { answerOf, lacre } from "../reading/api.ts";
import { saveFile } from "../reading/files.ts";
import { List, useList } from "../reading/list.tsx";
import { Loaded, useResource } from "../reading/resource.tsx";
import { Table } from "../reading/table.tsx";
import { href, search, setSearch } from "../router.ts";
import { day, moment, money, month, number } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  title: ["Ficheiro SAF-T", "Tax file"],
  about: [
    "O ficheiro de faturação que a AT pede todos os meses, até ao dia 5 do mês seguinte.",
    "The file of invoices that the tax authority asks for each month, by the 5th of the next.",
  ],
  none: ["Ainda não há documentos para comunicar.", "There are no documents to send yet."],
  month: ["Mês", "Month"],
  documents: ["Documentos", "Documents"],
  due: ["Até", "By"],
  state: ["Estado", "State"],
  sent: ["Comunicado em {day} por {who}", "Sent on {day} by {who}"],
  changed: ["Mudou depois de comunicado", "Changed since it was sent"],
  to_send: ["Por comunicar", "To send"],
  open: ["Em curso", "In progress"],
  look: ["Ver", "See"],
  actions: ["Ações", "Actions"],
  chosen: ["Ficheiro de {name}", "File of {name}"],
  back: ["Todos os meses", "All months"],
  first: ["Antes de enviar", "Before you send it"],
  fine: ["Nada a apontar.", "Nothing to point out."],
  holds: ["O que contém", "Contents"],
  kind: ["Tipo", "Type"],
  cancelled: ["Anulados", "Cancelled"],
  sold: ["Vendas no total", "Sales in all"],
  net: ["Sem IVA", "Without VAT"],
  tax: ["IVA", "VAT"],
  gross: ["Total", "Total"],
  download: ["Descarregar o ficheiro", "Download the file"],
  reading: ["A preparar… {size} MB", "Preparing… {size} MB"],
  mark: ["Marcar como comunicado", "Mark as sent"],
  mark_again: ["Marcar outra vez", "Mark again"],
  mark_hint: [
    "Depois de o enviar no Portal das Finanças (e-Fatura, Faturas, Comunicar ficheiro), marque-o aqui.",
    "After you sent it on the tax authority's portal, mark it here.",
  ],
  mark_question: [
    "Só depois de o enviar: não se pode desfazer. O que for emitido a seguir neste mês fica assinalado.",
    "Only once it is sent: this cannot be undone. What is issued in this month from then on is pointed out.",
  ],
  mark_running: [
    "Este mês ainda não acabou: a AT pede o ficheiro do mês inteiro. Marque-o só se já o enviou assim.",
    "This month is not over: the tax authority asks for the whole month. Mark it only if you sent it as it is.",
  ],
  marked: ["Marcado como comunicado.", "Marked as sent."],
  more: ["e mais {count}", "and {count} more"],
  not_certified: [
    "O programa não é certificado: a lei obriga quem fatura por programa a usar um que o seja.",
    "The program is not certified: the law obliges whoever invoices by program to use one that is.",
  ],
  without_atcud: [
    "Documentos de séries sem código da AT: vão com ATCUD 0.",
    "Documents without ATCUD: their series has no code.",
  ],
  exemption_by_default: [
    "Linhas a 0 % sem motivo de isenção: vão com o código M99.",
    "Lines at 0 % without a reason: they bear the code M99.",
  ],
  receipt_without_origin: ["Recibos que não indicam a fatura paga.", "Receipts that name no invoice."],
  correction_without_reference: [
    "Notas de crédito ou débito que não indicam a fatura que corrigem.",
    "Credit or debit notes that name no invoice.",
  ],
  correction_without_line: [
    "Notas de crédito com linhas que não indicam o que corrigem: as quantidades não foram comparadas.",
    "Credit notes with lines that name nothing they correct: quantities were not compared.",
  ],
  dated_before_series: [
    "Documentos com data anterior ao registo da série.",
    "Documents dated before their series was registered.",
  ],
  series_of_earlier_year: ["Documentos em séries de outro ano.", "Documents in series of an earlier year."],
  backdated: ["Documentos com data anterior ao dia em que foram feitos.", "Documents dated before they were made."],
  issued_late: [
    "Faturas emitidas mais de cinco dias úteis depois da operação (serviços na UE: depois do dia 15 do mês seguinte).",
    "Invoices issued more than five working days after the supply (services in the EU: after the 15th of the next month).",
  ],
  exemption_unlike_customer: [
    "Motivos de isenção que não servem ao cliente: falta-lhe o NIF, o número de IVA ou o país que a lei pede.",
    "Exemption codes that do not fit the customer, who lacks the tax number or country that the law asks for.",
  ],
  means_incomplete: [
    "Faturas-recibo cujos pagamentos não chegam ao total.",
    "Invoice-receipts whose payments do not come to their total.",
  ],
  cash_above_limit: [
    "Documentos com 3 000 € ou mais pagos em dinheiro, o que a lei proíbe.",
    "Documents with 3,000 EUR or more paid in cash, which the law forbids.",
  ],
  changed_outside: [
    "Documentos alterados por fora do Lacre: o ficheiro mostra-os como estão, não como foram emitidos.",
    "Documents changed by something else than Lacre: the file shows them as they are, not as issued.",
  ],
  paid_before_supply: [
    "Recibos com um pagamento anterior ao que liquidam.",
    "Receipts with a payment dated before what it pays.",
  ],
  withholding_as_line: [
    "Linhas que começam por «retenção»: indica-se depois do total, não numa linha.",
    "Lines that begin with “retenção”: it is stated below the total, not in a line.",
  ],
  country_unknown: ["Moradas com um país que não é conhecido.", "Addresses with an unknown country."],
  rate_not_lawful: [
    "Linhas com uma taxa de IVA que não era nenhuma das da região nesse dia.",
    "Lines at a rate of VAT that was none of the region's on that day.",
  ],
  tax_differs: [
    "Documentos cujo IVA difere da soma das linhas em mais de 0,01.",
    "Documents whose VAT differs from that of their lines by more than 0.01.",
  ],
  text_replaced: [
    "Textos com letras que o ficheiro não admite: foram trocadas por parecidas.",
    "Texts with letters that the file cannot hold: similar ones stand instead.",
  ],
});

export function Screen() {
  const chosen = search.value.get("month");
  return chosen ? <OneMonth key={chosen} chosen={chosen} /> : <AllMonths />;
}

function AllMonths() {
  const months = useList((page, signal) => lacre.saft.listCommunications(page, { signal }));
  return (
    <Page title={t.title} about={t.about}>
      <List
        title={t.title}
        from={months}
        none={t.none}
        keyOf={(row) => row.month}
        columns={[
          { title: t.month, cell: (row) => month(row.month) },
          { title: t.documents, kind: "number", cell: ({ documents }) => number(documents) },
          { title: t.due, cell: ({ due }) => day(due) },
          { title: t.state, cell: (row) => <State of={row} /> },
          {
            title: t.actions,
            kind: "actions",
            cell: (row) => (
              <Button
                label={t.look}
                of={month(row.month)}
                onClick={() => setSearch({ month: row.month, offset: undefined })}
              />
            ),
          },
        ]}
      />
    </Page>
  );
}

const isChanged = ({ changed: { issued, cancelled } }: Communication): boolean => issued + cancelled > 0;

function State({ of }: { readonly of: Communication }) {
  const today = todayHere();
  if (of.communicated === null) {
    if (today.startsWith(of.month)) return <span class="tag">{t.open}</span>;
    return <span class={of.due < today ? "tag bad" : "tag"}>{t.to_send}</span>;
  }
  if (isChanged(of)) return <span class="tag warn">{t.changed}</span>;
  return <span class="tag good">{t.sent({ day: moment(of.communicated.at), who: of.communicated.by.name })}</span>;
}

/** The first and the last day of a month. */
function daysOf(yearAndMonth: string): { readonly from: Day; readonly to: Day } {
  const [year = 0, ofYear = 0] = yearAndMonth.split("-").map(Number);
  return { from: dayOf(year, ofYear, 1), to: dayOf(year, ofYear + 1, 0) };
}

function OneMonth({ chosen }: { readonly chosen: string }) {
  const period = daysOf(chosen);
  const found = useResource(async (signal) => {
    const [report, { data }] = await Promise.all([
      lacre.saft.report(period, { signal }),
      lacre.saft.listCommunications({ limit: 200 }, { signal }),
    ]);
    return { report, sent: data.find((one) => one.month === chosen) };
  });
  const sent = found.state.value.value?.sent;
  const needsMark = !sent?.communicated || isChanged(sent);
  const read_bytes = useSignal<number | undefined>(undefined);
  const form = useForm();
  const download = () =>
    form.send(async () => {
      read_bytes.value = 0;
      try {
        await readFile(period, (bytes) => {
          read_bytes.value = bytes;
        });
      } finally {
        read_bytes.value = undefined;
      }
    });
  const marked = () => {
    announce(t.marked);
    setSearch({ month: undefined });
  };
  const mark = () =>
    openDialog(
      <FormDialog title={t.mark} change={() => lacre.saft.markCommunicated({ month: chosen })} onDone={marked}>
        {todayHere().startsWith(chosen) && <p class="state warn">{t.mark_running}</p>}
        <p>{t.mark_question}</p>
      </FormDialog>,
    );
  return (
    <Page
      title={t.chosen({ name: month(chosen) })}
      about={sent && <State of={sent} />}
      actions={
        <button type="button" onClick={() => setSearch({ month: undefined })}>
          ← {t.back}
        </button>
      }
    >
      <Loaded from={found}>
        {({ report }) => (
          <>
            <Warnings warnings={report.warnings} />
            <Holds types={report.types} />
            <section class="sheet">
              <div class="actions">
                <button type="button" class="main" disabled={form.isSending.value} onClick={download}>
                  {read_bytes.value === undefined
                    ? t.download
                    : t.reading({ size: number(Math.round(read_bytes.value / 1e5) / 10) })}
                </button>
                {needsMark && (
                  <Button
                    label={sent?.communicated ? t.mark_again : t.mark}
                    disabled={form.isSending.value}
                    onClick={mark}
                  />
                )}
              </div>
              {needsMark && <p class="hint">{t.mark_hint}</p>}
              <FormProblem of={form} />
            </section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Reads the file piece by piece and saves it, reporting its progress. */
async function readFile(period: ReturnType<typeof daysOf>, onBytes: (bytes: number) => void): Promise<void> {
  const answer = await answerOf("GET", "/v1/saft", period);
  const pieces: BlobPart[] = [];
  let bytes = 0;
  for (const reader = answer.body?.getReader(); reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    bytes += value.length;
    onBytes(bytes);
  }
  saveFile({ name: `saft-${period.from}-${period.to}.xml`, blob: new Blob(pieces, { type: "application/xml" }) });
}

function Warnings({ warnings }: { readonly warnings: SaftExportReport["warnings"] }) {
  return (
    <Section title={t.first}>
      {warnings.length === 0 ? (
        <p>{t.fine}</p>
      ) : (
        <ul class="warnings">
          {warnings.map(({ code, count, examples, more }) => (
            <li key={code}>
              <span class="tag warn">{number(count)}</span> {t[code]}
              <small>
                {examples.map((example, index) => (
                  <>
                    {index > 0 && ", "}
                    <Example text={example} />
                  </>
                ))}{" "}
                {more > 0 && t.more({ count: more })}
              </small>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** An example of a warning; the number of a document leads to it. */
function Example({ text }: { readonly text: string }) {
  return partsOfNumber(text) ? (
    <a class="whole" href={href(`/documents?number=${encodeURIComponent(text)}`)}>
      {text}
    </a>
  ) : (
    text
  );
}

type Kind = SaftExportReport["types"][number];

/** The sum of sales: credit notes subtract, other types than invoices count nothing. */
function soldOf(types: readonly Kind[]): Omit<Kind, "type" | "lines"> | undefined {
  const sold = types.flatMap((kind) => {
    const doc_type = docTypeOf(kind.type);
    const sign = doc_type ? salesSign(doc_type) : 0;
    return sign === 0 ? [] : [{ ...kind, sign }];
  });
  if (sold.length < 2) return undefined;
  const count = (name: "documents" | "cancelled") => sold.reduce((sum, kind) => sum + kind[name], 0);
  const amount = (name: "net" | "tax" | "gross") =>
    String(fromCents(sold.reduce((cents, kind) => cents + kind.sign * toCents(Number(kind[name])), 0)));
  return {
    documents: count("documents"),
    cancelled: count("cancelled"),
    net: amount("net"),
    tax: amount("tax"),
    gross: amount("gross"),
  };
}

function Holds({ types }: { readonly types: SaftExportReport["types"] }) {
  const sold = soldOf(types);
  return (
    <Section title={t.holds}>
      <Table
        title={t.holds}
        keyOf={({ type }) => type}
        rows={sold ? [...types, { type: t.sold, ...sold }] : types}
        columns={[
          { title: t.kind, cell: ({ type }) => type },
          { title: t.documents, kind: "number", cell: ({ documents }) => number(documents) },
          { title: t.cancelled, kind: "number", cell: ({ cancelled }) => number(cancelled) },
          { title: t.net, kind: "number", cell: ({ net }) => money(Number(net)) },
          { title: t.tax, kind: "number", cell: ({ tax }) => money(Number(tax)) },
          { title: t.gross, kind: "number", cell: ({ gross }) => money(Number(gross)) },
        ]}
      />
    </Section>
  );
}
