/** What waits for a person, in words, with the way to do it. */

import type { Waiting } from "../core/face.ts";
import { Button } from "./button.tsx";
import { FormDialog, openDialog } from "./dialog.tsx";
import { announce } from "./notice.tsx";
import { Section } from "./page.tsx";
import { lacre } from "./reading/api.ts";
import { useOwnCompany } from "./reading/own-company.ts";
import { useResource } from "./reading/resource.tsx";
import { href } from "./router.ts";
import { can } from "./session.ts";
import { day, moment, month, spelledMoment } from "./words/decimals.ts";
import { texts } from "./words/texts.ts";

const t = texts({
  to_do: ["A fazer", "To do"],
  numbers_unconfirmed: [
    "Esta é uma cópia de segurança restaurada. Não se emite nada até confirmar o último número dado em cada série: {numbers}.",
    "This is a restored backup. Nothing is issued until the last number given in each series is confirmed: {numbers}.",
  ],
  database_changed: [
    "A base de dados foi alterada por algo que não o Lacre: {place} não está como ficou. Não se emite nada até alguém responder por isso.",
    "The database was changed by something other than Lacre: {place} is not as it was left. Nothing is issued until somebody answers for it.",
  ],
  clock_behind: [
    "O relógio está atrasado: o último documento é de {latest}. Acerte-o para voltar a emitir.",
    "The clock is behind: the latest document is of {latest}. Set it to issue again.",
  ],
  clock_unconfirmed: [
    "Desde {since} que não se emite nada. Antes do próximo documento, confirme o relógio do computador do Lacre.",
    "Nothing was issued since {since}. Before the next document, confirm the clock of the machine Lacre runs on.",
  ],
  clock_asked: ["Confirmar o relógio", "Confirm the clock"],
  clock_question: ["O relógio do computador do Lacre está certo?", "Is the clock of Lacre's machine right?"],
  clock_shows: ["O relógio marca {now}.", "The clock shows {now}."],
  clock_warning: [
    "Se não for essa a data e a hora, feche esta janela e acerte o relógio: a data de um documento emitido já não se muda.",
    "If that is not the date and time, close this window and set the clock: the date of an issued document never changes.",
  ],
  clock_right: ["Está certo", "It is right"],
  clock_confirmed: ["Relógio confirmado: já se pode emitir.", "Clock confirmed: documents can be issued."],
  clock_by_owner: ["Quem o confirma é o proprietário, nesta página.", "An owner confirms it, on this page."],
  disk_low: [
    "O disco em que o Lacre guarda os documentos está quase cheio ({free} MB livres): liberte espaço. Quando ficar cheio, nada se emite.",
    "The disk that Lacre keeps its documents on is nearly full ({free} MB left): make room on it. Once it is full, nothing is issued.",
  ],
  backup_overdue: [
    "Faça uma cópia de segurança, de preferência para outro disco. Última: {taken}.",
    "Take a backup, best to another disk. The last one: {taken}.",
  ],
  heads_not_elsewhere: [
    "Os últimos números só estão anotados ao lado da base de dados, e perdem-se com ela. Guarde a nota também noutro disco ou computador.",
    "The last numbers are noted beside the database alone, and are lost with it. Keep the note on another disk or machine, too.",
  ],
  never: ["nenhuma", "none"],
  tax_file_due: [
    "Comunique à AT o ficheiro SAF-T de {month}, até {due}.",
    "Communicate the tax file of {month} to the tax authority by {due}.",
  ],
  tax_file_changed: [
    "Há documentos de {month} emitidos ou anulados depois da comunicação à AT. Comunique de novo.",
    "Documents of {month} were issued or cancelled after it was communicated. Communicate it again.",
  ],
  year_not_open: ["Abra as séries de {year}.", "Open the series of {year}."],
  series_unregistered: [
    "Comunique estas séries à AT e registe os códigos: {series}.",
    "Register these series with the tax authority and enter their codes: {series}.",
  ],
  series_without_code: [
    "Há documentos sem ATCUD, em séries que já não se podem registar: {series}. Abra outras.",
    "There are documents without ATCUD, in series that can no longer be registered: {series}. Open others.",
  ],
  webhook_failing: [
    "O webhook para {url} falha desde {since}: quem o recebe não responde bem.",
    "The webhook to {url} fails since {since}: its receiver does not answer well.",
  ],
  webhook_disabled: [
    "O webhook para {url} já não recebe nada: falhou desde {since}.",
    "The webhook to {url} gets nothing any more: it failed since {since}.",
  ],
  emails_not_sent: [
    "E-mails que não seguiram nos últimos 7 dias: {failed}; que talvez tenham chegado: {unknown}.",
    "E-mails of the last 7 days that were not sent: {failed}; that may have arrived: {unknown}.",
  ],
  emails_failing: [
    "O envio de e-mails falha desde {since}: o servidor não os aceita.",
    "Sending e-mail fails since {since}: the server does not take it.",
  ],
  emails_unsent: [
    "Há e-mails à espera desde {since}: nenhum programa os envia.",
    "E-mails wait since {since}: no program sends them.",
  ],
  webhooks_unsent: [
    "Há mensagens de webhooks à espera desde {since}: nenhum programa as envia.",
    "Messages to webhooks wait since {since}: no program sends them.",
  ],
  to_mail: ["Ver as definições de e-mail", "See the e-mail settings"],
  to_saft: ["Ver ficheiro SAF-T", "See the tax file"],
  to_series: ["Ver séries", "See series"],
  copy: ["copia.db", "copy.db"],
  folder: ["pasta", "folder"],
  on_machine: ["No computador do Lacre:", "On the machine Lacre runs on:"],
});

