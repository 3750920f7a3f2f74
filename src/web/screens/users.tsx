/** Users: invited by a link, given a role, disabled. Nobody sees or sets another's password. */
import { type Signal, useSignal } from "@preact/signals";
import { BASE, call } from "../api.ts";
import { CopyField } from "../copy-field.tsx";
import { moment } from "../decimals.ts";
import { ConfirmDialog, Dialog, withPassword } from "../dialog.tsx";
import { Form, type FormState, SelectField, TextField, useForm } from "../form.tsx";
import { texts } from "../language.ts";
import { announce } from "../notice.tsx";
import { Page } from "../page.tsx";
import { Loaded, useResource } from "../resource.tsx";
import { type Role, session } from "../session.ts";
import { Table } from "../table.tsx";

const t = texts({
  title: ["Utilizadores", "Users"],
  about: [
    "Cada pessoa entra com o seu e-mail e a sua palavra-passe. Cada documento diz quem o emitiu.",
    "Each person signs in with their own e-mail and password. Each document says who issued it.",
  ],
  invite: ["Convidar", "Invite"],
  invite_title: ["Convidar uma pessoa", "Invite a person"],
  login: ["E-mail", "E-mail"],
  role: ["Perfil", "Role"],
  owner: ["Proprietário", "Owner"],
  accountant: ["Contabilista", "Accountant"],
  cashier: ["Caixa", "Cashier"],
  owner_may: [
    "Pode tudo, também utilizadores, chaves e definições.",
    "May do everything, users, keys and settings too.",
  ],
  accountant_may: ["Vê tudo e tira o ficheiro SAF-T; não emite.", "Sees all and takes the tax file; issues nothing."],
  cashier_may: [
    "Fatura, recebe e cria clientes; não muda artigos nem definições.",
    "Invoices, is paid and makes customers; changes no products or settings.",
  ],
  make_link: ["Criar a ligação", "Make the link"],
  back: ["Voltar", "Back"],
  link_title: ["Envie esta ligação", "Send this link"],
  link_hint: [
    "Só serve uma vez, até {until}. Quem a tiver pode entrar: envie-a só a essa pessoa.",
    "It works once, until {until}. Whoever has it may enter: send it to that person alone.",
  ],
  done: ["Feito", "Done"],
  name: ["Nome", "Name"],
  code: ["Código", "Code"],
  state: ["Estado", "State"],
  active: ["Ativo", "Active"],
  invited: ["Convidado", "Invited"],
  disabled: ["Desativado", "Disabled"],
  you: ["a sua conta", "you"],
  until: ["até {instant}", "until {instant}"],
  change: ["Alterar", "Change"],
  change_title: ["Alterar {name}", "Change {name}"],
  save: ["Guardar", "Save"],
  reset: ["Nova palavra-passe", "New password"],
  disable: ["Desativar", "Disable"],
  disable_title: ["Desativar {name}?", "Disable {name}?"],
  disable_hint: [
    "Sai já de todas as sessões e não volta a entrar. O que fez fica registado em seu nome.",
    "Every session of theirs ends now, and they cannot sign in. What they did stays under their name.",
  ],
  withdraw: ["Retirar convite", "Withdraw"],
  withdrawn: ["Convite retirado.", "Invitation withdrawn."],
  saved: ["Perfil alterado.", "Role changed."],
  disabled_now: ["Utilizador desativado.", "User disabled."],
  actions: ["Ações", "Actions"],
});

const ROLES: readonly Role[] = ["owner", "accountant", "cashier"];
const nameOf = (role: Role): string => t[role];

/** A user of the company. */
interface User {
  readonly id: string;
  readonly name: string;
  readonly login: string;
  readonly role: Role;
  readonly actor_code: string;
  readonly disabled_at: string | null;
}

/** An invitation that nobody has taken up. */
interface Invited {
  readonly id: string;
  readonly login: string;
  readonly role: Role;
  readonly expires_at: string;
}

interface Users {
  readonly data: readonly User[];
  readonly invitations: readonly Invited[];
}

/** A link that was just made: its secret is shown this once. */
interface Link {
  readonly link_path: string;
  readonly expires_at: string;
}

