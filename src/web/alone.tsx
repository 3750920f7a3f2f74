/**
 * A screen without the menu, and what it shares with the screens that have one: the mark, and the button of the other
 * language.
 */
import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { Page } from "./page.tsx";
import { keepLanguage } from "./session.ts";
import { language } from "./words/language.ts";
import { texts } from "./words/texts.ts";

const t = texts({ other_language: ["English", "Português"] });

/** A screen without the menu: signing in, the set-up. */
export function Alone({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <main class="alone">
      <header>
        <p class="brand">
          <Seal />
          <span>Lacre</span>
        </p>
        <OtherLanguage />
      </header>
      <Page title={title} keepFocus>
        {children}
      </Page>
    </main>
  );
}

const other = () => (language.value === "pt" ? "en" : "pt");

/** The button that shows the page in the other language. */
export function OtherLanguage() {
  return <Button label={t.other_language} class="plain" lang={other()} onClick={() => keepLanguage(other())} />;
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
