/** The type of the document: the one to begin with, and the choice of another. */
import type { Company } from "../../core/face.ts";
import { DOC_TYPES, type DocType } from "../../core/fiscal/document-types.ts";
import { Options } from "../fields/form.tsx";
import { texts } from "../words/texts.ts";
import { typeName } from "../words/type-names.ts";
import { focusProducts } from "./focus.ts";
import type { Writing } from "./writing.ts";

const t = texts({
  type: ["Tipo de documento", "Type of document"],
  other: ["Outro tipo…", "Other type…"],
});

/** The types that have a button; the others are in a menu. */
const MAIN_TYPES = ["FS", "FT", "FR"] as const;
const OTHER_TYPES = DOC_TYPES.filter((type) => !MAIN_TYPES.some((main) => main === type));

const typesKeptAs = (company: Company) => `lacre.doc_types.${company.id}`;

/** How many of the last documents predict the next type. */
const REMEMBERED = 3;

const lastTypes = (company: Company) => localStorage.getItem(typesKeptAs(company))?.split(" ") ?? [];

/** Remembers the type of a document that was issued. */
export function rememberType({ company, doc_type }: Writing): void {
  if (!MAIN_TYPES.some((type) => type === doc_type.value)) return;
  const last = [doc_type.value, ...lastTypes(company)].slice(0, REMEMBERED);
  localStorage.setItem(typesKeptAs(company), last.join(" "));
}

const isDocType = (text: string | null): text is DocType => DOC_TYPES.some((type) => type === text);

/**
 * The requested type, else that of most of the last invoices, else a simplified one: a single exception changes
 * nothing.
 */
export function typeToBegin(company: Company, asked: string | null): DocType {
  const last = lastTypes(company);
  const isUsual = (type: DocType) => last.filter((one) => one === type).length > REMEMBERED / 2;
  return isDocType(asked) ? asked : (MAIN_TYPES.find(isUsual) ?? "FS");
}

/** The type that comes after one among those that have a button. */
export const typeAfter = (doc_type: DocType): DocType =>
  MAIN_TYPES[((MAIN_TYPES as readonly DocType[]).indexOf(doc_type) + 1) % MAIN_TYPES.length] ?? "FS";

/** The buttons and the menu that choose another type. */
export function TypeChoice({
  writing,
  choose,
}: {
  readonly writing: Writing;
  readonly choose: (type: DocType) => void;
}) {
  const { doc_type } = writing;
  const isOther = !MAIN_TYPES.some((type) => type === doc_type.value);
  return (
    <fieldset class="types">
      <legend class="unseen">{t.type} (F4)</legend>
      {MAIN_TYPES.map((type) => (
        <button
          key={type}
          type="button"
          aria-pressed={doc_type.value === type}
          aria-keyshortcuts="F4"
          onClick={() => {
            choose(type);
            focusProducts();
          }}
        >
          <strong>{type}</strong> <span>{typeName(type)}</span>
        </button>
      ))}
      <select
        class={isOther ? "chosen" : ""}
        aria-label={t.other}
        aria-keyshortcuts="F4"
        value={isOther ? doc_type.value : ""}
        onChange={(event) => choose(event.currentTarget.value as DocType)}
      >
        <option value="" disabled>
          {t.other}
        </option>
        <Options of={OTHER_TYPES.map((type) => [type, typeName(type)])} />
      </select>
    </fieldset>
  );
}
