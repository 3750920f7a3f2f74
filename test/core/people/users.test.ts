/** People in core: who they are on documents, their last owners, and what the record keeps of them. */
import type { Caller } from "lacre";
import { describe, expect, test } from "vitest";
import { COMPANY_OPERATIONS, PERSON_OPERATIONS } from "../../../src/core/operations.ts";
import type { Command, Operation } from "../../../src/core/runtime/operation.ts";
import type { Role } from "../../../src/core/runtime/permissions.ts";
import { DATABASE, DATABASES, isPostgres } from "../../support/databases.ts";
import { DRIVERS, type Driver, UNKNOWN_ID } from "../../support/drivers.ts";
import { aDraft } from "../../support/factories.ts";
import { anInstance, type Instance } from "../../support/instance.ts";
import { expectRefusal } from "../../support/refusals.ts";

const PASSWORD = "quatro palavras sem nexo";
const FROM = { address: "203.0.113.7", network: "203.0.113.7", user_agent: "Firefox" };
const { users, documents, keys } = COMPANY_OPERATIONS;
const { invitations, session } = PERSON_OPERATIONS;

/** The tables of a database. */
const IN_FILE =
  "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite@_%' escape '@'";
const ON_SERVER =
  "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'";

/** A user of this role: the caller in the company, and what runs an operation as that caller. */
async function aPerson({ lacre, company, company_id }: Instance, role: Role, login = `${role}@loja.pt`) {
  const { link_path } = await company.users.invite({ login, role });
  const token = link_path.split("#")[1];
  const input = { token, name: `A ${role}`, password: PASSWORD };
  const { secret, session: shown } = (await lacre.run(lacre.visitor(FROM), invitations.accept, input)).value;
  await lacre.run(await lacre.authenticateSession(secret, FROM), session.confirm, { password: PASSWORD });
  const caller = await lacre.enterCompany(await lacre.authenticateSession(secret, FROM), company_id);
  const run = async (operation: Operation, given: unknown) =>
    (await lacre.run(caller, operation as Command, given)).value;
  return { id: shown.user.id, secret, caller: caller as Caller, run };
}

