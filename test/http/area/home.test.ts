/** What home, tax file and state of the company area ask for: figures, what waits, marks, imports, verify. */
import { request } from "node:http";
import { PERMISSIONS } from "lacre";
import { createHandler } from "lacre/http";
import { serve } from "lacre/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { COMPANY_OPERATIONS } from "../../../src/core/operations.ts";
import { opened, sampleText } from "../../core/saft/samples.ts";
import { anArea, type Browser, expectRefused, HOUR, type Reply } from "../../support/area.ts";
import { DRIVERS, TODAY } from "../../support/drivers.ts";
import { anInvoice } from "../../support/factories.ts";
import { anInstanceInHand } from "../../support/instance.ts";
import { aNif } from "../../support/nif.ts";
import { expectRefusal } from "../../support/refusals.ts";

const DEMO = sampleText("at-demo-2018-full.xml").replace(/encoding="[^"]*"/, 'encoding="UTF-8"');

describe("GET /area/v1/figures", () => {
  test("answers the figures of a year to an owner and an accountant, and not to a cashier", async () => {
    const area = await anArea();
    await anInvoice(area);
    const cashier = await area.person("cashier");
    expectRefused(await cashier.send("GET", "/area/v1/figures"), 403, "forbidden", "figures:read");
    for (const role of ["owner", "accountant"] as const) {
      const person = await area.person(role);
      const { status, body } = await person.send<{ year: number; sales: { gross: number }[] }>(
        "GET",
        "/area/v1/figures",
      );
      expect([status, body.year, body.sales[10]?.gross]).toEqual([200, 2026, 123]);
    }
    const owner = area.browser();
    expectRefused(await owner.send("GET", "/area/v1/figures"), 401, "unauthorized");
  });

  test.each(["year=abc", "year=0", "year=10000", "year=", "month=1", "year=2026&year=2025"])(
    "?%s is refused",
    async (query) => {
      const area = await anArea();
      const owner = await area.person("owner");
      expectRefused(await owner.send("GET", `/area/v1/figures?${query}`), 400, "invalid_request");
    },
  );
});

test("debtors, a customer's account and a search of documents are read by whoever's role allows it", async () => {
  const area = await anArea();
  const { id, customer_id, number } = await anInvoice(area);
  const [owner, accountant, cashier] = [
    await area.person("owner"),
    await area.person("accountant"),
    await area.person("cashier"),
  ];
  const customer = `/area/v1/customers/${customer_id}/figures`;
  for (const person of [owner, accountant]) {
    const debts = await person.send("GET", "/area/v1/debts?limit=10");
    expect(debts.body).toMatchObject({ data: [{ customer_id, outstanding: 123 }], pagination: { total: 1 } });
    expect((await person.send("GET", customer)).body).toMatchObject({ owed: { outstanding: 123 } });
  }
  for (const path of ["/area/v1/debts", customer]) {
    expectRefused(await cashier.send("GET", path), 403, "forbidden", "figures:read");
    expectRefused(await area.browser().send("GET", path), 401, "unauthorized");
  }
  expectRefused(await owner.send("GET", `/area/v1/customers/${id}/figures`), 404, "not_found");
  for (const person of [owner, accountant, cashier]) {
    const { body } = await person.send("GET", "/area/v1/documents?search=123,00&status=issued");
    expect(body).toMatchObject({ data: [{ id, number }], complete: true });
  }
  for (const query of ["", "?search=", "?search=a&offset=1", "?search=a&number=1"]) {
    expectRefused(await owner.send("GET", `/area/v1/documents${query}`), 400, "invalid_request");
  }
});

describe("GET /area/v1/waiting", () => {
  test("tells an owner of backups too", async () => {
    const area = await anArea();
    await anInvoice(area);
    const kinds = async (person: Browser) =>
      (await person.send<{ kind: string }[]>("GET", "/area/v1/waiting")).body.map(({ kind }) => kind);
    expect(await kinds(await area.person("owner"))).toEqual([
      "backup_overdue",
      "series_unregistered",
      "series_without_code",
    ]);
    expect(await kinds(await area.person("cashier"))).toEqual(["series_unregistered", "series_without_code"]);
  });
});

