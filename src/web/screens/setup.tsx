/**
 * The screen of links: the first owner and the company (set-up link), a new user (invitation), a new password (reset).
 * After the owner come the company, its series and the first product; the last two can each be left for later.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Series } from "../../core/face.ts";
import { DOC_TYPES, type DocType } from "../../core/fiscal/document-types.ts";
import type { Role } from "../../core/runtime/permissions.ts";
import { Alone } from "../alone.tsx";
import { Button, ButtonLink } from "../button.tsx";
import { CompanyForm } from "../fields/company-form.tsx";
import { Check, Form, TextField, useForm } from "../fields/form.tsx";
import { ProductForm } from "../fields/product-form.tsx";
import { pricesWithVat } from "../prices.ts";
import { lacre, person } from "../reading/api.ts";
import { seriesName, useOwnCompany } from "../reading/own-company.ts";
import { Loaded, sentenceOf, useResource } from "../reading/resource.tsx";
import { go, part } from "../router.ts";
import { company, loadSession, session, takeSession } from "../session.ts";
import { language } from "../words/language.ts";
import { texts } from "../words/texts.ts";
import { typeName } from "../words/type-names.ts";

const t = texts({
  step: ["Passo {at} de {of}", "Step {at} of {of}"],
  go_on: ["Continuar", "Continue"],
  later: ["Deixar para depois", "Leave for later"],
  // The link.
  bad_link: ["Esta ligação já não serve", "This link no longer works"],
  bad_link_hint: [
    "Cada ligação serve uma vez e tem um prazo. Peça outra, ou no computador do Lacre escreva:",
    "Each link works once and for a time. Ask for another, or on the machine Lacre runs on, type:",
  ],
  sign_in: ["Ir para a entrada", "Go to sign-in"],
  // The person.
  owner_title: ["Boas-vindas ao Lacre", "Welcome to Lacre"],
  owner_about: ["Primeiro, a sua conta: a do proprietário.", "First, your own account: the owner's."],
  join_title: ["Entrar em {name}", "Join {name}"],
  join_about: ["O seu perfil: {role}.", "Your role: {role}."],
  owner: ["proprietário", "owner"],
  accountant: ["contabilista", "accountant"],
  cashier: ["caixa", "cashier"],
  reset_title: ["Escolha outra palavra-passe", "Choose another password"],
  name: ["O seu nome", "Your name"],
  login: ["E-mail", "E-mail"],
  login_hint: ["É com ele que entra.", "You sign in with it."],
  password: ["Palavra-passe", "Password"],
  password_hint: [
    "Pelo menos 10 caracteres. Uma frase curta é mais fácil de lembrar.",
    "At least 10 characters. A short sentence is easier to remember.",
  ],
  known_hint: ["A palavra-passe com que já entra.", "The password you sign in with already."],
  see: ["Mostrar a palavra-passe", "Show the password"],
  // The company.
  company_title: ["A sua empresa", "Your company"],
  company_about: ["Como vai aparecer nas faturas.", "As it will stand on invoices."],
  with_vat: ["Os meus preços já incluem IVA", "My prices include VAT"],
  with_vat_hint: [
    "Como numa loja: o que está na etiqueta é o que o cliente paga. Pode mudar depois.",
    "As in a shop: what the label says is what the customer pays. You can change this later.",
  ],
  // The series.
  series_title: ["As séries e a AT", "Series and the tax authority"],
  series_about: [
    "Já abrimos uma série para cada tipo de documento. Comunique no Portal das Finanças as que vai usar e copie para aqui o código que a AT der a cada uma. Tem de ser antes do primeiro documento da série: depois já não é possível.",
    "There is a series for each type of document already. Register those you will use on the tax authority's portal, and copy here the code it gives each. It must be before the first document of the series: after that it is too late.",
  ],
  code_of: ["Código de {name}", "Code of {name}"],
  codes_later: [
    "Sem código pode dar uma volta ao programa. Antes de faturar a sério, escreva-os em «Séries».",
    "Without codes you can look around. Before you invoice in earnest, type them under “Series”.",
  ],
  such_as: ["por exemplo {code}", "such as {code}"],
  // The product.
  product_title: ["O primeiro artigo", "The first product"],
  product_about: [
    "Algo que venda muito. Os outros pode criar ao faturar.",
    "Something you sell often. You can make the others as you invoice.",
  ],
  import: ["Ou traga clientes e artigos de outro programa", "Or bring customers and products from another program"],
});

const ROLES: Readonly<Record<Role, () => string>> = {
  owner: () => t.owner,
  accountant: () => t.accountant,
  cashier: () => t.cashier,
};

/** The steps after the owner, kept so that a reload continues at the same one. */
type Step = "company" | "series" | "product";
const STEPS: readonly Step[] = ["company", "series", "product"];
const KEPT_AS = "lacre.setup";

