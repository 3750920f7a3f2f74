/** Signing in. */
import { useSignal } from "@preact/signals";
import { Alone } from "../alone.tsx";
import { call } from "../api.ts";
import { Form, TextField, useForm } from "../form.tsx";
import { texts } from "../language.ts";
import { type Session, takeSession } from "../session.ts";

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
  const login = useSignal("");
  const password = useSignal("");
  const form = useForm();
  const signIn = () =>
    form.send(async () => {
      const given = { login: login.value, password: password.value };
      takeSession(await call<Session>("POST", "/area/v1/session", given));
    });
  return (
    <Alone title={t.title}>
      <Form
        state={form}
        onSubmit={signIn}
        class="sheet"
        fields={["login", "password"]}
        actions={
          <button type="submit" class="main" disabled={form.isSending.value}>
            {t.sign_in}
          </button>
        }
      >
        <div class="fields">
          <TextField
            label={t.login}
            type="email"
            autocomplete="username"
            autofocus
            wide
            value={login}
            form={form}
            path="login"
          />
          <TextField
            label={t.password}
            type="password"
            autocomplete="current-password"
            wide
            value={password}
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
