/** The state of the installation: its backups, its version, and whether everything in it is whole. */

import { useSignal } from "@preact/signals";
import type { OwnInstallation } from "../../core/face.ts";
import { Button } from "../button.tsx";
import { FormProblem, useForm } from "../fields/form.tsx";
import { Page, Section } from "../page.tsx";
import { answerOf, lacre } from "../reading/api.ts";
import { Facts } from "../reading/facts.tsx";
import { Loaded, useResource } from "../reading/resource.tsx";
import { Waits } from "../waiting.tsx";
import { moment, number } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  title: ["Estado", "State"],
  about: ["O programa e a base de dados onde está tudo.", "The program, and the database that holds everything."],
  installation: ["Instalação", "Installation"],
  version: ["Versão do Lacre", "Version of Lacre"],
  created: ["Base de dados criada", "Database made"],
  restores: ["Restauros", "Restores"],
  restored: ["Restaurada da cópia de", "Restored from the backup of"],
  backups: ["Cópias de segurança", "Backups"],
  last: ["Última cópia", "Last backup"],
  never: ["Nenhuma", "None"],
  backup_hint: [
    "Para cópias automáticas e verificadas, arranque o Lacre assim, de preferência com uma pasta noutro disco:",
    "For automatic, verified backups, start Lacre like this, best with a folder on another disk:",
  ],
  backup_now: ["Para uma cópia agora, no computador do Lacre:", "For one now, on the machine Lacre runs on:"],
  backups_of_server: [
    "Tudo está em PostgreSQL: as cópias de segurança são as do próprio servidor, de quem trata dele.",
    "All of it is in PostgreSQL: its backups are the server's own, and with whoever looks after that.",
  ],
  locked: ["Séries à espera de confirmação", "Series to be confirmed"],
  checked: ["Verificada sozinha", "Checked by itself"],
  verify: ["Verificar", "Verify"],
  verify_hint: [
    "Volta a calcular assinaturas, selos, totais e contagens de todos os documentos. Pode demorar; pode continuar a faturar.",
    "Computes signatures, seals, totals and counts of every document again. It may take a while; invoicing goes on.",
  ],
  verifying: ["A verificar… {done} de {total}", "Verifying… {done} of {total}"],
  whole: ["Está tudo intacto.", "Everything is whole."],
  not_whole: ["Há coisas que não batem certo:", "Some things do not agree:"],
});

export function Screen() {
  const installation = useResource((signal) => lacre.installation.get({}, { signal }));
  return (
    <Page title={t.title} about={t.about}>
      <Waits />
      <Loaded from={installation}>
        {(found) => (
          <>
            <About installation={found} />
            <Backups installation={found} />
          </>
        )}
      </Loaded>
      <Verify />
    </Page>
  );
}

function About({ installation }: { readonly installation: OwnInstallation }) {
  const { version, created_at, restores, backup_taken_at, locked, check } = installation;
  return (
    <Section title={t.installation}>
      <Facts
        rows={[
          [t.version, version],
          [t.created, moment(created_at)],
          [t.restores, number(restores)],
          [
            t.checked,
            check && (check.finding ? <span class="tag warn">{check.finding.place}</span> : moment(check.checked_at)),
          ],
          [t.restored, backup_taken_at && moment(backup_taken_at)],
          [t.locked, locked.map(({ head }) => head).join(", ")],
        ]}
      />
    </Section>
  );
}

function Backups({ installation: { database, last_backup } }: { readonly installation: OwnInstallation }) {
  if (database === "postgres") {
    return (
      <Section title={t.backups}>
        <p class="hint">{t.backups_of_server}</p>
      </Section>
    );
  }
  return (
    <Section title={t.backups}>
      <Facts rows={[[t.last, last_backup ? moment(last_backup.taken_at) : <span class="tag warn">{t.never}</span>]]} />
      <p class="hint">{t.backup_hint}</p>
      <code>lacre serve --backup-to copias --backup-every 24h</code>
      <p class="hint">{t.backup_now}</p>
      <code>lacre backup copia.db</code>
    </Section>
  );
}

/** A line of the answer: the progress, or at the end the findings. */
type Told =
  | { readonly done: number; readonly total: number }
  | { readonly findings: readonly { readonly place: string; readonly reason: string }[] };

function Verify() {
  const told = useSignal<Told | undefined>(undefined);
  const form = useForm();
  const verify = () =>
    form.send(async () => {
      told.value = undefined;
      for await (const line of lines()) told.value = line;
    });
  const now = told.value;
  return (
    <Section title={t.verify}>
      <p class="hint">{t.verify_hint}</p>
      <div class="actions">
        <Button label={t.verify} disabled={form.isSending.value} onClick={verify} />
      </div>
      <div role="status">
        {now && "total" in now && (
          <>
            <p>{t.verifying({ done: now.done, total: now.total })}</p>
            <progress aria-label={t.verify} value={now.done} max={Math.max(now.total, 1)} />
          </>
        )}
        {now && "findings" in now && now.findings.length === 0 && (
          <p>
            <span class="tag good">{t.whole}</span>
          </p>
        )}
        {now && "findings" in now && now.findings.length > 0 && (
          <>
            <p class="problem">{t.not_whole}</p>
            <ul>
              {now.findings.map(({ place, reason }) => (
                <li key={place + reason}>
                  {place}: {reason}
                </li>
              ))}
            </ul>
          </>
        )}
        <FormProblem of={form} />
      </div>
    </Section>
  );
}

/** The answer line by line, as it arrives. */
async function* lines(): AsyncGenerator<Told> {
  const answer = await answerOf("POST", "/area/v1/verify");
  const decoder = new TextDecoder();
  let rest = "";
  for (const reader = answer.body?.getReader(); reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    const whole = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = whole.pop() ?? "";
    for (const line of whole) if (line) yield JSON.parse(line) as Told;
  }
}
