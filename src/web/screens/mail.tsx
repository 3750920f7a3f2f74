/** E-mail: the server that the company's e-mails go by, how they look, what they say, and a test. */
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { CompanyMail, CompanyMailChanges } from "../../core/face.ts";
import { LANGS, type Lang } from "../../core/texts/languages.ts";
import { Button } from "../button.tsx";
import { FormDialog, openDialog, withPassword } from "../dialog.tsx";
import { Form, FormProblem, SelectField, TextField, useForm } from "../fields/form.tsx";
import { announce } from "../notice.tsx";
import { Page, Section } from "../page.tsx";
import { lacre } from "../reading/api.ts";
import { Facts } from "../reading/facts.tsx";
import { Loaded, useResource } from "../reading/resource.tsx";
import { useLeaveQuestion } from "../router.ts";
import { company, session } from "../session.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  title: ["E-mail", "E-mail"],
  about: [
    "Por onde seguem os documentos que envia por e-mail, e o que diz a mensagem.",
    "How the documents that you send by e-mail go out, and what the message says.",
  ],
  leave: ["Há alterações por guardar. Sair mesmo assim?", "There are changes that are not saved. Leave all the same?"],
  save: ["Guardar", "Save"],
  // ——— The server ———
  server: ["Servidor de e-mail", "E-mail server"],
  none_yet: [
    "Ainda não se enviam e-mails: falta o servidor. Estes dados estão na ajuda do seu fornecedor de e-mail, em «SMTP» ou «configurar noutro programa».",
    "No e-mails are sent yet: the server is missing. Your e-mail provider's help has these details, under “SMTP” or “set up another program”.",
  ],
  nothing_sends: [
    "Esta instalação ainda não envia e-mails. Quem a instalou indica o servidor com --smtp; se a empresa for a única, pode antes deixá-la ter o seu, com --mail-key.",
    "This installation sends no e-mails yet. Whoever installed it names the server with --smtp; if this is its only company, --mail-key lets it have a server of its own instead.",
  ],
  by_operator: [
    "Os e-mails seguem de {from}, pelo servidor que quem instalou o Lacre indicou. Não precisa de configurar nada.",
    "E-mails are sent from {from}, by the server that whoever installed Lacre named. There is nothing for you to set up.",
  ],
  by_own_of_several: [
    "Os e-mails seguem de {from}, por {host}. Como a instalação já tem várias empresas, este servidor não se muda aqui: fale com quem a instalou, ou deixe de o usar.",
    "E-mails are sent from {from}, by {host}. As the installation has several companies by now, this server is not changed here: ask whoever installed it, or stop using it.",
  ],
  host: ["Servidor (SMTP)", "Server (SMTP)"],
  host_hint: ["Como smtp.oseufornecedor.pt", "As in smtp.yourprovider.com"],
  port: ["Porta", "Port"],
  security: ["Segurança", "Security"],
  starttls: ["STARTTLS (a mais comum)", "STARTTLS (the most common)"],
  tls: ["SSL/TLS", "SSL/TLS"],
  unsafe: ["Nenhuma, e sem palavra-passe", "None, and no password"],
  user: ["Utilizador", "User"],
  user_hint: ["Quase sempre o endereço de e-mail.", "Nearly always the e-mail address."],
  password: ["Palavra-passe do e-mail", "Password of the e-mail"],
  keep_password: ["Deixe em branco para manter a que está guardada.", "Leave it empty to keep the one that is stored."],
  password_again: [
    "Mudou o servidor ou o utilizador: escreva-a outra vez.",
    "The server or the user is another: type it again.",
  ],
  password_hint: [
    "Fica cifrada. Alguns fornecedores pedem uma «palavra-passe de aplicação».",
    "It is stored encrypted. Some providers want an “app password”.",
  ],
  from: ["Enviar de", "Send from"],
  from_hint: ["O endereço que o cliente vê.", "The address that the customer sees."],
  server_saved: [
    "Servidor guardado. Envie um e-mail de teste para ver se funciona.",
    "Server saved. Send a test message to see whether it works.",
  ],
  stop: ["Deixar de usar", "Stop using it"],
  stop_title: ["Deixar de usar este servidor?", "Stop using this server?"],
  stop_hint: [
    "A palavra-passe é apagada, e não se enviam e-mails até indicar outro servidor.",
    "Its password is deleted, and no e-mails are sent until you name another server.",
  ],
  stopped: ["O servidor já não é usado.", "The server is no longer used."],
  // ——— The test ———
  test: ["Experimentar", "Try it"],
  test_hint: [
    "A mensagem vai para {to}. A resposta demora uns segundos.",
    "The message goes to {to}. It takes seconds.",
  ],
  test_unsaved: ["Guarde primeiro o servidor.", "Save the server first."],
  send_test: ["Enviar um e-mail de teste", "Send a test message"],
  sending: ["A enviar…", "Sending…"],
  delivered: [
    "Chegou ao servidor, que o aceitou para {to}. Veja na caixa de entrada, ou no lixo eletrónico.",
    "It reached the server, which took it for {to}. Look in the inbox, or among the spam.",
  ],
  refused: ["O servidor recusou a mensagem: {error}", "The server refused the message: {error}"],
  failed: ["Não seguiu. O servidor disse: {error}", "It was not sent. The server said: {error}"],
  unknown: [
    "A ligação caiu já com a mensagem enviada: pode ter chegado a {to}.",
    "The connection was lost once the message had gone out: it may have reached {to}.",
  ],
  login_refused: [
    "Não seguiu: o servidor não aceitou o utilizador e a palavra-passe.",
    "It was not sent: the server did not accept the user and the password.",
  ],
  no_server_there: [
    "Não seguiu: não há nenhum servidor com esse nome. Veja como está escrito.",
    "It was not sent: there is no server of that name. Check how it is written.",
  ],
  no_answer: [
    "Não seguiu: o servidor não respondeu. Verifique o nome, a porta e a segurança.",
    "It was not sent: the server did not answer. Check its name, the port and the security.",
  ],
  no_tls: [
    "Não seguiu: não se conseguiu uma ligação segura. Verifique o nome, a porta e a segurança.",
    "It was not sent: there was no secure connection. Check the name, the port and the security.",
  ],
  // ——— How they look ———
  looks: ["Remetente e mensagem", "Sender and message"],
  name: ["Nome do remetente", "Name of the sender"],
  name_hint: ["Em branco, o nome da empresa.", "If empty, the company's name."],
  reply_to: ["Responder para", "Reply to"],
  reply_to_hint: [
    "Em branco, as respostas vão para o endereço de onde o e-mail seguiu.",
    "If empty, replies go to the address that the e-mail came from.",
  ],
  pt: ["A clientes em português", "To customers in Portuguese"],
  en: ["A clientes em inglês", "To customers in English"],
  subject: ["Assunto", "Subject"],
  message: ["Mensagem", "Message"],
  usual: ["Repor o texto do Lacre", "Back to Lacre's text"],
  preview: ["Ver como fica", "See how it reads"],
  places: ["O que se escreve entre chavetas", "What stands in braces"],
  places_hint: [
    "O Lacre troca cada palavra entre chavetas pelo que está no documento. Por exemplo:",
    "Lacre puts what the document has in place of each word in braces. For example:",
  ],
  looks_saved: ["Remetente e mensagem guardados.", "Sender and message saved."],
});

