/** Users: invited by a link, given a role, disabled. Nobody sees or sets another's password. */
import type { Role } from "../../core/runtime/permissions.ts";
import { Button } from "../button.tsx";
import { FormDialog, openDialog, withPassword } from "../dialog.tsx";
import { ShowOnce } from "../fields/copy-field.tsx";
import { type FormState, SelectField, TextField, useForm } from "../fields/form.tsx";
import { announce } from "../notice.tsx";
import { Page } from "../page.tsx";
import { BASE, call, lacre, wrongField } from "../reading/api.ts";
import { Loaded, useResource } from "../reading/resource.tsx";
import { Table } from "../reading/table.tsx";
import { session } from "../session.ts";
import { moment } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";

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
    "Fatura, recebe e cria clientes; não anula nada, não vê as contas da empresa nem muda artigos ou definições.",
    "Invoices, is paid and makes customers; cancels nothing, sees no figures, changes no products or settings.",
  ],
  no_login: ["Escreva o e-mail da pessoa.", "Type the person's e-mail."],
  make_link: ["Criar a ligação", "Make the link"],
  link_title: ["Envie esta ligação", "Send this link"],
  link_hint: [
    "Só serve uma vez, até {until}. Quem a tiver pode entrar: envie-a só a essa pessoa.",
    "It works once, until {until}. Whoever has it may enter: send it to that person alone.",
  ],
  here_only: [
    "Só abre neste computador, porque começa por um endereço que é só dele. Para outro computador da loja, arranque o Lacre com --host 0.0.0.0 --plain-http-lan, abra-o pelo endereço da rede que ele mostrar e crie aí a ligação. Para quem está fora é preciso HTTPS (--public-url).",
    "It opens on this computer only, as it begins with an address that is this computer's alone. For another one in the shop, start Lacre with --host 0.0.0.0 --plain-http-lan, open the network address that it shows, and make the link there. People elsewhere need HTTPS (--public-url).",
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
  withdraw_hint: ["A ligação enviada a {login} deixa de servir.", "The link sent to {login} no longer works."],
  withdrawn: ["Convite retirado.", "Invitation withdrawn."],
  saved: ["Perfil alterado.", "Role changed."],
  disabled_now: ["Utilizador desativado.", "User disabled."],
  actions: ["Ações", "Actions"],
});

const ROLES: readonly Role[] = ["owner", "accountant", "cashier"];

type Users = Awaited<ReturnType<typeof lacre.users.list>>;
/** A user of the company. */
type User = Users["data"][number];
/** An unused invitation. */
type Invited = Users["invitations"][number];
/** A new link: its secret is shown only once. */
type Link = Awaited<ReturnType<typeof lacre.users.invite>>;

