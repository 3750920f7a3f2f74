/** When customers are reminded of what is overdue, and what a reminder says. */
import type { CompanyMail } from "../../core/face.ts";
import { withPassword } from "../dialog.tsx";
import { Form, TextField } from "../fields/form.tsx";
import { announce } from "../notice.tsx";
import { Section } from "../page.tsx";
import { lacre, wrongField } from "../reading/api.ts";
import { texts } from "../words/texts.ts";
import { type PartProps, useKept } from "./kept.ts";
import { OwnTexts, ownTexts, shownTexts } from "./own-texts.tsx";

const t = texts({
  title: ["Lembretes de pagamento", "Payment reminders"],
  about: [
    "O cliente que, passados estes dias do vencimento, ainda não pagou uma fatura recebe de manhã um lembrete, com ela em anexo. Só conta daqui em diante: do que já estava vencido há mais tempo não se enviam lembretes. Na ficha de cada cliente indica-se se os recebe.",
    "A customer who has not paid an invoice these days after its due date gets a reminder in the morning, with the invoice attached. It counts from now on: no reminders are sent of what was overdue for longer already. Each customer's record says whether they get them.",
  ],
  days: ["Dias depois do vencimento", "Days after the due date"],
  days_hint: [
    "Até cinco, com vírgulas: 3, 10, 30. Em branco, não se enviam lembretes.",
    "Up to five, with commas: 3, 10, 30. If empty, no reminders are sent.",
  ],
  wrong_days: [
    "Escreva até cinco números de dias, de 1 a 365, com vírgulas entre eles.",
    "Type up to five numbers of days, from 1 to 365, with commas between them.",
  ],
  save: ["Guardar", "Save"],
  saved: ["Lembretes guardados.", "Reminders saved."],
  saved_off: ["Guardado: não se enviam lembretes.", "Saved: no reminders are sent."],
});

const WITHIN = "reminders.";

const shown = ({ reminders: { days, usual, ...own } }: CompanyMail) => ({
  "reminders.days": days.join(", "),
  ...shownTexts(own, usual, WITHIN),
});

/** The days in a text such as `30, 3 e 10`, ascending, each once; undefined for another text, or days out of bounds. */
function daysIn(text: string): number[] | undefined {
  if (!/^[\d\s,;]*$/.test(text.replaceAll(/\b(?:e|and)\b/g, ","))) return undefined;
  const days = Array.from(new Set((text.match(/\d+/g) ?? []).map(Number)));
  const areSound = days.length <= 5 && days.every((day) => day >= 1 && day <= 365);
  return areSound ? days.toSorted((a, b) => a - b) : undefined;
}

/** The settings of reminders. */
export function Reminders({ mail, onChanged }: PartProps) {
  const { form, isChanged, typed, show } = useKept(shown(mail));
  const { usual } = mail.reminders;
  const save = () => {
    const days = daysIn(typed("reminders.days"));
    return form.send(async () => {
      if (!days) throw wrongField("reminders.days", t.wrong_days);
      const reminders = { days, ...ownTexts(typed, usual, WITHIN) };
      const next = await withPassword(() => lacre.mail.change({ reminders }));
      show(shown(next));
      onChanged(next);
      announce(next.reminders.days.length > 0 ? t.saved : t.saved_off);
    });
  };
  return (
    <Section title={t.title}>
      <p class="hint above">{t.about}</p>
      <Form state={form} onSubmit={save} submit={t.save} canSubmit={isChanged}>
        <TextField label={t.days} path="reminders.days" hint={t.days_hint} />
        {typed("reminders.days") !== "" && <OwnTexts form={form} usual={usual} within={WITHIN} />}
      </Form>
    </Section>
  );
}
