/** E-mail: the server that the company's e-mails go by, who sends them, what they say, and reminders. */

import type { CompanyMail } from "../../core/face.ts";
import { withPassword } from "../dialog.tsx";
import { Form, TextField } from "../fields/form.tsx";
import { type PartProps, useKept } from "../mail/kept.ts";
import { OwnTexts, ownTexts, shownTexts } from "../mail/own-texts.tsx";
import { Reminders } from "../mail/reminders.tsx";
import { Server } from "../mail/server.tsx";
import { announce } from "../notice.tsx";
import { Page, Section } from "../page.tsx";
import { lacre } from "../reading/api.ts";
import { Loaded, useResource } from "../reading/resource.tsx";
import { company } from "../session.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  title: ["E-mail", "E-mail"],
  about: [
    "Por onde seguem os documentos que envia por e-mail, e o que diz a mensagem.",
    "How the documents that you send by e-mail go out, and what the message says.",
  ],
  looks: ["Remetente e mensagem", "Sender and message"],
  name: ["Nome do remetente", "Name of the sender"],
  name_hint: ["Em branco, o nome da empresa.", "If empty, the company's name."],
  reply_to: ["Responder para", "Reply to"],
  reply_to_hint: [
    "Em branco, as respostas vão para o endereço de onde o e-mail seguiu.",
    "If empty, replies go to the address that the e-mail came from.",
  ],
  save: ["Guardar", "Save"],
  saved: ["Remetente e mensagem guardados.", "Sender and message saved."],
});

export function Screen() {
  const mail = useResource((signal) => lacre.mail.get({}, { signal }));
  return (
    <Page title={t.title} about={t.about}>
      <Loaded from={mail}>
        {(value) => (
          <div class="settings">
            <Server mail={value} onChanged={mail.set} />
            <Looks mail={value} onChanged={mail.set} />
            <Reminders mail={value} onChanged={mail.set} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

const shown = ({ name, reply_to, usual, ...own }: CompanyMail) => ({
  name: name ?? "",
  reply_to: reply_to ?? "",
  ...shownTexts(own, usual, ""),
});

function Looks({ mail, onChanged }: PartProps) {
  const { form, isChanged, typed, show } = useKept(shown(mail));
  const save = () =>
    form.send(async () => {
      const changes = {
        name: typed("name") || null,
        reply_to: typed("reply_to") || null,
        ...ownTexts(typed, mail.usual, ""),
      };
      const next = await withPassword(() => lacre.mail.change(changes));
      show(shown(next));
      onChanged(next);
      announce(t.saved);
    });
  return (
    <Section title={t.looks}>
      <Form state={form} onSubmit={save} submit={t.save} canSubmit={isChanged}>
        <div class="fields">
          <TextField label={t.name} path="name" hint={t.name_hint} placeholder={company.value?.name} />
          <TextField label={t.reply_to} path="reply_to" type="email" hint={t.reply_to_hint} />
        </div>
        <OwnTexts form={form} usual={mail.usual} within="" />
      </Form>
    </Section>
  );
}
