/** One's own account: the password, and one's sessions. */
import { Button } from "../button.tsx";
import { withPassword } from "../dialog.tsx";
import { Form, TextField, useForm } from "../fields/form.tsx";
import { announce } from "../notice.tsx";
import { Page, Section } from "../page.tsx";
import { person } from "../reading/api.ts";
import { Loaded, useResource } from "../reading/resource.tsx";
import { Table } from "../reading/table.tsx";
import { session } from "../session.ts";
import { moment } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  title: ["A minha conta", "My account"],
  password_title: ["Palavra-passe", "Password"],
  password: ["Nova palavra-passe", "New password"],
  password_hint: [
    "Pelo menos 10 caracteres. As outras sessões terminam.",
    "At least 10 characters. Your other sessions end.",
  ],
  change: ["Alterar palavra-passe", "Change the password"],
  changed: ["Palavra-passe alterada.", "Password changed."],
  sessions: ["Onde tem sessão iniciada", "Where you are signed in"],
  browser: ["Navegador", "Browser"],
  address: ["Endereço", "Address"],
  since: ["Desde", "Since"],
  seen: ["Último uso", "Last used"],
  here: ["esta sessão", "this session"],
  end: ["Terminar", "End"],
  actions: ["Ações", "Actions"],
});

export function Screen() {
  const sessions = useResource((signal) => person.sessions.list({}, { signal }));
  const end = async (id: string) => {
    await person.sessions.revoke({ id }).catch(() => {});
    sessions.reload();
  };
  return (
    <Page title={t.title} about={`${session.value?.user.name} · ${session.value?.user.login}`}>
      <ChangePassword onChanged={sessions.reload} />
      <Section title={t.sessions}>
        <Loaded from={sessions}>
          {({ data }) => (
            <Table
              title={t.sessions}
              keyOf={({ id }) => id}
              rows={data}
              columns={[
                {
                  title: t.browser,
                  cell: ({ user_agent, current }) => (
                    <>
                      {browserOf(user_agent)}
                      {current && <small>{t.here}</small>}
                    </>
                  ),
                },
                { title: t.address, cell: ({ address }) => address },
                { title: t.since, cell: ({ created_at }) => moment(created_at) },
                { title: t.seen, cell: ({ last_seen_at }) => moment(last_seen_at) },
                {
                  title: t.actions,
                  kind: "actions",
                  cell: ({ id, current, user_agent }) =>
                    !current && <Button label={t.end} of={browserOf(user_agent)} onClick={() => end(id)} />,
                },
              ]}
            />
          )}
        </Loaded>
      </Section>
    </Page>
  );
}

/** The browser and system in words, as far as recognised. */
function browserOf(user_agent: string | null): string {
  const text = user_agent ?? "";
  const browser = ["Edg", "OPR", "Firefox", "Chrome", "Safari"].find((name) => text.includes(`${name}/`));
  const system = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"].find((name) => text.includes(name));
  const shown = browser === "Edg" ? "Edge" : browser === "OPR" ? "Opera" : browser;
  return [shown, system].filter(Boolean).join(" · ") || "?";
}

function ChangePassword({ onChanged }: { readonly onChanged: () => void }) {
  const form = useForm({ password: "" });
  const { password } = form.values;
  const change = () =>
    form.send(async () => {
      const given = { password: password.value };
      await withPassword(() => person.session.changePassword(given));
      password.value = "";
      announce(t.changed);
      onChanged();
    });
  return (
    <Section title={t.password_title}>
      <Form state={form} onSubmit={change} submit={t.change}>
        <TextField
          label={t.password}
          hint={t.password_hint}
          type="password"
          autocomplete="new-password"
          required
          path="password"
        />
      </Form>
    </Section>
  );
}