describe("POST /area/v1/clock/confirm", () => {
  test("lets an owner issue again after a long time without documents, on record; a cashier and a key cannot", async () => {
    const area = await anArea();
    const { issued_at } = await anInvoice(area);
    area.wait(61 * 24 * HOUR);
    const issue_date = area.now.toISOString().slice(0, 10);
    const cashier = await area.person("cashier");
    const confirm = (person: Pick<Browser, "send">) => person.send("POST", "/area/v1/clock/confirm", { body: {} });
    const waits = async () =>
      (await cashier.send<{ kind: string }[]>("GET", "/area/v1/waiting")).body.filter(
        ({ kind }) => kind === "clock_unconfirmed",
      );
    const now = area.now.toISOString();
    expect(await waits()).toMatchObject([{ now, since: issued_at }]);
    expectRefused(await confirm(cashier), 403, "forbidden", "company:write");
    const { api_key } = await area.lacre.keys.create({
      company_id: area.company_id,
      name: "till",
      scopes: [...PERMISSIONS],
    });
    const key = await area.lacre.authenticate(api_key);
    await expectRefusal(area.lacre.run(key, COMPANY_OPERATIONS.clock.confirm, {}), "forbidden", "company:write");
    await expectRefusal(anInvoice(area, { issue_date }), "unavailable", "if it is right, confirm it.");

    const owner = await area.person("owner");
    const confirmed = await confirm(owner);
    expect([confirmed.status, confirmed.body]).toEqual([200, { now, latest_issued_at: issued_at }]);
    expect(await waits()).toEqual([]);
    expect((await anInvoice(area, { issue_date })).status).toBe("issued");
    const { data } = await area.company.events.list();
    const by = { kind: "user", name: "A owner" };
    expect(data.find(({ action }) => action === "clock.confirmed")).toMatchObject({ at: now, actor: by });
  });
});

describe("/area/v1/communications", () => {
  test("a month is marked by an accountant, under their name", async () => {
    const area = await anArea();
    await anInvoice(area);
    const accountant = await area.person("accountant");
    const month = TODAY.slice(0, 7);
    const marked = await accountant.send("POST", "/area/v1/communications", { body: { month } });
    expect(marked.status, marked.text).toBe(200);
    expect(marked.body).toMatchObject({
      month,
      documents: 1,
      communicated: { by: { kind: "user", name: "A accountant" } },
    });
    const { body } = await accountant.send("GET", "/area/v1/communications?limit=10");
    expect(body).toEqual({ data: [marked.body], pagination: { limit: 10, offset: 0, total: 1 } });
    for (const wrong of [{}, { month: "2026-13" }, { month: "2099-01" }, { month, more: 1 }]) {
      expectRefused(await accountant.send("POST", "/area/v1/communications", { body: wrong }), 400, "invalid_request");
    }
    const cashier = await area.person("cashier");
    expectRefused(await cashier.send("GET", "/area/v1/communications"), 403, "forbidden");
    expectRefused(await cashier.send("POST", "/area/v1/communications", { body: { month } }), 403, "forbidden");
  });
});

describe("GET /area/v1/installation", () => {
  test("shows an owner the version, the backups and who signs, and no key", async () => {
    const area = await anArea();
    const { status, body, text } = await (await area.person("owner")).send("GET", "/area/v1/installation");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      database: "sqlite",
      last_backup: null,
      restores: 0,
      locked: [],
      certificate_number: 0,
      producer: null,
    });
    expect(text).not.toContain("KEY");
    expectRefused(await (await area.person("accountant")).send("GET", "/area/v1/installation"), 403, "forbidden");
  });
});

