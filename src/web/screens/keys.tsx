/** API keys: created for a program, shown once, revoked at once. */
import { useSignal } from "@preact/signals";
import type { ApiKey, CreatedApiKey } from "../../core/face.ts";
import type { Permission as Scope } from "../../core/runtime/permissions.ts";
import { Button } from "../button.tsx";
import { FormDialog, openDialog, withPassword } from "../dialog.tsx";
import { ShowOnce } from "../fields/copy-field.tsx";
import { FieldError, TextField, useForm } from "../fields/form.tsx";
import { announce } from "../notice.tsx";
import { Page } from "../page.tsx";
import { lacre } from "../reading/api.ts";
import { Empty, Loaded, useResource } from "../reading/resource.tsx";
import { Table } from "../reading/table.tsx";
import { moment } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  title: ["Chaves de API", "API keys"],
  about: [
    "Uma chave deixa outro programa, como a sua loja online, trabalhar nesta empresa. Dê a cada programa a sua.",
    "A key lets another program, such as your web shop, work in this company. Give each program its own.",
  ],
  new: ["Nova chave", "New key"],
  none: ["Ainda não há chaves.", "There are no keys yet."],
  name: ["Nome", "Name"],
  name_hint: ["Para que programa é: Loja online, Caixa 2…", "What program it is for: web shop, till 2…"],
  may: ["O que pode fazer", "What it may do"],
  shop: ["Loja online", "Web shop"],
  look: ["Só ver", "Only see"],
  read: ["Ver", "See"],
  write: ["Criar e alterar", "Make and change"],
  issue: ["Emitir e anular", "Issue and cancel"],
  refund: ["Devolver dinheiro", "Give money back"],
  send: ["Enviar por e-mail", "Send by e-mail"],
  customers: ["Clientes", "Customers"],
  products: ["Artigos", "Products"],
  documents: ["Documentos", "Documents"],
  payments: ["Pagamentos", "Payments"],
  series: ["Séries", "Series"],
  saft: ["Ficheiro SAF-T", "Tax file"],
  events: ["Eventos", "Events"],
  webhooks: ["Webhooks", "Webhooks"],
  made: ["Criada", "Made"],
  ends: ["Últimos caracteres", "Last characters"],
  state: ["Estado", "State"],
  active: ["Ativa", "Active"],
  revoked: ["Revogada", "Revoked"],
  revoke: ["Revogar", "Revoke"],
  revoke_title: ["Revogar {name}?", "Revoke {name}?"],
  revoke_hint: [
    "O programa que a usa deixa de entrar já no próximo pedido. Não se pode voltar atrás.",
    "The program that uses it is refused from its next request on. This cannot be undone.",
  ],
  revoked_now: ["Chave revogada.", "Key revoked."],
  create: ["Criar chave", "Make the key"],
  done_title: ["Copie a chave agora", "Copy the key now"],
  done_hint: [
    "É a única vez que a mostramos. Guarde-a no programa que a vai usar, e em mais lado nenhum.",
    "This is the only time it is shown. Keep it in the program that will use it, and nowhere else.",
  ],
  copied_it: ["Já a guardei", "I have kept it"],
  actions: ["Ações", "Actions"],
});

type Subject = Scope extends `${infer Name}:${string}` ? Name : never;
type Verb = Scope extends `${string}:${infer Act}` ? Act : never;

/** Every scope of a key, in the order they are shown. */
const SCOPES = Object.keys({
  "customers:read": true,
  "customers:write": true,
  "products:read": true,
  "products:write": true,
  "documents:read": true,
  "documents:write": true,
  "documents:issue": true,
  "documents:send": true,
  "payments:read": true,
  "payments:write": true,
  "payments:refund": true,
  "series:read": true,
  "series:write": true,
  "saft:read": true,
  "events:read": true,
  "webhooks:read": true,
  "webhooks:write": true,
} satisfies Readonly<Record<Scope, true>>) as Scope[];

const subjectOf = (scope: Scope) => scope.split(":")[0] as Subject;
const verbOf = (scope: Scope) => scope.split(":")[1] as Verb;

const SUBJECTS = [...new Set(SCOPES.map(subjectOf))];
const scopesOn = (subject: Subject) => SCOPES.filter((scope) => subjectOf(scope) === subject);