export function Screen() {
  const users = useResource((signal) => call<Users>("GET", "/area/v1/users", {}, { signal }));
  const isInviting = useSignal(false);
  const link = useSignal<Link | undefined>(undefined);
  const changing = useSignal<User | undefined>(undefined);
  const disabling = useSignal<User | undefined>(undefined);
  const showLink = (made: Link) => {
    isInviting.value = false;
    changing.value = undefined;
    link.value = made;
    users.reload();
  };
  const withdrawing = useForm();
  const withdraw = async (id: string) => {
    const change = () => withPassword(() => call("DELETE", "/area/v1/users/invitations/:id", { id }));
    if (await withdrawing.send(change)) announce(t.withdrawn);
    users.reload();
  };
  const invite = () => {
    isInviting.value = true;
  };
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={
        <button type="button" class="main" onClick={invite}>
          {t.invite}
        </button>
      }
    >
      <Loaded from={users}>
        {({ data, invitations }) => (
          <div class="sheet">
            <Table
              caption={t.title}
              keyOf={({ id }) => id}
              rows={[...data, ...invitations]}
              columns={[
                {
                  title: t.name,
                  cell: (row) => (
                    <>
                      {"name" in row ? row.name : row.login}
                      {"name" in row && row.id === session.value?.user.id && ` (${t.you})`}
                      {"name" in row && <small>{row.login}</small>}
                    </>
                  ),
                },
                { title: t.role, cell: ({ role }) => nameOf(role) },
                { title: t.code, cell: (row) => ("name" in row ? row.actor_code : "") },
                { title: t.state, cell: (row) => <State of={row} /> },
                {
                  title: t.actions,
                  kind: "actions",
                  cell: (row) =>
                    "name" in row ? (
                      !row.disabled_at && (
                        <button
                          type="button"
                          onClick={() => {
                            changing.value = row;
                          }}
                        >
                          {t.change}
                          <span class="unseen"> {row.name}</span>
                        </button>
                      )
                    ) : (
                      <button type="button" onClick={() => withdraw(row.id)}>
                        {t.withdraw}
                        <span class="unseen"> {row.login}</span>
                      </button>
                    ),
                },
              ]}
            />
          </div>
        )}
      </Loaded>
      {isInviting.value && (
        <Invite
          onMade={showLink}
          onClose={() => {
            isInviting.value = false;
          }}
        />
      )}
      {link.value && (
        <ShowLink
          link={link.value}
          onClose={() => {
            link.value = undefined;
          }}
        />
      )}
      {changing.value && (
        <Change
          user={changing.value}
          onLink={showLink}
          onClose={() => {
            changing.value = undefined;
          }}
          onSaved={() => {
            changing.value = undefined;
            announce(t.saved);
            users.reload();
          }}
          onDisable={(user) => {
            changing.value = undefined;
            disabling.value = user;
          }}
        />
      )}
      {disabling.value && (
        <ConfirmDialog
          title={t.disable_title({ name: disabling.value.name })}
          confirm={t.disable}
          change={() => disable(disabling.value?.id ?? "")}
          onDone={() => {
            disabling.value = undefined;
            announce(t.disabled_now);
            users.reload();
          }}
          onClose={() => {
            disabling.value = undefined;
          }}
        >
          <p>{t.disable_hint}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

const disable = (id: string) => withPassword(() => call("POST", "/area/v1/users/:id/disable", { id }));

function State({ of }: { readonly of: User | Invited }) {
  if ("expires_at" in of) {
    return (
      <>
        <span class="tag warn">{t.invited}</span> <small>{t.until({ instant: moment(of.expires_at) })}</small>
      </>
    );
  }
  return of.disabled_at ? <span class="tag">{t.disabled}</span> : <span class="tag good">{t.active}</span>;
}

/** The choice of a role, with what it may do. */
function RoleField({ role, form }: { readonly role: Signal<string>; readonly form: FormState }) {
  const about: Readonly<Record<string, string>> = {
    owner: t.owner_may,
    accountant: t.accountant_may,
    cashier: t.cashier_may,
  };
  return (
    <SelectField
      label={t.role}
      value={role}
      form={form}
      path="role"
      hint={about[role.value]}
      options={ROLES.map((one) => [one, nameOf(one)])}
    />
  );
}

function Invite({ onMade, onClose }: { readonly onMade: (link: Link) => void; readonly onClose: () => void }) {
  const login = useSignal("");
  const role = useSignal<string>("cashier");
  const form = useForm();
  const invite = () =>
    form.send(async () => {
      const given = { login: login.value, role: role.value };
      onMade(await withPassword(() => call<Link>("POST", "/area/v1/users/invitations", given)));
    });
  return (
    <Dialog title={t.invite_title} onClose={onClose}>
      <Form
        state={form}
        onSubmit={invite}
        fields={["login", "role"]}
        actions={
          <>
            <button type="button" onClick={onClose}>
              {t.back}
            </button>
            <button type="submit" class="main" disabled={form.isSending.value}>
              {t.make_link}
            </button>
          </>
        }
      >
        <div class="fields">
          <TextField label={t.login} type="email" autofocus required wide value={login} form={form} path="login" />
          <RoleField role={role} form={form} />
        </div>
      </Form>
    </Dialog>
  );
}

function ShowLink({ link, onClose }: { readonly link: Link; readonly onClose: () => void }) {
  return (
    <Dialog title={t.link_title} onClose={onClose}>
      <p>{t.link_hint({ until: moment(link.expires_at) })}</p>
      <CopyField label={t.link_title} value={location.origin + BASE + link.link_path} />
      <div class="actions end">
        <button type="button" class="main" onClick={onClose}>
          {t.done}
        </button>
      </div>
    </Dialog>
  );
}

interface ChangeProps {
  readonly user: User;
  readonly onLink: (link: Link) => void;
  readonly onSaved: () => void;
  readonly onDisable: (user: User) => void;
  readonly onClose: () => void;
}

function Change({ user, onLink, onSaved, onDisable, onClose }: ChangeProps) {
  const role = useSignal<string>(user.role);
  const form = useForm();
  const save = () =>
    form.send(async () => {
      const given = { id: user.id, role: role.value };
      await withPassword(() => call("PATCH", "/area/v1/users/:id", given));
      onSaved();
    });
  const reset = () =>
    form.send(async () => {
      onLink(await withPassword(() => call<Link>("POST", "/area/v1/users/:id/reset", { id: user.id })));
    });
  return (
    <Dialog title={t.change_title({ name: user.name })} onClose={onClose}>
      <Form
        state={form}
        onSubmit={save}
        fields={["role"]}
        actions={
          <>
            <button type="button" class="plain" onClick={() => onDisable(user)}>
              {t.disable}
            </button>
            <button type="button" onClick={reset}>
              {t.reset}
            </button>
            <button type="submit" class="main" disabled={form.isSending.value}>
              {t.save}
            </button>
          </>
        }
      >
        <RoleField role={role} form={form} />
      </Form>
    </Dialog>
  );
}