/** Everything in the company that waits for a person; nothing if nothing does. */
export function Waits() {
  useOwnCompany();
  const waiting = useResource((signal) => lacre.waiting.list({}, { signal }));
  const rows = waiting.state.value.value ?? [];
  if (rows.length === 0) return null;
  return (
    <Section title={t.to_do} class="to-do">
      <ul>
        {rows.map((one) => (
          <li key={JSON.stringify(one)}>
            <ToDo waiting={one} onDone={waiting.reload} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface ToDoProps<Kind extends Waiting["kind"] = Waiting["kind"]> {
  readonly waiting: Extract<Waiting, { kind: Kind }>;
  readonly onDone: () => void;
}

/** One thing to do. */
function ToDo({ waiting, onDone }: ToDoProps) {
  switch (waiting.kind) {
    case "numbers_unconfirmed":
      return typed(t.numbers_unconfirmed({ numbers: waiting.numbers.join(", ") }), "lacre restore --status");
    case "database_changed":
      return typed(t.database_changed({ place: waiting.place }), "lacre verify");
    case "clock_behind":
      return typed(t.clock_behind({ latest: moment(waiting.latest_issued_at) }), "lacre clock confirm");
    case "clock_unconfirmed":
      return <ClockToConfirm waiting={waiting} onDone={onDone} />;
    case "disk_low":
      return <span>{t.disk_low({ free: String(Math.floor(waiting.free_bytes / 1_000_000)) })}</span>;
    case "backup_overdue": {
      const taken = waiting.taken_at === null ? t.never : moment(waiting.taken_at);
      return typed(t.backup_overdue({ taken }), `lacre backup ${t.copy}`);
    }
    case "heads_not_elsewhere":
      return typed(t.heads_not_elsewhere, `lacre heads --to ${t.folder}`);
    case "tax_file_due": {
      const [named, due] = [month(waiting.month), day(waiting.due)];
      const text = waiting.changed ? t.tax_file_changed({ month: named }) : t.tax_file_due({ month: named, due });
      return linked(text, "/saft", t.to_saft);
    }
    case "year_not_open":
      return linked(t.year_not_open({ year: String(waiting.year) }), "/series", t.to_series);
    case "series_unregistered":
      return linked(t.series_unregistered({ series: waiting.numbered_as.join(", ") }), "/series", t.to_series);
    case "series_without_code":
      return linked(t.series_without_code({ series: waiting.numbered_as.join(", ") }), "/series", t.to_series);
    case "webhook_failing": {
      const { url, disabled } = waiting;
      const since = moment(waiting.since);
      return <span>{disabled ? t.webhook_disabled({ url, since }) : t.webhook_failing({ url, since })}</span>;
    }
    case "emails_not_sent":
      return <span>{t.emails_not_sent({ failed: waiting.failed, unknown: waiting.unknown })}</span>;
    case "emails_failing": {
      const text = t.emails_failing({ since: moment(waiting.since) });
      return can("company:write") ? linked(text, "/mail", t.to_mail) : <span>{text}</span>;
    }
    case "emails_unsent":
      return <span>{t.emails_unsent({ since: moment(waiting.since) })}</span>;
    case "webhooks_unsent":
      return typed(t.webhooks_unsent({ since: moment(waiting.since) }), "lacre serve");
  }
}

/**
 * A person with permission confirms the clock here, seeing its time: a shop that was closed has nobody at a terminal.
 */
function ClockToConfirm({ waiting, onDone }: ToDoProps<"clock_unconfirmed">) {
  const confirmed = () => {
    announce(t.clock_confirmed);
    onDone();
  };
  const ask = () =>
    openDialog(
      <FormDialog
        title={t.clock_question}
        submit={t.clock_right}
        change={() => lacre.clock.confirm({})}
        onDone={confirmed}
      >
        <p>{t.clock_shows({ now: spelledMoment(waiting.now) })}</p>
        <p>{t.clock_warning}</p>
      </FormDialog>,
    );
  return (
    <>
      <span>{t.clock_unconfirmed({ since: moment(waiting.since) })}</span>{" "}
      {can("company:write") ? <Button label={t.clock_asked} onClick={ask} /> : <small>{t.clock_by_owner}</small>}
    </>
  );
}

/** A step that another screen does. */
const linked = (text: string, to: string, label: string) => (
  <>
    <span>{text}</span> <a href={href(to)}>{label}</a>
  </>
);

/** A step that only the machine can do: the command to type there. */
const typed = (text: string, command: string) => (
  <>
    <span>{text}</span> <small>{t.on_machine}</small> <code>{command}</code>
  </>
);