/** A host name that leads every computer to itself. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const isUser = (row: User | Invited): row is User => "actor_code" in row;

export function Screen() {
  const users = useResource((signal) => lacre.users.list({}, { signal }));
  const start = useResource((signal) =>
    call<{ readonly public_url: string | null }>("GET", "/area/v1/start", {}, { signal }),
  );
  const done = (said: string) => {
    announce(said);
    users.reload();
  };
  const withdraw = ({ id, login }: Invited) =>
    openDialog(
      <FormDialog
        title={t.withdraw}
        change={() => withPassword(() => lacre.users.withdraw({ id }))}
        onDone={() => done(t.withdrawn)}
      >
        <p>{t.withdraw_hint({ login })}</p>
      </FormDialog>,
    );
  const showLink = (link: Link) => {
    const public_url = start.state.value.value?.public_url ?? undefined;
    openDialog(
      <ShowOnce
        title={t.link_title}
        hint={t.link_hint({ until: moment(link.expires_at) })}
        warning={public_url === undefined && LOOPBACK.test(location.hostname) ? t.here_only : undefined}
        value={(public_url ?? location.origin + BASE) + link.link_path.slice(link.link_path.indexOf("/area/"))}
        done={t.done}
      />,
    );
    users.reload();
  };
  const disable = ({ id, name }: User) =>
    openDialog(
      <FormDialog
        title={t.disable_title({ name })}
        submit={t.disable}
        change={() => withPassword(() => lacre.users.disable({ id }))}
        onDone={() => done(t.disabled_now)}
      >
        <p>{t.disable_hint}</p>
      </FormDialog>,
    );
  const change = (user: User) =>
    openDialog(<Change user={user} onLink={showLink} onSaved={() => done(t.saved)} onDisable={() => disable(user)} />);
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={<Button label={t.invite} class="main" onClick={() => openDialog(<Invite onMade={showLink} />)} />}
    >
      <Loaded from={users}>
        {({ data, invitations }) => (
          <div class="sheet">
            <Table
              title={t.title}
              keyOf={({ id }) => id}
              rows={[...data, ...invitations]}
              columns={[
                {
                  title: t.name,
                  cell: (row) =>
                    isUser(row) ? (
                      <>
                        {row.name}
                        {row.id === session.value?.user.id && ` (${t.you})`}
                        <small>{row.login}</small>
                      </>
                    ) : (
                      row.login
                    ),
                },
                { title: t.role, cell: ({ role }) => t[role] },
                { title: t.code, cell: (row) => isUser(row) && row.actor_code },
                { title: t.state, cell: (row) => <State of={row} /> },
                {
                  title: t.actions,
                  kind: "actions",
                  cell: (row) =>
                    isUser(row) ? (
                      !row.disabled_at && <Button label={t.change} of={row.name} onClick={() => change(row)} />
                    ) : (
                      <Button label={t.withdraw} of={row.login} onClick={() => withdraw(row)} />
                    ),
                },
              ]}
            />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function State({ of }: { readonly of: User | Invited }) {
  if (!isUser(of)) {
    return (
      <span>
        <span class="tag warn">{t.invited}</span>
        <small>{t.until({ instant: moment(of.expires_at) })}</small>
      </span>
    );
  }
  return of.disabled_at ? <span class="tag">{t.disabled}</span> : <span class="tag good">{t.active}</span>;
}

/** The choice of a role, with its permissions. */
function RoleField({ form }: { readonly form: FormState<"role"> }) {
  return (
    <SelectField
      label={t.role}
      path="role"
      wide
      hint={t[`${form.values.role.value as Role}_may`]}
      options={ROLES.map((role) => [role, t[role]])}
    />
  );
}

function Invite({ onMade }: { readonly onMade: (link: Link) => void }) {
  const form = useForm({ role: "cashier", login: "" });
  const { login, role } = form.values;
  const invite = async () => {
    // Checked before the password is asked for.
    if (login.value.trim() === "") throw wrongField("login", t.no_login);
    return withPassword(() => lacre.users.invite({ login: login.value, role: role.value as Role }));
  };
  return (
    <FormDialog title={t.invite_title} submit={t.make_link} change={invite} onDone={onMade} form={form}>
      <div class="fields">
        <TextField label={t.login} type="email" autofocus required wide path="login" />
        <RoleField form={form} />
      </div>
    </FormDialog>
  );
}

interface ChangeProps {
  readonly user: User;
  readonly onLink: (link: Link) => void;
  readonly onSaved: () => void;
  readonly onDisable: () => void;
}

function Change({ user: { id, name, role }, onLink, onSaved, onDisable }: ChangeProps) {
  const form = useForm({ role });
  const change = () => withPassword(() => lacre.users.changeRole({ id, role: form.values.role.value as Role }));
  const reset = () => form.send(async () => onLink(await withPassword(() => lacre.users.reset({ id }))));
  return (
    <FormDialog
      title={t.change_title({ name })}
      submit={t.save}
      change={change}
      onDone={onSaved}
      form={form}
      actions={
        <>
          <Button label={t.disable} class="plain" onClick={onDisable} />
          <Button label={t.reset} onClick={reset} />
        </>
      }
    >
      <RoleField form={form} />
    </FormDialog>
  );
}