/** The scopes that many programs need, chosen at once. */
const READY = {
  shop: [
    "customers:read",
    "customers:write",
    "products:read",
    "documents:read",
    "documents:write",
    "documents:issue",
    "documents:send",
    "payments:read",
    "payments:write",
    "series:read",
  ],
  look: ["customers:read", "products:read", "documents:read", "payments:read", "series:read", "saft:read"],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

export function Screen() {
  const keys = useResource((signal) => lacre.keys.list({}, { signal }));
  const show = ({ api_key }: CreatedApiKey) => {
    openDialog(<ShowOnce title={t.done_title} hint={t.done_hint} value={api_key} done={t.copied_it} />);
    keys.reload();
  };
  const revoke = ({ id, name }: ApiKey) =>
    openDialog(
      <FormDialog
        title={t.revoke_title({ name })}
        submit={t.revoke}
        change={() => withPassword(() => lacre.keys.revoke({ id }))}
        onDone={() => {
          announce(t.revoked_now);
          keys.reload();
        }}
      >
        <p>{t.revoke_hint}</p>
      </FormDialog>,
    );
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={<Button label={t.new} class="main" onClick={() => openDialog(<NewKey onMade={show} />)} />}
    >
      <Loaded from={keys}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.none} />
          ) : (
            <div class="sheet">
              <Table
                title={t.title}
                keyOf={({ id }) => id}
                rows={data}
                columns={[
                  { title: t.name, cell: ({ name }) => name },
                  { title: t.may, cell: ({ scopes }) => <Scopes scopes={scopes} /> },
                  { title: t.ends, cell: ({ last_four }) => <code>…{last_four}</code> },
                  { title: t.made, cell: ({ created_at }) => moment(created_at) },
                  {
                    title: t.state,
                    cell: ({ revoked_at }) =>
                      revoked_at ? <span class="tag">{t.revoked}</span> : <span class="tag good">{t.active}</span>,
                  },
                  {
                    title: t.actions,
                    kind: "actions",
                    cell: (key) =>
                      !key.revoked_at && <Button label={t.revoke} of={key.name} onClick={() => revoke(key)} />,
                  },
                ]}
              />
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

/** Scopes in plain words: `Documentos: ver, emitir e anular`. */
function Scopes({ scopes }: { readonly scopes: readonly string[] }) {
  const words = SUBJECTS.flatMap((subject) => {
    const verbs = scopesOn(subject)
      .filter((scope) => scopes.includes(scope))
      .map((scope) => t[verbOf(scope)]);
    return verbs.length > 0 ? [`${t[subject]}: ${verbs.join(", ").toLowerCase()}`] : [];
  });
  return (
    <ul class="scopes">
      {words.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function NewKey({ onMade }: { readonly onMade: (key: CreatedApiKey) => void }) {
  const form = useForm({ name: "" }, "keys.create");
  const chosen = useSignal<ReadonlySet<Scope>>(new Set());
  const toggle = (scope: Scope, isOn: boolean) => {
    const next = new Set(chosen.value);
    if (isOn) next.add(scope);
    else next.delete(scope);
    chosen.value = next;
  };
  const make = () => {
    const given = { name: form.values.name.value, scopes: [...chosen.value] };
    return withPassword(() => lacre.keys.create(given));
  };
  return (
    <FormDialog title={t.new} submit={t.create} change={make} onDone={onMade} form={form} also={["scopes"]}>
      <TextField label={t.name} hint={t.name_hint} autofocus path="name" />
      <fieldset class="scopes" aria-invalid={form.errors.value.scopes !== undefined}>
        <legend>{t.may}</legend>
        <div class="choices">
          {(["shop", "look"] as const).map((ready) => (
            <Button
              label={t[ready]}
              key={ready}
              aria-pressed={
                READY[ready].length === chosen.value.size && READY[ready].every((one) => chosen.value.has(one))
              }
              onClick={() => {
                chosen.value = new Set<Scope>(READY[ready]);
              }}
            />
          ))}
        </div>
        {SUBJECTS.map((subject) => (
          <fieldset key={subject}>
            <legend>{t[subject]}</legend>
            {scopesOn(subject).map((scope) => (
              <label key={scope} class="check">
                <input
                  type="checkbox"
                  checked={chosen.value.has(scope)}
                  onChange={(event) => toggle(scope, event.currentTarget.checked)}
                />
                {t[verbOf(scope)]}
              </label>
            ))}
          </fieldset>
        ))}
        <FieldError text={form.errors.value.scopes} />
      </fieldset>
    </FormDialog>
  );
}
