/** Buttons, and links that look like them. */
import type { ButtonHTMLAttributes } from "preact";
import { href } from "./router.ts";
import { texts } from "./words/texts.ts";

interface ButtonProps extends Omit<ButtonHTMLAttributes, "label"> {
  readonly label: string | number;
  /** The row that the button belongs to, for people who cannot see it. */
  readonly of?: string;
}

/** A button that sends no form. */
export const Button = ({ label, of, ...button }: ButtonProps) => (
  <button {...button} type="button">
    {label}
    {of && <span class="unseen"> {of}</span>}
  </button>
);

const t = texts({ remove: ["Retirar", "Remove"] });

/** A cross that removes something: a line, a reference, a means of payment. */
export const RemoveButton = ({ of, ...button }: Omit<ButtonProps, "label"> & { readonly of: string }) => (
  <button {...button} type="button" class="plain icon">
    <span aria-hidden="true">×</span>
    <span class="unseen">
      {t.remove} {of}
    </span>
  </button>
);

interface ButtonLinkProps {
  readonly label: string;
  /** Below the area: `/documents/…`. */
  readonly to: string;
  readonly main?: boolean;
}

/** A link to another screen. */
export const ButtonLink = ({ label, to, main = false }: ButtonLinkProps) => (
  <a class={main ? "button main" : "button"} href={href(to)}>
    {label}
  </a>
);
