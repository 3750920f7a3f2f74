/** A company's own mail server, whose password is sealed under a key that the database does not hold. */
import { gunzipSync } from "node:zlib";
import { archiveLacre, LacreError, type MailSender, type MailServer, pemSigner } from "lacre";
import { TEST_SIGNING_KEY } from "lacre/testing";
import { describe, expect, test } from "vitest";
import { DATABASES } from "../../support/databases.ts";
import { anInvoice } from "../../support/factories.ts";
import { aFile, anInstallation, anInstance, homeOf } from "../../support/instance.ts";
import { FROM, mailing, TAKEN } from "../../support/mail.ts";
import { until } from "../../support/until.ts";
import { hasty } from "../../support/webhooks.ts";

const PASSWORD = "muito-secreta-42";
const SERVER = {
  ...{ host: "smtp.example.com", port: 465, security: "tls" as const },
  ...{ user: "loja", password: PASSWORD, from: "loja@example.com" },
};

/** A sender, by default without a server of its own, and the companies' servers that it was given. */
function aSender(from: string | null = null): MailSender & { readonly servers: (MailServer | null)[] } {
  const servers: (MailServer | null)[] = [];
  return {
    servers,
    from,
    async send(_, server) {
      servers.push(server);
      return TAKEN;
    },
  };
}

describe.each(DATABASES)("the password of a company's own mail server, over $name", (driver) => {
  test("reaches the sender, and no answer, row or archive", async () => {
    const sender = aSender();
    const instance = await anInstance(driver, {
      mailSender: sender,
      mailKey: Buffer.alloc(32, 7),
      timer: hasty,
      file: aFile(),
    });
    const { company, lacre } = instance;
    const answered = await company.mail.change({ server: SERVER });
    expect(answered.server).toMatchObject({ host: SERVER.host, user: "loja", has_password: true });
    expect(JSON.stringify([answered, await company.mail.get({})])).not.toContain(PASSWORD);
    const { id } = await anInvoice(instance);
    const email = await company.documents.email({ id, to: ["ana@example.com"] });
    mailing(lacre);
    await until(async () => (await company.emails.get({ id: email.id })).status === "sent");
    expect(await company.mail.test({})).toMatchObject({ to: SERVER.from, outcome: "delivered" });
    const given = expect.objectContaining({ host: SERVER.host, password: PASSWORD });
    expect(sender.servers).toEqual([given, given]);
    const kept = await instance.past("select * from company_mail");
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain(PASSWORD);
    // the control: what is not secret is in the row
    expect(JSON.stringify(kept)).toContain(SERVER.host);
    const pieces: Uint8Array[] = [];
    for await (const piece of archiveLacre({ dialect: instance.dialect })) pieces.push(piece);
    const archived = gunzipSync(Buffer.concat(pieces)).toString();
    expect(archived).not.toContain(PASSWORD);
    expect(archived).not.toContain(String(kept[0]?.server_password));
    expect(archived).toContain("ana@example.com");
  });

  test("cannot be kept without a key", async () => {
    const { company } = await anInstance(driver, { mailSender: aSender() });
    const refused = await company.mail.change({ server: SERVER }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(LacreError);
    expect(refused).toMatchObject({ code: "invalid_state" });
  });

  test.each([
    { it: "goes by the operator's server once there is one", from: FROM, status: "sent", servers: [null] },
    { it: "waits while there is neither one nor the key", from: null, status: "queued", servers: [] },
  ])("that nobody can read any more: an e-mail $it", async ({ from, status, servers }) => {
    const file = aFile();
    const own = await anInstance(driver, { mailSender: aSender(), mailKey: Buffer.alloc(32, 7), file });
    await own.company.mail.change({ server: SERVER });
    await own.lacre.close();
    const sender = aSender(from);
    const lacre = await anInstallation(driver, {
      mailSender: sender,
      timer: hasty,
      file,
      signer: pemSigner(TEST_SIGNING_KEY, 1),
    });
    const home = await homeOf(lacre, own.company_id);
    const { id } = await anInvoice(home);
    const email = await home.company.documents.email({ id, to: ["ana@example.com"] });
    mailing(lacre);
    await until(async () => (await home.company.emails.get({ id: email.id })).attempts.length === 1);
    expect(await home.company.emails.get({ id: email.id })).toMatchObject({ status });
    expect(sender.servers).toEqual(servers);
  });

  test("needs a key of 32 bytes", async () => {
    await expect(anInstance(driver, { mailSender: aSender(), mailKey: Buffer.alloc(31) })).rejects.toThrow("32 bytes");
  });
});
