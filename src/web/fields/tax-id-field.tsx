/** The field of a tax number, which shows while one types whether a Portuguese number can be right. */
import { useSignalEffect } from "@preact/signals";
import { normalTaxId } from "../../core/fiscal/tax-id.ts";
import { texts } from "../words/texts.ts";
import { type FormState, TextField } from "./form.tsx";

const t = texts({
  tax_id: ["NIF", "Tax number"],
  right: ["✓ O NIF está bem escrito.", "✓ A well-formed Portuguese tax number."],
  wrong: ["Este NIF não existe: confirme os algarismos.", "No Portuguese tax number is written so: check the digits."],
  short: ["{count|Falta|Faltam} {count} {count|algarismo|algarismos}.", "{count} {count|digit is|digits are} missing."],
});

/** The digits of a NIF. */
const DIGITS = 9;

interface TaxIdFieldProps {
  /** A code, or empty for Portugal: numbers of other countries are not checked. */
  readonly country: string;
  readonly form: FormState<"tax_id">;
  readonly required?: boolean;
  /** Why the number can no longer be changed; undefined if it can. */
  readonly fixed?: string | undefined;
}

/** A Portuguese number as people write it, in groups of three: `500 000 000`, `PT 500.000.000`. */
const GROUPED = /^(?:PT)?[\d\s.]+$/i;

/** A hint, never a block: the server decides. */
export function TaxIdField({ country, form, required = false, fixed }: TaxIdFieldProps) {
  const value = form.values.tax_id;
  const isPortuguese = ["", "PT"].includes(country);
  useSignalEffect(() => {
    // The server accepts no spaces inside a number, but on paper it has some.
    if (isPortuguese && GROUPED.test(value.value)) value.value = value.value.replaceAll(/[\s.]/g, "");
  });
  return (
    <TextField
      label={t.tax_id}
      path="tax_id"
      required={required && fixed === undefined}
      readonly={fixed !== undefined}
      hint={fixed ?? (form.errors.value.tax_id === undefined ? hintOf(value.value.trim(), country) : undefined)}
    />
  );
}

function hintOf(tax_id: string, country: string): string | undefined {
  if (tax_id === "" || !["", "PT"].includes(country)) return undefined;
  if (normalTaxId(tax_id, country) !== undefined) return t.right;
  const digits = tax_id.replace(/^PT/i, "");
  return /^\d*$/.test(digits) && digits.length < DIGITS ? t.short({ count: DIGITS - digits.length }) : t.wrong;
}
