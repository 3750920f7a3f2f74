/** The frame around every screen: the menu, the company, the language, and whether the server answers. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { OtherLanguage, Seal } from "./alone.tsx";
import { Button } from "./button.tsx";
import { Options } from "./fields/form.tsx";
import { isOnline } from "./reading/api.ts";
import { href, part, path } from "./router.ts";
import { SCREENS, type Screen } from "./screens.ts";
import { can, chooseCompany, company, session, signOut } from "./session.ts";
import { texts } from "./words/texts.ts";

const t = texts({
  skip: ["Saltar para o conteúdo", "Skip to the content"],
  menu: ["Menu", "Menu"],
  sell: ["Vender", "Sell"],
  keep: ["Organizar", "Records"],
  run: ["Gerir", "Manage"],
  sign_out: ["Terminar sessão", "Sign out"],
  company: ["Empresa", "Company"],
  offline: [
    "Sem ligação ao servidor. O que está escrito fica nesta página; guardar e emitir têm de esperar pela ligação.",
    "The server cannot be reached. What is written stays on this page; saving and issuing must wait for it.",
  ],
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
      <header class="side">
        <div class="brand">
          <a href={href("/")}>
            <Seal />
            <span>Lacre</span>
          </a>
          <Button
            label={t.menu}
            class="plain menu-button"
            aria-expanded={isMenuOpen.value}
            aria-controls="menu"
            onClick={() => {
              isMenuOpen.value = !isMenuOpen.value;
            }}
          />
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
              <OtherLanguage />
              <Button label={t.sign_out} class="plain" onClick={signOut} />
            </div>
          </div>
        </div>
      </header>
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
      <Options of={companies.map(({ id, name }) => [id, name])} />
    </select>
  );
}
