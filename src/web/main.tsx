/** The start of the page: who is signed in, and the screen of the address, in its frame. */
import { computed, signal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "./button.tsx";
import { OpenedDialog, PasswordDialog } from "./dialog.tsx";
import { Frame } from "./frame.tsx";
import { Announcements } from "./notice.tsx";
import { Page } from "./page.tsx";
import { isOnline, Offline } from "./reading/api.ts";
import { Loading, Trouble, useResource } from "./reading/resource.tsx";
import { go, part, startRouter } from "./router.ts";
import { Screen as Login, SignInAgain } from "./screens/login.tsx";
import { Screen as SetUp } from "./screens/setup.tsx";
import { readAhead, SCREENS, type Screen } from "./screens.ts";
import { can, company, loadSession, session } from "./session.ts";
import { language } from "./words/language.ts";
import { texts } from "./words/texts.ts";

const t = texts({
  forbidden: ["Sem acesso", "No access"],
  forbidden_hint: [
    "O seu perfil não permite ver esta página. Peça acesso ao proprietário.",
    "Your role does not allow this page. Ask an owner for access.",
  ],
  not_found: ["Página não encontrada", "Page not found"],
  home: ["Ir para o início", "Go to the home page"],
});

const first = part(0);

/** What a link opens without a session: the set-up, an invitation, a new password. */
const LINKS = ["setup", "invitation", "reset"];

const isLink = computed(() => LINKS.includes(first.value ?? ""));

const failedStart = signal<unknown>(undefined);

function start(): void {
  failedStart.value = undefined;
  loadSession().catch((error: unknown) => {
    failedStart.value = error;
  });
}

function App() {
  useEffect(() => {
    document.documentElement.lang = language.value;
  }, [language.value]);
  if (session.value === undefined) {
    return (
      <main class="alone">{failedStart.value ? <Trouble error={failedStart.value} again={start} /> : <Loading />}</main>
    );
  }
  if (isLink.value) return <SetUp />;
  if (session.value === null) return <Login />;
  if (!company.value) return <SetUp />;
  return (
    <Frame>
      <Shown />
    </Frame>
  );
}

const named = computed(() => SCREENS.find(({ name }) => name === (first.value ?? "")));

/** The screen of the address; another company's or person's screen is another one. */
function Shown() {
  const screen = named.value;
  if (!screen) {
    return (
      <Page title={t.not_found}>
        <Button label={t.home} onClick={() => go("/")} />
      </Page>
    );
  }
  if (screen.needs && !can(screen.needs)) {
    return (
      <Page title={t.forbidden}>
        <p class="notice">{t.forbidden_hint}</p>
      </Page>
    );
  }
  return <Drawn key={`${screen.name} ${company.value?.id} ${session.value?.user.id}`} screen={screen} />;
}

/** A screen as soon as its script is there. If none comes, the page starts again: a new server has other scripts. */
function Drawn({ screen }: { readonly screen: Screen }) {
  const { value, error } = useResource(() => screen.read()).state.value;
  useEffect(() => {
    if (value) readAhead();
  }, [value]);
  if (value) return <value.Screen />;
  return error ? <Trouble error={new Offline()} again={() => location.reload()} /> : <Loading />;
}

startRouter();
addEventListener("online", () => {
  isOnline.value = true;
});
addEventListener("offline", () => {
  isOnline.value = false;
});
named
  .peek()
  ?.read()
  .catch(() => {}); // It loads while the session is read; `Drawn` reports a failure.
start();
const root = document.getElementById("area");
if (root) {
  root.replaceChildren();
  render(
    <>
      <App />
      <OpenedDialog />
      <PasswordDialog />
      <SignInAgain />
      <Announcements />
    </>,
    root,
  );
}
