/** Settings: the company, its logo, prices and language, another company. */
import { useEffect } from "preact/hooks";
import type { Company } from "../../core/face.ts";
import { REHEARSAL_NUMBER } from "../../core/fiscal/numbering.ts";
import { LANGS } from "../../core/texts/languages.ts";
import { Button, ButtonLink } from "../button.tsx";
import { closeDialog, Dialog, FormDialog, openDialog, withPassword } from "../dialog.tsx";
import { CompanyForm } from "../fields/company-form.tsx";
import { Check, FormProblem, useForm } from "../fields/form.tsx";
import { announce } from "../notice.tsx";
import { Page, Section } from "../page.tsx";
import { fitPicture } from "../pictures.ts";
import { pricesWithVat } from "../prices.ts";
import { lacre } from "../reading/api.ts";
import { useOwnCompany } from "../reading/own-company.ts";
import { Loaded, useResource } from "../reading/resource.tsx";
import { href } from "../router.ts";
import { can, chooseCompany, keepLanguage, loadSession } from "../session.ts";
import { language } from "../words/language.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  title: ["Definições", "Settings"],
  company: ["Empresa", "Company"],
  saved: ["Definições guardadas.", "Settings saved."],
  logo: ["Logótipo", "Logo"],
  logo_hint: ["Aparece no topo dos documentos.", "Stands at the head of documents."],
  no_logo: ["Ainda sem logótipo.", "No logo yet."],
  logo_of: ["Logótipo de {name}", "Logo of {name}"],
  choose: ["Escolher imagem…", "Choose a picture…"],
  change: ["Trocar imagem…", "Change picture…"],
  remove: ["Remover", "Remove"],
  remove_title: ["Remover o logótipo?", "Remove the logo?"],
  remove_hint: ["Os próximos documentos saem sem ele.", "Documents are printed without it from now on."],
  removed: ["Logótipo removido.", "Logo removed."],
  logo_saved: ["Logótipo guardado.", "Logo saved."],
  logo_shrunk: [
    "Logótipo guardado, reduzido a {width} × {height} pontos.",
    "Logo saved, reduced to {width} × {height} pixels.",
  ],
  no_picture: [
    "Este ficheiro não é uma imagem que se possa imprimir. Escolha um PNG ou JPEG.",
    "This file is no picture that can be printed. Choose a PNG or JPEG.",
  ],
  too_large: [
    "A imagem é grande de mais, mesmo reduzida. Escolha uma até 512 KB.",
    "The picture is too large, even when reduced. Choose one of at most 512 KB.",
  ],
  here: ["Preços e língua", "Prices and language"],
  with_vat: ["Mostrar e escrever preços com IVA", "Show and type prices with VAT"],
  with_vat_hint: [
    "Na loja os preços são em geral com IVA; entre empresas, sem. Vale neste computador.",
    "Shops mostly price with VAT, wholesale without it. It holds on this computer.",
  ],
  language: ["Língua", "Language"],
  mail: ["E-mail", "E-mail"],
  mail_hint: [
    "O servidor que envia os seus documentos, o remetente e o texto da mensagem.",
    "The server that sends your documents, the sender and the text of the message.",
  ],
  to_mail: ["Configurar o e-mail", "Set up e-mail"],
  pt: ["Português", "Português"],
  en: ["English", "English"],
  certificate: ["Certificação do programa", "Certification of the program"],
  certified: ["Certificado n.º {number}/AT", "Certificate {number}/AT"],
  certified_hint: [
    "{producer} O programa recusa o que a lei não deixa: série sem código, 0 % sem motivo…",
    "{producer} The program refuses what the law forbids: a series without a code, 0% without a reason…",
  ],
  rehearsal: ["Ensaio", "Rehearsal"],
  rehearsal_hint: [
    "O programa não é certificado: ensaia o modo estrito com o n.º 9999, e cada página diz que é um ensaio.",
    "The program is not certified: it rehearses strict mode under number 9999, and every page says that it is a rehearsal.",
  ],
  uncertified: ["Sem certificado", "Not certified"],
  uncertified_hint: [
    "Em Portugal, quem fatura por programa tem de usar um que a AT tenha certificado, seja qual for o volume de negócios, e este não traz número de certificado. Não fature com ele a sério: fale com quem lho forneceu e com o seu contabilista.",
    "In Portugal, whoever invoices by program must use one that AT certified, whatever the turnover, and this one carries no certificate number. Do not invoice in earnest with it: ask whoever gave it to you, and your accountant.",
  ],
  more: ["Outras empresas e programas", "Other companies and programs"],
  import: ["Importar clientes e artigos de outro programa", "Import customers and products of another program"],
  another: ["Criar outra empresa", "Make another company"],
  another_hint: [
    "Com séries, clientes e utilizadores próprios. Fica como proprietário.",
    "With series, customers and users of its own. You become its owner.",
  ],
  made: ["{name} criada.", "{name} made."],
});

/** Whether documents bear the company's tax number; training documents bear another. */
async function hasIssued(signal: AbortSignal): Promise<boolean> {
  const { data } = await lacre.series.list({ limit: 200 }, { signal });
  return data.some(({ training, next_number }) => !training && next_number > 1);
}

