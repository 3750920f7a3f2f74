/** How a company's e-mails look and go, as its owner sets it in the page, and the test message. */
import type { CompanyMail, MailMessage, MailSender, MailServer } from "lacre";
import { describe, expect, test } from "vitest";
import { anArea, PASSWORD } from "../../support/area.ts";
import { aMailbox, FROM, REFUSED } from "../../support/mail.ts";

const SERVER = {
  ...{ host: "smtp.example.com", port: 587, security: "starttls" },
  ...{ user: "loja@example.com", password: "muito-secreta-42", from: "loja@example.com" },
};

/** A sender of companies' own servers, and all that it was given. */
function ownServers(): MailSender & { readonly given: (readonly [MailMessage, MailServer | null])[] } {
  const given: (readonly [MailMessage, MailServer | null])[] = [];
  return {
    given,
    from: null,
    async send(message, server) {
      given.push([message, server]);
      return { outcome: "failed", status: 535, error: "EAUTH" };
    },
  };
}

const TEST = "/area/v1/mail/test";

describe("a test message", () => {
  test("goes to whoever asks for it, as the company's e-mails are sent, and the outcome is the answer", async () => {
    const mailbox = aMailbox();
    const area = await anArea({ mailSender: mailbox });
    const owner = await area.owner("ana@padaria.example");
    await owner.send("PATCH", "/area/v1/mail", { body: { name: "Padaria da Ana", reply_to: "loja@padaria.example" } });
    const headers = { "accept-language": "pt" };
    const reply = await owner.send("POST", TEST, { body: {}, headers });
    expect([reply.status, reply.body]).toEqual([
      200,
      { to: "ana@padaria.example", outcome: "delivered", status: 250, error: null },
    ]);
    expect(mailbox.messages).toEqual([
      expect.objectContaining({
        from: { name: "Padaria da Ana", address: FROM },
        reply_to: "loja@padaria.example",
        to: ["ana@padaria.example"],
        subject: expect.stringMatching(/^E-mail de teste – /),
        attachments: [],
      }),
    ]);
    expect((await owner.send("GET", "/v1/emails")).body).toMatchObject({ data: [] });
    area.now = new Date(area.now.getTime() + 10_000);
    mailbox.answer = () => REFUSED;
    expect((await owner.send("POST", TEST, { body: {} })).body).toMatchObject({
      outcome: "refused",
      error: "550 no such user",
    });
  });

  test("goes by the company's own server, and its password is in no answer", async () => {
    const sender = ownServers();
    const area = await anArea({ mailSender: sender, mailKey: Buffer.alloc(32, 7) });
    const owner = await area.owner();
    await owner.send("PATCH", "/area/v1/mail", { body: { server: SERVER } });
    const reply = await owner.send("POST", TEST, { body: {} });
    expect(reply.body).toMatchObject({ outcome: "failed", status: 535, error: "EAUTH" });
    expect(sender.given.map(([{ from }, server]) => [from.address, server?.password])).toEqual([
      [SERVER.from, SERVER.password],
    ]);
    const { text } = await owner.send("GET", "/area/v1/mail");
    expect(`${text}${reply.text}${JSON.stringify(area.log)}`).not.toContain(SERVER.password);
  });

  test("is sent once in ten seconds", async () => {
    const mailbox = aMailbox();
    const area = await anArea({ mailSender: mailbox });
    const owner = await area.owner();
    await owner.send("POST", TEST, { body: {} });
    area.now = new Date(area.now.getTime() + 9_000);
    const soon = await owner.send("POST", TEST, { body: {} });
    expect([soon.status, soon.headers.get("retry-after")]).toEqual([429, "10"]);
    area.now = new Date(area.now.getTime() + 1_000);
    expect((await owner.send("POST", TEST, { body: {} })).status).toBe(200);
    expect(mailbox.messages).toHaveLength(2);
  });

  test("is refused where nothing sends, and where the password was kept under another key", async () => {
    const silent = await anArea();
    const nothing = await (await silent.owner()).send("POST", TEST, { body: {} });
    expect([nothing.status, nothing.text]).toEqual([409, expect.stringContaining("No e-mail server")]);
    const key = Buffer.alloc(32, 7);
    const area = await anArea({ mailSender: ownServers(), mailKey: key });
    const owner = await area.owner();
    await owner.send("PATCH", "/area/v1/mail", { body: { server: SERVER } });
    key.fill(8);
    const sealed = await owner.send("POST", TEST, { body: {} });
    expect([sealed.status, sealed.text]).toEqual([409, expect.stringContaining("another key")]);
  });

  test("of a sender that fails is of unknown fate", async () => {
    const mailSender = { from: FROM, send: () => Promise.reject(new Error("secret")) };
    const owner = await (await anArea({ mailSender })).owner();
    expect((await owner.send("POST", TEST, { body: {} })).body).toMatchObject({
      outcome: "unknown",
      error: "sender_failed",
    });
  });
});

describe("a company's own texts", () => {
  test("stand beside Lacre's, which hold every place and so are texts that a company may keep", async () => {
    const owner = await (await anArea({ mailSender: aMailbox() })).owner();
    const { body } = await owner.send<CompanyMail>("GET", "/area/v1/mail");
    expect(body.pt).toEqual({ subject: null, message: null });
    expect(body.usual.pt.message).toContain("{document} {number}, de {date}, no valor de {total}");
    const kept = await owner.send<CompanyMail>("PATCH", "/area/v1/mail", { body: { ...body.usual } });
    expect([kept.status, kept.body.pt]).toEqual([200, body.usual.pt]);
  });

  test("are not changed without the password, which the page then asks for", async () => {
    const area = await anArea({ mailSender: aMailbox() });
    const owner = await area.person("owner");
    const body = { pt: { subject: "{number}" } };
    expect((await owner.send("PATCH", "/area/v1/mail", { body })).body).toMatchObject({
      error: { code: "password_required" },
    });
    await owner.confirm(PASSWORD);
    expect((await owner.send("PATCH", "/area/v1/mail", { body })).status).toBe(200);
  });
});
