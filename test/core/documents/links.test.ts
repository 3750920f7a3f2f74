/** Links to documents: made, opened by whoever has one, expired, revoked; and what they leave behind. */
import type { LogEntry } from "lacre";
import { describe, expect, test } from "vitest";
import { COMPANY_OPERATIONS } from "../../../src/core/operations.ts";
import { archiveOf, readArchive, rowsOf } from "../../support/archives.ts";
import { DATABASES } from "../../support/databases.ts";
import { BETTER, NOW, UNKNOWN_ID } from "../../support/drivers.ts";
import { aDraft, anInvoice } from "../../support/factories.ts";
import {
  aCompany,
  aFile,
  anInstallation,
  anInstance,
  anInstanceOnFile,
  type Instance,
} from "../../support/instance.ts";
import { aMailbox } from "../../support/mail.ts";
import { expectRefusal } from "../../support/refusals.ts";
import { textOf } from "../print/reading.ts";

const SHOP = "https://loja.pt/faturas";

/** An instance that others reach at an address. */
const aReachable = (driver: (typeof DATABASES)[number], options = {}) =>
  anInstance(driver, { publicUrl: SHOP, ...options });

/** What stands after `/d/` in the address of a link. */
const tokenOf = ({ url }: { readonly url: string }) => url.slice(`${SHOP}/d/`.length);

/** Opens a link as anybody does. */
async function opened({ lacre }: Pick<Instance, "lacre">, token: string): Promise<Uint8Array> {
  const holder = await lacre.linkHolder(token);
  return (await lacre.run(holder, COMPANY_OPERATIONS.links.open, { token })).value.pdf;
}

const namesIn = (pdf: Uint8Array) => textOf(pdf).match(/Original|2\.ª via/g);

describe.each(DATABASES)("a link over $name", (driver) => {
  test("opens its document for whoever has it, until it is revoked; its address is shown once", async () => {
    const instance = await aReachable(driver);
    const { company } = instance;
    const { id, number } = await anInvoice(instance);
    const { url, ...link } = await company.links.create({ id });
    expect(url).toMatch(/^https:\/\/loja\.pt\/faturas\/d\/[A-Za-z0-9_-]{43}$/);
    expect(link).toMatchObject({ document_id: id, language: "pt", original: true, created_at: NOW, revoked_at: null });
    expect(textOf(await opened(instance, tokenOf({ url })))).toContain(number);
    expect(await company.links.list({ id })).toMatchObject({ data: [link], pagination: { total: 1 } });
    expect(await company.links.get({ id: link.id })).toEqual(link);
    await company.links.revoke({ id: link.id });
    await expectRefusal(opened(instance, tokenOf({ url })), "not_found", "opens no document");
    expect(await company.links.get({ id: link.id })).toEqual({ ...link, revoked_at: NOW });
    await expectRefusal(company.links.revoke({ id: link.id }), "invalid_state", "already revoked");
    const { data } = await company.events.list({ resource_id: id });
    expect(data.map(({ action, resource_id }) => [action, resource_id]).slice(0, 3)).toEqual([
      ["link.revoked", link.id],
      ["link.created", link.id],
      ["document.printed", id],
    ]);
    expect((await company.series.verify()).whole).toBe(true);
  });

  test("opens its document up to the last millisecond of its thirty days, and not at the instant it expires", async () => {
    const instance = await aReachable(driver);
    const link = await instance.company.links.create({ id: (await anInvoice(instance)).id });
    expect(link.expires_at).toBe("2026-12-21T10:31:07.482Z");
    instance.travel("2026-12-21T10:31:07.481Z");
    await opened(instance, tokenOf(link));
    instance.travel(link.expires_at);
    await expectRefusal(opened(instance, tokenOf(link)), "not_found", "opens no document");
  });
});

describe.each(DATABASES)("the paper that a link opens, over $name", (driver) => {
  test("is the original if nobody had it; after a print, an e-mail or a link it is a second print", async () => {
    const instance = await aReachable(driver, { mailSender: aMailbox() });
    const { company } = instance;
    const { id } = await anInvoice(instance);
    const [first, second] = [await company.links.create({ id }), await company.links.create({ id })];
    expect([first.original, second.original]).toEqual([true, false]);
    expect(namesIn(await opened(instance, tokenOf(first)))).toEqual(["Original"]);
    expect(namesIn(await opened(instance, tokenOf(second)))).toEqual(["2.ª via"]);
    expect(namesIn((await company.documents.print({ id })).pdf)).toEqual(["2.ª via"]);
    const printed = await anInvoice(instance);
    await company.documents.print({ id: printed.id });
    const sent = await anInvoice(instance);
    await company.documents.email({ id: sent.id, to: ["ana@example.com"] });
    for (const { id } of [printed, sent]) expect(await company.links.create({ id })).toMatchObject({ original: false });
  });

  test("is the same to the byte each time, and opening it writes nothing", async () => {
    const instance = await aReachable(driver);
    const { company, lacre } = instance;
    const { id } = await anInvoice(instance);
    const token = tokenOf(await company.links.create({ id, language: "en" }));
    const eventsOf = async () => (await company.events.list({ limit: 200 })).data;
    const events = await eventsOf();
    const first = await opened(instance, token);
    instance.wait(3 * 24 * 60 * 60 * 1_000);
    await company.customers.create({ name: "Rui" });
    expect(await opened(instance, token)).toEqual(first);
    const [last, ...before] = await eventsOf();
    expect(last?.action).toBe("customer.created");
    expect(before).toEqual(events);
    expect((await lacre.installation.verify()).whole).toBe(true);
  });

  test("says that its document is cancelled from then on, and is no original any more", async () => {
    const instance = await aReachable(driver);
    const { company } = instance;
    const { id } = await anInvoice(instance);
    const link = await company.links.create({ id });
    expect(textOf(await opened(instance, tokenOf(link)))).not.toContain("ANULADO");
    await company.documents.cancel({ id, reason: "Engano" });
    const paper = await opened(instance, tokenOf(link));
    expect(textOf(paper)).toContain("ANULADO");
    expect(paper).toEqual((await company.documents.print({ id })).pdf);
  });
});

