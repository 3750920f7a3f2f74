/** Signing in. */
import { Alone } from "../alone.tsx";
import { call } from "../api.ts";
import { Form, TextField, useForm } from "../form.tsx";
import { type Session, takeSession } from "../session.ts";
import { texts } from "../texts.ts";

const t = texts({
  title: ["Entrar", "Sign in"],
  login: ["E-mail", "E-mail"],
  password: ["Palavra-passe", "Password"],
  sign_in: ["Entrar", "Sign in"],
  forgotten: ["Esqueceu-se da palavra-passe?", "Forgotten your password?"],
  forgotten_hint: [
    "O proprietário envia-lhe uma ligação para escolher outra, em Utilizadores. Se é o proprietário, no computador do Lacre:",
    "An owner sends you a link to choose another, under Users. If you are the owner, on the machine Lacre runs on:",
  ],
});

export function Screen() {
  const form = useForm({ login: "", password: "" });
  const { login, password } = form.values;
  const signIn = () =>
    form.send(async () => {
      const given = { login: login.value, password: password.value };
      takeSession(await call<Session>("POST", "/area/v1/session", given));
    });
  return (
    <Alone title={t.title}>
      <Form state={form} onSubmit={signIn} submit={t.sign_in} class="sheet">
        <div class="fields">
          <TextField label={t.login} type="email" autocomplete="username" autofocus wide form={form} path="login" />
          <TextField
            label={t.password}
            type="password"
            autocomplete="current-password"
            wide
            form={form}
            path="password"
          />
        </div>
      </Form>
      <details class="aside">
        <summary>{t.forgotten}</summary>
        <p>{t.forgotten_hint}</p>
        <code>lacre user reset {login.value || "nome@exemplo.pt"}</code>
      </details>
    </Alone>
  );
}
