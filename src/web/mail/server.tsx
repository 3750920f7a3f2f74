/** The server that the company's e-mails go by, and a test message. */
import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { CompanyMail } from "../../core/face.ts";
import { Button } from "../button.tsx";
import { FormDialog, openDialog, withPassword } from "../dialog.tsx";
import { Form, FormProblem, SelectField, TextField, useForm } from "../fields/form.tsx";
import { announce } from "../notice.tsx";
import { Section } from "../page.tsx";
import { lacre } from "../reading/api.ts";
import { session } from "../session.ts";
import { texts } from "../words/texts.ts";
import { type PartProps, useKept } from "./kept.ts";

const t = texts({
  save: ["Guardar", "Save"],
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
    "The message goes to {to}. The answer takes a few seconds.",
  ],
  test_unsaved: ["Guarde primeiro o servidor.", "Save the server first."],
  send_test: ["Enviar um e-mail de teste", "Send a test message"],
  sending: ["A enviar…", "Sending…"],
  delivered: [
    "Chegou ao servidor, que o aceitou para {to}. Procure-o na caixa de entrada, ou no lixo eletrónico.",
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
});

const PORTS = { starttls: "587", tls: "465", none: "25" } as const;
type Security = keyof typeof PORTS;

/** The server, as far as the company may set it, and a test message where one is set. */
export function Server({ mail, onChanged }: PartProps) {
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
  const { form, isChanged, typed, show: showKept } = useKept(before);
  const { values } = form;
  useEffect(() => onTyped(isChanged), [isChanged]);
  useFollowing(values["server.user"], values["server.from"]);
  const isSameLogin = (["server.host", "server.user"] as const).every((path) => typed(path) === before[path]);
  const hasPassword = server?.has_password ?? false;
  const show = (next: CompanyMail) => {
    showKept(typedServer(next.server));
    onChanged(next);
  };
  const save = () =>
    form.send(async () => {
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
function useFollowing(user: Signal<string>, from: Signal<string>): void {
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
  useEffect(() => {
    // It was of the server as it was.
    if (isUnsaved) tested.value = undefined;
  }, [isUnsaved]);
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