export function Screen() {
  const company = useOwnCompany();
  const issued = useResource(hasIssued).state.value.value;
  const made = async ({ id, name }: Company) => {
    await loadSession();
    closeDialog();
    chooseCompany(id);
    announce(t.made({ name }));
  };
  const another = () =>
    openDialog(
      <Dialog title={t.another}>
        <CompanyForm submit={t.another} onSaved={made} onCancel={closeDialog} />
      </Dialog>,
    );
  return (
    <Page title={t.title}>
      <Loaded from={company}>
        {(value) => (
          <div class="settings">
            <Section title={t.company}>
              <CompanyForm
                key={value.id}
                company={value}
                hasIssued={issued}
                onSaved={(saved) => {
                  company.set(saved);
                  announce(t.saved);
                }}
              />
            </Section>
            <Logo name={value.name} />
            <Section title={t.here}>
              <Check label={t.with_vat} value={pricesWithVat} hint={t.with_vat_hint} />
              <fieldset class="choices">
                <legend>{t.language}</legend>
                {LANGS.map((one) => (
                  <Button
                    label={t[one]}
                    key={one}
                    lang={one}
                    aria-pressed={language.value === one}
                    onClick={() => keepLanguage(one)}
                  />
                ))}
              </fieldset>
            </Section>
            <Section title={t.mail}>
              <p class="hint above">{t.mail_hint}</p>
              <ButtonLink label={t.to_mail} to="/mail" />
            </Section>
            <Certificate />
            <Section title={t.more}>
              <ul class="links">
                <li>
                  <a href={href("/import")}>{t.import}</a>
                </li>
                <li>
                  <Button label={t.another} onClick={another} />
                  <p class="hint">{t.another_hint}</p>
                </li>
              </ul>
            </Section>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Certificate() {
  const installation = useResource(async (signal) =>
    can("installation:read") ? lacre.installation.get({}, { signal }) : undefined,
  );
  const found = installation.state.value.value;
  if (!found) return null;
  const { certificate_number, producer } = found;
  return (
    <Section title={t.certificate}>
      {certificate_number === REHEARSAL_NUMBER ? (
        <Standing tag="warn" text={t.rehearsal} hint={t.rehearsal_hint} />
      ) : certificate_number > 0 ? (
        <Standing
          tag="good"
          text={t.certified({ number: String(certificate_number) })}
          hint={t.certified_hint({ producer: producer ? `${producer.name}.` : "" })}
        />
      ) : (
        <Standing tag="warn" text={t.uncertified} hint={t.uncertified_hint} />
      )}
    </Section>
  );
}

function Standing({
  tag,
  text,
  hint,
}: {
  readonly tag: "good" | "warn";
  readonly text: string;
  readonly hint: string;
}) {
  return (
    <>
      <p>
        <span class={`tag ${tag}`}>{text}</span>
      </p>
      <p class="hint">{hint}</p>
    </>
  );
}

/** The logo, shown from memory; null if there is none. */
async function readLogo(signal: AbortSignal): Promise<string | null> {
  const { blob } = await lacre.company.logo({}, { signal });
  return blob.size > 0 ? URL.createObjectURL(blob) : null;
}

function Logo({ name }: { readonly name: string }) {
  const logo = useResource(readLogo);
  const form = useForm();
  const shown = logo.state.value.value;
  useEffect(() => () => URL.revokeObjectURL(shown ?? ""), [shown]);
  const choose = async (input: HTMLInputElement) => {
    const [file] = input.files ?? [];
    if (!file) return;
    await form.send(async () => {
      const picture = await fitPicture(file);
      if (typeof picture === "string") throw new Error(t[picture]);
      await withPassword(() => lacre.company.change({ logo: picture.base64 }));
      const { shrunk } = picture;
      announce(shrunk ? t.logo_shrunk({ width: String(shrunk.width), height: String(shrunk.height) }) : t.logo_saved);
      logo.reload();
    });
    input.value = "";
  };
  const remove = () =>
    openDialog(
      <FormDialog
        title={t.remove_title}
        submit={t.remove}
        change={() => withPassword(() => lacre.company.change({ logo: null }))}
        onDone={() => {
          announce(t.removed);
          logo.reload();
        }}
      >
        <p>{t.remove_hint}</p>
      </FormDialog>,
    );
  return (
    <Section title={t.logo}>
      <Loaded from={logo}>
        {(url) => (
          <>
            {url ? <img class="logo" src={url} alt={t.logo_of({ name })} /> : <p class="soft">{t.no_logo}</p>}
            <div class="actions">
              <label class="button">
                {url ? t.change : t.choose}
                <input
                  class="unseen"
                  type="file"
                  accept="image/png,image/jpeg,image/webp,image/svg+xml"
                  onChange={(event) => choose(event.currentTarget)}
                />
              </label>
              {url && <Button label={t.remove} class="plain" onClick={remove} />}
            </div>
            <p class="hint">{t.logo_hint}</p>
          </>
        )}
      </Loaded>
      <FormProblem of={form} />
    </Section>
  );
}
