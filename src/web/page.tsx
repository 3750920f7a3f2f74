/** What a screen consists of: its title, which also names the window and takes the focus, its actions, its sections. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { company } from "./session.ts";

interface PageProps {
  readonly title: string;
  /** A line under the title. */
  readonly about?: ComponentChildren;
  /** Links and buttons beside the title. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Leaves the focus to a field of the screen. */
  readonly keepFocus?: boolean;
  readonly class?: string;
}

/** A screen under its title. */
export function Page({ title, about, actions, children, keepFocus = false, class: name = "" }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = [title, company.value?.name, "Lacre"].filter(Boolean).join(" · ");
  }, [title, company.value?.name]);
  useEffect(() => {
    if (!keepFocus) heading.current?.focus();
  }, []);
  return (
    <div class={`page ${name}`}>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about && <p class="about">{about}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** The keys of a shortcut, for people who see them; `aria-keyshortcuts` has them for screen readers. */
export function Keys({ children }: { readonly children: string }) {
  return (
    <span class="keys" aria-hidden="true">
      <kbd>{children}</kbd>
    </span>
  );
}

interface SectionProps {
  readonly title: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A part of a screen, under its heading. */
export const Section = ({ title, class: name = "", children }: SectionProps) => (
  <section class={`sheet ${name}`}>
    <h2>{title}</h2>
    {children}
  </section>
);