export function Screen() {
  const mail = useResource((signal) => lacre.mail.get({}, { signal }));
  return (
    <Page title={t.title} about={t.about}>
      <Loaded from={mail}>
        {(value) => (
          <div class="settings">
            <Server mail={value} onChanged={mail.set} />
            <Looks mail={value} onChanged={mail.set} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

interface PartProps {
  readonly mail: CompanyMail;
  readonly onChanged: (mail: CompanyMail) => void;
}

// ——— The server ———

const PORTS = { starttls: "587", tls: "465", none: "25" } as const;
type Security = keyof typeof PORTS;

function Server({ mail, onChanged }: PartProps) {
  const { from, server, may_set_server } = mail;
  const isUnsaved = useSignal(false);
  return (
    <>
      <Section title={t.server}>
        {may_set_server ? (
          <ServerForm
            mail={mail}
            onChanged={onChanged}
            onTyped={(isTyped) => {
              isUnsaved.value = isTyped;
            }}
          />
        ) : from !== null && server?.from === from ? (
          <>
            <p>{t.by_own_of_several({ from, host: server.host })}</p>
            <div class="actions">
              <StopButton onChanged={onChanged} />
            </div>
          </>
        ) : (
          <p>{from === null ? t.nothing_sends : t.by_operator({ from })}</p>
        )}
      </Section>
      {from !== null && <TestMessage isUnsaved={isUnsaved.value} />}
    </>
  );
}

/** The values of the form of a server, by their paths. */
const typedServer = (server: CompanyMail["server"]) => ({
  "server.host": server?.host ?? "",
  "server.security": server?.security ?? "starttls",
  "server.port": String(server?.port ?? PORTS.starttls),
  "server.user": server?.user ?? "",
  "server.password": "",
  "server.from": server?.from ?? "",
});

function ServerForm({ mail, onChanged, onTyped }: PartProps & { readonly onTyped: (isTyped: boolean) => void }) {
  const { server } = mail;
  const before = typedServer(server);
  const form = useForm(before, "mail.change");
  const { values } = form;
  const paths = Object.keys(before) as (keyof typeof before)[];
  const isChanged = paths.some((path) => values[path].value.trim() !== before[path]);
  useLeaveQuestion(() => (isChanged ? t.leave : undefined));
  useEffect(() => onTyped(isChanged), [isChanged]);
  useFollowing(values["server.user"], values["server.from"]);
  const isSameLogin = (["server.host", "server.user"] as const).every(
    (path) => values[path].value.trim() === before[path],
  );
  const hasPassword = server?.has_password ?? false;
  const show = (next: CompanyMail) => {
    const shown = typedServer(next.server);
    for (const path of paths) values[path].value = shown[path];
    onChanged(next);
  };
  const save = () =>
    form.send(async () => {
      const typed = (path: (typeof paths)[number]) => values[path].value.trim();
      const password = values["server.password"].value;
      const given = {
        host: typed("server.host"),
        port: Number(typed("server.port")),
        security: typed("server.security") as Security,
        user: typed("server.user") || null,
        ...(password !== "" && { password }),
        from: typed("server.from"),
      };
      show(await withPassword(() => lacre.mail.change({ server: given })));
      announce(t.server_saved);
    });
  return (
    <Form
      state={form}
      onSubmit={save}
      submit={t.save}
      canSubmit={isChanged}
      actions={server && <StopButton onChanged={show} />}
    >
      {!server && <p class="hint above">{t.none_yet}</p>}
      <div class="fields">
        <TextField label={t.host} path="server.host" hint={t.host_hint} required wide />
        <div class="wide fields">
          <SelectField
            label={t.security}
            path="server.security"
            options={[
              ["starttls", t.starttls],
              ["tls", t.tls],
              ["none", t.unsafe],
            ]}
            onChange={(security) => {
              const port = values["server.port"];
              const isUsual = Object.values<string>(PORTS).includes(port.value.trim());
              if (isUsual) port.value = PORTS[security as Security];
            }}
          />
          <TextField label={t.port} path="server.port" inputmode="numeric" required />
        </div>
        <div class="wide fields">
          <TextField label={t.user} path="server.user" hint={t.user_hint} />
          <TextField
            label={t.password}
            path="server.password"
            type="password"
            autocomplete="new-password"
            hint={hasPassword ? (isSameLogin ? t.keep_password : t.password_again) : t.password_hint}
          />
        </div>
        <TextField label={t.from} path="server.from" type="email" hint={t.from_hint} required wide />
      </div>
    </Form>
  );
}

/** Writes the user as the address too, while it is one and the person has written no other. */
function useFollowing(user: { value: string }, from: { value: string; peek(): string }): void {
  const written = useRef<string | undefined>(undefined);
  useSignalEffect(() => {
    const address = user.value.includes("@") ? user.value : "";
    const last = written.current;
    written.current = address;
    if (last !== undefined && from.peek() === last) from.value = address;
  });
}

function StopButton({ onChanged }: Pick<PartProps, "onChanged">) {
  const ask = () =>
    openDialog(
      <FormDialog
        title={t.stop_title}
        submit={t.stop}
        change={() => withPassword(() => lacre.mail.change({ server: null }))}
        onDone={(mail) => {
          onChanged(mail);
          announce(t.stopped);
        }}
      >
        <p>{t.stop_hint}</p>
      </FormDialog>,
    );
  return <Button label={t.stop} class="plain" onClick={ask} />;
}

// ——— The test ———

type Tested = Awaited<ReturnType<typeof lacre.mail.test>>;

/** How long the page waits for the outcome: somewhat longer than the server of Lacre does. */
const PATIENCE_MS = 30_000;

/** What a failure means: one of the words of Node and nodemailer, or the server's own reply. */
function failureOf(error: string): string {
  if (!/^[A-Z_]+$/.test(error)) return t.failed({ error });
  if (error === "EAUTH") return t.login_refused;
  if (["ENOTFOUND", "EDNS", "EAI_AGAIN"].includes(error)) return t.no_server_there;
  return /TLS|SSL|CERT|EPROTO|UNABLE_TO/.test(error) ? t.no_tls : t.no_answer;
}

function outcomeOf({ outcome, error, to }: Tested): readonly [tone: "good" | "warn" | "bad", said: string] {
  if (outcome === "delivered") return ["good", t.delivered({ to })];
  if (outcome === "unknown") return ["warn", t.unknown({ to })];
  if (outcome === "refused") return ["bad", t.refused({ error: error ?? "" })];
  return ["bad", failureOf(error ?? "")];
}

function TestMessage({ isUnsaved }: { readonly isUnsaved: boolean }) {
  const form = useForm();
  const tested = useSignal<Tested | undefined>(undefined);
  const send = () =>
    form.send(async () => {
      tested.value = undefined;
      tested.value = await lacre.mail.test({}, { signal: AbortSignal.timeout(PATIENCE_MS) });
    });
  const isSending = form.isSending.value;
  const [tone, said] = tested.value ? outcomeOf(tested.value) : [];
  return (
    <Section title={t.test}>
      <p class="hint above">{isUnsaved ? t.test_unsaved : t.test_hint({ to: session.value?.user.login ?? "" })}</p>
      <Button
        label={isSending ? t.sending : t.send_test}
        aria-disabled={isSending || isUnsaved}
        onClick={() => !isUnsaved && send()}
      />
      <div class="outcome" role="status">
        {said && <p class={`state ${tone}`}>{said}</p>}
      </div>
      <FormProblem of={form} />
    </Section>
  );
}

// ——— How they look ———

type Place = "title" | "document" | "number" | "date" | "due_date" | "total" | "customer" | "company";

/** What the places of a text hold in an example, but for the company's name. */
const EXAMPLES: Readonly<Record<Lang, Readonly<Record<Exclude<Place, "company">, string>>>> = {
  pt: {
    title: "Fatura FT 2026A/12",
    document: "a fatura",
    number: "FT 2026A/12",
    date: "24-11-2026",
    due_date: "24-12-2026",
    total: "123,00 €",
    customer: "Ana Conceição",
  },
  en: {
    title: "Invoice FT 2026A/12",
    document: "invoice",
    number: "FT 2026A/12",
    date: "2026-11-24",
    due_date: "2026-12-24",
    total: "€123.00",
    customer: "Ana Conceição",
  },
};

const exampleIn = (lang: Lang): Readonly<Record<string, string>> => ({
  ...EXAMPLES[lang],
  company: company.value?.name ?? "",
});

/** A text as it reads for the example; a word that is no place stays as it is. */
const filled = (text: string, lang: Lang): string =>
  text.replaceAll(/\{([^{}]*)\}/g, (place, name: string) => exampleIn(lang)[name] ?? place);

const PARTS = ["subject", "message"] as const;

/** The values of the form of looks, by their paths: Lacre's texts where the company has none. */
const typedLooks = ({ name, reply_to, usual, ...own }: CompanyMail) => ({
  name: name ?? "",
  reply_to: reply_to ?? "",
  "pt.subject": own.pt.subject ?? usual.pt.subject,
  "pt.message": own.pt.message ?? usual.pt.message,
  "en.subject": own.en.subject ?? usual.en.subject,
  "en.message": own.en.message ?? usual.en.message,
});

function Looks({ mail, onChanged }: PartProps) {
  const before = typedLooks(mail);
  const form = useForm(before, "mail.change");
  const { values } = form;
  const paths = Object.keys(before) as (keyof typeof before)[];
  const isChanged = paths.some((path) => values[path].value.trim() !== before[path]);
  useLeaveQuestion(() => (isChanged ? t.leave : undefined));
  const save = () =>
    form.send(async () => {
      const typed = (path: (typeof paths)[number]) => values[path].value.trim() || null;
      const ownOf = (lang: Lang, part: (typeof PARTS)[number]) => {
        const text = typed(`${lang}.${part}`);
        return text === mail.usual[lang][part] ? null : text;
      };
      const textsOf = (lang: Lang) => ({ subject: ownOf(lang, "subject"), message: ownOf(lang, "message") });
      const changes: CompanyMailChanges = {
        name: typed("name"),
        reply_to: typed("reply_to"),
        pt: textsOf("pt"),
        en: textsOf("en"),
      };
      const next = await withPassword(() => lacre.mail.change(changes));
      const shown = typedLooks(next);
      for (const path of paths) values[path].value = shown[path];
      onChanged(next);
      announce(t.looks_saved);
    });
  return (
    <Section title={t.looks}>
      <Form state={form} onSubmit={save} submit={t.save} canSubmit={isChanged}>
        <div class="fields">
          <TextField label={t.name} path="name" hint={t.name_hint} placeholder={company.value?.name} />
          <TextField label={t.reply_to} path="reply_to" type="email" hint={t.reply_to_hint} />
        </div>
        <details class="mail-places">
          <summary>{t.places}</summary>
          <p class="hint above">{t.places_hint}</p>
          <Facts rows={Object.entries(exampleIn("pt")).map(([name, value]) => [`{${name}}`, value])} />
        </details>
        {LANGS.map((lang) => {
          const [subject, message] = [values[`${lang}.subject`], values[`${lang}.message`]];
          const { usual } = mail;
          const isUsual = subject.value === usual[lang].subject && message.value === usual[lang].message;
          return (
            <fieldset key={lang} class="mail-texts">
              <legend>{t[lang]}</legend>
              <TextField label={t.subject} path={`${lang}.subject`} />
              <TextField label={t.message} path={`${lang}.message`} lines={7} />
              <details>
                <summary>{t.preview}</summary>
                <div class="preview" lang={lang}>
                  <p>
                    <strong>{filled(subject.value, lang)}</strong>
                  </p>
                  <p class="as-typed">{filled(message.value, lang)}</p>
                </div>
              </details>
              {!isUsual && (
                <Button
                  label={t.usual}
                  of={t[lang]}
                  class="plain"
                  onClick={() => {
                    subject.value = usual[lang].subject;
                    message.value = usual[lang].message;
                  }}
                />
              )}
            </fieldset>
          );
        })}
      </Form>
    </Section>
  );
}