describe("POST /area/v1/verify", () => {
  const linesOf = ({ text }: Reply) =>
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));

  test("reports its progress, and in the end that all is well", async () => {
    const area = await anArea();
    const { customer_id } = await anInvoice(area);
    for (let i = 1; i < 150; i++) await anInvoice(area, { customer_id });
    const owner = await area.person("owner");
    const reply = await owner.send("POST", "/area/v1/verify");
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
    const lines = linesOf(reply);
    const last = lines.pop();
    expect(lines).toEqual([64, 128, 150].map((done) => ({ done, total: 150 })));
    expect(last).toMatchObject({ whole: true, documents: 150, findings: [] });
    for (const role of ["accountant", "cashier"] as const) {
      expectRefused(await (await area.person(role)).send("POST", "/area/v1/verify"), 403, "forbidden");
    }
    expectRefused(await owner.send("POST", "/area/v1/verify", { body: { all: true } }), 400, "invalid_request");
  });

  test("names what is wrong, in a series and beside the series", async () => {
    const home = await anInstanceInHand(DRIVERS[0] as (typeof DRIVERS)[number]);
    await anInvoice(home);
    home.raw.exec("drop trigger documents_are_frozen_once_issued; update documents set notes = 'x'");
    home.raw.exec("update lists set total = 7 where name = 'customers'");
    const caller = {
      company_id: home.company_id,
      actor: { kind: "host", name: "x" },
      scopes: ["installation:read"],
    } as const;
    const { value } = await home.lacre.run(caller, COMPANY_OPERATIONS.installation.verify, {});
    let text = "";
    for await (const piece of value.file) text += Buffer.from(piece).toString();
    const last = linesOf({ text } as Reply).pop();
    expect(last).toMatchObject({ whole: false });
    expect(last.findings).toEqual([
      { place: "FT 2026A/1", reason: "The seal is broken." },
      { place: "counts", reason: expect.stringContaining("customers") },
      { place: "schema", reason: "trigger documents_are_frozen_once_issued is missing." },
    ]);
  });
});