describe.each(DATABASES)("a link and others, over $name", (driver) => {
  test("is of its own company: another neither lists, reads nor revokes it", async () => {
    const instance = await aReachable(driver);
    const { lacre, company } = instance;
    const { id } = await anInvoice(instance);
    const link = await company.links.create({ id });
    const other = (await aCompany(lacre)).company;
    for (const call of [
      () => other.links.list({ id }),
      () => other.links.create({ id }),
      () => other.links.get({ id: link.id }),
      () => other.links.revoke({ id: link.id }),
      () => other.links.get({ id: UNKNOWN_ID }),
    ]) {
      await expectRefusal(call(), "not_found");
    }
    await opened(instance, tokenOf(link));
  });

  test("is refused for drafts and cancelled documents, and where nobody has named an address", async () => {
    const instance = await aReachable(driver);
    const { company } = instance;
    await expectRefusal(company.links.create({ id: (await aDraft(instance)).id }), "invalid_state", "cannot be sent");
    const { id } = await anInvoice(instance);
    await company.documents.cancel({ id });
    await expectRefusal(company.links.create({ id }), "invalid_state", "cannot be sent");
    const unreachable = await anInstance(driver);
    const asked = unreachable.company.links.create({ id: (await anInvoice(unreachable)).id });
    await expectRefusal(asked, "invalid_state", "Nobody has named the address");
  });

  test("a token that was guessed, cut or made longer opens nothing", async () => {
    const instance = await aReachable(driver);
    const token = tokenOf(await instance.company.links.create({ id: (await anInvoice(instance)).id }));
    const other = token.startsWith("A") ? "B" : "A";
    for (const wrong of ["", token.slice(1), other + token.slice(1), `${token}A`, "x".repeat(100_000), "\0", "%"]) {
      await expectRefusal(opened(instance, wrong), "not_found", "opens no document");
    }
    await opened(instance, token);
  });

  test("leaves its token in no table, event or log; the hash of it is stored", async () => {
    const log: LogEntry[] = [];
    const file = aFile();
    const instance = await aReachable(driver, { file, log: (entry: LogEntry) => log.push(entry) });
    const { company } = instance;
    const link = await company.links.create({ id: (await anInvoice(instance)).id });
    await opened(instance, tokenOf(link));
    await company.links.revoke({ id: link.id });
    const rows = rowsOf(await archiveOf(instance.dialect));
    const hashed = Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(tokenOf(link)))).toString("hex");
    expect(rows.document_links).toMatchObject([{ id: link.id, digest: hashed }]);
    for (const kept of [rows, await company.events.list(), await company.events.read(), log]) {
      expect(JSON.stringify(kept)).not.toContain(tokenOf(link));
    }
  });
});

describe.each(DATABASES)("a link in a file over $name", (driver) => {
  test("opens while somebody else writes", async () => {
    const instance = await anInstanceOnFile(driver, { publicUrl: SHOP });
    const { lacre, company, company_id } = instance;
    const token = tokenOf(await company.links.create({ id: (await anInvoice(instance)).id }));
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const writing = lacre.transaction(company_id, async ({ shop }) => {
      await shop.customers.create({ name: "Rui" });
      begun.resolve();
      await end.promise;
    });
    await begun.promise;
    // If it waited for the writer, the transaction would be undone after its ten seconds.
    await opened(instance, token);
    end.resolve();
    await writing;
    expect((await company.customers.list({ search: "Rui" })).data).toHaveLength(1);
  });
});

test("an archive takes links along, which open where it goes", async () => {
  const instance = await aReachable(BETTER, { file: aFile() });
  const link = await instance.company.links.create({ id: (await anInvoice(instance)).id });
  const file = aFile();
  await readArchive(await archiveOf(instance.dialect), BETTER.dialect(file));
  const lacre = await anInstallation(BETTER, { file });
  expect(await opened({ lacre }, tokenOf(link))).toEqual(await opened(instance, tokenOf(link)));
});

test("where nothing sends e-mails, the refusal names links, if they can be made", async () => {
  const send = async (instance: Instance) =>
    instance.company.documents.email({ id: (await anInvoice(instance)).id, to: ["ana@example.com"] });
  await expectRefusal(send(await aReachable(BETTER)), "invalid_state", "Make a link to the document");
  await expectRefusal(send(await anInstance(BETTER)), "invalid_state", "No e-mail server is set up; whoever");
});
