/** The company's own texts of e-mails: written from Lacre's, and shown as they read. */
import { LANGS, type Lang } from "../../core/texts/languages.ts";
import { Button } from "../button.tsx";
import { type FormState, TextField } from "../fields/form.tsx";
import { Facts } from "../reading/facts.tsx";
import { company } from "../session.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  pt: ["A clientes em português", "To customers in Portuguese"],
  en: ["A clientes em inglês", "To customers in English"],
  subject: ["Assunto", "Subject"],
  message: ["Mensagem", "Message"],
  usual: ["Repor o texto do Lacre", "Back to Lacre's text"],
  preview: ["Ver como fica", "See how it reads"],
  places: ["O que se escreve entre chavetas", "What stands in braces"],
  places_hint: [
    "O Lacre troca cada palavra entre chavetas pelo que está no documento. Por exemplo:",
    "Lacre puts what the document has in place of each word in braces. For example:",
  ],
});

const PARTS = ["subject", "message"] as const;
type Part = (typeof PARTS)[number];

type Own = Readonly<Record<Lang, Readonly<Record<Part, string | null>>>>;
type Usual = Readonly<Record<Lang, Readonly<Record<Part, string>>>>;

/** The path of a text in the change: `pt.subject`, `reminders.pt.subject`. */
type PathOf<Within extends string> = `${Within}${Lang}.${Part}`;

const PATHS = LANGS.flatMap((lang) => PARTS.map((part) => [lang, part] as const));

/** The texts by their paths: Lacre's where the company has none. */
export function shownTexts<Within extends string>(own: Own, usual: Usual, within: Within) {
  const pairs = PATHS.map(([lang, part]) => [`${within}${lang}.${part}`, own[lang][part] ?? usual[lang][part]]);
  return Object.fromEntries(pairs) as Record<PathOf<Within>, string>;
}

/** The texts as they are sent: null where they are Lacre's, or empty. */
export function ownTexts<Within extends string>(
  typed: (path: PathOf<Within>) => string,
  usual: Usual,
  within: Within,
): Own {
  const ownOf = (lang: Lang, part: Part) => {
    const text = typed(`${within}${lang}.${part}`);
    return text === "" || text === usual[lang][part] ? null : text;
  };
  const both = (lang: Lang) => ({ subject: ownOf(lang, "subject"), message: ownOf(lang, "message") });
  return { pt: both("pt"), en: both("en") };
}

/** What the places hold in an example. */
const EXAMPLES: Readonly<Record<Lang, Readonly<Record<string, string>>>> = {
  pt: {
    title: "Fatura FT 2026A/12",
    document: "a fatura",
    number: "FT 2026A/12",
    date: "24-11-2026",
    due_date: "24-12-2026",
    total: "123,00 €",
    outstanding: "73,00 €",
    days: "10",
    iban: "PT50 0002 0123 1234 5678 9015 4",
    customer: "Ana Conceição",
  },
  en: {
    title: "Invoice FT 2026A/12",
    document: "invoice",
    number: "FT 2026A/12",
    date: "2026-11-24",
    due_date: "2026-12-24",
    total: "€123.00",
    outstanding: "€73.00",
    days: "10",
    iban: "PT50 0002 0123 1234 5678 9015 4",
    customer: "Ana Conceição",
  },
};

/** The places that only reminders have. */
const OF_REMINDERS = ["outstanding", "days", "iban"];

const exampleIn = (lang: Lang): Readonly<Record<string, string>> => ({
  ...EXAMPLES[lang],
  company: company.value?.name ?? "",
});

/** A text as it reads for the example; a word that is no place stays as it is. */
const filled = (text: string, lang: Lang): string =>
  text.replaceAll(/\{([^{}]*)\}/g, (place, name: string) => exampleIn(lang)[name] ?? place);

interface OwnTextsProps<Within extends string> {
  readonly form: FormState<PathOf<Within>>;
  readonly usual: Usual;
  readonly within: Within;
}

/** The fields of the texts in both languages, and what their places mean. */
export function OwnTexts<Within extends string>({ form, usual, within }: OwnTextsProps<Within>) {
  const isReminder = within !== "";
  const places = Object.entries(exampleIn("pt")).filter(([name]) => isReminder || !OF_REMINDERS.includes(name));
  return (
    <>
      <details class="in-braces">
        <summary>{t.places}</summary>
        <p class="hint above">{t.places_hint}</p>
        <Facts rows={places.map(([name, value]) => [`{${name}}`, value])} />
      </details>
      {LANGS.map((lang) => {
        const fieldOf = (part: Part) => form.values[`${within}${lang}.${part}`];
        const isUsual = PARTS.every((part) => fieldOf(part).value === usual[lang][part]);
        return (
          <fieldset key={lang} class="own-texts">
            <legend>{t[lang]}</legend>
            <TextField label={t.subject} path={`${within}${lang}.subject`} wide />
            <TextField label={t.message} path={`${within}${lang}.message`} lines={isReminder ? 10 : 7} />
            <details>
              <summary>{t.preview}</summary>
              <div class="preview" lang={lang}>
                <p>
                  <strong>{filled(fieldOf("subject").value, lang)}</strong>
                </p>
                <p class="as-typed">{filled(fieldOf("message").value, lang)}</p>
              </div>
            </details>
            {!isUsual && (
              <Button
                label={t.usual}
                of={t[lang]}
                class="plain"
                onClick={() => {
                  for (const part of PARTS) fieldOf(part).value = usual[lang][part];
                }}
              />
            )}
          </fieldset>
        );
      })}
    </>
  );
}
