/** Signing in. */
import { Alone } from "../alone.tsx";
import { Dialog } from "../dialog.tsx";
import { Form, TextField, useForm } from "../fields/form.tsx";
import { PasswordField } from "../fields/password-field.tsx";
import { person } from "../reading/api.ts";
import { holdsWork } from "../router.ts";
import { isEnded, session, takeSession } from "../session.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  title: ["Entrar", "Sign in"],
  login: ["E-mail", "E-mail"],
  ended: ["A sessão terminou", "Your session has ended"],
  ended_hint: ["Entre outra vez: o que escreveu continua aqui.", "Sign in again: what you wrote is still here."],
  sign_out: ["Sair", "Sign out"],
  leave: ["Sair e perder o que escreveu?", "Leave, and lose what you wrote?"],
  sign_in: ["Entrar", "Sign in"],
  example: ["nome@exemplo.pt", "name@example.com"],
  forgotten: ["Esqueceu-se da palavra-passe?", "Forgotten your password?"],
  forgotten_hint: [
    "O proprietário envia-lhe uma ligação para escolher outra, em Utilizadores. Se é o proprietário, no computador do Lacre:",
    "An owner sends you a link to choose another, under Users. If you are the owner, on the machine Lacre runs on:",
  ],
});

/** The form of a person who signs in, with its values. */
function useSignIn(login = "") {
  const form = useForm({ login, password: "" });
  const signIn = () =>
    form.send(async () => {
      const given = { login: form.values.login.value, password: form.values.password.value };
      takeSession(await person.session.open(given));
    });
  return { form, signIn };
}

/** Signing in again over a screen that holds somebody's work; another person finds the screen without it. */
export function SignInAgain() {
  return isEnded.value ? <Again login={session.peek()?.user.login} /> : null;
}

function Again({ login }: { readonly login: string | undefined }) {
  const { form, signIn } = useSignIn(login);
  const leave = () => {
    if (!confirm(t.leave)) return;
    holdsWork.value = false;
    takeSession(null);
  };
  return (
    <Dialog title={t.ended} class="covering" onClose={leave}>
      <Form state={form} onSubmit={signIn} submit={t.sign_in} onBack={leave} back={t.sign_out}>
        <p>{t.ended_hint}</p>
        <TextField label={t.login} type="email" autocomplete="username" path="login" />
        <PasswordField autofocus />
      </Form>
    </Dialog>
  );
}

export function Screen() {
  const { form, signIn } = useSignIn();
  const { login } = form.values;
  return (
    <Alone title={t.title}>
      <Form state={form} onSubmit={signIn} submit={t.sign_in} class="sheet">
        <div class="fields">
          <TextField label={t.login} type="email" autocomplete="username" autofocus wide path="login" />
          <PasswordField wide />
        </div>
      </Form>
      <details class="aside">
        <summary>{t.forgotten}</summary>
        <p>{t.forgotten_hint}</p>
        <code>lacre user reset {login.value || t.example}</code>
      </details>
    </Alone>
  );
}