const link = part(0);

export function Screen() {
  const token = useSignal(location.hash.slice(1));
  const step = useSignal<Step | undefined>(stepNow());
  useEffect(() => {
    // The secret must not stay in the address, where a glance or the history could reveal it.
    if (location.hash) history.replaceState(null, "", location.pathname);
    if (!token.value && !step.value) go(session.value ? "/" : "/login", { replace: true });
  }, []);
  const next = (wanted: Step | undefined, to = "/new?type=FS") => {
    step.value = wanted;
    if (wanted) sessionStorage.setItem(KEPT_AS, wanted);
    else sessionStorage.removeItem(KEPT_AS);
    if (!wanted) go(to, { replace: true });
  };
  if (token.value) {
    const joined = () => {
      token.value = "";
      if (company.value) go("/", { replace: true });
      else next("company");
    };
    return <ByLink token={token.value} onJoined={joined} />;
  }
  if (step.value === "company") return <CompanyStep onDone={() => next("series")} />;
  if (step.value === "series") return <SeriesStep onDone={() => next("product")} />;
  if (step.value === "product") return <ProductStep onDone={(to) => next(undefined, to)} />;
  return null;
}

function stepNow(): Step | undefined {
  if (!session.value) return undefined;
  if (!company.value) return "company";
  return STEPS.find((one) => one === sessionStorage.getItem(KEPT_AS));
}

/** The details of an invitation, for whoever has its link. */
type Invitation = Awaited<ReturnType<typeof person.invitations.look>>;

/** Looks the link up first: whoever holds one that does not work learns it before filling in a form. */
function ByLink({ token, onJoined }: { readonly token: string; readonly onJoined: () => void }) {
  const invitation = useResource(() => person.invitations.look({ token }));
  if (invitation.state.value.error instanceof Error && link.value) {
    return (
      <Alone title={t.bad_link}>
        <div class="sheet">
          <p>{sentenceOf(invitation.state.value.error)}</p>
          <p>{t.bad_link_hint}</p>
          <code>lacre user invite --role owner</code>
        </div>
        <div class="actions end">
          <ButtonLink label={t.sign_in} to="/" />
        </div>
      </Alone>
    );
  }
  return (
    <Loaded from={invitation}>{(found) => <PersonStep token={token} invitation={found} onJoined={onJoined} />}</Loaded>
  );
}

interface PersonProps {
  readonly token: string;
  readonly invitation: Invitation;
  readonly onJoined: () => void;
}

const titleOf = ({ kind, company_name }: Invitation): string =>
  kind === "setup" ? t.owner_title : kind === "reset" ? t.reset_title : t.join_title({ name: company_name ?? "" });

const aboutOf = ({ kind, role }: Invitation, login: string): string => {
  if (kind === "setup") return t.owner_about;
  if (kind === "reset") return login;
  return role ? t.join_about({ role: ROLES[role]() }) : "";
};

function PersonStep({ token, invitation, onJoined }: PersonProps) {
  const { kind, ...known } = invitation;
  const form = useForm({ name: known.name ?? "", login: known.login ?? "", password: "" });
  const { name, login, password } = form.values;
  const isShown = useSignal(false);
  const isReset = kind === "reset";
  const isNew = !isReset && !known.known;
  const join = () =>
    form.send(async () => {
      const own = known.login === null ? { login: login.value } : {};
      const described = isNew ? { name: name.value, language: language.value, ...own } : {};
      const given = { token, password: password.value, ...described };
      takeSession(await person.invitations.accept(given));
      onJoined();
    });
  return (
    <Step title={titleOf(invitation)} about={aboutOf(invitation, login.value)} at={kind === "setup" ? 1 : undefined}>
      <Form state={form} onSubmit={join} submit={t.go_on}>
        <div class="fields">
          {isNew && <TextField label={t.name} autocomplete="name" autofocus wide required path="name" />}
          {!isReset && (
            <TextField
              label={t.login}
              hint={t.login_hint}
              type="email"
              autocomplete="username"
              wide
              required
              disabled={known.login !== null}
              path="login"
            />
          )}
          <TextField
            label={t.password}
            hint={known.known ? t.known_hint : t.password_hint}
            type={isShown.value ? "text" : "password"}
            autocomplete={known.known ? "current-password" : "new-password"}
            autofocus={!isNew}
            wide
            required
            path="password"
          />
          <Check label={t.see} value={isShown} />
        </div>
      </Form>
    </Step>
  );
}