describe("POST /area/v1/saft/import", () => {
  const XML = { "content-type": "application/xml" };
  const send = (person: Browser, body: string, query = "", headers: Record<string, string | null> = XML) =>
    person.send<{ dry_run: boolean; customers: { created: number } }>("POST", `/area/v1/saft/import${query}`, {
      body,
      headers,
    });

  test("a dry run shows what the import then does", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    const dry = await send(owner, DEMO, "?dry_run=true");
    expect(dry.status, dry.text.slice(0, 300)).toBe(200);
    expect(dry.body).toMatchObject({ dry_run: true, customers: { created: 10 }, products: { created: 12 } });
    expect((await area.company.customers.list()).pagination.total).toBe(0);
    const done = await send(owner, DEMO, "", { "content-type": "text/xml; charset=windows-1252" });
    expect({ ...done.body, dry_run: true }).toEqual(dry.body);
    expect((await area.company.customers.list()).pagination.total).toBe(10);
    const { data } = await area.company.events.list({ limit: 1 });
    expect(data[0]?.actor).toMatchObject({ kind: "user", name: "A owner" });
  });

  test("is refused to others, and for something that is not a file", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    for (const role of ["accountant", "cashier"] as const) {
      expectRefused(await send(await area.person(role), DEMO), 403, "forbidden");
    }
    expectRefused(await send(owner, "<html/>"), 400, "invalid_request", "This is not a SAF-T (PT) file");
    expectRefused(await send(owner, ""), 400, "invalid_request");
    expectRefused(await send(owner, DEMO, "?dry_run=maybe"), 400, "invalid_request", "dry_run");
    expectRefused(await send(owner, DEMO, "?file=x"), 400, "invalid_request", "file");
    expectRefused(await send(owner, DEMO, "", { "content-type": "application/json" }), 415, "unsupported_media_type");
    expectRefused(await send(owner, DEMO, "", { ...XML, "content-encoding": "gzip" }), 415, "unsupported_media_type");
    expectRefused(
      await send(owner, DEMO, "", { ...XML, "idempotency-key": "once" }),
      400,
      "invalid_request",
      "Idempotency",
    );
    expectRefused(await send(owner, DEMO, "", { ...XML, "sec-fetch-site": "cross-site" }), 403, "forbidden");
    expect((await area.company.customers.list()).pagination.total).toBe(0);
  });

  /** A file of so many customers, and lines of documents. */
  const fileOf = (customers: number, lines = 0) => {
    const each = (i: number) =>
      `<Customer><CustomerID>C${i}</CustomerID><CompanyName>Cliente ${i}</CompanyName></Customer>`;
    const master = Array.from({ length: customers }, (_, i) => each(i)).join("");
    const line = `<Line><ProductCode>P1</ProductCode><Description>${"x".repeat(60)}</Description></Line>`;
    return `<AuditFile xmlns="urn:OECD:StandardAuditFile-Tax:PT_1.04_01"><MasterFiles>${master}</MasterFiles>${line.repeat(lines)}</AuditFile>`;
  };

  test("takes 20,000 records of a person, and more of the host program alone", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    const refused = await send(owner, fileOf(20_001), "?dry_run=true");
    expectRefused(refused, 400, "invalid_request", "more than 20,000 customers and products");
    const long = fileOf(16_000).replaceAll("Cliente", "Um cliente de nome comprido ".repeat(7));
    expectRefused(await send(owner, long, "?dry_run=true"), 400, "invalid_request", "3,000,000 characters");
    expect((await send(owner, fileOf(20_000), "?dry_run=true")).body.customers.created).toBe(20_000);
    const input = { file: opened(fileOf(20_001)), dry_run: true };
    expect((await area.company.saft.importMasterFiles(input)).customers.created).toBe(20_001);
  });

  test.each([
    ["read", fileOf(1, 40_000), "?dry_run=true", 40],
    ["checked", fileOf(10_000), "?dry_run=true", 80],
    ["stored", fileOf(4_000), "", 200],
  ])("lets others be answered again and again while it is %s", async (_, file, query, times) => {
    const area = await anArea();
    const owner = await area.person("owner");
    const visitor = area.browser();
    let isDone = false;
    const done = send(owner, file, query).finally(() => {
      isDone = true;
    });
    let answered = 0;
    while (!isDone) {
      expect((await visitor.send("GET", "/healthz")).status).toBe(200);
      answered++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await done).status).toBe(200);
    expect(answered).toBeGreaterThan(times);
  });

  test("takes 64 MiB through a socket and no more, and answers a client that is still sending", async () => {
    const area = await anArea();
    const { cookie = "" } = await area.person("owner");
    const server = await serve(createHandler(area.lacre, { area: {} }), { port: 0 });
    onTestFinished(() => server.close());
    const [head, ...rest] = DEMO.split("<MasterFiles>");
    const padding = `<!-- ${"x".repeat(512 * 1024 - 9)} -->`.repeat(2);
    const sendFile = (pieces: Iterable<string>) =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const headers = { ...XML, cookie, "sec-fetch-site": "same-origin" };
        const sending = request(
          `${server.url}/area/v1/saft/import?dry_run=true`,
          { method: "POST", headers },
          (answer) => {
            let text = "";
            answer.setEncoding("utf8").on("data", (piece) => {
              text += piece;
            });
            answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
          },
        );
        sending.on("error", reject);
        (async () => {
          for (const piece of pieces)
            if (!sending.write(piece)) await new Promise((drained) => sending.once("drain", drained));
          sending.end();
        })().catch(reject);
      });
    function* padded(mebibytes: number) {
      yield `${head}`;
      for (let i = 0; i < mebibytes; i++) yield padding;
      yield `<MasterFiles>${rest.join("<MasterFiles>")}`;
    }
    const fits = await sendFile(padded(60));
    expect(fits.status, fits.text).toBe(200);
    const tooLarge = await sendFile(padded(66));
    expect([tooLarge.status, JSON.parse(tooLarge.text).error.code]).toEqual([413, "payload_too_large"]);
    const wrong = await sendFile(
      (function* () {
        yield "<html>";
        for (let i = 0; i < 20; i++) yield padding;
      })(),
    );
    expect([wrong.status, JSON.parse(wrong.text).error.code]).toEqual([400, "invalid_request"]);
  });
});

describe("POST /area/v1/companies", () => {
  const make = (person: Browser, name = "Outra", tax_id = aNif()) =>
    person.send("POST", "/area/v1/companies", { body: { name, tax_id } });

  test("asks an owner for the password again, and refuses the NIF of another company", async () => {
    const area = await anArea();
    const owner = await area.person("owner");
    expectRefused(await make(owner), 403, "password_required");
    await owner.confirm();
    const [{ tax_id } = { tax_id: "" }] = await area.lacre.companies.list();
    expectRefused(await make(owner, "A mesma", tax_id), 409, "conflict", tax_id);
    expect((await make(owner)).status).toBe(201);
  });

  test("makes an owner at most twenty; the operator makes more", async () => {
    const area = await anArea();
    const owner = await area.owner();
    for (let made = 1; made < 20; made++) expect((await make(owner)).status).toBe(201);
    expectRefused(await make(owner), 409, "invalid_state", "at most 20");
    await area.lacre.companies.create({ name: "Mais uma", tax_id: aNif() });
  });
});
