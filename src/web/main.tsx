/** The start of the page: who is signed in, and the screen that the address names, in its frame. */
import { computed, signal } from "@preact/signals";
import { type ComponentType, render } from "preact";
import { useEffect } from "preact/hooks";
import { isOnline } from "./api.ts";
import { OpenedDialog, PasswordDialog } from "./dialog.tsx";
import { Frame } from "./frame.tsx";
import { language } from "./language.ts";
import { Announcements } from "./notice.tsx";
import { Page } from "./page.tsx";
import { Loading, Trouble } from "./resource.tsx";
import { go, part, startRouter } from "./router.ts";
import { SCREENS } from "./screens.ts";
import { can, company, loadSession, session } from "./session.ts";
import { readTexts, texts } from "./texts.ts";

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

/** Code that was fetched, by the name of its screen. */
const fetched = signal<Readonly<Record<string, ComponentType>>>({});
const failed = signal<unknown>(undefined);

/** Draws a screen once its code is there. */
function Fetched({ name, load }: { readonly name: string; readonly load: () => Promise<{ Screen: ComponentType }> }) {
  const Screen = fetched.value[name];
  const fetchIt = () => {
    failed.value = undefined;
    load().then(
      ({ Screen }) => {
        fetched.value = { ...fetched.value, [name]: Screen };
      },
      (error: unknown) => {
        failed.value = error;
      },
    );
  };
  useEffect(() => {
    if (!Screen) fetchIt();
  }, [name]);
  if (Screen) return <Screen />;
  return failed.value ? <Trouble error={failed.value} again={fetchIt} /> : <Loading />;
}

/** Links that lead in without a session: the set-up, an invitation, a new password. */
const DOORS = ["setup", "invitation", "reset"];

const isDoor = computed(() => DOORS.includes(first.value ?? ""));

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
  if (isDoor.value) return <Fetched name="setup" load={async () => (await import("./screens/all.ts")).setup} />;
  if (session.value === null)
    return <Fetched name="login" load={async () => (await import("./screens/all.ts")).login} />;
  if (!company.value) return <Fetched name="setup" load={async () => (await import("./screens/all.ts")).setup} />;
  return (
    <Frame>
      <Shown />
    </Frame>
  );
}

/** The screen that the address names; another company's screen is another one. */
function Shown() {
  const screen = SCREENS.find(({ name }) => name === (first.value ?? ""));
  if (!screen) {
    return (
      <Page title={t.not_found}>
        <button type="button" onClick={() => go("/")}>
          {t.home}
        </button>
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
  return <Fetched key={`${screen.name} ${company.value?.id}`} name={screen.name} load={screen.load} />;
}

startRouter();
addEventListener("online", () => {
  isOnline.value = true;
});
addEventListener("offline", () => {
  isOnline.value = false;
});
start();
await readTexts();
const root = document.getElementById("area");
root?.replaceChildren();
if (root) {
  render(
    <>
      <App />
      <OpenedDialog />
      <PasswordDialog />
      <Announcements />
    </>,
    root,
  );
}
