/** Series: opened, registered with the tax authority, closed for good; and the turn of the year. */
import { useSignal } from "@preact/signals";
import type { Series, Waiting } from "../../core/face.ts";
import { yearOf } from "../../core/fiscal/civil-time.ts";
import { DOC_TYPES, type DocType } from "../../core/fiscal/document-types.ts";
import { nameOfSeries, partsOfNumber, yearOfCode } from "../../core/fiscal/numbering.ts";
import { Button } from "../button.tsx";
import { today } from "../clock.ts";
import { FormDialog, openDialog, withPassword } from "../dialog.tsx";
import { bound, Check, FieldError, SelectField, TextField, useForm } from "../fields/form.tsx";
import { announce } from "../notice.tsx";
import { Page, Section } from "../page.tsx";
import { lacre } from "../reading/api.ts";
import { seriesName, useOwnCompany } from "../reading/own-company.ts";
import { Empty, Loaded, useResource } from "../reading/resource.tsx";
import { type Column, Table } from "../reading/table.tsx";
import { search, setSearch } from "../router.ts";
import { can } from "../session.ts";
import { number } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";
import { typeName, typeOptions } from "../words/type-names.ts";

const t = texts({
  title: ["Séries", "Series"],
  about: [
    "Cada tipo de documento é numerado numa série, em geral uma por ano.",
    "Each type of document is numbered in a series, mostly one a year.",
  ],
  open: ["Abrir série", "Open a series"],
  open_year: ["Abrir séries de {year}", "Open series of {year}"],
  open_another_year: ["Abrir as séries de um ano", "Open the series of a year"],
  show_closed: ["Mostrar as fechadas", "Show closed ones"],
  no_year: ["Sem ano no nome", "No year in the name"],
  series: ["Série", "Series"],
  next: ["Próximo", "Next"],
  code: ["Código da AT", "AT code"],
  code_of: ["Código da AT para {name}", "AT code of {name}"],
  state: ["Estado", "State"],
  actions: ["Ações", "Actions"],
  active: ["em uso", "in use"],
  unregistered: ["por registar na AT", "to be registered"],
  without_code: ["com documentos sem código", "documents without a code"],
  closed: ["fechada", "closed"],
  training: ["formação", "training"],
  locked: ["bloqueada", "locked"],
  save: ["Guardar", "Save"],
  save_of: ["o código de {name}", "the code of {name}"],
  correct: ["Corrigir", "Correct"],
  close: ["Fechar", "Close"],
  registered: ["{name}: código guardado.", "{name}: code saved."],
  none: ["Não há séries abertas.", "No series is open."],
  none_hint: [
    "Abra uma para cada tipo de documento que vai emitir, ou o ano de uma só vez.",
    "Open one for each type of document you will issue, or the whole year at once.",
  ],
  how: ["Como obter o código na AT", "How to get the code from AT"],
  to_register: ["{count} {count|série|séries} por registar na AT", "{count} series to register with AT"],
  why: [
    "A lei manda imprimir em cada documento um código único, o ATCUD, que começa pelo código da série. Registe só as que vai usar.",
    "The law wants a unique code on each document, the ATCUD, which begins with the code of its series. Register only those you will use.",
  ],
  step_1: [
    "No Portal das Finanças, abra «Comunicação de séries documentais» e escolha «Registar série».",
    "On the Portal das Finanças open “Comunicação de séries documentais” and choose “Registar série”.",
  ],
  step_2: [
    "Copie de cada série daqui o identificador (a seguir ao tipo: 2026A em «FS 2026A») e o tipo de documento. A série é «Normal», começa no número 1, e o meio de processamento é «Programa informático de faturação».",
    "Copy from each series here its identifier (what follows the type: 2026A in “FS 2026A”) and its type of document. The series is “Normal”, begins at number 1, and is processed by “Programa informático de faturação”.",
  ],
  step_3: [
    "A AT mostra um código como AAJFF2AKKV. Escreva-o aqui, ao lado da série, antes do primeiro documento: depois já não pode.",
    "AT shows a code such as AAJFF2AKKV. Type it here beside the series, before its first document: after that it is too late.",
  ],
  locked_title: ["Séries bloqueadas depois de repor uma cópia", "Series locked since a backup was restored"],
  locked_why: [
    "Uma cópia de segurança pode ser mais antiga do que os últimos documentos, e nenhum número pode sair duas vezes. Antes de emitir, quem gere o servidor confirma o último número que cada série deu, em papel ou por e-mail:",
    "A backup may be older than the last documents, and no number may be given twice. Before anything is issued, who runs the server confirms the last number each series gave, on paper or by e-mail:",
  ],
  close_title: ["Fechar {name}?", "Close {name}?"],
  close_final: [
    "É definitivo: a série não volta a abrir nem dá mais números. Os documentos já emitidos ficam como estão.",
    "This is final: the series never opens again and gives no more numbers. Its documents stay as they are.",
  ],
  close_at: [
    "Se a registou na AT, finalize-a também no Portal das Finanças.",
    "If it is registered with AT, end it on the Portal das Finanças too.",
  ],
  close_confirm: ["Fechar para sempre", "Close for good"],
  was_closed: ["{name} fechada.", "{name} closed."],
  type: ["Tipo de documento", "Type of document"],
  identifier: ["Identificador", "Identifier"],
  identifier_hint: [
    "Letras e números, sem espaços. Com o ano no nome, a do ano seguinte abre-se a partir desta.",
    "Letters and digits, no spaces. With the year in it, next year's series follows from this one.",
  ],
  later: ["Pode escrevê-lo mais tarde, até ao primeiro documento.", "It can be typed later, until the first document."],
  for_training: ["Série de formação", "Training series"],
  for_cash_vat: ["Série de IVA de caixa", "Cash-VAT series"],
  for_cash_vat_hint: [
    "Para faturas a sujeitos passivos, as suas correções e os seus recibos.",
    "For invoices to taxable persons, their corrections and their receipts.",
  ],
  for_training_hint: [
    "Para aprender a usar o programa: os documentos dizem que são de formação e não contam.",
    "To learn the program with: its documents say so and do not count.",
  ],
  opened: ["{name} aberta.", "{name} opened."],
  year: ["Ano", "Year"],
  year_hint: [
    "A cada série que tem documentos ou código da AT segue-se uma: 2027A depois de 2026A. As que já existem ficam como estão.",
    "Each series with documents or a code is followed by one: 2027A after 2026A. Those there already stay as they are.",
  ],
  year_open: ["As séries de {year} já estavam abertas.", "The series of {year} were open already."],
  year_opened: [
    "{count} {count|série|séries} de {year} {count|aberta: registe-a|abertas: registe-as} na AT.",
    "{count} series of {year} opened: register {count|it|them}.",
  ],
});