describe.each(DATABASES)("people over $name", (driver) => {
  test("are named by their code in the company: on documents, in events, in the tax file", async () => {
    const instance = await anInstance(driver);
    const { company, lacre, company_id } = instance;
    await aPerson(instance, "owner");
    const cashier = await aPerson(instance, "cashier");
    const { id } = await aDraft(instance);
    await cashier.run(documents.issue, { id });
    await expectRefusal(cashier.run(documents.cancel, { id }), "forbidden", "documents:cancel");
    await company.documents.cancel({ id });
    const { data } = await company.events.list({ limit: 2 });
    const actor = { id: expect.any(String), kind: "user", code: "U2", name: "A cashier" };
    expect(data.map((event) => [event.action, event.actor])).toEqual([
      ["document.cancelled", { ...actor, kind: "host", code: expect.stringMatching(/^H/), name: expect.any(String) }],
      ["document.issued", actor],
    ]);
    const { file } = await company.saft.export();
    const pieces: Uint8Array[] = [];
    for await (const piece of file) pieces.push(piece);
    const xml = Buffer.concat(pieces).toString("latin1");
    expect(Array.from(xml.matchAll(/<SourceID>(.*?)<\/SourceID>/g), ([, code]) => code)).toEqual(["H1", "U2"]);
    const other = await lacre.companies.create({ name: "Outra, Lda.", tax_id: "509442013" });
    const { link_path } = await lacre.as(other).users.invite({ login: "cashier@loja.pt", role: "owner" });
    const input = { token: link_path.split("#")[1], password: PASSWORD };
    const opened = (await lacre.run(lacre.visitor(FROM), invitations.accept, input)).value;
    expect(opened.session.companies.map(({ id, actor_code }) => [id, actor_code])).toEqual([
      [company_id, "U2"],
      [other.id, "U1"],
    ]);
  });

  test("keep an owner in every company: the last one is neither disabled nor demoted", async () => {
    const instance = await anInstance(driver);
    const { lacre, company } = instance;
    const owner = await aPerson(instance, "owner");
    const cashier = await aPerson(instance, "cashier");
    const words = "the last owner";
    await expectRefusal(owner.run(users.disable, { id: owner.id }), "invalid_state", words);
    await expectRefusal(owner.run(users.changeRole, { id: owner.id, role: "cashier" }), "invalid_state", words);
    await expectRefusal(lacre.users.disable({ id: owner.id }), "invalid_state", words);
    await owner.run(users.changeRole, { id: cashier.id, role: "owner" });
    await owner.run(users.changeRole, { id: owner.id, role: "accountant" });
    await expectRefusal(company.users.disable({ id: cashier.id }), "invalid_state", words);
    await company.users.changeRole({ id: owner.id, role: "owner" });
    await lacre.users.disable({ id: owner.id });
    await expectRefusal(company.users.disable({ id: cashier.id }), "invalid_state", words); // a disabled one is none
    await expectRefusal(lacre.users.disable({ id: owner.id }), "invalid_state", "disabled");
    await expectRefusal(company.users.disable({ id: UNKNOWN_ID }), "not_found");
    await expectRefusal(lacre.users.disable({ id: UNKNOWN_ID }), "not_found");
  });

  test("lose a role from the next call on", async () => {
    const instance = await anInstance(driver);
    const { lacre, company, company_id } = instance;
    const owner = await aPerson(instance, "owner");
    await aPerson(instance, "owner", "other@loja.pt");
    await company.users.changeRole({ id: owner.id, role: "accountant" });
    const caller = await lacre.enterCompany(await lacre.authenticateSession(owner.secret, FROM), company_id);
    await expectRefusal(lacre.run(caller, keys.list, {}), "forbidden", "keys:manage");
  });

  test("who lose access also lose the commands that still wait", async () => {
    const instance = await anInstance(driver);
    const { company, lacre } = instance;
    const cashier = await aPerson(instance, "cashier");
    const other = await aPerson(instance, "cashier", "other@loja.pt");
    const { id } = await aDraft(instance);
    await company.users.changeRole({ id: other.id, role: "accountant" });
    await expectRefusal(other.run(documents.issue, { id }), "forbidden", "documents:issue");
    await company.users.disable({ id: cashier.id });
    await expectRefusal(cashier.run(documents.issue, { id }), "unauthorized");
    const run = lacre.run(cashier.caller, PERSON_OPERATIONS.session.changePassword, {
      password: "outra palavra-passe",
    });
    await expectRefusal(run, "unauthorized");
    expect(await company.documents.get({ id })).toMatchObject({ status: "draft" });
  });

  test("leave a record of what happened to them, without login, password or address", async () => {
    const instance = await anInstance(driver);
    const { company, lacre } = instance;
    const owner = await aPerson(instance, "owner");
    const cashier = await aPerson(instance, "cashier");
    await owner.run(users.changeRole, { id: cashier.id, role: "accountant" });
    await owner.run(users.disable, { id: cashier.id });
    const { id } = await company.users.invite({ login: "x@loja.pt", role: "cashier" });
    await company.users.withdraw({ id });
    await lacre.users.reset({ id: owner.id });
    const actions = async (where: string) =>
      (await instance.past(`select action from events where ${where} order by position`)).map(({ action }) => action);
    const people = "(action like 'user.%' or action like 'invitation.%' or action like 'session.%')";
    expect(await actions(`company_id is not null and ${people}`)).toEqual([
      ...["invitation.made", "user.joined", "invitation.used"],
      ...["invitation.made", "user.joined", "invitation.used"],
      ...["user.role_changed", "user.disabled", "invitation.made", "invitation.withdrawn"],
    ]);
    expect(await actions(`company_id is null and ${people}`)).toEqual([
      ...["user.created", "session.opened", "user.created", "session.opened", "invitation.made"],
    ]);
    const told = JSON.stringify(await instance.past("select * from events"));
    for (const secret of ["@loja.pt", PASSWORD, "203.0.113.7", owner.secret]) expect(told).not.toContain(secret);
    expect((await company.series.verify()).whole).toBe(true);
    expect((await lacre.installation.verify()).findings).toEqual([]);
  });

  test("have secrets of which the file holds only hashes", async () => {
    const instance = await anInstance(driver);
    const owner = await aPerson(instance, "owner");
    const { link_path } = await instance.lacre.users.invite();
    let all = "";
    const names = (await instance.past(isPostgres(driver) ? ON_SERVER : IN_FILE)).map(({ name }) => String(name));
    for (const name of names.filter((each) => each.startsWith((driver as Partial<Driver>).prefix ?? "")))
      all += JSON.stringify(await instance.past(`select * from ${name}`));
    expect(all).toContain("$scrypt$"); // the control
    for (const secret of [PASSWORD, owner.secret, link_path.split("#")[1]]) expect(all).not.toContain(secret);
  });

  test("are not let in by a backup: it holds no session", async () => {
    const instance = await anInstance(driver);
    await aPerson(instance, "owner");
    expect(await instance.past("select id from sessions")).toHaveLength(1);
    await instance.lacre.installation.markBackup();
    expect(await instance.past("select id from sessions")).toEqual([]);
    expect((await instance.lacre.installation.verify()).findings).toEqual([]);
  });

  test("whose hash has an old cost get a new one at their next login", async () => {
    const instance = await anInstance(driver);
    const { lacre } = instance;
    const owner = await aPerson(instance, "owner");
    const stored = async () => (await instance.past("select password from users"))[0]?.password;
    const { createPasswords } = await import("../../../src/core/people/passwords.ts");
    const old = await createPasswords({ ln: 2, r: 8, p: 1 }, { take: async () => {}, giveBack: async () => {} }).hash(
      PASSWORD,
    );
    await instance.past(`update users set password = '${old}'`);
    const log = () => lacre.run(lacre.visitor(FROM), session.open, { login: "owner@loja.pt", password: PASSWORD });
    await log();
    expect(await stored()).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$/);
    const once = await stored();
    await log();
    expect(await stored()).toBe(once);
    expect(owner.id).toBeDefined();
  });

  test("a key whose row was given a permission for persons by hand gains nothing", async () => {
    const instance = await anInstance(driver);
    const { lacre, api_key } = instance;
    await instance.past(
      "update api_keys set scopes = scopes || ' users:manage keys:manage company:write installation:read'",
    );
    const caller = await lacre.authenticate(api_key);
    await expectRefusal(lacre.run(caller, users.list, {}), "forbidden", "users:manage");
    await expectRefusal(lacre.run(caller, keys.create, { name: "x", scopes: ["saft:read"] }), "forbidden");
    const me = (await lacre.run(caller, COMPANY_OPERATIONS.me.get, {})).value;
    expect(me.scopes).not.toContain("users:manage");
  });
});

test("the same login in another case is the same user", async () => {
  const instance = await anInstance(DATABASE);
  await aPerson(instance, "owner", "Ana@Loja.pt");
  await expectRefusal(instance.company.users.invite({ login: "ana@loja.PT", role: "cashier" }), "conflict");
});

test("recognising a key costs one statement, as before there were users", async () => {
  const { faultyDialect } = await import("../../support/faulty.ts");
  let statements = 0;
  const [driver] = DRIVERS as [Driver];
  const dialect = faultyDialect(driver, ":memory:", { before: () => void statements++ });
  const { lacre, api_key } = await anInstance(driver, { dialect });
  statements = 0;
  await lacre.authenticate(api_key);
  expect(statements).toBe(1);
});
