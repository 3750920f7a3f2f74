/** A button with a text. */
import type { ButtonHTMLAttributes } from "preact";

interface ButtonProps extends Omit<ButtonHTMLAttributes, "label"> {
  readonly label: string | number;
  /** Whose row it stands in, for who cannot see. */
  readonly of?: string;
}

/** A button that sends no form. */
export const Button = ({ label, of, ...button }: ButtonProps) => (
  <button {...button} type="button">
    {label}
    {of && <span class="unseen"> {of}</span>}
  </button>
);