interface StepProps {
  readonly title: string;
  readonly about: string;
  /** The step of the set-up; undefined for other links. */
  readonly at?: number | undefined;
  readonly children: ComponentChildren;
}

function Step({ title, about, at, children }: StepProps) {
  const all = STEPS.length + 1;
  return (
    <Alone key={title} title={title}>
      {at !== undefined && <progress aria-label={t.step({ at, of: all })} value={at} max={all} />}
      <p class="about">
        {at !== undefined && `${t.step({ at, of: all })}. `}
        {about}
      </p>
      <div class="sheet">{children}</div>
    </Alone>
  );
}

function CompanyStep({ onDone }: { readonly onDone: () => void }) {
  const withVat = useSignal(true);
  const made = async () => {
    await loadSession();
    pricesWithVat.value = withVat.value;
    onDone();
  };
  return (
    <Step title={t.company_title} about={t.company_about} at={2}>
      <CompanyForm submit={t.go_on} onSaved={made}>
        <Check label={t.with_vat} hint={t.with_vat_hint} value={withVat} />
      </CompanyForm>
    </Step>
  );
}

/** The types whose codes a shop needs first. */
const FIRST_TYPES: readonly DocType[] = ["FS", "FT", "FR", "NC"];

const rankOf = ({ doc_type }: Series): number => (FIRST_TYPES.indexOf(doc_type) + DOC_TYPES.length) % DOC_TYPES.length;

function SeriesStep({ onDone }: { readonly onDone: () => void }) {
  const company = useOwnCompany();
  const series = useResource((signal) => lacre.series.list({ current: true, limit: 200 }, { signal }));
  return (
    <Step title={t.series_title} about={t.series_about} at={3}>
      <Loaded from={company}>
        {() => (
          <Loaded from={series}>
            {({ data }) => <SeriesCodes series={data.toSorted((a, b) => rankOf(a) - rankOf(b))} onDone={onDone} />}
          </Loaded>
        )}
      </Loaded>
    </Step>
  );
}

function SeriesCodes({ series, onDone }: { readonly series: readonly Series[]; readonly onDone: () => void }) {
  const form = useForm(Object.fromEntries(series.map(({ id, validation_code }) => [id, validation_code ?? ""])));
  const register = () =>
    form.send(async () => {
      for (const { id, doc_type, validation_code } of series) {
        const code = form.values[id]?.value.trim().toUpperCase() ?? "";
        if (code === "" || code === validation_code) continue;
        try {
          await lacre.series.change({ id, validation_code: code });
        } catch (error) {
          throw new Error(`${typeName(doc_type)}: ${sentenceOf(error)}`);
        }
      }
      onDone();
    });
  // Enter in an empty field does nothing: leaving series without a code needs a button of its own.
  const isEmpty = series.every(({ id }) => !form.values[id]?.value.trim());
  const later = <Button label={t.later} class="plain" onClick={onDone} />;
  return (
    <Form state={form} onSubmit={register} submit={t.go_on} canSubmit={!isEmpty} actions={later}>
      <div class="fields">
        {series.map((one, index) => (
          <TextField
            key={one.id}
            label={t.code_of({ name: seriesName(one) })}
            hint={typeName(one.doc_type)}
            autofocus={index === 0}
            placeholder={index === 0 ? t.such_as({ code: "AAJFJ2VT54" }) : undefined}
            path={one.id}
          />
        ))}
      </div>
      <p class="hint">{t.codes_later}</p>
    </Form>
  );
}

function ProductStep({ onDone }: { readonly onDone: (next?: string) => void }) {
  return (
    <Step title={t.product_title} about={t.product_about} at={4}>
      <ProductForm onSaved={() => onDone()} onCancel={() => onDone()} cancel={t.later} vatSaid />
      <p class="hint">
        <Button label={t.import} class="plain" onClick={() => onDone("/import")} />
      </p>
    </Step>
  );
}
