/** What surrounds every screen: the menu, the company, the language, and whether the server is reached. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { call, isOnline } from "./api.ts";
import { chooseLanguage, type Language, language, texts } from "./language.ts";
import { Page } from "./page.tsx";
import { href, part, path } from "./router.ts";
import { SCREENS, type Screen } from "./screens.ts";
import { can, chooseCompany, company, session, signOut } from "./session.ts";

const t = texts({
  skip: ["Saltar para o conteúdo", "Skip to the content"],
  menu: ["Menu", "Menu"],
  sell: ["Vender", "Sell"],
  keep: ["Organizar", "Keep"],
  run: ["Gerir", "Run"],
  sign_out: ["Terminar sessão", "Sign out"],
  other_language: ["English", "Português"],
  company: ["Empresa", "Company"],
  offline: [
    "Sem ligação ao servidor: o que fizer agora não fica guardado.",
    "The server cannot be reached: what you do now is not saved.",
  ],
  new_short: ["Novo", "New"],
});

const GROUPS = ["sell", "keep", "run"] as const;

const first = part(0);

/** The menu beside a screen; on a phone it opens over it. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const isMenuOpen = useSignal(false);
  useEffect(() => {
    isMenuOpen.value = false;
  }, [path.value]);
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {t.skip}
      </a>
      <div class="side">
        <div class="brand">
          <a href={href("/")}>
            <Seal />
            <span>Lacre</span>
          </a>
          <button
            type="button"
            class="plain menu-button"
            aria-expanded={isMenuOpen.value}
            aria-controls="menu"
            onClick={() => {
              isMenuOpen.value = !isMenuOpen.value;
            }}
          >
            {t.menu}
          </button>
        </div>
        <div id="menu" class={isMenuOpen.value ? "menu open" : "menu"}>
          <CompanyName />
          <nav aria-label={t.menu}>
            {GROUPS.map((group) => (
              <MenuGroup key={group} title={t[group]} screens={SCREENS.filter(({ menu }) => menu === group)} />
            ))}
          </nav>
          <div class="person">
            <a href={href("/account")} aria-current={first.value === "account" ? "page" : undefined}>
              {session.value?.user.name}
            </a>
            <div class="actions">
              <button type="button" class="plain" lang={other()} onClick={changeLanguage}>
                {t.other_language}
              </button>
              <button type="button" class="plain" onClick={signOut}>
                {t.sign_out}
              </button>
            </div>
          </div>
        </div>
      </div>
      <main id="content" tabIndex={-1}>
        {!isOnline.value && (
          <p class="banner" role="alert">
            {t.offline}
          </p>
        )}
        {children}
      </main>
    </div>
  );
}

/** A screen without the menu: signing in, the set-up. */
export function Alone({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <main class="alone">
      <header>
        <p class="brand">
          <Seal />
          <span>Lacre</span>
        </p>
        <button type="button" class="plain" lang={other()} onClick={changeLanguage}>
          {t.other_language}
        </button>
      </header>
      <Page title={title} keepFocus>
        {children}
      </Page>
    </main>
  );
}

const other = (): Language => (language.value === "pt" ? "en" : "pt");

/** Shows the other language, and keeps it for the user; without the server only here. */
function changeLanguage(): void {
  chooseLanguage(other());
  if (session.value) call("PATCH", "/area/v1/session", { language: language.value }).catch(() => {});
}

function MenuGroup({ title, screens }: { readonly title: string; readonly screens: readonly Screen[] }) {
  const allowed = screens.filter(({ needs }) => !needs || can(needs));
  if (allowed.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {allowed.map(({ name, title }) => (
          <li key={name}>
            <a href={href(`/${name}`)} aria-current={(first.value ?? "") === name ? "page" : undefined}>
              {title()}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function CompanyName() {
  const companies = session.value?.companies ?? [];
  if (companies.length < 2) return <p class="company">{company.value?.name}</p>;
  return (
    <select
      class="company"
      aria-label={t.company}
      value={company.value?.id}
      onChange={(event) => chooseCompany(event.currentTarget.value)}
    >
      {companies.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** The mark: a drop of sealing wax. */
export function Seal() {
  return (
    <svg class="seal" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M16 1.5c2.6 0 3.3 1.9 5.6 2.5 2.2.6 4-.4 5.6 1.3 1.7 1.7.8 3.6 1.3 5.7.6 2.2 2.4 3 2.4 5.4s-1.8 3.1-2.4 5.3c-.6 2.2.4 4-1.3 5.7-1.7 1.6-3.5.7-5.7 1.2-2.1.6-2.9 2.4-5.5 2.4s-3.2-1.8-5.4-2.4c-2.2-.5-4.1.4-5.8-1.2-1.6-1.7-.7-3.6-1.2-5.7-.6-2.2-2.5-3-2.5-5.3s1.9-3.2 2.5-5.4c.5-2.1-.4-4 1.2-5.7C6.500 3.600 8.400 4.600 10.600 4 12.800 3.400 13.400 1.500 16 1.500z" />
      <path class="letter" d="M12.700 9.500v13h8.200" />
    </svg>
  );
}
