import { expect, test } from "vitest";
import { DATABASE, DATABASES } from "../../support/databases.ts";
import { aDraft, anInvoice } from "../../support/factories.ts";
import { anInstance } from "../../support/instance.ts";

const MARIA = "Maria, till 2";

test.each(DATABASES)("the host program acts under the name it gives, over $name", async (driver) => {
  const instance = await anInstance(driver);
  const maria = instance.lacre.as(instance.company_id, { actor: MARIA });
  const { id } = await aDraft(instance);
  await maria.documents.issue({ id });
  await instance.company.documents.cancel({ id });

  const { data } = await maria.events.list({ limit: 4 });
  const host = (code: string, name: string) => ({ id: expect.any(String), kind: "host", code, name });
  expect(data.map(({ action, actor }) => [action, actor])).toEqual([
    ["document.cancelled", host("H1", "Lacre")],
    ["document.issued", host("H2", MARIA)],
    ["actor.created", host("H2", MARIA)],
    ["document.drafted", host("H1", "Lacre")],
  ]);
  const { data: actors } = await instance.company.actors.list();
  const key = { id: expect.any(String), kind: "key", code: "K1", name: "test" };
  expect(actors).toEqual([key, host("H1", "Lacre"), host("H2", MARIA)]);
});

test.each(DATABASES)("the tax file names who issued and who cancelled, over $name", async (driver) => {
  const instance = await anInstance(driver);
  const { lacre, company, company_id } = instance;
  const { id } = await aDraft(instance);
  await lacre.as(company_id, { actor: MARIA }).documents.issue({ id });
  await company.documents.cancel({ id });
  const { file } = await company.saft.export();
  const pieces: Uint8Array[] = [];
  for await (const piece of file) pieces.push(piece);
  const xml = Buffer.concat(pieces).toString("latin1");
  expect(Array.from(xml.matchAll(/<SourceID>(.*?)<\/SourceID>/g), ([, code]) => code)).toEqual(["H1", "H2"]);
});

test.each(DATABASES)(
  "the same name is the same actor, however many programs and faces use it, over $name",
  async (driver) => {
    const instance = await anInstance(driver);
    const { lacre, company_id } = instance;
    const ids = new Set<string>();
    for (let face = 0; face < 3; face++) {
      const maria = lacre.as(company_id, { actor: ` ${MARIA} ` });
      await Promise.all([maria.customers.create({ name: "A" }), maria.customers.create({ name: "B" })]);
      for (const { actor } of (await maria.events.list({ limit: 2 })).data) ids.add(`${actor.id} ${actor.name}`);
    }
    expect([...ids]).toEqual([expect.stringMatching(` ${MARIA}$`)]);
  },
);

test.each(DATABASES)("reading makes no actor, over $name", async (driver) => {
  const { lacre, company, company_id } = await anInstance(driver);
  await lacre.as(company_id, { actor: "Reader" }).customers.list();
  await lacre.as(company_id, { actor: MARIA }).customers.create({ name: "Ana" });
  expect((await company.events.list({ limit: 1 })).data[0]?.actor).toMatchObject({ code: "H1", name: MARIA });
});

test.each(DATABASES)("each company numbers its own actors, over $name", async (driver) => {
  const { lacre, company_id } = await anInstance(driver);
  const other = await lacre.companies.create({ name: "Outra, Lda.", tax_id: "509442013" });
  for (const id of [company_id, other.id]) {
    const maria = lacre.as(id, { actor: MARIA });
    await maria.customers.create({ name: "Ana" });
    expect((await maria.events.list({ limit: 1 })).data[0]?.actor).toMatchObject({ code: "H1", name: MARIA });
  }
});

test.each(DATABASES)(
  "the host program's changes to the installation are made by the installation's actor, over $name",
  async (driver) => {
    const { lacre, company, company_id } = await anInstance(driver);
    await lacre.keys.create({ company_id, name: "web", scopes: ["customers:read"] });
    const [made] = (await company.events.list({ limit: 1 })).data;
    expect(made).toMatchObject({ action: "key.created", actor: { kind: "host", code: "H1", name: "Lacre" } });
    await company.customers.create({ name: "Ana" });
    const [created] = (await company.events.list({ limit: 1 })).data;
    expect(created?.actor).toMatchObject({ kind: "host", code: "H1", name: "Lacre" });
    expect(created?.actor.id).not.toBe(made?.actor.id);
  },
);

test.each(["", " ", "a".repeat(201), "Ma\nria"])("the name %j is refused", async (actor) => {
  const { lacre, company_id } = await anInstance(DATABASE);
  const face = lacre.as(company_id, { actor });
  await expect(face.customers.list()).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringMatching(/^actor: must /),
  });
});

test("a command that fails leaves no actor behind", async () => {
  const instance = await anInstance(DATABASE);
  const { lacre, company, company_id } = instance;
  const { id } = await anInvoice(instance);
  await expect(lacre.as(company_id, { actor: MARIA }).documents.issue({ id })).rejects.toMatchObject({
    code: "invalid_state",
  });
  await lacre.as(company_id, { actor: "Rui" }).documents.cancel({ id });
  expect((await company.events.list({ limit: 1 })).data[0]?.actor).toMatchObject({ code: "H2", name: "Rui" });
});