/** The most rows of a page of the API. */
const PAGE = 200;

async function everySeries(signal: AbortSignal): Promise<readonly Series[]> {
  const found: Series[] = [];
  let total = 1;
  while (found.length < total) {
    const { data, pagination } = await lacre.series.list({ limit: PAGE, offset: found.length }, { signal });
    if (data.length === 0) break;
    found.push(...data);
    total = pagination.total;
  }
  return found;
}

/** The year it is there. */
const yearIn = (time_zone: string): number => yearOf(today(time_zone));

export function Screen() {
  const company = useOwnCompany();
  const list = useResource(everySeries);
  const waiting = useResource((signal) => lacre.waiting.list({}, { signal }));
  const mayWrite = can("series:write");
  const done = (said: string) => {
    announce(said);
    list.reload();
  };
  const here = company.state.value.value;
  const year = here ? yearIn(here.time_zone) : undefined;
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={
        mayWrite &&
        year && (
          <>
            <button type="button" onClick={() => openDialog(<OpenYear year={year} onDone={done} />)}>
              {t.open_year({ year: String(year + 1) })}
            </button>
            <Button label={t.open} class="main" onClick={() => openDialog(<OpenSeries year={year} onDone={done} />)} />
          </>
        )
      }
    >
      <Loaded from={company}>
        {({ time_zone }) => (
          <Loaded from={list}>
            {(all) => (
              <Lists
                all={all}
                year={yearIn(time_zone)}
                heads={headsOf(waiting.state.value.value)}
                showsClosed={search.value.has("closed")}
                onClose={mayWrite ? (series) => openDialog(<CloseSeries series={series} onDone={done} />) : undefined}
                onChanged={(changed) => list.set(all.map((row) => (row.id === changed.id ? changed : row)))}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

/** The last numbers that must be confirmed after a restore. */
const headsOf = (waiting: readonly Waiting[] | undefined): readonly string[] =>
  (waiting ?? []).flatMap((item) => (item.kind === "numbers_unconfirmed" ? item.numbers : []));

interface ListsProps {
  readonly all: readonly Series[];
  readonly year: number;
  readonly heads: readonly string[];
  readonly showsClosed: boolean;
  /** Left out if the role may not change series. */
  readonly onClose: ((series: Series) => void) | undefined;
  readonly onChanged: (series: Series) => void;
}

function Lists({ all, year, heads, showsClosed, onClose, onChanged }: ListsProps) {
  const shown = all.filter(({ status }) => showsClosed || status === "active");
  const locked = new Set(
    heads.map((head) => {
      const { doc_type, series_code } = partsOfNumber(head) ?? {};
      return `${doc_type} ${series_code}`;
    }),
  );
  const waiting = shown.filter((row) => awaitsCode(row) && !row.training && row.status === "active");
  const columns: Column<Series>[] = [
    {
      title: t.series,
      cell: (row) => (
        <>
          <span class="whole">{typeName(row.doc_type)}</span>
          <small>{seriesName(row)}</small>
        </>
      ),
    },
    { title: t.next, kind: "number", cell: (row) => row.status === "active" && number(row.next_number) },
    { title: t.code, cell: (row) => <Code series={row} mayWrite={!!onClose} onChanged={onChanged} /> },
    { title: t.state, cell: (row) => <State series={row} isLocked={locked.has(nameOfSeries(row))} /> },
    {
      title: t.actions,
      kind: "actions",
      cell: (row) =>
        onClose &&
        row.status === "active" && <Button label={t.close} of={seriesName(row)} onClick={() => onClose(row)} />,
    },
  ];
  const years = [...Map.groupBy(shown, ({ code }) => yearOfCode(code)).entries()].sort(
    ([a], [b]) => rankOf(b, year) - rankOf(a, year),
  );
  return (
    <>
      {heads.length > 0 && (
        <Section title={t.locked_title} class="caution">
          <p>{t.locked_why}</p>
          <code>lacre restore {heads.map((head) => `--confirm-head '${head}'`).join(" ")}</code>
        </Section>
      )}
      {waiting.length > 0 && <HowTo count={waiting.length} />}
      {all.some(({ status }) => status === "closed") && (
        <div class="filters">
          <label class="check">
            <input
              type="checkbox"
              checked={showsClosed}
              onChange={(event) => setSearch({ closed: event.currentTarget.checked ? "1" : undefined })}
            />
            <span>{t.show_closed}</span>
          </label>
        </div>
      )}
      {years.length === 0 && (
        <Empty title={t.none}>
          <p>{t.none_hint}</p>
        </Empty>
      )}
      {years.map(([ofYear, rows]) => (
        <section key={ofYear} class="sheet">
          <h2>{ofYear ?? t.no_year}</h2>
          <Table
            title={`${t.title} ${ofYear ?? t.no_year}`}
            keyOf={({ id }) => id}
            rows={rows.toSorted((a, b) => DOC_TYPES.indexOf(a.doc_type) - DOC_TYPES.indexOf(b.doc_type))}
            columns={columns}
          />
        </section>
      ))}
    </>
  );
}

/** The order of the years: this one, then none, then the newest. */
const rankOf = (of: number | null, year: number): number => (of === year ? 1e5 : (of ?? 1e4));

/** Whether a series has no code yet and may still get one. */
const awaitsCode = ({ validation_code, next_number, status }: Series) =>
  validation_code === null && next_number === 1 && status === "active";

function HowTo({ count }: { readonly count: number }) {
  return (
    <details class="sheet caution">
      <summary>
        <strong>{t.to_register({ count })}</strong> · {t.how}
      </summary>
      <p>{t.why}</p>
      <ol>
        <li>{t.step_1}</li>
        <li>{t.step_2}</li>
        <li>{t.step_3}</li>
      </ol>
    </details>
  );
}

function State({ series, isLocked }: { readonly series: Series; readonly isLocked: boolean }) {
  const { status, training, validation_code, next_number } = series;
  if (status === "closed") return <span class="tag">{t.closed}</span>;
  return (
    <span class="tags">
      {isLocked && <span class="tag bad">{t.locked}</span>}
      {training && <span class="tag">{t.training}</span>}
      {validation_code !== null && !isLocked && <span class="tag good">{t.active}</span>}
      {validation_code === null && !training && (
        <span class="tag warn">{next_number > 1 ? t.without_code : t.unregistered}</span>
      )}
    </span>
  );
}

interface CodeProps {
  readonly series: Series;
  readonly mayWrite: boolean;
  readonly onChanged: (series: Series) => void;
}

/** AT's code of a series: typed in place until the first document. */
function Code({ series, mayWrite, onChanged }: CodeProps) {
  const isCorrecting = useSignal(false);
  const value = useSignal(series.validation_code ?? "");
  const form = useForm();
  const { validation_code, next_number, status } = series;
  const name = seriesName(series);
  const isOpen = mayWrite && next_number === 1 && status === "active";
  if (!isOpen || (validation_code !== null && !isCorrecting.value)) {
    return (
      <>
        {validation_code && <code>{validation_code}</code>}{" "}
        {isOpen && (
          <Button
            label={t.correct}
            of={t.save_of({ name })}
            class="plain"
            onClick={() => {
              isCorrecting.value = true;
            }}
          />
        )}
      </>
    );
  }
  const save = async (event: Event) => {
    event.preventDefault();
    const fields = [...document.querySelectorAll<HTMLInputElement>(".code input")];
    const next = fields[fields.findIndex((one) => one.form === event.target) + 1];
    const code = value.value.trim().toUpperCase() || null;
    const saved = await form.send(async () =>
      onChanged(await lacre.series.change({ id: series.id, validation_code: code })),
    );
    if (!saved) return;
    isCorrecting.value = false;
    announce(t.registered({ name }));
    next?.focus();
  };
  const problem = form.errors.value.validation_code ?? form.errors.value[""];
  return (
    <form class="code" noValidate onSubmit={save}>
      <input
        type="text"
        aria-label={t.code_of({ name })}
        aria-invalid={problem !== undefined}
        aria-describedby={problem && `${series.id}-problem`}
        autocomplete="off"
        autocapitalize="characters"
        spellcheck={false}
        maxlength={53}
        {...bound(value)}
      />
      <button type="submit" disabled={form.isSending.value || value.value.trim() === (validation_code ?? "")}>
        {t.save}
        <span class="unseen"> {t.save_of({ name })}</span>
      </button>
      <FieldError id={`${series.id}-problem`} text={problem} alert />
    </form>
  );
}

interface DoneProps {
  readonly onDone: (said: string) => void;
}

function CloseSeries({ series, onDone }: DoneProps & { readonly series: Series }) {
  const { id, validation_code } = series;
  const name = seriesName(series);
  return (
    <FormDialog
      title={t.close_title({ name })}
      submit={t.close_confirm}
      change={() => withPassword(() => lacre.series.change({ id, status: "closed" }))}
      onDone={() => onDone(t.was_closed({ name }))}
    >
      <p>{t.close_final}</p>
      {validation_code && <p>{t.close_at}</p>}
    </FormDialog>
  );
}

function OpenSeries({ year, onDone }: DoneProps & { readonly year: number }) {
  const form = useForm({ doc_type: "FT", code: `${year}B`, validation_code: "" }, "series.create");
  const training = useSignal(false);
  const cash_vat = useSignal(false);
  const isInScheme = useOwnCompany().state.value.value?.cash_vat ?? false;
  const { doc_type, code, validation_code } = form.values;
  const open = () =>
    lacre.series.create({
      doc_type: doc_type.value as DocType,
      code: code.value.trim(),
      validation_code: validation_code.value.trim().toUpperCase() || null,
      training: training.value,
      cash_vat: cash_vat.value,
    });
  return (
    <FormDialog
      title={t.open}
      change={open}
      onDone={(series) => onDone(t.opened({ name: seriesName(series) }))}
      form={form}
    >
      <div class="fields">
        <SelectField label={t.type} path="doc_type" options={typeOptions()} wide />
        <TextField label={t.identifier} path="code" required wide hint={t.identifier_hint} />
        <TextField label={t.code} path="validation_code" wide placeholder="AAJFF2AKKV" hint={t.later} />
        <div class="wide">
          <Check label={t.for_training} value={training} hint={t.for_training_hint} />
          {isInScheme && <Check label={t.for_cash_vat} value={cash_vat} hint={t.for_cash_vat_hint} />}
        </div>
      </div>
    </FormDialog>
  );
}

function OpenYear({ year: now, onDone }: DoneProps & { readonly year: number }) {
  const form = useForm({ year: String(now + 1) });
  const year = form.values.year.value;
  return (
    <FormDialog
      title={t.open_another_year}
      change={() => lacre.series.openYear({ year: Number(year) })}
      onDone={({ opened: { length: count } }) =>
        onDone(count === 0 ? t.year_open({ year }) : t.year_opened({ count, year }))
      }
      form={form}
    >
      <SelectField
        label={t.year}
        path="year"
        options={[now + 1, now].map((one) => [String(one), String(one)])}
        hint={t.year_hint}
      />
    </FormDialog>
  );
}
